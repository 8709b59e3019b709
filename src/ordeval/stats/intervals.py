"""Intervals from replicates (percentile), and from leaving out units (Student's t).

Hall (1992), On the removal of skewness by transformation, Journal of the Royal Statistical
Society B 54, 221-228.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, check_choice
from ..measures.scoring import check_undefined, replace_undefined
from ..types import Array, Bools, Floats, Ints, Undefined
from .resample import (
    Plan,
    Statistic,
    bootstrap_means,
    divide_defined,
    effective_number,
    weighted_means,
    wrong_shape,
)

Kind = Literal["dirichlet", "t", "percentile"]
Pairs = Sequence[tuple[int, int]] | Ints
"""The positions of the systems of every pair."""
# Skewness times t up to which the transformation is used; then an end is at most 1.9 t away. Beyond
# 1 it turns over and gives ends at 4 t that cover hardly more.
MOST_SKEW = 0.9
_ROUNDING = 64 * np.finfo(np.float64).eps
_LITTLE = 1e-9  # a part of an item
_NO_SKEW = 1e-6  # skewness that changes no quantile


@dataclass(frozen=True, slots=True)
class Interval:
    """Intervals of the scores of M measures.

    Parameters
    ----------
    estimate : array of shape (M, ...)
        Scores of the data themselves.
    low : array of shape (M, ...)
        Lower ends, NaN where the estimate or all replicates are undefined.
    high : array of shape (M, ...)
        Upper ends, NaN where the estimate or all replicates are undefined.
    se : array of shape (M, ...)
        Standard errors: standard deviations of the defined replicates.
    undefined : array of int of shape (M, ...)
        Number of undefined replicates, which were left out.
    method : {"dirichlet", "t", "percentile"}
        Kind of interval.
    level : float
        Nominal coverage.
    replicates : int
        Number of replicates; of units left out for "t".

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.7, 0.4, 0.9, 0.5]]  # one measure, five topics
    >>> interval = oe.stats.mean_interval(scores)
    >>> interval.low.shape, interval.method, interval.replicates
    ((1,), 't', 5)
    """

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    method: Kind
    level: float
    replicates: int

    @classmethod
    def stack(cls, parts: "Sequence[Interval]", axis: int = -1) -> "Interval":
        """Join intervals of the same method, level and replicates along a new axis.

        Parameters
        ----------
        parts : sequence of Interval
            The intervals.
        axis : int, default: -1
            Position of the new axis.

        Returns
        -------
        Interval
            The intervals of all parts.
        """
        stacked: dict[str, Any] = {
            name: np.stack([getattr(part, name) for part in parts], axis=axis)
            for name in ("estimate", "low", "high", "se", "undefined")
        }
        return replace(parts[0], **stacked)

    def negated(self) -> "Interval":
        """Return the intervals of the negative scores.

        Returns
        -------
        Interval
            Intervals from ``-high`` to ``-low``.
        """
        return replace(self, estimate=-self.estimate, low=-self.high, high=-self.low)

    def where(self, places: Bools, low: Floats, high: Floats) -> "Interval":
        """Return the intervals with other ends in some places.

        Parameters
        ----------
        places : array of bool of shape (M, ...)
            Where the ends are others.
        low, high : array of shape (M, ...)
            These ends.

        Returns
        -------
        Interval
            The intervals, those in other places as they are.
        """
        low, high = np.where(places, low, self.low), np.where(places, high, self.high)
        return replace(self, low=low, high=high)


def mean_interval(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    method: Literal["t", "percentile"] = "t",
    level: float = 0.95,
    undefined: Undefined = None,
) -> Interval:
    """Compute intervals of means over topics.

    Parameters
    ----------
    scores : array_like of shape (M, ..., T)
        Scores of every topic, NaN where undefined.
    plan : Plan, optional
        The number of replicates and the seed of a percentile interval. By default 2,000
        replicates from seed 0.
    method : {"t", "percentile"}, default: "t"
        The t interval, corrected for the skewness of the topics' scores, or quantiles of means over
        resampled topics, which all measures and systems share.
    level : float, default: 0.95
        Nominal coverage.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves them out of a mean, and None makes a
        mean undefined if any topic in it is.

    Returns
    -------
    Interval
        Intervals of shape (M, ...).

    Examples
    --------
    >>> import ordeval as oe
    >>> interval = oe.stats.mean_interval([[0.6, 0.7, 0.4, 0.9, 0.5]])
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [0.62, 0.41, 0.92]
    """
    check_choice("method", method, ("t", "percentile"))
    check_undefined(undefined)
    by_topic = np.asarray(scores, dtype=np.float64)
    if by_topic.ndim < 2 or by_topic.shape[-1] == 0:
        expected = "(measures, ..., topics) with at least one topic"
        raise wrong_shape(by_topic, expected, "scores")
    estimate = weighted_means(by_topic, np.ones((1, by_topic.shape[-1])), undefined)[..., 0]
    if method == "percentile":
        return percentile(estimate, bootstrap_means(by_topic, plan or Plan(), undefined), level)
    left_out = mean_jackknife(by_topic, undefined)
    if undefined == "skip":
        left_out = np.where(np.isnan(np.moveaxis(by_topic, -1, 1)), np.nan, left_out)
    return unit_interval(estimate, left_out, level)


def t_interval(estimate: ArrayLike, left_out: ArrayLike, level: float = 0.95) -> Interval:
    """Compute t intervals [M, ...] from scores [M, J, ...] without unit j, NaN where undefined.

    For a mean over units this is the usual t interval. There is none for fewer than two defined
    units.
    """
    tails(level)
    value = np.asarray(estimate, dtype=np.float64)
    # Units last and contiguous, so that sums over them do not depend on the number of systems.
    scores = np.ascontiguousarray(np.moveaxis(np.asarray(left_out, dtype=np.float64), 1, -1))
    missing = np.isnan(scores)
    units = np.sum(~missing, axis=-1)
    usable = (units > 1) & ~np.isnan(value)
    count = np.maximum(units, 2)
    mean = np.where(missing, 0.0, scores).sum(axis=-1) / count
    squares = np.where(missing, 0.0, scores - mean[..., None]) ** 2
    se = np.where(usable, np.sqrt((count - 1) / count * squares.sum(axis=-1)), np.nan)
    # Differences of rounding errors are no spread.
    se = np.where(se <= _ROUNDING * np.abs(mean) * count, 0.0, se)
    half = t_quantile(count - 1, level) * se
    return Interval(
        value, value - half, value + half, se, missing.sum(axis=-1), "t", level, scores.shape[-1]
    )


def unit_interval(
    estimate: ArrayLike,
    left_out: ArrayLike,
    level: float = 0.95,
    sizes: Floats | None = None,
    *,
    symmetric: bool = False,
) -> Interval:
    """Compute t intervals [M, ...] over topics or clusters of sizes [J], which may be skewed.

    Large units make the standard error uncertain: the degrees of freedom are the effective number
    of units less 1. If few units are far off, the standard error is small when they are missing;
    Hall's transformation of the quantiles makes the interval reach farther to their side, unless it
    is to be symmetric.
    """
    plain = t_interval(estimate, left_out, level)
    own, share = own_scores(plain.estimate, left_out, sizes)
    effective = effective_number(share.sum(axis=-1), (share**2).sum(axis=-1))
    t = t_quantile(np.maximum(effective - 1, 1.0), level)
    most = 0.0 if symmetric else MOST_SKEW / t
    skew = np.clip(skewness(own, share), -most, most)
    low, high = (plain.estimate - plain.se * unskewed(end, skew) for end in (t, -t))
    low, high = np.minimum(low, plain.estimate), np.maximum(high, plain.estimate)
    return replace(plain, low=low, high=high)


def own_scores(
    estimate: Floats, left_out: ArrayLike, sizes: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return by how much units score more than all together, and their shares: [M, ..., J].

    They come from scores [M, J, ...] without unit j, and are 0 for units without a score.
    """
    without = np.ascontiguousarray(np.moveaxis(np.asarray(left_out, dtype=np.float64), 1, -1))
    size = ~np.isnan(without) * (np.ones(without.shape[-1]) if sizes is None else sizes)
    share = size / np.maximum(size.sum(axis=-1, keepdims=True), np.finfo(np.float64).tiny)
    used, value = share > 0, estimate[..., None]
    apart = np.where(used, value - without, 0.0)
    apart[np.abs(apart) <= _ROUNDING * np.abs(value)] = 0.0
    own = apart * (1 - share) / np.where(used, share, 1.0)
    return np.where(used, own - (share * own).sum(axis=-1, keepdims=True), 0.0), share


