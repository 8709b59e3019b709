"""Similarity, consistency, discriminative power, coverage and robustness on small data."""

from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from ordeval.meta import (
    ScoreMatrices,
    consistency,
    coverage,
    discriminative_power,
    ranking_consistency,
    robustness,
    similarity,
)
from ordeval.meta.ranking_consistency import _random_splits, _set_sizes
from ordeval.meta.rankings import unanimous_improvement_ratio
from ordeval.stats import Plan, effect_sizes, randomised_tukey, two_way
from ordeval.stats.resample import stream


def _splits(topics: int, size: int | None, splits: int, seed: int = 0):
    return _random_splits(topics, _set_sizes(topics, size), splits, stream(seed, "splits"))


def _noisy(seed: int = 0, measures: int = 3, systems: int = 6, topics: int = 14) -> ScoreMatrices:
    rng = np.random.default_rng(seed)
    quality = rng.random((1, systems, 1))
    noise = (
        rng.normal(size=(measures, systems, topics)) * np.linspace(0.1, 1, measures)[:, None, None]
    )
    return ScoreMatrices.from_scores(
        quality + noise,
        measures=[f"m{i}" for i in range(measures)],
        systems=[f"s{i}" for i in range(systems)],
        topics=[f"t{i}" for i in range(topics)],
        better=["higher"] * measures,
    )


def test_similarity_respects_the_direction(toy) -> None:
    found = similarity(toy)
    np.testing.assert_allclose(found.tau, [[1, 1, -1], [1, 1, -1], [-1, -1, 1]])
    assert found.groups == (("gain", "loss"), ("opposite",))
    assert [found.group_of(m) for m in found.measures] == ["A", "A", "B"]


def test_every_two_measures_of_a_group_reach_the_threshold() -> None:
    found = similarity(_noisy(measures=8), threshold=0.6)
    for group in found.groups:
        for a, b in combinations(group, 2):
            assert found.tau[found.measures.index(a), found.measures.index(b)] >= 0.6


def test_splits_are_disjoint_and_of_the_size_asked_for() -> None:
    first, second = _splits(11, 4, 50)
    assert not (first & second).any()
    assert set(first.sum(axis=1)) == set(second.sum(axis=1)) == {4}
    halves = _splits(11, None, 50)
    assert (halves[0] | halves[1]).all()
    assert halves[0].sum(axis=1)[0] == 5


def test_split_tau_is_scipys_loop() -> None:
    data = _noisy()
    found = consistency(data, procedure="split", size=5, splits=30, trials=10, rng=3)
    first, second = _splits(14, 5, 30, 3)
    for m in range(3):
        for split in range(30):
            means = [data.scores[m][:, half[split]].mean(axis=1) for half in (first, second)]
            assert found.tau[split, m] == pytest.approx(kendalltau(*means).statistic)


def test_test_and_effects_are_those_of_the_tau_matrix() -> None:
    found = consistency(_noisy(), procedure="split", splits=40, trials=200, rng=1)
    expected = randomised_tukey(found.tau, Plan(200, rng=1), systems=found.measures)
    np.testing.assert_array_equal(found.p, expected.p)
    np.testing.assert_allclose(found.effect_size, effect_sizes(found.tau))
    assert found.residual_variance == pytest.approx(float(two_way(found.tau).residual_variance))


def test_beats_counts_significant_wins() -> None:
    found = consistency(_noisy(topics=30), procedure="split", splits=200, trials=500)
    assert found.mean[0] > found.mean[1] > found.mean[2]
    assert found.beats.tolist() == [2, 1, 0]
    assert found.beaten.tolist() == [0, 1, 2]
    assert found.order == (0, 1, 2)


def test_same_seed_same_answer_whatever_the_order_or_chunks(monkeypatch) -> None:
    data = _noisy()
    found = consistency(data, procedure="split", splits=50, trials=50, rng=2)
    turned = consistency(
        data.select(measures=data.measures[::-1], systems=data.systems[::-1]),
        procedure="split",
        splits=50,
        trials=50,
        rng=2,
    )
    np.testing.assert_allclose(turned.tau[:, ::-1], found.tau)
    np.testing.assert_array_equal(turned.p[::-1, ::-1], found.p)
    monkeypatch.setattr(ranking_consistency, "_CHUNK_NUMBERS", 100)
    chunked = consistency(data, procedure="split", splits=50, mean_splits=200, trials=50, rng=2)
    np.testing.assert_array_equal(chunked.tau, found.tau)


