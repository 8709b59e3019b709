"""Tests of all pairs of systems of a result."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from math import factorial
from typing import Literal

import numpy as np

from ..counts import Counts, JointCounts
from ..errors import InputError, plural, quoted
from ..results import ITEMS_TEST, TOPICS_TEST, TUKEY_TEST, Floats, Tests
from ..scoring import Scores
from ..stats.anova import Anova, effect_sizes, two_way
from ..stats.paired import holm, randomisation_test
from ..stats.tukey import classical_tukey, randomised_tukey
from .scored import batched_rows, filled, scoring, slow_notice, statistic
from .settings import Settings

Found = tuple[Tests | None, tuple[str, ...]]
TUKEY_TRIALS, EXCHANGE_TRIALS = 5_000, 10_000


def make_tests(
    counts: Counts, joint: Callable[[], JointCounts], scores: Scores, how: Settings
) -> Found:
    """Tests of all pairs: over topics where a mean is taken over several, else by exchange.

    Where topics are pooled, the systems exchange what the intervals resample: whole topics, or
    single items.
    """
    if len(scores.systems) < 2:
        return None, ("No tests: there is only one system.",)
    if scoring(scores)["aggregate"] == "mean" and len(scores.topics) > 1:
        return tests_over_topics(scores, how)
    if counts.weighted:
        return None, ("No tests: the tables hold real weights, and items cannot be exchanged.",)
    tests = _tests_by_exchange(joint(), scores, how)
    return tests, (*slow_notice(scores, "tests"), *_hopeless(tests, scores))


@dataclass(frozen=True)
class _Part:
    """Measures that can be tested on the same systems and topics, as places in a result."""

    measures: list[int]
    systems: list[int]
    topics: list[int]


def tests_over_topics(scores: Scores, how: Settings) -> tuple[Tests, tuple[str, ...]]:
    """Randomised paired Tukey HSD of every measure; undefined systems and topics are left out."""
    if scores.per_topic is None:
        raise InputError("A test over topics needs scores per topic.")
    matrix = filled(scores.per_topic, scores.replaced)
    tests = _empty(len(scores.measures), len(scores.systems), how)
    parts = list(_testable(matrix, scores.systems))
    for part in parts:
        _test_part(part, matrix, scores, how, tests)
    return tests, (*_left_out(parts, scores), *_too_few_topics(parts, scores, tests))


def _empty(measures: int, systems: int, how: Settings) -> Tests:
    """Tests over topics that are all undefined as yet."""
    shape = (measures, systems, systems)
    p, difference, effect = (np.full(shape, np.nan) for _ in range(3))
    variances = Anova(*(np.full(measures, np.nan) for _ in fields(Anova)))
    return Tests(
        p,
        difference,
        effect,
        np.full(measures, np.nan),
        TUKEY_TEST,
        how.trials or TUKEY_TRIALS,
        how.alpha,
        how.seed,
        variances,
        np.full(shape, np.nan) if how.classical else None,
    )


def _test_part(part: _Part, matrix: Floats, scores: Scores, how: Settings, tests: Tests) -> None:
    """Fill in the tests of some measures."""
    rows, systems = part.measures, part.systems
    scored = matrix[np.ix_(rows, systems, part.topics)].swapaxes(-1, -2)
    names = [scores.systems[s] for s in systems]
    found = randomised_tukey(scored, how.plan(tests.trials), systems=names)
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
    """Measures with the systems and topics they can be tested on, grouped by the same ones.

    A system without any defined score is left out; then every topic that some system lacks.
    Systems are in the order of their names, so that the order in which they were given changes
    not even the last digit.
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
    """What the tests leave out, in words."""
    for part in parts:
        systems = len(scores.systems) - len(part.systems)
        topics = len(scores.topics) - len(part.topics)
        if systems or topics:
            names = quoted((str(scores.measures[row]) for row in part.measures), 3)
            yield (
                f"The test under {names} leaves out {_gone(systems, topics)} without a defined "
                "score."
            )
    tested = {row for part in parts for row in part.measures}
    rest = [str(m) for i, m in enumerate(scores.measures) if i not in tested]
    if rest:
        yield f"No test under {quoted(rest)}: fewer than two systems or topics have defined scores."


