"""Ten worked examples: the steps from a small table to the score, written from the formulas."""

from math import sqrt
from typing import Any

import numpy as np

from ordeval import Measure

from .worked import (
    LABELS,
    Floats,
    Grid,
    Ratings,
    Shares,
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

_CLASSES = "class i ↓ class j →"


@worked("accuracy")
def accuracy(t: Table, m: Measure) -> Steps:
    """Count the diagonal."""
    right = t.n.diagonal()
    diagonal = cells("Items; those predicted exactly are marked", t.n, [(i, i) for i in range(3)])
    yield Step(
        "The items on the diagonal are predicted exactly.",
        (diagonal, equal(r"\sum_g n_{gg}", plus(right), right.sum())),
    )
    share = right.sum() / t.N
    yield Step(
        f"Their share of all {num(t.N)} items is the accuracy.",
        (equal(r"\frac{1}{N}\sum_g n_{gg}", frac(right.sum(), t.N), share),),
        share,
    )


def _mean(figures: Floats, what: str) -> Step:
    mean = float(figures.mean())
    return Step(
        f"All three classes occur in gold. The score is the mean of their {what}.",
        (equal(frac(plus(figures), len(figures)), mean),),
        mean,
    )


@worked("macro_f1")
def macro_f1(t: Table, m: Measure) -> Steps:
    """Average F1."""
    f1 = 2 * t.n.diagonal() / (t.G + t.P)
    figures = {"n_gg": t.n.diagonal(), "G_g": t.G, "P_g": t.P, "2 n_gg/(G_g + P_g)": f1}
    yield Step(
        "F1 of a class sets twice its correct items against its gold and its predicted items.",
        (by_class("F1 of each class", figures),),
    )
    yield _mean(f1, "F1 scores")


def _distances(t: Table) -> Step:
    return Step(
        "Every cell has a cost, the distance between the values of its classes, 1, 2 and 3.",
        (cells("d_gp", t.d),),
    )


@worked("mae")
def mae(t: Table, m: Measure) -> Steps:
    """Average the cost of the cells."""
    cost = t.n * t.d
    yield _distances(t)
    yield Step(
        "The cost is multiplied by the items of each cell.",
        (
            cells("n_gp times the cost", cost),
            equal(r"\sum_{g,p} n_{gp}\,d_{gp}", plus(cost[cost > 0]), cost.sum()),
        ),
    )
    mean = float(cost.sum() / t.N)
    yield Step(
        f"The mean over the {num(t.N)} items is the mean absolute error.",
        (equal(frac(cost.sum(), t.N), mean),),
        mean,
    )


@worked("macro_mae")
def macro_mae(t: Table, m: Measure) -> Steps:
    """Average the cost within each gold class."""
    cost = (t.n * t.d).sum(axis=1)
    yield _distances(t)
    yield Step(
        "Costs are added up in each gold class (row) and divided by its items.",
        (
            cells("n_gp times the cost", t.n * t.d),
            by_class(
                "Error of each gold class",
                {"Σ_p n_gp d_gp": cost, "G_g": t.G, "mean": cost / t.G},
            ),
        ),
    )
    yield _mean(cost / t.G, "errors")


@worked("kendall_b")
def kendall_b(t: Table, m: Measure) -> Steps:
    """Count pairs of items, and those that are tied."""
    lower, crossed = np.zeros((3, 3)), np.zeros((3, 3))
    for g, p in t.cells:
        lower[g, p], crossed[g, p] = t.n[:g, :p].sum(), t.n[:g, p + 1 :].sum()
    c, d = float((t.n * lower).sum()), float((t.n * crossed).sum())
    yield Step(
        "A pair of items is concordant if one of them is lower in gold and in the prediction. For "
        "an item of each cell, these are the items above and to the left.",
        (cells("Items lower in both", lower), equal("c", plus((t.n * lower)[t.n * lower > 0]), c)),
    )
    yield Step(
        "It is discordant if the item that is lower in gold is higher in the prediction: the items "
        "above and to the right.",
        (
            cells("Items lower in gold and higher in the prediction", crossed),
            equal("d", plus((t.n * crossed)[t.n * crossed > 0]), d),
        ),
    )
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
    prox = -np.log2(between / t.N) if m.params["log"] else 1 - between / t.N
    formula = "−log₂(B_pg/N)" if m.params["log"] else "1 − B_pg/N"
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


@worked("kappa")
def kappa(t: Table, m: Measure) -> Steps:
    """Compare the observed with the expected weights."""
    squared = m.params["weights"] == "quadratic"
    w, name = (t.d**2, "squared distance") if squared else (t.d, "distance")
    yield Step(f"The weight of a disagreement is the {name} of the classes.", (cells("w_gp", w),))
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


def _squared_differences(level: str, m: Floats, v: Floats) -> Floats:
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


_DIFFERENCES = {
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
    delta = _squared_differences(m.params["level"], used, t.v)
    grid = cells("δ²_ij", delta, corner=_CLASSES)
    yield Step(_DIFFERENCES[m.params["level"]], (grid,))
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
            cells("E_ij = m_i m_j/(2N − 1)", drawn, corner=_CLASSES),
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


@worked("nmd")
def nmd(s: Shares, m: Measure) -> Steps:
    """Compare the cumulated shares."""
    cp, cq = np.cumsum(s.p), np.cumsum(s.q)
    gap = np.abs(cp - cq)
    yield Step(
        "The shares are cumulated from the lowest class upwards. Where the sums differ, as much "
        "mass must be moved across this place.",
        (
            by_class(
                "Cumulated shares",
                {"q": s.q, "p": s.p, "cq": cq, "cp": cp, "|cp − cq|": gap},
            ),
        ),
    )
    work = float(gap[:-1].sum())
    yield Step(
        "Between neighbouring classes the distance is 1. The work is the mass that crosses the two "
        "places between classes.",
        (equal(r"\sum_{i=1}^{K-1} |\mathrm{cp}_i - \mathrm{cq}_i|", plus(gap[:-1]), work),),
    )
    yield Step(
        "It is divided by the length of the scale, 3 − 1.",
        (equal(frac(work, 2.0), work / 2),),
        work / 2,
    )


@worked("krippendorff")
def krippendorff(x: Ratings, m: Measure) -> Steps:
    """Compare observed with expected differences of coincidences."""
    rows = [(f"item {i + 1}", [*row, row.sum()]) for i, row in enumerate(x.r)]
    yield Step(
        "For each item, the raters who gave each class are counted.",
        (Grid("r_ik, and their sum r_i", [*LABELS, "r_i"], rows, "item"),),
    )
    corner, counts = "class k ↓ class l →", x.r.sum(axis=1)
    together = sum((np.outer(r, r) - np.diag(r)) / (c - 1)
                   for r, c in zip(x.r, counts, strict=True) if c > 1)  # fmt: skip
    o = np.asarray(together)
    used, ratings = o.sum(axis=1), float(o.sum())
    yield Step(
        "All ordered pairs of ratings of the same item by different raters are counted, divided by "
        "r_i − 1, so that an item counts as often as it has ratings.",
        (
            cells("o_kl", o, corner=corner),
            by_class("Ratings of each class", {"m_k": used}),
            equal("M", plus(used), ratings),
        ),
    )
    cost = _squared_differences(m.params["level"], used, x.v)
    text = _DIFFERENCES[m.params["level"]].replace("labels", "ratings")
    yield Step(text, (cells("δ²_kl", cost, corner=corner),))
    seen, drawn = o * cost, np.outer(used, used) * cost
    yield Step(
        "The observed and, from the numbers of ratings alone, the expected disagreement are added "
        "up over all pairs of classes.",
        (
            cells("o_kl δ²_kl", seen, corner=corner),
            cells("m_k m_l δ²_kl", drawn, corner=corner),
        ),
    )
    score = 1 - (ratings - 1) * float(seen.sum() / drawn.sum())
    yield Step(
        "The score is 1 minus their ratio, times M − 1 because no rating is paired with itself.",
        (equal(rf"1 - {num(ratings - 1)} \cdot {frac(seen.sum(), drawn.sum())}", score),),
        score,
    )
