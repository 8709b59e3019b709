"""Which measure to use: one decision path and one set of facts about the data.

The path is data (path.toml). `ordeval.advise`, `ordeval advise`, the measure that ranks systems by
default, reports, `ordeval.meta` and the page "Which measure?" all follow it.
"""

from .facts import Facts, Known, known_answers, notes_on
from .path import Answer, Answers, Leaf, Path, Question, Reason, holds, path
from .recommend import (
    ALPHA,
    KAPPA,
    Choice,
    Recommendation,
    checked_answers,
    choose,
    default_measure,
    recommend,
)

__all__ = [
    "ALPHA",
    "KAPPA",
    "Answer",
    "Answers",
    "Choice",
    "Facts",
    "Known",
    "Leaf",
    "Path",
    "Question",
    "Reason",
    "Recommendation",
    "checked_answers",
    "choose",
    "default_measure",
    "holds",
    "known_answers",
    "notes_on",
    "path",
    "recommend",
]