def _too_few_topics(parts: list[_Part], scores: Scores, tests: Tests) -> Iterator[str]:
    """A notice on measures under which no pair could reach the level, whatever the data.

    Exchanging the systems alike on all T topics leaves every difference as it was, so of the
    (S!)^T ways to exchange S systems at least S! are as extreme as the data.
    """
    for part in parts:
        by_chance = float(factorial(len(part.systems))) ** (1 - len(part.topics))
        least = max(by_chance, 1 / (tests.trials + 1))
        if least >= tests.alpha:
            few = len(part.measures) < len(scores.measures)
            names = quoted((str(scores.measures[row]) for row in part.measures), 3)
            remedy = "more topics" if by_chance == least else "more trials"
            if by_chance == least and scores.measures[0].record.task == "classification":
                remedy += " (without topics, items are tested)"
            yield (
                f"No pair can be told apart{f' under {names}' if few else ''}: p over "
                f"{len(part.topics)} topics is at least {least:.2g} whatever the data; the test "
                f"needs {remedy}."
            )


def _gone(systems: int, topics: int) -> str:
    parts = [(systems, "system"), (topics, "topic")]
    return " and ".join(plural(number, noun) for number, noun in parts if number)


def _tests_by_exchange(joint: JointCounts, scores: Scores, how: Settings) -> Tests:
    """Paired randomisation tests of all pairs through their joint counts, corrected by Holm."""
    unit: Literal["items", "topics"] = (
        "items" if how.unit(len(joint.topics)) == "items" else "topics"
    )
    rows, size = batched_rows(scores), len(scores.systems)
    score = statistic(scores, [scores.measures[i] for i in rows])
    trials = how.trials or max(EXCHANGE_TRIALS, _enough_trials(len(joint.pairs), how.alpha))
    raw = np.full((2, len(scores.measures), len(joint.pairs)), np.nan)
    for i, (names, table) in enumerate(zip(joint.pairs, joint.table, strict=True)):
        plan = how.plan(trials, quiet=True)
        found = randomisation_test(table, score, plan, names=names, unit=unit)
        raw[:, rows, i] = found.p, found.difference
        if how.progress:
            how.progress(i + 1, len(joint.pairs))
    places = [(scores.systems.index(a), scores.systems.index(b)) for a, b in joint.pairs]
    p = _square(holm(raw[0]), places, size, diagonal=1.0)
    difference = _square(raw[1], places, size, sign=-1)
    nothing = np.full(len(scores.measures), np.nan)
    name = ITEMS_TEST if unit == "items" else TOPICS_TEST
    effect = np.full(p.shape, np.nan)
    return Tests(p, difference, effect, nothing, name, trials, how.alpha, how.seed)


def _hopeless(tests: Tests, scores: Scores) -> Iterator[str]:
    """A notice where no pair could reach the level, whatever the data."""
    pairs = len(scores.systems) * (len(scores.systems) - 1) // 2
    least, remedy = 1 / (tests.trials + 1), "take more trials"
    if tests.name == TOPICS_TEST and 2.0 ** (1 - len(scores.topics)) > least:
        least, remedy = 2.0 ** (1 - len(scores.topics)), 'exchange items: over="items"'
    if pairs * least >= tests.alpha:
        yield (
            f"No pair can be told apart: p is at least {min(1.0, pairs * least):.2g} after "
            f"correction for {pairs} pair(s); {remedy}."
        )


def _square(
    pairs: Floats, places: list[tuple[int, int]], size: int, diagonal: float = 0.0, sign: int = 1
) -> Floats:
    """Figures `[M, pair]` as `[M, system, system]`."""
    square = np.full((len(pairs), size, size), diagonal)
    for i, (row, column) in enumerate(places):
        square[:, row, column], square[:, column, row] = pairs[:, i], sign * pairs[:, i]
    return square


def _enough_trials(pairs: int, alpha: float) -> int:
    """So many that the smallest p-value stays below alpha after correction for all pairs."""
    return int(np.ceil(2 * pairs / alpha))
