"""From labels, counts or distributions to one result, with intervals and tests."""

from .classification import compare, compare_source, evaluate, evaluate_source
from .quantification import about_shares, quantify, quantify_rows
from .read import read
from .settings import CORE_MEASURES, Settings

__all__ = [
    "CORE_MEASURES",
    "Settings",
    "about_shares",
    "compare",
    "compare_source",
    "evaluate",
    "evaluate_source",
    "quantify",
    "quantify_rows",
    "read",
]
