"""Data replication with the two base learners of its authors, ready to fit."""

from typing import Any

import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

from .boundaries import BY_BOUNDARIES
from .data_replication import DataReplicationClassifier


def osvm(
    C: float = 1.0,
    s: int | None = None,
    h: float = 1.0,
    degree: int = 1,
    labels: Any = None,
) -> Pipeline:
    """oSVM: data replication over a linear support vector machine, features standardised.

    Parameters
    ----------
    C : penalty of the support vector machine; `model__base__C` in a grid search.
    s, h, labels : see `DataReplicationClassifier`; `model__s` and `model__h` in a grid search.
    degree : 2 and more let the boundaries curve, by products of up to so many features; they
        stay parallel in the space of these products, and so never cross.
    """
    model = DataReplicationClassifier(SVC(kernel="linear", C=C), s=s, h=h, labels=labels)
    return _scaled(model, degree)


def onn(
    hidden: int | tuple[int, ...] = 5,
    alpha: float = 1e-3,
    s: int | None = None,
    h: float = 1.0,
    labels: Any = None,
    rng: int | np.random.Generator = 0,
    max_iter: int = 2000,
) -> Pipeline:
    """oNN: data replication over a neural network, features standardised.

    The network is scikit-learn's and sees the extra features in its first layer, so that the
    boundaries need not be parallel and may cross. The class is found by counting boundaries.

    Parameters
    ----------
    hidden : units of the hidden layer, or of each; `model__base__hidden_layer_sizes` in a grid.
    alpha : squared penalty of the weights; `model__base__alpha` in a grid search.
    s, h, labels : see `DataReplicationClassifier`.
    rng : seed or generator of the starting weights.
    max_iter : most steps of the optimiser (L-BFGS).
    """
    network = MLPClassifier(
        hidden_layer_sizes=hidden,
        alpha=alpha,
        solver="lbfgs",
        max_iter=max_iter,
        random_state=int(np.random.default_rng(rng).integers(2**31)),
    )
    model = DataReplicationClassifier(network, s=s, h=h, labels=labels, decide=BY_BOUNDARIES)
    return _scaled(model, degree=1)


def _scaled(model: DataReplicationClassifier, degree: int) -> Pipeline:
    """Scaling (and products of features) before replication, so that `h` keeps its size."""
    steps: list[tuple[str, Any]] = [("scale", StandardScaler())]
    if degree > 1:
        steps.append(("products", PolynomialFeatures(degree, include_bias=False)))
    return Pipeline([*steps, ("model", model)])
