"""What is shown about measures: the findings of `ordeval.meta`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from math import nan
from typing import Any

import numpy as np

from ..advice import Recommendation
from ..errors import plural
from ..formatting import UNDEFINED, decimals
from ..measures.spec import parse_measure, short_measure
from ..meta import (
    AxiomTable,
    Consistency,
    Coverage,
    DiscriminativePower,
    MetaEvaluation,
    Robustness,
    ScoreMatrices,
    Similarity,
    Summary,
)
from ..meta.meta_evaluation import UNTESTED
from ..meta.ranking_consistency import LEAST_TOPICS
from ..results import Estimate
from .figures import MOST_SERIES, Dots, Grid, Lines, Mark, Series, Tile, lower_half
from .phrases import all_of, counted, listed, recommended, sentence
from .result_figures import similarity_grid
from .result_words import similarity_words
from .texts import text_of
from .view import Col, Remark, Section, View, one_section, strong

_PROPERTIES = {  # those that do not apply to the task are left out
    "order": "order-aware",
    "constant": "distinguishes constant systems",
    "class_sizes": "depends on class sizes",
    "symmetric": "symmetric",
}
_MARKS = {True: "✓", False: "✗", None: ""}
_HOLDS = {True: "✓", False: "✗", None: UNDEFINED}
_OUTCOMES = {True: "holds", False: "fails", None: "undefined"}


def meta_view(found: MetaEvaluation) -> View:
    """Return the view of a meta-evaluation."""
    m, similar = found.matrices, found.similarity
    sections: dict[str, Callable[[], Section | None]] = {
        "advice": lambda: advice(found.advice) if found.advice else None,
        "glance": lambda: glance(found.summary),
        "similarity": lambda: similarity(similar),
        "consistency": lambda: consistencies(found.consistencies),
        "power": lambda: power(found.discrimination),
        "stability": lambda: stability(found.robustness, found.coverage),
        "figures": lambda: _all(found),
    }
    facts = f"{len(m.systems)} systems, {len(m.topics)} topics"
    return View(
        f"{len(m.measures)} measures compared",
        sections,
        brief=("advice", "glance"),
        page=("glance", "similarity", "consistency", "power", "stability"),
        data="figures",
        kicker="Choice of a measure",
        facts=facts if m.facts is None else f"{facts}, {m.facts.k} classes, {m.facts.task}",
        answer=lambda: answer(found),
        checks=lambda: _checks(found),
        method=lambda: _method(found),
        signature=found.signature(),
        call=lambda: (
            f"ordeval meta DATA --topic TOPIC --seed {found.consistency.seed} --html report.html",
            "",
        ),
    )


# Sections, each with a row per measure unless it says otherwise.


def _columns(measures: Sequence[str], *more: Col) -> list[Col]:
    """Return the symbol of a measure for people, its full name for data, and other columns."""
    return [
        Col("measure", lambda i: short_measure(measures[i]), data=""),
        Col("measure", lambda i: measures[i], shown=False),
        *more,
    ]


def _numbers(name: str, values: Any, digits: int = 4, known: Any = None) -> Col:
    """Return a column of an array; counts are undefined where `known` is NaN."""

    def get(i: int) -> Any:
        gone = known is not None and np.isnan(known[i])
        return None if gone else int(values[i]) if digits == 0 else float(values[i])

    return Col(name, get, digits)


def advice(found: Recommendation) -> Section:
    """Return the recommended measures, with the reason and the remarks below."""
    columns = [
        Col("primary"),
        Col("beside it", lambda row: ", ".join(reason.measure for reason in row.beside)),
        Col("source"),
    ]
    notes = [found.reason, *found.evidence, *found.remarks]
    return Section("advice", recommended(found), [found], columns, notes)


def glance(found: Summary) -> Section:
    """Return the properties and grades of each measure."""
    tasks = {parse_measure(row.measure).record.task for row in found if row.order is not None}
    headings = dict(_PROPERTIES)
    if tasks == {"quantification"}:
        headings["order"] = "order-aware if gold is in one class"

    def of(name: str, heading: str) -> Col:
        return Col(heading, lambda row: _MARKS[getattr(row, name)])

    columns = [
        Col("measure", lambda row: short_measure(row.measure), data=""),
        Col("measure", shown=False),
        Col("group"),
        *(
            of(*pair)
            for pair in headings.items()
            if any(getattr(r, pair[0]) is not None for r in found)
        ),
        Col("consistency"),
        Col("discrimination"),
    ]
    note = text_of("meta.glance")
    few = any(UNTESTED in (row.consistency, row.discrimination) for row in found)
    notes = [note] + [f"{UNTESTED}: there are too few topics or measures."] * few
    return Section("glance", "Measures at a glance", list(found), columns, notes)


def similarity(s: Similarity) -> Section:
    """Return Kendall's τ between the rankings of the systems under each pair of measures."""
    names = [short_measure(name) for name in s.measures]

    def of(j: int) -> Col:
        return Col(names[j], lambda i: float(s.tau[i, j]), 3, data=s.measures[j])

    columns = _columns(
        s.measures, *map(of, range(len(names))), Col("group", lambda i: s.group_of(s.measures[i]))
    )
    notes = [text_of("meta.group", threshold=s.threshold)]
    if (s.tau.diagonal() < 1).any():
        notes.append(text_of("meta.ties"))
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    figures = [lower_half(similarity_grid(s.tau, names, s.variant))]
    lead = similarity_words(s.tau, names)
    return Section("similarity", title, range(len(names)), columns, notes, figures, lead)


