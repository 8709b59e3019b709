"""Monotone paths through a matrix, all of them: the slow way to OC and UOC."""

from functools import cache

import numpy as np

from .internals import Floats

Path = tuple[tuple[int, int], ...]


@cache
def monotone_paths(k: int) -> tuple[Path, ...]:
    """Return all paths from (1, 1) to (k, k) that step diagonally, right or down.

    Examples
    --------
    >>> [len(monotone_paths(k)) for k in (1, 2, 3)]
    [1, 3, 13]
    """
    return tuple(_from((1, 1), k))


def _from(start: tuple[int, int], k: int) -> list[Path]:
    if start == (k, k):
        return [(start,)]
    r, c = start
    steps = [(r + 1, c + 1), (r, c + 1), (r + 1, c)]
    ahead = [step for step in steps if max(step) <= k]
    return [(start, *rest) for step in ahead for rest in _from(step, k)]


def class_distances(k: int) -> Floats:
    """Return |r − c| `[k, k]`."""
    index = np.arange(float(k))
    return np.abs(index[:, None] - index)


def least_path(cost: Floats) -> tuple[Path, float]:
    """Return the path with the least sum of cell costs, and the sum, by trying all paths."""
    paths = monotone_paths(len(cost))
    sums = [sum(cost[r - 1, c - 1] for r, c in path) for path in paths]
    at = int(np.argmin(sums))
    return paths[at], float(sums[at])


def oc_path(n: Floats, beta: float, gamma: float = 1) -> tuple[Path, float]:
    """Return the best path and OC by equation 7 of Cardoso & Sousa; β is absolute."""
    far = class_distances(len(n)) ** gamma
    whole = n.sum() + (n * far).sum() ** (1 / gamma)
    path, least = least_path(beta * n * far - n / whole)
    return path, 1 + least


def oc_of_shares(n: Floats, beta: float, gamma: float = 1) -> float:
    """Return OC by equation 16 of Silva et al., which has shares of items instead of counts."""
    p, far = n / n.sum(), class_distances(len(n)) ** gamma
    whole = p.sum() + (p * far).sum() ** (1 / gamma)
    return 1 + least_path(n.sum() * beta * p * far - p / whole)[1]


def uoc_path(n: Floats, beta: float, gamma: float = 1) -> float:
    """Return UOC by equation 28 of Silva et al., with the factor that follows from equation 20."""
    gold = n.sum(axis=1, keepdims=True)
    q = np.divide(n, gold, out=np.zeros_like(n), where=gold > 0)
    used, far = int((gold > 0).sum()), class_distances(len(n)) ** gamma
    whole = used + used ** (1 - 1 / gamma) * (q * far).sum() ** (1 / gamma)
    return 1 + least_path(beta / used * q * far - q / whole)[1]
