"""The types of option values: their placeholders in the help, and how text is converted."""

import re
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from ..errors import InputError, did_you_mean
from ..measures.spec import Measure, parse_measures
from ..options import Whole
from .messages import spell

T = TypeVar("T")
Label = int | float | str
Measures = Sequence[Measure] | Literal["all"]

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)")
_RANGE = re.compile(r"\s*([+-]?\d{1,18})\s*\.\.\s*([+-]?\d{1,18})\s*")
_MOST_CLASSES = 5_000  # as in archives
_COLUMN = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_QUOTED_COLUMN = re.compile(r'"((?:[^"]|"")*)"=(.*)', re.DOTALL)
_WORD = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^\s",][^,]*))(,|\Z)', re.DOTALL)


class Type(NamedTuple):
    """A type of values: its placeholder in the help, its converter, and words to complete.

    A type without a placeholder is a flag; every other type is declared to typer as text. The
    values of a type that `adds` up are joined if an option is repeated; others may not be repeated.
    """

    metavar: str | None
    parser: Callable[[Any], Any] | None = None
    choices: Sequence[str] = ()
    adds: bool = False

    @property
    def annotation(self) -> type:
        """The type that is declared to typer."""
        return bool if self.metavar is None else str

    @property
    def declared(self) -> dict[str, Any]:
        """The arguments that declare an option of this type to typer."""
        complete = self.complete if self.choices else None
        return {"metavar": self.metavar, "parser": self.parser, "autocompletion": complete}

    def complete(self, incomplete: str) -> list[str]:
        """Return the words that begin with what has been typed."""
        return [word for word in self.choices if word.startswith(incomplete)]


def parser(convert: Callable[[str], T]) -> Callable[[Any], T]:
    """Adapt a converter to typer: defaults pass unchanged, unusable text is a usage error."""

    @wraps(convert)
    def parse(given: Any) -> Any:
        if not isinstance(given, str):
            return given
        try:
            return convert(given)
        except InputError as error:
            from typer import BadParameter

            raise BadParameter(error.text_as(spell)) from None

    return parse


def choice(words: Sequence[str], metavar: str = "") -> Type:
    """Return the type of one of some words."""

    @parser
    def choose(text: str) -> str:
        return _chosen(text, words)

    return Type(metavar or "|".join(words), choose, words)


def _chosen(text: str, words: Sequence[str]) -> str:
    if text in words:
        return text
    raise InputError(f"{text!r} is not one of {', '.join(words)}.{did_you_mean(text, words)}")


def several(words: Sequence[str]) -> Type:
    """Return the type of a list of some words."""

    @parser
    def choose(text: str) -> tuple[str, ...]:
        return tuple(dict.fromkeys(_chosen(word, words) for word in names(text)))

    return Type("LIST", choose, adds=True)


def number(metavar: str, check: Callable[[str, Any], None]) -> Type:
    """Return the type of numbers that pass a check of `ordeval.options`."""

    @parser
    def convert(text: str) -> float:
        value = int(text) if _WHOLE.fullmatch(text.strip()) else _number(text)
        check("The value", text if value is None else value)
        return value  # type: ignore[return-value]  # a text does not pass

    return Type(metavar, convert)


def whole(least: int = 0) -> Type:
    """Return the type of whole numbers of at least `least`."""
    return number("N", Whole(least))


