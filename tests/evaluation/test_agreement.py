"""Agreement of several raters: intervals, pairs, raters, disputed items, doors and forms."""

import copy
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.data.classes import Reading
from ordeval.data.ratings import read_ratings
from ordeval.evaluation import rater_study
from ordeval.report.present import view_of
from ordeval.stats import panels

LABELS = [1, 2, 3, 4, 5]
QUICK: dict[str, Any] = {"labels": LABELS, "draws": 100}


def simulated(items: int = 40, raters: int = 3, gaps: float = 0.1, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    found = np.clip(
        rng.integers(1, 6, size=(items, 1)) + rng.integers(-1, 2, size=(items, raters)), 1, 5
    ).astype(float)
    missing = rng.random(found.shape) < gaps
    missing[:, 0] = False
    found[missing] = np.nan
    return found


def figures(found: oe.Agreement) -> list[float]:
    estimates = [
        *found.coefficients.values(),
        *(row for row in found.pairs),
        *(row.severity for row in found.raters),
        *(row.consistency for row in found.raters),
    ]
    return [x for e in estimates for x in (e.value, e.low, e.high, e.se)]


def same(one: oe.Agreement, other: oe.Agreement) -> bool:
    return figures(one) == pytest.approx(figures(other), abs=1e-12, nan_ok=True)


def test_results_are_copied_and_pickled_with_all_rows() -> None:
    found = oe.agreement(simulated(), labels=LABELS, draws=0)
    for twin in (pickle.loads(pickle.dumps(found)), copy.copy(found), copy.deepcopy(found)):
        assert (twin, twin.pairs) == (found, found.pairs)
    with pytest.raises(AttributeError):
        found.pairs = ()  # type: ignore[misc]


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 6), st.floats(0, 0.9), st.integers(0, 5), st.booleans(), st.booleans())
def test_sums_over_all_items_are_those_of_the_rows(
    raters: int, gaps: float, seed: int, weighted: bool, tables: bool
) -> None:
    weight = {"weight": np.random.default_rng(seed).random(40) + 0.1} if weighted else {}
    ratings = read_ratings(simulated(40, raters, gaps, seed), Reading(LABELS), **weight)
    panel = panels.SummedPanel.of(ratings, clusters=False, tables=tables, moments=True)
    by_rows = panel.shaped(panel.weighted(panel.amounts[None]))
    for name in ("agreement", "coincidence", "shares", "by_rater", "gaps", "moments"):
        one, other = getattr(panel.total, name), getattr(by_rows, name)
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
        assert ((one == 0) == (other == 0)).all(), name  # what is undefined depends on zeros


