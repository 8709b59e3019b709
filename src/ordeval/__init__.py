"""ordeval: evaluate ordinal predictions.

Labels on an ordered scale, or distributions over one: every measure from one table of counts,
with intervals, significance tests and a report.
"""

from importlib import import_module
from typing import Any

from . import measures as _room
from ._version import __version__
from .counts import Counts, JointCounts
from .errors import InputError, UndefinedWarning
from .scale import Scale
from .scoring import score, scorer
from .spec import Measure, measures
from .spec import parse_measure as measure

del _room  # loaded before the function of the same name, which would give way to it later

_LATER = {  # loaded on first use: `import ordeval` stays as light as NumPy
    "compare": "evaluation",
    "compare_frame": "evaluation.frames",
    "evaluate": "evaluation",
    "evaluate_frame": "evaluation.frames",
    "per_class": "class_figures",
    "quantify": "evaluation",
    "Result": "results",
    "load": "serialise",
}
_ROOMS = ("io", "learners", "meta", "plot", "stats")


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    if name in _ROOMS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, *_ROOMS]


__all__ = [
    "Counts",
    "InputError",
    "JointCounts",
    "Measure",
    "Result",
    "Scale",
    "UndefinedWarning",
    "__version__",
    "compare",
    "compare_frame",
    "evaluate",
    "evaluate_frame",
    "load",
    "measure",
    "measures",
    "per_class",
    "quantify",
    "score",
    "scorer",
]
