"""Quantification: distances between a gold and an estimated distribution, both `[..., K]`.

In the formulas, p is the estimated and q the gold distribution. Measures that can be smoothed by
the number of items take it as `size`, an array `[...]`.
"""

from collections.abc import Callable
from math import e, log2
from typing import Any

import numpy as np

from ..data.distributions import class_sums
from ..types import Codes, Floats
from .agreement import DISTANCE_WEIGHTS, distance_weights
from .registry import Bounds, Condition, Facts, Parameter, Params, choice, number, register_measure
from .terms import Array, array_namespace, ratio, root, running_sums


def over_classes(x: Array) -> Array:
    """Return the sums over the last axis."""
    return class_sums(x) if isinstance(x, np.ndarray) else array_namespace(x).sum(x, axis=-1)


_DISTANCE: Facts = {
    "task": "quantification",
    "family": "quantification",
    "better": "lower",
    "bounds": (0.0, 1.0),
}


@register_measure(
    "emd",
    **{**_DISTANCE, "bounds": lambda values, params: (0.0, float(values[-1] - values[0]))},
    scale="interval",
    label="EMD",
    aliases=("wasserstein",),
    claims="symmetric reversible padded perfect",
)
def emd(gold: Array, estimate: Array, values: Array) -> Array:
    gap = array_namespace(gold).abs(running_sums(estimate - gold)[..., 1:-1])  # |cp − cq|
    return over_classes(gap * (values[1:] - values[:-1]))


@register_measure(
    "nmd", **_DISTANCE, scale="interval", label="NMD", claims="symmetric reversible perfect"
)
def nmd(gold: Array, estimate: Array, values: Array) -> Array:
    return emd(gold, estimate, values) / (values[-1] - values[0])


_PORTION = 1 << 21  # numbers in an array of classes by pairs of classes
_LONG_SCALE = 16  # with more classes, no array of K by K numbers for every topic is made


