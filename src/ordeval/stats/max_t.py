"""Step-down max-T tests of all pairs of systems, or of all systems against one.

The null distribution comes from the signs of units: topics, clusters or items. If two systems
are alike, exchanging them on any set of units is as likely as the data. All pairs share the signs,
and every pair is compared with the maximum over itself and the pairs with smaller statistics
(Westfall & Young 1993; Romano & Wolf 2005). The probability of any false finding is then about
alpha at most whichever pairs differ, and neither one bad system nor unequal variances change that
(docs/error-rates.md).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..types import Array, Bools, Family, Floats, Ints, Undefined
from .exchange import (
    TOPIC_TOLERANCE,
    Influences,
    LinearExchange,
    ScoreExchange,
    StudentisedExchange,
    by_cluster,
    numerical,
    rounded,
)
from .intervals import square, t_quantile
from .resample import Plan, Reporter, Statistic, as_scores, in_order
from .unit_tables import UnitTables

Sizes = Callable[[Array, Sequence[Ints]], Iterable[Array]]
"""Returns for every measure |z| [pairs, b] of draws [..., b], the pairs in an order."""

TOPIC_TRIALS = 5000
# The skewness of a difference against its sign from which the difference is doubtful, by simulation
# (docs/unit-coverage.md, docs/error-rates.md).
OPPOSED = 0.2
# Trials over tables by the number of pairs, so that many pairs do not take minutes.
TABLE_TRIALS = {1_000: 5_000, 5_000: 2_000}
FEW_TRIALS = 1_000
# Where up to so many units differ, standard errors are computed for every exchange, unless the
# numbers in the tables of all pairs and exchanges are too many.
MOST_UNITS = 1_000
MOST_NUMBERS = {5_000: 2**22, 2_000: 2**24, 1_000: 2**27}


@dataclass(frozen=True, slots=True)
class PairsTest:
    """Tests of pairs of systems under M measures, with p-values for the whole family of pairs.

    Parameters
    ----------
    difference : array of shape (M, S, S)
        Score of the row's system minus that of the column's.
    p : array of shape (M, S, S)
        Symmetric p-values, 1 on the diagonal, NaN for pairs that were not tested.
    se : array of shape (M, S, S)
        The standard error of the difference.
    units : int
        Number of units.
    trials : int
        Number of random trials, or of enumerated patterns of signs.
    exact : bool
        Whether all patterns of signs were enumerated.
    skew : array of shape (M, S, S)
        The skewness of the difference.
    largest : array of shape (M, trials)
        The largest difference among all pairs in each trial, in standard errors.
    wide_se : array of shape (M, S, S), optional
        The standard error with two items added, which is not 0 where systems agree on all items.
    rough : bool
        Whether p is accurate to first order only although few units differ, because there are too
        many pairs for the exact calculation.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> test = oe.stats.max_t(scores)
    >>> test.units, test.trials, test.exact
    (4, 8, True)
    """

    difference: Floats
    p: Floats
    se: Floats
    units: int
    trials: int
    exact: bool
    skew: Floats
    largest: Floats
    wide_se: Floats | None = None
    rough: bool = False

    def intervals(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Return simultaneous intervals of the differences of all pairs.

        Half the width, in standard errors, is what the largest difference among all pairs exceeds
        with a probability of 1 - `level`, and at least the quantile of Student's t. An interval
        contains 0 if and only if p is at least 1 - `level`. Where the step-down test finds a
        difference that a single step would not, it ends just short of 0.

        Parameters
        ----------
        level : float, default: 0.95
            The probability that all intervals contain the true differences.

        Returns
        -------
        low, high : array of the shape of `difference`
            NaN for pairs that were not tested.

        Examples
        --------
        >>> import ordeval as oe
        >>> scores = [[0.6, 0.5], [0.7, 0.6], [0.4, 0.2], [0.9, 0.8], [0.5, 0.3], [0.6, 0.5]]
        >>> low, high = oe.stats.max_t(scores).intervals()
        >>> [round(float(x[0, 1]), 3) for x in (low, high)]
        [0.079, 0.188]
        """
        alpha, size = 1 - level, np.abs(self.difference)
        usual = t_quantile(max(self.units - 1, 1), level)
        reach = np.maximum(usual, self._critical(alpha))[..., None, None]
        found = self.p < alpha * (1 - 1e-9)  # 1 - level may exceed a p-value by rounding
        wide = self.se if self.wide_se is None else np.fmax(self.se, self.wide_se)
        with np.errstate(invalid="ignore"):
            half = reach * np.where(found & (self.se > 0), self.se, wide)
        half = np.where(found, np.minimum(half, size * (1 - 1e-9)), np.fmax(half, size))
        half = np.where(np.isnan(self.p) | ~(wide > 0), np.nan, half)
        return self.difference - half, self.difference + half

    def _critical(self, alpha: float) -> Floats:
        """Return how many standard errors the largest difference exceeds with probability alpha."""
        extra = 0 if self.exact else 1  # the data are a trial, too
        place = ceil(alpha * (self.trials + extra) - 1e-9) - extra
        if place < 1:
            return np.full(self.largest.shape[:-1], np.inf)
        return np.sort(self.largest, axis=-1)[..., -place]


