"""Slow second implementation of every measure, written over items from the papers' definitions.

Nothing here is shared with the package: plain Python, exact fractions, logarithms and powers to
fifty digits, double loops over items. The fast kernels are compared with these functions.

Every oracle in `ORACLES` is called as

    oracle(gold, pred, k, values=None, multiplicity=None, **parameters)

with class indices 0..k-1 in `gold` and `pred`. `multiplicity[i]` says how often item i occurs
(default once each), so that tables with huge counts can be given one item per cell; the answer is
exactly that of repeating the items. The name differs from `weights`, which is a parameter of
weighted kappa. `values` are the class values, 1..k by default. Undefined is NaN.

Those in `QUANTIFICATION_ORACLES` are called as `oracle(p, q, values=None, **parameters)`, with p
estimated and q gold, as in the papers; they take the numbers as they are and do not normalise.

A definition is named like its measure; decorators turn labels into items (gold class, predicted
class, multiplicity) and numbers into fractions. A decorator lists the values of the parameters
that the tests try, in all combinations; "free" stands for weights given as a matrix.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from typing import Any

Number = int | Fraction
Item = tuple[int, int, Number]
Labels = Sequence[int]
Values = Sequence[float] | None
Multiplicity = Sequence[float] | None
Matrix = Sequence[Sequence[float]]
Shares = Sequence[Fraction]
Grid = tuple[tuple[Number, ...], ...]

Oracle = Callable[..., float]

NAN = float("nan")
_FIFTY_DIGITS = Context(prec=50)
_WEIGHTS = ("none", "linear", "quadratic")
_BETAS = (0, 0.25, 0.75, 2)
_GAMMAS = (0.5, 1, 2)

ORACLES: dict[str, Oracle] = {}
QUANTIFICATION_ORACLES: dict[str, Oracle] = {}
TRIED: dict[str, dict[str, tuple[Any, ...]]] = {}


def oracle(**tried: tuple[Any, ...]) -> Callable[[Oracle], Oracle]:
    """Register a definition over items, called with labels; without items it is undefined."""

    def register(definition: Oracle) -> Oracle:
        def score(
            gold: Labels,
            pred: Labels,
            k: int,
            values: Values = None,
            multiplicity: Multiplicity = None,
            **parameters: Any,
        ) -> float:
            items = _items(gold, pred, multiplicity)
            return definition(items, k, _values(values, k), **parameters) if items else NAN

        name = definition.__name__
        ORACLES[name], TRIED[name] = score, tried
        return definition

    return register


def distance(**tried: tuple[Any, ...]) -> Callable[[Oracle], Oracle]:
    """Register a definition over exact shares, called with numbers."""

    def register(definition: Oracle) -> Oracle:
        def score(
            p: Sequence[float], q: Sequence[float], values: Values = None, **parameters: Any
        ) -> float:
            exact = ([Fraction(x) for x in side] for side in (p, q))
            return definition(*exact, _values(values, len(p)), **parameters)

        name = definition.__name__
        QUANTIFICATION_ORACLES[name], TRIED[name] = score, tried
        return definition

    return register


# ---------------------------------------------------------------------------------------------
# Items and exact arithmetic


def items_of(table: Sequence[Sequence[float]]) -> tuple[list[int], list[int], list[float]]:
    """One item per non-empty cell of a (K, K) table, rows gold: gold, pred, multiplicities."""
    cells = [
        (g, p, count) for g, row in enumerate(table) for p, count in enumerate(row) if count != 0
    ]
    return [g for g, _, _ in cells], [p for _, p, _ in cells], [count for _, _, count in cells]


def _number(x: float | Fraction) -> Number:
    exact = Fraction(x)
    return exact.numerator if exact.denominator == 1 else exact


def _items(gold: Labels, pred: Labels, multiplicity: Multiplicity) -> list[Item]:
    often = [1.0] * len(gold) if multiplicity is None else multiplicity
    weighed = zip(gold, pred, often, strict=True)
    return [(int(g), int(p), _number(w)) for g, p, w in weighed if w != 0]


def _values(values: Values, k: int) -> list[Number]:
    return list(range(1, k + 1)) if values is None else [_number(v) for v in values]


def _distance(a: Number, b: Number) -> Number:
    return a - b if a >= b else b - a


def _total(items: Iterable[Item]) -> Number:
    return sum(w for _, _, w in items)


def _ratio(numerator: Number, denominator: Number) -> float:
    return NAN if denominator == 0 else float(Fraction(numerator) / Fraction(denominator))


def _over_root(numerator: Number, square: Number) -> float:
    """numerator / √square, NaN unless square is positive."""
    if square <= 0:
        return NAN
    root = math.sqrt(Fraction(numerator) ** 2 / Fraction(square))
    return root if numerator >= 0 else -root


def _decimal(x: Number) -> Decimal:
    exact = Fraction(x)
    return _FIFTY_DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator))


@lru_cache(maxsize=4096)
def _log2(x: Number) -> Fraction:
    return Fraction(
        _FIFTY_DIGITS.divide(
            _FIFTY_DIGITS.ln(_decimal(x)),
            _FIFTY_DIGITS.ln(Decimal(2)),
        )
    )


def _power(base: Number, exponent: Number) -> Number:
    """base ** exponent for base >= 0 and exponent > 0."""
    if base == 0:
        return 0
    if Fraction(exponent).denominator == 1:
        return Fraction(base) ** int(exponent)
    return Fraction(_FIFTY_DIGITS.power(_decimal(base), _decimal(exponent)))


def _harmonic(a: float, b: float) -> float:
    """Harmonic mean of two scores, with f1(0, 0) = 0 and NaN if either is undefined."""
    return 0.0 if a == b == 0 else 2 * a * b / (a + b)


def _gold_classes(items: Iterable[Item]) -> list[int]:
    return sorted({g for g, _, _ in items})


def _of_gold(items: Iterable[Item], cls: int) -> list[Item]:
    return [item for item in items if item[0] == cls]


def _of_pred(items: Iterable[Item], cls: int) -> list[Item]:
    return [item for item in items if item[1] == cls]


def _mean(numbers: Sequence[Number]) -> Fraction:
    return Fraction(sum(numbers)) / len(numbers)


# ---------------------------------------------------------------------------------------------
# Nominal


@oracle()
def accuracy(items: list[Item], k: int, v: list[Number]) -> float:
    """S10: share of items whose predicted class is the gold class."""
    return _ratio(sum(w for g, p, w in items if g == p), _total(items))


@oracle()
def mer(items: list[Item], k: int, v: list[Number]) -> float:
    """U1: share of items whose predicted class is not the gold class."""
    return _ratio(sum(w for g, p, w in items if g != p), _total(items))


@oracle(n=(0, 1, 2))
def accuracy_within(items: list[Item], k: int, v: list[Number], n: int = 1) -> float:
    """Share of items at most n classes off (index distance, whatever the class values)."""
    return _ratio(sum(w for g, p, w in items if abs(g - p) <= n), _total(items))


def _recall(items: list[Item], cls: int) -> Fraction:
    own = _of_gold(items, cls)
    return Fraction(_total(_of_pred(own, cls))) / _total(own) if own else Fraction(0)


def _precision(items: list[Item], cls: int) -> Fraction:
    chosen = _of_pred(items, cls)
    return Fraction(_total(_of_gold(chosen, cls))) / _total(chosen) if chosen else Fraction(0)


def _f1(p: Fraction, r: Fraction) -> Fraction:
    return 2 * p * r / (p + r) if p + r > 0 else Fraction(0)


def _averaged(items: list[Item], classes: str) -> list[int]:
    """The classes of a macro average: those in gold, or those in gold or predicted."""
    predicted = {p for _, p, _ in items} if classes == "union" else set()
    return sorted({g for g, _, _ in items} | predicted)


@oracle(classes=("gold", "union"))
def macro_recall(items: list[Item], k: int, v: list[Number], classes: str = "gold") -> float:
    """Mean recall over the classes; 0 for one without gold items."""
    return float(_mean([_recall(items, c) for c in _averaged(items, classes)]))


@oracle(classes=("gold", "union"))
def macro_precision(items: list[Item], k: int, v: list[Number], classes: str = "gold") -> float:
    """Mean precision over the classes; 0 for one that is never predicted."""
    return float(_mean([_precision(items, c) for c in _averaged(items, classes)]))


@oracle(classes=("gold", "union"))
def macro_f1(items: list[Item], k: int, v: list[Number], classes: str = "gold") -> float:
    """S8: mean F1 over the observed gold classes."""
    averaged = _averaged(items, classes)
    return float(_mean([_f1(_precision(items, c), _recall(items, c)) for c in averaged]))


@oracle(classes=("gold", "union"))
def hmpr(items: list[Item], k: int, v: list[Number], classes: str = "gold") -> float:
    """S9: harmonic mean of macro precision and macro recall."""
    averaged = _averaged(items, classes)
    precision = _mean([_precision(items, c) for c in averaged])
    recall = _mean([_recall(items, c) for c in averaged])
    return float(_f1(precision, recall))


def _f1_of_class(items: list[Item], cls: int) -> float:
    """U12: 2TP/(2TP + FP + FN), undefined where the class is neither gold nor predicted."""
    tp = sum(w for g, p, w in items if g == cls and p == cls)
    fp = sum(w for g, p, w in items if g != cls and p == cls)
    fn = sum(w for g, p, w in items if g == cls and p != cls)
    return _ratio(2 * tp, 2 * tp + fp + fn)


@oracle(classes=(None, (1,), (0, 1, -1)))
def f1_extremes(
    items: list[Item], k: int, v: list[Number], classes: Sequence[int] | None = None
) -> float:
    """Mean F1 of the chosen classes, by default the lowest and the highest."""
    classes = classes or (0, -1)
    return math.fsum(_f1_of_class(items, range(k)[c]) for c in classes) / len(classes)


@oracle(positive=(None, 0, 1))
def f1_binary(items: list[Item], k: int, v: list[Number], positive: int | None = None) -> float:
    """U12: F1 of one class against the rest."""
    cls = range(k)[-1 if positive is None else positive]
    return _f1_of_class(items, cls)


@oracle()
def gmean(items: list[Item], k: int, v: list[Number]) -> float:
    """U13 for any K: geometric mean of the recalls over the observed gold classes."""
    recalls = [_recall(items, c) for c in _gold_classes(items)]
    return float(_power(math.prod(recalls, start=Fraction(1)), Fraction(1, len(recalls))))


@oracle()
def min_sensitivity(items: list[Item], k: int, v: list[Number]) -> float:
    """The lowest recall of an observed gold class."""
    return float(min(_recall(items, c) for c in _gold_classes(items)))


@oracle()
def mutual_information(items: list[Item], k: int, v: list[Number]) -> float:
    """Mutual information of gold and prediction in bits: the items' mean of log₂ p/(p_g p_p)."""
    total = _total(items)
    bits = Fraction(0)
    for g, p, w in items:
        together = _total(_of_pred(_of_gold(items, g), p))
        apart = Fraction(_total(_of_gold(items, g))) * _total(_of_pred(items, p))
        bits += w * _log2(together * total / apart)
    return float(bits / total)


