"""A column of labels as distinct values and the position of every row among them; group names.

`containers.read_column` makes a `Column` of any container.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ..errors import InputError, NoItemsError, first_few
from ..types import Array, Codes, Ints

CHUNK = 1 << 17  # rows a step: the codes of a chunk stay in the processor's cache
_LARGEST_BYTE = 255
_EXACT = 2**53  # whole floats below are integers
_SPAN = 1 << 16  # integers within such a range are positions in it
_WHOLE_FLOAT = re.compile(r"-?[0-9]{1,16}\.0+|-0")
_MOMENT = re.compile(  # second, fraction, zone
    r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?"
)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(eq=False)  # frozen ones are slow to make
class Column:
    """Labels of N rows; `name` is that of messages.

    `data` holds integers, floats or objects; with `categories`, the distinct values, it holds
    positions in these, and their number where a label is missing. `known_ends` are the least and
    the largest position, where these are known.
    """

    data: Array
    name: str
    categories: Sequence[Any] | None = None
    ordered: bool = False
    known_ends: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.data)

    @property
    def is_numeric(self) -> bool:
        """Whether the labels are held as numbers."""
        return self.categories is None and self.data.dtype.kind in "iubf"

    def take(self, rows: Any) -> "Column":
        """Return some of the rows."""
        return replace(self, data=self.data[rows], known_ends=None)

    def coded(self, out: Array | None = None) -> "Column":
        """Return the column as positions among distinct values, if possible in the bytes `out`."""
        if self.categories is not None:
            return self
        codes, values, ends = _factor(self.data, out)
        return Column(codes, self.name, values, False, ends)

    @property
    def values(self) -> Sequence[Any]:
        """The distinct values of a coded column."""
        assert self.categories is not None
        return self.categories

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest position in a coded column that is not empty."""
        if self.known_ends is not None:
            return self.known_ends
        return int(np.minimum.reduce(self.data)), int(np.maximum.reduce(self.data))

    @cached_property
    def rows(self) -> Ints:
        """How many rows of a coded column have each value; the last number is that of gaps."""
        return np.bincount(self.data, minlength=len(self.values) + 1)

    def distinct(self) -> list[Any]:
        """Return the distinct labels, without missing ones."""
        coded = self.coded()
        return [value for value, n in zip(coded.values, coded.rows.tolist(), strict=False) if n]


