"""Error rates of comparisons of two stored results, which do not hold items.

`python -m benchmarks.stored_errors --write` writes the tables of docs/gate.md.
"""

from argparse import Namespace

import numpy as np
from numpy.typing import NDArray

import ordeval as oe

from .simulation import Tables, covers, each, percent, publish, stream, table

MEASURES = ("qwk", "cem", "mae", "macro_mae", "accuracy")
SIZES = (50, 200, 1000)
_EVEN, _RARE = (0.2,) * 5, (0.6, 0.25, 0.1, 0.04, 0.01)
_KINDS = {  # shares of gold classes, and how often either system errs
    "independent errors": (_EVEN, 0.3, 0.3),
    "shared errors": (_EVEN, 0.3, 0.3),
    "opposed errors": (_EVEN, 0.3, 0.3),
    "rare classes": (_RARE, 0.3, 0.3),
    "few errors": (_EVEN, 0.03, 0.03),
    "one system better": (_EVEN, 0.1, 0.4),
    "one better, rare classes": (_RARE, 0.1, 0.4),
}
_TRUTH = 400_000  # items of the sample whose difference is taken as the true one


def drawn(kind: str, n: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Return gold and the predictions of two systems, which err by up to three classes."""
    shares, *rates = _KINDS[kind]
    gold = rng.choice(5, n, p=shares)
    far = rng.choice((-3, -2, -1, 1, 2, 3), (2, n), p=(0.05, 0.1, 0.35, 0.35, 0.1, 0.05))
    chance = rng.random((2, n))
    if kind == "shared errors":
        same = rng.random(n) < 0.8
        chance[1], far[1] = np.where(same, (chance[0], far[0]), (chance[1], far[1]))
    if kind == "opposed errors":  # no item is hard for both
        chance[1] = (chance[0] + 0.5) % 1
    moved = np.where(chance < np.array(rates)[:, None], far, 0)
    return [gold, *np.clip(gold + moved, 0, 4)]


def _case(options: Namespace, case: tuple[str, int]) -> list[str]:
    """Return how often intervals contain the true difference, and the new one is called worse."""
    kind, n = case
    how = {"labels": range(5), "measures": ", ".join(MEASURES)}
    rng = stream(options.seed, *case)
    gold, *systems = drawn(kind, _TRUTH, rng)
    old, new = (oe.evaluate(gold, s, draws=0, **how).scores.values[:, 0] for s in systems)
    held, worse = [], []
    for run in range(options.runs):
        gold, *systems = drawn(kind, n, rng)
        results = [oe.evaluate(gold, s, rng=2 * run + i, **how) for i, s in enumerate(systems)]
        tests = oe.compare(*results).tests
        assert tests is not None
        assert not tests.paired
        held.append(covers(tests.low[:, 1, 0], tests.high[:, 1, 0], new - old))
        sign = np.array([m.sign for m in results[0].measures])
        worse.append((sign * tests.difference[:, 1, 0] < 0) & (tests.p[:, 1, 0] < 0.05))
    both = zip(np.mean(held, axis=0), np.mean(worse, axis=0), strict=True)
    return [kind, str(n), *(f"{percent(a)} / {percent(b)}" for a, b in both)]


def tables(options: Namespace) -> Tables:
    """Simulate."""
    cases = [(kind, n) for kind in _KINDS for n in SIZES]
    yield "unpaired", table(["errors", "items", *MEASURES], each(_case, cases, options))


if __name__ == "__main__":
    publish(__doc__ or "", "gate.md", tables, runs=1000)
