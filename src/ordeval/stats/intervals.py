"""Intervals from replicates (percentile), and from leaving out units (Student's t).

Intervals over items from tables drawn around the observed one: the default.

A bootstrap never draws a cell that is empty in the data: a system without errors has no errors in
any replicate, and an interval without width. Here every drawn table has two more items than the
data, in random cells: any gold class, and a predicted class that is half as likely with every
step away from it. The cells of this larger table are drawn from a Dirichlet distribution: as
Gamma variables, divided by their sum. Only cells that hold items are drawn, so the cost does not
depend on the number of items.

The interval reaches from one quantile of the scores of the drawn tables to another, with three
changes, each of which vanishes as items become many:

- Quantiles lie farther out, as those of Student's t distribution do from the normal ones.
- The draws show how much sampling moves a score up or down on average. The data have this bias
  too, and the draws have it twice; the interval is extended by twice the bias in the other
  direction.
- The score of the data is inside.

With weights, the Gamma variable of a cell has the mean and the variance of the sum of the weights
in it, and an added item has an average weight. The drawn tables have the effective number of items
as their total, so multiplying all weights by a number changes nothing.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, check_choice
from ..measures.batches import batch_innermost
from ..measures.scoring import replace_undefined
from ..measures.terms import Cells, Places, sums_by, worth_listing
from ..types import Aggregate, Array, Codes, Floats, Ints, Over, Undefined
from .resample import (
    Block,
    Plan,
    Statistic,
    as_tables,
    as_topics,
    bootstrap,
    bootstrap_means,
    check_options,
    divide_defined,
    effective_number,
    score_draws,
    score_topics,
    stream,
    weighted_means,
    wrong_shape,
)

Kind = Literal["dirichlet", "t", "percentile"]
Pairs = Sequence[tuple[int, int]] | Ints
"""The positions of the systems of every pair."""


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
        The t interval, or quantiles of means over resampled topics, which all measures and
        systems share.
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
    [0.62, 0.38, 0.86]
    """
    check_choice("method", method, ("t", "percentile"))
    check_options(undefined=undefined)
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
    return t_interval(estimate, left_out, level)


