"""The tables of a result: leaderboard, measures of one system, pairs, matrices, classes."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from ..class_figures import PerClass, class_figures
from ..errors import InputError
from ..results import Result, Tests
from ..spec import Measure
from ..types import Floats
from .objects import classes_table
from .table import Cell, Heading, Table, count, figure, interval, p_value, ranges, table, words

_MATRICES = {
    "p": "p-values of all pairs",
    "effect": "Effect sizes of all pairs (row minus column, in residual standard deviations)",
    "difference": "Differences of all pairs (row minus column)",
    "classical": "p-values of all pairs by the classical Tukey HSD",
}


def main_table(result: Result) -> Table:
    """A leaderboard of several systems, or the measures of one."""
    return leaderboard(result) if len(result.scores.systems) > 1 else measures_table(result)


def table_of(result: Result, what: str = "main", measure: Measure | None = None) -> Table:
    """The table of that name: see `KINDS`."""
    if what not in KINDS:
        raise InputError(f"There is no table {what!r}; there are {', '.join(KINDS)}.")
    return KINDS[what](result, measure)


def heading(measure: Measure) -> Heading:
    """A measure's name with the better direction."""
    return Heading(f"{measure.short} {measure.arrow}", numeric=True)


def _interval_heading(level: float) -> Heading:
    return Heading(f"{100 * level:g} % interval", True, parts=("low", "high"))


def measures_table(result: Result) -> Table:
    """One row per measure of a single system, with its interval and range."""
    scores, found = result.scores, result.intervals
    missing = bool(scores.undefined.any())
    headings = [Heading("measure"), Heading("score", True)]
    headings += [_interval_heading(found.level)] if found else []
    headings += [Heading("range", True)] + ([Heading("undefined", True)] if missing else [])
    rows = []
    for i, m in enumerate(scores.measures):
        row = [words(f"{m} {m.arrow}"), figure(scores.values[i, 0])]
        row += [interval(found.low[i, 0], found.high[i, 0])] if found else []
        row.append(_range(m, scores.scale.k))
        rows.append(row + ([count(scores.undefined[i, 0])] if missing else []))
    return table(headings, rows, title=_title(result), notes=notes(result))


def _range(m: Measure, k: int) -> Cell:
    low, high = m.bounds(k)
    return words(f"{low:.4g} … {high:.4g}".replace("inf", "∞"))


def leaderboard(result: Result, measure: Measure | None = None) -> Table:
    """Systems from best to worst: the ranking measure with its interval, then the others.

    `beats` are the ranks of the systems that are significantly worse, set as superscripts of the
    score where the format has them; systems that share a letter under `group` are not told apart.
    """
    first = measure or result.primary
    row_of = _row(result, first)
    others = [i for i in range(len(result.scores.measures)) if i != row_of]
    letters = result.letters(first) if result.tests else {}
    grouped = any(letters.values())
    headings = [Heading("#", True), Heading("system"), heading(first)]
    headings += [Heading("beats", marks=True)] if result.tests else []
    headings += [_interval_heading(result.intervals.level)] if result.intervals else []
    headings += [Heading("group")] if grouped else []
    headings += [heading(result.scores.measures[i]) for i in others]
    rank = {system: i + 1 for i, system in enumerate(result.scores.ranking(first))}
    rows = []
    for system in rank:
        row = [count(rank[system]), words(system), _score(result, row_of, system)]
        if result.tests:
            row.append(words(ranges(rank[s] for s in result.beats(system, first))))
        row += [_interval(result, row_of, system)] if result.intervals else []
        row += [words(letters[system])] if grouped else []
        rows.append(row + [_score(result, i, system) for i in others])
    return table(headings, rows, title=_title(result), notes=notes(result, first))


def _score(result: Result, row: int, system: str) -> Cell:
    """A system's score, in bold if no other is better."""
    scores, m = result.scores, result.scores.measures[row]
    value = scores.of(m, system)
    return figure(value, bold=value == scores.of(m, scores.ranking(m)[0]))


