"""Sums over items of gold and predicted numbers: what measures of numbers are functions of.

The sums of a system are an array `[..., 9]`, which takes the place that a table `[..., K, K]` of
counts has for measures of classes: sums of topics and clusters add up, items can be left out, and
exchanging two systems on some units exchanges their sums.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .types import Array, Codes, Floats, Ints

SUMS = ("n", "squares", "g", "p", "gg", "pp", "gp", "distance", "error")
_CHUNK = 1 << 16
SORTED = 1 << 18  # up to this number of items, sums do not depend on the order of the items


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

    def in_order(self, *, always: bool = False) -> "Numbers":
        """Return the rows in an order that the order of items and systems does not change."""
        if len(self) > SORTED and not always:
            return self
        # Names do not matter: systems are in the order of their numbers.
        columns = sorted(self.columns[1:], key=lambda column: float(np.sort(column).sum()))
        extra = [c for c in (self.topic, self.cluster, self.weight) if c is not None]
        return self.take(np.lexsort([*columns[::-1], self.columns[0], *extra[::-1]]))

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
        """Return the sums `[system, group, 9]` over the items of every group."""
        found = np.zeros((len(self.columns) - 1, groups, len(SUMS)))
        for rows in self.chunks():
            each = self.each(rows)
            if self.count is not None:
                each *= self.count[rows]
            if group is None:
                found[:, 0] += each.sum(axis=-1)
                continue
            for out, moments in zip(found, each, strict=True):
                for i, moment in enumerate(moments):
                    out[:, i] += np.bincount(group[rows], moment, groups)
        return found

    def grouped(self, group: Codes, groups: int) -> "Floats":
        """Return the sums `[system, 9, group]`."""
        return np.ascontiguousarray(np.moveaxis(self.sums(group, groups), -1, 1))

    def repeated(self) -> "Numbers":
        """Return a row for every item."""
        if self.count is None:
            return self
        return replace(self.take(np.repeat(np.arange(len(self)), self.count)), count=None)
