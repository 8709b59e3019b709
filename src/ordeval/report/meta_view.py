"""What is shown about measures: the findings of `ordeval.meta`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from math import nan
from typing import Any

import numpy as np

from ..errors import plural
from ..formatting import UNDEFINED
from ..measures.spec import display_name, parse_measure
from ..meta import (
    AxiomTable,
    Consistency,
    Coverage,
    DiscriminativePower,
    MetaEvaluation,
    Robustness,
    ScoreMatrices,
    Similarity,
)
from ..meta.meta_evaluation import UNTESTED, Summary
from ..meta.ranking_consistency import LEAST_TOPICS
from ..notes import Note, warning
from ..results import Estimate
from .figures import MOST_SERIES, Dots, Grid, Lines, Mark, Series, Tile, lower_half
from .result_figures import similarity_grid
from .result_words import similarity_words
from .texts import recommended, strong, text_of
from .view import Col, Section, View, across, cells, cols, kept, remark

_PROPERTIES = {  # headings and what they stand for; those that do not apply are left out
    "order": ("order", "uses the order of the classes"),
    "constant": ("constant", "distinguishes constant systems"),
    "class_sizes": ("class sizes", "depends on them"),
    "symmetric": ("symmetric", "gold and estimate may be exchanged"),
}
_MARKS = {True: "✓", False: "✗", None: ""}
_HOLDS = {True: "✓", False: "✗", None: UNDEFINED}
_OUTCOMES = {True: "holds", False: "fails", None: "undefined"}


class MetaView(View):
    """What is shown about a meta-evaluation."""

    sections = ("glance", "similarity", "consistency", "power", "stability", "figures")
    brief = ("glance",)
    further = ("similarity", "consistency", "power", "stability")
    page = ("glance", "similarity", "consistency", "power", "stability")
    data = "figures"
    kicker = "Choice of a measure"

    def __init__(self, result: MetaEvaluation) -> None:
        super().__init__()
        m = result.matrices
        self.result, self.signature = result, result.signature()
        self.title = f"{len(m.measures)} measures compared"
        self.facts = f"{len(m.systems)} systems, {len(m.topics)} topics"
        self.notes = self._remarks()
        if m.facts is not None:
            self.facts += f", {m.facts.k} classes, {m.facts.task}"
        self.glance = partial(glance, result.summary)
        self.similarity = partial(similarity, result.similarity)
        self.consistency = partial(consistencies, result.consistencies)
        self.power = partial(power, result.discrimination)
        self.stability = partial(stability, result.robustness, result.coverage)

    def figures(self) -> Section:
        """Return all numbers, one row per measure."""
        result = self.result
        names, p, covered = result.matrices.measures, result.discrimination, result.coverage
        sizes = zip(("", "small_"), result.consistencies, strict=False)
        columns = [
            Col("group", lambda i: result.similarity.group_of(names[i])),
            *chain(*(_consistency_columns(c, f"{s}consistency", start=s) for s, c in sizes)),
            _numbers("significant_pairs", p.significant, 0, p.share),
            _numbers("significant_share", p.share),
            _numbers("robustness", result.robustness.robustness),
            *([_numbers("coverage", covered.coverage)] if covered else []),
        ]
        return Section("figures", "All numbers", range(len(names)), _columns(names, *columns))

    def call(self) -> tuple[str, str]:
        seed = self.result.consistency.seed
        return f"ordeval meta DATA --topic TOPIC --seed {seed} --html report.html", ""

    def answer(self) -> list[str]:
        r, sentences = self.result.advice, data_sentences(self.result)
        if r is None:
            return sentences
        use = recommended(r, lambda name: strong(display_name(name)))
        return [use, *sentences, *r.evidence, r.reason]

    def _remarks(self) -> list[Note]:
        gone, advised = int(self.result.matrices.missing.sum()), self.result.advice
        warnings = [warning("advice", text) for text in (advised.remarks if advised else ())]
        return kept(*warnings, gone > 0 and remark("warning", "undefined", n=gone))

    def method(self) -> list[str]:
        result = self.result
        m, covered, c = result.matrices, result.coverage, result.consistency
        size = {"measures": len(m.measures), "systems": len(m.systems), "topics": len(m.topics)}
        names = ", ".join(map(display_name, covered.reference)) if covered else ""
        key = "by_none" if c.interval is None else "by_bootstrap"
        key = "by_splits" if c.procedure == "split" else key
        procedure = text_of(f"meta.{key}", c=c, least=LEAST_TOPICS)
        return kept(
            text_of("meta.judged", **size),
            text_of("meta.similarity", variant=result.similarity.variant),
            text_of("meta.consistency", procedure=procedure),
            text_of("meta.discrimination", trials=result.discrimination.trials),
            text_of("meta.robustness"),
            covered is not None and text_of("meta.covered", reference=names),
            result.advice is not None and f"The advice follows {result.advice.source}.",
        )


# Sections, each with a row per measure unless it says otherwise.


def _columns(measures: Sequence[str], *more: Col) -> list[Col]:
    """Return the symbol of a measure for people, its full name for data, and other columns."""
    name = measures.__getitem__
    return [Col("measure", lambda i: display_name(name(i)), key=name), *more]


def _numbers(name: str, values: Any, digits: int = 4, known: Any = None) -> Col:
    """Return a column of an array; counts are undefined where `known` is NaN."""

    def get(i: int) -> Any:
        return None if known is not None and np.isnan(known[i]) else values[i].item()

    return Col(name, get, digits)


def glance(summary: Summary) -> Section:
    """Return the properties and grades of each measure."""
    tasks = {parse_measure(row.measure).record.task for row in summary if row.order is not None}
    known = [k for k in _PROPERTIES if any(getattr(row, k) is not None for row in summary)]
    columns = [
        Col("measure", lambda row: display_name(row.measure), key="measure"),
        Col("group"),
        *across((_PROPERTIES[k][0] for k in known), lambda row, i: _MARKS[getattr(row, known[i])]),
        Col("consistency"),
        Col("power", "discrimination", data="discrimination"),
    ]
    few = any(UNTESTED in (row.consistency, row.discrimination) for row in summary)
    untested = few and f"{UNTESTED}: there are too few topics or measures."
    said = [": ".join(_PROPERTIES[k]) for k in known]
    if tasks == {"quantification"}:
        said = [words.replace("of the classes", "if gold is in one class") for words in said]
    notes = kept(bool(said) and f"{'; '.join(said)}.", text_of("meta.glance"), untested)
    return Section("glance", "Measures at a glance", list(summary), columns, notes)


def similarity(s: Similarity) -> Section:
    """Return Kendall's τ between the rankings of the systems under each pair of measures."""
    names = [display_name(name) for name in s.measures]
    squares = across(names, lambda i, j: float(s.tau[i, j]), 3, data=s.measures)
    columns = _columns(s.measures, *squares, Col("group", lambda i: s.group_of(s.measures[i])))
    ties = bool((s.tau.diagonal() < 1).any()) and text_of("meta.ties")
    notes = kept(text_of("meta.group", threshold=s.threshold), ties)
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    figures = [lower_half(similarity_grid(s.tau, names, s.variant))]
    lead = similarity_words(s.tau, names)
    return Section("similarity", title, range(len(names)), columns, notes, figures, lead)


