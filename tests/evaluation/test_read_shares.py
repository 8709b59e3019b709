"""Distributions from files, frames and counts."""

from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ordeval as oe
from ordeval import Counts, InputError, Shares

GOLD = "topic,1,2,3\nx,0.5,0.25,0.25\ny,0,0,1\n"
RUN = "topic,1,2,3\ny,0.2,0.2,0.6\nx,0.5,0.5,0\n"
HEAD, PREFIXED = "1,2,3", "p_1,p_2,p_3"
LONG = "topic,class,share\nx,1,0.5\nx,2,0.25\nx,3,0.25\ny,3,1\n"
ROWS = [[[0.5, 0.25, 0.25], [0, 0, 1]], [[0.5, 0.5, 0], [0.2, 0.2, 0.6]]]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(gold: str = GOLD, *runs: str, **options: Any) -> Shares:
        paths = []
        for i, text in enumerate((gold, *runs)):
            paths.append(tmp_path / ("gold.csv" if i == 0 else f"run{i}.csv"))
            paths[-1].write_text(text, encoding="utf-8")
        return oe.read_shares(*paths, **options)

    return reader


LAYOUTS = {
    "wide": (GOLD, RUN, {}),
    "classes by name": (GOLD, "3,1,topic,2\n0,0.5,x,0.5\n0.6,0.2,y,0.2\n", {}),
    "prefix": (GOLD.replace(HEAD, PREFIXED), RUN.replace(HEAD, PREFIXED), {"prefix": "p_"}),
    "long gold": (LONG, RUN, {}),
    "long": (LONG, "Label,items,topic\n3,6,y\n1,5,x\n2,2,y\n2,5,x\n1,2,y\n", {"share": "items"}),
    "whole floats": (LONG.replace(",1,", ",1.0,"), RUN.replace("1,2,3", "1.0,2,3"), {}),
    "first column": (GOLD.replace("topic", "query1"), RUN.replace("topic", "query1"), {}),
    "no header": (GOLD[12:], RUN[12:], {"header": False, "labels": [1, 2, 3]}),
    "where": (GOLD + "z,1,0,0\n", RUN + "z,0,1,0\n", {"where": {"topic": ["x", "y"]}}),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_has_the_same_rows(read: Any, name: str) -> None:
    gold, run, options = LAYOUTS[name]
    if name == "long":
        gold = gold.replace("share", "items")
    shares = read(gold, run, **options)
    assert (shares.names, shares.topics) == (("gold", "run1"), ("x", "y"))
    assert shares.scale.labels == (1, 2, 3)
    assert shares.rows.tolist() == ROWS


ALL = "system,topic,1,2,n\nsvm,x,0.5,0.5,\ngold,x,0.25,0.75,60\nnet,x,0,1,\n"


def test_a_table_of_gold_and_all_systems(read: Any) -> None:
    shares = read(ALL, size="n", labels=[1, 2])
    assert shares.names == ("gold", "net", "svm")
    assert shares.rows.tolist() == [[[0.25, 0.75]], [[0, 1]], [[0.5, 0.5]]]
    assert shares.units.count.tolist() == [60]
    assert shares.about["size"] == "n"
    numbered = ALL.partition("\n")[2].replace(",\n", "\n").replace(",60", "")
    how: dict[str, Any] = {"header": False, "labels": [1, 2], "system": "1", "topic": "2"}
    assert read(numbered, **how).rows.tolist() == shares.rows.tolist()


def test_counts_of_every_system_topic_and_class(read: Any) -> None:
    text = "run,topic,grade,items\ngold,x,low,3\nsvm,x,high,4\ngold,x,high,1\n"
    names = {"labels": ["low", "high"], "label": "grade", "share": "items", "system": "run"}
    shares = read(text, **names)
    assert shares.rows.tolist() == [[[0.75, 0.25]], [[0, 1]]]
    assert shares.units.count.tolist() == [4]


def test_a_file_of_several_systems_beside_gold(read: Any) -> None:
    runs = "system,topic,1,2,3\nsvm,y,0,0,1\nsvm,x,1,0,0\nnet,x,0,1,0\nnet,y,0,1,0\n"
    assert read(GOLD, runs).systems == ("net", "svm")
    assert read(GOLD, runs).rows[2].tolist() == [[1, 0, 0], [0, 0, 1]]
    with pytest.raises(InputError, match="other systems called 'net', 'svm'"):
        read(GOLD, runs, runs)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "arrow": pa.table,
    "relation": lambda columns: duckdb.from_arrow(pa.table(columns)),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_are_read_like_files(library: str) -> None:
    columns = {
        "system": ["b", "gold", "gold", "a", "b", "a"],
        "topic": [2, 1, 2, 1, 1, 2],
        "p_low": [0.5, 0.25, 1.0, 0.5, 0.75, 0.0],
        "p_high": [0.5, 0.75, 0.0, 0.5, 0.25, 1.0],
    }
    how: dict[str, Any] = {"labels": ["low", "high"], "prefix": "p_", "draws": 0}
    frame = FRAMES[library](columns)
    result = oe.quantify("gold", {"new": "b", "a": "a"}, "nmd", data=frame, **how)
    assert (result.systems, result.scores.topics) == (("new", "a"), ("1", "2"))
    assert result.scores.per_topic.tolist() == [[[0.5, 0.5], [0.25, 1.0]]]
    plain = pd.DataFrame(columns)
    parts = {
        name: FRAMES[library](part.drop(columns="system").to_dict("list"))
        for name, part in plain.groupby("system")
    }
    apart = oe.quantify(parts.pop("gold"), parts, "nmd", topic="topic", **how)
    assert apart["nmd"]["b"].value == result["nmd"]["new"].value
    with pytest.raises(InputError, match="There is no system 'c'; there are 'a', 'b'"):
        oe.quantify("gold", ["c"], data=frame, **how)


def test_a_path_is_data(tmp_path: Path) -> None:
    (tmp_path / "all.csv").write_text(ALL)
    result = oe.quantify("gold", data=tmp_path / "all.csv", labels=[1, 2], size="n")
    assert result.systems == ("net", "svm")
    assert "Columns that are not classes" not in str(result.notes)


def test_words_need_a_declared_order(read: Any) -> None:
    text = "topic,high,low,medium\nx,0.2,0.3,0.5\n"
    with pytest.raises(InputError, match=r"order of the classes.*labels=\['high', 'low', 'med"):
        read(text, text)
    shares = read(text, text, labels=["low", "medium", "high"])
    assert shares.rows[0].tolist() == [[0.3, 0.5, 0.2]]
    assert not shares.scale.inferred


def test_other_columns_are_left_aside_once_the_classes_are_declared(read: Any) -> None:
    text = "topic,neg,pos,n\nx,0.4,0.6,7\n"
    shares = read(text, text, labels=["neg", "pos"])
    assert shares.rows[0].tolist() == [[0.4, 0.6]]
    assert [note.text for note in shares.notices] == [
        "Columns that are not classes are left aside: 'n'."
    ]


def test_rows_a_little_off_are_renormalised_and_counted(read: Any) -> None:
    run = RUN.replace("0.6", "0.598")
    shares = read(GOLD, run)
    assert [note.text for note in shares.notices] == [
        "Renormalised, because its sum is not exactly 1 (but within 1 %): 1 row. The largest "
        "deviation is 0.2 %."
    ]
    assert shares.rows[1].sum(axis=1).tolist() == pytest.approx([1, 1], abs=1e-15)
    kept = read(GOLD, run, renormalise=False)
    assert (kept.notices, kept.rows[1][1, 2]) == ((), 0.598)


def test_percentages_are_announced(read: Any) -> None:
    percent = "topic,1,2\nx,30,70\ny,50,50\n"
    assert "read as counts of items" in read(percent, percent).notices[0].text
    assert not read(percent.replace("50,50", "5,9"), percent).notices


def test_class_values_go_with_the_scale(read: Any) -> None:
    assert read(GOLD, RUN, values=[0, 1, 5]).scale.values == (0.0, 1.0, 5.0)


def test_shares_of_labels() -> None:
    gold, systems = [1, 1, 2, 3], {"a": [1, 2, 2, 2], "b": [3, 3, 3, 3]}
    counts = Counts.from_labels(gold, systems, topic=["x", "x", "y", "y"])
    shares = Shares.of_counts(counts)
    assert shares.topics == ("x", "y")
    assert shares.rows.tolist() == [
        [[1, 0, 0], [0, 0.5, 0.5]],
        [[0.5, 0.5, 0], [0, 1, 0]],
        [[0, 0, 1], [0, 0, 1]],
    ]
    assert shares.units.count.tolist() == [2, 2]
    data = oe.Data.read(gold, systems, topic=["x", "x", "y", "y"])
    assert oe.quantify(data, draws=0) == oe.quantify(shares, draws=0)
    alone = Shares.of_counts(Counts.from_labels([1, 2], [2, 2]))
    assert (alone.topics, alone.systems) == (("all",), ("y_pred",))
