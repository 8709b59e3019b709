"""What the labels of a judge do to intervals and tests: `python -m benchmarks.judge_coverage`.

Items with gold, judge and system labels are drawn from known populations and given to `evaluate`
and `compare`; the true score is that of the population's table. The page describes the populations.
About ten minutes of one core with 250 runs and 200 draws.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

K, N = 5, 10_000
LABELS = list(range(1, K + 1))
MEASURES = [
    *("accuracy", "macro_recall", "kappa", "qwk", "cem", "mae", "macro_mae", "mse", "spearman"),
    *("kendall_b", "alpha", "macro_f1"),
]
PAIRED = [
    *("accuracy", "kappa", "mae", "macro_mae", "macro_recall", "gmean", "auoc", "macro_f1", "cem"),
]
MARKED = PAIRED.index("macro_mae")
GOLD = np.array([0.10, 0.25, 0.30, 0.20, 0.15])
RARE = np.array([0.02, 0.20, 0.40, 0.30, 0.08])
SKEWED = np.array([0.45, 0.25, 0.15, 0.10, 0.05])
LABELLED = (30, 100, 300)
TIMES = 2  # data sets of one system for every one of two systems, which takes longer
NOISE = np.array([NormalDist().inv_cdf((i + 0.5) / 10_000) for i in range(10_000)])
ENDS = np.array([3.0, 1.0, 1.0, 1.0, 3.0])  # how often a judge's classes are labelled


def answers(errors: float, shift: int = 0) -> Floats:
    """Return the probability [gold, answer] with a share of errors, around gold plus a shift."""
    rows = np.zeros((K, K))
    for gold in range(K):
        meant = min(max(gold + shift, 0), K - 1)
        wrong = 0.4 ** np.abs(np.arange(K) - meant)
        wrong[meant] = 0
        rows[gold] = errors * wrong / wrong.sum()
        rows[gold, meant] += 1 - errors
    return rows


JUDGES = {
    "good": answers(0.12),
    "noisy": answers(0.4),
    "half lenient": (answers(0.15) + answers(0.15, shift=1)) / 2,
    "lenient": answers(0.15, shift=1),
    "severe": answers(0.15, shift=-1),
    "useless": np.full((K, K), 1 / K),
}


def shifted(steps: float) -> Floats:
    """Return the probability [gold, answer] of gold plus a shift and noise, cut to the classes."""
    ends = np.arange(K)[:, None] + steps + 0.5 * NOISE
    near = np.clip(np.rint(ends), 0, K - 1).astype(int)
    return np.stack([np.bincount(row, minlength=K) / len(row) for row in near])


def weak_on(place: int) -> Floats:
    """Return the probability [gold, answer] of errors by one class, frequent for one gold class."""
    rows = np.eye(K) * 0.9
    rows[place, place] = 0.5
    for gold in range(K):
        sides = [x for x in (gold - 1, gold + 1) if 0 <= x < K]
        rows[gold, sides] = (1 - rows[gold, gold]) / len(sides)
    return rows


def population(
    judge: Floats, *systems: Floats, gold: Floats = GOLD, follows: float = 0.0
) -> Floats:
    """Return probabilities [gold, judge, system, …] of systems that answer independently.

    The judge gives the first system's label with probability `follows`.
    """
    systems = systems or (answers(0.4),)
    axes = "abcdef"[: len(systems)]
    given = ",".join(f"g{axis}" for axis in axes)
    joint = np.einsum(f"g,gj,{given}->gj{axes}", gold, judge, *systems)
    same = np.eye(K).reshape(1, K, K, *[1] * (len(systems) - 1))
    return (1 - follows) * joint + follows * joint.sum(axis=1, keepdims=True) * same


def close_systems(follows: float, redrawn: float = 0.1) -> Floats:
    """Return probabilities [gold, judge, system, system] of two systems that rarely differ.

    The second gives the first one's label unless it draws its own, and the judge, which is good,
    gives the first one's label with probability `follows`.
    """
    own = answers(0.4)
    copied = np.eye(K)[None] * (1 - redrawn) + redrawn * own[:, None, :]
    judge = follows * np.eye(K)[None] + (1 - follows) * JUDGES["good"][:, :, None]
    return np.asarray(np.einsum("g,ga,gja,gab->gjab", GOLD, own, judge, copied))


def items(joint: Floats, n: int, rng: np.random.Generator, odds: Floats | None) -> dict[str, Any]:
    """Draw items as arguments of `evaluate`: n of them labelled, or at rates of a judge's class."""
    places = np.indices(joint.shape).reshape(joint.ndim, -1) + 1
    if odds is None:
        labelled = rng.multinomial(n, joint.ravel())
        other = rng.multinomial(N - n, joint.ravel())
        rates = None
    else:
        by_judge = odds * n / (N * (odds @ joint.sum(axis=(0, *range(2, joint.ndim)))))
        rates = by_judge[places[1] - 1]
        drawn = rng.multinomial(N, joint.ravel())
        labelled = rng.binomial(drawn, rates)
        other = drawn - labelled
    gold = [*places[0].tolist(), *[None] * len(other)]
    judge, *systems = (np.tile(row, 2) for row in places[1:])
    number = np.concatenate([labelled, other])
    used = np.flatnonzero(number)
    kept = {"judge": judge[used], "frequency": number[used]}
    if rates is not None:
        kept["rate"] = np.tile(rates, 2)[used]
    names = {f"s{i + 1}": row[used] for i, row in enumerate(systems)}
    return {"y_true": [gold[i] for i in used], "y_pred": names, "labels": LABELS, **kept}


