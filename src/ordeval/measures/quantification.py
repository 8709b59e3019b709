"""Quantification: distances between a gold and an estimated distribution, both `[..., K]`.

In the formulas, p is the estimated and q the gold distribution.
"""

from typing import Any

from array_api_compat import array_namespace

from ..registry import Condition, Facts, register_measure
from .terms import Array, ratio, root
from .weights import DISTANCE_WEIGHTS, distance_weights

_DISTANCE: Facts = {
    "task": "quantification",
    "family": "quantification",
    "better": "lower",
    "bounds": (0.0, 1.0),
}


@register_measure(
    "emd",
    **{**_DISTANCE, "bounds": lambda k, params: (0.0, k - 1.0)},
    scale="interval",
    title="Earth mover's distance",
    symbol="EMD",
    aliases=("wasserstein",),
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms=("order_awareness", "single_class_order", "symmetry"),
    formula=r"\sum_i |cp_i - cq_i|",
    description="Least work, mass times distance, that turns one distribution into the other.",
    citation="Sakai 2021, eq. 11",
)
def emd(gold: Array, estimate: Array, values: Array) -> Array:
    xp = array_namespace(gold)
    gap = xp.abs(xp.cumulative_sum(estimate - gold, axis=-1))[..., :-1]  # |cp − cq|
    return xp.sum(gap * (values[1:] - values[:-1]), axis=-1)


@register_measure(
    "nmd",
    **_DISTANCE,
    scale="interval",
    title="Normalised match distance",
    symbol="NMD",
    claims=("symmetric", "reversible", "perfect"),
    axioms=("order_awareness", "single_class_order", "symmetry"),
    formula=r"\frac{1}{K-1}\sum_i |cp_i - cq_i|",
    description="Earth mover's distance as a share of the length of the scale.",
    citation="Sakai 2021, eq. 11",
)
def nmd(gold: Array, estimate: Array, values: Array) -> Array:
    return emd(gold, estimate, values) / (values[-1] - values[0])


_OD: Facts = {**_DISTANCE, "scale": "interval", "parameters": (DISTANCE_WEIGHTS,)}
_UNBOUNDED: Facts = {"bounds": (0.0, float("inf"))}


