"""Comparison of two systems on the same items, from their joint counts (gold, a, b).

The tables of two systems do not show on which items both of them are wrong. The joint counts do,
and they suffice: resampling items is a multinomial draw over their cells, and exchanging the
systems' labels at random is one binomial draw for every pair of cells (g, a, b) and (g, b, a).
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..types import Aggregate, Array, Floats, Ints, Method, Over, Undefined
from .intervals import Interval, resampled_interval
from .resample import (
    Block,
    Plan,
    Statistic,
    as_tables,
    bootstrap,
    check_options,
    score_draws,
    score_topics,
    stream,
)

EXACT_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Randomisation tests of M measures on one pair of systems.

    Parameters
    ----------
    difference : array of shape (M,)
        Score of the first system minus that of the second.
    p : array of shape (M,)
        Two-sided p-values, never 0; NaN where the difference is undefined.
    undefined : array of int of shape (M,)
        Number of trials (outcomes, if exact) with an undefined difference. They count as at
        least as extreme as the observed difference.
    trials : int
        Number of random trials, or of enumerated outcomes.
    exact : bool
        Whether all outcomes were enumerated.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[9, 5], [1, 0]], [[2, 1], [4, 8]]]  # gold, first system, second system
    >>> found = oe.stats.randomisation_test(joint, accuracy)
    >>> found.exact, found.trials
    (True, 42)
    """

    difference: Floats
    p: Floats
    undefined: Ints
    trials: int
    exact: bool


def marginal_tables(joint: Array) -> tuple[Array, Array]:
    """Return the tables [..., K, K] of both systems from joint counts [..., gold, a, b]."""
    return joint.sum(axis=-1), joint.sum(axis=-2)


