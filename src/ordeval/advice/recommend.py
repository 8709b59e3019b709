"""From answers and facts to recommended measures, and to what to type."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from ..display import Displayable
from ..errors import check_choice
from ..formatting import protected
from ..measures.spec import parse_measure
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


@dataclass(frozen=True)
class Source:
    """Where the data are: files with options by name, or variables in memory.

    Parameters
    ----------
    files : tuple of str
        The files; without any, the call has the names of variables.
    options : mapping of str to object
        Options that say how to read the files or variables, by their names, which are the same in
        Python and on the command line.
    """

    files: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


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
    given: Answers, facts: Facts | None = None, source: Source | None = None
) -> Recommendation:
    """Follow the path to its end.

    Parameters
    ----------
    given : mapping of str to str
        The answers that were given.
    facts : Facts, optional
        What is known about the data.
    source : Source, optional
        Where the data are, for the command and the call.

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
    where = source or _example(answers, facts)
    return Recommendation(
        leaf.primary,
        beside,
        leaf.avoid,
        leaf.reason,
        leaf.source,
        tuple(choices),
        tuple(_remarks(leaf.primary, given, answers, facts)),
        _command(answers, measures, where),
        _code(answers, measures, where),
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


# What to type. Options have one name in Python and on the command line.

_JOBS = {  # function, command, variables, files
    "compare": ("compare", "compare", "gold, systems", ("data.csv",)),
    "report": ("evaluate", "score", "gold, pred", ("data.csv",)),
    "raters": ("agreement", "agreement", "ratings", ("ratings.csv",)),
    "judge": ("judge", "judge", "people, models", ("ratings.csv",)),
    "distributions": ("quantify", "quantify", "p_true, p_pred", ("gold.csv", "run.csv")),
}
_ROLES = {"compare": ("gold", "pred"), "report": ("gold", "pred"), "judge": ("people", "models")}


def _job(answers: Answers) -> str:
    """Return what is done: systems compared or one reported, or the task by itself."""
    task = answers["task"]
    return answers["purpose"] if task in ("labels", "probabilities") else task


def _example(answers: Answers, facts: Facts | None) -> Source:
    """Return options for variables in memory, or for an example without data."""
    if facts is None:
        words = {} if answers["task"] == "distributions" else {"labels": ["low", "medium", "high"]}
        return Source((), words)
    options: dict[str, Any] = {} if facts.inferred else {"labels": list(facts.classes)}
    if facts.task == "labels" and facts.topics:
        options["topic"] = "topic"
    if facts.unlabelled:
        options["judge"] = "judge"
    elif facts.skipped:
        options["missing"] = "skip"
    return Source((), options)


def _command(answers: Answers, measures: Sequence[str], source: Source) -> str:
    """Return the command that computes the measures."""
    _, command, _, example = _JOBS[_job(answers)]
    files = [f"./{name}" if name.startswith("-") and name != "-" else name for name in source.files]
    options = {**source.options, "measures": ", ".join(m.replace("'", "") for m in measures)}
    if answers.get("each_class") == "yes":
        options["tables"] = "main,classes"
    words = ["ordeval", command, *map(shlex.quote, files or example)]
    spelled = (word for name, value in options.items() for word in _spelled(name, value))
    return " ".join([*words, *spelled])


def _spelled(name: str, value: Any) -> Iterator[str]:
    """Yield an option as words of the command line; conditions by column are options each."""
    option = name.replace("_", "-")
    if isinstance(value, bool):
        yield f"--{option}" if value else f"--no-{option}"
    elif isinstance(value, Mapping):
        for column, words in value.items():
            yield from (f"--{option} {shlex.quote(f'{column}={word}')}" for word in words)
    else:
        text = value if isinstance(value, str) else ",".join(map(protected, value))
        yield f"--{option}{'=' if text.startswith('-') else ' '}{shlex.quote(text)}"


def _code(answers: Answers, measures: Sequence[str], source: Source) -> str:
    """Return the call in Python, on files or on variables."""
    job = _job(answers)
    function, _, variables, _ = _JOBS[job]
    options = dict(source.options)
    if source.files:
        data = [repr(options.pop(role)) for role in _ROLES.get(job, ()) if role in options]
        files = source.files[0] if len(source.files) == 1 else list(source.files)
        data += [f"data={files!r}"]
    else:
        data = [variables]
    held = {"topic", "judge", "weight", "frequency", "cluster"} if not source.files else set()
    data += [f"{k}={k}" if k in held else f"{k}={v!r}" for k, v in options.items()]
    lines = [*data, f"measures={', '.join(measures)!r}"]
    shown = ["result"]
    if answers.get("each_class") == "yes":
        shown.append('result.to_frame("classes")')
    return "\n".join(
        [
            "import ordeval as oe",
            f"result = oe.{function}(",
            *(f"    {line}," for line in lines),
            ")",
            *(f"print({what})" for what in shown),
        ]
    )
