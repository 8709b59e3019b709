"""What tests could have found, equivalence and ranks."""

import numpy as np
import pytest
from scipy.stats import nct, t

from ordeval.stats import detectable_difference, equivalence, rank_intervals


@pytest.mark.parametrize("df", [4, 9, 29, 1000])
def test_the_detectable_difference_has_about_the_power(df: int) -> None:
    found = float(detectable_difference(1.0, df))
    power = nct.sf(t.ppf(0.975, df), df, found)
    assert power == pytest.approx(0.8, abs=0.06 if df < 9 else 0.02)


def test_more_power_and_smaller_levels_need_larger_differences() -> None:
    usual = detectable_difference([0.1, 0.2], 19)
    assert usual[1] == pytest.approx(2 * usual[0])
    assert np.all(detectable_difference([0.1, 0.2], 19, power=0.9) > usual)
    assert np.all(detectable_difference([0.1, 0.2], 19, alpha=0.01) > usual)
    assert np.isnan(detectable_difference(0.1, 0))


def test_equivalence_needs_the_whole_interval_within_the_margin() -> None:
    found = equivalence(
        [0.01, 0.01, 0.3, -0.3, 0.02, np.nan],
        [0.5, 0.5, 0.01, 0.01, 0.01, np.nan],
        [-0.04, -0.06, 0.1, -0.5, 0.01, np.nan],
        [0.04, 0.04, 0.5, -0.1, 0.03, np.nan],
        0.05,
    )
    assert found.tolist() == [
        *("equivalent", "undecided", "better", "worse", "equivalent", "undecided"),
    ]


def test_rank_intervals_hold_the_ranks() -> None:
    values = np.array([3.0, 1.0, 2.0, 0.0])
    gaps = values[:, None] - values
    lowest, highest = rank_intervals(np.where(np.abs(gaps) > 1.5, 0.01, 0.4), gaps)
    assert lowest.tolist() == [1, 2, 1, 3]
    assert highest.tolist() == [2, 4, 3, 4]
    lowest, highest = rank_intervals(np.full((2, 3, 3), np.nan), np.zeros((2, 3, 3)))
    assert lowest.tolist() == [[1] * 3] * 2
    assert highest.tolist() == [[3] * 3] * 2
