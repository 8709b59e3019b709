"""Sakai (2021): identities of section 3, sentences of the text, and what needs unpublished runs."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

import ordeval as oe

from .datasets import missing, read_rows, semeval_2016_c
from .internals import Floats, all_tables, compositions, grid_pairs
from .printed import Printed
from .statements import statement
from .study import Item, Ours, Setting

_C16 = "semeval2016-task4/subtask-C.tsv.gz"
_PUBLISHED = "semeval2017-task4/published-tables.tsv"
_PAIRS = ((5, 2), (5, 3), (4, 4), (3, 5))  # units of mass and classes of the distributions tried
_TABLES = ((8, 2), (6, 3), (5, 4))  # items and classes of the tables tried
Figures = Mapping[str, Mapping[str, str]]


def _scores(measure: str, *points: Floats) -> Floats:
    return np.asarray(oe.measure(measure).of(*points), dtype=np.float64)


def section_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Evaluate what section 3 says of the definitions, on all small tables and distributions."""
    yield from _on_tables()
    yield from _on_distributions()


def _on_tables() -> Iterator[Ours]:
    constant = np.concatenate([_constant_systems(items) for items in range(2, 9)])
    kappa = _scores("lwk", constant)
    defined = ~np.isnan(kappa)
    zero = bool((np.abs(kappa[defined]) < 1e-12).all())
    note = f"{int(defined.sum()):,} cases of 3 classes; undefined if gold is that class only"
    yield statement("3.1: κ of constant systems is 0", zero, note)
    tables = [all_tables(items, k, empty_gold=True) for items, k in _TABLES]
    finite = all(np.isfinite(_scores("cem", t)).all() for t in tables)
    tried = f"{sum(map(len, tables)):,} tables, also with empty gold classes"
    yield statement("equation 4: CEM is finite in spite of empty classes", finite, tried)
    two = tables[0]
    off = float(np.abs(_scores("mae", two) - (1 - _scores("accuracy", two))).max())
    yield Ours("2.1: two classes", "MAE − (1 − accuracy)", off, expected=0.0)


def _constant_systems(items: int) -> Floats:
    """Return tables of systems that always answer the same of three classes."""
    golds = compositions(items, 3)
    return np.concatenate([golds[:, :, None] * np.eye(3)[c] for c in range(3)])


Version = Callable[[Floats, Floats, int], Floats]


def _on_distributions() -> Iterator[Ours]:
    """Compare measures of distributions with those that they are said to be versions of."""
    pairs = [grid_pairs(units, k) for units, k in _PAIRS]
    identities: dict[str, tuple[str, Version]] = {
        "equation 11: NMD − EMD/(K−1)": ("nmd", lambda e, g, k: _scores("emd", g, e) / (k - 1)),
        "equation 16: NVD − K/2·MAE of the shares": (
            "nvd",
            lambda e, g, k: k / 2 * np.abs(e - g).mean(axis=1),
        ),
        "equation 17: RNSS − √(K/2)·RMSE of the shares": (
            "rnss",
            lambda e, g, k: np.sqrt(k / 2 * ((e - g) ** 2).mean(axis=1)),
        ),
    }
    for row, (measure, other) in identities.items():
        largest = 0.0
        for points in pairs:
            estimate, gold = points[:, 0], points[:, 1]
            ours = _scores(measure, gold, estimate)
            apart = np.abs(ours - other(estimate, gold, gold.shape[1]))
            largest = max(largest, float(apart.max()))
        yield Ours(row, "largest difference", largest, expected=0.0)
    jsd = [_scores("jsd", p[:, 1], p[:, 0]) for p in pairs]
    kld = [_scores("kld", p[:, 1], p[:, 0]) for p in pairs]
    undefined = sum(int((~np.isfinite(x)).sum()) for x in kld)
    yield statement(
        "equation 19: JSD is defined where KLD is not",
        undefined > 0 and all(np.isfinite(x).all() for x in jsd),
        f"KLD is undefined for {undefined:,} of {sum(map(len, kld)):,} pairs of distributions",
    )


