"""Items as they come from a frame or file: distinct values, and positions among them.

`Groups` are what tables of systems or pairs of systems need, `Table` is what distinct rows need.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np

from ..columns import Column, group_name, is_missing
from ..exact import Grids, parts_of
from ..rows import Rows
from ..types import Array, Bools, Floats, Ints

Systems = tuple[int, ...]  # the position of a system, or the positions of a pair of systems

_WIDE = 1 << 12  # integers within such a range are their own codes
_LONG = 1 << 17  # equal rows of a longer table are merged


@dataclass(frozen=True, eq=False)
class Factor:
    """A column as distinct values and a position among them for every row.

    Every kind of "missing" is None; some values may belong to no row.
    """

    codes: Array
    values: tuple[Any, ...]

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Factor":
        """Return a column of Python values."""
        plain = [None if is_missing(value) else value for value in values]
        index: dict[Any, int] = {}
        try:
            codes = [index.setdefault(value, len(index)) for value in plain]
        except TypeError:  # lists cannot be compared here; they are refused as labels
            return cls(np.arange(len(plain)), tuple(plain))
        return cls(np.asarray(codes, dtype=_width(len(index))), tuple(index))

    @classmethod
    def of_array(cls, data: Array) -> "Factor":
        """Return a column of numbers, truth values or text, perhaps masked."""
        if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data):
            rest = cls.of_array(data.compressed())
            codes = np.full(len(data), len(rest.values), dtype=_width(len(rest.values) + 1))
            codes[~np.ma.getmaskarray(data)] = rest.codes
            return cls(codes, (*rest.values, None))
        data = np.asarray(data)
        if data.dtype.kind not in "iubf":
            return cls.of(data.tolist())
        if data.dtype.kind in "iu" and data.size:
            low, high = int(data.min()), int(data.max())
            if high - low < _WIDE and high <= np.iinfo(np.int64).max:
                codes = (data.astype(np.int64) - low).astype(_width(high - low + 1))
                return cls(codes, tuple(range(low, high + 1)))
        values, codes = np.unique(data, return_inverse=True)
        plain = (None if is_missing(value) else value for value in values.tolist())
        return cls(codes.astype(_width(len(values))), tuple(plain))

    @classmethod
    def of_column(cls, column: Column) -> "Factor":
        """Return a column of labels in memory."""
        if column.categories is None:
            return cls.of_array(column.data)
        last = len(column.categories)
        codes = np.where(column.data < 0, last, column.data).astype(_width(last + 1))
        return cls(codes, (*column.categories, None))

    def take(self, chosen: Any) -> "Factor":
        """Return some of the rows."""
        return replace(self, codes=self.codes[chosen])

    def spread(self, of_value: Sequence[Any] | Array) -> Array:
        """Return for every row what belongs to its value."""
        return np.asarray(np.asarray(of_value)[self.codes])

    def totals(self, amounts: Array) -> dict[Any, int]:
        """Return the sum of whole amounts by value, for values that rows have."""
        rows = np.bincount(self.codes, minlength=len(self.values))
        found = np.bincount(self.codes, amounts, len(self.values))
        given = zip(self.values, rows, found, strict=True)
        return {value: int(total) for value, n, total in given if n}

    @property
    def missing(self) -> Bools:
        """Which rows have no value."""
        return self.spread([value is None for value in self.values]).astype(np.bool_)

    def as_names(self) -> "Factor":
        """Return topics or clusters as text."""
        names = (None if value is None else group_name(value) for value in self.values)
        return replace(self, values=tuple(names))


def _width(values: int) -> type[np.signedinteger[Any]]:
    """Return the smallest type for so many codes."""
    return np.int8 if values < 2**7 else np.int16 if values < 2**15 else np.int64


@dataclass(frozen=True, eq=False)
class Groups:
    """Distinct combinations of topic, gold label and one or two predictions.

    Every array has an entry per combination, and a combination may be repeated. `labels` holds gold
    and the predictions. `items` is the number of items. `weight` and `squares` are the sums of
    parts of their weights and squared weights `[part, combination]`, which are exact (see
    `ordeval.exact`). `present` tells whether the items have a positive weight and
    frequency, `complete` whether they have no missing label, in systems that the combination does
    not show either. `faults` are numbers of items with an unusable number or without a cluster.
    """

    labels: tuple[Factor, ...]
    items: Ints
    topic: Factor | None = None
    weight: Floats | None = None
    squares: Floats | None = None
    present: Bools | None = None
    complete: Bools | None = None
    faults: Mapping[str, Ints] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rows: Sequence[Sequence[Any]], names: Sequence[str], preds: Sequence[str]
    ) -> "Groups":
        """Make groups from rows with the columns `names`, of which `preds` are predictions."""
        column = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        return cls(
            tuple(Factor.of(column[name]) for name in ("gold", *preds)),
            _whole(column["items"]),
            Factor.of(column["topic"]).as_names() if "topic" in column else None,
            weight=_parts(column, "weight"),
            squares=_parts(column, "squares"),
            present=_flags(column["present"]) if "present" in column else None,
            complete=_flags(column["complete"]) if "complete" in column else None,
            faults={name: _whole(column[name]) for name in FAULTS if name in column},
        )

    def single(self, position: int) -> "Groups":
        """Return the groups of one of the systems of a pair."""
        return replace(self, labels=(self.labels[0], self.labels[1 + position]))

    def swapped(self) -> "Groups":
        """Return the groups of a pair with its systems in the other order."""
        gold, a, b = self.labels
        return replace(self, labels=(gold, b, a))

    def fault(self, name: str) -> int:
        """Return the number of items that have a fault."""
        return int(self.faults[name].sum()) if name in self.faults else 0


@dataclass(frozen=True)
class Shifts:
    """How columns are split into parts whose sums are exact; see `ordeval.exact`.

    `given` holds for every column what is added and subtracted to split its numbers.
    """

    given: Mapping[str, Sequence[float]]

    @classmethod
    def of_weights(cls, least: Any, largest: Any, items: Any) -> "Shifts":
        """Return how weights and squared weights are split."""
        low, high = float(least or 0.0), float(largest or 0.0)
        return cls.of_terms(["weight", "squares"], [low, high, low * low, high * high, items])

    @classmethod
    def of_terms(cls, names: Sequence[str], found: Sequence[Any]) -> "Shifts":
        """Return how columns are split, of which least and largest sizes are known in turn.

        The last entry of `found` is the number of items.
        """
        numbers = [float(x or 0.0) for x in found]
        ends = zip(names, numbers[:-1:2], numbers[1:-1:2], strict=True)
        items = int(numbers[-1])
        return cls({name: Grids(high, items).shifts(low) for name, low, high in ends})

    @property
    def names(self) -> list[str]:
        """The columns of all parts."""
        return [f"{name}{i}" for name, found in self.given.items() for i in range(1 + len(found))]

    def rounded(self, row: Sequence[Any]) -> list[Any]:
        """Return a row with sums instead of the sums of parts, which it begins with."""
        found, at = list[Any](), 0
        for shifts in self.given.values():
            parts = row[at : at + 1 + len(shifts)]
            found.append(None if None in parts else fsum(parts))
            at += len(parts)
        return [*found, *row[at:]]


FAULTS = ("bad_weight", "bad_frequency", "part", "no_cluster")


def _whole(values: Iterable[Any]) -> Ints:
    return np.asarray([0 if is_missing(x) else int(x) for x in values], dtype=np.int64)


def _parts(column: Mapping[str, Sequence[Any]], name: str) -> Floats | None:
    """Return the columns of the parts of a sum; None if there are none."""
    found = [column[part] for part in column if re.fullmatch(rf"{name}\d+", part)]
    rows = [[0.0 if is_missing(x) else float(x) for x in part] for part in found]
    return np.asarray(rows) if rows else None


def _flags(values: Iterable[Any]) -> Bools:
    return np.asarray([bool(value) for value in values], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of all labels, topics and clusters, with the number of items that each stands for.

    Parameters
    ----------
    columns : mapping of str to Factor
        The columns by role.
    items : ndarray of int
        The number of items of each row.
    each : ndarray, optional
        The weight of each of these items.
    faults : mapping of str to ndarray of int
        Numbers of items with an unusable weight or frequency.
    """

    columns: Mapping[str, Factor]
    items: Ints
    each: Floats | None = None
    faults: Mapping[str, Ints] = field(default_factory=dict)

    def merged(self) -> "Table":
        """Return the table with equal rows merged, if it is long and has no weights."""
        if len(self.items) <= _LONG or self.each is not None or not self.items.all():
            return self
        columns = {name: f for name, f in self.columns.items() if name not in ("topic", "cluster")}
        if any(faults.any() for faults in self.faults.values()):
            return self
        groups: dict[str, Any] = {
            name: f.codes.astype(np.intp) for name, f in self.columns.items() if name not in columns
        }
        rows = Rows.group(
            lambda chunk: [f.codes[chunk].astype(np.intp) for f in columns.values()],
            len(self.items),
            max(len(f.values) for f in columns.values()),
            list(columns)[1:],
            count=self.items,
            **groups,
        )
        found = dict(zip(columns, rows.labels, strict=True))
        found |= {name: getattr(rows, name) for name in groups}
        merged = {name: replace(f, codes=found[name]) for name, f in self.columns.items()}
        return Table(merged, rows.count)

    def groups(self, systems: Systems, complete: Bools | None) -> Groups:
        """Return the rows as groups of one or two systems."""
        roles = ("gold", *(f"p{i}" for i in systems))
        topic, cluster = self.columns.get("topic"), self.columns.get("cluster")
        faults = dict(self.faults)
        if cluster is not None:
            faults["no_cluster"] = self.items * cluster.missing
        return Groups(
            tuple(self.columns[role] for role in roles),
            self.items,
            None if topic is None else topic.as_names(),
            weight=None if self._parts is None else self._parts[0],
            squares=None if self._parts is None else self._parts[1],
            present=self.present,
            complete=complete,
            faults=faults,
        )

    @cached_property
    def _parts(self) -> tuple[Floats, Floats] | None:
        """Parts of the sums of weights and squared weights of every row, `[part, row]`."""
        if self.each is None:
            return None
        weight, squares = (parts_of(x, self.items) for x in (self.each, self.each * self.each))
        return np.stack(weight), np.stack(squares)

    @property
    def present(self) -> Bools:
        """Which rows have a positive weight and frequency."""
        present = self.items > 0
        return present if self.each is None else present & (self.each > 0)
