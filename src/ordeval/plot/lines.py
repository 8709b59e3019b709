"""Figures with axes: intervals, curves, spreads."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from matplotlib.axes import Axes

from ..counts import Counts, JointCounts
from ..errors import InputError
from ..measures.scoring import Scores
from ..measures.spec import Measure, find_name, parse_measure, short_measure
from ..meta import Consistency, DiscriminativePower
from ..results import Result
from ..types import (
    BinsLike,
    Classes,
    ClassNumbers,
    Floats,
    ItemWeights,
    LabelColumn,
    Missing,
    MissingLabels,
)
from .heatmaps import mean_shares, one_table, read_tables, result_rows
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
    VERMILION,
    canvas,
    dress,
    legend,
    name_rows,
    short_names,
    whisker,
)

_Name = TypeVar("_Name", bound=str | Measure)
_MOST_SERIES = len(COLOURS)


def intervals(
    result: Result,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the scores of the systems with their intervals, best system on top.

    Filled markers are the best system and those that are not significantly worse; the band is the
    interval of the best system.

    Parameters
    ----------
    result : Result
        A result of `evaluate`, `compare` or `quantify`.
    measure : str or Measure, optional
        The measure; the primary one by default.
    most : int, optional
        The number of systems, from the best one; all by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare([1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3])
    >>> [label.get_text() for label in oe.plot.intervals(result).get_yticklabels()]
    ['a', 'b']
    """
    rows = result_rows(result, measure)[:most]
    chosen, found = rows[0].measure, result.intervals
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(rows))
    grouped = any(row.in_best_group for row in rows)
    for y, row in enumerate(rows):
        best = row.in_best_group if grouped else y == 0
        whisker(ax, y, (row.score, row.low, row.high), filled=best)
    if found is not None:
        ax.axvspan(rows[0].low, rows[0].high, color=BLUE, alpha=0.1, lw=0)
    level = f" with {100 * found.level:g} % intervals" if found else ""
    dress(ax, title=f"{chosen.record.title}{level}", x=axis_label(result.scores, chosen))
    return name_rows(ax, [row.system for row in rows])


def axis_label(scores: Scores, measure: Measure) -> str:
    """Return the name of a measure with the better direction."""
    return f"{scores.short(measure)} ({measure.better} is better {measure.arrow})"


def uoc_curve(
    data: Result | Counts | JointCounts | LabelColumn,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    systems: str | Sequence[str] | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    bins: BinsLike = None,
    sample_weight: ItemWeights = None,
    frequency: ItemWeights = None,
    missing: Missing = "error",
    na: MissingLabels = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw UOC against β, with the area under the curve (AUOC), for one to six systems.

    Parameters
    ----------
    data : array_like of shape (n_items,), Result, Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, a result of `evaluate` or `compare`, counts, or a table
        of gold by predicted class.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system. With a result or counts, the same as
        `systems`.
    systems : str or sequence of str, optional
        The systems to draw; the best ones of a result, or the first ones, by default.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical; 1 to K by default for a table.
    values : sequence or mapping, optional
        An increasing number per class; by default numeric labels themselves, else 1 to K.
    bins : {"round", "floor"} or sequence of float, optional
        How real numbers become classes: the nearest class (halves upwards), the highest class
        that is not above the number, or the edges between classes.
    sample_weight : array_like of shape (n_items,), optional
        The importance of each item.
    frequency : array_like of int of shape (n_items,), optional
        The number of items that each row stands for.
    missing : {"error", "skip", "worst"}
        What to do about missing labels: raise an error, leave the item out, or take a missing
        prediction as the class farthest from gold.
    na : value or sequence of values, optional
        Codes that stand for a missing label, e.g. 99 or "."; numbers match by size, texts
        without surrounding spaces.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ax = oe.plot.uoc_curve([[5, 2, 0], [1, 4, 2], [1, 0, 6]])
    >>> ax.get_legend().get_texts()[0].get_text()
    'UOC: AUOC 0.411'
    """
    if isinstance(data, (Result, Counts, JointCounts)) and y_pred is not None:
        y_pred, systems = None, _names(y_pred)
    if isinstance(data, Result):
        scale = data.scores.scale.with_values(values)
    else:
        data = read_tables(
            data,
            y_pred,
            labels=labels,
            values=values,
            bins=bins,
            sample_weight=sample_weight,
            frequency=frequency,
            missing=missing,
            na=na,
        )
        scale = data.scale
    curves, steps = _curves(data, systems), scale.numbers
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


def _names(given: object) -> str | Sequence[str]:
    """Return the systems named after a result or counts."""
    if isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given):
        return given
    raise InputError(
        "Results and counts hold the predictions already; names of systems are expected.",
        parameter="y_pred",
    )


def _curves(data: Result | Counts, systems: str | Sequence[str] | None) -> list[tuple[str, Floats]]:
    """Return the names and tables of the systems to draw."""
    names = data.systems[:_MOST_SERIES] if systems is None else systems
    if isinstance(names, str):
        return [(names, one_table(data, names)[0])]
    if systems is None and not names:
        return [("UOC", one_table(data, None)[0])]
    return [(name, one_table(data, name)[0]) for name in _few(names)]


def _few(names: Sequence[_Name]) -> Sequence[_Name]:
    """Return the names if there is a colour for each."""
    if not 1 <= len(names) <= _MOST_SERIES:
        raise InputError(
            f"{len(names)} names were given; a figure shows one to {_MOST_SERIES} in colour."
        )
    return names


def topics(
    result: Result,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the spread of scores over topics, best system on top.

    Thin lines span the middle 90 % of the topics and thick ones the middle half; ticks are
    medians and dots are means.

    Parameters
    ----------
    result : Result
        A result with topics.
    measure : str or Measure, optional
        The measure; the primary one by default.
    most : int, optional
        The number of systems, from the best one; all by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> systems = {"a": [1, 2, 3, 3, 2, 2], "b": [3, 2, 3, 1, 2, 2]}
    >>> result = oe.compare(
    ...     [1, 2, 3, 3, 2, 1], systems, labels=[1, 2, 3], topics=list("xxyyzz"), measures="mae"
    ... )
    >>> oe.plot.topics(result).get_xlabel()
    'MAEᵘ (lower is better ↓)'
    """
    rows, scores = result_rows(result, measure)[:most], result.scores
    chosen = rows[0].measure
    if scores.per_topic is None:
        raise InputError("This result has no scores per topic.", parameter="result")
    by_topic = scores.per_topic[scores.row(chosen)]
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(rows))
    for y, row in enumerate(rows):
        found = by_topic[scores.place(row.system)]
        if (defined := found[~np.isnan(found)]).size:
            _spread(ax, defined, y)
    dress(ax, title=f"{chosen.record.title} by topic", x=axis_label(result.scores, chosen))
    return name_rows(ax, [row.system for row in rows])


