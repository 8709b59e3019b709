"""Labels, weights and topics of any container are those that a plain list would give."""

import array
import datetime
import enum
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe

torch = pytest.importorskip("torch")
Container = Callable[[list[Any]], Any]
WORDS = ["low", "mid", "high"]
ORDERED = pd.CategoricalDtype(WORDS, ordered=True)


class OnlyArray:
    """What knows no more than how to become an array."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self._data, dtype=dtype)


def each(convert: Callable[[Any], Any]) -> Container:
    return lambda data: [None if x is None else convert(x) for x in data]


def masked(data: list[Any]) -> Any:
    return np.ma.array([0 if x is None else x for x in data], mask=[x is None for x in data])


def chunked(kind: Any) -> Container:
    return lambda data: pa.chunked_array([pa.array(data[:2], kind), pa.array(data[2:], kind)])


def dictionary(values: list[Any], index: Any, ordered: bool = False) -> Container:
    def make(data: list[Any]) -> Any:
        codes = pa.array([None if x is None else values.index(x) for x in data], index)
        return pa.DictionaryArray.from_arrays(codes, pa.array(values), ordered=ordered)

    return make


# With gaps (None) and without; every container of a group holds the same values.
INTEGERS: dict[str, Container] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda data: (x for x in data),
    "objects": lambda data: np.array([*data, None], dtype=object)[:-1],
    "masked": masked,
    "pandas objects": lambda data: pd.Series(data, dtype=object),
    "pandas nullable": lambda data: pd.Series(data, dtype="Int8"),
    "pandas unsigned": lambda data: pd.Series(data, dtype="UInt64"),
    "pandas floats": lambda data: pd.Series(data, dtype="Float32"),
    "pandas of Arrow": lambda data: pd.Series(data, dtype="int64[pyarrow]"),
    "pandas categories": lambda data: pd.Categorical(data, [3, 1, 2]),
    "pandas ordered": lambda data: pd.Series(pd.Categorical(data, [1, 2, 3], ordered=True)),
    "pandas array": lambda data: pd.array(data, dtype="Int16"),
    "pandas index": pd.Index,
    "polars": lambda data: pl.Series(data, dtype=pl.UInt64),
    "polars decimal": lambda data: pl.Series(each(Decimal)(data), dtype=pl.Decimal(10, 2)),
    "arrow": lambda data: pa.array(data, pa.int8()),
    "arrow chunks": chunked(pa.uint64()),
    "arrow dictionary": dictionary([3, 1, 2], pa.uint8()),
    "arrow wide dictionary": dictionary([2, 3, 1], pa.uint64()),
    "arrow decimal": lambda data: pa.array(each(Decimal)(data), pa.decimal128(5, 1)),
    "arrow scalars": each(pa.scalar),
    "decimals": each(Decimal),
    "fractions": each(Fraction),
    "large unsigned": each(np.uint64),
    "tensors": each(torch.tensor),
    "arrays": each(np.array),
    "NaN": lambda data: [float("nan") if x is None else float(x) for x in data],
    "NA": lambda data: [pd.NA if x is None else x for x in data],
}
COMPLETE: dict[str, Container] = {
    **{kind: (lambda data, k=kind: np.array(data, dtype=k))
       for kind in ("i1", "u1", "<i2", ">i4", "u8", "f2", "f4", "f8", "g")},
    **{kind: (lambda data, k=kind: torch.tensor(data, dtype=getattr(torch, k)))
       for kind in ("uint8", "int64", "uint64", "float16", "bfloat16", "float32")},
    "tensor with gradient": lambda data: torch.tensor(data, dtype=torch.float32).requires_grad_(),
    "sparse tensor": lambda data: torch.tensor(data).to_sparse(),
    "strided": lambda data: np.repeat(np.array(data), 2)[::2],
    "memoryview": lambda data: memoryview(np.array(data, dtype="i4")),
    "array": lambda data: array.array("q", data),
    "only an array": OnlyArray,
    "mixed numbers": lambda data: [float(x) if x == 2 else x for x in data],
    "sparse": pd.arrays.SparseArray,
    "sparse series": lambda data: pd.Series(pd.arrays.SparseArray(data)),
    "run ends": lambda data: pc.run_end_encode(pa.array(data)),
    "dask": lambda data: dd.from_pandas(pd.Series(data), npartitions=1),
}  # fmt: skip
TEXTS: dict[str, Container] = {
    "list": list,
    "objects": lambda data: np.array([*data, None], dtype=object)[:-1],
    "pandas": lambda data: pd.Series(data, dtype="string"),
    "pandas of Arrow": lambda data: pd.Series(data, dtype="string[pyarrow]"),
    "pandas categories": lambda data: pd.Series(pd.Categorical(data, ["high", "low", "mid"])),
    "pandas dictionary": lambda data: pd.Series(
        data, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    ),
    "polars": pl.Series,
    "polars categories": lambda data: pl.Series(data, dtype=pl.Categorical),
    "polars categories in Arrow": lambda data: pl.Series(data, dtype=pl.Categorical).to_arrow(),
    "arrow": lambda data: pa.array(data, pa.large_string()),
    "arrow views": lambda data: pa.array(data, pa.string_view()),
    "arrow chunks": chunked(pa.string()),
    "arrow dictionary": dictionary(["high", "low", "mid"], pa.uint16()),
    "arrow dictionaries": lambda data: pa.chunked_array(
        [pa.array(part, pa.string()).dictionary_encode() for part in (data[:1], data[1:])]
    ),
    "repeated categories": lambda data: pa.DictionaryArray.from_arrays(
        pa.array([3 if x is None else (0, 1, 2, 4)[WORDS.index(x) + (i % 2 and x == "high")]
                  for i, x in enumerate(data)], pa.int8()),
        pa.array(["low", "mid", "high", None, "high"]),
    ),
}  # fmt: skip
WITH_ORDER: dict[str, Container] = {
    "pandas": lambda data: pd.Series(data, dtype=ORDERED),
    "pandas.Categorical": lambda data: pd.Categorical(data, dtype=ORDERED),
    "pandas index": lambda data: pd.CategoricalIndex(data, dtype=ORDERED),
    "polars": lambda data: pl.Series(data, dtype=pl.Enum(WORDS)),
    "polars in Arrow": lambda data: pl.Series(data, dtype=pl.Enum(WORDS)).to_arrow(),
    "arrow": dictionary(WORDS, pa.int8(), ordered=True),
}
NUMBERED = [(1, 1), (2, None), (3, 2), (None, 3), (3, 3), (1, 2)]
NAMED = [tuple(None if x is None else WORDS[x - 1] for x in row) for row in NUMBERED]
FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "arrow": pa.table,
}


def plain(rows: Any, labels: Any) -> list[list[float]]:
    pairs = Counter(row for row in rows if None not in row)
    return [[float(pairs[g, p]) for p in labels] for g in labels]


def check(first: Container, second: Container, rows: Any, labels: Any) -> None:
    gold, pred = map(list, zip(*rows, strict=True))
    counts = oe.Counts.from_labels(first(gold), second(pred), labels=labels, missing="skip")
    assert counts.table.tolist() == plain(rows, counts.scale.labels)
    if labels is not None:
        assert counts.scale.labels == tuple(labels)


def rows_of(labels: list[Any]) -> Any:
    label, complete = st.sampled_from([*labels, None]), st.sampled_from(labels)
    more = st.lists(st.tuples(label, label), max_size=8)
    return st.tuples(complete, complete, more).map(lambda x: [(x[0], x[1]), *x[2]])


@given(st.sampled_from(list(INTEGERS)), st.sampled_from(list(INTEGERS)), rows_of([1, 2, 3]))
def test_any_two_containers_of_integers(first: str, second: str, rows: Any) -> None:
    check(INTEGERS[first], INTEGERS[second], rows, [1, 2, 3])


@given(st.sampled_from(list(TEXTS)), st.sampled_from(list(TEXTS)), rows_of(WORDS))
def test_any_two_containers_of_texts(first: str, second: str, rows: Any) -> None:
    check(TEXTS[first], TEXTS[second], rows, WORDS)


@pytest.mark.parametrize("kind", [*INTEGERS, *COMPLETE])
def test_every_container_of_integers(kind: str) -> None:
    make = (INTEGERS | COMPLETE)[kind]
    rows = NUMBERED if kind in INTEGERS else [row for row in NUMBERED if None not in row]
    for labels in ([1, 2, 3], None):
        check(make, list, rows, labels)
        check(list, make, rows, labels)
    for role in ("weight", "frequency"):
        found = oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{role: make([3, 1, 2])})
        assert found.table.tolist() == [[3, 1], [0, 2]]
        if kind in INTEGERS:
            with pytest.raises(oe.InputError, match="1 number that cannot be used") as caught:
                oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{role: make([3, None, 2])})
            assert caught.value.parameter == role


@pytest.mark.parametrize("kind", TEXTS)
def test_every_container_of_texts(kind: str) -> None:
    check(TEXTS[kind], list, NAMED, WORDS)
    check(list, TEXTS[kind], NAMED, WORDS)
    with pytest.raises(oe.InputError, match="Alphabetical order is never assumed"):
        oe.Counts.from_labels(TEXTS[kind](WORDS), TEXTS[kind](WORDS))


def test_texts_of_bytes() -> None:
    for gold in ([b"low", b"high"], np.array([b"low", b"high"]), pa.array([b"low", b"high"])):
        assert oe.score(gold, ["low", "low"], "accuracy", labels=WORDS) == 0.5


@pytest.mark.parametrize("kind", WITH_ORDER)
def test_every_ordered_container(kind: str) -> None:
    make = WITH_ORDER[kind]
    for labels in (None, WORDS, WORDS[::-1]):  # the declared order overrules the type
        check(make, make, NAMED, labels)
        check(make, list, NAMED, labels)
    found = oe.Counts.from_labels(make(["low"]), make(["high"]))
    assert (found.scale.labels, found.scale.inferred) == (tuple(WORDS), False)


LIBRARY = [
    *(("pandas", INTEGERS, k) for k in INTEGERS if k.startswith("pandas") and "index" not in k),
    *(("pandas", INTEGERS, kind) for kind in ("decimals", "NA", "objects")),
    *((library, INTEGERS, k) for library in ("polars", "lazy polars")
      for k in INTEGERS if k.startswith("polars")),
    *(("arrow", INTEGERS, k) for k in INTEGERS if k.startswith("arrow") and "scalars" not in k),
    *((library, TEXTS, k) for library in FRAMES
      for k in TEXTS if k.startswith(library.split()[-1]) and "in Arrow" not in k),
    *(("arrow", TEXTS, k) for k in ("polars categories in Arrow", "repeated categories")),
]  # fmt: skip


@pytest.mark.parametrize(("library", "kinds", "kind"), LIBRARY)
def test_every_column_of_a_frame(library: str, kinds: dict[str, Container], kind: str) -> None:
    rows, labels = (NUMBERED, [1, 2, 3]) if kinds is INTEGERS else (NAMED, WORDS)
    gold, pred = map(list, zip(*rows, strict=True))
    columns = {"g": kinds[kind](gold), "a": kinds[kind](pred)}
    data = oe.read(FRAMES[library](columns), gold="g", labels=labels, missing="skip")
    assert data.counts().table.tolist() == [plain(rows, labels)]
    if kinds is TEXTS or "dictionary" in kind:
        return
    columns = {"g": [1, 1, 2], "a": [1, 2, 2], "w": INTEGERS[kind]([3, 1, 2])}
    for role in ("weight", "frequency"):
        found = oe.read(FRAMES[library](columns), gold="g", pred="a", **{role: "w"})
        assert found.counts().table.tolist() == [[[3, 1], [0, 2]]]


NO_NUMBERS: dict[str, Any] = {
    "texts": ["3", "1", "2"],
    "dates": np.array(["2020", "2021", "2022"], dtype="M8[Y]"),
    "complex": np.array([1j, 2, 3]),
    "set": {1, 2, 3},
    "mapping": {0: 1, 1: 2, 2: 3},
    "records": np.array([(1, 2)] * 3, dtype=[("x", int), ("y", int)]),
    "huge": [10**400, 1, 1],
    "tensor without memory": torch.zeros(3, device="meta"),
    "lists": [[1], [2], [3]],
    "expression": pl.col("a"),
    "object": object(),
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_column_is_refused(kind: str) -> None:
    for role in ("weight", "frequency"):
        with pytest.raises(oe.InputError, match=role) as caught:
            oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{role: NO_NUMBERS[kind]})
        assert caught.value.parameter == role
    with pytest.raises(oe.InputError) as caught:
        oe.Counts.from_labels(NO_NUMBERS[kind], [1, 1, 2])
    assert caught.value.parameter in ("y_true", "labels")


# Labels at their limits.

HUGE = 2**64 - 1
UNSIGNED = (
    [np.uint64(HUGE), 1],
    np.array([HUGE, 1], dtype=np.uint64),
    torch.tensor([HUGE, 1], dtype=torch.uint64),
    pd.Series([HUGE, 1], dtype="UInt64"),
    pl.Series([HUGE, 1], dtype=pl.UInt64),
    pa.array([HUGE, 1], pa.uint64()),
)


def test_large_integers_neither_wrap_around_nor_are_rounded() -> None:
    for column in UNSIGNED:
        found = oe.Counts.from_labels(column, column, labels=[1, HUGE])
        assert found.table.tolist() == [[1, 0], [0, 1]]
        with pytest.raises(oe.InputError, match=f"1 label outside the scale.*{HUGE}"):
            oe.Counts.from_labels(column, column, labels=[-1, 1])
    labels = [-1, HUGE - 1, HUGE, 2**70]
    assert oe.Counts.from_labels(labels, labels, labels=labels).table.trace() == 4


def test_half_precision_does_not_overflow() -> None:
    table = np.array([[60_000, 60_000], [30_000, 60_000]])
    expected = oe.score(oe.Counts.from_table(table), "accuracy")
    narrow = [table.astype(kind) for kind in (np.float16, np.uint16)]
    narrow += [torch.tensor(table, dtype=kind) for kind in (torch.float16, torch.bfloat16)]
    for given_table in narrow:
        found = oe.score(oe.Counts.from_table(given_table), "accuracy")
        assert found == pytest.approx(expected, rel=1e-2)
        assert float(oe.measure("accuracy").of(given_table)) == pytest.approx(expected, rel=1e-2)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


DATES = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
ODD_LABELS: dict[str, tuple[list[Any], tuple[Any, ...]]] = {
    "enumeration": (list(Colour), ("Colour.RED", "Colour.BLUE")),
    "integers of an enumeration": (list(enum.IntEnum("Grade", "LOW HIGH")), (1, 2)),
    "texts of an enumeration": (list(enum.StrEnum("Word", "LOW HIGH")), ("low", "high")),
    "dates": (DATES, ("2020-01-01", "2021-01-01")),
    "times": (list(map(pd.Timestamp, DATES)), ("2020-01-01 00:00:00", "2021-01-01 00:00:00")),
    "intervals": ([pd.Interval(0, 1), pd.Interval(1, 2)], ("(0, 1]", "(1, 2]")),
    "numbers of NumPy": ([np.float32(0.5), np.int8(1)], (0.5, 1)),
    "tuples": ([(1, 2), (0, 0)], ("(1, 2)", "(0, 0)")),
    "far apart": ([10**6, 10**12], (10**6, 10**12)),
}


@pytest.mark.parametrize("kind", ODD_LABELS)
def test_any_labels_can_be_declared_and_are_the_same_after_an_archive(
    kind: str, tmp_path: Any
) -> None:
    labels, shown = ODD_LABELS[kind]
    result = oe.evaluate(labels * 3, [*labels, *labels, labels[0], labels[0]], labels=labels)
    assert result["accuracy"].value == pytest.approx(5 / 6)
    result.to_json(tmp_path / "result.json")
    found = oe.load(tmp_path / "result.json")
    assert found == result
    assert found.scores.scale.labels == shown
    assert list(map(type, found.scores.scale.labels)) == list(map(type, shown))


def test_dates_and_times_are_labels() -> None:
    column = np.array(DATES, dtype="M8[ns]")
    times = [datetime.datetime.combine(date, datetime.time()) for date in DATES]
    for dates in (pl.Series(DATES), pa.array(DATES)):
        assert oe.Counts.from_labels(dates, dates, labels=DATES).table.trace() == 2
    for given_times in (column, pd.Series(column)):
        assert oe.Counts.from_labels(given_times, given_times, labels=times).table.trace() == 2
    zoned = pd.Series(column).dt.tz_localize("UTC")
    assert oe.Counts.from_labels(zoned, zoned, labels=list(zoned)).table.trace() == 2
    gaps = np.array(["2020", "NaT", "2021"], dtype="M8[D]")
    found = oe.Counts.from_labels(gaps, gaps, labels=DATES, missing="skip")
    assert (found.table.sum(), found.skipped) == (2, 1)


@pytest.mark.parametrize("low", [-3, -1, 0, 1, 16, 100, 2**40])
def test_integer_scales_may_start_anywhere(low: int) -> None:
    gold, pred = np.array([1, 2, 3, 3]) + low, np.array([1, 3, 3, 2]) + low
    found = oe.Counts.from_labels(gold, pred)
    assert found.table.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 1]]
    assert found.scale.inferred
    for strange in (low, low + 4, -(2**62), low + 1.5, float("inf"), 1e300):
        with pytest.raises(oe.InputError, match="outside the scale"):
            oe.Counts.from_labels(gold, [*pred[:-1], strange], labels=range(low + 1, low + 4))


# Gaps and codes for them.


def test_skipped_items_take_their_weights_and_topics_along() -> None:
    counts = oe.Counts.from_labels(
        [1, None, 2, 2],
        {"a": [1, 1, 2, None], "b": [2, 2, 2, 2]},
        weight=[1.5, 10, 2, 20],
        topic=["x", "x", "y", "z"],
        missing="skip",
    )
    assert (counts.skipped, counts.topics) == (2, ("x", "y"))
    assert counts.of("a").table.tolist() == [[[1.5, 0], [0, 0]], [[0, 0], [0, 2]]]


def test_a_missing_prediction_is_scored_as_the_farthest_class() -> None:
    gold, gappy = [1, 2, 3, 4, 1], [None, 2, 3, None, 1]
    filled = oe.Counts.from_labels(gold, [4, 2, 3, 1, 1], labels=range(1, 5))
    found = oe.Counts.from_labels(gold, gappy, labels=range(1, 5), missing="worst")
    assert found.table.tolist() == filled.table.tolist()
    by_value = oe.score([5, 0], [None, 0], "mae", labels=[0, 5, 100], missing="worst")
    assert by_value == 47.5


@pytest.mark.parametrize("na", [99, "99", [99, "."], (99.0, 77), Decimal(99)])
def test_codes_are_gaps(na: Any) -> None:
    gold, pred = [1, 2, 3, 4, 5, 3], [1, 99, 3, 5, 5, 3]
    gaps = [None if x == 99 else x for x in pred]
    for missing in ("skip", "worst"):
        found = oe.Counts.from_labels(gold, pred, na=na, missing=missing)
        expected = oe.Counts.from_labels(gold, gaps, missing=missing)
        assert found.table.tolist() == expected.table.tolist()
        assert found.scale.labels == (1, 2, 3, 4, 5)
    frame = pd.DataFrame({"gold": gold, "a": pred, "t": [99, 99, 1, 1, 1, 1], "w": [99] * 6})
    counts = oe.read(frame, topic="t", weight="w", na=na, missing="skip").counts()
    assert counts.topics == ("1", "99")  # topics and weights have no codes


@pytest.mark.parametrize("library", FRAMES)
def test_codes_of_texts_and_categories_are_gaps(library: str) -> None:
    columns = {"gold": ["lo", "hi", "lo"], "a": ["lo", " . ", "hi"], "b": ["lo", "lo", "lo"]}
    options: dict[str, Any] = {"labels": ["lo", "hi"], "missing": "skip", "na": [".", "x"]}
    frames = [FRAMES[library](columns)]
    frames += [pd.DataFrame(columns).astype("category")] if library == "pandas" else []
    for frame in frames:
        counts = oe.read(frame, **options).counts()
        assert (counts.table[0].tolist(), counts.skipped) == ([[1, 1], [0, 0]], 1)


@pytest.mark.parametrize("kind", ["object", "category"])
def test_codes_of_mixed_columns(kind: str) -> None:
    column = pd.Series([1, 2, 3, 2, ".", Decimal("9.00")], dtype=object).astype(kind)
    frame = pd.DataFrame({"gold": [1, 2, 3, 1, 2, 3], "a": [1, 2, 3, 3, 2, 1], "b": column})
    options: dict[str, Any] = {"labels": [1, 2, 3], "na": [".", 9], "missing": "skip"}
    expected = oe.Counts.from_labels(frame["gold"], frame[["a", "b"]], **options)
    found = oe.read(frame, pred=["a", "b"], **options).counts()
    assert found.table.sum(axis=(1, 2)).tolist() == [4, 4]
    assert np.array_equal(found.table, expected.table)


# Rows of pandas series are matched by their labels.

GOLD = pd.Series([1, 2, 3, 3, 1], index=list("abcde"))
PRED = pd.Series([1, 2, 2, 3, 2], index=list("abcde"))
SHUFFLED = [3, 0, 4, 2, 1]


def test_rows_are_matched_by_their_labels() -> None:
    expected = oe.score(GOLD.to_numpy(), PRED.to_numpy(), "qwk")
    turned = PRED.iloc[SHUFFLED]
    assert oe.score(GOLD, turned, "qwk") == expected
    assert oe.score(GOLD, turned.astype("category").cat.as_ordered(), "qwk") == expected
    frame = pd.DataFrame({"a": PRED, "b": GOLD}).iloc[SHUFFLED]
    assert oe.compare(GOLD, frame, "qwk", draws=0).scores.of("qwk", "a") == expected
    by_position = np.abs(GOLD.to_numpy() - turned.to_numpy()).mean()
    assert oe.score(GOLD, turned.tolist(), "mae") == by_position


@pytest.mark.parametrize("role", ["topic", "cluster", "weight", "frequency"])
def test_other_columns_are_matched_by_their_labels(role: str) -> None:
    column = pd.Series([1, 2, 3, 1, 2], index=GOLD.index)

    def found(given_column: Any) -> str:
        return oe.evaluate(GOLD, PRED, "mae", draws=50, **{role: given_column}).to_json()

    assert found(column.iloc[SHUFFLED]) == found(column)
    with pytest.raises(oe.InputError, match=f"{role} and y_true are pandas series"):
        found(column.reset_index(drop=True))


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_columns_of_a_frame_are_systems(library: str) -> None:
    """Polars takes "^m$" for a pattern and "*" for all columns."""
    columns = {"^m$": [1, 2], "m": [2, 2], "*": [1, 1], "y_true": [1, 1]}
    found = oe.Counts.from_labels([1, 2], FRAMES[library](columns))
    assert found.systems == tuple(columns)
    assert found.table[0].tolist() == [[1, 0], [0, 1]]
