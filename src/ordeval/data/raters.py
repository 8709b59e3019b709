"""Ratings as data: a column per rater, all of them alike, and K where one did not rate an item."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InputError, plural, quoted, require_known
from ..notes import Note, note
from ..types import Array, Bools, Codes, Floats, Ints
from .data import Data


def rated(data: Data) -> Bools:
    """Return which raters rated which items: `[rater, item]`."""
    return np.asarray(data.codes != data.scale.k)


def complete(data: Data) -> Bools:
    """Return which items all raters rated."""
    return np.asarray(rated(data).all(axis=0))


def amounts(data: Data) -> Floats:
    """Return how much every row counts: its weight times its number of items."""
    total = np.ones(len(data))
    for numbers in (data.units.weight, data.units.count):
        if numbers is not None:
            total = total * numbers
    return total


def of_raters(data: Data, places: Sequence[int]) -> Data:
    """Return the ratings of some of the raters, by their positions, in that order."""
    places = list(places)
    if places == list(range(len(data.names))):
        return data
    return replace(data, codes=data.codes[places], names=tuple(data.names[i] for i in places))


def chosen_raters(data: Data, raters: Mapping[str, str]) -> Data:
    """Return the ratings of the raters that were asked for; values are the parameters."""
    for name, parameter in raters.items():
        require_known("rater", name, data.names, parameter)
    return of_raters(data, [data.names.index(name) for name in raters])


def counting(data: Data) -> Data:
    """Return the items that have a rating and count, and the raters who rated any of them."""
    has_rating = np.asarray(rated(data).any(axis=0))
    that_count = data.units.counting()
    counts = np.ones(len(data), dtype=np.bool_) if that_count is None else that_count
    keep = has_rating & counts
    kept = data if keep.all() else data.take(keep)
    active = np.asarray(rated(kept).any(axis=1))
    if not active.any():
        raise InputError("There is no rating: all are missing.", parameter="ratings")
    lost = {
        "they have no rating at all": int((~has_rating).sum()),
        "their weight or frequency is 0": int((has_rating & ~counts).sum()),
    }
    notices = [_left_out(why, n) for why, n in lost.items() if n]
    if without := [name for name, any_item in zip(data.names, active, strict=True) if not any_item]:
        notices.append(note("raters", f"Left out, because they rated nothing: {quoted(without)}."))
    some = of_raters(kept, np.flatnonzero(active).tolist())
    return replace(some, notices=(*data.notices, *notices))


def without_gaps(data: Data) -> Data:
    """Return the items that all raters rated; a notice says how many are left out."""
    full = complete(data)
    if full.all():
        return data
    if not full.any():
        raise InputError(
            f"No item was rated by all of {plural(len(data.names), 'rater')}.",
            parameter="missing",
            hint="Leave {missing} out, or take fewer raters.",
        )
    notice = _left_out("not all raters rated them", data.units.items_of(~full))
    return replace(data.take(full), notices=(*data.notices, notice))


def _left_out(why: str, items: int) -> Note:
    return note("missing", f"Left out, because {why}: {plural(items, 'item')}.")


def item_names(data: Data) -> list[str]:
    """Return the names of the items: their ids, or the numbers of their rows, from 1."""
    assert data.units.ids is not None
    return list(map(str, data.units.ids.tolist()))


def texts_of(data: Data, items: Codes) -> Sequence[Any] | Array:
    """Return the texts of some items, which must have texts."""
    ids, texts = data.units.ids, data.units.texts
    assert ids is not None
    assert texts is not None
    return texts(ids[items].tolist()) if callable(texts) else texts[items]


def gaps_first(codes: Array, k: int) -> Iterator[Codes]:
    """Return columns of codes in which no rating is 0, and all others are one more."""
    places = np.append(np.arange(1, k + 1), 0)
    return (places[column] for column in codes)


def values_of(codes: Array, values: Floats) -> Floats:
    """Return the class value of every rating, 0 where there is none."""
    return np.append(values, 0.0)[codes]


def class_counts(codes: Array, k: int) -> Ints:
    """Return how many raters gave each of `k` classes, from codes `[rater, item]`."""
    cell = codes + (k + 1) * np.arange(codes.shape[1])
    return np.bincount(cell.ravel(), None, (k + 1) * codes.shape[1]).reshape(-1, k + 1)[:, :k]


def classes_by_rater(codes: Array, k: int, weights: Floats | None) -> Floats:
    """Return how often every rater gave each of `k` classes, in sums of weights, or in items."""
    counts = [np.bincount(column, weights, k + 1)[:k] for column in codes]  # without gaps
    return np.asarray(counts, dtype=np.float64)
