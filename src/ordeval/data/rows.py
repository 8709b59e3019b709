"""Distinct rows of labels: what resampling and exchange of items need beyond tables.

Rows that agree in topic, cluster, gold label, all predictions and weight are one row with a count,
so that many items with few distinct rows cost no more than the rows. Rows are sorted, so that the
order of the items changes nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..types import Array, Codes, Floats, Ints

_FEW_KEYS = 1 << 22  # up to this number of possible rows, each has a counter of its own
_MOST_KEYS = 1 << 62
_MOST_COUNTERS = 1 << 27
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
        labels: Array,
        k: int,
        systems: Sequence[str],
        *,
        count: Ints | None = None,
        weight: Floats | None = None,
        topic: Codes | None = None,
        cluster: Codes | None = None,
    ) -> "Rows":
        """Group items, of which `labels` holds the classes `[gold and systems, item]`.

        The rows are sorted by topic, cluster, weight, gold label and predictions, those of the
        systems in the order of their names, so that their own order changes nothing.
        """
        weights = weight_codes = None
        if weight is not None and np.any(weight != weight[0]):
            weights, weight_codes = np.unique(_without_unit(weight), return_inverse=True)
        by_name = np.array([0, *(1 + np.argsort(np.array(systems, dtype=object)))])
        extra = {"topic": topic, "cluster": cluster, "weight": weight_codes}
        given = {name: codes for name, codes in extra.items() if codes is not None}
        sizes = [*(int(codes.max()) + 1 for codes in given.values()), *[k] * len(labels)]
        rows, counts = distinct([*given.values(), *labels[by_name]], sizes, count)
        at = dict(zip(given, rows, strict=False))
        found = np.stack(rows[len(given) :])[np.argsort(by_name)]
        return cls(
            found.astype(np.int16 if k < 2**15 else np.int32),
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


def distinct(
    columns: Sequence[Array], sizes: Sequence[int], count: Ints | None
) -> tuple[list[Array], Ints]:
    """Return the distinct rows of columns of codes, sorted, and how often each occurs."""
    possible = prod(sizes)  # Python's integers do not overflow
    if possible > _FEW_KEYS:
        return _sorted(columns, sizes, count)
    counts = np.zeros(possible, np.int64)
    for start in range(0, len(columns[0]), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        key = columns[0][chunk].astype(np.intp)
        for column, size in zip(columns[1:], sizes[1:], strict=True):
            key *= size
            key += column[chunk]
        times = None if count is None else count[chunk]
        counts += np.bincount(key, times, possible).astype(np.int64)
    found = np.flatnonzero(counts)
    return list(np.unravel_index(found, sizes)), counts[found]


def _sorted(
    columns: Sequence[Array], sizes: Sequence[int], count: Ints | None
) -> tuple[list[Array], Ints]:
    """Sort rows and count equal ones."""
    key: Any = _keys(columns, sizes)[0]
    order = np.argsort(key, kind="stable")
    key = key[order]
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]]))
    counts: Any = np.diff(np.append(starts, len(key)))
    if count is not None:
        counts = np.add.reduceat(count[order], starts)
    return [column[order[starts]] for column in columns], counts.astype(np.int64)


def places(columns: Iterable[Array], sizes: Sequence[int]) -> tuple[Codes, Codes]:
    """Return the place of every row among the sorted distinct ones, and the first row at each.

    >>> import numpy as np
    >>> [found.tolist() for found in places([np.array([1, 0, 1]), np.array([0, 0, 0])], [2, 2])]
    [[1, 0, 1], [1, 0]]
    """
    key, possible = _keys(columns, sizes)
    if possible <= max(_FEW_KEYS, 4 * len(key)) and possible <= _MOST_COUNTERS:
        filled = np.bincount(key, minlength=possible) > 0
        place = (np.cumsum(filled) - 1)[key]
    else:
        place = np.unique(key, return_inverse=True)[1]
    first = np.empty(int(place.max(initial=-1)) + 1, dtype=np.intp)
    first[place[::-1]] = np.arange(len(place) - 1, -1, -1)
    return place, first


def _keys(columns: Iterable[Array], sizes: Sequence[int]) -> tuple[Array, int]:
    """Return numbers of rows that are in the order of the rows, and how many are possible."""
    key: Any = np.zeros(1, dtype=np.int64)
    possible = 1
    for column, size in zip(columns, sizes, strict=True):
        if possible * size > _MOST_KEYS:  # keys are numbered anew, in the same order
            values, key = np.unique(key, return_inverse=True)
            possible = len(values)
        if len(key) != len(column):  # the first one; then in place, as there may be many rows
            key = np.zeros(len(column), dtype=np.int64)
        key *= size
        key += column
        possible *= size
    return key, possible
