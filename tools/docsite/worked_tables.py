"""Worked examples of the measures of one table, but for those of paths."""

from math import log2, sqrt
from typing import Any

import numpy as np

from ordeval import Measure

from .worked import (
    LABELS,
    Floats,
    Grid,
    Step,
    Steps,
    Table,
    by_class,
    cells,
    equal,
    frac,
    num,
    plus,
    worked,
)

# Nominal measures


@worked("accuracy", "mer")
def accuracy(t: Table, m: Measure) -> Steps:
    """Count the diagonal."""
    right = t.n.diagonal()
    diagonal = cells("Items; those predicted exactly are marked", t.n, [(i, i) for i in range(3)])
    yield Step(
        "The items on the diagonal are predicted exactly.",
        (diagonal, equal(r"\sum_g n_{gg}", plus(right), right.sum())),
    )
    share = right.sum() / t.N
    last = m.id == "accuracy"
    yield Step(
        f"Their share of all {num(t.N)} items is the accuracy.",
        (equal(r"\frac{1}{N}\sum_g n_{gg}", frac(right.sum(), t.N), share),),
        share if last else None,
    )
    if not last:
        yield Step(
            "The error rate is what is left.",
            (equal(f"1 - {num(share)}", 1 - share),),
            1 - share,
        )


@worked("accuracy_within")
def accuracy_within(t: Table, m: Measure) -> Steps:
    """Count the cells near the diagonal."""
    near = [(g, p) for g, p in t.cells if abs(g - p) <= m.params["n"]]
    count = sum(t.n[c] for c in near)
    yield Step(
        f"The predicted class of the items in marked cells is at most {m.params['n']} away from "
        "the gold class.",
        (
            cells("Items", t.n, near),
            equal(r"\sum_{|g-p| \le 1} n_{gp}", plus(t.n[c] for c in near), count),
        ),
    )
    yield Step(
        "The score is their share of all items.",
        (equal(frac(count, t.N), count / t.N),),
        count / t.N,
    )


def _recalls(t: Table, what: str = "recall") -> tuple[Floats, Step]:
    recall = t.n.diagonal() / t.G
    grid = by_class(
        "Recall of each gold class", {"n_gg": t.n.diagonal(), "G_g": t.G, "n_gg/G_g": recall}
    )
    return recall, Step(
        "The recall of a gold class is the share of its items that are predicted exactly.", (grid,)
    )


def _precisions(t: Table) -> tuple[Floats, Step]:
    precision = t.n.diagonal() / t.P
    grid = by_class(
        "Precision of each class", {"n_gg": t.n.diagonal(), "P_g": t.P, "n_gg/P_g": precision}
    )
    return precision, Step(
        "The precision of a class is the share of the items predicted as this class that belong "
        "to it.",
        (grid,),
    )


def _mean(figures: Floats, what: str) -> Step:
    mean = float(figures.mean())
    return Step(
        f"All three classes occur in gold. The score is the mean of their {what}.",
        (equal(frac(plus(figures), len(figures)), mean),),
        mean,
    )


@worked("macro_recall")
def macro_recall(t: Table, m: Measure) -> Steps:
    """Average the recalls."""
    recall, step = _recalls(t)
    yield step
    yield _mean(recall, "recalls")


@worked("macro_precision")
def macro_precision(t: Table, m: Measure) -> Steps:
    """Average the precisions."""
    precision, step = _precisions(t)
    yield step
    yield _mean(precision, "precisions")


def _f1(t: Table) -> tuple[Floats, Step]:
    f1 = 2 * t.n.diagonal() / (t.G + t.P)
    figures = {"n_gg": t.n.diagonal(), "G_g": t.G, "P_g": t.P, "2 n_gg/(G_g + P_g)": f1}
    return f1, Step(
        "F1 of a class sets twice its correct items against its gold and its predicted items.",
        (by_class("F1 of each class", figures),),
    )


@worked("macro_f1")
def macro_f1(t: Table, m: Measure) -> Steps:
    """Average F1."""
    f1, step = _f1(t)
    yield step
    yield _mean(f1, "F1 scores")


