"""Step-down max-T tests of all pairs of systems, or of all systems against one.

The null distribution comes from the signs of units: topics, clusters or items. If two systems
are alike, exchanging them on any set of units is as likely as the data. All pairs share the signs,
and every pair is compared with the maximum over itself and the pairs with smaller statistics
(Westfall & Young 1993; Romano & Wolf 2005). The probability of any false finding is then at most
alpha whichever pairs differ, and neither one bad system nor unequal variances change that.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..limits import memory
from ..measures.scoring import replace_undefined
from ..types import Array, Bools, Floats, Ints, Undefined
from .intervals import square, t_quantile
from .resample import (
    BLOCK_REPLICATES,
    Block,
    Plan,
    Reporter,
    Statistic,
    as_scores,
    blocks_of,
    divide_defined,
    in_order,
    stream,
    wrong_shape,
)
from .unit_tables import UnitTables, random_bits, sign_patterns

Singles = NDArray[np.float32]
Sizes = Callable[[Array, Sequence[Ints]], Iterable[Array]]
"""Returns for every measure |z| [pairs, b] of draws [..., b], the pairs in an order."""

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
# Signs at a time (8 MB): few large products are faster than many small ones. With many pairs
# there are fewer, so that progress is reported along the way.
SIGN_ENTRIES = 2**20
REPORTED_ENTRIES = 2**24
PAIR_ENTRIES = 2**19
# 1 MB of tables, so that the temporary arrays of a measure fit in the second-level cache.
TABLE_ENTRIES = 2**17
# Differences, pairs times draws, from which standard deviations are computed. As many as take at
# most this share of memory are kept for the test; the others are computed twice.
SCALE_ENTRIES = 5 * 10**6
SCALE_DRAWS = 256
KEPT_SHARE = 1 / 8
# Standard deviations below this share of the largest score are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class PairsTest:
    """Tests of pairs of systems under M measures, with p-values for the whole family of pairs.

    Parameters
    ----------
    difference : array of shape (M, S, S)
        Score of the row's system minus that of the column's.
    p : array of shape (M, S, S)
        Symmetric p-values, 1 on the diagonal, NaN for pairs that were not tested.
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
    >>> test = oe.stats.max_t(scores)
    >>> test.units, test.trials, test.exact
    (4, 8, True)
    """

    difference: Floats
    p: Floats
    se: Floats
    units: int
    trials: int
    exact: bool


def max_t(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    clusters: ArrayLike | None = None,
    against: int | None = None,
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
    against : int, optional
        Position of the system that all others are compared with.

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
    stack = as_scores(scores)
    if not np.all(np.isfinite(stack)):
        raise InputError(
            "Some scores are undefined, but every system needs a score on every topic.",
            parameter="scores",
            hint="Leave out the topics or systems without scores.",
        )
    plan = plan or Plan(replicates=TOPIC_TRIALS)
    pairs = _pairs(stack.shape[2], against)
    exchange = _ScoreExchange(_by_cluster(_rounded(stack), clusters), pairs, plan)
    means = stack.mean(axis=1)
    difference = means[:, pairs[0]] - means[:, pairs[1]]
    test = _tested(exchange, plan, difference, exchange.standard_errors(stack.shape[1]))
    if np.ndim(scores) == 3:
        return test
    only: dict[str, Any] = {name: getattr(test, name)[0] for name in ("difference", "p", "se")}
    return replace(test, **only)


def max_t_tables(
    tables: UnitTables,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    undefined: Undefined = None,
    against: int | None = None,
    moved: Floats | None = None,
) -> PairsTest:
    """Test all pairs of systems on the same rows, with one correction for all pairs.

    Exchanging two systems' labels on the units of negative sign, the same signs for all pairs,
    gives the differences that chance produces. Each pair's differences are divided by their own
    standard deviation. Scores are means over the topics of the tables. Trials with an undefined
    difference count as less extreme than any observed difference. `moved` are differences
    [M, S, S] to compare with those of chance in place of the differences of the tables.
    """
    pairs = _pairs(tables.systems, against)
    plan = plan or Plan(replicates=table_trials(pairs.shape[1]))
    exchange = _TableExchange(tables, statistic, plan, pairs, undefined)
    if moved is not None:
        exchange.move(moved[:, pairs[0], pairs[1]])
    se = np.where(np.isnan(exchange.observed), np.nan, exchange.scale)
    return _tested(exchange, plan, exchange.observed, se)


def table_trials(pairs: int) -> int:
    """Return the default number of trials over tables for so many pairs."""
    return next((n for most, n in TABLE_TRIALS.items() if pairs <= most), FEW_TRIALS)


def detectable_difference(
    se: ArrayLike, df: ArrayLike, alpha: float = 0.05, power: float = 0.8
) -> Floats:
    """Return the smallest true difference that a two-sided test finds with the given power.

    Parameters
    ----------
    se : array_like
        Standard errors of paired differences.
    df : array_like
        Degrees of freedom: the number of units less 1.
    alpha : float, default: 0.05
        Level of the test. For the worst case of a family of m pairs, pass alpha / m.
    power : float, default: 0.8
        Probability that a true difference of this size is found.

    Returns
    -------
    array of float
        ``se`` times the sum of the t quantiles of 1 - alpha / 2 and of the power; NaN without
        degrees of freedom.

    Examples
    --------
    >>> import ordeval as oe
    >>> round(float(oe.stats.detectable_difference(0.02, 29)), 3)
    0.058
    """
    freedom = np.asarray(df, dtype=np.float64)
    usable = np.where(freedom > 0, freedom, np.nan)
    quantiles = t_quantile(usable, 1 - alpha) + t_quantile(usable, 2 * power - 1)
    return np.asarray(np.asarray(se, dtype=np.float64) * quantiles)


# Pairs.


def _pairs(systems: int, against: int | None) -> Ints:
    """Return the positions [2, P] of all pairs, or those with one system."""
    if against is None:
        return np.array(np.triu_indices(systems, 1))
    if not 0 <= against < systems:
        raise InputError(
            f"against is {against}, but a position from 0 to {systems - 1} is expected.",
            parameter="against",
        )
    others = np.delete(np.arange(systems), against)
    return np.stack([others, np.full(len(others), against)])


def _tested(
    exchange: "_ScoreExchange | _TableExchange", plan: Plan, difference: Floats, se: Floats
) -> PairsTest:
    """Return the test of differences [M, P] with their standard errors, by one kind of exchange."""
    units, trials, exact = exchange.units, exchange.trials, exchange.exact
    draws, tested, tolerance = exchange.draws(), exchange.scale > 0, exchange.tolerance
    p = step_down(exchange.z, tested, draws, exchange.sizes, plan, trials, exact, tolerance)
    pairs, systems = exchange.pairs.T, exchange.systems
    return PairsTest(
        square(difference, -difference, pairs, systems),
        square(p, p, pairs, systems, 1.0),
        square(se, se, pairs, systems),
        units,
        trials,
        exact,
    )


def step_down(
    z: Floats,
    tested: Bools,
    draws: Iterable[Array],
    sizes: Sizes,
    plan: Plan,
    trials: int,
    exact: bool = False,
    tolerance: float = TOPIC_TOLERANCE,
) -> Floats:
    """Return p-values [M, P] for the whole family of pairs, NaN where z [M, P] is undefined.

    A draw reaches a pair if any statistic up to its place in the order reaches that of the data.
    `sizes` makes statistics from `draws` [..., b]; those that are equal in exact arithmetic may
    differ by the tolerance. Only tested pairs are in the family.
    """
    defined, size = ~np.isnan(z), np.abs(np.nan_to_num(z, nan=0.0))
    orders = [_ascending(row, use) for row, use in zip(size, tested, strict=True)]
    thresholds = [
        row[order] * (1 - tolerance) - tolerance for row, order in zip(size, orders, strict=True)
    ]

    def count(drawn: Array) -> tuple[Ints, int]:
        reached = np.zeros(size.shape, dtype=np.int64)
        for m, of_measure in enumerate(sizes(drawn, orders)):
            np.maximum.accumulate(of_measure, axis=0, out=of_measure)
            reaching = of_measure >= thresholds[m][:, None].astype(of_measure.dtype)
            reached[m, orders[m]] = np.count_nonzero(reaching, axis=1)
        return reached, drawn.shape[-1]

    progress, reached = Reporter(plan, trials), np.zeros(size.shape, dtype=np.int64)
    for counts, done in in_order(count, draws, plan.threads):
        reached += counts
        progress.add(done)
    extra = 0 if exact else 1  # the data are a trial, too
    p = np.where(size == 0, 1.0, np.clip((reached + extra) / (trials + extra), 0.0, 1.0))
    p[~defined] = np.nan
    for row, of_measure, use in zip(p, size, defined, strict=True):
        order = _ascending(-of_measure, use)
        row[order] = np.maximum.accumulate(row[order])
    return p


def _ascending(size: Floats, use: Bools) -> Ints:
    """Return the places of the pairs to use from the smallest to the largest."""
    order = np.argsort(size, kind="stable")
    return order[use[order]]


# Over topics: scores.


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
    names = np.asarray(clusters)
    if names.shape != stack.shape[1:2]:
        raise wrong_shape(names, f"one cluster for each of {stack.shape[1]} topics", "clusters")
    names, place = np.unique(names, return_inverse=True)
    sums = np.zeros((len(names), len(stack), stack.shape[2]))
    np.add.at(sums, place, stack.transpose(1, 0, 2))
    return sums.transpose(1, 0, 2)


class _ScoreExchange:
    """Sums over units [M, U, S] of scores, of which whole units change their sign.

    With d the differences of a pair, z = sum(s * d) / sqrt(sum(d^2)). The studentised t is an
    increasing function of z, the same for all pairs, and the denominator does not depend on the
    signs s.
    """

    tolerance = TOPIC_TOLERANCE

    def __init__(self, sums: Floats, pairs: Ints, plan: Plan) -> None:
        self.pairs, self._seed = pairs, plan.seed
        self.units, self.systems = sums.shape[1:]
        self.exact = self.units <= EXACT_TOPICS
        self.trials = 2 ** (self.units - 1) if self.exact else plan.replicates
        self._by_system = np.ascontiguousarray(sums.transpose(0, 2, 1))
        self._sums, self.scale = self._observed()
        filled = self.scale > 0
        self.z = np.divide(self._sums, self.scale, out=np.zeros_like(self._sums), where=filled)
        self._per = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=filled)

    def _observed(self) -> tuple[Floats, Floats]:
        """Return the sums and the norms [M, P] of the pairs' differences over units."""
        sums, norms = np.empty((2, len(self._by_system), self.pairs.shape[1]))
        step = max(1, TABLE_ENTRIES // self.units)
        for start in range(0, self.pairs.shape[1], step):
            part = slice(start, start + step)
            first, second = self.pairs[:, part]
            d = self._by_system[:, first] - self._by_system[:, second]
            sums[:, part] = d.sum(axis=2)
            norms[:, part] = np.sqrt((d * d).sum(axis=2))
        return sums, norms

    def standard_errors(self, topics: int) -> Floats:
        """Return the standard errors [M, P] of means over topics."""
        if self.units < 2:
            return np.full(self._sums.shape, np.nan)
        squares = self.scale**2
        spread = np.maximum(squares - self._sums**2 / self.units, 0.0)
        spread[spread <= 1e-12 * squares] = 0.0
        return np.asarray(np.sqrt(spread * self.units / (self.units - 1)) / topics)

    def draws(self) -> Iterator[Floats]:
        """Yield sums [M, S, b] over units with the signs of a few draws."""
        pairs, flat = self.pairs.shape[1], self._by_system.reshape(-1, self.units)
        step = max(TOPIC_DRAWS, TOPIC_ENTRIES // pairs)
        for bits in _sign_bits(self._seed, self.units, self.trials, self.exact, pairs):
            # The sum with signs is 2 * (sum with bits) - sum; sums of rounded scores are exact.
            signed = (2 * flat) @ bits.astype(np.float64) - flat.sum(axis=1)[:, None]
            signed = signed.reshape(*self._by_system.shape[:2], -1)
            for start in range(0, bits.shape[1], step):
                yield np.ascontiguousarray(signed[..., start : start + step])

    def sizes(self, draws: Floats, orders: Sequence[Ints]) -> Iterator[Floats]:
        """Yield for every measure |z| [pairs, b] of draws, the pairs in an order."""
        for signed, per, order in zip(draws, self._per, orders, strict=True):
            first, second = self.pairs[:, order]
            size = signed[first]
            size -= signed[second]
            size *= per[order][:, None]
            yield np.abs(size, out=size)


def _sign_bits(seed: int, units: int, trials: int, exact: bool, pairs: int) -> Iterator[Array]:
    """Yield the signs of units, drawn or enumerated, as bits [U, b] of several blocks at a time."""
    blocks = blocks_of(trials, units)
    most = min(SIGN_ENTRIES // max(units, 1), REPORTED_ENTRIES // pairs)
    group = max(1, most // blocks[0].size)

    def bits(block: Block) -> Array:
        if not exact:
            return random_bits(stream(seed, "signs", block.number), units, block.size)
        start = block.number * BLOCK_REPLICATES
        return sign_patterns(units, start, start + block.size)

    for start in range(0, len(blocks), group):
        yield np.concatenate([bits(b) for b in blocks[start : start + group]], axis=1)


# Over tables.


class _TableExchange:
    """Differences of all pairs after exchanges of labels on random units.

    `z` and `sizes` are the only places that know how the statistic of a pair is made: of the data,
    and of every draw.
    """

    tolerance = TABLE_TOLERANCE

    def __init__(
        self,
        tables: UnitTables,
        statistic: Statistic,
        plan: Plan,
        pairs: Ints,
        undefined: Undefined,
    ) -> None:
        self._tables, self._statistic, self._plan, self.pairs = tables, statistic, plan, pairs
        self._undefined, self.units, self.systems = undefined, tables.units, tables.systems
        self._total = _laid_out(tables.total[None])[..., 0]
        self.exact = tables.patterns is not None
        self.trials = tables.patterns or plan.replicates
        count, per_pair = pairs.shape[1], 2 * self._total[..., 0].size
        self._blocks = blocks_of(self.trials, tables.entries)
        most = min(PAIR_ENTRIES // count, 8 * TABLE_ENTRIES // per_pair, self._blocks[0].size)
        self._draws_at_a_time = max(1, most)
        self.pairs_at_a_time = max(1, TABLE_ENTRIES // (per_pair * self._draws_at_a_time))
        self._kept: list[Singles] = []
        # Scores of all systems at once; twice, so that a batch never holds a single table.
        scores = self._score(np.stack([self._total, self._total], axis=-1))[..., 0]
        self.observed = scores[:, pairs[0]] - scores[:, pairs[1]]
        largest = np.nan_to_num(np.abs(scores), nan=0.0).max(axis=1)[:, None]
        self.scale = self._standard_deviations(ROUNDING * largest)
        tested = self.scale > 0
        zero = np.where(np.isnan(self.observed), np.nan, 0.0)
        self.z = np.divide(self.observed, self.scale, out=zero, where=tested)
        self._per = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=tested)

    def move(self, differences: Floats) -> None:
        """Test other differences [M, P], which have the standard errors of those of the tables."""
        self.z = np.where(self.scale > 0, differences * self._per, self.z)

    def _standard_deviations(self, rounding: Floats) -> Floats:
        """Return the root mean squares [M, P] of the differences, the observed ones included.

        With them, the scale is the same whichever arrangement of the signs was observed.
        """
        few = max(SCALE_DRAWS, SCALE_ENTRIES // self.pairs.shape[1])
        draws = self.trials if self.exact else min(self.trials, few)
        room = KEPT_SHARE * memory() / (4 * self.observed.size)  # draws that fit into it
        progress, missing, done = Reporter(self._plan, draws), np.isnan(self.observed), 0
        defined = np.where(missing | self.exact, 0.0, 1.0)
        squares = defined * np.where(missing, 0.0, self.observed) ** 2
        halves = self._signed_halves(0, draws)
        for differences in in_order(self._differences, halves, self._plan.threads):
            done += differences.shape[2]
            self._kept += [differences] if done <= room else []
            filled = np.nan_to_num(differences, nan=0.0).astype(np.float64)
            squares += np.einsum("mpb,mpb->mp", filled, filled)
            defined += np.count_nonzero(~np.isnan(differences), axis=2)
            progress.add(differences.shape[2])
        spread = np.sqrt(squares / np.maximum(defined, 1.0))
        return np.where((spread <= rounding) | missing, 0.0, spread)

    def draws(self) -> Iterator[Array]:
        """Yield differences [M, P, b] that are known, then signed halves [K, K, T, S, b]."""
        known = sum(part.shape[2] for part in self._kept)
        yield from self._kept
        yield from self._signed_halves(known, self.trials)

    def sizes(self, draws: Array, orders: Sequence[Ints]) -> Iterator[Singles]:
        """Yield for every measure |z| [pairs, b] of draws, the pairs in an order."""
        differences = draws if draws.ndim == 3 else self._differences(draws)
        for m, order in enumerate(orders):
            size = np.abs(differences[m, order])
            size *= self._per[m, order][:, None].astype(np.float32)
            size[np.isnan(size)] = 0.0
            yield size

    def _signed_halves(self, start: int, stop: int) -> Iterator[Floats]:
        """Yield halves [K, K, T, S, b] of signed tables, those of a few draws at a time."""
        first, tables, seed = 0, self._tables, self._plan.seed
        for block in self._blocks:
            last = first + block.size
            if first < stop and last > start:
                if self.exact:
                    signed = tables.enumerated(first, last)
                else:
                    signed = tables.signed(stream(seed, "signs", block.number), block.size)
                halves = _laid_out(signed)
                halves /= 2
                low, high = max(start - first, 0), min(stop - first, block.size)
                for at in range(low, high, self._draws_at_a_time):
                    yield halves[..., at : min(at + self._draws_at_a_time, high)]
            first = last

    def _differences(self, signed: Floats) -> Singles:
        """Return the differences [M, P, b] of all pairs for signed halves [K, K, T, S, b]."""
        parts = []
        shape, draws = signed.shape[:3], signed.shape[-1]
        for start in range(0, self.pairs.shape[1], self.pairs_at_a_time):
            a, b = self.pairs[:, start : start + self.pairs_at_a_time]
            half_sum = (self._total[..., a, None] + self._total[..., b, None]) / 2
            half_difference = signed.take(a, axis=-2)
            half_difference -= signed.take(b, axis=-2)
            both = np.empty((*shape, 2, len(a), draws))
            np.add(half_sum, half_difference, out=both[..., 0, :, :])
            np.subtract(half_sum, half_difference, out=both[..., 1, :, :])
            scores = self._score(both.reshape(*shape, -1, draws))
            scores = scores.reshape(len(scores), 2, -1, draws)
            parts.append((scores[:, 0] - scores[:, 1]).astype(np.float32))
        return np.concatenate(parts, axis=1)

    def _score(self, tables: Floats) -> Floats:
        """Return the mean scores [M, n, b] of tables [K, K, T, n, b] over topics."""
        scores = self._statistic(tables.transpose(2, 3, 4, 0, 1))
        scores = replace_undefined(scores, self._undefined)
        missing = np.isnan(scores)
        sums = np.where(missing, 0.0, scores).sum(axis=1)
        return divide_defined(sums, missing.sum(axis=1), scores.shape[1], self._undefined)


def _laid_out(tables: Floats) -> Floats:
    """Return tables [b, S, T, K, K] as [K, K, T, S, b]."""
    return np.ascontiguousarray(tables.transpose(3, 4, 2, 1, 0))
