"""Bootstrap intervals: percentile and BCa.

Both ends of an interval are quantiles of the defined replicates, so an interval never leaves the
range of the measure.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.errors import InputError
from ordeval.stats.resample import (
    Aggregate,
    Floats,
    Integers,
    Over,
    Plan,
    Statistic,
    Undefined,
    as_amounts,
    as_counts,
    bootstrap,
    bootstrap_means,
    mean_over_topics,
    score_topics,
)

Method = Literal["percentile", "bca"]


@dataclass(frozen=True, slots=True)
class Interval:
    """Intervals of M measures, each array [M, ...].

    Attributes
    ----------
    estimate : score of the data themselves.
    low, high : ends of the interval, NaN where the estimate or all replicates are undefined.
    se : standard deviation of the defined replicates.
    undefined : number of undefined replicates, which were left out.
    plain : where a BCa interval could not be had and the percentile interval stands instead.
    """

    estimate: Floats
    low: Floats
    high: Floats
    se: Floats
    undefined: Integers
    plain: NDArray[np.bool_]
    method: Method
    level: float
    replicates: int

    @classmethod
    def stack(cls, parts: "Sequence[Interval]", axis: int = -1) -> "Interval":
        """Intervals side by side along a new axis; they share method, level and replicates."""
        first = parts[0]
        return cls(
            np.stack([part.estimate for part in parts], axis=axis),
            np.stack([part.low for part in parts], axis=axis),
            np.stack([part.high for part in parts], axis=axis),
            np.stack([part.se for part in parts], axis=axis),
            np.stack([part.undefined for part in parts], axis=axis),
            np.stack([part.plain for part in parts], axis=axis),
            first.method,
            first.level,
            first.replicates,
        )

    def negated(self) -> "Interval":
        """Intervals of the negative scores."""
        return replace(self, estimate=-self.estimate, low=-self.high, high=-self.low)


def bootstrap_interval(
    counts: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    method: Method = "bca",
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
    key: str = "",
) -> Interval:
    """Interval of one system's scores [M]; over topics also of several systems', [M, ...].

    Parameters
    ----------
    counts : [K, K] or [T, K, K]; with ``over="topics"`` also [..., T, K, K].
    statistic : maps tables [..., K, K] to scores [M, ...].
    over, aggregate, undefined, key : what is resampled and how it is scored; see `bootstrap`.
    """
    tables = as_amounts(counts)
    tables = tables[None] if tables.ndim == 2 else tables
    replicates = bootstrap(
        tables, statistic, plan, over=over, aggregate=aggregate, undefined=undefined, key=key
    )
    jackknife = item_jackknife if over == "items" else topic_jackknife

    def left_out() -> tuple[Floats, Integers]:
        return jackknife(tables, statistic, aggregate=aggregate, undefined=undefined)

    estimate = score_topics(tables, statistic, aggregate, undefined)
    return interval_of(estimate, replicates, left_out, method, level)


def mean_interval(
    scores: Floats,
    plan: Plan | None = None,
    *,
    method: Method = "bca",
    level: float = 0.95,
    undefined: Undefined = "propagate",
) -> Interval:
    """Interval of means over topics [M, ...] of scores [M, ..., T]; topics are resampled."""
    replicates = bootstrap_means(scores, plan, undefined)
    estimate = mean_over_topics(scores, np.ones((1, scores.shape[-1])), undefined)[..., 0]
    return interval_of(
        estimate, replicates, lambda: mean_jackknife(scores, undefined), method, level
    )


def interval_of(
    estimate: Floats,
    replicates: Floats,
    left_out: Callable[[], tuple[Floats, Integers]],
    method: Method,
    level: float,
) -> Interval:
    """Interval by either method; the jackknife is made only for the one that needs it."""
    if method == "percentile":
        return percentile(estimate, replicates, level)
    return bca(estimate, replicates, acceleration(*left_out()), level)


def percentile(estimate: ArrayLike, replicates: ArrayLike, level: float = 0.95) -> Interval:
    """Interval between two quantiles of the replicates.

    Parameters
    ----------
    estimate : [M, ...].
    replicates : [M, B, ...], NaN where undefined.
    level : share of the replicates within the interval.
    """
    given = np.asarray(estimate, dtype=np.float64)
    low, high = _tails(level)
    plain = np.zeros(given.shape, dtype=np.bool_)
    shares = (np.full(given.shape, low), np.full(given.shape, high))
    return _interval(given, _by_replicate(given, replicates), shares, plain, "percentile", level)


def bca(
    estimate: ArrayLike, replicates: ArrayLike, acceleration: ArrayLike, level: float = 0.95
) -> Interval:
    """Bias-corrected and accelerated interval (Efron 1987).

    Where the estimate lies outside all replicates, or the correction has no solution, the
    percentile interval is given and `plain` says so.

    Parameters
    ----------
    estimate : [M, ...].
    replicates : [M, B, ...], NaN where undefined.
    acceleration : [M, ...], from `acceleration`.
    level : nominal coverage.
    """
    from scipy.special import ndtr, ndtri

    given = np.asarray(estimate, dtype=np.float64)
    ordered = _by_replicate(given, replicates)
    share_below = _share_below(given, ordered)
    usable = (share_below > 0) & (share_below < 1)
    bias = ndtri(np.where(usable, share_below, 0.5))
    skew = np.asarray(acceleration, dtype=np.float64)
    corrected = []
    for tail in _tails(level):
        shift = bias + ndtri(tail)
        shrink = 1 - skew * shift
        usable &= shrink > 0
        corrected.append(ndtr(bias + shift / np.where(shrink > 0, shrink, 1.0)))
    shares = [np.where(usable, c, t) for c, t in zip(corrected, _tails(level), strict=True)]
    return _interval(given, ordered, (shares[0], shares[1]), ~usable, "bca", level)


def acceleration(left_out: ArrayLike, weights: ArrayLike) -> Floats:
    """Acceleration of BCa: a sixth of the skewness of the jackknife, 0 where it has no spread.

    Parameters
    ----------
    left_out : [M, J, ...], the score without unit j; undefined ones are left out.
    weights : [J], [J, ...] or [M, J, ...]: number of units that j stands for.

    Returns
    -------
    [M, ...]
    """
    values = np.asarray(left_out, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64)
    if weight.ndim == 1:
        weight = weight.reshape(-1, *[1] * (values.ndim - 2))
    weight = np.where(np.isnan(values), 0.0, weight)
    values = np.where(np.isnan(values), 0.0, values)
    total = weight.sum(axis=1)
    mean = (weight * values).sum(axis=1) / np.where(total > 0, total, 1.0)
    influence = np.where(weight > 0, mean[:, None] - values, 0.0)
    # Scaled by the largest, so that cubes of tiny influences do not vanish; rounding is no spread.
    largest = np.abs(influence).max(axis=1, initial=0.0)
    spread = largest > 4 * np.finfo(np.float64).eps * np.abs(mean)
    influence = np.where(spread, 1 / np.where(spread, largest, 1.0), 0.0)[:, None] * influence
    square = (weight * influence**2).sum(axis=1)
    cube = (weight * influence**3).sum(axis=1)
    return np.asarray(cube / (6 * np.where(square > 0, square, 1.0) ** 1.5), dtype=np.float64)


def item_jackknife(
    counts: ArrayLike,
    statistic: Statistic,
    *,
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
    cell_ndim: int = 2,
) -> tuple[Floats, Integers]:
    """Scores without one item, for every cell an item can be taken from.

    Parameters
    ----------
    counts : [*cells], or [T, *cells] whose topics are pooled or scored one by one.
    statistic : maps tables [..., *cells] to scores [M, ...].

    Returns
    -------
    scores [M, J] and the number [J] of items that each stands for: J is the number of cells, and
    of topics times cells for a mean over topics.
    """
    tables = as_counts(counts)
    if tables.ndim > cell_ndim and aggregate == "pooled":
        tables = tables.sum(axis=0)
    if tables.ndim == cell_ndim:
        without = leave_out_items(tables, cell_ndim)
        return statistic(without), tables.ravel()
    scores = statistic(tables.astype(np.float64))
    without_scores = np.stack([statistic(leave_out_items(t, cell_ndim)) for t in tables], axis=1)
    return _replaced_means(scores, without_scores, undefined), tables.ravel()


def topic_jackknife(
    counts: ArrayLike,
    statistic: Statistic,
    *,
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
    cell_ndim: int = 2,
) -> tuple[Floats, Integers]:
    """Scores [M, T, ...] without one topic of counts [..., T, *cells], and their weights [T]."""
    tables = as_amounts(counts)
    axis = tables.ndim - cell_ndim - 1
    if aggregate == "mean":
        return mean_jackknife(statistic(tables), undefined)
    without = tables.sum(axis=axis, keepdims=True) - tables
    return np.moveaxis(statistic(without), -1, 1), np.ones(tables.shape[axis], dtype=np.int64)


def mean_jackknife(scores: Floats, undefined: Undefined = "propagate") -> tuple[Floats, Integers]:
    """Means [M, T, ...] without one topic of scores [M, ..., T], and their weights [T]."""
    topics = scores.shape[-1]
    means = mean_over_topics(scores, 1 - np.eye(topics), undefined)
    return np.moveaxis(means, -1, 1), np.ones(topics, dtype=np.int64)


def leave_out_items(table: Integers, cell_ndim: int = 2) -> Floats:
    """Tables [J, *cells] without one item of each of the J cells; as it was where there is none."""
    if table.ndim != cell_ndim:
        raise InputError(
            f"a table of shape {table.shape} was given, but {cell_ndim} axes are expected; "
            "take the systems one by one"
        )
    cells = math.prod(table.shape)
    taken = np.diag((table.ravel() > 0).astype(np.int64)).reshape(cells, *table.shape)
    return (table - taken).astype(np.float64)


def _replaced_means(scores: Floats, without: Floats, undefined: Undefined) -> Floats:
    """Means over topics [M, T * J]; each replaces a score [M, T] by one of `without` [M, T, J]."""
    old, new = np.isnan(scores), np.isnan(without)
    filled = np.where(old, 0.0, scores)
    sums = (filled.sum(axis=1, keepdims=True) - filled)[..., None] + np.where(new, 0.0, without)
    missing = (old.sum(axis=1, keepdims=True) - old)[..., None] + new
    defined = scores.shape[1] - missing
    usable = defined > 0 if undefined == "skip" else missing == 0
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, defined, out=means, where=usable)
    return means.reshape(len(scores), -1)


def _tails(level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise InputError(f"level is {level}, but a share between 0 and 1 is expected, e.g. 0.95")
    return (1 - level) / 2, (1 + level) / 2


def _by_replicate(estimate: Floats, replicates: ArrayLike) -> Floats:
    """Replicates as [M, ..., B], sorted, undefined ones last."""
    values = np.moveaxis(np.asarray(replicates, dtype=np.float64), 1, -1)
    if values.shape[:-1] != estimate.shape:
        raise InputError(
            f"estimates of shape {estimate.shape} and replicates of shape "
            f"{np.shape(replicates)} do not belong together; [M, ...] and [M, B, ...] are expected"
        )
    # In one order in memory, so that sums over replicates do not depend on the number of systems.
    return np.sort(np.ascontiguousarray(values), axis=-1)


def _share_below(estimate: Floats, ordered: Floats) -> Floats:
    """Share of the defined replicates below the estimate; equal ones count half.

    Nearly equal ones count as equal: a score that is the same in exact arithmetic may differ in
    its last digits.
    """
    defined = np.sum(~np.isnan(ordered), axis=-1)
    gap = ordered - estimate[..., None]
    close = 1e-12 * np.maximum(np.abs(estimate), 1e-3)[..., None]
    below = np.sum(gap < -close, axis=-1) + np.sum(np.abs(gap) <= close, axis=-1) / 2
    return np.asarray(below / np.maximum(defined, 1), dtype=np.float64)


def _quantile(ordered: Floats, share: Floats) -> Floats:
    """Quantile [M, ...] of sorted replicates [M, ..., B]; the k-th of n is that of k/(n+1)."""
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
    """Standard deviation of the defined replicates, NaN for fewer than two."""
    missing = np.isnan(ordered)
    defined = np.sum(~missing, axis=-1)
    mean = np.where(missing, 0.0, ordered).sum(axis=-1) / np.maximum(defined, 1)
    square = np.where(missing, 0.0, ordered - mean[..., None]) ** 2
    variance = square.sum(axis=-1) / np.maximum(defined - 1, 1)
    return np.where(defined > 1, np.sqrt(variance), np.nan)


def _interval(
    estimate: Floats,
    ordered: Floats,
    shares: tuple[Floats, Floats],
    plain: NDArray[np.bool_],
    method: Method,
    level: float,
) -> Interval:
    unknown: NDArray[Any] = np.isnan(estimate)
    low, high = (np.where(unknown, np.nan, _quantile(ordered, share)) for share in shares)
    missing = np.sum(np.isnan(ordered), axis=-1)
    count = ordered.shape[-1]
    return Interval(
        estimate, low, high, _spread(ordered), missing, plain & ~unknown, method, level, count
    )
