"""Which loss wins under which measure: small networks on six ordinal data sets.

`python -m benchmarks.loss_study --write` writes the tables of docs/losses.md. The data sets are the
csv files of ORDEVAL_SHARED/data/ordinal-tabular, by default of the folder `shared` beside this one.

For every seed a fifth of the items is held out for testing and another fifth chooses the epoch, by
the loss that is trained with. The test items of all seeds are compared together; an item that is
held out for several seeds is a cluster.
"""

import csv
import os
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ordeval as oe

from .simulation import Tables, each, publish, stream, table

FOLDER = Path(os.environ.get("ORDEVAL_SHARED", Path(__file__).resolve().parents[2] / "shared"))
SETS = {
    "balance_scale": ["L", "B", "R"],
    "era": range(1, 10),
    "esl": range(1, 10),
    "lev": range(1, 6),
    "swd": range(1, 5),
    "winequality-red": range(3, 9),
}
MEASURES = ("accuracy", "mae", "macro_mae", "qwk", "cem", "macro_f1")
BASE, DECIDED = "cross_entropy", "cross_entropy, decided"
LOSSES = (BASE, "cumulative_cross_entropy", *MEASURES, "auoc")
HIDDEN, BATCH, RATE = 32, 128, 0.01


class Items(NamedTuple):
    """A data set: standardised features, positions of classes, and the classes."""

    x: Any
    y: Any
    labels: list[str]


class Held(NamedTuple):
    """Items held out with one seed, and the probabilities by loss."""

    items: Any
    gold: Any
    shares: dict[str, Any]


def read(name: str) -> Items:
    """Read a data set; the class is the last column."""
    text = (FOLDER / "data" / "ordinal-tabular" / f"{name}.csv").read_text("utf-8")
    rows = list(csv.reader(text.splitlines()[1:], delimiter=";" if ";" in text else ","))
    labels = [str(label) for label in SETS[name]]
    x = np.array([row[:-1] for row in rows], float)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    return Items(x, np.array([labels.index(row[-1]) for row in rows]), labels)


def train(loss: Any, parts: Any, k: int, epochs: int, seed: int) -> Any:
    """Return the probabilities of the test items by the network of the best epoch."""
    import torch

    torch.manual_seed(seed)
    (x, y), (x_check, y_check), (x_test, _) = parts
    network = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, k)
    )
    optimiser = torch.optim.Adam(network.parameters(), lr=RATE, weight_decay=1e-4)
    best, shares = np.inf, None
    for _ in range(epochs):
        for batch in torch.randperm(len(x)).split(BATCH):
            optimiser.zero_grad()
            loss(network(x[batch]), y[batch]).backward()
            optimiser.step()
        with torch.no_grad():
            value = float(loss.pure(network(x_check), y_check)[0])
            if value < best:
                best, shares = value, network(x_test).double().softmax(-1).numpy()
    return shares


def _held(options: Namespace, case: tuple[str, int]) -> Held:
    """Train with every loss on the split of a seed."""
    import torch

    torch.set_num_threads(1)
    name, seed = case
    items = read(name)
    order = stream(options.seed, *case).permutation(len(items.y))
    fifth = len(order) // 5
    places = order[2 * fifth :], order[fifth : 2 * fifth], order[:fifth]
    parts = [(torch.tensor(items.x[p]).float(), torch.tensor(items.y[p])) for p in places]
    scale = range(1, len(items.labels) + 1)
    shares = {
        key: train(
            oe.loss(key, labels=scale, momentum=0.9), parts, len(scale), options.epochs, seed
        )
        for key in LOSSES
    }
    return Held(places[2], items.y[places[2]] + 1, shares)


class Outcome(NamedTuple):
    """The score of a loss, and how it differs from cross-entropy: 1 better, −1 worse, 0 neither."""

    score: float
    verdict: int


def outcomes(runs: list[Held], k: int, measure: str) -> dict[str, Outcome]:
    """Compare the losses on the test items of all seeds."""
    labels = range(1, k + 1)
    systems = {key: _pooled(runs, key, "argmax", labels) for key in LOSSES}
    systems[DECIDED] = _pooled(runs, BASE, measure, labels)
    result = oe.compare(
        np.concatenate([run.gold for run in runs]),
        systems,
        measure,
        labels=labels,
        cluster=np.concatenate([run.items for run in runs]),
        against=BASE,
    )
    signs, verdicts = {"better": 1, "worse": -1}, {BASE: 0}
    for pair in result.pairs:
        sign = signs.get(pair.verdict, 0)
        verdicts |= {pair.first: sign} if pair.second == BASE else {pair.second: -sign}
    return {key: Outcome(result[measure][key].value, verdicts[key]) for key in systems}


def _pooled(runs: Iterable[Held], key: str, rule: str, labels: Any) -> Any:
    return np.concatenate([oe.decide(run.shares[key], rule, labels=labels) for run in runs])


def tables(options: Namespace) -> Tables:
    """Train, compare, and say who wins."""
    cases = [(name, seed) for name in SETS for seed in range(options.seeds)]
    runs = list(each(_held, cases, options))
    found = {
        (name, m): outcomes(
            [run for run, case in zip(runs, cases, strict=True) if case[0] == name], len(labels), m
        )
        for name, labels in SETS.items()
        for m in MEASURES
    }
    rows = [[f"`{key}`", *(_cell(found, key, m) for m in MEASURES)] for key in (*LOSSES, DECIDED)]
    yield "losses", table(["trained with", *MEASURES], rows)
    best = [[name, *(_winner(found[name, m], m) for m in MEASURES)] for name in SETS]
    yield "winners", table(["data set", *MEASURES], best)


def _cell(found: dict[tuple[str, str], dict[str, Outcome]], key: str, measure: str) -> str:
    """Return the mean score over the sets, and on how many it is better and worse."""
    here = [found[name, measure][key] for name in SETS]
    counts = [sum(o.verdict == sign for o in here) for sign in (1, -1)]
    told = "" if key == BASE else f" (+{counts[0]} −{counts[1]})"
    return f"{np.mean([o.score for o in here]):.3f}{told}"


def _winner(found: dict[str, Outcome], measure: str) -> str:
    """Return the loss with the best score; * if it is significantly better than cross-entropy."""
    sign = 1 if oe.measure(measure).better == "higher" else -1
    best = max(found, key=lambda key: sign * found[key].score)
    return f"{best}{'*' if found[best].verdict > 0 else ''} {found[best].score:.3f}"


if __name__ == "__main__":
    publish(__doc__ or "", "losses.md", tables, seeds=5, epochs=150)
