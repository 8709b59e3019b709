"""Sums over items of gold and predicted numbers: what measures of numbers are functions of.

The sums of a system are an array `[..., 9]`, which takes the place that a table `[..., K, K]` of
counts has for measures of classes: sums of topics and clusters add up, items can be left out, and
exchanging two systems on some units exchanges their sums.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..types import Array, Codes, Floats, Ints

SUMS = ("n", "squares", "g", "p", "gg", "pp", "gp", "distance", "error")
_CHUNK = 1 << 16


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
    """Gold and predicted numbers of the same items.

    Parameters
    ----------
    columns : tuple of ndarray of shape (n_rows,)
        Gold numbers, then those of every system.
    centre : float
        What is subtracted from the numbers before they are squared.
    count : ndarray of int, optional
        The number of items that each row stands for.
    weight : ndarray, optional
        The weight of each of these items.
    topic, cluster : ndarray of int, optional
        The topic and the cluster of each row.
    ordered : bool
        Whether the rows are in an order that does not depend on that of the data.
    """

    columns: tuple[Floats, ...]
    centre: float
    count: Ints | None = None
    weight: Floats | None = None
    topic: Codes | None = None
    cluster: Codes | None = None
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.columns[0])

    @property
    def items(self) -> int:
        """The number of items."""
        return len(self) if self.count is None else int(self.count.sum())

    def take(self, rows: Array) -> "Numbers":
        """Return some of the rows."""

        def chosen(column: Array | None) -> Array | None:
            return None if column is None else column[rows]

        return Numbers(
            tuple(column[rows] for column in self.columns),
            self.centre,
            chosen(self.count),
            chosen(self.weight),
            chosen(self.topic),
            chosen(self.cluster),
        )

    def in_order(self) -> "Numbers":
        """Return the rows in an order that does not depend on that of the data."""
        return self if self.ordered else replace(self.take(self._order()), ordered=True)

    def _order(self) -> Codes:
        # Names matter for equal sums only: systems are in the order of their numbers.
        columns = sorted(self.columns[1:], key=lambda column: float(np.sort(column).sum()))
        extra = [c for c in (self.topic, self.cluster, self.weight) if c is not None]
        times = [] if self.count is None else [self.count]
        return np.lexsort([*times, *columns[::-1], self.columns[0], *extra[::-1]])

    def each(self, rows: slice) -> Floats:
        """Return the moments `[system, 9, row]` of one item of each row."""
        w = 1.0 if self.weight is None else self.weight[rows]
        g = self.columns[0][rows] - self.centre
        found = np.empty((len(self.columns) - 1, len(SUMS), len(g)))
        found[:, 0], found[:, 1], found[:, 2], found[:, 4] = w, w * w, w * g, w * g * g
        for out, column in zip(found, self.columns[1:], strict=True):
            p, d = column[rows] - self.centre, column[rows] - self.columns[0][rows]
            out[3], out[5], out[6], out[7], out[8] = w * p, w * p * p, w * g * p, np.abs(d), d * d
            if self.weight is not None:
                out[7:] *= w
        return found

    def chunks(self) -> list[slice]:
        """Return slices of rows whose moments are held at a time."""
        step = max(1024, _CHUNK // max(1, len(self.columns) - 1))
        return [slice(start, start + step) for start in range(0, len(self), step)]

    def sums(self, group: Codes | None = None, groups: int = 1) -> Floats:
        """Return the sums `[system, group, 9]` over the items of every group.

        Rows are summed in an order that does not depend on that of the data.
        """
        if not self.ordered:
            order = self._order()
            place = None if group is None else group[order]
            return replace(self.take(order), ordered=True).sums(place, groups)
        found = np.zeros((len(self.columns) - 1, len(SUMS), groups))
        for chunk in self.chunks():
            moments = self.each(chunk)
            if self.count is not None:
                moments *= self.count[chunk]
            _add(found, moments, None if group is None else group[chunk])
        return np.ascontiguousarray(np.moveaxis(found, 1, -1))

    def grouped(self, group: Codes, groups: int) -> "Floats":
        """Return the sums `[system, 9, group]`."""
        return np.ascontiguousarray(np.moveaxis(self.sums(group, groups), -1, 1))

    def repeated(self) -> "Numbers":
        """Return a row for every item."""
        if self.count is None:
            return self
        return replace(self.take(np.repeat(np.arange(len(self)), self.count)), count=None)


def _add(sums: Floats, moments: Floats, group: Codes | None) -> None:
    """Add moments `[system, 9, row]` to the sums `[system, 9, group]`."""
    if group is None:
        sums[..., 0] += moments.sum(axis=-1)
        return
    for out, of_system in zip(sums, moments, strict=True):
        for total, moment in zip(out, of_system, strict=True):
            total += np.bincount(group, moment, len(total))
