"""Tables of results, counts and figures per class, made from their tidy rows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import isnan, nan
from typing import Any

import numpy as np

from ..counts import Counts
from ..errors import InputError, plural
from ..formatting import ranges
from ..measures.classes import PerClass, class_figures
from ..measures.scoring import Scores
from ..measures.spec import Measure
from ..results import Figures, Intervals, Pair, Result, Standing, Tests, no_classical_test
from ..scale import MOST_SHOWN, class_groups
from ..table import (
    Cell,
    Column,
    Heading,
    Table,
    count,
    figure,
    interval,
    numeric,
    p_value,
    table,
    tabulate,
    words,
)
from ..types import Floats
from .layout import turned

_MATRICES = {
    "p": "p-values of all pairs",
    "effect": "Effect sizes of all pairs (row minus column, in residual standard deviations)",
    "difference": "Differences of all pairs (row minus column)",
    "classical": "p-values of all pairs by the classical Tukey HSD",
}
OF_CLASSES = "All figures, errors too, are those of the classes that numbers were binned in."
DOUBT = "†"  # marks an interval that may cover less than its level
_MOST_LETTERS = 12  # with more, the groups of a system tell a reader nothing
_MOST_SIDE_BY_SIDE = 3  # systems that are columns of a document; more are rows
_MOST_TABLES = 3  # tables of counts before a summary replaces them
_MOST_CLASSES = 12
_CLASSES_SHOWN = 50  # of scales that are too long to show every class
_MOST_COLUMNS = 20  # of groups of classes
_MOST_ROWS = 20
_MOST_TOPICS = 10  # with more topics than this, and than systems, topics are rows
_SAME_SCORE = 1e-12  # scores closer than this differ by rounding only


def result_tables(
    result: Result, what: str = "main", measure: Measure | None = None
) -> list[Table]:
    """Return a list of the table with this name."""
    if what not in KINDS:
        raise InputError(
            f"There is no table {what!r}; there are {', '.join(KINDS)}.", parameter="what"
        )
    return [KINDS[what](result, measure)]


def requested_tables(
    result: Result, kinds: Sequence[str], style: str = "text", named: Sequence[Measure] = ()
) -> list[Table]:
    """Return several tables, each without the notes of earlier ones.

    `style` is a format of `writers`. There is a table of topics for each measure that was named,
    which csv files hold in one table.
    """
    made: list[Table] = []
    for kind in kinds:
        if kind == "topics":
            made += _topics_tables(result, named or [result.primary], style)
        elif kind in _OF_SYSTEMS:
            made += _system_tables(result, kind, style)
        else:
            made += result_tables(result, kind)
    return without_repeated_notes(made)


def without_repeated_notes(tables: Iterable[Table]) -> list[Table]:
    """Return tables without the notes that an earlier one has."""
    found: list[Table] = []
    for made in tables:
        earlier = {note for each in found for note in each.notes}
        found.append(replace(made, notes=tuple(n for n in made.notes if n not in earlier)))
    return found


def score_tables(
    result: Result, style: str, kinds: Sequence[str] = ("main",), named: Sequence[Measure] = ()
) -> list[Table]:
    """Return all measures of one or several systems; `style` is a format of `writers`."""
    made: list[Table] = []
    if "main" in kinds:
        alone = len(result.scores.systems) == 1
        shown = long_table if style == "csv" else measures_table if alone else side_by_side
        # Text is fitted to the terminal; documents are longer than they are wide.
        many = style not in ("text", "csv") and len(result.systems) > _MOST_SIDE_BY_SIDE
        made.append(turned(shown(result), "system") if many else shown(result))
    made += requested_tables(result, [kind for kind in kinds if kind != "main"], style, named)
    return without_repeated_notes(made)


def main_table(result: Result, measure: Measure | None = None) -> Table:
    """Return the leaderboard of several systems, or the measures of one."""
    if measure is None and len(result.scores.systems) == 1:
        return measures_table(result)
    return leaderboard(result, measure)


def _place_cell(row: Standing) -> Cell:
    """Return the place in the ranking; a dash for a system without a score, which has none."""
    return figure(nan) if row.rank is None else count(row.position)


def leaderboard(result: Result, measure: Measure | None = None) -> Table:
    """Return systems from best to worst under one measure, and their scores under the others.

    The column "beats" has the ranks of the systems that are significantly worse; Markdown, LaTeX
    and HTML show them as superscripts of the score. Systems that share a letter in the column
    "group" are not significantly different, and "ranks" are those that the tests allow. If systems
    were compared with one system only, the difference from it and the p-value are shown instead.
    """
    first = measure or result.primary
    rows = result.standings(first)
    rank = {row.system: row.position for row in rows}
    columns: list[Column[Standing]] = [
        (Heading("#", True), _place_cell),
        (Heading("system"), lambda row: words(row.system)),
        (measure_heading(result.scores, first), score_cell),
    ]
    against = "" if result.tests is None else result.tests.against
    if result.tests and not against:
        marks = Heading("beats", marks=True)
        columns.append((marks, lambda row: words(ranges(rank[system] for system in row.beats))))
    columns += interval_columns(result.intervals)
    columns += judge_columns(result)
    if shows_groups(rows):
        columns.append((Heading("group"), lambda row: words(row.letters)))
    if any(row.rank_low for row in rows):
        columns.append((Heading("ranks"), rank_span_cell))
    columns += _reference_columns(result, first, against)
    columns += [score_column(result, m) for m in result.measures if m != first]
    return tabulate(rows, columns, title=size_of(result), notes=_notes(result, first), keys=2)


def shows_groups(rows: Sequence[Standing]) -> bool:
    """Whether there are group letters, and few enough for a column."""
    longest = max((len(row.letters) for row in rows), default=0)
    return 0 < longest <= _MOST_LETTERS


def rank_span_cell(row: Standing) -> Cell:
    """Return the ranks that the tests allow."""
    if row.rank_low is None or row.rank_high is None:
        return words("")
    span = f"{row.rank_low}–{row.rank_high}" if row.rank_low < row.rank_high else str(row.rank_low)
    return words(span)


def reference_of(result: Result, measure: Measure | None = None) -> str:
    """Return the system that others are judged by: `against`, or with a margin the best one."""
    tests = result.tests
    if tests is None or tests.against:
        return "" if tests is None else tests.against
    return "" if isnan(tests.margin) else result.standings(measure)[0].system


def _reference_columns(result: Result, measure: Measure, against: str) -> list[Column[Standing]]:
    """Return how systems stand to the reference, if there is one."""
    tests, reference = result.tests, reference_of(result, measure)
    if tests is None or not reference:
        return []

    def pair(row: Standing) -> Pair | None:
        same = row.system == reference
        return None if same else result.pair(row.system, reference, measure)

    def cell(show: Callable[[Pair], Cell]) -> Callable[[Standing], Cell]:
        return lambda row: words("") if (found := pair(row)) is None else show(found)

    verdict = (Heading(f"against {reference}"), cell(lambda found: words(found.verdict)))
    if not against:
        return [verdict]
    return [
        (Heading("difference", True), cell(lambda found: figure(found.difference))),
        (Heading("p", True), cell(lambda found: p_value(found.p, bold=found.p < tests.alpha))),
        verdict,
        (Heading("detectable", True), cell(lambda found: figure(found.detectable))),
    ]


def measures_table(result: Result) -> Table:
    """Return one row per measure of a single system, with its interval and range."""
    scores = result.scores
    columns: list[Column[Standing]] = [
        (Heading("measure"), lambda row: _measure_cell(scores, row.measure)),
        (Heading("score", True), lambda row: figure(row.score)),
        *interval_columns(result.intervals),
        *judge_columns(result),
        (Heading("range", True), lambda row: words(range_text(row.measure, scores, " … "))),
    ]
    if result.scores.undefined.any():
        columns.append((Heading("undefined", True), lambda row: count(row.undefined)))
    notes = [*_range_note(scores), *_notes(result)]
    return tabulate(result.tidy(), columns, title=size_of(result), notes=notes)


def judge_columns(result: Result) -> list[Column[Standing]]:
    """Return how much a judge's labels were used, and how many gold labels they were worth."""
    if result.judge is None:
        return []

    def worth(row: Standing) -> Cell:
        return Cell(f"{row.worth:,.0f}", row.worth)

    return [
        (Heading("λ", True, plain="judge_weight"), lambda row: figure(row.judge_weight, 2)),
        (Heading("worth", True), worth),
    ]


