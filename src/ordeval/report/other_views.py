"""What is shown about counts, numbers per class and recommendations."""

from itertools import product
from typing import Any

import numpy as np

from ..advice import Choice, Leaf, Question, Recommendation, path
from ..advice.path import Condition
from ..data.counts import Counts
from ..measures.classes import PerClass
from .phrases import joined, recommended
from .result_view import crossed
from .texts import text_of
from .view import Code, Col, Section, View

_MOST_TABLES, _MOST_CLASSES, _MOST_ROWS = 3, 12, 20  # before a summary replaces tables of counts
_CLASSES_SHOWN = 50  # of scales that are too long to show every class
_HOW = {"given": "given", "data": "by the data", "assumed": "assumed"}


# Counts.


def counts_view(counts: Counts) -> View:
    """Return the view of counts."""
    sections = {"counts": lambda: _counts(counts), "cells": lambda: _cells(counts)}
    return View("Counts", sections, ("counts",), data="cells")


def _counts(counts: Counts) -> Section:
    """Return gold by predicted class of each system over all topics, or a row per system."""
    pooled = counts.pooled()
    tables = pooled.table.reshape(-1, counts.k, counts.k)
    places = np.ndindex(pooled.table.shape[:-2])
    names = list(pooled.systems) or [",".join(str(i + 1) for i in place) for place in places]
    notes = [f"All {len(counts.topics):,} topics together."] if counts.topics else []
    notes += ["Sums of weights."] if counts.weighted else []
    notes += [f"{counts.skipped:,} items left out."] if counts.skipped else []
    if 1 <= len(tables) <= _MOST_TABLES and counts.k <= _MOST_CLASSES:
        titles = [f"Counts{f' of {name}' if name else ''}" for name in names]
        labels = counts.scale.labels
        parts = [crossed(labels, table, title) for table, title in zip(tables, titles, strict=True)]
        return Section("counts", "Counts", parts=[*parts[:-1], _noted(parts[-1], notes)])
    return _distances(counts, names, tables, notes)


def _noted(section: Section, notes: list[str]) -> Section:
    from dataclasses import replace

    return replace(section, notes=[*section.notes, *notes])


def _distances(counts: Counts, names: list[str], tables: Any, notes: list[str]) -> Section:
    """Return how many predictions of each system are how many classes off."""
    apart = np.abs(np.subtract.outer(np.arange(counts.k), np.arange(counts.k)))
    off = {"right": apart == 0, "one class off": apart == 1, "further": apart > 1}

    def of(name: str, cells: Any) -> Col:
        return Col(name, lambda i: float(tables[i][cells].sum()), 0)

    every = np.ones_like(apart, dtype=bool)
    columns = [Col("system" if counts.systems else "table", lambda i: names[i]), of("items", every)]
    columns += [of(name, cells) for name, cells in off.items()]
    more = len(names) - _MOST_ROWS
    notes = [*([f"And {more:,} more."] if more > 0 else []), *notes]
    rows = range(min(len(names), _MOST_ROWS))
    return Section("counts", f"Counts, {counts.k} classes", rows, columns, notes)


def _cells(counts: Counts) -> Section:
    """Return one row per cell of all tables."""
    shape, labels = counts.table.shape, counts.scale.labels
    axes: list[tuple[str, Any]] = [(axis.name, axis.names) for axis in counts.axes]
    if not axes:
        axes = [(f"axis_{i + 1}", range(1, n + 1)) for i, n in enumerate(shape[:-2])]

    def of(i: int, name: str, names: Any) -> Col:
        numbered = isinstance(names, range)
        return Col(name, lambda place: names[place[i]], 0 if numbered else None)

    every = [*axes, ("gold", labels), ("predicted", labels)]
    columns = [of(i, name, names) for i, (name, names) in enumerate(every)]
    whole = np.array_equal(counts.table, np.rint(counts.table))

    def count(place: Any) -> float | int:
        return int(counts.table[place]) if whole else float(counts.table[place])

    return Section(
        "cells", "Counts", list(product(*map(range, shape))), [*columns, Col("count", count, 0)]
    )


# Numbers per class.