@worked("hmpr")
def hmpr(t: Table, m: Measure) -> Steps:
    """Average precisions and recalls, then combine the means."""
    precision, step = _precisions(t)
    yield step
    recall, step = _recalls(t)
    yield step
    prec, rec = precision.mean(), recall.mean()
    yield Step(
        "Both are averaged over the three classes.",
        (
            equal(r"\mathrm{Prec}", frac(plus(precision), 3.0), prec),
            equal(r"\mathrm{Rec}", frac(plus(recall), 3.0), rec),
        ),
    )
    yield _harmonic(prec, rec, r"\mathrm{Prec}", r"\mathrm{Rec}")


def _harmonic(a: float, b: float, first: str, second: str) -> Step:
    score = 2 * a * b / (a + b)
    symbols = rf"\frac{{2\,{first}\,{second}}}{{{first} + {second}}}"
    return Step(
        "The score is the harmonic mean of the two.",
        (
            equal(
                symbols,
                rf"\frac{{2 \cdot {num(a)} \cdot {num(b)}}}{{{num(a)} + {num(b)}}}",
                score,
            ),
        ),
        score,
    )


@worked("f1_extremes")
def f1_extremes(t: Table, m: Measure) -> Steps:
    """Average F1 of the ends of the scale."""
    f1, step = _f1(t)
    yield step
    ends = f1[[0, -1]]
    yield Step(
        f"The score is the mean for the lowest and the highest class, *{LABELS[0]}* and "
        f"*{LABELS[-1]}*.",
        (equal(frac(plus(ends), 2.0), ends.mean()),),
        float(ends.mean()),
    )


@worked("f1_binary")
def f1_binary(t: Table, m: Measure) -> Steps:
    """Take F1 of one class."""
    right, gold, predicted = t.n[-1, -1], t.G[-1], t.P[-1]
    yield Step(
        f"The class is by default the highest one, *{LABELS[-1]}*: {num(gold)} items belong to it, "
        f"{num(predicted)} are predicted as it, and {num(right)} are both.",
        (cells("Items; those of the class that are found are marked", t.n, [(2, 2)]),),
    )
    score = 2 * right / (gold + predicted)
    yield Step(
        "The score is F1 of this class.",
        (
            equal(
                r"\frac{2\,n_{cc}}{G_c + P_c}",
                rf"\frac{{2 \cdot {num(right)}}}{{{num(gold)} + {num(predicted)}}}",
                score,
            ),
        ),
        float(score),
    )


@worked("gmean")
def gmean(t: Table, m: Measure) -> Steps:
    """Multiply the recalls."""
    recall, step = _recalls(t)
    yield step
    product = float(recall.prod())
    yield Step(
        "The recalls are multiplied; one recall of 0 makes the score 0.",
        (equal(r" \cdot ".join(map(num, recall)), product),),
    )
    yield Step(
        "With three classes, the score is the third root of the product.",
        (equal(f"{num(product)}^{{1/3}}", product ** (1 / 3)),),
        product ** (1 / 3),
    )


@worked("min_sensitivity")
def min_sensitivity(t: Table, m: Measure) -> Steps:
    """Take the least recall."""
    recall, step = _recalls(t)
    yield step
    worst = int(recall.argmin())
    yield Step(
        f"The score is the lowest of them, that of *{LABELS[worst]}*.",
        (equal(rf"\min({', '.join(map(num, recall))})", recall.min()),),
        float(recall.min()),
    )


@worked("mutual_information")
def mutual_information(t: Table, m: Measure) -> Steps:
    """Compare every cell with independence."""
    ratio = t.n * t.N / np.outer(t.G, t.P)
    yield Step(
        "If predictions did not depend on gold, a cell would hold "
        r"$`G_g P_p / N`$ items. Each cell is compared with that; above 1 there are more items "
        "than by chance.",
        (cells("n_gp N/(G_g P_p)", ratio),),
    )
    bits = np.array([[x / t.N * log2(r) if x else 0.0 for x, r in zip(*rows, strict=True)]
                     for rows in zip(t.n, ratio, strict=True)])  # fmt: skip
    yield Step(
        "The logarithm to base 2 of the ratio is weighted by the share of items in the cell. "
        "Empty cells count as 0.",
        (cells("(n_gp/N) log₂ of the ratio, in bits", bits),),
    )
    yield Step(
        "The score is the sum over all cells, in bits.",
        (equal(plus(bits[bits != 0]), bits.sum()),),
        float(bits.sum()),
    )


