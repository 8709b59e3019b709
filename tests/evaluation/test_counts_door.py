"""Tables as a door: the same figures as from labels, and no differences from separate tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ordeval as oe

RNG = np.random.default_rng(3)
LABELS = [1, 2, 3, 4]
GOLD = RNG.integers(1, 5, 120)
SYSTEMS = {
    name: np.clip(GOLD + RNG.integers(-size, size + 1, 120), 1, 4)
    for name, size in (("a", 1), ("b", 2), ("c", 3))
}
TWO = {name: SYSTEMS[name] for name in "ab"}
TOPICS = RNG.integers(0, 12, 120)
WEIGHTS = RNG.random(120)
QUICK: dict[str, Any] = {"measures": "qwk, mae, alpha", "draws": 100}


def plain(result: oe.Result) -> dict[str, Any]:
    """Everything but where the data came from."""
    return {key: repr(part) for key, part in result.to_dict().items() if key != "about"}


@pytest.mark.parametrize("y_pred", [SYSTEMS["a"], SYSTEMS], ids=["one", "three"])
@pytest.mark.parametrize("topics", [None, TOPICS], ids=["items", "topics"])
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["counts", "weights"])
def test_counts_give_the_figures_of_their_labels(y_pred: Any, topics: Any, weight: Any) -> None:
    data: dict[str, Any] = {"labels": LABELS, "topic": topics, "weight": weight}
    counts = oe.Counts.from_labels(GOLD, y_pred, **data)
    assert plain(oe.evaluate(counts, **QUICK)) == plain(oe.evaluate(GOLD, y_pred, **data, **QUICK))


def test_a_published_table_gets_intervals_in_one_call() -> None:
    table = oe.Counts.from_labels(GOLD, SYSTEMS["a"], labels=LABELS).table
    names = ["poor", "fair", "good", "excellent"]
    result = oe.evaluate(table.tolist(), labels=names, values=[0, 1, 4, 9], **QUICK)
    assert result.scores.scale == oe.Scale(tuple(names), (0.0, 1.0, 4.0, 9.0))
    row = result.standing("y_pred", "qwk")
    assert row.low < row.value < row.high
    assert row.value == oe.score(table, "qwk", labels=names, values=[0, 1, 4, 9])


def test_the_order_of_topics_changes_nothing() -> None:
    counts = oe.Counts.from_labels(GOLD, SYSTEMS, labels=LABELS, topic=TOPICS)
    turned = counts.reordered("topic", counts.topics[::-1])
    assert plain(oe.compare(turned, **QUICK)) == plain(oe.compare(counts, **QUICK))


def test_weighted_joint_counts_are_scored_and_not_compared() -> None:
    joint = oe.JointCounts.from_labels(GOLD, TWO, labels=LABELS, weight=WEIGHTS)
    counts = oe.Counts.from_labels(GOLD, TWO, labels=LABELS, weight=WEIGHTS)
    scores = [oe.evaluate(source, measures="qwk").scores.values for source in (joint, counts)]
    np.testing.assert_allclose(*scores)
    with pytest.raises(oe.InputError, match="two systems at a time"):
        oe.compare(joint, **QUICK)


def test_more_labels_than_memory_holds_are_refused_with_what_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 4 * len(GOLD) - 1
    for module in ("sample", "significance"):
        monkeypatch.setattr(f"ordeval.evaluation.{module}.MOST_LABELS", most)
    systems = {str(i): np.random.default_rng(i).permutation(GOLD) for i in range(6)}
    with pytest.raises(oe.InputError) as refused:
        oe.compare(GOLD, systems, labels=LABELS, **QUICK)
    assert refused.value.parameter == "y_pred"
    assert "at most 2 systems" in refused.value.hint


@pytest.mark.parametrize(
    ("topics", "options"),
    [(None, {}), (TOPICS, {"over": "items"}), (TOPICS, {"aggregate": "pool"})],
    ids=["no topics", "over items", "pooled"],
)
def test_differences_are_not_made_from_separate_tables(topics: Any, options: Any) -> None:
    counts = oe.Counts.from_labels(GOLD, TWO, labels=LABELS, topic=topics)
    with pytest.raises(oe.InputError, match="do not tell which items each system misses") as error:
        oe.compare(counts, **options)
    assert "JointCounts" in str(error.value)


def test_a_difference_without_spread_has_no_interval_where_pairs_are_unknown() -> None:
    twins = {"a": SYSTEMS["a"], "b": SYSTEMS["a"]}
    counts = oe.Counts.from_labels(GOLD, twins, labels=LABELS, topic=TOPICS)
    result = oe.compare(counts, **QUICK)
    pair = result.pair("a", "b")
    assert (pair.value, pair.p, pair.se) == (0, 1, 0)
    assert np.isnan([pair.low, pair.high]).all()


def test_tables_of_weights_have_the_scores_that_weights_tell() -> None:
    weighted = oe.Counts.from_labels(GOLD, SYSTEMS["a"], labels=LABELS, weight=WEIGHTS)
    shares = oe.evaluate(weighted.table, draws=100)
    assert shares.intervals is None
    assert any("give whole counts" in notice for notice in map(str, shares.notes))
    assert not any(m.id == "alpha" for m in shares.measures)
    with pytest.raises(oe.InputError, match="depends on the number of items"):
        oe.evaluate(weighted.table, measures="alpha")
    known = oe.Counts.from_table(weighted.table, squares=weighted.squares)
    whole = oe.evaluate(GOLD, SYSTEMS["a"], labels=LABELS, weight=WEIGHTS, **QUICK)
    again = oe.evaluate(known, **QUICK)
    assert again.standing("y_pred", "alpha").low == whole.standing("y_pred", "alpha").low
    assert again.scores.items == pytest.approx(whole.scores.effective)


def test_weighted_tables_with_topics_have_intervals_over_topics() -> None:
    counts = oe.Counts.from_labels(GOLD, SYSTEMS, labels=LABELS, topic=TOPICS, weight=WEIGHTS)
    known = dict(zip(counts.systems, counts.table, strict=True))
    result = oe.compare(oe.Counts.from_table(known, topics=counts.topics), measures="qwk, mae")
    row = result.standing("a", "qwk")
    assert row.low < row.value < row.high
    assert result.pair("a", "c").p < 0.05


def test_bootstrap_intervals_of_weighted_counts_are_refused() -> None:
    counts = oe.Counts.from_labels(GOLD, SYSTEMS["a"], labels=LABELS, weight=WEIGHTS)
    result = oe.evaluate(counts, method="percentile", **QUICK)
    assert any("need the items themselves" in notice for notice in map(str, result.notes))


# Cross tables of pandas: rows and columns are found by their names.


def test_a_cross_table_is_read_by_its_names() -> None:
    names = np.array(["low", "mid", "high"])
    gold, predicted = names[RNG.integers(0, 3, 40)], names[RNG.integers(0, 2, 40)]
    counts = oe.Counts.from_table(pd.crosstab(gold, predicted), labels=names)
    expected = oe.Counts.from_labels(gold, predicted, labels=names)
    np.testing.assert_array_equal(counts.table, expected.table)
    assert oe.score(pd.crosstab(gold, predicted), "qwk", labels=names) == oe.score(
        gold, predicted, "qwk", labels=names
    )
    with pytest.raises(oe.InputError, match="Alphabetical order is never assumed"):
        oe.evaluate(pd.crosstab(gold, predicted))
    with pytest.raises(oe.InputError, match=r"rows called .*'All'"):
        oe.evaluate(pd.crosstab(gold, predicted, margins=True), labels=names)


def test_a_cross_table_of_ordered_categories_needs_no_labels() -> None:
    names = ["low", "mid", "high"]
    column = pd.Categorical(["low", "high", "mid", "low"], names, ordered=True)
    assert oe.Counts.from_table(pd.crosstab(column, column)).scale.labels == tuple(names)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_of_labels_are_not_taken_for_a_table(frame: Any) -> None:
    with pytest.raises(oe.InputError, match="For columns of labels use evaluate"):
        oe.evaluate(frame({"gold": [1, 2], "bert": [1, 1]}))


def test_a_frame_with_numbered_rows_is_read_in_order() -> None:
    counts = oe.Counts.from_table(pd.DataFrame([[8, 2], [1, 9]]), labels=["no", "yes"])
    assert counts.table.tolist() == [[8, 2], [1, 9]]
    assert counts.scale.labels == ("no", "yes")


# What tables cannot take.


# Sums.


@given(st.data())
def test_counts_of_parts_add_up_to_those_of_the_whole(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 30))
    cut = data.draw(st.integers(1, n - 1))
    label = st.lists(st.sampled_from(LABELS), min_size=n, max_size=n)
    gold, a, b = (np.array(data.draw(label)) for _ in range(3))
    number = st.lists(st.integers(1, 5), min_size=n, max_size=n)
    weight = np.array(data.draw(number)) if data.draw(st.booleans()) else None
    frequency = np.array(data.draw(number)) if data.draw(st.booleans()) else None

    def count(part: slice) -> oe.Counts:
        optional = {"weight": weight, "frequency": frequency}
        given = {k: v[part] for k, v in optional.items() if v is not None}
        systems = {"a": a[part], "b": b[part]}
        return oe.Counts.from_labels(gold[part], systems, labels=LABELS, **given)

    whole, total = count(slice(None)), sum([count(slice(cut)), count(slice(cut, None))])
    assert isinstance(total, oe.Counts)
    np.testing.assert_array_equal(total.table, whole.table)
    np.testing.assert_allclose(total.effective, whole.effective)
    assert (total.items, total.weighted, total.axes) == (whole.items, whole.weighted, whole.axes)


def test_systems_and_topics_are_added_by_name() -> None:
    counts = oe.Counts.from_labels(GOLD, TWO, labels=LABELS, topic=TOPICS)
    turned = counts.reordered("system", ["b", "a"]).reordered("topic", counts.topics[::-1])
    np.testing.assert_array_equal((counts + turned).table, 2 * counts.table)


def test_weights_of_unknown_items_stay_unknown_in_sums() -> None:
    weighted = oe.Counts.from_table([[1.5, 0], [0, 2]])
    total = weighted + oe.Counts.from_table([[3, 1], [1, 3]])
    assert (total.weighted, total.squares, total.items) == (True, None, 0)


@pytest.mark.parametrize(
    "other",
    [
        oe.Counts.from_labels([1, 2], {"a": [1, 2]}, labels=[1, 2]),
        oe.Counts.from_labels([1, 2], [1, 2], labels=LABELS),
        oe.Counts.from_labels([1, 2], {"a": [1, 2]}, labels=LABELS, topic=["t", "u"]),
        oe.Counts.from_labels([1, 2], {"a": [1, 2]}, labels=LABELS, values=[1, 2, 3, 9]),
    ],
)
def test_counts_that_differ_are_not_added(other: oe.Counts) -> None:
    counts = oe.Counts.from_labels([1, 2], {"a": [1, 2]}, labels=LABELS)
    with pytest.raises(oe.InputError, match="cannot be added"):
        counts + other
    with pytest.raises(TypeError):
        counts + 1


def test_joint_counts_of_batches_add_up() -> None:
    def count(part: slice) -> oe.JointCounts:
        systems = {name: labels[part] for name, labels in TWO.items()}
        return oe.JointCounts.from_labels(GOLD[part], systems, labels=LABELS)

    total, whole = sum([count(slice(60)), count(slice(60, None))]), count(slice(None))
    assert isinstance(total, oe.JointCounts)
    np.testing.assert_array_equal(total.table, whole.table)
    with pytest.raises(oe.InputError, match="cannot be added"):
        whole + oe.JointCounts.from_labels(GOLD, dict(reversed(TWO.items())), labels=LABELS)
    assert repr(whole) == "JointCounts(systems=('a', 'b'), topics=0, classes=4)"


def test_tables_of_different_sizes_have_a_range_of_items(tmp_path: Path) -> None:
    table = np.array([[100, 20, 3], [10, 100, 24], [0, 10, 90]])
    larger = table + np.diag([27, 0, 0])
    found = oe.evaluate(oe.Counts.from_table({"a": table, "b": larger}), measures="mae")
    assert "357 to 384 items" in str(found)
    assert "357 to 384 items" in found.summary()
    assert "oe.evaluate(\n    counts," in found.to_html()
    assert any("not all scored on the same items" in notice for notice in map(str, found.notes))
    found.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json") == found
    same = oe.evaluate(oe.Counts.from_table({"a": table, "b": table}), measures="mae")
    assert same.scores.size == "357"


@pytest.mark.parametrize("topics", [None, TOPICS], ids=["items", "topics"])
def test_joint_counts_of_two_systems_give_the_figures_of_their_labels(topics: Any) -> None:
    data: dict[str, Any] = {"labels": LABELS, "topic": topics}
    options: dict[str, Any] = {**QUICK, "aggregate": "pool"}
    joint = oe.JointCounts.from_labels(GOLD, TWO, **data)
    assert plain(oe.compare(joint, **options)) == plain(oe.compare(GOLD, TWO, **data, **options))


def test_counts_topic_by_topic_add_up_to_the_whole() -> None:
    gold, topics = np.asarray(GOLD), np.asarray(TOPICS)
    parts = []
    for topic in dict.fromkeys(TOPICS):
        here = topics == topic
        systems = {name: np.asarray(labels)[here] for name, labels in TWO.items()}
        parts.append(oe.Counts.from_labels(gold[here], systems, labels=LABELS, topic=topics[here]))
    total, whole = sum(parts), oe.Counts.from_labels(GOLD, TWO, labels=LABELS, topic=TOPICS)
    assert isinstance(total, oe.Counts)
    np.testing.assert_array_equal(total.reordered("topic", whole.topics).table, whole.table)
    assert total.items == whole.items
