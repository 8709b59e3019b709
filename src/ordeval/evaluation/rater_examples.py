"""Some items of every number on the pages of raters, with their texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from ..data.examples import RatedExamples, as_text, choose_by, group_of, shown_texts
from ..ratings import GAP, Ratings
from ..results import RaterPair
from ..types import Bools, Codes, Floats

MOST_TABLES = 10  # pairs of raters, or models, that have a table of classes
_MOST_REPLACEMENTS = 400  # pairs of a person and a model whose items are chosen


def rated_examples(
    ratings: Ratings,
    people: int,
    *,
    disputed: Iterable[str],
    pairs: Sequence[tuple[str, str]] = (),
    parts: Mapping[str, Bools] | None = None,
) -> RatedExamples | None:
    """Return some items of every number on a page, and those that are disputed.

    Parameters
    ----------
    ratings : Ratings
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
    if ratings.texts is None:
        return None
    parts, names = parts or {}, [as_text(ratings.name(i)) for i in range(len(ratings.codes))]
    place = {name: i for i, name in enumerate(names)}
    median = _medians(ratings.codes[:, :people]) if any(not a for a, _ in pairs) else None
    tables = {pair: _Table(ratings, *pair, median) for pair in pairs}
    keys = [
        *_of_raters(ratings, people),
        *(table.cell for table in tables.values()),
        *(np.where(mask, 0, GAP) for mask in parts.values()),
    ]
    always = [place[name] for name in map(as_text, disputed) if name in place]
    chosen, most = choose_by(keys, names, always)
    texts = shown_texts(ratings.texts_of(chosen))
    chosen = chosen[: len(texts)]
    return RatedExamples(
        ratings.raters,
        people,
        tuple(names[i] for i in chosen),
        texts,
        ratings.codes[chosen].T,
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


def _of_raters(ratings: Ratings, people: int) -> Iterator[Codes]:
    """Return by rater which items are rated by nobody else, and which by other people, too.

    Beside people, also those that a person, a model and another person rated.
    """
    rated = ratings.rated
    number = rated[:, :people].sum(axis=1)
    models = range(people, len(ratings.raters))
    for rater in range(len(ratings.raters)):
        others = number - rated[:, rater] if rater < people else number
        yield np.where(rated[:, rater], (others > 0).astype(np.intp), GAP)
    if people * len(models) > _MOST_REPLACEMENTS:
        return
    for person in range(people):
        shared = rated[:, person] & (number > 1)
        for model in models:
            yield np.where(shared & rated[:, model], 0, GAP)


def _medians(codes: Codes) -> Codes:
    """Return the median class of every item, the lower of two; every item has a rating."""
    ordered = np.sort(codes, axis=1)
    number = (codes != GAP).sum(axis=1)
    gaps = codes.shape[1] - number
    return np.asarray(ordered[np.arange(len(codes)), gaps + (number - 1) // 2])


class _Table:
    """The classes of two raters: the cell of every item, and how many items each has."""

    def __init__(self, ratings: Ratings, first: str, second: str, median: Codes | None) -> None:
        group = group_of(ratings.scale.k)
        own = ratings.codes[:, ratings.place(second)]
        other = ratings.codes[:, ratings.place(first)] if first or median is None else median
        size = int(group[-1]) + 1
        both = (own != GAP) & (other != GAP)
        self.cell: Codes = np.where(both, group[other] * size + group[own], GAP)
        times = None if ratings.frequency is None else ratings.frequency[both]
        counts = np.bincount(self.cell[both], times, size**2)
        self.counts: Floats = counts.astype(np.float64).reshape(size, size)
