"""Results and findings as JSON and back.

The JSON of an object holds everything at full precision, so that every other form can be made
from it again. Findings about measures are stored field by field, guided by the type hints of their
classes; a result is stored by measure and system, so that people can read it.

A file may have been damaged or edited, or made by somebody with bad intentions. What is read back
has the types that the classes declare and arrays of the sizes that the names say, or is refused.
Figures that no result can have are refused (`plausibility`). Entries that follow from others
(signature, verdict, ranks, better) are not read, but compared if this version wrote the file.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass, replace
from functools import cache, singledispatch
from math import inf, isfinite, isnan, nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ._version import __version__
from .archive import MAX_BYTES, read_json, unreadable
from .errors import InputError, abbreviate, check_choice, quoted
from .formatting import one_line
from .measures.scoring import Scores
from .measures.spec import Measure, counterpart, parse_measure
from .meta import AxiomTable, MetaEvaluation
from .plausibility import check_agreement, check_judgement, check_range, check_result
from .rater_results import Agreement, Judgement
from .results import Intervals, JudgeLabels, Result, Tests
from .scale import Scale
from .stats.anova import Anova
from .types import Array, Floats

_RESULT, _META, _AXIOMS = "ordeval-result-1", "ordeval-meta-1", "ordeval-axioms-1"
_INTERVALS = ("low", "high", "se", "undefined")
_MATRICES = ("p", "difference", "effect")
_OPTIONAL = ("detectable", "inner_low", "inner_high")
_AGREEMENT, _JUDGEMENT = "ordeval-agreement-1", "ordeval-judgement-1"
_HEAD = ("format", "signature")
_KINDS = ("evaluation", "comparison", "quantification")
_GIVEN = (
    "systems", "topics", "aggregate", "replaced", "items", "item_range", "effective", "bins", "raw"
)  # fmt: skip
_ENTRIES = (
    *_GIVEN, "kind", "labels", "values", "inferred", "topic_items", "primary", "measures",
    "intervals", "tests", "differences", "tables", "shares", "notices", "about", "judge",
)  # fmt: skip
_FIGURES = (
    "name", "better", "scores", "undefined", "per_topic", "interval", "se", "undefined_replicates",
    "doubt", "flat_doubt", *_MATRICES, *_OPTIONAL, "residual_variance", "verdict", "ranks", "anova",
    "differences",
)  # fmt: skip
_SETTINGS: dict[Any, tuple[str, ...]] = {
    Intervals: ("method", "level", "replicates", "over", "seed"),
    Tests: (
        "kind",
        "trials",
        "alpha",
        "seed",
        "over",
        "units",
        "exact",
        "against",
        "margin",
        "normal",
    ),
}
_CHOICES: dict[Any, dict[str, tuple[str, ...]]] = {
    Intervals: {
        "method": ("dirichlet", "t", "percentile"),
        "over": ("items", "topics", "clusters", "both"),
    },
    Tests: {"over": ("topics", "clusters", "items")},
}
# Arrays of findings by the parts of a meta-evaluation: m measures, s systems, t topics, p pairs of
# systems, n of no size that is known.
_SHAPES = {
    "ScoreMatrices": {"scores": "mst", "signs": "m", "missing": "ms", "reversals": "m"},
    "Similarity": {"tau": "mm"},
    "Consistency": {
        "tau": "nm", "mean": "m", "standard_error": "m", "p": "mm", "beats": "m", "beaten": "m",
        "effect_size": "mm", "topic_error": "m", "interval": "m2", "difference_interval": "mm2",
    },
    "DiscriminativePower": {"p": "mp", "topics": "m", "significant": "m"},
    "Robustness": {"robustness": "m", "topics": "m"},
    "Coverage": {"uir": "ss", "coverage": "m"},
}  # fmt: skip
_RANGES = {"tau": (-1, 1), "p": (0, 1), "missing": (0, inf)}


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


def load(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read an object that `to_json` wrote.

    The file may come from anywhere: nothing in it is run, and a file that is damaged, edited into
    something that no result can be, or too large is refused with an `InputError`. It must be a
    regular file of JSON in UTF-8, not compressed, with at most 32 levels of brackets and integers
    of at most 400 digits. Figures must be possible, such as scores within the bounds of their
    measure and p-values from 0 to 1; that they belong to the counts is not checked. The signature
    and what follows from the figures (better, verdict, ranks) must fit them if this version of
    ordeval wrote the file, and are ignored otherwise.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int
        The size of the largest file that is read, 1 GiB by default. Reading takes a few times as
        much memory.

    Returns
    -------
    Result, MetaEvaluation, AxiomTable, Agreement or Judgement
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
    data = read_json(path, max_bytes)
    restore = _reader(path, data)
    try:
        found = restore({name: value for name, value in data.items() if name not in _HEAD})
        return _with_what_follows(found, data)
    except InputError as problem:
        raise _edited(path, problem.message) from None
    except KeyError as problem:
        raise _edited(path, f"{abbreviate(problem.args[0])} is missing") from None
    except (TypeError, ValueError, OverflowError) as problem:
        raise _edited(path, str(problem)) from None
    except MemoryError:
        raise unreadable(path, "its content does not fit into memory") from None


def _reader(path: str | Path, data: Any) -> Callable[[dict[str, Any]], Any]:
    """Return the function that reads a kind of archive."""
    name = data.get("format") if isinstance(data, dict) else None
    if not isinstance(name, str) or not name.startswith("ordeval-"):
        raise InputError(
            f"{one_line(str(path))} is not a result of ordeval.",
            parameter="path",
            hint="Give a file that to_json() wrote.",
        )
    if name not in _READERS:
        raise InputError(
            f"{one_line(str(path))} has the format {abbreviate(name)}, which this version of "
            f"ordeval does not know; it reads {quoted(_READERS)}.",
            parameter="path",
            hint="Install a newer version of ordeval.",
        )
    return _READERS[name]


def _with_what_follows(found: Any, data: Mapping[str, Any]) -> Any:
    """Return what was read, unless entries that follow from others do not.

    Another version may name or decide things otherwise: of its files these entries are ignored.
    """
    given = _of_type(str, data.get("signature", ""))
    if not given.endswith(f"|ordeval:{__version__}"):
        return found
    if given != (found.signature() if isinstance(found, Result) else found.signature):
        raise ValueError("signature does not fit the rest")
    measures = found.measures if isinstance(found, Result) else ()
    for measure in measures:
        entry = data["measures"][str(measure)]
        for name, value in _derived(found, measure).items():
            if entry.get(name, value) != value:
                raise ValueError(f"{name} does not fit the other figures of {measure}")
    return found


def _derived(result: Result, measure: Measure) -> dict[str, Any]:
    """Return the entries of a measure that follow from others."""
    found: dict[str, Any] = {"better": measure.better}
    if result.tests is not None:
        rows = result.standings(measure)
        found["verdict"] = result.verdicts(measure).tolist()
        found["ranks"] = {row.system: [row.rank_low, row.rank_high] for row in rows}
    return found


def _edited(path: object, reason: str) -> InputError:
    return InputError(
        f"{one_line(str(path))} is a result of ordeval, but incomplete or edited: {reason}.",
        parameter="path",
        hint="Write it again with to_json().",
    )


def plain(value: Any) -> Any:
    """Return dataclasses, arrays and tuples as dictionaries and lists.

    JSON has neither NaN, which becomes null, nor infinity, which becomes a string.
    """
    if isinstance(value, Measure):
        return str(value)
    if isinstance(value, Scale):
        return _scale_to_plain(value)
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
    """Return the value of type `kind` that `plain` turned into `data`; a TypeError if none did."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, data)
    if origin is Literal:
        if not any(type(data) is type(part) and data == part for part in parts):
            raise TypeError(f"{abbreviate(data)} is not one of {quoted(parts)}")
        return data
    if origin is tuple:
        rows = _of_type(list, data)
        kinds = parts[:1] * len(rows) if parts[-1] is ... else parts
        return tuple(_restored(part, one) for part, one in zip(kinds, rows, strict=True))
    if origin is np.ndarray:
        return _array(data, None, get_args(parts[1])[0])
    if origin is Mapping:
        found = _of_type(dict, data)
        return {_key(parts[0], key): _restored(parts[1], one) for key, one in found.items()}
    return data if kind is Any else _object(kind, data)


