"""One column of labels from any container: list, array, series or categorical.

After `read_column` the rest of the package sees only a `Column`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from .errors import InputError, abbreviate, quoted
from .types import Array

_LARGEST_SIGNED = np.iinfo(np.int64).max
_WHOLE_FLOAT = re.compile(r"-?[0-9]{1,16}\.0+|-0")
_SPREADSHEET_ERROR = re.compile(r"#[^\W_a-z\d][^\s_a-z]*[!?]?")  # #DIV/0!, #N/A, #NV, …
_USUAL_CODES = frozenset(
    (".", "..", "...", "-", "--", "–", "—", "?", "*", "/", "n/a", "na", "n.a.", "nan", "null")
) | {"missing", "k.a."}


# How frames that are not in memory are computed.
_LAZY = {
    ("polars", "LazyFrame"): "collect",
    ("duckdb", "DuckDBPyRelation"): "df",
    ("_duckdb", "DuckDBPyRelation"): "df",
    ("dask", "DataFrame"): "compute",
    ("pyspark", "DataFrame"): "toPandas",
}


_NO_FRAMES = (np.ndarray, list, tuple, dict)  # which are told fast


@dataclass(frozen=True, eq=False)
class Column:
    """Labels of N items.

    Parameters
    ----------
    data : ndarray of shape (n_items,)
        Integers, floats or Python objects; with `categories`, positions in it and -1 for missing.
    name : str
        The name of the column in messages.
    categories : tuple, optional
        The labels of a categorical column.
    ordered : bool
        Whether the categories have an order.
    """

    data: Array
    name: str
    categories: tuple[Any, ...] | None = None
    ordered: bool = False

    def __len__(self) -> int:
        return len(self.data)

    @property
    def is_integer(self) -> bool:
        """Whether the labels themselves are integers (or booleans)."""
        return self.categories is None and self.data.dtype.kind in "iub"

    def values(self, chosen: Array) -> list[Any]:
        """Return some of the labels, None for missing categories."""
        found: list[Any] = self.data[chosen].tolist()
        if self.categories is None:
            return found
        return [None if code < 0 else self.categories[code] for code in found]

    def distinct(self) -> list[Any]:
        """Return the distinct labels in order of appearance."""
        if self.categories is not None:
            seen = np.bincount(self.data[self.data >= 0], minlength=len(self.categories))
            return [c for c, count in zip(self.categories, seen, strict=True) if count]
        return list(dict.fromkeys(self.data.tolist()))


def read_column(data: Any, name: str) -> Column:
    """Return labels from any container as a `Column`; `name` is used in messages."""
    column = _read(data, name)
    if column.data.ndim != 1:
        shape = "x".join(map(str, column.data.shape))
        given = f"has shape {shape}" if shape else "is a single value"
        if column.data.ndim == 2 and _look_like_probabilities(column.data):
            raise InputError(
                f"{name} {given} and holds numbers between 0 and 1 that look like probabilities; "
                "one label per item is expected.",
                parameter=_parameter(name),
                hint="Take the likeliest class of each item, e.g. labels[probabilities.argmax("
                "axis=1)], or compare distributions with quantify.",
            )
        raise InputError(
            f"{name} {given}; one label per item (a one-dimensional array) is expected.",
            parameter=_parameter(name),
            hint="Pass a single column, even for one item.",
        )
    return column


def _look_like_probabilities(data: Array) -> bool:
    return bool(data.dtype.kind == "f" and data.size and np.all((data >= 0) & (data <= 1)))


def _read(data: Any, name: str) -> Column:
    if type(data) is np.ndarray:
        return Column(tidy(as_array(data, name), name), name)
    if isinstance(data, np.ma.MaskedArray):
        data = data.tolist()  # None where masked
    if isinstance(data, (str, bytes, bytearray)):
        raise InputError(
            f"{name} is a single string, {abbreviate(data)}; a sequence of {_content(name)} is "
            "expected.",
            parameter=_parameter(name),
        )
    if isinstance(data, (Mapping, AbstractSet)):
        raise InputError(
            f"{name} is a {type(data).__name__}, which does not list items in order; a sequence "
            f"of {_content(name)} is expected.",
            parameter=_parameter(name),
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
    if isinstance(data, Iterable) and not hasattr(data, "__array__"):
        return Column(_from_sequence(list(data), name), name)
    return Column(tidy(as_array(data, name), name), name)


def read_numbers(data: Any, name: str) -> Array:
    """Return weights or frequencies from any container as floats, NaN where one is missing.

    >>> read_numbers([1, None, Decimal("2.5")], "sample_weight").tolist()
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
            parameter=_parameter(name),
        )
    return found.astype(np.float64, copy=False)


