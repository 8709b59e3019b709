"""Terms that the formulas share: totals, marginals, distances, ratios, and undefined cases.

`n` is a table of counts `[..., gold, predicted]`, or `Cells`. Formulas that are written in these
terms alone serve both; what they compute for every cell, "by cell" below, is `[..., K, K]` for
tables and `[..., C]` for `Cells`.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import device

from .cells import Cells
from .registry import Condition

Array = Any  # of NumPy or of any other library with the array API
_SCORED = threading.local()  # the tables that are scored, and what was computed of them


def array_namespace(*arrays: Array) -> Any:
    """Return the library of some arrays with the names of the array API, which NumPy itself has."""
    for array in arrays:
        if type(array) is not np.ndarray:
            return array_api_compat.array_namespace(*arrays)
    return np


class sharing:  # used like a function
    """Compute the totals and marginals of `n` once for all measures that score it here."""

    def __init__(self, n: Array) -> None:
        self._tables = n

    def __enter__(self) -> None:
        _SCORED.tables, _SCORED.terms = self._tables, {}

    def __exit__(self, *_: object) -> None:
        _SCORED.tables = _SCORED.terms = None


def _shared(term: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Keep what a function returns for the tables of `sharing`."""

    @wraps(term)
    def found(n: Array) -> Array:
        if getattr(_SCORED, "tables", None) is not n:
            return term(n)
        if term not in _SCORED.terms:
            _SCORED.terms[term] = term(n)
        return _SCORED.terms[term]

    return found


def sum_over(n: Array, axis: Any) -> Array:
    """Return sums of a table; of NumPy's without the checks that take longer than a sum."""
    if type(n) is np.ndarray:
        return np.add.reduce(n, axis)
    return array_namespace(n).sum(n, axis=axis)


@_shared
def total(n: Array) -> Array:
    """Return N, the number of items: `[...]`."""
    return n.total() if isinstance(n, Cells) else sum_over(n, (-2, -1))


@_shared
def gold(n: Array) -> Array:
    """Return G, the gold marginal: `[..., K]`."""
    return n.gold if isinstance(n, Cells) else sum_over(n, -1)


@_shared
def predicted(n: Array) -> Array:
    """Return P, the predicted marginal: `[..., K]`."""
    return n.predicted if isinstance(n, Cells) else sum_over(n, -2)


@_shared
def same_gold(n: Array) -> bool:
    """Whether many tables have the same gold, as they have after exchanges of predictions."""
    if not isinstance(n, np.ndarray) or n.ndim != 3 or len(n) < 3:
        return False
    G, N = gold(n), total(n)
    return bool(G[0, 0] == G[-1, 0] and np.all(G[:1] == G) and np.all(N[0] == N))


def diagonal(n: Array) -> Array:
    """Return the number of correct items of each class: `[..., K]`."""
    if isinstance(n, Cells):
        return n.diagonal()
    xp, k = array_namespace(n), n.shape[-1]
    return xp.reshape(n, (*n.shape[:-2], k * k))[..., :: k + 1]


def largest(n: Array, axis: int) -> Array:
    """Return the largest cell of each predicted (-2) or gold class (-1): `[..., K]`."""
    return n.largest(axis) if isinstance(n, Cells) else array_namespace(n).max(n, axis=axis)


def weights(n: Array) -> Array:
    """Return the counts by cell."""
    return n.weights if isinstance(n, Cells) else n


def with_weights(n: Array, x: Array) -> Array:
    """Return tables that hold `x` by cell in place of the counts."""
    return n.of(x) if isinstance(n, Cells) else x


def of_table(n: Array, x: Array) -> Array:
    """Return numbers `[...]` of the tables by cell."""
    return x[..., None] if isinstance(n, Cells) else x[..., None, None]


def of_gold(n: Array, x: Array) -> Array:
    """Return numbers `[..., K]` of the gold classes by cell."""
    return x.T[n.places.gold].T if isinstance(n, Cells) else x[..., :, None]


def of_predicted(n: Array, x: Array) -> Array:
    """Return numbers `[..., K]` of the predicted classes by cell."""
    return x.T[n.places.predicted].T if isinstance(n, Cells) else x[..., None, :]


def of_classes(n: Array, x: Array) -> Array:
    """Return numbers `[K, K]` of gold and predicted classes by cell."""
    return x[n.places.gold, n.places.predicted] if isinstance(n, Cells) else x


def distance_in(n: Array, values: Array) -> Array:
    """Return d, the distances between gold and predicted class values, by cell."""
    if isinstance(n, Cells):
        return np.abs(of_gold(n, values) - of_predicted(n, values))
    return distance(values)


def identity(n: Array) -> Array:
    """Return the K by K identity, with the type and device of `n`."""
    return array_namespace(n).eye(n.shape[-1], dtype=n.dtype, device=device(n))


