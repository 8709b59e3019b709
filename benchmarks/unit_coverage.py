"""Few and skewed units, topics or clusters: `python -m benchmarks.unit_coverage`.

Systems are more accurate on some topics (or clusters) than on others. The tables hold the coverage
of intervals of scores, that of candidates for them, false findings where differences are skewed,
and the power at differences that are called detectable.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from scipy.special import stdtrit

import ordeval as oe
from ordeval.stats import Plan, detectable_difference, max_t
from ordeval.stats.intervals import (
    Interval,
    mean_jackknife,
    own_scores,
    skewness,
    unit_interval,
)
from ordeval.stats.max_t import opposed

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

K, ITEMS, LEVEL = 5, 25, 0.95
SEEN = 0.4  # the skewness of a mean that a mark might be based on
MEASURES = ["accuracy", "kappa(weights='linear')", "cem", "mae", "macro_mae"]
POPULATIONS = ("even", "skewed", "exponential", "one in eight awful")
SETTINGS = {"topics": (8, 10, 15, 20, 50), "clusters": (8, 10, 15, 20, 50), "unequal": (15, 30, 60)}
SETTINGS |= {"one huge": (15, 50)}
KINDS = ("default", "t", "percentile", "both")
CASES = [(p, s, n) for p in POPULATIONS for s, units in SETTINGS.items() for n in units]
Sample = tuple[Any, Any, Any]


# Intervals of scores.


def accuracies(rng: np.random.Generator, units: int, population: str) -> Floats:
    """Draw the accuracy of every unit."""
    if population == "exponential":
        return np.maximum(1 - rng.exponential(0.15, units), 0.0)
    if population == "one in eight awful":
        return np.where(rng.random(units) < 1 / 8, 0.2, 0.9)
    return rng.beta(*((6, 3) if population == "even" else (8, 1)), size=units)


def sample(rng: np.random.Generator, units: int, population: str, setting: str = "") -> Sample:
    """Draw gold labels, predictions and units."""
    right, sizes = accuracies(rng, units, population), np.full(units, ITEMS)
    if setting == "unequal":
        sizes = np.maximum(np.rint(ITEMS * rng.lognormal(-0.5, 1.0, units)), 1).astype(int)
    elif setting == "one huge":
        sizes[0] = ITEMS * (units - 1)
    unit = np.repeat(np.arange(units), sizes)
    gold = rng.choice(K, size=len(unit), p=(0.1, 0.2, 0.3, 0.25, 0.15))
    wrong = np.clip(gold + rng.choice((-2, -1, 1, 2), size=len(unit), p=(0.1, 0.4, 0.4, 0.1)), 0, 4)
    return gold, np.where(rng.random(len(unit)) < right[unit], gold, wrong), unit


def evaluated(data: Sample, setting: str, **options: Any) -> oe.Result:
    """Evaluate one sample."""
    gold, predicted, unit = data
    options["topic" if setting == "topics" else "cluster"] = unit
    return oe.evaluate(
        gold, predicted, measures=MEASURES, labels=range(K), undefined="skip", **options
    )


def covered(options: Namespace, case: tuple[str, str, int]) -> dict[str, Floats]:
    """Return for every kind of interval the share of samples covered, by measure."""
    population, setting, units = case
    many = sample(np.random.default_rng(1), 20_000, population)
    true = evaluated(many, setting, draws=0).scores.values[:, 0]
    rng, held, marked = stream(options.seed, *case), {kind: np.zeros(5) for kind in KINDS}, 0
    others = {"percentile": {}} | ({"both": {"over": "both"}} if setting == "topics" else {})
    for run in range(options.runs):
        data = sample(rng, units, population, setting)
        result = evaluated(data, setting)
        ends, value = result.intervals, result.scores.values[:, 0]
        half = stdtrit(units - 1, (1 + LEVEL) / 2) * ends.se[:, 0]
        held["default"] += covers(ends.low[:, 0], ends.high[:, 0], true)
        held["t"] += covers(value - half, value + half, true)
        marked += ends.at(0, 0)[-1] != ""
        for kind, how in others.items():
            how = {"method": "percentile", "draws": 400, "rng": run, **how}
            ends = evaluated(data, setting, **how).intervals
            held[kind] += covers(ends.low[:, 0], ends.high[:, 0], true)
    kept = {kind: n / options.runs for kind, n in held.items() if n.any()}
    return kept | {"marked": marked / options.runs}


# Candidates: means of units, all runs at once.


def drawn(rng: np.random.Generator, shape: tuple[int, ...], name: str) -> Floats:
    """Draw units, or differences on units, with a mean of 0."""
    if name == "one in eight awful":
        return np.where(rng.random(shape) < 1 / 8, -7.0, 1.0) + 0.5 * rng.normal(size=shape)
    if name == "heavy tails":
        return rng.standard_t(3, shape)
    if name == "uniform":
        return rng.uniform(-1, 1, shape)
    if name == "log-normal":
        return rng.lognormal(size=shape) - np.exp(0.5)
    return rng.exponential(size=shape) - 1 if name == "exponential" else rng.normal(size=shape)


def bootstrap_t(rng: np.random.Generator, units: Floats) -> tuple[Floats, Floats]:
    """Return intervals by the quantiles of t of 999 resamples."""
    size, mean = units.shape[1], units.mean(axis=1)
    centred, se = units - mean[:, None], units.std(axis=1, ddof=1) / np.sqrt(size)
    weights = rng.multinomial(size, np.full(size, 1 / size), 999).T / size
    means = centred @ weights
    variance = np.maximum(centred**2 @ weights - means**2, 1e-12)
    low, high = np.quantile(means / np.sqrt(variance / (size - 1)), (0.025, 0.975), axis=1)
    return mean - high * se, mean - low * se


def candidates(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return coverage and median length, in that of t, of intervals of means."""
    rng, (name, size) = stream(options.seed, *case), case
    units = drawn(rng, (10 * options.runs, size), name)
    left_out = mean_jackknife(units[None])

    def ends(**how: Any) -> tuple[Floats, Floats]:
        interval: Interval = unit_interval(units.mean(axis=1)[None], left_out, **how)
        return interval.low[0], interval.high[0]

    usual, skewed, resampled = ends(symmetric=True), ends(), bootstrap_t(rng, units)
    length, inside = np.median(usual[1] - usual[0]), covers(*skewed, 0.0)
    seen = np.abs(skewness(*own_scores(units.mean(axis=1)[None], left_out)))[0] > SEEN
    return [
        *(
            f"{percent(covers(low, high, 0.0).mean())} ({np.median(high - low) / length:.2f})"
            for low, high in (usual, skewed, resampled)
        ),
        *(percent(inside[of].mean() if of.any() else np.nan) for of in (seen, ~seen)),
        percent(seen.mean(), 0),
    ]


