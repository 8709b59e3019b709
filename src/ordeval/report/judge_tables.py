"""Tables and sentences about models beside people."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import isnan
from typing import Any

from ..errors import InputError, plural, quoted
from ..formatting import UNDEFINED, one_line, shorten
from ..measures.spec import Measure
from ..rater_results import (
    GOLDS,
    AlternativeTest,
    DisputedItem,
    Estimate,
    Judgement,
    ModelBias,
    PanelScore,
    Replacement,
    SliceScore,
)
from ..table import (
    Cell,
    Column,
    Heading,
    Table,
    columns_of,
    count,
    figure,
    nothing_in,
    numeric,
    p_value,
    table,
    tabulate,
    words,
)
from .rater_tables import interval_columns, items_of, level_of, measure_cell, signed
from .result_tables import DOUBT

_SHORT_VERDICTS = {"as good as one more person": "as good"}
_DIGITS = 3
_ROUNDING = 1e-9
_NO_BIAS = ("", "none found")
_PEOPLE = "people"
_MOST_NAMED, _LONGEST_NAME = 5, 20  # people in a title
_MOST_IN_GRID = 12  # raters beyond which everybody against everybody is a list


def judge_tables(
    found: Judgement, what: str | None = None, measure: Measure | None = None
) -> list[Table]:
    """Return all tables, or those that `what` names; the models under the primary measure first."""
    if what is not None:
        if what not in KINDS:
            raise InputError(
                f"There is no table {what!r}; there are {', '.join(KINDS)}.", parameter="what"
            )
        return KINDS[what](found, measure or found.primary)
    return [one for kind in KINDS.values() for one in kind(found, measure or found.primary)]


def overview_tables(found: Judgement) -> list[Table]:
    """Return what printing shows: the models beside people under the primary measure."""
    return main_tables(found, found.primary)


def main_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return people and models under one measure, with differences and verdicts."""
    ceiling = found.ceiling(measure).leave_one_out
    mean = _mean_of_people(found)
    people = PanelScore(measure, mean, "person", ceiling, Estimate(float("nan")))
    rows = [people, *(found.score(name, measure) for name in found.ranking(measure))]
    columns: list[Column[PanelScore]] = [
        (Heading("model"), lambda row: words(row.name)),
        (Heading("score", True), lambda row: figure(row.leave_one_out.value, _DIGITS)),
        *_ends(found, "", lambda row: row.leave_one_out),
        (Heading("difference", True, short="diff."), lambda row: signed(row.difference.value)),
        *_ends(found, "difference", lambda row: row.difference),
        (Heading("verdict"), lambda row: _verdict(row.verdict)),
    ]
    notes = [
        *_doubts(rows),
        f"“{mean}”: the mean of each person's score against the others; models are scored "
        "against the same golds.",
        *([_rule(found, rows)] if found.replicates else []),
        *found.notices,
        f"Signature: {found.signature}",
    ]
    return [tabulate(rows, columns, title=_title(found, measure), notes=notes)]


def _mean_of_people(found: Judgement) -> str:
    """Return the name of the row of people, which no model has."""
    return "mean of people" if _PEOPLE in found.models else _PEOPLE


def _title(found: Judgement, measure: Measure) -> str:
    gold = f"{GOLDS[found.gold]} (gold: {found.gold})"
    return f"{sizes_of(found)}; {measure} {measure.arrow} against {gold}"


def sizes_of(found: Judgement) -> str:
    """Return how many models were judged by whom, on what."""
    names = [shorten(one_line(name), _LONGEST_NAME) for name in found.people[:_MOST_NAMED]]
    more = len(found.people) - _MOST_NAMED
    names += [f"{more:,} more"] if more > 0 else []
    people = f"{plural(len(found.people), 'person', 'people')} ({', '.join(names)})"
    items = items_of(found.items, found.people_agreement)
    return f"{plural(len(found.models), 'model')}, {people}, {items}"