def judge_column_notes(result: Result) -> list[str]:
    """Explain the columns of a judge."""
    if result.judge is None:
        return []
    return [
        f"λ: how much of the correction by {result.judge.name} is used. worth: the number of "
        "gold labels that would give as short an interval without it."
    ]


def labelled_notes(result: Result) -> list[str]:
    """Say that tables hold the labelled items, where a judge's labels correct the scores."""
    if result.judge is None:
        return []
    return [
        f"Counts and figures per class are those of the {result.judge.labelled:,} items with gold "
        f"labels; {result.judge.name} corrects the scores only."
    ]


def _range_note(scores: Scores) -> list[str]:
    """Explain the ranges of measures of numbers, which may exceed the outer classes."""
    spans = dict.fromkeys(filter(None, (number_span(scores, m) for m in scores.measures)))
    return [f"Ranges of raw measures are those of numbers {span}." for span in spans]


def number_span(scores: Scores, measure: Measure) -> str:
    """Return which numbers a measure of numbers was given; nothing if there are no limits."""
    bins = scores.bins
    if bins is None or not scores.is_raw(measure) or not np.isfinite(bins.limits).all():
        return ""
    beyond = ", half a step beyond the classes" if bins.rule == "round" else ""
    return f"from {bins.low:g} to {bins.high:g}{beyond}"


