"""Agreement corrected for chance."""

from collections.abc import Mapping
from typing import Any

from array_api_compat import array_namespace, device

from ..registry import Condition, Facts, Parameter, measure, number, one_of
from .closeness import proximity
from .tables import (
    NO_ITEMS,
    ONE_CLASS,
    Array,
    classes_used,
    distance,
    gold,
    identity,
    predicted,
    ratio,
    total,
)

_AGREEMENT: Facts = {"family": "agreement", "better": "higher"}
_KINDS = ("none", "linear", "quadratic", "closeness")
_usable_weight = number(0.0)


def usable_weights(value: Any) -> bool:
    """One of the names, or a square array of numbers at least 0 with a zero diagonal."""
    if isinstance(value, str):
        return value in _KINDS
    if not isinstance(value, tuple) or len(value) < 2:
        return False
    rows = [row if isinstance(row, tuple) else () for row in value]
    square = all(len(row) == len(value) for row in rows)
    return (
        square
        and all(_usable_weight(x) for row in rows for x in row)
        and all(value[i][i] == 0 for i in range(len(value)))
        and any(x > 0 for row in rows for x in row)
    )


def fitting_weights(weights: Any, k: int) -> bool:
    """Whether weights are of K classes; those that have a name are of any number."""
    return isinstance(weights, str) or len(weights) == k


def disagreement(n: Array, values: Array, weights: Any) -> Array:
    """w, the cost of each (gold, predicted) pair: `[K, K]`, or `[..., K, K]` for closeness."""
    xp = array_namespace(n)
    if weights == "none":
        return 1.0 - identity(n)
    if weights == "linear":
        return distance(values)
    if weights == "quadratic":
        return distance(values) ** 2
    if weights == "closeness":
        prox = proximity(n, values, "ordinal", True)
        # Nothing is nearer to a gold class than the class itself: the diagonal costs nothing.
        return 1.0 - ratio(prox, xp.max(prox, axis=-1, keepdims=True))
    return xp.asarray(weights, dtype=n.dtype, device=device(n))


def _kappa_bounds(k: int, params: Mapping[str, Any]) -> tuple[float, float]:
    # With closeness or free weights, observed can be many times the expected disagreement.
    known = params["weights"] in ("none", "linear", "quadratic")
    return (-1.0 if known else -float("inf"), 1.0)


def _kappa_undefined(params: Mapping[str, Any]) -> tuple[Condition, ...]:
    weights = params["weights"]
    if isinstance(weights, str):
        return NO_ITEMS, ONE_CLASS

    def no_cost(n: Array, values: Array) -> Array:
        return _by_chance(n, disagreement(n, values, weights)) == 0

    return NO_ITEMS, Condition("the weights of all pairs of classes in use are 0", no_cost)


def _by_chance(n: Array, w: Array) -> Array:
    """N Σ w e: the disagreement of independent draws from the two marginals, times N."""
    expected = gold(n)[..., :, None] * predicted(n)[..., None, :]
    return array_namespace(n).sum(w * expected, axis=(-2, -1))


def _beyond_chance(n: Array, w: Array) -> Array:
    """1 − Σ w n / Σ w e."""
    observed = array_namespace(n).sum(w * n, axis=(-2, -1))
    return 1.0 - ratio(observed * total(n), _by_chance(n, w))


@measure(
    "kappa",
    **_AGREEMENT,
    scale="interval",
    bounds=_kappa_bounds,
    undefined=_kappa_undefined,
    title="Weighted kappa",
    symbol="κ",
    parameters=(
        Parameter(
            "weights",
            "linear",
            '"none", "linear", "quadratic", "closeness", or a K by K array with zero diagonal',
            usable_weights,
            shown=True,
            fits=fitting_weights,
        ),
    ),
    aliases={
        "qwk": {"weights": "quadratic"},
        "quadratic_kappa": {"weights": "quadratic"},
        "lwk": {"weights": "linear"},
        "linear_kappa": {"weights": "linear"},
        "weighted_kappa": {},
    },
    variants=({"weights": "linear"}, {"weights": "quadratic"}),
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    formula=r"1 - \frac{\sum w_{gp}\,n_{gp}}{\sum w_{gp}\,G_g P_p / N}",
    description="Agreement beyond chance, disagreements weighed by distance.",
    citation="Cohen 1968; Sakai 2021, eq. 5",
)
def kappa(n: Array, values: Array, weights: Any = "linear") -> Array:
    return _beyond_chance(n, disagreement(n, values, weights))


