"""How many pairs of systems can a measure tell apart?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.display import Displayable
from ordeval.stats.resample import Plan, as_seed
from ordeval.stats.tukey import randomised_tukey
from ordeval.types import Progress

from .matrices import Integers, ScoreMatrices
from .ranks import Floats


@dataclass(frozen=True, repr=False)
class DiscriminativePower(Displayable):
    """p-values of all pairs of systems under every measure.

    Attributes
    ----------
    measures, systems : names.
    pairs : the P pairs of systems.
    p : `[M, P]`, randomised paired Tukey HSD over topics; NaN for a measure without scores.
    topics : `[M]`, topics used.
    significant : `[M]`, pairs with p below `alpha`.
    """

    measures: tuple[str, ...]
    systems: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    p: Floats
    topics: Integers
    significant: Integers
    alpha: float
    trials: int
    seed: int

    @property
    def curves(self) -> Floats:
        """p-values `[M, P]` in ascending order: the curve of p against the rank of the pair."""
        return np.sort(self.p, axis=1)

    @property
    def share(self) -> Floats:
        """Share `[M]` of the pairs that are told apart; NaN for a measure without scores."""
        shares = self.significant / len(self.pairs)
        return np.where(np.isnan(self.p).any(axis=1), np.nan, shares)

    @property
    def area(self) -> Floats:
        """Mean p-value `[M]`: the area under the curve, smaller for a more discriminative one."""
        return np.asarray(self.p.mean(axis=1))

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the measures: most pairs told apart first, then the smaller area."""
        keys = np.lexsort((self.area, -np.nan_to_num(self.share, nan=-1.0)))
        return tuple(int(i) for i in keys)

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import power_table

        return [power_table(self)]


def discriminative_power(
    data: Any,
    *,
    trials: int = 5000,
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> DiscriminativePower:
    """Discriminative power (Sakai 2021, §5.3): Tukey HSD p-values of all pairs of systems.

    `data` is as in `consistency`.
    With undefined="skip" the topics on which any system has no score are left out, for each
    measure by itself; with undefined=None such a measure has no p-values.
    """
    matrices, seed = ScoreMatrices.read(data), as_seed(rng)
    plan = Plan(replicates=trials, rng=seed, threads=threads, progress=progress)
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


def _enough_topics(matrices: ScoreMatrices) -> Floats:
    """Which measures `[M]` can be tested: all topics defined, or two at least with "skip"."""
    defined = ~np.isnan(matrices.scores).any(axis=1)
    needed = 2 if matrices.undefined == "skip" else len(matrices.topics)
    return np.asarray(defined.sum(axis=1) >= needed)