def max_t(
    scores: ArrayLike,
    plan: Plan | None = None,
    *,
    clusters: ArrayLike | None = None,
    against: int | None = None,
    family: Family = "pairs",
) -> PairsTest:
    """Test all pairs of systems over topics by random signs, with one correction for all pairs.

    Parameters
    ----------
    scores : array_like of shape (T, S) or (M, T, S)
        Scores of every topic and system, all of them defined. All measures share the signs.
    plan : Plan, optional
        The number of random trials and the seed. By default 5,000 trials from seed 0. All
        patterns of signs are enumerated instead if there are at most 15 topics or clusters.
    clusters : array_like of int of shape (T,), optional
        The cluster of every topic. All topics of a cluster have the same sign.
    against : int, optional
        Position of the system that all others are compared with.
    family : {"pairs", "measures"}, default: "pairs"
        What p-values are corrected for: the pairs under one measure, or those under all measures.

    Returns
    -------
    PairsTest
        Differences and p-values of shape (S, S) or (M, S, S).

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6],
    ...           [0.5, 0.5, 0.1], [0.7, 0.6, 0.2]]
    >>> oe.stats.max_t(scores).p.round(3).tolist()
    [[1.0, 0.125, 0.031], [0.125, 1.0, 0.031], [0.031, 0.031, 1.0]]
    """
    stack = as_scores(scores)
    if not np.all(np.isfinite(stack)):
        raise InputError(
            "Some scores are undefined, but every system needs a score on every topic.",
            parameter="scores",
            hint="Leave out the topics or systems without scores.",
        )
    plan = plan or Plan(replicates=TOPIC_TRIALS)
    pairs = _pairs(stack.shape[2], against)
    exchange = ScoreExchange(by_cluster(rounded(stack), clusters), pairs, plan)
    means = stack.mean(axis=1)
    difference = means[:, pairs[0]] - means[:, pairs[1]]
    test = _tested(exchange, plan, family, difference, exchange.standard_errors(stack.shape[1]))
    if np.ndim(scores) == 3:
        return test
    names = ("difference", "p", "se", "skew", "largest")
    only: dict[str, Any] = {name: getattr(test, name)[0] for name in names}
    return replace(test, **only)


def max_t_tables(
    tables: UnitTables,
    statistic: Statistic,
    plan: Plan | None = None,
    *,
    influences: Influences | None = None,
    undefined: Undefined = None,
    against: int | None = None,
    family: Family = "pairs",
    moved: Floats | None = None,
) -> PairsTest:
    """Test all pairs of systems on the same rows, with one correction for all pairs.

    Exchanging two systems' labels on the units of negative sign, the same signs for all pairs,
    gives the differences that chance produces, each divided by its standard error. Scores are means
    over the topics of the tables. Trials with an undefined difference count as less extreme than
    any observed difference. `influences` are computed by finite differences unless given;
    `moved` are differences [M, S, S] to test in place of those of the tables.
    """
    pairs = _pairs(tables.systems, against)
    kind, trials = exchange_of(tables, pairs.shape[1], influences is None)
    plan = plan or Plan(replicates=trials)
    influences = influences or numerical(statistic)
    tested = None if moved is None else moved[:, pairs[0], pairs[1]]
    exchange = kind(tables, statistic, influences, plan, pairs, undefined, tested)
    test = _tested(exchange, plan, family, exchange.observed, exchange.se, exchange.wide_se)
    few = tables.changing_units <= MOST_UNITS and not exchange.exact
    return replace(test, rough=few and kind is LinearExchange)


