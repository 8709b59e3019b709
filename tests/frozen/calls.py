"""The calls whose figures are frozen: a function, data by role, and options.

`adapter.py` knows how data and figures are named otherwise. Every case is computed through
each of its doors, and all doors must give the frozen figures of the case.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MEMORY = ("lists", "numpy", "pandas", "json")
FRAMES = ("pandas frame", "polars", "lazy", "arrow", "duckdb", "dask")
FILES = ("csv", "tsv", "jsonl", "parquet", "xlsx", "joined", "long")
EVERY = (*MEMORY, *FRAMES, *FILES)
MOST = ("lists", "numpy", "json", "polars", "lazy", "duckdb", "csv", "joined", "long")
SOME = ("lists", "lazy", "duckdb", "csv")
RATERS = ("lists", "matrix", "json", *FRAMES, "csv", "parquet", "long frame", "long csv")

SIX = "qwk, kappa(weights='linear'), mae, macro_mae, cem, macro_f1"
TWO = "qwk, mae"
FEW = {"draws": 60, "trials": 60, "rng": 7}
WORDS = ("awful", "poor", "fair", "good", "superb")


@dataclass(frozen=True)
class Case:
    """A call: its name, the function, data by role, options, and the doors it goes through."""

    name: str
    roles: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    doors: tuple[str, ...] = ("lists",)

    @property
    def function(self) -> str:
        """The function, which is the first part of the name."""
        return self.name.split("/")[0]


def labels_of(k: int, kind: str) -> list[Any]:
    """Return the classes of a scale, in order."""
    if kind == "text":
        return list(WORDS[:k]) if k <= len(WORDS) else [f"level {i:03d}" for i in range(k)]
    lowest = {"int": 1, "zero": 0, "negative": -(k // 2)}[kind]
    return list(range(lowest, lowest + k))


def near(rng: random.Random, place: int, k: int, noise: float) -> int:
    """Return a class that is often the given one, sometimes a neighbour, seldom any."""
    draw = rng.random()
    if draw > noise:
        return place
    if draw > noise / 4:
        return min(k - 1, max(0, place + rng.choice((-1, 1, 1))))
    return rng.randrange(k)


def items(
    seed: int, n: int = 80, k: int = 3, kind: str = "text", systems: Any = 3, also: str = ""
) -> dict[str, Any]:
    """Return gold, systems, and the roles that are named in `also`."""
    rng, labels = random.Random(f"{seed}"), labels_of(k, kind)
    names = [f"s{i:02d}" for i in range(systems)] if isinstance(systems, int) else list(systems)
    gold = [min(int(k * rng.random() ** 1.5), k - 1) for _ in range(n)]
    roles: dict[str, Any] = {"gold": [labels[g] for g in gold], "systems": {}}
    for i, name in enumerate(names):
        noise = 0.2 + 0.5 * i / len(names)
        roles["systems"][name] = [labels[near(rng, g, k, noise)] for g in gold]
    draws = {
        "topic": lambda: rng.choice(("t1", "t2", "t3", "t10", "t20", "u")),
        "cluster": lambda: f"c{rng.randrange(max(2, n // 6))}",
        "weight": lambda: round(rng.lognormvariate(0, 1), 6) + 0.001,
        "frequency": lambda: rng.choice((0, 1, 1, 2, 5)),
        "rate": lambda: rng.choice((0.25, 0.5)),
    }
    for role in also.split():
        roles[role] = [draws[role]() for _ in range(n)]
    return roles


def with_gaps(roles: dict[str, Any], seed: int, code: Any = None, gold: bool = True) -> Any:
    """Leave out some labels, of which some are given as a code."""
    rng = random.Random(f"gaps {seed}")

    def gappy(column: Sequence[Any]) -> list[Any]:
        return [rng.choice((None, code)) if rng.random() < 0.08 else x for x in column]

    found = {**roles, "systems": {s: gappy(x) for s, x in roles["systems"].items()}}
    return {**found, "gold": gappy(roles["gold"])} if gold else found


def real_numbers(seed: int, n: int, k: int, also: str = "") -> dict[str, Any]:
    """Return real numbers between 1 and K."""
    roles, rng = items(seed, n, k, "int", 3, also), random.Random(f"real {seed}")

    def noisy(column: Sequence[int]) -> list[float]:
        return [round(min(k, max(1, x + rng.gauss(0, 0.4))), 3) for x in column]

    systems = {name: noisy(x) for name, x in roles["systems"].items()}
    return {**roles, "gold": noisy(roles["gold"]), "systems": systems}


def judged(seed: int, n: int = 160, k: int = 3, also: str = "", systems: int = 3) -> dict[str, Any]:
    """Return gold labels of a part of the items, and a judge's labels of all."""
    roles, rng = items(seed, n, k, "int", systems, also), random.Random(f"judge {seed}")
    gold = roles["gold"]
    roles["judge"] = [1 + near(rng, g - 1, k, 0.3) for g in gold]
    rates = roles.get("rate", [0.4] * n)
    roles["gold"] = [g if rng.random() < r else None for g, r in zip(gold, rates, strict=True)]
    return roles


