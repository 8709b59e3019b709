"""Intervals, differences and tests of the scores of systems.

Each function takes a `Sample` and returns what it computed, or None where that is impossible,
with notices that explain what is missing.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from math import factorial
from typing import Literal

import numpy as np

from ..counts import Counts, JointCounts
from ..errors import plural, quoted
from ..results import ITEMS_TEST, TOPICS_TEST, TUKEY_TEST, Intervals, Tests
from ..scoring import Scores, replace_undefined, score_tables
from ..stats.anova import Anova, effect_sizes, two_way
from ..stats.intervals import (
    Interval,
    bootstrap_interval,
    interval_of,
    mean_interval,
    mean_jackknife,
    topic_jackknife,
)
from ..stats.paired import difference_interval, holm, randomisation_test
from ..stats.resample import Statistic, bootstrap, bootstrap_means
from ..stats.tukey import classical_tukey, randomised_tukey
from ..types import Array, Floats, Over
from .settings import Settings

Notices = tuple[str, ...]
TUKEY_TRIALS, EXCHANGE_TRIALS = 5_000, 10_000
_MOST_FACTORIAL = 170  # the largest factorial that is a float; more systems change nothing
_ROUNDING = 1e-9  # kernels may exceed the end of their range by a few last digits


@dataclass(frozen=True)
class Sample:
    """Scores, and what they can be recomputed from.

    Parameters
    ----------
    scores : Scores
        The scores of the data.
    settings : Settings
        How intervals and tests are made.
    counts : Counts, optional
        Tables with the axes (system, topic); None for distributions, which have scores per topic
        only.
    joint : callable, optional
        Returns the joint counts of all pairs; called only if they are needed.
    """

    scores: Scores
    settings: Settings
    counts: Counts | None = None
    joint: Callable[[], JointCounts] | None = None

    @cached_property
    def over(self) -> Over:
        """What is resampled."""
        return self.settings.unit(len(self.scores.topics))

    @property
    def weighted(self) -> bool:
        """Whether items have real weights, so that they can be neither drawn nor exchanged."""
        return self.counts is not None and self.counts.weighted

    @cached_property
    def topic_scores(self) -> Floats | None:
        """Scores `[measure, system, topic]` of a mean over topics; None otherwise."""
        if self.scores.per_topic is None or self.scores.aggregate == "pool":
            return None
        return replace_undefined(self.scores.per_topic, self.scores.replaced)

    @cached_property
    def batched(self) -> list[int]:
        """The rows of the measures that score thousands of tables quickly."""
        return [i for i, m in enumerate(self.scores.measures) if m.record.batched]

    @property
    def statistic(self) -> Statistic:
        """The batched measures as a function from tables `[..., K, K]` to scores `[M, ...]`."""
        chosen = [self.scores.measures[i] for i in self.batched]

        def statistic(tables: Floats) -> Floats:
            scores = score_tables(chosen, tables, self.scores.scale)
            return replace_undefined(scores, self.scores.replaced)

        return statistic

    def slow_notice(self, what: str) -> Notices:
        """Return a notice about the measures that are too slow to be resampled."""
        slow = [str(m) for m in self.scores.measures if not m.record.batched]
        if not slow:
            return ()
        return (f"No {what} for {quoted(slow)}, which takes too long on thousands of tables.",)


def make_intervals(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute bootstrap intervals `[measure, system]`."""
    if not sample.settings.bootstrap:
        return None, ()
    if sample.over != "topics" and sample.weighted:
        return None, ("No intervals: the tables hold real weights, and items cannot be resampled.",)
    if sample.over == "topics" and sample.topic_scores is not None:
        rows, found = list(range(len(sample.scores.measures))), _intervals_of_means(sample)
        slow: Notices = ()
    else:
        rows, found = sample.batched, _resampled_intervals(sample)
        slow = sample.slow_notice("intervals")
    intervals = _within_bounds(_all_measures(found, rows, sample), sample.scores)
    return intervals, (*slow, *_interval_notices(sample.scores, rows, found))


def _intervals_of_means(sample: Sample) -> Interval:
    """Intervals of means over topics; all systems share the drawn topics."""
    settings = sample.settings
    assert sample.topic_scores is not None
    return mean_interval(
        sample.topic_scores,
        settings.plan(settings.bootstrap),
        method=settings.method,
        level=settings.ci,
        undefined=sample.scores.replaced,
    )


