"""Tests of the differences of systems.

`make_tests` takes a `Sample` and returns the tests, or None where they are impossible, with
notices that explain what is missing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from math import ceil, log2
from typing import Any

import numpy as np

from ..errors import InputError, did_you_mean, plural, quoted
from ..formatting import at_least
from ..measures.scoring import Scores
from ..results import Tests
from ..stats.anova import Anova, effect_sizes, two_way
from ..stats.max_t import PairsTest, max_t, max_t_tables
from ..stats.paired import holm, randomisation_test
from ..stats.power import detectable_difference
from ..stats.tukey import classical_tukey, randomised_tukey
from ..types import Array, Floats
from .intervals import class_items, difference_intervals, joint_table, square, wanted_pairs
from .sample import Notices, Sample
from .sizes import by_topic_scores, pairs_of, tested_rows, trials_of

PAIR_TRIALS = 10_000


def make_tests(sample: Sample) -> tuple[Tests | None, Notices]:
    """Test pairs of systems by exchanging units: topics, clusters or items."""
    check_against(sample)
    if len(sample.scores.systems) < 2:
        return None, ("No tests: there is only one system.",)
    problem = _unavailable(sample)
    if problem:
        return None, (f"No tests: {problem}",)
    tests, notices = _tests(sample)
    tests, more = _with_margin(tests, sample)
    return tests, (*notices, *more)


def check_against(sample: Sample) -> None:
    """Raise an error if the system to compare with is unknown."""
    against, systems = sample.settings.against, sample.scores.systems
    if against is not None and against not in systems:
        raise InputError(
            f"There is no system {against!r}; there are {quoted(systems)}."
            + did_you_mean(against, systems),
            parameter="against",
        )


def _tests(sample: Sample) -> tuple[Tests, Notices]:
    """Test measures of classes and of numbers, and put the tests together."""
    found = [(rows, *_tests_of_part(part)) for rows, part in sample.parts]
    notices = tuple(dict.fromkeys(notice for *_, made in found for notice in made))
    if len(found) == 1:
        return found[0][1], notices
    first, measures = found[0][1], len(sample.scores.measures)
    arrays: dict[str, Any] = {}
    for name in ("p", "difference", "effect", "residual_variance", "classical", "detectable"):
        given = [(rows, getattr(tests, name)) for rows, tests, _ in found]
        given = [(rows, array) for rows, array in given if array is not None]
        if given:
            arrays[name] = _together(given, measures)
    anova = [(rows, tests.anova) for rows, tests, _ in found if tests.anova is not None]
    if anova:
        figures = {
            f.name: _together([(rows, getattr(a, f.name)) for rows, a in anova], measures)
            for f in fields(Anova)
        }
        arrays["anova"] = Anova(**figures)
    exact, trials = all(t.exact for _, t, _ in found), max(t.trials for _, t, _ in found)
    return replace(first, **arrays, exact=exact, trials=trials), notices


def _together(parts: Sequence[tuple[list[int], Array]], measures: int) -> Array:
    """Put arrays of some measures together; NaN for the others."""
    whole = np.full((measures, *parts[0][1].shape[1:]), np.nan)
    for rows, array in parts:
        whole[rows] = array
    return whole


def _tests_of_part(sample: Sample) -> tuple[Tests, Notices]:
    if sample.settings.test == "tukey":
        _check_tukey(sample)
    if by_topic_scores(sample):
        return _tests_of_means(sample)
    if sample.of_numbers:
        return _tests_of_numbers(sample)
    if sample.unit_tables is not None:
        return _tests_of_tables(sample)
    return _tests_by_pair(sample)


def _check_tukey(sample: Sample) -> None:
    """Raise an error unless the randomised Tukey test fits the data and the settings."""
    given, hint = "", "Choose the test {test}."
    if sample.settings.against is not None:
        given = f"and the systems are to be compared with {sample.settings.against!r} only"
    elif len(sample.scores.topics) < 2:
        given = f"and there are {plural(len(sample.scores.topics), 'topic')}"
        hint = "Give the topics with {topics}, or choose the test {test}."
    elif not sample.averaged:
        given = "and the items of all topics are pooled"
    elif sample.exchanged != "topics":
        given = f"and {sample.exchanged} are the units"
    if given:
        raise InputError(
            "The randomised Tukey test compares all pairs of systems by means over topics, "
            f"{given}.",
            parameter="test",
            hint=hint,
            suggest={"topics": ..., "test": "maxt"},
        )


def _unavailable(sample: Sample) -> str:
    """Return why there are no tests; empty text if there are."""
    if sample.exchanged != "items" and sample.units < 2:
        return f"there is only one {sample.exchanged[:-1]}, and nothing to compare it with."
    over_rows = not (sample.averaged and sample.exchanged == "topics")
    if over_rows and sample.rows is None and (sample.weighted or sample.exchanged == "clusters"):
        return "there are too many distinct rows of labels and weights, or they are not known."
    return ""


# Tests of means over topics.


@dataclass(frozen=True)
class _Part:
    """Positions of measures that can be tested on the same systems and topics."""

    measures: list[int]
    systems: list[int]
    topics: list[int]


def _tests_of_means(sample: Sample) -> tuple[Tests, Notices]:
    """Test every measure over topics, or clusters of topics, without undefined scores."""
    scores = sample.scores
    assert sample.topic_scores is not None
    tests = _undefined_tests(sample)
    parts = list(_testable(sample))
    kept: list[Tests] = []
    for part in parts:
        tests = _test_part(part, sample, tests)
        kept.append(tests)
    if kept:
        # One line describes all measures: those with fewer topics may have had fewer outcomes.
        exact, trials = all(t.exact for t in kept), max(t.trials for t in kept)
        tests = replace(tests, exact=exact, trials=trials)
    few = [
        notice
        for part, made in zip(parts, kept, strict=True)
        for notice in _too_few_units(sample, made, _part_units(sample, part), part.measures)
    ]
    return tests, (*_left_out(parts, scores), *few)


def _part_units(sample: Sample, part: "_Part") -> int:
    clusters = _clusters(sample, part)
    return len(part.topics) if clusters is None else len(np.unique(clusters))


def _undefined_tests(sample: Sample) -> Tests:
    settings = sample.settings
    measures, systems = len(sample.scores.measures), len(sample.scores.systems)
    shape = (measures, systems, systems)
    p, difference, effect, detectable = (np.full(shape, np.nan) for _ in range(4))
    return Tests(
        p,
        difference,
        effect,
        np.full(measures, np.nan),
        settings.test,
        trials_of(sample),
        settings.alpha,
        settings.seed,
        Anova(*(np.full(measures, np.nan) for _ in fields(Anova))),
        np.full(shape, np.nan) if settings.classical else None,
        sample.exchanged,
        sample.units,
        against=settings.against or "",
        detectable=detectable,
    )


def _test_part(part: _Part, sample: Sample, tests: Tests) -> Tests:
    """Fill in the tests of some measures."""
    assert sample.topic_scores is not None
    rows, systems, settings = part.measures, part.systems, sample.settings
    scored = sample.topic_scores[np.ix_(rows, systems, part.topics)].swapaxes(-1, -2)
    names = [sample.scores.systems[s] for s in systems]
    place = np.ix_(rows, systems, systems)
    plan = settings.plan(trials_of(sample))
    if settings.test == "tukey":
        tukey = randomised_tukey(scored, plan, systems=names)
        p, difference = tukey.p, tukey.difference
        tests = replace(tests, detectable=None)
    elif settings.against in (None, *names):
        found = max_t(
            scored,
            plan,
            clusters=_clusters(sample, part),
            against=settings.against,
            adjust=settings.test,
            systems=names,
        )
        p, difference = found.p, found.difference
        assert tests.detectable is not None
        tests.detectable[place] = _detectable(found, sample)
        tests = replace(tests, exact=found.exact, trials=found.trials)
    else:
        return tests
    tests.p[place], tests.difference[place] = p, difference
    tests.effect[place] = effect_sizes(scored)
    variances = two_way(scored)
    tests.residual_variance[rows] = variances.residual_variance
    for field in fields(Anova):
        getattr(tests.anova, field.name)[rows] = getattr(variances, field.name)
    if tests.classical is not None:
        tests.classical[place] = classical_tukey(scored).p
    return tests


def _clusters(sample: Sample, part: _Part) -> Array | None:
    if sample.exchanged != "clusters" or sample.topic_clusters is None:
        return None
    return np.unique(sample.topic_clusters[part.topics], return_inverse=True)[1]


def _testable(sample: Sample) -> Iterator[_Part]:
    """Group measures by the systems and topics on which they can be tested.

    A system without a defined mean is left out, because its differences are undefined as well;
    then every topic that some system lacks. Systems and topics are in the order of their names, so
    that the order in which they were given does not change even the last digit.
    """
    scores = sample.scores
    assert sample.topic_scores is not None
    by_name = sorted(range(len(scores.systems)), key=scores.systems.__getitem__)
    topics_by_name = sorted(range(len(scores.topics)), key=scores.topics.__getitem__)
    groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[int]] = {}
    for row, matrix in enumerate(sample.topic_scores):
        defined = ~np.isnan(matrix)
        systems = [place for place in by_name if not np.isnan(scores.values[row, place])]
        whole = defined[systems].all(axis=0)
        topics = [place for place in topics_by_name if whole[place]]
        if len(systems) > 1 and len(topics) > 1:
            groups.setdefault((tuple(systems), tuple(topics)), []).append(row)
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
        yield (
            f"No test under {quoted(rest)}: fewer than two systems or topics have defined scores. "
            'A system whose score is undefined on a topic has no mean, unless undefined is "skip".'
        )


# Tests through tables.


def _tests_of_tables(sample: Sample) -> tuple[Tests, Notices]:
    """Test the batched measures by exchanging the systems' labels on units that all share."""
    settings, scores = sample.settings, sample.scores
    assert sample.unit_tables is not None
    assert settings.test != "tukey"
    rows, trials = tested_rows(sample), trials_of(sample)
    numbers = 2.0 * pairs_of(sample) * trials * scores.scale.k**2
    found = max_t_tables(
        sample.unit_tables,
        sample.statistic_of(rows),
        settings.plan(trials, numbers=numbers),
        undefined=scores.replaced,
        aggregate="mean" if sample.averaged else "pool",
        against=None if settings.against is None else scores.place(settings.against),
        adjust=settings.test,
        scale=1.0,
    )
    shape = (len(scores.measures), *found.p.shape[1:])
    p, difference, detectable = (np.full(shape, np.nan) for _ in range(3))
    p[rows], difference[rows] = found.p, found.difference
    detectable[rows] = _detectable(found, sample)
    tests = Tests(
        p,
        difference,
        np.full(shape, np.nan),
        np.full(len(scores.measures), np.nan),
        settings.test,
        found.trials,
        settings.alpha,
        settings.seed,
        over=sample.exchanged,
        units=sample.units,
        exact=found.exact,
        against=settings.against or "",
        detectable=detectable,
    )
    slow = sample.slow_notice("tests", rows)
    untested = [row for row in rows if not _has_tests(p[row])]
    names = quoted(str(scores.measures[row]) for row in untested)
    none = (f"No test under {names}: no pair has defined scores.",) if untested else ()
    return tests, (*slow, *none, *_too_few_units(sample, tests), *_doubtful(sample))


