"""Means and shares of ratings by few people and, perhaps, by a judge on all items."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval.cli import main
from ordeval.stats import judge_labels
from ordeval.stats.intervals import share_interval

LABELS = [1, 2, 3, 4, 5]
BOTH = "mean, shares"


class Answers:
    """Ratings of two systems' answers by people, with gaps, and by a judge that is lenient."""

    def __init__(self, n: int = 120, items: int = 1500, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.n, self.full, self.judge = n, dict[str, Any](), dict[str, Any]()
        for system, shift in (("a", 0.0), ("b", 0.4)):
            rating = np.clip(np.round(rng.normal(3 + shift, 1, items)), 1, 5).astype(int)
            self.full[system] = rating
            self.judge[system] = np.clip(rating + (rng.random(items) < 0.3), 1, 5)
        self.people = {
            system: [int(x) if i < n else None for i, x in enumerate(rating)]
            for system, rating in self.full.items()
        }

    def evaluate(self, **options: Any) -> oe.Result:
        """Evaluate one system."""
        given = {"judge": self.judge["a"], "measures": BOTH, "labels": LABELS, "draws": 200}
        return oe.evaluate(self.people["a"], **{**given, **options})

    def alone(self) -> oe.Result:
        """Evaluate it by people alone."""
        return oe.evaluate(self.full["a"][: self.n], measures=BOTH, labels=LABELS, draws=200)

    def compare(self, **options: Any) -> oe.Result:
        """Compare both."""
        given = {"judge": self.judge, "measures": BOTH, "labels": LABELS, "draws": 200}
        return oe.compare(self.people, **{**given, "trials": 300, **options})

    def long(self) -> pd.DataFrame:
        """Return a row per answer, in no order."""
        parts = [
            pd.DataFrame({"prompt": range(len(self.judge[s])), "model": s, "llm": self.judge[s],
                          "human": pd.array(self.people[s], dtype="Int64")})
            for s in self.full
        ]  # fmt: skip
        return pd.concat(parts).sample(frac=1, random_state=1)


def figures(result: oe.Result) -> list[Any]:
    """Return everything that must be the same at every door."""
    assert result.intervals is not None
    tests = [] if result.tests is None else [result.tests.p, result.tests.low]
    return [result.scores.values, result.intervals.low, result.intervals.high, *tests]


def same(one: oe.Result, other: oe.Result) -> bool:
    """Return whether two results have the same bits."""
    pairs = zip(figures(one), figures(other), strict=True)
    return all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)


@pytest.mark.parametrize("values", [None, [0, 1, 5, 10, 100]])
def test_mean_and_shares_by_definition(values: list[int] | None) -> None:
    rng = np.random.default_rng(1)
    rating, times, weight = (rng.integers(1, 6, 40).tolist() for _ in range(3))
    result = oe.evaluate(
        rating, measures=BOTH, labels=LABELS, values=values, frequency=times, weight=weight, draws=0
    )
    amount = [Fraction(a * b) for a, b in zip(times, weight, strict=True)]
    number = dict(zip(LABELS, values or LABELS, strict=True))
    mean = sum(a * number[x] for a, x in zip(amount, rating, strict=True)) / sum(amount)
    shares = [sum(a for a, x in zip(amount, rating, strict=True) if x == label) / sum(amount)
              for label in LABELS]  # fmt: skip
    assert result.scores.values[:, 0] == pytest.approx([float(x) for x in (mean, *shares)])


def corrected(data: Answers, value: dict[int, float], weight: float) -> float:
    """Return people's mean plus λ times the judge's on all items less that on people's, slowly."""
    own = list(zip(data.people["a"][: data.n], data.judge["a"][: data.n].tolist(), strict=True))

    def stands_for(judge: int, without: int) -> float:
        among = [g for i, (g, j) in enumerate(own) if j == judge and i != without]
        return sum(value[g] for g in [*among, judge]) / (1 + len(among))

    each = [stands_for(j, i) for i, (_, j) in enumerate(own)]
    rest = [np.mean([stands_for(judge, i) for i in range(data.n)]) for judge in LABELS]
    everyone = [*each, *(rest[j - 1] for j in data.judge["a"][data.n :])]
    return float(np.mean([value[g] for g, _ in own]) + weight * (np.mean(everyone) - np.mean(each)))


