"""Both learners pass scikit-learn's checks for estimators."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import ordeval
from ordeval.learners import DataReplicationClassifier, FrankHallClassifier, onn, osvm


@parametrize_with_checks(
    [
        FrankHallClassifier(LogisticRegression()),
        FrankHallClassifier(SVC(kernel="linear")),
        DataReplicationClassifier(LogisticRegression()),
        DataReplicationClassifier(SVC(kernel="linear"), s=1, h=10.0),
    ]
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("learner", [FrankHallClassifier, DataReplicationClassifier])
def test_grid_search_over_the_base(learner):
    rng = np.random.default_rng(0)
    X = rng.random((90, 2))
    y = np.digitize(X[:, 0], [0.33, 0.66])
    search = GridSearchCV(learner(LogisticRegression()), {"base__C": [1e-3, 100.0]}, cv=3)
    assert search.fit(X, y).best_params_ == {"base__C": 100.0}
    assert search.best_score_ > 0.9


@pytest.mark.parametrize("learner", [FrankHallClassifier, DataReplicationClassifier])
def test_clone_keeps_parameters_and_forgets_the_fit(learner):
    model = learner(SVC(C=7.0), labels=["b", "a"], decide="boundaries").fit([[0], [1]], ["b", "a"])
    twin = clone(model)
    assert twin.base.C == 7.0
    assert twin.labels == ["b", "a"]
    assert twin.decide == "boundaries"
    assert not hasattr(twin, "classes_")


@pytest.mark.parametrize("learner", [FrankHallClassifier, DataReplicationClassifier])
def test_probabilities_only_where_the_base_has_them(learner):
    assert hasattr(learner(LogisticRegression()), "predict_proba")
    assert not hasattr(learner(SVC()), "predict_proba")


def test_ready_made_pipelines_are_tunable():
    svm = osvm().set_params(model__base__C=3.0, model__s=2, model__h=5.0)
    assert (svm["model"].base.C, svm["model"].s, svm["model"].h) == (3.0, 2, 5.0)
    net = onn(hidden=4).set_params(model__base__alpha=0.1)
    assert (net["model"].base.hidden_layer_sizes, net["model"].base.alpha) == (4, 0.1)


def test_import_without_scikit_learn_names_what_to_install():
    code = "import sys; sys.modules['sklearn'] = None; import ordeval.learners"
    source = str(Path(next(iter(ordeval.__path__))).parent)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": source},
        check=False,
    )
    assert done.returncode != 0
    assert "ImportError: ordeval.learners needs scikit-learn" in done.stderr
    assert "pip install scikit-learn" in done.stderr