def _one_of(kinds: tuple[Any, ...], data: Any) -> Any:
    """Restore a value of one of several types, of which None may be one."""
    if data is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    for kind in others[:-1]:
        try:
            return _restored(kind, data)
        except (TypeError, ValueError):
            continue
    return _restored(others[-1], data)


def _of_type(kind: type, data: Any) -> Any:
    """Return data of exactly this type: JSON's true is no number."""
    if type(data) is not kind:
        raise TypeError(f"{abbreviate(data)} is not of the type {kind.__name__}")
    return data


def _key(kind: Any, text: str) -> Any:
    """Return the key of a mapping, which JSON holds as text."""
    key = parse_measure(text) if kind is Measure else kind(text)
    if str(key) != text:
        raise ValueError(f"{abbreviate(text)} is not of the type {kind.__name__}")
    return key


def _object(kind: Any, data: Any) -> Any:
    if kind is Measure:
        return parse_measure(_of_type(str, data))
    if kind is Scale:
        return _scale(_of_type(dict, data))
    if hasattr(kind, "from_plain"):
        return kind.from_plain(_of_type(dict, data))
    if is_dataclass(kind):
        return _dataclass(kind, _of_type(dict, data))
    if issubclass(kind, tuple):
        [rows] = [base for base in kind.__orig_bases__ if get_origin(base) is tuple]
        return kind(_restored(rows, data))
    return _float(data) if kind is float else _of_type(kind, data)


