"""What the page on measures shows, worked out from a meta-evaluation."""

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup

from ..meta import Consistency, MetaEvaluation
from ..plot.matrices import short_measure
from .checks import Check
from .table import Cell, Heading, Table, count, figure, table, words
from .wording import counted, listed, sentence, strong

_MARKS = {True: "✓", False: "✗", None: ""}
# Columns of properties; those that a task does not have are left out.
_PROPERTIES = {
    "order": "sees order",
    "constant": "tells constant systems apart",
    "imbalance": "sees class sizes",
    "symmetric": "symmetric",
}


def meta_answer(found: MetaEvaluation) -> list[Markup]:
    """Which measure to use, and what these data say about it."""
    return [*_advised(found), *shown_by_data(found)]


def shown_by_data(found: MetaEvaluation) -> list[Markup]:
    """What these data themselves say about the measures."""
    return [*_steadiest(found), *_sharpest(found), _grouped(found)]


def _advised(found: MetaEvaluation) -> list[Markup]:
    if found.advice is None:
        return []
    advice = found.advice
    return [
        sentence(
            "Use ",
            strong(short_measure(advice.primary)),
            ", with ",
            strong(short_measure(advice.secondary)),
            " beside it. ",
        ),
        sentence(advice.reason),
    ]


def _steadiest(found: MetaEvaluation) -> list[Markup]:
    best = found.consistency.order[0]
    mean = found.consistency.mean[best]
    if np.isnan(mean):
        return []
    name = strong(short_measure(found.consistency.measures[best]))
    return [
        sentence(
            "On these data ",
            name,
            f" ranks the systems most alike on two halves of the topics (mean τ {mean:.3f}).",
        )
    ]


def _sharpest(found: MetaEvaluation) -> list[Markup]:
    power = found.discrimination
    best = power.order[0]
    if np.isnan(power.share[best]):
        return []
    name = strong(short_measure(power.measures[best]))
    told = f"{power.significant[best]} of {len(power.pairs)} pairs of systems"
    return [sentence(name, f" tells most systems apart: {told} at p < {power.alpha:g}.")]


def _grouped(found: MetaEvaluation) -> Markup:
    groups = found.similarity.groups
    if len(groups) == 1:
        return Markup(f"All {len(groups[0])} measures rank the systems much alike.")
    largest = [short_measure(name) for name in groups[0]]
    return sentence(
        f"By their rankings the measures fall into {counted(len(groups), 'group')}, "
        "the largest being ",
        listed(largest, 8),
        ".",
    )


def summary_table(found: MetaEvaluation) -> Table:
    """Everything about every measure in a line."""
    known = [
        name for name in _PROPERTIES if any(getattr(row, name) is not None for row in found.summary)
    ]
    names = ["measure", "group", *(_PROPERTIES[name] for name in known)]
    printed = any(row.printed for row in found.summary)
    names += ["consistency", "discrimination", *(["in Sakai 2021"] if printed else [])]
    lines = []
    for row in found.summary:
        line = [short_measure(row.measure), row.group]
        line += [_MARKS[getattr(row, name)] for name in known]
        line += [row.consistency, row.discrimination]
        lines.append([*line, *([_printed(row.printed)] if printed else [])])
    cells = [[words(text) for text in line] for line in lines]
    return table([Heading(name) for name in names], cells, title="Measures at a glance")


def _printed(row: object) -> str:
    """Group, consistency and discrimination as printed for other data."""
    if row is None:
        return ""
    return ", ".join(getattr(row, name) for name in ("group", "consistency", "discrimination"))


def groups_list(found: MetaEvaluation) -> list[tuple[str, str]]:
    """(letter, measures) of the groups of similar rankings."""
    return [
        (found.similarity.group_of(group[0]), ", ".join(short_measure(name) for name in group))
        for group in found.similarity.groups
    ]


