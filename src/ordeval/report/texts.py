"""Sentences: templates with the forms that their values take, and the works they cite.

`texts.toml` holds headings, notes and sentences. Values in braces are formatted as in Python, with
these additions: a list of names is "a, b and two others" (``{names:4}`` shows at most four), and
``{names:is|are}`` is the form of a word for so many names, or for a number. ``{n:words}`` is
"three" and ``{n:all}`` "both" or "all three"; ``{x:number}``, ``{p:p}`` and ``{name:strong}`` are
what the functions below return.
"""

import tomllib
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from math import isnan
from string import Formatter
from typing import Any, TypeVar

from ..formatting import decimals, one_line, p_text, visible
from ..measures.spec import Measure

DOUBT = "†"  # marks an interval that may cover less than its level
STRONG, END = "\x02", "\x03"  # around names in sentences; no name has them after `one_line`
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def text_of(key: str, **values: Any) -> str:
    """Return a text by its place, such as "result.dirichlet", with values in braces filled in."""
    part, _, name = key.partition(".")
    template = texts_of(part)[name]
    text = _Sentences().vformat(template, (), values)
    return text[:1].upper() + text[1:] if template.startswith("{") else text


def texts_of(part: str) -> dict[str, str]:
    """Return the texts of a part by name, as they are written."""
    return dict(_table("texts")[part])


def works() -> dict[str, str]:
    """Return works by the words with which they are cited."""
    return _table("references")


def bibliography(text: str) -> list[str]:
    """Return the works that a text cites."""
    return [work for key, work in works().items() if key in text]


@cache
def _table(name: str) -> dict[str, Any]:
    text = files("ordeval.report").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


class _Sentences(Formatter):
    """Formats the values of sentences."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            one, several = format_spec.split("|")
            count = len(value) if isinstance(value, (list, tuple)) else value
            return one if count == 1 else several
        if isinstance(value, (list, tuple)):
            return listed(value, int(format_spec or 6))
        if format_spec in _FORMS:
            return _FORMS[format_spec](value)
        return str(super().format_field(value, format_spec))


def strong(text: object) -> str:
    """Return a name that stands out in a sentence."""
    return f"{STRONG}{one_line(str(text)).strip() or '(blank)'}{END}"


def plain(sentence: str) -> str:
    """Return a sentence without emphasis."""
    return sentence.replace(STRONG, "").replace(END, "")


def number(value: float) -> str:
    """Return a number with three decimals, or its leading digit where these are all zero.

    >>> number(0.12345), number(0.0003), number(0.00004)
    ('0.123', '0.0003', '4e−05')
    """
    value = 0.0 if abs(value) < 1e-12 else value  # rounding errors
    if value == 0 or abs(value) >= 0.00005 or isnan(value):
        return decimals(value, 3 if value == 0 or abs(value) >= 0.0005 else 4, minus="−")
    return f"{value:.0e}".replace("-", "−")


def p_phrase(p: float) -> str:
    """Return a p-value for a sentence.

    >>> p_phrase(0.0002), p_phrase(0.0234), p_phrase(0.5)
    ('p < 0.001', 'p = 0.023', 'p = 0.50')
    """
    text = p_text(p, 3 if p < 0.1 else 2)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def in_words(count: int) -> str:
    """Return small numbers as words, others in digits."""
    return _SMALL[count] if count < len(_SMALL) else f"{count:,}"


def joined(phrases: Sequence[str]) -> str:
    """Return "a, b and c".

    >>> joined(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(phrases[:-1]), *phrases[-1:])))


def listed(names: Sequence[object], most: int = 6) -> str:
    """Return "a, b and c", with names in emphasis and long lists cut.

    >>> plain(listed(["a", "b", "c", "d"], 2))
    'a, b and two others'
    """
    shown, more = [strong(name) for name in names[:most]], len(names) - most
    others = [f"{in_words(more)} other{'s' * (more > 1)}"] if more > 0 else []
    return joined([*shown, *others])


_FORMS: dict[str, Callable[[Any], str]] = {
    "number": number,
    "p": p_phrase,
    "strong": strong,
    "words": in_words,
    "all": lambda count: "both" if count == 2 else f"all {in_words(count)}",
}


def measure_phrase(measure: Measure) -> str:
    """Return the display name of a measure with its title, if that says more."""
    label, title = measure.label, measure.record.card.title
    told = title.casefold().split()[-1] in label.casefold()  # "linear kappa", "Weighted kappa"
    return strong(label) if told else f"{strong(label)} ({title})"


def interval_phrase(estimate: Any, level: float) -> str:
    """Return an interval for a sentence; empty where there is none."""
    if isnan(estimate.low) or isnan(estimate.high):
        return ""
    return f"{100 * level:g} % interval {' to '.join(interval_ends(estimate))}"


def interval_ends(estimate: Any) -> list[str]:
    """Return the ends of an interval; beside a larger one, an end near 0 has four decimals."""
    ends = estimate.low, estimate.high
    apart = ends[0] * ends[1] > 0 and max(map(abs, ends)) >= 0.0005
    return [number(visible(end, 4) if apart else end) for end in ends]


def recommended(advice: Any, named: Callable[[str], str] = str) -> str:
    """Return the recommended measures as a sentence."""
    others = [named(other.measure) for other in advice.beside]
    also = f", and also report {joined(others)}" if others else ""
    return f"Use {named(advice.primary)}{also}."


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return values by their key, both in the order in which they come.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    values: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    return values


def doubts(estimates: Iterable[tuple[str, Any]], most: int = 6) -> list[str]:
    """Return why numbers are undefined or intervals doubtful, each reason with its names."""

    def why(e: Any) -> str:
        what = f"{DOUBT} The interval may cover less than its level"
        what = "Undefined" if isnan(e.value) else "No interval" if isnan(e.low) else what
        return f"{what}, because {e.doubt}"

    reasons = grouped((why(e), name) for name, e in estimates if e.doubt)
    return [f"{why}: {plain(listed(list(dict.fromkeys(n)), most))}." for why, n in reasons.items()]
