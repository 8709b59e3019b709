"""Rankings of systems: how similar they are under two measures, and on two topics under one."""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ordeval.display import Displayable
from ordeval.errors import InputError, check_choice
from ordeval.measures.spec import Measure
from ordeval.types import Floats, Ints

from .concordance import ROUNDING, concordance
from .score_matrices import ScoreMatrices, ScoreSource, place_of

Variant = Literal["a", "b"]
"""Which of Kendall's coefficients: τ-a or τ-b."""

# Mean scores of a set of topics held at a time: 8 MB.
_MEANS_AT_A_TIME = 2**20


def kendall(a: Floats, b: Floats, variant: Variant = "a") -> Floats:
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
    check_choice("variant", variant, get_args(Variant))
    found = concordance(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    if variant == "a":
        systems = np.shape(a)[-1]
        return np.asarray(found.agreement / (systems * (systems - 1) // 2))
    untied = found.untied_first * found.untied_second
    tau: Floats = np.full(untied.shape, np.nan)
    np.divide(found.agreement, np.sqrt(untied), out=tau, where=untied > 0)
    return tau


def kendall_of_sets(
    matrices: ScoreMatrices, first: ArrayLike, second: ArrayLike, variant: Variant = "a"
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
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    unit: Floats = np.full(centred.shape, np.nan)
    np.divide(centred, length, out=unit, where=length > 0)
    return unit


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
    variant: Variant

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
        if number is None:
            return ""
        turn, letter = divmod(number, len(ascii_uppercase))
        return ascii_uppercase[letter] + (str(turn + 1) if turn else "")


def similarity(data: ScoreSource, *, variant: Variant = "a", threshold: float = 0.8) -> Similarity:
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
    variant: Variant = "a",
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
    check_choice("variant", variant, get_args(Variant))
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