def _largest_shares(items: list[Item], cluster: int, label: int) -> Number:
    """Σ over clusters of the size of each one's largest label; positions within an item."""
    largest: Number = 0
    for c in sorted({item[cluster] for item in items}):
        members = [item for item in items if item[cluster] == c]
        labels = {item[label] for item in members}
        largest += max(_total(item for item in members if item[label] == x) for x in labels)
    return largest


@oracle()
def purity(items: list[Item], k: int, v: list[Number]) -> float:
    """Share of items that are of the commonest gold class among those predicted alike."""
    return _ratio(_largest_shares(items, cluster=1, label=0), _total(items))


@oracle()
def inverse_purity(items: list[Item], k: int, v: list[Number]) -> float:
    """Share of items that have the commonest prediction among those of their gold class."""
    return _ratio(_largest_shares(items, cluster=0, label=1), _total(items))


@oracle()
def purity_f(items: list[Item], k: int, v: list[Number]) -> float:
    """Harmonic mean of purity and inverse purity."""
    return _harmonic(
        purity(items, k, v),
        inverse_purity(items, k, v),
    )


# ---------------------------------------------------------------------------------------------
# Error


def _mean_error(items: list[Item], v: list[Number], power: int) -> Fraction:
    return Fraction(sum(w * _distance(v[g], v[p]) ** power for g, p, w in items)) / _total(items)


