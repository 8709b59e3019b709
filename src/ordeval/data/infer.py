"""The scale of labels that nobody declared, and what to do about labels that are on no scale.

Order is never guessed: ordered categoricals and integers have one, and integers that are hardly the
classes of one scale (99 among 1 to 5) are refused with what to declare.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, quoted
from .column import Column, as_number, is_number
from .scale import Scale

_MOST_INFERRED = 1000  # integers spanning more than this are probably not class labels
_USUAL_STEPS = 10  # scales with at most so many steps are not questioned
_FAR = 5  # steps between a stray number and the nearest class
_MOST_STRAY = 4
_RARE = 0.1  # the largest share of labels that may be codes for missing ones
_MOST_SUGGESTED, _LONG = 30, 200  # classes that a message lists, and their characters
_CODES = frozenset(s * d for s in (1, -1) for d in (77, 88, 99, 777, 888, 999)) | {-7, -8, -9}
_NEAR_CODES = (8, 9)
_FRACTIONS = (
    "Round them with {bins}, or declare the classes, lowest first, with {labels}; of probabilities "
    "take the likeliest class (argmax)."
)


def infer_scale(columns: Sequence[Column]) -> Scale:
    """Return the scale of an ordered categorical, or the span of integers."""
    columns = [column.coded() for column in columns]
    if ordered := [column for column in columns if column.ordered]:
        return _of_categoricals(ordered)
    ends = [end for column in columns if (end := _integer_ends(column))]
    if len(ends) < len(columns):
        columns = [column for column in columns if column.distinct()]  # others say nothing
        if len(ends) < len(columns) or not columns:
            raise _undeclared(columns)
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    if high == 1 and all(column.values == (False, True) for column in columns):
        return Scale((False, True), inferred=True)
    if high - low >= _USUAL_STEPS or low < 0 or high in _NEAR_CODES:
        return _of_odd_numbers(columns)
    return _whole_numbers(low, high)


@lru_cache(maxsize=64)
def _whole_numbers(low: int, high: int) -> Scale:
    """Return an inferred scale; the same one for many calls, which keeps what it has computed."""
    return Scale(tuple(range(low, high + 1)), inferred=True)


def _of_categoricals(columns: Sequence[Column]) -> Scale:
    first = columns[0]
    for other in columns[1:]:
        if other.values != first.values:
            raise InputError(
                f"{first.name} and {other.name} are ordered categoricals with different "
                f"categories: {quoted(first.values)} against {quoted(other.values)}.",
                parameter="labels",
                hint="Declare the scale with {labels}.",
            )
    return Scale.of(first.values)


def _integer_ends(column: Column) -> tuple[int, int] | None:
    """Return the least and the largest label of a coded column; None unless all are integers."""
    values = column.values
    if isinstance(values, range) and len(column.data):
        first, last = column.ends
        if last < len(values):
            return values[first], values[last]
    whole = column.distinct()
    if not whole or not all(map(_is_whole, whole)):
        return None
    return int(min(whole)), int(max(whole))


def _is_whole(label: Any) -> bool:
    """Return whether a label is an integer, a truth value, or a float that is whole."""
    fraction = isinstance(label, (float, np.floating))
    return float(label).is_integer() if fraction else isinstance(label, (int, np.integer))


def _of_odd_numbers(columns: Sequence[Column]) -> Scale:
    """Return the scale of integers; raise an error if they are hardly the classes of one scale."""
    seen = [
        Counter({int(x): n for x, n in zip(c.values, c.rows.tolist(), strict=False) if n})
        for c in columns
    ]
    every = sum(seen, Counter[int]())
    used = sorted(every)
    span = used[-1] - used[0] + 1
    most = max(3 * max(len(seen[0]), 3), 2 * _USUAL_STEPS)
    many = [i for i, labels in enumerate(seen) if i and len(labels) > most]
    stray = [] if many else _stray(used, every) or _near(used, seen)
    holders = [i for i, labels in enumerate(seen) if set(stray) & set(labels)]
    if many:
        problem = f"has {len(seen[many[0]]):,} different numbers and {columns[0].name} "
        problem += f"{len(seen[0]):,}, so that they are hardly classes of one scale"
    elif stray:
        rest = sorted(set(used) - set(stray))
        problem = f"holds {' and '.join(map(str, stray))}, apart from the other labels, "
        problem += f"{rest[0]}..{rest[-1]}"
    elif span <= 2 * _USUAL_STEPS or (span <= _MOST_INFERRED and 4 * len(used) >= span):
        return _whole_numbers(used[0], used[-1])
    elif len(used) > 2 and len({high - low for low, high in pairwise(used)}) == 1:
        return Scale(tuple(used), inferred=True)  # such as 0, 25, 50, 75, 100
    else:
        holders = [max(range(len(seen)), key=lambda i: max(seen[i]) - min(seen[i]))]
        problem = f"has integers of which most are absent: {len(used):,} of the {span:,} from "
        problem += f"{used[0]} to {used[-1]} are used"
    hint = "Declare every class, lowest first: {labels}."
    suggest: dict[str, Any] = {"labels": _suggested(used)}
    if stray and _are_rare(stray, every):
        hint = "If that stands for a missing label, pass {na} and {missing}; otherwise declare "
        hint += "every class, lowest first: {labels}."
        suggest |= _as_missing(stray)
    name = columns[[*many, *holders][0]].name
    raise InputError(
        f"{name} {problem}.", parameter="labels", hint=hint, suggest=suggest, column=name
    )


def _near(used: Sequence[int], seen: Sequence[Counter[int]]) -> list[int]:
    """Return codes that are close to the classes: 8 and 9 above a hole, or one negative number.

    A negative number is a code if there is no 0, and -1 also if gold or the systems never have it.
    """
    if used[-1] - used[0] >= _USUAL_STEPS:
        return []
    below, rest = [x for x in used if x < 0], [x for x in used if x >= 0]
    one_sided = len(seen) > 1 and (-1 in seen[0]) != any(-1 in labels for labels in seen[1:])
    if len(below) == 1 and len(rest) > 1 and rest[-1] > 1 and (0 not in rest or one_sided):
        return below
    above, rest = [x for x in used if x in _NEAR_CODES], [x for x in used if x < _NEAR_CODES[0]]
    run = len(rest) > 1 and rest[0] in (0, 1) and rest[-1] - rest[0] == len(rest) - 1
    return above if run and above and above[0] - rest[-1] > 2 else []


def _stray(used: Sequence[int], every: Counter[int]) -> list[int]:
    """Return a few numbers, such as 99, that are farther from the others than these spread.

    Numbers that are frequent, and no usual codes, are classes.
    """
    rest, stray = list(used), list[int]()
    while len(rest) > 2 and used[-1] - used[0] >= _USUAL_STEPS:
        steps = [high - low for low, high in pairwise(rest)]
        i = max(range(len(steps)), key=steps.__getitem__)
        below, above = rest[: i + 1], rest[i + 1 :]  # as many: 88 and 99 are more usual than -8, -9
        odd, others = (below, above) if len(below) < len(above) else (above, below)
        wide = rest[-1] - rest[0] > _USUAL_STEPS or set(odd) <= _CODES
        far = steps[i] >= _FAR and steps[i] > others[-1] - others[0] and len(odd) <= _MOST_STRAY
        if not far or not wide or len(others) < 2:
            break
        rest, stray = others, [*stray, *odd]
    return sorted(stray) if set(stray) <= _CODES or _are_rare(stray, every) else []


def _are_rare(stray: Sequence[int], every: Counter[int]) -> bool:
    """Return whether numbers are as rare as codes for missing labels."""
    return sum(every[x] for x in stray) <= max(2, _RARE * every.total())


def _suggested(labels: Sequence[Any]) -> Any:
    """Return labels that a message suggests; an ellipsis for many of them."""
    short = len(labels) <= _MOST_SUGGESTED and sum(len(str(x)) for x in labels) < _LONG
    return list(labels) if short else ...


def _as_missing(codes: Sequence[Any]) -> dict[str, Any]:
    """Return the settings that take labels for missing ones."""
    return {"na": codes[0] if len(codes) == 1 else list(codes), "missing": "skip"}


def _undeclared(columns: Sequence[Column]) -> InputError:
    """Return the error that the order of labels is not known."""
    if not columns:
        return InputError("Every label is missing, so nothing is left to score.")
    column = next(c for c in columns if _integer_ends(c) is None)
    every = {label for c in columns for label in c.distinct()}
    classes = sorted(every, key=lambda x: (as_number(x) is None, as_number(x) or 0, str(x)))
    words = [label for label in classes if not is_number(label)]
    name, own = column.name, set(column.distinct())
    seen = [label for label in classes if label in own]  # engines give them in any order
    suggest: dict[str, Any] = {"labels": _suggested(classes)}
    hint = "Declare the classes in the right order, lowest first: {labels}."
    problem = f"The order of the labels of {name} is not known: {quoted(seen)}. Alphabetical order "
    problem += "is never assumed."
    if not words:
        problem = f"{name} holds numbers that are not whole ({quoted(filter(_is_part, seen), 3)}), "
        problem += "which are not class labels."
        hint, suggest = _FRACTIONS, {"bins": "round", **suggest}
    elif len(words) < len(classes) and any(as_number(word) is not None for word in words):
        hint = "Write all labels as numbers, or all as texts."
    elif any(map(is_number, seen)):
        problem = f"{name} holds {quoted(x for x in seen if x in words)} beside numbers."
        hint = "Correct it or, if it stands for a missing label, pass {na} and {missing}."
        suggest = _as_missing(words)
    return InputError(problem, parameter="labels", hint=hint, suggest=suggest, column=name)


def _is_part(label: Any) -> bool:
    return isinstance(label, float) and not label.is_integer()


def unknown_hint(unknown: Sequence[Any], scale: Scale) -> tuple[str, dict[str, Any]]:
    """Return a hint about labels outside a scale, and the settings that it suggests."""
    alike = {_folded(label): label for label in scale.labels}
    for label in unknown:
        if (near := alike.get(_folded(label))) is not None:
            both = f"{abbreviate(label)} and {abbreviate(near)}"
            return f"{both} are different labels: write them alike.", {}
    if any(map(_is_part, unknown)) and all(map(is_number, scale.labels)):
        return _FRACTIONS, {"bins": "round", "labels": ...}
    hint = "Correct them, declare every class with {labels} or, if they stand for missing labels, "
    return hint + "pass {na} and {missing}.", {"labels": ..., **_as_missing(unknown[:_MOST_STRAY])}


def _folded(label: Any) -> str:
    """Return a label without differences of case, spaces and types."""
    return "".join(str(label).casefold().replace("_", " ").replace("-", " ").split())
