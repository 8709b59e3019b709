"""Which of two systems is better on which slice: differences within slices, tested together.

Exchanging the labels of two systems on an item changes their difference by twice what the item adds
to it, to first order at the mean of both tables, which no exchange changes. So where systems are
alike on a slice, every pattern of signs of what its items add is as likely as the data. One set of
signs serves all pairs, and clusters keep theirs in all slices. A sum with signs is divided by the
root of the sum of squares, which signs do not change, so that a slice of few items never reaches
far; the sum of the data by its standard error, if that is larger, since systems of equal score may
err differently. Step-down max-T corrects for all slices and pairs together. On slices of many items
sums with random signs are normal, with the covariance of the pairs.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np

from ..types import Array, Floats, Ints
from .exchange import TABLE_TOLERANCE
from .max_t import step_down_of
from .resample import stream
from .table_intervals import ADDED_ITEMS
from .unit_tables import drawn_heads, random_bits

_MOST_SIGNS = 400  # items of a slice, or clusters, that have signs
_ROUNDING = 1e-12


class PairFigures(NamedTuple):
    """Differences [P] of scores, and what an item of each row [P, r] adds to them.

    `changes` is half of what an exchange of labels takes away, `influence` that on the difference.
    """

    difference: Floats
    changes: Floats
    influence: Floats


class SliceUnits(NamedTuple):
    """Rows of equal items of a slice, as many as `items` [r], with the `share` [r] of one item.

    `figures` has those of every measure, for which the share of an item is 1, and `unit` [r] the
    clusters.
    """

    figures: Iterable[PairFigures]
    share: Floats
    items: Ints
    unit: Ints | None

    @property
    def number(self) -> float:
        """The effective number of units."""
        if self.unit is None:
            return float(1 / (self.items * self.share**2).sum())
        return float(1 / (np.bincount(self.unit, self.items * self.share) ** 2).sum())


class _Drawn(NamedTuple):
    """Differences [P] of a slice, their statistics and variances, and drawn statistics [P, B]."""

    difference: Floats
    z: Floats
    variance: Floats
    sizes: Array


def slice_pairs(
    slices: Sequence[SliceUnits], widths: Floats, trials: int, level: float, seed: int
) -> Floats:
    """Return the difference, interval, standard error and p of pairs on slices, [M, P, G, 5].

    `widths` [M] are the largest possible differences.
    """
    clusters = max((int(one.unit.max()) + 1 for one in slices if one.unit is not None), default=0)
    signs = random_bits(stream(seed, "slice pairs"), clusters, trials)
    every, units = [], np.array([[one.number] for one in slices])
    drawn = [
        list(_drawn(one, widths, signs, stream(seed, "slice pairs", i)))
        for i, one in enumerate(slices)
    ]
    for width, of_measure in zip(widths, zip(*drawn, strict=True), strict=True):
        difference, z, variance = (np.stack([x[i] for x in of_measure]) for i in range(3))
        p, far = _corrected(z, np.concatenate([x.sizes for x in of_measure]), level)
        half, se = _reach(variance, units, far)
        apart, size = p < (1 - level) * (1 - 1e-9), np.abs(difference)
        half = np.where(apart, np.minimum(half, size * (1 - 1e-9)), np.fmax(half, size))
        half[np.isnan(p) | ~(se > 0)] = se[np.isnan(z)] = np.nan
        ends = (np.clip(difference + step, -width, width) for step in (-half, half))
        every.append(np.stack([difference, *ends, se, p], axis=-1).swapaxes(0, 1))
    return np.stack(every)


def _drawn(
    of: SliceUnits, widths: Floats, signs: Array, rng: np.random.Generator
) -> Iterator[_Drawn]:
    """Yield what the signs of the units of a slice give under every measure."""
    count, trials = of.items, signs.shape[1]
    noise: Floats | None = None
    if of.unit is not None:
        used, place = np.unique(of.unit, return_inverse=True)
        noise, count = 2.0 * signs[used] - 1, np.ones(len(used), np.int64)
    elif count.sum() <= _MOST_SIGNS:
        noise = np.asarray(2.0 * drawn_heads(rng, count, trials) - count[:, None], np.float64)
    alone = of.number < 1 + _ROUNDING  # one cluster, of which nothing follows
    more = 1.0 if alone else of.number / (of.number - 1)
    for width, (difference, *added) in zip(widths, of.figures, strict=True):
        if of.unit is None:
            changes, influence = (x * of.share for x in added)
        else:
            each = of.items * of.share
            sums = (np.stack([np.bincount(place, each * row) for row in x]) for x in added)
            changes, influence = (np.asarray(x, np.float64) for x in sums)
        least = _ROUNDING * width if np.isfinite(width) else 0.0
        changes[np.abs(changes) < least] = 0.0  # a score that is 0 by definition
        influence[np.abs(influence) < least] = 0.0
        total, square, own = changes @ count, changes**2 @ count, influence**2 @ count
        spread = np.maximum(square - total**2 / of.number, 0.0) * more
        per = _per(square)
        if noise is None:
            root = _root((changes * count) @ changes.T)
            drawn = root @ rng.standard_normal((trials, len(root))).T
        else:
            drawn = changes @ noise
        z = np.where(np.isnan(difference) | alone, np.nan, total * _per(np.maximum(square, own)))
        sizes = np.abs(drawn * per[:, None]).astype(np.float32)
        yield _Drawn(difference, z, np.maximum(spread, own), sizes)


def _per(square: Floats) -> Floats:
    """Return one by the root of a sum of squares, 0 where that is 0."""
    return np.divide(1.0, np.sqrt(square), out=np.zeros_like(square), where=square > 0)


def _root(both: Floats) -> Floats:
    """Return a matrix whose product with its transpose is a covariance."""
    if not np.isfinite(both).all():
        return np.full_like(both, np.nan)
    values, vectors = np.linalg.eigh(both)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))


def _corrected(z: Floats, drawn: Array, level: float) -> tuple[Floats, float]:
    """Return p [G, P] of step-down max-T, and the quantile of the largest statistic."""
    p, largest = step_down_of(z, np.abs(z) > 0, drawn, TABLE_TOLERANCE)
    place = ceil((1 - level) * (drawn.shape[1] + 1) - 1e-9) - 1  # the data are a trial, too
    return p, float(np.sort(largest)[-place]) if place > 0 else np.inf


def _reach(variance: Floats, units: Floats, far: float) -> tuple[Floats, Floats]:
    """Return how far simultaneous intervals reach, and standard errors, both [G, P].

    Where systems agree on all items of a slice, these are those of two items of all slices.
    """
    known = np.isfinite(variance)
    typical = np.where(known, variance, 0.0) * units**2
    typical = typical.sum(axis=0) / np.maximum((units * known).sum(axis=0), _ROUNDING)
    least = typical * ADDED_ITEMS / (units + ADDED_ITEMS) / units
    se = np.sqrt(np.where(known, np.maximum(variance, least), np.nan))
    left = np.maximum(units - far**2, _ROUNDING)
    return far * np.sqrt(np.maximum(units - 1, 0.0) / left) * se, se
