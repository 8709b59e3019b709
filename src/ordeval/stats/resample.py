"""Seeded resampling of tables of counts, and of the topics they belong to.

Resampling N items with replacement is one multinomial draw over the cells of their table, so a
replicate costs as many numbers as the table has cells, whatever N is.

Replicates are drawn in *blocks* whose size depends on the shape of the data alone, each from its
own stream of random numbers, named by the block's index. Chunks and threads only decide which
blocks are worked on together, so neither changes a result.
"""

import hashlib
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.errors import InputError
from ordeval.scoring import batch_innermost

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Statistic = Callable[[NDArray[Any]], Floats]
Progress = Callable[[int, int], None]
Over = Literal["items", "topics", "both"]
Aggregate = Literal["pooled", "mean"]
Undefined = Literal["propagate", "skip"]
Result = TypeVar("Result")

BLOCK_REPLICATES = 256
# 32 MB of drawn counts: the most that one block may take.
BLOCK_ENTRIES = 2**22
# 1 MB of tables a chunk: what a measure makes of them stays in the second-level cache.
CHUNK_ENTRIES = 2**17


def as_seed(rng: int | np.random.Generator | None) -> int:
    """Seed of a run: the integer itself, 0 for None, or one integer drawn from a generator."""
    if rng is None:
        return 0
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError(
            f"rng is {rng!r}, but a non-negative integer seed, a numpy.random.Generator or None "
            "is expected; pass for instance rng=0"
        )
    return int(rng)


def stream(seed: int, *keys: int | str) -> np.random.Generator:
    """Random numbers that depend on the seed and the keys only, not on what was drawn before."""
    return np.random.Generator(np.random.SFC64(_sequence(seed, *keys)))


def _sequence(seed: int, *keys: int | str) -> np.random.SeedSequence:
    words = tuple(_key_word(key) for key in keys)
    return np.random.SeedSequence(seed, spawn_key=words)


def _key_word(key: int | str) -> int:
    # The type is hashed too, so that the system "3" and block 3 get different streams.
    text = f"{type(key).__name__}:{key}"
    word = text.encode("utf-8", errors="surrogatepass")  # file names need not be valid text
    return int.from_bytes(hashlib.blake2b(word, digest_size=8).digest(), "little")


@dataclass(frozen=True, slots=True)
class Plan:
    """How replicates are made: how many, from which seed, and how the work is shared out.

    Parameters
    ----------
    replicates : number of replicates or trials.
    rng : seed or generator; kept as a seed, so a plan gives the same draws whenever it is used.
    chunk : replicates scored in one call, rounded up to whole blocks; sized to the data if None.
    threads : number of threads; 1 works in the calling thread.
    progress : called as ``progress(done, total)`` after each chunk.
    """

    replicates: int = 2000
    rng: int | np.random.Generator | None = None
    chunk: int | None = None
    threads: int = 1
    progress: Progress | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", as_seed(self.rng))
        for name, value in (
            ("replicates", self.replicates),
            ("chunk", 1 if self.chunk is None else self.chunk),
            ("threads", self.threads),
        ):
            if not isinstance(value, Integral) or value < 1:
                raise InputError(
                    f"{name} is {value!r}, but a whole number of at least 1 is expected"
                )

    @property
    def seed(self) -> int:
        """Seed from which every stream of this plan is made."""
        return as_seed(self.rng)


class Block(NamedTuple):
    """A run of consecutive replicates that share one stream."""

    number: int
    size: int


