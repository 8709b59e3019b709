"""The report: one HTML file that is complete in itself.

No network (a policy in the page forbids it), readable without JavaScript, made for paper, small
screens and dark rooms as well. Texts from data are escaped by the template engine.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ..atomic import write_text
from ..plot import confusion, intervals, shares, topics
from ..plot.matrices import similarity_of
from ..results import Result
from .checks import command_line, data_checks, gold_bars, python_call
from .figures import png, svg
from .names import presentable
from .narrative import answer, method
from .page import render
from .places import scored
from .rankings import advice_words, tau_grid, tau_words, winners_table
from .table import figure
from .views import (
    WIDEST,
    SystemPage,
    against_best,
    hardest_topics,
    ranking,
    rankings_data,
    score_tables,
    shares_grid,
    significance_grid,
    system_page,
    unit,
)

if TYPE_CHECKING:
    from ..meta import MetaEvaluation

_MOST_PICTURES = 10


def write_report(result: Result, path: str | Path, *, command: str | None = None) -> None:
    """Write the report of a result; `command` is the command line that made it."""
    write_text(path, report_html(result, command=command))


def write_meta_report(
    found: "MetaEvaluation", path: str | Path, *, command: str | None = None
) -> None:
    """Write the report of a meta-evaluation; `command` is the command line that made it."""
    from .meta_page import meta_html

    write_text(path, meta_html(found, command=command))


def report_html(result: Result, *, command: str | None = None) -> str:
    """The report of a result as HTML."""
    command, python = command or command_line(result), python_call(result)
    result = presentable(result)
    page = {
        **_heading(result),
        **_leaderboard(result),
        **_distributions(result),
        **_systems(result),
        **_measures(result),
        **_significance(result),
        **_topics(result),
        **_background(result),
        "command": command,
        "python": python,
    }
    return render("report.html.j2", sections=_sections(page), **page)


def _heading(result: Result) -> dict[str, Any]:
    kinds = {"quantification": "Ordinal quantification", "comparison": "Ordinal classification"}
    count = len(result.systems)
    title = f"{count} systems compared" if count > 1 else f"Evaluation of {result.best}"
    return {
        "kicker": kinds.get(result.kind, "Ordinal classification"),
        "title": title,
        "facts": result.table().title,
        "answer": answer(result),
        "primary": result.primary.short,
        "alpha": f"{result.tests.alpha:g}" if result.tests else "",
        "unit": unit(result),
    }


def _leaderboard(result: Result) -> dict[str, Any]:
    if len(result.systems) < 2:
        return {"leaderboard": None}
    rankings = [ranking(result, m) for m in result.scores.measures]
    chosen = result.scores.measures.index(result.primary)
    first = rankings[chosen]
    level = f"{100 * result.intervals.level:g}" if result.intervals else ""
    return {
        "leaderboard": first,
        "chosen": chosen,
        "measure_names": [f"{r.name} {r.arrow} {r.title}" for r in rankings],
        "rankings": rankings_data(rankings, first),
        "level": level,
        "tested": result.tests is not None,
        "score_tables": score_tables(result),
        "interval_plot": svg(
            lambda: intervals(result), alt=_interval_alt(result), name="intervals"
        ),
        "interval_caption": _interval_caption(result),
    }


def _interval_alt(result: Result) -> str:
    count = max(scored(result, result.primary), 1)
    best, last = result.best, result.systems[count - 1]
    scores = [figure(result.scores.of(result.primary, s), 3).text for s in (best, last)]
    return (
        f"Dot plot of {result.primary.short} for {len(result.systems)} systems, from {best} "
        f"({scores[0]}) to {last} ({scores[1]}); the leaderboard holds the same figures."
    )


def _interval_caption(result: Result) -> str:
    full = "Full dots: the best system and those not told from it." if result.tests else ""
    full = full or "The full dot is the best system."
    band = " The band is the best system's interval." if result.intervals else ""
    return full + band


def _distributions(result: Result) -> dict[str, Any]:
    if result.shares is None:
        return {"shares": None}
    alt = "Mean share of every class in gold and as the best systems estimate it; the table below."
    plot = svg(lambda: shares(result), alt=alt, name="shares")
    return {"shares": shares_grid(result), "shares_plot": plot}


def _systems(result: Result) -> dict[str, Any]:
    pages = [_page(result, s, i + 1) for i, s in enumerate(result.systems)]
    large = result.tables is not None and result.scores.scale.k > WIDEST
    left_out = ""
    if large and len(pages) > _MOST_PICTURES:
        left_out = f"Confusion matrices are shown for the first {_MOST_PICTURES} systems."
    return {"pages": pages, "left_out": left_out}


def _page(result: Result, system: str, rank: int) -> SystemPage:
    large = result.tables is not None and result.scores.scale.k > WIDEST
    picture: Markup | None = None
    if large and rank <= _MOST_PICTURES:
        picture = png(lambda: confusion(result, system), alt=f"Confusion matrix of {system}")
    return system_page(result, system, rank, picture)


def _measures(result: Result) -> dict[str, Any]:
    if len(result.systems) < 3 or len(result.scores.measures) < 2:
        return {"tau": None}
    found = similarity_of(result)
    names = [m.short for m in result.scores.measures]
    return {
        "tau": tau_grid(found, names),
        "tau_words": tau_words(found, names),
        "winners": winners_table(result),
        "advice": advice_words(result),
    }


def _significance(result: Result) -> dict[str, Any]:
    return {"significance": significance_grid(result), "against_best": against_best(result)}


def _topics(result: Result) -> dict[str, Any]:
    found = hardest_topics(result)
    if result.scores.per_topic is None or len(result.scores.topics) < 2:
        return {"topics": None, "topics_plot": None}
    alt = f"Spread of {result.primary.short} over {unit(result)}s for every system."
    return {"topics": found, "topics_plot": svg(lambda: topics(result), alt=alt, name="topics")}


def _background(result: Result) -> dict[str, Any]:
    return {
        "checks": data_checks(result),
        "gold": gold_bars(result),
        "method": method(result),
        "measure_cards": result.scores.measures,
        "signature": result.signature(result.primary),
    }


def _sections(page: dict[str, Any]) -> list[tuple[str, str]]:
    """The table of contents: (anchor, name) of the sections that a page has."""
    every = [
        ("answer", "Answer", True),
        ("leaderboard", "Leaderboard", page["leaderboard"]),
        ("distributions", "Distributions", page["shares"]),
        ("systems", "Systems", True),
        ("measures", "Measures", page["tau"]),
        ("significance", "Significance", page["significance"]),
        ("topics", f"{page['unit'].capitalize()}s", page["topics_plot"]),
        ("data", "Data checks", True),
        ("method", "Method", True),
        ("repeat", "Repeat", True),
    ]
    return [(anchor, name) for anchor, name, there in every if there]
