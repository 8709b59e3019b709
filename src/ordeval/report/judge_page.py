"""The page of a judgement: models beside several people."""

import shlex
from typing import Any

from ..errors import plural
from ..formatting import UNDEFINED, decimals, protected
from ..measures.spec import Measure
from ..plot import ceiling
from ..rater_results import (
    AlternativeTest,
    DisputedItem,
    Estimate,
    Judgement,
    PanelScore,
    Replacement,
)
from ..table import Cell, Column, Heading, Table, count, figure, p_value, tabulate, words
from .html import render, svg
from .items import RaterOpenings
from .judge_story import judge_answer, judge_checks, judge_method, replacement_question
from .judge_tables import bias_tables, sizes_of, slice_tables, test_tables
from .rater_page import (
    MOST_SHOWN,
    call,
    cards,
    doubts,
    estimate_columns,
    matrix,
    openings_of,
    options,
    people,
    presentable,
    roles,
    settings,
    severity_figure,
    shares_figure,
    voices,
)
from .rater_tables import level_of

_MOST_MEASURES = 12  # columns of the table of people
MOST_ITEMS = 30  # of all models
_MOST_DETAILS = 20  # models whose test is shown person by person


def judge_page(found: Judgement, *, command: str | None = None) -> str:
    """Return the report of a judgement; `command` is the command line that made it."""
    repeat = {"command": command or _command(found), "python": _python(found)}
    openings = openings_of(found)
    found = presentable(found)
    page = {
        **_heading(found),
        **_ceiling(found),
        **_tests(found, openings),
        **_biases(found),
        "slices": next(map(openings.of_parts, slice_tables(found, found.primary)), None),
        **matrix(found),
        "disputed": openings.of_items(items_table(found)),
        "items": openings.data,
        "class_tables": openings.tables(),
        "tables_note": openings.tables_note,
        "panel": people(found.people_agreement, openings),
        "persons": people_table(found),
        "checks": judge_checks(found),
        "method": judge_method(found),
        "measure_cards": cards([*found.measures, *found.people_agreement.coefficients]),
        "signature": found.signature,
        **repeat,
    }
    return render("judge.html.j2", _sections(page), **page)


def _sections(page: dict[str, Any]) -> list[tuple[str, str]]:
    every = [
        ("answer", "Answer", True),
        ("ceiling", "Ceiling", True),
        ("test", "Replacement", page["tests"]),
        ("bias", "Bias", page["biases"]),
        ("slices", "Slices", page["slices"]),
        ("pairs", "Pairs", page["matrix"]),
        ("items", "Items", page["disputed"]),
        ("people", "People", True),
        ("data", "Data checks", True),
        ("method", "Method", True),
        ("repeat", "Repeat", True),
    ]
    return [(anchor, name) for anchor, name, there in every if there]


def _heading(found: Judgement) -> dict[str, Any]:
    several = len(found.models) > 1
    whom = plural(len(found.people), "person", "people")
    title = f"{len(found.models)} models" if several else found.models[0]
    return {
        "kicker": "Models judged by people",
        "title": f"{title} beside {whom}",
        "facts": f"{sizes_of(found)}, {found.scale.k} classes; gold: {found.gold}",
        "answer": judge_answer(found),
        "primary": found.primary,
    }


# The ceiling.


def _ceiling(found: Judgement) -> dict[str, Any]:
    caption = "Squares are models. The dashed line is the mean of the people"
    caption += ", the band its interval" if found.replicates else ""
    caption += ", and each small dot a person."
    if len(found.models) > MOST_SHOWN:
        caption += f" The {MOST_SHOWN} best of {len(found.models):,} models are shown."
    return {
        "ceiling_plot": svg(
            lambda: ceiling(found, most=MOST_SHOWN), alt=_ceiling_alt(found), name="ceiling"
        ),
        "ceiling_caption": caption,
        "models": models_table(found, (found.primary,)),
        "other_measures": _other_measures(found),
    }


def _other_measures(found: Judgement) -> Table | None:
    """Return the models under all measures but the primary one; none if there is no other."""
    others = tuple(m for m in found.measures if m != found.primary)
    return models_table(found, others) if others else None


def _ceiling_alt(found: Judgement) -> str:
    mean = found.ceiling().leave_one_out.value
    rows = [found.score(name) for name in found.ranking()[:3]]
    shown = ", ".join(f"{row.name} {decimals(row.leave_one_out.value, 3)}" for row in rows)
    return (
        f"Dot plot of {found.primary.short}: mean of people {decimals(mean, 3)}; models {shown}"
        f"{' and others' if len(found.models) > 3 else ''}; the table has the figures."
    )


def models_table(found: Judgement, measures: tuple[Measure, ...]) -> Table:
    """Return every model beside people under measures, with the verdict."""
    level, several = level_of(found), measures != (found.primary,)
    rows = [found.score(name, m) for m in measures for name in found.ranking(m)]
    columns: list[Column[PanelScore]] = []
    if several:
        columns.append((Heading("measure"), lambda row: words(_named(row.measure))))
    columns += [
        (Heading("model"), lambda row: words(row.name)),
        (Heading("verdict"), lambda row: _verdict(row.verdict)),
        *estimate_columns("score", lambda row: row.leave_one_out, 0 if several else level),
        (Heading("people", True), lambda row: _people(found.ceiling(row.measure).leave_one_out)),
        *estimate_columns("difference", lambda row: row.difference, level, with_sign=True),
        (Heading("pairwise", True), lambda row: figure(row.pairwise.value, 3)),
        (
            Heading("people pairwise", True),
            lambda row: _people(found.ceiling(row.measure).pairwise),
        ),
    ]
    told = [(f"{row.name}, {row.measure.short}", row.leave_one_out) for row in rows]
    told += [(f"{row.name}, {row.measure.short}", row.difference) for row in rows]
    under = "the other measures" if several else _named(found.primary)
    title = f"Models beside people under {under}"
    return tabulate(rows, columns, title=title, notes=doubts(told), keys=1 + several)


