"""Measure family-wise error and power of the tests of many systems, by simulation.

    python benchmarks/error_rates.py [--runs 2000] [--item-runs 600] [--processes 2] [--write]

Prints Markdown tables; with --write, also writes docs/error-rates.md. The family-wise error is
the share of runs in which any pair of equal systems comes out significant at 5 %. The power is the
share of pairs of different systems that come out significant.
"""

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ordeval.data.scale import Scale
from ordeval.measures.scoring import score_tables
from ordeval.measures.spec import parse_measure
from ordeval.stats import Plan, UnitTables, max_t, max_t_tables, randomised_tukey
from ordeval.stats.resample import stream
from ordeval.types import Array, Bools, Floats

ALPHA = 0.05
TRIALS = 1000
ITEM_TRIALS = 500
# Runs that share the signs of their topics.
BATCH = 50
DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "error-rates.md"
Draw = Callable[[np.random.Generator, int], Floats]

# Over topics.


def normal(rng: np.random.Generator, topics: int) -> Floats:
    """Six independent normal scores a topic."""
    return rng.normal(size=(topics, 6))


def unequal(rng: np.random.Generator, topics: int) -> Floats:
    """Normal scores; one system varies five times as much as the others."""
    return rng.normal(size=(topics, 6)) * [1, 1, 1, 1, 1, 5]


def skewed(rng: np.random.Generator, topics: int) -> Floats:
    """Exponential scores, with a standard deviation of 1."""
    return rng.exponential(size=(topics, 6))


def correlated(rng: np.random.Generator, topics: int) -> Floats:
    """Two groups of three systems, whose scores correlate by 0.9 within a group."""
    shared = np.repeat(rng.normal(size=(topics, 2)), 3, axis=1)
    return math.sqrt(0.9) * shared + math.sqrt(0.1) * rng.normal(size=(topics, 6))


def heavy(rng: np.random.Generator, topics: int) -> Floats:
    """Scores from a t distribution with 3 degrees of freedom."""
    return rng.standard_t(3, size=(topics, 6))


EQUAL = (0, 0, 0, 0, 0, 0)
SPREAD = (0, 0, 0, 1, 1, 4)
NEAR = (0, 0, 0, 0.3, 0.3, 1.2)


@dataclass(frozen=True)
class Topics:
    """A population of scores by topic."""

    name: str
    draw: Draw
    shifts: tuple[float, ...]
    topics: int


TOPICS = [
    Topics(name, draw, shifts, topics)
    for name, draw, shifts in (
        ("all equal, normal", normal, EQUAL),
        ("all equal, unequal variances", unequal, EQUAL),
        ("0 0 0 1 1 4, normal", normal, SPREAD),
        ("0 0 0 1 1 4, skewed", skewed, SPREAD),
        ("0 0 0 1 1 4, unequal variances", unequal, SPREAD),
        ("all equal, skewed", skewed, EQUAL),
        ("all equal, correlated systems", correlated, EQUAL),
        ("0 0 0 0.3 0.3 1.2, correlated systems", correlated, NEAR),
        ("all equal, heavy tails", heavy, EQUAL),
        ("0 0 0 1 1 4, heavy tails", heavy, SPREAD),
    )
    for topics in (10, 30)
] + [
    Topics("all equal, normal", normal, EQUAL, 6),
    Topics("0 0 0 1 1 4, normal", normal, SPREAD, 6),
]


def topic_runs(setting: Topics, batch: int) -> Floats:
    """Return the errors and the powers [method, 2] of a batch of runs."""
    rng = stream(batch, setting.name, setting.topics)
    drawn = [setting.draw(rng, setting.topics) for _ in range(BATCH)]
    scores, plan = np.stack(drawn) + np.array(setting.shifts), Plan(TRIALS, batch)
    found = (
        randomised_tukey(scores, plan).p,
        max_t(scores, plan).p,
    )
    return np.array([np.mean([outcome(p, setting.shifts) for p in ps], axis=0) for ps in found])


def outcome(p: Floats, shifts: Sequence[float]) -> tuple[float, float]:
    """Return whether an equal pair is significant, and the share of different pairs that are."""
    upper = np.triu_indices(len(shifts), 1)
    same: Bools = np.subtract.outer(shifts, shifts)[upper] == 0
    significant = p[upper] < ALPHA
    missed = float(significant[~same].mean()) if not same.all() else math.nan
    return float(significant[same].any()) if same.any() else math.nan, missed


