"""What is shown about an object, declared once: sections of rows and columns.

A `View` belongs to a kind of object (a result, an agreement, a judgement …). Text, Markdown, LaTeX,
CSV, data frames, pages and summaries are functions of a view; see `ordeval.report.formats` and
`ordeval.report.page`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isnan, log10, nan
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from ..call import Call
from ..display import Displayable
from ..errors import InputError, require_known
from ..formatting import UNDEFINED, decimals, one_line, p_text, visible
from ..measures.spec import Measure
from ..notes import Level, Note
from ..types import Array
from .texts import DOUBT, plain, text_of, texts_of

if TYPE_CHECKING:
    from .items import Openings

_PARTS = ("low", "high", "se", "doubt")  # of an estimate, besides its value
_UNNAMED = ("value", "score", "difference")  # their parts need no prefix, if they are first
_T = TypeVar("_T")
Getter = Callable[[Any], Any]


class Cell(NamedTuple):
    """A cell to read: its text, the number by which it is sorted, and the items that it opens."""

    text: str
    value: float = nan
    bold: bool = False
    opens: str = ""


class Code(NamedTuple):
    """Lines that a reader can copy: a command of a shell ("bash") or "python"."""

    heading: str
    text: str
    language: str


@dataclass(frozen=True)
class Col:
    """A column: how a row is read, and how its value is shown.

    `get` reads a row: a function, an attribute of it such as "measure.key", or None for the
    attribute of the column's name. `digits` are decimals; 0 is for counts and None for text. A
    value may be an estimate (anything with `value`, `low` and `high`): it is shown with its
    interval in brackets, whose `level` is in the heading, and has a column for each part in data.
    `data` is the name in CSV files and frames, where that of the column is no good one, and ""
    leaves it out there; `key` reads what data hold instead of what people read. A column that is
    not `shown` is in data only.
    """

    name: str
    get: Getter | str | None = None
    digits: int | None = None
    style: str = ""  # "signed" or "p"
    data: str | None = None
    shown: bool = True
    bold: Callable[[Any], bool] | None = None
    opens: Callable[[Any], str] | None = None
    key: Getter | str | None = None
    level: float = 0.0
    exact: bool = False  # `digits` were asked for, and stay

    @property
    def heading(self) -> str:
        """The heading, with the level of intervals."""
        return f"{self.name} [{100 * self.level:g} % interval]" if self.level else self.name

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers, which are aligned to the right."""
        return self.digits is not None or self.style != ""

    def reader(self, *, data: bool = False) -> Getter:
        """Return the function that reads a row."""
        get = self.key if data and self.key is not None else self.get
        get = self.name.replace(" ", "_") if get is None else get
        return attrgetter(get) if isinstance(get, str) else get

    def fitted(self, rows: Iterable[Any]) -> "Col":
        """Return the column with decimals that the intervals of its estimates bear out.

        The last digit is about a hundredth of the typical width.
        """
        if not self.digits or not self.level or self.exact:
            return self
        read = self.reader()
        values = (value for value in map(read, rows) if hasattr(value, "low"))
        widths = [w for value in values if 0 < (w := value.high - value.low) < inf]
        if not widths:
            return self
        digits = round(2 - log10(float(np.median(widths))))
        return replace(self, digits=min(max(digits, 1), self.digits))

    def cell(self, row: Any) -> Cell:
        """Return what a reader sees."""
        value = self.reader()(row)
        number: Any = getattr(value, "value", value)
        is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
        return Cell(
            self.text(value),
            float(number) if is_number and self.numeric else nan,
            bool(self.bold and self.bold(row)),
            self.opens(row) if self.opens else "",
        )

    def text(self, value: Any) -> str:
        """Return a value as text."""
        if value is None:
            return UNDEFINED if self.numeric else ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, Measure):  # data hold its key
            return f"{value.label} {value.arrow}"
        if hasattr(value, "low"):
            return self._estimate(value)
        if self.numeric and not isinstance(value, str):
            return self._number(float(value))
        return one_line(str(value))

    def _estimate(self, value: Any) -> str:
        number = self._number(value.value)
        if isnan(value.low) or isnan(value.high):
            return f"{number} [{UNDEFINED}]" if self.level and not isnan(value.value) else number
        apart = value.low * value.high > 0 and not self.exact and self.digits is not None
        apart = apart and max(abs(value.low), abs(value.high)) >= 0.5 * 10.0 ** -(self.digits or 0)
        low, high = (self._end(end, apart) for end in (value.low, value.high))
        return f"{number} [{low}, {high}]{f' {DOUBT}' * bool(value.doubt)}"

    def _end(self, end: float, apart: bool) -> str:
        """Return an end of an interval, which is not shown as 0 if the interval lies `apart`."""
        text = self._number(end, signed=False)
        if not (apart and self.digits and abs(end) < 1 and float(text) == 0):
            return text
        digits = self.digits + 1
        return replace(self, digits=digits)._number(visible(end, digits), signed=False)

    def _number(self, value: float, *, signed: bool = True) -> str:
        if isnan(value):
            return UNDEFINED
        if self.style == "p":
            return p_text(value)
        if self.digits == 0:
            return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
        text = decimals(value, self.digits or 0)
        positive = value > 0 and float(text.replace("∞", "inf")) != 0
        return f"+{text}" if self.style == "signed" and signed and positive else text

    @property
    def data_name(self) -> str:
        """The name in CSV files and data frames."""
        return self.name.replace(" ", "_") if self.data is None else self.data

    def datum(self, value: Any) -> Any:
        """Return a value of one type at full precision."""
        if self.numeric:
            number = nan if value is None else float(value)
            return int(number) if self.digits == 0 and number == round(number, 0) else number
        return "" if value is None else value if isinstance(value, bool) else str(value)


