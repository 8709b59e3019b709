"""Nominal measures: they ignore the order of the classes."""

from math import log2
from typing import Any

import numpy as np

from ..registry import Condition, Facts, Parameter, choice, register_measure, whole
from ..types import Floats
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
_RELABELABLE = ("reversible", "relabelable", "proportional", "padded")


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
    title="Accuracy",
    symbol="Acc",
    aliases=("acc", "accuracy_score", "percent_agreement"),
    claims=("symmetric", *_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance", "constant_systems", "symmetry"),
    formula=r"\frac{1}{N}\sum_g n_{gg}",
    description="Share of items whose class is predicted exactly.",
    use="For a share that every reader knows, where every error is equally bad.",
    avoid="Where the order matters or classes are rare: an error across the whole scale costs as "
    "much as one to a neighbour, and always predicting a class with 90 % of the items scores 0.9. "
    "`cem` and `macro_mae` use the order and let rare classes count.",
    citation="in general use, formula as in Sakai 2021, eq. 10",
)
def accuracy(n: Array) -> Array:
    xp = array_namespace(n)
    return ratio(xp.sum(diagonal(n), axis=-1), total(n))


@register_measure(
    "mer",
    nonnegative="nothing",
    **{**_NOMINAL, "better": "lower"},
    title="Misclassification error rate",
    symbol="MER",
    aliases=("mze", "error_rate"),
    claims=("symmetric", *_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance", "constant_systems", "symmetry"),
    formula=r"1 - \frac{1}{N}\sum_g n_{gg}",
    description="Share of items whose class is predicted wrongly.",
    use="As accuracy, of which it is 1 minus the score, where errors rather than successes are "
    "reported.",
    avoid="Where the order matters or classes are rare, as with accuracy: always predicting a "
    "class with 90 % of the items has an error rate of 0.1. `mae` counts how far off the errors "
    "are.",
    citation="in general use, formula as in Cardoso & Sousa 2011; Silva et al. 2018, eq. 1",
)
def mer(n: Array) -> Array:
    return 1.0 - accuracy(n)


@register_measure(
    "accuracy_within",
    nonnegative="nothing",
    **{**_NOMINAL, "scale": "ordinal"},
    title="Accuracy within n classes",
    symbol="Acc±n",
    parameters=(Parameter("n", 1, "an integer of at least 0", whole(0), shown=True),),
    aliases={"accuracy_off1": {"n": 1}, "acc_with_n": {}},
    claims=("symmetric", "reversible", "proportional", "padded", "perfect"),
    axioms=("ordinal_invariance", "constant_systems", "symmetry"),
    formula=r"\frac{1}{N}\sum_{|g-p| \le r} n_{gp}",
    symbols={"r": "the parameter n, a number of classes"},
    description="Share of items whose predicted class is at most n classes away from gold.",
    use="Beside another measure, to report the share of predictions that are near enough, where "
    "being n classes off does no harm.",
    avoid="As the only measure: errors of up to n classes cost nothing. On a scale of three "
    "classes, always predicting the middle one scores 1 with n = 1. `mae` counts every step.",
    citation="in general use, formula as in Amigó et al. 2020",
)
def accuracy_within(table: Array, /, n: int = 1) -> Array:
    xp = array_namespace(table)
    near = xp.astype(distance_in(table, indices(table)) <= n, table.dtype)
    return ratio(total(table * near), total(table))


_CLASSES = choice("classes", "gold", "union")
_AVERAGED = {
    "C^+": "classes that occur in gold, G_g > 0; with classes='union' those that occur in gold or "
    "in the predictions, G_g + P_g > 0"
}


@register_measure(
    "macro_recall",
    nonnegative="margins",
    **_NOMINAL,
    parameters=(_CLASSES,),
    symbols=_AVERAGED,
    title="Macro-averaged recall (average accuracy per class)",
    symbol="MAAC",
    aliases=("maac", "balanced_accuracy", "balanced_accuracy_score", "avg_recall"),
    claims=(*_RELABELABLE, "perfect"),
    axioms={
        "macro_recall": ("ordinal_invariance", "imbalance", "class_size_awareness"),
        "macro_recall(classes='union')": (
            "ordinal_invariance",
            "imbalance",
            "class_size_awareness",
        ),
    },
    over_classes=True,
    items_per_class=10,
    formula=r"\frac{1}{|C^+|}\sum_{g \in C^+} \frac{n_{gg}}{G_g}",
    description="Mean of the recalls of the observed gold classes. With classes='union', a class "
    "that is predicted and not in gold counts as recall 0, as in scikit-learn.",
    use="Where classes differ in size and each of them matters as much: always predicting one "
    "class scores 1 divided by the number of gold classes, however frequent that class is.",
    avoid="Where the order matters, since an error across the whole scale costs as much as one to "
    "a neighbour; `macro_mae` counts distances. Where a class has few items: with five classes, "
    "one item of a class of two changes the score by 0.1.",
    citation="in general use, formula as in Amigó et al. 2020; Sakai 2021",
)
def macro_recall(n: Array, classes: str = "gold") -> Array:
    return mean_over_observed(ratio(diagonal(n), gold(n), 0.0), n, classes)


@register_measure(
    "macro_precision",
    nonnegative="margins",
    **_NOMINAL,
    parameters=(_CLASSES,),
    symbols=_AVERAGED,
    title="Macro-averaged precision",
    symbol="Precᴹ",
    claims=(*_RELABELABLE, "perfect"),
    axioms={
        "macro_precision": ("ordinal_invariance", "constant_systems", "class_size_awareness"),
        "macro_precision(classes='union')": (
            "ordinal_invariance",
            "constant_systems",
            "class_size_awareness",
        ),
    },
    over_classes=True,
    items_per_class=10,
    formula=r"\frac{1}{|C^+|}\sum_{g \in C^+} \frac{n_{gg}}{P_g}",
    description="Mean of the precisions of the observed gold classes; 0 for one never predicted. "
    "With classes='union', a class that is predicted and not in gold has precision 0 and counts, "
    "as in scikit-learn.",
    use="Beside `macro_recall`, to see how far predictions of each class can be relied on.",
    avoid="By itself: a class that is predicted once, correctly, has precision 1 however many of "
    "its items are missed; `macro_f1` counts both. Where the order matters: distances of errors "
    "do not count.",
    citation="in general use, formula as in Sakai 2021",
)
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
    nonnegative="margins",
    **_NOMINAL,
    parameters=(_CLASSES,),
    symbols=_AVERAGED,
    title="Macro-averaged F1",
    symbol="F1ᴹ",
    aliases=("f1_macro", "f1m"),
    claims=(*_RELABELABLE, "perfect"),
    axioms={
        "macro_f1": ("ordinal_invariance", "imbalance", "constant_systems", "class_size_awareness"),
        "macro_f1(classes='union')": (
            "ordinal_invariance",
            "imbalance",
            "constant_systems",
            "class_size_awareness",
            "symmetry",
        ),
    },
    over_classes=True,
    items_per_class=10,
    formula=r"\frac{1}{|C^+|}\sum_{g \in C^+} \frac{2\,n_{gg}}{G_g + P_g}",
    description="Mean of the F1 scores of the observed gold classes. With classes='union', a class "
    "that is predicted and not in gold has F1 0 and counts, as in scikit-learn.",
    use="Where classes differ in size, and both missed items and false predictions of each class "
    "count: always predicting one class scores less than 1 divided by the number of gold classes.",
    avoid="Where the order matters: an error across the whole scale costs no more than one to a "
    "neighbour of the same size, and less if the class at the other end is larger. `macro_mae` "
    "and `cem` use the order.",
    citation="in general use, formula as in Sakai 2021, eq. 8",
)
def macro_f1(n: Array, classes: str = "gold") -> Array:
    return mean_over_observed(f1(n), n, classes)


