"""Intervals of the scores of systems, and of their differences.

Each function takes a `Sample` and returns what it computed, or None where that is impossible,
with notices that explain what is missing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from ..counts import Counts, constant_predictions
from ..errors import plural, quoted
from ..limits import check_memory
from ..measures.scoring import Scores
from ..results import Intervals
from ..rows import JointCells
from ..stats.dirichlet import dirichlet_difference, dirichlet_interval
from ..stats.intervals import (
    Interval,
    Jackknife,
    bootstrap_interval,
    interval_of,
    mean_jackknife,
    t_interval,
    topic_jackknife,
)
from ..stats.paired import difference_interval
from ..stats.resample import (
    Block,
    Plan,
    bootstrap,
    bootstrap_means,
    mean_of_present,
    score_draws,
    stream,
    weighted_means,
)
from ..stats.unit_moments import LeftOut
from ..types import Array, Bools, Floats, Method
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
    if not sample.settings.bootstrap:
        return None, ()
    found = [
        (rows, *(_intervals_of_numbers(part) if part.of_numbers else _intervals(part)))
        for rows, part in sample.parts
    ]
    merged = _merged([(rows, made) for rows, made, _ in found], sample)
    return merged, tuple(notice for *_, notices in found for notice in notices)


def _merged(
    parts: Sequence[tuple[list[int], Intervals | None]], sample: Sample
) -> Intervals | None:
    """Put the intervals of classes and of numbers together, in the order of the measures."""
    made = [(rows, found) for rows, found in parts if found is not None]
    if not made or len(parts) == 1:
        return made[0][1] if made else None
    whole, measures = made[0][1], len(sample.scores.measures)
    arrays: dict[str, Any] = {}
    for name in ("low", "high", "se", "undefined"):
        first = getattr(whole, name)
        empty = np.nan if first.dtype.kind == "f" else 0
        arrays[name] = np.full((measures, *first.shape[1:]), empty, dtype=first.dtype)
        for rows, found in made:
            arrays[name][rows] = getattr(found, name)
    for name in ("doubts", "flat_doubts"):
        reasons = [""] * measures
        for rows, found in made:
            for row, reason in zip(rows, getattr(found, name), strict=False):
                reasons[row] = reason
        arrays[name] = tuple(reasons) if any(reasons) else ()
    return replace(whole, **arrays)


def _by_topic_scores(sample: Sample) -> bool:
    """Whether units are topics, or whole clusters of topics, whose scores are averaged."""
    clusters = sample.over == "clusters" and sample.topic_clusters is not None
    return sample.topic_scores is not None and (sample.over == "topics" or clusters)


def _intervals_of_numbers(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute t intervals of measures of numbers from the jackknife over units."""
    method = sample.settings.interval_method(sample.over)
    if sample.over == "both":
        settings = replace(sample.settings, over="topics", method="t")
        sample = replace(sample, settings=settings)
    if _by_topic_scores(sample):
        found, notices = _intervals(sample)
        return found, (*notices, *_said_method(sample, method))
    left_out, problem = _left_out(sample)
    if left_out is None:
        return None, (problem,)
    se = np.sqrt(np.maximum(np.einsum("mss->ms", left_out.covariance), 0.0))  # rounded below 0
    units = np.einsum("mss->ms", left_out.units)
    made = _t_intervals(sample, sample.scores.values, se, units, left_out, sample.settings.ci)
    made = _within_bounds(_symmetric_elsewhere(made, sample.scores), sample)
    return made, _said_method(sample, method)


def _symmetric_elsewhere(found: Intervals, scores: Scores) -> Intervals:
    """Make intervals symmetric in the logarithm of errors, and in Fisher's z of correlations.

    There the spread of a score depends less on the score, so that with few units intervals cover
    it more often (benchmarks/raw_numbers.py).
    """
    low, high = found.low.copy(), found.high.copy()
    for row, (m, score) in enumerate(zip(scores.measures, scores.values, strict=True)):
        half = found.high[row] - score
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            if m.better == "lower":
                ends = score * np.exp([-half / score, half / score])
            else:
                ends = np.tanh(np.arctanh(score) + np.array([[-1], [1]]) * half / (1 - score**2))
        usable = np.isfinite(ends).all(axis=0) & (half > 0)
        low[row], high[row] = np.where(usable, ends, [low[row], high[row]])
    return replace(found, low=low, high=high)


