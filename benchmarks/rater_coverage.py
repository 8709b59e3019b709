"""Coverage of 95 % intervals of agreement: `python -m benchmarks.rater_coverage`.

Every item has a latent class, and every rater gives a class near it, with an own severity and an
own carefulness. The true coefficient is that of very many items with the same raters. Over items
and raters, every run draws its raters anew, and the truth is the mean over many panels of raters.
Over clusters, five items at a time have the same latent class and the same slips but one in four.
"""

from argparse import Namespace
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ordeval as oe
from ordeval.measures.raters import NEEDS_ALL
from ordeval.measures.spec import parse_measures
from ordeval.results import Estimate

from .simulation import (
    Floats,
    Tables,
    covers,
    each,
    mean_and_least,
    percent,
    publish,
    stream,
    table,
)

Codes = NDArray[np.float64]  # classes 1 to K, NaN for a gap
ITEMS, RATERS, PANEL, CLUSTER = (10, 20, 50, 200), (2, 3, 5, 10), 3, 5
EVEN, RARE = np.full(5, 0.2), np.array([0.55, 0.35, 0.07, 0.02, 0.01])
MANY = 400_000  # items whose coefficient is the truth
# The coefficients of the tables of means; the last four need complete ratings.
AVERAGED = parse_measures(
    "krippendorff(ordinal), krippendorff(nominal), fleiss(identity), conger(quadratic), ac1, "
    "ac2(linear), brennan_prediger(linear), observed_agreement(identity), icc(2, 1), icc(3, k), "
    "ccc, kendall_w"
)


class Population(NamedTuple):
    """Where ratings come from.

    `slips` is the probability that a rater moves away from the latent class, a class at a time;
    `gaps` that of a missing rating; `hard` the share of items about which all raters slip often,
    and hardly about any other. `shift` is how much lower the last rater is on a scale to 100.
    """

    name: str
    shares: Floats = EVEN
    slips: float = 0.45
    gaps: float = 0.0
    hard: float = 0.0
    shift: int | None = None

    @property
    def measures(self) -> list[oe.Measure]:
        """The coefficients that are simulated."""
        if self.shift is not None:
            return [oe.measure("krippendorff(interval)"), oe.measure("icc(2, 1)")]
        return [m for m in oe.measures("raters") if not (self.gaps and m.id in NEEDS_ALL)]

    @property
    def labels(self) -> list[int]:
        """The classes."""
        return list(range(1, 6)) if self.shift is None else list(range(101))


POPULATIONS = (
    Population("middling"),
    Population("middling, a third missing", gaps=0.33),
    Population("nearly perfect", slips=0.02),
    Population("rare classes", RARE, 0.25),
    Population("poor", slips=0.85),
    Population("few hard items", slips=0.85, hard=0.07),
)
LONG = (Population("raters alike", shift=0), Population("one rater 40 lower", shift=40))


class Panel(NamedTuple):
    """Raters: how often they slip, and which way."""

    slips: Floats
    upwards: Floats

    @classmethod
    def drawn(cls, rng: np.random.Generator, p: Population, raters: int) -> "Panel":
        """Draw raters."""
        upwards = np.clip(0.5 + 0.3 * rng.standard_normal(raters), 0.05, 0.95)
        return cls(np.clip(p.slips * rng.uniform(0.6, 1.4, raters), 0, 0.95), upwards)


def ratings(rng: np.random.Generator, p: Population, panel: Panel, items: int) -> Codes:
    """Draw ratings [item, rater]; an item that nobody rated gets one rating."""
    shape = items, len(panel.slips)
    if p.shift is not None:
        codes = rng.integers(50, 91, items)[:, None] + rng.integers(-4, 5, shape)
        codes[:, -1] -= p.shift
        return codes.astype(float)
    codes = rng.choice(5, size=items, p=p.shares)[:, None] + np.zeros(shape, int)
    slips = np.broadcast_to(panel.slips, shape)
    if p.hard:
        slips = np.where(rng.random(items)[:, None] < p.hard, slips, 0.005)
    for step in range(2):
        moves = rng.random(shape) < slips * 0.4**step
        codes = codes + np.where(moves, np.where(rng.random(shape) < panel.upwards, 1, -1), 0)
    gaps = rng.random(shape) < p.gaps
    gaps[np.arange(items), rng.integers(shape[1], size=items)] = False
    return np.where(gaps, np.nan, 1.0 + np.clip(codes, 0, 4))


