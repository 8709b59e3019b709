"""From answers and data to recommended measures, and to what to type."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pprint import pformat
from textwrap import indent
from typing import Any

from ..counts import Counts, LabelSource
from ..display import Displayable
from ..errors import InputError, check_choice
from ..evaluation.judge_labels import JudgedSource
from ..formatting import protected
from ..labels import refuse_beside_judge
from ..measures.spec import parse_measure
from ..ratings import Ratings
from ..results import Result
from ..types import Classes, ClassNumbers, LabelColumn
from .findings import Findings, findings_of, with_judge
from .leaves import LEAVES, WORST_CLASS
from .path import Answers, Avoided, Leaf, Question, Reported, holds
from .questions import QUESTIONS

_LINE = 70  # columns of an argument in Python
_OPTION = 58  # columns of the value of an option
_COLUMNS = ("gold", "pred", "topic", "judge", "people", "raters")  # options that name columns
_WEIGHTS = {"weight": "sample_weight", "frequency": "frequency"}  # arguments by column
_WORDS = ("low", "medium", "high")  # classes in examples


@dataclass(frozen=True)
class Choice:
    """An answer to a question, and where it comes from.

    Parameters
    ----------
    question, answer : str
        The ids of the question and of the answer.
    text : str
        The question in words.
    chosen : str
        The answer in words.
    how : {"given", "data", "assumed"}
        Whether the answer was given, follows from the data, or is assumed.
    because : str
        What the answer is concluded from; empty if it was given.
    reason : str
        What follows from the answer.
    source : str
        Where the reason comes from.
    """

    question: str
    answer: str
    text: str
    chosen: str
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
    beside : tuple of Reported
        The measures to report beside it, each with what it adds.
    avoid : tuple of Avoided
        The measures not to use, each with the reason.
    reason : str
        Why the primary measure was chosen.
    source : str
        Where the reason comes from.
    choices : tuple of Choice
        The answers that led here.
    remarks : tuple of str
        What else matters in the data.
    command : str
        The command line that computes the measures.
    code : str
        The same in Python.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.advise(task="labels", order="distances", balance="classes", chance="no")
    >>> found.primary
    'macro_mae'
    >>> found.avoid[0].measure
    'mae'
    """

    primary: str
    beside: tuple[Reported, ...]
    avoid: tuple[Avoided, ...]
    reason: str
    source: str
    choices: tuple[Choice, ...]
    remarks: tuple[str, ...]
    command: str
    code: str

    @property
    def measures(self) -> tuple[str, ...]:
        """All recommended measures, the primary one first."""
        return (self.primary, *(reported.measure for reported in self.beside))

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
        return {
            "primary": self.primary,
            "beside": [dict(vars(reported)) for reported in self.beside],
            "avoid": [dict(vars(avoided)) for avoided in self.avoid],
            "reason": self.reason,
            "source": self.source,
            "choices": [dict(vars(choice)) for choice in self.choices],
            "remarks": list(self.remarks),
            "command": self.command,
            "code": self.code,
        }


