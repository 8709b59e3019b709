"""Figures with axes: intervals, curves, spreads."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from ..errors import InputError
from ..report.names import short_measure
from ..results import Result
from ..spec import Measure, parse_measure
from .matrices import chosen_measure, one_table, place_of
from .style import (
    BLUE,
    COLOURS,
    FAINT,
    INK,
    LINES,
    MARKERS,
    PLAIN,
    SMALL,
    TEXT,
    VERMILLION,
    canvas,
    dress,
    legend,
    name_rows,
    need,
    short_names,
)

Floats = NDArray[np.float64]
_MOST_SERIES = len(COLOURS)


def intervals(
    result: Result, measure: str | Measure | None = None, *, ax: Axes | None = None
) -> Axes:
    """Scores of the systems with their intervals, best on top.

    Full markers are the best system and those that the tests cannot tell from it; the band is the
    best system's interval.
    """
    chosen, row = chosen_measure(result, measure)
    scores = result.scores
    ranking = scores.ranking(chosen)
    order = [scores.systems.index(s) for s in ranking]
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(order))
    group = set(result.group_of_best(chosen)) if result.tests else {ranking[0]}
    for y, place in enumerate(order):
        _whisker(ax, result, row, place, y, full=scores.systems[place] in group)
    if result.intervals is not None:
        found = result.intervals
        ax.axvspan(found.low[row, order[0]], found.high[row, order[0]], color=BLUE, alpha=0.1, lw=0)
    level = f" with {100 * result.intervals.level:g} % intervals" if result.intervals else ""
    dress(ax, title=f"{chosen.record.title}{level}", x=axis_label(chosen))
    return name_rows(ax, ranking)


def axis_label(measure: Measure) -> str:
    """A measure's name with the better direction in words."""
    return f"{measure.short} ({measure.better} is better {measure.arrow})"


def _whisker(ax: Axes, result: Result, row: int, place: int, y: int, *, full: bool) -> None:
    colour = BLUE if full else INK
    if result.intervals is not None:
        ends = [result.intervals.low[row, place], result.intervals.high[row, place]]
        ax.plot(ends, [y, y], color=colour, linewidth=1.6 if full else 1.1, solid_capstyle="butt")
    style: dict[str, Any] = {"markeredgecolor": colour, "markeredgewidth": 1.1}
    face = BLUE if full else "white"
    x = [result.scores.values[row, place]]
    ax.plot(x, [y], marker="o", markersize=5, markerfacecolor=face, linestyle="", **style)


def uoc_curve(
    data: Any,
    systems: str | Sequence[str] | None = None,
    *,
    labels: Sequence[object] | None = None,
    values: Sequence[float] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """UOC against β with the area under it, AUOC; for one system or a few.

    Parameters
    ----------
    data : a result, `Counts` or a table `[gold, predicted]`, as for `confusion`.
    systems : the systems to show; the best ones of a result by default, at most six.
    values : numbers of the classes; those of the result's scale by default.
    """
    curves = _tables(data, systems, labels)
    scale = data.scores.scale.values if isinstance(data, Result) else None
    steps = scale if values is None else values
    beta = np.linspace(0.0, 1.0, 101)
    ax, handles, names = canvas(ax, 5.0, 3.4), [], []
    shown = short_names([name for name, _ in curves])
    for i, (_, table) in enumerate(curves):
        height = [float(parse_measure("uoc", beta=float(b)).of(table, values=steps)) for b in beta]
        area = float(parse_measure("auoc").of(table, values=steps))
        style: Any = {"color": COLOURS[i], "linestyle": LINES[i], "linewidth": 1.6}
        handles += ax.plot(beta, height, marker=MARKERS[i], markevery=20, markersize=4, **style)
        names.append(f"{shown[i]}: AUOC {area:.3f}")
        if len(curves) == 1:
            ax.fill_between(beta, height, color=COLOURS[i], alpha=0.15, linewidth=0)
    ax.set(xlim=(0, 1), ylim=(0, 1))
    ax.grid(color=INK, alpha=FAINT, linewidth=0.6)
    legend(ax, handles, names, loc="upper left" if len(curves) == 1 else "best")
    return dress(ax, title="UOC by the weight of distance", x="β", y="UOC (lower is better ↓)")


def _tables(
    data: Any, systems: str | Sequence[str] | None, labels: Sequence[object] | None
) -> list[tuple[str, Floats]]:
    """Names and tables of the systems to show, at most as many as there are colours."""
    if isinstance(systems, str) or (systems is None and not isinstance(data, Result)):
        table, _, title = one_table(data, systems, labels)
        return [(title if systems or isinstance(data, Result) else "UOC", table)]
    names = _few(data.systems[:_MOST_SERIES] if systems is None else systems)
    return [(name, one_table(data, name, labels)[0]) for name in names]


def _few(names: Sequence[str]) -> list[str]:
    """One name or more, at most as many as there are colours."""
    if not 1 <= len(names) <= _MOST_SERIES:
        raise InputError(
            f"{len(names)} names were given; a figure shows one to {_MOST_SERIES} in colour."
        )
    return list(names)


def topics(result: Result, measure: str | Measure | None = None, *, ax: Axes | None = None) -> Axes:
    """Spread of every system's scores over topics, best system on top.

    A thin line holds the middle 90 % of the topics, a thick one the middle half; the tick is the
    median and the dot the mean.
    """
    chosen, row = chosen_measure(result, measure)
    scores = result.scores
    by_topic = need(scores.per_topic, "This result has no scores per topic.")[row]
    ranking = scores.ranking(chosen)
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(ranking))
    for y, system in enumerate(ranking):
        found = by_topic[scores.systems.index(system)]
        if (defined := found[~np.isnan(found)]).size:
            _spread(ax, defined, y)
    dress(ax, title=f"{chosen.record.title} by topic", x=axis_label(chosen))
    return name_rows(ax, ranking)


