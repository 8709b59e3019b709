"""Measure the speed and the memory of the statistics relative to plain implementations.

    python benchmarks/bench_statistics.py [PART] [--items 1e6] [--few 1e4] [--replicates 10000]
                                          [--systems 22] [--topics 300] [--trials 5000]
                                          [--many-systems 37] [--many-items 32009] [--classes 3]
                                          [--item-trials 2000]

Every part runs in a separate process, which gives its peak memory. The times of a ratio alternate
in that process, and each is the smallest of several repetitions. Where the other implementation
would take too long, it is run with fewer replicates and extrapolated, which the output tells.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ordeval.evaluation.settings import CORE_MEASURES
from ordeval.scale import Scale
from ordeval.scoring import score_tables
from ordeval.spec import measures, parse_measure
from ordeval.stats import (
    Plan,
    UnitTables,
    bootstrap_interval,
    max_t,
    max_t_tables,
    paired_bootstrap,
    randomisation_test,
    randomised_tukey,
)
from ordeval.types import Array, Floats

Work = Callable[[], Any]
Sizes = argparse.Namespace
K = 5
SCALE, ALL = Scale.of(range(1, K + 1)), measures(batched=True)
ROOT = Path(__file__).resolve().parents[1]


def seconds(*works: Work, repeats: int = 3) -> list[float]:
    """Return the smallest times of functions that are run in turn."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(repeats):
        for work, found in zip(works, times, strict=True):
            start = time.perf_counter()
            work()
            found.append(time.perf_counter() - start)
    return [min(found) for found in times]


def show(title: str, first: float, second: float, ratio: float | None = None) -> None:
    """Print two times, and the first divided by the second unless a ratio is given."""
    shown = first / second if ratio is None else ratio
    print(f"{title:<78}{first * 1e3:>12,.4g}{second * 1e3:>14,.4g}{shown:>12,.4g}", flush=True)


def memory(kind: str) -> None:
    """Print the peak memory of this process."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  peak memory of {kind}: {peak:.0f} MB", flush=True)


def population(axes: int) -> Floats:
    """Return the probability of each cell of (gold, pred) or (gold, a, b)."""
    answer = np.exp(-np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    cells = np.einsum("ga,gb->gab", answer, answer)
    return np.asarray(cells / cells.sum() if axes == 3 else cells.sum(axis=2) / cells.sum())


def table(items: int, axes: int = 2) -> Floats:
    """Return counts of about `items` items."""
    return np.rint(items * population(axes))


def score_all(tables: Array) -> Floats:
    """Score tables [..., K, K] under every measure."""
    return score_tables(ALL, tables, SCALE)


def all_intervals(items: int, replicates: int, threads: int = 1) -> None:
    """Compute BCa intervals of every measure of one system."""
    bootstrap_interval(table(items), score_all, Plan(replicates, threads=threads))


def sklearn_bootstrap(items: int, replicates: int) -> Work:
    """Return SciPy's bootstrap of scikit-learn's quadratic kappa, on labels."""
    from scipy.stats import bootstrap
    from sklearn.metrics import cohen_kappa_score

    cells = np.random.default_rng(0).choice(K * K, size=items, p=population(2).ravel())
    labels = (cells // K, cells % K)

    def kappa(gold: Array, predicted: Array) -> float:
        return float(cohen_kappa_score(gold, predicted, weights="quadratic"))

    def work() -> None:
        bootstrap(
            labels, kappa, paired=True, vectorized=False, n_resamples=replicates, batch=1,
            method="percentile", rng=0,
        )  # fmt: skip

    return work


def bench_intervals(sizes: Sizes) -> None:
    """Compare all measures with one measure of scikit-learn."""
    few, many = 20, 1_000
    items, replicates = sizes.items, sizes.replicates
    all_intervals(sizes.few, replicates)
    one, two, slow = seconds(
        lambda: all_intervals(items, replicates),
        lambda: all_intervals(items, replicates, threads=2),
        sklearn_bootstrap(items, few),
        repeats=2,
    )
    each = slow / few
    title = f"{len(ALL)} measures, B = {replicates:,}, N = {items:.0e} | SciPy, QWK, B = {many:,}"
    print(f"(the latter extrapolated from {few} replicates: {each * 1e3:.0f} ms each)")
    for threads, ours in ((1, one), (2, two)):
        show(f"{title}, {threads} thread(s)", ours, many * each)
        ours /= replicates * len(ALL)
        show("  per replicate and measure; ratio: speed-up", ours, each, each / ours)
    memory("intervals")


def bench_size(sizes: Sizes) -> None:
    """Compare numbers of items: the cost should not depend on them."""
    large = 100 * sizes.items
    all_intervals(sizes.few, sizes.replicates)
    many, few = seconds(
        lambda: all_intervals(large, sizes.replicates),
        lambda: all_intervals(sizes.few, sizes.replicates),
    )
    title = f"{len(ALL)} measures, B = {sizes.replicates:,}: N = {large:.0e} | {sizes.few:.0e}"
    show(title, many, few)
    memory(f"intervals of {large:.0e} items")


def bench_pairs(sizes: Sizes) -> None:
    """Measure paired randomisation and bootstrap of every measure, from joint counts."""
    plan = Plan(sizes.replicates)
    for name, test in (
        ("paired randomisation", randomisation_test),
        ("paired bootstrap", paired_bootstrap),
    ):
        many, few = seconds(
            lambda t=test: t(table(sizes.items, 3), score_all, plan),  # type: ignore[misc]
            lambda t=test: t(table(sizes.few, 3), score_all, plan),  # type: ignore[misc]
            repeats=2,
        )
        title = f"{name}, {len(ALL)} measures, B = {sizes.replicates:,}"
        show(f"{title}: N = {sizes.items:.0e} | {sizes.few:.0e}", many, few)
    memory("pairs")


def score_matrix(sizes: Sizes) -> Floats:
    """Draw scores [topics, systems]."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(sizes.topics, 1)) + rng.normal(size=(sizes.topics, sizes.systems))