def _left_out(sample: Sample) -> tuple[LeftOut | None, str]:
    """Leave out units; None, and the reason, where that is impossible."""
    names = quoted((str(m) for m in sample.scores.measures), 3)
    if sample.unit_moments is None:
        return None, (
            f"No intervals of {names} over {sample.over}: they need the numbers of every item, "
            "which are unknown or too many to hold; over topics they are available."
        )
    if sample.unit_moments.units < 2:
        return None, f"No intervals of {names}: there is only one {sample.over.rstrip('s')}."
    return sample.unit_moments.jackknife(sample.on_sums(), sample.scores.replaced), ""


def _t_intervals(
    sample: Sample, estimate: Floats, se: Floats, units: Array, left_out: LeftOut, level: float
) -> Intervals:
    """Return t intervals of scores or of differences."""
    from scipy.special import stdtrit

    # Differences of rounding errors are no spread.
    se = np.where(se <= 1e-9 * np.abs(np.nan_to_num(estimate)), 0.0, se) if se.ndim == 2 else se
    half = stdtrit(np.maximum(units - 1, 1), (1 + level) / 2) * se
    few = _FEW_UNITS if sample.over in ("topics", "clusters") else 2 * _FEW_UNITS
    low, high = (np.where(np.isnan(estimate), np.nan, estimate + s * half) for s in (-1, 1))
    shape = se.shape[1:]
    doubts = []
    for n, ends in zip(units, low, strict=True):
        known = ~np.isnan(ends)  # there is no doubt about an interval that does not exist
        doubts.append(_doubt_of_units(sample, few, n[known], left_out.total))
    undefined = left_out.undefined
    if len(shape) == 2:
        undefined = np.maximum(undefined[:, :, None], undefined[:, None, :])
    return Intervals(
        low,
        high,
        se,
        undefined,
        "t",
        level,
        left_out.total,
        sample.over,
        sample.settings.seed,
        tuple(doubts) if any(doubts) else (),
        _flat_doubts(se, sample.over),
    )


def _doubt_of_units(sample: Sample, few: int, units: Array, total: int) -> str:
    """Return why t intervals of scores, or of differences, may be too short."""
    if not units.size or units.min() >= few:
        return ""
    with_score = "" if total < few else " have a score when they are left out"
    return f"{'there are ' if total < few else ''}fewer than {few} {sample.over}{with_score}"


def _flat_doubts(se: Floats, over: str) -> tuple[str, ...]:
    """Return for every measure why its intervals without a spread are doubtful, if it has any."""
    measures, systems, *others = se.shape
    flat = se == 0
    if others:
        flat = flat & ~np.eye(systems, dtype=np.bool_)
    of_score = f"all {over} of the system have the same score"
    why = f"the two systems differ by the same on all {over}" if others else of_score
    found = flat.reshape(measures, -1).any(axis=1)
    return tuple(why if some else "" for some in found) if found.any() else ()


def _said_method(sample: Sample, method: Method) -> Notices:
    """Say that measures of numbers have t intervals where others have another kind."""
    if method == "t" or (_by_topic_scores(sample) and sample.settings.method != "t"):
        return ()
    names = quoted((str(m) for m in sample.scores.measures), 10)
    return (
        f"Intervals of {names} (raw numbers) are t intervals from the jackknife over "
        f"{sample.over}, on a logarithmic scale for errors and in Fisher's z for the others.",
    )