def truth(joint: Floats, measures: Sequence[str], system: int = 0) -> Floats:
    """Return the true scores of a system, as the limit of ever more items."""
    axes = tuple(axis for axis in range(1, joint.ndim) if axis != 2 + system)
    whole = 1e9 * joint.sum(axis=axes)
    return np.array([float(oe.measure(m).of(whole)) for m in measures])


class Regime(NamedTuple):
    """A population, the number of labelled items, and how often a judge's classes are labelled."""

    name: str
    joint: Floats
    n: int
    odds: Floats | None = None


def of_judges(*names: str, odds: Floats | None = None) -> list[Regime]:
    """Return a regime for each judge and each number of labelled items."""
    return [Regime(name, population(JUDGES[name]), n, odds) for name in names for n in LABELLED]


FOLLOWING = population(JUDGES["noisy"], follows=0.5)
REGIMES = {
    "regimes": of_judges(*JUDGES) + [Regime("follows the system", FOLLOWING, n) for n in LABELLED],
    "rates": of_judges("good", "lenient", "useless", odds=ENDS),
    "extremes": [
        Regime("rare class", population(JUDGES["good"], gold=RARE), 100),
        Regime("nearly perfect system", population(JUDGES["good"], answers(0.04)), 100),
        Regime("nearly perfect judge", population(answers(0.02)), 100),
        Regime("judge is gold", population(np.eye(K)), 100),
    ],
}
FIGURES = {"regimes": ("covered", "worth"), "rates": ("covered",), "extremes": ("covered",)}


def simulate(options: Namespace, regime: Regime) -> dict[str, Floats]:
    """Return means [measure] over data sets; those that `evaluate` refuses are replaced."""
    rng, found = stream(options.seed, regime.name, regime.n, regime.odds), []
    true = truth(regime.joint, MEASURES)
    while len(found) < TIMES * options.runs:
        given = items(regime.joint, regime.n, rng, regime.odds)
        given["y_pred"] = given["y_pred"]["s1"]
        try:
            result = oe.evaluate(**given, measures=MEASURES, draws=options.draws, rng=len(found))
        except oe.InputError:  # the labelled items look like no random part
            continue
        ends, judge = result.intervals, result.judge
        held = covers(ends.low[:, 0], ends.high[:, 0], true)
        width = np.sqrt(judge.labelled / judge.worth[:, 0])
        found.append([held, width])
    held, width = np.mean(found, axis=0)
    return {"covered": held, "worth": width**-2}


def simulated(options: Namespace, regimes: Sequence[Regime]) -> dict[str, dict[str, Floats]]:
    """Return means over data sets by the name of the regime and its number of labels."""
    names = (f"{regime.name}, {regime.n}" for regime in regimes)
    return dict(zip(names, each(simulate, regimes, options), strict=True))


class Comparison(NamedTuple):
    """Systems of which the first `equal` have the same true scores, under some measures at least.

    `table` is the one that the case belongs to.
    """

    name: str
    joint: Floats
    n: int
    equal: int = 2
    table: str = "equal"


