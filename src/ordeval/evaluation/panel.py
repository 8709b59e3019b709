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
from math import fsum, nan
from typing import NamedTuple, Self

import numpy as np

from ..data.data import Data
from ..data.moments import Moments, Numbers
from ..data.raters import class_counts, values_of
from ..data.scale import Scale
from ..measures.batches import score_tables
from ..measures.spec import Measure
from ..results import Estimate
from ..stats.intervals import t_quantile, unskewed
from ..stats.panels import Panel
from ..stats.resample import effective_scale, stream
from ..types import Array, Bools, Codes, Floats, GoldRule, Ints

NOBODY = -1
_LONGEST = 20  # classes up to which the cells of tables are left out one by one
_MANY_NUMBERS = 1 << 22  # held at a time
_MOST_GROUPS = 200  # that are left out where there are more clusters, or the scale is longer


@dataclass(frozen=True, eq=False)
class PeoplePanel(Panel):
    """The rows of ratings by people, who come first, and by models.

    On a long scale every item is a cluster of its own.
    """

    people: int = 0

    @classmethod
    def of_people(cls, data: Data, people: int) -> Self:
        """Group items that two or more people rated."""
        panel = cls.of(data, clusters=True, by_weight=True, people=people)
        if panel.cluster is not None:  # numbered without those that are not in the data
            return replace(panel, cluster=np.unique(panel.cluster, return_inverse=True)[1])
        if data.scale.k <= _LONGEST:
            return panel
        panel = panel.item_by_item()
        return replace(panel, cluster=np.arange(len(panel.codes)))

    @property
    def item_count(self) -> int:
        """The number of items."""
        return int(self.items.sum())

    @cached_property
    def profiles(self) -> Ints:
        """How many people gave each class: `[row, class]`."""
        return class_counts(self.codes[:, : self.people].T, self.scale.k)

    def without(self, person: int) -> Self:
        """Return the panel without a person, and without the items that one person is left with."""
        codes = np.delete(self.codes, person, axis=1)
        keep = (codes[:, : self.people - 1] != self.scale.k).sum(axis=1) >= 2
        return replace(self.with_rows(codes, keep), people=self.people - 1)

    def units_of(self, rows: Bools) -> int:
        """Return the number of items, or clusters, among some rows."""
        if self.cluster is not None:
            return len(np.unique(self.cluster[rows]))
        return int(self.items[rows].sum())


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
    """The golds of a panel, by a rule how people other than one make gold together."""

    def __init__(self, panel: PeoplePanel, rule: GoldRule) -> None:
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
        profiles = self.panel.profiles.copy()
        rows = np.flatnonzero(self.panel.rated[:, person])
        profiles[rows, self.panel.codes[rows, person]] -= 1
        return profiles

    def codes(self, reference: Reference) -> Codes:
        """Return the gold class of each row, K where there is none."""
        if reference.source != NOBODY:
            return self.panel.codes[:, reference.source]
        person = reference.left_out
        if person not in self._codes:
            others = self.others(person)
            gold, tied = _MAKERS[self.rule](others, self.panel.scale)
            known = others.any(axis=1)
            asked = self.panel.rated[:, person] & known
            self.made += int(self.panel.items[asked].sum())
            self.ties += int(self.panel.items[asked & tied].sum())
            self._codes[person] = np.where(known, gold, self.panel.scale.k)
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
        """Return the mean class value of the people who are gold, 0 without any."""
        others = self.others(reference.left_out)
        return np.asarray(others @ self.panel.values / np.maximum(others.sum(axis=1), 1))

    def rows(self, comparison: Comparison) -> Bools:
        """Return the rows that a comparison is made on."""
        reference, rater, within = comparison
        rows = self.panel.rated[:, rater] & (self.codes(reference) != self.panel.scale.k)
        for other in (reference.left_out, within):
            if other != NOBODY:
                rows = rows & self.panel.rated[:, other]
        return np.asarray(rows)


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


class Quantity(NamedTuple):
    """A weighted sum of the scores of comparisons.

    `terms` are the weights by the position of the comparison; `raters` are those whose common items
    are the sample, which are all items without any.
    """

    terms: Mapping[int, float]
    raters: tuple[int, ...] = ()


