"""Intervals: percentile of a bootstrap, of one system and of two, and t from leaving out units."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap as scipy_bootstrap
from scipy.stats import t as student
from stats_models import (
    NAMES,
    accuracy,
    draw,
    items,
    joint_population,
    population,
    scores,
    table_of,
)

import ordeval as oe
from ordeval.errors import InputError
from ordeval.stats.intervals import (
    Interval,
    mean_interval,
    mean_jackknife,
    own_scores,
    percentile,
    t_interval,
    topic_jackknife,
    unit_interval,
)
from ordeval.stats.resample import Plan, bootstrap
from ordeval.stats.table_intervals import table_interval

RNG = np.random.default_rng(0)
TABLE = draw(np.random.default_rng(1), 80, population())
TOPICS = np.stack([draw(np.random.default_rng(t), 40, population()) for t in range(9)])
JOINT = draw(RNG, 300, joint_population(1.3, 1.0, 0.5))
PAIRED = np.stack([draw(RNG, 40, joint_population(1.3, 1.0, 0.5)) for _ in range(6)])


def bootstrap_interval(counts: Any, statistic: Any, *given: Any, **options: Any) -> Interval:
    return table_interval(counts, statistic, *given, method="percentile", **options)


def bootstrap_difference(joint: Any, *given: Any, **options: Any) -> Interval:
    return bootstrap_interval(joint, *given, joint=True, **options)


def differences(joint: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of a minus those of b, of joint counts [..., K, K, K]: [4, ...]."""
    return np.asarray(scores(joint.sum(axis=-1)) - scores(joint.sum(axis=-2)))


# Percentile.


def test_percentile_takes_the_quantiles_of_the_replicates() -> None:
    found = percentile([50.0], np.arange(1.0, 100.0)[None], level=0.9)
    assert (found.low[0], found.high[0]) == pytest.approx((5, 95))
    assert found.se[0] == pytest.approx(np.std(np.arange(99), ddof=1))
    assert (found.level, found.replicates, found.method) == (0.9, 99, "percentile")


def test_undefined_replicates_are_left_out_and_counted() -> None:
    values = np.arange(1.0, 100.0)
    with_holes = np.insert(values, [0, 50, 99], np.nan)
    whole, holes = percentile([50.0], values[None]), percentile([50.0], with_holes[None])
    assert (holes.low, holes.high, holes.se) == (whole.low, whole.high, whole.se)
    assert holes.undefined.tolist() == [3]
    nothing = percentile([1.0, np.nan], np.full((2, 20), np.nan))
    assert np.isnan([nothing.low, nothing.high, nothing.se]).all()
    assert np.isnan(percentile([np.nan], np.arange(10.0)[None]).low[0])


@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_is_between_0_and_1(level: float) -> None:
    for make in (percentile, t_interval):
        with pytest.raises(InputError) as refused:
            make([1.0], np.ones((1, 10)), level)
        assert refused.value.parameter == "level"


def test_percentile_agrees_with_scipy() -> None:
    rows = items(TABLE)
    right = (rows[:, 0] == rows[:, 1]).astype(float)
    theirs = scipy_bootstrap((right,), np.mean, n_resamples=20_000, method="percentile", rng=1)
    ours = bootstrap_interval(TABLE, accuracy, Plan(20_000))
    assert ours.low[0] == pytest.approx(theirs.confidence_interval.low, abs=1 / len(rows))
    assert ours.high[0] == pytest.approx(theirs.confidence_interval.high, abs=1 / len(rows))
    assert ours.se[0] == pytest.approx(theirs.standard_error, rel=0.03)


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_intervals_are_made_of_replicates(over: Any, aggregate: Any) -> None:
    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    pooled = scores(TOPICS.sum(axis=0))
    estimate = pooled if aggregate == "pool" else scores(TOPICS).mean(axis=1)
    expected = percentile(estimate, bootstrap(TOPICS, scores, Plan(300), **how))
    found = bootstrap_interval(TOPICS, scores, Plan(300), **how)
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)


# Two systems.