def side_by_side(result: Result) -> Table:
    """Return measures as rows and systems as columns, the best scores of each row in bold."""
    columns: list[Column[Measure]] = [(Heading("measure"), partial(_measure_cell, result.scores))]
    for system in result.systems:
        columns.append((Heading(system, True), partial(_score_and_interval, result, system)))
        columns += _judge_columns_of(result, system)
    if result.scores.undefined.any():
        undefined = dict(zip(result.measures, result.scores.undefined.sum(axis=1), strict=True))
        columns.append((Heading("undefined", True), lambda m: count(undefined[m])))
    level = "" if result.intervals is None else f"{100 * result.intervals.level:g} %"
    notes = [f"In brackets: {level} intervals."] if level else []
    notes += [*judge_column_notes(result), *_notes(result)]
    return tabulate(result.measures, columns, title=size_of(result), notes=notes)


def _judge_columns_of(result: Result, system: str) -> list[Column[Measure]]:
    """Return the columns of a judge for one of several systems side by side."""

    def of_system(column: Column[Standing]) -> Column[Measure]:
        heading, cell = column
        named = replace(heading, plain=f"{system} {heading.plain or heading.text}")
        return named, lambda m: cell(result.standing(system, m))

    return [of_system(column) for column in judge_columns(result)]


def _measure_cell(scores: Scores, measure: Measure) -> Cell:
    """Return the name of a measure as it is typed, and its short name."""
    short, raw = measure_heading(scores, measure).text, " (raw)" * scores.is_raw(measure)
    return replace(words(f"{measure}{raw} {measure.arrow}"), short=short)


def _score_and_interval(result: Result, system: str, m: Measure) -> Cell:
    row = result.standing(system, m)
    cell, ends = score_cell(row), _marked(interval(row.low, row.high), row).text
    return replace(cell, text=f"{cell.text} {ends}".strip())


def measure_heading(scores: Scores, measure: Measure) -> Heading:
    """Return the short name of a measure with an arrow in the better direction."""
    raw = " (raw)" * scores.is_raw(measure)
    short, plain = f"{scores.short(measure)} {measure.arrow}", f"{measure.name}{raw}"
    return Heading(short, numeric=True, plain=plain)


def score_cell(row: Standing) -> Cell:
    """Return the score, in bold if no other system is better."""
    return figure(row.score, bold=row.rank == 1)


def range_text(measure: Measure, scores: Scores, between: str) -> str:
    """Return the bounds of the scores of a measure."""
    return between.join(f"{end:.4g}" for end in scores.bounds(measure)).replace("inf", "∞")


def score_column(result: Result, measure: Measure) -> Column[Standing]:
    """Return the scores of systems under another measure than that of the rows."""
    heading = measure_heading(result.scores, measure)
    return heading, lambda row: score_cell(result.standing(row.system, measure))


def interval_columns(found: Intervals | None, digits: int = 4) -> list[Column[Any]]:
    """Return the column of intervals, if there are any."""
    if found is None:
        return []
    doubted = bool(found.doubts or found.flat_doubts)
    parts = ("low", "high", "doubt") if doubted else ("low", "high")
    heading = Heading(f"{100 * found.level:g} % interval", True, parts=parts)

    def cell(row: Standing | Pair) -> Cell:
        shown = _marked(interval(row.low, row.high, digits), row)
        values = (row.low, row.high, row.doubt) if doubted and shown.value else shown.value
        return replace(shown, value=values)

    return [(heading, cell)]


def _marked(cell: Cell, row: Standing | Pair) -> Cell:
    """Mark an interval that may cover less than its level."""
    return replace(cell, text=f"{cell.text} {DOUBT}") if row.doubt else cell


def doubt_notes(result: Result, measure: Measure | None = None) -> list[str]:
    """Explain the marks of doubtful intervals: each reason with the measures that it is about.

    With a measure, only its intervals are shown.
    """
    found: dict[str, list[str]] = {}
    for m in result.measures if measure is None else (measure,):
        for reason in _reasons(result.standings(m)):
            found.setdefault(reason, []).append(str(m))
    return [f"{DOUBT} {_doubted(why)}: {', '.join(names)}." for why, names in found.items()]