def advise(
    data: LabelColumn | Counts | Result | None = None,
    y_pred: LabelColumn | Mapping[str, LabelColumn] | None = None,
    *,
    ratings: Any = None,
    models: Mapping[str, LabelColumn] | None = None,
    labels: Classes = None,
    values: ClassNumbers = None,
    topics: LabelColumn | None = None,
    judge: LabelColumn | None = None,
    task: str | None = None,
    purpose: str | None = None,
    order: str | None = None,
    far: str | None = None,
    chance: str | bool | None = None,
    balance: str | None = None,
    constant: str | None = None,
    each_class: str | bool | None = None,
) -> Recommendation:
    """Recommend measures by a path of questions; data answer some of them.

    What is neither given nor answered by the data is assumed, and the recommendation says so. The
    same path is on the page "Which measure?" and behind `ordeval advise`.

    Parameters
    ----------
    data : array_like of shape (n_items,), Counts or Result, optional
        Gold labels; or, without `y_pred`, counts or a result.
    y_pred : array_like of shape (n_items,), or mapping of str to array_like, optional
        Predicted labels of one system, or of each system.
    ratings : array_like of shape (n_items, n_raters), mapping or data frame, optional
        The ratings of several raters, instead of gold labels.
    models : mapping of str to array_like, optional
        The ratings of models, to be judged by the people in `ratings`.
    labels : sequence, optional
        The classes from lowest to highest. Required unless the labels are integers or an ordered
        categorical.
    values : sequence or mapping, optional
        An increasing number per class, if their distances are known.
    topics : array_like of shape (n_items,), optional
        The topic of each item.
    judge : array_like of shape (n_items,), optional
        Labels of a judge, such as a language model, for all items, where gold has gaps.
    task : {"labels", "raters", "judge", "distributions", "probabilities"}, optional
        What there is to be evaluated.
    purpose : {"compare", "report"}, optional
        Whether systems are compared, or the quality of one is reported.
    order : {"order", "distances", "none"}, optional
        What is known about the classes: their order, distances as well, or neither.
    far : {"steps", "squares"}, optional
        Whether an error of two steps is twice or four times as bad as one of one step.
    chance : {"yes", "no"} or bool, optional
        Whether agreement by chance must be removed.
    balance : {"items", "classes"}, optional
        Whether every item or every class counts alike.
    constant : {"no", "several"}, optional
        Whether two or more systems predict the same class for every item.
    each_class : {"no", "yes"} or bool, optional
        Whether a number for every class is needed.

    Returns
    -------
    Recommendation
        The primary measure, what to report beside it and what not to use, with reasons; the
        command and the Python call that compute them.

    See Also
    --------
    advise_frame : The same for the columns of a data frame.
    ordeval.meta.advise : Advice from the scores of systems on topics.

    Examples
    --------
    >>> import ordeval as oe
    >>> gold = [1, 1, 1, 1, 1, 1, 2, 3]
    >>> found = oe.advise(gold, [1, 1, 1, 1, 2, 1, 2, 1], labels=[1, 2, 3], chance=False)
    >>> found.primary, found.answers["balance"]
    ('macro_mae', 'classes')
    """
    given = {
        "task": task,
        "purpose": purpose,
        "order": order,
        "far": far,
        "chance": chance,
        "balance": balance,
        "constant": constant,
        "each_class": each_class,
    }
    checked = answers_of(given)
    if judge is not None:
        return recommend(checked, _judged(data, y_pred, judge, labels, values, topics))
    read = _read(data, y_pred, ratings, models, labels=labels, values=values, topics=topics)
    return recommend(checked, read)


def answers_of(given: Mapping[str, str | bool | None]) -> dict[str, str]:
    """Return the answers that are given, as words, after a check that they are known.

    Parameters
    ----------
    given : mapping of str to str or bool
        Answers by question; None where there is none.

    Returns
    -------
    dict of str to str
        The answers.
    """
    known = [question.id for question in QUESTIONS]
    for name in given:
        check_choice("answers", name, known)
    words = {True: "yes", False: "no"}
    said = {
        name: words[word] if isinstance(word, bool) else word
        for name, word in given.items()
        if word is not None
    }
    return check_answers(said)


def _judged(data: Any, y_pred: Any, judge: Any, labels: Any, values: Any, topics: Any) -> Findings:
    """Return what gold labels with gaps and a judge say."""
    refuse_beside_judge(topics=topics)
    if data is None or y_pred is None:
        raise InputError(
            "A judge was given without gold labels and predictions.",
            parameter="judge",
            hint="Pass gold labels, with gaps, and predictions as well.",
        )
    source = LabelSource.read_judged(data, y_pred, judge, labels=labels, values=values)
    return with_judge(JudgedSource.of(source))


def _read(
    data: Any, y_pred: Any, ratings: Any, models: Any, *, labels: Any, values: Any, topics: Any
) -> Findings:
    """Return what the data say; nothing without data."""
    if ratings is not None:
        if data is not None or y_pred is not None:
            raise InputError(
                "Both gold labels and ratings were given; one of them is expected.",
                parameter="ratings",
            )
        people = Ratings.read(ratings, labels=labels, values=values)
        return findings_of(people, models=tuple(models or ()))
    if models is not None:
        raise InputError(
            "Models were given without the ratings of people.",
            parameter="models",
            hint="Pass {ratings} as well.",
            suggest={"ratings": ...},
        )
    if data is None:
        return Findings()
    if isinstance(data, Counts | Result) and y_pred is None:
        return findings_of(data)
    if y_pred is None:
        raise InputError(
            "Gold labels were given without predictions.",
            parameter="y_pred",
            hint="Pass {y_pred} as well, or {ratings} of several raters instead.",
            suggest={"y_pred": ..., "ratings": ...},
        )
    return findings_of(
        Counts.from_labels(
            data, y_pred, labels=labels, values=values, topics=topics, missing="skip"
        )
    )


def check_answers(given: Answers) -> dict[str, str]:
    """Return answers after a check that they are known.

    Parameters
    ----------
    given : mapping of str to str
        Answers by question.

    Returns
    -------
    dict of str to str
        The same answers.
    """
    for question in QUESTIONS:
        if question.id in given:
            check_choice(question.id, given[question.id], question.words)
    return dict(given)


