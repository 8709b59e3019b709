"""Slices: parts of the data by columns, in `evaluate` and `compare`."""

import json
import shlex
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe
from ordeval.data.containers import read_column
from ordeval.data.slices import part_of
from ordeval.stats.slices import Drawing, Spread

LABELS = [1, 2, 3, 4]
SIZES = {"a": 6, "b": 40, "c": 120, "d": 234}


def drawn(seed=0, bad="d", wrong=0.6):
    """Return a frame of items of which those of one slice have more errors."""
    rng = np.random.default_rng(seed)
    by = np.repeat(list(SIZES), list(SIZES.values()))
    gold = rng.integers(1, 5, len(by))
    off = rng.random(len(by)) < np.where(by == bad, wrong, 0.2)
    pred = np.where(off, np.where(gold == 4, 3, gold + 1), gold)
    day = [f"2024-{i % 12 + 1:02d}-{i % 28 + 1:02d}" for i in range(len(by))]
    return pd.DataFrame({
        "gold": gold, "pred": pred, "by": by, "day": day, "age": rng.integers(18, 80, len(by)),
        "patient": rng.integers(0, 60, len(by)), "w": rng.integers(1, 4, len(by)) / 2,
        "n": rng.integers(1, 3, len(by)),
    })  # fmt: skip


DATA = drawn()


def evaluated(frame=DATA, by="by", measures="qwk, mae, macro_f1", **options):
    return oe.evaluate("gold", "pred", measures, data=frame, labels=LABELS, by=by, **options)


def by_name(slices, measure=None):
    return {row.name: row for row in slices.rows(measure)}


@pytest.mark.parametrize(
    "options",
    [{}, {"weight": "w"}, {"frequency": "n"}, {"cluster": "patient"}, {"method": "percentile"}],
    ids=str,
)
def test_a_slice_has_the_score_and_interval_that_it_has_alone(options):
    result = evaluated(**options)
    for name in SIZES:
        alone = evaluated(DATA[DATA["by"] == name], by=None, **options)
        rest = evaluated(DATA[DATA["by"] != name], by=None, draws=0, **options)
        for measure in result.measures:
            row = by_name(result.slices, measure)[name]
            assert row.parts == alone[measure][0].parts
            assert row.difference.value == pytest.approx(row.value - rest[measure].value, abs=1e-12)


def forecasts(k=4, seed=1):
    """Return gold classes, probabilities, numbers and slices, of which the last one is bad."""
    rng = np.random.default_rng(seed)
    by = np.repeat(["x", "y", "bad"], [40, 150, 90])
    gold = rng.integers(1, k + 1, len(by))
    numbers = (gold + rng.normal(0, np.where(by == "bad", 1.5, 0.5))).clip(0.6, k + 0.4)
    proba = np.exp(-((np.arange(1, k + 1) - numbers[:, None]) ** 2))
    return gold, proba / proba.sum(axis=1, keepdims=True), numbers, by


def slow(added, inside):
    """Return the difference of a mean from the rest, and its standard error by definition.

    Two items like all items are added to every slice.
    """
    variances = []
    for name in np.unique(inside):
        x = added[inside == name]
        n, far = len(x), x.mean() - added.mean()
        extra = 2 * (added.var() + far**2) / (n + 2) - (2 * far / (n + 2)) ** 2
        variances.append(x.var() * n / (n + 2) * n / (n - 1) / n + extra / n)
    return added[inside].mean() - added[~inside].mean(), np.sqrt(sum(variances))


@pytest.mark.parametrize("k", [2, 4])
def test_slices_of_probabilities_and_numbers_are_tested_as_by_definition(k):
    gold, proba, numbers, by = forecasts(k)
    by = np.where(by == "bad", "bad", "x")
    options = {"labels": range(1, k + 1), "by": by}
    result = oe.evaluate(gold, proba=proba, measures="rps, accuracy", **options)
    up_to = gold[:, None] <= np.arange(1, k)
    added = ((np.cumsum(proba, axis=1)[:, :-1] - up_to) ** 2).mean(axis=1)
    raw = oe.evaluate(gold, numbers, "mae", bins="round", **options)
    for found, measure, each in ((result, "rps", added), (raw, "mae", np.abs(gold - numbers))):
        row = by_name(found.slices, measure)["bad"]
        assert row.value == pytest.approx(each[by == "bad"].mean())
        assert row.difference.parts[::3] == pytest.approx(slow(each, by == "bad"), rel=1e-6)
        assert row.p < 0.002
        assert found.slices.gaps(measure)[0].worst == "bad"
        assert found.slices.gaps(measure)[0].alike < 0.002


