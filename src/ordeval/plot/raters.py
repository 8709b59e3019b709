"""Figures of raters, and of models beside people."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..measures.spec import Measure
from ..rater_results import Agreement, Estimate, Judgement, coefficient_name
from ..scale import class_groups
from ..types import Floats
from .heatmaps import check_kind, measure_among
from .style import (
    BLUE,
    INK,
    PLAIN,
    SMALL,
    VERMILION,
    canvas,
    dress,
    ends,
    ink_on,
    legend,
    name_rows,
    shade,
    short_names,
    whisker,
)

_MOST_SEGMENTS = 10  # classes, or groups of classes, of a bar
_LEGEND_LETTERS = 60  # that fit into a line of the legend
_LEAST_NAMED = 0.07  # the smallest share that is written into its segment
# Pages turn ink and white with the theme; texts on coloured segments must not follow.
_ON_LIGHT, _ON_DARK = "#0c0e10", "#fdfdfd"


def agreement(found: Agreement, *, ax: Axes | None = None) -> Axes:
    """Draw the coefficients of agreement of all raters with their intervals.

    Parameters
    ----------
    found : Agreement
        The outcome of `ordeval.agreement`.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> found = oe.agreement(ratings, labels=[1, 2, 3], bootstrap=0)
    >>> oe.plot.agreement(found).get_title(loc="left")
    'Agreement of 3 raters'
    """
    check_kind(found, Agreement)
    rows = list(found.coefficients.items())
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(rows))
    for y, (_, estimate) in enumerate(rows):
        whisker(ax, y, _figures(estimate), filled=y == 0)
    known = [x for _, e in rows for x in _figures(e) if not isnan(x)]
    least, most = min([0.0, *known]), max([1.0, *known])
    pad = 0.02 * (most - least)
    ax.set_xlim(least - pad, most + pad)
    if least < 0:
        ax.axvline(0, color=INK, linewidth=0.8, linestyle=":")
    name = f"Agreement of {len(found.raters)} raters" if found.raters else "Agreement of raters"
    dress(ax, title=f"{name}{_with_intervals(found)}", x="coefficient (1: perfect agreement)")
    return name_rows(ax, [coefficient_name(m) for m, _ in rows])


def severity(
    found: Agreement | Judgement, *, most: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw who gives higher or lower classes than the others, the highest on top.

    Dots are raters beside the other raters; squares are models beside people.

    Parameters
    ----------
    found : Agreement or Judgement
        The outcome of `ordeval.agreement` or `ordeval.judge`.
    most : int, optional
        The number of raters, half of them from either end; all by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 3]}
    >>> found = oe.agreement(ratings, labels=[1, 2, 3], bootstrap=0)
    >>> [label.get_text() for label in oe.plot.severity(found).get_yticklabels()]
    ['cai', 'ann', 'ben']
    """
    check_kind(found, Agreement, Judgement)
    rows = ends(_severities(found), most)
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(rows))
    for y, (_, estimate, is_model) in enumerate(rows):
        colour, marker = (VERMILION, "s") if is_model else (BLUE, "o")
        whisker(ax, y, _figures(estimate), filled=True, colour=colour, marker=marker)
    ax.axvline(0, color=INK, linewidth=0.8, linestyle=":")
    dress(
        ax,
        title="Who gives higher classes than the others",
        x="mean class value minus that of the others",
    )
    return name_rows(ax, [name for name, _, _ in rows])


def _severities(found: Agreement | Judgement) -> list[tuple[str, Estimate, bool]]:
    """Return (name, severity, whether it is a model), the highest first, undefined ones last."""
    people = found.people_agreement if isinstance(found, Judgement) else found
    rows = [(row.rater, row.severity, False) for row in people.raters]
    if isinstance(found, Judgement):
        rows += [(row.model, row.lean, True) for row in found.biases]
    return sorted(rows, key=lambda row: (isnan(row[1].value), -row[1].value))