def _interval(result: Result, row: int, system: str) -> Cell:
    place, found = result.scores.systems.index(system), result.intervals
    return Cell("") if found is None else interval(found.low[row, place], found.high[row, place])


def _title(result: Result) -> str:
    scores = result.scores
    unit = "instances" if result.kind == "quantification" else "items"
    size = f"{scores.items:,.10g} {unit}"
    if scores.topics and result.kind != "quantification":
        how = "mean over" if scores.aggregate == "mean" else "pooled over"
        size += f", {how} {len(scores.topics)} topics"
    return f"{size}, scale {scores.scale.describe()}"


def notes(result: Result, measure: Measure | None = None) -> tuple[str, ...]:
    """What the marks mean, what to mind, and the signature."""
    found = []
    if result.tests and len(result.scores.systems) > 1:
        tests = result.tests
        found.append(
            f"beats (or superscript): ranks of the systems that are worse at p < {tests.alpha:g} "
            f"({tests.name}, {tests.trials:,} trials). group: systems that share a letter are not "
            "told apart."
        )
    found += [f"Note: {notice}" for notice in result.notices]
    return (*found, f"Signature: {result.signature(measure or _only(result))}")


def _only(result: Result) -> Measure | None:
    return result.primary if len(result.scores.systems) > 1 else None


def _row(result: Result, measure: Measure) -> int:
    if measure not in result.scores.measures:
        raise InputError(f"{measure} was not among the measures of this result.")
    return result.scores.measures.index(measure)


def _tests(result: Result) -> Tests:
    if result.tests is None:
        raise InputError("No tests were made; use compare(...) with two or more systems.")
    return result.tests


def pairs_table(result: Result, measure: Measure | None = None) -> Table:
    """Every pair of systems under one measure: difference, effect size, p-value."""
    first = measure or result.primary
    row, found, tests = _row(result, first), result.differences, result.tests
    if found is None:
        tests = _tests(result)
    classical = tests.classical if tests else None
    headings = [Heading("system"), Heading("against")]
    headings.append(Heading(f"difference in {first.short}", True))
    headings += [_interval_heading(found.level)] if found else []
    headings += [Heading("effect size", True), Heading("p", True)] if tests else []
    headings += [Heading("classical p", True)] if classical is not None else []
    systems, rows = result.scores.systems, []
    for a, b in combinations(map(systems.index, result.scores.ranking(first)), 2):
        cells = [words(systems[a]), words(systems[b]), figure(_difference(result, row, a, b))]
        cells += [interval(found.low[row, a, b], found.high[row, a, b])] if found else []
        if tests:
            cells += [figure(tests.effect[row, a, b], 2), p_value(tests.p[row, a, b])]
        cells += [p_value(classical[row, a, b])] if classical is not None else []
        rows.append(cells)
    title = f"Pairs of systems, {first}"
    return table(headings, rows, title=title, notes=_test_notes(result, first))


def _difference(result: Result, row: int, a: int, b: int) -> float:
    """The difference that was tested, or else that of the scores."""
    values = result.scores.values[row]
    return float(result.tests.difference[row, a, b] if result.tests else values[a] - values[b])


def _test_notes(result: Result, measure: Measure) -> list[str]:
    """Which test the p-values are from, and the signature."""
    tests = result.tests
    named = [f"p: {tests.name}, {tests.trials:,} trials."] if tests else []
    if tests and result.differences and len(result.systems) > 2:
        named.append("p allows for all pairs being tested; each interval is for its pair alone.")
    return [*named, f"Signature: {result.signature(measure)}"]