def paired_bootstrap(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Floats:
    """Compute bootstrap replicates of the difference of two systems.

    Parameters
    ----------
    joint : array_like of shape (K, K, K) or (T, K, K, K)
        Whole counts of items by gold class and the classes that both systems predict, of every
        topic.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of replicates and the seed. By default 2,000 replicates from seed 0.
    over : {"items", "topics", "both"}, default: "items"
        Resample the items of every topic, whole topics, or topics and then their items.
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.

    Returns
    -------
    array of shape (M, B)
        Scores of the first system minus those of the second.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[9, 5], [1, 0]], [[2, 1], [4, 8]]]
    >>> oe.stats.paired_bootstrap(joint, accuracy, oe.stats.Plan(100)).shape
    (1, 100)
    """
    check_options(over=over, aggregate=aggregate, undefined=undefined)
    counts, sign = _canonical(joint, over)
    replicates = bootstrap(
        _as_table(counts),
        _of_both(statistic),
        plan or Plan(),
        over=over,
        aggregate=aggregate,
        undefined=undefined,
    )
    return sign * _first_minus_second(replicates)


def difference_interval(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    method: Method = "bca",
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute paired bootstrap intervals of the difference of two systems.

    Parameters
    ----------
    joint : array_like of shape (K, K, K) or (T, K, K, K)
        Whole counts of items by gold class and the classes that both systems predict, of every
        topic.
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
        Intervals of shape (M,) of the score of the first system minus that of the second.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[9, 5], [1, 0]], [[2, 1], [4, 8]]]
    >>> found = oe.stats.difference_interval(joint, accuracy)
    >>> [round(float(x[0]), 2) for x in (found.estimate, found.low, found.high)]
    [0.23, 0.03, 0.43]
    """
    check_options(method=method, over=over, aggregate=aggregate, undefined=undefined)
    counts, sign = _canonical(joint, over)
    found = resampled_interval(
        _as_table(counts),
        _of_both(statistic),
        plan or Plan(),
        method=method,
        level=level,
        over=over,
        aggregate=aggregate,
        undefined=undefined,
        contrast=_first_minus_second,
    )
    return found if sign == 1 else found.negated()


def randomisation_test(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    unit: Literal["items", "topics"] = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
    exact_limit: int = EXACT_LIMIT,
) -> PairedTest:
    """Test for a difference of two systems by paired randomisation, two-sided.

    Parameters
    ----------
    joint : array_like of shape (K, K, K) or (T, K, K, K)
        Whole counts of items by gold class and the classes that both systems predict, of every
        topic.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of random trials and the seed. By default 10,000 trials from seed 0.
    unit : {"items", "topics"}, default: "items"
        Whether the systems exchange their labels of single items or of whole topics.
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.
    exact_limit : int, default: 20000
        Enumerate all distinct outcomes if there are no more than this.

    Returns
    -------
    PairedTest
        Differences and p-values of shape (M,).

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> joint = [[[9, 5], [1, 0]], [[2, 1], [4, 8]]]
    >>> found = oe.stats.randomisation_test(joint, accuracy)
    >>> round(float(found.difference[0]), 2), round(float(found.p[0]), 3)
    (0.23, 0.065)
    """
    check_options(unit=unit, aggregate=aggregate, undefined=undefined)
    counts, sign = _canonical(joint, unit)
    if unit == "items" and aggregate == "pool":
        counts = counts.sum(axis=0, keepdims=True)
    exchange = ItemExchange(counts) if unit == "items" else TopicExchange(counts)

    def difference(tables: Floats) -> Floats:
        scores = score_topics(tables, statistic, aggregate, undefined)
        return np.asarray(scores[..., 0] - scores[..., 1], dtype=np.float64)

    def score(outcomes: Ints) -> Floats:
        return difference(exchange.tables(outcomes))

    observed = difference(_pair(counts))
    exact = exchange.outcomes <= exact_limit
    null, weights = (
        _enumerated(exchange, score)
        if exact
        else _simulated(exchange, score, plan or Plan(replicates=10_000))
    )
    p = _p_values(observed, null, weights, exact)
    return PairedTest(sign * observed, p, np.isnan(null).sum(axis=1), null.shape[1], exact)


def holm(p: ArrayLike) -> Floats:
    """Correct p-values for multiple tests by Holm's step-down method.

    Parameters
    ----------
    p : array_like of shape (..., tests)
        The p-values; NaN ones do not count as tests.

    Returns
    -------
    array of shape (..., tests)
        The corrected p-values.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.stats.holm([0.01, 0.04, 0.03, 0.5]).round(2).tolist()
    [0.04, 0.09, 0.09, 0.5]
    """
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    ordered = np.take_along_axis(given, order, axis=-1)
    tests = np.sum(~np.isnan(given), axis=-1, keepdims=True)
    factors = np.maximum(tests - np.arange(given.shape[-1]), 1)
    stepped = np.maximum.accumulate(np.minimum(ordered * factors, 1.0), axis=-1)
    corrected = np.empty_like(given)
    np.put_along_axis(corrected, order, stepped, axis=-1)
    return corrected


def _canonical(joint: ArrayLike, over: Over) -> tuple[Floats, int]:
    """Return counts [T, K, K, K] and a sign, so that exchanging the systems only changes the sign.

    The order of the systems is decided by the counts themselves.
    """
    counts = as_tables(joint, whole=True, parameter="joint")
    if counts.ndim not in (3, 4) or len(set(counts.shape[-3:])) != 1:
        raise InputError(
            f"An array of shape {counts.shape} was given, but joint counts of shape (K, K, K), for "
            "gold and two systems, or (topics, K, K, K) are expected.",
            parameter="joint",
        )
    if over != "items" and counts.ndim == 3:
        raise InputError(
            f"Joint counts of shape {counts.shape} have no axis of topics.",
            parameter="joint",
            hint="Pass counts of shape (topics, K, K, K), or take items as the units.",
        )
    counts = counts.reshape(-1, *counts.shape[-3:])
    turned = counts.swapaxes(-1, -2)
    apart = np.flatnonzero(counts.ravel() != turned.ravel())
    first_is_larger = not len(apart) or counts.ravel()[apart[0]] > turned.ravel()[apart[0]]
    return (counts, 1) if first_is_larger else (turned, -1)


def _as_table(joint: Floats) -> Floats:
    """Return joint counts [T, K, K, K] with both systems' classes on one axis: [T, K, K * K]."""
    return joint.reshape(*joint.shape[:-2], -1)


def _of_both(statistic: Statistic) -> Statistic:
    """Return the statistic of tables [..., K, K * K] that scores both systems: [2M, ...].

    The systems are kept apart until their means are taken, because a mean over topics may skip
    topics of one of them only.
    """

    def score(tables: Array) -> Floats:
        joint = tables.reshape(*tables.shape[:-1], tables.shape[-2], -1)
        scores = statistic(np.stack(marginal_tables(joint)))
        return np.concatenate([scores[:, 0], scores[:, 1]])

    return score


def _first_minus_second(scores: Floats) -> Floats:
    """Return the differences [M, ...] of the scores [2M, ...] of two systems."""
    first, second = np.split(scores, 2)
    return np.asarray(first - second, dtype=np.float64)


def _pair(joint: Floats) -> Floats:
    """Return both systems' tables [..., 2, T, K, K] of joint counts [..., T, K, K, K]."""
    return np.stack(marginal_tables(joint), axis=-4)


class Exchange(ABC):
    """Random exchange of labels between two systems.

    Attributes
    ----------
    sizes : array of int of shape (units,)
        An outcome has a number from 0 to `sizes` for every unit.
    entries : int
        Numbers in the tables of one trial.
    """

    sizes: Ints
    entries: int

    @property
    def outcomes(self) -> int:
        """Number of distinct outcomes."""
        return math.prod(int(size) + 1 for size in self.sizes)

    @abstractmethod
    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        """Draw random outcomes [size, units]."""

    @abstractmethod
    def tables(self, outcomes: Ints) -> Floats:
        """Return the tables [trials, 2, T, K, K] of both systems after the exchange."""


