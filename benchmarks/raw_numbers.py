"""Coverage and error rates of measures of raw numbers: `python -m benchmarks.raw_numbers`.

Gold numbers are means of several ratings; predictions add an error. For every number of items and
measure the table shows how often the 95 % interval holds the true score, and how often two systems
that are equally good are called different at 5 %.
"""

from argparse import Namespace

import numpy as np

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

ITEMS = (20, 100, 1000)
MEASURES = ("mae", "mse", "rmse", "pearson", "cosine", "alpha(level='interval')")


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


def simulate(options: Namespace, items: int) -> Floats:
    """Return the shares [measure, 2] of intervals that hold the truth, and of tests that err."""
    rng, true, found = stream(options.seed, items), truth(), np.zeros((len(MEASURES), 2))
    for run in range(options.runs):
        gold, systems = draw(rng, items)
        how = {"labels": range(1, 6), "bins": "round", "trials": options.trials, "rng": run}
        result = oe.compare(gold, systems, measures=MEASURES, **how)
        for row, m in zip(found, MEASURES, strict=True):
            score = result.standing("a", m)
            row += covers(score.low, score.high, true[m]), result.pair("a", "b", m).p < 0.05
    return found / options.runs


def tables(options: Namespace) -> Tables:
    """Yield the table."""
    rows = [
        [items, m, *map(percent, shares)]
        for items, found in zip(ITEMS, each(simulate, ITEMS, options), strict=True)
        for m, shares in zip(MEASURES, found, strict=True)
    ]
    yield "raw numbers", table(["items", "measure", "coverage", "error"], rows)


if __name__ == "__main__":
    publish(__doc__, "error-rates.md", tables, runs=1000, trials=500)