def panel(
    seed: int, n: int = 40, k: int = 4, raters: int = 4, kind: str = "int", gaps: float = 0.0,
    models: int = 0, also: str = "",
) -> dict[str, Any]:  # fmt: skip
    """Return ratings of people, and of models if there are any."""
    base, rng = items(seed, n, k, kind, 1, also), random.Random(f"panel {seed}")
    labels, truth = labels_of(k, kind), base.pop("gold")
    del base["systems"]

    def rate(noise: float, gap: float) -> list[Any]:
        rated = [labels[near(rng, labels.index(g), k, noise)] for g in truth]
        return [None if rng.random() < gap else x for x in rated]

    people = {f"r{i}": rate(0.2 + 0.1 * i, gaps) for i in range(raters)}
    base["item"] = [f"i{i:03d}" for i in range(n)]
    if not models:
        return {**base, "ratings": people}
    return {**base, "people": people, "models": {f"m{i}": rate(0.3, 0) for i in range(models)}}


def shares(seed: int, n: int, k: int, systems: int, counts: bool = False) -> dict[str, Any]:
    """Return distributions over the classes by topic, or counts."""
    rng = random.Random(f"shares {seed}")

    def row() -> list[float]:
        drawn = [rng.randrange(1, 30) for _ in range(k)]
        return drawn if counts else [x / sum(drawn) for x in drawn]

    topics = [f"t{i:02d}" for i in range(n)]
    table = {f"s{i:02d}": [row() for _ in topics] for i in range(systems)}
    return {"topic": topics, "gold": [row() for _ in topics], "systems": table}


