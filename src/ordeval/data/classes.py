"""From columns of labels to classes on a scale: read, checked and cut on distinct values."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, first_few, plural, quoted
from ..notes import Notes, warning
from ..types import Array, Bools, Floats, Ints
from .bins import (
    Bins,
    inferred_scale,
    needs_labels,
    no_number_error,
    outside_error,
    undeclared_edges,
)
from .column import (
    Column,
    MissingCodes,
    as_number,
    code_type,
    group_name,
    is_missing,
    recoded,
)
from .scale import ColumnError, Scale, unknown_hint

_MISSING_WORDS = ("", "NA", "N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
# Longer runs of digits are no numbers: neither floats nor Python's conversion of text hold them.
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)(e[+-]?\d{1,9})?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,300}(\.0*)?")
_SHOWN = 5  # values in a message

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


@dataclass(frozen=True, eq=False)
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
        return {**self.codes.reading(self.missing), **({"bins": rule} if rule else {})}

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


@dataclass(frozen=True, eq=False)
class Classes:
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
        return _Binned(columns, reading, times, raw).classes
    scale = reading.declared
    if scale is not None:
        scale = scale.with_values(reading.values)
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


class _Binned:
    """Columns of real numbers as classes.

    Columns of declared labels hold classes already, unless these labels are numbers that fall into
    their own classes.
    """

    def __init__(
        self, columns: Sequence[Column], reading: Reading, times: Ints | None, raw: bool
    ) -> None:
        self._reading, self._times = reading, times
        pairs = [(column, _numbers_of(column)) for column in columns]
        try:
            scale = self._scale(pairs).with_values(reading.values)
        except InputError as problem:
            raise reading.about(problem) from None
        self._bins = Bins.of(reading.bins, scale)
        held = [self._holds_classes(c, x is not None, scale) for c, x in pairs]
        codes = [
            encoded(pair[0], scale, reading, times) if classes else self._cut(*pair, scale)
            for pair, classes in zip(pairs, held, strict=True)
        ]
        stacked = _stacked(codes, scale.k)
        cut = [i for i, classes in enumerate(held) if not classes]
        exact = {i: self._bins.are_numbers(pairs[i][1], stacked[i]) for i in cut}
        between = [(columns[i].name, self._items(~exact[i] & (stacked[i] < scale.k))) for i in cut]
        usable = raw and not any(held) and any(n for _, n in between) and self._bins.raw
        if usable and not self._bins.numbers:  # no number stands for a missing one
            usable = not np.any(stacked == scale.k)
        numbers = np.stack([x for _, x in pairs if x is not None]) if usable else None
        classes = [c.name for c, known in zip(columns, held, strict=True) if known]
        items = len(columns[0]) if times is None else int(times.sum())
        notices = self._bins.notices(
            between, items if raw else None, raw=numbers is not None, classes=classes
        )
        if not raw and scale.inferred:
            notices += _made_by_rounding([(stacked[i], exact[i]) for i in cut], scale)
        self.classes = Classes(stacked, scale, self._bins, numbers, notices)

    def _scale(self, pairs: Sequence[tuple[Column, Floats | None]]) -> Scale:
        """Return the declared classes, or the whole numbers that a rule makes of the numbers."""
        if self._reading.declared is not None:
            return self._reading.declared
        if needs_labels(self._reading.bins):
            ordered = [column for column, _ in pairs if column.ordered]
            if not ordered:
                raise undeclared_edges()
            return Scale.resolve(ordered)
        numbers = [(c.name, self._checked(c, x)) for c, x in pairs]
        present = [(name, x[~np.isnan(x)]) for name, x in numbers]
        present = [(name, x) for name, x in present if len(x)]
        if not present:
            raise InputError("there are no numbers to be binned.", parameter="bins")
        return inferred_scale(str(self._reading.bins), present)

    def _holds_classes(self, column: Column, numeric: bool, scale: Scale) -> bool:
        """Return whether a column holds classes rather than numbers to be binned.

        With edges, words that are not declared are labels with a mistake.
        """
        if numeric and not self._bins.leave_labels(scale):
            return False
        start = column.take(slice(0, 64)).distinct()
        if numeric and not all(label in scale.index for label in start):
            return False  # most often a few numbers tell it
        labels = column.distinct()
        known = all(label in scale.index for label in labels)
        words = not numeric and all(as_number(label) is None for label in labels)
        return bool(labels) and (known or (needs_labels(self._reading.bins) and words))

    def _checked(self, column: Column, numbers: Floats | None) -> Floats:
        """Return the numbers of a column, NaN where one is missing, or raise."""
        name = f"{self._reading.start(column.name)}{column.name}"
        if numbers is None:
            coded = column.coded()
            wrong = [
                i
                for i, x in enumerate(coded.values)
                if coded.rows[i] and not isinstance(x, (Real, np.number))
            ]
            count = self._items(np.isin(coded.data, wrong))
            raise no_number_error(name, count, coded.values[wrong[0]])
        infinite = np.isinf(numbers)
        if infinite.any():
            raise no_number_error(name, self._items(infinite), float(numbers[infinite][0]))
        return numbers

    def _cut(self, column: Column, numbers: Floats | None, scale: Scale) -> Array:
        """Return the classes of numbers, K where one is missing."""
        numbers = self._checked(column, numbers)
        gap = np.isnan(numbers)
        gaps = bool(gap.any())
        codes = self._bins.codes(np.where(gap, self._bins.cuts[0], numbers) if gaps else numbers)
        outside = (codes < 0) | (codes >= scale.k)
        if outside.any():
            first = f"{numbers[outside][0]:g}"
            first += self._reading.places(column, outside) if self._reading.find is None else ""
            name = f"{self._reading.start(column.name)}{column.name}"
            raise outside_error(name, self._bins, scale, self._items(outside), first)
        return np.where(gap, scale.k, codes) if gaps else codes

    def _items(self, rows: Bools) -> int:
        return int(rows.sum()) if self._times is None else int(self._times[rows].sum())


def _made_by_rounding(cut: Sequence[tuple[Array, Bools]], scale: Scale) -> Notes:
    """Say which classes of an inferred scale are the number of no rating as it was given."""
    used, given = np.zeros((2, scale.k + 1), dtype=bool)
    for codes, exact in cut:
        used[codes] = True
        given[codes[exact]] = True
    made = [scale.labels[i] for i in np.flatnonzero((used & ~given)[: scale.k])]
    if not made:
        return ()
    which = "The class {} exists" if len(made) == 1 else "The classes {} exist"
    return (warning("bins", f"{which.format(quoted(made, 5))} by rounding alone."),)


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
