"""One column of labels from any container: list, array, series or categorical.

After `read_column` the rest of the package sees only a `Column`, and after `Column.coded` only
distinct values and the position of every row among them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from ..errors import InputError, abbreviate, first_few, plural, quoted
from ..types import Array, Codes, Ints

CHUNK = 1 << 17  # rows a step: the codes of a chunk stay in the processor's cache
_BITS_OF_A_DIGIT = 3.3219280948873626  # log2(10)
_LARGEST_BYTE = 255
_LARGEST_SIGNED = np.iinfo(np.int64).max
_EXACT = 2**53  # whole floats below are integers
_FEW_TEXTS = 250  # distinct ones that a library is asked for
_SPAN = 1 << 16  # integers within such a range are positions in it
_WHOLE_FLOAT = re.compile(r"-?[0-9]{1,16}\.0+|-0")
_MOMENT = re.compile(  # second, fraction, zone
    r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d(?::?\d\d)?)?"
)
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "dask", "pyspark")
_NO_FRAMES = (np.ndarray, list, tuple, dict)  # which are told fast


@dataclass(eq=False)  # frozen ones are slow to make
class Column:
    """Labels of N rows.

    Parameters
    ----------
    data : ndarray of shape (n_rows,)
        Integers, floats or Python objects; with `categories`, positions in it, and their number
        where a label is missing.
    name : str
        The name of the column in messages.
    categories : sequence, optional
        The distinct values; some may belong to no row.
    ordered : bool
        Whether the categories have an order.
    full : bool
        Whether it is known that the first and the last category occur, and that no label is
        missing.
    """

    data: Array
    name: str
    categories: Sequence[Any] | None = None
    ordered: bool = False
    full: bool = False

    def __len__(self) -> int:
        return len(self.data)

    @property
    def is_integer(self) -> bool:
        """Whether the labels themselves are integers (or booleans)."""
        return self.categories is None and self.data.dtype.kind in "iub"

    @property
    def is_numeric(self) -> bool:
        """Whether the labels are held as numbers."""
        return self.categories is None and self.data.dtype.kind in "iubf"

    def take(self, rows: Any) -> "Column":
        """Return some of the rows."""
        return replace(self, data=self.data[rows], full=False)

    def coded(self) -> "Column":
        """Return the column as positions among distinct values."""
        if self.categories is not None:
            return self
        codes, values = _factor(self.data)
        return Column(codes, self.name, values, full=self.data.dtype.kind in "iu")

    @property
    def values(self) -> Sequence[Any]:
        """The distinct values of a coded column."""
        assert self.categories is not None
        return self.categories

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the largest position in a coded column that is not empty."""
        if self.full:
            return 0, len(self.values) - 1
        return int(np.minimum.reduce(self.data)), int(np.maximum.reduce(self.data))

    @cached_property
    def rows(self) -> Ints:
        """How many rows of a coded column have each value; the last number is that of gaps."""
        return np.bincount(self.data, minlength=len(self.values) + 1)

    def distinct(self) -> list[Any]:
        """Return the distinct labels, without missing ones."""
        found = self.coded()
        return [value for value, n in zip(found.values, found.rows.tolist(), strict=False) if n]


