"""Labels in every container against a plain count of Python lists."""

import array
import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

import ordeval as oe
from ordeval import InputError

from ..driver import Broken, Case

_INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_FLOATS = ("float16", "float32", "float64", "longdouble")
_GAP = None


def _masked(x: Sequence[Any]) -> Any:
    return np.ma.array([0 if v is None else v for v in x], mask=[v is None for v in x])


def _pandas(dtype: str) -> Callable[[Sequence[Any]], Any]:
    def make(x: Sequence[Any]) -> Any:
        import pandas as pd

        return pd.Series(list(x), dtype=dtype)

    return make


def _pandas_category(x: Sequence[Any]) -> Any:
    import pandas as pd

    known = sorted({v for v in x if v is not None})
    return pd.Series(pd.Categorical(list(x), categories=known, ordered=True))


def _polars(dtype: str) -> Callable[[Sequence[Any]], Any]:
    def make(x: Sequence[Any]) -> Any:
        import polars as pl

        return pl.Series("x", list(x), dtype=getattr(pl, dtype))

    return make


def _arrow(dtype: str) -> Callable[[Sequence[Any]], Any]:
    def make(x: Sequence[Any]) -> Any:
        import pyarrow as pa

        half = len(x) // 2
        kind = getattr(pa, dtype)()
        return pa.chunked_array([pa.array(list(x[:half]), kind), pa.array(list(x[half:]), kind)])

    return make


def _arrow_dictionary(x: Sequence[Any]) -> Any:
    import pyarrow as pa

    return pa.array(list(x)).dictionary_encode()


def _torch(dtype: str) -> Callable[[Sequence[Any]], Any]:
    def make(x: Sequence[Any]) -> Any:
        import torch

        return torch.tensor(list(x), dtype=getattr(torch, dtype))

    return make


_PLAIN: dict[str, Callable[[Sequence[Any]], Any]] = {  # of numbers without gaps
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "array": lambda x: array.array("q", x),
    "memoryview": lambda x: memoryview(array.array("i", x)),
    "numpy reversed view": lambda x: np.array(list(x)[::-1])[::-1],
    "numpy strided": lambda x: np.repeat(np.array(x), 3)[::3],
    "numpy big-endian": lambda x: np.array(x, dtype=">i4"),
    "numpy scalars": lambda x: [np.uint64(v) for v in x],
    "numpy object": lambda x: np.array(list(x), dtype=object),
    **{f"numpy {d}": partial(np.array, dtype=d) for d in (*_INTEGERS, *_FLOATS)},
    **{f"pandas {d}": _pandas(d) for d in (*_INTEGERS, "float32")},
    **{
        f"torch {d}": _torch(d)
        for d in ("int8", "int64", "uint8", "float32", "float16", "bfloat16")
    },
}
_WITH_GAPS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "list with gaps": list,
    "list with NaN": lambda x: [float("nan") if v is None else v for v in x],
    "numpy NaN": lambda x: np.array([np.nan if v is None else v for v in x]),
    "numpy masked": _masked,
    **{f"pandas {d}": _pandas(d) for d in ("Int8", "Int64", "UInt64", "Float64", "object")},
    "pandas arrow": _pandas("int64[pyarrow]"),
    "pandas category": _pandas_category,
    **{f"polars {d}": _polars(d) for d in ("Int8", "Int64", "UInt32", "UInt64", "Float32")},
    **{f"arrow {d}": _arrow(d) for d in ("int8", "uint64", "float32", "float64")},
    "arrow dictionary": _arrow_dictionary,
}
_TEXTS: dict[str, Callable[[Sequence[Any]], Any]] = {
    "list of text": list,
    "numpy text": lambda x: np.array(["" if v is None else v for v in x]),
    **{f"pandas {d} of text": _pandas(d) for d in ("object", "string", "str")},
    "pandas category of text": _pandas_category,
    **{f"polars {d}": _polars(d) for d in ("String", "Categorical")},
    **{f"arrow {d}": _arrow(d) for d in ("string", "large_string")},
    "arrow dictionary of text": _arrow_dictionary,
}


