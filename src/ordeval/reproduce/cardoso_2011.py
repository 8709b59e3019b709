"""Cardoso & Sousa (2011): the ordinal classification index."""

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.stats import norm

from ..learners.synthetic import INNER_BOUNDS, NOISE, cardoso_points
from ..measures.spec import parse_measure
from ..meta.axiom_cases import all_tables
from ..types import Floats
from .datasets import Tabular, missing, tabular
from .matrix_exhibits import (
    compared,
    matrix_table,
    score_of,
    single_item,
    single_item_figure,
    single_item_lines,
    tridiagonal_figure,
)
from .metric_search import (
    asymmetry,
    broken_triangle,
    distances,
    label_vectors,
    zero_only_if_equal,
)
from .monotone_paths import Path, monotone_paths, oc_path
from .printed import Printed
from .statements import statement, yes
from .study import Drawing, Fact, Item, Maker, Ours, Setting
from .training import algorithm_1, algorithm_1_synthetic

_SIZES = ((2, 4), (3, 3), (4, 3), (5, 2))  # items and classes of the label vectors that are tried
_GRID = 500  # points along each axis by which shares of the unit square are computed
_OWN_PAIR = "a pair of our own"  # made to show the point, so agreement proves nothing
_RANK_CORRELATIONS = ("spearman", "kendall_b", "r_int")


def _consistent(path: Path) -> bool:
    """Return whether no two cells of a path are discordant."""
    return all((a[0] - b[0]) * (a[1] - b[1]) >= 0 for a, b in combinations(path, 2))


def figure_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute MER from the diagonal, and check that monotone paths are consistent."""
    for name, counts in printed.of("table-1")["counts"].items():
        n = np.array(counts)
        benefit, items = int(np.trace(n)), int(n.sum())
        expected = (items - benefit) / items
        yield Ours(f"(a) {name}", "(N − benefit)/N = MER", score_of("mer", n), expected=expected)
    paths = [path for k in range(2, 7) for path in monotone_paths(k)]
    consistent = all(map(_consistent, paths))
    yield statement("(b) every monotone path is consistent", consistent, f"{len(paths)} paths")
    panels = {name: dict(panel) for name, panel in printed["panels"].items()}
    yield Drawing(printed.key, "paths", panels, **printed["drawing"])


def figure_2(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare two matrices whose paths are equal by three penalties that the paper rejects."""
    left, right = (_penalties(printed["paths"][x]) for x in "ab")
    for penalty, size in left.items():
        equal = size == right[penalty]
        note = f"{size:g} and {right[penalty]:g}"
        sign = "=" if equal else "≠"
        yield Ours(f"{penalty} of the path", "(a) against (b)", sign, note, unjudged=_OWN_PAIR)
    yield from _two_matrices(printed)
    panels = {f"({x})": {"counts": printed[x], "paths": [printed["paths"][x]]} for x in "ab"}
    yield Drawing(printed.key, "paths", panels, **printed["drawing"])


def _penalties(path: list[list[int]]) -> dict[str, float]:
    """Return three penalties of a path; the area is that between the path and the diagonal."""
    off = [abs(r - c) for r, c in path]
    area = sum((a + b) / 2 for a, b in pairwise(off))
    return {"length": len(path), "largest distance": max(off), "area": area}


def figure_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare two matrices that differ only in items that are not on the path."""
    yield from _two_matrices(printed)
    paths = {x: oc_path(np.array(printed[x], dtype=np.float64), 0.01)[0] for x in "ab"}
    panels = {f"({x})": {"counts": printed[x], "paths": [path]} for x, path in paths.items()}
    yield Drawing(printed.key, "paths", panels, **printed["drawing"])


def _two_matrices(printed: Printed) -> Iterator[Ours]:
    """Compare matrices (a) and (b) under the measures that are rows."""
    for row in printed.figures:
        if row.startswith("oc"):
            note = " and ".join(f"{score_of(row, printed[x]):.4f}" for x in "ab")
            sign = compared(row, printed["a"], printed["b"])
            yield Ours(row, "(a) against (b)", sign, note, unjudged=_OWN_PAIR)


def figure_4(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare OC of one item with its closed form; with β = 0.5 it is the error rate."""
    lines = single_item_lines("oc(beta={beta}, relative=False)")
    yield from single_item_figure(lines, printed)
    half = [single_item(lines["β = 0.5"][0], d) for d in range(10)]
    yield Ours("β = 0.5", "equals MER", yes(half == [0.0] + [1.0] * 9))


