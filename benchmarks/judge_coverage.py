"""What the labels of a judge do to intervals and tests: `python -m benchmarks.judge_coverage`.

Items with gold, judge and system labels are drawn from known populations and given to `evaluate`
and `compare`; the true score is that of the population's table. The page describes the populations.
About ten minutes of one core with the default numbers.
"""

from argparse import Namespace
from collections.abc import Sequence
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
PAIRED = ["kappa", "accuracy", "mae", "macro_mae"]
GOLD = np.array([0.10, 0.25, 0.30, 0.20, 0.15])
RARE = np.array([0.02, 0.20, 0.40, 0.30, 0.08])
LABELLED = (100, 300, 1000)
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
    "middling": answers(0.4),
    "biased": (answers(0.15) + answers(0.15, shift=1)) / 2,
    "useless": np.full((K, K), 1 / K),
}


def population(
    judge: Floats, systems: Sequence[float] = (0.4,), gold: Floats = GOLD, follows: float = 0.0
) -> Floats:
    """Return probabilities [gold, judge, system, …] of systems with shares of errors.

    The judge gives the first system's label with probability `follows`.
    """
    axes = "abcdef"[: len(systems)]
    given = ",".join(f"g{axis}" for axis in axes)
    joint = np.einsum(f"g,gj,{given}->gj{axes}", gold, judge, *map(answers, systems))
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


FOLLOWING = population(JUDGES["middling"], follows=0.5)
REGIMES = {
    "regimes": of_judges(*JUDGES) + [Regime("follows the system", FOLLOWING, n) for n in LABELLED],
    "strata": of_judges("good", "biased", "useless", odds=ENDS),
    "extremes": [
        Regime("few labels", population(JUDGES["good"]), 30),
        Regime("rare class", population(JUDGES["good"], gold=RARE), 100),
        Regime("nearly perfect system", population(JUDGES["good"], (0.04,)), 100),
        Regime("nearly perfect judge", population(answers(0.02)), 100),
        Regime("judge is gold", population(np.eye(K)), 100),
    ],
}
FIGURES = {
    "regimes": ("covered", "width", "weight"),
    "strata": ("covered", "width"),
    "extremes": ("covered", "width", "unusable"),
}


def simulate(options: Namespace, regime: Regime) -> dict[str, Floats]:
    """Return means [measure] over data sets; those that `evaluate` refuses are replaced."""
    rng, found = stream(options.seed, regime.name, regime.n, regime.odds), []
    true = truth(regime.joint, MEASURES)
    while len(found) < options.runs:
        given = items(regime.joint, regime.n, rng, regime.odds)
        given["y_pred"] = given["y_pred"]["s1"]
        try:
            result = oe.evaluate(
                **given, measures=MEASURES, bootstrap=options.draws, rng=len(found)
            )
        except oe.InputError:  # the labelled items look like no random part
            continue
        ends, judge = result.intervals, result.judge
        held = covers(ends.low[:, 0], ends.high[:, 0], true)
        width = np.sqrt(judge.labelled / judge.worth[:, 0])
        found.append([held, width, judge.weight[:, 0], judge.unusable[:, 0] * 1.0])
    names = ("covered", "width", "weight", "unusable")
    return dict(zip(names, np.mean(found, axis=0), strict=True))


class Comparison(NamedTuple):
    """Systems of which the first `equal` have the same true scores."""

    name: str
    joint: Floats
    n: int
    equal: int = 2


COMPARISONS = [
    *(
        Comparison(f"2 equal systems, {name} judge, n = {n}", population(judge, (0.4, 0.4)), n)
        for name, judge in JUDGES.items()
        for n in (100, 300)
        if name != "middling"
    ),
    *(
        Comparison(
            f"2 equal systems, judge gives one's label to {100 * follows:.0f} %, n = {n}",
            close_systems(follows),
            n,
        )
        for follows, n in ((0.6, 100), (0.9, 50), (0.9, 300))
    ),
    *(
        Comparison(
            f"4 equal systems and a better one, good judge, n = {n}",
            population(JUDGES["good"], (0.4, 0.4, 0.4, 0.4, 0.2)),
            n,
            4,
        )
        for n in (100, 300)
    ),
]


def compare(options: Namespace, case: Comparison) -> list[Floats]:
    """Return shares of runs [measure]: a true null rejected, differences covered; and widths."""
    rng, rejected, of_two = stream(options.seed, case.name), [], []
    true = truth(case.joint, PAIRED, 0) - truth(case.joint, PAIRED, 1)
    two = case.joint.ndim == 4
    for run in range(options.runs):
        given = items(case.joint, case.n, rng, None)
        how = {"measures": PAIRED, "bootstrap": 300, "rng": run, "differences": two, "trials": 2000}
        try:
            found = oe.compare(**given, **how)
        except oe.InputError:
            continue
        p = found.tests.p[:, : case.equal, : case.equal]
        rejected.append((p < 0.05).any(axis=(1, 2)))
        if two:
            known = [i for i, gold in enumerate(given["y_true"]) if gold is not None]
            people = {"labels": LABELS, "frequency": given["frequency"][known]}
            people["y_true"] = [given["y_true"][i] for i in known]
            people["y_pred"] = {name: x[known] for name, x in given["y_pred"].items()}
            ends, alone = found.differences, oe.compare(**people, **how).differences
            low, high = ends.low[:, 0, 1], ends.high[:, 0, 1]
            width = (high - low) / (alone.high[:, 0, 1] - alone.low[:, 0, 1])
            of_two.append([covers(low, high, true), width])
    return [np.mean(rejected, axis=0), *(np.mean(of_two, axis=0) if of_two else ())]


def tables(options: Namespace) -> Tables:
    """Yield all tables."""
    for part, regimes in REGIMES.items():
        found = list(each(simulate, regimes, options))
        columns = ["measure", *(f"{regime.name}, {regime.n:,}" for regime in regimes)]
        for figure in FIGURES[part]:
            text = percent if figure == "covered" else "{:.2f}".format
            rows = ([oe.measure(m), *(text(x[figure][i]) for x in found)]
                    for i, m in enumerate(MEASURES))  # fmt: skip
            yield f"{part}, {figure}", table(columns, rows)
    rows = []
    for case, found in zip(COMPARISONS, each(compare, COMPARISONS, options), strict=True):
        texts = [[percent(x[i]) for x in found[:2]] + [f"{x[i]:.2f}" for x in found[2:]]
                 for i in range(len(PAIRED))]  # fmt: skip
        rows.append([case.name, *map(" · ".join, texts)])
    yield "comparisons", table(["systems", *map(str, map(oe.measure, PAIRED))], rows)


if __name__ == "__main__":
    publish(__doc__, "judge-labels.md", tables, runs=500, draws=500)
