"""Quantification: how far an estimated distribution p lies from the gold one q, both `[..., K]`."""

from typing import Any

from array_api_compat import array_namespace

from ..registry import Condition, Facts, Parameter, measure
from .agreement import disagreement, fitting_weights, usable_weights
from .tables import Array, ratio, root

_DISTANCE: Facts = {
    "task": "quantification",
    "family": "quantification",
    "better": "lower",
    "bounds": lambda k, params: (0.0, 1.0),
}


def _cumulative_gap(p: Array, q: Array, values: Array) -> Array:
    """Σ_i |cp_i − cq_i| times the step from class i to the next."""
    xp = array_namespace(q)
    gap = xp.abs(xp.cumulative_sum(p - q, axis=-1))[..., :-1]
    return xp.sum(gap * (values[1:] - values[:-1]), axis=-1)


@measure(
    "emd",
    **{**_DISTANCE, "bounds": lambda k, params: (0.0, k - 1.0)},
    scale="interval",
    title="Earth mover's distance",
    symbol="EMD",
    aliases=("wasserstein",),
    claims=("symmetric", "reversible", "padded", "perfect"),
    formula=r"\sum_i |cp_i - cq_i|",
    description="Least mass times distance that must be moved to turn one into the other.",
    citation="Sakai 2021, eq. 11",
)
def emd(p: Array, q: Array, values: Array) -> Array:
    return _cumulative_gap(p, q, values)


@measure(
    "nmd",
    **_DISTANCE,
    scale="interval",
    title="Normalised match distance",
    symbol="NMD",
    claims=("symmetric", "reversible", "perfect"),
    formula=r"\frac{1}{K-1}\sum_i |cp_i - cq_i|",
    description="Earth mover's distance as a share of the length of the scale.",
    citation="Sakai 2021, eq. 11",
)
def nmd(p: Array, q: Array, values: Array) -> Array:
    return _cumulative_gap(p, q, values) / (values[-1] - values[0])


_WEIGHTS = Parameter(
    "weights",
    "linear",
    '"none", "linear", "quadratic", or a K by K array with zero diagonal',
    lambda value: value != "closeness" and usable_weights(value),
    fits=fitting_weights,
)


def _order_aware_divergence(p: Array, q: Array, values: Array, weights: Any) -> Array:
    """OD(p‖q): mean over the classes with q > 0 of Σ_j w_ij (p_j − q_j)²."""
    xp = array_namespace(q)
    w = disagreement(values[:, None] * values, values, weights)
    by_class = xp.sum(w * ((p - q) ** 2)[..., None, :], axis=-1)
    used = xp.astype(q > 0, q.dtype)
    return ratio(xp.sum(used * by_class, axis=-1), xp.sum(used, axis=-1))


def _widest(values: Array, weights: Any) -> Array:
    """The largest weight, K − 1 for linear ones, by which the divergences are normalised."""
    return array_namespace(values).max(disagreement(values[:, None] * values, values, weights))


_OD: Facts = {**_DISTANCE, "scale": "interval", "parameters": (_WEIGHTS,)}
_UNBOUNDED: Facts = {"bounds": lambda k, params: (0.0, float("inf"))}


@measure(
    "od",
    **{**_OD, **_UNBOUNDED},
    title="Order-aware divergence",
    symbol="OD",
    claims=("reversible", "padded", "perfect"),
    formula=r"\mathrm{mean}_{i: q_i > 0} \sum_j |i-j|\,(p_j - q_j)^2",
    description="Squared differences weighed by their distance from the classes that gold uses.",
    citation="Sakai 2021, eqs. 12-13",
)
def od(p: Array, q: Array, values: Array, weights: Any = "linear") -> Array:
    return _order_aware_divergence(p, q, values, weights)


@measure(
    "sod",
    **{**_OD, **_UNBOUNDED},
    title="Symmetric order-aware divergence",
    symbol="SOD",
    claims=("symmetric", "reversible", "padded", "perfect"),
    formula=r"\frac{1}{2}\left(\mathrm{OD}(p\|q) + \mathrm{OD}(q\|p)\right)",
    description="Order-aware divergence, both ways round.",
    citation="Sakai 2021, eq. 13",
)
def sod(p: Array, q: Array, values: Array, weights: Any = "linear") -> Array:
    return (od(p, q, values, weights) + od(q, p, values, weights)) / 2


