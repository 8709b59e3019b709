"""Labels and weights from any container are those that a plain list would give."""

import array
import datetime
import enum
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe
from ordeval.measures.spec import parse_measure

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
torch = pytest.importorskip("torch")

Container = Callable[[list[Any]], Any]
WORDS = ("low", "mid", "high")


class OnlyArray:
    """What knows no more than how to become an array."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self._data, dtype=dtype)


def _filled(data: list[Any]) -> Any:
    return np.ma.array([0 if x is None else x for x in data], mask=[x is None for x in data])


def _chunked(data: list[Any], **kind: Any) -> Any:
    half = len(data) // 2
    return pa.chunked_array([pa.array(data[:half], **kind), pa.array(data[half:], **kind)])


def _dictionary(values: list[Any], index: Any) -> Container:
    def make(data: list[Any]) -> Any:
        codes = pa.array([None if x is None else values.index(x) for x in data], index)
        return pa.DictionaryArray.from_arrays(codes, pa.array(values))

    return make


# With gaps (None) and without; every container of a group holds the same values.
INTEGERS: dict[str, Container] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda data: (x for x in data),
    "objects": lambda data: np.array([*data, None], dtype=object)[:-1],
    "masked": _filled,
    "pandas objects": lambda data: pd.Series(data, dtype=object),
    "pandas nullable": lambda data: pd.Series(data, dtype="Int8"),
    "pandas unsigned": lambda data: pd.Series(data, dtype="UInt64"),
    "pandas floats": lambda data: pd.Series(data, dtype="Float32"),
    "pandas of Arrow": lambda data: pd.Series(data, dtype="int64[pyarrow]"),
    "pandas categories": lambda data: pd.Categorical(data, [3, 1, 2]),
    "pandas ordered": lambda data: pd.Series(pd.Categorical(data, [1, 2, 3], ordered=True)),
    "pandas array": lambda data: pd.array(data, dtype="Int16"),
    "pandas index": lambda data: pd.Index(data),
    "polars": lambda data: pl.Series(data, dtype=pl.UInt64),
    "polars decimal": lambda data: pl.Series(
        [None if x is None else Decimal(x) for x in data], dtype=pl.Decimal(10, 2)
    ),
    "arrow": lambda data: pa.array(data, pa.int8()),
    "arrow chunks": lambda data: _chunked(data, type=pa.uint64()),
    "arrow dictionary": _dictionary([3, 1, 2], pa.uint8()),
    "arrow wide dictionary": _dictionary([2, 3, 1], pa.uint64()),
    "arrow decimal": lambda data: pa.array(
        [None if x is None else Decimal(x) for x in data], pa.decimal128(5, 1)
    ),
    "arrow scalars": lambda data: [None if x is None else pa.scalar(x) for x in data],
    "decimals": lambda data: [None if x is None else Decimal(x) for x in data],
    "fractions": lambda data: [None if x is None else Fraction(x) for x in data],
    "large unsigned": lambda data: [None if x is None else np.uint64(x) for x in data],
    "tensors": lambda data: [None if x is None else torch.tensor(x) for x in data],
    "arrays": lambda data: [None if x is None else np.array(x) for x in data],
    "NaN": lambda data: [float("nan") if x is None else float(x) for x in data],
    "NA": lambda data: [pd.NA if x is None else x for x in data],
}
WITHOUT_GAPS: dict[str, Container] = {
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
    "sparse": lambda data: pd.arrays.SparseArray(data),
    "sparse series": lambda data: pd.Series(pd.arrays.SparseArray(data)),
    "run ends": lambda data: pa.array(data).run_end_encode()
    if hasattr(pa.Array, "run_end_encode") else pa.array(data),
    "dask": lambda data: pytest.importorskip("dask.dataframe").from_pandas(
        pd.Series(data), npartitions=1),
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
    "polars enum": lambda data: pl.Series(data, dtype=pl.Enum(["high", "low", "mid"])),
    "polars enum in Arrow": lambda data: pl.Series(data, dtype=pl.Enum(WORDS)).to_arrow(),
    "polars categories in Arrow": lambda data: pl.Series(data, dtype=pl.Categorical).to_arrow(),
    "arrow": lambda data: pa.array(data, pa.large_string()),
    "arrow views": lambda data: pa.array(data, pa.string_view()),
    "arrow chunks": lambda data: _chunked(data, type=pa.string()),
    "arrow dictionary": _dictionary(["high", "low", "mid"], pa.uint16()),
    "arrow dictionaries": lambda data: pa.chunked_array(
        [pa.array(part, pa.string()).dictionary_encode() for part in (data[:1], data[1:])]
    ),
    "repeated categories": lambda data: pa.DictionaryArray.from_arrays(
        pa.array([3 if x is None else (0, 1, 2, 4)[WORDS.index(x) + (i % 2 and x == "high")]
                  for i, x in enumerate(data)], pa.int8()),
        pa.array(["low", "mid", "high", None, "high"]),
    ),
}  # fmt: skip


def _plain(gold: list[Any], pred: list[Any], labels: tuple[Any, ...]) -> list[list[float]]:
    pairs = Counter((g, p) for g, p in zip(gold, pred, strict=True) if None not in (g, p))
    return [[float(pairs[g, p]) for p in labels] for g in labels]


def _columns(labels: tuple[Any, ...], *, gaps: bool) -> Any:
    label = st.sampled_from([*labels, None] if gaps else labels)
    complete = st.sampled_from(labels)
    rows = st.lists(st.tuples(label, label), max_size=8)
    return st.tuples(complete, complete, rows).map(lambda x: [(x[0], x[1]), *x[2]])


def _check(first: Container, second: Container, rows: Any, labels: tuple[Any, ...]) -> None:
    gold, pred = map(list, zip(*rows, strict=True))
    counts = oe.Counts.from_labels(first(gold), second(pred), labels=labels, missing="skip")
    assert counts.table.tolist() == _plain(gold, pred, labels)


@given(
    st.sampled_from(list(INTEGERS)),
    st.sampled_from(list(INTEGERS)),
    _columns((1, 2, 3), gaps=True),
)
def test_integers_with_gaps(first: str, second: str, rows: Any) -> None:
    _check(INTEGERS[first], INTEGERS[second], rows, (1, 2, 3))


@pytest.mark.parametrize("kind", INTEGERS)
def test_every_container_of_integers(kind: str) -> None:
    rows = [(1, 1), (2, None), (3, 2), (None, 3), (3, 3), (1, 2)]
    _check(INTEGERS[kind], list, rows, (1, 2, 3))
    _check(list, INTEGERS[kind], rows, (1, 2, 3))


@pytest.mark.parametrize("kind", WITHOUT_GAPS)
def test_every_container_without_gaps(kind: str) -> None:
    rows = [(1, 1), (2, 1), (3, 2), (3, 3), (1, 2)]
    _check(WITHOUT_GAPS[kind], WITHOUT_GAPS[kind], rows, (1, 2, 3))
    gold, pred = map(list, zip(*rows, strict=True))
    found = oe.Counts.from_labels(WITHOUT_GAPS[kind](gold), WITHOUT_GAPS[kind](pred))
    assert found.table.tolist() == _plain(gold, pred, (1, 2, 3))  # the scale is inferred


@given(st.sampled_from(list(TEXTS)), st.sampled_from(list(TEXTS)), _columns(WORDS, gaps=True))
def test_texts_with_gaps(first: str, second: str, rows: Any) -> None:
    _check(TEXTS[first], TEXTS[second], rows, WORDS)


@pytest.mark.parametrize("kind", TEXTS)
def test_every_container_of_texts(kind: str) -> None:
    rows = [("low", "low"), ("mid", None), ("high", "mid"), (None, "mid"), ("high", "high")]
    _check(TEXTS[kind], list, rows, WORDS)
    _check(list, TEXTS[kind], rows, WORDS)


def test_texts_of_bytes() -> None:
    assert oe.score([b"low", b"high"], np.array([b"low", b"low"]), "accuracy", labels=WORDS) == 0.5
    assert oe.score(pa.array([b"low", b"high"]), ["low", "low"], "accuracy", labels=WORDS) == 0.5


# --- the frames


FRAMES: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": lambda columns: pl.DataFrame(columns),
    "lazy polars": lambda columns: pl.LazyFrame(columns),
    "arrow": lambda columns: pa.table(columns),
}
OF_FRAME = {
    "pandas": ["pandas nullable", "pandas of Arrow", "pandas categories", "pandas ordered",
               "pandas objects", "pandas unsigned", "pandas floats", "decimals", "NA", "objects"],
    "polars": ["polars", "polars decimal"],
    "lazy polars": ["polars", "polars decimal"],
    "arrow": ["arrow", "arrow chunks", "arrow dictionary", "arrow wide dictionary",
              "arrow decimal"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("library", "kind"), [(library, kind) for library in OF_FRAME for kind in OF_FRAME[library]]
)
def test_every_column_of_integers(library: str, kind: str) -> None:
    rows = [(1, 1), (2, None), (3, 2), (None, 3), (3, 3), (1, 2)]
    gold, pred = map(list, zip(*rows, strict=True))
    columns = {"gold": INTEGERS[kind](gold), "a": INTEGERS[kind](pred)}
    for labels in (None, [1, 2, 3]):
        items = oe.read(FRAMES[library](columns), labels=labels, missing="skip")
        assert items.counts().table.tolist() == [_plain(gold, pred, (1, 2, 3))]
        rows_found = items.rows(100)
        assert rows_found is not None
        assert rows_found.count.sum() == 4


TEXTS_OF_FRAME = {
    "pandas": ["pandas", "pandas of Arrow", "pandas categories", "pandas dictionary"],
    "polars": ["polars", "polars categories", "polars enum"],
    "lazy polars": ["polars", "polars categories", "polars enum"],
    "arrow": ["arrow", "arrow views", "arrow chunks", "arrow dictionary", "arrow dictionaries",
              "polars enum in Arrow", "polars categories in Arrow", "repeated categories"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("library", "kind"),
    [(library, kind) for library in TEXTS_OF_FRAME for kind in TEXTS_OF_FRAME[library]],
)
def test_every_column_of_texts(library: str, kind: str) -> None:
    rows = [("low", "low"), ("mid", None), ("high", "mid"), (None, "mid"), ("high", "high")]
    gold, pred = map(list, zip(*rows, strict=True))
    columns = {"gold": TEXTS[kind](gold), "a": TEXTS[kind](pred)}
    items = oe.read(FRAMES[library](columns), labels=WORDS, missing="skip")
    assert items.counts().table.tolist() == [_plain(gold, pred, WORDS)]
    found = items.rows(100)
    assert found is not None
    assert found.count.sum() == 3


# --- weights and frequencies


@pytest.mark.parametrize("kind", [*INTEGERS, *WITHOUT_GAPS])
def test_every_container_of_weights(kind: str) -> None:
    make = (INTEGERS | WITHOUT_GAPS)[kind]
    for name in ("weight", "frequency"):
        found = oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{name: make([3, 1, 2])})
        assert found.table.tolist() == [[3, 1], [0, 2]]


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("name", ["weight", "frequency"])
def test_a_missing_weight_is_refused(kind: str, name: str) -> None:
    with pytest.raises(oe.InputError, match=f"{name} has 1 missing, negative or infinite number"):
        oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{name: INTEGERS[kind]([3, None, 2])})


@pytest.mark.parametrize(
    ("library", "kind"), [(library, kind) for library in OF_FRAME for kind in OF_FRAME[library]]
)
@pytest.mark.parametrize("role", ["weight", "frequency"])
def test_every_column_of_weights(library: str, kind: str, role: str) -> None:
    if kind.endswith("dictionary"):
        pytest.skip("Arrow's dictionaries are no numbers")
    columns = {"gold": [1, 1, 2], "a": [1, 2, 2], "w": INTEGERS[kind]([3, 1, 2])}
    named: dict[str, Any] = {"pred": "a", role: "w"}
    found = oe.read(FRAMES[library](columns), **named)
    assert found.counts().table.tolist() == [[[3, 1], [0, 2]]]
    columns["w"] = INTEGERS[kind]([3, None, 2])
    with pytest.raises(oe.InputError, match=f"{role} column w has 1 missing"):
        oe.read(FRAMES[library](columns), **named).counts()


NO_NUMBERS = {
    "texts": ["3", "1", "2"],
    "array of texts": np.array(["3", "1", "2"]),
    "series of texts": pd.Series(["3", "1", "2"]),
    "dates": np.array(["2020", "2021", "2022"], dtype="M8[Y]"),
    "complex": np.array([1j, 2, 3]),
    "set": {1, 2, 3},
    "mapping": {0: 1, 1: 2, 2: 3},
    "records": np.array([(1, 2)] * 3, dtype=[("x", int), ("y", int)]),
    "huge": [10**400, 1, 1],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
@pytest.mark.parametrize("name", ["weight", "frequency"])
def test_what_is_no_number_is_no_weight(kind: str, name: str) -> None:
    with pytest.raises(oe.InputError, match=name) as caught:
        oe.Counts.from_labels([1, 1, 2], [1, 2, 2], **{name: NO_NUMBERS[kind]})
    assert caught.value.parameter == name
    assert "label" not in caught.value.message


# --- what is no column of labels


class Elsewhere:
    """An array whose memory NumPy cannot read, as on a device that is not there."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