def consistencies(found: Sequence[Consistency]) -> Section:
    """Return mean τ for each size of splits, and how many measures each one beats."""
    first, columns = found[0], []
    for c in found:
        size = f", {_sizes(c)}" if len(found) > 1 else ""
        columns += _consistency_columns(c, f"mean τ{size}", size)
    notes = [note for c in found for note in _comparison(c)]
    notes.append(text_of("meta.beats"))
    title = f"Consistency, {' and '.join(map(_sizes, found))}"
    table = _columns(first.measures, *columns)
    figures = [consistency_figure(c) for c in found]
    return Section("consistency", title, list(first.order), table, notes, figures)


def _consistency_columns(c: Consistency, name: str, suffix: str = "") -> list[Col]:
    known = c.mean if c.tested else np.full(len(c.mean), nan)

    def mean(i: int) -> Estimate:
        low, high = (nan, nan) if c.interval is None else map(float, c.interval[i])
        return Estimate(float(c.mean[i]), low, high, float(c.standard_error[i]))

    return [
        Col(name, mean, 3),
        _numbers(f"beats{suffix}", c.beats, 0, known),
        _numbers(f"beaten by{suffix}", c.beaten, 0, known),
    ]


def _sizes(found: Consistency) -> str:
    return f"{found.sizes[0]} against {found.sizes[1]} topics"


def _comparison(found: Consistency) -> list[str]:
    """Return how the measures were compared, and the precision of the means."""
    if np.isnan(found.mean).all():
        return []
    precision = f" (standard errors up to {np.nanmax(found.standard_error):.4f})"
    splits = f"{found.mean_splits:,} splits{precision}"
    splits = f"all {found.mean_splits:,} splits" if found.every_split else splits
    means = f"{_sizes(found)}: means over {splits}"
    values = {"resamples": found.resamples, "alpha": found.alpha, "splits": found.splits}
    values |= {"variance": found.residual_variance, "least": LEAST_TOPICS}
    key = "few_topics" if found.interval is None else "resampled"
    key = key if found.procedure == "bootstrap" else "split"
    return [text_of(f"meta.{key}", means=means, **values)]


def power(found: DiscriminativePower) -> Section:
    """Return how many pairs of systems differ significantly under each measure."""
    columns = _columns(
        found.measures,
        _numbers("significant pairs", found.significant, 0, found.share),
        _numbers("share", found.share, 3),
        _numbers("mean p", found.area),
        _numbers("topics used", found.topics, 0),
    )
    pairs = plural(len(found.pairs), "pair")
    title = f"Discriminative power: {pairs} of systems, p < {found.alpha:g}"
    notes = [text_of("meta.power")]
    return Section("power", title, list(found.order), columns, notes, [power_figure(found)])