@pytest.mark.parametrize("options", [{}, {"cluster": 1, "weight": 2}, {"frequency": 1}], ids=str)
def test_probabilities_and_numbers_in_any_order_have_the_same_slices(options):
    gold, proba, numbers, by = forecasts()
    order, roles = np.random.default_rng(0).permutation(len(by)), {}
    for name, seed in options.items():
        roles[name] = np.random.default_rng(seed).integers(1, 30, len(by))
    turned = {name: x[order] for name, x in roles.items()}
    for call in (
        lambda at, how: oe.evaluate(gold[at], proba=proba[at], labels=LABELS, by=by[at], **how),
        lambda at, how: oe.evaluate(
            gold[at], numbers[at], "mae, rmse", labels=LABELS, bins="round", by=by[at], **how
        ),
    ):
        first, second = call(slice(None), roles), call(order, turned)
        assert np.array_equal(first.slices.figures, second.slices.figures, equal_nan=True)
        assert np.array_equal(first.slices.overall, second.slices.overall, equal_nan=True)
        assert by_name(first.slices)["bad"].p < 0.05


def test_the_unit_of_weights_changes_no_slice_over_clusters():
    rng = np.random.default_rng(1)
    gold, weight = rng.integers(1, 5, 400), rng.random(400) + 0.5
    pred = np.clip(gold + rng.integers(-1, 2, 400), 1, 4)
    by, cluster = rng.choice(list("vwx"), 400), rng.integers(0, 40, 400)
    one, other = (
        oe.evaluate(gold, pred, "qwk", by=by, cluster=cluster, weight=weight * unit, draws=50)
        for unit in (1, 1000)
    )
    assert np.allclose(one.slices.figures, other.slices.figures, equal_nan=True)


def test_biased_and_infinite_scores_of_slices_have_no_tests():
    gold, proba, _, by = forecasts()
    proba[0] = np.eye(4)[gold[0] - 2]
    options = {"labels": LABELS, "measures": "rps, calibration_error, log_score", "by": by}
    result = oe.evaluate(gold, proba=proba, **options)
    text = "Slices under calibration error, log score are not compared with the rest."
    assert text in [note.text for note in result.notes]


@pytest.mark.parametrize("of", ["labels", "probabilities"])
def test_slices_of_equal_scores_are_not_tested_on_rounding_errors(of):
    gold, _, _, by = forecasts()
    one_hot = np.eye(4)[gold - 1]
    given = {"y_pred": gold} if of == "labels" else {"proba": one_hot}
    result = oe.evaluate(gold, measures="all", labels=LABELS, by=by, **given)
    for measure in result.measures:
        values = [row.value for row in result.slices.rows(measure)]
        if np.ptp(values) < 1e-9:
            assert all(np.isnan(row.p) for row in result.slices.rows(measure)), measure.key
            assert np.isnan(result.slices.gaps(measure)[0].alike)


def test_pearson_of_raw_numbers_has_no_tests_of_slices():
    rng = np.random.default_rng(0)
    gold, by = rng.integers(1, 5, 200), rng.choice(["x", "y"], 200)
    near = np.clip(gold + rng.normal(0, 0.3, 200), 0.6, 4.4)
    result = oe.evaluate(gold, near, "mae, pearson", labels=LABELS, bins="round", by=by)
    assert [np.isnan(result.slices.rows(m)[0].p) for m in ("mae", "pearson")] == [False, True]
    assert any("Pearson" in note.text and "not compared" in note.text for note in result.notes)


def test_the_worst_slice_is_found_and_equal_ones_are_not_told_apart():
    result = evaluated()
    rows, [gap] = by_name(result.slices, "qwk"), result.slices.gaps("qwk")
    assert gap.worst == "d"
    assert gap.alike < 0.01
    assert rows["d"].p < 0.01
    assert 0 < gap.low <= gap.value <= gap.high
    assert gap.worst_score.low <= rows["d"].value <= gap.worst_score.high
    assert rows["d"].may_be_worst
    equal = evaluated(drawn(3, bad=""))
    [gap] = equal.slices.gaps("mae")
    assert gap.low == 0
    assert gap.alike > 0.05
    for measure in result.measures:
        for row in (*result.slices.rows(measure), *equal.slices.rows(measure)):
            contains = row.difference.low <= 0 <= row.difference.high
            assert contains == (row.p >= 0.05)
            assert row.p > 0


@pytest.mark.parametrize(("errors", "told"), [(24, True), (34, False)])
def test_slices_that_do_not_differ_say_what_it_would_take(errors, told):
    gold = [1, 2] * 200
    wrong = np.arange(400) % 200 < np.repeat([36, errors], 200)
    pred = np.where(wrong, 3 - np.array(gold), gold)
    by = ["x"] * 200 + ["y"] * 200
    result = oe.evaluate(gold, pred, "accuracy", labels=[1, 2], by=by)
    assert "y_pred are not found to differ (p = " in result.summary()
    assert ("more items would decide it); best" in result.summary()) == told


