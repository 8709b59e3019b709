"""What belongs to the rows of data beside their classes: counts, weights, groups, ids, texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, plural
from ..types import Array, Bools, Codes, Floats, Ints
from .column import read_numbers

_MOST_ITEMS = 2**53  # the largest number of items that a float counts exactly


@dataclass(frozen=True, eq=False)
class Units:
    """The rows of data: how many items each stands for, and what these belong to.

    Parameters
    ----------
    size : int
        The number of rows.
    count : ndarray, optional
        The number of items that each row stands for, 1 by default: whole numbers but for shares
        that were counted with weights.
    weight : ndarray, optional
        The importance of each of these items.
    rate : ndarray, optional
        The rate at which such items were labelled, beside the labels of a judge.
    topic, cluster : ndarray of int, optional
        The topic and the cluster of each row, as positions in the sorted names.
    topics, clusters : tuple of str
        These names.
    ids : ndarray, optional
        The ids of the items, if texts are to be shown.
    texts : ndarray or callable, optional
        Their texts, or what returns the texts of items given by their ids.
    parts : mapping
        Further divisions of the rows: the part of each, and the names of the parts.
    """

    size: int
    count: Array | None = None
    weight: Floats | None = None
    rate: Floats | None = None
    topic: Codes | None = None
    topics: tuple[str, ...] = ()
    cluster: Codes | None = None
    clusters: tuple[str, ...] = ()
    ids: Array | None = None
    texts: Array | Callable[[Sequence[Any]], Sequence[Any]] | None = None
    parts: Mapping[str, tuple[Codes, tuple[str, ...]]] = field(default_factory=dict)

    @property
    def items(self) -> int:
        """The number of items."""
        return self.size if self.count is None else int(self.count.sum())

    def items_of(self, rows: Bools) -> int:
        """Return the number of items of some rows."""
        return int(rows.sum()) if self.count is None else int(self.count[rows].sum())

    def counting(self) -> Bools | None:
        """Return which rows count, those of weight or frequency 0 do not; None if all do."""
        given = [x > 0 for x in (self.weight, self.count) if x is not None]
        keep = np.logical_and.reduce(given) if given else None
        return None if keep is None or keep.all() else np.asarray(keep)

    def take(self, rows: Array) -> "Units":
        """Return some of the rows."""

        def kept(column: Array | None) -> Any:
            return None if column is None else column[rows]

        return Units(
            int(rows.sum()) if rows.dtype == np.bool_ else len(rows),
            kept(self.count),
            kept(self.weight),
            kept(self.rate),
            kept(self.topic),
            self.topics,
            kept(self.cluster),
            self.clusters,
            kept(self.ids),
            kept(self.texts) if isinstance(self.texts, np.ndarray) else self.texts,
            {name: (codes[rows], names) for name, (codes, names) in self.parts.items()},
        )


def check_weight(given: Any, n: int, name: str = "weight", column: str = "") -> Floats:
    """Return weights as n finite, non-negative numbers, not all zero.

    Messages name the parameter, and perhaps the column of a table.
    """
    weight = _item_numbers(given, n, name, column)
    largest = float(weight.max())
    if not 1e-100 < largest < 1e100:
        raise InputError(
            f"{column or name} has weights up to {largest:.3g}, which cannot be squared; only the "
            "ratios of weights matter, so divide them by a number.",
            parameter=name,
        )
    return weight


def check_frequency(frequency: Any, n: int, column: str = "") -> Ints:
    """Return frequencies as n whole, non-negative numbers, not all zero."""
    numbers = _item_numbers(frequency, n, "frequency", column)
    part = np.flatnonzero(numbers != np.floor(numbers))
    if part.size:
        raise InputError(
            f"{column or 'frequency'} has {plural(part.size, 'number')} that are not whole, the "
            f"first ({numbers[part[0]]}) at position {part[0]}; a row stands for a whole number of "
            "items.",
            parameter="frequency",
            hint="If the numbers are importance or design weights, pass {weight} instead.",
            suggest={"weight": ...},
        )
    if numbers.sum() > _MOST_ITEMS:
        raise InputError(
            f"frequency adds up to {numbers.sum():.3g} items; at most {_MOST_ITEMS:.3g} can be "
            "counted.",
            parameter="frequency",
        )
    return numbers.astype(np.int64)


def _item_numbers(given: Any, n: int, name: str, column: str) -> Floats:
    """Return n finite, non-negative numbers, not all zero."""
    numbers, shown = read_numbers(given, name), column or name
    if numbers.shape != (n,):
        raise InputError(
            f"{shown} has shape {numbers.shape} for {n} items; one number per item is expected.",
            parameter=name,
        )
    bad = np.flatnonzero(~np.isfinite(numbers) | (numbers < 0))
    if bad.size:
        raise InputError(
            f"{shown} has {plural(bad.size, 'missing, negative or infinite number')}, the first "
            f"({numbers[bad[0]]}){'' if column else f' at position {bad[0]}'}; all must be finite "
            "and at least 0.",
            parameter=name,
        )
    if not numbers.any():
        raise InputError(
            f"{shown} is 0 for every item; at least one must be positive.", parameter=name
        )
    return numbers
