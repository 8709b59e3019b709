"""Discriminative power: how many pairs of systems does a measure separate significantly?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import names_rng
from ordeval.stats.anova import randomised_tukey
from ordeval.stats.resample import Plan, as_seed
from ordeval.types import RNG, Bools, Floats, Ints, Progress

from .score_matrices import ScoreMatrices, ScoreSource


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Displayable):
    """Significance of the differences between all pairs of systems under each measure.

    Parameters
    ----------
    measures, systems : tuple of str
        The measures and the systems.
    pairs : tuple of tuple of str
        The pairs of systems.
    p : ndarray of shape (n_measures, n_pairs)
        The p-values of a randomised paired Tukey HSD test over topics; NaN for a measure without
        scores.
    topics : ndarray of shape (n_measures,)
        The number of topics used.
    significant : ndarray of shape (n_measures,)
        The number of pairs with a p-value below `alpha`.
    alpha : float
        The level of significance.
    trials : int
        The number of random trials of the test.
    seed : int
        The seed of the test.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7, 0.9, 0.8], [0.5, 0.4, 0.5, 0.6, 0.4, 0.5]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["1", "2", "3", "4", "5", "6"],
    ...     better=["higher"],
    ... )
    >>> found = oe.meta.discriminative_power(scores, trials=200)
    >>> found.pairs, found.share
    ((('a', 'b'),), array([1.]))
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    p: Floats
    topics: Ints
    significant: Ints
    alpha: float
    trials: int
    seed: int

    def reordered(self, systems: Sequence[str]) -> "DiscriminativePower":
        """Return the same p-values with the systems in another order.

        Parameters
        ----------
        systems : sequence of str
            All systems.

        Returns
        -------
        DiscriminativePower
            The same figures.
        """
        place = {frozenset(pair): i for i, pair in enumerate(self.pairs)}
        pairs = tuple(combinations(systems, 2))
        p = self.p[:, [place[frozenset(pair)] for pair in pairs]]
        return replace(self, systems=tuple(systems), pairs=pairs, p=p)

    @property
    def curves(self) -> Floats:
        """Sorted p-values `[M, P]`: the curve of p against the rank of the pair."""
        return np.sort(self.p, axis=1)

    @property
    def share(self) -> Floats:
        """Share `[M]` of the pairs that differ significantly; NaN for a measure without scores."""
        shares = self.significant / len(self.pairs)
        return np.where(np.isnan(self.p).any(axis=1), np.nan, shares)

    @property
    def area(self) -> Floats:
        """Mean p-value `[M]`, the area under the curve: the smaller, the more discriminative."""
        return np.asarray(self.p.mean(axis=1))

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the measures: most significant pairs first, then the smaller area."""
        keys = np.lexsort((self.area, -np.nan_to_num(self.share, nan=-1.0)))
        return tuple(int(i) for i in keys)


@names_rng
def discriminative_power(
    data: ScoreSource,
    *,
    trials: int = 5000,
    alpha: float = 0.05,
    rng: RNG = 0,
    progress: Progress | None = None,
) -> DiscriminativePower:
    """Test all pairs of systems under each measure (Sakai 2021, section 5.3).

    If undefined scores are skipped, topics on which any system has none are left out, for each
    measure separately. If they are kept, such a measure has no p-values.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    trials : int, default: 5000
        The number of trials of the randomised Tukey HSD test.
    alpha : float, default: 0.05
        The level of significance.
    rng : int, numpy.random.Generator or None, default: 0
        The seed of the test.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    DiscriminativePower
        The p-values, and how many pairs differ significantly under each measure.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7, 0.9, 0.8], [0.5, 0.4, 0.5, 0.6, 0.4, 0.5]]],
    ...     measures=["accuracy"],
    ...     systems=["a", "b"],
    ...     topics=["1", "2", "3", "4", "5", "6"],
    ...     better=["higher"],
    ... )
    >>> oe.meta.discriminative_power(scores, trials=200).significant
    array([1])
    """
    matrices, seed = ScoreMatrices.read(data), as_seed(rng)
    plan = Plan(replicates=trials, rng=seed, progress=progress)
    upper = np.triu_indices(len(matrices.systems), 1)
    p = np.full((len(matrices.measures), len(upper[0])), np.nan)
    topics = np.zeros(len(matrices.measures), dtype=np.int64)
    usable = np.flatnonzero(_enough_topics(matrices))
    if len(usable):
        scores = np.swapaxes(matrices.scores[usable], 1, 2)
        test = randomised_tukey(scores, plan, systems=matrices.systems, undefined="drop-topic")
        p[usable] = test.p[:, upper[0], upper[1]]
        topics[usable] = test.topics
    pairs = tuple((matrices.systems[i], matrices.systems[j]) for i, j in zip(*upper, strict=True))
    below = (p < alpha).sum(axis=1).astype(np.int64)
    return DiscriminativePower(
        matrices.measures, matrices.systems, pairs, p, topics, below, alpha, trials, seed
    )


def _enough_topics(matrices: ScoreMatrices) -> Bools:
    """Return which measures `[M]` can be tested: on all topics, or at least two if skipping."""
    defined = ~np.isnan(matrices.scores).any(axis=1)
    needed = 2 if matrices.undefined == "skip" else len(matrices.topics)
    return np.asarray(defined.sum(axis=1) >= needed)