def _verdict(verdict: str) -> Cell:
    """Return a verdict that stays on one line."""
    return Cell(verdict.replace(" ", "\u00a0") or UNDEFINED, verdict)


def _named(measure: Measure) -> str:
    """Return the short name of a measure and its arrow, which stay on one line."""
    return f"{measure.short} {measure.arrow}".replace(" ", "\u00a0")


def _people(estimate: Estimate) -> Cell:
    return figure(estimate.value, 3)


def people_table(found: Judgement) -> Table:
    """Return the score of every person against the others, and the mean over people."""
    measures = found.measures[:_MOST_MEASURES]
    scores = {(row.name, row.measure): row.leave_one_out.value for row in found.scores}
    means = {row.measure: row.leave_one_out.value for row in found.ceilings}

    def column(measure: Measure) -> Column[str]:
        def cell(name: str) -> Cell:
            value = scores.get((name, measure), float("nan")) if name else means[measure]
            return figure(value, 3, bold=not name)

        return Heading(_named(measure), True), cell

    columns: list[Column[str]] = [
        (Heading("person"), lambda name: words(name or "mean of people", bold=not name)),
        *map(column, measures),
    ]
    more = len(found.measures) - len(measures)
    notes = [f"{plural(more, 'more measure')} in the JSON of this result."] if more else []
    title = "Each person against the others"
    return tabulate([*found.people, ""], columns, title=title, notes=notes)


# The alternative annotator test.


def _tests(found: Judgement, openings: RaterOpenings) -> dict[str, Any]:
    if not found.tests:
        return {"tests": None}
    return {
        "tests": test_tables(found, found.primary)[0],
        "question": replacement_question(found),
        "replacements": [
            (test.model, openings.of_people(replacement_table(test), test.model))
            for test in found.tests[:_MOST_DETAILS]
            if test.people
        ],
    }


def replacement_table(test: AlternativeTest) -> Table:
    """Return the test of one model person by person."""
    columns: list[Column[Replacement]] = [
        (Heading("person"), lambda row: words(row.person)),
        (Heading("items", True), lambda row: count(row.items)),
        (Heading("model at least as near", True), lambda row: _share(row.model_wins)),
        (Heading("person at least as near", True), lambda row: _share(row.person_wins)),
        (Heading("p", True), lambda row: p_value(row.p)),
        (Heading("could be replaced"), lambda row: words("yes" if row.rejected else "no")),
    ]
    return tabulate(test.people, columns, title=f"{test.model} person by person")


def _share(value: float) -> Cell:
    cell = figure(value)
    return cell if cell.text == UNDEFINED else Cell(f"{100 * value:.1f} %", value)


# Bias and slices.


def _biases(found: Judgement) -> dict[str, Any]:
    if not found.biases:
        return {"biases": None}
    return {
        "biases": bias_tables(found, found.primary)[0],
        "shares_plot": shares_figure(found),
        "severity_plot": severity_figure(found),
    }


# Items.


def items_table(found: Judgement) -> Table | None:
    """Return the items on which each model is farthest from people, and who said what."""
    rows = _farthest(found)
    if not rows:
        return None
    columns: list[Column[DisputedItem]] = [
        (Heading("model"), lambda row: words(row.model)),
        (Heading("item"), lambda row: words(row.item)),
        (Heading("distance", True), lambda row: figure(row.disagreement, 2)),
        (Heading("model's class"), lambda row: words(row.ratings.get(row.model, ""))),
        *voices(found.people, found.scale.labels),
    ]
    title = "The items on which each model is farthest from people"
    note = "Distance: squared difference of the model's class value from the mean of people's."
    return tabulate(rows, columns, title=title, notes=[note], keys=2)


def _farthest(found: Judgement) -> list[DisputedItem]:
    """Return the items of each model, the best model first; fewer of each where there are many."""
    most = max(1, MOST_ITEMS // len(found.models))
    by_model: dict[str, list[DisputedItem]] = {name: [] for name in found.ranking()}
    for row in found.disputed:
        if row.disagreement > 0 and row.model in by_model:
            by_model[row.model].append(row)
    return [row for rows in by_model.values() for row in rows[:most]]


# How to repeat it.


def _settings(found: Judgement) -> dict[str, Any]:
    nearness = found.tests[0].nearness if found.tests else "rmse"
    return {
        "measures": ", ".join(map(str, found.measures)),
        "primary": str(found.primary),
        "gold": found.gold,
        "margin": found.margin,
        "epsilon": found.epsilon,
        "nearness": nearness,
        **settings(found),
    }


def _python(found: Judgement) -> str:
    slices = ["slices=slices"] if found.slices else []
    data = ["people", "models", *slices, *roles(found, "{0}={0}")]
    return call("judge", data, _settings(found))


def _command(found: Judgement) -> str:
    names = [
        f"--{role}={shlex.quote(','.join(map(protected, names)))}"
        for role, names in (("people", found.people), ("models", found.models))
    ]
    slices = ["--slices SLICES"] if found.slices else []
    held = [*names, *slices, *roles(found, "--{0} {1}")]
    parts = ["ordeval judge DATA", *held, *options(_settings(found))]
    return " \\\n  ".join(parts)
