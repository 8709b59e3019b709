"""Results and findings as JSON and back.

The JSON of an object holds everything at full precision, so that every other form can be made
from it again.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .meta import AxiomTable, MetaEvaluation
from .meta.archive import READERS, finding_to_plain
from .results import Intervals, Result, Tests
from .scale import Scale
from .scoring import Scores
from .spec import parse_measure
from .stats.anova import Anova
from .types import Floats, Ints, Undefined

RESULT_FORMAT = "ordeval-result-1"
_MATRICES = ("p", "difference", "effect")


@singledispatch
def to_plain(obj: Any) -> dict[str, Any]:
    """Return everything in an object as data that JSON can hold."""
    raise TypeError(f"{type(obj).__name__} cannot be stored as JSON.")


def to_json(obj: Any) -> str:
    """Return an object as JSON text."""
    data = obj.to_dict()
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def load(path: str | Path) -> Any:
    """Read an object that `to_json` wrote.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Result, MetaEvaluation or AxiomTable
        The object, equal to the one that was written.

    Examples
    --------
    >>> import os, tempfile
    >>> import ordeval as oe
    >>> path = os.path.join(tempfile.mkdtemp(), "result.json")
    >>> result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], bootstrap=0)
    >>> text = result.to_json(path)
    >>> oe.load(path) == result
    True
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise InputError(f"{path} cannot be read as a result: {problem}.") from None
    name = data.get("format") if isinstance(data, dict) else None
    restore = _READERS.get(name) if isinstance(name, str) else None
    if restore is None:
        raise InputError(f"{path} is not a result of ordeval; give a file that to_json() wrote.")
    try:
        return restore(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise InputError(
            f"{path} is a result of ordeval, but incomplete or edited "
            f"({type(problem).__name__}: {problem}); write it again with to_json()."
        ) from None


to_plain.register(MetaEvaluation, finding_to_plain)
to_plain.register(AxiomTable, finding_to_plain)


@to_plain.register
def _result_to_plain(result: Result) -> dict[str, Any]:
    scores = result.scores
    data: dict[str, Any] = {
        "format": RESULT_FORMAT,
        "kind": result.kind,
        "signature": result.signature(),
        "labels": [_plain(label) for label in scores.scale.labels],
        "values": list(scores.scale.values) if scores.scale.values else None,
        "inferred": scores.scale.inferred,
        "systems": list(scores.systems),
        "topics": list(scores.topics),
        "aggregate": scores.aggregate,
        "replaced": _replaced(scores.replaced),
        "items": scores.items,
        "primary": str(result.primary),
        "measures": {str(m): _measure(result, i) for i, m in enumerate(scores.measures)},
        "intervals": _settings(result.intervals, "method level replicates over seed"),
        "tests": _settings(result.tests, "name trials alpha seed"),
        "differences": _settings(result.differences, "method level replicates over seed"),
        "tables": _lists(result.tables),
        "shares": _lists(result.shares),
        "notices": list(result.notices),
        "about": dict(result.about),
    }
    return data


def _measure(result: Result, i: int) -> dict[str, Any]:
    """Return the figures of one measure."""
    scores = result.scores
    entry: dict[str, Any] = {
        "better": scores.measures[i].better,
        "scores": _by_name(scores.systems, scores.values[i]),
        "undefined": _whole_by_name(scores.systems, scores.undefined[i]),
    }
    if scores.per_topic is not None:
        entry["per_topic"] = {
            s: _by_name(scores.topics, row)
            for s, row in zip(scores.systems, scores.per_topic[i], strict=True)
        }
    if result.intervals is not None:
        found = result.intervals
        ends = zip(_lists(found.low[i]), _lists(found.high[i]), strict=True)
        entry["interval"] = dict(zip(scores.systems, map(list, ends), strict=True))
        entry["se"] = _by_name(scores.systems, found.se[i])
        entry["undefined_replicates"] = _whole_by_name(scores.systems, found.undefined[i])
    if result.tests is not None:
        entry |= _test_figures(result.tests, i)
    if result.differences is not None:
        names = ("low", "high", "se", "undefined")
        entry["differences"] = {n: _lists(getattr(result.differences, n)[i]) for n in names}
    return entry


def _test_figures(tests: Tests, i: int) -> dict[str, Any]:
    """Return the tests under one measure, as matrices in the order of `systems`."""
    figures = {name: _lists(getattr(tests, name)[i]) for name in _MATRICES}
    figures["residual_variance"] = _number(tests.residual_variance[i])
    if tests.anova is not None:
        figures["anova"] = {f.name: _number(getattr(tests.anova, f.name)[i]) for f in fields(Anova)}
    if tests.classical is not None:
        figures["classical"] = _lists(tests.classical[i])
    return figures


def _result_from_plain(data: Mapping[str, Any]) -> Result:
    entries = list(data["measures"].values())
    return Result(
        data["kind"],
        _scores(data, entries),
        parse_measure(data["primary"]),
        _intervals(data["intervals"], entries, data["systems"]),
        _tests(data["tests"], entries),
        None if data["tables"] is None else _array(data["tables"]),
        None if data["shares"] is None else _array(data["shares"]),
        tuple(data["notices"]),
        data["about"],
        _differences(data.get("differences"), entries),
    )


def _scores(data: Mapping[str, Any], entries: Sequence[Any]) -> Scores:
    systems, values = data["systems"], data["values"]
    scale = Scale(
        tuple(data["labels"]), tuple(values) if values else None, inferred=data["inferred"]
    )
    per_topic = None
    if entries and "per_topic" in entries[0]:
        per_topic = _array([[list(e["per_topic"][s].values()) for s in systems] for e in entries])
    return Scores(
        tuple(parse_measure(spec) for spec in data["measures"]),
        tuple(systems),
        tuple(data["topics"]),
        scale,
        _array([[e["scores"][s] for s in systems] for e in entries]),
        per_topic,
        np.asarray([[e["undefined"][s] for s in systems] for e in entries], dtype=np.int64),
        data["aggregate"],
        data["replaced"],
        data["items"],
    )


def _intervals(
    settings: Mapping[str, Any] | None, entries: Sequence[Any], systems: Sequence[str]
) -> Intervals | None:
    if settings is None:
        return None
    ends = _array([[e["interval"][s] for s in systems] for e in entries])
    se = _array([[e["se"][s] for s in systems] for e in entries])
    undefined = [[e["undefined_replicates"][s] for s in systems] for e in entries]
    return Intervals(
        ends[..., 0], ends[..., 1], se, np.asarray(undefined, dtype=np.int64), **settings
    )


def _differences(settings: Mapping[str, Any] | None, entries: Sequence[Any]) -> Intervals | None:
    if settings is None:
        return None
    low, high, se, undefined = (
        _array([e["differences"][name] for e in entries])
        for name in ("low", "high", "se", "undefined")
    )
    return Intervals(low, high, se, undefined.astype(np.int64), **settings)


def _tests(settings: Mapping[str, Any] | None, entries: Sequence[Any]) -> Tests | None:
    if settings is None:
        return None
    names = (*_MATRICES, "residual_variance")
    arrays: dict[str, Any] = {name: _array([e[name] for e in entries]) for name in names}
    if all("anova" in e for e in entries):
        figures: dict[str, Any] = {
            f.name: _array([e["anova"][f.name] for e in entries]) for f in fields(Anova)
        }
        arrays["anova"] = Anova(**figures)
    if all("classical" in e for e in entries):
        arrays["classical"] = _array([e["classical"] for e in entries])
    return Tests(**arrays, **settings)


def _settings(part: Intervals | Tests | None, names: str) -> dict[str, Any] | None:
    return None if part is None else {name: getattr(part, name) for name in names.split()}


def _plain(label: Any) -> Any:
    """Return a label that JSON can hold; anything but text, numbers and booleans as text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (str, int, float)) else str(label)


def _replaced(undefined: Undefined) -> float | str | None:
    return undefined if undefined is None or isinstance(undefined, str) else _number(undefined)


def _number(value: float) -> Any:
    """Return a number for JSON, which has neither NaN (null here) nor infinity (a string)."""
    number = float(value)
    if np.isfinite(number):
        return number
    return None if np.isnan(number) else str(number)


def _by_name(names: Sequence[str], values: Floats) -> dict[str, Any]:
    return {name: _number(value) for name, value in zip(names, values, strict=True)}


def _whole_by_name(names: Sequence[str], values: Ints) -> dict[str, int]:
    return {name: int(value) for name, value in zip(names, values, strict=True)}


def _lists(array: Floats | Ints | None) -> Any:
    if array is None:
        return None
    if array.ndim == 1:
        return [_number(value) for value in array]
    return [_lists(row) for row in array]


def _array(data: Any) -> Floats:
    """Return nested lists as floats, null as NaN."""
    return np.asarray(data, dtype=object).astype(np.float64)


_READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    RESULT_FORMAT: _result_from_plain,
    **READERS,
}
