"""Coverage of intervals over topics and clusters, by simulation.

Systems are more accurate on some topics (or clusters) than on others. Means over topics and pooled
scores over clusters are estimated from few to many units, and every kind of interval is compared
with the true score, which comes from a very large sample of units. Prints a Markdown table of the
share of samples, in per cent, whose 95 % interval covers the true score.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ordeval as oe

K, ITEMS = 5, 25
MEASURES = ("accuracy", "kappa(weights='linear')", "cem", "mae", "macro_mae")
UNITS = (5, 10, 20, 50, 200)
POPULATIONS = ("even", "skewed")
METHODS = {"means": ("t", "percentile", "both"), "clusters": ("t", "percentile")}
PAGE = """# Intervals over topics and clusters

Share of simulated samples, in per cent, whose 95 % interval covers the true score. "means" are
means over topics, "clusters" are scores of all items with clusters as units. Every unit has
{items} items of {k} classes; the accuracy of a unit is drawn from a Beta distribution, Beta(6, 3)
for "even" and Beta(8, 1) for "skewed" populations, so that items of a unit are alike. "t" is the
default, "both" resamples topics and the items within them. The figure is the mean over the
measures {measures}; the lowest of them is in parentheses.

`{command}`, seed {seed}.

{table}
"""


def sample(rng: np.random.Generator, units: int, population: str) -> tuple[Any, Any, Any]:
    """Draw gold labels, predictions and units."""
    right = rng.beta(*((6, 3) if population == "even" else (8, 1)), size=units)
    unit = np.repeat(np.arange(units), ITEMS)
    gold = rng.choice(K, size=len(unit), p=(0.1, 0.2, 0.3, 0.25, 0.15))
    wrong = np.clip(gold + rng.choice((-2, -1, 1, 2), size=len(unit), p=(0.1, 0.4, 0.4, 0.1)), 0, 4)
    return gold, np.where(rng.random(len(unit)) < right[unit], gold, wrong), unit


def interval(data: tuple[Any, Any, Any], setting: str, method: str, seed: int) -> oe.Result:
    """Evaluate one sample."""
    gold, predicted, unit = data
    how: dict[str, Any] = {"measures": list(MEASURES), "undefined": "skip", "rng": seed}
    how["method"] = "auto" if method == "t" else "percentile"
    if setting == "clusters":
        how |= {"cluster": unit}
    else:
        how |= {"topic": unit, "over": "both" if method == "both" else "topics"}
    return oe.evaluate(gold, predicted, labels=range(K), bootstrap=400, **how)


def truth(population: str, setting: str) -> np.ndarray:
    """Return the true scores from many units."""
    gold, predicted, unit = sample(np.random.default_rng(1), 20_000, population)
    how: dict[str, Any] = {} if setting == "clusters" else {"topic": unit, "undefined": "skip"}
    scored = oe.evaluate(
        gold, predicted, labels=range(K), measures=list(MEASURES), bootstrap=0, **how
    )
    return scored.scores.values[:, 0]


def covered(case: tuple[str, str, int], runs: int, seed: int) -> dict[str, np.ndarray]:
    """Return for every method the share of samples covered, by measure."""
    population, setting, units = case
    true = truth(population, setting)
    rng = np.random.default_rng([seed, units])
    found = {method: np.zeros(len(MEASURES)) for method in METHODS[setting]}
    for run in range(runs):
        data = sample(rng, units, population)
        for method in found:
            ends = interval(data, setting, method, run).intervals
            assert ends is not None
            found[method] += (ends.low[:, 0] <= true) & (true <= ends.high[:, 0])
    return {method: inside / runs for method, inside in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    cases = [(p, s, u) for p in POPULATIONS for s in METHODS for u in UNITS]
    with ProcessPoolExecutor(given.processes) as pool:
        results = list(pool.map(partial(covered, runs=given.runs, seed=given.seed), cases))
    methods = list(METHODS["means"])
    lines = [f"| population | score | units | {' | '.join(methods)} |"]
    lines.append("|---|---|---|" + "---|" * len(methods))
    for (population, setting, units), found in zip(cases, results, strict=True):
        cells = [
            f"{100 * found[m].mean():.1f} ({100 * found[m].min():.1f})" if m in found else "–"
            for m in methods
        ]
        lines.append(f"| {population} | {setting} | {units} | {' | '.join(cells)} |")
    command = f"python benchmarks/unit_coverage.py --runs {given.runs}"
    page = PAGE.format(
        items=ITEMS,
        k=K,
        measures=", ".join(MEASURES),
        command=command,
        seed=given.seed,
        table="\n".join(lines),
    )
    print(page)
    if given.out:
        given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
