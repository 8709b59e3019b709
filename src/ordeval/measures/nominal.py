"""Nominal measures: they ignore the order of the classes."""

from math import log2
from typing import Any

import numpy as np

from ..types import Floats
from .registry import Condition, Facts, Parameter, choice, register_measure, whole
from .terms import (
    NO_ITEMS,
    Array,
    array_namespace,
    classes_used,
    diagonal,
    distance_in,
    gold,
    harmonic,
    indices,
    largest,
    mean_over_observed,
    of_gold,
    of_predicted,
    of_table,
    predicted,
    ratio,
    total,
    weights,
    with_weights,
)

_NOMINAL: Facts = {
    "family": "nominal",
    "better": "higher",
    "scale": "nominal",
    "bounds": (0.0, 1.0),
    "undefined": (NO_ITEMS,),
    "of_cells": True,
}
_RELABELABLE = "reversible relabelable proportional padded"


def recall(n: Array) -> Array:
    """Return the share of each gold class that is correct; NaN for an unobserved class."""
    return ratio(diagonal(n), gold(n))


def precision(n: Array) -> Array:
    """Return the share of each predicted class that is correct; NaN for one never predicted."""
    return ratio(diagonal(n), predicted(n))


def f1(n: Array) -> Array:
    """Return the F1 score of each class; NaN for one that is neither in gold nor predicted."""
    return ratio(2.0 * diagonal(n), gold(n) + predicted(n))


def _accuracy_influence(n: Floats, values: Floats) -> Floats:
    return np.broadcast_to(np.eye(n.shape[-1]), n.shape)


@register_measure(
    "accuracy",
    influence=_accuracy_influence,
    nonnegative="nothing",
    **_NOMINAL,
    label="accuracy",
    aliases=("acc", "accuracy_score", "percent_agreement"),
    claims=f"symmetric {_RELABELABLE} perfect",
)
def accuracy(n: Array) -> Array:
    xp = array_namespace(n)
    return ratio(xp.sum(diagonal(n), axis=-1), total(n))


@register_measure(
    "mer",
    influence=lambda n, values: -_accuracy_influence(n, values),
    nonnegative="nothing",
    **{**_NOMINAL, "better": "lower"},
    label="error rate",
    aliases=("mze", "error_rate"),
    claims=f"symmetric {_RELABELABLE} perfect",
)
def mer(n: Array) -> Array:
    return 1.0 - accuracy(n)


@register_measure(
    "accuracy_within",
    nonnegative="nothing",
    **{**_NOMINAL, "scale": "ordinal"},
    label="accuracy ±{n}",
    parameters=(Parameter("n", 1, "an integer of at least 0", whole(0), shown=True),),
    aliases={"accuracy_off1": {"n": 1}, "acc_with_n": {}},
    claims="symmetric reversible proportional padded perfect",
)
def accuracy_within(table: Array, /, n: int = 1) -> Array:
    xp = array_namespace(table)
    near = xp.astype(distance_in(table, indices(table)) <= n, table.dtype)
    return ratio(total(table * near), total(table))


_MACRO: Facts = {
    **_NOMINAL,
    "nonnegative": "margins",
    "claims": f"{_RELABELABLE} perfect",
    "over_classes": True,
    "items_per_class": 10,
}
_MACRO_OF: Facts = {**_MACRO, "parameters": (choice("classes", "gold", "union"),)}


def _macro_recall_influence(n: Floats, values: Floats, classes: str) -> Floats | None:
    if classes == "union":
        return None
    rate = total(n)[..., None] / gold(n) / classes_used(gold(n))[..., None]
    return np.asarray((np.eye(n.shape[-1]) - recall(n)[..., None]) * rate[..., None])


