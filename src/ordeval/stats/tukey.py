"""Tukey's honestly significant difference over topics: randomised and paired, and classical.

The randomised test permutes every topic's row of scores, independently, and compares each
difference of means with the largest one that chance produced (Carterette 2012; Sakai 2018).

How a row is permuted. Every score becomes a 64-bit key: 32 random bits above a 32-bit number
that holds the score in fixed point. Sorting the keys of a row by value puts its scores in random
order; adding keys up over topics adds the scores in their lower halves, since nothing carries
down from the random halves. So a trial is one sort and one sum, without indices.

What fixed point costs. Scores are rounded to 2^-28 of the largest range within a topic; means
are compared with that tolerance, and all sums are exact integers, so that ties stay ties, and
neither threads nor chunks can change a result. Two equal random halves in a row would be ordered
by their scores: a trial of T topics and S systems has such a pair with probability below
T·S²/2^33 (2 in 100,000 for 300 × 22), which also bounds the bias of a p-value.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.errors import InputError, quoted
from ordeval.stats.anova import two_way
from ordeval.stats.resample import (
    BLOCK_REPLICATES,
    Block,
    Floats,
    Integers,
    Plan,
    blocks_of,
    map_portions,
    stream,
)

Words = NDArray[np.uint64]

SCORE_BITS = 28
# With 28 bits a score, the lower halves of 16 keys add up without reaching the random halves.
TOPICS_PER_SUM = 16
HALF = np.uint64(32)
LOWER = np.uint64(2**32 - 1)
UPPER = np.uint64(2**64 - 2**32)
# Rows are repeated this often, so that NumPy's inner loops are long.
TILE = 16
# Keys sorted at a time: 512 kB, which stays in the second-level cache.
KEYS_AT_A_TIME = 2**16


@dataclass(frozen=True, slots=True)
class TukeyTest:
    """Differences of all pairs of systems, with p-values for the whole family of pairs.

    Attributes
    ----------
    difference : [..., S, S], mean of the row's system minus that of the column's.
    p : [..., S, S], symmetric, 1 on the diagonal.
    topics : [...], number of topics used.
    trials : number of random trials, None for the classical test.
    """

    difference: Floats
    p: Floats
    topics: Integers
    trials: int | None


def randomised_tukey(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    systems: Sequence[str] | None = None,
    topics: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    undefined: Literal["error", "drop-topic"] = "error",
    correction: bool = True,
) -> TukeyTest:
    """Randomised paired Tukey HSD test; all measures share the permutations.

    Parameters
    ----------
    scores : [T, S] or [M, T, S]: topics × systems.
    plan : 5,000 trials from seed 0 by default.
    systems : names; with them the result does not depend on the order of the systems.
    topics, measures : names, for messages.
    undefined : "error" names undefined scores; "drop-topic" leaves out, for each measure, the
        topics where any system is undefined.
    correction : count the observed data as one of the trials, so that p is never 0.
    """
    plan = plan or Plan(replicates=5000)
    stack, used = _checked(scores, systems, topics, measures, undefined)
    order = np.arange(stack.shape[-1]) if systems is None else np.argsort(np.array(systems))
    fixed = _fixed_point(np.where(used[:, :, None], stack, 0.0)[:, :, order])
    ranges = _null_ranges(fixed, plan)
    sums = fixed.astype(np.int64).sum(axis=1)
    gaps = np.abs(sums[:, :, None] - sums[:, None, :])
    reached = _trials_reaching(gaps, ranges, used.sum(axis=1))
    trials = plan.replicates
    p = (1 + reached) / (1 + trials) if correction else reached / trials
    back = np.argsort(order)
    p = p[:, back][:, :, back]
    p[:, np.arange(len(back)), np.arange(len(back))] = 1.0
    difference = mean_differences(_means(stack, used))
    return _shaped(np.ndim(scores), difference, p, used.sum(axis=1), trials)


def classical_tukey(
    scores: ArrayLike,
    *,
    topics: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    undefined: Literal["error", "drop-topic"] = "error",
) -> TukeyTest:
    """Tukey HSD from the studentised range and the residual variance of two-way ANOVA.

    Parameters as in `randomised_tukey`. Where the residual variance is 0 the test is undefined
    (NaN). p-values below 1e-12, where the distribution function is all rounding, are given as
    1e-12.
    """
    from scipy.stats import studentized_range

    stack, used = _checked(scores, None, topics, measures, undefined)
    systems = stack.shape[-1]
    p = np.empty((len(stack), systems, systems))
    for m, (matrix, keep) in enumerate(zip(stack, used, strict=True)):
        table = two_way(matrix[keep])
        error = np.sqrt(table.residual_variance / keep.sum())
        if not error > 0:
            p[m] = np.nan
            continue
        gaps = np.abs(mean_differences(matrix[keep].mean(axis=0)))
        upper = np.triu_indices(systems, 1)
        tail = studentized_range.sf(gaps[upper] / error, systems, table.residual_df)
        p[m] = 1.0
        p[m][upper] = p[m].T[upper] = np.clip(tail, 1e-12, 1.0)
    difference = mean_differences(_means(stack, used))
    return _shaped(np.ndim(scores), difference, p, used.sum(axis=1), None)


def mean_differences(means: Floats) -> Floats:
    """Differences [..., S, S] of means [..., S]: row minus column."""
    return np.asarray(means[..., :, None] - means[..., None, :], dtype=np.float64)


def _checked(
    scores: ArrayLike,
    systems: Sequence[str] | None,
    topics: Sequence[str] | None,
    measures: Sequence[str] | None,
    undefined: str,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Scores [M, T, S], and which topics [M, T] to use."""
    stack = np.asarray(scores, dtype=np.float64)
    if stack.ndim not in (2, 3) or stack.shape[-1] < 2:
        raise InputError(
            f"scores of shape {stack.shape} were given, but topics × systems (or measures × "
            "topics × systems) with at least two systems is expected"
        )
    stack = stack if stack.ndim == 3 else stack[None]
    if systems is not None and (
        len(systems) != stack.shape[-1] or len(set(systems)) != len(systems)
    ):
        raise InputError(
            f"{quoted(systems)} were given as names of {stack.shape[-1]} systems; give each system "
            "a name of its own"
        )
    used: NDArray[np.bool_] = np.asarray(np.isfinite(stack).all(axis=2))
    if undefined != "drop-topic" and not used.all():
        raise InputError(_which_undefined(used, topics, measures))
    if np.any(used.sum(axis=1) < 2):
        short = [_name(measures, m, "measure") for m in _places(used.sum(axis=1) < 2)]
        raise InputError(
            f"fewer than two topics have scores of all systems for {quoted(short)}; a test over "
            "topics needs two or more: test over items instead"
        )
    return stack, used


