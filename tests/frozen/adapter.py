"""The only file here that knows the names of the package: it makes each call and flattens it.

To follow a change of the surface, change the `_call…` functions (how data go in) or the
`_…_figures` functions (where figures lie); calls and figures stay as they are. A figure is
`(table, row, column) → float`; one that is undefined is left out, and so are zeros in tables of
counts.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
from calls import FILES, FRAMES, Case
from doors import column, file, frame, long, pandas_frame

import ordeval as oe
from ordeval.cli import main

Figures = dict[tuple[str, str, str], float]
Flat = Iterator[tuple[str, str, str, Any]]

READING = ("labels", "values", "bins", "missing", "na")
OTHER_ROLES = ("topic", "cluster", "weight", "frequency", "judge", "rate", "item", "by")
VERDICTS = {"better": 1, "worse": -1, "equivalent": 2, "as good as one more person": 2,
            "undecided": 3, "not told apart": 3}  # fmt: skip


def figures(case: Case, door: str, folder: Path) -> Figures:
    """Make a call through a door and return its figures; `folder` may hold files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        flat = FUNCTIONS[case.function](case, door, folder)
        # The positive class was named by its position.
        return {
            (table, re.sub(r"^f1_binary(?=\||$)", "f1_binary(positive=-1)", row), name): float(x)
            for table, row, name, x in flat
            if x is not None and not isnan(x)
        }


def _options(case: Case) -> dict[str, Any]:
    found = dict(case.options)
    if case.function == "evaluate":
        found.setdefault("measures", "all")
    if "alpha" in found and case.function in ("compare", "quantify"):
        found["ci"] = round(1 - found.pop("alpha"), 12)
    return found


def _others(case: Case) -> dict[str, Any]:
    """Return the roles beside labels, whose columns have the same names."""
    return {role: role for role in OTHER_ROLES if role in case.roles}


# Calls: how data go in.


def _call_labels(case: Case, door: str, folder: Path) -> Any:
    """`evaluate` and `compare` through any door."""
    roles, function = case.roles, getattr(oe, case.function)
    if "table" in roles:
        return function(roles["table"], **_options(case))
    columns = {"gold": roles["gold"], **roles["systems"]}
    columns |= {role: roles[role] for role in _others(case)}
    if door in (*FRAMES, "spark"):
        data, systems = frame(columns, door), list(roles["systems"])
        return function("gold", systems, data=data, **_others(case), **_options(case))
    if door in FILES:
        return _call_files(case, door, columns, folder)
    if door == "cli":
        path, pred = file(columns, folder / "data.csv"), {"pred": list(roles["systems"])}
        return _command(case, [path], {"gold": "gold", **pred, **_others(case)})
    given, options = _in_memory(case, door), _options(case)
    if door == "categorical":
        options.pop("labels")
    if door in ("counts", "joint"):
        kind = {"counts": oe.Counts, "joint": oe.JointCounts}[door]
        counted = kind.from_labels(**given, **{k: options.pop(k) for k in READING if k in options})
        return function(counted, **options)
    return _archived(function(**given, **options), door, folder)


def _archived(found: Any, door: str, folder: Path) -> Any:
    """Write a result as JSON and load it again, if that is the door."""
    if door != "json":
        return found
    (folder / "result.json").write_text(found.to_json(), "utf-8")
    return oe.load(folder / "result.json")


def _in_memory(case: Case, door: str, only: str = "") -> dict[str, Any]:
    """Return labels and other roles as arguments in memory."""
    labels, systems = case.options.get("labels"), case.roles["systems"]
    pred = {s: column(x, door, labels, turned=True) for s, x in systems.items()}
    kind = "lists" if door == "categorical" else door
    others = {role: column(case.roles[role], kind) for role in _others(case)}
    gold = column(case.roles["gold"], door, labels)
    return {"y_true": gold, "y_pred": next(iter(pred.values())) if only else pred, **others}


def _call_files(case: Case, door: str, columns: dict[str, Any], folder: Path) -> Any:
    systems, runs = case.roles["systems"], []
    others = _others(case)
    ids = [f"i{i:04d}" for i in range(len(columns["gold"]))]
    rest = {name: values for name, values in columns.items() if name not in systems}
    if door == "joined":
        path = file({"id": ids, **rest}, folder / "gold.csv")
        runs = [file({"id": ids[::-1], "pred": x[::-1]}, folder / f"{s}.csv")
                for s, x in systems.items()]  # fmt: skip
        others |= {"id": "id"}
    elif door == "long":
        table = long(ids, systems, ("id", "run", "pred"), rest)
        path = file(table, folder / "long.csv")
        others |= {"id": "id", "system": "run", "pred": "pred"}
    else:
        path = file(columns, folder / f"data.{door}")
        others |= {"pred": list(systems)}
    options = _options(case)
    reading = {k: options.pop(k) for k in READING if k in options}
    data = oe.read(path, *runs, gold="gold", **others, **reading)
    return getattr(oe, case.function)(data, **options)


