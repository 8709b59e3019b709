"""From labels, counts or distributions to one result, with intervals and tests."""

from .classification import compare, evaluate
from .quantification import quantify
from .read import read, read_shares
from .sample import CORE_MEASURES, Settings

__all__ = [
    "CORE_MEASURES",
    "Settings",
    "compare",
    "evaluate",
    "quantify",
    "read",
    "read_shares",
]
