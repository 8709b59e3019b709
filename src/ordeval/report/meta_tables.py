"""The tables of what is found about measures, for every format, and for machines."""

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from ..meta import (
    Advice,
    AxiomResult,
    AxiomTable,
    Consistency,
    Coverage,
    DiscriminativePower,
    MetaEvaluation,
    Robustness,
    ScoreMatrices,
    Similarity,
    Summary,
    SyntheticCoverage,
)
from .formats import one_line, to_text
from .names import short_measure
from .table import Cell, Heading, Table, count, figure, table, words

_WIDTH = 90
_MIND = "Mind: "
_MARKS = {True: "✓", False: "✗", None: ""}
# Columns of properties; those that a task does not have are left out.
_PROPERTIES = {
    "order": "sees order",
    "constant": "tells constant systems apart",
    "imbalance": "sees class sizes",
    "symmetric": "symmetric",
}
_HOLDS = {True: "✓", False: "✗", None: "–"}


def meta_text(found: MetaEvaluation) -> str:
    """Everything for a terminal: the advice first, wrapped, then the tables."""
    tables = map(to_text, _meta_tables(found))
    return "\n".join([_advice_text(found), *tables, one_line(_signature(found)) + "\n"])


def meta_tables(found: MetaEvaluation) -> list[Table]:
    """The tables for a document: the advice under the first, the signature under the last."""
    first, *rest, last = _meta_tables(found)
    first = replace(first, notes=(*first.notes, *_advice_lines(found)))
    return [first, *rest, replace(last, notes=(*last.notes, _signature(found)))]


def overview_table(found: MetaEvaluation) -> Table:
    """Every measure in a line, with the advice and the signature below."""
    advice = found.advice
    advised = [f"Use {advice.primary}, with {advice.secondary} beside it."] if advice else []
    return replace(summary_table(found.summary), notes=(*advised, _signature(found)))


def _meta_tables(found: MetaEvaluation) -> list[Table]:
    """Summary, similarity, consistency, discriminative power, robustness and coverage."""
    splits = [c for c in (found.consistency, found.small_consistency) if c is not None]
    return [
        summary_table(found.summary),
        similarity_table(found.similarity),
        consistency_table(splits),
        power_table(found.discrimination),
        stability_table(found.robustness, found.coverage),
    ]


def _signature(found: MetaEvaluation) -> str:
    return f"Signature: {found.signature}"


def _advice_lines(found: MetaEvaluation) -> list[str]:
    """What to use and why, what these data say themselves, and what to mind."""
    from .meta_views import shown_by_data

    shown = " ".join(text.striptags() for text in shown_by_data(found))
    if found.advice is None:
        return [shown]
    advice = found.advice
    use = f"Use {advice.primary}, with {advice.secondary} beside it ({advice.source})."
    return [use, advice.reason, shown, *(f"{_MIND}{warning}" for warning in advice.warnings)]


def _advice_text(found: MetaEvaluation) -> str:
    wrapped = []
    for line in _advice_lines(found):
        indent = " " * len(_MIND) if line.startswith(_MIND) else ""
        wrapped += textwrap.wrap(line, _WIDTH, subsequent_indent=indent)
    return "\n".join(map(one_line, wrapped)) + "\n"  # names of systems come from files


def advice_table(advice: Advice) -> Table:
    """What to use; why, and what to mind, below."""
    headings = [Heading("use"), Heading("beside it"), Heading("after")]
    row = [words(text) for text in (advice.primary, advice.secondary, advice.source)]
    notes = [advice.reason, *(f"{_MIND}{warning}" for warning in advice.warnings)]
    return table(headings, [row], title="Advice", notes=notes)


def figures_table(found: MetaEvaluation) -> Table:
    """Every figure of a measure in one row, for machines."""
    half, small = found.consistency, found.small_consistency
    names = ["consistency", "beats", "beaten_by"]
    names += ["small_consistency", "small_beats", "small_beaten_by"] if small else []
    names += ["pairs_told_apart", "share_told_apart", "robustness"]
    names += ["coverage"] if found.coverage else []
    rows = []
    for i, name in enumerate(found.matrices.measures):
        row = [words(name), words(found.similarity.group_of(name))]
        for c in (half, small) if small else (half,):
            row += consistency_cells(c, i)
        row += power_cells(found.discrimination, i)
        row.append(figure(found.robustness.robustness[i]))
        rows.append(row + ([figure(found.coverage.coverage[i])] if found.coverage else []))
    headings = [Heading("measure"), Heading("group"), *(Heading(name, True) for name in names)]
    return table(headings, rows)


