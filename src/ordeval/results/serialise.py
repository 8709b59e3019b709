"""Results as JSON, and back: one function over the fields of dataclasses each way.

A file may be damaged, edited or hostile. What is read back has the types that the classes declare,
and arrays whose sizes agree, or is refused; whether the numbers are plausible is not checked.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, partial
from math import isfinite, isnan, nan
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from ..archive import MAX_BYTES, STORED, read_json, unreadable
from ..data.scale import Scale
from ..display import load_kinds
from ..errors import InputError, abbreviate, quoted
from ..formatting import one_line
from ..measures.spec import Measure, parse_measure
from ..types import Array, Floats

FORMAT = "ordeval-2"
KINDS: dict[str, type] = {}  # the classes that can be stored, by the type in their JSON
_HEAD = ("format", "type", "signature")
# Sizes of tuples and arrays: m measures, s systems, t topics, k classes, p pairs of systems; n any
# size. A letter is the same number in the whole result.
_SIZES = {
    kind: dict(field.split(":") for field in sizes.split())
    for kind, sizes in {
        "Scores": "measures:m systems:s topics:t values:ms per_topic:mst undefined:ms "
        "topic_items:t item_range:2",
        "Intervals": "low:ms high:ms se:ms undefined:ms doubts:ms",
        "Tests": "residual_variance:m p:mss difference:mss effect:mss detectable:mss "
        "low:mss high:mss se:mss skew:mss inner_low:mss inner_high:mss",
        "Anova": "systems_ss:m topics_ss:m residual_ss:m systems_df:m topics_df:m residual_df:m",
        "Slices": "measures:m systems:s columns:d units:d names:g column:g items:g doubts:msg "
        "figures:msgi overall:msdj firsts:p seconds:p paired:mpgf",
        "Calibration": "parts:sn z:s x:sqw y:sqw half:sqw",
        "JudgeLabels": "weight:ms worth:ms unusable:ms",
        "Result": "tables:skk shares:nk",
        "RaterFigures": "shares:k",
        "ModelBias": "shares:k",
        "AxiomTable": "measures:m axioms:a results:ma",
        "ScoreMatrices": "measures:m systems:s topics:t scores:mst signs:m missing:ms reversals:m",
        "Similarity": "tau:mm",
        "Consistency": "tau:nm mean:m standard_error:m p:mm beats:m beaten:m effect_size:mm "
        "topic_error:m interval:m2 difference_interval:mm2",
        "DiscriminativePower": "pairs:p2 p:mp topics:m significant:m",
        "Cutpoints": "quantiles:k5",
        "Robustness": "robustness:m topics:m",
        "Coverage": "uir:ss coverage:m",
    }.items()
}


# Writing.


def to_plain(obj: Any) -> dict[str, Any]:
    """Return everything in an object as data that JSON can hold."""
    signature = getattr(obj, "signature", None)
    head = {"format": FORMAT, "type": type(obj).__name__}
    if signature is not None:
        head["signature"] = signature()
    return {**head, **plain(obj)}


def to_json(obj: Any) -> str:
    """Return an object as JSON text."""
    return _written(to_plain(obj), "\n") + "\n"


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


def plain(value: Any) -> Any:
    """Return dataclasses, arrays and tuples as dictionaries and lists.

    JSON has neither NaN, which becomes null, nor infinity, which becomes a string.
    """
    if isinstance(value, Measure):
        return value.key
    if isinstance(value, Scale):
        labels = [_label(label) for label in value.labels]
        return {"labels": labels, "values": plain(value.values), "inferred": value.inferred}
    if is_dataclass(value) and not isinstance(value, type):
        return {name: plain(getattr(value, name)) for name in stored(type(value))}
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


def stored(kind: Any) -> list[str]:
    """Return the fields and the tables made on first use that JSON holds."""
    return [*(f.name for f in fields(kind) if f.repr), *getattr(kind, "LAZY", ())]


def _without_nan(values: Floats) -> Array:
    """Return an array of numbers as `plain` shows them, without a call for each."""
    finite = np.isfinite(values)
    if finite.all():
        return values
    shown = values.astype(object)
    shown[~finite] = [plain(number) for number in values[~finite].tolist()]
    return shown


def _label(label: Any) -> Any:
    """Return a label that JSON can hold; anything but text, numbers and booleans as text."""
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, (str, int, float)) else str(label)


# Reading.


def load(path: str | Path, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read an object that `to_json` wrote.

    The file may come from a stranger: nothing in it is run, and a damaged or too large file is an
    `InputError`. It must be a regular, uncompressed file of JSON in UTF-8, with at most 32 levels
    of brackets and integers of at most 400 digits. Types and sizes are checked; whether the numbers
    belong together is not.

    Parameters
    ----------
    path : str or path
        The file.
    max_bytes : int
        The size of the largest file to read, by default 1 GiB. Reading takes a few times as much
        memory.

    Returns
    -------
    Result, Agreement, Judgement, MetaEvaluation or AxiomTable
        The object, equal to the one that was written.

    Examples
    --------
    >>> import os, tempfile
    >>> import ordeval as oe
    >>> path = os.path.join(tempfile.mkdtemp(), "result.json")
    >>> result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], draws=0)
    >>> result.to_json(path)
    >>> oe.load(path) == result
    True
    """
    data = read_json(path, max_bytes)
    kind = _kind(path, data)
    try:
        _of_type(str, data.get("signature", ""))
        return _Reader().dataclass(kind, {k: v for k, v in data.items() if k not in _HEAD})
    except InputError as problem:
        raise _edited(path, problem.message) from None
    except KeyError as problem:
        raise _edited(path, f"{abbreviate(problem.args[0])} is missing") from None
    except (TypeError, ValueError, OverflowError) as problem:
        raise _edited(path, str(problem)) from None
    except MemoryError:
        raise unreadable(path, "its content does not fit into memory") from None


