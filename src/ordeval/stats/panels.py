"""Intervals of figures of several raters, from sums over items.

Items with the same ratings are one row, so that the cost depends on the number of different rows,
not on that of items. Every figure is a function of `RaterSums`, which are linear in the items:

- Where there are not too many rows, sums are drawn as in `ordeval.stats.intervals`: the number of
  items of every row is a Gamma variable, and two items are added to every draw. They are items of
  the data, moved to another class, about which one rater, and a random number of them, may give
  yet another one.
- Otherwise there are thousands of items. The standard error is that of the linearised figure, and
  the interval that of Student's t distribution.
- Over clusters, the interval is that of the jackknife over clusters, corrected for skewness.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np

from ..data.column import code_type
from ..data.data import Data
from ..data.raters import amounts, class_counts, classes_by_rater, gaps_first, values_of
from ..data.scale import Scale
from ..data.units import Units, places
from ..measures.influence import derivatives
from ..measures.raters import RaterSums
from ..types import Array, Bools, Codes, Floats
from .intervals import Interval, unit_interval
from .resample import Plan, Reporter, blocks_of, effective_scale, stream
from .table_intervals import ADDED_ITEMS, PER_STEP, interval_of_draws

Figures = Callable[[RaterSums], Floats]
"""Maps sums with one leading axis to figures `[M, B]`, NaN where undefined."""

MOST_ROWS = 4096  # different rows of which sums are drawn
_DRAWN_NUMBERS = 3 * 10**10  # multiplications in all draws, ten seconds of work
_CHUNK_NUMBERS = 2**22  # numbers of sums, or of rows, that are held at a time
_LINEAR_NUMBERS = 4096  # numbers in the sums that derivatives are taken by
_BEYOND = 2  # classes beyond those of the data that an added item may have


@dataclass(frozen=True, eq=False)
class Panel:
    """The different rows of ratings, and how many items have them.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows, n_raters)
        The ratings; K where a rater did not rate the items.
    items : ndarray of shape (n_rows,)
        The number of items with these ratings and this weight.
    weight : ndarray of shape (n_rows,)
        The weight of each of these items.
    scale : Scale
        The ordered classes.
    cluster : ndarray of int of shape (n_rows,), optional
        The cluster of the items of every row.
    row_of : ndarray of int of shape (n_items,), optional
        The row of every item of the data.
    """

    codes: Codes
    items: Floats
    weight: Floats
    scale: Scale
    cluster: Codes | None = None
    row_of: Codes | None = None

    @classmethod
    def of(cls, data: Data, *, clusters: bool, by_weight: bool = False, **more: Any) -> Self:
        """Group items by their ratings, their weight and, with `clusters`, by these.

        Rows are in the order of the ratings, or first in that of weights if `by_weight`.
        """
        units, k = data.units, data.scale.k
        cluster = units.cluster if clusters else None
        weights, groups = ([] if x is None else [_numbered(x)] for x in (units.weight, cluster))
        before, after = (weights, groups) if by_weight else ([], [*weights, *groups])
        columns = chain((x for x, _ in before), gaps_first(data.codes, k), (x for x, _ in after))
        sizes = [*(n for _, n in before), *[k + 1] * len(data.codes), *(n for _, n in after)]
        row_of, first = places(columns, sizes)
        return cls(
            np.ascontiguousarray(data.codes[:, first].T, dtype=np.intp),
            np.bincount(row_of, units.count, len(first)).astype(np.float64),
            np.ones(len(first)) if units.weight is None else units.weight[first],
            data.scale,
            None if cluster is None else cluster[first],
            row_of,
            **more,
        )

    @cached_property
    def values(self) -> Floats:
        """The class values."""
        return np.asarray(self.scale.numbers, dtype=np.float64)

    @cached_property
    def rated(self) -> Bools:
        """Which raters rated the items of which rows: `[row, rater]`."""
        return np.asarray(self.codes != self.scale.k)

    @cached_property
    def ratings(self) -> Codes:
        """How many raters rated the items of each row."""
        return np.asarray(self.rated.sum(axis=1))

    @cached_property
    def shared(self) -> Floats:
        """The number of items that two raters rated: `[rater, rater]`."""
        return np.asarray((self.rated.T * self.items) @ self.rated)

    @cached_property
    def data(self) -> Data:
        """The rows as data, whose columns are numbered; weights that are all 1 are none."""
        codes = self.codes.T.astype(code_type(self.scale.k))
        weight = None if (self.weight == 1).all() else self.weight
        units = Units(len(self.codes), self.items.astype(np.int64), weight)
        return Data(codes, tuple(map(str, range(len(codes)))), self.scale, units)

    def with_rows(self, codes: Codes, rows: Array) -> Self:
        """Return some of the rows, with these ratings of all of them."""
        cluster = None if self.cluster is None else self.cluster[rows]
        items, weight = self.items[rows], self.weight[rows]
        return replace(self, codes=codes[rows], items=items, weight=weight, cluster=cluster)

    def item_by_item(self) -> Self:
        """Return a row for every item, so that items with the same ratings can be told apart."""
        each = np.repeat(np.arange(len(self.codes)), np.round(self.items).astype(np.intp))
        return replace(self.with_rows(self.codes, each), items=np.ones(len(each)))


def _numbered(values: Array) -> tuple[Codes, int]:
    """Return the place of every value among the different ones, and how many these are."""
    distinct, place = np.unique(values, return_inverse=True)
    return place, len(distinct)


@dataclass(frozen=True, eq=False)
class SummedPanel(Panel):
    """Rows of ratings whose sums over items are those of `RaterSums`.

    `tables` and `moments` say whether the sums have the tables of all pairs of raters, and the
    moments of raters beside the others.
    """

    tables: bool = False
    moments: bool = False

    @property
    def amounts(self) -> Floats:
        """The weight of every row, at the scale at which their sum is the effective number."""
        return self.items * self.weight * self.unit

    @cached_property
    def unit(self) -> float:
        """The unit of weights in which their sum is the effective number of items."""
        weight = self.items * self.weight
        return float(effective_scale(weight.sum(), (weight * self.weight).sum()))

    @property
    def effective(self) -> float:
        """The effective number of items, (Σw)²/Σw²."""
        return float(self.amounts.sum())

    @property
    def size(self) -> int:
        """How many numbers the sums have."""
        k, raters = len(self.values), int(self.codes.shape[1])
        pairs = raters * (raters - 1) // 2 * k * k if self.tables else 0
        return 2 * k * k + k + raters * k + 1 + pairs + (6 * raters if self.moments else 0)

    @property
    def linearisable(self) -> bool:
        """Whether the sums are small enough for derivatives by all of their numbers."""
        return self.size <= _LINEAR_NUMBERS

    def of_rows(self, codes: Codes) -> Floats:
        """Return what single items with these ratings add to the sums: `[row, number]`."""
        return row_sums(codes, self.values, tables=self.tables, moments=self.moments).flat

    def shaped(self, flat: Floats) -> RaterSums:
        """Return numbers `[B, number]` as sums."""
        return self.total.shaped(flat)

    def chunks(self) -> Iterator[slice]:
        """Divide the rows so that their sums fit into memory."""
        step = max(1, _CHUNK_NUMBERS // self.size)
        for start in range(0, len(self.codes), step):
            yield slice(start, start + step)

    @cached_property
    def total(self) -> RaterSums:
        """The sums over all items: arrays `[1, ...]`."""
        first, *others = map(self._total_of, self.chunks())
        return first.shaped(sum((part.flat for part in others), first.flat))

    def _total_of(self, part: slice) -> RaterSums:
        """Return the sums over the items of some rows."""
        codes, amounts, k = self.codes[part], self.amounts[part], len(self.values)
        profile = class_counts(codes.T, k) * 1.0
        rated = profile.sum(axis=1)
        by_pairs = amounts / np.maximum(rated - 1, 1)

        def pairs(weights: Floats) -> Floats:
            table = (profile.T * weights) @ profile
            np.fill_diagonal(table, weights @ (profile * (profile - 1)))
            return table[None]

        total = RaterSums(
            pairs(by_pairs / np.maximum(rated, 1)),
            pairs(by_pairs),
            (amounts / np.maximum(rated, 1) @ profile)[None],
            classes_by_rater(codes.T, k, amounts)[None],
            (amounts @ (codes.shape[1] - rated))[None],
        )
        if not self.tables and not self.moments:
            return total
        rows = row_sums(codes, self.values, tables=self.tables, moments=self.moments)
        sums = rows.shaped(amounts[None] @ rows.flat)
        return replace(total, tables=sums.tables, moments=sums.moments)

    def weighted(self, weights: Floats) -> Floats:
        """Return sums `[B, number]` of rows with weights `[B, row]`."""
        sums = np.zeros((len(weights), self.size))
        for part in self.chunks():
            sums += weights[:, part] @ self.of_rows(self.codes[part])
        return sums

    def without_rater(self, rater: int) -> Self:
        """Return the rows without the ratings of one rater; some may now be alike."""
        codes = np.delete(self.codes, rater, axis=1)
        return self.with_rows(codes, (codes != self.scale.k).any(axis=1))

    def grouped(self, group: Codes, groups: int) -> Floats:
        """Return the sums `[group, number]` of rows that each belong to one group."""
        order, amounts = np.argsort(group, kind="stable"), self.amounts
        total = np.zeros((groups, self.size))
        for part in self.chunks():
            some = order[part]
            present, starts = np.unique(group[some], return_index=True)
            sums = self.of_rows(self.codes[some]) * amounts[some][:, None]
            total[present] += np.add.reduceat(sums, starts, axis=0)
        return total

    def drawable(self, draws: int) -> bool:
        """Whether so many sums can be drawn in seconds."""
        return len(self.codes) <= MOST_ROWS and draws * len(self.codes) * self.size < _DRAWN_NUMBERS

    def draw(self, rng: np.random.Generator, draws: int) -> Floats:
        """Draw sums `[draw, number]` around the data and two items in random classes."""
        weights = rng.standard_gamma(self.items, size=(draws, len(self.items)))
        weights *= self.weight * self.unit
        added = rng.standard_exponential((ADDED_ITEMS, draws))
        sums = self.weighted(weights)
        for several, weight in enumerate(added):
            item = self.of_rows(self._added_items(rng, draws, several=several > 0))
            sums += item * weight[:, None]
        whole = self.effective / (weights.sum(axis=1) + added.sum(axis=0))
        return np.asarray(sums * whole[:, None])

    def _added_items(self, rng: np.random.Generator, draws: int, *, several: bool) -> Codes:
        """Draw an item for every draw: one of the data, moved to a class that items may have.

        Raters differ about it as they did, so that it says nothing about who is severe. Only one
        of them, or a random number if `several`, may give yet another class, which is half as
        likely with every step.
        """
        k = len(self.values)
        source = self._sources(rng, draws)
        rated, middle = self.rated[source], self._middles[source]
        lowest, highest = self._middles.min() - _BEYOND, self._middles.max() + _BEYOND
        centre = rng.integers(max(lowest, 0), min(highest, k - 1), size=draws, endpoint=True)
        codes = np.clip(self.codes[source] + (centre - middle)[:, None], 0, k - 1)
        shares = PER_STEP ** np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
        reached = np.cumsum(shares / shares.sum(axis=1, keepdims=True), axis=1)
        at = rng.random(codes.shape)
        moved = np.zeros_like(codes)
        for step in range(k - 1):  # class by class, as raters times classes can be many
            moved += at > reached[codes, step]
        place = np.argsort(np.argsort(np.where(rated, rng.random(codes.shape), 2.0)))
        others = np.maximum(rated.sum(axis=1) - 1, 1)
        away = 1 + (rng.random(draws) * others).astype(np.intp) if several else np.ones(draws)
        codes = np.where(place < away[:, None], moved, codes)
        return np.asarray(np.where(rated, codes, k), dtype=np.intp)

    @cached_property
    def _middles(self) -> Codes:
        """The class in the middle of the ratings of each row."""
        total = np.where(self.rated, self.codes, 0).sum(axis=1)
        return np.asarray(np.rint(total / np.maximum(self.ratings, 1)), dtype=np.intp)

    def _sources(self, rng: np.random.Generator, draws: int) -> Codes:
        """Draw rows with two ratings or more, where there are any, as often as they have items."""
        several = self.ratings > 1
        reached = np.cumsum(np.where(several if several.any() else True, self.items, 0.0))
        at = rng.random(draws) * reached[-1]
        rows = np.searchsorted(reached, at, side="right")
        return np.asarray(np.minimum(rows, len(reached) - 1), dtype=np.intp)


def rater_order(data: Data) -> list[int]:
    """Return the positions of raters in an order that depends on their ratings alone.

    They are ordered by how often they give each class; where this is equal, by what all raters
    give to the items of each of these classes; where that is equal, too, by their names. So draws
    are the same in whatever order raters are given.
    """
    k, units = data.scale.k, data.units
    weights = None if units.weight is None and units.count is None else amounts(data)
    total = float(len(data)) if weights is None else float(weights.sum())
    shares = _shares(classes_by_rater(data.codes, k, weights), total)
    times = Counter(shares)
    tied = any(times[own] > 1 for own in shares)
    profiles = class_counts(data.codes, k) * amounts(data)[:, None] if tied else np.empty((0, k))
    keys = [
        (own, _beside(codes, profiles, total) if times[own] > 1 else [], name)
        for own, codes, name in zip(shares, data.codes, data.names, strict=True)
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


def _beside(codes: Array, profiles: Floats, total: float) -> list[tuple[float, ...]]:
    """Return the shares of what all raters give to the items of each class of one rater."""
    k = profiles.shape[1]
    return _shares(np.stack([np.bincount(codes, p, k + 1)[:k] for p in profiles.T]), total)


def _shares(amounts: Floats, total: float) -> list[tuple[float, ...]]:
    """Return shares of all items without the digits that depend on the order of additions."""
    return [tuple(row) for row in np.round(amounts / total, 12).tolist()]


def row_sums(
    codes: Codes, values: Floats, *, tables: bool = False, moments: bool = False
) -> RaterSums:
    """Return what single items with these ratings add to the sums: arrays `[row, ...]`.

    With `tables` of all pairs of raters, and `moments` of raters beside the others.
    """
    raters = codes.shape[1]
    k = len(values)
    by_rater = np.eye(k + 1, k).take(codes, axis=0)  # the last row, of zeros, is that of gaps
    profile = np.einsum("nrk->nk", by_rater)  # faster than a sum along a middle axis
    rated = profile.sum(axis=1)
    pairs = profile[:, :, None] * profile[:, None, :]
    pairs[:, np.arange(k), np.arange(k)] -= profile
    several = np.maximum(rated - 1, 1)
    coincidence = pairs / several[:, None, None]
    tabled = None
    if tables:
        g, h = np.triu_indices(raters, 1)
        tabled = by_rater[:, g, :, None] * by_rater[:, h, None, :]
    return RaterSums(
        coincidence / np.maximum(rated, 1)[:, None, None],
        coincidence,
        profile / np.maximum(rated, 1)[:, None],
        by_rater,
        raters - rated,
        tabled,
        _moments(codes, values) if moments else None,
    )


def _moments(codes: Codes, values: Floats) -> Floats:
    """Return 1, x, y, x², y² and xy of every rater: x the own value, y the others' mean.

    All are 0 where the rater or all others did not rate the item: `[row, rater, 6]`. Values are
    taken from the middle of the scale, so that squares lose no digits.
    """
    centred = values - (values[0] + values[-1]) / 2
    rated = codes != len(values)
    own = values_of(codes, centred)
    others = rated.sum(axis=1, keepdims=True) - rated
    mean = (own.sum(axis=1, keepdims=True) - own) / np.maximum(others, 1)
    usable = (rated & (others > 0)).astype(np.float64)
    x, y = own * usable, mean * usable
    return np.stack([usable, x, y, x * x, y * y, x * y], axis=-1)


def draws_interval(
    panel: SummedPanel, figures: Figures, bounds: Floats, plan: Plan, level: float
) -> Interval:
    """Return intervals `[M]` of figures from sums drawn around the data.

    `bounds` are the lowest and highest possible figures, `[M, 2]`.
    """
    parts, mean = [], np.zeros((1, panel.size))
    progress = Reporter(plan, plan.replicates)
    for block in blocks_of(plan.replicates, max(len(panel.codes), panel.size)):
        drawn = panel.draw(stream(plan.seed, "panel", block.number), block.size)
        parts.append(figures(panel.shaped(drawn)))
        mean += drawn.sum(axis=0) / plan.replicates
        progress.add(block.size)
    estimate, center = (figures(sums)[:, 0] for sums in (panel.total, panel.shaped(mean)))
    limits = bounds[:, 0], bounds[:, 1]
    replicates = np.concatenate(parts, axis=1)
    return interval_of_draws(estimate, replicates, center, limits, level, panel.effective)


def linear_errors(panel: SummedPanel, figures: Figures) -> Floats:
    """Return the standard errors of linearised figures: `[M]`.

    The derivative by every number of the sums gives the influence of every row, whose standard
    deviation over items, divided by the root of their number, is the standard error.
    """
    effective, at = panel.effective, panel.total.flat[0]
    whole = panel.shaped(np.ones((1, at.size)))
    varied = np.flatnonzero(replace(whole, gaps=np.zeros(1)).flat)  # but gaps
    sizes = np.full(at.shape, effective)
    slopes = derivatives(lambda flat: figures(panel.shaped(flat)), at, sizes, varied)
    mean = slopes @ at[varied] / effective
    squares, size = np.zeros(len(mean)), panel.items * (panel.weight * panel.unit) ** 2
    for part in panel.chunks():
        influence = panel.of_rows(panel.codes[part])[:, varied] @ slopes.T - mean
        squares += size[part] @ influence**2
    n = float(panel.items.sum())
    return np.asarray(np.sqrt(squares * (n / max(n - 1, 1))))


def group_interval(
    panel: SummedPanel, figures: Figures, group: Codes, groups: int, level: float
) -> Interval:
    """Return t intervals `[M]` of figures from leaving out groups of rows, one at a time.

    `group` is the group of every row, of which there are `groups`.
    """
    sums = panel.grouped(group, groups)
    total = sums.sum(axis=0, keepdims=True)
    value = figures(panel.shaped(total))[:, 0]
    sizes = np.bincount(group, panel.amounts, groups).astype(np.float64)
    return unit_interval(value, figures(panel.shaped(total - sums)), level, sizes)