def test_means_are_over_more_splits_of_which_the_first_are_tested() -> None:
    data = _noisy()
    split = partial(consistency, data, procedure="split", rng=3)
    few, more = (split(splits=40, mean_splits=n, trials=60) for n in (40, 300))
    np.testing.assert_array_equal(more.tau, few.tau)
    np.testing.assert_array_equal(more.p, few.p)
    assert (few.mean_splits, more.mean_splits) == (40, 300)
    np.testing.assert_allclose(few.mean, few.tau.mean(axis=0))
    every = consistency(data, procedure="split", splits=300, mean_splits=2, trials=1, rng=3)
    np.testing.assert_array_equal(more.mean, every.tau.mean(axis=0))
    spread = every.tau.std(axis=0, ddof=1) / np.sqrt(300)
    np.testing.assert_allclose(more.standard_error, spread)


def test_discriminative_power_is_the_test_over_topics() -> None:
    data = _noisy()
    found = discriminative_power(data, trials=300, rng=4)
    expected = randomised_tukey(
        np.swapaxes(data.scores, 1, 2), Plan(300, rng=4), systems=data.systems
    )
    upper = np.triu_indices(6, 1)
    np.testing.assert_array_equal(found.p, expected.p[:, *upper])
    assert len(found.pairs) == 15
    assert (np.diff(found.curves, axis=1) >= 0).all()
    np.testing.assert_array_equal(found.significant, (found.p < 0.05).sum(axis=1))
    assert found.order[0] == 0


def test_skipping_leaves_out_topics_for_the_measure_concerned() -> None:
    data = _noisy()
    scores = data.scores.copy()
    scores[1, 2, [3, 5]] = np.nan
    found = discriminative_power(replace(data, scores=scores, undefined="skip"), trials=50)
    assert found.topics.tolist() == [14, 12, 14]


def test_unanimous_improvement_by_hand() -> None:
    # Topic 1: a beats b under both; topic 2: they disagree; topic 3: tied, counts for both.
    scores = np.array([[[1.0, 1.0, 0.5], [0.0, 0.0, 0.5]], [[0.1, 0.9, 0.3], [0.2, 0.2, 0.3]]])
    reference = ScoreMatrices.from_scores(
        scores,
        measures=["up", "down"],
        systems=["a", "b"],
        topics=["1", "2", "3"],
        better=["higher", "lower"],
    )
    np.testing.assert_allclose(unanimous_improvement_ratio(reference), [[0, 1 / 3], [-1 / 3, 0]])


def test_coverage_is_spearman_over_all_ordered_pairs() -> None:
    data = _noisy(systems=5)
    reference = data.select(measures=["m0", "m1"])
    found = coverage(data, reference)
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
    gaps = [data.means[2, i] - data.means[2, j] for i, j in pairs]
    ratios = [found.uir[i, j] for i, j in pairs]
    assert found.coverage[2] == pytest.approx(spearmanr(gaps, ratios).statistic)


def test_robustness_is_the_mean_over_pairs_of_topics() -> None:
    data = _noisy(topics=5)
    pairs = [
        spearmanr(data.scores[1][:, a], data.scores[1][:, b]).statistic
        for a, b in combinations(range(5), 2)
    ]
    assert robustness(data).robustness[1] == pytest.approx(np.mean(pairs))


def test_undefined_scores_leave_robustness_undefined_unless_skipped() -> None:
    data = _noisy(topics=5)
    scores = data.scores.copy()
    scores[0, 2, 1] = np.nan
    left = robustness(replace(data, scores=scores))
    assert np.isnan(left.robustness[0])
    assert left.topics.tolist() == [0, 5, 5]
    skipped = robustness(replace(data, scores=scores, undefined="skip"))
    kept = [0, 2, 3, 4]
    rest = replace(data, scores=scores[:, :, kept], topics=tuple(data.topics[i] for i in kept))
    assert skipped.robustness[0] == pytest.approx(robustness(rest).robustness[0])
    assert skipped.topics.tolist() == [4, 5, 5]


def test_topics_that_tie_all_systems_rank_nothing() -> None:
    data = _noisy(topics=4)
    scores = data.scores.copy()
    scores[0, :, 0] = 0.5
    found = robustness(replace(data, scores=scores))
    assert found.topics.tolist() == [3, 4, 4]
    rest = replace(data, scores=scores[:, :, 1:], topics=data.topics[1:])
    assert found.robustness[0] == pytest.approx(robustness(rest).robustness[0])