def consistencies(sizes: Sequence[Consistency]) -> Section:
    """Return mean τ for each size of splits, and how many measures each one beats."""
    ends = [f", {_sizes(c)}" if len(sizes) > 1 else "" for c in sizes]
    columns = [
        _consistency_columns(c, f"mean τ{end}", end) for c, end in zip(sizes, ends, strict=True)
    ]
    notes = kept(*map(_comparison, sizes), text_of("meta.beats"))
    title = f"Consistency, {' and '.join(map(_sizes, sizes))}"
    table = _columns(sizes[0].measures, *chain(*columns))
    figures = list(map(consistency_figure, sizes))
    return Section("consistency", title, list(sizes[0].order), table, notes, figures)


def _consistency_columns(c: Consistency, name: str, end: str = "", start: str = "") -> list[Col]:
    known = c.mean if c.tested else np.full(len(c.mean), nan)

    def mean(i: int) -> Estimate:
        low, high = (nan, nan) if c.interval is None else map(float, c.interval[i])
        return Estimate(float(c.mean[i]), low, high, float(c.standard_error[i]))

    return [
        Col(name, mean, 3),
        _numbers(f"{start}beats{end}", c.beats, 0, known),
        _numbers(f"{start}beaten by{end}", c.beaten, 0, known),
    ]


def _sizes(c: Consistency) -> str:
    return f"{c.sizes[0]} against {c.sizes[1]} topics"


def _comparison(c: Consistency) -> str:
    """Return how the measures were compared, and the precision of the means."""
    if np.isnan(c.mean).all():
        return ""
    splits = f"{c.mean_splits:,} splits (standard errors up to {np.nanmax(c.standard_error):.4f})"
    splits = f"all {c.mean_splits:,} splits" if c.every_split else splits
    key = "few_topics" if c.interval is None else "resampled"
    key = key if c.procedure == "bootstrap" else "split"
    means = f"{_sizes(c)}: means over {splits}"
    return text_of(f"meta.{key}", means=means, c=c, least=LEAST_TOPICS)