def test_measures_that_say_the_opposite_of_slices_are_named():
    rng = np.random.default_rng(0)
    by = np.repeat(["a", "b"], 600)
    gold = np.concatenate([rng.choice([2, 3], 600, p=[0.95, 0.05]), rng.integers(1, 6, 600)])
    wrong = rng.random(1200) < np.where(by == "a", 0.1, 0.3)
    pred = np.where(wrong, np.where(gold == 5, 4, gold + 1), gold)
    result = oe.evaluate(gold, pred, "lwk, mae", labels=range(1, 6), by=by)
    told = (
        "b is significantly better than the rest. Under MAE, it is the other way round for a and b."
    )
    assert told in result.summary()


@pytest.mark.parametrize(
    ("centres", "measures", "warned"),
    [((2, 3, 4), "qwk, mae", True), ((2, 3, 4), "mae", False), ((3, 3, 3), "qwk, mae", False)],
)
def test_other_shares_of_classes_are_named_where_kappa_finds_slices(centres, measures, warned):
    rng = np.random.default_rng(0)
    gold = np.clip(rng.normal(np.repeat(centres, 400), 0.8).round(), 1, 5)
    pred = np.clip(gold + rng.choice([-1, 0, 1], 1200, p=[0.2, 0.6, 0.2]), 1, 5)
    by = {"length": np.repeat(["short", "mid", "long"], 400), "half": np.tile(["a", "b"], 600)}
    notes = oe.evaluate(gold, pred, measures, labels=range(1, 6), by=by).notes
    said = (
        "Slices of length have other shares of classes, on which quadratic kappa depends: "
        "compare with MAE."
    )
    assert [n.text for n in notes if n.level == "warning"] == [said] * warned


def test_what_was_found_in_any_column_comes_first():
    frame = DATA.assign(half=np.arange(len(DATA)) % 2, other=DATA["by"] == "d")
    brief = str(evaluated(frame, by=["half", "by", "other"])).split("400 items,", maxsplit=1)[0]
    brief = " ".join(brief.split())
    assert (
        "There are significant findings by by and other. By by, the slices of pred differ" in brief
    )
    assert "half" not in brief


def test_p_of_two_slices_is_that_of_a_simulation():
    gold, pred = [1, 2] * 60, [1, 2] * 45 + [2, 1] * 15
    by = ["x"] * 60 + ["y"] * 60  # 60 right of 60, and 30 of 60
    row = oe.evaluate(gold, pred, "accuracy", labels=[1, 2], by=by).slices.rows()[0]
    assert row.difference.value == 0.5
    assert row.p == pytest.approx(1 / 2000)
    mild = [*([1, 2] * 25), *([2, 1] * 5), *([1, 2] * 20), *([2, 1] * 10)]  # 50 and 40 of 60
    row = oe.evaluate(gold, mild, "accuracy", labels=[1, 2], by=by).slices.rows()[0]
    rng = np.random.default_rng(0)
    x, y = rng.binomial(60, 0.75, (2, 20_000)) / 60
    z = np.abs(x - y) / np.sqrt((x * (1 - x) + y * (1 - y)) / 60)
    observed = (50 - 40) / 60 / np.sqrt((5 / 36 + 2 / 9) / 60)
    assert row.p == pytest.approx(np.mean(z >= observed - 1e-9), abs=0.03)


def test_standard_errors_are_those_of_shares_with_two_more_items():
    row = by_name(evaluated(measures="accuracy").slices)["c"]
    right = (DATA["gold"] == DATA["pred"]).to_numpy()
    errors = []
    for inside in (DATA["by"] == "c", DATA["by"] != "c"):
        n = int(inside.sum())
        share = (right[inside].sum() + 2 * right.mean()) / (n + 2)
        errors.append(share * (1 - share) / n)
    assert row.difference.se == pytest.approx(np.sqrt(sum(errors)))


def test_many_slices_share_draws_that_agree_with_direct_ones():
    share, psi = np.array([0.7, 0.3]), np.array([[0.3, -0.7]])

    def score(tables):
        return (tables[..., 0] / tables.sum(axis=-1))[None]

    def influences(tables):
        yield np.stack([1 - score(tables)[0], -score(tables)[0]], axis=-1)

    drawing = Drawing(share, psi, influences, score, 0.95, 0)
    sizes = np.array([5.0, 30, 200, 5000])
    direct = drawing.direct(sizes[:, None] * share, [np.arange(2)], 1999)(0)
    shared = drawing.shared(sizes, 1999)(0)
    assert isinstance(direct, Spread)
    for one, other in ((direct.deviation, shared.deviation), (direct.z, shared.z)):
        assert one.std(axis=1) == pytest.approx(other.std(axis=1), rel=0.15)
    assert direct.se.mean(axis=1) == pytest.approx(shared.se.mean(axis=1), rel=0.05)
    assert direct.deviation.std(axis=1) == pytest.approx(np.sqrt(0.21 / sizes), rel=0.1)
    assert direct.reach[2:] == pytest.approx(shared.reach[2:], rel=0.15)


