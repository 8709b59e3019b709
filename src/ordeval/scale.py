"""Ordered classes: the only place where the order of labels is decided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Array, Column, is_missing
from .errors import InputError, quoted

_LOOKUP_SPAN = 1 << 16  # integer labels spread wider than this are looked up by hash
_MOST_INFERRED = 1000  # integers spanning more classes than this are hardly class labels
_SAFE = 1 << 62  # differences of integers up to here do not overflow

Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Scale:
    """An ordered scale of K classes, lowest first.

    Parameters
    ----------
    labels : the classes in their order.
    values : strictly increasing numbers, one per class, for scales whose steps are not equal;
        None means 1..K.
    inferred : True when nobody declared the scale and it was read off integer labels.
    """

    labels: tuple[Any, ...]
    values: tuple[float, ...] | None = None
    inferred: bool = False

    @classmethod
    def of(cls, labels: Any, values: Any = None) -> "Scale":
        """A declared scale. `labels` is an ordered collection; `values` a sequence or a mapping."""
        if isinstance(labels, Scale):  # passing it on declares it
            labels, values = labels.labels, labels.values if values is None else values
        scale = cls(_declared(labels))
        return scale if values is None else replace(scale, values=_values(values, scale))

    @classmethod
    def resolve(cls, columns: Sequence[Column], labels: Any = None, values: Any = None) -> "Scale":
        """The scale of some columns: declared, else of an ordered dtype, else integers seen."""
        scale = cls.of(labels) if labels is not None else _from_columns(columns)
        return scale if values is None else replace(scale, values=_values(values, scale))

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The class values as an array: `values`, or 1..K."""
        return np.asarray(self.values or range(1, self.k + 1), dtype=np.float64)

    @cached_property
    def index(self) -> dict[Any, int]:
        """The position of each label."""
        return {label: i for i, label in enumerate(self.labels)}

    @cached_property
    def _integers(self) -> tuple[int, ...]:
        """The labels if they are integers that arithmetic can be done on, else nothing."""
        whole = all(isinstance(label, (int, np.integer)) for label in self.labels)
        numbers = tuple(map(int, self.labels)) if whole else ()
        return numbers if all(abs(number) < _SAFE for number in numbers) else ()

    @cached_property
    def first_integer(self) -> int | None:
        """The lowest label if the labels are consecutive integers, else None."""
        if not self._integers:
            return None
        first = self._integers[0]
        return first if self._integers == tuple(range(first, first + self.k)) else None

    @cached_property
    def _lookup(self) -> tuple[int, Codes] | None:
        """(lowest, codes by offset) for integer labels with gaps or in another order."""
        if not self._integers or max(self._integers) - min(self._integers) >= _LOOKUP_SPAN:
            return None
        low = min(self._integers)
        table = np.full(max(self._integers) - low + 1, -1, dtype=np.intp)
        table[np.asarray(self._integers) - low] = np.arange(self.k)
        return low, table

    def encode(self, labels: Array) -> Codes:
        """Class indices 0..K-1 of an array of labels; negative or >= K marks an unknown one.

        The result may be the input itself: it is not to be written to.
        """
        if labels.dtype.kind in "iub":
            if self.first_integer is not None:
                return _shift(labels, self.first_integer)
            if self._lookup is not None:
                return _look_up(labels, *self._lookup)
        if labels.dtype.kind == "f" and self.first_integer is not None:
            return self._encode_floats(labels)
        found = map(self.index.get, labels.tolist(), repeat(-1))
        return np.fromiter(found, dtype=np.intp, count=len(labels))

    def _encode_floats(self, labels: Array) -> Codes:
        """Floats that are whole are the integers they stand for; others are unknown."""
        known = (labels == np.floor(labels)) & (np.abs(labels) < _SAFE)
        return np.where(known, self.encode(np.where(known, labels, 0).astype(np.intp)), -1)

    def describe(self) -> str:
        """The scale in words, for messages and headings."""
        shown = " < ".join(map(str, self.labels[:9])) + (" < …" if self.k > 9 else "")
        return f"{shown} (K = {self.k}{', inferred from integers' if self.inferred else ''})"


def _shift(labels: Array, low: int) -> Codes:
    """Labels minus the lowest; no copy is made where none is needed."""
    whole = labels.astype(np.intp, copy=False)
    return whole - low if low else whole


def _look_up(labels: Array, low: int, table: Codes) -> Codes:
    """Entries of a table that starts at `low`; -1 outside."""
    offset = _shift(labels, low)
    inside = (offset >= 0) & (offset < len(table))
    return np.where(inside, table[np.where(inside, offset, 0)], -1)


