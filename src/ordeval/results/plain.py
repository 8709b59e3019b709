"""Results as plain data and JSON text: one function over the fields of dataclasses."""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite, isnan
from typing import Any

import numpy as np

from ..data.scale import Scale
from ..measures.spec import Measure
from ..types import Array, Floats

FORMAT = "ordeval-2"


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
