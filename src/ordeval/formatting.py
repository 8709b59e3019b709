"""Numbers and names as text: the formats that tables, figures and sentences share."""

import re
from collections.abc import Iterable
from math import copysign, floor, isinf, isnan, log10
from string import ascii_lowercase

UNDEFINED = "–"

# Control characters; characters that change the direction of writing, break lines or have no
# width; and lone surrogates, which cannot be encoded.
_CONTROL = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def one_line(text: str) -> str:
    """Return text with control characters replaced: no line breaks, no terminal codes."""
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text)


def running(text: str) -> str:
    """Return a text of several lines as one, with a space for line breaks, tabs and the like.

    >>> running("first\\r\\n\\tsecond\\n\\nthird ")
    'first second third'
    """
    return one_line(" ".join(text.split()))


def shorten(text: str, limit: int = 28) -> str:
    """Return a long text without its middle, because names often differ at the end.

    >>> shorten("abcdefghij", 7)
    'abcd…ij'
    """
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 3
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


def protected(word: object) -> str:
    """Return a word of a list with commas, in quotes if it could not be read otherwise.

    >>> protected("low"), protected("low, but clear"), protected(" low")
    ('low', '"low, but clear"', '" low"')
    """
    text = str(word)
    plain = text and text == text.strip() and "," not in text and not text.startswith('"')
    return text if plain else '"' + text.replace('"', '""') + '"'


def decimals(value: float, digits: int = 4, *, minus: str = "-") -> str:
    """Return a number with so many decimals; a number that rounds to zero has no sign.

    >>> decimals(-0.25, 3), decimals(-1e-9, 2), decimals(float("nan"))
    ('-0.250', '0.00', '–')
    """
    number = float(value)
    if isnan(number):
        return UNDEFINED
    if isinf(number):
        return "∞" if number > 0 else "−∞"
    text = f"{number:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", minus)


def interval_text(low: float, high: float) -> str:
    """Return an interval in brackets, or nothing where an end is undefined.

    >>> interval_text(0.25, 0.5)
    '[0.250, 0.500]'
    """
    if isnan(low) or isnan(high):
        return ""
    return f"[{decimals(low, 3)}, {decimals(high, 3)}]"


def visible(end: float, digits: int) -> float:
    """Return the end of an interval without 0, so that so many decimals do not show it as 0.

    >>> visible(3e-11, 4), visible(-0.25, 4)
    (0.0001, -0.25)
    """
    return copysign(max(abs(end), 10.0**-digits), end)


def p_text(p: float, digits: int = 3) -> str:
    """Return a p-value, or the bound below which it lies.

    >>> p_text(0.0123), p_text(0.0001)
    ('0.012', '<0.001')
    """
    bound = 10.0**-digits
    return f"<{bound:.{digits}f}" if p < bound else decimals(p, digits)


def at_least(bound: float) -> str:
    """Return a positive lower bound in three digits, rounded down so that it stays one.

    >>> at_least(0.125), at_least(0.1875), at_least(1.0), at_least(2 / 3)
    ('0.125', '0.187', '1', '0.666')
    """
    step = 10.0 ** (floor(log10(bound)) - 2)
    return f"{floor(bound / step + 1e-9) * step:.3g}"


def lettered(number: int, letters: str = ascii_lowercase) -> str:
    """Return a letter for a number from 0, after the last one with a number of its own.

    >>> lettered(0), lettered(25), lettered(26)
    ('a', 'z', 'a2')
    """
    turn, place = divmod(number, len(letters))
    return f"{letters[place]}{turn + 1 if turn else ''}"


def ranges(numbers: Iterable[int]) -> str:
    """Return whole numbers with runs shortened, in a form that no spreadsheet reads as a date.

    >>> ranges([2, 3, 4, 7])
    '2–4, 7'
    """
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}–{b}" for a, b in runs)
