"""Fit tables and sentences to a number of columns: nothing is cut, and nothing is left out.

A table that is too wide gets shorter headings and names, then it is turned (rows become columns)
or split into blocks that repeat its first columns, whichever takes fewer blocks. Cells of text are
wrapped. Widths are those of a terminal, where some characters take two columns.
"""

import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import inf
from zlib import crc32

from rich.cells import cell_len as cells_of

from ..formatting import one_line
from ..table import Cell, Heading, Table, words

GAP = 2  # columns between the columns of a table
WIDTH = 80  # where there is no terminal
_NARROWEST = 20  # of all widths that are worth fitting
_TEXT = 16  # columns that cells of text are given at least
_NAME = 12  # columns that a shortened name keeps at least
_SPACE = re.compile(r"(?<!=)(?<!p <) (?![↑↓=]|< 0)")  # where a line may end: "p < 0.05" stays whole
_ARGUMENT = re.compile(r"""--\S+ (?:"[^"]*"|'[^']*'|(?!-)\S+)|"[^"]*"|'[^']*'""")
_SHORTENED = "Names are shortened here; the formats csv and json have them in full."


def text_width(*, terminal: bool = True) -> int:
    """Return the columns for text: COLUMNS, else those of the terminal, else 80."""
    if terminal:
        return max(_NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)
    given = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(given)) if given.isdecimal() and int(given) else WIDTH


def cell_len(text: str) -> int:
    """Return the columns that a text takes; most texts are plain, which is quick to see."""
    return len(text) if text.isascii() else cells_of(text)