def _rule(found: Judgement, rows: Sequence[PanelScore]) -> str:
    """Explain verdicts, with the margin in units of the measure, and whom intervals hold for."""
    margins = sorted({round(row.margin, 4) for row in rows if not isnan(row.margin)})
    shown = " to ".join(f"{margin:.3g}" for margin in dict.fromkeys(margins[:1] + margins[-1:]))
    most = f"by more than {shown}" if shown else "by more than the margin"
    units = "clusters of items" if "clusters" in found.over else "items"
    whom = "other people" if "raters" in found.over else "these people"
    return (
        "Verdicts by the interval of the difference: “better” if all of it is; “as good” (as one "
        f"more person) if no part of it is worse {most} ({_allowed(found, rows)}), even if all of "
        "it is a little worse; else “worse” if all of it is, and otherwise “undecided”. Intervals "
        f"are for other {units} with {whom}."
    )


def _allowed(found: Judgement, rows: Sequence[PanelScore]) -> str:
    """Say where margins come from: more disagreement, or the least margin that there is."""
    more = f"{100 * found.margin:g} % more disagreement"
    least = "the least margin, because people hardly disagree"
    known = [_is_least(found, row) for row in rows if not isnan(row.margin)]
    if not any(known):
        return more
    return least if all(known) else f"{more}, or {least}"


def _is_least(found: Judgement, row: PanelScore) -> bool:
    """Whether the margin is more than the share of the disagreement of people on the same items."""
    low, high = row.measure.bounds(found.scale)
    best = high if row.measure.better == "higher" else low
    people = row.leave_one_out.value - row.difference.value
    return row.margin > found.margin * abs(best - people) * (1 + _ROUNDING) + _ROUNDING


def _ends(found: Judgement, name: str, estimate: Callable[[Any], Estimate]) -> list[Column[Any]]:
    return interval_columns(level_of(found), name, estimate)


def _verdict(verdict: str) -> Cell:
    return replace(words(verdict), short=_SHORT_VERDICTS.get(verdict, ""))


def _doubts(rows: Iterable[PanelScore]) -> list[str]:
    """Say why figures are undefined, and why intervals are doubtful."""
    told: dict[str, None] = {}
    for row in rows:
        for e in (row.leave_one_out, row.difference):
            if e.doubt and isnan(e.low):
                told[f"{row.name}: {e.doubt}."] = None
            elif e.doubt:
                told[f"{DOUBT} The interval may cover less than its level: {e.doubt}."] = None
    return list(told)[:5]


def measure_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return every model under every measure."""
    rows = [row for row in found.scores if row.kind == "model"]
    columns: list[Column[PanelScore]] = [
        (Heading("measure"), lambda row: measure_cell(row.measure)),
        (Heading("model"), lambda row: words(row.name)),
        (Heading("score", True), lambda row: figure(row.leave_one_out.value, _DIGITS)),
        (
            Heading("people", True),
            lambda row: figure(found.ceiling(row.measure).leave_one_out.value, _DIGITS),
        ),
        (Heading("difference", True, short="diff."), lambda row: signed(row.difference.value)),
        *_ends(found, "difference", lambda row: row.difference),
        (Heading("verdict"), lambda row: _verdict(row.verdict)),
    ]
    notes = [*_doubts(rows), *_gap_notes(found)]
    return [tabulate(rows, columns, title="Every measure", keys=2, notes=notes)]


def people_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return each person against the others, and pairs of people."""
    ceiling = found.ceiling(measure)
    name = "mean of people" if "mean" in found.people else "mean"
    mean = PanelScore(measure, name, "person", ceiling.leave_one_out, ceiling.pairwise)
    rows = [*(found.score(name, measure) for name in found.people), mean]
    columns: list[Column[PanelScore]] = [
        (Heading("person"), lambda row: words(row.name)),
        (Heading("items", True), lambda row: count(row.items) if row.items else Cell("")),
        (Heading("against the others", True), lambda row: figure(row.leave_one_out.value, 3)),
        *_ends(found, "", lambda row: row.leave_one_out),
        (Heading("one by one", True), lambda row: figure(row.pairwise.value, 3)),
        *_ends(found, "one by one", lambda row: row.pairwise),
    ]
    title = f"People among themselves: {measure} {measure.arrow}"
    return [tabulate(rows, columns, title=title)]


