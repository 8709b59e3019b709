"""Distinct rows of labels: what resampling and exchange of items need beyond tables.

Rows that agree in topic, cluster, gold label, all predictions and weight are one row with a count,
so that many items with few distinct rows cost no more than the rows. Rows are sorted, so that the
order of the items changes nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .types import Array, Codes, Floats, Ints

_FEW_KEYS = 1 << 22  # up to this number of possible rows, each has a counter of its own
_MOST_KEYS = 1 << 62
_CHUNK = 1 << 18


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of labels with the number of items that each stands for.

    Parameters
    ----------
    labels : ndarray of int of shape (1 + n_systems, n_rows)
        Class codes of gold and of every system.
    count : ndarray of int of shape (n_rows,)
        The number of items.
    weight : ndarray of shape (n_rows,), optional
        The weight of each of these items; None if all are equal.
    topic : ndarray of int of shape (n_rows,), optional
        The topic of each row.
    cluster : ndarray of int of shape (n_rows,), optional
        The cluster of each row.
    """

    labels: Array
    count: Ints
    weight: Floats | None = None
    topic: Codes | None = None
    cluster: Codes | None = None

    @classmethod
    def group(
        cls,
        labels: Callable[[slice], Sequence[Codes]],
        items: int,
        k: int,
        systems: Sequence[str],
        *,
        count: Ints | None = None,
        weight: Floats | None = None,
        topic: Codes | None = None,
        cluster: Codes | None = None,
    ) -> "Rows":
        """Group items into distinct rows.

        Parameters
        ----------
        labels : callable
            Returns the class codes of gold and every system for a slice of the items.
        items : int
            The number of items.
        k : int
            The number of classes.
        systems : sequence of str
            The names of the systems.
        count : ndarray of int, optional
            The number of items that each item stands for; 1 by default.
        weight : ndarray, optional
            The weight of each item.
        topic, cluster : ndarray of int, optional
            The topic and the cluster of each item.

        Returns
        -------
        Rows
            The rows, sorted by topic, cluster, weight, gold label and predictions, those of the
            systems in the order of their names, so that their own order changes nothing.
        """
        weights = weight_codes = None
        if weight is not None and np.any(weight != weight[0]):
            weights, weight_codes = np.unique(_without_unit(weight), return_inverse=True)
        extra = [c for c in (topic, cluster, weight_codes) if c is not None]
        sizes = [*(int(c.max()) + 1 for c in extra), *[k] * (1 + len(systems))]
        by_name = np.array([0, *(1 + np.argsort(np.array(systems, dtype=object)))])

        def codes(chunk: slice) -> list[Array]:
            found = labels(chunk)
            return [*(c[chunk] for c in extra), *(found[i] for i in by_name)]

        possible = 1
        for size in sizes:  # Python's integers do not overflow
            possible *= size
        if possible <= _FEW_KEYS:
            rows, counts = _counted(codes, items, sizes, possible, count)
        else:
            rows, counts = _sorted(codes(slice(None)), sizes, count)
        given = zip(_EXTRA, (topic, cluster, weight_codes), strict=True)
        at = dict(zip((name for name, c in given if c is not None), rows, strict=False))
        return cls(
            rows[len(extra) :][np.argsort(by_name)].astype(np.int16 if k < 2**15 else np.int32),
            counts,
            None if weights is None else weights[at["weight"]],
            at.get("topic"),
            at.get("cluster"),
        )

    @property
    def systems(self) -> int:
        """The number of systems."""
        return len(self.labels) - 1

    def in_order_of_tables(self, k: int) -> "Rows":
        """Return the rows in an order that the names of the systems do not change.

        Parameters
        ----------
        k : int
            The number of classes.

        Returns
        -------
        Rows
            The rows, sorted by topic, cluster, weight, gold label and predictions, those of the
            systems in the order of their tables.
        """
        cells = self.labels[0].astype(np.int64) * k + self.labels[1:]
        tables = [np.bincount(code, self.count, k * k) for code in cells]
        systems = sorted(range(self.systems), key=lambda i: tables[i].tolist())
        extra = [c for c in (self.topic, self.cluster, self.weight) if c is not None]
        columns = [*extra, self.labels[0], *(self.labels[1 + i] for i in systems)]
        order = np.lexsort(columns[::-1])
        return Rows(
            self.labels[:, order],
            self.count[order],
            None if self.weight is None else self.weight[order],
            None if self.topic is None else self.topic[order],
            None if self.cluster is None else self.cluster[order],
        )

    def cells(self, k: int, *, by_topic: bool) -> Array:
        """Return for every system and row the code (topic · K + gold) · K + predicted.

        Parameters
        ----------
        k : int
            The number of classes.
        by_topic : bool
            Whether topics have tables of their own.

        Returns
        -------
        ndarray of int of shape (n_systems, n_rows)
            The codes.
        """
        base = self.labels[0].astype(np.int64)
        if by_topic and self.topic is not None:
            base += self.topic * k
        return np.asarray(base * k + self.labels[1:])


def _without_unit(weight: Floats) -> Floats:
    """Return weights relative to the largest, rounded so that their unit leaves no trace."""
    fraction, exponent = np.frexp(weight / weight.max())
    return np.asarray(np.ldexp(np.rint(fraction * 2.0**40) / 2.0**40, exponent))


_EXTRA = ("topic", "cluster", "weight")


def _counted(
    codes: Callable[[slice], list[Array]],
    items: int,
    sizes: Sequence[int],
    possible: int,
    count: Ints | None,
) -> tuple[Array, Ints]:
    """Count every possible row, and return the codes `[column, row]` of those that occur."""
    counts = np.zeros(possible)
    for start in range(0, items, _CHUNK):
        chunk = slice(start, start + _CHUNK)
        key = np.ravel_multi_index(codes(chunk), sizes)
        counts += np.bincount(key, None if count is None else count[chunk], possible)
    found = np.flatnonzero(counts)
    return np.stack(np.unravel_index(found, sizes)), counts[found].astype(np.int64)


def _sorted(
    columns: Sequence[Array], sizes: Sequence[int], count: Ints | None
) -> tuple[Array, Ints]:
    """Sort rows and count equal ones; returns codes `[column, row]` and counts."""
    key: Any = np.zeros(len(columns[0]), dtype=np.int64)
    possible = 1
    for column, size in zip(columns, sizes, strict=True):
        if possible * size > _MOST_KEYS:  # keys are numbered anew, in the same order
            distinct, key = np.unique(key, return_inverse=True)
            possible = len(distinct)
        key = key * size + column
        possible *= size
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    counts = np.bincount(inverse, count, len(first)).astype(np.int64)
    return np.stack([column[first] for column in columns]), counts
