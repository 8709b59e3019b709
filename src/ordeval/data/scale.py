"""Ordered scales of classes: declared labels and class values, and what integers tell of one.

Order is never guessed: ordered categoricals and integers have one, and integers that are hardly the
classes of one scale (99 among 1 to 5) are refused with what to declare.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, plural, quoted
from ..notes import Notes, warning
from ..types import Codes, Floats, Ints
from .column import Column, as_number, is_missing, is_number
from .containers import plain_number, refuse_huge, tidy

_MOST_CLASSES = 5_000  # a table of so many classes takes 200 MB
_SAFE = 1 << 62  # differences of integers up to here do not overflow
MOST_SHOWN = 101  # longer scales are shown in groups of classes, or in part
_MOST_INFERRED = 1000  # integers spanning more than this are probably not class labels
_USUAL_STEPS = 10  # scales with at most so many steps are not questioned
_FAR = 5  # steps between a stray number and the nearest class
_MOST_STRAY = 4
_MOST_MISSING = 0.5  # of the labels, whose codes are suggested
_COMMA = re.compile(r"\s*[+-]?\d*,\d+\s*")
_RARE = 0.1  # the largest share of labels that may be codes for missing ones
_MOST_SUGGESTED, _LONG = 30, 200  # classes that a message lists, and their characters
_LOWEST_FIRST = ["lowest", "...", "highest"]  # their order is not known, and none is to be pasted
_CODES = frozenset(s * d for s in (1, -1) for d in (77, 88, 99, 777, 888, 999)) | {-7, -8, -9}
_NEAR_CODES = (8, 9)
PROBABILITIES = "; evaluate and compare take probabilities as {proba}"
_FRACTIONS = "Round them with {bins}, or declare the classes, lowest first, with {labels}"
_FRACTIONS += f"{PROBABILITIES}."
_BETWEEN = "Round them with {bins}, or cut them at edges such as those of cutpoints"
_BETWEEN += f"{PROBABILITIES}."


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
    _checked: bool = field(default=False, init=False, repr=False, compare=False)

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
            if labels._checked and values is None:
                return labels
            labels, values = labels.labels, labels.values if values is None else values
        scale = cls(_declared(labels)).with_values(values)
        object.__setattr__(scale, "_checked", True)
        return scale

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

    def same_classes(self, other: "Scale") -> bool:
        """Return whether two scales have the same labels and values.

        Parameters
        ----------
        other : Scale
            The other scale.

        Returns
        -------
        bool
            Whether tables on both can be added.
        """
        return (self.labels, self.values) == (other.labels, other.values)

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
        steps = self.numbers[1:] - self.numbers[:-1]
        return bool((np.abs(steps - steps[:1]) <= 1e-9 * np.abs(steps[:1])).all())

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
        own = _numbers_in_texts(self.labels)
        if not self.equidistant:
            text = (
                f"The classes are not equally far apart: the numbers {_listed(self.numbers)} are "
                f"their values. To use ranks instead, declare the values 1 to {self.k}."
            )
        elif own and any(abs(high - low) != 1 for low, high in pairwise(own)):
            text = (
                f"The labels are texts, so that the class values are the ranks 1 to {self.k}. To "
                f"use the numbers {_listed(own)} instead, declare them as values."
            )
        else:
            return ()
        return (warning("values", text),)

    def inferred_notice(self) -> Notes:
        """Return the notice that the scale was inferred, if it was.

        Returns
        -------
        tuple of Note
            One notice, or none.
        """
        text = f"The scale was inferred: {self.describe()}; declare the labels if other classes "
        return (warning("scale", f"{text}exist.", request=True),) * self.inferred

    @cached_property
    def index(self) -> dict[Any, int]:
        """The position of each label."""
        return {label: i for i, label in enumerate(self.labels)}

    @cached_property
    def first_integer(self) -> int | None:
        """The lowest label if the labels are consecutive integers, else None."""
        first = self.labels[0]
        if not isinstance(first, (int, np.integer)) or abs(int(first)) > _SAFE:
            return None
        whole = all(isinstance(label, (int, np.integer)) for label in self.labels)
        same = whole and self.labels == tuple(range(int(first), int(first) + self.k))
        return int(first) if same else None

    @cached_property
    def farthest(self) -> Codes:
        """For every class the class farthest from it, the lowest where two are as far."""
        distances = np.abs(self.numbers[:, None] - self.numbers)
        return np.asarray(distances.argmax(axis=1), dtype=np.intp)

    def describe(self) -> str:
        """Return the scale as text.

        Returns
        -------
        str
            The classes in order and their number.
        """
        texts = [str(label) for label in self.labels[:9]]
        shown = " < ".join(text if len(text) <= 60 else f"{text[:60]}…" for text in texts)
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


def _own_numbers(labels: Sequence[Any]) -> tuple[float, ...]:
    """Return increasing numbers from numeric labels; nothing if they have none, or no order.

    Numbers that fall from the first to the last label are reflected, so that they rise.
    """
    try:
        numbers = tuple(map(float, labels)) if all(map(is_number, labels)) else ()
    except OverflowError:  # an integer of hundreds of digits
        numbers = ()
    if numbers and numbers[0] > numbers[-1]:
        numbers = tuple(numbers[0] + numbers[-1] - number for number in numbers)
    return numbers if _increasing(numbers) else ()


def _numbers_in_texts(labels: Sequence[Any]) -> tuple[float, ...]:
    """Return the numbers of labels that are texts which read as numbers, else nothing."""
    numbers = [as_number(label) for label in labels if isinstance(label, str)]
    known = [number for number in numbers if number is not None]
    return tuple(known) if len(known) == len(labels) else ()


def _increasing(numbers: Sequence[float]) -> bool:
    """Return whether numbers are finite and each is larger than the one before."""
    return all(map(isfinite, numbers)) and all(low < high for low, high in pairwise(numbers))


def _listed(numbers: Iterable[float], limit: int = 9) -> str:
    shown = [f"{number:g}" for number in numbers]
    return ", ".join(shown[:limit]) + (", …" if len(shown) > limit else "")


def _declared(labels: Any) -> tuple[Any, ...]:
    """Return declared labels, checked."""
    if isinstance(labels, (str, bytes)):
        raise _labels_error(f"The labels are a single string, {abbreviate(labels)}.")
    if isinstance(labels, (set, frozenset, Mapping)) or getattr(labels, "ordered", True) is False:
        raise _labels_error(f"The labels are a {type(labels).__name__}, which has no order.")
    found = _plain(getattr(labels, "categories", labels))  # of an ordered categorical dtype
    kinds = set(map(type, found))
    if int in kinds:
        refuse_huge(found, "labels", digits=4000)  # of more digits Python makes no text
    if not kinds <= {str, int, bool} and not all(map(_is_label, found)):
        raise _labels_error(f"The labels include a missing or infinite value: {quoted(found)}.")
    if len(set(found)) < len(found):
        repeated = [label for label, times in Counter(found).items() if times > 1]
        raise _labels_error(f"The labels include {quoted(repeated)} more than once.")
    if len(found) < 2:
        raise _labels_error(
            f"The labels declare {plural(len(found), 'class', 'classes')}; an ordinal scale needs "
            "at least two, whether they were seen or not."
        )
    return found


def _is_label(label: Any) -> bool:
    infinite = isinstance(label, (float, np.floating)) and not np.isfinite(label)
    return not infinite and not is_missing(label)


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
        if absent := [label for label in scale.labels if label not in values]:
            raise _values_error(f"The values have no entry for {quoted(absent)}")
        values = [values[label] for label in scale.labels]
    return class_values(values, scale.k)


def class_values(values: Any, k: int) -> tuple[float, ...]:
    """Return class values as K finite, strictly increasing numbers."""
    try:
        numbers = () if isinstance(values, (str, Mapping)) else tuple(float(v) for v in values)
    except (TypeError, ValueError, OverflowError):
        numbers = ()
    if not numbers:
        raise _values_error(f"The values are not numbers: {abbreviate(values)}")
    if len(numbers) != k:
        raise _values_error(f"There are {len(numbers)} values for {k} classes")
    if not _increasing(numbers):
        raise _values_error(
            f"The values {abbreviate(list(numbers))} are not finite and strictly increasing"
        )
    return numbers


def _values_error(problem: str) -> InputError:
    return InputError(
        f"{problem}; one number per class is expected, increasing from the lowest class on.",
        parameter="values",
    )


def class_groups(labels: Sequence[Any], most: int = MOST_SHOWN) -> tuple[list[str], Ints]:
    """Divide a long scale into groups of adjacent classes of equal number, the last may be smaller.

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


