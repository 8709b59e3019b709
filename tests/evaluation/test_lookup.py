"""Looking figures up: by measure and system, in data frames, in tables of topics, for trackers."""

import re
from math import isnan
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_data import constant_on_a_topic, labels

import ordeval as oe
from ordeval.results import safe_names

GOLD, SYSTEMS, TOPICS = labels()
QUICK: dict[str, Any] = {"labels": range(5), "draws": 50}
RESULT = oe.compare(GOLD, SYSTEMS, topic=TOPICS, measures="QWK, mae", trials=50, **QUICK)
ALONE = oe.evaluate(GOLD, SYSTEMS["a"], measures="kappa(weights=quadratic)", **QUICK)
ACCEPTED = re.compile(r"[\w./ :-]{1,250}", re.ASCII)  # MLflow's rule


@pytest.mark.parametrize("spelling", ["qwk", "kappa(weights='quadratic')", oe.measure("QWK")])
def test_a_measure_is_found_by_any_of_its_names(spelling: Any) -> None:
    figures = RESULT[spelling]
    assert figures["b"] == RESULT.standing("b", "qwk")
    assert spelling in RESULT
    assert RESULT.get(spelling).rows == figures.rows
    assert figures["b"].measure.key == "qwk"


def test_figures_are_a_sequence_best_first() -> None:
    figures = RESULT["mae"]
    assert [row.system for row in figures] == list(figures.names) == list(RESULT.systems)
    assert len(figures) == 3
    assert figures[0] is figures["a"]
    assert figures[-1].rank == 3
    assert figures[:2] == figures.rows[:2]
    assert "a" in figures
    assert figures[0] in figures
    assert "d" not in figures
    assert figures.get("d") is None
    assert figures["a", "b"].p == RESULT.pair("a", "b", "mae").p
    assert "rank  name" in repr(figures)
    assert list(nw.from_native(figures.to_frame("pandas"))["name"]) == ["a", "b", "c"]


def test_the_figures_of_one_system_are_read_directly() -> None:
    figures, row = ALONE["qwk"], ALONE.standings()[0]
    found = figures.value, figures.low, figures.high, figures.se, figures.doubt
    assert found == row.parts
    assert float(figures) == float(row) == row.value


def test_the_figures_of_several_systems_are_not() -> None:
    with pytest.raises(oe.InputError, match=r"3 rows.*'a', 'b', 'c'.*\['a'\]\.value"):
        _ = RESULT["qwk"].value
    assert not hasattr(RESULT["qwk"], "low")


def test_unknown_names_are_answered_with_near_ones() -> None:
    with pytest.raises(oe.InputError, match="Did you mean 'qwk'"):
        _ = RESULT["qkw"]
    with pytest.raises(oe.InputError, match="is not among the measures of this result"):
        _ = RESULT["cem"]
    many = oe.compare(GOLD, {"bert": SYSTEMS["a"], "svm": SYSTEMS["b"]}, measures="mae", **QUICK)
    with pytest.raises(oe.InputError, match=r"There is no system 'brt'.*Did you mean 'bert'"):
        _ = many["mae"]["brt"]
    assert "cem" not in RESULT
    assert "no such thing" not in RESULT
    assert 3 not in RESULT
    assert RESULT.get("cem", 0) == 0


def test_a_number_that_names_a_system_is_not_taken_for_a_position() -> None:
    result = oe.compare(GOLD, {1: SYSTEMS["b"], 2: SYSTEMS["a"]}, measures="mae", **QUICK)  # type: ignore[dict-item]
    assert result["mae"]["1"].rank == 2
    assert result["mae"][0].system == "2"
    with pytest.raises(oe.InputError, match="may be a position or the name '1'"):
        _ = result["mae"][1]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
@pytest.mark.parametrize(
    ("what", "rows"), [("scores", 2 * 3), ("pairs", 2 * 3), ("topics", 2 * 3 * 8), ("classes", 15)]
)
def test_frames(what: str, rows: int, backend: str) -> None:
    frame = nw.from_native(RESULT.to_frame(what, backend), eager_only=True)
    assert len(frame) == rows
    if what != "classes":
        assert set(frame["measure"].to_list()) == {"qwk", "mae"}
        assert set(frame["specification"].to_list()) == {m.specification for m in RESULT.measures}
        only = nw.from_native(RESULT.to_frame(what, backend, measure="qwk"), eager_only=True)
        assert len(only) == rows // 2


