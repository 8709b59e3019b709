"""Which measure to use: one decision path and one set of facts about the data.

The path is data (advice.toml). `ordeval.advise`, `ordeval advise`, the measure that ranks systems
by default, reports, `ordeval.meta` and the page "Which measure?" all follow it.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from .call import Call
from .data.counts import Counts, constant_predictions
from .data.data import Data
from .data.scale import Scale
from .display import Displayable
from .errors import check_choice, plural, quoted
from .formatting import one_line
from .measures.spec import parse_measure
from .results import Agreement, Result
from .types import Floats

Answers = Mapping[str, str]  # the id of the answer to each question
Condition = Mapping[str, frozenset[str]]  # the answers to earlier questions that are required


@dataclass(frozen=True)
class Answer:
    """An answer: its id, the words, what follows from it, and the source of that."""

    id: str
    text: str
    reason: str
    source: str


@dataclass(frozen=True)
class Question:
    """A question, asked only where the answers to earlier ones meet the condition `when`."""

    id: str
    text: str
    hint: str
    answers: tuple[Answer, ...]
    when: Condition
    assume: Mapping[str, str] = field(default_factory=dict)

    def answer(self, id: str) -> Answer:
        """Return the answer with this id."""
        return next(answer for answer in self.answers if answer.id == id)

    def assumed(self, answers: Answers) -> str:
        """Return the answer that is assumed where nobody gives one."""
        return self.assume.get(answers.get("task", ""), self.ids[0])

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the answers."""
        return tuple(answer.id for answer in self.answers)


@dataclass(frozen=True)
class Reason:
    """A measure to report or to avoid, why, and the axiom that it fails if that is the reason."""

    measure: str
    reason: str
    axiom: str = ""


@dataclass(frozen=True)
class Leaf:
    """The measures at the end of a path; `axioms` are those that the primary one is chosen for."""

    when: Condition
    primary: str
    reason: str
    source: str
    beside: tuple[Reason, ...]
    avoid: tuple[Reason, ...]
    axioms: tuple[str, ...]
    remark: str = ""


@dataclass(frozen=True)
class Path:
    """All questions in order, all ends, and what is reported of the worst class by `order`."""

    questions: tuple[Question, ...]
    leaves: tuple[Leaf, ...]
    worst_class: Mapping[str, Reason]

    def next_question(self, answers: Answers) -> Question | None:
        """Return the first open question that matters; None if there is none."""
        unanswered = (q for q in self.questions if q.id not in answers and holds(q.when, answers))
        return next(unanswered, None)

    def leaf(self, answers: Answers) -> Leaf:
        """Return the end of the path that complete answers lead to."""
        return next(leaf for leaf in self.leaves if holds(leaf.when, answers))

    def every(self, answers: Answers | None = None) -> Iterator[Answers]:
        """Yield the answers of every path through the questions."""
        known = answers or {}
        question = self.next_question(known)
        if question is None:
            yield known
            return
        for id in question.ids:
            yield from self.every({**known, question.id: id})


def holds(condition: Condition, answers: Answers) -> bool:
    """Return whether the answers meet a condition."""
    return all(answers.get(question) in ids for question, ids in condition.items())


@cache
def path() -> Path:
    """Return the decision path."""
    text = (files(__package__) / "advice.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    shared = {
        part: {key: Reason(**entry) for key, entry in data[part].items()}
        for part in ("beside", "avoid")
    }

    def reasons(part: str, entries: list[Any]) -> tuple[Reason, ...]:
        return tuple(
            shared[part][entry] if isinstance(entry, str) else Reason(**entry) for entry in entries
        )

    questions = [_question(**entry) for entry in data["question"]]
    leaves = [
        Leaf(
            **entry
            | {part: reasons(part, entry[part]) for part in shared}
            | {"when": _condition(entry["when"]), "axioms": tuple(entry.get("axioms", ()))}
        )
        for entry in data["leaf"]
    ]
    worst = {order: shared["beside"][key] for order, key in data["worst_class"].items()}
    return Path(tuple(questions), tuple(leaves), worst)


def _question(answer: list[Any], when: Mapping[str, str] | None = None, **rest: Any) -> Question:
    return Question(
        **rest, answers=tuple(Answer(**one) for one in answer), when=_condition(when or {})
    )


