"""Agreement of several raters: coefficients of sums over items.

A function takes `RaterSums`, whose arrays are sums over items, or tables `[..., first, second]` of
two raters who both rated every item.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from ..types import Floats
from .agreement import differences_of_tables, fits_classes, is_square, uses_negative
from .registry import Bounds, Condition, Facts, Parameter, Params, choice, number, register_measure
from .terms import (
    Array,
    array_namespace,
    classes_used,
    distance,
    identity,
    indices,
    mid_ranks,
    ratio,
)


@dataclass(frozen=True)
class RaterSums:
    """Sums over items that tell how raters agree; every array may have leading axes `[...]`.

    Of an item with r ratings, r_k of them of class k:

    Parameters
    ----------
    agreement : array of shape (..., K, K)
        Pairs of ratings by different raters, divided by r (r − 1); items with r ≥ 2 only.
    coincidence : array of shape (..., K, K)
        The same pairs, divided by r − 1.
    shares : array of shape (..., K)
        r_k / r.
    by_rater : array of shape (..., R, K)
        The ratings of each rater by class.
    gaps : array of shape (...)
        The number of raters who did not rate the item.
    tables : array of shape (..., R (R − 1)/2, K, K), optional
        The ratings of every pair of raters, the first one in rows, pairs in the order
        (1, 2), (1, 3), …; for measures that need them.
    moments : array of shape (..., R, 6), optional
        Of each rater: 1, x, y, x², y² and xy of the own class value x and the mean y of the others'
        on the items that others rated, too.
    """

    agreement: Array
    coincidence: Array
    shares: Array
    by_rater: Array
    gaps: Array
    tables: Array = None
    moments: Array = None

    @classmethod
    def of_tables(cls, n: Array) -> "RaterSums":
        """Return the sums of two raters who both rated every item."""
        xp = array_namespace(n)
        both = n + xp.matrix_transpose(n)
        first, second = xp.sum(n, axis=-1), xp.sum(n, axis=-2)
        return cls(
            both / 2.0,
            both,
            (first + second) / 2.0,
            xp.stack([first, second], axis=-2),
            xp.zeros_like(first[..., 0]),
            n[..., None, :, :],
        )

    @property
    def k(self) -> int:
        """The number of classes."""
        return int(self.shares.shape[-1])

    @property
    def raters(self) -> int:
        """The number of raters."""
        return int(self.by_rater.shape[-2])

    @property
    def arrays(self) -> dict[str, Array]:
        """The arrays that there are, by name."""
        return {name: array for name, array in vars(self).items() if array is not None}

    @property
    def flat(self) -> Floats:
        """All numbers of sums `[B, ...]` side by side: `[B, number]`."""
        return np.concatenate([a.reshape(len(a), -1) for a in self.arrays.values()], axis=1)

    def shaped(self, flat: Floats) -> "RaterSums":
        """Return numbers `[B, number]` as sums whose arrays have the shapes of these."""
        arrays, start = {}, 0
        for name, array in self.arrays.items():
            stop = start + array[0].size
            arrays[name] = flat[:, start:stop].reshape(len(flat), *array.shape[1:])
            start = stop
        return replace(self, **arrays)


def rater_sums(n: Any) -> RaterSums:
    """Return sums as they are, and tables as the sums of two raters."""
    return n if isinstance(n, RaterSums) else RaterSums.of_tables(n)


def items_rated(s: RaterSums) -> Array:
    """Return n, the number of items with a rating: `[...]`."""
    return array_namespace(s.shares).sum(s.shares, axis=-1)


def items_shared(s: RaterSums) -> Array:
    """Return n′, the number of items with two ratings or more: `[...]`."""
    return array_namespace(s.agreement).sum(s.agreement, axis=(-2, -1))


def _is_weights(value: Any) -> bool:
    """Return whether a value names weights, or is a symmetric matrix with ones on the diagonal."""
    if isinstance(value, str):
        return value in _NAMED
    if not is_square(value, _is_weight):
        return False
    places = range(len(value))
    symmetric = all(value[i][j] == value[j][i] for i in places for j in range(i))
    return symmetric and all(value[i][i] == 1 for i in places)


_NAMED = ("identity", "linear", "quadratic", "ordinal")
_is_weight = number(0.0, 1.0)
_ALLOWED = (
    '"identity", "linear", "quadratic", "ordinal", or a symmetric K by K array of weights from 0 '
    "to 1 with ones on the diagonal"
)


def _weights_parameter(default: str) -> Parameter:
    return Parameter("weights", default, _ALLOWED, _is_weights, shown=True, fits=fits_classes)


def agreement_weights(values: Array, weights: Any) -> Array:
    """Return the agreement of two classes, 1 on the diagonal: `[K, K]`.

    `weights` are "identity", "linear", "quadratic", "ordinal" or the weights themselves.

    >>> import numpy as np
    >>> agreement_weights(np.array([1.0, 2.0, 3.0]), "linear").tolist()
    [[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]]
    """
    xp, k = array_namespace(values), values.shape[0]
    if not isinstance(weights, str):
        # Not made by this library's `asarray` of tuples, so that any device is kept.
        rows = [xp.stack([values[0] * 0.0 + float(x) for x in row]) for row in weights]
        return xp.stack(rows)
    if k == 1 or weights == "identity":
        return identity(values)
    if weights == "ordinal":
        steps = distance(indices(values))
        return 1.0 - steps * (steps + 1.0) / (k * (k - 1.0))
    share = distance(values) / (values[-1] - values[0])
    return 1.0 - (share if weights == "linear" else share**2)


def _sum_of(a: Array) -> Array:
    return array_namespace(a).sum(a, axis=(-2, -1))


def _bilinear(x: Array, w: Array, y: Array) -> Array:
    """Return Σ_kl x_k w_kl y_l of arrays `[..., K]`."""
    xp = array_namespace(x)
    return xp.sum(xp.matmul(x[..., None, :], w)[..., 0, :] * y, axis=-1)


def _observed(s: RaterSums, w: Array) -> Array:
    """Return p_a, the weighted share of agreeing pairs, averaged over items."""
    return ratio(_sum_of(s.agreement * w), items_shared(s))


def _class_shares(s: RaterSums) -> Array:
    """Return π, the share of each class, averaged over items: `[..., K]`."""
    return ratio(s.shares, items_rated(s)[..., None])


def _corrected(observed: Array, by_chance: Array) -> Array:
    """Return (p_a − p_e)/(1 − p_e)."""
    xp = array_namespace(observed)
    # Differences of rounding are no disagreement.
    possible = xp.where(1.0 - by_chance > 1e-12, 1.0 - by_chance, 0.0)
    return ratio(observed - by_chance, possible)


def _paired(s: RaterSums) -> Array:
    """Return m, the ratings of items with two or more, by class: `[..., K]`."""
    return array_namespace(s.coincidence).sum(s.coincidence, axis=-1)


# When coefficients are undefined.


def _when(reason: str, holds: Callable[[RaterSums, Array], Array]) -> Condition:
    """Return a condition on the sums and the class values."""
    return Condition(reason, lambda n, values: holds(rater_sums(n), values))


_SHARED = _when("no item has two ratings", lambda s, values: items_shared(s) <= 0)
_SAME = _when("all ratings are of the same class", lambda s, values: classes_used(s.shares) == 1)
_PAIRED = _when(
    "the ratings of shared items are all of the same class",
    lambda s, values: classes_used(_paired(s)) == 1,
)
_FEW = _when(
    "the ratings weigh no more than one rating in total",
    lambda s, values: _sum_of(s.coincidence) <= 1,
)
_NEGATIVE = _when(
    "a class in use has a negative value, and ratios need values of at least 0",
    lambda s, values: uses_negative(_paired(s), values),
)
_ONE_CLASS_SCALE = _when(
    "the scale has one class", lambda s, values: items_shared(s) * 0 + len(values) <= 1
)
_GAPS = _when(
    "some raters did not rate some items, and it needs every rater on every item",
    lambda s, values: s.gaps > 0,
)
_ONE_RATER = _when("there is one rater", lambda s, values: items_shared(s) * 0 + s.raters < 2)
_ONE_ITEM = _when("there is one item", lambda s, values: items_rated(s) <= 1)
_NO_ITEM = _when("there are no items", lambda s, values: items_rated(s) <= 0)


def _fleiss_undefined(params: Params) -> tuple[Condition, ...]:
    """Return when kappa is undefined: weights may say that no two classes in use disagree."""

    def agree(s: RaterSums, values: Array) -> Array:
        pi = _class_shares(s)
        return 1.0 - _bilinear(pi, agreement_weights(values, params["weights"]), pi) <= 1e-12

    if isinstance(params["weights"], str):
        return _SHARED, _SAME
    return _SHARED, _SAME, _when("all classes in use agree fully by these weights", agree)


# Coefficients.

_RATERS: Facts = {"task": "raters", "family": "raters", "better": "higher"}
_COEFFICIENT: Facts = {
    **_RATERS,
    "scale": "interval",
    "bounds": (-float("inf"), 1.0),
    "claims": "symmetric proportional perfect",
}


@register_measure(
    "krippendorff",
    **_RATERS,
    scale="ordinal",
    bounds=(-1.0, 1.0),
    undefined=lambda params: (
        _SHARED,
        _PAIRED,
        _FEW,
        *((_NEGATIVE,) if params["level"] == "ratio" else ()),
    ),
    label="Krippendorff's alpha, {level}",
    parameters=(choice("level", "ordinal", "interval", "nominal", "ratio", shown=True),),
    aliases={"krippendorff_alpha": {}},
    variants=({"level": "ordinal"}, {"level": "interval"}, {"level": "nominal"}),
    claims="symmetric perfect",
)
def krippendorff(n: Any, values: Array, level: str = "ordinal") -> Array:
    s = rater_sums(n)
    m, share = _paired(s), _paired_shares(s)
    alpha = _alpha(s, *differences_of_tables(share, values, level))
    if level != "ratio":
        return alpha
    xp = array_namespace(m)
    return xp.where(uses_negative(m, values), xp.nan, alpha)


def _paired_shares(s: RaterSums) -> Array:
    """Return the shares of classes among the ratings of items with two or more: `[..., K]`."""
    return ratio(_paired(s), _sum_of(s.coincidence)[..., None])


def _alpha(s: RaterSums, cost: Array, drawn: Array) -> Array:
    """Return 1 − observed disagreement / that of ratings drawn without replacement."""
    xp, ratings = array_namespace(s.coincidence), _sum_of(s.coincidence)
    observed = ratio(_sum_of(s.coincidence * cost), ratings)
    alpha = 1.0 - ratio(observed, drawn * ratio(ratings, ratings - 1.0))
    return xp.where((classes_used(_paired(s)) > 1) & (ratings > 1), alpha, xp.nan)


def _of_squares(values: Floats, params: Params) -> Bounds:
    """Return the bounds where 1 minus the named weights are squared distances of points.

    Of two points their squared distance is then at most twice what independent draws of both have.
    A matrix of weights need not be of this kind.
    """
    return (-1.0 if isinstance(params["weights"], str) else -float("inf"), 1.0)


@register_measure(
    "weighted_alpha",
    **_RATERS,
    scale="interval",
    bounds=_of_squares,
    undefined=(_SHARED, _PAIRED, _FEW),
    label="weighted alpha, {weights}",
    parameters=(_weights_parameter("linear"),),
    variants=({"weights": "linear"},),
    claims="symmetric perfect",
)
def weighted_alpha(n: Any, values: Array, weights: Any = "linear") -> Array:
    s = rater_sums(n)
    share, cost = _paired_shares(s), 1.0 - agreement_weights(values, weights)
    drawn = _bilinear(share, cost, share)
    return _alpha(s, cost, array_namespace(share).where(drawn > 1e-15, drawn, 0.0))


@register_measure(
    "fleiss",
    **_COEFFICIENT,
    undefined=_fleiss_undefined,
    label="Fleiss' kappa, {weights}",
    parameters=(_weights_parameter("identity"),),
    aliases={"fleiss_kappa": {}, "scott_pi": {"weights": "identity"}},
    variants=({"weights": "identity"}, {"weights": "linear"}, {"weights": "quadratic"}),
)
def fleiss(n: Any, values: Array, weights: Any = "identity") -> Array:
    s, w = rater_sums(n), agreement_weights(values, weights)
    pi = _class_shares(s)
    return _corrected(_observed(s, w), _bilinear(pi, w, pi))


@register_measure(
    "conger",
    **_COEFFICIENT,
    undefined=lambda params: (
        _SHARED,
        _when(
            "chance agreement is complete: every rater gives one and the same class",
            lambda s, values: (
                _conger_chance(s, agreement_weights(values, params["weights"])) >= 1.0 - 1e-12
            ),
        ),
    ),
    label="Conger's kappa, {weights}",
    parameters=(_weights_parameter("linear"),),
    aliases={"conger_kappa": {}},
    variants=({"weights": "identity"}, {"weights": "linear"}, {"weights": "quadratic"}),
)
def conger(n: Any, values: Array, weights: Any = "linear") -> Array:
    s, w = rater_sums(n), agreement_weights(values, weights)
    return _corrected(_observed(s, w), _conger_chance(s, w))


def _conger_chance(s: RaterSums, w: Array) -> Array:
    """Return the agreement by chance of raters with their own shares of classes."""
    xp, m = array_namespace(s.by_rater), s.by_rater
    rated = xp.sum(m, axis=-1)
    raters = xp.sum(xp.astype(rated > 0, m.dtype), axis=-1)  # those without a rating do not count
    shares = m / xp.where(rated > 0, rated, 1.0)[..., None]
    mean = ratio(xp.sum(shares, axis=-2), raters[..., None])
    own = xp.sum(_bilinear(shares, w, shares), axis=-1)
    chance = _bilinear(mean, w, mean)
    covariance = ratio(own - raters * chance, xp.where(raters > 1, raters - 1.0, 0.0))
    return chance - ratio(covariance, raters)


def _least_possible(values: Floats, params: Params) -> Bounds:
    """Return the bounds where chance agreement is at most that of equally likely classes."""
    weights = agreement_weights(np.asarray(values, float), params.get("weights", "identity"))
    by_chance = float(weights.mean())
    return (-by_chance / (1 - by_chance) if by_chance < 1 else -float("inf"), 1.0)


_GWET: Facts = {**_COEFFICIENT, "bounds": _least_possible, "undefined": (_SHARED, _ONE_CLASS_SCALE)}


@register_measure("ac1", **{**_GWET, "scale": "nominal"}, label="AC1", aliases=("gwet_ac1",))
def ac1(n: Any, values: Array) -> Array:
    return ac2(n, values, weights="identity")


@register_measure(
    "ac2",
    **_GWET,
    label="AC2, {weights}",
    parameters=(_weights_parameter("linear"),),
    aliases={"gwet": {}, "gwet_ac2": {}},
    variants=({"weights": "linear"}, {"weights": "quadratic"}),
)
def ac2(n: Any, values: Array, weights: Any = "linear") -> Array:
    s, w = rater_sums(n), agreement_weights(values, weights)
    xp, pi = array_namespace(s.shares), _class_shares(s)
    pairs = s.k * (s.k - 1.0)
    if not pairs:
        return items_shared(s) * xp.nan
    by_chance = xp.sum(w) / pairs * xp.sum(pi * (1.0 - pi), axis=-1)
    return _corrected(_observed(s, w), by_chance)


@register_measure(
    "brennan_prediger",
    **_GWET,
    label="Brennan-Prediger, {weights}",
    parameters=(_weights_parameter("linear"),),
    aliases={"bp": {}, "s_score": {"weights": "identity"}, "pabak": {"weights": "identity"}},
    variants=({"weights": "linear"},),
)
def brennan_prediger(n: Any, values: Array, weights: Any = "linear") -> Array:
    s, w = rater_sums(n), agreement_weights(values, weights)
    observed = _observed(s, w)
    return _corrected(observed, observed * 0.0 + _sum_of(w) / float(s.k**2))


@register_measure(
    "observed_agreement",
    **{**_COEFFICIENT, "bounds": (0.0, 1.0)},
    undefined=(_SHARED,),
    label="observed agreement, {weights}",
    parameters=(_weights_parameter("identity"),),
    variants=({"weights": "identity"},),
)
def observed_agreement(n: Any, values: Array, weights: Any = "identity") -> Array:
    s = rater_sums(n)
    return _observed(s, agreement_weights(values, weights))


class _Squares(NamedTuple):
    """Sums of squares of an analysis of variance of items by raters; NaN with gaps or one rater."""

    items: Array
    between_items: Array
    between_raters: Array
    total: Array


def _squares(s: RaterSums, values: Array) -> _Squares:
    """Return the sums of squares of class values of raters who all rated the same items."""
    xp, items = array_namespace(s.shares), items_rated(s)
    v = values - ratio(xp.sum(s.shares * values, axis=-1), items, 0.0)[..., None]  # centred
    total = xp.sum(s.by_rater * v[..., None, :] ** 2, axis=(-2, -1))
    crossed = xp.sum(xp.sum(s.coincidence * v[..., None, :], axis=-1) * v, axis=-1)
    between_items = (total + (s.raters - 1.0) * crossed) / s.raters
    sums = xp.sum(s.by_rater * v[..., None, :], axis=-1)
    between_raters = ratio(xp.sum(sums**2, axis=-1), items)
    usable = (s.gaps <= 0) & (s.raters > 1)
    return _Squares(items, between_items, between_raters, xp.where(usable, total, xp.nan))


_MODELS = (1, 2, 3)


@register_measure(
    "icc",
    **_RATERS,
    scale="interval",
    bounds=(-float("inf"), 1.0),
    undefined=lambda params: (
        _GAPS,
        _ONE_RATER,
        _ONE_ITEM,
        _SAME,
        _when(
            "the variance that it divides by is not positive: items hardly differ",
            lambda s, values: _icc_parts(s, values, **params)[1] == 0,
        ),
    ),
    label="ICC({model},{raters})",
    parameters=(
        Parameter("model", 2, "1, 2 or 3", lambda v: type(v) is int and v in _MODELS, shown=True),
        Parameter("raters", 1, '1 or "k"', lambda v: v in (1, "k") and v is not True, shown=True),
    ),
    aliases={
        f"icc{m}{'' if r == 1 else r}": {"model": m, "raters": r} for r in (1, "k") for m in _MODELS
    },
    keys="icc1 icc2 icc3 icc1k icc2k icc3k",
    variants=tuple({"model": m, "raters": r} for m in _MODELS for r in (1, "k")),
    claims="symmetric perfect",
)
def icc(n: Any, values: Array, model: int = 2, raters: Any = 1) -> Array:
    return ratio(*_icc_parts(rater_sums(n), values, model, raters))


def _icc_parts(s: RaterSums, values: Array, model: int, raters: Any) -> tuple[Array, Array]:
    """Return what an intraclass correlation divides, and by what."""
    xp, q = array_namespace(s.shares), _squares(s, values)
    R, freedom = float(s.raters), xp.where(q.items > 1, q.items - 1.0, 0.0)
    others = max(R - 1.0, 1.0)
    items = ratio(q.between_items, freedom)
    within = q.total - q.between_items
    if model == 1:
        error, severity = ratio(within, q.items * others), items * 0.0
    else:
        error = ratio(within - q.between_raters, freedom * others)
        severity = ratio(q.between_raters / others - error, q.items) if model == 2 else items * 0.0
    error = xp.where(error < 0, 0.0, error)  # by rounding
    below = items + severity if raters == "k" else items + others * error + R * severity
    negligible = below <= 1e-13 * ratio(q.total, q.items)  # model 2 estimates it by a difference
    return items - error, xp.where(negligible, 0.0, below)


@register_measure(
    "ccc",
    **{**_COEFFICIENT, "bounds": (-1.0, 1.0)},
    undefined=(_GAPS, _ONE_RATER, _NO_ITEM, _SAME),
    label="CCC",
    aliases=("lin_ccc", "concordance_correlation", "occc"),
)
def ccc(n: Any, values: Array) -> Array:
    s = rater_sums(n)
    xp, q, R = array_namespace(s.shares), _squares(s, values), float(s.raters)
    own = q.total - q.between_raters  # n Σ σ²_g
    crossed = R * q.between_items - own  # n Σ_{g≠h} σ_gh, as items' means vary by both
    apart = R * q.between_raters  # n Σ_{g<h} (μ_g − μ_h)², since values are centred
    below = xp.where(classes_used(s.shares) > 1, (R - 1.0) * own + apart, 0.0)
    return ratio(crossed, below)


@register_measure(
    "kendall_w",
    **_RATERS,
    scale="ordinal",
    bounds=(0.0, 1.0),
    undefined=(
        _GAPS,
        _ONE_RATER,
        _NO_ITEM,
        _when(
            "every rater gives one class only",
            lambda s, values: array_namespace(s.shares).all(classes_used(s.by_rater) <= 1, axis=-1),
        ),
    ),
    label="Kendall's W",
    aliases=("kendalls_w",),
    claims="symmetric proportional perfect",
)
def kendall_w(n: Any, values: Array) -> Array:
    s = rater_sums(n)
    xp, items = array_namespace(s.shares), items_rated(s)
    ranks = mid_ranks(s.by_rater) - items[..., None, None] / 2.0
    squares = xp.sum(s.by_rater * ranks**2, axis=(-2, -1))
    crossed = items * 0.0
    for place, (g, h) in enumerate(combinations(range(s.raters), 2)):
        table = s.tables[..., place, :, :]
        row = xp.sum(table * ranks[..., h, None, :], axis=-1)
        crossed = crossed + 2.0 * xp.sum(row * ranks[..., g, :], axis=-1)
    w = ratio(squares + crossed, s.raters * squares)
    usable = (s.gaps <= 0) & (s.raters > 1)
    return xp.where(usable, w, xp.nan)


NEEDS_TABLES = frozenset({"kendall_w"})  # measures of the tables of all pairs of raters
NEEDS_ALL = frozenset({"icc", "ccc", "kendall_w"})  # measures that are undefined with gaps
