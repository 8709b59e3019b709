"""Slices: columns of any kind as groups of items, in an order where they have one.

Numbers, dates and ordered categories are in order, texts are not. All is decided on the distinct
values as text, so that files, which hold text, give the same slices as frames.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
_PERIOD = re.compile(r"\d{4}-?[QWH]\d{1,2}|\d{4}-W\d\d-\d")
_MIDNIGHT = " 00:00:00"


def part_of(column: Column, count: Array | None) -> Part:
    """Return the slices of a column; rows without a value are a slice of their own.

    `count` is the number of items of every row.
    """
    codes, names = _in_given_order(column) if column.ordered else groups_of(column)
    missing, table = len(names), np.arange(len(names) + 1)
    places, unit = _steps(names), "step"
    if not column.ordered:
        items = np.bincount(codes, count, minlength=len(names) + 1)[:missing]
        table, names, places, unit = _ordered(names, items)
    codes = table[codes]
    if len(names) > MOST:
        raise InputError(
            f"{column.name} has {len(names):,} values, {quoted(names, 3)}; at most {MOST:,} slices "
            "are expected.",
            parameter="by",
            hint="Group the values into a column of your own.",
        )
    if (codes == len(names)).any():
        names = (*names, MISSING)
        places = None if places is None else np.append(places, np.nan)
    return Part(codes, names, places, unit if places is not None else "")


def _in_given_order(column: Column) -> tuple[Array, tuple[str, ...]]:
    """Return the codes of the categories that occur, in their order, and their names."""
    values, used = column.values, np.flatnonzero(column.rows[:-1])
    kept = [i for i in used.tolist() if not is_no_group(values[i])]
    table = np.full(len(values) + 1, len(kept), np.intp)
    table[kept] = np.arange(len(kept))
    return table[column.data], tuple(group_name(values[i]) for i in kept)


def _ordered(
    names: tuple[str, ...], items: Array
) -> tuple[Array, tuple[str, ...], Floats | None, str]:
    """Return a table from sorted names to slices, the slices, their places and the unit of these.

    Many numbers are cut into fifths of the items, many days into months.
    """
    every = np.arange(len(names) + 1)
    numbers = [as_number(name) for name in names]
    if names and None not in numbers:
        values = np.array(numbers, dtype=np.float64)
        order = np.argsort(values, kind="stable")
        if len(names) > _FEW:
            return _cut(values, order, items)
        table = np.append(np.argsort(order), len(names))
        return table, tuple(names[i] for i in order), values[order], "unit"
    if names and all(map(_DAY.fullmatch, names)):
        days = [name.removesuffix(_MIDNIGHT) for name in names]
        lengths = [length for length in (7, 10, 13) if len({d[:length] for d in days}) > 1]
        cut = lengths[0] if len(set(days)) > _FEW and lengths else None
        kept = sorted({d[:cut] for d in days})
        table = np.array([*map(kept.index, (d[:cut] for d in days)), len(kept)])
        return table, tuple(kept), *_moments(kept)
    if names and all(map(_PERIOD.fullmatch, names)):
        return every, names, _steps(names), "step"
    return every, names, None, ""


def _steps(names: Sequence[str]) -> Floats:
    return np.arange(len(names), dtype=np.float64)


def _cut(
    values: Floats, order: Array, items: Array
) -> tuple[Array, tuple[str, ...], Floats | None, str]:
    """Return fifths of the items by value, each called after its smallest and largest value."""
    sizes, sorted_values = items[order], values[order]
    middle = np.cumsum(sizes) - sizes / 2
    fifth = np.minimum((_BINS * middle / sizes.sum()).astype(np.intp), _BINS - 1)
    bins = np.unique(fifth, return_inverse=True)[1]
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    ends = np.append(starts[1:], len(bins)) - 1
    cuts = sorted_values[np.union1d(starts, ends)].tolist()
    digits = next(d for d in (4, 6, 9, 17) if len({f"{x:.{d}g}" for x in cuts}) == len(cuts))
    low, high = ([f"{sorted_values[i]:.{digits}g}" for i in at] for at in (starts, ends))
    names = [f"{a} to {b}" for a, b in zip(low, high, strict=True)]
    names[0], names[-1] = f"up to {high[0]}", f"from {low[-1]}"
    mean = np.bincount(bins, sizes * sorted_values) / np.bincount(bins, sizes)
    table = np.empty(len(order) + 1, np.intp)
    table[order], table[-1] = bins, len(names)
    return table, tuple(names), mean, "unit"


def _moments(names: Sequence[str]) -> tuple[Floats, str]:
    """Return months as months and days as days, from year 0; other times by their order."""
    if all(len(name) == len("2024-01") for name in names):
        return np.array([12.0 * int(name[:4]) + int(name[5:]) for name in names]), "month"
    try:
        return np.array([float(date.fromisoformat(name).toordinal()) for name in names]), "day"
    except ValueError:
        return _steps(names), "step"


def named_divisions(by: Any) -> dict[str, Any]:
    """Return columns in memory by name: of a mapping, of a frame, or one column."""
    if by is None:
        return {}
    columns = by if isinstance(by, Mapping) else columns_of_frame(by)
    if columns is None:
        return {series_name(by) or "slice": by}
    return {str(name): column for name, column in columns.items()}


def division_roles(by: Any) -> dict[str, Any]:
    """Return names of columns by role: by_0, by_1, …"""
    names = [] if by is None else [by] if isinstance(by, (str, int)) else list(by)
    return {f"by_{i}": text_name(name) for i, name in enumerate(dict.fromkeys(names))}


def parts_of(by: Mapping[str, Column], keep: Array | None, count: Array | None) -> dict[str, Part]:
    """Return the slices of all columns, of the rows that are kept."""
    kept = {n: column if keep is None else column.take(keep) for n, column in by.items()}
    return {n: part_of(replace(column, name=f"by column {n}"), count) for n, column in kept.items()}
