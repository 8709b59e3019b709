"""Exhibits in the layout of the papers: ours above the printed figure in every cell."""

from collections import Counter
from collections.abc import Iterable, Mapping

from ..errors import InputError
from ..plot.heatmaps import Grid, Tile
from ..spec import parse_measure
from ..table import Cell
from .study import Comparison, Exhibit, Verdict

MARKS: Mapping[Verdict, str] = {
    Verdict.DIFFERS: "✗",
    Verdict.OUTSIDE: "✗",
    Verdict.MISPRINT: "†",
    Verdict.REFUTED: "‡",
    Verdict.SUSPECTED: "?",
    Verdict.DEPENDS: "§",
    Verdict.NONE: "∘",
}
"""What marks a figure beside its colour; one without a mark agrees or was not computed."""

_SPARSE = 0.35  # of the cells: less is a list of statements, not a table
_FEWEST = 4  # figures of a table, on average
_LONGEST = 24  # characters of a figure; longer ones are statements
_WHOLE = "all"  # what is printed for a part as a whole


def grids_of(exhibit: Exhibit, shown: Mapping[Comparison, tuple[Cell, Cell]]) -> list[Grid]:
    """Return an exhibit as tables of the paper: one, or one for each part of it.

    Parameters
    ----------
    exhibit : Exhibit
        The figures.
    shown : mapping of Comparison to (Cell, Cell)
        Ours and the printed figure, as they are written.

    Returns
    -------
    list of Grid
        The tables; none if the exhibit is a list of statements.
    """
    parts: dict[str, list[tuple[str, Comparison]]] = {}
    for c in exhibit.comparisons:
        part, row = _divided(c.row, exhibit)
        parts.setdefault(part, []).append((row, c))
    grids = [_grid(exhibit, part, found, shown) for part, found in parts.items()]
    texts = (cell.text for pair in shown.values() for cell in pair)
    figures = sum(len(found) for found in parts.values())
    cells = sum(len(grid.rows) * len(grid.columns) for grid in grids)
    columns = {c.column for c in exhibit.comparisons}
    is_table = len(columns) > 1 and figures >= max(_SPARSE * cells, _FEWEST * len(grids))
    return grids if is_table and all(len(text) <= _LONGEST for text in texts) else []


def _divided(row: str, exhibit: Exhibit) -> tuple[str, str]:
    """Return the part of a table that a row belongs to, and the rest of its name."""
    parts = {c.row.partition(": ")[0] for c in exhibit.comparisons if ": " in c.row}
    if row in parts:
        return row, _WHOLE
    part, found, rest = row.partition(": ")
    return (part, rest) if found else ("", row)


def _grid(
    exhibit: Exhibit,
    part: str,
    found: list[tuple[str, Comparison]],
    shown: Mapping[Comparison, tuple[Cell, Cell]],
) -> Grid:
    places = {(row, c.column): c for row, c in found}
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*places, strict=True))
    tiles = {at: _tile(c, *shown[c]) for at, c in places.items()}
    title = f"{exhibit.title}{f': {part}' if part else ''}"
    caption = f"{part}: ours above the printed figure" if part else "Ours above the printed figure"
    return Grid(
        title,
        caption,
        "row",
        tuple(_named(columns)),
        tuple(
            (name, tuple(tiles.get((row, column), Tile("")) for column in columns))
            for name, row in zip(_named(rows), rows, strict=True)
        ),
    )


def _tile(c: Comparison, ours: Cell, printed: Cell) -> Tile:
    mark = MARKS.get(c.verdict, "")
    kind = "loss" if c.verdict.fails else "over" if mark and c.verdict is not Verdict.NONE else ""
    text = " ".join(filter(None, (ours.text or "–", mark)))
    hint = "; ".join(filter(None, (c.verdict.value, c.reason)))
    return Tile(text, printed.text or "–", 0.4 if kind == "over" else 0.0, kind, hint)


def _named(names: Iterable[str]) -> list[str]:
    """Return names with the symbols of measures in place of their ids, unless these collide."""
    given = list(names)
    symbols = [_symbol(name) for name in given]
    times = Counter(symbols)
    return [
        symbol if times[symbol] == 1 else name for name, symbol in zip(given, symbols, strict=True)
    ]


def _symbol(name: str) -> str:
    try:
        return parse_measure(name).short
    except InputError:
        return name


def legend(exhibit: Exhibit) -> str:
    """Return what the marks of an exhibit mean; empty without marks."""
    verdicts: dict[str, list[str]] = {}
    for verdict, mark in MARKS.items():
        if exhibit.tally[verdict]:
            verdicts.setdefault(mark, []).append(verdict.value)
    return ", ".join(f"{mark} {' or '.join(found)}" for mark, found in verdicts.items())