def _reasons(rows: Iterable[Standing | Pair]) -> list[str]:
    """Return the reasons for which some intervals are marked."""
    return [reason for reason in dict.fromkeys(row.doubt for row in rows) if reason]


def _doubted(reason: str) -> str:
    return f"The interval may cover less than its level, because {reason}"


def size_of(result: Result) -> str:
    """Return who was scored on what: the only system, gold, the size of the data, the scale."""
    scores = result.scores
    unit = "topics" if result.kind == "quantification" else "items"
    weighted = "weighted " if scores.effective else ""
    size = f"{scores.size} {weighted}{unit if scores.items != 1 else unit[:-1]}"
    if result.judge is not None:
        labels = "a gold label" if scores.items == 1 else "gold labels"
        size = f"{size} with {labels} of {result.judge.items:,}"
    size += f" (worth {scores.effective:,.1f} of equal weight)" if scores.effective else ""
    size += f" in {plural(result.clusters, 'cluster')}" if result.clusters else ""
    if scores.topics and result.kind != "quantification":
        how = "mean over" if scores.aggregate == "mean" else "pooled over"
        size += f", {how} {plural(len(scores.topics), 'topic')}"
    return f"{_who(result)}{size}, scale {scores.scale.describe()}"


def _who(result: Result) -> str:
    """Name the only system and gold; of several systems a gold column of an unusual name."""
    systems, gold = result.scores.systems, str(result.about.get("gold", ""))
    if len(systems) == 1:
        return f"{systems[0]} against {gold}: " if gold else f"{systems[0]}: "
    return f"{len(systems)} systems against {gold}: " if gold not in ("", "gold") else ""


def _notes(result: Result, measure: Measure | None = None) -> tuple[str, ...]:
    """Explain the marks, repeat the notices and add the signature."""
    several, found = len(result.scores.systems) > 1, []
    if result.tests and several and measure:
        found += _test_note(result.tests, result.standings(measure))
    found += doubt_notes(result, measure)
    if measure and several and result.intervals and len(result.measures) > 1:
        short = result.scores.short(measure)
        found.append(f"Intervals are those of {short}; json has those of all measures.")
    if result.judge is not None and (measure or not several):
        found += judge_column_notes(result)
    found += [f"Note: {notice}" for notice in result.notices]
    signed = measure or (result.primary if several else None)
    return (*found, f"Signature: {result.signature(signed)}")


def _test_note(tests: Tests, rows: Sequence[Standing]) -> list[str]:
    """Explain the columns that rest on tests."""
    test = f"p < {tests.alpha:g} ({tests.name}, {_trials(tests)})"
    if tests.against:
        told = f"Each system is tested against {tests.against} only, at {test}."
        return [told, *_DETECTABLE, *margin_note(tests)]
    beats = f"beats: no system is significantly worse than another one at {test}."
    if not any(row.rank_low for row in rows):
        beats = "beats: no pair of systems was tested under this measure."
    elif any(row.beats for row in rows):
        beats = f"beats: ranks of the systems that are significantly worse at {test}."
    letters = "group: systems that share a letter are not significantly different."
    more = [letters] if shows_groups(rows) else []
    more += ["ranks: those that the tests allow."] if any(row.rank_low for row in rows) else []
    return [beats, *([" ".join(more)] if more else []), *margin_note(tests)]


_DETECTABLE = (
    "detectable: a true difference that would be found in about 80 of 100 such samples, for pairs "
    "that are not told apart.",
)


def margin_note(tests: Tests) -> list[str]:
    """Explain the verdict, if there is a margin."""
    if isnan(tests.margin):
        return []
    level = f"{100 * (1 - 2 * tests.alpha):g} %"
    return [
        f"equivalent: the {level} interval of the difference, not corrected for the number of "
        f"pairs, is within ±{tests.margin:g}, whether or not the difference is significant."
    ]


def _trials(tests: Tests) -> str:
    noun = "outcome" if tests.exact else "trial"
    return f"{tests.trials:,} {noun}{'' if tests.trials == 1 else 's'}"


