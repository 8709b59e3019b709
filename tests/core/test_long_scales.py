"""Tables of long scales as lists of cells: the same scores, without K² numbers for every draw."""

import math
import tracemalloc
from typing import Any

import numpy as np
import pytest
from core_tables import VARIANTS
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from oracles import ORACLES
from ordeval.measures.batches import batch_innermost, score_tables
from ordeval.measures.scoring import cells_visited, too_costly
from ordeval.measures.terms import Cells, Places
from ordeval.stats.table_intervals import FilledCells, table_interval

MEASURES = [
    *oe.measures(batched=True),
    *map(
        oe.measure,
        (*VARIANTS, "rennie_srebro(loss='logistic')", "accuracy_within(n=3)", "oc(relative=False)"),
    ),
]
LISTED = [m for m in MEASURES if m.record.of_cells(m.params)]


def labels(k: int, items: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, items)
    pred = np.clip(np.round(gold + rng.normal(0, 0.05 * k, items)), 0, k - 1).astype(int)
    return gold, pred


def drawn(k: int, items: int, tables: int) -> Cells:
    """Cells with random weights, some of which are 0."""
    rng = np.random.default_rng(k)
    gold, pred = labels(k, items)
    codes, counts = np.unique(gold * k + pred, return_counts=True)
    weights = rng.standard_gamma(counts[:, None], (len(codes), tables))
    weights[rng.random(weights.shape) < 0.2] = 0.0
    return Cells(Places.of(codes, k), weights)


def values_of(k: int) -> Any:
    return np.cumsum(np.random.default_rng(1).uniform(0.5, 2.0, k))


@pytest.mark.parametrize("measure", LISTED, ids=str)
@pytest.mark.parametrize(("k", "items"), [(2, 5), (9, 40), (101, 1500)])
def test_listed_cells_have_the_scores_of_whole_tables(
    measure: oe.Measure, k: int, items: int
) -> None:
    cells = drawn(k, items, 5)
    whole = measure.kernel(batch_innermost(cells.dense()), values_of(k))
    listed = measure.kernel(cells, values_of(k))
    np.testing.assert_allclose(listed, whole, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("measure", LISTED, ids=str)
def test_listed_cells_have_the_scores_of_the_definition(measure: oe.Measure) -> None:
    k, (gold, pred) = 31, labels(31, 60)
    codes, counts = np.unique(gold * k + pred, return_counts=True)
    cells = Cells(Places.of(codes, k), np.stack([counts, counts], axis=1).astype(float))
    found = measure.kernel(cells, np.arange(1.0, k + 1))[0]
    expected = ORACLES[measure.record.id](gold.tolist(), pred.tolist(), k, **measure.params)
    assert found == pytest.approx(expected, rel=1e-10, nan_ok=True)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=9))
def test_listed_cells_are_undefined_where_whole_tables_are(pairs: list[tuple[int, int]]) -> None:
    codes = np.unique([g * 6 + p for g, p in pairs])
    cells = Cells(Places.of(codes, 6), np.full((len(codes), 2), 0.3))
    for measure in LISTED:
        whole = measure.kernel(batch_innermost(cells.dense()), np.arange(1.0, 7))
        listed = measure.kernel(cells, np.arange(1.0, 7))
        np.testing.assert_allclose(listed, whole, rtol=1e-9, atol=1e-12, err_msg=str(measure))


def test_all_but_path_integrals_and_two_variants_are_scored_from_lists() -> None:
    rest = [str(m) for m in MEASURES if not m.record.of_cells(m.params)]
    assert rest == ["auoc"]
    assert not any(
        oe.measure(name).record.of_cells(oe.measure(name).params)
        for name in ("kappa(weights='closeness')", "cem(scale='interval')", "oc_general")
    )


def test_measures_that_need_whole_tables_get_them() -> None:
    cells, scale = drawn(60, 200, 3), oe.Scale.of(list(range(60)))
    chosen = [oe.measure(name) for name in ("mae", "cem(scale='interval')", "auoc")]
    whole = score_tables(chosen, cells.dense(), scale)
    np.testing.assert_allclose(score_tables(chosen, cells, scale), whole, rtol=1e-10)


@pytest.mark.parametrize("k", [101, 1001])
def test_memory_of_a_measure_is_a_few_times_that_of_the_cells(k: int) -> None:
    cells = drawn(k, 2000, 20)
    tracemalloc.start()
    try:
        for measure in LISTED:
            if measure.record.id == "rennie_srebro" or str(measure) == "alpha(level='ratio')":
                continue  # these make an array of K by K weights between classes
            measure.kernel(Cells(cells.places, cells.by_cell), values_of(k))
        assert tracemalloc.get_traced_memory()[1] < 20 * cells.by_cell.nbytes + 2**23
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", ["mae", "qwk", "rennie_srebro", "oc", "cem", "kendall_b"])
def test_a_thousand_classes_with_intervals_in_little_memory(name: str) -> None:
    k, (gold, pred) = 1001, labels(1001, 300)
    tracemalloc.start()
    try:
        result = oe.evaluate(gold, pred, measures=name, labels=list(range(k)), bootstrap=20)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    row = result.standings()[0]
    assert row.low <= row.value <= row.high
    assert peak < 250e6  # K³ numbers would be 8 GB


