"""Studies as tables, text, pages and figures.

Of this package only this module, `layouts` and `pictures` use `ordeval.report` and `ordeval.plot`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ..atomic import write_text
from ..errors import InputError, plural
from ..formatting import one_line
from ..plot import uoc_curve
from ..plot.style import (
    BLUE,
    COLOURS,
    INK,
    LINES,
    MARKERS,
    SMALL,
    VERMILION,
    canvas,
    dress,
    legend,
    name_rows,
    off_screen,
)
from ..report.html import render, svg
from ..report.layout import cell_len, text_width, wrapped
from ..report.writers import to_csv, to_text
from ..table import Cell, Heading, Table, figure, table, words
from .layouts import grids_of
from .layouts import legend as legend_of
from .pictures import draw_outputs, draw_paths
from .study import Comparison, Drawing, Exhibit, Study, Value, Verdict

_WIDTH = 96
_SHORT = 30  # longer reasons become numbered notes below a table
_BESIDE: Mapping[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5)}  # a legend
HEADINGS = (
    Heading("row"),
    Heading("column"),
    Heading("ours", numeric=True),
    Heading("printed", numeric=True),
    Heading("difference", numeric=True),
    Heading("verdict"),
    Heading("reason"),
)


def exhibit_table(exhibit: Exhibit, *, brief: bool = False) -> Table:
    """Return ours beside the printed figures; with `brief` only those that do not simply agree."""
    agreeing = (Verdict.SAME, Verdict.DERIVED, Verdict.WITHIN)
    shown = [c for c in exhibit.comparisons if not (brief and c.verdict in agreeing)]
    return table(HEADINGS, map(_cells, shown), title=exhibit.title)


def _cells(c: Comparison) -> tuple[Cell, ...]:
    statement = c.verdict is Verdict.SAME and isinstance(c.ours, str)  # these are not rounded
    return (
        words(c.row),
        words(c.column),
        _value(c.ours, c.decimals + 2),
        Cell(c.printed or "", c.printed),
        _difference(c.difference, c.decimals + 2),
        words("same" if statement else c.verdict.value, bold=c.verdict.fails),
        words(c.reason),
    )


def _value(value: Value | None, digits: int) -> Cell:
    if isinstance(value, float):
        return figure(value, digits)
    return Cell("" if value is None else str(value), value)


def _difference(value: float | None, digits: int) -> Cell:
    if value is None:
        return Cell("")
    text = f"{value:+d}" if isinstance(value, int) else f"{value:+.{digits}f}"
    return Cell(text.lstrip("+-") if float(text) == 0 else text.replace("-", "−"), value)


def tally_text(counts: Counter[Verdict]) -> str:
    """Return how many figures have each verdict, e.g. "78 same after rounding, 1 differs"."""
    return ", ".join(f"{counts[v]} {v.value}" for v in Verdict if counts[v])


def summary_table(studies: Iterable[Study]) -> Table:
    """Return a table with one line per exhibit."""
    headings = [Heading("paper"), Heading("exhibit"), Heading("figures", True), Heading("verdicts")]
    rows = [
        (
            words(study.key),
            words(exhibit.title),
            Cell(str(len(exhibit.comparisons)), len(exhibit.comparisons)),
            words(tally_text(exhibit.tally), bold=exhibit.fails),
        )
        for study in studies
        for exhibit in study.exhibits
    ]
    return table(headings, rows, title="Summary")


def _notes(exhibit: Exhibit) -> list[tuple[str, str]]:
    notes = {"Open": exhibit.left_open, "Chosen": exhibit.chosen, "Outcome": exhibit.outcome}
    return [(name, text) for name, text in notes.items() if text]


def study_text(study: Study, *, brief: bool = False) -> str:
    """Return a study as text for the terminal."""
    parts = [study.key, "=" * len(study.key), _wrapped(study.citation), "", _wrapped(study.summary)]
    for exhibit in study.exhibits:
        title = _wrapped(exhibit.title)
        parts += ["", "", title, "-" * max(map(cell_len, title.splitlines()))]
        parts += [_wrapped(f"{name}: {text}") for name, text in _notes(exhibit)]
        shown = exhibit_table(exhibit, brief=brief)
        if shown.rows:
            parts += ["", _compact(shown)]
        number = plural(len(exhibit.comparisons), "figure")
        parts.append(_wrapped(f"{number}: {tally_text(exhibit.tally)}."))
    return "\n".join(parts) + "\n"


def _compact(shown: Table) -> str:
    """Return a table without its title; long reasons become notes, each of them once."""
    reasons = [one_line(row[-1].text) for row in shown.rows]
    notes = list(dict.fromkeys(reason for reason in reasons if len(reason) > _SHORT))
    marks = {note: f"[{i}]" for i, note in enumerate(notes, start=1)}
    rows = [
        (*row[:-1], words(marks.get(reason, reason)))
        for row, reason in zip(shown.rows, reasons, strict=True)
    ]
    below = [_wrapped(f"{mark} {note}") + "\n" for note, mark in marks.items()]
    return to_text(table(shown.headings, rows, keys=2)) + "".join(below)


def _wrapped(text: str) -> str:
    return "\n".join(wrapped(one_line(text), min(_WIDTH, text_width()), "    "))


def verdict_line(studies: Sequence[Study]) -> str:
    """Return the last lines of the output: all verdicts counted, and what was not reproduced."""
    failing = [
        f"{study.key} {exhibit.key}: {c.row}, {c.column}"
        for study in studies
        for exhibit in study.exhibits
        for c in exhibit.comparisons
        if c.verdict.fails
    ]
    counts = tally_text(sum((study.tally for study in studies), Counter()))
    if not failing:
        last = "Nothing differs beyond the misprints and the claims on record."
        return f"{_wrapped(f'{counts}.')}\n{_wrapped(last)}\n"
    failed = f"Not reproduced: {'; '.join(failing)}."
    return f"{_wrapped(f'{counts}.')}\n{_wrapped(failed)}\n"


def write_pages(studies: Sequence[Study], folder: str | Path, command: str) -> list[Path]:
    """Write a page, figures and a CSV file for every study; return the paths of the pages."""
    target = writable_folder(folder)
    pages = []
    for study in studies:
        for drawing in (d for exhibit in study.exhibits for d in exhibit.drawings):
            path = target / f"{study.key}-{drawing.name}.png"
            with off_screen():
                draw(drawing).figure.savefig(path, dpi=150)
        write_text(target / f"{study.key}.csv", to_csv(all_figures(study)))
        pages.append(target / f"{study.key}.html")
        write_text(pages[-1], page_html(study, command))
    write_text(target / "summary.csv", to_csv(summary_table(studies)))
    return pages


def writable_folder(folder: str | Path) -> Path:
    """Return a folder, created if necessary, after checking that files can be written into it."""
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=target):
            return target
    except OSError as problem:
        raise InputError(
            f"{target} cannot be written to: {problem.strerror}.",
            parameter="out",
            hint="Choose another folder.",
        ) from None


def all_figures(study: Study) -> Table:
    """Return every figure of a study, with the exhibit in the first column."""
    rows = [
        (words(exhibit.key), *row)
        for exhibit in study.exhibits
        for row in exhibit_table(exhibit).rows
    ]
    return table((Heading("exhibit"), *HEADINGS), rows, title=study.key)


def page_html(study: Study, command: str) -> str:
    """Return a study as a self-contained HTML page in the style of the reports."""
    exhibits = [(e.key, e.title.partition(":")[0]) for e in study.exhibits]
    return render(
        "reproduce.html.j2",
        [("answer", "Summary"), *exhibits, ("repeat", "Repeat")],
        kicker="Replication study",
        title=study.key,
        facts=study.citation,
        summary=study.summary,
        tally=tally_text(study.tally),
        fails=study.fails,
        exhibits=[_on_page(e) for e in study.exhibits],
        command=command,
    )


def _on_page(exhibit: Exhibit) -> dict[str, Any]:
    shown = {c: (_value(c.ours, c.decimals + 2), _cells(c)[3]) for c in exhibit.comparisons}
    return {
        "grids": grids_of(exhibit, shown),
        "legend": legend_of(exhibit),
        "key": exhibit.key,
        "title": exhibit.title,
        "notes": _notes(exhibit),
        "table": exhibit_table(exhibit),
        "number": plural(len(exhibit.comparisons), "figure"),
        "tally": tally_text(exhibit.tally),
        "pictures": [
            (svg(partial(draw, d), alt=d.caption, name=d.name), d.caption) for d in exhibit.drawings
        ],
    }


def draw(drawing: Drawing) -> Any:
    """Draw a figure and return its matplotlib axes."""
    if drawing.kind == "uoc":
        [counts] = drawing.series.values()
        return uoc_curve(counts)
    if drawing.kind in _PANELS:
        return _PANELS[drawing.kind](drawing.title, drawing.series)
    ax = _DRAWN[drawing.kind](drawing)
    return dress(ax, title=drawing.title, x=drawing.x, y=drawing.y)


def _curves(drawing: Drawing) -> Any:
    """Draw lines that differ in dashes and markers as well as in colour."""
    ax, handles = canvas(None, 6.8, 3.8), []
    for i, (xs, ys) in enumerate(drawing.series.values()):
        style = _style(i) if drawing.marks else _style(i) | {"marker": None}
        handles += ax.plot(xs, ys, markevery=max(1, len(xs) // 10), **style)
    if drawing.level is not None:
        ax.axhline(drawing.level, color=INK, linewidth=0.8, linestyle=":")
    if drawing.top is not None:
        ax.set_ylim(0, drawing.top)
    legend(ax, handles, list(drawing.series), **_BESIDE)
    return ax


def _points(drawing: Drawing) -> Any:
    ax, handles = canvas(None, 5.0, 4.0), []
    for i, (xs, ys) in enumerate(drawing.series.values()):
        handles += ax.plot(xs, ys, **_style(i) | {"linestyle": "", "markersize": 5})
    legend(ax, handles, list(drawing.series), **_BESIDE)
    return ax


def _bars(drawing: Drawing) -> Any:
    """Draw one group of bars beside the other."""
    ax, handles, start = canvas(None, 6.8, 3.2), [], 0
    ticks: dict[int, str] = {}
    for colour, heights in zip(COLOURS, drawing.series.values(), strict=False):
        places = list(range(start, start + len(heights)))
        handles.append(ax.bar(places, list(heights.values()), color=colour))
        ticks |= dict(zip(places, heights, strict=True))
        start += len(heights) + 1
    ax.set_xticks(list(ticks), list(ticks.values()), rotation=35, ha="right", fontsize=SMALL)
    legend(ax, handles, list(drawing.series), **_BESIDE)
    return ax


def _intervals(drawing: Drawing) -> Any:
    """Draw ours and the printed figures, each as mean ± standard deviation."""
    ax, handles = canvas(None, 6.5, 1.2 + 0.3 * len(drawing.series)), []
    for i, (mean, sd, printed, printed_sd) in enumerate(drawing.series.values()):
        bar = partial(ax.errorbar, markersize=4, linestyle="")
        ours = bar(mean, i - 0.14, xerr=sd, marker="o", color=BLUE)
        theirs = bar(printed, i + 0.14, xerr=printed_sd, marker="s", color=VERMILION)
        handles = [ours, theirs]
    name_rows(ax, list(drawing.series))
    legend(ax, handles, ["ours", "printed"])
    return ax


_DRAWN: Mapping[str, Callable[[Drawing], Any]] = {
    "curves": _curves,
    "points": _points,
    "bars": _bars,
    "intervals": _intervals,
}
_PANELS: Mapping[str, Callable[[str, Mapping[str, Any]], Any]] = {
    "paths": draw_paths,
    "outputs": draw_outputs,
}


def _style(i: int) -> dict[str, Any]:
    """Return colour, dashes and marker of a series; no two series have all three in common."""
    turn = i // len(COLOURS)
    return {
        "color": COLOURS[i % len(COLOURS)],
        "linestyle": LINES[(i + turn) % len(LINES)],
        "marker": MARKERS[(i + turn) % len(MARKERS)],
        "linewidth": 1.4,
        "markersize": 4,
    }