def figure_6(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Draw points of the synthetic set, and compare its class shares with the rows of Table 5."""
    shares = synthetic_shares()
    matrices = [np.array(m) for m in printed.of("table-5")["counts"].values()]
    rows = matrices[0].sum(axis=1)
    items = int(rows.sum())
    same = all((m.sum(axis=1) == rows).all() for m in matrices)
    yield statement("the three matrices have the same gold counts", same)
    yield Ours("all classes", "test items", round(0.6 * 400), printed=str(items))
    for c, (share, count) in enumerate(zip(shares, rows, strict=True), start=1):
        allowed = printed["tolerance"]["deviations"] * np.sqrt(items * share * (1 - share))
        expected = float(items * share)
        yield Ours(f"class {c}", "test items", expected, tolerance=allowed, printed=str(count))
    x, y = cardoso_points(100, rng=setting.seed)
    series = {f"class {c}": x[y == c].T.tolist() for c in range(1, 6)}
    yield Drawing(printed.key, "points", series, **printed["drawing"])


def synthetic_shares() -> Floats:
    """Return the probabilities of the five classes, by the midpoint rule on the unit square."""
    middle = (np.arange(_GRID) + 0.5) / _GRID - 0.5
    height = 10 * np.multiply.outer(middle, middle)
    below = [norm.cdf((bound - height) / NOISE).mean() for bound in INNER_BOUNDS]
    return np.diff([0.0, *below, 1.0])


def figure_7(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Count the items of every class of the real data sets."""
    bars: dict[str, dict[str, int]] = {}
    files = printed.of("table-6")["files"]
    for name, figures in printed.figures.items():
        lacking = missing(setting, f"ordinal-tabular/{files[name]}.csv") if name in files else ""
        if lacking or name not in files:
            note = lacking or "not public: photographs of patients"
            yield from (Ours(name, column, None, note) for column in figures)
            continue
        data = tabular(setting, files[name])
        sizes = dict(zip(printed.columns, (*data.x.shape, len(data.labels)), strict=True))
        yield from (Ours(name, column, sizes[column]) for column in sizes)
        bars[name] = _frequencies(name, data)
    if bars:
        yield Drawing(printed.key, "bars", bars, **printed["drawing"])


def _frequencies(name: str, data: Tabular) -> dict[str, int]:
    return {f"{name} {label}": int((data.y == label).sum()) for label in data.labels}


def section_3_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Evaluate the special cases of equation 8 that section 3.1 states."""
    for name, counts in printed.of("table-1")["counts"].items():
        mae = score_of("mae", counts)
        free = score_of("oc_general(beta1=0, beta2=0)", counts)
        yield Ours(name, "β₁ = β₂ = 0: MAE/(1+MAE)", free, expected=mae / (1 + mae))
        strict = score_of("oc_general(beta1=0.25, beta2=1)", counts)
        yield Ours(name, "β₂ = 1: OC", strict, expected=score_of("oc(beta=0.25)", counts))


def section_3_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Try the properties of section 3.3 on all pairs and triples of short label vectors."""
    found: dict[str, list[bool]] = {row: [] for row in printed.figures}
    pairs = triples = 0
    for items, k in _SIZES:
        vectors = label_vectors(items, k)
        enough = 1 / (items + 1)
        for beta, gamma in ((b, g) for b in (0.01, 0.1, enough, 1.0) for g in (1, 2)):
            d = distances(f"oc(beta={beta}, gamma={gamma}, relative=False)", vectors, k)
            pairs += d.size
            found["zero only for equal vectors"].append(zero_only_if_equal(d))
            found["between 0 and 1"].append(bool(d.min() >= 0 and d.max() <= 1 + 1e-12))
            found["symmetric"].append(asymmetry(d, vectors) is None)
            if beta >= enough:
                triples += len(d) ** 3
                row = "triangle inequality from β = 1/(N+1) on"
                found[row].append(broken_triangle(d, vectors) is None)
    yield from (statement(row, all(outcomes)) for row, outcomes in found.items())
    yield Fact("pairs", f"{pairs:,}")
    yield Fact("triples", f"{triples:,}")


def section_3_4(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compare the recursion of section 3.4 with the minimum over all paths, on all matrices."""
    for i in range(1, 6):
        for name, counts in printed.of(f"table-{i}")["counts"].items():
            n = np.array(counts, dtype=np.float64)
            for beta in (0.25, 0.75):
                _, least = oc_path(n, beta / (n.sum() * (len(n) - 1)))
                score = score_of(f"oc(beta={beta})", n)
                yield Ours(
                    f"Table {i}, {name}", f"β = {beta} of the largest", score, expected=least
                )


def appendix_a(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check that the triangle inequality fails below a bound on β, and not from 1/(N+1) on."""
    for row in printed.figures:
        if row.startswith("N = "):
            yield from _three_vectors(row, int(row.removeprefix("N = ")))
    yield Ours(
        "all vectors of 3 items", "β = 1/(N+1): (M+H)/(M+N)", _off_diagonal(3, 3), expected=0.0
    )
    whole = [_broken(items, k, 1.0001 * _bound(items)) for items, k in _SIZES]
    yield Ours("all triples of 2 to 5 items", "broken at 1.0001 of the bound", yes(any(whole)))
    yield _step_2(printed)
    betas = np.linspace(0, 0.12, 61)
    gaps = {f"N = {n}": (betas.tolist(), [_gap(n, b) for b in betas]) for n in (3, 10, 50)}
    yield Drawing(printed.key, "curves", gaps, **printed["drawing"])


def _bound(n: int) -> float:
    """Return the β below which the appendix's three vectors break the triangle inequality."""
    return (n - 1) / ((n + 1) * (n + 2))


def _gap(n: int, beta: float) -> float:
    """Return OC(a, b) + OC(b, c) − OC(a, c) of the appendix's three vectors of n items."""
    sides = ([[n - 1, 0], [1, 0]], [[n - 1, 1], [0, 0]], [[n - 2, 1], [1, 0]])
    ab, bc, ac = (score_of(f"oc(beta={beta}, relative=False)", np.array(s)) for s in sides)
    return ab + bc - ac


def _three_vectors(row: str, n: int) -> Iterator[Ours]:
    betas = {
        "broken at 0.99 of the bound": 0.99 * _bound(n),
        "broken at 1.01 of the bound": 1.01 * _bound(n),
        "broken at β = 1/(N+1)": 1 / (n + 1),
    }
    for column, beta in betas.items():
        yield Ours(row, column, yes(_gap(n, beta) < -1e-12), f"β = {beta:.4f}")


def _broken(items: int, k: int, beta: float) -> bool:
    """Return whether any three label vectors break the triangle inequality."""
    vectors = label_vectors(items, k)
    d = distances(f"oc(beta={beta}, relative=False)", vectors, k)
    return broken_triangle(d, vectors) is not None


def _off_diagonal(items: int, k: int) -> float:
    """Return the largest distance of OC from (M+H)/(M+N), its value for the diagonal path."""
    vectors = label_vectors(items, k)
    differ = vectors[:, None, :] - vectors
    h, m = (differ != 0).sum(axis=2), np.abs(differ).sum(axis=2)
    d = distances(f"oc(beta={1 / (items + 1)}, relative=False)", vectors, k)
    return float(np.abs(d - (m + h) / (m + items)).max())


def _step_2(printed: Printed) -> Ours:
    """Try H/(N+M), which the proof takes for a metric, on one item of classes 1, 6 and 2."""
    a, b, c = printed["step_2"]
    ab, bc, ac = (1 / (1 + abs(x - y)) for x, y in ((a, b), (b, c), (a, c)))
    note = f"For one item of class {a}, {b} and {c}: {ab:.3f} + {bc:.3f} is less than {ac:.3f}."
    return statement("step (2) of the proof: H/(N+M) is a metric", ab + bc >= ac, note)


def sentences(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check sentences of the text against the matrices and the printed tables."""
    outcomes = {
        **_on_all_tables(),
        **_on_table_1(printed.of("table-1")["counts"]),
        **_on_later_tables(printed),
        **_on_table_6(printed.of("table-6").figures),
    }
    for row, (true, note) in outcomes.items():
        yield statement(row, true, note)


Outcome = tuple[bool, str]


def _on_all_tables() -> dict[str, Outcome]:
    tables = np.concatenate([all_tables(items, 3, empty_gold=True) for items in range(1, 6)])
    free = np.asarray(parse_measure("oc_unnormalised(beta=0.1)").of(tables))
    strict = np.asarray(parse_measure("oc_unnormalised(beta=1)").of(tables))
    equal = np.abs(strict - np.asarray(parse_measure("mer").of(tables))).max() < 1e-12
    tried = f"all {len(tables):,} tables of 1 to 5 items in 3 classes"
    lines = single_item_lines("oc(beta={beta}, relative=False)").values()
    curves = [[single_item(measure, d) for d in range(10)] for measure, _, _ in lines]
    return {
        "equation 6: OC′ lies between 0 and 1": (
            bool((free >= 0).all() and (free <= 1).all()),
            tried,
        ),
        "equation 6: OC′ equals MER from β = 1 on": (bool(equal), tried),
        "3.2: OC of one item rises with its distance": (
            all(a <= b for curve in curves for a, b in pairwise(curve)),
            "distances 0 to 9, four values of β",
        ),
    }


def _on_table_1(counts: Mapping[str, Any]) -> dict[str, Outcome]:
    def equal(measures: tuple[str, ...], *names: str) -> bool:
        return all(len({round(score_of(m, counts[x]), 12) for x in names}) == 1 for m in measures)

    low, high = ({x: score_of(f"oc(beta={b})", counts[x]) for x in "ABCD"} for b in (0.25, 0.75))
    orders = ["".join(sorted(scores, key=lambda x: scores[x])) for scores in (low, high)]
    return {
        "Table 1: rank correlations do not distinguish A and B": (
            equal(_RANK_CORRELATIONS, "A", "B"),
            "so 1 minus each of them is no metric",
        ),
        "Table 1: MER does not distinguish B and C": (equal(("mer",), "B", "C"), ""),
        "Table 1: MAE and MSE do not distinguish B and D": (equal(("mae", "mse"), "B", "D"), ""),
        "Table 1: the two β differ only in the order of C and D": (
            orders == ["ABCD", "ABDC"],
            f"orders {orders[0]} and {orders[1]}",
        ),
    }


def _on_later_tables(printed: Printed) -> dict[str, Outcome]:
    cm = {k: v for i in range(2, 6) for k, v in printed.of(f"table-{i}")["counts"].items()}
    cm |= printed.of("table-4")["consistent_counts"]
    measures = printed.of("table-1").columns

    def against(better: str, worse: str) -> set[str]:
        return {m for m in measures if compared(m, cm[better], cm[worse]) != ">"}

    return {
        "Table 2: all measures but Rs and τ-b prefer CM2": (
            against("CM2", "CM1") == {"spearman", "kendall_b"},
            "",
        ),
        "Table 3: all measures but r_int prefer CM4": (against("CM4", "CM3") == {"r_int"}, ""),
        "Table 4: only MER and MAE do not prefer CM5": (
            against("CM5", "CM6") == {"mer", "mae"},
            "with the matrix that is consistent with the printed figures",
        ),
        "Table 5: all measures put CM10 first and CM11 last": (
            not against("CM10", "CM12") | against("CM12", "CM11"),
            "",
        ),
    }


def _on_table_6(figures: Mapping[str, Mapping[str, str]]) -> dict[str, Outcome]:
    """Compare the printed means and standard deviations of two methods."""
    losses = [
        f"{name}: {cells['oSVM']} against {cells['Frank and Hall']}"
        for name, cells in figures.items()
        if any(a > b for a, b in zip(*map(_numbers, _two(cells)), strict=True))
    ]
    return {
        "Table 6: oSVM is never worse than Frank & Hall, in mean and deviation": (
            not losses,
            "; ".join(losses),
        )
    }


def _two(cells: Mapping[str, str]) -> tuple[str, str]:
    return cells["oSVM"], cells["Frank and Hall"]


def _numbers(cell: str) -> list[float]:
    """Return mean and standard deviation of a cell such as "0.49 (0.02)"."""
    return [float(part.strip("()")) for part in cell.split()]


EXHIBITS: Mapping[str, Maker] = {
    **{f"table-{i}": matrix_table for i in range(1, 6)},
    "figure-4": figure_4,
    "figure-5": tridiagonal_figure,
    "section-3.1": section_3_1,
    "appendix-a": appendix_a,
    "table-5-protocol": algorithm_1_synthetic,
    "table-6": algorithm_1,
    "figure-1": figure_1,
    "figure-2": figure_2,
    "figure-3": figure_3,
    "figure-6": figure_6,
    "figure-7": figure_7,
    "section-3.3": section_3_3,
    "section-3.4": section_3_4,
    "sentences": sentences,
}
