"""Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz (2020): the closeness evaluation measure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..counts import Counts
from ..errors import plural
from ..measures.closeness import proximity
from ..meta import AMIGO_AXIOMS, AMIGO_TABLE_2, amigo_table_2
from ..meta import axioms as search_axioms
from ..meta.published import Comparison as Cell
from ..spec import parse_measure
from .coverage_study import real_runs, table_3, table_3_campaigns
from .drawing import bars
from .printed import printed
from .scored import score_of
from .study import (
    Comparison,
    Exhibit,
    Setting,
    Study,
    Verdict,
    exact,
    misprints_of,
    words,
)

KEY = "amigo-2020"
CITATION = (
    "E. Amigó, J. Gonzalo, S. Mizzaro, J. Carrillo-de-Albornoz. An effectiveness metric for "
    "ordinal classification: formal properties and experimental results. ACL 2020, 3938-3949."
)
SUMMARY = (
    "Introduces CEM, where two classes are the nearer the fewer gold items lie between them; asks "
    "which measures satisfy three axioms (Table 2); and sees how well each follows three others at "
    "once, on made-up and on real systems (Table 3)."
)
Floats = NDArray[np.float64]


def study(setting: Setting) -> Study:
    """All tables and figures of the paper that show numbers."""
    return Study(
        KEY,
        CITATION,
        SUMMARY,
        (
            _figure_1(),
            _figure_3(),
            _table_2(setting),
            _appendix_b(),
            table_3(setting),
            table_3_campaigns(),
            real_runs(setting),
        ),
    )


def closeness(gold: Sequence[float]) -> Floats:
    """prox(p, g) `[predicted, gold]` for gold counts, as the paper arranges it."""
    n = np.diag(np.asarray(gold, dtype=np.float64))
    return np.asarray(proximity(n, np.arange(len(gold), dtype=np.float64), "ordinal", True)).T


def _figure_1() -> Exhibit:
    rows = []
    panels: dict[str, Mapping[str, float]] = {}
    for side, part in printed("amigo_2020")["figure-1"].items():
        classes = list(part["counts"])
        near = closeness(list(part["counts"].values()))
        rows += [
            exact("figure-1", side, f"prox({p}, {g})", near[classes.index(p), classes.index(g)], x)
            for p, g, x in part["printed"]
        ]
        panels[side] = part["counts"]
    words_of = (
        "Gold counts of the two distributions; “below” and “beyond” are the rest, split at will"
    )
    return Exhibit(
        "figure-1",
        "Figure 1: closeness depends on how gold is distributed",
        tuple(rows),
        left_open="The heights of the bars are not stated, but for those in the formulas.",
        chosen="What lies outside them is put together, which changes no closeness asked for.",
        drawings=(
            bars("figure-1", words_of, panels, title="Two distributions of gold", y="items"),
        ),
    )


def _figure_3() -> Exhibit:
    figure = printed("amigo_2020")["figure-3"]
    labels = figure["labels"]
    near = closeness(np.sum(figure["A"], axis=0).tolist())
    rows = [
        exact("figure-3", "closeness", f"prox({p}, {g})", near[i, j], figure["closeness"][i][j])
        for i, p in enumerate(labels)
        for j, g in enumerate(labels)
    ]
    for measure, systems in figure["printed"].items():
        for system, x in systems.items():
            score = score_of(measure, np.transpose(figure[system]))
            rows.append(exact("figure-3", f"system {system}", measure, score, x))
    return Exhibit(
        "figure-3",
        "Figure 3 (Appendix A): CEM worked out for two systems",
        tuple(rows),
        chosen="The paper's rows are the system's classes; our tables have gold in rows.",
    )


def _table_2(setting: Setting) -> Exhibit:
    found = search_axioms(AMIGO_TABLE_2, AMIGO_AXIOMS, rng=setting.seed)
    rows = tuple(_axiom_cell(cell) for cell in amigo_table_2(found))
    refuted = sum(r.verdict is Verdict.REFUTED for r in rows)
    return Exhibit(
        "table-2",
        "Table 2: which measures satisfy the three axioms",
        rows,
        left_open="Weights of kappa, the loss of Rennie & Srebro and the parameters of OC are not "
        "said. “Closer” is written for predictions above gold only.",
        chosen="Linear weights, the all-threshold hinge loss, β₁ = 0.25 without discordant pairs. "
        "Closer from either side. Every small table without empty gold classes is tried, then "
        "random larger ones; a search cannot prove that an axiom holds, a counter-example does "
        "prove that it fails.",
        outcome=f"{len(rows) - refuted} of {len(rows)} cells agree. In the other "
        f"{plural(refuted, 'cell')} the paper claims an axiom that a counter-example refutes. All "
        f"three axioms hold, as far as searched, for {_all_three(rows)} alone (printed: cem).",
    )


def _all_three(rows: Sequence[Comparison]) -> str:
    failing = {r.row for r in rows if r.ours != "holds"}
    return ", ".join(m for m in dict.fromkeys(r.row for r in rows) if m not in failing)


def _axiom_cell(cell: Cell) -> Comparison:
    said = "holds" if cell.printed else "fails"
    ours = "holds" if cell.found.holds else "fails"
    if cell.agrees:
        return Comparison(cell.measure, cell.axiom, ours, said, Verdict.SAME, cell.found.outcome)
    # Only a reason that is on record, with a counter-example, explains a contradiction.
    shown = cell.found.counter_example
    if shown is not None and cell.why:
        reason = f"{cell.why} Smallest counter-example found: {'; '.join(shown.lines())}."
        return Comparison(cell.measure, cell.axiom, ours, said, Verdict.REFUTED, reason)
    return Comparison(cell.measure, cell.axiom, ours, said, Verdict.DIFFERS, cell.found.outcome)


_NEAR, _FAR, _GOLD = (2, 3, 4), (1, 2, 3), (3, 4, 5)
_INSENSITIVE = (
    *("accuracy", "accuracy_within(n=1)", "macro_recall", "cohen_kappa", "macro_f1"),
    *("pearson", "spearman", "kendall_a", "kendall_b"),
)
_INTERVAL = ("pearson", "mae", "mse", "macro_mae", "macro_mse", "rennie_srebro", "cosine")
_UNEQUAL = {
    "accuracy_within(n=1)": "all items are one class off in one system and two in the other, and "
    "the margin lies between: this example shows nothing of it (others do, see Table 2)",
    "cohen_kappa": "the systems share one class with gold or two, so chance agreement differs; "
    "kappa falls for the closer system, which breaks the axiom all the same",
}


def _appendix_b() -> Exhibit:
    rows = [_equal_scores(m) for m in _INSENSITIVE]
    rows += [_changed_by_map(m) for m in _INTERVAL]
    rows += _imbalance_rows()
    return Exhibit(
        "appendix-b",
        "Appendix B: counter-examples to the axioms",
        tuple(rows),
        outcome="The examples show what they should, but for two of the equalities claimed for "
        "“all classification metrics”.",
    )


def _table_of(gold: Sequence[int], system: Sequence[int], k: int) -> Any:
    return Counts.from_labels(list(gold), list(system), labels=list(range(1, k + 1))).table


def _equal_scores(measure: str) -> Comparison:
    far, near = (score_of(measure, _table_of(_GOLD, s, 5)) for s in (_FAR, _NEAR))
    same = "equal" if abs(far - near) < 1e-12 else "unequal"
    row = f"monotonicity: {measure}"
    if same == "unequal" and measure in _UNEQUAL:
        reason = f"{far:.3f} and {near:.3f}: {_UNEQUAL[measure]}"
        return Comparison(row, "(1,2,3) and (2,3,4)", same, "equal", Verdict.REFUTED, reason)
    return words(row, "(1,2,3) and (2,3,4)", same, "equal")


def _changed_by_map(measure: str) -> Comparison:
    table = _table_of(_GOLD, _FAR, 5)
    mapped = parse_measure(measure).of(table, values=[10 + x**3 for x in range(1, 6)])
    changed = "yes" if abs(float(mapped) - score_of(measure, table)) > 1e-9 else "no"
    return words(f"invariance: {measure}", "changed by f(x) = 10 + x³", changed, "yes")


def _imbalance_rows() -> list[Comparison]:
    figures = printed("amigo_2020")
    systems = {"(1,2,2,3)": (1, 2, 2, 3), "(1,1,2,2)": (1, 1, 2, 2)}
    rows = []
    for measure, cells in figures["appendix-b"]["imbalance"].items():
        for (name, system), x in zip(systems.items(), cells, strict=True):
            score = score_of(measure, _table_of((1, 1, 2, 3), system, 3))
            row = f"imbalance: {measure}"
            rows.append(exact("appendix-b", row, name, score, x, misprints_of(figures)))
    return rows
