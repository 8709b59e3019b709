"""Classes of real numbers: by the nearest class, the class below, or edges.

`Bins` holds cut points on the axis of the numbers. Labels in memory, SQL and expressions of data
frames compare numbers with the same cut points, so that every source puts a number in the same
class.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, inf, isfinite
from numbers import Real
from typing import Any

import numpy as np

from .columns import Column, is_number
from .errors import InputError, abbreviate, first_few, plural, quoted
from .notes import Notes, warning
from .scale import USUAL_STEPS, Scale
from .types import Array, Floats

_FEW_CUTS = 16  # up to this number, comparisons are faster than a search
_MOST_INFERRED = 1000
_CHUNK = 1 << 16
BELOW, NO_NUMBER = -1, -2  # codes of numbers below the lowest class, and of other values
NOTHING_BINNED = "so that nothing was binned."


@dataclass(frozen=True)
class Bins:
    """How real numbers become classes.

    Parameters
    ----------
    rule : str
        "round", "floor", or the edges with commas between them.
    cuts : tuple of float
        The K − 1 lowest numbers of all classes but the first.
    low, high : float
        The least and the largest number that belongs to a class.
    closed : bool
        Whether `high` itself belongs to the highest class.
    numbers : tuple of float
        The number of every class; empty where the classes have none on the axis of the data,
        so that a number of a class does not belong to this class.
    raw : bool
        Whether measures of numbers can use the numbers themselves: the class values do not say
        otherwise.
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
        """Return the cut points on a scale.

        Parameters
        ----------
        given : {"round", "floor"} or sequence of float
            The rule, or the K − 1 edges between classes, or these and both outer limits.
        scale : Scale
            The ordered classes.

        Returns
        -------
        Bins
            The checked cut points.
        """
        numbers = _class_numbers(scale)
        raw = scale.values is None or not numbers or scale.values == numbers
        if isinstance(given, str):
            return replace(_by_rule(check_rule(given), numbers, scale), raw=raw)
        found = _by_edges(_edges(given), scale.k)
        inside = [code == i for i, code in enumerate(found.codes(np.asarray(numbers, dtype=float)))]
        return replace(found, numbers=numbers if all(inside) else (), raw=raw)

    @property
    def centre(self) -> float:
        """The middle of the cut points, which is subtracted before numbers are squared."""
        return (self.cuts[0] + self.cuts[-1]) / 2

    @property
    def limits(self) -> Floats:
        """The least and the largest number, as the ends of a scale."""
        return np.array([self.low, self.high])

    def codes(self, numbers: Floats) -> Array:
        """Return the class of every number, chunk by chunk.

        Parameters
        ----------
        numbers : ndarray
            The numbers, none of them NaN.

        Returns
        -------
        ndarray of int
            Positions on the scale; -1 and K are below and above it.
        """
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
            out[part < self.low] = BELOW
            out[part > self.high if self.closed else part >= self.high] = len(cuts) + 1
        return codes

    def between(self, numbers: Floats, codes: Array, times: Array | None = None) -> int:
        """Return how many numbers are not the number of their class.

        Parameters
        ----------
        numbers : ndarray
            The numbers.
        codes : ndarray of int
            Their classes.
        times : ndarray of int, optional
            The number of items that each stands for.

        Returns
        -------
        int
            Their number; all of them where the classes have no numbers.
        """
        known, total = np.asarray(self.numbers), 0
        for start in range(0, len(numbers), _CHUNK):
            part = slice(start, start + _CHUNK)
            other: Array = np.ones(len(codes[part]), dtype=np.bool_)
            if self.numbers:
                other = known[codes[part]] != numbers[part]
            total += int(np.count_nonzero(other) if times is None else times[part][other].sum())
        return total

    @property
    def in_words(self) -> str:
        """The rule as a clause."""
        if self.rule == "round":
            return "rounded to the nearest class, halves upwards"
        if self.rule == "floor":
            return "rounded down to a class"
        return f"cut at {quoted_numbers(self.cuts)}, each edge in the upper class"

    def leave_labels(self, scale: Scale) -> bool:
        """Return whether columns of declared labels must be left as they are.

        Where every class number falls into its own class, cutting it changes nothing.

        Parameters
        ----------
        scale : Scale
            The ordered classes.

        Returns
        -------
        bool
            False if cutting labels changes nothing.
        """
        return not self.numbers or not all(map(is_number, scale.labels))

    def notices(
        self,
        between: Sequence[tuple[str, int]],
        items: int | None,
        *,
        raw: bool,
        classes: Sequence[str] = (),
    ) -> Notes:
        """Return what a result says about numbers that became classes.

        Parameters
        ----------
        between : sequence of (str, int)
            For every column its name, and how many of its numbers are not the number of a class.
        items : int, optional
            The number of numbers in each column, if it is the same.
        raw : bool
            Whether measures of numbers use the numbers themselves.
        classes : sequence of str, optional
            The columns that hold classes already.

        Returns
        -------
        tuple of Note
            One to three.
        """
        found = [(name, n) for name, n in between if n]
        if not found:
            what = "values are declared labels" if classes else "numbers are class numbers"
            return (warning("not binned", f"bins={self.rule}: all {what}, {NOTHING_BINNED}"),)
        listed = ", ".join(f"{name} {n:,}" for name, n in found[:5])
        more = f" and {len(found) - 5} more columns" if len(found) > 5 else ""
        what = "Numbers that are not class numbers" if self.numbers else "Numbers"
        of = "" if items is None else f"of {items:,} each: "
        notices = [warning("bins", f"{what} were {self.in_words} ({of}{listed}{more}).")]
        if classes:
            notices.append(
                warning(
                    "bins",
                    f"Taken as classes and not binned, because all values are declared labels: "
                    f"{quoted(classes, 5)}.",
                )
            )
        if not raw:
            notices.append(warning("bins", f"All measures use the classes{self._why(classes)}."))
        return tuple(notices)

    def _why(self, classes: Sequence[str]) -> str:
        """Return why measures of numbers use the classes."""
        if not self.raw:
            return ", because the class values are others than the labels"
        if classes:
            return ", because some columns hold classes and others hold numbers"
        return ""


