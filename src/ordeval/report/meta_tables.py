"""Tables and sentences about measures, made from the findings of `ordeval.meta`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..errors import plural
from ..formatting import UNDEFINED, decimals
from ..measures.spec import parse_measure, short_measure
from ..meta import (
    Advice,
    AxiomTable,
    Consistency,
    Coverage,
    DiscriminativePower,
    MetaEvaluation,
    Robustness,
    ScoreMatrices,
    Similarity,
    Summary,
    SummaryRow,
    SyntheticCoverage,
)
from ..meta.meta_evaluation import UNTESTED
from ..meta.ranking_consistency import LEAST_TOPICS
from ..table import (
    Cell,
    Column,
    Heading,
    Table,
    count,
    figure,
    interval,
    numeric,
    table,
    tabulate,
    words,
)
from ..types import Floats, Ints
from .story import all_of, counted, listed, plain, sentence, strong

# Columns of properties; those that do not apply to the task are left out.
_PROPERTIES = {
    "order": "order-aware",
    "constant": "distinguishes constant systems",
    "class_sizes": "depends on class sizes",
    "symmetric": "symmetric",
}
_PROCEDURES = {
    "bootstrap": "measures compared over resampled topics",
    "split": "measures compared over splits of the same topics",
}
_MARKS = {True: "✓", False: "✗", None: ""}
_HOLDS = {True: "✓", False: "✗", None: UNDEFINED}
_OUTCOMES = {True: "holds", False: "fails", None: "undefined"}


def meta_tables(found: MetaEvaluation) -> list[Table]:
    """Return all tables of a meta-evaluation, the advice first and the signature at the end."""
    advice = [] if found.advice is None else [advice_table(found.advice)]
    glance = summary_table(found.summary)
    notes = (*glance.notes, *map(plain, data_sentences(found)))
    last = stability_table(found.robustness, found.coverage)
    return [
        *advice,
        replace(glance, notes=notes),
        similarity_table(found.similarity),
        *(consistency_table([c]) for c in found.consistencies),
        power_table(found.discrimination),
        replace(last, notes=(*last.notes, _signature(found))),
    ]


def overview_table(found: MetaEvaluation) -> Table:
    """Return one row per measure, with the advice and the signature below."""
    advice = [] if found.advice is None else [f"{recommendation(found.advice)}."]
    glance = summary_table(found.summary)
    return replace(glance, notes=(*glance.notes, *advice, _signature(found)))


def _signature(found: MetaEvaluation) -> str:
    return f"Signature: {found.signature}"


def recommendation(advice: Advice, named: Callable[[str], str] = str) -> str:
    """Return which measures to use, without a full stop."""
    if advice.secondary == advice.primary:
        return f"Use {named(advice.primary)}"
    return f"Use {named(advice.primary)}, and report {named(advice.secondary)} as well"


def published(advice: Advice, named: Callable[[str], str] = str) -> list[str]:
    """Return the recommendation of the literature, where the data lead to another one."""
    if advice.published is None:
        return []
    first, second = map(named, advice.published)
    return [f"The literature (Sakai 2021, §7) recommends {first}, and {second} as well."]


def data_sentences(found: MetaEvaluation) -> list[str]:
    """Return what the data show: the most consistent and most discriminative measure, groups."""
    return [*_most_consistent(found), *_most_discriminative(found), _grouped(found)]


def _most_consistent(found: MetaEvaluation) -> list[str]:
    halves = found.consistency
    mean = halves.mean[halves.order[0]]
    if np.isnan(mean):
        return []
    first = [i for i in halves.order if np.isclose(halves.mean[i], mean, rtol=0, atol=1e-9)]
    where = f"on two halves of the topics (mean τ {decimals(mean, 3, minus='−')})"
    if len(first) > 1:
        names = _all_or_listed([halves.measures[i] for i in first], halves.mean)
        return [sentence(f"On these data {names} rank the systems equally consistently {where}.")]
    name, lead = strong(short_measure(halves.measures[first[0]])), _lead(halves, first[0])
    return [f"On these data {name} ranks the systems most consistently {where}{lead}."]


def _all_or_listed(names: Sequence[str], figures: Floats) -> str:
    """Return names of measures, or their number if there are no others with a figure."""
    if len(names) == np.count_nonzero(~np.isnan(figures)):
        return all_of(len(names), "measures")
    return listed([short_measure(name) for name in names], 8)


def _lead(found: Consistency, best: int) -> str:
    """Return how many measures the first one beats."""
    others = int((~np.isnan(found.mean)).sum()) - 1
    if not others:
        return ""
    if not found.tested:
        return "; the measures were not compared by a test"
    if not found.beats[best]:
        return ", but not significantly more so than any other measure"
    return f", significantly more so than {found.beats[best]} of the other {others}"


def _most_discriminative(found: MetaEvaluation) -> list[str]:
    power = found.discrimination
    most = power.significant[power.order[0]]
    if np.isnan(power.share[power.order[0]]):
        return []
    if not most:
        return [f"No measure finds a significant difference between systems (p < {power.alpha:g})."]
    first = [i for i in power.order if power.significant[i] == most]
    pairs = f"{most} of {plural(len(power.pairs), 'pair')} of systems at p < {power.alpha:g}"
    if len(first) > 1:
        names = _all_or_listed([power.measures[i] for i in first], power.share)
        many = "the same number of" if len(first) == len(power.measures) else "the most"
        return [sentence(f"{names} find {many} significant differences: {pairs}.")]
    name = strong(short_measure(power.measures[first[0]]))
    return [f"{name} finds the most significant differences: {pairs}."]


def _grouped(found: MetaEvaluation) -> str:
    """Say which measures rank the systems similarly; those that tie or do not rank are named."""
    similar = found.similarity
    silent = [m for m in similar.measures if not similar.group_of(m)]
    verb = "does" if len(silent) == 1 else "do"
    lost = f" {listed([short_measure(m) for m in silent], 8)} {verb} not rank all systems."
    told = _groups_sentence(similar.groups, similar.threshold) + _tying(similar)
    return told + (lost if silent else "")


def _tying(similar: Similarity) -> str:
    """Name the measures that tie so many systems that no measure can be in a group with them."""
    itself = dict(zip(similar.measures, similar.tau.diagonal(), strict=True))
    tying = [short_measure(m) for m, tau in itself.items() if tau < similar.threshold]
    if not tying or len(similar.groups) < 2:
        return ""
    ties, whose = ("ties", "its") if len(tying) == 1 else ("tie", "their")
    return (
        f" {listed(tying, 8)} {ties} systems, which keeps {whose} τ-{similar.variant} with any "
        f"measure below {similar.threshold:g}."
    )


def _groups_sentence(groups: Sequence[Sequence[str]], threshold: float) -> str:
    if not groups:
        return "No measure ranks all systems."
    if len(groups) == 1 and len(groups[0]) == 1:
        return f"Only {strong(short_measure(groups[0][0]))} ranks all systems."
    if len(groups) == 1:
        return sentence(f"{all_of(len(groups[0]), 'measures')} rank the systems similarly.")
    if len(groups[0]) == 1:
        return f"No two measures rank the systems similarly (τ ≥ {threshold:g})."
    return sentence(
        f"By their rankings the measures form {counted(len(groups), 'group')}, the largest being ",
        listed([short_measure(name) for name in groups[0]], 8),
        ".",
    )


def advice_table(advice: Advice) -> Table:
    """Return the recommended measures, with the reason and the warnings below."""
    headings = [Heading("primary"), Heading("secondary"), Heading("source")]
    row = [words(text) for text in (advice.primary, advice.secondary, advice.source)]
    notes = [
        advice.reason,
        *published(advice),
        *advice.evidence,
        *(f"Note: {warning}" for warning in advice.warnings),
    ]
    return table(headings, [row], title=recommendation(advice), notes=notes)


def figures_table(found: MetaEvaluation) -> Table:
    """Return all figures of a meta-evaluation, one row per measure."""
    names, group_of = found.matrices.measures, found.similarity.group_of
    columns: list[Column[int]] = [(Heading("group"), lambda i: words(group_of(names[i])))]
    for prefix, c in zip(("", "small_"), found.consistencies, strict=False):
        mean, beats, beaten = (f"{prefix}{name}" for name in ("consistency", "beats", "beaten_by"))
        ends = [] if c.interval is None else zip(("low", "high"), c.interval.T, strict=True)
        limits = [_numbers(f"{mean}_{end}", values) for end, values in ends]
        columns += [_numbers(mean, c.mean), *limits, *_win_columns(c, beats, beaten)]
    columns += _power_columns(found.discrimination, ["significant_pairs", "significant_share"])
    columns.append(_numbers("robustness", found.robustness.robustness))
    columns += [_numbers("coverage", found.coverage.coverage)] if found.coverage else []
    return _by_measure(names, columns)


def _by_measure(
    measures: Sequence[str],
    columns: Iterable[Column[int]],
    order: Iterable[int] | None = None,
    *,
    title: str = "",
    notes: Iterable[str] = (),
) -> Table:
    """Return a row per measure; columns make cells from its place, `order` sorts the rows."""
    name: Column[int] = (Heading("measure"), lambda i: _measure(measures[i]))
    places = range(len(measures)) if order is None else order
    return tabulate(places, [name, *columns], title=title, notes=notes)


def _measure(name: str) -> Cell:
    """Return a cell with the symbol of a measure for people and its full name in data."""
    return Cell(short_measure(name), name)


def _numbers(heading: str, values: Floats, digits: int = 4) -> Column[int]:
    return Heading(heading, True), lambda i: figure(values[i], digits)


def _counts(heading: str, counts: Ints, known: Floats | None = None) -> Column[int]:
    """Return a column of counts, which are undefined where `known` is NaN."""
    undefined = np.zeros(len(counts), np.bool_) if known is None else np.isnan(known)
    return Heading(heading, True), lambda i: figure(np.nan) if undefined[i] else count(counts[i])


def summary_table(found: Summary) -> Table:
    """Return the properties and grades of each measure."""
    columns: list[Column[SummaryRow]] = [
        (Heading("measure"), lambda row: _measure(row.measure)),
        (Heading("group"), lambda row: words(row.group)),
    ]
    for name, heading in _headings(found).items():
        if any(getattr(row, name) is not None for row in found):
            columns.append((Heading(heading), partial(_property, name)))
    columns.append((Heading("consistency"), lambda row: _grade(row.consistency)))
    columns.append((Heading("discrimination"), lambda row: _grade(row.discrimination)))
    untested = any(UNTESTED in (row.consistency, row.discrimination) for row in found)
    notes = [f"{UNDEFINED} not tested: there are too few topics or measures."] if untested else []
    return tabulate(found, columns, title="Measures at a glance", notes=notes)


def _headings(found: Summary) -> dict[str, str]:
    """Return the headings of properties; distributions are searched with gold in one class."""
    tasks = {parse_measure(row.measure).record.task for row in found if row.order is not None}
    if tasks == {"quantification"}:
        return _PROPERTIES | {"order": "order-aware if gold is in one class"}
    return _PROPERTIES


def _grade(grade: str) -> Cell:
    return Cell(UNDEFINED, grade) if grade == UNTESTED else words(grade)


def _property(name: str, row: SummaryRow) -> Cell:
    return words(_MARKS[getattr(row, name)])


def similarity_table(s: Similarity, *, named: Callable[[str], str] = short_measure) -> Table:
    """Return Kendall's τ between the rankings of the systems under each pair of measures."""
    names = [named(name) for name in s.measures]
    headings = [Heading("measure"), *numeric(*names), Heading("group")]
    rows = [
        [words(names[i]), *(figure(tau, 3) for tau in s.tau[i]), words(s.group_of(s.measures[i]))]
        for i in range(len(names))
    ]
    notes = [f"All pairs of measures in a group have τ ≥ {s.threshold:g}."]
    if (s.tau.diagonal() < 1).any():
        notes.append("A measure that ties systems has τ-a below 1 with itself.")
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    return table(headings, rows, title=title, notes=notes)