def _measure(name: str) -> Cell:
    """A measure: its symbol for people, its whole name for machines."""
    return Cell(short_measure(name), name)


def summary_table(found: Summary) -> Table:
    """Everything about every measure in a line."""
    known = [name for name in _PROPERTIES if any(getattr(row, name) is not None for row in found)]
    names = ["measure", "group", *(_PROPERTIES[name] for name in known)]
    printed = any(row.printed for row in found)
    names += ["consistency", "discrimination", *(["in Sakai 2021"] if printed else [])]
    lines = []
    for row in found:
        line = [row.group, *(_MARKS[getattr(row, name)] for name in known)]
        line += [row.consistency, row.discrimination]
        line += [_printed(row.printed)] if printed else []
        lines.append([_measure(row.measure), *map(words, line)])
    return table([Heading(name) for name in names], lines, title="Measures at a glance")


def _printed(row: object) -> str:
    """Group, consistency and discrimination as printed for other data."""
    if row is None:
        return ""
    return ", ".join(getattr(row, name) for name in ("group", "consistency", "discrimination"))


def similarity_table(s: Similarity, *, named: Callable[[str], str] = short_measure) -> Table:
    """Kendall's τ between the rankings of the systems under every two measures."""
    names = [named(name) for name in s.measures]
    headings = [Heading("measure"), *(Heading(name, numeric=True) for name in names)]
    headings.append(Heading("group"))
    rows = [
        [words(names[i]), *(figure(tau, 3) for tau in s.tau[i]), words(s.group_of(s.measures[i]))]
        for i in range(len(names))
    ]
    notes = [f"Measures of a group all have τ of at least {s.threshold:g} with each other."]
    if (s.tau.diagonal() < 1).any():
        notes.append("A measure that ties systems has τ-a below 1 with itself.")
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    return table(headings, rows, title=title, notes=notes)


def consistency_table(found: Sequence[Consistency]) -> Table:
    """Mean τ under each size of split, and how many measures each beats."""
    headings = [Heading("measure")]
    for c in found:
        size = f"{c.sizes[0]} against {c.sizes[1]} topics"
        headings += [Heading(f"mean τ, {size}", True), Heading("beats", True)]
        headings.append(Heading("beaten by", True))
    lines = []
    for i in found[0].order:
        line = [_measure(found[0].measures[i])]
        for c in found:
            line += consistency_cells(c, i)
        lines.append(line)
    return table(headings, lines, title="Consistency: mean τ over splits", notes=_precision(found))


def consistency_cells(found: Consistency, place: int) -> list[Cell]:
    """Mean τ of a measure, how many it beats and how many beat it; empty where undefined."""
    mean = found.mean[place]
    if np.isnan(mean):
        return [figure(np.nan)] * 3
    return [figure(mean), count(found.beats[place]), count(found.beaten[place])]


def _precision(found: Sequence[Consistency]) -> list[str]:
    """How far the means can be trusted, and what turns differences into effect sizes."""
    notes = []
    for c in found:
        if np.isnan(c.residual_variance):
            continue
        notes.append(
            f"{c.sizes[0]} against {c.sizes[1]} topics: means over {c.mean_splits:,} splits "
            f"(standard errors up to {np.nanmax(c.standard_error):.4f}), beats over {c.splits:,} "
            f"(p < {c.alpha:g}); V_E2 = {c.residual_variance:.5f}."
        )
    return [*notes, "An effect size is a difference of means over √V_E2."] if notes else []


def power_table(power: DiscriminativePower) -> Table:
    """Pairs told apart by every measure."""
    headings = [Heading("measure"), Heading("pairs told apart", True), Heading("share", True)]
    headings += [Heading("mean p", True), Heading("topics used", True)]
    lines = [
        [
            _measure(power.measures[i]),
            *power_cells(power, i),
            figure(power.area[i]),
            count(power.topics[i]),
        ]
        for i in power.order
    ]
    title = f"Discriminative power: {len(power.pairs)} pairs of systems, p < {power.alpha:g}"
    return table(headings, lines, title=title)


