"""The tables that commands print, where they differ from a result's main table."""

from collections.abc import Sequence
from dataclasses import replace

from ..report.table import Cell, Heading, Table, count, figure, interval, table, words
from ..report.tables import long_table, main_table, notes, table_of
from ..results import Result, Standing

_MOST_WITH_INTERVALS = 3  # systems side by side before a table gets too wide for a mail


def score_tables(result: Result, style: str) -> list[Table]:
    """Return all measures of one or more systems."""
    if len(result.systems) == 1:
        return [main_table(result)]
    return [long_table(result) if style == "csv" else _side_by_side(result)]


def result_tables(result: Result, kinds: Sequence[str]) -> list[Table]:
    """Return the tables that were asked for; a note is under the first that has it."""
    found: list[Table] = []
    for kind in kinds:
        made = table_of(result, kind)
        said = {note for earlier in found for note in earlier.notes}
        found.append(replace(made, notes=tuple(n for n in made.notes if n not in said)))
    return found


def _side_by_side(result: Result) -> Table:
    """Return measures as rows and systems as columns, the best system of each row in bold."""
    wide = len(result.systems) <= _MOST_WITH_INTERVALS
    missing = bool(result.scores.undefined.any())
    headings = [Heading("measure"), *(Heading(system, numeric=True) for system in result.systems)]
    headings += [Heading("undefined", numeric=True)] if missing else []
    rows = []
    for m in result.measures:
        by_system = {row.system: row for row in result.standings(m)}
        cells = [_score(by_system[system], wide=wide) for system in result.systems]
        undefined = count(sum(row.undefined for row in by_system.values()))
        rows.append([words(f"{m} {m.arrow}"), *cells, *([undefined] if missing else [])])
    hint = () if wide or result.intervals is None else ("Intervals: use --format csv or json.",)
    title = main_table(result).title
    return table(headings, rows, title=title, notes=(*hint, *notes(result)))


def _score(row: Standing, *, wide: bool) -> Cell:
    cell = figure(row.score, bold=row.position == 1)
    ends = interval(row.low, row.high).text if wide else ""
    return Cell(f"{cell.text} {ends}".strip(), cell.value, cell.bold)