def consistency_table(found: Sequence[Consistency]) -> Table:
    """Return mean τ for each size of splits, and how many measures each one beats."""
    columns: list[Column[int]] = []
    for c in found:
        columns += [
            _numbers("mean τ" if len(found) == 1 else f"mean τ, {_sizes(c)}", c.mean),
            *_interval_columns(c),
            *_win_columns(c, "beats", "beaten by"),
        ]
    sizes = " and ".join(map(_sizes, found))
    compared = _PROCEDURES[found[0].procedure] if found[0].tested else "no test"
    title = f"Consistency, {sizes}: {compared}"
    notes = [note for c in found for note in _comparison(c)]
    return _by_measure(found[0].measures, columns, found[0].order, title=title, notes=notes)


def _win_columns(found: Consistency, beats: str, beaten: str) -> list[Column[int]]:
    """Return how many measures each one beats and how many beat it, unknown without a test."""
    known = found.mean if found.tested else np.full(len(found.mean), np.nan)
    return [_counts(beats, found.beats, known), _counts(beaten, found.beaten, known)]


def _interval_columns(found: Consistency) -> list[Column[int]]:
    """Return the column of intervals, if there are any."""
    if found.interval is None:
        return []
    low, high = found.interval.T
    heading = Heading(f"{100 * (1 - found.alpha):g} % interval", True, parts=("low", "high"))
    return [(heading, lambda i: interval(low[i], high[i], 3))]