def exchange_of(
    tables: UnitTables, pairs: int, by_differences: bool
) -> tuple[type[StudentisedExchange] | type[LinearExchange], int]:
    """Return how pairs are tested, by the size of the data, and the usual number of trials."""
    cells = tables.entries // tables.systems
    numbers = pairs * cells * (2 * cells if by_differences else 1)
    for trials, most in MOST_NUMBERS.items():
        if tables.changing_units <= MOST_UNITS and numbers * trials <= most:
            return StudentisedExchange, trials
    return LinearExchange, usual_trials(pairs)


def usual_trials(pairs: int) -> int:
    """Return the number of trials for so many pairs, which many units do not make slower."""
    return next((n for most, n in TABLE_TRIALS.items() if pairs <= most), FEW_TRIALS)


def detectable_difference(
    se: ArrayLike, df: ArrayLike, alpha: float = 0.05, power: float = 0.8
) -> Floats:
    """Return the smallest true difference that a two-sided test of new data finds with a power.

    The standard errors, those given and those of the new data, are estimates. With few units the
    detectable difference is therefore larger than it would be if they were known.

    Parameters
    ----------
    se : array_like
        Standard errors of paired differences.
    df : array_like
        Degrees of freedom: the number of units less 1.
    alpha : float, default: 0.05
        Level of the test. For the worst case of a family of m pairs, pass alpha / m.
    power : float, default: 0.8
        Probability that a true difference of this size is found.

    Returns
    -------
    array of float
        ``se`` times c, where (c - t)² = z² (1 + (c² + t²) / (2 df)), t is the t quantile of
        1 - alpha / 2 and z the normal quantile of the power; NaN without degrees of freedom, or
        too few for the power.

    Examples
    --------
    >>> import ordeval as oe
    >>> round(float(oe.stats.detectable_difference(0.02, 29)), 3)
    0.06
    """
    from scipy.special import ndtri  # slow to import

    freedom, z = np.asarray(df, dtype=np.float64), float(ndtri(power))
    # c S - t S* is about normal: the standard errors S and S* have variances of 1 / (2 df).
    usable = np.where(freedom > z * z / 2, freedom, np.nan)
    t, known = t_quantile(usable, 1 - alpha), 1 - z * z / (2 * usable)
    root = np.sqrt(t**2 - known * (known * t**2 - z * z))
    return np.asarray(np.asarray(se, dtype=np.float64) * (t + np.sign(z) * root) / known)


def opposed(difference: Floats, skew: Floats) -> Bools:
    """Return where few units pull a difference far to the other side.

    Where differences have a long tail, a sample with little of it shows a difference to the other
    side too often.
    """
    return np.asarray(np.sign(difference) * skew < -OPPOSED)


# Pairs.


def _pairs(systems: int, against: int | None) -> Ints:
    """Return the positions [2, P] of all pairs, or those with one system."""
    if against is None:
        return np.array(np.triu_indices(systems, 1))
    if not 0 <= against < systems:
        raise InputError(
            f"against is {against}, but a position from 0 to {systems - 1} is expected.",
            parameter="against",
        )
    others = np.delete(np.arange(systems), against)
    return np.stack([others, np.full(len(others), against)])


def _tested(
    exchange: ScoreExchange | StudentisedExchange | LinearExchange,
    plan: Plan,
    family: Family,
    difference: Floats,
    se: Floats,
    wide_se: Floats | None = None,
) -> PairsTest:
    """Return the test of differences [M, P] with their standard errors, by one kind of exchange."""
    units, trials, exact = exchange.units, exchange.trials, exchange.exact
    draws, shape = exchange.draws(), exchange.z.shape
    z, tested = exchange.z, exchange.scale > 0
    sizes: Sizes = exchange.sizes
    if family == "measures":
        z, tested, sizes = z.reshape(1, -1), tested.reshape(1, -1), _as_one_measure(sizes, shape)
    p, largest = step_down(z, tested, draws, sizes, plan, trials, exact, exchange.tolerance)
    p, largest = p.reshape(shape), np.broadcast_to(largest, (shape[0], largest.shape[1]))
    pairs, systems = exchange.pairs.T, exchange.systems
    return PairsTest(
        square(difference, -difference, pairs, systems),
        square(p, p, pairs, systems, 1.0),
        square(se, se, pairs, systems),
        units,
        trials,
        exact,
        square(exchange.skew, -exchange.skew, pairs, systems),
        exchange.in_standard_errors(largest),
        None if wide_se is None else square(wide_se, wide_se, pairs, systems),
    )


