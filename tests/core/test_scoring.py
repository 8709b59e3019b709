"""Scores from labels, per class, over topics, and as a scikit-learn scorer."""

import pickle
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
import ordeval as oe
from ordeval.measures import batches
from ordeval.measures.batches import score_tables
from ordeval.measures.score import ScoringStopped
from ordeval.measures.scoring import read_measures, scored, unscored

SIZES = ["low", "mid", "high"]
ARRAY = np.ndarray[Any, Any]


def words(n: int = 90) -> tuple[ARRAY, ARRAY]:
    """One feature and labels, sorted so that unshuffled folds lack classes."""
    rng = np.random.default_rng(0)
    codes = np.sort(rng.integers(3, size=n))
    X = codes[:, None] + rng.normal(scale=0.7, size=(n, 1))
    return X, np.asarray(SIZES)[codes]


def test_a_measure_is_called_like_score() -> None:
    gold, pred = [1, 2, 3, 3], [1, 2, 2, 3]
    options: dict[str, Any] = {
        "labels": [1, 2, 3],
        "values": [0, 1, 5],
        "weight": [1, 2, 3, 4],
    }
    assert oe.measure("mae")(gold, pred, **options) == pytest.approx(3 * 4 / 10)
    assert oe.score(gold, pred, "mae", **options) == pytest.approx(3 * 4 / 10)
    assert isinstance(oe.score(gold, pred, "cem"), float)


def test_measures_can_be_given_in_many_ways() -> None:
    kappa = oe.measure("kappa")
    assert read_measures(kappa) == (kappa,)
    assert read_measures("kappa, cem") == read_measures(["kappa", oe.measure("cem")])
    assert read_measures("kappa, lwk") == (kappa,)
    assert len(read_measures(None)) == len(oe.measures(batched=True))
    with pytest.raises(oe.InputError, match="No measure is named"):
        read_measures("")


def test_tables_without_names_are_scored_by_the_measure() -> None:
    counts = oe.Counts.from_table(np.ones((4, 2, 2)))
    assert oe.measure("accuracy").of(counts).tolist() == [0.5] * 4
    with pytest.raises(oe.InputError, match="what the leading axes are is not known"):
        oe.evaluate(counts)


def test_a_measure_smoothed_by_sizes_takes_counts_of_gold() -> None:
    by_measure = oe.measure("rae_smoothed")([50, 50], [0.2, 0.8])
    assert oe.score([50, 50], [0.2, 0.8], "rae_smoothed") == by_measure


def test_an_undefined_distance_is_nan_with_a_reason() -> None:
    gold, estimated = [1.0, 0.0], [0.2, 0.8]
    for score in (partial(oe.score, measures="kld"), oe.measure("kld")):
        with pytest.warns(oe.UndefinedWarning, match="gold is 0 where the estimate is") as found:
            assert np.isnan(score(gold, estimated))
        assert found[0].filename == __file__
    assert oe.score(gold, estimated, "kld", undefined=9) == 9
    assert oe.measure("kld")(gold, estimated, undefined=0) == 0


def test_classes_of_distributions_can_be_declared() -> None:
    values = {"low": 0, "mid": 1, "high": 5}
    assert oe.score([1, 0, 0], [0, 0, 1], "emd", labels=SIZES, values=values) == 5


def test_scores_of_systems() -> None:
    systems = {"good": [1, 2, 3], "bad": [3, 2, 1], "none": [2, 2, 2]}
    counts = oe.Counts.from_labels([1, 2, 3], systems)
    scores = scored(unscored(counts, "mae, spearman"), counts)
    assert scores.of("mae", "bad") == pytest.approx(4 / 3)
    assert scores.ranking("mae") == ["good", "none", "bad"]
    assert scores.ranking("spearman") == ["good", "bad", "none"]  # undefined comes last
    assert scores.undefined.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert scores.signature("mae").startswith("mae|K:3(inferred)|nan:0|ordeval:")
    assert scores.items == 3


def test_scores_do_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = np.random.default_rng(0).integers(0, 5, size=(4, 25, 3, 3)).astype(float)
    scale, chosen = oe.Scale.of([1, 2, 3]), read_measures(None)
    at_once = score_tables(chosen, tables, scale)
    monkeypatch.setattr(batches, "_CHUNK_NUMBERS", 50)
    np.testing.assert_array_equal(score_tables(chosen, tables, scale), at_once)


