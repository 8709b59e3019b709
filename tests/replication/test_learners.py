"""The ordinal classifiers against explicit loops, and the synthetic data set."""

from typing import Any

import numpy as np
import pytest
from replication.learners import (
    DataReplicationClassifier,
    FrankHallClassifier,
    cardoso_points,
    onn,
    osvm,
)
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

DIRECTION = np.array([0.6, 0.8])
LEARNERS = (FrankHallClassifier, DataReplicationClassifier)


@pytest.fixture
def strips() -> tuple[Any, Any]:
    """Four classes in strips across DIRECTION, at 0..1, 2..3, 4..5 and 6..7 along it."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 25)
    along = 2 * y + rng.random(100)
    across = rng.normal(size=100)
    return along[:, None] * DIRECTION + across[:, None] * [-0.8, 0.6], y


def test_frank_and_hall_count_the_votes_of_independent_models() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(200, 2))
    y = 1 + np.digitize(x @ [2.0, 1.0] + rng.normal(size=200), [-2, -0.5, 0.5, 2])
    votes = sum(SVC(kernel="linear").fit(x, y > k).predict(x).astype(int) for k in (1, 2, 3, 4))
    model = FrankHallClassifier(SVC(kernel="linear"), [1, 2, 3, 4, 5]).fit(x, y)
    assert model.predict(x).tolist() == (1 + votes).tolist()


def test_replicated_boundaries_are_parallel_and_lie_in_the_gaps(strips: Any) -> None:
    x, y = strips
    h = 20.0
    model = DataReplicationClassifier(SVC(kernel="linear", C=1e3), range(4), h=h).fit(x, y)
    svm = model.estimator_
    w, extra = svm.coef_[0, :2], svm.coef_[0, 2:]
    length = np.linalg.norm(w)
    np.testing.assert_allclose(w / length, DIRECTION, atol=0.1)
    offsets = -(svm.intercept_[0] + h * np.array([0.0, *extra])) / length
    np.testing.assert_allclose(offsets, [1.5, 3.5, 5.5], atol=0.25)
    assert model.predict(x).tolist() == y.tolist()


@pytest.mark.parametrize("learner", LEARNERS)
def test_declared_order_and_classes_that_training_lacks(learner: Any, strips: Any) -> None:
    x, y = strips
    names = np.array(["d", "b", "x", "a", "c"])  # in this order; x is absent
    labels = names[[0, 1, 3, 4]][y]
    plain = learner(LogisticRegression(), range(4)).fit(x, y).predict(x)
    named = learner(LogisticRegression(), names.tolist()).fit(x, labels).predict(x)
    assert named.tolist() == names[[0, 1, 3, 4]][plain].tolist()
    single = learner(LogisticRegression(), names.tolist()).fit(x, ["x"] * len(x))
    assert single.predict(x[:3]).tolist() == ["x"] * 3


def test_products_and_networks_learn_the_saddle() -> None:
    x, y = cardoso_points(300)
    fresh, gold = cardoso_points(300, seed=1)
    labels = [1, 2, 3, 4, 5]
    settings = {"model__base__C": 10.0, "model__h": 10.0}
    curved, straight = (osvm(labels, degree).set_params(**settings).fit(x, y) for degree in (2, 1))
    assert curved.score(fresh, gold) > 0.8
    assert straight.score(fresh, gold) < 0.6
    assert onn(labels, hidden=8, seed=5).fit(x, y).score(fresh, gold) > 0.75


def test_classes_of_the_saddle_have_noise_of_the_stated_size() -> None:
    """One standard deviation above a bound, 84.1 % lie beyond it; far away, all do."""
    x, y = cardoso_points(400_000, seed=3)
    height = 10 * (x[:, 0] - 0.5) * (x[:, 1] - 0.5)
    near = np.abs(height - (0.25 + 0.125)) < 0.01
    assert np.mean(y[near] > 3) == pytest.approx(0.8413, abs=0.015)
    bounds = np.array([-2.0, -0.5, 0.25, 1.0])
    certain = np.abs(height[:, None] - bounds).min(axis=1) > 5.5 * 0.125
    expected = 1 + (height[:, None] > bounds).sum(axis=1)
    assert set(y[certain].tolist()) == {2, 5}
    assert (y[certain] == expected[certain]).all()
