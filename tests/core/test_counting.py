"""Counts are right whatever the chunks, and take little memory."""

import tracemalloc
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ordeval as oe
import ordeval.data.column
import ordeval.data.units

ARRAY = np.ndarray[Any, Any]


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ordeval.data.column, "CHUNK", 7)
    monkeypatch.setattr(ordeval.data.units, "CHUNK", 7)


def brute_force(shape: tuple[int, ...], weight: ARRAY, *codes: ARRAY) -> ARRAY:
    """Add the items up one by one."""
    table = np.zeros(shape)
    for i, w in enumerate(weight):
        table[tuple(column[i] for column in codes)] += w
    return table


@st.composite
def items(draw: st.DrawFn) -> tuple[int, ARRAY, ARRAY]:
    """K, codes `[gold, a, b, topic; item]` below K, and weights."""
    k, n = draw(st.integers(2, 5)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return k, rng.integers(k, size=(4, n)), rng.integers(1, 9, size=n) / 4


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("low", [0, 1, 20, -2])
def test_tables_by_brute_force(named: bool, low: int) -> None:
    @settings(max_examples=30, deadline=None, derandomize=True)
    @given(drawn=items())
    def check(drawn: tuple[int, ARRAY, ARRAY]) -> None:
        k, (gold, a, b, topic), weight = drawn
        labels: Any = [f"c{i}" for i in range(k)] if named else range(low, low + k)
        column = np.asarray(labels)
        counts = oe.Counts.from_labels(
            column[gold],
            {"a": column[a], "b": column[b]},
            labels=labels,
            weight=weight,
            topic=topic,
        )
        order = sorted(set(topic.tolist()))
        expected = [brute_force((k, k, k), weight, topic, gold, p)[order] for p in (a, b)]
        np.testing.assert_allclose(counts.table, expected)
        assert counts.topics == tuple(map(str, order))
        np.testing.assert_allclose(counts.pooled().table, np.sum(expected, axis=1))

    check()


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("topics", [False, True])
def test_joint_counts_by_brute_force(topics: bool) -> None:
    @settings(max_examples=30, deadline=None, derandomize=True)
    @given(drawn=items())
    def check(drawn: tuple[int, ARRAY, ARRAY]) -> None:
        k, (gold, a, b, topic), weight = drawn
        options: Any = {"labels": range(k), "weight": weight, "topic": topic if topics else None}
        joint = oe.JointCounts.from_labels(gold, {"a": a, "b": b}, **options)
        expected = brute_force((k,) * 4, weight, topic, gold, a, b)[sorted(set(topic.tolist()))]
        np.testing.assert_allclose(joint.table, expected if topics else expected.sum(axis=0))
        counts = oe.Counts.from_labels(gold, {"a": a, "b": b}, **options)
        np.testing.assert_allclose(joint.single().table, counts.table)

    check()


@pytest.mark.usefixtures("small_chunks")
def test_an_inferred_scale_grows_with_the_data() -> None:
    gold = np.asarray([2] * 20 + [5, 1])
    counts = oe.Counts.from_labels(gold, np.full(22, 3))
    assert counts.scale.labels == (1, 2, 3, 4, 5)
    assert counts.scale.inferred
    assert counts.table.sum() == 22


def test_axes_have_names() -> None:
    counts = oe.Counts.from_labels([1, 2], {"svm": [1, 1], "bert": [1, 2]}, topic=["x", "y"])
    assert [axis.name for axis in counts.axes] == ["system", "topic"]
    assert counts.systems == ("svm", "bert")
    assert counts.topics == ("x", "y")
    assert [len(axis.names) for axis in counts.axes] == [2, 2]
    assert counts.pooled("system").table.shape == (2, 2, 2)
    assert counts.of("bert").pooled().table.tolist() == [[1, 0], [0, 1]]
    assert counts.pooled("topic").pooled("topic").topics == ()


def test_frequencies_are_numbers_of_items_and_weights_are_not() -> None:
    often = oe.Counts.from_labels([1, 2], [1, 2], frequency=[2, 3])
    assert not often.weighted
    assert often.items == 5
    assert often.table.tolist() == [[2, 0], [0, 3]]
    weighed = oe.Counts.from_labels([1, 2], [1, 2], weight=[2, 3])
    assert weighed.weighted
    assert weighed.items == 2
    assert weighed.table.tolist() == [[2, 0], [0, 3]]
    assert oe.Counts.from_table([[1, 2], [3, 4.5]]).weighted


def test_the_total_of_weighted_tables_is_the_effective_number_of_items() -> None:
    counts = oe.Counts.from_labels([1, 2, 2], [1, 2, 1], weight=[1, 2, 3])
    assert counts.effective.sum() == pytest.approx(6**2 / 14)
    tenfold = oe.Counts.from_labels([1, 2, 2], [1, 2, 1], weight=[10, 10, 10])
    assert tenfold.effective.tolist() == [[1, 0], [1, 1]]


def test_weighted_kendall_a_weighs_pairs_of_different_items() -> None:
    gold, pred, w = [1, 2, 3, 3], [1, 3, 2, 3], [0.5, 0.4, 0.35, 2.0]
    pairs = list(combinations(range(4), 2))
    sign = [np.sign(gold[i] - gold[j]) * np.sign(pred[i] - pred[j]) for i, j in pairs]
    weight = [w[i] * w[j] for i, j in pairs]
    expected = np.dot(sign, weight) / sum(weight)
    assert oe.score(gold, pred, "kendall_a", weight=w) == pytest.approx(expected, rel=1e-12)
    perfect = oe.score([1, 2, 3], [1, 2, 3], "kendall_a", weight=[0.5, 0.4, 0.35])
    assert perfect == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("n", "values"),
    [
        (10**7, np.arange(50, 55)),
        (10**7, np.arange(1, 6, dtype=np.int8)),
        (10**6, np.asarray(["low", "mid", "high"])),
    ],
    ids=["int64", "int8", "texts"],
)
def test_many_labels_take_little_memory(n: int, values: ARRAY) -> None:
    gold, labels = np.resize(values, n), None if values.dtype.kind == "i" else values
    tracemalloc.start()
    try:
        counts = oe.Counts.from_labels(gold, gold[::-1], labels=labels)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert counts.table.sum() == n
    assert counts.k == len(values)
    assert peak < 50e6
