"""The form of the decision path: questions, answers, and the measures that answers lead to."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

Answers = Mapping[str, str]  # the id of the answer to each question
Condition = Mapping[str, frozenset[str]]  # the answers to earlier questions that are required


@dataclass(frozen=True)
class Answer:
    """An answer, and why it matters.

    Parameters
    ----------
    id : str
        The word that stands for it in Python and on the command line.
    text : str
        The answer in words.
    reason : str
        What follows from it, and why.
    source : str
        Where the reason comes from.
    """

    id: str
    text: str
    reason: str
    source: str


@dataclass(frozen=True)
class Question:
    """A question, asked only where the answers to earlier ones make it matter.

    Parameters
    ----------
    id : str
        The name of the parameter in Python, and of the option.
    text : str
        The question.
    answers : tuple of Answer
        The possible answers; the first is assumed where nothing else is known.
    when : mapping of str to frozenset of str
        Earlier questions, each with the answers one of which must have been given.
    """

    id: str
    text: str
    answers: tuple[Answer, ...]
    when: Condition = field(default_factory=dict)

    def answer(self, id: str) -> Answer:
        """Return the answer that a word stands for."""
        return next(answer for answer in self.answers if answer.id == id)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that stand for the answers."""
        return tuple(answer.id for answer in self.answers)


@dataclass(frozen=True)
class Reported:
    """A measure to report beside the primary one, and what it adds."""

    measure: str
    reason: str


@dataclass(frozen=True)
class Avoided:
    """A measure not to use, and why.

    Parameters
    ----------
    measure : str
        The specification of the measure.
    reason : str
        Why it does not fit.
    axiom : str
        The axiom that it fails, where that is the reason.
    """

    measure: str
    reason: str
    axiom: str = ""


@dataclass(frozen=True)
class Leaf:
    """The measures at the end of a path.

    Parameters
    ----------
    when : mapping of str to frozenset of str
        The answers that lead here.
    primary : str
        The measure to decide by.
    reason : str
        Why this measure.
    source : str
        Where the reason comes from.
    beside : tuple of Reported
        The measures to report beside it.
    avoid : tuple of Avoided
        The measures not to use.
    axioms : tuple of str
        Axioms that the primary measure satisfies, for which it is chosen.
    """

    when: Condition
    primary: str
    reason: str
    source: str
    beside: tuple[Reported, ...] = ()
    avoid: tuple[Avoided, ...] = ()
    axioms: tuple[str, ...] = ()


def when(**answers: str) -> Condition:
    """Return a condition; words with a bar between them are alternatives.

    >>> sorted(when(task="labels|judge")["task"])
    ['judge', 'labels']
    """
    return {question: frozenset(words.split("|")) for question, words in answers.items()}


def holds(condition: Condition, answers: Answers) -> bool:
    """Return whether the answers meet a condition."""
    return all(answers.get(question) in words for question, words in condition.items())


def every_path(questions: tuple[Question, ...], given: Answers | None = None) -> Iterator[Answers]:
    """Return the answers of every path through the questions.

    Parameters
    ----------
    questions : tuple of Question
        The questions in the order in which they are asked.
    given : mapping of str to str, optional
        Answers to the questions before.

    Yields
    ------
    mapping of str to str
        An answer to every question that is asked.
    """
    answers = dict(given or {})
    for i, question in enumerate(questions):
        if holds(question.when, answers):
            for word in question.words:
                yield from every_path(questions[i + 1 :], {**answers, question.id: word})
            return
    yield answers
