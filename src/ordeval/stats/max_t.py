"""Step-down max-T tests of all pairs of systems, or of all systems against one.

The null distribution comes from the signs of units: topics, clusters or items. If two systems
are alike, exchanging them on any set of units is as likely as the data. All pairs share the signs,
and every pair is compared with the maximum over itself and the pairs with smaller statistics
(Westfall & Young 1993; Romano & Wolf 2005). The probability of any false finding is then at most
alpha whichever pairs differ, and neither one bad system nor unequal variances change that.
"""

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, check_choice, quoted
from ..measures.scoring import replace_undefined
from ..types import Aggregate, Array, Floats, Ints, Undefined
from .paired import holm
from .resample import (
    BLOCK_REPLICATES,
    Block,
    Plan,
    Statistic,
    blocks_of,
    check_options,
    divide_defined,
    stream,
)
from .unit_moments import UnitMoments
from .unit_tables import UnitTables, random_bits, sign_patterns

Adjust = Literal["maxt", "holm"]
Singles = NDArray[np.float32]
Work = TypeVar("Work")
Found = TypeVar("Found")

TOPIC_TRIALS = 5000
# Trials over tables by the number of pairs, so that many pairs do not take minutes.
TABLE_TRIALS = {1_000: 5_000, 5_000: 2_000}
FEW_TRIALS = 1_000
# All patterns of the signs of at most this many topics or clusters are enumerated.
EXACT_TOPICS = 15
# Bits that scores keep below the largest one: differences of rounding errors become 0.
SCORE_BITS = 40
# Statistics that are equal in exact arithmetic must not be separated by rounding. Those of tables
# are kept in single precision.
TOPIC_TOLERANCE = 1e-9
TABLE_TOLERANCE = 1e-6
# Pairs times draws at a time: in cache for sums over topics, unless there are very many pairs;
# 2 MB per measure for tables.
TOPIC_ENTRIES = 2**16
TOPIC_DRAWS = 64
# Signs at a time (8 MB): few large products are faster than many small ones.
SIGN_ENTRIES = 2**20
PAIR_ENTRIES = 2**19
# 1 MB of tables, so that the temporary arrays of a measure fit in the second-level cache.
TABLE_ENTRIES = 2**17
# Differences, pairs times draws, from which standard deviations are computed, and those of all
# measures that are kept (192 MB).
SCALE_ENTRIES = 5 * 10**6
SCALE_DRAWS = 256
# Standard deviations below this share of the largest score are rounding errors.
ROUNDING = 1e-12
KEPT_ENTRIES = 48 * 2**20


@dataclass(frozen=True, slots=True)
class PairsTest:
    """Tests of pairs of systems under M measures, with p-values for the whole family of pairs.

    Parameters
    ----------
    difference : array of shape (M, S, S)
        Score of the row's system minus that of the column's.
    p : array of shape (M, S, S)
        Symmetric p-values, 1 on the diagonal, NaN for pairs that were not tested.
    statistic : array of shape (M, S, S)
        The difference divided by its standard error.
    se : array of shape (M, S, S)
        The standard error of the difference: over topics, that of a mean; over tables, the root
        mean square of the differences that chance gives.
    units : int
        Number of units.
    trials : int
        Number of random trials, or of enumerated patterns of signs.
    exact : bool
        Whether all patterns of signs were enumerated.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.max_t(scores)
    >>> found.units, found.trials, found.exact
    (4, 8, True)
    """

    difference: Floats
    p: Floats
    statistic: Floats
    se: Floats
    units: int
    trials: int
    exact: bool


class _Pairs(NamedTuple):
    """The positions of the first and the second system of every pair."""

    first: Ints
    second: Ints


class _Family(NamedTuple):
    """The observed statistics of one measure, with the pairs from the smallest to the largest."""

    order: Ints
    threshold: Floats


