"""Unanimous improvement: does a gain under a measure mean a gain under several others at once?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.types import Floats

from .concordance import ROUNDING
from .rankings import standard_ranks
from .score_matrices import ScoreMatrices, ScoreSource

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

    Parameters
    ----------
    reference : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics under the reference measures.

    Returns
    -------
    ndarray of shape (n_systems, n_systems)
        The ratio of the system in the row over that in the column.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8], [0.5, 0.6]], [[0.1, 0.4], [0.2, 0.3]]],
    ...     measures=["gain", "loss"],
    ...     systems=["a", "b"],
    ...     topics=["t", "u"],
    ...     better=["higher", "lower"],
    ... )
    >>> oe.meta.unanimous_improvement_ratio(scores)
    array([[ 0. ,  0.5],
           [-0.5,  0. ]])
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
    used in both orders, so the result does not depend on the order of the systems.

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
