"""The few kinds of figures that the studies draw. matplotlib is loaded when one is drawn."""

from collections.abc import Mapping, Sequence
from typing import Any

from .study import Drawing

Curve = tuple[Sequence[float], Sequence[float]]


def curves(
    name: str,
    words: str,
    series: Mapping[str, Curve],
    *,
    title: str,
    x: str,
    y: str,
    level: float | None = None,
    top: float | None = None,
    marks: bool = True,
) -> Drawing:
    """Lines, told apart by dash and mark as well as by colour.

    `level` is a dotted rule, `top` the end of the vertical axis.
    """

    def draw() -> Any:
        from ..plot.style import INK, canvas, dress, legend

        ax, handles = canvas(None, 6.8, 3.8), []
        for i, (xs, ys) in enumerate(series.values()):
            style = _style(i) if marks else _style(i) | {"marker": None}
            handles += ax.plot(xs, ys, markevery=max(1, len(xs) // 10), **style)
        if level is not None:
            ax.axhline(level, color=INK, linewidth=0.8, linestyle=":")
        if top is not None:
            ax.set_ylim(0, top)
        legend(ax, handles, list(series), loc="center left", bbox_to_anchor=(1.0, 0.5))
        return dress(ax, title=title, x=x, y=y)

    return Drawing(name, words, draw)


def uoc_against_beta(name: str, words: str, table: Any) -> Drawing:
    """UOC of a table against β, the area below shaded."""

    def draw() -> Any:
        from ..plot import uoc_curve

        return uoc_curve(table)

    return Drawing(name, words, draw)


def bars(
    name: str, words: str, panels: Mapping[str, Mapping[str, float]], *, title: str, y: str
) -> Drawing:
    """Bars, one group beside the other."""

    def draw() -> Any:
        from ..plot.style import COLOURS, SMALL, canvas, dress, legend

        ax, handles, start = canvas(None, 6.8, 3.2), [], 0
        ticks: dict[int, str] = {}
        for colour, heights in zip(COLOURS, panels.values(), strict=False):
            places = list(range(start, start + len(heights)))
            handles.append(ax.bar(places, list(heights.values()), color=colour))
            ticks |= dict(zip(places, heights, strict=True))
            start += len(heights) + 1
        ax.set_xticks(list(ticks), list(ticks.values()), rotation=35, ha="right", fontsize=SMALL)
        legend(ax, handles, list(panels))
        return dress(ax, title=title, y=y)

    return Drawing(name, words, draw)


def points(
    name: str, words: str, groups: Mapping[str, Curve], *, title: str, x: str, y: str
) -> Drawing:
    """Points of several groups."""

    def draw() -> Any:
        from ..plot.style import canvas, dress, legend

        ax, handles = canvas(None, 5.0, 4.0), []
        for i, (xs, ys) in enumerate(groups.values()):
            style = _style(i) | {"linestyle": "", "markersize": 5}
            handles += ax.plot(xs, ys, **style)
        legend(ax, handles, list(groups), loc="center left", bbox_to_anchor=(1.0, 0.5))
        return dress(ax, title=title, x=x, y=y)

    return Drawing(name, words, draw)


def two_intervals(
    name: str,
    words: str,
    rows: Mapping[str, tuple[float, float, float, float]],
    *,
    title: str,
    x: str,
) -> Drawing:
    """Ours and printed, each mean ± standard deviation: (mean, sd, printed mean, printed sd)."""

    def draw() -> Any:
        from ..plot.style import BLUE, VERMILLION, canvas, dress, legend, name_rows

        ax = canvas(None, 6.5, 1.2 + 0.3 * len(rows))
        handles: list[Any] = []
        for i, (mean, sd, theirs, their_sd) in enumerate(rows.values()):
            style: dict[str, Any] = {"markersize": 4, "linestyle": ""}
            ours = ax.errorbar(mean, i - 0.14, xerr=sd, marker="o", color=BLUE, **style)
            other = ax.errorbar(
                theirs, i + 0.14, xerr=their_sd, marker="s", color=VERMILLION, **style
            )
            handles = [ours, other]
        name_rows(ax, list(rows))
        legend(ax, handles, ["ours", "printed"])
        return dress(ax, title=title, x=x)

    return Drawing(name, words, draw)


def _style(i: int) -> dict[str, Any]:
    """Colour, dash and mark of the i-th series; no two are alike in all three."""
    from ..plot.style import COLOURS, LINES, MARKERS

    turn = i // len(COLOURS)
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": LINES[(i + turn) % len(LINES)],
        "marker": MARKERS[(i + turn) % len(MARKERS)],
        "linewidth": 1.4,
        "markersize": 4,
    }