def is_tensor(data: Any) -> bool:
    """Return whether data is a PyTorch tensor, perhaps on another device or with gradients."""
    return hasattr(data, "detach") and hasattr(data, "cpu")


def as_array(data: Any, name: str) -> Array:
    """Return an array of any library as one of NumPy; masked numbers become NaN.

    Raises ValueError for nested sequences of different lengths.
    """
    if isinstance(data, np.ma.MaskedArray) and np.ma.is_masked(data) and data.dtype.kind in "iubf":
        return np.asarray(np.ma.filled(data.astype(np.float64), np.nan))
    try:
        found = _from_tensor(data) if is_tensor(data) else np.asarray(data)
    except (TypeError, RuntimeError) as problem:  # e.g. of an array that is not in this memory
        reason = str(problem).partition("\n")[0]
        raise InputError(
            f"{name} is a {type(data).__name__} that cannot be copied into memory: "
            f"{abbreviate(reason, 200)}.",
            parameter=_parameter(name),
            hint="Pass an array of NumPy.",
        ) from None
    if found.dtype.kind == "V" and found.dtype.names is None:  # e.g. bfloat16 of JAX
        with suppress(TypeError, ValueError):
            return found.astype(np.float32)
    if found.dtype.kind == "O" and not found.ndim:
        raise InputError(
            f"{name} is a {type(data).__name__}; a sequence of {_content(name)} is expected.",
            parameter=_parameter(name),
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

    native = series.to_native()
    if series.dtype == nw.Enum and hasattr(native, "to_physical"):  # Polars
        codes = native.to_physical().cast(int).fill_null(-1).to_numpy()
        return _categorical(codes, native.dtype.categories.to_list(), True, name)
    if series.dtype in (nw.Enum, nw.Categorical) and hasattr(native, "array"):  # pandas
        if not hasattr(native, "cat"):  # a dictionary of Arrow
            return _from_arrow(native.array.__arrow_array__(), name)
        return _categorical(native.cat.codes, native.cat.categories, native.cat.ordered, name)
    if series.null_count() or series.dtype.is_temporal():  # arrays know no time zones
        return Column(_from_sequence(series.to_list(), name), name)
    return Column(tidy(series.to_numpy(), name), name)


def _from_arrow(data: Any, name: str) -> Column:
    """Read an Arrow array, chunked or not; a dictionary type may have an order."""
    if not hasattr(data, "null_count"):
        raise InputError(
            f"{name} is a pyarrow {type(data).__name__}; one column of it is expected.",
            parameter=_parameter(name),
        )
    if hasattr(data, "combine_chunks"):
        with_one = data.unify_dictionaries() if hasattr(data.type, "index_type") else data
        data = with_one.combine_chunks()
    if hasattr(data, "dictionary"):
        codes = data.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
        return _categorical(codes, data.dictionary.to_pylist(), data.type.ordered, name)
    if data.null_count:
        return Column(_from_sequence(data.to_pylist(), name), name)
    try:
        found = data.to_numpy(zero_copy_only=False)
    except (NotImplementedError, ValueError):  # e.g. run-end encoded
        found = _objects(data.to_pylist())
    return Column(tidy(found, name), name)


def _categorical(codes: Any, categories: Any, ordered: bool, name: str) -> Column:
    """Return a column of categories; numbers without a declared order are plain numbers."""
    given = categories.tolist() if hasattr(categories, "tolist") else list(categories)
    labels, data = [plain_number(label) for label in given], np.asarray(codes)
    places = {label: i for i, label in enumerate(x for x in dict.fromkeys(labels) if _is_given(x))}
    if len(places) < len(labels):  # Arrow takes repeated and missing categories
        recode = [places.get(label, -1) if _is_given(label) else -1 for label in labels]
        labels, data = list(places), np.asarray([*recode, -1])[data]
    numbers = labels and all(isinstance(x, (int, float, np.number)) for x in labels)
    if numbers and not ordered:
        return Column(_from_sequence(_objects([*labels, None])[data].tolist(), name), name)
    return Column(data, name, tuple(labels), bool(ordered))


def _is_given(label: Any) -> bool:
    return not is_missing(label)


def _from_sequence(data: Sequence[Any], name: str) -> Array:
    """Return numbers as a number array; mixed values stay objects (NumPy would make strings)."""
    kinds: set[Any] = set(map(type, data))
    if any(_is_box(kind) or issubclass(kind, (Decimal, Fraction)) for kind in kinds):
        data = [plain_number(_unboxed(label)) for label in data]
        kinds = set(map(type, data))
    nested = [kind.__name__ for kind in kinds if kind.__hash__ is None or is_tensor(kind)]
    if nested:
        raise InputError(
            f"{name} holds a {nested[0]} where a label should be; one label per item (a flat "
            "sequence) is expected.",
            parameter=_parameter(name),
        )
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
    largest = 10**digits
    for number in data:
        if isinstance(number, int) and abs(number) > largest:
            raise InputError(
                f"{name} holds {abbreviate(number)}; numbers must be below 1e{digits}.",
                parameter=name if name in ("labels", "na", "undefined") else _parameter(name),
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
            parameter=_parameter(name),
            hint="Pass one of the fields." if data.dtype.names else "",
        )
    return data


def _times(data: Array) -> Array:
    """Return dates and times as objects of Python, None where there is none."""
    fine = np.datetime_data(data.dtype)[0] in ("ns", "ps", "fs", "as")
    return (data.astype(f"{data.dtype.kind}8[us]") if fine else data).astype(object)


def _decoded(data: Array, name: str) -> Array:
    try:
        return np.strings.decode(data, "utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name} holds byte strings that are not UTF-8 text.",
            parameter=_parameter(name),
            hint="Decode them first.",
        ) from None


def _parameter(name: str) -> str:
    """Return the parameter that a column was given as; systems have names of their own."""
    return name if is_parameter(name) else "y_pred"


def _content(name: str) -> str:
    """Return what a column holds, for messages."""
    return "numbers" if name in ("sample_weight", "frequency") else "labels"


def is_parameter(name: str) -> bool:
    """Return whether messages about a column of this name are about a parameter."""
    return name in ("y_true", "topics", "cluster", "sample_weight", "frequency")


def group_name(value: Any) -> str:
    """Return the name of a topic or cluster: its text, whole numbers without a point.

    The same names come from integers, from floats, which integers beside gaps may have become, and
    from files, which hold text.

    >>> group_name(1), group_name(1.0), group_name("1.0"), group_name(2.5), group_name("1.10")
    ('1', '1', '1', '2.5', '1.10')
    >>> group_name("-0")
    '0'
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    text = str(value)
    return str(int(text.partition(".")[0])) if _WHOLE_FLOAT.fullmatch(text) else text


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


def looks_missing(label: Any) -> bool:
    """Return whether a label is a text that usually stands for no value, or a cell's error.

    >>> [looks_missing(label) for label in (".", "#DIV/0!", "N/A", "mild", "#1")]
    [True, True, True, False, False]
    """
    word = label.strip() if isinstance(label, str) else "label"
    return word.lower() in _USUAL_CODES or _SPREADSHEET_ERROR.fullmatch(word) is not None


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
        self.texts: tuple[str, ...] = ()
        self.numbers: tuple[float, ...] = ()
        self._text = text
        if given is None:
            return
        several = isinstance(given, Iterable) and not isinstance(given, (str, bytes))
        self.codes = tuple(map(plain_number, given if several else (given,)))
        refuse_huge(self.codes, "na")
        self.texts = tuple(dict.fromkeys(str(code).strip() for code in self.codes))
        found = (as_number(code) for code in self.codes)
        self.numbers = tuple(dict.fromkeys(number for number in found if number is not None))

    def __bool__(self) -> bool:
        return bool(self.codes)

    def reading(self, missing: str) -> dict[str, Any]:
        """Return how missing labels were recognised and treated, where that is not the default."""
        codes = [code if isinstance(code, (int, float)) else str(code) for code in self.codes]
        treated = {"missing": missing} if missing != "error" else {}
        return {**treated, **({"na": codes} if codes else {})}

    def __contains__(self, label: Any) -> bool:
        if isinstance(label, str):
            word = label.strip()
            return word in self.texts or (self._text and as_number(word) in self.numbers)
        number = is_number(label) or isinstance(label, Decimal)
        return label in self.numbers if number else str(label) in self.texts

    def mask(self, column: Column) -> Array | None:
        """Return which labels of a column stand for a missing one; None if none does."""
        if not self:
            return None
        data = column.data
        if column.categories is not None:
            found = np.asarray([*(c in self for c in column.categories), False])[data]
        elif data.dtype.kind in "iuf":
            found = np.zeros(len(data), dtype=np.bool_)
            for number in self.numbers:  # integers are compared as integers, which is faster
                whole = number.is_integer() and abs(number) < _LARGEST_SIGNED
                found |= data == (int(number) if whole else number)
        else:
            found = np.fromiter((x in self for x in data.tolist()), dtype=bool, count=len(data))
        return found if found.any() else None

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
    if not wanted.is_unique or not given.is_unique:
        problem = "in another order, and some row labels are repeated"
        raise _index_error(name, problem, given, against=against, parameter=parameter)
    places = given.get_indexer(wanted)
    if (places < 0).any() or len(wanted) != len(given):
        extra = given[wanted.get_indexer(given) < 0]
        absent = wanted[places < 0]
        parts = [f"only {name} has {quoted(extra.tolist(), 3)}"] * bool(len(extra))
        parts += [f"only {against} has {quoted(absent.tolist(), 3)}"] * bool(len(absent))
        raise _index_error(name, "; ".join(parts), against=against, parameter=parameter)
    return data.iloc[places]


def _index_error(
    name: str, problem: str, index: Any = (), *, against: str, parameter: str | None
) -> InputError:
    shown = f" ({quoted(list(index[:4]), 3)})" if len(index) else ""
    return InputError(
        f"{name} and {against} are pandas series whose row labels differ: {problem}{shown}; items "
        "are matched by the row labels.",
        parameter=parameter or _parameter(name),
        hint="Give both the same index, or match by position: call .to_numpy() or "
        ".reset_index(drop=True) on both.",
    )


def columns_of_frame(
    data: Any, parameter: str = "y_pred", instead: str = "compare_frame with gold in the same frame"
) -> dict[Any, Any] | None:
    """Return the columns of a frame in memory of pandas, Polars or Arrow by name; else None.

    A frame that is not computed is an error, whose hint names what to use `instead`.
    """
    if type(data) in _NO_FRAMES:
        return None
    library, kind = type(data).__module__.partition(".")[0], type(data).__name__
    if compute := _LAZY.get((library, kind)):
        raise InputError(
            f"{parameter} is a {kind}, which has not been computed.",
            parameter=parameter,
            hint=f"Call .{compute}() on it, or use {instead}.",
        )
    if (library, kind) == ("pandas", "DataFrame"):
        return _by_name(list(data.columns), [data.iloc[:, i] for i in range(data.shape[1])])
    if (library, kind) == ("polars", "DataFrame"):
        return _by_name(list(data.columns), data.get_columns())
    if (library, kind) == ("pyarrow", "Table"):
        return _by_name(data.column_names, data.columns)
    return None


def _by_name(names: Sequence[Any], columns: Sequence[Any]) -> dict[Any, Any]:
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(
            f"y_pred has several columns of the same name: {quoted(repeated)}.",
            parameter="y_pred",
        )
    return dict(zip(names, columns, strict=True))


def check_same_length(columns: Sequence[Column]) -> int:
    """Return the common length of the columns; raise an error if they differ."""
    lengths = {len(column) for column in columns}
    if len(lengths) > 1:
        first, *others = columns
        odd = [c for c in others if len(c) != len(first)]
        given = ", ".join(f"{c.name[:60]}: {len(c):,}" for c in (first, *odd[:5]))
        given += f" and {len(odd) - 5:,} more" if len(odd) > 5 else ""
        raise InputError(
            f"The columns differ in length ({given}); every item needs one label in each.",
            parameter=_parameter(columns[-1].name),
            hint="Check that gold and predictions list the same items in the same order.",
        )
    if lengths == {0}:
        names = quoted(c.name for c in columns)
        raise InputError(
            f"There are no items: {names} are empty; at least one item is needed.",
            parameter=_parameter(columns[0].name),
        )
    return lengths.pop()
