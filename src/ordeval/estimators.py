"""Classifiers for scikit-learn that choose classes by a measure; they need ``ordeval[sklearn]``."""

import warnings
from typing import Any, Self

import numpy as np

from .data.scale import Scale
from .errors import InputError
from .evaluation.cutpoints import fitted_cuts
from .evaluation.decide import RULES, costs_of_decisions, measure_on
from .measures.costs import is_linear
from .measures.spec import Measure
from .types import Array

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
    from sklearn.linear_model import LogisticRegression, Ridge
    from sklearn.model_selection import cross_val_predict
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:  # pragma: no cover
    raise InputError(
        "The classifiers need scikit-learn, which is not installed.",
        hint="Install it with: pip install 'ordeval[sklearn]'.",
    ) from None


class _ByMeasure(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """What both classifiers share: classes in their order, and features that are checked."""

    def _classes_of(self, X: Any, y: Any) -> tuple[Array, Array, Array]:
        """Return features, labels and the positions of the labels among the classes."""
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        found = np.unique(y)
        self.classes_ = found if self.labels is None else np.asarray(self.labels)
        if len(found) < 2:
            raise InputError("y has one class; two are needed.", parameter="y")
        if unknown := set(found.tolist()) - set(self.classes_.tolist()):
            raise InputError(f"y has classes that labels lack: {sorted(unknown)}.", parameter="y")
        place = {label: i for i, label in enumerate(self.classes_.tolist())}
        return X, y, np.array([place[label] for label in y.tolist()])

    def _measure(self) -> Measure:
        """Return the measure, whose parameters may name classes, for tables of the classes."""
        return measure_on(self.measure, Scale(tuple(self.classes_.tolist())))


class CutpointClassifier(_ByMeasure):
    """A regressor whose output is cut into classes, with the cuts that are best for a measure.

    The cuts are chosen on cross-validated predictions, for items that the regressor was not fitted
    on. Then the regressor is fitted on all items.

    Parameters
    ----------
    regressor : estimator, optional
        The regressor, which predicts the positions of the classes; by default ridge regression.
    measure : str or Measure
        The measure.
    labels : sequence, optional
        The classes from lowest to highest; by default those in the data, sorted.
    cv : int
        The number of folds.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> X = np.arange(20.0)[:, None]
    >>> oe.CutpointClassifier(measure="qwk").fit(X, [1] * 10 + [2] * 6 + [3] * 4).predict([[19.0]])
    array([3])
    """

    def __init__(
        self, regressor: Any = None, measure: Any = "qwk", labels: Any = None, cv: int = 5
    ) -> None:
        self.regressor = regressor
        self.measure = measure
        self.labels = labels
        self.cv = cv

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on classes without an order
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the regressor, and choose the cuts.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            The features.
        y : array_like of shape (n_items,)
            The labels.

        Returns
        -------
        CutpointClassifier
            The classifier itself.
        """
        X, _, codes = self._classes_of(X, y)
        regressor = Ridge() if self.regressor is None else self.regressor
        folds = min(self.cv, len(codes))
        outputs = cross_val_predict(clone(regressor), X, codes.astype(float), cv=folds)
        self.cuts_ = fitted_cuts(codes, np.ravel(outputs), self._measure(), len(self.classes_))
        self.regressor_ = clone(regressor).fit(X, codes.astype(float))
        return self

    def predict(self, X: Any) -> Array:
        """Predict classes.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_items,)
            The labels.
        """
        check_is_fitted(self)
        outputs = np.ravel(self.regressor_.predict(validate_data(self, X, reset=False)))
        return np.asarray(self.classes_[np.searchsorted(self.cuts_, outputs, side="right")])


class DecisionClassifier(_ByMeasure):
    """A classifier that chooses from its probabilities the classes that are best for a measure.

    Kappa and other measures need to know the shares of the classes over all items. `fit` learns
    them from cross-validated probabilities, for items that the classifier was not fitted on.
    `predict` then decides each item by itself.

    Parameters
    ----------
    classifier : estimator, optional
        A classifier with `predict_proba`; by default logistic regression.
    measure : str or Measure
        The measure, or a rule of `decide`.
    labels : sequence, optional
        The classes from lowest to highest; by default those in the data, sorted.
    cv : int
        The number of folds.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> X = np.arange(20.0)[:, None]
    >>> oe.DecisionClassifier(measure="mae").fit(X, [1] * 10 + [2] * 6 + [3] * 4).predict([[19.0]])
    array([3])
    """

    def __init__(
        self, classifier: Any = None, measure: Any = "mae", labels: Any = None, cv: int = 5
    ) -> None:
        self.classifier = classifier
        self.measure = measure
        self.labels = labels
        self.cv = cv

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier, and learn what decisions cost.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            The features.
        y : array_like of shape (n_items,)
            The labels.

        Returns
        -------
        DecisionClassifier
            The classifier itself.
        """
        X, _, codes = self._classes_of(X, y)
        classifier = LogisticRegression() if self.classifier is None else self.classifier
        self.classifier_ = clone(classifier).fit(X, codes)
        if self.measure not in RULES:
            rows = np.eye(len(self.classes_))[codes]  # whose shares of classes are those of gold
            if not is_linear(measure := self._measure()):
                rows = self._of_all_classes(self._unseen(classifier, X, codes))
            self.costs_ = costs_of_decisions(rows, measure)
        return self

    def _unseen(self, classifier: Any, X: Array, codes: Array) -> Array:
        """Return the probabilities of items that the classifier was not fitted on."""
        folds = min(self.cv, int(np.bincount(codes).max()))
        if folds < 2:
            return np.asarray(self.classifier_.predict_proba(X))
        with warnings.catch_warnings():  # about classes that are rarer than folds
            warnings.simplefilter("ignore")
            found = cross_val_predict(clone(classifier), X, codes, cv=folds, method="predict_proba")
        return np.asarray(found)

    def _of_all_classes(self, proba: Array) -> Array:
        """Return probabilities with a column for every class, also for those not in the data."""
        rows = np.zeros((len(proba), len(self.classes_)))
        rows[:, self.classifier_.classes_] = proba
        return rows

    def predict(self, X: Any) -> Array:
        """Predict classes.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            The features.

        Returns
        -------
        ndarray of shape (n_items,)
            The labels.
        """
        check_is_fitted(self)
        found = self.classifier_.predict_proba(validate_data(self, X, reset=False))
        rows = self._of_all_classes(found)
        if self.measure in RULES:
            codes = RULES[self.measure](rows, Scale.of(range(rows.shape[1])))
        else:
            codes = (rows @ self.costs_).argmin(axis=1)
        return np.asarray(self.classes_[codes])
