"""Default intervals over items: Dirichlet draws around the data with two added items."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from stats_models import K, accuracy, draw, joint_population, population, scores

from ordeval.data.scale import Scale
from ordeval.errors import InputError
from ordeval.measures.batches import score_tables
from ordeval.measures.spec import parse_measure
from ordeval.stats import Interval, Plan, table_interval
from ordeval.stats.table_intervals import prior

FEW = Plan(200)
NEARLY_PERFECT = 4.5
CHOSEN = [parse_measure(m) for m in ("accuracy", "mae", "kappa(weights=linear)", "cem")]
BOUNDS = [m.bounds(K) for m in CHOSEN]


def chosen(tables: NDArray[Any]) -> NDArray[np.float64]:
    return score_tables(CHOSEN, tables, Scale.of(range(1, K + 1)))


def difference(joint: NDArray[Any], statistic: Any, *given: Any, **options: Any) -> Interval:
    return table_interval(joint, statistic, *given, joint=True, **options)


def same(a: Interval, b: Interval) -> None:
    for part in ("estimate", "low", "high", "se"):
        np.testing.assert_allclose(getattr(a, part), getattr(b, part), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [1, 2, 5, 101])
def test_two_items_are_added_to_every_gold_class_alike(k: int) -> None:
    np.testing.assert_allclose(prior(k).sum(axis=1), 2 / k)
    assert np.all(np.diag(prior(k)) == prior(k).max(axis=1))


def test_each_step_from_gold_halves_the_chance_of_an_added_item() -> None:
    np.testing.assert_allclose(prior(5)[0, 1:] / prior(5)[0, :-1], 0.5)
    np.testing.assert_allclose(prior(5, 1.0), 2 / 25)


@pytest.mark.parametrize(("k", "lowest"), [(2, 0.81), (5, 0.77)])
def test_a_perfect_score_has_an_interval_like_that_of_a_proportion(k: int, lowest: float) -> None:
    found = table_interval(np.diag([20 // k] * k), accuracy, bounds=[[0, 1]])
    assert lowest < found.low[0] < 0.87
    assert (found.estimate[0], found.high[0]) == (1, 1)


@settings(deadline=None, max_examples=30)
@given(arrays(np.int64, (3, 3), elements=st.integers(0, 6)))
def test_an_interval_has_a_width_and_contains_the_score(table: NDArray[np.int64]) -> None:
    found = table_interval(table, scores, FEW)
    known = ~np.isnan(found.estimate)
    assert np.all(found.low[known] < found.high[known])
    assert np.all(found.low[known] <= found.estimate[known])
    assert np.all(found.estimate[known] <= found.high[known])


def test_many_items_have_the_interval_of_the_bootstrap() -> None:
    table = draw(np.random.default_rng(1), 20_000, population())
    found = table_interval(table, scores)
    usual = table_interval(table, scores, method="percentile")
    width = usual.high - usual.low
    np.testing.assert_allclose(found.low, usual.low, atol=0.1 * width.max())
    np.testing.assert_allclose((found.high - found.low) / width, 1, atol=0.15)


def test_the_unit_of_weights_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    cells, weights = rng.choice(K * K, 60, p=population().ravel()), rng.lognormal(size=60)
    sums, squares = (np.bincount(cells, weights**power, K * K).reshape(K, K) for power in (1, 2))
    found = table_interval(sums, scores, FEW, squares=squares)
    same(found, table_interval(100 * sums, scores, FEW, squares=1e4 * squares))


def test_items_of_one_weight_are_items() -> None:
    table = draw(np.random.default_rng(1), 80, population())
    weighted = table_interval(10.0 * table, scores, FEW, squares=100.0 * table)
    same(table_interval(table, scores, FEW), weighted)


@settings(deadline=None, max_examples=20)
@given(arrays(np.int64, (3, 3, 3), elements=st.integers(0, 2)))
def test_exchanging_the_systems_changes_the_sign(joint: NDArray[np.int64]) -> None:
    found = difference(joint, scores, FEW)
    same(found.negated(), difference(joint.swapaxes(1, 2), scores, FEW))


def test_a_system_against_itself_may_still_differ_in_the_population() -> None:
    joint = np.zeros((3, 3, 3))
    joint[range(3), range(3), range(3)] = 10
    found = difference(joint, accuracy)
    assert -0.2 < found.low[0] == -found.high[0] < -0.05


def test_an_added_item_has_the_same_gold_class_in_both_systems() -> None:
    def of_gold(tables: NDArray[Any]) -> NDArray[np.float64]:
        return np.moveaxis(tables.sum(axis=-1), -1, 0)

    joint = draw(np.random.default_rng(1), 40, joint_population(1.2, 3.0, 0.5))
    found = difference(joint, of_gold, FEW)
    np.testing.assert_allclose([found.low, found.high], 0, atol=1e-9)


def test_topics_are_drawn_apart_and_averaged() -> None:
    def of_two(tables: NDArray[Any]) -> NDArray[np.float64]:
        return score_tables(CHOSEN[:1], tables, Scale.of([1, 2]))

    perfect = np.diag([10.0, 10.0])
    topics = np.stack([perfect, np.zeros((2, 2)), perfect[::-1]])
    found = table_interval(topics, of_two, aggregate="mean", undefined="skip")
    assert found.estimate[0] == 0.5
    assert 0 < found.high[0] - found.low[0] < 0.3
    one = table_interval(perfect, accuracy, FEW)
    same(one, table_interval(perfect[None], accuracy, FEW, aggregate="mean"))


def test_bounds_limit_the_extension() -> None:
    mutual = parse_measure("mutual_information")

    def information(tables: NDArray[Any]) -> NDArray[np.float64]:
        return score_tables([mutual], tables, Scale.of(range(1, K + 1)))

    table = draw(np.random.default_rng(1), 20, population(0.0))
    free = table_interval(table, information)
    bound = table_interval(table, information, bounds=[mutual.bounds(K)])
    assert free.low[0] < bound.low[0] == 0
    assert bound.high == free.high


def test_wrong_arrays_are_refused() -> None:
    with pytest.raises(InputError, match="shape"):
        table_interval(np.ones((2, 3)), accuracy)
    with pytest.raises(InputError, match="shape"):
        difference(np.ones((3, 3)), accuracy)
    with pytest.raises(InputError, match="whole"):
        table_interval(np.eye(3) / 2, accuracy)
    with pytest.raises(InputError, match="level"):
        table_interval(np.eye(3), accuracy, FEW, level=2)


def test_the_cost_does_not_depend_on_the_number_of_items() -> None:
    seen = []

    def counted(tables: NDArray[Any]) -> NDArray[np.float64]:
        seen.append(tables.size)
        return accuracy(tables)

    for items in (100, 10**9):
        table_interval(np.diag([items] * 3), counted, FEW)
    half = len(seen) // 2
    assert seen[:half] == seen[half:]


@pytest.mark.parametrize(("items", "wanted"), [(20, 0.85), (50, 0.88)])
def test_a_nearly_perfect_system_is_covered(items: int, wanted: float) -> None:
    cells = population(NEARLY_PERFECT)
    truth = chosen(1e12 * cells)
    rng, held = np.random.default_rng(3), np.zeros(len(CHOSEN))
    for run in range(100):
        found = table_interval(draw(rng, items, cells), chosen, Plan(200, run), bounds=BOUNDS)
        held += (found.low <= truth) & (truth <= found.high)
    assert np.all(held / 100 > wanted)


def test_the_difference_of_two_nearly_perfect_systems_is_covered() -> None:
    cells = joint_population(NEARLY_PERFECT, NEARLY_PERFECT, 0.0)
    rng, held = np.random.default_rng(4), np.zeros(len(CHOSEN))
    for run in range(100):
        found = difference(draw(rng, 50, cells), chosen, Plan(200, run), bounds=BOUNDS)
        held += (found.low <= 0) & (found.high >= 0)
    assert np.all(held / 100 > 0.9)
