"""What tests could have found."""

import numpy as np
import pytest
from scipy.stats import nct, t

from ordeval.stats import detectable_difference


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