# Undeclared scales, and labels that are on no scale.


def infer_scale(columns: Sequence[Column]) -> Scale:
    """Return the scale of an ordered categorical, or the span of integers."""
    columns = [column.coded() for column in columns]
    if ordered := [column for column in columns if column.ordered]:
        return _of_categoricals(ordered)
    ends = [end for column in columns if (end := _integer_ends(column))]
    if len(ends) < len(columns):
        columns = [column for column in columns if column.distinct()]  # others say nothing
        if len(ends) < len(columns) or not columns:
            raise _undeclared(columns)
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if high == 1 and all(column.values == (False, True) for column in columns):
        return Scale((False, True), inferred=True)
    if high - low >= _USUAL_STEPS or low < 0 or high in _NEAR_CODES:
        return _of_odd_numbers(columns)
    return _whole_numbers(low, high)


@lru_cache(maxsize=64)
def _whole_numbers(low: int, high: int) -> Scale:
    """Return an inferred scale; the same one for many calls, which keeps what it has computed."""
    return Scale(tuple(range(low, high + 1)), inferred=True)


def _of_categoricals(columns: Sequence[Column]) -> Scale:
    first = columns[0]
    for other in columns[1:]:
        if other.values != first.values:
            raise InputError(
                f"{first.name} and {other.name} are ordered categoricals with different "
                f"categories: {quoted(first.values)} against {quoted(other.values)}.",
                parameter="labels",
                hint="Declare the scale with {labels}.",
            )
    return Scale.of(first.values)


