"""Draw the figures of `ordeval.report.figures` with matplotlib."""

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..report.figures import Dots, Grid, Lines, Mark, Stack, Tile
from .style import (
    BLUE,
    COLOURS,
    FAINT,
    INK,
    LINES,
    MARKERS,
    ORANGE,
    PLAIN,
    SMALL,
    TEXT,
    VERMILION,
    canvas,
    dress,
    ink_on,
    legend,
    name_rows,
    plain,
    shade,
    short_names,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HUES = {
    **dict.fromkeys(("right", "agree", "less", "win"), BLUE),
    **dict.fromkeys(("wrong", "oppose", "over", "loss"), ORANGE),
}
_GREYS = {"self": (0.82, 0.83, 0.85, 1.0)}
_GREY = (0.94, 0.945, 0.95, 1.0)
_MOST_NUMBERS = 20  # wider grids show colours only
_MOST_NAMED = 26  # of more rows, only some are named
_STEPS = [digit * 10**power for power in range(16) for digit in (1, 2, 5)]


def draw(figure: Dots | Grid | Lines | Stack, ax: "Axes | None") -> "Axes":
    """Draw a figure on axes, or on those of a new figure."""
    draws: dict[type, Any] = {Dots: _dots, Grid: _grid, Lines: _lines, Stack: _stack}
    drawn: Axes = draws[type(figure)](figure, ax)
    return drawn


def _dots(figure: Dots, ax: "Axes | None") -> "Axes":
    ax = canvas(ax, 6.5, 1.0 + 0.24 * len(figure.marks))
    if all(map(isfinite, figure.band)):
        ax.axvspan(*figure.band, color=BLUE, alpha=0.12, lw=0)
    if isfinite(figure.line):
        ax.axvline(figure.line, color=INK, linewidth=0.8, linestyle=":")
    for y, mark in enumerate(figure.marks):
        _mark(ax, mark, y)
    ax.set_xlim(*figure.span)
    dress(ax, title=figure.title, x=figure.label)
    name_rows(ax, [mark.name for mark in figure.marks])
    return ax


def _mark(ax: "Axes", mark: Mark, y: int) -> None:
    spread = isfinite(mark.tick)
    colour = {"hollow": INK, "model": VERMILION, "mean": VERMILION}.get(mark.kind, BLUE)
    line: dict[str, Any] = {"solid_capstyle": "butt"}
    if isfinite(mark.low) and isfinite(mark.high):
        width = 1.1 if mark.kind == "hollow" else 1.6
        thin: dict[str, Any] = {"color": colour, "linewidth": width}
        thin = {"color": INK, "alpha": 0.45, "linewidth": 0.9} if spread else thin
        ax.plot([mark.low, mark.high], [y, y], **thin, **line)
    if all(map(isfinite, mark.inner)):
        ax.plot(mark.inner, [y, y], color=BLUE, alpha=0.6, linewidth=5, **line)
    if spread:
        ax.plot([mark.tick, mark.tick], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    if mark.dots:
        style: dict[str, Any] = {"marker": "o", "markersize": 3.5, "alpha": 0.75, "linestyle": ""}
        ax.plot(mark.dots, [y] * len(mark.dots), color=INK, **style)
    if isfinite(mark.value):
        style = {"markeredgecolor": colour, "markeredgewidth": 1.1, "linestyle": ""}
        face = "white" if mark.kind == "hollow" else colour
        marker, size = "s" if mark.kind == "model" else "o", 3.5 if spread else 5
        ax.plot([mark.value], [y], marker=marker, markersize=size, markerfacecolor=face, **style)


def _grid(figure: Grid, ax: "Axes | None") -> "Axes":
    """Draw tiles; with many of them there are no numbers, and not every one is named."""
    rows, columns = len(figure.rows), len(figure.columns)
    names = [name for name, _ in figure.rows]
    longest = min(max(len(plain(name)) for name in names), 28)
    side = min(0.62 * columns, 6.0) if columns > 3 else 0.8 * columns
    ax = canvas(ax, side + 1.0 + 0.07 * longest, min(0.62 * rows, 6.0) + 1.2)
    colours = np.array([[_colour(tile, columns) for tile in tiles] for _, tiles in figure.rows])
    edge = 1.5 if max(rows, columns) <= _MOST_NUMBERS else 0.0
    ax.pcolormesh(colours, edgecolors="white", linewidth=edge)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    dress(ax, title=figure.title)
    for spine in ax.spines.values():
        spine.set_visible(False)
    _name_tiles(ax, names, figure.columns)
    if columns <= _MOST_NUMBERS:
        _write_tiles(ax, figure, colours)
    if "→" in figure.corner:
        down, across = figure.corner.removesuffix(" →").split(" ↓ ")
        ax.set_ylabel(plain(down), fontsize=TEXT, color=INK, **PLAIN)
        ax.set_xlabel(plain(across), fontsize=TEXT, color=INK, **PLAIN)
    return ax


def _write_tiles(ax: "Axes", figure: Grid, colours: Any) -> None:
    few = len(figure.columns) <= 9
    size = TEXT if few else SMALL - 1.5
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, **PLAIN}
    for i, (_, tiles) in enumerate(figure.rows):
        for j, tile in enumerate(tiles):
            text = f"{tile.text}\n{tile.under}".strip() if few else tile.text
            if text and (few or text != "0"):
                ax.text(j + 0.5, i + 0.5, text, color=ink_on(colours[i, j]), **style)


def _colour(tile: Tile, columns: int) -> tuple[float, float, float, float]:
    if tile.kind not in _HUES:
        return _GREYS.get(tile.kind, _GREY)
    strength = 0.55 if tile.kind in ("win", "loss") else tile.shade
    return shade(_HUES[tile.kind], strength**0.5 if columns > _MOST_NUMBERS else strength)


def _name_tiles(ax: "Axes", rows: Any, columns: Any) -> None:
    """Label rows and columns; long names of columns are turned, and of many only some are shown."""
    every = next(step for step in _STEPS if max(len(rows), len(columns)) <= step * _MOST_NAMED)
    limit = 28 if len(columns) <= 9 else 16
    across, down = short_names(columns, limit)[::every], short_names(rows, 28)[::every]
    turned = max(map(len, across)) > (4 if len(across) > 6 else 9)
    turn: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style: dict[str, Any] = {"fontsize": TEXT if len(across) <= 15 else SMALL - 1, **PLAIN}
    x, y = ([every * i + 0.5 for i in range(len(names))] for names in (across, down))
    ax.set_xticks(x, across, **style, **(turn if turned else {}))
    ax.set_yticks(y, down, **style)
    ax.tick_params(length=0, colors=INK)


def _lines(figure: Lines, ax: "Axes | None") -> "Axes":
    ax = canvas(ax, 6.5, 3.6)
    handles: list[Any] = []
    named = [series for series in figure.series if not series.faint]
    if figure.bars:
        x = range(len(figure.bars))
        handles.append(ax.bar(x, figure.bars, width=0.8, color=INK, alpha=FAINT, linewidth=0))
    for series in (s for s in figure.series if s.faint):
        ax.plot(series.x, series.y, color=INK, alpha=0.25, linewidth=0.7)
    for i, series in enumerate(named):
        style: Any = {"color": COLOURS[i], "linestyle": LINES[i], "linewidth": 1.6}
        places = np.asarray(series.x, dtype=float)
        if figure.names:
            places = places + (i - (len(named) - 1) / 2) * 0.6 / max(len(named), 2)
            style = {"color": COLOURS[i], "linestyle": "", "marker": MARKERS[i], "markersize": 6}
        handles += ax.plot(places, series.y, **style)
        if figure.filled:
            ax.fill_between(places, series.y, color=COLOURS[i], alpha=0.15, linewidth=0)
    ax.grid(axis="y" if figure.names else "both", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_ylim(*figure.ylim)
    if figure.names:
        ax.set_xticks(
            range(len(figure.names)), short_names(figure.names, 14), fontsize=TEXT, **PLAIN
        )
    else:
        ax.set_xlim(*figure.xlim)
    height, name = figure.level
    if isfinite(height):
        ax.axhline(height, color=INK, linewidth=0.8, linestyle=":")
        place: dict[str, Any] = {"xytext": (2, 3), "textcoords": "offset points"}
        ax.annotate(name, (figure.xlim[0], height), fontsize=SMALL, color=INK, **place)
    names = [*(["gold"] if figure.bars else []), *(series.name for series in named)]
    legend(ax, handles, names, loc="best", title=figure.legend or None)
    return dress(ax, title=figure.title, x=figure.x, y=figure.y)


def _stack(figure: Stack, ax: "Axes | None") -> "Axes":
    rows, k = len(figure.rows), len(figure.names)
    across = min(max(60 // (6 + max(map(len, figure.names))), 1), 5, k)
    ax = canvas(ax, 6.5, 1.3 + 0.28 * rows + 0.16 * (k // across))
    shares = 100 * np.array([shares for _, shares in figure.rows])
    left, handles = np.zeros(rows), []
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, **PLAIN}
    for place in range(k):
        colour, widths = shade(BLUE, 0.12 + 0.83 * place / max(k - 1, 1)), shares[:, place]
        edge: dict[str, Any] = {"edgecolor": INK, "linewidth": 0.3, "height": 0.74}
        handles.append(ax.barh(range(rows), widths, left=left, color=colour, **edge))
        for y, (width, start) in enumerate(zip(widths, left, strict=True)):
            if width >= 7:
                ax.text(start + width / 2, y, f"{width:.0f} %", color=ink_on(colour), **style)
        left = left + widths
    name_rows(ax, [name for name, _ in figure.rows])
    ax.grid(visible=False)
    ax.set_xlim(0, 100)
    anchor: dict[str, Any] = {
        "loc": "upper left",
        "bbox_to_anchor": (0.0, -0.22 / (0.1 + 0.28 * rows)),
    }
    legend(ax, handles, figure.names, ncols=across, title="class, lowest first", **anchor)
    return dress(ax, title=f"{figure.title}, in per cent")
