"""Verdicts with a margin, allowed ranks and detectable differences."""

from typing import Any

import numpy as np
import pytest
from small_data import labels

import ordeval as oe
from ordeval.report.result_words import answer
from ordeval.report.texts import plain

GOLD, SYSTEMS, TOPICS = labels(names="abcd")
HOW: dict[str, Any] = {"labels": range(5), "measures": "mae, accuracy", "draws": 200}


def many_items(errors: dict[str, float]) -> tuple[Any, dict[str, Any]]:
    """Systems that are one class off on some of 4,000 items."""
    rng = np.random.default_rng(3)
    gold = rng.integers(1, 4, size=4000)
    return gold, {name: gold + (rng.random(4000) < share) for name, share in errors.items()}


def test_a_narrow_difference_within_the_margin_is_equivalence() -> None:
    gold, systems = many_items({"a": 0.10, "b": 0.105, "c": 0.4})
    result = oe.compare(gold, systems, labels=range(5), measures="mae", margin=0.05)
    assert result.pair("a", "b").verdict == "equivalent"
    assert result.pair("a", "c").verdict == "better"
    assert result.pair("c", "a").verdict == "worse"
    few = oe.compare(gold[:60], {n: p[:60] for n, p in systems.items()}, labels=range(5),
                     measures="mae", margin=0.001)  # fmt: skip
    assert few.pair("a", "b").verdict == "undecided"


@pytest.mark.parametrize("way", [{}, {"topic": TOPICS}, {"cluster": TOPICS}])
def test_equivalence_is_the_interval_at_twice_alpha(way: dict[str, Any]) -> None:
    wider = oe.compare(GOLD, SYSTEMS, **HOW, **way, ci=0.9)
    verdicts = set()
    for margin in (0.1, 0.3, 0.5, 0.7):
        result = oe.compare(GOLD, SYSTEMS, **HOW, **way, margin=margin)
        np.testing.assert_array_equal(result.tests.inner_low, wider.tests.low)
        np.testing.assert_array_equal(result.tests.inner_high, wider.tests.high)
        for pair in result.pairs:
            inner = wider.pair(pair.first, pair.second, pair.measure)
            inside = -margin < inner.low < inner.high < margin
            assert (pair.verdict == "equivalent") == inside
            verdicts.add(pair.verdict)
    assert {"equivalent", "better"} <= verdicts


def test_allowed_ranks_follow_from_the_tests() -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW)
    for row in result.standings():
        better = sum(row.system in other.beats for other in result.standings())
        assert (row.rank_low, row.rank_high) == (1 + better, 4 - len(row.beats))
    assert result.standings()[0].rank_low == 1


def test_a_larger_sample_detects_smaller_differences() -> None:
    gold, systems = many_items({"a": 0.2, "b": 0.2, "c": 0.2})
    detectable = []
    for n in (250, 4000):
        part = {name: pred[:n] for name, pred in systems.items()}
        found = oe.compare(gold[:n], part, labels=range(5), measures="mae")
        detectable.append(found.pair("a", "b").detectable)
    assert detectable[1] == pytest.approx(detectable[0] / 4, rel=0.2)


def test_doubtful_intervals_are_marked_in_every_format() -> None:
    small = oe.evaluate(GOLD[:20], SYSTEMS["b"][:20], labels=range(5), measures="macro_recall, mae")
    for text in (small.to_text(), small.to_markdown(), small.to_latex(), small.to_html()):
        assert "†" in text or r"$\dagger$" in text
        assert "may cover less than its level" in text
    assert "a class has fewer than" in small.to_csv()
    assert "†" not in oe.evaluate(GOLD, SYSTEMS["b"], labels=range(5), measures="mae").to_text()


def test_words_say_what_was_and_what_could_have_been_found() -> None:
    gold, systems = many_items({"a": 0.20, "b": 0.205})
    part = {name: pred[:300] for name, pred in systems.items()}
    told = " ".join(map(plain, answer(oe.compare(gold[:300], part, labels=range(5)))))
    assert "to decide it would take more than 100 times as many items" in told
    equal = oe.compare(gold, systems, labels=range(5), measures="mae", margin=0.1)
    assert "equivalent within the margin of 0.1" in " ".join(map(plain, answer(equal)))


def test_words_compare_with_the_reference() -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW, against="b")
    told = " ".join(map(plain, answer(result)))
    assert "Compared with b (score " in told
    assert "significantly" in told
    assert "against b" in result.to_text()
    assert "against b" in result.to_html()


def sometimes_undefined() -> tuple[Any, dict[str, Any], Any]:
    """System a is better on the topics where it has a score, and b has higher scores elsewhere."""
    topics = 30
    gold, topic = np.tile([1, 1, 2, 2, 3, 3], topics), np.repeat(range(topics), 6)
    a, b = gold.copy(), gold.copy()
    for t in range(topics):
        place = np.flatnonzero(topic == t)
        if t < 22:
            a[place] = 2
        else:
            a[place] = [1, 2, 2, 2, 3, 3] if t % 2 else [1, 1, 2, 2, 3, 2]
            b[place] = [1, 2, 2, 3, 3, 2] if t % 2 else [1, 1, 2, 3, 3, 2]
    return gold, {"a": a, "b": b}, topic


