"""Tukey's HSD over topics."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chisquare, permutation_test

from ordeval.stats import Plan, randomised_tukey
from ordeval.stats.anova import HALF, _add_permuted, _permuted_sums


def score_matrix(seed: int, topics: int, systems: int, step: float = 0.0) -> NDArray[np.float64]:
    """Scores with strong topics, skewed errors and systems that improve by `step`."""
    rng = np.random.default_rng(seed)
    errors = rng.gamma(2.0, 0.05, size=(topics, systems))
    return rng.normal(0.5, 0.2, size=(topics, 1)) + errors + step * np.arange(systems)


def range_of_means(*systems: NDArray[Any], axis: int = -1) -> NDArray[Any]:
    """Largest difference of means, as scipy's tests want it."""
    return np.ptp(np.stack([np.mean(s, axis=axis) for s in systems]), axis=0)


def scipy_null(matrix: NDArray[Any], trials: float) -> NDArray[Any]:
    """Ranges that scipy finds by permuting the systems within topics."""
    columns = tuple(matrix.T)
    test = permutation_test(
        columns,
        range_of_means,
        permutation_type="samples",
        n_resamples=trials,
        vectorized=True,
        batch=1000,
        rng=1,
    )
    return np.asarray(test.null_distribution)


def reaching(matrix: NDArray[Any], null: NDArray[Any]) -> NDArray[Any]:
    """Share of the ranges that reach each pair's difference."""
    means = matrix.mean(axis=0)
    return np.mean(null[:, None, None] >= np.abs(np.subtract.outer(means, means)) - 1e-9, axis=0)


def pairs(p: NDArray[Any]) -> NDArray[Any]:
    return p[..., *np.triu_indices(p.shape[-1], 1)]


def test_agrees_with_scipy_permutations_within_topics() -> None:
    matrix = score_matrix(0, 15, 5, step=0.01)
    ours = randomised_tukey(matrix, Plan(20_000)).p
    theirs = reaching(matrix, scipy_null(matrix, 20_000))
    assert pairs(ours) == pytest.approx(pairs(theirs), abs=5 * np.sqrt(0.5 / 20_000))


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_agrees_with_all_permutations_whatever_the_ties(decimals: int) -> None:
    matrix = np.round(4 * score_matrix(2, 4, 3, step=0.05), decimals)
    null = scipy_null(matrix, np.inf)
    assert len(null) == 6**4
    ours = randomised_tukey(matrix, Plan(50_000)).p
    assert pairs(ours) == pytest.approx(
        pairs(reaching(matrix, null)), abs=4 * np.sqrt(0.25 / 50_000)
    )


def random_keys(seed: int, *shape: int) -> NDArray[np.uint64]:
    """Random 32 bits above 32 zeros."""
    return np.random.default_rng(seed).integers(2**32, size=shape, dtype=np.uint64) << HALF


def test_every_order_of_a_row_is_equally_likely() -> None:
    orders = _permuted_sums(random_keys(0, 1, 9600, 4), np.arange(4, dtype=np.uint32)[None])
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(4), (9600, 1)))
    _, seen = np.unique(orders @ np.array([64, 16, 4, 1]), return_counts=True)
    assert len(seen) == 24
    assert chisquare(seen).pvalue > 0.01


@pytest.mark.parametrize("distinct", [2**32, 3])
def test_measures_that_share_an_order_are_permuted_as_one_by_one(distinct: int) -> None:
    rng = np.random.default_rng(2)
    rows = rng.integers(2**28, size=(16, 5, 7), dtype=np.uint32)
    keys = rng.integers(distinct, size=(16, 32, 5), dtype=np.uint64) << HALF
    sums = np.zeros((32, 5, 7), dtype=np.int64)
    _add_permuted(sums, keys, rows)
    expected = [_permuted_sums(keys, rows[..., m]) for m in range(7)]
    assert np.array_equal(sums, np.stack(expected, axis=-1))


def test_p_matrix_is_symmetric_with_ones_on_the_diagonal() -> None:
    found = randomised_tukey(score_matrix(0, 20, 6, step=0.01), Plan(500))
    assert np.array_equal(found.p, found.p.T)
    assert np.all(np.diag(found.p) == 1)
    assert np.array_equal(found.difference, -found.difference.T)
    assert (int(found.topics), found.trials) == (20, 500)


def test_p_is_never_zero() -> None:
    matrix = score_matrix(0, 40, 3, step=1.0)
    assert pairs(randomised_tukey(matrix, Plan(99)).p).tolist() == [0.01] * 3


def test_a_common_shift_and_scale_of_scores_changes_nothing() -> None:
    matrix = score_matrix(1, 20, 4, step=0.02)
    first = randomised_tukey(matrix, Plan(500)).p
    assert np.array_equal(first, randomised_tukey(1000 - 1e6 * matrix, Plan(500)).p)


def test_order_of_the_systems_changes_nothing() -> None:
    matrix, names = score_matrix(3, 20, 7, step=0.005), list("dbgaecf")
    order = np.random.default_rng(0).permutation(7)
    first = randomised_tukey(matrix, Plan(700), systems=names).p
    turned = randomised_tukey(matrix[:, order], Plan(700), systems=[names[i] for i in order]).p
    assert np.array_equal(turned, first[np.ix_(order, order)])


def test_measures_together_and_threads_give_what_each_gives_alone() -> None:
    stack = np.stack([score_matrix(s, 30, 5, step=0.01) for s in range(3)])
    together = randomised_tukey(stack, Plan(600, threads=2)).p
    alone = [randomised_tukey(matrix, Plan(600)).p for matrix in stack]
    assert np.array_equal(together, alone)


def test_dropping_topics_is_the_same_as_not_having_them() -> None:
    matrix = score_matrix(0, 20, 4, step=0.02)
    matrix[17, 1] = matrix[19, 2] = np.nan
    dropped = randomised_tukey(matrix, Plan(4000), undefined="drop-topic")
    without = randomised_tukey(np.delete(matrix, [17, 19], axis=0), Plan(4000))
    assert int(dropped.topics) == 18
    assert np.array_equal(dropped.difference, without.difference)
    assert dropped.p == pytest.approx(without.p, abs=0.04)


@pytest.mark.slow
def test_family_wise_error() -> None:
    runs = 1500
    low, high = binom.ppf([0.0005, 0.9995], runs, 0.05)
    smallest = [
        pairs(randomised_tukey(score_matrix(s, 40, 8), Plan(199, rng=s)).p).min()
        for s in range(runs)
    ]
    rejected = np.sum(np.array(smallest) <= 0.05)
    assert low <= rejected <= high, rejected / runs