def _most(t: Table, axis: int) -> list[tuple[int, int]]:
    """Return the largest cells of each column (axis 0) or row."""
    if axis == 0:
        return [(int(t.n[:, p].argmax()), p) for p in range(3)]
    return [(g, int(t.n[g].argmax())) for g in range(3)]


def _purity(t: Table, axis: int) -> tuple[float, list[Step]]:
    marked = _most(t, axis)
    largest = [float(t.n[c]) for c in marked]
    what = "predicted class (column)" if axis == 0 else "gold class (row)"
    other = "gold class" if axis == 0 else "predicted class"
    symbol = r"\max_g n_{gp}" if axis == 0 else r"\max_p n_{gp}"
    score = sum(largest) / t.N
    return score, [
        Step(
            f"In each {what}, the most frequent {other} is looked up.",
            (cells("Items; the largest number is marked", t.n, marked),),
        ),
        Step(
            "The score is the share of these items.",
            (equal(rf"\frac{{1}}{{N}}\sum {symbol}", frac(plus(largest), t.N), score),),
            score,
        ),
    ]


@worked("purity", "inverse_purity")
def purity(t: Table, m: Measure) -> Steps:
    """Add up the largest cells."""
    yield from _purity(t, 0 if m.id == "purity" else 1)[1]


@worked("purity_f")
def purity_f(t: Table, m: Measure) -> Steps:
    """Combine purity and inverse purity."""
    pur, (_, first) = _purity(t, 0)
    inverse, (_, second) = _purity(t, 1)
    for name, step, axis in (("Purity", first, 0), ("Inverse purity", second, 1)):
        where = "columns" if axis == 0 else "rows"
        grid = cells(f"Items; the largest of the {where} are marked", t.n, _most(t, axis))
        yield Step(f"{name} is the share of the largest cells of the {where}.", (grid, *step.parts))
    yield _harmonic(pur, inverse, r"\mathrm{Pur}", r"\mathrm{InvPur}")


# Errors


def _distances(t: Table, squared: bool) -> tuple[Floats, Step]:
    error = t.d**2 if squared else t.d
    name, symbol = ("squared distance", "d²_gp") if squared else ("distance", "d_gp")
    return error, Step(
        f"Every cell has a cost, the {name} between the values of its classes, 1, 2 and 3.",
        (cells(symbol, error),),
    )


@worked("mae", "mse", "rmse")
def mean_error(t: Table, m: Measure) -> Steps:
    """Average the cost of the cells."""
    error, step = _distances(t, m.id != "mae")
    yield step
    cost, total = t.n * error, float((t.n * error).sum())
    power = "" if m.id == "mae" else "^2"
    yield Step(
        "The cost is multiplied by the items of each cell.",
        (
            cells("n_gp times the cost", cost),
            equal(rf"\sum_{{g,p}} n_{{gp}}\,d_{{gp}}{power}", plus(cost[cost > 0]), total),
        ),
    )
    mean = total / t.N
    root = m.id == "rmse"
    yield Step(
        f"The mean over the {num(t.N)} items is the mean {'squared' if power else 'absolute'} "
        "error.",
        (equal(frac(total, t.N), mean),),
        None if root else mean,
    )
    if root:
        yield Step(
            "The score is the square root.",
            (equal(rf"\sqrt{{{num(mean)}}}", sqrt(mean)),),
            sqrt(mean),
        )


@worked("macro_mae", "macro_mse", "max_mae")
def class_errors(t: Table, m: Measure) -> Steps:
    """Average the cost within each gold class."""
    squared = m.id == "macro_mse"
    error, step = _distances(t, squared)
    yield step
    cost = (t.n * error).sum(axis=1)
    means = cost / t.G
    worst = [int(means.argmax())] if m.id == "max_mae" else []
    heading = "Σ_p n_gp d²_gp" if squared else "Σ_p n_gp d_gp"
    yield Step(
        "Costs are added up in each gold class (row) and divided by its items.",
        (
            cells("n_gp times the cost", t.n * error),
            by_class("Error of each gold class", {heading: cost, "G_g": t.G, "mean": means}, worst),
        ),
    )
    if worst:
        yield Step(
            f"The score is the largest of them, that of *{LABELS[worst[0]]}*.",
            (equal(rf"\max({', '.join(map(num, means))})", means.max()),),
            float(means.max()),
        )
    else:
        yield _mean(means, "errors")