# Over items and clusters.

K = 5
GOLD = np.array([0.35, 0.25, 0.2, 0.12, 0.08])
MEASURES = ("kappa(weights='linear')", "mae", "macro_mae")
CHOSEN = [parse_measure(name) for name in MEASURES]
SCALE = Scale.of(range(1, K + 1))


@dataclass(frozen=True)
class Items:
    """A population of items, systems and weights."""

    name: str
    spreads: tuple[float, ...]
    items: int = 100
    weights: str = "none"
    clusters: int = 0
    over: str = "items"


def weights_of(kind: str, rng: np.random.Generator, items: int) -> Floats | None:
    """Draw the weights of items."""
    if kind == "none":
        return None
    if kind == "constant 10":
        return np.full(items, 10.0)
    if kind == "1 to 40":
        return rng.integers(1, 41, size=items).astype(float)
    return rng.lognormal(size=items)


TWO, SIX, ONE_WORSE = (0.7,) * 2, (0.7,) * 6, (0.7,) * 4 + (0.95, 1.3)
ITEMS = [
    Items(name, spreads, weights=weights)
    for weights in ("none", "constant 10", "1 to 40", "log-normal")
    for name, spreads in (
        ("two equal systems", TWO),
        ("six equal systems", SIX),
        ("four equal, two worse", ONE_WORSE),
    )
]
CLUSTERS = [
    Items(name, spreads, 25 * clusters, clusters=clusters, over=over)
    for clusters, over in (
        (20, "items"),
        (20, "clusters"),
        (10, "clusters"),
        (8, "clusters"),
        (6, "clusters"),
    )
    for name, spreads in (("two equal systems", TWO), ("six equal systems", SIX))
]


def score(tables: Array) -> Floats:
    """Score tables [..., K, K] under the chosen measures."""
    return score_tables(CHOSEN, tables, SCALE)


def item_run(setting: Items, run: int) -> Floats:
    """Return the error and the power [method * measure, 2] of one run."""
    rng = stream(run, setting.name, setting.weights, setting.clusters, setting.over)
    gold = rng.choice(K, size=setting.items, p=GOLD)
    systems = len(setting.spreads)
    # Half of the variance is shared: systems err on the same items.
    noise = rng.normal(size=setting.items) + rng.normal(size=(systems, setting.items))
    error = np.array(setting.spreads)[:, None] * noise / math.sqrt(2)
    unit = None
    if setting.clusters:
        cluster = np.arange(setting.items) % setting.clusters
        error = error * np.exp(0.6 * rng.normal(size=(systems, setting.clusters)))[:, cluster]
        unit = cluster if setting.over == "clusters" else None
    predicted = np.clip(np.rint(gold + error), 0, K - 1).astype(int)
    weight = weights_of(setting.weights, rng, setting.items)
    tables = UnitTables(gold * K + predicted, (1, K, K), weight=weight, unit=unit)
    plan = Plan(ITEM_TRIALS, run)
    test = max_t_tables(tables, score, plan)
    return np.array([outcome(p, setting.spreads) for p in test.p])


# Runs and tables.


