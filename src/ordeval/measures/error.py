"""Error measures: distances between predicted and gold class values."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ..registry import Bounds, Facts, Params, choice, register_measure
from ..types import Floats
from .numbers import mean_distance, mean_error, root_mean_error
from .terms import (
    NO_ITEMS,
    Array,
    array_namespace,
    classes_used,
    distance,
    distance_in,
    gold,
    mean_over_observed,
    of_classes,
    ratio,
    root,
    total,
)

_ERROR: Facts = {
    "family": "error",
    "better": "lower",
    "scale": "interval",
    "undefined": (NO_ITEMS,),
    "of_cells": True,
}


_OF_VALUES = "with other class values than 1..K, v_K − v_1 takes the place of K−1"
_OF_ALL_CLASSES = (
    "with empty='zero' the highest score is lower, the mean over all classes of the error at the "
    "farther end of the scale"
)


def _up_to(power: int) -> Callable[[Floats, Params], Bounds]:
    """Return the bounds of mean distances to a power: 0 and that of the ends of the scale."""
    return lambda values, params: (0.0, float((values[-1] - values[0]) ** power))


def _up_to_each_class(power: int) -> Callable[[Floats, Params], Bounds]:
    """Return the bounds of class means: if all K classes count, each errs to its farther end."""

    def bounds(values: Floats, params: Params) -> Bounds:
        farthest = np.maximum(values - values[0], values[-1] - values) ** power
        return 0.0, float(farthest.mean() if params["empty"] == "zero" else farthest.max())

    return bounds


def _mae_influence(n: Floats, values: Floats) -> Floats:
    return np.broadcast_to(distance(values), n.shape)


@register_measure(
    "mae",
    nonnegative="nothing",
    influence=_mae_influence,
    **_ERROR,
    bounds=_up_to(1),
    range_note=_OF_VALUES,
    title="Mean absolute error",
    symbol="MAEᵘ",
    aliases=("mae_micro", "mae_mu", "mean_absolute_error"),
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    axioms=("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    formula=r"\frac{1}{N}\sum_{g,p} n_{gp}\,d_{gp}",
    description="Mean distance between predicted and gold class values.",
    use="Where distances between class values mean something, and an error in units of the scale "
    "is wanted: 0.5 is half a step per item on average.",
    avoid="Where classes differ much in size: frequent classes decide, and always predicting the "
    "most frequent one can score better than a system that finds all rare classes; `macro_mae` "
    "gives classes the same weight. Where only the order is known: equal steps are assumed unless "
    "class values are declared; `cem` assumes none.",
    citation="in general use, formula as in Sakai 2021, eq. 2; Silva et al. 2018, eq. 3",
    raw=lambda params: mean_distance,
)
def mae(n: Array, values: Array) -> Array:
    return ratio(total(n * distance_in(n, values)), total(n))


@register_measure(
    "mse",
    nonnegative="nothing",
    **_ERROR,
    bounds=_up_to(2),
    range_note=_OF_VALUES,
    title="Mean squared error",
    symbol="MSE",
    aliases=("mean_squared_error",),
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    axioms=("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    formula=r"\frac{1}{N}\sum_{g,p} n_{gp}\,d_{gp}^2",
    description="Mean squared distance between predicted and gold class values.",
    use="Where distances between class values mean something, and large errors are much worse: "
    "one error of two classes costs as much as four of one class.",
    avoid="Where a few far errors should not decide: one of four classes costs as much as sixteen "
    "of one class. `mae` counts steps. Where classes differ much in size: frequent ones decide; "
    "`macro_mse` gives classes the same weight. Where only the order is known; `cem` assumes no "
    "distances.",
    citation="in general use, formula as in Silva et al. 2018, eq. 2",
    raw=lambda params: mean_error,
)
def mse(n: Array, values: Array) -> Array:
    return ratio(total(n * distance_in(n, values) ** 2), total(n))


@register_measure(
    "rmse",
    nonnegative="nothing",
    **_ERROR,
    bounds=_up_to(1),
    range_note=_OF_VALUES,
    title="Root mean squared error",
    symbol="RMSE",
    aliases=("root_mean_squared_error",),
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    axioms=("ordinal_monotonicity", "order_awareness", "constant_systems", "symmetry"),
    formula=r"\sqrt{\frac{1}{N}\sum_{g,p} n_{gp}\,d_{gp}^2}",
    description="Square root of the mean squared distance.",
    use="As the mean squared error, in units of the scale.",
    avoid="To average over topics or folds, since the mean of roots is not the root of the mean: "
    "two topics of one item each, with errors 0 and 2, have the mean 1, and together 1.41. "
    "Where a few far errors should not decide: they count by their squares; `mae` counts steps.",
    citation="in general use, square root of Silva et al. 2018, eq. 2",
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


_EMPTY = choice("empty", "ignore", "zero")


def _macro_mae_influence(n: Floats, values: Floats, empty: str) -> Floats:
    d, G = distance(values), gold(n)[..., None]
    classes = n.shape[-1] if empty == "zero" else classes_used(gold(n))[..., None, None]
    return np.asarray((d - class_error(n, d)[..., None]) * total(n)[..., None, None] / G / classes)


@register_measure(
    "macro_mae",
    nonnegative="margins",
    influence=_macro_mae_influence,
    **_ERROR,
    bounds=_up_to_each_class(1),
    range_note=f"{_OF_VALUES}; {_OF_ALL_CLASSES}",
    title="Macro-averaged mean absolute error",
    symbol="MAEᴹ",
    parameters=(_EMPTY,),
    aliases=("mae_macro", "amae", "maem", "mae_m"),
    claims=("reversible", "proportional", "padded", "perfect"),
    axioms={
        "macro_mae": (
            "ordinal_monotonicity",
            "imbalance",
            "order_awareness",
            "constant_systems",
            "class_size_awareness",
        ),
        "macro_mae(empty='zero')": (
            "ordinal_monotonicity",
            "imbalance",
            "order_awareness",
            "constant_systems",
            "class_size_awareness",
        ),
    },
    over_classes=True,
    items_per_class=10,
    formula=r"\frac{1}{|C^+|}\sum_{g \in C^+} \frac{1}{G_g}\sum_p n_{gp}\,d_{gp}",
    description="Mean over the gold classes of their mean absolute errors. With empty='zero', a "
    "class without gold items counts as error 0, as in the AMAE columns of Silva et al.",
    use="Where classes differ in size and distances between class values mean something: every "
    "gold class has the same weight.",
    avoid="Where a class has few items: with five classes, one item of a class of two that is "
    "four classes off changes the score by 0.4. Where only the order is known, for which there is "
    "`cem`. To compare data or topics in which other classes are empty: the mean is over other "
    "classes.",
    citation="Baccianella et al. 2009; Sakai 2021, eq. 1; Silva et al. 2018, eq. 15",
)
def macro_mae(n: Array, values: Array, empty: str = "ignore") -> Array:
    return _macro(n, distance_in(n, values), empty)


@register_measure(
    "macro_mse",
    nonnegative="margins",
    **_ERROR,
    bounds=_up_to_each_class(2),
    range_note=f"{_OF_VALUES}; {_OF_ALL_CLASSES}",
    title="Macro-averaged mean squared error",
    symbol="MSEᴹ",
    parameters=(_EMPTY,),
    aliases=("mse_macro",),
    claims=("reversible", "proportional", "padded", "perfect"),
    axioms=(
        "ordinal_monotonicity",
        "imbalance",
        "order_awareness",
        "constant_systems",
        "class_size_awareness",
    ),
    over_classes=True,
    items_per_class=100,
    formula=r"\frac{1}{|C^+|}\sum_{g \in C^+} \frac{1}{G_g}\sum_p n_{gp}\,d_{gp}^2",
    description="Mean over the gold classes of their mean squared errors.",
    use="Where classes differ in size, distances mean something, and large errors are much worse "
    "than small ones.",
    avoid="Where a class has few items: with five classes, one item of a class of two that is "
    "four classes off changes the score by 1.6, and intervals over items are doubtful with fewer "
    "than 100 items of a class. `macro_mae` depends less on single items.",
    citation="Amigó et al. 2020",
)
def macro_mse(n: Array, values: Array, empty: str = "ignore") -> Array:
    return _macro(n, distance_in(n, values) ** 2, empty)


@register_measure(
    "max_mae",
    nonnegative="margins",
    **_ERROR,
    bounds=_up_to(1),
    range_note=_OF_VALUES,
    title="Largest class mean absolute error",
    symbol="MMAE",
    aliases=("mmae",),
    claims=("reversible", "proportional", "padded", "perfect"),
    axioms=("imbalance", "order_awareness", "constant_systems", "class_size_awareness"),
    over_classes=True,
    interval_caveat="the largest of several errors is too large by chance",
    formula=r"\max_{g \in C^+} \frac{1}{G_g}\sum_p n_{gp}\,d_{gp}",
    description="Mean absolute error of the gold class with the largest one.",
    use="Beside another measure, to report the error of the class that is predicted worst.",
    avoid="As the only measure: one class decides, which may be the smallest, systems that differ "
    "in all other classes score alike, and intervals are doubtful. `macro_mae` uses all classes.",
    citation="Silva et al. 2018, eq. 14",
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


def _threshold_penalties(xp: Any, values: Array, loss: str, threshold: str) -> Array:
    """Return the loss of predicting v_p for gold class g, summed over thresholds: `[K, K]`."""
    z = values[None, :] - ((values[1:] + values[:-1]) / 2)[:, None]  # v_p − θ_l: [K-1, K]
    zero = 0.0 * values[None, :]
    # Row g of each: the losses at the thresholds just below and just above gold class g.
    below = xp.concat([zero, _margin_loss(xp, z, loss)])
    above = xp.concat([_margin_loss(xp, -z, loss), zero])
    if threshold == "immediate":
        return below + above
    all_above = xp.flip(_running_sum(xp, xp.flip(above, axis=0)), axis=0)
    return _running_sum(xp, below) + all_above


def _running_sum(xp: Any, x: Array) -> Array:
    """Return sums down the columns; bounds use NumPy itself, which had them under another name."""
    return np.cumsum(x, axis=0) if xp is np else xp.cumulative_sum(x, axis=0)


_LOSSES = ("hinge", "zero_one", "smooth_hinge", "modified_least_squares", "logistic")


def _extreme_penalties(values: Floats, params: Params) -> Bounds:
    penalty = _threshold_penalties(np, values, **params)
    return float(penalty.min()), float(penalty.max())


@register_measure(
    "rennie_srebro",
    nonnegative="nothing",
    **_ERROR,
    bounds=_extreme_penalties,
    title="Threshold loss of Rennie and Srebro",
    symbol="RS",
    parameters=(
        choice("loss", *_LOSSES),
        choice("threshold", "all", "immediate"),
    ),
    aliases={
        "all_threshold": {"threshold": "all"},
        "immediate_threshold": {"threshold": "immediate"},
    },
    claims=("reversible", "proportional"),
    axioms={
        "rennie_srebro": (
            "ordinal_monotonicity",
            "order_awareness",
            "constant_systems",
            "class_size_awareness",
        ),
        "rennie_srebro(loss='zero_one')": (
            "ordinal_invariance",
            "ordinal_monotonicity",
            "order_awareness",
            "constant_systems",
            "symmetry",
        ),
    },
    formula=r"\frac{1}{N}\sum_{g,p} n_{gp}\sum_{l=1}^{K-1} f\!\left(s_l(g)(v_p - \theta_l)\right)",
    symbols={
        "l": "a threshold, above class l; with threshold='immediate' only l = g − 1 and l = g",
        r"\theta": "θ_l = (v_l + v_{l+1})/2",
        "s": "s_l(g) = 1 if g > l, otherwise −1",
        "f": "the loss of a margin z: 'hinge' max(0, 1 − z); 'zero_one' 1 if z ≤ 0, otherwise 0; "
        "'smooth_hinge' ½ − z if z ≤ 0, (1 − z)²/2 if 0 < z < 1, otherwise 0; "
        "'modified_least_squares' max(0, 1 − z)²; 'logistic' ln(1 + exp(−z))",
    },
    range_note="the least and the largest loss of a single item, which depend on the class values "
    "and the parameters",
    description="Margin loss of the predicted value over the thresholds midway between classes.",
    use="To compare predictions by the loss that threshold models are trained with.",
    avoid="To report results: by default a perfect prediction has a loss above 0, on three "
    "classes of equal size 0.67, and the figure depends on the loss, the thresholds and the class "
    "values. `mae` is 0 for it, and in units of the scale.",
    citation="Rennie & Srebro 2005, after Amigó et al. 2020",
)
def rennie_srebro(n: Array, values: Array, loss: str = "hinge", threshold: str = "all") -> Array:
    penalty = _threshold_penalties(array_namespace(values), values, loss, threshold)
    return ratio(total(n * of_classes(n, penalty)), total(n))
