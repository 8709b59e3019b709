"""Scores from few gold labels and many labels of a judge.

People labelled n of N items at random, and a judge all of them. The judge's class j stands for
shares of gold classes, C_j[g], the shares of gold among the labelled items of this class and one
more item of gold class j. So a judge that is lenient or severe is corrected before it is used. Each
labelled item has the shares found on all other labelled items, and an unlabelled one the mean of
these: whatever the shares are, an item's are independent of its own gold label.

T_h[g, s] and T_c[g, s] are the shares of the labelled items by gold class, or by the judge's shares
of gold classes, and the system's class; A_c[g, s] are the latter of all items. The corrected table
T = T_h + λ(A_c − T_c) has the same expectation for every λ, however wrong the judge is. Its cells
may be negative, and are used as they are.

λ is the number from 0 (people alone) to 1 for which the score has the smallest variance. To first
order a score is a sum over items: a labelled item adds p − λq and an unlabelled one −λq, where p is
the influence of the item on the score of T_h, and q that on the same score of T_c − A_c. The
variance is the sum of the squares, and λ = Σpq/Σq². The standard error is computed with another λ
for every labelled item, found on all other items, so that no λ is judged by the item that it was
found on. Two items on which the judge errs are added, because a good judge errs on few of the
labelled items, and perhaps on none; for a difference of two systems they are like the items on
which these differ, since the others say little about it. If the result is not below the standard
error of people alone, λ is 0.

The interval is that of people alone, moved to the corrected score and shortened by the ratio of
the standard errors. It is never longer, λ = 0 gives that of people alone, and what makes that
interval reliable with few items is kept. Student's quantiles, with degrees of freedom by
Satterthwaite's formula, allow for residuals that few items determine. In the same way the test of
a difference is that of people alone, of the corrected difference divided by the ratio.

Ratings of the items themselves are the same without a system: the table is a column of people's
classes for every system that was rated, and the mean and the shares are linear in it. There half an
item is added, of the class for a share, which intervals of means and shares need no more than
(docs/judge-labels.md). Their intervals are symmetric, or those of a share of more items: ratings
that are skewed to one side say nothing about a judge that errs to the other.

Nothing here depends on the number of items once distinct rows are counted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..data.units import Rows
from ..measures.influence import influence
from ..measures.registry import Nonnegative
from ..measures.spec import Measure
from ..types import Array, Bools, Codes, Floats, Ints
from .intervals import t_quantile
from .resample import Statistic, effective_scale

_CHUNK_NUMBERS = 2**22  # numbers in the arrays that are held at a time
_OWN_CLASS = 1.0  # items by which each class of the judge is taken to be the gold class
ADDED_ITEMS, RATED_ITEMS = 2.0, 0.5  # on which the judge errs
_FARTHEST, _PER_STEP = 3, 0.5  # by how much it errs there: how far, how likely with every step
_ENOUGH = 5.0  # expected items of a group from which a likelihood ratio has its usual distribution
_SMALL = 1e-9  # shares of a table below this are rounding errors


@dataclass(frozen=True, eq=False)
class JudgedItems:
    """Rows of items that all have gold, or that all have none: classes, and the number of items.

    `weight` is the number of items that each of them stands for, up to a common factor: the inverse
    of the rate at which such items were labelled.
    """

    judge: Codes
    systems: Array
    count: Ints
    weight: Floats | None = None


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Distinct rows of labels of gold, systems and a judge.

    `own` are the labelled rows, whose gold classes are `gold`, and `others` the unlabelled ones.
    """

    k: int
    gold: Codes
    own: JudgedItems
    others: JudgedItems

    @classmethod
    def of(cls, rows: Rows, k: int) -> "JudgedRows":
        """Divide rows of gold, which is K where it is missing, of systems and last of a judge."""
        gold, *systems, judge = rows.labels.astype(np.intp)
        predicted, labelled = np.stack(systems), gold < k
        own, others = (
            JudgedItems(
                judge[at],
                predicted[:, at],
                rows.count[at],
                None if rows.weight is None else 1 / rows.weight[at],
            )
            for at in (labelled, ~labelled)
        )
        return cls(k, gold[labelled], own, others)

    @cached_property
    def labelled(self) -> int:
        """The number of labelled items."""
        return int(self.own.count.sum())

    @cached_property
    def items(self) -> int:
        """The number of all items."""
        return self.labelled + int(self.others.count.sum())

    @cached_property
    def amounts(self) -> Floats:
        """The weight of each labelled row; their sum is the effective number of labelled items."""
        count, weight = self.own.count, self.own.weight
        if weight is None:
            return count.astype(np.float64)
        return np.asarray(count * weight * effective_scale(count @ weight, count @ weight**2))

    @cached_property
    def share(self) -> Floats:
        """The share of one item of each labelled row in tables of the labelled items."""
        return np.asarray(self.amounts / self.own.count / self.amounts.sum())

    @cached_property
    def errors(self) -> tuple[Codes, Floats]:
        """The classes `[E, R]` that a judge may give by mistake, and how likely each is."""
        steps = np.array([*range(-_FARTHEST, 0), *range(1, _FARTHEST + 1)])[:, None]
        wrong = self.gold + steps
        likely = np.where((wrong >= 0) & (wrong < self.k), _PER_STEP ** np.abs(steps), 0.0)
        return np.clip(wrong, 0, self.k - 1), likely / likely.sum(axis=0)

    @cached_property
    def calibration(self) -> tuple[Floats, Floats, Floats]:
        """The shares of gold classes that the judge's classes stand for, from labelled items.

        Returns the shares `[judge, gold]` of all labelled items, and β `[R]`: without an item of
        gold class g the shares of its judge's class are (1 + β) times these, less β in g. The last
        are the means `[judge, gold]` of the shares without each labelled item in turn.
        """
        counts = self._by_judge(self.amounts) + _OWN_CLASS * np.eye(self.k)
        each, total = self.amounts / self.own.count, counts.sum(axis=1)
        without = each / (total[self.own.judge] - each)
        shares = counts / total[:, None]
        fewer = self._by_judge(self.own.count * self.share * without)
        return shares, without, shares * (1 + fewer.sum(axis=1, keepdims=True)) - fewer

    def _by_judge(self, amounts: Floats) -> Floats:
        """Return amounts of labelled rows by the judge's class and gold: `[judge, gold]`."""
        table = np.zeros((self.k, self.k))
        np.add.at(table, (self.own.judge, self.gold), amounts)
        return table