class _Listing:
    """A statistic that says how it was called."""

    def __init__(self, chosen: Any, scale: Any, lists: bool) -> None:
        self.chosen, self.scale, self.tables = chosen, scale, 0
        if lists:
            self.of_cells = self._of_cells

    def __call__(self, tables: Any) -> Any:
        self.tables += math.prod(tables.shape[:-2])
        return score_tables(self.chosen, tables, self.scale)

    def _of_cells(self, cells: Cells) -> Any:
        return score_tables(self.chosen, cells, self.scale)


def test_intervals_from_lists_are_those_of_whole_tables() -> None:
    k, (gold, pred) = 101, labels(101, 400)
    table = np.bincount(gold * k + pred, minlength=k * k).reshape(k, k)
    scale = oe.Scale.of(list(range(k)))
    chosen = [m for m in oe.measures(batched=True) if m.record.id != "auoc"]
    plan = oe.stats.Plan(60, 3)
    whole = _Listing(chosen, scale, lists=False)
    listed = _Listing(chosen, scale, lists=True)
    expected, found = (table_interval(table, s, plan) for s in (whole, listed))
    for name in ("estimate", "low", "high", "se"):
        np.testing.assert_allclose(getattr(found, name), getattr(expected, name), rtol=1e-9)
    assert (whole.tables, listed.tables) == (62, 2)  # the data and the mean of the draws


def test_topics_are_listed_apart() -> None:
    k, tables = 60, []
    for topic in range(3):
        gold, pred = labels(k, 100 + topic, topic)
        tables.append(np.bincount(gold * k + pred, minlength=k * k).reshape(k, k))
    scale, chosen = oe.Scale.of(list(range(k))), [oe.measure("mae"), oe.measure("kendall_b")]
    expected, found = (
        table_interval(tables, _Listing(chosen, scale, lists), aggregate="mean")
        for lists in (False, True)
    )
    np.testing.assert_allclose(found.low, expected.low, rtol=1e-9)
    np.testing.assert_allclose(found.high, expected.high, rtol=1e-9)


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_every_method_compares_two_systems_on_a_long_scale(method: Any) -> None:
    k, (gold, a), (_, b) = 501, labels(501, 120), labels(501, 120)
    result = oe.compare(
        gold,
        {"a": a, "b": np.roll(b, 1)},
        measures="mae",
        labels=list(range(k)),
        bootstrap=50,
        trials=50,
        method=method,
        over="items",
    )
    pair = result.pair("a", "b")
    assert pair.low < pair.value < pair.high
    assert pair.p < 0.05


def test_lists_do_not_change_tests_over_items() -> None:
    """Weights of 0 leave cells that no table holds."""
    gold, a = labels(60, 80)
    b, weight = np.roll(a, 1), np.ones(80)
    weight[:7] = 0.0
    one = oe.compare(gold, {"a": a, "b": b}, measures="mae", labels=list(range(60)), weight=weight)
    two = oe.compare(gold[7:], {"a": a[7:], "b": b[7:]}, measures="mae", labels=list(range(60)))
    assert one.pair("a", "b").value == pytest.approx(two.pair("a", "b").value)


def test_cells_of_rows_are_those_of_joint_counts() -> None:
    joint = np.random.default_rng(0).integers(0, 3, (2, 4, 4, 4)).astype(float)
    topic, gold, *predicted = np.nonzero(joint)
    half = joint[topic, gold, predicted[0], predicted[1]] / 2
    codes, twice = (topic * 4 + gold) * 4 + np.stack(predicted), np.concatenate([half, half])
    cells = FilledCells(np.tile(codes, 2), twice, twice, 2, 4).merged()
    for aggregate in ("mean", "pool"):
        found = cells.aggregated(aggregate)
        expected = FilledCells.of(joint, joint).aggregated(aggregate)
        for name in ("codes", "weights", "squares"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    assert cells.as_items(10.0).weights.sum() == pytest.approx(10.0)


def test_what_is_too_costly_depends_on_the_cells_that_are_listed() -> None:
    mae, auoc = oe.measure("mae"), oe.measure("auoc")
    assert cells_visited(mae, 1001) == 1001**2
    assert cells_visited(mae, 1001, 500) == 500
    assert cells_visited(auoc, 1001, 500) == 1001**3
    assert too_costly([mae, auoc], 1001, 20_000) == (mae, auoc)
    assert too_costly([mae, auoc], 1001, 20_000, cells=500) == (auoc,)


def test_bounds_of_divergence_take_memory_of_classes_by_classes() -> None:
    k = 150
    weights = np.abs(np.subtract.outer(np.arange(k), np.arange(k))).tolist()
    given, named = oe.measure("od", weights=weights), oe.measure("od")
    tracemalloc.start()
    try:
        assert given.bounds(k) == pytest.approx(named.bounds(k))
        assert tracemalloc.get_traced_memory()[1] < 150e6  # K³ numbers take 27 MB, several times
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("k", [5, 101, 1001])
def test_a_constant_system_gives_exactly_no_information(k: int) -> None:
    gold, _ = labels(k, 300)
    for weight in (None, np.random.default_rng(1).uniform(0.1, 9, 300)):
        found = oe.evaluate(gold, np.full(300, k // 2), labels=range(k), weight=weight,
                            measures="mutual_information", bootstrap=0)  # fmt: skip
        assert found["mutual_information"].value == 0
