"""Ordered scales of classes: every decision about the order of labels is made here."""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise, repeat
from math import isfinite
from typing import Any

import numpy as np

from .columns import (
    Column,
    is_missing,
    is_number,
    looks_missing,
    plain_number,
    refuse_huge,
    tidy,
)
from .errors import InputError, abbreviate, quoted
from .notes import Notes, warning
from .types import Array, Codes, Floats, Ints

_LOOKUP_SPAN = 1 << 16  # integer labels spread wider than this are looked up by hash
_MOST_INFERRED = 1000  # integers spanning more than this are probably not class labels
_MOST_CLASSES = 5_000  # a table of so many classes takes 200 MB
USUAL_STEPS = 10  # scales with at most so many steps are not questioned
_FAR = 5  # steps between a stray number and the nearest class
_MOST_STRAY = 4
_MOST_SUGGESTED, _LONG = 21, 200  # classes that a message lists, and their characters
CODES = frozenset(s * d for s in (1, -1) for d in (77, 88, 99, 777, 888, 999)) | {-7, -8, -9}
MOST_SHOWN = 101  # longer scales are shown in groups of classes, or in part
_NEAR_CODES = (8, 9)
_SAFE = 1 << 62  # differences of integers up to here do not overflow


@dataclass(frozen=True)
class Scale:
    """An ordered scale of K classes.

    Parameters
    ----------
    labels : tuple
        The classes from lowest to highest.
    values : tuple of float, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
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

    def __post_init__(self) -> None:
        """Refuse scales whose tables are too large to hold, and to be read from an archive."""
        if len(self.labels) > _MOST_CLASSES:
            raise InputError(
                f"The scale has {len(self.labels):,} classes; at most {_MOST_CLASSES:,} are "
                "possible.",
                parameter="labels",
                hint="Merge classes.",
            )

    @classmethod
    def of(cls, labels: Any, values: Any = None) -> "Scale":
        """Make a declared scale.

        Parameters
        ----------
        labels : sequence, ordered categorical type or Scale
            The classes from lowest to highest.
        values : sequence or mapping, optional
            An increasing number per class; by default numeric labels themselves, else 1 to K.

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
            An increasing number per class; by default numeric labels themselves, else 1 to K.

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

    def plain(self) -> "Scale":
        """Return the scale with labels that an archive can hold.

        Returns
        -------
        Scale
            The classes as texts, numbers and truth values; other labels, such as dates and members
            of enumerations, as their text.
        """
        labels = tuple(map(_plain_label, self.labels))
        same = all(new is old for new, old in zip(labels, self.labels, strict=True))
        return self if same or len(set(labels)) < self.k else replace(self, labels=labels)

    @property
    def k(self) -> int:
        """The number of classes."""
        return len(self.labels)

    @cached_property
    def numbers(self) -> Floats:
        """The class values: `values`, else numeric labels themselves, else 1..K.

        If numeric labels are declared from high to low, so that the lowest number is the best
        class, they are reflected (lowest + highest − label): distances stay and numbers increase.
        """
        own = _own_numbers(self.labels) if self.values is None else self.values
        found = np.asarray(own or range(1, self.k + 1), dtype=np.float64)
        found.flags.writeable = False
        return found

    @property
    def tells_order_only(self) -> bool:
        """Whether there are three or more classes of which only the order is declared."""
        numbers = all(isinstance(label, int | float | np.number) for label in self.labels)
        return self.k > 2 and self.values is None and not numbers

    @property
    def equidistant(self) -> bool:
        """Whether all neighbouring classes are equally far apart."""
        return _equal_steps(self.numbers)

    @property
    def shown_values(self) -> tuple[float, ...] | None:
        """The class values if readers cannot guess them: declared, or not in steps of 1."""
        steps_of_one = bool(np.all(np.diff(self.numbers) == 1))
        return None if self.values is None and steps_of_one else tuple(self.numbers.tolist())

    @property
    def notices(self) -> Notes:
        """What readers should know about the class values."""
        if self.values is not None:
            return ()
        ranks = f"values=range(1, {self.k + 1}), on the command line --values 1..{self.k}"
        if not self.equidistant:
            return (
                warning(
                    "values",
                    f"The classes are not equally far apart: the numbers {_listed(self.numbers)} "
                    f"are their values. To use ranks instead, declare the values 1 to {self.k} "
                    f"({ranks}).",
                ),
            )
        own = _numbers_in_texts(self.labels)
        if own and any(abs(high - low) != 1 for low, high in pairwise(own)):
            uneven = "" if _equal_steps(own) else ", which are not equally far apart"
            return (
                warning(
                    "values",
                    f"The labels are texts, so that the class values are the ranks 1 to {self.k}, "
                    f"not the numbers {_listed(own)}{uneven}. {_how_to_use(own)}",
                ),
            )
        return ()

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
        shown = " < ".join(_cut(str(label)) for label in self.labels[:9])
        shown += " < …" if self.k > 9 else ""
        return f"{shown} (K = {self.k}{', inferred from integers' if self.inferred else ''})"