def max_t(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    clusters: ArrayLike | None = None,
    against: int | str | None = None,
    adjust: Adjust = "maxt",
    systems: Sequence[str] | None = None,
) -> PairsTest:
    """Test all pairs of systems over topics by random signs, with one correction for all pairs.

    Parameters
    ----------
    scores : array_like of shape (T, S) or (M, T, S)
        Scores of every topic and system, all of them defined. All measures share the signs.
    plan : Plan, optional
        The number of random trials and the seed. By default 5,000 trials from seed 0. All
        patterns of signs are enumerated instead if there are at most 15 topics or clusters.
    clusters : array_like of int of shape (T,), optional
        The cluster of every topic. All topics of a cluster have the same sign.
    against : int or str, optional
        Position or name of the system that all others are compared with.
    adjust : {"maxt", "holm"}, default: "maxt"
        Step-down max-T, or a test of every pair with Holm's correction, which needs many more
        trials than there are pairs: at least 40 for each by default.
    systems : sequence of str, optional
        Names of the systems, for `against` and for messages.

    Returns
    -------
    PairsTest
        Differences and p-values of shape (S, S) or (M, S, S).

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6],
    ...           [0.5, 0.5, 0.1], [0.7, 0.6, 0.2]]
    >>> oe.stats.max_t(scores).p.round(3).tolist()
    [[1.0, 0.125, 0.031], [0.125, 1.0, 0.031], [0.031, 0.031, 1.0]]
    """
    check_choice("adjust", adjust, get_args(Adjust))
    stack = _checked_scores(scores, systems)
    count = stack.shape[2]
    pairs = _pairs(count, _position(against, systems, count))
    plan = plan or Plan(replicates=_enough(TOPIC_TRIALS, len(pairs.first), adjust))
    contributions = _by_cluster(_rounded(stack), clusters)
    units = contributions.shape[1]
    sums, norms = _observed(contributions, pairs)
    z = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    families = _families(z, norms > 0, TOPIC_TOLERANCE)
    scaled = _SignedSums(contributions, pairs, norms)
    signs = _TopicSigns(plan, units)
    progress = _Progress(plan, signs.trials)
    reached = np.zeros(z.shape, dtype=np.int64)

    def work(bits: Array) -> tuple[Ints, int]:
        return scaled.reached(bits, families, adjust), bits.shape[1]

    for counts, draws in _in_order(work, signs.draws(), plan.threads):
        reached += counts
        progress.add(draws)
    p = _p_values(reached, z, np.ones(z.shape, bool), signs.trials, signs.exact, adjust)
    means = stack.mean(axis=1)
    difference = means[:, pairs.first] - means[:, pairs.second]
    t, se = _studentised(sums, norms, units, stack.shape[1])
    found = _square(pairs, count, difference, p, t, se, units, signs.trials, signs.exact)
    return found if np.ndim(scores) == 3 else _only_measure(found)


