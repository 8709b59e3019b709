"""Predicted probabilities of classes: rows that are checked, and the classes decided from them."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from ..errors import InputError, plural, quoted
from ..types import Array, Bools, Floats
from .classes import row_name
from .column import CHUNK, Column, code_type
from .containers import aligned, as_array, columns_of_frame
from .distributions import Distributions
from .scale import Scale

_EXACT, _TOLERANCE = 1e-6, 0.01  # by which the sum of a row may be off, the second with a note
_LARGEST_LOG = 1e-9
_ROUNDED = 0.05
_BOTH = "Of two classes pass both: np.column_stack([1 - p, p])."


def probability_rows(
    given: Any,
    scale: Scale | None = None,
    name: str = "proba",
    name_row: Callable[[int], str] = row_name,
) -> Distributions:
    """Return probabilities `[item, class]` as floats, or raise an error that says what is wrong.

    Rows of NaN alone are missing predictions and stay. Rows whose sum is off by at most 1 %, such
    as rounded ones, are renormalised.
    """
    columns = columns_of_frame(given, name)
    if columns is not None:
        _check_order(list(map(str, columns)), None if scale is None else scale.labels, name)
        given = given.to_numpy() if hasattr(given, "to_numpy") else _stacked(columns)
    rows = as_array(given, name)
    if rows.dtype.kind == "O" and rows.ndim == 2:
        with suppress(TypeError, ValueError):
            rows = rows.astype(np.float64)
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise _no_matrix(rows, name)
    if scale is not None and rows.shape[1] != scale.k:
        raise InputError(
            f"{name} has {plural(rows.shape[1], 'column')}, and the scale has {scale.k} classes: "
            f"{quoted(map(str, scale.labels), 10)}.",
            parameter="proba",
            hint=_BOTH
            if rows.shape[1] == 1
            else "Pass a column per class, from the lowest to the highest, and declare all "
            "classes with {labels}.",
            column=name,
        )
    starts = range(0, len(rows), CHUNK)
    off = [_rows_off(rows[i : i + CHUNK], i, rows, name, name_row) for i in starts]
    rows = rows.astype(np.float64, copy=False)
    if not (number := sum(part[0] for part in off)):
        return Distributions(rows)
    sums = rows @ np.ones(rows.shape[1])
    rows = rows / np.where(np.abs(sums - 1) > _EXACT, sums, 1.0)[:, None]
    return Distributions(rows, number, deviation=max(part[1] for part in off))


def _stacked(columns: Mapping[Any, Any]) -> Array:
    return np.stack([np.asarray(column) for column in columns.values()], axis=1)


def _no_matrix(rows: Array, name: str) -> InputError:
    """Return the error about something that is not a row of numbers per item."""
    number = rows.dtype.kind in "fiub"
    whole = not number or bool(np.all(rows == np.round(rows)))
    hint = "" if rows.ndim != 1 else "Pass predicted labels as {y_pred}." if whole else _BOTH
    kind = "" if number else " and holds text" if rows.dtype.kind == "U" else " and no numbers"
    return InputError(
        f"{name} has the shape {rows.shape}{kind}; probabilities of shape (items, classes) are "
        "expected.",
        parameter="proba",
        hint=hint,
    )


def _rows_off(
    part: Array, start: int, rows: Array, name: str, name_row: Callable[[int], str]
) -> tuple[int, float]:
    """Return how many sums are slightly off, and by how much; refuse what is no distribution."""
    sums = part @ np.ones(part.shape[1])
    deviations = np.abs(sums - 1)
    largest, least = float(deviations.max(initial=0)), part.min(initial=0)
    if largest <= _EXACT and least >= 0:
        return 0, 0.0
    wrong = ~((deviations <= _TOLERANCE) & (part.min(axis=1) >= 0))
    wrong &= ~np.isnan(part).all(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        shown = ", ".join(f"{x:.4g}" for x in part[row, :5].tolist())
        more = ", …" * (part.shape[1] > 5)
        raise InputError(
            f"{name}: {name_row(start + row)} has [{shown}{more}], with the sum {sums[row]:.8g}; "
            "probabilities are at least 0 and sum to 1.",
            parameter="proba",
            hint=_remedy(rows[:CHUNK], part[row]),
            column=name,
        )
    off = deviations[deviations > _EXACT]  # without rows of NaN
    return off.size, float(off.max(initial=0))


def _remedy(rows: Array, wrong: Array) -> str:
    """Return what to do about rows that are no distributions, of which `wrong` is the first."""
    if np.isnan(wrong).any():
        return "An item without a prediction has no number in any column."
    some = rows[~np.isnan(rows).any(axis=1)].astype(np.float64)
    sums, least, most = some.sum(axis=1), some.min(), some.max()
    if most <= _LARGEST_LOG and np.allclose(np.exp(some).sum(axis=1), 1, 0, 1e-4):
        return "These are log-probabilities: pass np.exp(P)."
    if least >= 0 and np.allclose(sums, 100, 0, 1):
        return "These are percentages: pass P / 100, with rows that sum to 1."
    if least >= 0 and np.allclose(some[:, -1], 1) and (np.diff(some, axis=1) >= 0).all():
        return "These are cumulative probabilities: pass np.diff(P, axis=1, prepend=0)."
    if np.allclose(sums, 1, 0, _ROUNDED) and least > -_ROUNDED:
        return "If they are rounded, set negative ones to 0 and divide each row by its sum."
    if least < 0 or most > 1 + _EXACT:
        return "If these are logits, pass scipy.special.softmax(P, axis=1)."
    return "Give the probabilities of all classes of an item in one row."


def _check_order(names: Sequence[str], known: Sequence[Any] | None, name: str) -> None:
    """Raise an error for columns that are named after the labels, in another order."""
    if known is None:
        return
    labels = list(map(str, known))
    longest = sorted(labels, key=len, reverse=True)
    found = [next((label for label in longest if column.endswith(label)), "") for column in names]
    if found != labels and sorted(found) == sorted(labels):
        raise InputError(
            f"The columns of {name} are {quoted(names, 10)}, in another order than the labels "
            f"{quoted(labels, 10)}.",
            parameter="proba",
            hint="Put the columns in the order of the labels.",
        )


def decided(rows: Floats, scale: Scale, name: str) -> Column:
    """Return the most probable class of every item, of equal ones the lowest; gaps stay."""
    codes = np.empty(len(rows), code_type(scale.k))
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        codes[start : start + CHUNK] = part.argmax(axis=1)
        gap: Bools = np.isnan(part[:, 0])
        if gap.any():
            codes[start : start + CHUNK][gap] = scale.k
    return Column(codes, name, tuple(scale.labels))


def systems_of(proba: Any, y_true: Any) -> dict[str, Any]:
    """Return the probabilities of each system, rows of pandas in the order of gold."""
    named = isinstance(proba, Mapping)
    systems = {str(name): p for name, p in proba.items()} if named else {"y_pred": proba}
    if not systems:
        raise InputError("proba is empty; a system is expected.", parameter="proba")
    return {name: aligned(p, y_true, name, parameter="proba") for name, p in systems.items()}


def columns_by_system(
    proba: Any, columns: Sequence[str], labels: Sequence[Any] | None
) -> tuple[dict[str, list[str]], list[Any]]:
    """Return the columns of each system's probabilities, and the labels that they belong to.

    `proba` is a pattern such as "p_{label}" or "{system}_{label}", a list of columns in the order
    of the labels, or a mapping from system to either.
    """
    if isinstance(proba, Mapping):
        parts = {str(name): _of_one(p, columns, labels) for name, p in proba.items()}
        return {name: part[0] for name, part in parts.items()}, next(iter(parts.values()))[1]
    if isinstance(proba, str) and "{system}" in proba:
        return _of_pattern(proba, columns, labels)
    named, found = _of_one(proba, columns, labels)
    return {"proba": named}, found


def _of_one(
    proba: Any, columns: Sequence[str], labels: Sequence[Any] | None
) -> tuple[list[str], list[Any]]:
    if not isinstance(proba, str):
        if not isinstance(proba, Sequence) or not all(isinstance(c, (str, int)) for c in proba):
            raise InputError(
                f"proba is a {type(proba).__name__} that names no columns of the data.",
                parameter="proba",
            )
        named = list(map(str, proba))
        _check_order(named, labels, "proba")
        return named, list(labels or ())
    if "{label}" not in proba:
        raise InputError(
            f"proba is {proba!r}; a pattern with {{label}} for the label of each class, such as "
            "p_{label}, or the columns from the lowest class to the highest are expected.",
            parameter="proba",
        )
    by_system, found = _of_pattern(proba, columns, labels)
    return next(iter(by_system.values())), found


def _of_pattern(
    pattern: str, columns: Sequence[str], labels: Sequence[Any] | None
) -> tuple[dict[str, list[str]], list[Any]]:
    """Match the names of columns with a pattern, of which nothing else is special."""
    parts = re.split(r"(\{label\}|\{system\})", pattern)
    groups = {"{label}": "(?P<label>.+)", "{system}": "(?P<system>.+)"}
    if labels is not None:
        known = sorted(map(str, labels), key=len, reverse=True)
        groups["{label}"] = f"(?P<label>{'|'.join(map(re.escape, known))})"
    elif "{system}" in pattern:
        groups["{label}"] = "(?P<label>-?[0-9]+)"
    exact = re.compile("".join(groups.get(part, re.escape(part)) for part in parts), re.DOTALL)
    found: dict[str, dict[str, str]] = {}
    for match in filter(None, map(exact.fullmatch, columns)):
        system = match.groupdict().get("system", "proba")
        found.setdefault(system, {})[match["label"]] = match[0]
    wanted = _labels_of(found, labels, pattern, columns)
    return {s: [named[str(label)] for label in wanted] for s, named in found.items()}, wanted


def _labels_of(
    found: Mapping[str, Mapping[str, str]],
    labels: Sequence[Any] | None,
    pattern: str,
    columns: Sequence[str],
) -> list[Any]:
    """Return the labels that all systems have columns of, or raise an error."""
    names = [] if not found else list(next(iter(found.values())))
    if labels is None and names and not all(re.fullmatch(r"-?[0-9]+", name) for name in names):
        raise InputError(
            f"The columns of {pattern} are of the classes {quoted(names, 10)}, whose order is not "
            "known.",
            parameter="labels",
            hint="Declare the classes from lowest to highest with {labels}.",
            suggest={"labels": ...},
        )
    wanted = sorted(map(int, names)) if labels is None else list(labels)
    for system, named in found.items():
        if lacking := [str(label) for label in wanted if str(label) not in named]:
            of = f" of {system}" * ("{system}" in pattern)
            raise InputError(
                f"No column{of} matches {pattern} for the classes {quoted(lacking, 10)}.",
                parameter="proba",
            )
    if not found:
        raise InputError(
            f"No column matches {pattern}; the columns are {quoted(columns, 20)}.",
            parameter="proba",
        )
    return wanted
