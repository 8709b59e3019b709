"""Intervals of the scores of systems, and of their differences.

Over items they are drawn from tables; over units that all systems share, such as topics and
clusters, they come from leaving units out. Each function takes a `Sample` and returns what it
computed, or None where that is impossible, with notices that explain what is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data.counts import Counts, constant_predictions
from ..errors import plural, quoted
from ..limits import check_memory
from ..measures.scoring import Scores
from ..notes import Note, note, warning
from ..results import Intervals
from ..stats.dirichlet import dirichlet_difference, dirichlet_interval
from ..stats.intervals import (
    Interval,
    Kind,
    bootstrap_difference,
    bootstrap_interval,
    mean_jackknife,
    percentile,
    t_interval,
    topic_jackknife,
)
from ..stats.resample import (
    Block,
    Plan,
    bootstrap,
    bootstrap_means,
    effective_number,
    mean_of_present,
    score_draws,
    stream,
    weighted_means,
)
from ..types import Array, Bools, Floats
from .notices import zero_if_constant
from .sample import Notices, Sample

_ROUNDING = 1e-9  # kernels may exceed the end of their range by a few last digits
_DRAWS = 2000  # for the intervals that decide on equivalence, if no others were asked for
_FEW_UNITS = 5  # with fewer, t intervals rest on the normal distribution of scores
_FEW_REPLICATES = 200  # with fewer, quantiles near 2.5 % are those of a handful of replicates
_JACKKNIFE_ENTRIES = 2**22  # numbers in the tables that are held at a time
_UNPAIRED = "the tables do not tell what the systems predict for the same item."
Pairs = Sequence[tuple[int, int]]


def make_intervals(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system]`."""
    return _all_parts(sample, sample.settings.ci) if sample.settings.bootstrap else (None, ())


