"""The method of Frank & Hall (2001): one binary classifier for each boundary between classes."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ..types import Codes, Floats
from .boundaries import BoundaryClassifier, Decide, Labels, fit_binary


class FrankHallClassifier(BoundaryClassifier):
    """Ordinal classifier of K-1 independent binary classifiers, each for "is y > class k?".

    Parameters
    ----------
    base : scikit-learn classifier
        Binary classifier, cloned for every boundary.
    labels : sequence, optional
        The classes from lowest to highest. By default the order of an ordered categorical y, or
        else sorted labels, as everywhere in scikit-learn.
    decide : {"most-probable", "boundaries"}, default: "most-probable"
        Predict the most probable class, or count the boundaries that an item lies beyond. The
        boundaries are always counted if the base classifier gives no probabilities.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The classes in their order; the columns of `predict_proba`.
    seen_ : array of int of shape (S,)
        Positions in `classes_` of the classes seen in training.
    estimators_ : list of S-1 classifiers
        The fitted binary classifiers, lowest boundary first.
    n_features_in_ : int
        Number of features, if X has a fixed number.

    References
    ----------
    E. Frank, M. Hall. A simple approach to ordinal classification. ECML 2001.

    Examples
    --------
    >>> import ordeval as oe
    >>> from sklearn.linear_model import LogisticRegression
    >>> scale = ["low", "mid", "high"]
    >>> model = oe.learners.FrankHallClassifier(LogisticRegression(), labels=scale)
    >>> model.fit([[0.0], [1.0], [2.0]], ["low", "mid", "high"]).predict([[-3.0], [5.0]]).tolist()
    ['low', 'high']
    """

    def __init__(self, base: Any, labels: Labels = None, decide: Decide = "most-probable") -> None:
        self.base = base
        self.labels = labels
        self.decide = decide

    def _check_features(self, X: Any, reset: bool) -> Any:
        # The base classifier decides what X may hold (text, missing values, a data frame).
        return validate_data(self, X, reset=reset, skip_check_array=True)

    def _fit_boundaries(self, X: Any, ranks: Codes, sample_weight: Floats | None) -> None:
        self.estimators_ = [
            fit_binary(clone(self.base), X, (ranks > k).astype(np.intp), sample_weight)
            for k in range(len(self.seen_) - 1)
        ]

    def _boundary_models(self, X: Any) -> list[tuple[Any, Any]]:
        return [(model, X) for model in self.estimators_]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.base).input_tags
        return tags