def _number(text: str) -> float | None:
    """Return a finite number, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


@parser
def names(text: str) -> tuple[str, ...]:
    """Convert a list such as "a,b"; quotes protect commas, spaces around a name, and no name."""
    found, end = list[str](), 0
    while word := _WORD.match(text, end):
        found.append(word[2].strip() if word[1] is None else word[1].replace('""', '"'))
        end = word.end()
        if not word[3]:
            return tuple(found)
    raise InputError(f'{text!r} is not a list; write names with commas between them: "a,b".')


@parser
def condition(text: str) -> tuple[str, str]:
    """Convert "column=value"; quotes protect an equals sign in the name of the column."""
    found = _QUOTED_COLUMN.fullmatch(text) or _COLUMN.fullmatch(text)
    if not found:
        raise InputError(f"{text!r} is not a condition; write a column and a value: topic=x.")
    quoted = text.startswith('"')
    if not quoted and found[1].endswith(tuple("!<>~")):
        raise InputError(
            f"{text!r} is not a condition: only = is known, which keeps the rows with a value. "
            "Repeat the option to keep several values; write a name that ends in such a sign in "
            "quotes, e.g. '\"name!\"=x'."
        )
    return found[1].replace('""', '"') if quoted else found[1].strip(), found[2]


@parser
def labels(text: str) -> Sequence[Label]:
    """Convert the classes of "low,medium,high", "1,2,3", "0.5,1,1.5" or "-2..2"."""
    if span := _RANGE.fullmatch(text):
        low, high = int(span[1]), int(span[2])
        if low < high < low + _MOST_CLASSES:
            return range(low, high + 1)
        example = f"{high}..{low}" if high < low < high + _MOST_CLASSES else "-2..2"
        raise InputError(
            f"'{low}..{high}' is not a scale; write the lowest and the highest class, e.g. "
            f"{example}, with at most {_MOST_CLASSES:,} classes."
        )
    words = names(text)
    if all(map(_NUMBER.fullmatch, words)):
        return [int(word) if _WHOLE.fullmatch(word) else float(word) for word in words]
    return words


@parser
def numbers(text: str) -> Sequence[float]:
    """Convert a list of numbers such as "1,2,4", or "1..5"."""
    if _RANGE.fullmatch(text):
        return [float(label) for label in labels(text)]
    found = [_number(word) for word in text.split(",")]
    if None in found:
        raise InputError(f'{text!r} is not a list of numbers; write e.g. "1,2,4".')
    return [number for number in found if number is not None]


@parser
def bins(text: str) -> str | Sequence[float]:
    """Convert how numbers become classes: "round", "floor" or a list of edges."""
    if text in ("round", "floor"):
        return text
    found = [_number(word) for word in text.split(",")]
    if None in found:
        raise InputError(
            f'{text!r} is neither "round" nor "floor" nor a list of edges such as "1.5,2.5,3.5".'
        )
    return [number for number in found if number is not None]


@parser
def replacement(text: str) -> float | Literal["skip"]:
    """Convert what replaces an undefined score: "skip" or a number."""
    if text == "skip":
        return "skip"
    number = _number(text)
    if number is None:
        raise InputError(f'{text!r} is neither "skip" nor a number such as 0.')
    return number


@parser
def measures(text: str) -> Sequence[Measure]:
    """Convert a list of measures."""
    found = parse_measures(text)
    if not found:
        raise InputError('No measure is named; write e.g. "cem, qwk".')
    return found


@parser
def measures_or_all(text: str) -> Measures:
    """Convert a list of measures, or "all"."""
    return "all" if text.strip().lower() == "all" else measures(text)


@parser
def output_file(text: str) -> Path:
    """Convert the name of a file to write, whose directory must exist."""
    path = Path(text)
    if not text or path.is_dir():
        raise InputError(f"{text!r} is not the name of a file to write.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{text!r} cannot be written: there is no directory {str(path.parent)!r}.")
    return path


@parser
def output_or_terminal(text: str) -> Path | None:
    """Convert the name of a file to write; "-" stands for standard output."""
    return None if text == "-" else output_file(text)


@parser
def folder(text: str) -> Path:
    """Convert the name of a directory that exists."""
    if not Path(text).is_dir():
        raise InputError(f"{text} is not a directory.")
    return Path(text)


FLAG = Type(None)
COLUMN = Type("COLUMN")
FILE = Type("FILE", output_file)
OUT = Type("FILE", output_or_terminal)
MEASURES = Type("LIST", measures_or_all, adds=True)
