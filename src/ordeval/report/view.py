"""What is shown about an object, declared once: sections of rows and columns.

A `View` belongs to a kind of object (a result, an agreement, a judgement …). Text, Markdown, LaTeX,
CSV, data frames, pages and summaries are functions of a view; see `ordeval.report.formats` and
`ordeval.report.page`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan, nan
from operator import attrgetter, itemgetter
from typing import Any, Literal, NamedTuple, TypeVar

from ..call import Call
from ..display import Displayable
from ..errors import InputError
from ..formatting import UNDEFINED, decimals, one_line, p_text
from ..measures.spec import Measure
from .texts import DOUBT, plain, text_of, texts_of

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


class Remark(NamedTuple):
    """A remark about the data; `level` is "note" or "warning"."""

    level: str
    text: str


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
        low, high = (self._number(end, signed=False) for end in (value.low, value.high))
        return f"{number} [{low}, {high}]{f' {DOUBT}' * bool(value.doubt)}"

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
        return [[col.cell(row) for col in self.shown] for row in rows]

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


@dataclass(frozen=True)
class View:
    """What is shown about an object.

    `sections` makes each section by its key when it is asked for; None where there is nothing to
    show, for a reason in `empty` or in the texts. `brief` are those that printing shows, `page`
    those of the page, and `data` is the one of CSV files and data frames.
    """

    title: str
    sections: Mapping[str, Callable[[], Section | None]]
    brief: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    data: str = ""
    kicker: str = ""
    facts: str = ""
    answer: Callable[[], Sequence[str]] = list
    checks: Callable[[], Sequence[Remark]] = list
    method: Callable[[], Sequence[str]] = list
    measures: Sequence[tuple[str, Any]] = ()  # names and measures that a page explains
    notes: Sequence[Any] = ()
    signature: str = ""
    call: Callable[[], tuple[str, str]] = lambda: ("", "")  # the command and the call in Python
    items: Callable[[], dict[str, Any] | None] = lambda: None
    empty: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Section:
        """Return a section; "main" is the first one that printing shows."""
        key = self.brief[0] if key == "main" else key
        if key not in self.sections:
            raise InputError(
                f"There is no table {key!r}; there are {', '.join(['main', *self.sections])}.",
                parameter="what",
            )
        section = self.made(key)
        if section is None:
            raise InputError(self.nothing(key), parameter="what")
        return section

    def made(self, key: str) -> Section | None:
        """Return a section; None if nothing is in it and a page would leave it out."""
        section = self.sections[key]()
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
        return kept(*(self.made(k) if k in optional else self[k] for k in dict.fromkeys(every)))

    def on_page(self) -> list[Section]:
        """Return the sections of the page, without empty ones."""
        return kept(*map(self.made, self.page))


def one_section(section: Section) -> View:
    """Return the view of a section alone."""
    return View(section.title, {section.key: lambda: section}, (section.key,), data=section.key)


def words_of(note: Any) -> str:
    """Return the text of a note on one line."""
    return one_line(str(note))


def remarks_of(notes: Sequence[Any]) -> list[Remark]:
    """Return notes as remarks about the data."""
    return [Remark(note.level, words_of(note)) for note in notes]


def remark(level: str, key: str, **values: Any) -> Remark:
    """Return a remark whose text is among the templates of checks."""
    return Remark(level, one_line(plain(text_of(f"checks.{key}", **values))))


def itself(row: Any) -> Any:
    """Return a row that is an estimate."""
    return row


def across(
    names: Iterable[object],
    get: Callable[[Any, int], Any],
    digits: int | None = None,
    style: str = "",
    bold: Callable[[Any, int], bool] | None = None,
    data: Sequence[str] | None = None,
) -> list[Col]:
    """Return a column for every name; ``get(row, i)`` reads a row in the i-th of them."""

    def column(i: int, name: object) -> Col:
        marked = None if bold is None else lambda row: bold(row, i)
        stored = None if data is None else data[i]
        return Col(str(name), lambda row: get(row, i), digits, style, stored, bold=marked)

    return [column(i, name) for i, name in enumerate(names)]


def cols(names: str, *, tuples: bool = False, shown: bool = True) -> list[Col]:
    """Return columns from a list such as "model, score:4, lean:+3, p:p".

    Digits follow the name, after a plus for signed numbers. Rows have the attributes of these
    names, or are `tuples` in this order.
    """

    def column(i: int, text: str) -> Col:
        name, _, form = text.partition(":")
        style = "p" if form == "p" else "signed" if form.startswith("+") else ""
        digits = int(form) if form not in ("", "p") else None
        return Col(name, itemgetter(i) if tuples else None, digits, style, shown=shown)

    return [column(i, text) for i, text in enumerate(names.split(", "))]


def kept(*items: _T | Literal[False, ""] | None) -> list[_T]:
    """Return what is there: columns and notes that do not apply are False or empty."""
    return [item for item in items if item]


def page_calls(call: Call) -> tuple[str, str]:
    """Return the command and the Python that make a page again."""
    command = f"{call.command()} \\\n  --html=report.html"
    return command, f'import ordeval as oe\n\n{call.python()}.to_html("report.html")'
