"""Measure how the time of intervals grows with the number of classes.

    python benchmarks/bench_classes.py [--classes 5,11,21,101] [--draws 2000] [--threads 1,2]

Tables are drawn as for the default interval over items: a Gamma number per cell, normalised. The
time of drawing them is the reference, because it grows with the number of cells like the least
work that a measure can do. Then all measures score the draws, first together, as `evaluate` does,
and then each alone. The exit code is 1 if a target is missed.
"""

import argparse
import sys
import time
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.measures.batches import score_tables
from ordeval.stats.resample import Block, Plan, score_draws, stream

ITEMS = 10_000
RUNS = 3  # of which the best counts
LIMITS = {11: 2.0, 101: 20.0}  # seconds of all measures on 2,000 draws with two threads


def counts_of(k: int) -> Any:
    """Draw a table of items whose errors are normal, with a spread of 1/20 of the scale."""
    rng = np.random.default_rng(k)
    gold = rng.integers(0, k, ITEMS)
    error = np.round(rng.normal(0, max(0.6, k / 20), ITEMS)).astype(int)
    pred = np.clip(gold + error, 0, k - 1)
    return np.bincount(gold * k + pred, minlength=k * k).reshape(k, k)


def shapes_of(counts: Any) -> Any:
    """Return the counts plus a few prior items near the diagonal."""
    place = np.arange(len(counts))
    return counts + 2.5 * 0.3 ** np.abs(place[:, None] - place[None, :]) / len(counts)


def draw_and_score(shapes: Any, measures: list[oe.Measure], draws: int, threads: int) -> float:
    """Return the seconds that drawing tables and scoring them takes."""
    scale = Scale.of(range(1, len(shapes) + 1))

    def draw(block: Block) -> Any:
        drawn = stream(0, "bench", block.number).standard_gamma(shapes, (block.size, *shapes.shape))
        return drawn * (ITEMS / drawn.sum(axis=(-2, -1), keepdims=True))

    start = time.perf_counter()
    plan = Plan(replicates=draws, threads=threads)
    score_draws(draw, lambda tables: score_tables(measures, tables, scale), plan, shapes.size)
    return time.perf_counter() - start


def together(k: int, draws: int, threads: list[int]) -> bool:
    """Print the times of all measures; return whether the last one is within its limit."""
    shapes, every = shapes_of(counts_of(k)), oe.measures(batched=True)
    drawing = min(draw_and_score(shapes, [], draws, 1) for _ in range(RUNS))
    limit = LIMITS.get(k, np.inf) * draws / 2000
    for count in threads:
        seconds = draw_and_score(shapes, every, draws, count)
        good = seconds <= limit or count < 2
        note = f"  ≤ {limit:g}{'' if good else '  MISSED'}" if count > 1 and limit < np.inf else ""
        print(
            f"K = {k:<4} {len(every)} measures, {draws:,} draws, {count} threads:{seconds:7.2f} s ="
            f"{seconds / drawing:6.1f} × drawing{note}",
            flush=True,
        )
    return good


def alone(measure: oe.Measure, shapes: Any, draws: int) -> float:
    """Return the time of a measure relative to drawing, of runs that alternate."""
    pairs = [
        (draw_and_score(shapes, [], draws, 1), draw_and_score(shapes, [measure], draws, 1))
        for _ in range(RUNS)
    ]
    drawing, both = (min(times) for times in zip(*pairs, strict=True))
    return max(0.0, both - drawing) / drawing


def one_by_one(classes: list[int], draws: int) -> None:
    """Print the time of each measure relative to that of drawing the tables."""
    print(f"\ntime relative to drawing\n{'K':<30}" + "".join(f"{k:>9}" for k in classes))
    all_shapes = [shapes_of(counts_of(k)) for k in classes]
    for measure in oe.measures(batched=True):
        ratios = [alone(measure, shapes, draws) for shapes in all_shapes]
        print(f"{measure!s:<30}" + "".join(f"{x:>9.2f}" for x in ratios), flush=True)


def whole_numbers(text: str) -> list[int]:
    """Read numbers between commas."""
    return [int(part) for part in text.split(",")]


def main() -> int:
    """Measure and print; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--classes", type=whole_numbers, default=[5, 11, 21, 101])
    parser.add_argument("--draws", type=int, default=2000, help="drawn tables (2000)")
    parser.add_argument("--threads", type=whole_numbers, default=[1, 2])
    parser.add_argument("--each", type=int, default=256, help="draws for each measure alone (256)")
    options = parser.parse_args()
    draw_and_score(shapes_of(counts_of(3)), oe.measures(batched=True), 10, 2)  # load everything
    good = [together(k, options.draws, options.threads) for k in options.classes]
    if options.each:
        one_by_one(options.classes, options.each)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
