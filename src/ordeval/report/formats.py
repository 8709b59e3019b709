"""A view as text, Markdown, LaTeX, CSV, data frame, HTML fragment and summary.

Every text may come from a user's file, so it is escaped for the format.
"""

import csv
import html
import io
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from math import isnan
from typing import Any

from .._version import __version__
from ..display import FRAME_LIBRARIES
from ..errors import InputError
from ..formatting import one_line, shorten
from .layout import cell_len, command_lines, text_width, words_of_line, wrapped
from .texts import bibliography, plain
from .view import Cell, Code, Col, Section, View

_GAP = 2  # columns between the columns of a table
_NOTE_WIDTH = 90  # columns of a note
_LONGEST_WORD = 60  # characters of a word in a table of text
_WORD = 20  # columns that words are given if they need them
_LEAST_NAME = 4  # columns of a name on a very narrow terminal
_NARROWEST = 10  # columns that a column of text is given at least
_LATEX = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "`": r"\char96{}", '"': r"\char34{}",
    "|": r"\textbar{}", "…": r"\ldots{}", "§": r"\S{}", "–": "--",
    **{c: f"\\{c}" for c in "&%$#_{}"},
    **{c: f"{{{c}}}" for c in "[]*"},  # after \\ they would be read as an argument
    **{c: rf"\textsuperscript{{{plain}}}" for c, plain in zip("ᴹᴾᴺᵘ", "MPNu", strict=True)},
    **{c: rf"$_{{{plain}}}$" for c, plain in zip("₀₁₂₍₎", "012()", strict=True)},
    **{
        c: f"${maths}$"
        for c, maths in {
            "↑": r"\uparrow", "↓": r"\downarrow", "−": "-", "∞": r"\infty", "κ": r"\kappa",
            "α": r"\alpha", "τ": r"\tau", "ρ": r"\rho", "±": r"\pm", "·": r"\cdot",
            "×": r"\times", "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "β": r"\beta",
            "γ": r"\gamma", "λ": r"\lambda", "ε": r"\varepsilon", "′": "'", "√": r"\surd",
            "✓": r"\surd", "✗": r"\times", "†": r"\dagger",
        }.items()
    },
}  # fmt: skip
_REMARKS = ("Note: ", "Signature: ")  # notes of the whole view, below the last table
_FORMULA = tuple("=+-@＝＋－＠")  # spreadsheets read text that begins with one as a formula


def written(
    style: str, view: View, keys: Sequence[str] = ("main",), width: int | None = None
) -> str:
    """Return sections of a view in a format: text, markdown, latex, csv, html or sentence."""
    if style == "sentence":
        return summary(view)
    if style == "csv":
        return to_csv(view[view.data if keys[0] == "main" else keys[0]])
    sections = [part for section in view.chosen(keys) for part in _flat(section)]
    to_text = partial(text, width=text_width() if width is None else width)
    documents = {"markdown": markdown, "latex": latex, "html": fragment}
    write: Callable[[Section, Sequence[str]], str] = documents.get(style, to_text)
    return "\n".join(write(section, notes) for section, notes in _with_notes(view, sections))


def _flat(section: Section) -> Iterator[Section]:
    """Yield a section, if it has a table to read, and its parts."""
    if section.shown or not section.parts:
        yield section
    for part in section.parts:
        yield from _flat(part)


def _with_notes(view: View, sections: Sequence[Section]) -> Iterator[tuple[Section, list[str]]]:
    """Yield sections with the notes that no earlier one has; those of the view come last."""
    seen: set[str] = set()
    for i, section in enumerate(sections):
        notes = [one_line(plain(note)) for note in section.notes]
        if i == len(sections) - 1:
            notes += [f"Note: {one_line(str(note))}" for note in view.notes]
            notes += [f"Signature: {view.signature}"] if view.signature else []
        yield section, [note for note in dict.fromkeys(notes) if note not in seen]
        seen.update(notes)


# Text.


def text(section: Section, notes: Sequence[str], width: int) -> str:
    """Return aligned columns that fit a number of columns of a terminal."""
    lines = [*wrapped(one_line(section.title), width), ""] if section.title else []
    for i, columns in enumerate(_blocks(section, width)):
        lines += [""] * (i > 0) + _table_lines(columns, width)
    if notes:
        lines += ["", *(line for note in notes for line in _note_lines(note, width))]
    for code in section.code:
        lines += ["", code.heading, *_code_lines(code, width)]
    return "\n".join(lines) + "\n"


def _note_lines(note: str, width: int) -> list[str]:
    """Return a note in lines of readable length; a signature is not broken if it fits."""
    indent = " " * len("Note: ") if note.startswith(_REMARKS) else ""
    whole = note.startswith("Signature: ")
    return wrapped(note, width if whole else min(width, _NOTE_WIDTH), indent)


def _code_lines(code: Code, width: int) -> list[str]:
    if code.language == "bash":
        return command_lines(one_line(code.text), min(width, _NOTE_WIDTH) - 2, "  ")
    return [f"  {one_line(line)}" for line in code.text.splitlines()]