def code_type(k: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type that holds the codes of K classes, and K for none."""
    return np.uint8 if k < 2**8 else np.uint16 if k < 2**16 else np.uint32


def recoded(codes: Array, table: Array) -> Array:
    """Return the entries of a table for codes, chunk by chunk."""
    if len(codes) <= CHUNK:
        return np.asarray(table[codes])
    found = np.empty(len(codes), table.dtype)
    for start in range(0, len(codes), CHUNK):
        found[start : start + CHUNK] = table[codes[start : start + CHUNK]]
    return found


def _factor(data: Array) -> tuple[Array, Sequence[Any]]:
    """Return positions among distinct values, and these; their number stands for missing ones."""
    kind = data.dtype.kind
    if kind == "b":
        return data.view(np.uint8), (False, True)
    if kind in "iu":
        return _of_integers(data)
    if kind == "f":
        return _of_floats(data)
    return _of_objects(data)


def _of_integers(data: Array) -> tuple[Array, Sequence[Any]]:
    if not len(data):
        return np.empty(0, np.uint8), ()
    low = int(np.minimum.reduce(data[:CHUNK]))
    codes, top = np.empty(len(data), np.uint8), 0
    for start in range(0, len(data), CHUNK):
        part = data[start : start + CHUNK].astype(np.intp, copy=False)
        part = part - low if low else part
        highest = int(
            np.maximum.reduce(part.view(np.uintp))
        )  # negative numbers are huge as unsigned ones
        if highest >= _LARGEST_BYTE:
            return _of_wide_integers(data)
        top = max(top, highest)
        codes[start : start + CHUNK] = part
    return codes, range(low, low + top + 1)


def _of_wide_integers(data: Array) -> tuple[Array, Sequence[Any]]:
    low, high = int(data.min()), int(data.max())
    if high - low < min(_SPAN, max(CHUNK, len(data))):
        codes = data.astype(np.intp, copy=False) - low
        return codes.astype(code_type(high - low + 1)), range(low, high + 1)
    values, places = np.unique(data, return_inverse=True)
    return places.astype(code_type(len(values))), tuple(values.tolist())


def _of_floats(data: Array) -> tuple[Array, Sequence[Any]]:
    missing = np.isnan(data)
    gaps = bool(missing.any())
    present = data[~missing] if gaps else data
    if len(present) and np.abs(present).max() < _EXACT and np.all(present == np.floor(present)):
        codes, values = _of_integers(present.astype(np.int64))
    else:
        distinct, places = np.unique(present, return_inverse=True)
        codes, values = places.astype(code_type(len(distinct))), tuple(distinct.tolist())
    if not gaps:
        return codes, values
    spread = np.full(len(data), len(values), code_type(len(values)))
    spread[~missing] = codes
    return spread, values


def _of_objects(data: Array) -> tuple[Array, Sequence[Any]]:
    index: defaultdict[Any, int] = defaultdict(count().__next__)
    places = np.empty(len(data), np.uint32)
    for start in range(0, len(data), CHUNK):
        part = data[start : start + CHUNK].tolist()
        places[start : start + CHUNK] = [index[label] for label in part]
    absent = [value for value in index if not isinstance(value, str) and is_missing(value)]
    values = tuple(index) if not absent else tuple(v for v in index if not is_missing(v))
    if not absent:
        return places.astype(code_type(len(values)), copy=False), values
    kept = count()
    table = [len(values) if is_missing(value) else next(kept) for value in index]
    return np.asarray(table, code_type(len(values)))[places], values


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
        hint="Pass a single column, e.g. labels.ravel(); of probabilities the likeliest class, "
        "labels[probabilities.argmax(axis=1)]."
        if shape
        else "",
    )


def _read(data: Any, name: str) -> Column:
    if type(data) is np.ndarray:
        return Column(tidy(as_array(data, name), name), name)
    if _is_masked_type(data) and data.ndim == 1:
        return _from_masked(data, name)
    if isinstance(data, (str, bytes, bytearray, Mapping, AbstractSet)):
        kind = "single string" if isinstance(data, (str, bytes, bytearray)) else type(data).__name__
        raise InputError(
            f"{name} is a {kind}, {abbreviate(data)}; a sequence of {_content(name)} is expected.",
            parameter=parameter_of(name),
        )
    if isinstance(data, (list, tuple, range)):
        return Column(_from_sequence(data, name), name)
    if isinstance(data, np.ndarray) or is_tensor(data):
        return Column(tidy(as_array(data, name), name), name)
    if hasattr(data, "categories") and hasattr(data, "codes"):  # pandas.Categorical
        return _categorical(data.codes, data.categories, data.ordered, name)
    if type(data).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(data, name)
    series = _as_series(data)
    if series is not None:
        return _from_series(series, name)
    if columns_of_frame(data, parameter_of(name)) is not None:
        raise InputError(
            f"{name} is a data frame; one column is expected.",
            parameter=parameter_of(name),
            hint="Pass the column itself, e.g. df['gold'].",
        )
    if isinstance(data, Iterable) and not hasattr(data, "__array__"):
        return Column(_from_sequence(list(data), name), name)
    return Column(tidy(as_array(data, name), name), name)


def _is_masked_type(data: Any) -> bool:
    """Return whether data are a masked array, of a library that is slow to import."""
    return isinstance(data, np.ndarray) and hasattr(data, "mask")


def _from_masked(data: Any, name: str) -> Column:
    """Read an array in which masked labels are missing."""
    mask = np.ma.getmaskarray(data)
    if not mask.any():
        return _read(np.asarray(data.data), name)
    present = _read(np.asarray(data.compressed()), name).coded()
    k = len(present.values)
    codes = np.full(len(mask), k, code_type(k))
    codes[~mask] = present.data
    return Column(codes, name, present.values)


def read_numbers(data: Any, name: str) -> Array:
    """Return weights or frequencies from any container as floats, NaN where one is missing.

    >>> read_numbers([1, None, Decimal("2.5")], "weight").tolist()
    [1.0, nan, 2.5]
    """
    column = _read(data, name)
    found = column.data
    if column.categories is not None:
        found = _objects((*column.categories, None))[found]
    if found.dtype.kind == "O" and found.ndim == 1:
        values = [np.nan if is_missing(x) else x for x in found.tolist()]
        if all(isinstance(x, (bool, int, float, np.number, np.bool_)) for x in values):
            with suppress(OverflowError):
                return np.asarray(values, dtype=np.float64)
    if found.dtype.kind not in "iubf":
        raise InputError(
            f"{name} holds values that are not numbers; one number per item, at least 0, is "
            "expected.",
            parameter=parameter_of(name),
        )
    return found.astype(np.float64, copy=False)


def is_tensor(data: Any) -> bool:
    """Return whether data is a PyTorch tensor, perhaps on another device or with gradients."""
    return hasattr(data, "detach") and hasattr(data, "cpu")


def as_array(data: Any, name: str) -> Array:
    """Return an array of any library as one of NumPy; masked numbers become NaN.

    Raises ValueError for nested sequences of different lengths.
    """
    if _is_masked_type(data) and np.ma.is_masked(data) and data.dtype.kind in "iubf":
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
        raise InputError(
            f"{name} is a {type(data).__name__}; a sequence of {_content(name)} is expected.",
            parameter=parameter_of(name),
        )
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
    import narwhals as nw

    try:
        return nw.from_native(data, series_only=True)
    except TypeError:
        return None


def _from_series(series: Any, name: str) -> Column:
    import narwhals as nw

    native, dtype = series.to_native(), series.dtype
    if dtype == nw.Enum and hasattr(native, "to_physical"):  # Polars
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return _categorical(codes, native.dtype.categories.to_list(), True, name)
    if dtype in (nw.Enum, nw.Categorical) and hasattr(native, "array"):  # pandas
        if not hasattr(native, "cat"):  # a dictionary of Arrow
            return _from_arrow(native.array.__arrow_array__(), name)
        return _categorical(native.cat.codes, native.cat.categories, native.cat.ordered, name)
    if dtype == nw.String and hasattr(native, "replace_strict"):  # Polars
        values = native.unique().drop_nulls().sort()
        if len(values) < _FEW_TEXTS:
            codes = native.replace_strict(values, list(range(len(values))), default=len(values))
            return Column(codes.to_numpy().astype(np.uint8), name, tuple(values.to_list()))
    if dtype.is_nested():
        raise _nested(name, str(dtype))
    if dtype == nw.Datetime and dtype.time_zone is None:
        return Column(tidy(series.to_numpy(), name), name)
    if dtype == nw.Datetime and dtype.time_unit == "ns":  # of which Python holds microseconds
        moments = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None).to_numpy()
        if np.any(moments.astype("M8[us]") != moments):
            return Column(_times(moments), name)
    if series.null_count() or dtype.is_temporal():
        return Column(_from_sequence(series.to_list(), name), name)
    return Column(tidy(series.to_numpy(), name), name)


def _from_arrow(data: Any, name: str) -> Column:
    """Read an Arrow array, chunked or not; a dictionary type may have an order."""
    if not hasattr(data, "null_count"):
        raise InputError(
            f"{name} is a pyarrow {type(data).__name__}; one column of it is expected.",
            parameter=parameter_of(name),
        )
    if hasattr(data, "combine_chunks"):
        with_one = data.unify_dictionaries() if hasattr(data.type, "index_type") else data
        data = with_one.combine_chunks()
    if hasattr(data, "dictionary"):
        codes = data.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        return _categorical(codes, data.dictionary.to_pylist(), data.type.ordered, name)
    kind = str(data.type)
    if kind in ("string", "large_string"):
        return _from_arrow(data.dictionary_encode(), name)
    if kind.startswith(("list", "large_list", "struct", "map", "fixed_size_list")):
        raise _nested(name, kind)
    if data.null_count or kind == "string_view":
        return Column(_from_sequence(data.to_pylist(), name), name)
    try:
        found = data.to_numpy(zero_copy_only=False)
    except (NotImplementedError, ValueError):  # e.g. run-end encoded
        found = _objects(data.to_pylist())
    return Column(tidy(found, name), name)


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
    found = np.asarray([*table, k], code_type(k))[np.asarray(codes)]
    return Column(found, name, tuple(places), bool(ordered))


def _nested(name: str, kind: str) -> InputError:
    return InputError(
        f"{name} holds a {kind} where a label should be; one label per item (a flat sequence) is "
        "expected.",
        parameter=parameter_of(name),
    )


def _from_sequence(data: Sequence[Any], name: str) -> Array:
    """Return numbers as a number array; mixed values stay objects (NumPy would make strings)."""
    kinds: set[Any] = set(map(type, data))
    if any(_is_box(kind) or issubclass(kind, (Decimal, Fraction)) for kind in kinds):
        data = [plain_number(_unboxed(label)) for label in data]
        kinds = set(map(type, data))
    nested = [kind.__name__ for kind in kinds if kind.__hash__ is None or is_tensor(kind)]
    if nested:
        raise _nested(name, nested[0])
    if kinds and kinds <= {bool, np.bool_}:
        return np.asarray(data, dtype=np.bool_)
    if kinds and all(issubclass(k, (int, np.integer)) for k in kinds):
        found = np.asarray(data)
        # Beyond 64 bits with a sign NumPy wraps around or rounds.
        exact = found.dtype.kind in "iu" and found.dtype != np.uint64
        return found if exact else _whole(data, name)
    if int in kinds:
        refuse_huge(data, name)
    if kinds and all(issubclass(k, (int, float, np.number)) for k in kinds):
        return np.asarray(data, dtype=float)
    if kinds and kinds <= {bytes, np.bytes_}:
        return _decoded(np.asarray(data), name)
    return _objects(data)


def _whole(data: Iterable[Any], name: str) -> Array:
    """Return integers of any size: as an array of 64 bits if they fit, else as objects."""
    whole = list(map(int, data))
    refuse_huge(whole, name)
    small = all(-_LARGEST_SIGNED <= x <= _LARGEST_SIGNED for x in whole)
    return np.asarray(whole, dtype=np.int64) if small else _objects(whole)


def _is_box(kind: type) -> bool:
    """Whether values of a type hold one value: tensors and arrays without axes, Arrow's scalars."""
    numpy = issubclass(kind, (np.ndarray, np.uint64, np.datetime64, np.timedelta64))
    return numpy or is_tensor(kind) or hasattr(kind, "as_py")


def _unboxed(value: Any) -> Any:
    """Return the value in a tensor or array without axes, or in a scalar of Arrow."""
    if hasattr(value, "as_py"):
        return value.as_py()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return _times(np.asarray(value)).item()
    boxed = _is_box(type(value)) and tuple(value.shape) == ()
    return value.item() if boxed else value


def refuse_huge(data: Iterable[Any], name: str, digits: int = 300) -> None:
    """Raise an error for an integer of more digits, by default than a float can hold."""
    bits = digits * _BITS_OF_A_DIGIT
    for number in data:
        if isinstance(number, int) and number.bit_length() > bits:
            raise InputError(
                f"{name} holds {abbreviate(number)}; numbers must be below 1e{digits}.",
                parameter=name if name in ("labels", "na", "undefined") else parameter_of(name),
            )


def _is_text(value: Any) -> bool:
    return isinstance(value, (str, bytes))


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
    found = np.asarray([text.replace("T", " ") for text in texts.tolist()], dtype=object)
    found[np.isnat(data)] = None
    return found


def _decoded(data: Array, name: str) -> Array:
    try:
        return np.strings.decode(data, "utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name} holds byte strings that are not UTF-8 text.",
            parameter=parameter_of(name),
            hint="Decode them first.",
        ) from None


def parameter_of(name: str) -> str:
    """Return the parameter that a column was given as; systems have names of their own."""
    return name if is_parameter(name) else "y_pred"


def _content(name: str) -> str:
    """Return what a column holds, for messages."""
    return "numbers" if name in ("weight", "frequency") else "labels"


def is_parameter(name: str) -> bool:
    """Return whether messages about a column of this name are about a parameter."""
    return name in ("y_true", "topic", "cluster", "weight", "frequency", "rate")


def group_name(value: Any) -> str:
    """Return the name of a topic or cluster: its text, whole numbers without a point, times in UTC.

    The same names come from integers, from floats, which integers beside gaps may have become, from
    times of every library, and from files, which hold text.

    >>> group_name(1), group_name(1.0), group_name("1.0"), group_name(2.5), group_name("1.10")
    ('1', '1', '1', '2.5', '1.10')
    >>> group_name("-0"), group_name("2024-03-31T01:30:00.500+01:00")
    ('0', '2024-03-31 00:30:00.500000')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value)
    if moment := _MOMENT.fullmatch(text):
        return _in_utc(text, *moment.groups())
    return str(int(text.partition(".")[0])) if _WHOLE_FLOAT.fullmatch(text) else text


def _in_utc(text: str, second: str, fraction: str | None, zone: str | None) -> str:
    """Return the text of a time as Python writes it, but with nanoseconds, and without a zone."""
    try:
        moment = datetime.fromisoformat(f"{second}{zone or ''}")
        moment = moment.astimezone(UTC).replace(tzinfo=None) if zone else moment
    except (ValueError, OverflowError):
        return text
    digits = (fraction or "").rstrip("0")
    return f"{moment}.{digits.ljust(6 if len(digits) <= 6 else 9, '0')}" if digits else str(moment)


def sorted_names(names: Iterable[str]) -> list[str]:
    """Sort names: numbers by size, then other texts by their characters, the same way everywhere.

    >>> sorted_names(["b", "10", "-2", "9", "1.5", "B"])
    ['-2', '1.5', '9', '10', 'B', 'b']
    """
    numbers, texts = list[str](), list[str]()
    for name in names:
        (numbers if _NUMBER.fullmatch(name) else texts).append(name)
    return [*sorted(numbers, key=lambda name: (Decimal(name), name)), *sorted(texts)]


def groups_of(column: Column) -> tuple[Codes, tuple[str, ...]]:
    """Return for every row a position in the sorted names of groups (their number is none)."""
    found = column.coded()
    used = np.flatnonzero(found.rows[:-1])
    given = {i: found.values[i] for i in used.tolist()}
    numbers = _whole_numbers(list(given.values()))
    if numbers is not None:
        order = np.argsort(numbers)
        places = np.full(len(found.values) + 1, len(used), dtype=np.intp)
        places[used[order]] = np.arange(len(used))
        return recoded(found.data, places), tuple(map(str, numbers[order].tolist()))
    names = {i: group_name(value) for i, value in given.items() if not is_no_group(value)}
    ordered = sorted_names(set(names.values()))  # 1 and "1" are one topic, as in files
    position = {name: i for i, name in enumerate(ordered)}
    table = np.full(len(found.values) + 1, len(ordered), dtype=np.intp)
    table[list(names)] = [position[name] for name in names.values()]
    return recoded(found.data, table), tuple(ordered)


def _whole_numbers(values: list[Any]) -> Ints | None:
    """Return values as integers if all are written as such, which are sorted much faster."""
    kinds = set(map(type, values))
    if kinds != {int} and (kinds != {str} or not values[0].lstrip("-").isdecimal()):
        return None
    try:
        numbers = [int(value) for value in values]
        written = kinds == {int} or list(map(str, numbers)) == values
        return np.asarray(numbers, dtype=np.int64) if written else None
    except (OverflowError, ValueError):
        return None


def group_codes(given: Any, name: str, n: int) -> tuple[Codes | None, tuple[str, ...]]:
    """Return the group of each of n rows, none of which may be missing, and the sorted names."""
    if given is None:
        return None, ()
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


def series_name(data: Any) -> str:
    """Return the name of a series of pandas or Polars; empty if it has none that is a text."""
    library, kind = type(data).__module__.partition(".")[0], type(data).__name__
    name = data.name if library in ("pandas", "polars") and kind == "Series" else ""
    return name if isinstance(name, str) else ""


def _objects(data: Sequence[Any]) -> Array:
    return np.fromiter(data, dtype=object, count=len(data))


def is_missing(label: Any) -> bool:
    """Return whether a label is missing: None, NaN, or pandas' NA or NaT."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(label, (float, np.floating)) and bool(label != label)


def is_no_group(value: Any) -> bool:
    """Return whether a topic or cluster is missing: an empty text is, which CSV has for no value.

    >>> is_no_group(""), is_no_group(None), is_no_group(" "), is_no_group(0)
    (True, True, False, False)
    """
    return is_missing(value) or (isinstance(value, str) and not value)


class MissingCodes:
    """Values that stand for a missing label, such as 99 or ".".

    Numbers match by size, texts without surrounding spaces. With `text`, for files, a text matches
    by its number, too.

    Parameters
    ----------
    given : value, iterable of values or None
        The codes.
    text : bool
        Whether labels are text.
    """

    def __init__(self, given: Any, *, text: bool = False) -> None:
        self.codes: tuple[Any, ...] = ()
        self._texts: frozenset[str] = frozenset()
        self._numbers: frozenset[float] = frozenset()
        self._text = text
        if given is None:
            return
        several = isinstance(given, Iterable) and not _is_text(given)
        self.codes = tuple(map(plain_number, given if several else (given,)))
        refuse_huge(self.codes, "na")
        if nested := [c for c in self.codes if isinstance(c, Iterable) and not _is_text(c)]:
            raise InputError(
                f"na holds a {type(nested[0]).__name__}; values that stand for a missing label are "
                "expected.",
                parameter="na",
            )
        self._texts = frozenset(str(code).strip() for code in self.codes)
        found = (as_number(code) for code in self.codes)
        self._numbers = frozenset(number for number in found if number is not None)

    def __bool__(self) -> bool:
        return bool(self.codes)

    def __contains__(self, label: Any) -> bool:
        if isinstance(label, str):
            word = label.strip()
            return word in self._texts or (self._text and as_number(word) in self._numbers)
        number = is_number(label) or isinstance(label, Decimal)
        return label in self._numbers if number else str(label) in self._texts

    def beside(self, suggest: Mapping[str, Any]) -> dict[str, Any]:
        """Return suggested settings; codes are suggested together with those given."""
        found = dict(suggest)
        if self and "na" in found:
            more = found["na"] if isinstance(found["na"], list) else [found["na"]]
            found["na"] = [*self.codes, *more]
        return found

    def refuse_labels(self, labels: Iterable[Any]) -> None:
        """Raise an error for a declared label that is also a code."""
        both = [label for label in labels if label in self]
        if both:
            raise InputError(
                f"{quoted(both)} is declared as a label and as a code for missing labels.",
                parameter="na",
            )


def as_number(value: Any) -> float | None:
    """Return the number that a value is, or that a text reads as; None if there is none."""
    if not is_number(value) and not isinstance(value, str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def is_number(label: Any) -> bool:
    """Return whether a label is a number; truth values are not."""
    return isinstance(label, (int, float, np.integer, np.floating)) and not isinstance(label, bool)


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
    if index is None or _counts_from_0(index) or not index.is_unique:
        return None
    parts = [name if isinstance(name, tuple) else (name,) for name in index.tolist()]
    names = tuple(", ".join(map(group_name, part)) for part in parts)
    empty = any(is_no_group(value) for part in parts for value in part)
    return None if empty or len(set(names)) < len(names) else names


def _counts_from_0(index: Any) -> bool:
    """Return whether an index of pandas holds nothing but the positions of the rows."""
    kind = getattr(index.dtype, "kind", "")
    return kind in ("i", "u") and np.array_equal(index.to_numpy(), np.arange(len(index)))


def aligned(
    data: Any, gold: Any, name: str, *, against: str = "y_true", parameter: str | None = None
) -> Any:
    """Return a pandas series in the order of another one: rows that have names match by name.

    `against` is the name of the other one in messages. Anything but two series is returned as it
    is, and so is a series of another length, about which `check_same_length` has more to say.
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
    frames = ("DataFrame", "Table", "LazyFrame", "DuckDBPyRelation")
    if library not in _LIBRARIES or kind not in frames:
        return None
    if kind not in frames[:2] or library in ("dask", "pyspark"):
        raise InputError(
            f"{parameter} is a {kind}, which has not been computed.",
            parameter=parameter,
            hint="Compute it first, or pass the frame that holds all columns as {data}.",
            suggest={"data": ...},
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


def check_same_length(columns: Sequence[Column]) -> int:
    """Return the common length of the columns; raise an error if they differ."""
    first, *others = columns
    n = len(first)
    odd = [column for column in others if len(column) != n]
    if not n and not odd:
        raise InputError(
            f"There are no items: {first.name[:60]} is empty.",
            parameter=parameter_of(first.name),
        )
    if odd:
        lengths = [f"{c.name[:60]}: {len(c):,}" for c in (first, *odd)]
        raise InputError(
            f"The columns differ in length ({first_few(lengths, 6)}); every item needs a label in "
            "each.",
            parameter=parameter_of(odd[-1].name),
            hint="Check that all list the same items in the same order.",
        )
    return n