def _plain_label(label: Any) -> Any:
    """Return a text, number or truth value without a type of its own; anything else as text."""
    if isinstance(label, np.generic):
        label = label.item()
    if type(label) in (str, bool, int, float):
        return label
    kind = next((kind for kind in (int, float) if isinstance(label, kind)), None)
    value = getattr(label, "value", label) if isinstance(label, str) else label
    return str(value) if kind is None else kind(label)


def _cut(text: str, limit: int = 60) -> str:
    return text if len(text) <= limit else text[:limit] + "…"


def _own_numbers(labels: Sequence[Any]) -> tuple[float, ...]:
    """Return increasing numbers from numeric labels; nothing if they have none, or no order."""
    if not all(is_number(label) for label in labels):
        return ()
    try:
        numbers = tuple(map(float, labels))
    except OverflowError:  # an integer of hundreds of digits
        return ()
    if not all(map(isfinite, numbers)):
        return ()
    numbers = _rising(numbers)
    return numbers if _increasing(numbers) else ()


def _how_to_use(own: Sequence[float]) -> str:
    """Return how to score with the numbers that labels are the texts of."""
    numbers = _rising(own)
    if not _increasing(numbers) or len(numbers) > _MOST_SUGGESTED:
        return "Declare the labels as numbers, or these numbers as values, to use them."
    shown = ", ".join(f"{number:g}" for number in numbers)
    return (
        f"To use the numbers, convert the labels to numbers, or declare values=[{shown}], on the "
        f"command line --values {shown.replace(', ', ',')}."
    )


def _rising(numbers: Sequence[float]) -> tuple[float, ...]:
    """Return numbers that fall from the first to the last one reflected, so that they rise."""
    if numbers[0] <= numbers[-1]:
        return tuple(numbers)
    return tuple(numbers[0] + numbers[-1] - number for number in numbers)


def _numbers_in_texts(labels: Sequence[Any]) -> tuple[float, ...]:
    """Return the numbers of labels that are texts which read as numbers, else nothing."""
    try:
        numbers = tuple(float(label) for label in labels if isinstance(label, str))
    except ValueError:
        return ()
    return numbers if len(numbers) == len(labels) and all(map(isfinite, numbers)) else ()


def _increasing(numbers: Sequence[float]) -> bool:
    return all(low < high for low, high in pairwise(numbers))


def _equal_steps(numbers: Sequence[float] | Floats) -> bool:
    found = np.asarray(numbers, dtype=np.float64)
    steps = found[1:] - found[:-1]
    first = steps[:1]  # one class has no steps
    return bool((np.abs(steps - first) <= 1e-9 * np.abs(first)).all())