class Influence(NamedTuple):
    """What items add to the scores of one system, or to differences, under M measures.

    `p` and `q` `[M, R]` are those of an item of each labelled row, `wrong` `[M, E, R]` is q if the
    judge erred in one of E ways, times the root of how `likely` `[E, R]` that is, and `others`
    `[M]` the sum of q² over all unlabelled items.
    """

    p: Floats
    q: Floats
    wrong: Floats
    others: Floats
    likely: Floats

    def minus(self, other: "Influence", others: Floats) -> "Influence":
        """Return that on the difference of two systems whose outputs were rated, each by itself.

        The judge errs on an output of one of the two. `others` are those of the difference.
        """
        mine, its = np.sqrt(self.likely), np.sqrt(other.likely)
        each = [self.wrong - mine * other.q[:, None], its * self.q[:, None] - other.wrong]
        wrong = np.concatenate(each, axis=1) / np.sqrt(2)
        likely = np.concatenate([self.likely, other.likely]) / 2
        return Influence(self.p - other.p, self.q - other.q, wrong, others, likely)


class Choice(NamedTuple):
    """λ of M measures, and the length of the interval relative to people alone, at most 1."""

    weight: Floats
    ratio: Floats

    def without(self, where: Bools) -> "Choice":
        """Return the choice with λ = 0 for some measures."""
        return Choice(np.where(where, 0.0, self.weight), np.where(where, 1.0, self.ratio))