def plain_tukey(matrix: Floats, trials: int) -> Floats:
    """Return the ranges of the means of permuted rows, in a plain loop."""
    rng, ranges = np.random.default_rng(0), np.empty(trials)
    for trial in range(trials):
        ranges[trial] = np.ptp(rng.permuted(matrix, axis=1).mean(axis=0))
    return ranges


def scipy_tukey(matrix: Floats, trials: int) -> None:
    """Permute the rows with SciPy."""
    from scipy.stats import permutation_test

    def largest(*systems: Array, axis: int = -1) -> Array:
        return np.asarray(np.ptp(np.stack([s.mean(axis=axis) for s in systems]), axis=0))

    permutation_test(
        tuple(matrix.T),
        largest,
        permutation_type="samples",
        vectorized=True,
        n_resamples=trials,
        batch=100,
        rng=0,
    )


def draw_words(numbers: int, bits: int) -> None:
    """Draw `bits` random bits for each of some numbers."""
    rng = np.random.Generator(np.random.SFC64(0))
    for _ in range(numbers * bits // 64 // 2**15):
        rng.integers(2**64 - 1, size=2**15, dtype=np.uint64, endpoint=True)


def bench_tukey(sizes: Sizes) -> None:
    """Measure the randomised Tukey HSD."""
    matrix, trials = score_matrix(sizes), sizes.trials
    title = f"Tukey {sizes.systems} × {sizes.topics}, B = {trials:,}"
    one, two, plain, drawing = seconds(
        lambda: randomised_tukey(matrix, Plan(trials)),
        lambda: randomised_tukey(matrix, Plan(trials, threads=2)),
        lambda: plain_tukey(matrix, trials),
        lambda: draw_words(trials * matrix.size, 32),
        repeats=5,
    )
    for threads, ours in ((1, one), (2, two)):
        show(f"{title}, {threads} thread(s) | plain rng.permuted loop (target: ≤ 0.6)", ours, plain)
    show(f"{title} | only drawing its random bits (32 per score)", one, drawing)
    few = max(1, trials // 50)
    (theirs,) = seconds(lambda: scipy_tukey(matrix, few), repeats=1)
    extrapolated = theirs * trials / few
    show(f"{title} | SciPy permutation_test (extrapolated from {few})", one, extrapolated)
    memory("Tukey HSD and its alternatives")


def bench_tukey_memory(sizes: Sizes) -> None:
    """Measure the peak memory of the randomised Tukey HSD alone."""
    randomised_tukey(score_matrix(sizes), Plan(sizes.trials))
    memory("Tukey HSD alone")


def bench_max_t(sizes: Sizes) -> None:
    """Measure step-down max-T over topics."""
    matrix, trials = score_matrix(sizes), sizes.trials
    one, two, plain = seconds(
        lambda: max_t(matrix, Plan(trials)),
        lambda: max_t(matrix, Plan(trials, threads=2)),
        lambda: plain_tukey(matrix, trials),
        repeats=5,
    )
    title = f"max-T {sizes.systems} × {sizes.topics}, B = {trials:,}"
    for threads, ours in ((1, one), (2, two)):
        show(
            f"{title}, {threads} thread(s) | plain rng.permuted loop (target: ≤ 0.15)", ours, plain
        )
    memory("max-T and the plain loop")


def bench_max_t_items(sizes: Sizes) -> None:
    """Measure step-down max-T over items, of many systems under the core measures."""
    rng, k = np.random.default_rng(0), sizes.classes
    gold = rng.integers(k, size=sizes.many_items)
    cells = np.empty((sizes.many_systems, sizes.many_items), dtype=np.int64)
    for i, codes in enumerate(cells):
        error = np.rint((0.6 + 0.01 * i) * rng.normal(size=sizes.many_items)).astype(np.int64)
        codes[:] = gold * k + np.clip(gold + error, 0, k - 1)
    tables, chosen = UnitTables(cells, (1, k, k)), [parse_measure(m) for m in CORE_MEASURES]
    scale = Scale.of(range(1, k + 1))

    def work(threads: int) -> None:
        plan = Plan(sizes.item_trials, threads=threads)
        max_t_tables(tables, lambda n: score_tables(chosen, n, scale), plan)

    size = f"{sizes.many_systems} systems × {sizes.many_items:,} items × {k} classes"
    one, two = seconds(lambda: work(1), lambda: work(2), repeats=1)
    show(f"max-T, {size}, {len(chosen)} measures, B = {sizes.item_trials:,} | 2 threads", one, two)
    memory("max-T over items")


PARTS: dict[str, Callable[[Sizes], None]] = {
    "intervals": bench_intervals,
    "size": bench_size,
    "pairs": bench_pairs,
    "tukey": bench_tukey,
    "tukey-memory": bench_tukey_memory,
    "max-t": bench_max_t,
    "max-t-items": bench_max_t_items,
}


def main() -> None:
    """Run one part, or every part in a separate process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=PARTS, help="by default all parts")
    whole: dict[str, Any] = {"type": lambda text: int(float(text)), "metavar": "N"}
    parser.add_argument("--items", default="1e6", help="items (1e6)", **whole)
    parser.add_argument("--few", default="1e4", help="items to compare with (1e4)", **whole)
    parser.add_argument("--replicates", default="1e4", help="bootstrap replicates (1e4)", **whole)
    parser.add_argument("--systems", default="22", help="systems of Tukey's test (22)", **whole)
    parser.add_argument("--topics", default="300", help="topics of Tukey's test (300)", **whole)
    parser.add_argument("--trials", default="5000", help="trials of Tukey's test (5000)", **whole)
    parser.add_argument("--many-systems", default="37", help="systems over items (37)", **whole)
    parser.add_argument("--many-items", default="32009", help="their items (32009)", **whole)
    parser.add_argument("--classes", default="3", help="their classes (3)", **whole)
    parser.add_argument("--item-trials", default="2000", help="trials over items (2000)", **whole)
    sizes = parser.parse_args()
    if sizes.part:
        PARTS[sizes.part](sizes)
        return
    print(f"{'first | second':<78}{'first, ms':>12}{'second, ms':>14}{'ratio':>12}", flush=True)
    for name in PARTS:
        command = [sys.executable, __file__, name, *sys.argv[1:]]
        subprocess.run(command, cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
