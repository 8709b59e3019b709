"""Some items of every cell of the tables, which pages show with their texts.

Items are chosen in the order of a hash of their ids: neither the order of rows nor the door by
which the data came matters, and what is chosen for a cell is no particular part of the data.
Because all cells are chosen from in one order, the first items of a union of cells are the first
among those chosen for its parts, and every item is held once.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..types import Array, Codes, Floats
from .scale import class_groups

PER_CELL = 20
HASH_DIGITS = 16  # of the hash of an id, in hexadecimal notation
LONGEST_TEXT = 10_000  # characters
JOINED_TEXTS = "\n\n"  # between different texts of the same item
MOST_CLASSES = 12  # of longer scales, items are chosen by groups of classes
LONGEST_SCALE = 300  # classes; of still longer ones, items are chosen by their gold class only
_LARGEST_SHORT = 2**15 - 1
_MOST_ITEMS = 3_000
_MOST_CHARACTERS = 5_000_000


@dataclass(frozen=True, eq=False)
class Examples:
    """Items to be shown, in the order of the hashes of their ids.

    `labels` are class codes `[gold and systems, item]`. Differences are those between the first
    system and each other one; `closer` counts the items on which each of both is closer to gold.
    """

    systems: tuple[str, ...]
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    labels: Codes
    per_cell: int = PER_CELL
    closer: Floats | None = None

    @classmethod
    def of(
        cls,
        systems: Sequence[str],
        ids: Iterable[Any],
        texts: Iterable[Any],
        labels: Codes,
        per_cell: int,
    ) -> "Examples":
        """Return examples, as many as a page can hold; ids and texts are made text."""
        held = shown_texts(texts)
        named = tuple(map(as_text, ids))[: len(held)]
        return cls(tuple(systems), named, held, labels[:, : len(held)], per_cell)


@dataclass(frozen=True, eq=False)
class RatedExamples:
    """Items that several raters rated, people first, in the order of the hashes of their ids.

    `codes` `[rater, item]` are -1 where a rater did not rate an item. `median` is the class of the
    median of the people, the lower one of two. `parts` are the positions of the items of a part of
    the data. `tables` tell how often two raters, or the median of people ("") and a model, gave
    which classes; long scales are in groups of classes.
    """

    raters: tuple[str, ...]
    people: int
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    codes: Codes
    per_cell: int = PER_CELL
    median: Codes | None = None
    parts: Mapping[str, Codes] = field(default_factory=dict)
    tables: Mapping[tuple[str, str], Floats] = field(default_factory=dict)


def shown_texts(texts: Iterable[Any]) -> tuple[str, ...]:
    """Return texts as text, cut where they are long, and as many as a page can hold."""
    held = tuple(map(as_text, texts))
    held = tuple(t if len(t) <= LONGEST_TEXT else f"{t[:LONGEST_TEXT]} […]" for t in held)
    fitting = np.cumsum([len(text) for text in held]) <= _MOST_CHARACTERS
    return held[: min(_MOST_ITEMS, int(fitting.sum()))]


def as_text(value: Any) -> str:
    """Return an id or a text as text; several parts of an id are separated by commas."""
    if isinstance(value, list | tuple):
        return ", ".join(map(as_text, value))
    text = "" if value is None or value != value else str(value)
    return text.encode(errors="replace").decode()  # no halves of surrogate pairs


def cells_of(systems: int, k: int, *, paired: bool) -> list[tuple[int, ...]]:
    """Return the columns of labels, gold first, that define cells: for singles or for pairs."""
    if k > LONGEST_SCALE:
        return [(0,)]
    if paired and systems > 1 and k <= MOST_CLASSES:
        return [(0, 1, i) for i in range(2, 1 + systems)]
    return [(0, i) for i in range(1, 1 + systems)]


def per_cell_of(ranks: Array) -> int:
    """Return how many items of every cell can be held; ranks are the lowest ones of the items."""
    held = np.bincount(np.minimum(ranks, PER_CELL), minlength=PER_CELL + 1)[:PER_CELL].cumsum()
    return max(1, int((held <= _MOST_ITEMS).sum()))


def choose(
    labels: Codes, k: int, ids: Sequence[Any] | Array, cells: Iterable[tuple[int, ...]]
) -> tuple[Codes, int]:
    """Return the positions of some items of every cell, and the largest number per cell.

    `cells` are the columns of `labels` `[column, item]` that define cells. Positions are in the
    order of the hashes of ids.
    """
    keys = (key for columns in cells for key in keys_of(labels[list(columns)], k))
    return choose_by(keys, ids)


def keys_of(labels: Codes, k: int) -> Iterator[Codes]:
    """Return the cell of every item in each division of the items that a page shows.

    Of few classes it is the one of all `labels` `[column, item]`, of which others are unions. Of
    many it is the class by each column and, of gold and a system, groups of classes and the
    distance in classes.
    """
    if k <= MOST_CLASSES:
        yield np.asarray(np.ravel_multi_index(tuple(labels), (k,) * len(labels)), np.intp)
        return
    yield from labels
    if len(labels) == 2:
        group = group_of(k)[labels]
        yield group[0] * k + group[1]
        yield np.clip(labels[1] - labels[0], -MOST_CLASSES, MOST_CLASSES) + MOST_CLASSES


def group_of(k: int) -> Codes:
    """Return for every class of a scale its place among the groups that pages show."""
    starts = class_groups(range(k), MOST_CLASSES)[1]
    return np.asarray(np.searchsorted(starts, np.arange(k), side="right") - 1, np.intp)


def choose_by(
    keys: Iterable[Codes], ids: Sequence[Any] | Array, always: Sequence[int] = ()
) -> tuple[Codes, int]:
    """Return the positions of some items of every cell, and the largest number per cell.

    `keys` hold the cell of every item in one division of the items, -1 if it is in none. Items in
    `always` are chosen in any case. Positions are in the order of the hashes of ids.
    """
    from hashlib import md5  # slow to import

    hashes = (int(md5(as_text(id).encode()).hexdigest()[:HASH_DIGITS], 16) for id in ids)
    order = np.argsort(np.fromiter(hashes, np.uint64, len(ids)), kind="stable")
    ranks = np.full(len(order), PER_CELL)
    for key in keys:
        cell = key[order]
        ranks = np.minimum(ranks, np.where(cell < 0, PER_CELL, rank_in_cell(cell)))
    ranks[np.isin(order, always)] = 0
    most = per_cell_of(ranks)
    return order[ranks < most], most


def rank_in_cell(cell: Codes) -> Codes:
    """Return for every item how many before it are in the same cell."""
    cell = cell + 1  # none is -1
    largest = int(cell.max(initial=0))
    small = cell.astype(np.int16) if largest <= _LARGEST_SHORT else cell  # sorted much faster
    by_cell = np.argsort(small, kind="stable")
    sizes = np.bincount(cell)
    starts = np.repeat(np.cumsum(sizes) - sizes, sizes)
    ranks = np.empty_like(by_cell)
    ranks[by_cell] = np.arange(len(cell)) - starts
    return ranks
