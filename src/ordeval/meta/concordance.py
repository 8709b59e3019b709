"""Pairs of systems that two rankings order alike, counted without a list of all pairs.

Each row of scores becomes ranks by one sort. Sorted by both ranks of a system, the pairs that the
second scores order the other way are the inversions of its ranks (Knight 1966). Comparing ranks at
every distance counts these: S²/2 comparisons, but of one or two bytes each, which processors make
by the dozen. For hundreds of systems that is faster than a merge sort of many rows.

All counts are whole numbers, so that τ has the same bits as if computed from all pairs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.types import Array, Bools, Floats, Ints

# Scores that differ by less than this share of the largest one differ by rounding only.
ROUNDING = 1e-12
_AT_A_TIME = 2**17  # scores, so that they stay in cache
_SCORE_BITS = 52  # of a key; the other bits hold the system
# Scores become integers with an error of a unit or two; closer calls than this are made as defined.
_UNSURE = 8


class Concordance(NamedTuple):
    """Numbers of pairs of systems, NaN where a score is undefined.

    Parameters
    ----------
    agreement : ndarray
        Concordant minus discordant pairs.
    untied_first, untied_second : ndarray
        Pairs whose scores differ by more than rounding.
    """

    agreement: Floats
    untied_first: Floats
    untied_second: Floats


class _Ranks(NamedTuple):
    """Ranks `[R, S]` from 0, equal where tied; tied pairs `[R]`; rows `[R]` that have no ranks."""

    ranks: Ints
    tied: Ints
    failed: Bools


def concordance(first: Floats, second: Floats) -> Concordance:
    """Count the pairs that rows `[..., S]` of scores order alike; leading axes are broadcast.

    Scores that differ by at most `ROUNDING` times the largest of their row are tied.
    """
    first, second = np.broadcast_arrays(first, second)
    *batch, systems = first.shape
    rows = first.reshape(-1, systems), second.reshape(-1, systems)
    found = np.empty((3, len(rows[0])))
    step = max(1, _AT_A_TIME // max(1, systems))
    for start in range(0, len(rows[0]), step):
        part = slice(start, start + step)
        found[:, part] = _count_rows(rows[0][part], rows[1][part])
    return Concordance(*found.reshape(3, *batch))


def _count_rows(first: Floats, second: Floats) -> Floats:
    """Count the pairs of rows `[R, S]`: agreement and untied pairs `[3, R]`."""
    pairs = first.shape[1] * (first.shape[1] - 1) // 2
    a, b = _ranks(first), _ranks(second)
    ordered, tied_in_both = _in_order(a, b)
    agreement = pairs - a.tied - b.tied + tied_in_both - 2 * _inversions(ordered)
    found = np.array([agreement, pairs - a.tied, pairs - b.tied], dtype=np.float64)
    undefined = np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1)
    found[:, undefined] = np.nan
    for row in np.flatnonzero((a.failed | b.failed) & ~undefined):
        found[:, row] = _count_as_defined(first[row], second[row])
    return found


def _ranks(scores: Floats) -> _Ranks:
    """Rank rows of scores; rows fail if they are not finite, or where ties are not transitive."""
    size, systems = scores.shape
    shift = max(1, systems - 1).bit_length()
    bits = min(_SCORE_BITS, 62 - shift)
    largest = np.abs(scores).max(axis=1, keepdims=True, initial=0.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        scale = np.where(largest == 0, 0.0, 2.0**bits / largest)
    failed = ~(np.isfinite(scale) & np.isfinite(largest))[:, 0]
    if failed.any():
        scores, scale = np.where(failed[:, None], 0.0, scores), np.where(failed[:, None], 0, scale)
    keys = (scores * scale).astype(np.int64)
    keys <<= shift
    keys |= np.arange(systems)
    keys.sort(axis=1)
    system = keys & (2**shift - 1)
    keys >>= shift
    places = np.broadcast_to(np.arange(systems), scores.shape)
    tied: Ints = np.zeros(size, dtype=np.int64)
    tolerance = ROUNDING * 2.0**bits
    close = np.flatnonzero((np.diff(keys, axis=1) <= tolerance + _UNSURE).any(axis=1))
    if len(close):
        places = places.copy()
        places[close], tied[close], unsure = _tied_ranks(keys[close], tolerance)
        failed[close] |= unsure
    ranks = np.empty(scores.shape, dtype=_rank_type(systems))
    system += systems * np.arange(size)[:, None]
    ranks.reshape(-1)[system.reshape(-1)] = places.reshape(-1)
    return _Ranks(ranks, tied, failed)


def _rank_type(systems: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest type of ranks, which makes comparisons fast."""
    return np.uint8 if systems <= 2**8 else np.uint16 if systems <= 2**16 else np.uint32


