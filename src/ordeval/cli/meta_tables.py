"""The tables of a meta-evaluation, for the command line."""

import textwrap

from ..meta import MetaEvaluation
from ..registry import parse
from ..report.meta_views import (
    consistency_cells,
    consistency_table,
    power_cells,
    power_table,
    shown_by_data,
    stability_table,
    summary_table,
)
from ..report.table import Heading, Table, figure, table, words
from .wording import as_options, harmless

_WIDTH = 90
_MIND = "Mind: "


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
    notes = [f"Measures of a group all have τ of at least {s.threshold:g} with each other."]
    if (s.tau.diagonal() < 1).any():
        notes.append("A measure that ties systems has τ-a below 1 with itself.")
    title = f"Similarity: Kendall's τ-{s.variant} between rankings of the systems"
    return table(headings, rows, title=title, notes=notes)


def advice_lines(found: MetaEvaluation) -> list[str]:
    """What to use and why, what these data say themselves, and what to mind."""
    shown = " ".join(text.striptags() for text in shown_by_data(found))
    if found.advice is None:
        return [shown]
    advice = found.advice
    use = f"Use {advice.primary}, with {advice.secondary} beside it ({advice.source})."
    mind = (f"{_MIND}{as_options(warning)}" for warning in advice.warnings)
    return [use, advice.reason, shown, *mind]


def advice_text(found: MetaEvaluation) -> str:
    """The advice for a terminal."""
    wrapped = []
    for line in advice_lines(found):
        indent = " " * len(_MIND) if line.startswith(_MIND) else ""
        wrapped += textwrap.wrap(line, _WIDTH, subsequent_indent=indent)
    return harmless("\n".join(wrapped)) + "\n"  # names of systems come from files


def figures_table(found: MetaEvaluation) -> Table:
    """Every figure of a measure in one row, for machines."""
    half, small = found.consistency, found.small_consistency
    names = ["measure", "group", "consistency", "beats", "beaten_by"]
    names += ["small_consistency", "small_beats", "small_beaten_by"] if small else []
    names += ["pairs_told_apart", "share_told_apart", "robustness"]
    names += ["coverage"] if found.coverage else []
    rows = []
    for i, name in enumerate(found.matrices.measures):
        row = [words(name), words(found.similarity.group_of(name))]
        for c in (half, small) if small else (half,):
            row += consistency_cells(c, i)
        row += power_cells(found, i)
        row.append(figure(found.robustness.robustness[i]))
        rows.append(row + ([figure(found.coverage.coverage[i])] if found.coverage else []))
    return table([Heading(name) for name in names], rows)
