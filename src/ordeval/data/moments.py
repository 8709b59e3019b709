"""Sums over items of gold and predicted numbers: what measures of numbers are functions of.

The sums of a system are an array `[..., 9]`, which takes the place that a table `[..., K, K]` of
counts has for measures of classes: sums of topics and clusters add up, items can be left out, and
exchanging two systems on some units exchanges their sums. No sum depends on the order of rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..types import Array, Codes, Floats, Ints

_CHUNK = 1 << 14  # rows a step: their parts stay in the processor's cache
_DIGITS = 52  # binary digits of a float, less one for the sign of the last part
_FEWEST = 8  # digits of a part
_LEAST = 2.0**-1074  # below there are no digits
SUMS = ("n", "squares", "g", "p", "gg", "pp", "gp", "distance", "error")
_HELD = 1 << 16  # rows whose moments are held at a time


def sums_by_cell(
    amounts: Floats,
    cell: Array | None = None,
    cells: int = 1,
    count: Ints | None = None,
    *,
    squared: bool = False,
) -> Floats:
    """Return the sums of amounts, or of their squares, each taken `count` times, by cell.

    Amounts are split into parts: multiples of a unit that is so coarse that sums of parts are
    exact, in any order.
    """
    items = len(amounts) if count is None else int(count.sum())
    step = 2.0 ** -max(_FEWEST, _DIGITS - items.bit_length())
    largest = max(float(amounts.max()), -float(amounts.min()))
    highest = 2.0 ** int(np.frexp(largest**2 if squared else largest)[1])
    size = max(_CHUNK, cells)
    totals: list[Floats] = []
    for start in range(0, len(amounts), size):
        rows, unit, level = slice(start, start + size), highest, 0
        rest = np.square(amounts[rows]) if squared else amounts[rows].copy()
        while not level or (unit > _LEAST and rest.any()):
            unit = max(unit * step, _LEAST)
            shift = 1.5 * 2.0**_DIGITS * unit  # what makes a sum forget digits below the unit
            part = rest + shift
            part -= shift
            rest -= part
            if level == len(totals):
                totals.append(np.zeros(cells))
            part = part if count is None else part * count[rows]
            totals[level] += part.sum() if cell is None else np.bincount(cell[rows], part, cells)
            level += 1
    return np.asarray(sum(totals))


class Moments(NamedTuple):
    """Sums over items, each of shape `[...]`.

    `n` and `squares` are the sums of weights and of squared weights; `g`, `p`, `gg`, `pp` and `gp`
    those of gold and predicted numbers minus `centre`, and of their products; `distance` and
    `error` those of absolute and squared differences.
    """

    n: Floats
    squares: Floats
    g: Floats
    p: Floats
    gg: Floats
    pp: Floats
    gp: Floats
    distance: Floats
    error: Floats
    centre: float

    @classmethod
    def of(cls, sums: Floats, centre: float) -> "Moments":
        """Take sums `[..., 9]` apart."""
        by_name = {name: sums[..., i] for i, name in enumerate(SUMS)}
        return cls(**by_name, centre=centre)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of the same items: gold, then every system, less `centre` before they are squared.

    A row stands for `count` items, each of which has a `weight`.
    """

    columns: tuple[Floats, ...]
    centre: float
    count: Ints | None = None
    weight: Floats | None = None
    topic: Codes | None = None
    cluster: Codes | None = None

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self) if self.count is None else int(self.count.sum())

    def take(self, rows: Array) -> "Numbers":
        """Return some of the rows."""

        columns = {name: getattr(self, name) for name in ("count", "weight", "topic", "cluster")}
        taken = {name: x[rows] for name, x in columns.items() if x is not None}
        return replace(self, columns=tuple(column[rows] for column in self.columns), **taken)

    def in_order(self) -> "Numbers":
        """Return the rows in an order that does not depend on that of the data."""
        return self.take(self.order())

    def order(self) -> Codes:
        """Return an order of the rows that depends on what they hold alone."""
        # Names matter for equal sums only: systems are in the order of their numbers.
        columns = sorted(self.columns[1:], key=lambda column: float(np.sort(column).sum()))
        extra = [c for c in (self.topic, self.cluster, self.weight) if c is not None]
        times = [] if self.count is None else [self.count]
        return np.lexsort([*times, *columns[::-1], self.columns[0], *extra[::-1]])

    def _each(self, system: int, rows: slice) -> Iterator[Floats]:
        """Yield the moments of one item of each row, one moment after the other."""
        gold, predicted = self.columns[0][rows], self.columns[1 + system][rows]
        g, p, d = gold - self.centre, predicted - self.centre, predicted - gold
        w = np.ones(len(g)) if self.weight is None else self.weight[rows]
        yield from (
            w,
            w * w,
            w * g,
            w * p,
            w * g * g,
            w * p * p,
            w * g * p,
            w * np.abs(d),
            w * d * d,
        )

    def each(self, rows: slice) -> Floats:
        """Return the moments `[system, 9, row]` of one item of each row."""
        return np.stack([np.stack([*self._each(i, rows)]) for i in range(len(self.columns) - 1)])

    def chunks(self) -> list[slice]:
        """Return slices of rows whose moments are held at a time."""
        step = max(1024, _HELD // max(1, len(self.columns) - 1))
        return [slice(start, start + step) for start in range(0, len(self), step)]

    def sums(self, group: Codes | None = None, groups: int = 1) -> Floats:
        """Return the sums `[system, group, 9]` over the items of every group."""
        found = np.empty((len(self.columns) - 1, groups, len(SUMS)))
        for system, out in enumerate(found):
            for place, moment in enumerate(self._each(system, slice(None))):
                out[:, place] = sums_by_cell(moment, group, groups, self.count)
        return found

    def repeated(self) -> "Numbers":
        """Return a row for every item."""
        if self.count is None:
            return self
        return replace(self.take(np.repeat(np.arange(len(self)), self.count)), count=None)
