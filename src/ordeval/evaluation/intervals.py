"""Bootstrap intervals of the scores of a result."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..counts import Counts
from ..errors import quoted
from ..results import Floats, Intervals
from ..scoring import Scores
from ..stats.intervals import Interval, bootstrap_interval, mean_interval
from ..stats.resample import Over
from .scored import batched_rows, by_topic, scoring, slow_notice, statistic
from .settings import Settings

Found = tuple[Intervals | None, tuple[str, ...]]
_ROUNDING = 1e-9  # a kernel may step over the end of its range by a few last digits


def make_intervals(counts: Counts, scores: Scores, how: Settings) -> Found:
    """Intervals `[measure, system]`, and notices on those that cannot be had."""
    if not how.bootstrap:
        return None, ()
    over = how.unit(len(counts.topics))
    if over != "topics" and counts.weighted:
        return None, ("No intervals: the tables hold real weights, and items cannot be resampled.",)
    matrix = by_topic(scores)
    if over == "topics" and matrix is not None:
        return intervals_of_means(scores, matrix, how)
    rows = batched_rows(scores)
    if over == "topics":  # all systems share the drawn topics
        found = _resampled(counts.table, scores, how, over)
    else:
        found = Interval.stack(
            [
                _resampled(table, scores, how, over, system)
                for system, table in zip(scores.systems, counts.table, strict=True)
            ]
        )
    result = in_full(found, rows, len(scores.measures), over, how)
    notices = (*slow_notice(scores, "intervals"), *_notices(scores, rows, found))
    return _within_bounds(result, scores), notices


def intervals_of_means(scores: Scores, matrix: Floats, how: Settings) -> Found:
    """Intervals of means of scores `[measure, system, topic]`; systems share the drawn topics."""
    undefined = scoring(scores)["undefined"]
    plan = how.plan(how.bootstrap)
    found = mean_interval(matrix, plan, method=how.rule, level=how.ci, undefined=undefined)
    rows = range(len(scores.measures))
    result = in_full(found, rows, len(rows), "topics", how)
    return _within_bounds(result, scores), _notices(scores, rows, found)


def _resampled(
    tables: Floats, scores: Scores, how: Settings, over: Over, system: str = ""
) -> Interval:
    """Intervals of the batched measures; draws of items go by the system's name."""
    return bootstrap_interval(
        tables,
        statistic(scores, [scores.measures[i] for i in batched_rows(scores)]),
        how.plan(how.bootstrap),
        method=how.rule,
        level=how.ci,
        over=over,
        key=system,
        **scoring(scores),
    )


def in_full(
    found: Interval, rows: Sequence[int], measures: int, over: str, how: Settings
) -> Intervals:
    """Intervals of all measures; those that were not resampled have none."""
    shape = (measures, *found.low.shape[1:])
    low, high, se = (np.full(shape, np.nan) for _ in range(3))
    undefined = np.zeros(shape, dtype=np.int64)
    low[rows], high[rows], se[rows] = found.low, found.high, found.se
    undefined[rows] = found.undefined
    return Intervals(low, high, se, undefined, how.method, how.ci, how.bootstrap, over, how.seed)


def _within_bounds(intervals: Intervals, scores: Scores) -> Intervals:
    """Ends that rounding has put just outside a measure's range, put back."""
    bounds = np.array([m.bounds(scores.scale.k) for m in scores.measures])
    lowest, highest = bounds[:, :1], bounds[:, 1:]

    def back(ends: Floats) -> Floats:
        near = np.clip(ends, lowest, highest)
        return np.where(np.abs(ends - near) <= _ROUNDING, near, ends)

    return replace(intervals, low=back(intervals.low), high=back(intervals.high))


def _notices(scores: Scores, rows: Sequence[int], found: Interval) -> tuple[str, ...]:
    """Undefined replicates, and intervals that fell back to the percentile method."""
    notices = []
    worst = np.where(np.isnan(found.estimate), 0, found.undefined).max(axis=1)
    touched = [f"{n:,} of {scores.measures[r]}" for r, n in zip(rows, worst, strict=True) if n]
    if touched:
        notices.append(
            f"Some of the {found.replicates:,} bootstrap replicates are undefined and left out: "
            f"of one system up to {', '.join(touched)}."
        )
    plain = [str(scores.measures[r]) for r, p in zip(rows, found.plain, strict=True) if p.any()]
    if plain:
        notices.append(f"Percentile instead of BCa intervals for {quoted(plain)}, in part.")
    return tuple(notices)