def _as_one_measure(sizes: Sizes, shape: tuple[int, ...]) -> Sizes:
    """Return the statistics of pairs under all measures as if they were those of more pairs."""
    orders = [np.arange(shape[1])] * shape[0]

    def joined(draws: Array, wanted: Sequence[Ints]) -> Iterator[Array]:
        yield np.concatenate(list(sizes(draws, orders)))[wanted[0]]

    return joined


def step_down(
    z: Floats,
    tested: Bools,
    draws: Iterable[Array],
    sizes: Sizes,
    plan: Plan,
    trials: int,
    exact: bool = False,
    tolerance: float = TOPIC_TOLERANCE,
) -> tuple[Floats, Floats]:
    """Return p-values [M, P] for the whole family of pairs, NaN where z [M, P] is undefined.

    A draw reaches a pair if any statistic up to its place in the order reaches that of the data.
    `sizes` makes statistics from `draws` [..., b]; those that are equal in exact arithmetic may
    differ by the tolerance. Only tested pairs are in the family. The second array [M, trials] has
    the largest statistic of every draw.
    """
    defined = ~np.isnan(z)
    size = np.where(defined, np.abs(z), 0.0)
    orders = [_ascending(row, use) for row, use in zip(size, tested, strict=True)]
    thresholds = [
        row[order] * (1 - tolerance) - tolerance for row, order in zip(size, orders, strict=True)
    ]

    def count(drawn: Array) -> tuple[Ints, Floats]:
        reached = np.zeros(size.shape, dtype=np.int64)
        largest = np.zeros((len(z), drawn.shape[-1]))
        for m, of_measure in enumerate(sizes(drawn, orders)):
            np.maximum.accumulate(of_measure, axis=0, out=of_measure)
            reaching = of_measure >= thresholds[m][:, None].astype(of_measure.dtype)
            reached[m, orders[m]] = np.count_nonzero(reaching, axis=1)
            largest[m] = of_measure[-1] if len(of_measure) else 0.0
        return reached, largest

    progress, reached = Reporter(plan, trials), np.zeros(size.shape, dtype=np.int64)
    parts = []
    for counts, largest in in_order(count, draws, plan.threads):
        reached += counts
        parts.append(largest)
        progress.add(largest.shape[1])
    for row, of_measure, order in zip(reached, size, orders, strict=True):
        row[order] = _shared_by_ties(of_measure[order], row[order])
    extra = 0 if exact else 1  # the data are a trial, too
    p = np.where(size == 0, 1.0, np.clip((reached + extra) / (trials + extra), 0.0, 1.0))
    p[~defined] = np.nan
    for row, of_measure, use in zip(p, size, defined, strict=True):
        order = _ascending(-of_measure, use)
        row[order] = np.maximum.accumulate(row[order])
    return p, np.concatenate(parts, axis=1)


def step_down_of(
    z: Floats, tested: Bools, drawn: Array, tolerance: float = TOPIC_TOLERANCE
) -> tuple[Floats, Floats]:
    """Return p-values of one family of statistics z [...] with draws [P, B], as `step_down` does.

    The second array [B] has the largest statistic of every draw.
    """

    def sizes(part: Array, orders: Sequence[Ints]) -> Iterator[Array]:
        yield np.abs(part[orders[0]])

    family, trials = (z.reshape(1, -1), tested.reshape(1, -1), [drawn], sizes), drawn.shape[1]
    p, largest = step_down(*family, Plan(trials), trials, tolerance=tolerance)
    return p.reshape(z.shape), largest[0]


def _shared_by_ties(size: Floats, reached: Ints) -> Ints:
    """Give pairs of equal size, in ascending order, the largest of their numbers of draws.

    Else the order of the systems would decide which of them comes first.
    """
    if not len(size):
        return reached
    lower, upper = size[:-1], size[1:]
    new = np.append(True, upper > lower * (1 + TOPIC_TOLERANCE))
    largest = np.maximum.reduceat(reached, np.flatnonzero(new))
    return np.asarray(largest[np.cumsum(new) - 1])


def _ascending(size: Floats, use: Bools) -> Ints:
    """Return the places of the pairs to use from the smallest to the largest."""
    order = np.argsort(size, kind="stable")
    return order[use[order]]
