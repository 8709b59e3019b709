"""Probabilities: scores of predicted distributions over the classes, one per item.

A function takes `Forecasts` and returns what every item adds, an array `[item]` whose weighted mean
is the score. Of a score that is no mean over items, such as a rank correlation, these are the score
plus the influence of each item on it, so that intervals and tests are those of means.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from ..types import Bools, Codes, Floats, Ints
from .registry import Condition, Facts, Parameter, register_measure, whole

MEANS = ("rps", "rps_sum", "brier", "log_score", "spherical")  # which need no other items
_MANY = 2**18  # items
_CELLS = 2**16  # of probabilities of many items


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Predicted probabilities `[item, class]`, gold classes, weights `[item]` and class values."""

    gold: Codes
    proba: Floats
    weight: Floats
    values: Floats

    @cached_property
    def share(self) -> Floats:
        """The share of every item in a mean."""
        return np.asarray(self.weight / self.weight.sum())

    @cached_property
    def steps(self) -> Floats:
        """The share of each step between neighbouring classes in the whole scale."""
        return np.asarray(np.diff(self.values) / (self.values[-1] - self.values[0]))

    @cached_property
    def cumulative(self) -> Floats:
        """F, the probability of a class up to k: `[item, K - 1]`."""
        sums = self.proba[:, :-1].copy()
        for k in range(1, sums.shape[1]):  # faster than cumsum along short rows
            sums[:, k] += sums[:, k - 1]
        return np.minimum(sums, 1.0, out=sums)

    @cached_property
    def events(self) -> Floats:
        """e, whether gold is a class up to k: `[item, K - 1]`."""
        below = self.gold[:, None] <= np.arange(len(self.values) - 1)
        return below.astype(np.float64)

    @cached_property
    def of_gold(self) -> Floats:
        """The probability of the gold class of every item."""
        return np.take_along_axis(self.proba, self.gold[:, None], axis=1)[:, 0]

    @cached_property
    def expected(self) -> Floats:
        """The expected class value of every item."""
        return self.proba @ self.values

    def mean(self, added: Floats) -> Floats:
        """Return the weighted mean of what items add: `[item, ...]`."""
        return np.asarray(self.share @ added)

    @cached_property
    def recalibrated(self) -> Floats:
        """F after the best monotone recalibration of each threshold (isotonic regression)."""
        columns = zip(self.cumulative.T, self.events.T, strict=True)
        fits = [isotonic(x, y, self.weight)[2] for x, y in columns]
        return np.stack(fits, axis=1)


