"""Exhibits in the layout of the papers: ours above the printed figure in every cell."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup, escape

from ..errors import InputError
from ..measures.spec import parse_measure
from ..plot.heatmaps import Grid, Tile
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


@dataclass(frozen=True)
class Layout:
    """How a paper spells names, and how the table of an exhibit looks in it.

    Parameters
    ----------
    names : mapping of str to str
        Rows, columns and parts as the paper prints them; ``^{}`` is raised and ``_{}`` lowered.
    corner : str
        The heading of the rows.
    heads : sequence
        Lines above the columns: names, and the number of columns of each.
    groups : mapping of str to str
        Names above rows, by the first row of each.
    signs : mapping of str to str
        What the paper prints for words.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    corner: str = "row"
    heads: Sequence[Sequence[tuple[str, int]]] = ()
    groups: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, exhibit: Exhibit) -> "Layout":
        """Return the layout of an exhibit."""
        names = exhibit.layout.get("names", {})
        spelled = {_measure(name): text for name, text in names.items()}
        return cls(**{**exhibit.layout, "names": spelled})

    def named(self, names: Iterable[str]) -> list[str]:
        """Return names as the paper spells them, or symbols of measures; none two times."""
        given = list(names)
        found = [self._name(name) for name in given]
        times = Counter(found)
        return [
            spelled if times[spelled] == 1 else name
            for name, spelled in zip(given, found, strict=True)
        ]

    def _name(self, name: str) -> str:
        if (text := self.names.get(_measure(name))) is not None:
            return raised(text)
        if name.partition(" (")[0] in self.names:
            return self.part(name)
        try:
            return parse_measure(name).short
        except InputError:
            return name

    def part(self, name: str) -> str:
        """Return the name of a part, which may say in parentheses what data ours come from."""
        bare, found, data = name.partition(" (")
        return f"{self.names.get(bare, bare)}{found}{data}"


def raised(text: str) -> Markup:
    """Return a name with raised and lowered parts as HTML.

    >>> raised("OC^{1}_{β1}")
    Markup('OC<sup>1</sup><sub>β1</sub>')
    """
    shown = re.sub(r"\^\{(.*?)\}", r"<sup>\1</sup>", str(escape(text)))
    return Markup(re.sub(r"_\{(.*?)\}", r"<sub>\1</sub>", shown))


def _measure(name: str) -> str:
    """Return a measure in full, and any other name as it is."""
    try:
        return str(parse_measure(name))
    except InputError:
        return name


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
    parts: dict[str, dict[tuple[str, str], Comparison]] = {}
    for c in exhibit.comparisons:
        part, row = _divided(c.row, exhibit)
        parts.setdefault(part, {})[row, c.column] = c
    texts = (cell.text for pair in shown.values() for cell in pair)
    columns = {c.column for c in exhibit.comparisons}
    figures = sum(map(len, parts.values()))
    made = [_grid(exhibit, part, _whole_in_rows(found), shown) for part, found in parts.items()]
    cells = sum(len(grid.rows) * len(grid.columns) for grid in made)
    is_table = len(columns) > 1 and figures >= max(_SPARSE * cells, _FEWEST * len(made))
    return made if is_table and all(len(text) <= _LONGEST for text in texts) else []


def _divided(row: str, exhibit: Exhibit) -> tuple[str, str]:
    """Return the part of a table that a row belongs to, and the rest of its name."""
    parts = {c.row.partition(": ")[0] for c in exhibit.comparisons if ": " in c.row}
    if row in parts:
        return row, _WHOLE
    part, found, rest = row.partition(": ")
    return (part, rest) if found else ("", row)


def _whole_in_rows(
    places: Mapping[tuple[str, str], Comparison],
) -> dict[tuple[str, str], Comparison]:
    """Return figures of a part as a whole as rows, if no other row has such a column."""
    columns = [column for row, column in places if row != _WHOLE]
    return {
        (column, columns[0]) if row == _WHOLE and columns and column not in columns else at: c
        for at, c in places.items()
        for row, column in [at]
    }


def _grid(
    exhibit: Exhibit,
    part: str,
    places: Mapping[tuple[str, str], Comparison],
    shown: Mapping[Comparison, tuple[Cell, Cell]],
) -> Grid:
    layout = Layout.of(exhibit)
    rows, columns = (list(dict.fromkeys(names)) for names in zip(*places, strict=True))
    tiles = {at: _tile(c, *shown[c], layout.signs) for at, c in places.items()}
    name = layout.part(part)
    spans = {sum(number for _, number in line) for line in layout.heads}
    groups = {rows.index(row): text for row, text in layout.groups.items() if row in rows}
    return Grid(
        f"{exhibit.title}{f': {name}' if part else ''}",
        f"{name}: ours above the printed figure" if part else "Ours above the printed figure",
        layout.corner,
        tuple(layout.named(columns)),
        tuple(
            (name, tuple(tiles.get((row, column), Tile("")) for column in columns))
            for name, row in zip(layout.named(rows), rows, strict=True)
        ),
        heads=tuple(map(_head, layout.heads)) if spans == {len(columns)} else (),
        groups=groups,
    )


def _head(line: Sequence[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    return tuple((name, number) for name, number in line)


def _tile(c: Comparison, ours: Cell, printed: Cell, signs: Mapping[str, str]) -> Tile:
    mark = MARKS.get(c.verdict, "")
    kind = "loss" if c.verdict.fails else "over" if mark and c.verdict is not Verdict.NONE else ""
    of_us, of_paper = (signs.get(cell.text, cell.text) or "–" for cell in (ours, printed))
    hint = "; ".join(filter(None, (c.verdict.value, c.reason)))
    return Tile(f"{of_us} {mark}".strip(), of_paper, 0.4 if kind == "over" else 0.0, kind, hint)


def legend(exhibit: Exhibit) -> str:
    """Return what the marks of an exhibit mean; empty without marks."""
    verdicts: dict[str, list[str]] = {}
    for verdict, mark in MARKS.items():
        if exhibit.tally[verdict]:
            verdicts.setdefault(mark, []).append(verdict.value)
    return ", ".join(f"{mark} {' or '.join(found)}" for mark, found in verdicts.items())