def _resampled_intervals(sample: Sample) -> Interval:
    """Intervals of the batched measures, from resampled tables.

    Over topics all systems share the draws; draws of items belong to the system's name.
    """
    assert sample.counts is not None
    settings, tables = sample.settings, sample.counts.table

    def interval(part: Floats, key: str = "") -> Interval:
        return bootstrap_interval(
            part,
            sample.statistic,
            settings.plan(settings.bootstrap),
            method=settings.method,
            level=settings.ci,
            over=sample.over,
            key=key,
            aggregate=sample.scores.aggregate,
            undefined=sample.scores.replaced,
        )

    if sample.over == "topics":
        return interval(tables)
    named = zip(tables, sample.scores.systems, strict=True)
    return Interval.stack([interval(part, system) for part, system in named])


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
        settings.method,
        settings.ci,
        settings.bootstrap,
        sample.over,
        settings.seed,
    )


def _within_bounds(intervals: Intervals, scores: Scores) -> Intervals:
    """Move ends that rounding has put just outside a measure's range back to its end."""
    bounds = np.array([m.bounds(scores.scale.k) for m in scores.measures])
    lowest, highest = bounds[:, :1], bounds[:, 1:]

    def moved(ends: Floats) -> Floats:
        near = np.clip(ends, lowest, highest)
        return np.where(np.abs(ends - near) <= _ROUNDING, near, ends)

    return replace(intervals, low=moved(intervals.low), high=moved(intervals.high))


def _interval_notices(scores: Scores, rows: Sequence[int], found: Interval) -> Notices:
    """Report undefined replicates, and intervals that fell back to the percentile method."""
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


def make_differences(sample: Sample) -> tuple[Intervals | None, Notices]:
    """Compute intervals `[measure, system, system]` of the row's score minus the column's.

    Over topics the systems share the drawn topics; over items they share the drawn items, through
    their joint counts.
    """
    settings, scores = sample.settings, sample.scores
    if not settings.differences or not settings.bootstrap or len(scores.systems) < 2:
        return None, ()
    # Each pair is taken in the order of the names, whatever order the systems were given in.
    by_name = sorted(range(len(scores.systems)), key=scores.systems.__getitem__)
    pairs = list(combinations(by_name, 2))
    if sample.over == "topics":
        rows, found = _differences_over_topics(sample, pairs)
        return _all_measures(_as_matrix(found, pairs), rows, sample), ()
    if sample.weighted:
        return None, ()  # the notice about intervals explains this
    found = _differences_over_items(sample, pairs)
    whole = _all_measures(_as_matrix(found, pairs), sample.batched, sample)
    return whole, sample.slow_notice("intervals of differences")


_Pairs = Sequence[tuple[int, int]]


def _differences_over_topics(sample: Sample, pairs: _Pairs) -> tuple[list[int], Interval]:
    """Intervals `[measure, pair]` from topics that all systems share."""
    settings, scores = sample.settings, sample.scores
    plan, undefined = settings.plan(settings.bootstrap), scores.replaced
    if sample.topic_scores is not None:
        rows = list(range(len(scores.measures)))
        replicates = bootstrap_means(sample.topic_scores, plan, undefined)
        left_out, weights = mean_jackknife(sample.topic_scores, undefined)
    else:
        assert sample.counts is not None
        rows, tables = sample.batched, sample.counts.table
        replicates = bootstrap(tables, sample.statistic, plan, over="topics", undefined=undefined)
        left_out, weights = topic_jackknife(tables, sample.statistic, undefined=undefined)
    estimate = scores.values[rows]

    def pair(a: int, b: int) -> Interval:
        return interval_of(
            estimate[..., a] - estimate[..., b],
            replicates[..., a] - replicates[..., b],
            lambda: (left_out[..., a] - left_out[..., b], weights),
            settings.method,
            settings.ci,
        )

    return rows, Interval.stack([pair(a, b) for a, b in pairs])


def _differences_over_items(sample: Sample, pairs: _Pairs) -> Interval:
    """Intervals `[measure, pair]` of the batched measures, from the joint counts of each pair."""
    assert sample.joint is not None
    joint, settings, systems = sample.joint(), sample.settings, sample.scores.systems
    parts = []
    for a, b in ((systems[i], systems[j]) for i, j in pairs):
        found = difference_interval(
            joint.pair(a, b),
            sample.statistic,
            settings.plan(settings.bootstrap, quiet=True),
            names=(a, b),
            method=settings.method,
            level=settings.ci,
            over=sample.over,
            aggregate=sample.scores.aggregate,
            undefined=sample.scores.replaced,
        )
        parts.append(found)
        if settings.progress:
            settings.progress(len(parts), len(pairs))
    return Interval.stack(parts)


