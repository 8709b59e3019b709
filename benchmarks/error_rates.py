"""Family-wise error and power of the tests of many systems: `python -m benchmarks.error_rates`.

The family-wise error is the share of runs in which any pair of equal systems comes out significant
at 5 %. The power is the share of pairs of different systems that come out significant.
"""

import math
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from ordeval import Measure, Scale
from ordeval.evaluation import CORE_MEASURES
from ordeval.measures.batches import score_tables
from ordeval.measures.influence import item_influence
from ordeval.measures.spec import parse_measure
from ordeval.stats import Plan, max_t, randomised_tukey
from ordeval.stats.exchange import Influences
from ordeval.stats.max_t import max_t_tables, opposed
from ordeval.stats.resample import Statistic
from ordeval.stats.table_intervals import (
    PER_STEP,
    UNSEEN,
    FilledCells,
    drawn_interval,
    rests_on_prior,
)
from ordeval.stats.unit_tables import UnitTables

from .simulation import Floats, Tables, each, percent, publish, published, stream, table

Ints = NDArray[np.int64]
Run = tuple[Floats, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]
ALPHA = 0.05
TRIALS = 1000
ITEM_TRIALS = 400
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

MEASURES = [parse_measure(name) for name in CORE_MEASURES]
Drawn = tuple[Ints, Ints]  # gold [n] and predictions [S, n]


def clipped(numbers: Floats, k: int = 5) -> Ints:
    """Return the nearest classes."""
    return np.clip(np.rint(numbers), 0, k - 1).astype(int)


def alike(rng: np.random.Generator, items: int, systems: int) -> Drawn:
    """Systems whose errors have the same distribution; half of their variance is shared."""
    gold = rng.choice(5, size=items, p=(0.35, 0.25, 0.2, 0.12, 0.08))
    noise = rng.normal(size=items) + rng.normal(size=(systems, items))
    return gold, clipped(gold + 0.5 * noise)


def nearly_perfect(rng: np.random.Generator, items: int, systems: int) -> Drawn:
    """Systems with about five errors in a hundred items."""
    gold = rng.choice(5, size=items, p=(0.45, 0.25, 0.15, 0.1, 0.05))
    return gold, clipped(gold + 0.25 * rng.normal(size=(systems, items)))


def graders(
    rng: np.random.Generator, items: int, systems: int, shift: tuple[float, float] = (-1.1, 1.1)
) -> Drawn:
    """Severe and lenient graders, by turns, whose scores are equal by symmetry."""
    gold = rng.integers(5, size=items)
    shifts = np.resize(shift, systems)[:, None]
    return gold, clipped(gold + shifts + 0.5 * rng.normal(size=(systems, items)))


def class_weakness(rng: np.random.Generator, items: int, systems: int) -> Drawn:
    """Half of the items of the lowest class are missed, or of the highest one, by turns."""
    gold = rng.choice(5, size=items, p=(0.08, 0.22, 0.4, 0.22, 0.08))
    weak = np.resize((0, 4), systems)[:, None]
    wrong = rng.random((systems, items)) < np.where(gold == weak, 0.5, 0.1)
    step = np.where(gold == 0, 1, np.where(gold == 4, -1, rng.choice((-1, 1), (systems, items))))
    return gold, np.where(wrong, gold + step, gold)


def stronger(rng: np.random.Generator, items: int, systems: int) -> Drawn:
    """A severe and a lenient grader with linear kappas of 0.41 and 0.49."""
    return graders(rng, items, systems, (-1.3, 1.1))


FAR_END = np.where(np.arange(11) <= 5, 10, 0)
NEAR_BY = np.stack([np.r_[2, 3, :9], np.r_[2:11, 7, 8]])  # two classes lower or higher


@cache
def near_rate(measure: Measure) -> float:
    """Return how often errors of two classes are as bad as 3 % of errors at the far end."""

    def score(wrong: Ints, rate: float) -> float:
        table = (1 - rate) * np.eye(11)
        for labels in wrong:
            table[np.arange(11), labels] += rate / len(wrong)
        return float(measure.of(1e9 * table))

    bad = score(FAR_END[None], 0.03)
    return brentq(lambda rate: score(NEAR_BY, rate) - bad, 1e-6, 0.999, xtol=1e-6)


