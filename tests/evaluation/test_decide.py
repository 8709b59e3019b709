"""Decisions from probabilities: brute force over all decisions for few items; estimators."""

from itertools import product

import numpy as np
import pytest

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.evaluation.decide import _score, best_classes, costs_of_decisions
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


def test_of_equally_good_decisions_the_likelier_class_is_taken():
    assert oe.decide([[0.2, 0.8]], "qwk").tolist() == [2]
    assert oe.decide([[0.1, 0.2, 0.7]] * 3, "cohen_kappa").tolist() == [3, 3, 3]


def test_rows_that_are_no_probabilities_are_refused():
    with pytest.raises(oe.InputError):
        oe.decide([[0.5, 0.1]], "mae")
    with pytest.raises(oe.InputError, match="no items"):
        oe.decide(np.empty((0, 3)), "mae")


@pytest.mark.parametrize("name", ["qwk", "macro_mae", "cem", "macro_f1"])
def test_costs_decide_items_one_by_one_as_all_together(name):
    rows, scale = np.random.default_rng(2).dirichlet(np.full(4, 0.5), size=200), Scale.of(range(4))
    measure = parse_measure(name)
    one_by_one = (rows @ costs_of_decisions(rows, measure)).argmin(axis=1)
    together = best_classes(rows, measure, scale)
    best = _score(rows, together, measure, scale)
    assert _score(rows, one_by_one, measure, scale) == pytest.approx(best, abs=1e-3)


@pytest.mark.parametrize("name", ["qwk", "macro_mae", "cem", "macro_f1", "mae", "mean"])
def test_a_prediction_does_not_depend_on_the_others(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = np.clip(np.round(X[:, 0] + rng.normal(size=120) + 2), 0, 4).astype(int)
    model = oe.DecisionClassifier(measure=name, labels=range(6)).fit(X, y)
    together = model.predict(X)
    assert [model.predict(x[None])[0] for x in X] == together.tolist()
    assert oe.score(y, together, "qwk", labels=range(6)) > 0.4


def test_rare_classes_are_no_obstacle():
    X, y = np.arange(12.0)[:, None], ["a"] * 8 + ["b"] * 3 + ["c"]
    assert set(oe.DecisionClassifier(measure="qwk").fit(X, y).predict(X)) <= set(y)
    few = oe.DecisionClassifier(measure="qwk").fit(X[:3], ["a", "b", "c"])
    assert len(few.predict(X)) == 12


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    "model",
    [oe.CutpointClassifier(), oe.DecisionClassifier(), oe.DecisionClassifier(measure="qwk")],
    ids=str,
)
def test_scikit_learn_accepts_the_estimators(model):
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(model)


@pytest.mark.parametrize("labels", [list("abcde"), [1, 2, 3, 4, 5], [-2, -1, 0, 1, 2]])
def test_a_class_of_a_measure_is_a_label(labels):
    rng = np.random.default_rng(0)
    rows, truth = rng.dirichlet(np.ones(5), 60), rng.integers(0, 5, 60)
    score, gold = truth + rng.normal(0, 1, 60), np.array(labels)[truth]
    measure = f"f1_binary(positive={labels[3]})"
    decided = oe.decide(rows, measure, labels=labels)
    assert decided.tolist() == np.array(labels)[oe.decide(rows, _THIRD, labels=range(5))].tolist()
    cuts = oe.cutpoints(gold, score, measure, labels=labels, draws=0)
    assert cuts.cuts == oe.cutpoints(truth, score, _THIRD, labels=range(5), draws=0).cuts
    assert cuts.measure.key == oe.measure(measure).key
    for kind in (oe.DecisionClassifier, oe.CutpointClassifier):
        found = kind(measure=measure, labels=labels).fit(score[:, None], gold)
        plain = kind(measure=_THIRD, labels=range(5)).fit(score[:, None], truth)
        expected = np.array(labels)[plain.predict(score[:, None])]
        assert found.predict(score[:, None]).tolist() == expected.tolist()


_THIRD = "f1_binary(positive=3)"


def test_axioms_of_a_named_class_are_refused():
    with pytest.raises(oe.InputError, match="names classes"):
        oe.meta.axioms(_THIRD)


def test_meta_evaluation_takes_a_label():
    systems = {"a": [5, 6, 9, 9] * 6, "b": [5, 9, 9, 5] * 6}
    counts = oe.Counts.from_labels([5, 6, 9, 9] * 6, systems, topic=list("uuvvww") * 4)
    scores = oe.meta.ScoreMatrices.from_counts(counts, "f1_binary(positive=9), mae")
    assert scores.measures == ("f1_binary(positive=9)", "mae")
