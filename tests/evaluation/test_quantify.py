"""`quantify`: distributions over topics."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval.data.column import sorted_names
from ordeval.measures.spec import measures

RNG = np.random.default_rng(0)
GOLD = RNG.dirichlet(np.ones(4), size=25)
SYSTEMS = {
    name: (1 - noise) * GOLD + noise * RNG.dirichlet(np.ones(4), size=25)
    for name, noise in (("good", 0.1), ("fair", 0.4), ("poor", 0.9))
}
FEW: dict[str, Any] = {"draws": 300, "trials": 500}


def test_every_measure_is_scored_with_intervals_and_tests() -> None:
    result = oe.quantify(GOLD, SYSTEMS, **FEW)
    assert result.scores.measures == tuple(measures("quantification"))
    assert str(result.primary) == "rnod"
    assert result.systems == ("good", "fair", "poor")
    assert np.all(result.intervals.low < result.scores.values)
    assert result.pair("good", "poor").p < 0.01
    assert result.scores.of("nmd", "fair") == pytest.approx(
        np.mean(oe.measure("nmd").of(GOLD, SYSTEMS["fair"]))
    )


def test_order_changes_nothing() -> None:
    how: dict[str, Any] = {**FEW, "measures": "nmd, rnod"}
    first = oe.quantify(GOLD, SYSTEMS, **how)
    second = oe.quantify(GOLD, dict(reversed(SYSTEMS.items())), **how)
    assert repr(first.pair("good", "fair")) == repr(second.pair("good", "fair"))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_classes_of_frames_are_matched_by_name(frame: Any) -> None:
    names = ["low", "mid", "high", "top"]
    gold = frame(dict(zip(names, GOLD.T, strict=True)))
    turned = {s: frame(dict(zip(names[::-1], p.T[::-1], strict=True))) for s, p in SYSTEMS.items()}
    plain = oe.quantify(GOLD, SYSTEMS, **FEW, labels=names)
    assert oe.quantify(gold, turned, **FEW, labels=names) == plain
    other_order = names[2:] + names[:2]
    declared = oe.quantify(gold, turned, **FEW, labels=other_order, measures="nmd")
    assert declared.scores.values[0, 0] != plain.scores.of("nmd", "good")


def test_one_topic_has_no_intervals_and_says_so() -> None:
    result = oe.quantify(GOLD[0], {n: p[0] for n, p in SYSTEMS.items()})
    assert result.intervals is None
    assert result.tests is None
    assert any("only one topic" in notice for notice in map(str, result.notes))


def test_undefined_topics_follow_the_option() -> None:
    gold = GOLD.copy()
    gold[0] = [0, 0.5, 0.5, 0]
    plain = oe.quantify(gold, SYSTEMS, **FEW, measures="kld")
    assert np.isnan(plain.scores.values).all()
    assert np.isnan(plain.pair("good", "poor").p)
    skipped = oe.quantify(gold, SYSTEMS, **FEW, measures="kld", undefined="skip")
    assert skipped.scores.values[0] == pytest.approx(
        np.asarray(skipped.scores.per_topic)[0, :, 1:].mean(axis=1)
    )
    assert np.isfinite(skipped.intervals.low).all()
    assert skipped.pair("good", "poor").p < 0.01


def test_systems_without_a_mean_are_not_tested() -> None:
    broken = SYSTEMS["good"].copy()
    broken[0] = [0, 0, 0.5, 0.5]
    how: dict[str, Any] = {**FEW, "measures": "kld(direction=gold)"}
    lonely = oe.quantify(GOLD, {"broken": broken, "poor": SYSTEMS["poor"]}, **how)
    assert (lonely.best, lonely.standings()[0].rank_low) == ("poor", None)
    assert any("No test under" in notice for notice in map(str, lonely.notes))
    found = oe.quantify(GOLD, {"broken": broken, **SYSTEMS}, **how, against="good")
    pair = found.pair("broken", "good")
    assert np.isnan([pair.p, pair.value]).all()
    assert pair.verdict == ""
    assert found.pair("poor", "good").verdict == "worse"
    assert any("leaves out 1 system without" in notice for notice in map(str, found.notes))


def test_only_intervals_without_a_spread_are_doubted(tmp_path: Path) -> None:
    found = oe.quantify(GOLD, {"perfect": GOLD, **SYSTEMS}, **FEW, measures="emd")
    assert found.standing("perfect").doubt == "all topics of the system have the same score"
    assert {found.standing(name).doubt for name in SYSTEMS} == {""}
    found.to_json(tmp_path / "found.json")
    for restored in (found, oe.load(tmp_path / "found.json")):
        for pair in restored.pairs:  # a difference is as doubtful as either score
            assert pair.doubt == restored.standing(pair.first).doubt
            assert pair.low < pair.value < pair.high
    twins = oe.quantify(GOLD, {"twin": GOLD, **SYSTEMS, "same": GOLD}, **FEW)
    same = twins.pair("twin", "same")
    assert (same.value, same.se, same.p) == (0, 0, 1)
    assert np.isnan([same.low, same.high]).all()


NAMED = pd.DataFrame(GOLD, columns=["p_1", "p_2", "p_3", "p_4"], index=[f"t{i}" for i in range(25)])
QUICK: dict[str, Any] = {"measures": "nmd", "draws": 0, "trials": 50}
BY_NAME = {**QUICK, "prefix": "p_"}


def shuffled(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.sample(frac=1, random_state=1)


def test_rows_of_pandas_frames_are_matched_by_index() -> None:
    found = oe.quantify(NAMED, {"same": shuffled(NAMED), "turned": NAMED.iloc[::-1]}, **BY_NAME)
    assert found.scores.values.tolist() == [[0.0, 0.0]]
    assert found.scores.topics == tuple(sorted_names(NAMED.index))
    plain = NAMED.reset_index(drop=True)
    assert oe.quantify(plain, {"x": plain.iloc[::-1]}, **BY_NAME).scores.values == 0


def test_rows_without_names_are_matched_by_position() -> None:
    plain = NAMED.reset_index(drop=True)
    want = np.mean(oe.measure("nmd").of(np.asarray(NAMED), np.asarray(GOLD)))
    assert oe.quantify(NAMED, {"x": GOLD}, **BY_NAME).scores.of("nmd") == pytest.approx(want)
    for gold, run in ((NAMED, plain), (plain, NAMED), (plain.iloc[5:], plain[:20])):
        with pytest.raises(oe.InputError, match="other topics than gold"):
            oe.quantify(gold, {"x": run}, **BY_NAME)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_may_name_the_topics_and_their_sizes(frame: Any) -> None:
    gold = NAMED.assign(n=range(10, 35)).rename_axis("topic").reset_index()
    runs = {
        "same": frame(shuffled(gold).reset_index(drop=True)),
        "other": frame(gold.assign(p_1=gold.p_2, p_2=gold.p_1)),
    }
    how: dict[str, Any] = {**QUICK, "measures": "nmd, kld_smoothed"}
    found = oe.quantify(frame(gold), runs, topic="topic", size="n", prefix="p_", **how)
    assert found.scores.of("nmd", "same") == 0
    assert found.scores.topics == tuple(sorted_names(NAMED.index))
    swapped = GOLD[:, [1, 0, 2, 3]]
    by_hand = oe.measure("kld_smoothed").of(GOLD, swapped, size=range(10, 35)).mean()
    assert found.scores.of("kld_smoothed", "other") == pytest.approx(by_hand)


def test_a_series_is_one_topic() -> None:
    gold = pd.Series({"low": 0.2, "high": 0.8}, name="gold")
    turned = pd.Series({"high": 0.8, "low": 0.2}, name="run")
    how: dict[str, Any] = {"measures": "nmd", "labels": ["low", "high"]}
    assert oe.quantify(gold, {"x": turned}, **how).scores.values == 0
    plain = pd.Series([0.8, 0.2])
    assert oe.quantify(gold, {"x": plain}, **how).scores.of("nmd") == pytest.approx(0.6)


LABELLED = pd.DataFrame(
    {"topic": list("aabbcc"), "grade": ["low", "mid", "high", "low", "mid", "low"]}
)


def crosstab(grades: Any, **chosen: Any) -> pd.DataFrame:
    return pd.crosstab(LABELLED.topic, grades, **chosen)


def order_of(table: Any, **chosen: Any) -> tuple[Any, ...]:
    return oe.quantify(table, table, measures="emd", draws=0, **chosen).scores.scale.labels


def test_the_position_of_a_column_is_no_order() -> None:
    with pytest.raises(oe.InputError, match=r"labels=\['high', 'low', 'mid'\]"):
        order_of(crosstab(LABELLED.grade))
    words = ["low", "mid", "high"]
    assert order_of(crosstab(LABELLED.grade), labels=words) == tuple(words)
    graded = pd.Categorical(LABELLED.grade, words, ordered=True)
    assert order_of(crosstab(graded)) == tuple(words)
    with pytest.raises(oe.InputError, match=r"labels=\[0, 5, 10\]"):
        order_of(pd.DataFrame([[1, 2, 3]] * 2, columns=[10, 0, 5]))
    assert order_of(pd.Series([3, 3, 3, 1, 1, 2]).value_counts(normalize=True)) == (1, 2, 3)


def test_a_prefix_of_all_columns_is_not_part_of_the_labels() -> None:
    table = pd.DataFrame([[1, 2, 3], [3, 4, 2]], columns=["p_5", "p_1", "p_2"])
    with pytest.raises(oe.InputError, match="names of columns with prefix="):
        order_of(table)
    found = oe.quantify(table, {"x": [[2, 3, 1], [4, 2, 3]]}, labels=[1, 2, 5], **BY_NAME)
    assert found.scores.of("nmd") == 0
    assert found.scores.scale.numbers.tolist() == [1, 2, 5]


def test_counts_tell_their_sizes() -> None:
    gold, run = [[6, 2], [10, 0], [1, 4]], [[0.5, 0.5], [0.9, 0.1], [0.2, 0.8]]
    found = oe.quantify(gold, {"x": run}, **{**QUICK, "measures": "rae_smoothed"})
    eps = 1 / (2 * np.array([[8.0], [10.0], [5.0]]))
    q = np.array(gold) / (2 * eps) ** -1
    want = np.mean(np.abs(run - q) / (q + eps))
    assert found.scores.of("rae_smoothed") == pytest.approx(want)
    declared = oe.quantify(q, {"x": run}, size=[8, 10, 5], **{**QUICK, "measures": "rae_smoothed"})
    assert declared.scores.of("rae_smoothed") == pytest.approx(want)
