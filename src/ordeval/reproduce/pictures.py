"""Pictures that consist of several panels: matrices with paths, and outputs of systems."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..plot.style import (
    BLUE,
    INK,
    ORANGE,
    PLAIN,
    SMALL,
    TEXT,
    TITLE,
    VERMILION,
    canvas,
    dress,
    ink_on,
    name_tiles,
    plain,
    shade,
    tiles,
)

_PATH_LINES = (("-", VERMILION), ("--", INK), (":", BLUE))
_GREYS = (0.15, 0.62, 1.0)  # of the first, second and third gold class
_EDGE = "#80868f"  # seen on black and on white


def _panels(rows: int, columns: int, width: float, height: float, title: str) -> list[list[Axes]]:
    figure: Any = canvas(None, width, height).figure
    figure.clear()
    figure.suptitle(plain(title), fontsize=TITLE, color=INK, x=0.01, ha="left")
    return [list(row) for row in figure.subplots(rows, columns, squeeze=False)]


def draw_paths(title: str, series: Mapping[str, Mapping[str, Any]]) -> Axes:
    """Draw matrices `{name: {"counts": table, "paths": lists of cells}}` beside each other."""
    [panels] = _panels(1, len(series), 3.1 * len(series), 3.6, title)
    for ax, (name, content) in zip(panels, series.items(), strict=True):
        _matrix(ax, np.asarray(content["counts"], dtype=np.float64))
        dress(ax, title=name, x="predicted class", y="gold class")
        for path, (line, colour) in zip(content["paths"], _PATH_LINES, strict=False):
            down, across = np.array(path).T - 0.5
            ax.plot(across, down, linestyle=line, color=colour, linewidth=2.2, marker="o", ms=3.5)
    return panels[0]


def _matrix(ax: Axes, counts: Any) -> None:
    """Draw counts as tiles; zeros have no number."""
    k = len(counts)
    hues = [[BLUE if g == p else ORANGE for p in range(k)] for g in range(k)]
    strength = 0.15 + 0.35 * counts / max(counts.max(), 1.0)
    colours = [
        [shade(hue, s if n else 0.06) for hue, s, n in zip(*line, strict=True)]
        for line in zip(hues, strength, counts, strict=True)
    ]
    tiles(ax, np.array(colours))
    names = list(range(1, k + 1))
    name_tiles(ax, names, names, 4)
    for g, p in zip(*np.nonzero(counts), strict=True):
        # No monotone path passes through this corner of a tile.
        ax.text(p + 0.1, g + 0.9, f"{counts[g, p]:g}", fontsize=TEXT, color=INK, **PLAIN)


def draw_outputs(title: str, series: Mapping[str, Mapping[str, Any]]) -> Axes:
    """Draw pairs of outputs `{property: {"relation", "left", "right"}}`, a row for each property.

    An output is a mapping of "counts" `[gold, predicted]` to "values" of the classes. A column is a
    predicted class, a box an item, and its shade and number are its gold class.
    """
    rows = _panels(len(series), 2, 6.4, 2.1 * len(series), title)
    for panels, (name, content) in zip(rows, series.items(), strict=True):
        for ax, side in zip(panels, ("left", "right"), strict=True):
            _output(ax, np.asarray(content[side]["counts"], dtype=int), content[side]["values"])
            heading = name if side == "left" else f"{content['relation']} this output"
            dress(ax, title=heading, x="value of the predicted class", y="items")
    return rows[0][0]


def _output(ax: Axes, counts: Any, values: Sequence[float]) -> None:
    width = 0.8 * min(np.diff(values))
    for value, column in zip(values, counts.T, strict=True):
        stack = np.repeat(np.arange(len(column)), column)
        for height, g in enumerate(stack):
            grey = (_GREYS[g],) * 3
            ax.bar(value, 1, width, bottom=height, color=grey, edgecolor=_EDGE, linewidth=1.0)
            style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": SMALL, **PLAIN}
            ax.text(value, height + 0.5, str(g + 1), color=ink_on(grey), **style)
    ax.set_xticks(list(values), [f"{value:g}" for value in values])
    ax.set_yticks(range(0, int(counts.sum(axis=0).max()) + 2, 2))
    ax.set_xlim(values[0] - width, values[-1] + width)
