"""Coverage of intervals, and error rate of tests, of measures of raw numbers over items.

Gold numbers are means of several ratings; predictions add an error. Prints for every number of
items and measure how often the 95 % interval holds the true score, and how often two systems that
are equally good are called different at 5 %.

    python benchmarks/raw_numbers.py --runs 1000
"""

import argparse

import numpy as np
from numpy.typing import NDArray

import ordeval as oe

MEASURES = ("mae", "mse", "rmse", "pearson", "cosine", "alpha(level='interval')")
Floats = NDArray[np.float64]


def draw(rng: np.random.Generator, items: int) -> tuple[Floats, dict[str, Floats]]:
    """Draw mean ratings of five people, and two systems of the same quality."""
    truth = rng.normal(3.0, 1.0, items)
    ratings = np.clip(np.rint(truth[:, None] + rng.normal(0, 0.8, (items, 5))), 1, 5)
    systems = {
        name: np.clip(0.8 * truth + 0.6 + rng.normal(0, 0.6, items), 0.5, 5.5) for name in "ab"
    }
    return ratings.mean(axis=1), systems


def truth() -> dict[str, float]:
    """Return the scores of a very large sample."""
    gold, systems = draw(np.random.default_rng(1), 4_000_000)
    return {m: oe.score(gold, systems["a"], m, labels=range(1, 6), bins="round") for m in MEASURES}


def main() -> None:
    """Print one line per number of items and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--trials", type=int, default=500)
    given = parser.parse_args()
    true = truth()
    print(f"{'items':>6}  {'measure':24}  coverage  rejected")
    for items in (20, 100, 1000):
        rng = np.random.default_rng(items)
        covered, rejected = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
        for _ in range(given.runs):
            gold, systems = draw(rng, items)
            result = oe.compare(
                gold,
                systems,
                labels=range(1, 6),
                bins="round",
                measures=MEASURES,
                trials=given.trials,
            )
            for m in MEASURES:
                row = result.standing("a", m)
                covered[m] += row.low <= true[m] <= row.high
                rejected[m] += result.pair("a", "b", m).p < 0.05
        for m in MEASURES:
            share = covered[m] / given.runs, rejected[m] / given.runs
            print(f"{items:6}  {m:24}  {share[0]:8.3f}  {share[1]:8.3f}", flush=True)


if __name__ == "__main__":
    main()