def consistency_table(found: Sequence[Consistency]) -> Table:
    """Mean τ under each size of split, and how many measures each beats."""
    headings = [Heading("measure")]
    for c in found:
        size = f"{c.sizes[0]} against {c.sizes[1]} topics"
        headings += [Heading(f"mean τ, {size}", True), Heading("beats", True)]
        headings.append(Heading("beaten by", True))
    lines = []
    for i in found[0].order:
        line: list[Cell] = [words(short_measure(found[0].measures[i]))]
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


def power_table(found: MetaEvaluation) -> Table:
    """Pairs told apart by every measure."""
    power = found.discrimination
    headings = [Heading("measure"), Heading("pairs told apart", True), Heading("share", True)]
    headings += [Heading("mean p", True), Heading("topics used", True)]
    lines = [
        [
            words(short_measure(power.measures[i])),
            *power_cells(found, i),
            figure(power.area[i]),
            count(power.topics[i]),
        ]
        for i in power.order
    ]
    title = f"Discriminative power: {len(power.pairs)} pairs of systems, p < {power.alpha:g}"
    return table(headings, lines, title=title)


def power_cells(found: MetaEvaluation, place: int) -> list[Cell]:
    """Pairs that a measure tells apart, and their share; empty where undefined."""
    share, told = found.discrimination.share[place], found.discrimination.significant[place]
    return [figure(np.nan)] * 2 if np.isnan(share) else [count(told), figure(share, 3)]


def stability_table(found: MetaEvaluation) -> Table:
    """Robustness, and coverage where there is one."""
    headings = [Heading("measure"), Heading("robustness", True), Heading("topics used", True)]
    headings += [Heading("coverage", True)] if found.coverage else []
    lines = []
    for i, name in enumerate(found.robustness.measures):
        line = [words(short_measure(name)), figure(found.robustness.robustness[i])]
        line.append(count(found.robustness.topics[i]))
        line += [figure(found.coverage.coverage[i])] if found.coverage else []
        lines.append(line)
    title = "Robustness and coverage" if found.coverage else "Robustness"
    return table(headings, lines, title=title)


def meta_checks(found: MetaEvaluation) -> list[Check]:
    """The warnings of the advice, and what is as it should be."""
    warnings = () if found.advice is None else found.advice.warnings
    checks = [Check("warning", text) for text in warnings]
    if not found.matrices.missing.any():
        checks.append(Check("ok", "Every score is defined."))
    elif found.advice is None:
        gone = int(found.matrices.missing.sum())
        checks.append(Check("warning", f"{gone:,} of the scores are undefined."))
    return checks


def meta_method(found: MetaEvaluation) -> list[str]:
    """How the figures were made, with the settings."""
    c, m = found.consistency, found.matrices
    lines = [
        f"{len(m.measures)} measures were judged by the scores of {len(m.systems)} systems on "
        f"{len(m.topics)} topics.",
        f"Similarity: systems are ranked by mean score; Kendall's τ-{found.similarity.variant} "
        "compares the rankings under every two measures. Measures of a group all have τ of at "
        f"least {found.similarity.threshold:g} with each other.",
        f"Consistency: random splits of the topics, shared by all measures, and τ between the "
        f"rankings on the two sets. Mean τ is over {c.mean_splits:,} splits; measures are compared "
        f"by a randomised paired Tukey HSD test over the first {c.splits:,} of them "
        f"({c.trials:,} trials, seed {c.seed}, p < {c.alpha:g}).",
        "Discriminative power: randomised paired Tukey HSD over topics for all pairs of systems "
        f"({found.discrimination.trials:,} trials).",
        "Robustness: mean Spearman correlation between the rankings of the systems on two topics.",
    ]
    if found.coverage is not None:
        names = ", ".join(short_measure(name) for name in found.coverage.reference)
        lines.append(
            "Coverage: Spearman correlation of differences in score with the unanimous "
            f"improvement ratio under {names}."
        )
    return lines