@worked("rennie_srebro")
def rennie_srebro(t: Table, m: Measure) -> Steps:
    """Add up the hinge loss over the thresholds."""
    thresholds = (t.v[1:] + t.v[:-1]) / 2
    rows = []
    penalty = np.zeros((3, 3))
    for place, theta in enumerate(thresholds):
        for g in range(3):
            sign = 1.0 if g > place else -1.0
            losses = np.maximum(0.0, 1 - sign * (t.v - theta))
            penalty[g] += losses
            rows.append((f"θ = {num(theta)}, gold {LABELS[g]}", list(losses)))
    yield Step(
        "Thresholds lie midway between the class values, at "
        f"{' and '.join(map(num, thresholds))}. A predicted value should be on the same side of a "
        "threshold as gold, and at least 1 away from it: the hinge loss of a margin z is "
        "max(0, 1 − z), where z is the distance from the threshold, negative on the wrong side.",
        (Grid("Hinge loss of each predicted class", LABELS, rows, "threshold, gold"),),
    )
    yield Step(
        "The losses at both thresholds are added up. A correct prediction costs something too, "
        "because neighbouring thresholds are only ½ away.",
        (cells("Loss of each cell", penalty),),
    )
    total = float((t.n * penalty).sum())
    terms = (t.n * penalty)[t.n > 0]
    yield Step(
        "The score is the mean loss of all items.",
        (equal(frac(plus(terms), t.N), frac(total, t.N), total / t.N),),
        total / t.N,
    )


# Correlation and order


def _correlate(t: Table, u: Floats, w: Floats, names: tuple[str, str]) -> Steps:
    means = [float((t.G * u).sum() / t.N), float((t.P * w).sum() / t.N)]
    du, dw = u - means[0], w - means[1]
    grid = by_class(
        "Deviations from the means",
        {"G_g": t.G, f"{names[0]} − mean": du, "P_p": t.P, f"{names[1]} − mean": dw},
    )
    yield Step(
        f"The mean is {num(means[0])} in gold and {num(means[1])} in the predictions. Each class "
        "deviates from it:",
        (grid,),
    )
    covariance = float((t.n * np.outer(du, dw)).sum() / t.N)
    first, second = (sqrt(float((k * x**2).sum() / t.N)) for k, x in ((t.G, du), (t.P, dw)))
    yield Step(
        "The covariance is the mean over the items of the product of both deviations; the standard "
        "deviations are the roots of the means of their squares.",
        (
            cells("Items times the product of deviations", t.n * np.outer(du, dw)),
            equal(r"\mathrm{cov}", frac(float((t.n * np.outer(du, dw)).sum()), t.N), covariance),
            equal(r"\sigma_g", first) + r", \quad " + equal(r"\sigma_p", second),
        ),
    )
    score = covariance / (first * second)
    yield Step(
        "The score is the covariance divided by both standard deviations.",
        (equal(frac(num(covariance), rf"{num(first)} \cdot {num(second)}"), score),),
        score,
    )


@worked("pearson")
def pearson(t: Table, m: Measure) -> Steps:
    """Correlate the class values."""
    yield from _correlate(t, t.v, t.v, ("v_g", "v_p"))


def _mid_ranks(marginal: Floats) -> Floats:
    below = np.cumsum(marginal) - marginal
    found: Floats = below + (marginal + 1) / 2
    return found


@worked("spearman")
def spearman(t: Table, m: Measure) -> Steps:
    """Correlate mean ranks."""
    first, second = _mid_ranks(t.G), _mid_ranks(t.P)
    yield Step(
        "Items are ranked by class. All items of a class share the mean of their ranks.",
        (
            by_class(
                "Mean ranks", {"G_g": t.G, "rank in gold": first, "P_p": t.P, "predicted": second}
            ),
        ),
    )
    yield from _correlate(t, first, second, ("rank_g", "rank_p"))


@worked("cosine")
def cosine(t: Table, m: Measure) -> Steps:
    """Divide the product of vectors by their lengths."""
    product = t.n * np.outer(t.v, t.v)
    yield Step(
        "Every item has two numbers, the values of its gold and its predicted class. Their product "
        "is added up over the items.",
        (
            cells("n_gp v_g v_p", product),
            equal(r"\sum_{g,p} n_{gp}\,v_g v_p", plus(product[product > 0]), product.sum()),
        ),
    )
    squares = [float((k * t.v**2).sum()) for k in (t.G, t.P)]
    yield Step(
        "So are the squares of either number.",
        (
            equal(r"\sum_g G_g v_g^2", plus(t.G * t.v**2), squares[0]),
            equal(r"\sum_p P_p v_p^2", plus(t.P * t.v**2), squares[1]),
        ),
    )
    score = float(product.sum()) / sqrt(squares[0] * squares[1])
    below = rf"\sqrt{{{num(squares[0])} \cdot {num(squares[1])}}}"
    yield Step(
        "The score is the product divided by the lengths of both vectors.",
        (equal(frac(num(product.sum()), below), score),),
        score,
    )


