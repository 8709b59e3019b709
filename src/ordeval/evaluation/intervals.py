"""Intervals of the scores of systems.

Over items they are drawn from tables; over units that all systems share, such as topics and
clusters, they come from leaving units out. Each function takes a `Sample` and returns what it
computed, or None where that is impossible, with notices that explain what is missing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from ..data.counts import Counts
from ..errors import plural, quoted
from ..notes import Note, note, warning
from ..results import Intervals
from ..stats.intervals import (
    Interval,
    Kind,
    mean_jackknife,
    percentile,
    share_interval,
    topic_jackknife,
    unit_interval,
)
from ..stats.resample import (
    Plan,
    bootstrap,
    bootstrap_means,
    effective_number,
    mean_of_present,
    score_draws,
    stream,
    weighted_means,
)
from ..stats.table_intervals import (
    PER_STEP,
    UNSEEN,
    FilledCells,
    drawn_interval,
    resampled_interval,
    rests_on_prior,
    sums_interval,
)
from ..types import Array, Bools, Floats
from .sample import Notices, Sample

_ROUNDING = 1e-9  # kernels may exceed the end of their range by a few last digits
_FAR = "so few items may not show rare errors that are far off"
_FEW_UNITS = 10  # with fewer, coverage rests on the distribution of scores (docs/unit-coverage.md)
_JACKKNIFE_ENTRIES = 2**22  # numbers in the tables that are held at a time


def make_intervals(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system]` under measures of classes and of numbers."""
    level, shape = sample.settings.ci, sample.scores.values.shape
    low, high, se = np.full((3, *shape), np.nan)
    undefined, why = np.zeros(shape, dtype=np.int64), np.full(shape, "", dtype=object)
    notices, how = list[Note](), None
    for of_part, part in sample.parts if sample.settings.draws else ():
        if part.of_numbers and part.over == "both":
            part = replace(part, settings=replace(part.settings, over="topics"))
        task = _Task(part, level)
        problem = task.unavailable()
        if problem:
            notices.append(warning("intervals", f"No intervals{task.named}: {problem}"))
            continue
        kept, interval = task.intervals()
        notices += task.notices(kept, interval)
        interval, rows = task.finished(kept, interval), [of_part[i] for i in kept]
        low[rows], high[rows], se[rows] = interval.low, interval.high, interval.se
        undefined[rows], why[rows] = interval.undefined, task.doubts(kept, interval)
        how = how or (interval.method, level, interval.replicates, part.over, sample.settings.seed)
    if how is None:
        return None, tuple(notices)
    return Intervals(low, high, se, undefined, *how).doubted(why), tuple(notices)