def make_differences(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system, system]` of differences, if they are asked for."""
    wanted = sample.settings.differences and sample.settings.bootstrap
    return difference_intervals(sample, sample.settings.ci) if wanted else (None, ())


def difference_intervals(sample: Sample, level: float) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system, system]` of the row's score minus the column's.

    Systems share the units, or the drawn items.
    """
    return _all_parts(sample, level, sample.pairs) if len(sample.scores.systems) > 1 else (None, ())


def _all_parts(
    sample: Sample, level: float, pairs: Pairs | None = None
) -> tuple[Intervals | None, Notices]:
    """Compute intervals of measures of classes and of numbers."""
    made, notices = [], list[Note]()
    for rows, part in sample.parts:
        task = _Task(part, level, pairs)
        interval, told = task.run()
        notices += told
        if interval is not None:
            made.append((rows, interval, task))
    if not made:
        return None, tuple(notices)
    _, first, task = made[0]
    shape = (len(sample.scores.measures), *first.low.shape[1:])
    low, high, se = (np.full(shape, np.nan) for _ in range(3))
    undefined = np.zeros(shape, dtype=np.int64)
    why = np.full(shape, "", dtype=object)
    for rows, interval, of in made:
        low[rows], high[rows], se[rows] = interval.low, interval.high, interval.se
        undefined[rows] = interval.undefined
        why[rows] = of.doubts(interval)
    how = first.method, level, first.replicates, task.sample.over, sample.settings.seed
    return Intervals(low, high, se, undefined, *how).doubted(why), tuple(notices)


@dataclass(frozen=True)
class _Task:
    """Intervals of scores, or of the differences of pairs, under some measures."""

    sample: Sample
    level: float
    pairs: Pairs | None

    def __post_init__(self) -> None:
        if self.sample.of_numbers and self.sample.over == "both":
            settings = replace(self.sample.settings, over="topics")
            object.__setattr__(self, "sample", replace(self.sample, settings=settings))

    @property
    def _linear(self) -> bool:
        """Whether scores of numbers are taken as sums over units."""
        return self.sample.of_numbers and not self.sample.by_topic

    @property
    def method(self) -> Kind:
        """The kind of interval."""
        return "t" if self._linear else self.sample.settings.interval_method(self.sample.over)

    def plan(self, *, quiet: bool = False) -> Plan:
        """Return the plan of the draws."""
        settings = self.sample.settings
        return settings.plan(settings.bootstrap or _DRAWS, quiet=quiet)

    def run(self) -> tuple[Interval | None, Notices]:
        """Return intervals `[measure, system(, system)]`, or why there are none."""
        sample, pairs = self.sample, self.pairs
        problem = _unavailable(sample)
        if problem:
            return None, () if pairs is not None else (warning("intervals", problem),)
        if pairs is not None and sample.over == "both" and sample.rows is None:
            return None, (warning("intervals", f"No intervals of differences: {_UNPAIRED}"),)
        rows, interval = self._intervals()
        told = self._notices(rows, interval)
        interval = interval if pairs is None else _square(interval, pairs, sample)
        interval = _every_measure(interval, rows, sample)
        if pairs is None and self._linear:
            interval = _symmetric_elsewhere(interval, sample.scores)
        return (interval if pairs is not None else _within_bounds(interval, sample)), told

    def _intervals(self) -> tuple[list[int], Interval]:
        """Return the rows of the measures that can be resampled, and their intervals."""
        sample, method = self.sample, self.method
        weighted = sample.weighted and method != "dirichlet"  # items are drawn one by one
        long = self.pairs is not None and sample.places is not None and method == "percentile"
        of_items = sample.over == "items" and not (weighted or long or self._linear)
        if sample.over == "both" or of_items:
            return sample.batched, self._drawn(method)
        rows, units = _shared(sample, method, self.plan())
        interval = units.interval(self.level, self.pairs)
        return rows, self._widened(interval, rows)

    def _drawn(self, method: Kind) -> Interval:
        """Return intervals `[measure, system or pair]` from tables drawn for each.

        The draws depend on the table and the seed only, so that equal predictions have equal
        intervals whatever the systems are called.
        """
        sample, settings = self.sample, self.sample.settings
        how: dict[str, Any] = {"level": self.level, "undefined": sample.scores.replaced}
        how["aggregate"] = sample.scores.aggregate
        if method == "dirichlet":
            how["aggregate"] = "mean" if sample.averaged else "pool"
            how["bounds"] = sample.bounds[sample.batched]
        else:
            how["over"] = sample.over
        if self.pairs is None:
            return Interval.stack([self._of_system(s, method, how) for s in self._systems])
        parts = []
        for pair in self.pairs:
            parts.append(self._of_pair(pair, method, how))
            if settings.progress:
                settings.progress(len(parts), len(self.pairs))
        return Interval.stack(parts)

    @property
    def _systems(self) -> range:
        return range(len(self.sample.scores.systems))

    def _of_system(self, system: int, method: Kind, how: dict[str, Any]) -> Interval:
        sample, counts = self.sample, self.sample.counts
        assert counts is not None
        if method != "dirichlet":
            return bootstrap_interval(sample.tables[system], sample.statistic, self.plan(), **how)
        squares = None if counts.squares is None else counts.squares[system]
        table = counts.table[system]
        return dirichlet_interval(table, sample.statistic, self.plan(), squares=squares, **how)

    def _of_pair(self, pair: tuple[int, int], method: Kind, how: dict[str, Any]) -> Interval:
        sample, plan = self.sample, self.plan(quiet=True)
        if method == "dirichlet":
            return dirichlet_difference(sample.joint_cells(pair), sample.statistic, plan, **how)
        return bootstrap_difference(_joint_table(sample, pair), sample.statistic, plan, **how)

    def _widened(self, interval: Interval, rows: Sequence[int]) -> Interval:
        """Give t intervals of no width, where all units agree, the width of Dirichlet intervals.

        These are the intervals of a system, or of a pair, as if every unit were one item.
        """
        sample = self.sample
        flat = (interval.se == 0) & ~np.isnan(interval.estimate)
        if interval.method != "t" or not flat.any() or sample.counts is None:
            return interval
        low, high = interval.low.copy(), interval.high.copy()
        if self.pairs is not None and not sample.paired:
            none = np.where(flat, np.nan, 0.0)
            return replace(interval, low=low + none, high=high + none)
        of_batched = {row: i for i, row in enumerate(sample.batched)}
        known = [(i, of_batched[row]) for i, row in enumerate(rows) if row in of_batched]
        for place in map(int, np.flatnonzero(flat[[i for i, _ in known]].any(axis=0))):
            wide = self._of_units(place)
            for i, at in known:
                if flat[i, place] and not np.isnan(wide.low[at]):
                    low[i, place] -= wide.estimate[at] - wide.low[at]
                    high[i, place] += wide.high[at] - wide.estimate[at]
        return replace(interval, low=low, high=high)

    def _of_units(self, place: int) -> Interval:
        """Return the intervals of a system, or pair, from its pooled table of so many units."""
        sample, plan, level = self.sample, self.plan(quiet=True), self.level
        assert sample.counts is not None
        if self.pairs is not None:
            cells = sample.joint_cells(self.pairs[place]).aggregated("pool").as_items(sample.units)
            return dirichlet_difference(cells, sample.statistic, plan, level=level)
        table = sample.counts.pooled("topic").table[place]
        # With squares of its own size, the table is one of so many items of weight 1.
        table = table * (sample.units / table.sum())
        return dirichlet_interval(table, sample.statistic, plan, squares=table, level=level)

    def doubts(self, interval: Interval) -> Array:
        """Return for every interval why it may cover less than its level; empty if it need not.

        Numbers and distributions have no table that could have been another one, so that their
        intervals without a spread are doubtful.
        """
        sample, measures = self.sample, self.sample.scores.measures
        why = np.full(interval.low.shape, "", dtype=object)
        if sample.counts is not None and not sample.averaged:
            items = class_items(sample.counts)
            reasons = np.array([m.interval_doubt(items) for m in measures], dtype=object)
            why[:] = reasons.reshape(-1, *(1,) * (why.ndim - 1))
        if sample.over in ("topics", "clusters"):
            units = _effective_units(sample)
            if self.pairs is not None:
                units = np.minimum(units[:, :, None], units[:, None, :])
            few = f"there are fewer than {_FEW_UNITS} {sample.over} of equal size with a score"
            why = np.where(units < _FEW_UNITS, few, why)
        elif self._linear and interval.replicates < 2 * _FEW_UNITS:
            why[:] = f"there are fewer than {2 * _FEW_UNITS} items"
        if sample.counts is None:
            same = f"all {sample.over} of the system have the same score"
            if self.pairs is not None:
                same = f"the two systems differ by the same on all {sample.over}"
            why = np.where((interval.se == 0) & (why == "") & self._apart(why.shape), same, why)
        return np.where(np.isnan(interval.low), "", why)

    def _apart(self, shape: tuple[int, ...]) -> Any:
        """Return where an interval is not that of the difference of a system from itself."""
        return True if self.pairs is None else ~np.eye(shape[-1], dtype=np.bool_)

    def _notices(self, rows: list[int], interval: Interval) -> Notices:
        """Report measures that are left out, and few, undefined or equal replicates."""
        sample, of = self.sample, " of differences" if self.pairs is not None else ""
        notices = sample.slow_notice(f"intervals{of}") if rows == sample.batched else ()
        flat = (interval.se == 0) & ~np.isnan(interval.estimate)
        if self.pairs is not None:
            if not sample.paired and flat.any():
                same = f"that are the same in all {sample.over}"
                notices += (
                    warning("intervals", f"No intervals of differences {same}: {_UNPAIRED}"),
                )
            return notices
        return (*notices, *_about_replicates(sample, rows, interval), *self._said_method())

    def _said_method(self) -> Iterator[Note]:
        """Say that measures of numbers have t intervals where others have another kind."""
        sample = self.sample
        if self._linear and sample.settings.interval_method(sample.over) != "t":
            names = quoted((str(m) for m in sample.scores.measures), 10)
            yield (
                note(
                    "intervals",
                    f"Intervals of {names} (raw numbers) are t intervals from the influence of "
                    f"{sample.over}, on a logarithmic scale for errors and in Fisher's z for the "
                    "others.",
                )
            )


def _unavailable(sample: Sample) -> str:
    """Return why there are no intervals; empty text if there are."""
    problem = ""
    if sample.of_numbers and not sample.by_topic and sample.unit_scores is None:
        names = quoted((str(m) for m in sample.scores.measures), 3)
        return (
            f"No intervals of {names} over {sample.over}: they need the numbers of every item, "
            "which are unknown or too many to hold; over topics they are available."
        )
    if sample.over == "both" and sample.weighted:
        problem = "items with weights cannot be resampled within topics; resample topics instead."
    elif sample.over == "clusters" and sample.rows is None:
        problem = "there are too many distinct rows to resample clusters."
    elif sample.over in ("clusters", "topics") and sample.units < 2:
        problem = f"there is only one {sample.over[:-1]}, and nothing to compare it with."
    elif sample.over == "items" and sample.weighted and sample.counts is not None:
        if sample.counts.squares is None:
            problem = (
                "the tables hold weights, and the items behind them are unknown; give whole "
                "counts, or the sums of squared weights to Counts.from_table."
            )
        elif sample.settings.method == "percentile" and sample.rows is None:
            problem = "percentile intervals of items with weights need the items themselves."
    return f"No intervals: {problem}" if problem else ""


@dataclass(frozen=True)
class _Shared:
    """Scores without, or of resampled, units that all systems share.

    Parameters
    ----------
    estimate : array of shape (M, S)
        The scores.
    left_out : array of shape (M, J, S), optional
        Scores without one unit, or one group of units; for t intervals.
    replicates : array of shape (M, B, S), optional
        Scores of resampled units.
    present : array of bool of shape (M, J, S), optional
        Whether a unit enters the score of a system: topics without a score may not.
    """

    estimate: Floats
    left_out: Floats | None = None
    replicates: Floats | None = None
    present: Bools | None = None

    def interval(self, level: float, pairs: Pairs | None) -> Interval:
        """Return the intervals `[M, S]` of scores, or `[M, P]` of differences."""
        if pairs is None:
            return self._interval(level)
        return Interval.stack([self._difference(a, b)._interval(level) for a, b in pairs])

    def _difference(self, a: int, b: int) -> "_Shared":
        def apart(scores: Floats | None) -> Floats | None:
            return None if scores is None else scores[..., a] - scores[..., b]

        either = None if self.present is None else self.present[..., a] | self.present[..., b]
        estimate = self.estimate[..., a] - self.estimate[..., b]
        return _Shared(estimate, apart(self.left_out), apart(self.replicates), either)

    def _interval(self, level: float) -> Interval:
        if self.left_out is None:
            assert self.replicates is not None
            return percentile(self.estimate, self.replicates, level)
        left_out = self.left_out
        if self.present is not None:
            left_out = np.where(self.present, left_out, np.nan)
        return t_interval(self.estimate, left_out, level)


def _shared(sample: Sample, method: Kind, plan: Plan) -> tuple[list[int], _Shared]:
    """Leave out, or resample, shared units; returns the rows of the measures, and scores."""
    rows = list(range(len(sample.scores.measures)))
    if sample.by_topic and (method == "t" or sample.over == "topics"):
        return rows, _of_topics(sample, method, plan)
    if sample.of_numbers and sample.unit_scores is not None:
        return rows, _Shared(sample.scores.values, mean_jackknife(sample.unit_scores))
    rows, undefined = sample.batched, sample.scores.replaced
    estimate = sample.scores.values[rows]
    pooled_topics = sample.over == "topics" and not sample.averaged
    if pooled_topics and method == "t":
        left_out = topic_jackknife(sample.tables, sample.statistic, undefined)
        return rows, _Shared(estimate, left_out)
    if pooled_topics:
        drawn = bootstrap(sample.tables, sample.statistic, plan, over="topics", undefined=undefined)
        return rows, _Shared(estimate, replicates=drawn)
    if method == "t":
        return rows, _Shared(estimate, _unit_jackknife(sample))
    return rows, _Shared(estimate, replicates=_unit_bootstrap(sample, plan))


def _of_topics(sample: Sample, method: Kind, plan: Plan) -> _Shared:
    """Leave out, or resample, topics whose scores are averaged."""
    scores, undefined = sample.topic_scores, sample.scores.replaced
    assert scores is not None
    if sample.over == "clusters":
        clusters = sample.topic_clusters
        assert clusters is not None
        kept = (clusters != np.unique(clusters)[:, None]).astype(np.float64)
        left_out = np.moveaxis(weighted_means(scores, kept, undefined), -1, 1)
        return _Shared(sample.scores.values, left_out)
    if method == "percentile":
        replicates = bootstrap_means(scores, plan, undefined)
        return _Shared(sample.scores.values, replicates=replicates)
    present = ~np.isnan(scores).swapaxes(1, 2) if undefined == "skip" else None
    return _Shared(sample.scores.values, mean_jackknife(scores, undefined), present=present)


def _unit_jackknife(sample: Sample) -> Floats:
    """Score tables `[M, J, S]` without one unit, or one of at most a thousand groups of units."""
    units, seed = sample.unit_tables, sample.settings.seed
    assert units is not None
    step = max(1, _JACKKNIFE_ENTRIES // units.entries)
    starts = range(0, units.groups(), step)
    parts = (units.without_units(seed=seed, part=slice(at, at + step)) for at in starts)
    return np.concatenate([_score_units(part, sample) for part in parts], axis=1)


def _unit_bootstrap(sample: Sample, plan: Plan) -> Floats:
    """Score tables `[M, B, S]` of resampled units."""
    units = sample.unit_tables
    assert units is not None

    def draw(block: Block) -> Array:
        return units.resampled(stream(plan.seed, "units", block.number), block.size)

    def score(tables: Array) -> Floats:
        return _score_units(tables, sample)

    return score_draws(draw, score, plan, units.entries)


def _score_units(tables: Floats, sample: Sample) -> Floats:
    """Score tables `[..., S, T, K, K]`: `[M, ..., S]`."""
    scores = sample.statistic(tables)
    return mean_of_present(scores, tables.sum(axis=(-2, -1)) > 0, sample.scores.replaced)


def _joint_table(sample: Sample, pair: tuple[int, int]) -> Floats:
    """Return the joint counts of a pair as one table `[topic, gold, a, b]`."""
    k, topics = sample.scores.scale.k, max(1, len(sample.scores.topics))
    check_memory(
        "Joint counts of two systems",
        4 * 8.0 * topics * k**3,
        f"{plural(topics, 'topic')} × {k:,}³ classes",
        parameter="labels",
        hint="Resample topics or items with {over}, not both, by the default {method}, or merge "
        "classes.",
        suggest={"over": "topics", "method": "auto"},
    )
    cells = sample.joint_cells(pair)
    joint = np.zeros((topics, k, k, k))
    joint[cells.topic, cells.gold, cells.predicted[0], cells.predicted[1]] = cells.weights
    return joint


def _every_measure(interval: Interval, rows: Sequence[int], sample: Sample) -> Interval:
    """Return intervals of all measures; NaN for those that were not resampled."""
    shape = (len(sample.scores.measures), *interval.low.shape[1:])
    arrays: dict[str, Any] = {}
    for name in ("estimate", "low", "high", "se", "undefined"):
        array = getattr(interval, name)
        arrays[name] = np.full(shape, np.nan if array.dtype.kind == "f" else 0, array.dtype)
        arrays[name][rows] = array
    return replace(interval, **arrays)


def _symmetric_elsewhere(interval: Interval, scores: Scores) -> Interval:
    """Make intervals symmetric in the logarithm of errors, and in Fisher's z of correlations.

    There the spread of a score depends less on the score, so that with few units intervals cover
    it more often (benchmarks/raw_numbers.py).
    """
    low, high = interval.low.copy(), interval.high.copy()
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
    shape = sample.scores.values.shape
    if sample.by_topic and sample.over == "topics" and sample.topic_scores is not None:
        return np.asarray((~np.isnan(sample.topic_scores)).sum(axis=-1), dtype=np.float64)
    if sample.over == "clusters" and not sample.averaged and sample.rows is not None:
        sizes = np.bincount(sample.clusters, sample.rows.count)
        return np.full(shape, effective_number(sizes.sum(), (sizes**2).sum()))
    return np.full(shape, float(sample.units))


def _about_replicates(sample: Sample, rows: Sequence[int], interval: Interval) -> Iterator[Note]:
    """Report few, undefined or equal replicates."""
    measures = sample.scores.measures
    if interval.method != "t" and interval.replicates < _FEW_REPLICATES:
        yield (
            warning(
                "intervals",
                f"The intervals rest on {plural(interval.replicates, 'replicate')} only, so that "
                "their ends are imprecise; 1,000 or more are usual.",
            )
        )
    worst = np.where(np.isnan(interval.estimate), 0, interval.undefined).max(axis=1)
    touched = [f"{n:,} of {measures[r]}" for r, n in zip(rows, worst, strict=True) if n]
    if touched:
        what = "scores without one unit" if interval.method == "t" else "replicates"
        yield (
            warning(
                "undefined",
                f"Some of the {interval.replicates:,} {what} are undefined and left out: of one "
                f"system up to {', '.join(touched)}.",
            )
        )
    if interval.method != "t" or sample.counts is None:
        return
    flat = (interval.se == 0) & ~np.isnan(interval.estimate)
    constant = constant_predictions(sample.counts.pooled("topic").table)
    explained = np.array([zero_if_constant(measures[row]) for row in rows])
    flat &= ~(explained[:, None] & constant)  # another notice is about these
    systems = [s for s, same in zip(sample.scores.systems, flat.any(axis=0), strict=True) if same]
    names = [str(measures[r]) for r, f in zip(rows, flat, strict=True) if f.any()]
    if systems:
        yield (
            warning(
                "intervals",
                f"The score of {quoted(systems, 3)} under {quoted(names, 3)} is the same on all "
                f"{sample.over}: the interval, which would have no width, is that of "
                f"{plural(sample.units, 'item')}, one for each {sample.over[:-1]}.",
            )
        )


def _square(interval: Interval, pairs: Pairs, sample: Sample) -> Interval:
    """Turn intervals `[measure, pair]` into `[measure, system, system]`."""
    turned, systems = interval.negated(), len(sample.scores.systems)
    arrays: dict[str, Any] = {
        name: square(getattr(interval, name), getattr(turned, name), pairs, systems)
        for name in ("estimate", "low", "high", "se", "undefined")
    }
    return replace(interval, **arrays)


def square(upper: Array, lower: Array, pairs: Pairs, systems: int, diagonal: float = 0) -> Array:
    """Turn figures `[measure, pair]` and those of the turned pairs into a square of systems.

    Floats of pairs that are not given are NaN.
    """
    firsts, seconds = map(list, zip(*pairs, strict=True))
    fill = np.nan if upper.dtype.kind == "f" else 0
    whole = np.full((len(upper), systems, systems), fill, dtype=upper.dtype)
    whole[:, range(systems), range(systems)] = diagonal
    whole[:, firsts, seconds], whole[:, seconds, firsts] = upper, lower
    return whole