def code_type(k: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes of K classes, and K for none."""
    return np.uint8 if k < 2**8 else np.uint16 if k < 2**16 else np.uint32


def recoded(codes: Array, table: Array) -> Array:
    """Return the entries of a table for codes, chunk by chunk."""
    if len(codes) <= CHUNK:
        return np.asarray(table[codes])
    out = np.empty(len(codes), table.dtype)
    for start in range(0, len(codes), CHUNK):
        out[start : start + CHUNK] = table[codes[start : start + CHUNK]]
    return out


Factored = tuple[Array, Sequence[Any], tuple[int, int] | None]


def _factor(data: Array, out: Array | None = None) -> Factored:
    """Return positions among distinct values, these, and the ends of the positions if known.

    The number of values stands for missing ones.
    """
    kind = data.dtype.kind
    if kind in "iu":
        return _of_integers(data, out)
    if kind == "b":
        return data.view(np.uint8), (False, True), None
    return _of_floats(data) if kind == "f" else _of_objects(data)


def _of_integers(data: Array, out: Array | None = None) -> Factored:
    """Return small integers as positions in a range, which begins at 0 where that is possible."""
    if not len(data):
        return np.empty(0, np.uint8), (), None
    codes = np.empty(len(data), np.uint8) if out is None else out
    start, low, high = 0, _LARGEST_BYTE, 0
    for first in range(0, len(data), CHUNK):
        part = data[first : first + CHUNK].astype(np.intp, copy=False)
        # Negative numbers are huge as unsigned ones.
        top = int(np.maximum.reduce((part - start if start else part).view(np.uintp)))
        if top >= _LARGEST_BYTE and not first:
            start = int(np.minimum.reduce(part))
            top = int(np.maximum.reduce((part - start).view(np.uintp)))
        if top >= _LARGEST_BYTE:
            return _of_wide_integers(data)
        chunk = codes[first : first + CHUNK]
        chunk[:] = part - start if start else part
        low, high = min(low, int(np.minimum.reduce(chunk))), max(high, top)
    return codes, range(start, start + high + 1), (low, high)


def _of_wide_integers(data: Array) -> Factored:
    low, high = int(data.min()), int(data.max())
    if high - low < min(_SPAN, max(CHUNK, len(data))):
        codes = data.astype(np.intp, copy=False) - low
        return codes.astype(code_type(high - low + 1)), range(low, high + 1), (0, high - low)
    return _sorted_values(data)


def _sorted_values(data: Array) -> Factored:
    values, places = np.unique(data, return_inverse=True)
    return places.astype(code_type(len(values))), tuple(values.tolist()), None


def _of_floats(data: Array) -> Factored:
    present = ~np.isnan(data)
    numbers = data if present.all() else data[present]
    whole = len(numbers) and np.abs(numbers).max() < _EXACT and np.all(numbers == np.floor(numbers))
    factored = _of_integers(numbers.astype(np.int64)) if whole else _sorted_values(numbers)
    codes, values, _ = factored
    return factored if numbers is data else (spread(codes, present, len(values)), values, None)


def spread(codes: Array, present: Array, k: int) -> Array:
    """Return the codes of the rows that are present, and K at all others."""
    out = np.full(len(present), k, code_type(k))
    out[present] = codes
    return out


def _of_objects(data: Array) -> Factored:
    index: defaultdict[Any, int] = defaultdict(count().__next__)
    places = np.empty(len(data), np.uint32)
    for start in range(0, len(data), CHUNK):
        part = data[start : start + CHUNK].tolist()
        places[start : start + CHUNK] = [index[label] for label in part]
    values = tuple(x for x in index if isinstance(x, str) or not is_missing(x))
    k = len(values)
    if k == len(index):
        return places.astype(code_type(k), copy=False), values, None
    kept = count()
    table = [k if is_missing(value) else next(kept) for value in index]
    return np.asarray(table, code_type(k))[places], values, None


def check_same_length(columns: Sequence[Column]) -> int:
    """Return the common length of the columns; raise an error if they differ."""
    first, *others = columns
    n = len(first)
    odd = [column for column in others if len(column) != n]
    if not n and not odd:
        raise NoItemsError(
            f"There are no items: {first.name[:60]} is empty.",
            parameter=parameter_of(first.name),
        )
    if odd:
        lengths = [f"{c.name[:60]}: {len(c):,}" for c in (first, *odd)]
        raise InputError(
            f"The columns differ in length ({first_few(lengths, 6)}); every item needs a label in "
            "each.",
            parameter=parameter_of(odd[-1].name),
            hint="Check that all list the same items in the same order.",
        )
    return n


def parameter_of(name: str) -> str:
    """Return the parameter that a column was given as; systems have names of their own."""
    return name if is_parameter(name) else "y_pred"


def is_parameter(name: str) -> bool:
    """Return whether messages about a column of this name are about a parameter."""
    return name in ("y_true", "topic", "cluster", "weight", "frequency", "rate", "by")


def is_missing(label: Any) -> bool:
    """Return whether a label is missing: None, NaN, or pandas' NA or NaT."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(label, (float, np.floating)) and bool(label != label)


def as_number(value: Any) -> float | None:
    """Return the number that a value is, or that a text reads as; None if there is none."""
    if not is_number(value) and not isinstance(value, str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def is_number(label: Any) -> bool:
    """Return whether a label is a number; truth values are not."""
    return isinstance(label, (int, float, np.integer, np.floating)) and not isinstance(label, bool)


def is_no_group(value: Any) -> bool:
    """Return whether a topic or cluster is missing: an empty text is, which CSV has for no value.

    >>> is_no_group(""), is_no_group(None), is_no_group(" "), is_no_group(0)
    (True, True, False, False)
    """
    return is_missing(value) or (isinstance(value, str) and not value)


def group_name(value: Any) -> str:
    """Return the name of a topic or cluster: its text, whole numbers without a point, times in UTC.

    The same names come from integers, from floats, which integers beside gaps may have become, from
    times of every library, and from files, which hold text.

    >>> group_name(1), group_name(1.0), group_name("1.0"), group_name(2.5), group_name("1.10")
    ('1', '1', '1', '2.5', '1.10')
    >>> group_name("-0"), group_name("2024-03-31T01:30:00.500+01:00")
    ('0', '2024-03-31 00:30:00.500000')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value)
    if moment := _MOMENT.fullmatch(text):
        return _in_utc(text, *moment.groups())
    return str(int(text.partition(".")[0])) if _WHOLE_FLOAT.fullmatch(text) else text


def _in_utc(text: str, second: str, fraction: str | None, zone: str | None) -> str:
    """Return the text of a time as Python writes it, but with nanoseconds, and without a zone."""
    try:
        moment = datetime.fromisoformat(f"{second}{zone or ''}")
        moment = moment.astimezone(UTC).replace(tzinfo=None) if zone else moment
    except (ValueError, OverflowError):
        return text
    digits = (fraction or "").rstrip("0")
    return f"{moment}.{digits.ljust(6 if len(digits) <= 6 else 9, '0')}" if digits else str(moment)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Sort names: numbers by size, then other texts by their characters, the same way everywhere.

    >>> sorted_names(["b", "10", "-2", "9", "1.5", "B"])
    ['-2', '1.5', '9', '10', 'B', 'b']
    """
    numbers, texts = list[str](), list[str]()
    for name in names:
        (numbers if _NUMBER.fullmatch(name) else texts).append(name)
    return [*sorted(numbers, key=lambda name: (Decimal(name), name)), *sorted(texts)]


def groups_of(column: Column) -> tuple[Codes, tuple[str, ...]]:
    """Return for every row a position in the sorted names of groups (their number is none)."""
    coded = column.coded()
    used = np.flatnonzero(coded.rows[:-1]).tolist()
    values = [coded.values[i] for i in used]
    numbers = _whole_numbers(values)
    if numbers is None:
        names = [None if is_no_group(value) else group_name(value) for value in values]
        ordered = sorted_names({name for name in names if name is not None})  # 1 and "1" are one
        place: dict[Any, int] = {name: i for i, name in enumerate(ordered)}
        places = [place.get(name, len(ordered)) for name in names]
    else:
        order = np.argsort(numbers)
        ordered, places = list(map(str, numbers[order].tolist())), np.argsort(order).tolist()
    table = np.full(len(coded.values) + 1, len(ordered), dtype=np.intp)
    table[used] = places
    return recoded(coded.data, table), tuple(ordered)


def _whole_numbers(values: list[Any]) -> Ints | None:
    """Return values as integers if all are written as such, which are sorted much faster."""
    kinds = set(map(type, values))
    if kinds != {int} and (kinds != {str} or not values[0].lstrip("-").isdecimal()):
        return None
    try:
        numbers = [int(value) for value in values]
        written = kinds == {int} or list(map(str, numbers)) == values
        return np.asarray(numbers, dtype=np.int64) if written else None
    except (OverflowError, ValueError):
        return None