@dataclass(frozen=True)
class _Task:
    """Intervals of scores under some measures."""

    sample: Sample
    level: float

    @property
    def _linear(self) -> bool:
        """Whether scores of numbers are taken as sums over units."""
        return self.sample.of_numbers and not self.sample.by_topic

    @property
    def _method(self) -> Kind:
        """The kind of interval."""
        asked = self.sample.settings.method == "percentile" or self.sample.over == "both"
        if asked and not self._linear:
            return "percentile"
        return "dirichlet" if self.sample.over == "items" and not self._by_influence else "t"

    @property
    def _by_influence(self) -> bool:
        """Whether intervals use the influence of items, as tests of numbers do."""
        return self._linear and (self.sample.averaged or self.sample.of_forecasts)

    @property
    def _symmetric(self) -> bool:
        """Whether intervals are symmetric on another scale, as those of numbers are."""
        return self._linear and not self.sample.of_forecasts

    @property
    def named(self) -> str:
        """Whose intervals these are, in a sentence."""
        labels = quoted((m.label for m in self.sample.scores.measures), 3)
        return f" of {labels}" * self._linear

    def _plan(self, *, quiet: bool = False) -> Plan:
        settings = self.sample.settings
        return settings.plan(settings.draws, quiet=quiet)

    def unavailable(self) -> str:
        """Return why there are no intervals, if there are none."""
        sample, over, counts = self.sample, self.sample.over, self.sample.counts
        if over in ("clusters", "topics") and sample.units < 2:
            return f"there is only one {over[:-1]}, and nothing to compare it with."
        if self._linear and sample.unit_scores is None:
            return (
                "they need the numbers of every item, which are unknown or too many to hold; over "
                "topics they are available."
            )
        if over == "clusters" and sample.rows is None:
            return "there are too many distinct rows to resample clusters."
        if over in ("items", "both") and counts is not None and counts.weighted:
            if over == "both":
                return "items with weights are not resampled within topics; resample topics."
            if self._method == "percentile" and sample.rows is None:
                return "percentile intervals of items with weights need the items themselves."
            if counts.squares is None:
                return (
                    "the tables hold weights, and the items behind them are unknown; give whole "
                    "counts, or the sums of squared weights to Counts.from_table."
                )
        return ""

    def intervals(self) -> tuple[list[int], Interval]:
        """Return the rows of the measures that can be resampled, and their intervals."""
        sample, method, counts = self.sample, self._method, self.sample.counts
        grouped = counts is not None and counts.weighted
        one_by_one = sample.over == "items" and method == "percentile" and not grouped
        if sample.over == "both" or method == "dirichlet" or one_by_one:
            return sample.batched, self._drawn()
        shared, make = self._shared, partial(percentile, level=self.level)
        if method == "t":
            sizes, symmetric = shared.sizes, self._symmetric
            make = partial(unit_interval, level=self.level, sizes=sizes, symmetric=symmetric)
        interval = make(shared.values, np.where(shared.present, shared.scores, np.nan))
        return shared.rows, self._widened(shared.rows, interval)

    def _drawn(self, per_step: float = PER_STEP) -> Interval:
        """Return intervals `[measure, system]` from tables drawn for each.

        The draws depend on the table and the seed only, so that equal predictions have equal
        intervals whatever the systems are called.
        """
        plan = self._plan(quiet=per_step != PER_STEP)
        systems = range(len(self.sample.scores.systems))
        return Interval.stack([self._of_tables(s, plan, per_step) for s in systems])

    @cached_property
    def _other(self) -> Interval | None:
        """Intervals with added items in all classes alike; None where far errors are seen."""
        scores, usual = self.sample.scores, self._method == "dirichlet"
        usual = usual and not any(m.record.task == "ratings" for m in scores.measures)
        few = (scores.effective or scores.items) < UNSEEN
        return self._drawn(per_step=1.0) if usual and few else None

    def _of_tables(self, system: int, plan: Plan, per_step: float) -> Interval:
        """Return the intervals of a system from drawn tables or sums."""
        sample, undefined = self.sample, self.sample.scores.replaced
        if sample.of_numbers:
            sums, score = sample.group_sums(system), sample.score_sums
            return sums_interval(*sums, score, plan, self.level, sample.bounds, per_step)
        statistic = sample.statistic_of(sample.batched)
        if self._method == "dirichlet":
            cells = self._cells(system).aggregated("mean" if sample.averaged else "pool")
            cells, bounds = replace(cells, per_step=per_step), sample.bounds[sample.batched]
            return drawn_interval(cells, statistic, plan, self.level, bounds, undefined)
        aggregate, tables = sample.scores.aggregate, sample.tables[system]
        return resampled_interval(
            tables, statistic, plan, self.level, sample.over, aggregate, undefined
        )

    def _cells(self, system: int) -> FilledCells:
        """Return the cells that hold items of a system."""
        counts = self.sample.counts
        assert counts is not None
        shape = (-1, counts.k, counts.k)
        squares = counts.table if counts.squares is None else counts.squares
        return FilledCells.of(counts.table[system].reshape(shape), squares[system].reshape(shape))

    @cached_property
    def _shared(self) -> "_Shared":
        """Scores without, or of resampled, units that all systems share."""
        sample, plan, resampled = self.sample, self._plan(), self._method == "percentile"
        rows, undefined = list(range(len(sample.scores.measures))), sample.scores.replaced
        values = sample.scores.values
        if sample.by_unit is not None and sample.over == "topics" and resampled:
            return _Shared(rows, values, bootstrap_means(sample.by_unit, plan, undefined))
        if sample.by_unit is not None and not resampled:
            if sample.topic_clusters is not None:
                names, sizes = np.unique(sample.topic_clusters, return_counts=True)
                kept = (sample.topic_clusters != names[:, None]).astype(np.float64)
                means = np.moveaxis(weighted_means(sample.by_unit, kept, undefined), -1, 1)
                return _Shared(rows, values, means, sizes.astype(np.float64))
            present = ~np.isnan(sample.by_unit).swapaxes(1, 2) | (undefined != "skip")
            means = mean_jackknife(sample.by_unit, undefined)
            return _Shared(rows, values, means, present=present)
        rows, statistic = sample.batched, sample.statistic_of(sample.batched)
        if sample.over != "topics" and not resampled:
            return _Shared(rows, values[rows], *_unit_jackknife(sample))
        if sample.over != "topics":
            scores = _unit_bootstrap(sample, plan)
        elif resampled:
            scores = bootstrap(sample.tables, statistic, plan, over="topics", undefined=undefined)
        else:
            scores = topic_jackknife(sample.tables, statistic, undefined)
        return _Shared(rows, values[rows], scores, sample.tables[0].sum(axis=(-2, -1)))

    def _widened(self, rows: list[int], interval: Interval) -> Interval:
        """Give t intervals of no width, where all units agree, the width of Dirichlet intervals.

        These are the intervals of a system as if every unit were one item.
        """
        sample, flat = self.sample, _flat(interval)
        if interval.method != "t" or not flat.any() or sample.counts is None:
            return interval
        low, high = interval.low.copy(), interval.high.copy()
        known = [(i, sample.batched.index(row)) for i, row in enumerate(rows)
                 if row in sample.batched]  # fmt: skip
        statistic, plan = sample.statistic_of(sample.batched), self._plan(quiet=True)
        for at in map(int, np.flatnonzero(flat[[i for i, _ in known]].any(axis=0))):
            cells = self._cells(at).aggregated("pool").as_items(sample.units)
            wide = drawn_interval(cells, statistic, plan, self.level)
            for i, j in known:
                if flat[i, at] and not np.isnan(wide.low[j]):
                    low[i, at] -= wide.estimate[j] - wide.low[j]
                    high[i, at] += wide.high[j] - wide.estimate[j]
        return replace(interval, low=low, high=high)

    def finished(self, rows: list[int], interval: Interval) -> Interval:
        """Return intervals within the bounds of the measures."""
        scores = replace(self.sample, scores=self.sample.scores.only(rows))
        curved = self._symmetric and interval.method == "t"
        found = _within_bounds(_symmetric(interval, scores) if curved else interval, scores)
        return self._of_shares(rows, found)

    def _of_shares(self, rows: list[int], interval: Interval) -> Interval:
        """Give shares the intervals of a binomial share, over units where all of them agree.

        Added items would make those over items too long, and on long scales too short.
        """
        sample, scores = self.sample, self.sample.scores
        shares = np.array([[scores.measures[row].id == "share"] for row in rows])
        if not shares.any() or interval.method == "percentile":
            return interval
        over_items = interval.method == "dirichlet"
        n = (scores.effective or scores.items) if over_items else float(sample.units)
        low, high = share_interval(interval.estimate, n, self.level)
        return interval.where(shares & (over_items | (interval.se == 0)), low, high)

    def doubts(self, rows: list[int], interval: Interval) -> Array:
        """Return for every interval why it may cover less than its level; empty if it need not.

        Numbers and distributions have no table that could have been another one, so that their
        intervals without a spread are doubtful.
        """
        sample, why = self.sample, np.full(interval.low.shape, "", dtype=object)
        if sample.item_counts is not None and not sample.averaged:
            items = class_items(sample.item_counts)
            for reasons, row in zip(why, rows, strict=True):
                reasons[:] = sample.scores.measures[row].interval_doubt(items)
        if sample.exchanged != "items":
            units = _effective_units(sample)[rows]
            few = f"there are fewer than {_FEW_UNITS} {sample.exchanged} of equal size with a score"
            why = np.where(units < _FEW_UNITS, few, why)
        elif self._linear and sample.units < _FEW_UNITS:
            why[:] = f"there are fewer than {_FEW_UNITS} items"
        if sample.counts is None:
            flat = (interval.se == 0) & (why == "")
            why = np.where(flat, f"all {sample.over} of the system have the same score", why)
        if self._other is not None:
            rests = rests_on_prior(interval, self.finished(rows, self._other))
            why = np.where(rests & (why == ""), _FAR, why)
        return np.where(np.isnan(interval.low), "", why)

    def notices(self, rows: list[int], interval: Interval) -> Iterator[Note]:
        """Report measures that are left out, and undefined or equal replicates."""
        if rows == self.sample.batched:
            yield from self.sample.slow_notice("intervals", rows)
        yield from _about_replicates(self.sample, rows, interval)
        yield from self._about_prior(rows, interval)

    def _about_prior(self, rows: list[int], interval: Interval) -> Iterator[Note]:
        """Report the interval that a flat prior would widen most, if it may miss far errors."""
        other, scores = self._other, self.sample.scores
        if other is None or not (rests := rests_on_prior(interval, other)).any():
            return
        ends = np.array([interval.low, interval.high, other.low, other.high])
        wide, usual = ends[3] - ends[2], ends[1] - ends[0]
        wider = np.divide(wide, usual, out=np.zeros(rests.shape), where=rests & (usual > 0))
        row, system = np.unravel_index(np.argmax(wider), wider.shape)
        low, high, lowest, highest = (f"{end:.3g}" for end in ends[:, row, system])
        whose = f"{scores.label(scores.measures[rows[row]])} of {scores.systems[system]}"
        yield note(
            "doubt",
            "Intervals assume that errors that were not seen are near gold. If any class were as "
            f"likely, that of {whose} would be {lowest} to {highest} instead of {low} to {high}.",
        )


