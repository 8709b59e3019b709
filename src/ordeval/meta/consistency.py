"""Does a measure rank the systems the same way on other topics?"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.stats.anova import effect_sizes, two_way
from ordeval.stats.resample import Plan, as_seed, stream
from ordeval.stats.tukey import randomised_tukey
from ordeval.types import Progress

from .matrices import Integers, ScoreMatrices
from .ranks import Floats, Variant, check_variant, kendall_of_signs, pair_signs

# Splits of the means. 1,000 leave a standard error of up to 0.005, 20,000 of about 0.001.
MEAN_SPLITS = 20_000
# Numbers held at a time for each half: few enough to stay in the processor's cache.
_CHUNK_NUMBERS = 2**18


@dataclass(frozen=True, repr=False)
class Consistency(Displayable):
    """System ranking consistency of measures over random splits of the topics.

    The means are over more splits than the test: splits are cheap, and the mean of 1,000 still
    hangs on the seed in its third decimal, while the outcome of the test, V_E2 and "beats" are only
    to be compared with others' if they come from as many splits as theirs.

    Attributes
    ----------
    measures : names.
    sizes : topics in the two sets of a split.
    tau : `[splits, M]`, Kendall's τ between the rankings on the two sets, for the test.
    mean, standard_error : `[M]`, of τ over `mean_splits` splits, the first of which are in `tau`.
    p : `[M, M]`, randomised paired Tukey HSD over `tau`; NaN for an undefined measure.
    beats, beaten : `[M]`, how many measures a measure outperforms significantly, and the reverse.
    residual_variance : V_E2 of `tau`.
    effect_size : `[M, M]`, row minus column of the means of `tau`, in units of √V_E2.
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
    mean_splits: int
    seed: int

    @property
    def splits(self) -> int:
        """Number of splits that the test is over."""
        return len(self.tau)

    @property
    def order(self) -> tuple[int, ...]:
        """Places of the measures from the most consistent to the least; undefined ones last."""
        return tuple(int(i) for i in np.argsort(-self.mean, kind="stable"))

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import consistency_table

        return [consistency_table([self])]


def consistency(
    data: Any,
    *,
    size: int | None = None,
    splits: int = 1000,
    mean_splits: int = MEAN_SPLITS,
    trials: int = 5000,
    alpha: float = 0.05,
    variant: Variant = "a",
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Consistency:
    """System ranking consistency (Sakai 2021, §5.2); all measures share the splits.

    Parameters
    ----------
    data : `ScoreMatrices`, counts of systems on topics, or a result of `compare` with topics.
    size : topics in each of two disjoint sets; None halves the topics.
    splits : number of random splits that measures are compared over.
    mean_splits : number of splits that mean τ is over: those of the test, and more of the same
        kind up to this number, so that the means hang less on the seed.
    trials : B of the randomised Tukey HSD test over the splits × measures matrix.
    alpha : level of significance.
    variant : "a" or "b", which Kendall's τ; see `similarity`.
    rng, threads, progress : as in `ordeval.stats.Plan`.
    """
    check_variant(variant)
    matrices = ScoreMatrices.read(data)
    if splits < 2:
        raise InputError(f"splits is {splits}, but at least 2 are expected.")
    seed, sizes = as_seed(rng), _set_sizes(len(matrices.topics), size)
    tau = _split_tau(matrices, sizes, max(splits, mean_splits), seed, variant, progress)
    plan = Plan(replicates=trials, rng=seed, threads=threads, progress=progress)
    return _judged(matrices.measures, sizes, tau, splits, plan, alpha, variant)


def _judged(
    measures: tuple[str, ...],
    sizes: tuple[int, int],
    tau: Floats,
    splits: int,
    plan: Plan,
    alpha: float,
    variant: Variant,
) -> Consistency:
    """The result: means over all τ, and the test over the first splits."""
    usable = np.flatnonzero(~np.isnan(tau).any(axis=0))
    tested = tau[:splits]
    p, variance, effects = _test(tested, usable, measures, plan)
    wins = (p < alpha) & (effects > 0)
    return Consistency(
        measures,
        sizes,
        tested,
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
        len(tau),
        plan.seed,
    )


def _set_sizes(topics: int, size: int | None) -> tuple[int, int]:
    """Topics in the two sets of a split."""
    first = topics // 2 if size is None else size
    second = topics - first if size is None else size
    if first < 1 or first + second > topics:
        raise InputError(
            f"Two sets of {first} topics cannot be drawn from {topics}; give a size from 1 to "
            f"{topics // 2}, or none to halve the topics."
        )
    return first, second


def _random_splits(
    topics: int, sizes: tuple[int, int], splits: int, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which topics `[splits, T]` are in the first and in the second set of each split."""
    places = rng.permuted(np.broadcast_to(np.arange(topics), (splits, topics)), axis=1)
    return places < sizes[0], (places >= sizes[0]) & (places < sum(sizes))


def _split_tau(
    matrices: ScoreMatrices,
    sizes: tuple[int, int],
    splits: int,
    seed: int,
    variant: Variant,
    progress: Progress | None,
) -> Floats:
    """Kendall's τ `[splits, M]` between the rankings on the two sets, in chunks of splits.

    A generator permutes row after row, so that the splits do not hang on the chunks.
    """
    systems, topics = len(matrices.systems), len(matrices.topics)
    numbers = max(len(matrices.measures) * systems * (systems - 1) // 2, topics)
    step, draw = max(1, _CHUNK_NUMBERS // numbers), stream(seed, "splits")
    parts = []
    for start in range(0, splits, step):
        sets = _random_splits(topics, sizes, min(step, splits - start), draw)
        first, second = (pair_signs(matrices.oriented_means(topics_in)) for topics_in in sets)
        parts.append(kendall_of_signs(first, second, variant))
        if progress is not None:
            progress(min(start + step, splits), splits)
    return np.concatenate(parts, axis=1).T


def _test(
    tau: Floats, usable: NDArray[np.intp], measures: tuple[str, ...], plan: Plan
) -> tuple[Floats, float, Floats]:
    """p-values `[M, M]`, V_E2 and effect sizes `[M, M]` among the measures whose τ all exist."""
    m = tau.shape[1]
    p, effects = np.full((m, m), np.nan), np.full((m, m), np.nan)
    if len(usable) < 2:
        return p, float("nan"), effects
    matrix, block = tau[:, usable], np.ix_(usable, usable)
    names = [measures[i] for i in usable]
    p[block] = randomised_tukey(matrix, plan, systems=names).p
    effects[block] = effect_sizes(matrix)
    return p, float(two_way(matrix).residual_variance), effects
