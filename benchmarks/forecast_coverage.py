"""Coverage of intervals and bands, bias, and error rates of tests of probabilities.

`python -m benchmarks.forecast_coverage --write` writes the tables of docs/probabilities.md.
"""

from argparse import Namespace
from typing import Any

import numpy as np
from scipy.stats import norm

import ordeval as oe

from .simulation import Floats, Tables, covers, each, percent, publish, stream, table

MEASURES = ("rps", "rps_skill", "log_score", "brier", "spherical", "macro_rps", "somers_d")
MEASURES += ("threshold_auc", "calibration_error", "rps_miscalibration", "rps_discrimination")
BIASED = MEASURES[-3:]
SIZES = (30, 100, 300)
_TRUTH = 400_000  # items of the sample whose score is taken as the true one
_CLASSES = {"three classes": (1.0, 1.0, 1.0), "a rare class": (3.0, 2.0, 0.3, 1.0, 2.0)}
_SHARPER = {"honest": 1.0, "overconfident": 2.5, "underconfident": 0.5}
_CLUSTERS = ((300, 10), (300, 30), (300, 100), (1000, 50))  # items and clusters
_ALIKE = 0.3  # correlation of items of a cluster


def drawn(kind: str, sharper: str, n: int, rng: np.random.Generator) -> tuple[Any, Floats]:
    """Return gold and probabilities that are honest, or moved to or from 0 and 1."""
    honest = rng.dirichlet(_CLASSES[kind], n)
    gold = (honest.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1).clip(max=honest.shape[1] - 1)
    moved = np.maximum(honest, 1e-4) ** _SHARPER[sharper]
    return gold, moved / moved.sum(axis=1, keepdims=True)


def _coverage(options: Namespace, case: tuple[str, str, int]) -> tuple[list[str], list[str]]:
    """Return how often intervals hold the truth, and the means of some scores beside it."""
    kind, sharper, n = case
    labels, how = range(len(_CLASSES[kind])), ", ".join(MEASURES)
    rng = stream(options.seed, *case)
    gold, proba = drawn(kind, sharper, _TRUTH, rng)
    truth = oe.evaluate(gold, proba=proba, labels=labels, measures=how, draws=0).scores.values[:, 0]
    held, scores = [], []
    for _ in range(options.runs):
        gold, proba = drawn(kind, sharper, n, rng)
        result = oe.evaluate(gold, proba=proba, labels=labels, measures=how)
        intervals = result.intervals
        assert intervals is not None
        held.append(covers(intervals.low[:, 0], intervals.high[:, 0], truth))
        scores.append(result.scores.values[:, 0])
    name, means = [f"{kind}, {sharper}", str(n)], np.mean(scores, axis=0)
    rows = [MEASURES.index(m) for m in BIASED]
    pairs = [f"{means[m]:.4f} ({truth[m]:.4f})" for m in rows]
    return [*name, *map(percent, np.mean(held, axis=0))], [*name, *pairs]


def clustered(kind: str, n: int, clusters: int, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Return gold, honest probabilities and clusters whose items are alike in both."""
    cluster = rng.integers(0, clusters, n)
    honest = 0.3 * rng.dirichlet(_CLASSES[kind], n)
    honest += 0.7 * rng.dirichlet(_CLASSES[kind], clusters)[cluster]
    place = np.sqrt(_ALIKE) * rng.standard_normal(clusters)[cluster]
    place += np.sqrt(1 - _ALIKE) * rng.standard_normal(n)
    gold = (honest.cumsum(axis=1) < norm.cdf(place)[:, None]).sum(axis=1)
    return gold.clip(max=honest.shape[1] - 1), honest, cluster


def _bands(options: Namespace, case: tuple[str, int, int]) -> list[str]:
    """Return how often honest probabilities leave their band, and how often z rejects them."""
    kind, n, clusters = case
    labels, rng = range(len(_CLASSES[kind])), stream(options.seed, "bands", *case)
    left = []
    for run in range(options.runs):
        units: dict[str, Any] = {"rng": run}
        if clusters:
            gold, proba, units["cluster"] = clustered(kind, n, clusters, rng)
        else:
            gold, proba = drawn(kind, "honest", n, rng)
        found = oe.evaluate(gold, proba=proba, labels=labels, measures="rps", **units).calibration
        assert found is not None
        outside = np.abs(found.y - found.x) > found.half + 1e-9
        left.append([outside.any(), found.p[0] < 0.05])
    return [kind, str(n), str(clusters or "–"), *map(percent, np.mean(left, axis=0))]


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
            gold, proba=systems, labels=labels, measures=", ".join(MEASURES), trials=999, rng=run,
            draws=0,
        )  # fmt: skip
        assert result.tests is not None
        wrong.append(result.tests.p[:, 0, 1] < 0.05)
    return [kind, str(n), *map(percent, np.mean(wrong, axis=0))]


def tables(options: Namespace) -> Tables:
    """Simulate."""
    cases = [(k, s, n) for k in _CLASSES for s in _SHARPER for n in SIZES]
    columns = ["population", "items", *MEASURES]
    if options.only in "coverage, bias":
        held, means = zip(*each(_coverage, cases, options), strict=True)
        yield "coverage", table(columns, held)
        yield "bias", table(["population", "items", *BIASED], means)
    if options.only in "errors":
        errors = [(k, n) for k in _CLASSES for n in SIZES]
        yield "errors", table(columns, each(_errors, errors, options))
    if options.only in "bands":
        sizes = [*((n, 0) for n in SIZES), *_CLUSTERS]
        bands = [(k, *size) for k in _CLASSES for size in sizes]
        names = ["population", "items", "clusters", "band", "z"]
        yield "bands", table(names, each(_bands, bands, options))


if __name__ == "__main__":
    publish(__doc__ or "", "probabilities.md", tables, runs=200)