def test_many_slices_have_t_intervals():
    by = [f"s{i % 300}" for i in range(6000)]
    frame = pd.concat([DATA] * 15, ignore_index=True).assign(by=by)
    result = evaluated(frame, measures=None)
    assert any("are t" in str(note) for note in result.notes)
    low, value, high = (result.slices.figures[..., i] for i in (1, 0, 2))
    assert np.all((low <= value) & (value <= high) | np.isnan(low))
    assert len(result.table("slices").rows) == 20
    assert len(result.table("slices").data()[1]) == 9 * 300


@pytest.mark.parametrize("slices", [3, 300])
def test_macro_scores_of_slices_with_rare_classes_are_doubtful(slices):
    n = 40 * slices
    gold = np.where(np.arange(n) % 40 < 2, 3, 1 + np.arange(n) % 2)
    pred = np.where(np.arange(n) % 7 == 0, 2, gold)
    by = [f"s{i // 40}" for i in range(n)]
    result = oe.evaluate(gold, pred, "accuracy, macro_mae", labels=[1, 2, 3], by=by, draws=50)
    assert not any(row.doubt for row in result.slices.rows("accuracy"))
    assert {row.doubt for row in result.slices.rows("macro_mae")} == {
        "a class has fewer than 10 items"
    }
    [gap] = result.slices.gaps("macro_mae")
    if slices == 3:
        assert gap.worst_score.doubt == "a class has fewer than 10 items"
    else:  # their draws are shared, which macro averages of rare classes do not allow
        assert np.isnan(gap.alike)
        assert any("not compared with the rest" in str(note) for note in result.notes)


def test_a_slice_of_one_cluster_is_not_tested_and_one_that_is_always_wrong_is_the_worst():
    cluster = np.repeat(np.arange(21), 10)
    gold = np.tile([1, 2], 105)
    pred = np.where(np.arange(210) % 10 < 2 + cluster % 3, 3 - gold, gold)
    by = np.where(cluster < 10, "good", np.where(cluster < 20, "bad", "one"))
    pred = np.where(by == "bad", 3 - gold, pred)
    result = oe.evaluate(gold, pred, "accuracy", labels=[1, 2], by=by, cluster=cluster)
    rows, [gap] = by_name(result.slices), result.slices.gaps()
    assert np.isnan(rows["one"].p)
    assert rows["bad"].p < 0.05
    assert gap.worst == "bad"
    assert gap.low > 0.3


def test_a_drift_is_found_and_none_where_there_is_none():
    rng = np.random.default_rng(0)
    month = np.repeat(np.arange(12), 100)
    gold = rng.integers(1, 5, 1200)
    off = rng.random(1200) < 0.1 + 0.02 * month
    pred = np.where(off, np.where(gold == 4, 3, gold + 1), gold)
    names = [f"2024-{m + 1:02d}" for m in month]
    result = oe.evaluate(gold, pred, "accuracy", labels=LABELS, by=names)
    [gap] = result.slices.gaps()
    scores = [row.value for row in result.slices.rows()]
    assert gap.slope.value == pytest.approx(np.polyfit(np.arange(12), scores, 1)[0])
    assert gap.slope.low < -0.02 < gap.slope.high < 0
    assert gap.slope_p < 0.01
    assert "drifts by −0.0" in result.summary()
    mixed = oe.evaluate(gold, pred, "accuracy", labels=LABELS, by=rng.permutation(names))
    assert "No drift was found" in mixed.summary()
    assert "items" in mixed.summary().partition("No drift was found")[2].partition(").")[0]


