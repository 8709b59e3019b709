"""The simulated coverage of intervals, by measure, read from the pages of coverage."""

import re
from pathlib import Path

from .worked import Grid

_SHOWN = ("Nearly perfect", "Middling", "Poor", "One class at 1 %")
_TABLE = re.compile(r"<!-- table: (.*?) -->\n\n((?:\|.*\n)+)")


def tables(text: str) -> dict[str, dict[str, dict[str, str]]]:
    """Return the figures of a page: by table, measure and heading of the column."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for name, rows in _TABLE.findall(text):
        headings, _, *lines = map(_cells, rows.splitlines())
        found[name] = {line[0]: dict(zip(headings[1:], line[1:], strict=False)) for line in lines}
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|\n ").split(" | ")]


def coverage_grid(root: Path, name: str) -> Grid | None:
    """Return the coverage of the default interval of a measure; None if it was not simulated."""
    found = tables((root / "docs" / "coverage.md").read_text(encoding="utf-8"))
    known = [(table, found[table][name]) for table in _SHOWN if name in found[table]]
    if known:
        rows = [(table, [x.split(" · ")[0] for x in row.values()]) for table, row in known]
        return Grid(
            "Coverage of 95 % intervals, in per cent", list(known[0][1]), rows, "population"
        )
    if name in found["quantification"]:
        row = found["quantification"][name]
        caption = "Coverage of 95 % intervals over 60 topics, in per cent"
        return Grid(caption, list(row), [("simulated systems", list(row.values()))], "population")
    return _of_raters(root, name)


def _of_raters(root: Path, name: str) -> Grid | None:
    """Return the coverage of a coefficient of raters in every population."""
    found = tables((root / "docs" / "rater-coverage.md").read_text(encoding="utf-8"))
    known = {
        population.capitalize(): rows[name] for population, rows in found.items() if name in rows
    }
    if not known:
        return None
    columns = list(next(iter(known.values())))
    rows = [(population, list(row.values())) for population, row in known.items()]
    return Grid(
        "Coverage of 95 % intervals, three raters, in per cent", columns, rows, "population"
    )
