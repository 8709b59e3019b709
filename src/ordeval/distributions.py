"""Checked distributions `[..., K]` for quantification."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .errors import InputError, plural
from .types import Floats

_TOLERANCE = 0.01  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_HINT = "Each row must hold non-negative shares that sum to 1 (within 1 %), or all rows counts."


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
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None


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
    >>> from ordeval.distributions import read_distributions
    >>> read_distributions([[1, 3], [2, 2]], "gold").rows
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    rows = _numbers(data, name)
    sums = rows.sum(axis=-1)
    _refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number", name, row_names)
    _refuse((rows < 0).any(axis=-1), "a negative number", name, row_names)
    _refuse(sums == 0, "only zeros", name, row_names)
    if np.all(rows == np.floor(rows)):
        # Shares of 0 and 1 alone are not known to be counts of one item.
        return Distributions(rows / sums[..., None], 0, sums if np.any(sums > 1) else None)
    wrong = np.abs(sums - 1) > _TOLERANCE + _EXACT
    _refuse(wrong, "a sum that is not 1", name, row_names, sums)
    off = int(np.count_nonzero(np.abs(sums - 1) > _EXACT))
    return Distributions(rows / sums[..., None], off) if renormalise else Distributions(rows, 0)


def read_sizes(sizes: Any, shape: tuple[int, ...]) -> Floats:
    """Check the numbers of items behind distributions.

    Parameters
    ----------
    sizes : array_like
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
    >>> from ordeval.distributions import read_sizes
    >>> read_sizes([60, 229], (2,))
    array([ 60., 229.])
    """
    try:
        found = np.asarray(sizes, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("The sizes are not all numbers.", parameter="sizes") from None
    if not (np.isfinite(found) & (found > 0)).all():
        raise InputError(
            "The sizes hold a number that is missing or not positive; the number of items of "
            "every distribution is expected.",
            parameter="sizes",
        )
    if found.shape not in ((), shape):
        raise InputError(
            f"The sizes have shape {found.shape}; one number per distribution is expected: "
            f"{shape}.",
            parameter="sizes",
        )
    return np.broadcast_to(found, shape)


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
    >>> from ordeval.distributions import may_be_shares
    >>> may_be_shares([0.5, 0.2, 0.3]), may_be_shares([1, 2, 3, 3]), may_be_shares(["a", "b"])
    (True, False, False)
    """
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE + _EXACT


def _numbers(data: Any, name: str) -> Floats:
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"The {name} distributions are not all numbers, or their rows differ in length; one "
            "number per class is expected in every row.",
            parameter=_parameter(name),
        ) from None
    if rows.ndim == 0 or rows.shape[-1] < 2:
        raise InputError(
            f"The {name} distributions have shape {rows.shape}; the last axis must have one entry "
            "per class, at least two.",
            parameter=_parameter(name),
        )
    if rows.size == 0:
        raise InputError(
            f"There are no {name} distributions; at least one row is expected.",
            parameter=_parameter(name),
        )
    return rows


def _parameter(name: str) -> str:
    """Return the parameter that distributions were given as."""
    return "p_true" if name == "gold" else "p_pred"


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
    found = plural(int(bad.sum()), "row")
    raise InputError(
        f"The {name} distributions have {what} in {found}, the first in row {row}{detail}.",
        parameter=_parameter(name),
        hint=_HINT,
    )