def test_a_test_on_other_topics_than_the_ranking_tells_nothing_apart() -> None:
    gold, systems, topic = sometimes_undefined()
    result = oe.compare(gold, systems, labels=[1, 2, 3], topic=topic, measures="kendall_b",
                        undefined="skip")  # fmt: skip
    pair = result.pair("b", "a")
    assert result.best == "b"
    assert pair.value > 0
    assert np.isnan([pair.low, pair.high]).all()  # that of the test is of another difference
    assert pair.verdict == "not told apart"
    assert all((row.rank_low, row.rank_high) == (1, 2) for row in result.standings())


def test_t_intervals_count_only_topics_with_a_score() -> None:
    gold, systems, topic = sometimes_undefined()
    how: dict[str, Any] = {"labels": [1, 2, 3], "measures": "kendall_b", "undefined": "skip"}
    noisy = systems["a"].copy()
    noisy[topic == 25] = [1, 2, 2, 1, 3, 2]
    some = oe.evaluate(gold, noisy, **how, topic=topic).standing("y_pred")
    kept = topic >= 22
    alone = oe.evaluate(gold[kept], noisy[kept], **how, topic=topic[kept]).standing("y_pred")
    assert (some.low, some.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.parametrize("unit", ["topic", "cluster"])
def test_equal_differences_on_all_units_are_not_certain(unit: str) -> None:
    gold, unit_of = [1, 2] * 4, np.repeat(range(4), 2)
    systems = {"a": [1, 1] * 4, "b": [2, 2] * 4}
    how: dict[str, Any] = {unit: unit_of, "measures": "accuracy", "margin": 0.01}
    pair = oe.compare(gold, systems, labels=[1, 2, 3], **how).pair("a", "b")
    assert (pair.p, pair.verdict) == (1, "undecided")
    # Labels could have been others, but scores of topics are all that is known of them.
    assert np.isnan(pair.low) if unit == "topic" else pair.low < 0 < pair.high


def test_nothing_is_detectable_without_spread_or_with_too_few_units() -> None:
    same = oe.compare(GOLD, {"a": GOLD, "b": GOLD}, **HOW)
    assert np.isnan(same.pair("a", "b").detectable)
    few = oe.compare(GOLD, SYSTEMS, **HOW, topic=TOPICS % 4)
    assert np.isnan(few.pair("a", "b").detectable)
    assert "in about 80 %" not in " ".join(answer(few))


def test_weights_do_not_hide_a_rare_class() -> None:
    rng = np.random.default_rng(0)
    gold = np.append(rng.integers(1, 5, size=2000), 5)
    weight = np.append(np.ones(2000), 30.0)
    found = oe.evaluate(gold, gold, labels=range(1, 6), measures="macro_mae", weight=weight)
    assert found.standing("y_pred").doubt == "a class has fewer than 10 items"
    clustered = oe.evaluate(gold, gold, labels=range(1, 6), measures="macro_mae",
                            cluster=np.arange(len(gold)) // 40)  # fmt: skip
    assert clustered.standing("y_pred").doubt == "a class has fewer than 10 items"


def test_clusters_of_very_unequal_size_are_few() -> None:
    cluster = np.where(np.arange(len(GOLD)) < 0.8 * len(GOLD), 0, np.arange(len(GOLD)))
    found = oe.evaluate(GOLD, SYSTEMS["b"], **HOW, cluster=cluster)
    assert "fewer than 10 clusters" in found.standing("y_pred").doubt


@pytest.mark.parametrize("units", [9, 10])
@pytest.mark.parametrize("over", ["topics", "both"])
def test_fewer_than_ten_topics_are_marked(units: int, over: str) -> None:
    topic = np.arange(len(GOLD)) % units
    found = oe.evaluate(GOLD, SYSTEMS["b"], **HOW, topic=topic, over=over)
    assert ("fewer than 10 topics" in found.standing("y_pred").doubt) is (units == 9)


@pytest.mark.parametrize("unit", ["topic", "cluster"])
def test_differences_that_few_units_oppose_are_doubtful(unit: str) -> None:
    gold, units = np.ones(240, dtype=int), np.repeat(range(12), 20)
    steady = np.where(np.arange(240) % 20 < 2, 2, 1)  # accuracy 0.9 everywhere
    wild = np.where(units == 0, steady, np.where(np.arange(240) % 20 < 8 + units % 3, 2, 1))
    wild[units == 0] = 1
    how: dict[str, Any] = {"labels": [1, 2], "measures": "accuracy"}
    found = oe.compare(gold, {"steady": steady, "wild": wild}, **how, **{unit: units})
    assert found.pair("steady", "wild").p < 0.05
    why = f"a few {unit}s differ far to the other side"
    assert found.pair("steady", "wild").doubt == why
    assert any(why in note.text for note in found.notes)
    wild[units == 0] = wild[units == 3]
    even = oe.compare(gold, {"steady": steady, "wild": wild}, **how, **{unit: units})
    assert not any(why in note.text for note in even.notes)


def test_the_best_system_is_filled_where_systems_are_compared_with_one_only() -> None:
    ax = oe.plot.intervals(oe.compare(GOLD, SYSTEMS, **HOW, against="b"))
    dots = [line for line in ax.lines if line.get_marker() not in ("", "None", None)]
    faces = [dot.get_markerfacecolor() for dot in dots]
    assert len(set(map(str, faces))) == 2
    assert faces.count(faces[0]) == 1
