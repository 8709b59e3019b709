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
from itertools import pairwise
from typing import Any

from ..data.examples import LONGEST_SCALE, MOST_CLASSES
from ..data.scale import class_groups
from ..formatting import one_line, running, shorten
from ..results import Agreement, Judgement, Result
from ..types import Floats
from .figures import Grid, Tile
from .result_figures import confusion_grid

MEDIAN = "median of people"
_MOST_COLUMNS = 12  # raters whose ratings are all listed with an item
_SHORT_TEXT = 160  # characters of a text in a table
_LONGEST_NAME = 16  # in the corner of a table


def class_ranges(labels: Sequence[Any], most: int = MOST_CLASSES) -> list[tuple[int, int]]:
    """Return the first and the last class of each group of classes of a long scale."""
    starts = [*map(int, class_groups(labels, most)[1]), len(labels)]
    return [(start, end - 1) for start, end in pairwise(starts)]


@dataclass(frozen=True)
class Openings:
    """The items of a page, of which cells open those that meet their conditions.

    `names` are the systems or raters; `more` is what the page holds besides ids and texts.
    """

    examples: Any = None
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    by_prediction: bool = True
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_result(cls, result: Result) -> "Openings":
        """Return the openings of a result."""
        examples, labels = result.examples, _lines(result.scores.scale.labels)
        if examples is None or result.tables is None:
            return cls()
        gold, *pred = examples.labels.tolist()
        more = {"pred": pred, "weighted": bool(result.about.get("weight")), "gold": gold}
        return cls(examples, examples.systems, labels, len(labels) <= LONGEST_SCALE, more)

    @classmethod
    def of_raters(cls, result: Agreement | Judgement) -> "Openings":
        """Return the openings of an agreement or a judgement."""
        examples = result.examples
        if examples is None:
            return cls()
        more = {
            "pred": examples.codes.tolist(),
            "gold": None if examples.median is None else examples.median.tolist(),
            "reference": MEDIAN,
            "verb": "gives",
            "people": examples.people,
            "every": len(examples.raters) <= _MOST_COLUMNS,
            "parts": [places.tolist() for places in examples.parts.values()],
            "part_names": _lines(examples.parts),
        }
        return cls(examples, examples.raters, _lines(result.scale.labels), more=more)

    def data(self) -> dict[str, Any] | None:
        """Return what the page holds of the items."""
        examples = self.examples
        if examples is None:
            return None
        names = {"labels": self.labels, "systems": _lines(self.names), "ids": _lines(examples.ids)}
        return {**names, "texts": examples.texts, "most": examples.per_cell, **self.more}

    def opens(self, count: float, conditions: str, *names: str, among: str = "") -> str:
        """Return the conditions of a cell, in which braces stand for the places of names.

        `among` is the kind of the names, "parts" or "ids", if they are not systems or raters. A
        cell opens nothing without items, or if a name is not known.
        """
        known = tuple(getattr(self.examples, among)) if among and self.examples else self.names
        by_prediction = "p," in conditions or "d," in conditions
        hidden = self.examples is None or (by_prediction and not self.by_prediction)
        if hidden or not set(names) <= set(known):
            return ""
        return f"n,{count:.10g} {conditions.format(*map(known.index, names))}"

    def closer(self, reference: str, system: str) -> tuple[tuple[float, str], ...]:
        """Return on how many items each of two systems is closer to gold; empty if not known."""
        known = self.examples is not None and self.examples.closer is not None
        if not known or reference != self.names[0] or not self.opens(0, "p,{}", system):
            return ()
        one, other = self.examples.closer[self.names.index(system) - 1].tolist()
        return (
            (one, self.opens(one, "c,{},{}", reference, system)),
            (other, self.opens(other, "c,{},{}", system, reference)),
        )

    def text(self, id: str) -> str:
        """Return the beginning of the text of an item."""
        ids = () if self.examples is None else self.examples.ids
        text = running(self.examples.texts[ids.index(id)]) if id in ids else ""
        return text if len(text) <= _SHORT_TEXT else f"{text[:_SHORT_TEXT].rstrip()} …"

    def confusion(self, grid: Grid, *names: str) -> Grid:
        """Return a confusion matrix whose numbers open items: of gold or a rater, and another."""
        ranges = class_ranges(self.labels)
        row = "p,{{}},{},{}" if len(names) > 1 else "g,{},{}"

        def opened(tile: Tile, own: tuple[int, int], column: tuple[int, int]) -> Tile:
            conditions = f"{row.format(*own)} p,{{}},{column[0]},{column[1]}"
            count = float(tile.text.replace(",", ""))
            return replace(tile, opens=self.opens(count, conditions, *names)) if count else tile

        if not self.opens(0, "p,{}", names[-1]):
            return grid
        rows = tuple(
            (name, tuple(opened(t, own, column) for t, column in zip(tiles, ranges, strict=True)))
            for (name, tiles), own in zip(grid.rows, ranges, strict=True)
        )
        return replace(grid, rows=rows)

    def tables(self) -> list[Grid]:
        """Return how often two raters, or the median of people and a model, gave which classes."""
        tables = {} if self.examples is None else self.examples.tables
        groups, _ = class_groups(self.labels, MOST_CLASSES)
        return [self.table(first, second, n, groups) for (first, second), n in tables.items()]

    def table(self, first: str, second: str, counts: Floats, labels: Sequence[Any]) -> Grid:
        """Return how often two raters gave which classes; one without a name is the median."""
        whom, other = one_line(first) or MEDIAN, one_line(second)
        title = f"{whom} and {other}, class by class{', in weights' * bool((counts % 1).any())}"
        grid = confusion_grid(counts, labels, title, MOST_CLASSES)
        grid = self.confusion(grid, *([first] if first else []), second)
        corner = f"{shorten(whom, _LONGEST_NAME)} ↓ {shorten(other, _LONGEST_NAME)} →"
        rows = ((name, tuple(replace(t, under="") for t in tiles)) for name, tiles in grid.rows)
        return replace(grid, caption="", corner=corner, rows=tuple(rows))


NOTHING = Openings()  # of a view whose numbers open no items


def _lines(texts: Any) -> tuple[str, ...]:
    return tuple(one_line(str(text)) for text in texts)
