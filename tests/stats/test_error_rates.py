"""Error rates of tests of many systems, in few runs; benchmarks/error_rates.py makes many."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from stats_models import scores

from ordeval.stats import Plan, max_t, randomised_tukey
from ordeval.stats.max_t import max_t_tables
from ordeval.stats.unit_tables import UnitTables

RUNS = 400
K = 3
UPPER = np.triu_indices(6, 1)


def found_in_any_pair(p: NDArray[np.float64]) -> float:
    """The share of runs with a significant pair, of p-values [runs, S, S]."""
    return float(np.mean([np.any(matrix[UPPER] < 0.05) for matrix in p]))


def drawn_scores(topics: int, spread: Any = 1.0, shifts: Any = 0.0) -> NDArray[np.float64]:
    """Scores [runs, T, S] of six systems; a run is a measure of one test."""
    return np.random.default_rng(0).normal(size=(RUNS, topics, 6)) * spread + shifts


@pytest.mark.parametrize("topics", [6, 10, 30])
@pytest.mark.parametrize("spread", [1.0, (1, 1, 1, 1, 1, 5)], ids=["equal", "unequal"])
def test_equal_systems_over_topics(topics: int, spread: Any) -> None:
    rate = found_in_any_pair(max_t(drawn_scores(topics, spread), Plan(1000)).p)
    assert 0.01 <= rate <= 0.085


def test_tukey_errs_with_unequal_variances() -> None:
    matrix = drawn_scores(10, (1, 1, 1, 1, 1, 5))
    assert found_in_any_pair(randomised_tukey(matrix, Plan(500)).p) > 0.085


def test_power_is_more_than_that_of_tukey() -> None:
    shifts = np.array([0, 0, 0, 1, 1, 4])
    different = np.subtract.outer(shifts, shifts) != 0
    matrix = drawn_scores(10, shifts=shifts)
    ours = max_t(matrix).p[:, different] < 0.05
    by_tukey = randomised_tukey(matrix, Plan(500)).p[:, different] < 0.05
    assert ours.mean() > by_tukey.mean() + 0.03
    same = ~different & ~np.eye(6, dtype=bool)
    assert (max_t(matrix).p[:, same] < 0.05).any(axis=1).mean() <= 0.085


def labels(rng: np.random.Generator, items: int, systems: int, spread: Any = 0.7) -> Any:
    """The cells [S, R] of systems that are equally good."""
    gold = rng.integers(K, size=items)
    error = np.rint(spread * rng.normal(size=(systems, items))).astype(int)
    return gold * K + np.clip(gold + error, 0, K - 1)


def rejections(tables: list[UnitTables]) -> NDArray[np.float64]:
    """The shares [M] of runs with a significant pair."""
    found = [max_t_tables(each, scores, Plan(200, i)).p for i, each in enumerate(tables)]
    upper = np.triu_indices(found[0].shape[-1], 1)
    return np.mean([(p[:, upper[0], upper[1]] < 0.05).any(axis=1) for p in found], axis=0)


@pytest.mark.parametrize("weights", ["none", "constant", "whole", "log-normal"])
@pytest.mark.slow
def test_equal_systems_over_weighted_items(weights: str) -> None:
    rng = np.random.default_rng(1)
    draw = {
        "none": lambda: None,
        "constant": lambda: np.full(60, 10.0),
        "whole": lambda: rng.integers(1, 41, size=60).astype(float),
        "log-normal": lambda: rng.lognormal(size=60),
    }[weights]
    tables = [UnitTables(labels(rng, 60, 2), (1, K, K), weight=draw()) for _ in range(200)]
    rates = rejections(tables)
    assert np.all((rates >= 0.01) & (rates <= 0.095)), rates


@pytest.mark.parametrize("clusters", [6, 20])
@pytest.mark.slow
def test_equal_systems_over_clusters(clusters: int) -> None:
    rng, tables = np.random.default_rng(2), []
    cluster = np.repeat(np.arange(clusters), 15)
    for _ in range(200):
        spread = 0.7 * np.exp(0.6 * rng.normal(size=(3, clusters)))[:, cluster]
        cells = labels(rng, len(cluster), 3, spread)
        tables.append(UnitTables(cells, (1, K, K), unit=cluster))
    rates = rejections(tables)
    assert np.all((rates >= 0.005) & (rates <= 0.1)), rates
    if clusters == 20:
        over_items = [UnitTables(each._cells.astype(int), (1, K, K)) for each in tables]
        assert np.all(rejections(over_items) > 0.12)
