"""Moments of numbers of many systems on the same items, and the units that the items belong to.

The counterpart of `UnitTables` for measures of numbers: sums `[9, 1]` take the place of tables
`[K, K]`. Sums of pairs after an exchange of units follow from signed sums in the same way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..measures.scoring import replace_undefined
from ..moments import SUMS, Numbers
from ..types import Bools, Codes, Floats, Ints, Undefined
from .resample import divide_defined, stream
from .unit_tables import EXACT_UNITS, _heads, random_bits, sign_patterns

# More items than this are dealt into so many groups, which are exchanged as wholes.
MOST_EXCHANGED = 2**14
_FEW_ITEMS = 64
_DIFFERING = (3, 5, 6, 7, 8)  # the sums that predictions enter

OnSums = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What scores without one unit vary by.

    Parameters
    ----------
    covariance : ndarray of shape (M, S, S)
        Jackknife covariances of the scores of systems.
    units : ndarray of int of shape (M, S, S)
        How many units they rest on.
    undefined : ndarray of int of shape (M, S)
        How many units cannot be left out, because the rest has no score.
    total : int
        The number of units.
    """

    covariance: Floats
    units: Ints
    undefined: Ints
    total: int

    def difference(self) -> tuple[Floats, Ints]:
        """Return standard errors of differences, and numbers of units, both `[M, S, S]`."""
        own = np.einsum("mss->ms", self.covariance)
        both = own[:, :, None] + own[:, None, :]
        spread = both - 2 * self.covariance
        return np.sqrt(np.where(spread > 1e-12 * both, spread, 0.0)), self.units