def test_difference_agrees_with_resampling_items() -> None:
    rows, rng = items(JOINT), np.random.default_rng(3)
    drawn = [table_of(rows[rng.integers(len(rows), size=len(rows))]) for _ in range(2000)]
    slow = percentile(differences(JOINT), differences(np.array(drawn)))
    fast = bootstrap_difference(JOINT, scores, Plan(6000))
    assert np.array_equal(fast.estimate, slow.estimate)
    assert np.allclose([fast.low, fast.high], [slow.low, slow.high], atol=0.15 * slow.se.max())


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_exchanging_the_systems_changes_the_sign_only(over: Any, aggregate: Any) -> None:
    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    there = bootstrap_difference(PAIRED, scores, Plan(300), **how)
    back = bootstrap_difference(PAIRED.swapaxes(-1, -2), scores, Plan(300), **how)
    assert np.array_equal(there.low, -back.high)
    assert np.array_equal(there.estimate, -back.estimate)


# Student's t.


def test_for_a_symmetric_mean_it_is_the_usual_t_interval() -> None:
    by_topic = np.random.default_rng(0).random((2, 3, 3))
    by_topic = np.concatenate([by_topic, 1 - by_topic, np.full((2, 3, 1), 0.5)], axis=-1)
    found = mean_interval(by_topic)
    se = by_topic.std(axis=-1, ddof=1) / np.sqrt(7)
    assert np.allclose(found.se, se)
    assert np.allclose(found.high - found.estimate, student.ppf(0.975, 6) * se)
    assert np.allclose(found.estimate - found.low, student.ppf(0.975, 6) * se)
    drawn = mean_interval(scores(TOPICS), Plan(300), method="percentile")
    over = bootstrap_interval(TOPICS, scores, Plan(300), over="topics", aggregate="mean")
    assert np.allclose([drawn.low, drawn.high], [over.low, over.high])


def test_skewed_topics_have_an_interval_by_halls_transformation() -> None:
    by_topic = np.array([0.2, 0.7, 0.6, 0.8, 0.75, 0.65, 0.7, 0.9])
    found, n = mean_interval(by_topic[None]), len(by_topic)
    mean, sd = by_topic.mean(), by_topic.std(ddof=1)
    t = student.ppf(0.975, n - 1)
    skew = max(((by_topic - mean) ** 3).mean() / by_topic.std() ** 3 / np.sqrt(n), -0.9 / t)
    for end, studentised in ((found.low[0], t), (found.high[0], -t)):
        root = np.sqrt(n) * (mean - end) / sd
        cubic = root + skew * root**2 / 3 + skew**2 * root**3 / 27 + skew / 6
        assert cubic == pytest.approx(studentised)
    assert mean - found.low[0] > found.high[0] - mean


def test_units_of_unequal_size_count_for_fewer() -> None:
    right, sizes = np.array([3, 9, 14, 4, 160]), np.array([10.0, 10, 20, 10, 200])
    score = right.sum() / sizes.sum()
    left_out = (right.sum() - right) / (sizes.sum() - sizes)
    found = unit_interval([score], left_out[None], sizes=sizes, symmetric=True)
    freedom = sizes.sum() ** 2 / (sizes**2).sum() - 1
    assert freedom < 1  # one cluster in fact
    assert found.high[0] - score == pytest.approx(student.ppf(0.975, 1) * found.se[0])
    own, share = own_scores(np.array([score]), left_out[None], sizes)
    np.testing.assert_allclose(own[0], right / sizes - score, atol=1e-12)
    np.testing.assert_allclose(share[0], sizes / sizes.sum())


@pytest.mark.parametrize(
    ("draw", "true", "least", "most"),
    [
        ("normal", 0.0, 0.94, 0.96),
        ("exponential", 1.0, 0.925, 0.95),
        ("lognormal", np.exp(0.5), 0.89, 0.93),
    ],
)
@pytest.mark.parametrize("units", [10, 20])
def test_intervals_cover_means_of_skewed_units(
    draw: str, true: float, least: float, most: float, units: int
) -> None:
    rng = np.random.default_rng(0)
    found = mean_interval(getattr(rng, draw)(size=(1, 6000, units)))
    covered = float(np.mean((found.low <= true) & (true <= found.high)))
    assert least < covered < most


