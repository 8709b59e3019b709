"""Data replication: the replicas themselves, parallel boundaries, s and h."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ordeval.errors import InputError
from ordeval.learners import DataReplicationClassifier, onn, osvm
from ordeval.learners.data_replication import extend
from ordeval.learners.synthetic import cardoso_points

DIRECTION = np.array([0.6, 0.8])


@pytest.fixture
def strips():
    """Four classes in strips across DIRECTION, at 0..1, 2..3, 4..5 and 6..7 along it."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(4), 25)
    along = 2 * y + rng.random(100)
    across = rng.normal(size=100)
    return along[:, None] * DIRECTION + across[:, None] * [-0.8, 0.6], y


def test_extra_features_name_the_boundary():
    X = np.array([[7.0], [8.0]])
    assert extend(X, 0, 3, h=5.0).tolist() == [[7, 0, 0], [8, 0, 0]]
    assert extend(X, 1, 3, h=5.0).tolist() == [[7, 5, 0], [8, 5, 0]]
    assert extend(X, 2, 3, h=5.0).tolist() == [[7, 0, 5], [8, 0, 5]]


def test_boundaries_are_parallel_and_lie_in_the_gaps(strips):
    X, y = strips
    h = 20.0
    svm = DataReplicationClassifier(SVC(kernel="linear", C=1e3), h=h).fit(X, y).estimator_
    w, extra = svm.coef_[0, :2], svm.coef_[0, 2:]
    length = np.linalg.norm(w)
    np.testing.assert_allclose(w / length, DIRECTION, atol=0.1)
    offsets = -(svm.intercept_[0] + h * np.array([0.0, *extra])) / length
    np.testing.assert_allclose(offsets, [1.5, 3.5, 5.5], atol=0.25)


def test_strips_are_classified_without_error(strips):
    X, y = strips
    model = DataReplicationClassifier(SVC(kernel="linear", C=1e3), h=20.0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    centres = np.array([0.5, 2.5, 4.5, 6.5])[:, None] * DIRECTION
    assert model.predict(centres).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(("s", "copies"), [(1, 150), (2, 250), (3, 300), (None, 300), (9, 300)])
def test_s_limits_the_classes_on_either_side(strips, s, copies):
    X, y = strips
    model = DataReplicationClassifier(KNeighborsClassifier(), s=s).fit(X, y)
    assert model.estimator_.n_samples_fit_ == copies


def test_a_small_h_holds_the_boundaries_together(strips):
    X, y = strips
    base = SVC(kernel="linear", C=0.01)
    near = DataReplicationClassifier(base, h=0.01).fit(X, y)
    far = DataReplicationClassifier(base, h=20.0).fit(X, y)
    assert set(near.predict(X)) < {0, 1, 2, 3}
    assert far.score(X, y) > near.score(X, y)


def test_sparse_features_give_the_same_answer(strips):
    X, y = strips
    model = DataReplicationClassifier(LogisticRegression())
    dense = model.fit(X, y).predict_proba(X)
    thin = model.fit(sparse.csr_array(X), y).predict_proba(sparse.csr_array(X))
    np.testing.assert_allclose(thin, dense, atol=1e-4)


def test_weights_follow_their_copies(strips):
    X, y = strips
    weight = np.arange(len(y)) % 2
    model = DataReplicationClassifier(LogisticRegression(tol=1e-10), s=1)
    weighted = model.fit(X, y, sample_weight=weight).predict_proba(X)
    halved = model.fit(X[weight == 1], y[weight == 1]).predict_proba(X)
    np.testing.assert_allclose(weighted, halved, atol=1e-5)


@pytest.mark.parametrize("s", [0, 1.5, True, "2"])
def test_bad_s(strips, s):
    with pytest.raises(InputError, match=r"^s is .*an integer of at least 1.*None for all"):
        DataReplicationClassifier(LogisticRegression(), s=s).fit(*strips)


@pytest.mark.parametrize("h", [0, -1.0, float("nan"), float("inf"), "1"])
def test_bad_h(strips, h):
    with pytest.raises(InputError, match=r"^h is .*a finite number above 0"):
        DataReplicationClassifier(LogisticRegression(), h=h).fit(*strips)


def test_osvm_with_products_learns_the_saddle():
    X, y = cardoso_points(300)
    fresh, gold = cardoso_points(300, rng=1)
    assert osvm(C=10.0, h=10.0, degree=2).fit(X, y).score(fresh, gold) > 0.8
    assert osvm(C=10.0, h=10.0).fit(X, y).score(fresh, gold) < 0.6


def test_onn_without_a_seed_differs():
    first, second = (onn(rng=None)["model"].base.random_state for _ in range(2))
    assert first != second


def test_onn_learns_the_saddle_and_repeats_itself():
    X, y = cardoso_points(300)
    fresh, gold = cardoso_points(300, rng=1)
    first = onn(hidden=8, rng=5).fit(X, y).predict(fresh)
    again = onn(hidden=8, rng=5).fit(X, y).predict(fresh)
    assert np.mean(first == gold) > 0.75
    np.testing.assert_array_equal(first, again)