class Scored:
    """Scores of comparisons, and with `changes` how they change when items are left out."""

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
        self.measures, shape = tuple(measures), (len(measures), len(comparisons))
        self.values, self.slip = np.full(shape, np.nan), np.zeros(shape)
        self.class_items = np.zeros((len(comparisons), self.panel.scale.k))
        self._group = _left_out_together(self.panel.cluster, seed)
        self._groups = 0 if self._group is None else int(self._group.max(initial=-1)) + 1
        self._mass = self.panel.items * self.panel.weight
        self._changes: list[list[Floats]] = [[] for _ in self.measures]
        for place in range(len(self.comparisons)):
            self._score(place, changes)

    def _cells(self, place: int) -> tuple[Codes, Floats]:
        """Return where each row counts, and the distributions over gold classes.

        A place is K times the position of the distribution plus the rating. It is beyond all others
        for rows that do not count.
        """
        comparison, k = self.comparisons[place], self.panel.scale.k
        gold, shares = self.golds.codes(comparison.reference), np.eye(k)
        if self.golds.is_soft(comparison.reference):
            gold, shares = self.golds.patterns(comparison.reference)
        cells = gold * k + self.panel.codes[:, comparison.rater]
        return np.where(self.golds.rows(comparison), cells, len(shares) * k), shares

    def _score(self, place: int, changes: bool) -> None:
        """Score a comparison and leave items out."""
        cells, shares = self._cells(place)
        k, size = self.panel.scale.k, shares.size
        mass = np.bincount(cells, self._mass, size + 1)[:-1].reshape(-1, k)
        table: Floats = np.asarray(shares.T @ mass)
        self.class_items[place] = table.sum(axis=1)
        if not table.any():
            for of_measure in self._changes:
                of_measure.append(np.zeros(size + 1 if self._group is None else self._groups))
            return
        rows = self.golds.rows(self.comparisons[place])
        count, weight = self.panel.items[rows], self.panel.weight[rows]
        scale = float(effective_scale(count @ weight, count @ (weight * weight)))
        batch, typical = [table[None]], np.ones_like(table)
        if changes:
            number = np.bincount(cells, self.panel.items, size + 1)[:-1].reshape(-1, k)
            np.divide(table, (shares > 0).T @ number, out=typical, where=table > 0)
            batch += [_slips(table, scale), self._without(cells, shares, table, typical)]
        tables = np.maximum(np.concatenate(batch) * scale, 0.0)
        scores = score_tables(self.measures, tables, self.panel.scale)
        self.values[:, place] = scores[:, 0]
        if changes:
            self.slip[:, place] = np.nan_to_num(scores[:, 1] - scores[:, 2])
            for of_measure, row in zip(self._changes, scores, strict=True):
                of_measure.append(self._change(row, shares, table, typical))
        if self.golds.is_number(self.comparisons[place].reference):
            self._score_numbers(place, changes)

    def _without(self, cells: Codes, shares: Floats, table: Floats, typical: Floats) -> Floats:
        """Return the tables without an item of each occupied cell, or without each group."""
        if self._group is not None:
            width = shares.size + 1
            groups = np.bincount(cells + width * self._group, self._mass, width * self._groups)
            parts = groups.reshape(-1, width)[:, :-1].reshape(-1, *shares.shape)
            return np.asarray(table - shares.T @ parts)
        gold, rating = np.nonzero(table)
        tables = np.repeat(table[None], len(gold), axis=0)
        tables[np.arange(len(gold)), gold, rating] -= typical[gold, rating]
        return tables

    def _change(self, scores: Floats, shares: Floats, table: Floats, typical: Floats) -> Floats:
        """Return by how much the score falls without a group, or per mass at each place."""
        fall = np.nan_to_num(scores[0] - scores[3:])
        if self._group is not None:
            return np.asarray(fall)
        by_cell = np.zeros_like(table)
        by_cell[np.nonzero(table)] = fall
        return np.append((shares @ (by_cell / typical)).ravel(), 0.0)

    def _score_numbers(self, place: int, changes: bool) -> None:
        """Replace the scores of measures that can use real-valued gold."""
        comparison, numbers = self.comparisons[place], self.panel.values
        rows, centre = self.golds.rows(comparison), float(numbers.mean())
        gold = np.where(rows, self.golds.numbers(comparison.reference), 0.0)
        rating = np.where(rows, values_of(self.panel.codes[:, comparison.rater], numbers), 0.0)
        each = Numbers((gold, rating), centre, weight=self.panel.weight).each(slice(None))[0] * rows
        all_items = each * self.panel.items
        units = each.T  # the sums that are left out: of an item of each row, or of each group
        if self._group is not None:
            sums = [np.bincount(self._group, row, self._groups) for row in all_items]
            units = np.stack(sums, axis=1)
        total = all_items.sum(axis=1)
        moments = Moments.of(np.concatenate([total[None], total - units]), centre)
        for i, measure in enumerate(self.measures):
            if measure.raw is not None:
                scores = measure.raw(moments)
                self.values[i, place] = scores[0]
                if changes:
                    self._changes[i][-1] = np.nan_to_num(scores[0] - scores[1:])

    def value(self, measure: int, quantity: Quantity) -> float:
        """Return a quantity under a measure; NaN without a term."""
        if not quantity.terms:
            return nan
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
        sums, squares, cubes = np.zeros((3, *shape))
        sparse = [csr_array(of_measure) for of_measure in weights]
        for changes, count in self._unit_changes():
            for i, of_measure in enumerate(sparse):
                pull = of_measure @ changes[i]
                sums[i] += pull @ count
                squares[i] += (pull * pull) @ count
                cubes[i] += (pull * pull * pull) @ count
        units = np.array([self._units(q) for q in quantities[0]], dtype=np.int64)
        size = np.maximum(units, 1)
        slips = np.einsum("mqc,mc->mq", np.maximum(weights, 0.0), np.abs(self.slip))
        spread = np.maximum(squares - sums * sums / size, 0.0) * (size - 1) / size
        mean = sums / size
        third = cubes - 3 * mean * squares + 2 * size * mean**3
        return spread + slips**2, third, units

    def _unit_changes(self) -> Iterator[tuple[Floats, Floats]]:
        """Return changes `[measure, comparison, unit]` and numbers of units, some at a time."""
        if self._group is not None:
            yield np.array(self._changes), np.ones(self._groups)
            return
        step = max(64, _MANY_NUMBERS // max(self.values.size, len(self.measures)))
        cells = [self._cells(place)[0].astype(np.int32) for place in range(len(self.comparisons))]
        for start in range(0, len(self.panel.codes), step):
            part = slice(start, start + step)
            count, weight = self.panel.items[part], self.panel.weight[part]
            changes = np.empty((*self.values.shape, len(count)))
            for place, comparison in enumerate(self.comparisons):
                by_row = self.golds.is_number(comparison.reference)
                for i, measure in enumerate(self.measures):
                    change = self._changes[i][place]
                    of_cells = not by_row or measure.raw is None
                    where = cells[place][part] if of_cells else part
                    changes[i, place] = change[where] * (weight if of_cells else 1.0)
            yield changes, count

    def _units(self, quantity: Quantity) -> int:
        """Return the number of items, or of groups, that all raters of a quantity rated."""
        rows = np.asarray(self.panel.rated[:, list(quantity.raters)].all(axis=1))
        if self._group is not None:
            return len(np.unique(self._group[rows]))
        return int(self.panel.items[rows].sum())


def _left_out_together(cluster: Codes | None, seed: int) -> Codes | None:
    """Return the group of each row that is left out together: its cluster, or some of many."""
    if cluster is None:
        return None
    clusters = int(cluster.max(initial=-1)) + 1
    if clusters <= _MOST_GROUPS:
        return cluster
    return np.asarray((stream(seed, "groups").permutation(clusters) % _MOST_GROUPS)[cluster])


def _slips(table: Floats, scale: float) -> Floats:
    """Return the table with one more item: in its class, and a class beside it."""
    k, gold = len(table), table.sum(axis=1)
    share = gold / gold.sum() / scale
    beside = np.zeros((k, k))
    for g in range(k):
        near = [p for p in (g - 1, g + 1) if 0 <= p < k]
        beside[g, near or [g]] = share[g] / max(len(near), 1)
    return np.asarray(table + np.stack([np.diag(share), beside]))


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
    error is small when they are missing, and a symmetric interval would miss to that side.
    """
    if np.isnan(value) or np.isnan(variance) or degrees < 1:
        return Estimate(value, doubt=doubt)
    se = float(np.sqrt(variance))
    t = float(t_quantile(degrees, level))
    skew = third / se**3 if se > 0 else 0.0
    low, high = (value - se * float(unskewed(end, skew)) for end in (t, -t))
    low, high = max(low, bounds[0]), min(high, bounds[1])
    return Estimate(value, min(low, value), max(high, value), se, doubt)
