"""How real numbers become classes: cut points on their axis, the same for every door."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, inf, isfinite
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, first_few, plural
from ..types import Array, Floats
from .column import Column, is_number
from .scale import Scale, infer_scale

_FEW_CUTS = 16  # up to this number, comparisons are faster than a search
_MOST_INFERRED = 1000
_USUAL_STEPS = 10
_CHUNK = 1 << 16
_CUT = "cut "  # begins the text of cut-points


@dataclass(frozen=True)
class Bins:
    """How real numbers become classes: the K − 1 lowest numbers of all classes but the first.

    `rule` is "round", "floor", the edges with commas between them, or "cut" and such edges, of
    which some may be equal or infinite, so that no number belongs to a class. Numbers from `low` to
    `high` belong to a class, `high` itself only if the interval is `closed`. `numbers` are those of
    the classes, unless one does not fall into its own class. `raw` tells whether measures of
    numbers can use the numbers themselves: the class values do not say otherwise.
    """

    rule: str
    cuts: tuple[float, ...]
    low: float
    high: float
    closed: bool
    numbers: tuple[float, ...] = ()
    raw: bool = True

    @classmethod
    def of(cls, given: Any, scale: Scale) -> "Bins":
        """Return the cut points of a rule, or of edges, on a scale."""
        given = edges_as_given(given)
        if isinstance(given, str) and given.startswith(_CUT):
            return Bins(given, _cut_points(given, scale.k), -inf, inf, True, raw=False)
        numbers = _class_numbers(scale)
        raw = scale.values is None or not numbers or scale.values == numbers
        if isinstance(given, str):
            return replace(_by_rule(_rule(given), numbers, scale), raw=raw)
        bins = _by_edges(given, scale.k)
        inside = bins.codes(np.asarray(numbers, dtype=float)).tolist() == list(range(len(numbers)))
        return replace(bins, numbers=numbers if inside else (), raw=raw)

    @property
    def centre(self) -> float:
        """The middle of the cut points, which is subtracted before numbers are squared."""
        return (self.cuts[0] + self.cuts[-1]) / 2

    @property
    def middles(self) -> Floats:
        """A number of every class: its own, or else the middle between its limits."""
        if self.numbers:
            return np.asarray(self.numbers)
        inner = np.diff(self.cuts) if len(self.cuts) > 1 else np.ones(1)
        low = self.low if isfinite(self.low) else self.cuts[0] - inner[0]
        high = self.high if isfinite(self.high) else self.cuts[-1] + inner[-1]
        edges = np.array([low, *self.cuts, high])
        return np.asarray((edges[1:] + edges[:-1]) / 2)

    @property
    def limits(self) -> Floats:
        """The least and the largest number, as the ends of a scale."""
        return np.array([self.low, self.high])

    def codes(self, numbers: Floats) -> Array:
        """Return the class of every number, none of which is NaN; -1 and K are off the scale."""
        codes: Array = np.empty(len(numbers), dtype=np.int8 if len(self.cuts) < 100 else np.int16)
        cuts = np.asarray(self.cuts)
        for start in range(0, len(numbers), _CHUNK):
            part, out = numbers[start : start + _CHUNK], codes[start : start + _CHUNK]
            if len(cuts) <= _FEW_CUTS:
                out[:] = 0
                for cut in cuts:
                    np.add(out, part >= cut, out=out)
            else:
                out[:] = np.searchsorted(cuts, part, side="right")
            out[part < self.low] = -1
            out[part > self.high if self.closed else part >= self.high] = len(cuts) + 1
        return codes

    def are_numbers(self, numbers: Floats | None, codes: Array) -> Array:
        """Return which numbers are the numbers of their classes; K is the class of none."""
        known = np.full(len(self.cuts) + 2, np.nan)
        known[: len(self.numbers)] = self.numbers
        return np.asarray(known[codes] == numbers)

    @property
    def in_words(self) -> str:
        """The rule as a clause."""
        if self.rule == "round":
            return "rounded to the nearest class, halves upwards"
        if self.rule == "floor":
            return "rounded down to a class"
        shown = first_few([f"{number:g}" for number in self.cuts], 5)
        return f"cut at {shown}, each edge in the upper class"


def edges_as_given(bins: Any) -> Any:
    """Return a rule as it is, cut-points as text, and edges as numbers; None without bins."""
    if bins is None or isinstance(bins, str):
        return bins
    if hasattr(bins, "cuts"):
        return _CUT + ",".join(map(repr, bins.cuts))
    try:
        return [float(edge) for edge in bins]
    except (TypeError, ValueError, OverflowError):
        raise _bins_error(f"bins is {abbreviate(bins)}") from None


def _cut_points(text: str, k: int) -> tuple[float, ...]:
    """Return the cut-points of a text such as "cut -inf,1.5,2.5"."""
    try:
        cuts = tuple(map(float, text.removeprefix(_CUT).split(",")))
    except ValueError:
        cuts = ()
    if len(cuts) != k - 1 or not all(a <= b for a, b in pairwise((-inf, *cuts, inf))):
        raise _bins_error(f"bins is {text!r}, which are not {k - 1} cut-points in order")
    return cuts


def inferred_scale(rule: str, columns: Sequence[tuple[str, Floats]]) -> Scale:
    """Return the scale of the whole numbers that a rule makes of the numbers of columns."""
    shift = 0.5 if _rule(rule) == "round" else 0.0
    low, high = min(x.min() for _, x in columns), max(x.max() for _, x in columns)
    if high - low >= _MOST_INFERRED:
        raise InputError(
            f"The numbers span {low:g}..{high:g}, which is too wide for classes.",
            parameter="labels",
            hint="Check that these are ratings, or declare the scale with {labels}.",
        )
    first, last = floor(low + shift), floor(high + shift)
    if last - first >= _USUAL_STEPS:  # stray numbers such as 99 are looked for
        whole = [(np.floor(x + shift).astype(np.int64), name) for name, x in columns]
        return infer_scale([Column(x, name) for x, name in whole])
    # A single class is no scale: the next one above is added.
    return Scale(tuple(range(first, max(last, first + 1) + 1)), inferred=True)


def _rule(given: str) -> str:
    if given not in ("round", "floor"):
        raise _bins_error(f"bins is {given!r}")
    return given


def _class_numbers(scale: Scale) -> tuple[float, ...]:
    """Return the numbers of the classes: the labels, or else declared values; increasing ones."""
    numeric = all(map(is_number, scale.labels))
    numbers = tuple(map(float, scale.labels)) if numeric else scale.values or ()
    return numbers if all(a < b for a, b in pairwise(numbers)) else ()


def _by_rule(rule: str, numbers: tuple[float, ...], scale: Scale) -> Bins:
    if not numbers:
        raise InputError(
            f"bins={rule!r} needs classes that are increasing numbers; the scale is "
            f"{scale.describe()}.",
            parameter="bins",
            hint="Give the edges between the classes instead: one fewer than there are classes.",
        )
    lowest, highest = numbers[0], numbers[-1]
    step = highest - numbers[-2]
    if rule == "floor":
        return Bins(rule, numbers[1:], lowest, highest + step, False, numbers)
    cuts = tuple((a + b) / 2 for a, b in pairwise(numbers))
    return Bins(rule, cuts, lowest - (cuts[0] - lowest), highest + step / 2, True, numbers)


def _by_edges(given: Any, k: int) -> Bins:
    edges = tuple(given)
    if not all(a < b for a, b in pairwise(edges)) or any(edge != edge for edge in edges):
        raise _bins_error(f"The edges {abbreviate(list(edges))} do not increase")
    rule = ",".join(f"{edge:.15g}" for edge in edges)
    if len(edges) == k + 1:
        return Bins(rule, edges[1:-1], edges[0], edges[-1], True)
    if len(edges) != k - 1 or not all(map(isfinite, edges)):
        raise _bins_error(
            f"There are {plural(len(edges), 'edge')} for {k} classes; {k - 1} edges between them, "
            f"or {k + 1} with both outer limits, are needed"
        )
    return Bins(rule, edges, -inf, inf, True)


def _bins_error(problem: str) -> InputError:
    return InputError(
        f"{problem}; 'round', 'floor' or increasing edges between the classes are expected.",
        parameter="bins",
    )
