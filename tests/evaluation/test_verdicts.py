"""Verdicts with a margin, allowed ranks and detectable differences."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from small_data import labels

import ordeval as oe
from ordeval.report.story import answer, plain

GOLD, SYSTEMS, TOPICS = labels(names="abcd")
HOW: dict[str, Any] = {"labels": range(5), "measures": "mae, accuracy", "bootstrap": 200}


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


def test_without_a_margin_nothing_is_equivalent() -> None:
    gold, systems = many_items({"a": 0.10, "b": 0.10})
    result = oe.compare(gold, systems, labels=range(5), measures="mae")
    assert result.pair("a", "b").verdict == "not told apart"
    assert result.tests is not None
    assert result.tests.inner_low is None


@pytest.mark.parametrize("way", [{}, {"topics": TOPICS}, {"cluster": TOPICS}])
def test_equivalence_is_the_interval_at_twice_alpha(way: dict[str, Any]) -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW, **way, margin=0.3, differences=True, ci=0.9)
    assert result.tests is not None
    assert result.differences is not None
    assert np.allclose(result.tests.inner_low, result.differences.low, equal_nan=True)
    inside = (result.differences.low > -0.3) & (result.differences.high < 0.3)
    for a, b in [("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")]:
        at = result.scores.row("mae"), result.scores.place(a), result.scores.place(b)
        assert (result.pair(a, b, "mae").verdict == "equivalent") == inside[at]


def test_allowed_ranks_follow_from_the_tests() -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW)
    for row in result.standings():
        better = sum(row.system in other.beats for other in result.standings())
        assert (row.rank_low, row.rank_high) == (1 + better, 4 - len(row.beats))
    assert result.standings()[0].rank_low == 1


def test_a_larger_sample_detects_smaller_differences() -> None:
    gold, systems = many_items({"a": 0.2, "b": 0.22, "c": 0.24})
    detectable = []
    for n in (250, 4000):
        part = {name: pred[:n] for name, pred in systems.items()}
        found = oe.compare(gold[:n], part, labels=range(5), measures="mae")
        detectable.append(found.pair("a", "b").detectable)
    assert detectable[1] == pytest.approx(detectable[0] / 4, rel=0.2)


def test_detectable_differences_are_found_in_four_of_five_samples() -> None:
    rng, found, runs = np.random.default_rng(8), 0, 150
    shift = 0.3
    for run in range(runs):
        scores = rng.normal(size=(40, 1)) + rng.normal(scale=0.5, size=(40, 2)) + [0, shift]
        found += oe.stats.max_t(scores, oe.stats.Plan(400, rng=run)).p[0, 1] < 0.05
    se = 0.5 * np.sqrt(2 / 40)
    wanted = float(oe.stats.detectable_difference(se, 39))
    # The power at the difference of 0.3 is near 0.8 because that is what is detectable.
    assert wanted == pytest.approx(0.32, abs=0.02)
    assert 0.65 < found / runs < 0.88


def test_the_archive_keeps_margins_ranks_and_doubts(tmp_path: Any) -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW, topics=TOPICS, margin=0.2)
    text = result.to_json(tmp_path / "result.json")
    assert oe.load(tmp_path / "result.json") == result
    entry = json.loads(text)["measures"]["mae"]
    assert entry["ranks"]["a"] == [result.standing("a").rank_low, result.standing("a").rank_high]
    assert len(entry["detectable"]) == 4
    small = oe.evaluate(GOLD[:20], SYSTEMS["b"][:20], labels=range(5), measures="macro_recall")
    assert small.standing("y_pred").doubt
    small.to_json(tmp_path / "small.json")
    assert oe.load(tmp_path / "small.json") == small


def test_doubtful_intervals_are_marked_in_every_format() -> None:
    small = oe.evaluate(GOLD[:20], SYSTEMS["b"][:20], labels=range(5), measures="macro_recall, mae")
    for text in (small.to_text(), small.to_markdown(), small.to_latex(), small.to_html()):
        assert "†" in text
        assert "may cover less than its level" in text
    assert "a class has fewer than" in small.to_csv()
    assert "†" not in oe.evaluate(GOLD, SYSTEMS["b"], labels=range(5), measures="mae").to_text()


def test_words_say_what_was_and_what_could_have_been_found() -> None:
    gold, systems = many_items({"a": 0.20, "b": 0.205})
    part = {name: pred[:300] for name, pred in systems.items()}
    told = " ".join(map(plain, answer(oe.compare(gold[:300], part, labels=range(5)))))
    assert "with 300 items, differences of" in told
    equal = oe.compare(gold, systems, labels=range(5), measures="mae", margin=0.1)
    assert "equivalent within the margin of 0.1" in " ".join(map(plain, answer(equal)))


def test_words_compare_with_the_reference() -> None:
    result = oe.compare(GOLD, SYSTEMS, **HOW, against="b")
    told = " ".join(map(plain, answer(result)))
    assert "Compared with b:" in told
    assert "significantly" in told
    assert "against b" in result.to_text()
    assert "against b" in result.to_html()


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf"), "x", True])
def test_unusable_margins_are_refused(margin: Any) -> None:
    with pytest.raises(oe.InputError) as found:
        oe.compare(GOLD, SYSTEMS, **HOW, margin=margin)
    assert found.value.parameter == "margin"


def test_a_hostile_name_of_the_reference_is_shown_as_text() -> None:
    name = "<u>\u202e|x"
    result = oe.compare(GOLD, {name: SYSTEMS["a"], "b": SYSTEMS["b"]}, **HOW, against=name)
    assert "<u>" not in result.to_html()
    assert replace(result).tests is not None