def comparisons() -> Iterator[Comparison]:
    """Yield all cases."""
    usual, better = answers(0.4), answers(0.25)
    for name in ("good", "noisy", "lenient", "useless"):
        for n in (30, 50, 100):
            joint = population(JUDGES[name], usual, usual)
            yield Comparison(f"{name} judge, n = {n}", joint, n)
    for follows, n in ((0.6, 100), (0.9, 50), (0.9, 300)):
        name = f"judge gives one's label to {100 * follows:.0f} %, n = {n}"
        yield Comparison(name, close_systems(follows), n)
    many = population(JUDGES["good"], *[usual] * 4, answers(0.2))
    yield Comparison("four systems and a better one, good judge, n = 100", many, 100, 4)
    for n in (50, 100):
        even, two = np.full(K, 1 / K), (shifted(-1.1), shifted(1.1))
        joint = population(JUDGES["good"], *two, gold=even)
        yield Comparison(f"opposite bias, good judge, n = {n}", joint, n, table="weak")
        joint = population(JUDGES["good"], weak_on(0), weak_on(K - 1), gold=SKEWED)
        yield Comparison(f"weak on another class, good judge, n = {n}", joint, n, table="weak")
    for name in ("good", "noisy", "lenient"):
        for n in (50, 100):
            joint = population(JUDGES[name], usual, better)
            yield Comparison(f"{name} judge, n = {n}", joint, n, table="power")


def compare(options: Namespace, case: Comparison) -> dict[str, Floats]:
    """Return shares of runs [measure] in which any of the equal systems were told apart.

    With the judge and by people alone, and how often a measure is marked.
    """
    rng = stream(options.seed, case.table, case.name)
    true = truth(case.joint, PAIRED, 0) - truth(case.joint, PAIRED, 1)
    how = {"measures": PAIRED, "draws": options.draws, "trials": 500}
    found: dict[str, list[Floats]] = {"told": [], "alone": [], "marked": []}
    for run in range(options.runs):
        given = items(case.joint, case.n, rng, None)
        try:
            result = oe.compare(**given, **how, rng=run)
        except oe.InputError:
            continue
        known = [i for i, gold in enumerate(given["y_true"]) if gold is not None]
        people = {"labels": LABELS, "frequency": given["frequency"][known]}
        people["y_true"] = [given["y_true"][i] for i in known]
        people["y_pred"] = {name: x[known] for name, x in given["y_pred"].items()}
        alone = oe.compare(**people, **how, rng=run)
        for name, of in (("told", result), ("alone", alone)):
            p = of.tests.p[:, : case.equal, : case.equal]
            found[name].append((p <= 0.05).any(axis=(1, 2)))
        found["marked"].append([bool(result.intervals.at(i, 0)[3]) for i in range(len(PAIRED))])
    means = {name: np.mean(runs, axis=0) for name, runs in found.items()}
    if case.table == "weak":  # only measures under which the systems are equal
        means = {k: np.where(np.abs(true) < 0.002, x, np.nan) for k, x in means.items()}
    return means


def tables(options: Namespace) -> Tables:
    """Yield all tables."""
    columns = ["judge, labels", *map(label, MEASURES)]
    for part, regimes in REGIMES.items():
        found = simulated(options, regimes)
        for figure in FIGURES[part]:
            text = percent if figure == "covered" else "{:.2f}".format
            rows = [[name, *map(text, x[figure])] for name, x in found.items()]
            yield f"{part}, {figure}", table(columns, rows)
    cases = list(comparisons())
    means = list(zip(cases, each(compare, cases, options), strict=True))
    for name in ("equal", "weak", "power"):
        some = [(case.name, found) for case, found in means if case.table == name]
        columns = ["systems", *map(label, PAIRED)]
        told = ([case, *map(with_people, x["told"], x["alone"]), percent(x["marked"][MARKED], 0)]
                for case, x in some)  # fmt: skip
        yield f"{name}, told apart", table([*columns, "marked"], told)


def label(name: str) -> str:
    """Return the display name of a measure."""
    return oe.measure(name).label


def with_people(share: float, alone: float) -> str:
    """Return a share in per cent, and that of people alone."""
    return f"{percent(share)} ({percent(alone)})"


if __name__ == "__main__":
    publish(__doc__, "judge-labels.md", tables, runs=250, draws=200)
