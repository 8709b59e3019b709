"""Worked examples of the coefficients of several raters."""

from itertools import combinations
from typing import Any

import numpy as np

from ordeval import Measure

from .worked import (
    LABELS,
    Floats,
    Grid,
    Ratings,
    Step,
    Steps,
    by_class,
    cells,
    equal,
    frac,
    num,
    plus,
    worked,
)
from .worked_tables import DIFFERENCES, squared_differences

RATERS = ("A", "B", "C")
_CLASSES = "class k ↓ class l →"


def _counts(x: Ratings) -> Step:
    rows = [(f"item {i + 1}", [*row, row.sum()]) for i, row in enumerate(x.r)]
    return Step(
        "For each item, the raters who gave each class are counted.",
        (Grid("r_ik, and their sum r_i", [*LABELS, "r_i"], rows, "item"),),
    )


def _agreement_weights(x: Ratings, name: str) -> tuple[Floats, Step]:
    share = np.abs(np.subtract.outer(x.v, x.v)) / 2
    w = {"identity": np.eye(3), "linear": 1 - share, "quadratic": 1 - share**2}[name]
    said = {
        "identity": "only equal classes agree",
        "linear": "agreement falls with the distance of the classes",
        "quadratic": "agreement falls with the squared distance of the classes",
    }[name]
    grid = cells("w_kl", w, corner=_CLASSES)
    return w, Step(f"With {name} weights, {said}.", (grid,))


def _observed(x: Ratings, w: Floats) -> tuple[float, Step]:
    counts = x.r.sum(axis=1)
    credit = np.array([sum(r[k] * ((w[k] * r).sum() - 1) for k in range(3)) for r in x.r])
    shares = credit / (counts * (counts - 1))
    rows = [(f"item {i + 1}", [c, r * (r - 1), s])
            for i, (c, r, s) in enumerate(zip(credit, counts, shares, strict=True))]  # fmt: skip
    grid = Grid(
        "Agreeing ordered pairs of raters", ["agreement", "r_i (r_i − 1)", "share"], rows, "item"
    )
    mean = float(shares.mean())
    return mean, Step(
        "The observed agreement of an item is the weighted share of its pairs of different raters "
        "who agree; A is the mean over the items.",
        (grid, equal("A", frac(plus(shares), float(len(shares))), mean)),
    )


def _shares(x: Ratings) -> tuple[Floats, Step]:
    shares = x.r / x.r.sum(axis=1, keepdims=True)
    pi: Floats = shares.mean(axis=0)
    rows = [(f"item {i + 1}", list(row)) for i, row in enumerate(shares)]
    rows.append(("mean π_k", list(pi)))
    return pi, Step(
        "The shares of the classes are averaged over the items.",
        (Grid("r_ik/r_i", LABELS, rows, "item", frozenset((len(shares), k) for k in range(3))),),
    )


def _corrected(observed: float, chance: float) -> Step:
    score = (observed - chance) / (1 - chance)
    numbers = frac(f"{num(observed)} - {num(chance)}", f"1 - {num(chance)}")
    return Step(
        "The score is the agreement beyond chance, as a share of what is possible.",
        (equal(r"\frac{A - E}{1 - E}", numbers, score),),
        score,
    )


@worked("observed_agreement")
def observed_agreement(x: Ratings, m: Measure) -> Steps:
    """Average the agreement of the items."""
    yield _counts(x)
    w, step = _agreement_weights(x, m.params["weights"])
    yield step
    score, step = _observed(x, w)
    yield Step(step.text, step.parts, score)


@worked("fleiss", "ac1", "ac2", "brennan_prediger", "conger")
def corrected_for_chance(x: Ratings, m: Measure) -> Steps:
    """Correct the observed agreement for that of chance, of which each has its own idea."""
    yield _counts(x)
    w, step = _agreement_weights(x, m.params.get("weights", "identity"))
    yield step
    observed, step = _observed(x, w)
    yield step
    chance, steps = _CHANCE[m.id](x, w)
    yield from steps
    yield _corrected(observed, chance)


def _chance_of_fleiss(x: Ratings, w: Floats) -> tuple[float, list[Step]]:
    pi, step = _shares(x)
    products = w * np.outer(pi, pi)
    chance = float(products.sum())
    return chance, [
        step,
        Step(
            "By chance, two ratings are drawn from these shares.",
            (
                cells("w_kl π_k π_l", products, corner=_CLASSES),
                equal("E", plus(products[products > 0]), chance),
            ),
        ),
    ]


