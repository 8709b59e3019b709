"""The worked example of quadratic weighted kappa in "How to evaluate Ordinal Regression" (2025)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..spec import parse_measure
from .printed import printed
from .scored import score_of
from .study import Comparison, Exhibit, Misprint, Setting, Study, derived, exact, misprints_of

KEY = "qwk-post"
CITATION = "How to evaluate Ordinal Regression, web log post of 1 April 2025."
SUMMARY = (
    "The post derives quadratic weighted kappa from observed (O) and chance (E) proportions and "
    "weights W, on three classes and ten items. It prints O, E and W but not the value of kappa."
)


def study(setting: Setting) -> Study:
    """Every matrix of the post, and the kappa that it stops short of."""
    return Study(KEY, CITATION, SUMMARY, (_expected(), _counts(), _weights(), _kappa()))


def _expected() -> Exhibit:
    figures = printed("qwk_post")
    rows = _cells("expected", _by_chance(figures["observed_tenths"]), figures["expected"])
    return Exhibit("expected", "E, the proportions expected by chance, from O", rows)


def _counts() -> Exhibit:
    figures = printed("qwk_post")
    found = _by_chance(figures["counts_above"])
    return Exhibit(
        "counts",
        "E, from the table of counts that stands above O",
        _cells("counts", found, figures["expected"], misprints_of(figures)),
        left_open="The post prints a table of counts, then O, which should be the same over ten.",
        chosen="O: it gives the printed E, as the first exhibit shows.",
        outcome="The table of counts is another matrix; all that follows in the post belongs to O.",
    )


def _weights() -> Exhibit:
    index = np.arange(3)
    found = ((index[:, None] - index) / 2) ** 2
    rows = _cells("weights", found, printed("qwk_post")["weights"])
    return Exhibit("weights", "W, the quadratic weights", rows)


def _kappa() -> Exhibit:
    figures = printed("qwk_post")
    table = np.asarray(figures["observed_tenths"], dtype=np.float64)
    weights, expected = _numbers(figures["weights"]), _numbers(figures["expected"])
    by_hand = 1 - (weights * table / 10).sum() / (weights * expected).sum()
    given = parse_measure("kappa", weights=weights)
    rows = (
        derived("quadratic weights", "κ", score_of("qwk", table), by_hand),
        derived("W given as a matrix", "κ", given.of(table), by_hand),
    )
    return Exhibit(
        "kappa",
        "Quadratic weighted kappa",
        rows,
        left_open="The post gives the formula and every matrix, but not the result.",
        chosen="Ours against 1 − ΣW·O/ΣW·E, worked out from the printed matrices.",
        outcome=f"κ = {by_hand:.4f}.",
    )


def _by_chance(table: Any) -> NDArray[np.float64]:
    """Products of the margins' shares `[3, 3]`."""
    shares = np.asarray(table) / np.sum(table)
    return np.outer(shares.sum(axis=1), shares.sum(axis=0))


def _numbers(rows: list[list[str]]) -> NDArray[np.float64]:
    return np.asarray([[float(x) for x in row] for row in rows])


def _cells(
    exhibit: str,
    found: NDArray[np.float64],
    figures: list[list[str]],
    misprints: tuple[Misprint, ...] = (),
) -> tuple[Comparison, ...]:
    return tuple(
        exact(exhibit, f"row {i + 1}", f"column {j + 1}", found[i, j], figure, misprints)
        for i, row in enumerate(figures)
        for j, figure in enumerate(row)
    )
