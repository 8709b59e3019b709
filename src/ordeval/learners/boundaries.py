"""Base class of the ordinal classifiers: ordered classes, and how boundaries become classes.

The classifiers reduce K ordered classes to the K-1 boundaries between adjacent ones, and learn on
which side of each boundary an item lies. A subclass defines how the boundaries are learnt.
"""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, is_regressor
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
)

from ..columns import read_column
from ..errors import InputError, check_choice, plural, quoted
from ..scale import Scale
from ..types import Array, Codes, Floats, LabelColumn

Labels = Sequence[Any] | None
Decide = Literal["most-probable", "boundaries"]


def _base_has_probabilities(model: Any) -> bool:
    return hasattr(model.base, "predict_proba")


class BoundaryClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base class of the ordinal classifiers.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes in their order, seen in training or not.
    seen_ : array of int of shape (S,)
        Positions in `classes_` of the classes seen in training. Boundaries are learnt only
        between these; the other classes are never predicted and have probability 0.
    """

    base: Any
    labels: Labels
    decide: Decide

    @abstractmethod
    def _check_features(self, X: Any, reset: bool) -> Any:
        """Check the features; in training (`reset`) also record their number."""

    @abstractmethod
    def _fit_boundaries(self, X: Any, ranks: Codes, sample_weight: Floats | None) -> None:
        """Learn the S-1 boundaries from ranks 0..S-1 among the classes seen (S >= 2)."""

    @abstractmethod
    def _boundary_models(self, X: Any) -> list[tuple[Any, Any]]:
        """Return, for each of the S-1 boundaries, a fitted binary model and its features."""

    def fit(self, X: Any, y: LabelColumn, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the boundaries between the classes.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            Features; whatever the base classifier accepts.
        y : array_like of shape (n_items,)
            Classes of the items.
        sample_weight : array_like of shape (n_items,), optional
            Weights of the items, for a base classifier that takes weights.

        Returns
        -------
        Self
            The fitted classifier.
        """
        self._check_parameters()
        X = self._check_features(X, reset=True)
        ranks = self._learn_classes(y)
        check_consistent_length(X, ranks)
        weights = self._check_weights(X, sample_weight)
        if len(self.seen_) > 1:
            self._fit_boundaries(X, ranks, weights)
        return self

    def predict(self, X: Any) -> Array:
        """Predict the class of each item.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            Features.

        Returns
        -------
        array of shape (n_items,)
            The predicted classes, chosen as the parameter `decide` tells.
        """
        check_is_fitted(self, "classes_")
        if self.decide == "most-probable" and _base_has_probabilities(self):
            best: Array = self.classes_[self.predict_proba(X).argmax(axis=1)]
            return best
        beyond = self._at_boundaries(X, lambda model, features: model.predict(features) == 1)
        found: Array = self.classes_[self.seen_[beyond.sum(axis=1).astype(np.intp)]]
        return found

    @available_if(_base_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Predict the probability of each class.

        A class has the difference of the probabilities of lying beyond the boundaries below and
        above it. Negative differences, where two boundaries contradict each other, become 0, and
        the probabilities are scaled to sum to 1.

        Parameters
        ----------
        X : array_like of shape (n_items, n_features)
            Features.

        Returns
        -------
        array of shape (n_items, K)
            Probabilities, columns in the order of `classes_`.
        """
        check_is_fitted(self, "classes_")
        beyond = self._at_boundaries(X, lambda model, features: model.predict_proba(features)[:, 1])
        out = np.zeros((len(beyond), len(self.classes_)))
        out[:, self.seen_] = between_boundaries(beyond)
        return out

    def _at_boundaries(self, X: Any, predict: Callable[[Any, Any], Array]) -> Floats:
        """Return `predict(model, features)` at each boundary: (n_items, S-1)."""
        if len(self.seen_) == 1:
            return np.empty((_num_samples(self._check_features(X, reset=False)), 0))
        predictions = [predict(model, features) for model, features in self._boundary_models(X)]
        return np.column_stack(predictions).astype(np.float64)

    def _learn_classes(self, y: LabelColumn) -> Codes:
        """Set `classes_` and `seen_`; return each item's rank among the classes seen."""
        scale = _declared_scale(self.labels, y)
        classes: Array = column_or_1d(y, warn=True)
        assert_all_finite(classes, input_name="y")
        if scale is None:
            check_classification_targets(classes)
            self.classes_, codes = np.unique(classes, return_inverse=True)
            _check_two_classes(self.classes_)
        else:
            self.classes_, codes = _label_array(scale.labels), _encode(scale, classes)
        self.seen_, ranks = np.unique(codes, return_inverse=True)
        return ranks.astype(np.intp)

    def _check_weights(self, X: Any, sample_weight: ArrayLike | None) -> Floats | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self.base, "sample_weight"):
            raise InputError(
                f"Weights were given, but {type(self.base).__name__} takes no sample_weight.",
                parameter="sample_weight",
                hint="Choose another base classifier, or leave the weights out.",
            )
        weights: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return weights

    def _check_parameters(self) -> None:
        """Raise if a parameter of the classifier is not usable."""
        usable = hasattr(self.base, "fit") and hasattr(self.base, "predict")
        if not usable or isinstance(self.base, type) or is_regressor(self.base):
            raise InputError(
                f"base is {self.base!r}, but an instance of a binary scikit-learn classifier is "
                "expected.",
                parameter="base",
                hint="Pass for example LogisticRegression().",
            )
        check_choice("decide", self.decide, get_args(Decide))


