"""Does a measure rank the systems the same way on other topics?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ordeval.errors import InputError
from ordeval.stats.anova import effect_sizes, two_way
from ordeval.stats.resample import Plan, Progress, as_seed, stream
from ordeval.stats.tukey import randomised_tukey

from .matrices import Integers, ScoreMatrices
from .ranks import Floats, Variant, check_variant, kendall_of_signs, pair_signs

# Signs of pairs held at a time: 32 MB for each half.
_CHUNK_NUMBERS = 2**22


@dataclass(frozen=True)
class Consistency:
    """System ranking consistency of measures over random splits of the topics.

    Attributes
    ----------
    measures : names.
    sizes : topics in the two sets of a split.
    tau : `[splits, M]`, Kendall's τ between the rankings on the two sets.
    mean, standard_error : `[M]`, of τ over the splits.
    p : `[M, M]`, randomised paired Tukey HSD over the splits; NaN for an undefined measure.
    beats, beaten : `[M]`, how many measures a measure outperforms significantly, and the reverse.
    residual_variance : V_E2 of the splits × measures matrix.
    effect_size : `[M, M]`, row minus column in units of √V_E2.
    """

    measures: tuple[str, ...]
    sizes: tuple[int, int]
    tau: Floats
    mean: Floats
    standard_error: Floats
    p: Floats
    beats: Integers
    beaten: Integers
    residual_variance: float
    effect_size: Floats
    variant: Variant
    alpha: float
    trials: int
    seed: int

    @property
    def splits(self) -> int:
        """Number of splits."""
        return len(self.tau)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the measures from the most consistent to the least; undefined ones last."""
        return tuple(int(i) for i in np.argsort(-self.mean, kind="stable"))


def consistency(
    matrices: ScoreMatrices,
    *,
    size: int | None = None,
    splits: int = 1000,
    trials: int = 5000,
    alpha: float = 0.05,
    variant: Variant = "a",
    rng: int | np.random.Generator | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> Consistency:
    """System ranking consistency (Sakai 2021, §5.2); all measures share the splits.

    Parameters
    ----------
    size : topics in each of two disjoint sets; None halves the topics.
    splits : number of random splits.
    trials : B of the randomised Tukey HSD test over the splits × measures matrix.
    alpha : level of significance.
    variant : "a" or "b", which Kendall's τ; see `similarity`.
    rng, threads, progress : as in `ordeval.stats.Plan`.
    """
    check_variant(variant)
    seed = as_seed(rng)
    first, second = _random_splits(len(matrices.topics), size, splits, seed)
    tau = _split_tau(matrices, first, second, variant)
    plan = Plan(replicates=trials, rng=seed, threads=threads, progress=progress)
    sizes = int(first[0].sum()), int(second[0].sum())
    return _judged(matrices.measures, sizes, tau, plan, alpha, variant)


def _judged(
    measures: tuple[str, ...],
    sizes: tuple[int, int],
    tau: Floats,
    plan: Plan,
    alpha: float,
    variant: Variant,
) -> Consistency:
    """The result, with the test over the splits."""
    p, variance, effects = _test(tau, measures, plan)
    wins = (p < alpha) & (effects > 0)
    return Consistency(
        measures,
        sizes,
        tau,
        tau.mean(axis=0),
        tau.std(axis=0, ddof=1) / np.sqrt(len(tau)),
        p,
        wins.sum(axis=1).astype(np.int64),
        wins.sum(axis=0).astype(np.int64),
        variance,
        effects,
        variant,
        alpha,
        plan.replicates,
        plan.seed,
    )


def _random_splits(
    topics: int, size: int | None, splits: int, seed: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which topics `[splits, T]` are in the first and in the second set of each split."""
    first = topics // 2 if size is None else size
    second = topics - first if size is None else size
    if splits < 2:
        raise InputError(f"splits is {splits}, but at least 2 are expected.")
    if first < 1 or first + second > topics:
        raise InputError(
            f"Two sets of {first} topics cannot be drawn from {topics}; give a size from 1 to "
            f"{topics // 2}, or none to halve the topics."
        )
    places = stream(seed, "splits").permuted(
        np.broadcast_to(np.arange(topics), (splits, topics)), axis=1
    )
    return places < first, (places >= first) & (places < first + second)


def _split_tau(
    matrices: ScoreMatrices,
    first: NDArray[np.bool_],
    second: NDArray[np.bool_],
    variant: Variant,
) -> Floats:
    """Kendall's τ `[splits, M]` between the rankings on the two sets, in chunks of splits."""
    systems = len(matrices.systems)
    pairs = systems * (systems - 1) // 2
    step = max(1, _CHUNK_NUMBERS // (pairs * len(matrices.measures)))
    parts = []
    for start in range(0, len(first), step):
        chunk = slice(start, start + step)
        halves = [pair_signs(matrices.oriented_means(half[chunk])) for half in (first, second)]
        parts.append(kendall_of_signs(halves[0], halves[1], variant))
    return np.concatenate(parts, axis=1).T


def _test(tau: Floats, measures: tuple[str, ...], plan: Plan) -> tuple[Floats, float, Floats]:
    """p-values `[M, M]`, V_E2 and effect sizes `[M, M]` among the measures whose τ all exist."""
    m = tau.shape[1]
    p, effects = np.full((m, m), np.nan), np.full((m, m), np.nan)
    usable = np.flatnonzero(~np.isnan(tau).any(axis=0))
    if len(usable) < 2:
        return p, float("nan"), effects
    matrix, block = tau[:, usable], np.ix_(usable, usable)
    names = [measures[i] for i in usable]
    p[block] = randomised_tukey(matrix, plan, systems=names).p
    effects[block] = effect_sizes(matrix)
    return p, float(two_way(matrix).residual_variance), effects
