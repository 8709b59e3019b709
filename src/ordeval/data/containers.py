"""Columns from any container: lists, arrays, tensors, series and categoricals of any library."""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, plural, quoted
from ..types import Array, Codes
from .column import (
    Column,
    code_type,
    group_name,
    groups_of,
    is_missing,
    is_no_group,
    parameter_of,
    spread,
)

_BITS_OF_A_DIGIT = 3.3219280948873626  # log2(10)
_LARGEST_SIGNED = np.iinfo(np.int64).max
_FEW_TEXTS = 250  # distinct ones that a library is asked for
_PLAIN = {int, float, str, bool, type(None), np.int64, np.int32, np.float64, np.float32, np.bool_}
_FRAMES = ("DataFrame", "Table", "LazyFrame", "DuckDBPyRelation")
_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "dask", "pyspark")
_NO_FRAMES = (np.ndarray, list, tuple, dict)
_NO_PROBABILITIES = "Probabilities of classes are scored by evaluate and compare, as proba=…."


def read_column(data: Any, name: str) -> Column:
    """Return labels from any container as a `Column`; `name` is used in messages."""
    column = _read(data, name)
    if column.data.ndim == 1:
        return column
    shape = "x".join(map(str, column.data.shape))
    raise InputError(
        f"{name} {f'has shape {shape}' if shape else 'is a single value'}; one label per item (a "
        "one-dimensional array) is expected.",
        parameter=parameter_of(name),
        hint=f"Pass a single column, e.g. labels.ravel(). {_NO_PROBABILITIES}" if shape else "",
    )


def _read(data: Any, name: str) -> Column:
    if type(data) is np.ndarray:
        return Column(tidy(data, name), name)
    if isinstance(data, (list, tuple, range)):
        return Column(_from_sequence(data, name), name)
    if hasattr(data, "mask") and isinstance(data, np.ndarray) and data.ndim == 1:
        return _from_masked(data, name)
    if isinstance(data, (str, bytes, bytearray, Mapping, AbstractSet)):
        kind = "single string" if isinstance(data, (str, bytes, bytearray)) else type(data).__name__
        raise _no_sequence(name, f"{kind}, {abbreviate(data)}")
    if hasattr(data, "categories") and hasattr(data, "codes"):  # pandas.Categorical
        return _categorical(data.codes, data.categories, data.ordered, name)
    if isinstance(data, np.ndarray) or is_tensor(data):
        return Column(tidy(as_array(data, name), name), name)
    if columns_of_frame(data, parameter_of(name)) is not None:
        raise InputError(
            f"{name} is a data frame; one column is expected.",
            parameter=parameter_of(name),
            hint="Pass the column itself, e.g. df['gold'].",
        )
    series = _as_series(data)
    if series is not None:
        return _from_series(series, name)
    if isinstance(data, Iterable) and not hasattr(data, "__array__"):
        return Column(_from_sequence(list(data), name), name)
    return Column(tidy(as_array(data, name), name), name)


def _no_sequence(name: str, what: str) -> InputError:
    return InputError(
        f"{name} is a {what}; a sequence of {_content(name)} is expected.",
        parameter=parameter_of(name),
    )


def _content(name: str) -> str:
    """Return what a column holds, for messages."""
    return "numbers" if name in ("weight", "frequency") else "labels"


def _from_masked(data: Any, name: str) -> Column:
    """Read an array in which masked labels are missing."""
    present = ~np.ma.getmaskarray(data)
    if present.all():
        return _read(np.asarray(data.data), name)
    column = _read(np.asarray(data.compressed()), name).coded()
    return Column(spread(column.data, present, len(column.values)), name, column.values)


def read_numbers(data: Any, name: str) -> Array:
    """Return weights or frequencies from any container as floats, NaN where one is missing.

    >>> read_numbers([1, None, Decimal("2.5")], "weight").tolist()
    [1.0, nan, 2.5]
    """
    column = _read(data, name)
    values = column.data
    if column.categories is not None:
        values = _objects((*column.categories, None))[values]
    if values.dtype.kind == "O" and values.ndim == 1:
        numbers = [np.nan if is_missing(x) else x for x in values.tolist()]
        if all(isinstance(x, (bool, int, float, np.number, np.bool_)) for x in numbers):
            with suppress(OverflowError):
                return np.asarray(numbers, dtype=np.float64)
    if values.dtype.kind not in "iubf":
        raise InputError(
            f"{name} holds values that are not numbers; one number per item, at least 0, is "
            "expected.",
            parameter=parameter_of(name),
        )
    return values.astype(np.float64, copy=False)


def is_tensor(data: Any) -> bool:
    """Return whether data is a PyTorch tensor, perhaps on another device or with gradients."""
    return hasattr(data, "detach") and hasattr(data, "cpu")


