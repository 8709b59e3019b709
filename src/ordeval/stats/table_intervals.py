"""Intervals over items of the scores of tables, and of the difference of two systems.

A bootstrap never draws a cell that is empty in the data: a system without errors has no errors in
any replicate, and an interval without width. By default every drawn table therefore has two more
items than the data. They have any gold class alike, and a predicted class that is half as likely
with every step away from it: errors that were not seen are taken to be near. With few items on a
long scale far errors may be there and unseen, so `rests_on_prior` compares with intervals whose
added items fall into all classes alike. The cells of the larger table are drawn from a Dirichlet
distribution: as Gamma variables, divided by their sum. Only cells that hold items are drawn, so
the cost does not depend on the number of items. Sums over numbers are drawn in the same way.

The interval reaches from one quantile of the scores of the drawn tables to another, with three
changes, each of which vanishes as items become many:

- Quantiles are widened by the ratio of Student's t to the normal quantile.
- The draws show how much sampling moves a score up or down on average. The data have this bias
  too, and the draws have it twice; the interval is extended by twice the bias in the other
  direction.
- The score of the data is inside.

With weights, the Gamma variable of a cell has the mean and the variance of the sum of the weights
in it, and an added item has an average weight. The drawn tables have the effective number of items
as their total, so multiplying all weights by a number changes nothing.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ..errors import check_choice
from ..measures.batches import batch_innermost
from ..measures.scoring import check_undefined
from ..measures.terms import Cells, Places, sums_by, worth_listing
from ..types import Aggregate, Array, Bools, Codes, Floats, Over, Undefined
from .intervals import Interval, percentile, t_quantile, tails
from .resample import (
    Block,
    Plan,
    Statistic,
    as_tables,
    bootstrap,
    effective_number,
    score_draws,
    score_topics,
    stream,
    weighted_means,
    wrong_shape,
)

TableMethod = Literal["dirichlet", "percentile"]

ADDED_ITEMS = 2
PER_STEP = 0.5  # how likely a class is, relative to one that is a step nearer to the gold class
UNSEEN = 300  # with fewer items, 1 % of errors is missed by more than 5 % of samples
_CHUNK_CELLS = 2**20  # numbers in the cells that are scored at a time
_OVER = ("items", "topics", "both")


def table_interval(
    counts: ArrayLike,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    joint: bool = False,
    method: TableMethod = "dirichlet",
    squares: ArrayLike | None = None,
    level: float = 0.95,
    bounds: ArrayLike | None = None,
    over: Over = "items",
    aggregate: Aggregate = "pool",
    undefined: Undefined = None,
) -> Interval:
    """Compute intervals of the scores of one system, or of the difference of two.

    Parameters
    ----------
    counts : array_like of shape ([T,] K, K), or ([T,] K, K, K) with `joint`
        Counts of items by gold and predicted class, of every topic; or sums of weights.
    statistic : callable
        Maps tables of shape (..., K, K) to scores of shape (M, ...), NaN where undefined.
    plan : Plan, optional
        The number of draws and the seed. By default 2,000 draws from seed 0.
    joint : bool, default: False
        Whether items are counted by gold class and the classes that two systems predict. The
        interval is then that of the first system's score minus the second's.
    method : {"dirichlet", "percentile"}, default: "dirichlet"
        Draw items from a Dirichlet distribution around the data with two items added, whose
        intervals have no width only if no table has another score; or quantiles of a bootstrap.
    squares : array_like of the shape of `counts`, optional
        Sums of squared weights; without them, items are drawn from whole counts.
    level : float, default: 0.95
        Nominal coverage.
    bounds : array_like of shape (M, 2), optional
        The lowest and the highest possible score of each measure, beyond which the correction of
        bias does not extend an interval. By default there are none.
    over : {"items", "topics", "both"}, default: "items"
        With "percentile", resample the items of every topic, whole topics, or topics and then
        their items.
    aggregate : {"mean", "pool"}, default: "pool"
        Score every topic and take the mean, or score the sum of the topics' tables.
    undefined : float, "skip" or None, default: None
        A number replaces undefined scores, "skip" leaves undefined topics out of a mean, and
        None makes a mean undefined if any topic in it is.

    Returns
    -------
    Interval
        Intervals of shape (M,). Equal tables have equal intervals, and exchanging two systems
        changes the sign of their difference and nothing else.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> def accuracy(tables):
    ...     return (np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)))[None]
    >>> interval = oe.stats.table_interval([[12, 0], [0, 8]], accuracy)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [1.0, 0.83, 1.0]
    >>> counts = [[[18, 10], [2, 0]], [[4, 2], [8, 16]]]  # gold, first system, second system
    >>> interval = oe.stats.table_interval(counts, accuracy, joint=True)
    >>> [round(float(x[0]), 2) for x in (interval.estimate, interval.low, interval.high)]
    [0.23, 0.08, 0.38]
    """
    check_choice("method", method, get_args(TableMethod))
    check_choice("over", over, _OVER if method == "percentile" else _OVER[:1])
    check_choice("aggregate", aggregate, get_args(Aggregate))
    check_undefined(undefined)
    weights = as_tables(counts, whole=squares is None and over != "topics")
    classes = weights.shape[-3 if joint else -2 :]
    topics = weights.ndim - len(classes)  # an axis, which items do not need
    if len(set(classes)) != 1 or len(classes) < 2 + joint or topics not in {over != "items", 1}:
        shape = ", ".join("K" * (2 + joint))
        of = "joint counts of two systems" if joint else "counts of one system"
        raise wrong_shape(weights, f"([topics,] {shape}), {of},", "counts")
    weights, plan = weights.reshape(-1, *classes), plan or Plan()
    if method == "percentile":
        return resampled_interval(weights, statistic, plan, level, over, aggregate, undefined)
    squared = weights if squares is None else np.asarray(squares, np.float64).reshape(weights.shape)
    cells = FilledCells.of(weights, squared).aggregated(aggregate)
    return drawn_interval(cells, statistic, plan, level, bounds, undefined)


def resampled_interval(
    counts: Floats,
    statistic: Statistic,
    plan: Plan,
    level: float,
    over: Over,
    aggregate: Aggregate,
    undefined: Undefined,
) -> Interval:
    """Compute percentile intervals of one system [T, K, K] or of a difference [T, K, K, K]."""
    two, sign, tables, score = counts.ndim == 4, 1, counts, statistic
    if two:
        tables, sign = _canonical(counts)
        k = counts.shape[-1]

        def score(cells: Array) -> Floats:
            # Systems stay apart until means are taken: a mean may skip topics of one of them only.
            paired = cells.reshape(*cells.shape[:-1], k, k)
            scores = statistic(np.stack([paired.sum(axis=-1), paired.sum(axis=-2)]))
            return np.concatenate([scores[:, 0], scores[:, 1]])

    replicates = bootstrap(tables, score, plan, over=over, aggregate=aggregate, undefined=undefined)
    estimate = score_topics(tables, score, aggregate, undefined)
    if two:
        estimate, replicates = (np.subtract(*np.split(s, 2)) for s in (estimate, replicates))
    interval = percentile(estimate, replicates, level)
    return interval if sign == 1 else interval.negated()


def _canonical(joint: Floats) -> tuple[Floats, int]:
    """Return joint counts as tables [T, K, K * K], and a sign that exchanging systems changes.

    The order of the systems is decided by the counts themselves.
    """
    turned = joint.swapaxes(-1, -2)
    apart = np.flatnonzero(joint.ravel() != turned.ravel())
    ahead = not len(apart) or joint.ravel()[apart[0]] > turned.ravel()[apart[0]]
    ordered = joint if ahead else turned
    return ordered.reshape(*joint.shape[:2], -1), 1 if ahead else -1


def drawn_interval(
    cells: "FilledCells",
    statistic: Statistic,
    plan: Plan,
    level: float,
    bounds: ArrayLike | None = None,
    undefined: Undefined = None,
) -> Interval:
    """Compute Dirichlet intervals of one system, or of the difference of two."""
    two = len(cells.codes) == 2
    order = cells.order_of_systems() if two else 1
    cells = cells.exchanged() if order < 0 else cells
    scores = _score(cells, statistic, plan, undefined)
    estimate, replicates, center = (
        part[..., 0] - part[..., 1] if two else part[..., 0] for part in scores
    )
    if order == 0:
        # No system comes first: every draw is as likely as that with the systems exchanged.
        center = np.zeros_like(center)
        replicates = np.concatenate([replicates, -replicates], axis=1)
    limits = _limits(bounds, len(estimate), two=two)
    interval = interval_of_draws(estimate, replicates, center, limits, level, cells.effective)
    interval = replace(interval, replicates=plan.replicates)
    return interval if order >= 0 else interval.negated()


def sums_interval(
    groups: Floats,
    cells: Floats,
    score: Callable[[Floats], Floats],
    plan: Plan,
    level: float,
    bounds: ArrayLike | None = None,
    per_step: float = PER_STEP,
) -> Interval:
    """Compute Dirichlet intervals of one system from numbers.

    `groups` are sums [1, G, 9] over groups of items, `cells` those [K * K, 9] of one item with the
    numbers of two classes, and `score` maps sums [..., 9] to scores [M, ...].
    """
    k, whole = math.isqrt(len(cells)), groups.sum(axis=1)
    weight, square = whole[0, :2]
    chances = prior(k, per_step).ravel()
    reached = np.cumsum(chances / ADDED_ITEMS)

    def scaled(sums: Floats) -> Floats:
        sums = sums * (weight / sums[..., :1])
        sums[..., 1] = square  # the effective number of items is that of the data
        return sums

    def draw(block: Block) -> Floats:
        rng, size = stream(plan.seed, "numbers", block.number), (block.size, ADDED_ITEMS)
        drawn = rng.standard_exponential((block.size, groups.shape[1])) @ groups  # [1, b, 9]
        added = rng.standard_exponential((*size, 1)) * (square / weight)
        gold = rng.integers(k, size=size)
        codes = gold * k + _predicted(rng, gold, k, reached)
        return scaled((drawn + np.sum(added * cells[codes], axis=-2)).swapaxes(0, 1))

    mean = scaled(whole + square / weight * chances @ cells)
    scores = score(whole), score_draws(draw, score, plan, groups.shape[1]), score(mean)
    estimate, replicates, center = (part[..., 0] for part in scores)
    limits = _limits(bounds, len(estimate), two=False)
    effective = float(effective_number(weight, square))
    return interval_of_draws(estimate, replicates, center, limits, level, effective)


def _limits(bounds: ArrayLike | None, measures: int, *, two: bool) -> tuple[Floats, Floats]:
    """Return the lowest and the highest possible score, or difference, of every measure."""
    usual = [-np.inf, np.inf] if bounds is None else bounds
    lowest, highest = np.broadcast_to(np.asarray(usual, np.float64), (measures, 2)).T
    return (lowest - highest, highest - lowest) if two else (lowest, highest)


def rests_on_prior(interval: Interval, flat: Interval) -> Bools:
    """Return where an end moves by more than the width of the interval under a flat prior.

    `flat` are the intervals with `per_step` 1. The rule was found by simulation (docs/coverage.md).
    """
    moved = np.fmax(interval.low - flat.low, flat.high - interval.high)
    return np.asarray(moved > interval.high - interval.low)


def prior(k: int, per_step: float = PER_STEP) -> Floats:
    """Return the expected number [gold, predicted] of items that are added to each cell."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    likely = per_step**steps
    return np.asarray(ADDED_ITEMS / k * likely / likely.sum(axis=1, keepdims=True))