def _listed(numbers: Iterable[float], limit: int = 9) -> str:
    shown = [f"{number:g}" for number in numbers]
    return ", ".join(shown[:limit]) + (", …" if len(shown) > limit else "")


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
    refuse_huge(found, "labels", digits=4000)  # of more digits Python makes no text
    if any(is_missing(label) for label in found):
        raise _labels_error(f"The labels include a missing value: {quoted(found)}.")
    if any(isinstance(label, (float, np.floating)) and not np.isfinite(label) for label in found):
        raise _labels_error(f"The labels include an infinite number: {quoted(found)}.")
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
        array = isinstance(labels, np.ndarray) and labels.dtype.kind in "SmM"
        given = tidy(labels, "labels") if array else labels
        given = given.tolist() if hasattr(given, "tolist") else given
        found = tuple(plain_number(label) for label in given)
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
    except (TypeError, ValueError, OverflowError):
        raise _values_error(f"The values are not numbers: {abbreviate(values)}") from None
    if len(numbers) != k:
        raise _values_error(f"There are {len(numbers)} values for {k} classes")
    if not _increasing(numbers) or not all(np.isfinite(numbers)):
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
    if high - low >= USUAL_STEPS:
        _refuse_stray(columns)
    elif low < 0 or high in _NEAR_CODES:
        _refuse_near(columns)
    if high - low >= _MOST_INFERRED:
        spans = [0 if r is None else r[1] - r[0] for r in ranges]
        widest = columns[spans.index(max(spans))].name
        among = f", those of {widest} most" if len(columns) > 1 else ""
        raise ColumnError(
            f"The integer labels span {low}..{high}{among}, which is too wide for classes.",
            widest,
            "Check that these are labels and not ids, or declare the scale with {labels}.",
            {"labels": ...},
        )
    booleans = all(c.data.dtype.kind == "b" for c in columns)
    return Scale((False, True), inferred=True) if booleans else _whole_numbers(low, high)


@lru_cache(maxsize=64)
def _whole_numbers(low: int, high: int) -> Scale:
    """Return an inferred scale; the same one for many calls, which keeps what it has computed."""
    return Scale(tuple(range(low, high + 1)), inferred=True)


def _refuse_stray(columns: Sequence[Column]) -> None:
    """Raise an error if integers are not plausible as the classes of one scale.

    Three things are not: a column with several times as many different values as gold, which is
    the first column; a few values far from all others; and many more classes than are used.
    """
    seen = [_distinct_integers(column) for column in columns]
    most = 3 * max(len(seen[0]), 3)
    for column, found in zip(columns[1:], seen[1:], strict=True):
        if len(found) > max(most, 2 * USUAL_STEPS):
            raise ColumnError(
                f"{column.name} has {len(found):,} different numbers and {columns[0].name} "
                f"{len(seen[0])}, so that they are hardly classes of one scale.",
                column.name,
                "Check that these are labels and not ids, or declare the scale with {labels}.",
                {"labels": ...},
            )
    used = sorted(set().union(*seen))
    stray = _stray(used)
    if stray:
        raise _stray_error(columns, seen, used, stray)
    span = used[-1] - used[0] + 1
    if 2 * USUAL_STEPS < span <= _MOST_INFERRED and 4 * len(used) < span:
        widest = max(range(len(seen)), key=lambda i: max(seen[i]) - min(seen[i]))
        few = len(used) <= _MOST_SUGGESTED
        raise ColumnError(
            f"The integer labels span {used[0]}..{used[-1]} and only {len(used)} of these {span:,} "
            f"numbers are used ({quoted(used, 8)}); the others are hardly classes.",
            columns[widest].name,
            "Declare the classes, e.g. with {labels}." if few else "Declare the classes: {labels}.",
            {"labels": used if few else ...},
        )


def _refuse_near(columns: Sequence[Column]) -> None:
    """Raise an error for codes such as -1 and 9 that are not far from the classes."""
    seen = [_distinct_integers(column) for column in columns]
    used = sorted(set().union(*seen))
    if stray := _near(used):
        raise _stray_error(columns, seen, used, stray)


