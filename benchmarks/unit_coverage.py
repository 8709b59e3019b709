"""Coverage of intervals over topics and clusters: `python -m benchmarks.unit_coverage`.

Systems are more accurate on some topics (or clusters) than on others. Means over topics and pooled
scores over clusters are estimated from few to many units, and every kind of interval is compared
with the true score, which comes from a very large sample of units.
"""

from argparse import Namespace
from typing import Any

import numpy as np

import ordeval as oe

from .simulation import Floats, Tables, covers, each, mean_and_least, publish, stream, table

K, ITEMS = 5, 25
MEASURES = ["accuracy", "kappa(weights='linear')", "cem", "mae", "macro_mae"]
METHODS = {"means": ("t", "percentile", "both"), "clusters": ("t", "percentile")}
CASES = [
    (population, setting, units)
    for population in ("even", "skewed")
    for setting in METHODS
    for units in (5, 10, 20, 50, 200)
]


def sample(rng: np.random.Generator, units: int, population: str) -> tuple[Any, Any, Any]:
    """Draw gold labels, predictions and units."""
    right = rng.beta(*((6, 3) if population == "even" else (8, 1)), size=units)
    unit = np.repeat(np.arange(units), ITEMS)
    gold = rng.choice(K, size=len(unit), p=(0.1, 0.2, 0.3, 0.25, 0.15))
    wrong = np.clip(gold + rng.choice((-2, -1, 1, 2), size=len(unit), p=(0.1, 0.4, 0.4, 0.1)), 0, 4)
    return gold, np.where(rng.random(len(unit)) < right[unit], gold, wrong), unit


def evaluated(data: tuple[Any, Any, Any], setting: str, method: str, **options: Any) -> oe.Result:
    """Evaluate one sample."""
    gold, predicted, unit = data
    options["method"] = "auto" if method == "t" else "percentile"
    if setting == "clusters":
        options["cluster"] = unit
    else:
        options |= {"topic": unit, "over": "both" if method == "both" else "topics"}
    return oe.evaluate(
        gold, predicted, measures=MEASURES, labels=range(K), undefined="skip", **options
    )


def covered(options: Namespace, case: tuple[str, str, int]) -> dict[str, Floats]:
    """Return for every method the share of samples covered, by measure."""
    population, setting, units = case
    many = sample(np.random.default_rng(1), 20_000, population)
    true = evaluated(many, setting, "t", bootstrap=0).scores.values[:, 0]
    rng, held = stream(options.seed, *case), dict.fromkeys(METHODS[setting], np.zeros(5))
    for run in range(options.runs):
        data = sample(rng, units, population)
        for method in held:
            ends = evaluated(data, setting, method, bootstrap=400, rng=run).intervals
            held[method] = held[method] + covers(ends.low[:, 0], ends.high[:, 0], true)
    return {method: number / options.runs for method, number in held.items()}


def tables(options: Namespace) -> Tables:
    """Yield the table."""
    methods = METHODS["means"]
    rows = [
        [*case, *(mean_and_least(found[m]) if m in found else "–" for m in methods)]
        for case, found in zip(CASES, each(covered, CASES, options), strict=True)
    ]
    yield "units", table(["population", "score", "units", *methods], rows)


if __name__ == "__main__":
    publish(__doc__, "unit-coverage.md", tables, runs=1000)
