"""Tables of measures on printed confusion matrices, and the curves two of the papers share."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..registry import parse
from .study import Comparison, Misprint, exact

Floats = NDArray[np.float64]
_SIZES = (100, 200)  # classes from which limits are extrapolated


def score_of(measure: str, counts: ArrayLike) -> float:
    """Score of one table `[K, K]`, rows gold."""
    return float(parse(measure).of(np.asarray(counts, dtype=np.float64)))


def measure_rows(
    exhibit: str,
    rows: Mapping[str, Mapping[str, Any]],
    columns: Sequence[str],
    misprints: Iterable[Misprint] = (),
) -> tuple[Comparison, ...]:
    """Every measure on every printed matrix, beside the printed figures.

    A row with `consistent_counts` is shown a second time, with these, where nothing may differ.
    """
    known = tuple(misprints)
    found: list[Comparison] = []
    for name, row in rows.items():
        cells = list(zip(columns, row["printed"], strict=True))
        found += [
            exact(exhibit, name, c, score_of(c, row["counts"]), figure, known)
            for c, figure in cells
        ]
        if "consistent_counts" in row:
            again = f"{name}, consistent matrix {row['consistent_counts']}"
            matrix = row["consistent_counts"]
            found += [exact(exhibit, again, c, score_of(c, matrix), figure) for c, figure in cells]
    return tuple(found)


def tridiagonal(k: int) -> Floats:
    """Ones on the diagonal and beside it, zeros elsewhere: `[k, k]`."""
    return np.eye(k) + np.eye(k, k=1) + np.eye(k, k=-1)


def tridiagonal_curve(measure: str, sizes: Iterable[int]) -> list[float]:
    """A measure on tridiagonal matrices of several sizes."""
    return [score_of(measure, tridiagonal(k)) for k in sizes]


def tridiagonal_limit(measure: str) -> float:
    """Where a measure goes as the number of classes grows.

    The distance to the limit halves when the number of classes doubles, so that two sizes give it.
    """
    near, nearer = tridiagonal_curve(measure, _SIZES)
    return 2 * nearer - near


def single_item(distance: int, k: int = 10) -> Floats:
    """One item of class 1, predicted `distance` classes off: `[k, k]`."""
    table = np.zeros((k, k))
    table[0, distance] = 1.0
    return table