def between_boundaries(beyond: Floats) -> Floats:
    """Return class probabilities (n, S) from the probabilities (n, S-1) of lying beyond each."""
    ends = [np.ones((len(beyond), 1)), beyond, np.zeros((len(beyond), 1))]
    # The differences sum to 1, so the sum is at least 1 once the negative ones are set to 0.
    kept = np.clip(-np.diff(np.hstack(ends), axis=1), 0.0, None)
    shares: Floats = kept / kept.sum(axis=1, keepdims=True)
    return shares


def fit_binary(model: Any, X: Any, beyond: Codes, weights: Floats | None) -> Any:
    """Fit a binary model, with weights only if there are any."""
    return model.fit(X, beyond) if weights is None else model.fit(X, beyond, sample_weight=weights)


def _declared_scale(labels: Labels, y: LabelColumn) -> Scale | None:
    """Return the scale of `labels` or of an ordered categorical y, or None."""
    if labels is not None:
        return Scale.of(labels)
    if not hasattr(y, "dtype") or isinstance(y, np.ndarray):
        return None  # lists and arrays have no order
    column = read_column(y, "y") if getattr(y, "ndim", 1) == 1 else None
    return Scale.of(column.categories) if column is not None and column.ordered else None


def _encode(scale: Scale, y: Array) -> Codes:
    codes = scale.encode(y)
    known = (codes >= 0) & (codes < scale.k)
    if not known.all():
        unknown = y[~known].tolist()
        raise InputError(
            f"{len(unknown)} of {plural(len(y), 'item')} have a class that is not declared: "
            f"{quoted(dict.fromkeys(unknown))}. The scale is {scale.describe()}.",
            parameter="labels",
            hint="Declare every class, or correct y.",
        )
    return codes


def _label_array(labels: tuple[Any, ...]) -> Array:
    """Return labels as an array; mixed types stay objects (NumPy would make them strings)."""
    array = np.asarray(labels)
    if array.ndim == 1 and array.tolist() == list(labels):
        return array
    mixed = np.empty(len(labels), dtype=object)
    mixed[:] = labels
    return mixed


def _check_two_classes(classes: Array) -> None:
    if len(classes) < 2:
        raise InputError(
            f"y holds {plural(len(classes), 'class', 'classes')} ({quoted(classes.tolist())}), "
            "but a boundary needs at least 2.",
            parameter="y",
            hint="If there are classes that y does not hold, declare all of them by {labels}, "
            "lowest first.",
            suggest={"labels": ...},
        )
