"""Two systems on the same items."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, false_discovery_control, ks_2samp, permutation_test
from stats_models import accuracy, draw, items, joint_population, scores, table_of

from ordeval.errors import InputError
from ordeval.stats.intervals import percentile
from ordeval.stats.paired import (
    difference_interval,
    holm,
    marginal_tables,
    paired_bootstrap,
    randomisation_test,
)
from ordeval.stats.resample import Plan, bootstrap

RNG = np.random.default_rng(0)
JOINT = draw(RNG, 300, joint_population(1.3, 1.0, 0.5))
TOPICS = np.stack([draw(RNG, 40, joint_population(1.3, 1.0, 0.5)) for _ in range(6)])


def differences(joint: NDArray[Any]) -> NDArray[np.float64]:
    """Scores of a minus those of b, of joint counts [..., K, K, K]: [4, ...]."""
    table_a, table_b = marginal_tables(joint)
    return np.asarray(scores(table_a) - scores(table_b))


def kappa_gap(gold: NDArray[Any], a: NDArray[Any], b: NDArray[Any], k: int) -> float:
    """Distance of two systems' quadratic kappas, from labels."""
    tables = [table_of(np.stack([gold, x], axis=1), k) for x in (a, b)]
    return float(np.abs(np.subtract(*scores(np.stack(tables))[0])))


def test_marginal_tables_are_the_systems_own() -> None:
    rows = items(JOINT)
    table_a, table_b = marginal_tables(JOINT)
    assert np.array_equal(table_a, table_of(rows[:, [0, 1]]))
    assert np.array_equal(table_b, table_of(rows[:, [0, 2]]))


def test_paired_bootstrap_agrees_with_resampling_items() -> None:
    rows, rng = items(JOINT), np.random.default_rng(3)
    drawn = [table_of(rows[rng.integers(len(rows), size=len(rows))]) for _ in range(2000)]
    slow = differences(np.array(drawn))
    fast = paired_bootstrap(JOINT, scores, Plan(6000))
    for one, other in zip(slow, fast, strict=True):
        assert ks_2samp(one, other).pvalue > 0.01


def test_pairing_narrows_the_difference_of_similar_systems() -> None:
    joint = draw(np.random.default_rng(1), 500, joint_population(1.3, 1.1, 0.9))
    paired = paired_bootstrap(joint, scores, Plan(1000)).std(axis=1)
    own = [
        bootstrap(t[None], scores, Plan(1000, rng=seed))
        for seed, t in enumerate(marginal_tables(joint))
    ]
    assert np.all(paired < 0.6 * (own[0] - own[1]).std(axis=1))


def test_exchanging_the_systems_changes_the_sign_only() -> None:
    turned = JOINT.swapaxes(-1, -2)
    plan = Plan(300)
    there = paired_bootstrap(JOINT, scores, plan)
    back = paired_bootstrap(turned, scores, plan)
    assert np.array_equal(there, -back)
    first = randomisation_test(JOINT, scores, plan)
    second = randomisation_test(turned, scores, plan)
    assert np.array_equal(first.difference, -second.difference)
    assert np.array_equal(first.p, second.p)


@pytest.mark.parametrize("over", ["items", "topics", "both"])
@pytest.mark.parametrize("aggregate", ["pool", "mean"])
def test_interval_of_a_difference_is_made_of_paired_replicates(over: Any, aggregate: Any) -> None:
    how: dict[str, Any] = {"over": over, "aggregate": aggregate}
    plan = Plan(300)
    found = difference_interval(TOPICS, scores, plan, **how, method="percentile")
    tables = marginal_tables(TOPICS.sum(axis=0) if aggregate == "pool" else TOPICS)
    means = [np.atleast_2d(scores(t).T).mean(axis=0) for t in tables]
    expected = percentile(means[0] - means[1], paired_bootstrap(TOPICS, scores, plan, **how))
    assert found.estimate == pytest.approx(expected.estimate)
    assert found.low == pytest.approx(expected.low)
    turned = difference_interval(TOPICS.swapaxes(-1, -2), scores, plan, **how, method="bca")
    straight = difference_interval(TOPICS, scores, plan, **how, method="bca")
    assert np.array_equal(turned.low, -straight.high)


