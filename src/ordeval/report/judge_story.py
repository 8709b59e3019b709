"""What a judgement of models by people says, as sentences: answer, data checks, method."""

from collections.abc import Sequence
from math import isnan

from ..formatting import decimals
from ..rater_results import GOLDS, AlternativeTest, Estimate, Judgement, PanelScore
from .rater_story import agreement_checks, outstanding, told
from .story import Check, counted, listed, measure_phrase, number, sentence, strong

_MOST_SENTENCES = 6  # models that have a sentence of their own
_FEW_PEOPLE = 3  # with two people, leave-one-out compares with a single other person
_VERDICTS = {
    "better": "better than one more person",
    "as good as one more person": "as good as one more person",
    "worse": "worse than one more person",
}


def judge_answer(found: Judgement) -> list[str]:
    """Return how every model stands to one more person, and the test of replacement."""
    rows = [found.score(name) for name in found.ranking()]
    if len(rows) <= _MOST_SENTENCES:
        models = [_model_sentence(found, row, first=i == 0) for i, row in enumerate(rows)]
    else:
        models = [_model_sentence(found, rows[0], first=True), *_by_verdict(found, rows)]
    gold = f"Everybody is scored against {GOLDS[found.gold]}."
    unusual = outstanding(found.people_agreement)
    people = [f"Standing out among people: {unusual}."] if unusual else []
    return [*models, *_other_measures(found), *_tests(found.tests, found.epsilon), *people, gold]


def _model_sentence(found: Judgement, row: PanelScore, *, first: bool) -> str:
    """Say how a model stands to one more person under the primary measure, with the figures."""
    people = found.ceiling(row.measure).leave_one_out
    under = f"under {measure_phrase(row.measure) if first else row.measure.short}"
    if isnan(row.leave_one_out.value):
        why = f": {row.leave_one_out.doubt}" if row.leave_one_out.doubt else ""
        return f"{strong(row.name)} has no score {under}{why}."
    against = f"{number(row.leave_one_out.value)} against {number(people.value)} among people"
    on = f" on its {row.items:,} items" if 0 < row.items < found.items else ""
    figures = f"{against}, difference{on} {difference_phrase(row.difference)}"
    reason = row.difference.doubt if isnan(row.difference.low) else ""
    why = f" ({reason})" if reason else ""
    return f"{verdict_phrase(row.name, row.verdict)} {under}: {figures}{why}{_at_once(found, row)}."


def _at_once(found: Judgement, row: PanelScore) -> str:
    """Say which verdict holds for all models at once, if it is another one."""
    if row.joint_verdict in ("", row.verdict):
        return ""
    word = _VERDICTS.get(row.joint_verdict, row.joint_verdict)
    return f"; at the level for all {len(found.models):,} models at once, {word}"


def verdict_phrase(name: str, verdict: str) -> str:
    """Return a verdict as the beginning of a sentence."""
    if verdict in _VERDICTS:
        return f"{strong(name)} is {_VERDICTS[verdict]}"
    if not verdict:
        return f"{strong(name)} beside people"
    return f"Whether {strong(name)} is as good as one more person is undecided"


def difference_phrase(estimate: Estimate) -> str:
    """Return a difference with its sign and interval.

    >>> difference_phrase(Estimate(0.03, -0.01, 0.07)), difference_phrase(Estimate(-0.2))
    ('+0.030 [−0.010, 0.070]', '−0.200')
    """
    sign = "+" if estimate.value > 0 else ""
    low, high = (decimals(end, 3, minus="−") for end in (estimate.low, estimate.high))
    ends = "" if isnan(estimate.low) or isnan(estimate.high) else f" [{low}, {high}]"
    return f"{sign}{number(estimate.value)}{ends}"


def _by_verdict(found: Judgement, rows: Sequence[PanelScore]) -> list[str]:
    """Name the models of each verdict."""
    parts = []
    for verdict, words in (*_VERDICTS.items(), ("undecided", "undecided")):
        names = [row.name for row in rows if row.verdict == verdict]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {words}")
    score = number(found.ceiling().leave_one_out.value)
    who = counted(len(rows), "model")
    return [f"Of {who} beside people ({score}): {'; '.join(parts)}."] if parts else []