def bootstrap_interval(
    counts: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute percentile bootstrap intervals of the scores of one system.

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
    >>> interval = oe.stats.bootstrap_interval([[30, 5], [10, 15]], accuracy)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [0.75, 0.63, 0.87]
    """
    check_options(over=over, aggregate=aggregate, undefined=undefined)
    tables = as_topics(counts, over)
    replicates = bootstrap(
        tables, statistic, plan or Plan(), over=over, aggregate=aggregate, undefined=undefined
    )
    return percentile(score_topics(tables, statistic, aggregate, undefined), replicates, level)


def bootstrap_difference(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute percentile bootstrap intervals of the difference of two systems.

    Parameters
    ----------
    joint : array_like of shape (K, K, K) or (T, K, K, K)
        Whole counts of items by gold class and the classes that both systems predict, of every
        topic.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of replicates and the seed. By default 2,000 replicates from seed 0.
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
        Intervals of shape (M,) of the score of the first system minus that of the second.
        Exchanging the systems changes their sign and nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[9, 5], [1, 0]], [[2, 1], [4, 8]]]  # gold, first system, second system
    >>> interval = oe.stats.bootstrap_difference(joint, accuracy)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [0.23, 0.03, 0.43]
    """
    check_options(over=over, aggregate=aggregate, undefined=undefined)
    tables, sign = _canonical(joint, over)

    def both(cells: Array) -> Floats:
        # Systems stay apart until means are taken: a mean may skip topics of one of them only.
        paired = cells.reshape(*cells.shape[:-1], cells.shape[-2], -1)
        scores = statistic(np.stack([paired.sum(axis=-1), paired.sum(axis=-2)]))
        return np.concatenate([scores[:, 0], scores[:, 1]])

    def difference(scores: Floats) -> Floats:
        return np.asarray(np.subtract(*np.split(scores, 2)), dtype=np.float64)

    replicates = bootstrap(
        tables, both, plan or Plan(), over=over, aggregate=aggregate, undefined=undefined
    )
    estimate = difference(score_topics(tables, both, aggregate, undefined))
    interval = percentile(estimate, difference(replicates), level)
    return interval if sign == 1 else interval.negated()


def _canonical(joint: ArrayLike, over: Over) -> tuple[Floats, int]:
    """Return joint counts as tables [T, K, K * K], and a sign that exchanging systems changes.

    The order of the systems is decided by the counts themselves.
    """
    counts = as_tables(joint, whole=True, parameter="joint")
    axes = 3 if over == "items" else 4
    if counts.ndim not in (axes, 4) or len(set(counts.shape[-3:])) != 1:
        expected = "(topics, K, K, K)" if axes == 4 else "(K, K, K) or (topics, K, K, K)"
        raise wrong_shape(counts, f"{expected}, joint counts of two systems,", "joint")
    counts = counts.reshape(-1, *counts.shape[-3:])
    turned = counts.swapaxes(-1, -2)
    apart = np.flatnonzero(counts.ravel() != turned.ravel())
    ahead = not len(apart) or counts.ravel()[apart[0]] > turned.ravel()[apart[0]]
    ordered = counts if ahead else turned
    return ordered.reshape(*counts.shape[:2], -1), 1 if ahead else -1


def t_interval(estimate: ArrayLike, left_out: ArrayLike, level: float = 0.95) -> Interval:
    """Compute t intervals [M, ...] from scores [M, J, ...] without unit j, NaN where undefined.

    For a mean over units this is the usual t interval. There is none for fewer than two defined
    units.
    """
    _tails(level)
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
    se = np.where(se <= 64 * np.finfo(np.float64).eps * np.abs(mean) * count, 0.0, se)
    half = t_quantile(count - 1, level) * se
    return Interval(
        value, value - half, value + half, se, missing.sum(axis=-1), "t", level, scores.shape[-1]
    )


def t_quantile(df: ArrayLike, level: float) -> Floats:
    """Return by how many standard errors a t interval reaches to each side."""
    from scipy.special import stdtrit  # slow to import

    return np.asarray(stdtrit(df, (1 + level) / 2), dtype=np.float64)


def percentile(estimate: ArrayLike, replicates: ArrayLike, level: float = 0.95) -> Interval:
    """Compute intervals [M, ...] between two quantiles of the defined replicates [M, B, ...]."""
    value = np.asarray(estimate, dtype=np.float64)
    # Contiguous, so that sums over replicates do not depend on the number of systems.
    moved = np.ascontiguousarray(np.moveaxis(np.asarray(replicates, dtype=np.float64), 1, -1))
    ordered = np.sort(moved, axis=-1)  # undefined ones last
    low, high = (
        np.where(np.isnan(value), np.nan, _quantile(ordered, tail)) for tail in _tails(level)
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


def _tails(level: float) -> tuple[float, float]:
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


ADDED_ITEMS = 2
_CHUNK_CELLS = 2**20  # numbers in the cells that are scored at a time
PER_STEP = 0.5  # how likely a class is, relative to one that is a step nearer to the gold class


def prior(k: int) -> Floats:
    """Return the expected number [gold, predicted] of items that are added to each cell."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    likely = PER_STEP**steps
    return np.asarray(ADDED_ITEMS / k * likely / likely.sum(axis=1, keepdims=True))


def dirichlet_interval(
    table: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    squares: ArrayLike | None = None,
    level: float = 0.95,
    bounds: ArrayLike | None = None,
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute intervals over items of the scores of one system, the default of ordeval.

    The scores are those of tables drawn from a Dirichlet distribution around the data with two
    items added in random cells. An interval has no width only if no table has another score.

    Parameters
    ----------
    table : array_like of shape (K, K) or (T, K, K)
        Counts of items by gold and predicted class, of every topic; or sums of weights.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of draws and the seed. By default 2,000 draws from seed 0.
    squares : array_like of the shape of `table`, optional
        Sums of squared weights; without them, `table` holds whole counts.
    level : float, default: 0.95
        Nominal coverage.
    bounds : array_like of shape (M, 2), optional
        The lowest and the highest possible score of each measure, beyond which the correction of
        bias does not extend an interval. By default there are none.
    aggregate : {"mean", "pool"}, default: "pool"
        Score the sum of the topics' tables; or score every topic, whose items are drawn apart
        from those of the other topics, and take the mean.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.

    Returns
    -------
    Interval
        Intervals of shape (M,). Equal tables have equal intervals.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> interval = oe.stats.dirichlet_interval([[12, 0], [0, 8]], accuracy)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [1.0, 0.83, 1.0]
    """
    check_options(aggregate=aggregate, undefined=undefined)
    cells = FilledCells.read(table, squares, 1).aggregated(aggregate)
    scores = _score(cells, statistic, plan or Plan(), undefined)
    estimate, replicates, center = (part[..., 0] for part in scores)
    limits = _as_bounds(bounds, len(estimate))
    return interval_of_draws(estimate, replicates, center, limits, level, cells.effective)


def dirichlet_difference(
    joint: "ArrayLike | FilledCells",
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    squares: ArrayLike | None = None,
    level: float = 0.95,
    bounds: ArrayLike | None = None,
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute intervals over items of the difference of two systems, the default of ordeval.

    Both systems are scored on tables drawn as in `dirichlet_interval`, with the same items.

    Parameters
    ----------
    joint : array_like of shape (K, K, K) or (T, K, K, K)
        Counts of items by gold class and the classes that both systems predict, of every topic;
        or sums of weights.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of draws and the seed. By default 2,000 draws from seed 0.
    squares : array_like of the shape of `joint`, optional
        Sums of squared weights; without them, `joint` holds whole counts.
    level : float, default: 0.95
        Nominal coverage.
    bounds : array_like of shape (M, 2), optional
        The lowest and the highest possible score of each measure; a difference is not extended
        beyond the distance between them. By default there are none.
    aggregate : {"mean", "pool"}, default: "pool"
        Score the sum of the topics' tables; or score every topic, whose items are drawn apart
        from those of the other topics, and take the mean.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.

    Returns
    -------
    Interval
        Intervals of shape (M,) of the score of the first system minus that of the second.
        Exchanging the systems changes their sign and nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[18, 10], [2, 0]], [[4, 2], [8, 16]]]  # gold, first system, second system
    >>> interval = oe.stats.dirichlet_difference(joint, accuracy)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [0.23, 0.08, 0.38]
    """
    check_options(aggregate=aggregate, undefined=undefined)
    cells = FilledCells.read(joint, squares, 2).aggregated(aggregate)
    order = cells.order_of_systems()
    if order < 0:
        cells = cells.exchanged()
    scores = _score(cells, statistic, plan or Plan(), undefined)
    estimate, replicates, center = (part[..., 0] - part[..., 1] for part in scores)
    if order == 0:
        # No system comes first: every draw is as likely as that with the systems exchanged.
        center = np.zeros_like(center)
        replicates = np.concatenate([replicates, -replicates], axis=1)
    lowest, highest = _as_bounds(bounds, len(estimate))
    limits = lowest - highest, highest - lowest
    interval = interval_of_draws(estimate, replicates, center, limits, level, cells.effective)
    interval = replace(interval, replicates=(plan or Plan()).replicates)
    return interval if order >= 0 else interval.negated()


@dataclass(frozen=True)
class FilledCells:
    """The cells that hold items of one system or of two, and what is drawn from them.

    Parameters
    ----------
    codes : array of int of shape (S, C)
        ``(topic * K + gold) * K + predicted`` of every system.
    weights, squares : array of shape (C,)
        Sums of the weights in every cell, and of their squares.
    topics, k : int
        Number of topics and of classes.
    """

    codes: Codes
    weights: Floats
    squares: Floats
    topics: int
    k: int

    @classmethod
    def read(
        cls, counts: "ArrayLike | FilledCells", squares: ArrayLike | None, systems: int
    ) -> "FilledCells":
        """Check tables [(T,) K, K] or joint counts [(T,) K, K, K] and return their cells."""
        if isinstance(counts, FilledCells):
            return counts
        parameter = "table" if systems == 1 else "joint"
        weights = as_tables(counts, whole=squares is None, parameter=parameter)
        classes = weights.shape[-1 - systems :]
        if weights.ndim - systems not in (1, 2) or len(set(classes)) != 1:
            shape = ", ".join("K" * (1 + systems))
            raise wrong_shape(weights, f"({shape}) or (topics, {shape})", parameter)
        squared = weights
        if squares is not None:
            squared = as_tables(squares, whole=False, parameter="squares")
        if squared.shape != weights.shape or np.any((squared > 0) != (weights > 0)):
            raise InputError(
                "The sums of squared weights have another shape, or other cells with 0, than "
                "the sums of weights.",
                parameter="squares",
            )
        weights, squared = (a.reshape(-1, *classes) for a in (weights, squared))
        topic, gold, *predicted = at = np.nonzero(weights)
        codes = (topic * classes[0] + gold) * classes[0] + np.stack(predicted)
        return cls(codes, weights[at], squared[at], len(weights), classes[0])

    def merged(self) -> "FilledCells":
        """Return the cells, of which some may be the same, or empty, once each and in order."""
        key = self.codes[0] * self.k + self.codes[-1] % self.k
        keys, first, cell = np.unique(key, return_index=True, return_inverse=True)
        amounts = self.weights, self.squares
        weights, squares = (np.bincount(cell, of, len(keys)).astype(np.float64) for of in amounts)
        filled = weights > 0
        codes = self.codes[:, first[filled]]
        return replace(self, codes=codes, weights=weights[filled], squares=squares[filled])

    def aggregated(self, aggregate: Aggregate) -> "FilledCells":
        """Return the cells of every topic, or those of all topics together."""
        if aggregate == "mean" or self.topics == 1:
            return self
        return replace(self, codes=self.codes % self.k**2, topics=1).merged()

    def as_items(self, number: float) -> "FilledCells":
        """Return the cells of so many items of weight 1 that are divided in the same way."""
        weights = self.weights * (number / self.weights.sum())
        return replace(self, weights=weights, squares=weights)

    @cached_property
    def totals(self) -> Floats:
        """Sums of weights and of squared weights by topic, [2, T]."""
        topic = self.codes[0] // self.k**2
        return np.stack(
            [np.bincount(topic, of, self.topics) for of in (self.weights, self.squares)]
        )

    @cached_property
    def _items(self) -> tuple[Floats, Floats]:
        """The effective number of items of every topic, and the average weight, [T] each."""
        weight, square = self.totals
        return effective_number(weight, square), square / np.where(weight > 0, weight, 1.0)

    @property
    def effective(self) -> float:
        """The effective number of items."""
        return float(effective_number(*self.totals.sum(axis=1)))

    def exchanged(self) -> "FilledCells":
        """Return the cells with two systems exchanged, in the order of their indices."""
        order = np.argsort(self.codes[1] * self.k + self.codes[0] % self.k)
        codes, weights = self.codes[::-1, order], self.weights[order]
        return replace(self, codes=codes, weights=weights, squares=self.squares[order])

    def order_of_systems(self) -> int:
        """Return 1 or -1 as one order of two systems or the other; 0 if there is no difference.

        It depends on the cells alone, and exchanging the systems changes its sign.
        """
        both = self, self.exchanged()
        mine, its = (np.concatenate([c.codes.ravel(), c.weights, c.squares]) for c in both)
        different = np.flatnonzero(mine != its)
        return 0 if not different.size else 1 if mine[different[0]] > its[different[0]] else -1

    @cached_property
    def few(self) -> bool:
        """Whether so few cells of long scales hold items that these are better listed."""
        cells = max(len(np.unique(codes)) for codes in self.codes)
        return cells > 0 and worth_listing(-(-cells // self.topics), self.k)

    def tables(self, weights: Floats) -> Floats:
        """Return the tables [b, S, T, K, K] of weights [b, C] of the cells."""
        size = self.topics * self.k**2
        out = np.zeros((len(weights), len(self.codes), size))
        for s, code in enumerate(self.codes):
            order = np.argsort(code, kind="stable")
            places, starts = np.unique(code[order], return_index=True)
            if places.size:
                out[:, s, places] = np.add.reduceat(weights[:, order], starts, axis=1)
        return out.reshape(*out.shape[:2], self.topics, self.k, self.k)

    def scaled(self, tables: Floats) -> Floats:
        """Scale tables [..., T, K, K] to the effective number of items of their topics."""
        sums = tables.sum(axis=(-2, -1), keepdims=True)
        return tables * (self._items[0][:, None, None] / np.where(sums > 0, sums, 1.0))

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw the weights of the cells and of items in other cells, one row for each draw."""
        shape, scale = self._gamma
        weights = scale * rng.standard_gamma(shape, size=(size, len(shape)))
        return np.concatenate([weights, self._added_items(rng, size)], axis=1)

    @cached_property
    def _gamma(self) -> tuple[Floats, Floats]:
        """The shape and scale of the distribution of the weight of every cell."""
        return _rounded(self.weights**2 / self.squares), self.squares / self.weights

    def _added_items(self, rng: np.random.Generator, draws: int) -> Floats:
        """Draw items of average weight in random cells: their weights, and codes by system."""
        filled, k = np.flatnonzero(self.totals[0]), self.k
        if not filled.size:
            return np.zeros((draws, ADDED_ITEMS * (1 + len(self.codes))))
        size = draws, ADDED_ITEMS
        topic = filled[rng.integers(len(filled), size=size)]
        gold = rng.integers(k, size=size)
        added = [rng.standard_exponential(size) * self._items[1][topic]]
        for _ in self.codes:
            place = np.searchsorted(self._reached, (gold + rng.random(size)) / k, side="right")
            predicted = np.minimum(np.maximum(place - gold * k, 0), k - 1)
            added.append((topic * k + gold) * float(k) + predicted)
        return np.concatenate(added, axis=1)

    @cached_property
    def _reached(self) -> Floats:
        """The running sum of the prior, of which a row is a stretch, as each has the share 1/K."""
        return np.cumsum(prior(self.k) / ADDED_ITEMS)

    def _divided(self, drawn: Floats) -> tuple[Floats, Floats, Codes]:
        """Return the weights [b, C] of a draw, those [b, A] of added items and codes [S, b, A]."""
        weights, added = np.split(drawn, [len(self.weights)], axis=1)
        of_items, *codes = np.split(added, 1 + len(self.codes), axis=1)
        return weights, of_items, np.stack(codes).astype(np.int64)

    def drawn_tables(self, drawn: Floats) -> Floats:
        """Return the tables [b, S, T, K, K] of a draw."""
        weights, added, codes = self._divided(drawn)
        tables = self.tables(weights)
        flat, each = tables.reshape(*tables.shape[:2], -1), np.arange(len(tables))
        for s, code in enumerate(codes):
            for item in range(ADDED_ITEMS):
                flat[each, s, code[:, item]] += added[:, item]
        return self.scaled(tables)

    def drawn_cells(self, drawn: Floats) -> Iterator[list[Cells]]:
        """Yield for every system the cells with items in every topic, of a draw."""
        weights, added, codes = self._divided(drawn)
        by_cell, each = np.ascontiguousarray(weights.T), np.arange(len(drawn))
        for own, code in zip(self.codes, codes, strict=True):
            places, cell = np.unique(own, return_inverse=True)
            every = np.union1d(places, code)
            sums = np.zeros((len(every), len(drawn)))
            sums[np.searchsorted(every, places)] = sums_by(cell, len(places)) @ by_cell
            for item in range(ADDED_ITEMS):
                sums[np.searchsorted(every, code[:, item]), each] += added[:, item]
            yield [self._scaled_cells(t, every, sums) for t in range(self.topics)]

    def _scaled_cells(self, topic: int, codes: Codes, weights: Floats) -> Cells:
        """Return the cells of one topic, scaled to its effective number of items."""
        first, stop = np.searchsorted(codes, np.array([topic, topic + 1]) * self.k**2)
        sums = weights[first:stop].sum(axis=0)
        factor = self._items[0][topic] / np.where(sums > 0, sums, 1.0)
        places = Places.of(codes[first:stop] - topic * self.k**2, self.k)
        return Cells(places, weights[first:stop] * factor)

    def mean(self) -> Floats:
        """Return the mean [S, T, K, K] of the drawn tables."""
        unit = self._items[1] / max(int(np.count_nonzero(self.totals[0])), 1)
        return self.scaled(self.tables(self.weights[None])[0] + unit[:, None, None] * prior(self.k))


def _rounded(shape: Floats) -> Floats:
    """Round to ten digits, since a generator may take another turn at a difference in the last."""
    size = 10 ** np.floor(np.log10(shape))
    return np.asarray(np.round(shape / size, 10) * size)


def _score(
    cells: FilledCells, statistic: Statistic, plan: Plan, undefined: Undefined
) -> tuple[Floats, Floats, Floats]:
    """Score the data [M, S], drawn tables [M, B, S] and their mean [M, S]."""
    of_cells: Callable[[Cells], Floats] | None = getattr(statistic, "of_cells", None)
    of_cells = of_cells if cells.few else None

    def draw(block: Block) -> Array:
        return cells.draw(stream(plan.seed, "dirichlet", block.number), block.size)

    def score(tables: Array) -> Array:
        # Topics that are pooled are one topic by now, of which the mean is itself.
        scores = score_topics(batch_innermost(tables), statistic, "mean", undefined)
        return scores[:, : len(tables)]

    def score_drawn(drawn: Array) -> Array:
        if of_cells is None:
            return score(cells.drawn_tables(drawn))
        systems = ([of_cells(topic) for topic in topics] for topics in cells.drawn_cells(drawn))
        by_topic = np.stack([np.stack(scores, axis=-1) for scores in systems], axis=-2)
        return weighted_means(by_topic, np.ones((1, cells.topics)), undefined)[..., 0]

    observed, chunk = cells.scaled(cells.tables(cells.weights[None])[0]), None
    fixed = score(np.stack([observed, cells.mean()]))
    if of_cells is not None:  # added items take as many cells as there are draws
        most = math.isqrt(_CHUNK_CELLS // ADDED_ITEMS)
        chunk = min(_CHUNK_CELLS // len(cells.weights) + 1, most)
    replicates = score_draws(draw, score_drawn, plan, observed.size, chunk)
    return fixed[:, 0], replicates, fixed[:, 1]


_Limits = tuple[Floats, Floats]


def _as_bounds(bounds: ArrayLike | None, measures: int) -> _Limits:
    """Return the lowest and the highest possible scores, [M] each."""
    limits = np.asarray([[-np.inf, np.inf]] * measures if bounds is None else bounds, np.float64)
    if limits.shape != (measures, 2):
        raise wrong_shape(limits, f"(measures, 2), here ({measures}, 2),", "bounds")
    return limits[:, 0], limits[:, 1]


def interval_of_draws(
    estimate: Floats,
    replicates: Floats,
    center: Floats,
    limits: _Limits,
    level: float,
    effective: float,
) -> Interval:
    """Compute intervals [M] from the scores of the data, the draws [M, B] and their mean."""
    interval = percentile(estimate, replicates, _widened(level, effective))
    defined = ~np.isnan(replicates)
    total = np.where(defined, replicates, 0.0).sum(axis=1)
    bias = total / np.maximum(defined.sum(axis=1), 1) - center
    # As much as the error of simulation is not taken for bias.
    error = interval.se / math.sqrt(replicates.shape[1])
    bias = np.sign(bias) * np.maximum(np.abs(bias) - error, 0.0)
    bias = np.where(np.isnan(bias) | ~defined.any(axis=1), 0.0, bias)
    # Bounds are those of class values 1..K and limit the extension only, never the quantiles.
    low = np.fmin(interval.low, np.maximum(interval.low - 2 * np.maximum(bias, 0.0), limits[0]))
    high = np.fmax(interval.high, np.minimum(interval.high - 2 * np.minimum(bias, 0.0), limits[1]))
    return replace(
        interval,
        low=np.where(np.isnan(low), np.nan, np.fmin(low, estimate)),
        high=np.where(np.isnan(high), np.nan, np.fmax(high, estimate)),
        method="dirichlet",
        level=level,
    )


def _widened(level: float, effective: float) -> float:
    """Return the level at which normal quantiles are what those of Student's t are at `level`."""
    from scipy.special import ndtr  # slow to import

    if not 0 < level < 1:
        return level  # which `percentile` refuses
    freedom = max(effective - 1, 1.0)
    deviations = t_quantile(freedom, level) * math.sqrt(max(effective / freedom, 1.0))
    return min(float(1 - 2 * ndtr(-deviations)), 1 - 1e-12)
