"""The ordinal classifiers of Cardoso & Sousa (2011) and their synthetic data set.

The classifiers reduce K ordered classes to the boundaries between adjacent ones, learn with a
binary scikit-learn classifier on which side of each boundary an item lies, and predict by counting
the boundaries that it lies beyond. This module needs scikit-learn.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

from .internals import Array, Floats, Ints

INNER_BOUNDS = (-2.0, -0.5, 0.25, 1.0)
NOISE = 0.125
Labels = Sequence[Any]


class _BoundaryClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that counts boundaries between those of its `labels` that it saw in training."""

    labels: Labels

    def fit(self, x: Any, y: Any) -> Self:
        """Learn the boundaries."""
        self.classes_ = np.array(self.labels)
        code = {label: i for i, label in enumerate(self.classes_.tolist())}
        self.seen_, ranks = np.unique(
            [code[c] for c in np.asarray(y).tolist()], return_inverse=True
        )
        if len(self.seen_) > 1:
            self._fit_boundaries(np.asarray(x, dtype=np.float64), ranks)
        return self

    def predict(self, x: Any) -> Array:
        """Predict classes."""
        if len(self.seen_) == 1:
            return np.repeat(self.classes_[self.seen_], len(x))
        beyond = self._beyond(np.asarray(x, dtype=np.float64))
        found: Array = self.classes_[self.seen_[np.sum(beyond, axis=0)]]
        return found

    def _fit_boundaries(self, x: Floats, ranks: Array) -> None:
        """Learn S-1 boundaries from ranks 0..S-1 among the classes seen."""
        raise NotImplementedError

    def _beyond(self, x: Floats) -> list[Array]:
        """Return, for each boundary, which items lie beyond it."""
        raise NotImplementedError


class FrankHallClassifier(_BoundaryClassifier):
    """Frank & Hall (2001): an independent binary classifier for each boundary."""

    def __init__(self, base: Any, labels: Labels) -> None:
        self.base = base
        self.labels = labels

    def _fit_boundaries(self, x: Floats, ranks: Array) -> None:
        boundaries = range(len(self.seen_) - 1)
        self.estimators_ = [clone(self.base).fit(x, (ranks > k).astype(int)) for k in boundaries]

    def _beyond(self, x: Floats) -> list[Array]:
        return [model.predict(x) == 1 for model in self.estimators_]


class DataReplicationClassifier(_BoundaryClassifier):
    """Cardoso & Pinto da Costa (2007): one binary classifier for all boundaries.

    Every item is copied for each boundary that has its class among the `s` nearest on either side
    (None: all). The copies get features of size `h` that identify the boundary, so that a linear
    base learns parallel boundaries. Scale the features before, not in the base.
    """

    def __init__(self, base: Any, labels: Labels, s: int | None = None, h: float = 1.0) -> None:
        self.base = base
        self.labels = labels
        self.s = s
        self.h = h

    def _fit_boundaries(self, x: Floats, ranks: Array) -> None:
        boundaries = len(self.seen_) - 1
        reach = self.s or boundaries
        rows = [
            np.flatnonzero((ranks > k - reach) & (ranks <= k + reach)) for k in range(boundaries)
        ]
        copies = [extended(x[at], k, boundaries, self.h) for k, at in enumerate(rows)]
        beyond = np.concatenate([ranks[at] > k for k, at in enumerate(rows)]).astype(int)
        self.estimator_ = clone(self.base).fit(np.vstack(copies), beyond)

    def _beyond(self, x: Floats) -> list[Array]:
        boundaries = len(self.seen_) - 1
        copies = (extended(x, k, boundaries, self.h) for k in range(boundaries))
        return [self.estimator_.predict(copy) == 1 for copy in copies]


def extended(x: Floats, k: int, boundaries: int, h: float) -> Floats:
    """Return x with the features of boundary k: zeros, with h in place k - 1 if k > 0."""
    extra = np.zeros((len(x), boundaries - 1))
    if k > 0:
        extra[:, k - 1] = h
    return np.hstack([x, extra])


def osvm(labels: Labels, degree: int = 1) -> Pipeline:
    """Return oSVM: data replication over a linear SVM; with a degree, also products of features."""
    return _scaled(DataReplicationClassifier(SVC(kernel="linear"), labels), degree)


def onn(labels: Labels, max_iter: int = 2000, hidden: int = 5, seed: int = 0) -> Pipeline:
    """Return oNN: data replication over a neural network, whose boundaries may cross."""
    network = MLPClassifier(
        hidden_layer_sizes=hidden,
        alpha=1e-3,
        solver="lbfgs",
        max_iter=max_iter,
        random_state=int(np.random.default_rng(seed).integers(2**31)),
    )
    return _scaled(DataReplicationClassifier(network, labels), degree=1)


def _scaled(model: DataReplicationClassifier, degree: int) -> Pipeline:
    """Scale features, and add their products, before the replication, so that h is not scaled."""
    steps: list[tuple[str, Any]] = [("scale", StandardScaler())]
    if degree > 1:
        steps.append(("products", PolynomialFeatures(degree, include_bias=False)))
    return Pipeline([*steps, ("model", model)])


def cardoso_points(n: int, seed: int = 0) -> tuple[Floats, Ints]:
    """Draw points of the unit square and their classes 1 to 5 (section 4.3).

    The class is the interval between `INNER_BOUNDS` that holds 10 (x1 - 1/2)(x2 - 1/2) plus
    Normal(0, `NOISE`) noise: a saddle, whose upper classes lie in two opposite corners.
    """
    draw = np.random.default_rng(seed)
    x = draw.random((n, 2))
    height = 10 * np.prod(x - 0.5, axis=1) + draw.normal(0.0, NOISE, n)
    return x, np.searchsorted(INNER_BOUNDS, height).astype(np.int64) + 1