def test_corrected_figures_by_definition() -> None:
    data = Answers(n=30, items=90)
    result = data.evaluate()
    assert result.judge is not None
    values = [dict(zip(LABELS, LABELS, strict=True))]
    values += [{x: float(x == label) for x in LABELS} for label in LABELS]
    weights = result.judge.weight[:, 0]
    expected = [corrected(data, v, w) for v, w in zip(values, weights, strict=True)]
    assert weights[0] > 0
    assert result.scores.values[:, 0] == pytest.approx(expected)


def test_without_calibration_it_is_ppi(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge_labels, "_OWN_CLASS", 1e12)
    data = Answers()
    mean, judge = data.evaluate(measures="mean")["mean"], data.judge["a"]
    weight = data.evaluate(measures="mean").judge.weight[0, 0]
    own = data.full["a"][: data.n].mean()
    assert mean.value == pytest.approx(own + weight * (judge.mean() - judge[: data.n].mean()))


def test_a_judge_makes_intervals_shorter_and_never_longer() -> None:
    data = Answers()
    good, alone = figures(data.evaluate()), figures(data.alone())
    assert np.all(good[2] - good[1] <= alone[2] - alone[1] + 1e-12)
    assert (good[2] - good[1])[0] < 0.7 * (alone[2] - alone[1])[0]
    useless = np.random.default_rng(3).permutation(data.judge["a"])
    result = data.evaluate(judge=useless)
    off = result.judge.weight[:, 0] == 0
    assert off.any()
    pairs = zip(figures(result), alone, strict=True)
    assert all(np.array_equal(x[off], y[off]) for x, y in pairs)


def test_few_ratings_of_a_class_are_left_to_people() -> None:
    data = Answers()
    result = data.evaluate()
    counts = np.bincount(data.full["a"][: data.n], minlength=6)[1:]
    assert (counts < 5).any()
    assert not result.judge.weight[1:, 0][counts < 5].any()
    assert result.judge.weight[1:, 0][counts > 20].all()


@pytest.mark.parametrize("k", [2, 5, 101])
@pytest.mark.parametrize("rest", [0, 400])
def test_a_class_that_nobody_gave_has_an_interval(k: int, rest: int) -> None:
    rating, judge = [1] * 50 + [None] * rest, [1] * (50 + rest)
    result = oe.evaluate(rating, judge=judge, measures=BOTH, labels=list(range(1, k + 1)))
    assert result.scores.values[2, 0] == 0
    assert result.intervals.high[2, 0] >= 1 - 0.025 ** (1 / 50) - 1e-12
    assert result.intervals.low[1, 0] <= 0.025 ** (1 / 50) + 1e-12


def test_intervals_of_shares_cover() -> None:
    n, level = 50, 0.95
    low, high = share_interval(np.arange(n + 1) / n, n, level)
    from scipy.stats import binom

    for p in np.linspace(0.002, 0.998, 250):
        held = binom.pmf(np.arange(n + 1), n, p)[(low <= p) & (p <= high)].sum()
        assert held > 0.9
    assert np.allclose(low, 1 - high[::-1])


def test_every_door_gives_the_same_bits(tmp_path: Path) -> None:
    data = Answers()
    frame, result = data.long(), data.compare()
    frame.to_csv(tmp_path / "long.csv", index=False)
    wide = {f"{who}_{s}": x[s] for who, x in (("h", data.people), ("j", data.judge)) for s in "ab"}
    how: dict[str, Any] = {"measures": BOTH, "labels": LABELS, "draws": 200, "trials": 300}
    arrow = pa.Table.from_pandas(frame)
    doors = [frame, pl.from_pandas(frame), arrow, duckdb.from_arrow(arrow), tmp_path / "long.csv"]
    roles = {"judge": "llm", "system": "model", "id": "prompt"}
    for door in doors:
        assert same(oe.compare("human", data=door, **roles, **how), result)
    columns = ({s: f"{who}_{s}" for s in "ab"} for who in "hj")
    people, judge = columns
    assert same(oe.compare(people, data=pl.DataFrame(wide), judge=judge, **how), result)
    turned = {s: pd.Series(x).sample(frac=1, random_state=2) for s, x in data.judge.items()}
    series = {s: pd.Series(x, dtype="Int64") for s, x in data.people.items()}
    assert same(oe.compare(series, judge=dict(reversed(turned.items())), **how), result)


