"""What is shown about counts, numbers per class and recommendations."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..advice import Choice, Recommendation
from ..data.counts import Counts
from ..measures.score import PerClass
from .result_view import class_columns, common_classes, crossed
from .texts import recommended, text_of
from .view import Code, Col, Section, View, across, cells, cols, kept

_MOST_TABLES, _MOST_CLASSES, _MOST_ROWS = 3, 12, 20  # before a summary replaces tables of counts
_CLASSES_SHOWN = 50  # of scales that are too long to show every class
_CHANGE = 'To change an answer, give it: --far squares, or far="squares" in Python.'
_HOW = {"given": "given", "data": "by the data", "assumed": "assumed"}


# Counts.


class CountsView(View):
    """What is shown about counts."""

    sections = ("counts", "cells")
    brief = ("counts",)
    data = "cells"
    title = "Counts"

    def __init__(self, counts: Counts) -> None:
        super().__init__()
        self.counts = partial(_counts, counts)
        self.cells = partial(_cells, counts)


def _counts(counts: Counts) -> Section:
    """Return gold by predicted class of each system over all topics, or a row per system."""
    pooled = counts.pooled()
    tables = pooled.table.reshape(-1, counts.k, counts.k)
    places = np.ndindex(pooled.table.shape[:-2])
    names = list(pooled.systems) or [",".join(str(i + 1) for i in place) for place in places]
    notes = kept(
        bool(counts.topics) and f"All {len(counts.topics):,} topics together.",
        counts.weighted and "Sums of weights.",
        bool(counts.skipped) and f"{counts.skipped:,} items left out.",
    )
    if 1 <= len(tables) <= _MOST_TABLES and counts.k <= _MOST_CLASSES:
        titles = [f"Counts{f' of {name}' if name else ''}" for name in names]
        labels = counts.scale.labels
        parts = [crossed(labels, table, title) for table, title in zip(tables, titles, strict=True)]
        last = replace(parts[-1], notes=[*parts[-1].notes, *notes])
        return Section("counts", "Counts", parts=[*parts[:-1], last])
    return _distances(counts, names, tables, notes)


def _distances(counts: Counts, names: list[str], tables: Any, notes: list[str]) -> Section:
    """Return how many predictions of each system are how many classes off."""
    apart = np.abs(np.subtract.outer(np.arange(counts.k), np.arange(counts.k)))
    cells = {"items": apart >= 0, "right": apart == 0, "one class off": apart == 1}
    cells["further"] = apart > 1
    masks = list(cells.values())
    columns = [Col("system" if counts.systems else "table", names.__getitem__)]
    columns += across(cells, lambda i, j: float(tables[i][masks[j]].sum()), 0)
    more = len(names) - _MOST_ROWS
    notes = kept(more > 0 and f"And {more:,} more.", *notes)
    rows = range(min(len(names), _MOST_ROWS))
    return Section("counts", f"Counts, {counts.k} classes", rows, columns, notes)


def _cells(counts: Counts) -> Section:
    """Return one row per cell of all tables."""
    table, labels = counts.table, counts.scale.labels
    axes: list[tuple[str, Any]] = [(axis.name, axis.names) for axis in counts.axes]
    axes = axes or [(f"axis_{i + 1}", range(1, n + 1)) for i, n in enumerate(table.shape[:-2])]
    axes += [("gold", labels), ("predicted", labels)]
    rows, columns = cells(table, axes, Col("count", digits=0))
    return Section("cells", "Counts", list(rows()), columns)


# Numbers per class.


def per_class_view(figures: PerClass) -> View:
    """Return the view of numbers per class."""
    classes = len(figures.labels)
    every = [(k,) for k in range(classes)]
    rows, notes = every, [text_of("result.binned")] * figures.binned
    if classes > 2 * _CLASSES_SHOWN + 1:
        rows = [every[k] for k in common_classes(figures["support"], _CLASSES_SHOWN)]
        notes.append(text_of("result.frequent", shown=_CLASSES_SHOWN, classes=classes))
    columns = class_columns(figures.labels, figures.figures)
    stored = (lambda: every, columns)
    return View(Section("classes", "Numbers per class", rows, columns, notes, stored=stored))


# Recommendations.


def recommendation_view(advice: Recommendation) -> View:
    """Return the view of a recommendation."""
    rows = [
        (advice.primary, "primary", f"{advice.reason} ({advice.source})"),
        *((r.measure, "also", f"{r.reason[:1].upper()}{r.reason[1:]}.") for r in advice.beside),
        *((other.measure, "not", other.reason) for other in advice.avoid),
    ]
    assumed = [f"{c.question}={c.answer}" for c in advice.choices if c.how == "assumed"]
    said = bool(assumed) and f"Assumed, unless you say otherwise: {', '.join(assumed)}."
    notes = kept(said, *advice.remarks)
    code = [
        Code("On the command line:", advice.command, "bash"),
        Code("In Python:", advice.code, "python"),
    ]
    columns = cols("measure, use, why", tuples=True)
    measures = Section("measures", recommended(advice), rows, columns, notes, code=code)
    answers = [(c.question.replace("_", " "), c.answer, _answered(c)) for c in advice.choices]
    columns = cols("question, answer, meaning", tuples=True)
    view = View(measures, Section("answers", "From these answers", answers, columns, [_CHANGE]))
    view.brief, view.further = ("measures",), ("answers",)
    return view


def _answered(choice: Choice) -> str:
    """Return an answer with where it comes from."""
    how = f"{_HOW[choice.how]}: {choice.because}" if choice.because else _HOW[choice.how]
    return f"{choice.text} [{how}]"