def compare_cases() -> Iterator[Case]:
    """Comparisons through every door, then on every kind of data."""
    text, five = {"labels": labels_of(3, "text")}, {"labels": labels_of(5, "int")}

    def case(
        name: str, roles: Any, measures: str = TWO, doors: Any = ("lists",), **more: Any
    ) -> Case:
        return Case(f"compare/{name}", roles, {"measures": measures, **FEW, **more}, doors)

    spark = (*EVERY, "cli", "spark")
    yield case("doors/text", items(1), SIX, (*spark, "categorical"), **text)
    yield case("doors/topics", items(2, k=5, kind="int", also="topic"), SIX, spark, **five)
    yield case("doors/weights", items(3, also="weight"), SIX, spark, **text)
    yield case("doors/frequency", items(4, also="frequency"), SIX, MOST, **text)
    yield case("doors/clusters", items(5, also="topic cluster"), SIX, MOST, **text)
    gappy = with_gaps(items(6, k=5, kind="int"), 6, 99)
    yield case("doors/gaps", gappy, SIX, EVERY, missing="skip", na=[99], **five)
    rounded = {"labels": labels_of(4, "int"), "bins": "round"}
    yield case("doors/bins", real_numbers(7, 60, 4), "qwk, mae, pearson", MOST, **rounded)
    everything = items(8, 90, 3, "text", 3, "topic cluster weight frequency")
    yield case("doors/everything", everything, TWO, EVERY, **text)
    worst = with_gaps(items(9), 9, "n.a.", gold=False)
    yield case("doors/worst", worst, SIX, SOME, missing="worst", na="n.a.", **text)
    yield case("doors/judge", judged(10), "qwk, mae, accuracy", SOME, labels=[1, 2, 3])
    yield case("doors/rate", judged(11, also="rate"), TWO, SOME, labels=[1, 2, 3])
    yield case("doors/joint", items(12, systems=2), TWO, ("lists", "joint"), **text)
    topical = items(13, also="topic")
    yield case("doors/counts", topical, TWO, ("lists", "counts"), over="topics", **text)

    for k, kind in ((2, "zero"), (3, "negative"), (5, "text"), (11, "int"), (101, "zero")):
        labels, n = labels_of(k, kind), 300 if k > 11 else 120
        yield case(f"scales/{k} {kind}", items(20 + k, n, k, kind), SIX, SOME, labels=labels)
        roles = items(21 + k, n, k, kind, 2, "topic cluster weight")
        yield case(f"scales/{k} {kind} units", roles, TWO, labels=labels)
    yield case("scales/all measures", items(30, 150, 5, "int"), "all", **five)
    yield case("scales/undeclared", items(31, 60, 4, "int"), TWO, MEMORY)
    for name, values in (
        ("sequence", [1, 2, 4, 8, 16]),
        ("mapping", {1: 0, 2: 1, 3: 5, 4: 6, 5: 9}),
    ):
        roles = items(32, k=5, kind="int")
        yield case(f"scales/values {name}", roles, SIX, values=values, **five)

    for over in ("items", "topics", "clusters", "both"):
        roles = items(40, 150, 4, "int", 3, "topic cluster")
        yield case(f"units/{over}", roles, SIX, SOME[:2], over=over, labels=[1, 2, 3, 4])
        yield case(f"units/{over} pooled", roles, TWO, over=over, aggregate="pool")
    for also in ("topic weight", "cluster weight", "topic frequency", "cluster frequency",
                 "weight frequency", "topic cluster weight frequency"):  # fmt: skip
        yield case(f"units/{also}", items(41, 120, 3, also=also), TWO, SOME[:3], **text)
    light = items(42, also="weight")
    heavy = {**light, "weight": [1e6 * w for w in light["weight"]]}
    yield case("units/heavy", heavy, TWO, **text)
    one_topic = {**items(43), "topic": ["only"] * 80}
    yield case("units/one topic", one_topic, TWO, **text)
    each = {**items(44), "cluster": [f"c{i}" for i in range(80)]}
    yield case("units/each its cluster", each, TWO, **text)

    plain, topical = items(50, 100, systems=4), items(51, 120, systems=4, also="topic")
    for name, more in {
        "against": {"against": "s01"}, "margin": {"margin": 0.1}, "alpha": {"alpha": 0.2},
        "family": {"family": "measures"}, "ci": {"ci": 0.8}, "no intervals": {"draws": 0},
        "percentile": {"method": "percentile"}, "seed": {"rng": 123},
        "primary": {"primary": "mae"}, "undefined": {"undefined": 0.0},
        "all at once": {"against": "s00", "margin": 0.2, "family": "measures", "alpha": 0.1},
        "many draws": {"draws": 2000, "trials": 5000},
    }.items():  # fmt: skip
        yield case(f"options/{name}", plain, TWO, **text, **more)
        yield case(f"options/{name} topics", topical, TWO, **text, **more)
    yield case("options/skip undefined", items(52, 30, also="topic"), SIX, undefined="skip", **text)

    yield case("systems/2", items(60, systems=2), SIX, **text)
    yield case("systems/30", items(61, 100, 5, "int", 30), TWO, SOME[:3], **five)
    yield case("systems/30 topics", items(62, 100, 5, "int", 30, "topic"), "qwk", **five)
    odd = items(63, systems=("Z", "a b", "10", "9", "é"))
    yield case("systems/odd names", odd, TWO, ("lists", *FRAMES, "csv", "parquet"), **text)
    same = items(64, systems=2)
    same["systems"]["copy"] = list(same["systems"]["s00"])
    yield case("systems/copies", same, TWO, **text)

    small = {"bins": "floor"}, {"bins": [1.5, 2.5, 3.2]}, {"bins": "round", "over": "topics"}
    for name, more in zip(("floor", "edges", "topics"), small, strict=True):
        roles = real_numbers(70, 80, 4, "topic" if name == "topics" else "")
        measures = "qwk, mae, rmse, pearson, macro_f1"
        yield case(f"bins/{name}", roles, measures, SOME, labels=[1, 2, 3, 4], **more)
    roles = real_numbers(71, 80, 4, "weight")
    yield case("bins/weights", roles, "qwk, mae", SOME, labels=[1, 2, 3, 4], bins="round")

    yield case("edges/one item", items(80, 1), SIX, **text)
    yield case("edges/two items", items(81, 2), SIX, **text)
    gold = items(82)["gold"]
    perfect = {"gold": gold, "systems": {"right": gold, "low": [WORDS[0]] * 80, "s": gold[::-1]}}
    yield case("edges/perfect and constant", perfect, SIX, SOME, **text)
    one_class = {**items(83), "gold": [WORDS[1]] * 80}
    yield case("edges/one gold class", one_class, SIX, **text)
    rare = items(84, 90, 5, "text")
    rare["gold"] = [WORDS[4] if i == 3 else WORDS[i % 3] for i in range(90)]
    yield case("edges/rare class", rare, SIX, labels=list(WORDS))
    yield case("edges/unused class", items(85, k=3), SIX, labels=[*WORDS[:3], "never"])
    for seed in (90, 91):
        yield case(f"judge/{seed}", judged(seed, 200, 5), SIX, labels=[1, 2, 3, 4, 5])
    roles = judged(92, systems=2)
    yield case("judge/differences", roles, TWO, margin=0.1, labels=[1, 2, 3])
    yield case("judge/against", judged(93), TWO, against="s01", labels=[1, 2, 3])