def _lower(t: Table, *, higher_predicted: bool = False) -> Floats:
    """Count, for each cell, the items of a lower gold and a lower (or higher) predicted class."""
    found = np.zeros((3, 3))
    for g, p in t.cells:
        side = t.n[:g, p + 1 :] if higher_predicted else t.n[:g, :p]
        found[g, p] = side.sum()
    return found


def _pairs(t: Table) -> tuple[float, float, list[Step]]:
    lower, crossed = _lower(t), _lower(t, higher_predicted=True)
    c, d = float((t.n * lower).sum()), float((t.n * crossed).sum())
    return (
        c,
        d,
        [
            Step(
                "A pair of items is concordant if one of them is lower in gold and in the "
                "prediction. For an item of each cell, these are the items above and to the left.",
                (
                    cells("Items lower in both", lower),
                    equal("c", plus((t.n * lower)[t.n * lower > 0]), c),
                ),
            ),
            Step(
                "It is discordant if the item that is lower in gold is higher in the prediction: "
                "the items above and to the right.",
                (
                    cells("Items lower in gold and higher in the prediction", crossed),
                    equal("d", plus((t.n * crossed)[t.n * crossed > 0]) if d else "0", d),
                ),
            ),
        ],
    )


@worked("kendall_a")
def kendall_a(t: Table, m: Measure) -> Steps:
    """Count pairs of items."""
    c, d, steps = _pairs(t)
    yield from steps
    pairs = t.N * (t.N - 1) / 2
    yield Step(
        f"The score is their difference as a share of all {num(pairs)} pairs, tied ones included.",
        (equal(r"\frac{c - d}{N(N-1)/2}", frac(f"{num(c)} - {num(d)}", pairs), (c - d) / pairs),),
        (c - d) / pairs,
    )


@worked("kendall_b")
def kendall_b(t: Table, m: Measure) -> Steps:
    """Count pairs of items, and those that are tied."""
    c, d, steps = _pairs(t)
    yield from steps
    both = float((t.n * (t.n - 1) / 2).sum())
    e_g, e_p = (float((k * (k - 1) / 2).sum()) - both for k in (t.G, t.P))
    yield Step(
        "Pairs of the same class on one side only are tied there.",
        (equal("e_g", e_g) + r", \quad " + equal("e_p", e_p),),
    )
    score = (c - d) / sqrt((c + d + e_g) * (c + d + e_p))
    below = rf"\sqrt{{{num(c + d + e_g)} \cdot {num(c + d + e_p)}}}"
    yield Step(
        "The score is the difference divided by the geometric mean of the numbers of pairs that "
        "are not tied in the prediction and in gold.",
        (
            equal(
                r"\frac{c - d}{\sqrt{(c + d + e_g)(c + d + e_p)}}",
                frac(f"{num(c)} - {num(d)}", below),
                score,
            ),
        ),
        score,
    )


@worked("r_int")
def r_int(t: Table, m: Measure) -> Steps:
    """Count ordered pairs that do not decrease."""
    up_to = np.cumsum(np.cumsum(t.n, axis=0), axis=1)
    s1, s2 = (float((k * np.cumsum(k)).sum() - t.N) for k in (t.G, t.P))
    s12 = float((t.n * up_to).sum() - t.N)
    yield Step(
        "An ordered pair of items does not decrease if the second one is not of a lower class. In "
        "gold and in the predictions there are",
        (
            equal("S_1", f"{plus(t.G * np.cumsum(t.G))} - {num(t.N)}", s1),
            equal("S_2", f"{plus(t.P * np.cumsum(t.P))} - {num(t.N)}", s2),
        ),
    )
    yield Step(
        "For an item of each cell, the pairs that do not decrease in either are those with the "
        "items that are not higher in gold nor in the prediction.",
        (
            cells("Items that are not higher in either", up_to),
            equal("S_{12}", f"{plus((t.n * up_to)[t.n > 0])} - {num(t.N)}", s12),
        ),
    )
    score = -1 + 2 * s12 / sqrt(s1 * s2)
    yield Step(
        "The score compares the common pairs with those of either order.",
        (equal(rf"-1 + \frac{{2 \cdot {num(s12)}}}{{\sqrt{{{num(s1)} \cdot {num(s2)}}}}}", score),),
        score,
    )