def power(tests: DiscriminativePower) -> Section:
    """Return how many pairs of systems differ significantly under each measure."""
    columns = _columns(
        tests.measures,
        _numbers("significant pairs", tests.significant, 0, tests.share),
        _numbers("share", tests.share, 3),
        _numbers("mean p", tests.area),
        _numbers("topics used", tests.topics, 0),
    )
    pairs = plural(len(tests.pairs), "pair")
    title = f"Discriminative power: {pairs} of systems, p < {tests.alpha:g}"
    notes = [text_of("meta.power")]
    return Section("power", title, list(tests.order), columns, notes, [power_figure(tests)])


def stability(finding: Robustness, covered: Coverage | None = None) -> Section:
    """Return robustness, and coverage if there is one."""
    topics = _numbers("topics used", finding.topics, 0)
    columns = [_numbers("robustness", finding.robustness), topics]
    columns += [_numbers("coverage", covered.coverage)] if covered else []
    title = "Robustness and coverage" if covered else "Robustness"
    rows = range(len(finding.measures))
    return Section("stability", title, rows, _columns(finding.measures, *columns))


def coverage(finding: Coverage) -> Section:
    """Return how well each measure follows improvements under all reference measures."""
    reference = ", ".join(map(display_name, finding.reference))
    notes = [text_of("meta.coverage", reference=reference)]
    columns = _columns(finding.measures, _numbers("coverage", finding.coverage))
    return Section("coverage", "Coverage", range(len(finding.measures)), columns, notes)


def scores(matrices: ScoreMatrices) -> Section:
    """Return the mean score of each system under each measure; data have the scores by topic."""
    m = matrices
    shown = [
        f"{display_name(x)} {'↑' if s > 0 else '↓'}"
        for x, s in zip(m.measures, m.signs, strict=True)
    ]
    means = m.means
    table = [Col("system", m.systems.__getitem__), *across(shown, lambda s, i: means[i, s], 4)]
    gone = int(m.missing.sum())
    undefined = gone > 0 and f"{gone:,} of the scores are undefined."
    notes = kept(f"Means over {len(m.topics):,} topics.", undefined)
    part = Section("scores", "Mean scores", range(len(m.systems)), table, notes)
    axes = (("measure", m.measures), ("system", m.systems), ("topic", m.topics))
    stored = cells(m.scores, axes, Col("score", digits=4))
    return Section("scores", "Scores", parts=[part], stored=stored)


def axioms(finding: AxiomTable) -> Section:
    """Return which axioms hold, with measures as rows; data have every case."""
    titles = [axiom.title for axiom in finding.axioms]
    table = [Col("measure", finding.measures.__getitem__)]
    table += across(titles, lambda i, j: _HOLDS[finding.results[i][j].holds])
    notes = [text_of("meta.axioms")]
    notes += [f"{axiom.title}: {axiom.statement} ({axiom.source})" for axiom in finding.axioms]
    part = Section("axioms", "Axioms", range(len(finding.measures)), table, notes)
    every = cases(finding)
    return Section("axioms", "Axioms", parts=[part], stored=(lambda: every.rows, every.columns))


def cases(finding: AxiomTable) -> Section:
    """Return the cases tried and the counter-examples, one row per measure and axiom."""

    def example(cell: Any) -> str:
        return "; ".join(cell.counter_example.lines()) if cell.counter_example else ""

    columns = [
        *cols("measure, axiom"),
        Col("result", lambda cell: _OUTCOMES[cell.holds]),
        *cols("cases:0, undefined:0"),
        Col("counter-example", example),
    ]
    return Section("cases", "Cases and counter-examples", list(chain(*finding.results)), columns)


def axioms_view(finding: AxiomTable) -> View:
    """Return the view of a table of axioms, of which printing shows the first section."""
    view = View(axioms(finding), cases(finding))
    view.brief = ("axioms",)
    return view


SECTIONS: Mapping[type, Callable[[Any], Section]] = {
    Consistency: lambda finding: consistencies([finding]),
    Coverage: coverage,
    DiscriminativePower: power,
    Robustness: stability,
    ScoreMatrices: scores,
    Similarity: similarity,
    Summary: glance,
}
"""The section of each type of finding that has one."""


def finding_view(finding: Any) -> View:
    """Return the view of a single finding."""
    return View(SECTIONS[type(finding)](finding))


# Figures.


