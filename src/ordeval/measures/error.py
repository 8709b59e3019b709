"""Error measures: distances between predicted and gold class values."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import Floats
from .registry import Bounds, Facts, Params, choice, register_measure
from .terms import (
    NO_ITEMS,
    Array,
    array_namespace,
    classes_used,
    distance,
    distance_in,
    gold,
    mean_distance,
    mean_error,
    mean_over_observed,
    of_classes,
    ratio,
    root,
    root_mean_error,
    total,
)

_ERROR: Facts = {
    "family": "error",
    "better": "lower",
    "scale": "interval",
    "undefined": (NO_ITEMS,),
    "of_cells": True,
}


def _up_to(power: int) -> Callable[[Floats, Params], Bounds]:
    """Return the bounds of mean distances to a power: 0 and that of the ends of the scale."""
    return lambda values, params: (0.0, float((values[-1] - values[0]) ** power))


def _up_to_each_class(power: int) -> Callable[[Floats, Params], Bounds]:
    """Return the bounds of class means: if all K classes count, each errs to its farther end."""

    def bounds(values: Floats, params: Params) -> Bounds:
        farthest = np.maximum(values - values[0], values[-1] - values) ** power
        return 0.0, float(farthest.mean() if params["empty"] == "zero" else farthest.max())

    return bounds


_MEAN: Facts = {
    **_ERROR,
    "nonnegative": "nothing",
    "claims": "symmetric reversible proportional padded perfect",
}


def _rmse_influence(n: Floats, values: Floats) -> Floats:
    d2, error = distance(values) ** 2, 2.0 * rmse(n, values)[..., None, None]
    return np.where(d2 == 0, 0.0, d2 / error)


@register_measure(
    "mae",
    influence=lambda n, values: np.broadcast_to(distance(values), n.shape),
    **_MEAN,
    bounds=_up_to(1),
    label="MAE",
    aliases=("mae_micro", "mae_mu", "mean_absolute_error"),
    raw=lambda params: mean_distance,
)
def mae(n: Array, values: Array) -> Array:
    return ratio(total(n * distance_in(n, values)), total(n))


@register_measure(
    "mse",
    influence=lambda n, values: np.broadcast_to(distance(values) ** 2, n.shape),
    **_MEAN,
    bounds=_up_to(2),
    label="MSE",
    aliases=("mean_squared_error",),
    raw=lambda params: mean_error,
)
def mse(n: Array, values: Array) -> Array:
    return ratio(total(n * distance_in(n, values) ** 2), total(n))


@register_measure(
    "rmse",
    influence=_rmse_influence,
    **_MEAN,
    bounds=_up_to(1),
    label="RMSE",
    aliases=("root_mean_squared_error",),
    raw=lambda params: root_mean_error,
)
def rmse(n: Array, values: Array) -> Array:
    return root(mse(n, values))


def class_error(n: Array, error: Array) -> Array:
    """Return the mean of errors by cell of each gold class: `[..., K]`, NaN for an unobserved."""
    return ratio(gold(n * error), gold(n))


def _macro(n: Array, error: Array, empty: str) -> Array:
    xp = array_namespace(n)
    by_class = class_error(n, error)
    if empty == "ignore":
        return mean_over_observed(by_class, n)
    seen = gold(n) > 0
    summed = xp.sum(xp.where(seen, by_class, 0.0), axis=-1) / n.shape[-1]
    return xp.where(xp.any(seen, axis=-1), summed, xp.nan)


_MACRO: Facts = {
    **_ERROR,
    "nonnegative": "margins",
    "claims": "reversible proportional padded perfect",
    "over_classes": True,
}
_EMPTY = choice("empty", "ignore", "zero")


def _of_class_errors(n: Floats, d: Floats, empty: str) -> Floats:
    """Return derivatives of the mean over classes of the errors `d` by cell."""
    classes = n.shape[-1] if empty == "zero" else classes_used(gold(n))[..., None, None]
    rate = total(n)[..., None, None] / gold(n)[..., None] / classes
    return np.asarray((d - class_error(n, d)[..., None]) * rate)


@register_measure(
    "macro_mae",
    influence=lambda n, values, empty: _of_class_errors(n, distance(values), empty),
    **_MACRO,
    bounds=_up_to_each_class(1),
    label="macro MAE",
    parameters=(_EMPTY,),
    aliases=("mae_macro", "amae", "maem", "mae_m"),
    items_per_class=10,
)
def macro_mae(n: Array, values: Array, empty: str = "ignore") -> Array:
    return _macro(n, distance_in(n, values), empty)


@register_measure(
    "macro_mse",
    influence=lambda n, values, empty: _of_class_errors(n, distance(values) ** 2, empty),
    **_MACRO,
    bounds=_up_to_each_class(2),
    label="macro MSE",
    parameters=(_EMPTY,),
    aliases=("mse_macro",),
    items_per_class=100,
)
def macro_mse(n: Array, values: Array, empty: str = "ignore") -> Array:
    return _macro(n, distance_in(n, values) ** 2, empty)


@register_measure(
    "max_mae",
    **_MACRO,
    bounds=_up_to(1),
    label="largest class MAE",
    aliases=("mmae",),
    interval_caveat="the largest of several errors is too large by chance",
)
def max_mae(n: Array, values: Array) -> Array:
    xp = array_namespace(n)
    seen = gold(n) > 0
    worst = xp.max(xp.where(seen, class_error(n, distance_in(n, values)), -1.0), axis=-1)
    return xp.where(xp.any(seen, axis=-1), worst, xp.nan)


def _margin_loss(xp: Any, z: Array, loss: str) -> Array:
    """Return the penalty of a margin z, which is negative on the wrong side of a threshold."""
    if loss == "zero_one":
        return xp.where(z > 0, 0.0 * z, 1.0)
    if loss == "hinge":
        return xp.where(z < 1, 1.0 - z, 0.0)
    if loss == "smooth_hinge":
        return xp.where(z <= 0, 0.5 - z, xp.where(z < 1, (1.0 - z) ** 2 / 2, 0.0))
    if loss == "modified_least_squares":
        return xp.where(z < 1, (1.0 - z) ** 2, 0.0)
    return xp.logaddexp(0.0 * z, -z)


def _threshold_penalties(values: Array, loss: str, threshold: str) -> Array:
    """Return the loss of predicting v_p for gold class g, summed over thresholds: `[K, K]`."""
    xp = array_namespace(values)
    z = values[None, :] - ((values[1:] + values[:-1]) / 2)[:, None]  # v_p − θ_l: [K-1, K]
    zero = 0.0 * values[None, :]
    # Row g of each: the losses at the thresholds just below and just above gold class g.
    below = xp.concat([zero, _margin_loss(xp, z, loss)])
    above = xp.concat([_margin_loss(xp, -z, loss), zero])
    if threshold == "immediate":
        return below + above
    all_above = xp.flip(xp.cumulative_sum(xp.flip(above, axis=0), axis=0), axis=0)
    return xp.cumulative_sum(below, axis=0) + all_above


_LOSSES = ("hinge", "zero_one", "smooth_hinge", "modified_least_squares", "logistic")


def _extreme_penalties(values: Floats, params: Params) -> Bounds:
    penalty = _threshold_penalties(values, **params)
    return float(penalty.min()), float(penalty.max())


@register_measure(
    "rennie_srebro",
    nonnegative="nothing",
    **_ERROR,
    bounds=_extreme_penalties,
    label="Rennie-Srebro loss",
    parameters=(choice("loss", *_LOSSES), choice("threshold", "all", "immediate")),
    aliases={
        "all_threshold": {"threshold": "all"},
        "immediate_threshold": {"threshold": "immediate"},
    },
    claims="reversible proportional",
)
def rennie_srebro(n: Array, values: Array, loss: str = "hinge", threshold: str = "all") -> Array:
    penalty = _threshold_penalties(values, loss, threshold)
    return ratio(total(n * of_classes(n, penalty)), total(n))
