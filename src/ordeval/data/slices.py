"""Slices: columns of any kind as groups of items, in an order where they have one.

Numbers, dates and ordered categories are in order, texts are not. All is decided on the distinct
values as text, so that files, which hold text, give the same slices as frames.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

from ..errors import InputError, quoted
from ..types import Array, Floats
from .column import Column, as_number, group_name, groups_of, is_no_group
from .containers import columns_of_frame, series_name
from .roles import text_name
from .units import Part

MISSING = "(missing)"
MOST = 2_000  # slices of a column
_FEW = 20  # distinct numbers, or days, that are slices each
_BINS = 5
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-\d\d( .*)?)?")
_CODE = re.compile(r"0\d+")
_PERIOD = re.compile(r"\d{4}-?[QWH]\d{1,2}")
_Named = tuple[Sequence[str], Sequence[float] | None, str]


def part_of(column: Column, count: Array | None, *, text: bool = True) -> Part:
    """Return the slices of a column; rows without a value are a slice of their own.

    `count` is the number of items of every row. With `text`, numbers are texts, as in files.
    """
    codes, values = _in_given_order(column) if column.ordered else groups_of(column)
    items = np.bincount(codes, count, minlength=len(values) + 1)[: len(values)]
    steps = values, range(len(values)), "step"
    texts = () if text or column.is_numeric else column.coded().values
    coded = bool(texts) and all(isinstance(value, str) for value in texts)
    names, places, unit = steps if column.ordered else _slices(values, items, coded)
    order = range(len(names)) if places is None else np.argsort(places, kind="stable")
    kept = {name: i for i, name in enumerate(dict.fromkeys(names[i] for i in order))}
    if len(kept) > MOST:
        raise InputError(
            f"by column {column.name} has {len(kept):,} values, {quoted(kept, 3)}; at most "
            f"{MOST:,} slices are expected.",
            parameter="by",
            hint="Group the values into a column of your own.",
        )
    table = np.array([*(kept[name] for name in names), len(kept)])
    means = None
    if places is not None and kept:
        means = np.bincount(table[:-1], items * places) / np.bincount(table[:-1], items)
    codes, slices = table[codes], tuple(kept)
    if (codes == len(kept)).any():
        gaps = MISSING if MISSING not in slices else "(no value)"
        slices, means = (*slices, gaps), None if means is None else np.append(means, np.nan)
    return Part(codes, slices, means, "" if means is None else unit)


def _in_given_order(column: Column) -> tuple[Array, tuple[str, ...]]:
    """Return the codes of the categories that occur, in their order, and their names."""
    values, used = column.values, np.flatnonzero(column.rows[:-1])
    kept = [i for i in used.tolist() if not is_no_group(values[i])]
    table = np.full(len(values) + 1, len(kept), np.intp)
    table[kept] = np.arange(len(kept))
    return table[column.data], tuple(group_name(values[i]) for i in kept)


def _slices(values: tuple[str, ...], items: Array, coded: bool) -> _Named:
    """Return the slice of every value, the place of the value and the unit of places.

    Many numbers are cut into fifths of the items, many days into months. Digits that are `coded` as
    text, or have a zero in front, are no numbers.
    """
    coded = coded or any(map(_CODE.fullmatch, values))
    numbers = [x for x in map(as_number, values) if x is not None and not coded]
    if len(numbers) == len(values) > 0:
        names = _fifths(np.array(numbers), items) if len(values) > _FEW else values
        return names, numbers, "unit"
    if all(map(_DAY.fullmatch, values)):
        days = [value.removesuffix(" 00:00:00") for value in values]
        lengths = [length for length in (7, 10) if len({day[:length] for day in days}) > 1]
        cut = lengths[0] if len(days) > _FEW and lengths else None
        return _moments([day[:cut] for day in days])
    return values, range(len(values)) if all(map(_PERIOD.fullmatch, values)) else None, "step"


def _fifths(values: Floats, items: Array) -> list[str]:
    """Return the names of fifths of the items, after the smallest and largest value of each."""
    order = np.argsort(values)
    middle, fifth = np.cumsum(items[order]) - items[order] / 2, np.empty(len(values), np.intp)
    fifth[order] = np.minimum(_BINS * middle / items.sum(), _BINS - 1)
    ends = {i: (values[fifth == i].min(), values[fifth == i].max()) for i in set(fifth.tolist())}
    every = {x for pair in ends.values() for x in pair}
    digits = 4 if len({f"{x:.4g}" for x in every}) == len(every) else 15
    names = {i: f"{low:.{digits}g} to {high:.{digits}g}" for i, (low, high) in ends.items()}
    first, last = min(names), max(names)
    names[first] = f"up to {ends[first][1]:.{digits}g}"
    names[last] = f"from {ends[last][0]:.{digits}g}"
    return [names[i] for i in fifth.tolist()]


def _moments(names: list[str]) -> _Named:
    """Return months as months and days as days, from year 0; other times by their order."""
    if all(len(name) == len("2024-01") for name in names):
        return names, [12.0 * int(name[:4]) + int(name[5:]) for name in names], "month"
    try:
        return names, [float(date.fromisoformat(name).toordinal()) for name in names], "day"
    except ValueError:
        return names, range(len(names)), "step"


def named_divisions(by: Any) -> dict[str, Any]:
    """Return columns in memory by name: of a mapping, of a frame, or one column."""
    if isinstance(by, str):
        raise InputError(
            f"by is {by!r}, the name of a column, and there is no table.",
            parameter="by",
            hint="Pass the table as {data}, or the values of the column as {by}.",
        )
    columns = by if isinstance(by, Mapping) else columns_of_frame(by)
    if columns is None:
        columns = {} if by is None else {series_name(by) or "slice": by}
    return {str(name): column for name, column in columns.items()}


def division_roles(by: Any) -> dict[str, Any]:
    """Return names of columns by role: by_0, by_1, …"""
    names = [] if by is None else [by] if isinstance(by, (str, int)) else list(by)
    return {f"by_{i}": text_name(name) for i, name in enumerate(dict.fromkeys(names))}