class JudgedTable:
    """The table of one system and its correction, both times the effective number of labels.

    Of ratings, which measures take as predictions, it is `turned`: there is no system's class.
    """

    def __init__(self, rows: JudgedRows, system: int, *, turned: bool = False) -> None:
        self.turned = turned
        k, own, others = rows.k, rows.own.systems[system], rows.others.systems[system]
        self.rows = rows
        self._gold, self._judge = rows.gold * k + own, rows.own.judge * k + own
        self._wrong, self._other = rows.errors[0] * k + own, rows.others.judge * k + others
        self.people = self._table(self._gold, rows.amounts)  # T_h
        amounts = rows.own.count * (1 / rows.items - rows.share), rows.others.count / rows.items
        self.correction = self.people.sum() * self._calibrated(*amounts)  # A_c − T_c

    def _table(self, cells: Codes, amounts: Array) -> Floats:
        k = self.rows.k
        return np.bincount(cells, amounts, k * k).reshape(k, k).astype(np.float64)

    def _calibrated(self, own: Array, others: Array) -> Floats:
        """Return the table of amounts of rows by the gold classes that the judge stands for."""
        shares, without, mean = self.rows.calibration
        table = shares.T @ self._table(self._judge, own * (1 + without))
        table -= self._table(self._gold, own * without)
        return np.asarray(table + mean.T @ self._table(self._other, others))

    def gradient(self, measures: Sequence[Measure], values: Floats) -> Floats:
        """Return the influence `[M, K²]` of the cells in use on the scores of people alone."""
        k, seen = self.rows.k, np.zeros(self.rows.k**2)
        seen[np.concatenate([self._judge, self._wrong.ravel(), self._other])] = 1.0
        stood_for = (self.rows.calibration[0] > 0).T @ seen.reshape(k, k)
        cells = np.flatnonzero((stood_for > 0) | (self.people > 0))
        gradient = np.zeros((len(measures), k**2))
        people = self.people.T if self.turned else self.people
        places = cells % k * k + cells // k if self.turned else cells
        for row, measure in zip(gradient, measures, strict=True):
            row[cells] = influence(measure, people, values, places)
        return np.nan_to_num(gradient, nan=0.0, posinf=0.0, neginf=0.0)

    def _of_judge(self, gradient: Floats, shares: Floats) -> Floats:
        """Return derivatives `[M, K²]` by the judge's class and the system's."""
        by_gold = gradient.reshape(-1, self.rows.k, self.rows.k)
        return np.asarray((shares @ by_gold).reshape(gradient.shape))

    def influence(self, gradient: Floats) -> Influence:
        """Return the influence of items on scores with these derivatives."""
        rows, likely = self.rows, self.rows.errors[1]
        shares, without, _ = rows.calibration
        h, judged = gradient[:, self._gold], self._of_judge(gradient, shares)
        u, e = (1 + without) * judged[:, self._judge] - without * h, judged[:, self._wrong]
        amount = rows.own.count * rows.share
        labelled, total = u @ amount, self._mean_of_all(gradient)
        p = rows.share * (h - (h @ amount)[:, None])
        q = rows.share * (u - labelled[:, None]) - (u - total[:, None]) / rows.items
        # The square root makes a mean of squares over the ways to err a sum of squares.
        erring = np.sqrt(likely) * rows.share * (e - labelled[:, None, None])
        others = self.of_others(gradient, slice(None)) ** 2 @ rows.others.count
        return Influence(p, q, erring, others, likely)

    def _mean_of_all(self, gradient: Floats) -> Floats:
        """Return the mean derivative `[M]` in the direction of the judge's labels of all items."""
        cells = self._calibrated(self.rows.own.count, self.rows.others.count)
        return np.asarray(gradient @ cells.ravel() / self.rows.items)

    def of_others(self, gradient: Floats, part: slice) -> Floats:
        """Return q `[M, rows]` of an item of some unlabelled rows."""
        total = self._mean_of_all(gradient)[:, None]
        judged = self._of_judge(gradient, self.rows.calibration[2])
        return np.asarray((total - judged[:, self._other[part]]) / self.rows.items)

    def scores(self, statistic: Statistic, weight: Floats) -> Floats:
        """Return the score `[M]` of every measure on the table corrected with its own λ."""
        distinct, which = np.unique(weight, return_inverse=True)
        tables = self.people + distinct[:, None, None] * self.correction
        tables = tables.swapaxes(-1, -2) if self.turned else tables
        return np.asarray(statistic(tables)[np.arange(len(weight)), which])

    def usable(self, weight: Floats, needs: Sequence[Nonnegative]) -> Bools:
        """Return for every measure whether its corrected table fulfils what it needs."""
        usable = np.ones(len(weight), dtype=np.bool_)
        for i in np.flatnonzero(weight).tolist():
            table = self.people + weight[i] * self.correction
            if needs[i] == "cells":
                usable[i] = np.all(table > -_SMALL * table.sum())
            elif needs[i] == "margins":
                usable[i] = np.array_equal(_margin_signs(table), _margin_signs(self.people))
        return usable


def _margin_signs(table: Floats) -> Floats:
    margins = np.stack([table.sum(axis=0), table.sum(axis=1)])
    return np.sign(np.where(np.abs(margins) < _SMALL * table.sum(), 0.0, margins))


