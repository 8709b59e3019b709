"""Tables of long scales as lists of cells.

A table of 1,001 classes has a million cells, of which ten thousand items occupy at most ten
thousand. `Cells` holds these alone. The functions of `terms` take it in place of an array
`[..., gold, predicted]`, so that one formula serves both.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..types import Floats, Ints

_LONG_SCALE = 50
_SHARE_OF_CELLS = 4


def worth_listing(cells: int, k: int) -> bool:
    """Return whether so many cells with items of K² are to be listed rather than held in a table.

    Short scales are never listed: their tables are small.
    """
    return k >= _LONG_SCALE and cells * _SHARE_OF_CELLS <= k * k


class _Level(NamedTuple):
    """Cells whose predicted classes share all higher binary digits and differ in one.

    The sum over the cells `low` from place `start` to before `stop` is the weight of those in
    lower gold classes than a cell of `high`.
    """

    low: Ints
    high: Ints
    start: Ints
    stop: Ints


@dataclass(frozen=True, eq=False)
class Places:
    """Positions of different cells in tables of K classes.

    Parameters
    ----------
    gold, predicted : ndarray of int of shape (C,)
        The classes of every cell.
    k : int
        The number of classes.
    """

    gold: Ints
    predicted: Ints
    k: int

    @classmethod
    def of(cls, codes: Ints, k: int) -> "Places":
        """Return the positions of the cells ``gold * k + predicted``."""
        return cls(*np.divmod(codes, k), k)

    @property
    def codes(self) -> Ints:
        """The number ``gold * k + predicted`` of every cell."""
        return np.asarray(self.gold * self.k + self.predicted)

    @cached_property
    def by_gold(self) -> Any:
        """The sparse matrix [K, C] that sums cells by gold class."""
        return sums_by(self.gold, self.k)

    @cached_property
    def by_predicted(self) -> Any:
        """The sparse matrix [K, C] that sums cells by predicted class."""
        return sums_by(self.predicted, self.k)

    @cached_property
    def diagonal(self) -> Ints:
        """The cells of correct predictions."""
        return np.flatnonzero(self.gold == self.predicted)

    @cached_property
    def rising(self) -> Ints:
        """The cells by gold and then by predicted class."""
        return np.lexsort((self.predicted, self.gold))

    @cached_property
    def levels(self) -> list[_Level]:
        """The pairs of cells in different predicted classes, by the first digit that differs."""
        found = []
        for bit in range(int(self.k - 1).bit_length()):
            group = (self.predicted >> (bit + 1)) * self.k
            is_high = (self.predicted >> bit) & 1 == 1
            low, high = np.flatnonzero(~is_high), np.flatnonzero(is_high)
            low = low[np.argsort((group + self.gold)[low], kind="stable")]
            keys = (group + self.gold)[low]
            start = np.searchsorted(keys, group[high])
            found.append(_Level(low, high, start, np.searchsorted(keys, (group + self.gold)[high])))
        return found


def sums_by(classes: Ints, k: int) -> Any:
    """Return the sparse matrix [K, C] that sums numbers by class."""
    from scipy.sparse import csr_array  # slow to import

    return csr_array((np.ones(len(classes)), (classes, np.arange(len(classes)))), (k, len(classes)))


@dataclass(frozen=True, eq=False)
class Cells:
    """Tables whose items are all in the same cells.

    Parameters
    ----------
    places : Places
        The positions of the cells.
    by_cell : ndarray of shape (C, B)
        The weight of every cell in each of B tables; tables innermost, as in `batch_innermost`.
    """

    places: Places
    by_cell: Floats

    @classmethod
    def of_table(cls, table: Floats) -> "Cells":
        """List the cells of one table that have items."""
        codes = np.flatnonzero(table)
        return cls(Places.of(codes, table.shape[-1]), table.reshape(-1)[codes][:, None])

    def __array_namespace__(self, api_version: str | None = None) -> ModuleType:
        """Return the library that the weights belong to, which has the names of the array API."""
        return np

    @property
    def shape(self) -> tuple[int, int, int]:
        """The shape of the tables, [B, K, K]."""
        return self.by_cell.shape[1], self.places.k, self.places.k

    @property
    def dtype(self) -> Any:
        """The type of the weights."""
        return self.by_cell.dtype

    @property
    def weights(self) -> Floats:
        """The weights [B, C] of the cells."""
        return self.by_cell.T

    def __mul__(self, factors: Any) -> "Cells":
        """Multiply the cells by a number or by numbers that broadcast to [B, C]."""
        return self.of(self.weights * factors)

    def of(self, weights: Floats) -> "Cells":
        """Return tables with other weights [B, C] in the same cells."""
        return Cells(self.places, weights.T)

    def total(self) -> Floats:
        """Return the sum of every table."""
        return np.asarray(self.by_cell.sum(axis=0))

    @cached_property
    def gold(self) -> Floats:
        """The gold marginals, [B, K]."""
        return np.asarray((self.places.by_gold @ self.by_cell).T)

    @cached_property
    def predicted(self) -> Floats:
        """The predicted marginals, [B, K]."""
        return np.asarray((self.places.by_predicted @ self.by_cell).T)

    def diagonal(self) -> Floats:
        """Return the correct items of every class, [B, K]."""
        found = np.zeros((self.places.k, self.by_cell.shape[1]))
        found[self.places.gold[self.places.diagonal]] = self.by_cell[self.places.diagonal]
        return found.T

    def largest(self, axis: int) -> Floats:
        """Return the largest cell of every predicted (-2) or gold class (-1), [B, K]."""
        classes = self.places.predicted if axis == -2 else self.places.gold
        order = np.argsort(classes, kind="stable")
        used, starts = np.unique(classes[order], return_index=True)
        found = np.zeros((self.places.k, self.by_cell.shape[1]))
        if used.size:
            found[used] = np.maximum.reduceat(self.by_cell[order], starts, axis=0)
        return found.T

    @cached_property
    def below(self) -> Floats:
        """For each cell the weight of strictly lower gold and predicted classes, [B, C]."""
        found = np.zeros_like(self.by_cell)
        for low, high, start, stop in self.places.levels:
            running = _running_sums(self.by_cell[low])
            found[high] += running[stop] - running[start]
        return found.T

    def lower_beside(self, axis: int) -> Floats:
        """Return for each cell the weight of lower gold (-2) or predicted (-1) classes beside it.

        These are the cells of the same predicted or the same gold class.
        """
        along, across = self.places.gold, self.places.predicted
        if axis == -1:
            along, across = across, along
        order = np.lexsort((along, across))
        running = _running_sums(self.by_cell[order])
        first = np.searchsorted(across[order], across[order])
        found = np.empty_like(self.by_cell)
        found[order] = running[:-1] - running[first]
        return found.T

    @cached_property
    def up_to(self) -> Floats:
        """For each cell the weight of gold and predicted classes that are not higher, [B, C]."""
        return self.below + self.lower_beside(-2) + self.lower_beside(-1) + self.weights

    def part(self, tables: slice) -> "Cells":
        """Return some of the tables."""
        return replace(self, by_cell=np.ascontiguousarray(self.by_cell[:, tables]))

    def dense(self) -> Floats:
        """Return the tables with all cells, [B, K, K]."""
        out = np.zeros(self.shape)
        out[:, self.places.gold, self.places.predicted] = self.weights
        return out


def best_chain(costs: Cells) -> Floats:
    """Return the least sum of costs along a chain of cells, [B]; 0 for the empty chain.

    In a chain neither gold nor predicted classes fall. The least sums of chains that end at a
    predicted class are kept in a Fenwick tree, of which a few nodes hold those of all lower ones.
    """
    k = costs.places.k
    nodes = [_nodes(p, k) for p in range(k)]
    tree = np.zeros((k + 1, costs.by_cell.shape[1]))
    for cell in costs.places.rising:
        lower, upper = nodes[costs.places.predicted[cell]]
        least = tree[lower].min(axis=0) + costs.by_cell[cell]
        tree[upper] = np.minimum(tree[upper], least)
    return np.asarray(tree[nodes[k - 1][0]].min(axis=0))


def _nodes(p: int, k: int) -> tuple[Ints, Ints]:
    """Return the nodes of a Fenwick tree that hold the classes up to p, and those above p."""
    lower, upper, i = [], [], p + 1
    while i > 0:
        lower.append(i)
        i &= i - 1
    i = p + 1
    while i <= k:
        upper.append(i)
        i += i & -i
    return np.array(lower), np.array(upper)


def _running_sums(x: Floats) -> Floats:
    """Return sums of the rows before each row, and of all: [C + 1, B]."""
    sums = np.zeros((len(x) + 1, x.shape[1]))
    np.cumsum(x, axis=0, out=sums[1:])
    return sums