@pytest.mark.parametrize("over", ["items", "clusters"])
def test_progress_is_reported(over: str) -> None:
    calls: list[tuple[int, int]] = []
    clusters = {"cluster": [i // 4 for i in range(40)]} if over == "clusters" else {}
    oe.agreement(simulated(40), progress=lambda *call: calls.append(call), **clusters, **QUICK)
    assert calls
    assert calls[-1][0] == calls[-1][1]


@pytest.fixture(scope="module")
def agreed() -> oe.Agreement:
    names = ("ann", "bob", "cy")
    data = simulated()
    return oe.agreement({name: data[:, j] for j, name in enumerate(names)}, **QUICK)


def test_access_by_name(agreed: oe.Agreement) -> None:
    assert agreed["ac2"][0] is agreed["ac2(weights='linear')"][0]
    assert agreed["alpha"][0] is agreed["krippendorff(ordinal)"][0]
    assert agreed["qwk"][0] is agreed["conger(weights='quadratic')"][0]
    assert agreed["kappa"]["bob", "ann"] is agreed.pair("ann", "bob")
    assert "all raters/" not in next(iter(agreed.metrics()))
    assert agreed.pair("bob", "ann") is agreed.pair("ann", "bob", "kappa")
    assert agreed.rater("cy").rater == "cy"
    with pytest.raises(oe.InputError, match="was not computed"):
        agreed["ac2(weights='ordinal')"]
    with pytest.raises(oe.InputError, match="no rater 'dan'"):
        agreed.rater("dan")
    with pytest.raises(oe.InputError, match="no pair"):
        agreed.pair("ann", "dan")


def test_rows_in_any_order_give_the_same_figures() -> None:
    data = simulated()
    order = np.random.default_rng(1).permutation(len(data))
    one = oe.agreement(data, item=[f"i{i}" for i in range(len(data))], **QUICK)
    other = oe.agreement(data[order], item=[f"i{i}" for i in order], **QUICK)
    assert one == other


def test_frequency_is_repetition() -> None:
    data = simulated(15)
    often = np.arange(15) % 3 + 1
    one = oe.agreement(data, frequency=often, **QUICK)
    other = oe.agreement(np.repeat(data, often, axis=0), **QUICK)
    assert same(one, other)
    assert one.items == other.items == int(often.sum())


def test_the_unit_of_weights_does_not_matter() -> None:
    data, weight = simulated(20), np.arange(20) % 4 + 1.0
    one = oe.agreement(data, weight=weight, **QUICK)
    other = oe.agreement(data, weight=10 * weight, **QUICK)
    assert same(one, other)
    assert one.effective == pytest.approx(weight.sum() ** 2 / (weight**2).sum())
    assert same(oe.agreement(data, **QUICK), oe.agreement(data, weight=[2] * 20, **QUICK))


def test_items_that_nobody_else_rated_add_nothing_to_agreement() -> None:
    data = simulated(20, gaps=0)
    alone = np.array([[3, np.nan, np.nan]] * 4)
    one = oe.agreement(data, measures="krippendorff, observed_agreement", **QUICK)
    other = oe.agreement(
        np.concatenate([data, alone]), measures="krippendorff, observed_agreement", **QUICK
    )
    assert one["krippendorff"].value == pytest.approx(other["krippendorff"].value)
    assert one["observed_agreement"].value == pytest.approx(other["observed_agreement"].value)
    assert any("one rating only" in notice for notice in map(str, other.notes))


@settings(max_examples=10, deadline=None)
@given(st.permutations(range(4)), st.integers(0, 3), st.booleans(), st.booleans())
def test_draws_do_not_depend_on_the_order_of_raters(
    order: list[int], seed: int, named: bool, both: bool
) -> None:
    data = simulated(12, 4, seed=seed)
    kinds: dict[str, Any] = {"over": "both" if both else None, "pair_measures": "accuracy"}
    if named:
        one = oe.agreement({f"r{j}": data[:, j] for j in range(4)}, **kinds, **QUICK)
        other = oe.agreement({f"r{j}": data[:, j] for j in order}, **kinds, **QUICK)
        assert other.rater_names == tuple(f"r{j}" for j in order)
    else:
        one = oe.agreement(data, **kinds, **QUICK)
        other = oe.agreement(data[:, order], **kinds, **QUICK)
    assert one.coefficients == other.coefficients
    for j, row in zip(order, other.raters, strict=True):
        assert row.severity == one.raters[j].severity
        assert row.consistency == one.raters[j].consistency
        assert row.shares == one.raters[j].shares


def test_perfect_agreement_has_an_interval_with_a_width() -> None:
    data = np.repeat(np.arange(20) % 5 + 1, 3).reshape(20, 3)
    found = oe.agreement(data, **QUICK)
    for m, e in found.coefficients.items():
        assert (e.value, e.high) == pytest.approx((1, 1)), m
        assert e.low < 0.99, m
        assert math.isnan(e.se), m
    assert not found.disputed
    clustered = oe.agreement(data, cluster=np.arange(20) // 4, **QUICK)
    assert all(e.low < 0.99 for e in clustered.coefficients.values())


@pytest.mark.parametrize(
    "ratings",
    [
        [[1, 2, 2]],  # one item
        [[2, 2], [2, 2]],  # one class
        [[1, None], [None, 2]],  # nobody overlaps
        [[1, 1]],
        [[1, 2]],
    ],
)
def test_degenerate_ratings_give_reasons_rather_than_errors(ratings: Any) -> None:
    found = oe.agreement(ratings, labels=[1, 2, 3], draws=50)
    for e in found.coefficients.values():
        assert not math.isnan(e.value) or e.doubt
    assert str(found)
    assert found.to_json()
    assert found.summary()


def test_clusters_make_intervals_wider_where_items_are_alike() -> None:
    blocks = np.repeat(simulated(12, gaps=0), 6, axis=0)
    over_items = oe.agreement(blocks, **QUICK)
    over_clusters = oe.agreement(blocks, cluster=np.repeat(np.arange(12), 6), **QUICK)
    assert over_clusters.over == "clusters"
    assert over_clusters["ac2"].se > 1.5 * over_items["ac2"].se
    wide = over_clusters.pair("rater 1", "rater 2")
    narrow = over_items.pair("rater 1", "rater 2")
    assert wide.high - wide.low > narrow.high - narrow.low


@pytest.mark.parametrize("weight", [None, np.arange(1, 41)])
def test_kappa_over_clusters_has_the_interval_of_congers_coefficient(weight: Any) -> None:
    data, cluster = simulated(40, 2, gaps=0), np.sqrt(np.arange(40)).astype(int)
    over: dict[str, Any] = {"cluster": cluster, "weight": weight, **QUICK}
    many = {"measures": "conger(weights=linear)", "pair_measures": "kappa(weights=linear)"}
    found = oe.agreement(data, **many, **over)
    [conger] = found.coefficients.values()
    [kappa] = found.pairs
    for name in ("value", "low", "high", "se"):
        assert getattr(kappa, name) == pytest.approx(getattr(conger, name), abs=1e-12)


def test_items_and_raters_are_wider_than_items() -> None:
    data = simulated(40, raters=6)
    items, both = (oe.agreement(data, over=over, **QUICK) for over in ("items", "both"))
    assert both.over == "items and raters"
    for m in items.coefficients:
        assert both[m].low <= items[m].low
        assert both[m].se >= items[m].se


def test_clusters_and_raters_are_wider_than_either(tmp_path: Path) -> None:
    blocks = np.repeat(simulated(12, raters=5, gaps=0), 6, axis=0)
    cluster = np.repeat(np.arange(12), 6)
    items = oe.agreement(blocks, over="both", **QUICK)
    clusters = oe.agreement(blocks, cluster=cluster, **QUICK)
    both = oe.agreement(blocks, cluster=cluster, over="both", **QUICK)
    assert both.over == "clusters and raters"
    for m in both.coefficients:
        assert both[m].se > max(items[m].se, clusters[m].se)
    assert both.pairs == clusters.pairs
    assert both.raters == clusters.raters
    assert "other clusters of items and other raters" in str(both)
    both.to_json(tmp_path / "both.json")
    assert oe.load(tmp_path / "both.json") == both


def test_many_rows_take_linearised_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    data = simulated(400)
    few: dict[str, Any] = {"labels": LABELS, "pair_measures": "accuracy", "draws": 1000}
    drawn = oe.agreement(data, **few)
    monkeypatch.setattr(panels, "MOST_ROWS", 10)
    linear = oe.agreement(data, **few)
    monkeypatch.setattr(panels, "_LINEAR_NUMBERS", 10)
    grouped = oe.agreement(data, **few)
    assert (drawn.method, linear.method, grouped.method) == ("dirichlet", "t", "t")
    for m, e in linear.coefficients.items():
        width = drawn[m].high - drawn[m].low
        assert e.high - e.low == pytest.approx(width, rel=0.15), m
        assert grouped[m].se == pytest.approx(e.se, rel=0.25), m


def test_many_clusters_are_left_out_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    data, cluster = simulated(300), np.arange(300) // 3
    each = oe.agreement(data, cluster=cluster, **QUICK)
    monkeypatch.setattr(rater_study, "MOST_UNITS", 40)
    grouped = oe.agreement(data, cluster=cluster, **QUICK)
    assert grouped["ac2"].se == pytest.approx(each["ac2"].se, rel=0.4)


def test_the_seed_decides_and_no_draws_mean_no_intervals() -> None:
    data = simulated(20)
    assert oe.agreement(data, rng=1, **QUICK) == oe.agreement(data, rng=1, **QUICK)
    assert oe.agreement(data, rng=1, **QUICK) != oe.agreement(data, rng=2, **QUICK)
    plain = oe.agreement(data, labels=LABELS, draws=0)
    assert math.isnan(plain["ac2"].low)
    assert not any(e.doubt for e in plain.coefficients.values())  # there is no interval to doubt


def test_severe_and_careless_raters_stand_out() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(1, 6, size=(200, 1))
    data = np.clip(truth + rng.integers(0, 2, size=(200, 5)) * rng.integers(-1, 2, (200, 5)), 1, 5)
    data[:, 3] = np.clip(data[:, 3] + 1, 1, 5)
    data[:, 4] = rng.integers(1, 6, size=200)
    found = oe.agreement(data, **QUICK)
    said = [row.stands_out for row in found.raters]
    assert said[:3] == ["", "", ""]
    assert said[3] == "rates higher than the others"
    assert "agrees less" in said[4]
    assert found.raters[3].severity.low > 0


def test_severity_and_consistency_by_hand() -> None:
    data = np.array([[1, 2, 3], [4, 4, 5], [2, 1, 1], [5, 5, 3]])
    found = oe.agreement(data, labels=LABELS, draws=0)
    others = data[:, 1:].mean(axis=1)
    assert found.raters[0].severity.value == pytest.approx(np.mean(data[:, 0] - others))
    expected = np.corrcoef(data[:, 0], others)[0, 1]
    assert found.raters[0].consistency.value == pytest.approx(expected)
    assert found.raters[0].shares == (0.25, 0.25, 0, 0.25, 0.25)


def test_pairs_are_scored_on_the_items_that_both_rated() -> None:
    data = simulated(30, gaps=0.3)
    found = oe.agreement(data, pair_measures="accuracy, mae, ac1", **QUICK)
    both = ~np.isnan(data[:, 1]) & ~np.isnan(data[:, 2])
    pair = found.pair("rater 2", "rater 3", "accuracy")
    assert pair.items == both.sum()
    assert pair.value == pytest.approx(np.mean(data[both, 1] == data[both, 2]))
    evaluated = oe.evaluate(data[both, 1], data[both, 2], labels=LABELS, draws=100)
    score = evaluated.standing("y_pred", "accuracy")
    assert (pair.low, pair.high) == pytest.approx((score.low, score.high))
    assert found.pair("rater 1", "rater 2", "ac1").low > -1


def test_disputed_items_come_worst_first() -> None:
    data = [[1, 5], [3, 3], [2, 4], [1, 2], [None, 1]]
    found = oe.agreement(data, labels=LABELS, item=list("abcde"), draws=0)
    assert [row.item for row in found.disputed] == ["a", "c", "d"]
    assert found.disputed[0].disagreement == 16
    assert found.disputed[0].ratings == {"rater 1": 1, "rater 2": 5}
    few = oe.agreement(data, labels=LABELS, disputed=1, draws=0)
    assert [row.item for row in few.disputed] == ["1"]
    assert not oe.agreement(data, labels=LABELS, disputed=0, draws=0).disputed


def test_lists_that_do_not_say_who_rated() -> None:
    found = oe.agreement([[1, 2], [3, 3, 3], [2, 2]], labels=[1, 2, 3], draws=50)
    assert found.raters == found.pairs == ()
    assert "conger" not in {m.id for m in found.measures}
    assert str(found)


def test_many_raters_and_classes() -> None:
    rng = np.random.default_rng(0)
    latent = rng.integers(0, 101, size=(60, 1))
    data = np.clip(latent + rng.integers(-9, 10, size=(60, 30)), 0, 100)
    found = oe.agreement(data, labels=range(101), draws=20, pair_measures="accuracy")
    assert found["krippendorff(interval)"].low > 0.8
    assert len(found.pairs) == 435
    assert any("No intervals for 435 pairs" in notice for notice in map(str, found.notes))
    why = "there are more than 300 pairs of raters"
    assert why in view_of(found)["pairs"].notes[0]
    assert set(found.to_frame("pairs", "polars")["doubt"]) == {why}


def test_the_name_krippendorff_still_stands_for_alpha_of_predictions() -> None:
    found = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], measures="krippendorff",
                        draws=0)  # fmt: skip
    assert "alpha" in found
    assert "krippendorff" in found
    assert oe.score([1, 2, 3], [1, 2, 2], "krippendorff") == oe.score([1, 2, 3], [1, 2, 2], "alpha")


def with_a_rare_rater(ratings: int) -> list[list[int | None]]:
    rows: list[list[int | None]] = [
        list(row) for row in [(1, 1), (2, 3), (3, 3), (4, 4), (5, 4)] * 20
    ]
    return [
        [*row, min((row[0] or 0) + 1, 5) if i < ratings else None] for i, row in enumerate(rows)
    ]


@pytest.mark.parametrize("ratings", [1, 4, 5, 9])
def test_a_rater_with_few_ratings_has_no_or_a_wide_interval(ratings: int) -> None:
    found = oe.agreement(with_a_rare_rater(ratings), measures="ac1", **QUICK)
    rare = found.rater("rater 3")
    assert rare.shared == ratings
    assert f"fewer than {5 if ratings < 5 else 10} items" in rare.severity.doubt
    assert not any(row.stands_out for row in found.raters)
    if ratings < 5:
        assert math.isnan(rare.severity.low)
        assert math.isnan(rare.severity.se)
    else:
        assert rare.severity.high - rare.severity.low > 0.6


def test_severity_of_a_rater_in_one_cluster_has_no_interval() -> None:
    data = simulated(60, gaps=0)
    data[8:, 2] = np.nan
    found = oe.agreement(data, cluster=np.arange(60) // 10, measures="ac1", **QUICK)
    assert math.isnan(found.rater("rater 3").severity.low)
    assert "one cluster" in found.rater("rater 3").severity.doubt


@pytest.mark.parametrize("shifts", [(0, 0, -1), (0, 1, 0), (-1, 0, 1), (0, 0, 0, 0, 1), (0, 0, 0)])
def test_only_the_severe_raters_are_named(shifts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, 7, size=(200, 1))
    slips = rng.choice([-1, 0, 0, 1], size=(200, len(shifts)))
    found = oe.agreement(
        truth + slips + np.array(shifts), labels=range(9), measures="ac1", draws=100
    )
    words = {-1: "rates lower than the others", 0: "", 1: "rates higher than the others"}
    assert [row.stands_out for row in found.raters] == [words[shift] for shift in shifts]


@pytest.mark.parametrize("raters", [2, 3])
@pytest.mark.parametrize("draws", [0, 50])
def test_a_constant_rater_is_named(raters: int, draws: int) -> None:
    data = simulated(40, raters, gaps=0)
    data[:, -1] = 3
    found = oe.agreement(data, labels=LABELS, draws=draws, measures="ac1")
    *others, constant = found.raters
    assert constant.stands_out == "gives one class only"
    assert constant.consistency.doubt == "the rater gives one class only"
    assert not any("one class" in row.stands_out for row in others)
    if raters == 3:
        judged = oe.judge(data, {"m": data[:, 0]}, labels=LABELS, measures="mae", draws=draws)
        assert sum("'rater 3' gives one class" in notice for notice in map(str, judged.notes)) == 1


def test_undefined_figures_of_raters_have_a_reason() -> None:
    found = oe.agreement([[1, 1, None], [2, 2, None], [None, None, 3]], labels=[1, 2, 3])
    assert "no item is shared" in found.raters[2].severity.doubt
    assert "fewer than 2 items" in found.raters[2].consistency.doubt


@pytest.mark.parametrize("clusters", [1, 4, 5])
def test_few_clusters_are_doubted(clusters: int) -> None:
    found = oe.agreement(simulated(40, gaps=0), cluster=np.arange(40) % clusters, **QUICK)
    few = {1: "there is only one cluster", 4: "there are fewer than 5 clusters", 5: ""}[clusters]
    assert {e.doubt for e in (*found.coefficients.values(), *found.pairs)} == {few}
    assert all(math.isnan(e.low) == (clusters == 1) for e in found.coefficients.values())


def test_analytic_kappa_is_for_independent_items_of_equal_weight() -> None:
    data = simulated(20, 2, gaps=0)
    assert oe.agreement(data, **QUICK).kappas
    facts: tuple[dict[str, Any], ...] = (
        {"cluster": np.arange(20) // 2},
        {"weight": np.arange(20) + 1},
    )
    for fact in facts:
        found = oe.agreement(data, **fact, **QUICK)
        assert not found.kappas
        (notice,) = [text for text in map(str, found.notes) if "No analytic" in text]
        assert ("clusters" if "cluster" in fact else "weights") in notice
    assert oe.agreement(data, cluster=np.arange(20) // 2, over="items", **QUICK).kappas
    agreeing = oe.agreement([[1, 1], [2, 2], [3, 3], [4, 4], [5, 5]], **QUICK).kappas
    assert all(math.isnan(row.se) and row.z > 0 for row in agreeing)


def test_series_are_matched_by_their_row_labels() -> None:
    pd = pytest.importorskip("pandas")
    names = list("abcdef")
    columns: dict[str, list[Any]] = {
        "ann": [1, 2, 3, 1, 2, 3],
        "bob": [1, 2, 2, 1, 3, 3],
        "frequency": [1, 2, 1, 3, 1, 2],
        "weight": [1.0, 2.0, 1.0, 1.0, 3.0, 1.0],
        "cluster": ["x", "x", "y", "y", "z", "z"],
        "item": names,
    }
    series = {name: pd.Series(column, index=names) for name, column in columns.items()}
    turned = {name: s if name == "ann" else s.iloc[::-1] for name, s in series.items()}
    found = [
        oe.agreement({name: given.pop(name) for name in ("ann", "bob")}, **given, **QUICK)
        for given in (columns, series, turned)
    ]
    assert found[0] == found[1] == found[2]
    ratings = pd.DataFrame({"ann": [1, 2, 3], "bob": [1, 2, 2]}, index=list("abc"))
    with pytest.raises(oe.InputError, match="only cluster has 'd'; only ann has 'c'"):
        oe.agreement(ratings, cluster=pd.Series([1, 1, 2], index=list("abd")), **QUICK)


@pytest.mark.parametrize(
    ("index", "named"),
    [
        (["x", "y", "z"], "z"),
        ([2, 0, 1], "1"),  # a shuffled frame keeps its labels
        ([("x", 1), ("x", 2), ("y", 1)], "y, 1"),
        ([0, 1, 2], "3"),
        (["x", "x", "z"], "3"),
        (["x", None, "z"], "3"),
    ],
)
def test_an_index_that_names_every_row_names_the_items(index: list[Any], named: str) -> None:
    pd = pytest.importorskip("pandas")
    columns = {"ann": [1, 2, 3], "bob": [1, 2, 1], "cy": [1, 2, 3]}
    frame = pd.DataFrame(columns).set_axis(pd.Index(index), axis=0)
    settings: dict[str, Any] = {"labels": [1, 2, 3], "draws": 0}
    ways = [
        oe.agreement(frame, **settings),
        oe.agreement({name: frame[name] for name in frame}, **settings),
        oe.agreement(data=frame, **settings),
    ]
    assert [found.disputed[0].item for found in ways] == [named] * 3
    judged = oe.judge(frame[["ann", "bob"]], {"cy": frame["cy"]}, **settings)
    assert named in {item.item for item in judged.disputed}
    other = oe.agreement(frame, item=["p", "q", "r"], **settings)
    assert other.disputed[0].item == "r"


def test_one_class_on_an_inferred_scale_is_doubted() -> None:
    found = oe.agreement([[3, 3, 3]] * 20, draws=50)
    assert "one class" in found["observed_agreement"].doubt
    assert "one class" in found.pair("rater 1", "rater 2", "accuracy").doubt
    assert "one class" in found.rater("rater 1").severity.doubt
    judged = oe.judge([[3, 3]] * 20, {"m": [3] * 20}, measures="accuracy").standing("m")
    assert (judged.verdict, "one class" in judged.difference.doubt) == ("undecided", True)


@pytest.mark.parametrize("rule", ["round", [1.5, 2.5], [0, 1.5, 2.5, 9]])
def test_numbers_between_classes_are_put_into_classes(rule: Any) -> None:
    given = {"ann": [1, 2.4, 3, 1.5, None], "bob": [1.2, 2, 2.5, 2, 1]}
    whole = {"ann": [1, 2, 3, 2, None], "bob": [1, 2, 3, 2, 1]}
    found = oe.agreement(given, labels=[1, 2, 3], bins=rule, draws=50)
    expected = oe.agreement(whole, labels=[1, 2, 3], draws=50)
    assert repr(found.coefficients) == repr(expected.coefficients)
    assert any("(ann 2, bob 2)" in notice for notice in map(str, found.notes))
    assert "All measures use the classes." in tuple(map(str, found.notes))
    frame = pl.DataFrame(given, strict=False)
    by_frame = oe.agreement(data=frame, labels=[1, 2, 3], bins=rule, draws=50)
    assert repr(by_frame.coefficients) == repr(expected.coefficients)
    long = frame.with_row_index("item").unpivot(index="item", variable_name="by")
    read = oe.agreement(
        data=long,
        item="item",
        rater="by",
        rating="value",
        labels=[1, 2, 3],
        bins=rule,
        draws=50,
    )
    assert repr(read.coefficients) == repr(expected.coefficients)


def test_intervals_on_a_long_scale_are_near_the_data() -> None:
    rng = np.random.default_rng(5)
    codes = rng.integers(50, 91, (100, 1)) + rng.integers(-4, 5, (100, 3))
    codes[:, 2] -= 40
    found = oe.agreement(codes, labels=range(101), measures="krippendorff(interval)", draws=500)
    severity = found.raters[2].severity
    assert severity.value - 1 < severity.low < severity.value < severity.high < severity.value + 1
    [alpha] = found.coefficients.values()
    assert alpha.low < alpha.value - 0.02
    assert alpha.value + 0.02 < alpha.high < alpha.value + 0.12


def test_printing_recommends_one_coefficient_and_says_what_would_decide() -> None:
    found = oe.agreement(
        {"a": [1, 2, 3, 3, 2, 1] * 5, "b": [1, 1, 3, 2, 2, 1] * 5}, labels=[1, 2, 3]
    )
    text = " ".join(str(found).split())
    assert text.startswith("Krippendorff's alpha, ordinal, of the two raters is 0.746")
    assert "It is the one to report" in text
    assert "more items would decide it" in text
    assert "ICC" not in text
    assert "ICC" in found.to_text("coefficients")
    asked = oe.agreement({"a": [1, 2, 3], "b": [1, 2, 2]}, "ac2, icc2", labels=[1, 2, 3])
    assert "ICC" in str(asked)


def test_printing_warns_where_nearly_all_ratings_are_one_class() -> None:
    found = oe.agreement({"a": [1] * 38 + [2, 3], "b": [1] * 37 + [2, 2, 1]}, labels=[1, 2, 3])
    assert "AC1 and AC2 suffer less" in " ".join(str(found).split())
