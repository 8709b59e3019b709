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
from .figures import Grid, Tile
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


@dataclass(frozen=True)
class _Held:
    """The items of a page, of which cells open those that meet their conditions."""

    examples: Any = None
    labels: tuple[str, ...] = ()
    weighted: bool = False

    def _data(self, names: Sequence[str], predictions: Any, **more: Any) -> dict[str, Any]:
        """Return what the page holds of the items."""
        return {
            "labels": self.labels,
            "systems": [one_line(name) for name in names],
            "ids": [one_line(id) for id in self.examples.ids],
            "texts": self.examples.texts,
            "pred": predictions.tolist(),
            "most": self.examples.per_cell,
            "weighted": self.weighted,
            **more,
        }


def _opened(count: float, *conditions: str) -> str:
    """Return the conditions of a cell that counts so many items; none if one is not known."""
    return f"n,{count:.10g} {' '.join(conditions)}" if all(conditions) else ""


@dataclass(frozen=True)
class Openings(_Held):
    """The conditions of the cells of a result; without items, no cell opens anything."""

    @classmethod
    def of(cls, result: Result) -> "Openings":
        """Return the openings of a result."""
        if result.examples is None or result.tables is None:
            return cls()
        labels = tuple(one_line(str(label)) for label in result.scores.scale.labels)
        return cls(result.examples, labels, bool(result.about.get("weight")))

    def data(self) -> dict[str, Any] | None:
        """Return what the page holds of the items."""
        held: Examples | None = self.examples
        if held is None:
            return None
        return self._data(held.systems, held.labels[1:], gold=held.labels[0].tolist())

    def _of(self, condition: str, system: str, *, by_prediction: bool = True) -> str:
        """Return a condition with the place of a system; empty if no items were chosen for it."""
        long = by_prediction and len(self.labels) > LONGEST_SCALE
        if self.examples is None or long or system not in self.examples.systems:
            return ""
        return condition.format(self.examples.systems.index(system))

    def confusion(self, grid: Grid, system: str) -> Grid:
        """Return a confusion matrix of groups of classes whose cells open items."""
        predicted = self._of("p,{},{{0}},{{1}}", system)
        return opened_grid(grid, self.labels, "g,{0},{1}", predicted) if predicted else grid

    def support(self, system: str, label: int, count: float) -> str:
        """Return the conditions of the gold items of a class."""
        shown = self._of("s,{}", system, by_prediction=False)
        return _opened(count, f"g,{label},{label}", shown)

    def predicted(self, system: str, label: int, count: float) -> str:
        """Return the conditions of the items for which a system predicts a class."""
        return _opened(count, self._of(f"p,{{}},{label},{label}", system))

    def distance(self, system: str, low: int, high: int, count: float) -> str:
        """Return the conditions of the items whose predictions are so many classes from gold."""
        return _opened(count, self._of(f"d,{{}},{low},{high}", system))

    def gold(self, low: int, high: int, count: float) -> str:
        """Return the conditions of gold classes."""
        return _opened(count, "" if self.examples is None else f"g,{low},{high}")

    def closer(self, reference: str, system: str) -> tuple[tuple[float, str], ...]:
        """Return on how many items each of two systems is closer to gold; empty if not known."""
        one, other = self._of("{}", reference), self._of("{}", system)
        if self.examples is None or self.examples.closer is None or one != "0" or not other:
            return ()
        counts = self.examples.closer[int(other) - 1].tolist()
        conditions = (f"c,0,{other}", f"c,{other},0")
        return tuple((n, _opened(n, c)) for n, c in zip(counts, conditions, strict=True))


@dataclass(frozen=True)
class RatedOpenings(_Held):
    """The conditions of cells on pages of raters."""

    def data(self) -> dict[str, Any] | None:
        """Return what the page holds of the items."""
        held: RatedExamples | None = self.examples
        if held is None:
            return None
        return self._data(
            held.raters,
            held.codes,
            gold=None if held.median is None else held.median.tolist(),
            reference=MEDIAN,
            verb="gives",
            people=held.people,
            every=len(held.raters) <= _MOST_COLUMNS,
            parts=[places.tolist() for places in held.parts.values()],
            part_names=[one_line(name) for name in held.parts],
        )

    def _of(self, condition: str, kind: str, name: str) -> str:
        """Return a condition with the place of a rater, a part or an item; empty if not known."""
        names = () if self.examples is None else tuple(getattr(self.examples, kind))
        return condition.format(names.index(name)) if name in names else ""

    def rated(self, rater: str, count: float, *, shared: bool = False, beside: str = "") -> str:
        """Return the conditions of the items of a rater: all, those shared, or those of a model."""
        own, others = (self._of(condition, "raters", rater) for condition in ("r,{}", "o,{}"))
        model = [self._of("r,{}", "raters", beside)] if beside else []
        return _opened(count, *model, own, *([others] if shared or beside else []))

    def part(self, name: str, count: float) -> str:
        """Return the conditions of the items of a part of the data."""
        return _opened(count, self._of("q,{}", "parts", name))

    def item(self, id: str) -> str:
        """Return the conditions of one item."""
        return _opened(1, self._of("i,{}", "ids", id))

    def text(self, id: str) -> str:
        """Return the beginning of the text of an item."""
        place = self._of("{}", "ids", id)
        text = running(self.examples.texts[int(place)]) if place else ""
        return text if len(text) <= _SHORT_TEXT else f"{text[:_SHORT_TEXT].rstrip()} …"

    def tables(self) -> list[Grid]:
        """Return how often two raters, or the median of people and a model, gave which classes."""
        tables = {} if self.examples is None else self.examples.tables
        return [self._table(first, second, n) for (first, second), n in tables.items()]

    def _table(self, first: str, second: str, counts: Floats) -> Grid:
        groups, _ = class_groups(self.labels, MOST_CLASSES)
        given = "p,{},{{0}},{{1}}"
        own, gold = self._of(given, "raters", second), self._of(given, "raters", first)
        whom, other = one_line(first) or MEDIAN, one_line(second)
        grid = confusion_grid(counts, groups, f"{whom} and {other}, class by class")
        grid = opened_grid(grid, self.labels, gold if first else "g,{0},{1}", own)
        corner = f"{shorten(whom, _LONGEST_NAME)} ↓ {shorten(other, _LONGEST_NAME)} →"
        rows = ((name, tuple(replace(t, under="") for t in tiles)) for name, tiles in grid.rows)
        return replace(grid, caption="", corner=corner, rows=tuple(rows))


def opened_grid(grid: Grid, labels: Sequence[str], of_row: str, of_column: str) -> Grid:
    """Return a grid whose numbers open items, by the classes of its rows and columns."""
    ranges = class_ranges(labels)

    def opened(tile: Tile, row: tuple[int, int], column: tuple[int, int]) -> Tile:
        conditions = f"{of_row.format(*row)} {of_column.format(*column)}"
        opens = f"n,{tile.text.replace(',', '')} {conditions}"
        return tile if tile.text == "0" else replace(tile, opens=opens)

    rows = tuple(
        (name, tuple(opened(t, own, column) for t, column in zip(tiles, ranges, strict=True)))
        for (name, tiles), own in zip(grid.rows, ranges, strict=True)
    )
    return replace(grid, rows=rows)