@oracle()
def mae(items: list[Item], k: int, v: list[Number]) -> float:
    """U3, S2: mean absolute error."""
    return float(_mean_error(items, v, 1))


@oracle()
def mse(items: list[Item], k: int, v: list[Number]) -> float:
    """U2: mean squared error."""
    return float(_mean_error(items, v, 2))


@oracle()
def rmse(items: list[Item], k: int, v: list[Number]) -> float:
    """Root of the mean squared error."""
    return math.sqrt(_mean_error(items, v, 2))


def _macro_error(items: list[Item], v: list[Number], power: int, empty: str) -> float:
    if not items:
        return NAN
    per_class = [_mean_error(_of_gold(items, c), v, power) for c in _gold_classes(items)]
    return float(sum(per_class) / {"ignore": len(per_class), "zero": len(v)}[empty])


@oracle(empty=("ignore", "zero"))
def macro_mae(items: list[Item], k: int, v: list[Number], empty: str = "ignore") -> float:
    """S1 (empty="ignore"), U15 (empty="zero"): mean over classes of the class's MAE."""
    return _macro_error(items, v, 1, empty)


@oracle(empty=("ignore", "zero"))
def macro_mse(items: list[Item], k: int, v: list[Number], empty: str = "ignore") -> float:
    """Mean over classes of the class's MSE."""
    return _macro_error(items, v, 2, empty)


@oracle()
def max_mae(items: list[Item], k: int, v: list[Number]) -> float:
    """U14: the largest MAE of an observed gold class."""
    return float(max(_mean_error(_of_gold(items, c), v, 1) for c in _gold_classes(items)))


def _margin_loss(loss: str, z: Fraction) -> Fraction:
    """The margin penalties of Rennie and Srebro at margin z."""
    if loss == "zero_one":
        return Fraction(1 if z <= 0 else 0)
    if loss == "hinge":
        return max(Fraction(0), 1 - z)
    if loss == "smooth_hinge":
        return Fraction(0) if z >= 1 else (Fraction(1, 2) - z if z <= 0 else (1 - z) ** 2 / 2)
    if loss == "modified_least_squares":
        return max(Fraction(0), 1 - z) ** 2
    if loss == "logistic":
        # ln(1 + e^-z), written so that a large negative margin does not overflow
        return Fraction(max(-float(z), 0.0) + math.log1p(math.exp(-abs(float(z)))))
    raise ValueError(f"unknown loss {loss!r}")


@oracle(
    loss=("zero_one", "hinge", "smooth_hinge", "modified_least_squares", "logistic"),
    threshold=("all", "immediate"),
)
def rennie_srebro(
    items: list[Item], k: int, v: list[Number], loss: str = "hinge", threshold: str = "all"
) -> float:
    """Threshold loss with the predicted class value as predictor, thresholds midway."""
    total = Fraction(0)
    for g, p, w in items:
        # step i is the one from class i to class i + 1
        beside = [i for i in (g - 1, g) if 0 <= i < k - 1]
        for i in {"all": list(range(k - 1)), "immediate": beside}[threshold]:
            theta = Fraction(v[i] + v[i + 1]) / 2
            side = 1 if g > i else -1
            total += w * _margin_loss(loss, side * (v[p] - theta))
    return float(total / _total(items))


# ---------------------------------------------------------------------------------------------
# Correlation and order


def _correlation(x: Sequence[Number], y: Sequence[Number], w: Sequence[Number]) -> float:
    """Pearson's correlation of x and y, entry i occurring w[i] times."""
    total = sum(w)
    if total == 0:
        return NAN
    mean_x = Fraction(sum(a * c for a, c in zip(x, w, strict=True))) / total
    mean_y = Fraction(sum(b * c for b, c in zip(y, w, strict=True))) / total
    xy = [(a - mean_x, b - mean_y, c) for a, b, c in zip(x, y, w, strict=True)]
    covariance = sum(a * b * c for a, b, c in xy)
    spread_x, spread_y = sum(a * a * c for a, _, c in xy), sum(b * b * c for _, b, c in xy)
    return _over_root(covariance, spread_x * spread_y)


@oracle()
def pearson(items: list[Item], k: int, v: list[Number]) -> float:
    """Linear correlation of the class values."""
    return _correlation([v[g] for g, _, _ in items], [v[p] for _, p, _ in items], _often(items))


def _often(items: list[Item]) -> list[Number]:
    return [w for _, _, w in items]