def _sizes(found: Consistency) -> str:
    return f"{found.sizes[0]} against {found.sizes[1]} topics"


def _comparison(found: Consistency) -> list[str]:
    """Return how the measures were compared, and the precision of the means."""
    if np.isnan(found.mean).all():
        return []
    precision = f" (standard errors up to {np.nanmax(found.standard_error):.4f})"
    splits = f"{found.mean_splits:,} splits{precision}"
    if found.every_split:
        splits = f"all {found.mean_splits:,} splits"
    means = f"{_sizes(found)}: means over {splits}"
    if found.procedure == "bootstrap":
        return [f"{means}{_resampling(found)}."]
    if np.isnan(found.residual_variance):
        return [f"{means}."]
    return [
        f"{means}, beats over {found.splits:,} splits of the same topics (p < {found.alpha:g}), as "
        f"if they were independent; V_E2 = {found.residual_variance:.5f}. An effect size is a "
        "difference of means over √V_E2."
    ]


def _resampling(found: Consistency) -> str:
    if found.interval is None:
        return (
            f"; no intervals and tests, for which at least {LEAST_TOPICS} topics with rankings "
            "under all measures are needed"
        )
    intervals = f", intervals over {found.resamples:,} resamples of the topics"
    if not found.tested:
        return intervals
    return f"{intervals}, beats by step-down max-T over all pairs of measures (p < {found.alpha:g})"