def quoted_numbers(numbers: Sequence[float]) -> str:
    """List some numbers."""
    return first_few([f"{number:g}" for number in numbers], 5)


def check_rule(given: str) -> str:
    """Return the name of a rule, or raise."""
    if given not in ("round", "floor"):
        raise _bins_error(f"bins is {given!r}")
    return given


def needs_labels(given: Any) -> bool:
    """Return whether the classes must be declared: whole numbers can be inferred, edges cannot."""
    return not isinstance(given, str)


def inferred_scale(
    given: str, low: float, high: float, classes: Callable[[float], Sequence[Column]]
) -> Scale:
    """Return the scale of the whole numbers that a rule makes of numbers between two others.

    Parameters
    ----------
    given : {"round", "floor"}
        The rule.
    low, high : float
        The least and the largest number of the data.
    classes : callable
        Given a shift, returns for every column the whole numbers at or below the shifted numbers.
        Called for long scales, on which stray numbers such as 99 are looked for.

    Returns
    -------
    Scale
        The scale, marked as inferred.
    """
    shift = 0.5 if check_rule(given) == "round" else 0.0
    if not isfinite(low) or not isfinite(high) or high - low >= _MOST_INFERRED:
        raise InputError(
            f"The numbers span {low:g}..{high:g}, which is too wide for classes.",
            parameter="labels",
            hint="Check that these are ratings, or declare the scale with {labels}.",
            suggest={"labels": ...},
        )
    first, last = floor(low + shift), floor(high + shift)
    if last - first >= USUAL_STEPS:
        return Scale.resolve(classes(shift))
    # A single class is no scale: the next one above is added.
    return Scale(tuple(range(first, max(last, first + 1) + 1)), inferred=True)


def undeclared_edges() -> InputError:
    """Return the error for edges between classes that are not declared."""
    return InputError(
        "bins are edges, and the classes between them are not declared.",
        parameter="labels",
        hint="Declare the classes, lowest first, with {labels}.",
        suggest={"labels": ...},
    )


def outside_error(name: str, bins: Bins, scale: Scale, count: int, first: Any) -> InputError:
    """Return the error for numbers that belong to no class.

    Parameters
    ----------
    name : str
        The column, and perhaps its file.
    bins : Bins
        The cut points.
    scale : Scale
        The ordered classes.
    count : int
        How many numbers are outside.
    first : object
        One of them, and perhaps where it is.

    Returns
    -------
    InputError
        The error.
    """
    until = "to" if bins.closed else "to below"
    return InputError(
        f"{name} has {plural(count, 'number')} outside {bins.low:g} {until} {bins.high:g}, what "
        f"bins={bins.rule} puts in the classes {scale.describe()}; for example {first}.",
        parameter="bins",
        hint="Declare more classes with {labels}, clip the numbers first, or give edges with outer "
        "limits that include them.",
        suggest={"labels": ...},
    )


def no_number_error(name: str, count: int, first: Any) -> InputError:
    """Return the error for values that are not numbers and cannot be binned."""
    if reads_as_number(first):
        return InputError(
            f"{name} holds texts, not numbers ({plural(count, 'value')}, for example "
            f"{abbreviate(first)}), and texts cannot be binned.",
            parameter="bins",
            hint="Convert them to numbers first, e.g. with pandas.to_numeric; only in files they "
            "are converted unasked.",
        )
    they, numbers = ("it is", "a finite number") if count == 1 else ("they are", "finite numbers")
    return InputError(
        f"{name} has {plural(count, 'value')} that cannot be binned, because {they} not {numbers}; "
        f"for example {abbreviate(first)}.",
        parameter="bins",
        hint="Correct such values, or leave {bins} out. A column of classes is not binned if all "
        "its values are declared with {labels}.",
        suggest={"bins": ..., "labels": ...},
    )


def reads_as_number(value: Any) -> bool:
    """Return whether a value is a text that reads as a finite number."""
    if not isinstance(value, str):
        return False
    try:
        return isfinite(float(value))
    except ValueError:
        return False


def _class_numbers(scale: Scale) -> tuple[float, ...]:
    """Return the numbers of the classes: the labels, or else declared values; increasing ones."""
    numeric = all(
        isinstance(x, (Real, np.number)) and not isinstance(x, bool) for x in scale.labels
    )
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


def _edges(given: Any) -> tuple[float, ...]:
    try:
        edges = tuple(float(edge) for edge in given)
    except (TypeError, ValueError, OverflowError):
        raise _bins_error(f"bins is {abbreviate(given)}") from None
    if not all(a < b for a, b in pairwise(edges)) or any(edge != edge for edge in edges):
        raise _bins_error(f"The edges {abbreviate(list(edges))} do not increase")
    return edges


def _by_edges(edges: tuple[float, ...], k: int) -> Bins:
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
