"""Silva, Pinto & Cardoso (2018): the uniform ordinal classification index."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..measures.spec import parse_measure
from ..types import Floats, Ints
from .matrix_exhibits import (
    compared,
    matrix_table,
    score_of,
    single_item_figure,
    single_item_lines,
    tridiagonal_figure,
)
from .metric_search import (
    Breach,
    asymmetry,
    broken_triangle,
    confusion_tables,
    distances,
    label_vectors,
)
from .monotone_paths import class_distances, oc_of_shares, oc_path, uoc_path
from .printed import Printed
from .statements import statement, yes
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


# Items and classes of the label vectors that are tried, smallest first.
_SIZES = ((2, 2), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2), (6, 2), (7, 2))
_BALANCED = ((2, 2), (4, 2), (6, 2), (3, 3), (6, 3), (4, 4))
Search = Callable[[Floats, Ints], Breach | None]
_PROPERTIES: Mapping[str, Search] = {
    "symmetric": asymmetry,
    "triangle inequality": broken_triangle,
}


def metric(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Look for label vectors that show that UOC with β = 1 or more is no metric."""
    for row, parameters in printed["settings"].items():
        spec = f"uoc(beta={parameters['beta']}, gamma={parameters['gamma']})"
        for column, search in _PROPERTIES.items():
            found = _first_breach(spec, search, ((n, k, 1) for n, k in _SIZES))
            note = "no counter-example found" if found is None else f"{found.text}."
            yield Ours(row, column, yes(found is None), note, explained=found is not None)
        equal = [(n, k, n // k) for n, k in _BALANCED]
        breaches = [_first_breach(spec, search, equal) for search in _PROPERTIES.values()]
        yield Ours(row, "both, if all classes are equally frequent", yes(not any(breaches)))
        off = max(_off_diagonal(spec, n, k, parameters["gamma"]) for n, k in _SIZES)
        yield Ours(row, "farthest from the cost of the diagonal", off, expected=0.0)


def _first_breach(
    spec: str, search: Search, sizes: Iterable[tuple[int, int, int]]
) -> Breach | None:
    """Return a breach by the shortest vectors that have one; sizes are items, K, least count."""
    for items, k, least in sizes:
        vectors = label_vectors(items, k, least=least)
        found = search(distances(spec, vectors, k), vectors)
        if found is not None:
            return found
    return None


def _off_diagonal(spec: str, items: int, k: int, gamma: float) -> float:
    """Return the largest distance of UOC from the cost of the diagonal path (equation 25)."""
    tables = confusion_tables(label_vectors(items, k, least=1), k)
    q = tables / tables.sum(axis=-1, keepdims=True)
    far = class_distances(k) ** gamma
    spread = k ** (1 - 1 / gamma) * (q * far).sum(axis=(-2, -1)) ** (1 / gamma)
    diagonal = 1 - np.trace(q, axis1=-2, axis2=-1) / (k + spread)
    return float(np.abs(np.asarray(parse_measure(spec).of(tables)) - diagonal).max())


def equations(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Follow the derivation of UOC on the matrices of Table I, path by path."""
    tables = {x: np.array(n, dtype=np.float64) for x, n in printed.of("table-1")["counts"].items()}
    for name, n in tables.items():
        beta = 0.25 / n.sum()
        _, counted = oc_path(n, beta)
        yield Ours(name, "(16) = (11), γ = 1", oc_of_shares(n, beta), expected=counted)
    for gamma in (2, 3):
        (_, counted), shares = (
            oc_path(tables["B"], 0.01, gamma),
            oc_of_shares(tables["B"], 0.01, gamma),
        )
        note = f"Matrix B of Table I, β = 0.01: {counted:.4f} by (11), {shares:.4f} by (16)."
        yield statement(f"(16) = (11), γ = {gamma}", abs(counted - shares) < 1e-12, note)
    for name, n in tables.items():
        for beta, gamma in ((0.25, 1), (0.75, 1), (0.75, 2)):
            column = f"(28) over all paths, β = {beta}, γ = {gamma}"
            score = score_of(f"uoc(beta={beta}, gamma={gamma})", n)
            yield Ours(name, column, score, expected=uoc_path(n, beta, gamma))


def sentences(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check sentences of sections IV and V against the matrices of Tables I and II."""
    tables = printed.of("table-1"), printed.of("table-2")
    for row, (true, note) in (_on_table_1(tables[0]["counts"]) | _on_table_2(tables[1])).items():
        yield statement(row, true, note)


Outcome = tuple[bool, str]
_ACCURACY = ("mer", "mse", "mae", "max_mae", "macro_mae(empty=zero)")
_RANKING = ("spearman", "kendall_b", "r_int")
_UNIFORM = ("uoc(beta=0.25)", "uoc(beta=0.75)", "auoc")
_OC = ("oc(beta=0.25)", "oc(beta=0.75)")


def _on_table_1(counts: Mapping[str, Any]) -> dict[str, Outcome]:
    def all_say(sign: str, measures: Iterable[str], left: str, right: str) -> Outcome:
        said = {m: compared(m, counts[left], counts[right]) for m in measures}
        other = [
            f"{m}: {score_of(m, counts[left]):.2f} for {left}, {score_of(m, counts[right]):.2f} "
            f"for {right}"
            for m, found in said.items()
            if found != sign
        ]
        return not other, "; ".join(other)

    every = (*_ACCURACY, *_RANKING, *_OC, *_UNIFORM)
    same = {m for m in every if compared(m, counts["D"], counts["F"]) == "="}
    lower = {m for m in every if compared(m, counts["D"], counts["E"]) == ">"}
    return {
        "IV-B: the rank correlations prefer B to D": all_say(">", _RANKING, "B", "D"),
        "IV-B: τ-b gives the lowest score to C": all_say(">", ["kendall_b"], "D", "C"),
        "IV-B: accuracy-focused measures do not distinguish B and D": all_say(
            "=", _ACCURACY, "B", "D"
        ),
        "IV-B: accuracy-focused measures prefer B to C": all_say(">", _ACCURACY, "B", "C"),
        "IV-B: only MMAE, AMAE, UOC and AUOC do not distinguish D and F": (
            same == {"max_mae", "macro_mae(empty=zero)", *_UNIFORM},
            "",
        ),
        "IV-B: all but MMAE and AMAE penalise the missing class of E": (
            lower == set(every) - {"max_mae", "macro_mae(empty=zero)"},
            "",
        ),
    }


def _on_table_2(table: Printed) -> dict[str, Outcome]:
    """Judge by the matrices, and sentences on the forest for ESL by the printed figures.

    The matrix of that forest is of another fit than the figures.
    """
    counts = table["counts"]

    def all_say(measures: Iterable[str], better: str, worse: str) -> bool:
        return all(compared(m, counts[better], counts[worse]) == ">" for m in measures)

    def lowest_first(measure: str) -> list[str]:
        names = ["ESL kNN", "ESL RF", "ESL SVM"]
        return sorted(names, key=lambda name: float(table.figures[name][measure]))

    svm, forest = (table.figures[name]["mae"] for name in ("ESL SVM", "ESL RF"))
    return {
        "V-A: MSE, MAE, r_int and OC prefer the SVM to kNN on wine": (
            all_say(("mse", "mae", "r_int", *_OC), "Wine SVM", "Wine kNN"),
            "",
        ),
        "V-A: AMAE, UOC and AUOC prefer kNN to the SVM on wine": (
            all_say(("macro_mae(empty=zero)", *_UNIFORM), "Wine kNN", "Wine SVM"),
            "",
        ),
        "V-B: MER and OC put the SVM first on ESL": (
            all(lowest_first(m)[0] == "ESL SVM" for m in ("mer", *_OC)),
            "by the figures of Table II",
        ),
        "V-B: UOC and AUOC put kNN first and the SVM last on ESL": (
            all(lowest_first(m) == ["ESL kNN", "ESL RF", "ESL SVM"] for m in _UNIFORM),
            "by the figures of Table II; by the matrices UOC(0.75) puts the forest first",
        ),
        "V-B: MAE does not distinguish the SVM and the forest on ESL": (
            svm == forest,
            "by the figures of Table II",
        ),
    }


EXHIBITS: Mapping[str, Maker] = {
    "table-1": matrix_table,
    "table-2": matrix_table,
    "figures-4-5": figures_4_5,
    "figure-1": figure_1,
    "figure-2": figure_2,
    "figure-3": tridiagonal_figure,
    "table-2-protocol": splits_70_30,
    "equations": equations,
    "metric": metric,
    "sentences": sentences,
}