def as_array(data: Any, name: str) -> Array:
    """Return an array of any library as one of NumPy; masked numbers become NaN.

    Raises ValueError for nested sequences of different lengths.
    """
    if hasattr(data, "mask") and isinstance(data, np.ma.MaskedArray) and data.dtype.kind in "iubf":
        return np.asarray(np.ma.filled(data.astype(np.float64), np.nan))
    try:
        found = _from_tensor(data) if is_tensor(data) else np.asarray(data)
    except (TypeError, RuntimeError) as problem:  # e.g. of an array that is not in this memory
        reason = str(problem).partition("\n")[0]
        raise InputError(
            f"{name} is a {type(data).__name__} that cannot be copied into memory: "
            f"{abbreviate(reason, 200)}.",
            parameter=parameter_of(name),
            hint="Pass an array of NumPy.",
        ) from None
    if found.dtype.kind == "V" and found.dtype.names is None:  # e.g. bfloat16 of JAX
        with suppress(TypeError, ValueError):
            return found.astype(np.float32)
    if found.dtype.kind == "O" and not found.ndim:
        raise _no_sequence(name, type(data).__name__)
    return found


def _from_tensor(tensor: Any) -> Array:
    tensor = tensor.detach().cpu()
    if getattr(tensor, "is_sparse", False):
        tensor = tensor.to_dense()
    try:
        return np.asarray(tensor)
    except TypeError:  # NumPy has no bfloat16
        return np.asarray(tensor.float())


def _as_series(data: Any) -> Any | None:
    """Return a narwhals series; None for what is none."""
    import narwhals as nw

    if type(data).__module__.partition(".")[0] == "pyarrow" and hasattr(data, "null_count"):
        import pyarrow as pa

        data = data if hasattr(data, "combine_chunks") else pa.chunked_array([data])
    try:
        return nw.from_native(data, series_only=True)
    except TypeError:
        return None


def _from_series(series: Any, name: str) -> Column:
    import narwhals as nw

    native, dtype = series.to_native(), series.dtype
    if dtype in (nw.Enum, nw.Categorical, nw.String):
        categories = _categories(native, text=dtype == nw.String)
        if categories is not None:
            return _categorical(*categories, name)
    if dtype.is_nested():
        raise _nested(name, str(dtype))
    if dtype == nw.Datetime and dtype.time_zone is not None and dtype.time_unit == "ns":
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        if np.any(moments.astype("M8[us]") != moments):  # Python holds microseconds
            return Column(_times(moments), name)
    zoned = dtype.is_temporal() and (dtype != nw.Datetime or dtype.time_zone is not None)
    if zoned or (series.null_count() and dtype != nw.Datetime):
        return Column(_from_sequence(series.to_list(), name), name)
    return Column(tidy(series.to_numpy(), name), name)


def _categories(native: Any, *, text: bool) -> tuple[Any, Any, bool] | None:
    """Return codes, categories and whether these are ordered, as far as a library has them."""
    if hasattr(native, "replace_strict"):
        return _of_polars(native, text)
    if hasattr(native, "cat"):  # pandas
        return native.cat.codes, native.cat.categories, native.cat.ordered
    if not hasattr(native, "array"):
        return _of_arrow(native)
    return None if text else _of_arrow(native.array.__arrow_array__())  # of pandas


def _of_polars(native: Any, text: bool) -> tuple[Any, Any, bool] | None:
    if not text:
        if not str(native.dtype).startswith("Enum"):
            return None
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return codes, native.dtype.categories.to_list(), True
    values = native.unique().drop_nulls().sort()
    if len(values) >= _FEW_TEXTS:
        return None
    codes = native.replace_strict(values, list(range(len(values))), default=len(values))
    return codes.to_numpy(), values.to_list(), False


def _of_arrow(native: Any) -> tuple[Any, Any, bool] | None:
    if not hasattr(native.type, "index_type"):
        if str(native.type) not in ("string", "large_string"):
            return None
        native = native.dictionary_encode()
    if hasattr(native, "combine_chunks"):
        native = native.unify_dictionaries().combine_chunks()
    codes = native.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, native.dictionary.to_pylist(), native.type.ordered


def _categorical(codes: Any, categories: Any, ordered: bool, name: str) -> Column:
    """Return a column of categories; -1 or a missing category is no label."""
    given = categories.tolist() if hasattr(categories, "tolist") else list(categories)
    labels = [plain_number(label) for label in given]
    if nested := [type(x).__name__ for x in labels if type(x).__hash__ is None]:
        raise _nested(name, nested[0])
    places: dict[Any, int] = {}
    for label in labels:  # Arrow takes repeated and missing categories
        if not is_missing(label):
            places.setdefault(label, len(places))
    k = len(places)
    table = [places.get(label, k) if not is_missing(label) else k for label in labels]
    return Column(
        np.asarray([*table, k], code_type(k))[np.asarray(codes)], name, tuple(places), bool(ordered)
    )


