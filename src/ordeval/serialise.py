"""Results and findings as JSON and back.

The JSON of an object holds everything at full precision, so that every other form can be made
from it again. Findings about measures are stored field by field, guided by the type hints of their
classes; a result is stored by measure and system, so that people can read it.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import partial, singledispatch
from math import isfinite, isnan, nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from .bins import Bins
from .errors import InputError
from .meta import AxiomTable, MetaEvaluation
from .results import Intervals, Result, Tests
from .scale import Scale
from .scoring import Scores
from .spec import Measure, parse_measure
from .stats.anova import Anova
from .types import Array, Floats

_RESULT, _META, _AXIOMS = "ordeval-result-1", "ordeval-meta-1", "ordeval-axioms-1"
_INTERVALS = ("low", "high", "se", "undefined")
_MATRICES = ("p", "difference", "effect")
_OPTIONAL = ("classical", "detectable", "inner_low", "inner_high")


@singledispatch
def to_plain(obj: Any) -> dict[str, Any]:
    """Return everything in an object as data that JSON can hold."""
    raise TypeError(f"{type(obj).__name__} cannot be stored as JSON.")


def to_json(obj: Any) -> str:
    """Return an object as JSON text."""
    return _written(obj.to_dict(), "\n") + "\n"


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def _written(data: Any, line: str) -> str:
    """Return JSON with one name, or one list, per line; `line` is its break and indentation.

    The numbers of a list share a line: those of many systems would be mostly space otherwise.
    """
    inner = f"{line} "
    if isinstance(data, dict) and data:
        lines = [f"{inner}{_json(str(k))}: {_written(one, inner)}" for k, one in data.items()]
        return "{" + ",".join(lines) + line + "}"
    if isinstance(data, list) and any(isinstance(one, (dict, list)) for one in data):
        lines = [f"{inner}{_written(one, inner)}" for one in data]
        return "[" + ",".join(lines) + line + "]"
    return _json(data)


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
        raise InputError(
            f"{path} cannot be read as a result: {problem}.", parameter="path"
        ) from None
    name = data.get("format") if isinstance(data, dict) else None
    restore = _READERS.get(name) if isinstance(name, str) else None
    if restore is None:
        raise InputError(
            f"{path} is not a result of ordeval.",
            parameter="path",
            hint="Give a file that to_json() wrote.",
        )
    try:
        return restore(data)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as problem:
        raise InputError(
            f"{path} is a result of ordeval, but incomplete or edited "
            f"({type(problem).__name__}: {problem}).",
            parameter="path",
            hint="Write it again with to_json().",
        ) from None


def plain(value: Any) -> Any:
    """Return dataclasses, arrays and tuples as dictionaries and lists.

    JSON has neither NaN, which becomes null, nor infinity, which becomes a string.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return _without_nan(value).tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value


def _without_nan(values: Floats) -> Array:
    """Return an array of numbers as `plain` shows them, without a call for each."""
    finite = np.isfinite(values)
    if finite.all():
        return values
    shown = values.astype(object)
    shown[~finite] = [plain(number) for number in values[~finite].tolist()]
    return shown


