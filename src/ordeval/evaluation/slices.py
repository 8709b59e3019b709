"""Scores, intervals and tests of slices: the parts of the data that columns divide it into."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..data.counts import Counts
from ..data.data import Data
from ..data.units import Part
from ..errors import InputError, plural
from ..measures.batches import score_counts
from ..measures.influence import influence, item_influence
from ..measures.scoring import replace_undefined, scored, unscored
from ..measures.terms import sharing
from ..notes import Note, note
from ..results import SliceIntervals, Slices
from ..stats.intervals import t_quantile
from ..stats.resample import effective_number
from ..stats.slices import Drawing, SliceTest, Spread, drawn_t
from ..types import Array, Floats
from .forecasts import of_probabilities, with_forecasts
from .intervals import make_intervals
from .sample import Notices, Sample

LEAST = 5  # items of a slice that is tested
_MOST_SCORED = 1 << 22  # tables × measures whose intervals are drawn, or that draws are scored on
_MOST_DRAWN = 1 << 23  # drawn figures of all slices under all measures
_TRIALS = (1999, 999, 499)


def slices_of(sample: Sample, data: Data) -> tuple[Slices | None, Notices]:
    """Return the slices of all columns, and what readers should know; None without columns."""
    parts = data.units.parts
    if not parts:
        return None, ()
    if data.has_topics:
        raise InputError(
            "by cannot be combined with topic: a slice has one score of its items, not a mean over "
            "topics.",
            parameter="by",
            hint="Leave {topic} out, or give the topics as {cluster}.",
            suggest={"topic": ..., "cluster": ...},
        )
    columns = [_Column(sample, data, part) for part in parts.values()]
    every = [column.figures() for column in columns]
    joined = {
        name: np.concatenate([np.asarray(each[name]) for each in every], axis=-1)
        for name in ("items", "value", "low", "high", "se", "why", "p", "candidate")
    }
    stacked = {
        name: np.stack([each[name] for each in every], axis=2)
        for name in ("gap", "alike", "worst_ends", "slope")
    }
    sizes = [len(part.names) for part in parts.values()]
    first = np.cumsum([0, *sizes])[:-1]
    worst = np.stack([each["worst"] for each in every], axis=2)
    why, blank = joined.pop("why"), np.zeros(joined["value"].shape, dtype=np.int64)
    ends = [joined.pop(name) for name in ("low", "high", "se")]
    settings, drawn = sample.settings, columns[0].drawn
    intervals = None
    if settings.draws:
        method = "t" if sample.over == "clusters" or not drawn else "dirichlet"
        how = (method, settings.ci, settings.draws, sample.over, settings.seed)
        intervals = SliceIntervals(*ends, blank, *how).doubted(why)
    slices = Slices(
        sample.scores.measures,
        sample.scores.systems,
        tuple(parts),
        tuple(part.unit for part in parts.values()),
        tuple(name for part in parts.values() for name in part.names),
        np.repeat(np.arange(len(sizes)), sizes),
        intervals=intervals,
        difference=np.concatenate([each["difference"] for each in every], axis=2),
        worst=np.where(worst < 0, -1, worst + first),
        trials=columns[0].trials,
        **joined,
        **stacked,
    )
    return slices, tuple(_notices(slices, sizes, drawn or not settings.draws))


def _notices(slices: Slices, sizes: list[int], drawn: bool) -> Iterator[Note]:
    """Say which slices are too small for tests, and how intervals of many slices are made."""
    few = int((slices.items < LEAST).sum())
    if few:
        small = plural(few, "slice has", "slices have")
        yield note("slices", f"{small} fewer than {LEAST} items and no part in tests.")
    if not drawn:
        text = "Intervals of so many slices are Student's t, from the influence of items."
        yield note("slices", text)


@dataclass(frozen=True, eq=False)
class _Column:
    """The slices of one column."""

    sample: Sample
    data: Data
    part: Part

    @cached_property
    def _sliced(self) -> Data:
        """The data with slices in place of topics."""
        units = replace(self.data.units, topic=self.part.codes, topics=self.part.names)
        return replace(self.data, units=units)

    @cached_property
    def counts(self) -> Counts:
        """Tables of systems and slices."""
        return self._sliced.counts().with_system_axis()

    @cached_property
    def rest(self) -> Counts:
        """Tables of all items but those of each slice."""

        def others(x: Any) -> Any:
            return None if x is None else x.sum(axis=1, keepdims=True) - x

        c = self.counts
        changed = {name: others(getattr(c, name)) for name in ("table", "squares", "moments")}
        return replace(c, **changed)

    @cached_property
    def items(self) -> Floats:
        """The effective number of items of every slice."""
        return np.asarray(self.counts.effective[0].sum(axis=(-2, -1)))

    @cached_property
    def shape(self) -> tuple[int, int, int]:
        """The number of measures, systems and slices."""
        return *self.sample.scores.values.shape, len(self.part.names)

    @cached_property
    def drawn(self) -> bool:
        """Whether slices have the intervals that they have alone; else there are too many."""
        return float(np.prod(self.shape)) * self.sample.settings.draws <= _MOST_SCORED

    @cached_property
    def trials(self) -> int:
        """The number of draws."""
        m, s, g = self.shape
        usual = [t for t in _TRIALS if t * m * s * g <= _MOST_DRAWN]
        return self.sample.settings.trials or (usual or _TRIALS[-1:])[0]

    def scores(self) -> tuple[Floats, Floats]:
        """Return the scores `[M, S, G]` of slices, and of all items but those of each slice."""
        measures, replaced = self.sample.scores.measures, self.sample.scores.replaced
        values, others = score_counts(measures, self.counts), score_counts(measures, self.rest)
        rows = [i for i, m in enumerate(measures) if of_probabilities(m)]
        if rows:
            values[rows] = self._forecasts(self._sliced).per_topic[rows]
            for g in range(self.shape[2]) if self.drawn else ():
                others[rows, :, g] = self._forecasts(self._alone(g, other=True)).values[rows]
        empty = ~self.rest.table.any(axis=(-2, -1))
        others = np.where(empty, np.nan, replace_undefined(others, replaced))
        return replace_undefined(values, replaced), others

    def _alone(self, g: int, *, other: bool = False) -> Data:
        """Return the data of one slice, or of all others."""
        return self.data.take((self.part.codes == g) != other)

    def _forecasts(self, data: Data) -> Any:
        counts, old = data.counts().with_system_axis(), self.sample.scores
        blank = unscored(counts, old.measures, undefined=old.replaced)
        return with_forecasts(blank, data)

    def _intervals(self, data: Data) -> Any:
        """Return the intervals of data as if they were all."""
        counts, old = data.counts().with_system_axis(), self.sample.scores
        scores = scored(unscored(counts, old.measures, undefined=old.replaced), counts)
        scores = with_forecasts(scores, data) if data.proba else scores
        settings = replace(self.sample.settings, progress=None)
        part = replace(self.sample, scores=scores, settings=settings, counts=counts, source=data)
        return make_intervals(part)[0]

    def figures(self) -> dict[str, Any]:
        """Return all figures of the column by name."""
        (m, s, g), sample = self.shape, self.sample
        values, others = self.scores()
        low, high, se, why = *np.full((3, m, s, g), np.nan), np.full((m, s, g), "", dtype=object)
        if sample.settings.draws and self.drawn:
            for i in range(g):
                found = self._intervals(self._alone(i))
                if found is not None:
                    low[..., i], high[..., i], se[..., i] = found.low, found.high, found.se
                    numbers = 0 if found.doubts is None else found.doubts
                    why[..., i] = np.array(["", *found.reasons], dtype=object)[numbers]
        tests, own_se, apart_se = self._tests(values, values - others, se)
        if sample.settings.draws and not self.drawn:
            half = t_quantile(self._df[0], sample.settings.ci) * own_se
            lowest, highest = np.moveaxis(sample.bounds, 1, 0)[..., None, None]
            low, high = (np.clip(values + e * half, lowest, highest) for e in (-1, 1))
            se = own_se
        difference = [values - others, tests.pop("low"), tests.pop("high"), apart_se]
        return {
            "items": self.items,
            "value": values,
            "low": low,
            "high": high,
            "se": se,
            "why": why,
            "difference": np.stack(difference, axis=-1),
            **tests,
        }

    @cached_property
    def _df(self) -> tuple[Floats, Floats]:
        """Degrees of freedom of the slices, and of all items but those of each slice."""
        if self.sample.over != "clusters":
            rest = self.rest.effective[0].sum(axis=(-2, -1))
            return np.maximum(self.items - 1, 1.0), np.maximum(rest - 1, 1.0)
        size = self._cluster_sizes
        rest = size.sum(axis=1, keepdims=True) - size
        return tuple(  # type: ignore[return-value]
            np.maximum(effective_number(x.sum(axis=0), (x**2).sum(axis=0)) - 1, 1.0)
            for x in (size, rest)
        )

    def _tests(
        self, values: Floats, apart: Floats, se: Floats
    ) -> tuple[dict[str, Any], Floats, Floats]:
        """Return the figures of tests by name, and the standard errors behind them."""
        sample, (m, s, g) = self.sample, self.shape
        errors, rows = np.full((2, m, s, g), np.nan), list[dict[str, Any]]()
        nothing = Spread(*np.zeros((3, g, 1)), np.ones(g))
        enough = self.items >= LEAST
        for system in range(s):
            known = dict[int, tuple[Spread, Floats | None]]()
            for some, (own, both, drawn, shared) in self._spreads(system, se[:, system]):
                errors[:, some, system] = np.where(enough, [own, both], np.nan)
                known |= {row: (drawn, i, shared) for i, row in enumerate(some)}
            for row, measure in enumerate(sample.scores.measures):
                drawn, i, shared = known.get(row, (lambda _: nothing, 0, None))
                test = SliceTest(
                    values[row, system], errors[0, row, system],
                    np.stack([apart[row, system], errors[1, row, system]]), drawn(i),
                    measure.sign, sample.bounds[row], sample.settings.ci, self.items, self._df[0],
                    self.part.places, None if shared is None else shared[i],
                )  # fmt: skip
                rows.append(test.figures())
        figures = {name: np.array([row[name] for row in rows]) for name in rows[0]}
        by_system = (np.swapaxes(x.reshape(s, m, *x.shape[1:]), 0, 1) for x in figures.values())
        return dict(zip(figures, by_system, strict=True)), *errors

    def _spreads(self, system: int, se: Floats) -> Iterator[tuple[list[int], Any]]:
        """Yield rows of measures with standard errors, those of differences, draws, covariance."""
        for rows, part in self.sample.parts if self.sample.settings.draws else ():
            if part.of_numbers and self.drawn:
                yield rows, self._by_intervals(system, rows, se[rows])
            elif not part.of_numbers and (kept := self._affordable(rows)):
                make = self._clusters if self.sample.over == "clusters" else self._items
                yield kept, make(system, kept)

    def _affordable(self, rows: list[int]) -> list[int]:
        """Return the measures whose influences on all slices are not too costly."""
        cells = int(np.count_nonzero(self.counts.table.sum(axis=(0, 1))))
        each = {row: 1 if self.sample.has_influence(row) else 3 * cells for row in rows}
        tables = 2 * self.shape[1] * self.shape[2]
        able = {n: self.sample.affordable(tables * n) for n in set(each.values())}
        return [row for row in rows if row in able[each[row]]]

    def _influences(self, rows: list[int], cells: Array, whole: Floats) -> tuple[Floats, Any]:
        """Return influences `[M, C]` of some cells on the score of all items, and of any tables.

        Under measures without a formula those of all items stand for those of any tables.
        """
        sample, scale = self.sample, self.sample.scores.scale
        measures = [sample.scores.measures[row].on(scale) for row in rows]
        whole = whole.reshape(1, scale.k, scale.k)
        psi = np.stack([influence(m, whole, scale.numbers, cells)[0] for m in measures])
        psi = np.nan_to_num(psi, posinf=0.0, neginf=0.0)
        exact = [sample.has_influence(row) for row in rows]

        def of(tables: Floats) -> Iterator[Floats]:
            dense = _dense(tables, cells, scale.k).reshape(-1, scale.k, scale.k)
            with sharing(dense):
                for m, pooled, formula in zip(measures, psi, exact, strict=True):
                    if not formula:
                        yield pooled
                        continue
                    own = item_influence(m, dense, scale.numbers).reshape(len(dense), -1)
                    yield np.nan_to_num(own[:, cells].reshape(tables.shape), posinf=0.0, neginf=0.0)

        return psi, of

    def _items(self, system: int, rows: list[int]) -> Any:
        """Return standard errors and draws over items."""
        k, settings = self.sample.scores.scale.k, self.sample.settings
        own, other = (c.effective[system].reshape(-1, k * k) for c in (self.counts, self.rest))
        whole = self.counts.pooled("topic").effective[system].ravel()
        cells = np.flatnonzero(whole)
        statistic = self.sample.statistic_of(rows)

        def score(drawn: Floats) -> Floats:
            return statistic(_dense(drawn, cells, k))

        share, influences = whole[cells] / whole.sum(), self._influences(rows, cells, whole)
        drawing = Drawing(share, *influences, score, settings.ci, settings.seed)
        tables = 2 * self.trials * len(own) * self.shape[1]
        few = tables * max(len(rows), k * k / 4) <= _MOST_SCORED
        few = few and set(rows) <= set(self.sample.affordable(tables))
        spread = (drawing.direct if few else drawing.shared)(own.sum(axis=1), self.trials)
        se, rest = (drawing.se(x[:, cells]) for x in (own, other))
        return se, np.hypot(se, rest), spread, None

    @cached_property
    def _cluster_sizes(self) -> Floats:
        """The weight of every cluster in every slice."""
        units, g = self.data.units, self.shape[2]
        assert units.cluster is not None
        key = units.cluster * g + self.part.codes
        size = np.bincount(key, self._weights, minlength=len(units.clusters) * g)
        return size.reshape(-1, g)

    @cached_property
    def _weights(self) -> Floats:
        units = self.data.units
        weight = np.ones(len(self.data)) if units.weight is None else units.weight
        return weight if units.count is None else weight * units.count

    def _clusters(self, system: int, rows: list[int]) -> Any:
        """Return standard errors, draws and covariances over clusters."""
        k, g, units = self.sample.scores.scale.k, self.shape[2], self.data.units
        assert units.cluster is not None
        size = self._cluster_sizes
        whole = size.sum(axis=0)
        cell = self.data.codes[0].astype(np.intp) * k + self.data.codes[1 + system]
        own, pooled = (
            c.table[system].reshape(-1, k * k) for c in (self.counts, self.counts.pooled("topic"))
        )
        own, total = own.reshape(g, -1), pooled.reshape(1, -1)
        cells = np.flatnonzero(total[0])
        place = np.searchsorted(cells, cell)
        of_all, influences = self._influences(rows, cells, total[0])
        of_slice = np.broadcast_to(
            list(influences(own[:, cells] + total[:, cells] / total.sum())),
            (len(rows), g, len(cells)),
        )
        key = units.cluster * g + self.part.codes
        counted = [
            np.stack([np.bincount(key, self._weights * x, minlength=size.size) for x in values])
            for values in (
                (of_slice[i][self.part.codes, place] for i in range(len(rows))),
                (of_all[i][place] for i in range(len(rows))),
            )
        ]
        added, of_rest = (x.reshape(len(rows), -1, g) for x in counted)
        rest = whole.sum() - whole
        own_part = _centred(added, size, whole)
        others = _centred(
            of_rest.sum(axis=2, keepdims=True) - of_rest,
            size.sum(axis=1, keepdims=True) - size, rest,
        )  # fmt: skip
        df, df_rest = self._df
        few = np.sqrt((df + 1) / df)
        own_part, difference = own_part * few, own_part * few - others
        se, apart = (np.sqrt((x**2).sum(axis=1)) for x in (own_part, difference))
        alone = se**2 + (others**2).sum(axis=1)
        joint = alone**2 / np.maximum(se**4 / df + (alone - se**2) ** 2 / df_rest, 1e-300)
        spread = drawn_t(
            own_part, difference, df, np.maximum(joint, 1.0), self.trials,
            self.sample.settings.ci, self.sample.settings.seed,
        )  # fmt: skip
        covariance = np.einsum("mug,muh->mgh", own_part, own_part)
        return se, apart, spread, covariance

    def _by_intervals(self, system: int, rows: list[int], se: Floats) -> Any:
        """Return standard errors of intervals, and draws of Student's t, of numbers."""
        others = [self._intervals(self._alone(g, other=True)) for g in range(self.shape[2])]
        rest = np.stack(
            [np.full(len(rows), np.nan) if x is None else x.se[rows, system] for x in others], -1
        )
        df, df_rest = self._df
        own = np.nan_to_num(se)[:, None, :] * np.eye(self.shape[2])
        share = self.items / self.items.sum()
        difference = own - np.einsum("mug->mu", own)[:, :, None] * (1 - np.eye(len(share))) * share[
            :, None
        ] / np.maximum(1 - share, 1e-300)
        apart = np.hypot(se, rest)
        joint = apart**4 / np.maximum(se**4 / df + rest**4 / df_rest, 1e-300)
        spread = drawn_t(
            own, difference, df, np.maximum(np.nan_to_num(joint, nan=1.0), 1.0), self.trials,
            self.sample.settings.ci, self.sample.settings.seed,
        )  # fmt: skip
        return se, apart, spread, None


def _centred(added: Floats, size: Floats, whole: Floats) -> Floats:
    """Return what units add to scores `[M, U, G]`, without a mean; 0 where they have no items."""
    whole = np.where(whole > 0, whole, 1.0)
    share = size / whole
    return np.asarray(added / whole - share * (added / whole).sum(axis=1, keepdims=True))


def _dense(tables: Floats, cells: Array, k: int) -> Floats:
    """Return tables `[..., K, K]` of some cells `[..., C]`."""
    whole = np.zeros((*tables.shape[:-1], k * k))
    whole[..., cells] = tables
    return whole.reshape(*tables.shape[:-1], k, k)
