"""Rankings of systems: how similar they are under two measures, and on two topics under one.

Pairs of systems that two rankings order alike are counted without a list of all pairs. Each row of
scores becomes ranks by one sort. Sorted by both ranks of a system, the pairs that the second scores
order the other way are the inversions of its ranks (Knight 1966). Comparing ranks at every distance
counts these: S²/2 comparisons, but of one or two bytes each, which processors make by the dozen.
For hundreds of systems that is faster than a merge sort of many rows. All counts are whole numbers,
so that τ has the same bits as if computed from all pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordeval.display import Displayable
from ordeval.errors import InputError, check_choice
from ordeval.formatting import lettered
from ordeval.measures.spec import Measure
from ordeval.measures.terms import ratio
from ordeval.types import Array, Bools, Floats, Ints, Tau

from .score_matrices import ScoreMatrices, ScoreSource, place_of

# Scores that differ by less than this share of the largest one differ by rounding only.
ROUNDING = 1e-12
_AT_A_TIME = 2**17  # scores, so that they stay in cache


def concordance(first: Floats, second: Floats) -> Floats:
    """Count the pairs that rows `[..., S]` of scores order alike; leading axes are broadcast.

    Returns concordant minus discordant pairs, and the pairs that are not tied in the first and in
    the second scores: `[3, ...]`, NaN where a score is undefined.

    Scores that differ by at most `ROUNDING` times the largest of their row are tied.
    """
    first, second = np.broadcast_arrays(first, second)
    *batch, systems = first.shape
    rows = first.reshape(-1, systems), second.reshape(-1, systems)
    found = np.empty((3, len(rows[0])))
    step = max(1, _AT_A_TIME // max(1, systems))
    for start in range(0, len(rows[0]), step):
        part = slice(start, start + step)
        found[:, part] = _count_rows(rows[0][part], rows[1][part])
    return found.reshape(3, *batch)


def _count_rows(first: Floats, second: Floats) -> Floats:
    """Count the pairs of rows `[R, S]`: agreement and untied pairs `[3, R]`."""
    systems = first.shape[1]
    pairs = systems * (systems - 1) // 2
    (a, tied_in_a, unsure_a), (b, tied_in_b, unsure_b) = _ranks(first), _ranks(second)
    width = 2 ** (systems - 1).bit_length()
    keys = a.astype(np.min_scalar_type(width**2 - 1)) * width + b  # ordered by a, then by b
    keys.sort(axis=1)
    _, tied_in_both = _tied(np.diff(keys, axis=1) != 0)
    discordant = _inversions((keys & (width - 1)).astype(b.dtype))
    agreement = pairs - tied_in_a - tied_in_b + tied_in_both - 2 * discordant
    found = np.array([agreement, pairs - tied_in_a, pairs - tied_in_b], dtype=np.float64)
    undefined = np.isnan(first).any(axis=1) | np.isnan(second).any(axis=1)
    found[:, undefined] = np.nan
    for row in np.flatnonzero((unsure_a | unsure_b) & ~undefined):
        found[:, row] = _count_as_defined(first[row], second[row])
    return found


def _ranks(scores: Floats) -> tuple[Array, Ints, Bools]:
    """Return ranks `[R, S]`, equal where tied, tied pairs `[R]`, and rows `[R]` without ranks.

    These have a score that is not finite, or a run of ties whose ends are not tied.
    """
    systems = scores.shape[1]
    largest = np.abs(scores).max(axis=1, keepdims=True, initial=0.0)
    order = np.argsort(scores, axis=1)
    order += systems * np.arange(len(scores))[:, None]  # the places in all rows side by side
    ordered = np.take(scores, order)
    unsure: Bools = ~np.isfinite(largest[:, 0])
    with np.errstate(invalid="ignore"):
        first, tied = _tied(np.diff(ordered, axis=1) > ROUNDING * largest)
        if tied.any():
            length = ordered - np.take_along_axis(ordered, first, axis=1)
            unsure |= (length > ROUNDING * largest).any(axis=1)
    ranks = np.empty(scores.shape, dtype=np.min_scalar_type(max(systems - 1, 0)))
    np.put(ranks, order, first)
    return ranks, tied, unsure


def _tied(apart: Bools) -> tuple[Ints, Ints]:
    """Return where the run of ties of each place begins `[R, S]`, and the tied pairs `[R]`.

    `apart` `[R, S - 1]` tells whether a place is apart from the one before it.
    """
    places = np.arange(apart.shape[1] + 1)
    if apart.all():
        return np.broadcast_to(places, (len(apart), len(places))), np.zeros(len(apart), np.int64)
    first = np.zeros((len(apart), len(places)), dtype=np.int64)
    first[:, 1:] = places[1:] * apart
    np.maximum.accumulate(first, axis=1, out=first)
    return first, (places - first).sum(axis=1)


def _inversions(ranks: Array) -> Ints:
    """Count `[R]` the pairs of each row `[R, S]` of which the later rank is smaller."""
    columns = np.ascontiguousarray(ranks.T)  # entries at one distance are then one array
    smaller = np.empty(columns.shape, dtype=np.bool_)
    count: NDArray[np.uint8] = np.zeros(columns.shape, dtype=np.uint8)
    total = np.zeros(len(ranks), dtype=np.int64)
    for distance in range(1, len(columns)):
        found = smaller[distance:]
        np.less(columns[distance:], columns[:-distance], out=found)
        count[distance:] += found.view(np.uint8)
        if distance % 255 == 0 or distance == len(columns) - 1:  # before it overflows
            total += count.sum(axis=0, dtype=np.int64)
            count[:] = 0
    return total


def _count_as_defined(first: Floats, second: Floats) -> tuple[float, float, float]:
    """Count the pairs of two rows by the signs of all differences."""
    a, b = _pair_signs(first), _pair_signs(second)
    return float(a @ b), float(a @ a), float(b @ b)


def _pair_signs(row: Floats) -> Floats:
    """Return +1, 0 or -1 for each pair of scores; infinite ones tie whatever is finite."""
    first, second = np.triu_indices(len(row), 1)
    with np.errstate(invalid="ignore"):
        gaps = row[first] - row[second]
    signs: Floats = np.sign(gaps)
    signs[np.abs(gaps) <= ROUNDING * np.abs(row).max()] = 0.0
    return signs


# Mean scores of a set of topics held at a time: 8 MB.
_MEANS_AT_A_TIME = 2**20


def kendall(a: Floats, b: Floats, variant: Tau = "a") -> Floats:
    """Compute Kendall's τ between scores of the same systems.

    τ-a divides the number of concordant minus discordant pairs by the number of all pairs. τ-b
    divides it by the pairs that are not tied, and is undefined (NaN) if all of them are. Scores
    that differ by rounding only are tied.

    Parameters
    ----------
    a, b : ndarray of shape (..., n_systems)
        Scores; the leading axes are broadcast.
    variant : {"a", "b"}, default: "a"
        Which coefficient to compute.

    Returns
    -------
    ndarray of shape (...)
        The coefficients; NaN where a score is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> a, b = np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    >>> print(oe.meta.kendall(a, b).round(3), oe.meta.kendall(a, b, "b").round(3))
    0.667 0.816
    """
    check_choice("variant", variant, get_args(Tau))
    agreement, *untied_in = concordance(np.asarray(a, dtype=np.float64), np.asarray(b, np.float64))
    if variant == "a":
        systems = np.shape(a)[-1]
        return np.asarray(agreement / (systems * (systems - 1) // 2))
    return np.asarray(ratio(agreement, np.sqrt(untied_in[0] * untied_in[1])))


def kendall_of_sets(
    matrices: ScoreMatrices, first: ArrayLike, second: ArrayLike, variant: Tau = "a"
) -> Floats:
    """Compute Kendall's τ `[M, B]` between the rankings on pairs of sets of topics `[B, T]`."""
    sets = np.asarray(first), np.asarray(second)
    numbers = len(matrices.measures) * len(matrices.systems)
    step = max(1, _MEANS_AT_A_TIME // numbers)
    tau = np.empty((len(matrices.measures), len(sets[0])))
    for start in range(0, len(sets[0]), step):
        part = slice(start, start + step)
        a, b = (matrices.means_over(side[part]) for side in sets)
        tau[:, part] = kendall(a, b, variant)
    return tau


def standard_ranks(scores: Floats) -> Floats:
    """Return mid-ranks along the last axis, centred and of unit length; NaN if all are tied.

    The inner product of two such rows is their Spearman correlation.
    """
    from scipy.stats import rankdata

    largest = np.abs(scores).max(axis=-1, keepdims=True, initial=0.0)
    step = np.where(largest > 0, largest, 1.0) * ROUNDING
    with np.errstate(invalid="ignore"):
        snapped = np.rint(scores / step)
    ranks = np.asarray(rankdata(snapped, axis=-1), dtype=np.float64)
    centred = ranks - ranks.mean(axis=-1, keepdims=True)
    return np.asarray(ratio(centred, np.sqrt((centred**2).sum(axis=-1, keepdims=True))))


@dataclass(frozen=True, repr=False)
class Similarity(Displayable):
    """Kendall's τ between the rankings of the systems under each pair of measures.

    Parameters
    ----------
    measures : tuple of str
        The measures.
    tau : ndarray of shape (n_measures, n_measures)
        Symmetric; NaN where a measure is undefined for some system.
    groups : tuple of tuple of str
        Groups of measures in which each pair has a τ of at least `threshold`, largest first.
        Measures that do not rank all systems are in none.
    threshold : float
        The smallest τ within a group.
    variant : {"a", "b"}
        Which of Kendall's coefficients.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.meta.similarity_of_scores(
    ...     [[0.1, 0.5, 0.9], [0.9, 0.6, 0.2], [0.3, 0.2, 0.1]],
    ...     measures=["gain", "loss", "other"],
    ...     signs=[1, -1, 1],
    ... )
    >>> found.tau[0].round(2)
    array([ 1.,  1., -1.])
    >>> found.groups
    (('gain', 'loss'), ('other',))
    """

    measures: tuple[str, ...]
    tau: Floats
    groups: tuple[tuple[str, ...], ...]
    threshold: float
    variant: Tau

    def group_of(self, measure: str | Measure) -> str:
        """Return the letter of the group of a measure.

        Parameters
        ----------
        measure : str or Measure
            One of `measures`, by any of its names.

        Returns
        -------
        str
            A for the largest group, then B, and so on; after Z comes A2. Empty for a measure that
            is in no group.
        """
        name = self.measures[place_of(measure, self.measures)]
        number = next((i for i, group in enumerate(self.groups) if name in group), None)
        return "" if number is None else lettered(number, ascii_uppercase)


def similarity(data: ScoreSource, *, variant: Tau = "a", threshold: float = 0.8) -> Similarity:
    """Compare how measures rank the systems by mean score (Sakai 2021, section 5.1).

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    variant : {"a", "b"}, default: "a"
        Which of Kendall's coefficients; see Notes.
    threshold : float, default: 0.8
        The smallest τ between two measures of a group.

    Returns
    -------
    Similarity
        Kendall's τ for each pair of measures, and groups of similar measures.

    Notes
    -----
    τ-a and τ-b differ only where systems are tied, which is not the case in Sakai's data of 2016.
    His data of 2017 contain five constant systems, which κ ties. All values printed for κ are
    multiples of 1/190 (20 systems have 190 pairs), and not of 1/√(180·190), by which τ-b would
    divide; so τ-a is the default.

    Examples
    --------
    >>> import ordeval as oe
    >>> counts = oe.Counts.from_labels(
    ...     [1, 2, 3, 1, 2, 3],
    ...     {"a": [1, 2, 3, 1, 2, 2], "b": [1, 2, 2, 1, 1, 3], "c": [3, 2, 1, 2, 1, 3]},
    ...     labels=[1, 2, 3],
    ...     topic=["t", "t", "t", "u", "u", "u"],
    ... )
    >>> scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    >>> oe.meta.similarity(scores).tau
    array([[1., 1.],
           [1., 1.]])
    """
    matrices = ScoreMatrices.read(data)
    return similarity_of_scores(
        matrices.means,
        measures=matrices.measures,
        signs=matrices.signs,
        variant=variant,
        threshold=threshold,
    )


def similarity_of_scores(
    scores: ArrayLike,
    *,
    measures: Sequence[str],
    signs: ArrayLike,
    variant: Tau = "a",
    threshold: float = 0.8,
) -> Similarity:
    """Compare how measures rank the systems, from one score per measure and system.

    Parameters
    ----------
    scores : array_like of shape (n_measures, n_systems)
        The scores that rank the systems.
    measures : sequence of str
        The names of the measures.
    signs : array_like of shape (n_measures,)
        +1 for measures where higher is better, -1 where lower is better.
    variant : {"a", "b"}, default: "a"
        Which of Kendall's coefficients; see `similarity`.
    threshold : float, default: 0.8
        The smallest τ between two measures of a group.

    Returns
    -------
    Similarity
        Kendall's τ for each pair of measures, and groups of similar measures.

    Examples
    --------
    >>> import ordeval as oe
    >>> found = oe.meta.similarity_of_scores(
    ...     [[0.8, 0.6, 0.7], [0.1, 0.4, 0.2]], measures=["accuracy", "mae"], signs=[1, -1]
    ... )
    >>> found.tau
    array([[1., 1.],
           [1., 1.]])
    """
    check_choice("variant", variant, get_args(Tau))
    given, names = np.asarray(scores, dtype=np.float64), tuple(map(str, measures))
    if given.ndim != 2 or len(given) != len(names):
        raise InputError(
            f"Scores of shape {given.shape} were given for {len(names)} measures; one row per "
            "measure and one column per system are expected.",
            parameter="scores",
        )
    oriented = given * np.asarray(signs, dtype=np.float64)[:, None]
    tau = kendall(oriented[:, None], oriented[None, :], variant)
    return Similarity(names, tau, _groups(tau, names, threshold), threshold, variant)


def _groups(
    tau: Floats, measures: tuple[str, ...], threshold: float
) -> tuple[tuple[str, ...], ...]:
    """Group the measures that rank all systems by complete linkage."""
    ranking = ~np.isnan(np.diagonal(tau))  # a measure without a ranking has no τ with itself either
    measures = tuple(name for name, ranks in zip(measures, ranking, strict=True) if ranks)
    tau = tau[np.ix_(ranking, ranking)]
    if len(measures) < 2:
        return (measures,) if measures else ()
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    distance = np.where(np.isnan(tau), 2.0, 1.0 - tau)
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "complete")
    labels = fcluster(tree, 1.0 - threshold + 1e-9, "distance")
    found = [
        tuple(m for m, label in zip(measures, labels, strict=True) if label == group)
        for group in np.unique(labels)
    ]
    return tuple(sorted(found, key=lambda group: (-len(group), measures.index(group[0]))))