def _intervals(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals from tables, or from the scores of topics."""
    problem = _unavailable(sample)
    if problem:
        return None, (f"No intervals: {problem}",)
    method = sample.settings.interval_method(sample.over)
    if sample.over == "items" and not _needs_rows(sample, method):
        rows, found = sample.batched, _intervals_over_items(sample, method)
    elif sample.over == "both":
        rows, found = sample.batched, _bootstrap_intervals(sample, method)
    else:
        rows, shared = _shared(sample, method)
        level = sample.settings.ci
        of_units = partial(_system_of_units, sample, level)
        found = _widened(shared.interval(level), sample, rows, of_units)
    slow = sample.slow_notice("intervals") if rows == sample.batched else ()
    intervals = _within_bounds(_all_measures(found, rows, sample), sample)
    return intervals, (*slow, *_interval_notices(sample, rows, found))


def _unavailable(sample: Sample) -> str:
    """Return why there are no intervals; empty text if there are."""
    if sample.over == "both" and sample.weighted:
        return "items with weights cannot be resampled within topics; resample topics instead."
    if sample.over == "clusters" and sample.rows is None:
        return "there are too many distinct rows to resample clusters."
    if sample.over in ("clusters", "topics") and sample.units < 2:
        return f"there is only one {sample.over[:-1]}, and nothing to compare it with."
    if sample.over != "items" or not sample.weighted or sample.counts is None:
        return ""
    if sample.counts.squares is None:
        return (
            "the tables hold weights, and the items behind them are unknown; give whole counts, or "
            "the sums of squared weights to Counts.from_table."
        )
    method = sample.settings.interval_method(sample.over)
    if _needs_rows(sample, method) and sample.rows is None:
        return f"{method} intervals of items with weights need the items themselves."
    return ""


def _needs_rows(sample: Sample, method: Method) -> bool:
    """Whether items can be resampled only one by one: those with weights, by bootstrap."""
    return sample.weighted and method != "dirichlet"


def _by_joint_counts(sample: Sample, method: Method) -> bool:
    """Whether differences are resampled from joint counts, of which long scales have too many."""
    if sample.over == "both":
        return True
    long = sample.places is not None and sample.rows is not None and method != "dirichlet"
    return sample.over == "items" and not long and not _needs_rows(sample, method)


def _intervals_over_items(sample: Sample, method: Method) -> Interval:
    """Intervals of the batched measures, from tables drawn for every system.

    The draws depend on the table and the seed only, so that equal predictions have equal
    intervals whatever the systems are called.
    """
    if method != "dirichlet":
        return _bootstrap_intervals(sample, method)
    assert sample.counts is not None
    settings, counts = sample.settings, sample.counts
    squares = [None] * len(counts.table) if counts.squares is None else counts.squares
    parts = [
        dirichlet_interval(
            table,
            sample.statistic,
            settings.plan(settings.bootstrap),
            squares=square,
            level=settings.ci,
            bounds=sample.bounds[sample.batched],
            aggregate="mean" if sample.averaged else "pool",
            undefined=sample.scores.replaced,
        )
        for table, square in zip(counts.table, squares, strict=True)
    ]
    return Interval.stack(parts)


def _bootstrap_intervals(sample: Sample, method: Method) -> Interval:
    """Bootstrap intervals of the batched measures, from resampled tables of every system."""
    settings = sample.settings
    parts = [
        bootstrap_interval(
            tables,
            sample.statistic,
            settings.plan(settings.bootstrap),
            method=method,
            level=settings.ci,
            over=sample.over,
            aggregate=sample.scores.aggregate,
            undefined=sample.scores.replaced,
        )
        for tables in sample.tables
    ]
    return Interval.stack(parts)


class _Shared:
    """Scores under the resampling of units that all systems share.

    Parameters
    ----------
    estimate : array of shape (M, S)
        The scores.
    left_out : array of shape (M, J, S)
        Scores without one unit, or one group of units.
    present : array of bool of shape (M, J, S)
        Whether a unit enters the score of a system: topics without a score may not.
    replicates : array of shape (M, B, S), optional
        Scores of resampled units; None for t intervals.
    method : {"t", "bca", "percentile"}
        The kind of interval.
    """

    def __init__(
        self,
        estimate: Floats,
        left_out: Floats,
        present: Bools,
        replicates: Floats | None,
        method: Method,
    ) -> None:
        self.estimate, self.left_out, self.present = estimate, left_out, present
        self.replicates, self.method = replicates, method

    def interval(self, level: float) -> Interval:
        """Return the intervals `[M, S]` of the scores."""
        left_out = np.where(self.present, self.left_out, np.nan)
        return self._interval(self.estimate, left_out, self.replicates, level)

    def difference(self, a: int, b: int, level: float) -> Interval:
        """Return the intervals `[M]` of the differences of two systems."""
        replicates = self.replicates
        either = self.present[..., a] | self.present[..., b]
        return self._interval(
            self.estimate[..., a] - self.estimate[..., b],
            np.where(either, self.left_out[..., a] - self.left_out[..., b], np.nan),
            None if replicates is None else replicates[..., a] - replicates[..., b],
            level,
        )

    def _interval(
        self, estimate: Floats, left_out: Floats, replicates: Floats | None, level: float
    ) -> Interval:
        if replicates is None:
            return t_interval(estimate, left_out, level)
        jackknife: Jackknife = left_out, np.ones(left_out.shape[1], dtype=np.int64)
        return interval_of(estimate, replicates, lambda: jackknife, self.method, level)


def _shared(sample: Sample, method: Method) -> tuple[list[int], _Shared]:
    """Resample the units that all systems share; returns the rows of the measures, and scores."""
    settings, scores, undefined = sample.settings, sample.scores, sample.scores.replaced
    plan = settings.plan(settings.bootstrap or _DRAWS)
    clusters = sample.topic_clusters if sample.over == "clusters" else None
    replicates = present = None
    if sample.topic_scores is not None and (sample.over == "topics" or clusters is not None):
        rows = list(range(len(scores.measures)))
        if clusters is not None:
            left_out = _without_clusters(sample.topic_scores, clusters, sample)
        else:
            left_out, _ = mean_jackknife(sample.topic_scores, undefined)
            if undefined == "skip":
                present = ~np.isnan(sample.topic_scores).swapaxes(1, 2)
        if method != "t" and clusters is None:
            replicates = bootstrap_means(sample.topic_scores, plan, undefined)
    elif sample.over == "topics":
        rows = sample.batched
        left_out, _ = topic_jackknife(sample.tables, sample.statistic, undefined=undefined)
        if method != "t":
            replicates = bootstrap(
                sample.tables, sample.statistic, plan, over="topics", undefined=undefined
            )
    else:
        rows, left_out = sample.batched, _unit_jackknife(sample)
    if method != "t" and replicates is None:
        rows, replicates = sample.batched, _unit_bootstrap(sample)
        left_out = left_out if len(left_out) == len(rows) else left_out[rows]
    if present is None:
        present = np.ones(left_out.shape, dtype=np.bool_)
    return rows, _Shared(scores.values[rows], left_out, present, replicates, method)


def _without_clusters(scores: Floats, clusters: Array, sample: Sample) -> Floats:
    """Take means `[M, C, S]` over topics without those of one cluster."""
    kept = (clusters != np.unique(clusters)[:, None]).astype(np.float64)
    return np.moveaxis(weighted_means(scores, kept, sample.scores.replaced), -1, 1)


def _unit_jackknife(sample: Sample) -> Floats:
    """Score tables `[M, J, S]` without one unit, or one of at most a thousand groups of units."""
    units = sample.unit_tables
    assert units is not None
    groups, step = units.groups(), max(1, _JACKKNIFE_ENTRIES // units.entries)
    parts = [
        _score_units(
            units.without_units(seed=sample.settings.seed, part=slice(start, start + step)), sample
        )
        for start in range(0, groups, step)
    ]
    return np.concatenate(parts, axis=1)


def _unit_bootstrap(sample: Sample) -> Floats:
    """Score tables `[M, B, S]` of resampled units."""
    units, settings = sample.unit_tables, sample.settings
    assert units is not None
    plan = settings.plan(settings.bootstrap or _DRAWS)

    def draw(block: Block) -> Array:
        return units.resampled(stream(plan.seed, "units", block.number), block.size)

    def score(tables: Array) -> Floats:
        return _score_units(tables, sample)

    return score_draws(draw, score, plan, units.entries)


def _score_units(tables: Floats, sample: Sample) -> Floats:
    """Score tables `[..., S, T, K, K]`: `[M, ..., S]`."""
    scores = sample.statistic(tables)
    return mean_of_present(scores, tables.sum(axis=(-2, -1)) > 0, sample.scores.replaced)


def _widened(
    found: Interval, sample: Sample, rows: Sequence[int], of_units: Callable[[int, Plan], Interval]
) -> Interval:
    """Give t intervals of no width, where all units agree, the width of Dirichlet intervals.

    `of_units` returns the Dirichlet interval of a system, or of a pair, as if every unit were one
    item.
    """
    flat = (found.se == 0) & ~np.isnan(found.estimate)
    if found.method != "t" or not flat.any() or sample.counts is None:
        return found
    low, high = found.low.copy(), found.high.copy()
    plan = sample.settings.plan(sample.settings.bootstrap or _DRAWS, quiet=True)
    of_batched = {row: i for i, row in enumerate(sample.batched)}
    known = [(i, of_batched[row]) for i, row in enumerate(rows) if row in of_batched]
    for place in map(int, np.flatnonzero(flat[[i for i, _ in known]].any(axis=0))):
        wide = of_units(place, plan)
        for i, at in known:
            if flat[i, place] and not np.isnan(wide.low[at]):
                low[i, place] -= wide.estimate[at] - wide.low[at]
                high[i, place] += wide.high[at] - wide.estimate[at]
    return replace(found, low=low, high=high)


def _system_of_units(sample: Sample, level: float, system: int, plan: Plan) -> Interval:
    """Return the intervals of a system from its pooled table, taken as one of so many units."""
    assert sample.counts is not None
    table = sample.counts.pooled("topic").table[system]
    # With squares of its own size, the table is one of so many items of weight 1.
    table = table * (sample.units / table.sum())
    return dirichlet_interval(table, sample.statistic, plan, squares=table, level=level)


def _pair_of_units(sample: Sample, level: float, pairs: Pairs, place: int, plan: Plan) -> Interval:
    """Return the intervals of the differences of a pair from its joint counts, likewise."""
    joint = joint_cells(sample, pairs[place]).pooled().as_items(sample.units)
    return dirichlet_difference(joint, sample.statistic, plan, level=level)


def _all_measures(found: Interval, rows: Sequence[int], sample: Sample) -> Intervals:
    """Intervals of all measures; NaN for those that were not resampled."""
    settings = sample.settings
    shape = (len(sample.scores.measures), *found.low.shape[1:])
    low, high, se = (np.full(shape, np.nan) for _ in range(3))
    undefined = np.zeros(shape, dtype=np.int64)
    low[rows], high[rows], se[rows] = found.low, found.high, found.se
    undefined[rows] = found.undefined
    return Intervals(
        low,
        high,
        se,
        undefined,
        found.method,
        found.level,
        found.replicates,
        sample.over,
        settings.seed,
        _doubts(sample),
        # Distributions have no table that could have been another one.
        () if sample.counts is not None else _flat_doubts(se, sample.over),
    )


def _doubts(sample: Sample) -> tuple[str, ...]:
    """Return for every measure why its intervals may cover less than their level."""
    measures = sample.scores.measures
    found = [""] * len(measures)
    if sample.counts is not None and not sample.averaged:
        items = class_items(sample.counts)
        found = [m.interval_doubt(items) for m in measures]
    if sample.over in ("topics", "clusters"):
        enough = _effective_units(sample) >= _FEW_UNITS
        few = f"there are fewer than {_FEW_UNITS} {sample.over} of equal size with a score"
        found = [why if ok else few for why, ok in zip(found, enough, strict=True)]
    return tuple(found) if any(found) else ()


def class_items(counts: Counts) -> Floats:
    """Return the effective number of items of every gold class."""
    pooled = counts.pooled("topic")
    weights = pooled.table[0].sum(axis=-1)
    if pooled.squares is None:
        return np.asarray(weights)
    squares = pooled.squares[0].sum(axis=-1)
    return np.asarray(weights**2 / np.where(squares > 0, squares, 1.0))


def _effective_units(sample: Sample) -> Floats:
    """Return for every measure how many units of equal size its intervals rest on."""
    measures = len(sample.scores.measures)
    if sample.averaged and sample.topic_scores is not None and sample.over == "topics":
        defined = ~np.isnan(sample.topic_scores)
        return np.asarray(defined.sum(axis=-1).min(axis=-1), dtype=np.float64)
    if sample.over == "clusters" and not sample.averaged and sample.rows is not None:
        sizes = np.bincount(sample.clusters, sample.rows.count)
        return np.full(measures, sizes.sum() ** 2 / (sizes**2).sum())
    return np.full(measures, float(sample.units))


def _within_bounds(intervals: Intervals, sample: Sample) -> Intervals:
    """Move ends that lie outside a measure's range to its end.

    Quantiles of replicates can be outside by rounding only; t intervals are cut.
    """
    bounds = sample.bounds
    lowest, highest = bounds[:, :1], bounds[:, 1:]
    far = np.inf if intervals.method == "t" else _ROUNDING

    def moved(ends: Floats) -> Floats:
        near = np.clip(ends, lowest, highest)
        return np.where(np.abs(ends - near) <= far, near, ends)

    return replace(intervals, low=moved(intervals.low), high=moved(intervals.high))


def _interval_notices(sample: Sample, rows: Sequence[int], found: Interval) -> Notices:
    """Report few or undefined replicates, and intervals that fell back to the percentile method."""
    notices, measures = [], sample.scores.measures
    if found.method != "t" and found.replicates < _FEW_REPLICATES:
        notices.append(
            f"The intervals rest on {plural(found.replicates, 'replicate')} only, so that their "
            "ends are imprecise; 1,000 or more are usual."
        )
    worst = np.where(np.isnan(found.estimate), 0, found.undefined).max(axis=1)
    touched = [f"{n:,} of {measures[r]}" for r, n in zip(rows, worst, strict=True) if n]
    if touched:
        what = "scores without one unit" if found.method == "t" else "replicates"
        notices.append(
            f"Some of the {found.replicates:,} {what} are undefined and left out: of one system up "
            f"to {', '.join(touched)}."
        )
    plain = [str(measures[r]) for r, p in zip(rows, found.plain, strict=True) if p.any()]
    if plain:
        notices.append(f"Percentile instead of BCa intervals for {quoted(plain)}, in part.")
    notices += _agreeing_units(sample, rows, found)
    return tuple(notices)


def _agreeing_units(sample: Sample, rows: Sequence[int], found: Interval) -> Iterator[str]:
    """Name the systems whose interval is that of as many items as there are units."""
    if found.method != "t" or sample.counts is None:
        return
    flat = (found.se == 0) & ~np.isnan(found.estimate)
    constant = constant_predictions(sample.counts.pooled("topic").table)
    explained = np.array([zero_if_constant(sample.scores.measures[row]) for row in rows])
    flat &= ~(explained[:, None] & constant)  # another notice is about these
    systems = [s for s, same in zip(sample.scores.systems, flat.any(axis=0), strict=True) if same]
    measures = [str(sample.scores.measures[r]) for r, f in zip(rows, flat, strict=True) if f.any()]
    if systems:
        yield (
            f"The score of {quoted(systems, 3)} under {quoted(measures, 3)} is the same on all "
            f"{sample.over}: the interval, which would have no width, is that of "
            f"{plural(sample.units, 'item')}, one for each {sample.over[:-1]}."
        )


def make_differences(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system, system]` of the row's score minus the column's.

    Over topics and clusters the systems share the resampled units; over items, the drawn items,
    through their joint counts.
    """
    settings = sample.settings
    if not settings.differences or not settings.bootstrap:
        return None, ()
    return difference_intervals(sample, settings.ci)


def difference_intervals(sample: Sample, level: float) -> tuple[Intervals | None, Notices]:
    """Compute intervals of differences at any level; see `make_differences`."""
    found = [
        (
            rows,
            *(
                _differences_of_numbers(part, level)
                if part.of_numbers
                else _differences(part, level)
            ),
        )
        for rows, part in sample.parts
    ]
    merged = _merged([(rows, made) for rows, made, _ in found], sample)
    return merged, tuple(notice for *_, notices in found for notice in notices)


def _differences_of_numbers(sample: Sample, level: float) -> tuple[Intervals | None, Notices]:
    """Compute t intervals of differences under measures of numbers."""
    if sample.over == "both":
        settings = replace(sample.settings, over="topics", method="t")
        sample = replace(sample, settings=settings)
    if _by_topic_scores(sample):
        return _differences(sample, level)
    left_out = None if len(sample.scores.systems) < 2 else _left_out(sample)[0]
    if left_out is None:
        return None, ()
    values = sample.scores.values
    estimate = values[:, :, None] - values[:, None, :]
    if sample.settings.against is not None:
        wanted = np.eye(len(sample.scores.systems), dtype=np.bool_)
        place = sample.scores.place(sample.settings.against)
        wanted[place], wanted[:, place] = True, True
        estimate = np.where(wanted, estimate, np.nan)
    return _t_intervals(sample, estimate, *left_out.difference(), left_out, level), ()


def _differences(sample: Sample, level: float) -> tuple[Intervals | None, Notices]:
    """Compute intervals of differences from tables, or from the scores of topics."""
    scores = sample.scores
    if len(scores.systems) < 2 or _unavailable(sample):
        return None, ()
    if sample.over == "both" and not sample.paired:
        return None, (f"No intervals of differences: {_UNPAIRED}",)
    pairs = wanted_pairs(sample)
    method = sample.settings.interval_method(sample.over)
    if _by_joint_counts(sample, method):
        rows, found = sample.batched, _joint_differences(sample, pairs, method, level)
    else:
        rows, shared = _shared(sample, method)
        found = Interval.stack([shared.difference(a, b, level) for a, b in pairs])
        if sample.paired:
            found = _widened(found, sample, rows, partial(_pair_of_units, sample, level, pairs))
        else:
            found = _without_flat(found)
    whole = _all_measures(_as_matrix(found, pairs, len(scores.systems)), rows, sample)
    slow = sample.slow_notice("intervals of differences") if rows == sample.batched else ()
    if not sample.paired and np.any((found.se == 0) & ~np.isnan(found.estimate)):
        slow += (
            f"No intervals of differences that are the same in all {sample.over}: {_UNPAIRED}",
        )
    return whole, slow


def _without_flat(found: Interval) -> Interval:
    """Return intervals without those of no width, where all units agree."""
    flat = found.se == 0
    return replace(
        found, low=np.where(flat, np.nan, found.low), high=np.where(flat, np.nan, found.high)
    )


def wanted_pairs(sample: Sample) -> list[tuple[int, int]]:
    """Return the positions of the pairs to be compared: all, or those with one system."""
    systems, against = sample.scores.systems, sample.settings.against
    pairs = combinations(range(len(systems)), 2)
    return [(a, b) for a, b in pairs if against in (None, systems[a], systems[b])]


def _joint_differences(sample: Sample, pairs: Pairs, method: Method, level: float) -> Interval:
    """Intervals `[measure, pair]` of the batched measures, from the joint counts of each pair."""
    settings = sample.settings
    parts = []
    for pair in pairs:
        plan = settings.plan(settings.bootstrap or _DRAWS, quiet=True)
        if method == "dirichlet":
            found = dirichlet_difference(
                joint_cells(sample, pair),
                sample.statistic,
                plan,
                level=level,
                bounds=sample.bounds[sample.batched],
                aggregate="mean" if sample.averaged else "pool",
                undefined=sample.scores.replaced,
            )
        else:
            found = difference_interval(
                joint_table(sample, pair),
                sample.statistic,
                plan,
                method=method,
                level=level,
                over=sample.over,
                aggregate=sample.scores.aggregate,
                undefined=sample.scores.replaced,
            )
        parts.append(found)
        if settings.progress:
            settings.progress(len(parts), len(pairs))
    return Interval.stack(parts)


def joint_cells(sample: Sample, pair: tuple[int, int]) -> JointCells:
    """Return the joint counts of a pair."""
    if sample.rows is None:
        return JointCells.of(joint_table(sample, pair))
    k, topics = sample.scores.scale.k, max(1, len(sample.scores.topics))
    return sample.rows.pair(*pair, k, topics)


def joint_table(sample: Sample, pair: tuple[int, int]) -> Floats:
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
    if sample.rows is not None:
        cells = sample.rows.pair(*pair, k, topics)
        joint = np.zeros(topics * k**3)
        joint[cells.codes] = cells.amounts
        return joint.reshape(topics, k, k, k)
    assert sample.source is not None
    a, b = (sample.scores.systems[i] for i in pair)
    return np.asarray(sample.source.joint([(a, b)]).table[0].reshape(topics, k, k, k))


def _as_matrix(found: Interval, pairs: Pairs, systems: int) -> Interval:
    """Turn intervals `[measure, pair]` into `[measure, system, system]`."""
    turned = found.negated()

    return replace(
        found,
        estimate=square(found.estimate, turned.estimate, pairs, systems),
        low=square(found.low, turned.low, pairs, systems),
        high=square(found.high, turned.high, pairs, systems),
        se=square(found.se, turned.se, pairs, systems),
        undefined=square(found.undefined, turned.undefined, pairs, systems),
        plain=square(found.plain, turned.plain, pairs, systems),
    )


def square(upper: Array, lower: Array, pairs: Pairs, systems: int, diagonal: float = 0) -> Array:
    """Turn figures `[measure, pair]` and those of the turned pairs into a square of systems.

    Floats of pairs that are not given are NaN.
    """
    firsts, seconds = map(list, zip(*pairs, strict=True))
    fill = np.nan if upper.dtype.kind == "f" else 0
    found = np.full((len(upper), systems, systems), fill, dtype=upper.dtype)
    found[:, range(systems), range(systems)] = diagonal
    found[:, firsts, seconds], found[:, seconds, firsts] = upper, lower
    return found