def max_t_tables(
    tables: UnitTables | UnitMoments,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    undefined: Undefined = None,
    aggregate: Aggregate = "pool",
    against: int | None = None,
    adjust: Adjust = "maxt",
    scale: ArrayLike | None = None,
) -> PairsTest:
    """Test all pairs of systems on the same rows, with one correction for all pairs.

    Exchanging two systems' labels on the units of negative sign, the same signs for all pairs,
    gives the differences that chance produces. Each pair's differences are divided by their own
    standard deviation.

    Parameters
    ----------
    tables : UnitTables or UnitMoments
        The labels, or the numbers, of all systems and the units that are exchanged.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of random trials and the seed. By default 5,000 trials from seed 0, fewer
        for more than 1,000 pairs. All patterns of signs are enumerated instead if the systems
        differ on at most 14 units.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is. Trials with an undefined difference
        count as less extreme than any observed difference.
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    against : int, optional
        Position of the system that all others are compared with.
    adjust : {"maxt", "holm"}, default: "maxt"
        Step-down max-T, or a test of every pair with Holm's correction, which needs many more
        trials than there are pairs: at least 40 for each by default.
    scale : array_like of shape () or (T,), optional
        Factors of the tables before they are scored, of every topic for ``aggregate="mean"``. By
        default weighted tables are scaled to their effective number of items.

    Returns
    -------
    PairsTest
        Differences and p-values of shape (M, S, S).

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> gold = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> a, b = np.array([0, 0, 0, 0, 1, 1, 1, 0]), np.array([0, 1, 1, 1, 1, 0, 0, 0])
    >>> tables = oe.stats.UnitTables([2 * gold + a, 2 * gold + b], (1, 2, 2))
    >>> found = oe.stats.max_t_tables(tables, accuracy)
    >>> float(found.difference[0, 0, 1]), float(found.p[0, 0, 1]), found.exact
    (0.625, 0.0625, True)
    """
    check_choice("adjust", adjust, get_args(Adjust))
    check_options(aggregate=aggregate, undefined=undefined)
    if tables.systems < 2:
        raise InputError("One system was given, but a test needs at least two.", parameter="tables")
    pairs = _pairs(tables.systems, _position(against, None, tables.systems))
    trials = table_trials(len(pairs.first))
    plan = plan or Plan(replicates=_enough(trials, len(pairs.first), adjust))
    exchange = _TableExchange(tables, statistic, plan, pairs, undefined, aggregate, scale)
    observed = exchange.observed()
    defined = ~np.isnan(observed)
    se = exchange.standard_deviations(observed)
    tested = defined & (se > 0)
    z = np.divide(observed, se, out=np.zeros_like(observed), where=tested)
    families = _families(z, tested, TABLE_TOLERANCE)
    per_se = np.divide(1.0, se, out=np.zeros_like(se), where=tested).astype(np.float32)
    reached = np.zeros(z.shape, dtype=np.int64)
    for counts in exchange.over_draws(lambda d: _reached_of_tables(d, per_se, families, adjust)):
        reached += counts
    p = _p_values(reached, z, defined, exchange.trials, exchange.exact, adjust)
    z[~defined] = se[~defined] = np.nan
    return _square(
        pairs, tables.systems, observed, p, z, se, tables.units, exchange.trials, exchange.exact
    )


def table_trials(pairs: int) -> int:
    """Return the default number of trials over tables for so many pairs."""
    return next((n for most, n in TABLE_TRIALS.items() if pairs <= most), FEW_TRIALS)


def _enough(trials: int, pairs: int, adjust: Adjust) -> int:
    """Return a number of trials with which p can fall to half of 5 % after the correction."""
    return trials if adjust == "maxt" else max(trials, 40 * pairs)


# Pairs, families and p-values.


def _pairs(systems: int, against: int | None) -> _Pairs:
    if against is None:
        return _Pairs(*np.triu_indices(systems, 1))
    others = np.delete(np.arange(systems), against)
    return _Pairs(others, np.full(len(others), against))


def _position(against: int | str | None, systems: Sequence[str] | None, count: int) -> int | None:
    """Return the position of the system that others are compared with, or raise."""
    if against is None:
        return None
    if isinstance(against, str):
        names = list(systems or ())
        if against not in names:
            raise InputError(
                f"There is no system {against!r} among {quoted(names)}.", parameter="against"
            )
        return names.index(against)
    if not 0 <= against < count:
        raise InputError(
            f"against is {against}, but a position from 0 to {count - 1} is expected.",
            parameter="against",
        )
    return int(against)


class _Run(NamedTuple):
    """Pairs of which each side is one system, or systems that follow one another."""

    first: slice
    second: slice
    pairs: slice


def _batches(pairs: _Pairs, most: int) -> list[list[_Run]]:
    """Divide pairs into batches of at most so many, and these into runs.

    Taking the tables of a run as a slice copies nothing.
    """
    first, second = pairs
    common, other = (second, first) if np.all(second == second[0]) else (first, second)
    ends = set((np.flatnonzero((np.diff(common) != 0) | (np.diff(other) != 1)) + 1).tolist())
    found = []
    for start in range(0, len(first), most):
        stop = min(start + most, len(first))
        cuts = [start, *sorted(ends.intersection(range(start + 1, stop))), stop]
        found.append(
            [
                _Run(
                    slice(first[low], first[high - 1] + 1),
                    slice(second[low], second[high - 1] + 1),
                    slice(low - start, high - start),
                )
                for low, high in pairwise(cuts)
            ]
        )
    return found


