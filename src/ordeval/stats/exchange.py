"""What chance gives where two systems are alike: differences after exchanges of their labels.

An exchange gives the statistic z of every pair for the data and for random signs of the units. Over
topics, z is a mean divided by its standard error. Over tables, the labels of two systems are
exchanged on the units of negative sign, and z is the difference of the scores divided by its
standard error: the root of the sum over units of (ψ_a − ψ_b)², where ψ is the influence of a unit
on a score. Systems that err differently have other standard errors after an exchange than before,
so these are computed again for every exchange (Janssen 1997; Chung & Romano 2013). Where many units
differ, sums of influences with random signs have the same distribution at a fraction of the cost.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..measures.influence import STEP, centred
from ..measures.scoring import replace_undefined
from ..types import Array, Floats, Ints, Undefined
from .resample import (
    BLOCK_REPLICATES,
    Block,
    Plan,
    Statistic,
    blocks_of,
    divide_defined,
    stream,
    wrong_shape,
)
from .table_intervals import ADDED_ITEMS, prior
from .unit_tables import UnitTables, random_bits, sign_patterns

Singles = NDArray[np.float32]
Influences = Callable[[Floats], Iterable[Floats]]
"""Returns for every measure the influence [..., K, K] of items on the scores of tables."""

# All patterns of the signs of at most this many topics or clusters are enumerated.
EXACT_TOPICS = 15
# Bits that scores keep below the largest one: differences of rounding errors become 0.
SCORE_BITS = 40
# Statistics that are equal in exact arithmetic must not be separated by rounding. Those of tables
# are kept in single precision, and influences by finite differences have errors of that size.
TOPIC_TOLERANCE = 1e-9
TABLE_TOLERANCE = 1e-4
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
# Differences and standard errors below this share of the largest score are rounding errors.
ROUNDING = 1e-12


def skewness(square: Floats, cube: Floats) -> Floats:
    """Return the skewness of sums over units with these sums of squares and cubes; 0 for none."""
    return np.divide(cube, square**1.5, out=np.zeros_like(cube), where=square > 0)


# Over topics: scores.


def rounded(stack: Floats) -> Floats:
    """Return scores [M, T, S] as multiples of a power of two, so that all their sums are exact."""
    largest = np.abs(stack).max(axis=(1, 2), keepdims=True)
    bits = min(SCORE_BITS, 51 - math.ceil(math.log2(stack.shape[1])))
    step = 2.0 ** (np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - bits)
    return np.asarray(np.rint(stack / step) * step)


def by_cluster(stack: Floats, clusters: ArrayLike | None) -> Floats:
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


class ScoreExchange:
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
        self._sums, self.scale, self.skew = self._observed()
        filled = self.scale > 0
        self.z = np.divide(self._sums, self.scale, out=np.zeros_like(self._sums), where=filled)
        self._per = np.divide(1.0, self.scale, out=np.zeros_like(self.scale), where=filled)

    def _observed(self) -> tuple[Floats, Floats, Floats]:
        """Return sums, norms and the skewness [M, P] of the pairs' differences over units."""
        sums, norms, skew = np.empty((3, len(self._by_system), self.pairs.shape[1]))
        step = max(1, TABLE_ENTRIES // self.units)
        for start in range(0, self.pairs.shape[1], step):
            part = slice(start, start + step)
            first, second = self.pairs[:, part]
            d = self._by_system[:, first] - self._by_system[:, second]
            sums[:, part] = d.sum(axis=2)
            norms[:, part] = np.sqrt((d * d).sum(axis=2))
            d -= d.mean(axis=2, keepdims=True)
            skew[:, part] = skewness((d**2).sum(axis=2), (d**3).sum(axis=2))
        return sums, norms, skew

    def standard_errors(self, topics: int) -> Floats:
        """Return the standard errors [M, P] of means over topics."""
        if self.units < 2:
            return np.full(self._sums.shape, np.nan)
        squares = self.scale**2
        spread = np.maximum(squares - self._sums**2 / self.units, 0.0)
        spread[spread <= 1e-12 * squares] = 0.0
        return np.asarray(np.sqrt(spread * self.units / (self.units - 1)) / topics)

    def in_standard_errors(self, z: Floats) -> Floats:
        """Return the differences, in standard errors of a mean, whose statistic is z."""
        rest = np.maximum(self.units - z**2, 0.0)
        with np.errstate(divide="ignore"):
            return np.asarray(z * np.sqrt((self.units - 1) / rest))

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
        return _paired_sizes(draws, self._per, self.pairs, orders)


def _paired_sizes(
    sums: Floats, per: Floats, pairs: Ints, orders: Sequence[Ints]
) -> Iterator[Floats]:
    """Yield for every measure the sizes [pairs, b] of differences of sums [M, S, b]."""
    for of_measure, scale, order in zip(sums, per, orders, strict=True):
        first, second = pairs[:, order]
        size = of_measure[first]
        size -= of_measure[second]
        size *= scale[order][:, None]
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
    """Scores of all systems, and of pairs after exchanges of labels on random units."""

    tolerance = TABLE_TOLERANCE

    def __init__(
        self,
        tables: UnitTables,
        statistic: Statistic,
        influences: Influences,
        plan: Plan,
        pairs: Ints,
        undefined: Undefined,
        moved: Floats | None = None,
    ) -> None:
        self._tables, self._statistic, self._influences = tables, statistic, influences
        self._plan, self._undefined, self.pairs = plan, undefined, pairs
        self.units, self.systems = tables.units, tables.systems
        self._total = _laid_out(tables.total[None])[..., 0]
        self.exact = tables.patterns is not None
        self.trials = tables.patterns or plan.replicates
        self._blocks = blocks_of(self.trials, tables.entries)
        self._per_pair = 2 * self._total[..., 0].size
        most = PAIR_ENTRIES // pairs.shape[1], 8 * TABLE_ENTRIES // self._per_pair
        self._draws_at_a_time = max(1, min(*most, self._blocks[0].size))
        # Scores of all systems at once; twice, so that a batch never holds a single table.
        twice = np.stack([self._total, self._total], axis=-1)
        scores = self._score(twice)[..., 0]
        self.observed = scores[:, pairs[0]] - scores[:, pairs[1]]
        if moved is not None:
            self.observed = np.where(np.isnan(self.observed), np.nan, moved)
        largest = np.nan_to_num(np.abs(scores), nan=0.0).max(axis=1)[:, None]
        self._rounding = ROUNDING * largest
        self._set_errors(twice)

    def _set_errors(self, tables: Floats) -> None:
        """Compute the standard errors of the differences of the data, and their skewness."""
        self._slopes_of_data = np.stack([slopes[..., 0] for slopes in self._slopes(tables)])
        moments = [self._tables.moments(slopes, self.pairs) for slopes in self._slopes_of_data]
        square, changing, cube = np.stack(moments, axis=1)
        self._spread = np.sqrt(changing)  # root mean squares of sums with random signs
        self.se, self.skew = np.sqrt(square), skewness(square, cube)
        self.se[self.se <= self._rounding] = 0.0
        self.se[np.isnan(self.observed)] = np.nan
        topics, classes, _ = self._tables.shape
        self.wide_se = self._with_added_items() if topics == 1 < classes else None

    def _with_added_items(self) -> Floats:
        """Return standard errors [M, P] with the items that intervals of scores add."""
        k, total = self._tables.shape[1], float(self._tables.total[0].sum())
        units = self.units if self._tables.clustered else total
        added, (a, b) = prior(k), self.pairs
        tables = self._total * (units / total) + added[..., None, None]
        found = []
        for slopes, se in zip(
            self._slopes(np.stack([tables, tables], axis=-1)), self.se, strict=True
        ):
            by_class = slopes[..., 0].reshape(k, k, -1)
            squares = np.einsum("gp,gps->s", added, by_class**2)
            means = np.einsum("gp,gps->gs", added, by_class) * np.sqrt(k / ADDED_ITEMS)
            products = np.einsum("gs,gt->st", means, means)[a, b]
            of_added = squares[a] + squares[b] - 2 * products
            found.append(np.sqrt((units * se) ** 2 + of_added) / (units + ADDED_ITEMS))
        return np.stack(found)

    def in_standard_errors(self, z: Floats) -> Floats:
        """Return the statistics as they are."""
        return z

    def _studentised(self, difference: Floats, se: Floats) -> Floats:
        """Return z [M, P, ...]: infinite for a difference without error, 0 for none."""
        rounding = self._rounding.reshape(-1, *[1] * (difference.ndim - 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            z = difference / np.where(se > rounding, se, 0.0)
        z[np.abs(difference) <= rounding] = 0.0
        z[np.abs(z) > 1 / ROUNDING] *= np.inf
        return np.asarray(z)

    def _score(self, tables: Floats) -> Floats:
        """Return the mean scores [M, n, b] of tables [K, K, T, n, b] over topics."""
        scores = self._statistic(tables.transpose(2, 3, 4, 0, 1))
        scores = replace_undefined(scores, self._undefined)
        missing = np.isnan(scores)
        sums = np.where(missing, 0.0, scores).sum(axis=1)
        return divide_defined(sums, missing.sum(axis=1), scores.shape[1], self._undefined)

    def _slopes(self, tables: Floats) -> Iterator[Floats]:
        """Yield for every measure the influences [T * K * K, n, b] of items on mean scores."""
        by_table = tables.transpose(2, 3, 4, 0, 1)
        for influence in self._influences(by_table):
            if len(influence) > 1:
                missing = np.isnan(influence)
                influence = np.where(missing, 0.0, influence)
                if self._undefined == "skip":
                    defined = (~missing[..., 0, 0]).sum(axis=0)
                    influence *= (len(influence) / np.maximum(1, defined))[..., None, None]
            yield influence.transpose(0, 3, 4, 1, 2).reshape(-1, *tables.shape[3:])


class StudentisedExchange(_TableExchange):
    """Differences divided by their standard errors, those of every exchange by its own."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.scale = np.where(np.isnan(self.observed), 0.0, 1.0)
        self.z = self._studentised(self.observed, self.se)
        self._pair_units = [self._tables.pair(a, b) for a, b in self.pairs.T.tolist()]

    def draws(self) -> Iterator[Array]:
        """Yield the numbers [columns, b] of units with a positive sign, for a few draws."""
        first = 0
        for block in self._blocks:
            if self.exact:
                heads = self._tables.enumerated(first, first + block.size)
            else:
                rng = stream(self._plan.seed, "signs", block.number)
                heads = self._tables.heads(rng, block.size)
            for start in range(0, block.size, self._draws_at_a_time):
                yield heads[:, start : start + self._draws_at_a_time]
            first += block.size

    def sizes(self, draws: Array, orders: Sequence[Ints]) -> Iterator[Singles]:
        """Yield for every measure |z| [pairs, b] of draws, the pairs in an order."""
        halves = _laid_out(self._tables.signed_by(draws)) / 2
        size = np.empty((*self.observed.shape, draws.shape[1]), np.float32)
        for part, both in self._parts(halves):
            units = self._pair_units[part]
            heads = [unit.heads(draws) for unit in units]
            joined = both.reshape(*both.shape[:3], -1, both.shape[-1])
            variance = np.stack([
                _variances(slopes, units, heads) for slopes in self._slopes(joined)
            ])  # fmt: skip
            z = self._studentised(self._differences_of(both), np.sqrt(variance))
            size[:, part] = np.abs(z)
        size[np.isnan(size)] = 0.0
        for of_measure, order in zip(size, orders, strict=True):
            yield of_measure[order]

    def _parts(self, drawn: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield some pairs and their tables [K, K, T, 2, n, b] for signed halves of tables."""
        shape, draws = drawn.shape[:3], drawn.shape[-1]
        step = max(1, TABLE_ENTRIES // (self._per_pair * draws))
        for start in range(0, self.pairs.shape[1], step):
            part = slice(start, start + step)
            a, b = self.pairs[:, part]
            half_sum = (self._total[..., a, None] + self._total[..., b, None]) / 2
            half_difference = drawn.take(a, axis=-2)
            half_difference -= drawn.take(b, axis=-2)
            both = np.empty((*shape, 2, len(a), draws))
            np.add(half_sum, half_difference, out=both[..., 0, :, :])
            np.subtract(half_sum, half_difference, out=both[..., 1, :, :])
            yield part, both

    def _differences_of(self, both: Floats) -> Floats:
        """Return the differences [M, n, b] of the scores of tables [K, K, T, 2, n, b]."""
        scores = self._score(both.reshape(*both.shape[:3], -1, both.shape[-1]))
        scores = scores.reshape(len(scores), 2, -1, both.shape[-1])
        return np.asarray(scores[:, 0] - scores[:, 1])


def _variances(slopes: Floats, units: Sequence[Any], heads: Sequence[Array]) -> Floats:
    """Return the variances [n, b] of the differences of pairs with slopes [cells, 2 * n, b]."""
    first, second = np.split(slopes, 2, axis=1)
    return np.stack([
        unit.variance(first[:, i], second[:, i], of_unit)
        for i, (unit, of_unit) in enumerate(zip(units, heads, strict=True))
    ])  # fmt: skip


class LinearExchange(_TableExchange):
    """Differences to first order: sums of the influences of units, with random signs.

    With many units that differ, these have the distribution of studentised differences.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.z = self._studentised(self.observed, self.se)
        spread = self._spread
        tested = (spread > self._rounding) & ~np.isnan(self.observed)
        self.scale = np.where(tested, spread, 0.0)
        self._per = np.divide(1.0, spread, out=np.zeros_like(spread), where=tested)

    def draws(self) -> Iterator[Floats]:
        """Yield sums [M, S, b] of influences with the signs of a few draws."""
        first, tables = 0, self._tables
        for block in self._blocks:
            if self.exact:
                signed = tables.signed_by(tables.enumerated(first, first + block.size))
            else:
                signed = tables.signed(stream(self._plan.seed, "signs", block.number), block.size)
            cells = signed.reshape(block.size, self.systems, -1)
            sums = np.einsum("mcs,bsc->msb", self._weights, cells, optimize=True)
            for start in range(0, block.size, self._draws_at_a_time):
                yield sums[..., start : start + self._draws_at_a_time]
            first += block.size

    @cached_property
    def _weights(self) -> Floats:
        """What an item of each cell adds to the mean score of each system, [M, cells, S]."""
        return self._slopes_of_data * self._tables.cell_share[:, None]

    def sizes(self, draws: Floats, orders: Sequence[Ints]) -> Iterator[Floats]:
        """Yield for every measure |z| [pairs, b] of draws, the pairs in an order."""
        return _paired_sizes(draws, self._per, self.pairs, orders)


def numerical(statistic: Statistic) -> Influences:
    """Return the influences under a statistic by differences over a small step."""

    def influences(tables: Floats) -> Floats:
        flat = tables.reshape(-1, tables.shape[-2] * tables.shape[-1])
        total, used = flat.sum(axis=1), np.flatnonzero(flat.any(axis=0))
        here = statistic(tables.reshape(-1, *tables.shape[-2:]))
        slopes = np.zeros((*here.shape, flat.shape[1]))
        for cell in used.tolist():
            moved = flat * (1 - STEP)
            moved[:, cell] += STEP * total
            slopes[..., cell] = (statistic(moved.reshape(-1, *tables.shape[-2:])) - here) / STEP
        return centred(tables, slopes.reshape(-1, *tables.shape))

    return influences


def _laid_out(tables: Floats) -> Floats:
    """Return tables [b, S, T, K, K] as [K, K, T, S, b]."""
    return np.ascontiguousarray(tables.transpose(3, 4, 2, 1, 0))
