"""Ordered scales of classes: every decision about the order of labels is made here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any

import numpy as np

from .columns import Column, is_missing
from .errors import InputError, abbreviate, quoted
from .types import Array, Codes, Floats

_LOOKUP_SPAN = 1 << 16  # integer labels spread wider than this are looked up by hash
_MOST_INFERRED = 1000  # integers spanning more than this are probably not class labels
_SAFE = 1 << 62  # differences of integers up to here do not overflow


@dataclass(frozen=True)
class Scale:
    """An ordered scale of K classes.

    Parameters
    ----------
    labels : tuple
        The classes from lowest to highest.
    values : tuple of float, optional
        Strictly increasing numbers, one per class, for scales with unequal steps; 1 to K for None.
    inferred : bool
        Whether the scale was inferred from integer labels rather than declared.

    Examples
    --------
    >>> import ordeval as oe
    >>> oe.Scale.of(["low", "mid", "high"]).describe()
    'low < mid < high (K = 3)'
    """

    labels: tuple[Any, ...]
    values: tuple[float, ...] | None = None
    inferred: bool = False

    @classmethod
    def of(cls, labels: Any, values: Any = None) -> "Scale":
        """Make a declared scale.

        Parameters
        ----------
        labels : sequence, ordered categorical type or Scale
            The classes from lowest to highest.
        values : sequence or mapping, optional
            An increasing number per class; 1 to K by default.

        Returns
        -------
        Scale
            The checked scale.
        """
        if isinstance(labels, Scale):  # an inferred scale becomes a declared one
            labels, values = labels.labels, labels.values if values is None else values
        return cls(_declared(labels)).with_values(values)

    @classmethod
    def resolve(cls, columns: Sequence[Column], labels: Any = None, values: Any = None) -> "Scale":
        """Return the scale of some columns.

        Parameters
        ----------
        columns : sequence of Column
            The columns.
        labels : sequence, optional
            The declared classes; otherwise an ordered categorical or the integers seen decide.
        values : sequence or mapping, optional
            An increasing number per class; 1 to K by default.

        Returns
        -------
        Scale
            The scale.
        """
        scale = cls.of(labels) if labels is not None else _from_columns(columns)
        return scale.with_values(values)

    def with_values(self, values: Any) -> "Scale":
        """Return the scale with other class values.

        Parameters
        ----------
        values : sequence, mapping or None
            An increasing number per class; None keeps the present ones.

        Returns
        -------
        Scale
            The same classes with the new values.
        """
        return self if values is None else replace(self, values=_values(values, self))

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @property
    def numbers(self) -> Floats:
        """The class values as an array: `values`, or 1..K."""
        return np.asarray(self.values or range(1, self.k + 1), dtype=np.float64)

    @cached_property
    def index(self) -> dict[Any, int]:
        """The position of each label."""
        return {label: i for i, label in enumerate(self.labels)}

    @cached_property
    def _integers(self) -> tuple[int, ...]:
        """The labels if they are integers safe for arithmetic, else empty."""
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
        """Return class indices 0..K-1 of an array of labels.

        Parameters
        ----------
        labels : ndarray
            The labels.

        Returns
        -------
        ndarray of int
            The indices; a negative one, or one of K or more, marks an unknown label. The array may
            be the input itself and must not be modified.
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
        """Return the codes of whole numbers; other floats are unknown."""
        known = (labels == np.floor(labels)) & (np.abs(labels) < _SAFE)
        return np.where(known, self.encode(np.where(known, labels, 0).astype(np.intp)), -1)

    def describe(self) -> str:
        """Return the scale as text.

        Returns
        -------
        str
            The classes in order and their number.
        """
        shown = " < ".join(map(str, self.labels[:9])) + (" < …" if self.k > 9 else "")
        return f"{shown} (K = {self.k}{', inferred from integers' if self.inferred else ''})"


def _shift(labels: Array, low: int) -> Codes:
    """Return labels minus the lowest one, without a copy where none is needed."""
    whole = labels.astype(np.intp, copy=False)
    return whole - low if low else whole


def _look_up(labels: Array, low: int, table: Codes) -> Codes:
    """Return the entries of a table that starts at `low`; -1 outside."""
    offset = _shift(labels, low)
    inside = (offset >= 0) & (offset < len(table))
    return np.where(inside, table[np.where(inside, offset, 0)], -1)


