"""The page on measures: one HTML file made from a meta-evaluation."""

from typing import Any

from ..meta import MetaEvaluation
from ..plot import consistency, discriminative_power
from .figures import svg
from .meta_tables import consistency_table, power_table, stability_table, summary_table
from .meta_views import groups_list, meta_answer, meta_checks, meta_method
from .names import short_measure
from .page import render
from .rankings import tau_grid, tau_words

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
    """The report of a meta-evaluation as HTML."""
    m = found.matrices
    facts = f"{len(m.systems)} systems, {len(m.topics)} topics"
    return render(
        "meta.html.j2",
        _SECTIONS,
        title=f"{len(m.measures)} measures compared",
        facts=facts if m.facts is None else f"{facts}, {m.facts.k} classes, {m.facts.task}",
        answer=meta_answer(found),
        summary=summary_table(found.summary),
        **_similarity(found),
        **_consistency(found),
        **_power(found),
        stability=stability_table(found.robustness, found.coverage),
        checks=meta_checks(found),
        method=meta_method(found),
        signature=found.signature,
        command=command or _COMMAND.format(seed=found.consistency.seed),
    )


def _similarity(found: MetaEvaluation) -> dict[str, Any]:
    names = [short_measure(name) for name in found.similarity.measures]
    return {
        "tau": tau_grid(found.similarity, names),
        "tau_words": tau_words(found.similarity, names),
        "groups": groups_list(found),
        "threshold": f"{found.similarity.threshold:g}",
    }


def _consistency(found: MetaEvaluation) -> dict[str, Any]:
    splits = [found.consistency]
    splits += [found.small_consistency] if found.small_consistency else []
    plots = [
        svg(
            lambda c=c: consistency(c),  # type: ignore[misc]
            alt=f"Kendall's τ of every measure for {c.sizes[0]} against {c.sizes[1]} topics; the "
            "table below holds the means.",
            name=f"consistency-{i}",
        )
        for i, c in enumerate(splits)
    ]
    return {"consistency": consistency_table(splits), "consistency_plots": plots}


def _power(found: MetaEvaluation) -> dict[str, Any]:
    alt = "p-values of all pairs of systems in ascending order, a curve per measure; see the table."
    plot = svg(lambda: discriminative_power(found.discrimination), alt=alt, name="power")
    return {"power": power_table(found.discrimination), "power_plot": plot}