def _which_undefined(
    used: NDArray[np.bool_], topics: Sequence[str] | None, measures: Sequence[str] | None
) -> str:
    parts = []
    for m in _places(~used.all(axis=1)):
        names = [_name(topics, t, "topic") for t in _places(~used[m])]
        parts.append(f"{_name(measures, m, 'measure')} on {quoted(names)}")
    return (
        f"undefined scores: {'; '.join(parts)}; every system needs a score on every topic; "
        'pass undefined="drop-topic" to leave those topics out'
    )


def _name(names: Sequence[str] | None, index: int, kind: str) -> str:
    return f"{kind} {index}" if names is None else str(names[index])


def _places(flags: ArrayLike) -> list[int]:
    return [int(place) for place in np.flatnonzero(flags)]


def _means(stack: Floats, used: NDArray[np.bool_]) -> Floats:
    sums = np.where(used[:, :, None], stack, 0.0).sum(axis=1)
    return np.asarray(sums / used.sum(axis=1)[:, None], dtype=np.float64)


def _fixed_point(stack: Floats) -> Words:
    """Scores above their topic's lowest as whole numbers [M, T, S], in units of each measure."""
    above = stack - stack.min(axis=2, keepdims=True)
    unit = above.max(axis=(1, 2)) / (2**SCORE_BITS - 1)
    scaled = above / np.where(unit > 0, unit, 1.0)[:, None, None]
    return np.asarray(np.rint(scaled), dtype=np.uint64)


