"""What is shown about models beside several people."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from ..errors import plural, quoted
from ..formatting import UNDEFINED, one_line, shorten
from ..measures.spec import Measure
from ..results import GOLDS, AlternativeTest, DisputedItem, Judgement, PanelScore
from .items import RatedOpenings
from .phrases import counted, doubts, listed, measure_phrase, number, sentence, signed, verb
from .rater_figures import ceiling_figure, rater_shares_figure, severity_figure
from .rater_view import (
    MOST_SHOWN,
    call,
    cards,
    coefficients,
    interval_heading,
    items_of,
    matrix,
    openings_of,
    outstanding,
    pairs,
    raters,
    text_columns,
    voices,
)
from .rater_view import checks as people_checks
from .texts import text_of
from .view import Col, Remark, Section, View, remarks_of, strong

_MOST_NAMED, _LONGEST_NAME = 5, 20  # people in a title
_MOST_SENTENCES = 6  # models that have a sentence of their own
_MOST_ITEMS = 30  # of all models
_MOST_DETAILS = 20  # models whose test is shown person by person
_FEW_PEOPLE = 3  # with two people, leave-one-out compares with a single other person
_ROUNDING = 1e-9
_VERDICTS = {
    "better": "better than one more person",
    "as good as one more person": "as good as one more person",
    "worse": "worse than one more person",
}
_PASSES = {True: "yes", False: "no", None: UNDEFINED}
_EMPTY = {
    "replacements": "the alternative annotator test needs more items per person",
    "slices": "no columns of slices were named",
    "items": "no model differs from people",
}


def judge_view(found: Judgement, measure: Measure | None = None) -> View:
    """Return the view of a judgement; `measure` is the one that tables are about."""
    chosen, openings = measure or found.primary, openings_of(found)
    sections: dict[str, Callable[[], Section | None]] = {
        "models": lambda: _models(found, chosen),
        "measures": lambda: _measures(found),
        "people": lambda: _people(found, chosen),
        "pairs": lambda: pairs(found),
        "test": lambda: _test(found, openings),
        "replacements": lambda: _replacements(found, openings),
        "bias": lambda: _bias(found),
        "slices": lambda: _slices(found, openings),
        "matrix": lambda: matrix(found, openings),
        "items": lambda: _items(found, openings),
        "scores": lambda: _scores(found),
        "panel": lambda: coefficients(found.people_agreement),
        "persons": lambda: raters(found.people_agreement, openings),
    }
    several = len(found.models) > 1
    title = f"{len(found.models)} models" if several else found.models[0]
    return View(
        f"{title} beside {plural(len(found.people), 'person', 'people')}",
        sections,
        brief=("models",),
        page=(
            *("models", "measures", "test", "replacements", "bias", "slices", "matrix", "items"),
            *("people", "panel", "persons"),
        ),
        data="scores",
        kicker="Models judged by people",
        facts=f"{_sizes(found)}, {found.scale.k} classes; gold: {found.gold}",
        answer=lambda: answer(found),
        checks=lambda: checks(found),
        method=lambda: _method(found),
        measures=cards([*found.measures, *found.people_agreement.coefficients]),
        notes=found.notes,
        signature=found.signature(),
        call=lambda: _call(found),
        items=openings.data,
        empty=_EMPTY,
    )


def _sizes(found: Judgement) -> str:
    """Return how many models were judged by whom, on what."""
    names = [shorten(one_line(name), _LONGEST_NAME) for name in found.people[:_MOST_NAMED]]
    more = len(found.people) - _MOST_NAMED
    names += [f"{more:,} more"] if more > 0 else []
    people = f"{plural(len(found.people), 'person', 'people')} ({', '.join(names)})"
    items = items_of(found.items, found.people_agreement)
    return f"{plural(len(found.models), 'model')}, {people}, {items}"


# Sections.


def _models(found: Judgement, measure: Measure) -> Section:
    """Return people and models under one measure, with differences and verdicts."""
    mean = "mean of people" if "people" in found.models else "people"
    ceiling = found.ceiling(measure)
    people = PanelScore(*ceiling.parts, measure=measure, name=mean, kind="person")
    rows = [people, *(found.standing(name, measure) for name in found.ranking(measure))]
    columns = [
        Col("model", lambda row: row.name),
        Col(interval_heading("score", found), lambda row: row, 3, data="score"),
        _difference(found),
        Col("verdict"),
    ]
    told = [(row.name, e) for row in rows for e in (row, row.difference)]
    notes = [
        *doubts(told)[:5],
        text_of("judge.people", mean=mean),
        *([_rule(found, rows)] if found.replicates else []),
    ]
    gold = f"{GOLDS[found.gold]} (gold: {found.gold})"
    title = f"{_sizes(found)}; {measure} {measure.arrow} against {gold}"
    figures = [ceiling_figure(found, measure, MOST_SHOWN)]
    return Section("models", title, rows, columns, notes, figures)


def _difference(found: Judgement) -> Col:
    heading = interval_heading("difference", found)
    return Col(heading, lambda row: row.difference, 3, "signed", data="difference")


def _rule(found: Judgement, rows: Sequence[PanelScore]) -> str:
    """Explain verdicts, with the margin in units of the measure, and whom intervals hold for."""
    margins = sorted({round(row.margin, 4) for row in rows if not isnan(row.margin)})
    shown = " to ".join(f"{margin:.3g}" for margin in dict.fromkeys(margins[:1] + margins[-1:]))
    least = any(_is_least(found, row) for row in rows if not isnan(row.margin))
    more = (
        "the least margin, because people hardly disagree"
        if least
        else f"{100 * found.margin:g} % more disagreement"
    )
    units = "clusters of items" if "clusters" in found.over else "items"
    whom = "other people" if "raters" in found.over else "these people"
    values = {"margin": shown or "the margin", "more": more, "units": units, "whom": whom}
    return text_of("judge.rule", **values)


def _is_least(found: Judgement, row: PanelScore) -> bool:
    """Whether the margin is more than the share of the disagreement of people on the same items."""
    low, high = row.measure.bounds(found.scale)
    best = high if row.measure.better == "higher" else low
    people = row.value - row.difference.value
    return row.margin > found.margin * abs(best - people) * (1 + _ROUNDING) + _ROUNDING


def _measures(found: Judgement) -> Section:
    """Return every model under every measure."""
    rows = [found.standing(name, m) for m in found.measures for name in found.ranking(m)]
    columns = [
        Col("measure", lambda row: row.measure.key),
        Col("model", lambda row: row.name),
        Col("score", lambda row: row.value, 3),
        Col("people", lambda row: found.ceiling(row.measure).value, 3),
        _difference(found),
        Col("verdict"),
    ]
    told = [(f"{row.name}, {row.measure.short}", row.difference) for row in rows]
    notes = [*doubts(told)[:5], *_gaps(found)]
    return Section("measures", "Every model under every measure", rows, columns, notes)


def _gaps(found: Judgement) -> list[str]:
    """Say why differences are not those of the scores, where models have gaps."""
    gaps = [name for name in found.models if 0 < found.standing(name).items < found.items]
    return [text_of("judge.gaps", gaps=quoted(gaps))] if gaps else []


def _people(found: Judgement, measure: Measure) -> Section:
    """Return each person against the others, and pairs of people."""
    ceiling = found.ceiling(measure)
    name = "mean of people" if "mean" in found.people else "mean"
    mean = PanelScore(
        *ceiling.parts, measure=measure, name=name, kind="person", pairwise=ceiling.pairwise
    )
    rows = [*(found.standing(name, measure) for name in found.people), mean]
    columns = [
        Col("person", lambda row: row.name),
        Col("items", lambda row: row.items or None, 0),
        Col(
            interval_heading("against the others", found),
            lambda row: row,
            3,
            data="score",
        ),
        Col(interval_heading("one by one", found), lambda row: row.pairwise, 3, data="pairwise"),
    ]
    title = f"People among themselves: {measure} {measure.arrow}"
    return Section("people", title, rows, columns)


def _test(found: Judgement, openings: RatedOpenings) -> Section | None:
    """Return the alternative annotator test of every model; pages have it person by person."""
    if not found.tests:
        return None
    columns = [
        Col("model"),
        Col("winning rate", digits=3),
        Col("advantage", digits=3),
        Col("passes", lambda row: _PASSES[row.passes]),
    ]
    left_out = dict.fromkeys(name for test in found.tests for name in test.left_out)
    notes = [
        text_of("judge.test"),
        *([f"Left out, with too few items: {', '.join(left_out)}."] if left_out else []),
    ]
    nearness = {"rmse": "root mean square distance", "accuracy": "share of equal ratings"}
    title = (
        f"Alternative annotator test, ε = {found.epsilon:g} ({nearness[found.tests[0].nearness]})"
    )
    lead = text_of("judge.question", epsilon=found.epsilon)
    return Section("test", title, found.tests, columns, lead=lead, notes=notes)


def _replacements(found: Judgement, openings: RatedOpenings) -> Section | None:
    """Return the alternative annotator test person by person."""
    rows = [(test.model, row) for test in found.tests for row in test.people]

    def opens(row: Any) -> str:
        return openings.rated(row[1].person, row[1].items, beside=row[0])

    columns = [
        Col("model", lambda row: row[0]),
        Col("person", lambda row: row[1].person),
        Col("items", lambda row: row[1].items, 0, opens=opens),
        Col("model as near", lambda row: row[1].model_wins, 3),
        Col("person as near", lambda row: row[1].person_wins, 3),
        Col("p", lambda row: row[1].p, style="p"),
        Col("replaces", lambda row: row[1].rejected),
    ]
    title = "Alternative annotator test, person by person"
    return Section("replacements", title, rows, columns) if rows else None


def _bias(found: Judgement) -> Section | None:
    """Return in which direction models differ from people."""
    if not found.biases:
        return None
    columns = [
        Col("model"),
        Col("lean", digits=3, style="signed"),
        Col("ends", digits=3, style="signed"),
        Col("spread", digits=2),
        Col("in words", lambda row: row.words),
    ]
    note = text_of("judge.bias")
    figures = [rater_shares_figure(found, MOST_SHOWN), severity_figure(found, MOST_SHOWN)]
    return Section("bias", "Bias of models", found.biases, columns, [note], figures)


def _slices(found: Judgement, openings: RatedOpenings) -> Section | None:
    """Return the models on parts of the items."""
    if not found.slices:
        return None
    columns = [
        Col("slice"),
        Col("model"),
        Col(
            "items", lambda row: row.items, 0, opens=lambda row: openings.part(row.slice, row.items)
        ),
        Col("score", lambda row: row, 3),
        Col("people", lambda row: row.ceiling, 3),
        _difference(found),
        Col("verdict"),
    ]
    title = f"Parts of the items: {found.primary} {found.primary.arrow}"
    return Section("slices", title, found.slices, columns, _gaps(found))


def _items(found: Judgement, openings: RatedOpenings) -> Section | None:
    """Return the items on which each model is farthest from people, the best model first."""
    if not found.disputed:
        return None
    by_model: dict[str, list[DisputedItem]] = {name: [] for name in found.ranking()}
    for row in found.disputed:
        by_model.setdefault(row.model, []).append(row)
    most = max(1, _MOST_ITEMS // len(found.models))
    rows = [row for of_model in by_model.values() for row in of_model[:most]]
    columns = [
        Col("model"),
        Col("item", opens=lambda row: openings.item(row.item)),
        Col("distance", lambda row: row.disagreement, 2),
        Col("model's class", lambda row: row.ratings.get(row.model, "")),
        Col("people's classes", lambda row: voices(row, found.scale.labels, row.model)),
        *text_columns(openings),
    ]
    note = text_of("judge.distance")
    title = "Items of largest disagreement"
    return Section("items", title, rows, columns, [note], data_rows=lambda: found.disputed)


def _scores(found: Judgement) -> Section:
    """Return people and models under every measure, one row each."""
    columns = [
        Col("measure"),
        Col("name"),
        Col("kind"),
        Col("gold", lambda _: found.gold),
        Col("items", digits=0),
        Col("score", lambda row: row, 3),
        Col("ceiling", lambda row: found.ceiling(row.measure).value, 3),
        _difference(found),
        Col("margin", digits=4),
        Col("verdict"),
        Col("joint_verdict"),
        Col("pairwise", digits=3),
        Col("pairwise_difference", digits=3),
    ]
    return Section("scores", "All scores", found.scores, columns)


# Sentences.


def answer(found: Judgement) -> list[str]:
    """Return how every model stands to one more person, and the test of replacement."""
    rows = [found.standing(name) for name in found.ranking()]
    told = [_model_sentence(found, row, i == 0) for i, row in enumerate(rows[:_MOST_SENTENCES])]
    if len(rows) > _MOST_SENTENCES:
        told = [told[0], *_by_verdict(found, rows)]
    told += _other_measures(found) + _passing(found.tests, found.epsilon)
    told += [
        f"{strong(row.model)} {row.words}."
        for row in found.biases
        if row.words not in ("", "none found")
    ]
    unusual = outstanding(found.people_agreement)
    told += [f"Standing out among people: {unusual}."] if unusual else []
    return [*told, f"Everybody is scored against {GOLDS[found.gold]}."]


def _model_sentence(found: Judgement, row: PanelScore, first: bool) -> str:
    """Say how a model stands to one more person under the primary measure, with the numbers."""
    people, score = found.ceiling(row.measure), row
    under = f"under {measure_phrase(row.measure) if first else row.measure.short}"
    if isnan(score.value):
        return (
            f"{strong(row.name)} has no score {under}{f': {score.doubt}' if score.doubt else ''}."
        )
    start = f"{strong(row.name)} beside people"
    if row.verdict:
        start = f"Whether {strong(row.name)} is as good as one more person is undecided"
    if row.verdict in _VERDICTS:
        start = f"{strong(row.name)} is {_VERDICTS[row.verdict]}"
    on = f" on its {row.items:,} items" if 0 < row.items < found.items else ""
    numbers = f"{number(score.value)} against {number(people.value)} among people"
    why = f" ({row.difference.doubt})" if isnan(row.difference.low) and row.difference.doubt else ""
    joint = ""
    if row.joint_verdict not in ("", row.verdict):
        word = _VERDICTS.get(row.joint_verdict, row.joint_verdict)
        joint = f"; at the level for all {len(found.models):,} models at once, {word}"
    return f"{start} {under}: {numbers}, difference{on} {signed(row.difference)}{why}{joint}."


def _by_verdict(found: Judgement, rows: Sequence[PanelScore]) -> list[str]:
    """Name the models of each verdict."""
    parts = []
    for verdict, words in (*_VERDICTS.items(), ("undecided", "undecided")):
        names = [row.name for row in rows if row.verdict == verdict]
        if names:
            parts.append(f"{listed(names)} {verb(len(names), 'is', 'are')} {words}")
    score = number(found.ceiling().value)
    told = f"Of {counted(len(rows), 'model')} beside people ({score}): {'; '.join(parts)}."
    return [told] if parts else []


def _other_measures(found: Judgement) -> list[str]:
    """Name the models whose verdict depends on the measure."""
    verdicts = {name: {r.verdict for r in found.scores if r.name == name} for name in found.models}
    split = [name for name, words in verdicts.items() if len(words) > 1]
    told = f"The {verb(len(split), 'verdict', 'verdicts')} on {listed(split)} "
    return [f"{told}{verb(len(split), 'depends', 'depend')} on the measure."] if split else []


def _passing(tests: Sequence[AlternativeTest], epsilon: float) -> list[str]:
    """Say which models pass the alternative annotator test."""
    passed = [test.model for test in tests if test.passes]
    failed = [test.model for test in tests if test.passes is False]
    parts = [f"{listed(passed)} {verb(len(passed), 'passes', 'pass')}"] if passed else []
    parts += [f"{listed(failed)} {verb(len(failed), 'does', 'do')} not pass"] if failed else []
    test = f"the alternative annotator test (ε = {epsilon:g})"
    return [sentence(f"{' and '.join(parts)} {test}.")] if parts else []


def checks(found: Judgement) -> list[Remark]:
    """Return the notes and the outcome of checks of models and people."""
    made = remarks_of(found.notes)
    if len(found.people) < _FEW_PEOPLE:
        made.append(Remark("warning", text_of("judge.two_people")))
    constant = [row.model for row in found.biases if max(row.shares, default=0.0) >= 1 - 1e-12]
    if constant:
        who = f"{', '.join(constant)} {verb(len(constant), 'gives', 'give')}"
        made.append(Remark("warning", text_of("raters.constant", who=who)))
    told = {remark.text for remark in made}
    return [*made, *(r for r in people_checks(found.people_agreement) if r.text not in told)]


def _method(found: Judgement) -> list[str]:
    """Return how gold was made, what verdicts mean, and how the numbers were computed."""
    least = " and is at least 1 % of the range of scores" if found.margin else ""
    gold = {"gold": GOLDS[found.gold], "rule": found.gold, "scale": found.scale.describe()}
    intervals = [
        text_of("judge.margin", margin=100 * found.margin, least=least),
        text_of("judge.intervals", level=100 * found.level, over=found.over),
    ]
    if not found.replicates:
        intervals = [text_of("result.no_intervals")]
    test = [text_of("judge.alternative", epsilon=found.epsilon)] if found.tests else []
    return [text_of("judge.gold", **gold), *intervals, *test]


def _call(found: Judgement) -> tuple[str, str]:
    given = {
        "measures": ", ".join(map(str, found.measures)),
        "primary": str(found.primary),
        "gold": found.gold,
        "margin": found.margin,
        "epsilon": found.epsilon,
        "nearness": found.tests[0].nearness if found.tests else "rmse",
    }
    names = {"people": found.people, "models": found.models}
    return call("judge", found, ["people", "models"], names, given, slices=bool(found.slices))
