"""How often 95 % intervals hold the true score, for every measure and both methods.

Run with ``python benchmarks/coverage.py``; it writes coverage.md beside itself (about five
minutes). Items are drawn from a known population, so the true score is that of the population:
five classes with gold shares 45, 25, 15, 9 and 6 %, 500 items, and a system whose answers fall off
with the distance from gold. Once it is middling (accuracy about 0.58), once nearly perfect
(0.98), where scores lie close to the end of their range. Quantification is over 60 instances.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ordeval.scale import Scale
from ordeval.scoring import score_tables
from ordeval.spec import Measure, measures
from ordeval.stats.intervals import (
    Interval,
    acceleration,
    bca,
    item_jackknife,
    mean_interval,
    percentile,
)
from ordeval.stats.resample import Plan, bootstrap

Floats = NDArray[np.float64]
GOLD = np.array([0.45, 0.25, 0.15, 0.09, 0.06])
K, ITEMS, INSTANCES, REPLICATES = 5, 500, 60, 999
SHARPNESS = {"middling": 1.2, "nearly perfect": 4.5}
METHODS = ("percentile", "bca")
WANTED = (0.93, 0.97)


def population(sharpness: float) -> Floats:
    """Probability [gold, predicted] of every cell."""
    answer = np.exp(-sharpness * np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    return GOLD[:, None] * answer / answer.sum(axis=1, keepdims=True)


def inside(found: Interval, truth: Floats) -> Floats:
    """Whether each interval holds the truth, rounding aside; an undefined one does not."""
    slack = 1e-9 * np.maximum(1, np.abs(truth))
    return ((found.low - slack <= truth) & (truth <= found.high + slack)).astype(float)


def item_coverage(chosen: Sequence[Measure], sharpness: float, runs: int) -> Floats:
    """Shares [method, measure] of the runs whose interval holds the truth."""
    scale, rng = Scale.of(range(1, K + 1)), np.random.default_rng(0)

    def score(tables: Floats) -> Floats:
        return score_tables(chosen, tables, scale)

    truth = score(1e12 * population(sharpness))
    held = np.zeros((len(METHODS), len(chosen)))
    for run in range(runs):
        table = rng.multinomial(ITEMS, population(sharpness).ravel()).reshape(K, K)
        replicates = bootstrap(table, score, Plan(REPLICATES, run))
        estimate, skew = score(table.astype(float)), acceleration(*item_jackknife(table, score))
        held[0] += inside(percentile(estimate, replicates), truth)
        held[1] += inside(bca(estimate, replicates, skew), truth)
    return held / runs


def draw_instances(rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    """Estimated and gold distributions [size, K]: gold counts, and a guess that is noisy."""
    shares = rng.dirichlet(8 * GOLD, size=size)
    gold = rng.multinomial(40, shares) / 40
    noisy = 0.8 * shares + 0.2 * rng.dirichlet(np.ones(K), size=size)
    return noisy, gold


def score_instances(chosen: Sequence[Measure], p: Floats, q: Floats) -> Floats:
    """Scores [measure, ...] of distributions [..., K]."""
    return np.stack([m.of(q, p) for m in chosen])


def instance_coverage(chosen: Sequence[Measure], runs: int) -> Floats:
    """Shares [method, measure] of the runs whose interval of the mean holds the truth."""
    rng = np.random.default_rng(0)
    truth = np.nanmean(score_instances(chosen, *draw_instances(rng, 400_000)), axis=1)
    held = np.zeros((len(METHODS), len(chosen)))
    for run in range(runs):
        scores = score_instances(chosen, *draw_instances(rng, INSTANCES))
        for row, method in enumerate(METHODS):
            plan = Plan(REPLICATES, run)
            found = mean_interval(scores, plan, method=method, undefined="skip")  # type: ignore[arg-type]
            held[row] += inside(found, truth)
    return held / runs


def rows(chosen: Sequence[Measure], *coverages: Floats) -> Iterator[str]:
    """Lines of the table; figures outside the wanted range are in bold."""
    for i, m in enumerate(chosen):
        figures = [f"{100 * held[method, i]:.1f}" for held in coverages for method in range(2)]
        shown = [f if WANTED[0] <= float(f) / 100 <= WANTED[1] else f"**{f}**" for f in figures]
        yield f"| {m} | " + " | ".join(shown) + " |"


def head(*columns: str) -> list[str]:
    """Heading of a table."""
    return [f"| measure | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]


def main() -> None:
    """Measure, and write coverage.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    options = parser.parse_args()
    labels, shares = measures(batched=True), measures("quantification")
    by_model = [item_coverage(labels, s, options.runs) for s in SHARPNESS.values()]
    by_instance = instance_coverage(shares, options.runs)
    error = 100 * np.sqrt(0.95 * 0.05 / options.runs)
    lines = [
        "# Coverage of 95 % intervals",
        "",
        f"Percentage of {options.runs:,} simulated data sets whose interval holds the true score "
        f"({REPLICATES} replicates each; standard error {error:.1f}). Bold: outside 93–97. Made by "
        "`python benchmarks/coverage.py`, which describes the populations.",
        "",
        f"## Classification, {ITEMS} items, resampling items",
        "",
        *head(*(f"{model}, {method}" for model in SHARPNESS for method in METHODS)),
        *rows(labels, *by_model),
        "",
        f"## Quantification, {INSTANCES} instances, resampling instances",
        "",
        *head(*METHODS),
        *rows(shares, by_instance),
    ]
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
