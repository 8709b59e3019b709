"""Coverage of 95 % intervals over items, for every measure: `python -m benchmarks.coverage`.

Items are drawn from known populations; the true score is that of the population's table, as the
limit of ever more items. Every simulated data set gets the default interval (Dirichlet draws) and
bootstrap percentiles. Rare errors, near and far, on scales of 2 to 21 classes, differences of two
systems, weighted items, raw numbers, and means over topics of quantification follow. More than an
hour of one core with the default numbers; `--only` makes some of the tables.
"""

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ordeval import Measure, Scale, compare, evaluate, measure, measures, score
from ordeval.evaluation import CORE_MEASURES
from ordeval.measures.batches import score_tables
from ordeval.measures.influence import item_influence
from ordeval.stats import Interval, Plan, mean_interval, table_interval
from ordeval.stats.max_t import max_t_tables
from ordeval.stats.table_intervals import UNSEEN, FilledCells, drawn_interval, rests_on_prior
from ordeval.stats.unit_tables import UnitTables

from .simulation import Floats, Tables, covers, each, percent, publish, published, stream, table

MEASURES, DISTANCES = measures(batched=True), measures("quantification")
FEW = [measure(m) for m in ("accuracy", "mae", "rmse", "qwk", "linear_kappa", "cem", "kendall_b",
       "alpha(level='ordinal')", "pearson", "macro_mae", "macro_f1")]  # fmt: skip
CORE = [measure(m) for m in CORE_MEASURES]
RAW = [measure(m) for m in ("mae", "mse", "rmse", "pearson", "cosine", "alpha(level='interval')")]
ITEMS, PAIR_ITEMS, WEIGHTED_ITEMS = (20, 50, 100, 500, 5000), (20, 50, 100, 500), (50, 100, 500)
RARE_ITEMS, RAW_ITEMS = (20, 50, 100, 200, 500), (20, 50, 100, 1000)
TOPICS = 60
GOLD = {
    2: np.array([0.7, 0.3]),
    5: np.array([0.45, 0.25, 0.15, 0.09, 0.06]),
    10: np.array([0.22, 0.18, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02]),
}
RARE = np.array([0.4, 0.3, 0.2, 0.09, 0.01])
MIDDLING, NEARLY_PERFECT, POOR = 1.2, 4.5, 0.25


def answers(k: int, sharpness: float, never: int | None = None) -> Floats:
    """Return the probability [gold, predicted] of an answer, given gold."""
    likely = np.exp(-sharpness * np.abs(np.subtract.outer(np.arange(k), np.arange(k))))
    if never is not None:
        likely[:, never] = 0
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def seldom(k: int, near: float, far: float) -> Floats:
    """Return shares [gold, predicted] with errors of one step, and at the other end of the scale.

    The last gold class has a third of the items of the first.
    """
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    beside, opposite = steps == 1, steps == steps.max(axis=1, keepdims=True)
    errors = near * beside / beside.sum(axis=1, keepdims=True)
    errors = errors + far * opposite / opposite.sum(axis=1, keepdims=True)
    gold = np.linspace(3, 1, k) / np.linspace(3, 1, k).sum()
    return np.asarray(gold[:, None] * ((1 - near - far) * np.eye(k) + errors))


def joint(first: float, second: float, shared: float) -> Floats:
    """Return the probability [gold, first, second]; the second repeats a share of the answers."""
    a, b = answers(5, first), answers(5, second)
    alike, apart = a[:, :, None] * np.eye(5), a[:, :, None] * b[:, None, :]
    return np.asarray(GOLD[5][:, None, None] * (shared * alike + (1 - shared) * apart))


POPULATIONS = {
    "Nearly perfect": GOLD[5][:, None] * answers(5, NEARLY_PERFECT),
    "Middling": GOLD[5][:, None] * answers(5, MIDDLING),
    "Poor": GOLD[5][:, None] * answers(5, POOR),
    "One class at 1 %": RARE[:, None] * answers(5, MIDDLING),
    "One class never predicted": GOLD[5][:, None] * answers(5, MIDDLING, never=3),
    "2 classes, middling": GOLD[2][:, None] * answers(2, MIDDLING),
    "2 classes, nearly perfect": GOLD[2][:, None] * answers(2, NEARLY_PERFECT),
    "10 classes, middling": GOLD[10][:, None] * answers(10, MIDDLING),
    "10 classes, nearly perfect": GOLD[10][:, None] * answers(10, NEARLY_PERFECT),
}
RARE_ERRORS = {
    f"{k} classes, {name}": seldom(k, *shares)
    for k in (2, 5, 7, 11, 21)
    for name, shares in {
        "3 % near errors": (0.03, 0.0),
        "1 % far errors": (0.0, 0.01),
        "3 % far errors": (0.0, 0.03),
        "20 % near and 1 % far errors": (0.2, 0.01),
    }.items()
}
PAIRS = {
    "Two middling systems, half of the answers shared": joint(MIDDLING, MIDDLING, 0.5),
    "Two nearly perfect systems, independent": joint(NEARLY_PERFECT, NEARLY_PERFECT, 0.0),
    "Nearly perfect against middling, independent": joint(NEARLY_PERFECT, MIDDLING, 0.0),
}
WEIGHTS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "constant 10": lambda rng, n: np.full(n, 10.0),
    "1 to 40": lambda rng, n: rng.integers(1, 41, n).astype(float),
    "log-normal": lambda rng, n: rng.lognormal(size=n),
}
WEIGHTED = {
    f"{population}, weights {weights}": (population, weights)
    for population in ("Nearly perfect", "Middling")
    for weights in WEIGHTS
}