def _spread(ax: Axes, values: Floats, y: int) -> None:
    low, first, median, third, high = np.quantile(values, [0.05, 0.25, 0.5, 0.75, 0.95])
    ax.plot([low, high], [y, y], color=INK, alpha=0.45, linewidth=0.9)
    line: dict[str, Any] = {"color": BLUE, "solid_capstyle": "butt"}
    ax.plot([first, third], [y, y], alpha=0.55, linewidth=5, **line)
    ax.plot([median, median], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    ax.plot(values.mean(), y, marker="o", markersize=3.5, color=VERMILION)


def shares(result: Result, systems: Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw mean estimated distributions (markers) against gold (bars), for one to six systems.

    Parameters
    ----------
    result : Result
        A result of `quantify`.
    systems : sequence of str, optional
        The systems to draw; the best ones by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [[0.2, 0.3, 0.5], [0.1, 0.6, 0.3]]
    >>> result = oe.quantify(gold, {"a": gold[::-1]}, labels=["low", "mid", "high"])
    >>> [label.get_text() for label in oe.plot.shares(result).get_xticklabels()]
    ['low', 'mid', 'high']
    """
    rows, labels = result_rows(result, None), result.scores.scale.labels
    gold, found = mean_shares(result)
    names = _few([row.system for row in rows][:_MOST_SERIES] if systems is None else systems)
    ax = canvas(ax, 6.5, 3.4)
    x = np.arange(len(labels))
    handles: list[Any] = [ax.bar(x, gold, width=0.8, color=INK, alpha=FAINT, linewidth=0)]
    for i, name in enumerate(names):
        shift = (i - (len(names) - 1) / 2) * 0.6 / max(len(names), 2)
        style: Any = {"marker": MARKERS[i], "linestyle": "", "markersize": 6, "color": COLOURS[i]}
        handles += ax.plot(x + shift, found[result.scores.place(name)], **style)
    ax.set_xticks(x, short_names(labels, 14), fontsize=TEXT, **PLAIN)
    ax.grid(axis="y", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_ylim(bottom=0)
    legend(ax, handles, ["gold", *short_names(names)], loc="best")
    return dress(ax, title="Mean distributions against gold", x="class", y="mean share")


def discriminative_power(
    power: DiscriminativePower,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw the p-values of all pairs of systems in ascending order, a curve per measure.

    The further to the right a curve stays below the level, the more pairs of systems differ
    significantly under the measure.

    Parameters
    ----------
    power : DiscriminativePower
        The outcome of `ordeval.meta.discriminative_power`.
    measures : str, Measure or sequence of these, optional
        The measures to draw in colour; the six strongest by default. The others are thin lines.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels(
    ...     [1, 2, 3, 1, 2, 3],
    ...     {"a": [1, 2, 3, 1, 2, 2], "b": [1, 2, 2, 1, 1, 3], "c": [3, 2, 1, 2, 1, 3]},
    ...     labels=[1, 2, 3],
    ...     topics=["t", "t", "t", "u", "u", "u"],
    ... )
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    >>> power = oe.meta.discriminative_power(scores, trials=50, rng=0)
    >>> oe.plot.discriminative_power(power).get_ylabel()
    'p-value'
    """
    order = [power.measures[i] for i in power.order]
    given = [measures] if isinstance(measures, (str, Measure)) else measures
    named = order[:_MOST_SERIES] if given is None else [_known(m, order) for m in _few(given)]
    curves = dict(zip(power.measures, power.curves, strict=True))
    significant = dict(zip(power.measures, power.significant, strict=True))
    ax, handles, names = canvas(ax, 6.5, 3.8), [], []
    pairs = len(power.pairs)
    rank = np.arange(1, pairs + 1)
    for name in order:
        if name not in named:
            ax.plot(rank, curves[name], color=INK, alpha=0.25, linewidth=0.7)
    for i, name in enumerate(named):
        style: Any = {"color": COLOURS[i], "linestyle": LINES[i], "linewidth": 1.6}
        handles += ax.plot(rank, curves[name], **style)
        names.append(f"{short_measure(name)}: {significant[name]} of {pairs}")
    _level_line(ax, power.alpha)
    ax.set(xlim=(1, max(pairs, 2)), ylim=(0, 4 * power.alpha))
    legend(ax, handles, names, loc="upper left", title="significant pairs")
    return dress(ax, title="Discriminative power", x="pairs of systems, by p-value", y="p-value")


def _known(measure: str | Measure, names: Sequence[str]) -> str:
    """Return the name of a measure in the data, however it is written."""
    full = find_name(measure, names)
    if full is None:
        raise InputError(f"{str(measure)!r} was not judged; there are {', '.join(names)}.")
    return full


def _level_line(ax: Axes, alpha: float) -> None:
    """Draw the level of significance with its name."""
    ax.axhline(alpha, color=INK, linewidth=0.8, linestyle=":")
    place: dict[str, Any] = {"xytext": (2, 3), "textcoords": "offset points"}
    ax.annotate(f"p = {alpha:g}", (1, alpha), fontsize=SMALL, color=INK, **place)


def consistency(found: Consistency, *, ax: Axes | None = None) -> Axes:
    """Draw Kendall's τ between the rankings on two sets of topics, best measure on top.

    Ticks are means over the splits. Thick lines are their intervals over resampled topics or, if
    topics were not resampled, 95 % intervals over the splits. Thin lines hold the middle 90 % of
    the splits.

    Parameters
    ----------
    found : Consistency
        The outcome of `ordeval.meta.consistency`.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels(
    ...     [1, 2, 3, 1, 2, 3] * 2,
    ...     {"a": [1, 2, 3, 1, 2, 2] * 2, "b": [1, 2, 2, 1, 1, 3] * 2, "c": [3, 2, 1, 2, 1, 3] * 2},
    ...     labels=[1, 2, 3],
    ...     topics=list("tttuuuvvvwww"),
    ... )
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    >>> found = oe.meta.consistency(scores, size=2, splits=20, mean_splits=20, trials=20, rng=0)
    >>> oe.plot.consistency(found).get_title(loc="left")
    'Consistency of the ranking of systems'
    """
    names = [short_measure(found.measures[i]) for i in found.order]
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(names))
    for y, place in enumerate(found.order):
        tau = found.tau[:, place]
        if np.isnan(tau).any():
            continue
        ax.plot(np.quantile(tau, [0.05, 0.95]), [y, y], color=INK, alpha=0.45, linewidth=0.9)
        mean, half = found.mean[place], 1.96 * found.standard_error[place]
        over_splits = np.array([mean - half, mean + half])
        ends = over_splits if found.interval is None else found.interval[place]
        ax.plot(ends, [y, y], color=BLUE, linewidth=5, solid_capstyle="butt")
        ax.plot([mean, mean], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    first, second = found.sizes
    splits = f"{found.mean_splits:,} splits, {first} against {second} topics"
    title = "Consistency of the ranking of systems"
    dress(ax, title=title, x=f"Kendall's τ-{found.variant} ({splits})")
    return name_rows(ax, names)
