"""What is shown about models beside several people."""

from collections.abc import Sequence
from dataclasses import replace
from math import isnan

from ..errors import plural
from ..formatting import one_line, shorten
from ..measures.spec import Measure
from ..results import GOLDS, Estimate, Judgement, PanelScore, Replacement
from . import rater_view
from .items import Openings
from .rater_figures import ceiling_figure, rater_shares_figure, severity_figure
from .texts import doubts, grouped, measure_phrase, number, strong, text_of
from .view import Col, Remark, Section, View, cols, itself, kept, page_calls, remark, remarks_of

_MOST_SHOWN = rater_view.MOST_SHOWN
_MOST_NAMED, _LONGEST_NAME = 5, 20  # people in a title
_MOST_SENTENCES = 6  # models that have a sentence of their own
_MOST_ITEMS = 30  # of all models
_MOST_DOUBTS = 5
_FEW_PEOPLE = 3  # with two people, leave-one-out compares with a single other person
_VERDICTS = ("better", "as good as one more person", "worse", "undecided")
_NEARNESS = {"rmse": "root mean square distance", "accuracy": "share of equal ratings"}


def judge_view(result: Judgement, measure: Measure | None = None) -> View:
    """Return the view of a judgement; `measure` is the one that tables are about."""
    ranked, openings = measure or result.primary, Openings.of_raters(result)
    several = len(result.models) > 1
    title = f"{len(result.models)} models" if several else result.models[0]
    return View(
        f"{title} beside {plural(len(result.people), 'person', 'people')}",
        {
            "models": lambda: _models(result, ranked),
            "measures": lambda: _measures(result),
            "people": lambda: _people(result, ranked),
            "pairs": lambda: rater_view.pairs(result),
            "test": lambda: _test(result),
            "replacements": lambda: _replacements(result, openings),
            "bias": lambda: _bias(result),
            "slices": lambda: _slices(result, openings),
            "matrix": lambda: rater_view.matrix(result, openings),
            "items": lambda: _items(result, openings),
            "scores": lambda: _scores(result),
            "panel": lambda: rater_view.coefficients(result.people_agreement),
            "persons": lambda: rater_view.raters(result.people_agreement, openings),
        },
        brief=("models",),
        page=(
            *("models", "measures", "test", "replacements", "bias", "slices", "matrix", "items"),
            *("people", "panel", "persons"),
        ),
        data="scores",
        kicker="Models judged by people",
        facts=f"{_sizes(result)}, {result.scale.k} classes; gold: {result.gold}",
        answer=lambda: answer(result),
        checks=lambda: checks(result),
        method=lambda: _method(result),
        measures=rater_view.cards([*result.measures, *result.people_agreement.coefficients]),
        notes=result.notes,
        signature=result.signature(),
        call=lambda: page_calls(result.call),
        items=openings.data,
    )


def _sizes(result: Judgement) -> str:
    """Return how many models were judged by whom, on what."""
    names = [shorten(one_line(name), _LONGEST_NAME) for name in result.people[:_MOST_NAMED]]
    more = len(result.people) - _MOST_NAMED
    names += [f"{more:,} more"] if more > 0 else []
    people = f"{plural(len(result.people), 'person', 'people')} ({', '.join(names)})"
    items = rater_view.items_of(result.items, result.people_agreement)
    return f"{plural(len(result.models), 'model')}, {people}, {items}"


# Sections.


def _difference(result: Judgement) -> Col:
    return Col("difference", None, 3, "signed", level=rater_view.level_of(result))


def _models(result: Judgement, measure: Measure) -> Section:
    """Return people and models under one measure, with differences and verdicts."""
    mean = "mean of people" if "people" in result.models else "people"
    rows = [replace(result.ceiling(measure), name=mean)]
    rows += [result.standing(model, measure) for model in result.ranking(measure)]
    columns = [
        Col("model", "name"),
        Col("score", itself, 3, level=rater_view.level_of(result)),
        _difference(result),
        Col("verdict"),
    ]
    notes = [
        *doubts((row.name, e) for row in rows for e in (row, row.difference))[:_MOST_DOUBTS],
        text_of("judge.people", mean=mean),
        *([_rule(result, rows)] if result.replicates else []),
    ]
    gold = f"{GOLDS[result.gold]} (gold: {result.gold})"
    title = f"{_sizes(result)}; {measure.label} {measure.arrow} against {gold}"
    figures = [ceiling_figure(result, measure, _MOST_SHOWN)]
    return Section("models", title, rows, columns, notes, figures)


def _rule(result: Judgement, rows: Sequence[PanelScore]) -> str:
    """Explain verdicts, with the margin in units of the measure, and whom intervals hold for."""
    margins = sorted({round(row.margin, 4) for row in rows if not isnan(row.margin)})
    ends = dict.fromkeys(f"{margin:.3g}" for margin in margins[:1] + margins[-1:])
    units = "clusters of items" if "clusters" in result.over else "items"
    whom = "other people" if "raters" in result.over else "these people"
    margin = " to ".join(ends) or "the margin"
    return text_of("judge.rule", margin=margin, more=100 * result.margin, units=units, whom=whom)