def _largest_divergence(values: Floats, weights: Any, *, symmetric: bool) -> float:
    """Return the supremum of OD, or of SOD, over all pairs of distributions.

    For fixed sets of classes that p and q use, OD is convex in both, so that its supremum is that
    of distributions with nearly all mass in one class each, q in a and p in b, and with traces
    of q in the other classes of a set S with a: the mean over S of w_ia + w_ib.
    """
    w = distance_weights(values, weights)
    pairs = _candidates(len(values), every=not isinstance(weights, str))
    portions, largest = -(-len(pairs[0]) * len(values) // _PORTION), 0.0
    for a, b in zip(*(np.array_split(side, portions) for side in pairs), strict=True):
        sums = w[:, a] + w[:, b]  # [class, pair]
        found = _largest_mean_with(a, sums)
        found = (found + _largest_mean_with(b, sums)) / 2 if symmetric else found
        largest = max(largest, float(found.max()))
    return largest


def _candidates(k: int, *, every: bool) -> tuple[Codes, Codes]:
    """Return the pairs of classes (a, b) among which the supremum is found.

    Weights that are convex in the distance of the class values are largest for neighbours, or for
    the ends of the scale: these pairs are the corners of the set of pairs (v_a, v_b) with a < b.
    """
    if every:
        pairs = ~np.eye(k, dtype=bool)
        return pairs.nonzero()[0], pairs.nonzero()[1]
    lower = np.append(np.arange(k - 1), 0)
    return lower, np.append(np.arange(1, k), k - 1)


def _largest_mean_with(own: Codes, sums: Floats) -> Floats:
    """Return the largest mean of `sums` `[class, pair]` over sets of classes that hold `own`."""
    k, pair = len(sums), np.arange(len(own))
    others = sums.copy()
    others[own, pair] = -np.inf
    ordered = -np.sort(-others, axis=0)[:-1]
    added = np.cumsum(np.concatenate([sums[own, pair][None], ordered]), axis=0)
    found: Floats = np.max(added / np.arange(1, k + 1)[:, None], axis=0)
    return found


def _divergence_bounds(*, symmetric: bool, root: bool) -> Callable[[Floats, Params], Bounds]:
    """Return the bounds of OD or SOD, or of the roots of their shares of the largest weight."""

    def bounds(values: Floats, params: Params) -> Bounds:
        highest = _largest_divergence(values, params["weights"], symmetric=symmetric)
        if root:
            largest = distance_weights(values, params["weights"]).max()
            highest = float(np.sqrt(highest / largest))
        return 0.0, highest

    return bounds


_OD: Facts = {**_DISTANCE, "scale": "interval", "parameters": (DISTANCE_WEIGHTS,)}


@register_measure(
    "od",
    **{**_OD, "bounds": _divergence_bounds(symmetric=False, root=False)},
    label="OD",
    claims="reversible padded perfect",
)
def od(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    xp = array_namespace(gold)
    w = distance_weights(values, weights)  # |i − j| by default
    squares = (estimate - gold) ** 2
    if w.shape[0] > _LONG_SCALE:
        by_class = xp.stack([xp.sum(row * squares, axis=-1) for row in w], axis=-1)
    else:
        by_class = xp.sum(w * squares[..., None, :], axis=-1)
    used = xp.astype(gold > 0, gold.dtype)
    return ratio(xp.sum(used * by_class, axis=-1), xp.sum(used, axis=-1))


@register_measure(
    "sod",
    **{**_OD, "bounds": _divergence_bounds(symmetric=True, root=False)},
    label="SOD",
    claims="symmetric reversible padded perfect",
)
def sod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return (od(gold, estimate, values, weights) + od(estimate, gold, values, weights)) / 2


@register_measure(
    "rnod",
    **{**_OD, "bounds": _divergence_bounds(symmetric=False, root=True)},
    label="RNOD",
    claims="reversible perfect",
)
def rnod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return root(od(gold, estimate, values, weights) / _largest_weight(values, weights))


def _largest_weight(values: Array, weights: Any) -> Array:
    """Return the largest weight between two classes, K − 1 by default."""
    return array_namespace(values).max(distance_weights(values, weights))


@register_measure(
    "rsnod",
    **{**_OD, "bounds": _divergence_bounds(symmetric=True, root=True)},
    label="RSNOD",
    claims="symmetric reversible perfect",
)
def rsnod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return root(sod(gold, estimate, values, weights) / _largest_weight(values, weights))


_NOMINAL: Facts = {**_DISTANCE, "scale": "nominal"}
_ANY_ORDER = "reversible relabelable padded"


@register_measure(
    "nvd",
    **_NOMINAL,
    label="NVD",
    aliases=("variational_distance", "total_variation"),
    claims=f"symmetric {_ANY_ORDER} perfect",
)
def nvd(gold: Array, estimate: Array) -> Array:
    return over_classes(array_namespace(gold).abs(estimate - gold)) / 2


@register_measure("rnss", **_NOMINAL, label="RNSS", claims=f"symmetric {_ANY_ORDER} perfect")
def rnss(gold: Array, estimate: Array) -> Array:
    return root(over_classes((estimate - gold) ** 2) / 2)


@register_measure(
    "ae",
    **{**_NOMINAL, "bounds": lambda values, params: (0.0, 2.0 / len(values))},
    label="AE",
    aliases=("absolute_error",),
    claims="symmetric reversible relabelable perfect",
)
def ae(gold: Array, estimate: Array) -> Array:
    return over_classes(array_namespace(gold).abs(estimate - gold)) / gold.shape[-1]


_is_share = number(0.0)
SMOOTHING = Parameter(
    "smoothing",
    0,
    'a number of at least 0 that is added to every share, or "size"',
    lambda value: value == "size" if isinstance(value, str) else _is_share(value),
)


def _smoothed(shares: Array, smoothing: Any, size: Any) -> Array:
    """Return (p + ε)/(1 + Kε); ε = 1/(2n) for the sizes n of the distributions, or as given."""
    added = 1.0 / (2.0 * size[..., None]) if smoothing == "size" else float(smoothing)
    return (shares + added) / (1.0 + shares.shape[-1] * added)


def _relative_bounds(values: Floats, params: Params) -> Bounds:
    """Return the bounds of RAE: no gold in the estimated class, and equal shares elsewhere."""
    others, added = len(values) - 1, params["smoothing"]
    if added in (0, "size"):
        return 0.0, float("inf")
    return 0.0, (1 / added + others / (1 + others * added)) / len(values)


def _exceeds_support(p: Array, q: Array) -> Array:
    """Return whether p is positive in a class where q is 0."""
    return array_namespace(q).any((p > 0) & (q <= 0), axis=-1)


_GOLD_ZERO = Condition(
    "gold is 0 where the estimate is not",
    lambda gold, estimate, values: _exceeds_support(estimate, gold),
)


@register_measure(
    "rae",
    **{**_NOMINAL, "bounds": _relative_bounds},
    undefined=lambda params: () if params["smoothing"] else (_GOLD_ZERO,),
    label="RAE",
    parameters=(SMOOTHING,),
    aliases={"relative_absolute_error": {}, "rae_smoothed": {"smoothing": "size"}},
    keys="rae_smoothed",
    claims="reversible relabelable perfect",
)
def rae(gold: Array, estimate: Array, size: Any = None, smoothing: float | str = 0) -> Array:
    xp = array_namespace(gold)
    q, p = (_smoothed(side, smoothing, size) for side in (gold, estimate))
    # A class that is empty in both counts as 0, the limit of ever less smoothing.
    relative = xp.mean(ratio(xp.abs(p - q), q, 0.0), axis=-1)
    return xp.where(_exceeds_support(p, q), xp.nan, relative)


def _relative_entropy(p: Array, q: Array) -> Array:
    """Return Σ_{p>0} p log₂(p/q); NaN where q = 0 < p."""
    xp = array_namespace(q)
    used = p > 0
    share = xp.where(used, p, 1.0) / xp.where(used & (q > 0), q, 1.0)
    bits = xp.sum(xp.where(used, p * xp.log2(share), 0.0), axis=-1)
    return xp.where(_exceeds_support(p, q), xp.nan, bits)


_ESTIMATE_ZERO = Condition(
    "the estimate is 0 where gold is not",
    lambda gold, estimate, values: _exceeds_support(gold, estimate),
)
_LOG2_OF_BASE = {2: 1.0, 10: log2(10), "e": log2(e)}


def _without_support(params: Params) -> tuple[Condition, ...]:
    if params["smoothing"]:
        return ()
    return (_ESTIMATE_ZERO if params["direction"] == "gold" else _GOLD_ZERO,)


def _entropy_bounds(values: Floats, params: Params) -> Bounds:
    """Return the bounds of KLD: gold and estimate in one class each, apart from smoothing."""
    added = params["smoothing"]
    if added in (0, "size"):
        return 0.0, float("inf")
    bits = (log2(1 + added) - log2(added)) / (1 + len(values) * added)
    return 0.0, bits / _LOG2_OF_BASE[params["base"]]


@register_measure(
    "kld",
    **{**_NOMINAL, "bounds": _entropy_bounds},
    undefined=_without_support,
    label="KLD of {direction}",
    parameters=(
        choice("direction", "estimate", "gold"),
        SMOOTHING,
        Parameter("base", 2, '2, 10, "e"', lambda value: value in _LOG2_OF_BASE),
    ),
    aliases={"kld_smoothed": {"direction": "gold", "smoothing": "size", "base": "e"}},
    keys="kld_smoothed",
    claims=f"{_ANY_ORDER} perfect",
    # An unused class takes a share of the mass that is added.
    unclaimed=lambda params: ("padded",) if params["smoothing"] else (),
)
def kld(
    gold: Array,
    estimate: Array,
    size: Any = None,
    direction: str = "estimate",
    smoothing: float | str = 0,
    base: int | str = 2,
) -> Array:
    q, p = (_smoothed(side, smoothing, size) for side in (gold, estimate))
    bits = _relative_entropy(q, p) if direction == "gold" else _relative_entropy(p, q)
    return bits / _LOG2_OF_BASE[base]


@register_measure("jsd", **_NOMINAL, label="JSD", claims=f"symmetric {_ANY_ORDER} perfect")
def jsd(gold: Array, estimate: Array) -> Array:
    middle = (estimate + gold) / 2
    return (_relative_entropy(estimate, middle) + _relative_entropy(gold, middle)) / 2
