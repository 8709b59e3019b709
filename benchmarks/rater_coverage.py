"""Measure how often 95 % intervals of agreement contain the true coefficient.

    python benchmarks/rater_coverage.py [--runs 500] [--draws 500] [--seed 0] [--processes 1]
        [--coefficients] [--out docs/rater-coverage.md]

Every item has a latent class, and every rater gives a class near it, with an own severity and an
own carefulness. The true coefficient is that of 400,000 items with the same raters. Three intervals
are compared: that of `agreement`, the t interval of linearised standard errors, which other
programs give, and the percentile interval of a bootstrap of items. Over items and raters, every run
draws its raters anew, and the truth is the mean over many panels of raters. Over clusters, five
items at a time have the same latent class and the same slips but one in four.
"""
# With --coefficients only the tables of single coefficients are made; --out then replaces these.

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from ordeval import measures
from ordeval.data.scale import Scale
from ordeval.evaluation.agreement import agreement_of
from ordeval.measures.raters import NEEDS_ALL, RaterSums
from ordeval.measures.spec import Measure, parse_measures
from ordeval.ratings import GAP, Ratings
from ordeval.results import Estimate
from ordeval.stats.panels import Panel, draws_interval, linear_errors
from ordeval.stats.resample import Plan
from ordeval.types import Codes, Floats

CHOSEN = parse_measures(
    "krippendorff(ordinal), krippendorff(nominal), fleiss(identity), conger(quadratic), ac1, "
    "ac2(linear), brennan_prediger(linear), observed_agreement(identity)"
)
COMPLETE = parse_measures("icc(2, 1), icc(3, k), ccc, kendall_w")
ITEMS = (10, 20, 50, 200)
RATERS = (2, 3, 5, 10)
SCALE = Scale.of([1, 2, 3, 4, 5])
EVEN = np.array([0.2, 0.2, 0.2, 0.2, 0.2])
CLUSTER = 5
LONG = ("α interval", "ICC(2,1)", "severity", "consistency")
MANY = 400_000  # items whose coefficient is the truth
TABLES = (
    ("items", "Over items", "default | linearised t | bootstrap"),
    ("both", "Over items and raters", "over items | over both"),
    ("clusters", "Over clusters of five items", "over items | over clusters"),
    ("long", "A scale from 0 to 100", " | ".join(LONG)),
)
BY_COEFFICIENT = "## By coefficient: "
PANEL = 3  # raters of the tables of single coefficients
RARE = np.array([0.55, 0.35, 0.07, 0.02, 0.01])


class Population(NamedTuple):
    """Where ratings come from.

    `slips` is the probability that a rater moves away from the latent class, a class at a time;
    `gaps` that of a missing rating; `severity` the spread of raters' tendency to move upwards;
    `hard` the share of items about which all raters slip often, and hardly about any other.
    """

    name: str
    shares: Floats
    slips: float
    gaps: float = 0.0
    severity: float = 0.3
    hard: float = 0.0


POPULATIONS = (
    Population("middling", EVEN, 0.45),
    Population("middling, a third missing", EVEN, 0.45, gaps=0.33),
    Population("nearly perfect", EVEN, 0.02),
    Population("rare classes", RARE, 0.25),
    Population("poor", EVEN, 0.85),
    Population("few hard items", EVEN, 0.85, hard=0.07),
)


class Panelists(NamedTuple):
    """Raters: how often they slip, and which way."""

    slips: Floats
    upwards: Floats

    @classmethod
    def of(cls, rng: np.random.Generator, p: Population, raters: int) -> "Panelists":
        spread = rng.uniform(0.6, 1.4, raters)
        upwards = np.clip(0.5 + p.severity * rng.standard_normal(raters), 0.05, 0.95)
        return cls(np.clip(p.slips * spread, 0, 0.95), upwards)


