"""Sentences of the papers that can be checked: each holds, or a case contradicts it."""

from .study import Ours

HOLDS = "holds"


def yes(true: bool) -> str:
    """Return "yes" or "no"."""
    return "yes" if true else "no"


def statement(row: str, true: bool, note: str = "") -> Ours:
    """Return whether a sentence holds; the note of one that does not holds a counter-example."""
    return Ours(row, HOLDS, yes(true), note, explained=not true)
