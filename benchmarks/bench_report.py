"""Measure the time and the size of HTML reports.

    python benchmarks/bench_report.py [--case SYSTEMS TOPICS CLASSES]... [--items 2000]

Every case runs in a fresh process. The time to compute the result is not counted.
"""

import argparse
import subprocess
import sys
import time

import numpy as np

import ordeval as oe

CASES = [(10, 100, 5), (40, 100, 5), (40, 100, 12), (12, 1, 30)]


def main() -> None:
    """Print a line for every case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--case",
        type=int,
        nargs=3,
        action="append",
        metavar=("SYSTEMS", "TOPICS", "CLASSES"),
        help="may be repeated; by default four cases",
    )
    parser.add_argument("--items", type=int, default=2000, help="items of every case (2000)")
    parser.add_argument("--single", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.single:
        systems, topics, classes = options.case[0]
        measure(systems, topics, classes, options.items)
        return
    print(
        f"{'systems':>8} {'topics':>7} {'classes':>8} {'seconds':>8} {'kilobytes':>10}", flush=True
    )
    for case in options.case or CASES:
        arguments = ["--single", "--items", options.items, "--case", *case]
        subprocess.run([sys.executable, __file__, *map(str, arguments)], check=True)


def measure(systems: int, topics: int, k: int, items: int) -> None:
    """Print the time and the size of one report."""
    result = compare(systems, topics, k, items)
    start = time.perf_counter()
    size = len(result.to_html().encode())
    seconds = time.perf_counter() - start
    print(f"{systems:8d} {topics:7d} {k:8d} {seconds:8.2f} {size / 1000:10.0f}", flush=True)


def compare(systems: int, topics: int, k: int, items: int) -> oe.Result:
    """Compare systems that add noise of increasing strength to the gold class."""
    rng = np.random.default_rng(0)
    gold = rng.integers(1, k + 1, items)
    predicted = {
        f"system-{i:02d}": np.clip(gold + np.rint(rng.normal(0, 0.3 + 0.05 * i, items)), 1, k)
        for i in range(systems)
    }
    return oe.compare(
        gold,
        predicted,
        labels=range(1, k + 1),
        topic=np.arange(items) % topics if topics > 1 else None,
        bootstrap=100,
        trials=200,
        undefined=0.0,
    )


if __name__ == "__main__":
    main()
