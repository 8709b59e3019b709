"""The types of option values: their placeholders in the help, and how text is converted."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..errors import InputError, did_you_mean
from ..measures.spec import Measure, parse_measures

Label = int | float | str

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_NUMBER = re.compile(r"[+-]?(\d{1,18}(\.\d*)?|\.\d+)")
_RANGE = re.compile(r"\s*([+-]?\d{1,18})\s*\.\.\s*([+-]?\d{1,18})\s*")
_MOST_CLASSES = 5_000  # as in archives
_CONDITION = re.compile(r'(?:"((?:[^"]|"")*)"|([^="][^=]*))=(.*)', re.DOTALL)
_WORD = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|([^\s",][^,]*))(,|\Z)', re.DOTALL)


class Type(NamedTuple):
    """A type of values: its placeholder in the help, its converter, and words to complete.

    A type without a placeholder is a flag. An option whose values add up may be repeated, and so
    may one with a function that gathers the values.
    """

    metavar: str | None
    convert: Callable[[str], Any] = str
    choices: Sequence[str] = ()
    adds: bool = False
    gather: Callable[[list[Any]], Any] | None = None

    def complete(self, ctx: Any, param: Any, incomplete: str) -> list[str]:
        """Return the words that begin with what has been typed, to click."""
        return [word for word in self.choices if word.startswith(incomplete)]


def choice(words: Sequence[str]) -> Type:
    """Return the type of one of some words."""

    def choose(text: str) -> str:
        if text not in words:
            near = did_you_mean(text, words)
            raise InputError(f"{text!r} is not one of {', '.join(words)}.{near}")
        return text

    return Type("|".join(words), choose, words)


def several(words: Sequence[str], every: Sequence[str]) -> Type:
    """Return the type of a list of some words; "all" stands for `every`, if there are any."""
    one = choice((*words, "all") if every else words)

    def choose(text: str) -> tuple[str, ...]:
        found = [one.convert(word) for word in names(text)]
        return tuple(every if "all" in found else dict.fromkeys(found))

    return Type("LIST", choose, adds=True)


def number(metavar: str, check: Callable[[str, Any], None]) -> Type:
    """Return the type of numbers that pass a check of `ordeval.options`."""

    def convert(text: str) -> Any:
        value = int(text) if _WHOLE.fullmatch(text.strip()) else _number(text)
        check("the value", text if value is None else value)
        return value

    return Type(metavar, convert)


def _number(text: str) -> float | None:
    """Return a finite number, or None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def names(text: str) -> tuple[str, ...]:
    """Convert a list such as "a,b"; quotes protect commas, spaces around a name, and no name."""
    words, end = list[str](), 0
    while word := _WORD.match(text, end):
        words.append(word[2].strip() if word[1] is None else word[1].replace('""', '"'))
        end = word.end()
        if not word[3]:
            return tuple(words)
    raise InputError(f'{text!r} is not a list; write names with commas between them: "a,b".')


def condition(text: str) -> tuple[str, str]:
    """Convert "column=value"; quotes protect an equals sign in the name of the column."""
    parts = _CONDITION.fullmatch(text)
    if not parts or (parts[2] or "").endswith(tuple("!<>~")):
        raise InputError(
            f"{text!r} is not a condition; write a column and a value to keep: topic=x. Repeat the "
            "option to keep several values; quote a name with signs: '\"name!\"=x'."
        )
    return parts[2].strip() if parts[1] is None else parts[1].replace('""', '"'), parts[3]


def labels(text: str) -> Sequence[Label]:
    """Convert the classes of "low,medium,high", "1,2,3", "0.5,1,1.5" or "-2..2"."""
    if span := _RANGE.fullmatch(text):
        low, high = int(span[1]), int(span[2])
        if low < high < low + _MOST_CLASSES:
            return range(low, high + 1)
        raise InputError(
            f"'{low}..{high}' is not a scale; write the lowest and the highest class, e.g. -2..2, "
            f"with at most {_MOST_CLASSES:,} classes."
        )
    words = names(text)
    if all(map(_NUMBER.fullmatch, words)):
        return [int(word) if _WHOLE.fullmatch(word) else float(word) for word in words]
    return words


def numbers(text: str) -> Sequence[float]:
    """Convert a list of numbers such as "1,2,4", or "1..5"."""
    if _RANGE.fullmatch(text):
        return [float(label) for label in labels(text)]
    found = [number for word in text.split(",") if (number := _number(word)) is not None]
    if len(found) < text.count(",") + 1:
        raise InputError(f'{text!r} is not a list of numbers; write e.g. "1,2,4".')
    return found


def bins(text: str) -> str | Sequence[float]:
    """Convert how numbers become classes: "round", "floor", edges, or "cut" and cut-points."""
    return text if text in ("round", "floor") or text.startswith("cut ") else numbers(text)


Columns = str | tuple[str, ...]  # a pattern such as "p_{label}", or a list


def pattern(text: str) -> tuple[str, Columns]:
    """Convert "p_{label}" or a list of columns, perhaps after "system="; quotes protect signs."""
    parts = _CONDITION.fullmatch(text)
    if parts is None:
        words = (text,) if "{label}" in text and text[0] != '"' else names(text)
        return "", words[0] if "{label}" in words[0] else words
    name = parts[2].strip() if parts[1] is None else parts[1].replace('""', '"')
    return name, pattern(parts[3])[1]


def patterns(given: Sequence[tuple[str, Columns]]) -> Columns | dict[str, Columns]:
    """Return the columns of one system, or of each system by its name."""
    named = dict(given)
    if len(named) < len(given) or (len(named) > 1 and "" in named):
        raise InputError(
            "Several patterns need a system each: --proba 'a=a_{label}' --proba 'b=b_{label}'.",
            parameter="proba",
        )
    return named.get("", named)


def replacement(text: str) -> float | Literal["skip"]:
    """Convert what replaces an undefined score: "skip" or a number."""
    if text == "skip":
        return "skip"
    if (number := _number(text)) is None:
        raise InputError(f'{text!r} is neither "skip" nor a number such as 0.')
    return number


def measures(text: str) -> Sequence[Measure]:
    """Convert a list of measures."""
    if not (found := parse_measures(text)):
        raise InputError('No measure is named; write e.g. "cem, qwk".')
    return found


def measures_or_all(text: str) -> Sequence[Measure] | Literal["all"]:
    """Convert a list of measures, or "all"."""
    return "all" if text.strip().lower() == "all" else measures(text)


def output_file(text: str) -> Path:
    """Convert the name of a file to write, whose directory must exist."""
    path = Path(text)
    if not text or path.is_dir():
        raise InputError(f"{text!r} is not the name of a file to write.")
    if not path.absolute().parent.is_dir():
        raise InputError(f"{text!r} cannot be written: there is no directory {str(path.parent)!r}.")
    return path


FLAG = Type(None)
COLUMN = Type("COLUMN")
NAMES = Type("A,B", names, adds=True)
FILE = Type("FILE", output_file)
OUT = Type("FILE", lambda text: None if text == "-" else output_file(text))
MEASURES = Type("LIST", measures_or_all, adds=True)