@oracle()
def cosine(items: list[Item], k: int, v: list[Number]) -> float:
    """Cosine of the two vectors of class values, an item being a dimension."""
    dot = sum(v[g] * v[p] * w for g, p, w in items)
    lengths = sum(v[g] ** 2 * w for g, _, w in items), sum(v[p] ** 2 * w for _, p, w in items)
    return _over_root(dot, lengths[0] * lengths[1])


def _mid_ranks(labels: list[int], often: list[Number]) -> list[Fraction]:
    """Average rank of each entry among all items, tied items sharing their mean rank."""
    ranks = []
    for own in labels:
        below = sum(w for other, w in zip(labels, often, strict=True) if other < own)
        equal = sum(w for other, w in zip(labels, often, strict=True) if other == own)
        ranks.append(below + Fraction(equal + 1) / 2)
    return ranks


@oracle()
def spearman(items: list[Item], k: int, v: list[Number]) -> float:
    """U4: Pearson's correlation of the mid-ranks."""
    often = _often(items)
    return _correlation(
        _mid_ranks([g for g, _, _ in items], often),
        _mid_ranks([p for _, p, _ in items], often),
        often,
    )


def _pair_counts(items: list[Item]) -> tuple[Number, Number, Number, Number]:
    """Pairs of items: concordant, discordant, tied in gold only, tied in prediction only.

    Pairs within one entry's repetitions are tied in both, and counted in none of the four.
    """
    concordant: Number = 0
    discordant: Number = 0
    gold_ties: Number = 0
    pred_ties: Number = 0
    for (g, p, w), (h, q, u) in combinations(items, 2):
        if (g - h) * (p - q) > 0:
            concordant += w * u
        elif (g - h) * (p - q) < 0:
            discordant += w * u
        elif g == h and p != q:
            gold_ties += w * u
        elif g != h and p == q:
            pred_ties += w * u
    return concordant, discordant, gold_ties, pred_ties


@oracle()
def kendall_a(items: list[Item], k: int, v: list[Number]) -> float:
    """(Concordant - discordant) / all pairs, of which weights below 1 can make too few."""
    total = _total(items)
    concordant, discordant, _, _ = _pair_counts(items)
    if total <= 1:
        return NAN
    return min(1.0, max(-1.0, _ratio(2 * (concordant - discordant), total * (total - 1))))


@oracle()
def kendall_b(items: list[Item], k: int, v: list[Number]) -> float:
    """C, U5: Kendall's coefficient with ties."""
    c, d, gold_ties, pred_ties = _pair_counts(items)
    return _over_root(c - d, (c + d + gold_ties) * (c + d + pred_ties))


@oracle()
def r_int(items: list[Item], k: int, v: list[Number]) -> float:
    """U7: S1 (S2) is the set of ordered pairs of different items not descending in gold (pred)."""
    s1: Number = 0
    s2: Number = 0
    both: Number = 0
    for (i, (g, p, w)), (j, (h, q, u)) in product(enumerate(items), repeat=2):
        pairs = w * (u - 1) if i == j else w * u
        s1 += pairs if g <= h else 0
        s2 += pairs if p <= q else 0
        both += pairs if g <= h and p <= q else 0
    if s1 <= 0 or s2 <= 0:
        return NAN
    root = _power(Fraction(s1) * s2, Fraction(1, 2))
    return float(-1 + 2 * both / Fraction(root))


def _order_overlap(items: list[Item], side: int) -> float:
    """Mean over items of P(ordered alike by both | ordered by one side), 0 gold, 1 prediction."""
    scores: list[tuple[Number, Fraction]] = []
    for own in items:
        ordered = sum(w for *labels, w in items if labels[side] != own[side])
        alike = sum(w for g, p, w in items if (g - own[0]) * (p - own[1]) > 0)
        if ordered > 0:
            scores.append((own[2], Fraction(alike) / ordered))
    return _ratio(sum((w * score for w, score in scores), Fraction(0)), sum(w for w, _ in scores))


@oracle()
def reliability(items: list[Item], k: int, v: list[Number]) -> float:
    """Share of the system's order relations that gold confirms, averaged over items."""
    return _order_overlap(items, side=1)


@oracle()
def sensitivity(items: list[Item], k: int, v: list[Number]) -> float:
    """Share of gold's order relations that the system has, averaged over items."""
    return _order_overlap(items, side=0)


@oracle()
def rs_f(items: list[Item], k: int, v: list[Number]) -> float:
    """Harmonic mean of reliability and sensitivity."""
    return _harmonic(
        reliability(items, k, v),
        sensitivity(items, k, v),
    )


# ---------------------------------------------------------------------------------------------
# Agreement


def _distance_weights(weights: str | Matrix, v: list[Number]) -> list[list[Number]]:
    """Disagreement weights of every pair of classes that depend on the class values alone."""
    if not isinstance(weights, str):
        return [[_number(w) for w in row] for row in weights]
    rules: dict[str, Callable[[Number], Number]] = {
        "none": lambda d: int(d != 0),
        "linear": lambda d: d,
        "quadratic": lambda d: d * d,
    }
    return [[rules[weights](_distance(a, b)) for b in v] for a in v]


def _closeness_weights(items: list[Item], k: int) -> list[list[Number]]:
    """1 - prox / the largest prox for that gold class, which is that of the right answer."""
    rows: list[list[Number]] = []
    for g in range(k):
        closeness = [Fraction(_prox(items, p, g, "ordinal", True, None)) for p in range(k)]
        rows.append([1 - c / max(closeness) for c in closeness])
    return rows


@oracle(weights=(*_WEIGHTS, "closeness", "free"))
def kappa(items: list[Item], k: int, v: list[Number], weights: str | Matrix = "linear") -> float:
    """S5: 1 - weighted disagreement / that of gold and prediction drawn independently."""
    if isinstance(weights, str) and weights == "closeness":
        w = _closeness_weights(items, k)
    else:
        w = _distance_weights(weights, v)
    observed = sum(m * w[g][p] for g, p, m in items)
    chance = sum(m * n * w[g][p] for (g, _, m), (_, p, n) in product(items, repeat=2))
    return NAN if chance == 0 else float(1 - Fraction(observed) * _total(items) / chance)