@dataclass(frozen=True)
class _Shared:
    """Scores `[M, J, S]` of the measures in `rows` without one of J units, or of resampled ones.

    `values` are the scores `[M, S]` of the data, `sizes` those of the units unless these count the
    same, and `present` tells whether a unit enters the score of a system.
    """

    rows: list[int]
    values: Floats
    scores: Floats
    sizes: Floats | None = None
    present: Bools | bool = True


def _flat(interval: Interval) -> Bools:
    """Return where a score is the same on all units."""
    return np.asarray((interval.se == 0) & ~np.isnan(interval.estimate))


def _unit_jackknife(sample: Sample) -> tuple[Floats, Floats]:
    """Score tables `[M, J, S]` without one unit, or one of at most a thousand groups of units.

    Returns the sizes `[J]` of what is left out, too.
    """
    units, scores, left = sample.unit_tables, list[Floats](), list[Floats]()
    assert units is not None
    for part in units.without_units(sample.settings.seed, _JACKKNIFE_ENTRIES):
        scores.append(_score_units(part, sample))
        left.append(part[:, 0].sum(axis=(1, 2, 3)))
    return np.concatenate(scores, axis=1), units.total[0].sum() - np.concatenate(left)


def _unit_bootstrap(sample: Sample, plan: Plan) -> Floats:
    """Score tables `[M, B, S]` of resampled units."""
    units = sample.unit_tables
    assert units is not None
    return score_draws(
        lambda block: units.resampled(stream(plan.seed, "units", block.number), block.size),
        lambda tables: _score_units(tables, sample),
        plan,
        units.entries,
    )