@dataclass(frozen=True, repr=False)
class Robustness(Displayable):
    """Mean Spearman correlation between the rankings of the systems on two topics.

    Parameters
    ----------
    measures : tuple of str
        The measures.
    robustness : ndarray of shape (n_measures,)
        NaN where no two topics rank the systems, or where a score is undefined and undefined
        scores are neither skipped nor replaced.
    topics : ndarray of shape (n_measures,)
        The number of topics that rank the systems: all scores are defined and not all are tied.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.5], [0.5, 0.6, 0.5]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["t", "u", "v"],
    ...     better=["higher"],
    ... )
    >>> found = oe.meta.robustness(scores)
    >>> found.robustness, found.topics
    (array([1.]), array([2]))
    """

    measures: tuple[str, ...]
    robustness: Floats
    topics: Ints


def robustness(data: ScoreSource) -> Robustness:
    """Compare the rankings of the systems on two topics (Amigó et al. 2020, section 5.4).

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.

    Returns
    -------
    Robustness
        The mean Spearman correlation over all pairs of topics, for each measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.1], [0.6, 0.4], [0.5, 0.6]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b", "c"],
    ...     topics=["t", "u"],
    ...     better=["higher"],
    ... )
    >>> oe.meta.robustness(scores).robustness.round(2)
    array([-1.])
    """
    matrices = ScoreMatrices.read(data)
    found = np.full(len(matrices.measures), np.nan)
    used = np.zeros(len(matrices.measures), dtype=np.int64)
    for place, scores in enumerate(np.swapaxes(matrices.oriented, 1, 2)):
        defined = ~np.isnan(scores).any(axis=1)
        if not (defined.any() if matrices.undefined == "skip" else defined.all()):
            continue
        ranks = standard_ranks(scores[defined])
        ranks = ranks[~np.isnan(ranks[:, 0])]
        t = used[place] = len(ranks)
        if t > 1:
            # |Σ r|² is the sum over all ordered pairs, with 1 for each topic against itself.
            total = float((ranks.sum(axis=0) ** 2).sum())
            found[place] = (total - t) / (t * (t - 1))
    return Robustness(matrices.measures, found, used)


