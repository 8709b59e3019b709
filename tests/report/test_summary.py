"""The paragraphs for a paper: what they say, and what they must not say."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from report_data import compared, hostile, quantified

import ordeval as oe
from ordeval.measures.registry import records
from ordeval.report.summary import BIBLIOGRAPHY, summary_of

RNG = np.random.default_rng(0)
GOLD = RNG.integers(1, 6, 200)
NEAR = np.clip(GOLD + RNG.integers(-1, 2, 200), 1, 5)
FAR = np.clip(GOLD + RNG.integers(-2, 4, 200), 1, 5)
QUICK: dict[str, Any] = {"labels": range(1, 6), "bootstrap": 200}


def compare(**options: Any) -> oe.Result:
    systems = options.pop("systems", {"bert": NEAR, "svm": FAR})
    return oe.compare(GOLD, systems, **{**QUICK, "measures": "qwk", "trials": 100, **options})


def paragraphs(result: oe.Result) -> list[str]:
    return result.summary().rstrip("\n").split("\n\n")


def test_one_system() -> None:
    answer, method, references = paragraphs(oe.evaluate(GOLD, NEAR, measures="qwk", **QUICK))
    assert answer.startswith("One system was evaluated on 200 items, with a scale of 5 classes")
    assert "y_pred scores 0.878 under κ quadratic (Weighted kappa), 95 % interval" in answer
    assert method.startswith("The system was scored on one table of 200 items.")
    assert "test" not in method
    assert f"The figures were computed with ordeval {oe.__version__}." in method
    assert "The measure is κ quadratic (Cohen 1968; Sakai 2021, eq. 5)." in method
    assert references.splitlines()[1].startswith("Cohen, J. (1968). Weighted kappa")


def test_two_systems() -> None:
    answer, method, references = paragraphs(compare())
    assert "Two systems were compared on 200 items" in answer
    assert "bert ranks first of two systems under κ quadratic" in answer
    assert "a significant difference (p" in answer
    assert "step-down max-T" in method
    assert "seed 0" in method
    assert "group letter" not in method
    assert "Westfall" in references


def test_paragraphs_are_single_lines_without_marks() -> None:
    for result in (compare(), compared(), hostile(), quantified()):
        *text, references = paragraphs(result)
        assert all("\n" not in paragraph for paragraph in text)
        assert references.startswith("References\n")
        assert not set("\x02\x03") & set(result.summary())


def test_clusters_and_weights_are_said() -> None:
    result = compare(cluster=np.arange(200) // 4, sample_weight=RNG.random(200) + 0.1)
    answer, method, *_ = paragraphs(result)
    assert "200 weighted items (worth" in answer
    assert "which belong to 50 clusters" in answer
    assert "over clusters" in method
    alone = oe.evaluate(GOLD, NEAR, cluster=np.arange(200) // 4, measures="qwk", **QUICK)
    assert "50 clusters" in alone.summary()


def test_topics_are_said() -> None:
    assert "on 600 items in 20 topics" in compared().summary()
    one = compare(topics=["x"] * 200)
    assert "in 1 topic," in one.summary()
    assert "1 topics" not in one.summary()


def test_many_systems_fit_a_paragraph() -> None:
    text = compared([f"s{i}" for i in range(40)], topics=8, measures="qwk, mae").summary()
    assert text.startswith("40 systems were compared")
    assert len(text) < 4000


def test_no_intervals_are_claimed_where_there_are_none() -> None:
    text = compare(bootstrap=0).summary()
    assert "No intervals were computed." in text
    assert "95 %" not in text


def test_nothing_is_claimed_of_an_undefined_measure() -> None:
    same = {"a": [1] * 10, "b": [1] * 10}
    result = oe.compare([1] * 10, same, measures="qwk", trials=9, **QUICK)
    answer, method, *_ = paragraphs(result)
    assert "No system has a score under κ quadratic" in answer
    assert "There are no intervals under κ quadratic." in method
    assert "No pair of systems could be tested under κ quadratic." in method
    assert "Westfall" not in result.summary()


def test_a_default_measure_that_changed_is_said() -> None:
    constant = {"bert": NEAR, "low": [1] * 200, "high": [5] * 200}
    assert (
        "not by kappa(weights='linear') as by default"
        in compare(systems=constant, measures=None).summary()
    )


def test_margins_and_references_are_said() -> None:
    text = compare(margin=0.05, test="holm", method="bca").summary()
    for words in ("±0.05", "Schuirmann 1987", "Holm 1979", "Efron 1987", "Efron, B. (1987)"):
        assert words in text
    against = compare(systems={"bert": NEAR, "svm": FAR, "same": NEAR}, against="svm").summary()
    assert "Compared with svm (score " in against
    assert "bert (score 0.878, difference 0." in against
    assert "Every system was tested against svm" in against
    tukey = compared(test="tukey").summary()
    assert "Carterette, B. (2012)" in tukey


def test_equivalence_is_explained_only_where_it_is_said() -> None:
    tied = compare(systems={"a": NEAR, "b": NEAR}, margin=0.05).summary()
    assert "equivalent" not in tied
    assert "Schuirmann" not in tied


def test_few_systems_are_all_named_with_figures() -> None:
    third = np.clip(GOLD + RNG.integers(-3, 4, 200), 1, 5)
    text = compare(systems={"bert": NEAR, "svm": FAR, "third": third}).summary()
    assert "third (score 0." in text
    assert "other system is" not in text


def test_ties_have_intervals() -> None:
    text = compare(systems={"a": NEAR, "b": NEAR, "c": FAR}).summary()
    assert "a and b share the first rank of three systems" in text
    assert "with a score of 0.878 (95 % interval 0." in text


def test_measures_that_agree_are_named() -> None:
    text = compare(measures="qwk, mae, accuracy").summary()
    assert "All three measures rank bert first: κ quadratic, MAEᵘ and Acc." in text


def test_all_steps_of_intervals_over_items_are_said() -> None:
    text = compare().summary()
    assert "each with two more items in random cells (seed 0)" in text
    for step in ("farther out", "Student's t", "twice the bias", "limit of", "includes the score"):
        assert step in text, step


def test_all_steps_of_t_intervals_are_said() -> None:
    gold, near = [1, 2, 3, 2, 1, 3] * 4, [1, 2, 3, 3, 2, 3] * 3 + [2, 2, 3, 1, 1, 3]
    units = [i // 4 for i in range(24)]
    over = oe.evaluate(gold, near, labels=[1, 2, 3], cluster=units, measures="qwk").summary()
    assert "from the jackknife over clusters, cut at the limits of the range." in over
    assert "twice the bias" not in over
    over = oe.evaluate(gold, [2] * 24, labels=[1, 2, 3], topics=units, measures="qwk").summary()
    assert "taken as one of 6 items (topics)" in over
    assert "twice the bias" in over
    raw = [p + 0.25 for p in near]
    over = oe.evaluate(gold, raw, labels=[1, 2, 3], bins="round", measures="mae").summary()
    assert "symmetric in the logarithm of errors" in over


def test_requests_and_other_measures_are_not_in_a_paper() -> None:
    result = compare(labels=None, measures="qwk, macro_mae")
    notices = (*result.notices, "p under 'macro_mae' may be too small.", "p under 'mae' is odd.")
    text = replace(result, notices=notices).summary()
    assert "declare the labels" in result.to_text()
    assert "declare the labels" not in text
    assert "macro_mae" not in text
    about = "p under \"kappa(weights='quadratic')\" may be too small."
    assert about in replace(result, notices=(about,)).summary()


def test_agreeing_clusters_have_no_t_interval() -> None:
    how: dict[str, Any] = {"cluster": np.arange(200) // 4, "measures": "qwk", **QUICK}
    alone = oe.evaluate(GOLD, {"perfect": GOLD}, **how).summary()
    assert "jackknife" not in alone
    assert "taken as one of 50 items (clusters)" in alone
    both = oe.evaluate(GOLD, {"perfect": GOLD, "bert": NEAR}, **how).summary()
    assert "Student's t" in both
    assert "For perfect, on which all clusters agree, the interval is given by quantiles" in both


def test_quantification() -> None:
    text = quantified().summary()
    assert "compared on 25 topics, with distributions over 5 classes" in text
    assert "RNOD (Sakai 2021" in text


def test_scores_of_several_systems_are_not_called_a_comparison() -> None:
    text = oe.evaluate(GOLD, {"a": NEAR, "b": FAR}, measures="qwk", **QUICK).summary()
    assert text.startswith("Two systems were evaluated")
    assert "No significance tests were made." in text


def test_loaded_results_say_the_same(tmp_path: Any) -> None:
    result = compare()
    result.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json").summary() == result.summary()


@pytest.mark.parametrize(
    "name", [r.id for r in records().values() if r.function.__module__.startswith("ordeval")]
)
def test_sources_of_measures_are_in_the_bibliography(name: str) -> None:
    citation = records()[name].citation
    assert any(key in citation for key in BIBLIOGRAPHY), citation


def test_measures_that_rank_nothing_are_in_no_group() -> None:
    systems = {"a": NEAR, "b": FAR, "constant": np.full(200, 3)}
    topics = list(map(str, np.arange(200) % 5))
    counts = oe.Counts.from_labels(GOLD, systems, topics=topics, labels=range(1, 6))
    scores = oe.meta.ScoreMatrices.from_counts(counts, "qwk, mae, kendall_b")
    reference = oe.meta.ScoreMatrices.from_counts(counts, "accuracy, mae, cem")
    quick: dict[str, Any] = {"resamples": 20, "trials": 50, "mean_splits": 50, "size": 2}
    found = oe.meta.meta_evaluate(scores, reference, **quick)
    assert found.similarity.groups == (("kappa(weights='quadratic')", "mae"),)
    assert found.similarity.group_of("kendall_b") == ""
    assert "Both measures rank the systems similarly. τb does not rank all systems." in summary_of(
        found
    )
    alone = oe.meta.similarity(scores.select(measures=["kendall_b"]))
    assert alone.groups == ()


def judged(**options: Any) -> oe.Result:
    """A system on 200 items, of which 60 have gold labels and all those of a judge."""
    gold = [int(g) if i < 60 else None for i, g in enumerate(GOLD)]
    return oe.evaluate(gold, NEAR, judge=GOLD, measures="qwk, accuracy", **{**QUICK, **options})


def test_labels_of_a_judge_are_told_with_their_source() -> None:
    answer, method, *_, references = paragraphs(judged())
    assert "evaluated on 200 items, 60 of them with gold labels, with" in answer
    assert "Without the correction, on the 60 items with gold labels, it is right on" in answer
    assert "correct the table of the labelled items by λ times" in method
    assert "for the correction by a judge see Angelopoulos et al. 2023a" in method
    assert "Prediction-powered inference. Science" in references
    assert "PPI++" in references


def test_pages_tell_corrected_scores_from_counts_of_labelled_items() -> None:
    page = judged().to_html()
    assert "Counts and figures per class are those of the 60 items with gold labels" in page
    assert "Without the correction, on the 60 items with gold labels" in page
    assert all(f">{heading}<" in page for heading in ("λ", "worth"))


# Raters.

_ROWS = [[1, 1], [2, 3], [3, 3], [1, None], [2, 2], [None, None]]


def _about_raters(**settings: Any) -> str:
    rows = {name: [row[i] for row in _ROWS] for i, name in enumerate(("Smith", "Jones"))}
    return oe.agreement(rows, bootstrap=50, **settings).summary()


def test_ratings_are_described_in_a_sentence() -> None:
    text = _about_raters(labels=[1, 2, 3])
    assert text.startswith(
        "Two raters (Smith and Jones) rated 5 items, with 9 ratings in all, on a scale of three "
        "classes (1 lowest, 3 highest); 4 items have two ratings or more. Krippendorff's α ordinal "
        "of the two raters is "
    )
    assert "One item was left out because nobody rated it." in text
    assert "One item has one rating only" in text


def test_requests_to_the_user_are_not_for_a_paper() -> None:
    text = _about_raters(measures="icc, qwk")
    assert "declare the labels" not in text
    assert "missing=" not in text
    assert not re.search(r"[.:] Left out", text)


@pytest.mark.parametrize(
    ("measure", "told"),
    [
        ("krippendorff(level=nominal)", "their disagreement is"),
        ("krippendorff(level=ordinal)", "their disagreement, in squared differences of ranks, is"),
        ("krippendorff(level=interval)", "in squared differences of class values, is"),
        ("krippendorff(level=ratio)", "in squared relative differences, is"),
        ("fleiss", "their disagreement is"),
        ("ac1", "their disagreement is"),
        ("conger(weights=linear)", "their disagreement, in differences of class values, is"),
        ("qwk", "in squared differences of class values, is"),
        ("ac2(weights=ordinal)", "by the weights of the coefficient, is"),
    ],
)
def test_it_is_said_which_differences_are_meant(measure: str, told: str) -> None:
    assert told in _about_raters(labels=[1, 2, 3], measures=measure)
