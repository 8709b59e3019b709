"""A view as text, Markdown, LaTeX, CSV, data frame, HTML fragment and summary.

Every text may come from a user's file, so it is escaped for the format.
"""

import csv
import html
import io
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from math import isnan
from typing import Any, Literal

from .._version import __version__
from ..display import FRAME_LIBRARIES
from ..errors import InputError
from ..formatting import one_line, shorten
from ..notes import Note
from .latex import REMARKS as _REMARKS
from .latex import latex
from .layout import cell_len, command_lines, text_width, words_of_line, wrapped
from .texts import bibliography, plain
from .view import Cell, Code, Col, Section, View

Detail = Literal["figures", "brief", "full"]
_GAP = 2  # columns between the columns of a table
_NOTE_WIDTH = 90  # columns of a note
_LONGEST_WORD = 60  # characters of a word in a table of text
_WORD = 20  # columns that words are given if they need them
_ANSWER = 560  # characters of the brief answer, seven lines of a terminal
_MOST_NOTES, _MOST_TABLES = 2, 3  # below the board
_GRAVE = ("shifted", "turned", "copy", "ids")  # kinds of notes that are shown first
_LEAST_NAME = 4  # columns of a name on a very narrow terminal
_NARROWEST = 10  # columns that a column of text is given at least
FORMULA = tuple("=+-@＝＋－＠")  # spreadsheets read text that begins with one as a formula


def written(
    style: str,
    view: View,
    keys: Sequence[str] = ("main",),
    width: int | None = None,
    detail: Detail = "brief",
    *,
    command: bool = False,
) -> str:
    """Return sections of a view in a format: text, markdown, latex, csv, html or sentence.

    Text and html are read at once: the answer comes first, the notes that matter most and a line
    how to get more, as options of a `command` or in Python, come last. Detail "full" has all notes,
    the method and the signature; "figures" has tables alone.
    """
    if style == "sentence":
        return summary(view)
    if style == "csv":
        return to_csv(data_section(view, keys))
    sections = [part for section in view.chosen(keys) for part in section.flat()]
    if style in ("markdown", "latex"):
        document = {"markdown": markdown, "latex": latex}[style]
        return "\n".join(document(*part) for part in _with_notes(view, sections, detail))
    width = text_width() if width is None else width
    answer, remarks = _around(view, keys, detail, command=command)
    parts = list(_legends(sections, detail))
    if style == "html":
        said = f"<p>{_html(' '.join(answer))}</p>" if answer else ""
        return said + "\n".join(fragment(*part) for part in parts) + _small(remarks)
    tables = [text(*part, width) for part in parts]
    above, below = _paragraphs([" ".join(answer)], width), _paragraphs(remarks, width)
    return "\n".join([*[above] * bool(answer), *tables, *[below] * bool(remarks)])


def _with_notes(
    view: View, sections: Sequence[Section], detail: Detail
) -> Iterator[tuple[Section, list[str]]]:
    """Yield sections with the notes that no earlier one has; those of the view come last."""
    every = [] if detail == "figures" else _every_note(view)
    for i, (section, legend) in enumerate(_legends(sections, detail)):
        yield section, legend + (every if i == len(sections) - 1 else [])


def _legends(
    sections: Sequence[Section], detail: Detail = "full"
) -> Iterator[tuple[Section, list[str]]]:
    """Yield sections with what they say about their tables and no earlier one has said."""
    seen: set[str] = set()
    for section in sections:
        notes = [] if detail == "figures" else [one_line(plain(note)) for note in section.notes]
        yield section, [note for note in dict.fromkeys(notes) if note not in seen]
        seen.update(notes)


def _every_note(view: View) -> list[str]:
    notes = dict.fromkeys(f"Note: {one_line(str(note))}" for note in view.notes)
    return [*notes, *([f"Signature: {view.signature}"] if view.signature else [])]


def _around(
    view: View, keys: Sequence[str], detail: Detail, *, command: bool
) -> tuple[list[str], list[str]]:
    """Return the sentences before the tables and the remarks below them."""
    if detail == "figures":
        return [], []
    main = "main" in keys
    answer = [one_line(plain(sentence)) for sentence in view.answer()] if main else []
    if detail == "full":
        method = one_line(plain(" ".join(view.method()))) if main else ""
        return answer, [*_every_note(view), *([f"Method: {method}"] if method else [])]
    first = leading_notes(view.notes)
    tables = [table for table in view.further if table not in keys]
    more = _more(view, tables, len(view.notes) - len(first), command=command) if main else ""
    return _leading(answer), [
        *(f"Note: {one_line(str(note))}" for note in first),
        *([more] if more else []),
    ]


def _leading(sentences: Sequence[str]) -> list[str]:
    """Return the first sentences, as many as a brief answer takes."""
    lengths = accumulate(len(sentence) + 1 for sentence in sentences)
    return [
        s for i, (s, n) in enumerate(zip(sentences, lengths, strict=True)) if n <= _ANSWER or not i
    ]


def leading_notes(notes: Sequence[Note]) -> list[Note]:
    """Return the notes that printing shows: at most two, what may make all figures wrong first."""
    order = sorted(notes, key=lambda n: (n.kind not in _GRAVE, n.level != "warning", not n.request))
    return order[:_MOST_NOTES]


