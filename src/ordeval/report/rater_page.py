"""The page of an agreement: how well raters agree, and what pages on raters share."""

import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from math import isnan
from typing import Any, TypeVar

from ..errors import first_few, plural
from ..formatting import one_line, protected
from ..measures.spec import Measure
from ..plot import agreement, rater_shares, severity
from ..plot.heatmaps import Grid, rater_grid
from ..rater_results import (
    Agreement,
    DisputedItem,
    Estimate,
    Judgement,
    RaterFigures,
    coefficient_name,
)
from ..scale import Scale
from ..table import Cell, Column, Heading, Table, count, figure, tabulate, words
from .html import render, svg
from .items import RaterOpenings
from .layout import shortened
from .rater_story import agreement_answer, agreement_checks
from .rater_tables import agreement_method, interval_columns, kappa_tables, level_of, signed
from .result_page import distinct
from .result_tables import DOUBT

MOST_SHOWN = 50  # raters in figures and grids; tables hold all
MOST_DISPUTED = 20
_MOST_COLUMNS = 8  # raters that have a column in the table of items
_LONGEST_HEADING = 16  # of a rater's column; names stay different
_MOST_VOICES = 6  # raters named for a class of an item
_NAMED = {"rater", "first", "second", "name", "person", "model", "people", "models", "left_out"}

Shown = TypeVar("Shown", Agreement, Judgement)


def agreement_page(found: Agreement, *, command: str | None = None) -> str:
    """Return the report of an agreement; `command` is the command line that made it."""
    repeat = {"command": command or _command(found), "python": _python(found)}
    openings = openings_of(found)
    found = presentable(found)
    page = {
        "kicker": "Agreement of raters",
        "title": f"{len(found.raters)} raters compared" if found.raters else "Agreement of raters",
        "facts": facts(found),
        "answer": agreement_answer(found),
        **people(found, openings),
        "kappas": kappa_tables(found),
        "shares_plot": shares_figure(found),
        "severity_plot": severity_figure(found),
        "disputed": openings.of_items(disputed_table(found)),
        "items": openings.data,
        "class_tables": openings.tables(),
        "tables_note": openings.tables_note,
        "checks": agreement_checks(found),
        "method": [scale_sentence(found), *agreement_method(found)],
        "measure_cards": cards([*found.coefficients, *(pair.measure for pair in found.pairs)]),
        "signature": found.signature,
        **repeat,
    }
    return render("agreement.html.j2", _sections(page), **page)


def _sections(page: dict[str, Any]) -> list[tuple[str, str]]:
    every = [
        ("answer", "Answer", True),
        ("coefficients", "Coefficients", page["coefficients"]),
        ("pairs", "Pairs", page["matrix"]),
        ("raters", "Raters", page["raters"]),
        ("items", "Items", page["disputed"]),
        ("data", "Data checks", True),
        ("method", "Method", True),
        ("repeat", "Repeat", True),
    ]
    return [(anchor, name) for anchor, name, there in every if there]


def facts(found: Agreement) -> str:
    """Return the size of the data."""
    number = int(found.about.get("raters", len(found.raters)))
    raters = f"{plural(number, 'rater')}, " if number else ""
    sizes = f"{plural(found.items, 'item')}, {plural(found.ratings, 'rating')}"
    return f"{raters}{sizes}, {found.scale.k} classes"


def scale_sentence(found: Agreement | Judgement) -> str:
    """Return the ordered classes, and what becomes of gaps."""
    return f"The scale is {found.scale.describe()}. Gaps are left out, not filled in."


# Names that are visible and distinct.


def presentable(found: Shown) -> Shown:
    """Return the result with names of one line each, none blank, no two equal; without items."""
    labels = dict(zip(found.scale.labels, distinct(found.scale.labels), strict=True))
    cleaned: Shown = _cleaned(replace(found, examples=None), "", _shown_names(found), labels)
    return cleaned


def _shown_names(found: Agreement | Judgement) -> dict[str, str]:
    raters = _everybody(found)
    return dict(zip(raters, distinct(raters), strict=True))