class ItemExchange(Exchange):
    """Exchange of the labels of single items, in every topic.

    Of the m items of a topic that have gold class g and the labels a and b, in either order, a
    Binomial(m, 1/2) number gets the labels (a, b) and the others get (b, a).
    """

    def __init__(self, counts: Floats) -> None:
        topic, gold, a, b = np.nonzero(np.triu(counts + counts.swapaxes(-1, -2), 1))
        self.sizes = (counts[topic, gold, a, b] + counts[topic, gold, b, a]).astype(np.int64)
        self.entries = counts.size
        self._here = np.ravel_multi_index((topic, gold, a, b), counts.shape)
        self._there = np.ravel_multi_index((topic, gold, b, a), counts.shape)
        self._counts = counts

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        """Draw how many items of each cell are exchanged."""
        return rng.binomial(self.sizes, 0.5, size=(size, len(self.sizes)))

    def tables(self, outcomes: Ints) -> Floats:
        """Return the tables of both systems after the exchange of items."""
        joint = np.empty((self._counts.size, len(outcomes)))  # trials innermost: long loops
        joint[:] = self._counts.reshape(-1, 1)
        joint[self._here] = outcomes.T
        joint[self._there] = self.sizes[:, None] - outcomes.T
        return _pair(np.moveaxis(joint.reshape(*self._counts.shape, -1), -1, 0))


class TopicExchange(Exchange):
    """Exchange of the tables of whole topics, each with probability 1/2."""

    def __init__(self, counts: Floats) -> None:
        self._tables = _pair(counts)
        self._topics = np.flatnonzero(np.any(self._tables[0] != self._tables[1], axis=(-1, -2)))
        self.sizes = np.ones(len(self._topics), dtype=np.int64)
        self.entries = self._tables.size

    def draw(self, rng: np.random.Generator, size: int) -> Ints:
        """Draw which topics are exchanged."""
        return rng.integers(2, size=(size, len(self._topics)))

    def tables(self, outcomes: Ints) -> Floats:
        """Return the tables of both systems after the exchange of topics."""
        swapped = np.zeros((len(outcomes), 1, self._tables.shape[1], 1, 1), dtype=np.bool_)
        swapped[:, 0, self._topics, 0, 0] = outcomes == 1
        return np.where(swapped, self._tables[::-1], self._tables)


def _simulated(
    exchange: Exchange, score: Callable[[Ints], Floats], plan: Plan
) -> tuple[Floats, Floats]:
    """Return the differences [M, B] of random outcomes, and their weights [B]."""

    def draw(block: Block) -> Ints:
        return exchange.draw(stream(plan.seed, "exchange", block.number), block.size)

    return score_draws(draw, score, plan, exchange.entries), np.ones(plan.replicates)


def _enumerated(exchange: Exchange, score: Callable[[Ints], Floats]) -> tuple[Floats, Floats]:
    """Return the differences [M, outcomes] of all outcomes, and their probabilities."""
    sizes = exchange.sizes
    grid = np.indices(tuple(sizes + 1)).reshape(len(sizes), exchange.outcomes).T
    weights = np.ones(len(grid))
    for column, size in zip(grid.T, sizes, strict=True):
        weights *= _binomial_half(int(size))[column]
    step = max(1, 2**19 // max(exchange.entries, 1))
    parts = [score(grid[i : i + step]) for i in range(0, len(grid), step)]
    return np.concatenate(parts, axis=1), weights


def _binomial_half(size: int) -> Floats:
    """Return the probabilities [size + 1] of Binomial(size, 1/2)."""
    logs = [-math.lgamma(k + 1) - math.lgamma(size - k + 1) for k in range(size + 1)]
    ways = np.exp(np.array(logs) - max(logs))
    return np.asarray(ways / ways.sum(), dtype=np.float64)


def _p_values(observed: Floats, null: Floats, weights: Floats, exact: bool) -> Floats:
    size = np.abs(null)
    # Differences that are equal in exact arithmetic must not be separated by rounding.
    largest = np.max(size, axis=1, initial=0.0, where=~np.isnan(size))
    threshold = np.abs(observed) - 1e-9 * largest - 16 * np.finfo(np.float64).eps
    extreme = ~(size < threshold[:, None])
    reached = (extreme * weights).sum(axis=1)
    p = reached / weights.sum() if exact else (1 + reached) / (1 + len(weights))
    return np.where(np.isnan(observed), np.nan, np.clip(p, np.finfo(np.float64).tiny, 1.0))
