"""Phrases that all sentences share: numbers, p-values, intervals and lists of names."""

from collections.abc import Callable, Iterable, Sequence
from math import isnan
from typing import Any, TypeVar

from ..formatting import decimals, p_text
from ..measures.spec import Measure
from .view import DOUBT, plain, strong

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentence(*parts: str) -> str:
    """Return parts joined, with a capital at the beginning."""
    joined = "".join(parts)
    return joined[:1].upper() + joined[1:]


def number(value: float) -> str:
    """Return a number with three decimals, or its leading digit where these are all zero.

    >>> number(0.12345), number(0.0003), number(0.00004)
    ('0.123', '0.0003', '4e−05')
    """
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


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, small numbers as words.

    >>> counted(1, "system"), counted(12, "system")
    ('one system', '12 systems')
    """
    return f"{in_words(count)} {noun if count == 1 else plural or noun + 's'}"


def all_of(count: int, noun: str) -> str:
    """Return "both systems", "all three systems" and so on."""
    return f"both {noun}" if count == 2 else f"all {in_words(count)} {noun}"


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
    shown = [strong(name) for name in names[:most]]
    return joined([*shown, *([counted(len(names) - most, "other")] if len(names) > most else [])])


def verb(count: int, one: str, several: str) -> str:
    """Return the form of a verb for so many subjects."""
    return one if count == 1 else several


def measure_phrase(measure: Measure) -> str:
    """Return the display name of a measure with its title, if that says more."""
    label, title = measure.label, measure.record.card.title
    same = label.casefold() == title.casefold()
    return strong(label) if same else f"{strong(label)} ({title})"


def interval_phrase(estimate: Any, level: float) -> str:
    """Return an interval for a sentence; empty where there is none."""
    if isnan(estimate.low) or isnan(estimate.high):
        return ""
    return f"{100 * level:g} % interval {number(estimate.low)} to {number(estimate.high)}"


def with_interval(estimate: Any, level: float) -> str:
    """Return a number with its interval in brackets, if it has one."""
    found = interval_phrase(estimate, level)
    return f"{number(estimate.value)} ({found})" if found else number(estimate.value)


def signed(estimate: Any) -> str:
    """Return a difference with its sign and interval, as in "+0.030 [−0.010, 0.070]"."""
    sign = "+" if estimate.value > 0 else ""
    ends = "" if isnan(estimate.low) else f" [{number(estimate.low)}, {number(estimate.high)}]"
    return f"{sign}{number(estimate.value)}{ends}"


def recommended(found: Any, named: Callable[[str], str] = str) -> str:
    """Return the recommended measures as a sentence."""
    others = [named(other.measure) for other in found.beside]
    beside = f", and report {joined(others)} beside it" if others else ""
    return f"Use {named(found.primary)}{beside}."


def grouped(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """Return values by their key, both in the order in which they come.

    >>> grouped([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def doubts(estimates: Iterable[tuple[str, Any]], most: int = 6) -> list[str]:
    """Return why numbers are undefined or intervals doubtful, each reason with its names."""

    def why(e: Any) -> str:
        what = f"{DOUBT} The interval may cover less than its level"
        what = "Undefined" if isnan(e.value) else "No interval" if isnan(e.low) else what
        return f"{what}, because {e.doubt}"

    reasons = grouped((why(e), name) for name, e in estimates if e.doubt)
    return [f"{why}: {plain(listed(list(dict.fromkeys(n)), most))}." for why, n in reasons.items()]
