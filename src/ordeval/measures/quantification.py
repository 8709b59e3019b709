"""Quantification: distances between a gold and an estimated distribution, both `[..., K]`.

In the formulas, p is the estimated and q the gold distribution. Measures that can be smoothed by
the number of items take it as `sizes`, an array `[...]`.
"""

from collections.abc import Callable
from math import e, log2
from typing import Any

import numpy as np

from ..exact import class_sums
from ..registry import Bounds, Condition, Facts, Parameter, Params, choice, number, register_measure
from ..types import Codes, Floats
from .terms import Array, array_namespace, ratio, root, running_sums
from .weights import DISTANCE_WEIGHTS, distance_weights


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
    title="Earth mover's distance",
    symbol="EMD",
    aliases=("wasserstein",),
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms=("order_awareness", "single_class_order", "symmetry"),
    formula=r"\sum_{i=1}^{K-1} (v_{i+1} - v_i)\,|\mathrm{cp}_i - \mathrm{cq}_i|",
    range_note="with other class values than 1..K, v_K − v_1 takes the place of K−1",
    description="Least work, mass times distance, that turns one distribution into the other.",
    use="Where distances between classes mean something, and a figure in units of the scale is "
    "wanted: how far mass is moved on average.",
    avoid="To compare scales of different length: on five classes it goes up to 4, on eleven up "
    "to 10. `nmd` goes up to 1 on all. Where an error in a rare class is worse than the same error "
    "in a frequent one: both cost the same, under `nmd` too; `rae` is relative to the gold shares.",
    citation="Rubner et al. 2000; Sakai 2021, eq. 11 without its denominator",
)
def emd(gold: Array, estimate: Array, values: Array) -> Array:
    gap = array_namespace(gold).abs(running_sums(estimate - gold)[..., 1:-1])  # |cp − cq|
    return over_classes(gap * (values[1:] - values[:-1]))


@register_measure(
    "nmd",
    **_DISTANCE,
    scale="interval",
    title="Normalised match distance",
    symbol="NMD",
    claims=("symmetric", "reversible", "perfect"),
    axioms=("order_awareness", "single_class_order", "symmetry"),
    formula=r"\frac{1}{v_K - v_1}"
    r"\sum_{i=1}^{K-1} (v_{i+1} - v_i)\,|\mathrm{cp}_i - \mathrm{cq}_i|",
    description="Earth mover's distance as a share of the length of the scale.",
    use="For distributions over ordered classes: from 0 to 1 on scales of any length, and always "
    "worse the farther mass is moved.",
    avoid="Where an error in a rare class is worse than the same error in a frequent one: both "
    "cost the same; `rae` is relative to the gold shares. As the only measure to compare systems: "
    "on average over three NTCIR tasks it ranked them less consistently than `rnod`, though not "
    "on all data (Sakai 2021).",
    citation="Werman et al. 1985; Sakai 2021, eq. 11",
)
def nmd(gold: Array, estimate: Array, values: Array) -> Array:
    return emd(gold, estimate, values) / (values[-1] - values[0])


_PORTION = 1 << 21  # numbers in an array of classes by pairs of classes
_LONG_SCALE = 16  # with more classes, no array of K by K numbers for every topic is made
_POWERS = {"none": 0, "linear": 1, "quadratic": 2}


def _weights_between(values: Floats, weights: Any) -> Floats:
    """Return `distance_weights` without an array library: bounds are listed with all measures."""
    if not isinstance(weights, str):
        return np.asarray(weights, dtype=np.float64)
    gaps = np.abs(np.subtract.outer(values, values))
    return np.where(gaps > 0, gaps ** _POWERS[weights], 0.0)


def _largest_divergence(values: Floats, weights: Any, *, symmetric: bool) -> float:
    """Return the supremum of OD, or of SOD, over all pairs of distributions.

    For fixed sets of classes that p and q use, OD is convex in both, so that its supremum is that
    of distributions with nearly all mass in one class each, q in a and p in b, and with traces
    of q in the other classes of a set S with a: the mean over S of w_ia + w_ib.
    """
    w = _weights_between(values, weights)
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
            largest = _weights_between(values, params["weights"]).max()
            highest = float(np.sqrt(highest / largest))
        return 0.0, highest

    return bounds