def _chance_of_gwet(x: Ratings, w: Floats) -> tuple[float, list[Step]]:
    pi, step = _shares(x)
    spread = pi * (1 - pi)
    chance = float(w.sum() / 6 * spread.sum())
    figures = {"π_k": pi, "π_k (1 − π_k)": spread}
    factor = frac(rf"{num(w.sum())}", r"3 \cdot 2")
    return chance, [
        step,
        Step(
            "Chance agreement is taken to be low where one class prevails: it grows with "
            f"π (1 − π). The weights add up to {num(w.sum())}, and K (K − 1) is 6.",
            (
                by_class("Spread of the classes", figures),
                equal("E", rf"{factor}\,({plus(spread)})", chance),
            ),
        ),
    ]


def _chance_of_uniform(x: Ratings, w: Floats) -> tuple[float, list[Step]]:
    chance = float(w.mean())
    return chance, [
        Step(
            "By chance, all three classes are equally likely, so that each of the 9 pairs of "
            "classes is: E is the mean weight.",
            (equal("E", frac(w.sum(), 9.0), chance),),
        )
    ]


def _chance_of_conger(x: Ratings, w: Floats) -> tuple[float, list[Step]]:
    own = np.array([[(column == k).sum() for k in (1, 2, 3)] for column in x.given.T], float)
    own /= own.sum(axis=1, keepdims=True)
    rows = [(f"rater {name}", list(row)) for name, row in zip(RATERS, own, strict=True)]
    mean = own.mean(axis=0)
    rows.append(("mean q_k", list(mean)))
    covariance = np.cov(own.T)
    part = w * (np.outer(mean, mean) - covariance / 3)
    chance = float(part.sum())
    return chance, [
        Step(
            "Each rater keeps the own shares of classes.",
            (Grid("Shares of each rater", LABELS, rows, "rater"),),
        ),
        Step(
            "By chance, two different raters draw from their own shares. That is what the mean "
            "shares give, less the covariance of the shares over the raters, divided by R = 3.",
            (
                cells("s_kl, covariance over raters", covariance, corner=_CLASSES),
                cells("w_kl (q_k q_l − s_kl/R)", part, corner=_CLASSES),
                equal("E", chance),
            ),
        ),
    ]


_CHANCE: dict[str, Any] = {
    "fleiss": _chance_of_fleiss,
    "ac1": _chance_of_gwet,
    "ac2": _chance_of_gwet,
    "brennan_prediger": _chance_of_uniform,
    "conger": _chance_of_conger,
}


@worked("krippendorff", "weighted_alpha")
def krippendorff(x: Ratings, m: Measure) -> Steps:
    """Compare observed with expected differences of coincidences."""
    yield _counts(x)
    counts = x.r.sum(axis=1)
    together = sum((np.outer(r, r) - np.diag(r)) / (c - 1)
                   for r, c in zip(x.r, counts, strict=True) if c > 1)  # fmt: skip
    o = np.asarray(together)
    used, ratings = o.sum(axis=1), float(o.sum())
    yield Step(
        "All ordered pairs of ratings of the same item by different raters are counted, divided by "
        "r_i − 1, so that an item counts as often as it has ratings.",
        (
            cells("o_kl", o, corner=_CLASSES),
            by_class("Ratings of each class", {"m_k": used}),
            equal("M", plus(used), ratings),
        ),
    )
    if m.id == "krippendorff":
        cost, symbol = squared_differences(m.params["level"], used, x.v), "δ²_kl"
        text = DIFFERENCES[m.params["level"]].replace("labels", "ratings")
        yield Step(text, (cells(symbol, cost, corner=_CLASSES),))
    else:
        w, step = _agreement_weights(x, m.params["weights"])
        cost, symbol = 1 - w, "(1 − w_kl)"
        yield step
    seen, drawn = o * cost, np.outer(used, used) * cost
    yield Step(
        "The observed and, from the numbers of ratings alone, the expected disagreement are added "
        "up over all pairs of classes.",
        (
            cells(f"o_kl {symbol}", seen, corner=_CLASSES),
            cells(f"m_k m_l {symbol}", drawn, corner=_CLASSES),
        ),
    )
    score = 1 - (ratings - 1) * float(seen.sum() / drawn.sum())
    yield Step(
        "The score is 1 minus their ratio, times M − 1 because no rating is paired with itself.",
        (equal(rf"1 - {num(ratings - 1)} \cdot {frac(seen.sum(), drawn.sum())}", score),),
        score,
    )


def _values(x: Ratings) -> tuple[Floats, Step]:
    y = x.v[x.given - 1]
    rows = [(f"item {i + 1}", [*row, row.mean()]) for i, row in enumerate(y)]
    rows.append(("mean", [*y.mean(axis=0), y.mean()]))
    return y, Step(
        "The class values are averaged over raters and over items.",
        (Grid("Class values", [*RATERS, "mean"], rows, "item"),),
    )


