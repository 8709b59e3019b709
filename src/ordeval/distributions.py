"""Checked distributions `[..., K]` for quantification."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .data.column import as_array
from .errors import InputError, plural, quoted
from .notes import Notes, warning
from .types import Floats

_TOLERANCE = 0.01  # run files round; a sum that is further off is an error
_EXACT = 1e-9
_FEW_CLASSES = 16  # columns that are added one by one
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
    deviation : float
        The largest deviation of the sum of a renormalised row from 1.
    """

    rows: Floats
    renormalised: int = 0
    sizes: Floats | None = None
    deviation: float = 0.0


def renormalised_notice(rows: int, deviation: float) -> Notes:
    """Return the notice that rows were renormalised, if some were.

    >>> renormalised_notice(2, 0.004)[0].text[-38:]
    ' rows. The largest deviation is 0.4 %.'
    """
    if not rows:
        return ()
    return (
        warning(
            "sums",
            "Renormalised, because its sum is not exactly 1 (but within 1 %): "
            f"{plural(rows, 'row')}. The largest deviation is {100 * deviation:.2g} %.",
        ),
    )


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
    if largest > _TOLERANCE + _EXACT:
        wrong = deviations > _TOLERANCE + _EXACT
        _refuse(wrong, "a sum that is not 1", name, row_names, sums)
    if not renormalise:
        return Distributions(rows.copy())
    off = int(np.count_nonzero(deviations > _EXACT)) if largest > _EXACT else 0
    return Distributions(rows / sums[..., None], off, deviation=largest)


def _whole(numbers: Floats) -> bool:
    return bool((numbers == np.floor(numbers)).all())


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
        found = as_array(sizes, "The sizes").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
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
        rows = as_array(data, "y_true").astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        return False
    return rows.ndim != 1 or not np.abs(rows.sum() - 1) > _TOLERANCE + _EXACT


_INTEGER = re.compile(r"(|.*[^\d+-])([+-]?)(\d{1,300})")
_MAY_PRECEDE_A_SIGN = ("", "_", "=", ":", " ")
_PREFIX = re.compile(r".*[_=: .]")
_MOST_SUGGESTED = 10


def integer_of(column: str) -> tuple[str, int | None]:
    """Return prefix and number of a column such as p_-2; a sign must follow a separator.

    >>> integer_of("p_-2"), integer_of("low")
    (('p_', -2), ('low', None))
    """
    match = _INTEGER.fullmatch(column)
    if not match or (match[2] and match[1][-1:] not in _MAY_PRECEDE_A_SIGN):
        return column, None
    return match[1], int(match[2] + match[3])


def common_integers(columns: Sequence[str]) -> list[int]:
    """Return the integers, sorted, of columns that one prefix and an integer name; else nothing.

    >>> common_integers(["p_5", "p_1", "p_2"]), common_integers(["p_1", "q_2"])
    ([1, 2, 5], [])
    """
    found = [integer_of(column) for column in columns]
    numbers = {number for _, number in found if number is not None}
    alike = len({prefix for prefix, _ in found}) == 1 and len(numbers) == len(found)
    return sorted(numbers) if alike else []


def prefixes_of(columns: Sequence[str], words: Iterable[str]) -> list[str]:
    """Return the possible prefixes of the class names, "" if the names have none.

    If no prefix fits all classes, the one that fits most, so that the absent columns can be named.

    >>> prefixes_of(["p_1", "p_2"], ["1", "2"])
    ['p_']
    """
    words = list(words)
    fitting = Counter(c.removesuffix(w) for w in words for c in columns if c.endswith(w))
    most = max(fitting.values(), default=0)
    found = sorted(prefix for prefix, times in fitting.items() if times == most)
    return [""] if "" in found or (most < len(words) and len(found) != 1) else found


def unknown_order(
    columns: Sequence[str], where: str = "", more: str = "", **suggest: Any
) -> InputError:
    """Return the error that the order of classes is not known, with names to declare.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns, or of the classes.
    where : str
        The table, for the message.
    more : str
        What else may be the cause, for the hint.
    **suggest : object
        Settings that `more` suggests.

    Returns
    -------
    InputError
        The error. It suggests the names in a plausible order, without a prefix that all share.
    """
    beginnings = {found[0] if (found := _PREFIX.match(c)) else "" for c in columns}
    prefix = beginnings.pop() if len(beginnings) == 1 else ""
    words = sorted(c.removeprefix(prefix) for c in columns)
    numbers = common_integers(columns)
    few = len(words) <= _MOST_SUGGESTED
    hint = "Declare the order, lowest first, e.g. {labels}."
    if not numbers:
        hint = (
            "Declare the classes in the right order, lowest first; in no particular order: "
            "{labels}."
        )
    return InputError(
        f"{where}the order of the classes is not known. {quoted(columns, 10)} are not all "
        "consecutive integers, and their position is never used.",
        parameter="labels",
        hint=(hint if few else "Declare the order, lowest first, with {labels}.") + more,
        suggest={"labels": (numbers or words) if few else ..., **suggest},
    )


def _numbers(data: Any, name: str) -> Floats:
    try:
        rows = as_array(data, f"The {name} distributions").astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
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