def _dataclass(kind: Any, data: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    # Files written before a field was added do not have it; fields that are gone are not read.
    kept = [f for f in fields(kind) if f.repr]
    present = [f for f in kept if f.name in data or f.default is MISSING]
    return kind(**{f.name: _restored(hints[f.name], data[f.name]) for f in present})


def _check_names(data: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error if there are entries that nothing reads."""
    if unknown := [*dict.fromkeys(data).keys() - set(known)]:
        raise ValueError(f"{quoted(sorted(unknown))} is not known")


_hints = cache(get_type_hints)


def _float(data: Any) -> float:
    """Return a number that `plain` wrote: NaN is null, and infinity is a text."""
    if data is None:
        return nan
    if data in ("inf", "-inf"):
        return float(data)
    if type(data) is int and int(float(data)) == data:
        return data
    return float(_finite(_of_type(float, data)))


def _finite(numbers: Any) -> Any:
    """Return numbers unless JSON held one that is too large, such as 1e999."""
    if np.isinf(numbers).any():
        raise ValueError("a number is too large")
    return numbers


@to_plain.register
def _meta_to_plain(found: MetaEvaluation) -> dict[str, Any]:
    return {"format": _META, "signature": found.signature, **plain(found)}


@to_plain.register
def _axioms_to_plain(found: AxiomTable) -> dict[str, Any]:
    return {"format": _AXIOMS, **plain(found)}


@to_plain.register
def _agreement_to_plain(found: Agreement) -> dict[str, Any]:
    return {"format": _AGREEMENT, "signature": found.signature, **plain(found)}


@to_plain.register
def _judgement_to_plain(found: Judgement) -> dict[str, Any]:
    return {"format": _JUDGEMENT, "signature": found.signature, **plain(found)}


@to_plain.register
def _result_to_plain(result: Result) -> dict[str, Any]:
    scores = result.scores
    return {
        "format": _RESULT,
        "kind": result.kind,
        "signature": result.signature(),
        **_scale_to_plain(scores.scale),
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
        "about": plain(result.about),
        **({} if result.judge is None else {"judge": plain(result.judge)}),
    }


def _scale_to_plain(scale: Scale) -> dict[str, Any]:
    return {
        "labels": [_label(label) for label in scale.labels],
        "values": plain(scale.values),
        "inferred": scale.inferred,
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
        **_derived(result, scores.measures[i]),
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
    whole = tuple(_of_type(str, entry.get("doubt", "")) for entry in found)
    flat = tuple(_of_type(str, entry.get("flat_doubt", "")) for entry in found)
    return {"doubts": whole if any(whole) else (), "flat_doubts": flat if any(flat) else ()}


def _result_from_plain(data: Mapping[str, Any]) -> Result:
    _check_names(data, _ENTRIES)
    measures = _of_type(dict, data["measures"])
    entries = [_of_type(dict, entry) for entry in measures.values()]
    for entry in entries:
        _check_names(entry, _FIGURES)
    scores = _scores(data, measures)
    systems, k = scores.systems, scores.scale.k
    check_choice("kind", data["kind"], _KINDS)
    found = Result(
        data["kind"],
        scores,
        scores.measures[scores.row(_of_type(str, data["primary"]))],
        _intervals(data["intervals"], entries, systems),
        _tests(data["tests"], entries, systems),
        _optional_array(data["tables"], (len(systems), k, k)),
        _optional_array(data["shares"], (1 + len(systems), k)),
        _restored(tuple[str, ...], data["notices"]),
        _about(data["about"]),
        _differences(data.get("differences"), entries, systems),
        _judge(data.get("judge"), (len(entries), len(systems)), k),
    )
    of_shares = found.kind == "quantification"
    if (found.shares is not None, found.tables is not None) != (of_shares, not of_shares):
        raise ValueError("a quantification has shares, and the other kinds have tables")
    check_result(found)
    return found


def _judge(data: Any, shape: tuple[int, int], k: int) -> JudgeLabels | None:
    """Return what a judge added, checked as far as it follows from the sizes."""
    if data is None:
        return None
    given = dict(_of_type(dict, data))
    kinds = {"weight": np.float64, "worth": np.float64, "unusable": np.int64}
    arrays: Any = {name: _array(given.pop(name), shape, kind) for name, kind in kinds.items()}
    hints = _hints(JudgeLabels)
    _check_names(given, [name for name in hints if name not in kinds])
    found = JudgeLabels(
        **arrays, **{name: _restored(hints[name], value) for name, value in given.items()}
    )
    check_range("a weight of the judge", found.weight, 0, 1, gaps=False)
    check_range("what the judge is worth", found.worth, 0, inf, gaps=False)
    shares = [share for check in found.checks for share in (check.labelled, check.others)]
    if not 0 <= found.labelled <= found.items or any(
        len(share) not in (k, 2 * k - 1) for share in shares
    ):
        raise ValueError("the labels of the judge do not fit the items or the classes")
    return found


def _about(data: Any) -> dict[str, Any]:
    """Return what is said about the data, which may be anything that can be stored again."""
    found: dict[str, Any] = _of_type(dict, data)
    json.dumps(found, allow_nan=False)
    return found


def _scores(data: Mapping[str, Any], measures: Mapping[str, Any]) -> Scores:
    entries = list(measures.values())
    hints = _hints(Scores)
    given = {name: _restored(hints[name], data[name]) for name in _GIVEN if name in data}
    systems, topics = given["systems"], given["topics"]
    for name, least in (("systems", 1), ("topics", 0)):
        if len(set(given[name])) < max(len(given[name]), least):
            raise ValueError(f"{name} are missing or occur twice")
    per_topic = None
    if entries and "per_topic" in entries[0]:
        by_topic = [_by_name(entry["per_topic"], systems) for entry in entries]
        found = [[_by_name(row, topics) for row in rows] for rows in by_topic]
        per_topic = _array(found, (len(entries), len(systems), len(topics)))
    return Scores(
        measures=tuple(_named_measure(spec, entry) for spec, entry in measures.items()),
        scale=_scale(data),
        values=_by_system(entries, "scores", systems),
        per_topic=per_topic,
        undefined=_by_system(entries, "undefined", systems, kind=np.int64),
        topic_items=_optional_array(data.get("topic_items"), (len(topics),)),
        **given,
    )


def _scale(data: Mapping[str, Any]) -> Scale:
    """Return the scale, checked like one that a user declares."""
    labels = _restored(tuple[str | bool | int | float, ...], data["labels"])
    values = _restored(tuple[float, ...] | None, data["values"])
    checked = Scale.of(labels, values or None)
    if not all(map(isfinite, values or ())):
        raise ValueError("a class value is not finite")
    if [*map(type, checked.labels)] != [*map(type, labels)] or checked.labels != labels:
        raise ValueError("the labels are not those of a scale")
    return Scale(labels, values or None, inferred=_of_type(bool, data["inferred"]))


def _named_measure(spec: str, entry: Mapping[str, Any]) -> Measure:
    """Return a measure with the name that it was asked for under."""
    measure, name = parse_measure(spec), _of_type(str, entry.get("name", spec))
    if not name or counterpart(parse_measure(name), measure.record.task) != measure:
        raise ValueError(f"{abbreviate(name)} is not a name of {abbreviate(spec)}")
    return replace(measure, asked="" if name == str(measure) else name)


def _by_name(data: Any, names: Sequence[str]) -> list[Any]:
    """Return the values of a mapping whose keys are these names."""
    found = _of_type(dict, data)
    if len(found) != len(names):
        raise ValueError(f"there are {len(found):,} figures of {len(names):,} names")
    return [found[name] for name in names]


def _by_system(
    entries: Sequence[Any],
    name: str,
    systems: Sequence[str],
    inner: tuple[int, ...] = (),
    kind: Any = np.float64,
) -> Any:
    found = [_by_name(entry[name], systems) for entry in entries]
    return _array(found, (len(entries), len(systems), *inner), kind)


def _chosen(kind: Any, settings: Any) -> dict[str, Any]:
    """Return the settings of intervals or tests, with the types that their class declares."""
    hints, found = _hints(kind), _of_type(dict, settings)
    _check_names(found, _SETTINGS[kind])
    restored = {name: _restored(hints[name], value) for name, value in found.items()}
    for name, choices in _CHOICES[kind].items():
        check_choice(name, restored[name], choices)
    for name in ("level", "alpha"):
        if not 0 < restored.get(name, 0.5) < 1:
            raise ValueError(f"{name} is {restored[name]}, which is not between 0 and 1")
    for name in ("seed", "trials", "replicates", "units"):
        if restored.get(name, 0) < 0:
            raise ValueError(f"{name} is negative")
    return restored


def _intervals(settings: Any, entries: Sequence[Any], systems: Sequence[str]) -> Intervals | None:
    if settings is None:
        return None
    ends = _by_system(entries, "interval", systems, (2,))
    return Intervals(
        ends[..., 0],
        ends[..., 1],
        _by_system(entries, "se", systems),
        _by_system(entries, "undefined_replicates", systems, kind=np.int64),
        **_chosen(Intervals, settings),
        **_doubts(entries),
    )


def _differences(settings: Any, entries: Sequence[Any], systems: Sequence[str]) -> Intervals | None:
    if settings is None:
        return None
    parts = [_of_type(dict, entry["differences"]) for entry in entries]
    shape = (len(entries), len(systems), len(systems))
    for part in parts:
        _check_names(part, (*_INTERVALS, "doubt", "flat_doubt"))
    found = {
        name: _array([p[name] for p in parts], shape, np.int64 if name == "undefined" else float)
        for name in _INTERVALS
    }
    return Intervals(**found, **_chosen(Intervals, settings), **_doubts(parts))


def _tests(settings: Any, entries: Sequence[Any], systems: Sequence[str]) -> Tests | None:
    if settings is None:
        return None
    size = len(entries)
    names = [*_MATRICES, *(n for n in _OPTIONAL if all(n in entry for entry in entries))]
    arrays: dict[str, Any] = {
        name: _array([entry[name] for entry in entries], (size, len(systems), len(systems)))
        for name in names
    }
    variance = [entry["residual_variance"] for entry in entries]
    arrays["residual_variance"] = _array(variance, (size,))
    if all("anova" in entry for entry in entries):
        parts = [_of_type(dict, entry["anova"]) for entry in entries]
        figures: Any = {f.name: _array([p[f.name] for p in parts], (size,)) for f in fields(Anova)}
        arrays["anova"] = Anova(**figures)
    found = Tests(**arrays, **_chosen(Tests, settings))
    if found.against and found.against not in systems:
        raise ValueError(f"{abbreviate(found.against)} is not a system")
    return found


def _optional_array(data: Any, shape: tuple[int, ...]) -> Floats | None:
    return None if data is None else _array(data, shape)


def _array(data: Any, shape: tuple[int, ...] | None, kind: Any = np.float64) -> Any:
    """Return nested lists as an array of this shape, null as NaN."""
    found = np.asarray(_of_type(list, data), dtype=object)
    if shape is not None and found.shape != shape:
        raise ValueError(f"an array has the shape {found.shape} instead of {shape}")
    cells = found.ravel().tolist()
    if kind is np.int64:
        numbers = np.array([_of_type(int, cell) for cell in cells], dtype=np.int64)
    elif set(map(type, cells)) <= {float, NoneType}:
        numbers = _finite(np.array(cells, dtype=np.float64))
    else:
        numbers = np.array([_float(cell) for cell in cells], dtype=np.float64)
    return numbers.reshape(found.shape)


def _meta_from_plain(data: Mapping[str, Any]) -> MetaEvaluation:
    found: MetaEvaluation = _dataclass(MetaEvaluation, data)
    sizes: dict[str, int] = {"2": 2}
    sizes |= {"m": len(found.matrices.measures), "s": len(found.matrices.systems)}
    sizes |= {"t": len(found.matrices.topics), "p": len(found.discrimination.pairs)}
    for part in (getattr(found, f.name) for f in fields(found)):
        for name, letters in _SHAPES.get(type(part).__name__, {}).items():
            array = getattr(part, name)
            wanted = tuple(sizes.get(letter, -1) for letter in letters)
            if array is not None and not _fits(array.shape, wanted):
                raise ValueError(f"{name} has the shape {array.shape} instead of {wanted}")
            if array is not None and name in _RANGES:
                check_range(name, array, *_RANGES[name])
    return found


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether an array has the sizes that are known; -1 is any size."""
    return len(shape) == len(wanted) and all(
        w in (-1, n) for n, w in zip(shape, wanted, strict=True)
    )


def _axioms_from_plain(data: Mapping[str, Any]) -> AxiomTable:
    found: AxiomTable = _dataclass(AxiomTable, data)
    rows = [[(result.measure, result.axiom) for result in row] for row in found.results]
    if rows != [[(m, axiom.id) for axiom in found.axioms] for m in found.measures]:
        raise ValueError("there is not one result for every measure and axiom")
    return found


def _agreement_from_plain(data: Mapping[str, Any]) -> Agreement:
    _check_names(data, (f.name for f in fields(Agreement) if f.repr))
    found: Agreement = _dataclass(Agreement, data)
    check_agreement(found)
    return found


def _judgement_from_plain(data: Mapping[str, Any]) -> Judgement:
    _check_names(data, (f.name for f in fields(Judgement) if f.repr))
    found: Judgement = _dataclass(Judgement, data)
    check_judgement(found)
    check_agreement(found.people_agreement)
    return found


_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    _RESULT: _result_from_plain,
    _META: _meta_from_plain,
    _AXIOMS: _axioms_from_plain,
    _AGREEMENT: _agreement_from_plain,
    _JUDGEMENT: _judgement_from_plain,
}
