"""Frank & Hall against an explicit loop, and its two decision rules."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from ordeval.learners import FrankHallClassifier


@pytest.fixture
def noisy():
    """200 items with two features and five overlapping classes 1..5."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    return X, 1 + np.digitize(X @ [2.0, 1.0] + rng.normal(size=200), [-2, -0.5, 0.5, 2])


def test_agrees_with_a_loop_of_logistic_regressions(noisy):
    X, y = noisy
    upper = [LogisticRegression().fit(X, y > k).predict_proba(X)[:, 1] for k in (1, 2, 3, 4)]
    by_hand = np.empty((len(X), 5))
    for i in range(len(X)):
        p = [1.0] + [u[i] for u in upper] + [0.0]
        row = [max(p[k] - p[k + 1], 0.0) for k in range(5)]
        by_hand[i] = [share / sum(row) for share in row]
    model = FrankHallClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), by_hand, rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), 1 + by_hand.argmax(axis=1))


def test_without_probabilities_the_votes_are_counted(noisy):
    X, y = noisy
    votes = sum((SVC(kernel="linear").fit(X, y > k).predict(X)).astype(int) for k in (1, 2, 3, 4))
    model = FrankHallClassifier(SVC(kernel="linear")).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), 1 + votes)


def test_deciding_by_boundaries_is_the_median_class(noisy):
    X, y = noisy
    model = FrankHallClassifier(LogisticRegression(), decide="boundaries").fit(X, y)
    beyond = np.column_stack([e.predict_proba(X)[:, 1] > 0.5 for e in model.estimators_])
    np.testing.assert_array_equal(model.predict(X), 1 + beyond.sum(axis=1))
    most_probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert np.any(model.predict(X) != most_probable)


def test_sample_weight_counts_as_copies(noisy):
    X, y = noisy
    weight = np.arange(len(y)) % 3
    weighted = FrankHallClassifier(LogisticRegression(tol=1e-10)).fit(X, y, sample_weight=weight)
    copied = FrankHallClassifier(LogisticRegression(tol=1e-10)).fit(
        np.repeat(X, weight, axis=0), np.repeat(y, weight)
    )
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-5)


def test_features_are_left_to_the_base():
    texts = ["awful", "awful bad", "fair", "fair enough", "great", "great fun"]
    stars = [1, 1, 2, 2, 3, 3]
    model = FrankHallClassifier(make_pipeline(CountVectorizer(), MultinomialNB()))
    assert model.fit(texts, stars).predict(["awful", "great"]).tolist() == [1, 3]
