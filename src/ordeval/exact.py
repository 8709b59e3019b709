"""Sums of floats that do not depend on the order of the addends.

Every addend is split into parts on fixed grids, which are so coarse that all sums of parts are
exact. The sums of parts are added up and rounded once, so that the result is the float that is
nearest to the true sum, whatever the order of the addends and whatever adds up the parts: NumPy, a
data frame or a database. `class_sums` adds up the few numbers of a row, always in the same order.
"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import islice
from math import fsum

import numpy as np

from .types import Array, Floats

_DIGITS = 53  # binary digits of a float
_LEAST = -1074  # the exponent of the least positive float
_MOST = 960  # larger exponents leave no room for the grids
_FEWEST = 8  # digits of a part
_FEW_CLASSES = 16  # columns that are added one by one


class Grids:
    """The units of the parts that addends are split into, the coarsest first.

    Parameters
    ----------
    largest : float or ndarray
        The largest size of an addend; an array for several sums, each with grids of its own.
    addends : int
        The number of addends.
    """

    def __init__(self, largest: float | Floats, addends: int) -> None:
        self._exponent = np.frexp(np.asarray(largest, dtype=np.float64))[1]
        self._digits = max(_FEWEST, _DIGITS - max(1, int(addends)).bit_length())
        self._usable = bool(np.isfinite(largest).all() and (self._exponent < _MOST).all())

    def _shifts(self) -> Iterator[Floats]:
        """Yield what rounds a number to a grid when it is added and subtracted again."""
        for level in range(1, 1 + (2 * _MOST - _LEAST) // self._digits):
            exponent = np.maximum(self._exponent - level * self._digits, _LEAST)
            yield np.asarray(np.ldexp(1.5, exponent + _DIGITS - 1))

    def shifts(self, least: float) -> list[float]:
        """Return what is added and subtracted to split a number, down to the digits of the least.

        Parameters
        ----------
        least : float
            The least size of an addend, apart from 0.

        Returns
        -------
        list of float
            A number for every part but the last, which is the rest.
        """
        if not self._usable or not least > 0:
            return []
        digits = int(self._exponent) - max(int(np.frexp(least)[1]) - _DIGITS, _LEAST)
        return [float(shift) for shift in islice(self._shifts(), -(-digits // self._digits) - 1)]

    def parts(self, values: Floats) -> Iterator[Floats]:
        """Yield parts of numbers, which add up to them, as long as not all are 0.

        Parameters
        ----------
        values : ndarray
            The addends, in the last axis for several sums.

        Yields
        ------
        ndarray of the shape of `values`
            Numbers whose sums are exact.
        """
        rest = values
        for shift in self._shifts() if self._usable else ():
            part = rest + shift
            part -= shift
            yield part
            rest = rest - part
            if not rest.any():
                return
        yield rest


class Sums:
    """Exact sums by cell, of parts that come chunk by chunk.

    Parameters
    ----------
    shape : tuple of int
        The shape of the sums.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape, self._levels = shape, list[Floats]()

    def level(self, number: int) -> Floats:
        """Return the sums of the parts of a level, to be added to."""
        while len(self._levels) <= number:
            self._levels.append(np.zeros(self._shape))
        return self._levels[number]

    def rounded(self) -> Floats:
        """Return the sums of all parts, rounded once."""
        return rounded_sum(self._levels) if self._levels else np.zeros(self._shape)


def parts_of(values: Floats, times: Array | None = None) -> list[Floats]:
    """Return parts of values, times how often each is added, whose sums are exact."""
    addends = len(values) if times is None else int(times.sum())
    parts = Grids(np.abs(values).max(initial=0.0), addends).parts(values)
    return [part if times is None else part * times for part in parts]


def rounded_sum(parts: Sequence[Array]) -> Floats:
    """Return the sums of a few arrays, rounded once.

    Parameters
    ----------
    parts : sequence of ndarray
        Arrays of one shape.

    Returns
    -------
    ndarray
        The floats that are nearest to the sums.
    """
    parts = [part for i, part in enumerate(parts) if not i or part.any()]
    if len(parts) < 3:
        return np.asarray(reduce(np.add, parts), dtype=np.float64)
    if len(parts) == 3:
        return _sum_of_three(*parts)
    stacked = np.stack(parts).reshape(len(parts), -1)
    found = stacked[0].copy()
    several = np.flatnonzero(stacked[1:].any(axis=0))
    found[several] = [fsum(column) for column in stacked[:, several].T.tolist()]
    return np.asarray(found.reshape(parts[0].shape))


def _sum_of_three(a: Floats, b: Floats, c: Floats) -> Floats:
    """Return a + b + c rounded once (Boldo and Melquiond 2008, figure 4).

    The lower parts are added with the last digit rounded to odd, which keeps apart what the last
    addition must not take for a tie.
    """
    high, low = _two_sum(b, c)
    high, rest = _two_sum(a, high)
    odd, lost = _two_sum(rest, low)
    bits = np.ascontiguousarray(odd).view(np.int64)
    even = (lost != 0) & (bits % 2 == 0)
    outwards = (lost > 0) == (odd > 0)
    nudged = (bits + np.where(outwards, 1, -1)).view(np.float64)
    return np.asarray(high + np.where(even, nudged, odd))


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return a + b and what its rounding lost."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)


def class_sums(rows: Floats) -> Floats:
    """Return the sums over the last axis.

    Parameters
    ----------
    rows : ndarray of shape (..., n_classes)
        Numbers of classes.

    Returns
    -------
    ndarray of shape (...)
        The sums. Of few classes the columns are added one by one, which is several times faster
        where there are many rows.

    Examples
    --------
    >>> import numpy as np
    >>> from ordeval.exact import class_sums
    >>> class_sums(np.array([[1.0, 3.0], [2.0, 2.0]]))
    array([4., 4.])
    """
    k = rows.shape[-1]
    if not 1 < k <= _FEW_CLASSES:
        return rows.sum(axis=-1)  # type: ignore[no-any-return]
    total = rows[..., 0]
    for place in range(1, k):
        total = total + rows[..., place]
    return total
