"""The data of the examples on the cards, and the pieces that worked examples are made of.

The functions in `worked_examples` compute scores step by step, from the formulas and not by the
code of the package. The last step must have the score that the package computes.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ordeval as oe
from ordeval import Measure
from ordeval.measures.raters import NEEDS_ALL

Floats = NDArray[np.float64]
LABELS = ("low", "mid", "high")


@dataclass(frozen=True)
class Grid:
    """A table of figures.

    Parameters
    ----------
    caption : str
        What the figures are.
    columns : sequence of str
        Headings of the columns.
    rows : sequence of (str, sequence)
        Headings of the rows, each with its figures or texts.
    corner : str
        What rows and columns are.
    marked : collection of (int, int)
        Cells to point out, by row and column.
    """

    caption: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Any]]]
    corner: str = ""
    marked: frozenset[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Step:
    """One step: a sentence, grids of figures and formulas, and the score in the last one."""

    text: str
    parts: tuple[Grid | str, ...] = ()
    score: float | None = None


Steps = Iterator[Step]


@dataclass(frozen=True)
class Table:
    """The table of a worked example, with the symbols of the formulas."""

    n: Floats

    @cached_property
    def N(self) -> float:
        """All items."""
        return float(self.n.sum())

    @cached_property
    def G(self) -> Floats:
        """Items of each gold class."""
        found: Floats = self.n.sum(axis=1)
        return found

    @cached_property
    def P(self) -> Floats:
        """Items of each predicted class."""
        found: Floats = self.n.sum(axis=0)
        return found

    @cached_property
    def v(self) -> Floats:
        """The class values."""
        return np.arange(1.0, len(self.n) + 1)

    @cached_property
    def d(self) -> Floats:
        """The distances between classes."""
        found: Floats = np.abs(self.v[:, None] - self.v)
        return found

    @property
    def cells(self) -> list[tuple[int, int]]:
        """All cells, by gold and predicted class."""
        return [(int(g), int(p)) for g, p in np.ndindex(self.n.shape)]


@dataclass(frozen=True)
class Shares:
    """The distributions of a worked example of quantification: gold q and estimate p."""

    q: Floats
    p: Floats

    @cached_property
    def v(self) -> Floats:
        """The class values."""
        return np.arange(1.0, len(self.q) + 1)


@dataclass(frozen=True)
class Ratings:
    """The ratings of a worked example: classes 1 to K, 0 for a gap, `[item, rater]`."""

    given: NDArray[np.int_]

    @property
    def lists(self) -> list[list[int | None]]:
        """The ratings as `ordeval.agreement` takes them."""
        return [[int(x) if x else None for x in row] for row in self.given]

    @cached_property
    def v(self) -> Floats:
        """The class values."""
        return np.arange(1.0, 4)

    @cached_property
    def r(self) -> Floats:
        """The number of raters who gave each class, by item: `[item, class]`."""
        return np.stack([(self.given == k).sum(axis=1) for k in (1, 2, 3)], axis=1).astype(float)


TABLE = Table(np.array([[8.0, 3, 1], [5, 2, 2], [0, 0, 4]]))
SHARES = Shares(np.array([0.5, 0.3, 0.2]), np.array([0.3, 0.7, 0.0]))
WITH_A_GAP = Ratings(np.array([[1, 1, 2], [1, 1, 1], [3, 3, 2], [1, 2, 0], [3, 3, 3], [2, 1, 1]]))
COMPLETE = Ratings(np.array([[1, 1, 2], [1, 1, 1], [3, 3, 2], [1, 2, 1], [3, 3, 3], [2, 1, 1]]))

_WORKED: dict[str, Callable[[Any, Measure], Steps]] = {}


def worked(*ids: str) -> Callable[[Callable[[Any, Measure], Steps]], Any]:
    """Register the decorated function as the one that works out these measures."""

    def register(function: Callable[[Any, Measure], Steps]) -> Any:
        _WORKED.update(dict.fromkeys(ids, function))
        return function

    return register


def example_of(m: Measure) -> Table | Shares | Ratings:
    """Return the data of the worked example of a measure."""
    if m.record.task == "raters":
        return COMPLETE if m.id in NEEDS_ALL else WITH_A_GAP
    return SHARES if m.record.task == "quantification" else TABLE


def score_of(m: Measure, data: Table | Shares | Ratings) -> float:
    """Return the score that the package computes."""
    if isinstance(data, Ratings):
        found = oe.agreement(data.lists, labels=[1, 2, 3], measures=[m], draws=0)
        return float(found[str(m)].value)
    if isinstance(data, Shares):
        return float(m.of(data.q, data.p))
    return float(m.of(data.n))


def steps_of(m: Measure) -> list[Step]:
    """Return the worked example of a measure, which must end with the score; empty without one."""
    data = example_of(m)
    steps = list(_WORKED[m.id](data, m)) if m.id in _WORKED else []
    if steps:
        check_score(m, steps, score_of(m, data))
    return steps


def check_score(m: Measure, steps: Sequence[Step], score: float) -> None:
    """Raise an error unless the last step has the score."""
    last = steps[-1].score
    if last is None or not isclose(last, score, rel_tol=1e-12, abs_tol=1e-12):
        raise ValueError(f"the worked example of {m} ends with {last}, and its score is {score}")


# Figures in LaTeX and in grids


def num(x: float) -> str:
    """Return a number with at most four decimals, for LaTeX."""
    text = f"{float(x):.4f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def shown(x: Any) -> str:
    """Return a number or a text for a grid."""
    if isinstance(x, str):
        return x
    return "–" if isnan(x) else num(x).replace("-", "−")


def plus(numbers: Iterable[float]) -> str:
    """Return a sum in LaTeX, a long one with its first two terms and its last."""
    terms = [num(x) for x in numbers]
    terms[2:-1] = [r"\dots"] if len(terms) > 5 else terms[2:-1]  # a grid shows the others
    return terms[0] + "".join(f" - {t[1:]}" if t.startswith("-") else f" + {t}" for t in terms[1:])


def frac(above: float | str, below: float | str) -> str:
    """Return a fraction in LaTeX."""
    up, down = (x if isinstance(x, str) else num(x) for x in (above, below))
    return rf"\frac{{{up}}}{{{down}}}"


def equal(*sides: str | float) -> str:
    """Return an equation in LaTeX."""
    return " = ".join(side if isinstance(side, str) else num(side) for side in sides)


def cells(
    caption: str,
    figures: Any,
    marked: Iterable[tuple[int, int]] = (),
    corner: str = "gold ↓ predicted →",
) -> Grid:
    """Return a grid of one figure per cell of the table."""
    rows = [(label, list(row)) for label, row in zip(LABELS, figures, strict=True)]
    return Grid(caption, LABELS, rows, corner, frozenset(marked))


def by_class(caption: str, figures: dict[str, Any], marked: Iterable[int] = ()) -> Grid:
    """Return a grid with a row per class, whose columns have any headings."""
    rows = [(label, [f[i] for f in figures.values()]) for i, label in enumerate(LABELS)]
    marks = frozenset((i, len(figures) - 1) for i in marked)
    return Grid(caption, list(figures), rows, "class", marks)