def power_table(power: DiscriminativePower) -> Table:
    """Return how many pairs of systems differ significantly under each measure."""
    columns = [
        *_power_columns(power, ["significant pairs", "share"]),
        _numbers("mean p", power.area),
        _counts("topics used", power.topics),
    ]
    pairs = plural(len(power.pairs), "pair")
    title = f"Discriminative power: {pairs} of systems, p < {power.alpha:g}"
    notes = [
        "Pairs are tested by the randomised paired Tukey HSD over topics, as in the literature."
    ]
    return _by_measure(power.measures, columns, power.order, title=title, notes=notes)


def _power_columns(power: DiscriminativePower, headings: Sequence[str]) -> list[Column[int]]:
    """Return the number and the share of pairs that differ significantly."""
    pairs, share = headings
    return [_counts(pairs, power.significant, power.share), _numbers(share, power.share, 3)]


def stability_table(found: Robustness, covered: Coverage | None = None) -> Table:
    """Return robustness, and coverage if there is one."""
    columns = [_numbers("robustness", found.robustness), _counts("topics used", found.topics)]
    columns += [_numbers("coverage", covered.coverage)] if covered else []
    title = "Robustness and coverage" if covered else "Robustness"
    return _by_measure(found.measures, columns, title=title)


def coverage_table(found: Coverage) -> Table:
    """Return how well each measure follows improvements under all reference measures."""
    reference = ", ".join(map(short_measure, found.reference))
    notes = [f"Spearman correlation with unanimous improvement under {reference}."]
    column = _numbers("coverage", found.coverage)
    return _by_measure(found.measures, [column], title="Coverage", notes=notes)


