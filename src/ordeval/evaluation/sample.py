"""Settings, scores, and what scores can be recomputed from: the basis of intervals and tests."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from ..data.counts import Counts
from ..data.data import Data
from ..data.moments import SUMS, Moments, Numbers
from ..data.source import Source
from ..data.units import Rows
from ..errors import InputError, plural
from ..limits import check_memory
from ..measures.batches import score_tables
from ..measures.influence import derivatives, item_influence
from ..measures.scoring import (
    Scores,
    left_out_notices,
    replace_undefined,
    too_costly,
)
from ..measures.terms import Cells, Places, sharing, worth_listing
from ..notes import Note, note, warning
from ..stats.max_t import TOPIC_TRIALS, usual_trials
from ..stats.resample import Plan, as_seed, effective_scale, stream
from ..stats.unit_tables import UnitTables
from ..types import RNG, Codes, Family, Floats, Ints, Method, Over, Progress
from .forecasts import of_probabilities
from .forecasts import unit_scores as forecast_units

Notices = tuple[Note, ...]
MOST_LABELS = 10**8  # labels of distinct rows that are held in memory, two bytes each
MOST_NUMBERS = 5 * 10**7  # numbers of items that are held in memory, eight bytes each
_MOST_UNITS = 2**14  # more items than this are dealt into so many groups at random
_MOST_GROUPS = 2**10  # the same, of intervals from drawn sums
_ARRAYS_OF_PAIRS = 8  # of all systems by all systems that are held at a time
_MANY_NUMBERS = 2 * 10**8  # seconds of work on one core
_MOST_THREADS = 8

OnSums = Callable[[Floats], Floats]
"""Maps sums `[..., 9]` to scores `[M, ...]`, NaN where undefined."""


CORE_MEASURES = (
    "kappa(weights='linear')",
    "kappa(weights='quadratic')",
    "alpha(level='ordinal')",
    "cem",
    "kendall_b",
    "mae",
    "macro_mae",
    "accuracy",
    "macro_f1",
)


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made; see `ordeval.options`."""

    ci: float = 0.95
    draws: int = 2000
    method: Method = "auto"
    over: Over | None = None
    trials: int | None = None
    rng: RNG = 0
    progress: Progress | None = None
    against: str | None = None
    margin: float | None = None
    family: Family = "pairs"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", as_seed(self.rng))

    @property
    def alpha(self) -> float:
        """The level below which a difference is called significant."""
        return round(1 - self.ci, 12)

    @property
    def about(self) -> dict[str, Any]:
        """The settings that differ from the defaults, for the call that repeats a result."""
        usual = Settings()
        names = (f.name for f in fields(self) if f.name != "progress")
        return {n: getattr(self, n) for n in names if getattr(self, n) != getattr(usual, n)}

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return as_seed(self.rng)

    def plan(self, replicates: int, *, quiet: bool = False, numbers: float = 0) -> Plan:
        """Return a plan of so many replicates or trials; a quiet one reports no progress.

        `numbers` are those in all tables, which decide on the threads.
        """
        progress = None if quiet else self.progress
        known = hasattr(os, "sched_getaffinity")
        cores = len(os.sched_getaffinity(0)) if known else os.cpu_count() or 1
        threads = min(cores, _MOST_THREADS) if numbers > _MANY_NUMBERS else 1
        return Plan(replicates, self.seed, threads=threads, progress=progress)

    def unit(self, topics: int, *, clusters: bool = False) -> Over:
        """Return what is resampled and exchanged, given how many topics there are."""
        needs = "cluster" if self.over == "clusters" else "topic"
        enough = clusters if needs == "cluster" else topics > 1
        if self.over not in (None, "items") and not enough:
            raise InputError(
                f"over is {self.over!r}, which needs two or more {needs}s.",
                parameter="over",
                hint=f"Give them with {{{needs}}}, or leave {{over}} out.",
                suggest={needs: ..., "over": ...},
            )
        if self.over is not None:
            return self.over
        return "clusters" if clusters else "topics" if topics > 1 else "items"