def _null_ranges(fixed: Words, plan: Plan) -> Integers:
    """Sorted ranges [M, B] of the systems' sums over topics, one for every trial."""
    blocks = blocks_of(plan.replicates, 1)
    group = max(1, (plan.chunk or 1) // BLOCK_REPLICATES)
    portions = [blocks[i : i + group] for i in range(0, len(blocks), group)]

    def work(portion: list[Block]) -> Integers:
        parts = [_block_ranges(fixed, plan.seed, block) for block in portion]
        return np.concatenate(parts, axis=1)

    return np.sort(np.concatenate(list(map_portions(work, portions, plan)), axis=1), axis=1)


def _block_ranges(fixed: Words, seed: int, block: Block) -> Integers:
    """Ranges [M, b] of one block of trials."""
    measures, topics, systems = fixed.shape
    rng = stream(seed, "tukey", block.number)
    pairs = -(-block.size // (2 * TILE)) * TILE
    step = max(1, min(TOPICS_PER_SUM, KEYS_AT_A_TIME // (2 * pairs * systems)))
    sums = np.zeros((measures, 2 * pairs, systems), dtype=np.int64)
    keys = np.empty((step, 2 * pairs, systems), dtype=np.uint64)
    tiles = np.tile(fixed, TILE)
    for start in range(0, topics, step):
        rows = tiles[:, start : start + step, None, :]
        words = rng.integers(
            2**64 - 1, size=(rows.shape[1], pairs, systems), dtype=np.uint64, endpoint=True
        )
        for m in range(measures):
            sums[m] += _permuted_sums(words, rows[m], keys[: rows.shape[1]])
    return np.asarray(np.ptp(sums[:, : block.size], axis=2), dtype=np.int64)


def _permuted_sums(words: Words, rows: Words, keys: Words) -> Integers:
    """Sums [2 * pairs, S] over topics of randomly permuted rows.

    Parameters
    ----------
    words : random [topics, pairs, S]; each serves two trials, 32 bits each.
    rows : scores in fixed point [topics, 1, TILE * S].
    keys : room to work in [topics, 2 * pairs, S].
    """
    pairs = words.shape[1]
    np.bitwise_and(words, UPPER, out=keys[:, :pairs])
    np.left_shift(words, HALF, out=keys[:, pairs:])
    tiled = keys.reshape(len(keys), -1, rows.shape[-1])
    tiled |= rows
    keys.sort(axis=2)
    return np.asarray(keys.sum(axis=0) & LOWER).astype(np.int64)


def _trials_reaching(gaps: Integers, ranges: Integers, topics: Integers) -> Integers:
    """How many trials have a range that reaches each gap [M, S, S].

    Each score may be off by half a unit, so a difference of sums by one unit a topic, and so may
    the range it is compared with.
    """
    below = [
        np.searchsorted(row, gap - 2 * count, side="left")
        for row, gap, count in zip(ranges, gaps, topics, strict=True)
    ]
    return np.asarray(ranges.shape[1] - np.stack(below))


def _shaped(
    ndim: int, difference: Floats, p: Floats, topics: Integers, trials: int | None
) -> TukeyTest:
    """The result without the axis of measures if the scores had none."""
    if ndim == 3:
        return TukeyTest(difference, p, topics, trials)
    return TukeyTest(difference[0], p[0], topics[0], trials)