def isotonic(x: Floats, y: Floats, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """Fit y by a function that increases in x: its places, values, and the value of every item.

    Of many items, probabilities that differ by less than 1/65,536 are taken as equal, which needs
    no sorting.
    """
    from scipy.optimize import isotonic_regression

    if len(x) > _MANY:
        x = np.round(x * _CELLS) / _CELLS
        cells = (x * _CELLS).astype(np.int64)
        used = np.bincount(cells, minlength=_CELLS + 1) > 0
        places, at = np.flatnonzero(used) / _CELLS, (np.cumsum(used) - 1)[cells]
    else:
        places, at = np.unique(x, return_inverse=True)
    mass = np.bincount(at, weight)
    fit = isotonic_regression(np.bincount(at, weight * y) / mass, weights=mass).x
    return places, fit, fit[at]


def _ranked(f: Forecasts, cumulative: Floats) -> Floats:
    """Return Σ over thresholds of (F − e)², each step by its share of the scale: `[item]`."""
    return np.asarray(((cumulative - f.events) ** 2) @ f.steps)


def _over_classes(f: Forecasts, loss: Floats) -> Floats:
    """Return what items add to the mean over gold classes of the mean loss of each class."""
    share = np.bincount(f.gold, f.share, len(f.values))
    used = share > 0
    sums = np.bincount(f.gold, f.share * loss, len(f.values))
    means = np.divide(sums, share, out=np.zeros_like(sums), where=used)
    score = means[used].mean()
    if np.isinf(score):
        return np.full(len(loss), score)
    return np.asarray(score + (loss - means[f.gold]) / (share[f.gold] * used.sum()))


_LOSS: Facts = {
    "task": "probabilities",
    "family": "probabilities",
    "better": "lower",
    "bounds": (0.0, 1.0),
    "differentiable": False,
}
_GAIN: Facts = {**_LOSS, "better": "higher"}
_MACRO: Facts = {"over_classes": True, "items_per_class": 10}
_COMPARED: Facts = {
    **_GAIN,
    "undefined": (Condition("gold has only one class", lambda f: np.ptp(f.gold) == 0),),
}


@register_measure(
    "rps",
    **_LOSS,
    scale="interval",
    label="RPS",
    aliases=("ranked_probability_score",),
)
def rps(f: Forecasts) -> Floats:
    return _ranked(f, f.cumulative)


@register_measure(
    "rps_sum",
    **{**_LOSS, "bounds": lambda values, params: (0.0, float(values[-1] - values[0]))},
    scale="interval",
    label="RPS (sum)",
)
def rps_sum(f: Forecasts) -> Floats:
    return np.asarray(_ranked(f, f.cumulative) * (f.values[-1] - f.values[0]))


@register_measure(
    "rps_skill",
    **{**_COMPARED, "bounds": (-inf, 1.0)},
    scale="interval",
    label="RPS skill",
    aliases=("rpss",),
)
def rps_skill(f: Forecasts) -> Floats:
    loss, up_to = _ranked(f, f.cumulative), f.mean(f.events)
    reference = float((up_to * (1 - up_to)) @ f.steps)  # RPS of the gold shares
    if reference == 0:
        return np.full(len(loss), np.nan)
    score = float(f.mean(loss))
    moved = ((f.events - up_to) * (1 - 2 * up_to)) @ f.steps  # how each item moves the reference
    return np.asarray(1 - loss / reference + score / reference**2 * moved)


@register_measure(
    "brier",
    **{**_LOSS, "bounds": (0.0, 2.0)},
    scale="nominal",
    label="Brier score",
    aliases=("brier_score",),
)
def brier(f: Forecasts) -> Floats:
    return np.asarray(np.einsum("ik,ik->i", f.proba, f.proba) - 2 * f.of_gold + 1)


@register_measure(
    "log_score",
    **{**_LOSS, "bounds": (0.0, inf)},
    scale="nominal",
    label="log score",
    aliases=("log_loss", "cross_entropy", "negative_log_likelihood"),
)
def log_score(f: Forecasts) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(f.of_gold)) + 0.0


@register_measure("spherical", **_GAIN, scale="nominal", label="spherical score")
def spherical(f: Forecasts) -> Floats:
    return np.asarray(f.of_gold / np.sqrt(np.einsum("ik,ik->i", f.proba, f.proba)))


@register_measure("macro_rps", **_LOSS, **_MACRO, scale="interval", label="macro RPS")
def macro_rps(f: Forecasts) -> Floats:
    return _over_classes(f, rps(f))


@register_measure(
    "macro_brier",
    **{**_LOSS, "bounds": (0.0, 2.0)},
    **_MACRO,
    scale="nominal",
    label="macro Brier score",
)
def macro_brier(f: Forecasts) -> Floats:
    return _over_classes(f, brier(f))


@register_measure(
    "macro_log_score",
    **{**_LOSS, "bounds": (0.0, inf)},
    **_MACRO,
    scale="nominal",
    label="macro log score",
)
def macro_log_score(f: Forecasts) -> Floats:
    return _over_classes(f, log_score(f))


@register_measure(
    "rps_miscalibration",
    **_LOSS,
    scale="interval",
    label="miscalibration",
    aliases=("miscalibration", "mcb"),
    interval_caveat="recalibration to the same items biases the score upwards",
)
def rps_miscalibration(f: Forecasts) -> Floats:
    return _ranked(f, f.cumulative) - _ranked(f, f.recalibrated)


@register_measure(
    "rps_discrimination",
    **_GAIN,
    scale="interval",
    label="discrimination",
    aliases=("discrimination", "dsc"),
    interval_caveat="recalibration to the same items biases the score upwards",
)
def rps_discrimination(f: Forecasts) -> Floats:
    return _ranked(f, f.mean(f.events)) - _ranked(f, f.recalibrated)


@register_measure(
    "calibration_error",
    **_LOSS,
    scale="interval",
    label="calibration error",
    parameters=(Parameter("bins", 10, "a whole number of at least 1", whole(1)),),
    aliases=("ece", "expected_calibration_error"),
    interval_caveat="a mean of absolute values is biased upwards, most where bins are small",
)
def calibration_error(f: Forecasts, bins: int = 10) -> Floats:
    gaps = f.cumulative - f.events
    columns = zip(f.cumulative.T, gaps.T, strict=True)
    signed = [gap * _bin_signs(x, gap, f.weight, bins) for x, gap in columns]
    return np.asarray(np.stack(signed, axis=1) @ f.steps)


