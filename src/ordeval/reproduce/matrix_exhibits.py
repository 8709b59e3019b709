"""Exhibits that several papers share: measures on given confusion matrices."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from ..measures.spec import parse_measure
from ..types import Floats
from .printed import Printed
from .study import Drawing, Item, Ours, Setting

FORMULA = "min(1, 1 − 1/(1+δ) + βδ)"
_BETAS = (0.5, 0.125, 0.0313, 0.0)  # of the curves for a single item
_DISTANCES = range(10)
_EQUAL = 1e-12  # scores that differ by less are equal
_SIZES = (100, 200)  # numbers of classes from which limits are extrapolated


def score_of(measure: str, counts: ArrayLike) -> float:
    """Return the score of one table `[K, K]`, with gold in rows."""
    return float(parse_measure(measure).of(np.asarray(counts, dtype=np.float64)))


def compared(measure: str, left: ArrayLike, right: ArrayLike) -> str:
    """Return ">", "=" or "<" if the left table has a better score than the right one, and so on.

    Examples
    --------
    >>> compared("mae", [[1, 1], [0, 2]], [[1, 1], [1, 1]])
    '>'
    """
    a, b = score_of(measure, left), score_of(measure, right)
    if abs(a - b) < _EQUAL:
        return "="
    return ">" if (a > b) == (parse_measure(measure).record.better == "higher") else "<"


def matrix_table(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Score every printed matrix under the measures that are the columns.

    A misprinted matrix is followed by the one that is consistent with the printed figures.
    """
    consistent = printed.entry.get("consistent_counts", {})
    for row, counts in printed["counts"].items():
        for column in printed.columns:
            yield Ours(row, column, score_of(column, counts))
        if row in consistent:
            again = f"{row}, consistent matrix {consistent[row]}"
            for column in printed.columns:
                score = score_of(column, consistent[row])
                yield Ours(again, column, score, printed=printed.figure(row, column))


def tridiagonal_figure(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Draw measures on tridiagonal matrices of growing size, and compute the stated limits.

    The distance to the limit halves when the number of classes doubles, so two sizes give it.
    """
    for measure in printed.figures:
        near, nearer = _tridiagonal_curve(measure, _SIZES)
        yield Ours(measure, "limit", 2 * nearer - near)
    sizes = list(range(2, printed["most_classes"] + 1))
    series = {m: (sizes, _tridiagonal_curve(m, sizes)) for m in printed["measures"]}
    yield Drawing(printed.key, "curves", series, **printed["drawing"])


def _tridiagonal_curve(measure: str, sizes: Iterable[int]) -> list[float]:
    """Score matrices with ones on the diagonal and beside it."""
    return [score_of(measure, np.eye(k) + np.eye(k, k=1) + np.eye(k, k=-1)) for k in sizes]


def single_item(measure: str, distance: int, k: int = 10) -> float:
    """Score one item of class 1 that is predicted `distance` classes off."""
    table: Floats = np.zeros((k, k))
    table[0, distance] = 1.0
    return score_of(measure, table)


def oc_of_one(distance: int, beta: float) -> float:
    """Return OC of one item by the formula of Cardoso & Sousa."""
    return min(1.0, 1 - 1 / (1 + distance) + beta * distance)


Line = tuple[str, str, Callable[[int], float]]


def single_item_lines(measure: str) -> dict[str, Line]:
    """Return measure, formula as text and formula, for every β; `{beta}` is filled in."""
    return {
        f"β = {b:g}": (measure.format(beta=b), FORMULA, partial(oc_of_one, beta=b)) for b in _BETAS
    }


def single_item_figure(lines: Mapping[str, Line], printed: Printed) -> Iterator[Item]:
    """Compare measures of one item with their closed forms, and draw them against distance."""
    series = {}
    for row, (measure, text, formula) in lines.items():
        curve = [single_item(measure, d) for d in _DISTANCES]
        series[row] = list(_DISTANCES), curve
        largest = max(abs(v - formula(d)) for d, v in zip(_DISTANCES, curve, strict=True))
        yield Ours(row, f"farthest from {text}", largest, expected=0.0)
    yield Drawing(printed.key, "curves", series, **printed["drawing"])
