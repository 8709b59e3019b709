"""What tests could have found."""

import numpy as np
from numpy.typing import ArrayLike

from ..types import Floats


def detectable_difference(
    se: ArrayLike, df: ArrayLike, alpha: float = 0.05, power: float = 0.8
) -> Floats:
    """Return the smallest true difference that a two-sided test finds with the given power.

    Parameters
    ----------
    se : array_like
        Standard errors of paired differences.
    df : array_like
        Degrees of freedom: the number of units less 1.
    alpha : float, default: 0.05
        Level of the test. For the worst case of a family of m pairs, pass alpha / m.
    power : float, default: 0.8
        Probability that a true difference of this size is found.

    Returns
    -------
    array of float
        ``se`` times the sum of the t quantiles of 1 - alpha / 2 and of the power; NaN without
        degrees of freedom.

    Examples
    --------
    >>> import ordeval as oe
    >>> round(float(oe.stats.detectable_difference(0.02, 29)), 3)
    0.058
    """
    from scipy.special import stdtrit

    freedom = np.asarray(df, dtype=np.float64)
    usable = np.where(freedom > 0, freedom, np.nan)
    quantiles = stdtrit(usable, 1 - alpha / 2) + stdtrit(usable, power)
    return np.asarray(np.asarray(se, dtype=np.float64) * quantiles)