def is_stored(path: str) -> bool:
    """Return whether a file begins like what `to_json` writes; no pipe is opened."""
    if not path.endswith(".json") or not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return STORED.encode() in file.read(64)


def _kind(path: object, data: Any) -> type:
    """Return the class of which a file holds an object."""
    load_kinds()
    version = data.get("format") if isinstance(data, dict) else None
    if version != FORMAT:
        known = isinstance(version, str) and version.startswith("ordeval-")
        what = f"in the format {abbreviate(version)}" if known else "not a result of ordeval"
        raise InputError(
            f"{one_line(str(path))} is {what}; a result in {FORMAT!r} is expected.",
            parameter="path",
            hint="Give a file that to_json() of this version of ordeval wrote.",
        )
    name = data.get("type")
    if not isinstance(name, str) or name not in KINDS:
        raise _edited(path, f"the type {abbreviate(name)} is not one of {quoted(KINDS)}")
    return KINDS[name]


def _edited(path: object, reason: str) -> InputError:
    return InputError(
        f"{one_line(str(path))} is a result of ordeval, but incomplete or edited: {reason}.",
        parameter="path",
        hint="Write it again with to_json().",
    )


class _Reader:
    """Reads one result; remembers the size that each letter of `_SIZES` stands for."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {"2": 2}

    def value(self, kind: Any, data: Any) -> Any:
        """Return the value of type `kind` that `plain` turned into `data`, or raise a TypeError."""
        origin, parts = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return self.one_of(parts, data)
        if origin is Literal:
            if not any(type(data) is type(part) and data == part for part in parts):
                raise TypeError(f"{abbreviate(data)} is not one of {quoted(parts, 10)}")
            return data
        if origin is tuple:
            rows = _of_type(list, data)
            kinds = parts[:1] * len(rows) if parts[-1] is ... else parts
            return tuple(self.value(part, one) for part, one in zip(kinds, rows, strict=True))
        if origin is np.ndarray:
            return _array(data, get_args(parts[1])[0])
        if getattr(origin, "__name__", "") == "NDArray":  # an alias of its own since NumPy 2.5
            return _array(data, parts[0])
        if origin is Mapping:
            entries = _of_type(dict, data).items()
            return {_key(parts[0], key): self.value(parts[1], one) for key, one in entries}
        return _any(data) if kind is Any else self.object(kind, data)

    def one_of(self, kinds: tuple[Any, ...], data: Any) -> Any:
        """Return a value of one of several types, of which None may be one."""
        if data is None and NoneType in kinds:
            return None
        others = [kind for kind in kinds if kind is not NoneType]
        for kind in others[:-1]:
            try:
                return self.value(kind, data)
            except (TypeError, ValueError):
                continue
        return self.value(others[-1], data)

    def object(self, kind: Any, data: Any) -> Any:
        if kind is Measure:
            return parse_measure(_of_type(str, data))
        if kind is Scale:
            scale = _scale(_of_type(dict, data))
            self.same("k", scale.k, "labels")
            return scale
        if kind in KINDS.values():
            return _Reader().dataclass(kind, _of_type(dict, data))
        if is_dataclass(kind):
            return self.dataclass(kind, _of_type(dict, data))
        if issubclass(kind, tuple):
            [rows] = [base for base in kind.__orig_bases__ if get_origin(base) is tuple]
            return kind(self.value(rows, data))
        return _float(data) if kind is float else _of_type(kind, data)

    def dataclass(self, kind: Any, data: Mapping[str, Any]) -> Any:
        hints, lazy = _hints(kind), getattr(kind, "LAZY", ())
        if unknown := data.keys() - set(stored(kind)):
            raise ValueError(f"{quoted(sorted(unknown))} is not known")
        kept = [f for f in fields(kind) if f.repr]
        present = [f.name for f in kept if f.name in data or _is_required(f)]
        values = {name: self.value(hints[name], data[name]) for name in present}
        for name, letters in _SIZES.get(kind.__name__, {}).items():
            if values.get(name) is not None:
                self.check_sizes(name, values[name], letters)
        if lazy:
            tables = {name: self.value(hints[name], data[name]) for name in lazy}
            values["makers"] = {name: partial(tuple, rows) for name, rows in tables.items()}
        return kind(**values)

    def check_sizes(self, name: str, value: Any, letters: str) -> None:
        """Raise a ValueError unless a tuple or an array has the sizes that it should have."""
        shape = np.shape(value)
        if shape == ():
            return  # one number for all
        if len(shape) != len(letters):
            raise ValueError(f"{name} has {len(shape)} axes instead of {len(letters)}")
        for letter, size in zip(letters, shape, strict=True):
            self.same(letter, size, name)

    def same(self, letter: str, size: int, name: str) -> None:
        if letter != "n" and self.sizes.setdefault(letter, size) != size:
            raise ValueError(f"{name} has the size {size:,} instead of {self.sizes[letter]:,}")


def _is_required(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """Return the types of fields, and of tables that are made on first use."""
    lazy = {name: get_type_hints(kind.__dict__[name].func) for name in getattr(kind, "LAZY", ())}
    return {**get_type_hints(kind), **{name: hints["return"] for name, hints in lazy.items()}}


def _of_type(kind: type, data: Any) -> Any:
    """Return data of exactly this type: JSON's true is no number."""
    if type(data) is not kind:
        raise TypeError(f"{abbreviate(data)} is not of the type {kind.__name__}")
    return data


