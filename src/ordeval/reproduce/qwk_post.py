"""The worked example of quadratic weighted kappa in "How to evaluate Ordinal Regression" (2025)."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..measures.spec import parse_measure
from ..meta.axiom_cases import all_tables, compositions
from ..types import Floats
from .matrix_exhibits import score_of
from .printed import Printed
from .statements import statement
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


def properties(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check the range and the meaning of kappa on all small tables."""
    tables = np.concatenate([all_tables(items, 3, empty_gold=True) for items in range(1, 7)])
    perfect = np.trace(tables, axis1=1, axis2=2) == tables.sum(axis=(1, 2))
    chance = [np.outer(a, b) for a in compositions(4, 3) for b in compositions(4, 3)]
    yield Fact("tables", f"{len(tables):,}")
    for name, measure in printed["measures"].items():
        scores = np.asarray(parse_measure(measure).of(tables))
        defined = ~np.isnan(scores)
        low, high = float(scores[defined].min()), float(scores[defined].max())
        note = f"from {low:g} to {high:g}"
        yield statement(f"{name} lies between −1 and 1", low >= -1 and high <= 1, note)
        one = np.abs(scores[defined] - 1) < 1e-12
        yield statement(f"{name} is 1 for perfect agreement only", (one == perfect[defined]).all())
        found = np.asarray(parse_measure(measure).of(np.array(chance, dtype=np.float64)))
        zero = bool((np.abs(found[~np.isnan(found)]) < 1e-12).all())
        yield statement(f"{name} is 0 for independent raters", zero)
    observed = np.asarray(printed.of("expected")["counts"], dtype=np.float64) / 10
    w, e = (_matrix(printed.of(key)) for key in ("weights", "expected"))
    o_agree, e_agree = 1 - (w * observed).sum(), 1 - (w * e).sum()
    by_agreement = float((o_agree - e_agree) / (1 - e_agree))
    score = score_of("qwk", observed * 10)
    yield Ours("(O − E)/(1 − E) of weighted agreements", "κ", score, expected=by_agreement)


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
    "properties": properties,
}
