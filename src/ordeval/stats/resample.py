"""Seeded resampling of tables of counts, and of the topics that they belong to.

Resampling N items with replacement is one multinomial draw over the cells of their table, so a
replicate costs as many numbers as the table has cells, whatever N is.

Replicates are drawn in *blocks*. The size of a block depends only on the shape of the data, and
every block has its own stream of random numbers, identified by the index of the block. Chunks and
threads only determine which blocks are processed together, so neither changes a result.

The functions here do not check their input; the public functions of `ordeval.stats` do.
"""

import hashlib
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, quoted
from ..measures.batches import batch_innermost
from ..measures.scoring import replace_undefined
from ..types import RNG, Aggregate, Array, Floats, Ints, Over, Progress, Undefined

Work = TypeVar("Work")
Done = TypeVar("Done")
Statistic = Callable[[Array], Floats]
"""Maps tables [..., K, K] to scores [M, ...], NaN where undefined."""

BLOCK_REPLICATES = 256
# 32 MB of drawn counts: the most that one block may take.
BLOCK_ENTRIES = 2**22
# 1 MB of tables per chunk: the temporary arrays of a measure then fit in the second-level cache.
CHUNK_ENTRIES = 2**17


def as_seed(rng: RNG) -> int:
    """Return an integer as it is, or draw a seed from a generator or from fresh entropy."""
    rng = np.random.default_rng() if rng is None else rng
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    given: Any = rng  # callers without a type checker may pass anything
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 0:
        raise InputError(
            f"rng is {rng!r}, but a seed from 0 on, a numpy.random.Generator or None is expected.",
            parameter="rng",
        )
    return int(rng)


def stream(seed: int, *keys: int | str) -> np.random.Generator:
    """Return a generator that depends on the seed and the keys only."""
    words = tuple(_key_word(key) for key in keys)
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=words)))


