"""Step-down max-T tests of all pairs of systems, or of all systems against one.

The null distribution comes from the signs of units: topics, clusters or items. If two systems
are alike, exchanging them on any set of units is as likely as the data. All pairs share the signs,
and every pair is compared with the maximum over itself and the pairs with smaller statistics
(Westfall & Young 1993; Romano & Wolf 2005). The probability of any false finding is then at most
alpha whichever pairs differ, and neither one bad system nor unequal variances change that.
"""

import math
from collections.abc import Iterator
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
    check_options,
    divide_defined,
    in_order,
    stream,
    wrong_shape,
)
from .unit_tables import UnitTables, random_bits, sign_patterns

Singles = NDArray[np.float32]

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
# Differences, pairs times draws, from which standard deviations are computed. They are kept for
# the test unless they take more than this share of memory; then they are computed twice.
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
    >>> test = oe.stats.max_t(scores)
    >>> test.units, test.trials, test.exact
    (4, 8, True)
    """

    difference: Floats
    p: Floats
    statistic: Floats
    se: Floats
    units: int
    trials: int
    exact: bool


class StepDown:
    """Step-down max-T under M measures: counts the draws that reach the statistic of each pair.

    Parameters
    ----------
    z : array of shape (M, P)
        The observed statistics.
    tested : array of bool of shape (M, P)
        Pairs that are in the family; one whose systems never differ is not.
    tolerance : float
        What statistics that are equal in exact arithmetic may differ by.
    """

    def __init__(self, z: Floats, tested: Bools, tolerance: float) -> None:
        self._size, self.reached = np.abs(z), np.zeros(z.shape, dtype=np.int64)
        self.orders, self._thresholds = [], []
        for row, use in zip(self._size, tested, strict=True):
            order = np.argsort(row, kind="stable")
            order = order[use[order]]
            self.orders.append(order)
            self._thresholds.append(row[order] * (1 - tolerance) - tolerance)

    def count(self, measure: int, size: Array) -> Ints:
        """Count the draws in which each pair is reached: [tested].

        `size` [tested, b] holds |z| of the draws, from the pair with the smallest observed
        statistic to that with the largest. It is overwritten.
        """
        np.maximum.accumulate(size, axis=0, out=size)
        reached = size >= self._thresholds[measure][:, None].astype(size.dtype)
        return np.asarray(np.count_nonzero(reached, axis=1))

    def add(self, measure: int, size: Array) -> None:
        """Count draws as `count` does, and keep the counts."""
        self.reached[measure, self.orders[measure]] += self.count(measure, size)

    def p(self, defined: Bools, trials: int, exact: bool) -> Floats:
        """Return p-values [M, P] for the whole family, NaN where the difference is undefined."""
        reached = self.reached
        p = reached / trials if exact else (1 + reached) / (1 + trials)
        p = np.where(self._size == 0, 1.0, np.clip(p, 0.0, 1.0))
        p[~defined] = np.nan
        for row, size, use in zip(p, self._size, defined, strict=True):
            order = np.argsort(-size, kind="stable")
            order = order[use[order]]
            row[order] = np.maximum.accumulate(row[order])
        return p


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
    topics, count = stack.shape[1:]
    pairs = _pairs(count, against)
    added = _by_cluster(_rounded(stack), clusters)
    units, sums, norms = added.shape[1], *_observed(added, pairs)
    z = np.divide(sums, norms, out=np.zeros_like(sums), where=norms > 0)
    per_norm = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    family = StepDown(z, norms > 0, TOPIC_TOLERANCE)
    plan, exact = plan or Plan(replicates=TOPIC_TRIALS), units <= EXACT_TOPICS
    trials = 2 ** (units - 1) if exact else plan.replicates
    # The twofold, because the sum with signs is 2 * (sum with bits) - sum.
    double = np.ascontiguousarray(2 * added.transpose(0, 2, 1))
    step = max(TOPIC_DRAWS, TOPIC_ENTRIES // pairs.shape[1])

    def reached(bits: Array) -> tuple[Ints, int]:
        """Count the draws [M, P] that reach each pair, for signs given as bits [U, b].

        With d the differences of a pair, z = sum(s * d) / sqrt(sum(d^2)). The studentised t is an
        increasing function of z, the same for all pairs, and the denominator does not depend on
        the signs s.
        """
        # One product for all measures; sums of rounded scores are exact in any order.
        signed = double.reshape(-1, units) @ bits.astype(np.float64)
        signed = signed.reshape(*double.shape[:2], -1) - added.sum(axis=1)[:, :, None]
        counts = np.zeros(norms.shape, dtype=np.int64)
        for m, order in enumerate(family.orders):
            first, second = pairs[:, order]
            for start in range(0, bits.shape[1], step):
                part = np.ascontiguousarray(signed[m, :, start : start + step])
                size = part[first]
                size -= part[second]
                size *= per_norm[m, order][:, None]
                counts[m, order] += family.count(m, np.abs(size, out=size))
        return counts, bits.shape[1]

    progress = Reporter(plan, trials)
    bits = _sign_bits(plan.seed, units, trials, exact, pairs.shape[1])
    for counts, draws in in_order(reached, bits, plan.threads):
        family.reached += counts
        progress.add(draws)
    p = family.p(np.ones(z.shape, dtype=np.bool_), trials, exact)
    means = stack.mean(axis=1)
    difference = means[:, pairs[0]] - means[:, pairs[1]]
    figures = difference, p, *_studentised(sums, norms, units, topics)
    test = _square(pairs, count, figures, units, trials, exact)
    if np.ndim(scores) == 3:
        return test
    names = "difference", "p", "statistic", "se"
    only: dict[str, Any] = {name: getattr(test, name)[0] for name in names}
    return replace(test, **only)


def max_t_tables(
    tables: UnitTables,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    undefined: Undefined = None,
    against: int | None = None,
) -> PairsTest:
    """Test all pairs of systems on the same rows, with one correction for all pairs.

    Exchanging two systems' labels on the units of negative sign, the same signs for all pairs,
    gives the differences that chance produces. Each pair's differences are divided by their own
    standard deviation.

    Parameters
    ----------
    tables : UnitTables
        The labels of all systems and the units that are exchanged. Scores are means over the
        topics of the tables.
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
    against : int, optional
        Position of the system that all others are compared with.

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
    >>> test = oe.stats.max_t_tables(tables, accuracy)
    >>> float(test.difference[0, 0, 1]), float(test.p[0, 0, 1]), test.exact
    (0.625, 0.0625, True)
    """
    check_options(undefined=undefined)
    if tables.systems < 2:
        raise InputError("One system was given, but a test needs at least two.", parameter="tables")
    pairs = _pairs(tables.systems, against)
    plan = plan or Plan(replicates=table_trials(pairs.shape[1]))
    exchange = _TableExchange(tables, statistic, plan, pairs, undefined)
    observed = exchange.observed()
    defined = ~np.isnan(observed)
    se = exchange.standard_deviations(observed)
    tested = defined & (se > 0)
    z = np.divide(observed, se, out=np.zeros_like(observed), where=tested)
    family = StepDown(z, tested, TABLE_TOLERANCE)
    per_se = np.divide(1.0, se, out=np.zeros_like(se), where=tested).astype(np.float32)
    for differences in exchange.draws():
        for m, order in enumerate(family.orders):
            size = np.abs(differences[m, order])
            size *= per_se[m, order][:, None]
            size[np.isnan(size)] = 0.0
            family.add(m, size)
    p = family.p(defined, exchange.trials, exchange.exact)
    z[~defined] = se[~defined] = np.nan
    figures = observed, p, z, se
    return _square(pairs, tables.systems, figures, tables.units, exchange.trials, exchange.exact)


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


def _square(
    pairs: Ints, systems: int, figures: tuple[Floats, ...], units: int, trials: int, exact: bool
) -> PairsTest:
    """Return a test with arrays [M, S, S] of difference, p, statistic and standard error [M, P]."""
    both, signs, diagonal = pairs.T, (-1, 1, -1, 1), (0.0, 1.0, 0.0, 0.0)
    difference, p, statistic, se = (
        square(values, sign * values, both, systems, fill)
        for values, sign, fill in zip(figures, signs, diagonal, strict=True)
    )
    return PairsTest(difference, p, statistic, se, units, trials, exact)


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
    given = np.asarray(clusters)
    if given.shape != stack.shape[1:2]:
        raise wrong_shape(given, f"one cluster for each of {stack.shape[1]} topics", "clusters")
    names, place = np.unique(given, return_inverse=True)
    sums = np.zeros((len(names), len(stack), stack.shape[2]))
    np.add.at(sums, place, stack.transpose(1, 0, 2))
    return sums.transpose(1, 0, 2)


def _observed(contributions: Floats, pairs: Ints) -> tuple[Floats, Floats]:
    """Return the sums and the norms [M, P] of the pairs' differences over units."""
    measures, units, _ = contributions.shape
    by_system = np.ascontiguousarray(contributions.transpose(0, 2, 1))
    sums, norms = np.empty((2, measures, pairs.shape[1]))
    step = max(1, TABLE_ENTRIES // units)
    for start in range(0, pairs.shape[1], step):
        part = slice(start, start + step)
        first, second = pairs[:, part]
        d = by_system[:, first] - by_system[:, second]
        sums[:, part] = d.sum(axis=2)
        norms[:, part] = np.sqrt((d * d).sum(axis=2))
    return sums, norms


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
        tables: UnitTables,
        statistic: Statistic,
        plan: Plan,
        pairs: Ints,
        undefined: Undefined,
    ) -> None:
        self._tables, self._statistic, self._plan, self._pairs = tables, statistic, plan, pairs
        self._undefined = undefined
        self._total = _laid_out(tables.total[None])[..., 0]
        self.exact = tables.patterns is not None
        self.trials = tables.patterns or plan.replicates
        count, per_pair = pairs.shape[1], 2 * self._total[..., 0].size
        self._blocks = blocks_of(self.trials, tables.entries)
        most = min(PAIR_ENTRIES // count, 8 * TABLE_ENTRIES // per_pair, self._blocks[0].size)
        self._draws_at_a_time = max(1, most)
        self._pairs_at_a_time = max(1, TABLE_ENTRIES // (per_pair * self._draws_at_a_time))
        few = min(self.trials, max(SCALE_DRAWS, SCALE_ENTRIES // count))
        self._for_scale = self.trials if self.exact else few
        self._kept: list[Singles] = []

    def observed(self) -> Floats:
        """Return the differences [M, P] of the data themselves."""
        # Scores of all systems at once; twice, so that a batch never holds a single table.
        scores = self._score(np.stack([self._total, self._total], axis=-1))[..., 0]
        self._largest = np.nan_to_num(np.abs(scores), nan=0.0).max(axis=1)[:, None]
        return np.asarray(scores[:, self._pairs[0]] - scores[:, self._pairs[1]])

    def standard_deviations(self, observed: Floats) -> Floats:
        """Return the root mean squares [M, P] of the differences, the observed ones included.

        With them, the scale is the same whichever arrangement of the signs was observed.
        """
        keep = 4.0 * observed.size * self._for_scale <= KEPT_SHARE * memory()
        self._progress = Reporter(self._plan, self.trials + (0 if keep else self._for_scale))
        defined = np.where(np.isnan(observed) | self.exact, 0.0, 1.0)
        squares = defined * np.nan_to_num(observed, nan=0.0) ** 2
        for differences in self._differences(0, self._for_scale):
            if keep:
                self._kept.append(differences)
            filled = np.nan_to_num(differences, nan=0.0).astype(np.float64)
            squares += np.einsum("mpb,mpb->mp", filled, filled)
            defined += np.count_nonzero(~np.isnan(differences), axis=2)
        spread = np.sqrt(squares / np.maximum(defined, 1.0))
        spread[spread <= ROUNDING * self._largest] = 0.0
        return spread

    def draws(self) -> Iterator[Singles]:
        """Yield the differences [M, P, b] of consecutive draws."""
        yield from self._kept
        yield from self._differences(sum(part.shape[2] for part in self._kept), self.trials)

    def _differences(self, start: int, stop: int) -> Iterator[Singles]:
        """Yield the differences [M, P, b] of the draws from `start` to `stop`."""
        halves = self._signed_halves(start, stop)
        for differences in in_order(self._differences_of, halves, self._plan.threads):
            yield differences
            self._progress.add(differences.shape[2])

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

    def _differences_of(self, signed: Floats) -> Singles:
        """Return the differences [M, P, b] of all pairs for signed halves [K, K, T, S, b]."""
        parts = []
        shape, draws = signed.shape[:3], signed.shape[-1]
        for start in range(0, self._pairs.shape[1], self._pairs_at_a_time):
            a, b = self._pairs[:, start : start + self._pairs_at_a_time]
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
