"""Two-way analysis of variance without replication, effect sizes, and groups of systems.

Tukey's honestly significant difference over topics, randomised and paired.

The randomised test permutes the scores of every topic independently, and compares each difference
of means with the largest one that chance produced (Carterette 2012; Sakai 2018).

How a row of scores is permuted. Every score becomes a 64-bit key: 32 random bits above a 32-bit
number that holds the score in fixed point. Sorting the keys of a row puts its scores in random
order; adding keys up over topics adds the scores in their lower halves, since nothing carries
down from the random halves. So a trial is one sort and one sum, without indices. With many
measures, which share the permutations, the lower halves hold the number of the system instead.

What fixed point costs. Scores are rounded to 2^-28 of the largest range within a topic; means are
compared with that tolerance. All sums are exact integers, so ties stay ties, and neither threads
nor chunks can change a result. Two equal random halves in a row are ordered by their scores: a
trial of T topics and S systems has such a pair with probability below T·S²/2^33 (2 in 100,000 for
300 × 22), which also bounds the bias of a p-value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, first_few
from ..types import Array, Bools, Floats, Ints
from .resample import (
    BLOCK_REPLICATES,
    CHUNK_ENTRIES,
    Block,
    Plan,
    as_scores,
    score_draws,
    stream,
    wrong_shape,
)


@dataclass(frozen=True, slots=True)
class Anova:
    """Two-way analysis of variance of scores by topics and systems.

    Parameters
    ----------
    systems_ss : array of shape (...)
        Sum of squares between systems.
    topics_ss : array of shape (...)
        Sum of squares between topics.
    residual_ss : array of shape (...)
        Residual sum of squares.
    systems_df : int or array of int
        Degrees of freedom of the systems, S - 1.
    topics_df : int or array of int
        Degrees of freedom of the topics, T - 1.
    residual_df : int or array of int
        Residual degrees of freedom, (T - 1)(S - 1).

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.two_way(scores)
    >>> round(float(found.systems_f), 1), round(float(found.systems_p), 4)
    (54.3, 0.0001)
    """

    systems_ss: Floats
    topics_ss: Floats
    residual_ss: Floats
    systems_df: int | Ints | Floats
    topics_df: int | Ints | Floats
    residual_df: int | Ints | Floats

    @property
    def residual_variance(self) -> Floats:
        """Residual variance, V_E2 of Sakai (2018)."""
        return np.asarray(self.residual_ss / self.residual_df)

    @property
    def systems_f(self) -> Floats:
        """F statistic of the systems, NaN without residual variance."""
        return _ratio(self.systems_ss / self.systems_df, self.residual_variance)

    @property
    def topics_f(self) -> Floats:
        """F statistic of the topics, NaN without residual variance."""
        return _ratio(self.topics_ss / self.topics_df, self.residual_variance)

    @property
    def systems_p(self) -> Floats:
        """P-value of the hypothesis that systems do not differ."""
        return _f_tail(self.systems_f, self.systems_df, self.residual_df)

    @property
    def topics_p(self) -> Floats:
        """P-value of the hypothesis that topics do not differ."""
        return _f_tail(self.topics_f, self.topics_df, self.residual_df)


def two_way(scores: ArrayLike) -> Anova:
    """Analyse the variance of scores by topics and systems, without replication.

    Parameters
    ----------
    scores : array_like of shape (..., T, S)
        Scores of at least two topics and two systems.

    Returns
    -------
    Anova
        Sums of squares of shape (...), and what follows from them.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.two_way(scores)
    >>> round(float(found.residual_variance), 5), found.residual_df
    (0.0025, 6)
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim < 2 or min(matrix.shape[-2:]) < 2:
        expected = "(..., topics, systems) with at least two topics and two systems"
        raise wrong_shape(matrix, expected, "scores")
    topics, systems = matrix.shape[-2:]
    # Centred first: the squares of large means would swamp the differences.
    centred = matrix - matrix.mean(axis=(-2, -1), keepdims=True)
    by_system = centred.mean(axis=-2, keepdims=True)
    by_topic = centred.mean(axis=-1, keepdims=True)
    residual = centred - by_system - by_topic
    # Scores that are additive in exact arithmetic leave residuals of the size of rounding errors.
    noise = matrix.size * (4 * np.finfo(np.float64).eps * np.abs(matrix).max(axis=(-2, -1))) ** 2
    residual_ss = (residual**2).sum(axis=(-2, -1))
    return Anova(
        systems_ss=topics * (by_system**2).sum(axis=(-2, -1)),
        topics_ss=systems * (by_topic**2).sum(axis=(-2, -1)),
        residual_ss=np.where(residual_ss > noise, residual_ss, 0.0),
        systems_df=systems - 1,
        topics_df=topics - 1,
        residual_df=(topics - 1) * (systems - 1),
    )