def pairs_table(result: Result, measure: Measure | None = None) -> Table:
    """Return all pairs of systems under one measure: difference, effect size, p-value."""
    tests = result.tests if result.differences else result.required_tests()
    first = measure or result.primary
    difference = Heading(f"difference in {result.scores.short(first)}", True, plain="difference")
    columns: list[Column[Pair]] = [
        (Heading("system"), lambda pair: words(pair.first)),
        (Heading("against"), lambda pair: words(pair.second)),
        (difference, lambda pair: figure(pair.difference)),
        *interval_columns(result.differences),
    ]
    if tests and not np.isnan(tests.effect).all():
        columns.append((Heading("effect size", True), lambda pair: figure(pair.effect, 2)))
    if tests:
        columns.append((Heading("p", True), lambda pair: p_value(pair.p)))
    if tests and tests.classical is not None:
        columns.append((Heading("classical p", True), lambda pair: p_value(pair.classical_p)))
    if tests and tests.detectable is not None:
        columns.append((Heading("detectable", True), lambda pair: figure(pair.detectable)))
    if tests and not isnan(tests.margin):
        columns.append((Heading("verdict"), _verdict_cell))
    title, notes = f"Pairs of systems, {first}", _test_notes(result, first, pairs=True)
    pairs = shown_pairs(result, first)
    doubts = [f"{DOUBT} {_doubted(reason)}." for reason in _reasons(pairs)]
    notes = [*doubts, *notes]
    return tabulate(pairs, columns, title=title, notes=notes, keys=2, between=" − ")


def _verdict_cell(pair: Pair) -> Cell:
    """Return the verdict with the name of the better system, because tables may be turned."""
    better = {"better": pair.first, "worse": pair.second}.get(pair.verdict)
    told = pair.verdict if better is None else f"{better} is better"
    return Cell(told, pair.verdict)


def shown_pairs(result: Result, measure: Measure) -> list[Pair]:
    """Return all pairs of systems, or every system minus the one that all were compared with."""
    against = result.tests.against if result.tests else ""
    if not against:
        return list(result.pairs(measure))
    others = (row.system for row in result.standings(measure) if row.system != against)
    return [result.pair(system, against, measure) for system in others]


def _test_notes(result: Result, measure: Measure, *, pairs: bool = False) -> list[str]:
    """Name the test and add the signature; the table of pairs has more to explain."""
    tests = result.tests
    named = [f"p: {tests.name}, {_trials(tests)}."] if tests else []
    if tests and pairs:
        named += _DETECTABLE if tests.detectable is not None else ()
        named += margin_note(tests)
    if tests and pairs and result.differences:
        corrected = "corrected for the number of pairs" if len(result.systems) > 2 else ""
        made = "t tests" if tests.normal else "exchanging the systems"
        named.append(
            f"p comes from {made}"
            + (f" and is {corrected}" if corrected else "")
            + ", the interval from resampling: near the level they may disagree."
        )
    return [*named, f"Signature: {result.signature(measure)}"]


def matrix_table(what: str, result: Result, measure: Measure | None = None) -> Table:
    """Return a figure of all pairs as a square of systems, best first; significant p in bold."""
    tests, first = result.required_tests(), measure or result.primary
    if what == "classical" and tests.classical is None:
        raise no_classical_test(tests)
    columns: list[Column[Standing]] = [
        (Heading("#", True), _place_cell),
        (Heading("system"), lambda row: words(row.system)),
    ]
    for column in result.standings(first):
        cell = partial(_matrix_cell, what, result, column)
        rank = str(column.position)
        columns.append((Heading(column.system, True, short=rank), cell))
    title, notes = f"{_MATRICES[what]}, {first}", _test_notes(result, first)
    if what != "p":  # the other tables hold no p-values of the test
        notes = [note for note in notes if not note.startswith("p: ")]
    if tests.against:
        title = title.replace("of all pairs", f"against {tests.against}")
    return tabulate(result.standings(first), columns, title=title, notes=notes, keys=2)


def _matrix_cell(what: str, result: Result, column: Standing, row: Standing) -> Cell:
    if row.system == column.system:
        return Cell("")
    pair = result.pair(row.system, column.system, row.measure)
    if what in ("p", "classical"):
        p = pair.p if what == "p" else pair.classical_p
        return p_value(p, bold=p < result.required_tests().alpha)
    return figure(pair.effect, 2) if what == "effect" else figure(pair.difference)


def anova_table(result: Result, measure: Measure | None = None) -> Table:
    """Return the two-way analysis of variance without replication, a row per measure."""
    found = result.required_tests().anova
    if found is None:
        raise InputError(
            "There is no analysis of variance without two or more topics.", parameter="topics"
        )
    columns: list[Column[Measure]] = [
        (Heading("measure"), lambda m: replace(words(m), short=m.short))
    ]
    for name, values, digits in (
        ("SS systems", found.systems_ss, 4),
        ("df systems", found.systems_df, 0),
        ("F systems", found.systems_f, 2),
        ("p systems", found.systems_p, None),
        ("SS topics", found.topics_ss, 4),
        ("df topics", found.topics_df, 0),
        ("F topics", found.topics_f, 2),
        ("p topics", found.topics_p, None),
        ("SS residual", found.residual_ss, 4),
        ("df residual", found.residual_df, 0),
        ("V_E2", found.residual_variance, 5),
    ):
        cell = partial(_anova_cell, result, np.asarray(values, dtype=float), digits)
        columns.append((Heading(name, True), cell))
    title = "Two-way analysis of variance without replication"
    return tabulate([measure] if measure else result.measures, columns, title=title)