def _nested(name: str, kind: str) -> InputError:
    return InputError(
        f"{name} holds a {kind} where a label should be; one label per item (a flat sequence) is "
        "expected.",
        parameter=parameter_of(name),
        hint=_NO_PROBABILITIES if parameter_of(name) == "y_pred" else "",
    )


def _from_sequence(data: Sequence[Any], name: str) -> Array:
    """Return numbers as a number array; mixed values stay objects (NumPy would make strings)."""
    kinds: set[Any] = set(map(type, data))
    if kinds == {int}:
        with suppress(OverflowError):
            return np.frombuffer(array("q", data), np.int64)
    if not kinds <= _PLAIN:
        data = [plain_number(_unboxed(label)) for label in data]
        kinds = set(map(type, data))
    if nested := [kind.__name__ for kind in kinds if kind.__hash__ is None or is_tensor(kind)]:
        raise _nested(name, nested[0])
    if int in kinds:
        refuse_huge(data, name)
    if not kinds:
        return _objects(data)
    if kinds <= {bool, np.bool_}:
        return np.asarray(data, dtype=np.bool_)
    if all(issubclass(k, (int, np.integer)) for k in kinds):
        return _whole(data)
    if all(issubclass(k, (int, float, np.number)) for k in kinds):
        return np.asarray(data, dtype=float)
    return _decoded(np.asarray(data), name) if kinds == {bytes} else _objects(data)


def _whole(data: Sequence[Any]) -> Array:
    """Return integers as an array of 64 bits if they fit, else as objects."""
    whole = list(map(int, data))
    try:
        return np.frombuffer(array("q", whole), np.int64)
    except OverflowError:
        return _objects(whole)


def _unboxed(value: Any) -> Any:
    """Return the value in a tensor, array or number without axes, or in a scalar of Arrow."""
    if hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return _times(np.asarray(value)).item()
    single = hasattr(value, "item") and tuple(getattr(value, "shape", (0,))) == ()
    return value.item() if single else value


def refuse_huge(data: Iterable[Any], name: str, digits: int = 300) -> None:
    """Raise an error for an integer of more digits, by default than a float can hold."""
    bits = digits * _BITS_OF_A_DIGIT
    for number in data:
        if isinstance(number, int) and number.bit_length() > bits:
            raise InputError(
                f"{name} holds {abbreviate(number)}; numbers must be below 1e{digits}.",
                parameter=name if name in ("labels", "na", "undefined") else parameter_of(name),
            )


def plain_number(label: Any) -> Any:
    """Return a decimal or fraction as an integer or a float; other labels as they are.

    >>> from decimal import Decimal
    >>> plain_number(Decimal("5.0")), plain_number(Decimal("2.5")), plain_number("5")
    (5, 2.5, '5')
    """
    if not isinstance(label, (Decimal, Fraction)):
        return label
    number = float(label)
    return int(label) if number.is_integer() else number


def tidy(data: Array, name: str) -> Array:
    """Return byte strings as text, object arrays of numbers as numbers, and times as objects."""
    kind = data.dtype.kind
    if kind in "ib":
        return data
    if kind == "S":
        return _decoded(data, name)
    if kind == "O" and data.ndim == 1:
        return _from_sequence(data.tolist(), name)
    if kind in "mM":
        return _times(data)
    if kind == "f" and data.dtype.itemsize < 4:
        return data.astype(np.float32)  # whose range holds every integer that is compared
    if data.dtype == np.uint64 and data.size and data.max() > _LARGEST_SIGNED:
        return data.astype(object)  # as signed integers they would wrap around
    if kind in "cV":
        what = f"records of {quoted(data.dtype.names)} as" if data.dtype.names else f"{data.dtype}"
        raise InputError(
            f"{name} holds {what} values; plain {_content(name)} are expected.",
            parameter=parameter_of(name),
            hint="Pass one of the fields." if data.dtype.names else "",
        )
    return data


def _times(data: Array) -> Array:
    """Return dates and times as objects of Python, or as text if these are too coarse."""
    kind = data.dtype.kind
    if np.datetime_data(data.dtype)[0] not in ("ns", "ps", "fs", "as"):
        return data.astype(object)
    coarse = data.astype(f"{kind}8[us]")
    if np.all((coarse == data) | np.isnat(data)):
        return coarse.astype(object)
    texts = np.datetime_as_string(data) if kind == "M" else data.astype(str)
    moments = np.asarray([text.replace("T", " ") for text in texts.tolist()], dtype=object)
    moments[np.isnat(data)] = None
    return moments


def _decoded(data: Array, name: str) -> Array:
    try:
        return np.strings.decode(data, "utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name} holds byte strings that are not UTF-8 text.",
            parameter=parameter_of(name),
            hint="Decode them first.",
        ) from None


