"""Distributions from files and from counts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordeval import Counts, InputError
from ordeval.io import class_distributions, read_distributions_file

GOLD = "topic,p_1,p_2,p_3\nx,0.5,0.25,0.25\ny,0,0,1\n"
RUN = "topic,p_1,p_2,p_3\nx,0.5,0.5,0\ny,0.2,0.2,0.6\n"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def reader(gold: str = GOLD, *runs: str, **chosen: Any) -> Any:
        paths = []
        for i, text in enumerate((gold, *runs)):
            paths.append(tmp_path / ("gold.csv" if i == 0 else f"run{i}.csv"))
            paths[-1].write_text(text, encoding="utf-8")
        return read_distributions_file(paths[0], paths[1:], **chosen)

    return reader


def test_gold_and_runs_are_joined_on_the_topic(read: Any) -> None:
    run = "topic,p_1,p_2,p_3\ny,0.2,0.2,0.6\nx,0.5,0.5,0\n"
    found = read(GOLD, run)
    assert (found.labels, found.topics, found.systems) == ((1, 2, 3), ("x", "y"), ("run1",))
    assert found.gold.tolist() == [[0.5, 0.25, 0.25], [0, 0, 1]]
    assert found.estimates["run1"].tolist() == [[0.5, 0.5, 0], [0.2, 0.2, 0.6]]


def test_classes_align_by_name_and_not_by_position(read: Any) -> None:
    run = "p_3,p_1,topic,p_2\n0,0.5,x,0.5\n0.6,0.2,y,0.2\n"
    assert read(GOLD, run).estimates["run1"].tolist() == [[0.5, 0.5, 0], [0.2, 0.2, 0.6]]


def test_a_long_table_has_gold_among_the_runs(read: Any) -> None:
    found = read("run,topic,p_-1,p_0,p_1\nsys,x,1,0,0\ngold,x,0.5,0.25,0.25\nother,x,0.1,0.1,0.8\n")
    assert found.labels == (-1, 0, 1)
    assert found.systems == ("other", "sys")
    assert found.gold.tolist() == [[0.5, 0.25, 0.25]]


LONG_GOLD = "topic,class,share\nx,1,0.5\nx,2,0.25\nx,3,0.25\ny,3,1\n"


def test_a_row_per_topic_and_class(read: Any) -> None:
    run = "label,p,topic\n3,0.6,y\n1,0.5,x\n2,0.2,y\n2,0.5,x\n1,0.2,y\n"
    found = read(LONG_GOLD, run)
    assert (found.labels, found.topics) == ((1, 2, 3), ("x", "y"))
    assert found.gold.tolist() == [[0.5, 0.25, 0.25], [0, 0, 1]]
    assert found.estimates["run1"].tolist() == [[0.5, 0.5, 0], [0.2, 0.2, 0.6]]
    assert read(GOLD, run).gold.tolist() == found.gold.tolist()


def test_counts_of_every_run_topic_and_class_in_one_file(read: Any) -> None:
    text = "run,topic,grade,items\ngold,x,low,3\nsvm,x,high,4\ngold,x,high,1\n"
    names = {"labels": ["low", "high"], "class_column": "grade", "share": "items"}
    found = read(text, **names)
    assert found.gold.tolist() == [[0.75, 0.25]]
    assert found.estimates["svm"].tolist() == [[0, 1]]
    assert found.sizes.tolist() == [4]


def test_files_without_a_header(read: Any) -> None:
    gold, run = "x\t0.75\t0.25\t8\ny\t1\t0\t5\n", "y\t0.5\t0.5\nx\t0\t1\n"
    found = read(gold, run, header=False, labels=["pos", "neg"], size="4", delimiter="tab")
    assert (found.labels, found.topics) == (("pos", "neg"), ("x", "y"))
    assert found.gold.tolist() == [[0.75, 0.25], [1, 0]]
    assert found.estimates["run1"].tolist() == [[0, 1], [0.5, 0.5]]
    assert found.sizes.tolist() == [8, 5]


def test_a_long_table_without_a_header(read: Any) -> None:
    text = "7,gold,x,0.5,0.5\n8,svm,x,0.25,0.75\n"
    found = read(text, header=False, labels=[1, 2], run="2", topic="3")
    assert found.estimates["svm"].tolist() == [[0.25, 0.75]]


def test_the_size_of_topics_is_that_of_gold(read: Any) -> None:
    text = "run,topic,p_1,p_2,n\nsvm,x,0.5,0.5,\ngold,x,0.5,0.5,60\n"
    assert read(text, size="n").sizes.tolist() == [60]
    assert read(GOLD, RUN).sizes is None


def test_shares_with_decimal_commas(read: Any) -> None:
    gold, run = "topic;1;2\nx;0,250;0,750\n", "topic;1;2\nx;1,000;0\n"
    found = read(gold, run)
    assert (found.gold.tolist(), found.estimates["run1"].tolist()) == ([[0.25, 0.75]], [[1, 0]])
    with pytest.raises(InputError, match="is not all numbers: 1,250, 500"):
        read("topic;1;2\nx;1,250;500\n", run)


def test_whole_numbers_are_counts(read: Any) -> None:
    found = read("topic,1,2\nx,3,1\n", "topic,1,2\nx,1,1\n")
    assert found.gold.tolist() == [[0.75, 0.25]]


def test_words_need_a_declared_order(read: Any) -> None:
    text = "topic,high,low,medium\nx,0.2,0.3,0.5\n"
    with pytest.raises(InputError, match="order of the classes is not known"):
        read(text, text)
    found = read(text, text, labels=["low", "medium", "high"])
    assert found.gold.tolist() == [[0.3, 0.5, 0.2]]
    assert not found.scale.inferred


def test_labels_are_suggested_without_their_prefix(read: Any) -> None:
    text = "topic,p_5,p_1,p_2\nx,0.2,0.3,0.5\n"
    with pytest.raises(InputError, match=r"labels=\[1, 2, 5\]"):
        read(text, text)
    assert read(text, text, labels=[1, 2, 5]).scale.numbers.tolist() == [1, 2, 5]
    words = "topic,p_high,p_low\nx,0.2,0.8\n"
    with pytest.raises(InputError, match=r"labels=\['high', 'low'\]"):
        read(words, words)
    assert read(words, words, labels=["low", "high"]).gold.tolist() == [[0.8, 0.2]]


def test_other_columns_are_left_aside_once_the_classes_are_declared(read: Any) -> None:
    text = "topic,p_neg,p_pos,n\nx,0.4,0.6,7\n"
    found = read(text, text, labels=["neg", "pos"])
    assert found.gold.tolist() == [[0.4, 0.6]]
    assert tuple(map(str, found.notices)) == ("Columns that are not classes are left aside: 'n'.",)


@pytest.mark.parametrize("names", ["p_1,p_2,p_3", "1,2,3", "p_low,p_mid,p_high"])
def test_columns_named_like_classes_are_not_left_aside_in_silence(read: Any, names: str) -> None:
    text = f"topic,{names}\nx,1,2,3\n"
    few = ["low", "mid"] if "low" in names else [1, 2]
    with pytest.raises(InputError, match=r"named like the classes.*but not declared"):
        read(text, text, labels=few)


def test_a_file_of_several_runs_beside_gold(read: Any) -> None:
    runs = "system,topic,p_1,p_2,p_3\nsvm,y,0,0,1\nsvm,x,1,0,0\nnet,x,0,1,0\nnet,y,0,1,0\n"
    found = read(GOLD, runs, run="system")
    assert found.systems == ("net", "svm")
    assert found.estimates["svm"].tolist() == [[1, 0, 0], [0, 0, 1]]
    with pytest.raises(InputError, match="other runs called 'net', 'svm'"):
        read(GOLD, runs, runs, run="system")
    with pytest.raises(InputError, match="no column 'sytem'"):
        read(GOLD, runs, run="sytem")


def test_a_prefix_can_be_named(read: Any) -> None:
    text = "topic,a_1,a_2,b_1,b_2\nx,0.4,0.6,1,0\n"
    with pytest.raises(InputError, match="Name the prefix with prefix='a_'"):
        read(text, text, labels=[1, 2])
    assert read(text, text, labels=[1, 2], prefix="b_").gold.tolist() == [[1, 0]]


def test_rows_a_little_off_are_renormalised_and_counted(read: Any) -> None:
    run = RUN.replace("0.6", "0.598")
    found = read(GOLD, run)
    assert found.renormalised == 1
    assert tuple(map(str, found.notices)) == (
        "Renormalised, because its sum is not exactly 1 (but within 1 %): 1 row. The largest "
        "deviation is 0.2 %.",
    )
    assert found.estimates["run1"].sum(axis=1).tolist() == pytest.approx([1, 1], abs=1e-15)
    kept = read(GOLD, run, renormalise=False)
    assert (kept.renormalised, kept.estimates["run1"][1, 2]) == (0, 0.598)


def test_class_values_go_with_the_scale(read: Any) -> None:
    assert read(GOLD, RUN, values=[0, 1, 5]).scale.values == (0.0, 1.0, 5.0)


BAD: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "sum of gold": (GOLD.replace("0.5", "0.9"), RUN, {}, "gold .* sum that is not 1 .*row 'x'"),
    "sum of run": (GOLD, RUN.replace("0.6", "0.9"), {}, "run1 .* sum that is not 1 .*row 'y'"),
    "counts among shares": (GOLD.replace("x,0.5", "x,50"), RUN, {}, "sum that is not 1"),
    "negative": (GOLD, RUN.replace("0.2,0.2", "-0.2,0.6"), {}, "negative number"),
    "only zeros": (GOLD, RUN.replace("0.5,0.5,0", "0,0,0"), {}, "only zeros"),
    "hole": (GOLD, RUN.replace("0.2,0.2", "0.2,"), {}, "missing or non-finite number"),
    "word": (
        GOLD,
        RUN.replace("0.2,0.2", "0.2,few"),
        {},
        "run1 distribution of 'y' is not all num",
    ),
    "class missing": (GOLD, "topic,p_1,p_2\nx,1,0\ny,1,0\n", {}, r"no column for 'p_3'"),
    "class too many": (GOLD, "topic,p_1,p_2,p_3,p_4\nx,1,0,0,0\n", {}, "'p_4' is not a class of"),
    "gap": ("topic,p_1,p_3\nx,1,0\n", "topic,p_1,p_3\nx,1,0\n", {}, "order of the classes"),
    "minus or dash": ("topic,p-1,p-2\nx,1,0\n", "topic,p-1,p-2\nx,1,0\n", {}, "order of the cl"),
    "topic missing": (GOLD, RUN.replace("y,", "z,"), {}, "run1: 1 topic of gold missing: 'y'"),
    "topic too many": (GOLD, RUN + "z,1,0,0\n", {}, "run1: 1 topic not in gold: 'z'"),
    "topic twice": (GOLD, RUN + "y,1,0,0\n", {}, "1 topic more than once: 'y'"),
    "no rows": (GOLD, "topic,p_1,p_2,p_3\n", {}, "holds no rows"),
    "class not in the scale": (LONG_GOLD, LONG_GOLD.replace("x,1", "x,7"), {}, "'7' is not a cla"),
    "class twice": (LONG_GOLD, LONG_GOLD + "x,1,0.5\n", {}, "more than one row of x, 1"),
    "nameless class": (LONG_GOLD, LONG_GOLD + "y,,0\n", {}, "1 row with no class: 5"),
    "no share": (GOLD, RUN, {"class_column": "p_1"}, "one of shares.*with share"),
    "no class": (GOLD, RUN, {"share": "p_1"}, "needs a column of classes.*with class_column"),
    "unnamed columns": (GOLD, RUN, {"header": False}, "columns have no names.*labels="),
    "few unnamed columns": (
        "x,1\n",
        "x,1\n",
        {"header": False, "labels": ["a", "b"]},
        "there is 1 column; one for each of 2",
    ),
    "many unnamed columns": (
        "x,1,2,3\n",
        "x,1,2,3\n",
        {"header": False, "labels": ["a", "b"]},
        "there are 3 columns; one for each of 2",
    ),
    "no header": ("x,0.4,0.6\n", "x,0.4,0.6\n", {}, "not a header, say so with header=False"),
    "other names of long tables": (
        "topic,cls,value\nx,low,1\n",
        "topic,cls,value\nx,low,1\n",
        {},
        "one class, name its columns with class_column.* and share",
    ),
    "no such size": (GOLD, RUN, {"size": "m"}, "no column 'm'"),
    "size missing": (
        "topic,1,2,n\nx,1,0,\n",
        "topic,1,2,n\nx,1,0,\n",
        {"size": "n"},
        "missing or not positive",
    ),
    "no such topic": (GOLD, RUN, {"topic": "tpoic"}, "no column 'tpoic'.*mean 'topic'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_distributions_are_explained(read: Any, case: str) -> None:
    gold, run, chosen, message = BAD[case]
    with pytest.raises(InputError, match=message):
        read(gold, run, **chosen)


def test_a_table_alone_must_tell_gold_from_systems(read: Any) -> None:
    with pytest.raises(InputError, match="no column 'run'"):
        read(GOLD)
    with pytest.raises(InputError, match="no row has 'gold'"):
        read("run,topic,1,2\na,x,0,1\n")
    with pytest.raises(InputError, match="only gold rows"):
        read("run,topic,1,2\ngold,x,0,1\n")


def test_prevalences_from_classification_data() -> None:
    counts = Counts.from_labels(
        [1, 1, 2, 3], {"a": [1, 2, 2, 2], "b": [3, 3, 3, 3]}, topic=["x", "x", "y", "y"]
    )
    found = class_distributions(counts)
    assert found.topics == ("x", "y")
    assert found.gold.tolist() == [[1, 0, 0], [0, 0.5, 0.5]]
    assert found.estimates["a"].tolist() == [[0.5, 0.5, 0], [0, 1, 0]]
    assert found.estimates["b"].tolist() == [[0, 0, 1], [0, 0, 1]]


def test_prevalences_without_topics_are_one_row() -> None:
    found = class_distributions(Counts.from_labels([1, 2], [2, 2]))
    assert (found.topics, found.systems) == (("all",), ("y_pred",))
    np.testing.assert_array_equal(found.estimates["y_pred"], [[0, 1]])


NAMELESS = {
    "no topic": (["topic,1,2\n,1,0\n", "topic,1,2\nNone,1,0\n"], {}, "1 row with no topic: 1"),
    "no run": (["run,topic,1,2\ngold,x,1,0\n,x,0,1\n"], {}, "nothing in column 'run': 2"),
    "first of the classes": (["1,2,3\n5,2,3\n", "1,2,3\n5,1,4\n"], {}, "'1' is a class"),
    "declared class": (["a,b\n1,0\n", "a,b\n1,0\n"], {"labels": ["a", "b"]}, "'a' is a class"),
}


@pytest.mark.parametrize("case", NAMELESS)
def test_rows_without_a_name_are_refused(read: Any, case: str) -> None:
    files, chosen, message = NAMELESS[case]
    with pytest.raises(InputError, match=message):
        read(*files, **chosen)


def test_a_first_column_with_a_number_may_name_the_rows(read: Any) -> None:
    assert read("query1,p_1,p_2\nx,1,0\n", "query1,p_1,p_2\nx,0,1\n").topics == ("x",)
