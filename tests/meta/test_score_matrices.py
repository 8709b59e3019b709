"""Score matrices: what goes in, what is refused, what becomes of undefined scores."""

import numpy as np
import pytest

from ordeval import Counts, Shares, compare
from ordeval.meta import ScoreMatrices, meta_evaluate, random_topics, similarity

GOLD = [1, 2, 3, 1, 1, 1]
TOPICS = ["x", "x", "x", "y", "y", "y"]


def _counts(**systems: list[int]) -> Counts:
    return Counts.from_labels(GOLD, systems, labels=[1, 2, 3], topic=TOPICS)


def _with_gap(undefined) -> ScoreMatrices:
    counts = _counts(good=[1, 2, 3, 1, 1, 1], bad=[1, 1, 2, 1, 2, 1])
    return ScoreMatrices.from_counts(counts, "kappa, mae", undefined=undefined)


def test_scores_are_the_measures_own_on_every_topic() -> None:
    counts = _counts(good=[1, 2, 3, 1, 1, 1], bad=[1, 1, 2, 1, 2, 1])
    found = ScoreMatrices.from_counts(counts, "mae")
    np.testing.assert_allclose(found.scores[0], [[0, 0], [2 / 3, 1 / 3]])
    assert found.signs.tolist() == [-1]


def test_undefined_stays_undefined_by_default() -> None:
    found = _with_gap(None)  # gold and "good" are all class 1 in topic y
    assert np.isnan(found.means[0, 0])
    assert found.missing.tolist() == [[1, 0], [0, 0]]
    assert np.isnan(similarity(found).tau[0, 1])


@pytest.mark.parametrize(("undefined", "mean"), [(0.0, 0.5), ("skip", 1.0), (1.0, 1.0)])
def test_undefined_is_replaced_or_skipped_when_asked(undefined, mean) -> None:
    found = _with_gap(undefined)
    assert found.means[0, 0] == pytest.approx(mean)
    assert found.missing[0, 0] == 1


def test_a_measure_without_scores_leaves_the_others_alone() -> None:
    found = meta_evaluate(_with_gap(None), size=1, splits=20, trials=20)
    assert np.isnan(found.consistency.mean[0])
    assert not np.isnan(found.consistency.mean[1])
    assert np.isnan(found.discrimination.share[0])
    assert found.summary[0].consistency == "undefined"
    assert "lwk (1)" in " ".join(found.advice.remarks)


def test_facts_about_labels() -> None:
    facts = ScoreMatrices.from_counts(_counts(a=[2] * 6, b=GOLD), "mae").facts
    assert facts.constant == ("a",)
    assert facts.empty_topics == 1
    assert facts.single_topics == 1
    assert facts.equal_steps


def test_facts_about_distributions() -> None:
    gold = [[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]
    runs = {"flat": [[1 / 3] * 3] * 2, "gold": gold}
    facts = ScoreMatrices.from_shares(Shares.read(gold, runs), "nmd").facts
    assert facts.constant == ("flat",)
    assert facts.empty_topics == 1


def test_selection_keeps_rows_together(toy) -> None:
    part = toy.select(measures=["opposite"], systems=["d", "a"])
    np.testing.assert_array_equal(part.scores[0], toy.scores[2][[3, 0]])
    assert part.signs.tolist() == [1]


def test_random_topics_are_of_equal_size_and_seeded() -> None:
    names = random_topics(100, 10, rng=3)
    assert sorted(map(names.count, set(names))) == [10] * 10
    assert names == random_topics(100, 10, rng=3)
    assert names != random_topics(100, 10, rng=4)


def test_counts_and_results_are_judged_as_their_matrices_are() -> None:
    systems = {"good": [1, 2, 3, 1, 1, 1], "bad": [1, 1, 2, 1, 2, 1]}
    counts = _counts(**systems)
    result = compare(
        GOLD, systems, labels=[1, 2, 3], topic=TOPICS, measures="mae, cem", draws=0, trials=9
    )
    by_matrices = similarity(ScoreMatrices.from_counts(counts, "mae, cem"))
    np.testing.assert_array_equal(similarity(result).tau, by_matrices.tau)
    assert similarity(counts).measures == ScoreMatrices.from_counts(counts).measures