def next_question(answers: Answers) -> Question | None:
    """Return the first question that is not answered and matters; None if there is none.

    Parameters
    ----------
    answers : mapping of str to str
        The answers so far.

    Returns
    -------
    Question or None
        The question to ask next.
    """
    open_ones = (q for q in QUESTIONS if q.id not in answers and holds(q.when, answers))
    return next(open_ones, None)


def choose(question: Question, given: Answers, found: Findings) -> Choice:
    """Return the answer to a question: as given, by the data, or assumed.

    Parameters
    ----------
    question : Question
        The question.
    given : mapping of str to str
        The answers that were given.
    found : Findings
        What the data say.

    Returns
    -------
    Choice
        The answer, with where it comes from.
    """
    if question.id in given:
        word, how, because = given[question.id], "given", ""
    elif question.id in found.answers:
        (word, because), how = found.answers[question.id], "data"
    elif question.id in found.likely:
        (word, because), how = found.likely[question.id], "assumed"
    else:
        word, how, because = question.words[0], "assumed", ""
    answer = question.answer(word)
    return Choice(
        question.id, word, question.text, answer.text, how, because, answer.reason, answer.source
    )


def recommend(
    given: Answers, found: Findings | None = None, place: "Place | None" = None
) -> Recommendation:
    """Follow the path to its end.

    Parameters
    ----------
    given : mapping of str to str
        The answers that were given.
    found : Findings, optional
        What the data say.
    place : Place, optional
        The files, for the command.

    Returns
    -------
    Recommendation
        The recommendation.
    """
    found = found or Findings()
    choices: list[Choice] = []
    answers: dict[str, str] = {}
    while (question := next_question(answers)) is not None:
        choices.append(choose(question, given, found))
        answers[question.id] = choices[-1].answer
    leaf = leaf_of(answers)
    beside = _beside(leaf, answers, found)
    measures = (leaf.primary, *(reported.measure for reported in beside))
    return Recommendation(
        leaf.primary,
        beside,
        leaf.avoid,
        leaf.reason,
        leaf.source,
        tuple(choices),
        (*found.remarks, *_doubt(leaf.primary, found), *_unused(given, answers)),
        (place or Place(labels=found.labels)).command(answers, measures, found),
        _code(answers, measures, found, place or Place()),
    )


def leaf_of(answers: Answers) -> Leaf:
    """Return the end of the path that answers lead to."""
    return next(leaf for leaf in LEAVES if holds(leaf.when, answers))


def _beside(leaf: Leaf, answers: Answers, found: Findings) -> tuple[Reported, ...]:
    kept = [r for r in leaf.beside if not (found.gaps and r.measure.startswith("icc"))]
    if answers.get("each_class") == "yes":
        worst = WORST_CLASS[answers["order"]]
        kept += [worst] if worst.measure not in [r.measure for r in kept] else []
    return tuple(kept)


def _doubt(primary: str, found: Findings) -> list[str]:
    """Return what is known about intervals of a measure on so few items of a class."""
    needed = parse_measure(primary).record.items_per_class
    if found.smallest is None or found.smallest >= needed:
        return []
    return [
        f"The smallest gold class has {found.smallest} items; intervals of {primary} over items "
        f"are doubtful with fewer than {needed} in every class."
    ]


def _unused(given: Answers, answers: Answers) -> list[str]:
    """Say which answers were given to questions that do not arise."""
    unused = [name for name in given if name not in answers]
    return [f"Not asked on this path: {', '.join(unused)}."] if unused else []


@dataclass(frozen=True)
class Place:
    """The files and options of a command.

    Parameters
    ----------
    files : tuple of str
        The files; examples if there are none.
    options : tuple of str
        The options that say how to read them, quoted for a shell.
    labels : tuple
        The classes to declare, if the options do not.
    reading : tuple of str
        Lines of Python that read the files as `frame`, if they can be read so.
    """

    files: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    labels: tuple[Any, ...] = ()
    reading: tuple[str, ...] = ()

    def command(self, answers: Answers, measures: tuple[str, ...], found: Findings) -> str:
        """Return the command that computes the measures."""
        name, example = _COMMANDS[_kind(answers)]
        files = self.files or example
        options = [*self.options]
        if not self.files:
            options += _example_options(answers, self.labels or _classes(answers, found), found)
        tables = ["--tables main,classes"] if answers.get("each_class") == "yes" else []
        parts = [
            f"ordeval {name}",
            *(shlex.quote(f"./{file}" if file.startswith("-") and file != "-" else file)
              for file in files),
            *options,
            *_listed(measures),
            *tables,
        ]  # fmt: skip
        return " ".join(parts)


