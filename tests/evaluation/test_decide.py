"""Decisions from probabilities: brute force over all decisions for few items; estimators."""

from itertools import product

import numpy as np
import pytest

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.evaluation.decide import _score, best_classes
from ordeval.measures.spec import parse_measure


@pytest.mark.parametrize("name", ["accuracy", "mae", "mse", "macro_mae", "cem", "qwk", "lwk"])
def test_no_decision_is_better_in_expectation(name):
    rng, scale, measure = np.random.default_rng(0), Scale.of(range(3)), parse_measure(name)
    for _ in range(10):
        rows = rng.dirichlet(np.full(3, 0.5), size=5)
        every = product(range(3), repeat=5)
        best = max(_score(rows, np.array(classes), measure, scale) for classes in every)
        found = _score(rows, best_classes(rows, measure, scale), measure, scale)
        assert found == pytest.approx(best)


def test_rules():
    rows = [[0.4, 0.1, 0.5], [0.6, 0.0, 0.4]]
    assert oe.decide(rows, "argmax").tolist() == [3, 1]
    assert oe.decide(rows, "median").tolist() == [2, 1]
    assert oe.decide(rows, "mean", labels=["a", "b", "c"]).tolist() == ["b", "b"]


def test_exchange_is_no_worse_than_the_rules():
    rows, scale = np.random.default_rng(1).dirichlet(np.ones(4), size=50), Scale.of(range(4))
    measure = parse_measure("macro_f1")
    found = _score(rows, best_classes(rows, measure, scale), measure, scale)
    assert found >= _score(rows, rows.argmax(axis=1), measure, scale)


def test_rows_that_are_no_probabilities_are_refused():
    with pytest.raises(oe.InputError):
        oe.decide([[0.5, 0.1]], "mae")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("kind", ["CutpointClassifier", "DecisionClassifier"])
def test_scikit_learn_accepts_the_estimators(kind):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(getattr(oe, kind)())
