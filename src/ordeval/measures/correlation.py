"""Correlation and order: whether predictions increase with gold.

Pairs of items are counted by cumulative sums over the table, in O(K²) for any number of items.
"""

import numpy as np

from ..types import Floats
from .registry import Bounds, Condition, Facts, Params, register_measure
from .terms import (
    CONSTANT_GOLD,
    CONSTANT_PREDICTION,
    NO_ITEMS,
    Array,
    Cells,
    array_namespace,
    classes_used,
    correlation,
    cosine_of_numbers,
    cumulative_sums,
    gold,
    harmonic,
    indices,
    mid_ranks,
    of_gold,
    of_predicted,
    of_table,
    predicted,
    ratio,
    root,
    running_sums,
    sums_below,
    times,
    total,
    weights,
    with_weights,
)

_CORRELATION: Facts = {
    "family": "correlation",
    "better": "higher",
    "scale": "ordinal",
    "bounds": (-1.0, 1.0),
    "of_cells": True,
}
_BOTH_VARY: Facts = {
    **_CORRELATION,
    "nonnegative": "nothing",
    "undefined": (NO_ITEMS, CONSTANT_GOLD, CONSTANT_PREDICTION),
    "claims": "symmetric reversible proportional padded perfect",
}


def _correlate(n: Array, u: Array, v: Array) -> Array:
    """Return the Pearson correlation of gold scores u and predicted scores v, both `[..., K]`."""
    xp = array_namespace(n)
    N = total(n)[..., None]
    G, P = gold(n), predicted(n)
    u = u - ratio(xp.sum(G * u, axis=-1, keepdims=True), N)
    v = v - ratio(xp.sum(P * v, axis=-1, keepdims=True), N)
    covariance = total(n * of_gold(n, u) * of_predicted(n, v))
    spread = root(xp.sum(G * u**2, axis=-1)) * root(xp.sum(P * v**2, axis=-1))
    varied = (classes_used(G) > 1) & (classes_used(P) > 1)  # a constant has no spread but rounding
    return xp.where(varied, _within_one(ratio(covariance, spread)), xp.nan)


def _within_one(r: Array) -> Array:
    """Return a coefficient clipped to [-1, 1], which rounding or weights below 1 may exceed."""
    if isinstance(r, np.ndarray):
        return np.clip(r, -1.0, 1.0)  # the one of the array API takes ten times as long
    return array_namespace(r).clip(r, -1.0, 1.0)


@register_measure(
    "pearson",
    **{**_BOTH_VARY, "scale": "interval"},
    label="Pearson's r",
    aliases=("linear_correlation", "pearsonr"),
    raw=lambda params: correlation,
)
def pearson(n: Array, values: Array) -> Array:
    return _correlate(n, values, values)


_ONLY_ZEROS = Condition(
    "all class values of gold or of the predictions are 0",
    lambda n, values: _length(gold(n), values) * _length(predicted(n), values) == 0,
)


def _length(marginal: Array, values: Array) -> Array:
    """Return the length of the vector of the items' class values."""
    return root(array_namespace(marginal).sum(marginal * values**2, axis=-1))


def _cosine_bounds(values: Floats, params: Params) -> Bounds:
    # Without a change of sign, the least cosine is that of half of the items at one end of the
    # scale and predicted at the other, and half the other way round (Pólya and Szegő).
    low, high = float(values[0]), float(values[-1])
    if low < 0 < high:
        return -1.0, 1.0
    return (2.0 * low * high / (low**2 + high**2) if low or high else 0.0), 1.0


@register_measure(
    "cosine",
    nonnegative="nothing",
    **{**_CORRELATION, "scale": "interval", "bounds": _cosine_bounds},
    undefined=(NO_ITEMS, _ONLY_ZEROS),
    label="cosine",
    claims="symmetric proportional perfect",
    raw=lambda params: cosine_of_numbers,
)
def cosine(n: Array, values: Array) -> Array:
    product = total(n * of_gold(n, values) * of_predicted(n, values))
    return _within_one(ratio(product, _length(gold(n), values) * _length(predicted(n), values)))