def drawn(rng: np.random.Generator, p: Population, raters: Panelists, items: int) -> Codes:
    """Draw ratings [item, rater]; an item that nobody rated gets one rating."""
    k, shape = len(p.shares), (items, len(raters.slips))
    codes = rng.choice(k, size=items, p=p.shares)[:, None] + np.zeros(shape, int)
    slips = np.broadcast_to(raters.slips, shape)
    if p.hard:
        slips = np.where(rng.random(items)[:, None] < p.hard, slips, 0.005)
    for step in range(2):
        moves = rng.random(shape) < slips * 0.4**step
        codes = codes + np.where(moves, np.where(rng.random(shape) < raters.upwards, 1, -1), 0)
    codes = np.clip(codes, 0, k - 1)
    gaps = rng.random(shape) < p.gaps
    gaps[np.arange(items), rng.integers(shape[1], size=items)] = False
    return np.where(gaps, GAP, codes)


Drawer = Callable[[np.random.Generator, Population, Panelists, int], Codes]


def figures(chosen: list[Measure]) -> Callable[[RaterSums], Floats]:
    """Return the function that computes coefficients [M, B]."""
    return lambda sums: np.stack([np.asarray(m.kernel(sums, SCALE.numbers)) for m in chosen])


def panel_of(codes: Codes, *, tables: bool) -> Panel:
    names = tuple(f"r{j}" for j in range(codes.shape[1]))
    return Panel.of(Ratings(codes, names, SCALE), tables=tables)


def measures_of(p: Population) -> list[Measure]:
    return [*CHOSEN, *(() if p.gaps else COMPLETE)]


def intervals(panel: Panel, chosen: list[Measure], draws: int, seed: int) -> dict[str, Floats]:
    """Return the ends [2, M] of every kind of interval."""
    of = figures(chosen)
    bounds = np.array([m.bounds(SCALE) for m in chosen])
    found = draws_interval(panel, of, bounds, Plan(draws, seed), 0.95)
    with np.errstate(all="ignore"):
        half = stdtrit(max(panel.effective - 1, 1), 0.975) * linear_errors(panel, of)
        rng = np.random.default_rng(seed)
        n = int(panel.items.sum())
        weights = rng.multinomial(n, panel.items / n, size=draws).astype(float)
        ends = np.nanquantile(of(panel.shaped(panel.weighted(weights))), [0.025, 0.975], axis=1)
    return {
        "default": np.stack([found.low, found.high]),
        "linearised t": np.stack([found.estimate - half, found.estimate + half]),
        "bootstrap": ends,
    }


def covered(
    p: Population, raters: int, items: int, runs: int, draws: int, seed: int
) -> dict[str, Floats]:
    """Return the share [M] of runs whose interval holds the truth, by kind of interval."""
    chosen, total = measures_of(p), {}
    rng = np.random.default_rng([seed, raters, items, len(p.name)])
    panelists = Panelists.of(rng, p, raters)
    whole = panel_of(drawn(rng, p, panelists, MANY), tables=not p.gaps)
    truth = figures(chosen)(whole.total)[:, 0]
    defined = np.zeros(len(chosen))
    for run in range(runs):
        panel = panel_of(drawn(rng, p, panelists, items), tables=not p.gaps)
        known = ~np.isnan(figures(chosen)(panel.total)[:, 0])
        defined += known
        for kind, (low, high) in intervals(panel, chosen, draws, seed + run).items():
            inside = (low - 1e-12 <= truth) & (truth <= high + 1e-12) & known
            total[kind] = total.get(kind, 0.0) + inside
    return {kind: 100 * x / np.maximum(defined, 1) for kind, x in total.items()}


def covered_by_coefficient(
    p: Population, items: int, runs: int, draws: int, seed: int
) -> dict[str, float]:
    """Return the share of runs whose default interval holds the truth, by coefficient."""
    chosen = [m for m in measures("raters") if not (p.gaps and m.id in NEEDS_ALL)]
    of, bounds = figures(chosen), np.array([m.bounds(SCALE) for m in chosen])
    rng = np.random.default_rng([seed, PANEL, items, len(p.name)])
    panelists = Panelists.of(rng, p, PANEL)
    truth = of(panel_of(drawn(rng, p, panelists, MANY), tables=not p.gaps).total())[:, 0]
    inside, defined = np.zeros((2, len(chosen)))
    for run in range(runs):
        panel = panel_of(drawn(rng, p, panelists, items), tables=not p.gaps)
        known = ~np.isnan(of(panel.total())[:, 0])
        found = draws_interval(panel, of, bounds, Plan(draws, seed + run), 0.95)
        held = (found.low - 1e-12 <= truth) & (truth <= found.high + 1e-12)
        inside, defined = inside + (held & known), defined + known
    shares = 100 * inside / np.maximum(defined, 1)
    return dict(zip(map(str, chosen), map(float, shares), strict=True))