def _condition(entry: Mapping[str, str]) -> Condition:
    return {question: frozenset(ids.split("|")) for question, ids in entry.items()}


RARE = 0.5  # a class with fewer gold items than this part of an equal share is rare
DOMINANT = 0.8  # share of ratings in one class above which chance agreement is nearly complete
FEW_TOPICS = 20  # with fewer, two sets of ten cannot be drawn
_SHOWN = 5  # rare classes that are named


@dataclass(frozen=True)
class Facts:
    """Facts about data that matter for the choice of a measure; 0 or empty where unknown."""

    task: str  # "labels", "probabilities", "raters", "judge" or "distributions"
    k: int
    systems: tuple[str, ...] = ()  # or the raters or people that are evaluated
    topics: int = 0
    constant: tuple[str, ...] = ()  # systems that give the same answer everywhere
    empty_topics: int = 0  # in which at least one class has no gold item, or mass
    single_topics: int = 0  # whose gold labels, or mass, are all in one class
    equal_steps: bool = True  # no class values are declared, or they have equal steps
    inferred: bool = False  # the scale was inferred from the labels
    classes: tuple[Any, ...] = ()
    sizes: tuple[float, ...] = ()  # gold items, or ratings, of each class
    models: tuple[str, ...] = ()  # that are judged by people
    gaps: int = 0  # missing ratings
    skipped: int = 0  # items that were left out because a label is missing
    unlabelled: int = 0  # items without a gold label that a judge labelled

    @classmethod
    def of(cls, task: str, scale: Scale, systems: Sequence[str], **facts: Any) -> "Facts":
        """Return facts together with those about a scale."""
        about: Any = {"equal_steps": scale.equidistant, "inferred": scale.inferred}
        return cls(task, scale.k, tuple(systems), classes=tuple(scale.labels), **about, **facts)

    @classmethod
    def of_counts(cls, counts: Counts) -> "Facts":
        """Return the facts about counts of one or more systems."""
        named = counts.with_system_axis()
        by_topic = named.table[0].sum(axis=-1) if counts.topics else np.zeros((0, counts.k))
        pooled = named.pooled("topic")
        facts = _of_tables(pooled.table, counts.scale, pooled.systems, len(counts.topics))
        return replace(facts, skipped=counts.skipped, **_by_topic(by_topic))

    @classmethod
    def of_data(cls, data: Data) -> "Facts":
        """Return the facts about gold and the labels or probabilities of systems."""
        facts = cls.of_counts(data.counts())
        return replace(facts, task="probabilities") if data.proba else facts

    @classmethod
    def of_result(cls, result: Result) -> "Facts":
        """Return the facts about a result, which has no counts by topic."""
        scale, topics = result.scores.scale, len(result.scores.topics)
        if result.tables is None or result.kind == "quantification":
            constant = result.constant_systems
            return cls.of("distributions", scale, result.systems, topics=topics, constant=constant)
        facts = _of_tables(result.tables, scale, result.systems, topics)
        return replace(facts, task="probabilities") if "proba" in result.about else facts

    @classmethod
    def of_shares(
        cls, gold: Floats, estimates: Floats, systems: Sequence[str], scale: Scale
    ) -> "Facts":
        """Return the facts about gold `[T, K]` and estimated distributions `[S, T, K]`."""
        same = (np.ptp(estimates, axis=1) <= 1e-12).all(axis=-1)
        constant = tuple(name for name, is_same in zip(systems, same, strict=True) if is_same)
        sizes = tuple(map(float, gold.sum(axis=0)))
        about = {"topics": len(gold), "constant": constant, "sizes": sizes, **_by_topic(gold)}
        return cls.of("distributions", scale, systems, **about)

    @classmethod
    def of_ratings(cls, data: Data, models: Sequence[str] = ()) -> "Facts":
        """Return the facts about ratings of several raters, of whom some may be models."""
        *sizes, gaps = np.bincount(data.codes.ravel(), minlength=data.scale.k + 1).tolist()
        people = [name for name in data.names if name not in models]
        about = {"sizes": tuple(map(float, sizes)), "models": tuple(models), "gaps": gaps}
        return cls.of("judge" if models else "raters", data.scale, people, **about)

    @classmethod
    def of_agreement(cls, result: Agreement) -> "Facts":
        """Return the facts about raters whose agreement is known."""
        gaps = result.items * len(result.raters) - result.ratings
        sizes = [[row.items * share for share in row.shares] for row in result.raters]
        total = tuple(map(sum, zip(*sizes, strict=True)))
        return cls.of("raters", result.scale, result.rater_names, sizes=total, gaps=max(gaps, 0))

    @property
    def prevalence(self) -> tuple[float, ...]:
        """The share of each class in gold; empty if unknown."""
        total = sum(self.sizes)
        return tuple(size / total for size in self.sizes) if total > 0 else ()

    @property
    def rare(self) -> tuple[str, ...]:
        """The gold classes that are rare, with their shares in words."""
        present = [share for share in self.prevalence if share > 0]
        limit = RARE / max(len(present), 1)
        return tuple(
            f"{shown([label])} ({100 * share:.2g} %)"
            for label, share in zip(self.classes, self.prevalence, strict=False)
            if 0 < share < limit
        )


