"""Which items the numbers on a page stand for, and the items that it shows for them.

A page holds every item once: its id, its text, and its classes by gold and by the systems. A cell
that counts items has an attribute of conditions, separated by spaces, by which the script of the
page finds them: ``n,12`` (there are 12), ``g,0,0`` (gold from class 0 to class 0), ``p,1,2,2``
(system 1 predicts class 2), ``d,1,-1,-1`` (its prediction is one class below gold), ``c,0,1``
(system 0 is closer to gold than system 1), ``s,1`` (show the predictions of system 1). On pages of
raters, who take the place of systems, there are also ``r,1`` (rater 1 rated the item), ``o,1`` (and
so did another person), ``q,0`` (it belongs to part 0 of the data) and ``i,7`` (it is item 7).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..data.examples import LONGEST_SCALE, MOST_CLASSES, Examples, RatedExamples
from ..data.scale import class_groups
from ..formatting import one_line, running, shorten
from ..results import Result
from ..types import Floats
from .figures import Grid
from .result_figures import confusion_grid

MEDIAN = "median of people"
_MOST_COLUMNS = 12  # raters whose ratings are all listed with an item
_SHORT_TEXT = 160  # characters of a text in a table
_LONGEST_NAME = 16  # in the corner of a table


def class_ranges(labels: Sequence[Any], most: int = MOST_CLASSES) -> list[tuple[int, int]]:
    """Return the first and the last class of each group of classes of a long scale."""
    _, starts = class_groups(labels, most)
    return [
        (int(start), int(end) - 1)
        for start, end in zip(starts, [*starts[1:], len(labels)], strict=True)
    ]


def number(value: float) -> str:
    """Return the condition that tells how many items there are."""
    return f"n,{value:.10g}"


@dataclass(frozen=True)
class Openings:
    """The conditions of the cells of a result; without items, no cell opens anything."""

    examples: Examples | None = None
    labels: tuple[str, ...] = ()
    weighted: bool = False

    @classmethod
    def of(cls, result: Result) -> "Openings":
        """Return the openings of a result."""
        if result.examples is None or result.tables is None:
            return cls()
        labels = tuple(one_line(str(label)) for label in result.scores.scale.labels)
        return cls(result.examples, labels, bool(result.about.get("weight")))

    def data(self) -> dict[str, Any] | None:
        """Return what the page holds of the items."""
        if self.examples is None:
            return None
        gold, *predictions = self.examples.labels.tolist()
        return {
            "labels": self.labels,
            "systems": [one_line(name) for name in self.examples.systems],
            "ids": [one_line(id) for id in self.examples.ids],
            "texts": self.examples.texts,
            "gold": gold,
            "pred": predictions,
            "most": self.examples.per_cell,
            "weighted": self.weighted,
        }

    def place(self, system: str, *, by_prediction: bool = True) -> int | None:
        """Return the place of a system; None if no items were chosen for what is asked."""
        long = by_prediction and len(self.labels) > LONGEST_SCALE
        if self.examples is None or long or system not in self.examples.systems:
            return None
        return self.examples.systems.index(system)

    def confusion(self, grid: Grid, system: str) -> Grid:
        """Return a confusion matrix of groups of classes whose cells open items."""
        place = self.place(system)
        if place is None:
            return grid
        return opened_grid(grid, class_ranges(self.labels), "g,{0},{1}", f"p,{place},{{0}},{{1}}")

    def support(self, system: str, label: int, count: float) -> str:
        """Return the conditions of the gold items of a class."""
        place = self.place(system, by_prediction=False)
        return "" if place is None else f"{number(count)} g,{label},{label} s,{place}"

    def predicted(self, system: str, label: int, count: float) -> str:
        """Return the conditions of the items for which a system predicts a class."""
        place = self.place(system)
        return "" if place is None else f"{number(count)} p,{place},{label},{label}"

    def distance(self, system: str, low: int, high: int, count: float) -> str:
        """Return the conditions of the items whose predictions are so many classes from gold."""
        place = self.place(system)
        return "" if place is None else f"{number(count)} d,{place},{low},{high}"

    def gold(self, low: int, high: int, count: float) -> str:
        """Return the conditions of gold classes."""
        return "" if self.examples is None else f"{number(count)} g,{low},{high}"

    def closer(self, reference: str, system: str) -> tuple[tuple[float, str], ...]:
        """Return on how many items each of two systems is closer to gold; empty if not known."""
        one, other = self.place(reference), self.place(system)
        if self.examples is None or self.examples.closer is None or one != 0 or not other:
            return ()
        counts = [float(n) for n in self.examples.closer[other - 1]]
        conditions = (f"c,0,{other}", f"c,{other},0")
        return tuple((n, f"{number(n)} {c}") for n, c in zip(counts, conditions, strict=True))


@dataclass(frozen=True)
class RatedOpenings:
    """The conditions of cells on pages of raters."""

    examples: RatedExamples | None = None
    labels: tuple[str, ...] = ()

    def data(self) -> dict[str, Any] | None:
        """Return what the page holds of the items."""
        held = self.examples
        if held is None:
            return None
        return {
            "labels": self.labels,
            "systems": [one_line(name) for name in held.raters],
            "ids": [one_line(id) for id in held.ids],
            "texts": held.texts,
            "gold": None if held.median is None else held.median.tolist(),
            "reference": MEDIAN,
            "verb": "gives",
            "pred": held.codes.tolist(),
            "people": held.people,
            "every": len(held.raters) <= _MOST_COLUMNS,
            "parts": [places.tolist() for places in held.parts.values()],
            "part_names": [one_line(name) for name in held.parts],
            "most": held.per_cell,
            "weighted": False,
        }

    def _place(self, name: str) -> int | None:
        raters = () if self.examples is None else self.examples.raters
        return raters.index(name) if name in raters else None

    def rated(self, rater: str, count: float, *, shared: bool = False, beside: str = "") -> str:
        """Return the conditions of the items of a rater: all, those shared, or those of a model."""
        place, model = self._place(rater), self._place(beside)
        if place is None or (beside and model is None):
            return ""
        with_model = f" r,{model}" if beside else ""
        with_others = f" o,{place}" if shared or beside else ""
        return f"{number(count)}{with_model} r,{place}{with_others}"

    def part(self, name: str, count: float) -> str:
        """Return the conditions of the items of a part of the data."""
        parts = [] if self.examples is None else list(self.examples.parts)
        return f"{number(count)} q,{parts.index(name)}" if name in parts else ""

    def item(self, id: str) -> str:
        """Return the conditions of one item."""
        ids = () if self.examples is None else self.examples.ids
        return f"n,1 i,{ids.index(id)}" if id in ids else ""

    def text(self, id: str) -> str:
        """Return the beginning of the text of an item."""
        if self.examples is None or id not in self.examples.ids:
            return ""
        text = running(self.examples.texts[self.examples.ids.index(id)])
        return text if len(text) <= _SHORT_TEXT else f"{text[:_SHORT_TEXT].rstrip()} …"

    def tables(self) -> list[Grid]:
        """Return how often two raters, or the median of people and a model, gave which classes."""
        if self.examples is None:
            return []
        return [self._table(*pair, counts) for pair, counts in self.examples.tables.items()]

    def _table(self, first: str, second: str, counts: Floats) -> Grid:
        groups, _ = class_groups(self.labels, MOST_CLASSES)
        given = f"p,{self._place(first)},{{0}},{{1}}" if first else "g,{0},{1}"
        own = f"p,{self._place(second)},{{0}},{{1}}"
        whom, other = one_line(first) or MEDIAN, one_line(second)
        grid = confusion_grid(counts, groups, f"{whom} and {other}, class by class")
        grid = opened_grid(grid, class_ranges(self.labels), given, own)
        corner = f"{shorten(whom, _LONGEST_NAME)} ↓ {shorten(other, _LONGEST_NAME)} →"
        rows = ((name, tuple(replace(t, under="") for t in tiles)) for name, tiles in grid.rows)
        return replace(grid, caption="", corner=corner, rows=tuple(rows))


def opened_grid(grid: Grid, ranges: Sequence[tuple[int, int]], of_row: str, of_column: str) -> Grid:
    """Return a grid whose numbers open items, by the classes of its rows and columns."""
    rows = []
    for (name, tiles), own in zip(grid.rows, ranges, strict=True):
        opened = [
            replace(
                tile,
                opens=f"n,{tile.text.replace(',', '')} {of_row.format(*own)} "
                f"{of_column.format(*column)}",
            )
            if tile.text != "0"
            else tile
            for tile, column in zip(tiles, ranges, strict=True)
        ]
        rows.append((name, tuple(opened)))
    return replace(grid, rows=tuple(rows))