def _predicted(rng: np.random.Generator, gold: Codes, k: int, reached: Floats) -> Codes:
    """Draw the predicted classes of items of some gold classes.

    `reached` is the running sum of the prior, of which a row is a stretch with the share 1/K.
    """
    place = np.searchsorted(reached, (gold + rng.random(gold.shape)) / k, side="right")
    return np.asarray(np.clip(place - gold * k, 0, k - 1))


@dataclass(frozen=True)
class FilledCells:
    """The cells that hold items of one system or of two, and what is drawn from them."""

    codes: Codes  # (topic * K + gold) * K + predicted of every system: [S, C]
    weights: Floats  # sums in every cell
    squares: Floats  # of squared weights
    topics: int
    k: int
    per_step: float = PER_STEP

    @classmethod
    def of(cls, weights: Floats, squares: Floats) -> "FilledCells":
        """Return the cells of tables [T, K, K], or of joint counts [T, K, K, K]."""
        topic, gold, *predicted = at = np.nonzero(weights)
        topics, k = weights.shape[:2]
        codes = (topic * k + gold) * k + np.stack(predicted)
        return cls(codes, weights[at], squares[at], topics, k)

    def merged(self) -> "FilledCells":
        """Return the cells, of which some may be the same, or empty, once each and in order."""
        key = self.codes[0] * self.k + self.codes[-1] % self.k
        keys, first, cell = np.unique(key, return_index=True, return_inverse=True)
        amounts = self.weights, self.squares
        weights, squares = (np.bincount(cell, of, len(keys)).astype(np.float64) for of in amounts)
        filled = weights > 0
        codes = self.codes[:, first[filled]]
        return replace(self, codes=codes, weights=weights[filled], squares=squares[filled])

    def aggregated(self, aggregate: Aggregate) -> "FilledCells":
        """Return the cells of every topic, or those of all topics together."""
        if aggregate == "mean" or self.topics == 1:
            return self
        return replace(self, codes=self.codes % self.k**2, topics=1).merged()

    def as_items(self, number: float) -> "FilledCells":
        """Return the cells of so many items of weight 1 that are divided in the same way."""
        weights = self.weights * (number / self.weights.sum())
        return replace(self, weights=weights, squares=weights)

    @cached_property
    def totals(self) -> Floats:
        """Sums of weights and of squared weights by topic, [2, T]."""
        topic = self.codes[0] // self.k**2
        return np.stack(
            [np.bincount(topic, of, self.topics) for of in (self.weights, self.squares)]
        )

    @cached_property
    def _items(self) -> tuple[Floats, Floats]:
        """The effective number of items of every topic, and the average weight, [T] each."""
        weight, square = self.totals
        return effective_number(weight, square), square / np.where(weight > 0, weight, 1.0)

    @property
    def effective(self) -> float:
        """The effective number of items."""
        return float(effective_number(*self.totals.sum(axis=1)))

    def exchanged(self) -> "FilledCells":
        """Return the cells with two systems exchanged, in the order of their indices."""
        order = np.argsort(self.codes[1] * self.k + self.codes[0] % self.k)
        codes, weights = self.codes[::-1, order], self.weights[order]
        return replace(self, codes=codes, weights=weights, squares=self.squares[order])

    def order_of_systems(self) -> int:
        """Return 1 or -1 as one order of two systems or the other; 0 if there is no difference.

        It depends on the cells alone, and exchanging the systems changes its sign.
        """
        both = self, self.exchanged()
        mine, its = (np.concatenate([c.codes.ravel(), c.weights, c.squares]) for c in both)
        different = np.flatnonzero(mine != its)
        return 0 if not different.size else 1 if mine[different[0]] > its[different[0]] else -1

    @cached_property
    def few(self) -> bool:
        """Whether so few cells of long scales hold items that these are better listed."""
        cells = max(len(np.unique(codes)) for codes in self.codes)
        return cells > 0 and worth_listing(-(-cells // self.topics), self.k)

    def tables(self, weights: Floats) -> Floats:
        """Return the tables [b, S, T, K, K] of weights [b, C] of the cells."""
        size = self.topics * self.k**2
        out = np.zeros((len(weights), len(self.codes), size))
        for s, code in enumerate(self.codes):
            order = np.argsort(code, kind="stable")
            places, starts = np.unique(code[order], return_index=True)
            if places.size:
                out[:, s, places] = np.add.reduceat(weights[:, order], starts, axis=1)
        return out.reshape(*out.shape[:2], self.topics, self.k, self.k)

    def scaled(self, tables: Floats) -> Floats:
        """Scale tables [..., T, K, K] to the effective number of items of their topics."""
        sums = tables.sum(axis=(-2, -1), keepdims=True)
        return tables * (self._items[0][:, None, None] / np.where(sums > 0, sums, 1.0))

    def draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Draw the weights of the cells and of items in other cells, one row for each draw."""
        shape, scale = self._gamma
        weights = scale * rng.standard_gamma(shape, size=(size, len(shape)))
        return np.concatenate([weights, self._added_items(rng, size)], axis=1)

    @cached_property
    def _gamma(self) -> tuple[Floats, Floats]:
        """The shape and scale of the distribution of the weight of every cell."""
        return _rounded(self.weights**2 / self.squares), self.squares / self.weights

    def _added_items(self, rng: np.random.Generator, draws: int) -> Floats:
        """Draw items of average weight by the prior: their weights, and codes by system."""
        filled, k = np.flatnonzero(self.totals[0]), self.k
        if not filled.size:
            return np.zeros((draws, ADDED_ITEMS * (1 + len(self.codes))))
        size = draws, ADDED_ITEMS
        topic = filled[rng.integers(len(filled), size=size)]
        gold = rng.integers(k, size=size)
        added = [rng.standard_exponential(size) * self._items[1][topic]]
        for _ in self.codes:
            code = (topic * k + gold) * k + _predicted(rng, gold, k, self._reached)
            added.append(code.astype(np.float64))
        return np.concatenate(added, axis=1)

    @cached_property
    def _reached(self) -> Floats:
        return np.cumsum(prior(self.k, self.per_step) / ADDED_ITEMS)

    def _divided(self, drawn: Floats) -> tuple[Floats, Floats, Codes]:
        """Return the weights [b, C] of a draw, those [b, A] of added items and codes [S, b, A]."""
        weights, added = np.split(drawn, [len(self.weights)], axis=1)
        of_items, *codes = np.split(added, 1 + len(self.codes), axis=1)
        return weights, of_items, np.stack(codes).astype(np.int64)

    def drawn_tables(self, drawn: Floats) -> Floats:
        """Return the tables [b, S, T, K, K] of a draw."""
        weights, added, codes = self._divided(drawn)
        tables = self.tables(weights)
        flat, each = tables.reshape(*tables.shape[:2], -1), np.arange(len(tables))
        for s, code in enumerate(codes):
            for item in range(ADDED_ITEMS):
                flat[each, s, code[:, item]] += added[:, item]
        return self.scaled(tables)

    def drawn_cells(self, drawn: Floats) -> Iterator[list[Cells]]:
        """Yield for every system the cells with items in every topic, of a draw."""
        weights, added, codes = self._divided(drawn)
        by_cell, each = np.ascontiguousarray(weights.T), np.arange(len(drawn))
        for own, code in zip(self.codes, codes, strict=True):
            places, cell = np.unique(own, return_inverse=True)
            every = np.union1d(places, code)
            sums = np.zeros((len(every), len(drawn)))
            sums[np.searchsorted(every, places)] = sums_by(cell, len(places)) @ by_cell
            for item in range(ADDED_ITEMS):
                sums[np.searchsorted(every, code[:, item]), each] += added[:, item]
            yield [self._scaled_cells(t, every, sums) for t in range(self.topics)]

    def _scaled_cells(self, topic: int, codes: Codes, weights: Floats) -> Cells:
        """Return the cells of one topic, scaled to its effective number of items."""
        first, stop = np.searchsorted(codes, np.array([topic, topic + 1]) * self.k**2)
        sums = weights[first:stop].sum(axis=0)
        factor = self._items[0][topic] / np.where(sums > 0, sums, 1.0)
        places = Places.of(codes[first:stop] - topic * self.k**2, self.k)
        return Cells(places, weights[first:stop] * factor)

    def mean(self) -> Floats:
        """Return the mean [S, T, K, K] of the drawn tables."""
        unit = self._items[1] / max(int(np.count_nonzero(self.totals[0])), 1)
        return self.scaled(
            self.tables(self.weights[None])[0] + unit[:, None, None] * prior(self.k, self.per_step)
        )


def _rounded(shape: Floats) -> Floats:
    """Round to ten digits, since a generator may take another turn at a difference in the last."""
    size = 10 ** np.floor(np.log10(shape))
    return np.asarray(np.round(shape / size, 10) * size)


def _score(
    cells: FilledCells, statistic: Statistic, plan: Plan, undefined: Undefined
) -> tuple[Floats, Floats, Floats]:
    """Score the data [M, S], drawn tables [M, B, S] and their mean [M, S]."""
    of_cells: Callable[[Cells], Floats] | None = getattr(statistic, "of_cells", None)
    of_cells = of_cells if cells.few else None

    def draw(block: Block) -> Array:
        return cells.draw(stream(plan.seed, "dirichlet", block.number), block.size)

    def score(tables: Array) -> Array:
        # Topics that are pooled are one topic by now, of which the mean is itself.
        scores = score_topics(batch_innermost(tables), statistic, "mean", undefined)
        return scores[:, : len(tables)]

    def score_drawn(drawn: Array) -> Array:
        if of_cells is None:
            return score(cells.drawn_tables(drawn))
        systems = ([of_cells(topic) for topic in topics] for topics in cells.drawn_cells(drawn))
        by_topic = np.stack([np.stack(scores, axis=-1) for scores in systems], axis=-2)
        return weighted_means(by_topic, np.ones((1, cells.topics)), undefined)[..., 0]

    observed, chunk = cells.scaled(cells.tables(cells.weights[None])[0]), None
    fixed = score(np.stack([observed, cells.mean()]))
    if of_cells is not None:  # added items take as many cells as there are draws
        most = math.isqrt(_CHUNK_CELLS // ADDED_ITEMS)
        chunk = min(_CHUNK_CELLS // len(cells.weights) + 1, most)
    replicates = score_draws(draw, score_drawn, plan, observed.size, chunk)
    return fixed[:, 0], replicates, fixed[:, 1]


def interval_of_draws(
    estimate: Floats,
    replicates: Floats,
    center: Floats,
    limits: tuple[Floats, Floats],
    level: float,
    effective: float,
) -> Interval:
    """Compute intervals [M] from the scores of the data, the draws [M, B] and their mean."""
    interval = percentile(estimate, replicates, _widened(level, effective))
    defined = ~np.isnan(replicates)
    total = np.where(defined, replicates, 0.0).sum(axis=1)
    bias = total / np.maximum(defined.sum(axis=1), 1) - center
    # As much as the error of simulation is not taken for bias.
    error = interval.se / math.sqrt(replicates.shape[1])
    bias = np.sign(bias) * np.maximum(np.abs(bias) - error, 0.0)
    bias = np.where(np.isnan(bias) | ~defined.any(axis=1), 0.0, bias)
    # Bounds are those of class values 1..K and limit the extension only, never the quantiles.
    low = np.fmin(interval.low, np.maximum(interval.low - 2 * np.maximum(bias, 0.0), limits[0]))
    high = np.fmax(interval.high, np.minimum(interval.high - 2 * np.minimum(bias, 0.0), limits[1]))
    return replace(
        interval,
        low=np.where(np.isnan(low), np.nan, np.fmin(low, estimate)),
        high=np.where(np.isnan(high), np.nan, np.fmax(high, estimate)),
        method="dirichlet",
        level=level,
    )


def _widened(level: float, effective: float) -> float:
    """Return the level at which normal quantiles are what those of Student's t are at `level`."""
    from scipy.special import ndtr  # slow to import

    tails(level)
    freedom = max(effective - 1, 1.0)
    deviations = t_quantile(freedom, level) * math.sqrt(max(effective / freedom, 1.0))
    return min(float(1 - 2 * ndtr(-deviations)), 1 - 1e-12)
