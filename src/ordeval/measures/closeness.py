"""Closeness: classes are near when few gold items lie between them."""

from collections.abc import Mapping
from typing import Any

from array_api_compat import array_namespace

from ..registry import Condition, Facts, Parameter, measure, one_of
from .tables import (
    CONSTANT_GOLD,
    NO_ITEMS,
    Array,
    distance,
    gold,
    identity,
    indices,
    ratio,
    total,
)


def items_between(n: Array) -> Array:
    """K, half the gold items of class p and all from there to class g: `[..., gold, predicted]`."""
    xp = array_namespace(n)
    G = gold(n)
    up_to = xp.cumulative_sum(G, axis=-1)
    before = up_to - G
    rising = up_to[..., :, None] - up_to[..., None, :]  # from p up to g
    falling = before[..., None, :] - before[..., :, None]  # from p down to g
    index = indices(n)
    p_below_g = index[None, :] < index[:, None]
    return G[..., None, :] / 2 + xp.where(p_below_g, rising, falling)


def _items_no_farther(n: Array, values: Array) -> Array:
    """Gold items of classes no farther from g than p is: `[..., gold, predicted]`."""
    xp = array_namespace(n)
    d = distance(values)
    inside = xp.astype(d[:, None, :] <= d[:, :, None], n.dtype)  # [gold, predicted, class]
    return xp.sum(inside * gold(n)[..., None, None, :], axis=-1)


def proximity(n: Array, values: Array, scale: str, log: bool) -> Array:
    """prox, how near predicted class p is to gold class g: `[..., gold, predicted]`.

    Cells without any gold item on the way count half an item; they never carry a count.
    """
    xp = array_namespace(n)
    if scale == "ordinal":
        near = items_between(n)
    elif scale == "interval":
        near = _items_no_farther(n, values)
    else:
        own = gold(n)[..., :, None]
        near = xp.where(identity(n) > 0, own, total(n)[..., None, None])
    share = ratio(xp.where(near > 0, near, 0.5), total(n)[..., None, None])
    return -xp.log2(share) if log else 1.0 - share


_CLOSENESS: Facts = {
    "family": "closeness",
    "better": "higher",
    "bounds": lambda k, params: (0.0, 1.0),
    "scale": "ordinal",
}
_SCALES = ("ordinal", "nominal", "interval")


def _cem_undefined(params: Mapping[str, Any]) -> tuple[Condition, ...]:
    constant = () if params["scale"] == "ordinal" else (CONSTANT_GOLD,)
    return (NO_ITEMS, *constant)


@measure(
    "cem",
    **_CLOSENESS,
    undefined=_cem_undefined,
    title="Closeness evaluation measure",
    symbol="CEM",
    parameters=(
        Parameter("scale", "ordinal", ", ".join(f'"{x}"' for x in _SCALES), one_of(*_SCALES)),
        Parameter("log", True, "True, False", lambda value: type(value) is bool),
    ),
    aliases={
        "cem_ord": {"scale": "ordinal"},
        "cem_nominal": {"scale": "nominal"},
        "cem_interval": {"scale": "interval"},
        "cem_flat": {"log": False},
    },
    variants=({}, {"log": False}),
    claims=("reversible", "proportional", "padded", "perfect"),
    formula=r"\frac{\sum_{g,p} \mathrm{prox}(p, g)\,n_{gp}}{\sum_g \mathrm{prox}(g, g)\,G_g}",
    description="Information in the closeness of predictions to gold: an error across few items "
    "is a small one, a hit in a rare class a large gain.",
    citation="Amigó et al. 2020",
)
def cem(n: Array, values: Array, scale: str = "ordinal", log: bool = True) -> Array:
    xp = array_namespace(n)
    prox = proximity(n, values, scale, log)
    most = xp.sum(prox * identity(n), axis=-1)[..., :, None]  # prox(g, g)
    return ratio(xp.sum(prox * n, axis=(-2, -1)), xp.sum(most * n, axis=(-2, -1)))


def ciq(n: Array, values: Array, axis: int, scale: str = "ordinal", log: bool = True) -> Array:
    """Closeness information per class over its maximum: `[..., K]`, NaN for a class without items.

    `axis=-2` sums over gold and gives precision per predicted class; `axis=-1` sums over
    predictions and gives recall per gold class. The maximum has every such item right.
    """
    xp = array_namespace(n)
    prox = proximity(n, values, scale, log)
    most = xp.sum(prox * identity(n), axis=-1) * xp.sum(n, axis=axis)
    return ratio(xp.sum(prox * n, axis=axis), most)
