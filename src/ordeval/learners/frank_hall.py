"""Frank & Hall (2001): one binary classifier for each boundary between adjacent classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from .boundaries import (
    MOST_PROBABLE,
    BoundaryClassifier,
    Floats,
    Ranks,
    fit_binary,
    probability_of_one,
)


class FrankHallClassifier(BoundaryClassifier):
    """K-1 independent binary classifiers, the k-th of which answers "is y > class k?".

    Parameters
    ----------
    base : binary scikit-learn classifier, cloned for every boundary.
    labels : the classes in their order, lowest first. By default the order of an ordered
        categorical y, or else sorted labels, as everywhere in scikit-learn.
    decide : "most-probable" (default) takes the class of highest probability where the base
        gives probabilities; "boundaries" counts the boundaries that an item lies beyond. Without
        probabilities the boundaries are counted in any case.

    Attributes
    ----------
    classes_ : (K,) the classes in their order; the columns of `predict_proba`.
    seen_ : (S,) positions in `classes_` of the classes seen in training.
    estimators_ : the S-1 fitted binary classifiers, lowest boundary first.
    n_features_in_ : number of features, where X has a fixed number.

    References
    ----------
    E. Frank, M. Hall. A simple approach to ordinal classification. ECML 2001.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = FrankHallClassifier(LogisticRegression(), labels=["low", "mid", "high"])
    >>> model.fit([[0.0], [1.0], [2.0]], ["low", "mid", "high"]).predict([[-3.0], [5.0]]).tolist()
    ['low', 'high']
    """

    def __init__(self, base: Any, labels: Any = None, decide: str = MOST_PROBABLE) -> None:
        self.base = base
        self.labels = labels
        self.decide = decide

    def _check_features(self, X: Any, reset: bool) -> Any:
        # What X may hold (text, gaps, a data frame) is the business of the base.
        return validate_data(self, X, reset=reset, skip_check_array=True)

    def _fit_boundaries(self, X: Any, ranks: Ranks, sample_weight: Floats | None) -> None:
        self.estimators_ = [
            fit_binary(clone(self.base), X, (ranks > k).astype(np.intp), sample_weight)
            for k in range(len(self.seen_) - 1)
        ]

    def _beyond(self, X: Any) -> NDArray[np.bool_]:
        return np.column_stack([model.predict(X) == 1 for model in self.estimators_])

    def _probability_beyond(self, X: Any) -> Floats:
        return np.column_stack([probability_of_one(model, X) for model in self.estimators_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.base).input_tags
        return tags
