"""Codes that stand for a missing label (`na`)."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe

GOLD = [1, 2, 3, 4, 5, 3]
PRED = [1, 99, 3, 5, 5, 3]
OTHER = [1, 2, 3, 4, 4, 4]


def counted(columns: dict[str, Any], folder: Path, **options: Any) -> Iterator[oe.Counts]:
    """Yield what every kind of source counts."""
    systems = {name: column for name, column in columns.items() if name != "gold"}
    yield oe.Counts.from_labels(columns["gold"], systems, **options)
    frame = pd.DataFrame(columns)
    frame.to_csv(folder / "data.csv", index=False)
    polars = pl.DataFrame(columns)
    polars.write_parquet(folder / "data.parquet")
    for source in (frame, polars, polars.lazy(), polars.to_arrow()):
        yield oe.read(source, **options).counts()
    for name in ("data.csv", "data.parquet"):
        items = oe.read(folder / name, **options)
        yield items.counts()


@pytest.mark.parametrize("missing", ["skip", "worst"])
@pytest.mark.parametrize("na", [99, "99", [99, "."], (99.0, 77)])
def test_numbers_are_missing_at_every_door(missing: str, na: Any, tmp_path: Path) -> None:
    empty = [None if label == 99 else label for label in PRED]
    expected = oe.Counts.from_labels(GOLD, {"a": empty, "b": OTHER}, missing=missing)
    given = {"gold": GOLD, "a": PRED, "b": OTHER}
    for counts in counted(given, tmp_path, missing=missing, na=na):
        assert np.array_equal(counts.table, expected.table)
        assert counts.scale.labels == (1, 2, 3, 4, 5)
        assert counts.skipped == expected.skipped


@pytest.mark.parametrize("na", [".", [".", "x"]])
def test_texts_are_missing_at_every_door(na: Any, tmp_path: Path) -> None:
    given = {"gold": ["lo", "hi", "lo"], "a": ["lo", " . ", "hi"], "b": ["lo", "lo", "lo"]}
    options: dict[str, Any] = {"labels": ["lo", "hi"], "missing": "skip", "na": na}
    for counts in counted(given, tmp_path, **options):
        assert counts.table[0].tolist() == [[1, 1], [0, 0]]
        assert counts.skipped == 1


def test_categories_can_be_codes() -> None:
    kind = pd.CategoricalDtype(["lo", "hi", "?"], ordered=True)
    gold, pred = pd.Series(["lo", "hi", "lo"], dtype=kind), pd.Series(["lo", "?", "hi"], dtype=kind)
    score = oe.score(gold, pred, "accuracy", labels=["lo", "hi"], missing="skip", na="?")
    assert score == 0.5


def test_codes_obey_missing(tmp_path: Path) -> None:
    with pytest.raises(oe.InputError, match=r"missing values \(y_pred: 1"):
        oe.score(GOLD, PRED, "mae", na=99)
    for missing, expected in (("skip", 0.2), ("worst", 4 / 6)):
        assert oe.score(GOLD, PRED, "mae", na=99, missing=missing) == pytest.approx(expected)
        assert oe.measure("mae")(GOLD, PRED, na=99, missing=missing) == pytest.approx(expected)
    assert oe.per_class(GOLD, PRED, na=99, missing="skip")["support"].sum() == 5
    result = oe.compare(GOLD, {"a": PRED, "b": OTHER}, na=99, missing="skip", bootstrap=0)
    assert result.scores.items == 5
    assert oe.evaluate(GOLD, PRED, na=99, missing="skip", bootstrap=0).scores.items == 5


def test_a_declared_label_is_not_a_code() -> None:
    with pytest.raises(oe.InputError, match="as a label and as a code"):
        oe.score(GOLD, GOLD, "mae", labels=[1, 2, 3, 4, 5], na=[5])
    with pytest.raises(oe.InputError, match="as a label and as a code"):
        oe.read(pd.DataFrame({"gold": GOLD, "a": GOLD}), labels=range(1, 6), na="5")


def test_weights_and_topics_have_no_codes() -> None:
    frame = pd.DataFrame({"gold": GOLD, "a": PRED, "t": [99, 99, 1, 1, 1, 1], "w": [99] * 6})
    items = oe.read(frame, topic="t", weight="w", na=99, missing="skip")
    assert items.counts().topics == ("1", "99")


def _mixed(values: list[Any]) -> dict[str, Any]:
    """Columns of pandas that hold the same labels, of which two are codes."""
    return {
        "objects": pd.Series(values, dtype=object),
        "categories": pd.Series(values, dtype=object).astype("category"),
        "decimals": pd.Series(
            [Decimal("9.00") if x == 9 else x if x == "." else Decimal(x) for x in values],
            dtype=object,
        ),
    }


@pytest.mark.parametrize("kind", ["objects", "categories", "decimals"])
def test_codes_of_mixed_columns_leave_an_item_out_of_every_system(kind: str) -> None:
    column = _mixed([1, 2, 3, 2, ".", 9])[kind]
    frame = pd.DataFrame({"gold": [1, 2, 3, 1, 2, 3], "a": [1, 2, 3, 3, 2, 1], "b": column})
    frame.index = frame.index + 7
    options: dict[str, Any] = {"labels": [1, 2, 3], "na": [".", 9], "missing": "skip"}
    expected = oe.Counts.from_labels(frame["gold"], frame[["a", "b"]], **options)
    found = oe.read(frame, pred=["a", "b"], **options).counts()
    assert found.table.sum(axis=(1, 2)).tolist() == [4, 4]
    assert np.array_equal(found.table, expected.table)


def test_codes_among_categories_of_numbers() -> None:
    kind = pd.CategoricalDtype([1.0, 2.0, 9.0])
    frame = pd.DataFrame({"gold": [1, 2, 2], "a": [1, 2, 1]})
    frame["b"] = pd.Series([1.0, 2.0, 9.0], dtype=kind)
    options: dict[str, Any] = {"labels": [1, 2], "na": 9, "missing": "skip"}
    for source in (frame, pa.Table.from_pandas(frame)):
        found = oe.read(source, **options).counts()
        assert found.table.tolist() == [[[1, 0], [0, 1]]] * 2


def test_truth_values_can_be_codes() -> None:
    frame = pl.DataFrame({"gold": ["x", "y"], "a": ["x", "y"], "b": [True, False]})
    options: dict[str, Any] = {"labels": ["x", "y", False], "na": "True", "missing": "skip"}
    for source in (frame, frame.lazy(), frame.to_pandas()):
        assert oe.read(source, **options).counts().table.sum(axis=(1, 2)).tolist() == [1, 1]


def test_objects_that_are_numbers_are_binned() -> None:
    frame = pd.DataFrame({"gold": pd.Series([1.2, 2.9, ".", 1], dtype=object), "a": [1, 3, 1, 2.2]})
    options: dict[str, Any] = {"labels": [1, 2, 3], "bins": "round", "na": ".", "missing": "skip"}
    expected = oe.Counts.from_labels(frame["gold"], frame[["a"]], **options)
    assert np.array_equal(oe.read(frame, **options).counts().table, expected.table)


@pytest.mark.parametrize(
    ("labels", "code", "classes"),
    [
        ([1, 2, 3, 4, 5], 9, range(1, 10)),
        ([0, 1, 2], 8, range(9)),
        ([1, 2, 3, 4], -1, range(-1, 5)),
    ],
)
def test_codes_near_the_classes_are_refused_at_every_door(
    labels: list[int], code: int, classes: range, tmp_path: Path
) -> None:
    gold, pred = [*labels, labels[0]], [*labels, code]
    frame = pd.DataFrame({"gold": gold, "a": pred})
    frame.to_csv(tmp_path / "data.csv", index=False)
    doors = (
        lambda: oe.score(gold, pred, "mae"),
        lambda: oe.read(frame),
        lambda: oe.read(pl.LazyFrame(frame)),
        lambda: oe.read(tmp_path / "data.csv"),
    )
    for door in doors:
        with pytest.raises(oe.InputError, match=f"holds {code}, apart") as caught:
            door()
        assert caught.value.suggest["na"] == code
        assert caught.value.suggest["labels"] == sorted([*labels, code])
    assert oe.score(gold, pred, "mae", labels=classes) > 0
    assert oe.score(gold, pred, "mae", na=code, missing="skip") == 0


@pytest.mark.parametrize("labels", [[-2, -1, 1, 2], [-1, 0, 1], [-1, 1], [1, 2, 7, 8], [5, 6, 9]])
def test_classes_that_are_not_codes(labels: list[int]) -> None:
    assert oe.score(labels, labels, "mae") == 0


def test_codes_are_not_suggested_as_labels() -> None:
    with pytest.raises(oe.InputError) as caught:
        oe.score([1, 2, 3, 4], [1, 2, ".", 99], "mae", na=9)
    assert caught.value.suggest["na"] == [9, "."]
    assert "labels=" not in str(caught.value)
    with pytest.raises(oe.InputError, match=r"pass na='#NV'"):
        oe.score(["low", "high", "#NV"], ["low", "high", "low"], "mae", labels=["low", "high"])


def test_labels_that_differ_in_spaces_are_named() -> None:
    frame = pd.DataFrame({"gold": ["mild", "mild  ", "severe"], "a": ["mild"] * 3})
    for labels in (None, ["mild", "severe"]):
        with pytest.raises(oe.InputError, match=r"'mild  '.* differ in case or spaces only"):
            oe.read(frame, labels=labels).counts()
