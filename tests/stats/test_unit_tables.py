"""Signed, left-out and resampled tables of units."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ordeval.stats import unit_tables
from ordeval.stats.resample import stream
from ordeval.stats.unit_tables import UnitTables

T, K, S = 2, 3, 3
SHAPE = (T, K, K)


def some_cells(rows: int, seed: int = 0, systems: int = S) -> NDArray[np.int64]:
    """Cells [S, R] of systems that often agree."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(T * K, size=rows)
    first = rng.integers(K, size=rows)
    predicted = np.where(
        rng.random((systems, rows)) < 0.6, first, rng.integers(K, size=(systems, rows))
    )
    return gold * K + predicted


def tables_of(cells: NDArray[Any], factors: NDArray[Any]) -> NDArray[np.float64]:
    """Tables [S, T, K, K] of rows with factors, added up row by row."""
    out = np.zeros((len(cells), T * K * K))
    for system, codes in enumerate(cells):
        for code, factor in zip(codes, factors, strict=True):
            out[system, code] += factor
    return out.reshape(len(cells), *SHAPE)


def contrasts(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Tables [..., S, T, K, K] less that of the first system: all that signed tables mean."""
    return np.asarray(tables - tables[..., :1, :, :, :])


def outcomes(tables: NDArray[Any]) -> set[bytes]:
    """The set of outcomes, up to a common sign."""
    flat = np.round(contrasts(tables), 9).reshape(len(tables), -1) + 0.0
    lead = np.array([row[np.flatnonzero(row)[0]] if row.any() else 1.0 for row in flat])
    return {row.tobytes() for row in flat * np.sign(lead)[:, None] + 0.0}


COUNT = np.array([1, 3, 1, 2, 1, 1, 1])
WEIGHT = np.array([0.5, 1.25, 3.0, 0.125, 2.0, 7.0, 1.0])
UNIT = np.array([4, 0, 4, 2, 2, 0, 9])
CASES: dict[str, dict[str, Any]] = {
    "items": {},
    "counts": {"count": COUNT},
    "weights": {"weight": WEIGHT},
    "both": {"count": COUNT, "weight": WEIGHT},
    "clusters": {"unit": UNIT},
    "weighted clusters": {"unit": UNIT, "count": COUNT, "weight": WEIGHT},
}


def weights_of(cells: NDArray[Any], given: dict[str, Any]) -> NDArray[np.float64]:
    """Weights of items [R] that sum to the effective number of items of every topic."""
    count = given.get("count", np.ones(cells.shape[1]))
    weight, topic = given.get("weight", np.ones(cells.shape[1])).copy(), cells[0] // (K * K)
    for t in np.unique(topic):
        of, times = weight[topic == t], count[topic == t]
        weight[topic == t] *= (times * of).sum() / (times * of**2).sum()
    return weight


def brute_force(cells: NDArray[Any], given: dict[str, Any]) -> NDArray[np.float64]:
    """Signed tables of all patterns of signs of the units."""
    count = given.get("count", np.ones(cells.shape[1], dtype=int))
    weight = weights_of(cells, given)
    items = np.repeat(np.arange(cells.shape[1]), count)
    unit = given["unit"][items] if "unit" in given else np.arange(len(items))
    place = np.unique(unit, return_inverse=True)[1]
    signs = np.array(list(product([1, -1], repeat=place.max() + 1)))[:, place]
    return np.stack([tables_of(cells[:, items], weight[items] * sign) for sign in signs])


@pytest.mark.parametrize("case", CASES)
def test_total_and_units(case: str) -> None:
    cells, given = some_cells(7), CASES[case]
    found = UnitTables(cells, SHAPE, **given)
    mass = given.get("count", np.ones(7)) * weights_of(cells, given)
    np.testing.assert_allclose(found.total, tables_of(cells, mass), rtol=1e-12)
    assert found.units == (4 if "unit" in given else given.get("count", np.ones(7)).sum())


@pytest.mark.parametrize("case", CASES)
def test_enumerated_tables_are_those_of_all_signs(case: str) -> None:
    cells, given = some_cells(7), CASES[case]
    tables = UnitTables(cells, SHAPE, **given)
    found = tables.signed_by(tables.enumerated(0, tables.patterns))
    assert len(found) == tables.patterns
    assert outcomes(found) == outcomes(brute_force(cells, given))
    np.testing.assert_array_equal(contrasts(found[0]), contrasts(tables.total))
    np.testing.assert_array_equal(tables.signed_by(tables.enumerated(1, 2)), found[1:2])


@pytest.mark.parametrize("case", CASES)
def test_random_tables_are_among_the_enumerated(case: str) -> None:
    tables = UnitTables(some_cells(7), SHAPE, **CASES[case])
    drawn = tables.signed(stream(1), 3000)
    assert outcomes(drawn) == outcomes(tables.signed_by(tables.enumerated(0, tables.patterns)))
    # Two standard errors of the mean are 4 % of the largest entry.
    assert np.abs(contrasts(drawn).mean(axis=0)).max() < 0.1 * np.abs(contrasts(drawn)).max()


@pytest.mark.parametrize("count", [1, 5, 64, 90])
def test_sums_of_signs_have_the_variance_of_a_binomial(count: int) -> None:
    cells = np.array([[0], [1]])
    found = UnitTables(cells, (1, 2, 2), count=[count]).signed(stream(2), 4000)[:, 0, 0, 0, 0]
    assert set(found.astype(int) % 2) == {count % 2}
    assert abs(found.mean()) < 4 * np.sqrt(count / 4000)
    assert 0.9 * count <= (found**2).mean() <= 1.1 * count
    assert np.abs(found).max() <= count


@pytest.mark.parametrize("weighted", [False, True])
def test_dense_and_sparse_products_agree(weighted: bool) -> None:
    cells, rng = some_cells(900), np.random.default_rng(3)
    weight = rng.random(900) if weighted else np.ones(900)
    factors = rng.integers(5, size=(900, 11)).astype(float)
    sparse = unit_tables._sparse_sums(cells, T * K * K, np.arange(900), weight)
    for dtype in (np.float64, np.float64 if weighted else np.float32):
        dense = unit_tables._dense_sums(cells, SHAPE, weight, dtype)
        found, expected = (sums(lambda rows: factors[rows], 11) for sums in (dense, sparse))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_weighted_tables_do_not_depend_on_the_order_of_the_systems() -> None:
    cells, weight = some_cells(3000, systems=7), np.random.default_rng(0).lognormal(size=3000)
    tables = UnitTables(cells, SHAPE, weight=weight)
    turned = UnitTables(cells[::-1], SHAPE, weight=weight)
    np.testing.assert_array_equal(tables.total, turned.total[::-1])
    found, other = tables.signed(stream(0), 50), turned.signed(stream(0), 50)
    np.testing.assert_array_equal(found, other[:, ::-1])


@pytest.mark.parametrize("case", [case for case in CASES if "clusters" in case])
def test_tables_without_one_cluster(case: str) -> None:
    cells, given = some_cells(7), CASES[case]
    count, unit = given.get("count", np.ones(7, dtype=int)), given["unit"]
    weight = weights_of(cells, given) * count
    expected = [tables_of(cells, weight * (unit != u)) for u in np.unique(unit)]
    parts = [*UnitTables(cells, SHAPE, **given).without_units(0, 2 * S * T * K * K)]
    assert [len(part) for part in parts] == [2, 2]
    np.testing.assert_allclose(np.concatenate(parts), np.stack(expected), atol=1e-12)


def test_many_clusters_are_dealt_into_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_tables, "MOST_GROUPS", 40)
    tables = UnitTables(some_cells(300), SHAPE, unit=np.arange(300))
    [without] = tables.without_units(0, 10**9)
    left_out = tables.total - without
    assert set(left_out[:, 0].sum(axis=(1, 2, 3))) == {7.0, 8.0}
    np.testing.assert_allclose(left_out.sum(axis=0), tables.total)


@pytest.mark.parametrize("case", CASES)
def test_resampled_tables(case: str) -> None:
    tables = UnitTables(some_cells(7), SHAPE, **CASES[case])
    drawn = tables.resampled(stream(0), 4000)
    # All systems share the items, so that the gold classes agree in every draw.
    gold = drawn.sum(axis=-1)
    np.testing.assert_allclose(gold, np.broadcast_to(gold[:, :1], gold.shape))
    if "weight" not in CASES[case] and "unit" not in CASES[case]:
        np.testing.assert_array_equal(gold[:, 0].sum(axis=(1, 2)), tables.units)
    spread = drawn.std(axis=0).max()
    np.testing.assert_allclose(drawn.mean(axis=0), tables.total, atol=5 * spread / np.sqrt(4000))


def test_many_patterns_are_not_enumerated() -> None:
    assert UnitTables(some_cells(100), SHAPE).patterns is None
