"""Silva, Pinto & Cardoso (2018): the uniform ordinal classification index."""

from functools import partial

import numpy as np

from .drawing import uoc_against_beta
from .printed import printed
from .scored import (
    SINGLE_BETAS,
    SingleItem,
    measure_rows,
    oc_of_one,
    score_of,
    single_item_drawing,
    tridiagonal_figure,
)
from .splits_70_30 import table_2_protocol
from .study import Comparison, Exhibit, Misprint, Setting, Study, derived, exact, misprints_of

KEY = "silva-2018"
CITATION = (
    "W. Silva, J. R. Pinto, J. S. Cardoso. A uniform performance index for ordinal classification "
    "with imbalanced classes. IJCNN 2018."
)
SUMMARY = (
    "Introduces UOC, which is OC on the matrix with every observed gold class weighing the same, "
    "and AUOC, its mean over β from 0 to 1. Tables I and II set both beside eleven other figures, "
    "on six made-up matrices and on three classifiers for two data sets."
)
_OUTCOME_2 = (
    "Five of the six rows agree in every column but three cells, each printed one hundredth above "
    "the nearest. The row of ESL RF misses in seven columns. Fig. 5 tells why: its counts and its "
    "shares of ESL RF contradict each other in four lines (see below), so that figures of several "
    "fits of the random forest, which is random, were mixed."
)
_TRIDIAGONAL = (
    *("auoc", "uoc(beta=0.25)", "uoc(beta=0.75)", "oc(beta=0.25)", "oc(beta=0.75)"),
    *("mer", "mae", "max_mae", "macro_mae", "kendall_b", "spearman", "r_int"),
)


def study(setting: Setting) -> Study:
    """All tables and figures of the paper that show numbers."""
    return Study(
        KEY,
        CITATION,
        SUMMARY,
        (
            _table("table-1", "Table I: simulated confusion matrices"),
            _table("table-2", "Table II: classifiers on red wine and ESL", _OUTCOME_2),
            _figures_4_5(),
            _figure_1(),
            _figure_2(),
            _figure_3(),
            table_2_protocol(setting),
        ),
    )


def _table(key: str, title: str, outcome: str = "") -> Exhibit:
    figures = printed("silva_2018")
    rows = measure_rows(key, figures["tables"][key], figures["columns"], misprints_of(figures))
    return Exhibit(
        key,
        title,
        rows,
        left_open="Equation 15 divides AMAE by K; what a class without items adds is not said. The "
        "exponent of the factor before the dispersion in equations 21-28 is garbled.",
        chosen="A class without items adds 0 to AMAE, which the printed figures need (row E). The "
        "factor is K^(1−1/γ), as follows from equation 20; it is 1 here, where γ = 1.",
        outcome=outcome,
    )


def _figures_4_5() -> Exhibit:
    figures = printed("silva_2018")
    known = misprints_of(figures)
    rows = [
        _farthest_share(name, g, counts, figures["figures-4-5"][name][g - 1], known)
        for name, row in figures["tables"]["table-2"].items()
        for g, counts in enumerate(row["counts"], start=1)
    ]
    return Exhibit(
        "figures-4-5",
        "Figures 4 and 5: are the shares those of the counts?",
        tuple(rows),
        chosen="Each line of counts, divided by its sum, against the printed line of shares: the "
        "cell that is farthest off is shown.",
        outcome="They are, but for four lines of ESL RF.",
    )


def _farthest_share(
    name: str, g: int, counts: list[int], shares: list[str], known: tuple[Misprint, ...]
) -> Comparison:
    total = max(1, sum(counts))
    apart = [abs(n / total - float(s)) for n, s in zip(counts, shares, strict=True)]
    at = int(np.argmax(apart))
    return exact("figures-4-5", name, f"gold class {g}", counts[at] / total, shares[at], known)


def _figure_1() -> Exhibit:
    matrix = printed("silva_2018")["tables"]["table-1"]["B"]["counts"]
    betas = np.linspace(0, 1, 201)
    curve = [score_of(f"uoc(beta={b})", matrix) for b in betas]
    area = float(np.trapezoid(curve, betas))
    said = "UOC of matrix B against β; the shaded area below is AUOC"
    return Exhibit(
        "figure-1",
        "Figure 1: UOC against β, and AUOC",
        (derived("CM B", "AUOC = area under UOC", score_of("auoc", matrix), area, 1e-4),),
        left_open="The example matrix is not given.",
        chosen="Matrix B of Table I. AUOC, which is exact, from the corners of the curve, against "
        "the area by trapezoids on 201 points, to four decimals.",
        drawings=(uoc_against_beta("figure-1", said, matrix),),
    )


def _figure_2() -> Exhibit:
    lines = {
        f"β = {b:g}": SingleItem(
            f"uoc(beta={b})", partial(oc_of_one, beta=b), "min(1, 1 − 1/(1+δ) + βδ)"
        )
        for b in SINGLE_BETAS
    }
    lines["AUOC"] = SingleItem("auoc", auoc_of_one, "1 − 1/(2δ(1+δ)²)")
    said = "UOC for four values of β, and AUOC, of one item against its distance from the diagonal"
    return Exhibit(
        "figure-2",
        "Figure 2: a single item",
        tuple(line.against_formula(row) for row, line in lines.items()),
        left_open="The curves are only drawn.",
        chosen="Closed forms for one item: that of Cardoso & Sousa for UOC, and its integral over "
        "β, which is 1 − 1/(2δ(1+δ)²) for δ ≥ 1, for AUOC.",
        drawings=(single_item_drawing("figure-2", said, lines, "UOC"),),
    )


def auoc_of_one(distance: int) -> float:
    """∫ min(1, δ/(1+δ) + βδ) dβ over 0..1; the line reaches 1 at β = 1/(δ(1+δ))."""
    return 1 - 1 / (2 * distance * (1 + distance) ** 2) if distance else 0.0


def _figure_3() -> Exhibit:
    stated = printed("silva_2018")["stated"]["tridiagonal limits"]
    return tridiagonal_figure("figure-3", stated, _TRIDIAGONAL, 20)