def _command(case: Case, paths: list[Path], roles: Mapping[str, Any]) -> Any:
    """Run the command line, and load the JSON it writes."""
    command = {"evaluate": "score"}.get(case.function, case.function)
    args, out = [command, *map(str, paths)], paths[0].parent / "o"
    for name, value in {**roles, **_options(case)}.items():
        option = {"rng": "seed"}.get(name, name).replace("_", "-")
        text = value if isinstance(value, (str, int, float)) else ",".join(map(str, value))
        if (name, value) != ("measures", "all") or case.function != "agreement":
            args += [f"--{option}", str(text)]
    code = main([*args, "--format", "json", "--out", str(out), "--quiet"])
    assert code == 0, args
    return oe.load(out)


def _call_ratings(case: Case, door: str, folder: Path) -> Any:
    """`agreement` and `judge` through any door."""
    roles, options = case.roles, _options(case)
    if options.get("measures") == "all":
        del options["measures"]
    judged = case.function == "judge"
    people, models = roles["people" if judged else "ratings"], roles.get("models", {})
    columns, others = {**people, **models}, _others(case)
    also = {role: roles[role] for role in others}
    named: dict[str, Any] = {"people": list(people), "models": list(models)}
    if door == "cli":
        path = file({**columns, **also}, folder / "ratings.csv")
        return _command(case, [path], {**(named if judged else {"raters": list(people)}), **others})
    named = named if judged else {"ratings": list(people)}
    if door.startswith("long"):
        rest = {k: v for k, v in also.items() if k != "item"}
        table = long(roles["item"], columns, ("item", "rater", "rating"), rest)
        kept = [i for i, x in enumerate(table["rating"]) if x is not None]
        table = {name: [values[i] for i in kept] for name, values in table.items()}
        others |= {"rater": "rater", "rating": "rating"}
    else:
        table = {**columns, **also}
    if door in (*FRAMES, "long frame", "spark"):
        if door == "long frame":
            door, named = "polars", named if judged else {}
        data = frame(table, door)
        return getattr(oe, case.function)(**named, **others, **options, data=data)
    if door.endswith(("csv", "parquet")):
        path = file(table, folder / f"ratings.{door.split()[-1]}")
        named = {} if "long" in door and not judged else named
        return getattr(oe, case.function)(**named, **others, **options, data=path)
    rows = [list(row) for row in zip(*people.values(), strict=True)]
    data = (rows if door == "matrix" else people, *((models,) if judged else ()))
    found = getattr(oe, case.function)(*data, **also, **options)
    return _archived(found, door, folder)


def _call_shares(case: Case, door: str, folder: Path) -> Any:
    """`quantify` through any door."""
    roles, labels, options = case.roles, case.options["labels"], _options(case)
    tables = {"gold": roles["gold"], **roles["systems"]}
    if door in ("csv", "cli"):
        paths = []
        for name, rows in tables.items():
            by_class = dict(zip(map(str, labels), zip(*rows, strict=True), strict=True))
            paths.append(file({"topic": roles["topic"], **by_class}, folder / f"{name}.csv"))
        if door == "cli":
            return _command(case, paths, {"topic": "topic"})
        reading = {name: options.pop(name) for name in ("labels", "values") if name in options}
        read = oe.read_shares(*paths, topic="topic", **reading)
        return oe.quantify(read, **options)
    if door == "pandas":
        frames = {}
        for name, rows in tables.items():
            by_class = dict(zip(labels, zip(*rows, strict=True), strict=True))
            frames[name] = pandas_frame(by_class).set_index(np.array(roles["topic"]))
        gold = frames.pop("gold")
        return oe.quantify(gold, {s: x[::-1] for s, x in frames.items()}, **options)
    make: Callable[[Any], Any] = np.array if door == "numpy" else list
    others = {role: roles[role] for role in ("topic", "size") if role in roles}
    systems = {s: make(x) for s, x in roles["systems"].items()}
    found = oe.quantify(make(roles["gold"]), systems, **others, **options)
    return _archived(found, door, folder)


# Figures: where they lie in results.