def _measures(result: Judgement) -> Section:
    """Return every model under every measure."""
    rows = [result.standing(name, m) for m in result.measures for name in result.ranking(m)]
    columns = [
        Col("measure"),
        Col("model", "name"),
        Col("score", "value", 3),
        Col("people", "ceiling.value", 3),
        _difference(result),
        Col("verdict"),
    ]
    doubtful = doubts((f"{row.name}, {row.measure.label}", row.difference) for row in rows)
    notes = doubtful[:_MOST_DOUBTS]
    return Section("measures", "Every model under every measure", rows, columns, notes)


def _people(result: Judgement, measure: Measure) -> Section:
    """Return each person against the others, and rater_view.pairs of people."""
    mean = "mean of people" if "mean" in result.people else "mean"
    rows = [result.standing(name, measure) for name in result.people]
    rows.append(replace(result.ceiling(measure), name=mean))
    level = rater_view.level_of(result)
    columns = [
        Col("person", "name"),
        Col("items", lambda row: row.items or None, 0),
        Col("against the others", itself, 3, data="score", level=level),
        Col("one by one", "pairwise", 3, data="pairwise", level=level),
    ]
    title = f"People among themselves: {measure.label} {measure.arrow}"
    return Section("people", title, rows, columns)


def _test(result: Judgement) -> Section | None:
    """Return the alternative annotator test of every model; pages have it person by person."""
    if not result.tests:
        return None
    columns = cols("model, winning rate:3, advantage:3, passes")
    title = f"Alternative annotator test, ε = {result.epsilon:g} ({_NEARNESS[result.nearness]})"
    lead, notes = text_of("judge.question", epsilon=result.epsilon), [text_of("judge.test")]
    return Section("test", title, result.tests, columns, notes, lead=lead)


def _replacements(result: Judgement, openings: Openings) -> Section:
    """Return the alternative annotator test person by person."""
    rows = [row for test in result.tests for row in test.people]

    def opens(row: Replacement) -> str:
        return openings.opens(row.items, "r,{0} r,{1} o,{1}", row.model, row.person)

    columns = [
        *cols("model, person"),
        Col("items", digits=0, opens=opens),
        Col("model as near", "model_wins", 3),
        Col("person as near", "person_wins", 3),
        *cols("p:p"),
        Col("replaces", "rejected"),
    ]
    return Section("replacements", "Alternative annotator test, person by person", rows, columns)


def _bias(result: Judgement) -> Section | None:
    """Return in which direction models differ from people."""
    if not result.biases:
        return None
    columns = [*cols("model, lean:+3, ends:+3, spread:2"), Col("in words", "words")]
    figures = [rater_shares_figure(result, _MOST_SHOWN), severity_figure(result, _MOST_SHOWN)]
    notes = [text_of("judge.bias")]
    return Section("bias", "Bias of models", result.biases, columns, notes, figures)


def _slices(result: Judgement, openings: Openings) -> Section:
    """Return the models on parts of the items."""

    def opens(row: PanelScore) -> str:
        return openings.opens(row.items, "q,{}", row.slice, among="parts")

    columns = [
        Col("slice"),
        Col("model", "name"),
        Col("items", digits=0, opens=opens),
        Col("score", itself, 3),
        Col("people", "ceiling", 3),
        _difference(result),
        Col("verdict"),
    ]
    title = f"Parts of the items: {result.primary} {result.primary.arrow}"
    return Section("slices", title, result.slices, columns)