def per_class_view(found: PerClass) -> View:
    """Return the view of numbers per class."""

    def of(name: str) -> Col:
        digits = 0 if name in ("support", "predicted") else 3
        values = found.figures[name]
        return Col(name.replace("_", " "), lambda k: float(values[k]), digits)

    columns = [Col("class", lambda k: found.labels[k]), *map(of, found.figures)]
    every = range(len(found.labels))
    common = np.sort(np.argsort(-found["support"], kind="stable")[:_CLASSES_SHOWN]).tolist()
    rows, notes = every, []
    if found.binned:
        notes.append(text_of("result.binned"))
    if len(every) > 2 * _CLASSES_SHOWN + 1:
        rows = common
        notes.append(
            f"{_CLASSES_SHOWN} of {len(every):,} classes, the most frequent in gold; csv has all."
        )
    section = Section("classes", "Numbers per class", rows, columns, notes, data_rows=lambda: every)
    return View("Numbers per class", {"classes": lambda: section}, ("classes",), data="classes")


# Recommendations.


def recommendation_view(found: Recommendation) -> View:
    """Return the view of a recommendation."""
    rows = [
        (found.primary, "primary", f"{found.reason} ({found.source})"),
        *(
            (other.measure, "beside it", f"{other.reason[0].upper()}{other.reason[1:]}.")
            for other in found.beside
        ),
        *((other.measure, "not", other.reason) for other in found.avoid),
    ]
    measures = Section("measures", recommended(found), rows, _words("measure", "use", "why"))
    why = [
        (choice.question.replace("_", " "), _answered(choice), f"{choice.reason} ({choice.source})")
        for choice in found.choices
    ]
    code = [
        Code("On the command line:", found.command, "bash"),
        Code("In Python:", found.code, "python"),
    ]
    answers = Section(
        "answers",
        "Why: the path to it",
        why,
        _words("question", "answer", "what follows"),
        notes=found.remarks,
        code=code,
    )
    sections = {"measures": lambda: measures, "answers": lambda: answers}
    return View(measures.title, sections, ("measures", "answers"), data="measures")


def _words(*names: str) -> list[Col]:
    """Return columns of texts, whose rows are tuples."""

    def of(i: int, name: str) -> Col:
        return Col(name, lambda row: row[i])

    return [of(i, name) for i, name in enumerate(names)]


def _answered(choice: Choice) -> str:
    """Return an answer with where it comes from."""
    how = f"{_HOW[choice.how]}: {choice.because}" if choice.because else _HOW[choice.how]
    return f"{choice.text} [{how}]"


def path_view() -> View:
    """Return all questions, and the measures that the answers lead to."""
    parts = [_question(i, q) for i, q in enumerate(path().questions, 1)]
    rows = [(leaf.primary, _advised(leaf)) for leaf in path().leaves]
    ends = Section("ends", "Where the answers lead", rows, _words("use", "when and why"))
    data = [
        (
            conditions(leaf.when),
            leaf.primary,
            ", ".join(o.measure for o in leaf.beside),
            f"{leaf.reason} ({leaf.source})",
        )
        for leaf in path().leaves
    ]
    leaves = Section(
        "leaves", "The measures", data, _words("answers", "primary", "beside it", "why")
    )
    asked = Section("path", "The questions", parts=[*parts, ends])
    return View(
        "Which measure", {"path": lambda: asked, "leaves": lambda: leaves}, ("path",), data="leaves"
    )


def _advised(leaf: Leaf) -> str:
    others = joined([other.measure for other in leaf.beside])
    avoided = ", ".join(other.measure for other in leaf.avoid)
    why = f"{leaf.reason} ({leaf.source})"
    return f"If {conditions(leaf.when)}. {why} Beside it: {others}. Not: {avoided}."


def _question(number: int, question: Question) -> Section:
    asked = [f"Asked if {conditions(question.when)}."] if question.when else []
    rows = [(a.id, a.text, f"{a.reason} ({a.source})") for a in question.answers]
    option = f"--{question.id.replace('_', '-')}"
    columns = _words(option, "answer", "what follows")
    return Section(question.id, f"{number}. {question.text}", rows, columns, asked)


def conditions(condition: Condition) -> str:
    """Return the answers that are required, in words of the command line.

    >>> conditions({"order": {"order", "none"}, "chance": {"no"}})
    'order is order or none, and chance is no'
    """
    told = []
    for question in path().questions:
        required = condition.get(question.id)
        if required and required != set(question.ids):
            shown = [word for word in question.ids if word in required]
            told.append(f"{question.id.replace('_', ' ')} is {' or '.join(shown)}")
    return ", and ".join(told)
