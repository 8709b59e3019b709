"""The tables and figures of papers, reproduced and compared with the printed ones.

`reproduce` runs one paper or all of them and returns studies: figures with a verdict each. The
printed figures are data (`printed`), a module per paper computes ours, `study.judge` compares them,
and `output` shows studies as text, tables and pages.
"""

from collections.abc import Iterable, Mapping

from ..errors import InputError, did_you_mean
from . import amigo_2020, cardoso_2011, qwk_post, sakai_2021, silva_2018
from .study import Comparison, Exhibit, Maker, Setting, Study, Verdict, run_study

PAPERS: Mapping[str, Mapping[str, Maker]] = {
    "amigo-2020": amigo_2020.EXHIBITS,
    "sakai-2021": sakai_2021.EXHIBITS,
    "silva-2018": silva_2018.EXHIBITS,
    "cardoso-2011": cardoso_2011.EXHIBITS,
    "qwk-post": qwk_post.EXHIBITS,
}

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
    """Reproduce the tables and figures of one paper or of all.

    Parameters
    ----------
    paper : str, default "all"
        One of `PAPERS`, or "all".
    setting : Setting, optional
        Where the data are, the seed, and how much is computed.

    Returns
    -------
    list of Study
        One study for each paper.

    Raises
    ------
    InputError
        If the paper is unknown, or a data file cannot be used.

    Examples
    --------
    >>> from ordeval.reproduce import reproduce
    >>> [study] = reproduce("qwk-post")
    >>> study.fails
    False
    """
    names = _named(paper)
    return [run_study(name, PAPERS[name], setting or Setting()) for name in names]


def exit_code(studies: Iterable[Study]) -> int:
    """Return 1 if a figure differs beyond what is known to be wrong in print, otherwise 0.

    Parameters
    ----------
    studies : iterable of Study
        What `reproduce` returned.

    Returns
    -------
    int
        The exit code of the command.

    Examples
    --------
    >>> from ordeval.reproduce import exit_code, reproduce
    >>> exit_code(reproduce("qwk-post"))
    0
    """
    return int(any(study.fails for study in studies))


def _named(paper: str) -> tuple[str, ...]:
    if paper == "all":
        return tuple(PAPERS)
    if paper not in PAPERS:
        known = [*PAPERS, "all"]
        begun = [name for name in PAPERS if paper and name.startswith(paper)]
        hint = f"Did you mean {begun[0]!r}?" if begun else did_you_mean(paper, known).strip()
        message = f"There is no paper {paper!r}; there are {', '.join(known)}."
        raise InputError(message, parameter="paper", hint=hint)
    return (paper,)
