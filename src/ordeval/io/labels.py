"""What a raw value read from a file or a frame means on a scale: a label, or nothing."""

import re
from collections.abc import Iterable
from typing import Any

from ..columns import is_missing
from ..errors import InputError
from ..scale import Scale

MISSING_WORDS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
SPACES = "".join(c for c in map(chr, range(0x3001)) if c.isspace())  # what strip() takes off
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d+(\.0*)?")


class LabelReader:
    """Reads raw values as labels.

    Frames keep their types (`text=False`): "1" is not 1. Files hold text (`text=True`), which is
    matched to the declared labels, in this order: as it stands, without surrounding spaces, by
    its number ("1.0" is 1). The usual words for "no value" are missing unless they are declared
    as labels. Without declared labels, numbers are numbers and the rest stays text.
    """

    def __init__(self, declared: Scale | None, *, text: bool) -> None:
        self._text = text
        self._index = {} if declared is None else declared.index
        self._by_text = {word: label for label in self._index for word in _words(label)}
        self._by_number = _numbers(self._index)
        words = tuple(word for word in MISSING_WORDS if word not in self._by_text)
        self.missing_words = words if text else ()  # the texts that mean "no value" here

    def read(self, raw: Any) -> Any:
        """The label, None where it is missing; what is not on the scale stays as it is."""
        if is_missing(raw):
            return None
        if not self._text or _known(raw, self._index):
            return raw
        words = [word.strip() for word in _words(raw)]
        if known := [word for word in words if word in self._by_text]:
            return self._by_text[known[0]]
        return None if words[0] in self.missing_words else self._number(raw, words[0])

    def _number(self, raw: Any, word: str) -> Any:
        if isinstance(raw, bool):
            return raw
        if self._index:
            known = _NUMBER.fullmatch(word) and self._by_number.get(float(word))
            return raw if known is None else known
        if _WHOLE.fullmatch(word):
            return int(word.partition(".")[0])
        return float(word) if _NUMBER.fullmatch(word) else raw


def _words(raw: Any) -> tuple[str, ...]:
    """How a value is written; truth values are so in two ways."""
    word = str(raw)
    return (word, word.lower()) if isinstance(raw, bool) else (word,)


def _known(raw: Any, index: dict[Any, int]) -> bool:
    """Whether the value is a label as it stands; True is not taken for 1."""
    return raw in index and not (isinstance(raw, bool) and str(raw) not in map(str, index))


def _numbers(labels: Iterable[Any]) -> dict[float, Any]:
    """Labels by their numbers, if every label is a different number; otherwise empty."""
    words = {label: str(label).strip() for label in labels}
    if not all(_NUMBER.fullmatch(word) for word in words.values()):
        return {}
    found = {float(word): label for label, word in words.items()}
    return found if len(found) == len(words) else {}


def check_missing(missing: str) -> None:
    """`missing` is one of three words."""
    if missing not in ("error", "worst", "skip"):
        raise InputError(f'missing={missing!r} is not known; it is "error", "worst" or "skip".')
