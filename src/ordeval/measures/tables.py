"""Small words that the formulas are written in. `n` is a table `[..., gold, predicted]`."""

from typing import Any

from array_api_compat import array_namespace, device

from ..registry import Condition

Array = Any


def total(n: Array) -> Array:
    """N, the number of items: `[...]`."""
    return array_namespace(n).sum(n, axis=(-2, -1))


def gold(n: Array) -> Array:
    """G, the gold marginal: `[..., K]`."""
    return array_namespace(n).sum(n, axis=-1)


def predicted(n: Array) -> Array:
    """P, the predicted marginal: `[..., K]`."""
    return array_namespace(n).sum(n, axis=-2)


def diagonal(n: Array) -> Array:
    """The correct items of each class: `[..., K]`."""
    xp = array_namespace(n)
    return xp.sum(n * identity(n), axis=-1)


def identity(n: Array) -> Array:
    """The K by K identity, like `n`."""
    return array_namespace(n).eye(n.shape[-1], dtype=n.dtype, device=device(n))


def indices(n: Array) -> Array:
    """0..K-1, like `n`."""
    return array_namespace(n).arange(n.shape[-1], dtype=n.dtype, device=device(n))


def distance(values: Array) -> Array:
    """d, the distances between class values: `[K, K]`."""
    return array_namespace(values).abs(values[:, None] - values[None, :])


def ratio(a: Array, b: Array, undefined: float = float("nan")) -> Array:
    """a / b, and `undefined` where b is 0; the gradient stays finite there."""
    xp = array_namespace(b)
    return xp.where(b != 0, a / xp.where(b != 0, b, 1.0), undefined)


def root(x: Array) -> Array:
    """Square root of what is at least 0 but for rounding; its gradient at 0 is 0."""
    xp = array_namespace(x)
    return xp.where(x <= 0, 0.0, xp.sqrt(xp.where(x <= 0, 1.0, x)))


def harmonic(a: Array, b: Array) -> Array:
    """The harmonic mean, 0 where both are 0."""
    return ratio(2.0 * a * b, a + b, 0.0)


def mean_over_observed(x: Array, n: Array) -> Array:
    """Mean of `x` `[..., K]` over the observed gold classes; NaN where there is no item."""
    xp = array_namespace(n)
    G = gold(n)
    return ratio(xp.sum(xp.where(G > 0, x, 0.0), axis=-1), classes_used(G))


def classes_used(marginal: Array) -> Array:
    """How many classes of a marginal `[..., K]` are used."""
    xp = array_namespace(marginal)
    return xp.sum(xp.astype(marginal > 0, marginal.dtype), axis=-1)


NO_ITEMS = Condition("there are no items", lambda n, values: total(n) == 0)
CONSTANT_GOLD = Condition("gold has only one class", lambda n, values: classes_used(gold(n)) == 1)
CONSTANT_PREDICTION = Condition(
    "the predictions have only one class", lambda n, values: classes_used(predicted(n)) == 1
)
ONE_CLASS = Condition(
    "gold and predictions are all one and the same class",
    lambda n, values: classes_used(gold(n) + predicted(n)) == 1,
)