def _brief(text: str) -> str:
    """Return a text that wraps, without the middle of a word that is longer than a line."""
    if len(text) <= _LONGEST_WORD:
        return text
    return " ".join(shorten(word, _LONGEST_WORD) for word in text.split(" "))


class _Column:
    """A column of text: its heading in lines, its cells, and how narrow and wide it may be."""

    def __init__(self, col: Col, cells: Sequence[str]) -> None:
        longest = max(map(cell_len, cells), default=0)
        whole = col.numeric or longest <= _NARROWEST  # cells are not broken
        words = max((cell_len(word) for cell in cells for word in cell.split(" ")), default=0)
        self.cells, self.right = cells, col.numeric
        self.heading = _heading(col.heading, longest if whole else _LONGEST_WORD)
        self.most = max(longest, *map(cell_len, self.heading))
        self.least = self.most if whole else min(max(words, _NARROWEST), _WORD, self.most)

    def padded(self, line: str, width: int) -> str:
        """Return a line of a cell in a width; numbers are aligned to the right."""
        space = " " * (width - cell_len(line))
        return space + line if self.right else line + space


def _blocks(section: Section, width: int) -> list[list[_Column]]:
    """Return the columns in blocks that fit; the columns that name the rows are repeated."""
    cells = section.cells()
    every = [
        _Column(col, [_brief(row[i].text) for row in cells]) for i, col in enumerate(section.shown)
    ]
    names = every[: 1 + (bool(section.shown) and section.shown[0].name == "#")]
    blocks: list[list[_Column]] = []
    for column in every:
        used = sum(each.least + _GAP for each in blocks[-1]) if blocks else width
        if used + column.least <= width:
            blocks[-1].append(column)
        else:
            blocks.append([*names, column] if blocks else [column])
    return blocks


def _heading(name: str, width: int) -> list[str]:
    """Return a heading in lines that are not longer than the cells below, if words allow it."""
    text = _brief(one_line(name))
    longest = max(map(cell_len, words_of_line(text)))
    return wrapped(text, max(width, min(longest, _WORD), 1))


def _table_lines(columns: Sequence[_Column], width: int) -> list[str]:
    """Return aligned columns; those of texts share the room that the others leave."""
    widths = _widths(columns, width)

    def line(texts: Sequence[str]) -> str:
        parts = zip(columns, texts, widths, strict=True)
        return (" " * _GAP).join(column.padded(text, w) for column, text, w in parts).rstrip()

    def row(cells: Iterable[Sequence[str]]) -> list[str]:
        return [line(texts) for texts in zip_longest(*cells, fillvalue="")]

    pairs = list(zip(columns, widths, strict=True))
    heads = [[line for text in c.heading for line in wrapped(text, w)] for c, w in pairs]
    height = max(map(len, heads))
    lines = row([""] * (height - len(head)) + head for head in heads)
    lines.append("─" * (sum(widths) + _GAP * (len(widths) - 1)))
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines += row(wrapped(text, w) for text, w in zip(cells, widths, strict=True))
    return lines


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Return the widths of columns: texts share what is left, or give way to numbers."""
    widths = [column.least for column in columns]
    left = width - sum(widths) - _GAP * (len(columns) - 1)
    for _ in range(left):
        lack = [column.most - w for column, w in zip(columns, widths, strict=True)]
        widths[lack.index(max(lack))] += max(lack) > 0
    for _ in range(-left):
        room = [0 if column.right else w for column, w in zip(columns, widths, strict=True)]
        widths[room.index(max(room))] -= max(room) > _LEAST_NAME
    return widths


# Documents.


def markdown(section: Section, notes: Sequence[str] = ()) -> str:
    """Return a pipe table."""
    lines = [f"**{_markdown(section.title)}**", ""] if section.title else []
    if section.shown:
        lines.append(_pipes(_markdown(col.heading) for col in section.shown))
        lines.append(_pipes("---:" if col.numeric else "---" for col in section.shown))
        lines += [_pipes(map(_markdown_cell, row)) for row in section.cells()]
    lines += ["", *(f"{_markdown(note)}  " for note in notes)] if notes else []
    for code in section.code:
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", code.text))])
        body = [one_line(line) for line in code.text.splitlines()]
        lines += ["", _markdown(code.heading), "", fence + code.language, *body, fence]
    return "\n".join(lines) + "\n"


def _pipes(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(words: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|~#&$])", r"\\\1", one_line(words))


def _markdown_cell(cell: Cell) -> str:
    shown = _markdown(cell.text)
    return f"**{shown}**" if cell.bold and shown else shown


def latex_text(words: str) -> str:
    """Return text escaped for LaTeX."""
    return "".join(_LATEX.get(c, c) for c in one_line(words))


def latex(section: Section, notes: Sequence[str] = ()) -> str:
    """Return a table for the package booktabs; notes on data and the signature are comments."""
    lines = [f"% {latex_text(note)}" for note in notes if note.startswith(_REMARKS)]
    lines += [r"\begin{table}", r"\centering"]
    lines += [rf"\caption{{{latex_text(section.title)}}}"] if section.title else []
    if section.shown:
        align = "".join("r" if col.numeric else "l" for col in section.shown)
        heads = " & ".join(latex_text(col.heading) for col in section.shown)
        lines += [rf"\begin{{tabular}}{{{align}}}", r"\toprule", rf"{heads} \\", r"\midrule"]
        lines += [" & ".join(map(_latex_cell, row)) + r" \\" for row in section.cells()]
        lines += [r"\bottomrule", r"\end{tabular}"]
    legend = [latex_text(note) for note in notes if not note.startswith(_REMARKS)]
    for code in section.code:
        body = r" \\ ".join(latex_text(line.strip()) for line in code.text.splitlines())
        legend.append(rf"{latex_text(code.heading)} \texttt{{{body}}}")
    lines += [rf"\par\footnotesize {words}" for words in legend]
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _latex_cell(cell: Cell) -> str:
    shown = latex_text(cell.text)
    return rf"\textbf{{{shown}}}" if cell.bold and shown else shown


def fragment(section: Section, notes: Sequence[str] = ()) -> str:
    """Return a plain HTML table, for notebooks."""

    def row(tag: str, cells: Iterable[Cell]) -> str:
        cells_of_row = ""
        for col, cell in zip(section.shown, cells, strict=True):
            words = f"<b>{_html(cell.text)}</b>" if cell.bold else _html(cell.text)
            side = "right" if col.numeric else "left"
            cells_of_row += f'<{tag} style="text-align:{side}">{words}</{tag}>'
        return f"<tr>{cells_of_row}</tr>"

    head = row("th", (Cell(col.heading) for col in section.shown))
    body = "".join(row("td", cells) for cells in section.cells())
    caption = f"<caption>{_html(section.title)}</caption>" if section.title else ""
    below = "".join(f"<p><small>{_html(note)}</small></p>" for note in notes)
    for code in section.code:
        lines = "\n".join(map(_html, code.text.splitlines()))
        below += f"<p><small>{_html(code.heading)}</small></p><pre>{lines}</pre>"
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{below}"


def _html(words: str) -> str:
    return html.escape(one_line(words))


# Data.


def to_csv(section: Section) -> str:
    """Return comma-separated values at full precision."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names, rows = section.data()
    writer.writerow(map(_csv, names))
    writer.writerows([[_csv(value) for value in row] for row in rows])
    return out.getvalue()


