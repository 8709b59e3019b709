"""Advice: what is recommended when, and which warnings fit the data."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ordeval import Counts, compare, quantify
from ordeval.errors import InputError
from ordeval.meta import DataFacts, ScoreMatrices, advise, consistency, discriminative_power

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


def test_two_classes_have_one_error() -> None:
    found = advise(replace(CLEAN, task="quantification", k=2))
    assert "all equal" in found.reason
    assert "different way" not in found.reason
    assert found.warnings == ()
    rng = np.random.default_rng(0)
    gold, guess = rng.dirichlet([1, 1], 8), rng.dirichlet([1, 1], 8)
    named = "rnod, rsnod, nmd, emd, nvd, rnss, ae"
    result = quantify(gold, {"a": guess}, labels=[0, 1], measures=named, bootstrap=0)
    np.testing.assert_allclose(result.scores.values, np.abs(gold - guess)[:, 0].mean())


def test_the_claim_for_kappa_is_that_of_the_paper() -> None:
    assert "most discriminative" not in advise(CLEAN).reason
    assert "discriminative power was consistently good" in advise(CLEAN).reason


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


def _judged(systems: int = 5, topics: int = 12, seed: int = 0, spread: float = 1.0) -> Counts:
    """Return systems of decreasing quality on labels 1 to 5."""
    rng = np.random.default_rng(seed)
    items = 30 * topics
    gold = np.clip(np.rint(rng.normal(3, spread, items)), 1, 5).astype(int)
    guesses = {
        f"s{i}": np.clip(np.rint(gold + rng.normal(0, 0.4 + 0.2 * i, items)), 1, 5).astype(int)
        for i in range(systems)
    }
    names = np.repeat([f"t{i}" for i in range(topics)], 30)
    return Counts.from_labels(gold, guesses, labels=range(1, 6), topics=names)


MEASURES = "kappa(weights=linear), alpha(level=ordinal), cem, mae"


def _found(scores: ScoreMatrices) -> dict[str, Any]:
    """Return findings made quickly."""
    return {
        "consistency": [consistency(scores, splits=20, mean_splits=50, resamples=30)],
        "discrimination": discriminative_power(scores, trials=50),
    }


def test_evidence_has_the_figures_of_the_data() -> None:
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    found = _found(scores)
    text = " ".join(advise(scores, **found).evidence)
    halves, power = found["consistency"][0], found["discrimination"]
    assert f"mean τ {halves.mean[0]:.3f}" in text
    assert f"{power.significant[0]} of 10 pairs" in text
    assert "All of its 60 scores are defined." in text


def test_advice_without_findings_computes_them() -> None:
    scores = ScoreMatrices.from_counts(_judged(systems=3, topics=4), MEASURES)
    assert "mean τ" in " ".join(advise(scores).evidence)


@pytest.mark.parametrize(
    ("systems", "topics", "lacking"),
    [
        (2, 12, "2 systems (at least 3 are needed)"),
        (5, 4, "4 topics (at least 10 are needed)"),
        (2, 4, "2 systems (at least 3 are needed) and 4 topics (at least 10 are needed)"),
    ],
)
def test_few_systems_or_topics_are_no_basis_for_a_choice(systems, topics, lacking) -> None:
    scores = ScoreMatrices.from_counts(_judged(systems, topics), MEASURES)
    found = advise(scores, **_found(scores))
    assert f"too few data to choose a measure by: {lacking}. The" in found.evidence[0]
    assert found.published is None


def test_recommended_measures_that_were_not_judged_are_named_as_they_are_typed() -> None:
    scores = ScoreMatrices.from_counts(_judged(), "mae, kappa")
    text = " ".join(advise(scores, **_found(scores)).evidence)
    assert "α ordinal is not among the measures judged here: add alpha(level='ordinal') to" in text
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    assert "not among" not in " ".join(advise(scores, **_found(scores)).evidence)


def test_more_consistent_measures_on_small_sets_are_named() -> None:
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    halves, power = _found(scores)["consistency"][0], _found(scores)["discrimination"]
    p, mean = np.ones((4, 4)), np.array([0.5, 0.5, 0.5, 0.9])
    p[3, 0] = 0.01
    small = replace(halves, sizes=(3, 3), p=p, mean=mean, beats=np.array([0, 0, 0, 1]))
    both = [replace(halves, p=np.ones((4, 4)), beats=np.zeros(4, int)), small]
    text = " ".join(advise(scores, consistency=both, discrimination=power).evidence)
    assert "no measure judged here is significantly more consistent there." in text
    assert "With 3 against 3 topics mean τ is 0.500;" in text
    assert "(0.900) is significantly more consistent there." in text


@pytest.mark.parametrize("constant", [(), ("x", "y")])
def test_what_to_report_as_well_is_said_once(constant) -> None:
    facts = DataFacts("classification", k=5, topics=50, constant_systems=constant)
    assert "as well" not in advise(facts).reason
    assert "as well" not in advise(DataFacts("quantification", k=5, topics=50)).reason


def test_data_that_favour_no_measure_are_said_to() -> None:
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    found = _found(scores)
    halves, power = found["consistency"][0], found["discrimination"]
    alike = {
        "consistency": [replace(halves, beats=np.zeros(4, int), p=np.ones((4, 4)))],
        "discrimination": replace(power, significant=np.full(4, 7)),
    }
    assert "do not favour any measure" in advise(scores, **alike).evidence[0]


def test_a_more_consistent_measure_takes_the_place_of_the_published_one() -> None:
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    found = _found(scores)
    p = np.ones((4, 4))
    p[0, 2] = p[2, 0] = 0.01
    halves = replace(found["consistency"][0], mean=np.array([0.5, 0.6, 0.9, 0.6]), p=p)
    power = replace(found["discrimination"], significant=np.array([5, 5, 6, 6]))
    advice = advise(scores, consistency=[halves], discrimination=power)
    assert (advice.primary, advice.secondary) == ("cem", "kappa(weights='linear')")
    assert advice.published == ("kappa(weights='linear')", "alpha(level='ordinal')")
    assert "mean τ 0.900 against 0.500" in advice.reason
    assert "The literature (Sakai 2021, §7) recommends kappa" in str(advice)
    fewer = replace(power, significant=np.array([5, 5, 4, 4]))
    kept = advise(scores, consistency=[halves], discrimination=fewer)
    assert kept.primary == "kappa(weights='linear')"
    assert "CEM (0.900) is significantly more consistent" in " ".join(kept.evidence)


def test_an_undefined_measure_gives_way_to_one_that_is_defined() -> None:
    gold, guesses = [1, 1, 2, 3] * 5, {}
    for i, name in enumerate("abc"):
        guesses[name] = [1, 1, *([2, 2] if i else [3, 2])] * 5
    topics = [f"t{n // 2}" for n in range(20)]
    counts = Counts.from_labels(gold, guesses, labels=[1, 2, 3], topics=topics)
    scores = ScoreMatrices.from_counts(counts, MEASURES)
    found = advise(scores, **_found(scores))
    assert found.published == ("kappa(weights='linear')", "alpha(level='ordinal')")
    assert found.primary in ("cem", "mae")
    assert "is undefined in 15 of 30 scores here" in found.reason
    assert found.source == "these data"


def test_imbalance_matters_where_classes_differ_in_size() -> None:
    wide, narrow = (
        ScoreMatrices.from_counts(_judged(spread=spread), MEASURES) for spread in (0.7, 9.0)
    )
    text = " ".join(advise(wide, **_found(wide)).warnings)
    assert "axiom of imbalance" in text
    assert "That can matter here: class 3 has" in text
    assert "CEM, which satisfies it, ranks the systems in the same order." in text
    turned = replace(wide, scores=wide.scores * np.array([1, 1, -1, 1])[:, None, None])
    text = " ".join(advise(turned, **_found(turned)).warnings)
    assert "CEM, which satisfies it, ranks the systems differently (τ = -1.00): report it" in text
    even = replace(narrow.facts, prevalence=(0.2,) * 5)
    balanced = replace(narrow, facts=even)
    found = advise(balanced, **_found(balanced))
    assert "matters little here" in " ".join(found.evidence)
    assert "axiom of imbalance" not in " ".join(found.warnings)


@pytest.mark.parametrize(("wrong", "words"), [(0, "does not show here"), (3, "lower in 3 of them")])
def test_monotonicity_matters_where_the_nearer_system_loses(wrong, words) -> None:
    scores = ScoreMatrices.from_counts(_judged(), MEASURES)
    facts = replace(scores.facts, clear_comparisons=9)
    scores = replace(scores, facts=facts, reversals=np.array([wrong, 0, 0, 0]))
    found = advise(scores, **_found(scores))
    assert words in " ".join(found.warnings if wrong else found.evidence)


def test_clear_comparisons_and_reversals_by_hand() -> None:
    # On t, a is nearer to gold than b; on u neither is; on v they are the same.
    gold = [1, 2, 3, 1, 2, 3, 1, 2, 3]
    systems = {"a": [1, 2, 2, 2, 2, 3, 1, 2, 3], "b": [1, 2, 1, 1, 1, 3, 1, 2, 3]}
    counts = Counts.from_labels(gold, systems, labels=[1, 2, 3], topics=list("tttuuuvvv"))
    found = ScoreMatrices.from_counts(counts, "mae, accuracy")
    assert found.facts.clear_comparisons == 1
    assert found.reversals.tolist() == [0, 0]
    turned = ScoreMatrices.from_counts(counts, "mae").scores
    assert turned[0, 0, 0] < turned[0, 1, 0]


def test_prevalence_is_the_share_of_gold_labels() -> None:
    counts = Counts.from_labels(
        [1, 1, 1, 2], {"a": [1, 1, 1, 2], "b": [1, 2, 2, 2]}, labels=[1, 2], topics=list("xxyy")
    )
    facts = DataFacts.of_counts(counts)
    assert facts.prevalence == (0.75, 0.25)
    assert facts.classes == ("1", "2")