def pair_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return everybody against everybody under the primary measure."""
    names = (*found.people, *found.models)
    title = f"Everybody against everybody: {found.primary} {found.primary.arrow}, rows as gold"
    if len(names) > _MOST_IN_GRID:
        columns: list[Column[Any]] = [
            (Heading("gold"), lambda row: words(row.first)),
            (Heading("rater"), lambda row: words(row.second)),
            (Heading("items", True), lambda row: count(row.items)),
            (Heading("score", True), lambda row: figure(row.estimate.value, _DIGITS)),
            *_ends(found, "", lambda row: row.estimate),
        ]
        return [tabulate(found.pairs, columns, title=title, keys=2)]
    scores = {(row.first, row.second): row.estimate.value for row in found.pairs}
    rows = [
        [words(a), *(Cell("") if a == b else figure(scores[a, b], _DIGITS) for b in names)]
        for a in names
    ]
    return [table([Heading("gold"), *numeric(*names)], rows, title=title)]


def test_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return the alternative annotator test of every model, and person by person."""
    columns: list[Column[AlternativeTest]] = [
        (Heading("model"), lambda row: words(row.model)),
        (Heading("winning rate", True), lambda row: figure(row.winning_rate, _DIGITS)),
        (Heading("advantage", True), lambda row: figure(row.advantage, _DIGITS)),
        (Heading("passes"), lambda row: words(_PASSES[row.passes])),
    ]
    left_out = dict.fromkeys(name for test in found.tests for name in test.left_out)
    notes = [
        "Winning rate: the share of people whose place the model could take; it passes from 0.5 "
        "on. Advantage: the mean share of items on which it is at least as near to the others.",
        *([f"Left out, with too few items: {', '.join(left_out)}."] if left_out else []),
    ]
    title = f"Alternative annotator test, ε = {found.epsilon:g} ({_nearness(found)})"
    return [tabulate(found.tests, columns, title=title, notes=notes)]


_PASSES = {True: "yes", False: "no", None: UNDEFINED}


def _nearness(found: Judgement) -> str:
    kinds = {"rmse": "root mean square distance", "accuracy": "share of equal ratings"}
    return kinds[found.tests[0].nearness] if found.tests else ""


def replacement_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return the alternative annotator test person by person."""
    rows = [(test.model, row) for test in found.tests for row in test.people]
    columns: list[Column[tuple[str, Replacement]]] = [
        (Heading("model"), lambda row: words(row[0])),
        (Heading("person"), lambda row: words(row[1].person)),
        (Heading("items", True), lambda row: count(row[1].items)),
        (Heading("model as near", True), lambda row: figure(row[1].model_wins, _DIGITS)),
        (Heading("person as near", True), lambda row: figure(row[1].person_wins, _DIGITS)),
        (Heading("p", True), lambda row: p_value(row[1].p)),
        (Heading("replaces"), lambda row: words(_PASSES[row[1].rejected])),
    ]
    title = "Alternative annotator test, person by person"
    return [tabulate(rows, columns, title=title, keys=2)] if rows else []


def bias_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return in which direction models differ from people."""
    columns: list[Column[ModelBias]] = [
        (Heading("model"), lambda row: words(row.model)),
        (Heading("lean", True), lambda row: signed(row.lean.value)),
        *_ends(found, "lean", lambda row: row.lean),
        (Heading("ends", True), lambda row: signed(row.ends.value)),
        *_ends(found, "ends", lambda row: row.ends),
        (Heading("spread", True), lambda row: figure(row.spread.value, 2)),
        *_ends(found, "spread", lambda row: row.spread),
        (Heading("in words"), lambda row: words(row.words)),
    ]
    note = (
        "Lean: mean class value minus that of people. Ends: share of ratings at either end of the "
        "scale minus that of people. Spread: standard deviation over that of people. Words only "
        "where the interval excludes no difference."
    )
    return [tabulate(found.biases, columns, title="Bias of models", notes=[note])]


