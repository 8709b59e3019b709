"""Time and size of reports: `python benchmarks/bench_report.py`.

Each line is made in a fresh process, from ready results; the time to compute these is not counted.
"""

import subprocess
import sys
import time

import numpy as np

import ordeval as oe

CASES = ((10, 100, 5), (40, 100, 5), (40, 100, 12), (12, 1, 30))


def main() -> None:
    """Print a line for every case; with arguments, measure one case."""
    if len(sys.argv) > 1:
        _measure(*map(int, sys.argv[1:]))
        return
    print(f"{'systems':>8} {'topics':>7} {'classes':>8} {'seconds':>8} {'kilobytes':>10}")
    for case in CASES:
        subprocess.run([sys.executable, __file__, *map(str, case)], check=True)


def _measure(systems: int, topics: int, k: int) -> None:
    result = _result(systems, topics, k)
    start = time.perf_counter()
    size = len(result.to_html().encode())
    seconds = time.perf_counter() - start
    print(f"{systems:8d} {topics:7d} {k:8d} {seconds:8.2f} {size / 1000:10.0f}", flush=True)


def _result(systems: int, topics: int, k: int) -> oe.Result:
    rng = np.random.default_rng(0)
    size = 2000
    gold = rng.integers(1, k + 1, size)
    guesses = {
        f"system-{i:02d}": np.clip(gold + np.rint(rng.normal(0, 0.3 + 0.05 * i, size)), 1, k)
        for i in range(systems)
    }
    named = np.arange(size) % topics if topics > 1 else None
    options = {"bootstrap": 100, "trials": 200, "undefined": 0.0}
    return oe.compare(gold, guesses, labels=range(1, k + 1), topics=named, **options)


if __name__ == "__main__":
    main()
