"""People and models on the same items: golds, tables against them, and what an item is worth.

A *comparison* is a rater against a gold on the items that both have, and is scored through its
table. A *quantity*, such as the mean score of a model minus that of people, is a weighted sum of
the scores of comparisons. Its standard error comes from leaving out one item at a time: items of
the same cell of a table change its score alike, so that a table with K classes is scored at most K²
times, whatever the number of items. Clusters are left out as a whole, and on long scales items are
left out in random groups.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import fsum
from typing import NamedTuple, Self

import numpy as np

from ..data.column import code_type
from ..data.data import Data
from ..data.moments import SUMS, Moments, Numbers
from ..data.raters import class_counts, gaps_first, rated, values_of
from ..data.scale import Scale
from ..data.units import Units, places
from ..measures.batches import score_tables
from ..measures.spec import Measure
from ..results import Estimate
from ..stats.intervals import t_quantile
from ..stats.resample import effective_scale, stream
from ..types import Array, Bools, Codes, Floats, GoldRule, Ints

NOBODY = -1
_LONGEST = 20  # classes up to which the cells of tables are left out one by one
_MANY_NUMBERS = 1 << 22  # held at a time
_NO_SKEW = 1e-6
_MOST_GROUPS = 200  # that are left out where there are more clusters, or the scale is longer


@dataclass(frozen=True, eq=False)
class Panel:
    """The distinct rows of ratings by people and models.

    Parameters
    ----------
    codes : ndarray of int of shape (n_rows, n_raters)
        The ratings, those of the people first; K where there is none.
    people : int
        The number of people.
    scale : Scale
        The ordered classes.
    count : ndarray of shape (n_rows,)
        The number of items of each row.
    weight : ndarray of shape (n_rows,)
        The weight of one item of each row.
    unit : ndarray of int, optional
        The cluster of each row; on a long scale, the item.
    """

    codes: Codes
    people: int
    scale: Scale
    count: Floats
    weight: Floats
    unit: Codes | None = None

    @classmethod
    def of(cls, data: Data, people: int) -> Self:
        """Group the items that two or more people rated."""
        chosen, k = data.take(rated(data)[:people].sum(axis=0) >= 2), data.scale.k
        units, ones = chosen.units, np.ones(len(chosen))
        weight = ones if units.weight is None else units.weight
        count = ones if units.count is None else units.count.astype(np.float64)
        clusters, codes = units.cluster, chosen.codes.T.astype(np.intp)
        weights, heavy = np.unique(weight, return_inverse=True)
        unit = np.zeros(len(ones), np.intp) if clusters is None else clusters
        sizes = [len(weights), *[k + 1] * len(chosen.codes), int(unit.max(initial=0)) + 1]
        row, first = places([heavy, *gaps_first(chosen.codes, k), unit], sizes)
        if clusters is None and k > _LONGEST:
            order = np.argsort(row, kind="stable")
            every = np.repeat(order, count[order].astype(np.intp))
            ones, each = np.ones(len(every)), np.arange(len(every))
            return cls(codes[every], people, data.scale, ones, weight[every], each)
        return cls(
            codes[first],
            people,
            data.scale,
            np.bincount(row, count, len(first)).astype(np.float64),
            weight[first],
            None if clusters is None else np.unique(clusters[first], return_inverse=True)[1],
        )

    @property
    def data(self) -> Data:
        """The rows as data."""
        codes = self.codes.T.astype(code_type(self.scale.k))
        units = Units(len(self.codes), self.count.astype(np.int64), self.weight)
        return Data(codes, tuple(map(str, range(len(codes)))), self.scale, units)

    @property
    def models(self) -> int:
        """The number of models."""
        return int(self.codes.shape[1]) - self.people

    @cached_property
    def rated(self) -> Bools:
        """Which raters rated which rows."""
        return np.not_equal(self.codes, self.scale.k)

    @cached_property
    def profiles(self) -> Ints:
        """How many people gave each class: `[row, class]`."""
        return class_counts(self.codes[:, : self.people].T, self.scale.k)

    @property
    def items(self) -> int:
        """The number of items."""
        return int(self.count.sum())

    def without(self, person: int) -> "Panel":
        """Return the panel without a person, and without the items that one person is left with."""
        codes = np.delete(self.codes, person, axis=1)
        keep = (codes[:, : self.people - 1] != self.scale.k).sum(axis=1) >= 2
        return replace(
            self,
            codes=codes[keep],
            people=self.people - 1,
            count=self.count[keep],
            weight=self.weight[keep],
            unit=None if self.unit is None else self.unit[keep],
        )

    def units_of(self, rows: Bools) -> int:
        """Return the number of items, or clusters, among some rows."""
        if self.unit is not None:
            return len(np.unique(self.unit[rows]))
        return int(self.count[rows].sum())


class Reference(NamedTuple):
    """Where gold comes from: another rater, or what people other than one make together.

    `left_out` is the person whose place is at stake, and `source` the rater who is gold;
    either may be `NOBODY`.
    """

    left_out: int
    source: int


class Comparison(NamedTuple):
    """A rater against a gold, on the items that a further rater rated, too, if there is one."""

    reference: Reference
    rater: int
    within: int = NOBODY


class Golds:
    """The golds of a panel.

    Parameters
    ----------
    panel : Panel
        The ratings.
    rule : {"majority", "median", "mean", "soft", "each"}
        How people other than one make gold together.
    """

    def __init__(self, panel: Panel, rule: GoldRule) -> None:
        self.panel, self.rule = panel, rule
        self.ties = 0
        self.made = 0
        self._codes: dict[int, Codes] = {}
        self._patterns: dict[int, tuple[Codes, Floats]] = {}

    def references(self) -> list[Reference]:
        """Return the golds against which a person is scored, person by person."""
        people = range(self.panel.people)
        if self.rule == "each":
            return [Reference(j, k) for j in people for k in people if j != k]
        return [Reference(j, NOBODY) for j in people]

    def is_soft(self, reference: Reference) -> bool:
        """Whether gold is a distribution."""
        return self.rule == "soft" and reference.source == NOBODY

    def is_number(self, reference: Reference) -> bool:
        """Whether gold is a real number, for measures that can use one."""
        return self.rule == "mean" and reference.source == NOBODY

    def others(self, person: int) -> Ints:
        """Return how many people other than one gave each class: `[row, class]`."""
        found = self.panel.profiles.copy()
        rows = np.flatnonzero(self.panel.rated[:, person])
        found[rows, self.panel.codes[rows, person]] -= 1
        return found

    def codes(self, reference: Reference) -> Codes:
        """Return the gold class of each row, K where there is none."""
        if reference.source != NOBODY:
            return self.panel.codes[:, reference.source]
        person = reference.left_out
        if person not in self._codes:
            others = self.others(person)
            made, tied = _MAKERS[self.rule](others, self.panel.scale)
            gold = np.where(others.any(axis=1), made, self.panel.scale.k)
            asked = self.panel.rated[:, person] & others.any(axis=1)
            self.made += int(self.panel.count[asked].sum())
            self.ties += int(self.panel.count[asked & tied].sum())
            self._codes[person] = gold
        return self._codes[person]

    def patterns(self, reference: Reference) -> tuple[Codes, Floats]:
        """Return the distribution that is gold of each row, as a place among the different ones."""
        person = reference.left_out
        if person not in self._patterns:
            others = self.others(person)
            _, first, code = np.unique(
                _packed(others, self.panel.people), axis=0, return_index=True, return_inverse=True
            )
            total = np.maximum(others.sum(axis=1, keepdims=True), 1)
            self._patterns[person] = (code.ravel(), (others / total)[first])
        return self._patterns[person]

    def numbers(self, reference: Reference) -> Floats:
        """Return the mean class value of the people who are gold, NaN without."""
        others = self.others(reference.left_out)
        total = others.sum(axis=1)
        sums = others @ self.panel.scale.numbers
        return np.asarray(np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0))

    def rows(self, comparison: Comparison) -> Bools:
        """Return the rows that a comparison is made on."""
        reference, rater, within = comparison
        found = self.panel.rated[:, rater] & (self.codes(reference) != self.panel.scale.k)
        for other in (reference.left_out, within):
            if other != NOBODY:
                found = found & self.panel.rated[:, other]
        return np.asarray(found)


def _packed(others: Ints, people: int) -> Array:
    """Return a number for every row of counts where one can hold it, else the row."""
    k = others.shape[1]
    if (people + 1) ** k >= 2**62:
        return others
    return np.asarray(others @ (people + 1) ** np.arange(k, dtype=np.int64))


def _majority(others: Ints, scale: Scale) -> tuple[Codes, Bools]:
    """Return the most frequent class; of tied ones the median, the lower of two."""
    tied = others == others.max(axis=1, keepdims=True)
    number = tied.sum(axis=1)
    middle = (number + 1) // 2
    place = (tied.cumsum(axis=1) >= middle[:, None]).argmax(axis=1)
    return place.astype(np.intp), number > 1


def _median(others: Ints, scale: Scale) -> tuple[Codes, Bools]:
    """Return the median class, the lower one of two."""
    reached, total = 2 * others.cumsum(axis=1), others.sum(axis=1, keepdims=True)
    low, high = (reached >= total).argmax(axis=1), (reached > total).argmax(axis=1)
    return low.astype(np.intp), low != high


def _nearest(others: Ints, scale: Scale) -> tuple[Codes, Bools]:
    """Return the class nearest to the mean of the class values, the higher one of two."""
    numbers = scale.numbers
    mean = (others @ numbers) / np.maximum(others.sum(axis=1), 1)
    middles = np.array([(a + b) / 2 for a, b in pairwise(numbers)])
    return np.searchsorted(middles, mean, side="right"), np.isin(mean, middles)


_MAKERS = {"majority": _majority, "median": _median, "mean": _nearest, "soft": _majority}


@dataclass(frozen=True, eq=False)
class Quantity:
    """A weighted sum of the scores of comparisons.

    Parameters
    ----------
    terms : mapping of int to float
        The weights by the position of the comparison.
    raters : tuple of int
        Those whose common items are the sample; all items without.
    """

    terms: Mapping[int, float]
    raters: tuple[int, ...] = ()


class Scored:
    """Scores of comparisons, and how they change when items are left out.

    Parameters
    ----------
    golds : Golds
        The golds of a panel.
    comparisons : sequence of Comparison
        What is scored.
    measures : sequence of Measure
        The measures.
    seed : int
        The seed of random groups.
    changes : bool
        Whether to leave items out.
    """

    def __init__(
        self,
        golds: Golds,
        comparisons: Sequence[Comparison],
        measures: Sequence[Measure],
        *,
        seed: int = 0,
        changes: bool = True,
    ) -> None:
        self.golds, self.panel, self.comparisons = golds, golds.panel, tuple(comparisons)
        self.measures, self._seed = tuple(measures), seed
        shape = (len(self.measures), len(self.comparisons))
        self.values = np.full(shape, np.nan)
        self.slip = np.zeros(shape)
        self.class_items = np.zeros((len(self.comparisons), self.panel.scale.k))
        self._changes: list[list[Floats]] = [[] for _ in self.measures]
        for place in range(len(self.comparisons)):
            self._score(place, changes)

    @cached_property
    def by_group(self) -> bool:
        """Whether groups of items are left out, not items."""
        return self.panel.unit is not None

    @cached_property
    def _group(self) -> Codes:
        """The group of each row that is left out together."""
        unit = self.panel.unit
        assert unit is not None
        units = int(unit.max(initial=-1)) + 1
        places = np.arange(units)
        if units > _MOST_GROUPS:
            places = stream(self._seed, "groups").permutation(units) % _MOST_GROUPS
        return np.asarray(places[unit])

    @property
    def _groups(self) -> int:
        return int(self._group.max(initial=-1)) + 1

    @cached_property
    def _mass(self) -> Floats:
        return self.panel.count * self.panel.weight

    def _cells(self, place: int) -> tuple[Codes, Floats | None]:
        """Return where each row counts, and the distributions over gold classes if gold is soft.

        A place is K times the gold class, or that of the distribution, plus the rating. It is
        beyond all others for rows that do not count.
        """
        comparison, k = self.comparisons[place], self.panel.scale.k
        rows = self.golds.rows(comparison)
        rating = self.panel.codes[:, comparison.rater]
        if self.golds.is_soft(comparison.reference):
            gold, shares = self.golds.patterns(comparison.reference)
            return np.where(rows, gold * k + rating, len(shares) * k), shares
        gold = self.golds.codes(comparison.reference)
        return np.where(rows, gold * k + rating, k * k), None

    def _score(self, place: int, changes: bool) -> None:
        """Score a comparison and leave items out."""
        cells, shares = self._cells(place)
        k = self.panel.scale.k
        size = k * k if shares is None else len(shares) * k
        spread = np.eye(k) if shares is None else shares
        mass = np.bincount(cells, self._mass, size + 1)[:-1].reshape(-1, k)
        table: Floats = np.asarray(spread.T @ mass)
        self.class_items[place] = table.sum(axis=1)
        if not table.any():
            for found in self._changes:
                found.append(np.zeros(self._groups if self.by_group else size + 1))
            return
        scale = self._to_items(place)
        batch = [table[None]]
        typical = np.ones_like(table)
        if changes:
            number = np.bincount(cells, self.panel.count, size + 1)[:-1].reshape(-1, k)
            np.divide(table, (spread > 0).T @ number, out=typical, where=table > 0)
            batch += [self._slips(table, scale), self._without(cells, spread, table, typical)]
        tables = np.concatenate(batch) * scale
        scores = score_tables(self.measures, np.maximum(tables, 0.0), self.panel.scale)
        self.values[:, place] = scores[:, 0]
        if changes:
            self.slip[:, place] = np.nan_to_num(scores[:, 1] - scores[:, 2])
            for found, row in zip(self._changes, scores, strict=True):
                found.append(self._change(row, spread, table, typical))
        if self.golds.is_number(self.comparisons[place].reference):
            self._score_numbers(place, changes)

    def _to_items(self, place: int) -> float:
        """Return the scale at which the total of a table is the effective number of items."""
        rows = self.golds.rows(self.comparisons[place])
        count, weight = self.panel.count[rows], self.panel.weight[rows]
        return float(effective_scale(count @ weight, count @ (weight * weight)))

    def _slips(self, table: Floats, scale: float) -> Floats:
        """Return the table with one more item: in its class, and a class beside it."""
        k = len(table)
        gold = table.sum(axis=1)
        share = gold / gold.sum() / scale
        beside = np.zeros((k, k))
        for g in range(k):
            near = [p for p in (g - 1, g + 1) if 0 <= p < k]
            beside[g, near or [g]] = share[g] / max(len(near), 1)
        return np.asarray(table + np.stack([np.diag(share), beside]))

    def _without(self, cells: Codes, spread: Floats, table: Floats, typical: Floats) -> Floats:
        """Return the tables without an item of each occupied cell, or without each group."""
        k = len(table)
        if self.by_group:
            width = len(spread) * k + 1
            groups = np.bincount(cells + width * self._group, self._mass, width * self._groups)
            parts = groups.reshape(-1, width)[:, :-1].reshape(-1, len(spread), k)
            return np.asarray(table - spread.T @ parts)
        gold, rating = np.nonzero(table)
        found = np.repeat(table[None], len(gold), axis=0)
        found[np.arange(len(gold)), gold, rating] -= typical[gold, rating]
        return found

    def _change(self, scores: Floats, spread: Floats, table: Floats, typical: Floats) -> Floats:
        """Return by how much the score falls without a group, or per mass at each place."""
        fall = np.nan_to_num(scores[0] - scores[3:])
        if self.by_group:
            return np.asarray(fall)
        found = np.zeros_like(table)
        found[np.nonzero(table)] = fall
        return np.append((spread @ (found / typical)).ravel(), 0.0)

    def _score_numbers(self, place: int, changes: bool) -> None:
        """Replace the scores of measures that can use real-valued gold."""
        raw = [i for i, m in enumerate(self.measures) if m.raw is not None]
        if not raw:
            return
        comparison, numbers = self.comparisons[place], self.panel.scale.numbers
        rows = self.golds.rows(comparison)
        gold = np.where(rows, self.golds.numbers(comparison.reference), 0.0)
        rating = np.where(rows, values_of(self.panel.codes[:, comparison.rater], numbers), 0.0)
        centre = float(numbers.mean())
        moments = Numbers((gold, rating), centre, weight=self.panel.weight)
        each = moments.each(slice(None))[0] * rows
        total = (each * self.panel.count).sum(axis=1)
        batch = [total[None]]
        if changes:
            batch.append(total - self._moment_units(each))
        sums = np.concatenate(batch)
        for i in raw:
            score = self.measures[i].raw
            assert score is not None
            found = score(Moments.of(sums, centre))
            self.values[i, place] = found[0]
            if changes:
                self._changes[i][-1] = np.nan_to_num(found[0] - found[1:])

    def _moment_units(self, each: Floats) -> Floats:
        """Return the sums `[unit, 9]` that are left out: of each group, or of one item per row."""
        if not self.by_group:
            return each.T
        groups = [np.bincount(self._group, row * self.panel.count, self._groups) for row in each]
        assert len(groups) == len(SUMS)
        return np.stack(groups, axis=1)

    def value(self, measure: int, quantity: Quantity) -> float:
        """Return a quantity under a measure; NaN without a term."""
        if not quantity.terms:
            return float("nan")
        return fsum(w * float(self.values[measure, i]) for i, w in quantity.terms.items())

    def variances(self, quantities: Sequence[Sequence[Quantity]]) -> tuple[Floats, Floats, Ints]:
        """Return variances and third moments `[measure, quantity]`, and the units behind each.

        `quantities` has the same ones for every measure, with other weights where scores are
        undefined.
        """
        from scipy.sparse import csr_array

        shape = (len(self.measures), len(quantities[0]))
        weights = np.zeros((*shape, len(self.comparisons)))
        for of_measure, row in zip(weights, quantities, strict=True):
            for weight, quantity in zip(of_measure, row, strict=True):
                weight[list(quantity.terms)] = list(quantity.terms.values())
        sums, squares, cubes = np.zeros(shape), np.zeros(shape), np.zeros(shape)
        sparse = [csr_array(of_measure) for of_measure in weights]
        for changes, count in self._unit_changes():
            for i, of_measure in enumerate(sparse):
                found = of_measure @ changes[i]
                sums[i] += found @ count
                squares[i] += (found * found) @ count
                cubes[i] += (found * found * found) @ count
        units = np.array([self._units(q) for q in quantities[0]], dtype=np.int64)
        size = np.maximum(units, 1)
        slips = np.einsum("mqc,mc->mq", np.maximum(weights, 0.0), np.abs(self.slip))
        spread = np.maximum(squares - sums * sums / size, 0.0) * (size - 1) / size
        mean = sums / size
        third = cubes - 3 * mean * squares + 2 * size * mean**3
        return spread + slips**2, third, units

    def _unit_changes(self) -> Iterator[tuple[Floats, Floats]]:
        """Return changes `[measure, comparison, unit]` and numbers of units, some at a time."""
        if self.by_group:
            yield np.array(self._changes), np.ones(self._groups)
            return
        rows = len(self.panel.codes)
        step = max(64, _MANY_NUMBERS // (len(self.measures) * max(len(self.comparisons), 1)))
        found = [self._cells(place)[0].astype(np.int32) for place in range(len(self.comparisons))]
        for start in range(0, rows, step):
            part = slice(start, start + step)
            changes = np.empty((*self.values.shape, len(self.panel.count[part])))
            for place, cells in enumerate(found):
                for measure in range(len(self.measures)):
                    changes[measure, place] = self._looked_up(measure, place, cells[part], part)
            yield changes, self.panel.count[part]

    def _looked_up(self, measure: int, place: int, cells: Array, part: slice) -> Floats:
        """Return by how much a score falls without one item of some rows."""
        change, reference = self._changes[measure][place], self.comparisons[place].reference
        if self.golds.is_number(reference) and self.measures[measure].raw is not None:
            return change[part]
        return np.asarray(change[cells] * self.panel.weight[part])

    def _rows(self, quantity: Quantity) -> Bools:
        found = np.ones(len(self.panel.codes), dtype=bool)
        for rater in quantity.raters:
            found &= self.panel.rated[:, rater]
        return found

    def _units(self, quantity: Quantity) -> int:
        rows = self._rows(quantity)
        return len(np.unique(self._group[rows])) if self.by_group else self.panel.units_of(rows)


def t_interval(
    value: float,
    variance: float,
    degrees: float,
    level: float,
    *,
    third: float = 0.0,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    doubt: str = "",
) -> Estimate:
    """Return a figure with its t interval, cut at the bounds of the figure.

    `third` is the third moment of the units' pulls: if few items pull far to one side, the standard
    error is small when they are missing, and a symmetric interval would miss to that side. The
    quantiles are transformed as by Hall (1992), On the removal of skewness by transformation.
    """
    if np.isnan(value) or np.isnan(variance) or degrees < 1:
        return Estimate(value, doubt=doubt)
    se = float(np.sqrt(variance))
    t = float(t_quantile(degrees, level))
    skew = third / se**3 if se > 0 else 0.0
    low, high = (value - se * _unskewed(end, skew) for end in (t, -t))
    low, high = max(low, bounds[0]), min(high, bounds[1])
    return Estimate(value, min(low, value), max(high, value), se, doubt)


def _unskewed(t: float, skew: float) -> float:
    """Return the quantile of a studentised mean whose sum has this skewness."""
    if abs(skew) < _NO_SKEW:
        return t
    return float(3 / skew * (np.cbrt(1 + skew * (t - skew / 6)) - 1))
