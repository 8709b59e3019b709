"""Checked distributions `[..., K]` for quantification."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

_TOLERANCE = 0.01  # real run files round; a sum further off than this is a mistake
_EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class Distributions:
    """Rows `[..., K]` that sum to 1, and how many of them had to be renormalised."""

    rows: NDArray[np.float64]
    renormalised: int = 0


def read_distributions(
    data: Any, name: str, *, renormalise: bool = True, row_names: Any = None
) -> Distributions:
    """Check distributions or counts.

    Whole numbers throughout are counts, and are divided by their sum. Rows whose sum is off by at
    most 1 % are renormalised and counted, or with `renormalise=False` kept as they are.
    """
    rows = _numbers(data, name)
    sums = rows.sum(axis=-1)
    _refuse(~np.isfinite(rows).all(axis=-1), "a missing or non-finite number", name, row_names)
    _refuse((rows < 0).any(axis=-1), "a negative number", name, row_names)
    _refuse(sums == 0, "only zeros", name, row_names)
    if np.all(rows == np.floor(rows)):
        return Distributions(rows / sums[..., None])
    wrong = np.abs(sums - 1) > _TOLERANCE + _EXACT
    _refuse(wrong, "a sum that is not 1", name, row_names, sums)
    off = int(np.count_nonzero(np.abs(sums - 1) > _EXACT))
    return Distributions(rows / sums[..., None], off) if renormalise else Distributions(rows, 0)


def _numbers(data: Any, name: str) -> NDArray[np.float64]:
    try:
        rows = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"The {name} distributions are not all numbers, or the rows differ in length; "
            "give one number per class in every row."
        ) from None
    if rows.ndim == 0 or rows.shape[-1] < 2:
        raise InputError(
            f"The {name} distributions have shape {rows.shape}; the last axis must run over the "
            "classes, at least two."
        )
    if rows.size == 0:
        raise InputError(f"There are no {name} distributions; at least one row is needed.")
    return rows


def _refuse(bad: Any, what: str, name: str, row_names: Any, sums: Any = None) -> None:
    """Raise an error that names the first bad row, and how many there are."""
    bad = np.atleast_1d(bad)
    if not bad.any():
        return
    position = tuple(int(i) for i in np.argwhere(bad)[0])
    row: Any = position[0] if len(position) == 1 else position
    if row_names is not None and len(position) == 1:
        row = repr(row_names[position[0]])
    detail = "" if sums is None else f" (it sums to {np.atleast_1d(sums)[position]:.6g})"
    raise InputError(
        f"The {name} distributions have {what} in {int(bad.sum())} row(s), the first in row "
        f"{row}{detail}. Each row must be non-negative shares that sum to 1 (within 1 %), or all "
        "rows whole counts."
    )
