"""Some items of every number on the pages of raters, with their texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..data.data import Data
from ..data.examples import RatedExamples, as_text, choose_by, group_of, shown_texts
from ..data.raters import item_names, rated, texts_of
from ..results import RaterPair
from ..types import Array, Bools, Codes, Floats

MOST_TABLES = 10  # pairs of raters, or models, that have a table of classes
_NO_CELL = -1
_MOST_REPLACEMENTS = 400  # pairs of a person and a model whose items are chosen


def rated_examples(
    data: Data,
    people: int,
    *,
    disputed: Iterable[str],
    pairs: Sequence[tuple[str, str]] = (),
    parts: Mapping[str, Bools] | None = None,
) -> RatedExamples | None:
    """Return some items of every number on a page, and those that are disputed.

    Parameters
    ----------
    data : Data
        The ratings, those of people first.
    people : int
        The number of people among the raters.
    disputed : iterable of str
        The names of items that are shown one by one.
    pairs : sequence of (str, str)
        The raters whose classes are set against each other; "" is the median of people.
    parts : mapping of str to ndarray of bool, optional
        Parts of the items.

    Returns
    -------
    RatedExamples or None
        The items; None without texts.
    """
    if data.units.texts is None:
        return None
    parts, names = parts or {}, list(map(as_text, item_names(data)))
    place = {name: i for i, name in enumerate(names)}
    k, median = data.scale.k, None
    if any(not a for a, _ in pairs):
        median = _medians(data.codes[:people], k)
    tables = {pair: _Table(data, *pair, median) for pair in pairs}
    keys = [
        *_of_raters(data, people),
        *(table.cell for table in tables.values()),
        *(np.where(mask, 0, _NO_CELL) for mask in parts.values()),
    ]
    always = [place[name] for name in map(as_text, disputed) if name in place]
    chosen, most = choose_by(keys, names, always)
    texts = shown_texts(texts_of(data, chosen))
    chosen = chosen[: len(texts)]
    return RatedExamples(
        data.names,
        people,
        tuple(names[i] for i in chosen),
        texts,
        _gaps_below(data.codes[:, chosen], k),
        most,
        None if median is None else median[chosen],
        {name: np.flatnonzero(mask[chosen]) for name, mask in parts.items()},
        {pair: table.counts for pair, table in tables.items()},
    )


def least_agreeing(pairs: Iterable[RaterPair]) -> list[tuple[str, str]]:
    """Return the pairs of raters that agree least under the first measure."""
    rows = list(pairs)
    first = [row for row in rows if row.measure == rows[0].measure and row.items]
    first.sort(key=lambda row: np.nan_to_num(row.measure.sign * row.value, nan=np.inf))
    return [(row.first, row.second) for row in first[:MOST_TABLES]]


def _of_raters(data: Data, people: int) -> Iterator[Codes]:
    """Return by rater which items are rated by nobody else, and which by other people, too.

    Beside people, also those that a person, a model and another person rated.
    """
    given = rated(data)
    number = given[:people].sum(axis=0)
    models = range(people, len(given))
    for rater, own in enumerate(given):
        others = number - own if rater < people else number
        yield np.where(own, (others > 0).astype(np.intp), _NO_CELL)
    if people * len(models) > _MOST_REPLACEMENTS:
        return
    for person in range(people):
        shared = given[person] & (number > 1)
        for model in models:
            yield np.where(shared & given[model], 0, _NO_CELL)


def _medians(codes: Array, k: int) -> Codes:
    """Return the median class of every item, the lower of two; every item has a rating."""
    middle = ((codes != k).sum(axis=0) - 1) // 2
    ordered = np.sort(codes, axis=0)
    return np.asarray(ordered[middle, np.arange(codes.shape[1])], dtype=np.intp)


def _gaps_below(codes: Array, k: int) -> Codes:
    """Return codes in which -1 is no rating, as pages have it."""
    return np.where(codes == k, -1, codes.astype(np.intp))


class _Table:
    """The classes of two raters: the cell of every item, and how many items each has."""

    def __init__(self, data: Data, first: str, second: str, median: Codes | None) -> None:
        k, by_name = data.scale.k, dict(zip(data.names, data.codes, strict=True))
        group = np.append(group_of(k), 0)
        own, other = by_name[second], by_name[first] if first or median is None else median
        size = int(group.max()) + 1
        both = (own != k) & (other != k)
        self.cell: Codes = np.where(both, group[other] * size + group[own], _NO_CELL)
        times = None if data.units.count is None else data.units.count[both]
        counts = np.bincount(self.cell[both], times, size**2)
        self.counts: Floats = counts.astype(np.float64).reshape(size, size)