def scores_table(found: ScoreMatrices) -> Table:
    """Return the mean score of each system under each measure."""
    arrows = ("↑" if sign > 0 else "↓" for sign in found.signs)
    names = (f"{short_measure(m)} {arrow}" for m, arrow in zip(found.measures, arrows, strict=True))
    headings = [Heading("system"), *numeric(*names)]
    means = found.means
    rows = [[words(s), *map(figure, means[:, i])] for i, s in enumerate(found.systems)]
    notes = [f"Means over {len(found.topics):,} topics."]
    gone = int(found.missing.sum())
    notes += [f"{gone:,} of the scores are undefined."] if gone else []
    return table(headings, rows, title="Mean scores", notes=notes)


def topics_table(found: ScoreMatrices) -> Table:
    """Return all scores, one row per measure, system and topic."""
    names = product(*(map(words, axis) for axis in (found.measures, found.systems, found.topics)))
    rows = [[*place, figure(score)] for place, score in zip(names, found.scores.flat, strict=True)]
    headings = [*map(Heading, ("measure", "system", "topic")), Heading("score", True)]
    return table(headings, rows)


def synthetic_table(found: SyntheticCoverage) -> Table:
    """Return coverage on synthetic systems, for all kinds and without each kind."""
    columns = map(_numbers, found.columns, found.coverage.T)
    return _by_measure(found.measures, columns, title="Coverage on synthetic systems")


def axioms_table(found: AxiomTable) -> Table:
    """Return which axioms hold, with measures as rows and axioms as columns."""
    headings = [Heading("measure"), *(Heading(axiom.title) for axiom in found.axioms)]
    rows = [
        [words(name), *(words(_HOLDS[cell.holds]) for cell in row)]
        for name, row in zip(found.measures, found.results, strict=True)
    ]
    notes = ["✓ holds in all cases tried, ✗ there is a counter-example, – all cases are undefined."]
    notes += [f"{axiom.title}: {axiom.statement} ({axiom.source})" for axiom in found.axioms]
    return table(headings, rows, title="Axioms", notes=notes)


def cases_table(found: AxiomTable) -> Table:
    """Return the cases tried and the counter-examples, one row per measure and axiom."""
    names = ("measure", "axiom", "result", "cases", "undefined", "counter-example")
    rows = [
        [
            words(cell.measure),
            words(cell.axiom),
            words(_OUTCOMES[cell.holds]),
            count(cell.cases),
            count(cell.undefined),
            words("; ".join(cell.counter_example.lines()) if cell.counter_example else ""),
        ]
        for row in found.results
        for cell in row
    ]
    return table([Heading(name) for name in names], rows, title="Cases and counter-examples")


TABLES: Mapping[type, Callable[[Any], Table]] = {
    Advice: advice_table,
    AxiomTable: axioms_table,
    Consistency: lambda found: consistency_table([found]),
    Coverage: coverage_table,
    DiscriminativePower: power_table,
    Robustness: stability_table,
    ScoreMatrices: scores_table,
    Similarity: similarity_table,
    Summary: summary_table,
    SyntheticCoverage: synthetic_table,
}
"""The table that people read, by type of finding."""

DATA: Mapping[type, Callable[[Any], Table]] = {
    AxiomTable: cases_table,
    MetaEvaluation: figures_table,
    ScoreMatrices: topics_table,
    Similarity: lambda found: similarity_table(found, named=str),
}
"""The figures for CSV files and data frames, where they differ from that table."""