def _any(data: Any) -> Any:
    """Return data of any type that can be stored again."""
    json.dumps(data, allow_nan=False)
    return data


def _key(kind: Any, text: str) -> Any:
    """Return the key of a mapping, which JSON holds as text."""
    if kind is Measure:
        return parse_measure(text)
    key = kind(text)
    if str(key) != text:
        raise ValueError(f"{abbreviate(text)} is not of the type {kind.__name__}")
    return key


def _scale(data: Mapping[str, Any]) -> Scale:
    """Return the scale, checked like one that a user declares."""
    reader = _Reader()
    labels = reader.value(tuple[str | bool | int | float, ...], data["labels"])
    values = reader.value(tuple[float, ...] | None, data["values"])
    checked = Scale.of(labels, values)
    if not all(map(isfinite, values or ())):
        raise ValueError("a class value is not finite")
    if [*map(type, checked.labels)] != [*map(type, labels)] or checked.labels != labels:
        raise ValueError("the labels are not those of a scale")
    return Scale(labels, values, inferred=_of_type(bool, data["inferred"]))


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


def _array(data: Any, kind: Any) -> Any:
    """Return nested lists as an array of numbers, null as NaN."""
    nested = np.asarray(_of_type(list, data), dtype=object)
    cells, whole = nested.ravel().tolist(), {np.int64: int, np.bool_: bool}.get(kind)
    if whole is not None:
        numbers = np.array([_of_type(whole, cell) for cell in cells], dtype=kind)
    elif set(map(type, cells)) <= {float, NoneType}:  # which need no look at each
        numbers = _finite(np.array(cells, dtype=np.float64))
    else:
        numbers = np.array([_float(cell) for cell in cells], dtype=np.float64)
    return numbers.reshape(nested.shape)