def sentences(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check what sections 5 and 6 say of Tables 2, 3, 5 and 6 against the tables as printed."""
    yield from _on_similarity(printed)
    yield from _on_consistency(printed)


def _on_similarity(printed: Printed) -> Iterator[Ours]:
    classification, dialogues = (_matrices(printed.of(f"table-{i}")) for i in (2, 5))
    group_a = [m for m in printed.of("table-2").columns if m not in ("cem", "accuracy", "mae")]
    near = all(
        np.mean([tau["cem", m] for m in group_a])
        > np.mean([tau["cem", m] for m in ("accuracy", "mae")])
        for tau in classification.values()
    )
    yield statement("5.1: CEM ranks more like group A than like MAE and accuracy", near)
    measures = printed.of("table-5").columns
    outlier = all(
        min(measures, key=lambda m: sum(tau[m, x] for x in measures if x != m)) == "nmd"
        for tau in dialogues.values()
    )
    yield statement("6.1: NMD is the outlier in all three aspects", outlier)
    nearest = {
        name: [m for m in measures if m != "nmd" and tau["nmd", m] == _largest(tau, measures)]
        for name, tau in dialogues.items()
    }
    yield statement(
        "6.1: RSNOD is the nearest to NMD in (I) and (III), not in (II)",
        [found == ["rsnod"] for found in nearest.values()] == [True, False, True],
        "; ".join(f"{name}: {', '.join(found)}" for name, found in nearest.items()),
    )


Taus = Mapping[tuple[str, str], float]


def _matrices(printed: Printed) -> dict[str, dict[tuple[str, str], float]]:
    """Return the printed τ of every two measures, for each data set."""
    found: dict[str, dict[tuple[str, str], float]] = {}
    for row, cells in printed.figures.items():
        name, _, measure = row.partition(": ")
        for other, tau in cells.items():
            found.setdefault(name, {})[measure, other] = float(tau)
            found[name][other, measure] = float(tau)
    return found


def _largest(tau: Taus, measures: Sequence[str]) -> float:
    return max(tau["nmd", m] for m in measures if m != "nmd")


def _on_consistency(printed: Printed) -> Iterator[Ours]:
    for how, small in (("halves", False), ("10 and 10", True)):
        order = _by_mean(printed.of("table-3").figures, small)
        first = {"lwk", "alpha_ord", "alpha_int"}
        row = f"5.2: κ and both α have the three highest mean τ, {how}"
        yield statement(row, set(order[:3]) == first)
        row = f"5.2: CEM and accuracy have the two lowest mean τ, {how}"
        yield statement(row, set(order[-2:]) == {"cem", "accuracy"})
        order = _by_mean(printed.of("table-6").figures, small)
        row = f"6.2: NMD, then RSNOD have the lowest mean τ, {how}"
        yield statement(row, order[-2:] == ["rsnod", "nmd"])


def _by_mean(figures: Figures, small: bool) -> list[str]:
    """Return the measures by their mean τ over the splits of halves or of 10 and 10 topics."""
    taus: dict[str, list[float]] = {}
    for row, cells in figures.items():
        part, _, measure = row.partition(": ")
        if measure and part.endswith("10v10") == small:
            taus.setdefault(measure, []).append(float(cells["mean τ"]))
    return sorted(taus, key=lambda measure: -sum(taus[measure]))


def official_ranks(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Rank the runs that section 5.1 gives as examples under both versions of MAE."""
    yield from _ranks_of_2016(setting, "neutral baseline, 2016")
    yield from _ranks_of_2017(setting, "OMAM, 2017")


def _ranks_of_2016(setting: Setting, row: str) -> Iterator[Ours]:
    lacking = missing(setting, _C16)
    for column, measure in (("MAE^M", "macro_mae"), ("MAE^µ", "mae")):
        if lacking:
            yield Ours(row, f"rank by {column}", None, lacking)
            continue
        counts = semeval_2016_c(setting)
        scores = dict(zip(counts.systems, _scores(measure, counts.table.sum(axis=1)), strict=True))
        yield Ours(row, f"rank by {column}", _rank(scores, "baseline-majority-0"))


def _ranks_of_2017(setting: Setting, row: str) -> Iterator[Ours]:
    lacking = missing(setting, _PUBLISHED)
    for column, name in (("MAE^M", "MAE_M"), ("MAE^µ", "MAE_mu")):
        if lacking:
            yield Ours(row, f"rank by {column}", None, lacking)
            continue
        rows = read_rows(setting, _PUBLISHED, "subtask", "language", "run", "measure", "value")
        scores = {
            r["run"]: float(r["value"])
            for r in rows
            if (r["subtask"], r["language"], r["measure"]) == ("C", "english", name)
        }
        yield Ours(row, f"rank by {column}", _rank(scores, "OMAM"), "from the published scores")


def _rank(scores: Mapping[str, float], name: str) -> int:
    """Return the rank of a system, lowest score first; tied ones share the lower rank."""
    return 1 + sum(score < scores[name] for score in scores.values())


def not_public(setting: Setting, printed: Printed) -> Iterator[Item]:
    """List the parts whose runs were not found, with the number of figures that they have."""
    for table in (2, 3, 5, 6, 8, 9):
        parts: Counter[str] = Counter()
        for row, cells in printed.of(f"table-{table}").figures.items():
            parts[row.partition(":")[0]] += len(cells)
        for part, figures in parts.items():
            runs = printed["runs"].get(part.split()[0])
            if runs:
                yield Ours(f"Table {table}: {part}", f"{figures} figures", None, f"needs {runs}")
    sizes = printed.of("table-1").figures
    for row, (name, curves) in printed["curves"].items():
        runs = int(sizes[name.partition("-")[0]]["runs"])
        column = f"{curves} curves of {runs * (runs - 1) // 2} p-values"
        yield Ours(row, column, None, f"needs {printed['runs'][name]}")
