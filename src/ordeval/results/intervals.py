"""Intervals of scores, in arrays."""

from dataclasses import dataclass, replace
from math import isnan
from typing import Self

import numpy as np

from ..stats.intervals import Kind
from ..types import Array, Floats, Ints, Over


@dataclass(frozen=True)
class Intervals:
    """Intervals of scores.

    Parameters
    ----------
    low, high, se : ndarray of shape (n_measures, n_systems)
        Ends and standard errors.
    undefined : ndarray of int
        The number of undefined replicates, which were left out.
    method : str
        "dirichlet", "t" or "percentile".
    level : float
        The confidence level.
    replicates : int
        The number of replicates; for "t", of units.
    over : str
        What was resampled: "items", "topics", "clusters" or "both".
    seed : int
        The seed of all draws.
    doubts : ndarray of int, optional
        For every interval the number of the reason, from 1, why it may cover less than its level
        on these data; 0 where it need not be doubted. None if none is.
    reasons : tuple of str
        The reasons.
    """

    low: Floats
    high: Floats
    se: Floats
    undefined: Ints
    method: Kind
    level: float
    replicates: int
    over: Over
    seed: int
    doubts: Ints | None = None
    reasons: tuple[str, ...] = ()

    def at(self, *place: int) -> tuple[float, float, float, str]:
        """Return an interval, its standard error and why it may be doubted."""
        low, high, se = (float(x[place]) for x in (self.low, self.high, self.se))
        number = 0 if self.doubts is None or isnan(low) else int(self.doubts[place])
        return low, high, se, "".join(self.reasons[number - 1 : number]) if number else ""

    def doubted(self, why: Array) -> Self:
        """Return the intervals with a reason for each, empty text where there is no doubt."""
        reasons = tuple(dict.fromkeys(filter(None, why.ravel().tolist())))
        if not reasons:
            return replace(self, doubts=None, reasons=())
        numbers = {"": 0, **{text: i for i, text in enumerate(reasons, 1)}}
        codes = np.array([numbers[text] for text in why.ravel().tolist()], dtype=np.int64)
        return replace(self, doubts=codes.reshape(why.shape), reasons=reasons)
