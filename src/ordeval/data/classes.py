"""From columns of labels or numbers to classes on a scale: read, checked, cut on distinct values.

`Reading` holds how labels are read. Labels in memory have types: "1" is not 1. Files hold text,
which is matched to the declared labels.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, abbreviate, first_few, plural, quoted
from ..notes import Notes, warning
from ..types import Array, Bools, Floats, Ints
from .bins import Bins, edges_as_given, inferred_scale
from .column import Column, as_number, code_type, is_missing, is_number, recoded
from .containers import plain_number, refuse_huge
from .scale import Scale, infer_scale, of_json, unknown_hint

MISSING_WORDS = ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
# Longer runs of digits are no numbers: neither floats nor Python's conversion of text hold them.
_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)(e[+-]?\d{1,9})?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?\d{1,300}(\.0*)?")
_SHOWN = 5  # values in a message
SCORES: Any = object()  # in place of bins: all columns but gold hold numbers, which are not cut

Find = Callable[[str, Sequence[Any]], str]  # where some values of a column are


def row_name(row: int) -> str:
    """Return what messages call a row of which only the position is known."""
    return f"item {row + 1:,}"


@dataclass(eq=False)
class Reading:
    """How labels are read, and where they are.

    `text` tells that labels are text of files. `find` returns where some values of a column are; by
    default it is their positions, of which `kept` are those of the rows that are left. `name_row`
    returns what messages call a row. `times` is how many items each row stands for. Rows of ratings
    stay where nobody rated the item if they are read `whole`.
    """

    labels: Any = None
    values: Any = None
    bins: Any = None
    na: Any = None
    missing: str = "error"
    text: bool = False
    find: Find | None = None
    kept: Array | None = None
    times: Ints | None = None
    whole: bool = False
    name_row: Callable[[int], str] = row_name

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> "Reading":
        """Return how labels are read by some of the options."""
        return cls(*map(options.__getitem__, ("labels", "values", "bins", "na", "missing")))

    @property
    def settings(self) -> dict[str, Any]:
        """How labels were read, where that is not the default."""
        if self.na is None and self.bins is None and self.missing == "error":
            return {}
        rule = None if self.bins is SCORES else edges_as_given(self.bins)
        plain = (code.item() if isinstance(code, np.number) else code for code in self.codes)
        codes = [code if isinstance(code, (int, float)) else str(code) for code in plain]
        missing = None if self.missing == "error" else self.missing
        said = {"missing": missing, "na": codes, "bins": rule}
        return {name: value for name, value in said.items() if value}

    @cached_property
    def codes(self) -> tuple[Any, ...]:
        """The values that stand for a missing label, such as 99 or "."."""
        if self.na is None:
            return ()
        several = isinstance(self.na, Iterable) and not isinstance(self.na, (str, bytes))
        codes = tuple(map(plain_number, self.na if several else (self.na,)))
        refuse_huge(codes, "na")
        nested = [c for c in codes if isinstance(c, Iterable) and not isinstance(c, (str, bytes))]
        if nested:
            raise InputError(
                f"na holds a {type(nested[0]).__name__}; values that stand for a missing label are "
                "expected.",
                parameter="na",
            )
        return codes

    @cached_property
    def _words(self) -> tuple[set[str], set[float]]:
        """The texts and the numbers of the codes."""
        numbers = {number for code in self.codes if (number := as_number(code)) is not None}
        return {str(code).strip() for code in self.codes}, numbers

    def _is_code(self, label: Any) -> bool:
        """Whether a label is a code: numbers match by size, texts without surrounding spaces."""
        words, numbers = self._words
        if isinstance(label, str):
            word = label.strip()
            return word in words or (self.text and as_number(word) in numbers)
        if is_number(label) or isinstance(label, Decimal):
            return label in numbers
        return str(label) in words

    @cached_property
    def declared(self) -> Scale | None:
        """The declared scale, whose labels are not codes for missing ones."""
        labels = getattr(self.bins, "scale", None) if self.labels is None else self.labels
        if labels is None:
            return None
        scale = Scale.of(labels)
        if both := [label for label in scale.labels if self.codes and self._is_code(label)]:
            raise InputError(
                f"{quoted(both)} is declared as a label and as a code for missing labels.",
                parameter="na",
            )
        return scale

    def column(self, column: Column, out: Array | None = None) -> Column:
        """Return a column of labels, coded unless it holds real numbers to be binned."""
        if self.bins is not None and column.is_numeric and column.data.dtype.kind == "f":
            coded = np.isin(column.data, list(self._words[1])) if self.codes else None
            if coded is None or not coded.any():
                return column
            return Column(np.where(coded, np.nan, column.data), column.name)
        column = column.coded(out)
        if self.na is None and not self.text:
            return column
        labels = [self._label(value) for value in column.values]
        if column.ordered and not self.text:
            index = {value: i for i, value in enumerate(column.values)}
        else:
            every = dict.fromkeys(label for label in labels if label is not None)
            index = {label: i for i, label in enumerate(every)}
        k = len(index)
        table = [k if label is None else index[label] for label in labels]
        codes = recoded(column.data, np.asarray([*table, k], code_type(k)))
        return Column(codes, column.name, tuple(index), column.ordered)

    def _label(self, raw: Any) -> Any:
        """Return the label of a value; None if it is missing, itself if it is not on the scale.

        Text is matched as it is, then without surrounding spaces, then by its number ("1.0" is 1).
        """
        if is_missing(raw) or (self.codes and self._is_code(raw)):
            return None
        index, by_text, by_number, absent = self._known
        if not self.text or raw in index:
            return raw
        words = [word.strip() for word in _spellings(raw)]
        for word in words:
            if word in by_text:
                return by_text[word]
        if words[0] in absent:
            return None
        if isinstance(raw, bool) or not _NUMBER.fullmatch(words[0]):
            return raw
        if (number := float(words[0])) in by_number:
            return by_number[number]
        return as_label(raw) if self.bins is not None or not index else raw

    @cached_property
    def _known(self) -> tuple[dict[Any, int], dict[str, Any], dict[float, Any], set[str]]:
        """The declared labels, these by text and by number, and the words for "no value".

        A word that differs from a label in case only is a misspelt label, not a missing one.
        """
        index = {} if self.declared is None else self.declared.index
        by_text = {word: label for label in index for word in _spellings(label)}
        words = {label: str(label).strip() for label in index}
        numeric = all(_NUMBER.fullmatch(word) for word in words.values())
        by_number = {float(word): label for label, word in words.items()} if numeric else {}
        alike = {word.strip().casefold() for word in by_text}
        absent = {word for word in MISSING_WORDS if word.casefold() not in alike}
        return index, by_text, by_number if len(by_number) == len(index) else {}, absent

    def about(self, problem: InputError) -> InputError:
        """Return an error that suggests codes together with those that are known already."""
        more = problem.suggest.get("na")
        if self.codes and more is not None:
            problem.suggest["na"] = [*self.codes, *(more if isinstance(more, list) else [more])]
        return problem

    def places(self, column: Column, rows: Bools, raw: Sequence[Any] | None = None) -> str:
        """Return where some rows are: the first of their positions, or what `find` tells."""
        if self.find is not None:
            return self.find(column.name, raw or [])
        first = np.flatnonzero(rows)[:_SHOWN]
        first = (first if self.kept is None else self.kept[first]).tolist()
        more = ", …" if len(first) < int(rows.sum()) else ""
        return f" at position {', '.join(map(str, first))}{more}" if first else ""

    def items(self, rows: Bools) -> int:
        """Return the number of items of some rows."""
        return int(rows.sum()) if self.times is None else int(self.times[rows].sum())


def _spellings(raw: Any) -> tuple[str, ...]:
    """Return how a value may be written; truth values have two spellings."""
    word = str(raw)
    return (word, word.lower()) if isinstance(raw, bool) else (word,)


def as_label(raw: Any) -> Any:
    """Return the number that a text of a file reads as, an integer if it is whole; else the text.

    >>> as_label("3.0"), as_label(" 2.5"), as_label("low")
    (3, 2.5, 'low')
    """
    word = str(raw).strip()
    if not _NUMBER.fullmatch(word):
        return raw
    return int(word.partition(".")[0]) if _WHOLE.fullmatch(word) else float(word)


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
    columns: Sequence[Column], reading: Reading, *, raw: bool = True, block: Array | None = None
) -> Classes:
    """Return the classes of columns that `Reading.column` made, if possible in `block`.

    Numbers themselves are kept for measures of numbers if `raw` is True.
    """
    if reading.bins is SCORES:
        return _beside_scores(columns, reading)
    if reading.bins is not None:
        return _binned(columns, reading, raw)
    scale = reading.declared
    if scale is None:
        try:
            scale = infer_scale(columns)
        except InputError as problem:
            raise reading.about(problem) from None
    scale = scale.with_values(reading.values)
    shape, kind = (len(columns), len(columns[0])), code_type(scale.k)
    if block is None or block.shape != shape or block.dtype != kind:
        block = np.empty(shape, kind)
    for out, column in zip(block, columns, strict=True):
        _encode(column, scale, reading, out)
    return Classes(block, scale)


def _encode(column: Column, scale: Scale, reading: Reading, out: Array) -> None:
    """Write the classes of a coded column, K where there is no label."""
    column, first, k = column.coded(), scale.first_integer, scale.k
    values, data = column.values, column.data
    if isinstance(values, range) and first is not None and len(data):
        least, most = column.ends
        if most < len(values) and first <= values[least] and values[most] < first + k:
            # Positions in a range of integers are classes, perhaps shifted.
            if data.base is not out.base:  # otherwise they are there already
                out[:] = data
            if values[0] != first:  # unsigned sums wrap
                out += out.dtype.type((values[0] - first) % (1 << 8 * out.itemsize))
            return
    table = [scale.index.get(value, k + 1) for value in values]
    unknown = [i for i, code in enumerate(table) if code > k and column.rows[i]]
    if unknown:
        raise _unknown(column, unknown, scale, reading)
    out[:] = recoded(data, np.asarray([*(min(code, k) for code in table), k], out.dtype))


def _unknown(column: Column, unknown: Sequence[int], scale: Scale, reading: Reading) -> InputError:
    """Return an error that names labels outside the scale, how many, and where the first are."""
    unknown = sorted(unknown, key=lambda i: str(column.values[i]))  # engines give them in any order
    labels = [column.values[i] for i in unknown]
    if json := of_json(column.name, labels):
        return json
    items = [reading.items(column.data == i) for i in unknown]
    listed = [f"{abbreviate(x)} ({n:,})" for x, n in zip(labels, items, strict=True)]
    at = reading.places(column, np.isin(column.data, unknown), labels[:1])
    first = f"; the first{at}" if at else ""
    share = sum(items) / reading.items(column.data < len(column.values))
    read = list(map(as_label, labels)) if reading.text else labels
    hint, suggest = unknown_hint(read, scale, share)
    problem = InputError(
        f"{column.name} has {plural(sum(items), 'label')} outside the scale "
        f"{scale.describe()}: {first_few(listed, _SHOWN)}{first}.",
        parameter="labels",
        hint=hint,
        suggest=suggest,
        column=column.name,
    )
    return reading.about(problem)


# Real numbers.


def _beside_scores(columns: Sequence[Column], reading: Reading) -> Classes:
    """Return the classes of gold, and the numbers of the other columns, which have no classes."""
    gold = classes_of([columns[0].coded()], replace(reading, bins=None))
    codes = np.repeat(gold.codes, len(columns), axis=0)
    numbers = [_checked(column, _numbers_of(column), reading) for column in columns[1:]]
    return Classes(codes, gold.scale, None, np.stack([codes[0], *numbers]))


def _binned(columns: Sequence[Column], reading: Reading, raw: bool) -> Classes:
    """Return the classes of columns of real numbers.

    Columns of declared labels hold classes already, unless these labels are numbers that fall into
    their own classes.
    """
    numbers = [_numbers_of(column) for column in columns]
    pairs = list(zip(columns, numbers, strict=True))
    try:
        scale = _scale_of_numbers(pairs, reading).with_values(reading.values)
    except InputError as problem:
        raise reading.about(problem) from None
    bins, k = Bins.of(reading.bins, scale), scale.k
    codes = np.empty((len(columns), len(columns[0])), code_type(k))
    classes, between = list[str](), dict[str, int]()  # columns of classes, and of numbers
    for out, (column, x) in zip(codes, pairs, strict=True):
        if _holds_classes(column, x is not None, bins, scale):
            _encode(column, scale, reading, out)
            classes.append(column.name)
        else:
            out[:] = _cut(column, x, bins, scale, reading)
            between[column.name] = reading.items(~bins.are_numbers(x, out) & (out < k))
    usable = raw and bins.raw and not classes and any(between.values())
    if usable and not bins.numbers:  # no number stands for a missing one
        usable = not np.any(codes == k)
    kept = np.stack([x for x in numbers if x is not None]) if usable else None
    return Classes(codes, scale, bins, kept, _bins_notes(bins, between, classes, usable))


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


def _scale_of_numbers(columns: Sequence[tuple[Column, Floats | None]], reading: Reading) -> Scale:
    """Return the declared classes, or the whole numbers that a rule makes of the numbers."""
    if reading.declared is not None:
        return reading.declared
    if not isinstance(reading.bins, str):  # edges
        if ordered := [column for column, _ in columns if column.ordered]:
            return infer_scale(ordered)
        raise InputError(
            "bins are edges, and the classes between them are not declared.",
            parameter="labels",
            hint="Declare the classes, lowest first, with {labels}.",
        )
    checked = [(c.name, _checked(c, x, reading)) for c, x in columns]
    present = [(name, x[~np.isnan(x)]) for name, x in checked if not np.isnan(x).all()]
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


def _checked(column: Column, numbers: Floats | None, reading: Reading) -> Floats:
    """Return the numbers of a column, NaN where one is missing, or raise."""
    if numbers is None:
        coded = column.coded()
        wrong = [i for i, x in enumerate(coded.values) if coded.rows[i] and not _is_real(x)]
        rows, first = np.isin(coded.data, wrong), coded.values[wrong[0]]
    elif (rows := np.isinf(numbers)).any():
        first = float(numbers[rows][0])
    else:
        return numbers
    if reading.bins is SCORES:
        raise InputError(
            f"{column.name} has {plural(reading.items(rows), 'value')} other than finite numbers, "
            f"for example {abbreviate(first)}; a real number per item is expected.",
            parameter="y_pred",
            hint="The gold labels come first, then the score; pass codes for gaps with {na}.",
            column=column.name,
        )
    raise InputError(
        f"{column.name} has {plural(reading.items(rows), 'value')} that cannot be binned, because "
        f"only finite numbers can; for example {abbreviate(first)}.",
        parameter="bins",
        column=column.name,
        hint="Correct such values, leave {bins} out or, if they stand for missing labels, pass "
        "{na} and {missing}. A column of classes is not binned if all its values are declared with "
        "{labels}.",
        suggest={"na": first, "missing": "skip"},
    )


def _cut(
    column: Column, numbers: Floats | None, bins: Bins, scale: Scale, reading: Reading
) -> Array:
    """Return the classes of numbers, K where one is missing."""
    numbers = _checked(column, numbers, reading)
    gap = np.isnan(numbers)
    gaps = bool(gap.any())
    codes = bins.codes(np.where(gap, bins.cuts[0], numbers) if gaps else numbers)
    outside = (codes < 0) | (codes >= scale.k)
    if outside.any():
        first = f"{numbers[outside][0]:g}"
        first += reading.places(column, outside) if reading.find is None else ""
        until = "to" if bins.closed else "to below"
        raise InputError(
            f"{column.name} has {plural(reading.items(outside), 'number')} outside {bins.low:g} "
            f"{until} {bins.high:g}, what bins={bins.rule} puts in the classes {scale.describe()}; "
            f"for example {first}.",
            parameter="bins",
            column=column.name,
            hint="Declare more classes with {labels}, clip the numbers first, or pass {bins}, "
            "which has no outer limits.",
            suggest={"bins": list(bins.cuts)},
        )
    return np.where(gap, scale.k, codes) if gaps else codes


def _numbers_of(column: Column) -> Floats | None:
    """Return a column as numbers, NaN where one is missing; None if not all labels are numbers."""
    if column.is_numeric:
        return column.data.astype(np.float64, copy=False)
    coded = column.coded()
    values = [x if n else 0 for x, n in zip(coded.values, coded.rows.tolist(), strict=False)]
    if not all(map(_is_real, values)):
        return None
    return recoded(coded.data, np.asarray([*map(float, values), np.nan]))


def _is_real(value: Any) -> bool:
    return isinstance(value, (Real, np.number))
