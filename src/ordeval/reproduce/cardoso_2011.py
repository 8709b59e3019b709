"""Cardoso & Sousa (2011): the ordinal classification index."""

from functools import partial

import numpy as np

from .algorithm_1 import synthetic_protocol, table_6
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
from .study import Exhibit, Setting, Study, derived, misprints_of, words

KEY = "cardoso-2011"
CITATION = (
    "J. S. Cardoso, R. Sousa. Measuring the performance of ordinal classification. International "
    "Journal of Pattern Recognition and Artificial Intelligence 25(8), 2011, 1173-1195."
)
SUMMARY = (
    "Introduces OC, the cheapest monotone path through the confusion matrix, and sets it beside "
    "MER, MAE and three rank correlations: on small matrices (Tables 1-5), on one item (Fig. 4), "
    "on tridiagonal matrices (Fig. 5), and on classifiers trained on five data sets (Table 6)."
)
_TITLES = {
    "table-1": "Table 1: four classifiers of the preliminary comparison",
    "table-2": "Table 2: CM1 and CM2",
    "table-3": "Table 3: CM3 and CM4",
    "table-4": "Table 4: CM5 and CM6",
    "table-5": "Table 5: oSVM (CM10), oNN (CM11), Frank & Hall (CM12) on the synthetic set",
}
_OUTCOMES = {
    "table-3": "MAE of CM4 is 6/7 = 0.857, printed as 0.85: cut off rather than rounded.",
    "table-4": "The matrix printed as CM5 gives other figures than its row; with 0 0 1 1 as its "
    "second line, one item moved by one class, it gives all seven.",
}
_TRIDIAGONAL = ("mer", "mae", "spearman", "kendall_b", "r_int", "oc(beta=0.25)", "oc(beta=0.75)")


def study(setting: Setting) -> Study:
    """All tables and figures of the paper that show numbers."""
    fixed = (*map(_table, _TITLES), _figure_4(), _figure_5(), _general_index(), _appendix_a())
    return Study(KEY, CITATION, SUMMARY, (*fixed, synthetic_protocol(setting), table_6(setting)))


def _table(key: str) -> Exhibit:
    figures = printed("cardoso_2011")
    rows = measure_rows(key, figures["tables"][key], figures["columns"], misprints_of(figures))
    return Exhibit(key, _TITLES[key], rows, outcome=_OUTCOMES.get(key, ""))


def _figure_4() -> Exhibit:
    lines = {
        f"β = {b:g}": SingleItem(
            f"oc(beta={b}, relative=False)",
            partial(oc_of_one, beta=b),
            "min(1, 1 − 1/(1+δ) + βδ)",
        )
        for b in SINGLE_BETAS
    }
    wrong = [0.0, *(1.0 for _ in range(9))]
    half = "yes" if lines["β = 0.5"].curve == wrong else "no"
    said = "OC of a single item against its distance from the diagonal, for four values of β"
    return Exhibit(
        "figure-4",
        "Figure 4: OC of a single item",
        (
            *(line.against_formula(row) for row, line in lines.items()),
            words("β = 0.5", "equals MER", half, "yes"),
        ),
        chosen="The index, found by dynamic programming, against the paper's formula for one item.",
        drawings=(single_item_drawing("figure-4", said, lines, "OC"),),
    )


def _figure_5() -> Exhibit:
    stated = printed("cardoso_2011")["stated"]["tridiagonal limits"]
    return tridiagonal_figure("figure-5", stated, _TRIDIAGONAL, 30)


def _general_index() -> Exhibit:
    """The two special cases that section 3.1 states of equation 8."""
    rows = []
    for name, row in printed("cardoso_2011")["tables"]["table-1"].items():
        mae = score_of("mae", row["counts"])
        free = score_of("oc_general(beta1=0, beta2=0)", row["counts"])
        rows.append(derived(name, "β₁ = β₂ = 0: MAE/(1+MAE)", free, mae / (1 + mae)))
        strict = score_of("oc_general(beta1=0.25, beta2=1)", row["counts"])
        narrow = score_of("oc(beta=0.25)", row["counts"])
        rows.append(derived(name, "β₂ = 1: OC", strict, narrow))
    return Exhibit(
        "section-3.1",
        "Section 3.1: special cases of the general index (equation 8)",
        tuple(rows),
        left_open="No figures are printed for the general index; the text states what it becomes.",
        chosen="Solved exactly by mixed-integer programming, on the matrices of Table 1.",
    )


def _appendix_a() -> Exhibit:
    """Below a bound on β the index breaks the triangle inequality; above 1/(N+1) it does not."""
    n = 10
    tables = {
        "a,b": np.array([[n - 1, 0], [1, 0]]),
        "b,c": np.array([[n - 1, 1], [0, 0]]),
        "a,c": np.array([[n - 2, 1], [1, 0]]),
    }
    bound = (n - 1) / ((n + 1) * (n + 2))
    rows = []
    for beta, broken in ((0.9 * bound, "yes"), (1.01 / (n + 1), "no")):
        oc = {k: score_of(f"oc(beta={beta}, relative=False)", t) for k, t in tables.items()}
        found = "yes" if oc["a,b"] + oc["b,c"] < oc["a,c"] - 1e-12 else "no"
        rows.append(words(f"N = {n}, β = {beta:.4f}", "triangle inequality broken", found, broken))
    return Exhibit("appendix-a", "Appendix A: when OC is a metric", tuple(rows))
