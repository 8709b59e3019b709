"""Where the ranking depends on the measure."""

from typing import Any

import numpy as np
from markupsafe import Markup, escape

from ..meta import advise
from ..plot.style import shorten
from ..results import Result
from ..spec import Measure, parse_measure
from .places import leaders, scored
from .table import Cell, Heading, Table, figure, table, words
from .views import Grid, Tile, place_cell
from .wording import listed, sentence, strong

_MOST_NAMES = 14
_MOST_LEADERS = 3


def tau_grid(found: Any, names: list[str]) -> Grid:
    """Kendall's τ between measures as a heat map."""
    compact = len(names) > _MOST_NAMES
    shown = [f"{i + 1}. {name}" for i, name in enumerate(names)] if compact else names
    rows = tuple(
        (name, tuple(_tau_tile(x, compact) for x in row))
        for name, row in zip(shown, found.tau, strict=True)
    )
    across = tuple(str(i + 1) for i in range(len(names))) if compact else tuple(names)
    caption = f"Kendall's τ-{found.variant} between the rankings under two measures"
    return Grid(caption, caption, "measure", across, rows, compact)


def _tau_tile(tau: float, compact: bool) -> Tile:
    if np.isnan(tau):
        return Tile("–", kind="even")
    text = f"{round(tau, 2) + 0.0:.2f}".replace("-", "−")
    text = text.replace("0.", ".") if compact else text
    kind = "agree" if tau >= 0 else "oppose"
    return Tile(text, shade=round(abs(float(tau)), 2), kind=kind)


def tau_words(found: Any, names: list[str]) -> list[Markup]:
    """Which measures agree, and which least."""
    tau = np.array(found.tau, dtype=float)
    upper = np.triu_indices(len(names), 1)
    pairs = tau[upper]
    if not len(pairs) or np.isnan(pairs).all():
        return [Markup("The rankings cannot be compared: too few scores are defined.")]
    low, high = int(np.nanargmin(pairs)), int(np.nanargmax(pairs))
    lines = [_pair_words("Most alike are the rankings under ", names, upper, high, pairs)]
    if pairs[low] < pairs[high]:
        lines.append(_pair_words("Least alike are those under ", names, upper, low, pairs))
    lone = [name for name, row in zip(names, tau, strict=True) if np.isnan(row).all()]
    left_out = [sentence("No ranking of all systems: ", listed(lone), ".")] if lone else []
    return [*lines, *_verdict(float(np.nanmedian(pairs))), *left_out]


def _pair_words(start: str, names: list[str], upper: Any, at: int, pairs: Any) -> Markup:
    a, b = names[upper[0][at]], names[upper[1][at]]
    shown = f"{pairs[at]:.2f}".replace("-", "−")
    return sentence(start, strong(a), " and ", strong(b), f" (τ = {shown}).")


def _verdict(median: float) -> list[Markup]:
    shown = f"{median:.2f}".replace("-", "−")
    if median >= 0.9:
        return [Markup(f"The choice of measure hardly matters here (median τ {shown}).")]
    if median >= 0.7:
        return [Markup(f"Measures agree in the main (median τ {shown}), not in detail.")]
    return [
        Markup(
            f"The ranking depends on the measure (median τ {shown}): choose it by what "
            "the task needs, before looking at scores."
        )
    ]


def winners_table(result: Result) -> Table:
    """For every measure: the best system, and where the overall best one stands."""
    scores = result.scores
    headings = [Heading("measure"), Heading("best system"), Heading("score", True)]
    headings.append(Heading(f"rank of {shorten(result.best, 20)}", True))
    headings += (
        [Heading("in best group", True), Heading("pairs told apart", True)] if result.tests else []
    )
    lines = [_winner_line(result, m) for m in scores.measures]
    return table(headings, lines, title="The best system under every measure")


def _winner_line(result: Result, m: Measure) -> list[Cell]:
    first, count = leaders(result, m), len(result.systems)
    score = result.scores.of(m, first[0]) if first else np.nan
    line = [words(f"{m.short} {m.arrow}"), words(_named(first, scored(result, m), count))]
    line += [figure(score), place_cell(result, m, result.best)]
    if result.tests is None:
        return line
    p = result.tests.p[result.scores.measures.index(m)]
    pairs = p[np.triu_indices(len(p), 1)]
    told, group = int((pairs < result.tests.alpha).sum()), len(result.group_of_best(m))
    return [*line, Cell(str(group), group), Cell(f"{told} of {len(pairs)}", told)]


def _named(first: list[str], with_score: int, count: int) -> str:
    """The leaders, and how many systems were ranked where some could not be."""
    if not first:
        return "–"
    rest = f" and {len(first) - _MOST_LEADERS} more" if len(first) > _MOST_LEADERS else ""
    ranked = f" ({with_score} of {count} with a score)" if with_score < count else ""
    return ", ".join(first[:_MOST_LEADERS]) + rest + ranked


def advice_words(result: Result) -> list[Markup]:
    """The measure that fits such data, why, and what to mind."""
    found = advise(result)
    primary, secondary = parse_measure(found.primary), parse_measure(found.secondary)
    if primary == result.primary:
        start = sentence("This page ranks by ", strong(primary.short), ", which fits these data. ")
    else:
        start = sentence(
            "For such data ",
            strong(primary.short),
            " is the first choice and ",
            strong(secondary.short),
            " the second; this page ranks by ",
            strong(result.primary.short),
            ", which was asked for. ",
        )
    return [start + found.reason + f" ({found.source})", *map(escape, found.warnings)]
