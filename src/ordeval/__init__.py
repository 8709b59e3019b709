"""ordeval: evaluate ordinal predictions.

Labels on an ordered scale, or distributions over one: every measure from one table of counts,
with intervals, significance tests and a report.
"""

from .counts import Counts, JointCounts
from .errors import InputError, UndefinedWarning
from .registry import Measure, measures
from .registry import parse as measure
from .scale import Scale
from .scoring import per_class, score, scorer

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "InputError",
    "JointCounts",
    "Measure",
    "Scale",
    "UndefinedWarning",
    "__version__",
    "measure",
    "measures",
    "per_class",
    "score",
    "scorer",
]