def openings_of(found: Agreement | Judgement) -> RaterOpenings:
    """Return which items the numbers on the page open."""
    labels = tuple(map(str, distinct(found.scale.labels)))
    return RaterOpenings(found.examples, _shown_names(found), labels)


def _everybody(found: Agreement | Judgement) -> list[str]:
    """Return the names of all raters and models."""
    if isinstance(found, Judgement):
        return [*found.people, *found.models]
    in_pairs = [name for pair in found.pairs for name in (pair.first, pair.second)]
    return list(dict.fromkeys([*(row.rater for row in found.raters), *in_pairs]))


def _cleaned(value: Any, role: str, names: Mapping[str, str], labels: Mapping[Any, Any]) -> Any:
    """Return a value with clean texts; `role` is the name of the field that holds it."""
    if isinstance(value, (int, float, Measure, Estimate)):
        return value
    if isinstance(value, str):
        clean = names.get(value, one_line(value)) if role in _NAMED else one_line(value)
        return value if clean == value else clean  # the same object, which is not replaced
    if isinstance(value, Scale):
        return replace(value, labels=tuple(labels[label] for label in value.labels))
    if isinstance(value, tuple):
        return tuple(_cleaned(each, role, names, labels) for each in value)
    if isinstance(value, Mapping) and role == "ratings":
        return {names.get(k, one_line(k)): labels.get(v, v) for k, v in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        held = {f.name: getattr(value, f.name) for f in fields(value)}
        new = {k: _cleaned(v, k, names, labels) for k, v in held.items()}
        changed = {k: v for k, v in new.items() if v is not held[k]}
        return replace(value, **changed) if changed else value
    return value


# Sections.


def people(found: Agreement, openings: RaterOpenings) -> dict[str, Any]:
    """Return coefficients, pairs and raters: what is said about people among themselves."""
    return {
        "coefficients": coefficients_table(found) if found.coefficients else None,
        "coefficients_plot": _coefficients_figure(found),
        **matrix(found),
        "raters": openings.of_raters(raters_table(found)) if found.raters else None,
        "shown_note": shown_note(len(found.raters)),
    }


def matrix(found: Agreement | Judgement) -> dict[str, Any]:
    """Return everybody against everybody, if there are pairs."""
    if not found.pairs:
        return {"matrix": None, "more_matrices": []}
    grid, first = rater_grid(found, most=MOST_SHOWN), found.pairs[0].measure
    told = [(f"{p.first} and {p.second}", p.estimate) for p in found.pairs if p.measure == first]
    undefined = doubts((name, e) for name, e in told if isnan(e.value))
    others = dict.fromkeys(pair.measure for pair in found.pairs if pair.measure != first)
    return {
        "matrix": grid,
        "matrix_notes": [_matrix_note(found, grid), *undefined],
        "more_matrices": [] if grid.compact else [rater_grid(found, m) for m in others],
    }


def _matrix_note(found: Agreement | Judgement, grid: Grid) -> str:
    """Explain the grid, and say who is left out."""
    measure = found.pairs[0].measure
    told = "Stronger blue is better agreement, orange is below zero. "
    told += "Raters come in the order of their mean agreement with the others. "
    if "symmetric" not in measure.claims:
        told += "The rater of the row is taken as gold. "
    every = len(_everybody(found))
    if every > len(grid.rows):
        told += (
            f"Of {every:,} raters, those who agree best and those who agree worst are shown; "
            "the JSON of this result holds all pairs. "
        )
    return told.strip()


def shown_note(raters: int) -> str:
    """Say that a figure does not show all raters; empty if it does."""
    if raters <= MOST_SHOWN:
        return ""
    return f" {MOST_SHOWN} of {raters:,} raters are shown, those at either end."


def _coefficients_figure(found: Agreement) -> Any:
    if not found.coefficients:
        return None
    alt = (
        f"Dot plot of {plural(len(found.coefficients), 'coefficient')}; the table has the figures."
    )
    return svg(lambda: agreement(found), alt=alt, name="coefficients")


def severity_figure(found: Agreement | Judgement) -> Any:
    """Return the figure of who gives higher classes than the others."""
    alt = "Mean class value of each rater minus that of the others; the table has the figures."
    return _rater_figure(found, severity, alt, "severity")


def shares_figure(found: Agreement | Judgement) -> Any:
    """Return the figure of the share of each class among the ratings of everybody."""
    alt = "Stacked bars: the share of each class among the ratings, low classes at the left."
    return _rater_figure(found, rater_shares, alt, "shares")


def _rater_figure(
    found: Agreement | Judgement, draw: Callable[..., Any], alt: str, name: str
) -> Any:
    """Return a figure with a row per rater; None if it is not known who they are."""
    rows = found.biases if isinstance(found, Judgement) else found.raters
    return svg(lambda: draw(found, most=MOST_SHOWN), alt=alt, name=name) if rows else None


# Tables.


def estimate_columns(
    name: str, of: Callable[[Any], Estimate], level: float, *, with_sign: bool = False
) -> list[Column[Any]]:
    """Return the column of a figure and, where there is a level, that of its interval."""
    shown: Callable[[float], Cell] = signed if with_sign else lambda value: figure(value, 3)
    return [
        (Heading(name, True), lambda row: shown(of(row).value)),
        *interval_columns(level, name, of),
    ]


def doubts(estimates: Iterable[tuple[str, Estimate]]) -> list[str]:
    """Return the reasons for undefined figures and doubtful intervals, each with its names."""
    found: dict[str, list[str]] = {}
    for name, estimate in estimates:
        if estimate.doubt:
            mark = _mark(estimate)
            found.setdefault(f"{mark}: {estimate.doubt}", []).append(name)
    return [f"{why} ({first_few(names, _MOST_VOICES)})." for why, names in found.items()]


def _mark(estimate: Estimate) -> str:
    """Return what a reason is about: the figure, its absent interval or its doubtful one."""
    if isnan(estimate.value):
        return "– Undefined"
    return "No interval" if isnan(estimate.low) else f"{DOUBT} Doubtful interval"


def coefficients_table(found: Agreement) -> Table:
    """Return the coefficients of all raters with their intervals."""
    rows = list(found.coefficients.items())
    columns: list[Column[tuple[Measure, Estimate]]] = [
        (Heading("coefficient"), lambda row: words(coefficient_name(row[0]))),
        *estimate_columns("value", lambda row: row[1], level_of(found)),
        (Heading("measure"), lambda row: words(row[0])),
    ]
    notes = doubts((coefficient_name(m), e) for m, e in rows)
    return tabulate(rows, columns, title="Agreement of all raters", notes=notes)


def raters_table(found: Agreement) -> Table:
    """Return the raters one by one."""
    level = level_of(found)
    columns: list[Column[RaterFigures]] = [
        (Heading("rater"), lambda row: words(row.rater)),
        (Heading("items", True), lambda row: count(row.items)),
        (Heading("shared", True), lambda row: count(row.shared)),
        *estimate_columns("severity", lambda row: row.severity, level, with_sign=True),
        *estimate_columns("consistency", lambda row: row.consistency, level),
    ]
    if any(row.stands_out for row in found.raters):
        columns.append((Heading("stands out"), lambda row: words(row.stands_out)))
    told = [(row.rater, e) for row in found.raters for e in (row.severity, row.consistency)]
    return tabulate(found.raters, columns, title="Raters one by one", notes=doubts(told))


def disputed_table(found: Agreement) -> Table | None:
    """Return the items of largest disagreement and who said what; none without disagreement."""
    rows = [row for row in found.disputed if row.disagreement > 0][:MOST_DISPUTED]
    if not rows:
        return None
    columns: list[Column[DisputedItem]] = [
        (Heading("item"), lambda row: words(row.item)),
        (Heading("disagreement", True), lambda row: figure(row.disagreement, 2)),
        *voices(_everybody(found), found.scale.labels),
    ]
    return tabulate(rows, columns, title=f"The {len(rows)} items of largest disagreement")


def voices(raters: Sequence[str], labels: Sequence[Any]) -> list[Column[DisputedItem]]:
    """Return a column for each of a few raters, or one that says who gave which class."""
    if 0 < len(raters) <= _MOST_COLUMNS:
        headings = shortened(raters, _LONGEST_HEADING)
        return [_voice(name, headings[name]) for name in raters]
    known = set(raters)
    return [(Heading("who said what"), lambda row: words(_voices(row, labels, known)))]


def _voice(name: str, heading: str) -> Column[DisputedItem]:
    return Heading(heading), lambda row: words(row.ratings.get(name, ""))


def _voices(row: DisputedItem, labels: Sequence[Any], known: set[str]) -> str:
    """Return the classes given from the lowest, with the raters who gave each or their number."""
    by_class: dict[Any, list[str]] = {}
    for rater, label in row.ratings.items():
        if rater in known or not known:
            by_class.setdefault(label, []).append(rater)
    place = {label: i for i, label in enumerate(labels)}
    ordered = sorted(by_class.items(), key=lambda pair: place.get(pair[0], len(place)))
    return "; ".join(
        f"{label} ({', '.join(who) if len(who) <= _MOST_VOICES else f'{len(who):,} raters'})"
        for label, who in ordered
    )


def cards(measures: Iterable[Measure]) -> list[tuple[str, Measure]]:
    """Return the measures to be explained: variants of one measure share a card."""
    variants: dict[str, list[Measure]] = {}
    for measure in dict.fromkeys(measures):
        variants.setdefault(measure.id, []).append(measure)
    return [(", ".join(map(coefficient_name, group)), group[0]) for group in variants.values()]


# How to repeat it.


def settings(found: Agreement | Judgement) -> dict[str, Any]:
    """Return the settings that every result on raters has, by their names in Python."""
    given = {
        "labels": list(found.scale.labels),
        "values": None if found.scale.values is None else list(found.scale.values),
        "bins": found.about.get("bins"),
        "missing": found.about.get("missing"),
        "over": "both" if found.over.endswith("raters") else found.over,
        "bootstrap": found.replicates,
        "ci": level_of(found) or None,
        "rng": found.seed,
    }
    return {name: value for name, value in given.items() if value is not None}


def options(given: Mapping[str, Any]) -> list[str]:
    """Return settings as options of the command line."""
    shown = []
    for key, value in given.items():
        text = ",".join(map(protected, value)) if isinstance(value, list) else str(value)
        option = "seed" if key == "rng" else key.replace("_", "-")
        shown.append(f"--{option}={shlex.quote(text)}")
    return [*shown, "--html=report.html"]


def roles(found: Agreement | Judgement, form: str) -> list[str]:
    """Return what else the data had besides ratings, as arguments or options."""
    there = ["cluster"] if found.over.startswith("clusters") else []
    return [form.format(role, role.upper()) for role in there]


def call(function: str, data: Iterable[str], given: Mapping[str, Any]) -> str:
    """Return the call that repeats a result, with variables for the data."""
    lines = [*data, *(f"{key}={value!r}" for key, value in given.items())]
    body = "".join(f"    {line},\n" for line in lines)
    return f'import ordeval as oe\n\noe.{function}(\n{body}).to_html("report.html")'


def _settings(found: Agreement) -> dict[str, Any]:
    measures = {"measures": found.measures, "pair_measures": found.pair_measures}
    given = {name: ", ".join(map(str, held)) for name, held in measures.items() if held}
    return {**given, **settings(found)}


def _python(found: Agreement) -> str:
    return call("agreement", ["ratings", *roles(found, "{0}={0}")], _settings(found))


def _command(found: Agreement) -> str:
    names = ",".join(protected(row.rater) for row in found.raters)
    raters = [f"--raters={shlex.quote(names)}"] if found.raters else []
    parts = ["ordeval agreement DATA", *raters, *roles(found, "--{0} {1}")]
    return " \\\n  ".join([*parts, *options(_settings(found))])
