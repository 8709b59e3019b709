"""Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz (2020): the closeness evaluation measure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

import numpy as np

import ordeval as oe
from ordeval.meta import (
    AMIGO_REFERENCE,
    AxiomTable,
    ScoreMatrices,
    axioms,
    coverage,
    robustness,
)

from .amigo_proofs import (
    appendix_c,
    definition_1,
    figure_2,
    interval_cem,
    propositions,
    sentences,
)
from .datasets import missing, semeval_2016_c
from .internals import AxiomResult, Floats, proximity
from .matrix_exhibits import score_of
from .printed import Printed
from .statements import statement
from .study import Drawing, Fact, Item, Maker, Ours, Setting, order_of
from .synthetic_systems import Design, synthetic_counts, synthetic_coverage

SEEDS, QUICK_SEEDS = 6, 2
_DISTANCE = "mean |difference|"
# The rows with undefined correlations. Pearson's agrees with print only if they count 0, and
# Spearman's only if they count 1.
_UNDEFINED_AS_ZERO, _UNDEFINED_AS_ONE = "pearson", "spearman"


def closeness(gold: Sequence[float]) -> Floats:
    """Return prox(p, g) `[predicted, gold]` for gold counts, as the paper arranges it."""
    n = np.diag(np.asarray(gold, dtype=np.float64))
    return np.asarray(proximity(n, np.arange(len(gold), dtype=np.float64), "ordinal", True)).T


def _proximities(labels: Sequence[str], gold: Sequence[float]) -> dict[str, float]:
    """Return prox(p, g) of every two classes by its name."""
    near = closeness(gold)
    pairs = product(enumerate(labels), repeat=2)
    return {f"prox({p}, {g})": float(near[i, j]) for (i, p), (j, g) in pairs}


def figure_1(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute closeness under two distributions of gold."""
    for side, counts in printed["counts"].items():
        near = _proximities(list(counts), list(counts.values()))
        yield from (Ours(side, name, near[name]) for name in printed.figures[side])
    yield Drawing(printed.key, "bars", printed["counts"], **printed["drawing"])


def figure_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute closeness, CEM and accuracy of two systems."""
    near = _proximities(printed["labels"], np.sum(printed["A"], axis=0).tolist())
    yield from (Ours("closeness", name, value) for name, value in near.items())
    for measure in ("cem", "accuracy"):
        for system in ("A", "B"):
            score = score_of(measure, np.transpose(printed[system]))
            yield Ours(f"system {system}", measure, score)


def table_2(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Search for counter-examples to the three axioms."""
    table = axioms(printed.figures, printed.columns, rng=setting.seed)
    for measure, figures in printed.figures.items():
        yield from (_axiom_cell(table.of(measure, axiom), x) for axiom, x in figures.items())
    wanted = set(printed.columns)
    hold = [measure for measure in table.measures if wanted <= set(table.satisfied(measure))]
    yield Fact("all_three", ", ".join(hold))
    yield from _printed_cells(table, printed)


def _printed_cells(table: AxiomTable, printed: Printed) -> Iterator[Fact]:
    """Count the printed cells, each of which may be of several measures."""
    shared = [tuple(row) for row in printed["shared_rows"]]
    alone = set(printed.figures) - {measure for row in shared for measure in row}
    rows = [*shared, *((measure,) for measure in alone)]
    verdicts = [
        _cell_verdict(table, printed, row, axiom) for row in rows for axiom in printed.columns
    ]
    yield Fact("measures", len(printed.figures))
    yield Fact("rows", len(rows))
    yield Fact("cells", len(verdicts))
    for verdict in ("same", "refuted", "depends"):
        yield Fact(f"{verdict}_cells", verdicts.count(verdict))


def _cell_verdict(table: AxiomTable, printed: Printed, row: Sequence[str], axiom: str) -> str:
    """Return whether all measures of a printed cell agree, or what is on record of one that not."""
    for measure in row:
        claimed = printed.figures[measure][axiom] == "holds"
        if table.of(measure, axiom).holds != claimed:
            known = printed.errors.get((measure, axiom))
            return known.verdict.lower() if known else "differs"
    return "same"


def _axiom_cell(found: AxiomResult, figure: str) -> Ours:
    ours, note, example = "holds" if found.holds else "fails", found.outcome, found.counter_example
    if ours != figure and example is not None:
        note = f"Smallest counter-example found: {'; '.join(example.lines())}."
    return Ours(found.measure, found.axiom, ours, note, explained=example is not None)


