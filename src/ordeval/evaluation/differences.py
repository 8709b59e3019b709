"""Intervals of the differences of two systems, paired by topics or by items."""

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts, JointCounts
from ..results import Floats, Intervals
from ..scoring import Scores
from ..stats.intervals import Interval, interval_of, mean_jackknife, topic_jackknife
from ..stats.paired import difference_interval
from ..stats.resample import Integers, bootstrap, bootstrap_means
from .intervals import in_full
from .scored import batched_rows, by_topic, scoring, slow_notice, statistic
from .settings import Settings

Pairs = Sequence[tuple[int, int]]


def make_differences(
    counts: Counts, joint: Callable[[], JointCounts], scores: Scores, how: Settings
) -> tuple[Intervals | None, tuple[str, ...]]:
    """Intervals `[measure, system, system]` of the row's score minus the column's.

    Over topics the systems share the drawn topics; over items they share the drawn items, which
    their joint counts remember.
    """
    if not how.differences or not how.bootstrap or len(scores.systems) < 2:
        return None, ()
    over = how.unit(len(counts.topics))
    if over == "topics":
        return differences_over_topics(counts.table, scores, how), ()
    if counts.weighted:
        return None, ()  # a notice has said that items of real weights cannot be resampled
    pairs = _pairs(scores)
    found = _over_items(joint(), scores, how, pairs)
    whole = in_full(_as_matrix(found, pairs), batched_rows(scores), len(scores.measures), over, how)
    return whole, slow_notice(scores, "intervals of differences")


def differences_over_topics(tables: Floats | None, scores: Scores, how: Settings) -> Intervals:
    """Intervals from topics that all systems share; `tables` serve where topics are pooled."""
    matrix = by_topic(scores)
    pairs, rows = _pairs(scores), list(range(len(scores.measures)))
    if matrix is not None:
        undefined = scoring(scores)["undefined"]
        replicates = bootstrap_means(matrix, how.plan(how.bootstrap), undefined)
        jackknife = mean_jackknife(matrix, undefined)
    else:
        rows = batched_rows(scores)
        score = statistic(scores, [scores.measures[i] for i in rows])
        plan, options = how.plan(how.bootstrap), scoring(scores)
        replicates = bootstrap(np.asarray(tables), score, plan, over="topics", **options)
        jackknife = topic_jackknife(np.asarray(tables), score, **options)
    estimate = scores.values[rows]
    found = Interval.stack([_pair(estimate, replicates, jackknife, p, how) for p in pairs])
    return in_full(_as_matrix(found, pairs), rows, len(scores.measures), "topics", how)


def _pair(
    estimate: Floats,
    replicates: Floats,
    jackknife: tuple[Floats, Integers],
    pair: tuple[int, int],
    how: Settings,
) -> Interval:
    """Interval `[M]` of one pair, from what was drawn for all systems together: `[M, ..., S]`."""
    left_out, weights = jackknife
    a, b = pair
    return interval_of(
        estimate[..., a] - estimate[..., b],
        replicates[..., a] - replicates[..., b],
        lambda: (left_out[..., a] - left_out[..., b], weights),
        how.rule,
        how.ci,
    )


def _over_items(joint: JointCounts, scores: Scores, how: Settings, pairs: Pairs) -> Interval:
    """Intervals `[M, pair]` of the batched measures, from the joint counts of every pair."""
    score = statistic(scores, [scores.measures[i] for i in batched_rows(scores)])
    parts = []
    for a, b in ((scores.systems[i], scores.systems[j]) for i, j in pairs):
        found = difference_interval(
            joint.pair(a, b),
            score,
            how.plan(how.bootstrap, quiet=True),
            names=(a, b),
            method=how.rule,
            level=how.ci,
            over=how.unit(len(joint.topics)),
            **scoring(scores),
        )
        parts.append(found)
        if how.progress:
            how.progress(len(parts), len(pairs))
    return Interval.stack(parts)


def _pairs(scores: Scores) -> Pairs:
    """All pairs, each in the order of the systems' names, whatever order they were given in."""
    by_name = sorted(range(len(scores.systems)), key=scores.systems.__getitem__)
    return list(combinations(by_name, 2))


def _as_matrix(found: Interval, pairs: Pairs) -> Interval:
    """Intervals `[M, pair]` as `[M, system, system]`, turned for the other order of a pair."""
    size = 1 + max(max(pair) for pair in pairs)
    turned = found.negated()
    firsts, seconds = map(list, zip(*pairs, strict=True))

    def spread(upper: NDArray[Any], lower: NDArray[Any]) -> NDArray[Any]:
        whole = np.zeros((len(upper), size, size), dtype=upper.dtype)
        whole[:, firsts, seconds], whole[:, seconds, firsts] = upper, lower
        return whole

    return Interval(
        spread(found.estimate, turned.estimate),
        spread(found.low, turned.low),
        spread(found.high, turned.high),
        spread(found.se, found.se),
        spread(found.undefined, found.undefined),
        spread(found.plain, found.plain),
        found.method,
        found.level,
        found.replicates,
    )