def _tests_of_numbers(sample: Sample) -> tuple[Tests, Notices]:
    """Test measures of numbers by exchanging the systems' numbers on units that all share."""
    settings, scores, units = sample.settings, sample.scores, sample.unit_moments
    if units is None:
        names = quoted((str(m) for m in scores.measures), 3)
        return replace(_undefined_tests(sample), anova=None), (
            f"No test under {names}: it needs the numbers of every item, which are unknown or too "
            "many to hold.",
        )
    on_sums, trials = sample.on_sums(), trials_of(sample)
    assert settings.test != "tukey"
    found = max_t_tables(
        units,
        lambda sums: on_sums(sums[..., 0]),
        settings.plan(trials),
        undefined=scores.replaced,
        aggregate="mean" if sample.averaged else "pool",
        against=None if settings.against is None else scores.place(settings.against),
        adjust=settings.test,
        scale=1.0,
    )
    tests = replace(
        _undefined_tests(sample),
        p=found.p,
        difference=found.difference,
        trials=found.trials,
        exact=found.exact,
        anova=None,
        detectable=_detectable(found, sample),
    )
    return tests, tuple(_too_few_units(sample, tests))


def _doubtful(sample: Sample) -> Iterator[str]:
    """Name the measures under which exchanges of few items of a class may mislead."""
    if sample.counts is None or sample.averaged:
        return
    items = class_items(sample.counts)
    names = [str(m) for m in sample.scores.measures if m.interval_doubt(items)]
    if names:
        yield (
            f"p under {quoted(names, 3)} may be too small where systems of equal score err on "
            "different classes, because there are few items for these measures."
        )