def _restored(kind: Any, data: Any) -> Any:
    """Return the value of type `kind` that `plain` turned into `data`."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _optional(parts, data)
    if origin is tuple:
        kinds = parts[:1] * len(data) if parts[-1] is ... else parts
        return tuple(_restored(part, one) for part, one in zip(kinds, data, strict=True))
    if origin is np.ndarray:
        return np.asarray(data, dtype=object).astype(get_args(parts[1])[0])
    if origin is Mapping:
        return {parts[0](key): _restored(parts[1], one) for key, one in data.items()}
    return _object(kind, data) if isinstance(kind, type) else data


def _optional(kinds: tuple[Any, ...], data: Any) -> Any:
    """Restore a value that may be None; unions of several simple types stay as they are."""
    others = [kind for kind in kinds if kind is not NoneType]
    return data if data is None or len(others) > 1 else _restored(others[0], data)


def _object(kind: type, data: Any) -> Any:
    if hasattr(kind, "from_plain"):
        return kind.from_plain(data)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        # Files written before a field was added do not have it.
        present = [f for f in fields(kind) if f.name in data or f.default is MISSING]
        return kind(**{f.name: _restored(hints[f.name], data[f.name]) for f in present})
    if issubclass(kind, tuple):
        [rows] = [base for base in kind.__orig_bases__ if get_origin(base) is tuple]  # type: ignore[attr-defined]
        return kind(_restored(rows, data))
    if kind is float:
        return nan if data is None else float(data) if isinstance(data, str) else data
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is not of the type {kind.__name__}")
    return data


@to_plain.register
def _meta_to_plain(found: MetaEvaluation) -> dict[str, Any]:
    return {"format": _META, "signature": found.signature, **plain(found)}


@to_plain.register
def _axioms_to_plain(found: AxiomTable) -> dict[str, Any]:
    return {"format": _AXIOMS, **plain(found)}


@to_plain.register
def _result_to_plain(result: Result) -> dict[str, Any]:
    scores = result.scores
    return {
        "format": _RESULT,
        "kind": result.kind,
        "signature": result.signature(),
        "labels": [_label(label) for label in scores.scale.labels],
        "values": plain(scores.scale.values),
        "inferred": scores.scale.inferred,
        "systems": plain(scores.systems),
        "topics": plain(scores.topics),
        "topic_items": plain(scores.topic_items),
        "aggregate": scores.aggregate,
        "replaced": plain(scores.replaced),
        "items": scores.items,
        "item_range": plain(scores.item_range),
        "effective": scores.effective,
        "bins": plain(scores.bins),
        "raw": scores.raw,
        "primary": str(result.primary),
        "measures": {str(m): _measure(result, i) for i, m in enumerate(scores.measures)},
        "intervals": _settings(result.intervals),
        "tests": _settings(result.tests),
        "differences": _settings(result.differences),
        "tables": plain(result.tables),
        "shares": plain(result.shares),
        "notices": plain(result.notices),
        "about": dict(result.about),
    }


def _label(label: Any) -> Any:
    """Return a label that JSON can hold; anything but text, numbers and booleans as text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (str, int, float)) else str(label)


def _settings(part: Intervals | Tests | None) -> dict[str, Any] | None:
    """Return what is not an array: how intervals or tests were made."""
    if part is None:
        return None
    values = {f.name: getattr(part, f.name) for f in fields(part)}
    return {name: plain(v) for name, v in values.items() if isinstance(v, (str, int, float))}


def _measure(result: Result, i: int) -> dict[str, Any]:
    """Return the figures of one measure: by system, and matrices in the order of the systems."""
    scores, intervals, tests = result.scores, result.intervals, result.tests

    def by_system(values: Array) -> dict[str, Any]:
        return dict(zip(scores.systems, plain(values), strict=True))

    entry: dict[str, Any] = {
        "name": scores.measures[i].name,
        "better": scores.measures[i].better,
        "scores": by_system(scores.values[i]),
        "undefined": by_system(scores.undefined[i]),
    }
    if scores.per_topic is not None:
        by_topic = by_system(scores.per_topic[i])
        entry["per_topic"] = {
            s: dict(zip(scores.topics, found, strict=True)) for s, found in by_topic.items()
        }
    if intervals is not None:
        entry["interval"] = by_system(np.stack([intervals.low[i], intervals.high[i]], axis=-1))
        entry["se"] = by_system(intervals.se[i])
        entry["undefined_replicates"] = by_system(intervals.undefined[i])
        entry |= _doubt(intervals, i)
    if tests is not None:
        entry |= {name: plain(getattr(tests, name)[i]) for name in _MATRICES}
        entry["residual_variance"] = plain(tests.residual_variance[i])
        entry |= {n: plain(m[i]) for n in _OPTIONAL if (m := getattr(tests, n)) is not None}
        entry["verdict"] = result.verdicts(scores.measures[i]).tolist()
        rows = result.standings(scores.measures[i])
        entry["ranks"] = {row.system: [row.rank_low, row.rank_high] for row in rows}
    if tests is not None and tests.anova is not None:
        entry["anova"] = {f.name: plain(getattr(tests.anova, f.name)[i]) for f in fields(Anova)}
    if result.differences is not None:
        entry["differences"] = {n: plain(getattr(result.differences, n)[i]) for n in _INTERVALS}
        entry["differences"] |= _doubt(result.differences, i)
    return entry


