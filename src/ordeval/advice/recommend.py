"""From answers and facts to recommended measures, and to what to type."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..display import Displayable
from ..errors import check_choice
from ..measures.spec import parse_measure
from ..options import Call
from .facts import Facts, Known, known_answers, notes_on
from .path import Answers, Leaf, Question, Reason, path

KAPPA = "kappa(weights='linear')"
ALPHA = "alpha(level='ordinal')"


def default_measure(constant_systems: int = 0) -> str:
    """Return the measure that ranks systems where nobody chose one.

    Linear kappa, unless two or more systems predict a single class throughout: kappa is 0 for each
    of them, and ordinal alpha ranks them (Sakai 2021, section 7). `recommend` says the same.
    """
    return ALPHA if constant_systems >= 2 else KAPPA


@dataclass(frozen=True)
class Choice:
    """An answer to a question, and where it comes from.

    Parameters
    ----------
    question, answer : str
        The ids of the question and of the answer.
    text : str
        The answer in words.
    how : {"given", "data", "assumed"}
        Whether the answer was given, follows from the data, or is assumed.
    because : str
        What the answer is concluded from; empty if it was given.
    reason, source : str
        What follows from the answer, and where that comes from.
    """

    question: str
    answer: str
    text: str
    how: str
    because: str
    reason: str
    source: str


@dataclass(frozen=True, repr=False)
class Recommendation(Displayable):
    """Recommended measures, with the reasons, and what to type.

    Parameters
    ----------
    primary : str
        The measure to decide by.
    beside : tuple of Reason
        The measures to report beside it, each with what it adds.
    avoid : tuple of Reason
        The measures not to use, each with the reason.
    reason, source : str
        Why the primary measure was chosen, and where the reason comes from.
    choices : tuple of Choice
        The answers that led here.
    remarks : tuple of str
        What else matters in the data.
    command, code : str
        The command line that computes the measures, and the same in Python.
    evidence : tuple of str
        What results on the data say about the primary measure, with figures.

    Examples
    --------
    >>> import ordeval as oe
    >>> advice = oe.advise(task="labels", balance="classes", chance="no")
    >>> advice.primary
    'macro_mae'
    >>> advice.avoid[0].measure
    'mae'
    """

    primary: str
    beside: tuple[Reason, ...]
    avoid: tuple[Reason, ...]
    reason: str
    source: str
    choices: tuple[Choice, ...]
    remarks: tuple[str, ...]
    command: str = ""
    code: str = ""
    evidence: tuple[str, ...] = ()

    @property
    def measures(self) -> tuple[str, ...]:
        """All recommended measures, the primary one first."""
        return (self.primary, *(reason.measure for reason in self.beside))

    @property
    def answers(self) -> dict[str, str]:
        """The answer to every question that was asked."""
        return {choice.question: choice.answer for choice in self.choices}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data.

        Returns
        -------
        dict
            Dictionaries, lists and strings that JSON can hold.
        """
        return asdict(self)


def checked_answers(answers: Mapping[str, str | bool | None]) -> dict[str, str]:
    """Return the answers that are given, as ids, after a check that they are known."""
    by_id = {question.id: question for question in path().questions}
    ids = {True: "yes", False: "no"}
    for name, answer in answers.items():
        check_choice("answers", name, tuple(by_id))
        if answer is not None and not isinstance(answer, bool):
            check_choice(name, answer, by_id[name].ids)
    return {
        name: ids[answer] if isinstance(answer, bool) else answer
        for name, answer in answers.items()
        if answer is not None
    }


def choose(
    question: Question, given: Answers, known: Mapping[str, Known], answers: Answers
) -> Choice:
    """Return the answer to a question: as given, by the data, or assumed."""
    if question.id in given:
        id, how, because = given[question.id], "given", ""
    elif question.id in known:
        id, because, certain = known[question.id]
        how = "data" if certain else "assumed"
    else:
        id, how, because = question.assumed(answers), "assumed", ""
    answer = question.answer(id)
    return Choice(question.id, id, answer.text, how, because, answer.reason, answer.source)