def power_cells(power: DiscriminativePower, place: int) -> list[Cell]:
    """Pairs that a measure tells apart, and their share; empty where undefined."""
    share, told = power.share[place], power.significant[place]
    return [figure(np.nan)] * 2 if np.isnan(share) else [count(told), figure(share, 3)]


def stability_table(found: Robustness, covered: Coverage | None = None) -> Table:
    """Robustness, and coverage where there is one."""
    headings = [Heading("measure"), Heading("robustness", True), Heading("topics used", True)]
    headings += [Heading("coverage", True)] if covered else []
    lines = []
    for i, name in enumerate(found.measures):
        line = [_measure(name), figure(found.robustness[i])]
        line.append(count(found.topics[i]))
        line += [figure(covered.coverage[i])] if covered else []
        lines.append(line)
    title = "Robustness and coverage" if covered else "Robustness"
    return table(headings, lines, title=title)


def coverage_table(found: Coverage) -> Table:
    """How well each measure follows improvements under all reference measures."""
    rows = [
        [_measure(name), figure(value)]
        for name, value in zip(found.measures, found.coverage, strict=True)
    ]
    reference = ", ".join(map(short_measure, found.reference))
    notes = [f"Spearman correlation with unanimous improvement under {reference}."]
    headings = [Heading("measure"), Heading("coverage", True)]
    return table(headings, rows, title="Coverage", notes=notes)


def scores_table(found: ScoreMatrices) -> Table:
    """Mean score of every system under every measure."""
    everything = np.ones((1, len(found.topics)))
    means = found.oriented_means(everything)[:, 0] * found.signs[:, None]
    arrows = ("↑" if sign > 0 else "↓" for sign in found.signs)
    names = (f"{short_measure(m)} {arrow}" for m, arrow in zip(found.measures, arrows, strict=True))
    headings = [Heading("system"), *(Heading(name, True) for name in names)]
    rows = [[words(s), *map(figure, means[:, i])] for i, s in enumerate(found.systems)]
    notes = [f"Means over {len(found.topics):,} topics."]
    gone = int(found.missing.sum())
    notes += [f"{gone:,} of the scores are undefined."] if gone else []
    return table(headings, rows, title="Mean scores", notes=notes)


def topics_table(found: ScoreMatrices) -> Table:
    """Every score in a row, for machines."""
    names = product(*(map(words, axis) for axis in (found.measures, found.systems, found.topics)))
    rows = [[*place, figure(score)] for place, score in zip(names, found.scores.flat, strict=True)]
    headings = [*map(Heading, ("measure", "system", "topic")), Heading("score", True)]
    return table(headings, rows)


def synthetic_table(found: SyntheticCoverage) -> Table:
    """Coverage on synthetic systems, of all kinds and without each kind."""
    headings = [Heading("measure"), *(Heading(name, True) for name in found.columns)]
    rows = [
        [_measure(name), *map(figure, row)]
        for name, row in zip(found.measures, found.coverage, strict=True)
    ]
    return table(headings, rows, title="Coverage on synthetic systems")


def axioms_table(found: AxiomTable) -> Table:
    """Measures as rows, axioms as columns."""
    headings = [Heading("measure"), *(Heading(axiom.title) for axiom in found.axioms)]
    rows = [
        [words(name), *(words(_HOLDS[cell.holds]) for cell in row)]
        for name, row in zip(found.measures, found.results, strict=True)
    ]
    notes = ["✓ holds in every case tried, ✗ there is a counter-example, – no case has scores."]
    notes += [f"{axiom.title}: {axiom.statement} ({axiom.source})" for axiom in found.axioms]
    return table(headings, rows, title="Axioms", notes=notes)


def cases_table(found: AxiomTable) -> Table:
    """One row per measure and axiom."""
    names = ("measure", "axiom", "result", "cases", "undefined", "counter-example")
    rows = [
        [
            words(cell.measure),
            words(cell.axiom),
            words(_word(cell)),
            count(cell.cases),
            count(cell.undefined),
            words("; ".join(cell.counter_example.lines()) if cell.counter_example else ""),
        ]
        for row in found.results
        for cell in row
    ]
    return table([Heading(name) for name in names], rows, title="Cases and counter-examples")


def _word(cell: AxiomResult) -> str:
    return {True: "holds", False: "fails", None: "undefined"}[cell.holds]
