"""Cut-points: quadratic kappa and time beside Nelder–Mead, and errors of the test of their gain.

`python -m benchmarks.cutpoints --write` writes the tables of docs/decisions.md.

Nelder–Mead minimises −QWK, computed by scikit-learn, from the midpoints between classes and from
quantile matching, as is usual in competitions. All methods get the same unsorted items; 100,000
other items of the same kind are scored as well. Means over several samples.
"""

import time
from argparse import Namespace
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import cohen_kappa_score

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.measures.spec import parse_measure
from ordeval.stats.cutpoints import best_places, quantile_places, rounding_cuts, sorted_items

from .simulation import Tables, covers, each, percent, publish, stream, table

SCALE = Scale.of(range(1, 6))
QWK = parse_measure("qwk")
SAMPLES = {1_000: 20, 100_000: 1}
SIZES = (50, 200, 1000)


def drawn(n: int, seed: int) -> tuple[Any, Any]:
    """Return scores, which spread less than the classes do, and gold classes."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(5, size=n, p=(0.1, 0.2, 0.4, 0.2, 0.1))
    return 2 + 0.5 * gold + 0.7 * rng.normal(size=n), gold


def kappa(score: Any, gold: Any, cuts: Any) -> float:
    """Return the quadratic kappa of cuts by scikit-learn."""
    return float(cohen_kappa_score(gold, np.digitize(score, np.sort(cuts)), weights="quadratic"))


def exact(score: Any, gold: Any) -> Any:
    """Return the best cuts."""
    held = sorted_items(score, gold, None, SCALE)
    return held.cut_at(best_places(held, QWK))


def matched(score: Any, gold: Any) -> Any:
    """Return the cuts of quantile matching."""
    held = sorted_items(score, gold, None, SCALE)
    return held.cut_at(quantile_places(held))


def rounded(score: Any, gold: Any) -> Any:
    """Return the cuts of rounding."""
    return rounding_cuts(SCALE)


def nelder_mead(start: Any) -> Any:
    """Return the method that begins with the cuts of another one."""

    def search(score: Any, gold: Any) -> Any:
        first = start(score, gold)
        return minimize(lambda cuts: -kappa(score, gold, cuts), first, method="Nelder-Mead").x

    return search


METHODS = {
    "exact": exact,
    "Nelder–Mead from midpoints": nelder_mead(rounded),
    "Nelder–Mead from quantiles": nelder_mead(matched),
    "quantile matching": matched,
    "rounding": rounded,
}


def figures(method: Any, n: int, seed: int) -> tuple[float, float, float]:
    """Return the kappa of the items, that of others, and the seconds."""
    mine, other = drawn(n, seed), drawn(100_000, seed + 1_000)
    start = time.perf_counter()
    cuts = method(*mine)
    spent = time.perf_counter() - start
    return kappa(*mine, cuts), kappa(*other, cuts), spent


def _methods() -> list[list[str]]:
    rows = []
    for n, samples in SAMPLES.items():
        for name, method in METHODS.items():
            every = [figures(method, n, seed) for seed in range(samples)]
            rows.append([name, f"{n:,}", *(f"{x:.4f}" for x in np.mean(every, axis=0))])
    score, gold = drawn(10**6, 0)
    start = time.perf_counter()
    cut = oe.cutpoints(gold, score, "qwk", labels=range(5))
    spent = time.perf_counter() - start
    values = cut.rules[0].fitted, cut.rules[0].crossed.value, spent
    return [*rows, ["the whole of oe.cutpoints", "1,000,000", *(f"{x:.4f}" for x in values)]]


# Populations: gold classes 1 to 5 and scores, by how rounding stands to the best cuts.


def _unrelated(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    return rng.integers(1, 6, n), rng.uniform(0.5, 5.5, n)


def _symmetric(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    score = rng.uniform(0.5, 5.5, n)
    return np.clip(np.rint(score + rng.normal(0, 0.8, n)), 1, 5).astype(int), score


def _rare(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    score = np.clip(rng.gamma(1.5, 0.8, n) + 0.5, 0.5, 5.5)
    return np.clip(np.rint(score + rng.normal(0, 0.8, n)), 1, 5).astype(int), score


def _narrow(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    score, gold = drawn(n, int(rng.integers(2**31)))
    return gold + 1, score - 0.5


POPULATIONS = {
    "a score that tells nothing": (_unrelated, "qwk"),
    "rounding is best": (_symmetric, "mae"),
    "rounding is nearly best": (_symmetric, "qwk"),
    "rounding is nearly best, rare classes": (_rare, "qwk"),
    "a score that spreads less than gold": (_narrow, "qwk"),
}
CLUSTERED = "a score that tells nothing, clusters of 5"


def _errors(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return how often cuts are found better and worse, and how often intervals hold the mean."""
    name, n = case
    draw, measure = POPULATIONS.get(name, POPULATIONS["a score that tells nothing"])
    rng, rows = stream(options.seed, *case), []
    cluster = np.repeat(np.arange(n // 5), 5) if name == CLUSTERED else None
    for run in range(options.runs):
        gold, score = draw(n, rng) if cluster is None else draw(n // 5, rng)
        if cluster is not None:
            gold, score = gold[cluster], score[cluster] + rng.normal(0, 0.1, n)
        how = {"labels": range(1, 6), "cluster": cluster, "draws": 0, "rng": run}
        best = oe.cutpoints(gold, score, measure, **how)
        for rule in best.rules[:2]:
            rows.append([*rule.change.parts[:3], rule.p])
    sign = parse_measure(measure).sign
    value, low, high, p = np.array(rows, dtype=float).reshape(-1, 2, 4).transpose(2, 0, 1)
    mean = value.mean(axis=0)
    told = (p < 0.05)[..., None] * (np.sign(value * sign)[..., None] == [1, -1])
    any_rule = told.any(axis=1).mean(axis=0)
    held = covers(low, high, mean).all(axis=1).mean()
    gains = [f"{sign * gain:+.3f}" for gain in mean]
    return [f"{name} ({measure})", str(n), *gains, *map(percent, [*any_rule, held])]


def tables(options: Namespace) -> Tables:
    """Measure and simulate."""
    if options.only in "methods":
        yield "methods", table(["method", "items", "fitted", "other items", "seconds"], _methods())
    if options.only in "errors":
        cases = [(name, n) for name in (*POPULATIONS, CLUSTERED) for n in SIZES]
        columns = ["population", "items", "best cuts", "quantiles", "better", "worse", "held"]
        yield "errors", table(columns, each(_errors, cases, options))


if __name__ == "__main__":
    publish(__doc__ or "", "decisions.md", tables, runs=300)
