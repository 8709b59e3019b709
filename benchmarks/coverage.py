"""Measure how often 95 % intervals contain the true score, for every measure.

    python benchmarks/coverage.py [--processes 2] [--runs 1000] [--draws 600] [--seed 0]
        [--measures NAMES] [--out docs/coverage.md]

Items are drawn from known populations; the true score is that of the population's table, as the
limit of ever more items. Every simulated data set gets the default interval (Dirichlet draws), and
percentile and BCa intervals of a bootstrap. Differences of two systems, weighted items, and means
over instances of quantification follow. The page that is written describes all of this. About 90
minutes of one core with the default numbers of runs and draws; needs NumPy, SciPy and
array-api-compat. With --measures, only these are simulated, and their rows put in their places in
the page that is there: a measure has the same draws whatever else is simulated.
"""

import argparse
import multiprocessing
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ordeval.data.scale import Scale
from ordeval.measures.scoring import score_tables
from ordeval.measures.spec import Measure, measures, parse_measures
from ordeval.stats.dirichlet import dirichlet_difference, dirichlet_interval
from ordeval.stats.intervals import (
    Interval,
    mean_interval,
    percentile,
)
from ordeval.stats.resample import Plan, Statistic, bootstrap
from ordeval.types import Floats

CHOSEN = measures(batched=True)
ITEMS = (20, 50, 100, 500, 5000)
INSTANCES = 60
GOLD = {
    2: np.array([0.7, 0.3]),
    5: np.array([0.45, 0.25, 0.15, 0.09, 0.06]),
    10: np.array([0.22, 0.18, 0.15, 0.12, 0.1, 0.08, 0.06, 0.04, 0.03, 0.02]),
}
RARE = np.array([0.4, 0.3, 0.2, 0.09, 0.01])
MIDDLING, NEARLY_PERFECT, POOR = 1.2, 4.5, 0.25


def answers(k: int, sharpness: float, never: int | None = None) -> Floats:
    """Return the probability [gold, predicted] of an answer, given gold."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    likely = np.exp(-sharpness * steps)
    if never is not None:
        likely[:, never] = 0
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


def table_of(gold: Floats, answer: Floats) -> Floats:
    """Return the probability [gold, predicted] of every cell."""
    return np.asarray(gold[:, None] * answer)


POPULATIONS = {
    "nearly perfect": table_of(GOLD[5], answers(5, NEARLY_PERFECT)),
    "middling": table_of(GOLD[5], answers(5, MIDDLING)),
    "poor": table_of(GOLD[5], answers(5, POOR)),
    "one class at 1 %": table_of(RARE, answers(5, MIDDLING)),
    "one class never predicted": table_of(GOLD[5], answers(5, MIDDLING, never=3)),
    "2 classes, middling": table_of(GOLD[2], answers(2, MIDDLING)),
    "2 classes, nearly perfect": table_of(GOLD[2], answers(2, NEARLY_PERFECT)),
    "10 classes, middling": table_of(GOLD[10], answers(10, MIDDLING)),
    "10 classes, nearly perfect": table_of(GOLD[10], answers(10, NEARLY_PERFECT)),
}
# Pairs of systems: sharpness of both, and the share of items on which the second repeats the first.
PAIRS = {
    "two middling systems, half of the answers shared": (MIDDLING, MIDDLING, 0.5),
    "two nearly perfect systems, independent": (NEARLY_PERFECT, NEARLY_PERFECT, 0.0),
    "nearly perfect against middling, independent": (NEARLY_PERFECT, MIDDLING, 0.0),
}
PAIR_ITEMS = (20, 50, 100, 500)
WEIGHTS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "constant 10": lambda rng, n: np.full(n, 10.0),
    "1 to 40": lambda rng, n: rng.integers(1, 41, n).astype(float),
    "log-normal": lambda rng, n: rng.lognormal(size=n),
}
WEIGHTED_ITEMS = (50, 100, 500)


def targets(items: int) -> tuple[float, float]:
    """Return the lowest and the highest coverage wanted for a number of items."""
    if items < 100:
        return (0.88 if items < 50 else 0.91), 1.0
    return 0.93, 0.98


class Task(NamedTuple):
    """Some of the simulated data sets of one setting."""

    kind: str
    setting: str
    items: int
    runs: range


class Outcome(NamedTuple):
    """Numbers [method, measure] of data sets, without doubt and with it: [2, method, measure]."""

    held: Floats
    defined: Floats


Found = dict[tuple[str, str, int], Outcome]
Made = tuple[list[Interval], Floats]
"""Intervals of every method, and whether each measure's is doubtful."""


def scorer(k: int) -> Statistic:
    """Return the function that scores tables under every batched measure."""
    scale = Scale.of(range(1, k + 1))
    return lambda tables: score_tables(CHOSEN, tables, scale)


