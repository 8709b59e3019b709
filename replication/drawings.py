"""Pictures of the papers' figures, drawn with matplotlib from the data of a `Drawing`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import ordeval as oe

from .study import Drawing

_MARKERS = "osD^vP*X"


def draw(drawing: Drawing) -> Figure:
    """Draw a figure."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    if drawing.kind in _PANELS:
        figure.suptitle(drawing.title)
        _PANELS[drawing.kind](figure, drawing)
        return figure
    ax = figure.subplots()
    _DRAWN[drawing.kind](ax, drawing)
    ax.set(title=drawing.title, xlabel=drawing.x, ylabel=drawing.y)
    if drawing.level is not None:
        ax.axhline(drawing.level, color="black", linewidth=0.8, linestyle=":")
    if drawing.top is not None:
        ax.set_ylim(0, drawing.top)
    figure.legend(loc="outside right center")
    return figure


def _curves(ax: Any, drawing: Drawing) -> None:
    for i, (name, (xs, ys)) in enumerate(drawing.series.items()):
        marker = _MARKERS[i % len(_MARKERS)] if drawing.marks else None
        ax.plot(xs, ys, marker=marker, markevery=max(1, len(xs) // 10), label=name)


def _uoc(ax: Any, drawing: Drawing) -> None:
    betas = np.linspace(0, 1, 101)
    for name, table in drawing.series.items():
        scores = [oe.measure(f"uoc(beta={b})").of(np.asarray(table, float)) for b in betas]
        ax.plot(betas, scores, label=name)


def _points(ax: Any, drawing: Drawing) -> None:
    for marker, (name, (xs, ys)) in zip(_MARKERS, drawing.series.items(), strict=False):
        ax.plot(xs, ys, marker, label=name)


def _bars(ax: Any, drawing: Drawing) -> None:
    """Draw one group of bars beside the other."""
    ticks: list[str] = []
    for name, heights in drawing.series.items():
        ax.bar(range(len(ticks), len(ticks) + len(heights)), list(heights.values()), label=name)
        ticks += [*map(str, heights), ""]
    ax.set_xticks(range(len(ticks)), ticks, rotation=35, ha="right")


def _intervals(ax: Any, drawing: Drawing) -> None:
    """Draw ours and the printed figures, each as mean ± standard deviation."""
    mean, sd, printed, printed_sd = np.array(list(drawing.series.values())).T
    at = np.arange(len(mean))
    ax.errorbar(mean, at - 0.15, xerr=sd, fmt="o", label="ours")
    ax.errorbar(printed, at + 0.15, xerr=printed_sd, fmt="s", label="printed")
    ax.set_yticks(at, list(drawing.series))


def _paths(figure: Figure, drawing: Drawing) -> None:
    """Draw matrices `{name: {"counts": table, "paths": lists of cells}}` beside each other."""
    panels = figure.subplots(1, len(drawing.series), squeeze=False)[0]
    for ax, (name, content) in zip(panels, drawing.series.items(), strict=True):
        counts = np.asarray(content["counts"], dtype=float)
        _matrix(ax, counts)
        ax.set(title=name, xlabel="predicted class", ylabel="gold class")
        for path, line in zip(content["paths"], ("-", "--", ":"), strict=False):
            down, across = np.array(path).T - 1
            ax.plot(across, down, linestyle=line, marker="o", color="tab:red")


def _matrix(ax: Any, counts: Any) -> None:
    names = range(1, len(counts) + 1)
    ax.imshow(counts, cmap="Blues", vmax=2 * max(counts.max(), 1.0))
    ax.set_xticks(range(len(counts)), names)
    ax.set_yticks(range(len(counts)), names)
    for g, p in zip(*np.nonzero(counts), strict=True):
        ax.text(p, g, f"{counts[g, p]:g}", ha="center", va="bottom")


def _outputs(figure: Figure, drawing: Drawing) -> None:
    """Draw pairs of outputs `{property: {"relation", "left", "right"}}`, a row for each property.

    An output has "counts" `[gold, predicted]` and "values" of the classes. A column is a predicted
    class, and its boxes are items of the gold classes.
    """
    figure.set_size_inches(7, 2.1 * len(drawing.series))
    rows = figure.subplots(len(drawing.series), 2, squeeze=False)
    for panels, (name, content) in zip(rows, drawing.series.items(), strict=True):
        for ax, side in zip(panels, ("left", "right"), strict=True):
            output = content[side]
            bottom = np.zeros(len(output["values"]))
            for g, items in enumerate(np.asarray(output["counts"], dtype=int)):
                bars = ax.bar(output["values"], items, bottom=bottom, edgecolor="black")
                ax.bar_label(bars, [str(g + 1) if n else "" for n in items], label_type="center")
                bottom += items
            title = name if side == "left" else f"{content['relation']} this output"
            ax.set_title(title, fontsize="medium")
            ax.set(xticks=output["values"], ylabel="items")


_DRAWN: Mapping[str, Callable[[Any, Drawing], None]] = {
    "curves": _curves,
    "points": _points,
    "bars": _bars,
    "intervals": _intervals,
    "uoc": _uoc,
}
_PANELS: Mapping[str, Callable[[Figure, Drawing], None]] = {"paths": _paths, "outputs": _outputs}
