"""Cut-points for quadratic kappa: exact beside Nelder–Mead, score and time.

    python -m benchmarks.cutpoints

Nelder–Mead minimises −QWK, computed by scikit-learn, from the midpoints between classes and from
quantile matching, as is usual in competitions. All methods get the same unsorted items; 100,000
other items of the same kind are scored as well. Means over several samples.
"""

import time
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import cohen_kappa_score

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.measures.spec import parse_measure
from ordeval.stats.cutpoints import best_places, quantile_places, rounding_cuts, sorted_items

SCALE = Scale.of(range(1, 6))
QWK = parse_measure("qwk")
SAMPLES = {1_000: 20, 100_000: 1}


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


def main() -> None:
    """Print a table."""
    print("| items | method | fitted | other items | seconds |\n| --- | --- | --- | --- | --- |")
    for n, samples in SAMPLES.items():
        for name, method in METHODS.items():
            rows = [figures(method, n, seed) for seed in range(samples)]
            fitted, other, spent = np.mean(rows, axis=0)
            print(f"| {n:,} | {name} | {fitted:.4f} | {other:.4f} | {spent:.4f} |")
    score, gold = drawn(10**6, 0)
    start = time.perf_counter()
    oe.cutpoints(gold, score, "qwk", labels=range(5))
    print(f"\nThe whole of oe.cutpoints with 10⁶ items: {time.perf_counter() - start:.2f} s.")


if __name__ == "__main__":
    main()