def stability(found: Robustness, covered: Coverage | None = None) -> Section:
    """Return robustness, and coverage if there is one."""
    columns = [_numbers("robustness", found.robustness), _numbers("topics used", found.topics, 0)]
    columns += [_numbers("coverage", covered.coverage)] if covered else []
    title = "Robustness and coverage" if covered else "Robustness"
    rows = range(len(found.measures))
    return Section("stability", title, rows, _columns(found.measures, *columns))


def coverage(found: Coverage) -> Section:
    """Return how well each measure follows improvements under all reference measures."""
    reference = ", ".join(map(short_measure, found.reference))
    notes = [text_of("meta.coverage", reference=reference)]
    columns = _columns(found.measures, _numbers("coverage", found.coverage))
    return Section("coverage", "Coverage", range(len(found.measures)), columns, notes)


def scores(found: ScoreMatrices) -> Section:
    """Return the mean score of each system under each measure; data have the scores by topic."""
    arrows = ["↑" if sign > 0 else "↓" for sign in found.signs]
    means, sizes = found.means, tuple(map(len, (found.measures, found.systems, found.topics)))

    def of(i: int) -> Col:
        return Col(
            f"{short_measure(found.measures[i])} {arrows[i]}", lambda s: float(means[i, s]), 4
        )

    table = [Col("system", lambda s: found.systems[s]), *map(of, range(sizes[0]))]
    notes = [f"Means over {len(found.topics):,} topics."]
    gone = int(found.missing.sum())
    notes += [f"{gone:,} of the scores are undefined."] if gone else []
    part = Section("scores", "Mean scores", range(sizes[1]), table, notes)
    columns = [
        Col("measure", lambda r: found.measures[r[0]], shown=False),
        Col("system", lambda r: found.systems[r[1]], shown=False),
        Col("topic", lambda r: found.topics[r[2]], shown=False),
        Col("score", lambda r: float(found.scores[r]), 4, shown=False),
    ]
    return Section(
        "scores",
        "Scores",
        columns=columns,
        parts=[part],
        data_rows=lambda: list(product(*map(range, sizes))),
    )


def axioms(found: AxiomTable) -> Section:
    """Return which axioms hold, with measures as rows; data have every case."""

    def of(j: int) -> Col:
        return Col(found.axioms[j].title, lambda i: _HOLDS[found.results[i][j].holds])

    table = [Col("measure", lambda i: found.measures[i]), *map(of, range(len(found.axioms)))]
    notes = [text_of("meta.axioms")]
    notes += [f"{axiom.title}: {axiom.statement} ({axiom.source})" for axiom in found.axioms]
    part = Section("axioms", "Axioms", range(len(found.measures)), table, notes)
    columns = [Col(c.name, c.get, c.digits, shown=False) for c in case_columns()]
    return Section(
        "axioms", "Axioms", columns=columns, parts=[part], data_rows=lambda: _cases(found)
    )


def case_columns() -> list[Col]:
    """Return the columns of cases and counter-examples."""
    return [
        Col("measure"),
        Col("axiom"),
        Col("result", lambda cell: _OUTCOMES[cell.holds]),
        Col("cases", digits=0),
        Col("undefined", digits=0),
        Col(
            "counter-example",
            lambda cell: "; ".join(cell.counter_example.lines()) if cell.counter_example else "",
        ),
    ]


def _cases(found: AxiomTable) -> list[Any]:
    return [cell for row in found.results for cell in row]


def cases(found: AxiomTable) -> Section:
    """Return the cases tried and the counter-examples, one row per measure and axiom."""
    return Section("cases", "Cases and counter-examples", _cases(found), case_columns())


def axioms_view(found: AxiomTable) -> View:
    """Return the view of a table of axioms."""
    sections = {"axioms": lambda: axioms(found), "cases": lambda: cases(found)}
    return View("Axioms", sections, ("axioms",), data="cases")


def _all(found: MetaEvaluation) -> Section:
    """Return all numbers of a meta-evaluation, one row per measure."""
    names = found.matrices.measures
    columns = [Col("group", lambda i: found.similarity.group_of(names[i]))]
    for prefix, c in zip(("", "small_"), found.consistencies, strict=False):
        mean, *wins = _consistency_columns(c, f"{prefix}consistency")
        columns += [mean, *(Col(f"{prefix}{w.data_name}", w.get, 0) for w in wins)]
    p = found.discrimination
    columns += [
        _numbers("significant_pairs", p.significant, 0, p.share),
        _numbers("significant_share", p.share),
    ]
    columns.append(_numbers("robustness", found.robustness.robustness))
    columns += [_numbers("coverage", found.coverage.coverage)] if found.coverage else []
    return Section("figures", "All numbers", range(len(names)), _columns(names, *columns))


