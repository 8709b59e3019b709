"""Advice: what is recommended when, and which warnings fit the data."""

from dataclasses import replace

import pytest

from ordeval import Counts, compare
from ordeval.errors import InputError
from ordeval.meta import DataFacts, ScoreMatrices, advise

CLEAN = DataFacts("classification", k=5, topics=100, equidistant=False)


def test_kappa_unless_several_systems_are_constant() -> None:
    assert advise(CLEAN).primary == "kappa(weights='linear')"
    one = advise(replace(CLEAN, constant_systems=("zero",)))
    assert one.primary == "kappa(weights='linear')"
    assert "zero always predicts the same class" in " ".join(one.warnings)
    two = advise(replace(CLEAN, constant_systems=("low", "high")))
    assert two.primary == "alpha(level='ordinal')"
    assert two.secondary == "kappa(weights='linear')"
    assert "low, high" in two.reason


def test_rnod_and_nmd_for_distributions() -> None:
    found = advise(replace(CLEAN, task="quantification"))
    assert (found.primary, found.secondary) == ("rnod", "nmd")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"topics_with_empty_classes": 3}, "In 3 of 100 topics at least one class is empty"),
        ({"topics_of_one_class": 2}, "In 2 of 100 topics all gold labels are the same class"),
        ({"topics": 12}, "only 12 topics"),
        ({"equidistant": True}, "equal steps between neighbouring classes"),
        ({"inferred": True}, "inferred from the labels"),
    ],
)
def test_warnings_appear_only_with_their_cause(change, words) -> None:
    assert words not in " ".join(advise(CLEAN).warnings)
    assert words in " ".join(advise(replace(CLEAN, **change)).warnings)


def test_kappa_is_not_mentioned_where_there_are_distributions() -> None:
    facts = replace(CLEAN, task="quantification", topics_of_one_class=2)
    assert "kappa" not in " ".join(advise(facts).warnings)


def test_clean_data_raise_no_warning() -> None:
    assert advise(CLEAN).warnings == ()


def test_what_can_be_done_about_undefined_scores_is_said_last() -> None:
    counts = Counts.from_labels(
        [1, 1, 1, 2], {"a": [1, 1, 1, 2], "b": [1, 2, 2, 2]}, labels=[1, 2], topics=list("xxyy")
    )
    scores = ScoreMatrices.from_counts(counts, "kappa, accuracy")
    [warning] = [w for w in advise(scores).warnings if w.startswith("Undefined")]
    assert warning.endswith(
        "They can be left out of the means (undefined set to skip) or replaced by a number."
    )


def test_results_are_advised_by_their_constant_systems() -> None:
    gold, systems = [1, 2, 3, 3], {"low": [1] * 4, "high": [3] * 4, "good": [1, 2, 3, 2]}
    result = compare(gold, systems, labels=[1, 2, 3], values=[1, 2, 5], bootstrap=0, trials=9)
    found = advise(result)
    assert found.primary == "alpha(level='ordinal')"
    assert "low, high" in found.reason
    assert found.warnings == ()  # without topics, there cannot be too few of them


def test_ready_scores_cannot_be_advised_on(toy) -> None:
    with pytest.raises(InputError, match="nothing is known about the data"):
        advise(toy)
