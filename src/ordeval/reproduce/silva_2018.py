"""Silva, Pinto & Cardoso (2018): the uniform ordinal classification index."""

from collections.abc import Iterator, Mapping

import numpy as np

from .matrix_exhibits import (
    matrix_table,
    score_of,
    single_item_figure,
    single_item_lines,
    tridiagonal_figure,
)
from .printed import Printed
from .study import Drawing, Item, Maker, Ours, Setting
from .training import splits_70_30


def figures_4_5(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare each line of shares with the counts that Table II is computed from.

    Of every line the share with the largest difference is shown.
    """
    for name, table in printed.of("table-2")["counts"].items():
        for g, (counts, shares) in enumerate(zip(table, printed["shares"][name], strict=True), 1):
            ours = np.array(counts) / max(1, sum(counts))
            at = int(np.abs(ours - [float(x) for x in shares]).argmax())
            yield Ours(name, f"gold class {g}", float(ours[at]), printed=shares[at])


def figure_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare AUOC with the area under UOC, by trapezoids."""
    matrix = printed.of("table-1")["counts"]["B"]
    betas = np.linspace(0, 1, 201)
    area = float(np.trapezoid([score_of(f"uoc(beta={b})", matrix) for b in betas], betas))
    auoc = score_of("auoc", matrix)
    close = abs(auoc - area) <= 1e-4
    yield Ours("CM B", "AUOC = area under UOC", auoc, expected=area, agrees=close)
    yield Drawing(printed.key, "uoc", {"B": matrix}, **printed["drawing"])


def figure_2(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare UOC and AUOC of one item with their closed forms."""
    lines = single_item_lines("uoc(beta={beta})")
    lines["AUOC"] = ("auoc", "1 − 1/(2δ(1+δ)²)", auoc_of_one)
    yield from single_item_figure(lines, printed)


def auoc_of_one(distance: int) -> float:
    """Return ∫ min(1, δ/(1+δ) + βδ) dβ over 0..1; the line reaches 1 at β = 1/(δ(1+δ))."""
    return 1 - 1 / (2 * distance * (1 + distance) ** 2) if distance else 0.0


EXHIBITS: Mapping[str, Maker] = {
    "table-1": matrix_table,
    "table-2": matrix_table,
    "figures-4-5": figures_4_5,
    "figure-1": figure_1,
    "figure-2": figure_2,
    "figure-3": tridiagonal_figure,
    "table-2-protocol": splits_70_30,
}
