"""The page on measures: one HTML file made from a meta-evaluation."""

from typing import Any

from markupsafe import Markup

from ..measures.spec import short_measure
from ..meta import Consistency, MetaEvaluation
from ..plot import consistency, discriminative_power
from ..plot.heatmaps import lower_half, tau_grid
from .html import render, svg
from .meta_story import meta_answer, meta_method
from .meta_tables import (
    consistency_table,
    power_table,
    stability_table,
    summary_table,
)
from .story import Check, tau_sentences

_COMMAND = "ordeval meta DATA --topic TOPIC --seed {seed} --html report.html"
_SECTIONS = [
    ("answer", "Answer"),
    ("summary", "At a glance"),
    ("similarity", "Similarity"),
    ("consistency", "Consistency"),
    ("power", "Discriminative power"),
    ("stability", "Robustness"),
    ("data", "Data checks"),
    ("method", "Method"),
    ("repeat", "Repeat"),
]


def meta_html(found: MetaEvaluation, *, command: str | None = None) -> str:
    """Return the report of a meta-evaluation as HTML."""
    m = found.matrices
    facts = f"{len(m.systems)} systems, {len(m.topics)} topics"
    return render(
        "meta.html.j2",
        _SECTIONS,
        kicker="Choice of a measure",
        title=f"{len(m.measures)} measures compared",
        facts=facts if m.facts is None else f"{facts}, {m.facts.k} classes, {m.facts.task}",
        answer=meta_answer(found),
        summary=summary_table(found.summary),
        **_similarity(found),
        **_consistency(found),
        **_power(found),
        stability=stability_table(found.robustness, found.coverage),
        checks=_checks(found),
        method=meta_method(found),
        signature=found.signature,
        command=command or _COMMAND.format(seed=found.consistency.seed),
    )


def _similarity(found: MetaEvaluation) -> dict[str, Any]:
    s = found.similarity
    names = [short_measure(name) for name in s.measures]
    groups = [(s.group_of(group[0]), ", ".join(map(short_measure, group))) for group in s.groups]
    return {
        "tau": lower_half(tau_grid(s.tau, names, s.variant)),
        "tau_words": tau_sentences(s.tau, names),
        "groups": groups,
        "threshold": f"{s.threshold:g}",
    }


def _consistency(found: MetaEvaluation) -> dict[str, Any]:
    plots = [_consistency_plot(c, i) for i, c in enumerate(found.consistencies)]
    return {"consistency": consistency_table(found.consistencies), "consistency_plots": plots}


def _consistency_plot(found: Consistency, number: int) -> Markup:
    alt = (
        f"Kendall's τ of each measure for {found.sizes[0]} against {found.sizes[1]} topics; the "
        "table below holds the means."
    )
    return svg(lambda: consistency(found), alt=alt, name=f"consistency-{number}")


def _power(found: MetaEvaluation) -> dict[str, Any]:
    alt = "p-values of all pairs of systems in ascending order, a curve per measure; see the table."
    plot = svg(lambda: discriminative_power(found.discrimination), alt=alt, name="power")
    return {"power": power_table(found.discrimination), "power_plot": plot}


def _checks(found: MetaEvaluation) -> list[Check]:
    """Return the warnings of the advice, and what needs no attention."""
    warnings = () if found.advice is None else found.advice.warnings
    checks = [Check("warning", text) for text in warnings]
    if not found.matrices.missing.any():
        checks.append(Check("ok", "All scores are defined."))
    elif found.advice is None:
        gone = int(found.matrices.missing.sum())
        checks.append(Check("warning", f"{gone:,} of the scores are undefined."))
    return checks