_ROOT_NOTE = (
    "1 up to K = 4, then √((2K − m − 2(K−1)/m)/(K−1)) with the integer m that makes it largest, "
    "one next to √(2(K−1)): 1.041 for K = 5, 1.118 for K = 9, towards √2 (linear weights, class "
    "values 1..K). Scores come near it if nearly all mass of gold and of the estimate is in two "
    "neighbouring classes at one end of the scale, and traces of it are at the other end"
)
_DIVERGENCE_NOTE = (
    "2K − m − 2(K−1)/m with the integer m that makes it largest, one next to √(2(K−1)) (linear "
    "weights, class values 1..K)"
)
_OD_SYMBOLS = {
    "w": "w_ij, by default |v_i − v_j|; with weights='quadratic' its square, with 'none' 1 for "
    "i ≠ j, or the array given"
}
_OD: Facts = {**_DISTANCE, "scale": "interval", "parameters": (DISTANCE_WEIGHTS,)}


@register_measure(
    "od",
    **{**_OD, "bounds": _divergence_bounds(symmetric=False, root=False)},
    title="Order-aware divergence",
    symbol="OD",
    claims=("reversible", "padded", "perfect"),
    axioms=("single_class_order",),
    formula=r"\mathrm{mean}_{i: q_i > 0} \sum_j w_{ij}\,(p_j - q_j)^2",
    symbols={**_OD_SYMBOLS, "mean": "mean over the classes named below it"},
    range_note=_DIVERGENCE_NOTE,
    description="Squared differences weighted by the distance from the classes that gold uses.",
    use="Where squared differences should count the more, the farther they are on average from "
    "the classes that gold uses.",
    avoid="To compare scales of different length, for which there is `rnod`. Where classes of "
    "gold are empty by chance: traces of gold in them change the score, under `rnod` too. Where "
    "gold is spread over several classes: mass that is moved farther can cost less; `nmd` always "
    "notices.",
    citation="Sakai 2021, eqs. 12-13",
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
    title="Symmetric order-aware divergence",
    symbol="SOD",
    claims=("symmetric", "reversible", "padded", "perfect"),
    axioms=("single_class_order", "symmetry"),
    formula=r"\frac{1}{2}\left(\mathrm{OD}(p\|q) + \mathrm{OD}(q\|p)\right)",
    symbols={"OD": "the measure od; in OD(q‖p) gold and estimate are exchanged"},
    range_note=_DIVERGENCE_NOTE,
    description="Mean of the order-aware divergences in both directions.",
    use="As `od`, where gold and estimate have the same standing.",
    avoid="To compare scales of different length, for which there is `rsnod`. Where classes are "
    "empty by chance: traces of mass in them change the score, under `rsnod` too; `nmd` hardly "
    "changes.",
    citation="Sakai 2021, eq. 13",
)
def sod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return (od(gold, estimate, values, weights) + od(estimate, gold, values, weights)) / 2


@register_measure(
    "rnod",
    **{**_OD, "bounds": _divergence_bounds(symmetric=False, root=True)},
    title="Root normalised order-aware divergence",
    symbol="RNOD",
    claims=("reversible", "perfect"),
    axioms=("single_class_order",),
    formula=r"\sqrt{\mathrm{OD}(p\|q) / \max_{i,j} w_{ij}}",
    symbols={**_OD_SYMBOLS, "OD": "the measure od"},
    range_note=_ROOT_NOTE,
    description="Root of the order-aware divergence as a share of the largest weight, K−1 by "
    "default.",
    use="To compare systems that estimate distributions over ordered classes: Sakai recommends it "
    "as the primary measure with nmd beside it, because on average over three NTCIR tasks it "
    "ranked systems more consistently than the other measures that use the order.",
    avoid="By itself where gold is spread over several classes: mass that is moved farther can "
    "then cost the same or less; `nmd` always notices. Where classes of gold are empty by chance: "
    "0.1 % of gold in a class instead of nothing can change the score from 0.14 to 0.20. On "
    "scales of five or more classes it can exceed 1.",
    citation="Sakai 2021, eq. 14",
)
def rnod(gold: Array, estimate: Array, values: Array, weights: Any = "linear") -> Array:
    return root(od(gold, estimate, values, weights) / _largest_weight(values, weights))


def _largest_weight(values: Array, weights: Any) -> Array:
    """Return the largest weight between two classes, K − 1 by default."""
    return array_namespace(values).max(distance_weights(values, weights))


