"""Which measure to use: a path of questions, each answer with its reason and source.

The path is data: questions (`QUESTIONS`) and the measures at its ends (`LEAVES`). `advise` follows
it, `ordeval advise` asks the questions, and the page "Which measure?" is made from the same data.
"""

from .findings import Findings, Found, findings_of, of_distributions, with_judge
from .frames import advise_frame
from .leaves import LEAVES
from .path import Answer, Avoided, Leaf, Question, Reported, every_path, holds
from .questions import QUESTIONS
from .recommend import (
    Choice,
    Place,
    Recommendation,
    advise,
    check_answers,
    choose,
    leaf_of,
    next_question,
    recommend,
)

__all__ = [
    "LEAVES",
    "QUESTIONS",
    "Answer",
    "Avoided",
    "Choice",
    "Findings",
    "Found",
    "Leaf",
    "Place",
    "Question",
    "Recommendation",
    "Reported",
    "advise",
    "advise_frame",
    "check_answers",
    "choose",
    "every_path",
    "findings_of",
    "holds",
    "leaf_of",
    "next_question",
    "of_distributions",
    "recommend",
    "with_judge",
]