def _anova_cell(result: Result, values: Floats, digits: int | None, measure: Measure) -> Cell:
    value = values[result.scores.row(measure)]
    if digits is None:
        return p_value(value)
    return count(value) if digits == 0 and not isnan(value) else figure(value, digits)


def topics_table(result: Result, measure: Measure | None = None) -> Table:
    """Return the scores of systems on each topic and in all, the best of each topic in bold.

    Systems are rows, best first; where there are many topics, and more of them than systems, the
    topics are.
    """
    scores, first = result.scores, measure or result.primary
    if scores.per_topic is None:
        raise no_topics()
    rows = result.standings(first)
    places = [scores.place(row.system) for row in rows]
    by_topic = scores.per_topic[scores.row(first)][places]
    whole = "mean" if scores.aggregate == "mean" else "all items"
    names, columns = [*scores.topics, whole], [*by_topic.T, np.array([row.score for row in rows])]
    cells = [_best_in_bold(first, column) for column in columns]
    headings = [row.system for row in rows]
    title = f"{scores.short(first)} {first.arrow} by topic"
    notes = _topic_notes(result, first)
    if len(scores.topics) > max(_MOST_TOPICS, len(rows)):
        body = [[words(name), *row] for name, row in zip(names, cells, strict=True)]
        return table([Heading("topic"), *numeric(*headings)], body, title=title, notes=notes)
    body = [
        [words(name), *row] for name, row in zip(headings, zip(*cells, strict=True), strict=True)
    ]
    return table([Heading("system"), *numeric(*names)], body, title=title, notes=notes)


def _best_in_bold(measure: Measure, column: Floats) -> list[Cell]:
    """Return the scores of systems on one topic; the best in bold, if there are several."""
    oriented = measure.sign * column
    best = np.nanmax(oriented) if len(column) > 1 and not np.isnan(column).all() else np.nan
    return [
        figure(score, bold=bool(o >= best - _SAME_SCORE))
        for score, o in zip(column, oriented, strict=True)
    ]


def _topic_notes(result: Result, measure: Measure) -> list[str]:
    notes = [f"Note: {notice}" for notice in result.notices]
    return [*notes, f"Signature: {result.signature(measure)}"]


def _topics_tables(result: Result, measures: Sequence[Measure], style: str) -> list[Table]:
    """Return a table of topics for each measure; for csv one table with a column of measures."""
    chosen = [result[m].measure for m in measures]
    found = [topics_table(result, m) for m in chosen]
    if style != "csv" or len(found) == 1:
        return found
    rows = [
        (words(m.name), *row) for m, made in zip(chosen, found, strict=True) for row in made.rows
    ]
    return [table([Heading("measure"), *found[0].headings], rows)]


def no_topics() -> InputError:
    """Return the error for results without scores of topics."""
    return InputError(
        "There are no scores of topics.",
        parameter="topics",
        hint="Give the topics with {topics}.",
        suggest={"topics": ...},
    )


def figures_table(found: Figures) -> Table:
    """Return the systems under one measure, best first, with their intervals."""
    columns: list[Column[Standing]] = [
        (Heading("rank", True), rank_cell),
        (Heading("system"), lambda row: words(row.system)),
        (Heading("score", True), score_cell),
    ]
    if not isnan(found.level):
        heading = Heading(f"{100 * found.level:g} % interval", True, parts=("low", "high"))
        columns += [
            (heading, lambda row: interval(row.low, row.high)),
            (Heading("se", True), lambda row: figure(row.se)),
        ]
    title = f"{found.measure.name}{' (raw)' * found.raw} {found.measure.arrow}"
    return tabulate(found.rows, columns, title=title)


