"""The saddle-shaped data set of Cardoso & Sousa."""

import numpy as np
import pytest

from ordeval.errors import InputError
from ordeval.learners.synthetic import cardoso_points


def test_shape_and_range():
    X, y = cardoso_points()
    assert X.shape == (400, 2)
    assert y.shape == (400,)
    assert X.min() >= 0
    assert X.max() <= 1
    assert set(y.tolist()) == {1, 2, 3, 4, 5}


def test_points_depend_on_the_seed_only():
    first, second, other = (cardoso_points(50, rng) for rng in (4, 4, 5))
    np.testing.assert_array_equal(first[0], second[0])
    np.testing.assert_array_equal(first[1], second[1])
    assert not np.array_equal(first[0], other[0])


def test_none_is_fresh_entropy():
    assert not np.array_equal(cardoso_points(5, None)[0], cardoso_points(5, None)[0])


def test_each_call_advances_the_generator():
    rng = np.random.default_rng(0)
    assert not np.array_equal(cardoso_points(5, rng)[0], cardoso_points(5, rng)[0])


def test_classes_follow_the_saddle_but_for_noise():
    """Four standard deviations away from every bound, the class is that of the noiseless height."""
    X, y = cardoso_points(20_000, rng=2)
    height = 10 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)
    bounds = np.array([-2.0, -0.5, 0.25, 1.0])
    certain = np.abs(height[:, None] - bounds).min(axis=1) > 4.5 * 0.125
    assert set(y[certain].tolist()) == {2, 5}
    expected = 1 + (height[:, None] > bounds).sum(axis=1)
    np.testing.assert_array_equal(y[certain], expected[certain])


def test_noise_has_the_stated_size():
    """At height h next to a bound b, P(y beyond b) = Phi((h - b)/0.125): 84.1 % one sd above."""
    X, y = cardoso_points(400_000, rng=3)
    height = 10 * (X[:, 0] - 0.5) * (X[:, 1] - 0.5)
    near = np.abs(height - (0.25 + 0.125)) < 0.01
    assert np.mean(y[near] > 3) == pytest.approx(0.8413, abs=0.015)


def test_no_points():
    with pytest.raises(InputError, match="n is 0"):
        cardoso_points(0)
