"""Results straight from data frames equal those from the columns."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

QUICK: dict[str, Any] = {"bootstrap": 50, "trials": 200}


@pytest.fixture(scope="module")
def columns() -> dict[str, Any]:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 6, 300)
    judges = {
        name: np.clip(human + rng.integers(-far, far + 1, 300), 1, 5)
        for name, far in (("near", 1), ("far", 3))
    }
    return {"human": human, **judges, "task": np.repeat([f"t{i}" for i in range(6)], 50)}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize("topic", [None, "task"])
def test_a_frame_compares_as_its_columns_do(
    columns: dict[str, Any], make: Any, topic: str | None
) -> None:
    preds = {name: columns[name] for name in ("near", "far")}
    by_columns = oe.compare(
        columns["human"], preds, labels=range(1, 6), topic=topic and columns[topic], **QUICK
    )
    by_frame = oe.compare_frame(
        make(columns), gold="human", pred=["near", "far"], topic=topic, labels=range(1, 6), **QUICK
    )
    assert by_frame.to_dict() == {**by_columns.to_dict(), "about": {"gold": "human"}}


def test_a_frame_evaluates_as_its_columns_do(columns: dict[str, Any]) -> None:
    by_columns = oe.evaluate(
        columns["human"], {"near": columns["near"]}, labels=range(1, 6), bootstrap=50
    )
    by_frame = oe.evaluate_frame(
        pl.LazyFrame(columns), gold="human", pred="near", labels=range(1, 6), bootstrap=50
    )
    assert by_frame.to_dict() == {**by_columns.to_dict(), "about": {"gold": "human"}}


def test_an_unknown_setting_is_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="bootstraps"):
        oe.evaluate_frame(  # type: ignore[call-arg]
            pd.DataFrame(columns), gold="human", pred="near", bootstraps=3
        )
