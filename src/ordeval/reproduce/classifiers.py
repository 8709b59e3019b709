"""The classifiers that the protocols train. This module needs scikit-learn, which is optional."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, KFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

from ..counts import Counts
from ..learners import FrankHallClassifier, onn, osvm
from ..learners.synthetic import cardoso_points
from ..measures.scoring import scorer
from ..types import Floats
from .datasets import Tabular

CHOSEN_BY = "oc(beta=0.75)"
FOLDS = 5
PENALTIES = [2.0**e for e in range(-5, 6, 2)]


class TunedClassifier(NamedTuple):
    """A classifier with the grid of parameters to choose from."""

    model: Any
    grid: Mapping[str, Sequence[Any]]


def synthetic_data(n: int, seed: int) -> Tabular:
    """Draw n points of the synthetic data set of Cardoso & Sousa."""
    return Tabular(*cardoso_points(n, rng=seed), labels=(1, 2, 3, 4, 5))


def linear_methods(labels: Sequence[Any]) -> dict[str, TunedClassifier]:
    """Return the methods of Cardoso & Sousa, Table 6: linear support vector machines."""
    svm = make_pipeline(StandardScaler(), SVC(kernel="linear"))
    grid: dict[str, list[Any]] = {"model__base__C": PENALTIES, "model__s": [1, None]}
    return {
        "oSVM": TunedClassifier(osvm(labels=list(labels)), grid),
        "Frank and Hall": _frank_hall(labels),
        "Conventional": TunedClassifier(svm, {"svc__C": PENALTIES}),
    }


def curved_methods(labels: Sequence[Any]) -> dict[str, TunedClassifier]:
    """Return the methods of Table 5; support vector machines get squares and products."""
    products = PolynomialFeatures(2, include_bias=False)
    return {
        "oSVM": TunedClassifier(osvm(degree=2, labels=list(labels)), {"model__base__C": PENALTIES}),
        "oNN": TunedClassifier(
            onn(labels=list(labels), max_iter=300), {"model__base__alpha": [1e-3, 1e-1]}
        ),
        "Frank and Hall": _frank_hall(labels, products),
    }


def _frank_hall(labels: Sequence[Any], *features: Any) -> TunedClassifier:
    model = FrankHallClassifier(SVC(kernel="linear"), labels=list(labels))
    steps = make_pipeline(StandardScaler(), *features, model)
    return TunedClassifier(steps, {"frankhallclassifier__base__C": PENALTIES})


def one_repeat(data: Tabular, methods: Mapping[str, TunedClassifier], seed: Any) -> Floats:
    """Run Algorithm 1 once: train on 40 %, with parameters chosen by OC, and test on 60 %.

    Returns confusion tables `[methods, K, K]` of the test part.
    """
    state = np.random.RandomState(np.random.MT19937(seed))
    x, x_test, y, y_test = train_test_split(data.x, data.y, train_size=0.4, random_state=state)
    folds = KFold(FOLDS, shuffle=True, random_state=state)
    guesses = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networks stop early, folds may lack a class
        for method in methods.values():
            score = scorer(CHOSEN_BY, labels=list(data.labels))
            search = GridSearchCV(method.model, dict(method.grid), scoring=score, cv=folds)
            guesses.append(search.fit(x, y).predict(x_test))
    return _tables(data, y_test, guesses)


def one_split(data: Tabular, width: float, seed: Any) -> Floats:
    """Train on 70 % and return confusion tables `[classifiers, K, K]` of the rest.

    The classifiers are kNN, SVM and random forest, then kNN and SVM with the library's settings.
    `width` is γ of the Gaussian kernel. The printed SVM assigns class 4 to the isolated items at
    the top of ESL, as a narrow kernel does far from all training items; the default never does.
    """
    number = int(np.random.default_rng(seed).integers(2**31))
    x, x_test, y, y_test = train_test_split(data.x, data.y, train_size=0.7, random_state=number)
    models = (
        make_pipeline(StandardScaler(), KNeighborsClassifier(weights="distance")),
        make_pipeline(StandardScaler(), SVC(gamma=width)),
        RandomForestClassifier(random_state=number),
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        make_pipeline(StandardScaler(), SVC()),
    )
    return _tables(data, y_test, [model.fit(x, y).predict(x_test) for model in models])


def _tables(data: Tabular, gold: Any, guesses: Sequence[Any]) -> Floats:
    labels = list(data.labels)
    return np.stack([Counts.from_labels(gold, g, labels=labels).table for g in guesses])