def _tied_ranks(ordered: Ints, tolerance: float) -> tuple[Ints, Ints, Bools]:
    """Rank sorted rows `[R, S]` with ties: ranks, tied pairs `[R]`, and whether ties are unsure.

    They are where a gap is nearly the tolerance, and where the ends of a run of ties are not tied.
    """
    gaps = np.diff(ordered, axis=1)
    apart = np.zeros(ordered.shape, dtype=np.bool_)
    apart[:, 1:] = gaps > tolerance
    places = np.arange(ordered.shape[1])
    start = np.maximum.accumulate(np.where(apart, places, 0), axis=1)
    length = ordered - np.take_along_axis(ordered, start, axis=1)
    near: Bools = np.abs(gaps - tolerance) <= _UNSURE
    long: Bools = length >= tolerance - _UNSURE
    unsure = np.asarray(near.any(axis=1) | long.any(axis=1))
    return apart.cumsum(axis=1), (places - start).sum(axis=1), unsure


def _in_order(a: _Ranks, b: _Ranks) -> tuple[Array, Ints]:
    """Return the second ranks `[R, S]` in the order of the first, and pairs tied in both `[R]`."""
    wide = np.dtype(np.uint32 if a.ranks.dtype.itemsize <= 2 else np.uint64)
    half = wide.itemsize * 4
    keys = a.ranks.astype(wide)
    keys <<= wide.type(half)
    keys |= b.ranks
    keys.sort(axis=1)
    tied = np.zeros(len(keys), dtype=np.int64)
    both = np.flatnonzero((a.tied > 0) & (b.tied > 0))
    if len(both):
        places = np.arange(keys.shape[1])
        new = np.zeros((len(both), keys.shape[1]), dtype=np.bool_)
        new[:, 1:] = np.diff(keys[both], axis=1) != 0
        start = np.maximum.accumulate(np.where(new, places, 0), axis=1)
        tied[both] = (places - start).sum(axis=1)
    return (keys & wide.type(2**half - 1)).astype(b.ranks.dtype), tied


def _inversions(ranks: Array) -> Ints:
    """Count `[R]` the pairs of each row `[R, S]` of which the later rank is smaller."""
    columns = np.ascontiguousarray(ranks.T)  # entries at one distance are then one array
    smaller = np.empty(columns.shape, dtype=np.bool_)
    count: NDArray[np.uint8] = np.zeros(columns.shape, dtype=np.uint8)
    total = np.zeros(len(ranks), dtype=np.int64)
    for distance in range(1, len(columns)):
        found = smaller[distance:]
        np.less(columns[distance:], columns[:-distance], out=found)
        count[distance:] += found.view(np.uint8)
        if distance % 255 == 0 or distance == len(columns) - 1:  # before it overflows
            total += count.sum(axis=0, dtype=np.int64)
            count[:] = 0
    return total


def _count_as_defined(first: Floats, second: Floats) -> tuple[float, float, float]:
    """Count the pairs of two rows by the signs of all differences."""
    a, b = _pair_signs(first), _pair_signs(second)
    return float(a @ b), float(a @ a), float(b @ b)


def _pair_signs(row: Floats) -> Floats:
    """Return +1, 0 or -1 for each pair of scores; infinite ones tie whatever is finite."""
    first, second = np.triu_indices(len(row), 1)
    with np.errstate(invalid="ignore"):
        gaps = row[first] - row[second]
    signs: Floats = np.sign(gaps)
    signs[np.abs(gaps) <= ROUNDING * np.abs(row).max()] = 0.0
    return signs
