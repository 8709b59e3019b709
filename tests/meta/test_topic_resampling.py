"""Consistency over resampled topics: level, intervals, the step-down test, and edge cases."""

from dataclasses import replace

import numpy as np

from ordeval.meta import ScoreMatrices, consistency, meta_evaluate
from ordeval.meta.ranking_consistency import LEAST_TOPICS, _draw_splits, shrunk

FAST = {"splits": 2, "mean_splits": 200}


def _scores(
    seed: int, measures: int = 4, systems: int = 6, topics: int = 30, noise: float = 1.0
) -> ScoreMatrices:
    """Draw exchangeable measures; `noise` multiplies the noise of the last one."""
    rng = np.random.default_rng(seed)
    quality = np.linspace(-0.5, 0.5, systems)[None, :, None]
    own = rng.normal(size=(measures, systems, topics))
    own[-1] *= noise
    return ScoreMatrices.from_scores(
        quality + own,
        measures=[f"m{i}" for i in range(measures)],
        systems=[f"s{i}" for i in range(systems)],
        topics=[f"t{i}" for i in range(topics)],
        better=["higher"] * measures,
    )


def test_measures_that_differ_by_chance_are_rarely_said_to_differ() -> None:
    # The level is 5 %; benchmarks/consistency_null.py shows it with many more runs.
    runs = 100
    found = [
        consistency(_scores(seed), resamples=100, rng=seed, **FAST).beats.any()
        for seed in range(runs)
    ]
    assert np.sum(found) <= 12


def test_splits_of_the_same_topics_find_differences_that_are_due_to_chance() -> None:
    found = [
        consistency(_scores(seed), procedure="split", mean_splits=2, trials=100).beats.any()
        for seed in range(5)
    ]
    assert np.sum(found) >= 4


def test_a_measure_with_much_noise_is_found() -> None:
    data = _scores(1, systems=12, topics=100, noise=6.0)
    found = consistency(data, resamples=200, **FAST)
    assert found.beaten.tolist() == [0, 0, 0, 3]
    assert (found.difference_interval[:3, 3, 0] > 0).all()


def test_intervals_contain_the_mean_and_differences_are_antisymmetric() -> None:
    found = consistency(_scores(2), resamples=100, **FAST)
    low, high = found.interval.T
    assert ((low < found.mean) & (found.mean < high)).all()
    assert (low >= -1).all()
    assert (high <= 1).all()
    below, above = np.moveaxis(found.difference_interval, -1, 0)
    np.testing.assert_allclose(below, -above.T)
    np.testing.assert_allclose((below + above) / 2, found.mean[:, None] - found.mean)
    np.testing.assert_array_equal(found.p, found.p.T)


def test_the_procedure_changes_neither_the_splits_nor_the_means() -> None:
    data = _scores(3)
    ours, theirs = (
        consistency(data, procedure=name, splits=50, mean_splits=200, resamples=20, trials=20)
        for name in ("bootstrap", "split")
    )
    np.testing.assert_array_equal(ours.tau, theirs.tau)
    np.testing.assert_array_equal(ours.mean, theirs.mean)
    assert ours.residual_variance == theirs.residual_variance
    assert (ours.procedure, ours.resamples) == ("bootstrap", 20)
    assert (theirs.procedure, theirs.resamples, theirs.interval) == ("split", 0, None)


def test_resamples_depend_on_the_seed_only() -> None:
    data = _scores(4)
    once, again, other = (consistency(data, resamples=300, rng=seed, **FAST) for seed in (1, 1, 2))
    np.testing.assert_array_equal(once.p, again.p)
    np.testing.assert_array_equal(once.interval, again.interval)
    assert (once.interval != other.interval).any()


def test_identical_measures_do_not_differ() -> None:
    data = _scores(5, measures=2)
    same = replace(data, scores=data.scores[[0, 0]])
    found = consistency(same, resamples=50, **FAST)
    np.testing.assert_array_equal(found.p, np.ones((2, 2)))


def test_few_topics_give_means_without_tests() -> None:
    found = consistency(_scores(6, topics=LEAST_TOPICS - 1), **FAST)
    assert np.isfinite(found.mean).all()
    assert not found.tested
    assert found.interval is None
    assert "no intervals and tests" in " ".join(str(found).split())


def test_a_ranking_that_never_changes_has_no_interval() -> None:
    data = _scores(7, topics=20)
    steady = np.broadcast_to(np.arange(6.0)[None, :, None], data.scores.shape)
    found = consistency(replace(data, scores=steady), resamples=20, **FAST)
    assert (found.mean == 1).all()
    assert (found.topic_error == 0).all()
    assert np.isnan(found.interval).all()


def test_undefined_measures_are_left_out_and_skipped_scores_are_not() -> None:
    data = _scores(8)
    scores = data.scores.copy()
    scores[1, 2, 3] = np.nan
    kept = consistency(replace(data, scores=scores), resamples=50, **FAST)
    assert np.isnan(kept.interval[1]).all()
    assert np.isnan(kept.p[1]).all()
    assert np.isfinite(kept.p[0, 2])
    skipped = consistency(replace(data, scores=scores, undefined="skip"), resamples=50, **FAST)
    assert np.isfinite(skipped.interval).all()


def test_draws_split_as_many_topics_as_there_are() -> None:
    drawn = _draw_splits(np.random.default_rng(0), 5, 9, (4, 5))
    assert drawn.shape[0::3] == (5, 9)
    assert (drawn.sum(axis=3) == [4, 5]).all()
    # All splits of a resample are of the same topics.
    assert (np.ptp(drawn.sum(axis=2), axis=1) == 0).all()


def test_shrinking_keeps_the_order_and_removes_what_noise_explains() -> None:
    clear = _scores(11, measures=1, topics=2000)
    before, after = clear.means[0], shrunk(clear).means[0]
    np.testing.assert_allclose(after - after.mean(), before - before.mean(), rtol=0.05, atol=1e-3)
    rng = np.random.default_rng(0)
    noise = replace(clear, scores=rng.normal(size=clear.scores.shape))
    assert np.ptp(shrunk(noise).means) < np.ptp(noise.means)


def test_grades_and_words_follow_the_procedure() -> None:
    data = _scores(13)
    options = {"splits": 200, "mean_splits": 200, "resamples": 50, "trials": 200}
    ours, theirs = (meta_evaluate(data, procedure=p, **options) for p in ("bootstrap", "split"))
    assert {row.consistency for row in ours.summary} == {"fair"}
    assert {row.consistency for row in theirs.summary} != {"fair"}
    assert "procedure:bootstrap" in ours.signature()
    assert "procedure:split" in theirs.signature()
    assert ours.consistency.interval is not None
    assert theirs.consistency.interval is None
    assert str(ours.consistency) != str(theirs.consistency)
    assert "resampled 50 times" in ours.to_html()
    assert "as independent" in theirs.to_html()
