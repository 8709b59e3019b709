"""Tables of measures on printed confusion matrices, and the curves two of the papers share."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..spec import parse_measure
from .drawing import curves
from .study import Comparison, Drawing, Exhibit, Misprint, derived, exact

Floats = NDArray[np.float64]
SINGLE_BETAS = (0.5, 0.125, 0.0313, 0.0)  # of the curves that both papers draw
_SIZES = (100, 200)  # classes from which limits are extrapolated
_DISTANCES = range(10)


def score_of(measure: str, counts: ArrayLike) -> float:
    """Score of one table `[K, K]`, rows gold."""
    return float(parse_measure(measure).of(np.asarray(counts, dtype=np.float64)))


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


def tridiagonal_figure(
    key: str, limits: Mapping[str, str], measures: Sequence[str], most: int
) -> Exhibit:
    """Measures on tridiagonal matrices of 2 to `most` classes, and the limits that are stated."""
    sizes = list(range(2, most + 1))
    drawing = curves(
        key,
        f"{len(measures)} measures on tridiagonal matrices of 2 to {most} classes",
        {m: (sizes, tridiagonal_curve(m, sizes)) for m in measures},
        title="Tridiagonal matrices",
        x="K",
        y="measure",
    )
    return Exhibit(
        key,
        f"{key.capitalize().replace('-', ' ')}: tridiagonal matrices",
        tuple(exact(key, m, "limit", tridiagonal_limit(m), x) for m, x in limits.items()),
        left_open=f"The curves are only drawn; the text states the limits of {len(limits)}.",
        chosen="Limits extrapolated from 100 and 200 classes.",
        drawings=(drawing,),
    )


def single_item(distance: int, k: int = 10) -> Floats:
    """One item of class 1, predicted `distance` classes off: `[k, k]`."""
    table = np.zeros((k, k))
    table[0, distance] = 1.0
    return table


def oc_of_one(distance: int, beta: float) -> float:
    """OC of one item, by the formula of Cardoso & Sousa."""
    return min(1.0, 1 - 1 / (1 + distance) + beta * distance)


@dataclass(frozen=True)
class SingleItem:
    """A measure of one item against its distance from the diagonal, and its closed form."""

    measure: str
    formula: Callable[[int], float]
    said: str

    @property
    def curve(self) -> list[float]:
        """The measure at distances 0..9."""
        return [score_of(self.measure, single_item(d)) for d in _DISTANCES]

    def against_formula(self, row: str) -> Comparison:
        """The largest distance between the measure and its closed form."""
        apart = max(abs(v - self.formula(d)) for d, v in zip(_DISTANCES, self.curve, strict=True))
        return derived(row, f"farthest from {self.said}", apart, 0.0)


def single_item_drawing(name: str, said: str, lines: Mapping[str, SingleItem], y: str) -> Drawing:
    """The measures of one item, drawn."""
    series = {row: (list(_DISTANCES), line.curve) for row, line in lines.items()}
    return curves(name, said, series, title="A single item", x="|r − c|", y=y)