def slice_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return the models on parts of the items."""
    columns: list[Column[SliceScore]] = [
        (Heading("slice"), lambda row: words(row.slice)),
        (Heading("model"), lambda row: words(row.model)),
        (Heading("items", True), lambda row: count(row.items)),
        (Heading("score", True), lambda row: figure(row.score.value, _DIGITS)),
        (Heading("people", True), lambda row: figure(row.ceiling.value, _DIGITS)),
        (Heading("difference", True, short="diff."), lambda row: signed(row.difference.value)),
        *_ends(found, "difference", lambda row: row.difference),
        (Heading("verdict"), lambda row: _verdict(row.verdict)),
    ]
    title = f"Parts of the items: {found.primary} {found.primary.arrow}"
    notes = _gap_notes(found)
    return [tabulate(found.slices, columns, title=title, keys=2, notes=notes)] * bool(found.slices)


def _gap_notes(found: Judgement) -> list[str]:
    """Say why differences are not those of the scores, where models have gaps."""
    gaps = [name for name in found.models if 0 < found.score(name).items < found.items]
    if not gaps:
        return []
    return [
        f"With gaps: {quoted(gaps)}. Their differences are from people on the items that they "
        "rated, and may deviate from those of the scores shown."
    ]


def item_tables(found: Judgement, measure: Measure) -> list[Table]:
    """Return the items on which each model is farthest from people."""
    columns: list[Column[DisputedItem]] = [
        (Heading("model"), lambda row: words(row.model)),
        (Heading("item"), lambda row: words(row.item)),
        (Heading("distance", True), lambda row: figure(row.disagreement, 2)),
        (Heading("model's", True), lambda row: words(row.ratings.get(row.model, ""))),
        (Heading("people's"), lambda row: words(_ratings(found, row))),
    ]
    note = "Distance: squared difference of the model's class value from the mean of people's."
    title = "Items of largest disagreement"
    return (
        [tabulate(found.disputed, columns, title=title, notes=[note], keys=2)]
        if found.disputed
        else []
    )


def _ratings(found: Judgement, row: DisputedItem) -> str:
    given = [str(row.ratings[name]) for name in found.people if name in row.ratings]
    return " ".join(given)


KINDS: dict[str, Callable[[Judgement, Measure], list[Table]]] = {
    "main": main_tables,
    "measures": measure_tables,
    "people": people_tables,
    "pairs": pair_tables,
    "test": test_tables,
    "replacements": replacement_tables,
    "bias": bias_tables,
    "slices": slice_tables,
    "items": item_tables,
}


EMPTY = {
    "replacements": "the alternative annotator test needs more items per person",
    "slices": "no columns of slices were named",
    "items": "no model differs from people",
}
"""Why a table may be empty."""


def long_judgement(found: Judgement) -> Table:
    """Return people and models under every measure in one table, for CSV and data frames."""
    columns: list[Column[PanelScore]] = [
        (Heading("measure"), lambda row: words(row.measure)),
        (Heading("name"), lambda row: words(row.name)),
        (Heading("kind"), lambda row: words(row.kind)),
        (Heading("gold"), lambda _: words(found.gold)),
        (Heading("items", True), lambda row: count(row.items)),
        *_estimate_columns("", lambda row: row.leave_one_out),
        (
            Heading("ceiling", True),
            lambda row: figure(found.ceiling(row.measure).leave_one_out.value),
        ),
        *_estimate_columns("difference", lambda row: row.difference),
        (Heading("margin", True), lambda row: figure(row.margin)),
        (Heading("verdict"), lambda row: words(row.verdict)),
        (Heading("joint_verdict"), lambda row: words(row.joint_verdict)),
        *_estimate_columns("pairwise", lambda row: row.pairwise),
        *_estimate_columns("pairwise_difference", lambda row: row.pairwise_difference),
        (Heading("doubt"), lambda row: words(row.difference.doubt or row.leave_one_out.doubt)),
    ]
    return tabulate(found.scores, columns, title=_title(found, found.primary), keys=2)


def _estimate_columns(name: str, estimate: Callable[[Any], Estimate]) -> list[Column[Any]]:
    before = f"{name}_" if name else ""
    return [
        (Heading(name or "score", True), lambda row: figure(estimate(row).value)),
        (Heading(f"{before}low", True), lambda row: figure(estimate(row).low)),
        (Heading(f"{before}high", True), lambda row: figure(estimate(row).high)),
        (Heading(f"{before}se", True), lambda row: figure(estimate(row).se)),
    ]


def judge_columns(
    found: Judgement, what: str | None = None, measure: Measure | None = None
) -> dict[str, Any]:
    """Return the columns of a data frame: all scores, or one of the tables."""
    if what is None:
        return columns_of(long_judgement(found))
    made = judge_tables(found, what, measure)
    if not made:
        raise InputError(nothing_in(what, EMPTY), parameter="what")
    return columns_of(made[0])


def bias_sentences(found: Judgement) -> list[str]:
    """Say in which direction models differ from people, where the data show it."""
    return [f"{row.model} {row.words}." for row in found.biases if row.words not in _NO_BIAS]
