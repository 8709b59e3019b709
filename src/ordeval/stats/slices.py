"""Which slices of the data differ, the gap between them, the worst one, and the drift.

If all slices are alike, a slice is a random sample of all items, or of those of its gold classes.
Tables drawn from those of all items, as large as the slices, give the scores that chance produces,
each in units of its own standard error. One set of draws serves the test of every slice against the
rest (step-down max-T), the test that all are alike, the quantiles of simultaneous intervals, and
the trend. Standard errors come from the influence function of a measure on the slice itself, so
that slices may have other variances (Chung & Romano 2013). Over clusters the draws are those of
Student's t.

A slice of a few items may be right on all of them and seem to have no spread. As in intervals, two
items are added, here of the distribution of all items, and influences are taken at the table with
ten more such items.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..types import Array, Bools, Floats
from .intervals import t_quantile
from .max_t import PairsTest, step_down_of
from .resample import stream
from .table_intervals import ADDED_ITEMS

LEAST_SPREAD = 0.25  # of the variance of all items: drawn slices without errors have little
NEAR_ITEMS = 10  # of all items, added to the table at which influences are taken
MOST_DRAWN = 400  # items of a drawn slice; larger ones differ from it by their scale alone
_KINDS = 30  # of sizes of slices that share their draws, where slices are many
_BANK = 1000  # drawn slices of each size, or so many by the number of slices
_PER_SLICE = 30
_TAIL = 10  # the farthest ones of a size, which stand for farther ones too
_ROWS = 64  # slices that are compared with all others at a time
_MOST_NUMBERS = 1 << 22  # in the tables of one step of draws

OfTables = Callable[[Floats], Floats]
"""Maps tables [..., C] to scores [M, ...], NaN where undefined."""
Influences = Callable[[Floats], Iterable[Floats]]
"""Returns for every measure the influence [..., C] of items on the scores of tables."""


class Spread(NamedTuple):
    """Deviations [G, B] of drawn slices with standard errors, and z [G, B] of differences.

    `reach` [G] is how many standard errors a slice alone reaches at the level of intervals.
    """

    deviation: Floats
    se: Floats
    z: Floats
    reach: Floats


Spreads = Callable[[int], Spread]
"""Returns what is drawn under a measure, given by its number."""


class Drawing(NamedTuple):
    """What slices are drawn from: the distribution `share` [C] of all items.

    `psi` [M, C] are influences on the score of all items, `influences` those of any tables, and
    `score` maps tables [..., C] to scores [M, ...].
    """

    share: Floats
    psi: Floats
    influences: Influences
    score: OfTables
    level: float
    seed: int

    def se(self, tables: Floats) -> Floats:
        """Return standard errors [M, ...] of the scores of tables [..., C] of numbers of items."""
        size = np.maximum(tables.sum(axis=-1), 1e-300)
        weight = (tables + ADDED_ITEMS * self.share) / (size + ADDED_ITEMS)[..., None]
        errors, whole = [], self.psi**2 @ self.share - (self.psi @ self.share) ** 2
        every = self.influences(tables + NEAR_ITEMS * self.share)
        for psi, usual in zip(every, whole, strict=True):
            mean, square = ((psi**power * weight).sum(axis=-1) for power in (1, 2))
            spread = np.maximum(square - mean**2, LEAST_SPREAD * usual)
            errors.append(np.sqrt(spread / size))
        return np.stack(errors)

    def direct(self, expected: Floats, groups: Iterable[Array], trials: int) -> Spreads:
        """Draw and score slices, and all other items, together.

        `expected` [G, C] are the numbers of items in the cells of slices if all are alike. Draws
        keep their sums over each of the `groups` of cells.
        """
        rest, groups = expected.sum(axis=0) - expected, list(groups)
        step, parts = max(1, _MOST_NUMBERS // expected.size), []
        for number, start in enumerate(range(0, trials, step)):
            rng, most = stream(self.seed, "slices", number), min(step, trials - start)
            drawn = [_tables(rng, expected[:, cells], most) for cells in groups]
            tables = np.concatenate(drawn, axis=-1)[..., np.argsort(np.concatenate(groups))]
            others = tables.sum(axis=1, keepdims=True) - tables
            deviation, own = self._deviation(tables, expected), self.se(tables)
            apart = deviation - self._deviation(others, rest)
            parts.append((deviation, own, _ratio(apart, np.hypot(own, self.se(others)))))
        joined = (np.concatenate(part, axis=1) for part in zip(*parts, strict=True))
        whole = [np.ascontiguousarray(np.moveaxis(x, 1, 2)) for x in joined]

        def of(i: int) -> Spread:
            deviation, own, z = (x[i] for x in whole)
            return Spread(deviation, own, z, _reach(_ratio(deviation, own), self.level))

        return of

    def shared(self, sizes: Floats, trials: int) -> Spreads:
        """Draw slices of a few sizes only, among which every slice picks those of its size.

        They have the classes of all items.
        """
        size = np.maximum(sizes, 1.0)
        high = float(min(size.max(), MOST_DRAWN))
        kinds = np.unique(np.rint(np.minimum(size, high)))
        if len(kinds) > _KINDS:
            kinds = np.unique(np.rint(np.geomspace(kinds[0], kinds[-1], _KINDS)))
        kind = np.abs(np.log(np.minimum(size, high)[:, None] / kinds)).argmin(axis=1)
        expected = kinds[:, None] * self.share
        bank = max(_BANK, min(_PER_SLICE * len(size), _KINDS * _BANK) // len(kinds))
        tables = _tables(stream(self.seed, "slices", 0), expected, bank)
        sums = np.moveaxis(tables @ self.psi.T, -1, 0) / kinds
        drawn = self._deviation(tables, expected), self.se(tables), sums
        held = [x.astype(np.float32) for x in drawn]
        pick = stream(self.seed, "slices", "picked").integers(bank, size=(len(size), trials))
        at = pick * len(kinds) + kind[:, None]
        scale = np.sqrt(kinds[kind] / size).astype(np.float32)[:, None]
        share = (size / size.sum()).astype(np.float32)[:, None]
        rest = (size.sum() - size)[:, None]

        def of(i: int) -> Spread:
            t = _ratio(held[0][i], held[1][i])
            reach = _reach(t.T, self.level)[kind]
            far, se, linear = (scale * x[i].ravel()[at] for x in held)
            where, factor = _farther(t, at, stream(self.seed, "slices", "tail"))
            far.ravel()[where] *= factor
            linear *= share
            others = (linear.sum(axis=0) - linear) / (1 - share)
            other = np.sqrt(self.psi[i] ** 2 @ self.share / rest).astype(np.float32)
            return Spread(far, se, _ratio(far - others, np.hypot(se, other)), reach)

        return of

    def _deviation(self, tables: Floats, expected: Floats) -> Floats:
        """Return deviations [M, B, G] of scores from those of expected tables, 0 if undefined."""
        center = self.score(expected)[:, None]
        return np.asarray(np.nan_to_num(self.score(tables) - center))


def _tables(rng: np.random.Generator, expected: Floats, trials: int) -> Floats:
    """Draw tables [B, G, C] of few items, with the deviation of as many as are expected [G, C]."""
    size = expected.sum(axis=1, keepdims=True)
    share = expected / np.maximum(size, 1e-300)
    few = np.maximum(np.rint(np.minimum(size, MOST_DRAWN)).astype(np.int64), 1)
    drawn = rng.multinomial(few[:, 0], share, (trials, len(few)))
    tables = expected + np.sqrt(size / few) * (drawn - few * share)
    return np.asarray(np.maximum(tables, 0.0))


def _ratio(x: Floats, se: Floats) -> Floats:
    """Return a ratio that is 0 where it is undefined."""
    out = np.zeros(np.broadcast_shapes(x.shape, se.shape), x.dtype)
    return np.asarray(np.divide(x, se, out=out, where=se > 0))


def _farther(t: Floats, at: Array, rng: np.random.Generator) -> tuple[Array, Floats]:
    """Return which picks `at` are among the farthest of t [B, kinds], and how much farther to go.

    Of so many slices some lie farther out than any that was drawn. So each of the farthest draws
    stands for its share of the tail, in proportion to the quantiles of a normal distribution.
    """
    from scipy.special import ndtri  # slow to import

    order = np.argsort(-np.abs(t), axis=0, kind="stable")[:_TAIL]
    rank = np.full(t.shape, -1, np.int8)
    np.put_along_axis(rank, order, np.arange(len(order), dtype=np.int8)[:, None], axis=0)
    picked = rank.ravel()[at.ravel()]
    where = np.flatnonzero(picked >= 0)
    ranks = picked[where] + np.array([[0.0], [0.5]])
    ranks[0] += rng.random(len(where))
    new, old = -ndtri(ranks / (2 * len(t)))
    return where, np.asarray(new / old, np.float32)


def _apart(one: Floats, other: Floats, alike: Floats) -> Floats:
    """Return the standard error of a difference, from two that are correlated."""
    return np.asarray(np.sqrt(np.maximum(one**2 + other**2 - 2 * alike * one * other, 0.0)))


def _reach(t: Floats, level: float) -> Floats:
    """Return the quantile of the size of t [G, B], at least 1."""
    return np.asarray(np.maximum(np.quantile(np.abs(t), level, axis=-1), 1.0))


def unit_error_factors(share: Floats, trials: int, seed: int) -> Floats:
    """Draw what standard errors are off by, as factors [G, B], from shares [U, G] of units.

    Slices with the same units are off alike. With n equal units the squares are chi squared with
    n - 1 degrees of freedom, divided by these; large units count by the square of their share, as
    they do in a variance.
    """
    share = share**2 / np.maximum((share**2).sum(axis=0), 1e-300)
    noise = stream(seed, "slices", "spread").standard_normal((trials, len(share)))
    square = noise**2 @ share - (noise @ share) ** 2
    left = 1 - (share**2).sum(axis=0)
    return np.sqrt(np.maximum(_ratio(square, np.where(left > 1e-9, left, 0.0)), 0.0)).T


def error_factors(df: Floats, trials: int, seed: int) -> Floats:
    """Draw the same for slices without common units, from degrees of freedom [G]."""
    rng = stream(seed, "slices", "spread")
    return np.asarray(np.sqrt(rng.chisquare(df[:, None], (len(df), trials)) / df[:, None]))


def drawn_t(
    own: Floats, rest: Floats, off: Floats, off_rest: Floats, reach: Floats, seed: int
) -> Spreads:
    """Draw deviations like Student's t from what units add to scores, and to those of the rest.

    `own` and `rest` are [M, U, G]; units that are in several slices add to all of them. `off` and
    `off_rest` [G, B] are the factors of their standard errors.
    """
    noise = stream(seed, "slices", "units").standard_normal((off.shape[1], own.shape[1]))

    def of(i: int) -> Spread:
        both = np.stack([own[i] ** 2, rest[i] ** 2, own[i] * rest[i]]).sum(axis=1)[..., None]
        se, other = np.sqrt(both[0]) * off, np.sqrt(both[1]) * off_rest
        apart = np.sqrt(np.maximum(se**2 + other**2 - 2 * both[2] * off * off_rest, 0.0))
        return Spread((noise @ own[i]).T, se, _ratio((noise @ (own[i] - rest[i])).T, apart), reach)

    return of


@dataclass(frozen=True, eq=False)
class SliceTest:
    """Scores [G] of slices under one measure, with standard errors, and what is drawn.

    `apart` are differences from the rest, with standard errors. Slices with NaN for `se` are left
    out. `sign` is 1 where higher is better, `bounds` the range of scores, `size` and `df` the
    numbers of items and the degrees of freedom of the slices, `places` where those in order are,
    and `covariance` [G, G] that of scores over shared units.
    """

    score: Floats
    apart: Floats
    se: Floats
    apart_se: Floats
    drawn: Spread
    sign: float
    bounds: Floats
    level: float
    size: Floats
    df: Floats
    places: Floats | None = None
    covariance: Floats | None = None

    def figures(self) -> tuple[Floats, Floats]:
        """Return figures [G, 5] of slices and [11] of all of them.

        The first ones are the simultaneous interval of the difference from the rest, its standard
        error, p, and whether the slice may be the worst one; the others gap with interval, p of the
        test that all are alike, place of the worst slice, its interval, slope with interval and p.
        """
        p, low, high = self._against_rest()
        each, whole = np.full((len(p), 5), np.nan), np.full(11, np.nan)
        each[:, :4], whole[4] = np.stack([low, high, self.apart_se, p], axis=1), -1
        use = np.flatnonzero(np.isfinite(self.se) & (self.se > 0) & np.isfinite(self.score))
        if len(use) < 2:
            return each, whole
        some = self._only(use)
        whole[:3], each[use, 4] = some.gap()
        place, whole[5:7] = some.worst()
        whole[3:5] = some.alike(), use[place]
        if some.places is not None and len(np.unique(some.places[np.isfinite(some.places)])) > 2:
            whole[7:] = some.trend()
        return each, whole

    def _only(self, use: Array) -> "SliceTest":
        """Return some of the slices."""
        if len(use) == len(self.score):
            return self
        shared, places = self.covariance, self.places
        kept = {name: getattr(self, name)[use] for name in ("score", "se", "size", "df")}
        kept["drawn"] = Spread(*(x[use] for x in self.drawn))
        kept["covariance"] = None if shared is None else shared[np.ix_(use, use)]
        return replace(self, places=None if places is None else places[use], **kept)

    def _against_rest(self) -> tuple[Floats, Floats, Floats]:
        """Return p of step-down max-T of all slices against the rest, and intervals that agree."""
        difference, se = self.apart, self.apart_se
        tested = np.isfinite(difference) & (se > 0)
        z = np.where(tested, difference / np.where(tested, se, 1.0), np.nan)
        p, largest = step_down_of(z, tested, self.drawn.z)
        d, shown, error, skew = (x[None, :, None] for x in (difference, p, se, 0 * self.df))
        units, trials = int(self.size.sum()), len(largest)
        test = PairsTest(d, shown, error, units, trials, False, skew, largest[None])
        low, high = test.intervals(self.level)
        return p, low[0, :, 0], high[0, :, 0]

    @cached_property
    def _t(self) -> Floats:
        """The draws [G, B], each divided by how far its slice alone reaches."""
        return _ratio(self.drawn.deviation, self.drawn.se) / self.drawn.reach[:, None]

    @cached_property
    def _alike(self) -> Floats:
        """Correlations [G, G] of scores over shared units; [G, 1] zeros without any."""
        if self.covariance is None:
            return np.zeros((len(self.se), 1))
        return np.asarray(np.clip(self.covariance / np.outer(self.se, self.se), -1.0, 1.0))

    def _p(self, observed: float, drawn: Floats) -> float:
        """Return the share of draws as large as the data, which are one of them."""
        return (1 + int((drawn >= observed * (1 - 1e-6)).sum())) / (1 + len(drawn))

    def _far(self, drawn: Floats, level: float) -> float:
        """Return the quantile of draws at a level, the data being one of them."""
        place = min(int(np.ceil(level * (len(drawn) + 1))), len(drawn)) - 1
        return float(np.partition(drawn, place)[place])

    def alike(self) -> float:
        """Return p of the test that all slices have one score, by the spread in standard errors."""

        def spread(score: Floats, se: Floats) -> Floats:
            weight = _ratio(np.ones_like(se), se**2)
            mean = (weight * score).sum(axis=0) / np.maximum(weight.sum(axis=0), 1e-300)
            return np.asarray((weight * (score - mean) ** 2).sum(axis=0))

        drawn = spread(self.drawn.deviation, self.drawn.se)
        return self._p(float(spread(self.score, self.se)), drawn)

    def gap(self) -> tuple[Floats, Bools]:
        """Return best minus worst with its ends, and which slices may be the worst one.

        All pairs have simultaneous intervals: the true gap is at least the largest lower end, and
        at most the largest upper end. How far these reach is the quantile of the largest difference
        among drawn slices, each in units of how far it reaches itself; of many slices, of their
        range (Tukey and Kramer) or the farthest of them.
        """
        t, width = self._t, self.drawn.reach[:, None] * self.drawn.se
        if len(t) > _ROWS and self.covariance is None:
            farthest = np.maximum(np.ptp(t, axis=0) / np.sqrt(2), np.abs(t).max(axis=0))
        else:
            deviation, farthest = self.drawn.deviation, np.zeros(t.shape[1])
            for i in range(len(t)):
                apart = _apart(width[i], width, self._alike[i][:, None])
                size = np.abs(_ratio(deviation[i] - deviation, apart)).max(axis=0)
                np.maximum(farthest, size, out=farthest)
        reach = self._far(farthest, self.level)
        oriented, width = self.sign * self.score, reach * self.drawn.reach * self.se
        largest, lowest = 0.0, np.zeros(len(oriented))
        for i in range(0, len(oriented), _ROWS):  # which stay in the processor's cache
            rows = slice(i, i + _ROWS)
            half = _apart(width[rows, None], width, self._alike[rows])
            apart = oriented[rows, None] - oriented
            largest = max(largest, float((apart + half).max()))
            lowest[rows] = np.maximum((apart - half).max(axis=1), 0.0)
        plain = float(np.ptp(self.score))
        most = max(plain, min(largest, float(self.bounds[1] - self.bounds[0])))
        return np.array([plain, min(float(lowest.max()), plain), most]), lowest == 0

    def worst(self) -> tuple[int, Floats]:
        """Return the place of the worst slice, and the ends of its interval.

        A slice is picked because its score is bad, so that the better end is that of the worst of
        all slices in the draws. Having been picked makes the other end no more often wrong.
        """
        place, tail = int(np.argmin(self.sign * self.score)), (1 + self.level) / 2
        usual = float(t_quantile(self.df[place], self.level))
        reach = self._far((-self.sign * self._t).max(axis=0), tail) * self.drawn.reach[place]
        steps = np.array([-usual, max(reach, usual)]) * self.sign * self.se[place]
        return place, np.clip(np.sort(self.score[place] + steps), *self.bounds)

    def trend(self) -> Floats:
        """Return the slope of scores on places, its ends and p."""
        assert self.places is not None
        known = np.isfinite(self.places)
        weight, x = np.where(known, self.size, 0.0), np.where(known, self.places, 0.0)
        x = x - (weight * x).sum() / weight.sum()
        a = weight * x / (weight * x**2).sum()

        def error(each: Floats) -> Floats:
            parts = (a * each.T).T
            total = parts**2 if self.covariance is None else parts * (self._alike @ parts)
            return np.asarray(np.sqrt(np.maximum(total.sum(axis=0), 0.0)))

        se, drawn_se = error(self.se), error(self.drawn.se)
        slope, drawn = a @ self.score, np.abs(_ratio(a @ self.drawn.deviation, drawn_se))
        half = self._far(drawn, self.level) * se
        p = self._p(abs(slope) / se, drawn) if se > 0 else np.nan
        return np.array([slope, slope - half, slope + half, p])