def effect_sizes(scores: ArrayLike) -> Floats:
    """Return the differences of systems in residual standard deviations.

    Parameters
    ----------
    scores : array_like of shape (..., T, S)
        Scores of at least two topics and two systems.

    Returns
    -------
    array of shape (..., S, S)
        Mean of the row's system minus that of the column's, divided by the square root of the
        residual variance of `two_way`; NaN where that is 0.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> oe.stats.effect_sizes(scores).round(2).tolist()
    [[0.0, 1.5, 7.0], [-1.5, 0.0, 5.5], [-7.0, -5.5, 0.0]]
    """
    matrix = np.asarray(scores, dtype=np.float64)
    variance = two_way(matrix).residual_variance[..., None, None]
    return _ratio(pairwise_differences(matrix.mean(axis=-2)), np.sqrt(variance))


def pairwise_differences(values: Array) -> Array:
    """Return the differences [..., S, S] of values [..., S], row minus column."""
    return np.asarray(values[..., :, None] - values[..., None, :])


def letter_groups(
    means: ArrayLike, p: ArrayLike, alpha: float = 0.05, *, most: int = 200
) -> list[list[int]]:
    """Group systems such that two share a group if and only if they do not differ significantly.

    This is the compact letter display. Every group is a maximal set of systems of which no two
    differ significantly. P-values of a randomisation test need not be monotone in the difference,
    so the groups are those of Piepho (2004), not runs of the ranking.

    Parameters
    ----------
    means : array_like of shape (S,)
        Mean scores; higher is better (negate those of which lower is better).
    p : array_like of shape (S, S)
        P-values of the pairs; NaN is not significant.
    alpha : float, default: 0.05
        Significance level.
    most : int, default: 200
        Largest number of groups. Irregular p-values can need exponentially many; if there are
        more than this, none are returned.

    Returns
    -------
    list of list of int
        Indices of the systems of every group from best to worst, the group of the best system
        first.

    Examples
    --------
    >>> import ordeval as oe
    >>> p = [[1, 0.2, 0.01], [0.2, 1, 0.2], [0.01, 0.2, 1]]
    >>> oe.stats.letter_groups([0.9, 0.8, 0.7], p)
    [[0, 1], [1, 2]]
    """
    order = np.argsort(-np.asarray(means, dtype=np.float64), kind="stable").tolist()
    significant = np.asarray(p, dtype=np.float64)[np.ix_(order, order)] < alpha
    different = np.triu(significant, 1)
    alike = [_as_bits(~row) & ~(1 << i) for i, row in enumerate(different | different.T)]
    groups = _maximal_groups(alike, most)
    places = range(len(order))
    members = ([place for place in places if group >> place & 1] for group in groups)
    return [[order[place] for place in group] for group in sorted(members)]


def _maximal_groups(alike: list[int], most: int) -> list[int]:
    """Return all maximal sets whose members are alike, none if there are more than `most`.

    Sets are bits of a number. Those that are searched for hold all of `within`, some of `open_`
    and none of `closed`, whose groups are known. They are the maximal cliques of a graph (Bron &
    Kerbosch 1973, with pivots after Tomita et al. 2006).
    """
    maximal: list[int] = []
    waiting = [(0, (1 << len(alike)) - 1, 0)]
    while waiting:
        within, open_, closed = waiting.pop()
        for s in _members(open_):
            if not open_ & ~alike[s] & ~(1 << s):  # alike to all open ones: every group holds it
                within, closed = within | 1 << s, closed & alike[s]
        open_ &= ~within
        if not open_:
            maximal += [] if closed else [within]
            if len(maximal) > most:
                return []
            continue
        # Every further group holds the pivot or a system that is not alike to it.
        pivot = max(_members(open_ | closed), key=lambda s: (open_ & alike[s]).bit_count())
        for s in _members(open_ & ~alike[pivot]):
            waiting.append((within | 1 << s, open_ & alike[s], closed & alike[s]))
            open_, closed = open_ & ~(1 << s), closed | 1 << s
    return maximal