@register_measure(
    "hmpr",
    nonnegative="margins",
    **_NOMINAL,
    parameters=(_CLASSES,),
    title="Harmonic mean of macro precision and macro recall",
    symbol="HMPR",
    claims=(*_RELABELABLE, "perfect"),
    axioms={
        "hmpr": ("ordinal_invariance", "imbalance", "constant_systems", "class_size_awareness"),
        "hmpr(classes='union')": (
            "ordinal_invariance",
            "imbalance",
            "constant_systems",
            "class_size_awareness",
            "symmetry",
        ),
    },
    over_classes=True,
    items_per_class=10,
    formula=r"\frac{2\,\mathrm{Prec}\,\mathrm{Rec}}{\mathrm{Prec} + \mathrm{Rec}}",
    symbols={
        "Prec": "the measure macro_precision, with the same classes",
        "Rec": "the measure macro_recall, with the same classes",
    },
    description="F1 of macro-averaged precision and recall.",
    use="To compare with results that were computed as the harmonic mean of the two averages.",
    avoid="For macro F1 in general: `macro_f1` is the usual definition, and the two can rank "
    "systems differently.",
    citation="Sakai 2021, eq. 9",
)
def hmpr(n: Array, classes: str = "gold") -> Array:
    return harmonic(macro_precision(n, classes), macro_recall(n, classes))