AMIGO_REFERENCE = ("accuracy", "kendall_a", "mutual_information")
"""Reference measures of Amigó et al. (2020): matching classes, order, and imbalance."""

DISTRIBUTION_REFERENCE = ("nvd", "nmd", "jsd")
"""Reference measures for distributions, for which the literature has no set of its own:
mass in the right class, mass moved along the scale, and information lost."""


@dataclass(frozen=True, repr=False)
class Coverage(Displayable):
    """How well differences under each measure follow unanimous improvements.

    Parameters
    ----------
    measures : tuple of str
        The measures.
    reference : tuple of str
        The reference measures.
    systems : tuple of str
        The systems.
    uir : ndarray of shape (n_systems, n_systems)
        The unanimous improvement ratio of the system in the row over that in the column.
    coverage : ndarray of shape (n_measures,)
        The Spearman correlation of differences of means with `uir` over all pairs of systems.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8], [0.5, 0.6], [0.4, 0.7]], [[0.1, 0.1], [0.2, 0.3], [0.9, 0.8]]],
    ...     measures=["gain", "loss"],
    ...     systems=["a", "b", "c"],
    ...     topics=["t", "u"],
    ...     better=["higher", "lower"],
    ... )
    >>> found = oe.meta.coverage(scores, scores)
    >>> found.uir[0]
    array([0., 1., 1.])
    >>> found.coverage.round(2)
    array([0.98, 0.79])
    """

    measures: tuple[str, ...]
    reference: tuple[str, ...]
    systems: tuple[str, ...]
    uir: Floats
    coverage: Floats

    def reordered(self, systems: Sequence[str]) -> "Coverage":
        """Return the same figures with the systems in another order.

        Parameters
        ----------
        systems : sequence of str
            All systems.

        Returns
        -------
        Coverage
            The same figures.
        """
        places = [self.systems.index(system) for system in systems]
        return replace(self, systems=tuple(systems), uir=self.uir[np.ix_(places, places)])