@register_measure(
    "spearman", **_BOTH_VARY, label="Spearman's ρ", aliases=("spearman_rho", "spearmanr", "rho")
)
def spearman(n: Array) -> Array:
    return _correlate(n, mid_ranks(gold(n)), mid_ranks(predicted(n)))


def items_below(n: Array) -> Array:
    """Count, for each cell, the items of strictly lower gold and predicted class."""
    if isinstance(n, Cells):
        return n.below
    return sums_below(sums_below(n, axis=-2), axis=-1)


def _items_above(n: Array) -> Array:
    """Count, for each cell, the items of strictly higher gold and predicted class."""
    if isinstance(n, Cells):
        lower_or_same = of_gold(n, _up_to(gold(n))) + of_predicted(n, _up_to(predicted(n)))
        return of_table(n, total(n)) - lower_or_same + n.up_to
    xp = array_namespace(n)
    return xp.flip(items_below(xp.flip(n, axis=(-2, -1))), axis=(-2, -1))


def _concordant_minus_discordant(n: Array) -> Array:
    """Count pairs of items that gold and prediction order in the same way, minus in opposite ways.

    Of the items of lower gold class, those of lower predicted class count for an item, and those
    of higher predicted class against it. The latter are all that are neither lower nor the same.
    """
    if isinstance(n, Cells):
        same, lower = n.lower_beside(-2), n.below
    else:
        same = sums_below(n, axis=-2)
        lower = sums_below(same, axis=-1)
    return total(n * (2.0 * lower + same)) - _untied(gold(n))


def _up_to(marginal: Array) -> Array:
    """Count the items of classes that are not higher."""
    return cumulative_sums(marginal)


def _untied(marginal: Array) -> Array:
    """Count the pairs of items in different classes of a marginal."""
    xp = array_namespace(marginal)
    lower = running_sums(marginal)[..., :-1]
    return xp.sum(marginal * lower, axis=-1)


_NO_PAIRS = Condition("there are fewer than two items", lambda n, values: total(n) <= 1)


@register_measure(
    "kendall_a",
    nonnegative="nothing",
    **_CORRELATION,
    undefined=(_NO_PAIRS,),
    label="Kendall's τ-a",
    aliases=("tau_a",),
    claims="symmetric reversible padded",
)
def kendall_a(n: Array) -> Array:
    xp, N = array_namespace(n), total(n)
    pairs = xp.where(N > 1, N * (N - 1) / 2, 0.0)
    # Weights below 1 can make more pairs of cells than N(N−1)/2.
    return _within_one(ratio(_concordant_minus_discordant(n), pairs))


def _kendall_b_influence(n: Floats, values: Floats) -> Floats:
    N, index = total(n), indices(n)
    q, sign = n / N[..., None, None], np.sign(index - index[:, None])
    G, P = gold(n) / N[..., None], predicted(n) / N[..., None]
    g, p = ((1.0 - m) / (2.0 * _untied(m)[..., None]) for m in (G, P))
    # Σ sign(g − g′) sign(p − p′) q(g′, p′): what pairs with the items of a cell add
    slope = times(np.swapaxes(times(q, sign), -1, -2), sign)
    slope = np.swapaxes(slope, -1, -2) / np.sqrt(_untied(G) * _untied(P))[..., None, None]
    score = (q * slope).sum(axis=(-2, -1))[..., None, None] / 2
    return np.asarray(slope - score * (g[..., :, None] + p[..., None, :]))


@register_measure(
    "kendall_b",
    influence=_kendall_b_influence,
    **_BOTH_VARY,
    label="Kendall's τ-b",
    aliases=("tau_b", "kendall", "kendall_tau", "kendalltau"),
)
def kendall_b(n: Array) -> Array:
    # c + d + e_p counts the pairs that are not tied in gold, c + d + e_g those not tied in
    # prediction.
    untied = root(_untied(gold(n))) * root(_untied(predicted(n)))
    return _within_one(ratio(_concordant_minus_discordant(n), untied))


