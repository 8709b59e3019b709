"""What is shown about counts, numbers per class and recommendations."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..advice import Choice, Condition, Leaf, Question, Recommendation, path
from ..data.counts import Counts
from ..measures.score import PerClass
from .result_view import class_columns, common_classes, crossed
from .texts import joined, recommended, text_of
from .view import Code, Col, Section, View, across, cells, cols, kept

_MOST_TABLES, _MOST_CLASSES, _MOST_ROWS = 3, 12, 20  # before a summary replaces tables of counts
_CLASSES_SHOWN = 50  # of scales that are too long to show every class
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
        *(
            (r.measure, "beside it", f"{r.reason[:1].upper()}{r.reason[1:]}.")
            for r in advice.beside
        ),
        *((other.measure, "not", other.reason) for other in advice.avoid),
    ]
    measures = Section(
        "measures", recommended(advice), rows, cols("measure, use, why", tuples=True)
    )
    why = [
        (choice.question.replace("_", " "), _answered(choice), f"{choice.reason} ({choice.source})")
        for choice in advice.choices
    ]
    code = [
        Code("On the command line:", advice.command, "bash"),
        Code("In Python:", advice.code, "python"),
    ]
    columns, title = cols("question, answer, what follows", tuples=True), "Why: the path to it"
    answers = Section("answers", title, why, columns, advice.remarks, code=code)
    return View(measures, answers)


def _answered(choice: Choice) -> str:
    """Return an answer with where it comes from."""
    how = f"{_HOW[choice.how]}: {choice.because}" if choice.because else _HOW[choice.how]
    return f"{choice.text} [{how}]"


def path_view() -> View:
    """Return all questions, and the measures that the answers lead to."""
    parts = [_question(i, q) for i, q in enumerate(path().questions, 1)]
    leaves = path().leaves
    rows = [(leaf.primary, _advised(leaf)) for leaf in leaves]
    columns = cols("use, when and why", tuples=True)
    ends = Section("ends", "Where the answers lead", rows, columns)
    columns = [
        Col("answers", lambda leaf: conditions(leaf.when)),
        Col("primary"),
        Col("beside it", lambda leaf: ", ".join(other.measure for other in leaf.beside)),
        Col("why", lambda leaf: f"{leaf.reason} ({leaf.source})"),
    ]
    stored = (lambda: leaves, columns)
    return View(Section("path", "The questions", parts=[*parts, ends], stored=stored))


def _advised(leaf: Leaf) -> str:
    others = joined([other.measure for other in leaf.beside])
    avoided = ", ".join(other.measure for other in leaf.avoid)
    why = f"{leaf.reason} ({leaf.source})"
    return f"If {conditions(leaf.when)}. {why} Beside it: {others}. Not: {avoided}."


def _question(number: int, question: Question) -> Section:
    asked = [f"Asked if {conditions(question.when)}."] if question.when else []
    rows = [(a.id, a.text, f"{a.reason} ({a.source})") for a in question.answers]
    option = f"--{question.id.replace('_', '-')}"
    columns = cols(f"{option}, answer, what follows", tuples=True)
    return Section(question.id, f"{number}. {question.text}", rows, columns, asked)


def conditions(condition: Condition) -> str:
    """Return the answers that are required, in words of the command line.

    >>> conditions({"order": {"order", "none"}, "chance": {"no"}})
    'order is order or none, and chance is no'
    """
    answers = []
    for question in path().questions:
        required = condition.get(question.id)
        if required and required != set(question.ids):
            shown = [word for word in question.ids if word in required]
            answers.append(f"{question.id.replace('_', ' ')} is {' or '.join(shown)}")
    return ", and ".join(answers)