def _integer_ends(column: Column) -> tuple[int, int] | None:
    """Return the least and the largest label of a coded column; None unless all are integers."""
    values = column.values
    if isinstance(values, range) and len(column.data):
        first, last = column.ends
        if last < len(values):
            return values[first], values[last]
    whole = column.distinct()
    if not whole or not all(map(_is_whole, whole)):
        return None
    return int(min(whole)), int(max(whole))


def _is_whole(label: Any) -> bool:
    """Return whether a label is an integer, a truth value, or a float that is whole."""
    fraction = isinstance(label, (float, np.floating))
    return float(label).is_integer() if fraction else isinstance(label, (int, np.integer))


def _of_odd_numbers(columns: Sequence[Column]) -> Scale:
    """Return the scale of integers; raise an error if they are hardly the classes of one scale."""
    seen = [
        Counter({int(x): n for x, n in zip(c.values, c.rows.tolist(), strict=False) if n})
        for c in columns
    ]
    every = sum(seen, Counter[int]())
    used = sorted(every)
    span = used[-1] - used[0] + 1
    most = max(3 * max(len(seen[0]), 3), 2 * _USUAL_STEPS)
    many = [i for i, labels in enumerate(seen) if i and len(labels) > most]
    stray = [] if many else _stray(used, every) or _near(used, seen)
    holders = [i for i, labels in enumerate(seen) if set(stray) & set(labels)]
    if many:
        problem = f"has {len(seen[many[0]]):,} different numbers and {columns[0].name} "
        problem += f"{len(seen[0]):,}, so they are probably not on one scale"
    elif stray:
        rest = sorted(set(used) - set(stray))
        problem = f"holds {' and '.join(map(str, stray))}, apart from the other labels, "
        problem += f"{rest[0]}..{rest[-1]}"
    elif span <= 2 * _USUAL_STEPS or (span <= _MOST_INFERRED and 4 * len(used) >= span):
        return _whole_numbers(used[0], used[-1])
    elif len(used) > 2 and len({high - low for low, high in pairwise(used)}) == 1:
        return Scale(tuple(used), inferred=True)  # such as 0, 25, 50, 75, 100
    else:
        holders = [max(range(len(seen)), key=lambda i: max(seen[i]) - min(seen[i]))]
        problem = f"has integers of which most are absent: {len(used):,} of the {span:,} from "
        problem += f"{used[0]} to {used[-1]} are used"
    hint = "Declare every class, lowest first: {labels}."
    suggest: dict[str, Any] = {"labels": _suggested(used)}
    if stray and _are_rare(stray, every):
        hint = "If that stands for a missing label, pass {na} and {missing}; otherwise declare "
        hint += "every class, lowest first: {labels}."
        suggest |= _as_missing(stray)
    name = columns[[*many, *holders][0]].name
    raise InputError(
        f"{name} {problem}.", parameter="labels", hint=hint, suggest=suggest, column=name
    )