_NO_ORDERED_PAIRS = Condition(
    "there are fewer than two items",
    lambda n, values: (_ordered_pairs(gold(n)) <= 0) | (_ordered_pairs(predicted(n)) <= 0),
)


@register_measure(
    "r_int",
    nonnegative="nothing",
    **_CORRELATION,
    undefined=(_NO_ORDERED_PAIRS,),
    label="r_int",
    aliases=("rint",),
    claims="symmetric reversible padded perfect",
)
def r_int(n: Array) -> Array:
    S1, S2 = _ordered_pairs(gold(n)), _ordered_pairs(predicted(n))
    S12 = total(n * _items_up_to(n)) - total(n)
    return _within_one(-1.0 + 2.0 * ratio(S12, root(S1) * root(S2)))


def _items_up_to(n: Array) -> Array:
    """Count, for each cell, the items whose gold and predicted classes are not higher."""
    if isinstance(n, Cells):
        return n.up_to
    up_to = n + sums_below(n, axis=-2)
    return up_to + sums_below(up_to, axis=-1)


def _ordered_pairs(marginal: Array) -> Array:
    """Return Σ_{i≤j} m_i m_j − N: ordered pairs of different items that do not decrease."""
    xp = array_namespace(marginal)
    return xp.sum(marginal * _up_to(marginal), axis=-1) - xp.sum(marginal, axis=-1)


_SHARE: Facts = {
    **_BOTH_VARY,
    "bounds": (0.0, 1.0),
    "nonnegative": "margins",
    "claims": "reversible proportional padded perfect",
}


def _same_order(n: Array) -> Array:
    """Count, for each cell, the items that gold and prediction both put below or both above."""
    return items_below(n) + _items_above(n)


def _items_of_others(marginal: Array) -> Array:
    """Count the items of all other classes: sums, because N − m loses digits of rare classes."""
    xp = array_namespace(marginal)

    def below(m: Array) -> Array:
        return cumulative_sums(m, include_initial=True)[..., :-1]

    return below(marginal) + xp.flip(below(xp.flip(marginal, axis=-1)), axis=-1)


def _mean_share(n: Array, same: Array, separated: Array) -> Array:
    """Return the mean share of items in the same order among those in separate classes."""
    xp = array_namespace(n)
    share = ratio(same, separated, 0.0)
    counted = with_weights(n, xp.where(separated > 0, weights(n), 0.0))
    return ratio(total(counted * share), total(counted))


@register_measure(
    "reliability", **{**_SHARE, "undefined": (NO_ITEMS, CONSTANT_PREDICTION)}, label="reliability"
)
def reliability(n: Array) -> Array:
    return _mean_share(n, _same_order(n), of_predicted(n, _items_of_others(predicted(n))))


@register_measure(
    "sensitivity", **{**_SHARE, "undefined": (NO_ITEMS, CONSTANT_GOLD)}, label="sensitivity"
)
def sensitivity(n: Array) -> Array:
    return _mean_share(n, _same_order(n), of_gold(n, _items_of_others(gold(n))))


@register_measure(
    "rs_f",
    **{**_SHARE, "claims": _BOTH_VARY["claims"]},
    label="F(R,S)",
    aliases=("reliability_sensitivity",),
)
def rs_f(n: Array) -> Array:
    xp, same = array_namespace(n), _same_order(n)
    reliable = _mean_share(n, same, of_predicted(n, _items_of_others(predicted(n))))
    sensitive = _mean_share(n, same, of_gold(n, _items_of_others(gold(n))))
    defined = ~xp.isnan(reliable + sensitive)  # NaN would be multiplied with a gradient of 0
    shares = (xp.where(defined, share, 1.0) for share in (reliable, sensitive))
    return xp.where(defined, harmonic(*shares), xp.nan)