def single_cases() -> Iterator[Case]:
    """`evaluate`, `score`, `per_class`, and measures of tables."""
    few = {"draws": 60, "rng": 7}
    for k, kind in ((2, "zero"), (3, "text"), (5, "negative"), (11, "int"), (101, "zero")):
        labels = {"labels": labels_of(k, kind)}
        roles = items(100 + k, 200, k, kind, ["a"])
        measures = {"measures": "all" if k < 100 else SIX}
        yield Case(f"evaluate/{k} {kind}", roles, {**labels, **measures, **few}, SOME)
        yield Case(f"score/{k} {kind}", roles, labels | measures, ("lists", "numpy", "pandas"))
        yield Case(f"per_class/{k} {kind}", roles, labels, ("lists", "numpy", "counts"))
    text = {"labels": labels_of(3, "text")}
    for also in ("weight", "frequency", "topic", "cluster", "topic cluster weight"):
        roles, options = items(110, systems=["a"], also=also), {"measures": SIX, **text}
        yield Case(f"evaluate/{also}", roles, {**options, **few}, (*SOME, "json"))
        if "cluster" not in also:
            yield Case(f"score/{also}", roles, options)
        if also in ("weight", "frequency"):
            yield Case(f"per_class/{also}", roles, text)
    counted = items(111, systems=["a", "b"])
    yield Case(
        "evaluate/counts", counted, {"measures": SIX, **text, **few}, ("lists", "counts", "cli")
    )
    roles, labels = with_gaps(items(112, systems=["a"]), 112, "?"), {**text, "na": "?"}
    for function in ("evaluate", "score", "per_class"):
        more = {} if function == "per_class" else {"measures": SIX}
        more |= few if function == "evaluate" else {}
        yield Case(f"{function}/gaps", roles, {**labels, **more, "missing": "skip"})
        real = {"labels": [1, 2, 3, 4], "bins": "round"}
        yield Case(f"{function}/bins", real_numbers(113, 80, 4), {**real, **more})
    yield Case("evaluate/judge", judged(114), {"labels": [1, 2, 3], "measures": TWO, **few}, SOME)
    for k in (2, 3, 5, 11):
        rng = random.Random(f"table {k}")
        tables = [[[rng.randrange(20) for _ in range(k)] for _ in range(k)] for _ in range(2)]
        squares = [float(i * i) for i in range(k)]
        for values in (None, squares):
            name = f"of/{k} {'squares' if values else 'plain'}"
            yield Case(name, {"tables": tables, "values": values}, {"measures": "all"})
        table = {"table": tables[0]}
        few_labels = {"labels": labels_of(k, "int"), "measures": SIX, **few}
        yield Case(f"evaluate/table {k}", table, few_labels)
        rows = shares(k, 4, k, 1)
        yield Case(f"of/{k} shares", {"gold": rows["gold"], "estimate": rows["systems"]["s00"]},
                   {"measures": "quantification"})  # fmt: skip