REFUSED = {
    "a set": ({1, 2}, "is a set"),
    "text": ("12", "single string"),
    "bytes": (bytearray(b"12"), "single string"),
    "records": (np.array([(1, 2)] * 2, dtype=[("x", int), ("y", int)]), "records of 'x', 'y'"),
    "complex": (np.array([1j, 2]), "complex128"),
    "lists": ([[1], [2]], "holds a list"),
    "tensors with axes": ([torch.tensor([1]), torch.tensor([2])], "holds a Tensor"),
    "arrays with axes": ([np.array([1]), np.array([2])], "holds a ndarray"),
    "another memory": (Elsewhere(), "cannot be copied into memory"),
    "no memory": (torch.zeros(2, device="meta"), "cannot be copied into memory"),
    "an expression": (pl.col("a"), "is a Expr"),
    "an object": (object(), "is a object"),
    "a number": (1, "is a single value"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_column_is_refused(kind: str) -> None:
    given_labels, message = REFUSED[kind]
    with pytest.raises(oe.InputError, match=message):
        oe.Counts.from_labels([1, 2], given_labels)


def test_a_mapping_is_no_column() -> None:
    with pytest.raises(oe.InputError, match="y_true is a dict"):
        oe.Counts.from_labels({0: 1, 1: 2}, [1, 2])


# --- numbers and names at their limits

HUGE = 2**64 - 1
UNSIGNED = {
    "list": [HUGE, 1],
    "scalars": [np.uint64(HUGE), np.uint64(1)],
    "mixed": [np.uint64(HUGE), 1],
    "array": np.array([HUGE, 1], dtype=np.uint64),
    "tensor": torch.tensor([HUGE, 1], dtype=torch.uint64),
    "pandas": pd.Series([HUGE, 1], dtype="UInt64"),
    "polars": pl.Series([HUGE, 1], dtype=pl.UInt64),
    "arrow": pa.array([HUGE, 1], pa.uint64()),
}


@pytest.mark.parametrize("kind", UNSIGNED)
def test_large_integers_do_not_wrap_around(kind: str) -> None:
    column = UNSIGNED[kind]
    assert oe.Counts.from_labels(column, column, labels=[1, HUGE]).table.tolist() == [
        [1, 0],
        [0, 1],
    ]
    with pytest.raises(oe.InputError, match=f"1 label outside the scale.*{HUGE}"):
        oe.Counts.from_labels(column, column, labels=[-1, 1])


def test_large_integers_are_not_rounded() -> None:
    labels = [-1, HUGE - 1, HUGE]
    assert oe.Counts.from_labels(labels, labels, labels=labels).table.trace() == 3


def test_half_precision_does_not_overflow() -> None:
    table = np.array([[60_000, 60_000], [30_000, 60_000]])
    expected = oe.score(oe.Counts.from_table(table), measure="accuracy")
    for kind in (np.float16, np.uint16):
        found = oe.score(oe.Counts.from_table(table.astype(kind)), measure="accuracy")
        assert found == pytest.approx(expected, rel=1e-3)
    measure = parse_measure("accuracy")
    for kind in (torch.float16, torch.bfloat16):
        assert float(measure.of(torch.tensor(table, dtype=kind))) == pytest.approx(
            expected, rel=1e-2
        )
        found = oe.Counts.from_table(torch.tensor(table, dtype=kind))
        assert oe.score(found, measure="accuracy") == pytest.approx(expected, rel=1e-2)
    weights = np.full(4, 60_000, dtype=np.float16)
    found = oe.Counts.from_labels([1, 1, 1, 2], [1, 1, 1, 2], weight=weights)
    assert found.table.tolist() == [[180_000, 0], [0, 60_000]]


def test_masked_tables_and_distributions_are_refused() -> None:
    table = np.ma.array([[1, 2], [3, 4]], mask=[[0, 1], [0, 0]])
    with pytest.raises(oe.InputError, match="non-finite"):
        oe.Counts.from_table(table)
    with pytest.raises(oe.InputError, match="missing or non-finite"):
        oe.quantify(np.ma.array([[0.5, 0.5]], mask=[[0, 1]]), [[0.5, 0.5]])


def test_distributions_of_tensors() -> None:
    gold = torch.tensor([[0.5, 0.5], [0.25, 0.75]], dtype=torch.bfloat16).requires_grad_()
    found = oe.quantify(
        gold, gold.detach().numpy(force=True) if False else [[0.5, 0.5], [0.5, 0.5]]
    )
    assert found == oe.quantify([[0.5, 0.5], [0.25, 0.75]], [[0.5, 0.5], [0.5, 0.5]])


def test_a_topic_is_its_name(tmp_path: Path) -> None:
    """1, 1.0 and "1" are one topic, as they are in files and frames."""
    gold, pred, topics = [1, 2, 1, 2], [1, 2, 2, 2], [1, "1", 1.0, "b"]
    result = oe.evaluate(gold, pred, topic=topics, bootstrap=0)
    assert result.scores.topics == ("1", "b")
    result.to_json(tmp_path / "result.json")
    assert oe.load(tmp_path / "result.json").scores.topics == ("1", "b")
    floats = pd.Series([1.0, None, 2.0, 2.0])
    frame = pd.DataFrame({"gold": gold, "a": pred, "topic": floats})
    framed = oe.evaluate("gold", "a", data=frame, topic="topic", missing="skip", bootstrap=0)
    found = oe.evaluate(gold, pred, topic=floats, missing="skip", bootstrap=0)
    assert found.scores.topics == framed.scores.topics == ("1", "2")


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Grade(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(enum.StrEnum):
    LOW = "low"
    HIGH = "high"


DATES = [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]
ODD_LABELS = {
    "enumeration": (list(Colour), ("Colour.RED", "Colour.BLUE")),
    "integers of an enumeration": (list(Grade), (1, 2)),
    "texts of an enumeration": (list(Word), ("low", "high")),
    "dates": (DATES, ("2020-01-01", "2021-01-01")),
    "times": (list(map(pd.Timestamp, DATES)), ("2020-01-01 00:00:00", "2021-01-01 00:00:00")),
    "intervals": ([pd.Interval(0, 1), pd.Interval(1, 2)], ("(0, 1]", "(1, 2]")),
    "numbers of NumPy": ([np.float32(0.5), np.int8(1)], (0.5, 1)),
}


@pytest.mark.parametrize("kind", ODD_LABELS)
def test_labels_are_the_same_before_and_after_an_archive(kind: str, tmp_path: Path) -> None:
    labels, shown = ODD_LABELS[kind]
    result = oe.evaluate(labels * 3, [*labels, *labels, labels[0], labels[0]], labels=labels)
    result.to_json(tmp_path / "result.json")
    found = oe.load(tmp_path / "result.json")
    assert found == result
    assert found.scores.scale == result.scores.scale
    assert found.scores.scale.labels == shown
    assert list(map(type, found.scores.scale.labels)) == list(map(type, shown))
    assert found.to_text() == result.to_text()


def test_dates_of_arrays_are_dates() -> None:
    column = np.array(DATES, dtype="M8[ns]")
    for given_column in (column, pd.Series(column), pl.Series(DATES), pa.array(DATES)):
        labels = [d if isinstance(given_column, (pl.Series, pa.Array)) else
                  datetime.datetime.combine(d, datetime.time()) for d in DATES]  # fmt: skip
        found = oe.Counts.from_labels(given_column, given_column, labels=labels)
        assert found.table.trace() == 2
    gaps = np.array(["2020", "NaT", "2021"], dtype="M8[D]")
    found = oe.Counts.from_labels(gaps, gaps, labels=DATES, missing="skip")
    assert (found.table.sum(), found.skipped) == (2, 1)


@pytest.mark.parametrize("given_number", [0, 0.0, np.float32(0), Fraction(0)])
def test_a_number_for_undefined_scores_comes_back(given_number: Any, tmp_path: Path) -> None:
    result = oe.evaluate([1, 1], [1, 1], labels=[1, 2], undefined=given_number, bootstrap=0)
    result.to_json(tmp_path / "result.json")
    for found in (result, oe.load(tmp_path / "result.json")):
        assert found.scores.replaced == 0
        assert type(found.scores.replaced) is int
        assert "undefined:0|" in found.signature()


def test_infinite_labels_are_refused() -> None:
    with pytest.raises(oe.InputError, match="infinite"):
        oe.evaluate([1.0, 2.0], [1.0, 2.0], labels=[1.0, 2.0, float("inf")])


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_predictions_of_a_frame_keep_their_names(library: str) -> None:
    """Polars takes "^m$" for a pattern and "*" for all columns."""
    columns = {"^m$": [1, 2], "m": [2, 2], "*": [1, 1]}
    found = oe.Counts.from_labels([1, 2], FRAMES[library](columns))
    assert found.systems == ("^m$", "m", "*")
    assert found.table.tolist() == [[[1, 0], [0, 1]], [[0, 1], [0, 1]], [[1, 0], [1, 0]]]


@pytest.mark.parametrize("library", ["pandas", "arrow"])
def test_predictions_of_one_name_are_refused(library: str) -> None:
    frame = pa.Table.from_arrays([[1, 2], [2, 2]], names=["a", "a"])
    with pytest.raises(oe.InputError, match="several columns of the same name: 'a'"):
        oe.Counts.from_labels([1, 2], frame.to_pandas() if library == "pandas" else frame)


def test_predictions_that_have_not_been_computed_are_refused() -> None:
    relation = pytest.importorskip("duckdb").sql("SELECT 1 AS a")
    dask = pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame({"a": [1]}))
    for lazy, method in (
        (pl.LazyFrame({"a": [1]}), "collect"),
        (relation, "df"),
        (dask, "compute"),
    ):
        with pytest.raises(oe.InputError, match=f"has not been computed. Call .{method}"):
            oe.Counts.from_labels([1, 2], lazy)


@pytest.mark.parametrize("kind", [np.float16, "Float32", "UInt8"])
def test_narrow_numbers_in_frames(kind: Any) -> None:
    frame = pd.DataFrame({"gold": [1, 2, 2], "a": [1, 2, 1]}).astype(kind)
    assert oe.read(frame).counts().table.tolist() == [[[1, 0], [1, 1]]]


def test_tables_of_nullable_numbers() -> None:
    frame = pd.DataFrame([[1, 2], [3, 4]], dtype="Int64", index=[1, 2], columns=[1, 2])
    assert oe.Counts.from_table(frame).table.tolist() == [[1, 2], [3, 4]]
    frame.iloc[0, 0] = pd.NA
    with pytest.raises(oe.InputError, match="negative or not numbers"):
        oe.Counts.from_table(frame)


def test_times_keep_their_zone() -> None:
    times = pd.Series(pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("UTC"))
    found = oe.Counts.from_labels(times, times, labels=list(times))
    assert found.table.trace() == 2


def test_long_names_do_not_hide_the_message() -> None:
    with pytest.raises(oe.InputError) as caught:
        oe.compare([1, 2], {"x" * 10_000: [1, 77], "b": [1, 2]}, labels=[1, 2])
    assert len(str(caught.value)) < 400
    assert "has 1 label outside the scale 1 < 2 (K = 2): 77" in str(caught.value)


def test_a_suggested_label_is_no_template() -> None:
    with pytest.raises(oe.InputError) as caught:
        oe.score(["{na}", "b", "."], ["b", "b", "{na}"], "mae")
    assert "'b', '{na}']" in str(caught.value)


def test_a_system_may_have_the_name_of_gold() -> None:
    """Columns are told apart by their place, not by their name."""
    gold, pred = [1.4, 2.6, 3.2], [1.0, 2.0, 4.0]
    found = oe.evaluate(gold, {"y_true": pred}, bins="round", measures="mae", bootstrap=0)
    other = oe.evaluate(gold, {"a": pred}, bins="round", measures="mae", bootstrap=0)
    assert found.scores.values.tolist() == other.scores.values.tolist()
    assert found.scores.scale == other.scores.scale