class UnitMoments:
    """Numbers of several systems, grouped into units.

    Parameters
    ----------
    numbers : Numbers
        The numbers, in an order that does not depend on that of the data.
    topics : int, default: 1
        The number of topics that have sums of their own; 1 to pool all items.
    unit : ndarray of int of shape (n_rows,), optional
        The topic or cluster of every row, from 0. By default every single item is a unit.
    """

    def __init__(self, numbers: Numbers, topics: int = 1, unit: Codes | None = None) -> None:
        self._numbers = numbers.repeated() if numbers.items <= _FEW_ITEMS else numbers
        if unit is not None and len(unit) != len(self._numbers) and numbers.count is not None:
            unit = np.repeat(unit, numbers.count)
        self._topics, self._unit = topics, unit

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self._numbers.columns) - 1

    @property
    def entries(self) -> int:
        """The number of sums of all systems."""
        return self.systems * self._topics * len(SUMS)

    @cached_property
    def units(self) -> int:
        """The number of units."""
        return self._numbers.items if self._unit is None else len(np.unique(self._unit))

    @cached_property
    def _topic(self) -> Codes | None:
        return self._numbers.topic if self._topics > 1 else None

    @cached_property
    def sums(self) -> Floats:
        """The sums `[S, T, 9]` of all items."""
        return self._numbers.sums(self._topic, self._topics)

    @property
    def total(self) -> Floats:
        """The sums in the shape of tables, (S, T, 9, 1)."""
        return self.sums[..., None]

    def effective_scale(self, *, pooled: bool) -> Floats:
        """Return the factors of the sums before they are scored: 1, for sums hold their weights."""
        return np.ones(() if pooled else self._topics)

    # Exchanges.

    @cached_property
    def _exchanged(self) -> tuple[Floats, Ints, Codes, Ints]:
        """Sums `[S, 5, R]`, units, topics and counts of units on which systems differ."""
        numbers, count = self._numbers, np.ones(0, dtype=np.int64)
        if self._unit is not None:
            sums, unit, topic = self._grouped(np.unique(self._unit, return_inverse=True)[1])
        elif len(numbers) > MOST_EXCHANGED:
            dealt = stream(0, "dealt").permutation(len(numbers)) % MOST_EXCHANGED
            sums, unit, topic = self._grouped(dealt)
        else:
            sums, unit = numbers.each(slice(None)), np.arange(len(numbers))
            topic = np.zeros_like(unit) if self._topic is None else self._topic
            count = numbers.count if numbers.count is not None else np.ones_like(unit)
        sums = sums[:, _DIFFERING, :]
        differ: Bools = (sums != sums[0]).any(axis=(0, 1))
        changing = np.isin(unit, unit[differ])
        unit = np.unique(unit[changing], return_inverse=True)[1]
        count = count[changing] if len(count) else np.ones(len(np.unique(unit)), dtype=np.int64)
        return sums[:, :, changing], unit, topic[changing], count

    def _grouped(self, unit: Codes) -> tuple[Floats, Codes, Codes]:
        """Return sums `[S, 9, R]` of every unit and topic, with both."""
        key = unit * self._topics + (0 if self._topic is None else self._topic)
        found, place = np.unique(key, return_inverse=True)
        sums = self._numbers.grouped(place, len(found))
        return sums, found // self._topics, found % self._topics

    @property
    def patterns(self) -> int | None:
        """The number of patterns of signs, up to a common sign; None if there are too many."""
        count = self._exchanged[3]
        changing = int(count.sum())
        few = changing <= EXACT_UNITS and changing == len(count)
        return 2 ** max(changing - 1, 0) if few else None

    def signed(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw signed sums of shape (size, S, T, 9, 1)."""
        count = self._exchanged[3]
        once = int(count.max(initial=0)) <= 1
        heads = random_bits(rng, len(count), size) if once else _heads(rng, count, size)
        return self._signed_by(heads.astype(np.float64))

    def enumerated(self, start: int = 0, stop: int | None = None) -> Floats:
        """Return the signed sums of all patterns of signs, the first of which are all positive."""
        last = self.patterns if stop is None else stop
        assert last is not None
        return self._signed_by(sign_patterns(len(self._exchanged[3]), start, last))

    def _signed_by(self, heads: Floats) -> Floats:
        """Return signed sums; a unit of c items, h of them positive, has the factor 2 h - c."""
        sums, unit, topic, count = self._exchanged
        size, once = heads.shape[1], len(unit) == len(count)
        out = np.zeros((size, self.systems, self._topics, len(SUMS), 1))
        for t in range(self._topics):
            rows = slice(None) if self._topics == 1 else np.flatnonzero(topic == t)
            part = sums[:, :, rows].reshape(self.systems * len(_DIFFERING), -1)
            # Where every row is a unit, in order, nothing has to be looked up.
            chosen = rows if once else unit[rows]
            found = 2.0 * (part @ heads[chosen]) - (part @ count[chosen])[:, None]
            shaped = found.reshape(self.systems, len(_DIFFERING), size)
            out[:, :, t, _DIFFERING, 0] = np.moveaxis(shaped, -1, 0)
        return out

    # Leaving units out.

    def jackknife(self, statistic: OnSums, undefined: Undefined = None) -> LeftOut:
        """Leave out every unit in turn.

        Parameters
        ----------
        statistic : callable
            Maps sums of shape (..., 9) to scores of shape (M, ...), NaN where undefined.
        undefined : float, "skip" or None, default: None
            What replaces undefined scores of topics.

        Returns
        -------
        LeftOut
            The covariances of the systems' scores.
        """
        base = replace_undefined(statistic(self.sums), undefined)  # [M, S, T]
        gram = _Gram(base.shape[:2], self.units)
        if self._unit is None:
            for rows in self._numbers.chunks():
                each, count = self._numbers.each(rows), self._numbers.count
                topic = None if self._topic is None else self._topic[rows]
                change = self._changes(statistic, base, each, topic, undefined)
                gram.add(
                    self._means(base, *change, undefined), None if count is None else count[rows]
                )
            return gram.left_out()
        place = np.unique(self._unit, return_inverse=True)[1]
        sums, unit, topic = self._grouped(place)
        step = max(1, 2**20 // max(1, self.systems))
        parts = [
            self._changes(
                statistic, base, sums[..., at : at + step], topic[at : at + step], undefined
            )
            for at in range(0, sums.shape[-1], step)
        ]
        by_unit = [
            _added(np.concatenate(c, axis=-1), unit, self.units) for c in zip(*parts, strict=True)
        ]
        gram.add(self._means(base, by_unit[0], by_unit[1], undefined), None)
        return gram.left_out()

    def _changes(
        self,
        statistic: OnSums,
        base: Floats,
        each: Floats,
        topic: Codes | None,
        undefined: Undefined,
    ) -> tuple[Floats, Floats]:
        """Return how sums and numbers of defined scores change, both `[M, S, R]`."""
        at = np.zeros(each.shape[-1], dtype=np.intp) if topic is None else topic
        # One topic is not repeated for every item.
        whole = self.sums[:, :1] if self._topics == 1 else self.sums[:, at]
        rest = statistic(whole - np.moveaxis(each, 1, -1))
        rest, old = replace_undefined(rest, undefined), base[:, :, at]
        change = np.nan_to_num(rest, nan=0.0) - np.nan_to_num(old, nan=0.0)
        return change, np.isnan(old).astype(float) - np.isnan(rest)

    def _means(self, base: Floats, change: Floats, defined: Floats, undefined: Undefined) -> Floats:
        """Return deviations `[M, S, R]` of means over topics from those of all items."""
        missing = np.isnan(base).sum(axis=-1)
        total = np.nan_to_num(base, nan=0.0).sum(axis=-1)
        if not missing.any() and not defined.any():
            return change / self._topics
        rest = divide_defined(
            total[..., None] + change, missing[..., None] - defined, self._topics, undefined
        )
        whole = divide_defined(total, missing, self._topics, undefined)
        return np.asarray(rest - whole[..., None])


def _added(values: Floats, unit: Codes, units: int) -> Floats:
    """Add up `[M, S, R]` over the rows of every unit."""
    flat = values.reshape(-1, values.shape[-1])
    found = np.stack([np.bincount(unit, row, units) for row in flat]).astype(np.float64)
    return found.reshape(*values.shape[:-1], units)


class _Gram:
    """Sums of products of deviations of systems."""

    def __init__(self, shape: tuple[int, ...], total: int) -> None:
        measures, systems = shape
        self._products, self._units, self._first = np.zeros((3, measures, systems, systems))
        self._undefined, self._total = np.zeros(shape), total

    def add(self, deviations: Floats, count: Ints | None) -> None:
        """Add deviations `[M, S, R]` of rows that stand for so many units."""
        times = np.ones(deviations.shape[-1]) if count is None else count.astype(np.float64)
        defined = ~np.isnan(deviations)
        filled = np.where(defined, deviations, 0.0)
        whole = bool(defined.all())
        for m, (d, use) in enumerate(zip(filled, defined, strict=True)):
            weighted = d * times
            self._products[m] += weighted @ d.T
            if whole:
                self._units[m] += times.sum()
                self._first[m] += weighted.sum(axis=1)[:, None]
                continue
            both = use.astype(np.float64)
            self._units[m] += (both * times) @ both.T
            self._first[m] += weighted @ both.T
            self._undefined[m] += ((1 - both) * times).sum(axis=1)

    def left_out(self) -> LeftOut:
        """Return the jackknife covariances."""
        n = np.maximum(self._units, 2.0)
        means = self._first * np.swapaxes(self._first, 1, 2) / n
        spread = (n - 1) / n * (self._products - means)
        return LeftOut(
            np.where(self._units > 1, spread, np.nan),
            self._units.astype(np.int64),
            self._undefined.astype(np.int64),
            self._total,
        )