@pytest.mark.parametrize("k", [2, 3])
def test_exact_test_is_that_of_scipy(k: int) -> None:
    rng = np.random.default_rng(k)
    gold = rng.integers(k, size=11)
    a = np.where(rng.random(11) < 0.9, gold, rng.integers(k, size=11))
    b = rng.integers(k, size=11)
    theirs = permutation_test(
        (a, b),
        lambda x, y: kappa_gap(gold, x, y, k),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
    )
    ours = randomisation_test(table_of(np.stack([gold, a, b], axis=1), k), scores)
    assert ours.exact
    assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_exact_test_over_items_of_topics_is_that_of_scipy() -> None:
    rng = np.random.default_rng(5)
    topic, gold = np.repeat([0, 1], 5), rng.integers(3, size=10)
    a = np.where(rng.random(10) < 0.8, gold, rng.integers(3, size=10))
    b = rng.integers(3, size=10)

    def gap(x: NDArray[Any], y: NDArray[Any]) -> float:
        means = [[np.mean(gold[topic == t] == z[topic == t]) for t in (0, 1)] for z in (x, y)]
        return float(abs(np.subtract(*np.mean(means, axis=1))))

    joint = np.stack([table_of(np.stack([gold, a, b], axis=1)[topic == t], 3) for t in (0, 1)])
    theirs = permutation_test(
        (a, b), gap, permutation_type="samples", n_resamples=np.inf, alternative="greater"
    )
    ours = randomisation_test(joint, accuracy, aggregate="mean")
    assert ours.exact
    assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-9)


def test_exact_test_over_topics_is_that_of_scipy() -> None:
    by_topic = [scores(t)[0] for t in marginal_tables(TOPICS)]
    theirs = permutation_test(
        by_topic,
        lambda x, y, axis: np.abs(np.mean(x, axis=axis) - np.mean(y, axis=axis)),
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="greater",
        vectorized=True,
    )
    ours = randomisation_test(TOPICS, scores, unit="topics", aggregate="mean")
    assert (ours.exact, ours.trials) == (True, 2**6)
    assert ours.p[0] == pytest.approx(theirs.pvalue, rel=1e-9)


@pytest.mark.parametrize(
    ("unit", "aggregate"),
    [("items", "pool"), ("items", "mean"), ("topics", "pool"), ("topics", "mean")],
)
def test_simulated_test_agrees_with_the_exact_one(unit: str, aggregate: str) -> None:
    few = np.stack(
        [draw(np.random.default_rng(t), 6, joint_population(2, 1, 0.6)) for t in range(3)]
    )
    how: dict[str, Any] = {"unit": unit, "aggregate": aggregate}
    exact = randomisation_test(few, accuracy, **how)
    random = randomisation_test(few, accuracy, Plan(20_000), exact_limit=0, **how)
    assert (exact.exact, random.exact) == (True, False)
    assert random.p == pytest.approx(exact.p, abs=4 * np.sqrt(0.25 / 20_000))


def test_p_is_never_zero() -> None:
    apart = np.zeros((3, 3, 3), dtype=np.int64)
    apart[0, 0, 2], apart[2, 2, 0] = 10**6, 10**6
    random = randomisation_test(apart, scores, Plan(99))
    assert random.p.tolist() == [0.01] * 4
    one_cell = np.zeros((2, 2, 2), dtype=np.int64)
    one_cell[0, 0, 1] = 5000
    exact = randomisation_test(one_cell, accuracy)
    assert exact.exact
    assert 0 < exact.p[0] < 1e-300


def test_equal_systems_have_p_one() -> None:
    alike = np.zeros((3, 3, 3), dtype=np.int64)
    alike[0, 0, 0], alike[1, 1, 1], alike[2, 1, 1] = 5, 4, 3
    found = randomisation_test(alike, scores)
    assert found.difference.tolist() == [0] * 4
    assert found.p.tolist() == [1] * 4


def test_undefined_trials_count_as_extreme() -> None:
    joint = np.zeros((2, 2, 2), dtype=np.int64)
    joint[0, 0, 0], joint[1, 0, 1], joint[0, 1, 0] = 3, 1, 1

    def kappa_if_varied(tables: NDArray[Any]) -> NDArray[np.float64]:
        varied = np.all(tables.sum(axis=-2) > 0, axis=-1)
        return np.where(varied, accuracy(tables), np.nan)

    exact = randomisation_test(joint, kappa_if_varied)
    # Of four outcomes, two give one system nothing but the first class; the observed ones remain.
    assert exact.undefined.tolist() == [2]
    assert exact.p.tolist() == [1]


def test_an_undefined_difference_has_no_p() -> None:
    joint = np.zeros((2, 2, 2), dtype=np.int64)
    joint[0, 0, 1] = 3
    found = randomisation_test(joint, lambda tables: np.full((1, *tables.shape[:-2]), np.nan))
    assert np.isnan([found.difference, found.p]).all()


def test_cost_does_not_depend_on_the_number_of_items() -> None:
    found = randomisation_test(JOINT * 10**10, scores, Plan(500))
    assert found.p == pytest.approx(1 / 501)


