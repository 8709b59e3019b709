"""`compare`: tests of all pairs, marks and groups."""

import re
from typing import Any

import numpy as np
import pytest
from small_data import constant_on_a_topic, labels

import ordeval as oe
from ordeval.stats import effect_sizes, max_t, two_way

GOLD, SYSTEMS, TOPICS = labels(names="abcd")
FEW: dict[str, Any] = {"labels": range(5), "measures": "cem, mae", "draws": 0}


def found_tests(result: oe.Result) -> Any:
    assert result.tests is not None
    return result.tests


def test_with_topics_the_test_is_max_t_over_topics() -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW, topic=TOPICS)
    tests = found_tests(result)
    assert (tests.over, tests.units) == ("topics", 8)
    assert (tests.trials, tests.exact, tests.alpha) == (2**7, True, 0.05)
    assert "test:maxt-topics,exact" in result.signature()
    scores = np.asarray(result.scores.per_topic).swapaxes(1, 2)
    assert np.allclose(tests.p, max_t(scores).p)
    assert np.allclose(tests.effect, effect_sizes(scores))
    assert np.allclose(tests.residual_variance, two_way(scores).residual_variance)
    assert np.allclose(tests.anova.systems_p, two_way(scores).systems_p)
    assert tests.anova.residual_df.tolist() == [21, 21]


def test_without_topics_pairs_are_tested_over_items() -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW)
    tests = found_tests(result)
    assert (tests.over, tests.units) == ("items", len(GOLD))
    assert np.all((tests.p > 0) & (tests.p <= 1))
    assert tests.p.min() == pytest.approx(1 / 5001)
    assert "test:maxt-items,5000" in result.signature()


@pytest.mark.parametrize("topics", [None, TOPICS])
def test_all_systems_against_one(topics: Any) -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW, topic=topics, against="b", trials=999)
    tests, b = found_tests(result), result.scores.place("b")
    assert not np.isnan(tests.p[:, b]).any()
    assert np.isnan(result.pair("a", "c").p)
    whole = found_tests(oe.compare(GOLD, SYSTEMS, **FEW, topic=topics, trials=999))
    assert np.all(tests.p[:, b] <= whole.p[:, b] + 0.02)
    assert result.groups() == ()
    assert all(row.rank_low is None for row in result.standings())


def test_pooled_topics_are_exchanged_as_wholes_unless_items_are_asked_for() -> None:
    how: dict[str, Any] = {**FEW, "topic": TOPICS, "aggregate": "pool"}
    assert "maxt-topics" in oe.compare(GOLD, SYSTEMS, **how).signature()
    by_item = oe.compare(GOLD, SYSTEMS, **how, over="items")
    none = oe.compare(GOLD, SYSTEMS, **FEW)
    assert "maxt-items" in by_item.signature()
    assert np.all(np.abs(found_tests(by_item).p - found_tests(none).p) < 0.05)
    assert any("take items as independent" in notice for notice in map(str, by_item.notes))


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        # Of 2⁸ exchanges of eight topics the two most extreme are alike.
        ({"topic": TOPICS, "aggregate": "pool"}, None),
        ({"topic": TOPICS}, None),
        ({"topic": TOPICS % 4, "aggregate": "pool"}, "at least 0.125, .* at most 4 topics; 6 are"),
        ({"topic": TOPICS % 4}, "at least 0.125, .* at most 4 topics; 6 are"),
        ({"trials": 19}, "with 19 trials; make more"),
        ({"trials": 20}, None),
    ],
)
def test_tests_that_cannot_find_anything_say_so(how: Any, expected: str | None) -> None:
    notes = " ".join(map(str, oe.compare(GOLD, SYSTEMS, **FEW, **how).notes))
    assert ("No difference can be significant" in notes) == (expected is not None)
    assert re.search(expected or "", notes)


def test_one_system_has_no_tests() -> None:
    result = oe.compare(GOLD, {"a": SYSTEMS["a"]}, **FEW)
    assert result.tests is None
    assert any("only one system" in notice for notice in map(str, result.notes))
    assert result.standing("a").beats == ()
    assert np.isnan(result.pair("a", "a").p)