def _doubt(intervals: Intervals, i: int) -> dict[str, str]:
    """Return why the intervals of a measure may be doubted, all or those without a spread."""
    flat = intervals.flat_doubts[i] if intervals.flat_doubts else ""
    return {"doubt": intervals.doubt(i), **({"flat_doubt": flat} if flat else {})}


def _doubts(entries: Iterable[Any]) -> dict[str, Any]:
    """Return the reasons of all measures, as `Intervals` takes them."""
    found = list(entries)
    whole = tuple(entry.get("doubt", "") for entry in found)
    flat = tuple(entry.get("flat_doubt", "") for entry in found)
    return {"doubts": whole if any(whole) else (), "flat_doubts": flat if any(flat) else ()}


def _result_from_plain(data: Mapping[str, Any]) -> Result:
    entries = list(data["measures"].values())
    scores = _scores(data, entries)
    return Result(
        data["kind"],
        scores,
        scores.measures[scores.row(data["primary"])],
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
    topic_items = data.get("topic_items")
    return Scores(
        tuple(_named_measure(spec, entry) for spec, entry in data["measures"].items()),
        tuple(systems),
        tuple(data["topics"]),
        scale,
        _by_system(entries, "scores", systems),
        per_topic,
        _by_system(entries, "undefined", systems).astype(np.int64),
        data["aggregate"],
        data["replaced"],
        data["items"],
        data.get("effective", 0.0),
        None if topic_items is None else _array(topic_items),
        _restored(Bins | None, data.get("bins")),
        data.get("raw", False),
        tuple(data["item_range"]) if data.get("item_range") else None,
    )


def _named_measure(spec: str, entry: Mapping[str, Any]) -> Measure:
    """Return a measure with the name that it was asked for under."""
    measure, name = parse_measure(spec), entry.get("name", "")
    return replace(measure, asked="" if name == str(measure) else name)


def _by_system(entries: Sequence[Any], name: str, systems: Sequence[str]) -> Floats:
    return _array([[entry[name][s] for s in systems] for entry in entries])


def _intervals(
    settings: Mapping[str, Any] | None, entries: Sequence[Any], systems: Sequence[str]
) -> Intervals | None:
    if settings is None:
        return None
    names = ("interval", "se", "undefined_replicates")
    ends, se, undefined = (_by_system(entries, name, systems) for name in names)
    return Intervals(
        ends[..., 0],
        ends[..., 1],
        se,
        undefined.astype(np.int64),
        **settings,
        **_doubts(entries),
    )


def _differences(settings: Mapping[str, Any] | None, entries: Sequence[Any]) -> Intervals | None:
    if settings is None:
        return None
    low, high, se, undefined = (
        _array([entry["differences"][name] for entry in entries]) for name in _INTERVALS
    )
    doubts = _doubts(entry["differences"] for entry in entries)
    return Intervals(low, high, se, undefined.astype(np.int64), **settings, **doubts)


def _tests(settings: Mapping[str, Any] | None, entries: Sequence[Any]) -> Tests | None:
    if settings is None:
        return None
    names = [*_MATRICES, "residual_variance"]
    names += [name for name in _OPTIONAL if all(name in entry for entry in entries)]
    arrays: dict[str, Any] = {name: _array([entry[name] for entry in entries]) for name in names}
    if all("anova" in entry for entry in entries):
        figures: Any = {
            f.name: _array([e["anova"][f.name] for e in entries]) for f in fields(Anova)
        }
        arrays["anova"] = Anova(**figures)
    margin = settings.get("margin")
    return Tests(**arrays, **{**settings, "margin": nan if margin is None else margin})


def _array(data: Any) -> Floats:
    """Return nested lists as floats, null as NaN."""
    return np.asarray(data, dtype=object).astype(np.float64)


_READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    _RESULT: _result_from_plain,
    _META: partial(_restored, MetaEvaluation),
    _AXIOMS: partial(_restored, AxiomTable),
}