def rater_cases() -> Iterator[Case]:
    """`agreement` and `judge`."""
    few = {"draws": 60, "rng": 7}

    def case(name: str, roles: Any, doors: Any = ("lists",), **more: Any) -> Case:
        measures = {"measures": "all", "pair_measures": TWO} if "agreement" in name else {}
        return Case(name, roles, {**measures, **few, "labels": [1, 2, 3, 4], **more}, doors)

    text = {"labels": labels_of(4, "text")}
    yield case("agreement/complete", panel(200), (*RATERS, "cli", "spark"))
    yield case("agreement/gaps", panel(201, gaps=0.2), RATERS)
    yield case("agreement/text", panel(202, kind="text", gaps=0.1), RATERS, **text)
    wide = ("lists", "pandas frame", "lazy", "duckdb", "csv")
    yield case("agreement/weights", panel(203, gaps=0.1, also="weight"), wide)
    yield case("agreement/frequency", panel(204, also="frequency"), wide)
    yield case("agreement/clusters", panel(205, gaps=0.1, also="cluster"), wide)
    for over in ("items", "clusters", "both"):
        yield case(f"agreement/over {over}", panel(206, gaps=0.1, also="cluster"), over=over)
    yield case("agreement/both", panel(207), over="both")
    yield case("agreement/weighted clusters", panel(208, also="cluster weight"))
    yield case("agreement/skip", panel(209, gaps=0.1), missing="skip")
    for raters in (2, 3, 9):
        yield case(f"agreement/{raters} raters", panel(210 + raters, raters=raters))
    for k in (2, 3, 11, 101):
        yield case(f"agreement/{k} classes", panel(220 + k, 60, k), labels=labels_of(k, "int"))
    yield case("agreement/values", panel(230), values=[0, 1, 4, 9])
    coded = panel(231, gaps=0.15)
    coded["ratings"] = {r: [99 if v is None else v for v in x] for r, x in coded["ratings"].items()}
    yield case("agreement/codes", coded, ("lists", "lazy", "csv"), na=99)
    real = panel(232)
    real["ratings"] = {r: [v + 0.3 for v in x] for r, x in real["ratings"].items()}
    yield case("agreement/bins", real, bins="round")
    yield case("agreement/no intervals", panel(233), draws=0)
    yield case("agreement/ci", panel(234), ci=0.8, disputed=3)
    same = panel(235, raters=2)
    same["ratings"]["r1"] = same["ratings"]["r0"]
    yield case("agreement/perfect", same)
    yield case("agreement/one class", {"ratings": {"a": [2] * 12, "b": [2] * 12}}, labels=[1, 2, 3])

    panels = ("lists", "json", "pandas frame", "lazy", "duckdb", "csv", "long csv")
    yield case("judge/complete", panel(300, models=1), (*panels, "cli"), measures=TWO)
    yield case("judge/gaps", panel(301, gaps=0.15, models=2), panels, measures=TWO)
    yield case("judge/text", panel(302, kind="text", models=2), panels, measures=TWO, **text)
    yield case("judge/weights", panel(303, models=2, also="weight"), panels[:4], measures=TWO)
    yield case("judge/frequency", panel(304, models=1, also="frequency"), panels[:4], measures=TWO)
    yield case("judge/clusters", panel(305, models=2, also="cluster"), panels[:4], measures=TWO)
    yield case("judge/core", panel(306, models=2), measures=SIX)
    for gold in ("majority", "median", "mean", "soft", "each"):
        roles = panel(307, gaps=0.05, models=2)
        yield case(f"judge/gold {gold}", roles, measures="mae, rmse" if gold == "mean" else TWO,
                   gold=gold)  # fmt: skip
    yield case("judge/over both", panel(308, models=1), measures=TWO, over="both")
    yield case("judge/margin", panel(309, models=3), measures=TWO, margin=0.3, epsilon=0.1)
    yield case("judge/nearness", panel(310, models=1), measures=TWO, nearness="accuracy")
    yield case("judge/primary", panel(311, models=2), measures=TWO, primary="mae")
    sliced = {**panel(312, 60, models=2), "by": ["xyz"[i % 3] for i in range(60)]}
    yield case("judge/slices", sliced, measures=TWO)
    for raters in (2, 6):
        yield case(
            f"judge/{raters} people", panel(313 + raters, raters=raters, models=2), measures=TWO
        )


