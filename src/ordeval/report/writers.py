"""Write a table as text, Markdown, LaTeX, CSV, HTML, or for a terminal.

Every text in a table may come from a user's file, so it is escaped for the format.
"""

import csv
import html
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest
from typing import Any

from ..formatting import one_line
from ..table import Cell, Heading, Table, Typed
from .layout import (
    GAP,
    Block,
    blocks,
    cell_len,
    command_lines,
    parts,
    shortened_names,
    text_width,
    wrapped,
)

_NOTE_WIDTH = 90  # columns of a note
_RICH_EDGES = 4  # columns beside a table of rich
_PAGE_WIDTH = 96  # characters of a table on a page of LaTeX
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
    "†": r"$\dagger$",
    "§": r"\S{}",
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


def to_text(table: Table, width: int | None = None) -> str:
    """Return aligned columns that fit a number of columns, by default those of the terminal."""
    width = text_width() if width is None else width
    found = blocks(table, width)
    title = [*wrapped(one_line(table.title), width), ""] if table.title else []
    notes = [*shortened_names(table, found), *table.notes]
    below = ["", *(line for note in notes for line in _text_note(note, width))] if notes else []
    body = "\n\n".join("\n".join(_block_lines(block)) for block in found)
    typed = [line for each in table.typed for line in ("", each.heading, *_lines(each, width))]
    return "\n".join([*title, body, *below, *typed]) + "\n"


def _lines(typed: Typed, width: int) -> list[str]:
    """Return the lines to type; a command is continued with backslashes."""
    if typed.language == "bash":
        return command_lines(one_line(typed.text), min(width, _NOTE_WIDTH) - 2, "  ")
    return [f"  {one_line(line)}" for line in typed.text.splitlines()]


def _block_lines(block: Block) -> list[str]:
    head = block.head
    height = max(map(len, head))
    lines = _aligned(block, [[""] * (height - len(cell)) + cell for cell in head])
    lines.append((" " * GAP).join("─" * width for width in block.widths))
    for row in block.rows:
        lines += _aligned(block, row)
    return lines


def _aligned(block: Block, row: list[list[str]]) -> list[str]:
    """Return the lines of a row; numbers are aligned to the right."""
    lines = []
    for line in zip_longest(*row, fillvalue=""):
        padded = [
            " " * (w - cell_len(t)) + t if h.numeric else t + " " * (w - cell_len(t))
            for t, w, h in zip(line, block.widths, block.table.headings, strict=True)
        ]
        lines.append((" " * GAP).join(padded).rstrip())
    return lines


def _text_note(note: str, width: int) -> list[str]:
    """Return a note in lines of readable length; a signature in one line, if the width allows."""
    signature = note.startswith("Signature: ")
    indent = " " * len("Note: ") if signature or note.startswith("Note: ") else ""
    return wrapped(one_line(note), width if signature else min(width, _NOTE_WIDTH), indent)


def to_markdown(table: Table) -> str:
    """Return a pipe table."""
    table = _with_superscripts(table)
    lines = [[_markdown(h.text) for h in table.headings]]
    lines.append(["---:" if h.numeric else "---" for h in table.headings])
    lines += [[_markdown_cell(cell) for cell in row] for row in table.rows]
    body = ["| " + " | ".join(line) + " |" for line in lines]
    title = [f"**{_markdown(table.title)}**", ""] if table.title else []
    notes = [""] + [f"{_markdown(note)}  " for note in table.notes] if table.notes else []
    return "\n".join(title + body + notes + _fenced(table)) + "\n"


def _fenced(table: Table) -> list[str]:
    """Return what to type as blocks of code, which a fence of backticks in it does not end."""
    found = []
    for each in table.typed:
        lines = [one_line(line) for line in each.text.splitlines()]
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", each.text))])
        found += ["", _markdown(each.heading), "", fence + each.language, *lines, fence]
    return found


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
    """Return a table for the package booktabs, in parts if it is wider than a page."""
    table = _with_superscripts(table)
    lines = [r"\begin{table}", r"\centering"]
    if table.title:
        lines.append(rf"\caption{{{latex(table.title)}}}")
    for i, part in enumerate(parts(table, _PAGE_WIDTH)):
        lines += [*([r"\par\medskip"] if i else []), *_tabular(part)]
    lines += [rf"\par\footnotesize {latex(note)}" for note in table.notes]
    for each in table.typed:
        code = r" \\ ".join(latex(line.strip()) for line in each.text.splitlines())
        lines.append(rf"\par\footnotesize {latex(each.heading)} \texttt{{{code}}}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _tabular(table: Table) -> list[str]:
    align = "".join("r" if h.numeric else "l" for h in table.headings)
    return [
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        " & ".join(latex(h.text) for h in table.headings) + r" \\",
        r"\midrule",
        *(" & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _latex_cell(cell: Cell) -> str:
    text = latex(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold and text else text
    return text + (rf"\textsuperscript{{{latex(cell.superscript)}}}" if cell.superscript else "")


def to_csv(table: Table) -> str:
    """Return comma-separated values at full precision, without title and notes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = _split(table)
    writer.writerow([_csv(h.plain or h.text) for h in table.headings])
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
    marked = any(cell.superscript for row in rows for cell in row)
    notes = tuple(_note_of_marks(note, table, marked=marked) for note in table.notes)
    return replace(table, headings=headings, rows=tuple(rows), notes=notes)


def _note_of_marks(note: str, table: Table, *, marked: bool) -> str:
    """Return a note that explains a column of marks in words that fit superscripts."""
    for name in (heading.text for heading in table.headings if heading.marks):
        if note.startswith(f"{name}: "):
            said = note.removeprefix(f"{name}: ")
            return f"Superscript: {said}" if marked else said[:1].upper() + said[1:]
    return note


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
    notes += "".join(
        f"<p><small>{_html(each.heading)}</small></p><pre>"
        + "\n".join(map(_html, each.text.splitlines()))
        + "</pre>"
        for each in table.typed
    )
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


@dataclass(frozen=True)
class RichTable:
    """A table that `rich` prints as wide as the console; names are never read as markup."""

    table: Table

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.text import Text

        found = blocks(self.table, options.max_width - _RICH_EDGES)
        notes = [*shortened_names(self.table, found), *self.table.notes]
        yield from [Text(one_line(self.table.title))] if self.table.title else []
        yield from map(_rich_block, found)
        yield from (Text(one_line(note)) for note in notes)
        for each in self.table.typed:
            yield Text(f"\n{each.heading}")
            for line in _lines(each, options.max_width):
                yield Text(line, overflow="fold")


def _rich_block(block: Block) -> Any:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    drawn = Drawn(box=box.SIMPLE_HEAD)
    for heading, lines, width in zip(block.table.headings, block.head, block.widths, strict=True):
        justify: Any = "right" if heading.numeric else "left"
        drawn.add_column(Text("\n".join(lines)), justify=justify, min_width=width)
    for row, lines_of in zip(block.table.rows, block.rows, strict=True):
        styles = ["bold" if cell.bold else "" for cell in row]
        texts = ["\n".join(lines) for lines in lines_of]
        drawn.add_row(*map(Text, texts, styles))
    return drawn


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "html": to_html,
}


def written(style: str, tables: Iterable[Table], width: int | None = None) -> str:
    """Return tables one after the other in a format: text, markdown, latex, csv or html.

    Text fits `width` columns, by default those of the terminal.
    """
    write = partial(to_text, width=width) if style == "text" else FORMATS[style]
    return "\n".join(map(write, tables))