def test_pairs_are_those_of_people_moved() -> None:
    data = Answers()
    pair = data.compare().pair("b", "a")
    alone = oe.compare({s: x[: data.n] for s, x in data.full.items()}, measures=BOTH, labels=LABELS)
    true = data.full["b"].mean() - data.full["a"].mean()
    assert pair.low < true < pair.high
    assert pair.high - pair.low < 0.9 * (alone.pair("b", "a").high - alone.pair("b", "a").low)
    rng = np.random.default_rng(4)
    useless = {s: rng.integers(1, 6, len(x)) for s, x in data.judge.items()}
    moved = data.compare(judge=useless, measures="mean", trials=5000).pair("b", "a")
    assert moved.p == pytest.approx(alone.pair("b", "a").p, abs=0.01)


def test_equal_systems_have_no_difference() -> None:
    data = Answers()
    people, judge = (dict.fromkeys("xyz", x["a"]) for x in (data.people, data.judge))
    result = oe.compare(people, judge=judge, measures=BOTH, labels=LABELS, draws=0, trials=100)
    assert (result.tests.p[:, 0, 1] == 1).all()
    assert not result.tests.difference.any()


def test_items_that_not_all_systems_have_are_not_used() -> None:
    data = Answers()
    some = {**data.people, "b": [None] * 20 + data.people["b"][20:]}
    result = oe.compare(some, judge=data.judge, measures="mean", labels=LABELS, draws=0)
    assert result.judge.labelled == data.n - 20
    assert "ratings by people of 20 items" in str(result)


def test_rates_weigh_what_was_chosen_more_often() -> None:
    rng = np.random.default_rng(0)
    full = rng.integers(1, 6, 6000)
    rate = np.where(full > 3, 0.2, 0.05)
    chosen = rng.random(6000) < rate
    people = [int(x) if c else None for x, c in zip(full, chosen, strict=True)]
    result = oe.evaluate(people, judge=full, rate=rate, measures=BOTH, labels=LABELS, draws=200)
    assert abs(result["mean"].value - full.mean()) < 0.05
    assert full[chosen].mean() > full.mean() + 0.3