@register_measure(
    "rsnod",
    **{**_OD, "bounds": _divergence_bounds(symmetric=True, root=True)},
    title="Root symmetric normalised order-aware divergence",
    symbol="RSNOD",
    claims=("symmetric", "reversible", "perfect"),
    axioms=("single_class_order", "symmetry"),
    formula=r"\sqrt{\mathrm{SOD}(p, q) / \max_{i,j} w_{ij}}",
    symbols={**_OD_SYMBOLS, "SOD": "the measure sod"},
    range_note=_ROOT_NOTE,
    description="Root of the symmetric order-aware divergence as a share of the largest weight, "
    "K−1 by default.",
    use="As `rnod`, where gold and estimate have the same standing.",
    avoid="To compare systems with gold, which needs no symmetry: on average over three NTCIR "
    "tasks it ranked systems less consistently than `rnod` (Sakai 2021). Where classes are empty "
    "by chance, which changes the score. On scales of five or more classes it can exceed 1.",
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
    use="Where the classes have no order: the share of the mass that is in the wrong class.",
    avoid="Where the order matters: mass at the far end counts as much as in a neighbouring "
    "class. `nmd` counts how far it is moved.",
    citation="Sakai 2021, eq. 16",
)
def nvd(gold: Array, estimate: Array) -> Array:
    return over_classes(array_namespace(gold).abs(estimate - gold)) / 2


@register_measure(
    "rnss",
    **_NOMINAL,
    title="Root normalised sum of squares",
    symbol="RNSS",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\sqrt{\frac{1}{2}\sum_i (p_i - q_i)^2}",
    description="Square root of half the sum of squared differences.",
    use="Where the classes have no order, and large differences should count more than small "
    "ones: 0.2 in two classes costs more than 0.1 in four.",
    avoid="Where the order matters: mass at the far end counts as much as in a neighbouring "
    "class. `rnod` squares differences too and uses the order.",
    citation="Sakai 2021, eq. 17",
)
def rnss(gold: Array, estimate: Array) -> Array:
    return root(over_classes((estimate - gold) ** 2) / 2)