def _measures(case: Case, held: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return measures by the names they were asked for, or their own."""
    asked = case.options.get("measures", "all")
    if asked == "all":
        return [(m.specification, m) for m in held]
    return [(name, oe.measure(name)) for name in asked.split(", ")]


def _fields(table: str, row: str, found: Any, names: str, prefix: str = "") -> Flat:
    return ((table, row, prefix + name, getattr(found, name)) for name in names.split())


def _estimate(table: str, row: str, found: Any, prefix: str = "") -> Flat:
    return _fields(table, row, found, "value low high se", prefix)


def _array(table: str, array: Any, *names: Iterable[Any]) -> Flat:
    """Yield the cells of an array by the names, or else positions, along its axes."""
    axes = [list(map(str, n)) for n in names]
    for place in np.ndindex(np.shape(array)):
        row = "|".join(axes[a][i] if a < len(axes) else str(i) for a, i in enumerate(place))
        yield table, row, "value", np.asarray(array, float)[place]


def _result_figures(case: Case, door: str, folder: Path) -> Flat:
    call = _call_shares if case.function == "quantify" else _call_labels
    result = call(case, door, folder)
    scores, tests = result.scores, result.tests
    yield from _fields("data", "all", scores, "items effective")
    if tests is not None:
        yield from _fields("tests", "all", tests, "units trials exact")
    if result.intervals is not None:
        yield "intervals", "all", "replicates", result.intervals.replicates
    systems = sorted(result.systems)
    for key, measure in _measures(case, result.measures):
        for at in result.standings(measure):
            row = f"{key}|{at.system}"
            yield from _estimate("scores", row, at)
            yield from _fields("scores", row, at, "rank undefined rank_low rank_high worth")
            yield "scores", row, "lambda", at.judge_weight
        for first, second in combinations(systems, 2) if tests is not None else ():
            row, pair = f"{key}|{first}|{second}", result.pair(first, second, measure)
            yield "pairs", row, "difference", pair.value
            yield from _fields("pairs", row, pair, "low high se p effect detectable")
            yield "pairs", row, "verdict", VERDICTS.get(pair.verdict, nan)
        if scores.per_topic is not None:
            by_system = scores.per_topic[scores.row(measure)]
            for name, row in zip(scores.systems, by_system, strict=True):
                yield from _array("topics", [row], [f"{key}|{name}"], scores.topics)
    if scores.topic_items is not None:
        yield from _array("topic items", scores.topic_items, scores.topics)
    if result.tables is not None:
        for cell in _array("tables", result.tables, scores.systems):
            if cell[-1] != 0:
                yield cell
    if result.shares is not None:
        yield from _array("shares", result.shares, ("gold", *scores.systems))
    if result.judge is not None:
        yield from _fields("judge", "all", result.judge, "labelled items")
        for check in result.judge.checks:
            row = f"{check.column}|{check.differs_from}"
            yield from _fields("checks", row, check, "statistic df p")


def _agreement_figures(case: Case, door: str, folder: Path) -> Flat:
    found = _call_ratings(case, door, folder)
    given = case.roles.get("ratings") or case.roles["people"]
    who = dict(zip(found.rater_names, given, strict=True))  # a matrix does not name its raters
    yield from _fields("data", "all", found, "items shared ratings effective clusters")
    for measure, estimate in found.coefficients.items():
        yield from _estimate("coefficients", measure.specification, estimate)
    for pair in found.pairs:
        row = f"{pair.measure.specification}|{who[pair.first]}|{who[pair.second]}"
        yield "pairs", row, "items", pair.items
        yield from _estimate("pairs", row, pair)
    for rater in found.raters:
        row = who[rater.rater]
        yield from _fields("raters", row, rater, "items shared")
        yield from _estimate("raters", row, rater.severity, "severity ")
        yield from _estimate("raters", row, rater.consistency, "consistency ")
        yield from _array("rater shares", [rater.shares], [row])
    for item in found.disputed:
        yield "disputed", str(item.item), "value", item.disagreement
    for kappa in found.kappas:
        yield from _fields("kappas", kappa.measure.specification, kappa, "value se se_null z p")


def _judge_figures(case: Case, door: str, folder: Path) -> Flat:
    found = _call_ratings(case, door, folder)
    keys = {str(measure): key for key, measure in _measures(case, found.measures)}
    for at in found.scores:
        row = f"{keys[str(at.measure)]}|{at.name}"
        yield from _estimate("models", row, at, "leave_one_out ")
        for name in ("pairwise", "difference", "pairwise_difference"):
            yield from _estimate("models", row, getattr(at, name), f"{name} ")
        yield from _fields("models", row, at, "items margin")
        for name in ("verdict", "joint_verdict"):
            yield "models", row, name, VERDICTS.get(getattr(at, name), nan)
    for at in found.ceilings:
        yield from _estimate("ceilings", keys[str(at.measure)], at, "leave_one_out ")
        yield from _estimate("ceilings", keys[str(at.measure)], at.pairwise, "pairwise ")
    for test in found.tests:
        yield from _fields("tests", test.model, test, "winning_rate advantage passes")
        for person in test.people:
            row, names = f"{test.model}|{person.person}", "items model_wins person_wins p rejected"
            yield from _fields("tests", row, person, names)
    for bias in found.biases:
        for name in ("lean", "ends", "spread"):
            yield from _estimate("biases", bias.model, getattr(bias, name), f"{name} ")
        yield from _array("model shares", [bias.shares], [bias.model])
    for part in found.slices:
        row = f"{keys[str(part.measure)]}|{part.name}|{part.slice}"
        yield "slices", row, "items", part.items
        yield from _estimate("slices", row, part, "score ")
        for name in ("ceiling", "difference"):
            yield from _estimate("slices", row, getattr(part, name), f"{name} ")
    for pair in found.pairs:
        row = f"{keys[str(pair.measure)]}|{pair.first}|{pair.second}"
        yield from _estimate("model pairs", row, pair)
    for item in found.disputed:
        yield "model disputed", f"{item.model}|{item.item}", "value", item.disagreement
    for measure, estimate in found.people_agreement.coefficients.items():
        yield from _estimate("coefficients", measure.specification, estimate)


def _score_figures(case: Case, door: str, folder: Path) -> Flat:
    given, options = _in_memory(case, door, "one"), _options(case)
    options.pop("measures")
    for key, measure in _measures(case, oe.measures()):
        try:
            yield "scores", key, "value", oe.score(**given, measures=measure, **options)
        except oe.InputError:  # a measure for fewer classes
            continue


def _class_figures(case: Case, door: str, folder: Path) -> Flat:
    given, options = _in_memory(case, door, "one"), _options(case)
    labels = {**given, **options}
    found = (
        oe.per_class(oe.Counts.from_labels(**labels))
        if door == "counts"
        else oe.per_class(**labels)
    )
    for name, figures in found.figures.items():
        for i, figure in enumerate(figures):
            yield "classes", str(i), name, figure


def _of_figures(case: Case, door: str, folder: Path) -> Flat:
    roles, shares = case.roles, case.options["measures"] == "quantification"
    for measure in oe.measures("quantification" if shares else "classification"):
        try:
            if shares:
                scores = measure.of(roles["gold"], roles["estimate"])
            else:
                scores = measure.of(roles["tables"], values=roles["values"])
        except oe.InputError:  # a measure for fewer classes
            continue
        yield from _array("scores", [scores], [measure.specification])


_ATTRIBUTES = {
    "similarity": {"tau": "tau"},
    "robustness": {"robustness": "robustness", "topics": "topics"},
    "power": {"p": "p", "significant": "significant", "topics": "topics"},
    "consistency": {
        "mean": "mean", "se": "standard_error", "p": "p", "beats": "beats", "beaten": "beaten",
        "residual": "residual_variance", "effect": "effect_size", "topic error": "topic_error",
        "interval": "interval", "difference interval": "difference_interval",
    },
}  # fmt: skip


def _meta_figures(case: Case, door: str, folder: Path) -> Flat:
    what, options = case.name.split("/")[1].split()[0], _options(case)
    names = options.pop("measures")
    if what == "axioms":
        effort = oe.meta.Effort(items={2: 4, 3: 3}, golds={3: 6}, units={3: 3}, random_cases=50)
        table = oe.meta.axioms(names, effort=effort, rng=0)
        for row in table.results:
            for found in row:
                name = f"{oe.measure(found.measure).specification}|{found.axiom}"
                yield "axioms", name, "holds", found.holds
        return
    labels, undefined, seed = (options.pop(k) for k in ("labels", "undefined", "rng"))
    counts = oe.Counts.from_labels(**_in_memory(case, door), labels=labels)
    data = oe.meta.ScoreMatrices.from_counts(counts, names, undefined=undefined)
    function = {"power": "discriminative_power"}.get(what, what)
    drawn = {} if what in ("similarity", "robustness") else {"rng": seed}
    found = getattr(oe.meta, function)(data, **options, **drawn)
    for name, attribute in _ATTRIBUTES[what].items():
        if (array := getattr(found, attribute)) is not None:
            yield from _array(name, array)


def _advice_figures(case: Case, door: str, folder: Path) -> Flat:
    roles, options = case.roles, _options(case)
    if door in FRAMES:
        columns = {"gold": roles["gold"], **roles["systems"]}
        found = oe.advise("gold", list(roles["systems"]), data=frame(columns, door), **options)
    elif "gold" in roles:
        given = _in_memory(case, door)
        found = oe.advise(given.pop("y_true"), **given, **options)
    else:
        models = {"models": roles["models"]} if "models" in roles else {}
        found = oe.advise(ratings=roles.get("ratings") or roles["people"], **models, **options)
    yield "advice", str(found.primary), "primary", 1


FUNCTIONS: dict[str, Callable[[Case, str, Path], Flat]] = {
    "compare": _result_figures, "evaluate": _result_figures, "quantify": _result_figures,
    "agreement": _agreement_figures, "judge": _judge_figures, "score": _score_figures,
    "per_class": _class_figures, "of": _of_figures, "meta": _meta_figures,
    "advise": _advice_figures,
}  # fmt: skip
