"""Scores, intervals and tests of slices: the parts of the data that columns divide it into."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..data.counts import Counts
from ..data.data import Data
from ..data.units import Part
from ..errors import InputError, plural
from ..measures.batches import score_counts
from ..measures.influence import influence, item_influence
from ..measures.probabilities import MEANS
from ..measures.scoring import replace_undefined, scored, unscored
from ..measures.spec import Measure
from ..measures.terms import sharing
from ..notes import note, warning
from ..results import Slices
from ..results.result import numbered_reasons
from ..stats.intervals import t_quantile
from ..stats.resample import effective_number
from ..stats.slice_pairs import PairFigures, SliceUnits, slice_pairs
from ..stats.slices import Drawing, SliceTest, Spreads, drawn_t, error_factors, unit_error_factors
from ..stats.table_intervals import ADDED_ITEMS
from ..types import Array, Floats, Ints
from .forecasts import item_scores, of_probabilities, row_order, with_forecasts
from .intervals import make_intervals
from .sample import MOST_LABELS, MOST_NUMBERS, Notices, Sample

LEAST = 5  # items of a slice that is tested
_MOST_ALONE = 200  # slices whose intervals are those that they have alone
_MOST_SCORED = 1 << 22  # tables × measures whose intervals are drawn, or that draws are scored on
_MOST_DRAWN = 1 << 23  # drawn figures of all slices under all measures
_MOST_OWN = 1 << 25  # tables × measures, where every slice is drawn with its own classes
_MOST_PAIRED = 1 << 14  # pairs of systems × slices
_MOST_PRODUCTS = 1 << 38  # of pairs with pairs, on all rows and draws under all measures
_MOST_SIGNED = 1 << 25  # the same, × measures × draws
_MOST_MOVED = 1 << 27  # numbers in tables with an item moved, for influences without a formula
_AT_ONCE = 1 << 22  # numbers in such tables of several slices
_ROUNDING = 1e-12  # of sums of weights
_NO_SPREAD = 1e-10  # of the range of scores; smaller standard errors are rounding errors
_MOST_ITEMS = 1 << 24  # of the rest of all slices together, whose probabilities are scored
# Measures whose tests keep their level in small slices: of probabilities these, of raw numbers all
# but one (docs/slices.md).
_FAIR, _UNFAIR = (*MEANS, "rps_skill", "somers_d", "concordance"), ("pearson",)
_OF_SHARES = ("agreement", "correlation", "closeness")  # families that depend on shares of classes
_SHARES_DIFFER, _SHARES_MOVED = 0.01, 0.05  # p of a difference, and how much of a share it moves
_TRIALS = (1999, 999, 499)


def slices_of(sample: Sample, data: Data, *, compared: bool) -> tuple[Slices, Notices]:
    """Return the slices of all columns, and what readers should know."""
    if data.has_topics:
        message = "by cannot be combined with topic: slices have no means over topics."
        hint = "Leave {topic} out, or give the topics as {cluster}."
        raise InputError(message, parameter="by", hint=hint, suggest={"topic": ..., "cluster": ...})
    names, parts = tuple(data.units.parts), data.units.parts.values()
    columns = [_Column(sample, data, part) for part in parts]
    figures, why, overall = zip(*(column.figures() for column in columns), strict=True)
    sizes = [len(part.names) for part in parts]
    whole = np.stack(overall, axis=2)
    whole[..., 4] += np.where(whole[..., 4] < 0, 0, np.cumsum([0, *sizes])[:-1])
    pairs, notes = np.empty((2, 0), int), Notices()
    if compared:
        pairs, notes = _pairs(sample, sum(sizes), len(data) * len(sizes))
    scores = (of_column[..., 0] for of_column in figures)
    paired = [c.paired(pairs, own) for c, own in zip(columns, scores, strict=True)]
    firsts, seconds = (tuple(sample.scores.systems[i] for i in places) for places in pairs)
    slices = Slices(
        sample.scores.measures,
        sample.scores.systems,
        names,
        tuple(part.unit for part in parts),
        tuple(name for part in parts for name in part.names),
        np.repeat(np.arange(len(sizes)), sizes),
        np.concatenate([column.items for column in columns]),
        np.concatenate(figures, axis=2),
        *numbered_reasons(np.concatenate(why, axis=2)),
        whole,
        columns[0].trials,
        firsts,
        seconds,
        np.concatenate(paired, axis=2),
    )
    small = int((slices.items < LEAST).sum())
    if small:
        few = plural(small, "slice has", "slices have")
        notes += (note("slices", f"{few} fewer than {LEAST} items and no part in tests."),)
    if not all(column.drawn for column in columns):
        notes += (note("slices", "Intervals of so many slices are t, from influences of items."),)
    tested = slices.figures[:, :, slices.items >= LEAST]
    differ = [any(len(np.unique(row)) > 1 for row in np.round(x, 12)) for x in tested[..., 0]]
    some = zip(slices.measures, np.isnan(tested[..., 8]), differ, strict=True)
    bare = [m.label for m, untested, apart in some if untested.all() and apart]
    if bare and sample.settings.draws:
        notes += (
            note("slices", f"Slices under {', '.join(bare)} are not compared with the rest."),
        )
    return slices, notes + _other_shares(slices, columns, sample.settings.alpha)


def _other_shares(slices: Slices, columns: Sequence["_Column"], alpha: float) -> Notices:
    """Warn of findings under measures of association where slices have other shares of classes."""
    of_shares = [i for i, m in enumerate(slices.measures) if m.record.family in _OF_SHARES]
    labels, names = dict[str, None](), dict[str, None]()
    for j, column in enumerate(columns):
        each = slices.figures[of_shares][:, :, slices.column == j, 8]
        p = np.concatenate([each, slices.overall[of_shares, :, j][..., [3, 10]]], axis=-1)
        found = (p < alpha).any(axis=(1, 2))
        if found.any() and column.gold_differs:
            labels |= {slices.measures[of_shares[i]].label: None for i in np.flatnonzero(found)}
            names[slices.columns[j]] = None
    if not names:
        return ()
    depend = "depends" if len(labels) == 1 else "depend"
    return (
        warning(
            "slices",
            f"Slices of {', '.join(names)} have other shares of classes, on which "
            f"{', '.join(labels)} {depend}: compare with MAE.",
        ),
    )


def _pairs(sample: Sample, slices: int, rows: int) -> tuple[Ints, Notices]:
    """Return the pairs `[2, P]` that are compared on slices: the better system first.

    Another one that all are compared with comes second.
    """
    names, pairs, settings = sample.scores.systems, sample.pairs, sample.settings
    products = len(pairs) ** 2 * len(sample.scores.measures) * (rows + slices * _TRIALS[-1])
    many = len(pairs) * slices > _MOST_PAIRED or products > _MOST_PRODUCTS
    if many or not settings.draws:
        some = (
            "name fewer slices" if settings.against else "name a system to compare with (against)"
        )
        text = f"there are {len(pairs):,} pairs on {slices:,} slices; {some}."
        few = (note("slices", f"Systems are not compared on slices: {text}"),)
        return np.empty((2, 0), int), few if settings.draws else Notices()
    ranked = sample.scores.ranking(sample.scores.measures[sample.first])
    order = [*(name for name in ranked if name != settings.against), settings.against]
    place = [order.index(name) for name in names]
    better_first = [sorted(pair, key=place.__getitem__) for pair in pairs]
    return np.array(better_first, np.intp).reshape(-1, 2).T, ()


_Tested = tuple[list[int], Floats, Floats, Spreads, Floats | None]
"""Rows of measures, standard errors `[M, G]` of slices and of differences, draws, covariances."""


@dataclass(frozen=True, eq=False)
class _Column:
    """The slices of one column."""

    sample: Sample
    data: Data
    part: Part

    @cached_property
    def _divided(self) -> Data:
        """The data with slices in the place of topics."""
        units = replace(self.data.units, topic=self.part.codes, topics=self.part.names)
        return replace(self.data, units=units)

    @cached_property
    def counts(self) -> Counts:
        """Tables of systems and slices."""
        return self._divided.counts().with_system_axis()

    @cached_property
    def rest(self) -> Counts:
        """Tables of all items but those of each slice."""

        def others(x: Any) -> Any:
            left, whole = x.sum(axis=1, keepdims=True) - x, np.abs(x).sum(axis=1, keepdims=True)
            return np.where(np.abs(left) > _ROUNDING * whole, left, 0.0)

        held = {n: getattr(self.counts, n) for n in ("table", "squares", "moments")}
        return replace(self.counts, **{n: others(x) for n, x in held.items() if x is not None})

    @cached_property
    def items(self) -> Floats:
        """The effective number of items of every slice."""
        return np.asarray(self.counts.effective[0].sum(axis=(-2, -1)))

    @property
    def gold_differs(self) -> bool:
        """Whether the shares of the gold classes of the slices differ much and significantly."""
        from scipy.stats import chi2_contingency  # slow to import

        gold = self.counts.effective[0].sum(axis=-1)[self.items >= LEAST]
        gold = gold[:, gold.any(axis=0)]
        shares, whole = gold / gold.sum(axis=1, keepdims=True), gold.sum(axis=0) / gold.sum()
        moved = np.abs(shares - whole).sum(axis=1).max(initial=0) / 2
        return bool(moved >= _SHARES_MOVED and chi2_contingency(gold).pvalue < _SHARES_DIFFER)

    @property
    def shape(self) -> tuple[int, int, int]:
        """The number of measures, systems and slices."""
        return *self.sample.scores.values.shape, len(self.part.names)

    @property
    def drawn(self) -> bool:
        """Whether slices have the intervals that they have alone; else there are too many."""
        few = self.shape[2] <= _MOST_ALONE
        return few and float(np.prod(self.shape)) * self.sample.settings.draws <= _MOST_SCORED

    @property
    def trials(self) -> int:
        """The number of draws."""
        most = _MOST_SCORED // 2 if self.shape[2] <= _MOST_ALONE else _MOST_DRAWN
        usual = [t for t in _TRIALS if t * np.prod(self.shape) <= most]
        return self.sample.settings.trials or (usual or _TRIALS[-1:])[0]

    @cached_property
    def _direct(self) -> set[int]:
        """The rows of measures under which every slice is drawn with its own classes."""
        m, s, g = self.shape
        tables = 2 * self.trials * s * g
        few = g <= _MOST_ALONE and tables * max(m, self.sample.scores.scale.k**2 / 4) <= _MOST_OWN
        return {*self.sample.affordable(tables)} if few else set()

    def _alone(self, rows: Array) -> Sample:
        """Return the sample of some rows alone."""
        data, old = self.data.take(rows), self.sample.scores
        counts = data.counts().with_system_axis()
        scores = scored(unscored(counts, old.measures, undefined=old.replaced), counts)
        scores = with_forecasts(scores, data) if data.proba else scores
        settings = replace(self.sample.settings, progress=None)
        return replace(self.sample, scores=scores, settings=settings, counts=counts, source=data)

    @cached_property
    def _rows(self) -> list[Array]:
        """The rows of every slice, those of numbers in an order of their own."""
        codes, numbers = self.part.codes, self.data.numbers(MOST_NUMBERS)
        order = np.arange(len(codes)) if numbers is None else numbers.order()
        order = row_order(self.data) if numbers is None and self.data.proba else order
        order = order[np.argsort(codes[order], kind="stable")]
        return np.split(order, np.cumsum(np.bincount(codes))[:-1])

    def _of_proba(self, measure: Measure, parts: Iterable[Array]) -> Floats:
        """Return scores `[S, G]` of the probabilities of some rows."""
        data, systems = self.data, range(self.shape[1])
        return np.array([[item_scores(measure, data, i, x)[1] for i in systems] for x in parts]).T

    def figures(self) -> tuple[Floats, Array, Floats]:
        """Return figures `[M, S, G, 10]`, doubts `[M, S, G]`, and those of the column."""
        sample, (m, s, g) = self.sample, self.shape
        own, why = np.full((m, s, g, 4), np.nan), np.full((m, s, g), "", dtype=object)
        both = [score_counts(sample.scores.measures, c) for c in (self.counts, self.rest)]
        for i, measure in enumerate(sample.scores.measures):
            if of_probabilities(measure):
                rest_rows = (np.flatnonzero(self.part.codes != j) for j in range(g))
                few = measure.id in _FAIR and 1 < g <= _MOST_ITEMS / len(self.data)
                both[0][i] = self._of_proba(measure, self._rows)
                both[1][i] = self._of_proba(measure, rest_rows) if few else np.nan
        own[..., 0], rest = (replace_undefined(x, sample.scores.replaced) for x in both)
        for i, one in enumerate(map(self._alone, self._rows)) if self.drawn else ():
            if (found := make_intervals(one)[0]) is not None:
                own[:, :, i, 1:] = np.stack([found.low, found.high, found.se], axis=-1)
                numbers = 0 if found.doubts is None else found.doubts
                why[..., i] = np.array(["", *found.reasons], dtype=object)[numbers]
        rest[:, :, self.items >= self.items.sum() * (1 - _ROUNDING)] = np.nan
        tested = [self._tested(i, own[:, i, :, 0], rest[:, i]) for i in range(s)]
        slices, overall = (np.stack(x, axis=1) for x in zip(*tested, strict=True))
        if not self.drawn:
            half = t_quantile(self._df, sample.settings.ci) * slices[..., 0]
            lowest, highest = sample.bounds.T[..., None, None]
            low = np.fmin(np.maximum(own[..., 0] - half, lowest), own[..., 0])
            high = np.fmax(np.minimum(own[..., 0] + half, highest), own[..., 0])
            own[..., 1:] = np.stack([low, high, slices[..., 0]], axis=-1)
            gold = self.counts.effective[0].sum(axis=-1)
            for reasons, measure in zip(why, sample.scores.measures, strict=True):
                reasons[:] = [measure.interval_doubt(items) for items in gold]
        return np.concatenate([own, slices[..., 1:]], axis=-1), why, overall

    def _tested(self, system: int, own: Floats, rest: Floats) -> tuple[Floats, Floats]:
        """Return the figures of the tests of one system: those of slices, and of the column.

        The first ones are the standard error of the score, the difference from the rest with its
        interval and standard error, p, and whether the slice may be the worst one.
        """
        sample, (m, _, g) = self.sample, self.shape
        slices, overall = np.full((m, g, 7), np.nan), np.full((m, 11), np.nan)
        slices[..., 1], overall[:, 4] = own - np.where(np.isfinite(rest), rest, np.nan), -1
        for rows, *errors, drawn, covariance in self._groups(system):
            slices[rows, :, 0] = errors[0]
            known = (self.items >= LEAST) & ~np.isnan(errors[1])
            width = np.ptp(sample.bounds[rows], axis=1, keepdims=True)
            least = _NO_SPREAD * np.where(np.isfinite(width), width, np.abs(own[rows]))
            se, apart = (np.where(known, np.where(x < least, 0.0, x), np.nan) for x in errors)
            for i, row in enumerate(rows):
                shared = None if covariance is None else covariance[i]
                test = SliceTest(
                    own[row], slices[row, :, 1], se[i], apart[i], drawn(i),
                    sample.scores.measures[row].sign, sample.bounds[row], sample.settings.ci,
                    self.items, self._df, self.part.places, shared,
                )  # fmt: skip
                slices[row, :, 2:], overall[row] = test.figures()
        return slices, overall

    def _groups(self, system: int) -> Iterator[_Tested]:
        """Yield measures that are tested in the same way."""
        known = np.isfinite(self.sample.scores.values[:, system])
        make = self._clusters if self.sample.over == "clusters" else self._items
        for rows, of_numbers in self._testable if self.sample.settings.draws else ():
            if of_numbers:
                yield from (self._of_numbers(system, row) for row in rows if known[row])
            else:
                for kind in sorted({self._kind(row) for row in rows}):
                    yield make(system, [row for row in rows if self._kind(row) == kind])

    def _kind(self, row: int) -> tuple[bool, bool]:
        """Whether every slice is drawn on its own, and with as many items of each class as it has.

        Scores of these measures do not depend on how frequent the classes are, but much on a class
        that a slice has by chance only.
        """
        own = self.sample.over == "items" and row in self._direct
        return own, own and self.sample.scores.measures[row].record.items_per_class > 0

    @cached_property
    def _able(self) -> list[int]:
        """The rows of measures that are not too costly."""
        cells = int(np.count_nonzero(self.counts.table.any(axis=(0, 1))))
        return self.sample.affordable(2 * self.shape[1] * self.shape[2] + 3 * cells)

    @cached_property
    def _testable(self) -> list[tuple[list[int], bool]]:
        """The rows of measures that are tested, and whether these are of numbers."""
        names, raw = [m.id for m in self.sample.scores.measures], bool(self.sample.scores.raw)
        fair = {i for i, n in enumerate(names) if n in _FAIR or (raw and n not in _UNFAIR)}
        parts = []
        for rows, part in self.sample.parts:
            known = part.of_forecasts or not part.of_numbers or part.numbers is not None
            tested = (fair if part.of_numbers else {*self._able}) if known else set[int]()
            parts.append(([row for row in rows if row in tested], part.of_numbers))
        return [(rows, of_numbers) for rows, of_numbers in parts if rows]

    @cached_property
    def _df(self) -> Floats:
        """Degrees of freedom of slices."""
        number = self.items
        if self.sample.over == "clusters":
            size = self._by_cluster(self._pairs[1][0].sum(axis=-1))
            number = effective_number(size.sum(axis=0), (size**2).sum(axis=0))
        return np.maximum(number - 1, 1.0)

    def _influences(self, rows: list[int], cells: Array, whole: Floats) -> tuple[Floats, Any]:
        """Return influences `[M, C]` of some cells on the score of all items, and of any tables.

        Under measures without a formula those of all items stand for those of any tables.
        """
        sample, scale = self.sample, self.sample.scores.scale
        measures = [sample.scores.measures[row].on(scale) for row in rows]
        exact = [sample.has_influence(row) for row in rows]
        table, values = whole.reshape(1, scale.k, scale.k), scale.numbers
        psi = np.stack([influence(m, table, values, cells)[0] for m in measures])
        psi = np.nan_to_num(psi, posinf=0.0, neginf=0.0)

        def of(tables: Floats) -> Iterator[Floats]:
            dense = _dense(tables, cells, scale.k).reshape(-1, scale.k, scale.k)
            with sharing(dense):
                for m, pooled, formula in zip(measures, psi, exact, strict=True):
                    if formula:
                        own = item_influence(m, dense, values).reshape(*tables.shape[:-1], -1)
                        yield np.nan_to_num(own[..., cells], posinf=0.0, neginf=0.0)
                    else:
                        yield np.broadcast_to(pooled, tables.shape)

        return psi, of

    def _items(self, system: int, rows: list[int]) -> _Tested:
        """Return tests over items."""
        k, settings = self.sample.scores.scale.k, self.sample.settings
        own, other = (c.effective[system].reshape(-1, k * k) for c in (self.counts, self.rest))
        whole = self.counts.pooled("topic").effective[system].ravel()
        cells, statistic = np.flatnonzero(whole), self.sample.statistic_of(rows)

        def score(drawn: Floats) -> Floats:
            return statistic(_dense(drawn, cells, k))

        share, influences = whole[cells] / whole.sum(), self._influences(rows, cells, whole)
        drawing = Drawing(share, *influences, score, settings.ci, settings.seed)
        (direct, of_class), gold = self._kind(rows[0]), own.reshape(len(own), k, k).sum(axis=-1)
        own, other = own[:, cells], other[:, cells]
        size, same = np.maximum(own.sum(axis=1), 1.0), cells[:, None] // k == cells // k
        if direct:
            added = 0.0 if of_class else ADDED_ITEMS * share
            expected = (own + added) @ same * share / (share @ same)
            expected *= (size / np.maximum(expected.sum(axis=1), _ROUNDING))[:, None]
            groups = np.unique(same, axis=0) if of_class else np.ones((1, len(cells)), bool)
            drawn = drawing.direct(expected, map(np.flatnonzero, groups), self.trials)
        else:
            drawn = drawing.shared(size, self.trials)
        se, rest = (drawing.se(x) for x in (own, other))
        apart = np.hypot(se, rest)
        for row, of_row in () if direct else zip(rows, apart, strict=True):
            # Shared draws have the classes of all items, not the few that a slice may have.
            doubt = self.sample.scores.measures[row].interval_doubt
            of_row[[bool(doubt(items)) for items in gold]] = np.nan
        return rows, se, apart, drawn, None

    @cached_property
    def _pairs(self) -> tuple[Array, Floats]:
        """Clusters and slices with items in common, as a number, and tables `[S, pair, K * K]`."""
        units = self.data.units
        assert units.cluster is not None
        keys, place = np.unique(
            units.cluster * self.shape[2] + self.part.codes, return_inverse=True
        )
        units = replace(units, topic=place, topics=tuple(map(str, keys)))
        table = replace(self.data, units=units).counts().with_system_axis().table
        return keys, table.reshape(*table.shape[:2], -1)

    def _by_cluster(self, amounts: Floats) -> Floats:
        """Return amounts `[..., U, G]` by cluster and slice."""
        units, g = len(self.data.units.clusters), self.shape[2]
        whole = np.zeros((*amounts.shape[:-1], units * g))
        whole[..., self._pairs[0]] = amounts
        return whole.reshape(*amounts.shape[:-1], units, g)

    def _clusters(self, system: int, rows: list[int]) -> _Tested:
        """Return tests over clusters, which may be in several slices.

        What a cluster adds to all other items is taken from its influence on the score of all.
        """
        keys, tables = self._pairs
        code, total = keys % self.shape[2], tables[system].sum(axis=0)
        cells = np.flatnonzero(total)
        psi, influences = self._influences(rows, cells, total)
        table, share = tables[system][:, cells], total[cells] / total.sum()
        own = np.stack([np.bincount(code, x, self.shape[2]) for x in table.T], axis=1)
        own += share * total.sum() / self.items.sum()  # an item of the usual weight
        added = np.stack([(x[code] * table).sum(axis=1) for x in influences(own)])
        amounts = map(self._by_cluster, (added, psi @ table.T, table.sum(axis=1)))
        return self._over_clusters(rows, *amounts)

    def _over_clusters(self, rows: list[int], own: Floats, pooled: Floats, size: Floats) -> _Tested:
        """Return tests from sums of influences `[M, U, G]` on slices and on all, and of weights.

        Slices whose clusters are all alike have at least the spread of two clusters of all.
        """
        whole = [x.sum(axis=-1, keepdims=True) - x for x in (pooled, size)]
        (mine, share), (rest, other) = _centred(own, size), _centred(*whole)
        number = 1 / np.maximum((share**2).sum(axis=0), _ROUNDING)
        typical = (pooled**2).sum(axis=(1, 2)) / (size**2).sum()
        least = typical[:, None] * ADDED_ITEMS / (number + ADDED_ITEMS) / number
        more = np.sqrt(np.maximum(least - (mine**2).sum(axis=1), 0.0))
        more[:, number < 1 + _ROUNDING] = np.nan  # one cluster, whose spread is unknown
        mine = np.concatenate([mine, more[:, None] * np.eye(self.shape[2])], axis=1)
        rest = np.concatenate([rest, np.zeros((len(rest), *(2 * self.shape[2:])))], axis=1)
        seed = self.sample.settings.seed
        off = (unit_error_factors(x, self.trials, seed) for x in (share, other))
        return self._drawn_t(rows, mine, rest, np.einsum("mug,muh->mgh", mine, mine), *off)

    def _drawn_t(
        self, rows: list[int], mine: Floats, rest: Floats, shared: Any, off: Floats, other: Floats
    ) -> _Tested:
        """Return tests from what units `[M, U, G]` add to scores and to those of the rest."""
        settings = self.sample.settings
        se, both = (np.sqrt((x**2).sum(axis=1)) for x in (mine, mine - rest))
        reach = np.asarray(t_quantile(self._df, settings.ci))
        return rows, se, both, drawn_t(mine, rest, off, other, reach, settings.seed), shared

    def _influence(self, system: int, row: int, rows: Array) -> Floats:
        """Return the influence of rows on their score under a measure of numbers; 0 without one."""
        measure, numbers = self.sample.scores.measures[row], self.data.numbers(MOST_NUMBERS)
        if of_probabilities(measure) or numbers is None:
            added, score = item_scores(measure, self.data, system, rows)
            return np.asarray(added - score if np.isfinite(score) else np.zeros(len(rows)))
        pair = replace(numbers, columns=(numbers.columns[0], numbers.columns[1 + system]))
        one = replace(self.sample, scores=self.sample.scores.only([row]))
        return np.asarray(one.number_influences(pair.take(rows))[0, 0])

    def _of_numbers(self, system: int, row: int) -> _Tested:
        """Return tests under a measure of numbers or probabilities."""
        units, rows, g = self.data.units, np.concatenate(self._rows), self.shape[2]
        code, ones = self.part.codes[rows], np.ones(len(rows))
        weight, count = (ones if x is None else 1.0 * x[rows] for x in (units.weight, units.count))
        own = np.concatenate([self._influence(system, row, x) for x in self._rows])
        own, pooled = weight * own, weight * self._influence(system, row, rows)

        def sums(place: Array, *amounts: Floats) -> Iterator[Floats]:
            places = g * (1 + place.max() // g)
            return (np.asarray(np.bincount(place, count * x, places), float) for x in amounts)

        if self.sample.over == "clusters" and units.cluster is not None:
            by_pair = sums(units.cluster[rows] * g + code, own, pooled, weight)
            mine, whole, size = (x.reshape(1, -1, g) for x in by_pair)
            return self._over_clusters([row], mine, whole, size[0])
        every = sums(code, pooled, weight, own**2, pooled**2, pooled * weight, weight**2)
        df = np.maximum(np.stack([self.items, self.items.sum() - self.items]) - 1, 1.0)
        off = error_factors(df.ravel(), self.trials, self.sample.settings.seed)
        return self._drawn_t([row], *self._of_items(*every), None, *np.split(off, 2))

    def _of_items(self, total: Floats, size: Floats, *squares: Floats) -> tuple[Floats, Floats]:
        """Return what the items of each slice, as one unit, add to scores and those of the rest.

        `total` and `size` are sums by slice of influences on all items and of weights, `squares` of
        squared influences on the slice and on all items, of products of the latter with weights,
        and of squared weights. Items of all slices are added to each slice, as in `Drawing`.
        """
        n, rest = np.maximum(self.items, 1.0), np.maximum(size.sum() - size, _ROUNDING)
        size, share = np.maximum(size, _ROUNDING), ADDED_ITEMS / (n + ADDED_ITEMS)
        far, mean = total / size, (total.sum() - total) / rest  # from the score of all items
        spread = squares[1].sum() / size.sum() ** 2 * n.sum() + far**2
        added = (share * spread - (share * far) ** 2) / n * size**2
        own, pooled, both, weight = (1 - share) * (1 + 1 / self._df) * np.array(squares)
        others = pooled + added - 2 * np.outer(mean, both) + np.outer(mean**2, weight)
        other = np.sqrt(np.maximum(others, 0)).T / rest
        np.fill_diagonal(other, 0.0)
        return np.diag(np.sqrt(own + added) / size)[None], other[None]

    # Pairs of systems.

    def paired(self, pairs: Ints, own: Floats) -> Floats:
        """Return figures `[M, P, G, 5]` of pairs of systems, which have scores `own` on slices."""
        sample, (m, _, g), p = self.sample, self.shape, pairs.shape[1]
        figures = np.full((m, p, g, 5), np.nan)
        scores = np.where(self.items >= LEAST, own, np.nan)
        usual = [t for t in _TRIALS if t * m * p * g <= _MOST_SIGNED]
        trials = sample.settings.trials or (usual or _TRIALS[-1:])[0]
        few = sample.scores.scale.k**4 * (self.shape[1] + p) * g <= _MOST_MOVED
        for rows, of_numbers in self._testable if p else ():
            if of_numbers:
                units = [self._number_units(rows, pairs, scores, i) for i in range(g)]
            else:
                measures = sample.scores.measures
                rows = [row for row in rows if few or measures[row].record.influence]
                units = list(self._class_units(rows, pairs, scores)) if rows else []
            if units:
                widths, how = np.ptp(sample.bounds[rows], axis=1), sample.settings
                figures[rows] = slice_pairs(units, widths, trials, how.ci, how.seed)
        figures[..., 0] = own[:, pairs[0]] - own[:, pairs[1]]
        return figures

    def _units(self, figures: Iterable[PairFigures], at: Any) -> SliceUnits:
        """Return units of rows from what their items add to differences."""
        weight = np.ones(len(at.count)) if at.weight is None else 1.0 * at.weight
        share = weight / np.maximum((at.count * weight).sum(), _ROUNDING)
        clusters = at.cluster if self.sample.over == "clusters" else None
        return SliceUnits(figures, share, at.count, clusters)

    def _class_units(self, rows: list[int], pairs: Ints, scores: Floats) -> Iterator[SliceUnits]:
        """Yield the units of slices under measures of classes, rows of equal labels together."""
        k, every = self.sample.scores.scale.k, self._divided.rows(MOST_LABELS)
        if every is None:
            return
        every, influences = every.in_order_of_tables(k), self.sample.statistic_of(rows).influences
        cells, (a, b) = every.cells(k, by_topic=False), pairs
        systems, g = self.shape[1:]
        ends = np.searchsorted(np.asarray(every.topic), np.arange(g + 1)).tolist()
        step = max(1, _AT_ONCE // (k**4 * (systems + pairs.shape[1])))

        @lru_cache(maxsize=1)
        def of_block(block: int) -> tuple[list[Floats], list[Floats]]:
            """Return the influences of all pairs, and of systems, on a block of slices."""
            tables = self.counts.effective[:, block * step : (block + 1) * step]
            return list(influences((tables[a] + tables[b]) / 2)), list(influences(tables))

        def figures(i: int, first: Array, second: Array) -> Iterator[PairFigures]:
            for m, of_pairs, of_systems in zip(rows, *of_block(i // step), strict=True):
                mean, own = of_pairs[:, i % step], of_systems[:, i % step]
                changes = _at(mean, first) - _at(mean, second)
                influence = _at(own[a], first) - _at(own[b], second)
                yield PairFigures(scores[m, a, i] - scores[m, b, i], changes, influence)

        for i, (start, stop) in enumerate(pairwise(ends)):
            some = cells[:, start:stop]
            yield self._units(figures(i, some[a], some[b]), every.take(np.arange(start, stop)))

    def _number_units(self, rows: list[int], pairs: Ints, scores: Floats, i: int) -> SliceUnits:
        """Return the units of a slice under measures of numbers or probabilities."""
        at, systems, (a, b) = self._rows[i], range(self.shape[1]), pairs

        def figures() -> Iterator[PairFigures]:
            for m in rows:
                own = np.stack([self._influence(s, m, at) for s in systems])
                difference, influence = scores[m, a, i] - scores[m, b, i], own[a] - own[b]
                yield PairFigures(difference, influence + difference[:, None], influence)

        units = self.data.units.take(at)
        count = np.ones(len(at), np.int64) if units.count is None else units.count
        return self._units(figures(), replace(units, count=count))


def _at(influences: Floats, cells: Array) -> Floats:
    """Return the influences `[n, r]` of rows in some cells, from those of tables `[n, K, K]`."""
    flat = influences.reshape(len(influences), -1)
    return np.asarray(flat[np.arange(len(flat))[:, None], cells])


def _centred(added: Floats, size: Floats) -> tuple[Floats, Floats]:
    """Return what units add to scores `[M, U, G]` by the jackknife, and shares `[U, G]` of units.

    `added` are sums of influences, `size` those of weights.
    """
    whole = np.maximum(size.sum(axis=0), _ROUNDING)
    each, share = added / whole, size / whole
    left = np.maximum(1 - share, _ROUNDING) / np.sqrt(
        np.maximum(1 - (share**2).sum(axis=0), _ROUNDING)
    )
    return (each - share * each.sum(axis=1, keepdims=True)) / left, share


def _dense(tables: Floats, cells: Array, k: int) -> Floats:
    """Return tables `[..., K, K]` of some cells `[..., C]`."""
    whole = np.zeros((*tables.shape[:-1], k * k))
    whole[..., cells] = tables
    return whole.reshape(*tables.shape[:-1], k, k)