def ceiling(
    found: Judgement,
    measure: str | Measure | None = None,
    *,
    most: int | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw models beside the human ceiling: how well people agree with the others.

    Models are squares, the best on top. The band is the interval of the mean of the people, the
    line in it the mean itself, and each small dot in the lowest row is a person.

    Parameters
    ----------
    found : Judgement
        The outcome of `ordeval.judge`.
    measure : str or Measure, optional
        The measure; the primary one by default.
    most : int, optional
        The number of models, from the best one; all by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> people = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> found = oe.judge(people, {"gpt": [1, 2, 3, 3, 1]}, labels=[1, 2, 3], bootstrap=0)
    >>> [label.get_text() for label in oe.plot.ceiling(found, "mae").get_yticklabels()]
    ['gpt', 'mean of people', 'each person']
    """
    check_kind(found, Judgement)
    chosen = found.primary if measure is None else measure_among(found.measures, measure)
    models = [found.score(name, chosen) for name in found.ranking(chosen)[:most]]
    people = [row for row in found.scores if row.measure == chosen and row.kind == "person"]
    mean = found.ceiling(chosen).leave_one_out
    ax = canvas(ax, 6.5, 1.2 + 0.28 * (len(models) + 2))
    if not isnan(mean.low + mean.high):
        ax.axvspan(mean.low, mean.high, color=BLUE, alpha=0.13, lw=0)
    ax.axvline(mean.value, color=BLUE, linewidth=1.0, linestyle="--")
    for y, row in enumerate(models):
        whisker(ax, y, _figures(row.leave_one_out), filled=True, colour=VERMILION, marker="s")
    whisker(ax, len(models), _figures(mean), filled=True)
    style: dict[str, Any] = {"marker": "o", "markersize": 3.5, "alpha": 0.75, "linestyle": ""}
    values = [row.leave_one_out.value for row in people]
    ax.plot(values, [len(models) + 1] * len(values), color=INK, **style)
    title = f"Models beside people (gold: {found.gold}){_with_intervals(found)}"
    dress(ax, title=title, x=f"{chosen.short} ({chosen.better} is better {chosen.arrow})")
    return name_rows(ax, [*(row.name for row in models), "mean of people", "each person"])


def rater_shares(
    found: Agreement | Judgement, *, most: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw how often every rater gives each class, as stacked bars, low classes at the left.

    Raters come in the order of their severity, the highest on top. For a judgement the first bar is
    that of all people together, and the others are the models. Long scales are divided into at most
    ten groups of classes.

    Parameters
    ----------
    found : Agreement or Judgement
        The outcome of `ordeval.agreement` or `ordeval.judge`.
    most : int, optional
        The number of bars, half of them from either end; all by default.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Examples
    --------
    >>> import ordeval as oe
    >>> ratings = {"ann": [1, 2, 3, 3, 2], "ben": [1, 2, 3, 2, 2], "cai": [1, 3, 3, 3, 1]}
    >>> found = oe.agreement(ratings, labels=[1, 2, 3], bootstrap=0)
    >>> [text.get_text() for text in oe.plot.rater_shares(found).get_legend().get_texts()]
    ['1', '2', '3']
    """
    check_kind(found, Agreement, Judgement)
    rows = ends(_shares(found), most)
    names, starts = class_groups(found.scale.labels, _MOST_SEGMENTS)
    names = short_names(names, 24)
    across = min(max(_LEGEND_LETTERS // (6 + max(map(len, names))), 1), 5, len(names))
    ax = canvas(ax, 6.5, 1.3 + 0.28 * len(rows) + 0.16 * (len(names) // across))
    colours = [shade(BLUE, strength) for strength in np.linspace(0.12, 0.95, len(names))]
    handles: list[Any] = []
    grouped = 100 * np.add.reduceat(np.array([shares for _, shares in rows]), starts, axis=1)
    left = np.zeros(len(rows))
    for widths, colour in zip(grouped.T, colours, strict=True):
        style: dict[str, Any] = {"color": colour, "edgecolor": INK, "linewidth": 0.3}
        handles.append(ax.barh(range(len(rows)), widths, left=left, height=0.74, **style))
        _write_shares(ax, widths, left, _ON_LIGHT if ink_on(colour) == INK else _ON_DARK)
        left = left + widths
    name_rows(ax, [name for name, _ in rows])
    ax.grid(visible=False)
    ax.set_xlim(0, 100)
    place: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (0.0, -0.22 / (0.1 + 0.28 * len(rows))),
    }
    legend(ax, handles, names, ncols=across, title="class, lowest first", **place)
    return dress(ax, title="Share of each class, in per cent")


def _shares(found: Agreement | Judgement) -> list[tuple[str, Sequence[float]]]:
    """Return names and shares: raters, or all people together and the models."""
    if isinstance(found, Agreement):
        shares = {row.rater: row.shares for row in found.raters}
        return [(name, shares[name]) for name, _, _ in _severities(found)]
    models = [(row.model, row.shares) for row in found.biases]
    people = found.people_agreement.raters
    if not people:
        return [*models]
    ratings = np.array([row.items for row in people], dtype=float)
    mean = np.average([row.shares for row in people], axis=0, weights=ratings)
    return [("all people", tuple(map(float, mean))), *models]


def _write_shares(ax: Axes, widths: Floats, left: Floats, colour: str) -> None:
    """Write the shares that have room for it, in per cent."""
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, "color": colour}
    for y, (width, start) in enumerate(zip(widths, left, strict=True)):
        if width >= 100 * _LEAST_NAMED:
            ax.text(start + width / 2, y, f"{width:.0f} %", **style, **PLAIN)


def _with_intervals(found: Agreement | Judgement) -> str:
    return f" with {100 * found.level:g}\u00a0% intervals" if found.replicates else ""


def _figures(estimate: Estimate) -> tuple[float, float, float]:
    return estimate.value, estimate.low, estimate.high