@dataclass(frozen=True, repr=False)
class Section(Displayable):
    """A part of a view: a table, figures, and what is said about them.

    `rows` are the objects of the table; `stored` are the rows, made on demand, and columns of CSV
    files and frames where they are others. `parts` are sections below this one, which pages
    fold unless they are `open`. `variants` are the same table with other rows, by name, among
    which readers of a page choose.
    """

    key: str
    title: str
    rows: Sequence[Any] = ()
    columns: Sequence[Col] = ()
    notes: Sequence[str] = ()
    figures: Sequence[Any] = ()
    lead: str = ""
    parts: Sequence["Section"] = ()
    code: Sequence[Code] = ()
    stored: tuple[Callable[[], Iterable[Any]], Sequence[Col]] | None = None
    variants: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    short: str = ""  # what a page says beside the title of a part
    open: bool = False
    filtered: Callable[[Any], str] | None = None  # the system of a row, by which pages filter
    marked: Callable[[Any], bool] | None = None  # whether a row is one of the best
    caption: str = ""  # LaTeX in place of the title, and the label to refer to
    label: str = ""

    @property
    def heading(self) -> str:
        """The heading on a page, and in its contents."""
        return text_of(f"headings.{self.key}")

    @property
    def shown(self) -> list[Col]:
        """The columns that people read."""
        return [col for col in self.columns if col.shown]

    def cells(self, rows: Sequence[Any] | None = None) -> list[list[Cell]]:
        """Return the rows to be read."""
        rows = self.rows if rows is None else rows
        shown = [col.fitted(rows) for col in self.shown]
        return [[col.cell(row) for col in shown] for row in rows]

    def narrowed(
        self, columns: Sequence[str] | None = None, digits: int | None = None
    ) -> "Section":
        """Return the section with some columns, by heading or name in data, and with decimals."""
        shown = self.shown
        if columns is not None:
            wanted = [columns] if isinstance(columns, str) else columns
            known = {name: col for col in shown for name in (col.data_name, col.name) if name}
            for name in wanted:
                require_known("column", name, known, "columns")
            shown = [known[name] for name in wanted]
            if not shown:
                raise InputError("columns is empty; name one or more.", parameter="columns")
        left = {col.name for col in self.shown} - {col.name for col in shown}
        if digits is not None:
            shown = [replace(c, digits=digits, exact=True) if c.digits else c for c in shown]
        return replace(self, columns=shown, notes=[*_about(self.notes, left)])

    def flat(self) -> Iterator["Section"]:
        """Yield the section, if it has a table to read, and its parts."""
        if self.shown or not self.parts:
            yield self
        for part in self.parts:
            yield from part.flat()

    def data(self) -> tuple[list[str], list[list[Any]]]:
        """Return names of columns, and rows at full precision; estimates have several columns."""
        rows, every_column = self.stored or (lambda: self.rows, self.columns)
        columns = [col for col in every_column if col.data_name]
        readers = [col.reader(data=True) for col in columns]
        table = [[read(row) for read in readers] for row in rows()]
        names: list[str] = []
        every: list[list[Any]] = []
        by_column = zip(*table, strict=True) if table else [()] * len(columns)
        for col, values in zip(columns, by_column, strict=True):
            of_estimates = any(hasattr(value, "low") for value in values)
            plain_parts = col.data_name in _UNNAMED and not set(_PARTS) & set(names)
            names.append(col.data_name)
            every.append([col.datum(getattr(value, "value", value)) for value in values])
            for part in _PARTS if of_estimates else ():
                absent: Any = "" if part == "doubt" else nan
                names.append(part if plain_parts else f"{col.data_name}_{part}")
                every.append([getattr(value, part, absent) for value in values])
        return names, [list(row) for row in zip(*every, strict=True)]