def skewness(own: Floats, share: Floats) -> Floats:
    """Return the skewness of the score of all, from those of units [..., J]; 0 without spread."""
    second, third = ((share * own**power).sum(axis=-1) for power in (2, 3))
    units = np.maximum((share > 0).sum(axis=-1), 1)
    return np.asarray(third / np.where(second > 0, second, np.inf) ** 1.5 / np.sqrt(units))


def unskewed(t: Floats | float, skew: Floats | float) -> Floats:
    """Return the quantile of a studentised mean whose sum has this skewness, as by Hall (1992)."""
    small = np.abs(skew) < _NO_SKEW
    used = np.where(small, 1.0, skew)
    return np.where(small, t, 3 / used * (np.cbrt(1 + used * (t - used / 6)) - 1))


def t_quantile(df: ArrayLike, level: float) -> Floats:
    """Return by how many standard errors a t interval reaches to each side."""
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(df, (1 + level) / 2), dtype=np.float64)


def share_interval(share: ArrayLike, n: ArrayLike, level: float = 0.95) -> tuple[Floats, Floats]:
    """Return intervals of shares of n items, whatever the number of classes.

    They are Jeffreys' with the changes of Brown, Cai & DasGupta (2001): that of 0 is exact, and of
    one item it reaches to 0; likewise at 1.
    """
    from scipy.special import betaincinv

    share, n = np.clip(share, 0.0, 1.0), np.asarray(n, np.float64)
    tail, of = tails(level)[0], share * n
    low, high = (betaincinv(of + 0.5, n - of + 0.5, t) for t in (tail, 1 - tail))
    least = tail ** (1 / n)
    low = np.where(of > n - _LITTLE, least, np.where(of < 1 + _LITTLE, 0.0, low))
    high = np.where(of < _LITTLE, 1 - least, np.where(of > n - 1 - _LITTLE, 1.0, high))
    return low, high


