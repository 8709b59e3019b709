"""Two-way analysis of variance without replication, effect sizes, and groups of systems."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ordeval.errors import InputError
from ordeval.stats.resample import Floats, Integers


@dataclass(frozen=True, slots=True)
class Anova:
    """Analysis of score matrices topics × systems; every number may carry leading axes [...].

    The residual variance is V_E2 of Sakai (2018), with (T - 1)(S - 1) degrees of freedom.
    """

    systems_ss: Floats
    topics_ss: Floats
    residual_ss: Floats
    systems_df: int | Integers
    topics_df: int | Integers
    residual_df: int | Integers

    @property
    def systems_ms(self) -> Floats:
        """Mean square between systems."""
        return np.asarray(self.systems_ss / self.systems_df)

    @property
    def topics_ms(self) -> Floats:
        """Mean square between topics."""
        return np.asarray(self.topics_ss / self.topics_df)

    @property
    def residual_variance(self) -> Floats:
        """V_E2: residual sum of squares over its degrees of freedom."""
        return np.asarray(self.residual_ss / self.residual_df)

    @property
    def systems_f(self) -> Floats:
        """F statistic of the systems, NaN without residual variance."""
        return _ratio(self.systems_ms, self.residual_variance)

    @property
    def topics_f(self) -> Floats:
        """F statistic of the topics, NaN without residual variance."""
        return _ratio(self.topics_ms, self.residual_variance)

    @property
    def systems_p(self) -> Floats:
        """p-value of no difference between systems."""
        return _f_tail(self.systems_f, self.systems_df, self.residual_df)

    @property
    def topics_p(self) -> Floats:
        """p-value of no difference between topics."""
        return _f_tail(self.topics_f, self.topics_df, self.residual_df)


def two_way(scores: ArrayLike) -> Anova:
    """Two-way ANOVA without replication of scores [..., T, S]: topics × systems."""
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim < 2 or min(matrix.shape[-2:]) < 2:
        raise InputError(
            f"scores of shape {matrix.shape} were given, but at least two topics and two systems "
            "are expected: [..., topics, systems]"
        )
    topics, systems = matrix.shape[-2:]
    # Centred first: squares of large means would drown the differences.
    centred = matrix - matrix.mean(axis=(-2, -1), keepdims=True)
    by_system = centred.mean(axis=-2, keepdims=True)
    by_topic = centred.mean(axis=-1, keepdims=True)
    residual = centred - by_system - by_topic
    # What rounding leaves of scores that are additive in exact arithmetic is no variance.
    noise = matrix.size * (4 * np.finfo(np.float64).eps * np.abs(matrix).max(axis=(-2, -1))) ** 2
    residual_ss = (residual**2).sum(axis=(-2, -1))
    return Anova(
        systems_ss=topics * (by_system**2).sum(axis=(-2, -1)),
        topics_ss=systems * (by_topic**2).sum(axis=(-2, -1)),
        residual_ss=np.where(residual_ss > noise, residual_ss, 0.0),
        systems_df=systems - 1,
        topics_df=topics - 1,
        residual_df=(topics - 1) * (systems - 1),
    )


def effect_sizes(scores: ArrayLike) -> Floats:
    """(mean_i - mean_j) / sqrt(V_E2) of all pairs [..., S, S]; NaN where V_E2 is 0.

    Parameters
    ----------
    scores : [..., T, S].
    """
    matrix = np.asarray(scores, dtype=np.float64)
    means = matrix.mean(axis=-2)
    variance = two_way(matrix).residual_variance[..., None, None]
    return _ratio(means[..., :, None] - means[..., None, :], np.sqrt(variance))


def best_group(means: ArrayLike, p: ArrayLike, alpha: float = 0.05) -> list[int]:
    """Systems that a test cannot tell from the best one, the best first.

    Parameters
    ----------
    means : [S], higher is better (negate scores of which lower is better).
    p : [S, S] p-values of the pairs; an undefined one tells nothing apart.
    """
    order = _from_best(means)
    tells = np.asarray(p, dtype=np.float64) < alpha
    return [int(s) for s in order if s == order[0] or not tells[order[0], s]]


def letter_groups(
    means: ArrayLike, p: ArrayLike, alpha: float = 0.05, *, most: int = 200
) -> list[list[int]]:
    """Compact letter display: groups such that two systems share one iff no test tells them apart.

    Every group is a largest set of systems of which no two are told apart; p-values of a
    randomisation test need not be monotone, so these are found pair by pair (insert and absorb,
    Piepho 2004), not as runs of the ranking.

    Parameters
    ----------
    means : [S], higher is better.
    p : [S, S] p-values of the pairs.
    most : number of groups beyond which none are given; p-values without any regularity can need
        exponentially many.

    Returns
    -------
    Groups of indices, each from best to worst, the group of the best system first.
    """
    order = _from_best(means)
    tells = np.asarray(p, dtype=np.float64)[np.ix_(order, order)] < alpha
    groups = [frozenset(range(len(order)))]
    for i, j in zip(*np.nonzero(np.triu(tells, 1)), strict=True):
        groups = _split(groups, int(i), int(j))
        if len(groups) > most:
            return []
    return [[int(order[place]) for place in group] for group in sorted(map(sorted, groups))]


def _split(groups: list[frozenset[int]], i: int, j: int) -> list[frozenset[int]]:
    """Groups in which i and j no longer meet, without those that lie within another."""
    parts: set[frozenset[int]] = set()
    for group in groups:
        parts |= {group - {i}, group - {j}} if {i, j} <= group else {group}
    return [part for part in parts if not any(part < other for other in parts)]


def _from_best(means: ArrayLike) -> list[int]:
    values = np.asarray(means, dtype=np.float64)
    return [int(s) for s in np.argsort(-values, kind="stable")]


def _ratio(above: Floats, below: Floats) -> Floats:
    above, below = np.broadcast_arrays(above, below)
    ratio: Floats = np.full(above.shape, np.nan)
    return np.divide(above, below, out=ratio, where=below > 0)


def _f_tail(f: Floats, df: int | Integers, residual_df: int | Integers) -> Floats:
    from scipy.special import fdtrc

    return np.asarray(fdtrc(df, residual_df, f), dtype=np.float64)