def _about(notes: Iterable[str], left: Iterable[str]) -> Iterable[str]:
    """Yield notes without the sentences that explain columns that are left out."""
    for note in notes:
        sentences = re.split(r"(?<=\.) (?=[\w ]+: )", note)
        if kept_ones := [s for s in sentences if s.partition(":")[0] not in left]:
            yield " ".join(kept_ones)


class View:
    """What is shown about an object; a subclass declares it for a kind of object.

    `sections` are keys, and a section is made by the method of that name when it is asked for;
    None where there is nothing to show, for a reason in `empty` or in the texts. `brief` are those
    that printing shows, `page` those of the page, and `data` is the one of CSV files and data
    frames. A view may also be made of `ready` sections, of which the first one is the data.
    """

    sections: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    data = kicker = title = facts = signature = ""
    notes: Sequence[Note] = ()
    explained: Sequence[tuple[str, Measure]] = ()  # names and measures that a page explains
    empty: Mapping[str, str] = {}
    further: Sequence[str] = ()  # tables to ask for, besides those that printing shows

    def __init__(self, *ready: Section) -> None:
        self.ready = {section.key: section for section in ready}
        if ready:
            self.sections = self.brief = tuple(self.ready)
            self.title, self.data = ready[0].title, ready[0].key

    def answer(self) -> Sequence[str]:
        """Return what the object says, in sentences."""
        return ()

    def method(self) -> Sequence[str]:
        """Return how the numbers were computed, in sentences."""
        return ()

    def checks(self) -> Sequence[Note]:
        """Return remarks about the data."""
        return self.notes

    def call(self) -> tuple[str, str]:
        """Return the command and the Python that make the page again."""
        return "", ""

    def opened(self) -> dict[str, Any] | None:
        """Return the items that numbers of the page open."""
        return None

    def __getitem__(self, key: str) -> Section:
        """Return a section; "main" is the first one that printing shows."""
        key = self.brief[0] if key == "main" else key
        if key not in self.sections:
            raise InputError(
                f"There is no table {key!r}; there are {', '.join(['main', *self.sections])}.",
                parameter="what",
                hint="Write the text that is returned to the file." * ("." in key),
            )
        section = self.made(key)
        if section is None:
            raise InputError(self.nothing(key), parameter="what")
        return section

    def made(self, key: str) -> Section | None:
        """Return a section; None if nothing is in it and a page would leave it out."""
        section: Section | None = self.ready[key] if key in self.ready else getattr(self, key)()
        if section is None or section.rows or section.parts or section.figures:
            return section
        return None if self.page else section

    def nothing(self, key: str) -> str:
        """Say that a section is empty, and why."""
        why = self.empty.get(key) or texts_of("empty").get(key)
        return f"There is nothing in the table {key!r}{f': {why}' if why else ''}."

    def chosen(self, keys: Sequence[str] = ("main",)) -> list[Section]:
        """Return sections by their keys; "main" stands for all that printing shows."""
        every = [k for key in keys for k in (self.brief if key == "main" else (key,))]
        optional = self.brief if "main" in keys else ()
        some = kept(*(self.made(k) if k in optional else self[k] for k in dict.fromkeys(every)))
        parts = {part.key for section in some for part in section.parts if part.key != section.key}
        return [section for section in some if section.key not in parts]