_COMMANDS = {
    "compare": ("compare", ("data.csv",)),
    "report": ("score", ("data.csv",)),
    "raters": ("agreement", ("ratings.csv",)),
    "judge": ("judge", ("ratings.csv",)),
    "distributions": ("quantify", ("gold.csv", "run.csv")),
}
_CALLS = {
    "compare": ("compare", "gold, systems"),
    "report": ("evaluate", "gold, pred"),
    "raters": ("agreement", "ratings"),
    "judge": ("judge", "ratings, models"),
    "distributions": ("quantify", "p_true, p_pred"),
}


def _listed(measures: tuple[str, ...]) -> list[str]:
    """Return options that name the measures, each short enough for a line of a terminal."""
    short = [measure.replace("'", "") for measure in measures]
    groups = [short[0]]
    for measure in short[1:]:
        longer = f"{groups[-1]}, {measure}"
        groups = [*groups[:-1], longer] if len(longer) <= _OPTION else [*groups, measure]
    return [f"--measures {shlex.quote(group)}" for group in groups]


def _kind(answers: Answers) -> str:
    """Return what is done: systems compared or one reported, or the task by itself."""
    task = answers["task"]
    return answers["purpose"] if task in ("labels", "probabilities") else task


def _classes(answers: Answers, found: Findings) -> tuple[str, ...]:
    """Return classes for an example without data, if they have to be declared."""
    needed = answers["order"] == "order" and answers["task"] != "distributions"
    return _WORDS if needed and not found.answers else ()


def _example_options(answers: Answers, labels: tuple[Any, ...], found: Findings) -> list[str]:
    models = found.models or ("model",)
    options = [_spelled("models", models)] if answers["task"] == "judge" else []
    names = {**found.columns, **({"judge": found.judge} if found.judge else {})}
    options += [_spelled(role, names[role]) for role in _COLUMNS if role in names]
    options += ["--topic topic"] if "topics" in found.variables and not found.columns else []
    options += ["--missing skip"] if found.skipped and not found.judge else []
    return [*options, *([_spelled("labels", labels)] if labels else [])]


def _spelled(name: str, words: str | Sequence[Any]) -> str:
    """Return an option; a text is one value, which may have commas, and others are lists."""
    text = words if isinstance(words, str) else ",".join(map(protected, words))
    between = "=" if text.startswith("-") else " "
    return f"--{name}{between}{shlex.quote(text)}"


def _code(answers: Answers, measures: tuple[str, ...], found: Findings, place: Place) -> str:
    """Return the call in Python, with a frame or variables for the data."""
    labels = [*(found.labels or _classes(answers, found))]
    scale = [_argument("labels", labels)] if labels else []
    scale += [_argument("values", [*found.values])] if found.values else []
    settings = {"missing": "skip"} if found.skipped and not found.judge else {}
    scale += [_argument(name, value) for name, value in (settings | dict(found.settings)).items()]
    function, data = _CALLS[_kind(answers)]
    if found.columns:
        call = _code_of_frame(answers, f"{function}_frame", scale, measures, found)
        return "\n".join([*place.reading, call])
    given = ["judge=judge"] if found.judge else []
    given += [f"{name}={name}" for name in found.variables]
    calls = [_call(function, [data, *scale, *given, _argument("measures", [*measures])])]
    if place.files:
        calls = ["# The variables hold what the command reads with its other options.", *calls]
    if answers.get("each_class") == "yes":
        weights = [f"{name}={name}" for name in found.variables if name in _WEIGHTS.values()]
        by_class = _call("per_class", ["gold, pred", *scale, *weights])
        several = f"{{name: {by_class} for name, pred in systems.items()}}"
        calls.append(several if answers["purpose"] == "compare" else by_class)
    return "\n".join(calls)


def _code_of_frame(
    answers: Answers, function: str, scale: list[str], measures: tuple[str, ...], found: Findings
) -> str:
    """Return the call for the columns of a frame."""
    columns = [_argument(role, name) for role, name in found.columns.items()]
    calls = [_call(function, ["frame", *columns, *scale, _argument("measures", [*measures])])]
    if answers.get("each_class") == "yes" and "pred" in found.columns and not found.judge:
        data = f"frame[{found.columns['gold']!r}], frame[name]"
        weights = [
            f"{name}=frame[{found.columns[role]!r}]"
            for role, name in _WEIGHTS.items()
            if role in found.columns
        ]
        names = pformat(found.columns["pred"], width=_LINE, compact=True)
        calls.append(
            f"{{name: {_call('per_class', [data, *scale, *weights])} for name in {names}}}"
        )
    return "\n".join(calls)


def _argument(name: str, value: Any) -> str:
    """Return a keyword argument in lines that fit a terminal."""
    shown = pformat(value, width=_LINE - len(name), compact=True)
    return f"{name}={indent(shown, ' ' * (len(name) + 5)).strip()}"


def _call(function: str, arguments: list[str]) -> str:
    return f"oe.{function}(\n" + "".join(f"    {part},\n" for part in arguments) + ")"
