"""The page "Measures side by side": properties, axioms, and scores on eight small matrices.

Scores are computed when the page is built.
"""

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

import ordeval as oe
from ordeval import Measure
from ordeval.measures.registry import Task
from ordeval.meta import axioms_of
from ordeval.report.measure_view import claims_of, facts

from .which_measure import link

TASKS: dict[Task, str] = {
    "classification": "Labels",
    "quantification": "Distributions",
    "raters": "Several raters",
}
_INTRODUCTION = """# Measures side by side

What each measure uses of the scale, its range, and its properties. Ranges are for K classes with
the values 1 to K. To choose a measure, start with [Which measure?](which-measure.md)"""
_CASES_TEXT = """## Eight small tables

Gold classes are rows, predicted classes are columns, on a scale of four. Each table separates some
measures from others. Dark cells hold many items of their gold class."""
_SCORES_TEXT = """Below are the scores of every measure on each table, and in small figures the
rank of the table, 1 the best. The stronger the colour, the better the rank; – is undefined.
Measures of distributions compare the row sums with the column sums, and coefficients of several
raters take rows and columns as two raters. Measures disagree where a row is coloured differently
from its neighbours."""


@dataclass(frozen=True)
class Case:
    """A table of gold by predicted class, and what it shows."""

    title: str
    table: list[list[int]]
    shows: str


CASES = tuple(
    Case(**case)
    for case in tomllib.loads(Path(__file__).with_name("matrices.toml").read_text("utf-8"))["case"]
)


def side_by_side_page() -> str:
    """Return the page in Markdown."""
    parts = [*_side_by_side(), _CASES_TEXT, _pictures(), _SCORES_TEXT, *map(_heat_map, TASKS)]
    return "\n\n".join([_INTRODUCTION, *parts])


# All measures side by side


def _side_by_side() -> Iterator[str]:
    for task, title in TASKS.items():
        yield f"## {title}: properties"
        claims = claims_of(task)
        yield "\n".join(f"- **{name}**: {meaning}" for name, meaning in claims.items())
        rows = [_facts_row(m, list(claims)) for m in _measures(task)]
        yield _html(("measure", "scale", "range", *claims), rows)
    for task in ("classification", "quantification"):
        yield f"## {TASKS[task]}: axioms"
        yield from _axioms(task)


def _facts_row(m: Measure, claims: Sequence[str]) -> tuple[str, ...]:
    known = facts(m)
    span = f'<span style="white-space:nowrap">{escape(known["range"])}</span>'
    marks = [_mark(claim in m.claims) for claim in claims]
    return f"{link(m.specification)} {m.arrow}", escape(known["scale"]), span, *marks


def _measures(task: Task) -> list[Measure]:
    return [m for m in oe.measures(None) if m.record.task == task]


def _axioms(task: Task) -> Iterator[str]:
    """Return the axioms of a task: statements and a table."""
    known = axioms_of(task)
    yield "\n".join(f"- **{a.title}**: {a.statement} ({a.source})" for a in known)
    yield (
        "✓ holds in every case that a search tries: all small ones, then random larger ones; ✗ has "
        "a counter-example, which `ordeval axioms MEASURE` shows."
    )
    rows = []
    for m in _measures(task):
        marks = [_mark(m.satisfies(axiom.id)) for axiom in known]
        rows.append((f"{link(m.specification)} {m.arrow}", *marks))
    yield _html(("measure", *(axiom.title for axiom in known)), rows)


def _mark(holds: bool | None) -> str:
    if holds is None:
        return "–"
    return '<span class="yes">✓</span>' if holds else '<span class="no">✗</span>'


# Eight matrices


def _pictures() -> str:
    figures = [
        f"<figure>{_matrix(case)}<figcaption><b>{i}. {escape(case.title)}.</b> "
        f"{escape(case.shows)}</figcaption></figure>"
        for i, case in enumerate(CASES, 1)
    ]
    return f'<div class="matrices">{"".join(figures)}</div>'


