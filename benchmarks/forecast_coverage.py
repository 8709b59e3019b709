"""Coverage of intervals and error rates of tests of probabilities.

`python -m benchmarks.forecast_coverage --write` writes the tables of docs/probabilities.md.
"""

from argparse import Namespace
from typing import Any

import numpy as np

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

MEASURES = ("rps", "rps_skill", "log_score", "brier", "macro_rps", "somers_d", "threshold_auc")
SIZES = (30, 100, 300)
_TRUTH = 400_000  # items of the sample whose score is taken as the true one
_CLASSES = {"three classes": (1.0, 1.0, 1.0), "a rare class": (3.0, 2.0, 0.3, 1.0, 2.0)}
_SHARPER = {"honest": 1.0, "overconfident": 2.5, "underconfident": 0.5}


def drawn(kind: str, sharper: str, n: int, rng: np.random.Generator) -> tuple[Any, Floats]:
    """Return gold and probabilities that are honest, or moved to or from 0 and 1."""
    honest = rng.dirichlet(_CLASSES[kind], n)
    gold = (honest.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=honest.shape[1] - 1)
    moved = np.maximum(honest, 1e-4) ** _SHARPER[sharper]
    return gold, moved / moved.sum(axis=1, keepdims=True)


def _coverage(options: Namespace, case: tuple[str, str, int]) -> list[str]:
    kind, sharper, n = case
    labels, how = range(len(_CLASSES[kind])), ", ".join(MEASURES)
    rng = stream(options.seed, *case)
    gold, proba = drawn(kind, sharper, _TRUTH, rng)
    truth = oe.evaluate(gold, proba=proba, labels=labels, measures=how, draws=0).scores.values[:, 0]
    held = []
    for _ in range(options.runs):
        gold, proba = drawn(kind, sharper, n, rng)
        intervals = oe.evaluate(gold, proba=proba, labels=labels, measures=how).intervals
        assert intervals is not None
        held.append(covers(intervals.low[:, 0], intervals.high[:, 0], truth))
    return [f"{kind}, {sharper}", str(n), *map(percent, np.mean(held, axis=0))]


def _errors(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return how often two equally good systems are told apart."""
    kind, n = case
    labels, rng = range(len(_CLASSES[kind])), stream(options.seed, "errors", *case)
    wrong = []
    for run in range(options.runs):
        gold, proba = drawn(kind, "overconfident", n, rng)
        noise = [proba * rng.gamma(2.0, size=proba.shape) for _ in range(2)]
        systems = {s: p / p.sum(axis=1, keepdims=True) for s, p in zip("ab", noise, strict=True)}
        result = oe.compare(
            gold, proba=systems, labels=labels, measures=", ".join(MEASURES), trials=999, rng=run
        )
        assert result.tests is not None
        wrong.append(result.tests.p[:, 0, 1] < 0.05)
    return [kind, str(n), *map(percent, np.mean(wrong, axis=0))]


def tables(options: Namespace) -> Tables:
    """Simulate."""
    cases = [(k, s, n) for k in _CLASSES for s in _SHARPER for n in SIZES]
    columns = ["population", "items", *MEASURES]
    yield "coverage", table(columns, each(_coverage, cases, options))
    errors = [(k, n) for k in _CLASSES for n in SIZES]
    yield "errors", table(columns, each(_errors, errors, options))


if __name__ == "__main__":
    publish(__doc__ or "", "probabilities.md", tables, runs=400)
