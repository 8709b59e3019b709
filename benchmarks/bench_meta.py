"""Measure the meta-evaluation, and its consistency part relative to a plain SciPy version.

    python benchmarks/bench_meta.py [DATA] [--systems 12] [--topics 100] [--items 200]
                                    [--splits 1000] [--trials 5000]

DATA is a tab-separated file (or .gz) with the columns id, topic, gold and one column a run, such
as Subtask C of SemEval-2016 Task 4. Without it, runs are generated, by default as many as there.
Nine measures are evaluated by splits into halves and into 10 versus 10 topics, each with a
randomised Tukey HSD, and by discriminative power. The plain version loops over as many splits and
measures with `scipy.stats.kendalltau`, and over the trials of Tukey's test, which SciPy does not
have, with `Generator.permuted`.
"""

import argparse
import csv
import gzip
import inspect
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from ordeval import Counts
from ordeval.meta import AMIGO_REFERENCE, ScoreMatrices, consistency, meta_evaluate

MEASURES = (
    "alpha(level=ordinal), alpha(level=interval), hmpr, macro_f1, macro_mae, "
    "kappa(weights=linear), cem, accuracy, mae"
)
TARGET_SECONDS = 5.0
TARGET_RATIO = 50.0
MEAN_SPLITS = inspect.signature(consistency).parameters["mean_splits"].default


def read_runs(path: Path) -> Counts:
    """Count the labels in a file of runs."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    lines = text.removesuffix("\n").split("\n")
    header, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    labels = {name: [int(x) for x in columns[name]] for name in header[2:]}
    gold = labels.pop("gold")
    return Counts.from_labels(
        gold, labels, labels=range(min(gold), max(gold) + 1), topics=columns["topic"]
    )


def generated_runs(systems: int, topics: int, items: int) -> Counts:
    """Count the labels of runs that add noise of increasing strength to the gold class."""
    rng = np.random.default_rng(0)
    size = topics * items
    shift = np.repeat(rng.normal(0.0, 0.4, size=topics), items)
    gold = np.clip(np.rint(3 + shift + rng.normal(0.0, 0.8, size=size)), 1, 5)
    runs = {
        f"run-{i + 1}": np.clip(np.rint(gold + rng.normal(0.05 * i, 0.6 + 0.06 * i, size)), 1, 5)
        for i in range(systems)
    }
    labels = {name: run.astype(int) for name, run in runs.items()}
    topic = np.repeat(np.arange(topics), items)
    return Counts.from_labels(gold.astype(int), labels, labels=range(1, 6), topics=topic)


def plain_tau(scores: np.ndarray, size: int, splits: int, rng: np.random.Generator) -> np.ndarray:
    """Return Kendall's τ [splits, M] of scores [M, S, T], in plain loops."""
    measures, _, topics = scores.shape
    tau = np.empty((splits, measures))
    for split in range(splits):
        order = rng.permutation(topics)
        first, second = order[:size], order[size : 2 * size]
        for m in range(measures):
            means = scores[m][:, first].mean(axis=1), scores[m][:, second].mean(axis=1)
            tau[split, m] = kendalltau(*means).statistic
    return tau


def plain_tukey(tau: np.ndarray, trials: int, rng: np.random.Generator) -> np.ndarray:
    """Return randomised Tukey HSD p-values [M, M] of τ [splits, M], one trial at a time."""
    means = tau.mean(axis=0)
    gaps = np.abs(means[:, None] - means[None, :])
    reached = np.zeros_like(gaps)
    for _ in range(trials):
        reached += np.ptp(rng.permuted(tau, axis=1).mean(axis=0)) >= gaps - 1e-12
    return (1 + reached) / (1 + trials)


def seconds(work: Callable[[], object], repeats: int) -> float:
    """Return the best time of several runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, help="file of runs; generated if absent")
    parser.add_argument("--systems", type=int, default=12, help="generated runs (12)")
    parser.add_argument("--topics", type=int, default=100, help="topics of generated runs (100)")
    parser.add_argument("--items", type=int, default=200, help="items of a generated topic (200)")
    parser.add_argument("--splits", type=int, default=1000, help="splits of the topics (1000)")
    parser.add_argument("--trials", type=int, default=5000, help="trials of Tukey's test (5000)")
    options = parser.parse_args()
    generated = options.systems, options.topics, options.items
    counts = read_runs(options.data) if options.data else generated_runs(*generated)
    matrices = ScoreMatrices.from_counts(counts, MEASURES)

    def whole() -> object:
        scored = ScoreMatrices.from_counts(counts, MEASURES)
        reference = ScoreMatrices.from_counts(counts, AMIGO_REFERENCE)
        return meta_evaluate(scored, reference, trials=options.trials)

    took = seconds(whole, 3)
    print(f"whole meta-evaluation: {took:.2f} s (target: below {TARGET_SECONDS:g} s)")
    half = len(matrices.topics) // 2
    for size in dict.fromkeys((half, min(half, 10))):
        compare(matrices, size, options.splits, options.trials)


def compare(matrices: ScoreMatrices, size: int, splits: int, trials: int) -> None:
    """Print the times of the splits and of the test after them, ours and those of plain loops."""
    rng = np.random.default_rng(0)
    timed: dict[str, float] = {}
    plain: list[np.ndarray] = []
    timed["plain tau"] = seconds(
        lambda: plain.append(plain_tau(matrices.oriented, size, splits, rng)), 1
    )
    timed["plain test"] = seconds(lambda: plain_tukey(plain[0], trials, rng), 1)
    ours = partial(
        consistency, matrices, procedure="split", size=size, splits=splits, mean_splits=splits
    )
    timed["tau"] = seconds(lambda: ours(trials=1), 5)
    timed["resampled"] = seconds(lambda: consistency(matrices, size=size), 3)
    timed["all"] = seconds(lambda: ours(trials=trials), 3)
    timed["default"] = seconds(
        lambda: consistency(matrices, procedure="split", size=size, splits=splits, trials=trials),
        3,
    )
    found = ours(trials=1).mean
    everything = timed["plain tau"] + timed["plain test"]
    print(
        f"consistency, {size} versus {size}, {splits:,} splits: {timed['tau']:.3f} s; plain SciPy "
        f"{timed['plain tau']:.2f} s; ratio {timed['plain tau'] / timed['tau']:.0f} (target: at "
        f"least {TARGET_RATIO:g}); largest difference of mean tau "
        f"{np.abs(found - plain[0].mean(axis=0)).max():.4f}\n"
        f"  with Tukey's test, B = {trials:,}: {timed['all']:.2f} s; plain {everything:.2f} s; "
        f"ratio {everything / timed['all']:.0f}\n"
        f"  with the default of {MEAN_SPLITS:,} splits for the means: {timed['default']:.2f} s\n"
        f"  with resampled topics instead of Tukey's test: {timed['resampled']:.2f} s"
    )


if __name__ == "__main__":
    main()