@register_measure(
    "macro_recall",
    influence=_macro_recall_influence,
    **_MACRO_OF,
    label="macro recall",
    aliases=("maac", "balanced_accuracy", "balanced_accuracy_score", "avg_recall"),
)
def macro_recall(n: Array, classes: str = "gold") -> Array:
    return mean_over_observed(ratio(diagonal(n), gold(n), 0.0), n, classes)


@register_measure("macro_precision", **_MACRO_OF, label="macro precision")
def macro_precision(n: Array, classes: str = "gold") -> Array:
    found = ratio(diagonal(n), predicted(n), 0.0)  # 0: all gold items of the class were missed
    return mean_over_observed(found, n, classes)


def _macro_f1_influence(n: Floats, values: Floats, classes: str) -> Floats:
    items = gold(n) + predicted(n) if classes == "union" else gold(n)
    rate = total(n)[..., None] / (gold(n) + predicted(n)) / classes_used(items)[..., None]
    rate, change = (np.where(items > 0, x, 0.0) for x in (rate, rate * f1(n)))
    slope = 2.0 * np.eye(n.shape[-1]) * rate[..., None] - change[..., None] - change[..., None, :]
    added = np.where(items > 0, 0.0, np.nan)  # the mean is over one more class as soon as it occurs
    slope = slope + added[..., None]
    return np.asarray(slope + added[..., None, :] if classes == "union" else slope)


@register_measure(
    "macro_f1",
    influence=_macro_f1_influence,
    **_MACRO_OF,
    label="macro F1",
    aliases=("f1_macro", "f1m"),
)
def macro_f1(n: Array, classes: str = "gold") -> Array:
    return mean_over_observed(f1(n), n, classes)


@register_measure("hmpr", **_MACRO_OF, label="HMPR")
def hmpr(n: Array, classes: str = "gold") -> Array:
    return harmonic(macro_precision(n, classes), macro_recall(n, classes))


def fits(positions: Any, k: int) -> bool:
    """Return whether there are classes at these positions."""
    each = positions if isinstance(positions, tuple) else (positions,)
    return all(i is None or (type(i) is int and -k <= i < k) for i in each)


