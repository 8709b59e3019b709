"""From labels, counts or distributions to one result, with intervals and tests."""

from .classification import compare, compare_source, evaluate, evaluate_source
from .quantification import quantify
from .read import read
from .read_shares import read_shares
from .settings import CORE_MEASURES, Settings

__all__ = [
    "CORE_MEASURES",
    "Settings",
    "compare",
    "compare_source",
    "evaluate",
    "evaluate_source",
    "quantify",
    "read",
    "read_shares",
]