def test_per_class_figures() -> None:
    gold, pred = [1, 1, 1, 2, 2, 4], [1, 2, 4, 2, 2, 4]
    found = oe.per_class(gold, pred, labels=[1, 2, 3, 4])
    assert found.labels == (1, 2, 3, 4)
    assert found["support"].tolist() == [3, 2, 0, 1]
    assert found["predicted"].tolist() == [1, 3, 0, 2]
    np.testing.assert_allclose(found["precision"], [1, 2 / 3, np.nan, 1 / 2])
    np.testing.assert_allclose(found["recall"], [1 / 3, 1, np.nan, 1])
    np.testing.assert_allclose(found["f1"], [1 / 2, 4 / 5, np.nan, 2 / 3])
    np.testing.assert_allclose(found["mae"], [4 / 3, 0, np.nan, 0])
    codes = [[label - 1 for label in side] for side in (gold, pred)]
    for name, oracle in (
        ("ciq_precision", oracles.ciq_precision),
        ("ciq_recall", oracles.ciq_recall),
    ):
        expected = [oracle(*codes, 4, cls) for cls in range(4)]
        np.testing.assert_allclose(found[name], expected, rtol=1e-12)
    assert set(found.figures) == {
        *("support", "predicted", "precision", "recall", "f1", "mae"),
        *("ciq_precision", "ciq_recall"),
    }


def test_scorer_when_a_fold_lacks_a_class() -> None:
    X, y = words()
    cv = KFold(9)  # sorted labels: each fold to be scored holds one or two of three classes
    held_out = [set(y[test]) for _, test in cv.split(X)]
    assert all(len(classes) < 3 for classes in held_out)
    specs = ("cem", "macro_mae", "oc(beta=0.25)", "accuracy")
    scoring = {spec: oe.scorer(spec, labels=SIZES) for spec in specs}
    found = cross_validate(
        KNeighborsClassifier(3), X, y, scoring=scoring, cv=cv, error_score="raise"
    )
    for spec in specs:
        assert np.all(np.isfinite(found[f"test_{spec}"])), spec


def test_several_scorers_in_grid_search() -> None:
    X, y = words()
    frame = pd.DataFrame(X, columns=["x"], index=range(500, 500 + len(X)))
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KNeighborsClassifier()),
        {"kneighborsclassifier__n_neighbors": [3, 60]},
        scoring=oe.scorer(["qwk", "mae"], labels=SIZES),
        refit="qwk",
        cv=KFold(3, shuffle=True, random_state=0),
        error_score="raise",
    ).fit(frame, pd.Series(y, index=frame.index))
    assert {"mean_test_qwk", "mean_test_mae"} <= set(search.cv_results_)
    assert search.best_params_ == {"kneighborsclassifier__n_neighbors": 3}
    copy = pickle.loads(pickle.dumps(clone(search).fit(frame, y)))
    assert copy.score(frame, y) == oe.score(y, search.predict(frame), "qwk", labels=SIZES)


def test_several_scorers_have_the_names_asked_for() -> None:
    cem = oe.measure("cem")
    found = oe.scorer(["qwk", "kappa(weights='linear')", cem], labels=SIZES, undefined=0)
    assert list(found) == ["qwk", "kappa(weights='linear')", "cem"]
    assert found["qwk"].measure == oe.measure("kappa(weights='quadratic')")
    assert (
        repr(found["cem"]) == "ordeval.scorer('cem', labels=['low', 'mid', 'high'], undefined=0.0)"
    )
    assert list(oe.scorer("qwk, mae", labels=SIZES)) == ["qwk", "mae"]
    for wrong in ([], "", ["no_such"], ["emd"], ["fleiss"]):
        with pytest.raises(oe.InputError):
            oe.scorer(wrong, labels=SIZES)


def test_a_measure_makes_a_scorer_of_scikit_learn() -> None:
    X, y = words()
    numbers = [SIZES.index(label) for label in y]
    scorer = make_scorer(oe.measure("qwk"))
    model = KNeighborsClassifier().fit(X, numbers)
    assert scorer(model, X, numbers) == oe.score(numbers, model.predict(X), "qwk")
    assert "qwk" in repr(scorer)


