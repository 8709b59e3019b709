"""Write a table as text, Markdown, LaTeX, CSV, HTML, or for a terminal.

Every text in a table may come from a user's file, so it is escaped for the format.
"""

import csv
import html
import io
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from textwrap import fill
from typing import Any

from rich.cells import cell_len

from ..formatting import one_line
from ..table import Cell, Heading, Table

_NOTE_WIDTH = 90  # columns of a note
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "–": "--",
    "−": "$-$",
    "∞": r"$\infty$",
    "κ": r"$\kappa$",
    "α": r"$\alpha$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "±": r"$\pm$",
    "·": r"$\cdot$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≈": r"$\approx$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "′": r"$'$",
    "√": r"$\surd$",
    "✓": r"$\surd$",
    "✗": r"$\times$",
    "…": r"\ldots{}",
    "[": "{[}",  # after \\\\ a bracket or a star would be read as its argument
    "]": "{]}",
    "*": "{*}",
    "`": r"\char96{}",
    '"': r"\char34{}",
    "|": r"\textbar{}",
    **{c: rf"\textsuperscript{{{plain}}}" for c, plain in zip("ᴹᴾᴺᵘ", "MPNu", strict=True)},
    **{c: rf"$_{{{plain}}}$" for c, plain in zip("₀₁₂₍₎", "012()", strict=True)},
}
# Spreadsheets read text that begins with one of these as a formula.
_FORMULA = tuple("=+-@＝＋－＠")


def to_text(table: Table) -> str:
    """Return aligned columns."""
    shown = [[one_line(h.text) for h in table.headings]]
    shown += [[one_line(cell.text) for cell in row] for row in table.rows]
    widths = [max(cell_len(row[i]) for row in shown) for i in range(len(table.headings))]

    def line(row: list[str]) -> str:
        padded = [
            " " * (w - cell_len(t)) + t if h.numeric else t + " " * (w - cell_len(t))
            for t, w, h in zip(row, widths, table.headings, strict=True)
        ]
        return "  ".join(padded).rstrip()

    rule = "  ".join("─" * w for w in widths)
    body = [line(shown[0]), rule, *map(line, shown[1:])]
    title = [one_line(table.title), ""] if table.title else []
    notes = ["", *map(_text_note, table.notes)] if table.notes else []
    return "\n".join(title + body + notes) + "\n"


