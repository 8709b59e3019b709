"""Figures of the cost against items, classes, systems, raters and replicates."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from ordeval.plot.draw import BLUE, COLOURS, FAINT, INK, LINES, MARKERS, SMALL, TEXT, dress

from .rows import time_text
from .tasks import TASKS

WIDTH, HEIGHT = 3.4, 2.5  # of a panel, in inches
TITLES = {task.name: task.title for task in TASKS}


class CostFigure(NamedTuple):
    """Panels with the same horizontal axis."""

    axis: str
    label: str
    tasks: tuple[str, ...]
    alt: str


FIGURES = (
    CostFigure(
        "items",
        "items",
        ("qwk", "macro_f1", "macro_mae", "kendall_b"),
        "Processor time of four scores against the number of items, ours and other packages",
    ),
    CostFigure(
        "classes",
        "classes",
        ("qwk, classes", "macro_mae, classes"),
        "Processor time of two scores against the number of classes",
    ),
    CostFigure(
        "systems",
        "systems",
        ("many systems", "randomised Tukey"),
        "Processor time of comparisons against the number of systems",
    ),
    CostFigure(
        "raters",
        "raters",
        ("krippendorff", "fleiss", "coefficients", "icc"),
        "Processor time of coefficients of agreement against the number of raters",
    ),
    CostFigure(
        "replicates",
        "replicates",
        ("bootstrap", "two systems"),
        "Processor time of intervals and tests against the number of replicates",
    ),
)
SAME_AXIS = {"two systems": "trials"}


def points(cases: Sequence[Mapping[str, Any]], task: str, axis: str) -> dict[str, list[Any]]:
    """Return (size, seconds) of every package along one axis."""
    found: dict[str, list[Any]] = {}
    for case in cases:
        if case["task"] != task or list(case["size"]) != [axis]:
            continue
        rows = [{"package": "ordeval", **case}, *case["peers"]]
        for row in rows:
            if "cpu" in row:
                found.setdefault(row["package"], []).append((case["size"][axis], row["cpu"]))
    return found


def draw(figure: CostFigure, cases: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draw a figure and write it as SVG."""
    rows = -(-len(figure.tasks) // 2)
    canvas = Figure(figsize=(2 * WIDTH, rows * HEIGHT), layout="constrained")
    for place, task in enumerate(figure.tasks):
        ax = canvas.add_subplot(rows, 2, place + 1)
        panel(ax, task, points(cases, task, SAME_AXIS.get(task, figure.axis)), figure.label)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "ordeval"}):
        canvas.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(line.rstrip() for line in lines) + "\n", "utf-8")


def panel(ax: Axes, task: str, found: Mapping[str, Sequence[Any]], label: str) -> None:
    """Draw the times of all packages for one task; colours, markers and lines say the same."""
    for place, (package, of_package) in enumerate(found.items()):
        own = package == "ordeval"
        style = {"color": BLUE if own else COLOURS[place % len(COLOURS)]}
        x, y = zip(*of_package, strict=True)
        ax.plot(
            x, y, label=package, marker=MARKERS[place % len(MARKERS)], markersize=4,
            linestyle=LINES[place % len(LINES)], linewidth=2.2 if own else 1.3, **style,
        )  # fmt: skip
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.grid(color=INK, alpha=FAINT, linewidth=0.6)
    dress(ax, title=TITLES[task].partition(",")[0], x=f"number of {label}", y="CPU time")
    sizes = sorted({x for of_package in found.values() for x, _ in of_package})
    ax.set_xticks(sizes, [f"{x:,}" for x in sizes], fontsize=SMALL)
    ax.set_xticks([], minor=True)
    ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 3.0)))
    ax.yaxis.set_major_formatter(lambda seconds, _: time_text(seconds))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.tick_params(labelsize=TEXT - 1)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.4)  # room for the legend
    if found:
        ax.legend(loc="upper left", ncols=2, fontsize=SMALL, frameon=False, labelcolor=INK)
