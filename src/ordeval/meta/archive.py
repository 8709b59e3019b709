"""Findings about measures as plain data and back, guided by the type hints of their classes."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from math import isfinite, isnan, nan
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from .axiom_search import AxiomTable
from .meta_evaluation import MetaEvaluation

_FORMATS = {"ordeval-meta-1": MetaEvaluation, "ordeval-axioms-1": AxiomTable}


def finding_to_plain(found: MetaEvaluation | AxiomTable) -> dict[str, Any]:
    """Return a finding as data for JSON, with the name of its format."""
    name = next(name for name, kind in _FORMATS.items() if type(found) is kind)
    line = {"signature": found.signature} if isinstance(found, MetaEvaluation) else {}
    return {"format": name, **line, **plain(found)}


def plain(value: Any) -> Any:
    """Return dataclasses, arrays and tuples as dictionaries and lists.

    JSON has neither NaN, which becomes null, nor infinity, which becomes a string.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return None if isnan(value) else str(value)
    return value


def restored(kind: Any, data: Any) -> Any:
    """Return the value of type `kind` that `plain` turned into `data`."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _optional(parts, data)
    if origin is tuple:
        kinds = parts[:1] * len(data) if parts[-1] is ... else parts
        return tuple(restored(part, one) for part, one in zip(kinds, data, strict=True))
    if origin is np.ndarray:
        return np.asarray(data, dtype=object).astype(get_args(parts[1])[0])
    if origin is Mapping:
        return {parts[0](key): restored(parts[1], one) for key, one in data.items()}
    return _object(kind, data) if isinstance(kind, type) else data


def _optional(kinds: tuple[Any, ...], data: Any) -> Any:
    """Restore a value that may be None; unions of several simple types stay as they are."""
    others = [kind for kind in kinds if kind is not NoneType]
    return data if data is None or len(others) > 1 else restored(others[0], data)


def _object(kind: type, data: Any) -> Any:
    if hasattr(kind, "from_plain"):
        return kind.from_plain(data)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return kind(**{f.name: restored(hints[f.name], data[f.name]) for f in fields(kind)})
    if issubclass(kind, tuple):
        [rows] = [base for base in kind.__orig_bases__ if get_origin(base) is tuple]  # type: ignore[attr-defined]
        return kind(restored(rows, data))
    if kind is float:
        return nan if data is None else float(data) if isinstance(data, str) else data
    if not isinstance(data, kind):
        raise TypeError(f"{data!r} is not of the type {kind.__name__}")
    return data


READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    name: partial(restored, kind) for name, kind in _FORMATS.items()
}