def _same_order(t: Table) -> tuple[Floats, Step]:
    above = np.zeros((3, 3))
    for g, p in t.cells:
        above[g, p] = t.n[g + 1 :, p + 1 :].sum()
    same = _lower(t) + above
    return same, Step(
        "For an item of each cell, the items are counted that gold and prediction both put below "
        "it, or both above it.",
        (cells("a_i of the items of each cell", same),),
    )


def _shares(t: Table, same: Floats, axis: int) -> tuple[float, Step]:
    others = t.N - (t.P[None, :] if axis == 0 else t.G[:, None])
    share = same / others
    side, symbol = ("prediction", "P_p") if axis == 0 else ("gold", "G_g")
    mean = float((t.n * share).sum() / t.N)
    terms = (t.n * share)[t.n > 0]
    return mean, Step(
        f"They are divided by the number of items that the {side} puts in another class, "
        f"N − {symbol}, and averaged over all items.",
        (cells(f"a_i/(N − {symbol})", share), equal(frac(plus(terms), t.N), mean)),
        mean,
    )


@worked("reliability", "sensitivity")
def order_shares(t: Table, m: Measure) -> Steps:
    """Average over items the share of the others in the same order."""
    same, step = _same_order(t)
    yield step
    yield _shares(t, same, 0 if m.id == "reliability" else 1)[1]


@worked("rs_f")
def rs_f(t: Table, m: Measure) -> Steps:
    """Combine reliability and sensitivity."""
    same, step = _same_order(t)
    yield step
    reliable, first = _shares(t, same, 0)
    sensitive, second = _shares(t, same, 1)
    yield Step(f"For reliability R: {first.text[0].lower()}{first.text[1:]}", first.parts)
    yield Step(f"For sensitivity S: {second.text[0].lower()}{second.text[1:]}", second.parts)
    yield _harmonic(reliable, sensitive, "R", "S")


# Closeness


@worked("cem")
def cem(t: Table, m: Measure) -> Steps:
    """Weigh the cells by the items between their classes."""
    between = np.zeros((3, 3))
    for g, p in t.cells:
        step = 1 if g > p else -1
        on_the_way = range(p + step, g + step, step) if g != p else ()
        between[g, p] = t.G[p] / 2 + sum(t.G[k] for k in on_the_way)
    yield Step(
        f"Gold has {num(t.G[0])} items of *low*, {num(t.G[1])} of *mid* and {num(t.G[2])} of "
        "*high*. Two classes are close if few of them lie between: half of the gold items of the "
        "predicted class count, and all from its neighbour up to those of the gold class.",
        (cells("B_pg, gold items from the predicted to the gold class", between),),
    )
    log = m.params["log"]
    prox = -np.log2(between / t.N) if log else 1 - between / t.N
    formula = "−log₂(B_pg/N)" if log else "1 − B_pg/N"
    yield Step(
        "Their share of all items becomes a closeness: the fewer items, the closer.",
        (cells(f"prox(p, g) = {formula}", prox),),
    )
    got = float((t.n * prox).sum())
    yield Step(
        "The closeness of its cell is added up over all items.",
        (
            cells("n_gp prox(p, g)", t.n * prox),
            equal(r"\sum_{g,p} \mathrm{prox}(p, g)\,n_{gp}", plus((t.n * prox)[t.n > 0]), got),
        ),
    )
    best = t.G * prox.diagonal()
    yield Step(
        "If every prediction were correct, the sum would be that of the diagonal.",
        (equal(r"\sum_g \mathrm{prox}(g, g)\,G_g", plus(best), best.sum()),),
    )
    yield Step(
        "The score is the share of it that is reached.",
        (equal(frac(got, best.sum()), got / best.sum()),),
        got / float(best.sum()),
    )


# Agreement