def appendix_b(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute the examples that the appendix gives for each axiom."""
    examples = {"monotonicity": _monotonicity, "invariance": _invariance, "imbalance": _imbalance}
    for row in printed.figures:
        axiom, _, measure = row.partition(": ")
        yield from examples[axiom](row, measure)


def _table_of(gold: Sequence[int], system: Sequence[int], k: int) -> Floats:
    return oe.Counts.from_labels(list(gold), list(system), labels=list(range(1, k + 1))).table


def _monotonicity(row: str, measure: str) -> Iterator[Ours]:
    far, near = (score_of(measure, _table_of((3, 4, 5), s, 5)) for s in ((1, 2, 3), (2, 3, 4)))
    ours = "equal" if abs(far - near) < 1e-12 else "unequal"
    note = "" if ours == "equal" else f"The scores are {far:.3f} and {near:.3f}."
    yield Ours(row, "(1,2,3) and (2,3,4)", ours, note, explained=True)


def _invariance(row: str, measure: str) -> Iterator[Ours]:
    table = _table_of((3, 4, 5), (1, 2, 3), 5)
    mapped = oe.measure(measure).of(table, values=[10 + x**3 for x in range(1, 6)])
    changed = abs(float(mapped) - score_of(measure, table)) > 1e-9
    yield Ours(row, "changed by f(x) = 10 + x³", "yes" if changed else "no")


def _imbalance(row: str, measure: str) -> Iterator[Ours]:
    for column, system in {"(1,2,2,3)": (1, 2, 2, 3), "(1,1,2,2)": (1, 1, 2, 2)}.items():
        yield Ours(row, column, score_of(measure, _table_of((1, 1, 2, 3), system, 3)))


def table_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute coverage on the synthetic systems (the left half), averaged over seeds."""
    seeds = QUICK_SEEDS if setting.quick else SEEDS
    measures = list(printed.figures)
    runs, swapped = _coverages(setting, measures, seeds, "own")
    other, _ = _coverages(setting, measures, QUICK_SEEDS, "last")
    ours = dict(zip(measures, runs.mean(axis=0), strict=True))
    for i, measure in enumerate(measures):
        spreads = runs[:, i].std(axis=0, ddof=1)
        for column, mean, spread in zip(printed.columns, ours[measure], spreads, strict=True):
            yield Ours(measure, column, float(mean), f"spread over seeds {spread:.3f}")
        yield _row_distance(measure, ours[measure], printed)
    f1_off = _distance(other.mean(axis=0)[measures.index("macro_f1")], printed, "macro_f1")
    spearman, pearson = (
        _distance(swapped[:, measures.index(m)].mean(axis=0), printed, m)
        for m in (_UNDEFINED_AS_ONE, _UNDEFINED_AS_ZERO)
    )
    yield Fact("seeds", seeds)
    yield Fact("farthest", _farthest(ours, printed))
    yield Fact("macro_f1_off", f"{f1_off:.2f}")
    yield Fact("spearman_off", f"{spearman:.2f}")
    yield Fact("pearson_off", f"{pearson:.2f}")
    yield Fact("best", _best(ours, printed.columns))


def _coverages(
    setting: Setting, measures: Sequence[str], seeds: int, beyond: Literal["own", "last"]
) -> tuple[Floats, Floats]:
    """Return coverage `[seeds, measures, 6]`, with undefined Spearman correlations as 1.

    In all other rows they count 0. Also returns coverage with the readings exchanged: 0 in
    Spearman's row, 1 in the others.
    """
    design, special = Design(beyond=beyond), measures.index(_UNDEFINED_AS_ONE)
    runs, swapped = [], []
    for s in range(seeds):
        zero, one = (
            synthetic_coverage(design, setting.seed + s, undefined=value) for value in (0.0, 1.0)
        )
        zero[special], one[special] = one[special].copy(), zero[special].copy()
        runs.append(zero)
        swapped.append(one)
        setting.progress(f"Synthetic systems ({beyond})", s + 1, seeds)
    return np.stack(runs), np.stack(swapped)


def _printed_row(printed: Printed, measure: str) -> Floats:
    return np.array([float(x) for x in printed.figures[measure].values()])


def _distance(ours: Floats, printed: Printed, measure: str) -> float:
    """Return the mean distance from the printed row of a measure."""
    return float(np.abs(ours - _printed_row(printed, measure)).mean())


def _row_distance(measure: str, ours: Floats, printed: Printed) -> Ours:
    """Judge a row by its mean distance; of exchanged rows, from each other's printed row."""
    allowed, own = printed["tolerance"]["mean"], _distance(ours, printed, measure)
    if measure not in printed["exchanged"]:
        return Ours(measure, _DISTANCE, own, tolerance=allowed, expected=0.0)
    other = printed["exchanged"][measure]
    exchanged = _distance(ours, printed, other)
    note = f"{own:.3f} from its own row, {exchanged:.3f} from that of {other}"
    explained = exchanged <= min(allowed, own)
    cell = Ours(measure, _DISTANCE, exchanged, note, tolerance=allowed, expected=0.0)
    return cell._replace(agrees=False, explained=explained)


def _farthest(ours: Mapping[str, Floats], printed: Printed, most: int = 3) -> str:
    """Return the cells with the largest differences, with exchanged rows put right."""
    apart = []
    for measure, values in ours.items():
        theirs = _printed_row(printed, printed["exchanged"].get(measure, measure))
        for column, value, x in zip(printed.columns, values, theirs, strict=True):
            apart.append((abs(value - x), f"{measure} {column} ({value:.2f} for {x:.2f})"))
    return ", ".join(text for _, text in sorted(apart, reverse=True)[:most])


def _best(ours: Mapping[str, Floats], columns: Sequence[str]) -> str:
    """Say which measure has the highest coverage in each column; in print it is CEM."""
    best = [max(ours, key=lambda m: float(ours[m][i])) for i in range(len(columns))]
    others = [
        f"{column}: {measure} ({ours[measure][i]:.2f})"
        for i, (column, measure) in enumerate(zip(columns, best, strict=True))
        if measure != "cem"
    ]
    if not others:
        return "CEM has the highest coverage in every column, as printed."
    return (
        f"CEM has the highest coverage in {len(columns) - len(others)} of {len(columns)} columns "
        f"(printed: in all), otherwise {'; '.join(others)}."
    )


def section_5_3(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Check what section 5.3 says of single synthetic systems, by their mean scores."""
    counts = synthetic_counts(Design(beyond="own"), setting.seed)
    mean: dict[str, dict[str, float]] = {}
    for measure in ("accuracy", "kendall_a", "mutual_information", "mae"):
        scores = np.asarray(oe.measure(measure).of(counts.table)).mean(axis=1)
        mean[measure] = dict(zip(counts.systems, map(float, scores), strict=True))

    def both(measure: str, one: str, other: str) -> str:
        return f"{measure} {mean[measure][one]:.2f} and {mean[measure][other]:.2f}"

    accuracy, tau = mean["accuracy"], mean["kendall_a"]
    information, mae = mean["mutual_information"], mean["mae"]
    shifted = max(tau, key=lambda s: tau[s]), min(accuracy, key=lambda s: accuracy[s])
    outcomes = {
        "full displacement has the highest τ-a and the lowest accuracy": (
            shifted == ("tdisp 1", "tdisp 1"),
            f"{shifted[0]} and {shifted[1]}",
        ),
        "30 % random errors leave 70 % correct": (
            accuracy["rand 0.3"] >= 0.7,
            f"{accuracy['rand 0.3']:.3f}: a random class is right once in 11",
        ),
        "rand 0.3 is ahead of prox 0.5 by accuracy, and not by MAE": (
            accuracy["rand 0.3"] > accuracy["prox 0.5"] and mae["rand 0.3"] > mae["prox 0.5"],
            f"{both('accuracy', 'rand 0.3', 'prox 0.5')}; {both('mae', 'rand 0.3', 'prox 0.5')}",
        ),
        "maj 0.4 can be ahead of rand 0.3, and not by mutual information": (
            tau["maj 0.4"] > tau["rand 0.3"] and information["maj 0.4"] < information["rand 0.3"],
            f"{both('kendall_a', 'maj 0.4', 'rand 0.3')}; "
            f"{both('mutual_information', 'maj 0.4', 'rand 0.3')}; but "
            f"{both('accuracy', 'maj 0.4', 'rand 0.3')}",
        ),
    }
    for row, (true, note) in outcomes.items():
        yield statement(row, true, note)._replace(tolerance=0.0)


def table_3_campaigns(setting: Setting, printed: Printed) -> Iterator[Item]:
    """List the half of Table 3 whose runs are not available."""
    for measure, figures in printed.figures.items():
        for campaign in figures:
            yield Ours(measure, campaign, None, "the runs of this campaign were not found")


def semeval_2016(setting: Setting, printed: Printed) -> Iterator[Item]:
    """Compute coverage and robustness on runs that the paper did not use."""
    measures = list(printed.of("table-3").figures)
    lacking = missing(setting, "semeval2016-task4/subtask-C.tsv.gz")
    found = {} if lacking else _coverage_and_robustness(semeval_2016_c(setting), measures)
    for measure in measures:
        for column in ("coverage", "robustness"):
            value = found[column][measure] if found else None
            unjudged = "another campaign than the paper's" if found else ""
            yield Ours(measure, column, value, lacking, unjudged=unjudged)
    for column, values in found.items():
        yield Fact(column, order_of(values, decimals=2))


def _coverage_and_robustness(counts: oe.Counts, measures: list[str]) -> dict[str, dict[str, float]]:
    scores = ScoreMatrices.from_counts(counts, measures, undefined=0.0)
    reference = scores.select(measures=scores.measures[: len(AMIGO_REFERENCE)])
    found = coverage(scores, reference).coverage, robustness(scores).robustness
    by_measure = [dict(zip(measures, map(float, values), strict=True)) for values in found]
    return dict(zip(("coverage", "robustness"), by_measure, strict=True))


EXHIBITS: Mapping[str, Maker] = {
    "figure-1": figure_1,
    "figure-3": figure_3,
    "table-2": table_2,
    "appendix-b": appendix_b,
    "table-3": table_3,
    "table-3-campaigns": table_3_campaigns,
    "semeval-2016-c": semeval_2016,
    "figure-2": figure_2,
    "definition-1": definition_1,
    "propositions": propositions,
    "interval-cem": interval_cem,
    "appendix-c": appendix_c,
    "section-5.3": section_5_3,
    "sentences": sentences,
}