class Scored(NamedTuple):
    """Scores of tables under some measures."""

    measures: Sequence[Measure]

    def __call__(self, tables: Floats) -> Floats:
        return score_tables(self.measures, tables, Scale.of(range(1, tables.shape[-1] + 1)))

    def influences(self, tables: Floats) -> Iterator[Floats]:
        """Yield the influence of items under every measure."""
        scale = Scale.of(range(1, tables.shape[-1] + 1))
        flat = tables.reshape(-1, *tables.shape[-2:])
        for m in self.measures:
            yield item_influence(m.on(scale), flat, scale.numbers).reshape(tables.shape)


# One data set each: intervals of every method, and whether results mark them.

Made = tuple[list[Interval], Floats]


def default(weights: Floats, squares: Floats, class_items: Floats, how: Scored, plan: Plan) -> Made:
    """Return the default interval, and which measures are marked."""
    bounds = np.array([m.bounds(len(class_items)) for m in how.measures])
    cells = FilledCells.of(weights[None].astype(float), squares[None].astype(float))
    found, flat = (
        drawn_interval(replace(cells, per_step=step), how, plan, 0.95, bounds)
        if step < 1 or cells.effective < UNSEEN else None
        for step in (0.5, 1.0)
    )  # fmt: skip
    doubt = np.array([bool(m.interval_doubt(class_items)) for m in how.measures])
    return [found], doubt if flat is None else doubt | rests_on_prior(found, flat)


