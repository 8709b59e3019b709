"""Tables independent of a format: headings, cells, title and notes."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, NamedTuple, TypeVar

from .display import Displayable
from .formatting import UNDEFINED, decimals, interval_text, p_text

Row = TypeVar("Row")


@dataclass(frozen=True)
class Heading:
    """The heading of a column.

    Parameters
    ----------
    text : str
        The heading.
    numeric : bool
        Whether the column holds numbers, which are aligned to the right.
    parts : tuple of str
        Names of the columns into which CSV splits cells of several numbers.
    marks : bool
        Whether the cells mark the column before, as superscripts in formats that have them.
    short : str
        A shorter heading for where the table is too wide.
    plain : str
        The heading in CSV, without symbols; `text` by default.
    """

    text: str
    numeric: bool = False
    parts: tuple[str, ...] = ()
    marks: bool = False
    short: str = ""
    plain: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell: `text` to read or a `short` one, `value` for CSV and data frames, and emphasis.

    `opens` says which items a page shows for the cell; see `ordeval.report.items`.
    """

    text: str
    value: float | int | str | tuple[float | str, ...] | None = None
    bold: bool = False
    superscript: str = ""
    short: str = ""
    opens: str = ""

    @property
    def full(self) -> str:
        """The value at full precision, or the text of a cell without a value."""
        if self.value is None:
            return "" if self.text == UNDEFINED else self.text
        if isinstance(self.value, tuple):
            return " ".join(map(repr, self.value))
        if isinstance(self.value, float):
            return "" if isnan(self.value) else repr(self.value)
        return str(self.value)

    def split(self, parts: int) -> tuple["Cell", ...]:
        """Return a cell for each value; empty cells where there are none."""
        if isinstance(self.value, tuple):
            return tuple(
                Cell(value if isinstance(value, str) else repr(value), value)
                for value in self.value
            )
        return (Cell("", None),) * parts


class Typed(NamedTuple):
    """What a reader can copy: a command of a shell ("bash"), or lines of "python"."""

    heading: str
    text: str
    language: str


@dataclass(frozen=True, repr=False)
class Table(Displayable):
    """Rows of cells under headings, with a title and notes.

    Parameters
    ----------
    headings : tuple of Heading
        The headings of the columns.
    rows : tuple of tuple of Cell
        The rows.
    title : str
        The title.
    notes : tuple of str
        Notes to be shown under the rows.
    keys : int
        The number of first columns, which name the rows and are repeated where a table is split.
    between : str
        What joins the first columns to the name of a row where rows become columns; without it
        the last of the first columns is the name.
    typed : tuple of Typed
        What to type next, to be shown under the notes so that it can be copied.
    """

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    keys: int = 1
    between: str = ""
    typed: tuple[Typed, ...] = ()


Column = tuple[Heading, Callable[[Row], Cell]]
"""A heading, and a function from an object to the cell in its row."""


def table(
    headings: Iterable[Heading],
    rows: Iterable[Iterable[Cell]],
    *,
    title: str = "",
    notes: Iterable[str] = (),
    keys: int = 1,
    between: str = "",
) -> Table:
    """Return a table made from any iterables."""
    cells = tuple(tuple(row) for row in rows)
    return Table(tuple(headings), cells, title, tuple(notes), keys, between)


def nothing_in(kind: str, reasons: Mapping[str, str]) -> str:
    """Return that a table is empty, and why.

    >>> nothing_in("pairs", {"pairs": "there is one rater"})
    "There is nothing in the table 'pairs': there is one rater."
    """
    why = f": {reasons[kind]}" if kind in reasons else ""
    return f"There is nothing in the table {kind!r}{why}."


def tabulate(
    rows: Iterable[Row],
    columns: Sequence[Column[Row]],
    *,
    title: str = "",
    notes: Iterable[str] = (),
    keys: int = 1,
    between: str = "",
) -> Table:
    """Return a table with a row for each object and a column for each heading and its cells."""
    headings = [heading for heading, _ in columns]
    cells = [[cell(row) for _, cell in columns] for row in rows]
    return table(headings, cells, title=title, notes=notes, keys=keys, between=between)


def numeric(*names: str) -> list[Heading]:
    """Return headings of columns of numbers."""
    return [Heading(name, numeric=True) for name in names]


def words(text: object, *, bold: bool = False) -> Cell:
    """Return a cell of text."""
    return Cell(str(text), str(text), bold)


def figure(value: float, digits: int = 4, *, bold: bool = False) -> Cell:
    """Return a cell with a number: `digits` decimals to read, and its full precision."""
    number = float(value)
    return Cell(UNDEFINED) if isnan(number) else Cell(decimals(number, digits), number, bold)


def count(value: float) -> Cell:
    """Return a cell with a whole number or a sum of weights."""
    number = float(value)
    if number == int(number):
        return Cell(f"{int(number):,}", int(number))
    return Cell(f"{number:,.2f}", number)


def p_value(value: float, *, bold: bool = False) -> Cell:
    """Return a cell with a p-value, small ones as a bound."""
    number = float(value)
    return Cell(UNDEFINED) if isnan(number) else Cell(p_text(number), number, bold)


def interval(low: float, high: float, digits: int = 4) -> Cell:
    """Return a cell with an interval; empty where it is undefined."""
    text = interval_text(low, high, digits)
    return Cell(text, (float(low), float(high)) if text else None)


def columns_of(table: Table) -> dict[str, list[Any]]:
    """Return the values of a table by heading; cells of several numbers are split, as in CSV."""
    columns: dict[str, list[Any]] = {}
    for i, heading in enumerate(table.headings):
        cells = [row[i] for row in table.rows]
        if not heading.parts:
            columns[heading.text] = _column([cell.value for cell in cells], heading.numeric)
        for j, name in enumerate(heading.parts):
            split = [cell.split(len(heading.parts))[j].value for cell in cells]
            columns[name] = _column(split, heading.numeric)
    return columns


def _column(values: list[Any], numeric: bool) -> list[Any]:
    """Return values of one type: floats with NaN if any is a float or no number is known."""
    has_float = any(isinstance(value, float) for value in values)
    if not has_float and not (numeric and all(value is None for value in values)):
        return values
    return [nan if value is None else float(value) for value in values]
