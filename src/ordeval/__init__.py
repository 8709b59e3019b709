"""Evaluate ordinal predictions.

Scores, intervals, significance tests and reports for labels on an ordered scale, or for
distributions over one.

Only what needs nothing but NumPy is imported at once; the rest is imported on first use. The types
of all names are in ``__init__.pyi``.
"""

from importlib import import_module
from typing import Any

from . import measures as _kernels  # noqa: F401  # before the function `measures` takes its name
from ._version import __version__
from .data.counts import Counts, JointCounts
from .data.data import Data
from .data.scale import Scale
from .errors import InputError, OrdevalError, UndefinedWarning
from .measures.registry import register_measure
from .measures.scoring import score, scorer
from .measures.spec import Measure, measures
from .measures.spec import parse_measure as measure

_LAZY_NAMES = {
    "Agreement": "results",
    "Judgement": "results",
    "Result": "results",
    "advise": "evaluation.advise",
    "agreement": "evaluation.agreement",
    "compare": "evaluation",
    "evaluate": "evaluation",
    "judge": "evaluation.judge",
    "load": "results",
    "per_class": "measures.classes",
    "quantify": "evaluation",
    "read": "evaluation",
    "read_shares": "evaluation",
}
_LAZY_MODULES = ("io", "meta", "plot", "stats")

__all__ = [
    "Agreement",
    "Counts",
    "Data",
    "InputError",
    "JointCounts",
    "Judgement",
    "Measure",
    "OrdevalError",
    "Result",
    "Scale",
    "UndefinedWarning",
    "__version__",
    "advise",
    "agreement",
    "compare",
    "evaluate",
    "judge",
    "load",
    "measure",
    "measures",
    "per_class",
    "quantify",
    "read",
    "read_shares",
    "register_measure",
    "score",
    "scorer",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY_NAMES:
        value = getattr(import_module(f".{_LAZY_NAMES[name]}", __name__), name)
    elif name in _LAZY_MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value  # later lookups do not come here again
    return value


def __dir__() -> list[str]:
    return [*__all__, *_LAZY_MODULES]