def _of_tables(tables: Floats, scale: Scale, systems: Sequence[str], topics: int) -> Facts:
    """Return the facts about tables `[system, gold, predicted]`."""
    is_constant = constant_predictions(tables)
    constant = tuple(name for name, one in zip(systems, is_constant, strict=True) if one)
    sizes = tuple(map(float, tables[0].sum(axis=-1)))
    return Facts.of("labels", scale, systems, topics=topics, constant=constant, sizes=sizes)


def _by_topic(gold: Floats) -> dict[str, Any]:
    """Count the topics of gold `[topic, class]` with an empty class, and those of a single one."""
    present = (gold > 0).sum(axis=-1)
    return {
        "empty_topics": int((present < gold.shape[-1]).sum()),
        "single_topics": int((present == 1).sum()),
    }


class Known(NamedTuple):
    """An answer that data give, what it is concluded from, and whether that is certain."""

    answer: str
    because: str
    certain: bool = True


def known_answers(facts: Facts) -> dict[str, Known]:
    """Return the answers that data give to questions of the path."""
    answers: dict[str, Known] = {"task": _task(facts)}
    if facts.task in ("labels", "probabilities", "distributions"):
        several = len(facts.systems) > 1
        because = f"there are {len(facts.systems)} systems" if several else "there is one system"
        answers["purpose"] = Known("compare" if several else "report", because)
    if not facts.equal_steps:
        answers["order"] = Known("distances", "the class values have unequal steps")
    if facts.task in ("labels", "judge"):
        if facts.rare:
            answers["balance"] = Known(
                "classes", f"rare classes: {_listed(facts.rare)}", certain=False
            )
            answers["each_class"] = Known("yes", "a rare class can fail unnoticed", certain=False)
        else:
            answers["balance"] = Known("items", "no class is rare, so it hardly matters")
    if facts.task == "labels":
        answers["constant"] = _constant(facts.constant)
    return answers


def _task(facts: Facts) -> Known:
    people = f"{plural(len(facts.systems), 'rater')}: {shown(facts.systems)}"
    because = {
        "labels": f"gold and {plural(len(facts.systems), 'column')} of predictions",
        "probabilities": f"gold and the probabilities of {plural(len(facts.systems), 'system')}",
        "distributions": f"distributions of {plural(facts.topics, 'topic')}",
        "raters": people,
        "judge": f"{plural(len(facts.models), 'model')} ({shown(facts.models)}) and {people}",
    }
    return Known(facts.task, because[facts.task])


def _constant(names: Sequence[str]) -> Known:
    if len(names) > 1:
        return Known("several", f"{shown(names)} always predict one class")
    return Known("no", "one system is constant" if names else "no system is constant")


def notes_on(facts: Facts) -> Iterator[str]:
    """Yield what else about the data matters for measures."""
    if facts.skipped:
        yield f"Left out: {plural(facts.skipped, 'item')} without a gold label or a prediction."
    if facts.unlabelled:
        yield (
            f"{plural(facts.unlabelled, 'item')} without gold: the judge's labels sharpen the "
            "scores, provided that the items with gold are a random sample."
        )
    if facts.gaps:
        yield f"{facts.gaps:,} ratings are missing: no coefficient that needs complete data."
    if facts.task == "labels":
        yield from _notes_on_gold(facts)
    if facts.task in ("raters", "judge"):
        yield from notes_on_ratings(facts)
    if 0 < facts.topics < FEW_TOPICS:
        yield f"With {plural(facts.topics, 'topic')}, tests over topics have little power."
    if facts.inferred:
        yield "The scale was inferred from the labels; it lacks any class that never occurs."