def percentile(estimate: ArrayLike, replicates: ArrayLike, level: float = 0.95) -> Interval:
    """Compute intervals [M, ...] between two quantiles of the defined replicates [M, B, ...]."""
    value = np.asarray(estimate, dtype=np.float64)
    # Contiguous, so that sums over replicates do not depend on the number of systems.
    moved = np.ascontiguousarray(np.moveaxis(np.asarray(replicates, dtype=np.float64), 1, -1))
    ordered = np.sort(moved, axis=-1)  # undefined ones last
    low, high = (
        np.where(np.isnan(value), np.nan, _quantile(ordered, tail)) for tail in tails(level)
    )
    undefined = np.sum(np.isnan(ordered), axis=-1)
    size = ordered.shape[-1]
    return Interval(value, low, high, _spread(ordered), undefined, "percentile", level, size)


def topic_jackknife(tables: Floats, statistic: Statistic, undefined: Undefined = None) -> Floats:
    """Score the sum of tables [..., T, K, K] without one topic: [M, T, ...]."""
    without = statistic(tables.sum(axis=-3, keepdims=True) - tables)
    return np.moveaxis(replace_undefined(without, undefined), -1, 1)


def mean_jackknife(scores: Floats, undefined: Undefined = None) -> Floats:
    """Take means of scores [M, ..., T] without one topic: [M, T, ...]."""
    scores = np.ascontiguousarray(replace_undefined(scores, undefined))
    missing = np.isnan(scores)
    filled = np.where(missing, 0.0, scores)
    sums = filled.sum(axis=-1, keepdims=True) - filled
    without = missing.sum(axis=-1, keepdims=True) - missing
    return np.moveaxis(divide_defined(sums, without, scores.shape[-1] - 1, undefined), -1, 1)


def tails(level: float) -> tuple[float, float]:
    """Return the shares below the ends of an interval; raise an error unless there is a level."""
    if not 0 < level < 1:
        raise InputError(
            f"level is {level}, but a number between 0 and 1 is expected.", parameter="level"
        )
    return (1 - level) / 2, (1 + level) / 2


def _quantile(ordered: Floats, share: float) -> Floats:
    """Return quantiles [M, ...] of sorted replicates; the k-th of n is the k/(n+1) quantile."""
    defined = np.sum(~np.isnan(ordered), axis=-1)
    last = np.maximum(defined - 1, 0)
    place = np.clip(share * (defined + 1) - 1, 0, last)
    lower = np.floor(place).astype(np.int64)
    upper = np.minimum(lower + 1, last)
    below = np.take_along_axis(ordered, lower[..., None], axis=-1)[..., 0]
    above = np.take_along_axis(ordered, upper[..., None], axis=-1)[..., 0]
    inside = below + (place - lower) * (above - below)
    return np.asarray(np.clip(inside, below, above))


def _spread(ordered: Floats) -> Floats:
    """Return the standard deviation of the defined replicates, NaN for fewer than two."""
    missing = np.isnan(ordered)
    defined = np.sum(~missing, axis=-1)
    mean = np.where(missing, 0.0, ordered).sum(axis=-1) / np.maximum(defined, 1)
    square = np.where(missing, 0.0, ordered - mean[..., None]) ** 2
    variance = square.sum(axis=-1) / np.maximum(defined - 1, 1)
    return np.where(defined > 1, np.sqrt(variance), np.nan)


def square(upper: Array, lower: Array, pairs: Pairs, systems: int, diagonal: float = 0) -> Array:
    """Turn figures [M, P] of pairs, and of the turned pairs, into a square of systems [M, S, S].

    Floats of pairs that are not given are NaN.
    """
    firsts, seconds = np.transpose(pairs)
    fill = np.nan if upper.dtype.kind == "f" else 0
    whole = np.full((len(upper), systems, systems), fill, dtype=upper.dtype)
    whole[:, range(systems), range(systems)] = diagonal
    whole[:, firsts, seconds], whole[:, seconds, firsts] = upper, lower
    return whole