def cluster_candidates(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return coverage and length of intervals of the mean of clusters of unequal size."""
    rng, (kind, units) = stream(options.seed, *case), case
    shape = (10 * options.runs, units)
    sizes = np.ones(shape) if kind == "equal" else rng.lognormal(0, 1, shape)
    if kind == "one huge":
        sizes = np.broadcast_to(np.where(np.arange(units) == 0, units - 1.0, 1.0), shape)
    share = sizes / sizes.sum(axis=1, keepdims=True)
    scores = rng.normal(size=shape)
    value = (share * scores).sum(axis=1)
    left_out = (value[:, None] - share * scores) / (1 - share)
    apart = left_out - left_out.mean(axis=1, keepdims=True)
    se = np.sqrt((units - 1) / units * (apart**2).sum(axis=1))
    freedom = (units - 1.0, satterthwaite(share), 1 / (share**2).sum(axis=1) - 1)
    halves = [stdtrit(np.maximum(df, 1.0), 0.975) * se for df in freedom]
    return [
        f"{percent(covers(-half, half, value).mean())} ({np.median(half / halves[0]):.2f})"
        for half in halves
    ]


def satterthwaite(share: Floats) -> Floats:
    """Return Bell and McCaffrey's degrees of freedom of the jackknife for equal variances."""
    weight, squares = (share / (1 - share)) ** 2, (share**2).sum(axis=1)
    covariance = np.eye(share.shape[1]) - share[:, :, None] - share[:, None, :]
    covariance = covariance + squares[:, None, None]
    trace = np.einsum("rj,rjj->r", weight, covariance)
    return trace**2 / np.einsum("rj,rk,rjk->r", weight, weight, covariance**2)


# Tests.


def findings(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return figures of pairs that do not differ, a steady system and one with such differences."""
    rng, (name, units) = stream(options.seed, *case), case
    differences = drawn(rng, (4 * options.runs, units), name)
    scores = np.stack([differences, np.zeros_like(differences)], axis=-1)
    test = max_t(scores, Plan(1000))
    found, marked = test.p < 1 - LEVEL, opposed(test.difference, test.skew)
    shares = (found, found & ~marked, marked)
    return [percent(float(share[:, 0, 1].mean())) for share in shares]


def power(options: Namespace, case: tuple[str, int, int]) -> list[str]:
    """Return how often a difference that a sample calls detectable is found in another sample."""
    rng, (name, units, systems) = stream(options.seed, *case), case
    shape, pairs = (4 * options.runs, units, systems), systems * (systems - 1) // 2
    first = max_t(drawn(rng, shape, name), Plan(1000))
    shown = first.p[:, 0, 1] >= 1 - LEVEL
    difference = detectable_difference(first.se[:, 0, 1], units - 1, (1 - LEVEL) / pairs)
    again = drawn(rng, shape, name)
    again[:, :, 0] += difference[:, None]
    found = max_t(again, Plan(1000)).p[:, 0, 1] < 1 - LEVEL
    return [percent(float(found[shown].mean()))]


def graded(rng: np.random.Generator, items: int, noise: tuple[float, float]) -> tuple[Any, Any]:
    """Draw gold labels and those of two systems, which share half of their noise."""
    gold = rng.choice(K, size=items, p=(0.1, 0.2, 0.3, 0.25, 0.15))
    shared, *own = rng.normal(size=(3, items)) / np.sqrt(2)
    label = [
        np.clip(np.rint(gold + s * (shared + x)), 0, 4) for s, x in zip(noise, own, strict=True)
    ]
    return gold, {"a": label[0].astype(int), "b": label[1].astype(int)}


def item_power(options: Namespace, items: int) -> list[str]:
    """Return the power over items, where one system gets better and the other one worse."""
    rng, steps, many = stream(options.seed, items), np.linspace(0, 1.5, 31), 200_000
    names = ["accuracy", "kappa(weights='linear')", "mae"]
    how: dict[str, Any] = {"measures": names, "labels": range(K), "draws": 0}
    curve = np.empty((len(steps), len(names)))
    for row, step in zip(curve, steps, strict=True):
        gold, labels = graded(np.random.default_rng(1), many, noises(step))
        row[:] = [np.subtract(*oe.evaluate(gold, labels, **how).scores.values[i]) for i in range(3)]
    found: list[list[bool]] = [[] for _ in names]
    for run in range(options.runs):
        first = oe.compare(*graded(rng, items, noises(0)), **how, trials=1000, rng=run)
        for i, name in enumerate(names):
            wanted = first.pair("a", "b", name).detectable
            if not np.isnan(wanted):
                step = float(np.interp(wanted, np.abs(curve[:, i]), steps))
                second = oe.compare(*graded(rng, items, noises(step)), **how | {"measures": name},
                                    trials=1000, rng=run)  # fmt: skip
                found[i].append(second.pair("a", "b").p < 1 - LEVEL)
    return [percent(float(np.mean(of))) for of in found]


def noises(step: float) -> tuple[float, float]:
    """Return the noise of a better and a worse system."""
    return 0.8 * float(np.exp(-step)), 0.8 * float(np.exp(step / 2))


def tables(options: Namespace) -> Tables:
    """Yield the tables."""
    rows = [
        [
            *case,
            *(mean_and_least(found[kind]) if kind in found else "–" for kind in KINDS),
            percent(found["marked"], 0),
        ]
        for case, found in zip(CASES, each(covered, CASES, options), strict=True)
    ]
    yield "units", table(["population", "units", "number", *KINDS, "marked"], rows)
    names = ("normal", "uniform", "heavy tails", "exponential", "log-normal", "one in eight awful")
    cases: list[Any] = [(name, units) for name in names for units in (8, 10, 20, 50)]
    found = each(candidates, cases, options)
    rows = [[*case, *of] for case, of in zip(cases, found, strict=True)]
    split = ("skew seen", "not seen", "share seen")
    yield "candidates", table(["units are", "number", "t", "Hall's t", "bootstrap t", *split], rows)
    cases = [
        (kind, units) for kind in ("equal", "log-normal", "one huge") for units in (10, 20, 50)
    ]
    found = each(cluster_candidates, cases, options)
    rows = [[*case, *of] for case, of in zip(cases, found, strict=True)]
    yield (
        "clusters",
        table(["sizes", "number", "units − 1", "Satterthwaite", "effective − 1"], rows),
    )
    cases = [(name, units) for name in names for units in (8, 10, 15, 20, 30, 50)]
    rows = [[*case, *of] for case, of in zip(cases, each(findings, cases, options), strict=True)]
    heads = ["p < 0.05", "of these unmarked", "marked"]
    yield "findings", table(["differences are", "number", *heads], rows)
    cases = [(name, n, 2) for name in ("normal", "heavy tails", "exponential")
             for n in (7, 8, 10, 20, 50)] + [("normal", n, 6) for n in (12, 20, 50)]  # fmt: skip
    rows = [[*case, *of] for case, of in zip(cases, each(power, cases, options), strict=True)]
    yield "detectable", table(["scores are", "topics", "systems", "found"], rows)
    cases = [100, 300]
    rows = [[n, *of] for n, of in zip(cases, each(item_power, cases, options), strict=True)]
    yield "detectable-items", table(["items", "accuracy", "κ linear", "MAE"], rows)


if __name__ == "__main__":
    publish(__doc__, "unit-coverage.md", tables, runs=500)
