"""Coverage of 95 % intervals over items, for every measure: `python -m benchmarks.coverage`.

Items are drawn from known populations; the true score is that of the population's table, as the
limit of ever more items. Every simulated data set gets the default interval (Dirichlet draws) and
bootstrap percentiles. Differences of two systems, weighted items, and means over topics of
quantification follow. About an hour of one core with the default numbers.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ordeval import Scale, measures
from ordeval.measures.batches import score_tables
from ordeval.stats import (
    Interval,
    Plan,
    mean_interval,
    table_interval,
)

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

MEASURES, DISTANCES = measures(batched=True), measures("quantification")
ITEMS, PAIR_ITEMS, WEIGHTED_ITEMS = (20, 50, 100, 500, 5000), (20, 50, 100, 500), (50, 100, 500)
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


def score(tables: Floats) -> Floats:
    """Score tables under every batched measure."""
    return score_tables(MEASURES, tables, Scale.of(range(1, tables.shape[-1] + 1)))


def bounds(k: int) -> Floats:
    """Return the range of every batched measure."""
    return np.array([m.bounds(k) for m in MEASURES])


# One data set each: intervals of every method, and the numbers of items by gold class.

Made = tuple[list[Interval], Floats]


def of_items(name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items of a population."""
    shares = POPULATIONS[name]
    counts = rng.multinomial(items, shares.ravel()).reshape(shares.shape).astype(float)
    default = table_interval(counts, score, plan, bounds=bounds(len(shares)))
    return [default, table_interval(counts, score, plan, method="percentile")], counts.sum(axis=1)


def of_pair(name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items that two systems label."""
    counts = rng.multinomial(items, PAIRS[name].ravel()).reshape(PAIRS[name].shape)
    return [table_interval(counts, score, plan, joint=True, bounds=bounds(5))], counts.sum(
        axis=(1, 2)
    )


def of_weighted(name: str, items: int, rng: np.random.Generator, plan: Plan) -> Made:
    """Draw items with weights."""
    population, weights = WEIGHTED[name]
    shares, weight = POPULATIONS[population], WEIGHTS[weights](rng, items)
    cells = rng.choice(shares.size, size=items, p=shares.ravel())
    sums, squares = (
        np.bincount(cells, weight**power, minlength=shares.size).reshape(shares.shape)
        for power in (1, 2)
    )
    found = table_interval(sums, score, plan, squares=squares, bounds=bounds(5))
    return [found], sums.sum(axis=1) ** 2 / np.maximum(squares.sum(axis=1), 1e-300)


def truth(name: str) -> Floats:
    """Return the true scores of a setting, or the true differences."""
    if name in PAIRS:
        first, second = (1e12 * PAIRS[name].sum(axis=axis) for axis in (2, 1))
        return score(first) - score(second)
    return score(1e12 * POPULATIONS[WEIGHTED.get(name, (name, ""))[0]])


class Counted(NamedTuple):
    """Numbers [doubtful, method, measure] of data sets: covered, and with an interval."""

    held: Floats
    defined: Floats


def simulate(options: Namespace, case: tuple[Callable[..., Made], str, int]) -> Counted:
    """Make the data sets of a setting and count the intervals that contain the truth."""
    make, name, items = case
    true, rng = truth(name), stream(options.seed, name, items)
    held = defined = np.zeros(())
    for run in range(options.runs):
        intervals, class_items = make(name, items, rng, Plan(options.draws, run))
        doubt = np.array([bool(m.interval_doubt(class_items)) for m in MEASURES], float)
        by_doubt = np.stack([1 - doubt, doubt])[:, None]
        held = held + by_doubt * [covers(x.low, x.high, true) for x in intervals]
        defined = defined + by_doubt * [~np.isnan(x.low) for x in intervals]
    return Counted(held, defined)


def cell(found: Counted, items: int, i: int) -> str:
    """Return the coverage of all methods for measure i, with the marks that the page explains."""
    shares = [percent(x) for x in ratio(found.held, found.defined, i)]
    sure = found.defined[0, 0, i]
    least, most = (0.93, 0.98) if items >= 100 else (0.88 if items < 50 else 0.91, 1.0)
    error = 2 * np.sqrt(0.95 * 0.05 / max(sure, 1))  # what chance alone would give
    if sure >= 0.1 * found.defined[:, 0, i].sum():
        without = found.held[0, 0, i] / sure
        if without < least - error:
            shares[0] = f"**{shares[0]}**"
        elif without > most + error:
            shares[0] += "⁺"
    if sure < 0.5 * found.defined[:, 0, i].sum():
        shares[0] = f"({shares[0]})"
    return " · ".join(shares)


def ratio(held: Floats, defined: Floats, i: int) -> Floats:
    """Return the shares [method] of measure i, whether its interval is doubtful or not."""
    whole = defined.sum(axis=0)[:, i]
    return np.asarray(held.sum(axis=0)[:, i] / np.where(whole > 0, whole, np.nan))


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
    make: Callable[..., Made], names: Sequence[str], numbers: Sequence[int], options: Namespace
) -> Tables:
    """Yield a table with a row per measure and a column per number of items for each setting."""
    for name in names:
        found = list(each(simulate, [(make, name, n) for n in numbers], options))
        columns = ["measure", *(f"N = {n:,}" for n in numbers)]
        yield name, table(columns, (
            [m, *(cell(x, n, i) for x, n in zip(found, numbers, strict=True))]
            for i, m in enumerate(MEASURES)
        ))  # fmt: skip


def tables(options: Namespace) -> Tables:
    """Yield all tables."""
    yield from settings(of_items, list(POPULATIONS), ITEMS, options)
    yield from settings(of_pair, list(PAIRS), PAIR_ITEMS, options)
    yield from settings(of_weighted, list(WEIGHTED), WEIGHTED_ITEMS, options)
    [shares] = each(topics, [None], options)
    rows = ([m, *map(percent, shares[:, i])] for i, m in enumerate(DISTANCES))
    yield "quantification", table(["measure", "t", "percentile"], rows)


if __name__ == "__main__":
    publish(__doc__, "coverage.md", tables, runs=1000, draws=600)
