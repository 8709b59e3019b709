"""Findings as JSON-ready data."""

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Dataclasses, arrays and tuples as dictionaries and lists; undefined numbers are null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value
