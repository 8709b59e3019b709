"""What the ordinal classifiers share: ordered classes, and boundaries turned into classes.

Both reduce K ordered classes to the K-1 boundaries between adjacent ones, and learn on which
side of each boundary an item lies. A subclass says how the boundaries are learnt.
"""

from abc import ABCMeta, abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
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

from ..errors import InputError, quoted

Array = NDArray[Any]
Floats = NDArray[np.float64]
Ranks = NDArray[np.intp]

MOST_PROBABLE, BY_BOUNDARIES = "most-probable", "boundaries"


def _base_has_probabilities(model: Any) -> bool:
    return hasattr(model.base, "predict_proba")


class BoundaryClassifier(ClassifierMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the ordinal classifiers.

    Attributes
    ----------
    classes_ : (K,) the classes in their order, seen in training or not.
    seen_ : (S,) positions in `classes_` of the classes seen in training. Boundaries are learnt
        between these only; the other classes are never predicted and have probability 0.
    """

    base: Any
    labels: Any
    decide: str

    @abstractmethod
    def _check_features(self, X: Any, reset: bool) -> Any:
        """Check the features; in training (`reset`) also record their number."""

    @abstractmethod
    def _fit_boundaries(self, X: Any, ranks: Ranks, sample_weight: Floats | None) -> None:
        """Learn the S-1 boundaries from ranks 0..S-1 among the classes seen (S >= 2)."""

    @abstractmethod
    def _beyond(self, X: Any) -> NDArray[np.bool_]:
        """(n, S-1): whether each item lies beyond each boundary."""

    @abstractmethod
    def _probability_beyond(self, X: Any) -> Floats:
        """(n, S-1): P(item lies beyond the boundary)."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from features X (n, p) and labels y (n,); weights need a base that takes them."""
        _check_base(self.base)
        _check_decide(self.decide)
        X = self._check_features(X, reset=True)
        ranks = self._learn_classes(y)
        check_consistent_length(X, ranks)
        weights = self._check_weights(X, sample_weight)
        if len(self.seen_) > 1:
            self._fit_boundaries(X, ranks, weights)
        return self

    def predict(self, X: Any) -> Array:
        """The class of each row of X, decided as `decide` says."""
        check_is_fitted(self, "classes_")
        if self.decide == MOST_PROBABLE and _base_has_probabilities(self):
            best: Array = self.classes_[self.predict_proba(X).argmax(axis=1)]
            return best
        if len(self.seen_) == 1:
            ranks = np.zeros(self._count_rows(X), dtype=np.intp)
        else:
            ranks = self._beyond(X).sum(axis=1)
        found: Array = self.classes_[self.seen_[ranks]]
        return found

    @available_if(_base_has_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """(n, K) class probabilities, columns in the order of `classes_`.

        Differences of adjacent P(y > k); negative ones, where two boundaries contradict each
        other, become 0 and the row is scaled to sum to 1.
        """
        check_is_fitted(self, "classes_")
        if len(self.seen_) == 1:
            shares = np.ones((self._count_rows(X), 1))
        else:
            shares = between_boundaries(self._probability_beyond(X))
        out = np.zeros((len(shares), len(self.classes_)))
        out[:, self.seen_] = shares
        return out

    def _count_rows(self, X: Any) -> int:
        return int(_num_samples(self._check_features(X, reset=False)))

    def _learn_classes(self, y: Any) -> Ranks:
        """Set `classes_` and `seen_`; return each item's rank among the classes seen."""
        declared = _declared_order(self.labels, y)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        if declared is None:
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            _need_two_classes(self.classes_)
        else:
            self.classes_, codes = _label_array(declared.labels), _encode(declared, y)
        self.seen_, ranks = np.unique(codes, return_inverse=True)
        return ranks.astype(np.intp)

    def _check_weights(self, X: Any, sample_weight: Any) -> Floats | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self.base, "sample_weight"):
            raise InputError(
                f"sample_weight was given, but the fit of {type(self.base).__name__} takes no "
                "sample_weight. Choose a base that does, or leave the weights out."
            )
        weights: Floats = _check_sample_weight(sample_weight, X, dtype=np.float64)
        return weights


def between_boundaries(beyond: Floats) -> Floats:
    """(n, S) class probabilities from (n, S-1) P(beyond boundary k).

    The differences sum to 1 before the negative ones are cut, so the sum never falls below 1.
    """
    ends = [np.ones((len(beyond), 1)), beyond, np.zeros((len(beyond), 1))]
    raw = -np.diff(np.hstack(ends), axis=1)
    kept = np.clip(raw, 0.0, None)
    shares: Floats = kept / kept.sum(axis=1, keepdims=True)
    return shares


def probability_of_one(model: Any, X: Any) -> Floats:
    """(n,) probability of the class 1 of a fitted binary model with classes 0 and 1."""
    found: Floats = model.predict_proba(X)[:, 1]
    return found


def fit_binary(model: Any, X: Any, beyond: NDArray[np.intp], weights: Floats | None) -> Any:
    """Fit a binary model, with weights only where there are some."""
    return model.fit(X, beyond) if weights is None else model.fit(X, beyond, sample_weight=weights)


def _declared_order(labels: Any, y: Any) -> Any | None:
    """The declared scale: `labels`, else the order of an ordered categorical y, else None."""
    from ..columns import read_column
    from ..scale import Scale

    if labels is not None:
        return Scale.of(labels)
    if not hasattr(y, "dtype") or isinstance(y, np.ndarray):
        return None  # lists and arrays carry no order
    column = read_column(y, "y") if getattr(y, "ndim", 1) == 1 else None
    return Scale.of(column.categories) if column is not None and column.ordered else None


def _encode(scale: Any, y: Array) -> Ranks:
    codes: Ranks = scale.encode(y)
    known = (codes >= 0) & (codes < scale.k)
    if not known.all():
        unknown = y[~known].tolist()
        raise InputError(
            f"{len(unknown)} of {len(y)} items of y have a class that is not declared: "
            f"{quoted(dict.fromkeys(unknown))}. The scale is {scale.describe()}. "
            "Add the class to labels, in its place, or correct y."
        )
    return codes


def _label_array(labels: tuple[Any, ...]) -> Array:
    """The labels as an array; mixed types stay Python objects (NumPy would make strings)."""
    array = np.asarray(labels)
    if array.ndim == 1 and array.tolist() == list(labels):
        return array
    mixed = np.empty(len(labels), dtype=object)
    mixed[:] = labels
    return mixed


def _need_two_classes(classes: Array) -> None:
    if len(classes) < 2:
        raise InputError(
            f"y holds {len(classes)} class ({quoted(classes.tolist())}), which leaves no boundary "
            "to learn; at least 2 classes are needed. If more classes exist than were seen, "
            "declare them with labels=[…], lowest first."
        )


def _check_base(base: Any) -> None:
    usable = hasattr(base, "fit") and hasattr(base, "predict") and not isinstance(base, type)
    if not usable or is_regressor(base):
        raise InputError(
            f"base={base!r}: an instance of a binary scikit-learn classifier is expected, "
            "e.g. LogisticRegression()."
        )


def _check_decide(decide: Any) -> None:
    if decide not in (MOST_PROBABLE, BY_BOUNDARIES):
        raise InputError(
            f"decide={decide!r}: {MOST_PROBABLE!r} or {BY_BOUNDARIES!r} is expected. "
            f"{MOST_PROBABLE!r} is the default."
        )
