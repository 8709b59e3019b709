"""Do measures rank the systems in the same order on other topics?

Consistency compares rankings on two random sets of topics, robustness those on two single topics.
"""

from dataclasses import dataclass

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.stats.anova import effect_sizes, two_way
from ordeval.stats.resample import Plan, as_seed, stream
from ordeval.stats.tukey import randomised_tukey
from ordeval.types import RNG, Bools, Codes, Floats, Ints, Progress

from .rank_correlation import (
    Variant,
    check_variant,
    kendall_of_signs,
    pair_signs,
    standard_ranks,
)
from .score_matrices import ScoreMatrices, ScoreSource

# Splits of the means. 1,000 leave a standard error of up to 0.005, 20,000 of about 0.001.
MEAN_SPLITS = 20_000
# Numbers held at a time for each half: few enough to stay in the processor's cache.
_CHUNK_NUMBERS = 2**18


@dataclass(frozen=True, repr=False)
class Consistency(Displayable):
    """System ranking consistency of measures over random splits of the topics.

    Parameters
    ----------
    measures : tuple of str
        The measures.
    sizes : tuple of int
        The number of topics in each of the two sets of a split.
    tau : ndarray of shape (n_splits, n_measures)
        Kendall's τ between the rankings on the two sets, for the splits of the test.
    mean, standard_error : ndarray of shape (n_measures,)
        The mean of τ over `mean_splits` splits, and its standard error.
    p : ndarray of shape (n_measures, n_measures)
        The p-values of a randomised paired Tukey HSD test over `tau`; NaN for undefined measures.
    beats, beaten : ndarray of shape (n_measures,)
        The number of measures that a measure outperforms significantly, and the reverse.
    residual_variance : float
        The residual variance (V_E2) of `tau` in a two-way analysis of variance.
    effect_size : ndarray of shape (n_measures, n_measures)
        The mean of `tau` of the row minus that of the column, divided by √V_E2.
    variant : {"a", "b"}
        Which of Kendall's coefficients.
    alpha : float
        The level below which a difference is called significant.
    trials : int
        The number of random trials of the test.
    mean_splits : int
        The number of splits of the means; the first of them are the splits of the test.
    seed : int
        The seed of the splits and the test.

    Notes
    -----
    The means are taken over more splits than the test. Splits are cheap, and a mean over 1,000 of
    them still depends on the seed in its third decimal; whereas the test, V_E2 and the number of
    measures beaten depend on the number of splits, and can be compared with published ones only
    if that is the same.

    Examples
    --------
    >>> import ordeval as oe
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     [[[0.9, 0.8, 0.9, 0.7], [0.5, 0.6, 0.4, 0.6]], [[0.9, 0.1, 0.9, 0.1], [0.5] * 4]],
    ...     measures=["steady", "unsteady"],
    ...     systems=["a", "b"],
    ...     topics=["t", "u", "v", "w"],
    ...     better=["higher", "higher"],
    ... )
    >>> found = oe.meta.consistency(scores, splits=20, mean_splits=20, trials=20)
    >>> found.mean[0], found.order
    (np.float64(1.0), (0, 1))
    """

    measures: tuple[str, ...]
    sizes: tuple[int, int]
    tau: Floats
    mean: Floats
    standard_error: Floats
    p: Floats
    beats: Ints
    beaten: Ints
    residual_variance: float
    effect_size: Floats
    variant: Variant
    alpha: float
    trials: int
    mean_splits: int
    seed: int

    @property
    def splits(self) -> int:
        """The number of splits of the test."""
        return len(self.tau)

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the measures from most to least consistent, undefined ones last."""
        return tuple(int(i) for i in np.argsort(-self.mean, kind="stable"))


def consistency(
    data: ScoreSource,
    *,
    size: int | None = None,
    splits: int = 1000,
    mean_splits: int = MEAN_SPLITS,
    trials: int = 5000,
    alpha: float = 0.05,
    variant: Variant = "a",
    rng: RNG = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> Consistency:
    """Compare the rankings of the systems on two random sets of topics (Sakai 2021, section 5.2).

    All measures share the splits.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    size : int, optional
        The number of topics in each of two disjoint sets; by default the topics are halved.
    splits : int, default: 1000
        The number of random splits that measures are compared over.
    mean_splits : int, default: 20000
        The number of splits that mean τ is taken over: the splits of the test, and more of the
        same kind up to this number.
    trials : int, default: 5000
        The number of trials of the randomised Tukey HSD test over the splits × measures matrix.
    alpha : float, default: 0.05
        The level of significance.
    variant : {"a", "b"}, default: "a"
        Which of Kendall's coefficients; see `similarity`.
    rng : int, numpy.random.Generator or None, default: 0
        The seed of the splits and the test.
    threads : int, default: 1
        The number of threads; the result does not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Consistency
        Mean τ of each measure, with tests of the differences between measures.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> quality = np.array([0.2, 0.5, 0.8])[:, None]
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     quality + np.random.default_rng(0).normal(scale=[[[0.1]], [[1.0]]], size=(2, 3, 10)),
    ...     measures=["precise", "noisy"],
    ...     systems=["a", "b", "c"],
    ...     topics=[f"t{i}" for i in range(10)],
    ...     better=["higher", "higher"],
    ... )
    >>> found = oe.meta.consistency(scores, splits=50, mean_splits=50, trials=100)
    >>> found.beats
    array([1, 0])
    """
    check_variant(variant)
    matrices = ScoreMatrices.read(data)
    if splits < 2:
        raise InputError(
            f"{splits} splits were asked for; at least 2 are expected.", parameter="splits"
        )
    seed, sizes = as_seed(rng), _set_sizes(len(matrices.topics), size)
    tau = _split_tau(matrices, sizes, max(splits, mean_splits), seed, variant, progress)
    plan = Plan(replicates=trials, rng=seed, threads=threads, progress=progress)
    p, variance, effects = _test(tau[:splits], tau, matrices.measures, plan)
    wins = (p < alpha) & (effects > 0)
    return Consistency(
        matrices.measures,
        sizes,
        tau[:splits],
        tau.mean(axis=0),
        tau.std(axis=0, ddof=1) / np.sqrt(len(tau)),
        p,
        wins.sum(axis=1).astype(np.int64),
        wins.sum(axis=0).astype(np.int64),
        variance,
        effects,
        variant,
        alpha,
        trials,
        len(tau),
        seed,
    )


def _set_sizes(topics: int, size: int | None) -> tuple[int, int]:
    """Return the number of topics in the two sets of a split."""
    first = topics // 2 if size is None else size
    second = topics - first if size is None else size
    if first < 1 or first + second > topics:
        raise InputError(
            f"Two sets of {first} cannot be drawn from {topics} topics; a size from 1 to "
            f"{topics // 2}, or none to halve the topics, is expected.",
            parameter="size",
        )
    return first, second


def _random_splits(
    topics: int, sizes: tuple[int, int], splits: int, rng: np.random.Generator
) -> tuple[Bools, Bools]:
    """Return which topics `[splits, T]` are in the first and in the second set of each split."""
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
    """Compute Kendall's τ `[splits, M]` between the rankings on the two sets, in chunks of splits.

    A generator permutes row after row, so the splits do not depend on the size of the chunks.
    """
    systems, topics = len(matrices.systems), len(matrices.topics)
    numbers = max(len(matrices.measures) * systems * (systems - 1) // 2, topics)
    step, draw = max(1, _CHUNK_NUMBERS // numbers), stream(seed, "splits")
    parts = []
    for start in range(0, splits, step):
        sets = _random_splits(topics, sizes, min(step, splits - start), draw)
        first, second = (pair_signs(matrices.means_over(members)) for members in sets)
        parts.append(kendall_of_signs(first, second, variant))
        if progress is not None:
            progress(min(start + step, splits), splits)
    return np.concatenate(parts, axis=1).T


def _test(
    tau: Floats, every_tau: Floats, measures: tuple[str, ...], plan: Plan
) -> tuple[Floats, float, Floats]:
    """Return p-values `[M, M]`, V_E2 and effect sizes `[M, M]` of measures defined everywhere."""
    m = tau.shape[1]
    p, effects = np.full((m, m), np.nan), np.full((m, m), np.nan)
    usable: Codes = np.flatnonzero(~np.isnan(every_tau).any(axis=0))
    if len(usable) < 2:
        return p, float("nan"), effects
    matrix, block = tau[:, usable], np.ix_(usable, usable)
    names = [measures[i] for i in usable]
    p[block] = randomised_tukey(matrix, plan, systems=names).p
    effects[block] = effect_sizes(matrix)
    return p, float(two_way(matrix).residual_variance), effects


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
