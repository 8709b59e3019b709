"""Bootstrap intervals: percentile and BCa.

Both ends of an interval are quantiles of the defined replicates, so an interval never leaves the
range of the measure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..measures.scoring import replace_undefined
from ..types import Aggregate, Bools, Floats, Ints, Method, Over, Undefined
from .resample import (
    Plan,
    Statistic,
    as_topics,
    bootstrap,
    bootstrap_means,
    check_options,
    divide_defined,
    score_topics,
    weighted_means,
)

_JACKKNIFE_ENTRIES = 2**20  # numbers in the tables without an item that are held at a time

Jackknife = tuple[Floats, Ints]
"""Scores [M, J, ...] without unit j, and the number [J] of units that each stands for."""


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
    plain : array of bool of shape (M, ...)
        Whether this is a percentile interval because BCa has no solution.
    method : {"dirichlet", "t", "bca", "percentile"}
        Kind of interval.
    level : float
        Nominal coverage.
    replicates : int
        Number of replicates; of units left out for "t".

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> scores = np.array([[0.6, 0.7, 0.4, 0.9, 0.5]])  # one measure, five topics
    >>> found = oe.stats.mean_interval(scores, method="percentile")
    >>> found.low.shape, found.method, found.replicates
    ((1,), 'percentile', 2000)
    """

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    plain: Bools
    method: Method
    level: float
    replicates: int

    @classmethod
    def stack(cls, parts: "Sequence[Interval]", axis: int = -1) -> "Interval":
        """Join intervals along a new axis.

        Parameters
        ----------
        parts : sequence of Interval
            Intervals of the same method, level and number of replicates.
        axis : int, default: -1
            Position of the new axis.

        Returns
        -------
        Interval
            The intervals of all parts.
        """
        stacked: dict[str, Any] = {
            name: np.stack([getattr(part, name) for part in parts], axis=axis)
            for name in ("estimate", "low", "high", "se", "undefined", "plain")
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


def bootstrap_interval(
    counts: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    method: Method = "bca",
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute bootstrap intervals of the scores of one system.

    Parameters
    ----------
    counts : array_like of shape (K, K) or (T, K, K)
        Whole counts of items by gold and predicted class, of every topic. With
        ``over="topics"`` the counts may be real weights, and there may be leading axes, such as
        systems, which share the drawn topics.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of replicates and the seed. By default 2,000 replicates from seed 0.
    method : {"bca", "percentile"}, default: "bca"
        Bias-corrected and accelerated intervals, or quantiles of the replicates.
    level : float, default: 0.95
        Nominal coverage.
    over : {"items", "topics", "both"}, default: "items"
        Resample the items of every topic, whole topics, or topics and then their items.
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.

    Returns
    -------
    Interval
        Intervals of shape (M,), or (M, ...) if the counts have leading axes.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> found = oe.stats.bootstrap_interval([[30, 5], [10, 15]], accuracy)
    >>> [round(float(x[0]), 2) for x in (found.estimate, found.low, found.high)]
    [0.75, 0.62, 0.85]
    """
    check_options(method=method, over=over, aggregate=aggregate, undefined=undefined)
    return resampled_interval(
        as_topics(counts, over),
        statistic,
        plan or Plan(),
        method=method,
        level=level,
        over=over,
        aggregate=aggregate,
        undefined=undefined,
    )


def resampled_interval(
    tables: Floats,
    statistic: Statistic,
    plan: Plan,
    *,
    method: Method,
    level: float,
    over: Over,
    aggregate: Aggregate,
    undefined: Undefined,
    contrast: Callable[[Floats], Floats] = lambda scores: scores,
) -> Interval:
    """Compute intervals of `contrast(scores)`, a linear function of scores along their first axis.

    The other parameters are those of `bootstrap_interval`, unchecked.
    """
    replicates = bootstrap(
        tables, statistic, plan, over=over, aggregate=aggregate, undefined=undefined
    )
    jackknife = item_jackknife if over == "items" else topic_jackknife

    def left_out() -> Jackknife:
        scores, weights = jackknife(tables, statistic, aggregate=aggregate, undefined=undefined)
        return contrast(scores), weights

    estimate = contrast(score_topics(tables, statistic, aggregate, undefined))
    return interval_of(estimate, contrast(replicates), left_out, method, level)


def mean_interval(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    method: Method = "bca",
    level: float = 0.95,
    undefined: Undefined = None,
) -> Interval:
    """Compute bootstrap intervals of means over topics.

    Parameters
    ----------
    scores : array_like of shape (M, ..., T)
        Scores of every topic, NaN where undefined. Topics are resampled, and all measures and
        systems share the drawn topics.
    plan : Plan, optional
        The number of replicates and the seed. By default 2,000 replicates from seed 0.
    method : {"bca", "percentile"}, default: "bca"
        Bias-corrected and accelerated intervals, or quantiles of the replicates.
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
    >>> found = oe.stats.mean_interval([[0.6, 0.7, 0.4, 0.9, 0.5]])
    >>> [round(float(x[0]), 2) for x in (found.estimate, found.low, found.high)]
    [0.62, 0.48, 0.78]
    """
    check_options(method=method, undefined=undefined)
    given = np.asarray(scores, dtype=np.float64)
    if given.ndim < 2 or given.shape[-1] == 0:
        raise InputError(
            f"Scores of shape {given.shape} were given, but (measures, ..., topics) with at least "
            "one topic is expected.",
            parameter="scores",
        )
    replicates = bootstrap_means(given, plan or Plan(), undefined)
    estimate = weighted_means(given, np.ones((1, given.shape[-1])), undefined)[..., 0]
    return interval_of(
        estimate, replicates, lambda: mean_jackknife(given, undefined), method, level
    )


def interval_of(
    estimate: Floats,
    replicates: Floats,
    left_out: Callable[[], Jackknife],
    method: Method,
    level: float,
) -> Interval:
    """Compute intervals by either method; only BCa calls `left_out` for the jackknife."""
    if method == "percentile":
        return percentile(estimate, replicates, level)
    return bca(estimate, replicates, acceleration(*left_out()), level)


def t_interval(estimate: ArrayLike, left_out: ArrayLike, level: float = 0.95) -> Interval:
    """Compute intervals from the jackknife and Student's t distribution.

    For a mean over units this is the usual t interval. Unlike the quantiles of a bootstrap, it
    allows for the uncertainty of the standard error if units are few.

    Parameters
    ----------
    estimate : array_like of shape (M, ...)
        Scores of the data themselves.
    left_out : array_like of shape (M, J, ...)
        Scores without unit j, NaN where undefined; these are left out.
    level : float, default: 0.95
        Nominal coverage.

    Returns
    -------
    Interval
        Intervals of shape (M, ...); NaN where fewer than two units are defined.
    """
    from scipy.special import stdtrit

    given = np.asarray(estimate, dtype=np.float64)
    # Units last and contiguous, so that sums over them do not depend on the number of systems.
    scores = np.ascontiguousarray(np.moveaxis(np.asarray(left_out, dtype=np.float64), 1, -1))
    missing = np.isnan(scores)
    units = np.sum(~missing, axis=-1)
    usable = (units > 1) & ~np.isnan(given)
    count = np.maximum(units, 2)
    mean = np.where(missing, 0.0, scores).sum(axis=-1) / count
    squares = np.where(missing, 0.0, scores - mean[..., None]) ** 2
    se = np.where(usable, np.sqrt((count - 1) / count * squares.sum(axis=-1)), np.nan)
    # Differences of rounding errors are no spread.
    se = np.where(se <= 64 * np.finfo(np.float64).eps * np.abs(mean) * count, 0.0, se)
    half = stdtrit(count - 1, _tails(level)[1]) * se
    return Interval(
        given,
        given - half,
        given + half,
        se,
        missing.sum(axis=-1),
        np.zeros(given.shape, dtype=np.bool_),
        "t",
        level,
        scores.shape[-1],
    )


def percentile(estimate: ArrayLike, replicates: ArrayLike, level: float = 0.95) -> Interval:
    """Compute intervals between two quantiles of the replicates.

    Parameters
    ----------
    estimate : array_like of shape (M, ...)
        Scores of the data themselves.
    replicates : array_like of shape (M, B, ...)
        Scores of the replicates, NaN where undefined.
    level : float, default: 0.95
        Share of the replicates within the interval.

    Returns
    -------
    Interval
        Intervals of shape (M, ...).
    """
    given = np.asarray(estimate, dtype=np.float64)
    low, high = (np.full(given.shape, tail) for tail in _tails(level))
    plain = np.zeros(given.shape, dtype=np.bool_)
    return _interval(given, _by_replicate(replicates), low, high, plain, "percentile", level)


def bca(
    estimate: ArrayLike, replicates: ArrayLike, acceleration: ArrayLike, level: float = 0.95
) -> Interval:
    """Compute bias-corrected and accelerated intervals (Efron 1987).

    Where the estimate lies outside all replicates, or the correction has no solution, the
    interval is the percentile interval and `plain` is true.

    Parameters
    ----------
    estimate : array_like of shape (M, ...)
        Scores of the data themselves.
    replicates : array_like of shape (M, B, ...)
        Scores of the replicates, NaN where undefined.
    acceleration : array_like of shape (M, ...)
        See `acceleration`.
    level : float, default: 0.95
        Nominal coverage.

    Returns
    -------
    Interval
        Intervals of shape (M, ...).
    """
    from scipy.special import ndtr, ndtri

    given = np.asarray(estimate, dtype=np.float64)
    ordered = _by_replicate(replicates)
    share_below = _share_below(given, ordered)
    usable = (share_below > 0) & (share_below < 1)
    bias = ndtri(np.where(usable, share_below, 0.5))
    skew = np.asarray(acceleration, dtype=np.float64)
    tails, corrected = _tails(level), []
    for tail in tails:
        shift = bias + ndtri(tail)
        shrink = 1 - skew * shift
        usable &= shrink > 0
        corrected.append(ndtr(bias + shift / np.where(shrink > 0, shrink, 1.0)))
    low, high = (np.where(usable, c, t) for c, t in zip(corrected, tails, strict=True))
    return _interval(given, ordered, low, high, ~usable, "bca", level)


def acceleration(left_out: ArrayLike, weights: ArrayLike) -> Floats:
    """Return the acceleration of BCa: a sixth of the skewness of the jackknife.

    Parameters
    ----------
    left_out : array_like of shape (M, J, ...)
        Scores without unit j; undefined ones are ignored.
    weights : array_like of shape (J,)
        Number of units that j stands for.

    Returns
    -------
    array of shape (M, ...)
        The acceleration, 0 where the jackknife has no spread.
    """
    values = np.asarray(left_out, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64).reshape(-1, *[1] * (values.ndim - 2))
    weight = np.where(np.isnan(values), 0.0, weight)
    values = np.where(np.isnan(values), 0.0, values)
    total = weight.sum(axis=1)
    mean = (weight * values).sum(axis=1) / np.where(total > 0, total, 1.0)
    influence = np.where(weight > 0, mean[:, None] - values, 0.0)
    # Scaled by the largest one, so that cubes of tiny influences do not underflow. Influences of
    # the size of rounding errors are not spread.
    largest = np.abs(influence).max(axis=1, initial=0.0)
    spread = largest > 4 * np.finfo(np.float64).eps * np.abs(mean)
    influence = np.where(spread, 1 / np.where(spread, largest, 1.0), 0.0)[:, None] * influence
    square = (weight * influence**2).sum(axis=1)
    cube = (weight * influence**3).sum(axis=1)
    return np.asarray(cube / (6 * np.where(square > 0, square, 1.0) ** 1.5), dtype=np.float64)


def item_jackknife(
    tables: Floats,
    statistic: Statistic,
    *,
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Jackknife:
    """Score tables without one item, for every cell that an item can be removed from.

    Parameters
    ----------
    tables : array of shape (T, K, K)
        Whole counts of every topic.
    statistic : callable
        Maps tables [..., K, K] to scores [M, ...].
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    undefined : float, "skip" or None, default: None
        What replaces undefined scores.

    Returns
    -------
    scores : array of shape (M, J)
        J is the number of cells, times the number of topics for a mean over topics.
    weights : array of shape (J,)
        Number of items that each score stands for.
    """
    tables = tables.sum(axis=0, keepdims=True) if aggregate == "pool" else tables
    scores = replace_undefined(statistic(tables), undefined)
    without = np.stack([_without_items(table, statistic) for table in tables], axis=1)
    means = _replaced_means(scores, replace_undefined(without, undefined), undefined)
    return means, tables.ravel().astype(np.int64)


def topic_jackknife(
    tables: Floats,
    statistic: Statistic,
    *,
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Jackknife:
    """Score tables [..., T, K, K] without one topic: [M, T, ...], each with weight 1."""
    if aggregate == "mean":
        return mean_jackknife(statistic(tables), undefined)
    without = statistic(tables.sum(axis=-3, keepdims=True) - tables)
    scores = np.moveaxis(replace_undefined(without, undefined), -1, 1)
    return scores, np.ones(tables.shape[-3], dtype=np.int64)


def mean_jackknife(scores: Floats, undefined: Undefined = None) -> Jackknife:
    """Take means of scores [M, ..., T] without one topic: [M, T, ...], each with weight 1."""
    scores = np.ascontiguousarray(replace_undefined(scores, undefined))
    topics, missing = scores.shape[-1], np.isnan(scores)
    filled = np.where(missing, 0.0, scores)
    sums = filled.sum(axis=-1, keepdims=True) - filled
    without = missing.sum(axis=-1, keepdims=True) - missing
    means = divide_defined(sums, without, topics - 1, undefined)
    return np.moveaxis(means, -1, 1), np.ones(topics, dtype=np.int64)


def _without_items(table: Floats, statistic: Statistic) -> Floats:
    """Score a table without one item of each cell, [M, J]; for empty cells as it is."""
    whole = statistic(np.stack([table, table]))[:, :1]
    scores = np.repeat(whole, table.size, axis=1)
    filled = np.flatnonzero(table)
    step = max(1, _JACKKNIFE_ENTRIES // table.size)
    for start in range(0, len(filled), step):
        some = filled[start : start + step]
        scores[:, some] = statistic(leave_out_items(table, some))
    return scores


def leave_out_items(table: Floats, cells: Ints) -> Floats:
    """Return tables [J, K, K] without one item of each of some cells."""
    tables = np.repeat(table.reshape(1, -1), len(cells), axis=0)
    tables[np.arange(len(cells)), cells] -= 1
    return tables.reshape(len(cells), *table.shape)


def _replaced_means(scores: Floats, without: Floats, undefined: Undefined) -> Floats:
    """Replace each score [M, T] by each of `without` [M, T, J]; return the means [M, T * J]."""
    old, new = np.isnan(scores), np.isnan(without)
    filled = np.where(old, 0.0, scores)
    sums = (filled.sum(axis=1, keepdims=True) - filled)[..., None] + np.where(new, 0.0, without)
    missing = (old.sum(axis=1, keepdims=True) - old)[..., None] + new
    return divide_defined(sums, missing, scores.shape[1], undefined).reshape(len(scores), -1)


def _tails(level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise InputError(
            f"level is {level}, but a number between 0 and 1 is expected.",
            parameter="level",
            hint="Pass for example {level}.",
            suggest={"level": 0.95},
        )
    return (1 - level) / 2, (1 + level) / 2


def _by_replicate(replicates: ArrayLike) -> Floats:
    """Return replicates [M, B, ...] as [M, ..., B], sorted, undefined ones last."""
    values = np.moveaxis(np.asarray(replicates, dtype=np.float64), 1, -1)
    # Contiguous, so that sums over replicates do not depend on the number of systems.
    return np.sort(np.ascontiguousarray(values), axis=-1)


def _share_below(estimate: Floats, ordered: Floats) -> Floats:
    """Return the share of the defined replicates below the estimate; equal ones count half.

    Nearly equal ones count as equal: scores that are the same in exact arithmetic may differ in
    their last digits.
    """
    defined = np.sum(~np.isnan(ordered), axis=-1)
    gap = ordered - estimate[..., None]
    close = 1e-12 * np.maximum(np.abs(estimate), 1e-3)[..., None]
    below = np.sum(gap < -close, axis=-1) + np.sum(np.abs(gap) <= close, axis=-1) / 2
    return np.asarray(below / np.maximum(defined, 1), dtype=np.float64)


def _quantile(ordered: Floats, share: Floats) -> Floats:
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


def _interval(
    estimate: Floats,
    ordered: Floats,
    low: Floats,
    high: Floats,
    plain: Bools,
    method: Method,
    level: float,
) -> Interval:
    """Return the intervals between the quantiles of the shares `low` and `high`."""
    unknown = np.isnan(estimate)
    return Interval(
        estimate,
        np.where(unknown, np.nan, _quantile(ordered, low)),
        np.where(unknown, np.nan, _quantile(ordered, high)),
        _spread(ordered),
        np.sum(np.isnan(ordered), axis=-1),
        plain & ~unknown,
        method,
        level,
        ordered.shape[-1],
    )
