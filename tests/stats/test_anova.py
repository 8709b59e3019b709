"""Analysis of variance, effect sizes and groups."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import f, ttest_rel

from ordeval.errors import InputError
from ordeval.stats import effect_sizes, letter_groups, two_way

MATRIX = np.random.default_rng(0).gamma(2.0, size=(9, 4)) + np.arange(9)[:, None]


def residual_ss(*factors: np.ndarray) -> float:
    """Return the residual sum of squares of MATRIX after a least-squares fit on indicators."""
    design = np.concatenate([np.ones((MATRIX.size, 1)), *factors], axis=1)
    fit = np.linalg.lstsq(design, MATRIX.ravel(), rcond=None)[0]
    return float(((MATRIX.ravel() - design @ fit) ** 2).sum())


def test_sums_of_squares_are_those_of_least_squares() -> None:
    topics, systems = (np.eye(9).repeat(4, axis=0), np.tile(np.eye(4), (9, 1)))
    found = two_way(MATRIX)
    assert found.residual_ss == pytest.approx(residual_ss(topics, systems))
    assert found.systems_ss == pytest.approx(residual_ss(topics) - residual_ss(topics, systems))
    assert found.topics_ss == pytest.approx(residual_ss(systems) - residual_ss(topics, systems))
    assert (found.systems_df, found.topics_df, found.residual_df) == (3, 8, 24)


def test_f_and_p() -> None:
    found = two_way(MATRIX)
    expected = (found.systems_ss / 3) / (found.residual_ss / 24)
    assert found.systems_f == pytest.approx(expected)
    assert found.systems_p == pytest.approx(f.sf(expected, 3, 24))
    assert found.topics_p == pytest.approx(f.sf(found.topics_f, 8, 24))


def test_two_systems_give_the_paired_t_test() -> None:
    found, t = two_way(MATRIX[:, :2]), ttest_rel(*MATRIX[:, :2].T)
    assert found.systems_f == pytest.approx(t.statistic**2)
    assert found.systems_p == pytest.approx(t.pvalue)


def test_effect_sizes_divide_by_the_residual_deviation() -> None:
    means = MATRIX.mean(axis=0)
    found = effect_sizes(MATRIX)
    expected = (means[0] - means[3]) / np.sqrt(two_way(MATRIX).residual_variance)
    assert found[0, 3] == pytest.approx(expected)
    assert np.array_equal(found, -found.T)


def test_measures_are_batched() -> None:
    stack = np.stack([MATRIX, MATRIX**2])
    assert np.allclose(effect_sizes(stack), [effect_sizes(m) for m in stack])
    assert np.allclose(two_way(stack).systems_p, [two_way(m).systems_p for m in stack])


def test_additive_scores_leave_nothing_to_divide_by() -> None:
    additive = np.add.outer(np.linspace(0, 1, 7), [0.1, 0.2, 0.4])
    assert two_way(additive).residual_variance == 0
    assert np.isnan(effect_sizes(additive)).all()
    assert np.isnan(two_way(additive).systems_p)


def test_one_topic_is_refused() -> None:
    with pytest.raises(InputError, match="two topics"):
        two_way(np.ones((1, 4)))


def test_too_many_groups_give_none() -> None:
    p = np.ones((12, 12))
    for i in range(0, 12, 2):
        p[i, i + 1] = p[i + 1, i] = 0.01  # six pairs told apart make 2⁶ groups
    assert len(letter_groups(np.arange(12), p)) == 64
    assert letter_groups(np.arange(12), p, most=63) == []


@given(st.integers(2, 7), st.integers(0, 2**21 - 1))
def test_systems_share_a_letter_iff_not_told_apart(systems: int, pattern: int) -> None:
    p = np.ones((systems, systems))
    for place, (i, j) in enumerate(combinations(range(systems), 2)):
        p[i, j] = p[j, i] = 0.01 if pattern >> place & 1 else 0.5
    groups = letter_groups(np.arange(systems), p)
    for i, j in combinations(range(systems), 2):
        assert any({i, j} <= set(group) for group in groups) == (p[i, j] > 0.05)
    assert not any(set(a) < set(b) for a in groups for b in groups)
