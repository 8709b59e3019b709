"""System ranking similarity: do two measures rank the systems in the same order?"""

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
from numpy.typing import ArrayLike

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.types import Floats

from .rank_correlation import Variant, check_variant, kendall
from .score_matrices import ScoreMatrices, ScoreSource


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

    def group_of(self, measure: str) -> str:
        """Return the letter of the group of a measure.

        Parameters
        ----------
        measure : str
            One of `measures`.

        Returns
        -------
        str
            A for the largest group, then B, and so on; after Z comes A2.
        """
        number = next(i for i, group in enumerate(self.groups) if measure in group)
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
    ...     topics=["t", "t", "t", "u", "u", "u"],
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
    check_variant(variant)
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
    """Group measures by complete linkage; an undefined τ keeps measures apart."""
    if len(measures) == 1:
        return (measures,)
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