SECTIONS: Mapping[type, Callable[[Any], Section]] = {
    Consistency: lambda found: consistencies([found]),
    Coverage: coverage,
    DiscriminativePower: power,
    Robustness: stability,
    ScoreMatrices: scores,
    Similarity: similarity,
    Summary: glance,
}
"""The section of each type of finding that has one."""


def finding_view(found: Any) -> View:
    """Return the view of a single finding."""
    return one_section(SECTIONS[type(found)](found))


# Figures.


def consistency_figure(found: Consistency) -> Dots:
    """Return Kendall's τ between the rankings on two sets of topics, best measure on top."""
    marks = []
    for i in found.order:
        tau, mean = found.tau[:, i], float(found.mean[i])
        name = short_measure(found.measures[i])
        if np.isnan(tau).any():
            marks.append(Mark(name))
            continue
        half = 1.96 * float(found.standard_error[i])
        ends = (
            (mean - half, mean + half) if found.interval is None else map(float, found.interval[i])
        )
        low, high = map(float, np.quantile(tau, [0.05, 0.95]))
        marks.append(Mark(name, nan, low, high, inner=tuple(ends), tick=mean))  # type: ignore[arg-type]
    splits = f"{found.mean_splits:,} splits, {_sizes(found)}"
    caption = text_of("meta.splits")
    title = "Consistency of the ranking of systems"
    return Dots(title, f"Kendall's τ-{found.variant} ({splits})", tuple(marks), caption)


def power_figure(found: DiscriminativePower, measures: Sequence[str] | None = None) -> Lines:
    """Return the p-values of all pairs of systems in ascending order, a curve per measure."""
    order = [found.measures[i] for i in found.order]
    named = order[:MOST_SERIES] if measures is None else list(measures)
    curves = dict(zip(found.measures, found.curves, strict=True))
    significant = dict(zip(found.measures, found.significant, strict=True))
    pairs = len(found.pairs)
    rank = list(range(1, pairs + 1))
    series = [Series(m, rank, curves[m].tolist(), faint=True) for m in order if m not in named]
    series += [
        Series(f"{short_measure(m)}: {significant[m]} of {pairs}", rank, curves[m].tolist())
        for m in named
    ]
    return Lines(
        "Discriminative power",
        "pairs of systems, by p-value",
        "p-value",
        tuple(series),
        text_of("meta.curves"),
        level=(found.alpha, f"p = {found.alpha:g}"),
        xlim=(1.0, float(max(pairs, 2))),
        ylim=(0.0, 4 * found.alpha),
        legend="significant pairs",
    )


def axioms_grid(found: AxiomTable) -> Grid:
    """Return which measures satisfy which axioms; the longer list is in rows."""
    measures = tuple(map(short_measure, found.measures))
    titles = tuple(axiom.title for axiom in found.axioms)
    down, across, holds = measures, titles, np.asarray(found.holds)
    if len(measures) < len(titles):
        down, across, holds = titles, measures, holds.T
    rows = tuple(
        (name, tuple(Tile("✓" if h else "✗", "", 0.35, "right" if h else "wrong") for h in row))
        for name, row in zip(down, holds, strict=True)
    )
    return Grid("Axioms: ✓ holds in all cases tried, ✗ fails", "", across, rows)


# Sentences.


def answer(found: MetaEvaluation) -> list[str]:
    """Return which measure to use, and what the data show about it."""

    def named(name: str) -> str:
        return strong(short_measure(name))

    told = []
    if found.advice is not None:
        use = f"{recommended(found.advice, named)} {found.advice.reason}"
        told = [use, *found.advice.evidence]
    return [*told, *data_sentences(found)]


def data_sentences(found: MetaEvaluation) -> list[str]:
    """Return what the data show: the most consistent and most discriminative measure, groups."""
    return [*_most_consistent(found), *_most_discriminative(found), _grouped(found)]