@register_measure(
    "od",
    **{**_OD, **_UNBOUNDED},
    title="Order-aware divergence",
    symbol="OD",
    claims=("reversible", "padded", "perfect"),
    axioms=("single_class_order",),
    formula=r"\mathrm{mean}_{i: q_i > 0} \sum_j |i-j|\,(p_j - q_j)^2",
    description="Squared differences weighted by the distance from the classes that gold uses.",
    citation="Sakai 2021, eqs. 12-13",
)
def od(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    xp = array_namespace(gold)
    w = distance_weights(values, weights)  # |i − j| by default
    by_class = xp.sum(w * ((estimate - gold) ** 2)[..., None, :], axis=-1)
    used = xp.astype(gold > 0, gold.dtype)
    return ratio(xp.sum(used * by_class, axis=-1), xp.sum(used, axis=-1))


@register_measure(
    "sod",
    **{**_OD, **_UNBOUNDED},
    title="Symmetric order-aware divergence",
    symbol="SOD",
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms=("single_class_order", "symmetry"),
    formula=r"\frac{1}{2}\left(\mathrm{OD}(p\|q) + \mathrm{OD}(q\|p)\right)",
    description="Mean of the order-aware divergences in both directions.",
    citation="Sakai 2021, eq. 13",
)
def sod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return (od(gold, estimate, values, weights) + od(estimate, gold, values, weights)) / 2


@register_measure(
    "rnod",
    **_OD,
    title="Root normalised order-aware divergence",
    symbol="RNOD",
    claims=("reversible", "perfect"),
    axioms=("single_class_order",),
    formula=r"\sqrt{\mathrm{OD}(p\|q) / (K-1)}",
    description="Order-aware divergence normalised to a range of 0 to 1.",
    citation="Sakai 2021, eq. 14",
)
def rnod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return root(od(gold, estimate, values, weights) / _largest_weight(values, weights))


def _largest_weight(values: Array, weights: Any) -> Array:
    """Return the largest weight between two classes, K − 1 by default."""
    return array_namespace(values).max(distance_weights(values, weights))


@register_measure(
    "rsnod",
    **_OD,
    title="Root symmetric normalised order-aware divergence",
    symbol="RSNOD",
    claims=("symmetric", "reversible", "perfect"),
    axioms=("single_class_order", "symmetry"),
    formula=r"\sqrt{\mathrm{SOD}(p, q) / (K-1)}",
    description="Symmetric order-aware divergence normalised to a range of 0 to 1.",
    citation="Sakai 2021, eq. 15",
)
def rsnod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return root(sod(gold, estimate, values, weights) / _largest_weight(values, weights))


_NOMINAL: Facts = {**_DISTANCE, "scale": "nominal"}
_ANY_ORDER = ("reversible", "relabelable", "padded")


@register_measure(
    "nvd",
    **_NOMINAL,
    title="Normalised variational distance",
    symbol="NVD",
    aliases=("variational_distance", "total_variation"),
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\frac{1}{2}\sum_i |p_i - q_i|",
    description="Share of the mass that is in the wrong class, however far off.",
    citation="Sakai 2021, eq. 16",
)
def nvd(gold: Array, estimate: Array) -> Array:
    xp = array_namespace(gold)
    return xp.sum(xp.abs(estimate - gold), axis=-1) / 2


@register_measure(
    "rnss",
    **_NOMINAL,
    title="Root normalised sum of squares",
    symbol="RNSS",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\sqrt{\frac{1}{2}\sum_i (p_i - q_i)^2}",
    description="Square root of half the sum of squared differences.",
    citation="Sakai 2021, eq. 17",
)
def rnss(gold: Array, estimate: Array) -> Array:
    return root(array_namespace(gold).sum((estimate - gold) ** 2, axis=-1) / 2)


def _relative_entropy(p: Array, q: Array) -> Array:
    """Return Σ_{p>0} p log₂(p/q); NaN where q = 0 < p."""
    xp = array_namespace(q)
    used = p > 0
    share = xp.where(used, p, 1.0) / xp.where(used & (q > 0), q, 1.0)
    bits = xp.sum(xp.where(used, p * xp.log2(share), 0.0), axis=-1)
    return xp.where(_exceeds_support(p, q), xp.nan, bits)


def _exceeds_support(p: Array, q: Array) -> Array:
    """Return whether p is positive in a class where q is 0."""
    return array_namespace(q).any((p > 0) & (q <= 0), axis=-1)


_GOLD_ZERO = Condition(
    "gold is 0 where the estimate is not",
    lambda gold, estimate, values: _exceeds_support(estimate, gold),
)


@register_measure(
    "kld",
    **{**_NOMINAL, **_UNBOUNDED},
    undefined=(_GOLD_ZERO,),
    title="Kullback-Leibler divergence",
    symbol="KLD",
    claims=(*_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance",),
    undecided_axioms=("single_class_order",),
    formula=r"\sum_{p_i > 0} p_i \log_2 \frac{p_i}{q_i}",
    description="Relative entropy in bits; undefined where gold is 0 and the estimate is not.",
    citation="Sakai 2021, eq. 18",
)
def kld(gold: Array, estimate: Array) -> Array:
    return _relative_entropy(estimate, gold)


@register_measure(
    "jsd",
    **_NOMINAL,
    title="Jensen-Shannon divergence",
    symbol="JSD",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\frac{1}{2}\left(\mathrm{KLD}(p\|m) + \mathrm{KLD}(q\|m)\right),\ m = (p+q)/2",
    description="Mean relative entropy with respect to the midpoint of both, in bits.",
    citation="Sakai 2021, eq. 19",
)
def jsd(gold: Array, estimate: Array) -> Array:
    middle = (estimate + gold) / 2
    return (_relative_entropy(estimate, middle) + _relative_entropy(gold, middle)) / 2
