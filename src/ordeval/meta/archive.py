"""Findings about measures as plain data and back."""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from math import isfinite, isnan, nan
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from .axiom_kinds import AXIOMS, Axiom
from .axioms import AXIOMS_FORMAT, AxiomTable
from .evaluation import META_FORMAT, MetaEvaluation
from .summary import Summary, SummaryRow


def plain(value: Any) -> Any:
    """Dataclasses, arrays and tuples as dictionaries and lists.

    JSON knows neither NaN (null here) nor infinity (a text).
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
    """What `plain` made `data` of, `kind` being its type as annotated."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, data)
    if origin is tuple:
        kinds = parts[:1] * len(data) if parts[-1] is ... else parts
        return tuple(restored(part, one) for part, one in zip(kinds, data, strict=True))
    if origin is np.ndarray:
        return np.asarray(data, dtype=object).astype(get_args(parts[1])[0])
    if origin is Mapping:
        return {parts[0](key): restored(parts[1], one) for key, one in data.items()}
    return _object(kind, data) if is_dataclass(kind) or kind is Summary else _simple(kind, data)


def _one_of(kinds: tuple[Any, ...], data: Any) -> Any:
    """Nothing, or the other kind; numbers and texts are what they are."""
    others = [kind for kind in kinds if kind is not NoneType]
    return data if data is None or len(others) > 1 else restored(others[0], data)


def _object(kind: Any, data: Any) -> Any:
    if kind is Summary:
        return Summary(restored(SummaryRow, row) for row in data)
    if kind is Axiom:  # the makers of its cases are code
        return next(a for a in AXIOMS if (a.id, a.task) == (data["id"], data["task"]))
    hints = get_type_hints(kind)
    return kind(**{f.name: restored(hints[f.name], data[f.name]) for f in fields(kind)})


def _simple(kind: Any, data: Any) -> Any:
    if kind is float:
        return nan if data is None else float(data) if isinstance(data, str) else data
    if isinstance(kind, type) and not isinstance(data, kind):
        raise TypeError(f"{data!r} is not of the type {kind.__name__}")
    return data


READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    META_FORMAT: partial(restored, MetaEvaluation),
    AXIOMS_FORMAT: partial(restored, AxiomTable),
}