def blocks_of(replicates: int, entries: int) -> list[Block]:
    """Blocks for replicates of `entries` drawn numbers each."""
    size = max(1, min(BLOCK_REPLICATES, BLOCK_ENTRIES // max(entries, 1)))
    starts = range(0, replicates, size)
    return [Block(i, min(size, replicates - start)) for i, start in enumerate(starts)]


def portions_of(plan: Plan, entries: int) -> list[list[Block]]:
    """The blocks of a plan, grouped into chunks."""
    blocks = blocks_of(plan.replicates, entries)
    chunk = plan.chunk or max(1, CHUNK_ENTRIES // max(entries, 1))
    group = math.ceil(chunk / blocks[0].size)
    return [blocks[i : i + group] for i in range(0, len(blocks), group)]


def map_portions(
    work: Callable[[list[Block]], Result], portions: Sequence[list[Block]], plan: Plan
) -> Iterator[Result]:
    """Results of `work` in the order of the portions, whatever the number of threads."""
    done = 0
    for portion, result in zip(portions, _results(work, portions, plan.threads), strict=True):
        done += sum(block.size for block in portion)
        if plan.progress is not None:
            plan.progress(done, plan.replicates)
        yield result


def _results(
    work: Callable[[list[Block]], Result], portions: Sequence[list[Block]], threads: int
) -> Iterator[Result]:
    if threads == 1 or len(portions) == 1:
        yield from map(work, portions)
        return
    with ThreadPoolExecutor(threads) as pool:
        try:
            yield from pool.map(work, portions)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def as_counts(table: ArrayLike) -> Integers:
    """Table of counts as integers; anything that is not a count is an error."""
    given = np.asarray(table)
    if given.dtype.kind in "iu" and (given.size == 0 or given.min() >= 0):
        return given.astype(np.int64)
    if given.dtype.kind not in "fiub":
        raise InputError(f"a table of {given.dtype} was given, but counts of items are expected")
    values = given.astype(np.float64)
    if not np.all(np.isfinite(values)) or np.any(values < 0):
        raise InputError(
            "a table with negative or missing counts was given, but resampling needs counts of "
            "items: 0, 1, 2, …"
        )
    if np.any(values != np.floor(values)):
        raise InputError(
            "a table of real weights was given, but resampling items needs whole counts: "
            "a weight does not say how many items it stands for; count the items without weights"
        )
    return values.astype(np.int64)


def as_amounts(table: ArrayLike) -> Floats:
    """Table of counts or real weights, which is enough to resample whole topics."""
    given = np.asarray(table)
    if given.dtype.kind not in "fiub" or not np.all(given >= 0) or not np.all(np.isfinite(given)):
        raise InputError(
            f"a table of {given.dtype} with negative or missing entries was given, but counts or "
            "weights are expected: finite numbers of at least 0"
        )
    return given.astype(np.float64)


class TableSampler:
    """Draws tables that have the totals of `counts` and its shares as probabilities.

    Parameters
    ----------
    counts : integers [..., *cells]; each leading index is a table of its own.
    cell_ndim : number of trailing axes that are cells.
    """

    def __init__(self, counts: Integers, cell_ndim: int) -> None:
        self.cells = counts.shape[counts.ndim - cell_ndim :]
        lead = counts.shape[: counts.ndim - cell_ndim]
        flat = counts.reshape(*lead, math.prod(self.cells))
        # NumPy gives the last cell what rounding leaves over. The largest cell can take it; an
        # empty one could not.
        order = np.argsort(flat, axis=-1, kind="stable")
        self._position = np.argsort(order, axis=-1, kind="stable")
        self.totals = flat.sum(axis=-1)
        ordered = np.take_along_axis(flat, order, axis=-1)
        self._shares = ordered / np.maximum(self.totals, 1)[..., None]

    def draw(self, rng: np.random.Generator, size: int) -> Integers:
        """Integers [size, ..., *cells]: `size` draws of every table."""
        return self.draw_totals(rng, np.broadcast_to(self.totals, (size, *self.totals.shape)))

    def draw_totals(self, rng: np.random.Generator, totals: Integers) -> Integers:
        """One draw for each of `totals` [size, ...], in place of the tables' own totals."""
        return self._draw(rng, totals, self._shares, self._position)

    def draw_picked(self, rng: np.random.Generator, picks: Integers) -> Integers:
        """One draw of table `picks[...]` (of one leading axis) for each entry of `picks`."""
        return self._draw(rng, self.totals[picks], self._shares[picks], self._position[picks])

    def _draw(
        self, rng: np.random.Generator, totals: Integers, shares: Floats, position: Integers
    ) -> Integers:
        ordered = rng.multinomial(totals, shares)
        position = np.broadcast_to(position, ordered.shape)
        flat = np.take_along_axis(ordered, position, axis=-1)
        return flat.reshape(*totals.shape, *self.cells)


def topic_picks(rng: np.random.Generator, size: int, topics: int) -> Integers:
    """Topics drawn with replacement: indices [size, topics]."""
    return rng.integers(topics, size=(size, topics))


def topic_weights(rng: np.random.Generator, size: int, topics: int) -> Integers:
    """How often each topic is drawn when topics are resampled: [size, topics], rows sum to T."""
    picks = topic_picks(rng, size, topics)
    places = picks + topics * np.arange(size)[:, None]
    return np.bincount(places.ravel(), minlength=size * topics).reshape(size, topics)


def mean_over_topics(scores: Floats, weights: ArrayLike, undefined: Undefined) -> Floats:
    """Weighted means of per-topic scores.

    Parameters
    ----------
    scores : [..., T], NaN where undefined.
    weights : [B, T].
    undefined : "propagate" makes a mean undefined as soon as a topic in it is; "skip" takes the
        mean over the defined ones.

    Returns
    -------
    [..., B]
    """
    drawn = np.ascontiguousarray(weights, dtype=np.float64)
    across = drawn.T
    missing = np.isnan(scores)
    filled = np.ascontiguousarray(np.where(missing, 0.0, scores))
    # Not a matrix product: its last digits would depend on how many systems there are.
    sums = np.einsum("...t,bt->...b", filled, drawn)
    weight_missing = missing.astype(np.float64) @ across
    weight_defined = across.sum(axis=0) - weight_missing
    usable = weight_defined > 0 if undefined == "skip" else weight_missing == 0
    means: Floats = np.full(sums.shape, np.nan)
    np.divide(sums, weight_defined, out=means, where=usable)
    return means


def bootstrap(
    counts: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    over: Over = "items",
    aggregate: Aggregate = "pooled",
    undefined: Undefined = "propagate",
    key: str = "",
    cell_ndim: int = 2,
) -> Floats:
    """Scores [M, B, ...] of resampled tables.

    Parameters
    ----------
    counts : whole counts, [*cells] or [T, *cells]; with ``over="topics"`` also [..., T, *cells],
        where all leading indices (systems) share the drawn topics, and weights need not be whole.
    statistic : maps tables [..., *cells] to scores [M, ...].
    over : "items" resamples items within each topic, "topics" whole topics, "both" topics and
        then the items within each drawn topic.
    aggregate : "pooled" scores the sum of the topics' tables; "mean" scores every topic.
    undefined : what a mean over topics does with undefined topics; see `mean_over_topics`.
    key : name of the system, on which the draws of items depend.
    cell_ndim : 2 for tables (gold, pred), 3 for joint counts (gold, a, b).
    """
    plan = plan or Plan()
    if over == "topics":
        amounts = as_amounts(counts)
        _check_shape(amounts, over, cell_ndim)
        return _over_topics(amounts, statistic, plan, aggregate, undefined, cell_ndim)
    tables = as_counts(counts)
    if tables.ndim == cell_ndim and over == "items":
        tables = tables[None]
    _check_shape(tables, over, cell_ndim)
    draw = _item_draws(tables, plan, over, aggregate, key, cell_ndim)

    def score(drawn: Integers) -> Floats:
        found = score_topics(batch_innermost(drawn), statistic, aggregate, undefined, cell_ndim)
        return found[:, : len(drawn)]

    return score_draws(draw, score, plan, tables.size)


def score_draws(
    draw: Callable[[Block], Integers],
    score: Callable[[Integers], Floats],
    plan: Plan,
    entries: int,
) -> Floats:
    """Scores [M, B, ...] of what `draw` gives for every block, scored chunk by chunk."""

    def work(portion: list[Block]) -> Floats:
        return score(np.concatenate([draw(block) for block in portion]))

    return np.concatenate(list(map_portions(work, portions_of(plan, entries), plan)), axis=1)


def score_topics(
    tables: NDArray[Any],
    statistic: Statistic,
    aggregate: Aggregate,
    undefined: Undefined = "propagate",
    cell_ndim: int = 2,
) -> Floats:
    """Scores [M, ...] of tables [..., T, *cells], pooled or as a mean over topics."""
    axis = tables.ndim - cell_ndim - 1
    if aggregate == "pooled":
        return statistic(tables.sum(axis=axis))
    scores = statistic(tables)
    return mean_over_topics(scores, np.ones((1, scores.shape[-1])), undefined)[..., 0]


def _check_shape(tables: NDArray[Any], over: Over, cell_ndim: int) -> None:
    lead = tables.ndim - cell_ndim
    if lead < 1 or tables.shape[lead - 1] == 0:
        raise InputError(
            f"counts of shape {tables.shape} have no axis of topics, which over={over!r} "
            'resamples; pass [topics, *cells], or over="items"'
        )
    if lead > 1 and over != "topics":
        raise InputError(
            f"counts of shape {tables.shape} hold several systems, but items are resampled for "
            "one system at a time; to compare systems on the same items use their joint counts "
            "(gold, a, b)"
        )


def _item_draws(
    tables: Integers, plan: Plan, over: Over, aggregate: Aggregate, key: str, cell_ndim: int
) -> Callable[[Block], Integers]:
    """Function that draws the tables [b, T, *cells] of a block."""
    sampler = TableSampler(tables, cell_ndim)
    topics = len(tables)

    def items(block: Block) -> Integers:
        return sampler.draw(stream(plan.seed, "items", key, block.number), block.size)

    def both(block: Block) -> Integers:
        picks = topic_picks(stream(plan.seed, "topics", block.number), block.size, topics)
        return sampler.draw_picked(stream(plan.seed, "items", key, block.number), picks)

    def both_pooled(block: Block) -> Integers:
        # The sum of w draws of N items is one draw of w·N items.
        weights = topic_weights(stream(plan.seed, "topics", block.number), block.size, topics)
        rng = stream(plan.seed, "items", key, block.number)
        return sampler.draw_totals(rng, weights * sampler.totals)

    if over == "items":
        return items
    return both_pooled if aggregate == "pooled" else both


def bootstrap_means(
    scores: Floats, plan: Plan | None = None, undefined: Undefined = "propagate"
) -> Floats:
    """Means [M, B, ...] over resampled topics of scores [M, ..., T]."""

    def score(weights: Integers) -> Floats:
        return np.moveaxis(mean_over_topics(scores, weights, undefined), -1, 1)

    plan = plan or Plan()
    return score_draws(_topic_draws(plan, scores.shape[-1]), score, plan, scores[0].size)


def _topic_draws(plan: Plan, topics: int) -> Callable[[Block], Integers]:
    """Function that draws the weights [b, T] of a block."""

    def draw(block: Block) -> Integers:
        return topic_weights(stream(plan.seed, "topics", block.number), block.size, topics)

    return draw


def _over_topics(
    tables: Floats,
    statistic: Statistic,
    plan: Plan,
    aggregate: Aggregate,
    undefined: Undefined,
    cell_ndim: int,
) -> Floats:
    axis = tables.ndim - cell_ndim - 1
    topics = tables.shape[axis]
    if aggregate == "mean":
        return bootstrap_means(statistic(tables), plan, undefined)
    # Topics first, all else flat: pooling is then one product with the weights.
    flat = np.moveaxis(tables, axis, 0).reshape(topics, -1)
    rest = tables.shape[:axis] + tables.shape[axis + 1 :]

    def score(weights: Integers) -> Floats:
        pooled = weights.astype(np.float64) @ flat
        return statistic(pooled.reshape(len(weights), *rest))

    return score_draws(_topic_draws(plan, topics), score, plan, max(topics, math.prod(rest)))