def notes_on_ratings(facts: Facts) -> Iterator[str]:
    """Yield what the shares of classes among ratings mean for coefficients."""
    if max(facts.prevalence, default=0) >= DOMINANT:
        yield (
            f"{100 * max(facts.prevalence):.3g} % of the ratings fall in one class: "
            "chance-corrected coefficients can be low although raters agree; AC1 and AC2 suffer "
            "less."
        )


def _notes_on_gold(facts: Facts) -> Iterator[str]:
    if facts.prevalence:
        label = facts.classes[int(np.argmax(facts.sizes))]
        share = 100 * max(facts.prevalence)
        yield f"Always predicting {shown([label])} would be right for {share:.3g} % of items."
    empty = [label for label, n in zip(facts.classes, facts.sizes, strict=False) if n == 0]
    if empty:
        yield f"No gold item is in {shown(empty)}: means over classes skip it."
    if len(facts.constant) == 1:
        yield (
            f"{shown(facts.constant)} always predicts the same class: kappa is 0 for it, and "
            "correlations are undefined."
        )
    if facts.empty_topics:
        yield (
            f"In {facts.empty_topics} of {facts.topics} topics gold lacks a class: macro averages "
            "there are over the other classes."
        )
    if facts.single_topics:
        yield (
            f"In {facts.single_topics} of {facts.topics} topics gold has a single class: there "
            "correlations are undefined, and kappa is 0 or undefined."
        )


def shown(names: Sequence[object]) -> str:
    """Return a few names in quotes, on one line."""
    return one_line(quoted(names))


def _listed(phrases: Sequence[str]) -> str:
    more = [f"{len(phrases) - _SHOWN} more"] if len(phrases) > _SHOWN else []
    return ", ".join([*phrases[:_SHOWN], *more])


KAPPA = "lwk"
ALPHA = "alpha_ord"


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
        The measures to report as well, each with what it adds.
    avoid : tuple of Reason
        The measures not to use, each with the reason.
    reason, source : str
        Why the primary measure was chosen, and where the reason comes from.
    choices : tuple of Choice
        The answers that led here.
    remarks : tuple of str
        What else to keep in mind about the measure and the data.
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
        tuple(_remarks(leaf, given, answers, facts)),
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


def _remarks(leaf: Leaf, given: Answers, answers: Answers, facts: Facts | None) -> Iterator[str]:
    if leaf.remark:
        yield leaf.remark
    if facts is not None:
        yield from notes_on(facts)
        smallest = min((size for size in facts.sizes if size > 0), default=float("inf"))
        needed = parse_measure(leaf.primary).record.items_per_class
        if facts.task == "labels" and smallest < needed:
            yield (
                f"The smallest gold class has {smallest:g} items; intervals of {leaf.primary} over "
                f"items are doubtful if a class has fewer than {needed}."
            )
    if unused := [name for name in given if name not in answers]:
        yield f"Not asked on this path: {', '.join(unused)}."


# What to type.

_FUNCTIONS = {"report": "evaluate", "raters": "agreement", "distributions": "quantify"}


def _call(answers: Answers, measures: Sequence[str], options: Mapping[str, Any]) -> Call:
    """Return the call that computes the measures."""
    task = answers["task"]
    job = answers["purpose"] if task in ("labels", "probabilities") else task
    named = ",".join(measures).replace("'", "")  # which a shell would need to quote
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
    proba = {"proba": "proba"} if answers["task"] == "probabilities" else {}
    if facts is None:
        some = {} if answers["task"] == "distributions" else {"labels": ["low", "medium", "high"]}
        return {**proba, **some}
    options: dict[str, Any] = proba | ({} if facts.inferred else {"labels": list(facts.classes)})
    if facts.task in ("labels", "probabilities") and facts.topics:
        options["topic"] = "topic"
    if facts.unlabelled:
        options["judge"] = "judge"
    elif facts.skipped:
        options["missing"] = "skip"
    return options
