"""Rank correlations against scipy's."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from ordeval.errors import InputError
from ordeval.meta import Similarity, kendall, similarity
from ordeval.meta.rankings import standard_ranks


def test_tau_b_is_scipys_with_ties() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, size=(2, 50, 7)).astype(float)
    expected = [kendalltau(x, y).statistic for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(kendall(a, b, "b"), expected, atol=1e-12)


def test_tau_a_divides_by_all_pairs() -> None:
    # Pairs: one tied in the first, the other two concordant.
    assert kendall(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)


def test_rounding_makes_no_rank() -> None:
    tied = np.array([0.1 + 0.2, 0.3, 0.5])
    assert kendall(tied, np.array([1.0, 2.0, 3.0])) == pytest.approx(2 / 3)


def test_all_tied_is_undefined_for_tau_b_only() -> None:
    flat, rising = np.zeros(3), np.arange(3.0)
    assert np.isnan(kendall(flat, rising, "b"))
    assert kendall(flat, rising, "a") == 0.0


def test_undefined_scores_give_undefined_tau() -> None:
    assert np.isnan(kendall(np.array([1.0, np.nan, 2.0]), np.arange(3.0)))


def test_inner_product_of_standard_ranks_is_spearman() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 5, size=(2, 9)).astype(float)
    found = standard_ranks(a) @ standard_ranks(b)
    assert found == pytest.approx(spearmanr(a, b).statistic)


def test_letters_go_on_after_z() -> None:
    names = tuple(map(str, range(28)))
    found = Similarity(names, np.eye(28), tuple((name,) for name in names), 0.8, "a")
    assert [found.group_of(name) for name in names[-3:]] == ["Z", "A2", "B2"]


def test_unknown_variant_is_refused(toy) -> None:
    with pytest.raises(InputError, match="variant='c'"):
        similarity(toy, variant="c")
