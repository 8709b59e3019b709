"""The decision path, read from path.toml: questions, and the measures that answers lead to."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

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
    answers: tuple[Answer, ...]
    when: Condition
    assume: Mapping[str, str]

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
    text = (files(__package__) / "path.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    shared = {
        part: {key: Reason(**entry) for key, entry in data[part].items()}
        for part in ("beside", "avoid")
    }

    def reasons(part: str, entries: list[Any]) -> tuple[Reason, ...]:
        return tuple(
            shared[part][entry] if isinstance(entry, str) else Reason(**entry) for entry in entries
        )

    questions = [
        Question(
            entry["id"],
            entry["text"],
            tuple(Answer(**answer) for answer in entry["answer"]),
            _condition(entry.get("when", {})),
            entry.get("assume", {}),
        )
        for entry in data["question"]
    ]
    leaves = [
        Leaf(
            _condition(entry["when"]),
            entry["primary"],
            entry["reason"],
            entry["source"],
            reasons("beside", entry.get("beside", [])),
            reasons("avoid", entry.get("avoid", [])),
            tuple(entry.get("axioms", ())),
        )
        for entry in data["leaf"]
    ]
    worst = {order: shared["beside"][key] for order, key in data["worst_class"].items()}
    return Path(tuple(questions), tuple(leaves), worst)


def _condition(entry: Mapping[str, str]) -> Condition:
    return {question: frozenset(ids.split("|")) for question, ids in entry.items()}