def _near(used: Sequence[int]) -> list[int]:
    """Return codes that are apart from the classes: a negative one without 0, or 8 and 9.

    Negative numbers are classes if others mirror them, as in -2, -1, 1, 2.
    """
    below, rest = [x for x in used if x < 0], [x for x in used if x >= 0]
    if below and len(rest) > 1 and 0 not in rest and (len(below) == 1 or rest[-1] > -below[0]):
        return below
    above, rest = [x for x in used if x in _NEAR_CODES], [x for x in used if x < _NEAR_CODES[0]]
    if not above or len(rest) < 2 or rest != list(range(rest[0], rest[-1] + 1)):
        return []
    return above if rest[0] in (0, 1) and above[0] - rest[-1] > 2 else []


def _stray(used: Sequence[int]) -> list[int]:
    """Return a few numbers, such as 99, that are farther from the others than these spread."""
    rest, stray = list(used), list[int]()
    while len(rest) > 2:
        steps = [high - low for low, high in pairwise(rest)]
        i = max(range(len(steps)), key=steps.__getitem__)
        below, above = rest[: i + 1], rest[i + 1 :]
        odd, others = (below, above) if len(below) <= len(above) else (above, below)
        if len(below) == len(above):  # positive codes such as 88 and 99 are more usual
            odd, others = above, below
        gap, wide = steps[i], rest[-1] - rest[0] > USUAL_STEPS
        far = gap >= _FAR and gap > others[-1] - others[0] and len(odd) <= _MOST_STRAY
        if not far or not (wide or set(odd) <= CODES) or len(others) < 2:
            break
        rest, stray = others, [*stray, *odd]
    return sorted(stray)


def _stray_error(
    columns: Sequence[Column],
    seen: Sequence[AbstractSet[int]],
    used: Sequence[int],
    stray: list[int],
) -> "ColumnError":
    rest = sorted(set(used) - set(stray))
    for column, found in zip(columns, seen, strict=True):
        if len(found) > 1 and found <= set(stray):
            return ColumnError(
                f"{column.name} holds {quoted(sorted(found), 3)} only, far from the labels of the "
                f"other columns, {rest[0]}..{rest[-1]}.",
                column.name,
                "Check that these are labels and not ids, or declare the scale with {labels}.",
                {"labels": ...},
            )
    holders = [c.name for c, found in zip(columns, seen, strict=True) if found & set(stray)]
    also = f" (so {'does' if len(holders) == 2 else 'do'} {quoted(holders[1:])})"
    near = used[-1] - used[0] < USUAL_STEPS  # then it may be a class
    low, high = (used[0], used[-1]) if near else (rest[0], rest[-1])
    classes = list(range(low, high + 1))
    few = len(classes) <= _MOST_SUGGESTED
    otherwise = "if it is a class," if near else "otherwise correct it, or"
    return ColumnError(
        f"{holders[0]} holds {' and '.join(map(str, stray))}, {'apart' if near else 'far'} from "
        f"the other labels, {rest[0]}..{rest[-1]}{also if len(holders) > 1 else ''}.",
        holders[0],
        f"If that stands for a missing label, pass {{na}} and {{missing}}; {otherwise} declare "
        "every class, e.g. with {labels}.",
        {
            "na": stray[0] if len(stray) == 1 else stray,
            "missing": "skip",
            "labels": classes if few else ...,
        },
    )


def _distinct_integers(column: Column) -> set[int]:
    data = column.data
    if data.dtype.kind == "O":
        return {int(x) for x in data.tolist() if not is_missing(x)}
    if data.dtype.kind == "f":
        data = data[~np.isnan(data)]
    low, high = (int(data.min()), int(data.max())) if data.dtype.kind in "iu" else (0, _SAFE)
    if high - low >= _LOOKUP_SPAN:
        return set(map(int, np.unique(data).tolist()))
    counts = np.bincount(_shift(data, low))  # counting is faster than sorting
    return set((np.flatnonzero(counts) + low).tolist())


