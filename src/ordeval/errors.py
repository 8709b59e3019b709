"""What can go wrong at the door, and the warning for scores that do not exist."""

from collections.abc import Iterable


class InputError(ValueError):
    """Input that cannot be used: says what was given, what was expected and what to do."""


class UndefinedWarning(UserWarning):
    """A score is undefined (NaN) for the data at hand; the message gives the reason."""


def some(items: Iterable[object], limit: int = 5) -> str:
    """List at most `limit` items for a message, and say how many more there are."""
    shown = [repr(item) for item in items]
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {more} more" if more > 0 else "")


def shortened(value: object, limit: int = 80) -> str:
    """What a value looks like, cut where it would fill the screen."""
    text = repr(value)
    return text if len(text) <= limit else text[:limit] + "…"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 item, 2,000 items."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest known word, or the empty string."""
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f" Did you mean {near[0]!r}?" if near else ""