def long_table(result: Result, measures: Sequence[Measure] | None = None) -> Table:
    """Return one row per measure and system, for CSV files and data frames."""
    rows = [row for row in result.tidy() if measures is None or row.measure in measures]
    columns: list[Column[Standing]] = [
        (Heading("measure"), lambda row: words(row.measure.name)),
        (Heading("system"), lambda row: words(row.system)),
        (Heading("better"), lambda row: words(row.measure.better)),
        (Heading("score", True), lambda row: figure(row.score)),
        (Heading("low", True), lambda row: figure(row.low)),
        (Heading("high", True), lambda row: figure(row.high)),
        (Heading("undefined", True), lambda row: count(row.undefined)),
        (Heading("se", True), lambda row: figure(row.se)),
        (Heading("rank", True), rank_cell),
        (Heading("group"), lambda row: words(row.letters)),
        (Heading("beats"), lambda row: words(", ".join(row.beats))),
        (Heading("rank_low", True), lambda row: _whole_cell(row.rank_low)),
        (Heading("rank_high", True), lambda row: _whole_cell(row.rank_high)),
        (Heading("doubt"), lambda row: words(row.doubt)),
        (Heading("specification"), lambda row: words(row.measure)),
    ]
    if result.judge is not None:
        columns += [
            (Heading("judge_weight", True), lambda row: figure(row.judge_weight)),
            (Heading("worth", True), lambda row: figure(row.worth)),
        ]
    if result.scores.raw:
        uses = {m: "numbers" if result.scores.is_raw(m) else "classes" for m in result.measures}
        columns.append((Heading("uses"), lambda row: words(uses[row.measure])))
    return tabulate(rows, columns)


def _whole_cell(value: int | None) -> Cell:
    return figure(np.nan) if value is None else Cell(str(value), value)


def rank_cell(row: Standing) -> Cell:
    """Return the rank, which equal scores share."""
    return _whole_cell(row.rank)


KINDS: dict[str, Callable[[Result, Measure | None], Table]] = {
    "main": main_table,
    "pairs": pairs_table,
    **{what: partial(matrix_table, what) for what in _MATRICES},
    "anova": anova_table,
    "topics": topics_table,
}
"""The tables of a result by name."""


# Figures per class and counts.


def _system_tables(result: Result, kind: str, style: str) -> list[Table]:
    """Return a table for each system, best first; for csv one table with a column of systems."""
    if style != "csv":
        found = [_OF_SYSTEMS[kind](result, system) for system in result.systems]
        notes = *found[-1].notes, *labelled_notes(result), *_topic_notes(result, result.primary)
        return [*found[:-1], replace(found[-1], notes=notes)]
    if kind == "confusion":
        return [_long_confusion(result)]
    found = [class_figures_table(_per_class(result, system)) for system in result.systems]
    rows = [
        (words(system), *row)
        for system, made in zip(result.systems, found, strict=True)
        for row in made.rows
    ]
    return [table([Heading("system"), *found[0].headings], rows)]


def confusion_table(result: Result, system: str) -> Table:
    """Return the counts of one system, gold by predicted class."""
    cells, notes = _counts_of(result, system), []
    labels, starts = class_groups(result.scores.scale.labels, _MOST_COLUMNS)
    if result.scores.effective:
        notes.append("Sums of weights that are worth as many items of equal weight.")
    if result.scores.scale.k <= MOST_SHOWN:
        labels = list(result.scores.scale.labels)
    else:
        cells = np.add.reduceat(np.add.reduceat(cells, starts, axis=0), starts, axis=1)
        notes.append(f"Classes are in groups of {starts[1]}; csv and JSON hold all counts.")
    return _crossed(labels, f"Confusion table: {system}", cells, notes)


def _long_confusion(result: Result) -> Table:
    """Return one row per system and cell."""
    labels = [words(label) for label in result.scores.scale.labels]
    headings = [*map(Heading, ("system", "gold", "predicted")), *numeric("count")]
    rows = [
        (words(system), gold, predicted, count(n))
        for system in result.systems
        for gold, row in zip(labels, _counts_of(result, system), strict=True)
        for predicted, n in zip(labels, row, strict=True)
    ]
    return table(headings, rows)


def _counts_of(result: Result, system: str) -> Floats:
    if result.tables is None:
        raise InputError("Quantification has no figures per class.", parameter="what")
    counts: Floats = result.tables[result.scores.place(system)]
    return counts


def class_table(result: Result, system: str) -> Table:
    """Return the figures per class of one system."""
    (found,) = class_tables(_per_class(result, system))
    return replace(found, title=f"Figures per class: {system}")


def _per_class(result: Result, system: str) -> PerClass:
    scale, counts = result.scores.scale, _counts_of(result, system)
    return PerClass(scale.labels, class_figures(counts, scale), result.scores.bins is not None)


_OF_SYSTEMS: dict[str, Callable[[Result, str], Table]] = {
    "classes": class_table,
    "confusion": confusion_table,
}
"""Tables of which every system has its own."""


