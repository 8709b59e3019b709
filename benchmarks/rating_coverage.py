"""Means and shares of ratings by few people and a judge: `python -m benchmarks.rating_coverage`.

Items with ratings by people and by a judge are drawn from known populations. `evaluate` is compared
with people alone, with PPI++ (ppi_py) for means, and for shares with adjusted classify and count,
which inverts the judge's confusion table; `compare` with people alone. With --write the tables go
to docs/judge-labels.md.
"""

from argparse import Namespace
from time import perf_counter
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.stats import judge_labels

from .judge_coverage import JUDGES, LABELS, K
from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

SHARES = np.array([0.02, 0.20, 0.40, 0.30, 0.08])
SIZES = {50: 2_000, 100: 5_000, 300: 5_000, 1_000: 10_000}  # items rated by people, and all
_NAMES = ("good", "lenient", "useless")
_FIGURES = ["mean", *(f"{100 * share:.0f} %" for share in SHARES)]
TRUE = np.array([SHARES @ LABELS, *SHARES])


def drawn(joint: Floats, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return ratings by people, 0 for none, and by the judge."""
    cells = rng.choice(joint.size, SIZES[n], p=joint.ravel())
    people, judge = np.unravel_index(cells, joint.shape)
    people = people + 1
    people[n:] = 0
    return people, judge + 1


def joint_of(judge: str) -> Floats:
    """Return probabilities [people, judge]."""
    return SHARES[:, None] * JUDGES[judge]


def _evaluated(people: Any, judge: Any, draws: int, run: int) -> Any:
    """Return the result with the judge; None if the part is refused as not random."""
    try:
        return oe.evaluate(
            people, judge=judge, measures="mean, shares", labels=LABELS, na=0, draws=draws, rng=run
        )
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


def _peers(people: Any, judge: Any, n: int) -> tuple[Floats, float, float, float]:
    """Return the interval of PPI++, its estimate, and the seconds that it and `evaluate` take."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    y, own, rest = (x.astype(float) for x in (people[:n], judge[:n], judge[n:]))
    start = perf_counter()
    low, high = ppi_mean_ci(y, own, rest, alpha=0.05)
    value = float(np.squeeze(ppi_mean_pointestimate(y, own, rest)))
    middle = perf_counter()
    oe.evaluate(people, judge=judge, measures="mean", labels=LABELS, na=0)
    ends = np.array([float(np.squeeze(low)), float(np.squeeze(high))])
    return ends, value, middle - start, perf_counter() - middle


def _simulated(options: Namespace, case: tuple[str, int]) -> dict[str, Any]:
    """Return coverage, widths and errors of one regime."""
    (name, n), found, peers, counted = case, [], [], []
    rng = stream(options.seed, *case)
    while len(found) < options.runs:
        people, judge = drawn(joint_of(name), n, rng)
        result = _evaluated(people, judge, options.draws, len(found))
        if result is None:
            continue
        ends = result.intervals
        low, high, value = ends.low[:, 0], ends.high[:, 0], result.scores.values[:, 0]
        alone = np.array([people[:n].mean(), *np.bincount(people[:n] - 1, minlength=K) / n])
        worth = n / result.judge.worth[:, 0]
        error = np.square([value - TRUE, alone - TRUE])
        found.append([covers(low, high, TRUE), high - low, *error, worth])
        of_peer, estimate, *seconds = _peers(people, judge, n)
        peers.append([covers(*of_peer, TRUE[0]), np.ptp(of_peer), estimate - value[0], *seconds])
        if len(counted) < options.runs // 4:
            shares, (least, most) = adjusted(people, judge, n, rng)
            counted.append([covers(least, most, SHARES), most - least, shares - SHARES])
    held, width, error, usual, worth = np.mean(found, axis=0)
    return {
        "covered": held,
        "width": width,
        "gained": usual / error,
        "worth": 1 / worth,
        "counted": np.mean(counted, axis=0),
        "peers": np.mean(peers, axis=0),
        "ratio": float(np.median([x[4] / x[3] for x in peers])),
    }


def _as_it_is(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return what the judge is worth with its classes taken as they are, and calibrated."""
    (name, n), rng, worth = case, stream(options.seed, "as it is", *case), list[Any]()
    while len(worth) < options.runs // 2:
        people, judge = drawn(joint_of(name), n, rng)
        both = []
        for own in (1e12, 1.0):
            judge_labels._OWN_CLASS = own
            both.append(_evaluated(people, judge, 10, 0))
        if None not in both:
            worth.append([n / result.judge.worth[:, 0] for result in both])
    plain, calibrated = 1 / np.mean(worth, axis=0)
    pairs = zip(plain, calibrated, strict=True)
    return [f"{name}, {n:,}", *(f"{a:.2f} → {b:.2f}" for a, b in pairs)]


def _compared(options: Namespace, case: tuple[str, int, float]) -> list[str]:
    """Return how often two systems of equal, or different, mean are told apart.

    The second one's outputs are rated one class higher or lower in some cases.
    """
    (name, n, shift), told, held, width = case, [], [], []
    rng, judged = stream(options.seed, "pairs", *case), JUDGES[name]
    for run in range(options.runs):
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
    cases = [(name, n) for name in _NAMES for n in SIZES]
    found = dict(zip(cases, each(_simulated, cases, options), strict=True))
    columns = ["judge, people", *_FIGURES]

    def rows(figure: str, text: Any) -> list[list[str]]:
        return [[f"{a}, {n:,}", *map(text, x[figure])] for (a, n), x in found.items()]

    yield "ratings, covered", table(columns, rows("covered", percent))
    yield "ratings, worth", table(columns, rows("worth", "{:.2f}".format))
    yield "ratings, gained", table(columns, rows("gained", "{:.2f}".format))
    lines = [
        [f"{a}, {n:,}", percent(x["covered"][0]), f"{x['width'][0]:.3f}", percent(x["peers"][0]),
         f"{x['peers'][1]:.3f}", f"{x['peers'][2]:+.4f}", f"{x['ratio']:.1f}"]
        for (a, n), x in found.items()
    ]  # fmt: skip
    yield "ratings, ppi_py", table(
        ["judge, people", "covered", "width", "ppi_py covered", "width", "its value − ours",
         "our time/its"], lines,
    )  # fmt: skip
    cases = [(name, 300) for name in JUDGES]
    columns = ["judge, people", *_FIGURES]
    yield "ratings, calibration", table(columns, each(_as_it_is, cases, options))
    lines = []
    for (a, n), x in found.items():
        cells = zip(*x["counted"], strict=True)
        own = zip(x["covered"][1:], x["width"][1:], strict=True)
        counted = (f"{percent(c)} · {w:.3f} · {b:+.3f}" for c, w, b in cells)
        lines.append([f"{a}, {n:,}: ACC", *counted])
        lines.append([f"{a}, {n:,}", *(f"{percent(c)} · {w:.3f}" for c, w in own)])
    yield "ratings, counted", table(["judge, people", *_FIGURES[1:]], lines)
    pairs = [(name, n, shift) for name in _NAMES for n in (50, 100, 300) for shift in (0.0, 0.15)]
    columns = ["judge", "people", "true difference", "told apart (people alone)", "covered"]
    columns.append("width relative to people alone")
    yield "ratings, pairs", table(columns, each(_compared, pairs, options))


if __name__ == "__main__":
    publish(__doc__ or "", "judge-labels.md", tables, runs=400, draws=500)
