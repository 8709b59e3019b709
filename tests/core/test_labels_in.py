"""Labels come in many forms; all give the same table."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval.data.column import read_column

GOLD, PRED = [1, 2, 3, 3, 2, 1, 3], [1, 3, 3, 2, 2, 2, 3]
TABLE = [[1, 1, 0], [0, 1, 1], [0, 1, 2]]
WORDS = {1: "low", 2: "medium", 3: "high"}
SIZES = list(WORDS.values())
ORDERED = pd.CategoricalDtype(SIZES, ordered=True)

Reader = Callable[[list[Any]], Any]
INTEGERS: dict[str, Reader] = {
    "list": list,
    "tuple": tuple,
    "generator": lambda x: (i for i in x),
    "int64": np.asarray,
    "int8": lambda x: np.asarray(x, dtype=np.int8),
    "uint16": lambda x: np.asarray(x, dtype=np.uint16),
    "uint64": lambda x: np.asarray(x, dtype=np.uint64),
    "big-endian": lambda x: np.asarray(x, dtype=">i4"),
    "object array": lambda x: np.asarray(x, dtype=object),
    "NumPy scalars": lambda x: [np.int32(i) for i in x],
    "column of a matrix": lambda x: np.stack([x, x], axis=1)[:, 0],
    "whole floats": lambda x: [float(i) for i in x],
    "float32": lambda x: np.asarray(x, dtype=np.float32),
    "mixed numbers": lambda x: [float(i) if i == 2 else i for i in x],
    "pandas": pd.Series,
    "pandas with another index": lambda x: pd.Series(x, index=range(len(x), 0, -1)),
    "pandas Int64": lambda x: pd.Series(x, dtype="Int64"),
    "pandas floats": lambda x: pd.Series(x, dtype=float),
    "pandas on Arrow": lambda x: pd.Series(x, dtype="int64[pyarrow]"),
    "pandas Index": pd.Index,
    "pandas array": lambda x: pd.array(x, dtype="Int64"),
    "Polars": pl.Series,
    "Polars UInt8": lambda x: pl.Series(x, dtype=pl.UInt8),
    "Arrow": pa.array,
    "Arrow in chunks": lambda x: pa.chunked_array([x[:3], x[3:]]),
    "buffer": lambda x: memoryview(np.asarray(x)),
}
STRINGS: dict[str, Reader] = {
    "list": list,
    "NumPy strings": np.asarray,
    "NumPy bytes": lambda x: np.asarray(x, dtype="S"),
    "NumPy StringDType": lambda x: np.asarray(x, dtype=np.dtypes.StringDType()),
    "object array": lambda x: np.asarray(x, dtype=object),
    "pandas": pd.Series,
    "pandas string": lambda x: pd.Series(x, dtype="string"),
    "pandas categorical": lambda x: pd.Series(x, dtype="category"),
    "pandas.Categorical": pd.Categorical,
    "Polars": pl.Series,
    "Polars Categorical": lambda x: pl.Series(x, dtype=pl.Categorical),
    "Arrow": pa.array,
    "Arrow in chunks": lambda x: pa.chunked_array([x[:3], x[3:]]),
    "Arrow dictionary": lambda x: pa.array(x).dictionary_encode(),
}
ORDERED_DTYPES: dict[str, Reader] = {
    "pandas": lambda x: pd.Series(x, dtype=ORDERED),
    "pandas.Categorical": lambda x: pd.Categorical(x, dtype=ORDERED),
    "pandas CategoricalIndex": lambda x: pd.CategoricalIndex(x, dtype=ORDERED),
    "Polars Enum": lambda x: pl.Series(x, dtype=pl.Enum(SIZES)),
    "Arrow dictionary": lambda x: pa.DictionaryArray.from_arrays(
        pa.array([SIZES.index(i) for i in x]), pa.array(SIZES), ordered=True
    ),
}


def words(labels: list[int]) -> list[str]:
    return [WORDS[label] for label in labels]


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers(kind: str) -> None:
    read = INTEGERS[kind]
    inferred = oe.Counts.from_labels(read(GOLD), read(PRED))
    assert inferred.table.tolist() == TABLE
    assert inferred.scale.labels == (1, 2, 3)
    assert inferred.scale.inferred
    declared = oe.Counts.from_labels(read(GOLD), read(PRED), labels=[1, 2, 3])
    assert declared.table.tolist() == TABLE
    assert not declared.scale.inferred


@pytest.mark.parametrize("kind", STRINGS)
def test_strings(kind: str) -> None:
    read = STRINGS[kind]
    counts = oe.Counts.from_labels(read(words(GOLD)), read(words(PRED)), labels=SIZES)
    assert counts.table.tolist() == TABLE
    with pytest.raises(oe.InputError, match="Alphabetical order is never assumed"):
        oe.Counts.from_labels(read(words(GOLD)), read(words(PRED)))


@pytest.mark.parametrize("kind", ORDERED_DTYPES)
def test_ordered_dtypes(kind: str) -> None:
    read = ORDERED_DTYPES[kind]
    counts = oe.Counts.from_labels(read(words(GOLD)), read(words(PRED)))
    assert counts.table.tolist() == TABLE
    assert counts.scale.labels == tuple(SIZES)
    assert not counts.scale.inferred


def test_one_ordered_side_is_enough() -> None:
    gold = pd.Series(words(GOLD), dtype=ORDERED)
    assert oe.Counts.from_labels(gold, words(PRED)).table.tolist() == TABLE


def test_the_declared_order_overrules_a_categorical() -> None:
    gold = pd.Series(words(GOLD), dtype=ORDERED)
    counts = oe.Counts.from_labels(gold, words(PRED), labels=SIZES[::-1])
    assert counts.table.tolist() == np.asarray(TABLE)[::-1, ::-1].tolist()


def test_unused_categories_are_classes() -> None:
    dtype = pd.CategoricalDtype([*SIZES, "huge"], ordered=True)
    column = pd.Series(words(GOLD), dtype=dtype)
    assert oe.Counts.from_labels(column, column).scale.k == 4


@pytest.mark.parametrize("read", [list, np.asarray, pd.Series, pl.Series, pa.array])
def test_booleans(read: Any) -> None:
    counts = oe.Counts.from_labels(read([True, False, True]), read([True, True, True]))
    assert counts.table.tolist() == [[0, 1], [0, 2]]
    assert counts.scale.labels == (False, True)


@pytest.mark.parametrize(
    "labels",
    [
        [1, 3, 2],
        [-5, 0, 100],
        [0.5, 1.0, 2.5],
        ["a", 1, None.__class__],
        [(1, 2), (1, 3), (0, 0)],
        [10**6, 10**9, 10**12],
        [2**63, 2**64, 2**65],
        [Fraction(1, 3), Fraction(1, 2), 1],
        [np.int64(4), np.int64(5), np.int64(6)],
    ],
    ids=str,
)
def test_any_plain_labels_can_be_declared(labels: list[Any]) -> None:
    gold, pred = ([labels[i - 1] for i in side] for side in (GOLD, PRED))
    assert oe.Counts.from_labels(gold, pred, labels=labels).table.tolist() == TABLE


@pytest.mark.parametrize(
    "labels", [SIZES, tuple(SIZES), np.asarray(SIZES), pd.Index(SIZES), ORDERED, oe.Scale.of(SIZES)]
)
def test_the_order_can_be_declared_in_many_ways(labels: Any) -> None:
    assert oe.Scale.of(labels).labels == tuple(SIZES)


@pytest.mark.parametrize("low", [-3, -1, 0, 1, 2, 16, 17, 100, 2**40])
def test_integer_scales_may_start_anywhere(low: int) -> None:
    gold, pred = (np.asarray(side) + low for side in (GOLD, PRED))
    assert oe.Counts.from_labels(gold, pred).table.tolist() == TABLE
    for strange in (low, low + 4, -(2**62)):
        with pytest.raises(oe.InputError, match="outside the scale"):
            oe.Counts.from_labels(gold, [*pred[:-1], strange], labels=range(low + 1, low + 4))


def test_integers_too_large_for_arrays() -> None:
    with pytest.raises(oe.InputError, match="hardly classes"):
        oe.Counts.from_labels([1, 2**70], [1, 1])
    assert oe.Counts.from_labels([2**70, 2**70 + 1], [2**70] * 2).table.tolist() == [[1, 0], [1, 0]]


def test_large_unsigned_labels_are_not_taken_for_others() -> None:
    gold = np.asarray([2**64 - 1, 0], dtype=np.uint64)  # -1 if read as signed
    with pytest.raises(oe.InputError, match="outside the scale"):
        oe.Counts.from_labels(gold, [0, 0], labels=[-1, 0])


@pytest.mark.parametrize("strange", [1.5, math.inf, -math.inf, 1e300])
def test_floats_that_are_no_class(strange: float) -> None:
    with pytest.raises(oe.InputError, match="outside the scale"):
        oe.Counts.from_labels([1.0, 2.0], [1.0, strange], labels=[1, 2])


HOLES: dict[str, Any] = {
    "list of None": [1, None, 3, 3],
    "list of NaN": [1, math.nan, 3, 3],
    "float array": np.asarray([1, np.nan, 3, 3]),
    "pandas floats": pd.Series([1, None, 3, 3]),
    "pandas Int64": pd.Series([1, None, 3, 3], dtype="Int64"),
    "pandas array": pd.array([1, None, 3, 3], dtype="Int64"),
    "Polars": pl.Series([1, None, 3, 3]),
    "Polars NaN": pl.Series([1.0, math.nan, 3.0, 3.0]),
    "Arrow": pa.array([1, None, 3, 3]),
}
ORDERED_HOLES: dict[str, Any] = {
    "pandas": pd.Series(["low", None, "high", "high"], dtype=ORDERED),
    "Polars Enum": pl.Series(["low", None, "high", "high"], dtype=pl.Enum(SIZES)),
    "Arrow dictionary": pa.DictionaryArray.from_arrays(
        pa.array([0, None, 2, 2]), pa.array(SIZES), ordered=True
    ),
}


@pytest.mark.parametrize("kind", HOLES)
def test_missing_integers(kind: str) -> None:
    with pytest.raises(oe.InputError, match=r"missing values \(y_true: 1"):
        oe.Counts.from_labels(HOLES[kind], [1, 1, 3, 1])
    counts = oe.Counts.from_labels(HOLES[kind], [1, 1, 3, 1], missing="skip")
    assert counts.table.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 1]]
    assert counts.skipped == 1


@pytest.mark.parametrize("kind", ORDERED_HOLES)
def test_missing_categories(kind: str) -> None:
    pred = ["low", "low", "high", "low"]
    with pytest.raises(oe.InputError, match=r"missing values \(y_true: 1"):
        oe.Counts.from_labels(ORDERED_HOLES[kind], pred)
    counts = oe.Counts.from_labels(ORDERED_HOLES[kind], pred, missing="skip")
    assert counts.table.tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 1]]


def test_skipped_items_take_their_weights_and_topics_along() -> None:
    counts = oe.Counts.from_labels(
        [1, None, 2, 2],
        {"a": [1, 1, 2, None], "b": [2, 2, 2, 2]},
        weight=[1.5, 10, 2, 20],
        topic=["x", "x", "y", "z"],
        missing="skip",
    )
    assert counts.skipped == 2
    assert counts.topics == ("x", "y")
    assert counts.of("a").table.tolist() == [[[1.5, 0], [0, 0]], [[0, 0], [0, 2]]]


def test_strings_are_hashed_and_never_sorted(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("labels were sorted")

    for name in ("unique", "sort", "argsort", "searchsorted"):
        monkeypatch.setattr(np, name, refuse)
    gold, pred = np.asarray(words(GOLD)), np.asarray(words(PRED))
    counts = oe.Counts.from_labels(gold, pred, labels=SIZES, topic=np.asarray(words(GOLD)))
    assert counts.pooled().table.tolist() == TABLE


def test_distinct_labels_come_in_order_of_appearance() -> None:
    assert read_column(["b", "a", "b", "c"], "x").distinct() == ["b", "a", "c"]
    categorical = pd.Categorical(["b", "a", None], categories=["a", "b", "c"])
    assert read_column(categorical, "x").distinct() == ["a", "b"]


GAPPY = [None, 2, 3, None, 1]


@pytest.mark.parametrize("read", [list, pd.Series, lambda x: pd.array(x, dtype="Int64")])
def test_a_missing_prediction_is_scored_as_the_farthest_class(read: Any) -> None:
    gold = [1, 2, 3, 4, 1]
    filled = oe.Counts.from_labels(gold, [4, 2, 3, 1, 1], labels=range(1, 5))
    found = oe.Counts.from_labels(gold, read(GAPPY), labels=range(1, 5), missing="worst")
    assert found.table.tolist() == filled.table.tolist()
    assert found.skipped == 0


def test_the_farthest_class_goes_by_class_values() -> None:
    found = oe.Counts.from_labels(
        ["b"], [None], labels=["a", "b", "c"], values=[0, 9, 10], missing="worst"
    )
    assert found.table.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_missing_predictions_are_reported() -> None:
    result = oe.evaluate([1, 2, 3, 4, 1], GAPPY, measures="mae", bootstrap=0, missing="worst")
    assert "y_pred: 2 missing predictions scored as the class farthest from gold." in tuple(
        map(str, result.notes)
    )


def test_missing_gold_cannot_be_scored_as_worst() -> None:
    with pytest.raises(oe.InputError, match=r"missing values \(y_true: 2 at position 0"):
        oe.score(GAPPY, [1, 2, 3, 4, 1], "mae", labels=range(1, 5), missing="worst")


def test_labels_outside_the_scale_are_found_beside_missing_ones() -> None:
    with pytest.raises(oe.InputError, match=r"y_pred has 1 label outside .*: 7"):
        oe.score([1, 2, 3], [7, None, 3], "mae", labels=[1, 2, 3], missing="worst")


def test_a_system_may_have_the_name_of_a_column() -> None:
    found = oe.compare(
        [1, 2, 3], {"y_true": [1, None, 3], "topics": [1, 2, 3]}, labels=[1, 2, 3], missing="worst"
    )
    assert found.best == "topics"
