"""Weights of disagreements between classes, for weighted kappa and order-aware divergence."""

from collections.abc import Callable
from typing import Any

from array_api_compat import device

from .closeness import proximity_once
from .registry import Parameter, number
from .terms import Array, array_namespace, distance, identity, ratio

_NAMED = ("none", "linear", "quadratic", "closeness")
_is_weight = number(0.0)


def distance_weights(values: Array, weights: Any) -> Array:
    """Return the weights between classes: `[K, K]`."""
    if weights == "none":
        return 1.0 - identity(values)
    if weights == "linear":
        return distance(values)
    if weights == "quadratic":
        return distance(values) ** 2
    return array_namespace(values).asarray(weights, dtype=values.dtype, device=device(values))


def disagreement(n: Array, values: Array, weights: Any) -> Array:
    """Return w, the cost of each (gold, predicted) pair: `[K, K]`, or `[..., K, K]` for closeness.

    Only closeness weights depend on the counts in `n`.
    """
    if weights != "closeness":
        return distance_weights(values, weights)
    prox = proximity_once(n, values, scale="ordinal", log=True)
    # No class is closer to a gold class than the class itself, so the diagonal costs nothing.
    return 1.0 - ratio(prox, array_namespace(n).max(prox, axis=-1, keepdims=True))


def is_weights(value: Any) -> bool:
    """Return whether a value names weights, or is a square array of weights with zero diagonal."""
    if isinstance(value, str):
        return value in _NAMED
    return (
        is_square(value, _is_weight)
        and all(value[i][i] == 0 for i in range(len(value)))
        and any(x > 0 for row in value for x in row)
    )


def is_square(value: Any, is_entry: Callable[[Any], bool]) -> bool:
    """Return whether a value is a square array of entries, as tuples, of two rows or more."""
    if not isinstance(value, tuple) or len(value) < 2:
        return False
    rows = [row if isinstance(row, tuple) else () for row in value]
    return all(len(row) == len(value) and all(map(is_entry, row)) for row in rows)


def fits_classes(weights: Any, k: int) -> bool:
    """Return whether weights are those of `k` classes."""
    return isinstance(weights, str) or len(weights) == k


WEIGHTS = Parameter(
    "weights",
    "linear",
    '"none", "linear", "quadratic", "closeness", or a K by K array with zero diagonal',
    is_weights,
    shown=True,
    fits=fits_classes,
)
# Weights of distributions, which have no table from which closeness could be computed.
DISTANCE_WEIGHTS = Parameter(
    "weights",
    "linear",
    '"none", "linear", "quadratic", or a K by K array with zero diagonal',
    lambda value: value != "closeness" and is_weights(value),
    fits=fits_classes,
)