def clustered(rng: np.random.Generator, p: Population, panel: Panel, items: int) -> Codes:
    """Draw clusters of items: three of four ratings repeat those of the first item."""
    own = np.repeat(ratings(rng, p, panel, items // CLUSTER), CLUSTER, axis=0)
    moved = np.clip(own + rng.choice([-1, 1], size=own.shape), 1, 5)
    return np.where(rng.random(own.shape) < 0.25, moved, own)


class Case(NamedTuple):
    """A population, the size of the data, and what intervals are over."""

    population: Population
    raters: int
    items: int
    over: tuple[str, ...] = ("items",)


def figures(p: Population, codes: Codes, **options: Any) -> list[Estimate]:
    """Return the coefficients; on a long scale also the figures of the last rater."""
    names = [f"r{j}" for j in range(codes.shape[1])]
    found = oe.agreement(
        dict(zip(names, codes.T, strict=True)),
        measures=p.measures,
        labels=p.labels,
        pair_measures="accuracy",
        **options,
    )
    last = found.rater(names[-1])
    own = [] if p.shift is None else [last.severity, last.consistency]
    return [*found.coefficients.values(), *own]


def covered(options: Namespace, case: Case) -> dict[str, Floats]:
    """Return the share [coefficient] of runs whose interval holds the truth, by what it is over."""
    p, rng = case.population, stream(options.seed, case.population.name, *case[1:])
    draw = clustered if "clusters" in case.over else ratings
    panels = [Panel.drawn(rng, p, case.raters) for _ in range(400 if "both" in case.over else 1)]
    wholes = (draw(rng, p, panel, MANY // len(panels)) for panel in panels)
    truth = np.mean([[e.value for e in figures(p, x, draws=0)] for x in wholes], axis=0)
    groups = {"cluster": np.arange(case.items) // CLUSTER} if "clusters" in case.over else {}
    held = {over: np.zeros(len(truth)) for over in case.over}
    known = {over: np.zeros(len(truth)) for over in case.over}
    for run in range(options.runs):
        panel = Panel.drawn(rng, p, case.raters) if "both" in case.over else panels[0]
        codes = draw(rng, p, panel, case.items)
        for over in case.over:
            how = {"over": over, "draws": options.draws, "rng": run, **groups}
            ends = np.array([(e.low, e.high) for e in figures(p, codes, **how)])
            held[over] += covers(ends[:, 0], ends[:, 1], truth)
            known[over] += ~np.isnan(ends[:, 0])
    return {over: held[over] / np.maximum(known[over], 1) for over in case.over}


def summary(
    raters: Sequence[int], items: Sequence[int], over: tuple[str, ...], options: Namespace
) -> str:
    """Return a table of means over some coefficients, one row per population and raters."""
    panels = [(p, number) for p in POPULATIONS for number in raters]
    found = each(covered, [Case(*panel, n, over) for panel in panels for n in items], options)
    rows = []
    for population, number in panels:
        chosen = [i for i, m in enumerate(population.measures) if m in AVERAGED]
        shares = [mean_and_least(x[chosen], 0) for _ in items for x in next(found).values()]
        rows.append([population.name, number, *shares])
    heads = (f"{n} items" + f", over {x}" * (len(over) > 1) for n in items for x in over)
    return table(["population", "raters", *heads], rows)


def tables(options: Namespace) -> Tables:
    """Yield all tables."""
    yield "items", summary(RATERS, ITEMS, ("items",), options)
    yield "raters", summary((3, 5, 10), (50,), ("items", "both"), options)
    yield "clusters", summary((3,), (50, 200), ("items", "clusters"), options)
    long = [Case(p, 3, items) for p in LONG for items in (20, 100)]
    columns = ["population", "raters", "items", "α interval", "ICC(2,1)", "severity", "consistency"]
    yield "long", table(columns, (
        [c.population.name, c.raters, c.items, *(percent(x, 0) for x in found["items"])]
        for c, found in zip(long, each(covered, long, options), strict=True)
    ))  # fmt: skip
    for p in POPULATIONS:
        found = [x["items"] for x in each(covered, [Case(p, PANEL, n) for n in ITEMS], options)]
        rows = ([m, *(percent(x[i], 0) for x in found)] for i, m in enumerate(p.measures))
        yield p.name, table(["coefficient", *(f"{n} items" for n in ITEMS)], rows)


if __name__ == "__main__":
    publish(__doc__, "rater-coverage.md", tables, runs=500, draws=500)
