"""Records of measures: every fact about a measure, beside the function that computes it.

`@measure(...)` registers the decorated function with its record; the command line, the
documentation, the report and the tests are made from these records.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import import_module
from typing import Any

import numpy as np

from .errors import InputError, did_you_mean

_ROOMS = ("nominal", "error", "correlation", "agreement", "closeness", "path", "quantification")
_LARGEST_NUMBER = 1e15  # every whole number up to here is a float

Bounds = Callable[[int, Mapping[str, Any]], tuple[float, float]]
Check = Callable[[Any], bool]
Facts = dict[str, Any]  # facts that several records share


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure: its default, what is allowed, and whether it is always printed.

    `fits` tells whether a value can be used on a scale of K classes.
    """

    name: str
    default: Any
    allowed: str
    check: Check
    shown: bool = False
    fits: Callable[[Any, int], bool] = lambda value, k: True


@dataclass(frozen=True)
class Condition:
    """When a measure is undefined: in words, and as a test that gives booleans `[...]`.

    The test takes tables `[..., K, K]` and the class values `[K]`; for quantification, the
    estimated and the gold distributions `[..., K]`.
    """

    reason: str
    holds: Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Record:
    """Every fact about a measure. A fact that no test checks does not stay here.

    `claims` are properties that hold for every table with the parameters of each variant:
    "symmetric" (exchanging gold and prediction changes nothing), "reversible" (nor does turning
    the scale round), "relabelable" (nor does any permutation of the classes), "proportional" (only
    shares matter), "padded" (an unused class at an end changes nothing), "perfect" (a perfect
    prediction, where it has a score, has the best one). `largest_k` limits the number of classes.
    """

    id: str
    function: Callable[..., Any]
    title: str
    family: str
    better: str
    bounds: Bounds
    scale: str
    formula: str
    description: str
    citation: str
    symbol: str = ""
    parameters: tuple[Parameter, ...] = ()
    aliases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    variants: tuple[Mapping[str, Any], ...] = ({},)
    claims: frozenset[str] = frozenset()
    undefined: Callable[[Mapping[str, Any]], tuple[Condition, ...]] = lambda _: ()
    task: str = "classification"
    batched: bool = True
    differentiable: bool = True
    largest_k: int | None = None

    @cached_property
    def uses_values(self) -> bool:
        """Whether the class values matter, or the order alone."""
        return "values" in inspect.signature(self.function).parameters

    def parameter(self, name: str) -> Parameter:
        """The parameter of that name; an error with a hint otherwise."""
        found = next((p for p in self.parameters if p.name == name), None)
        if found is None:
            names = [p.name for p in self.parameters]
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise InputError(
                f"{self.id} has no parameter {name!r}; {takes}.{did_you_mean(name, names)}"
            )
        return found


_RECORDS: dict[str, Record] = {}
ALIASES: dict[str, tuple[str, Mapping[str, Any]]] = {}


def measure(
    id: str,
    *,
    parameters: Iterable[Parameter] = (),
    aliases: Iterable[str] | Mapping[str, Mapping[str, Any]] = (),
    claims: Iterable[str] = (),
    **facts: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Record the decorated function as the measure `id`, with its facts."""
    other_names = dict(aliases) if isinstance(aliases, Mapping) else {a: {} for a in aliases}

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        record = _RECORDS[id] = Record(
            id,
            function,
            parameters=tuple(parameters),
            aliases=other_names,
            claims=frozenset(claims),
            **facts,
        )
        ALIASES.update({name: (id, given) for name, given in other_names.items()})
        function.__doc__ = f"{record.title}. {record.description}\n\n{record.citation}."
        return function

    return register


@cache
def records() -> dict[str, Record]:
    """All records by id; loads the rooms on first use."""
    for room in _ROOMS:
        import_module(f"ordeval.measures.{room}")
    return dict(_RECORDS)


def number(low: float = -np.inf, high: float = np.inf, *, open_low: bool = False) -> Check:
    """A check for a finite number within bounds."""

    def check(value: Any) -> bool:
        real = isinstance(value, (int, float)) and not isinstance(value, bool)
        finite = real and abs(value) <= _LARGEST_NUMBER
        return finite and low <= value <= high and not (open_low and value == low)

    return check


def whole(low: int) -> Check:
    """A check for a whole number of at least `low`."""
    return lambda value: type(value) is int and low <= value <= _LARGEST_NUMBER


def one_of(*choices: Any) -> Check:
    """A check for one of some values."""
    return lambda value: isinstance(value, (str, bool)) and value in choices