def bounds(k: int) -> Floats:
    """Return the range of every batched measure."""
    return np.array([m.bounds(k) for m in CHOSEN])


def limit(table: Floats) -> Floats:
    """Return the scores of a population, as the limit of ever more items."""
    return scorer(len(table))(1e12 * table)


def inside(found: Interval, truth: Floats) -> Floats:
    """Return 1 for intervals that contain the truth, up to rounding, and 0 for the others."""
    slack = 1e-9 * np.maximum(1, np.abs(truth))
    return ((found.low - slack <= truth) & (truth <= found.high + slack)).astype(float)


def doubtful(class_items: Floats) -> Floats:
    """Return 1 for measures whose interval is shown as doubtful, and 0 for the others."""
    return np.array([bool(m.interval_doubt(class_items)) for m in CHOSEN], float)


def joint_of(first: float, second: float, shared: float) -> Floats:
    """Return the probability [gold, first, second] of every cell for a pair of systems."""
    a, b = answers(5, first), answers(5, second)
    apart = a[:, :, None] * b[:, None, :]
    alike = a[:, :, None] * np.eye(5)
    return np.asarray(GOLD[5][:, None, None] * (shared * alike + (1 - shared) * apart))


def of_items(task: Task, run: int, rng: np.random.Generator, draws: int) -> Made:
    """Return the intervals of all methods for one simulated data set."""
    shares = POPULATIONS[task.setting]
    k, score, plan = len(shares), scorer(len(shares)), Plan(draws, run)
    table = rng.multinomial(task.items, shares.ravel()).reshape(1, k, k).astype(float)
    default = dirichlet_interval(table[0], score, plan, bounds=bounds(k))
    usual = percentile(default.estimate, bootstrap(table, score, plan))
    return [default, usual], doubtful(table[0].sum(axis=1))


def of_pair(task: Task, run: int, rng: np.random.Generator, draws: int) -> Made:
    """Return the default interval of a difference for one simulated data set."""
    shares = joint_of(*PAIRS[task.setting])
    joint = rng.multinomial(task.items, shares.ravel()).reshape(shares.shape)
    plan = Plan(draws, run)
    found = dirichlet_difference(joint, scorer(5), plan, bounds=bounds(5))
    return [found], doubtful(joint.sum(axis=(1, 2)))


def of_weighted(task: Task, run: int, rng: np.random.Generator, draws: int) -> Made:
    """Return the default interval for one simulated data set of weighted items."""
    population, weighting = task.setting.split(", weights ")
    shares = POPULATIONS[population]
    cells = rng.choice(shares.size, size=task.items, p=shares.ravel())
    weights = WEIGHTS[weighting](rng, task.items)
    sums, squares = (
        np.bincount(cells, weights**power, minlength=shares.size).reshape(shares.shape)
        for power in (1, 2)
    )
    plan = Plan(draws, run)
    found = dirichlet_interval(sums, scorer(5), plan, squares=squares, bounds=bounds(5))
    of_class = sums.sum(axis=1) ** 2 / np.maximum(squares.sum(axis=1), 1e-300)
    return [found], doubtful(of_class)


def truth_of(task: Task) -> Floats:
    """Return the true scores of a task, or the true differences."""
    if task.kind == "pair":
        joint = joint_of(*PAIRS[task.setting])
        return limit(joint.sum(axis=2)) - limit(joint.sum(axis=1))
    return limit(POPULATIONS[task.setting.split(", weights ")[0]])


SIMULATE = {"items": of_items, "pair": of_pair, "weighted": of_weighted}


def simulate(task: Task, draws: int, seed: int) -> Outcome:
    """Make the data sets of a task and count the intervals that contain the truth."""
    truth = truth_of(task)
    key = [ord(letter) for letter in task.kind + task.setting]
    held = defined = np.zeros(())
    for run in task.runs:
        rng = np.random.default_rng([seed, task.items, run, *key])
        found, doubt = SIMULATE[task.kind](task, run, rng, draws)
        of_doubt = np.stack([1 - doubt, doubt])[:, None]
        known = np.stack([~np.isnan(part.low) for part in found]).astype(float)
        held = held + of_doubt * np.stack([inside(part, truth) for part in found])
        defined = defined + of_doubt * known
    return Outcome(held, defined)


def draw_instances(rng: np.random.Generator, size: int) -> tuple[Floats, Floats]:
    """Draw gold distributions and noisy estimates of them, [size, K] each."""
    shares = rng.dirichlet(8 * GOLD[5], size=size)
    gold = rng.multinomial(40, shares) / 40
    noisy = 0.8 * shares + 0.2 * rng.dirichlet(np.ones(5), size=size)
    return gold, noisy