def quantify_cases() -> Iterator[Case]:
    """`quantify`."""
    doors = ("lists", "numpy", "pandas", "json", "csv")
    for k, n, systems in ((2, 8, 2), (3, 12, 3), (5, 30, 3), (11, 20, 4)):
        options = {"measures": "all", "labels": labels_of(k, "int"), **FEW}
        yield Case(
            f"quantify/{k} classes {systems} systems", shares(k, n, k, systems), options, doors
        )
    base, roles = {"measures": "rnod, nmd", "labels": [1, 2, 3], **FEW}, shares(400, 14, 3, 3)
    for name, more in {
        "against": {"against": "s01"}, "margin": {"margin": 0.05},
        "values": {"values": [1, 2, 5]}, "no intervals": {"draws": 0},
        "family": {"family": "measures"}, "percentile": {"method": "percentile"},
        "undefined": {"undefined": 0.0},
    }.items():  # fmt: skip
        yield Case(
            f"quantify/{name}", roles, {**base, **more}, ("lists", "cli")[: 1 + (name == "against")]
        )
    yield Case("quantify/30 systems", shares(405, 12, 3, 30), {**base, "measures": "rnod"})
    yield Case("quantify/one system", shares(401, 10, 3, 1), base)
    yield Case("quantify/one topic", shares(402, 1, 3, 2), base)
    smoothed = {**base, "measures": "kld_smoothed, rae_smoothed, ae"}
    yield Case("quantify/counts", shares(403, 10, 3, 2, counts=True), smoothed)
    yield Case("quantify/sizes", {**shares(404, 4, 3, 2), "size": [10, 20, 30, 40]}, smoothed)


def meta_cases() -> Iterator[Case]:
    """Meta-evaluation, and advice."""
    roles = items(500, 300, 3, "text", 6, "topic")
    rng = random.Random("topics")
    roles["topic"] = [f"t{rng.randrange(16):02d}" for _ in range(300)]
    base = {"labels": labels_of(3, "text"), "measures": "qwk, mae, cem, macro_f1", "rng": 3}
    cases = {
        "similarity": {}, "similarity b": {"variant": "b"}, "robustness": {},
        "power": {"trials": 200}, "power alpha": {"trials": 100, "alpha": 0.2},
        "consistency": {"trials": 100, "splits": 60, "mean_splits": 10, "resamples": 40},
        "consistency split": {"procedure": "split", "trials": 100, "splits": 60, "size": 5},
    }  # fmt: skip
    for name, more in cases.items():
        yield Case(f"meta/{name}", roles, {**base, "undefined": 0.0, **more})
    yield Case("meta/axioms", {}, {"measures": "mae, cem, qwk, accuracy"})
    for k, kind in ((2, "zero"), (3, "text"), (5, "int")):
        labels = {"labels": labels_of(k, kind)}
        yield Case(f"advise/{k} {kind}", items(510 + k, 100, k, kind), labels, ("lists", "lazy"))
    yield Case("advise/topics", items(520, 120, also="topic"), {"labels": labels_of(3, "text")})
    yield Case("advise/raters", panel(521), {"labels": [1, 2, 3, 4]})
    yield Case("advise/judge", panel(522, models=1), {"labels": [1, 2, 3, 4]})


def cases() -> dict[str, Case]:
    """Return all cases by name."""
    every = (*compare_cases(), *single_cases(), *rater_cases(), *quantify_cases(), *meta_cases())
    return {case.name: case for case in every}
