"""From labels, counts or distributions to one result, with intervals and tests."""

from .classification import choose_primary, compare, compare_counts, evaluate, evaluate_counts
from .frames import compare_frame, evaluate_frame
from .quantification import quantify, quantify_rows
from .settings import CORE, DEFAULTS, MeasuresGiven, Progress, Settings
from .significance import tests_over_topics

__all__ = [
    "CORE",
    "DEFAULTS",
    "MeasuresGiven",
    "Progress",
    "Settings",
    "choose_primary",
    "compare",
    "compare_counts",
    "compare_frame",
    "evaluate",
    "evaluate_counts",
    "evaluate_frame",
    "quantify",
    "quantify_rows",
    "tests_over_topics",
]