def _items(result: Judgement, openings: Openings) -> Section:
    """Return the items on which each model is farthest from people, the best model first."""
    by_model = grouped((row.model, row) for row in result.disputed)
    most = max(1, _MOST_ITEMS // len(result.models))
    order = dict.fromkeys([*result.ranking(), *by_model])
    rows = [row for model in order for row in by_model.get(model, ())[:most]]
    columns = [
        Col("model"),
        Col("item", opens=lambda row: openings.opens(1, "i,{}", row.item, among="ids")),
        Col("distance", "disagreement", 2),
        Col("model's class", lambda row: row.ratings.get(row.model, "")),
        Col("people's classes", lambda row: rater_view.voices(row, result.scale.labels, row.model)),
        *rater_view.text_columns(openings),
    ]
    title, notes = "Items of largest disagreement", [text_of("judge.distance")]
    stored = (lambda: result.disputed, columns)
    return Section("items", title, rows, columns, notes, stored=stored)


def _scores(result: Judgement) -> Section:
    """Return people and models under every measure, one row each."""
    columns = [
        *cols("measure, name, kind"),
        Col("gold", lambda _: result.gold),
        Col("items", digits=0),
        Col("score", itself, 3),
        Col("ceiling", "ceiling.value", 3),
        _difference(result),
        *cols("margin:4, verdict, joint_verdict, pairwise:3, pairwise_difference:3"),
    ]
    return Section("scores", "All scores", result.scores, columns)


# Sentences.


def answer(result: Judgement) -> list[str]:
    """Return how every model stands to one more person, and the test of replacement."""
    rows = [result.standing(name) for name in result.ranking()]
    shown = rows[:_MOST_SENTENCES]
    sentences = [_model_sentence(result, row, i == 0) for i, row in enumerate(shown)]
    if len(rows) > _MOST_SENTENCES:
        sentences = [sentences[0], _by_verdict(result, rows)]
    verdicts = grouped((row.name, row.verdict) for row in result.scores)
    split = [name for name in result.models if len(set(verdicts[name])) > 1]
    biased = [row for row in result.biases if row.words not in ("", "none found")]
    unusual = rater_view.outstanding(result.people_agreement)
    return kept(
        *sentences,
        text_of("judge.split", names=split) if split else "",
        _passing(result),
        *(f"{strong(row.model)} {row.words}." for row in biased),
        bool(unusual) and f"Standing out among people: {unusual}.",
        f"Everybody is scored against {GOLDS[result.gold]}.",
    )


def _model_sentence(result: Judgement, row: PanelScore, first: bool) -> str:
    """Say how a model stands to one more person under the primary measure, with the numbers."""
    under = f"under {measure_phrase(row.measure) if first else row.measure.label}"
    if isnan(row.value):
        why = f": {row.doubt}" if row.doubt else ""
        return text_of("judge.undefined", name=row.name, under=under, why=why)
    doubt = row.difference.doubt if isnan(row.difference.low) else ""
    joint = text_of("judge.joint", n=len(result.models), verdict=_in_words(row.joint_verdict))
    start = {"": "without", "undecided": "undecided"}.get(row.verdict, "decided")
    return text_of(
        "judge.model",
        start=text_of(f"judge.{start}", name=row.name, verdict=_in_words(row.verdict)),
        under=under,
        row=row,
        people=result.ceiling(row.measure).value,
        on=f" on its {row.items:,} items" if 0 < row.items < result.items else "",
        difference=_signed(row.difference) + (f" ({doubt})" if doubt else ""),
        joint=joint if row.joint_verdict not in ("", row.verdict) else "",
    )


def _in_words(verdict: str) -> str:
    return f"{verdict} than one more person" if verdict in ("better", "worse") else verdict


def _signed(estimate: Estimate) -> str:
    """Return a difference with its sign and interval, as in "+0.030 [−0.010, 0.070]"."""
    sign = "+" if estimate.value > 0 else ""
    ends = "" if isnan(estimate.low) else f" [{number(estimate.low)}, {number(estimate.high)}]"
    return f"{sign}{number(estimate.value)}{ends}"


def _by_verdict(result: Judgement, rows: Sequence[PanelScore]) -> str:
    """Name the models of each verdict."""
    names = grouped((row.verdict, row.name) for row in rows)
    parts = [
        text_of("judge.verdict", names=names[key], verdict=_in_words(key))
        for key in _VERDICTS
        if key in names
    ]
    values = {"n": len(rows), "people": result.ceiling().value, "parts": "; ".join(parts)}
    return text_of("judge.verdicts", **values) if parts else ""


def _passing(result: Judgement) -> str:
    """Say which models pass the alternative annotator test."""
    names = grouped((test.passes, test.model) for test in result.tests)
    keys = {True: "judge.passed", False: "judge.failed"}
    parts = [text_of(key, names=names[passes]) for passes, key in keys.items() if passes in names]
    test = f"the alternative annotator test (ε = {result.epsilon:g})"
    return f"{' and '.join(parts)} {test}." if parts else ""


def checks(result: Judgement) -> list[Remark]:
    """Return the notes and the outcome of checks of models and people."""
    constant = [row.model for row in result.biases if rater_view.is_constant(row)]
    two = len(result.people) < _FEW_PEOPLE
    remarks = kept(
        *remarks_of(result.notes),
        two and remark("warning", "two_people"),
        bool(constant) and remark("warning", "constant", names=constant, verb="give"),
        *rater_view.checks(result.people_agreement),
    )
    return list({remark.text: remark for remark in reversed(remarks)}.values())[::-1]


def _method(result: Judgement) -> list[str]:
    """Return how gold was made, what verdicts mean, and how the numbers were computed."""
    least = " and is at least 1 % of the range of scores" if result.margin else ""
    gold = {"gold": GOLDS[result.gold], "rule": result.gold, "scale": result.scale.describe()}
    intervals = [
        text_of("judge.margin", margin=100 * result.margin, least=least),
        text_of("judge.intervals", level=100 * result.level, over=result.over),
    ]
    if not result.replicates:
        intervals = [text_of("result.no_intervals")]
    test = [text_of("judge.alternative", epsilon=result.epsilon)] if result.tests else []
    return [text_of("judge.gold", **gold), *intervals, *test]