def recommend(
    given: Answers, facts: Facts | None = None, source: Mapping[str, Any] | None = None
) -> Recommendation:
    """Follow the path to its end.

    Parameters
    ----------
    given : mapping of str to str
        The answers that were given.
    facts : Facts, optional
        What is known about the data.
    source : mapping of str to object, optional
        The options that name and read the files, for the command and the call.

    Returns
    -------
    Recommendation
        The recommendation.
    """
    known = known_answers(facts) if facts else {}
    choices: list[Choice] = []
    answers: dict[str, str] = {}
    while (question := path().next_question(answers)) is not None:
        choices.append(choose(question, given, known, answers))
        answers[question.id] = choices[-1].answer
    leaf = path().leaf(answers)
    beside = _beside(leaf, answers, facts)
    measures = (leaf.primary, *(reason.measure for reason in beside))
    call = _call(answers, measures, source or _example(answers, facts))
    code = re.sub(r"^oe\.", "result = oe.", call.python(), flags=re.MULTILINE)
    of_classes = answers.get("each_class") == "yes"
    return Recommendation(
        leaf.primary,
        beside,
        leaf.avoid,
        leaf.reason,
        leaf.source,
        tuple(choices),
        tuple(_remarks(leaf.primary, given, answers, facts)),
        _command(call) + of_classes * " --tables=main,classes",
        f"import ordeval as oe\n{code}\nprint(result)"
        + of_classes * '\nprint(result.to_frame("classes"))',
    )


def _beside(leaf: Leaf, answers: Answers, facts: Facts | None) -> tuple[Reason, ...]:
    """Return what to report beside the primary measure, on data with these gaps."""
    gaps = facts is not None and facts.gaps
    kept = [reason for reason in leaf.beside if not (gaps and reason.measure.startswith("icc"))]
    if answers.get("each_class") == "yes":
        worst = path().worst_class[answers["order"]]
        kept += [worst] if worst.measure not in [reason.measure for reason in kept] else []
    return tuple(kept)


def _remarks(primary: str, given: Answers, answers: Answers, facts: Facts | None) -> Iterator[str]:
    if facts is not None:
        yield from notes_on(facts)
        smallest = min((size for size in facts.sizes if size > 0), default=float("inf"))
        needed = parse_measure(primary).record.items_per_class
        if facts.task == "labels" and smallest < needed:
            yield (
                f"The smallest gold class has {smallest:g} items; intervals of {primary} over "
                f"items are doubtful with fewer than {needed} in every class."
            )
    if unused := [name for name in given if name not in answers]:
        yield f"Not asked on this path: {', '.join(unused)}."


# What to type.

_FUNCTIONS = {"report": "evaluate", "raters": "agreement", "distributions": "quantify"}


def _call(answers: Answers, measures: Sequence[str], options: Mapping[str, Any]) -> Call:
    """Return the call that computes the measures."""
    task = answers["task"]
    job = answers["purpose"] if task in ("labels", "probabilities") else task
    named = ", ".join(measures).replace("'", "")  # which a shell would need to quote
    return Call(_FUNCTIONS.get(job, job), {**options, "measures": named})


def _command(call: Call) -> str:
    """Return the command in one line, with files as an example where the data are in memory."""
    files = {"quantify": "gold.csv run.csv", "agreement": "ratings.csv", "judge": "ratings.csv"}
    command = call.command().replace(" \\\n ", "")
    return command.replace(
        " DATA", f" {files.get(call.function, 'data.csv')}", "data" not in call.options
    )


def _example(answers: Answers, facts: Facts | None) -> dict[str, Any]:
    """Return options for variables in memory, or for an example without data."""
    if facts is None:
        return {} if answers["task"] == "distributions" else {"labels": ["low", "medium", "high"]}
    options: dict[str, Any] = {} if facts.inferred else {"labels": list(facts.classes)}
    if facts.task == "labels" and facts.topics:
        options["topic"] = "topic"
    if facts.unlabelled:
        options["judge"] = "judge"
    elif facts.skipped:
        options["missing"] = "skip"
    return options