def _tests_by_pair(sample: Sample) -> tuple[Tests, Notices]:
    """Test pair by pair through joint counts, where there are too many distinct rows."""
    settings, scores = sample.settings, sample.scores
    pairs = wanted_pairs(sample)
    trials = settings.trials or max(PAIR_TRIALS, ceil(2 * len(pairs) / settings.alpha))
    rows = sample.affordable(2 * len(pairs) * trials) or [sample.first]
    p, difference = np.full((2, len(scores.measures), len(pairs)), np.nan)
    for i, pair in enumerate(pairs):
        found = randomisation_test(
            joint_table(sample, pair),
            sample.statistic_of(rows),
            settings.plan(trials, quiet=True),
            unit="items" if sample.exchanged == "items" else "topics",
            aggregate=scores.aggregate if sample.averaged else "pool",
            undefined=scores.replaced,
        )
        p[rows, i], difference[rows, i] = found.p, found.difference
        if settings.progress:
            settings.progress(i + 1, len(pairs))
    corrected, systems = holm(p), len(scores.systems)
    matrix = square(corrected, corrected, pairs, systems, diagonal=1.0)
    tests = Tests(
        matrix,
        square(difference, -difference, pairs, systems),
        np.full(matrix.shape, np.nan),
        np.full(len(scores.measures), np.nan),
        "holm",
        trials,
        settings.alpha,
        settings.seed,
        over=sample.exchanged,
        units=sample.units,
        against=settings.against or "",
    )
    told = (
        "The distinct rows of all systems are too many to hold, or not known: pairs were tested "
        "one by one, with Holm's correction.",
    )
    slow = sample.slow_notice("tests", rows)
    return tests, (*told, *slow, *_too_few_units(sample, tests))


