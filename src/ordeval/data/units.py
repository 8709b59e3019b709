"""What belongs to the rows of data beside their classes, and distinct rows.

Rows that agree in topic, cluster, gold label, all predictions and weight are one row with a count,
so that many items with few distinct rows cost no more than the rows. Distinct rows are sorted, so
that the order of the items changes nothing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, plural
from ..types import Array, Bools, Codes, Floats, Ints
from .column import CHUNK
from .containers import read_numbers

_FEW_KEYS = 1 << 22  # up to this number of possible rows, each has a counter of its own
_MOST_KEYS = 1 << 62
_MOST_COUNTERS = 1 << 27
_FEW_CELLS = 1 << 8  # so many cells have numbers of one byte
_OF_ROWS = ("count", "weight", "topic", "cluster")
_MOST_ITEMS = 2**53  # the largest number of items that a float counts exactly


@dataclass(frozen=True, eq=False)
class Rows:
    """Distinct rows of labels `[gold and systems, row]`, and how many items each stands for.

    `weight` is that of each of these items; None if all are equal.
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

        They are sorted by topic, cluster, weight, gold label and predictions, those of the systems
        in the order of their tables.
        """
        cells = self.labels[0].astype(np.int64) * k + self.labels[1:]
        tables = (np.bincount(code, self.count, k * k) for code in cells)
        keys = [table.astype(">f8").tobytes() for table in tables]  # in the order of the numbers
        systems = sorted(range(self.systems), key=keys.__getitem__)
        extra = [c for c in (self.topic, self.cluster, self.weight) if c is not None]
        columns = [*extra, self.labels[0], *(self.labels[1 + i] for i in systems)]
        order = np.lexsort(columns[::-1])
        return self.take(order)

    def take(self, rows: Array) -> "Rows":
        """Return some of the rows."""
        return Rows(self.labels[:, rows], **_taken(self, rows, *_OF_ROWS))

    def cells(self, k: int, *, by_topic: bool) -> Array:
        """Return for every system and row the code (topic · K + gold) · K + predicted."""
        base = self.labels[0].astype(np.int64)
        if by_topic and self.topic is not None:
            base += self.topic * k
        return np.asarray(base * k + self.labels[1:])


def _taken(rows: Any, chosen: Any, *names: str) -> dict[str, Any]:
    """Return some rows of those columns that there are, by name."""
    columns = {name: getattr(rows, name) for name in names}
    return {name: None if x is None else x[chosen] for name, x in columns.items()}


def _without_unit(weight: Floats) -> Floats:
    """Return weights relative to the largest, rounded so that their unit leaves no trace."""
    fraction, exponent = np.frexp(weight / weight.max())
    return np.asarray(np.ldexp(np.rint(fraction * 2.0**40) / 2.0**40, exponent))


def distinct(
    columns: Sequence[Array], sizes: Sequence[int], count: Ints | None
) -> tuple[list[Array], Ints]:
    """Return the distinct rows of columns of codes, sorted, and how often each occurs."""
    if prod(sizes) > _FEW_KEYS:  # Python's integers do not overflow
        return _sorted(columns, sizes, count)
    counts = counted(columns, sizes, count)
    found = np.flatnonzero(counts)
    return list(np.unravel_index(found, sizes)), counts[found].astype(np.int64)


def counted(columns: Sequence[Array], sizes: Sequence[int], count: Array | None) -> Array:
    """Return how often each possible row of columns of codes occurs, in their order.

    >>> counted([np.array([0, 1, 1]), np.array([1, 0, 0])], [2, 2], None).tolist()
    [0, 1, 2, 0]
    """
    cells = prod(sizes)
    kind, step = key_type(cells), max(CHUNK, cells)
    total: Any = 0
    pairs: Any = 0
    for start in range(0, len(columns[0]), step):
        chunk = slice(start, start + step)
        key = keys_of([column[chunk] for column in columns], sizes, kind)[0]
        if kind is np.uint8 and len(key) == CHUNK and count is None:
            # Two rows at a time are twice as fast.
            pairs = pairs + np.bincount(key.view(np.uint16), minlength=1 << 16)
        else:
            total = total + np.bincount(key, None if count is None else count[chunk], cells)
    if np.ndim(pairs):
        both = pairs.reshape(256, 256)
        total = total + (both.sum(axis=0) + both.sum(axis=1))[:cells]
    return np.asarray(total)


def _sorted(
    columns: Sequence[Array], sizes: Sequence[int], count: Ints | None
) -> tuple[list[Array], Ints]:
    """Sort rows and count equal ones."""
    key: Any = keys_of(columns, sizes)[0]
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
    key, possible = keys_of(columns, sizes)
    if possible <= max(_FEW_KEYS, 4 * len(key)) and possible <= _MOST_COUNTERS:
        filled = np.bincount(key, minlength=possible) > 0
        place = (np.cumsum(filled) - 1)[key]
    else:
        place = np.unique(key, return_inverse=True)[1]
    first = np.empty(int(place.max(initial=-1)) + 1, dtype=np.intp)
    first[place[::-1]] = np.arange(len(place) - 1, -1, -1)
    return place, first


def key_type(cells: int) -> Any:
    """Return the type of numbers of so many possible rows."""
    return np.uint8 if cells <= _FEW_CELLS else np.int64


def keys_of(
    columns: Iterable[Array], sizes: Sequence[int], kind: Any = np.int64
) -> tuple[Array, int]:
    """Return numbers of rows that are in the order of the rows, and how many are possible."""
    key: Any = None
    possible = 1
    for column, size in zip(columns, sizes, strict=True):
        if key is None:
            key = column.astype(kind)
        else:
            if possible * size > _MOST_KEYS:  # keys are numbered anew, in the same order
                values, key = np.unique(key, return_inverse=True)
                possible = len(values)
            key *= kind(size)  # in place, as there may be many rows
            key += column.astype(kind, copy=False)
        possible *= size
    return key, possible


class Part(NamedTuple):
    """A division of rows: the code of each row, and the names of the codes.

    Those in order have `places`, NaN for the slice of missing values, in units called `unit`.
    """

    codes: Codes
    names: tuple[str, ...]
    places: Floats | None = None
    unit: str = ""

    def take(self, rows: Array) -> "Part":
        """Return the division of some of the rows, without names that none of them has."""
        codes = self.codes[rows]
        used = np.bincount(codes, minlength=len(self.names)) > 0
        if used.all():
            return self._replace(codes=codes)
        places = None if self.places is None else self.places[used]
        names = tuple(name for name, there in zip(self.names, used, strict=True) if there)
        return Part((np.cumsum(used) - 1)[codes], names, places, self.unit)


@dataclass(eq=False)  # frozen ones are slow to make
class Units:
    """The rows of data: how many items each stands for, and what these belong to.

    `count` is 1 by default, and whole but for shares that were counted with weights. `rate` is the
    rate at which such items were labelled, beside the labels of a judge. `topic` and `cluster` are
    positions in the sorted names `topics` and `clusters`. `texts` may be a function that returns
    the texts of items given by their `ids`. `parts` are further divisions of the rows, such as
    slices.
    """

    size: int
    count: Array | None = None
    weight: Floats | None = None
    rate: Floats | None = None
    topic: Codes | None = None
    topics: tuple[str, ...] = ()
    cluster: Codes | None = None
    clusters: tuple[str, ...] = ()
    ids: Array | None = None
    texts: Array | Callable[[Sequence[Any]], Sequence[Any]] | None = None
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def items(self) -> int:
        """The number of items."""
        return self.size if self.count is None else int(self.count.sum())

    def items_of(self, rows: Bools) -> int:
        """Return the number of items of some rows."""
        return int(rows.sum()) if self.count is None else int(self.count[rows].sum())

    def counting(self) -> Bools | None:
        """Return which rows count, those of weight or frequency 0 do not; None if all do."""
        given = [x > 0 for x in (self.weight, self.count) if x is not None]
        if not given:
            return None
        keep = np.logical_and.reduce(given)
        return None if keep.all() else np.asarray(keep)

    def take(self, rows: Array) -> "Units":
        """Return some of the rows; clusters that have lost all of theirs are none."""
        size = int(rows.sum()) if rows.dtype == np.bool_ else len(rows)
        columns = _taken(self, rows, *_OF_ROWS, "rate", "ids")
        if self.cluster is not None:
            clusters = Part(self.cluster, self.clusters).take(rows)
            columns |= {"cluster": clusters.codes, "clusters": clusters.names}
        if isinstance(self.texts, np.ndarray):
            columns["texts"] = self.texts[rows]
        parts = {name: part.take(rows) for name, part in self.parts.items()}
        return replace(self, size=size, parts=parts, **columns)


def check_weight(given: Any, n: int, name: str = "weight", column: str = "") -> Floats:
    """Return weights as n finite, non-negative numbers, not all zero.

    Messages name the parameter, and perhaps the column of a table.
    """
    weight = _item_numbers(given, n, name, column)
    largest = float(weight.max())
    if not 1e-100 < largest < 1e100:
        raise InputError(
            f"{column or name} has weights up to {largest:.3g}, which cannot be squared; only the "
            "ratios of weights matter, so divide them by a number.",
            parameter=name,
        )
    return weight


def check_frequency(frequency: Any, n: int, column: str = "") -> Ints:
    """Return frequencies as n whole, non-negative numbers, not all zero."""
    numbers = _item_numbers(frequency, n, "frequency", column, whole=True)
    if numbers.sum() > _MOST_ITEMS:
        raise InputError(
            f"{column or 'frequency'} adds up to {numbers.sum():.3g} items; at most "
            f"{_MOST_ITEMS:.3g} can be counted.",
            parameter="frequency",
        )
    return numbers.astype(np.int64)


def _item_numbers(given: Any, n: int, name: str, column: str, *, whole: bool = False) -> Floats:
    """Return n finite, non-negative numbers, not all zero."""
    numbers, hint = read_numbers(given, name), ""
    wrong = ~np.isfinite(numbers) | (numbers < 0)
    bad = np.flatnonzero(wrong | (numbers != np.floor(numbers)) if whole else wrong)
    if numbers.shape != (n,):
        problem = f"has shape {numbers.shape} for {n} items; one number per item is expected."
    elif bad.size:
        kind = f"{'whole, ' * whole}finite and at least 0"
        at = "" if column else f" at position {bad[0]}"  # rows of tables may stand for several
        problem = f"has {plural(bad.size, 'number')} that cannot be used, the first "
        problem += f"({numbers[bad[0]]}){at}; all must be {kind}."
        hint = "Pass importance or design weights with {weight} instead." if whole else ""
    elif not numbers.any():
        problem = "is 0 for every item; at least one must be positive."
    else:
        return numbers
    raise InputError(f"{column or name} {problem}", parameter=name, hint=hint)
