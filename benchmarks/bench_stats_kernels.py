"""Speed of the array-level statistics against plain ways of doing the same, side by side.

Run with ``python benchmarks/bench_stats_kernels.py``. Each row gives two times measured in this
run, the smallest of a few repetitions taken in turn, and their ratio. Peak memory of the whole
run is printed last.
"""

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.stats import (
    Plan,
    bootstrap,
    paired_bootstrap,
    randomisation_test,
    randomised_tukey,
)

Work = Callable[[], Any]
SYSTEMS, TOPICS, TRIALS = 22, 300, 5000
K = 5


def seconds(first: Work, second: Work, repeats: int = 3) -> tuple[float, float]:
    """Smallest times of two pieces of work, run in turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for work, found in zip((first, second), times, strict=True):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    return min(times[0]), min(times[1])


def show(title: str, first: float, second: float) -> None:
    """One row of the table."""
    print(f"{title:<72}{first * 1e3:>11.2f}{second * 1e3:>11.2f}{first / second:>10.3g}")


def score_matrix() -> NDArray[np.float64]:
    """Scores of 22 systems on 300 topics."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(TOPICS, 1)) + rng.normal(size=(TOPICS, SYSTEMS))


def plain_tukey(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ranges of the means of permuted rows, in a plain loop."""
    rng, ranges = np.random.default_rng(0), np.empty(TRIALS)
    for trial in range(TRIALS):
        ranges[trial] = np.ptp(rng.permuted(matrix, axis=1).mean(axis=0))
    return ranges


def scipy_tukey(matrix: NDArray[np.float64], trials: int) -> None:
    """The same by scipy."""
    from scipy.stats import permutation_test

    def largest(*systems: NDArray[Any], axis: int = -1) -> Any:
        return np.ptp(np.stack([s.mean(axis=axis) for s in systems]), axis=0)

    how: dict[str, Any] = {"permutation_type": "samples", "vectorized": True, "batch": 100}
    permutation_test(tuple(matrix.T), largest, n_resamples=trials, rng=0, **how)


def draw_words(count: int) -> None:
    """Random 64-bit numbers and nothing else."""
    rng = np.random.Generator(np.random.SFC64(0))
    for _ in range(count // 2**15):
        rng.integers(2**64 - 1, size=2**15, dtype=np.uint64, endpoint=True)


def bench_tukey() -> None:
    """Randomised Tukey HSD."""
    matrix = score_matrix()
    plain: Work = lambda: plain_tukey(matrix)  # noqa: E731
    numbers = TRIALS * TOPICS * SYSTEMS
    for threads in (1, 2):
        ours: Work = lambda n=threads: randomised_tukey(matrix, Plan(TRIALS, threads=n))  # noqa: E731
        title = f"Tukey 22 × 300, B = 5,000, {threads} thread(s)"
        show(f"{title} / rng.permuted loop", *seconds(ours, plain))
        show(f"{title} / drawing 64 bits a score", *seconds(ours, lambda: draw_words(numbers)))
    few = TRIALS // 50
    one: Work = lambda: randomised_tukey(matrix, Plan(TRIALS))  # noqa: E731
    mine, theirs = seconds(one, lambda: scipy_tukey(matrix, few), repeats=1)
    show("Tukey 22 × 300 / scipy permutation_test (extrapolated from 100)", mine, 50 * theirs)


def quadratic_kappa(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Quadratic kappa of tables [..., K, K]: [1, ...]."""
    weight = np.subtract.outer(np.arange(K), np.arange(K)) ** 2.0
    gold, predicted = tables.sum(axis=-1), tables.sum(axis=-2)
    chance = np.einsum("...i,ij,...j->...", gold, weight, predicted) / gold.sum(axis=-1)
    return np.asarray(1 - (tables * weight).sum(axis=(-2, -1)) / chance)[None]


def population(axes: int) -> NDArray[np.float64]:
    """Chance of each cell of (gold, pred) or (gold, a, b)."""
    answer = np.exp(-np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    cells = np.einsum("ga,gb->gab", answer, answer)
    return cells / cells.sum() if axes == 3 else cells.sum(axis=2) / cells.sum()


def counts(items: int, axes: int) -> NDArray[np.int64]:
    """Counts of about so many items."""
    return np.rint(items * population(axes)).astype(np.int64)


def labels(items: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Gold and predicted labels of so many items."""
    cells = np.random.default_rng(0).choice(K * K, size=items, p=population(2).ravel())
    return cells // K, cells % K


def resample_items(gold: NDArray[np.int64], predicted: NDArray[np.int64], times: int) -> None:
    """Item-level bootstrap of scikit-learn's quadratic kappa."""
    from sklearn.metrics import cohen_kappa_score

    rng = np.random.default_rng(0)
    for _ in range(times):
        pick = rng.integers(len(gold), size=len(gold))
        cohen_kappa_score(gold[pick], predicted[pick], weights="quadratic")


def bench_bootstrap() -> None:
    """Bootstrap of a table."""
    million = labels(10**6)
    ours: Work = lambda: bootstrap(counts(10**6, 2), quadratic_kappa, Plan(10_000))  # noqa: E731
    mine, theirs = seconds(ours, lambda: resample_items(*million, 5), repeats=1)
    title = "bootstrap of QWK, N = 10⁶, B = 10,000 / scikit-learn (extrapolated from 5)"
    show(title, mine, 2000 * theirs)
    many: Work = lambda: bootstrap(counts(10**8, 2), quadratic_kappa, Plan(10_000))  # noqa: E731
    few: Work = lambda: bootstrap(counts(10**4, 2), quadratic_kappa, Plan(10_000))  # noqa: E731
    show("bootstrap of QWK, B = 10,000: N = 10⁸ / N = 10⁴", *seconds(many, few))


def bench_pairs() -> None:
    """Paired tests from joint counts."""
    for title, test in (
        ("paired randomisation", randomisation_test),
        ("paired bootstrap", paired_bootstrap),
    ):
        many: Work = lambda t=test: t(counts(10**8, 3), quadratic_kappa, Plan(10_000))  # noqa: E731
        few: Work = lambda t=test: t(counts(10**4, 3), quadratic_kappa, Plan(10_000))  # noqa: E731
        show(f"{title} of QWK, B = 10,000: N = 10⁸ / N = 10⁴", *seconds(many, few))


def main() -> None:
    """Print the table."""
    print(f"{'first / second':<72}{'ms':>11}{'ms':>11}{'ratio':>10}")
    bench_tukey()
    bench_bootstrap()
    bench_pairs()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of the run: {peak:.0f} MB")


if __name__ == "__main__":
    main()
