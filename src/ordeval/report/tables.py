"""The tables of a result: leaderboard, measures of one system, pairs, classes."""

from typing import Any

import numpy as np

from ..registry import Measure
from ..results import Result
from ..scoring import class_figures
from .table import Cell, Heading, Table, count, figure, interval, p_value, ranges, table, words


def main_table(result: Result) -> Table:
    """A leaderboard of several systems, or the measures of one."""
    return leaderboard(result) if len(result.scores.systems) > 1 else measures_table(result)


def heading(measure: Measure) -> Heading:
    """A measure's name with the better direction."""
    return Heading(f"{measure.short} {measure.arrow}", numeric=True)


def measures_table(result: Result) -> Table:
    """One row per measure of a single system, with its interval and range."""
    scores, found = result.scores, result.intervals
    missing = bool(scores.undefined.any())
    headings = [Heading("measure"), Heading("score", True)]
    headings += [Heading(f"{100 * found.level:g} % interval", True)] if found else []
    headings += [Heading("range", True)] + ([Heading("undefined", True)] if missing else [])
    rows = []
    for i, m in enumerate(scores.measures):
        row = [words(f"{m} {m.arrow}"), figure(scores.values[i, 0])]
        row += [interval(found.low[i, 0], found.high[i, 0])] if found else []
        row.append(_range(m, scores.scale.k))
        rows.append(row + ([count(scores.undefined[i, 0])] if missing else []))
    return table(headings, rows, title=_title(result), notes=notes(result))


def _range(m: Measure, k: int) -> Cell:
    low, high = m.bounds(k)
    return words(f"{low:.4g} … {high:.4g}".replace("inf", "∞"))


def leaderboard(result: Result, measure: Measure | None = None) -> Table:
    """Systems from best to worst: the ranking measure with its interval, then the others."""
    scores, first = result.scores, measure or result.primary
    ranking = scores.ranking(first)
    rank = {system: i + 1 for i, system in enumerate(ranking)}
    row_of = scores.measures.index(first)
    others = [i for i in range(len(scores.measures)) if i != row_of]
    best = {i: scores.ranking(m)[0] for i, m in enumerate(scores.measures)}
    level = f"{100 * result.intervals.level:g} % interval" if result.intervals else ""
    headings = [Heading("#", True), Heading("system"), heading(first)]
    headings += [Heading(level, True)] if level else []
    headings += [Heading("beats")] if result.tests else []
    headings += [heading(scores.measures[i]) for i in others]
    rows = []
    for system in ranking:
        place = scores.systems.index(system)
        row = [count(rank[system]), words(system)]
        row.append(figure(scores.values[row_of, place], bold=system == best[row_of]))
        if result.intervals:
            found = result.intervals
            row.append(interval(found.low[row_of, place], found.high[row_of, place]))
        if result.tests:
            row.append(words(ranges(rank[s] for s in result.beats(system, first))))
        row += [figure(scores.values[i, place], bold=system == best[i]) for i in others]
        rows.append(row)
    return table(headings, rows, title=_title(result), notes=notes(result, first))


def _title(result: Result) -> str:
    scores = result.scores
    unit = "instances" if result.kind == "quantification" else "items"
    size = f"{scores.items:,.10g} {unit}"
    if scores.topics and result.kind != "quantification":
        how = "mean over" if scores.aggregate == "mean" else "pooled over"
        size += f", {how} {len(scores.topics)} topics"
    return f"{size}, scale {scores.scale.describe()}"


def notes(result: Result, measure: Measure | None = None) -> tuple[str, ...]:
    """What the marks mean, what to mind, and the signature."""
    found = []
    if result.tests and len(result.scores.systems) > 1:
        tests = result.tests
        found.append(
            f"beats: ranks of the systems that are worse at p < {tests.alpha:g} ({tests.name}, "
            f"{tests.trials:,} trials)."
        )
    found += [f"Note: {notice}" for notice in result.notices]
    return (*found, f"Signature: {result.signature(measure or _only(result))}")


def _only(result: Result) -> Measure | None:
    return result.primary if len(result.scores.systems) > 1 else None


def pairs_table(result: Result, measure: Measure | None = None) -> Table:
    """Every pair of systems under one measure: difference, effect size, p-value."""
    scores, first = result.scores, measure or result.primary
    tests, row_of = result.tests, scores.measures.index(first)
    headings = [
        Heading("system"),
        Heading("against"),
        Heading(f"difference in {first.short}", True),
    ]
    headings += [Heading("effect size", True), Heading("p", True)]
    rows = []
    if tests is not None:
        order = [scores.systems.index(s) for s in scores.ranking(first)]
        for i, a in enumerate(order):
            for b in order[i + 1 :]:
                rows.append(
                    [
                        words(scores.systems[a]),
                        words(scores.systems[b]),
                        figure(tests.difference[row_of, a, b]),
                        figure(tests.effect[row_of, a, b], 2),
                        p_value(tests.p[row_of, a, b]),
                    ]
                )
    return table(headings, rows, title=f"Pairs of systems, {first}", notes=notes(result, first))


def class_table(result: Result, system: str) -> Table:
    """Figures per class of one system."""
    if result.tables is None:
        return table([Heading("class")], [])
    place = result.scores.systems.index(system)
    figures = class_figures(result.tables[place], result.scores.scale)
    names = list(figures)
    headings = [Heading("class"), *(Heading(name.replace("_", " "), True) for name in names)]
    rows = [
        [words(label), *(_class_cell(name, figures[name][i]) for name in names)]
        for i, label in enumerate(result.scores.scale.labels)
    ]
    return table(headings, rows, title=f"Figures per class: {system}")


def _class_cell(name: str, value: float) -> Cell:
    return count(value) if name in ("support", "predicted") else figure(value, 3)


def long_columns(result: Result) -> dict[str, list[Any]]:
    """One row per measure and system: columns for a data frame."""
    scores, found = result.scores, result.intervals
    columns: dict[str, list[Any]] = {"measure": [], "system": [], "better": [], "score": []}
    columns |= {"low": [], "high": [], "undefined": []}
    for i, m in enumerate(scores.measures):
        for j, system in enumerate(scores.systems):
            columns["measure"].append(str(m))
            columns["system"].append(system)
            columns["better"].append(m.better)
            columns["score"].append(float(scores.values[i, j]))
            columns["low"].append(float(found.low[i, j]) if found else np.nan)
            columns["high"].append(float(found.high[i, j]) if found else np.nan)
            columns["undefined"].append(int(scores.undefined[i, j]))
    return columns
