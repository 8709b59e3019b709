"""The tables of a meta-evaluation, for the command line."""

import textwrap

from ..meta import MetaEvaluation
from ..registry import parse
from ..report.meta_views import (
    consistency_table,
    power_table,
    stability_table,
    summary_table,
)
from ..report.table import Heading, Table, count, figure, table, words
from .wording import harmless

_WIDTH = 90


def meta_tables(found: MetaEvaluation) -> list[Table]:
    """Summary, similarity, consistency, discriminative power, robustness and coverage."""
    splits = [c for c in (found.consistency, found.small_consistency) if c is not None]
    return [
        summary_table(found),
        similarity_table(found),
        consistency_table(splits),
        power_table(found),
        stability_table(found),
    ]


def similarity_table(found: MetaEvaluation) -> Table:
    """Kendall's τ between the rankings of the systems under every two measures."""
    s = found.similarity
    names = [parse(name).short for name in s.measures]
    headings = [Heading("measure"), *(Heading(name, numeric=True) for name in names)]
    headings.append(Heading("group"))
    rows = [
        [words(names[i]), *(figure(tau, 3) for tau in s.tau[i]), words(s.group_of(s.measures[i]))]
        for i in range(len(names))
    ]
    note = f"Measures of a group all have τ of at least {s.threshold:g} with each other."
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    return table(headings, rows, title=title, notes=[note])


def advice_text(found: MetaEvaluation) -> str:
    """What to use, why, and what to mind."""
    if found.advice is None:
        return ""
    advice = found.advice
    lines = [
        f"Use {advice.primary}, with {advice.secondary} beside it ({advice.source}).",
        *textwrap.wrap(advice.reason, _WIDTH),
    ]
    for warning in advice.warnings:
        lines += textwrap.wrap(f"Mind: {warning}", _WIDTH, subsequent_indent="      ")
    return harmless("\n".join(lines)) + "\n"  # names of systems come from files


def figures_table(found: MetaEvaluation) -> Table:
    """Every figure of a measure in one row, for machines."""
    power, half, small = found.discrimination, found.consistency, found.small_consistency
    names = ["measure", "group", "consistency", "beats", "beaten_by"]
    names += ["small_consistency", "small_beats", "small_beaten_by"] if small else []
    names += ["pairs_told_apart", "share_told_apart", "robustness"]
    names += ["coverage"] if found.coverage else []
    rows = []
    for i, name in enumerate(found.matrices.measures):
        row = [words(name), words(found.similarity.group_of(name))]
        for c in (half, small) if small else (half,):
            row += [figure(c.mean[i]), count(c.beats[i]), count(c.beaten[i])]
        row += [count(power.significant[i]), figure(power.share[i])]
        row.append(figure(found.robustness.robustness[i]))
        rows.append(row + ([figure(found.coverage.coverage[i])] if found.coverage else []))
    return table([Heading(name) for name in names], rows)