def consistency_figure(c: Consistency) -> Dots:
    """Return Kendall's τ between the rankings on two sets of topics, best measure on top."""

    def mark(i: int) -> Mark:
        name, tau, mean = display_name(c.measures[i]), c.tau[:, i], float(c.mean[i])
        if np.isnan(tau).any():
            return Mark(name)
        half = 1.96 * float(c.standard_error[i])
        start, end = (mean - half, mean + half) if c.interval is None else map(float, c.interval[i])
        low, high = map(float, np.quantile(tau, [0.05, 0.95]))
        return Mark(name, nan, low, high, inner=(start, end), tick=mean)

    label = f"Kendall's τ-{c.variant} ({c.mean_splits:,} splits, {_sizes(c)})"
    title, marks = "Consistency of the ranking of systems", tuple(map(mark, c.order))
    return Dots(title, label, marks, text_of("meta.splits"))


def power_figure(tests: DiscriminativePower, measures: Sequence[str] | None = None) -> Lines:
    """Return the p-values of all pairs of systems in ascending order, a curve per measure."""
    order = [tests.measures[i] for i in tests.order]
    named = order[:MOST_SERIES] if measures is None else list(measures)
    rows = zip(tests.significant, tests.curves, strict=True)
    by_measure = dict(zip(tests.measures, rows, strict=True))
    pairs = len(tests.pairs)

    def series(m: str, *, faint: bool) -> Series:
        significant, p = by_measure[m]
        name = m if faint else f"{display_name(m)}: {significant} of {pairs}"
        return Series(name, range(1, pairs + 1), p.tolist(), faint)

    others = [series(m, faint=True) for m in order if m not in named]
    return Lines(
        "Discriminative power",
        "pairs of systems, by p-value",
        "p-value",
        (*others, *(series(m, faint=False) for m in named)),
        text_of("meta.curves"),
        level=(tests.alpha, f"p = {tests.alpha:g}"),
        xlim=(1.0, float(max(pairs, 2))),
        ylim=(0.0, 4 * tests.alpha),
        legend="significant pairs",
    )


def axioms_grid(finding: AxiomTable) -> Grid:
    """Return which measures satisfy which axioms; the longer list is in rows."""
    measures = tuple(map(display_name, finding.measures))
    titles = tuple(axiom.title for axiom in finding.axioms)
    down, across, holds = measures, titles, np.asarray(finding.holds)
    if len(measures) < len(titles):
        down, across, holds = titles, measures, holds.T
    right, wrong = Tile("✓", "", 0.35, "right"), Tile("✗", "", 0.35, "wrong")
    tiles = (tuple(right if h else wrong for h in row) for row in holds)
    rows = tuple(zip(down, tiles, strict=True))
    return Grid("Axioms: ✓ holds in all cases tried, ✗ fails", "", across, rows)


# Sentences.


def data_sentences(result: MetaEvaluation) -> list[str]:
    """Return what the data show: the most consistent and most discriminative measure, groups."""
    return kept(_most_consistent(result), _most_discriminative(result), _grouped(result))


def _shorts(names: Iterable[str]) -> list[str]:
    return [display_name(name) for name in names]


def _most_consistent(result: MetaEvaluation) -> str:
    halves = result.consistency
    best = halves.order[0]
    mean, known = halves.mean[best], int((~np.isnan(halves.mean)).sum())
    if np.isnan(mean):
        return ""
    first = [i for i in halves.order if np.isclose(halves.mean[i], mean, rtol=0, atol=1e-9)]
    if 1 < len(first) == known:
        return text_of("meta.equally_consistent", n=known, mean=mean)
    lead = text_of("meta.untested")
    if halves.tested:
        beats = int(halves.beats[best])
        lead = (
            text_of("meta.lead", beats=beats, others=known - 1) if beats else text_of("meta.even")
        )
    names = _shorts(halves.measures[i] for i in first)
    lead = lead if len(first) == 1 < known else ""
    return text_of("meta.consistent", names=names, mean=mean, lead=lead)


def _most_discriminative(result: MetaEvaluation) -> str:
    p = result.discrimination
    most = p.significant[p.order[0]]
    if np.isnan(p.share[p.order[0]]):
        return ""
    first = _shorts(p.measures[i] for i in p.order if p.significant[i] == most)
    key = "discriminative" if most else "no_discrimination"
    return text_of(f"meta.{key}", names=first, most=most, n=len(p.pairs), alpha=p.alpha)


def _grouped(result: MetaEvaluation) -> str:
    """Say which measures rank the systems similarly; those that do not rank are named."""
    similar, groups = result.similarity, result.similarity.groups
    silent = [m for m in similar.measures if not similar.group_of(m)]
    lost = f" {text_of('result.unranked', names=_shorts(silent))}" if silent else ""
    key = "groups"
    if not groups:
        key = "unranked"
    elif len(groups[0]) == 1:
        key = "alone"
    elif len(groups) == 1:
        key = "one_group"
    largest = _shorts(groups[0]) if groups else []
    values = {"n": len(groups), "names": largest, "threshold": similar.threshold}
    return text_of(f"meta.{key}", **values) + lost
