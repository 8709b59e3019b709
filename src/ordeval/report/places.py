"""Who comes first, and in which place the others come; equal scores share a place."""

import numpy as np

from ..results import Result
from ..spec import Measure

_SAME = 1e-12  # scores nearer than this differ by rounding only


def leaders(result: Result, measure: Measure) -> list[str]:
    """The systems that no other one betters; none where no system has a score."""
    return [s for s in result.scores.ranking(measure) if place(result, measure, s) == 1]


def place(result: Result, measure: Measure, system: str) -> int | None:
    """One more than the number of better systems; None without a score."""
    scores = result.scores
    own = measure.sign * scores.of(measure, system)
    if np.isnan(own):
        return None
    others = measure.sign * scores.values[scores.measures.index(measure)]
    return 1 + int((others > own + _SAME).sum())


def scored(result: Result, measure: Measure) -> int:
    """The number of systems that have a score."""
    values = result.scores.values[result.scores.measures.index(measure)]
    return int((~np.isnan(values)).sum())