def of_rare(how: Scored, name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items of a population with rare errors."""
    shares = RARE_ERRORS[name]
    counts = rng.multinomial(items, shares.ravel()).reshape(shares.shape)
    return default(counts, counts, counts.sum(axis=1), how, plan)


def of_items(how: Scored, name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items of a population."""
    shares = POPULATIONS[name]
    counts = rng.multinomial(items, shares.ravel()).reshape(shares.shape)
    [found], doubt = default(counts, counts, counts.sum(axis=1), how, plan)
    return [found, table_interval(counts, how, plan, method="percentile")], doubt


def of_pair(how: Scored, name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items that two systems label."""
    counts = rng.multinomial(items, PAIRS[name].ravel())
    gold, *both = np.indices(PAIRS[name].shape).reshape(3, -1)
    tables = UnitTables(gold * 5 + np.stack(both), (1, 5, 5), counts)
    test = max_t_tables(tables, how, plan, influences=how.influences)
    low, high = (end[:, 0, 1] for end in test.intervals())
    class_items = np.bincount(gold, counts)
    doubt = np.array([bool(m.interval_doubt(class_items)) for m in how.measures])
    ends = (test.difference[:, 0, 1], low, high, test.se[:, 0, 1], np.zeros(len(low), int))
    return [Interval(*ends, "t", 0.95, items)], doubt


def of_weighted(how: Scored, name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items with weights."""
    population, weights = WEIGHTED[name]
    shares, weight = POPULATIONS[population], WEIGHTS[weights](rng, items)
    cells = rng.choice(shares.size, size=items, p=shares.ravel())
    sums, squares = (
        np.bincount(cells, weight**power, minlength=shares.size).reshape(shares.shape)
        for power in (1, 2)
    )
    class_items = sums.sum(axis=1) ** 2 / np.maximum(squares.sum(axis=1), 1e-300)
    return default(sums, squares, class_items, how, plan)


def truth(how: Scored, name: str) -> Floats:
    """Return the true scores of a setting, or the true differences."""
    if name in PAIRS:
        first, second = (1e12 * PAIRS[name].sum(axis=axis) for axis in (2, 1))
        return how(first) - how(second)
    populations = POPULATIONS | RARE_ERRORS
    return how(1e12 * populations[WEIGHTED.get(name, (name, ""))[0]])


class Counted(NamedTuple):
    """Numbers [doubtful, method, measure] of data sets: covered, and with an interval."""

    held: Floats
    defined: Floats


def simulate(options: Namespace, case: tuple[Callable[..., Made], Scored, str, int]) -> Counted:
    """Make the data sets of a setting and count the intervals that contain the truth."""
    make, how, name, items = case
    true = raw_truth(name) if name in NUMBERS else truth(how, name)
    rng, held, defined = stream(options.seed, name, items), np.zeros(()), np.zeros(())
    for run in range(options.runs):
        intervals, doubt = make(how, name, items, rng, Plan(options.draws, run))
        by_doubt = np.stack([~doubt, doubt]).astype(float)[:, None]
        held = held + by_doubt * [covers(x.low, x.high, true) for x in intervals]
        defined = defined + by_doubt * [~np.isnan(x.low) for x in intervals]
    return Counted(held, defined)


# Raw numbers: gold and predictions are real, on a scale from the first to the last class.


class Numeric(NamedTuple):
    """A population of mean ratings of five people and of predictions."""

    classes: range
    noise: float  # of predictions, in classes
    blunders: float  # share of the items
    far: float  # how many classes a blunder is off, as far as the scale goes


NUMBERS = {
    "1 to 5, noise of 0.6": Numeric(range(1, 6), 0.6, 0.0, 0),
    "1 to 5, noise of 0.15": Numeric(range(1, 6), 0.15, 0.0, 0),
    "1 to 5, noise of 0.15 and 3 % blunders of three classes": Numeric(range(1, 6), 0.15, 0.03, 3),
    "0 to 10, noise of 0.15 and 1 % blunders of ten classes": Numeric(range(11), 0.15, 0.01, 10),
}


def numbers(name: str, items: int, rng: np.random.Generator, systems: int = 1) -> list[Floats]:
    """Draw gold numbers and those of systems of the same quality."""
    classes, noise, blunders, far = NUMBERS[name]
    low, high, size = classes[0], classes[-1], (len(classes) - 1) / 4
    mean = rng.normal((low + high) / 2, size, items)
    ratings = np.rint(mean[:, None] + rng.normal(0, 0.8 * size, (items, 5)))
    columns = [np.clip(ratings, low, high).mean(axis=1)]
    for _ in range(systems):
        gold = columns[0]
        off = np.where(gold > (low + high) / 2, -far, far)
        blunder = np.clip(gold + off, low, high)
        near = np.clip(gold + rng.normal(0, noise, items), low - 0.5, high + 0.5)
        columns.append(np.where(rng.random(items) < blunders, blunder, near))
    return columns


def raw_truth(name: str) -> Floats:
    """Return the scores of a very large sample of numbers."""
    gold, system = numbers(name, 1_000_000, np.random.default_rng(1))
    return np.array([
        score(gold, system, m, labels=NUMBERS[name].classes, bins="round") for m in RAW
    ])  # fmt: skip


def of_numbers(how: Scored, name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw raw numbers."""
    gold, system = numbers(name, items, rng)
    scale = {"labels": NUMBERS[name].classes, "bins": "round"}
    found = evaluate(
        gold, system, how.measures, draws=plan.replicates, rng=plan.seed, **scale
    ).intervals
    ends = (getattr(found, part)[:, 0] for part in ("low", "low", "high", "se", "undefined"))
    doubt = np.zeros(len(RAW), bool) if found.doubts is None else found.doubts[:, 0] > 0
    return [Interval(*ends, "dirichlet", 0.95, plan.replicates)], doubt


def alike(options: Namespace, items: int) -> Floats:
    """Return the share of two equal systems that are called different at 5 %, [measure]."""
    name, found = next(iter(NUMBERS)), np.zeros(len(RAW))
    rng = stream(options.seed, name, "two", items)
    for run in range(options.runs):
        gold, *both = numbers(name, items, rng, 2)
        scale = {"labels": NUMBERS[name].classes, "bins": "round"}
        systems = dict(zip("ab", both, strict=True))
        result = compare(gold, systems, RAW, draws=0, trials=500, rng=run, **scale)
        found += [result.pair("a", "b", m).p < 0.05 for m in RAW]
    return found / options.runs


def wanted(name: str, items: int) -> tuple[float, float]:
    """Return the least coverage that is wanted, and the most that is called usual."""
    if name in RARE_ERRORS or name in NUMBERS:
        return 0.88, 1.0
    return (0.93, 0.98) if items >= 100 else (0.88 if items < 50 else 0.91, 1.0)


def cell(found: Counted, least: float, most: float, i: int) -> str:
    """Return the coverage of all methods for measure i, with the marks that the page explains."""
    held, defined = found.held[..., i], found.defined[..., i]
    sure, whole = defined[0, 0], defined[:, 0].sum()
    with np.errstate(invalid="ignore"):
        shares = [percent(x) for x in held.sum(axis=0) / defined.sum(axis=0)]
    error = 2 * np.sqrt(0.95 * 0.05 / max(sure, 1))  # what chance alone would give
    if 0.5 * whole <= sure < 0.95 * whole:
        shares[0] = f"{percent(held[0, 0] / sure)} †{percent(1 - sure / whole, 0)}"
    if sure >= 0.25 * whole:
        without = held[0, 0] / sure
        if without < least - error:
            shares[0] = f"**{shares[0]}**"
        elif without > most + error:
            shares[0] += "⁺"
    if sure < 0.5 * whole:
        shares[0] = f"({shares[0]})"
    return " · ".join(shares)


def topics(options: Namespace, _: object) -> Floats:
    """Return the coverage [method, measure] of means over topics of quantification."""
    rng = stream(options.seed, "topics")

    def scores(size: int) -> Floats:
        shares = rng.dirichlet(8 * GOLD[5], size=size)
        gold = rng.multinomial(40, shares) / 40
        noisy = 0.8 * shares + 0.2 * rng.dirichlet(np.ones(5), size=size)
        return np.stack([m.of(gold, noisy) for m in DISTANCES])

    true, held = np.nanmean(scores(400_000), axis=1), np.zeros((2, len(DISTANCES)))
    for run in range(options.runs):
        drawn, plan = scores(TOPICS), Plan(options.draws, run)
        for row, how in zip(held, ({}, {"plan": plan, "method": "percentile"}), strict=True):
            found = mean_interval(drawn, undefined="skip", **how)
            row += covers(found.low, found.high, true)
    return held / options.runs


def settings(
    make: Callable[..., Made],
    names: Sequence[str],
    numbers: Sequence[int],
    options: Namespace,
    rows: Sequence[Measure] = MEASURES,
) -> Tables:
    """Yield a table with a row per measure and a column per number of items for each setting."""
    for name in (name for name in names if options.only in name):
        cases = [(make, Scored(rows), name, n) for n in numbers]
        found = list(each(simulate, cases, options))
        columns = ["measure", *(f"N = {n:,}" for n in numbers)]
        limits = [wanted(name, n) for n in numbers]
        yield name, table(columns, (
            [m.specification, *(cell(x, *usual, i) for x, usual in zip(found, limits, strict=True))]
            for i, m in enumerate(rows)
        ))  # fmt: skip


def lowest(names: Iterable[str]) -> str:
    """Return the lowest coverage by setting and number of items, from the tables of the page.

    Cells in parentheses, which results mark, are left out; each method has its own lowest.
    """
    rows = []
    for name in names:
        heads, *lines = published("coverage.md", name)
        columns = zip(*(line[1:] for line in lines), strict=True)
        rows.append([name, *(_least(cells) for cells in columns)])
    return table(["population", *heads[1:]], rows)


def _least(cells: Sequence[str]) -> str:
    """Return the lowest coverage of every method among the unmarked cells of a column."""
    unmarked = [c.strip("*").split(" · ") for c in cells if not c.startswith(("(", "–"))]
    methods = zip(*unmarked, strict=True)
    least = (min(float(re.split(r"[ ⁺*]", share)[0]) for share in shares) for shares in methods)
    return " · ".join(f"{share:.1f}" for share in least) or "all marked"


def tables(options: Namespace) -> Tables:
    """Yield all tables."""
    yield from settings(of_items, list(POPULATIONS), ITEMS, options)
    yield from settings(of_rare, list(RARE_ERRORS), RARE_ITEMS, options, FEW)
    yield from settings(of_pair, list(PAIRS), PAIR_ITEMS, options, CORE)
    yield from settings(of_weighted, list(WEIGHTED), WEIGHTED_ITEMS, options)
    yield from settings(of_numbers, list(NUMBERS), RAW_ITEMS, options, RAW)
    if options.only in "two equal systems":
        found = np.transpose(list(each(alike, RAW_ITEMS[::2], options)))
        rows = ([m.specification, *map(percent, s)] for m, s in zip(RAW, found, strict=True))
        yield "two equal systems", table(["measure", *(f"N = {n}" for n in RAW_ITEMS[::2])], rows)
    if options.only in "quantification":
        [shares] = each(topics, [None], options)
        rows = ([m.specification, *map(percent, shares[:, i])] for i, m in enumerate(DISTANCES))
        yield "quantification", table(["measure", "t", "percentile"], rows)
    for names in (POPULATIONS, RARE_ERRORS, PAIRS, WEIGHTED, NUMBERS):
        title = f"lowest, {next(iter(names))}"
        if options.only in title:
            yield title, lowest(names)


if __name__ == "__main__":
    publish(__doc__, "coverage.md", tables, runs=1000, draws=600)