def is_label(value: Any) -> bool:
    """Return whether a value can be the label of a class."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _without(positions: tuple[int, ...]) -> Condition:
    """Return the condition that one of the classes has no F1."""
    which = "one of the classes" if len(positions) > 1 else "the class"

    def any_unused(n: Array, values: Array) -> Array:
        xp, used = array_namespace(n), gold(n) + predicted(n)
        return xp.any(xp.stack([used[..., i] == 0 for i in positions], axis=-1), axis=-1)

    return Condition(f"{which} occurs neither in gold nor in the predictions", any_unused)


_ENDS = (0, -1)


@register_measure(
    "f1_extremes",
    nonnegative="margins",
    **{**_NOMINAL, "undefined": lambda params: (NO_ITEMS, _without(params["classes"] or _ENDS))},
    label="F1 of the extremes",
    parameters=(
        Parameter(
            "classes",
            None,
            "labels of classes, e.g. [1, 5]; the lowest and the highest by default",
            lambda value: value is None or (type(value) is tuple and all(map(is_label, value))),
            fits=fits,
            classes=True,
        ),
    ),
    aliases=("f1_pn",),
    claims="symmetric reversible proportional perfect",
    items_per_class=10,
)
def f1_extremes(n: Array, classes: tuple[int, ...] | None = None) -> Array:
    xp, scores = array_namespace(n), f1(n)
    return xp.mean(xp.stack([scores[..., i] for i in classes or _ENDS], axis=-1), axis=-1)


@register_measure(
    "f1_binary",
    nonnegative="margins",
    **{
        **_NOMINAL,
        "undefined": lambda params: (
            NO_ITEMS,
            _without((-1 if params["positive"] is None else params["positive"],)),
        ),
    },
    label="F1 of one class",
    parameters=(
        Parameter(
            "positive",
            None,
            "the label of a class; the highest by default",
            lambda value: value is None or is_label(value),
            fits=fits,
            classes=True,
        ),
    ),
    claims="symmetric proportional perfect",
)
def f1_binary(n: Array, positive: int | None = None) -> Array:
    return f1(n)[..., -1 if positive is None else positive]


def _gmean_influence(n: Floats, values: Floats) -> Floats:
    rate = (gmean(n) * total(n) / classes_used(gold(n)))[..., None, None]
    hit = np.where(np.eye(n.shape[-1]) > 0, 1.0 / diagonal(n)[..., None], 0.0)
    return np.asarray(rate * (hit - 1.0 / gold(n)[..., None]))


@register_measure(
    "gmean",
    influence=_gmean_influence,
    **{**_MACRO, "nonnegative": "cells"},
    label="G-mean",
    aliases=("geometric_mean",),
)
def gmean(n: Array) -> Array:
    xp = array_namespace(n)
    found = recall(n)
    hit = found > 0
    logs = mean_over_observed(xp.log(xp.where(hit, found, 1.0)), n)
    missed = xp.any((gold(n) > 0) & ~hit, axis=-1)
    return xp.where(missed, 0.0, xp.exp(logs))


@register_measure(
    "min_sensitivity",
    **{**_MACRO, "items_per_class": 0},
    label="lowest recall",
    aliases=("ms", "minimum_sensitivity", "min_recall"),
    interval_caveat="the lowest of several recalls is too low by chance",
)
def min_sensitivity(n: Array) -> Array:
    xp = array_namespace(n)
    seen = gold(n) > 0
    lowest = xp.min(xp.where(seen, recall(n), 2.0), axis=-1)
    return xp.where(xp.any(seen, axis=-1), lowest, xp.nan)


_NO_BITS = 1e-14  # less than a logarithm of a large number is off by rounding


@register_measure(
    "mutual_information",
    **{**_NOMINAL, "bounds": lambda values, params: (0.0, log2(len(values)))},
    label="mutual information",
    aliases=("mi",),
    claims=f"symmetric {_RELABELABLE}",
    items_per_cell=25,
)
def mutual_information(n: Array) -> Array:
    xp = array_namespace(n)
    whole = total(n)
    share = with_weights(n, ratio(weights(n), of_table(n, whole)))
    # n/(G P) as n/G and P: the product of two small marginals can be too small for a float. Sums of
    # counts are exact and sums of shares are not: a constant prediction gives no information.
    given_gold = ratio(weights(n), of_gold(n, gold(n)), 0.0)
    gain = _log2(given_gold) - of_predicted(n, _log2(ratio(predicted(n), whole[..., None], 0.0)))
    bits = total(share * gain)
    return xp.where(bits < _NO_BITS, 0.0, bits)  # rounding can make 0 negative or positive


def _log2(x: Array) -> Array:
    """Return the logarithm, 0 for 0."""
    xp = array_namespace(x)
    return xp.log2(xp.where(x > 0, x, 1.0))


# The most frequent of K classes has at least a K-th of the items.
_PURITY: Facts = {
    **_NOMINAL,
    "bounds": lambda values, params: (1.0 / len(values), 1.0),
    "claims": f"{_RELABELABLE} perfect",
}


@register_measure("purity", **_PURITY, label="purity", items_per_cell=1)
def purity(n: Array) -> Array:
    return ratio(array_namespace(n).sum(largest(n, axis=-2), axis=-1), total(n))


@register_measure("inverse_purity", **_PURITY, label="inverse purity", items_per_cell=3)
def inverse_purity(n: Array) -> Array:
    return ratio(array_namespace(n).sum(largest(n, axis=-1), axis=-1), total(n))


@register_measure(
    "purity_f",
    **{**_PURITY, "claims": f"symmetric {_RELABELABLE} perfect"},
    label="purity F",
    items_per_cell=3,
)
def purity_f(n: Array) -> Array:
    return harmonic(purity(n), inverse_purity(n))
