"""Agreement corrected for chance: 1 − observed disagreement / disagreement expected by chance."""

from typing import Any

from array_api_compat import array_namespace

from ..registry import Bounds, Condition, Facts, Params, choice, register_measure
from ..types import Floats
from .numbers import interval_alpha
from .terms import (
    NO_ITEMS,
    ONE_CLASS,
    Array,
    classes_used,
    distance,
    gold,
    identity,
    indices,
    mid_ranks,
    predicted,
    ratio,
    total,
)
from .weights import WEIGHTS, disagreement

_AGREEMENT: Facts = {"family": "agreement", "better": "higher"}


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
        lambda n, values: total(disagreement(n, values, weights) * _by_chance(n)) == 0,
    )


@register_measure(
    "kappa",
    **_AGREEMENT,
    scale="interval",
    bounds=_kappa_bounds,
    undefined=_kappa_undefined,
    title="Weighted kappa",
    symbol="κ",
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
    variants=({"weights": "linear"}, {"weights": "quadratic"}),
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    axioms={
        "kappa(weights='linear')": ("order_awareness", "class_size_awareness", "symmetry"),
        "kappa(weights='quadratic')": ("order_awareness", "class_size_awareness", "symmetry"),
        "kappa(weights='closeness')": ("ordinal_invariance", "class_size_awareness"),
    },
    formula=r"1 - \frac{\sum_{g,p} w_{gp}\,n_{gp}}{\sum_{g,p} w_{gp}\,G_g P_p / N}",
    symbols={
        "w": "w_gp, the weight of a disagreement: 'none' 1 for g ≠ p, otherwise 0; 'linear' d_gp; "
        "'quadratic' d_gp²; 'closeness' 1 − prox(p, g)/prox(g, g), where prox(p, g) = "
        "−log₂(B_pg/N) and B_pg is half of the gold items of class p and all from its neighbour "
        "towards g up to those of g; or the array given"
    },
    range_note="with closeness weights or an array of weights, no lower bound is known",
    description="Agreement beyond chance, with disagreements weighted by distance.",
    citation="Cohen 1968; Sakai 2021, eq. 5",
)
def kappa(n: Array, values: Array, weights: Any = "linear") -> Array:
    w = disagreement(n, values, weights)
    return 1.0 - ratio(total(w * n) * total(n), total(w * _by_chance(n)))


@register_measure(
    "cohen_kappa",
    **_AGREEMENT,
    scale="nominal",
    bounds=(-1.0, 1.0),
    undefined=(NO_ITEMS, ONE_CLASS),
    title="Cohen's kappa",
    symbol="κ₀",
    aliases=("unweighted_kappa", "cohen_kappa_score"),
    claims=("symmetric", "reversible", "relabelable", "proportional", "padded", "perfect"),
    axioms=("ordinal_invariance", "imbalance", "class_size_awareness", "symmetry"),
    formula=r"1 - \frac{\sum_{g \ne p} n_{gp}}{\sum_{g \ne p} G_g P_p / N}",
    description="Exact agreement beyond chance, whatever the order of the classes.",
    citation="Cohen 1960",
)
def cohen_kappa(n: Array) -> Array:
    return kappa(n, indices(n), weights="none")


def _by_chance(n: Array) -> Array:
    """Return N e = G Pᵀ, N times the table expected of independent draws from the marginals."""
    return gold(n)[..., :, None] * predicted(n)[..., None, :]


_HALF_AN_ITEM = Condition(
    "the items weigh half an item or less in total", lambda n, values: 2.0 * total(n) <= 1.0
)
_NEGATIVE_VALUES = Condition(
    "a class in use has a negative value, and ratios need values of at least 0",
    lambda n, values: _uses_negative(gold(n) + predicted(n), values),
)


def _alpha_undefined(params: Params) -> tuple[Condition, ...]:
    always = (NO_ITEMS, ONE_CLASS, _HALF_AN_ITEM)
    return (*always, _NEGATIVE_VALUES) if params["level"] == "ratio" else always


@register_measure(
    "alpha",
    **_AGREEMENT,
    scale="ordinal",
    # For a squared Euclidean distance, as δ² is at every level, observed disagreement is at most
    # twice the expected.
    bounds=(-1.0, 1.0),
    undefined=_alpha_undefined,
    title="Krippendorff's alpha",
    symbol="α",
    parameters=(choice("level", "ordinal", "interval", "nominal", "ratio", shown=True),),
    aliases={
        "alpha_ord": {"level": "ordinal"},
        "alpha_int": {"level": "interval"},
        "krippendorff": {},
        "krippendorff_alpha": {},
    },
    variants=({"level": "ordinal"}, {"level": "interval"}),
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms={
        "alpha(level='ordinal')": (
            "ordinal_invariance",
            "order_awareness",
            "constant_systems",
            "class_size_awareness",
            "symmetry",
        ),
        "alpha(level='interval')": (
            "order_awareness",
            "constant_systems",
            "class_size_awareness",
            "symmetry",
        ),
        "alpha(level='nominal')": (
            "ordinal_invariance",
            "imbalance",
            "constant_systems",
            "class_size_awareness",
            "symmetry",
        ),
    },
    formula=r"1 - \frac{\sum_{i<j} O_{ij}\,\delta^2_{ij}}{\sum_{i<j} E_{ij}\,\delta^2_{ij}}",
    symbols={
        "i": "a class",
        "j": "a higher class",
        "O": "O_ij = n_ij + n_ji",
        "E": "E_ij = m_i m_j/(2N − 1), with m_i = G_i + P_i",
        r"\delta": "δ²_ij, the squared difference of two classes by the level: 'ordinal' "
        "(m_i/2 + m_{i+1} + … + m_{j−1} + m_j/2)²; 'interval' (v_i − v_j)²; 'nominal' 1; 'ratio' "
        "((v_i − v_j)/(v_i + v_j))²",
    },
    description="Agreement of gold and predictions as two coders without gaps; the level of "
    "measurement decides the distance between classes.",
    citation="Krippendorff 2011; Sakai 2021, eqs. 6-7",
    raw=lambda params: interval_alpha if params["level"] == "interval" else None,
)
def alpha(n: Array, values: Array, level: str = "ordinal") -> Array:
    xp = array_namespace(n)
    labels = 2.0 * total(n)
    share = ratio(gold(n) + predicted(n), labels[..., None])  # m/2N, whose powers do not overflow
    delta2 = _squared_difference(share, values, level)
    observed = ratio(2.0 * total(n * delta2), labels)
    drawn = total(share[..., :, None] * share[..., None, :] * delta2)
    expected = drawn * ratio(labels, labels - 1.0)  # a label is not paired with itself
    defined = (classes_used(share) > 1) & (labels > 1)
    if level == "ratio":
        defined = defined & ~_uses_negative(share, values)
    return xp.where(defined, 1.0 - ratio(observed, expected), xp.nan)


def _squared_difference(m: Array, values: Array, level: str) -> Array:
    """Return δ², the squared difference between classes: `[K, K]` or `[..., K, K]`."""
    if level == "nominal":
        return 1.0 - identity(m)
    if level == "ratio":
        relative = ratio(distance(values), values[:, None] + values[None, :], 0.0)
        return relative**2
    # Σ_{k=i..j} m_k − (m_i + m_j)/2 is the distance between the mid-ranks of the classes.
    return distance(values if level == "interval" else mid_ranks(m)) ** 2


def _uses_negative(m: Array, values: Array) -> Array:
    """Return whether a class with a negative value is in use."""
    return array_namespace(m).any((m > 0) & (values < 0), axis=-1)