class ColumnError(InputError):
    """An error about the labels of one of several columns, whose name is `column`."""

    def __init__(self, message: str, column: str, hint: str, suggest: Mapping[str, object]) -> None:
        super().__init__(message, parameter="labels", hint=hint, suggest=suggest)
        self.column = column


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
        return _fractions(column.name, seen)
    every = list(dict.fromkeys(x for c in columns for x in c.distinct() if not is_missing(x)))
    if mixed := _numbers_as_text(columns, every):
        return mixed
    codes = _likely_codes(every)
    classes, known = plausible_order(x for x in every if x not in codes)
    if not codes and (own := _numbers_in_texts(classes)):
        return _texts_of_numbers(column.name, seen, own)
    few = len(classes) <= _MOST_SUGGESTED and sum(len(str(x)) for x in classes) < _LONG
    hint = "Declare the classes, lowest first, with {labels}."
    if few:
        hint = "Declare the order, lowest first, e.g. {labels}."
    if few and not known:
        hint = (
            "Declare the classes in the right order, lowest first; in no particular order: "
            "{labels}."
        )
    if alike := _alike(classes):
        hint = f"{quoted(alike)} differ in case or spaces only: write them alike. {hint}"
    if codes:
        stand = "stand for missing labels" if len(codes) > 1 else "stands for a missing label"
        whole = all(isinstance(x, int) for x in classes)
        hint = f"If {quoted(codes, 5)} {stand}, pass {{na}}." + f" {hint}" * (not whole)
    return ColumnError(
        f"The order of the labels of {column.name} is not known: {quoted(seen)}. Alphabetical "
        "order is never assumed.",
        column.name,
        hint,
        {"labels": classes if few else ..., "na": codes[0] if len(codes) == 1 else codes}
        if codes
        else {"labels": classes if few else ...},
    )


def _alike(labels: Iterable[Any]) -> list[str]:
    """Return two texts that differ in case or surrounding spaces only; nothing if none do."""
    seen: dict[str, str] = {}
    for label in labels:
        if isinstance(label, str) and seen.setdefault(label.strip().casefold(), label) != label:
            return [seen[label.strip().casefold()], label]
    return []


def _likely_codes(labels: Sequence[Any]) -> list[Any]:
    """Return texts, and numbers apart from the others, that may stand for missing labels."""
    words = [label for label in labels if looks_missing(label)]
    rest = [label for label in labels if label not in words]
    if not words or len(rest) < 2:
        return []
    whole = sorted(x for x in rest if isinstance(x, int))
    stray = (_stray(whole) or _near(whole)) if len(whole) == len(rest) else []
    return [*words, *stray]


def _texts_of_numbers(name: str, seen: Sequence[Any], own: Sequence[float]) -> InputError:
    """Return the error for labels that are texts which read as numbers."""
    numbers = [int(number) if number.is_integer() else number for number in own]
    convert = "int" if all(isinstance(number, int) for number in numbers) else "float"
    whole_steps = all(high - low == 1 for low, high in pairwise(numbers))
    few = len(numbers) <= _MOST_SUGGESTED
    declare = "" if whole_steps and convert == "int" else ", and declare the classes: {labels}"
    return ColumnError(
        f"The labels of {name} are numbers written as text: {quoted(seen)}.",
        name,
        f"Convert the labels of every column to numbers, e.g. [{convert}(x) for x in labels]"
        f"{declare}.",
        {"labels": numbers if few else ...},
    )


def _numbers_as_text(columns: Sequence[Column], labels: Sequence[Any]) -> InputError | None:
    """Return the error for columns that hold the same labels as numbers and as text."""
    words = {str(label).strip() for label in labels if not isinstance(label, str)}
    if not words & {label.strip() for label in labels if isinstance(label, str)}:
        return None
    texts = [c.name for c in columns if any(isinstance(x, str) for x in c.distinct())]
    return ColumnError(
        f"Labels are numbers in some columns and text in {quoted(texts)}; 1 and '1' are different "
        "labels.",
        texts[0],
        "Convert one to the other, e.g. text to integers with int.",
        {},
    )


