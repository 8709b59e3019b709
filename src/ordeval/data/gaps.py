"""Missing labels, topics and clusters: which rows have them, and what becomes of these."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, quoted
from ..notes import Notes, warning
from ..types import Bools
from .classes import Reading, gap_of
from .column import Column, is_no_group
from .units import Units

_SHOWN = 5  # columns, and values of a column, in a message


class Gap(NamedTuple):
    """The rows of a column, as it was given, that hold nothing."""

    column: Column
    rows: Bools
    role: str  # "gold", "system" or "group"


def find_gaps(
    given: Sequence[Column],
    labelled: Sequence[Column],
    groups: Mapping[str, Column],
    judged: bool,
) -> list[Gap]:
    """Return the gaps of gold, groups and systems; those of gold are none beside a judge."""
    labels = [gap_of(column) for column in labelled]
    gaps = [] if judged else [(given[0], labels[0], "gold")]
    gaps += [(column, _without_group(column), "group") for column in groups.values()]
    gaps += [(c, gap, "system") for c, gap in zip(given[1:], labels[1:], strict=True)]
    return [Gap(column, rows, role) for column, rows, role in gaps if rows is not None]


def _without_group(column: Column) -> Bools | None:
    """Return which rows have no topic or cluster; None if all have one."""
    coded = column.coded()
    k = len(coded.values)
    empty = [] if isinstance(coded.values, range) else list(map(is_no_group, coded.values))
    absent = [*(i for i, gone in enumerate(empty) if gone), k]
    rows = np.isin(coded.data, absent) if len(absent) > 1 else coded.data == k
    return rows if rows.any() else None


def settle_gaps(
    gaps: Sequence[Gap], units: Units, reading: Reading
) -> tuple[Bools | None, int, Notes]:
    """Return which rows stay (None for all), how many items have gaps, and notes about these."""
    keep, skipped, notes = units.counting(), 0, Notes()
    if gaps and reading.missing == "skip":
        gap = np.logical_or.reduce([gap.rows for gap in gaps])
        skipped = units.items_of(gap)
        keep = ~gap if keep is None else keep & ~gap
        columns = [_described(gap, units, reading) for gap in gaps if units.items_of(gap.rows)]
        text = f"Missing values: {', '.join(columns)}."
        notes = (warning("missing", text),) if columns else ()
    elif gaps:
        _refuse(gaps, units, reading)
    if keep is not None and not keep.any():
        raise InputError(
            "No item is left to score: all have a missing label, or a weight or frequency of 0.",
            hint="Check that the right columns were given.",
        )
    return keep, skipped, notes


def _refuse(gaps: Sequence[Gap], units: Units, reading: Reading) -> None:
    """Raise an error for gaps that cannot stay: all of them, or those of gold and groups."""
    worst = reading.missing == "worst"
    gaps = [gap for gap in gaps if not worst or gap.role != "system"]
    if not gaps:
        return
    listed = [
        _described(gap, units, reading) + reading.places(gap.column, gap.rows)
        for gap in gaps[:_SHOWN]
    ]
    more = f" and {len(gaps) - _SHOWN} more columns" if len(gaps) > _SHOWN else ""
    hint = (
        "Fill or drop them, or pass {missing} to leave those items out (they are counted); "
        '"worst" instead of "skip" scores a missing prediction as the class farthest from gold.'
    )
    hint = 'Fill or drop them; "worst" is for missing predictions only.' if worst else hint
    if any(gap.role == "group" for gap in gaps):
        hint = f"If only the first row of each group is filled, fill it down. {hint}"
    raise InputError(
        f"There are missing values ({', '.join(listed)}{more}).",
        parameter="missing",
        hint=hint,
        suggest={"missing": "skip"},
    )


def _described(gap: Gap, units: Units, reading: Reading) -> str:
    """Return how many values of a column are missing, and what stands for them beside nothing."""
    words = list[Any]()
    if reading.bins is None and gap.role != "group":
        words = [x for x in gap.column.take(gap.rows).distinct() if str(x).strip()]
    codes = f" ({quoted(sorted(words, key=str), _SHOWN)})" if words else ""
    return f"{gap.column.name}: {units.items_of(gap.rows):,}{codes}"
