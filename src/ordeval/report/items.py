"""Which items the numbers on a page stand for, and the items that it shows for them.

A page holds every item once: its id, its text, and its classes by gold and by the systems. A cell
that counts items has an attribute of conditions, separated by spaces, by which the script of the
page finds them: ``n,12`` (there are 12), ``g,0,0`` (gold from class 0 to class 0), ``p,1,2,2``
(system 1 predicts class 2), ``d,1,-1,-1`` (its prediction is one class below gold), ``c,0,1``
(system 0 is closer to gold than system 1), ``s,1`` (show the predictions of system 1).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..class_figures import class_groups
from ..examples import MOST_CLASSES, Examples
from ..formatting import one_line
from ..plot.heatmaps import Grid
from ..results import Result
from ..table import Cell, Table

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
        if by_prediction and len(self.labels) > MOST_CLASSES:
            return None
        return self.systems.index(system) if system in self.systems else None

    def confusion(self, grid: Grid, system: str) -> Grid:
        """Return a confusion matrix whose cells open items."""
        place = self._place(system)
        if place is None:
            return grid
        rows = tuple(
            (
                name,
                tuple(
                    replace(t, opens=f"n,{_bare(t.text)} g,{g},{g} p,{place},{p},{p}")
                    for p, t in enumerate(tiles)
                ),
            )
            for g, (name, tiles) in enumerate(grid.rows)
        )
        return replace(grid, rows=rows)

    def classes(self, table: Table, system: str) -> Table:
        """Return figures per class of which the numbers of items open items."""
        if len(table.rows) != len(self.labels):  # only some classes are shown
            return table
        place = self._place(system, by_prediction=False)
        names = [heading.text for heading in table.headings]
        rows = [list(row) for row in table.rows]
        for name, conditions in _COUNTED.items():
            known = place is not None if name == "support" else self._place(system) is not None
            if name not in names or not known:
                continue
            column = names.index(name)
            for label, row in enumerate(rows):
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


def _opening(cell: Cell, conditions: str) -> Cell:
    return replace(cell, opens=f"n,{_bare(cell.text)} {conditions}")


def _bare(number: str) -> str:
    """Return a number without separators, which would divide conditions."""
    return number.replace(",", "")
