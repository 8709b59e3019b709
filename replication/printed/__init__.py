"""What the papers print, with what is known about it: one TOML file for each paper.

A file holds the citation and a summary, then a table for every exhibit, in the order in which they
are shown:

- ``title``, ``left_open``, ``chosen``, ``outcome``: its title and notes. ``{name}`` is filled in
  with a fact of the run, and a note whose facts are missing is left out;
- ``like``: another exhibit, from which everything that is missing here is taken, except its title,
  figures and errors;
- ``columns`` (also of the whole paper) and ``printed``: the figures, as printed text. A row that
  has fewer figures than there are columns belongs to the last ones, as in an upper triangle. A row
  may also be a table of columns and figures, and ``printed`` the name of another exhibit;
- ``errors``: figures known to be misprinted, with what the paper's own input gives, figures that
  are suspected to be misprinted, claims known to be refuted, and claims that depend on a choice,
  each with the reason;
- ``not_judged``: columns (with ``*``) whose figures are shown only, with the reason;
- ``tolerance``: numbers from which the tolerance of random figures is computed;
- ``drawing``: title, axes and caption of its figure;
- anything else that the exhibit is computed from, such as confusion matrices with gold in rows.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

Figures = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class KnownError:
    """A printed figure or claim that is known to be wrong.

    Parameters
    ----------
    verdict : str
        "MISPRINT", "REFUTED", "SUSPECTED" or "DEPENDS".
    reason : str
        Why the paper is wrong.
    right : str or None
        The figure that the paper's own input gives; None if only the run can tell.
    """

    verdict: str
    reason: str
    right: str | None


@dataclass(frozen=True, eq=False)
class Printed:
    """What a paper prints in one exhibit.

    Parameters
    ----------
    paper, key : str
        The paper and the exhibit.
    entry : mapping
        The exhibit's table in the file.
    columns : tuple of str
        The names of the columns.
    figures : mapping of str to mapping of str to str
        The printed figures by row and column.
    errors : mapping of (str, str) to KnownError
        What is known to be wrong, by row and column.
    """

    paper: str
    key: str
    entry: Mapping[str, Any]
    columns: tuple[str, ...]
    figures: Figures
    errors: Mapping[tuple[str, str], KnownError]

    def __getitem__(self, name: str) -> Any:
        return self.entry[name]

    def of(self, key: str) -> "Printed":
        """Return another exhibit of the same paper."""
        return read_paper(self.paper).exhibits[key]

    def figure(self, row: str, column: str) -> str | None:
        """Return a printed figure, or None if there is none."""
        return self.figures.get(row, {}).get(column)

    def not_judged(self, column: str) -> str | None:
        """Return why the figures of a column are not judged, or None if they are."""
        patterns: Mapping[str, str] = self.entry.get("not_judged", {})
        return next((why for p, why in patterns.items() if fnmatchcase(column, p)), None)

    def note(self, name: str) -> str:
        """Return the title, `left_open`, `chosen` or `outcome`; empty if there is none."""
        return _one_line(self.entry.get(name, ""))


@dataclass(frozen=True)
class Paper:
    """A paper: its reference, a summary, and what its exhibits print."""

    citation: str
    summary: str
    exhibits: Mapping[str, Printed]


def read_toml(key: str) -> dict[str, Any]:
    """Return the file of a paper as it is, e.g. of "silva-2018"."""
    text = files(__name__).joinpath(f"{key.replace('-', '_')}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def read_paper(key: str) -> Paper:
    """Return what a paper prints, e.g. "silva-2018"."""
    entries = read_toml(key)
    columns = entries.get("columns", ())
    exhibits = {name: e for name, e in entries.items() if isinstance(e, dict)}
    whole = {n: _inherited(e, exhibits) for n, e in exhibits.items()}
    return Paper(
        _one_line(entries["citation"]),
        _one_line(entries["summary"]),
        {n: _printed(key, n, e, columns) for n, e in whole.items()},
    )


def _inherited(entry: Mapping[str, Any], exhibits: Mapping[str, Any]) -> dict[str, Any]:
    """Add to an exhibit what it takes from the one that it is like."""
    taken = exhibits[entry["like"]] if "like" in entry else {}
    own = {k: v for k, v in taken.items() if k not in ("title", "printed", "errors")} | dict(entry)
    figures = own.get("printed", {})
    return own | {"printed": exhibits[figures]["printed"] if isinstance(figures, str) else figures}


def _printed(paper: str, key: str, entry: Mapping[str, Any], columns: list[str]) -> Printed:
    names = tuple(entry.get("columns", columns))
    rows = entry["printed"].items()
    figures = {row: cells if isinstance(cells, dict) else _row(names, cells) for row, cells in rows}
    errors = {at: error for e in entry.get("errors", ()) for at, error in _known_errors(e)}
    return Printed(paper, key, entry, names, figures, errors)


def _row(columns: tuple[str, ...], figures: list[str]) -> dict[str, str]:
    return dict(zip(columns[len(columns) - len(figures) :], figures, strict=True))


def _known_errors(entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], KnownError]]:
    """Cells of an entry: `{row: {column: right figure}}`, or `{row: [columns]}` without figures."""
    for row, cells in entry["cells"].items():
        for column in cells:
            right = cells[column] if isinstance(cells, dict) else None
            reason = _one_line(entry["reason"])
            yield (row, column), KnownError(entry["verdict"].upper(), reason, right)


def _one_line(text: str) -> str:
    return " ".join(text.split())
