"""Groups of systems that tests cannot tell apart, as letters."""

from collections.abc import Iterator
from itertools import combinations, count, product
from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

_MOST_GROUPS = 200


def letter_groups(apart: NDArray[np.bool_]) -> list[str] | None:
    """Letters for systems: two share one exactly if they are not told apart.

    The insert-and-absorb method (Piepho 2004): begin with one group of all, split every group
    that holds a pair told apart, drop groups inside others. None if that takes too many groups.

    Parameters
    ----------
    apart : `[S, S]`, symmetric, in the order of the ranking.
    """
    size = len(apart)
    groups = [(1 << size) - 1]  # a group is a set of bits
    for i, j in combinations(range(size), 2):
        if apart[i, j]:
            groups = _split(groups, 1 << i, 1 << j)
        if len(groups) > _MOST_GROUPS:
            return None
    groups.sort(key=lambda g: [not g >> i & 1 for i in range(size)])
    names = list(zip(groups, _names(), strict=False))
    return ["".join(name for group, name in names if group >> i & 1) for i in range(size)]


def _split(groups: list[int], first: int, second: int) -> list[int]:
    """Groups in which the two never meet, none inside another."""
    kept = [g for g in groups if not (g & first and g & second)]
    parts = {g & ~bit for g in groups if g & first and g & second for bit in (first, second)}
    for part in sorted(parts, reverse=True):
        if not any(part & other == part for other in kept if other != part) and part not in kept:
            kept.append(part)
    return kept


def _names() -> Iterator[str]:
    """a, b, … z, then a2, b2, …"""
    yield from ascii_lowercase
    for turn, letter in product(count(2), ascii_lowercase):
        yield f"{letter}{turn}"
