"""Measure how often 95 % intervals contain the true score, for every measure and both methods.

    python benchmarks/coverage.py [--runs 2000] [--items 500] [--instances 60] [--replicates 999]

Writes coverage.md beside this file, in about five minutes. Items are drawn from a known
population, so the true score is that of the population: five classes with gold shares of 45, 25,
15, 9 and 6 %, and a system whose predictions become less likely with their distance from gold.
The system is once middling (accuracy about 0.58) and once nearly perfect (0.98), where scores lie
close to the end of their range.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

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
from ordeval.types import Floats, Method

GOLD = np.array([0.45, 0.25, 0.15, 0.09, 0.06])
K = 5
SHARPNESS = {"middling": 1.2, "nearly perfect": 4.5}
METHODS: tuple[Method, ...] = ("percentile", "bca")
EXPECTED = (0.93, 0.97)


def population(sharpness: float) -> Floats:
    """Return the probability [gold, predicted] of every cell."""
    answer = np.exp(-sharpness * np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    return np.asarray(GOLD[:, None] * answer / answer.sum(axis=1, keepdims=True))


def inside(found: Interval, truth: Floats) -> Floats:
    """Return 1 for intervals that contain the truth, up to rounding, and 0 for the others."""
    slack = 1e-9 * np.maximum(1, np.abs(truth))
    return ((found.low - slack <= truth) & (truth <= found.high + slack)).astype(float)


def item_coverage(
    chosen: Sequence[Measure], sharpness: float, items: int, runs: int, replicates: int
) -> Floats:
    """Return the shares [method, measure] of the runs whose interval contains the truth."""
    scale, rng = Scale.of(range(1, K + 1)), np.random.default_rng(0)

    def score(tables: Floats) -> Floats:
        return score_tables(chosen, tables, scale)

    truth = score(1e12 * population(sharpness))
    held = np.zeros((len(METHODS), len(chosen)))
    for run in range(runs):
        table = rng.multinomial(items, population(sharpness).ravel()).reshape(1, K, K).astype(float)
        drawn = bootstrap(table, score, Plan(replicates, run))
        estimate, skew = score(table[0]), acceleration(*item_jackknife(table, score))
        held[0] += inside(percentile(estimate, drawn), truth)
        held[1] += inside(bca(estimate, drawn, skew), truth)
    return held / runs


def draw_instances(rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    """Draw gold distributions and noisy estimates of them, [size, K] each."""
    shares = rng.dirichlet(8 * GOLD, size=size)
    gold = rng.multinomial(40, shares) / 40
    noisy = 0.8 * shares + 0.2 * rng.dirichlet(np.ones(K), size=size)
    return gold, noisy


def score_instances(chosen: Sequence[Measure], gold: Floats, estimate: Floats) -> Floats:
    """Score distributions [..., K] under every measure: [measure, ...]."""
    return np.stack([m.of(gold, estimate) for m in chosen])


def instance_coverage(
    chosen: Sequence[Measure], instances: int, runs: int, replicates: int
) -> Floats:
    """Return the shares [method, measure] of the runs whose interval contains the true mean."""
    rng = np.random.default_rng(0)
    truth = np.nanmean(score_instances(chosen, *draw_instances(rng, 400_000)), axis=1)
    held = np.zeros((len(METHODS), len(chosen)))
    for run in range(runs):
        scores = score_instances(chosen, *draw_instances(rng, instances))
        for row, method in enumerate(METHODS):
            plan = Plan(replicates, run)
            found = mean_interval(scores, plan, method=method, undefined="skip")
            held[row] += inside(found, truth)
    return held / runs


def rows(chosen: Sequence[Measure], *coverages: Floats) -> Iterator[str]:
    """Yield the lines of the table, with figures outside the expected range in bold."""
    for i, m in enumerate(chosen):
        figures = [f"{100 * held[method, i]:.1f}" for held in coverages for method in range(2)]
        shown = [f if EXPECTED[0] <= float(f) / 100 <= EXPECTED[1] else f"**{f}**" for f in figures]
        yield f"| {m} | " + " | ".join(shown) + " |"


def head(*columns: str) -> list[str]:
    """Return the header of a table."""
    return [f"| measure | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]


def main() -> None:
    """Measure, and write coverage.md."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="simulated data sets (2000)")
    parser.add_argument("--items", type=int, default=500, help="items of a data set (500)")
    parser.add_argument("--instances", type=int, default=60, help="instances of a data set (60)")
    parser.add_argument("--replicates", type=int, default=999, help="bootstrap replicates (999)")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    options = parser.parse_args()
    items, instances = options.items, options.instances
    effort = options.runs, options.replicates
    labels, shares = measures(batched=True), measures("quantification")
    by_model = [item_coverage(labels, s, items, *effort) for s in SHARPNESS.values()]
    by_instance = instance_coverage(shares, instances, *effort)
    error = 100 * np.sqrt(0.95 * 0.05 / options.runs)
    lines = [
        "# Coverage of 95 % intervals",
        "",
        f"Percentage of {options.runs:,} simulated data sets whose interval contains the true "
        f"score ({options.replicates} replicates each; standard error {error:.1f}). Bold: outside "
        "93–97. Made by `python benchmarks/coverage.py`, which describes the populations.",
        "",
        f"## Classification, {items} items, resampling items",
        "",
        *head(*(f"{model}, {method}" for model in SHARPNESS for method in METHODS)),
        *rows(labels, *by_model),
        "",
        f"## Quantification, {instances} instances, resampling instances",
        "",
        *head(*METHODS),
        *rows(shares, by_instance),
    ]
    options.out.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
