"""The tables that commands print, where they differ from a result's main table."""

from collections.abc import Sequence
from dataclasses import replace

from ..report.table import Cell, Heading, Table, count, figure, interval, table, words
from ..report.tables import long_table, main_table, notes, table_of
from ..results import Result

_MOST_WITH_INTERVALS = 3  # systems side by side before a table gets too wide for a mail


def score_tables(result: Result, style: str) -> list[Table]:
    """All measures of one or more systems."""
    if len(result.scores.systems) == 1:
        return [main_table(result)]
    return [long_table(result) if style == "csv" else side_by_side(result)]


def result_tables(result: Result, kinds: Sequence[str]) -> list[Table]:
    """The tables that were asked for; a note stands under the first that has it."""
    found: list[Table] = []
    for kind in kinds:
        made = table_of(result, kind)
        said = {note for earlier in found for note in earlier.notes}
        found.append(replace(made, notes=tuple(n for n in made.notes if n not in said)))
    return found


def side_by_side(result: Result) -> Table:
    """Measures as rows and systems as columns, the best system of each row in bold."""
    scores, systems = result.scores, result.systems
    fits = result.intervals is not None and len(systems) <= _MOST_WITH_INTERVALS
    missing = bool(scores.undefined.any())
    headings = [Heading("measure"), *(Heading(system, numeric=True) for system in systems)]
    headings += [Heading("undefined", numeric=True)] if missing else []
    rows = []
    for i, m in enumerate(scores.measures):
        best = scores.ranking(m)[0]
        row = [words(f"{m} {m.arrow}")]
        row += [_score(result, i, system, bold=system == best, wide=fits) for system in systems]
        rows.append(row + ([count(scores.undefined[i].sum())] if missing else []))
    told = notes(result)
    if result.intervals is not None and not fits:
        told = ("Intervals: use --format csv or json.", *told)
    return table(headings, rows, title=main_table(result).title, notes=told)


def _score(result: Result, row: int, system: str, *, bold: bool, wide: bool) -> Cell:
    place = result.scores.systems.index(system)
    cell = figure(result.scores.values[row, place], bold=bold)
    if not wide or result.intervals is None:
        return cell
    ends = interval(result.intervals.low[row, place], result.intervals.high[row, place])
    return Cell(f"{cell.text} {ends.text}".strip(), cell.value, bold)
