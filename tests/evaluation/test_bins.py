"""Real numbers in classes, and measures of numbers on the numbers themselves."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics

import ordeval as oe
from ordeval.data.bins import Bins
from ordeval.data.scale import Scale
from ordeval.measures.registry import records

K5 = range(1, 6)
RAW = ("mae", "mse", "rmse", "pearson", "cosine", "alpha_int")


def ratings(items: int = 60, seed: int = 0, systems: str = "abc") -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    gold = np.round(np.clip(rng.normal(3, 1, items), 0.5, 5.5), 2)
    noise = {s: rng.normal(0, 0.4 + 0.2 * i, items) for i, s in enumerate(systems)}
    return gold, {s: np.round(np.clip(gold + e, 0.5, 5.5), 2) for s, e in noise.items()}


# Classes of numbers.


@pytest.mark.parametrize(
    ("rule", "numbers", "classes"),
    [
        ("round", [0.5, 1.49, 1.5, 2.5, 5.5], [1, 1, 2, 3, 5]),
        ("floor", [1.0, 1.99, 2.0, 5.99], [1, 1, 2, 5]),
        ([1.5, 2.5, 3.5, 4.5], [-9.0, 1.5, 4.49, 99.0], [1, 2, 4, 5]),
        ([0, 1.5, 2.5, 3.5, 4.5, 6], [0.0, 1.5, 6.0], [1, 2, 5]),
    ],
)
def test_numbers_are_put_in_classes(rule: Any, numbers: list[float], classes: list[int]) -> None:
    counts = oe.Counts.from_labels(numbers, classes, labels=K5, bins=rule)
    whole = oe.Counts.from_labels(classes, classes, labels=K5)
    assert np.array_equal(counts.table, whole.table)


@given(st.integers(-3, 3), st.integers(2, 120), st.data())
def test_rounding_is_that_of_floor_and_a_half(low: int, k: int, data: Any) -> None:
    scale = Scale.of(range(low, low + k))
    number = data.draw(st.floats(low - 0.5, low + k - 0.5))
    code = int(Bins.of("round", scale).codes(np.array([number]))[0])
    assert code == min(int(np.floor(number - low + 0.5)), k - 1)


def test_the_scale_of_rounded_numbers_is_inferred() -> None:
    counts = oe.Counts.from_labels([1.2, 3.6], [2.0, 4.4], bins="round")
    assert (counts.scale.labels, counts.scale.inferred) == ((1, 2, 3, 4), True)


def test_text_is_not_a_number_except_as_a_class_between_edges() -> None:
    with pytest.raises(oe.InputError, match=r"1 value that cannot be binned.*'x'"):
        oe.score([1.0, "x"], [1, 2], "mae", labels=K5, bins="round")
    result = oe.evaluate(
        ["lo", "hi", "lo"],
        [0.2, 0.7, 0.6],
        labels=["lo", "hi"],
        bins=[0.5],
        measures="mae, accuracy",
    )
    assert result.standing("y_pred", "accuracy").value == pytest.approx(2 / 3)
    assert not result.scores.raw
    assert any("use the classes" in notice for notice in map(str, result.notes))


@pytest.mark.parametrize("kind", ["memory", "lazy", "csv"])
@pytest.mark.parametrize(
    ("labels", "edges"),
    [
        ((1, 2, 3, 4), [3, 5, 7]),
        (("mild", "it's so-so", "bad", "worst"), [3, 5, 7]),
        ((False, True), [5]),
    ],
)
def test_columns_of_declared_labels_are_not_cut(
    kind: str, labels: Any, edges: Any, tmp_path: Path
) -> None:
    rng = np.random.default_rng(12)
    codes = rng.integers(0, len(labels), 60)
    given = np.round(1 + 9 * (codes + 0.5 + rng.normal(0, 0.6, 60)) / len(labels), 1)
    gold = [labels[code] for code in codes]
    reading: dict[str, Any] = {"labels": list(labels), "bins": edges}
    result = at_door(kind, pd.DataFrame({"gold": gold, "llm": given}), tmp_path, **reading)
    right = np.searchsorted(edges, given, side="right")
    assert result.standing("llm", "accuracy").value == pytest.approx((right == codes).mean())
    assert result.standing("llm", "mae").value == pytest.approx(np.abs(right - codes).mean())
    assert not result.scores.raw
    named = [n for n in map(str, result.notes) if "Taken as classes" in n]
    assert len(named) == 1
    assert "llm" not in named[0]
    assert "All measures use the classes." in map(str, result.notes)


def at_door(kind: str, data: pd.DataFrame, folder: Path, **reading: Any) -> Any:
    how: dict[str, Any] = {"measures": "accuracy, mae", "draws": 0}
    if kind == "memory":
        systems = {name: data[name].tolist() for name in data if name != "gold"}
        return oe.evaluate(data["gold"].tolist(), systems, **how, **reading)
    if kind == "lazy":
        return oe.evaluate(data=pl.from_pandas(data).lazy(), **how, **reading)
    data.to_csv(folder / "data.csv", index=False)
    items = oe.read(folder / "data.csv", **reading)
    return oe.compare(items, measures="accuracy, mae", draws=0, trials=10)


@pytest.mark.parametrize("kind", ["memory", "lazy", "csv"])
def test_numbers_on_one_other_scale_stay_raw(kind: str, tmp_path: Path) -> None:
    data = pd.DataFrame({"gold": [1.5, 4.0, 8.0, 9.5], "a": [2.0, 6.5, 8.0, 9.0]})
    reading: dict[str, Any] = {"labels": [1, 2, 3, 4], "bins": [3, 5, 7]}
    result = at_door(kind, data, tmp_path, **reading)
    assert result.scores.raw
    assert result.standing("a", "mae").value == pytest.approx(3.5 / 4)
    data.loc[1, "a"] = np.nan  # no number is farthest from gold where classes have none
    result = at_door(kind, data, tmp_path, missing="worst", **reading)
    assert not result.scores.raw
    assert result.standing("a", "mae").value == pytest.approx(2 / 4)


@pytest.mark.parametrize("library", ["pandas", "lazy"])
def test_ordered_categories_declare_the_classes_between_edges(library: str) -> None:
    order = ["mild", "moderate", "severe"]
    gold = pd.Categorical(["mild", "severe", "mild", "severe"], order, ordered=True)
    data: Any = pd.DataFrame({"gold": gold, "a": [0.3, 2.7, 1.9, 2.0]})
    if library == "lazy":
        data = pl.from_pandas(data).with_columns(pl.col("gold").cast(pl.Enum(order))).lazy()
    result = oe.evaluate(data=data, bins=[1.5, 2.5], measures="accuracy", draws=0)
    assert result.scores.scale.labels == tuple(order)
    assert result.standing("a", "accuracy").value == 0.5


def test_missing_numbers_are_missing_labels() -> None:
    gold, pred = [1.2, np.nan, 3.6], [1.0, 2.0, None]
    with pytest.raises(oe.InputError, match="missing"):
        oe.score(gold, pred, "mae", labels=K5, bins="round")
    assert oe.score(gold, pred, "mae", labels=K5, bins="round", missing="skip") == pytest.approx(
        0.2
    )
    worst = oe.score([1.2, 3.6], [1.0, None], "mae", labels=K5, bins="round", missing="worst")
    assert worst == pytest.approx((0.2 + 2.6) / 2)


def test_whole_numbers_give_the_same_result_bit_by_bit() -> None:
    rng = np.random.default_rng(3)
    gold, systems = rng.integers(1, 6, 40), {s: rng.integers(1, 6, 40) for s in "ab"}
    plain = oe.compare(gold, systems, labels=K5, measures="all")
    binned = oe.compare(gold, systems, labels=K5, measures="all", bins="round")
    first, second = plain.to_dict(), binned.to_dict()
    for plain_data in (first, second):
        for key in ("signature", "notes", "about"):
            del plain_data[key]
        del plain_data["scores"]["bins"]
    assert first == second
    assert any("nothing was binned" in notice for notice in map(str, binned.notes))
    assert "bins:round" in binned.signature()


def test_other_class_values_keep_measures_on_classes() -> None:
    score = oe.score([1.4, 2.6], [1, 1], "mae", labels=[1, 2, 3], values=[0, 10, 50], bins="round")
    assert score == 25.0


# Measures of numbers.


def test_records_say_which_measures_use_numbers() -> None:
    raw = {str(m) for m in oe.measures() if m.raw is not None}
    assert raw == set(RAW)
    assert all(
        record.uses_values for record in records().values() if record.raw({"level": "interval"})
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_numbers_agree_with_other_libraries(weighted: bool) -> None:
    gold, systems = ratings()
    pred = systems["b"]
    weight = np.random.default_rng(1).uniform(0.2, 3, len(gold)) if weighted else None
    error = metrics.mean_squared_error(gold, pred, sample_weight=weight)
    means = np.average(np.stack([gold, pred]), axis=1, weights=weight)
    g, p = gold - means[0], pred - means[1]
    w = np.ones(len(gold)) if weight is None else weight
    expected = {
        "mae": metrics.mean_absolute_error(gold, pred, sample_weight=weight),
        "mse": error,
        "rmse": np.sqrt(error),
        "pearson": (w * g * p).sum() / np.sqrt((w * g * g).sum() * (w * p * p).sum()),
        "cosine": (w * gold * pred).sum() / np.sqrt((w * gold**2).sum() * (w * pred**2).sum()),
    }
    if weight is None:
        assert expected["pearson"] == pytest.approx(stats.pearsonr(gold, pred)[0])
    for name, value in expected.items():
        score = oe.score(gold, pred, name, labels=K5, bins="round", weight=weight)
        assert score == pytest.approx(value, rel=1e-12), name
        assert oe.measure(name)(
            gold, pred, labels=K5, bins="round", weight=weight
        ) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", RAW)
def test_measures_of_numbers_and_of_classes_are_the_same_measure(name: str) -> None:
    """Sums over numbers give what the table of tenths gives."""
    rng = np.random.default_rng(5)
    gold, pred = (np.append(10 * rng.integers(1, 6, 50), x) for x in (36, 22))
    raw = oe.score(gold / 10, pred / 10, name, labels=K5, bins="round")
    values = np.arange(1.0, 5.1, 0.1)
    table = oe.score(gold, pred, name, labels=range(10, 51), values=values)
    assert raw == pytest.approx(table, rel=1e-12)


@pytest.mark.parametrize("aggregate", ["mean", "pool"])
def test_topics_are_averaged_or_pooled(aggregate: Any) -> None:
    gold, systems = ratings()
    topics = np.random.default_rng(2).integers(0, 4, len(gold))
    score = oe.score(
        gold, systems["a"], "pearson", labels=K5, bins="round", topic=topics, aggregate=aggregate
    )
    of_topic = [
        stats.pearsonr(gold[topics == t], systems["a"][topics == t])[0] for t in np.unique(topics)
    ]
    pooled = stats.pearsonr(gold, systems["a"])[0]
    assert score == pytest.approx(np.mean(of_topic) if aggregate == "mean" else pooled, rel=1e-12)


@pytest.mark.parametrize("unit", ["items", "clusters", "topics"])
@pytest.mark.parametrize("name", ["mae", "rmse", "pearson", "cosine", "alpha(level='interval')"])
def test_intervals_are_near_those_of_the_jackknife(unit: str, name: str) -> None:
    gold, systems = ratings(400)
    units = np.arange(400) if unit == "items" else np.random.default_rng(4).integers(0, 80, 400)
    how: dict[str, Any] = {
        "items": {},
        "clusters": {"cluster": units},
        "topics": {"topic": units, "aggregate": "pool"},
    }[unit]
    result = oe.compare(gold, systems, labels=K5, bins="round", measures=name, **how)

    def error(score: Any) -> float:
        left_out = np.array([score(units != u) for u in np.unique(units)])
        n = len(left_out)
        return float(np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum()))

    def score(system: str, keep: Any) -> float:
        pred = systems[system]
        return oe.score(gold[keep], pred[keep], name, labels=K5, bins="round")

    row, pair = result.standing("a"), result.pair("a", "b")
    assert row.low < row.value < row.high
    if unit != "items":  # intervals of scores over items have two added items
        assert row.se == pytest.approx(error(lambda keep: score("a", keep)), rel=0.05)
    expected = error(lambda keep: score("a", keep) - score("b", keep))
    assert pair.se == pytest.approx(expected, rel=0.05)
    alone, of_three = stats.t.ppf([0.975, 1 - 0.025 / 3], len(np.unique(units)) - 1)
    assert alone <= (pair.value - pair.low) / pair.se < of_three


@pytest.mark.parametrize("name", ["mae", "rmse", "pearson", "alpha(level='interval')"])
def test_intervals_of_numbers_near_classes_are_those_of_the_classes(name: str) -> None:
    rng = np.random.default_rng(3)
    gold = np.repeat(K5, 8)
    systems = {s: np.clip(gold + rng.integers(-1, 2, 40), 1, 5) for s in "ab"}
    how: dict[str, Any] = {"labels": K5, "bins": "round", "draws": 8000}
    raw = oe.compare(gold + 1e-9, systems, name, **how)
    classes = oe.compare(gold, systems, name, **how)
    assert raw.scores.raw
    assert not classes.scores.raw
    a, b = raw.standing("a"), classes.standing("a")
    assert [a.low, a.high] == pytest.approx([b.low, b.high], abs=0.1 * (b.high - b.low))
    alone = oe.evaluate(gold + 1e-9, systems["a"], name, labels=K5, bins="round", draws=8000)
    assert alone[name].low == raw.standing("a").low


def test_every_class_has_a_number_that_added_items_take() -> None:
    def middles(bins: Any, labels: Any) -> list[float]:
        return Bins.of(bins, Scale.of(labels)).middles.tolist()

    assert middles("round", [1, 2, 4]) == [1, 2, 4]
    assert middles([10, 20, 40], ["a", "b", "c", "d"]) == [5, 15, 30, 50]
    assert middles([0, 10, 20], ["a", "b"]) == [5, 15]


def test_many_numbers_have_the_error_of_a_mean() -> None:
    gold, systems = ratings(20_000)
    distances = np.abs(systems["a"] - gold)
    found = oe.evaluate(gold, systems["a"], "mae", labels=K5, bins="round")["mae"]
    assert found.se == pytest.approx(distances.std() / np.sqrt(20_000), rel=0.1)


def test_numbers_without_blunders_allow_for_blunders() -> None:
    """Of 20 items 3 % blunders are missed by half of all samples, and raise MAE by 0.09."""
    gold, rng = np.repeat(np.arange(1.0, 6.0), 4), np.random.default_rng(1)
    system = np.clip(gold + rng.normal(0, 0.15, 20), 0.5, 5.5)
    names = "mae, rmse, pearson"
    result = oe.evaluate(gold, system, names, labels=K5, bins="round")
    assert result["mae"].high > result["mae"].value + 0.09
    assert result["rmse"].high > 0.5
    assert result["pearson"].low < 0.9
    other = np.clip(gold + rng.normal(0, 0.15, 20), 0.5, 5.5)
    compared = oe.compare(gold, {"a": system, "b": other}, names, labels=K5, bins="round")
    assert "far off" in compared["pearson"]["b"].doubt
    assert compared.pair("a", "b", "pearson").doubt == compared["pearson"]["b"].doubt
    assert compared.pair("a", "b", "mae").doubt == ""


def test_the_exchange_of_few_items_is_exact() -> None:
    gold, systems = ratings(8)
    a, b = systems["a"], systems["c"]
    result = oe.compare(gold, {"a": a, "b": b}, labels=K5, bins="round", measures="mae")
    observed, reached = abs(np.abs(a - gold).mean() - np.abs(b - gold).mean()), 0
    for pattern in range(2**8):
        swap = (pattern >> np.arange(8)) & 1 == 1
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        difference = np.abs(first - gold).mean() - np.abs(second - gold).mean()
        reached += abs(difference) >= observed * (1 - 1e-9)
    assert result.pair("a", "b").p == pytest.approx(reached / 2**8)


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"frequency": True},
        {"weight": True},
        {"topic": True},
        {"topic": True, "aggregate": "pool"},
        {"topic": True, "over": "items"},
        {"topic": True, "over": "both"},
        {"cluster": True},
        {"topic": True, "cluster": True},
        {"method": "percentile"},
        {"against": "a", "margin": 0.1},
    ],
    ids=str,
)
def test_classes_and_numbers_are_in_one_result(how: dict[str, Any], tmp_path: Path) -> None:
    gold, systems = ratings(80)
    rng = np.random.default_rng(8)
    columns = {
        "frequency": rng.integers(1, 3, 80),
        "weight": rng.uniform(0.5, 2, 80),
        "topic": rng.integers(0, 6, 80),
        "cluster": rng.integers(0, 12, 80),
    }

    def compared(rows: Any) -> oe.Result:
        given = {n: columns[n][rows] if value is True else value for n, value in how.items()}
        options: dict[str, Any] = {"trials": 200, "draws": 200, **given}
        some = {s: x[rows] for s, x in systems.items()}
        measures = "pearson, qwk, mae"
        return oe.compare(gold[rows], some, measures, labels=K5, bins="round", **options)

    result = compared(np.arange(80))
    assert [str(m) for m in result.measures] == ["pearson", "qwk", "mae"]
    for m in result.measures:
        for row in (*result.standings(m), result.pair("a", "c", m)):
            assert row.low < row.value < row.high
        assert 0 < result.pair("a", "c", m).p <= 1
        assert ("|raw|" in result.signature(m)) == (m.raw is not None)
    result.to_json(tmp_path / "result.json")
    assert oe.load(tmp_path / "result.json") == result
    again = compared(rng.permutation(80))
    if "weight" not in how:  # sums of weights in tables depend on their order
        assert again == result
    assert again.pair("a", "b").p == result.pair("a", "b").p


def test_raw_bounds_include_the_outer_halves() -> None:
    result = oe.evaluate([0.5, 5.5], [5.5, 0.5], labels=K5, bins="round", measures="mae, mse")
    assert [row.value for row in result.tidy()] == [5.0, 25.0]
    assert [result.scores.bounds(m) for m in result.measures] == [(0.0, 5.0), (0.0, 25.0)]


# Doors.


def test_beyond_what_is_held_there_are_scores_without_intervals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ordeval.evaluation.sample.MOST_NUMBERS", 10)
    gold, systems = ratings(70)
    frame = pl.DataFrame({"gold": gold, **systems}).lazy()
    result = oe.compare(data=frame, labels=K5, bins="round", measures="mae, qwk")
    row = result.standing("a", "mae")
    assert row.value == pytest.approx(np.abs(gold - systems["a"]).mean())
    assert np.isnan(row.low)
    assert np.isnan(result.pair("a", "b", "mae").p)
    assert sum("too many to hold" in notice for notice in map(str, result.notes)) == 2
    assert not np.isnan(result.standing("a", "qwk").low)


def test_counts_of_batches_add_up() -> None:
    gold, systems = ratings(40, systems="a")
    gold[:10], systems["a"][:10] = (
        np.rint(gold[:10]).clip(1, 5),
        np.rint(systems["a"][:10]).clip(1, 5),
    )
    parts = [slice(0, 10), slice(10, 40)]
    batches = [
        oe.Counts.from_labels(gold[p], systems["a"][p], labels=K5, bins="round") for p in parts
    ]
    assert batches[0].moments is None
    for name in RAW:
        whole = oe.score(gold, systems["a"], name, labels=K5, bins="round")
        assert float(oe.measure(name).of(sum(batches))) == pytest.approx(whole, rel=1e-12)


# What results say.


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_labels_may_have_decimal_commas(delimiter: str, tmp_path: Path) -> None:
    rows = [("id", "gold", "a"), ("x", "3,5", "3,25"), ("y", "1", "2,0"), ("z", "4,9", "NA")]
    data, gold, run = (tmp_path / name for name in ("data.csv", "gold.csv", "run.csv"))
    data.write_text("\n".join(delimiter.join(row) for row in rows))
    gold.write_text("\n".join(delimiter.join(row[:2]) for row in rows))
    run.write_text("\n".join(delimiter.join((row[0], row[2])) for row in rows))
    reading: dict[str, Any] = {"labels": K5, "bins": "round", "missing": "skip"}
    with pytest.raises(oe.InputError, match="pass decimal=','"):
        oe.read(data, **reading)
    for files in ([data], [gold, run]):
        items = oe.read(*files, **reading, decimal=",")
        result = oe.compare(items, measures="mae", draws=0)
        assert [row.value for row in result.tidy()] == [pytest.approx((0.25 + 1) / 2)]


def test_plots_bin_numbers() -> None:
    pytest.importorskip("matplotlib")
    gold, pred = [1.2, 2.0, 99.0, 3.6, 1.0], [1.0, 2.4, 2.0, 3.0, 3.4]
    reading: dict[str, Any] = {"labels": K5, "bins": "round", "na": 99, "missing": "skip"}
    counts = oe.Counts.from_labels(gold, pred, **reading)
    drawn, expected = oe.plot.confusion(gold, pred, **reading), oe.plot.confusion(counts)
    assert [t.get_text() for t in drawn.texts] == [t.get_text() for t in expected.texts]


@pytest.mark.parametrize(("bins", "word"), [("round", "rounded"), ([1.5, 2.5], "binned")])
def test_names_of_correlations_say_what_is_correlated(bins: Any, word: str) -> None:
    gold, pred = [1.2, 2.4, 2.6, 3.0, 1.0], [1.0, 2.2, 2.9, 2.7, 1.4]
    found = oe.evaluate(gold, pred, "spearman, pearson, qwk", labels=[1, 2, 3], bins=bins)
    names = list(map(found.scores.label, found.measures))
    assert names == [f"Spearman's ρ ({word})", "Pearson's r (raw)", "quadratic kappa"]
    assert f"Spearman's ρ ({word})" in str(found)