def indices(n: Array) -> Array:
    """Return 0..K-1, with the type and device of `n`."""
    if isinstance(n, Cells):
        return np.arange(float(n.places.k))
    return array_namespace(n).arange(n.shape[-1], dtype=n.dtype, device=device(n))


def distance(values: Array) -> Array:
    """Return d, the distances between class values `[..., K]`: `[..., K, K]`."""
    return array_namespace(values).abs(values[..., :, None] - values[..., None, :])


def mid_ranks(marginal: Array) -> Array:
    """Return the mean rank of the items of each class, up to a constant: `[..., K]`."""
    return running_sums(marginal)[..., 1:] - marginal / 2


def running_sums(x: Array) -> Array:
    """Return 0 and the sums over the first classes, up to all of them: `[..., K + 1]`.

    Where many tables are scored at once, adding slices is several times faster than
    `cumulative_sum`, and the sums are the same.
    """
    xp, k = array_namespace(x), x.shape[-1]
    if x.ndim != 2 or x.shape[0] < k:
        return xp.cumulative_sum(x, axis=-1, include_initial=True)
    if isinstance(x, np.ndarray):
        return _added_up(x.T).T
    sums = [xp.zeros_like(x[..., 0])]
    for i in range(k):
        sums.append(sums[-1] + x[..., i])
    return xp.permute_dims(xp.stack(sums), (1, 0))


def sums_below(n: Array, axis: int) -> Array:
    """Return, for each cell, the sum of those of lower classes of the gold (-2) or predicted (-1).

    Adds slices rather than numbers one by one as `cumulative_sum` does, which is several times
    slower where a table is not contiguous in memory because many tables are scored at once.
    """
    xp, d = array_namespace(n), n.ndim
    axes = (d + axis, d - 3 - axis, *range(d - 2))
    slices = xp.permute_dims(n, axes)
    if isinstance(n, np.ndarray):
        return _added_up(slices[:-1]).transpose([axes.index(i) for i in range(d)])
    sums = [xp.zeros_like(slices[0, ...])]
    for i in range(n.shape[-1] - 1):
        sums.append(sums[-1] + slices[i, ...])
    return xp.permute_dims(xp.stack(sums), tuple(axes.index(i) for i in range(d)))


def _added_up(slices: Array) -> Array:
    """Return 0 and the sums of the first slices, up to all of them, in one new array."""
    sums = np.empty((len(slices) + 1, *slices.shape[1:]), dtype=slices.dtype)
    sums[0] = 0
    for i, part in enumerate(slices):
        np.add(sums[i], part, out=sums[i + 1])
    return sums


def ratio(a: Array, b: Array, undefined: float = float("nan")) -> Array:
    """Return a / b, and `undefined` where b is 0; the gradient stays finite there."""
    xp = array_namespace(b)
    if isinstance(b, np.ndarray) and b.all():
        return a / b
    return xp.where(b != 0, a / xp.where(b != 0, b, 1.0), undefined)


def root(x: Array) -> Array:
    """Return the square root; numbers that rounding made negative count as 0.

    The gradient at 0 is 0.
    """
    if isinstance(x, np.ndarray):
        return np.sqrt(np.where(x <= 0, 0.0, x))
    xp = array_namespace(x)
    return xp.where(x <= 0, 0.0, xp.sqrt(xp.where(x <= 0, 1.0, x)))


def harmonic(a: Array, b: Array) -> Array:
    """Return the harmonic mean, 0 where both are 0."""
    return ratio(2.0 * a * b, a + b, 0.0)


def mean_over_observed(x: Array, n: Array, classes: str = "gold") -> Array:
    """Return the mean of `x` `[..., K]` over the observed classes; NaN without items.

    Observed are the classes with gold items, or with ``classes="union"`` also those predicted.
    """
    xp = array_namespace(n)
    items = gold(n) if classes == "gold" else gold(n) + predicted(n)
    return ratio(xp.sum(xp.where(items > 0, x, 0.0), axis=-1), classes_used(items))


def classes_used(marginal: Array) -> Array:
    """Count the classes of a marginal `[..., K]` that are not empty."""
    if isinstance(marginal, np.ndarray):
        return np.sum(marginal > 0, axis=-1, dtype=marginal.dtype)
    xp = array_namespace(marginal)
    return xp.sum(xp.astype(marginal > 0, marginal.dtype), axis=-1)


NO_ITEMS = Condition("there are no items", lambda n, values: total(n) == 0)
CONSTANT_GOLD = Condition("gold has only one class", lambda n, values: classes_used(gold(n)) == 1)
CONSTANT_PREDICTION = Condition(
    "the predictions have only one class", lambda n, values: classes_used(predicted(n)) == 1
)
ONE_CLASS = Condition(
    "gold and predictions are all of the same class",
    lambda n, values: classes_used(gold(n) + predicted(n)) == 1,
)