def _as_matrix(found: Interval, pairs: _Pairs) -> Interval:
    """Turn intervals `[measure, pair]` into `[measure, system, system]`."""
    turned = found.negated()

    return replace(
        found,
        estimate=_square(found.estimate, turned.estimate, pairs),
        low=_square(found.low, turned.low, pairs),
        high=_square(found.high, turned.high, pairs),
        se=_square(found.se, turned.se, pairs),
        undefined=_square(found.undefined, turned.undefined, pairs),
        plain=_square(found.plain, turned.plain, pairs),
    )


def _square(upper: Array, lower: Array, pairs: _Pairs, diagonal: float = 0) -> Array:
    """Turn figures `[measure, pair]` and those of the turned pairs into a square of systems."""
    size = 1 + max(max(pair) for pair in pairs)
    firsts, seconds = map(list, zip(*pairs, strict=True))
    square = np.full((len(upper), size, size), diagonal, dtype=upper.dtype)
    square[:, firsts, seconds], square[:, seconds, firsts] = upper, lower
    return square


def make_tests(sample: Sample) -> tuple[Tests | None, Notices]:
    """Test all pairs: over topics where scores are means over several, else by exchange.

    Where topics are pooled, the systems exchange what the intervals resample: whole topics, or
    single items.
    """
    scores = sample.scores
    if len(scores.systems) < 2:
        return None, ("No tests: there is only one system.",)
    if scores.aggregate == "mean" and len(scores.topics) > 1:
        return _tests_over_topics(sample)
    if sample.weighted:
        return None, ("No tests: the tables hold real weights, and items cannot be exchanged.",)
    tests = _tests_by_exchange(sample)
    return tests, (*sample.slow_notice("tests"), *_too_few_outcomes(tests, scores))


@dataclass(frozen=True)
class _Part:
    """Positions of measures that can be tested on the same systems and topics."""

    measures: list[int]
    systems: list[int]
    topics: list[int]


def _tests_over_topics(sample: Sample) -> tuple[Tests, Notices]:
    """Randomised paired Tukey HSD of every measure, without undefined systems and topics."""
    scores, settings = sample.scores, sample.settings
    assert sample.topic_scores is not None
    trials = settings.trials or TUKEY_TRIALS
    tests = _undefined_tests(len(scores.measures), len(scores.systems), trials, settings)
    parts = list(_testable(sample.topic_scores, scores.systems))
    for part in parts:
        _test_part(part, sample, tests)
    return tests, (*_left_out(parts, scores), *_too_few_topics(parts, scores, tests))


def _undefined_tests(measures: int, systems: int, trials: int, settings: Settings) -> Tests:
    shape = (measures, systems, systems)
    p, difference, effect = (np.full(shape, np.nan) for _ in range(3))
    return Tests(
        p,
        difference,
        effect,
        np.full(measures, np.nan),
        TUKEY_TEST,
        trials,
        settings.alpha,
        settings.seed,
        Anova(*(np.full(measures, np.nan) for _ in fields(Anova))),
        np.full(shape, np.nan) if settings.classical else None,
    )


def _test_part(part: _Part, sample: Sample, tests: Tests) -> None:
    """Fill in the tests of some measures."""
    assert sample.topic_scores is not None
    rows, systems = part.measures, part.systems
    scored = sample.topic_scores[np.ix_(rows, systems, part.topics)].swapaxes(-1, -2)
    names = [sample.scores.systems[s] for s in systems]
    found = randomised_tukey(scored, sample.settings.plan(tests.trials), systems=names)
    place = np.ix_(rows, systems, systems)
    tests.p[place], tests.difference[place] = found.p, found.difference
    tests.effect[place] = effect_sizes(scored)
    variances = two_way(scored)
    tests.residual_variance[rows] = variances.residual_variance
    for field in fields(Anova):
        getattr(tests.anova, field.name)[rows] = getattr(variances, field.name)
    if tests.classical is not None:
        tests.classical[place] = classical_tukey(scored).p