def _members(group: int) -> Iterator[int]:
    """Yield the places of the bits of a set."""
    while group:
        last = group & -group
        yield last.bit_length() - 1
        group ^= last


def _as_bits(row: Bools) -> int:
    """Return a row of truth values as the bits of a number, the first one lowest."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide, NaN where `below` is 0."""
    above, below = np.broadcast_arrays(above, below)
    ratio: Floats = np.full(above.shape, np.nan)
    return np.divide(above, below, out=ratio, where=below > 0)


def _f_tail(f: Floats, df: int | Ints | Floats, residual_df: int | Ints | Floats) -> Floats:
    """Return the upper tail probability of the F distribution."""
    from scipy.special import fdtrc

    return np.asarray(fdtrc(df, residual_df, f), dtype=np.float64)


Words = NDArray[np.uint64]
DropOrError = Literal["error", "drop-topic"]

SCORE_BITS = 28
# With 28 bits per score, the sum of 16 has 32 bits.
TOPICS_PER_SUM = 16
HALF = np.uint64(32)
LOWER = np.uint64(2**32 - 1)
UPPER = np.uint64(2**64 - 2**32)
# From so many measures on, one order for all of them is faster than a sort for each.
MEASURES_THAT_SHARE = 6
# The number of trials that are drawn is a multiple of twice this.
TILE = 16
# Scores permuted at a time, for the same reason.
SCORES_AT_A_TIME = 2**17
# Keys sorted at a time: 512 kB, which stay in the second-level cache.
KEYS_AT_A_TIME = 2**16


@dataclass(frozen=True, slots=True)
class TukeyTest:
    """Tests of all pairs of systems, with p-values for the whole family of pairs.

    Parameters
    ----------
    difference : array of shape (..., S, S)
        Mean of the row's system minus that of the column's.
    p : array of shape (..., S, S)
        Symmetric p-values, 1 on the diagonal.
    topics : array of int of shape (...)
        Number of topics used.
    trials : int or None
        Number of random trials.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.randomised_tukey(scores)
    >>> int(found.topics), found.trials
    (4, 5000)
    """

    difference: Floats
    p: Floats
    topics: Ints
    trials: int


def randomised_tukey(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    systems: Sequence[str] | None = None,
    undefined: DropOrError = "error",
) -> TukeyTest:
    """Test all pairs of systems by the randomised paired Tukey HSD.

    Parameters
    ----------
    scores : array_like of shape (T, S) or (M, T, S)
        Scores of every topic and system. All measures share the permutations.
    plan : Plan, optional
        The number of random trials and the seed. By default 5,000 trials from seed 0.
    systems : sequence of str, optional
        Names of the systems. If they are given, the order of the systems changes nothing.
    undefined : {"error", "drop-topic"}, default: "error"
        Raise if a score is undefined, or leave out, for each measure, the topics on which any
        system is undefined.

    Returns
    -------
    TukeyTest
        Differences and p-values of shape (S, S) or (M, S, S). The data count as one of the trials,
        so that p is never 0.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> oe.stats.randomised_tukey(scores).p.round(3).tolist()
    [[1.0, 0.916, 0.009], [0.916, 1.0, 0.099], [0.009, 0.099, 1.0]]
    """
    stack = as_scores(scores, systems)
    used = _usable(stack, undefined)
    order = np.argsort(np.arange(stack.shape[-1]) if systems is None else np.array(systems))
    plan = plan or Plan(replicates=5000)
    fixed = _fixed_point(np.where(used[:, :, None], stack, 0.0)[:, :, order])
    ranges = _null_ranges(fixed, plan)
    sums, trials = fixed.astype(np.int64).sum(axis=1)[:, np.argsort(order)], plan.replicates
    p, topics = np.empty((len(stack), len(order), len(order))), used.sum(axis=1)
    for row, own, null, count in zip(p, sums, ranges, topics, strict=True):
        # Rounding changes a score by at most half a unit, so a difference of sums, and a range, by
        # at most one unit per topic.
        gaps = np.abs(own[:, None] - own) - 2 * count
        row[:] = (1 + trials - np.searchsorted(null, gaps, side="left")) / (1 + trials)
        np.fill_diagonal(row, 1.0)
    means = np.where(used[:, :, None], stack, 0.0).sum(axis=1) / topics[:, None]
    of_measure = slice(None) if np.ndim(scores) == 3 else 0
    difference = pairwise_differences(means)[of_measure]
    return TukeyTest(difference, p[of_measure], topics[of_measure], trials)


