"""Arrays of distributions over the classes: numbers that were read are checked, and added up."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, abbreviate, plural
from ..notes import Notes, warning
from ..types import Floats
from .containers import as_array

_TOLERANCE = 0.01 + 1e-9  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_FEW_CLASSES = 16  # columns that are added one by one


class Distributions(NamedTuple):
    """Checked distributions `[..., K]`, and `sizes`, the sums of rows of counts.

    `renormalised` is the number of rows whose sum was slightly off and that were renormalised,
    `deviation` the largest deviation of such a sum from 1.
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None
    deviation: float = 0.0


def renormalised(parts: Sequence[Distributions]) -> Notes:
    """Return the note that rows were renormalised, if some were."""
    rows, deviation = sum(p.renormalised for p in parts), max(p.deviation for p in parts)
    text = (
        f"Renormalised, because its sum is not exactly 1 (but within 1 %): {plural(rows, 'row')}. "
        f"The largest deviation is {100 * deviation:.2g} %."
    )
    return (warning("sums", text),) if rows else ()


def read_distributions(
    data: Any, name: str, *, renormalise: bool = True, row_names: Sequence[Any] | None = None
) -> Distributions:
    """Check distributions or counts `[..., K]`, called `name` in messages.

    Integers throughout are counts, and are divided by their sum. Rows whose sum is off by at most
    1 % are renormalised, unless that is switched off.

    >>> read_distributions([[1, 3], [2, 2]], "gold").rows
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = read_rows(data, name)
    sums = class_sums(rows)

    def refuse(bad: Any, what: str) -> None:
        if np.any(bad):
            raise _bad_rows(np.atleast_1d(bad), what, name, row_names)

    if not (sums.min() > 0 and sums.max() < np.inf and rows.min() >= 0):  # none holds for NaN
        refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number")
        refuse((rows < 0).any(axis=-1), "a negative number")
        refuse(sums == 0, "only zeros")
    if _whole(rows.flat[: rows.shape[-1]]) and _whole(rows):  # most often the first row tells it
        # Shares of 0 and 1 alone are not known to be counts of one item.
        return Distributions(rows / sums[..., None], 0, sums if np.any(sums > 1) else None)
    deviations = np.abs(sums - 1)
    largest = float(deviations.max())
    if largest > _TOLERANCE:
        bad = deviations > _TOLERANCE
        refuse(bad, f"a sum that is not 1 (but {np.atleast_1d(sums)[np.atleast_1d(bad)][0]:.6g})")
    if not renormalise:
        return Distributions(rows.copy())
    off = int(np.count_nonzero(deviations > _EXACT)) if largest > _EXACT else 0
    return Distributions(rows / sums[..., None], off, deviation=largest)


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def read_sizes(size: Any, shape: tuple[int, ...]) -> Floats:
    """Check the numbers of items behind distributions of a shape: one of each, or one for all.

    >>> read_sizes([60, 229], (2,))
    array([ 60., 229.])
    """
    numbers = _as_floats(size, "size")
    if (
        numbers is None
        or not (np.isfinite(numbers) & (numbers > 0)).all()
        or numbers.shape not in ((), shape)
    ):
        raise InputError(
            f"size is {abbreviate(size)}; a positive number of items for each of "
            f"{plural(prod(shape), 'distribution')} is expected, or one for all.",
            parameter="size",
        )
    return np.broadcast_to(numbers, shape)


def may_be_shares(data: Any) -> bool:
    """Return whether data may be distributions: not text, nor numbers whose sum is not 1.

    >>> may_be_shares([0.5, 0.2, 0.3]), may_be_shares([1, 2, 3, 3]), may_be_shares(["a", "b"])
    (True, False, False)
    """
    rows = _as_floats(data, "y_true")
    return rows is not None and (rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE)


def _as_floats(data: Any, name: str) -> Floats | None:
    """Return an array of numbers; None for anything else."""
    try:
        return as_array(data, name).astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        return None


def read_rows(data: Any, name: str) -> Floats:
    """Return an array of numbers with one per class, at least two, along the last axis."""
    rows, problem = _as_floats(data, f"The {name} distributions"), ""
    if rows is None:
        problem = "are not all numbers, or their rows differ in length"
    elif rows.ndim == 0 or rows.shape[-1] < 2 or not rows.size:
        problem = f"have shape {rows.shape}"
    if rows is None or problem:
        raise InputError(
            f"The {name} distributions {problem}; at least one row is expected, with a number for "
            "each of at least two classes.",
            parameter=_parameter(name),
        )
    return rows


def _parameter(name: str) -> str:
    return "p_true" if name == "gold" else "p_pred"


def _bad_rows(bad: Any, what: str, name: str, row_names: Sequence[Any] | None) -> InputError:
    """Return an error that names the first bad row and counts all of them."""
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    row: Any = position[0] if len(position) == 1 else position
    if row_names is not None and len(position) == 1:
        row = repr(row_names[position[0]])
    return InputError(
        f"The {name} distributions have {what} in {plural(int(bad.sum()), 'row')}, the first in "
        f"row {row}.",
        parameter=_parameter(name),
        hint="Each row must hold non-negative shares that sum to 1 (within 1 %), or all rows "
        "counts.",
    )


def class_sums(rows: Floats) -> Floats:
    """Return the sums over the last axis, that of classes.

    Of few classes the columns are added one by one, which is several times faster where there are
    many rows.

    >>> class_sums(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([4., 4.])
    """
    k = rows.shape[-1]
    if not 1 < k <= _FEW_CLASSES:
        return np.asarray(rows.sum(axis=-1))
    total = rows[..., 0]
    for place in range(1, k):
        total = total + rows[..., place]
    return total
