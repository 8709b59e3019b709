"""Notes of results: what readers must know about their data."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.formatting import at_least
from ordeval.measures.registry import records

LABELS = [1, 2, 3]
GOLD = [1, 2, 3, 3, 1, 2, 3, 1, 2, 2, 1, 2]
TOPICS = ["all"] * 4 + ["no 3"] * 2 + ["all again"] * 3 + ["no 3 again"] * 3
TWO = ["a"] * 6 + ["b"] * 6
NEAR = [1, 2, 3, 2, 1, 2, 3, 1, 2, 1, 1, 2]


def notes(y_pred: Any, measures: str, gold: Any = GOLD, **more: Any) -> str:
    settings = {"labels": LABELS, "draws": 100, **more}
    found = oe.evaluate(gold, y_pred, measures=measures, **settings)
    return " ".join(map(str, found.notes))


def test_topics_without_some_class_are_counted_for_means_over_classes() -> None:
    told = notes(NEAR, "macro_mae, mae, macro_f1", topic=TOPICS)
    assert "Gold lacks some class in 2 of 4 topics, where macro MAE, macro F1 are" in told
    assert "lacks some class" not in notes(NEAR, "mae, kappa", topic=TOPICS)
    assert "lacks some class" not in notes(NEAR, "macro_mae", topic=TOPICS, aggregate="pool")
    assert "lacks some class" not in notes(NEAR, "macro_mae")
    same = notes([1, 2, 2, 1], "macro_mae", gold=[1, 2, 1, 2], topic=["a", "a", "b", "b"])
    assert "lacks some class" not in same, "a class that no topic has is another note"


def test_records_say_which_measures_are_means_over_classes() -> None:
    by_class = {id for id, record in records().items() if record.over_classes}
    in_formula = {
        id for id, r in records().items() if "C^+" in r.card.formula or "K'" in r.card.symbols
    }
    assert by_class == in_formula | {"hmpr", "auoc"}  # which are made of those


def test_scores_to_which_gold_does_not_matter_have_no_interval() -> None:
    gold = [1, 2, 3, 3, 2, 1, 3] * 9
    result = oe.evaluate(gold, [2] * 63, "all", labels=[1, 2, 3], draws=50)
    fixed = {m.key for m in result.measures if result.is_fixed(result[m]["y_pred"])}
    assert {"lwk", "qwk", "macro_mae", "macro_recall"} <= fixed
    assert not {"accuracy", "mae", "cem", "macro_f1"} & fixed
    assert "interval" not in result.summary().partition(";")[0]


def test_the_interval_of_kappa_of_a_constant_system_is_explained() -> None:
    told = notes([2] * 12, "kappa, cohen_kappa, alpha, mae")
    assert "one class: whatever gold is, linear kappa, Cohen's kappa are as shown" in told
    assert "tables leave out the interval" in told
    assert "one class" not in notes([2] * 12, "alpha, mae")
    assert "one class" not in notes([2] * 12, "kappa", draws=0)
    assert "one class" not in notes([2] * 12, "kappa", method="percentile"), "it has no width"
    assert "one class" not in notes(NEAR, "kappa")


def test_an_undefined_kappa_has_no_interval_to_explain() -> None:
    assert "one class" not in notes([2] * 12, "kappa", gold=[2] * 12)
    replaced = notes([2] * 12, "kappa", gold=[2] * 6 + [1, 2] * 3, topic=TWO, undefined=1)
    assert "0 by definition" not in replaced, "its mean is not 0"


def test_intervals_of_systems_on_which_topics_agree_are_explained_once() -> None:
    told = notes([2] * 12, "kappa", topic=TWO)
    assert "tables leave out the interval" in told
    assert "same on all topics" not in told
    clusters = notes([2] * 12, "kappa", cluster=list("abcabcabcabc"))
    assert "tables leave out the interval" in clusters
    perfect = notes(GOLD, "accuracy", topic=TWO)
    assert (
        "The score of 'y_pred' under 'accuracy' is the same on all topics: the interval, which "
        "would have no width, is that of 2 items, one for each topic." in perfect
    )


def test_systems_without_a_score_have_no_rank() -> None:
    half = [2] * 6 + [1] * 6
    found = oe.compare([2] * 12, {"perfect": [2] * 12, "half": half}, labels=LABELS, measures="qwk")
    assert "1 score is undefined" in " ".join(map(str, found.notes))
    assert "\n–  perfect" in str(found)
    assert "No pair of systems was tested under this measure." in str(found)


def test_undefined_scores_are_not_taken_for_few_items() -> None:
    same = {"a": [2] * 12, "b": [2] * 12}
    told = " ".join(
        tuple(map(str, oe.compare([2] * 12, same, labels=LABELS, measures="qwk").notes))
    )
    assert "no pair has defined scores" in told
    assert "No difference can be significant" not in told
    told = " ".join(
        tuple(map(str, oe.compare([2] * 12, same, labels=LABELS, measures="qwk, mae").notes))
    )
    assert "under 'MAE': p is at least 1, because systems differ on at most 1 item" in told


@pytest.mark.parametrize("bound", [0.125, 0.1875, 1 / 3, 2 / 3, 0.0625, 1.0, 5e-5, 0.1, 0.3])
def test_lower_bounds_are_not_rounded_up(bound: float) -> None:
    shown = float(at_least(bound))
    assert bound * 0.99 <= shown <= bound


def test_notes_cut_long_lists_of_columns() -> None:
    gold = [1, 2, 3] * 40
    gaps = {f"run {i}": [None, *gold[1:]] for i in range(40)}
    told = map(str, oe.compare(gold, gaps, "mae", missing="skip", draws=0).notes)
    assert "run 4: 1 and 35 more." in " ".join(told)
    rng = np.random.default_rng(0)
    ratings = {f"m{i}": np.clip(gold + rng.integers(-1, 2, 120), 1, 3) for i in range(24)}
    people = {name: ratings.pop(name) for name in ("m0", "m1", "m2")}
    [note] = [n for n in oe.judge(people, ratings, draws=200).notes if n.kind == "models"]
    assert "more become undecided" in note.text
    assert len(note.text) < 400