def rare_far(rng: np.random.Generator, items: int, systems: int, measure: Measure) -> Drawn:
    """Three far errors in a hundred items, or as many near ones as have the same score."""
    gold, way = rng.integers(11, size=items), rng.integers(2, size=items)
    wrong = np.resize(np.stack([FAR_END[gold], NEAR_BY[way, gold]]), (systems, items))
    rates = np.resize((0.03, near_rate(measure)), systems)[:, None]
    return gold, np.where(rng.random((systems, items)) < rates, wrong, gold)


@dataclass(frozen=True)
class Items:
    """A population of items and systems, with the weights or the clusters of items."""

    draw: Callable[..., Drawn]
    systems: int
    items: int
    weights: str = "none"
    clusters: int = 0
    k: int = 5
    ignored: bool = False  # items are exchanged although they belong to clusters

    @property
    def name(self) -> str:
        """The name of the population."""
        return self.draw.__name__.replace("_", " ")


def weights_of(kind: str, rng: np.random.Generator, items: int) -> Floats | None:
    """Draw the weights of items."""
    return {
        "none": lambda: None,
        "1 to 40": lambda: rng.integers(1, 41, size=items).astype(float),
        "log-normal": lambda: rng.lognormal(size=items),
    }[kind]()


WEAK = (graders, class_weakness)
SIZES = (30, 100, 300, 1000, 3000)
ITEMS = [Items(draw, 2, items) for draw in (alike, nearly_perfect, *WEAK) for items in SIZES]
FAR = [Items(rare_far, 2, items, k=11) for items in SIZES]
MANY = [Items(draw, 12, items) for draw in (alike, *WEAK) for items in (30, 100, 300, 1000, 3000)]
WEIGHTED = [
    Items(draw, 2, items, weights)
    for draw in (alike, graders)
    for weights in ("1 to 40", "log-normal")
    for items in (100, 1000)
]
CLUSTERS = [
    Items(draw, systems, 20 * clusters, clusters=clusters)
    for draw in (alike, graders)
    for systems in (2, 6)
    for clusters in (10, 20, 50)
] + [Items(draw, 2, 400, clusters=20, ignored=True) for draw in (alike, graders)]
POWER = [Items(stronger, 2, items) for items in (100, 300)]


def of_measures(measures: Sequence[Measure], k: int) -> tuple[Statistic, Influences]:
    """Return scores and influences of tables under some measures."""
    scale = Scale.of(range(1, k + 1))

    def influences(tables: Floats) -> Iterator[Floats]:
        flat = tables.reshape(-1, k, k)
        for measure in measures:
            found = item_influence(measure.on(scale), flat, scale.numbers)
            yield found.reshape(tables.shape)

    return lambda tables: score_tables(measures, tables, scale), influences


def item_test(setting: Items, measures: Sequence[Measure], rng: np.random.Generator) -> Run:
    """Return p-values [M, pairs] of a run, whether 0 is in the intervals, marks, and doubts [M]."""
    more = {"measure": measures[0]} if setting.draw is rare_far else {}
    gold, predicted = setting.draw(rng, setting.items, setting.systems, **more)
    unit = None
    if setting.clusters:  # in a quarter of the clusters all items are copies of one
        unit = np.arange(setting.items) % setting.clusters
        whole = setting.draw(rng, setting.clusters, setting.systems)
        copies = (rng.random(setting.clusters) < 0.25)[unit]
        gold = np.where(copies, whole[0][unit], gold)
        predicted = np.where(copies, whole[1][:, unit], predicted)
    k, weight = setting.k, weights_of(setting.weights, rng, setting.items)
    unit = None if setting.ignored else unit
    tables = UnitTables(gold * k + predicted, (1, k, k), weight=weight, unit=unit)
    score, influences = of_measures(measures, k)
    plan = Plan(ITEM_TRIALS, int(rng.integers(2**31)))
    test = max_t_tables(tables, score, plan, influences=influences)
    upper, (low, high) = np.triu_indices(setting.systems, 1), test.intervals()
    items = np.bincount(gold, minlength=k).astype(float)
    doubt = np.array([bool(m.interval_doubt(items)) for m in measures])
    if setting.draw is rare_far and setting.items < UNSEEN:
        doubt |= may_hide_errors(tables, score, plan)
    marked = opposed(test.difference, test.skew)
    return *(x[:, *upper] for x in (test.p, (low <= 0) & (high >= 0), marked)), doubt


