"""Tables of many systems on the same rows of labels, and the units that the rows belong to.

A unit is what is exchanged, left out or resampled as a whole: an item, or a cluster of items. The
*signed* table of a system is the sum of its units' tables, each with a random sign. Let U_a and
U_b be the signed tables of two systems and T_a and T_b their tables. Exchanging the labels of both
systems on the units of negative sign gives the tables

    (T_a + T_b) / 2 + (U_a - U_b) / 2  and  (T_a + T_b) / 2 - (U_a - U_b) / 2,

so that S signed tables per draw serve all S (S - 1) / 2 pairs, under every measure.

Weights are rounded to multiples of a power of two that is small enough to be negligible and large
enough for all sums to be exact in floating point. Neither the order of summation nor the order of
the systems therefore changes a table.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..types import Array, Bools, Floats, Ints
from .resample import effective_scale, stream

Factors = Callable[[Ints], Array]
"""Returns the factors [rows, size] of some rows or units; it is called once for each of these."""
Sums = Callable[[Factors, int], Floats]
"""Returns the sums [entries, size] of the tables of rows or units, multiplied by factors."""

# All 2^(U-1) patterns of signs of at most this many units are enumerated.
EXACT_UNITS = 14
# Numbers in the matrix of indicators of one product, and rows with random numbers at a time.
PRODUCT_ENTRIES = 2**21
ROWS_AT_A_TIME = 2**13
# A product of dense indicators pays off for few classes and groups of many rows.
DENSE_CLASSES = 24
DENSE_ROWS = 64
# Whole numbers below this are exact in single precision.
SINGLE_EXACT = 2**24
# Clusters that a jackknife leaves out one by one; more are dealt into so many groups.
MOST_GROUPS = 1000


class UnitTables:
    """Rows of labels of several systems, grouped into units.

    `cells` [S, R] are ``topic * K * K + gold * K + predicted`` of every system on every row, of
    tables of a shape (topics, gold classes, predicted classes). A row stands for `count` [R] equal
    items of a `weight` [R] each, which is scaled so that the table of every topic sums to its
    effective number of items. Without the cluster `unit` [R] of the rows, every item is a unit.

    Draws belong to the rows in their order. For results that do not depend on the order of the
    systems, keep the rows in the order of the items.
    """

    def __init__(
        self,
        cells: Array,
        shape: tuple[int, int, int],
        count: Ints | None = None,
        weight: Floats | None = None,
        unit: Ints | None = None,
    ) -> None:
        self.shape, self._size = shape, int(np.prod(shape))
        self._cells = np.asarray(cells).astype(np.min_scalar_type(self._size - 1))
        self.systems: int = self._cells.shape[0]
        self.rows: int = self._cells.shape[1]
        self._count = np.ones(self.rows, np.int64) if count is None else np.asarray(count, np.int64)
        self._unit = None if unit is None else np.asarray(unit, np.int64)
        self._weight = None if weight is None else self._effective(np.asarray(weight, np.float64))

    def _effective(self, weight: Floats) -> Floats:
        """Scale weights so that those of every topic sum to its effective number of items."""
        topic = self._cells[0] // (self.shape[1] * self.shape[2])
        total, squares = (np.bincount(topic, self._count * weight**n) for n in (1, 2))
        return _exact(weight * effective_scale(total, squares)[topic], self._count)

    @cached_property
    def units(self) -> int:
        """The number of units."""
        if self._unit is None:
            return int(self._count.sum())
        return len(np.unique(self._unit[self._count > 0]))

    @property
    def clustered(self) -> bool:
        """Whether the units are clusters of rows."""
        return self._unit is not None

    @property
    def entries(self) -> int:
        """The number of entries in the tables of all systems."""
        return self.systems * self._size

    @cached_property
    def total(self) -> Floats:
        """The tables of all systems, of shape (S, T, K, K)."""
        flat = [np.bincount(codes, self._mass, self._size) for codes in self._cells]
        return np.stack(flat).astype(np.float64).reshape(self.systems, *self.shape)

    @property
    def patterns(self) -> int | None:
        """The number of patterns of signs, up to a common sign; None if there are too many."""
        changing = self.changing_units
        return None if changing > EXACT_UNITS else 2 ** max(changing - 1, 0)

    def heads(self, rng: np.random.Generator, size: int) -> Array:
        """Draw how many items of every row that changes, or which units, have a positive sign.

        Rows on which all systems agree do not change: they would add the same to the signed tables
        of all systems, and so nothing to a difference.
        """
        if self._unit is None:
            return drawn_heads(rng, self._count[self._changing], size)
        return random_bits(rng, self.changing_units, size)

    def enumerated(self, start: int, stop: int) -> Array:
        """Return the heads of patterns of signs, the first of which are all positive."""
        heads = sign_patterns(self.changing_units, start, stop)
        if self._unit is not None:
            return heads
        changing = self._count[self._changing]
        by_row = np.zeros((len(changing), heads.shape[1]))
        np.add.at(by_row, np.repeat(np.arange(len(changing)), changing), heads)
        return by_row

    def signed_by(self, heads: Array) -> Floats:
        """Return signed tables [size, S, T, K, K] for heads, the draws innermost in memory."""

        def factors(columns: Ints) -> Array:
            units = self._unit is not None
            return heads[columns if units else np.searchsorted(self._changing, columns)]

        return self._signs_from(self._signed_sums(factors, heads.shape[1]))

    def signed(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw signed tables [size, S, T, K, K], with heads of many rows in portions."""
        if self._unit is not None:
            return self.signed_by(self.heads(rng, size))

        def factors(rows: Ints) -> Array:
            return drawn_heads(rng, self._count[rows], size)

        return self._signs_from(self._signed_sums(factors, size))

    @cached_property
    def _share(self) -> Floats:
        """The share of an item of every row in the mean of topics."""
        weight = 1.0 if self._weight is None else self._weight
        return np.asarray(self.cell_share[self._cells[0]] * weight)

    @property
    def cell_share(self) -> Floats:
        """The share of an item of weight 1 in the mean of topics, for every cell [entries]."""
        items = self.total[0].sum(axis=(-2, -1)) * self.shape[0]
        return np.repeat(1 / np.where(items > 0, items, 1.0), self.shape[1] * self.shape[2])

    def moments(self, influence: Floats, pairs: Ints) -> Floats:
        """Return sums over units [3, P] of what they add to differences of scores.

        `influence` [entries, S] is that of an item on the score of each system. The sums are those
        of squares, whose root is a standard error; of squares on the units that `signed` uses,
        whose root is the root mean square of its sums; and of cubes.
        """
        cells = zip(influence.T, self._cells, strict=True)
        added, count = np.stack([of[codes] for of, codes in cells]) * self._share, self._count
        changing = np.zeros(len(count), dtype=np.bool_)
        changing[self._changing] = True
        if self._unit is not None:  # what the rows of a cluster add
            place = np.unique(self._unit, return_inverse=True)[1]
            added = np.stack([np.bincount(place, count * row) for row in added])
            changing = np.bincount(place, changing) > 0
            count = np.ones(added.shape[1], np.int64)
        weights = np.stack([count, count * changing], axis=1).astype(np.float64)
        found = np.empty((3, pairs.shape[1]))
        for sums, (a, b) in zip(found.T, pairs.T.tolist(), strict=True):
            apart = added[a] - added[b]
            square = apart * apart
            sums[:2] = square @ weights
            square *= apart
            sums[2] = square @ weights[:, 0]
        return found

    def pair(self, first: int, second: int) -> "PairedItems | PairedClusters":
        """Return the units of two systems."""
        if self._unit is not None:
            by_cluster, column = self._by_cluster
            return PairedClusters(by_cluster[first], by_cluster[second], column)
        cells = self._cells[[first, second]].astype(np.int64)
        joint, place = np.unique(cells[0] * self._size + cells[1], return_inverse=True)
        square, changing = self._share**2, self._changing
        amount = np.bincount(place, self._count * square, len(joint)).astype(np.float64)
        return PairedItems(*np.divmod(joint, self._size), amount, place[changing], square[changing])

    @cached_property
    def _by_cluster(self) -> tuple[Floats, Ints]:
        """Tables [S, U, entries] of clusters as shares of the whole, and their columns of heads."""
        assert self._unit is not None
        units, place = np.unique(self._unit, return_inverse=True)
        changing = np.isin(units, self._unit[self._changing])
        whole = np.stack([
            np.bincount(place * self._size + codes, self._count * self._share,
                        len(units) * self._size)
            for codes in self._cells.astype(np.int64)
        ])  # fmt: skip
        column = np.where(changing, np.cumsum(changing) - 1, -1)
        return np.asarray(whole, np.float64).reshape(self.systems, len(units), -1), column

    def without_units(self, seed: int, entries: int) -> Iterator[Floats]:
        """Yield tables [g, S, T, K, K] without one cluster, or one group of them, at a time.

        Many clusters are dealt into groups at random. At most about so many entries are made at
        once, the groups innermost in memory.
        """
        assert self._unit is not None
        rows, groups = np.flatnonzero(self._count > 0), min(self.units, MOST_GROUPS)
        group = np.unique(self._unit[rows], return_inverse=True)[1]
        if groups < self.units:
            group = (stream(seed, "jackknife").permutation(self.units) % groups)[group]
        step = max(1, entries // self.entries)
        for start in range(0, groups, step):
            size = min(step, groups - start)
            some = (group >= start) & (group < start + size)
            row, place = rows[some], group[some] - start
            flat = np.empty((self.systems, self._size, size))
            for system, codes in enumerate(self._cells):
                cell = codes[row].astype(np.int64) * size + place
                left_out = np.bincount(cell, self._mass[row], self._size * size)
                flat[system] = self.total[system].reshape(-1, 1) - left_out.reshape(-1, size)
            yield np.moveaxis(flat.reshape(self.systems, *self.shape, size), -1, 0)

    def resampled(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw tables [size, S, T, K, K] of as many units, drawn with replacement.

        The draws are innermost in memory. There is a number for every row and draw, so large
        samples are drawn in portions.
        """
        count = self._count if self._unit is None else np.ones(self.units, dtype=np.int64)
        sums = self._all_sums(_multiplicities(rng, count, size).__getitem__, size)
        return np.moveaxis(sums.reshape(self.systems, *self.shape, size), -1, 0)

    def _signs_from(self, heads: Floats) -> Floats:
        """Return signed tables of sums [entries, size] over the units of positive sign."""
        heads *= 2.0
        heads -= self._changing_total[:, None]
        return np.moveaxis(heads.reshape(self.systems, *self.shape, -1), -1, 0)

    @cached_property
    def _mass(self) -> Floats:
        """The weight of every row: the sum over its items."""
        return self._count.astype(np.float64) * (1.0 if self._weight is None else self._weight)

    @cached_property
    def _changing(self) -> Ints:
        """The rows on which the systems differ or, with clusters, those of clusters with any."""
        differ: Bools = np.zeros(self.rows, dtype=np.bool_)
        for codes in self._cells[1:]:
            differ |= codes != self._cells[0]
        differ &= self._count > 0
        if self._unit is not None:
            differ = np.isin(self._unit, self._unit[differ]) & (self._count > 0)
        return np.flatnonzero(differ)

    @cached_property
    def changing_units(self) -> int:
        """The number of units on which systems differ."""
        if self._unit is None:
            return int(self._count[self._changing].sum())
        return len(np.unique(self._unit[self._changing]))

    @cached_property
    def _changing_total(self) -> Floats:
        """The tables [entries] of the rows that `signed` uses."""
        mass, cells = self._mass[self._changing], self._cells[:, self._changing]
        return np.concatenate([np.bincount(codes, mass, self._size) for codes in cells])

    @cached_property
    def _signed_sums(self) -> Sums:
        return self._sums_of(self._changing)

    @cached_property
    def _all_sums(self) -> Sums:
        return self._sums_of(np.flatnonzero(self._count > 0))

    def _sums_of(self, rows: Ints) -> Sums:
        """Return how some rows, or their units, are added up: by the cheaper kind of products."""
        cells, size = self._cells[:, rows], self._size
        if self._unit is not None:
            columns = np.unique(self._unit[rows], return_inverse=True)[1]
            return _sparse_sums(cells, size, columns, self._mass[rows])
        weight = np.ones(len(rows)) if self._weight is None else self._weight[rows]
        groups = len(np.unique(cells[0] // self.shape[2]))
        if self.shape[2] > DENSE_CLASSES or len(rows) < DENSE_ROWS * groups:
            sums = _sparse_sums(cells, size, np.arange(len(rows)), weight)
        else:
            single = self._weight is None and int(self._count.sum()) < SINGLE_EXACT
            sums = _dense_sums(cells, self.shape, weight, np.float32 if single else np.float64)
        return lambda factors, draws: sums(lambda columns: factors(rows[columns]), draws)


@dataclass(frozen=True, eq=False)
class PairedItems:
    """Items of two systems, by the cells in which both systems put them.

    Joint cells have a cell of each system and an `amount`, the sum of the squared shares of their
    items in a score. Rows that change are at a `place` among them; `square` is that of one item.
    """

    first: Ints
    second: Ints
    amount: Floats
    place: Ints
    square: Floats

    def heads(self, heads: Array) -> Floats:
        """Return the amounts [cells, b] of the items with a positive sign."""
        order = np.argsort(self.place, kind="stable")
        cells, start = np.unique(self.place[order], return_index=True)
        found = np.zeros((len(self.amount), heads.shape[1]))
        if len(order):
            amounts = heads[order] * self.square[order, None]
            found[cells] = np.add.reduceat(amounts, start, axis=0)
        return found

    def variance(self, first: Floats, second: Floats, heads: Floats) -> Floats:
        """Return variances [b] of a difference of scores, for influences [entries, b] on each."""
        kept = first[self.first] - second[self.second]
        exchanged = first[self.second] - second[self.first]
        tails, squares = self.amount[:, None] - heads, "ub,ub,ub->b"
        found = np.einsum(squares, heads, kept, kept)
        return np.asarray(found + np.einsum(squares, tails, exchanged, exchanged))


@dataclass(frozen=True, eq=False)
class PairedClusters:
    """Clusters of items of two systems: tables [U, entries], and the columns of their heads."""

    first: Floats
    second: Floats
    column: Ints  # -1 for clusters on which all systems agree

    def heads(self, heads: Array) -> Bools:
        """Return which clusters [U, b] have a positive sign."""
        ones = np.ones((1, heads.shape[1]), dtype=heads.dtype)
        return np.concatenate([heads, ones])[self.column] > 0

    def variance(self, first: Floats, second: Floats, heads: Bools) -> Floats:
        """Return variances [b] of a difference of scores, for influences [entries, b] on each."""
        kept = self.first @ first - self.second @ second
        exchanged = self.second @ first - self.first @ second
        return np.asarray((np.where(heads, kept, exchanged) ** 2).sum(axis=0))


def sign_patterns(units: int, start: int, stop: int) -> Array:
    """Return patterns [units, stop - start] of signs as 0 or 1; the first unit has always 1.

    Pattern 0 has only ones.
    """
    numbers = np.arange(start, stop)
    bits = (numbers >> np.arange(units - 1)[:, None]) & 1
    return np.concatenate([np.ones((min(units, 1), len(numbers))), 1 - bits])


def _dense_sums(cells: Array, shape: tuple[int, int, int], weight: Floats, dtype: Any) -> Sums:
    """Return products with dense indicators of the predicted classes, by topic and gold class."""
    systems, classes = len(cells), shape[2]
    most = min(ROWS_AT_A_TIME, max(1, PRODUCT_ENTRIES // (systems * classes)))
    parts = list(_parts(cells[0].astype(np.int64) // classes, most))
    labels = np.arange(classes)[:, None]

    def sums(factors: Factors, size: int) -> Floats:
        out = np.zeros((systems, shape[0] * shape[1], classes, size))
        for rows, group in parts:
            predicted = cells[:, rows] - np.asarray(group * classes, cells.dtype)
            indicators = (predicted[:, None, :] == labels).astype(dtype)
            times = factors(rows)
            if dtype == np.float64:
                times = times * weight[rows][:, None]
            product = indicators.reshape(-1, len(rows)) @ times.astype(dtype, copy=False)
            out[:, group] += product.reshape(systems, classes, size)
        return out.reshape(-1, size)

    return sums


def _sparse_sums(cells: Array, size: int, columns: Ints, mass: Floats) -> Sums:
    """Return products with sparse indicators of the cells that are not empty."""
    from scipy.sparse import csr_array

    systems, rows = cells.shape
    place = cells.astype(np.int64) + size * np.arange(systems)[:, None]
    used, row = np.unique(place.ravel(), return_inverse=True)
    column, data = (np.broadcast_to(a, (systems, rows)).ravel() for a in (columns, mass))
    parts = []
    for start in range(0, int(columns.max(initial=-1)) + 1, ROWS_AT_A_TIME):
        some = np.arange(start, min(start + ROWS_AT_A_TIME, int(columns.max()) + 1))
        inside = (column >= some[0]) & (column <= some[-1])
        where = (row[inside], column[inside] - start)
        parts.append((some, csr_array((data[inside], where), shape=(len(used), len(some)))))

    def sums(factors: Factors, draws: int) -> Floats:
        compact = np.zeros((len(used), draws))
        for some, matrix in parts:
            compact += matrix @ factors(some).astype(np.float64, copy=False)
        out = np.zeros((systems * size, draws))
        out[used] = compact
        return out

    return sums


def _parts(group: Ints, most: int) -> Iterator[tuple[Ints, int]]:
    """Divide rows by group, and large groups further."""
    order = np.argsort(group, kind="stable")
    ends = np.flatnonzero(np.diff(group[order], append=-1)) + 1
    for start, stop in pairwise([0, *ends.tolist()]):
        for first in range(start, stop, most):
            rows = order[first : min(first + most, stop)]
            yield rows, int(group[rows[0]])


def drawn_heads(rng: np.random.Generator, count: Ints, size: int) -> Array:
    """Draw Binomial(count, 1/2) for every count: [rows, size]."""
    most = int(count.max(initial=0))
    if most <= 1:
        heads = random_bits(rng, len(count), size)
        heads *= count.astype(np.uint8)[:, None]
        return heads
    if most <= 64:
        words = rng.integers(2**64 - 1, size=(len(count), size), dtype=np.uint64, endpoint=True)
        words >>= (64 - np.maximum(count, 1)).astype(np.uint64)[:, None]
        return np.where(count[:, None] > 0, np.bitwise_count(words), 0)
    return rng.binomial(count[:, None], 0.5, size=(len(count), size))


def random_bits(rng: np.random.Generator, rows: int, size: int) -> Array:
    """Draw random bits [rows, size]."""
    width = -(-size // 8)
    packed = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
    return np.unpackbits(packed, axis=1, count=size)


def _multiplicities(rng: np.random.Generator, count: Ints, size: int) -> Array:
    """Draw as many units as there are, with replacement, and count them by row: [rows, size]."""
    units, rows = int(count.sum()), len(count)
    if units > 4 * rows:
        return rng.multinomial(units, count / units, size=size).T
    owner = np.repeat(np.arange(rows), count)
    times = np.empty((rows, size), dtype=np.int32)
    for draw in range(size):
        picks = rng.integers(units, size=units)
        times[:, draw] = np.bincount(owner[picks], minlength=rows)
    return times


def _exact(weight: Floats, count: Ints) -> Floats:
    """Round weights to multiples of a power of two, so that sums of all of them are exact."""
    total = float((weight * count).sum())
    if total == 0:
        return weight
    # Sums stay below 2^51 units, which leaves room for sums and halves of two tables.
    step = 2.0 ** (np.ceil(np.log2(total)) - 50)
    return np.asarray(np.rint(weight / step) * step)
