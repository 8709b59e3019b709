"""How often `judge` is right, coverage and verdicts: `python -m benchmarks.judge_verdicts`.

Every item has a true value, and everybody rates it with errors of their own. A model "like a
person" rates exactly as people do, so that its true difference is 0 whatever the measure; one "at
the margin" has errors so much larger that under linear kappa it is worse by the default margin; a
"noisy" one has still larger errors, and a "steady" one smaller ones. True differences of these are
those on very many items.
"""

from argparse import Namespace
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

import ordeval as oe

from .simulation import Tables, covers, each, publish, stream, table

MEASURES = ["kappa(weights='linear')", "accuracy", "mae", "macro_mae"]
MODELS = {"like a person": 1.0, "at the margin": 1.28, "noisy": 1.8, "steady": 0.5}
ITEMS, PEOPLE = (30, 100, 300, 1000), (2, 3, 5, 10)
CUTS = {"even": (-0.84, -0.25, 0.25, 0.84), "rare ends": (-2.0, -0.6, 0.6, 2.0)}
MANY = 200_000
GOOD = "as good as one more person"


@dataclass(frozen=True)
class Regime:
    """How ratings are drawn: where the classes end, and which share is missing."""

    name: str
    cuts: str = "even"
    gaps: float = 0.0
    gold: str = "soft"
    cluster: int = 0
    severity: float = 0.0
    over: str = "items"

    def draw(self, rng: np.random.Generator, items: int, people: int) -> tuple[Any, Any]:
        """Return the ratings of people and of models, NaN where one is missing."""
        groups = np.arange(items) // max(self.cluster, 1)
        truth = rng.normal(size=items)
        if self.cluster:
            truth = 0.7 * truth + 0.7 * rng.normal(size=groups.max() + 1)[groups]
        persons = np.stack([self.rate(rng, truth, 1.0) for _ in range(people)], axis=1)
        models = {name: self.rate(rng, truth, noise) for name, noise in MODELS.items()}
        if self.gaps:
            missing = rng.random(persons.shape) < self.gaps
            missing[:, :2] &= rng.random((items, 1)) < 0.5
            persons[missing] = np.nan
        return {f"p{j}": persons[:, j] for j in range(people)}, models

    def rate(self, rng: np.random.Generator, truth: Any, noise: float) -> Any:
        """Return classes 1 to 5."""
        lean = self.severity * rng.normal()
        heard = truth + lean + 0.6 * noise * rng.normal(size=len(truth))
        return 1.0 + np.searchsorted(CUTS[self.cuts], heard)


REGIMES = (
    Regime("even classes"),
    Regime("rare classes at the ends", "rare ends"),
    Regime("40 % of ratings missing", gaps=0.4),
    Regime("gold by majority", gold="majority"),
    Regime("clusters of 5 items", cluster=5, over="clusters"),
    Regime("people differ, over items and people", severity=0.3, over="both"),
)
Case = tuple[Regime, int, int]  # with the numbers of people and of items
CASES: list[Case] = [
    (regime, people, items)
    for regime in REGIMES
    for people in PEOPLE
    for items in ITEMS
    if regime.over != "both" or people > 2
]


def judged(case: Case, random: np.random.Generator, items: int, **options: Any) -> dict[Any, Any]:
    """Return the rows of the models, by model and measure."""
    regime, people, _ = case
    if options["draws"] and regime.cluster:
        options["cluster"] = np.arange(items) // regime.cluster
    if options["draws"]:
        options["over"] = regime.over
    persons, models = regime.draw(random, items, people)
    how = {"measures": MEASURES, "labels": [1, 2, 3, 4, 5], "gold": regime.gold}
    found = oe.judge(persons, models, **how, **options)
    return {
        (row.name, row.measure.specification): row for row in found.scores if row.kind == "model"
    }


def simulate(options: Namespace, case: Case) -> dict[Any, Counter[str]]:
    """Return how often each model got which verdict, and how often its interval was right."""
    rows = judged(case, np.random.default_rng(1), MANY, draws=0)
    true = {k: 0.0 if k[0] == "like a person" else row.difference.value for k, row in rows.items()}
    draws, found = stream(options.seed, *case), {key: Counter[str]() for key in true}
    for run in range(options.runs):
        for key, row in judged(case, draws, case[2], draws=1, rng=run).items():
            gap = row.difference
            found[key][row.verdict] += 1
            found[key]["covered"] += int(covers(gap.low, gap.high, true[key]))
    return found


def tables(options: Namespace) -> Tables:
    """Yield the table."""
    columns = ["data", "people", "items", "coverage", "like a person: called worse", "better"]
    columns += ["as good", "at the margin: as good or better", "noisy: worse"]
    rows = []
    for (regime, people, items), found in zip(CASES, each(simulate, CASES, options), strict=True):
        like = [found["like a person", m] for m in MEASURES]
        first = {model: found[model, MEASURES[0]] for model in MODELS}
        near, held = first["at the margin"], [x["covered"] / options.runs for x in found.values()]
        numbers = (
            max(x["worse"] for x in like),
            max(x["better"] for x in like),
            first["like a person"][GOOD],
            near[GOOD] + near["better"],
            first["noisy"]["worse"],
        )
        coverage = f"{100 * min(held):.0f}–{100 * max(held):.0f} %"
        shares = (f"{100 * number / options.runs:.1f} %" for number in numbers)
        rows.append([regime.name, people, items, coverage, *shares])
    yield "verdicts", table(columns, rows)


if __name__ == "__main__":
    publish(__doc__, "judge.md", tables, runs=400)