def _near(used: Sequence[int], seen: Sequence[Counter[int]]) -> list[int]:
    """Return codes that are close to the classes: 8 and 9 above a hole, or one negative number.

    A negative number is a code if there is no 0, and -1 also if gold or the systems never have it.
    """
    if used[-1] - used[0] >= _USUAL_STEPS:
        return []
    below, rest = [x for x in used if x < 0], [x for x in used if x >= 0]
    one_sided = len(seen) > 1 and (-1 in seen[0]) != any(-1 in labels for labels in seen[1:])
    if len(below) == 1 and len(rest) > 1 and rest[-1] > 1 and (0 not in rest or one_sided):
        return below
    above, rest = [x for x in used if x in _NEAR_CODES], [x for x in used if x < _NEAR_CODES[0]]
    run = len(rest) > 1 and rest[0] in (0, 1) and rest[-1] - rest[0] == len(rest) - 1
    return above if run and above and above[0] - rest[-1] > 2 else []


def _stray(used: Sequence[int], every: Counter[int]) -> list[int]:
    """Return a few numbers, such as 99, that are farther from the others than these spread.

    Numbers that are frequent, and no usual codes, are classes.
    """
    rest, stray = list(used), list[int]()
    while len(rest) > 2 and used[-1] - used[0] >= _USUAL_STEPS:
        steps = [high - low for low, high in pairwise(rest)]
        i = max(range(len(steps)), key=steps.__getitem__)
        below, above = rest[: i + 1], rest[i + 1 :]  # as many: 88 and 99 are more usual than -8, -9
        odd, others = (below, above) if len(below) < len(above) else (above, below)
        wide = rest[-1] - rest[0] > _USUAL_STEPS or set(odd) <= _CODES
        far = steps[i] >= _FAR and steps[i] > others[-1] - others[0] and len(odd) <= _MOST_STRAY
        if not far or not wide or len(others) < 2:
            break
        rest, stray = others, [*stray, *odd]
    return sorted(stray) if set(stray) <= _CODES or _are_rare(stray, every) else []


def _are_rare(stray: Sequence[int], every: Counter[int]) -> bool:
    """Return whether numbers are as rare as codes for missing labels."""
    return sum(every[x] for x in stray) <= max(2, _RARE * every.total())


def _suggested(labels: Sequence[Any]) -> Any:
    """Return labels that a message suggests; an ellipsis for many of them."""
    short = len(labels) <= _MOST_SUGGESTED and sum(len(str(x)) for x in labels) < _LONG
    return list(labels) if short else ...


def _as_missing(codes: Sequence[Any]) -> dict[str, Any]:
    """Return the settings that take labels for missing ones."""
    return {"na": codes[0] if len(codes) == 1 else list(codes), "missing": "skip"}


def of_json(name: str, labels: Sequence[Any]) -> InputError | None:
    """Return the error that labels are objects or lists of JSON, if they are."""
    if not all(isinstance(label, str) and label[:1] in ("{", "[") for label in labels):
        return None
    problem = f"{name} holds objects or lists of JSON, such as {abbreviate(labels[0])}."
    hint = f"Name a field of an object, as in '{name}.field'; `agreement` reads lists."
    return InputError(problem, hint=hint, column=name)