def instance_coverage(chosen: Sequence[Measure], runs: int, draws: int, seed: int) -> Floats:
    """Return the shares [method, measure] of the runs whose interval contains the true mean."""

    def score(gold: Floats, estimate: Floats) -> Floats:
        return np.stack([m.of(gold, estimate) for m in chosen])

    rng = np.random.default_rng(seed)
    truth = np.nanmean(score(*draw_instances(rng, 400_000)), axis=1)
    held = np.zeros((2, len(chosen)))
    for run in range(runs):
        scores, plan = score(*draw_instances(rng, INSTANCES)), Plan(draws, run)
        held[0] += inside(mean_interval(scores, undefined="skip"), truth)
        held[1] += inside(mean_interval(scores, plan, method="percentile", undefined="skip"), truth)
    return held / runs


def settings() -> Iterator[tuple[str, str, int]]:
    """Yield every kind, setting and number of items, the longest first."""
    for name in sorted(POPULATIONS, key=lambda name: -len(POPULATIONS[name])):
        yield from (("items", name, n) for n in ITEMS)
    for name in PAIRS:
        yield from (("pair", name, n) for n in PAIR_ITEMS)
    for population in ("nearly perfect", "middling"):
        for weighting in WEIGHTS:
            name = f"{population}, weights {weighting}"
            yield from (("weighted", name, n) for n in WEIGHTED_ITEMS)


def choose(specs: Sequence[str]) -> None:
    """Set the measures of labels that this process simulates."""
    CHOSEN[:] = [m for m in measures(batched=True) if str(m) in specs]


def outcomes(runs: int, draws: int, seed: int, processes: int) -> Found:
    """Simulate everything, in portions of 50 data sets."""
    if not CHOSEN:
        return {}
    portions = [range(start, min(start + 50, runs)) for start in range(0, runs, 50)]
    tasks = [Task(*setting, part) for setting in settings() for part in portions]
    found: Found = {}
    chosen = [str(m) for m in CHOSEN]
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=choose, initargs=(chosen,)) as pool:
        results = pool.imap(partial(simulate, draws=draws, seed=seed), tasks)
        for done, (task, part) in enumerate(zip(tasks, results, strict=True), 1):
            old = found.get(task[:3])
            found[task[:3]] = (
                Outcome(*(a + b for a, b in zip(old, part, strict=True))) if old else part
            )
            if sys.stderr.isatty() or done % 50 == 0:
                print(f"{done} of {len(tasks)} portions", file=sys.stderr)
    return found


def share(part: Floats, whole: Floats) -> Floats:
    """Return percentages; NaN where the whole is 0."""
    return 100 * part / np.where(whole > 0, whole, np.nan)


class Page:
    """The page that is written: coverage, targets and what misses them."""

    def __init__(self, found: Found, runs: int) -> None:
        self.found, self.runs = found, runs
        self.names = [str(m) for m in CHOSEN]
        self.missed: list[str] = []

    def cell(self, kind: str, setting: str, items: int, i: int) -> str:
        """Return the coverage of all methods for measure i, marked."""
        held, defined = self.found[kind, setting, items]
        figures = share(held.sum(axis=0), defined.sum(axis=0))[:, i]
        text = [f"{figure:.1f}" if figure == figure else "–" for figure in figures]
        without, sure = share(held[0, 0, i], defined[0, 0, i]), defined[0, 0, i] / self.runs
        low, high = targets(items)
        # What chance alone would give: a figure is called missed beyond two standard errors.
        error = 200 * np.sqrt(0.95 * 0.05 / max(defined[0, 0, i], 1))
        if sure >= 0.1 and without < 100 * low - error:
            text[0] = f"**{text[0]}**"
            self.missed.append(f"{self.names[i]}, {setting}, {items:,} items: {without:.1f}")
        elif sure >= 0.1 and without > 100 * high + error:
            text[0] += "⁺"
        if sure < 0.5:
            text[0] = f"({text[0]})"
        return " · ".join(text)

    def table(self, kind: str, setting: str, numbers: Sequence[int]) -> list[str]:
        """Return a table with a row per measure and a column per number of items."""
        head = ["measure", *(f"N = {n:,}" for n in numbers)]
        return [
            f"| {' | '.join(head)} |",
            "|---|" + "---:|" * len(numbers),
            *(
                f"| {name} | " + " | ".join(self.cell(kind, setting, n, i) for n in numbers) + " |"
                for i, name in enumerate(self.names)
            ),
            "",
        ]