def class_tables(found: PerClass) -> list[Table]:
    """Return one row per class."""
    shown = class_figures_table(found)
    headings = tuple(replace(h, text=h.text.replace("_", " ")) for h in shown.headings)
    notes: tuple[str, ...] = (OF_CLASSES,) if found.binned else ()
    rows, k = shown.rows, len(found.labels)
    if k > MOST_SHOWN:
        common = np.argsort(-found["support"], kind="stable")[:_CLASSES_SHOWN]
        rows = tuple(rows[i] for i in np.sort(common))
        notes += (
            f"{_CLASSES_SHOWN} of {k:,} classes, those with the most gold items; a data frame, "
            "JSON and csv hold all.",
        )
    return [replace(shown, headings=headings, rows=rows, title="Figures per class", notes=notes)]


def class_figures_table(found: PerClass) -> Table:
    """Return one row per class, the columns named as in `PerClass.figures`."""
    columns = [map(words, found.labels)]
    for name, values in found.figures.items():
        cell = count if name in ("support", "predicted") else partial(figure, digits=3)
        columns.append(map(cell, values))
    return table([Heading("class"), *numeric(*found.figures)], zip(*columns, strict=True))


def counts_tables(counts: Counts) -> list[Table]:
    """Return gold by predicted class of each system over all topics, or a row per system."""
    pooled, notes = counts.pooled(), _count_notes(counts)
    names, flat = _entries(pooled), pooled.table.reshape(-1, counts.k, counts.k)
    if not 1 <= len(flat) <= _MOST_TABLES or counts.k > _MOST_CLASSES:
        return [_distances(pooled, names, flat, notes)]
    return [
        _crossed(counts.scale.labels, f"Counts{f' of {name}' if name else ''}", cells, notes)
        for name, cells in zip(names, flat, strict=True)
    ]


def _crossed(labels: Sequence[Any], title: str, cells: Floats, notes: list[str]) -> Table:
    headings = [Heading("gold \\ predicted"), *numeric(*map(str, labels), "all")]
    rows = [
        [words(label), *map(count, row), count(row.sum())]
        for label, row in zip(labels, cells, strict=True)
    ]
    rows.append([words("all"), *map(count, cells.sum(axis=0)), count(cells.sum())])
    return table(headings, rows, title=title, notes=notes)


def _distances(counts: Counts, names: list[str], flat: Floats, notes: list[str]) -> Table:
    """Return how many predictions of each system are how many classes off."""
    apart = np.abs(np.subtract.outer(np.arange(counts.k), np.arange(counts.k)))
    parts = apart == 0, apart == 1, apart > 1
    headings = [Heading("system" if counts.systems else "table")]
    headings += numeric("items", "right", "one class off", "further")
    rows = [
        [words(name), count(cells.sum()), *(count(cells[part].sum()) for part in parts)]
        for name, cells in zip(names[:_MOST_ROWS], flat, strict=False)
    ]
    more = [f"And {len(names) - _MOST_ROWS:,} more."] if len(names) > _MOST_ROWS else []
    return table(headings, rows, title=f"Counts, {counts.k} classes", notes=[*more, *notes])


def _count_notes(counts: Counts) -> list[str]:
    notes = [f"All {len(counts.topics):,} topics together."] if counts.topics else []
    notes += ["Sums of weights."] if counts.weighted else []
    return notes + ([f"{counts.skipped:,} items left out."] if counts.skipped else [])


def _entries(counts: Counts) -> list[str]:
    """Return names of the tables: systems, or numbers where the axes have no names."""
    if counts.systems:
        return list(counts.systems)
    places = np.ndindex(counts.table.shape[:-2])
    return [",".join(str(i + 1) for i in place) for place in places]


def cells_table(counts: Counts) -> Table:
    """Return one row per cell of all tables, for CSV files and data frames."""
    leading = counts.table.ndim - 2
    axes = [axis.name for axis in counts.axes] or [f"axis_{i + 1}" for i in range(leading)]
    headings = [*map(Heading, (*axes, "gold", "predicted")), *numeric("count")]
    rows = [[*names, count(n)] for names, n in zip(_names(counts), counts.table.flat, strict=True)]
    return table(headings, rows)


def _names(counts: Counts) -> Iterator[tuple[Cell, ...]]:
    """Yield the names of the cells in the order of the array."""
    labels = [words(label) for label in counts.scale.labels]
    leading: Iterable[list[Cell]] = [[words(name) for name in axis.names] for axis in counts.axes]
    if not counts.axes:
        leading = [[count(i + 1) for i in range(n)] for n in counts.table.shape[:-2]]
    return product(*leading, labels, labels)
