"""What the reader of a result should know: a kind, a level and a sentence."""

from dataclasses import dataclass
from typing import Literal

Level = Literal["warning", "note"]


@dataclass(frozen=True, slots=True)
class Note:
    """A remark about data or figures.

    `kind` is what it is about, as a short key such as "missing" or "doubt". A "warning" is about
    what may be wrong or changes what figures mean, a "note" about what was done as expected. A
    `request` asks the user to check or do something, which a paper does not repeat.
    """

    kind: str
    level: Level
    text: str
    request: bool = False

    def __str__(self) -> str:
        return self.text


Notes = tuple[Note, ...]


def warning(kind: str, text: str, *, request: bool = False) -> Note:
    """Return a note about what may be wrong or changes what figures mean."""
    return Note(kind, "warning", text, request)


def note(kind: str, text: str, *, request: bool = False) -> Note:
    """Return a note about what was done as expected."""
    return Note(kind, "note", text, request)


def repeated_ids(column: str) -> Notes:
    """Say that a column called like an id repeats values."""
    return (
        warning(
            "ids",
            f"Column {column!r} has repeated values; every row was counted as an item.",
            request=True,
        ),
    )
