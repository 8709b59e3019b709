"""A skewed five-class population and a few measures, shared by the tests of statistics."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.measures.agreement import kappa
from ordeval.measures.closeness import cem
from ordeval.measures.correlation import kendall_b
from ordeval.measures.error import macro_mae

K = 5
VALUES = np.arange(1.0, K + 1)
NAMES = ("quadratic kappa", "macro MAE", "tau-b", "CEM")
GOLD = np.array([0.45, 0.25, 0.15, 0.09, 0.06])


def scores(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Score tables [..., K, K] under four measures: [4, ...]."""
    n = np.asarray(tables, dtype=np.float64)
    values = np.arange(1.0, n.shape[-1] + 1)
    return np.stack(
        [kappa(n, values, "quadratic"), macro_mae(n, values), kendall_b(n), cem(n, values)]
    )


def accuracy(tables: NDArray[Any]) -> NDArray[np.float64]:
    """Score tables [..., K, K] under accuracy alone: [1, ...]."""
    n = np.asarray(tables, dtype=np.float64)
    return (np.trace(n, axis1=-2, axis2=-1) / n.sum(axis=(-2, -1)))[None]


def answers(sharpness: float = 1.2) -> NDArray[np.float64]:
    """Return probabilities [gold, predicted] that decrease with the distance from gold."""
    weight = np.exp(-sharpness * np.abs(np.subtract.outer(np.arange(K), np.arange(K))))
    return weight / weight.sum(axis=1, keepdims=True)


def population(sharpness: float = 1.2) -> NDArray[np.float64]:
    """Return the probability [gold, predicted] of every cell."""
    return GOLD[:, None] * answers(sharpness)


def joint_population(a: float, b: float, alike: float) -> NDArray[np.float64]:
    """Return the probability [gold, a, b] of two systems of different sharpness.

    With probability `alike` both predict the same class, drawn from their average; otherwise they
    are independent.
    """
    together = (answers(a) + answers(b)) / 2
    same = np.einsum("ga,ab->gab", together, np.eye(K))
    apart = answers(a)[:, :, None] * answers(b)[:, None, :]
    return GOLD[:, None, None] * (alike * same + (1 - alike) * apart)


def draw(rng: np.random.Generator, n: int, cells: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draw n items from a population and count them."""
    flat = cells.ravel() / cells.sum()
    return rng.multinomial(n, flat).reshape(cells.shape)


def items(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the items of a table, a row of labels each: [N, axes]."""
    return np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0)


def table_of(labels: NDArray[np.int64], k: int = K) -> NDArray[np.int64]:
    """Count rows of labels [N, axes]."""
    shape = (k,) * labels.shape[1]
    flat = np.ravel_multi_index(tuple(labels.T), shape)
    return np.bincount(flat, minlength=k ** labels.shape[1]).reshape(shape)
