"""The worked example of quadratic weighted kappa in "How to evaluate Ordinal Regression" (2025)."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..spec import parse_measure
from ..types import Floats
from .matrix_exhibits import score_of
from .printed import Printed
from .study import Fact, Item, Maker, Ours, Setting


def expected(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute E from counts, as the products of the shares of rows and columns."""
    shares = np.asarray(printed["counts"]) / np.sum(printed["counts"])
    yield from _cells(printed, np.outer(shares.sum(axis=1), shares.sum(axis=0)))


def weights(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute W."""
    index = np.arange(3)
    yield from _cells(printed, ((index[:, None] - index) / 2) ** 2)


def kappa(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute kappa, which the post does not print, in two ways."""
    observed = np.asarray(printed.of("expected")["counts"], dtype=np.float64)
    w, e = (_matrix(printed.of(key)) for key in ("weights", "expected"))
    by_hand = 1 - (w * observed / 10).sum() / (w * e).sum()
    given = float(parse_measure("kappa", weights=w).of(observed))
    yield Ours("quadratic weights", "κ", score_of("qwk", observed), expected=by_hand)
    yield Ours("W given as a matrix", "κ", given, expected=by_hand)
    yield Fact("kappa", f"{by_hand:.4f}")


def _matrix(printed: Printed) -> Floats:
    return np.array([[float(x) for x in row.values()] for row in printed.figures.values()])


def _cells(printed: Printed, found: ArrayLike) -> Iterator[Item]:
    for row, values in zip(printed.figures, np.asarray(found), strict=True):
        for column, value in zip(printed.columns, values, strict=True):
            yield Ours(row, column, float(value))


EXHIBITS: Mapping[str, Maker] = {
    "expected": expected,
    "counts": expected,
    "weights": weights,
    "kappa": kappa,
}
