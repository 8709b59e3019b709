"""Probabilities through every door, with intervals, tests, topics, clusters, weights and gaps."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe

LABELS = ["low", "mid", "high"]
N = 120


def _systems(seed: int = 0, n: int = N) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    sharp = rng.dirichlet(np.ones(3), n)
    gold = (sharp.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return np.array(LABELS)[gold], {"a": sharp, "b": (sharp + 1) / 4}


def _frame() -> pd.DataFrame:
    gold, systems = _systems()
    columns = {
        f"{s}.{label}": p[:, k] for s, p in systems.items() for k, label in enumerate(LABELS)
    }
    return pd.DataFrame(
        {"gold": gold, **columns, "t": np.arange(N) % 6, "w": 1.0 + np.arange(N) % 3}
    )


def _doors(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    frame.to_csv(folder / "d.csv", index=False)
    frame.to_parquet(folder / "d.parquet")
    many = pl.from_pandas(frame)
    return {
        "pandas": frame,
        "polars": many,
        "lazy": many.lazy(),
        "arrow": many.to_arrow(),
        "csv": folder / "d.csv",
        "parquet": folder / "d.parquet",
    }


def test_every_door_gives_the_same_bits(tmp_path: Path) -> None:
    gold, systems = _systems()
    how: dict[str, Any] = {"labels": LABELS, "measures": "rps, somers_d, qwk", "draws": 200}
    memory = oe.compare(gold, proba=systems, **how)
    for name, data in _doors(_frame(), tmp_path).items():
        found = oe.compare("gold", data=data, proba="{system}.{label}", **how)
        assert found.scores.values.tolist() == memory.scores.values.tolist(), name
        assert memory.tests is not None
        assert found.tests is not None
        np.testing.assert_array_equal(found.tests.p, memory.tests.p)
        assert memory.intervals is not None
        assert found.intervals is not None
        np.testing.assert_array_equal(found.intervals.low, memory.intervals.low)


def test_columns_may_be_a_list_or_a_mapping() -> None:
    frame, columns = _frame(), [f"a.{label}" for label in LABELS]
    one = oe.evaluate("gold", data=frame, proba=columns, labels=LABELS, measures="rps", draws=0)
    other = oe.compare(
        "gold", data=frame, proba={"x": columns, "y": "b.{label}"}, labels=LABELS, measures="rps"
    )
    assert one["rps"].value == other["rps"]["x"].value


def test_the_order_of_rows_and_systems_does_not_matter() -> None:
    gold, systems = _systems(n=30)
    order = np.random.default_rng(1).permutation(30)
    usual = oe.compare(gold, proba=systems, labels=LABELS, measures="rps")
    turned = {s: systems[s][order] for s in ("b", "a")}
    other = oe.compare(gold[order], proba=turned, labels=LABELS, measures="rps")
    assert other.pair("a", "b").p == usual.pair("a", "b").p
    assert other.pair("a", "b").value == pytest.approx(usual.pair("a", "b").value, abs=1e-14)


def test_rows_of_pandas_are_matched_by_name() -> None:
    gold, systems = _systems()
    series, frame = pd.Series(gold), pd.DataFrame(systems["a"], columns=LABELS)
    turned = frame.sample(frac=1, random_state=0)
    values = [
        oe.evaluate(series, proba=p, labels=LABELS, measures="rps", draws=0)["rps"].value
        for p in (frame, turned)
    ]
    assert values[0] == values[1]


def test_frequencies_are_repetitions() -> None:
    gold, systems = _systems(n=40)
    times = 1 + np.arange(40) % 3
    how: dict[str, Any] = {"labels": LABELS, "measures": "rps, threshold_auc, rps_skill"}
    counted = oe.compare(gold, proba=systems, frequency=times, **how)
    many = {s: np.repeat(p, times, axis=0) for s, p in systems.items()}
    repeated = oe.compare(np.repeat(gold, times), proba=many, **how)
    for m in counted.measures:
        assert counted[m]["a"].value == pytest.approx(repeated[m]["a"].value)
        assert counted[m]["a"].low == pytest.approx(repeated[m]["a"].low)
        assert counted.pair("a", "b", m).p == repeated.pair("a", "b", m).p


def test_topics_clusters_and_weights() -> None:
    frame = _frame()
    how: dict[str, Any] = {"data": frame, "proba": "a.{label}", "labels": LABELS, "measures": "rps"}
    by_topic = oe.evaluate("gold", topic="t", **how)
    each = [
        oe.evaluate("gold", **{**how, "data": part}, draws=0)["rps"].value
        for _, part in frame.groupby("t")
    ]
    assert by_topic["rps"].value == pytest.approx(np.mean(each))
    weighted = oe.evaluate("gold", weight="w", **how)["rps"].value
    times = oe.evaluate("gold", frequency="times", **{**how, "data": frame.assign(times=frame.w)})
    assert weighted == pytest.approx(times["rps"].value)
    clustered = oe.evaluate("gold", cluster="t", **how)
    assert clustered.intervals is not None
    assert clustered.intervals.over == "clusters"


def test_gaps_are_errors_or_left_out() -> None:
    gold, systems = _systems()
    proba = systems["a"].copy()
    proba[3] = np.nan
    with pytest.raises(oe.InputError, match="missing values"):
        oe.evaluate(gold, proba=proba, labels=LABELS)
    kept = np.arange(N) != 3
    found = oe.evaluate(gold, proba=proba, labels=LABELS, missing="skip", measures="rps", draws=0)
    other = oe.evaluate(gold[kept], proba=proba[kept], labels=LABELS, measures="rps", draws=0)
    assert found["rps"].value == other["rps"].value


def test_infinite_scores_are_shown_counted_and_not_tested() -> None:
    gold, systems = _systems()
    sure = np.eye(3)[np.zeros(N, dtype=int)]
    result = oe.compare(gold, proba={**systems, "sure": sure}, labels=LABELS, measures="log_score")
    assert result["log_score"]["sure"].value == np.inf
    assert np.isnan(result.pair("a", "sure").p)
    assert result.pair("a", "b").p < 0.05
    wrong = int((gold != "low").sum())
    assert any(f"sure: {wrong}" in note.text for note in result.notes)
    assert "∞" in str(result)


def test_archives_hold_the_calibration(tmp_path: Path) -> None:
    gold, systems = _systems()
    result = oe.compare(gold, proba=systems, labels=LABELS, draws=100)
    result.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json") == result
    page = result.to_html()
    assert "Reliability of a" in page
    assert "underconfident" in str(result.table("calibration"))


def test_a_calibrated_system_is_not_rejected_and_curves_stay_in_the_band() -> None:
    gold, systems = _systems(n=2000)
    found = oe.evaluate(gold, proba=systems["a"], labels=LABELS, measures="rps").calibration
    assert found is not None
    assert found.p[0] > 0.05
    assert np.all(np.abs(found.y - found.x) <= found.half + 0.02)
    vague = oe.evaluate(gold, proba=systems["b"], labels=LABELS, measures="rps").calibration
    assert vague is not None
    assert np.any(np.abs(vague.y - vague.x) > vague.half)


_P = _systems()[1]["a"]


@pytest.mark.parametrize(
    ("proba", "words"),
    [
        (np.log(_P), "np.exp"),
        (np.log(_P) + 2, "softmax"),
        (100 * _P, "percentages"),
        (_P.round(2), "rounded"),
        (_P[:, :2], "2 columns, and the scale has 3 classes"),
        (_P[:, 0], "column_stack"),
        (np.zeros(N, dtype=int), "y_pred"),
        (pd.DataFrame(_P, columns=["p_high", "p_mid", "p_low"]), "another order"),
        (_P - 1, "at least 0"),
        (_P.cumsum(axis=1), "cumulative"),
        (_P[:, :1], "column_stack"),
        (np.where(_P == _P[3, 1], np.nan, _P), "no number in any column"),
        (_P.astype(str), "holds text"),
        ({}, "empty"),
    ],
)
def test_rows_that_are_no_probabilities_are_explained(proba: Any, words: str) -> None:
    with pytest.raises(oe.InputError, match=words):
        oe.evaluate(_systems()[0], proba=proba, labels=LABELS)


def test_arguments_for_labels_and_probabilities_are_told_apart() -> None:
    gold, systems = _systems()
    with pytest.raises(oe.InputError, match="proba"):
        oe.evaluate(gold, systems["a"], labels=LABELS)
    with pytest.raises(oe.InputError, match="proba"):
        oe.evaluate(gold, gold, "rps", labels=LABELS)
    with pytest.raises(oe.InputError, match="cannot be combined with proba"):
        oe.evaluate(gold, gold, proba=systems["a"], labels=LABELS)
    with pytest.raises(oe.InputError, match="No column matches"):
        oe.evaluate("gold", data=_frame(), proba="q_{label}", labels=LABELS)
    with pytest.raises(oe.InputError, match="order is not"):
        oe.evaluate("gold", data=_frame(), proba="a.{label}")


def test_two_and_many_classes_and_few_items() -> None:
    for k, n in ((2, 30), (101, 50), (3, 2)):
        proba = np.random.default_rng(k).dirichlet(np.ones(k), n)
        gold = proba.argmax(axis=1)
        result = oe.evaluate(gold, proba=proba, labels=range(k))
        assert 0 <= result["rps"].low <= result["rps"].value <= result["rps"].high <= 1