def _fractions(name: str, seen: Sequence[float]) -> InputError:
    """Return the error for numbers that are not whole."""
    if all(0 <= number <= 1 for number in seen):
        return ColumnError(
            f"{name} holds numbers between 0 and 1 ({quoted(seen, 3)}), which look like "
            "probabilities, not class labels.",
            name,
            "Take the likeliest class (argmax) of each item, or compare distributions with "
            "quantify; if they are classes, declare them with {labels}.",
            {"labels": ...},
        )
    parts = [number for number in seen if not float(number).is_integer()]
    return ColumnError(
        f"{name} holds numbers that are not whole ({quoted(parts, 3)}), which are not class "
        "labels.",
        name,
        "Round them with {bins}, or declare the classes with {labels}.",
        {"bins": "round", "labels": ...},
    )


_ORDERS = tuple(
    tuple(text.split(", "))
    for text in (
        "none, minimal, trace, mild, slight, moderate, marked, severe, extreme, proliferative",
        "very low, low, medium, mid, middle, high, very high",
        "strongly disagree, disagree, somewhat disagree, neither agree nor disagree, neutral, "
        "undecided, somewhat agree, agree, strongly agree",
        "very negative, strongly negative, negative, slightly negative, neutral, "
        "slightly positive, positive, strongly positive, very positive",
        "terrible, very bad, very poor, bad, poor, fair, average, ok, okay, acceptable, good, "
        "very good, excellent, outstanding",
        "never, rarely, seldom, sometimes, occasionally, often, usually, frequently, always",
        "no, maybe, yes",
        "i, p, c",  # incorrect, partially correct and correct, as Inspect grades
        "incorrect, partially correct, correct",
        "false, true",
        "fail, pass",
        "not relevant, irrelevant, marginally relevant, partially relevant, relevant, "
        "highly relevant",
        "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
        "very unlikely, unlikely, neutral, likely, very likely",
        "small, medium, large",
        "xs, s, m, l, xl",
        "a1, a2, b1, b2, c1, c2",
    )
)
_LEADING = re.compile(r"\s*([+-]?\d+(?:\.\d+)?)")


def plausible_order(labels: Iterable[Any]) -> tuple[list[Any], bool]:
    """Return labels in a plausible order, and whether it is more than alphabetical.

    >>> plausible_order(["high", "Low", "medium"])
    (['Low', 'medium', 'high'], True)
    """
    found = list(labels)
    words = {label: " ".join(re.split(r"[\s_-]+", str(label).strip().lower())) for label in found}
    for order in _ORDERS:
        if all(word in order for word in words.values()):
            return sorted(found, key=lambda label: order.index(words[label])), True
    leading = {label: _LEADING.match(str(label)) for label in found}
    if all(leading.values()):
        return sorted(found, key=lambda x: (float(leading[x][1]), str(x))), True  # type: ignore[index]
    return sorted(found, key=lambda label: (words[label], str(label))), False


def class_groups(labels: Sequence[Any], most: int = MOST_SHOWN) -> tuple[list[str], Ints]:
    """Divide a long scale into groups of adjacent classes of equal number, the last may be smaller.

    Parameters
    ----------
    labels : sequence
        The classes from lowest to highest.
    most : int, optional
        The largest number of groups.

    Returns
    -------
    names : list of str
        The label of a class, or the first and the last of a group.
    starts : ndarray of int
        The position of the first class of each group.

    Examples
    --------
    >>> from ordeval.scale import class_groups
    >>> class_groups(range(5), most=3)
    (['0 to 1', '2 to 3', '4'], array([0, 2, 4]))
    """
    sizes = (digit * 10**power for power in range(9) for digit in (1, 2, 5))
    size = next(size for size in sizes if len(labels) <= size * most)
    starts = np.arange(0, len(labels), size)
    names = []
    for start in starts:
        first, last = labels[start], labels[min(start + size, len(labels)) - 1]
        names.append(str(first) if first == last else f"{first} to {last}")
    return names, starts
