"""Agreement corrected for chance: 1 − observed disagreement / disagreement expected by chance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Floats
from .closeness import proximity_once
from .registry import Bounds, Condition, Facts, Parameter, Params, choice, number, register_measure
from .terms import (
    NO_ITEMS,
    ONE_CLASS,
    Array,
    Cells,
    array_namespace,
    classes_used,
    device,
    distance,
    distance_in,
    gold,
    identity,
    indices,
    interval_alpha,
    mid_ranks,
    of_classes,
    of_gold,
    of_predicted,
    predicted,
    ratio,
    same_gold,
    sum_over,
    times,
    total,
)

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


_AGREEMENT: Facts = {
    "family": "agreement",
    "better": "higher",
    "of_cells": lambda params: params.get("weights") != "closeness",
}


def _kappa_bounds(values: Floats, params: Params) -> Bounds:
    # With asymmetric weights, observed disagreement can be many times the expected.
    known = params["weights"] in ("none", "linear", "quadratic")
    return (-1.0 if known else -float("inf"), 1.0)


def _kappa_undefined(params: Params) -> tuple[Condition, ...]:
    weights = params["weights"]
    if isinstance(weights, str):
        return NO_ITEMS, ONE_CLASS
    return NO_ITEMS, Condition(
        "the weights between all classes in use are 0",
        lambda n, values: _by_chance(n, disagreement(n, values, weights)) == 0,
    )


def _kappa_influence(n: Floats, values: Floats, weights: Any) -> Floats | None:
    if weights == "closeness":
        return None
    w, N = distance_weights(values, weights), total(n)
    G, P = gold(n) / N[..., None], predicted(n) / N[..., None]
    of_gold, of_predicted = times(P, w.T), times(G, w)  # the costs that each class has by chance
    by_chance = (G * of_gold).sum(axis=-1)
    share = total(w * n) / N / by_chance
    slope = of_gold[..., :, None] + of_predicted[..., None, :]
    slope *= share[..., None, None]
    slope -= w
    slope /= by_chance[..., None, None]
    return np.asarray(slope)


@register_measure(
    "kappa",
    influence=_kappa_influence,
    nonnegative=lambda params: "margins" if params["weights"] == "closeness" else "nothing",
    **_AGREEMENT,
    scale="interval",
    bounds=_kappa_bounds,
    undefined=_kappa_undefined,
    label="{weights} kappa",
    parameters=(WEIGHTS,),
    aliases={
        "qwk": {"weights": "quadratic"},
        "quadratic_kappa": {"weights": "quadratic"},
        "quadratic_weighted_kappa": {"weights": "quadratic"},
        "lwk": {"weights": "linear"},
        "linear_kappa": {"weights": "linear"},
        "linear_weighted_kappa": {"weights": "linear"},
        "weighted_kappa": {},
    },
    keys="lwk qwk",
    variants=({"weights": "linear"}, {"weights": "quadratic"}),
    claims="symmetric reversible proportional padded perfect",
)
def kappa(n: Array, values: Array, weights: Any = "linear") -> Array:
    if isinstance(n, Cells):
        by_chance = _weight_by_chance(gold(n), predicted(n), values, weights)
        return 1.0 - ratio(total(n * _weight_in(n, values, weights)) * total(n), by_chance)
    w = disagreement(n, values, weights)
    return 1.0 - ratio(total(w * n) * total(n), _by_chance(n, w))


@register_measure(
    "cohen_kappa",
    influence=lambda n, values: _kappa_influence(n, values, "none"),
    nonnegative="nothing",
    **_AGREEMENT,
    scale="nominal",
    bounds=(-1.0, 1.0),
    undefined=(NO_ITEMS, ONE_CLASS),
    label="Cohen's kappa",
    aliases=("unweighted_kappa", "cohen_kappa_score"),
    claims="symmetric reversible relabelable proportional padded perfect",
)
def cohen_kappa(n: Array) -> Array:
    return kappa(n, indices(n), weights="none")


def _by_chance(n: Array, w: Array) -> Array:
    """Return Σ w_gp G_g P_p, N times the disagreement of independent draws from the marginals."""
    once = same_gold(n)
    G = gold(n)[:2, ...] if once else gold(n)  # two tables, as in `proximity_once`
    cost = sum_over(G[..., :, None] * w, -2)
    return sum_over((cost[:1, ...] if once else cost) * predicted(n), -1)


def _weight_in(n: Cells, values: Floats, weights: Any) -> Floats:
    """Return the weights between the classes of each cell."""
    if weights == "none":
        return np.where(n.places.gold == n.places.predicted, 0.0, 1.0)
    if weights in ("linear", "quadratic"):
        return np.asarray(distance_in(n, values) ** (1 if weights == "linear" else 2))
    return np.asarray(of_classes(n, distance_weights(values, weights)))


def _weight_by_chance(G: Floats, P: Floats, values: Floats, weights: Any) -> Floats:
    """Return Σ w_gp G_g P_p of marginals `[..., K]`, for weights with a name in O(K)."""
    if weights == "none":
        return np.asarray((G * (P.sum(axis=-1, keepdims=True) - P)).sum(axis=-1))
    if weights == "quadratic":
        return _squares_by_chance(G, P, values)
    if weights == "linear":  # the pairs on both sides of each step between classes
        below = [np.cumsum(m, axis=-1)[..., :-1] for m in (G, P)]
        above = [m.sum(axis=-1, keepdims=True) - b for m, b in zip((G, P), below, strict=True)]
        across = below[0] * above[1] + above[0] * below[1]
        return np.asarray((across * np.diff(values)).sum(axis=-1))
    w = distance_weights(values, weights)
    # Not a matrix product, whose last digits depend on how many tables there are.
    return np.asarray((np.einsum("bg,gp->bp", G, w) * P).sum(axis=-1))


def _squares_by_chance(G: Floats, P: Floats, x: Floats) -> Floats:
    """Return Σ (x_g − x_p)² G_g P_p of marginals and positions `[..., K]` in O(K)."""
    both = (G + P).sum(axis=-1, keepdims=True)
    x = x - ((G + P) * x).sum(axis=-1, keepdims=True) / np.where(both > 0, both, 1.0)

    def moments(m: Floats) -> list[Floats]:
        return [(m * x**power).sum(axis=-1) for power in range(3)]

    (g0, g1, g2), (p0, p1, p2) = moments(G), moments(P)
    return np.asarray(g0 * p2 + p0 * g2 - 2.0 * g1 * p1)


_HALF_AN_ITEM = Condition(
    "the items weigh half an item or less in total", lambda n, values: 2.0 * total(n) <= 1.0
)
_NEGATIVE_VALUES = Condition(
    "a class in use has a negative value, and ratios need values of at least 0",
    lambda n, values: uses_negative(gold(n) + predicted(n), values),
)


def _alpha_undefined(params: Params) -> tuple[Condition, ...]:
    always = (NO_ITEMS, ONE_CLASS, _HALF_AN_ITEM)
    return (*always, _NEGATIVE_VALUES) if params["level"] == "ratio" else always


def _alpha_influence(n: Floats, values: Floats, level: str) -> Floats | None:
    if level not in ("ordinal", "interval"):
        return None
    N = total(n)[..., None, None]
    both = (n + np.swapaxes(n, -1, -2)) / N
    share = gold(both) / 2
    at = mid_ranks(share) if level == "ordinal" else np.broadcast_to(values, share.shape)
    delta2, drawn = differences_of_tables(share, values, level)
    if level == "ordinal":  # a share of class k moves the ranks of k and of all higher classes
        pull = gold(both * (at[..., :, None] - at[..., None, :]))
        moved = np.cumsum(pull[..., ::-1], axis=-1)[..., ::-1] - pull / 2
        spread = -(share**2) / 4
    else:
        moved, spread = 0.0 * share, (at - (share * at).sum(axis=-1, keepdims=True)) ** 2
    observed = total(both * delta2) / 2
    change = moved - (observed / drawn)[..., None] * spread
    slope = delta2 + change[..., :, None] + change[..., None, :]
    return np.asarray((1.0 / (2.0 * N) - 1.0) * slope / drawn[..., None, None])


@register_measure(
    "alpha",
    influence=_alpha_influence,
    nonnegative="nothing",
    **_AGREEMENT,
    scale="ordinal",
    # For a squared Euclidean distance, as δ² is at every level, observed disagreement is at most
    # twice the expected.
    bounds=(-1.0, 1.0),
    undefined=_alpha_undefined,
    label="{level} alpha",
    parameters=(choice("level", "ordinal", "interval", "nominal", "ratio", shown=True),),
    aliases={"alpha_ord": {"level": "ordinal"}, "alpha_int": {"level": "interval"}},
    keys="alpha_ord alpha_int",
    variants=({"level": "ordinal"}, {"level": "interval"}),
    claims="symmetric reversible padded perfect",
    raw=lambda params: interval_alpha if params["level"] == "interval" else None,
)
def alpha(n: Array, values: Array, level: str = "ordinal") -> Array:
    xp = array_namespace(n)
    labels = 2.0 * total(n)
    share = ratio(gold(n) + predicted(n), labels[..., None])  # m/2N, whose powers do not overflow
    if isinstance(n, Cells):
        delta2, drawn = _differences_of_cells(n, share, values, level)
    else:
        delta2, drawn = differences_of_tables(share, values, level)
    observed = ratio(2.0 * total(n * delta2), labels)
    expected = drawn * ratio(labels, labels - 1.0)  # a label is not paired with itself
    defined = (classes_used(share) > 1) & (labels > 1)
    if level == "ratio":
        defined = defined & ~uses_negative(share, values)
    return xp.where(defined, 1.0 - ratio(observed, expected), xp.nan)


def differences_of_tables(share: Array, values: Array, level: str) -> tuple[Array, Array]:
    """Return δ² by cell, and its sum over pairs of labels drawn by chance."""
    xp = array_namespace(share)
    if level in ("nominal", "ratio"):
        delta2 = _squared_difference(values, level)
        return delta2, total(share[..., :, None] * share[..., None, :] * delta2)
    # Σ_{k=i..j} m_k − (m_i + m_j)/2 is the distance between the mid-ranks of the classes.
    at = mid_ranks(share) if level == "ordinal" else values
    mean = xp.sum(share * at, axis=-1, keepdims=True)
    variance = xp.sum(share * (at - mean) ** 2, axis=-1)
    return (at[..., :, None] - at[..., None, :]) ** 2, 2.0 * variance


def _squared_difference(values: Array, level: str) -> Array:
    """Return δ² of the levels whose differences are not those of positions: `[K, K]`."""
    if level == "nominal":
        return 1.0 - identity(values)
    return ratio(distance(values), values[:, None] + values[None, :], 0.0) ** 2


def _differences_of_cells(
    n: Cells, share: Floats, values: Floats, level: str
) -> tuple[Floats, Floats]:
    """Return δ² by cell, and its sum over pairs of labels drawn by chance."""
    if level in ("ordinal", "interval"):
        at = mid_ranks(share) if level == "ordinal" else values
        return (of_gold(n, at) - of_predicted(n, at)) ** 2, _squares_by_chance(share, share, at)
    weights: Any = "none"
    if level == "ratio":
        weights = tuple(map(tuple, _squared_difference(values, level)))
    return _weight_in(n, values, weights), _weight_by_chance(share, share, values, weights)


def uses_negative(m: Array, values: Array) -> Array:
    """Return whether a class with a negative value is in use."""
    return array_namespace(m).any((m > 0) & (values < 0), axis=-1)
