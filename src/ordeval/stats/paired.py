"""Comparison of two systems on the same items, from their joint counts (gold, a, b).

Two systems' own tables forget which items each of them missed. The joint counts remember, and
are enough: resampling items is a multinomial draw over their cells, and exchanging the systems'
labels at random is one binomial draw for every pair of cells (g, a, b), (g, b, a).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.errors import InputError
from ordeval.stats.intervals import (
    Interval,
    Method,
    interval_of,
    item_jackknife,
    topic_jackknife,
)
from ordeval.stats.resample import (
    Aggregate,
    Block,
    Floats,
    Integers,
    Over,
    Plan,
    Statistic,
    Undefined,
    as_counts,
    bootstrap,
    score_draws,
    score_topics,
    stream,
)

Names = tuple[str, str]
EXACT_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Randomisation tests of M measures on one pair of systems, each array [M].

    Attributes
    ----------
    difference : score of the first system minus that of the second.
    p : two-sided p-value, never 0; NaN where the difference is undefined.
    undefined : number of trials (outcomes, if exact) with an undefined difference. They count as
        at least as extreme as what was observed.
    trials : number of random trials, or of enumerated outcomes.
    exact : whether all outcomes were enumerated.
    """

    difference: Floats
    p: Floats
    undefined: Integers
    trials: int
    exact: bool


