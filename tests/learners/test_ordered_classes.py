"""The order of the classes: declared, carried by the data, or sorted; classes that are absent."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ordeval.errors import InputError
from ordeval.learners import DataReplicationClassifier, FrankHallClassifier

NAMES = ["low", "mid", "high"]
LEARNERS = [FrankHallClassifier, DataReplicationClassifier]
pytestmark = pytest.mark.parametrize("learner", LEARNERS)


@pytest.fixture
def steps():
    """90 items whose class 0, 1, 2 rises with the first of two features, with some noise."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(90, 2))
    return X, np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])


def test_declared_strings_equal_numbers(learner, steps):
    X, y = steps
    numbers = learner(LogisticRegression()).fit(X, y)
    strings = learner(LogisticRegression(), labels=NAMES).fit(X, np.take(NAMES, y))
    assert strings.classes_.tolist() == NAMES
    np.testing.assert_array_equal(strings.predict(X), np.take(NAMES, numbers.predict(X)))
    np.testing.assert_array_equal(strings.predict_proba(X), numbers.predict_proba(X))


def test_undeclared_strings_are_sorted(learner, steps):
    X, y = steps
    model = learner(LogisticRegression()).fit(X, np.take(NAMES, y))
    assert model.classes_.tolist() == ["high", "low", "mid"]


@pytest.mark.parametrize(
    "ordered",
    [
        lambda names: pd.Series(pd.Categorical(names, NAMES, ordered=True)),
        lambda names: pd.Categorical(names, NAMES, ordered=True),
        lambda names: pl.Series(names, dtype=pl.Enum(NAMES)),
    ],
    ids=["pandas-series", "pandas-categorical", "polars-enum"],
)
def test_an_ordered_type_is_honoured(learner, steps, ordered):
    X, y = steps
    model = learner(LogisticRegression()).fit(X, ordered([NAMES[i] for i in y]))
    assert model.classes_.tolist() == NAMES
    assert model.score(X, np.take(NAMES, y)) > 0.8


def test_half_points_can_be_declared(learner, steps):
    X, y = steps
    model = learner(LogisticRegression(), labels=[1, 1.5, 2]).fit(X, 1 + y / 2)
    assert set(model.predict(X)) == {1.0, 1.5, 2.0}


def test_labels_of_mixed_type_keep_it(learner, steps):
    X, y = steps
    mixed = np.array([0, 1, "many"], dtype=object)
    model = learner(LogisticRegression(), labels=[0, 1, "many"]).fit(X, mixed[y])
    assert set(model.predict(X).tolist()) == {0, 1, "many"}


@pytest.mark.parametrize("base", [LogisticRegression(), SVC(), KNeighborsClassifier()])
def test_two_classes_equal_the_base(learner, steps, base):
    X, y = steps[0], steps[1] > 0
    model = learner(base).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), base.fit(X, y).predict(X))
    if hasattr(base, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(X), base.predict_proba(X), atol=1e-12)


def test_probabilities_are_shares(learner, steps):
    X, y = steps
    shares = learner(KNeighborsClassifier()).fit(X, y).predict_proba(X)
    assert shares.shape == (90, 3)
    assert shares.min() >= 0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@pytest.mark.parametrize("places", [(1, 2, 3), (0, 1, 2), (0, 2, 3)], ids=str)
def test_declared_classes_absent_from_training(learner, steps, places):
    """Absent classes have probability 0; the rest is as if they did not exist."""
    X, y = steps
    scale = ["a", "b", "c", "d"]
    labels = np.take(scale, np.take(places, y))
    model = learner(LogisticRegression(), labels=scale).fit(X, labels)
    plain = learner(LogisticRegression()).fit(X, y)
    expected = np.zeros((90, 4))
    expected[:, places] = plain.predict_proba(X)
    assert model.classes_.tolist() == scale
    np.testing.assert_array_equal(model.predict_proba(X), expected)
    np.testing.assert_array_equal(
        model.predict(X), np.take(scale, np.take(places, plain.predict(X)))
    )


@pytest.mark.parametrize("base", [LogisticRegression(), SVC()])
def test_one_class_seen_of_a_declared_scale(learner, base):
    model = learner(base, labels=NAMES).fit([[0.0], [1.0]], ["mid", "mid"])
    assert model.predict([[5.0], [6.0], [7.0]]).tolist() == ["mid"] * 3
    if hasattr(base, "predict_proba"):
        assert model.predict_proba([[5.0]]).tolist() == [[0.0, 1.0, 0.0]]


def test_one_class_without_a_declared_scale(learner):
    with pytest.raises(InputError, match=r"y holds 1 class \('mid'\).*labels="):
        learner(LogisticRegression()).fit([[0.0], [1.0]], ["mid", "mid"])


def test_undeclared_class_in_y(learner):
    with pytest.raises(InputError, match=r"2 of 4 items .* 'huge'\. The scale is low < mid < high"):
        learner(LogisticRegression(), labels=NAMES).fit(
            [[0.0], [1.0], [2.0], [3.0]], ["low", "high", "huge", "huge"]
        )


def test_repeated_label(learner):
    with pytest.raises(InputError, match="more than once"):
        learner(LogisticRegression(), labels=["a", "a"]).fit([[0.0], [1.0]], ["a", "a"])


def test_missing_label(learner):
    with pytest.raises(ValueError, match="y contains NaN"):
        learner(LogisticRegression(), labels=[1, 2]).fit([[0.0], [1.0]], [1.0, np.nan])


@pytest.mark.parametrize("base", [None, LogisticRegression, LinearRegression(), "svm"])
def test_bad_base(learner, base):
    with pytest.raises(InputError, match=r"^base is .*LogisticRegression\(\)"):
        learner(base).fit([[0.0], [1.0]], [0, 1])


def test_bad_decide(learner):
    with pytest.raises(InputError, match=r"^decide is 'mode', but one of 'most-probable'"):
        learner(LogisticRegression(), decide="mode").fit([[0.0], [1.0]], [0, 1])


def test_weights_for_a_base_that_takes_none(learner):
    with pytest.raises(InputError, match="KNeighborsClassifier takes no sample_weight"):
        learner(KNeighborsClassifier()).fit([[0.0], [1.0]], [0, 1], sample_weight=[1, 2])
