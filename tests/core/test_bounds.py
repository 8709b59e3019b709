"""No score is outside the bounds of its record: an optimiser searches for one that is.

A search improves random sparse tables (or pairs of distributions) towards both ends of the bounds,
for every measure in every variant and for class values of several kinds.
"""

from typing import Any

import numpy as np
import pytest
from core_tables import all_measures

import ordeval as oe
from ordeval.measures.registry import records
from ordeval.measures.spec import usual_variants

pytestmark = pytest.mark.slow

ARRAY = np.ndarray[Any, Any]
SCALES: dict[str, list[float]] = {
    "two classes": [1, 2],
    "1..3": [1, 2, 3],
    "1..6": [1, 2, 3, 4, 5, 6],
    "unequal": [0, 10, 30, 100],
    "both signs": [-2, -0.5, 1, 1.5, 4],
    "negative": [-5, -4, -1],
    "tiny steps": [1, 1.001, 1.002, 7],
}
POPULATION, SURVIVORS, ROUNDING = 96, 16, 1e-9


def tables(rng: np.random.Generator, k: int, how_many: int) -> ARRAY:
    """Sparse counts of very different sizes, permutations and small weights among them."""
    filled = rng.random((how_many, k, k)) < rng.choice([0.1, 0.3, 0.7], size=(how_many, 1, 1))
    most = rng.choice([0.5, 1, 4], size=(how_many, 1, 1))
    sizes = np.floor(10 ** (most * rng.random((how_many, k, k))))
    found = np.where(filled, sizes, 0.0)
    found[: how_many // 8] = np.eye(k)[np.argsort(rng.random((how_many // 8, k)), axis=-1)]
    found[:, rng.integers(k), rng.integers(k)] += 1
    found[::3] *= 10 ** rng.uniform(-2, 0, size=(len(found[::3]), 1, 1))  # weights of items
    return found


def changed_tables(rng: np.random.Generator, found: ARRAY, how_many: int) -> ARRAY:
    """Tables with a few cells emptied, moved, filled, or made larger or smaller."""
    new = found[rng.integers(len(found), size=how_many)].copy()
    k, rows = new.shape[-1], np.arange(how_many)
    for _ in range(2):
        g, p, h, q = rng.integers(k, size=(4, how_many))
        cell = new[rows, g, p]
        factor = rng.choice([0.0, 0.5, 2.0, 10.0], size=how_many)
        to = rng.choice([1.0, 0.0, 5.0], size=how_many)
        moves = rng.random(how_many) < 0.4
        new[rows, g, p] = np.where(moves, 0.0, cell * factor + to * (cell == 0))
        new[rows, h, q] += np.where(moves, cell, 0.0)
    new[np.all(new == 0, axis=(-2, -1)), 0, 0] = 1.0
    return np.minimum(new, 1e9)


def pairs(rng: np.random.Generator, k: int, how_many: int) -> ARRAY:
    """Pairs of distributions `[pairs, 2, K]`, many of them sparse or nearly in one class."""
    masses = 10 ** rng.uniform(-8, 0, size=(how_many, 2, k))
    masses *= rng.random((how_many, 2, k)) < rng.choice([0.3, 0.6, 1.0], size=(how_many, 2, 1))
    masses[np.arange(how_many), :, rng.integers(k, size=how_many)] += 1e-9
    one = rng.integers(k, size=(how_many, 2))
    masses[np.arange(how_many)[:, None], [0, 1], one] += rng.choice([0.0, 1.0, 1e3], (how_many, 2))
    return masses / masses.sum(axis=-1, keepdims=True)


def changed_pairs(rng: np.random.Generator, found: ARRAY, how_many: int) -> ARRAY:
    new = found[rng.integers(len(found), size=how_many)].copy()
    k, rows = new.shape[-1], np.arange(how_many)
    for _ in range(2):
        side, i = rng.integers(2, size=how_many), rng.integers(k, size=how_many)
        mass = new[rows, side, i]
        new[rows, side, i] = rng.choice([0.0, 0.1, 10.0], size=how_many) * mass
        new[rows, side, i] += rng.choice([0.0, 1e-9, 1e-4, 1.0], size=how_many)
        new[rows, side, rng.integers(k, size=how_many)] += 1e-12
    return new / new.sum(axis=-1, keepdims=True)


def scores_of(measure: oe.Measure, found: ARRAY, values: ARRAY) -> ARRAY:
    if measure.record.task == "quantification":
        return np.asarray(measure.kernel(found[:, 0], found[:, 1], values))
    return np.asarray(measure.kernel(found, values))


def farthest(measure: oe.Measure, values: list[float], end: int, rounds: int, seed: int) -> float:
    """Search for the highest score, or with ``end=0`` for the lowest."""
    rng, numbers, sign = np.random.default_rng(seed), np.asarray(values, float), 2 * end - 1
    labels = measure.record.task != "quantification"  # of two raters, for coefficients of raters
    some, change = (tables, changed_tables) if labels else (pairs, changed_pairs)
    found = some(rng, len(values), 4 * POPULATION)
    for _ in range(rounds):
        scores = scores_of(measure, found, numbers)
        found = found[np.argsort(np.where(np.isnan(scores), np.inf, -sign * scores))[:SURVIVORS]]
        found = np.concatenate([found, change(rng, found, POPULATION)])
        found = np.concatenate([found, some(rng, len(values), POPULATION // 4)])
    scores = sign * scores_of(measure, found, numbers)
    defined = scores[~np.isnan(scores)]  # none, where class values do not fit a measure
    if not defined.size:  # the only measure that has no score on some scales
        assert measure.params.get("level") == "ratio"
        return measure.bounds(values)[end]
    return sign * float(defined.max())


def violations(measure: oe.Measure, values: list[float], rounds: int, seed: int = 0) -> list[str]:
    bounds = measure.bounds(values)
    reached = [farthest(measure, values, end, rounds, seed) for end in (0, 1)]
    slack = ROUNDING * max(1.0, *(abs(b) for b in bounds if np.isfinite(b)))
    outside = (reached[0] < bounds[0] - slack, reached[1] > bounds[1] + slack)
    return [
        f"{measure} {values}: {r} of {bounds}" for r, o in zip(reached, outside, strict=True) if o
    ]


def searched(id: str, k: int) -> list[oe.Measure]:
    if records()[id].task in ("raters", "ratings"):
        return usual_variants(records()[id])
    return [m for m in all_measures(records()[id].task, k) if m.id == id]


# Those of probabilities take items, and tests/core/test_probabilities.py checks their bounds.
BATCHED = [r.id for r in records().values() if r.batched and r.task != "probabilities"]


@pytest.mark.parametrize("id", BATCHED)
def test_no_score_found_is_outside_the_bounds(id: str) -> None:
    found = []
    for values in SCALES.values():
        variants = searched(id, len(values))
        rounds = 12 if len(variants) < 6 else 4
        found += [line for m in variants for line in violations(m, values, rounds)]
    assert found == []


# OD, SOD, RNOD and RSNOD come as near their bounds as one likes, with traces of mass.
@pytest.mark.parametrize("k", range(2, 13))
@pytest.mark.parametrize("id", ["od", "sod", "rnod", "rsnod"])
def test_the_divergences_reach_their_bounds(id: str, k: int) -> None:
    sizes = np.arange(1, k)
    highest = float(np.max(2 * k - sizes - 2 * (k - 1) / sizes)) if k > 2 else 1.0
    if id.startswith("r"):
        highest = float(np.sqrt(highest / (k - 1)))
    measure = oe.measure(id)
    assert measure.bounds(k) == (0.0, pytest.approx(highest))
    traces = int(np.argmax(2 * k - sizes - 2 * (k - 1) / sizes))
    q, p = np.zeros((2, k))
    q[:traces], q[-2] = 1e-7, 1.0
    p[:traces], p[-1] = 1e-7, 1.0
    assert measure.of(q / q.sum(), p / p.sum()) == pytest.approx(highest, rel=1e-5)
    reached = farthest(measure, list(range(1, k + 1)), 1, 20, k)
    assert 0.5 * highest < reached <= highest + 1e-9


def test_divergences_with_weights_that_are_not_symmetric() -> None:
    weights = ((0, 5, 1), (2, 0, 7), (0, 3, 0))
    for id in ("od", "sod", "rnod", "rsnod"):
        measure = oe.measure(id, weights=weights)
        reached = farthest(measure, [1, 2, 3], 1, 60, 1)
        assert reached == pytest.approx(measure.bounds(3)[1], rel=1e-3)


def test_the_example_that_exceeds_one() -> None:
    gold, estimate = [0.01, 0.01, 0, 0.98, 0], [0, 0, 0, 0, 1]
    score = float(oe.measure("rnod").of(gold, estimate))
    assert 1.03 < score < oe.measure("rnod").bounds(5)[1] < 1.041


def test_cosine_reaches_its_lowest_score() -> None:
    for values in ([1, 2, 3], [2, 3, 11], [-9, -2, -1]):
        n = np.zeros((3, 3))
        n[0, -1] = n[-1, 0] = 1
        measure = oe.measure("cosine")
        assert measure.of(n, values=values) == pytest.approx(measure.bounds(values)[0])


def test_ratio_alpha_is_undefined_for_negative_values_in_use() -> None:
    measure = oe.measure("alpha(level=ratio)")
    assert np.isnan(measure.of([[1, 1, 0], [0, 1, 0], [0, 0, 0]], values=[-1, 0, 2]))
    assert not np.isnan(measure.of([[0, 0, 0], [0, 1, 1], [0, 0, 1]], values=[-1, 0, 2]))


def test_records_say_how_bounds_depend_on_class_values() -> None:
    for measure in oe.measures(None):
        if measure.bounds(4) != measure.bounds([0, 10, 30, 100]):
            assert measure.record.card.range_note, measure


def test_general_paths_stay_within_their_bounds() -> None:
    rng = np.random.default_rng(2)
    for measure in searched("oc_general", 3):
        scores = measure.of(tables(rng, 3, 8), values=[0, 10, 30])
        assert np.all((scores >= -1e-9) & (scores <= 1 + 1e-9)), measure
