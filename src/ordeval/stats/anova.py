"""Two-way analysis of variance without replication, effect sizes, and groups of systems."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..types import Array, Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Anova:
    """Two-way analysis of variance of scores by topics and systems.

    Parameters
    ----------
    systems_ss : array of shape (...)
        Sum of squares between systems.
    topics_ss : array of shape (...)
        Sum of squares between topics.
    residual_ss : array of shape (...)
        Residual sum of squares.
    systems_df : int or array of int
        Degrees of freedom of the systems, S - 1.
    topics_df : int or array of int
        Degrees of freedom of the topics, T - 1.
    residual_df : int or array of int
        Residual degrees of freedom, (T - 1)(S - 1).

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.two_way(scores)
    >>> round(float(found.systems_f), 1), round(float(found.systems_p), 4)
    (54.3, 0.0001)
    """

    systems_ss: Floats
    topics_ss: Floats
    residual_ss: Floats
    systems_df: int | Ints | Floats
    topics_df: int | Ints | Floats
    residual_df: int | Ints | Floats

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
        """Residual variance, V_E2 of Sakai (2018)."""
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
        """P-value of the hypothesis that systems do not differ."""
        return _f_tail(self.systems_f, self.systems_df, self.residual_df)

    @property
    def topics_p(self) -> Floats:
        """P-value of the hypothesis that topics do not differ."""
        return _f_tail(self.topics_f, self.topics_df, self.residual_df)


def two_way(scores: ArrayLike) -> Anova:
    """Analyse the variance of scores by topics and systems, without replication.

    Parameters
    ----------
    scores : array_like of shape (..., T, S)
        Scores of at least two topics and two systems.

    Returns
    -------
    Anova
        Sums of squares of shape (...), and what follows from them.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> found = oe.stats.two_way(scores)
    >>> round(float(found.residual_variance), 5), found.residual_df
    (0.0025, 6)
    """
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim < 2 or min(matrix.shape[-2:]) < 2:
        raise InputError(
            f"Scores of shape {matrix.shape} were given, but (..., topics, systems) with at least "
            "two topics and two systems is expected.",
            parameter="scores",
        )
    topics, systems = matrix.shape[-2:]
    # Centred first: the squares of large means would swamp the differences.
    centred = matrix - matrix.mean(axis=(-2, -1), keepdims=True)
    by_system = centred.mean(axis=-2, keepdims=True)
    by_topic = centred.mean(axis=-1, keepdims=True)
    residual = centred - by_system - by_topic
    # Scores that are additive in exact arithmetic leave residuals of the size of rounding errors.
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
    """Return the differences of systems in residual standard deviations.

    Parameters
    ----------
    scores : array_like of shape (..., T, S)
        Scores of at least two topics and two systems.

    Returns
    -------
    array of shape (..., S, S)
        Mean of the row's system minus that of the column's, divided by the square root of the
        residual variance of `two_way`; NaN where that is 0.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = [[0.6, 0.5, 0.2], [0.7, 0.7, 0.3], [0.4, 0.3, 0.1], [0.9, 0.8, 0.6]]
    >>> oe.stats.effect_sizes(scores).round(2).tolist()
    [[0.0, 1.5, 7.0], [-1.5, 0.0, 5.5], [-7.0, -5.5, 0.0]]
    """
    matrix = np.asarray(scores, dtype=np.float64)
    variance = two_way(matrix).residual_variance[..., None, None]
    return _ratio(pairwise_differences(matrix.mean(axis=-2)), np.sqrt(variance))


def pairwise_differences(values: Array) -> Array:
    """Return the differences [..., S, S] of values [..., S], row minus column."""
    return np.asarray(values[..., :, None] - values[..., None, :])


def letter_groups(
    means: ArrayLike, p: ArrayLike, alpha: float = 0.05, *, most: int = 200
) -> list[list[int]]:
    """Group systems such that two share a group if and only if they do not differ significantly.

    This is the compact letter display. Every group is a maximal set of systems of which no two
    differ significantly. P-values of a randomisation test need not be monotone in the difference,
    so the groups are those of Piepho (2004), not runs of the ranking.

    Parameters
    ----------
    means : array_like of shape (S,)
        Mean scores; higher is better (negate those of which lower is better).
    p : array_like of shape (S, S)
        P-values of the pairs; NaN is not significant.
    alpha : float, default: 0.05
        Significance level.
    most : int, default: 200
        Largest number of groups. Irregular p-values can need exponentially many; if there are
        more than this, none are returned.

    Returns
    -------
    list of list of int
        Indices of the systems of every group from best to worst, the group of the best system
        first.

    Examples
    --------
    >>> import ordeval as oe
    >>> p = [[1, 0.2, 0.01], [0.2, 1, 0.2], [0.01, 0.2, 1]]
    >>> oe.stats.letter_groups([0.9, 0.8, 0.7], p)
    [[0, 1], [1, 2]]
    """
    order = np.argsort(-np.asarray(means, dtype=np.float64), kind="stable").tolist()
    significant = np.asarray(p, dtype=np.float64)[np.ix_(order, order)] < alpha
    different = np.triu(significant, 1)
    alike = [_as_bits(~row) & ~(1 << i) for i, row in enumerate(different | different.T)]
    groups = _maximal_groups(alike, most)
    places = range(len(order))
    members = ([place for place in places if group >> place & 1] for group in groups)
    return [[order[place] for place in group] for group in sorted(members)]


class _Search(NamedTuple):
    """Sets of systems, as bits, in a search for groups: one operation compares two of them.

    Groups hold all of `chosen`, some of `open` and none of `closed`, whose groups are known.
    """

    chosen: int
    open: int
    closed: int


def _maximal_groups(alike: list[int], most: int) -> list[int]:
    """Return all maximal sets whose members are alike, none if there are more than `most`.

    These are the maximal cliques of a graph (Bron & Kerbosch 1973, with pivots after Tomita et al.
    2006).
    """
    found: list[int] = []
    waiting = [_Search(0, (1 << len(alike)) - 1, 0)]
    while waiting:
        chosen, open_, closed = _with_certain(waiting.pop(), alike)
        if not open_:
            found += [] if closed else [chosen]
            if len(found) > most:
                return []
            continue
        # Every further group holds the pivot or a system that is not alike to it.
        pivot = max(_members(open_ | closed), key=lambda s: (open_ & alike[s]).bit_count())
        for s in _members(open_ & ~alike[pivot]):
            waiting.append(_Search(chosen | 1 << s, open_ & alike[s], closed & alike[s]))
            open_, closed = open_ & ~(1 << s), closed | 1 << s
    return found


def _with_certain(search: _Search, alike: list[int]) -> _Search:
    """Choose the systems that are alike to all open ones: every group holds them."""
    chosen, open_, closed = search
    for s in _members(open_):
        if not open_ & ~alike[s] & ~(1 << s):
            chosen, closed = chosen | 1 << s, closed & alike[s]
    return _Search(chosen, open_ & ~chosen, closed)


def _members(group: int) -> Iterator[int]:
    """Yield the places of the bits of a set."""
    while group:
        last = group & -group
        yield last.bit_length() - 1
        group ^= last


def _as_bits(row: Bools) -> int:
    """Return a row of truth values as the bits of a number, the first one lowest."""
    return int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little")


def _ratio(above: Floats, below: Floats) -> Floats:
    """Divide, NaN where `below` is 0."""
    above, below = np.broadcast_arrays(above, below)
    ratio: Floats = np.full(above.shape, np.nan)
    return np.divide(above, below, out=ratio, where=below > 0)


def _f_tail(f: Floats, df: int | Ints | Floats, residual_df: int | Ints | Floats) -> Floats:
    """Return the upper tail probability of the F distribution."""
    from scipy.special import fdtrc

    return np.asarray(fdtrc(df, residual_df, f), dtype=np.float64)
