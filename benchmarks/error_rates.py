"""Family-wise error and power of the tests of many systems: `python -m benchmarks.error_rates`.

The family-wise error is the share of runs in which any pair of equal systems comes out significant
at 5 %. The power is the share of pairs of different systems that come out significant.
"""

import math
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.data.scale import Scale
from ordeval.measures.batches import score_tables
from ordeval.measures.spec import parse_measure
from ordeval.stats import Plan, max_t, randomised_tukey
from ordeval.stats.max_t import max_t_tables
from ordeval.stats.resample import stream
from ordeval.stats.unit_tables import UnitTables

from .simulation import Floats, Tables, each, publish, table

ALPHA = 0.05
TRIALS = 1000
ITEM_TRIALS = 500
# Runs that share the signs of their topics.
BATCH = 50
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
    same = np.subtract.outer(shifts, shifts)[upper] == 0
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


def score(tables: Floats) -> Floats:
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


# Tables.


def means(options: Namespace, case: tuple[Callable[..., Floats], Any, int]) -> Floats:
    """Return the means over the runs of a setting."""
    run, setting, runs = case
    return np.asarray(np.mean([run(setting, number) for number in range(runs)], axis=0))


def rates(
    run: Callable[..., Floats], settings: Sequence[Any], runs: Sequence[int], options: Namespace
) -> Iterator[tuple[Any, Floats]]:
    """Yield every setting with its means."""
    cases = [(run, setting, number) for setting, number in zip(settings, runs, strict=True)]
    yield from zip(settings, each(means, cases, options), strict=True)


def shown(values: Floats) -> list[str]:
    """Return shares as texts."""
    return ["–" if math.isnan(value) else f"{value:.3f}" for value in values]


def within(errors: Floats, low: float, high: float) -> str:
    """Return whether errors are within the limits, below or above them."""
    if np.any(errors > high):
        return "above"
    return "below" if np.any(errors < low) else "yes"


def tables(options: Namespace) -> Tables:
    """Yield the tables of tests over topics, items and clusters."""
    batches = [math.ceil(options.runs / BATCH)] * len(TOPICS)
    columns = ["population", "T", "error: Tukey", "max-T", "3–6.5 %", "power: Tukey", "max-T"]
    yield "topics", table(columns, (
        [s.name, s.topics, *shown(x[:, 0]), within(x[1, 0], 0.03, 0.065), *shown(x[:, 1])]
        for s, x in rates(topic_runs, TOPICS, batches, options)
    ))  # fmt: skip
    for name, column, settings in (
        ("items", "weights", ITEMS), ("clusters", "clusters × items", CLUSTERS),
    ):  # fmt: skip
        measures = ["κ linear", "MAE", "macro MAE"]
        columns = ["systems", column, *measures, "3–7 %", *measures]
        columns[2], columns[6] = f"error: {measures[0]}", f"power: {measures[0]}"
        # Four times as many runs for two systems, which are quick.
        runs = [options.item_runs * (4 if len(s.spreads) == 2 else 1) for s in settings]
        yield name, table(columns, (
            [s.name, kind(s), *shown(x[:, 0]), within(x[:, 0], 0.03, 0.07), *shown(x[:, 1])]
            for s, x in rates(item_run, settings, runs, options)
        ))  # fmt: skip


def kind(setting: Items) -> str:
    """Return the weights or the clusters of a setting."""
    over = f"{setting.clusters} × 25, over {setting.over}"
    return over if setting.clusters else setting.weights


if __name__ == "__main__":
    publish(__doc__, "error-rates.md", tables, runs=2000, item_runs=600)
