"""Scores from few gold labels and many labels of a judge.

People labelled n of N items at random, and a judge all of them. T_h[g, s] and T_j[j, s] are the
shares of the labelled items by gold class, or by the judge's class, and the system's class;
A_j[j, s] are those of all items. The corrected table T = T_h + λ(A_j − T_j) has the same
expectation for every λ, however wrong the judge is. Its cells may be negative, and are used as
they are.

λ is the number from 0 (people alone) to 1 for which the score has the smallest variance. To first
order a score is a sum over items: a labelled item adds p − λq and an unlabelled one −λq, where p is
the influence of the item on the score of T_h, and q that on the same score of T_j − A_j. The
variance is the sum of the squares, and λ = Σpq/Σq². The standard error is computed with another λ
for every labelled item, found on all other items, so that no λ is judged by the item that it was
found on. Two items on which the judge errs are added, because a good judge errs on few of the
labelled items, and perhaps on none; for a difference of two systems they are like the items on
which these differ, since the others say little about it. If the result is not below the standard
error of people alone, λ is 0.

The interval is that of people alone, moved to the corrected score and shortened by the ratio of
the standard errors. It is never longer, λ = 0 gives that of people alone, and what makes that
interval reliable with few items is kept. Student's quantiles, with degrees of freedom by
Satterthwaite's formula, allow for residuals that few items determine.

Nothing here depends on the number of items once distinct rows are counted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..measures.registry import Nonnegative
from ..types import Array, Bools, Codes, Floats, Ints
from .max_t import TOPIC_TOLERANCE, StepDown
from .resample import Plan, Statistic, blocks_of, stream

_STEP = 1e-6  # the share of a table that is moved into a cell to see its influence
_CHUNK_NUMBERS = 2**22  # numbers in the arrays that are held at a time
_ADDED_ITEMS = 2  # items on which the judge errs
_FARTHEST, _PER_STEP = 3, 0.5  # by how much it errs there: how far, how likely with every step
_ENOUGH = 5.0  # expected items of a group from which a likelihood ratio has its usual distribution
_SMALL = 1e-9  # shares of a table below this are rounding errors


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Distinct rows of labels of gold, judge and systems.

    Parameters
    ----------
    k : int
        The number of classes.
    gold, judge : ndarray of int of shape (n_rows,)
        The gold class and the judge's class of every labelled row.
    systems : ndarray of int of shape (n_systems, n_rows)
        The systems' classes of the labelled rows.
    count : ndarray of int of shape (n_rows,)
        The number of items of each labelled row.
    other_judge, other_systems, other_count : ndarray of int
        The same for the rows of unlabelled items, which have no gold class.
    weight : ndarray of shape (n_rows,), optional
        The number of items that each labelled item stands for, up to a common factor: the inverse
        of the rate at which such items were labelled.
    other_weight : ndarray, optional
        The same inverse of the rate for the unlabelled rows, by which it is tested whether the
        labelled items are what the rates lead to.
    """

    k: int
    gold: Codes
    judge: Codes
    systems: Array
    count: Ints
    other_judge: Codes
    other_systems: Array
    other_count: Ints
    weight: Floats | None = None
    other_weight: Floats | None = None

    @property
    def labelled(self) -> int:
        """The number of labelled items."""
        return int(self.count.sum())

    @property
    def items(self) -> int:
        """The number of all items."""
        return self.labelled + int(self.other_count.sum())

    @cached_property
    def share(self) -> Floats:
        """The share of one item of each labelled row in tables of the labelled items."""
        weight = np.ones(len(self.count)) if self.weight is None else self.weight
        return np.asarray(weight / (weight @ self.count))

    @property
    def effective(self) -> float:
        """The effective number of labelled items."""
        return float(1 / (self.count @ self.share**2))

    def of_system(self, system: int) -> "JudgedRows":
        """Return the distinct rows of gold, judge and one system."""
        k, weights = self.k, np.ones(1)
        code = (self.gold * k + self.judge) * k + self.systems[system]
        if self.weight is not None:
            weights, place = np.unique(self.weight, return_inverse=True)
            code = code + place * k**3
        codes, count = _summed(code, self.count)
        others, other_count = _summed(
            self.other_judge * k + self.other_systems[system], self.other_count
        )
        return JudgedRows(
            k,
            codes // k**2 % k,
            codes // k % k,
            (codes % k)[None],
            count,
            others // k,
            (others % k)[None],
            other_count,
            None if self.weight is None else weights[codes // k**3],
        )


class Influence(NamedTuple):
    """What items add to the scores of one system, or to differences, under M measures.

    Parameters
    ----------
    p, q : ndarray of shape (M, R)
        Those of an item of each labelled row.
    wrong : ndarray of shape (M, E, R)
        q of an item of each row if the judge erred in one of E ways.
    others : ndarray of shape (M,)
        The sum of the squares of q of all unlabelled items.
    """

    p: Floats
    q: Floats
    wrong: Floats
    others: Floats


class Choice(NamedTuple):
    """λ of M measures, and what it is worth.

    Parameters
    ----------
    weight : ndarray of shape (M,)
        λ.
    ratio : ndarray of shape (M,)
        The length of the interval relative to people alone; at most 1.
    variance : ndarray of shape (M,)
        The variance of the score.
    df : ndarray of shape (M,)
        Its degrees of freedom.
    """

    weight: Floats
    ratio: Floats
    variance: Floats
    df: Floats


@dataclass(frozen=True, eq=False)
class JudgedTable:
    """The table of one system and its correction.

    Parameters
    ----------
    rows : JudgedRows
        The distinct rows.
    system : int
        The position of the system.
    """

    rows: JudgedRows
    system: int = 0

    @cached_property
    def people(self) -> Floats:
        """T_h times the effective number of labelled items."""
        rows = self.rows
        if rows.weight is None:
            return _table(rows.gold, self._own, rows.count, rows.k)
        return rows.effective * _table(rows.gold, self._own, rows.count * rows.share, rows.k)

    @cached_property
    def correction(self) -> Floats:
        """A_j − T_j times the effective number of labelled items."""
        rows, k = self.rows, self.rows.k
        labelled = _table(rows.judge, self._own, rows.count * (1 / rows.items - rows.share), k)
        others = rows.other_count / rows.items
        return rows.effective * (labelled + _table(rows.other_judge, self._other, others, k))

    @property
    def _own(self) -> Codes:
        return np.asarray(self.rows.systems[self.system], dtype=np.intp)

    @property
    def _other(self) -> Codes:
        return np.asarray(self.rows.other_systems[self.system], dtype=np.intp)

    def gradient(self, statistic: Statistic) -> Floats:
        """Return the derivatives `[M, K²]` of the scores in the direction of the cells in use."""
        rows, k, base = self.rows, self.rows.k, self.people
        classes = [rows.gold, rows.judge, *_errors(rows.gold, k)[0]]
        places = [g * k + self._own for g in classes] + [rows.other_judge * k + self._other]
        cells = np.unique(np.concatenate(places))
        parts, step = [], max(1, _CHUNK_NUMBERS // (k * k))
        for first in range(0, len(cells), step):
            some = cells[first : first + step]
            tables = np.repeat((1 - _STEP) * base[None], 1 + len(some), axis=0)
            tables[0] = base
            tables.reshape(1 + len(some), -1)[1 + np.arange(len(some)), some] += _STEP * base.sum()
            scores = statistic(tables)
            parts.append((scores[:, 1:] - scores[:, :1]) / _STEP)
        found = np.zeros((len(parts[0]), k * k))
        found[:, cells] = np.concatenate(parts, axis=1)
        return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)

    def influence(self, gradient: Floats) -> Influence:
        """Return the influence of items on scores with these derivatives."""
        rows, k = self.rows, self.rows.k
        wrong, likely = _errors(rows.gold, k)
        h, u, e = (gradient[:, g * k + self._own] for g in (rows.gold, rows.judge, wrong))
        amount = rows.count * rows.share
        labelled, total = u @ amount, self.mean_of_all(gradient)
        p = rows.share * (h - (h @ amount)[:, None])
        q = rows.share * (u - labelled[:, None]) - (u - total[:, None]) / rows.items
        # The square root makes a mean of squares over the ways to err a sum of squares.
        erring = np.sqrt(likely) * rows.share * (e - labelled[:, None, None])
        others = self.of_others(gradient, slice(None)) ** 2 @ rows.other_count
        return Influence(p, q, erring, others)

    def mean_of_all(self, gradient: Floats) -> Floats:
        """Return the mean derivative `[M]` in the direction of the judge's labels of all items."""
        rows, k = self.rows, self.rows.k
        cells = _table(rows.judge, self._own, rows.count, k)
        cells += _table(rows.other_judge, self._other, rows.other_count, k)
        return np.asarray(gradient @ cells.ravel() / rows.items)

    def of_others(self, gradient: Floats, part: slice) -> Floats:
        """Return q `[M, rows]` of an item of some unlabelled rows."""
        rows = self.rows
        place = rows.other_judge[part] * rows.k + self._other[part]
        total = self.mean_of_all(gradient)[:, None]
        return np.asarray((total - gradient[:, place]) / rows.items)

    def scores(self, statistic: Statistic, weight: Floats) -> Floats:
        """Return the score `[M]` of every measure on the table corrected with its own λ."""
        distinct, which = np.unique(weight, return_inverse=True)
        tables = self.people + distinct[:, None, None] * self.correction
        return np.asarray(statistic(tables)[np.arange(len(weight)), which])

    def usable(self, weight: Floats, needs: Sequence[Nonnegative]) -> Bools:
        """Return for every measure whether its corrected table fulfils what it needs."""
        found = np.ones(len(weight), dtype=np.bool_)
        for i in np.flatnonzero(weight).tolist():
            table = self.people + weight[i] * self.correction
            if needs[i] == "cells":
                found[i] = np.all(table > -_SMALL * table.sum())
            elif needs[i] == "margins":
                found[i] = all(
                    np.array_equal(_signs(table.sum(axis=axis)), _signs(self.people.sum(axis=axis)))
                    for axis in (0, 1)
                )
        return found


def choose_weight(
    found: Influence, rows: JudgedRows, level: float = 0.95, like: Ints | None = None
) -> Choice:
    """Return λ with the smallest variance of every score, 0 where it is not worth anything.

    Added items are like `like` labelled items of each row, like all of them if it is not given.
    """
    p, q, count = found.p, found.q, rows.count
    like = count if like is None else like
    product, square = (p * q) @ count, (q * q) @ count + found.others
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = _clipped(product / square)
        apart = _clipped((product[:, None] - p * q) / (square[:, None] - q * q))
    residual = p - apart * q
    likely = np.sqrt(_errors(rows.gold, rows.k)[1])
    errors = likely * p[:, None] - weight[:, None, None] * found.wrong
    added = (errors**2).sum(axis=1) @ _added(like)
    variance = (residual**2) @ count + weight**2 * found.others + added
    alone = (p * p) @ (count + _added(like))
    df, df_alone = _freedom(residual, count), _freedom(p, count)
    with np.errstate(divide="ignore", invalid="ignore"):
        longer = np.fmax(1.0, _quantile(df, level) / _quantile(df_alone, level))
        ratio = longer * np.sqrt(variance / alone)
    helps = (weight > 0) & (ratio < 1)
    return Choice(
        np.where(helps, weight, 0.0),
        np.where(helps, ratio, 1.0),
        np.where(helps, variance, alone),
        np.where(helps, df, df_alone),
    )


def _added(like: Ints) -> Floats:
    """Return how many items are added to each labelled row."""
    return np.asarray(like * (_ADDED_ITEMS / max(1, int(like.sum()))))


def without_judge(
    choice: Choice, found: Influence, rows: JudgedRows, where: Bools, like: Ints | None = None
) -> Choice:
    """Return the choice with λ = 0 for some measures."""
    alone = found.p**2 @ (rows.count + _added(rows.count if like is None else like))
    return Choice(
        np.where(where, 0.0, choice.weight),
        np.where(where, 1.0, choice.ratio),
        np.where(where, alone, choice.variance),
        np.where(where, _freedom(found.p, rows.count), choice.df),
    )


class SharesTest(NamedTuple):
    """Whether labelled items are a random part of all: a test of the shares of some groups.

    Parameters
    ----------
    statistic, df, p : float
        The statistic of the likelihood ratio, its degrees of freedom and the p-value.
    labelled, others : ndarray of shape (groups,)
        The share of each group among labelled items, and among the others; with rates the share
        that these lead to.
    """

    statistic: float
    df: int
    p: float
    labelled: Floats
    others: Floats


def shares_test(rows: JudgedRows, own: Codes, other: Codes, groups: int) -> SharesTest:
    """Compare the groups of labelled items, such as their classes, with those of other items.

    Neighbouring groups are merged until five items of each are expected. The tail of the likelihood
    ratio is accurate there for p-values as small as those of many tests, unlike that of χ².
    """
    found = np.bincount(own, rows.count, groups)
    n = float(rows.labelled)
    if rows.weight is None:
        rest = np.bincount(other, rows.other_count, groups)
        share = rest / rest.sum()
        parts = np.stack([found, rest])
        expected = (found + rest) * parts.sum(axis=1, keepdims=True) / parts.sum()
    else:  # the number of labelled items of each group to which the rates of all items lead
        assert rows.other_weight is not None
        rated = np.bincount(own, rows.count / rows.weight, groups)
        rated += np.bincount(other, rows.other_count / rows.other_weight, groups)
        share = rated / rated.sum()
        parts, expected = found[None], n * share[None]
    starts = _merged(expected.min(axis=0))
    value, df = _likelihood_ratio(
        np.add.reduceat(parts, starts, axis=1), np.add.reduceat(expected, starts, axis=1)
    )
    return SharesTest(value, df, _upper_tail(value, df), found / n, share)


def _merged(expected: Floats) -> Codes:
    """Return where merged groups begin, each of which is expected often enough."""
    starts, total = [0], 0.0
    for place, number in enumerate(expected.tolist()):
        if total >= _ENOUGH:
            starts, total = [*starts, place], 0.0
        total += number
    few = total < _ENOUGH and len(starts) > 1
    return np.array(starts[:-1] if few else starts, dtype=np.intp)


def _likelihood_ratio(found: Floats, expected: Floats) -> tuple[float, int]:
    """Return the statistic with Williams' correction, and its degrees of freedom."""
    from scipy.special import xlogy

    df = expected.shape[1] - 1
    if not df:
        return 0.0, 0
    ratio = 2 * float(xlogy(found, found / expected).sum())
    n, (of_part, of_group) = expected.sum(), (expected.sum(axis=i) for i in (1, 0))
    among = (n / of_part).sum() - 1 if len(found) > 1 else 1.0
    return ratio / (1 + float(among * ((n / of_group).sum() - 1)) / (6 * n * df)), df


def _upper_tail(value: float, df: int) -> float:
    from scipy.special import chdtrc

    return float(chdtrc(df, value)) if df else 1.0


def products_of_others(tables: Sequence[JudgedTable], gradients: Sequence[Floats]) -> Floats:
    """Return sums `[M, S, S]` over unlabelled items of the products of q of two systems."""
    count = tables[0].rows.other_count
    size, measures = len(tables), len(gradients[0])
    found = np.zeros((measures, size, size))
    step = max(1, _CHUNK_NUMBERS // (size * measures))
    for start in range(0, len(count), step):
        part = slice(start, start + step)
        pairs = zip(tables, gradients, strict=True)
        q = np.stack([table.of_others(g, part) for table, g in pairs], axis=1)
        found += (q * count[part]) @ q.swapaxes(-1, -2)
    return found


class PairFamily(NamedTuple):
    """Differences of pairs of systems under one measure, for tests of all of them.

    Parameters
    ----------
    first, second : ndarray of int of shape (P,)
        The positions of the systems.
    weight : ndarray of shape (P,)
        λ of every pair.
    spread : ndarray of shape (2S, 2S)
        The covariance of the sums of p and q of all systems.
    """

    first: Codes
    second: Codes
    weight: Floats
    spread: Floats

    def draws(self, plan: Plan) -> Iterator[Floats]:
        """Yield blocks `[draws, P]` of standardised differences under the null hypothesis."""
        systems = len(self.spread) // 2
        values, vectors = np.linalg.eigh(self.spread)
        root = vectors * np.sqrt(np.clip(values, 0.0, None))
        contrast = np.zeros((len(self.first), 2 * systems))
        pairs = np.arange(len(self.first))
        contrast[pairs, self.first], contrast[pairs, self.second] = 1.0, -1.0
        contrast[pairs, systems + self.first] = -self.weight
        contrast[pairs, systems + self.second] = self.weight
        mixed = contrast @ root
        norm = np.sqrt((mixed**2).sum(axis=1, keepdims=True))
        mixed = np.divide(mixed, norm, out=np.zeros_like(mixed), where=norm > 0)
        step = max(1, _CHUNK_NUMBERS // max(1, len(self.first)))
        for block in blocks_of(plan.replicates, 2 * systems):
            rng = stream(plan.seed, "judge", block.number)
            normal = rng.standard_normal((block.size, 2 * systems))
            for start in range(0, len(normal), step):
                yield normal[start : start + step] @ mixed.T


def step_down(family: PairFamily, z: Floats, plan: Plan) -> Floats:
    """Return p-values `[P]` by step-down max-T."""
    tested = ~np.isnan(z)
    pairs = StepDown(z[None], tested[None], TOPIC_TOLERANCE)
    for drawn in family.draws(plan):
        pairs.reached[0, pairs.orders[0]] += pairs.count(0, np.abs(drawn.T[pairs.orders[0]]))
    return np.asarray(pairs.p(tested[None], plan.replicates, exact=False)[0])


def _errors(gold: Codes, k: int) -> tuple[Codes, Floats]:
    """Return classes `[E, R]` that a judge may give by mistake, and how likely each is."""
    steps = np.array([*range(-_FARTHEST, 0), *range(1, _FARTHEST + 1)])[:, None]
    wrong = gold + steps
    likely = np.where((wrong >= 0) & (wrong < k), _PER_STEP ** np.abs(steps), 0.0)
    return np.clip(wrong, 0, k - 1), likely / likely.sum(axis=0)


def _freedom(parts: Floats, count: Ints) -> Floats:
    """Return the degrees of freedom `[M]` of sums of squares, by Satterthwaite's formula."""
    n, square = count.sum(), (parts**2) @ count
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 2 * square**2 / ((parts**4) @ count - square**2 / n)
    return np.asarray(np.clip(np.nan_to_num(found, nan=1.0), 1.0, max(1, n - 1)))


def _quantile(df: Floats, level: float) -> Floats:
    from scipy.special import stdtrit

    return np.asarray(stdtrit(df, (1 + level) / 2))


def _clipped(weight: Floats) -> Floats:
    return np.clip(np.nan_to_num(weight, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)


def _signs(margin: Floats) -> Floats:
    return np.sign(np.where(np.abs(margin) < _SMALL * margin.sum(), 0.0, margin))


def _summed(code: Codes, count: Ints) -> tuple[Codes, Ints]:
    codes, row = np.unique(code, return_inverse=True)
    return codes, np.bincount(row, count, len(codes)).astype(np.int64)


def _table(first: Codes, second: Codes, amounts: Array, k: int) -> Floats:
    found: Array = np.bincount(first * k + second, amounts, k * k)
    return found.reshape(k, k).astype(np.float64)