def rates(run: Callable[[Any, int], Floats], setting: Any, runs: int, pool: Any) -> Floats:
    """Return the means over runs."""
    found = pool.map(partial(run, setting), range(runs), chunksize=max(1, runs // 40))
    return np.asarray(np.mean(found, axis=0))


def shown(value: float) -> str:
    """Return a share as text."""
    return "–" if math.isnan(value) else f"{value:.3f}"


def within(errors: Floats, low: float, high: float) -> str:
    """Return whether errors are within the limits, below or above them."""
    if np.any(errors > high):
        return "above"
    return "below" if np.any(errors < low) else "yes"


def topic_rows(runs: int, pool: Any) -> Iterator[str]:
    """Yield the table of tests over topics."""
    yield "| population | T | error: Tukey | max-T | 3–6.5 % | power: Tukey | max-T |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for setting in TOPICS:
        found = rates(topic_runs, setting, math.ceil(runs / BATCH), pool)
        cells = [*map(shown, found[:, 0]), within(found[1, 0], 0.03, 0.065)]
        cells += map(shown, found[:, 1])
        yield f"| {setting.name} | {setting.topics} | {' | '.join(cells)} |"


def item_runs(setting: Items, runs: int) -> int:
    """Return the number of runs: four times as many for two systems, which are quick."""
    return 4 * runs if len(setting.spreads) == 2 else runs


def item_rows(settings: Sequence[Items], runs: int, pool: Any, column: str) -> Iterator[str]:
    """Yield the table of tests over items or clusters."""
    names = "κ linear | MAE | macro MAE"
    yield f"| systems | {column} | error: {names} | 3–7 % | power: {names} |"
    yield "| --- " * 9 + "|"
    for setting in settings:
        found = rates(item_run, setting, item_runs(setting, runs), pool)
        met = within(found[:, 0], 0.03, 0.07)
        kind = setting.weights
        if setting.clusters:
            kind = f"{setting.clusters} × 25, over {setting.over}"
        cells = [*map(shown, found[:, 0]), met, *map(shown, found[:, 1])]
        yield f"| {setting.name} | {kind} | {' | '.join(cells)} |"


def page(over_topics: int, over_items: int, pool: Any) -> Iterator[str]:
    """Yield the lines of the document, for so many runs over topics and over items."""
    yield from HEAD.format(runs=over_topics, error=known_to(over_topics)).split("\n")
    yield from topic_rows(over_topics, pool)
    two, six = 4 * over_items, over_items
    text = ITEMS_TEXT.format(two=two, two_error=known_to(two), six=six, six_error=known_to(six))
    yield from text.split("\n")
    yield from item_rows(ITEMS, over_items, pool, "weights")
    yield from CLUSTERS_TEXT.split("\n")
    yield from item_rows(CLUSTERS, over_items, pool, "clusters × items")


def known_to(runs: int) -> float:
    """Return 1.96 standard errors of a share of 5 %, in points."""
    return 196 * math.sqrt(0.0475 / runs)


HEAD = """# Error rates of the tests

Made by `python benchmarks/error_rates.py --write`. The family-wise error is the share of runs in
which any pair of equal systems is significant at 5 %; the power is the share of pairs of different
systems that are.

## Over topics

Six systems; in the populations named by numbers, these are added to their scores. Scores have a
standard deviation of 1, except one of 5 with unequal variances, and heavy tails, which are those
of t with 3 degrees of freedom.
{runs:,} runs each; an error of 5 % is known to ± {error:.1f} points.
Patterns of signs are enumerated for up to 15 topics. With 6 topics there are 32, p is a multiple of
1/32, and the error of max-T is 1/32 = 3.1 %. Where some systems differ, the error may be below 3 %:
it can only occur after the differences that are larger have been found.
"""
ITEMS_TEXT = """
## Over items

100 items of five classes, which make up 35, 25, 20, 12 and 8 % of gold. The prediction is the gold
class plus normal noise, rounded; half of the variance of the noise is shared by all systems.
{two:,} runs for two systems and {six:,} for six; an error of 5 % is known to ± {two_error:.1f} and
± {six_error:.1f} points. Tests are step-down max-T with random signs of items. As over topics, the
error may be below 3 % where some systems differ.
"""
CLUSTERS_TEXT = """
## Over clusters

Every system is better in some clusters than in others: its noise there is multiplied by a
log-normal number (standard deviation of the logarithm 0.6). Over all clusters the systems are
equal. Exchanging items takes these variations for differences between the systems; exchanging
clusters does not. With 6 clusters p is a multiple of 1/32, and the error at most 3.1 %.
"""


def main() -> None:
    """Run all simulations and print or write their tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000, help="runs over topics (2000)")
    parser.add_argument("--item-runs", type=int, default=600, help="runs over items (600)")
    parser.add_argument("--processes", type=int, default=2, help="processes (2)")
    parser.add_argument("--write", action="store_true", help="write docs/error-rates.md")
    chosen = parser.parse_args()
    lines = []
    with get_context("spawn").Pool(chosen.processes) as pool:
        for line in page(chosen.runs, chosen.item_runs, pool):
            print(line, flush=True)
            lines.append(line)
    if chosen.write:
        DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