def _key_word(key: int | str) -> int:
    # The type is hashed too, so that the system "3" and block 3 get different streams.
    text = f"{type(key).__name__}:{key}"
    word = text.encode("utf-8", errors="surrogatepass")  # file names need not be valid text
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Plan:
    """How replicates are made: how many, from which seed, and by how many threads.

    Parameters
    ----------
    replicates : int, default: 2000
        Number of bootstrap replicates or random trials.
    rng : int, numpy.random.Generator or None, default: 0
        An integer is the seed itself. From a generator, one seed is drawn; None draws one from
        fresh entropy. `seed` keeps the seed, so a plan makes the same draws whenever it is used.
    threads : int, default: 1
        Number of threads. It does not change any result.
    progress : callable, optional
        Called as ``progress(done, total)`` after every chunk.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.stats.Plan(replicates=500, rng=7).seed
    7
    >>> fresh = oe.stats.Plan(rng=None)
    >>> oe.stats.Plan(rng=fresh.seed) == fresh
    True
    """

    replicates: int = 2000
    rng: RNG = 0
    threads: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", as_seed(self.rng))
        for name in ("replicates", "threads"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise InputError(
                    f"{name} is {value!r}, but an integer of at least 1 is expected.",
                    parameter=name,
                )

    @property
    def seed(self) -> int:
        """The seed of every random stream of this plan."""
        return as_seed(self.rng)


class Block(NamedTuple):
    """Consecutive replicates that share one random stream."""

    number: int
    size: int


def blocks_of(replicates: int, entries: int) -> list[Block]:
    """Divide replicates of `entries` drawn numbers each into blocks."""
    size = max(1, min(BLOCK_REPLICATES, BLOCK_ENTRIES // max(entries, 1)))
    starts = range(0, replicates, size)
    return [Block(i, min(size, replicates - start)) for i, start in enumerate(starts)]


def score_draws(
    draw: Callable[[Block], Array],
    score: Callable[[Array], Array],
    plan: Plan,
    entries: int,
    chunk: int | None = None,
) -> Array:
    """Draw the blocks [b, ...] of a plan, and score them in chunks: [M, B, ...].

    `entries` numbers per replicate determine the blocks and, unless `chunk` replicates are scored
    at a time, the chunks.
    """
    blocks = blocks_of(plan.replicates, entries)
    group = math.ceil((chunk or max(1, CHUNK_ENTRIES // max(entries, 1))) / blocks[0].size)
    chunks = (blocks[start : start + group] for start in range(0, len(blocks), group))

    def work(chunk: list[Block]) -> Array:
        return score(np.concatenate([draw(block) for block in chunk]))

    parts, progress = [], Reporter(plan, plan.replicates)
    for part in in_order(work, chunks, plan.threads):
        parts.append(part)
        progress.add(part.shape[1])
    return np.concatenate(parts, axis=1)


def in_order(work: Callable[[Work], Done], parts: Iterable[Work], threads: int) -> Iterator[Done]:
    """Apply `work` to parts, in threads, and yield what it returns in the order of the parts.

    Parts are made as they are needed, so that only a few are held at a time.
    """
    if threads == 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Done]] = deque()
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class Reporter:
    """Reports the draws that are done."""

    def __init__(self, plan: Plan, total: int) -> None:
        self._report, self._total, self._done = plan.progress, total, 0

    def add(self, draws: int) -> None:
        """Report that so many more are done."""
        self._done += draws
        if self._report is not None:
            self._report(self._done, self._total)


def wrong_shape(array: Array, expected: str, parameter: str) -> InputError:
    """Return the error that an array does not have the expected shape."""
    return InputError(
        f"{parameter} has the shape {array.shape}, but {expected} is expected.", parameter=parameter
    )


def as_tables(counts: ArrayLike, *, whole: bool) -> Floats:
    """Return counts as floats; raise an error unless they are counts, `whole` or real ones."""
    tables, problem = np.asarray(counts), ""
    if tables.dtype.kind not in "fiub":
        problem = f"The counts have the type {tables.dtype}, but numbers are expected."
    elif not np.all(np.isfinite(tables)) or np.any(tables < 0):
        problem = "Some counts are negative, infinite or missing."
    elif whole and np.any(tables != np.floor(tables)):
        problem = (
            "Some counts are not whole, but items can be resampled by whole counts only: a real "
            "weight does not tell how many items it stands for."
        )
    if problem:
        raise InputError(problem, parameter="counts")
    return tables.astype(np.float64)


def as_scores(scores: ArrayLike, systems: Sequence[str] | None = None) -> Floats:
    """Return scores [M, T, S]; raise an error unless they are scores of these systems."""
    # Contiguous, so that sums over topics are added in the same order for every system.
    stack = np.ascontiguousarray(scores, dtype=np.float64)
    if stack.ndim not in (2, 3) or stack.shape[-1] < 2 or stack.shape[-2] < 1:
        expected = "(topics, systems) or (measures, topics, systems) with at least two systems"
        raise wrong_shape(stack, expected, "scores")
    count = stack.shape[-1]
    if systems is not None and not len(systems) == len(set(systems)) == count:
        raise InputError(
            f"{quoted(systems)} are not one name for each system of {count}, without repetition.",
            parameter="systems",
        )
    return stack.reshape(-1, *stack.shape[-2:])


def effective_number(weight: Array, squares: Array) -> Floats:
    """Return (Σw)²/Σw²: how many items of equal weight say as much; 0 without items."""
    return np.asarray(weight * effective_scale(weight, squares), dtype=np.float64)


def effective_scale(weight: Array, squares: Array) -> Floats:
    """Return Σw/Σw²: the unit in which weights sum to the effective number of items."""
    filled = np.asarray(squares) > 0
    return np.asarray(np.where(filled, weight, 1.0) / np.where(filled, squares, 1.0))


def weighted_means(scores: Floats, weights: ArrayLike, undefined: Undefined) -> Floats:
    """Return means [..., B] of the scores [..., T] of topics, weighted by [B, T].

    A number in `undefined` replaces undefined scores, "skip" takes the mean over the defined ones,
    and None makes a mean undefined if any topic in it is.
    """
    scores = replace_undefined(scores, undefined)
    drawn = np.ascontiguousarray(weights, dtype=np.float64)
    missing = np.isnan(scores)
    filled = np.ascontiguousarray(np.where(missing, 0.0, scores))
    # Not a matrix product: its last digits would depend on how many systems there are.
    sums = np.einsum("...t,bt->...b", filled, drawn)
    weight_missing = missing.astype(np.float64) @ drawn.T
    return divide_defined(sums, weight_missing, drawn.T.sum(axis=0), undefined)


def divide_defined(
    sums: Floats, missing: Array, total: Array | int, undefined: Undefined
) -> Floats:
    """Divide sums over topics by the defined part of their total weight, NaN where undefined."""
    defined = total - missing
    usable = (defined > 0) & ((missing == 0) | (undefined == "skip"))
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, defined, out=means, where=usable)
    return means


def mean_of_present(scores: Floats, present: Array, undefined: Undefined) -> Floats:
    """Average scores [M, ...] over the topics that are present, the last axis."""
    missing = np.isnan(scores) & present
    sums = np.where(missing | ~present, 0.0, scores).sum(axis=-1)
    total = np.broadcast_to(present.sum(axis=-1), sums.shape)
    return divide_defined(sums, missing.sum(axis=-1), total, undefined)


def score_topics(
    tables: Array, statistic: Statistic, aggregate: Aggregate, undefined: Undefined = None
) -> Floats:
    """Score tables [..., T, K, K], pooled or as a mean over topics: [M, ...]."""
    if aggregate == "pool":
        return replace_undefined(statistic(tables.sum(axis=-3)), undefined)
    scores = statistic(tables)
    return weighted_means(scores, np.ones((1, scores.shape[-1])), undefined)[..., 0]


def bootstrap(
    tables: Array,
    statistic: Statistic,
    plan: Plan,
    *,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Floats:
    """Score tables [T, K, K] of resampled items, topics, or topics and their items: [M, B].

    Over topics, tables may have leading axes, such as systems, which share the drawn topics, and
    hold real weights: [M, B, ...].
    """
    if over != "topics":
        return _bootstrap_items(tables, statistic, plan, over, aggregate, undefined)
    if aggregate == "mean":
        return bootstrap_means(statistic(tables), plan, undefined)
    # Topics first and everything else flat: pooling is then one product with the weights.
    by_topic = np.moveaxis(tables, -3, 0)
    topics, *rest = by_topic.shape
    flat = by_topic.reshape(topics, -1)

    def score(weights: Ints) -> Floats:
        pooled = weights.astype(np.float64) @ flat
        return replace_undefined(statistic(pooled.reshape(len(weights), *rest)), undefined)

    return score_draws(_topic_draws(plan, topics), score, plan, max(topics, math.prod(rest)))


def bootstrap_means(scores: Floats, plan: Plan, undefined: Undefined = None) -> Floats:
    """Take means [M, B, ...] of scores [M, ..., T] over resampled topics."""

    def score(weights: Ints) -> Floats:
        return np.moveaxis(weighted_means(scores, weights, undefined), -1, 1)

    return score_draws(_topic_draws(plan, scores.shape[-1]), score, plan, scores[0].size)


def _topic_draws(plan: Plan, topics: int) -> Callable[[Block], Ints]:
    """Return the function that draws how often a block takes every topic: [b, T]."""

    def draw(block: Block) -> Ints:
        return topic_weights(stream(plan.seed, "topics", block.number), block.size, topics)

    return draw


def topic_weights(rng: np.random.Generator, size: int, topics: int) -> Ints:
    """Draw topics with replacement and count them: [size, topics], each row sums to `topics`."""
    picks = rng.integers(topics, size=(size, topics))
    places = picks + topics * np.arange(size)[:, None]
    return np.bincount(places.ravel(), minlength=size * topics).reshape(size, topics)


def _bootstrap_items(
    tables: Array,
    statistic: Statistic,
    plan: Plan,
    over: Over,
    aggregate: Aggregate,
    undefined: Undefined,
) -> Floats:
    """Score tables of resampled items, [M, B]."""
    sample, totals, topics = table_sampler(tables), tables.sum(axis=(1, 2)), len(tables)
    totals = totals.astype(np.int64)

    def draw(block: Block) -> Ints:
        rng, shape = stream(plan.seed, "items", block.number), (block.size, topics)
        if over == "items":
            return sample(rng, np.broadcast_to(totals, shape))
        of_topics = stream(plan.seed, "topics", block.number)
        if aggregate == "pool":
            # The sum of w draws of N items is one draw of w·N items.
            return sample(rng, topic_weights(of_topics, *shape) * totals)
        picks = of_topics.integers(topics, size=shape)
        return sample(rng, totals[picks], picks)

    def score(drawn: Ints) -> Floats:
        scores = score_topics(batch_innermost(drawn), statistic, aggregate, undefined)
        return scores[:, : len(drawn)]

    return score_draws(draw, score, plan, tables.size)


def table_sampler(counts: Array) -> Callable[..., Ints]:
    """Return a function that draws tables with the shares of counts [T, K, K] as probabilities.

    It takes a generator, the number of items of every draw [size, T] and, unless draws are made
    from the tables in their order, the table [size, T] of each.
    """
    flat = counts.reshape(len(counts), -1).astype(np.int64)
    # NumPy gives the last cell what rounding leaves over. The largest cell can take it; an empty
    # one could not.
    order = np.argsort(flat, axis=-1, kind="stable")
    places = np.argsort(order, axis=-1, kind="stable")
    shares = np.take_along_axis(flat, order, axis=-1)
    shares = shares / np.maximum(flat.sum(axis=-1), 1)[..., None]

    def draw(rng: np.random.Generator, totals: Ints, tables: Ints | slice = slice(None)) -> Ints:
        ordered = rng.multinomial(totals, shares[tables])
        cells = np.take_along_axis(ordered, np.broadcast_to(places[tables], ordered.shape), axis=-1)
        return cells.reshape(*totals.shape, *counts.shape[1:])

    return draw