@register_measure(
    "ae",
    **{**_NOMINAL, "bounds": lambda values, params: (0.0, 2.0 / len(values))},
    title="Absolute error",
    symbol="AE",
    aliases=("absolute_error",),
    claims=("symmetric", "reversible", "relabelable", "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\frac{1}{K}\sum_i |p_i - q_i|",
    range_note="the highest score is 2/K",
    description="Mean over the classes of the absolute differences of the shares.",
    use="Where the classes have no order, and the error of a class on average is wanted, or to "
    "compare with results of SemEval and QuaPy.",
    avoid="Where the order matters, for which there is `nmd`, or to compare scales with different "
    "numbers of classes: the highest score is 2 divided by that number. `nvd` ranks alike and "
    "goes up to 1.",
    citation="Nakov et al. 2016, SemEval-2016 Task 4, subtask D; Sebastiani 2020",
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
_SMOOTHED_SYMBOLS = {
    "p'": "p'_i = (p_i + ε)/(1 + Kε), ε the parameter smoothing, by default 0; with "
    "smoothing='size' ε = 1/(2n), n the number of items of the distribution",
    "q'": "q'_i = (q_i + ε)/(1 + Kε)",
}


def _smoothed(shares: Array, smoothing: Any, sizes: Any) -> Array:
    """Return (p + ε)/(1 + Kε); ε = 1/(2n) for the sizes n of the distributions, or as given."""
    added = 1.0 / (2.0 * sizes[..., None]) if smoothing == "size" else float(smoothing)
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
    title="Relative absolute error",
    symbol="RAE",
    parameters=(SMOOTHING,),
    aliases={"relative_absolute_error": {}, "rae_smoothed": {"smoothing": "size"}},
    claims=("reversible", "relabelable", "perfect"),
    axioms=("ordinal_invariance",),
    undecided_axioms=("single_class_order",),
    formula=r"\frac{1}{K}\sum_i \frac{|p'_i - q'_i|}{q'_i}",
    symbols=_SMOOTHED_SYMBOLS,
    range_note="no upper bound without smoothing; (1/ε + (K−1)/(1 + (K−1)ε))/K with smoothing=ε",
    description="Mean over the classes of the absolute differences, relative to the gold shares; "
    "undefined where gold is 0 and the estimate is not, unless it is smoothed. "
    "rae_smoothed is the form of SemEval-2016 and QuaPy, smoothed by the number of items.",
    use="Where an error in a rare class is worse than the same error in a frequent one: it is "
    "relative to the gold share.",
    avoid="Where the order matters, for which there is `nmd`. Where gold classes are empty: it is "
    "then undefined if the estimate is not 0 there, and with smoothing depends on how much is "
    "added.",
    citation="Nakov et al. 2016, SemEval-2016 Task 4, subtask D; Sebastiani 2020",
)
def rae(gold: Array, estimate: Array, sizes: Any = None, smoothing: float | str = 0) -> Array:
    xp = array_namespace(gold)
    q, p = (_smoothed(side, smoothing, sizes) for side in (gold, estimate))
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


_ENTROPY = r"\sum_{p'_i > 0} p'_i \log_b \frac{p'_i}{q'_i}"
_GOLD_ENTROPY = r"\sum_{q'_i > 0} q'_i \log_b \frac{q'_i}{p'_i}"


@register_measure(
    "kld",
    **{**_NOMINAL, "bounds": _entropy_bounds},
    undefined=_without_support,
    title="Kullback-Leibler divergence",
    symbol="KLD",
    parameters=(
        choice("direction", "estimate", "gold"),
        SMOOTHING,
        Parameter("base", 2, '2, 10, "e"', lambda value: value in _LOG2_OF_BASE),
    ),
    aliases={"kld_smoothed": {"direction": "gold", "smoothing": "size", "base": "e"}},
    claims=(*_ANY_ORDER, "perfect"),
    # An unused class takes a share of the mass that is added.
    unclaimed=lambda params: ("padded",) if params["smoothing"] else (),
    axioms=("ordinal_invariance",),
    undecided_axioms=("single_class_order",),
    formula=_ENTROPY,
    formula_of=lambda params: _GOLD_ENTROPY if params["direction"] == "gold" else _ENTROPY,
    symbols={**_SMOOTHED_SYMBOLS, "b": "the parameter base, by default 2"},
    range_note="no upper bound without smoothing; log_b((1 + ε)/ε)/(1 + Kε) with smoothing=ε",
    description="Relative entropy, by default of the estimate with respect to gold in bits; "
    "undefined where gold is 0 and the estimate is not. With direction='gold' p' and q' are "
    "exchanged. kld_smoothed is the form of SemEval-2016 and QuaPy: of gold with respect to the "
    "estimate, natural logarithms, smoothed by the number of items.",
    use="Where the cost in bits is of interest: with direction='gold', those lost per item if "
    "items of gold are coded by the estimate. The default is the other direction, as Sakai "
    "defines it.",
    avoid="Where the order matters, for which there is `nmd`. Where classes are empty: without "
    "smoothing it is undefined if gold is 0 and the estimate is not, with direction='gold' the "
    "other way round; `jsd` is always defined. Without smoothing it has no upper bound.",
    citation="Kullback & Leibler 1951; Sakai 2021, eq. 18; with smoothing Nakov et al. "
    "2016, SemEval-2016 Task 4, subtask D",
)
def kld(
    gold: Array,
    estimate: Array,
    sizes: Any = None,
    direction: str = "estimate",
    smoothing: float | str = 0,
    base: int | str = 2,
) -> Array:
    q, p = (_smoothed(side, smoothing, sizes) for side in (gold, estimate))
    bits = _relative_entropy(q, p) if direction == "gold" else _relative_entropy(p, q)
    return bits / _LOG2_OF_BASE[base]


@register_measure(
    "jsd",
    **_NOMINAL,
    title="Jensen-Shannon divergence",
    symbol="JSD",
    claims=("symmetric", *_ANY_ORDER, "perfect"),
    axioms=("ordinal_invariance", "symmetry"),
    formula=r"\frac{1}{2}\left(\mathrm{KLD}(p\|m) + \mathrm{KLD}(q\|m)\right)",
    symbols={"m": "the midpoint (p + q)/2", "KLD": "the measure kld"},
    description="Mean relative entropy with respect to the midpoint of both, in bits.",
    use="Where the classes have no order, and a symmetric divergence from 0 to 1 is wanted that "
    "is defined for empty classes.",
    avoid="Where the order matters: mass at the far end counts as much as in a neighbouring "
    "class. `nmd` counts how far it is moved.",
    citation="Lin 1991; Sakai 2021, eq. 19",
)
def jsd(gold: Array, estimate: Array) -> Array:
    middle = (estimate + gold) / 2
    return (_relative_entropy(estimate, middle) + _relative_entropy(gold, middle)) / 2