def _objects(data: Sequence[Any]) -> Array:
    return np.fromiter(data, dtype=object, count=len(data))


def group_codes(given: Any, name: str, n: int) -> tuple[Codes, tuple[str, ...]]:
    """Return the group of each of n rows, none of which may be missing, and the sorted names."""
    column = read_column(given, name)
    if len(column) != n:
        raise InputError(
            f"{name} has {plural(len(column), 'value')} for {plural(n, 'row')}; one per row is "
            "expected.",
            parameter=name,
        )
    codes, names = groups_of(column)
    gap = codes == len(names)
    if gap.any():
        raise InputError(
            f"{name} has {plural(int(gap.sum()), 'empty value')}, the first at position "
            f"{int(gap.argmax())}; every row needs one.",
            parameter=name,
        )
    return codes, names


def object_array(given: Any, name: str, n: int) -> Array:
    """Return ids or texts of n items as objects."""
    column = given.to_pylist() if hasattr(given, "to_pylist") else list(given)
    if len(column) != n:
        raise InputError(
            f"{name} has {plural(len(column), 'entry', 'entries')} for {plural(n, 'item')}.",
            parameter=name,
        )
    return np.fromiter(column, object, n)


def series_name(data: Any) -> str:
    """Return the name of a series of pandas or Polars; empty if it has none that is a text."""
    library, kind = type(data).__module__.partition(".")[0], type(data).__name__
    name = data.name if library in ("pandas", "polars") and kind == "Series" else ""
    return name if isinstance(name, str) else ""


def index_of(data: Any) -> Any | None:
    """Return the index of a pandas series; None for anything else."""
    index = getattr(data, "index", None)
    if index is None or not hasattr(index, "get_indexer"):
        return None
    return index if type(data).__module__.partition(".")[0] == "pandas" else None


def row_names(data: Any) -> tuple[str, ...] | None:
    """Return the names of rows: the index of a pandas series, the parts of a name with commas.

    None if there is no index, it only counts from 0, or it does not give every row its own name.
    """
    index = index_of(data)
    if index is None or not index.is_unique:
        return None
    kind = getattr(index.dtype, "kind", "")
    if kind in ("i", "u") and np.array_equal(index.to_numpy(), np.arange(len(index))):
        return None
    parts = [name if isinstance(name, tuple) else (name,) for name in index.tolist()]
    names = tuple(", ".join(map(group_name, part)) for part in parts)
    empty = any(is_no_group(value) for part in parts for value in part)
    return None if empty or len(set(names)) < len(names) else names


def aligned(
    data: Any, gold: Any, name: str, *, against: str = "y_true", parameter: str | None = None
) -> Any:
    """Return a pandas series in the order of another one: rows that have names match by name.

    `against` is the name of the other one in messages. Anything but two series is returned as it
    is.
    """
    wanted = index_of(gold)
    given = None if wanted is None else index_of(data)
    if wanted is None or given is None or wanted is given or wanted.equals(given):
        return data
    unique = wanted.is_unique and given.is_unique
    places = given.get_indexer(wanted) if unique else np.array([-1])
    if len(wanted) == len(given) and (places >= 0).all():
        return data.iloc[places]
    problem = f"some are repeated ({quoted(given[:4], 3)})"
    if unique:
        extra, absent = given.difference(wanted, sort=False), wanted[places < 0]
        parts = [f"only {name} has {quoted(extra, 3)}"] * bool(len(extra))
        problem = "; ".join(parts + [f"only {against} has {quoted(absent, 3)}"] * bool(len(absent)))
    raise InputError(
        f"{name} and {against} are pandas series whose row labels differ: {problem}; items are "
        "matched by the row labels.",
        parameter=parameter or parameter_of(name),
        hint="Give both the same index, or match by position: call .to_numpy() or "
        ".reset_index(drop=True) on both.",
    )


def columns_of_frame(data: Any, parameter: str = "y_pred") -> dict[Any, Any] | None:
    """Return the columns of a frame in memory of pandas, Polars or Arrow by name; else None."""
    if type(data) in _NO_FRAMES:
        return None
    library, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if library not in _LIBRARIES or kind not in _FRAMES:
        return None
    if kind not in _FRAMES[:2] or library in ("dask", "pyspark"):
        raise InputError(
            f"{parameter} is a {kind}, which has not been computed.",
            parameter=parameter,
            hint="Compute it first, or pass the frame that holds all columns as {data}.",
        )
    names = data.column_names if kind == "Table" else list(data.columns)
    if repeated := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(
            f"{parameter} has several columns of the same name: {quoted(repeated)}.",
            parameter=parameter,
        )
    pandas = library == "pandas"
    columns = [data.iloc[:, i] if pandas else data[name] for i, name in enumerate(names)]
    return dict(zip(names, columns, strict=True))