# What the tests can show.


def _detectable(found: PairsTest, sample: Sample) -> Floats:
    """Return the differences that would be found with a probability of 80 %."""
    alpha = sample.settings.alpha / pairs_of(sample)
    detectable = detectable_difference(found.se, max(found.units - 1, 1), alpha)
    # The formula holds for differences near 0, a spread, and units enough for p to become small.
    usable = (found.se > 0) & (found.p >= sample.settings.alpha)
    usable &= 2.0 ** (2 - min(found.units, 1000)) < alpha
    return np.where(usable, detectable, np.nan)


def _has_tests(p: Floats) -> bool:
    """Whether a pair has a p-value, in a square of systems."""
    return not np.isnan(p[~np.eye(len(p), dtype=bool)]).all()


def _too_few_units(
    sample: Sample, tests: Tests, units: int | None = None, measures: Sequence[int] = ()
) -> Iterator[str]:
    """Report that no pair can reach the level, whatever the data.

    A common sign of all U units leaves the size of every difference as it is, so of the 2^U
    patterns of signs at least two are as extreme as the data.
    """
    pairs = pairs_of(sample) if tests.kind == "holm" else 1
    units = tests.units if units is None else units
    every = range(len(sample.scores.measures))
    tested = [row for row in measures or every if _has_tests(tests.p[row])]
    if not tested:
        return  # undefined scores are the reason, which another notice gives
    names = quoted((str(sample.scores.measures[row]) for row in tested), 3)
    under = f" under {names}" if sample.partial or len(tested) < len(every) else ""
    by_chance = 0.0 if tests.kind == "tukey" else pairs * 2.0 ** (1 - min(units, 1000))
    by_trials = pairs / tests.trials if tests.exact else pairs / (tests.trials + 1)
    least = max(by_chance, by_trials)
    if least < tests.alpha:
        return
    if tests.exact and least > by_chance:
        few = "do not differ on any" if tests.trials == 1 else "differ on too few"
        few = f"{few} {tests.over[:-1] if tests.trials == 1 else tests.over}"
        yield (
            f"No difference can be significant{under}: p is at least {at_least(min(1.0, least))}, "
            f"because the systems {few}."
        )
        return
    needed = ceil(1 + log2(pairs / tests.alpha) + 1e-9)
    remedy = f"at least {needed} {tests.over}" if by_chance == least else "more trials"
    yield (
        f"No difference can be significant{under}: p over {plural(units, tests.over[:-1])} is at "
        f"least {at_least(min(1.0, least))} whatever the data; the test needs {remedy}."
    )


def _with_margin(tests: Tests, sample: Sample) -> tuple[Tests, Notices]:
    """Add the intervals that decide on equivalence, if there is a margin."""
    settings = sample.settings
    if settings.margin is None:
        return tests, ()
    inner, notices = difference_intervals(sample, 1 - 2 * settings.alpha)
    if inner is None:
        return tests, ("No equivalence: there are no intervals of differences.",)
    margin = float(settings.margin)
    return replace(tests, margin=margin, inner_low=inner.low, inner_high=inner.high), notices
