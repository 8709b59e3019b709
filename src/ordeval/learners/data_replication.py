"""The data replication method of Cardoso & Pinto da Costa (2007)."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ..errors import InputError
from .boundaries import (
    MOST_PROBABLE,
    BoundaryClassifier,
    Floats,
    Ranks,
    fit_binary,
    probability_of_one,
)


class DataReplicationClassifier(BoundaryClassifier):
    """One binary classifier that learns all K-1 boundaries together.

    Every item is copied once for each boundary. A copy gets K-2 more features that tell which
    boundary it is for, and a binary label: does the item lie beyond that boundary? With a linear
    base all boundaries thus share one direction and differ by an offset only: they are parallel.
    With a linear SVM this is oSVM, with a neural network oNN. With a base that is not additive
    in the extra features (a network with hidden layers, an RBF kernel) the boundaries need not
    be parallel; put a feature map before a linear base if they must be (see `osvm`).

    Parameters
    ----------
    base : binary scikit-learn classifier. Scale the features before this classifier, not in
        the base: a scaler in the base would undo `h`.
    s : each boundary is learnt from the s nearest classes on either side; None, or K-1 and
        more, means all classes.
    h : size of the extra features, > 0. The larger, the less a penalised base is held back
        from setting the boundaries apart.
    labels : the classes in their order, lowest first. By default the order of an ordered
        categorical y, or else sorted labels, as everywhere in scikit-learn.
    decide : "most-probable" (default) takes the class of highest probability where the base
        gives probabilities; "boundaries" counts the boundaries that an item lies beyond. Without
        probabilities the boundaries are counted in any case.

    Attributes
    ----------
    classes_ : (K,) the classes in their order; the columns of `predict_proba`.
    seen_ : (S,) positions in `classes_` of the classes seen in training.
    estimator_ : the fitted binary classifier on p + S-2 features.
    n_features_in_ : p.

    References
    ----------
    J. S. Cardoso, J. F. Pinto da Costa. Learning to classify ordinal data: the data replication
    method. Journal of Machine Learning Research 8 (2007), 1393-1429.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> model = DataReplicationClassifier(SVC(kernel="linear", C=100), h=10)
    >>> model.fit([[0.0], [1.0], [2.0]], [1, 2, 3]).predict([[-3.0], [1.1], [5.0]]).tolist()
    [1, 2, 3]
    """

    def __init__(
        self,
        base: Any,
        s: int | None = None,
        h: float = 1.0,
        labels: Any = None,
        decide: str = MOST_PROBABLE,
    ) -> None:
        self.base = base
        self.s = s
        self.h = h
        self.labels = labels
        self.decide = decide

    def _check_features(self, X: Any, reset: bool) -> Any:
        _check_reach(self.s)
        _check_size(self.h)
        finite = "allow-nan" if get_tags(self.base).input_tags.allow_nan else True
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_all_finite=finite
        )

    def _fit_boundaries(self, X: Any, ranks: Ranks, sample_weight: Floats | None) -> None:
        boundaries = len(self.seen_) - 1
        reach = boundaries if self.s is None else self.s
        rows = [np.flatnonzero(_within(ranks, k, reach)) for k in range(boundaries)]
        copies = stack([extend(X[row], k, boundaries, self.h) for k, row in enumerate(rows)])
        beyond = np.concatenate([ranks[row] > k for k, row in enumerate(rows)]).astype(np.intp)
        weights = None if sample_weight is None else sample_weight[np.concatenate(rows)]
        self.estimator_ = fit_binary(clone(self.base), copies, beyond, weights)

    def _beyond(self, X: Any) -> NDArray[np.bool_]:
        return np.column_stack([self.estimator_.predict(copy) == 1 for copy in self._copies(X)])

    def _probability_beyond(self, X: Any) -> Floats:
        return np.column_stack(
            [probability_of_one(self.estimator_, copy) for copy in self._copies(X)]
        )

    def _copies(self, X: Any) -> list[Any]:
        """X extended for each boundary in turn."""
        X = self._check_features(X, reset=False)
        boundaries = len(self.seen_) - 1
        return [extend(X, k, boundaries, self.h) for k in range(boundaries)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_base = get_tags(self.base).input_tags
        tags.input_tags.sparse = of_base.sparse
        tags.input_tags.allow_nan = of_base.allow_nan
        # Three blobs in a triangle, numbered at random, are what scikit-learn scores classifiers
        # on. They have no order, and no three parallel strips hold one blob each.
        tags.classifier_tags.poor_score = True
        return tags


def extend(X: Any, k: int, boundaries: int, h: float) -> Any:
    """X (n, p) with the boundaries - 1 extra features of boundary k (0-based).

    Boundary 0 has zeros; boundary k > 0 has h in the k-th place and zeros elsewhere.
    """
    extra = np.zeros((X.shape[0], boundaries - 1))
    if k > 0:
        extra[:, k - 1] = h
    return sparse.hstack([X, extra], format="csr") if sparse.issparse(X) else np.hstack([X, extra])


def stack(copies: list[Any]) -> Any:
    """The copies below one another."""
    return sparse.vstack(copies, format="csr") if sparse.issparse(copies[0]) else np.vstack(copies)


def _within(ranks: Ranks, k: int, reach: int) -> NDArray[np.bool_]:
    """Whether each rank is one of the `reach` nearest on either side of boundary k | k+1."""
    return (ranks > k - reach) & (ranks <= k + reach)


def _check_reach(s: Any) -> None:
    if s is not None and (isinstance(s, bool) or not isinstance(s, Integral) or s < 1):
        raise InputError(
            f"s={s!r}: an integer of at least 1 is expected (classes used on either side of a "
            "boundary), or None for all."
        )


def _check_size(h: Any) -> None:
    if isinstance(h, bool) or not isinstance(h, Real) or not 0 < float(h) < float("inf"):
        raise InputError(
            f"h={h!r}: a finite number above 0 is expected (size of the extra features). "
            "The default is 1."
        )