@oracle()
def cohen_kappa(items: list[Item], k: int, v: list[Number]) -> float:
    """(O - E)/(1 - E), O the observed agreement and E that expected by chance."""
    total = Fraction(_total(items))
    observed = sum(w for g, p, w in items if g == p) / total
    expected = sum(
        _total(_of_gold(items, c)) * _total(_of_pred(items, c)) / total**2 for c in range(k)
    )
    return _ratio(observed - expected, 1 - expected)


def _squared_difference(
    level: str, i: int, j: int, v: list[Number], sizes: list[Number]
) -> Fraction | None:
    """Krippendorff's δ² of classes i and j, None where the ratio level has no value."""
    low, high = min(i, j), max(i, j)
    if low == high or level == "nominal":
        return Fraction(int(low != high))
    if level == "ordinal":
        return (sum(sizes[low : high + 1]) - Fraction(sizes[low] + sizes[high]) / 2) ** 2
    if level == "interval":
        return Fraction(v[high] - v[low]) ** 2
    if level == "ratio":
        negative = min(v[low], v[high]) < 0
        return None if negative else (Fraction(v[high] - v[low]) / (v[high] + v[low])) ** 2
    raise ValueError(f"unknown level {level!r}")


@oracle(level=("ordinal", "interval", "nominal", "ratio"))
def alpha(items: list[Item], k: int, v: list[Number], level: str = "ordinal") -> float:
    """S6: 1 - D_o/D_e; D_o over the two labels of an item, D_e over any two of the 2N labels."""
    labels = [(g, w) for g, _, w in items] + [(p, w) for _, p, w in items]
    sizes = [sum(w for c, w in labels if c == cls) for cls in range(k)]
    used = [c for c in range(k) if sizes[c] > 0]
    delta = {(i, j): _squared_difference(level, i, j, v, sizes) for i in used for j in used}
    if any(d is None for d in delta.values()):
        return NAN
    known = {pair: d for pair, d in delta.items() if d is not None}
    observed = sum(w * known[g, p] for g, p, w in items)
    any_two = sum(sizes[i] * sizes[j] * known[i, j] for i, j in product(used, repeat=2))
    if any_two == 0:
        return NAN
    size = 2 * _total(items)
    # D_o = 2·observed/size and D_e = any_two/(size·(size - 1)): a label and itself differ by 0
    return float(1 - 2 * observed * (size - 1) / any_two)


# ---------------------------------------------------------------------------------------------
# Closeness


def _closer_than(items: list[Item], p: int, g: int, scale: str, v: list[Number] | None) -> Number:
    """How many items are at least as close to class g as class p is, on the given scale."""
    if scale == "nominal":
        return _total(items) if p != g else _total(_of_gold(items, g))
    if scale == "interval":
        if v is None:
            raise ValueError("the interval scale needs class values")
        return sum(w for x, _, w in items if _distance(v[x], v[g]) <= _distance(v[p], v[g]))
    if scale == "ordinal":
        # half of the items tied with p, all others from p to g
        half = Fraction(_total(_of_gold(items, p))) / 2
        between = sum(w for x, _, w in items if x != p and min(p, g) <= x <= max(p, g))
        return half + between
    raise ValueError(f"unknown scale {scale!r}")


def _prox(
    items: list[Item], p: int, g: int, scale: str, log: bool, v: list[Number] | None
) -> Fraction | float:
    """Closeness of predicted class p to gold class g; infinite where no item is that close."""
    closer = Fraction(_closer_than(items, p, g, scale, v))
    total = _total(items)
    if not log:
        return 1 - closer / total
    if scale == "ordinal":
        closer = max(Fraction(1, 2), closer)
    return math.inf if closer == 0 else -_log2(closer / total)


def prox(
    gold: Labels,
    k: int,
    p: int,
    g: int,
    scale: str = "ordinal",
    log: bool = True,
    values: Values = None,
    multiplicity: Multiplicity = None,
) -> float:
    """Closeness of class p to gold class g, which depends on the gold labels alone."""
    items = _items(gold, gold, multiplicity)
    return float(_prox(items, p, g, scale, log, _values(values, k))) if items else NAN


def _closeness_share(
    items: list[Item],
    chosen: list[Item],
    best: Callable[[Item], tuple[int, int]],
    scale: str,
    log: bool,
    v: list[Number],
) -> float:
    """Σ prox over the chosen items / its maximum; best(item) gives the best (p, g) for it."""
    pairs = {(p, g) for g, p, _ in chosen} | {best(item) for item in chosen}
    closeness = {(p, g): _prox(items, p, g, scale, log, v) for p, g in pairs}
    maximum = sum(item[2] * closeness[best(item)] for item in chosen)
    if math.isinf(maximum):
        return 0.0
    return _ratio(Fraction(sum(w * closeness[p, g] for g, p, w in chosen)), Fraction(maximum))


@oracle(scale=("ordinal", "nominal", "interval"), log=(True, False))
def cem(
    items: list[Item], k: int, v: list[Number], scale: str = "ordinal", log: bool = True
) -> float:
    """A, S3: total closeness to gold over that of the right answers."""
    return _closeness_share(items, items, lambda item: (item[0], item[0]), scale, log, v)


def ciq_precision(
    gold: Labels,
    pred: Labels,
    k: int,
    cls: int,
    values: Values = None,
    multiplicity: Multiplicity = None,
    scale: str = "ordinal",
    log: bool = True,
) -> float:
    """A Prop. 2: closeness over the items predicted as cls; largest if all were of gold cls."""
    items = _items(gold, pred, multiplicity)
    chosen = _of_pred(items, cls)
    return _closeness_share(items, chosen, lambda _: (cls, cls), scale, log, _values(values, k))


