"""Checked distributions `[..., K]` over classes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, plural
from ..types import Floats
from .column import as_array

_TOLERANCE = 0.01 + 1e-9  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_FEW_CLASSES = 16  # columns that are added one by one


@dataclass(frozen=True, eq=False)
class Distributions:
    """Checked distributions.

    Parameters
    ----------
    rows : ndarray of shape (..., n_classes)
        The distributions; sums are exactly 1 unless renormalisation was switched off.
    renormalised : int
        Number of rows whose sum was slightly off and that were renormalised.
    sizes : ndarray of shape (...), optional
        The sums of the rows, if counts were given.
    deviation : float
        The largest deviation of the sum of a renormalised row from 1.
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None
    deviation: float = 0.0


def read_distributions(
    data: Any, name: str, *, renormalise: bool = True, row_names: Sequence[Any] | None = None
) -> Distributions:
    """Check distributions or counts.

    Integers throughout are counts, and are divided by their sum. Rows whose sum is off by at most
    1 % are renormalised.

    Parameters
    ----------
    data : array_like of shape (..., n_classes)
        Distributions or counts.
    name : str
        What they are, for messages: "gold", "estimated", or the name of a system.
    renormalise : bool, default True
        Whether to renormalise rows whose sum is off by at most 1 %; otherwise they are kept.
    row_names : sequence, optional
        Names of the rows, for messages.

    Returns
    -------
    Distributions
        The distributions, and how many of them were renormalised.

    Raises
    ------
    InputError
        If a row is not a distribution; the message names the first such row.

    Examples
    --------
    >>> from ordeval.data.distributions import read_distributions
    >>> read_distributions([[1, 3], [2, 2]], "gold").rows
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = read_rows(data, name)
    sums = class_sums(rows)
    if not (sums.min() > 0 and sums.max() < np.inf and rows.min() >= 0):  # none holds for NaN
        _refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number", name, row_names)
        _refuse((rows < 0).any(axis=-1), "a negative number", name, row_names)
        _refuse(sums == 0, "only zeros", name, row_names)
    if _whole(rows.flat[: rows.shape[-1]]) and _whole(rows):  # most often the first row tells it
        # Shares of 0 and 1 alone are not known to be counts of one item.
        return Distributions(rows / sums[..., None], 0, sums if np.any(sums > 1) else None)
    deviations = np.abs(sums - 1)
    largest = float(deviations.max())
    if largest > _TOLERANCE:
        _refuse(deviations > _TOLERANCE, "a sum that is not 1", name, row_names, sums)
    if not renormalise:
        return Distributions(rows.copy())
    off = int(np.count_nonzero(deviations > _EXACT)) if largest > _EXACT else 0
    return Distributions(rows / sums[..., None], off, deviation=largest)


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def read_sizes(size: Any, shape: tuple[int, ...]) -> Floats:
    """Check the numbers of items behind distributions.

    Parameters
    ----------
    size : array_like
        The number of items of every distribution, or one for all.
    shape : tuple of int
        The shape of the distributions without the axis of the classes.

    Returns
    -------
    ndarray
        The numbers, of that shape.

    Raises
    ------
    InputError
        If they are not positive numbers, or do not fit the shape.

    Examples
    --------
    >>> from ordeval.data.distributions import read_sizes
    >>> read_sizes([60, 229], (2,))
    array([ 60., 229.])
    """
    try:
        numbers = as_array(size, "size").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        numbers = np.array(np.nan)
    if not (np.isfinite(numbers) & (numbers > 0)).all() or numbers.shape not in ((), shape):
        raise InputError(
            f"size is {abbreviate(size)}; a positive number of items for each of "
            f"{plural(prod(shape), 'distribution')} is expected, or one for all.",
            parameter="size",
        )
    return np.broadcast_to(numbers, shape)


def may_be_shares(data: Any) -> bool:
    """Return whether data may be one distribution, or several, of shares that sum to 1.

    Parameters
    ----------
    data : array_like
        Numbers, or anything else.

    Returns
    -------
    bool
        False for text and for a sum that is not 1; other faults are left to `read_distributions`.

    Examples
    --------
    >>> from ordeval.data.distributions import may_be_shares
    >>> may_be_shares([0.5, 0.2, 0.3]), may_be_shares([1, 2, 3, 3]), may_be_shares(["a", "b"])
    (True, False, False)
    """
    try:
        rows = as_array(data, "y_true").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE


def read_rows(data: Any, name: str) -> Floats:
    """Return an array of numbers with one per class, at least two, along the last axis."""
    parameter = "p_true" if name == "gold" else "p_pred"
    try:
        rows = as_array(data, f"The {name} distributions").astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"The {name} distributions are not all numbers, or their rows differ in length; one "
            "number per class is expected in every row.",
            parameter=parameter,
        ) from None
    if rows.ndim == 0 or rows.shape[-1] < 2 or not rows.size:
        raise InputError(
            f"The {name} distributions have shape {rows.shape}; at least one row is expected, with "
            "a number for each of at least two classes.",
            parameter=parameter,
        )
    return rows


def _refuse(
    bad: Any, what: str, name: str, row_names: Sequence[Any] | None, sums: Floats | None = None
) -> None:
    """Raise an error that names the first bad row and counts all of them."""
    bad = np.atleast_1d(bad)
    if not bad.any():
        return
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    row: Any = position[0] if len(position) == 1 else position
    if row_names is not None and len(position) == 1:
        row = repr(row_names[position[0]])
    detail = "" if sums is None else f" (it sums to {np.atleast_1d(sums)[position]:.6g})"
    raise InputError(
        f"The {name} distributions have {what} in {plural(int(bad.sum()), 'row')}, the first in "
        f"row {row}{detail}.",
        parameter="p_true" if name == "gold" else "p_pred",
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
