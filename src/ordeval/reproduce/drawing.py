"""The few kinds of figures that the studies draw."""

from collections.abc import Mapping, Sequence
from typing import Any

from .study import Drawing

Curve = tuple[Sequence[float], Sequence[float]]
_DASHES = ("-", "--", "-.", ":")
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")


def curves(
    name: str,
    words: str,
    series: Mapping[str, Curve],
    *,
    x: str,
    y: str,
    log_y: bool = False,
    level: float | None = None,
    marks: bool = True,
) -> Drawing:
    """Lines, told apart by dash and mark as well as by colour; `level` is a dotted rule."""

    def paint(figure: Any) -> None:
        axes = figure.subplots()
        for i, (label, (xs, ys)) in enumerate(series.items()):
            mark = _MARKS[i % len(_MARKS)] if marks else None
            every = max(1, len(xs) // 12)
            dash = _DASHES[i % len(_DASHES)]
            axes.plot(xs, ys, dash, marker=mark, markevery=every, ms=4, lw=1.4, label=label)
        if level is not None:
            axes.axhline(level, color="0.5", lw=0.8, ls=":")
        if log_y:
            axes.set_yscale("log")
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)

    return Drawing(name, words, paint, (8.0, 4.2))


def shaded(name: str, words: str, curve: Curve, *, x: str, y: str, area: str) -> Drawing:
    """One line with the area below it shaded."""

    def paint(figure: Any) -> None:
        axes = figure.subplots()
        axes.fill_between(*curve, alpha=0.25, label=area)
        axes.plot(*curve, lw=1.6)
        axes.set_ylim(0, 1)
        axes.set_xlim(0, 1)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(frameon=False)

    return Drawing(name, words, paint)


def bars(
    name: str, words: str, panels: Mapping[str, Mapping[str, float]], *, y: str = ""
) -> Drawing:
    """Bars, one panel beside the other."""

    def paint(figure: Any) -> None:
        for axes, (title, heights) in zip(
            figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
        ):
            axes.bar(range(len(heights)), list(heights.values()), color="C0")
            axes.set_xticks(range(len(heights)), list(heights), rotation=30, ha="right")
            axes.set_title(title)
            axes.set_ylabel(y)

    return Drawing(name, words, paint, (4.0 * len(panels), 3.6))


def scatter(
    name: str, words: str, groups: Mapping[str, Curve], *, x: str, y: str
) -> Drawing:
    """Points of several groups."""

    def paint(figure: Any) -> None:
        axes = figure.subplots()
        for i, (label, (xs, ys)) in enumerate(groups.items()):
            axes.scatter(xs, ys, s=18, marker=_MARKS[i % len(_MARKS)], label=label)
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))

    return Drawing(name, words, paint, (6.4, 4.6))


def intervals(
    name: str,
    words: str,
    rows: Mapping[str, tuple[float, float, float, float]],
    *,
    x: str,
) -> Drawing:
    """Ours and printed, each mean ± standard deviation: (mean, sd, printed mean, printed sd)."""

    def paint(figure: Any) -> None:
        axes = figure.subplots()
        for i, (mean, sd, printed, printed_sd) in enumerate(rows.values()):
            ours = axes.errorbar(mean, i - 0.12, xerr=sd, fmt="o", color="C0", ms=4)
            theirs = axes.errorbar(printed, i + 0.12, xerr=printed_sd, fmt="s", color="C1", ms=4)
        axes.set_yticks(range(len(rows)), list(rows))
        axes.invert_yaxis()
        axes.set_xlabel(x)
        axes.legend([ours, theirs], ["ours", "printed"], frameon=False)

    return Drawing(name, words, paint, (6.8, 1.2 + 0.32 * len(rows)))
