"""Everything in one call, for labels, distributions and ready scores."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordeval import Counts, __version__
from ordeval.errors import InputError
from ordeval.meta import (
    ScoreMatrices,
    consistency,
    meta_evaluate,
)
from ordeval.meta.meta_evaluation import _check_size, grade_consistency, grade_discrimination
from ordeval.report.meta_view import data_sentences
from ordeval.report.texts import plain

FAST = {"size": 3, "splits": 30, "mean_splits": 40, "resamples": 50, "trials": 30}


def test_ready_scores_get_everything_but_advice_and_properties(toy) -> None:
    found = meta_evaluate(toy, toy.select(measures=["gain"]), **FAST)
    assert found.advice is None
    assert found.summary[0].order is None
    assert found.coverage.reference == ("gain",)
    assert found.small_consistency.sizes == (3, 3)
    assert found.consistency.sizes == (6, 6)


@settings(max_examples=5, deadline=None)
@given(st.permutations(range(7)), st.integers(0, 2**32))
def test_the_order_of_systems_changes_no_bit(order: list[int], seed: int) -> None:
    scores, names = np.random.default_rng(seed).random((3, 7, 9)), tuple("bdacgfe")
    axes = {"measures": list("xyz"), "topics": list("123456789"), "better": ["higher"] * 3}
    one = ScoreMatrices.from_scores(scores, systems=names, **axes)
    turned = [names[i] for i in order]
    two = ScoreMatrices.from_scores(scores[:, order], systems=turned, **axes)
    found, other = (meta_evaluate(s, s.select(measures=["x", "y"]), **FAST) for s in (one, two))
    assert other.matrices.systems == other.coverage.systems == tuple(turned)
    assert other.discrimination.pairs == tuple(combinations(turned, 2))
    back = replace(
        other,
        matrices=other.matrices.select(systems=names),
        discrimination=other.discrimination.reordered(names),
        coverage=other.coverage.reordered(names),
    )
    assert back.to_json() == found.to_json()


def test_too_few_topics_leave_out_the_small_splits(toy) -> None:
    assert meta_evaluate(toy, size=7, splits=20, trials=20).small_consistency is None


def test_signature_names_all_that_the_figures_depend_on(toy) -> None:
    reference = toy.select(measures=["gain", "loss"])
    found = meta_evaluate(replace(toy, undefined="skip"), reference, rng=5, **FAST)
    assert found.signature() == (
        "measures:3|systems:4|topics:12|nan:0|undefined:skip|tau:a|sets:6v6,3v3|"
        "procedure:bootstrap|splits:30,40|resamples:50|"
        f"trials:30|alpha:0.05|seed:5|reference:gain+loss|ordeval:{__version__}"
    )


def test_distributions_are_summed_up_as_in_table_7(sem16e) -> None:
    rows = {row.measure: row for row in meta_evaluate(sem16e, **FAST).summary}
    assert (rows["nmd"].order, rows["nmd"].symmetric, rows["nmd"].constant) == (True, True, None)
    assert (rows["rnod"].order, rows["rnod"].symmetric) == (True, False)
    assert rows["jsd"].order is False


def test_measures_that_cannot_be_told_apart_are_all_fair(toy) -> None:
    found = meta_evaluate(toy.select(measures=["gain", "loss"]), **FAST)
    assert grade_consistency([found.consistency]) == ("fair", "fair")
    assert grade_discrimination(found.discrimination) == ("fair", "fair")


def _constant_systems(topics: int = 3) -> Counts:
    gold = [0, 0, 1, 0, 2, 1, 0, 0, 2, 2, 2, 0, 0, 1, 1][: 3 * topics]
    low, high = [0] * len(gold), [2] * len(gold)
    names = [f"t{i // 3}" for i in range(len(gold))]
    return Counts.from_labels(gold, {"low": low, "high": high}, labels=[0, 1, 2], topic=names)


def test_what_was_not_tested_has_no_grade() -> None:
    scores = ScoreMatrices.from_counts(_constant_systems(), "qwk, mae, cem, pearson")
    found = meta_evaluate(scores, **FAST | {"size": 1})
    grades = {row.measure: (row.consistency, row.discrimination) for row in found.summary}
    assert grades["mae"] == grades["cem"] == ("not tested", "not tested")
    assert grades["pearson"] == ("undefined", "undefined")
    text = str(found.summary)
    assert "fair" not in text
    assert "not tested: there are too few topics" in text
    assert "not tested" in found.to_json()


def test_tests_that_find_nothing_are_not_called_untested(toy) -> None:
    same = replace(toy, scores=np.ones_like(toy.scores))
    assert set(grade_discrimination(meta_evaluate(same, **FAST).discrimination)) == {"none"}


def test_measures_that_tie_systems_are_a_group_of_their_own() -> None:
    scores = ScoreMatrices.from_counts(_constant_systems(), "qwk, mae, cem, accuracy")
    found = meta_evaluate(scores, **FAST | {"size": 1})
    assert found.similarity.groups[1:] == (("qwk",),)
    text = plain(" ".join(data_sentences(found)))
    assert "two groups, the largest being" in text


def test_few_splits_are_all_averaged() -> None:
    scores = ScoreMatrices.from_counts(_constant_systems(), "mae, cem")
    found = consistency(scores, splits=20)
    assert (found.every_split, found.mean_splits) == (True, 3)
    assert np.allclose(found.mean * 3 % 1, 0)
    assert "means over all 3 splits" in " ".join(str(found).split())


@pytest.mark.parametrize(("topics", "size", "number"), [(4, None, 3), (5, None, 10), (5, 2, 15)])
def test_splits_are_counted_once(topics, size, number) -> None:
    scores = ScoreMatrices.from_counts(_constant_systems(topics), "mae")
    found = consistency(scores, size=size, splits=20, mean_splits=2000)
    drawn = consistency(scores, size=size, splits=2, mean_splits=number - 1)
    assert (found.every_split, found.mean_splits) == (True, number)
    assert not drawn.every_split
    assert found.tau.mean(axis=0) == pytest.approx(found.mean, abs=0.7)


def test_grades_count_only_the_measures_that_could_be_compared(toy) -> None:
    found = meta_evaluate(toy, **FAST).consistency
    won = replace(found, beats=np.array([1, 0, 0]), beaten=np.array([0, 1, 0]))
    gone = replace(won, mean=np.array([0.9, 0.5, np.nan]))
    assert grade_consistency([gone]) == ("good", "poor", "undefined")


def test_a_measure_without_any_score_is_undefined_throughout(toy) -> None:
    nothing = replace(toy.select(measures=["gain"]), scores=np.full((1, 4, 12), np.nan))
    found = meta_evaluate(nothing, **FAST)
    assert np.isnan(found.robustness.robustness[0])
    assert (found.summary[0].consistency, found.summary[0].discrimination) == ("undefined",) * 2


def many_systems(measures: int, systems: int, topics: int) -> ScoreMatrices:
    """Scores of systems that improve, with noise."""
    scores = np.random.default_rng(0).normal(size=(measures, systems, topics))
    return ScoreMatrices.from_scores(
        scores + np.linspace(0, 3, systems)[:, None],
        measures=[f"m{i}" for i in range(measures)],
        systems=[f"s{i}" for i in range(systems)],
        topics=[f"t{i}" for i in range(topics)],
        better=["higher"] * measures,
    )


def test_180_systems_are_judged() -> None:
    scores = many_systems(7, 180, 12)
    found = meta_evaluate(scores, scores, size=3, splits=5, mean_splits=5, resamples=10, trials=20)
    assert np.isfinite(found.consistency.mean).all()
    assert found.discrimination.p.shape == (7, 180 * 179 // 2)
    assert set(found.coverage.coverage > 0) == {True}
    assert "m0" in found.to_html()


def test_too_many_systems_for_memory_are_refused() -> None:
    with pytest.raises(InputError, match="44 measures × 100,000 systems × 5 topics"):
        _check_size((44, 100_000, 5))