def test_frames_hold_the_figures_of_the_result() -> None:
    topics = RESULT.to_frame("topics", "pandas").query("measure == 'qwk' and system == 'b'")
    place = RESULT.scores.place("b")
    assert topics["score"].to_numpy() == pytest.approx(RESULT.scores.per_topic[0, place])
    assert topics["items"].sum() == len(GOLD)
    pair = RESULT.to_frame("pairs", "pandas").query("measure == 'mae' and against == 'c'").iloc[0]
    assert pair["p"] == RESULT.pair(pair["system"], "c", "mae").p
    classes = RESULT.to_frame("classes", "pandas").query("system == 'a'")
    assert classes["recall"].to_numpy() == pytest.approx(
        oe.per_class(GOLD, SYSTEMS["a"], labels=range(5))["recall"]
    )


def test_pairs_with_one_system_are_those_that_were_tested() -> None:
    result = oe.compare(GOLD, SYSTEMS, measures="mae", against="b", trials=9, **QUICK)
    assert len(result.to_frame("pairs")) == 2


def test_the_best_score_of_each_topic_is_bold_and_undefined_ones_are_not() -> None:
    gold, systems, topics = constant_on_a_topic()
    result = oe.compare(gold, systems, topic=topics, measures="kendall_b", trials=9, **QUICK)
    [table] = result.table("topics").parts
    bold = np.array([[cell.bold for cell in row[1:]] for row in table.cells()])
    assert not bold[0].any()
    assert bold[1:-1].any(axis=1).all()
    pooled = oe.compare(
        gold, systems, topic=topics, measures="mae", aggregate="pool", trials=9, **QUICK
    )
    assert pooled.table("topics").parts[0].cells()[-1][0].text == "all items"


def test_constant_systems_that_change_the_default_measure_are_said_in_the_result() -> None:
    systems = {"a": SYSTEMS["a"], "low": [0] * len(GOLD), "high": [4] * len(GOLD)}
    told = "ranked by ordinal alpha, not by linear kappa"
    for result in (
        oe.compare(GOLD, systems, trials=9, **QUICK),
        oe.evaluate(GOLD, systems, **QUICK),
    ):
        assert any(told in notice for notice in map(str, result.notes))
        assert told in result.to_text().replace("\n      ", " ")
    chosen = oe.compare(GOLD, systems, primary="alpha", trials=9, **QUICK)
    assert not any("ranked by" in notice for notice in map(str, chosen.notes))
    one = oe.compare(GOLD, {"a": SYSTEMS["a"], "low": [0] * len(GOLD)}, trials=9, **QUICK)
    assert one.primary == oe.measure("kappa")


def test_metrics_are_flat_and_named_by_key() -> None:
    assert list(ALONE.metrics()) == ["qwk", "qwk.low", "qwk.high"]
    found = RESULT.metrics("test/")
    assert found["test/a/qwk"] == RESULT["qwk"]["a"].value
    assert found["test/c/mae.high"] == RESULT["mae"]["c"].high
    assert len(found) == 2 * 3 * 3


def test_metrics_of_all_measures_have_names_of_their_own() -> None:
    result = oe.evaluate(GOLD, SYSTEMS["a"], labels=range(5), draws=0)
    found = result.metrics()
    assert len(found) == sum(not isnan(row.value) for row in result.tidy())
    assert all(ACCEPTED.fullmatch(name) for name in found)


@given(st.lists(st.text(max_size=100), unique=True, max_size=6))
def test_any_names_become_safe_and_stay_different(names: list[str]) -> None:
    safe = safe_names(names)
    assert len(set(safe)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]{1,90}", name) for name in safe)
    assert not any(name.startswith(".") for name in safe)
    assert safe_names(safe) == safe


def test_mlflow_takes_metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    hostile = {"a b/../c": SYSTEMS["a"], "系统": SYSTEMS["b"], "..": SYSTEMS["c"]}
    found = oe.compare(GOLD, hostile, trials=9, **QUICK).metrics("test/")
    with mlflow.start_run() as run:
        mlflow.log_metrics(found)
    assert mlflow.get_run(run.info.run_id).data.metrics == found