def _first(names: Iterable[str], figures: Any) -> str:
    """Return names of measures, or their number if there are no others with a figure."""
    names = list(names)
    if len(names) > 1 and len(names) == np.count_nonzero(~np.isnan(figures)):
        return all_of(len(names), "measures")
    return listed([short_measure(name) for name in names], 8)


def _most_consistent(found: MetaEvaluation) -> list[str]:
    halves = found.consistency
    best = halves.order[0]
    mean = halves.mean[best]
    if np.isnan(mean):
        return []
    first = [i for i in halves.order if np.isclose(halves.mean[i], mean, rtol=0, atol=1e-9)]
    names = _first((halves.measures[i] for i in first), halves.mean)
    others = int((~np.isnan(halves.mean)).sum()) - 1
    lead = ""
    if len(first) == 1 and others:
        lead = f", significantly more so than {halves.beats[best]} of the other {others}"
        lead = lead if halves.tested else "; the measures were not compared by a test"
    verb = "ranks" if len(first) == 1 else "rank"
    where = f"on two halves of the topics (mean τ {decimals(mean, 3, minus='−')})"
    return [f"On these data {names} {verb} the systems most consistently {where}{lead}."]


def _most_discriminative(found: MetaEvaluation) -> list[str]:
    p = found.discrimination
    most = p.significant[p.order[0]]
    if np.isnan(p.share[p.order[0]]):
        return []
    if not most:
        return [f"No measure finds a significant difference between systems (p < {p.alpha:g})."]
    first = [i for i in p.order if p.significant[i] == most]
    names = _first((p.measures[i] for i in first), p.share)
    finds = "finds" if len(first) == 1 else "find"
    pairs = f"{most} of {plural(len(p.pairs), 'pair')} of systems at p < {p.alpha:g}"
    return [sentence(f"{names} {finds} the most significant differences: {pairs}.")]


def _grouped(found: MetaEvaluation) -> str:
    """Say which measures rank the systems similarly; those that do not rank are named."""
    similar = found.similarity
    groups = similar.groups
    silent = [short_measure(m) for m in similar.measures if not similar.group_of(m)]
    lost = f" {listed(silent, 8)} {'does' if len(silent) == 1 else 'do'} not rank all systems."
    told = f"By their rankings the measures form {counted(len(groups), 'group')}"
    if not groups:
        told = "No measure ranks all systems"
    elif len(groups) == 1:
        told = "All these measures rank the systems similarly" if len(groups[0]) > 1 else told
    elif len(groups[0]) == 1:
        told = f"No two measures rank the systems similarly (τ ≥ {similar.threshold:g})"
    else:
        told += f", the largest being {listed([short_measure(m) for m in groups[0]], 8)}"
    return f"{told}.{lost if silent else ''}"


def _checks(found: MetaEvaluation) -> list[Remark]:
    """Return the warnings of the advice, and what needs no attention."""
    made = [Remark("warning", text) for text in (found.advice.remarks if found.advice else ())]
    gone = int(found.matrices.missing.sum())
    undefined = Remark("warning", f"{gone:,} of the scores are undefined.")
    return [*made, undefined if gone else Remark("ok", "All scores are defined.")]


def _method(found: MetaEvaluation) -> list[str]:
    """Return how the numbers were computed, with the settings."""
    m = found.matrices
    size = {"measures": len(m.measures), "systems": len(m.systems), "topics": len(m.topics)}
    lines = [
        text_of("meta.judged", **size),
        text_of("meta.similarity", variant=found.similarity.variant),
        text_of("meta.consistency", procedure=_procedure(found.consistency)),
        text_of("meta.discrimination", trials=found.discrimination.trials),
        text_of("meta.robustness"),
    ]
    if found.coverage is not None:
        names = ", ".join(map(short_measure, found.coverage.reference))
        lines.append(text_of("meta.covered", reference=names))
    source = [f"The advice follows {found.advice.source}."] if found.advice else []
    return [*lines, *source]


def _procedure(found: Consistency) -> str:
    """Return how measures are compared."""
    values = {"splits": found.splits, "trials": found.trials, "seed": found.seed}
    values |= {"resamples": found.resamples, "least": LEAST_TOPICS}
    key = "by_none" if found.interval is None else "by_bootstrap"
    return text_of(f"meta.{'by_splits' if found.procedure == 'split' else key}", **values)
