"""Rank correlations against scipy's."""

from typing import Literal

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from ordeval.errors import InputError
from ordeval.meta import Similarity, kendall, similarity
from ordeval.meta.rankings import standard_ranks
from ordeval.types import Floats


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


def tau_of_all_pairs(a: Floats, b: Floats, variant: str) -> Floats:
    """Kendall's coefficient by its definition, from the sign of every difference."""
    signs = []
    for row in (a, b):
        gaps = row[:, :, None] - row[:, None]
        tolerance = 1e-12 * np.abs(row).max(axis=1)[:, None, None]
        signs.append(np.where(np.abs(gaps) <= tolerance, 0.0, np.sign(gaps)))
    agreement, first, second = (
        (x * y).sum(axis=(1, 2)) / 2 for x, y in (signs, signs[:1] * 2, signs[1:] * 2)
    )
    if variant == "a":
        return agreement / (a.shape[1] * (a.shape[1] - 1) // 2)
    with np.errstate(invalid="ignore"):
        return agreement / np.sqrt(first * second)


@pytest.mark.parametrize("variant", ["a", "b"])
@pytest.mark.parametrize("systems", [2, 7, 180, 257])
@pytest.mark.parametrize(
    "make",
    [
        lambda rng, shape: rng.normal(size=shape),
        lambda rng, shape: rng.integers(5, size=shape) / 7,
        lambda rng, shape: rng.integers(9, size=shape) / 3 + rng.normal(size=shape) * 1e-16,
        lambda rng, shape: np.where(rng.random(shape) < 0.01, np.nan, rng.normal(size=shape)),
        lambda rng, shape: rng.normal(size=shape) * 10.0 ** rng.integers(-320, 300, size=(9, 1)),
    ],
    ids=["untied", "ties", "rounding", "undefined", "tiny"],
)
def test_ranks_count_what_all_pairs_say(make, systems: int, variant: Literal["a", "b"]) -> None:
    rng = np.random.default_rng(systems)
    a, b = make(rng, (9, systems)), make(rng, (9, systems))
    np.testing.assert_array_equal(kendall(a, b, variant), tau_of_all_pairs(a, b, variant))


def test_infinite_scores_tie_with_finite_ones() -> None:
    assert kendall(np.array([np.inf, 1.0, 2.0]), np.arange(3.0)) == 0.0


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
    with pytest.raises(InputError, match="variant is 'c'"):
        similarity(toy, variant="c")
