"""Speed and memory of the statistics, beside plain ways of doing the same.

Run with ``python benchmarks/bench_statistics.py``. Every part runs in a process of its own, which
tells its peak memory; the two times of a ratio are taken in that process, in turn, the smallest of
a few repetitions. What would take too long elsewhere is run for fewer replicates and multiplied,
which is said.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.counts import Axis, Counts
from ordeval.evaluation import Settings, evaluate_source
from ordeval.scale import Scale
from ordeval.scoring import score_tables
from ordeval.spec import measures
from ordeval.stats import Plan, paired_bootstrap, randomisation_test, randomised_tukey

Work = Callable[[], Any]
K, SYSTEMS, TOPICS = 5, 22, 300
REPLICATES, TRIALS = 10_000, 5_000
SCALE, ALL = Scale.of(range(1, K + 1)), measures(batched=True)
ROOT = Path(__file__).resolve().parents[1]


def seconds(*works: Work, repeats: int = 3) -> list[float]:
    """Smallest times of some pieces of work, run in turn."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, found in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    return [min(found) for found in times]


def show(title: str, first: float, second: float, ratio: float | None = None) -> None:
    """One row of the table: two times, and the first over the second unless a ratio is given."""
    shown = first / second if ratio is None else ratio
    print(f"{title:<78}{first * 1e3:>12,.4g}{second * 1e3:>14,.4g}{shown:>12,.4g}", flush=True)


def memory(kind: str) -> None:
    """Peak memory of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak memory of {kind}: {peak:.0f} MB", flush=True)


def population(axes: int) -> NDArray[np.float64]:
    """Chance of each cell of (gold, pred) or (gold, a, b)."""
    answer = np.exp(-np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    cells = np.einsum("ga,gb->gab", answer, answer)
    return cells / cells.sum() if axes == 3 else cells.sum(axis=2) / cells.sum()


def table(items: int, axes: int = 2) -> NDArray[np.float64]:
    """Counts of about so many items."""
    return np.rint(items * population(axes))


def all_intervals(items: int, threads: int = 1) -> None:
    """BCa intervals of every measure of one system, through the public layer."""
    counts = Counts(table(items)[None], SCALE, (Axis("system", ("x",)),))
    source = SimpleNamespace(counts=lambda: counts, joint=None, notices=(), about={})
    evaluate_source(source, settings=Settings(bootstrap=REPLICATES, threads=threads))


def sklearn_bootstrap(items: int, replicates: int) -> Work:
    """scipy's bootstrap of scikit-learn's quadratic kappa, on labels."""
    from scipy.stats import bootstrap
    from sklearn.metrics import cohen_kappa_score

    cells = np.random.default_rng(0).choice(K * K, size=items, p=population(2).ravel())
    labels = (cells // K, cells % K)

    def kappa(gold: NDArray[Any], predicted: NDArray[Any]) -> float:
        return float(cohen_kappa_score(gold, predicted, weights="quadratic"))

    def work() -> None:
        bootstrap(
            labels, kappa, paired=True, vectorized=False, n_resamples=replicates, batch=1,
            method="percentile", rng=0,
        )  # fmt: skip

    return work


def bench_intervals() -> None:
    """All measures at a million items, against one measure elsewhere."""
    few, many = 20, 1_000
    all_intervals(10**4)
    theirs = sklearn_bootstrap(10**6, few)
    ours_1, ours_2, slow = seconds(
        lambda: all_intervals(10**6), lambda: all_intervals(10**6, 2), theirs, repeats=2
    )
    each = slow / few
    title = f"{len(ALL)} measures, B = 10,000, N = 10⁶ | scipy + scikit-learn, QWK, B = 1,000"
    print(f"(the latter extrapolated from {few} replicates: {each * 1e3:.0f} ms each)")
    for threads, ours in ((1, ours_1), (2, ours_2)):
        show(f"{title}, {threads} thread(s)", ours, many * each)
        ours /= REPLICATES * len(ALL)
        show("  per replicate and measure; ratio: times faster", ours, each, each / ours)
    memory("intervals")


def bench_size() -> None:
    """The same cost whatever the number of items."""
    all_intervals(10**4)
    many, few = seconds(lambda: all_intervals(10**8), lambda: all_intervals(10**4))
    show(f"{len(ALL)} measures, B = 10,000: N = 10⁸ | N = 10⁴", many, few)
    memory("intervals of a hundred million items")


def score_all(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Every measure of tables [..., K, K]."""
    return score_tables(ALL, tables, SCALE)


def bench_pairs() -> None:
    """Paired randomisation and bootstrap of every measure, from joint counts."""
    plan = Plan(REPLICATES)
    for title, test in (
        ("paired randomisation", randomisation_test),
        ("paired bootstrap", paired_bootstrap),
    ):
        million, few = seconds(
            lambda t=test: t(table(10**6, 3), score_all, plan),  # type: ignore[misc]
            lambda t=test: t(table(10**4, 3), score_all, plan),  # type: ignore[misc]
            repeats=2,
        )
        show(f"{title}, {len(ALL)} measures, B = 10,000: N = 10⁶ | N = 10⁴", million, few)
    memory("pairs")


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


def draw_words(bits: int) -> None:
    """As many random bits a score, and nothing else."""
    rng = np.random.Generator(np.random.SFC64(0))
    for _ in range(TRIALS * TOPICS * SYSTEMS * bits // 64 // 2**15):
        rng.integers(2**64 - 1, size=2**15, dtype=np.uint64, endpoint=True)


def bench_tukey() -> None:
    """Randomised Tukey HSD of 22 systems on 300 topics, 5,000 trials."""
    matrix = score_matrix()
    title = "Tukey 22 × 300, B = 5,000"
    one, two, plain, drawing = seconds(
        lambda: randomised_tukey(matrix, Plan(TRIALS)),
        lambda: randomised_tukey(matrix, Plan(TRIALS, threads=2)),
        lambda: plain_tukey(matrix),
        lambda: draw_words(32),
        repeats=5,
    )
    for threads, ours in ((1, one), (2, two)):
        show(f"{title}, {threads} thread(s) | plain rng.permuted loop (wanted: ≤ 0.6)", ours, plain)
    show(f"{title} | merely drawing its random bits (32 a score)", one, drawing)
    few = TRIALS // 50
    (theirs,) = seconds(lambda: scipy_tukey(matrix, few), repeats=1)
    show(f"{title} | scipy permutation_test (extrapolated from {few})", one, 50 * theirs)
    memory("Tukey HSD and what it is compared with")


def bench_tukey_memory() -> None:
    """Peak memory of our test alone."""
    randomised_tukey(score_matrix(), Plan(TRIALS))
    memory("Tukey HSD alone")


PARTS: dict[str, Work] = {
    "intervals": bench_intervals,
    "size": bench_size,
    "pairs": bench_pairs,
    "tukey": bench_tukey,
    "tukey-memory": bench_tukey_memory,
}


def main() -> None:
    """Run every part in a process of its own, or the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", nargs="?", choices=PARTS)
    part = parser.parse_args().part
    if part:
        PARTS[part]()
        return
    print(f"{'first | second':<78}{'first, ms':>12}{'second, ms':>14}{'ratio':>12}", flush=True)
    for name in PARTS:
        subprocess.run([sys.executable, __file__, name], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
