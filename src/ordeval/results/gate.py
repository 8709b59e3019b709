"""Conditions that a result must meet before a release, such as "qwk=0.7, mae=0.5"."""

import re
from collections.abc import Iterator
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from ..errors import InputError, abbreviate, check_choice
from ..measures.spec import Measure, parse_measure
from ..types import Gate
from .estimate import Estimate

if TYPE_CHECKING:
    from .report import Report

Conditions = tuple[tuple[Measure, float], ...]
_COMMA = re.compile(r",(?![^(]*\))")  # outside parentheses
SAME_SCORE = 1e-12  # scores closer than this differ by rounding only


def parse_conditions(text: str) -> Conditions:
    """Return measures with the least good score that passes.

    >>> [(m.key, score) for m, score in parse_conditions("kappa(weights='quadratic')=0.7, mae=1")]
    [('qwk', 0.7), ('mae', 1.0)]
    """
    if not isinstance(text, str):
        raise InputError(
            f"under is {abbreviate(text)}; a text is expected.",
            parameter="under",
            hint='An example is "qwk=0.7, mae=0.5".',
        )
    return tuple(map(_condition, _COMMA.split(text)))


def _condition(text: str) -> tuple[Measure, float]:
    name, _, score = text.rpartition("=")
    try:
        limit = float(score)
    except ValueError:
        limit = float("nan")
    if not name.strip() or not isfinite(limit):
        raise InputError(
            f"{abbreviate(text)} is not a condition; a measure and a score are expected.",
            parameter="under",
            hint='Examples are "qwk=0.7, mae=0.5" and, of raters, "krippendorff_ordinal=0.667".',
        )
    return parse_measure(name.strip()), limit


def shortfalls(report: "Report[Any, Any]", conditions: Conditions, gate: Gate) -> Iterator[str]:
    """Yield why conditions are not met, by every row of the report."""
    check_choice("gate", gate, ("interval", "point"))
    for measure, limit in conditions:
        figures = report[measure]
        if not len(figures):
            raise InputError(f"There is no single {measure}, but one per pair.", parameter="under")
        for name, row in zip(figures.names, figures.rows, strict=True):
            who = f"{figures.measure.label} of {name}" if len(figures) > 1 else measure.label
            if reason := _shortfall(row, measure.sign, limit, figures.level, gate):
                yield f"{who} {reason}"


def _shortfall(row: Estimate, sign: int, limit: float, level: float, gate: Gate) -> str:
    """Return in what a score falls short of a limit; empty if it does not."""
    if isnan(row.value):
        return "is undefined"
    end, of_end = row.value, "is"
    if gate == "interval":
        require_intervals(level)
        end = row.low if sign > 0 else row.high
        side = "lower" if sign > 0 else "upper"
        of_end = f"is {row.value:.3f}, and the {side} end of its {100 * level:g} % interval is"
    if isnan(end):
        return f"is {row.value:.3f} without an interval"
    if sign * (end - limit) >= -SAME_SCORE:
        return ""
    return f"{of_end} {_apart(end, limit)}, {'below' if sign > 0 else 'above'} {limit:g}"


def _apart(value: float, limit: float) -> str:
    """Return a number with three decimals, or as many as show that it is not the limit."""
    texts = (f"{value:.{digits}f}" for digits in range(3, 18))
    return next((text for text in texts if float(text) != limit), repr(value))


def require_intervals(level: float) -> None:
    """Raise an error if there are no intervals, which have no level."""
    if isnan(level):
        raise InputError(
            "The gate goes by intervals, which are missing, or of another level in the baseline.",
            parameter="gate",
            hint="Use the same level, without {draws}, or pass {gate}.",
            suggest={"draws": ..., "gate": "point"},
        )
