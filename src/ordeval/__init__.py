"""Evaluate ordinal predictions.

Scores, intervals, significance tests and reports for labels on an ordered scale, or for
distributions over one.

Names are imported on first use, so that importing the package takes no time. Their types are in
``__init__.pyi``.
"""

from importlib import import_module
from typing import Any

from . import measures
from ._version import __version__

del measures  # the package of measures; the function of the same name is imported on first use

_NAMES = {
    "data.counts": ("Counts", "JointCounts"),
    "data.data": ("Data",),
    "data.scale": ("Scale",),
    "data.shares": ("Shares",),
    "errors": ("InputError", "OrdevalError", "UndefinedWarning"),
    "evaluation": ("compare", "evaluate", "quantify", "read", "read_shares"),
    "estimators": ("CutpointClassifier", "DecisionClassifier"),
    "evaluation.accumulator": ("Accumulator",),
    "evaluation.advise": ("advise",),
    "evaluation.agreement": ("agreement",),
    "evaluation.cutpoints": ("cutpoints",),
    "evaluation.decide": ("decide",),
    "evaluation.judge": ("judge",),
    "evaluation.plan": ("plan",),
    "measures.loss": ("Loss", "loss"),
    "measures.registry": ("register_measure",),
    "measures.score": ("per_class", "score", "scorer"),
    "measures.spec": ("Measure", "measure", "measures"),
    "results": ("Agreement", "Cutpoints", "Judgement", "Result", "StudyPlan", "load"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}
_SUBPACKAGES = ("meta", "plot", "stats")

__all__ = ["__version__", *sorted(_MODULES)]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_MODULES[name]}", __name__)
    value = getattr(module, "parse_measure" if name == "measure" else name)
    globals()[name] = value  # later look-ups do not come here again
    return value


def __dir__() -> list[str]:
    return [*__all__, *_SUBPACKAGES]