def _declared(labels: Any) -> tuple[Any, ...]:
    if isinstance(labels, (str, bytes)):
        raise _labels_error(f"The labels are a single string, {abbreviate(labels)}.")
    if isinstance(labels, (set, frozenset)):
        raise _labels_error("The labels are a set, which has no order.")
    if isinstance(labels, Mapping):
        raise _labels_error(
            "The labels are a mapping, whose order may be accidental; numbers for the classes "
            "are given separately, as values."
        )
    if getattr(labels, "ordered", True) is False:
        raise _labels_error("The labels are an unordered categorical.")
    found = _plain(getattr(labels, "categories", labels))  # of an ordered categorical dtype
    if any(is_missing(label) for label in found):
        raise _labels_error(f"The labels include a missing value: {quoted(found)}.")
    repeated = [label for label in dict.fromkeys(found) if found.count(label) > 1]
    if repeated:
        raise _labels_error(f"The labels include {quoted(repeated)} more than once.")
    if len(found) < 2:
        given = f"a single class, {quoted(found)}" if found else "no class"
        raise InputError(
            f"The labels declare {given}; an ordinal scale needs at least two classes.",
            parameter="labels",
            hint="Declare every class that can occur, whether it was seen or not.",
        )
    return found


def _labels_error(message: str) -> InputError:
    return InputError(
        message,
        parameter="labels",
        hint="Declare the classes once each, lowest first, e.g. {labels}.",
        suggest={"labels": ["low", "medium", "high"]},
    )


def _plain(labels: Any) -> tuple[Any, ...]:
    """Return declared labels as a tuple of hashable values."""
    try:
        found = tuple(labels.tolist() if hasattr(labels, "tolist") else labels)
        hash(found)
    except TypeError:
        raise _labels_error(
            f"The labels are not a list of plain values: {abbreviate(labels)}."
        ) from None
    return found


def _values(values: Any, scale: Scale) -> tuple[float, ...]:
    if isinstance(values, Mapping):
        absent = [label for label in scale.labels if label not in values]
        if absent:
            raise InputError(
                f"The values have no entry for {quoted(absent)}; one number per class is expected.",
                parameter="values",
            )
        values = [values[label] for label in scale.labels]
    return class_values(values, scale.k)


def class_values(values: Any, k: int) -> tuple[float, ...]:
    """Return class values as K finite, strictly increasing numbers."""
    if isinstance(values, (str, Mapping)):
        raise _values_error(f"The values are not numbers: {abbreviate(values)}")
    try:
        numbers = tuple(float(v) for v in values)
    except (TypeError, ValueError):
        raise _values_error(f"The values are not numbers: {abbreviate(values)}") from None
    if len(numbers) != k:
        raise _values_error(f"There are {len(numbers)} values for {k} classes")
    rising = all(low < high for low, high in pairwise(numbers))
    if not rising or not all(np.isfinite(numbers)):
        raise _values_error(f"The values {list(numbers)} are not finite and strictly increasing")
    return numbers


def _values_error(problem: str) -> InputError:
    return InputError(
        f"{problem}; one number per class is expected, increasing from the lowest class on.",
        parameter="values",
    )


def _from_columns(columns: Sequence[Column]) -> Scale:
    ordered = [c for c in columns if c.ordered]
    if ordered:
        return _from_categoricals(ordered)
    ranges = [_integer_range(column) for column in columns]
    if any(r is None for r in ranges):
        raise _undeclared(columns)
    low = min(r[0] for r in ranges if r)
    high = max(r[1] for r in ranges if r)
    if high - low >= _MOST_INFERRED:
        raise InputError(
            f"The integer labels span {low}..{high}, which is too wide for classes.",
            parameter="labels",
            hint="Check that these are labels and not ids, or declare the scale with {labels}.",
            suggest={"labels": ...},
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
                f"{quoted(other.categories or ())}.",
                parameter="labels",
                hint="Declare the scale with {labels}.",
                suggest={"labels": ...},
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


def _undeclared(columns: Sequence[Column]) -> InputError:
    column = next(c for c in columns if _integer_range(c) is None)
    seen = [x for x in column.distinct() if not is_missing(x)]
    if column.data.dtype.kind == "f":
        return InputError(
            f"{column.name} holds numbers that are not whole ({quoted(seen, 3)}), which are not "
            "class labels.",
            parameter="labels",
            hint="Pass {bins} to bin them, or declare the classes with {labels}.",
            suggest={"bins": "round", "labels": ...},
        )
    return InputError(
        f"The order of the labels of {column.name} is not known: {quoted(seen)}. Alphabetical "
        "order is never assumed.",
        parameter="labels",
        hint="Declare the order, lowest first, e.g. {labels}.",
        suggest={"labels": ["low", "medium", "high"]},
    )
