"""Traps that other libraries fall into, with the right answers."""

import math
from functools import partial

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.scoring import scored, unscored

SIZES = ["low", "medium", "high"]
GOLD = ["low", "medium", "high", "medium", "low", "high", "high", "low"]
PRED = ["low", "high", "high", "medium", "medium", "medium", "high", "low"]


def codes(words: list[str]) -> list[int]:
    return [SIZES.index(word) for word in words]


@pytest.mark.parametrize("spec", ["qwk", "cem", "spearman", "macro_mae", "alpha", "auoc"])
def test_a_declared_order_decides_and_not_the_alphabet(spec: str) -> None:
    right = oe.score(codes(GOLD), codes(PRED), spec, labels=[0, 1, 2])
    assert oe.score(GOLD, PRED, spec, labels=SIZES) == right
    assert oe.score(GOLD, PRED, spec, labels=sorted(SIZES)) != right


def test_absent_classes_keep_their_distance() -> None:
    gold, pred = [0, 0, 1, 4, 4, 1], [0, 1, 4, 4, 1, 1]
    assert oe.score(gold, pred, "mae", labels=range(5)) == pytest.approx(7 / 6)
    assert oe.score(gold, pred, "macro_mae", labels=range(5)) == pytest.approx(3.5 / 3)
    assert oe.score([0, 4], [4, 0], "accuracy_within(n=1)", labels=range(5)) == 0


def test_the_declared_scale_changes_linear_kappa() -> None:
    gold, pred = [1, 1, 3, 3], [1, 3, 3, 1]
    declared = oe.score(gold, pred, "kappa(weights=linear)", labels=[1, 2, 3])
    assert declared == oe.score(gold, pred, "kappa(weights=linear)")  # 2 lies between, unseen
    gold, pred = [1, 1, 2, 5], [1, 2, 2, 2]
    near = oe.score([1, 1, 2, 3], [1, 2, 2, 2], "lwk", labels=[1, 2, 3])
    assert oe.score(gold, pred, "lwk", labels=[1, 2, 3, 4, 5]) != pytest.approx(near)


CONSTANT = {
    "constant prediction": ([1, 2, 3, 1], [2, 2, 2, 2]),
    "constant and equal": ([2, 2, 2], [2, 2, 2]),
    "one item": ([1], [1]),
}
CHANCE = ["kappa", "qwk", "cohen_kappa", "alpha", "kendall_b", "spearman", "pearson"]


@pytest.mark.parametrize("spec", CHANCE)
@pytest.mark.parametrize("case", ["constant and equal", "one item"])
def test_undefined_is_nan_with_a_reason(spec: str, case: str) -> None:
    with pytest.warns(oe.UndefinedWarning, match="is undefined here: .+"):
        assert math.isnan(oe.score(*CONSTANT[case], spec, labels=[1, 2, 3]))


def test_topics_of_one_class_are_counted_and_part_of_the_signature() -> None:
    counts = oe.Counts.from_labels(
        [1, 2, 1, 2, 3, 3], {"a": [1, 2, 2, 2, 3, 3]}, labels=[1, 2, 3], topic=list("aabbcc")
    )
    plain, skipped, replaced = (
        scored(unscored(counts, "kappa", undefined=how), counts) for how in (None, "skip", 1.0)
    )
    assert plain.undefined.tolist() == [[1]]
    assert np.isnan(plain.values[0, 0])
    assert "nan:1" in plain.signature("kappa")
    assert skipped.values[0, 0] == pytest.approx((1 + 0) / 2)
    assert "undefined:skip" in skipped.signature("kappa")
    assert replaced.values[0, 0] == pytest.approx((1 + 0 + 1) / 3)
    assert "undefined:1|" in replaced.signature("kappa")


def test_undefined_topics_are_never_dropped_in_silence() -> None:
    with pytest.warns(oe.UndefinedWarning, match="in 1 of 2 topics"):
        score = oe.score([1, 2, 3, 3], [1, 2, 3, 3], "kappa", labels=[1, 2, 3], topic=list("aabb"))
    assert math.isnan(score)


def test_one_class_that_is_inferred_is_a_scale() -> None:
    result = oe.evaluate([2, 2], [2, 2], measures="mae, qwk")
    assert result.standing("y_pred", "mae").value == 0
    assert math.isnan(result.standing("y_pred", "qwk").value)


def test_columns_that_count_the_classes_otherwise_are_named() -> None:
    gold = np.arange(60) % 5 + 1
    for guess, words in ((gold - 1, "shifted by one class"), (6 - gold, "turned round")):
        notes = oe.evaluate(gold, guess, draws=0).notes
        assert any(f"Predictions {words} agree better" in str(note) for note in notes)
        for warns in (oe.per_class, oe.measure("qwk"), partial(oe.score, measures="qwk")):
            with pytest.warns(UserWarning, match=words):
                warns(gold, guess)
        notes = oe.agreement(np.column_stack([gold, gold, guess]), draws=0).notes
        [found] = [str(note) for note in notes if note.kind == "shifted"]
        assert words in found
        assert "'rater 3'" in found
    assert not any(n.kind == "shifted" for n in oe.agreement(np.c_[gold, gold], draws=0).notes)


def test_an_end_of_an_inferred_scale_that_only_gold_has_is_named() -> None:
    gold = np.arange(60) % 6  # 0 stands for no label
    notes = oe.evaluate(gold, np.maximum(gold, 1), draws=0).notes
    assert any("Only gold holds 0." in str(note) for note in notes)


def test_predictions_beyond_an_inferred_scale_warn() -> None:
    gold = np.arange(60) % 5 + 1
    with pytest.warns(UserWarning, match="Only predictions hold 0"):
        oe.score(gold, np.where(np.arange(60) < 3, 0, gold), "qwk")
    notes = oe.evaluate([[0, 40, 0], [0, 9, 0], [0, 3, 0]], draws=0).notes
    assert not any("shifted" in str(note) for note in notes)  # one class is no sign of that


def test_repeated_ids_in_memory_are_announced() -> None:
    notes = oe.evaluate([1, 2, 1], [1, 2, 2], id=["x", "y", "x"], draws=0).notes
    assert any("repeated values" in str(note) for note in notes)


def test_a_judge_who_counts_from_another_number_is_named() -> None:
    people = {name: np.roll(np.arange(60) % 4 + 1, i) for i, name in enumerate("abc")}
    notes = oe.judge(people, {"m": people["a"] - 1}, draws=0).notes
    assert any("shifted by one class" in str(note) for note in notes)


def test_rounded_percentages_are_announced() -> None:
    rows = [[33, 33, 33], [50, 25, 25], [34, 33, 34]]
    notes = oe.quantify(rows, {"a": rows[::-1]}, "rnod, kld_smoothed").notes
    assert any("sums to 100 or nearly so" in str(note) for note in notes)
