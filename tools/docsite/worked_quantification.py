"""Worked examples of the measures of two distributions."""

from math import log2, nan, sqrt

import numpy as np

from ordeval import Measure

from .worked import Floats, Shares, Step, Steps, by_class, cells, equal, frac, num, plus, worked


def _differences(s: Shares, squared: bool = False) -> Step:
    figures = {"gold q": s.q, "estimate p": s.p, "p − q": s.p - s.q}
    change = {"(p − q)²": (s.p - s.q) ** 2} if squared else {"|p − q|": np.abs(s.p - s.q)}
    return Step(
        "The shares of each class are compared.", (by_class("Differences", {**figures, **change}),)
    )


@worked("emd", "nmd")
def emd(s: Shares, m: Measure) -> Steps:
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
        work if m.id == "emd" else None,
    )
    if m.id == "nmd":
        yield Step(
            "It is divided by the length of the scale, 3 − 1.", (equal(frac(work, 2.0), work / 2),),
            work / 2,
        )  # fmt: skip


def _od(s: Shares, p: Floats, q: Floats, names: tuple[str, str]) -> tuple[float, Step]:
    w = np.abs(np.subtract.outer(s.v, s.v))
    parts = (w * (p - q) ** 2).sum(axis=1)
    used = q > 0
    score = float(parts[used].mean())
    return score, Step(
        f"For each class i that {names[1]} uses, the squared differences of all classes are "
        "weighted by their distance from i and added up; the divergence is the mean.",
        (
            cells("w_ij (p_j − q_j)²", w * (p - q) ** 2, corner="class i ↓ class j →"),
            by_class("Sum of each class i", {"Σ_j w_ij (p_j − q_j)²": parts}),
            equal(rf"\mathrm{{OD}}({names[0]}\|{names[1]})", frac(plus(parts[used]), used.sum()),
                  score),
        ),
    )  # fmt: skip


@worked("od", "rnod")
def od(s: Shares, m: Measure) -> Steps:
    """Weight squared differences by the distance from the gold classes."""
    yield _differences(s, squared=True)
    score, step = _od(s, s.p, s.q, ("p", "q"))
    yield Step(step.text, step.parts, score if m.id == "od" else None)
    if m.id == "rnod":
        yield _root(score)


def _root(divergence: float) -> Step:
    score = sqrt(divergence / 2)
    return Step(
        "The score is the root of its share of the largest weight, 3 − 1.",
        (equal(rf"\sqrt{{{num(divergence)} / 2}}", score),),
        score,
    )


@worked("sod", "rsnod")
def sod(s: Shares, m: Measure) -> Steps:
    """Average the divergences in both directions."""
    yield _differences(s, squared=True)
    one, first = _od(s, s.p, s.q, ("p", "q"))
    yield first
    other, second = _od(s, s.q, s.p, ("q", "p"))
    yield Step(
        "In the other direction, only the classes that the estimate uses count, the first two.",
        second.parts[-1:],
    )
    mean = (one + other) / 2
    yield Step(
        "Both are averaged.",
        (equal(frac(plus([one, other]), 2.0), mean),),
        mean if m.id == "sod" else None,
    )
    if m.id == "rsnod":
        yield _root(mean)


@worked("nvd", "ae")
def absolute(s: Shares, m: Measure) -> Steps:
    """Add up the absolute differences."""
    yield _differences(s)
    gaps = np.abs(s.p - s.q)
    half = m.id == "nvd"
    score = float(gaps.sum() / (2 if half else 3))
    why = "half of their sum" if half else "their mean over the three classes"
    yield Step(
        f"The score is {why}.", (equal(frac(plus(gaps), 2.0 if half else 3.0), score),), score
    )


@worked("rnss")
def rnss(s: Shares, m: Measure) -> Steps:
    """Add up the squared differences."""
    yield _differences(s, squared=True)
    total = float(((s.p - s.q) ** 2).sum())
    yield Step(
        "The squares are added up.",
        (equal(r"\sum_i (p_i - q_i)^2", plus((s.p - s.q) ** 2), total),),
    )
    yield Step(
        "The score is the root of half of the sum.",
        (equal(rf"\sqrt{{{num(total)} / 2}}", sqrt(total / 2)),),
        sqrt(total / 2),
    )


@worked("rae")
def rae(s: Shares, m: Measure) -> Steps:
    """Divide the differences by the gold shares."""
    relative = np.abs(s.p - s.q) / s.q
    yield Step(
        "Without smoothing, p′ = p and q′ = q. The absolute differences are divided by the gold "
        "shares.",
        (
            by_class(
                "Relative differences",
                {"gold q": s.q, "estimate p": s.p, "|p − q|": np.abs(s.p - s.q),
                 "|p − q|/q": relative},
            ),
        ),
    )  # fmt: skip
    yield Step(
        "The score is the mean over the classes.",
        (equal(frac(plus(relative), 3.0), relative.mean()),),
        float(relative.mean()),
    )


def _entropy(p: Floats, q: Floats, names: tuple[str, str]) -> tuple[float, Step]:
    logs = np.array([log2(x / y) if x else nan for x, y in zip(p, q, strict=True)])
    terms = np.where(p > 0, p * np.nan_to_num(logs), 0.0)
    a, b = names
    grid = by_class(
        f"Relative entropy of {a} with respect to {b}",
        {a: p, b: q, f"log₂({a}/{b})": logs, f"{a} log₂({a}/{b})": terms},
    )
    total = float(terms.sum())
    empty = "" if (p > 0).all() else f" Where {a} is 0 the product counts as 0."
    return total, Step(
        f"The logarithm to base 2 of the ratio {a}/{b} is weighted by {a}.{empty}",
        (grid, equal(rf"\mathrm{{KLD}}({a}\|{b})", plus(terms), total)),
        total,
    )


@worked("kld")
def kld(s: Shares, m: Measure) -> Steps:
    """Add up the logarithms of ratios."""
    score, step = _entropy(s.p, s.q, ("p", "q"))
    yield Step(
        f"Without smoothing, p′ = p and q′ = q. {step.text} The score is the sum, in bits.",
        step.parts,
        score,
    )


@worked("jsd")
def jsd(s: Shares, m: Measure) -> Steps:
    """Average the entropies with respect to the midpoint."""
    middle = (s.p + s.q) / 2
    yield Step(
        "The midpoint m of both distributions is their mean.",
        (by_class("Midpoint", {"gold q": s.q, "estimate p": s.p, "m": middle}),),
    )
    one, first = _entropy(s.p, middle, ("p", "m"))
    yield Step(first.text, first.parts)
    other, second = _entropy(s.q, middle, ("q", "m"))
    yield Step(second.text, second.parts)
    yield Step(
        "The score is the mean of both, in bits.",
        (equal(frac(plus([one, other]), 2.0), (one + other) / 2),),
        (one + other) / 2,
    )