def may_hide_errors(tables: UnitTables, score: Statistic, plan: Plan) -> NDArray[np.bool_]:
    """Return for every measure whether results mark a score because far errors may be unseen."""
    found = []
    for whole in tables.total:
        cells = FilledCells.of(whole, whole)
        ends = (drawn_interval(replace(cells, per_step=step), score, plan, 0.95)
                for step in (PER_STEP, 1.0))  # fmt: skip
        found.append(rests_on_prior(*ends))
    return np.any(found, axis=0)


def item_rates(options: Namespace, case: tuple[Items, int]) -> Floats:
    """Return shares of runs [4, M]: any pair found, p and interval at odds, doubt, unmarked."""
    setting, runs = case
    groups = [[m] for m in MEASURES] if setting.draw is rare_far else [MEASURES]
    found = []
    for group in groups:
        rng = stream(options.seed, setting.name, setting.systems, setting.items, setting.weights,
                     setting.clusters, str(group[0]))  # fmt: skip
        of_runs = []
        for _ in range(runs):
            p, inside, skewed, doubt = item_test(setting, group, rng)
            known = ~np.isnan(p).any(axis=1)
            any_found = np.where(known, ((p < ALPHA) & ~skewed).any(axis=1), np.nan)
            odds = np.where(known, (inside == (p < ALPHA)).any(axis=1), np.nan)
            of_runs.append([any_found, odds, doubt, np.where(doubt, np.nan, any_found)])
        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # no run without a mark
            found.append(np.nanmean(np.array(of_runs, dtype=float), axis=0))
    return np.concatenate(found, axis=1)


# Simultaneous intervals of differences, and verdicts of equivalence.

SPREADS = np.array([0.5, 0.6, 0.6, 0.7, 0.8, 0.8])


def unequal_systems(rng: np.random.Generator, items: int) -> Drawn:
    """Six systems that err more or less; half of the variance of their errors is shared."""
    gold = rng.choice(5, size=items, p=(0.35, 0.25, 0.2, 0.12, 0.08))
    noise = rng.normal(size=items) + rng.normal(size=(6, items))
    return gold, clipped(gold + SPREADS[:, None] * noise)


def tables_of(drawn: Drawn) -> UnitTables:
    """Return the tables of systems on the same items."""
    gold, predicted = drawn
    return UnitTables(gold * 5 + predicted, (1, 5, 5))


def simultaneous(options: Namespace, case: tuple[str, int]) -> tuple[float, float]:
    """Return how often all intervals hold, and how often any verdict of equivalence is false.

    The margin of a pair is its true difference, so that every such verdict is false.
    """
    over, size = case
    rng, (score, influences) = stream(options.seed, *case), of_measures(MEASURES[:1], 5)
    if over == "topics":
        shifts = np.arange(6) / 2
        true = shifts[:, None] - shifts
    else:
        scores = score(tables_of(unequal_systems(np.random.default_rng(1), 2_000_000)).total)
        true = (scores[0] - scores[0].T).reshape(6, 6)
    upper, held, equivalent = np.triu_indices(6, 1), 0, 0
    for _ in range(options.item_runs):
        plan = Plan(ITEM_TRIALS, int(rng.integers(2**31)))
        if over == "topics":
            test = max_t(rng.normal(size=(1, size, 6)) + shifts, plan)
        else:
            tables = tables_of(unequal_systems(rng, size))
            test = max_t_tables(tables, score, plan, influences=influences)
        (low, high), (inner_low, inner_high) = test.intervals(0.95), test.intervals(0.9)
        held += np.all((low[0] <= true) & (true <= high[0]), where=~np.eye(6, dtype=bool))
        inside = (inner_low[0] > -np.abs(true)) & (inner_high[0] < np.abs(true))
        equivalent += inside[upper].any()
    return held / options.item_runs, equivalent / options.item_runs


SIMULTANEOUS = [("topics", n) for n in (6, 10, 30)] + [("items", n) for n in (100, 300, 1000, 3000)]


# Tables.


def topic_rates(options: Namespace, case: tuple[Topics, int]) -> Floats:
    """Return the mean errors and powers over the batches of a setting."""
    setting, batches = case
    runs = [topic_runs(setting, options.seed + number) for number in range(batches)]
    return np.asarray(np.mean(runs, axis=0))


