"""The papers' own tables and figures, made again and set beside the printed ones."""

from collections.abc import Callable, Iterable
from importlib import import_module

from ..errors import InputError, did_you_mean
from .study import Comparison, Exhibit, Setting, Study, Verdict

# Each is a module with a function `study`, named like the paper.
PAPERS = ("amigo-2020", "sakai-2021", "silva-2018", "cardoso-2011", "qwk-post")

__all__ = [
    "PAPERS",
    "Comparison",
    "Exhibit",
    "Setting",
    "Study",
    "Verdict",
    "exit_code",
    "reproduce",
]


def reproduce(paper: str = "all", setting: Setting | None = None) -> list[Study]:
    """Regenerate the tables and figures of one paper, or of all.

    Examples
    --------
    >>> [study] = reproduce("qwk-post")
    >>> study.fails
    False
    """
    return [_maker(name)(setting or Setting()) for name in _named(paper)]


def exit_code(studies: Iterable[Study]) -> int:
    """0 if nothing differs beyond the known misprints, else 1."""
    return int(any(study.fails for study in studies))


def _named(paper: str) -> tuple[str, ...]:
    if paper == "all":
        return PAPERS
    if paper not in PAPERS:
        known = [*PAPERS, "all"]
        raise InputError(
            f"There is no paper {paper!r}; there are {', '.join(known)}."
            f"{did_you_mean(paper, known)}"
        )
    return (paper,)


def _maker(paper: str) -> Callable[[Setting], Study]:
    made: Callable[[Setting], Study] = import_module(f".{paper.replace('-', '_')}", __name__).study
    return made
