"""Presentation-neutral tables: what is shown, not how.

A leaf of the package: it knows no measures and no results, so that every result can build one.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite, isnan, nan
from typing import Any


@dataclass(frozen=True)
class Heading:
    """A column's heading; numbers stand to the right.

    `parts` name the columns into which machine-readable formats split cells of several numbers.
    `marks` says that the cells are marks on the column before, which formats that have
    superscripts set as such.
    """

    text: str
    numeric: bool = False
    parts: tuple[str, ...] = ()
    marks: bool = False


@dataclass(frozen=True)
class Cell:
    """What people read (`text`), what machines get (`value`), and how it stands out."""

    text: str
    value: float | int | str | tuple[float, ...] | None = None
    bold: bool = False
    superscript: str = ""

    @property
    def full(self) -> str:
        """The value at full precision, empty where there is none; the text where no value is."""
        if self.value is None:
            return "" if self.text in ("", UNDEFINED) else self.text
        if isinstance(self.value, tuple):
            return " ".join(map(repr, self.value))
        if isinstance(self.value, float):
            return "" if isnan(self.value) else repr(self.value)
        return str(self.value)

    def split(self, parts: int) -> tuple["Cell", ...]:
        """A cell for each number; empty ones where there are none."""
        if isinstance(self.value, tuple):
            return tuple(Cell(repr(number), number) for number in self.value)
        return (Cell("", None),) * parts


@dataclass(frozen=True)
class Table:
    """Rows of cells under headings, with a title and notes."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()


UNDEFINED = "–"


def words(text: object, *, bold: bool = False) -> Cell:
    """A cell of text."""
    return Cell(str(text), str(text), bold)


def figure(value: float, digits: int = 4, *, bold: bool = False, superscript: str = "") -> Cell:
    """A cell with a number: `digits` decimals to read, full precision behind it."""
    number = float(value)
    if isnan(number):
        return Cell(UNDEFINED, None)
    if not isfinite(number):
        return Cell("∞" if number > 0 else "−∞", number, bold, superscript)
    return Cell(_decimals(number, digits), number, bold, superscript)


def _decimals(number: float, digits: int) -> str:
    """A number with so many decimals, without the minus sign of a zero."""
    text = f"{number:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def count(value: float) -> Cell:
    """A cell with a whole number (or a summed weight)."""
    number = float(value)
    if number == int(number):
        return Cell(f"{int(number):,}", int(number))
    return Cell(f"{number:,.2f}", number)


def p_value(value: float, *, bold: bool = False) -> Cell:
    """A cell with a p-value, small ones as a bound."""
    number = float(value)
    if isnan(number):
        return Cell(UNDEFINED, None)
    return Cell("<0.0001" if number < 0.0001 else f"{number:.4f}", number, bold)


def interval(low: float, high: float, digits: int = 4) -> Cell:
    """A cell with an interval."""
    if isnan(low) or isnan(high):
        return Cell("", None)
    ends = float(low), float(high)
    return Cell(f"[{_decimals(ends[0], digits)}, {_decimals(ends[1], digits)}]", ends)


def table(
    headings: Iterable[Heading],
    rows: Iterable[Iterable[Cell]],
    *,
    title: str = "",
    notes: Iterable[str] = (),
) -> Table:
    """Build a table from any iterables."""
    return Table(tuple(headings), tuple(tuple(row) for row in rows), title, tuple(notes))


def columns_of(table: Table) -> dict[str, list[Any]]:
    """What a table holds for machines, by heading."""
    cells = zip(*table.rows, strict=True) if table.rows else ((),) * len(table.headings)
    columns = zip(table.headings, cells, strict=True)
    return {heading.text: _column([cell.value for cell in column]) for heading, column in columns}


def _column(values: list[Any]) -> list[Any]:
    """Numbers of one kind: whole ones beside others become floats, and missing ones NaN."""
    if not any(isinstance(value, float) for value in values):
        return values
    return [nan if value is None else float(value) for value in values]


def ranges(numbers: Iterable[int]) -> str:
    """Whole numbers in short: 2-4,7."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