def shown(values: Floats) -> list[str]:
    """Return shares as texts."""
    return ["–" if math.isnan(value) else f"{value:.3f}" for value in values]


def marked(rates: Floats, runs: int) -> list[str]:
    """Return error rates: in parentheses where most results doubt them, bold beyond 7 %.

    Where some results do, †36 says in how many per cent, and the rate is that of the others.
    """
    texts = []
    for rate, _, doubt, unmarked in rates.T:
        text = percent(rate if doubt > 0.5 else unmarked)
        chance = 2 * math.sqrt(ALPHA * (1 - ALPHA) / max(1.0, runs * (1 - doubt)))
        if doubt > 0.5:
            text = f"({text})"
        elif unmarked > 0.07 + chance:
            text = f"**{text}**"
        texts.append(text + f" †{100 * doubt:.0f}" * bool(0.05 < doubt <= 0.5))
    return texts


def tables(options: Namespace) -> Tables:
    """Yield the tables of tests over topics, items and clusters."""
    batches = math.ceil(options.runs / BATCH)
    columns = ["population", "T", "error: Tukey", "max-T", "3–6.5 %", "power: Tukey", "max-T"]
    if options.only in "topics":
        of_topics = each(topic_rates, [(setting, batches) for setting in TOPICS], options)
        yield "topics", table(columns, (
            [s.name, s.topics, *shown(x[:, 0]), within(x[1, 0], 0.03, 0.065), *shown(x[:, 1])]
            for s, x in zip(TOPICS, of_topics, strict=True)
        ))  # fmt: skip
    parts = {"items": ITEMS + FAR, "many systems": MANY, "weights": WEIGHTED,
             "clusters": CLUSTERS, "power": POWER}  # fmt: skip
    names = [m.label for m in MEASURES]
    for name, settings in parts.items():
        if options.only not in name:
            continue
        runs = [max(1, options.item_runs // (1 if s.systems == 2 else 5)) for s in settings]
        found = list(each(item_rates, list(zip(settings, runs, strict=True)), options))
        texts = [
            [percent(rate) for rate in x[0]] if settings is POWER else marked(x, number)
            for x, number in zip(found, runs, strict=True)
        ]
        yield name, table(["population", "N", *names], (
            [described(s), s.items, *text] for s, text in zip(settings, texts, strict=True)
        ))  # fmt: skip
        worst = max(float(np.nanmax(x[1])) for x in found)
        print(f"{name}: p and interval at odds in at most {percent(worst)} % of runs", flush=True)
    if options.only in "simultaneous":
        rows = zip(SIMULTANEOUS, each(simultaneous, SIMULTANEOUS, options), strict=True)
        columns = ["units", "number", "all differences covered", "any false equivalence"]
        yield "simultaneous", table(columns, ([*case, *map(percent, x)] for case, x in rows))
    for name in ("items", "many systems", "weights"):
        if options.only in f"range of {name}":
            yield f"range of {name}", ranges(name)


def ranges(name: str) -> str:
    """Return the lowest and the highest unmarked rate by population and number of items.

    They are those of the table that the page holds; rates in parentheses are left out.
    """
    found: dict[str, dict[str, str]] = {}
    for population, items, *cells in published("error-rates.md", name)[1:]:
        rates = [float(cell.split(" ")[0].strip("*")) for cell in cells if cell[0] != "("]
        found.setdefault(population, {})[f"N = {items}"] = f"{min(rates)}–{max(rates)}"
    heads = next(iter(found.values()))
    return table(["population", *heads], ([key, *x.values()] for key, x in found.items()))


def described(setting: Items) -> str:
    """Return a setting in words."""
    more = [f"weights {setting.weights}"] * (setting.weights != "none")
    more += [f"{setting.clusters} clusters"] * bool(setting.clusters)
    more += [f"{setting.systems} systems"] * (setting.systems > 2)
    more += ["items exchanged"] * setting.ignored
    return ", ".join([setting.name, *more])


def within(error: float, low: float, high: float) -> str:
    """Return whether an error is within the limits, below or above them."""
    return "above" if error > high else "below" if error < low else "yes"


if __name__ == "__main__":
    publish(__doc__, "error-rates.md", tables, runs=2000, item_runs=1000)
