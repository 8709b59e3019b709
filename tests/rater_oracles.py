"""Slow definitions of the coefficients of several raters, item by item, in exact arithmetic.

Ratings are lists of rows, a row per item with a class from 0 or None for every rater.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import nan
from typing import Any

Row = Sequence[int | None]
Ratings = Sequence[Row]
Oracle = Callable[..., float]
ORACLES: dict[str, Oracle] = {}


def oracle(function: Oracle) -> Oracle:
    ORACLES[function.__name__] = function
    return function


def given(row: Row) -> list[int]:
    return [k for k in row if k is not None]


def weight(k: int, m: int, values: Sequence[Fraction], weights: Any) -> Fraction:
    classes = len(values)
    if not isinstance(weights, str):
        return Fraction(weights[k][m])
    if weights == "identity":
        return Fraction(k == m)
    if weights == "ordinal":
        d = abs(k - m)
        return 1 - Fraction(d * (d + 1), classes * (classes - 1))
    share = abs(values[k] - values[m]) / (values[-1] - values[0])
    return 1 - (share if weights == "linear" else share**2)


def observed(ratings: Ratings, values: Sequence[Fraction], weights: Any) -> Fraction | None:
    found = []
    for row in ratings:
        rated = given(row)
        r = len(rated)
        if r >= 2:
            pairs = [weight(a, b, values, weights) for a, b in permutations(rated, 2)]
            found.append(sum(pairs, Fraction(0)) / (r * (r - 1)))
    return sum(found, Fraction(0)) / len(found) if found else None


def shares(ratings: Ratings, classes: int) -> list[Fraction]:
    rows = [given(row) for row in ratings if given(row)]
    return [sum(Fraction(row.count(k), len(row)) for row in rows) / len(rows)
            for k in range(classes)]  # fmt: skip


def corrected(a: Fraction | None, e: Fraction) -> float:
    return nan if a is None or e == 1 else float((a - e) / (1 - e))


def double_sum(classes: int, term: Callable[[int, int], Fraction]) -> Fraction:
    return sum((term(k, m) for k in range(classes) for m in range(classes)), Fraction(0))


@oracle
def observed_agreement(ratings: Ratings, values: Any, weights: Any) -> float:
    a = observed(ratings, values, weights)
    return nan if a is None else float(a)


@oracle
def fleiss(ratings: Ratings, values: Any, weights: Any) -> float:
    pi = shares(ratings, len(values))
    e = double_sum(len(values), lambda k, m: weight(k, m, values, weights) * pi[k] * pi[m])
    return corrected(observed(ratings, values, weights), e)


@oracle
def ac2(ratings: Ratings, values: Any, weights: Any) -> float:
    pi, classes = shares(ratings, len(values)), len(values)
    total = double_sum(classes, lambda k, m: weight(k, m, values, weights))
    e = total / (classes * (classes - 1)) * sum(p * (1 - p) for p in pi)
    return corrected(observed(ratings, values, weights), e)


@oracle
def ac1(ratings: Ratings, values: Any) -> float:
    return ac2(ratings, values, "identity")


@oracle
def brennan_prediger(ratings: Ratings, values: Any, weights: Any) -> float:
    total = double_sum(len(values), lambda k, m: weight(k, m, values, weights))
    return corrected(observed(ratings, values, weights), total / len(values) ** 2)


@oracle
def conger(ratings: Ratings, values: Any, weights: Any) -> float:
    classes = len(values)
    columns = [given(column) for column in zip(*ratings, strict=True)]
    own = [[Fraction(c.count(k), len(c)) for k in range(classes)] for c in columns if c]
    raters = len(own)
    if raters < 2:
        return nan
    mean = [sum(m[k] for m in own) / raters for k in range(classes)]

    def term(k: int, m: int) -> Fraction:
        spread = sum((o[k] - mean[k]) * (o[m] - mean[m]) for o in own) / (raters - 1)
        return weight(k, m, values, weights) * (mean[k] * mean[m] - spread / raters)

    return corrected(observed(ratings, values, weights), double_sum(classes, term))


def disagreement_ratio(ratings: Ratings, delta2: Callable[[int, int, list[int]], Any]) -> float:
    rows = [given(row) for row in ratings if len(given(row)) >= 2]
    every = [k for row in rows for k in row]
    counts = [every.count(k) for k in range(max(every, default=0) + 1)]
    above = sum(
        (Fraction(delta2(a, b, counts)) / (len(row) - 1) for row in rows
         for a, b in permutations(row, 2)), Fraction(0),
    )  # fmt: skip
    below = sum(
        (Fraction(delta2(k, m, counts)) * counts[k] * counts[m] for k in range(len(counts))
         for m in range(len(counts))), Fraction(0),
    )  # fmt: skip
    return nan if not below else float(1 - (len(every) - 1) * above / below)


@oracle
def krippendorff(ratings: Ratings, values: Any, level: str) -> float:
    def delta2(k: int, m: int, counts: list[int]) -> Fraction:
        low, high = min(k, m), max(k, m)
        if level == "nominal":
            return Fraction(k != m)
        if level == "interval":
            return Fraction((values[k] - values[m]) ** 2)
        if level == "ratio":
            return (
                Fraction(0) if k == m else ((values[k] - values[m]) / (values[k] + values[m])) ** 2
            )
        between = sum(counts[low : high + 1]) - Fraction(counts[low] + counts[high], 2)
        return between**2

    return disagreement_ratio(ratings, delta2)


@oracle
def weighted_alpha(ratings: Ratings, values: Any, weights: Any) -> float:
    return disagreement_ratio(ratings, lambda k, m, _: 1 - weight(k, m, values, weights))


def whole(ratings: Ratings) -> bool:
    return all(None not in row for row in ratings) and len(ratings[0]) > 1


@oracle
def icc(ratings: Ratings, values: Any, model: int, raters: Any) -> float:
    n, r = len(ratings), len(ratings[0])
    if not whole(ratings) or n < 2:
        return nan
    x = [[values[k] for k in row] for row in ratings]
    mean = sum(map(sum, x)) / (n * r)
    of_items = [sum(row) / r for row in x]
    of_raters = [sum(column) / n for column in zip(*x, strict=True)]
    msi = r * sum((m - mean) ** 2 for m in of_items) / (n - 1)
    msr = n * sum((m - mean) ** 2 for m in of_raters) / (r - 1)
    within = sum((v - m) ** 2 for row, m in zip(x, of_items, strict=True) for v in row)
    msw = within / (n * (r - 1))
    mse = (within - msr * (r - 1)) / ((n - 1) * (r - 1))
    error = msw if model == 1 else mse
    severity = (msr - mse) / n if model == 2 else 0
    below = msi + severity if raters == "k" else msi + (r - 1) * error + r * severity
    return float((msi - error) / below) if below > 0 else nan


@oracle
def ccc(ratings: Ratings, values: Any) -> float:
    if not whole(ratings):
        return nan
    n, columns = len(ratings), [[values[k] for k in c] for c in zip(*ratings, strict=True)]
    above = below = Fraction(0)
    for g, first in enumerate(columns):
        for second in columns[g + 1 :]:
            a, b = sum(first) / n, sum(second) / n
            above += 2 * sum((x - a) * (y - b) for x, y in zip(first, second, strict=True)) / n
            below += sum((x - a) ** 2 for x in first) / n + sum((y - b) ** 2 for y in second) / n
            below += (a - b) ** 2
    return float(above / below) if below else nan


@oracle
def kendall_w(ratings: Ratings, values: Any) -> float:
    if not whole(ratings):
        return nan
    n, r = len(ratings), len(ratings[0])
    ranks = []
    for column in zip(*ratings, strict=True):
        below = [sum(other < own for other in column) for own in column]
        ties = [sum(other == own for other in column) for own in column]
        ranks.append([b + Fraction(t + 1, 2) for b, t in zip(below, ties, strict=True)])
    sums = [sum(row) for row in zip(*ranks, strict=True)]
    mean = sum(sums) / n
    spread = sum((s - mean) ** 2 for s in sums)
    ties = sum(t**3 - t for c in zip(*ratings, strict=True) for t in map(c.count, set(c)))
    below = r**2 * (n**3 - n) - r * ties
    return float(12 * spread / below) if below else nan
