"""From columns of labels or numbers to classes on a scale: read, checked, cut on distinct values.

`Bins` holds cut points on the axis of the numbers, so that every door puts a number in the same
class.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import floor, inf, isfinite
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, abbreviate, first_few, plural, quoted
from ..notes import Notes, warning
from ..types import Array, Bools, Floats, Ints
from .column import (
    Column,
    MissingCodes,
    as_number,
    code_type,
    group_name,
    is_missing,
    is_number,
    recoded,
)
from .scale import ColumnError, Scale, unknown_hint

_MISSING_WORDS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
# Longer runs of digits are no numbers: neither floats nor Python's conversion of text hold them.
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)(e[+-]?\d{1,9})?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,300}(\.0*)?")
_SHOWN = 5  # values in a message
_FEW_CUTS = 16  # up to this number, comparisons are faster than a search
_MOST_INFERRED = 1000
_USUAL_STEPS = 10
_CHUNK = 1 << 16

Find = Callable[[str, Sequence[Any]], str]  # where some values of a column are


class LabelReader:
    """Read values as labels.

    In memory labels have types (`text=False`): "1" is not 1. Files hold text (`text=True`), which
    is matched to the declared labels: as it is, then without surrounding spaces, then by its
    number ("1.0" is 1). The usual words for "no value" are missing unless they are declared as
    labels. Without declared labels, and with `numbers`, numbers become numbers and the rest stays
    text.
    """

    def __init__(
        self,
        declared: Scale | None,
        *,
        text: bool = False,
        codes: MissingCodes | None = None,
        numbers: bool = False,
    ) -> None:
        self._text, self._codes = text, codes or MissingCodes(None)
        self._index = {} if declared is None else declared.index
        self._numbers = numbers or declared is None
        self._by_text = {word: label for label in self._index for word in _spellings(label)}
        self._by_number = _by_number(self._index)
        # A word that differs from a label in case only is a misspelt label, not a missing one.
        known = {word.strip().casefold() for word in self._by_text}
        self._absent = tuple(w for w in _MISSING_WORDS if w.casefold() not in known)

    def read(self, raw: Any) -> Any:
        """Return the label; None if it is missing, the value itself if it is not on the scale."""
        if is_missing(raw) or (self._codes and raw in self._codes):
            return None
        if not self._text or self._is_label(raw):
            return raw
        words = [word.strip() for word in _spellings(raw)]
        if known := [word for word in words if word in self._by_text]:
            return self._by_text[known[0]]
        return None if words[0] in self._absent else self._number(raw, words[0])

    def column(self, column: Column) -> Column:
        """Return a coded column of labels; those that stand for no label are missing."""
        if not self._text and not self._codes:
            return column.coded()
        coded = column.coded()
        labels = [self.read(value) for value in coded.values]
        if coded.ordered and not self._text:
            index = {value: i for i, value in enumerate(coded.values)}
        else:
            index = {}
            for label in labels:
                if label is not None:
                    index.setdefault(label, len(index))
        k = len(index)
        table = [k if label is None else index[label] for label in labels]
        codes = recoded(coded.data, np.asarray([*table, k], code_type(k)))
        return Column(codes, column.name, tuple(index), coded.ordered)

    def numbers(self, column: Column) -> Column:
        """Return a column of numbers to be binned, NaN where one is missing; else of labels."""
        if not column.is_numeric or column.data.dtype.kind != "f":
            return self.column(column)
        numbers = [x for x in map(as_number, self._codes.codes) if x is not None]
        mask = np.isin(column.data, numbers) if numbers else None
        if mask is None or not mask.any():
            return column
        return Column(np.where(mask, np.nan, column.data), column.name)

    def _is_label(self, raw: Any) -> bool:
        """Whether the value itself is a label; True is not taken for 1."""
        known = raw in self._index
        return known and not (isinstance(raw, bool) and str(raw) not in map(str, self._index))

    def _number(self, raw: Any, word: str) -> Any:
        if isinstance(raw, bool) or not _NUMBER.fullmatch(word):
            return raw
        if float(word) in self._by_number:
            return self._by_number[float(word)]
        if not self._numbers:
            return raw
        return int(word.partition(".")[0]) if _WHOLE.fullmatch(word) else float(word)


def _spellings(raw: Any) -> tuple[str, ...]:
    """Return how a value may be written; truth values have two spellings."""
    word = str(raw)
    return (word, word.lower()) if isinstance(raw, bool) else (word,)


def _by_number(labels: Iterable[Any]) -> dict[float, Any]:
    """Return the labels by their numbers if every label is a different number, else nothing."""
    words = {label: str(label).strip() for label in labels}
    if not all(_NUMBER.fullmatch(word) for word in words.values()):
        return {}
    found = {float(word): label for label, word in words.items()}
    return found if len(found) == len(words) else {}


@dataclass(eq=False)
class Reading:
    """How labels are read, and how messages name where they are.

    Parameters
    ----------
    labels, values, bins, na : object
        The declared classes, their values, how numbers become classes, codes for missing labels.
    missing : {"error", "skip", "worst"}
        What to do about missing labels.
    text : bool
        Whether labels are text of files, to be matched to the declared ones.
    where : str
        The beginning of messages: a file and a colon.
    files : mapping of str to str
        The files of the columns that have one of their own.
    find : callable, optional
        Returns where some values of a column are, as text; by default their positions.
    kept : ndarray of int, optional
        The positions of the rows that are left, if some were left out.
    """

    labels: Any = None
    values: Any = None
    bins: Any = None
    na: Any = None
    missing: str = "error"
    text: bool = False
    where: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    find: Find | None = None
    kept: Array | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Reading":
        """Return how labels are read by some of the options."""
        return cls(*map(options.__getitem__, ("labels", "values", "bins", "na", "missing")))

    @property
    def settings(self) -> dict[str, Any]:
        """How labels were read, where that is not the default."""
        if self.na is None and self.bins is None and self.missing == "error":
            return {}
        rule = self.bins if isinstance(self.bins, str) else list(map(float, self.bins or ()))
        codes = [code if isinstance(code, (int, float)) else str(code) for code in self.codes.codes]
        missing = None if self.missing == "error" else self.missing
        said = {"missing": missing, "na": codes, "bins": rule}
        return {name: value for name, value in said.items() if value}

    @cached_property
    def codes(self) -> MissingCodes:
        """The values that stand for a missing label."""
        return MissingCodes(self.na, text=self.text)

    @cached_property
    def declared(self) -> Scale | None:
        """The declared scale, whose labels are not codes for missing ones."""
        if self.labels is None:
            return None
        scale = Scale.of(self.labels)
        if self.codes:
            self.codes.refuse_labels(scale.labels)
        return scale

    def column(self, column: Column) -> Column:
        """Return a column of labels, coded unless it holds numbers to be binned."""
        if self.bins is None and self.na is None and not self.text:
            return column.coded()
        return self._reader.column(column) if self.bins is None else self._reader.numbers(column)

    @cached_property
    def _reader(self) -> LabelReader:
        binned = self.bins is not None
        return LabelReader(self.declared, text=self.text, codes=self.codes, numbers=binned)

    def start(self, name: str) -> str:
        """Return the beginning of a message about a column: its file and a colon."""
        return f"{self.files[name]}: " if name in self.files else self.where

    def about(self, problem: InputError) -> InputError:
        """Return an error with the file of the column, and with codes that are known already."""
        name = problem.column if isinstance(problem, ColumnError) else ""
        problem.message = f"{self.start(name)}{problem.message}"
        problem.suggest = self.codes.beside(problem.suggest)
        return problem

    def places(self, column: Column, rows: Bools, raw: Sequence[Any] | None = None) -> str:
        """Return where some rows are: the first of their positions, or what `find` tells."""
        if self.find is not None:
            return self.find(column.name, raw or [])
        first = np.flatnonzero(rows)[:_SHOWN]
        first = (first if self.kept is None else self.kept[first]).tolist()
        more = ", …" if len(first) < int(rows.sum()) else ""
        return f" at position {', '.join(map(str, first))}{more}" if first else ""


@dataclass(frozen=True)
class Bins:
    """How real numbers become classes.

    Parameters
    ----------
    rule : str
        "round", "floor", or the edges with commas between them.
    cuts : tuple of float
        The K − 1 lowest numbers of all classes but the first.
    low, high : float
        The least and the largest number that belongs to a class.
    closed : bool
        Whether `high` itself belongs to the highest class.
    numbers : tuple of float
        The number of every class; empty where the classes have none on the axis of the data,
        so that a number of a class does not belong to this class.
    raw : bool
        Whether measures of numbers can use the numbers themselves: the class values do not say
        otherwise.
    """

    rule: str
    cuts: tuple[float, ...]
    low: float
    high: float
    closed: bool
    numbers: tuple[float, ...] = ()
    raw: bool = True

    @classmethod
    def of(cls, given: Any, scale: Scale) -> "Bins":
        """Return the cut points of a rule, or of edges, on a scale."""
        numbers = _class_numbers(scale)
        raw = scale.values is None or not numbers or scale.values == numbers
        if isinstance(given, str):
            return replace(_by_rule(_rule(given), numbers, scale), raw=raw)
        found = _by_edges(_edges(given), scale.k)
        inside = [code == i for i, code in enumerate(found.codes(np.asarray(numbers, dtype=float)))]
        return replace(found, numbers=numbers if all(inside) else (), raw=raw)

    @property
    def centre(self) -> float:
        """The middle of the cut points, which is subtracted before numbers are squared."""
        return (self.cuts[0] + self.cuts[-1]) / 2

    @property
    def limits(self) -> Floats:
        """The least and the largest number, as the ends of a scale."""
        return np.array([self.low, self.high])

    def codes(self, numbers: Floats) -> Array:
        """Return the class of every number, none of which is NaN; -1 and K are off the scale."""
        codes: Array = np.empty(len(numbers), dtype=np.int8 if len(self.cuts) < 100 else np.int16)
        cuts = np.asarray(self.cuts)
        for start in range(0, len(numbers), _CHUNK):
            part, out = numbers[start : start + _CHUNK], codes[start : start + _CHUNK]
            if len(cuts) <= _FEW_CUTS:
                out[:] = 0
                for cut in cuts:
                    np.add(out, part >= cut, out=out)
            else:
                out[:] = np.searchsorted(cuts, part, side="right")
            out[part < self.low] = -1
            out[part > self.high if self.closed else part >= self.high] = len(cuts) + 1
        return codes

    def are_numbers(self, numbers: Floats | None, codes: Array) -> Array:
        """Return which numbers are the numbers of their classes; K is the class of none."""
        known = np.full(len(self.cuts) + 2, np.nan)
        known[: len(self.numbers)] = self.numbers
        return np.asarray(known[codes] == numbers)

    @property
    def in_words(self) -> str:
        """The rule as a clause."""
        if self.rule == "round":
            return "rounded to the nearest class, halves upwards"
        if self.rule == "floor":
            return "rounded down to a class"
        shown = first_few([f"{number:g}" for number in self.cuts], 5)
        return f"cut at {shown}, each edge in the upper class"


def inferred_scale(rule: str, columns: Sequence[tuple[str, Floats]]) -> Scale:
    """Return the scale of the whole numbers that a rule makes of the numbers of columns."""
    shift = 0.5 if _rule(rule) == "round" else 0.0
    low, high = min(x.min() for _, x in columns), max(x.max() for _, x in columns)
    if high - low >= _MOST_INFERRED:
        raise InputError(
            f"The numbers span {low:g}..{high:g}, which is too wide for classes.",
            parameter="labels",
            hint="Check that these are ratings, or declare the scale with {labels}.",
            suggest={"labels": ...},
        )
    first, last = floor(low + shift), floor(high + shift)
    if last - first >= _USUAL_STEPS:  # stray numbers such as 99 are looked for
        whole = [(np.floor(x + shift).astype(np.int64), name) for name, x in columns]
        return Scale.resolve([Column(x, name) for x, name in whole])
    # A single class is no scale: the next one above is added.
    return Scale(tuple(range(first, max(last, first + 1) + 1)), inferred=True)


def _rule(given: str) -> str:
    if given not in ("round", "floor"):
        raise _bins_error(f"bins is {given!r}")
    return given


def _class_numbers(scale: Scale) -> tuple[float, ...]:
    """Return the numbers of the classes: the labels, or else declared values; increasing ones."""
    numeric = all(map(is_number, scale.labels))
    numbers = tuple(map(float, scale.labels)) if numeric else scale.values or ()
    return numbers if all(a < b for a, b in pairwise(numbers)) else ()


def _by_rule(rule: str, numbers: tuple[float, ...], scale: Scale) -> Bins:
    if not numbers:
        raise InputError(
            f"bins={rule!r} needs classes that are increasing numbers; the scale is "
            f"{scale.describe()}.",
            parameter="bins",
            hint="Give the edges between the classes instead: one fewer than there are classes.",
        )
    lowest, highest = numbers[0], numbers[-1]
    step = highest - numbers[-2]
    if rule == "floor":
        return Bins(rule, numbers[1:], lowest, highest + step, False, numbers)
    cuts = tuple((a + b) / 2 for a, b in pairwise(numbers))
    return Bins(rule, cuts, lowest - (cuts[0] - lowest), highest + step / 2, True, numbers)


def _edges(given: Any) -> tuple[float, ...]:
    try:
        edges = tuple(float(edge) for edge in given)
    except (TypeError, ValueError, OverflowError):
        raise _bins_error(f"bins is {abbreviate(given)}") from None
    if not all(a < b for a, b in pairwise(edges)) or any(edge != edge for edge in edges):
        raise _bins_error(f"The edges {abbreviate(list(edges))} do not increase")
    return edges


def _by_edges(edges: tuple[float, ...], k: int) -> Bins:
    rule = ",".join(f"{edge:.15g}" for edge in edges)
    if len(edges) == k + 1:
        return Bins(rule, edges[1:-1], edges[0], edges[-1], True)
    if len(edges) != k - 1 or not all(map(isfinite, edges)):
        raise _bins_error(
            f"There are {plural(len(edges), 'edge')} for {k} classes; {k - 1} edges between them, "
            f"or {k + 1} with both outer limits, are needed"
        )
    return Bins(rule, edges, -inf, inf, True)


def _bins_error(problem: str) -> InputError:
    return InputError(
        f"{problem}; 'round', 'floor' or increasing edges between the classes are expected.",
        parameter="bins",
    )


class Classes(NamedTuple):
    """Classes `[column, row]` on a scale, where K is none, and what they were made from."""

    codes: Array
    scale: Scale
    bins: Bins | None = None
    numbers: Floats | None = None
    notices: Notes = ()


def gap_of(column: Column) -> Bools | None:
    """Return which rows of a column have no label; None if all have one."""
    if column.categories is None:
        gap = np.isnan(column.data) if column.data.dtype.kind == "f" else None
        return gap if gap is not None and gap.any() else None
    k = len(column.categories)
    return column.data == k if len(column) and column.ends[1] == k else None


def classes_of(
    columns: Sequence[Column], reading: Reading, times: Ints | None = None, *, raw: bool = True
) -> Classes:
    """Return the classes of columns that `Reading.column` made.

    Numbers themselves are kept for measures of numbers if `raw` is True.
    """
    if reading.bins is not None:
        return _binned(columns, reading, times, raw)
    if reading.labels is not None and reading.declared is not None:
        scale = reading.declared.with_values(reading.values)
    else:
        try:
            scale = Scale.resolve(columns, None, reading.values)
        except InputError as problem:
            raise reading.about(problem) from None
    codes = [encoded(column, scale, reading, times) for column in columns]
    return Classes(_stacked(codes, scale.k), scale)


def _stacked(codes: Sequence[Array], k: int) -> Array:
    """Return columns as one array of the type of K classes, which holds K, too."""
    found = np.empty((len(codes), len(codes[0])), code_type(k))
    for row, column in zip(found, codes, strict=True):
        row[:] = column
    return found


def encoded(
    column: Column, scale: Scale, reading: Reading | None = None, times: Ints | None = None
) -> Array:
    """Return the classes of a coded column, K where there is no label."""
    column, first, k = column.coded(), scale.first_integer, scale.k
    values, data, kind = column.values, column.data, code_type(scale.k)
    if isinstance(values, range) and first is not None and len(data):
        least, most = column.ends
        inside = most < len(values) and first <= values[least] and values[most] < first + k
        if inside:  # positions in a range of integers are classes, perhaps shifted
            shift = values[0] - first
            codes = data.astype(kind, copy=False)
            return (
                codes if not shift else codes + np.asarray(shift % (np.iinfo(kind).max + 1), kind)
            )
    table = [scale.index.get(value, k + 1) for value in values]
    unknown = [i for i, code in enumerate(table) if code > k and column.rows[i]]
    if unknown:
        raise _unknown(column, unknown, scale, reading or Reading(), times)
    return recoded(data, np.asarray([*(min(code, k) for code in table), k], kind))


def _unknown(
    column: Column, unknown: Sequence[int], scale: Scale, reading: Reading, times: Ints | None
) -> InputError:
    """Return an error that names labels outside the scale, how many, and where the first are."""
    items = column.rows if times is None else np.bincount(column.data, times, len(column.rows))
    unknown = sorted(unknown, key=lambda i: str(column.values[i]))  # engines give them in any order
    labels = [column.values[i] for i in unknown]
    listed = [f"{abbreviate(x)} ({int(items[i]):,})" for i, x in zip(unknown, labels, strict=True)]
    at = reading.places(column, np.isin(column.data, unknown[:1]), labels[:1])
    first = f"; the first{at}" if at else ""
    plain = LabelReader(None, text=True).read
    given = [plain(x) or x for x in labels] if reading.text else labels
    hint, suggest = unknown_hint(given, scale)
    problem = ColumnError(
        f"{column.name} has {plural(int(items[list(unknown)].sum()), 'label')} outside the scale "
        f"{scale.describe()}: {first_few(listed, _SHOWN)}{first}.",
        column.name,
        hint,
        suggest,
    )
    return reading.about(problem)


def _binned(columns: Sequence[Column], reading: Reading, times: Ints | None, raw: bool) -> Classes:
    """Return the classes of columns of real numbers.

    Columns of declared labels hold classes already, unless these labels are numbers that fall into
    their own classes.
    """
    numbers = [_numbers_of(column) for column in columns]
    try:
        scale = _scale_of_numbers(columns, numbers, reading, times).with_values(reading.values)
    except InputError as problem:
        raise reading.about(problem) from None
    bins = Bins.of(reading.bins, scale)
    known = [
        _holds_classes(c, x is not None, bins, scale) for c, x in zip(columns, numbers, strict=True)
    ]
    stacked = _stacked(
        [
            encoded(c, scale, reading, times) if held else _cut(c, x, bins, scale, reading, times)
            for c, x, held in zip(columns, numbers, known, strict=True)
        ],
        scale.k,
    )
    between = dict[str, int]()  # how many numbers of a column are not the number of a class
    for c, x, codes, held in zip(columns, numbers, stacked, known, strict=True):
        if not held:
            between[c.name] = _items(~bins.are_numbers(x, codes) & (codes < scale.k), times)
    usable = raw and bins.raw and not any(known) and any(between.values())
    if usable and not bins.numbers:  # no number stands for a missing one
        usable = not np.any(stacked == scale.k)
    kept = np.stack([x for x in numbers if x is not None]) if usable else None
    classes = [c.name for c, held in zip(columns, known, strict=True) if held]
    return Classes(stacked, scale, bins, kept, _bins_notes(bins, between, classes, usable))


def _bins_notes(bins: Bins, between: Mapping[str, int], classes: Sequence[str], raw: bool) -> Notes:
    """Return what a result says about numbers that became classes."""
    listed = [f"{name} {n:,}" for name, n in between.items() if n]
    if not listed:
        text = f"bins={bins.rule}: all values are those of classes, so that nothing was binned."
        return (warning("not binned", text),)
    texts = [f"Numbers that are not class numbers were {bins.in_words} ({first_few(listed, 5)})."]
    texts += [f"Taken as classes and not binned: {quoted(classes, 5)}."] * bool(classes)
    texts += ["All measures use the classes."] * (not raw)
    return tuple(warning("bins", text) for text in texts)


def _items(rows: Bools, times: Ints | None) -> int:
    return int(rows.sum()) if times is None else int(times[rows].sum())


def _scale_of_numbers(
    columns: Sequence[Column],
    numbers: Sequence[Floats | None],
    reading: Reading,
    times: Ints | None,
) -> Scale:
    """Return the declared classes, or the whole numbers that a rule makes of the numbers."""
    if reading.declared is not None:
        return reading.declared
    if not isinstance(reading.bins, str):  # edges
        ordered = [column for column in columns if column.ordered]
        if not ordered:
            raise InputError(
                "bins are edges, and the classes between them are not declared.",
                parameter="labels",
                hint="Declare the classes, lowest first, with {labels}.",
                suggest={"labels": ...},
            )
        return Scale.resolve(ordered)
    checked = [_checked(c, x, reading, times) for c, x in zip(columns, numbers, strict=True)]
    present = [(c.name, x[~np.isnan(x)]) for c, x in zip(columns, checked, strict=True)]
    present = [(name, x) for name, x in present if len(x)]
    if not present:
        raise InputError("there are no numbers to be binned.", parameter="bins")
    return inferred_scale(reading.bins, present)


def _holds_classes(column: Column, numeric: bool, bins: Bins, scale: Scale) -> bool:
    """Return whether a column holds classes rather than numbers to be binned.

    Where every class number falls into its own class, cutting it changes nothing. With edges, words
    that are not declared are labels with a mistake.
    """
    if numeric and bins.numbers and all(map(is_number, scale.labels)):
        return False
    start = column.take(slice(0, 64)).distinct()
    if numeric and not all(label in scale.index for label in start):
        return False  # most often a few numbers tell it
    labels = column.distinct()
    known = all(label in scale.index for label in labels)
    words = not numeric and all(as_number(label) is None for label in labels)
    return bool(labels) and (known or (words and bins.rule not in ("round", "floor")))


def _checked(
    column: Column, numbers: Floats | None, reading: Reading, times: Ints | None
) -> Floats:
    """Return the numbers of a column, NaN where one is missing, or raise."""
    if numbers is not None and not (infinite := np.isinf(numbers)).any():
        return numbers
    if numbers is None:
        coded = column.coded()
        wrong = [i for i, x in enumerate(coded.values) if not isinstance(x, (Real, np.number))]
        wrong = [i for i in wrong if coded.rows[i]]
        rows, first = np.isin(coded.data, wrong), coded.values[wrong[0]]
    else:
        rows, first = infinite, float(numbers[infinite][0])
    raise InputError(
        f"{reading.start(column.name)}{column.name} has {plural(_items(rows, times), 'value')} "
        f"that cannot be binned, because only finite numbers can; for example {abbreviate(first)}.",
        parameter="bins",
        hint="Correct such values, or leave {bins} out. A column of classes is not binned if all "
        "its values are declared with {labels}.",
        suggest={"bins": ..., "labels": ...},
    )


def _cut(
    column: Column,
    numbers: Floats | None,
    bins: Bins,
    scale: Scale,
    reading: Reading,
    times: Ints | None,
) -> Array:
    """Return the classes of numbers, K where one is missing."""
    numbers = _checked(column, numbers, reading, times)
    gap = np.isnan(numbers)
    gaps = bool(gap.any())
    codes = bins.codes(np.where(gap, bins.cuts[0], numbers) if gaps else numbers)
    outside = (codes < 0) | (codes >= scale.k)
    if outside.any():
        first = f"{numbers[outside][0]:g}"
        first += reading.places(column, outside) if reading.find is None else ""
        until = "to" if bins.closed else "to below"
        raise InputError(
            f"{reading.start(column.name)}{column.name} has "
            f"{plural(_items(outside, times), 'number')} outside {bins.low:g} {until} "
            f"{bins.high:g}, what bins={bins.rule} puts in the classes {scale.describe()}; for "
            f"example {first}.",
            parameter="bins",
            hint="Declare more classes with {labels}, clip the numbers first, or give edges with "
            "outer limits that include them.",
            suggest={"labels": ...},
        )
    return np.where(gap, scale.k, codes) if gaps else codes


def _numbers_of(column: Column) -> Floats | None:
    """Return a column as numbers, NaN where one is missing; None if not all labels are numbers."""
    if column.is_numeric:
        return column.data.astype(np.float64, copy=False)
    coded = column.coded()
    used = coded.rows[:-1] > 0
    values = [x if keep else 0 for x, keep in zip(coded.values, used.tolist(), strict=True)]
    if not all(isinstance(x, (Real, np.number)) for x in values):
        return None
    return recoded(coded.data, np.asarray([*map(float, values), np.nan]))


def missing_notice(found: Mapping[str, tuple[int, Mapping[Any, int]]]) -> Notes:
    """Return a notice about missing values: their number by column, and what stands for them."""
    columns = (f"{name}: {n}{listed_codes(words)}" for name, (n, words) in found.items())
    return (warning("missing", f"Missing values: {', '.join(columns)}."),) if found else ()


def listed_codes(words: Mapping[Any, int]) -> str:
    """Return which values, besides empty ones, were taken as missing, and how often.

    >>> listed_codes({"99": 2, 99.0: 1, None: 5, "n.a.": 1})
    " (3 × 99, 1 × 'n.a.')"
    """
    found: dict[str, int] = {}
    for word, n in words.items():
        text = "" if is_missing(word) else str(word).strip()
        if text and n:
            number = as_number(text)
            name = abbreviate(text) if number is None else group_name(number)
            found[name] = found.get(name, 0) + n
    listed = [f"{n:,} × {word}" for word, n in sorted(found.items(), key=lambda x: (-x[1], x[0]))]
    more = ", …" if len(listed) > _SHOWN else ""
    return f" ({', '.join(listed[:_SHOWN])}{more})" if listed else ""