def unanimous_improvement_ratio(reference: ScoreSource) -> Floats:
    """Compute the unanimous improvement ratio (Amigó et al. 2020, section 5.1).

    The ratio is the share of topics on which a system scores at least as well as another one under
    every reference measure, minus the share on which the reverse holds. A topic on which a
    reference score is undefined counts for neither.
    """
    matrices = ScoreMatrices.read(reference)
    scores = matrices.oriented
    slack = ROUNDING * np.nanmax(np.abs(scores), axis=(1, 2), initial=0.0)
    total = np.zeros((len(matrices.systems),) * 2)
    for topic in range(len(matrices.topics)):
        at = scores[:, :, topic]
        better = (at[:, :, None] >= at[:, None, :] - slack[:, None, None]).all(axis=0)
        total += better.astype(np.float64) - better.T
    return total / len(matrices.topics)


def coverage(data: ScoreSource, reference: ScoreSource) -> Coverage:
    """Correlate differences under each measure with unanimous improvement.

    Coverage (Amigó et al. 2020, section 5.1) is the Spearman correlation, over all pairs of
    systems, of the difference of mean scores and the unanimous improvement ratio. Each pair is
    used in both orders, so the result does not depend on the order of the systems. It has nothing
    to do with the coverage of intervals.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    reference : ScoreMatrices, Counts, Scores or Result
        Scores of the same systems on the same topics under the reference measures.

    Returns
    -------
    Coverage
        The coverage of each measure, and the unanimous improvement ratios.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8], [0.5, 0.6], [0.4, 0.7]], [[0.1, 0.1], [0.2, 0.3], [0.9, 0.8]]],
    ...     measures=["gain", "loss"],
    ...     systems=["a", "b", "c"],
    ...     topics=["t", "u"],
    ...     better=["higher", "lower"],
    ... )
    >>> oe.meta.coverage(scores, scores.select(measures=["loss"])).coverage.round(2)
    array([0.82, 0.88])
    """
    matrices, references = ScoreMatrices.read(data), ScoreMatrices.read(reference)
    if references.systems != matrices.systems or references.topics != matrices.topics:
        raise InputError(
            "The reference scores are of other systems or topics; scores of the same data, in the "
            "same order, are expected.",
            parameter="reference",
        )
    uir = unanimous_improvement_ratio(references)
    pairs = ~np.eye(len(matrices.systems), dtype=np.bool_)
    means = matrices.oriented_means
    defined = np.isfinite(means).all(axis=1)
    found = np.full(len(means), np.nan)
    if defined.any():
        ranks = [standard_ranks((row[:, None] - row)[pairs]) for row in means[defined]]
        found[defined] = np.stack(ranks) @ standard_ranks(uir[pairs])
    return Coverage(matrices.measures, references.measures, matrices.systems, uir, found)
