"""Means and shares of ratings by few people and a judge: `python -m benchmarks.rating_coverage`.

Items with ratings by people and by a judge are drawn from known populations. `evaluate` is compared
with PPI++ (ppi_py) for means, and for shares with adjusted classify and count, which inverts the
judge's confusion table; `compare` with people alone. With --write the tables go to
docs/judge-labels.md.
"""

from argparse import Namespace
from itertools import chain
from time import perf_counter
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.stats.plans import confusion

from .judge_coverage import JUDGES, LABELS, K
from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

SHARES = np.array([0.02, 0.20, 0.40, 0.30, 0.08])
SIZES = {50: 2_000, 100: 5_000, 300: 5_000, 1_000: 10_000}  # items rated by people, and all
_NAMES = ("good", "lenient", "useless")
_COUNTED = (1, 4)  # classes beside adjusted classify and count
_FIGURES = ["mean", *(f"{100 * share:.0f} %" for share in SHARES)]
_SKEWED, _EXTREME, _LONG = (0.02, 0.03, 0.05, 0.1, 0.8), (0.01, 0.01, 0.01, 0.02, 0.95), (
    0.05, 0.1, 0.2, 0.3, 0.2, 0.1, 0.05,
)  # fmt: skip
OTHERS: dict[str, tuple[Any, float, int]] = {  # shares, errors of the judge, classes it is off
    "two classes, 30 and 70 %": ((0.3, 0.7), 0.1, 0),
    "three classes, severe judge": ((0.25, 0.5, 0.25), 0.15, -1),
    "three classes, noisy judge": ((0.6, 0.3, 0.1), 0.3, 0),
    "seven classes, good judge": (_LONG, 0.15, 0),
    "seven classes, severe judge": (_LONG, 0.2, -1),
    "one class has 80 %, good judge": (_SKEWED, 0.1, 0),
    "one class has 80 %, excellent judge": (_SKEWED, 0.03, 0),
    "one class has 95 %, good judge": (_EXTREME, 0.1, 0),
    "one class has 95 %, excellent judge": (_EXTREME, 0.03, 0),
}