def _spread(ax: Axes, values: Floats, y: int) -> None:
    low, first, median, third, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    ax.plot([low, high], [y, y], color=INK, alpha=0.45, linewidth=0.9)
    line: dict[str, Any] = {"color": BLUE, "solid_capstyle": "butt"}
    ax.plot([first, third], [y, y], alpha=0.55, linewidth=5, **line)
    ax.plot([median, median], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    ax.plot(values.mean(), y, marker="o", markersize=3.5, color=VERMILLION)


def shares(result: Result, systems: Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Mean estimated distributions against gold (bars), for at most six systems."""
    found = need(
        getattr(result, "shares", None), "Only results of quantify(...) hold mean distributions."
    )
    names = _few(result.systems[:_MOST_SERIES] if systems is None else systems)
    labels = result.scores.scale.labels
    ax = canvas(ax, 6.5, 3.4)
    place = np.arange(len(labels))
    handles: list[Any] = [ax.bar(place, found[0], width=0.8, color=INK, alpha=FAINT, linewidth=0)]
    for i, name in enumerate(names):
        row = found[1 + place_of(result.scores.systems, name)]
        shift = (i - (len(names) - 1) / 2) * 0.6 / max(len(names), 2)
        style: Any = {"marker": MARKERS[i], "linestyle": "", "markersize": 6, "color": COLOURS[i]}
        handles += ax.plot(place + shift, row, **style)
    ax.set_xticks(place, short_names(labels, 14), fontsize=TEXT, **PLAIN)
    ax.grid(axis="y", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_ylim(bottom=0)
    legend(ax, handles, ["gold", *short_names(names)], loc="best")
    return dress(ax, title="Mean distributions against gold", x="class", y="mean share")


def discriminative_power(
    power: Any, measures: Sequence[str] | None = None, *, ax: Axes | None = None
) -> Axes:
    """p-values of all pairs of systems in ascending order, a curve per measure.

    The further to the right a curve stays under the level, the more pairs the measure tells apart.

    Parameters
    ----------
    power : what `oe.meta.discriminative_power` gives.
    measures : the measures in colour; the six strongest by default. The others are thin lines.
    """
    order = [power.measures[i] for i in power.order]
    named = order[:_MOST_SERIES] if measures is None else [_known(m, order) for m in _few(measures)]
    ax, handles, names = canvas(ax, 6.5, 3.8), [], []
    pairs = len(power.pairs)
    rank = np.arange(1, pairs + 1)
    for place in power.order:
        if power.measures[place] not in named:
            ax.plot(rank, power.curves[place], color=INK, alpha=0.25, linewidth=0.7)
    for i, name in enumerate(named):
        place = power.measures.index(name)
        style: Any = {"color": COLOURS[i], "linestyle": LINES[i], "linewidth": 1.6}
        handles += ax.plot(rank, power.curves[place], **style)
        names.append(f"{short_measure(name)}: {power.significant[place]} of {pairs}")
    _level_line(ax, power.alpha)
    ax.set(xlim=(1, max(pairs, 2)), ylim=(0, 4 * power.alpha))
    legend(ax, handles, names, loc="upper left", title="pairs told apart")
    return dress(ax, title="Discriminative power", x="pairs of systems, by p-value", y="p-value")


def _known(measure: str, names: Sequence[str]) -> str:
    """The measure as it is named in the data, however it was written."""
    full = measure if measure in names else str(parse_measure(measure))
    if full not in names:
        raise InputError(f"{measure!r} was not judged; there are {', '.join(names)}.")
    return full


def _level_line(ax: Axes, alpha: float) -> None:
    """The level of significance, dotted and named."""
    ax.axhline(alpha, color=INK, linewidth=0.8, linestyle=":")
    place: dict[str, Any] = {"xytext": (2, 3), "textcoords": "offset points"}
    ax.annotate(f"p = {alpha:g}", (1, alpha), fontsize=SMALL, color=INK, **place)


def consistency(found: Any, *, ax: Axes | None = None) -> Axes:
    """Kendall's τ between the rankings on two sets of topics, most consistent measure on top.

    The tick is the mean over the splits, the thick line its 95 % interval, the thin one the middle
    90 % of the splits that the test is over.

    Parameters
    ----------
    found : what `oe.meta.consistency` gives.
    """
    names = [short_measure(found.measures[i]) for i in found.order]
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(names))
    for y, place in enumerate(found.order):
        tau = found.tau[:, place]
        if np.isnan(tau).any():
            continue
        ax.plot(np.quantile(tau, [0.05, 0.95]), [y, y], color=INK, alpha=0.45, linewidth=0.9)
        half = 1.96 * found.standard_error[place]
        mean = found.mean[place]
        ax.plot([mean - half, mean + half], [y, y], color=BLUE, linewidth=5, solid_capstyle="butt")
        ax.plot([mean, mean], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    first, second = found.sizes
    splits = f"{found.mean_splits:,} splits, {first} against {second} topics"
    dress(
        ax,
        title="Consistency of the ranking of systems",
        x=f"Kendall's τ-{found.variant} ({splits})",
    )
    return name_rows(ax, names)
