"""Results as plain data and back: the archive from which every other form can be made again."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .registry import parse
from .results import FORMAT, Floats, Intervals, Result, Tests
from .scale import Scale
from .scoring import Scores


def result_to_dict(result: Result) -> dict[str, Any]:
    """Everything in a result as JSON-ready data; undefined numbers are null."""
    scores = result.scores
    data: dict[str, Any] = {
        "format": FORMAT,
        "kind": result.kind,
        "signature": result.signature(),
        "labels": [_plain(label) for label in scores.scale.labels],
        "values": list(scores.scale.values) if scores.scale.values else None,
        "inferred": scores.scale.inferred,
        "systems": list(scores.systems),
        "topics": list(scores.topics),
        "aggregate": scores.aggregate,
        "replaced": scores.replaced,
        "items": scores.items,
        "primary": str(result.primary),
        "measures": {str(m): _measure(result, i) for i, m in enumerate(scores.measures)},
        "intervals": _settings(result.intervals, "method level replicates over seed"),
        "tests": _settings(result.tests, "name trials alpha seed"),
        "tables": _lists(result.tables),
        "shares": _lists(result.shares),
        "notices": list(result.notices),
        "about": dict(result.about),
    }
    return data


def _measure(result: Result, i: int) -> dict[str, Any]:
    scores = result.scores
    entry: dict[str, Any] = {
        "better": scores.measures[i].better,
        "scores": _by_name(scores.systems, scores.values[i]),
        "undefined": {s: int(u) for s, u in zip(scores.systems, scores.undefined[i], strict=True)},
    }
    if scores.per_topic is not None:
        entry["per_topic"] = {
            s: _by_name(scores.topics, row)
            for s, row in zip(scores.systems, scores.per_topic[i], strict=True)
        }
    if result.intervals is not None:
        found = result.intervals
        entry["interval"] = {
            s: [_number(found.low[i, j]), _number(found.high[i, j])]
            for j, s in enumerate(scores.systems)
        }
        entry["se"] = _by_name(scores.systems, found.se[i])
        entry["undefined_replicates"] = {
            s: int(u) for s, u in zip(scores.systems, found.undefined[i], strict=True)
        }
    if result.tests is not None:
        tests = result.tests
        entry["p"], entry["difference"] = _lists(tests.p[i]), _lists(tests.difference[i])
        entry["effect"] = _lists(tests.effect[i])
        entry["residual_variance"] = _number(tests.residual_variance[i])
    return entry


def result_from_dict(data: Mapping[str, Any]) -> Result:
    """The result that `result_to_dict` described."""
    systems, topics = data["systems"], data["topics"]
    entries = list(data["measures"].values())
    values = data["values"]
    scale = Scale(
        tuple(data["labels"]), tuple(values) if values else None, inferred=data["inferred"]
    )
    per_topic = None
    if entries and "per_topic" in entries[0]:
        per_topic = _array([[list(e["per_topic"][s].values()) for s in systems] for e in entries])
    scores = Scores(
        tuple(parse(spec) for spec in data["measures"]),
        tuple(systems),
        tuple(topics),
        scale,
        _array([[e["scores"][s] for s in systems] for e in entries]),
        per_topic,
        np.asarray([[e["undefined"][s] for s in systems] for e in entries], dtype=np.int64),
        data["aggregate"],
        data["replaced"],
        data["items"],
    )
    return Result(
        data["kind"],
        scores,
        parse(data["primary"]),
        _intervals(data["intervals"], entries, systems),
        _tests(data["tests"], entries),
        None if data["tables"] is None else _array(data["tables"]),
        None if data["shares"] is None else _array(data["shares"]),
        tuple(data["notices"]),
        data["about"],
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


def _tests(settings: Mapping[str, Any] | None, entries: Sequence[Any]) -> Tests | None:
    if settings is None:
        return None
    names = ("p", "difference", "effect", "residual_variance")
    arrays: dict[str, Any] = {name: _array([e[name] for e in entries]) for name in names}
    return Tests(**arrays, **settings)


def _settings(part: Intervals | Tests | None, names: str) -> dict[str, Any] | None:
    return None if part is None else {name: getattr(part, name) for name in names.split()}


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _by_name(names: Sequence[str], values: Floats) -> dict[str, float | None]:
    return {name: _number(value) for name, value in zip(names, values, strict=True)}


def _lists(array: Floats | None) -> Any:
    if array is None:
        return None
    if array.ndim == 1:
        return [_number(value) for value in array]
    return [_lists(row) for row in array]


def _array(data: Any) -> Floats:
    """Nested lists as floats, null as NaN."""
    return np.asarray(data, dtype=object).astype(np.float64)