def test_a_scorer_of_words_without_an_order_fails_at_once() -> None:
    X, y = words()
    with pytest.raises(ScoringStopped, match="labels"):
        cross_val_score(KNeighborsClassifier(), X, y, scoring=oe.scorer("mae"))


def test_a_scorer_of_numbers_without_bins_fails_at_once() -> None:
    X, y = words()
    numbers = [SIZES.index(label) for label in y]
    with pytest.raises(ScoringStopped, match="bins='round'"):
        cross_val_score(KNeighborsRegressor(), X, numbers, scoring=oe.scorer("mae"))


def test_a_number_off_the_scale_spoils_one_fold_alone() -> None:
    """Edges without outer limits, as the message shows them, take the number."""
    X, y = np.arange(9.0)[:, None], np.tile([1, 2, 3], 3)
    predicted = np.r_[7.0, np.tile([1, 2, 3], 3)[1:]]

    class Known(KNeighborsRegressor):
        def predict(self, X: Any) -> Any:
            return predicted[X[:, 0].astype(int)]

    rounded = oe.scorer("mae", labels=[1, 2, 3], bins="round")
    with pytest.warns(UserWarning, match=r"bins=\[1.5, 2.5\]"):
        found = cross_val_score(Known(), X, y, cv=KFold(3), scoring=rounded)
    assert np.isnan(found).tolist() == [True, False, False]
    cut = oe.scorer("mae", labels=[1, 2, 3], bins=[1.5, 2.5])
    found = cross_val_score(Known(), X, y, cv=KFold(3), scoring=cut)
    assert found.tolist() == [-2, 0, 0]  # of the number itself


def test_scorers_get_weights_where_scikit_learn_routes_them() -> None:
    X, y = words()
    weight, cv = np.arange(1.0, len(y) + 1), KFold(3, shuffle=True, random_state=0)
    asked: dict[str, Any] = {"X": X, "y": y, "cv": cv, "params": {"sample_weight": weight}}
    with sklearn.config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        scoring = {
            "with": oe.scorer("mae", labels=SIZES).set_score_request(sample_weight=True),
            "without": oe.scorer("mae", labels=SIZES).set_score_request(sample_weight=False),
        }
        found = cross_validate(model, scoring=scoring, **asked, error_score="raise")
        with pytest.raises(UnsetMetadataPassedError, match="set_score_request"):
            cross_validate(model, scoring=oe.scorer("mae", labels=SIZES), **asked)
    for i, (train, test) in enumerate(cv.split(X)):
        predicted = LogisticRegression().fit(X[train], y[train]).predict(X[test])
        for name, given in (("with", weight[test]), ("without", None)):
            expected = oe.score(y[test], predicted, "mae", labels=SIZES, weight=given)
            assert found[f"test_{name}"][i] == pytest.approx(-expected)


def test_scorer_replaces_what_is_undefined() -> None:
    X, y = words()
    model = KNeighborsClassifier(1).fit(X[:5], y[:5])  # one class only
    assert oe.scorer("qwk", labels=SIZES, undefined=0)(model, X[:5], y[:5]) == 0
    with pytest.warns(oe.UndefinedWarning, match="all of the same class"):
        assert np.isnan(oe.scorer("qwk", labels=SIZES)(model, X[:5], y[:5]))


def test_scorers_bin_the_predictions_of_regressors() -> None:
    class Regressor:
        def predict(self, X: object) -> list[float]:
            return [0.4, 2.4, 2.6, 3.9]

    gold = [1, 2, 3, 3]
    found = oe.scorer(["accuracy", "mae"], labels=[1, 2, 3], bins=[1.5, 2.5])
    assert found["accuracy"](Regressor(), None, gold) == 1
    assert found["mae"](Regressor(), None, gold) == pytest.approx(-(0.6 + 0.4 + 0.4 + 0.9) / 4)
    assert "bins=[1.5, 2.5]" in repr(found["mae"])


def test_gold_is_the_first_argument_of_a_measure_in_every_form() -> None:
    gold, estimate = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.2, 0.7])
    turned = 0
    for m in oe.measures("quantification"):
        assert m(gold, estimate) == pytest.approx(float(m.of(gold, estimate))), m
        assert m(gold, estimate) == pytest.approx(oe.score(gold, estimate, m)), m
        turned += not np.isclose(m(gold, estimate), m(estimate, gold))
    assert turned, "no measure tells the two apart"
