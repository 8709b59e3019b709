"""The data replication method of Cardoso & Pinto da Costa (2007), with their two base learners."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from sklearn.utils.validation import validate_data

from ..errors import InputError
from ..types import RNG, Codes, Floats
from .boundaries import BoundaryClassifier, Decide, Labels, fit_binary


class DataReplicationClassifier(BoundaryClassifier):
    """Ordinal classifier of one binary classifier that learns all K-1 boundaries together.

    Every item is copied once for each boundary. A copy gets K-2 more features that identify the
    boundary, and a binary label that tells whether the item lies beyond it. With a linear base
    all boundaries therefore share one direction and differ by an offset only: they are parallel.
    With a linear SVM this is oSVM, with a neural network oNN. With a base that is not additive
    in the extra features (a network with hidden layers, an RBF kernel) the boundaries need not
    be parallel; put a feature map before a linear base if they must be (see `osvm`).

    Parameters
    ----------
    base : scikit-learn classifier
        Binary classifier. Scale the features before this classifier, not in the base: a scaler
        in the base would undo `h`.
    s : int, optional
        Each boundary is learnt from the s nearest classes on either side. None, or K-1 and more,
        means all classes.
    h : float, default: 1.0
        Size of the extra features, above 0. The larger it is, the less a penalised base is
        prevented from separating the boundaries.
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
    estimator_ : scikit-learn classifier
        The fitted binary classifier on p + S-2 features.
    n_features_in_ : int
        Number of features p.

    References
    ----------
    J. S. Cardoso, J. F. Pinto da Costa. Learning to classify ordinal data: the data replication
    method. Journal of Machine Learning Research 8 (2007), 1393-1429.

    Examples
    --------
    >>> import ordeval as oe
    >>> from sklearn.svm import SVC
    >>> model = oe.learners.DataReplicationClassifier(SVC(kernel="linear", C=100), h=10)
    >>> model.fit([[0.0], [1.0], [2.0]], [1, 2, 3]).predict([[-3.0], [1.1], [5.0]]).tolist()
    [1, 2, 3]
    """

    def __init__(
        self,
        base: Any,
        s: int | None = None,
        h: float = 1.0,
        labels: Labels = None,
        decide: Decide = "most-probable",
    ) -> None:
        self.base = base
        self.s = s
        self.h = h
        self.labels = labels
        self.decide = decide

    def _check_parameters(self) -> None:
        super()._check_parameters()
        s: Any = self.s  # scikit-learn checks in `fit`, where anything may have been set
        h: Any = self.h
        if s is not None and (isinstance(s, bool) or not isinstance(s, Integral) or s < 1):
            raise InputError(
                f"s is {s!r}, but an integer of at least 1 (classes on either side of a boundary), "
                "or None for all, is expected.",
                parameter="s",
            )
        if isinstance(h, bool) or not isinstance(h, Real) or not 0 < float(h) < float("inf"):
            raise InputError(
                f"h is {h!r}, but a finite number above 0 (size of the extra features) is "
                "expected.",
                parameter="h",
            )

    def _check_features(self, X: Any, reset: bool) -> Any:
        finite = "allow-nan" if get_tags(self.base).input_tags.allow_nan else True
        return validate_data(
            self, X, reset=reset, accept_sparse="csr", dtype="numeric", ensure_all_finite=finite
        )

    def _fit_boundaries(self, X: Any, ranks: Codes, sample_weight: Floats | None) -> None:
        boundaries = len(self.seen_) - 1
        reach = boundaries if self.s is None else self.s
        # Boundary k lies between the ranks k and k + 1.
        rows = [
            np.flatnonzero((ranks > k - reach) & (ranks <= k + reach)) for k in range(boundaries)
        ]
        copies = stack([extend(X[row], k, boundaries, self.h) for k, row in enumerate(rows)])
        beyond = np.concatenate([ranks[row] > k for k, row in enumerate(rows)]).astype(np.intp)
        weights = None if sample_weight is None else sample_weight[np.concatenate(rows)]
        self.estimator_ = fit_binary(clone(self.base), copies, beyond, weights)

    def _boundary_models(self, X: Any) -> list[tuple[Any, Any]]:
        X = self._check_features(X, reset=False)
        boundaries = len(self.seen_) - 1
        return [(self.estimator_, extend(X, k, boundaries, self.h)) for k in range(boundaries)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_base = get_tags(self.base).input_tags
        tags.input_tags.sparse = of_base.sparse
        tags.input_tags.allow_nan = of_base.allow_nan
        # The data on which scikit-learn checks the scores of classifiers are three blobs in a
        # triangle. They have no order, and three parallel strips cannot separate them.
        tags.classifier_tags.poor_score = True
        return tags


def extend(X: Any, k: int, boundaries: int, h: float) -> Any:
    """Append to X (n, p) the extra features (n, boundaries - 1) of boundary k.

    Boundary 0 has zeros; boundary k > 0 has h in the k-th place and zeros elsewhere.
    """
    extra = np.zeros((X.shape[0], boundaries - 1))
    if k > 0:
        extra[:, k - 1] = h
    return sparse.hstack([X, extra], format="csr") if sparse.issparse(X) else np.hstack([X, extra])


def stack(copies: list[Any]) -> Any:
    """Stack the copies by rows."""
    return sparse.vstack(copies, format="csr") if sparse.issparse(copies[0]) else np.vstack(copies)


def osvm(
    C: float = 1.0,
    s: int | None = None,
    h: float = 1.0,
    degree: int = 1,
    labels: Labels = None,
) -> Pipeline:
    """Return oSVM: data replication over a linear support vector machine.

    Parameters
    ----------
    C : float, default: 1.0
        Penalty of the support vector machine; ``model__base__C`` in a grid search.
    s : int, optional
        See `DataReplicationClassifier`; ``model__s`` in a grid search.
    h : float, default: 1.0
        See `DataReplicationClassifier`; ``model__h`` in a grid search.
    degree : int, default: 1
        With 2 or more, products of up to this many features are added, which let the boundaries
        curve. The boundaries stay parallel in the space of these products, so they never cross.
    labels : sequence, optional
        The classes from lowest to highest.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Standardised features, and the classifier as the step "model".

    Examples
    --------
    >>> import ordeval as oe
    >>> model = oe.learners.osvm(C=100, h=10)
    >>> model.fit([[0.0], [1.0], [2.0]], [1, 2, 3]).predict([[-3.0], [1.1], [5.0]]).tolist()
    [1, 2, 3]
    """
    model = DataReplicationClassifier(SVC(kernel="linear", C=C), s=s, h=h, labels=labels)
    return _scaled(model, degree)


def onn(
    hidden: int | tuple[int, ...] = 5,
    alpha: float = 1e-3,
    s: int | None = None,
    h: float = 1.0,
    labels: Labels = None,
    rng: RNG = 0,
    max_iter: int = 2000,
) -> Pipeline:
    """Return oNN: data replication over a neural network.

    The network is scikit-learn's and gets the extra features in its first layer, so the
    boundaries need not be parallel and may cross. Classes are predicted by counting boundaries.

    Parameters
    ----------
    hidden : int or tuple of int, default: 5
        Units of the hidden layer, or of each of several; ``model__base__hidden_layer_sizes`` in
        a grid search.
    alpha : float, default: 1e-3
        L2 penalty of the weights; ``model__base__alpha`` in a grid search.
    s : int, optional
        See `DataReplicationClassifier`; ``model__s`` in a grid search.
    h : float, default: 1.0
        See `DataReplicationClassifier`; ``model__h`` in a grid search.
    labels : sequence, optional
        The classes from lowest to highest.
    rng : int, numpy.random.Generator or None, default: 0
        Seed or generator of the initial weights; None draws a seed from fresh entropy.
    max_iter : int, default: 2000
        Largest number of steps of the optimiser (L-BFGS).

    Returns
    -------
    sklearn.pipeline.Pipeline
        Standardised features, and the classifier as the step "model".

    Examples
    --------
    >>> import ordeval as oe
    >>> model = oe.learners.onn(hidden=3)
    >>> model.fit([[0.0], [1.0], [2.0]], [1, 2, 3]).predict([[-3.0], [5.0]]).tolist()
    [1, 3]
    """
    network = MLPClassifier(
        hidden_layer_sizes=hidden,
        alpha=alpha,
        solver="lbfgs",
        max_iter=max_iter,
        random_state=int(np.random.default_rng(rng).integers(2**31)),
    )
    model = DataReplicationClassifier(network, s=s, h=h, labels=labels, decide="boundaries")
    return _scaled(model, degree=1)


def _scaled(model: DataReplicationClassifier, degree: int) -> Pipeline:
    """Scale features (and add their products) before the replication, so that `h` is not scaled."""
    steps: list[tuple[str, Any]] = [("scale", StandardScaler())]
    if degree > 1:
        steps.append(("products", PolynomialFeatures(degree, include_bias=False)))
    return Pipeline([*steps, ("model", model)])
