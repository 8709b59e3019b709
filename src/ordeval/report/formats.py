"""Write a neutral table as text, Markdown, LaTeX, CSV or HTML.

Every text in a table may come from a user's file: it is escaped for the format it goes into.
"""

import csv
import html
import io
import re
from collections.abc import Callable
from dataclasses import replace

from .table import Cell, Heading, Table

# Control characters; those that turn the direction of writing, break lines or have no width; and
# halves of characters, which cannot be written.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
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
    "[": "{[}",  # after the end of a row a bracket or a star would be an argument of it
    "]": "{]}",
    "*": "{*}",
    "`": r"\char96{}",
    '"': r"\char34{}",
    "|": r"\textbar{}",
    **{c: rf"\textsuperscript{{{plain}}}" for c, plain in zip("ᴹᴾᴺᵘ", "MPNu", strict=True)},
    **{c: rf"$_{{{plain}}}$" for c, plain in zip("₀₁₂₍₎", "012()", strict=True)},
}
# A spreadsheet takes text that begins with one of these for a formula, full-width ones too.
_FORMULA = tuple("=+-@＝＋－＠")


def one_line(text: str) -> str:
    """Text without control characters: no line breaks, no terminal or direction codes."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def to_text(table: Table) -> str:
    """Aligned columns for a terminal or a mail."""
    from rich.cells import cell_len

    shown = [[one_line(h.text) for h in table.headings]]
    shown += [[_text_cell(cell) for cell in row] for row in table.rows]
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
    notes = ["", *map(one_line, table.notes)] if table.notes else []
    return "\n".join(title + body + notes) + "\n"


def _text_cell(cell: Cell) -> str:
    return one_line(cell.text) + (f" {one_line(cell.superscript)}" if cell.superscript else "")


def to_markdown(table: Table) -> str:
    """A pipe table."""
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
    """Text escaped for LaTeX."""
    return "".join(_LATEX.get(c, c) for c in one_line(text))


def to_latex(table: Table) -> str:
    """A booktabs table; needs \\usepackage{booktabs}."""
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
    """Comma-separated values at full precision; notes are left out."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    table = _split(table)
    writer.writerow([_csv(h.text) for h in table.headings])
    writer.writerows([[_csv_cell(cell) for cell in row] for row in table.rows])
    return out.getvalue()


def _split(table: Table) -> Table:
    """The table with a column for every number of a cell."""
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
    """The table with columns of marks as superscripts on the columns before them."""
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
    """Text that a spreadsheet will not run as a formula."""
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
    """A bare HTML table, for notebooks."""
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


FORMATS: dict[str, Callable[[Table], str]] = {
    "text": to_text,
    "markdown": to_markdown,
    "latex": to_latex,
    "csv": to_csv,
    "html": to_html,
}