def _undeclared(columns: Sequence[Column]) -> InputError:
    """Return the error that the order of labels is not known."""
    if not columns:
        return InputError("Every label is missing, so nothing is left to score.")
    column = next(c for c in columns if _integer_ends(c) is None)
    every = {label for c in columns for label in c.distinct()}
    classes = sorted(every, key=lambda x: (as_number(x) is None, as_number(x) or 0, str(x)))
    words = [label for label in classes if not is_number(label)]
    name, own = column.name, set(column.distinct())
    seen = [label for label in classes if label in own]  # engines give them in any order
    ordered = all(as_number(label) is not None for label in classes)
    suggest: dict[str, Any] = {"labels": _suggested(classes) if ordered else _LOWEST_FIRST}
    hint = "Give every class, lowest first: {labels}."
    problem = f"The order of the labels of {name} is not known: {quoted(seen)}. Alphabetical order "
    problem += "is never assumed."
    if json := of_json(name, seen):
        return json
    if not words:
        problem = f"{name} holds numbers that are not whole ({quoted(filter(_is_part, seen), 3)}), "
        problem += "which are not class labels."
        numbers = [as_number(label) or 0 for label in classes]
        even = len({round(b - a, 9) for a, b in pairwise(numbers)}) == 1
        hint, suggest = _FRACTIONS, {"bins": "round", **(suggest if even else {"labels": ...})}
    elif len(words) < len(classes) and any(as_number(word) is not None for word in words):
        hint = "Write all labels as numbers, or all as texts."
        if stray := [word for word in words if as_number(word) is None]:
            hint = f"{quoted(stray, 3)} is no number. {hint}"
    elif all(_COMMA.fullmatch(str(word)) for word in words):
        hint, suggest = "If these are decimal commas, write points.", {}
    elif any(map(is_number, seen)):
        problem = f"{name} holds {quoted(x for x in seen if x in words)} among numbers."
        hint = "Correct it or, if it stands for a missing label, pass {na} and {missing}."
        suggest = _as_missing(words)
    return InputError(problem, parameter="labels", hint=hint, suggest=suggest, column=name)


def _is_part(label: Any) -> bool:
    return isinstance(label, float) and not label.is_integer()


def unknown_hint(
    unknown: Sequence[Any], scale: Scale, share: float = 0.0
) -> tuple[str, dict[str, Any]]:
    """Return a hint about labels outside a scale, and the settings that it suggests.

    `share` is that of the items with such labels.
    """
    alike = {_folded(label): label for label in scale.labels}
    for label in unknown:
        near = alike.get(_folded(label))
        if near is not None and not (is_number(label) and is_number(near)):  # -1 is not 1
            both = f"{abbreviate(label)} and {abbreviate(near)}"
            return f"{both} are different labels: write them alike.", {}
    numeric = all(map(is_number, scale.labels))
    if numeric and any(map(_is_part, unknown)):
        return _BETWEEN, {"bins": "round"}
    if not numeric and all(is_number(label) and 0 <= label <= 1 for label in unknown):
        return "If these are probabilities, evaluate and compare take them as {proba}.", {}
    if share > _MOST_MISSING:
        hint = "They are on another scale: recode them, or declare their classes with {labels}."
        return hint, {"labels": ...}
    ends = set() if (low := scale.first_integer) is None else {low - 1, low + scale.k}
    shifted = "Check that all count the classes from the same number. " * ends.issuperset(unknown)
    hint = "Correct them, declare every class with {labels} or, if they stand for missing labels, "
    suggest = {"labels": ..., **_as_missing(unknown[:_MOST_STRAY])}
    return f"{shifted}{hint}pass {{na}} and {{missing}}.", suggest


def _folded(label: Any) -> str:
    """Return a label without differences of case, spaces and types."""
    return "".join(str(label).casefold().replace("_", " ").replace("-", " ").split())
