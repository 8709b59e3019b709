"""Probabilities through every door, with intervals, tests, topics, clusters, weights and gaps."""

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe
from ordeval.cli import main

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
        "dask": dd.from_pandas(frame, npartitions=3),
        "duckdb": duckdb.from_df(frame),
        "shuffled": frame.sample(frac=1, random_state=1),
    }


def _joined(frame: pd.DataFrame, folder: Path) -> dict[str, oe.Data]:
    """Gold and runs, whose rows are in other orders, and a table with a row per system."""
    parts, how = [], {"id": "id", "proba": "p_{label}", "labels": LABELS}
    (folder / "runs").mkdir()
    frame = frame.assign(id=[f"x{i}" for i in range(N)])
    frame[["id", "gold"]].to_csv(folder / "gold.csv", index=False)
    for system in "ab":
        names = {f"{system}.{label}": f"p_{label}" for label in LABELS}
        part = frame.rename(columns=names)[["id", "gold", *names.values()]].sample(frac=1)
        part.drop(columns="gold").to_csv(folder / "runs" / f"{system}.csv", index=False)
        parts.append(part.assign(run=system))
    pd.concat(parts).to_csv(folder / "long.csv", index=False)
    return {
        "runs": oe.read(folder / "gold.csv", folder / "runs", **how),
        "long": oe.read(folder / "long.csv", system="run", **how),
    }


def _same(one: oe.Result, other: oe.Result) -> None:
    assert one.scores.values.tolist() == other.scores.values.tolist()
    assert one.tests is not None
    assert other.tests is not None
    np.testing.assert_array_equal(one.tests.p, other.tests.p)
    assert one.intervals is not None
    assert other.intervals is not None
    np.testing.assert_array_equal(one.intervals.low, other.intervals.low)
    assert one.calibration is not None
    assert other.calibration is not None
    np.testing.assert_array_equal(one.calibration.half, other.calibration.half)


def test_every_door_gives_the_same_bits(tmp_path: Path) -> None:
    gold, systems = _systems()
    how: dict[str, Any] = {"measures": "rps, somers_d, qwk", "draws": 200}
    memory = oe.compare(gold, proba=systems, labels=LABELS, **how)
    pattern = {"proba": "{system}.{label}", "labels": LABELS}
    for data in _doors(_frame(), tmp_path).values():
        _same(oe.compare("gold", data=data, **pattern, **how), memory)
    for data in _joined(_frame(), tmp_path).values():
        _same(oe.compare(data, **how), memory)


def test_tables_come_through_pipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, systems = _systems()
    _frame().to_csv(tmp_path / "d.csv", index=False)
    with (tmp_path / "d.csv").open() as pipe:
        monkeypatch.setattr("sys.stdin", pipe)
        words = "--proba {system}.{label} --labels low,mid,high --measures rps --format json"
        assert main(["compare", "-", *words.split(), "--out", str(tmp_path / "r.json")]) == 0
    _same(
        oe.load(tmp_path / "r.json"), oe.compare(gold, proba=systems, labels=LABELS, measures="rps")
    )


def test_texts_of_items_are_shown_beside_probabilities(tmp_path: Path) -> None:
    frame = _frame().assign(id=range(N), text=[f"the text {i}" for i in range(N)])
    frame.to_csv(tmp_path / "d.csv", index=False)
    how: dict[str, Any] = {"labels": LABELS, "measures": "rps", "id": "id", "text": "text"}
    for data in (frame, tmp_path / "d.csv"):
        result = oe.compare("gold", data=data, proba="{system}.{label}", **how)
        assert result.examples is not None
        assert "the text" in result.to_html()


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


def test_bands_of_clusters_are_wider_and_those_of_frequencies_are_of_repetitions() -> None:
    gold, systems = _systems()
    times = np.repeat(np.arange(N), 10)
    how: dict[str, Any] = {"labels": LABELS, "measures": "rps"}
    many, proba = gold[times], systems["a"][times]
    repeated, clustered, counted = (
        oe.evaluate(*given, **more, **how).calibration
        for given, more in (
            ([many], {"proba": proba}),
            ([many], {"proba": proba, "cluster": times}),
            ([gold], {"proba": systems["a"], "frequency": np.full(N, 10)}),
        )
    )
    assert repeated is not None
    assert clustered is not None
    assert counted is not None
    assert np.median(clustered.half) > 2 * np.median(repeated.half)
    np.testing.assert_allclose(counted.half, repeated.half)
    assert counted.z == pytest.approx(repeated.z)
    assert abs(clustered.z[0]) < abs(repeated.z[0])


def test_a_constant_system_is_a_point_of_the_reliability_curve() -> None:
    gold, _ = _systems()
    shares = np.tile([np.mean(gold == label) for label in LABELS], (N, 1))
    result = oe.evaluate(gold, proba=shares, labels=LABELS, measures="rps")
    assert result.to_html().count('class="point c') >= 2
    marks = [line.get_marker() for line in oe.plot.reliability(result).get_lines()]
    assert sum(mark not in ("", "None") for mark in marks) == 2


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


def test_words_and_codes_in_files_are_gaps(tmp_path: Path) -> None:
    frame, columns = _frame().astype(object), [f"a.{label}" for label in LABELS]
    how: dict[str, Any] = {"labels": LABELS, "missing": "skip", "measures": "rps", "draws": 0}
    memory = oe.evaluate("gold", data=_frame().drop(index=[3]), proba=columns, **how)
    for word in ("NA", "", 99):
        frame.loc[3, columns] = word
        frame.to_csv(tmp_path / "d.csv", index=False)
        na = {"na": 99} if word == 99 else {}
        found = oe.evaluate("gold", data=tmp_path / "d.csv", proba=columns, **na, **how)
        assert found["rps"].value == memory["rps"].value


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
        (np.where(_P[3, 1] == _P, np.nan, _P), "no number in any column"),
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
