"""Closeness: two classes are close if few gold items lie between them."""

import numpy as np

from ..types import Floats
from .registry import Condition, Facts, Parameter, Params, boolean, choice, register_measure
from .terms import (
    CONSTANT_GOLD,
    NO_ITEMS,
    Array,
    Cells,
    Places,
    array_namespace,
    classes_used,
    cumulative_sums,
    diagonal,
    distance,
    gold,
    indices,
    of_gold,
    of_predicted,
    of_table,
    ratio,
    same_gold,
    times,
    total,
)


def items_between(n: Array) -> Array:
    """Return K by cell: half of the gold items of class p, and all from there to class g."""
    xp = array_namespace(n)
    G = gold(n)
    up_to = cumulative_sums(G)
    before = up_to - G
    rising = of_gold(n, up_to) - of_predicted(n, up_to)  # from p up to g
    falling = of_predicted(n, before) - of_gold(n, before)  # from p down to g
    index = indices(n)
    p_below_g = of_predicted(n, index) < of_gold(n, index)
    return of_predicted(n, G) / 2 + xp.where(p_below_g, rising, falling)


def _items_no_farther(n: Array, values: Array) -> Array:
    """Count the gold items of classes no farther from g than p is: `[..., gold, predicted]`."""
    xp, G, d = array_namespace(n), gold(n), distance(values)
    rows = []
    for g in range(n.shape[-1]):
        order = xp.argsort(d[g, :])
        items = xp.cumulative_sum(xp.take(G, order, axis=-1), axis=-1)
        farthest = xp.searchsorted(xp.take(d[g, :], order), d[g, :], side="right") - 1
        rows.append(xp.take(items, farthest, axis=-1))
    return xp.stack(rows, axis=-2)


def proximity(n: Array, values: Array, scale: str, log: bool) -> Array:
    """Return prox by cell, how close predicted class p is to gold class g.

    Half an item is assumed where there is no gold item on the way; the count of that cell is 0.
    """
    xp = array_namespace(n)
    if scale == "ordinal":
        near = items_between(n)
    elif scale == "interval":
        near = _items_no_farther(n, values)
    else:
        index = indices(n)
        same = of_gold(n, index) == of_predicted(n, index)
        near = xp.where(same, of_gold(n, gold(n)), of_table(n, total(n)))
    share = ratio(xp.where(near > 0, near, 0.5), of_table(n, total(n)))
    share = xp.where(share > 1, 1.0, share)  # rounding, or half an item of a lighter total
    return -xp.log2(share) if log else 1.0 - share


def proximity_once(n: Array, values: Array, scale: str, log: bool) -> Array:
    """Return prox, of a single table `[1, gold, predicted]` if all tables have the same gold."""
    if same_gold(n):  # two tables, because a single one would be added in another order
        return proximity(n[:2], values, scale, log)[:1, ...]
    return proximity(n, values, scale, log)


_CLOSENESS: Facts = {
    "family": "closeness",
    "better": "higher",
    "bounds": (0.0, 1.0),
    "scale": "ordinal",
}


def _cem_undefined(params: Params) -> tuple[Condition, ...]:
    constant = () if params["scale"] == "ordinal" else (CONSTANT_GOLD,)
    return (NO_ITEMS, *constant)


def _cem_influence(n: Floats, values: Floats, scale: str, log: bool) -> Floats | None:
    if scale != "ordinal":
        return None
    q, k = n / total(n)[..., None, None], n.shape[-1]
    once = q[:2] if same_gold(n) else q  # as in `proximity_once`
    G, prox, between = gold(once), proximity(once, values, scale, log), items_between(once)
    g, p, i = np.ogrid[:k, :k, :k]
    counted = ((np.minimum(g, p) <= i) & (i <= np.maximum(g, p))) - 0.5 * (i == p)
    rate = ratio(1.0, between * np.log(2), 0.0) if log else np.ones_like(between)  # −∂prox/∂B
    largest = -np.log2(G / 2) - 1 / np.log(2) if log else 1.0 - G
    whole = (G * diagonal(prox)).sum(axis=-1)
    if once is not q:
        prox, rate, largest, whole = prox[:1], rate[:1], largest[:1], whole[:1]
    pulled = times((q * rate).reshape(*q.shape[:-2], k * k), counted.reshape(k * k, k))
    share = total(q * prox) / whole
    own = pulled + share[..., None] * largest
    return np.asarray((prox - own[..., :, None]) / whole[..., None, None])


@register_measure(
    "cem",
    influence=_cem_influence,
    nonnegative="margins",
    **_CLOSENESS,
    undefined=_cem_undefined,
    of_cells=lambda params: params["scale"] != "interval",
    label="CEM",
    parameters=(
        choice("scale", "ordinal", "nominal", "interval"),
        Parameter("log", True, "True, False", boolean),
    ),
    aliases={
        "cem_ord": {"scale": "ordinal"},
        "cem_nominal": {"scale": "nominal"},
        "cem_interval": {"scale": "interval"},
        "cem_flat": {"log": False},
    },
    keys="cem_nominal cem_interval cem_flat",
    variants=({}, {"log": False}),
    claims="reversible proportional padded perfect",
)
def cem(n: Array, values: Array, scale: str = "ordinal", log: bool = True) -> Array:
    prox = proximity_once(n, values, scale, log)
    score = ratio(total(n * prox), _largest_closeness(n, prox, values, scale, log))
    if scale == "ordinal":
        return score
    # The closeness of a constant to itself is 0 but for rounding.
    xp = array_namespace(n)
    return xp.where(classes_used(gold(n)) > 1, score, xp.nan)


def _largest_closeness(n: Array, prox: Array, values: Array, scale: str, log: bool) -> Array:
    """Return the sum of prox(g, g) over the items: `[...]`."""
    if not isinstance(n, Cells):
        return array_namespace(n).sum(gold(n) * diagonal(prox), axis=-1)
    # A table of the gold marginals on the diagonal has the same proximities.
    places = Places(np.arange(n.places.k), np.arange(n.places.k), n.places.k)
    correct = Cells(places, gold(n).T)
    return total(n * of_gold(n, proximity(correct, values, scale, log)))


def ciq(n: Array, values: Array, axis: int, scale: str = "ordinal", log: bool = True) -> Array:
    """Return the closeness per class as a share of its maximum: `[..., K]`.

    ``axis=-2`` sums over gold classes and gives the precision of each predicted class;
    ``axis=-1`` sums over predictions and gives the recall of each gold class. The maximum is
    reached if all these items are correct. NaN for a class without items.
    """
    xp = array_namespace(n)
    prox = proximity_once(n, values, scale, log)
    most = diagonal(prox) * xp.sum(n, axis=axis)
    return ratio(xp.sum(prox * n, axis=axis), most)
