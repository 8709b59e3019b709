"""Which items the numbers on a page stand for, and the items that it shows for them.

A page holds every item once: its id, its text, and its classes by gold and by the systems. A cell
that counts items has an attribute of conditions, separated by spaces, by which the script of the
page finds them: ``n,12`` (there are 12), ``g,0,0`` (gold from class 0 to class 0), ``p,1,2,2``
(system 1 predicts class 2), ``d,1,-1,-1`` (its prediction is one class below gold), ``c,0,1``
(system 0 is closer to gold than system 1), ``s,1`` (show the predictions of system 1). On pages of
raters, who take the place of systems, there are also ``r,1`` (rater 1 rated the item), ``o,1`` (and
so did another person), ``q,0`` (it belongs to part 0 of the data) and ``i,7`` (it is item 7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..examples import LONGEST_SCALE, MOST_CLASSES, Examples, RatedExamples
from ..formatting import one_line, running, shorten
from ..plot.heatmaps import Grid, confusion_grid
from ..results import Result
from ..scale import class_groups
from ..table import Cell, Heading, Table
from ..types import Floats

MEDIAN = "median of people"
_MOST_COLUMNS = 12  # raters whose ratings are all listed with an item
_SHORT_TEXT = 160  # characters of a text in a table
_LONGEST_NAME = 16  # in the corner of a table
_COUNTED = {"support": "g,{0},{0} s,{1}", "predicted": "p,{1},{0},{0}"}


@dataclass(frozen=True)
class Openings:
    """The conditions of cells, by the names of systems as the page shows them.

    Parameters
    ----------
    examples : Examples, optional
        The items; without them no cell opens.
    systems : tuple of str
        Their systems, as the page shows them.
    labels : tuple of str
        The classes.
    weighted : bool
        Whether the numbers are sums of weights.
    """

    examples: Examples | None = None
    systems: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    weighted: bool = False

    @classmethod
    def of(cls, given: Result, shown: Result) -> "Openings":
        """Return the openings of a result; `shown` is the same one with the names on the page."""
        found = given.examples
        if found is None or given.tables is None:
            return cls()
        names = tuple(shown.scores.systems[given.scores.place(s)] for s in found.systems)
        weighted = bool(given.about.get("sample_weight"))
        return cls(found, names, tuple(map(str, shown.scores.scale.labels)), weighted)

    @property
    def data(self) -> dict[str, Any] | None:
        """What the page holds of the items."""
        if self.examples is None:
            return None
        gold, *predictions = self.examples.labels.tolist()
        return {
            "labels": self.labels,
            "systems": self.systems,
            "ids": [one_line(id) for id in self.examples.ids],
            "texts": self.examples.texts,
            "gold": gold,
            "pred": predictions,
            "most": self.examples.per_cell,
            "weighted": self.weighted,
        }

    def _place(self, system: str, *, by_prediction: bool = True) -> int | None:
        """Return the place of a system; None if no items were chosen for what is asked."""
        if by_prediction and len(self.labels) > LONGEST_SCALE:
            return None
        return self.systems.index(system) if system in self.systems else None

    def confusion(self, counts: Floats, system: str) -> Grid | None:
        """Return a confusion matrix whose cells open items; a long scale is in groups of classes.

        None if no cell of it would open anything.
        """
        place = self._place(system)
        if place is None:
            return None
        grid = confusion_grid(counts, self.labels, system, MOST_CLASSES)
        _, ranges = _ranges(self.labels)
        return _with_conditions(grid, ranges, "g,{0},{1}", f"p,{place},{{0}},{{1}}")

    def classes(self, table: Table, system: str) -> Table:
        """Return figures per class of which the numbers of items open items."""
        place = self._place(system, by_prediction=False)
        names = [heading.text for heading in table.headings]
        of_class = {label: i for i, label in enumerate(self.labels)}
        rows = [list(row) for row in table.rows]
        for name, conditions in _COUNTED.items():
            known = place is not None if name == "support" else self._place(system) is not None
            if name not in names or not known:
                continue
            column = names.index(name)
            for row in rows:
                label = of_class[row[0].text]
                row[column] = _opening(row[column], conditions.format(label, place))
        return replace(table, rows=tuple(map(tuple, rows)))

    def distance(self, system: str, low: int, high: int, number: str) -> str:
        """Return the conditions of the items whose predictions are so many classes from gold."""
        place = self._place(system)
        return "" if place is None else f"n,{_bare(number)} d,{place},{low},{high}"

    def gold(self, labels: Sequence[Any]) -> list[str]:
        """Return the conditions of gold classes, or of groups of classes of a long scale."""
        if self.examples is None:
            return [""] * len(class_groups(labels)[0])
        _, starts = class_groups(labels)
        ends = [*(int(start) - 1 for start in starts[1:]), len(labels) - 1]
        return [f"g,{start},{end}" for start, end in zip(starts, ends, strict=True)]

    def closer(self, reference: str, system: str) -> tuple[Cell, Cell] | None:
        """Return on how many items each of two systems is closer to gold; None if not known."""
        one, other = self._place(reference), self._place(system)
        known = self.examples is not None and self.examples.closer is not None
        if not known or one != 0 or other is None:
            return None
        assert self.examples is not None
        assert self.examples.closer is not None
        numbers = [float(n) for n in self.examples.closer[other - 1]]
        cells = (Cell(f"{n:,.0f}" if n == round(n) else f"{n:,.1f}", n) for n in numbers)
        first, second = cells
        return _opening(first, f"c,0,{other}"), _opening(second, f"c,{other},0")


NO_OPENINGS = Openings()
"""What pages without texts have."""


@dataclass(frozen=True)
class RaterOpenings:
    """The conditions of cells on pages of raters.

    Parameters
    ----------
    examples : RatedExamples, optional
        The items; without them no cell opens.
    names : mapping of str to str
        The raters as the page shows them, by their names in the data.
    labels : tuple of str
        The classes.
    """

    examples: RatedExamples | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = ()

    @property
    def raters(self) -> tuple[str, ...]:
        """The raters as the page shows them."""
        found = () if self.examples is None else self.examples.raters
        return tuple(self.names.get(name, one_line(name)) for name in found)

    @property
    def _ids(self) -> list[str]:
        return [] if self.examples is None else [one_line(id) for id in self.examples.ids]

    @property
    def data(self) -> dict[str, Any] | None:
        """What the page holds of the items."""
        if self.examples is None:
            return None
        found = self.examples
        return {
            "labels": self.labels,
            "systems": self.raters,
            "ids": self._ids,
            "texts": found.texts,
            "gold": None if found.median is None else found.median.tolist(),
            "reference": MEDIAN,
            "verb": "gives",
            "pred": found.codes.tolist(),
            "people": found.people,
            "every": len(found.raters) <= _MOST_COLUMNS,
            "parts": [places.tolist() for places in found.parts.values()],
            "part_names": [one_line(name) for name in found.parts],
            "most": found.per_cell,
            "weighted": False,
        }

    def of_raters(self, table: Table) -> Table:
        """Return the raters one by one, whose numbers of items open items."""
        raters = {name: i for i, name in enumerate(self.raters)}
        conditions = {"items": "r,{0}", "shared": "r,{0} o,{0}"}
        return self._opened(table, raters, conditions)

    def of_people(self, table: Table, model: str) -> Table:
        """Return people beside a model, whose numbers of items open items."""
        raters = {name: i for i, name in enumerate(self.raters)}
        if model not in raters:
            return table
        return self._opened(table, raters, {"items": f"r,{raters[model]} r,{{0}} o,{{0}}"})

    def of_parts(self, table: Table) -> Table:
        """Return parts of the data, whose numbers of items open items."""
        names = [] if self.examples is None else map(one_line, self.examples.parts)
        return self._opened(table, {name: i for i, name in enumerate(names)}, {"items": "q,{0}"})

    def _opened(
        self, table: Table, places: Mapping[str, int], conditions: Mapping[str, str]
    ) -> Table:
        """Return a table whose columns of numbers open items; the first column names the rows."""
        headings = [heading.text for heading in table.headings]
        rows = [list(row) for row in table.rows]
        for name, condition in conditions.items():
            for row in rows:
                place = places.get(row[0].text)
                if place is not None and name in headings:
                    column = headings.index(name)
                    row[column] = _opening(row[column], condition.format(place))
        return replace(table, rows=tuple(map(tuple, rows)))

    def of_items(self, table: Table | None) -> Table | None:
        """Return items one by one with their texts; their names open the whole texts."""
        if table is None or self.examples is None:
            return table
        column = [heading.text for heading in table.headings].index("item")
        places = {id: i for i, id in enumerate(self._ids)}
        rows = []
        for row in table.rows:
            place = places.get(row[column].text)
            cells = [*row, Cell("" if place is None else self._brief(place))]
            if place is not None:
                cells[column] = replace(row[column], opens=f"n,1 i,{place}")
            rows.append(tuple(cells))
        return replace(table, headings=(*table.headings, Heading("text")), rows=tuple(rows))

    def _brief(self, place: int) -> str:
        assert self.examples is not None
        text = running(self.examples.texts[place])
        return text if len(text) <= _SHORT_TEXT else f"{text[:_SHORT_TEXT].rstrip()} …"

    def tables(self) -> list[Grid]:
        """Return how often two raters, or the median of people and a model, gave which classes."""
        if self.examples is None:
            return []
        raters = dict(zip(self.examples.raters, self.raters, strict=True))
        return [
            self._table(raters.get(first, ""), raters[second], counts)
            for (first, second), counts in self.examples.tables.items()
        ]

    @property
    def tables_note(self) -> str:
        """What the tables are about, and whether they are all."""
        if self.examples is None:
            return ""
        shown, several = len(self.examples.tables), len(self.raters)
        if self.examples.median is not None:
            models = several - self.examples.people
            more = f"; {shown} of {models} models" if shown < models else ""
            return f"models beside the {MEDIAN}{more}"
        pairs = several * (several - 1) // 2
        return f"the {shown} pairs that agree least" if shown < pairs else "every pair of raters"

    def _table(self, first: str, second: str, counts: Any) -> Grid:
        groups, ranges = _ranges(self.labels)
        given = f"p,{self.raters.index(first)},{{0}},{{1}}" if first else "g,{0},{1}"
        own = f"p,{self.raters.index(second)},{{0}},{{1}}"
        grid = _with_conditions(confusion_grid(counts, groups, ""), ranges, given, own)
        rows = ((name, tuple(replace(t, under="") for t in tiles)) for name, tiles in grid.rows)
        whom, corner = first or MEDIAN, shorten(first or "median", _LONGEST_NAME)
        return replace(
            grid,
            label=f"{whom} and {second}, class by class",
            caption=f"Items by the classes of {whom if first else f'the {whom}'} and of {second}",
            corner=f"{corner} ↓ {shorten(second, _LONGEST_NAME)} →",
            rows=tuple(rows),
        )


def _ranges(labels: Sequence[Any]) -> tuple[list[str], list[tuple[int, int]]]:
    """Return groups of classes of a long scale, and the first and the last class of each."""
    groups, starts = class_groups(labels, MOST_CLASSES)
    ends = [*(int(start) - 1 for start in starts[1:]), len(labels) - 1]
    return groups, [(int(start), end) for start, end in zip(starts, ends, strict=True)]


def _with_conditions(
    grid: Grid, ranges: Sequence[tuple[int, int]], of_row: str, of_column: str
) -> Grid:
    """Return a table whose numbers open items, by the classes of its rows and columns."""
    rows = []
    for (name, tiles), row in zip(grid.rows, ranges, strict=True):
        given = of_row.format(*row)
        opened = (
            replace(t, opens=f"n,{_bare(t.text)} {given} {of_column.format(*column)}")
            if t.text != "0"
            else t
            for t, column in zip(tiles, ranges, strict=True)
        )
        rows.append((name, tuple(opened)))
    return replace(grid, rows=tuple(rows))


def _opening(cell: Cell, conditions: str) -> Cell:
    return replace(cell, opens=f"n,{_bare(cell.text)} {conditions}")


def _bare(number: str) -> str:
    """Return a number without separators, which would divide conditions."""
    return number.replace(",", "")