def draw(rng: random.Random) -> Case:
    """Return labels, the containers of gold and predictions, and perhaps weights and a frame."""
    length = rng.choice((1, 2, 3, 10, 40))
    family, gaps = rng.choice((("numbers", False), ("numbers", True), ("text", True)))
    pool: list[Any] = [1, 2, 3, 4] if family == "numbers" else ["low", "mid", "high", "top"]
    given = pool + ([_GAP] if gaps else [])
    makers = sorted(_makers(family, gaps))
    gold, pred = ([rng.choice(given) for _ in range(length)] for _ in range(2))
    door = rng.choice(("columns", "columns", "pandas frame", "polars frame", "arrow table"))
    return {
        "kind": f"{family}{' with gaps' if gaps else ''}, {door}",
        "family": family,
        "door": door,
        "labels": pool,
        "gold": gold,
        "pred": pred,
        "as": [rng.choice(makers), rng.choice(makers)],
        "frequency": [rng.randrange(1, 4) for _ in range(length)] if rng.random() < 0.3 else None,
    }


def _makers(family: str, gaps: bool) -> dict[str, Callable[[Sequence[Any]], Any]]:
    if family == "text":
        return _TEXTS
    if gaps:
        return _WITH_GAPS
    torch = find_spec("torch") is not None
    return {name: make for name, make in _PLAIN.items() if torch or not name.startswith("torch")}


def check(case: Case) -> str:
    """Count by ordeval and plainly, and compare."""
    n = min(len(case[key]) for key in ("gold", "pred"))
    gold, pred = case["gold"][:n], case["pred"][:n]
    times = (case["frequency"] or [1] * n)[:n] + [1] * (n - len(case["frequency"] or [1] * n))
    plain: Counter[tuple[Any, Any]] = Counter()
    for g, p, t in zip(gold, pred, times, strict=True):
        if g is not _GAP and p is not _GAP:
            plain[g, p] += t
    try:
        counts = _counted(case, gold, pred, times if case["frequency"] else None)
    except InputError as error:
        if not plain or ("as" in case and "numpy text" in case["as"]):
            return "refused"  # nothing is left, or "" is text in an array
        raise Broken(f"refused: {str(error)[:150]}") from None
    table = counts.table.reshape(len(counts.scale.labels), -1)
    ours = {
        (g, p): int(table[i, j])
        for i, g in enumerate(counts.scale.labels)
        for j, p in enumerate(counts.scale.labels)
        if table[i, j]
    }
    if ours != dict(plain):
        raise Broken(f"counts differ: {ours}, plain {dict(plain)}")
    return "counted"


def _counted(case: Case, gold: list[Any], pred: list[Any], times: list[int] | None) -> oe.Counts:
    options: dict[str, Any] = {"labels": case["labels"], "missing": "skip"}
    if case["door"] == "columns":
        gaps = _GAP in (*gold, *pred)
        makers = {**_PLAIN, **_WITH_GAPS, **_TEXTS} if not gaps else {**_WITH_GAPS, **_TEXTS}
        first, second = (makers[name](x) for name, x in zip(case["as"], (gold, pred), strict=True))
        return oe.Counts.from_labels(first, second, frequency=times, **options)
    columns = {"gold": gold, "pred": pred, **({"n": times} if times else {})}
    frame = _frame(case["door"], columns)

    items = oe.read(frame, pred="pred", frequency="n" if times else None, **options)
    return items.counts()


def _frame(door: str, columns: dict[str, Any]) -> Any:
    if door == "polars frame":
        import polars as pl

        return pl.DataFrame(columns)
    if door == "arrow table":
        import pyarrow as pa

        return pa.table(columns)
    import pandas as pd

    return pd.DataFrame(columns)