# Sentences.


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Return lines of at most `width` columns; lines after the first are indented.

    >>> wrapped("a line that is too long", 12, "  ")
    ['a line that', '  is too', '  long']
    """
    if cell_len(text) <= width:
        return [text.rstrip()]
    said = text.lstrip(" ")
    lines: list[str] = []
    line = start = text[: len(text) - len(said)]
    for word in _SPACE.split(said):
        if line == start:
            line += word
        elif cell_len(f"{line} {word}") <= width or cell_len(indent + word) > width:
            line += f" {word}"  # a word that is longer than a line is broken below
        else:
            lines.append(line.rstrip())
            start, line = indent, indent + word
        while cell_len(line) > width > len(indent) + 1:
            head, line = _broken(line, width)
            lines.append(head)
            line = indent + line
    return [*lines, line.rstrip()]


def _broken(line: str, width: int) -> tuple[str, str]:
    """Break a word that is longer than a line, after a mark of punctuation if there is one."""
    head = _start(line, width)
    cuts = (head.rfind(mark) + 1 for mark in "|,/)")
    cut = next((cut for cut in cuts if cut > len(head) // 2), len(head))
    return line[:cut], line[cut:]


def _start(text: str, width: int) -> str:
    """Return as many characters as fit, at least one."""
    used = 0
    for i, character in enumerate(text):
        used += cell_len(character)
        if used > width:
            return text[: max(i, 1)]
    return text


def command_lines(command: str, width: int, indent: str = "") -> list[str]:
    """Return a command in lines that can be copied: those to be continued end in a backslash."""
    kept = _ARGUMENT.sub(lambda argument: argument[0].replace(" ", "\xa0"), command)
    lines = [""]
    for word in kept.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else f"{indent}{word}"
        if lines[-1] and cell_len(longer) > width - 2:  # an argument is never broken
            lines.append(f"{indent}  {word}")
        else:
            lines[-1] = longer
    lines = [line.replace("\xa0", " ") for line in lines]
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def shortened(names: Iterable[str], limit: int) -> dict[str, str]:
    """Return names of at most `limit` columns without their middle; different ones stay different.

    >>> shortened(["abcdefghij", "abc"], 7)
    {'abcdefghij': 'abcd…ij', 'abc': 'abc'}
    """
    found = {name: _without_middle(name, limit) for name in dict.fromkeys(names)}
    groups: dict[str, list[str]] = {}
    for name, short in found.items():
        groups.setdefault(short, []).append(name)
    alike = [group for group in groups.values() if len(group) > 1]
    for group in alike:
        found |= _own_parts([name for name in group if found[name] != name], limit)
    taken = Counter(found.values())
    for name in (name for group in alike for name in group):
        if taken[found[name]] > 1 and found[name] != name:
            mark = f"{crc32(name.encode()):08x}"[:6]  # the same in every table
            found[name] = f"{_start(name, limit - 1 - len(mark))}…{mark}"
    return found


def _in_common(names: Sequence[str]) -> int:
    """Return how many characters all names begin with."""
    return sum(1 for _ in takewhile(lambda same: len(set(same)) == 1, zip(*names, strict=False)))


def _word(text: str) -> int:
    """Return how many letters and digits a text begins with."""
    return sum(1 for _ in takewhile(str.isalnum, text))


def _own_parts(names: Sequence[str], limit: int) -> dict[str, str]:
    """Return names without what all of them begin and end with; words stay whole if they fit."""
    if len(names) < 2:
        return {}
    start = _in_common(names)
    end = _in_common([name[start:][::-1] for name in names])
    # "item7" says more than "7".
    before, after = _word(names[0][:start][::-1]), _word(names[0][len(names[0]) - end :])
    if max(map(cell_len, names)) - start - end + before + after + 2 <= limit:
        start, end = start - before, end - after
    own = {name: name[start : len(name) - end] or name for name in names}
    room = limit - max(cell_len(part) for part in own.values()) - 2
    lead = _start(names[0][:start], max(room, 0))
    return {name: _without_middle(f"{lead}…{part}", limit) for name, part in own.items()}


def _without_middle(name: str, limit: int) -> str:
    if cell_len(name) <= limit:
        return name
    tail = _start(name[::-1], (limit - 1) // 3)[::-1]
    return f"{_start(name, limit - 1 - cell_len(tail))}…{tail}"


# Tables.


@dataclass(frozen=True)
class Block:
    """A table in lines: those of each heading, and of each cell of each row."""

    table: Table
    widths: tuple[int, ...]

    @property
    def head(self) -> list[list[str]]:
        """The lines of the headings."""
        headings = self.table.headings
        return [wrapped(h.text, w) for h, w in zip(headings, self.widths, strict=True)]

    @property
    def rows(self) -> Iterable[list[list[str]]]:
        """The lines of the cells."""
        for row in self.table.rows:
            yield [wrapped(cell.text, w) for cell, w in zip(row, self.widths, strict=True)]


def blocks(table: Table, width: int) -> list[Block]:
    """Return a table in as few blocks as fit the width."""
    table = _safe(table)
    natural = _natural(table)
    if _total(natural) <= width:
        return [Block(table, tuple(natural))]
    best, places, fewest = table, _places(natural, table.keys, width), inf
    for made in _variants(table, width):
        least = _least(made)
        found = _places(least, made.keys, width)
        fits = all(_total([least[i] for i in part]) <= width for part in found)
        if fewest == inf or (fits and len(found) < fewest):
            best, places, fewest = made, found, len(found) if fits else inf
    chosen = [_columns(best, part) for part in places]
    return [Block(part, _widths(part, width)) for part in chosen]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def parts(table: Table, width: int) -> list[Table]:
    """Return a table in as few parts as fit a page, where no cell is wrapped or shortened."""
    forms = [table, turned(table)] if _can_turn(table) else [table]
    found = [(form, _places(_natural(form), form.keys, width)) for form in forms]
    best, places = min(found, key=lambda form: len(form[1]))
    return [_columns(best, part) for part in places]


def shortened_names(table: Table, found: Sequence[Block]) -> list[str]:
    """Return a note if names of a table are shortened in its blocks."""
    marked = sum("…" in text for text in _names(_safe(table)))
    shown = {text for block in found for text in _names(block.table)}
    return [_SHORTENED] if sum("…" in text for text in shown) > marked else []


def turned(table: Table, corner: str = "") -> Table:
    """Return a table with its rows as columns, named by their first columns."""
    naming = range(table.keys) if table.between else [table.keys - 1]
    right = all(h.numeric for h in table.headings[table.keys :])
    headings = (Heading(corner), *(_row_heading(table, row, right) for row in table.rows))
    rows = tuple(
        (replace(words(h.text), short=h.short), *(row[i] for row in table.rows))
        for i, h in enumerate(table.headings)
        if i not in naming
    )
    return replace(table, headings=headings, rows=rows, keys=1, between="")


def _row_heading(table: Table, row: Sequence[Cell], right: bool) -> Heading:
    key = row[table.keys - 1]
    return Heading(_row_name(table, row), right, short="" if table.between else key.short)


def _row_name(table: Table, row: Sequence[Cell]) -> str:
    """Return the name of a row: its last key, or all of them where the table says so."""
    keys = [cell.text for cell in row[: table.keys]]
    return table.between.join(keys) if table.between else keys[-1]


def _places(widths: Sequence[int], keys: int, width: int) -> list[list[int]]:
    """Return consecutive columns that fit, each time after the first columns."""
    first = _total(widths[:keys])
    found: list[list[int]] = [[]]
    used = first
    for i in range(keys, len(widths)):
        if used + GAP + widths[i] > width and found[-1]:
            found.append([])
            used = first
        found[-1].append(i)
        used += GAP + widths[i]
    return [[*range(keys), *part] for part in found]


def _columns(table: Table, places: Sequence[int]) -> Table:
    return replace(
        table,
        headings=tuple(table.headings[i] for i in places),
        rows=tuple(tuple(row[i] for i in places) for row in table.rows),
    )


def _safe(table: Table) -> Table:
    """Return a table whose texts are lines."""
    headings = tuple(replace(h, text=one_line(h.text)) for h in table.headings)
    rows = tuple(
        tuple(
            cell if (text := one_line(cell.text)) == cell.text else replace(cell, text=text)
            for cell in row
        )
        for row in table.rows
    )
    return replace(table, headings=headings, rows=rows)


def _natural(table: Table) -> list[int]:
    """Return the widths of the columns without a line break."""
    heads = [cell_len(h.text) for h in table.headings]
    return [max(head, cells) for head, cells in zip(heads, _cells(table), strict=True)]


def _cells(table: Table) -> list[int]:
    """Return the widths of the widest cells of the columns."""
    columns = range(len(table.headings))
    return [max((cell_len(row[i].text) for row in table.rows), default=0) for i in columns]


def _least(table: Table) -> list[int]:
    """Return the widths to which columns may shrink: cells of text and headings are wrapped."""
    found = []
    for i, (heading, cells) in enumerate(zip(table.headings, _cells(table), strict=True)):
        is_text = not heading.numeric and i >= table.keys
        found.append(max(_longest_word(heading.text), min(cells, _TEXT) if is_text else cells))
    return found


def _longest_word(text: str) -> int:
    return max(map(cell_len, _SPACE.split(text)))


def _variants(table: Table, width: int) -> Iterable[Table]:
    """Yield forms of a table, from the best to read to the narrowest."""
    short = _with_short_texts(table)
    limits = width // 3, width // 4, max(_NAME, width // 6)
    for made in (table, short, *(_with_short_names(short, limit) for limit in limits)):
        yield made
        if _can_turn(made):
            yield turned(made)


def _can_turn(table: Table) -> bool:
    """Whether the rows have different names, and are not many more than the columns."""
    names = [_row_name(table, row) for row in table.rows]
    return 0 < len(names) == len(set(names)) <= 3 * len(table.headings)


def _with_short_texts(table: Table) -> Table:
    headings = tuple(replace(h, text=h.short or h.text) for h in table.headings)
    rows = tuple(
        tuple(replace(c, text=c.short) if c.short else c for c in row) for row in table.rows
    )
    return replace(table, headings=headings, rows=rows)


def _with_short_names(table: Table, limit: int) -> Table:
    """Return a table with shorter names in its first columns, and shorter headings."""
    short = shortened(_names(table), limit)
    cells = {text: words(name) for text, name in short.items()}
    rows = tuple(
        (*(cells[cell.text] for cell in row[: table.keys]), *row[table.keys :])
        for row in table.rows
    )
    long = {h.text for h in table.headings if _longest_word(h.text) > limit}
    headings = tuple(
        replace(h, text=short[h.text]) if h.text in long else h for h in table.headings
    )
    return replace(table, headings=headings, rows=rows)


def _names(table: Table) -> list[str]:
    """Return the texts that name rows and columns."""
    rows = [cell.text for row in table.rows for cell in row[: table.keys]]
    return [*rows, *(h.text for h in table.headings)]


def _widths(table: Table, width: int) -> tuple[int, ...]:
    """Return the widths of columns: the least ones, and what is left goes to those that wrap."""
    found = _shrunk(_least(table), width - GAP * (len(table.headings) - 1))
    left = width - GAP * (len(found) - 1) - sum(found)
    left = _shared(found, _cells(table), left)
    for i, wanted in sorted(enumerate(_natural(table)), key=lambda column: column[1]):
        if wanted - found[i] <= left:  # a heading in one line
            left -= wanted - found[i]
            found[i] = wanted
    return tuple(found)


def _shrunk(widths: list[int], room: int) -> list[int]:
    """Return widths that fit even where the least ones do not: the widest give way."""
    while sum(widths) > room and max(widths) > 2:
        widths[widths.index(max(widths))] -= 1
    return widths


def _shared(widths: list[int], wanted: Sequence[int], left: int) -> int:
    """Widen columns towards what they want; return what is left."""
    while left > 0:
        lack = [want - have for want, have in zip(wanted, widths, strict=True)]
        if max(lack, default=0) <= 0:
            break
        widths[lack.index(max(lack))] += 1
        left -= 1
    return left