@measure(
    "rnod",
    **_OD,
    title="Root normalised order-aware divergence",
    symbol="RNOD",
    claims=("reversible", "perfect"),
    formula=r"\sqrt{\mathrm{OD}(p\|q) / (K-1)}",
    description="Order-aware divergence on a 0 to 1 scale.",
    citation="Sakai 2021, eq. 14",
)
def rnod(p: Array, q: Array, values: Array, weights: Any = "linear") -> Array:
    return root(od(p, q, values, weights) / _widest(values, weights))


@measure(
    "rsnod",
    **_OD,
    title="Root symmetric normalised order-aware divergence",
    symbol="RSNOD",
    claims=("symmetric", "reversible", "perfect"),
    formula=r"\sqrt{\mathrm{SOD}(p, q) / (K-1)}",
    description="Symmetric order-aware divergence on a 0 to 1 scale.",
    citation="Sakai 2021, eq. 15",
)
def rsnod(p: Array, q: Array, values: Array, weights: Any = "linear") -> Array:
    return root(sod(p, q, values, weights) / _widest(values, weights))


_NOMINAL: Facts = {**_DISTANCE, "scale": "nominal"}
_ANY_ORDER = ("reversible", "relabelable", "padded")


@measure(
    "nvd",
    **_NOMINAL,
    title="Normalised variational distance",
    symbol="NVD",
    aliases=("variational_distance", "total_variation"),
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    formula=r"\frac{1}{2}\sum_i |p_i - q_i|",
    description="Share of mass in the wrong class, wherever it lies.",
    citation="Sakai 2021, eq. 16",
)
def nvd(p: Array, q: Array) -> Array:
    xp = array_namespace(q)
    return xp.sum(xp.abs(p - q), axis=-1) / 2


@measure(
    "rnss",
    **_NOMINAL,
    title="Root normalised sum of squares",
    symbol="RNSS",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    formula=r"\sqrt{\frac{1}{2}\sum_i (p_i - q_i)^2}",
    description="Root of half the summed squared differences.",
    citation="Sakai 2021, eq. 17",
)
def rnss(p: Array, q: Array) -> Array:
    return root(array_namespace(q).sum((p - q) ** 2, axis=-1) / 2)


def _relative_entropy(p: Array, q: Array) -> Array:
    """Σ_{p>0} p log₂(p/q); NaN where q = 0 < p."""
    xp = array_namespace(q)
    used = p > 0
    share = xp.where(used, p, 1.0) / xp.where(used & (q > 0), q, 1.0)
    bits = xp.sum(xp.where(used, p * xp.log2(share), 0.0), axis=-1)
    return xp.where(_unforeseen(p, q), xp.nan, bits)


def _unforeseen(p: Array, q: Array) -> Array:
    """Whether p uses a class that q leaves empty."""
    return array_namespace(q).any((p > 0) & (q <= 0), axis=-1)


@measure(
    "kld",
    **{**_NOMINAL, **_UNBOUNDED},
    undefined=lambda params: (Condition("gold is 0 where the estimate is not", _unforeseen),),
    title="Kullback-Leibler divergence",
    symbol="KLD",
    claims=(*_ANY_ORDER, "perfect"),
    formula=r"\sum_{p_i > 0} p_i \log_2 \frac{p_i}{q_i}",
    description="Relative entropy in bits; undefined where gold is 0 and the estimate is not.",
    citation="Sakai 2021, eq. 18",
)
def kld(p: Array, q: Array) -> Array:
    return _relative_entropy(p, q)


@measure(
    "jsd",
    **_NOMINAL,
    title="Jensen-Shannon divergence",
    symbol="JSD",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    formula=r"\frac{1}{2}\left(\mathrm{KLD}(p\|m) + \mathrm{KLD}(q\|m)\right),\ m = (p+q)/2",
    description="Mean relative entropy to the midpoint, in bits.",
    citation="Sakai 2021, eq. 19",
)
def jsd(p: Array, q: Array) -> Array:
    middle = (p + q) / 2
    return (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2