def _testable(matrix: Floats, names: Sequence[str]) -> Iterator[_Part]:
    """Group measures by the systems and topics on which they can be tested.

    A system without any defined score is left out, then every topic that some system lacks.
    Systems are in the order of their names, so that the order in which they were given does not
    change even the last digit.
    """
    by_name = sorted(range(len(names)), key=names.__getitem__)
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for row, scores in enumerate(matrix):
        defined = ~np.isnan(scores)
        systems = [place for place in by_name if defined[place].any()]
        topics = np.flatnonzero(defined[systems].all(axis=0))
        if len(systems) > 1 and len(topics) > 1:
            groups.setdefault((tuple(systems), tuple(map(int, topics))), []).append(row)
    for (kept_systems, kept_topics), rows in groups.items():
        yield _Part(rows, list(kept_systems), list(kept_topics))


def _left_out(parts: list[_Part], scores: Scores) -> Iterator[str]:
    """Report what the tests leave out."""
    for part in parts:
        systems = len(scores.systems) - len(part.systems)
        topics = len(scores.topics) - len(part.topics)
        if systems or topics:
            names = quoted((str(scores.measures[row]) for row in part.measures), 3)
            numbers = (systems, "system"), (topics, "topic")
            gone = " and ".join(plural(n, noun) for n, noun in numbers if n)
            yield f"The test under {names} leaves out {gone} without a defined score."
    tested = {row for part in parts for row in part.measures}
    rest = [str(m) for i, m in enumerate(scores.measures) if i not in tested]
    if rest:
        yield f"No test under {quoted(rest)}: fewer than two systems or topics have defined scores."


def _too_few_topics(parts: list[_Part], scores: Scores, tests: Tests) -> Iterator[str]:
    """Report measures under which no pair can reach the level, whatever the data.

    Exchanging the systems alike on all T topics leaves every difference as it is, so of the
    (S!)^T ways to exchange S systems at least S! are as extreme as the data.
    """
    for part in parts:
        orders = factorial(min(len(part.systems), _MOST_FACTORIAL))
        by_chance = float(orders) ** (1 - len(part.topics))
        least = max(by_chance, 1 / (tests.trials + 1))
        if least >= tests.alpha:
            few = len(part.measures) < len(scores.measures)
            names = quoted((str(scores.measures[row]) for row in part.measures), 3)
            remedy = "more topics" if by_chance == least else "more trials"
            if by_chance == least and scores.measures[0].record.task == "classification":
                remedy += " (without topics, items are tested)"
            yield (
                f"No difference can be significant{f' under {names}' if few else ''}: p over "
                f"{len(part.topics)} topics is at least {least:.2g} whatever the data; the test "
                f"needs {remedy}."
            )


def _tests_by_exchange(sample: Sample) -> Tests:
    """Paired randomisation tests of all pairs through their joint counts, corrected by Holm."""
    assert sample.joint is not None
    joint, settings, scores = sample.joint(), sample.settings, sample.scores
    unit: Literal["items", "topics"] = "items" if sample.over == "items" else "topics"
    # Enough trials for the smallest p-value to stay below alpha after Holm's correction.
    enough = int(np.ceil(2 * len(joint.pairs) / settings.alpha))
    trials = settings.trials or max(EXCHANGE_TRIALS, enough)
    p, difference = np.full((2, len(scores.measures), len(joint.pairs)), np.nan)
    for i, (names, table) in enumerate(zip(joint.pairs, joint.table, strict=True)):
        plan = settings.plan(trials, quiet=True)
        found = randomisation_test(table, sample.statistic, plan, names=names, unit=unit)
        p[sample.batched, i], difference[sample.batched, i] = found.p, found.difference
        if settings.progress:
            settings.progress(i + 1, len(joint.pairs))
    pairs = [(scores.place(a), scores.place(b)) for a, b in joint.pairs]
    corrected = holm(p)
    square = _square(corrected, corrected, pairs, diagonal=1.0)
    return Tests(
        square,
        _square(difference, -difference, pairs),
        np.full(square.shape, np.nan),
        np.full(len(scores.measures), np.nan),
        ITEMS_TEST if unit == "items" else TOPICS_TEST,
        trials,
        settings.alpha,
        settings.seed,
    )


def _too_few_outcomes(tests: Tests, scores: Scores) -> Iterator[str]:
    """Report that no pair can reach the level, whatever the data."""
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    least, remedy = 1 / (tests.trials + 1), "take more trials"
    if tests.name == TOPICS_TEST and 2.0 ** (1 - len(scores.topics)) > least:
        least, remedy = 2.0 ** (1 - len(scores.topics)), "exchange items instead of topics"
    if pairs * least >= tests.alpha:
        yield (
            f"No difference can be significant: p is at least {min(1.0, pairs * least):.2g} after "
            f"correction for {plural(pairs, 'pair')}; {remedy}."
        )