def _families(z: Floats, tested: Array, tolerance: float) -> list[_Family]:
    """Return, for every measure, its tested pairs by |z| and the values that count as reached.

    A pair whose systems never differ is not among them: its statistic is 0 in every trial.
    """
    size = np.abs(z)
    found = []
    for row, use in zip(size, tested, strict=True):
        order = np.argsort(row, kind="stable")
        order = order[use[order]]
        found.append(_Family(order, row[order] * (1 - tolerance) - tolerance))
    return found


def _count_reached(size: Array, family: _Family, adjust: Adjust) -> Ints:
    """Count the draws in which each pair, in the order of a family, is reached: [P].

    `size` [P, b] holds |z| of the draws, from the smallest observed statistic to the largest. It
    is overwritten.
    """
    if adjust == "maxt":
        np.maximum.accumulate(size, axis=0, out=size)
    reached = size >= family.threshold[:, None].astype(size.dtype)
    return np.asarray(np.count_nonzero(reached, axis=1))


def _p_values(
    reached: Ints, z: Floats, defined: Array, trials: int, exact: bool, adjust: Adjust
) -> Floats:
    """Return p-values [M, P] for the whole family, NaN where the difference is undefined."""
    p = reached / trials if exact else (1 + reached) / (1 + trials)
    p = np.where(z == 0, 1.0, np.clip(p, 0.0, 1.0))
    p[~defined] = np.nan
    if adjust == "holm":
        return holm(p)
    for row, size, use in zip(p, np.abs(z), defined, strict=True):
        order = np.argsort(-size, kind="stable")
        order = order[use[order]]
        row[order] = np.maximum.accumulate(row[order])
    return p


def _square(
    pairs: _Pairs,
    systems: int,
    difference: Floats,
    p: Floats,
    statistic: Floats,
    se: Floats,
    units: int,
    trials: int,
    exact: bool,
) -> PairsTest:
    """Return a test with arrays [M, S, S] of arrays [M, P]."""

    def spread(values: Floats, sign: float, diagonal: float) -> Floats:
        out = np.full((len(values), systems, systems), np.nan)
        out[:, range(systems), range(systems)] = diagonal
        out[:, pairs.first, pairs.second] = values
        out[:, pairs.second, pairs.first] = sign * values
        return out

    return PairsTest(
        spread(difference, -1, 0.0),
        spread(p, 1, 1.0),
        spread(statistic, -1, 0.0),
        spread(se, 1, 0.0),
        units,
        trials,
        exact,
    )


def _only_measure(found: PairsTest) -> PairsTest:
    """Return the test of the only measure, without the axis of measures."""
    arrays: dict[str, Any] = {
        name: getattr(found, name)[0] for name in ("difference", "p", "statistic", "se")
    }
    return replace(found, **arrays)


def _in_order(
    work: Callable[[Work], Found], parts: Iterable[Work], threads: int
) -> Iterator[Found]:
    """Apply `work` to parts, in threads, and yield what it returns in the order of the parts.

    Parts are made as they are needed, so that only a few are held at a time.
    """
    if threads == 1:
        yield from map(work, parts)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[Found]] = deque()
        for part in parts:
            waiting.append(pool.submit(work, part))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


class _Progress:
    """Reports the draws that are done."""

    def __init__(self, plan: Plan, total: int) -> None:
        self._report, self._total, self._done = plan.progress, total, 0

    def add(self, draws: int) -> None:
        self._done += draws
        if self._report is not None:
            self._report(self._done, self._total)


# Over topics: scores.


def _checked_scores(scores: ArrayLike, systems: Sequence[str] | None) -> Floats:
    """Return scores [M, T, S], or raise."""
    # Contiguous, so that sums over topics are added in the same order for every system.
    stack = np.ascontiguousarray(scores, dtype=np.float64)
    if stack.ndim not in (2, 3) or stack.shape[-1] < 2 or stack.shape[-2] < 1:
        raise InputError(
            f"Scores of shape {stack.shape} were given, but (topics, systems) or (measures, "
            "topics, systems) with at least two systems is expected.",
            parameter="scores",
        )
    if not np.all(np.isfinite(stack)):
        raise InputError(
            "Some scores are undefined, but every system needs a score on every topic.",
            parameter="scores",
            hint="Leave out the topics or systems without scores.",
        )
    if systems is not None and len(systems) != stack.shape[-1]:
        raise InputError(
            f"{quoted(systems)} were given as the names of {stack.shape[-1]} systems.",
            parameter="systems",
        )
    return stack.reshape(-1, *stack.shape[-2:])


