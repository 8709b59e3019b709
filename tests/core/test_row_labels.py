"""Rows of pandas series are matched by their labels."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe

GOLD = pd.Series([1, 2, 3, 3, 1], index=list("abcde"))
PRED = pd.Series([1, 2, 2, 3, 2], index=list("abcde"))


def shuffled(series: Any) -> Any:
    return series.iloc[[3, 0, 4, 2, 1]]


DOORS: dict[str, Callable[[Any, Any], float]] = {
    "score": lambda g, p: oe.score(g, p, "qwk"),
    "measure": lambda g, p: oe.measure("qwk")(g, p),
    "counts": lambda g, p: float(oe.measure("qwk").of(oe.Counts.from_labels(g, p))),
    "evaluate": lambda g, p: oe.evaluate(g, p, measures="qwk", bootstrap=0).scores.of("qwk"),
    "compare": lambda g, p: oe.compare(
        g, {"a": p, "b": GOLD}, measures="qwk", bootstrap=0
    ).scores.of("qwk", "a"),
    "per_class": lambda g, p: float(oe.per_class(g, p)["f1"].sum()),
}


@pytest.mark.parametrize("door", DOORS)
def test_the_order_of_rows_does_not_matter(door: str) -> None:
    score = DOORS[door]
    expected = score(GOLD.to_numpy(), PRED.to_numpy()) if door != "compare" else score(GOLD, PRED)
    assert score(GOLD, PRED) == expected
    assert score(GOLD, shuffled(PRED)) == expected
    assert score(GOLD, shuffled(PRED).astype("category").cat.as_ordered()) == expected


@pytest.mark.parametrize("name", ["topic", "cluster", "weight", "frequency"])
def test_other_columns_are_aligned(name: str) -> None:
    column = pd.Series([1, 2, 3, 1, 2], index=GOLD.index)

    def score(given: Any) -> Any:
        result = oe.evaluate(GOLD, PRED, measures="mae", bootstrap=50, **{name: given})
        return result.to_json()

    assert score(shuffled(column)) == score(column)
    with pytest.raises(oe.InputError, match=f"{name} and y_true are pandas series"):
        score(column.reset_index(drop=True))


def test_other_row_labels_are_an_error_that_shows_some() -> None:
    with pytest.raises(oe.InputError, match=r"only y_pred has 'z'; only y_true has 'e'.*to_numpy"):
        oe.score(GOLD, PRED.rename({"e": "z"}), "mae")


def test_repeated_row_labels_match_in_the_same_order_only() -> None:
    index = list("aabbc")
    gold, pred = GOLD.set_axis(index), PRED.set_axis(index)
    assert oe.score(gold, pred, "mae") == oe.score(GOLD, PRED, "mae")
    with pytest.raises(oe.InputError, match="repeated"):
        oe.score(gold, pred.iloc[::-1], "mae")


def test_arrays_and_lists_match_by_position() -> None:
    assert (
        oe.score(GOLD, shuffled(PRED).tolist(), "mae")
        == np.abs(GOLD.to_numpy() - shuffled(PRED).to_numpy()).mean()
    )


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_of_a_frame_are_systems(library: Any) -> None:
    frame = library.DataFrame({"gold": [1, 2, 3], "a": [1, 2, 2], "b": [3, 2, 1]})
    result = oe.compare(frame["gold"], frame[["a", "b"]], bootstrap=0)
    assert result.best == "a"
    assert oe.Counts.from_labels(frame["gold"], frame[["a", "b"]]).systems == ("a", "b")


def test_a_frame_is_aligned_by_its_rows() -> None:
    frame = pd.DataFrame({"a": PRED, "b": GOLD})
    result = oe.evaluate(GOLD, shuffled(frame), measures="mae", bootstrap=0)
    assert result.scores.of("mae", "b") == 0


def test_a_lazy_frame_of_predictions_is_an_error() -> None:
    with pytest.raises(oe.InputError, match="collect"):
        oe.compare([1, 2], pl.LazyFrame({"a": [1, 2]}))