def test_clusters_and_one_system_without_a_judge() -> None:
    data, cluster = Answers(), [i // 6 for i in range(120)]
    rating = np.repeat(data.full["a"][:20], 6)
    whole = oe.evaluate(rating, measures="mean", labels=LABELS, cluster=cluster)["mean"]
    items = oe.evaluate(rating, measures="mean", labels=LABELS)["mean"]
    assert whole.value == items.value
    assert whole.high - whole.low > 1.5 * (items.high - items.low)


def test_labels_that_were_read_have_ratings_too(tmp_path: Path) -> None:
    data = Answers()
    path = tmp_path / "one.csv"
    pd.DataFrame({"h": pd.array(data.people["a"], "Int64"), "j": data.judge["a"]}).to_csv(path)
    read = oe.read(path, gold="h", judge="j", pred="j", labels=LABELS)
    assert same(oe.evaluate(read, measures=BOTH, draws=200), data.evaluate())


def test_words_are_about_ratings_and_archives_keep_them(tmp_path: Path) -> None:
    data = Answers()
    for result in (data.evaluate(), data.compare()):
        text = str(result) + " ".join(result.to_text(what) for what in ("scores",))
        assert "saves about" in text
        assert "gold" not in text
        (tmp_path / "r.json").write_text(result.to_json(), "utf-8")
        assert str(oe.load(tmp_path / "r.json")) == str(result)
        assert max(map(len, str(result).splitlines())) <= 80
        page = result.to_html()
        assert "rated by people" in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"y_pred": [1, 2]}, "y_pred cannot be used"),
        ({"measures": "mean, qwk"}, "qwk is a measure of labels"),
        ({"measures": "share(label=9)"}, "has no class 9"),
        ({"judge": {"x": [1, 2]}}, "both must be the same"),
        ({"judge": [1, None]}, "no rating of the judge"),
        ({"y_true": [1, None]}, "has no rating"),
        ({"y_true": [None, None], "judge": [1, 2]}, "No item was rated by people"),
        ({"topic": ["s", "t"]}, "topic cannot be used"),
        ({"judge": [1, 2], "cluster": [1, 2]}, "cluster cannot be combined with a judge"),
        ({"system": "model"}, "system is for files"),
        ({"where": {"x": 1}}, "where is for files, and no data"),
        ({"y_true": "x", "data": pl.DataFrame({"x": [1]}), "where": {"x": 1}}, "is for files, and"),
        ({"by": [1]}, "differ in length"),
        ({"y_true": [5] * 90 + [None] * 900, "judge": [5] * 90 + [1, 2, 3] * 300}, "not a random"),
    ],
)  # fmt: skip
def test_what_cannot_be_done(options: dict[str, Any], words: str) -> None:
    given = {"y_true": [1, 2], "measures": BOTH, "labels": LABELS, **options}
    if "system" in options:
        given |= {"y_pred": [1, 2], "measures": "mae"}
    with pytest.raises(oe.InputError, match=words):
        oe.evaluate(**given)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, path = Answers(), tmp_path / "long.csv"
    data.long().to_csv(path, index=False)
    roles = ["--gold", "human", "--judge", "llm", "--labels", "1..5", "--draws", "200"]
    roles += ["--system", "model", "--id", "prompt", "--measures", BOTH, "--trials", "300"]
    assert main(["compare", str(path), *roles, "--out", str(tmp_path / "r.json")]) == 0
    found = oe.load(tmp_path / "r.json")
    assert same(found, data.compare())
    again: oe.Result = eval(found.call.python(), {"oe": oe})
    assert same(again, found)
    one = ["score", str(path), "--gold", "human", "--judge", "llm", "--measures", BOTH]
    assert main([*one, "--where", "model=a", "--labels", "1..5", "--draws", "200", "-q"]) == 0
    assert "120 of 1,500 items rated by people" in capsys.readouterr().out
    assert main([*one, "--pred", "llm"]) == 2


def test_an_uneven_scale_with_a_good_judge_is_covered() -> None:
    # The judge errs downwards, people's ratings are skewed downwards, too.
    rng, held = np.random.default_rng(4), []
    shares, errors = np.array([0.01, 0.01, 0.01, 0.02, 0.95]), 0.03
    for run in range(150):
        rating = rng.choice(5, 2000, p=shares) + 1
        judge = np.where(rng.random(2000) < errors, np.where(rating > 1, rating - 1, 2), rating)
        people = np.where(np.arange(2000) < 80, rating, 0)
        how = {"labels": LABELS, "na": 0, "draws": 200, "rng": run}
        row = oe.evaluate(people, judge=judge, measures="mean", **how)["mean"]
        held.append(row.low <= shares @ LABELS <= row.high)
    assert np.mean(held) > 0.9


def test_an_id_that_is_used_is_no_doubtful_id(tmp_path: Path) -> None:
    long = Answers(items=300).long().rename(columns={"prompt": "id"})
    long.to_csv(tmp_path / "long.csv", index=False)
    given: Any = {"data": str(tmp_path / "long.csv"), "id": "id", "system": "model"}
    result = oe.compare("human", judge="llm", measures="mean", labels=LABELS, trials=99, **given)
    assert result.judge is not None
    assert result.judge.items == 300
    assert "ids" not in {note.kind for note in result.notes}