def _text_note(note: str) -> str:
    """Return a note in lines of readable length; a signature stays in one line to be copied."""
    if note.startswith("Signature: "):
        return one_line(note)
    indent = " " * len("Note: ") if note.startswith("Note: ") else ""
    return fill(
        one_line(note),
        _NOTE_WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def to_markdown(table: Table) -> str:
    """Return a pipe table."""
    table = _with_superscripts(table)
    lines = [[_markdown(h.text) for h in table.headings]]
    lines.append(["---:" if h.numeric else "---" for h in table.headings])
    lines += [[_markdown_cell(cell) for cell in row] for row in table.rows]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    title = [f"**{_markdown(table.title)}**", ""] if table.title else []
    notes = [""] + [f"{_markdown(note)}  " for note in table.notes] if table.notes else []
    return "\n".join(title + body + notes) + "\n"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~#&$])", r"\\\1", one_line(text))


def _markdown_cell(cell: Cell) -> str:
    text = _markdown(cell.text)
    text = f"**{text}**" if cell.bold and text else text
    return text + (f"<sup>{_html(cell.superscript)}</sup>" if cell.superscript else "")


def latex(text: str) -> str:
    """Return text escaped for LaTeX."""
    return "".join(_LATEX.get(c, c) for c in one_line(text))


def to_latex(table: Table) -> str:
    """Return a table for the package booktabs."""
    table = _with_superscripts(table)
    align = "".join("r" if h.numeric else "l" for h in table.headings)
    lines = [r"\begin{table}", r"\centering"]
    if table.title:
        lines.append(rf"\caption{{{latex(table.title)}}}")
    lines += [rf"\begin{{tabular}}{{{align}}}", r"\toprule"]
    lines.append(" & ".join(latex(h.text) for h in table.headings) + r" \\")
    lines.append(r"\midrule")
    lines += [" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [rf"\par\footnotesize {latex(note)}" for note in table.notes]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_cell(cell: Cell) -> str:
    text = latex(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return text + (rf"\textsuperscript{{{latex(cell.superscript)}}}" if cell.superscript else "")


def to_csv(table: Table) -> str:
    """Return comma-separated values at full precision, without title and notes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = _split(table)
    writer.writerow([_csv(h.text) for h in table.headings])
    writer.writerows([[_csv_cell(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def _split(table: Table) -> Table:
    """Return the table with a column for each number of a cell."""
    headings = [part for h in table.headings for part in ([Heading(p) for p in h.parts] or [h])]
    rows = [
        tuple(
            part
            for cell, h in zip(row, table.headings, strict=True)
            for part in (cell.split(len(h.parts)) if h.parts else (cell,))
        )
        for row in table.rows
    ]
    return replace(table, headings=tuple(headings), rows=tuple(rows))


def _with_superscripts(table: Table) -> Table:
    """Return the table with columns of marks as superscripts on the columns before them."""
    rows = []
    for row in table.rows:
        kept: list[Cell] = []
        for cell, heading in zip(row, table.headings, strict=True):
            if heading.marks:
                kept[-1] = replace(kept[-1], superscript=cell.text)
            else:
                kept.append(cell)
        rows.append(tuple(kept))
    headings = tuple(h for h in table.headings if not h.marks)
    return replace(table, headings=headings, rows=tuple(rows))


def _csv_cell(cell: Cell) -> str:
    return cell.full if isinstance(cell.value, (int, float)) else _csv(cell.full)


def _csv(text: str) -> str:
    """Return text that a spreadsheet does not run as a formula."""
    text = one_line(text)
    risky = text.startswith(_FORMULA) and not _is_number(text)
    return f"'{text}" if risky else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def to_html(table: Table) -> str:
    """Return a plain HTML table, for notebooks."""
    table = _with_superscripts(table)
    head = "".join(_tag("th", _html(h.text), h) for h in table.headings)
    rows = [
        "<tr>"
        + "".join(_html_cell(c, h) for c, h in zip(row, table.headings, strict=True))
        + "</tr>"
        for row in table.rows
    ]
    caption = f"<caption>{_html(table.title)}</caption>" if table.title else ""
    notes = "".join(f"<p><small>{_html(note)}</small></p>" for note in table.notes)
    body = "".join(rows)
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{notes}"


def _html(text: str) -> str:
    return html.escape(one_line(text))


def _tag(name: str, inner: str, heading: Heading) -> str:
    align = "right" if heading.numeric else "left"
    return f'<{name} style="text-align:{align}">{inner}</{name}>'


def _html_cell(cell: Cell, heading: Heading) -> str:
    text = f"<b>{_html(cell.text)}</b>" if cell.bold else _html(cell.text)
    marks = f"<sup>{_html(cell.superscript)}</sup>" if cell.superscript else ""
    return _tag("td", text + marks, heading)


def rich_table(table: Table) -> Any:
    """Return the table for `rich.print`; names are never read as markup."""
    from rich import box
    from rich.console import Group
    from rich.table import Table as RichTable
    from rich.text import Text

    found = RichTable(box=box.SIMPLE_HEAD)
    for heading in table.headings:
        justify: Any = "right" if heading.numeric else "left"
        found.add_column(Text(one_line(heading.text)), justify=justify)
    for row in table.rows:
        found.add_row(
            *(
                Text(one_line(cell.text), style="bold" if cell.bold else "", overflow="fold")
                for cell in row
            )
        )
    title = [Text(one_line(table.title))] if table.title else []
    return Group(*title, found, *(Text(one_line(note)) for note in table.notes))


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "html": to_html,
}


def written(style: str, tables: Iterable[Table]) -> str:
    """Return tables one after the other in a format: text, markdown, latex, csv or html."""
    return "\n".join(map(FORMATS[style], tables))
