"""Cardoso & Sousa (2011): the ordinal classification index."""

from collections.abc import Iterator, Mapping

import numpy as np

from .matrix_exhibits import (
    matrix_table,
    score_of,
    single_item,
    single_item_figure,
    single_item_lines,
    tridiagonal_figure,
)
from .printed import Printed
from .study import Item, Maker, Ours, Setting
from .training import algorithm_1, algorithm_1_synthetic


def figure_4(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare OC of one item with its closed form; with β = 0.5 it is the error rate."""
    lines = single_item_lines("oc(beta={beta}, relative=False)")
    yield from single_item_figure(lines, printed)
    half = [single_item(lines["β = 0.5"][0], d) for d in range(10)]
    yield Ours("β = 0.5", "equals MER", _yes(half == [0.0] + [1.0] * 9))


def section_3_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Evaluate the special cases of equation 8 that section 3.1 states."""
    for name, counts in printed.of("table-1")["counts"].items():
        mae = score_of("mae", counts)
        free = score_of("oc_general(beta1=0, beta2=0)", counts)
        yield Ours(name, "β₁ = β₂ = 0: MAE/(1+MAE)", free, expected=mae / (1 + mae))
        strict = score_of("oc_general(beta1=0.25, beta2=1)", counts)
        yield Ours(name, "β₂ = 1: OC", strict, expected=score_of("oc(beta=0.25)", counts))


def appendix_a(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check that the triangle inequality fails below a bound on β, and not above 1/(N+1)."""
    n = 10
    sides = ([[n - 1, 0], [1, 0]], [[n - 1, 1], [0, 0]], [[n - 2, 1], [1, 0]])
    bound = (n - 1) / ((n + 1) * (n + 2))
    for beta in (0.9 * bound, 1.01 / (n + 1)):
        ab, bc, ac = (score_of(f"oc(beta={beta}, relative=False)", np.array(s)) for s in sides)
        broken = ab + bc < ac - 1e-12
        yield Ours(f"N = {n}, β = {beta:.4f}", "triangle inequality broken", _yes(broken))


def _yes(true: bool) -> str:
    return "yes" if true else "no"


EXHIBITS: Mapping[str, Maker] = {
    **{f"table-{i}": matrix_table for i in range(1, 6)},
    "figure-4": figure_4,
    "figure-5": tridiagonal_figure,
    "section-3.1": section_3_1,
    "appendix-a": appendix_a,
    "table-5-protocol": algorithm_1_synthetic,
    "table-6": algorithm_1,
}
