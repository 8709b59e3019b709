"""Fit sentences and commands to the columns of a terminal, where some characters take two."""

import os
import re
import shutil

from rich.cells import cell_len as cells_of

WIDTH = 80  # where there is no terminal
_NARROWEST = 20  # of all widths that are worth fitting
_SPACE = re.compile(r"(?<!=)(?<!p <) (?![↑↓=]|< 0)")  # where a line may end: "p < 0.05" stays whole
_ARGUMENT = re.compile(r"""--[^\s=]+ (?:"[^"]*"|'[^']*'|(?!-)\S+)|"[^"]*"|'[^']*'""")


def text_width(*, terminal: bool = True) -> int:
    """Return the columns for text: COLUMNS, else those of the terminal, else 80."""
    if terminal:
        return max(_NARROWEST, shutil.get_terminal_size((WIDTH, 24)).columns)
    columns = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(columns)) if columns.isdecimal() and int(columns) else WIDTH


def cell_len(text: str) -> int:
    """Return the columns that a text takes; most texts are plain, which is quick to see."""
    return len(text) if text.isascii() else cells_of(text)


def words_of_line(text: str) -> list[str]:
    """Return the parts of a text that stay whole."""
    return _SPACE.split(text)


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
    for word in words_of_line(said):
        if line == start:
            line += word
        elif cell_len(f"{line} {word}") <= width or cell_len(indent + word) > width:
            line += f" {word}"  # a word that is longer than a line is broken below
        else:
            lines.append(line.rstrip())
            start, line = indent, indent + word
        while cell_len(line) > width > len(indent) + 1:
            head = _start(line, width)
            cuts = (head.rfind(mark) + 1 for mark in "|,/)")
            cut = next((cut for cut in cuts if cut > len(head) // 2), len(head))
            lines.append(line[:cut])
            line = indent + line[cut:]
    return [*lines, line.rstrip()]


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