def repeated(call: Call) -> tuple[str, str]:
    """Return the command, unless the data are in memory, and the Python that make a page again."""
    command = f"{call.command()} \\\n  --html=report.html" if call.of_files else ""
    return command, f'import ordeval as oe\n\n{call.python()}.to_html("report.html")'


class ReportView(View):
    """What is shown about a result by measure, with the items that its numbers open."""

    def __init__(self, result: Any, openings: "Openings") -> None:
        super().__init__()
        self.result, self.openings = result, openings
        self.notes, self.signature = result.notes, result.signature()

    def call(self) -> tuple[str, str]:
        return repeated(self.result.call)

    def opened(self) -> dict[str, Any] | None:
        return self.openings.data()


def remark(level: Level, key: str, **values: Any) -> Note:
    """Return a remark about the data whose text is among the templates of checks."""
    return Note(key, level, plain(text_of(f"checks.{key}", **values)))


def itself(row: Any) -> Any:
    """Return a row that is an estimate."""
    return row


def across(
    names: Iterable[object],
    get: Callable[[Any, int], Any],
    digits: int | None = None,
    bold: Callable[[Any, int], bool] | None = None,
    data: Sequence[str] | None = None,
) -> list[Col]:
    """Return a column for every name; ``get(row, i)`` reads a row in the i-th of them."""

    def column(i: int, name: object) -> Col:
        marked = None if bold is None else lambda row: bold(row, i)
        stored = None if data is None else data[i]
        return Col(str(name), lambda row: get(row, i), digits, data=stored, bold=marked)

    return [column(i, name) for i, name in enumerate(names)]


def cols(
    declared: str, level: float = 0.0, *, tuples: bool = False, shown: bool = True
) -> list[Col]:
    """Return columns from a list such as "model=name, score=.:4i, lean:+3, p:p".

    After the name comes the attribute of a row, unless it is the same; a dot is the row itself.
    Then come the digits: after a plus for signed numbers, before an i for those with intervals,
    whose `level` is in the heading. Rows may also be `tuples` in the order of the columns.
    """

    def column(i: int, text: str) -> Col:
        head, _, form = text.partition(":")
        name, _, attribute = head.partition("=")
        get = itemgetter(i) if tuples else itself if attribute == "." else attribute or None
        style = "p" if form == "p" else "signed" if form.startswith("+") else ""
        digits = int(form.rstrip("i")) if form not in ("", "p") else None
        of_intervals = level if form.endswith("i") else 0.0
        return Col(name, get, digits, style, shown=shown, level=of_intervals)

    return [column(i, text) for i, text in enumerate(declared.split(", "))]


def cells(
    values: Array, axes: Iterable[tuple[str, Sequence[Any]]], number: Col
) -> tuple[Callable[[], Iterable[Any]], list[Col]]:
    """Return the rows and columns of data that hold an array: one row per cell, by its place.

    `axes` are the names of axes, each with those of its places; `number` takes the values.
    """

    def names_of(i: int, axis: str, names: Sequence[Any]) -> Col:
        digits = 0 if isinstance(names, range) else None
        return Col(axis, lambda place: names[place[i]], digits)

    columns = [names_of(i, *axis) for i, axis in enumerate(axes)]
    columns.append(replace(number, get=lambda place: values[place]))
    return lambda: np.ndindex(values.shape), columns


def kept(*items: _T | Literal[False, ""] | None) -> list[_T]:
    """Return what is there: columns and notes that do not apply are False or empty."""
    return [item for item in items if item]