def drawn(joint: Floats, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return ratings by people, 0 for none, and by the judge."""
    cells = rng.choice(joint.size, SIZES[n], p=joint.ravel())
    people, judge = np.unravel_index(cells, joint.shape)
    people = people + 1
    people[n:] = 0
    return people, judge + 1


def truth(joint: Floats) -> Floats:
    """Return the true mean and shares."""
    shares = joint.sum(axis=1)
    return np.array([shares @ np.arange(1, len(shares) + 1), *shares])


def _evaluated(people: Any, judge: Any, k: int, draws: int, run: int) -> Any:
    """Return the result with the judge; None if the part is refused as not random."""
    how: Any = {"measures": "mean, shares", "labels": range(1, k + 1), "na": 0}
    try:
        return oe.evaluate(people, judge=judge, **how, draws=draws, rng=run)
    except oe.InputError:
        return None


def adjusted(people: Any, judge: Any, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return shares by adjusted classify and count, and bootstrap intervals [2, K]."""

    def shares(own: Any, given: Any, every: Any) -> Floats:
        table = np.bincount((own - 1) * K + given - 1, minlength=K * K).reshape(K, K)
        rates = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
        counted = np.bincount(every - 1, minlength=K) / len(every)
        found = np.clip(np.linalg.lstsq(rates.T, counted, rcond=None)[0], 0, 1)
        return found / max(found.sum(), 1e-9)

    rest = np.arange(n, len(judge))
    boots = []
    for _ in range(200):
        at, other = rng.integers(n, size=n), rng.choice(rest, len(rest))
        boots.append(shares(people[at], judge[at], judge[other]))
    ends = np.quantile(boots, [0.025, 0.975], axis=0)
    return shares(people[:n], judge[:n], judge[n:]), ends


def _peers(people: Any, judge: Any, n: int, *, timed: bool) -> tuple[Floats, float, float]:
    """Return the interval of PPI++, and the seconds that it and `evaluate` take."""
    from ppi_py import ppi_mean_ci

    y, own, rest = (x.astype(float) for x in (people[:n], judge[:n], judge[n:]))
    start = perf_counter()
    low, high = ppi_mean_ci(y, own, rest, alpha=0.05)
    middle = perf_counter()
    if timed:
        oe.evaluate(people, judge=judge, measures="mean", labels=LABELS, na=0)
    ends = np.array([float(np.squeeze(low)), float(np.squeeze(high))])
    return ends, middle - start, perf_counter() - middle


def _simulated(options: Namespace, case: tuple[str, int]) -> dict[str, Any]:
    """Return coverage and widths of one regime, and those of other methods."""
    (name, n), found, peers, counted, times = case, [], [], [], []
    rng, joint = stream(options.seed, *case), SHARES[:, None] * JUDGES[name]
    true = truth(joint)
    while len(found) < options.runs:
        people, judge = drawn(joint, n, rng)
        result = _evaluated(people, judge, K, options.draws, len(found))
        if result is None:
            continue
        low, high = result.intervals.low[:, 0], result.intervals.high[:, 0]
        found.append([covers(low, high, true), high - low, n / result.judge.worth[:, 0]])
        timed = len(counted) < options.runs // 4
        ends, *seconds = _peers(people, judge, n, timed=timed)
        peers.append([covers(*ends, true[0]), np.ptp(ends)])
        if timed:
            times.append(seconds[1] / seconds[0])
            _, (least, most) = adjusted(people, judge, n, rng)
            counted.append([covers(least, most, SHARES), most - least])
    held, width, worth = np.mean(found, axis=0)
    parts = {"covered": held, "width": width, "worth": 1 / worth}
    parts |= {"counted": np.mean(counted, axis=0), "peers": np.mean(peers, axis=0)}
    return parts | {"ratio": float(np.median(times))}


def _elsewhere(options: Namespace, case: tuple[str, int]) -> str:
    """Return the coverage of the mean, and the lowest and highest of the shares, elsewhere."""
    (name, n), rng, held = case, stream(options.seed, "elsewhere", *case), []
    shares, errors, shift = OTHERS[name]
    k = len(shares)
    judge = confusion(k, 1 - errors, 0.5)[np.clip(np.arange(k) + shift, 0, k - 1)]
    joint = np.array(shares)[:, None] * judge
    while len(held) < options.runs:
        result = _evaluated(*drawn(joint, n, rng), k, options.draws, len(held))
        if result is not None:
            ends = result.intervals
            held.append(covers(ends.low[:, 0], ends.high[:, 0], truth(joint)))
    mean, *rest = np.mean(held, axis=0)
    return f"{percent(mean)} · {percent(min(rest))}–{percent(max(rest))}"


def _compared(options: Namespace, case: tuple[str, int, float]) -> list[str]:
    """Return how often two systems of equal, or different, mean are told apart.

    The second one's outputs are rated one class higher or lower in some cases.
    """
    (name, n, shift), told, held, width = case, [], [], []
    rng, judged = stream(options.seed, "pairs", *case), JUDGES[name]
    for run in range(options.pair_runs):
        quality = rng.choice(K, SIZES[n], p=SHARES)
        moves = rng.random((2, SIZES[n]))
        first = np.clip(quality + np.where(moves[0] < 0.3, 1, 0) - (moves[0] > 0.7), 0, K - 1)
        up = 0.3 + shift
        second = np.clip(quality + np.where(moves[1] < up, 1, 0) - (moves[1] > 0.7), 0, K - 1)
        people, judge = {}, {}
        for system, rating in (("a", first), ("b", second)):
            given = (judged[rating].cumsum(axis=1) < rng.random((SIZES[n], 1))).sum(axis=1)
            judge[system] = np.minimum(given, K - 1) + 1
            people[system] = np.where(np.arange(SIZES[n]) < n, rating + 1, 0)
        try:
            both = [
                oe.compare(people, judge=judge, measures="mean", labels=LABELS, na=0, trials=500,
                           draws=0, rng=run),
                oe.compare({s: x[:n] for s, x in people.items()}, measures="mean", labels=LABELS,
                           trials=500, draws=0, rng=run),
            ]  # fmt: skip
        except oe.InputError:
            continue
        pairs = [result.pair("b", "a") for result in both]
        told.append([pair.p < 0.05 for pair in pairs])
        held.append(covers(pairs[0].low, pairs[0].high, shift * (1 - SHARES[-1])))
        width.append((pairs[0].high - pairs[0].low) / (pairs[1].high - pairs[1].low))
    with_judge, alone = np.mean(told, axis=0)
    return [
        name,
        str(n),
        f"{shift * (1 - SHARES[-1]):.2f}",
        f"{percent(with_judge)} ({percent(alone)})",
        percent(float(np.mean(held))),
        f"{np.mean(width):.2f}",
    ]


def tables(options: Namespace) -> Tables:
    """Simulate."""
    if options.only in "ratings, covered, ppi_py, counted":
        yield from _of_one(options)
    if options.only in "ratings, elsewhere":
        sizes = [50, 100, 300]
        cases = [(name, n) for name in OTHERS for n in sizes]
        cells = list(each(_elsewhere, cases, options))
        rows = [[name, *cells[3 * i : 3 * i + 3]] for i, name in enumerate(OTHERS)]
        yield "ratings, elsewhere", table(["population", *map(str, sizes)], rows)
    if options.only in "ratings, pairs":
        pairs = [(name, n, x) for name in _NAMES for n in (50, 100, 300) for x in (0.0, 0.15)]
        columns = ["judge", "people", "true difference", "told apart (people alone)", "covered"]
        columns.append("width relative to people alone")
        yield "ratings, pairs", table(columns, each(_compared, pairs, options))


def _of_one(options: Namespace) -> Tables:
    """Yield the tables of one system beside other methods."""
    cases = [(name, n) for name in _NAMES for n in SIZES]
    found = dict(zip(cases, each(_simulated, cases, options), strict=True))
    rows = [[f"{a}, {n:,}", *map(percent, x["covered"])] for (a, n), x in found.items()]
    yield "ratings, covered", table(["judge, people", *_FIGURES], rows)
    lines = [
        [f"{a}, {n:,}", f"{x['worth'][0]:.2f}", percent(x["covered"][0]), f"{x['width'][0]:.3f}",
         percent(x["peers"][0]), f"{x['peers'][1]:.3f}", f"{x['ratio']:.0f}"]
        for (a, n), x in found.items()
    ]  # fmt: skip
    yield "ratings, ppi_py", table(
        ["judge, people", "a rating is worth", "covered", "width", "ppi_py covered", "width",
         "our time/its"], lines,
    )  # fmt: skip
    rows = []
    for (a, n), x in found.items():
        (held, wide), own, width = x["counted"], x["covered"][1:], x["width"][1:]
        both = ([percent(own[c]), f"{width[c]:.3f}", percent(held[c]), f"{wide[c]:.3f}"]
                for c in _COUNTED)  # fmt: skip
        rows.append([f"{a}, {n:,}", *chain(*both)])
    columns = [(f"{name} covered", "width", "ACC covered", "width")
               for name in (_FIGURES[1 + c] for c in _COUNTED)]  # fmt: skip
    yield "ratings, counted", table(["judge, people", *chain(*columns)], rows)


if __name__ == "__main__":
    publish(__doc__ or "", "judge-labels.md", tables, runs=1000, pair_runs=400, draws=300)