def _usable(stack: Floats, undefined: DropOrError) -> Bools:
    """Return which topics [M, T] to use, or raise."""
    used = np.asarray(np.isfinite(stack).all(axis=2))
    if undefined != "drop-topic" and not used.all():
        where = [f"measure {m} on topic {t}" for m, t in np.argwhere(~used)]
        raise InputError(
            f"Undefined scores: {first_few(where, 5)}. Every system needs a score on every topic.",
            parameter="undefined",
            hint="Pass {undefined} to leave these topics out.",
            suggest={"undefined": "drop-topic"},
        )
    if used.sum(axis=1).min() < 2:
        raise InputError(
            "Fewer than two topics have scores of all systems under some measure.",
            parameter="scores",
        )
    return used


def _fixed_point(stack: Floats) -> Words:
    """Return scores above the lowest of their topic as integers, in a unit for each measure."""
    above = stack - stack.min(axis=2, keepdims=True)
    unit = above.max(axis=(1, 2)) / (2**SCORE_BITS - 1)
    scaled = above / np.where(unit > 0, unit, 1.0)[:, None, None]
    return np.asarray(np.rint(scaled), dtype=np.uint64)


def _null_ranges(fixed: Words, plan: Plan) -> Ints:
    """Return the sorted ranges [M, B] of the systems' sums over topics in every trial."""
    # As many entries as make a chunk of one block, whatever the size of the scores.
    entries = CHUNK_ENTRIES // BLOCK_REPLICATES

    def draw(block: Block) -> Ints:
        return _block_ranges(fixed, plan.seed, block).T

    return np.sort(score_draws(draw, np.transpose, plan, entries), axis=1)


def _block_ranges(fixed: Words, seed: int, block: Block) -> Ints:
    """Return the ranges [M, b] of one block of trials."""
    measures, topics, systems = fixed.shape
    rng = stream(seed, "tukey", block.number)
    pairs = -(-block.size // (2 * TILE)) * TILE
    step = max(1, min(TOPICS_PER_SUM, KEYS_AT_A_TIME // (2 * pairs * systems)))
    sums = np.zeros((2 * pairs, systems, measures), dtype=np.int64)
    tables = np.ascontiguousarray(np.moveaxis(fixed, 0, 2), dtype=np.uint32)
    for start in range(0, topics, step):
        rows = tables[start : start + step]
        words = rng.integers(
            2**64 - 1, size=(len(rows), pairs, systems), dtype=np.uint64, endpoint=True
        )
        keys = np.concatenate([words & UPPER, words << HALF], axis=1)
        if measures < MEASURES_THAT_SHARE:
            for m in range(measures):
                sums[..., m] += _permuted_sums(keys, rows[..., m])
        else:
            _add_permuted(sums, keys, rows)
    return np.asarray(np.ptp(sums[: block.size], axis=1).T, dtype=np.int64)


def _permuted_sums(keys: Words, rows: NDArray[np.uint32]) -> Ints:
    """Permute rows [T, S] of scores by random keys [T, b, S], and return their sums [b, S].

    Sorting numbers that hold the scores below the random bits takes no index. Nothing carries down
    from the random bits of a sum.
    """
    scored = keys | rows[:, None]
    scored.sort(axis=2)
    return np.asarray(scored.sum(axis=0) & LOWER).astype(np.int64)


def _add_permuted(sums: Ints, keys: Words, rows: NDArray[np.uint32]) -> None:
    """Permute rows [T, S, M] alike for all measures, and add them to sums [b, S, M].

    The result is that of `_permuted_sums` for each measure, also where random keys are equal.
    """
    order = keys | np.arange(keys.shape[2], dtype=np.uint64)
    order.sort(axis=2)
    equal = (order[..., 1:] ^ order[..., :-1]) <= LOWER
    places = (order & LOWER).astype(np.intp)
    size = max(1, SCORES_AT_A_TIME // rows[0].size)
    for first in range(0, len(sums), size):
        part = slice(first, first + size)
        total = np.zeros(sums[part].shape, dtype=np.uint32)
        for row, place in zip(rows, places[:, part], strict=True):
            total += row.take(place, axis=0, mode="clip")
        sums[part] += total
    for topic, trial in np.unique(np.argwhere(equal)[:, :2], axis=0) if equal.any() else ():
        drawn = np.sort(keys[topic, trial] | rows[topic].T, axis=1) & LOWER
        sums[trial] += drawn.T.astype(np.int64) - rows[topic][places[topic, trial]]