def _other_measures(found: Judgement) -> list[str]:
    """Name the models whose verdict depends on the measure."""
    by_model: dict[str, set[str]] = {}
    for row in found.scores:
        if row.kind == "model" and row.verdict:
            by_model.setdefault(row.name, set()).add(row.verdict)
    split = [name for name, verdicts in by_model.items() if len(verdicts) > 1]
    if not split:
        return []
    if len(split) == 1:
        return [f"The verdict on {strong(split[0])} depends on the measure."]
    every = len(split) == len(found.models)
    return [f"The verdicts on {'all models' if every else listed(split)} depend on the measure."]


def _tests(tests: Sequence[AlternativeTest], epsilon: float) -> list[str]:
    """Say which models pass the alternative annotator test."""
    passed = [test.model for test in tests if test.passes]
    failed = [test.model for test in tests if test.passes is False]
    parts = []
    if passed:
        parts.append(f"{listed(passed)} {'passes' if len(passed) == 1 else 'pass'}")
    if failed:
        parts.append(f"{listed(failed)} {'does' if len(failed) == 1 else 'do'} not pass")
    if not parts:
        return []
    return [sentence(f"{' and '.join(parts)} the alternative annotator test (ε = {epsilon:g}).")]


def replacement_question(found: Judgement) -> str:
    """Return what the alternative annotator test asks, in a sentence."""
    return (
        "For each person in turn, the test asks whether the model is at least as near to the "
        f"remaining people as that person, with an allowance of ε = {found.epsilon:g} because "
        "people cost more; a model passes if it could take the place of at least half of them."
    )


# Data checks.


def judge_checks(found: Judgement) -> list[Check]:
    """Return the notices and the outcome of checks of models and people."""
    people = [
        check
        for check in agreement_checks(found.people_agreement)
        if check.text not in found.notices
    ]
    return [
        *told(found.notices),
        *_panel(found),
        *_constant_models(found),
        *people,
    ]


def _panel(found: Judgement) -> list[Check]:
    if len(found.people) >= _FEW_PEOPLE:
        return []
    text = (
        f"With {counted(len(found.people), 'person', 'people')}, everyone is compared with one "
        "other person at most, and one of them being unusual changes everything."
    )
    return [Check("warning", text)]


def _constant_models(found: Judgement) -> list[Check]:
    constant = [row.model for row in found.biases if max(row.shares, default=0.0) >= 1 - 1e-12]
    if not constant:
        return [Check("ok", "All models give more than one class.")] if found.biases else []
    verb = "gives" if len(constant) == 1 else "give"
    return [Check("warning", f"{', '.join(constant)} {verb} the same class throughout.")]


# Method.


def judge_method(found: Judgement) -> list[str]:
    """Return how gold was made, what verdicts mean, and how the figures were computed."""
    gold = GOLDS.get(found.gold, found.gold)
    level = f"{100 * found.level:g} % interval"
    return [
        f"The scale is {found.scale.describe()}. Gold is {gold} (rule “{found.gold}”): each person "
        "is scored against the gold made from the others, and every model against the same golds, "
        "so that differences are paired. The mean over people is the human ceiling.",
        _verdict_rule(found, level),
        _intervals(found, level),
        f"The alternative annotator test (Calderon, Reichart & Dror 2025) is one-sided, with "
        f"ε = {found.epsilon:g} and Benjamini–Yekutieli's correction over people."
        if found.tests
        else "There was no alternative annotator test.",
    ]


def _verdict_rule(found: Judgement, level: str) -> str:
    if not found.replicates:
        return "Verdicts follow from intervals, which were not computed."
    least = " and is at least 1 % of the range of scores" if found.margin else ""
    return (
        f"A model is “better” than one more person if the whole {level} of its difference from "
        "people is on the better side of 0, “as good as one more person” if it nowhere exceeds the "
        f"margin, which allows {100 * found.margin:g} % more disagreement with people than a "
        f"person has (the distance of a score from the best one){least}, “worse” if it is on the "
        "worse side of 0, and “undecided” otherwise or on fewer than ten items. Verdicts are about "
        "one model each."
    )


def _intervals(found: Judgement, level: str) -> str:
    if not found.replicates:
        return "No intervals were computed."
    return (
        f"The {level}s are t intervals from leaving out {found.over} one at a time (the jackknife)."
    )
