"""What the records say: claims hold and are complete, bounds and undefined cases are right."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from core_tables import random_table
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
from ordeval.measures.registry import Record, records

ARRAY = np.ndarray[Any, Any]
CLASSIFICATION = [r for r in records().values() if r.task == "classification"]
QUANTIFICATION = [r for r in records().values() if r.task == "quantification"]
FAST = [r for r in CLASSIFICATION if r.batched]


def same(a: float, b: float) -> bool:
    return bool(np.isclose(a, b, rtol=1e-9, atol=1e-11, equal_nan=True))


def padded(n: ARRAY, low: int, high: int) -> ARRAY:
    return np.pad(n, [(low, high)] * n.ndim)


def permuted(n: ARRAY) -> ARRAY:
    order = np.roll(np.arange(len(n)), 1)
    order[:2] = order[1::-1].copy()
    return n[np.ix_(*[order] * n.ndim)]


Claim = Callable[[oe.Measure, ARRAY], bool]
# How each claim is tested on one table.
ON_TABLES: dict[str, Claim] = {
    "symmetric": lambda m, n: same(m.of(n), m.of(n.T)),
    "reversible": lambda m, n: same(m.of(n), m.of(n[::-1, ::-1])),
    "relabelable": lambda m, n: same(m.of(n), m.of(permuted(n))),
    "proportional": lambda m, n: same(m.of(n), m.of(n * 3)) and same(m.of(n), m.of(n * 7)),
    "padded": lambda m, n: (
        same(m.of(n), m.of(padded(n, 1, 0))) and same(m.of(n), m.of(padded(n, 0, 1)))
    ),
    "perfect": lambda m, n: perfect_is_best(m, n),
}


def perfect_is_best(m: oe.Measure, n: ARRAY) -> bool:
    score = float(m.of(np.diag(n.sum(axis=1))))
    return np.isnan(score) or same(score, m.best(len(n)))


# And on two distributions q (gold) and p (estimated).
ON_DISTRIBUTIONS: dict[str, Callable[[oe.Measure, ARRAY, ARRAY], bool]] = {
    "symmetric": lambda m, q, p: same(m.of(q, p), m.of(p, q)),
    "reversible": lambda m, q, p: same(m.of(q, p), m.of(q[::-1], p[::-1])),
    "relabelable": lambda m, q, p: same(m.of(q, p), m.of(permuted(q), permuted(p))),
    "padded": lambda m, q, p: (
        same(m.of(q, p), m.of(padded(q, 1, 0), padded(p, 1, 0)))
        and same(m.of(q, p), m.of(padded(q, 0, 1), padded(p, 0, 1)))
    ),
    "perfect": lambda m, q, p: same(m.of(q, q), m.best(len(q))),
}


def variants(record: Record) -> list[oe.Measure]:
    return [m for m in oe.measures(None) if m.id == record.id]


@st.composite
def tables(draw: st.DrawFn, most: int = 5) -> ARRAY:
    """Sparse tables of 2 to `most` classes, small or huge counts, at least one item."""
    k = draw(st.integers(2, most))
    count = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 10**12))
    cells = draw(st.lists(count, min_size=k * k, max_size=k * k).filter(any))
    return np.asarray(cells, dtype=float).reshape(k, k)


@st.composite
def distribution_pairs(draw: st.DrawFn) -> tuple[ARRAY, ARRAY]:
    k = draw(st.integers(2, 6))
    counts = st.lists(st.integers(0, 20), min_size=k, max_size=k).filter(any)
    q, p = (np.asarray(draw(counts), dtype=float) for _ in range(2))
    return q / q.sum(), p / p.sum()


@pytest.mark.parametrize("record", FAST, ids=lambda r: r.id)
@settings(max_examples=40, deadline=None, derandomize=True)
@given(n=tables())
def test_claims_hold(record: Record, n: ARRAY) -> None:
    for measure in variants(record):
        for claim in record.claims:
            assert ON_TABLES[claim](measure, n), claim


@pytest.mark.parametrize("record", QUANTIFICATION, ids=lambda r: r.id)
@settings(max_examples=60, deadline=None, derandomize=True)
@given(pair=distribution_pairs())
def test_claims_on_distributions_hold(record: Record, pair: tuple[ARRAY, ARRAY]) -> None:
    for measure in variants(record):
        for claim in record.claims:
            assert ON_DISTRIBUTIONS[claim](measure, *pair), claim


def test_claims_of_general_paths_hold() -> None:
    record, rng = records()["oc_general"], random.Random(3)
    for _ in range(6):
        n = np.asarray(random_table(rng, 3))
        for measure in variants(record):
            for claim in record.claims:
                assert ON_TABLES[claim](measure, n), claim


@pytest.mark.parametrize("record", CLASSIFICATION, ids=lambda r: r.id)
def test_what_is_not_claimed_does_not_hold(record: Record) -> None:
    rng = random.Random(1)
    how_many = 80 if record.batched else 8
    some = [np.asarray(random_table(rng, 3, filled=0.4)) for _ in range(how_many)]
    for claim in ON_TABLES.keys() - record.claims:
        assert any(not ON_TABLES[claim](m, n) for n in some for m in variants(record)), claim


@pytest.mark.parametrize("record", QUANTIFICATION, ids=lambda r: r.id)
def test_what_is_not_claimed_of_distributions_does_not_hold(record: Record) -> None:
    rng = np.random.default_rng(1)
    some = [rng.multinomial(4, np.ones(4) / 4, size=2) / 4 for _ in range(40)]
    for claim in ON_DISTRIBUTIONS.keys() - record.claims:
        test = ON_DISTRIBUTIONS[claim]
        assert any(not test(m, *pair) for pair in some for m in variants(record)), claim


@pytest.mark.parametrize("k", [2, 3, 5])
def test_some_perfect_prediction_has_the_best_score(k: int) -> None:
    right = [np.diag(x) for x in (np.ones(k), np.eye(k)[0] * 2, np.eye(k)[-1] * 2)]
    for measure in oe.measures(batched=True):
        scores = measure.of(np.stack(right))
        assert np.any(np.isclose(scores, measure.best(k), atol=1e-12)), measure


@pytest.mark.parametrize("k", [2, 3, 5])
def test_each_end_of_the_bounds_that_is_claimed_tight_is_reached(k: int) -> None:
    """Error measures are worst when every item goes from one end of the scale to the other."""
    worst = np.zeros((k, k))
    worst[0, -1] = 4
    for id in ("mae", "mse", "rmse", "macro_mae", "macro_mse", "max_mae", "rennie_srebro", "mer"):
        measure = oe.measure(id)
        assert measure.of(worst) == pytest.approx(measure.bounds(k)[1]), id


def test_why_undefined_gives_the_reason() -> None:
    constant, values = np.array([[0, 3], [0, 2]]), np.array([1, 2])
    spearman, ratio = oe.measure("spearman"), oe.measure("alpha(level=ratio)")
    assert spearman.why_undefined(constant, values) == "the predictions have only one class"
    assert oe.measure("accuracy").why_undefined(constant, values) == ""
    assert ratio.why_undefined(np.array([[1, 2], [0, 1]]), values) == ""
    assert "negative" in ratio.why_undefined(np.array([[1, 2], [0, 1]]), np.array([-1, 1]))


@pytest.mark.parametrize("shape", [(), (1,), (2, 3), (0,), (2, 0, 3)])
def test_batches_of_any_shape(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    batch = rng.integers(0, 4, size=(*shape, 4, 4)).astype(float)
    flat = batch.reshape(-1, 4, 4)
    for measure in oe.measures(batched=True):
        scores = measure.of(batch)
        one_by_one = [float(measure.of(n)) for n in flat]
        assert np.shape(scores) == shape
        np.testing.assert_allclose(np.ravel(scores), one_by_one, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0,)])
def test_batches_of_distributions(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.ones(4), size=(2, *shape))
    for measure in oe.measures("quantification"):
        if shape == (0,):
            continue
        scores = measure.of(q, p)
        pairs = zip(q.reshape(-1, 4), p.reshape(-1, 4), strict=True)
        one_by_one = [float(measure.of(a, b)) for a, b in pairs]
        assert np.shape(scores) == shape
        np.testing.assert_allclose(np.ravel(scores), one_by_one, rtol=1e-13)


def test_general_path_limits() -> None:
    rng = random.Random(9)
    for k in (2, 3, 4):
        n = np.asarray(random_table(rng, k), dtype=float)
        mae = oe.measure("mae").of(n)
        free = oe.measure("oc_general(beta1=0, beta2=0)").of(n)
        assert free == pytest.approx(mae / (1 + mae), rel=1e-9)
        for beta in (0.25, 0.75):
            strict = oe.measure("oc_general", beta1=beta, beta2=1).of(n)
            assert strict == pytest.approx(oe.measure("oc", beta=beta).of(n), rel=1e-9)


def test_area_is_that_of_the_curve() -> None:
    batch = np.asarray([random_table(random.Random(s), 6) for s in range(20)], dtype=float)
    steps = np.linspace(0, 1, 2001)
    curve = np.stack([oe.measure("uoc", beta=float(b)).of(batch) for b in steps])
    area = np.trapezoid(curve, steps, axis=0)
    exact = oe.measure("auoc").of(batch)
    np.testing.assert_allclose(exact, area, atol=1e-5)
    assert np.all(exact >= area - 1e-12)  # chords run below a concave curve