def write(
    options: argparse.Namespace, page: Page, distances: Sequence[Measure], quantified: Floats
) -> str:
    """Return the text of the page."""
    runs, draws = options.runs, options.draws
    error = 100 * np.sqrt(0.95 * 0.05 / runs)
    body: list[str] = []
    for name, shares in POPULATIONS.items():
        body += [f"## {name[0].upper() + name[1:]}", ""]
        body += [f"{len(shares)} classes, accuracy {np.trace(shares):.3f}.", ""]
        body += page.table("items", name, ITEMS)
    body += ["## Differences of two systems", "", "Default intervals, 5 classes.", ""]
    for name in PAIRS:
        body += [f"### {name[0].upper() + name[1:]}", "", *page.table("pair", name, PAIR_ITEMS)]
    body += ["## Weighted items", "", "Default intervals, 5 classes.", ""]
    for kind, name, items in settings():
        if kind == "weighted" and items == WEIGHTED_ITEMS[0]:
            body += [f"### {name[0].upper() + name[1:]}", ""]
            body += page.table("weighted", name, WEIGHTED_ITEMS)
    rows = [
        f"| {m} | {' | '.join(f'{share:.1f}' for share in quantified[:, i])} |"
        for i, m in enumerate(distances)
    ]
    body += [
        f"## Quantification, {INSTANCES} topics",
        "",
        "t intervals, the default over topics, and bootstrap intervals.",
        "",
        "| measure | t | percentile |",
        "|---|---:|---:|",
        *rows,
    ]
    missed = [f"- {line}" for line in page.missed] or ["None."]
    head = [
        "# Coverage of 95 % intervals over items",
        "",
        f"Percentage of {runs:,} simulated data sets whose interval contains the true score: the "
        f"default interval · bootstrap percentiles ({draws:,} draws each; standard error at "
        f"95 %: {error:.1f}). The true score is that of the population, as the limit of ever more "
        "items.",
        "",
        "Wanted of the default: at least 88 from 20 items on, at least 91 from 50, and 93 to 98 "
        "from 100. The marks, which allow two standard errors:",
        "",
        "- (…): in most data sets results say beside the interval that it is doubtful, because a "
        "class or the table has too few items for this measure (`ordeval measures NAME` says how "
        "few, a number that was chosen from this simulation);",
        "- **bold**: below what is wanted, although results do not say so;",
        "- ⁺: more than 98. Near the end of a measure's range most data sets have the same score, "
        "and their interval contains the truth or does not; wide enough is then more than 98.",
        "",
        "Populations: gold shares of "
        + "; ".join(", ".join(f"{100 * g:.0f}" for g in gold) + " %" for gold in GOLD.values())
        + f"; with a rare class {', '.join(f'{100 * g:.0f}' for g in RARE)} %. The probability of "
        "an answer falls with its distance d from gold as exp(−s·d); s is "
        f"{MIDDLING} (middling), {NEARLY_PERFECT} (nearly perfect) or {POOR} (poor).",
        "",
        f"Made by `python benchmarks/coverage.py --runs {runs} --draws {draws} --seed "
        f"{options.seed}`.",
        "",
        "Below what is wanted without a word in the results:",
        "",
        *missed,
        "",
    ]
    return "\n".join([*head, *body]) + "\n"


def merged(page: str, found: str) -> str:
    """Return a page with the rows of another one, table by table, in the order of the measures."""
    listed = [str(m) for m in [*measures(batched=True), *measures("quantification")]]
    table = re.compile(r"((?:^\|.*\n)+)", re.MULTILINE)
    parts, others = table.split(page), table.split(found)
    for i in range(1, len(parts), 2):  # tables are the odd parts
        head, rule, *rows = parts[i].splitlines()
        by_name = {row.split(" | ")[0][2:]: row for row in [*rows, *others[i].splitlines()[2:]]}
        ordered = [by_name[name] for name in listed if name in by_name]
        parts[i] = "\n".join([head, rule, *ordered]) + "\n"
    return "".join(parts)


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000, help="simulated data sets (1000)")
    parser.add_argument("--draws", type=int, default=600, help="draws per data set (600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    place = Path(__file__).parents[1] / "docs" / "coverage.md"
    parser.add_argument("--out", type=Path, default=place)
    parser.add_argument("--measures", type=parse_measures, help="only these (all)")
    options = parser.parse_args()
    wanted = options.measures or [*CHOSEN, *measures("quantification")]
    choose([str(m) for m in wanted])
    distances = [m for m in measures("quantification") if m in wanted]
    found = outcomes(options.runs, options.draws, options.seed, options.processes)
    quantified = np.empty((3, 0))
    if distances:
        quantified = 100 * instance_coverage(distances, options.runs, options.draws, options.seed)
    page = Page(found, options.runs)
    text = write(options, page, distances, quantified)
    if options.measures:
        print("Missed:", *page.missed, sep="\n", file=sys.stderr)
        text = merged(options.out.read_text(encoding="utf-8"), text)
    options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