@worked("icc")
def icc(x: Ratings, m: Measure) -> Steps:
    """Divide the variance between items by that of ratings."""
    y, step = _values(x)
    yield step
    n, R = y.shape
    total = float(((y - y.mean()) ** 2).sum())
    items = float(R * ((y.mean(axis=1) - y.mean()) ** 2).sum())
    raters = float(n * ((y.mean(axis=0) - y.mean()) ** 2).sum())
    within, rest = total - items, total - items - raters
    sums = [
        ("between items", [items, n - 1, items / (n - 1)]),
        ("within items", [within, n * (R - 1), within / (n * (R - 1))]),
        ("between raters", [raters, R - 1, raters / (R - 1)]),
        ("rest", [rest, (n - 1) * (R - 1), rest / ((n - 1) * (R - 1))]),
    ]
    yield Step(
        "An analysis of variance divides the sum of squares. The mean squares are MSI (between "
        "items), MSW (within items), MSR (between raters) and MSE (the rest).",
        (Grid("Analysis of variance", ["sum", "degrees of freedom", "mean square"], sums, "part"),),
    )
    msi, msw, msr, mse = (row[1][2] for row in sums)
    model, single = m.params["model"], m.params["raters"] == 1
    error = msw if model == 1 else mse
    severity = (msr - mse) / n if model == 2 else 0.0
    below = msi + (R - 1) * error + R * severity if single else msi + severity
    terms = [num(msi)]
    terms += [rf"{R - 1} \cdot {num(error)}"] if single else []
    if model == 2:
        factor = frac(float(R if single else 1), float(n))
        terms += [rf"{factor}\,({num(msr)} - {num(mse)})"]
    score = (msi - error) / below
    yield Step(
        "The score is the variance due to the items, as a share of that of "
        + ("single ratings." if single else f"the means of {R} ratings."),
        (equal(frac(f"{num(msi)} - {num(error)}", " + ".join(terms)), score),),
        float(score),
    )


@worked("ccc")
def ccc(x: Ratings, m: Measure) -> Steps:
    """Divide covariances by variances and squared differences of means."""
    y, step = _values(x)
    yield step
    s, mu = np.cov(y.T, bias=True), y.mean(axis=0)
    grid = Grid("σ_gh", RATERS, [(a, list(row)) for a, row in zip(RATERS, s, strict=True)], "rater")
    yield Step("Variances (on the diagonal) and covariances of the raters:", (grid,))
    pairs = list(combinations(range(3), 2))
    crossed = [float(s[g, h]) for g, h in pairs]
    apart = [float((mu[g] - mu[h]) ** 2) for g, h in pairs]
    own = s.diagonal()
    yield Step(
        "The covariances are added up over the pairs of raters; below them are the variances and "
        "the squared differences of the means.",
        (
            equal(r"\sum_{g<h} \sigma_{gh}", plus(crossed), sum(crossed)),
            equal(r"\sum_g \sigma^2_g", plus(own), own.sum()),
            equal(r"\sum_{g<h} (\mu_g - \mu_h)^2", plus(apart), sum(apart)),
        ),
    )
    score = 2 * sum(crossed) / (2 * float(own.sum()) + sum(apart))
    numbers = frac(
        rf"2 \cdot {num(sum(crossed))}", rf"2 \cdot {num(own.sum())} + {num(sum(apart))}"
    )
    yield Step("The score is", (equal(numbers, score),), score)


@worked("kendall_w")
def kendall_w(x: Ratings, m: Measure) -> Steps:
    """Add up the ranks of each item."""
    ranks = np.stack([_ranks(column) for column in x.given.T], axis=1)
    centred = ranks - ranks.mean()
    sums = centred.sum(axis=1)
    rows = [(f"item {i + 1}", [*row, total])
            for i, (row, total) in enumerate(zip(centred, sums, strict=True))]  # fmt: skip
    yield Step(
        f"Each rater's ratings are turned into ranks of the items, ties at their mean rank, minus "
        f"the mean {num(ranks.mean())}. If the raters agree, the sums of the items differ.",
        (
            Grid(
                "Ranks", RATERS, [(f"item {i + 1}", list(r)) for i, r in enumerate(ranks)], "item"
            ),
            Grid("ρ_gi, and the sum over raters", [*RATERS, "sum"], rows, "item"),
        ),
    )
    above, below = float((sums**2).sum()), 3 * float((centred**2).sum())
    yield Step(
        "The score is the sum of the squares of these sums, divided by the largest possible one, "
        "R times the sum of all squares.",
        (
            equal(
                frac(plus(sums**2), rf"3 \cdot {num(below / 3)}"), frac(above, below), above / below
            ),
        ),
        above / below,
    )


def _ranks(column: Any) -> Floats:
    found: Floats = np.array([(column < v).sum() + ((column == v).sum() + 1) / 2 for v in column])
    return found