def _more(view: View, tables: Sequence[str], left: int, *, command: bool) -> str:
    """Return the line that says how to see other tables, the notes that are left and the page."""
    if command:
        named = ",".join(tables[:_MOST_TABLES]) + ",…" * (len(tables) > _MOST_TABLES)
        parts = [f"--tables {named}" if tables else "", "--notes", "--html FILE"]
    else:
        named = " or ".join(f'.to_text("{table}")' for table in tables[:2])
        parts = [named, ".notes" if left else "", '.to_html("report.html")']
    parts[1] += f" ({left} more)" * bool(left)
    parts = parts if view.page else parts[:1]  # what has no page has no notes
    return f"More: {'; '.join(filter(None, parts))}" if any(parts) else ""


# Text.


def _paragraphs(remarks: Sequence[str], width: int) -> str:
    return "\n".join(line for remark in remarks for line in _note_lines(remark, width)) + "\n"


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
    indent = " " * len("Note: ") if note.startswith((*_REMARKS, "Method: ", "More: ")) else ""
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

    def __init__(self, col: Col, cells: Sequence[str], *, in_one_line: bool = False) -> None:
        longest = max(map(cell_len, cells), default=0)
        whole = col.numeric or longest <= _NARROWEST  # cells are not broken
        words = max((cell_len(word) for cell in cells for word in cell.split(" ")), default=0)
        self.cells, self.right = cells, col.numeric
        fold = whole and not in_one_line
        self.heading = _heading(col.heading, longest if fold else _LONGEST_WORD)
        self.most = max(longest, *map(cell_len, self.heading))
        self.fair = self.most if whole else min(self.most, _WORD)  # names are not broken
        self.least = self.most if whole else min(max(words, _NARROWEST), _WORD, self.most)

    def padded(self, line: str, width: int) -> str:
        """Return a line of a cell in a width; numbers are aligned to the right."""
        space = " " * (width - cell_len(line))
        return space + line if self.right else line + space


def _blocks(section: Section, width: int) -> list[list[_Column]]:
    """Return the columns in blocks that fit; the columns that name the rows are repeated."""
    texts = [[_brief(cell.text) for cell in row] for row in section.cells()]
    by_column = [[row[i] for row in texts] for i in range(len(section.shown))]
    pairs = list(zip(section.shown, by_column, strict=True))
    every = [_Column(*pair, in_one_line=True) for pair in pairs]
    if sum(column.fair + _GAP for column in every) - _GAP > width:
        every = [_Column(*pair) for pair in pairs]  # headings in several lines are narrower
    rank = bool(section.shown) and section.shown[0].name == "#"
    numbers = (i for i, col in enumerate(section.shown) if i and col.numeric)
    names = every[: next(numbers, 1 + rank)]  # of tables of texts the first one
    if sum(name.least + _GAP for name in names) > 2 * width / 3:  # little else would fit
        names = every[: 1 + rank]
    blocks: list[list[_Column]] = []
    for column in every:
        used = sum(each.least + _GAP for each in blocks[-1]) if blocks else width
        if used + column.least <= width:
            blocks[-1].append(column)
        else:
            first = set(map(id, blocks[0])) if blocks else set()
            blocks.append([*(name for name in names if id(name) in first), column])
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
    rule = "─" * (sum(widths) + _GAP * (len(widths) - 1))
    lines = [*lines, rule] if any(lines) else [rule]
    for cells in zip(*(column.cells for column in columns), strict=True):
        lines += row(wrapped(text, w) for text, w in zip(cells, widths, strict=True))
    return lines


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Return the widths of columns: texts share what is left, or give way to numbers."""
    widths = [column.least for column in columns]
    left = width - sum(widths) - _GAP * (len(columns) - 1)
    for _ in range(left):
        lack = [column.fair - w for column, w in zip(columns, widths, strict=True)]
        if max(lack) <= 0:
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
    below = _small(notes)
    for code in section.code:
        lines = "\n".join(map(_html, code.text.splitlines()))
        below += f"<p><small>{_html(code.heading)}</small></p><pre>{lines}</pre>"
    return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{below}"


def _small(notes: Iterable[str]) -> str:
    return "".join(f"<p><small>{_html(note)}</small></p>" for note in notes)


def _html(words: str) -> str:
    return html.escape(one_line(words))


# Data.


def data_section(view: View, keys: Sequence[str]) -> Section:
    """Return the one table of a file of data: the first key, where "main" is all figures."""
    return view[view.data if keys[0] == "main" else keys[0]]


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
    if isinstance(value, str) and words.startswith(FORMULA):
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
    columns = data_columns(section)
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


def data_columns(section: Section) -> dict[str, list[Any]]:
    """Return the data of a section by column; equal names get an underscore."""
    names, rows = section.data()
    columns: dict[str, list[Any]] = {}
    values = zip(*rows, strict=True) if rows else [()] * len(names)
    for name, column in zip(names, values, strict=True):
        while name in columns:
            name += "_"
        floats = any(isinstance(value, float) for value in column)
        columns[name] = [float(value) if floats else _encodable(value) for value in column]
    return columns


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