def _score_units(tables: Floats, sample: Sample) -> Floats:
    """Score tables `[..., S, T, K, K]`: `[M, ..., S]`."""
    scores = sample.statistic_of(sample.batched)(tables)
    return mean_of_present(scores, tables.sum(axis=(-2, -1)) > 0, sample.scores.replaced)


def _symmetric(interval: Interval, sample: Sample) -> Interval:
    """Make intervals symmetric in the logarithm of errors, and in Fisher's z of correlations.

    There the spread of a score depends less on the score, so that with few units intervals cover
    it more often (benchmarks/raw_numbers.py).
    """
    low, high, scores = interval.low.copy(), interval.high.copy(), sample.scores
    for row, (m, score) in enumerate(zip(scores.measures, scores.values, strict=True)):
        half = interval.high[row] - score
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if m.better == "lower":
                ends = score * np.exp([-half / score, half / score])
            else:
                ends = np.tanh(np.arctanh(score) + np.array([[-1], [1]]) * half / (1 - score**2))
        usable = np.isfinite(ends).all(axis=0) & (half > 0)
        low[row], high[row] = np.where(usable, ends, [low[row], high[row]])
    return replace(interval, low=low, high=high)


def _within_bounds(interval: Interval, sample: Sample) -> Interval:
    """Move ends that lie outside a measure's range to its end.

    Quantiles of replicates can be outside by rounding only; t intervals are cut.
    """
    lowest, highest = sample.bounds[:, :1], sample.bounds[:, 1:]
    far = np.inf if interval.method == "t" else _ROUNDING

    def moved(ends: Floats) -> Floats:
        near = np.clip(ends, lowest, highest)
        return np.where(np.abs(ends - near) <= far, near, ends)

    return replace(interval, low=moved(interval.low), high=moved(interval.high))