def _matrix(case: Case) -> str:
    """Return a table whose cells are the darker the more items of their gold class they hold."""
    k = range(1, len(case.table) + 1)
    head = "".join(f'<th scope="col">{p}</th>' for p in k)
    rows = [
        f'<tr><th scope="row">{g}</th>' + "".join(_shaded(n, sum(row)) for n in row) + "</tr>"
        for g, row in zip(k, case.table, strict=True)
    ]
    corner = '<td><span class="md-visually-hidden">gold by predicted class</span></td>'
    return f'<table class="figures"><tr>{corner}{head}</tr>{"".join(rows)}</table>'


def _shaded(items: int, of: int) -> str:
    return f'<td style="background:rgb(var(--good) / {0.6 * items / of:.2f})">{items}</td>'


def scores(m: Measure) -> list[float]:
    """Return the score of a measure on each of the eight tables.

    Parameters
    ----------
    m : Measure
        A measure of labels, of distributions (then the sums of rows and columns are compared), or
        of raters (then rows and columns are two raters).

    Returns
    -------
    list of float
        The scores; NaN where the measure is undefined.
    """
    if m.record.task == "raters":
        return [_agreement(i)[m] for i in range(len(CASES))]
    with catch_warnings():
        simplefilter("ignore", oe.UndefinedWarning)
        return [_score(m, np.array(case.table, dtype=float)) for case in CASES]


def _score(m: Measure, table: Any) -> float:
    if m.record.task == "classification":
        return float(m.of(oe.Counts.from_table(table)))
    gold, predicted = table.sum(axis=1), table.sum(axis=0)
    return float(m(gold / gold.sum(), predicted / predicted.sum()))


@cache
def _agreement(number: int) -> dict[Measure, float]:
    """Return the coefficients of rows and columns of a table as two raters."""
    table = np.array(CASES[number].table)
    cells = np.argwhere(table > 0)
    items = np.repeat(cells + 1, table[table > 0], axis=0)
    measures = [m.specification for m in _measures("raters")]
    found = oe.agreement(items, labels=range(1, len(table) + 1), measures=measures, draws=0)
    return {m: estimate.value for m, estimate in found.coefficients.items()}


def ranks(found: Sequence[float], *, higher: bool) -> list[int | None]:
    """Return the rank of each score, the best 1; equal ones share it, and NaN has none.

    >>> ranks([0.5, 1.0, float("nan"), 0.5], higher=True)
    [2, 1, None, 2]
    """
    signed = [round(x if higher else -x, 9) for x in found]
    known = [x for x in signed if x == x]
    return [1 + sum(other > x for other in known) if x == x else None for x in signed]


def _heat_map(task: Task) -> str:
    rows = [_heat_row(m) for m in _measures(task)]
    titles = [f"{i}. {case.title}" for i, case in enumerate(CASES, 1)]
    head = "".join(
        f'<th scope="col" style="white-space:normal">{escape(title)}</th>' for title in titles
    )
    return (
        f"## {TASKS[task]}: scores\n\n"
        '<div class="scroll" tabindex="0"><table class="figures">'
        f'<thead><tr><th scope="col">measure</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _heat_row(m: Measure) -> str:
    found = scores(m)
    placed = ranks(found, higher=m.better == "higher")
    cells = [_heat_cell(x, rank) for x, rank in zip(found, placed, strict=True)]
    return f'<tr><th scope="row">{link(m.specification)} {m.arrow}</th>{"".join(cells)}</tr>'


def _heat_cell(score: float, rank: int | None) -> str:
    if rank is None:
        return "<td>–</td>"
    strength = 0.5 * (len(CASES) - rank) / (len(CASES) - 1)
    text = f"{score:.2f}".replace("-", "−").replace("−0.00", "0.00")
    colour = f"background:rgb(var(--good) / {strength:.2f})"
    return f'<td style="{colour}">{text} <small>{rank}</small></td>'


# HTML


def _html(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already; the first names the row."""
    style = "white-space:normal;vertical-align:bottom"
    head = "".join(f'<th scope="col" style="{style}">{escape(text)}</th>' for text in headings)
    body = "".join(
        f'<tr><th scope="row">{row[0]}</th>{"".join(f"<td>{cell}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    return (
        '<div class="scroll" tabindex="0"><table class="figures">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
