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

_MODULES = {
    "Agreement": "results",
    "Counts": "data.counts",
    "Data": "data.data",
    "InputError": "errors",
    "JointCounts": "data.counts",
    "Judgement": "results",
    "Measure": "measures.spec",
    "OrdevalError": "errors",
    "Result": "results",
    "Scale": "data.scale",
    "Shares": "data.shares",
    "UndefinedWarning": "errors",
    "advise": "evaluation.advise",
    "agreement": "evaluation.agreement",
    "compare": "evaluation",
    "evaluate": "evaluation",
    "judge": "evaluation.judge",
    "load": "results",
    "measure": "measures.spec",
    "measures": "measures.spec",
    "per_class": "measures.score",
    "quantify": "evaluation",
    "read": "evaluation",
    "read_shares": "evaluation",
    "register_measure": "measures.registry",
    "score": "measures.score",
    "scorer": "measures.score",
}
_SUBPACKAGES = ("meta", "plot", "stats")

__all__ = ["__version__", *_MODULES]  # noqa: PLE0604


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
