"""Bootstrap intervals."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap as scipy_bootstrap
from stats_models import (
    NAMES,
    K,
    accuracy,
    draw,
    items,
    joint_population,
    population,
    scores,
    table_of,
)

from ordeval.errors import InputError
from ordeval.measures.scoring import score_tables
from ordeval.measures.spec import parse_measure
from ordeval.scale import Scale
from ordeval.stats.intervals import (
    Interval,
    acceleration,
    bca,
    bootstrap_interval,
    item_jackknife,
    mean_interval,
    percentile,
    topic_jackknife,
)
from ordeval.stats.paired import difference_interval
from ordeval.stats.resample import Plan, bootstrap

TABLE = draw(np.random.default_rng(1), 80, population())
TOPICS = np.stack([draw(np.random.default_rng(t), 40, population()) for t in range(9)])


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


def test_nothing_defined_gives_no_interval() -> None:
    nothing = np.full((2, 20), np.nan)
    for found in (percentile([1.0, np.nan], nothing), bca([1.0, np.nan], nothing, [0, 0])):
        assert np.isnan([found.low, found.high, found.se]).all()
        assert found.undefined.tolist() == [20, 20]


def test_an_undefined_estimate_has_no_interval() -> None:
    found = bca([np.nan], np.arange(10.0)[None], [0.0])
    assert np.isnan(found.low[0])
    assert not found.plain[0]


@pytest.mark.parametrize("level", [0, 1, 95])
def test_level_is_between_0_and_1(level: float) -> None:
    with pytest.raises(InputError, match=r"0\.95"):
        percentile([1.0], np.ones((1, 10)), level)


def test_equal_replicates_give_a_point() -> None:
    found = bca([0.7], np.full((1, 50), 0.7), [0.0])
    assert (found.low[0], found.high[0]) == (0.7, 0.7)
    assert found.se[0] == pytest.approx(0, abs=1e-12)
    assert not found.plain[0]


def test_an_estimate_outside_all_replicates_gets_the_percentile_interval() -> None:
    values = np.linspace(0.2, 0.8, 99)[None]
    plain = percentile([0.9], values)
    found = bca([0.9], values, [0.0])
    assert found.plain[0]
    assert (found.low, found.high) == (plain.low, plain.high)


def test_an_acceleration_without_solution_gets_the_percentile_interval() -> None:
    found = bca([0.5], np.linspace(0, 1, 99)[None], [0.9])
    assert found.plain[0]


def test_bca_without_bias_and_skewness_is_the_percentile_interval() -> None:
    values = np.linspace(0, 1, 99)[None]
    found, plain = bca([0.5], values, [0.0]), percentile([0.5], values)
    assert found.low == pytest.approx(plain.low)
    assert found.high == pytest.approx(plain.high)


def test_acceleration_from_cells_is_that_of_the_items() -> None:
    rows = items(TABLE)
    left_out = np.stack(
        [scores(table_of(np.delete(rows, i, axis=0))) for i in range(len(rows))], axis=1
    )
    centred = left_out.mean(axis=1, keepdims=True) - left_out
    expected = (centred**3).sum(axis=1) / (6 * (centred**2).sum(axis=1) ** 1.5)
    assert acceleration(*item_jackknife(TABLE[None], scores)) == pytest.approx(expected, rel=1e-6)


def test_acceleration_without_spread_is_zero() -> None:
    assert acceleration(np.full((1, 4), 0.3), [1, 2, 3, 4]).tolist() == [0]
    assert acceleration(np.full((1, 4), np.nan), [1, 2, 3, 4]).tolist() == [0]


def test_acceleration_leaves_out_undefined_scores() -> None:
    values = np.array([[1.0, 2.0, 4.0, np.nan]])
    assert acceleration(values, [1, 1, 1, 5]) == pytest.approx(
        acceleration(values[:, :3], [1, 1, 1])
    )


def test_one_item_has_an_interval_without_width() -> None:
    one = np.zeros((K, K), dtype=np.int64)
    one[1, 1] = 1
    found = bca(
        accuracy(one),
        bootstrap(one[None], accuracy, Plan(50)),
        acceleration([[np.nan] * 25], one.ravel()),
    )
    assert (found.low[0], found.high[0]) == (1, 1)


def test_jackknife_over_items_of_topics_replaces_one_topic_at_a_time() -> None:
    found, weights = item_jackknife(TOPICS, accuracy, aggregate="mean")
    t, cell = 3, 6
    without = TOPICS.copy()
    without[t].flat[cell] -= 1
    assert TOPICS[t].flat[cell] > 0
    assert found[0, t * K * K + cell] == pytest.approx(accuracy(without)[0].mean())
    assert weights.sum() == TOPICS.sum()


def test_jackknife_over_items_of_pooled_topics_is_that_of_their_sum() -> None:
    pooled, whole = item_jackknife(TOPICS, scores), item_jackknife(TOPICS.sum(axis=0)[None], scores)
    assert np.array_equal(pooled[0], whole[0])
    assert np.array_equal(pooled[1], whole[1])


@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_jackknife_over_topics_leaves_one_out(aggregate: str) -> None:
    found, _ = topic_jackknife(TOPICS, scores, aggregate=aggregate)  # type: ignore[arg-type]
    rest = np.delete(TOPICS, 4, axis=0)
    expected = scores(rest.sum(axis=0)) if aggregate == "pool" else scores(rest).mean(axis=1)
    assert found[:, 4] == pytest.approx(expected)


def test_bca_agrees_with_scipy() -> None:
    rows = items(TABLE)
    right = (rows[:, 0] == rows[:, 1]).astype(float)
    theirs = scipy_bootstrap((right,), np.mean, n_resamples=20_000, method="BCa", rng=1)
    ours = bca(
        accuracy(TABLE),
        bootstrap(TABLE[None], accuracy, Plan(20_000)),
        acceleration(*item_jackknife(TABLE[None], accuracy)),
    )
    assert ours.low[0] == pytest.approx(theirs.confidence_interval.low, abs=1 / len(rows))
    assert ours.high[0] == pytest.approx(theirs.confidence_interval.high, abs=1 / len(rows))
    assert ours.se[0] == pytest.approx(theirs.standard_error, rel=0.03)


@pytest.mark.parametrize("errors", [0, 1, 2])
def test_intervals_of_nearly_perfect_systems_stay_in_range(errors: int) -> None:
    table = np.diag([20, 10, 5, 3, 2])
    table[0, 1] = errors
    replicates = bootstrap(table[None], scores, Plan(999))
    found = bca(scores(table), replicates, acceleration(*item_jackknife(table[None], scores)))
    best = np.array([1, 0, 1, 1])
    assert np.all(found.low <= found.high)
    assert np.all(found.high[best == 1] <= 1 + 1e-12)
    assert np.all(found.low[best == 0] >= 0)
    assert np.all((replicates.min(axis=1) <= found.low) & (found.high <= replicates.max(axis=1)))


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_interval_of_a_system_is_made_of_replicates_and_jackknife(
    over: Any, aggregate: Any
) -> None:
    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    replicates = bootstrap(TOPICS, scores, Plan(300), **how)
    jackknife = item_jackknife if over == "items" else topic_jackknife
    skew = acceleration(*jackknife(TOPICS, scores, aggregate=aggregate))
    pooled = scores(TOPICS.sum(axis=0))
    estimate = pooled if aggregate == "pool" else scores(TOPICS).mean(axis=1)
    found = bootstrap_interval(TOPICS, scores, Plan(300), **how)
    expected = bca(estimate, replicates, skew)
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)
    plain = bootstrap_interval(TOPICS, scores, Plan(300), **how, method="percentile")
    assert plain.low == pytest.approx(percentile(estimate, replicates).low)


def test_interval_of_means_is_that_of_topics() -> None:
    by_topic = mean_interval(scores(TOPICS), Plan(300))
    found = bootstrap_interval(TOPICS, scores, Plan(300), over="topics", aggregate="mean")
    assert np.allclose([by_topic.low, by_topic.high], [found.low, found.high])


def test_intervals_stack_and_negate() -> None:
    one = percentile([50.0], np.arange(1.0, 100.0)[None])
    both = Interval.stack([one, one.negated()])
    assert both.low.tolist() == [[one.low[0], -one.high[0]]]
    assert both.high.tolist() == [[one.high[0], -one.low[0]]]


@pytest.mark.parametrize("wrong", [np.ones(5), np.ones((1, 0))])
def test_means_need_measures_and_topics(wrong: NDArray[np.float64]) -> None:
    with pytest.raises(InputError, match="at least one topic"):
        mean_interval(wrong)


SPECS = ("kappa(weights='linear')", "kappa(weights='quadratic')", "cem", "macro_mae", "kendall_b")


def test_intervals_reach_their_level_at_five_hundred_items() -> None:
    runs, rng = 1200, np.random.default_rng(20)
    chosen, scale = [parse_measure(spec) for spec in SPECS], Scale.of(range(1, K + 1))

    def score(tables: NDArray[Any]) -> NDArray[np.float64]:
        return score_tables(chosen, tables, scale)

    truth = score(1e9 * population())
    inside = np.zeros((2, len(SPECS)))
    for run in range(runs):
        table = draw(rng, 500, population())
        replicates = bootstrap(table[None], score, Plan(599, rng=run))
        estimate, skew = score(table), acceleration(*item_jackknife(table[None], score))
        for row, found in enumerate(
            (percentile(estimate, replicates), bca(estimate, replicates, skew))
        ):
            inside[row] += (found.low <= truth) & (truth <= found.high)
    coverage = dict(zip(SPECS, (inside / runs).T, strict=True))
    assert all(np.all((c >= 0.925) & (c <= 0.975)) for c in coverage.values()), coverage


def test_intervals_of_differences_reach_their_level_at_five_hundred_items() -> None:
    runs, rng = 600, np.random.default_rng(21)
    cells = joint_population(1.4, 1.1, 0.6)
    truth = np.subtract(*(scores(1e9 * cells.sum(axis=axis)) for axis in (2, 1)))
    inside = np.zeros(len(NAMES))
    for run in range(runs):
        found = difference_interval(draw(rng, 500, cells), scores, Plan(399, rng=run))
        inside += (found.low <= truth) & (truth <= found.high)
    coverage = dict(zip(NAMES, inside / runs, strict=True))
    assert all(0.93 <= c <= 0.97 for c in coverage.values()), coverage