@measure(
    "cohen_kappa",
    **_AGREEMENT,
    scale="nominal",
    bounds=lambda k, params: (-1.0, 1.0),
    undefined=lambda params: (NO_ITEMS, ONE_CLASS),
    title="Cohen's kappa",
    symbol="κ₀",
    aliases=("unweighted_kappa",),
    claims=("symmetric", "reversible", "relabelable", "proportional", "padded", "perfect"),
    formula=r"1 - \frac{\sum_{g \ne p} n_{gp}}{\sum_{g \ne p} G_g P_p / N}",
    description="Exact agreement beyond chance; sees no order.",
    citation="Cohen 1960",
)
def cohen_kappa(n: Array) -> Array:
    return _beyond_chance(n, 1.0 - identity(n))


def _cancelling(m: Array, values: Array) -> Array:
    """Where two different classes in use have values that add up to 0: `[..., K, K]`."""
    cancel = (values[:, None] + values[None, :] == 0) & (distance(values) > 0)
    return (m[..., :, None] > 0) & (m[..., None, :] > 0) & cancel


def _ratio_difference(m: Array, values: Array) -> Array:
    """((v_i − v_j)/(v_i + v_j))²; undefined for two classes in use whose values cancel out."""
    xp = array_namespace(m)
    relative = ratio(distance(values), values[:, None] + values[None, :], 0.0)
    return xp.where(_cancelling(m, values), xp.nan, relative**2)


_LEVELS = ("ordinal", "interval", "nominal", "ratio")


def _squared_difference(m: Array, values: Array, level: str) -> Array:
    """δ², the squared difference between classes: `[..., K, K]`."""
    xp = array_namespace(m)
    if level == "nominal":
        return 1.0 - xp.eye(m.shape[-1], dtype=m.dtype, device=device(m))
    if level == "interval":
        return distance(values) ** 2
    if level == "ratio":
        return _ratio_difference(m, values)
    # Σ_{k=i..j} m_k − (m_i + m_j)/2 is the distance between the classes' mid-ranks.
    middle = xp.cumulative_sum(m, axis=-1) - m / 2
    return (middle[..., :, None] - middle[..., None, :]) ** 2


_HALF_AN_ITEM = Condition(
    "the items weigh half an item or less in all", lambda n, values: 2.0 * total(n) <= 1.0
)
_CANCELLING = Condition(
    "two class values in use add up to 0",
    lambda n, values: array_namespace(n).any(
        _cancelling(gold(n) + predicted(n), values), axis=(-2, -1)
    ),
)


def _alpha_undefined(params: Mapping[str, Any]) -> tuple[Condition, ...]:
    always = (NO_ITEMS, ONE_CLASS, _HALF_AN_ITEM)
    return (*always, _CANCELLING) if params["level"] == "ratio" else always


@measure(
    "alpha",
    **_AGREEMENT,
    scale="ordinal",
    bounds=lambda k, params: (-1.0, 1.0),
    undefined=_alpha_undefined,
    title="Krippendorff's alpha",
    symbol="α",
    parameters=(
        Parameter(
            "level",
            "ordinal",
            ", ".join(f'"{x}"' for x in _LEVELS),
            one_of(*_LEVELS),
            shown=True,
        ),
    ),
    aliases={
        "alpha_ord": {"level": "ordinal"},
        "alpha_int": {"level": "interval"},
        "krippendorff": {},
        "krippendorff_alpha": {},
    },
    variants=({"level": "ordinal"}, {"level": "interval"}),
    claims=("symmetric", "reversible", "padded", "perfect"),
    formula=r"1 - \frac{\sum_{i<j} O_{ij}\,\delta^2_{ij}}{\sum_{i<j} E_{ij}\,\delta^2_{ij}}",
    description="Agreement of two complete sets of labels as coders, distances by level.",
    citation="Krippendorff 2011; Sakai 2021, eqs. 6-7",
)
def alpha(n: Array, values: Array, level: str = "ordinal") -> Array:
    xp = array_namespace(n)
    labels = 2.0 * total(n)
    share = ratio(gold(n) + predicted(n), labels[..., None])  # m/2N: its powers stay small
    difference = _squared_difference(share, values, level)
    observed = ratio(2.0 * xp.sum(n * difference, axis=(-2, -1)), labels)
    drawn = xp.sum(share[..., :, None] * share[..., None, :] * difference, axis=(-2, -1))
    expected = drawn * ratio(labels, labels - 1.0)  # a label is not drawn twice
    defined = (classes_used(share) > 1) & (labels > 1)
    return xp.where(defined, 1.0 - ratio(observed, expected), xp.nan)
