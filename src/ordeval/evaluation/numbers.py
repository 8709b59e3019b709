"""Intervals and tests of measures of numbers: scores of units, from the influence of items.

To first order a score is a sum over items. What the items of a unit add to it, times the number of
units, is the score of the unit: the mean over units is the score, and t intervals and tests are
those of means over topics.
"""

from collections.abc import Callable

import numpy as np

from ..data.moments import SUMS, Numbers
from ..measures.influence import derivatives
from ..stats.resample import stream
from ..types import Codes, Floats

OnSums = Callable[[Floats], Floats]
"""Maps sums `[..., 9]` to scores `[M, ...]`, NaN where undefined."""

MOST_UNITS = 2**14  # more items than this are dealt into so many groups at random


def unit_scores(
    numbers: Numbers, score: OnSums, estimate: Floats, unit: Codes | None, topics: int, skip: bool
) -> Floats:
    """Return scores `[M, S, unit]` with the mean `estimate` `[M, S]`.

    `unit` is the topic or cluster of every row; None for single items. With several `topics` the
    score is a mean over them, which may `skip` those without a score.
    """
    place = _units(numbers, unit)
    units = int(place.max()) + 1
    topic = numbers.topic if topics > 1 else None
    sums = numbers.sums(topic, topics)
    slopes = _slopes(numbers, score, sums)  # [M, S, T, 9]
    averaged = np.sum(~np.isnan(score(sums)), axis=-1) if skip else np.full(estimate.shape, topics)
    parts = np.zeros((*estimate.shape, units))
    for rows in numbers.chunks():
        each = numbers.each(rows)  # [S, 9, row]
        if topic is None:
            added = np.einsum("msj,sjr->msr", slopes[:, :, 0], each)
        else:
            added = np.einsum("msrj,sjr->msr", slopes[:, :, topic[rows]], each)
        for score_at in np.ndindex(estimate.shape):
            parts[score_at] += np.bincount(place[rows], added[score_at], units)
    parts /= np.maximum(averaged, 1)[..., None]
    parts -= parts.mean(axis=-1, keepdims=True)
    return np.asarray(estimate[..., None] + units * parts)


def _units(numbers: Numbers, unit: Codes | None) -> Codes:
    """Return the unit of every row, from 0."""
    if unit is not None:
        return np.unique(unit, return_inverse=True)[1]
    if len(numbers) <= MOST_UNITS:
        return np.arange(len(numbers))
    return stream(0, "dealt").permutation(len(numbers)) % MOST_UNITS


def _slopes(numbers: Numbers, score: OnSums, sums: Floats) -> Floats:
    """Return the derivatives `[M, S, T, 9]` of scores by sums `[S, T, 9]`; 0 where undefined."""
    size = np.zeros(len(SUMS))
    for rows in numbers.chunks():
        size = np.maximum(size, np.abs(numbers.each(rows)).max(axis=(0, 2)))
    slopes = derivatives(score, sums, size * np.maximum(sums[..., :1], 1.0))
    return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)