@dataclass(frozen=True)
class Sample:
    """Scores, and what they can be recomputed from.

    `counts` are tables with the axes (system, topic); None for distributions and numbers, which
    have scores per unit only. `named` says whether the measures were asked for by name, so that
    costly ones are resampled too, and `first` is the row of the primary one, which is always
    tested. `moved` are differences `[measure, system, system]` to test in place of those of the
    tables, such as those that a judge corrected, in units of their standard errors.
    """

    scores: Scores
    settings: Settings
    counts: Counts | None = None
    source: Source | None = None
    named: bool = False
    first: int = 0
    moved: Floats | None = None

    def check_pairs(self) -> None:
        """Refuse a comparison whose figures would take more memory than there is."""
        systems, measures = len(self.scores.systems), len(self.scores.measures)
        check_memory(
            "Figures of all pairs",
            8.0 * _ARRAYS_OF_PAIRS * measures * systems**2,
            f"{systems:,}² pairs × {plural(measures, 'measure')} × {_ARRAYS_OF_PAIRS} figures",
            parameter="measures",
            hint="Name fewer measures with {measures}, or compare fewer systems.",
            suggest={"measures": str(self.scores.measures[0])},
        )

    @cached_property
    def over(self) -> Over:
        """What is resampled."""
        clusters = self.source is not None and self.source.has_clusters
        return self.settings.unit(len(self.scores.topics), clusters=clusters)

    @property
    def exchanged(self) -> Over:
        """What systems exchange in tests: topics where both topics and items are resampled."""
        return "topics" if self.over == "both" else self.over

    @cached_property
    def parts(self) -> list[tuple[list[int], "Sample"]]:
        """The rows of the measures of classes and those of numbers, each with a sample."""
        measures = self.scores.measures
        raw = [i for i, m in enumerate(measures) if self.scores.is_raw(m)]
        proba = [i for i, m in enumerate(measures) if of_probabilities(m)]
        rest = [i for i in range(len(measures)) if i not in (*raw, *proba)]
        first = rest.index(self.first) if self.first in rest else 0
        classes = replace(self, scores=self.scores.only(rest), first=first)
        numbers = [
            (rows, replace(self, scores=self.scores.only(rows), counts=None, first=0))
            for rows in (raw, proba)
        ]
        parts = [(rest, classes if raw or proba else self), *numbers]
        return [(rows, part) for rows, part in parts if rows]

    @property
    def of_numbers(self) -> bool:
        """Whether all measures use numbers or probabilities rather than classes."""
        return (self.scores.raw or self.of_forecasts) and self.counts is None

    @property
    def of_forecasts(self) -> bool:
        """Whether all measures use probabilities."""
        return self.counts is None and all(map(of_probabilities, self.scores.measures))

    @property
    def item_counts(self) -> Counts | None:
        """Tables of the items, those of the most probable classes included."""
        if self.of_forecasts and self.source is not None:
            return self.source.counts().with_system_axis()
        return self.counts

    @cached_property
    def by_topic(self) -> bool:
        """Whether units are topics, or whole clusters of topics, whose scores are averaged."""
        whole = self.exchanged == "topics" or self.topic_clusters is not None
        return self.topic_scores is not None and whole

    @cached_property
    def by_unit(self) -> Floats | None:
        """Scores `[measure, system, unit]` whose means are those of the systems; None for tables.

        They are the scores of topics or, under measures of numbers, what units add to a score.
        """
        if self.by_topic:
            return self.topic_scores
        return self.unit_scores if self.of_numbers else None

    @cached_property
    def unit_scores(self) -> Floats | None:
        """Scores `[measure, system, unit]` under measures of numbers; None without numbers."""
        if self.of_forecasts and isinstance(self.source, Data):
            units = self.source.units
            group = {"topics": units.topic, "clusters": units.cluster}.get(self.exchanged)
            return forecast_units(self.source, self.scores, group, self.averaged, _MOST_UNITS)
        if self.numbers is None:
            return None
        numbers = self.numbers.in_order()
        unit = {"topics": numbers.topic, "clusters": numbers.cluster}.get(self.exchanged)
        topics = len(self.scores.topics) if self.averaged else 1
        skip = self.scores.replaced == "skip"
        return _unit_scores(numbers, self.score_sums, self.scores.values, unit, topics, skip)

    @cached_property
    def numbers(self) -> Numbers | None:
        """The numbers of every item; None if they are unknown, or too many."""
        numbers = None if self.source is None else self.source.numbers(MOST_NUMBERS)
        if numbers is None or numbers.items > MOST_NUMBERS or self.scores.bins is None:
            return None
        return numbers.repeated()

    def score_sums(self, sums: Floats) -> Floats:
        """Return the scores `[M, ...]` of sums `[..., 9]` under measures of numbers."""
        assert self.scores.bins is not None
        moments = Moments.of(sums, self.scores.bins.centre)
        scores = np.stack([m.raw(moments) for m in self.scores.measures if m.raw is not None])
        return replace_undefined(scores, self.scores.replaced)

    def number_influences(self, numbers: Numbers) -> Floats:
        """Return the influence `[measure, system, row]` of items on scores of numbers."""
        sums, each = numbers.sums(), replace(numbers, weight=None).each(slice(None))
        slopes = _slopes(numbers, self.score_sums, sums)[:, :, 0]
        return np.asarray(np.einsum("msj,sjr->msr", slopes, each) * sums[:, 0, :1])

    def group_sums(self, system: int) -> tuple[Floats, Floats]:
        """Return sums `[1, group, 9]` over groups of items, and those `[K * K, 9]` of cells.

        Up to a thousand items are groups of their own. The sums of a cell are those of one item
        with the numbers of two classes.
        """
        assert self.numbers is not None
        assert self.scores.bins is not None
        columns = self.numbers.columns[0], self.numbers.columns[1 + system]
        some = replace(self.numbers, columns=columns).in_order()
        group = _units(some, None, _MOST_GROUPS)
        middles = self.scores.bins.middles
        pairs = np.repeat(middles, len(middles)), np.tile(middles, len(middles))
        cells = Numbers(pairs, self.numbers.centre).each(slice(None))[0].T
        return some.sums(group, int(group.max()) + 1), cells

    @property
    def bounds(self) -> Floats:
        """The lowest and the highest possible score: `[measure, 2]`."""
        return np.array([self.scores.bounds(m) for m in self.scores.measures])

    @property
    def averaged(self) -> bool:
        """Whether scores are means over several topics."""
        return self.scores.aggregate == "mean" and len(self.scores.topics) > 1

    @cached_property
    def topic_scores(self) -> Floats | None:
        """Scores `[measure, system, topic]` of a mean over topics; None otherwise."""
        if self.scores.per_topic is None or self.scores.aggregate == "pool":
            return None
        return replace_undefined(self.scores.per_topic, self.scores.replaced)

    @cached_property
    def places(self) -> Places | None:
        """The cells of long scales that hold items of any system; None if a table is better."""
        if self.counts is None:
            return None
        k = self.scores.scale.k
        used = np.any(self.counts.table.reshape(-1, k * k) > 0, axis=0)
        cells = np.flatnonzero(used)
        return Places.of(cells, k) if worth_listing(len(cells), k) else None

    @cached_property
    def tables(self) -> Floats:
        """Tables `[system, topic, gold, predicted]` whose sums are effective numbers of items.

        Those of few cells on a long scale are `[system, topic, 1, cell]`, in the order of `places`.
        """
        assert self.counts is not None
        if self.averaged or self.counts.squares is None:
            tables = self.counts.effective
        else:
            table, squares = self.counts.table, self.counts.squares
            tables = table * effective_scale(table.sum(), squares.sum())
        tables = tables if self.counts.topics else tables[:, None]
        if self.places is None:
            return tables
        return tables[..., self.places.gold, self.places.predicted][..., None, :]

    @cached_property
    def batched(self) -> list[int]:
        """The rows of the measures whose intervals are not too costly."""
        if self.of_numbers:
            return list(range(len(self.scores.measures)))
        return self.affordable(self.settings.draws * len(self.scores.systems))

    def affordable(self, tables: int) -> list[int]:
        """Return the rows of the measures that can score so many tables in reasonable time."""
        k, measures = self.scores.scale.k, self.scores.measures
        cells = None if self.places is None else len(self.places.gold)
        left_out = too_costly(measures, k, tables, named=self.named, cells=cells)
        return [i for i, m in enumerate(measures) if m not in left_out]

    def statistic_of(self, rows: Sequence[int]) -> "TableScores":
        """Return some measures as a function from tables `[..., K, K]` to scores `[M, ...]`.

        It also takes tables `[..., 1, C]` of the cells in `places`.
        """
        return TableScores(self.scores.only(rows), self.places)

    def slow_notice(self, what: str, kept: Sequence[int]) -> Notices:
        """Return notices about the measures that are not kept, because they are too costly."""
        left_out = [m for i, m in enumerate(self.scores.measures) if i not in kept]
        return left_out_notices(what, left_out, self.scores.scale.k, len(self.scores.systems))

    @property
    def unit_notice(self) -> Notices:
        """A warning where items are resampled and exchanged although they belong together."""
        clusters = self.source is not None and self.source.has_clusters
        topics, alike = len(self.scores.topics), ""
        if clusters and self.over in ("topics", "both"):
            alike = "topics as independent, although there are clusters"
        elif self.over == "items" and (clusters or topics > 1):
            alike = "items as independent, although there are topics or clusters"
        elif self.over == "items" and topics:
            one = "There is one topic, so that items are the units of intervals and tests."
            return (note("units", one),)
        short = "Where these are alike, intervals are too short and p-values too small."
        text = f"Intervals and tests take {alike}, as asked for. {short}"
        return (warning("units", text),) if alike else ()

    @cached_property
    def rows(self) -> Rows | None:
        """The distinct rows of the data; None if there are too many."""
        rows = None if self.source is None else self.source.rows(MOST_LABELS)
        return None if rows is None else rows.in_order_of_tables(self.scores.scale.k)

    @cached_property
    def unit_tables(self) -> UnitTables | None:
        """The tables of all systems and the units that are exchanged; None without rows."""
        if self.rows is None:
            return None
        k, by_topic = self.scores.scale.k, self.averaged
        unit = {"topics": self.rows.topic, "clusters": self.rows.cluster}.get(self.exchanged)
        topics = len(self.scores.topics) if by_topic else 1
        cells, shape = self.rows.cells(k, by_topic=by_topic), (topics, k, k)
        if self.places is not None:
            topic, code = np.divmod(cells, k * k)
            listed = self.places.codes
            # A cell that is not listed holds items of weight 0 only, whose place does not matter.
            place = np.minimum(np.searchsorted(listed, code), len(listed) - 1)
            cells, shape = topic * len(listed) + place, (topics, 1, len(listed))
        return UnitTables(cells, shape, self.rows.count, self.rows.weight, unit)

    @cached_property
    def units(self) -> int:
        """The number of units that are resampled and exchanged."""
        if self.exchanged == "topics":
            return len(self.scores.topics)
        if self.exchanged == "items" or self.rows is None or self.rows.cluster is None:
            return int(self.scores.items)
        return len(np.unique(self.rows.cluster))

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The positions of the pairs to be compared: all, or those with one system."""
        systems, against = self.scores.systems, self.settings.against
        pairs = combinations(range(len(systems)), 2)
        return [(a, b) for a, b in pairs if against in (None, systems[a], systems[b])]

    def trials(self, usual: int = TOPIC_TRIALS) -> int:
        """Return the number of trials: enough for the smallest p-value to be below alpha."""
        return self.settings.trials or max(usual, ceil(2 / self.settings.alpha))

    @property
    def tested(self) -> list[int]:
        """The rows of the measures whose tests are not too costly, at least the primary one."""
        tables = 2 * len(self.pairs) * self.trials(usual_trials(len(self.pairs)))
        return self.affordable(tables) or [self.first]

    def has_influence(self, row: int) -> bool:
        """Return whether the influence of items under a measure has a formula."""
        scale = self.scores.scale
        measure = self.scores.measures[row].on(scale)
        formula = measure.record.influence
        if formula is None or self.places is not None:
            return False
        with np.errstate(divide="ignore", invalid="ignore"):  # a table without errors
            return formula(np.eye(scale.k), scale.numbers, **measure.params) is not None

    @cached_property
    def topic_clusters(self) -> Ints | None:
        """The cluster of every topic; None unless clusters, each of whole topics, are the units."""
        rows = self.rows if self.averaged and self.exchanged == "clusters" else None
        if rows is None or rows.topic is None or rows.cluster is None:
            return None
        pairs = np.unique(np.stack([rows.topic, rows.cluster]), axis=1)
        return pairs[1] if len(pairs[0]) == len(self.scores.topics) else None


@dataclass(frozen=True)
class TableScores:
    """The measures of scores as a function of tables, or of lists of the cells in `places`."""

    scores: Scores
    places: Places | None

    def __call__(self, tables: Floats) -> Floats:
        """Return scores `[M, ...]` of tables `[..., K, K]` or `[..., 1, C]`."""
        if self.places is None or tables.shape[-2] != 1:
            return self._score(tables)
        *batch, _, cells = tables.shape
        by_cell = np.ascontiguousarray(tables[..., 0, :].reshape(-1, cells).T)
        return self._score(Cells(self.places, by_cell)).reshape(-1, *batch)

    def _score(self, tables: Floats | Cells) -> Floats:
        scores = score_tables(self.scores.measures, tables, self.scores.scale)
        return replace_undefined(scores, self.scores.replaced)

    of_cells = _score

    def influences(self, tables: Floats) -> Iterator[Floats]:
        """Yield for every measure the influence `[..., K, K]` of items on the scores of tables."""
        scale, flat = self.scores.scale, tables.reshape(-1, *tables.shape[-2:])
        with sharing(flat):
            for m in self.scores.measures:
                yield item_influence(m.on(scale), flat, scale.numbers).reshape(tables.shape)


def _unit_scores(
    numbers: Numbers, score: OnSums, estimate: Floats, unit: Codes | None, topics: int, skip: bool
) -> Floats:
    """Return scores `[M, S, unit]` of measures of numbers, with the mean `estimate` `[M, S]`.

    To first order a score is a sum over items. What the items of a unit add to it, times the number
    of units, is the score of the unit, so that intervals and tests are those of means over topics.

    `unit` is the topic or cluster of every row; None for single items. With several `topics` the
    score is a mean over them, which may `skip` those without a score.
    """
    place = _units(numbers, unit, _MOST_UNITS)
    units = int(place.max()) + 1
    topic = numbers.topic if topics > 1 else None
    sums = numbers.sums(topic, topics)
    slopes = _slopes(numbers, score, sums)  # [M, S, T, 9]
    averaged = np.sum(~np.isnan(score(sums)), axis=-1) if skip else np.full(estimate.shape, topics)
    parts = np.zeros((*estimate.shape, units))
    for rows in numbers.chunks():
        each = numbers.each(rows)  # [S, 9, row]
        if topic is None:
            added = np.einsum("msj,sjr->msr", slopes[:, :, 0], each)
        else:
            added = np.einsum("msrj,sjr->msr", slopes[:, :, topic[rows]], each)
        for score_at in np.ndindex(estimate.shape):
            parts[score_at] += np.bincount(place[rows], added[score_at], units)
    parts /= np.maximum(averaged, 1)[..., None]
    parts -= parts.mean(axis=-1, keepdims=True)
    return np.asarray(estimate[..., None] + units * parts)


def _units(numbers: Numbers, unit: Codes | None, most: int) -> Codes:
    """Return the unit of every row, from 0; more items than `most` are dealt into groups."""
    if unit is not None:
        return np.unique(unit, return_inverse=True)[1]
    if len(numbers) <= most:
        return np.arange(len(numbers))
    return stream(0, "dealt").permutation(len(numbers)) % most


def _slopes(numbers: Numbers, score: OnSums, sums: Floats) -> Floats:
    """Return the derivatives `[M, S, T, 9]` of scores by sums `[S, T, 9]`; 0 where undefined."""
    size = np.zeros(len(SUMS))
    for rows in numbers.chunks():
        size = np.maximum(size, np.abs(numbers.each(rows)).max(axis=(0, 2)))
    slopes = derivatives(score, sums, size * np.maximum(sums[..., :1], 1.0))
    return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