def _are_positions(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(type(i) is int for i in value)


def _has_class(position: int, k: int) -> bool:
    return -k <= position < k


def _has_classes(positions: tuple[int, ...], k: int) -> bool:
    return all(_has_class(position, k) for position in positions)


def _without(positions: tuple[int, ...]) -> Condition:
    """Return the condition that one of the classes has no F1."""
    which = "one of the classes" if len(positions) > 1 else "the class"
    return Condition(
        f"{which} occurs neither in gold nor in the predictions",
        lambda n, values: _any_unused(n, positions),
    )


def _any_unused(n: Array, positions: tuple[int, ...]) -> Array:
    used = gold(n) + predicted(n)
    xp = array_namespace(n)
    return xp.any(xp.stack([used[..., i] == 0 for i in positions], axis=-1), axis=-1)


@register_measure(
    "f1_extremes",
    nonnegative="margins",
    **{**_NOMINAL, "undefined": lambda params: (NO_ITEMS, _without(params["classes"]))},
    title="Mean F1 of the extreme classes",
    symbol="F1ᴾᴺ",
    parameters=(
        Parameter(
            "classes",
            (0, -1),
            "positions of classes, e.g. [0, -1]",
            _are_positions,
            fits=_has_classes,
        ),
    ),
    aliases=("f1_pn",),
    claims=("symmetric", "reversible", "proportional", "perfect"),
    axioms=("ordinal_invariance", "constant_systems", "symmetry"),
    items_per_class=10,
    formula=r"\frac{1}{|C|}\sum_{c \in C} \frac{2\,n_{cc}}{G_c + P_c}",
    symbols={
        "C": "the classes of the parameter classes, by default the lowest and the highest",
        "c": "one of these classes",
    },
    description="Mean F1 of the lowest and the highest class; the other classes are ignored.",
    use="Where only the ends of the scale matter, as in tasks that report positive and negative "
    "and leave out neutral.",
    avoid="Where the classes in between matter: their items count only if they are predicted as "
    "an extreme class. `macro_f1` counts all classes.",
    citation="Amigó et al. 2020, sec. 4.2",
)
def f1_extremes(n: Array, classes: tuple[int, ...] = (0, -1)) -> Array:
    xp, scores = array_namespace(n), f1(n)
    chosen = xp.stack([scores[..., i] for i in classes], axis=-1)
    return xp.mean(chosen, axis=-1)


@register_measure(
    "f1_binary",
    nonnegative="margins",
    **{**_NOMINAL, "undefined": lambda params: (NO_ITEMS, _without((params["positive"],)))},
    title="F1 of one class",
    symbol="F1",
    parameters=(
        Parameter(
            "positive",
            -1,
            "the position of a class",
            lambda value: type(value) is int,
            shown=True,
            fits=_has_class,
        ),
    ),
    claims=("symmetric", "proportional", "perfect"),
    axioms=("ordinal_invariance", "constant_systems", "symmetry"),
    formula=r"\frac{2\,n_{cc}}{G_c + P_c}",
    symbols={"c": "the class of the parameter positive, by default the highest"},
    description="F1 of one class against the rest, by default the highest class.",
    use="Where one class matters, such as the most severe grade, and the others need not be told "
    "apart.",
    avoid="To describe a whole scale: all other classes are treated as one, so that confusing "
    "them with each other costs nothing. `macro_f1` counts all classes.",
    citation="Van Rijsbergen 1979; Silva et al. 2018, eq. 12",
)
def f1_binary(n: Array, positive: int = -1) -> Array:
    return f1(n)[..., positive]


@register_measure(
    "gmean",
    **_NOMINAL,
    title="Geometric mean of the recalls",
    symbol="G-mean",
    aliases=("geometric_mean",),
    claims=(*_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance", "imbalance", "class_size_awareness"),
    over_classes=True,
    items_per_class=10,
    formula=r"\Big(\prod_{g \in C^+} \frac{n_{gg}}{G_g}\Big)^{1/|C^+|}",
    description="Geometric mean of the recalls of the observed gold classes.",
    use="Where no class may be missed altogether: one recall of 0 makes the score 0, as in every "
    "constant prediction of several gold classes.",
    avoid="With few items of a class: if three items are found with probability 0.6 each, all are "
    "missed in 6 % of samples, and the score is then 0. `macro_recall` is less sensitive. Where "
    "the order matters: distances of errors do not count.",
    citation="Silva et al. 2018, eq. 13",
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
    nonnegative="margins",
    **_NOMINAL,
    title="Minimum sensitivity",
    symbol="MS",
    aliases=("ms", "minimum_sensitivity", "min_recall"),
    claims=(*_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance", "imbalance", "class_size_awareness"),
    over_classes=True,
    interval_caveat="the lowest of several recalls is too low by chance",
    formula=r"\min_{g \in C^+} \frac{n_{gg}}{G_g}",
    description="Recall of the gold class with the lowest one.",
    use="Beside another measure, to report the recall of the class that is found least.",
    avoid="As the only measure: one class decides, which may be the smallest, and systems that "
    "differ in all other classes score alike. Distances of errors do not count; `max_mae` counts "
    "them.",
    citation="Fernández Caballero et al. 2010",
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
    title="Mutual information",
    symbol="MI",
    aliases=("mi",),
    claims=("symmetric", *_RELABELABLE),
    axioms=("ordinal_invariance", "class_size_awareness", "symmetry"),
    items_per_cell=25,
    formula=r"\sum_{g,p} \frac{n_{gp}}{N} \log_2 \frac{n_{gp}\,N}{G_g P_p}",
    description="Bits of information that the predicted class gives about the gold class, whatever "
    "the names and the order of the classes.",
    use="To ask how much the predictions tell about gold, whatever their names, for example "
    "whether a recoding could make them useful.",
    avoid="To score predictions as they are: reversed predictions score as high as correct ones. "
    "To compare data sets: a perfect prediction scores the entropy of gold, which differs from "
    "one to the other.",
    citation="Shannon 1948; Amigó et al. 2020",
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
_PURITY: Facts = {**_NOMINAL, "bounds": lambda values, params: (1.0 / len(values), 1.0)}


@register_measure(
    "purity",
    **_PURITY,
    title="Purity",
    symbol="Purity",
    claims=(*_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance",),
    items_per_cell=1,
    formula=r"\frac{1}{N}\sum_p \max_g n_{gp}",
    description="Share of items in the most frequent gold class of their predicted class.",
    use="To compare groups, such as clusters, with gold classes where the names of the groups "
    "mean nothing.",
    avoid="To score predictions: items count as right in whatever class is the most frequent of "
    "their group, so that exchanging two predicted classes costs nothing. By itself: splitting a "
    "group never lowers it; `purity_f` also asks whether gold classes stay together.",
    citation="in general use, formula as in Amigó et al. 2020",
)
def purity(n: Array) -> Array:
    return ratio(array_namespace(n).sum(largest(n, axis=-2), axis=-1), total(n))


@register_measure(
    "inverse_purity",
    **_PURITY,
    title="Inverse purity",
    symbol="InvPurity",
    claims=(*_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance",),
    items_per_cell=3,
    formula=r"\frac{1}{N}\sum_g \max_p n_{gp}",
    description="Share of items in the most frequent predicted class of their gold class.",
    use="Beside `purity`, to see whether the items of a gold class are kept together.",
    avoid="To score predictions, or by itself: every constant prediction has the best score, 1.",
    citation="in general use, formula as in Amigó et al. 2020",
)
def inverse_purity(n: Array) -> Array:
    return ratio(array_namespace(n).sum(largest(n, axis=-1), axis=-1), total(n))


@register_measure(
    "purity_f",
    **_PURITY,
    title="Harmonic mean of purity and inverse purity",
    symbol="Purity-F",
    claims=("symmetric", *_RELABELABLE, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    items_per_cell=3,
    formula=r"\frac{2\,\mathrm{Pur}\,\mathrm{InvPur}}{\mathrm{Pur} + \mathrm{InvPur}}",
    symbols={"Pur": "the measure purity", "InvPur": "the measure inverse_purity"},
    description="Harmonic mean of purity and inverse purity.",
    use="To compare groups, such as clusters, with gold classes in one figure, where the names of "
    "the groups mean nothing.",
    avoid="To score predictions: neither the names nor the order of the classes count, so that "
    "reversed predictions score 1.",
    citation="in general use, formula as in Amigó et al. 2020",
)
def purity_f(n: Array) -> Array:
    return harmonic(purity(n), inverse_purity(n))