@worked("kappa", "cohen_kappa")
def kappa(t: Table, m: Measure) -> Steps:
    """Compare the observed with the expected weights."""
    weights = m.params.get("weights", "none")
    w = {"none": (t.d > 0).astype(float), "linear": t.d, "quadratic": t.d**2}[weights]
    said = {
        "none": "1 for any two different classes",
        "linear": "the distance of the classes",
        "quadratic": "the squared distance of the classes",
    }[weights]
    yield Step(f"The weight of a disagreement is {said}.", (cells("w_gp", w),))
    observed = t.n * w
    yield Step(
        "The observed disagreement adds up the weights of all items.",
        (
            cells("w_gp n_gp", observed),
            equal(r"\sum_{g,p} w_{gp}\,n_{gp}", plus(observed[observed > 0]), observed.sum()),
        ),
    )
    chance = np.outer(t.G, t.P) / t.N
    expected = chance * w
    yield Step(
        "By chance, predictions that keep their frequencies but do not depend on gold would put "
        "$`G_g P_p / N`$ items in a cell. Their weights add up to the expected disagreement.",
        (
            cells("G_g P_p/N, items by chance", chance),
            equal(r"\sum_{g,p} w_{gp}\,G_g P_p / N", plus(expected[expected > 0]), expected.sum()),
        ),
    )
    score = 1 - float(observed.sum() / expected.sum())
    yield Step(
        "The score is 1 minus their ratio: 0 is what chance gives, and 1 no disagreement.",
        (equal(f"1 - {frac(observed.sum(), expected.sum())}", score),),
        score,
    )


def squared_differences(level: str, m: Floats, v: Floats) -> Floats:
    """Return δ² of Krippendorff's alpha from the ratings of each class and the class values."""
    if level == "interval":
        return np.subtract.outer(v, v) ** 2
    if level == "nominal":
        return 1 - np.eye(len(m))
    found = np.zeros((len(m), len(m)))
    for i, j in np.ndindex(found.shape):
        low, high = min(i, j), max(i, j)
        found[i, j] = (m[low : high + 1].sum() - (m[i] + m[j]) / 2) ** 2
    return found


DIFFERENCES = {
    "ordinal": "At the ordinal level, the difference of two classes is the number of labels from "
    "one to the other, half of those of either end included; it is squared.",
    "interval": "At the interval level, it is the squared difference of the class values.",
    "nominal": "At the nominal level, it is 1 for any two different classes.",
}


@worked("alpha")
def alpha(t: Table, m: Measure) -> Steps:
    """Compare the observed with the expected differences of coincidences."""
    used = t.G + t.P
    observed, upper = t.n + t.n.T, np.triu_indices(3, 1)
    yield Step(
        "Gold and prediction are two coders, and it does not matter who is which. Of every class "
        "there are",
        (by_class("Labels of each class", {"G_i": t.G, "P_i": t.P, "m_i": used}),),
    )
    delta = squared_differences(m.params["level"], used, t.v)
    grid = cells("δ²_ij", delta, corner="class i ↓ class j →")
    yield Step(DIFFERENCES[m.params["level"]], (grid,))
    seen = (observed * delta)[upper]
    yield Step(
        "The observed disagreement adds up the differences of all items with two different labels: "
        "low and mid, low and high, mid and high.",
        (equal(r"\sum_{i<j} O_{ij}\,\delta^2_{ij}", _products(observed[upper], delta[upper]),
               seen.sum()),),
    )  # fmt: skip
    drawn = np.outer(used, used) / (2 * t.N - 1)
    expected = (drawn * delta)[upper]
    yield Step(
        f"If two of the {num(2 * t.N)} labels were drawn by chance for every item, there would be "
        "$`E_{ij}`$ items with each pair of classes.",
        (
            cells("E_ij = m_i m_j/(2N − 1)", drawn, corner="class i ↓ class j →"),
            equal(r"\sum_{i<j} E_{ij}\,\delta^2_{ij}", _products(drawn[upper], delta[upper]),
                  expected.sum()),
        ),
    )  # fmt: skip
    score = 1 - float(seen.sum() / expected.sum())
    yield Step(
        "The score is 1 minus their ratio.",
        (equal(f"1 - {frac(seen.sum(), expected.sum())}", score),),
        score,
    )


def _products(a: Any, b: Any) -> str:
    return " + ".join(rf"{num(x)} \cdot {num(y)}" for x, y in zip(a, b, strict=True))
