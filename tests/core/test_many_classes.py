"""Scales of a hundred classes: exact paths, and time and memory that do not explode."""

import sys
import tracemalloc
from types import FrameType
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.batches import batch_innermost
from ordeval.measures.scoring import too_costly

K = 101
MEASURES = [
    *oe.measures(batched=True),
    oe.measure("cem(scale='interval')"),
    oe.measure("kappa(weights='closeness')"),
    oe.measure("uoc(gamma=2)"),
]


def drawn_tables(k: int, how_many: int, spread: float = 0.05) -> Any:
    """Tables of items near the diagonal with Gamma counts, as intervals draw them."""
    rng = np.random.default_rng(k)
    gold = rng.integers(0, k, 10_000)
    pred = np.clip(np.round(gold + rng.normal(0, spread * k, gold.size)), 0, k - 1).astype(int)
    counts = np.bincount(gold * k + pred, minlength=k * k).reshape(k, k)
    apart = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    return rng.standard_gamma(counts + 0.3**apart / k, (how_many, k, k))


def values_of(k: int) -> Any:
    return np.arange(1.0, k + 1)


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_memory_stays_a_few_times_that_of_the_tables(measure: oe.Measure) -> None:
    tables = batch_innermost(drawn_tables(K, 8))
    tracemalloc.start()
    try:
        measure.kernel(tables, values_of(K))
        assert tracemalloc.get_traced_memory()[1] < 8 * tables.nbytes
    finally:
        tracemalloc.stop()


def lines_executed(measure: oe.Measure, tables: Any) -> int:
    """Count the lines of the package that a kernel executes, each a few array operations."""
    lines = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace if "ordeval" in frame.f_code.co_filename else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        measure.kernel(tables, values_of(tables.shape[-1]))
    finally:
        sys.settrace(before)
    return lines


@pytest.mark.parametrize("measure", MEASURES, ids=str)
def test_array_operations_grow_with_the_classes_not_with_the_cells(measure: oe.Measure) -> None:
    most = 2000 * K if measure.record.growth > 2 else 100 * K
    assert lines_executed(measure, batch_innermost(drawn_tables(K, 2))) < most


def plain_path(cost: Any, penalty: Any) -> tuple[float, float]:
    """Least cost of a monotone path, and its penalty, cell by cell."""
    best: dict[tuple[int, int], tuple[float, float]] = {(-1, -1): (0.0, 0.0)}
    k = len(cost)
    for r in range(k):
        for c in range(k):
            before = [best[b] for b in ((r - 1, c - 1), (r - 1, c), (r, c - 1)) if b in best]
            low, along = min(before)
            best[r, c] = low + cost[r, c], along + penalty[r, c]
    return best[k - 1, k - 1]


def plain_auoc(n: Any, values: Any) -> float:
    """Area under the curve of one table without empty classes, by bisecting between tangents."""
    k = len(n)
    q, d = n / n.sum(axis=1, keepdims=True), np.abs(np.subtract.outer(values, values))
    rate = 1 + (q * d).sum() / k

    def point(beta: float) -> tuple[float, float, float]:
        least, penalty = plain_path(q * (beta * rate * d - 1), rate * q * d)
        return beta, 1 + least / (k * rate), penalty / (k * rate)

    def area(a: Any, b: Any) -> float:
        if a[2] - b[2] < 1e-14:
            return float((b[0] - a[0]) * (a[1] + b[1]) / 2)
        meet = a[0] + (b[1] - a[1] - b[2] * (b[0] - a[0])) / (a[2] - b[2])
        middle = point(meet)
        if middle[1] > a[1] + a[2] * (meet - a[0]) - 1e-14:
            halves = (a, middle), (middle, b)
            return sum((y[0] - x[0]) * (x[1] + y[1]) / 2 for x, y in halves)
        return area(a, middle) + area(middle, b)

    return area(point(0.0), point(1.0))


@pytest.mark.parametrize("spread", [0.05, 0.4])
def test_auoc_is_the_area_found_cell_by_cell(spread: float) -> None:
    k = 24
    values = np.cumsum(np.random.default_rng(0).uniform(0.1, 2.0, k))
    tables = drawn_tables(k, 3, spread)
    found = oe.measure("auoc").kernel(tables, values)
    expected = [plain_auoc(table, values) for table in tables]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_paths_of_a_hundred_classes_are_those_found_cell_by_cell() -> None:
    tables = drawn_tables(K, 2)
    found = oe.measure("uoc").kernel(tables, values_of(K))
    d = np.abs(np.subtract.outer(values_of(K), values_of(K)))
    for n, score in zip(tables, found, strict=True):
        q = n / n.sum(axis=1, keepdims=True)
        rate = 1 + (q * d).sum() / K
        least, _ = plain_path(q * (0.25 * rate * d - 1), 0 * d)
        assert score == pytest.approx(1 + least / (K * rate), rel=1e-12)


def test_scores_do_not_depend_on_the_other_tables_of_a_batch() -> None:
    near, far = drawn_tables(K, 3), drawn_tables(K, 3, 0.5)
    for name in ("auoc", "uoc", "rs_f", "kendall_b"):
        score = oe.measure(name).kernel
        together = score(batch_innermost(np.concatenate([near, far])), values_of(K))
        alone = score(batch_innermost(near), values_of(K))
        np.testing.assert_allclose(together[:3], alone, rtol=1e-14)


@pytest.mark.parametrize("name", ["mutual_information", "reliability", "sensitivity", "rs_f"])
def test_cells_of_almost_no_weight(name: str) -> None:
    table = np.diag([1.0, 3.0, 1e-9, 1e-200])
    table[0, 3] = table[3, 1] = 1e-310
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        score = float(oe.measure(name).kernel(table, values_of(4)))
    plain = float(oe.measure(name).kernel(np.diag([1.0, 3.0, 1e-9, 0.0]), values_of(4)))
    assert score == pytest.approx(plain, rel=1e-8)
    assert score <= oe.measure(name).bounds(4)[1]


def test_no_measure_is_too_costly_on_a_scale_of_0_to_100() -> None:
    assert too_costly(oe.measures(batched=True), K, 2000) == ()


def test_what_is_too_costly_depends_on_classes_tables_and_whether_it_was_named() -> None:
    auoc, mae = oe.measure("auoc"), oe.measure("mae")
    assert too_costly([mae, auoc], 301, 2000) == (auoc,)
    assert too_costly([mae, auoc], K, 2000 * 10) == (auoc,)
    assert too_costly([mae, auoc], 301, 2000, named=True) == ()
    assert too_costly([mae, auoc], 10_001, 2000) == (mae, auoc)


def test_measures_that_score_tables_one_by_one_are_always_too_costly() -> None:
    general = oe.measure("oc_general")
    assert too_costly([general], 3, 2000) == too_costly([general], 3, 2, named=True) == (general,)