def _declared(labels: Any) -> tuple[Any, ...]:
    if isinstance(labels, (str, bytes)):
        raise InputError(
            f"labels={labels!r} is one string; an ordered list is expected, "
            'lowest class first, e.g. labels=["low", "medium", "high"].'
        )
    if isinstance(labels, (set, frozenset)):
        raise InputError("labels is a set, which has no order; give a list, lowest class first.")
    if isinstance(labels, Mapping):
        raise InputError(
            "labels is a mapping, whose order may be an accident; give a list, lowest class first, "
            "and numbers for the classes with values=…."
        )
    if getattr(labels, "ordered", True) is False:
        raise InputError(
            "labels is an unordered categorical; give a list, lowest class first. "
            "An ordered categorical will do as well."
        )
    found = _plain(getattr(labels, "categories", labels))  # of an ordered categorical dtype
    if any(is_missing(label) for label in found):
        raise InputError(f"labels holds a missing value: {quoted(found)}. Leave it out.")
    repeated = [label for label in dict.fromkeys(found) if found.count(label) > 1]
    if repeated:
        raise InputError(f"labels names {quoted(repeated)} more than once; each class comes once.")
    if len(found) < 2:
        given = f"one class only, {quoted(found)}" if found else "no class"
        raise InputError(
            f"labels declares {given}; an ordinal scale needs at least two "
            "classes. Declare every class that could occur, seen or not."
        )
    return found


def _plain(labels: Any) -> tuple[Any, ...]:
    """Declared labels as a tuple of values that can be looked up."""
    try:
        found = tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
        hash(found)
    except TypeError:
        raise InputError(
            f"labels={labels!r} is not a list of plain values; give one, lowest class first."
        ) from None
    return found


def _values(values: Any, scale: Scale) -> tuple[float, ...]:
    if isinstance(values, Mapping):
        absent = [label for label in scale.labels if label not in values]
        if absent:
            raise InputError(f"values has no entry for {quoted(absent)}; give one for every class.")
        values = [values[label] for label in scale.labels]
    return class_values(values, scale.k)


def class_values(values: Any, k: int) -> tuple[float, ...]:
    """Checked class values: K finite, strictly increasing numbers."""
    if isinstance(values, (str, Mapping)):
        raise InputError(
            f"values={values!r} is not usable here; give a list of numbers, lowest class first."
        )
    try:
        numbers = tuple(float(v) for v in values)
    except (TypeError, ValueError):
        raise InputError(f"values={values!r} are not numbers; give one number per class.") from None
    if len(numbers) != k:
        raise InputError(f"values has {len(numbers)} numbers for {k} classes; give one per class.")
    rising = all(low < high for low, high in pairwise(numbers))
    if not rising or not all(np.isfinite(numbers)):
        raise InputError(
            f"values={list(numbers)} are not usable: give finite numbers that rise strictly, in "
            "the order of the classes, lowest first."
        )
    return numbers


def _from_columns(columns: Sequence[Column]) -> Scale:
    ordered = [c for c in columns if c.ordered]
    if ordered:
        return _from_categoricals(ordered)
    ranges = [_integer_range(column) for column in columns]
    if any(r is None for r in ranges):
        raise InputError(_undeclared_message(columns))
    low = min(r[0] for r in ranges if r)
    high = max(r[1] for r in ranges if r)
    if high - low >= _MOST_INFERRED:
        raise InputError(
            f"The integer labels span {low}..{high}, too wide to be taken for classes. "
            "Declare the scale with labels=[…], or check that these are labels and not ids."
        )
    booleans = all(c.data.dtype.kind == "b" for c in columns)
    return Scale((False, True) if booleans else tuple(range(low, high + 1)), inferred=True)


def _from_categoricals(columns: Sequence[Column]) -> Scale:
    first = columns[0]
    for other in columns[1:]:
        if other.categories != first.categories:
            raise InputError(
                f"{first.name} and {other.name} are ordered categoricals with different "
                f"categories: {quoted(first.categories or ())} against "
                f"{quoted(other.categories or ())}. Declare the scale with labels=[…]."
            )
    return Scale.of(first.categories)


def _integer_range(column: Column) -> tuple[int, int] | None:
    data = column.data
    if column.is_integer:
        return int(data.min()), int(data.max())
    if column.categories is None and data.dtype.kind == "f":
        data = data[~np.isnan(data)]
        if data.size and np.all(np.isfinite(data)) and np.all(data == np.floor(data)):
            return int(data.min()), int(data.max())
    if column.categories is None and data.dtype.kind == "O":
        kept = [x for x in data.tolist() if not is_missing(x)]
        if kept and all(isinstance(x, (int, np.integer)) for x in kept):
            return int(min(kept)), int(max(kept))
    return None


def _undeclared_message(columns: Sequence[Column]) -> str:
    column = next(c for c in columns if _integer_range(c) is None)
    seen = [x for x in column.distinct() if not is_missing(x)]
    if column.data.dtype.kind == "f":
        return (
            f"{column.name} holds numbers that are not whole ({quoted(seen, 3)}), which are not "
            "class labels. Round or bin them first, or declare the classes with labels=[…]."
        )
    return (
        f"The order of the labels of {column.name} is not known: {quoted(seen)}. The alphabet is "
        'never used. Declare the order, lowest first, e.g. labels=["low", "medium", "high"], '
        "or pass an ordered categorical."
    )
