"""What tests could have found, and what they allow to be said of ranks and equivalence."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import Floats, Ints

BETTER, WORSE, EQUIVALENT, UNDECIDED = "better", "worse", "equivalent", "undecided"


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


def equivalence(
    difference: ArrayLike,
    p: ArrayLike,
    low: ArrayLike,
    high: ArrayLike,
    margin: ArrayLike,
    alpha: float = 0.05,
) -> NDArray[Any]:
    """Decide between better, worse, equivalent within a margin, and undecided.

    Two one-sided tests at level alpha find a difference within the margin exactly if its
    interval of level 1 - 2 alpha is. A difference that is both significant and within the margin
    is called equivalent: it is there, but too small to matter.

    Parameters
    ----------
    difference : array_like
        Differences, positive where the first system is better.
    p : array_like
        Their p-values.
    low, high : array_like
        Ends of the intervals of level 1 - 2 alpha.
    margin : array_like
        The largest difference, in the unit of the measure, that does not matter.
    alpha : float, default: 0.05
        Level of the tests.

    Returns
    -------
    array of str
        "better", "worse", "equivalent" or "undecided"; the last where anything is undefined.

    Examples
    --------
    >>> import ordeval as oe
    >>> difference, p = [0.2, 0.01, -0.1], [0.001, 0.4, 0.2]
    >>> oe.stats.equivalence(difference, p, [0.1, -0.02, -0.3], [0.3, 0.04, 0.1], 0.05).tolist()
    ['better', 'equivalent', 'undecided']
    """
    gap, level = np.asarray(difference, dtype=np.float64), np.asarray(p, dtype=np.float64)
    within = (np.asarray(low) > -np.asarray(margin)) & (np.asarray(high) < margin)
    significant = level < alpha
    return np.select(
        [within, significant & (gap > 0), significant & (gap < 0)],
        [EQUIVALENT, BETTER, WORSE],
        UNDECIDED,
    )


def rank_intervals(p: ArrayLike, difference: ArrayLike, alpha: float = 0.05) -> tuple[Ints, Ints]:
    """Return the ranks that the tests leave possible for every system.

    If the tests control the family-wise error, all true ranks lie in these intervals with
    probability 1 - alpha at least.

    Parameters
    ----------
    p : array_like of shape (..., S, S)
        Symmetric p-values of all pairs; NaN where there is no test.
    difference : array_like of shape (..., S, S)
        Differences, positive where the row's system is better.
    alpha : float, default: 0.05
        Level below which a difference is significant.

    Returns
    -------
    lowest : array of int of shape (..., S)
        1 plus the number of systems that are significantly better.
    highest : array of int of shape (..., S)
        The number of systems less those that are significantly worse.

    Examples
    --------
    >>> import ordeval as oe
    >>> p = [[1.0, 0.4, 0.01], [0.4, 1.0, 0.02], [0.01, 0.02, 1.0]]
    >>> difference = [[0.0, 0.1, 0.3], [-0.1, 0.0, 0.2], [-0.3, -0.2, 0.0]]
    >>> lowest, highest = oe.stats.rank_intervals(p, difference)
    >>> lowest.tolist(), highest.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    level, gap = np.asarray(p, dtype=np.float64), np.asarray(difference, dtype=np.float64)
    significant = level < alpha
    better = np.count_nonzero(significant & (gap < 0), axis=-1)
    worse = np.count_nonzero(significant & (gap > 0), axis=-1)
    return np.asarray(1 + better), np.asarray(level.shape[-1] - worse)