def test_clusters_in_several_slices_are_paired():
    """Errors of clusters that all slices share cancel in differences."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(40), 10)
    gold, by = rng.integers(1, 5, 400), np.tile(["x", "y"], 200)
    hard = rng.random(40)[cluster] < 0.5
    pred = np.where(hard, np.where(gold == 4, 3, gold + 1), gold)
    options = {"labels": LABELS, "measures": "accuracy", "by": by}
    alone = [f"{c}{b}" for c, b in zip(cluster, by, strict=True)]
    paired, apart, items = (
        oe.evaluate(gold, pred, **how, **options).slices.rows()[0].difference.se
        for how in ({"cluster": cluster}, {"cluster": alone}, {})
    )
    assert paired < 0.05 * apart
    assert apart > 2 * items


@pytest.mark.parametrize("options", [{}, {"weight": "w", "cluster": "patient"}], ids=str)
def test_every_door_and_every_order_of_rows_give_the_same_bits(options, tmp_path):
    import duckdb

    names = ["by", "day", "age"]
    expected = evaluated(by=names, **options).slices
    path, parquet = tmp_path / "data.csv", tmp_path / "data.parquet"
    DATA.to_csv(path, index=False)
    DATA.to_parquet(parquet)
    frame = pl.from_pandas(DATA)
    doors = [
        DATA.sample(frac=1, random_state=0), frame, frame.lazy(), frame.to_arrow(),
        duckdb.sql("SELECT * FROM frame"), str(path), str(parquet),
    ]  # fmt: skip
    for door in doors:
        found = evaluated(door, by=names, **options).slices
        assert found.names == expected.names
        assert np.array_equal(found.figures, expected.figures, equal_nan=True)
        assert np.array_equal(found.overall, expected.overall, equal_nan=True)
    columns = {name: DATA[name].to_list() for name in DATA}
    roles = {role: columns[name] for role, name in options.items()}
    memory = oe.evaluate(
        columns["gold"], columns["pred"], "qwk, mae, macro_f1", labels=LABELS,
        by={name: columns[name] for name in names}, **roles,
    )  # fmt: skip
    assert np.array_equal(memory.slices.figures, expected.figures, equal_nan=True)


@pytest.mark.parametrize(
    ("values", "names", "unit"),
    [
        (["b", "a", None, ""], ("a", "b", "(missing)"), ""),
        ([10, 9, 2.5], ("2.5", "9", "10"), "unit"),
        (["10", "9", "2.5"], ("2.5", "9", "10"), "unit"),
        (range(100), ("up to 19", "20 to 39", "40 to 59", "60 to 79", "from 80"), "unit"),
        ([1.0] * 90 + [*range(2, 32)], ("up to 1", "2 to 7", "from 8"), "unit"),
        (["2024-11", "2024-02"], ("2024-02", "2024-11"), "month"),
        (["2024-11-03", "2024-02-01"], ("2024-02-01", "2024-11-03"), "day"),
        (pd.date_range("2024-01-30", periods=40), ("2024-01", "2024-02", "2024-03"), "month"),
        (["2024Q2", "2023Q4"], ("2023Q4", "2024Q2"), "step"),
        (pd.Categorical(["lo", "hi"], ["lo", "mid", "hi"], ordered=True), ("lo", "hi"), "step"),
        (pl.Series(["lo", "hi"], dtype=pl.Enum(["lo", "hi"])), ("lo", "hi"), "step"),
        ([True, False], ("False", "True"), ""),
    ],
    ids=str,
)
def test_columns_become_slices_in_their_order(values, names, unit):
    part = part_of(read_column(values, "x"), None)
    assert (part.names, part.unit) == (names, unit)
    assert (part.places is None) == (unit == "")
    if part.places is not None:
        assert np.all(np.diff(part.places) > 0)


def test_codes_are_slices_as_they_are():
    for codes in ([f"0{i:02}" for i in range(30)], [str(100 + i) for i in range(30)]):
        result = oe.evaluate([1, 2, 3] * 10, [1, 2, 2] * 10, labels=LABELS, by=codes, draws=0)
        assert result.slices.names == tuple(codes)
    assert part_of(read_column([*"ab", "(missing)", None], "x"), None).names[-1] == "(no value)"


def test_bins_of_close_numbers_have_names_of_their_own():
    part = part_of(read_column(1.7e9 + np.arange(50), "x"), None)
    assert len(part.names) == 5
    assert part.names[0] == "up to 1700000009"


@pytest.mark.parametrize(
    ("k", "wrong"), [(2, 0.0), (2, 1.0), (5, 0.0), (101, 0.3)], ids=["K2", "worst", "right", "K101"]
)
def test_extreme_systems_and_scales_have_slices(k, wrong):
    rng = np.random.default_rng(0)
    gold = rng.integers(0, k, 90)
    pred = np.where(rng.random(90) < wrong, (gold + 1) % k, gold)
    by = np.repeat(["x", "y", "z", "one"], [50, 30, 9, 1])
    result = oe.evaluate(gold, pred, labels=range(k), by=by)
    assert "1 slice has fewer than 5 items" in " ".join(map(str, result.notes))
    assert np.isnan(by_name(result.slices)["one"].p)
    for row in result.slices.rows("accuracy"):
        assert row.value == pytest.approx(np.mean((gold == pred)[by == row.name]))
    text = str(result)
    assert "Slices under" in text
    assert "nan" not in text.replace("nan:", "")


def test_one_slice_and_no_draws_give_scores_alone():
    assert np.isnan(evaluated(by=None, measures="mae", draws=0)["mae"].low)
    [row] = oe.evaluate([1, 2, 3], [1, 2, 2], "mae", labels=LABELS, by=["x"] * 3).slices.rows()
    assert row.value == pytest.approx(1 / 3)
    assert np.isnan(row.difference.value)
    quick = evaluated(draws=0).slices
    assert np.isnan(quick.figures[..., 8]).all()
    assert "Slices under" in str(evaluated(draws=0))


def compared(**options):
    frame = DATA.assign(other=DATA["gold"].shift(1, fill_value=1))
    return oe.compare("gold", ["pred", "other"], "qwk, mae", data=frame, labels=LABELS, **options)


def test_rows_that_were_taken_have_the_slices_that_are_left():
    data = oe.Data.read(DATA["gold"], {"a": DATA["pred"]}, by=DATA["by"], labels=LABELS)
    for gone in SIZES:
        some = data.take((DATA["by"] != gone).to_numpy())
        found = oe.evaluate(some, measures="mae").slices
        again = DATA[DATA["by"] != gone]
        alone = oe.evaluate(
            again["gold"], {"a": again["pred"]}, "mae", by=again["by"], labels=LABELS
        )
        assert found.rows() == alone.slices.rows()


def test_one_system_alone_has_slices_and_no_pairs():
    result = oe.compare("gold", ["pred"], "mae", data=DATA, labels=LABELS, by="by")
    assert len(result.slices.rows()) == len(SIZES)
    assert result.slices.pairs() == ()


@pytest.mark.parametrize("find", ["rows", "gaps", "pairs"])
def test_unknown_measures_and_systems_are_errors(find):
    look_up = getattr(compared(by="by").slices, find)
    for asked, parameter in ((("rmse",), "measure"), (("mae", "svm"), "system")):
        with pytest.raises(oe.InputError, match="; there are ") as caught:
            look_up(*asked)
        assert caught.value.parameter == parameter


def test_systems_in_any_order_have_the_same_slices(tmp_path):
    result = compared(by=["by", "day"])
    turned = result.reordered(("other", "pred"))
    for measure in result.measures:
        for system in result.systems:
            assert result.slices.rows(measure, system) == turned.slices.rows(measure, system)
            assert result.slices.gaps(measure, system) == turned.slices.gaps(measure, system)
    path = tmp_path / "result.json"
    result.to_json(path)
    assert oe.load(path) == result
    data = json.loads(path.read_text())
    data["slices"]["figures"] = data["slices"]["figures"][:1]
    path.write_text(json.dumps(data))
    with pytest.raises(oe.InputError, match="figures"):
        oe.load(path)


def regressing(slices=4, **options):
    """Two systems, of which the new one is better but on the last slice."""
    rng = np.random.default_rng(0)
    by = np.repeat([f"s{i}" for i in range(slices)], 150)
    gold = rng.integers(1, 5, len(by))

    def system(wrong):
        return np.where(rng.random(len(by)) < wrong, np.where(gold == 4, 3, gold + 1), gold)

    systems = {"old": system(0.3), "new": system(np.where(by == by[-1], 0.6, 0.1))}
    return oe.compare(gold, systems, labels=LABELS, by={"language": by}, **options)


@pytest.mark.parametrize("measure", ["accuracy", "mae", "qwk", "macro_f1"])
def test_a_regression_on_one_slice_is_found(measure):
    result = regressing(measures=measure, against="old")
    rows = {row.name: row for row in result.slices.pairs()}
    sign = result.primary.sign
    assert sign * rows["s3"].high < 0 if sign > 0 else rows["s3"].low > 0
    assert all(row.p < 0.05 and sign * row.value > 0 for row in list(rows.values())[:3])
    by_slice = {(row.system, row.name): row.value for row in result.slices.rows()}
    for name, row in rows.items():
        assert row.value == by_slice["new", name] - by_slice["old", name]
        assert (row.low <= 0 <= row.high) == (row.p >= 0.05)
    assert "new is significantly worse than old on s3." in result.summary()
    assert len(result.table("slice_pairs").to_frame()) == 4


def test_pairs_of_alike_systems_differ_on_no_slice():
    gold, by = DATA["gold"].to_numpy(), DATA["by"].to_numpy()
    other = np.where(gold == 1, 2, gold - 1)
    half = np.arange(len(gold)) % 2 == 0
    systems = {"a": np.where(half, gold, other), "b": np.where(half, other, gold)}
    result = oe.compare(gold, {**systems, "c": systems["a"]}, "accuracy", labels=LABELS, by=by)
    rows = result.slices.pairs()
    assert len(rows) == 3 * len(set(by))
    equal = [row for row in rows if {row.first, row.second} == {"a", "c"}]
    assert all(row.p > 0.05 and row.low < 0 < row.high for row in rows if row not in equal)
    assert all(row.p == 1 and row.value == 0 for row in equal)
    assert "On no slice by slice do systems differ significantly." in result.summary()


def test_p_of_a_small_slice_is_that_of_its_signs():
    """Of 2⁸ patterns of the signs of eight items, two are as extreme as the data."""
    gold = [1, 2] * 20
    wrong = [2, 1] * 4 + gold[8:]
    by = ["x"] * 8 + ["y"] * 32
    systems = {"right": gold, "wrong": wrong}
    rows = oe.compare(gold, systems, "accuracy", labels=[1, 2], by=by).slices.pairs()
    assert rows[0].value == 1
    assert rows[0].p == pytest.approx(2 / 2**8, abs=0.006)
    assert rows[1].p == 1


def test_clusters_keep_their_signs_in_all_slices():
    rng = np.random.default_rng(0)
    cluster, by = np.repeat(np.arange(8), 20), np.tile(["x", "y"], 80)
    gold = rng.integers(1, 5, 160)
    off = np.where(gold == 4, 3, gold + 1)
    systems = {"a": gold, "b": np.where(cluster < 4, off, gold)}
    result = oe.compare(gold, systems, "accuracy", labels=LABELS, by=by, cluster=cluster)
    for row in result.slices.pairs():  # independent signs would make it 1 - (7/8)²
        assert row.p == pytest.approx(1 / 8, abs=0.03)


def test_pairs_are_the_same_by_every_door_and_in_any_order_of_rows_and_systems():
    frame = DATA.assign(other=DATA["gold"].shift(1, fill_value=1))
    for roles in ({}, {"weight": "w"}, {"frequency": "n"}, {"cluster": "patient"}):
        options = {"labels": LABELS, "measures": "qwk, macro_f1", "by": ["by", "day"], **roles}
        expected = oe.compare("gold", ["pred", "other"], data=frame, **options).slices
        turned = frame.sample(frac=1, random_state=0)
        for data in (turned, pl.from_pandas(turned)):
            found = oe.compare("gold", ["other", "pred"], data=data, **options).slices
            assert (found.firsts, found.seconds) == (expected.firsts, expected.seconds)
            assert np.array_equal(found.paired, expected.paired, equal_nan=True)
        assert np.isfinite(expected.paired[..., 4]).any()


def test_probabilities_and_raw_numbers_of_two_systems_are_compared_on_slices():
    gold, proba, numbers, by = forecasts()
    worse = np.roll(proba, 1, axis=0)
    options = {"labels": LABELS, "by": by}
    proba = {"a": proba, "b": worse}
    forecast = oe.compare(gold, proba=proba, measures="rps, log_score", **options)
    systems = {"a": numbers, "b": np.roll(numbers, 1)}
    raw = oe.compare(gold, systems, "mae", bins="round", **options)
    for result, measure in ((forecast, "rps"), (forecast, "log_score"), (raw, "mae")):
        scores = {(row.system, row.name): row.value for row in result.slices.rows(measure)}
        for row in result.slices.pairs(measure):
            assert row.value == scores[row.first, row.name] - scores[row.second, row.name]
            assert row.p < 0.05
            assert row.low < row.high < 0


def test_very_many_pairs_are_not_compared_on_slices():
    rng = np.random.default_rng(0)
    gold = rng.integers(1, 3, 20)
    systems = {f"s{i:03d}": rng.integers(1, 3, 20) for i in range(200)}
    options = {"labels": [1, 2], "measures": "accuracy", "by": ["x", "y"] * 10, "draws": 50}
    result = oe.compare(gold, systems, trials=99, **options)
    assert result.slices.pairs() == ()
    assert any("19,900 pairs" in note.text for note in result.notes)
    assert len(oe.compare(gold, systems, against="s000", **options).slices.pairs()) == 2 * 199


def test_every_format_has_the_figures():
    result = compared(by=["by", "day"])
    for style in ("markdown", "latex"):
        assert "2024" in getattr(result.table("slices"), f"to_{style}")()
    frame = result.table("slices").to_frame()
    assert len(frame) == 2 * 2 * (4 + 12)
    assert frame["score"].tolist() == [
        row.value for m in result.measures for row in result.slices.rows(m)
    ]
    gaps = result.table("gaps").to_frame()
    assert gaps["gap"].tolist() == [
        row.value for m in result.measures for row in result.slices.gaps(m)
    ]
    page = result.to_html()
    assert 'id="slices"' in page
    assert "Systems on slices" in page
    assert "Quadratic kappa of pred by day" in page


def test_names_of_slices_are_data():
    names = np.where(DATA["by"] == "d", "<script>alert(1)</script>", "$x_1$ & \x1b[31m")
    result = evaluated(DATA.assign(by=names))
    assert "<script>alert(1)" not in result.to_html()
    assert "\x1b" not in str(result)
    assert r"\$x\_1\$ \&" in result.table("slices").to_latex()


def test_the_call_repeats_the_result(tmp_path):
    path = tmp_path / "data.csv"
    DATA.drop(columns=["age", "patient", "w", "n"]).to_csv(path, index=False)
    result = evaluated(str(path), by=["by", "day"])
    again = eval(result.call.python(), {"oe": oe})
    assert again == result
    command = shlex.split(result.call.command().replace("\\\n", ""))[1:]
    assert "--by=by,day" in command
    how = ["--format=csv", "--tables=gaps"]
    run = [sys.executable, "-m", "ordeval", *command, *how]
    found = subprocess.run(run, capture_output=True, text=True, check=True)
    assert found.stdout == result.table("gaps").to_csv()


@pytest.mark.parametrize(
    ("options", "parameter", "words"),
    [
        ({"by": ["x"] * 3}, "by", "length"),
        ({"by": range(4), "topic": list("aabb")}, "by", "topic"),
        ({"by": list("aabb"), "judge": [1, 2, 3, 4]}, "by", "judge"),
    ],
)
def test_what_cannot_be_sliced_is_refused(options, parameter, words):
    with pytest.raises(oe.InputError, match=words) as caught:
        oe.evaluate([1, 2, 3, 4], [1, 2, 3, 3], labels=LABELS, **options)
    assert caught.value.parameter == parameter


def test_too_many_or_unknown_columns_are_refused():
    frame = pd.DataFrame({"gold": [1, 2] * 1001, "pred": [1, 2] * 1001})
    frame["name"] = [f"item {i}" for i in range(2002)]
    with pytest.raises(oe.InputError, match="2,002 values") as caught:
        evaluated(frame, by="name")
    assert caught.value.parameter == "by"
    with pytest.raises(oe.InputError, match="Did you mean 'name'"):
        evaluated(frame, by=["nmae"])
    with pytest.raises(oe.InputError, match="by cannot be used with Counts"):
        oe.evaluate(oe.Counts.from_table([[3, 1], [1, 3]]), by=["x"] * 8)
    with pytest.raises(oe.InputError, match="called 'by' here"):
        oe.evaluate([1, 2], [1, 2], slices=["x", "y"])


def test_ratings_have_slices_by_every_door(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"gold": rng.integers(1, 5, 90), "b": rng.integers(1, 5, 90)})
    frame["by"], frame["age"] = np.arange(90) % 3, rng.integers(20, 80, 90)
    frame.to_csv(tmp_path / "wide.csv", index=False)
    parts = [frame.assign(who=who, id=range(90), rating=frame[who]) for who in ("gold", "b")]
    by = {"labels": LABELS, "by": ["by", "age"]}
    wide = oe.compare(["gold", "b"], None, "mean", data=frame, **by)
    others = [
        oe.compare(["gold", "b"], None, "mean", data=str(tmp_path / "wide.csv"), **by),
        oe.compare("rating", None, "mean", data=pd.concat(parts), system="who", id="id", **by),
        oe.compare(
            {"gold": frame["gold"], "b": frame["b"]}, None, "mean", labels=LABELS,
            by={name: frame[name] for name in ("by", "age")},
        ),
    ]  # fmt: skip
    assert wide.slices.columns == ("by", "age")
    for other in others:
        assert {row.name: row.value for row in other.slices.rows("mean", "b")} == pytest.approx(
            {row.name: row.value for row in wide.slices.rows("mean", "b")}
        )
        assert len(list(other.slices.pairs("mean"))) == len(list(wide.slices.pairs("mean"))) == 8


def test_significant_pairs_are_shown_first():
    rng = np.random.default_rng(0)
    gold, topic = rng.integers(1, 5, 3000), np.arange(3000) % 30
    wrong = {name: rng.random(3000) < np.where(topic == 3, share, 0.3) for name, share in _WRONG}
    systems = {name: np.where(bad, 5 - gold, gold) for name, bad in wrong.items()}
    result = oe.compare(gold, systems, "mae", labels=LABELS, by=[f"t{i}" for i in topic])
    assert "t3 " in result.to_text("slice_pairs").split("───\n")[1].splitlines()[0]
    assert "20 of 30 rows" in result.to_text("slice_pairs")


_WRONG = (("a", 0.02), ("b", 0.6))


def test_tables_that_are_parts_of_others_are_not_repeated():
    text = evaluated().to_text("slices")
    assert text.count("Gaps between slices") == 1


def test_ratings_that_were_read_with_slices_have_means_of_slices():
    ratings, by = [1, 2, 3, 4] * 10, ["x", "y"] * 20
    data = oe.Data.read(ratings, ratings, labels=LABELS, by=by)
    result = oe.evaluate(data, None, "mean, shares")
    assert [row.value for row in result.slices.rows("mean")] == [2, 3]
    assert result.slices.gaps("mean")[0].alike < 0.05


def test_answers_about_shares_have_no_better_and_worse():
    rating, by = [1, 2, 3] * 40 + [2, 3, 4] * 40, np.repeat(["x", "y"], 120)
    given = {"labels": LABELS, "by": by, "primary": "share(label=4)"}
    told = oe.evaluate(rating, None, "shares, mean", **given).summary().split("\n\n")[0]
    assert "significantly higher than the rest" in told
    assert "highest and lowest are" in told
    assert not any(word in told for word in ("worse", "worst", "better", "other way round"))


def test_systems_on_slices_are_told_apart_beside_a_perfect_one():
    gold = np.tile([1, 2, 3, 4], 60)
    pred = {"perfect": gold, "poor": np.where(np.arange(240) % 3, gold, 5 - gold)}
    by = np.repeat(["x", "y"], 120)
    told = oe.compare(gold, pred, "qwk", labels=LABELS, by=by).summary()
    assert "By slice, perfect is significantly better than poor on x and y" in told
