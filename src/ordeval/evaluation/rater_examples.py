"""Items that raters dispute, and some of every number on their pages, with their texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..data.column import sorted_names
from ..data.data import Data
from ..data.examples import RatedExamples, as_text, choose_by, group_of, shown_texts
from ..data.raters import item_names, rated, texts_of
from ..results import DisputedItem, RaterPair
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
    """Return some items of every number on a page, and those that are disputed; None without texts.

    The first raters of `data` are people; of `pairs`, whose classes are set against each other, ""
    is the median of people; `parts` are parts of the items.
    """
    if data.units.texts is None:
        return None
    parts, names, k = parts or {}, list(map(as_text, item_names(data))), data.scale.k
    columns = dict(zip(data.names, data.codes, strict=True))
    if any(not first for first, _ in pairs):
        columns[""] = _medians(data.codes[:people], k)
    tables = {(a, b): _cells(columns[a], columns[b], data) for a, b in pairs}
    keys = [
        *_of_raters(data, people),
        *(cell for cell, _ in tables.values()),
        *(np.where(mask, 0, _NO_CELL) for mask in parts.values()),
    ]
    place = {name: i for i, name in enumerate(names)}
    always = [place[name] for name in map(as_text, disputed) if name in place]
    chosen, most = choose_by(keys, names, always)
    texts = shown_texts(texts_of(data, chosen))
    chosen = chosen[: len(texts)]
    codes = data.codes[:, chosen].astype(np.intp)
    return RatedExamples(
        data.names,
        people,
        tuple(names[i] for i in chosen),
        texts,
        np.where(codes == k, -1, codes),
        most,
        columns[""][chosen] if "" in columns else None,
        {name: np.flatnonzero(mask[chosen]) for name, mask in parts.items()},
        {pair: counts for pair, (_, counts) in tables.items()},
    )


def disputed_items(
    data: Data, far: Floats, most: int, split: Floats | None = None, model: str = ""
) -> list[DisputedItem]:
    """Return the items with the largest distances above 0; ties by `split`, then by name."""
    most = min(most, len(far))
    if not most:
        return []
    least = np.partition(far, -most)[-most]
    places = np.flatnonzero((far > 0) & (far >= least))
    names = item_names(data.take(places))
    rank = {name: i for i, name in enumerate(sorted_names(names))}  # whatever the order of rows
    ranks = np.array([rank[name] for name in names], np.intp)
    ties = ranks * 0.0 if split is None else split[places]
    labels, rows = (*data.scale.plain().labels, None), []
    for i in np.lexsort([ranks, ties, -far[places]])[:most].tolist():
        codes = zip(data.names, data.codes[:, places[i]].tolist(), strict=True)
        ratings = {name: labels[code] for name, code in codes if code != data.scale.k}
        rows.append(DisputedItem(names[i], float(far[places[i]]), ratings, model))
    return rows


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


def _cells(first: Array, second: Array, data: Data) -> tuple[Codes, Floats]:
    """Return the cell of every item in the table of two columns, and how many items each has."""
    k = data.scale.k
    group = np.append(group_of(k), 0)
    size = int(group.max()) + 1
    both = (first != k) & (second != k)
    cell = np.where(both, group[first] * size + group[second], _NO_CELL)
    times = None if data.units.count is None else data.units.count[both]
    counts = np.bincount(cell[both], times, size**2).astype(np.float64)
    return cell, counts.reshape(size, size)