def test_topics_without_a_score_do_not_count() -> None:
    by_topic = np.array([[0.4, 0.5, np.nan, 0.6]])
    some, fewer = mean_interval(by_topic, undefined="skip"), mean_interval(by_topic[:, [0, 1, 3]])
    assert (some.low[0], some.high[0]) == pytest.approx((fewer.low[0], fewer.high[0]))
    assert some.undefined[0] == 1
    assert np.isnan(mean_interval(by_topic).low[0])
    assert np.isnan(t_interval([0.5], by_topic[:, :1]).low[0])


@pytest.mark.parametrize("wrong", [np.ones(5), np.ones((1, 0))])
def test_means_need_measures_and_topics(wrong: NDArray[np.float64]) -> None:
    with pytest.raises(InputError) as refused:
        mean_interval(wrong)
    assert refused.value.parameter == "scores"


def test_equal_units_have_no_spread_whatever_the_rounding() -> None:
    assert mean_interval(np.full((1, 9), 0.1 + 0.2)).se[0] == 0


def test_leaving_topics_out_of_their_sum() -> None:
    found = topic_jackknife(TOPICS, scores)
    assert found[:, 4] == pytest.approx(scores(np.delete(TOPICS, 4, axis=0).sum(axis=0)))


@pytest.mark.parametrize("undefined", [None, "skip", 0.5])
def test_leaving_one_out_is_the_mean_of_the_others(undefined: Any) -> None:
    by_topic = np.random.default_rng(2).random((2, 6))
    by_topic[0, 3] = np.nan
    found = mean_jackknife(by_topic, undefined)
    for t in range(6):
        rest = np.delete(by_topic, t, axis=1)
        filled = rest if isinstance(undefined, str | None) else np.nan_to_num(rest, nan=undefined)
        mean = np.nanmean if undefined == "skip" else np.mean
        assert np.allclose(found[:, t], mean(filled, axis=1), equal_nan=True)


# Coverage.


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["topic", "cluster"])
def test_coverage_with_few_units(setting: str) -> None:
    rng, units, runs = np.random.default_rng(4), 8, 250
    inside = {"auto": 0, "percentile": 0}
    # Of a unit's ten items a share is right that differs from unit to unit; 2/3 in the mean.
    for run in range(runs):
        unit = np.repeat(np.arange(units), 10)
        right = rng.random(units * 10) < rng.beta(6, 3, size=units)[unit]
        gold = rng.integers(2, size=units * 10)
        how: dict[str, Any] = {setting: unit, "measures": "accuracy", "rng": run, "draws": 200}
        for method in inside:
            found = oe.evaluate(gold, np.where(right, gold, 1 - gold), labels=[0, 1],
                                method=method, **how).standing("y_pred")  # fmt: skip
            inside[method] += found.low <= 2 / 3 <= found.high
    assert 0.90 < inside["auto"] / runs < 0.99
    assert inside["percentile"] < inside["auto"]


@pytest.mark.slow
def test_percentile_intervals_reach_their_level_at_five_hundred_items() -> None:
    runs, rng = 600, np.random.default_rng(21)
    cells = joint_population(1.4, 1.1, 0.6)
    truth = scores(1e9 * cells.sum(axis=2)), differences(1e9 * cells)
    inside = np.zeros((2, len(NAMES)))
    for run in range(runs):
        joint = draw(rng, 500, cells)
        intervals = (
            bootstrap_interval(joint.sum(axis=2), scores, Plan(399, rng=run)),
            bootstrap_difference(joint, scores, Plan(399, rng=run)),
        )
        for row, found in enumerate(intervals):
            inside[row] += (found.low <= truth[row]) & (truth[row] <= found.high)
    coverage = inside / runs
    assert np.all((coverage >= 0.925) & (coverage <= 0.975)), coverage