def _rounded(stack: Floats) -> Floats:
    """Return scores [M, T, S] as multiples of a power of two, so that all their sums are exact."""
    largest = np.abs(stack).max(axis=(1, 2), keepdims=True)
    bits = min(SCORE_BITS, 51 - math.ceil(math.log2(stack.shape[1])))
    step = 2.0 ** (np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - bits)
    return np.asarray(np.rint(stack / step) * step)


def _by_cluster(stack: Floats, clusters: ArrayLike | None) -> Floats:
    """Return the sums [M, U, S] of scores [M, T, S] over the topics of every cluster."""
    if clusters is None:
        return stack
    given = np.asarray(clusters)
    if given.shape != stack.shape[1:2]:
        raise InputError(
            f"Clusters of shape {given.shape} were given, but one for each of {stack.shape[1]} "
            "topics is expected.",
            parameter="clusters",
        )
    names, place = np.unique(given, return_inverse=True)
    sums = np.zeros((len(names), len(stack), stack.shape[2]))
    np.add.at(sums, place, stack.transpose(1, 0, 2))
    return sums.transpose(1, 0, 2)


def _observed(contributions: Floats, pairs: _Pairs) -> tuple[Floats, Floats]:
    """Return the sums and the norms [M, P] of the pairs' differences over units."""
    measures, units, _ = contributions.shape
    by_system = np.ascontiguousarray(contributions.transpose(0, 2, 1))
    sums, norms = np.empty((2, measures, len(pairs.first)))
    step = max(1, TABLE_ENTRIES // units)
    for start in range(0, len(pairs.first), step):
        part = slice(start, start + step)
        d = by_system[:, pairs.first[part]] - by_system[:, pairs.second[part]]
        sums[:, part] = d.sum(axis=2)
        norms[:, part] = np.sqrt((d * d).sum(axis=2))
    return sums, norms


class _SignedSums:
    """The statistics |z| of all pairs for random signs of units.

    With d the differences of a pair, z = sum(s * d) / sqrt(sum(d^2)). The studentised t is an
    increasing function of z, the same for all pairs, and the denominator does not depend on the
    signs s.
    """

    def __init__(self, contributions: Floats, pairs: _Pairs, norms: Floats) -> None:
        # The twofold, because the sum with signs is 2 * (sum with bits) - sum.
        self._double = np.ascontiguousarray(2 * contributions.transpose(0, 2, 1))
        self._sum = contributions.sum(axis=1)[:, :, None]
        self._pairs = pairs
        self._per_norm = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)

    def reached(self, bits: Array, families: list[_Family], adjust: Adjust) -> Ints:
        """Count the draws [M, P] that reach each pair, for signs given as bits [U, b]."""
        signs = bits.astype(np.float64)
        counts = np.zeros(self._per_norm.shape, dtype=np.int64)
        step = max(TOPIC_DRAWS, TOPIC_ENTRIES // len(self._pairs.first))
        for m, family in enumerate(families):
            signed = self._double[m] @ signs - self._sum[m]
            first, second = self._pairs.first[family.order], self._pairs.second[family.order]
            per_norm = self._per_norm[m, family.order][:, None]
            for start in range(0, signs.shape[1], step):
                part = np.ascontiguousarray(signed[:, start : start + step])
                z = part[first]
                z -= part[second]
                z *= per_norm
                np.abs(z, out=z)
                counts[m, family.order] += _count_reached(z, family, adjust)
        return counts


class _TopicSigns:
    """The signs of units, drawn or enumerated, in blocks."""

    def __init__(self, plan: Plan, units: int) -> None:
        self.exact = units <= EXACT_TOPICS
        self.trials = 2 ** (units - 1) if self.exact else plan.replicates
        self._seed, self._units = plan.seed, units

    def draws(self) -> Iterator[Array]:
        """Yield bits [U, b] of several blocks at a time."""
        blocks = blocks_of(self.trials, self._units)
        group = max(1, SIGN_ENTRIES // (blocks[0].size * max(self._units, 1)))
        for start in range(0, len(blocks), group):
            yield np.concatenate([self._bits(b) for b in blocks[start : start + group]], axis=1)

    def _bits(self, block: Block) -> Array:
        if self.exact:
            start = block.number * BLOCK_REPLICATES
            return sign_patterns(self._units, start, start + block.size)
        return random_bits(stream(self._seed, "signs", block.number), self._units, block.size)


def _studentised(sums: Floats, norms: Floats, units: int, topics: int) -> tuple[Floats, Floats]:
    """Return t and the standard error of the mean over topics, both [M, P]."""
    if units < 2:
        return np.full(sums.shape, np.nan), np.full(sums.shape, np.nan)
    spread = np.maximum(norms**2 - sums**2 / units, 0.0)
    spread[spread <= 1e-12 * norms**2] = 0.0
    error = np.sqrt(spread * units / (units - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(sums == 0, 0.0, sums / error)
    return t, error / topics


# Over tables.


class _TableExchange:
    """Differences of all pairs after exchanges of labels on random units."""

    def __init__(
        self,
        tables: UnitTables | UnitMoments,
        statistic: Statistic,
        plan: Plan,
        pairs: _Pairs,
        undefined: Undefined,
        aggregate: Aggregate,
        scale: ArrayLike | None,
    ) -> None:
        self._tables, self._statistic, self._plan, self._pairs = tables, statistic, plan, pairs
        self._undefined, self._pooled = undefined, aggregate == "pool"
        factor = tables.effective_scale(pooled=self._pooled) if scale is None else scale
        self._factor = np.asarray(factor, dtype=np.float64).reshape(-1, 1, 1)
        self._total = self._laid_out(tables.total[None])[..., 0]
        patterns = tables.patterns
        self.exact = patterns is not None
        self.trials = plan.replicates if patterns is None else patterns
        count = len(pairs.first)
        self._blocks = blocks_of(self.trials, tables.entries)
        per_pair = 2 * self._total[..., 0].size
        self._draws_at_a_time = max(
            1, min(PAIR_ENTRIES // count, 8 * TABLE_ENTRIES // per_pair, self._blocks[0].size)
        )
        most = max(1, TABLE_ENTRIES // (per_pair * self._draws_at_a_time))
        self._batches = _batches(pairs, most)
        self._for_scale = min(self.trials, max(SCALE_DRAWS, SCALE_ENTRIES // count))
        if self.exact:
            self._for_scale = self.trials
        self._kept: list[Singles] = []

    def _laid_out(self, tables: Floats) -> Floats:
        """Return tables [b, S, T, K, K] as [K, K, T, S, b], pooled if they are to be."""
        if self._pooled:
            tables = tables.sum(axis=2, keepdims=True)
        return np.ascontiguousarray(tables.transpose(3, 4, 2, 1, 0))

    def observed(self) -> Floats:
        """Return the differences [M, P] of the data themselves."""
        # Scores of all systems at once; twice, so that a batch never holds a single table.
        total = np.stack([self._total, self._total], axis=-1)
        scores = self._score(total)[..., 0]
        self._largest = np.nan_to_num(np.abs(scores), nan=0.0).max(axis=1)[:, None]
        return np.asarray(scores[:, self._pairs.first] - scores[:, self._pairs.second])

    def standard_deviations(self, observed: Floats) -> Floats:
        """Return the root mean squares [M, P] of the differences, the observed ones included.

        With them, the scale is the same whichever arrangement of the signs was observed.
        """
        keep = len(observed) * len(self._pairs.first) * self._for_scale <= KEPT_ENTRIES
        self._progress = _Progress(self._plan, self.trials + (0 if keep else self._for_scale))
        defined = np.where(np.isnan(observed) | self.exact, 0.0, 1.0)
        squares = defined * np.nan_to_num(observed, nan=0.0) ** 2
        for found in self._differences(0, self._for_scale):
            if keep:
                self._kept.append(found)
            filled = np.nan_to_num(found, nan=0.0).astype(np.float64)
            squares += np.einsum("mpb,mpb->mp", filled, filled)
            defined += np.count_nonzero(~np.isnan(found), axis=2)
            self._progress.add(found.shape[2])
        spread = np.sqrt(squares / np.maximum(defined, 1.0))
        spread[spread <= ROUNDING * self._largest] = 0.0
        return spread

    def over_draws(self, work: Callable[[Singles], Found]) -> Iterator[Found]:
        """Apply `work` to the differences [M, P, b] of consecutive draws, one after the other."""
        done = 0
        for found in self._kept:
            done += found.shape[2]
            yield work(found)
        for found in self._differences(done, self.trials):
            yield work(found)
            self._progress.add(found.shape[2])

    def _differences(self, start: int, stop: int) -> Iterator[Singles]:
        """Yield the differences [M, P, b] of the draws from `start` to `stop`."""
        return _in_order(self._differences_of, self._signed_halves(start, stop), self._plan.threads)

    def _signed_halves(self, start: int, stop: int) -> Iterator[Floats]:
        """Yield halves [K, K, T, S, b] of signed tables, those of a few draws at a time."""
        first = 0
        for block in self._blocks:
            last = first + block.size
            if first < stop and last > start:
                tables = self._laid_out(self._signed_block(block, first))
                tables /= 2
                low, high = max(start - first, 0), min(stop - first, block.size)
                for at in range(low, high, self._draws_at_a_time):
                    yield tables[..., at : min(at + self._draws_at_a_time, high)]
            first = last

    def _signed_block(self, block: Block, first: int) -> Floats:
        if self.exact:
            return self._tables.enumerated(first, first + block.size)
        return self._tables.signed(stream(self._plan.seed, "signs", block.number), block.size)

    def _differences_of(self, signed: Floats) -> Singles:
        """Return the differences [M, P, b] of all pairs for signed halves [K, K, T, S, b]."""
        parts = []
        shape, draws = signed.shape[:3], signed.shape[-1]
        for runs in self._batches:
            both = np.empty((*shape, 2, runs[-1].pairs.stop, draws))
            for a, b, place in runs:
                half_sum = (self._total[..., a, None] + self._total[..., b, None]) / 2
                half_difference = signed[..., a, :] - signed[..., b, :]
                np.add(half_sum, half_difference, out=both[..., 0, place, :])
                np.subtract(half_sum, half_difference, out=both[..., 1, place, :])
            scores = self._score(both.reshape(*shape, -1, draws))
            scores = scores.reshape(len(scores), 2, -1, draws)
            parts.append((scores[:, 0] - scores[:, 1]).astype(np.float32))
        return np.concatenate(parts, axis=1)

    def _score(self, tables: Floats) -> Floats:
        """Return the scores [M, n, b] of tables [K, K, T, n, b]."""
        if np.any(self._factor != 1):
            tables = tables * self._factor
        scores = self._statistic(tables.transpose(2, 3, 4, 0, 1))
        if self._pooled:
            return replace_undefined(scores[:, 0], self._undefined)
        return _mean_over_topics(scores, self._undefined)


def _mean_over_topics(scores: Floats, undefined: Undefined) -> Floats:
    """Return the means of scores [M, T, ...] over topics."""
    scores = replace_undefined(scores, undefined)
    missing = np.isnan(scores)
    sums = np.where(missing, 0.0, scores).sum(axis=1)
    return divide_defined(sums, missing.sum(axis=1), scores.shape[1], undefined)


def _reached_of_tables(
    differences: Singles, per_se: Singles, families: list[_Family], adjust: Adjust
) -> Ints:
    """Count the draws [M, P] that reach each pair, of differences [M, P, b]."""
    counts = np.zeros(per_se.shape, dtype=np.int64)
    for m, family in enumerate(families):
        size = differences[m, family.order]
        np.abs(size, out=size)
        size *= per_se[m, family.order][:, None]
        size[np.isnan(size)] = 0.0
        counts[m, family.order] = _count_reached(size, family, adjust)
    return counts