def ciq_recall(
    gold: Labels,
    pred: Labels,
    k: int,
    cls: int,
    values: Values = None,
    multiplicity: Multiplicity = None,
    scale: str = "ordinal",
    log: bool = True,
) -> float:
    """A Prop. 2: closeness over the items of gold cls; largest if all were predicted as cls."""
    items = _items(gold, pred, multiplicity)
    chosen = _of_gold(items, cls)
    return _closeness_share(items, chosen, lambda _: (cls, cls), scale, log, _values(values, k))


# ---------------------------------------------------------------------------------------------
# Paths


def monotone_paths(k: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every path from (0, 0) to (k-1, k-1) by steps right, down or diagonal."""
    unfinished: list[tuple[tuple[int, int], ...]] = [((0, 0),)]
    while unfinished:
        path = unfinished.pop()
        r, c = path[-1]
        if (r, c) == (k - 1, k - 1):
            yield path
        for step in ((r, c + 1), (r + 1, c), (r + 1, c + 1)):
            if max(step) < k:
                unfinished.append((*path, step))


def _to_integers(grid: Grid) -> tuple[list[list[int]], int]:
    """A whole multiple of the grid, and the multiplier: sums of integers are exact and fast."""
    scale = math.lcm(*(Fraction(x).denominator for row in grid for x in row))
    return [[int(x * scale) for x in row] for row in grid], scale


@lru_cache(maxsize=16)
def _listed_sums(benefit: Grid, penalty: Grid) -> list[tuple[Fraction, Fraction]]:
    """(Σ benefit, Σ penalty) of all monotone paths: the best benefit for each penalty."""
    b, b_scale = _to_integers(benefit)
    p, p_scale = _to_integers(penalty)
    best: dict[int, int] = {}
    for path in monotone_paths(len(benefit)):
        gain = sum(b[r][c] for r, c in path)
        loss = sum(p[r][c] for r, c in path)
        best[loss] = max(gain, best.get(loss, gain))
    return [(Fraction(gain, b_scale), Fraction(loss, p_scale)) for loss, gain in best.items()]


def _cheapest_sums(benefit: Grid, penalty: Grid, price: Fraction) -> tuple[Fraction, Fraction]:
    """(Σ benefit, Σ penalty) of a path of least price·penalty - benefit.

    Bellman and Ford's method: shorten the way to each cell until no step shortens any.
    """
    b, b_scale = _to_integers(benefit)
    p, p_scale = _to_integers(penalty)
    # a whole multiple of the cost, so that comparisons are exact
    for_loss, for_gain = price.numerator * b_scale, price.denominator * p_scale
    k = len(benefit)
    known = {(0, 0): (for_loss * p[0][0] - for_gain * b[0][0], b[0][0], p[0][0])}
    steps = [(r, c, i, j) for r in range(k) for c in range(k) for i, j in ((0, 1), (1, 0), (1, 1))]
    shortened = True
    while shortened:
        shortened = False
        for r, c, i, j in steps:
            if (r, c) not in known or max(r + i, c + j) == k:
                continue
            cost, gain, loss = known[r, c]
            here_gain, here_loss = b[r + i][c + j], p[r + i][c + j]
            cost += for_loss * here_loss - for_gain * here_gain
            if (r + i, c + j) not in known or cost < known[r + i, c + j][0]:
                known[r + i, c + j] = (cost, gain + here_gain, loss + here_loss)
                shortened = True
    _, gain, loss = known[k - 1, k - 1]
    return Fraction(gain, b_scale), Fraction(loss, p_scale)


def _frontier_sums(
    benefit: Grid, penalty: Grid, low: Fraction, high: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """Sums of enough paths to hold a cheapest one at every price from low to high."""
    first = _cheapest_sums(benefit, penalty, low)
    last = _cheapest_sums(benefit, penalty, high)
    if first[1] == last[1]:
        return [first, last]
    price = (first[0] - last[0]) / (first[1] - last[1])
    between = _cheapest_sums(benefit, penalty, price)
    if price * between[1] - between[0] == price * first[1] - first[0]:
        return [first, last]
    return [
        *_frontier_sums(benefit, penalty, low, price),
        *_frontier_sums(benefit, penalty, price, high),
    ]


def _path_sums(
    benefit: Grid, penalty: Grid, low: Fraction, high: Fraction
) -> list[tuple[Fraction, Fraction]]:
    """Sums of paths among which is a cheapest one for each price of a unit of penalty.

    All paths up to K = 9, where there are 265,729; beyond that, only those that can be cheapest.
    """
    if len(benefit) <= 9:
        return _listed_sums(benefit, penalty)
    return _frontier_sums(benefit, penalty, low, high)


def _grid(cells: dict[tuple[int, int], Number], k: int) -> Grid:
    return tuple(tuple(cells.get((r, c), 0) for c in range(k)) for r in range(k))


def _entries(items: list[Item]) -> dict[tuple[int, int], Number]:
    """Entries of the confusion matrix, the graph on which the paths are defined."""
    cells: dict[tuple[int, int], Number] = {}
    for g, p, w in items:
        cells[g, p] = cells.get((g, p), 0) + w
    return cells


def _deviations(
    cells: dict[tuple[int, int], Number], v: list[Number], gamma: Number
) -> dict[tuple[int, int], Number]:
    """Each entry times its distance from the diagonal to the power gamma."""
    return {(g, p): n * _power(_distance(v[g], v[p]), gamma) for (g, p), n in cells.items()}


def _dispersion(deviations: dict[tuple[int, int], Number], gamma: Number) -> Number:
    return _power(sum(deviations.values()), 1 / Fraction(gamma))


def _penalty_factor(
    beta: float, gamma: Number, total: Number, v: list[Number], relative: bool
) -> Fraction:
    """β itself, or as a share of the largest possible penalty, N items at the widest distance."""
    return Fraction(beta) / (total * _power(v[-1] - v[0], gamma) if relative else 1)


@oracle(beta=_BETAS, gamma=_GAMMAS, relative=(True, False))
def oc(
    items: list[Item],
    k: int,
    v: list[Number],
    beta: float = 0.25,
    gamma: float = 1,
    relative: bool = True,
) -> float:
    """C7: the least cost over all monotone paths."""
    power, total = _number(gamma), _total(items)
    cells = _entries(items)
    deviations = _deviations(cells, v, power)
    norm = Fraction(total + _dispersion(deviations, power))
    factor = _penalty_factor(beta, power, total, v, relative)
    paths = _path_sums(_grid(cells, k), _grid(deviations, k), factor * norm, factor * norm)
    return float(min(1 - benefit / norm + factor * penalty for benefit, penalty in paths))


@oracle(beta=(0, 0.01, 0.25, 2), gamma=_GAMMAS)
def oc_unnormalised(
    items: list[Item], k: int, v: list[Number], beta: float = 0.25, gamma: float = 1
) -> float:
    """C6: as C7 with the benefit divided by N alone, and beta as given."""
    power, total = _number(gamma), _total(items)
    cells = _entries(items)
    deviations = _deviations(cells, v, power)
    factor = Fraction(beta)
    paths = _path_sums(_grid(cells, k), _grid(deviations, k), factor * total, factor * total)
    return float(min(1 - benefit / total + factor * penalty for benefit, penalty in paths))


def _is_connected(cells: frozenset[tuple[int, int]]) -> bool:
    reached = {(0, 0)}
    frontier = [(0, 0)]
    while frontier:
        r, c = frontier.pop()
        near = {(r + i, c + j) for i in (-1, 0, 1) for j in (-1, 0, 1)} & cells
        frontier.extend(near - reached)
        reached |= near
    return reached == cells


@lru_cache(maxsize=4)
def _connected_sets(k: int) -> list[tuple[frozenset[tuple[int, int]], int]]:
    """Every 8-connected set with both corners, and its number of discordant pairs of cells."""
    if k > 4:
        raise ValueError("too many vertex sets to list beyond K = 4")
    corners = [(0, 0), (k - 1, k - 1)]
    others = [(r, c) for r in range(k) for c in range(k) if (r, c) not in corners]
    found = []
    for size in range(len(others) + 1):
        for chosen in combinations(others, size):
            cells = frozenset([*corners, *chosen])
            if _is_connected(cells):
                pairs = combinations(cells, 2)
                found.append((cells, sum((r - s) * (c - d) < 0 for (r, c), (s, d) in pairs)))
    return found


@oracle(beta1=(0, 0.25), beta2=(0, 0.02, 1), gamma=(1, 2), relative=(True, False))
def oc_general(
    items: list[Item],
    k: int,
    v: list[Number],
    beta1: float = 0.25,
    beta2: float = 0.25,
    gamma: float = 1,
    relative: bool = True,
) -> float:
    """C8: the least cost over all vertex sets of paths between the corners, for K up to 4."""
    power, total = _number(gamma), _total(items)
    cells = _entries(items)
    deviations = _deviations(cells, v, power)
    norm = Fraction(total + _dispersion(deviations, power))
    factor = _penalty_factor(beta1, power, total, v, relative)
    least = None
    for path, discordant in _connected_sets(k):
        benefit = sum(cells.get(cell, 0) for cell in path)
        penalty = sum(deviations.get(cell, 0) for cell in path)
        cost = 1 - benefit / norm + factor * penalty + Fraction(beta2) * discordant
        least = cost if least is None else min(least, cost)
    return NAN if least is None else float(least)


def _uniform_paths(
    items: list[Item], k: int, v: list[Number], gamma: Number, low: float, high: float
) -> list[tuple[Fraction, Fraction]]:
    """U28 as lines in β: (value at β = 0, slope) of the paths that matter from low to high."""
    cells = _entries(items)
    sizes = {g: _total(_of_gold(items, g)) for g in _gold_classes(items)}
    rates: dict[tuple[int, int], Number] = {
        (g, p): Fraction(n) / sizes[g] for (g, p), n in cells.items()
    }
    deviations = _deviations(rates, v, gamma)
    # U20 before its simplification: (Σ_y 1/K' Σ q d^γ)^(1/γ) beside a total probability of 1
    observed = len(sizes)
    spread = _power(Fraction(sum(deviations.values())) / observed, 1 / Fraction(gamma))
    prices = [Fraction(beta) * (1 + spread) for beta in (low, high)]
    paths = _path_sums(_grid(rates, k), _grid(deviations, k), *prices)
    return [(1 - b / observed / (1 + spread), penalty / observed) for b, penalty in paths]


@oracle(beta=_BETAS, gamma=_GAMMAS)
def uoc(items: list[Item], k: int, v: list[Number], beta: float = 0.25, gamma: float = 1) -> float:
    """U28: OC with every observed class of equal probability."""
    lines = _uniform_paths(items, k, v, _number(gamma), beta, beta)
    return float(min(start + Fraction(beta) * slope for start, slope in lines))


def _area_under_minimum(lines: list[tuple[Fraction, Fraction]]) -> Fraction:
    """∫₀¹ min over lines of (start + slope·x) dx, walking along the lower envelope."""
    start, slope = min(lines)
    area, x = Fraction(0), Fraction(0)
    while x < 1:
        crossings = [((a - start) / (slope - s), s, a) for a, s in lines if s < slope]
        end, next_slope, next_start = min(crossings, default=(Fraction(1), slope, start))
        end = min(end, Fraction(1))
        area += (end - x) * (start + slope * (x + end) / 2)
        x, slope, start = end, next_slope, next_start
    return area


@oracle()
def auoc(items: list[Item], k: int, v: list[Number]) -> float:
    """U23: the integral of UOC over β from 0 to 1, exactly."""
    return float(_area_under_minimum(_uniform_paths(items, k, v, 1, 0, 1)))


# ---------------------------------------------------------------------------------------------
# Quantification


@distance()
def emd(p: Shares, q: Shares, v: list[Number]) -> float:
    """S11 before normalisation: mass that must cross each step between classes, by its length.

    There are K - 1 steps: a difference of the two whole sums crosses none.
    """
    work = Fraction(0)
    for i in range(len(p) - 1):
        below_p, below_q = (sum(d[: i + 1]) for d in (p, q))
        work += _distance(below_p, below_q) * (v[i + 1] - v[i])
    return float(work)


@distance()
def nmd(p: Shares, q: Shares, v: list[Number]) -> float:
    """S11: EMD over its largest value, the length of the scale."""
    return emd(p, q, v) / float(v[-1] - v[0])


def _order_aware(p: Shares, q: Shares, w: list[list[Number]]) -> Fraction:
    """S12-13: mean over the classes with q > 0 of the distance-weighted sum of squares."""
    squares = [(a - b) ** 2 for a, b in zip(p, q, strict=True)]
    sums = [sum(wij * s for wij, s in zip(row, squares, strict=True)) for row in w]
    return _mean([s for s, share in zip(sums, q, strict=True) if share > 0])


@distance(weights=(*_WEIGHTS, "free"))
def od(p: Shares, q: Shares, v: list[Number], weights: str | Matrix = "linear") -> float:
    """S13: order-aware divergence of p from q."""
    return float(_order_aware(p, q, _distance_weights(weights, v)))


@distance(weights=(*_WEIGHTS, "free"))
def sod(p: Shares, q: Shares, v: list[Number], weights: str | Matrix = "linear") -> float:
    """Mean of the order-aware divergences in both directions."""
    w = _distance_weights(weights, v)
    return float((_order_aware(p, q, w) + _order_aware(q, p, w)) / 2)


@distance(weights=(*_WEIGHTS, "free"))
def rnod(p: Shares, q: Shares, v: list[Number], weights: str | Matrix = "linear") -> float:
    """S14: root of OD over the largest weight, which is the length of the scale for linear ones."""
    w = _distance_weights(weights, v)
    return math.sqrt(_order_aware(p, q, w) / max(max(row) for row in w))


@distance(weights=(*_WEIGHTS, "free"))
def rsnod(p: Shares, q: Shares, v: list[Number], weights: str | Matrix = "linear") -> float:
    """S15: root of SOD over the largest weight."""
    w = _distance_weights(weights, v)
    both_ways = (_order_aware(p, q, w) + _order_aware(q, p, w)) / 2
    return math.sqrt(both_ways / max(max(row) for row in w))


@distance()
def nvd(p: Shares, q: Shares, v: list[Number]) -> float:
    """S16: half the sum of absolute differences."""
    return float(sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2)


@distance()
def rnss(p: Shares, q: Shares, v: list[Number]) -> float:
    """S17: root of half the sum of squared differences."""
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) / 2)


def _divergence(p: Shares, q: Shares) -> Fraction | None:
    """S18 in bits, None where q = 0 < p."""
    pairs = [(a, b) for a, b in zip(p, q, strict=True) if a > 0]
    if any(b == 0 for _, b in pairs):
        return None
    return sum((a * _log2(a / b) for a, b in pairs), Fraction(0))


@distance()
def ae(p: Shares, q: Shares, v: list[Number]) -> float:
    """SemEval-2016 4 D: mean over the classes of the absolute differences."""
    return float(_mean([abs(a - b) for a, b in zip(p, q, strict=True)]))


def _with_added(shares: Shares, smoothing: float) -> list[Fraction]:
    """SemEval-2016 4 D: (p + eps)/(1 + K eps)."""
    eps = Fraction(smoothing)
    return [(x + eps) / (1 + len(shares) * eps) for x in shares]


@distance(smoothing=(0, 0.125))
def rae(p: Shares, q: Shares, v: list[Number], smoothing: float = 0) -> float:
    """SemEval-2016 4 D: mean of |p - q|/q, both smoothed; undefined where q = 0 < p."""
    pairs = list(zip(_with_added(p, smoothing), _with_added(q, smoothing), strict=True))
    if any(b == 0 < a for a, b in pairs):
        return NAN
    return float(_mean([abs(a - b) / b if b > 0 else Fraction(0) for a, b in pairs]))


@distance(direction=("estimate", "gold"), smoothing=(0, 0.125), base=(2, "e"))
def kld(
    p: Shares,
    q: Shares,
    v: list[Number],
    direction: str = "estimate",
    smoothing: float = 0,
    base: float | str = 2,
) -> float:
    """S18: Kullback-Leibler divergence of p from q in bits; the other way in SemEval-2016 4 D."""
    sides = _with_added(p, smoothing), _with_added(q, smoothing)
    bits = _divergence(*(reversed(sides) if direction == "gold" else sides))
    return NAN if bits is None else float(bits) / math.log2(math.e if base == "e" else base)


@distance()
def jsd(p: Shares, q: Shares, v: list[Number]) -> float:
    """S19: mean divergence of p and q from their midpoint in bits."""
    middle = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
    halves = [_divergence(p, middle), _divergence(q, middle)]
    return float(sum(h for h in halves if h is not None) / 2)
