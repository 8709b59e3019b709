"""Every measure in every variant, and the tables that the tests of measures share."""

import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

import oracles
import ordeval as oe
from ordeval.measures.registry import records

Table = list[list[float]]
Params = dict[str, Any]
VARIANTS = (  # that take other ways through the kernels than the usual ones
    "kappa(weights='none')",
    "alpha(level='nominal')",
    "alpha(level='ratio')",
    "cem(scale='nominal')",
    "macro_mae(empty='zero')",
    "macro_f1(classes='union')",
    "uoc(gamma=2)",
)


def free_weights(k: int) -> tuple[tuple[float, ...], ...]:
    """Asymmetric weights with a zero diagonal, and a zero off it where there is room."""
    return tuple(
        tuple(0 if g == p or (g, p) == (0, 2) else 1 + g * 0.5 + p for p in range(k))
        for g in range(k)
    )


def all_params(id: str, k: int) -> Iterator[Params]:
    """Every combination of the tried values of a measure's parameters."""
    tried = oracles.TRIED[id]
    for chosen in product(*tried.values()):
        params = dict(zip(tried, chosen, strict=True))
        if params.get("weights") == "free":
            params["weights"] = free_weights(k)
        if all(-k <= c < k for c in params.get("classes") or () if isinstance(c, int)):
            yield params


def all_measures(task: str, k: int) -> list[oe.Measure]:
    """Every measure of a task in every combination of the parameters tried, for K classes."""
    return [
        oe.measure(record.id, **params) if params else oe.measure(record.id)
        for record in records().values()
        if record.task == task
        for params in all_params(record.id, k)
    ]


def by_definition(measure: oe.Measure, table: Any, values: Any = None) -> float:
    """The score of a table by the slow definition over items."""
    gold, pred, often = oracles.items_of(table)
    oracle = oracles.ORACLES[measure.id]
    return oracle(gold, pred, len(table), values=values, multiplicity=often, **measure.params)


def random_table(rng: random.Random, k: int, filled: float = 0.6, most: int = 9) -> Table:
    """Counts 1..most in a share `filled` of the cells, and at least one item."""
    table: Table = [
        [rng.randint(1, most) if rng.random() < filled else 0 for _ in range(k)] for _ in range(k)
    ]
    table[rng.randrange(k)][rng.randrange(k)] += 1
    return table


def degenerate_tables(rng: random.Random, k: int) -> dict[str, Table]:
    """One table of each kind that breaks careless formulas."""
    full = [[float(rng.randint(1, 9)) for _ in range(k)] for _ in range(k)]
    one, other = rng.randrange(k), rng.randrange(k)
    nothing = [[0.0] * k for _ in range(k)]

    def kept(keep: Any) -> Table:
        return [[x if keep(g, p) else 0.0 for p, x in enumerate(r)] for g, r in enumerate(full)]

    def single(g: int, p: int, often: float) -> Table:
        return [[often * ((i, j) == (g, p)) for j in range(k)] for i in range(k)]

    return {
        "no items": nothing,
        "empty gold class": kept(lambda g, p: g != one),
        "class never predicted": kept(lambda g, p: p != one),
        "class neither gold nor predicted": kept(lambda g, p: one not in (g, p) or k == 2),
        "constant prediction": kept(lambda g, p: p == one),
        "single gold class": kept(lambda g, p: g == one),
        "perfect": kept(lambda g, p: g == p),
        "reversed": kept(lambda g, p: g + p == k - 1),
        "single item": single(one, other, 1.0),
        "single correct item": single(one, one, 1.0),
        "one correct class": single(one, one, 7.0),
        "one wrong cell": single(0, k - 1, 5.0),
        "huge counts": [[x * 10**11 + rng.randrange(10**9) for x in row] for row in full],
        "huge and tiny": [[x * 10 ** (11 * ((g + p) % 2)) for p, x in enumerate(row)]
                          for g, row in enumerate(full)],
        "real weights": [[x + rng.choice((0.0, 0.25, 0.5)) for x in row] for row in full],
    }  # fmt: skip


def stacked(tables: list[Table]) -> np.ndarray[Any, Any]:
    return np.asarray(tables, dtype=np.float64)