def choose_weight(
    influence: Influence, rows: JudgedRows, level: float, like: Ints | None, added: float
) -> Choice:
    """Return λ with the smallest variance of every score, 0 where it is not worth anything.

    So many `added` items are like `like` labelled items of each row, `[R]` or of each measure
    `[M, R]`, like all of them if it is not given.
    """
    p, q, count = influence.p, influence.q, rows.own.count
    like = np.broadcast_to(count if like is None else like, p.shape)
    extra = like * (added / np.maximum(1, like.sum(axis=1, keepdims=True)))
    product, square = (p * q) @ count, (q * q) @ count + influence.others
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = _clipped(product / square)
        apart = _clipped((product[:, None] - p * q) / (square[:, None] - q * q))
    residual = p - apart * q
    errors = np.sqrt(influence.likely) * p[:, None] - weight[:, None, None] * influence.wrong
    missed = ((errors**2).sum(axis=1) * extra).sum(axis=1)
    variance = (residual**2) @ count + weight**2 * influence.others + missed
    alone = (p * p * (count + extra)).sum(axis=1)
    df, df_alone = _freedom(residual, count), _freedom(p, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        longer = np.fmax(1.0, t_quantile(df, level) / t_quantile(df_alone, level))
        ratio = longer * np.sqrt(variance / alone)
    return Choice(weight, ratio).without(~((weight > 0) & (ratio < 1)))


def _clipped(weight: Floats) -> Floats:
    return np.clip(np.nan_to_num(weight, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)


def _freedom(parts: Floats, count: Ints) -> Floats:
    """Return the degrees of freedom `[M]` of sums of squares, by Satterthwaite's formula."""
    n, square = count.sum(), (parts**2) @ count
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = 2 * square**2 / ((parts**4) @ count - square**2 / n)
    return np.asarray(np.clip(np.nan_to_num(freedom, nan=1.0), 1.0, max(1, n - 1)))


def shares_test(
    rows: JudgedRows, own: Codes, other: Codes, groups: int
) -> tuple[float, int, float, tuple[float, ...], tuple[float, ...]]:
    """Compare the groups of labelled items, such as their classes, with those of other items.

    Neighbouring groups are merged until five items of each are expected. The tail of the likelihood
    ratio is accurate there for p-values as small as those of many tests, unlike that of χ².
    Returns the statistic, its degrees of freedom, the p-value, and the share of each group among
    labelled items and among the others; with rates the share that these lead to.
    """
    from scipy.special import chdtrc

    labelled = np.bincount(own, rows.own.count, groups)
    n = float(rows.labelled)
    if rows.own.weight is None or rows.others.weight is None:
        rest = np.bincount(other, rows.others.count, groups)
        share = rest / rest.sum()
        parts = np.stack([labelled, rest])
        expected = (labelled + rest) * parts.sum(axis=1, keepdims=True) / parts.sum()
    else:  # the number of labelled items of each group to which the rates of all items lead
        rated = np.bincount(own, rows.own.count / rows.own.weight, groups)
        rated += np.bincount(other, rows.others.count / rows.others.weight, groups)
        share = rated / rated.sum()
        parts, expected = labelled[None], n * share[None]
    starts = _merged(expected.min(axis=0))
    value, df = _likelihood_ratio(
        np.add.reduceat(parts, starts, axis=1), np.add.reduceat(expected, starts, axis=1)
    )
    p = float(chdtrc(df, value)) if df else 1.0
    return value, df, p, tuple((labelled / n).tolist()), tuple(share.tolist())


def _merged(expected: Floats) -> Codes:
    """Return where merged groups begin, each of which is expected often enough."""
    starts, total = [0], 0.0
    for place, number in enumerate(expected.tolist()):
        if total >= _ENOUGH:
            starts, total = [*starts, place], 0.0
        total += number
    few = total < _ENOUGH and len(starts) > 1
    return np.array(starts[:-1] if few else starts, dtype=np.intp)


def _likelihood_ratio(counts: Floats, expected: Floats) -> tuple[float, int]:
    """Return the statistic with Williams' correction, and its degrees of freedom."""
    from scipy.special import xlogy

    df = expected.shape[1] - 1
    if not df:
        return 0.0, 0
    ratio = 2 * float(xlogy(counts, counts / expected).sum())
    n, (of_part, of_group) = expected.sum(), (expected.sum(axis=i) for i in (1, 0))
    among = (n / of_part).sum() - 1 if len(counts) > 1 else 1.0
    return ratio / (1 + float(among * ((n / of_group).sum() - 1)) / (6 * n * df)), df


def products_of_others(tables: Sequence[JudgedTable], gradients: Sequence[Floats]) -> Floats:
    """Return sums `[M, S, S]` over unlabelled items of the products of q of two systems."""
    count = tables[0].rows.others.count
    size, measures = len(tables), len(gradients[0])
    products = np.zeros((measures, size, size))
    step = max(1, _CHUNK_NUMBERS // (size * measures))
    for start in range(0, len(count), step):
        part = slice(start, start + step)
        pairs = zip(tables, gradients, strict=True)
        q = np.stack([table.of_others(g, part) for table, g in pairs], axis=1)
        products += (q * count[part]) @ q.swapaxes(-1, -2)
    return products