@pytest.mark.parametrize(
    ("unit", "aggregate"), [("items", "pool"), ("items", "mean"), ("topics", "mean")]
)
def test_chunks_and_threads_change_nothing(unit: str, aggregate: str) -> None:
    how: dict[str, Any] = {"unit": unit, "aggregate": aggregate, "exact_limit": 0}
    plans = [Plan(1000, 5, chunk=c, threads=t) for c, t in [(None, 1), (1, 2), (300, 1), (9999, 2)]]
    first, *others = [randomisation_test(TOPICS, scores, plan, **how).p for plan in plans]
    assert all(np.array_equal(first, other) for other in others)


def test_type_one_error_of_the_randomisation_test() -> None:
    runs, rng = 1200, np.random.default_rng(7)
    alike = joint_population(1.2, 1.2, 0.5)
    p = np.array(
        [randomisation_test(draw(rng, 200, alike), scores, Plan(199, rng=r)).p for r in range(runs)]
    )
    low, high = binom.ppf([0.0005, 0.9995], runs, 0.05)
    rejected = (p <= 0.05).sum(axis=0)
    assert np.all((low <= rejected) & (rejected <= high)), rejected / runs


def test_type_one_error_of_exchanging_topics() -> None:
    runs, rng = 800, np.random.default_rng(8)
    alike = joint_population(1.2, 1.2, 0.5)
    how: dict[str, Any] = {"unit": "topics", "aggregate": "mean", "exact_limit": 0}
    p = []
    for run in range(runs):
        topics = np.stack([draw(rng, 25, alike) for _ in range(12)])
        p.append(randomisation_test(topics, accuracy, Plan(199, rng=run), **how).p[0])
    low, high = binom.ppf([0.0005, 0.9995], runs, 0.05)
    assert low <= np.sum(np.array(p) <= 0.05) <= high


def test_paired_tests_have_more_power_than_an_unpaired_one() -> None:
    runs, rng = 120, np.random.default_rng(9)
    better = joint_population(1.6, 1.1, 0.8)
    found = np.zeros(3)
    for run in range(runs):
        joint, plan = draw(rng, 400, better), Plan(399, rng=run)
        own = [
            bootstrap(t[None], scores, Plan(399, rng=2 * run + seed))
            for seed, t in enumerate(marginal_tables(joint))
        ]
        observed = differences(joint)
        unpaired = percentile(observed, own[0] - own[1])
        paired = percentile(observed, paired_bootstrap(joint, scores, plan))
        found[0] += np.sum(randomisation_test(joint, scores, plan).p <= 0.05)
        found[1] += np.sum((paired.low > 0) | (paired.high < 0))
        found[2] += np.sum((unpaired.low > 0) | (unpaired.high < 0))
    power = found / (4 * runs)
    assert min(power[:2]) > power[2] + 0.2, power


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.5]) == pytest.approx([0.04, 0.09, 0.09, 0.5])
    assert holm([0.6, 0.7]) == pytest.approx([1, 1])


def test_holm_leaves_undefined_tests_out() -> None:
    assert holm([0.01, np.nan, 0.04]) == pytest.approx([0.02, np.nan, 0.04], nan_ok=True)


def test_holm_is_stricter_than_false_discovery_control() -> None:
    p = np.random.default_rng(0).random((3, 20)) ** 2
    assert np.all(holm(p) >= false_discovery_control(p, axis=-1) - 1e-12)


def test_the_table_of_one_system_is_refused() -> None:
    with pytest.raises(InputError, match="joint counts"):
        randomisation_test(JOINT.sum(axis=-1), scores)


@pytest.mark.parametrize("over", ["topics", "both"])
def test_topics_are_needed_to_resample_topics(over: Any) -> None:
    for compare in (paired_bootstrap, difference_interval):
        with pytest.raises(InputError, match="no axis of topics"):
            compare(JOINT, scores, over=over)


def test_topics_are_needed_to_exchange_topics() -> None:
    with pytest.raises(InputError, match="no axis of topics"):
        randomisation_test(JOINT, scores, unit="topics")


def test_unknown_unit_is_refused() -> None:
    with pytest.raises(InputError, match="unit is 'both'"):
        randomisation_test(JOINT, scores, unit="both")  # type: ignore[arg-type]


def test_a_number_replaces_undefined_scores() -> None:
    def sometimes(tables: NDArray[Any]) -> NDArray[np.float64]:
        return np.where(np.asarray(tables)[..., 0, 0] % 2 > 0, accuracy(tables), np.nan)

    def filled(tables: NDArray[Any]) -> NDArray[np.float64]:
        return np.nan_to_num(sometimes(tables), nan=0.25)

    plan = Plan(300)
    for compare in (difference_interval, randomisation_test):
        found = compare(TOPICS, sometimes, plan, aggregate="mean", undefined=0.25)
        expected = compare(TOPICS, filled, plan, aggregate="mean")
        assert repr(found) == repr(expected)