def matrix_table(result: Result, what: str = "p", measure: Measure | None = None) -> Table:
    """A figure of all pairs as a square of systems, the best first; p below alpha in bold.

    `what` is "p", "effect", "difference" (row minus column) or "classical" (p).
    """
    tests, first = _tests(result), measure or result.primary
    row = _row(result, first)
    if what not in _MATRICES:
        raise InputError(f"There is no matrix {what!r}; there are {', '.join(_MATRICES)}.")
    figures: Floats | None = getattr(tests, what)
    if figures is None:
        raise InputError("No classical Tukey HSD was made; pass classical=True, with topics.")
    ranking = result.scores.ranking(first)
    order = [result.scores.systems.index(system) for system in ranking]
    square = figures[row][np.ix_(order, order)]
    rows = [
        [
            count(i + 1),
            words(system),
            *(_matrix_cell(what, x, tests.alpha, i == j) for j, x in enumerate(square[i])),
        ]
        for i, system in enumerate(ranking)
    ]
    headings = [Heading("#", True), Heading("system"), *(Heading(s, True) for s in ranking)]
    title = f"{_MATRICES[what]}, {first}"
    return table(headings, rows, title=title, notes=_test_notes(result, first))


def _matrix_cell(what: str, value: float, alpha: float, diagonal: bool) -> Cell:
    if diagonal:
        return Cell("", None)
    if what in ("p", "classical"):
        return p_value(value, bold=bool(value < alpha))
    return figure(value, 2 if what == "effect" else 4)


def anova_table(result: Result, measure: Measure | None = None) -> Table:
    """The two-way analysis of variance without replication, a row per measure (or of one)."""
    found = _tests(result).anova
    if found is None:
        raise InputError("There is no analysis of variance without two or more topics.")
    columns: dict[str, tuple[Floats, Callable[[float], Cell]]] = {
        "SS systems": (found.systems_ss, figure),
        "df systems": (np.asarray(found.systems_df, dtype=float), _degrees),
        "F systems": (found.systems_f, lambda x: figure(x, 2)),
        "p systems": (found.systems_p, p_value),
        "SS topics": (found.topics_ss, figure),
        "df topics": (np.asarray(found.topics_df, dtype=float), _degrees),
        "F topics": (found.topics_f, lambda x: figure(x, 2)),
        "p topics": (found.topics_p, p_value),
        "SS residual": (found.residual_ss, figure),
        "df residual": (np.asarray(found.residual_df, dtype=float), _degrees),
        "V_E2": (found.residual_variance, lambda x: figure(x, 5)),
    }
    chosen = [measure] if measure else list(result.scores.measures)
    rows = [
        [words(m), *(cell(values[_row(result, m)]) for values, cell in columns.values())]
        for m in chosen
    ]
    headings = [Heading("measure"), *(Heading(name, True) for name in columns)]
    return table(headings, rows, title="Two-way analysis of variance without replication")


def _degrees(value: float) -> Cell:
    return figure(value) if np.isnan(value) else count(value)


def class_table(result: Result, system: str) -> Table:
    """Figures per class of one system."""
    if result.tables is None:
        return table([Heading("class")], [])
    place = result.scores.systems.index(system)
    scale = result.scores.scale
    figures = PerClass(scale.labels, class_figures(result.tables[place], scale))
    return replace(classes_table(figures), title=f"Figures per class: {system}")


def long_table(result: Result) -> Table:
    """One row per measure and system, for machines."""
    names = ("measure", "system", "better", "score", "low", "high", "undefined")
    headings = [Heading(name, numeric=name not in names[:3]) for name in names]
    rows = [
        [
            words(row.measure),
            words(row.system),
            words(row.measure.better),
            *map(figure, (row.score, row.low, row.high)),
            count(row.undefined),
        ]
        for row in result.tidy()
    ]
    return table(headings, rows)


def _matrix(what: str, result: Result, measure: Measure | None) -> Table:
    return matrix_table(result, what, measure)


KINDS: dict[str, Callable[[Result, Measure | None], Table]] = {
    "main": lambda result, m: leaderboard(result, m) if m else main_table(result),
    "pairs": pairs_table,
    **{what: partial(_matrix, what) for what in _MATRICES},
    "anova": anova_table,
}
