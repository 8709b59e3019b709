"""What is shown about models beside several people."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from math import isnan

from ..errors import plural
from ..formatting import one_line, shorten
from ..measures.spec import Measure
from ..notes import Note
from ..results import GOLDS, Estimate, Judgement, ModelBias, PanelScore, Replacement
from ..stats.plans import Goal, more_units
from .rater_figures import ceiling_figure, rater_shares_grid, severity_figure
from .rater_view import (
    MOST_DOUBTS,
    MOST_SHOWN,
    AgreementView,
    RatersView,
    is_constant,
    items_of,
    outstanding,
)
from .texts import doubts, grouped, joined, measure_phrase, strong, text_of
from .view import Col, Section, cols, itself, kept, remark

_MOST_NAMED, _LONGEST_NAME = 5, 20  # people in a title
_MOST_SENTENCES = 6  # models that have a sentence of their own
_MOST_ITEMS = 30  # of all models
_FEW_PEOPLE = 3  # with two people, leave-one-out compares with a single other person
_VERDICTS = ("better", "as good as one more person", "worse", "undecided")
_NEARNESS = {"rmse": "root mean square distance", "accuracy": "share of equal ratings"}


class JudgeView(RatersView):
    """What is shown about a judgement; `measure` is the one that tables are about."""

    sections = (
        *("models", "measures", "people", "pairs", "test", "replacements", "bias", "slices"),
        *("matrix", "items", "scores", "panel", "persons"),
    )
    brief: tuple[str, ...] = ("models",)
    further = ("measures", "people", "test", "bias", "items")
    page = (
        *("models", "measures", "test", "replacements", "bias", "slices", "matrix", "items"),
        *("people", "panel", "persons"),
    )
    data = "scores"
    kicker = "Models judged by people"
    result: Judgement

    def __init__(self, result: Judgement, measure: Measure | None = None) -> None:
        super().__init__(result)
        self.measure = measure or result.primary
        self.brief += ("slices",) * bool(result.slices)
        models = result.models
        who = f"{len(models)} models" if len(models) > 1 else models[0]
        self.title = f"{who} compared with {plural(len(result.people), 'person', 'people')}"
        self.facts = f"{_sizes(result)}, {result.scale.k} classes; gold: {result.gold}"
        measures = (*result.measures, *result.people_agreement.coefficients)
        self.explained = self._explain(measures)

    @cached_property
    def among_people(self) -> AgreementView:
        """What is shown about the agreement of people, whose numbers open items, too."""
        view = AgreementView(self.result.people_agreement)
        view.openings = self.openings
        return view

    def models(self) -> Section:
        """Return people and models under one measure, with differences and verdicts."""
        result, measure = self.result, self.measure
        mean = "mean of people" if "people" in result.models else "people"
        rows = [replace(result.ceiling(measure), name=mean)]
        rows += [result.standing(model, measure) for model in result.ranking(measure)]
        columns = cols("model=name, score=.:3i, difference:+3i, verdict", self.level)
        notes = [
            *doubts((row.name, e) for row in rows for e in (row, row.difference))[:MOST_DOUBTS],
            text_of("judge.people", mean=mean),
            *([_rule(result, rows)] if result.replicates else []),
        ]
        gold = f"{GOLDS[result.gold]} (gold: {result.gold})"
        title = f"{_sizes(result)}; {measure.label} {measure.arrow} against {gold}"
        figures = [ceiling_figure(result, measure, MOST_SHOWN)]
        return Section("models", title, rows, columns, notes, figures)

    def measures(self) -> Section:
        """Return every model under every measure."""
        result = self.result
        rows = [result.standing(name, m) for m in result.measures for name in result.ranking(m)]
        scores = "score=value:3, people=ceiling.value:3"
        columns = cols(f"measure, model=name, {scores}, difference:+3i, verdict", self.level)
        doubtful = doubts((f"{row.name}, {row.measure.label}", row.difference) for row in rows)
        title = "Every model under every measure"
        return Section("measures", title, rows, columns, doubtful[:MOST_DOUBTS])

    def people(self) -> Section:
        """Return each person against the others, and against them one by one."""
        result, measure = self.result, self.measure
        mean = "mean of people" if "mean" in result.people else "mean"
        rows = [result.standing(name, measure) for name in result.people]
        rows.append(replace(result.ceiling(measure), name=mean))
        columns = [
            Col("person", "name"),
            Col("items", lambda row: row.items or None, 0),
            Col("against the others", itself, 3, data="score", level=self.level),
            Col("one by one", "pairwise", 3, data="pairwise", level=self.level),
        ]
        title = f"People among themselves: {measure.label} {measure.arrow}"
        return Section("people", title, rows, columns)

    def test(self) -> Section | None:
        """Return the alternative annotator test of every model; pages have it person by person."""
        result = self.result
        if not result.tests:
            return None
        columns = cols("model, winning rate:3, advantage:3, passes")
        title = f"Alternative annotator test, ε = {result.epsilon:g} ({_NEARNESS[result.nearness]})"
        lead, notes = text_of("judge.question", epsilon=result.epsilon), [text_of("judge.test")]
        return Section("test", title, result.tests, columns, notes, lead=lead)

    def replacements(self) -> Section:
        """Return the alternative annotator test person by person."""

        def opens(row: Replacement) -> str:
            return self.openings.opens(row.items, "r,{0} r,{1} o,{1}", row.model, row.person)

        rows = [row for test in self.result.tests for row in test.people]
        near = "model as near=model_wins:3, person as near=person_wins:3"
        columns = [
            *cols("model, person"),
            Col("items", digits=0, opens=opens),
            *cols(f"{near}, p:p, replaces=rejected"),
        ]
        title = "Alternative annotator test, person by person"
        return Section("replacements", title, rows, columns)

    def bias(self) -> Section | None:
        """Return in which direction models differ from people."""
        rows = self.result.biases
        if not rows:
            return None
        columns = cols("model, lean:+3, ends:+3, spread:2, in words=words")
        figures = [draw(self.result, MOST_SHOWN) for draw in (rater_shares_grid, severity_figure)]
        return Section("bias", "Bias of models", rows, columns, [text_of("judge.bias")], figures)

    def slices(self) -> Section:
        """Return the models on parts of the items."""

        def opens(row: PanelScore) -> str:
            return self.openings.opens(row.items, "q,{}", row.slice, among="parts")

        scores = "score=.:3, people=ceiling:3, difference:+3i, verdict"
        counts = Col("items", digits=0, opens=opens)
        columns = [*cols("slice, model=name"), counts, *cols(scores, self.level)]
        primary, rows = self.result.primary, self.result.slices
        title = f"Parts of the items: {primary.label} {primary.arrow}"
        notes = doubts((x.slice, e) for x in rows for e in (x, x.ceiling, x.difference))
        return Section("slices", title, rows, columns, notes[:MOST_DOUBTS])

    def items(self) -> Section:
        """Return the items on which each model is farthest from people, the best model first."""
        result = self.result
        by_model = grouped((row.model, row) for row in result.disputed)
        most = max(1, _MOST_ITEMS // len(result.models))
        order = dict.fromkeys([*result.ranking(), *by_model])
        rows = [row for model in order for row in by_model.get(model, ())[:most]]
        columns = [
            Col("model"),
            self._item(),
            Col("distance", "disagreement", 2),
            Col("model's class", lambda row: row.ratings.get(row.model, "")),
            Col("people's classes", self._voices),
            *self._texts(),
        ]
        title, notes = "Items of largest disagreement", [text_of("judge.distance")]
        stored = (lambda: result.disputed, columns)
        return Section("items", title, rows, columns, notes, stored=stored)

    def scores(self) -> Section:
        """Return people and models under every measure, one row each."""
        numbers = "items:0, score=.:3, ceiling=ceiling.value:3, difference:+3i, margin:4"
        verdicts = "verdict, joint_verdict, pairwise:3, pairwise_difference:3"
        columns = [
            *cols("measure, name, kind"),
            Col("gold", lambda _: self.result.gold),
            *cols(f"{numbers}, {verdicts}", self.level),
        ]
        return Section("scores", "All scores", self.result.scores, columns)

    def panel(self) -> Section:
        """Return the coefficients of people among themselves."""
        return self.among_people.coefficients()

    def persons(self) -> Section | None:
        """Return people one by one."""
        return self.among_people.raters()

    def answer(self) -> list[str]:
        result = self.result
        rows = [result.standing(name) for name in result.ranking()]
        shown = rows[:_MOST_SENTENCES]
        sentences = [_model_sentence(result, row, i == 0) for i, row in enumerate(shown)]
        if len(rows) > _MOST_SENTENCES:
            sentences = [sentences[0], _by_verdict(result, rows)]
        verdicts = grouped((row.name, row.verdict) for row in result.scores)
        split = [name for name in result.models if len(set(verdicts[name])) > 1]
        biased = [row for row in result.biases if row.words not in ("", "none found")]
        unusual = outstanding(result.people_agreement)
        return kept(
            *sentences,
            *map(_bias_sentence, biased),
            _passing(result),
            text_of("judge.split", names=split) if split else "",
            bool(unusual) and f"Standing out among people: {unusual}.",
            f"Everybody is scored against {GOLDS[result.gold]}.",
        )

    def checks(self) -> list[Note]:
        result = self.result
        constant = [row.model for row in result.biases if is_constant(row)]
        two = len(result.people) < _FEW_PEOPLE
        every = kept(
            *result.notes,
            two and remark("warning", "two_people"),
            bool(constant) and remark("warning", "constant", names=constant, verb="give"),
            *self.among_people.checks(),
        )
        return list({note.text: note for note in reversed(every)}.values())[::-1]

    def method(self) -> list[str]:
        result = self.result
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


# Sentences.


def _sizes(result: Judgement) -> str:
    """Return how many models were judged by whom, on what."""
    names = [shorten(one_line(name), _LONGEST_NAME) for name in result.people[:_MOST_NAMED]]
    more = len(result.people) - _MOST_NAMED
    names += [f"{more:,} more"] if more > 0 else []
    people = f"{plural(len(result.people), 'person', 'people')} ({', '.join(names)})"
    items = items_of(result.items, result.people_agreement)
    return f"{plural(len(result.models), 'model')}, {people}, {items}"


def _rule(result: Judgement, rows: Sequence[PanelScore]) -> str:
    """Explain verdicts, with the margin in units of the measure, and whom intervals hold for."""
    margins = sorted({round(row.margin, 4) for row in rows if not isnan(row.margin)})
    ends = dict.fromkeys(f"{margin:.3g}" for margin in margins[:1] + margins[-1:])
    units = "clusters of items" if "clusters" in result.over else "items"
    whom = "other people" if "raters" in result.over else "these people"
    margin = " to ".join(ends) or "the margin"
    return text_of("judge.rule", margin=margin, more=100 * result.margin, units=units, whom=whom)


def _model_sentence(result: Judgement, row: PanelScore, first: bool) -> str:
    """Say how a model stands to one more person under the primary measure, with the numbers."""
    under = f" under {measure_phrase(row.measure)}" if first else ""
    if isnan(row.value):
        why = f": {row.doubt}" if row.doubt else ""
        return text_of("judge.undefined", name=row.name, under=under, why=why)
    against = text_of("judge.against", people=result.ceiling(row.measure).value)
    doubt = row.difference.doubt if isnan(row.difference.low) else ""
    joint = text_of("judge.joint", n=len(result.models), verdict=_in_words(row.joint_verdict))
    start = {"": "without", "undecided": "undecided"}.get(row.verdict, "decided")
    return text_of(
        "judge.model",
        start=text_of(f"judge.{start}", name=row.name, verdict=_in_words(row.verdict)),
        under=under,
        row=row,
        against=against if first else "",
        on=f" on its {row.items:,} items" if 0 < row.items < result.items else "",
        difference=_signed(row.difference) + (f" ({doubt})" if doubt else ""),
        joint=joint if row.joint_verdict not in ("", row.verdict) else "",
        takes=_takes(result, row) if row.verdict == "undecided" else "",
    )


def _bias_sentence(row: ModelBias) -> str:
    """Say in which direction a model differs from people, and by how much it leans."""
    first, *others = row.words.split(", ")
    by = f" (lean {row.lean.value:+.2f})" * first.startswith("leans")
    return f"{strong(row.model)} {joined([f'{first}{by}', *others])}."


def _takes(result: Judgement, row: PanelScore) -> str:
    """Say how many more items would decide in about 80 % of cases, if items are all that vary."""
    ahead = row.measure.sign * row.difference.value
    goal = Goal("difference", max(ahead + row.margin, -ahead), level=result.level)
    more = more_units([goal], row.difference.se, row.items * (result.over == "items"), "item")
    return f"; {more}" * bool(more)


def _in_words(verdict: str) -> str:
    return f"{verdict} than one more person" if verdict in ("better", "worse") else verdict


def _signed(estimate: Estimate) -> str:
    """Return a difference as tables have it: "+0.030 [−0.010, 0.070]"."""
    [column] = cols("difference:+3i")
    return column.text(replace(estimate, doubt="")).replace("-", "−")


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
    good = {"better", "as good as one more person"}
    odd = any(result.standing(name).verdict not in good for name in names.get(True, ()))
    test += text_of("judge.weaker") * odd
    return f"{' and '.join(parts)} {test}." if parts else ""