def marginal_tables(joint: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Tables [..., K, K] of both systems from joint counts [..., gold, a, b]."""
    return joint.sum(axis=-1), joint.sum(axis=-2)


def paired_bootstrap(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    names: Names | None = None,
    over: Over = "items",
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
) -> Floats:
    """Bootstrap replicates [M, B] of score(a) - score(b).

    Parameters
    ----------
    joint : counts [gold, a, b] or [T, gold, a, b].
    statistic : maps tables [..., K, K] to scores [M, ...].
    names : names of a and b; with them, exchanging the systems only changes the sign.
    over, aggregate, undefined : see `bootstrap`.
    """
    counts, sign, key = _canonical(joint, names)
    replicates = bootstrap(
        counts,
        _both(statistic),
        plan,
        over=over,
        aggregate=aggregate,
        undefined=undefined,
        key=key,
        cell_ndim=3,
    )
    return sign * _first_minus_second(replicates)


def difference_interval(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    names: Names | None = None,
    method: Method = "bca",
    level: float = 0.95,
    over: Over = "items",
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
) -> Interval:
    """Interval [M] of score(a) - score(b), from the paired bootstrap.

    Parameters as in `paired_bootstrap`; `method` is "bca" or "percentile".
    """
    counts, sign, key = _canonical(joint, names)
    counts = counts.reshape(-1, *counts.shape[-3:])
    both = _both(statistic)
    options: _Scoring = {"aggregate": aggregate, "undefined": undefined, "cell_ndim": 3}
    replicates = bootstrap(counts, both, plan, over=over, key=key, **options)
    jackknife = item_jackknife if over == "items" else topic_jackknife

    def left_out() -> tuple[Floats, Integers]:
        scores, weights = jackknife(counts, both, **options)
        return _first_minus_second(scores), weights

    estimate = _first_minus_second(score_topics(counts, both, **options))
    found = interval_of(estimate, _first_minus_second(replicates), left_out, method, level)
    return found if sign == 1 else found.negated()


class _Scoring(TypedDict):
    aggregate: Aggregate
    undefined: Undefined
    cell_ndim: int


def _both(statistic: Statistic) -> Statistic:
    """The statistic of joint counts [..., K, K, K] that scores a, then b: [2M, ...].

    They are told apart until the end, for a mean over topics may skip the topics of one of them.
    """

    def both(joint: NDArray[Any]) -> Floats:
        scores = statistic(np.stack(marginal_tables(joint)))
        return np.concatenate([scores[:, 0], scores[:, 1]])

    return both


def _first_minus_second(scores: Floats) -> Floats:
    """Differences [M, ...] of scores [2M, ...] of two systems."""
    first, second = np.split(scores, 2)
    return np.asarray(first - second, dtype=np.float64)


def randomisation_test(
    joint: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    names: Names | None = None,
    unit: Literal["items", "topics"] = "items",
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
    exact_limit: int = EXACT_LIMIT,
) -> PairedTest:
    """Two-sided paired randomisation test of no difference between two systems.

    Parameters
    ----------
    joint : counts [gold, a, b] or [T, gold, a, b].
    statistic : maps tables [..., K, K] to scores [M, ...].
    names : names of a and b; with them, exchanging the systems only changes the sign.
    unit : what the systems exchange: their labels for single items, or for whole topics.
    aggregate, undefined : as in `bootstrap`.
    exact_limit : when there are no more distinct outcomes than this, all are enumerated.
    """
    plan = plan or Plan(replicates=10_000)
    counts, sign, key = _canonical(joint, names)
    counts = counts.reshape(-1, *counts.shape[-3:])
    if unit == "items" and aggregate == "pooled":
        counts = counts.sum(axis=0, keepdims=True)
    exchange = ItemExchange(counts) if unit == "items" else TopicExchange(counts)
    observed = _score_pair(_pair(counts), statistic, aggregate, undefined)

    def score(outcomes: Integers) -> Floats:
        return _score_pair(exchange.tables(outcomes), statistic, aggregate, undefined)

    exact = exchange.outcomes <= exact_limit
    null, weights = (
        _enumerated(exchange, score) if exact else _simulated(exchange, score, plan, key)
    )
    p = _p_values(observed, null, weights, exact)
    missing = np.isnan(null).sum(axis=1)
    return PairedTest(sign * observed, p, missing, null.shape[1], exact)


class ItemExchange:
    """Exchange of single items' labels between the systems, in every topic.

    Of the m items of a topic with gold g to which the systems gave the labels a and b, either
    way round, a Binomial(m, 1/2) number gets them as (a, b), the others as (b, a).
    """

    def __init__(self, counts: Integers) -> None:
        shape = counts.shape
        topic, gold, a, b = np.nonzero(np.triu(counts + counts.swapaxes(-1, -2), 1))
        self.sizes = (counts[topic, gold, a, b] + counts[topic, gold, b, a]).astype(np.int64)
        self._here = np.ravel_multi_index((topic, gold, a, b), shape)
        self._there = np.ravel_multi_index((topic, gold, b, a), shape)
        self._counts = counts

    @property
    def entries(self) -> int:
        """Numbers that one trial takes."""
        return self._counts.size

    @property
    def outcomes(self) -> int:
        """Number of distinct outcomes."""
        return math.prod(int(size) + 1 for size in self.sizes)

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Random outcomes [size, cells]."""
        return rng.binomial(self.sizes, 0.5, size=(size, len(self.sizes)))

    def tables(self, outcomes: Integers) -> Floats:
        """Tables [trials, 2, T, K, K] of both systems after an exchange."""
        joint = np.empty((self._counts.size, len(outcomes)))  # trials innermost: long loops
        joint[:] = self._counts.reshape(-1, 1)
        joint[self._here] = outcomes.T
        joint[self._there] = self.sizes[:, None] - outcomes.T
        return _pair(np.moveaxis(joint.reshape(*self._counts.shape, -1), -1, 0))


class TopicExchange:
    """Exchange of the systems' tables of whole topics, each with probability 1/2."""

    def __init__(self, counts: Integers) -> None:
        self._tables = _pair(counts)
        different = np.any(self._tables[0] != self._tables[1], axis=(-1, -2))
        self._topics = np.flatnonzero(different)
        self.sizes = np.ones(len(self._topics), dtype=np.int64)

    @property
    def entries(self) -> int:
        """Numbers that one trial takes."""
        return self._tables.size

    @property
    def outcomes(self) -> int:
        """Number of distinct outcomes."""
        return math.prod(2 for _ in self._topics)

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Random outcomes [size, topics]: 1 where the systems are exchanged."""
        return rng.integers(2, size=(size, len(self._topics)))

    def tables(self, outcomes: Integers) -> Floats:
        """Tables [trials, 2, T, K, K] of both systems after an exchange."""
        swapped = np.zeros((len(outcomes), 1, self._tables.shape[1], 1, 1), dtype=np.bool_)
        swapped[:, 0, self._topics, 0, 0] = outcomes == 1
        return np.where(swapped, self._tables[::-1], self._tables)


Exchange = ItemExchange | TopicExchange


def holm(p: ArrayLike) -> Floats:
    """Holm's step-down correction of p-values along the last axis; NaN ones are no tests."""
    given = np.asarray(p, dtype=np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    ordered = np.take_along_axis(given, order, axis=-1)
    tests = np.sum(~np.isnan(given), axis=-1, keepdims=True)
    factors = np.maximum(tests - np.arange(given.shape[-1]), 1)
    stepped = np.maximum.accumulate(np.minimum(ordered * factors, 1.0), axis=-1)
    corrected = np.empty_like(given)
    np.put_along_axis(corrected, order, stepped, axis=-1)
    return corrected


def _canonical(joint: ArrayLike, names: Names | None) -> tuple[Integers, int, str]:
    """Counts with the systems in the order of their names, the sign this takes, a stream's key."""
    counts = as_counts(joint)
    if counts.ndim not in (3, 4) or len(set(counts.shape[-3:])) != 1:
        raise InputError(
            f"joint counts of shape {counts.shape} were given, but [K, K, K] for (gold, a, b) or "
            "[topics, K, K, K] is expected"
        )
    if names is None:
        return counts, 1, ""
    if names[0] == names[1]:
        raise InputError(f"both systems are named {names[0]!r}; give them different names")
    key = "\x1f".join(sorted(names))
    if names[0] < names[1]:
        return counts, 1, key
    return counts.swapaxes(-1, -2), -1, key


def _pair(joint: NDArray[Any]) -> Floats:
    """Both systems' tables [..., 2, T, K, K] of joint counts [..., T, K, K, K]."""
    return np.stack(marginal_tables(joint), axis=-4).astype(np.float64)


def _score_pair(
    tables: Floats, statistic: Statistic, aggregate: Aggregate, undefined: Undefined
) -> Floats:
    scores = score_topics(tables, statistic, aggregate, undefined)
    return np.asarray(scores[..., 0] - scores[..., 1], dtype=np.float64)


def _simulated(
    exchange: Exchange, score: Callable[[Integers], Floats], plan: Plan, key: str
) -> tuple[Floats, Floats]:
    """Differences [M, B] of random outcomes, and their weights."""

    def draw(block: Block) -> Integers:
        return exchange.draw(stream(plan.seed, "exchange", key, block.number), block.size)

    return score_draws(draw, score, plan, exchange.entries), np.ones(plan.replicates)


def _enumerated(exchange: Exchange, score: Callable[[Integers], Floats]) -> tuple[Floats, Floats]:
    """Differences [M, outcomes] of all outcomes, and their probabilities."""
    sizes = exchange.sizes
    grid = np.indices(tuple(sizes + 1)).reshape(len(sizes), exchange.outcomes).T
    weights = np.ones(len(grid))
    for column, size in zip(grid.T, sizes, strict=True):
        weights *= _binomial_half(int(size))[column]
    step = max(1, 2**19 // max(exchange.entries, 1))
    parts = [score(grid[i : i + step]) for i in range(0, len(grid), step)]
    return np.concatenate(parts, axis=1), weights


def _binomial_half(size: int) -> Floats:
    """Probabilities [size + 1] of Binomial(size, 1/2)."""
    logs = [-math.lgamma(k + 1) - math.lgamma(size - k + 1) for k in range(size + 1)]
    ways = np.exp(np.array(logs) - max(logs))
    return np.asarray(ways / ways.sum(), dtype=np.float64)


def _p_values(observed: Floats, null: Floats, weights: Floats, exact: bool) -> Floats:
    size = np.abs(null)
    # Equal in exact arithmetic is equal here: rounding must not decide a tie.
    largest = np.max(size, axis=1, initial=0.0, where=~np.isnan(size))
    bar = np.abs(observed) - 1e-9 * largest - 16 * np.finfo(np.float64).eps
    extreme = ~(size < bar[:, None])
    reached = (extreme * weights).sum(axis=1)
    p = reached / weights.sum() if exact else (1 + reached) / (1 + len(weights))
    return np.where(np.isnan(observed), np.nan, np.clip(p, np.finfo(np.float64).tiny, 1.0))
