"""Sums of floats that the order of the rows does not change."""

import numpy as np

from ..types import Array, Floats, Ints

_CHUNK = 1 << 14  # rows a step: their parts stay in the processor's cache
_DIGITS = 52  # binary digits of a float, less one for the sign of the last part
_FEWEST = 8  # digits of a part
_LEAST = 2.0**-1074  # below there are no digits


def sums_by_cell(
    amounts: Floats,
    cell: Array | None = None,
    cells: int = 1,
    count: Ints | None = None,
    *,
    squared: bool = False,
) -> Floats:
    """Return the sums of amounts, or of their squares, each taken `count` times, by cell.

    Amounts are split into parts: multiples of a unit that is so coarse that sums of parts are
    exact, in any order.
    """
    items = len(amounts) if count is None else int(count.sum())
    step = 2.0 ** -max(_FEWEST, _DIGITS - items.bit_length())
    largest = max(float(amounts.max()), -float(amounts.min()))
    highest = 2.0 ** int(np.frexp(largest**2 if squared else largest)[1])
    size = max(_CHUNK, cells)
    totals: list[Floats] = []
    for start in range(0, len(amounts), size):
        rows, unit, level = slice(start, start + size), highest, 0
        rest = np.square(amounts[rows]) if squared else amounts[rows].copy()
        while not level or (unit > _LEAST and rest.any()):
            unit = max(unit * step, _LEAST)
            shift = 1.5 * 2.0**_DIGITS * unit  # what makes a sum forget digits below the unit
            part = rest + shift
            part -= shift
            rest -= part
            if level == len(totals):
                totals.append(np.zeros(cells))
            part = part if count is None else part * count[rows]
            totals[level] += part.sum() if cell is None else np.bincount(cell[rows], part, cells)
            level += 1
    return np.asarray(sum(totals))
