"""Studies as neutral tables and as text."""

from collections.abc import Iterable

from ..errors import plural
from ..report.formats import one_line, to_text
from ..report.table import Cell, Heading, Table, table
from ..report.table import words as text_cell
from .study import Comparison, Exhibit, Study, Value, Verdict

_WIDTH = 96
HEADINGS = (
    Heading("row"),
    Heading("column"),
    Heading("ours", numeric=True),
    Heading("printed", numeric=True),
    Heading("difference", numeric=True),
    Heading("verdict"),
    Heading("reason"),
)


def exhibit_table(exhibit: Exhibit, *, brief: bool = False) -> Table:
    """Ours beside the printed figures; with `brief` only those that are not simply the same."""
    plain = (Verdict.SAME, Verdict.DERIVED, Verdict.WITHIN)
    shown = [c for c in exhibit.comparisons if not (brief and c.verdict in plain)]
    return table(HEADINGS, map(_cells, shown), title=exhibit.title)


def _cells(c: Comparison) -> tuple[Cell, ...]:
    difference = c.difference
    return (
        text_cell(c.row),
        text_cell(c.column),
        _value(c.ours, c.decimals + 2),
        Cell(c.printed or "", c.printed),
        Cell("") if difference is None else Cell(_signed(difference, c.decimals + 2), difference),
        text_cell(verdict_words(c), bold=c.verdict.fails),
        text_cell(c.reason),
    )


def verdict_words(c: Comparison) -> str:
    """The verdict in words; statements are not rounded."""
    return "same" if c.verdict is Verdict.SAME and isinstance(c.ours, str) else c.verdict.value


def _value(value: Value | None, digits: int) -> Cell:
    if value is None:
        return Cell("")
    if isinstance(value, str):
        return text_cell(value)
    if isinstance(value, int):
        return Cell(str(value), value)
    text = f"{value:.{digits}f}"
    return Cell(text.lstrip("-") if float(text) == 0 else text, value)


def _signed(value: float, digits: int) -> str:
    text = f"{value:+d}" if isinstance(value, int) else f"{value:+.{digits}f}"
    return text.lstrip("+-") if float(text) == 0 else text.replace("-", "−")


def tally_words(study: Study | Exhibit) -> str:
    """How many figures have each verdict, in words."""
    counts = study.tally
    return ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v])


def summary_table(studies: Iterable[Study]) -> Table:
    """One line per exhibit."""
    headings = [Heading("paper"), Heading("exhibit"), Heading("figures", True), Heading("verdicts")]
    rows = [
        (
            text_cell(study.key),
            text_cell(exhibit.title),
            Cell(str(len(exhibit.comparisons)), len(exhibit.comparisons)),
            text_cell(tally_words(exhibit), bold=exhibit.fails),
        )
        for study in studies
        for exhibit in study.exhibits
    ]
    return table(headings, rows, title="Summary")


def notes_of(exhibit: Exhibit) -> list[tuple[str, str]]:
    """What the paper leaves open, what was chosen, what came out."""
    every = (
        ("Open", exhibit.left_open),
        ("Chosen", exhibit.chosen),
        ("Outcome", exhibit.outcome),
    )
    return [(name, text) for name, text in every if text]


def study_text(study: Study, *, brief: bool = False) -> str:
    """A study for the terminal."""
    parts = [study.key, "=" * len(study.key), _wrapped(study.citation), "", _wrapped(study.summary)]
    for exhibit in study.exhibits:
        parts += ["", "", exhibit.title, "-" * len(exhibit.title)]
        parts += [_wrapped(f"{name}: {text}") for name, text in notes_of(exhibit)]
        shown = exhibit_table(exhibit, brief=brief)
        if shown.rows:
            parts += ["", _compact(shown)]
        parts.append(f"{plural(len(exhibit.comparisons), 'figure')}: {tally_words(exhibit)}.")
    return "\n".join(parts) + "\n"


def _compact(shown: Table) -> str:
    """The table without its title, long reasons as numbered notes, each of them once."""
    notes: list[str] = []
    rows = []
    for row in shown.rows:
        reason = one_line(row[-1].text)
        if len(reason) > 30 and reason not in notes:
            notes.append(reason)
        mark = f"[{notes.index(reason) + 1}]" if reason in notes else reason
        rows.append((*row[:-1], text_cell(mark)))
    lines = to_text(Table(shown.headings, tuple(rows)))
    return lines + "".join(_wrapped(f"[{i}] {note}") + "\n" for i, note in enumerate(notes, 1))


def _wrapped(text: str) -> str:
    from textwrap import fill

    return fill(one_line(text), _WIDTH, subsequent_indent="    ")


def verdict_line(studies: Iterable[Study]) -> str:
    """The last line: whether everything was found again."""
    found = list(studies)
    failing = [
        f"{s.key} {e.key}: {c.row}, {c.column}"
        for s in found
        for e in s.exhibits
        for c in e.comparisons
        if c.verdict.fails
    ]
    total = sum((s.tally for s in found[1:]), found[0].tally)
    said = ", ".join(f"{total[v]} {v.value}" for v in Verdict if total[v])
    if not failing:
        return f"{said}.\nNothing differs beyond the known misprints and the refuted claims.\n"
    return f"{said}.\nNot found again: {'; '.join(failing)}.\n"