def _csv(value: Any) -> str:
    """Return a value as text that a spreadsheet does not run as a formula."""
    if isinstance(value, float):
        return "" if isnan(value) else repr(float(value))
    words = one_line(str(value))
    if isinstance(value, str) and words.startswith(_FORMULA):
        try:
            float(words)
        except ValueError:
            return f"'{words}"
    return words


def to_frame(section: Section, backend: str | None = None) -> Any:
    """Return the data of a section as a frame of an installed library."""
    import narwhals as nw

    if backend is not None and backend not in FRAME_LIBRARIES:
        raise InputError(
            f"backend={backend!r} is not known; it is one of {', '.join(FRAME_LIBRARIES)}.",
            parameter="backend",
        )
    names, rows = section.data()
    columns: dict[str, list[Any]] = {}
    values = zip(*rows, strict=True) if rows else [()] * len(names)
    for name, column in zip(names, values, strict=True):
        while name in columns:
            name += "_"
        floats = any(isinstance(value, float) for value in column)
        columns[name] = [float(value) if floats else _encodable(value) for value in column]
    loaded = [name for name in FRAME_LIBRARIES if name in sys.modules]
    choices: list[Any] = [backend] if backend else [*loaded, *FRAME_LIBRARIES]
    for choice in choices:
        try:
            return nw.from_dict(columns, backend=choice).to_native()
        except ImportError:
            continue
    raise InputError(
        f"No data-frame library is installed; install one of {', '.join(FRAME_LIBRARIES)}."
    )


def _encodable(value: Any) -> Any:
    """Return a value; a text without halves of surrogate pairs, which frames cannot hold."""
    return value.encode(errors="replace").decode() if isinstance(value, str) else value


# Sentences.


def summary(view: View) -> str:
    """Return the answer, the method and the notes as paragraphs, with the works that they cite."""
    version = f"The figures were computed with ordeval {__version__}."
    notes = [one_line(str(note)) for note in view.notes if not getattr(note, "request", False)]
    paragraphs = (view.answer(), [*view.method(), version], ["Note:", *notes] if notes else [])
    body = "\n\n".join(plain(" ".join(filter(None, part))) for part in paragraphs if part)
    cited = bibliography(body)
    return "\n\n".join([body, *(["References\n" + "\n".join(cited)] if cited else [])]) + "\n"
