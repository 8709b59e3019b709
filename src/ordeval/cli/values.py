"""Texts given on the command line as values."""

import csv
import os
import re
from collections.abc import Sequence
from glob import glob
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..spec import Measure, parse_measures
from ..types import Undefined

_RANGE = re.compile(r"\s*([+-]?\d+)\s*\.\.\s*([+-]?\d+)\s*")
_WHOLE = re.compile(r"[+-]?\d+")
_MOST_CLASSES = 1000
_LONGEST_NUMBER = 18  # digits that fit the widest integers


def labels(text: str | None) -> list[Any] | None:
    """The classes of "low,medium,high", "1,2,3" or "-2..2"; quotes protect a comma."""
    if text is None:
        return None
    if span := _RANGE.fullmatch(text):
        return _span(int(span[1]), int(span[2]))
    words = names(text, "--labels")
    return [int(word) for word in words] if all(map(_WHOLE.fullmatch, words)) else list(words)


def _span(low: int, high: int) -> list[Any]:
    if not low < high < low + _MOST_CLASSES:
        raise InputError(
            f"--labels {low}..{high} is not a scale; write the lowest and the highest class, e.g. "
            f"-2..2, with at most {_MOST_CLASSES} classes."
        )
    return list(range(low, high + 1))


def names(text: str, option: str) -> tuple[str, ...]:
    """The names in a list with commas; quotes protect a comma."""
    try:
        words = next(csv.reader([text], skipinitialspace=True, strict=True))
    except (csv.Error, StopIteration):
        words = []
    found = tuple(word.strip() for word in words)
    if not all(found) or not found:
        raise InputError(
            f'{option} {text!r} is not a list; write names with commas between them, e.g. "a,b".'
        )
    return found


def numbers(text: str | None, option: str) -> list[float] | None:
    """The numbers in a list with commas."""
    if text is None:
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(
            f'{option} {text!r} is not a list of numbers; write e.g. "1,2,4".'
        ) from None


def undefined(text: str | None) -> "Undefined":
    """What stands for an undefined score: "skip", a number or nothing."""
    if text is None:
        return None
    if text == "skip":
        return "skip"
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number - number != 0:  # neither NaN nor infinite numbers differ from themselves by 0
        raise InputError(f'--undefined {text!r} is not known; write "skip" or a number such as 0.')
    return number


def one_of(text: str, choices: Sequence[str], option: str) -> str:
    """One of some words."""
    if text not in choices:
        raise InputError(
            f"{option} {text!r} is not known; it is {', '.join(choices[:-1])} or {choices[-1]}."
        )
    return text


def whole(text: str, option: str, least: int = 0) -> int:
    """A whole number, not below the least."""
    if not _WHOLE.fullmatch(text.strip()) or len(text) > _LONGEST_NUMBER or int(text) < least:
        raise InputError(f"{option} {text!r} is not a whole number of at least {least}.")
    return int(text)


def level(text: str, option: str, usual: str) -> float:
    """A share between 0 and 1."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise InputError(f"{option} {text!r} is not between 0 and 1; write e.g. {usual}.")
    return number


def delimiter(text: str | None) -> str | None:
    """A character between fields; a tab may be written as a word."""
    known = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
    found = text if text is None else known.get(text, text)
    if found is not None and len(found) != 1:
        raise InputError(f'--delimiter {text!r} is not one character; write e.g. ";" or "tab".')
    return found


def target(path: str | None, option: str) -> None:
    """Refuse a place for output that cannot be, before any work is done."""
    if path is None:
        return
    if not path or Path(path).is_dir():
        raise InputError(f"{option} {path!r} is not the name of a file to write.")
    if not Path(path).absolute().parent.is_dir():
        raise InputError(f"{option} {path!r}: there is no directory {str(Path(path).parent)!r}.")


def keep(files: Sequence[str], option: str, path: str | None) -> None:
    """Refuse to write over one of these files."""
    if path is None:
        return
    taken = {os.path.realpath(file) for given in files for file in [given, *glob(given)]}
    if os.path.realpath(path) in taken:
        raise InputError(f"{option} {path!r} would be written over another file of this command.")


def measures(text: str | None) -> list[Measure] | None:
    """A list of measures; None stands for all, or for those that are usual."""
    return None if text is None or is_all(text) else parse_measures(text)


def is_all(text: str | None) -> bool:
    """Whether every measure is asked for."""
    return text is not None and text.strip().lower() == "all"


def core_measures(text: str | None) -> list[Measure] | str | None:
    """A list of measures for a leaderboard: None stands for the core ones, "all" for all."""
    return "all" if is_all(text) else measures(text)


def tables(text: str, known: Sequence[str], *, pairs: bool, style: str) -> tuple[str, ...]:
    """The tables to print; a csv file takes one."""
    chosen = list(names(text, "--tables"))
    if pairs and "pairs" not in chosen:
        chosen = ["pairs"] if style == "csv" and chosen == ["main"] else [*chosen, "pairs"]
    for name in chosen:
        one_of(name, known, "--tables")
    if style == "csv" and len(chosen) > 1:
        raise InputError(f"A csv file holds one table; choose one of {', '.join(chosen)}.")
    return tuple(dict.fromkeys(chosen))