def _bin_signs(x: Floats, gap: Floats, weight: Floats, bins: int) -> Floats:
    """Return the sign of the mean gap in the bin of every item; bins are quantiles of x."""
    edges = np.quantile(x, np.arange(1, bins) / bins)
    place = np.searchsorted(edges, x, side="right")
    return np.sign(np.bincount(place, weight * gap, bins))[place]


def _orders(score: Floats, group: Codes, weight: Floats, groups: int) -> Iterator[Floats]:
    """Yield for each group of items how much of it has a lower score than each item has.

    Items of the same score count by half.
    """
    places, at = np.unique(score, return_inverse=True)
    for g in range(groups):
        mass = np.bincount(at, weight * (group == g), len(places))
        yield (np.cumsum(mass) - mass / 2)[at]


def _concordance(f: Forecasts) -> tuple[Floats, Floats]:
    """Return how much of the items every item is in the order of, less against, and both."""
    k = len(f.values)
    mass = np.bincount(f.gold, f.weight, k)
    balance = np.zeros(len(f.gold))
    for g, lower in enumerate(_orders(f.expected, f.gold, f.weight, k)):
        balance += np.sign(f.gold.astype(np.int64) - g) * (2 * lower - mass[g])
    return balance, mass.sum() - mass[f.gold]


@register_measure(
    "somers_d",
    **{**_COMPARED, "bounds": (-1.0, 1.0)},
    scale="interval",
    label="Somers' D",
)
def somers_d(f: Forecasts) -> Floats:
    balance, pairs = _concordance(f)
    if not pairs.any():
        return np.full(len(pairs), np.nan)
    half = f.mean(pairs)
    score = f.mean(balance) / half
    return np.asarray(score + 2 * (balance - score * pairs) / half)


@register_measure(
    "concordance", **_COMPARED, scale="interval", label="concordance", aliases=("c_index",)
)
def concordance(f: Forecasts) -> Floats:
    return (somers_d(f) + 1) / 2


@register_measure(
    "threshold_auc",
    **_COMPARED,
    scale="ordinal",
    label="mean threshold AUC",
    aliases=("mean_threshold_auc",),
)
def threshold_auc(f: Forecasts) -> Floats:
    above: list[Floats] = [
        _area(1 - f.cumulative[:, k], f.events[:, k] == 0, f.weight)
        for k in range(len(f.values) - 1)
        if 0 < f.mean(f.events[:, k]) < 1 and np.ptp(f.events[:, k])
    ]
    return np.mean(above, axis=0) if above else np.full(len(f.gold), np.nan)


def _area(score: Floats, positive: Bools, weight: Floats) -> Floats:
    """Return what items add to the area under the ROC curve."""
    lower = list(_orders(score, positive.astype(np.uint8), weight, 2))
    mass = np.bincount(positive, weight)
    beaten = np.where(positive, lower[0] / mass[0], 1 - lower[1] / mass[1])
    area = float(np.average(beaten, weights=weight * positive))
    share = mass[positive.astype(np.int64)] / mass.sum()
    return np.asarray(area + (beaten - area) / share)


def calibration_z(f: Forecasts, unit: Ints | None = None) -> float:
    """Return Spiegelhalter's statistic for RPS, about standard normal if F is calibrated.

    The excess of the score over its expectation is divided by its standard deviation under
    calibration, or, where items belong to units, by that of the sums over units; that is Student's
    t, and becomes the normal quantile of the same probability.
    """
    from scipy.special import ndtri, stdtr

    slope = (1 - 2 * f.cumulative) * f.steps
    excess = np.einsum("ik,ik->i", f.events - f.cumulative, slope) * f.weight
    if unit is not None:
        sums = np.bincount(unit, excess)
        spread, freedom = (sums**2).sum(), np.count_nonzero(np.bincount(unit)) - 1
        t = -abs(excess.sum()) / np.sqrt(spread) if spread > 0 and freedom else np.nan
        return float(-np.sign(excess.sum()) * ndtri(stdtr(max(freedom, 1), t)))
    later = np.cumsum(slope[:, ::-1], axis=1)[:, ::-1]  # of gold classes up to K - 1, else 0
    first = np.einsum("ik,ik->i", f.proba[:, :-1], later)
    second = np.einsum("ik,ik->i", f.proba[:, :-1], later**2)
    spread = (f.weight**2 * (second - first**2)).sum()
    return float(excess.sum() / np.sqrt(spread)) if spread > 0 else float("nan")
