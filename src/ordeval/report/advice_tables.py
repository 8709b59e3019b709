"""Tables of a recommendation, and of the whole decision path."""

from dataclasses import replace

from ..advice import Choice, Leaf, Question, Recommendation, path
from ..advice.path import Condition
from ..table import Heading, Table, Typed, table, words
from .story import joined

_HOW = {"given": "given", "data": "by the data", "assumed": "assumed"}


def recommendation_tables(found: Recommendation) -> list[Table]:
    """Return the measures and the answers that led to them, with what to type."""
    return [measures_table(found), answers_table(found)]


def measures_table(found: Recommendation) -> Table:
    """Return the recommended measures, and those to avoid."""
    rows = [
        (found.primary, "primary", f"{found.reason} ({found.source})"),
        *((other.measure, "beside it", _sentence(other.reason)) for other in found.beside),
        *((other.measure, "not", other.reason) for other in found.avoid),
    ]
    return table(
        [Heading("measure"), Heading("use"), Heading("why")],
        [map(words, row) for row in rows],
        title=recommended(found),
    )


def recommended(found: Recommendation) -> str:
    """Return the recommended measures as a sentence."""
    others = [other.measure for other in found.beside]
    beside = f", and report {joined(others)} beside it" if others else ""
    return f"Use {found.primary}{beside}."


def answers_table(found: Recommendation) -> Table:
    """Return the answers that led to the measures, with remarks and what to type next."""
    rows = [
        (choice.question.replace("_", " "), _answered(choice), f"{choice.reason} ({choice.source})")
        for choice in found.choices
    ]
    headings = [Heading(name) for name in ("question", "answer", "what follows")]
    typed = (
        Typed("On the command line:", found.command, "bash"),
        Typed("In Python:", found.code, "python"),
    )
    cells = [map(words, row) for row in rows]
    made = table(headings, cells, title="Why: the path to it", notes=found.remarks)
    return replace(made, typed=typed)


def _answered(choice: Choice) -> str:
    """Return an answer with where it comes from."""
    how = f"{_HOW[choice.how]}: {choice.because}" if choice.because else _HOW[choice.how]
    return f"{choice.text} [{how}]"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def path_tables() -> list[Table]:
    """Return all questions, and the measures that the answers lead to."""
    return [*(_question_table(i, q) for i, q in enumerate(path().questions, 1)), _ends_table()]


def _ends_table() -> Table:
    """Return the ends of the path, with one text each."""
    rows = [(leaf.primary, _advised(leaf)) for leaf in path().leaves]
    headings = [Heading("use"), Heading("when and why")]
    return table(headings, [map(words, row) for row in rows], title="Where the answers lead")


def _advised(leaf: Leaf) -> str:
    asked = conditions(leaf.when)
    others = joined([other.measure for other in leaf.beside])
    avoided = ", ".join(other.measure for other in leaf.avoid)
    why = f"{leaf.reason} ({leaf.source})"
    return f"If {asked}. {why} Beside it: {others}. Not: {avoided}."


def option_of(question: Question) -> str:
    """Return the option of a question."""
    return f"--{question.id.replace('_', '-')}"


def _question_table(number: int, question: Question) -> Table:
    asked = [f"Asked if {conditions(question.when)}."] if question.when else []
    rows = [(a.id, a.text, f"{a.reason} ({a.source})") for a in question.answers]
    return table(
        [Heading(option_of(question)), Heading("answer"), Heading("what follows")],
        [map(words, row) for row in rows],
        title=f"{number}. {question.text}",
        notes=asked,
    )


def conditions(condition: Condition) -> str:
    """Return the answers that are required, in words of the command line.

    >>> conditions({"order": {"order", "none"}, "chance": {"no"}})
    'order is order or none, and chance is no'
    """
    found = []
    for question in path().questions:
        required = condition.get(question.id)
        if required and required != set(question.ids):
            shown = [word for word in question.ids if word in required]
            found.append(f"{question.id.replace('_', ' ')} is {' or '.join(shown)}")
    return ", and ".join(found)


def leaves_table() -> Table:
    """Return the ends of the path, with a column for each part."""
    rows = [_leaf_row(leaf) for leaf in path().leaves]
    headings = [Heading(name) for name in ("answers", "primary", "beside it", "why")]
    return table(headings, [map(words, row) for row in rows], title="The measures")


def _leaf_row(leaf: Leaf) -> tuple[str, str, str, str]:
    beside = ", ".join(other.measure for other in leaf.beside)
    return conditions(leaf.when), leaf.primary, beside, f"{leaf.reason} ({leaf.source})"