@pytest.mark.parametrize("way", [{}, {"topic": TOPICS}, {"cluster": TOPICS}])
def test_the_unit_of_weights_changes_no_output(way: dict[str, Any]) -> None:
    weight = np.random.default_rng(0).lognormal(size=len(GOLD))
    how: dict[str, Any] = {**FEW, **way, "draws": 100, "trials": 99}
    one, other = (oe.compare(GOLD, SYSTEMS, **how, weight=unit * weight) for unit in (1, 37.5))
    assert one.to_text() == other.to_text()
    assert one.to_text("pairs") == other.to_text("pairs")


def test_systems_and_topics_without_scores_are_left_out_of_the_test_and_told() -> None:
    gold, systems, topics = constant_on_a_topic()
    systems["never"] = np.zeros_like(gold)
    how: dict[str, Any] = {"labels": range(5), "measures": "kendall_b, mae", "draws": 0}
    unscored = oe.compare(gold, systems, **how, topic=topics)
    assert any('No test under "Kendall\'s τ-b"' in notice for notice in map(str, unscored.notes))
    result = oe.compare(gold, systems, **how, topic=topics, undefined="skip")
    assert result.pair("a", "c").p < 0.05
    assert np.isnan(result.pair("a", "never").p)
    assert result.pair("a", "never", "mae").p < 0.05
    told = "Kendall's τ-b\" leaves out 1 system and 1 topic"
    assert any(told in notice for notice in map(str, result.notes))
    assert found_tests(result).anova.topics_df.tolist() == [6, 7]


def test_a_measure_that_is_not_batched_is_tested_over_topics_only() -> None:
    how: dict[str, Any] = {**FEW, "labels": range(3)}
    how["measures"] = "mae, oc_general(beta1=0.5, beta2=0.5)"
    systems = {n: p % 3 for n, p in SYSTEMS.items() if n in "ad"}
    by_item = oe.compare(GOLD % 3, systems, **how, trials=200)
    assert np.isnan(found_tests(by_item).p[1, 0, 1])
    assert any("No tests for 'oc_general" in notice for notice in map(str, by_item.notes))
    by_topic = oe.compare(GOLD % 3, systems, **how, trials=200, topic=TOPICS)
    assert np.isfinite(found_tests(by_topic).p).all()


def test_beaten_systems_are_those_that_are_worse_with_small_p() -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW, topic=TOPICS)
    for m in ("cem", "mae"):
        sign = oe.measure(m).sign
        for a in SYSTEMS:
            expected = {
                b
                for b in SYSTEMS
                if result.pair(a, b, m).p < 0.05
                and sign * (result.scores.of(m, a) - result.scores.of(m, b)) > 0
            }
            assert set(result.standing(a, m).beats) == expected
    assert result.standing("a").beats[-1] == "d"


def test_groups_hold_systems_that_are_not_told_apart() -> None:
    result = oe.compare(GOLD, SYSTEMS, **FEW, topic=TOPICS)
    groups, letters = result.groups("mae"), {s: result["mae"][s].letters for s in SYSTEMS}
    for a in SYSTEMS:
        for b in SYSTEMS:
            share = any({a, b} <= set(group) for group in groups)
            assert share == (result.pair(a, b, "mae").p >= 0.05)
            assert share == bool(set(letters[a]) & set(letters[b]))
    assert letters[result.scores.ranking("mae")[0]].startswith("a")
    assert result.group_of_best("mae") == groups[0]


def test_progress_is_shown_for_every_stage() -> None:
    seen: list[tuple[int, int]] = []
    how: dict[str, Any] = {**FEW, "draws": 300, "trials": 100}
    oe.compare(GOLD, SYSTEMS, **how, progress=lambda *step: seen.append(step))
    totals = {total for done, total in seen if done == total}
    assert {300, 100} <= totals


def test_pairs_are_those_that_were_compared() -> None:
    gold = [1, 2, 3, 1, 2, 3]
    systems = {"a": gold, "b": gold[::-1], "c": [1] * 6}
    result = oe.compare(gold, systems, "mae", labels=[1, 2, 3], against="b")
    assert {frozenset((pair.first, pair.second)) for pair in result.pairs} == {
        frozenset("ab"),
        frozenset("cb"),
    }
