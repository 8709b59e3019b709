"""Power that plans promise, and that studies of the planned size have.

`python -m benchmarks.plan_power --write` writes the table of docs/plans.md.
"""

from argparse import Namespace
from collections.abc import Callable
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.stats.plans import confusion, coupled

from .simulation import Tables, each, percent, publish, stream, table

_RARE = (0.5, 0.3, 0.12, 0.05, 0.03)
CASES: dict[str, dict[str, Any]] = {  # assumptions, or the units of a pilot and their number
    "qwk, five classes": {"k": 5, "accuracy": 0.7, "difference": 0.05},
    "qwk, rare classes": {
        "k": 5, "shares": _RARE, "accuracy": 0.75, "difference": 0.06, "power": 0.9
    },
    "accuracy, few items": {"k": 2, "accuracy": 0.7, "difference": 0.2},
    "mae, correlated errors": {
        "k": 5, "accuracy": 0.6, "difference": 0.1, "correlation": 0.5, "power": 0.9
    },
    "macro_f1, unequal classes": {
        "k": 3, "shares": (0.7, 0.2, 0.1), "accuracy": 0.7, "difference": 0.08
    },
    "kendall_b, seven classes": {"k": 7, "accuracy": 0.5, "difference": 0.1, "decay": 0.6},
    "cem, correlated errors": {
        "k": 5, "accuracy": 0.7, "difference": 0.1, "correlation": 0.3, "power": 0.9
    },
    "accuracy, equivalence": {"k": 3, "accuracy": 0.8, "margin": 0.06, "correlation": 0.4},
    "qwk, equivalence": {"k": 5, "accuracy": 0.7, "margin": 0.05, "difference": 0.01, "power": 0.9},
    "qwk, pilot": {"over": "item", "units": 2000, "size": 1, "worse": 1.1},
    "accuracy, pilot of topics": {
        "over": "topic", "units": 300, "size": 12, "worse": 1.4, "power": 0.9
    },
    "qwk, pilot of clusters": {"over": "cluster", "units": 300, "size": 12, "worse": 1.3},
}  # fmt: skip


def of_assumptions(
    rng: np.random.Generator, measure: str, k: int, **case: Any
) -> tuple[oe.StudyPlan, Callable[[int], oe.Result]]:
    """Return a plan, and what makes a study of systems that are as assumed."""
    labels, score = range(1, k + 1), oe.measure(measure)
    plan = oe.plan(None, measure, labels=labels, **case)
    shares = np.array(case.get("shares", [1.0] * k))
    shares /= shares.sum()

    def chances(accuracy: float) -> Any:
        return confusion(k, accuracy, case.get("decay", 0.5))

    def figure(accuracy: float) -> float:
        counts = np.rint(1e9 * shares[:, None] * chances(accuracy))
        return score.sign * float(oe.evaluate(counts, measures=measure, draws=0)[measure].value)

    low, high = case["accuracy"], 1.0
    target = figure(low) + case.get("difference", 0.0)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if figure(middle) < target else (low, middle)
    both = coupled(chances(low), chances(case["accuracy"]), case.get("correlation", 0.0))
    flat = (shares[:, None, None] * both).ravel()

    def study(run: int) -> oe.Result:
        joint = rng.multinomial(plan.n, flat / flat.sum()).reshape(k, k, k)
        counts = oe.JointCounts.from_table(joint, ("a", "b"), labels=labels)
        return oe.compare(
            counts, None, measure, draws=0, trials=999, margin=case.get("margin"), rng=run
        )

    return plan, study


def of_pilot(
    rng: np.random.Generator,
    measure: str,
    over: str,
    units: int,
    size: int,
    worse: float,
    power: float = 0.8,
) -> tuple[oe.StudyPlan, Callable[[int], oe.Result]]:
    """Return a plan from a pilot, and what makes a study of units drawn from it.

    The systems err on the same hard items, and in some units more than in others.
    """
    gold = rng.integers(1, 6, (units, size))
    hard = rng.gamma(2.0, 0.4, (units, 1)) * rng.gamma(2.0, 0.5, (units, size))
    noise = (scale * hard * rng.normal(size=gold.shape) for scale in (1.0, worse))
    a, b = (np.clip(np.rint(gold + error), 1, 5).astype(int) for error in noise)

    def compared(some: Any, run: int, draws: int) -> oe.Result:
        unit = {} if over == "item" else {over: np.repeat(np.arange(len(some)), size)}
        systems = {"a": a[some].ravel(), "b": b[some].ravel()}
        labels: Any = {"labels": range(1, 6), **unit}
        return oe.compare(
            gold[some].ravel(), systems, measure, **labels, draws=draws, trials=999, rng=run
        )

    pilot = compared(np.arange(units), 0, 50)
    plan = oe.plan(pilot, difference=pilot.pair("a", "b").value, power=power)
    return plan, lambda run: compared(rng.integers(units, size=plan.n), run, 0)


def _power(options: Namespace, name: str) -> list[str]:
    """Return what a plan promises, and how often studies of its size find it."""
    rng, measure = stream(options.seed, name), name.partition(",")[0]
    make: Any = of_pilot if "over" in CASES[name] else of_assumptions
    plan, study = make(rng, measure, **CASES[name])
    verdict = "equivalent" if plan.goal.kind == "margin" else "better"
    found = [study(run).pair("a", "b").verdict == verdict for run in range(options.runs)]
    asked, power = percent(plan.goal.power, 0), percent(float(np.mean(found)))
    return [name, f"{plan.n:,} {plan.unit}", f"{plan.low:,}–{plan.high:,}", asked, power]


def tables(options: Namespace) -> Tables:
    """Simulate."""
    columns = ["setting", "planned", "by simulation", "power asked for", "power"]
    yield "power", table(columns, each(_power, CASES, options))


if __name__ == "__main__":
    publish(__doc__ or "", "plans.md", tables, runs=2000)