def in_clusters(rng: np.random.Generator, p: Population, raters: Panelists, items: int) -> Codes:
    """Draw clusters of `CLUSTER` items: three of four ratings repeat those of the first item."""
    first = np.repeat(drawn(rng, p, raters, items // CLUSTER), CLUSTER, axis=0)
    own = np.repeat(first[::CLUSTER], CLUSTER, axis=0)
    moved = np.clip(own + rng.choice([-1, 1], size=own.shape), 0, len(p.shares) - 1)
    return np.where((rng.random(own.shape) < 0.25) & (own != GAP), moved, own)


def truth_of(
    p: Population, draw: Drawer, panels: list[Panelists], rng: np.random.Generator
) -> Floats:
    """Return the mean of each coefficient over panels of raters that rate many items."""
    of, many = figures(measures_of(p)), MANY // len(panels)
    codes = (draw(rng, p, panelists, many) for panelists in panels)
    return np.mean([of(panel_of(c, tables=not p.gaps).total)[:, 0] for c in codes], axis=0)


def covered_units(
    p: Population, raters: int, items: int, runs: int, draws: int, seed: int, unit: str
) -> dict[str, Floats]:
    """Return the share [M] of runs whose interval over items, and over `unit`, holds the truth."""
    draw = in_clusters if unit == "clusters" else drawn
    rng = np.random.default_rng([seed, raters, items, len(p.name), len(unit)])
    others = [Panelists.of(rng, p, raters) for _ in range(400 if unit == "both" else 1)]
    truth, total = truth_of(p, draw, others, rng), {}
    names = tuple(f"r{j}" for j in range(raters))
    groups = np.arange(items) // CLUSTER if unit == "clusters" else None
    for run in range(runs):
        panelists = Panelists.of(rng, p, raters) if unit == "both" else others[0]
        ratings = Ratings(
            draw(rng, p, panelists, items), names, SCALE, cluster_codes=groups,
            clusters=0 if groups is None else items // CLUSTER,
        )  # fmt: skip
        for over in ("items", unit):
            result = agreement_of(
                ratings, measures=measures_of(p), pair_measures="accuracy", bootstrap=draws,
                over=over, rng=seed + run,
            )  # fmt: skip
            ends = np.array([(e.low, e.high) for e in result.coefficients.values()]).T
            inside = (ends[0] <= truth) & (truth <= ends[1])
            total[over] = total.get(over, 0.0) + inside
    return {over: 100 * x / runs for over, x in total.items()}


def covered_long(
    p: Population, raters: int, items: int, runs: int, draws: int, seed: int
) -> dict[str, Floats]:
    """Return the same on a scale from 0 to 100: of coefficients, and of the last rater's figures.

    Raters are up to four classes away from the latent class, and the last one `severity` lower.
    """
    rng = np.random.default_rng([seed, raters, items, 101])
    names = tuple(f"r{j}" for j in range(raters))

    def ratings(number: int) -> Ratings:
        latent = rng.integers(50, 91, number)
        codes = latent[:, None] + rng.integers(-4, 5, (number, raters))
        codes[:, -1] -= int(p.severity)
        return Ratings(codes, names, Scale.of(list(range(101))))

    def found(given: Ratings, draws: int) -> list[Estimate]:
        made = agreement_of(
            given, measures="krippendorff(interval), icc(2, 1)", pair_measures="accuracy",
            bootstrap=draws, rng=seed,
        )  # fmt: skip
        last = made.rater(names[-1])
        return [*made.coefficients.values(), last.severity, last.consistency]

    truth = [e.value for e in found(ratings(MANY // 4), 0)]
    pairs = [zip(found(ratings(items), draws), truth, strict=True) for _ in range(runs)]
    inside = np.array([[e.low <= t <= e.high for e, t in pair] for pair in pairs])
    return {name: 100 * inside[:, [i]].mean(axis=0) for i, name in enumerate(LONG)}


def cells(runs: int, draws: int, seed: int) -> Iterator[tuple[str, Callable, tuple]]:
    """Yield the table, the simulation and its arguments for each row."""
    for p in POPULATIONS:
        for raters in RATERS:
            for items in ITEMS:
                yield "items", covered, (p, raters, items, runs, draws, seed)
    for p in POPULATIONS:
        for raters in (3, 5, 10):
            yield "both", covered_units, (p, raters, 50, runs // 2, draws, seed, "both")
    for p in POPULATIONS:
        for clusters in (10, 40):
            args = (p, 3, clusters * CLUSTER, runs // 2, draws, seed, "clusters")
            yield "clusters", covered_units, args
    for shift in (0, 40):
        p = Population(
            f"one rater {shift} lower" if shift else "raters alike", EVEN, 0, severity=shift
        )
        for items in (20, 100):
            yield "long", covered_long, (p, 3, items, runs // 2, draws, seed)


def rows(runs: int, draws: int, seed: int, processes: int) -> dict[str, list[str]]:
    """Return the rows of the tables, printed as they come."""
    todo, found = list(cells(runs, draws, seed)), {}
    with ProcessPoolExecutor(processes) as pool:
        jobs = [pool.submit(simulate, *args) for _, simulate, args in todo]
        for (table, _, (p, raters, items, *_)), job in zip(todo, jobs, strict=True):
            shown = [
                f"{x.mean():.0f} ({x.min():.0f})" if len(x) > 1 else f"{x[0]:.0f}"
                for x in job.result().values()
            ]
            row = f"| {p.name} | {raters} | {items} | {' | '.join(shown)} |"
            print(table, row, flush=True)
            found.setdefault(table, []).append(row)
    return found


def by_coefficient(args: argparse.Namespace) -> Iterator[str]:
    """Yield a table of all coefficients for every population."""
    settings = args.runs, args.draws, args.seed
    with ProcessPoolExecutor(args.processes) as pool:
        jobs = [
            [pool.submit(covered_by_coefficient, p, items, *settings) for items in ITEMS]
            for p in POPULATIONS
        ]
        for p, cells_of_p in zip(POPULATIONS, jobs, strict=True):
            found = [job.result() for job in cells_of_p]
            yield f"{BY_COEFFICIENT}{p.name}\n"
            yield (
                f"Default intervals of {args.runs} data sets, {PANEL} raters "
                f"(`--coefficients --runs {args.runs} --draws {args.draws} --seed {args.seed}`).\n"
            )
            heads = " | ".join(f"{items} items" for items in ITEMS)
            lines = [
                f"| {m} | {' | '.join(f'{shares[m]:.0f}' for shares in found)} |" for m in found[0]
            ]
            yield (
                f"| coefficient | {heads} |\n|---|{'---:|' * len(ITEMS)}\n"
                + "\n".join(lines)
                + "\n"
            )


def page(args: argparse.Namespace) -> Iterator[str]:
    yield "# Intervals of agreement\n"
    yield (__doc__ or "").split("\n\n", 2)[2].strip() + "\n"
    names = ", ".join(map(str, CHOSEN))
    more = ", ".join(map(str, COMPLETE))
    yield (
        f"Share of {args.runs} simulated data sets, in per cent, whose 95 % interval covers the "
        f"truth: the mean over {names}, and without gaps {more}; the lowest of them in "
        "parentheses. Half as many data sets in the other tables. Data sets "
        "of which a coefficient is undefined are left out.\n"
    )
    yield (
        f"`python benchmarks/rater_coverage.py --runs {args.runs} --draws {args.draws} --seed "
        f"{args.seed}`\n"
    )
    found = rows(args.runs, args.draws, args.seed, args.processes)
    for table, title, columns in TABLES:
        yield f"## {title}\n"
        line = "---|" * (4 + columns.count("|"))
        yield f"| population | raters | items | {columns} |\n|{line}"
        yield "\n".join(found[table]) + "\n"
    yield from by_coefficient(args)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--draws", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--coefficients", action="store_true")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    if args.coefficients:
        old = args.out.read_text(encoding="utf-8") if args.out is not None else ""
        text = old.partition(BY_COEFFICIENT)[0] + "\n".join(by_coefficient(args))
    else:
        text = "\n".join(page(args))
    if args.out is None:
        print(text)
    else:
        args.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