def class_items(counts: Counts) -> Floats:
    """Return the effective number of items of every gold class."""
    pooled = counts.pooled("topic")
    weights = pooled.table[0].sum(axis=-1)
    if pooled.squares is None:
        return np.asarray(weights)
    return effective_number(weights, pooled.squares[0].sum(axis=-1))


def _effective_units(sample: Sample) -> Floats:
    """Return for every measure and system how many units of equal size its interval rests on."""
    sizes, shape = None, sample.scores.values.shape
    if sample.topic_clusters is not None:
        sizes = np.bincount(sample.topic_clusters)
    elif sample.by_topic and sample.by_unit is not None:
        return np.asarray((~np.isnan(sample.by_unit)).sum(axis=-1), dtype=np.float64)
    elif sample.rows is not None and not sample.averaged:
        unit = sample.rows.topic if sample.exchanged == "topics" else sample.rows.cluster
        weight = 1.0 if sample.rows.weight is None else sample.rows.weight
        sizes = None if unit is None else np.bincount(unit, sample.rows.count * weight)
    if sizes is None:
        return np.full(shape, float(sample.units))
    return np.full(shape, effective_number(sizes.sum(), (sizes**2).sum()))


def _about_replicates(sample: Sample, rows: list[int], interval: Interval) -> Iterator[Note]:
    """Report undefined or equal replicates."""
    measures = [sample.scores.measures[row] for row in rows]
    worst = np.where(np.isfinite(interval.estimate), interval.undefined, 0).max(axis=1)
    touched = [f"{n:,} of {m.label}" for m, n in zip(measures, worst, strict=True) if n]
    if touched:
        what = "scores without one unit" if interval.method == "t" else "replicates"
        yield warning(
            "undefined",
            f"Some of the {interval.replicates:,} {what} are undefined and left out: of one system "
            f"up to {', '.join(touched)}.",
        )
    if interval.method != "t" or sample.counts is None:
        return
    fixed = sample.scores.fixed(sample.counts.pooled("topic").table)
    flat = _flat(interval) & ~fixed[rows]  # another notice is about these
    if flat.any():
        systems = [s for s, same in zip(sample.scores.systems, flat.T, strict=True) if same.any()]
        names = [m.label for m, same in zip(measures, flat, strict=True) if same.any()]
        yield warning(
            "intervals",
            f"The score of {quoted(systems, 3)} under {quoted(names, 3)} is the same on all "
            f"{sample.over}: the interval, which would have no width, is that of "
            f"{plural(sample.units, 'item')}, one for each {sample.over[:-1]}.",
        )
