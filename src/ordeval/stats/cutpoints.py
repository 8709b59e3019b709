"""Cut-points on a real-valued score that are best for a measure.

Items are sorted by their score. K − 1 places between different scores divide them into classes; a
place is the number of items below it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np

from ..data.scale import Scale
from ..measures.batches import score_tables
from ..measures.costs import costs_of, is_ratio
from ..measures.spec import Measure, parse_measure
from ..types import Array, Bools, Codes, Floats

_ROUNDS = 100  # of Dinkelbach's iteration, which takes 3 to 6
_MOST_PLACES = 200  # that a search compares at a time
_PAIRED = 13  # times the places of one cut are compared, where two cuts are moved together
_MOST_CELLS = 4 * 10**6  # of the tables that are compared for all cuts; fewer places on long scales
_STARTS = ("qwk", "lwk", "accuracy", "macro_mae", "macro_recall")


@dataclass(frozen=True, eq=False)
class SortedItems:
    """Items by increasing score: the score, the gold class and perhaps a weight of each."""

    score: Floats
    gold: Codes
    weight: Floats | None
    scale: Scale

    def take(self, rows: Bools) -> "SortedItems":
        """Return some of the items."""
        weight = None if self.weight is None else self.weight[rows]
        return SortedItems(self.score[rows], self.gold[rows], weight, self.scale)

    @cached_property
    def margin(self) -> Floats:
        """The items of every gold class, with weights at the scale of their effective number."""
        if self.weight is None:
            return np.bincount(self.gold, minlength=self.scale.k).astype(np.float64)
        unit = self.weight.sum() / (self.weight**2).sum()
        return np.asarray(unit * np.bincount(self.gold, self.weight, self.scale.k))

    @cached_property
    def gaps(self) -> Codes:
        """The places between different scores, and both ends."""
        first = np.append(True, self.score[1:] != self.score[:-1])
        return np.append(np.flatnonzero(first), len(self.score))

    @cached_property
    def places(self) -> Codes:
        """The places where a cut may be best: the ends, and between different gold classes.

        Among items of one gold class that follow each other, costs are linear in the place of a
        cut, so that no place inside is better than both ends. Equal scores are not divided.
        """
        starts = self.gaps[:-1]
        low, high = (np.asarray(f.reduceat(self.gold, starts)) for f in (np.minimum, np.maximum))
        pure = low == high
        inside = pure[1:] & pure[:-1] & (low[1:] == low[:-1])
        return np.array([0, *starts[1:][~inside], len(self.score)], dtype=np.intp)

    def cut_at(self, places: Array) -> tuple[float, ...]:
        """Return numbers that divide the items at places: midway, or infinite at the ends."""
        ends = np.concatenate([[-inf], self.score, [inf]])
        low, high = ends[places], ends[np.asarray(places) + 1]
        with np.errstate(invalid="ignore"):
            middle = low / 2 + high / 2
        apart = np.isfinite(middle) & (middle > low) & (middle <= high)
        return tuple(np.where(apart, middle, np.where(np.isinf(low), low, high)).tolist())

    def places_of(self, cuts: Iterable[float]) -> Codes:
        """Return the places of cuts, which themselves belong to the upper class."""
        return np.searchsorted(self.score, np.asarray(tuple(cuts)), side="left")

    def table(self, places: Array) -> Floats:
        """Return the table of gold by predicted class."""
        k, sizes = self.scale.k, np.diff(places, prepend=0, append=len(self.gold))
        cells = self.gold * k + np.repeat(np.arange(k), sizes)
        counts = np.bincount(cells, self.weight, k * k).reshape(k, k)
        return np.asarray(counts * (self.margin.sum() / counts.sum()))

    def score_of(self, measure: Measure, places: Array) -> float:
        """Return the score of a measure, higher for better, −∞ where undefined."""
        return float(_signed(measure, self.table(places)[None], self.scale)[0])


def sorted_items(score: Floats, gold: Codes, weight: Floats | None, scale: Scale) -> SortedItems:
    """Return items sorted by their score."""
    order = np.argsort(score, kind="stable")
    some = None if weight is None else weight[order]
    return SortedItems(score[order], gold[order].astype(np.intp), some, scale)


def best_places(items: SortedItems, measure: Measure, ratio: float | None = None) -> Codes:
    """Return the places of the K − 1 cuts that are best for a measure.

    Exact where the score is a ratio of sums over the items. For a fixed ratio λ, the cuts with
    the smallest Σ (loss − λ chance) are found by a dynamic programme: the best division of the
    first i items into k classes ends with a class k that begins at some place j ≤ i, and costs the
    best division of the first j items into k − 1 classes plus C_k(i) − C_k(j), where C_k are
    cumulative costs of predicting class k; the best j is a running minimum. No division has a
    smaller ratio than λ exactly if that minimum is 0, and otherwise the ratio of the division found
    is smaller, so that iterating ends at the smallest ratio (Dinkelbach). Every division by
    thresholds is among those compared, up to ones that cost the same.

    For other measures the result is a local optimum: of moves of single cuts, from several starts.
    `ratio` is a start of the iteration.
    """
    if not is_ratio(measure):
        return _searched(items, measure)
    costs = costs_of(measure, items.margin, items.scale)
    best = _cheapest(items, costs.at(1.0 if ratio is None else ratio))
    found = costs.ratio(items.table(best))
    for _ in range(_ROUNDS if costs.chance is not None else 0):
        places = _cheapest(items, costs.at(found if np.isfinite(found) else 0.0))
        smaller = costs.ratio(items.table(places))
        if not smaller < found - 1e-14 * abs(found):
            break
        best, found = places, smaller
    return best


def ratio_at(items: SortedItems, measure: Measure, places: Codes) -> float | None:
    """Return the ratio that places have, a good start for similar items."""
    if not is_ratio(measure):
        return None
    ratio = costs_of(measure, items.margin, items.scale).ratio(items.table(places))
    return ratio if np.isfinite(ratio) else None


def _cheapest(items: SortedItems, cost: Floats) -> Codes:
    """Return the places with the smallest sum of costs `[gold, predicted]`."""
    at, k = items.places, items.scale.k
    begins: list[Bools] = []  # by class: where a new best beginning of the class is found
    for p in range(k):
        total = _cumulative(items, cost[:, p], at)
        if not p:
            best = total
            continue
        best = best - total
        running = np.minimum.accumulate(best)
        begins.append(np.concatenate([[True], best[1:] < running[:-1]]))
        best = np.add(running, total, out=running)
    places, end = np.empty(k - 1, dtype=np.intp), len(at) - 1
    for p in range(k - 2, -1, -1):
        end = int(np.flatnonzero(begins[p][: end + 1])[-1])
        places[p] = at[end]
    return places


def _cumulative(items: SortedItems, cost: Floats, at: Codes) -> Floats:
    """Return the costs `[place]` of the items below places, if all are predicted alike."""
    each = cost[items.gold] if items.weight is None else cost[items.gold] * items.weight
    return np.concatenate([[0.0], np.cumsum(each)])[at]


def quantile_places(items: SortedItems) -> Codes:
    """Return the places at which predicted classes have the shares of gold classes."""
    weight = np.ones(len(items.gold)) if items.weight is None else items.weight
    below = np.concatenate([[0.0], np.cumsum(weight)])
    wanted = np.cumsum(items.margin)[:-1] / items.margin.sum() * below[-1]
    ends = items.gaps
    after = np.minimum(np.searchsorted(below[ends], wanted), len(ends) - 1)
    before = np.maximum(after - 1, 0)
    nearer = wanted - below[ends[before]] < below[ends[after]] - wanted
    return np.asarray(ends[np.where(nearer, before, after)])


def rounding_cuts(scale: Scale) -> tuple[float, ...]:
    """Return the cuts midway between class values."""
    return tuple(((scale.numbers[1:] + scale.numbers[:-1]) / 2).tolist())


# Measures that are no ratios of sums.


def _signed(measure: Measure, tables: Floats, scale: Scale) -> Floats:
    found = measure.sign * score_tables([measure], tables, scale)[0]
    return np.asarray(np.where(np.isnan(found), -inf, found))


def _searched(items: SortedItems, measure: Measure) -> Codes:
    """Return the best places that searches from several starts find."""
    starts = [best_places(items, parse_measure(start)) for start in _STARTS]
    starts += [quantile_places(items), items.places_of(rounding_cuts(items.scale))]
    most = _most_places(items.scale.k)
    starts.sort(key=lambda places: -items.score_of(measure, places))
    kept = starts[: 1 + len(starts) * most // _MOST_PLACES]
    ends = [_improved(items, measure, start, most) for start in kept]
    return max(ends, key=lambda places: items.score_of(measure, places))


def _most_places(k: int) -> int:
    """Return how many places a search compares at a time."""
    return max(10, min(_MOST_PLACES, _MOST_CELLS // k**3))


def _improved(items: SortedItems, measure: Measure, places: Codes, most: int) -> Codes:
    """Move cuts, one or two neighbouring ones at a time, until no move is better."""
    some = items.gaps if len(items.gaps) <= _MOST_PLACES else items.places
    every = np.unique(np.append(some, places))
    counts = np.stack([_cumulative(items, row, every) for row in np.eye(items.scale.k)], axis=1)
    counts *= items.margin.sum() / counts[-1].sum()
    at, best = np.searchsorted(every, places), items.score_of(measure, places)
    while True:
        before = best
        for cut in range(len(at)):
            for moved in _moves(at, cut, len(every), most):
                scores = _signed(measure, _tables(counts, at, cut, moved), items.scale)
                if scores.max() > best:
                    best, chosen = float(scores.max()), moved[int(scores.argmax())]
                    at[cut : cut + len(chosen)] = chosen
        if not best > before:
            return np.asarray(every[at])


def _moves(at: Codes, cut: int, places: int, most: int) -> Iterator[Codes]:
    """Yield where a cut, perhaps with the next one, may go between its neighbours: `[move, cut]`.

    One cut goes everywhere in steps, then nearby; two go everywhere where there are few places.
    """
    ends = np.concatenate([[0], at, [places - 1]])
    low, high = ends[cut], ends[cut + 2]
    yield np.unique(np.linspace(low, high, most).astype(np.intp))[:, None]
    step = 1 + (high - low) // most
    while step > 1:
        near = np.linspace(at[cut] - step, at[cut] + step, most).astype(np.intp)
        yield np.unique(np.clip(near, low, high))[:, None]
        step = 1 + 2 * step // most if step > most // 2 else 1
    if cut + 1 < len(at) and (between := ends[cut + 3] - low + 1) ** 2 <= _PAIRED * most:
        yield low + np.stack(np.triu_indices(between), axis=1)


def _tables(counts: Floats, at: Codes, cut: int, moved: Codes) -> Floats:
    """Return the tables `[move, gold, predicted]` with some cuts, from `cut` on, elsewhere."""
    ends = np.tile(np.concatenate([[0], at, [len(counts) - 1]]), (len(moved), 1))
    ends[:, cut + 1 : cut + 1 + moved.shape[1]] = moved
    return np.swapaxes(np.diff(counts[ends], axis=1), 1, 2)
