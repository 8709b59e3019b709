"""Consistency: does a measure rank the systems alike on two random sets of topics?

Splits of one set of topics are not independent of each other: the more of them there are, the
smaller any difference that is called significant. What varies between studies is the topics, so
topics are resampled here, and each resample is split.

What a resample is. As many topics as there are, drawn with replacement, are split as if all of
them were different. A topic drawn twice may be in both sets: the resample stands for new topics
from a population in which each topic at hand is equally frequent.

Why scores are shrunk. The means of the systems over T topics differ more than their true means, by
the noise of T topics, and a resample adds that noise once more. Systems would then lie farther
apart, and τ be higher and vary less, than on new topics. So the deviations of the means are
shrunk first, to the extent that noise explains them: separately what all measures share and what
is particular to each.
"""

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import NamedTuple, Unpack

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import InputError
from ordeval.measures.spec import find_measure
from ordeval.measures.terms import ratio
from ordeval.options import ConsistencyOptions, takes
from ordeval.stats.anova import effect_sizes, randomised_tukey, two_way
from ordeval.stats.intervals import t_quantile
from ordeval.stats.max_t import step_down_of
from ordeval.stats.resample import Block, Plan, as_seed, score_draws, stream
from ordeval.types import Bools, Codes, Floats, Ints, Procedure, Progress, Tau

from .rankings import kendall_of_sets
from .score_matrices import ScoreMatrices, ScoreSource

# Splits of a resample. Their own noise is estimated from the spread within resamples and removed.
SPLITS_INSIDE = 10
# Of the variance over resamples, at least this share counts as variance over topics.
_LEAST_SHARE = 0.1
# Degrees of freedom of a standard error. It rests on many pairs of systems, so that it varies less
# than that of a single mean; with 1 per topic tests reject less often than they may (simulated).
_DEGREES_PER_TOPIC = 2
# Replicates of a block: those whose arrays stay in the processor's cache at a dozen systems.
_BLOCK_FACTOR = 48


class _PairTests(NamedTuple):
    """Tests of all pairs of measures: standard errors, p-values, and the reach of intervals.

    Simultaneous intervals extend by `critical` standard errors to either side.
    """

    error: Floats
    p: Floats
    critical: float


def _pair_tests(tau: Floats, observed: Floats, topics: int, alpha: float) -> _PairTests:
    """Test differences `[P]` of mean τ by those of resamples, with τ `[B, splits, M]`."""
    first, second = np.triu_indices(tau.shape[2], 1)
    apart, noise = _replicates(tau, tau[..., first] - tau[..., second])
    spread = apart.std(axis=0, ddof=1)
    error = _between(spread**2, noise, topics)
    degrees = _DEGREES_PER_TOPIC * (topics - 1)
    drawn = _in_errors(np.abs(apart - apart.mean(axis=0)), spread)
    z = normal_equivalent(_in_errors(observed, error), degrees)
    p, _ = step_down_of(z, z >= 0, drawn.T)
    largest = np.quantile(drawn.max(axis=1, initial=0.0), 1 - alpha)
    return _PairTests(error, p, t_equivalent(float(largest), degrees))


def _replicates(tau: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Return the means `[B, P]` of resamples, and the variance `[P]` that splits add to them.

    Splits that leave any τ undefined are left out.
    """
    used: Bools = np.asarray(np.isfinite(tau).all(axis=2))
    number = used.sum(axis=1)[:, None]
    kept = np.where(used[..., None], values, 0.0)
    means = kept.sum(axis=1) / number
    squares = np.where(used[..., None], (kept - means[:, None]) ** 2, 0.0).sum(axis=1)
    return means, np.asarray((squares / (number - 1) / number).mean(axis=0))


def _between(variance: Floats, noise: Floats, topics: int) -> Floats:
    """Return standard errors over topics, from variances over resamples and the splits' share.

    Resamples vary about the mean of the topics at hand, hence the factor T/(T - 1).
    """
    between = np.maximum(variance - noise, _LEAST_SHARE * variance)
    return np.asarray(np.sqrt(between * topics / (topics - 1)))


def _in_errors(difference: Floats, error: Floats) -> Floats:
    """Divide by standard errors; no difference is 0 standard errors, whatever these are."""
    found = np.where(difference > 0, np.inf, 0.0)
    np.divide(difference, error, out=found, where=np.broadcast_to(error > 0, found.shape))
    return found


def normal_equivalent(t: Floats, degrees: int) -> Floats:
    """Return normal deviates that are exceeded as often as positive t statistics.

    Standard errors over few topics are themselves uncertain, which resampling does not show.
    """
    from scipy.special import ndtri, stdtr

    return np.asarray(-ndtri(stdtr(degrees, -t)))


def t_equivalent(deviate: float, degrees: int) -> float:
    """Return the t statistic that is exceeded as often as a normal deviate."""
    from scipy.special import ndtr, stdtrit

    return float(stdtrit(degrees, ndtr(deviate)))


def resampled_tau(
    matrices: ScoreMatrices, sizes: tuple[int, int], plan: Plan, variant: Tau
) -> Floats:
    """Compute Kendall's τ `[B, splits, M]` between the rankings on two sets of resampled topics."""
    topics = len(matrices.topics)

    def draw(block: Block) -> Ints:
        rng = stream(plan.seed, "resamples", block.number)
        return _draw_splits(rng, block.size, topics, sizes)

    def score(weights: Ints) -> Floats:
        first, second = (weights[:, :, side].reshape(-1, topics) for side in (0, 1))
        tau = kendall_of_sets(matrices, first, second, variant)
        return tau.reshape(len(tau), len(weights), SPLITS_INSIDE)

    entries = _BLOCK_FACTOR * 2 * SPLITS_INSIDE * topics
    return np.moveaxis(score_draws(draw, score, plan, entries), 0, 2)


def _draw_splits(
    rng: np.random.Generator, resamples: int, topics: int, sizes: tuple[int, int]
) -> Ints:
    """Count how often each topic is in the two sets of each split: `[B, splits, 2, T]`."""
    picks = rng.integers(topics, size=(resamples, 1, topics))
    shape = (resamples, SPLITS_INSIDE, topics)
    shuffled = rng.permuted(np.broadcast_to(picks, shape), axis=2).reshape(-1, topics)
    rows = topics * np.arange(len(shuffled))[:, None]
    halves = [
        np.bincount((shuffled[:, part] + rows).ravel(), minlength=rows.size * topics)
        for part in (slice(sizes[0]), slice(sizes[0], sum(sizes)))
    ]
    return np.stack([half.reshape(shape) for half in halves], axis=2)


def shrunk(matrices: ScoreMatrices) -> ScoreMatrices:
    """Shrink the differences between systems by what the noise of the topics adds to them."""
    centred = matrices.oriented - _mean(matrices.oriented, 1)
    deviation = _mean(centred, 2)
    unit = np.sqrt(_mean((centred - deviation) ** 2, (1, 2)))
    unit = np.where(unit > 0, unit, 1.0)
    scaled = centred / unit
    common = _mean(scaled, 0)
    kept = _kept(common) * _mean(common, 2) + _kept(scaled - common) * _mean(scaled - common, 2)
    shift = (kept * unit - deviation) * matrices.signs[:, None, None]
    return replace(matrices, scores=np.where(np.isnan(shift), 0.0, shift) + matrices.scores)


def _kept(scores: Floats) -> Floats:
    """Return the factor `[M, 1, 1]` that leaves of the systems' spread what noise does not add.

    Resampling adds the noise back, so that means are spread as they are now. With F the ratio of
    the mean squares of systems and residuals, noise makes up 1/F of the variance of the means.
    """
    systems, topics = scores.shape[1:]
    means = _mean(scores, 2)
    residual = scores - _mean(scores, 1) - means + _mean(scores, (1, 2))
    noise = _mean(residual**2, (1, 2)) * (systems / (systems - 1) / max(topics - 1, 1))
    spread = _mean((means - _mean(means, 1)) ** 2, 1) * (systems / (systems - 1))
    share = np.ones(spread.shape)
    np.divide(noise, spread, out=share, where=spread > 0)
    return np.asarray(np.sqrt(np.maximum(1 - share, 0.0)))


def _mean(scores: Floats, axis: int | tuple[int, ...]) -> Floats:
    """Return means over an axis, which is kept, of the scores that are defined."""
    defined: Bools = ~np.isnan(scores)
    total = np.where(defined, scores, 0.0).sum(axis=axis, keepdims=True)
    return np.asarray(ratio(total, defined.sum(axis=axis, keepdims=True)))


# With fewer topics there are no tests; benchmarks/consistency_null.py shows their level.
LEAST_TOPICS = 10
# Mean scores between two reports of progress.
_CHUNK_NUMBERS = 2**21


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
        The p-values of the differences of mean τ, corrected for all pairs of measures, by
        `procedure`; NaN where there is no test.
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
        The number of random trials of the randomised Tukey HSD test; only for "split".
    mean_splits : int
        The number of splits of the means; the first of them are `tau`, unless they are all the
        splits that there are.
    seed : int
        The seed of the splits and the test.
    procedure : {"bootstrap", "split"}
        How measures were compared: by resampled topics, or by splits of the same topics.
    resamples : int
        The number of resamples of the topics; 0 for "split".
    topic_error : ndarray of shape (n_measures,), optional
        The standard error of the mean of τ over topics. None for "split", or if there is no test.
    interval : ndarray of shape (n_measures, 2), optional
        The interval of the mean of τ at the level 1 - `alpha`; NaN where τ is the same on all
        resamples.
    difference_interval : ndarray of shape (n_measures, n_measures, 2), optional
        The intervals of the mean of τ of the row minus that of the column. They hold
        simultaneously for all pairs of measures at the level 1 - `alpha`.
    every_split : bool
        Whether the means are over all splits that there are, each once, so that they are exact.

    Notes
    -----
    The means are taken over more splits than `tau`. Splits are cheap, and a mean over 1,000 of
    them still depends on the seed in its third decimal; whereas V_E2, and with the procedure
    "split" the test and the number of measures beaten, depend on the number of splits, and can be
    compared with published ones only if that is the same.

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
    variant: Tau
    alpha: float
    trials: int
    mean_splits: int
    seed: int
    procedure: Procedure = "split"
    resamples: int = 0
    topic_error: Floats | None = None
    interval: Floats | None = None
    difference_interval: Floats | None = None
    every_split: bool = False

    @property
    def splits(self) -> int:
        """The number of splits in `tau`."""
        return len(self.tau)

    @property
    def order(self) -> tuple[int, ...]:
        """Indices of the measures from most to least consistent, undefined ones last."""
        return tuple(int(i) for i in np.argsort(-self.mean, kind="stable"))

    @property
    def tested(self) -> bool:
        """Whether any two measures were compared by a test."""
        return bool(np.isfinite(self.p).any())


@takes(ConsistencyOptions)
def consistency(data: ScoreSource, **options: Unpack[ConsistencyOptions]) -> Consistency:
    """Compare the rankings of the systems on two random sets of topics (Sakai 2021, section 5.2).

    All measures share the splits.

    Parameters
    ----------
    data : ScoreMatrices, Counts, Scores or Result
        Scores of systems on topics, counts with systems and topics (scored under all measures),
        or a result of `compare` with topics.
    {options}

    Returns
    -------
    Consistency
        Mean τ of each measure, with tests of the differences between measures.

    Notes
    -----
    "bootstrap" resamples the topics, with splits inside each resample, and tests all differences by
    step-down max-T. "split" is the procedure of the paper, a randomised Tukey HSD test that treats
    the splits as independent.

    All splits use the same topics, so they say nothing about other topics, and with enough splits
    any difference becomes significant: "split" finds differences between measures that differ by
    chance only. Use it only to compare with published figures.

    "bootstrap" needs at least 10 topics; with fewer there are means, but no tests and intervals.
    Resampling topics adds noise to the differences between systems, so these are first shrunk by
    the noise that they already contain.

    Examples
    --------
    >>> import numpy as np
    >>> import ordeval as oe
    >>> quality = np.linspace(0.1, 0.9, 8)[:, None]
    >>> scores = oe.meta.ScoreMatrices.from_scores(
    ...     quality + np.random.default_rng(0).normal(scale=[[[0.1]], [[2.0]]], size=(2, 8, 30)),
    ...     measures=["precise", "noisy"],
    ...     systems=list("abcdefgh"),
    ...     topics=[f"t{i}" for i in range(30)],
    ...     better=["higher", "higher"],
    ... )
    >>> found = oe.meta.consistency(scores, splits=50, mean_splits=50, resamples=100)
    >>> found.beats
    array([1, 0])
    """
    matrices, seed = ScoreMatrices.read(data), as_seed(options["rng"])
    sizes = _set_sizes(len(matrices.topics), options["size"])
    splits, variant, progress = options["splits"], options["variant"], options["progress"]
    by_splits = options["procedure"] == "split"
    draws = max(splits, options["mean_splits"])
    drawn_tau = _split_tau(matrices, sizes, draws, seed, variant, progress)
    few = _number_of_splits(len(matrices.topics), sizes) <= draws
    averaged = _every_tau(matrices, sizes, variant) if few else drawn_tau
    spread = drawn_tau.std(axis=0, ddof=1) / np.sqrt(draws)
    variance, effects = _effects(drawn_tau, splits)
    found = Consistency(
        measures=matrices.measures,
        sizes=sizes,
        tau=drawn_tau[:splits],
        mean=averaged.mean(axis=0),
        standard_error=0.0 * spread if few else spread,
        p=np.full(effects.shape, np.nan),
        beats=np.zeros(len(effects), dtype=np.int64),
        beaten=np.zeros(len(effects), dtype=np.int64),
        residual_variance=variance,
        effect_size=effects,
        variant=variant,
        alpha=options["alpha"],
        trials=options["trials"],
        mean_splits=len(averaged),
        seed=seed,
        procedure=options["procedure"],
        resamples=0 if by_splits else options["resamples"],
        every_split=few,
    )
    plan = Plan(options["trials" if by_splits else "resamples"], rng=seed, progress=progress)
    return _tested_by_splits(found, plan) if by_splits else _tested_by_topics(found, matrices, plan)


def _tested_by_splits(found: Consistency, plan: Plan) -> Consistency:
    """Add the randomised Tukey HSD test over the splits × measures matrix."""
    usable: Codes = np.flatnonzero(~np.isnan(found.mean))
    if len(usable) < 2:
        return found
    # The test draws in the order of names: specifications, whatever a measure is called.
    measures = {name: find_measure(name) for name in np.array(found.measures)[usable].tolist()}
    names = [name if m is None else m.specification for name, m in measures.items()]
    p = found.p.copy()
    p[np.ix_(usable, usable)] = randomised_tukey(found.tau[:, usable], plan, systems=names).p
    return _with_wins(found, p, found.effect_size)


def _tested_by_topics(found: Consistency, matrices: ScoreMatrices, plan: Plan) -> Consistency:
    """Add intervals and tests over resampled topics.

    They need enough topics, and half of the resamples must rank the systems under all measures.
    """
    usable: Codes = np.flatnonzero(~np.isnan(found.mean))
    topics, shape = len(matrices.topics), found.p.shape
    if len(usable) == 0 or topics < LEAST_TOPICS:
        return found
    chosen = matrices.select(measures=[found.measures[i] for i in usable])
    tau = resampled_tau(shrunk(chosen), found.sizes, plan, found.variant)
    tau = tau[np.isfinite(tau).all(axis=2).sum(axis=1) >= 2]
    if 2 * len(tau) < plan.replicates:
        return found
    first, second = usable[np.array(np.triu_indices(len(usable), 1))]
    mean, error = found.mean, np.full(shape[0], np.nan)
    difference = mean[:, None] - mean
    means, noise = _replicates(tau, tau)
    error[usable] = _between(means.var(axis=0, ddof=1), noise, topics)
    of_pairs = _pair_tests(tau, np.abs(difference[first, second]), topics, found.alpha)
    apart, p = np.full(shape, np.nan), found.p.copy()
    apart[usable, usable] = 0.0
    if len(usable) > 1:
        p[usable, usable] = 1.0
    for matrix, values in ((apart, of_pairs.error), (p, of_pairs.p)):
        matrix[first, second] = matrix[second, first] = values
    # Without any spread over resamples the data do not say how far other topics could differ.
    reach = t_quantile(topics - 1, 1 - found.alpha) * np.where(error > 0, error, np.nan)
    widths = of_pairs.critical * apart
    found = replace(
        found,
        topic_error=error,
        interval=np.clip(np.stack([mean - reach, mean + reach], axis=-1), -1.0, 1.0),
        difference_interval=np.stack([difference - widths, difference + widths], axis=-1),
    )
    return _with_wins(found, p, difference)


def _with_wins(found: Consistency, p: Floats, difference: Floats) -> Consistency:
    wins = (p < found.alpha) & (difference > 0)
    beats, beaten = (wins.sum(axis=axis).astype(np.int64) for axis in (1, 0))
    return replace(found, p=p, beats=beats, beaten=beaten)


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


def _number_of_splits(topics: int, sizes: tuple[int, int]) -> int:
    """Return in how many ways two sets can be drawn; exchanged sets of one size are the same."""
    ordered = comb(topics, sizes[0]) * comb(topics - sizes[0], sizes[1])
    return ordered // 2 if sizes[0] == sizes[1] else ordered


def _every_tau(matrices: ScoreMatrices, sizes: tuple[int, int], variant: Tau) -> Floats:
    """Compute Kendall's τ `[splits, M]` for each split that there is."""
    topics = range(len(matrices.topics))
    splits = [
        (first, second)
        for first in combinations(topics, sizes[0])
        for second in combinations([t for t in topics if t not in first], sizes[1])
        if sizes[0] != sizes[1] or first < second
    ]
    members = np.zeros((2, len(splits), len(topics)), np.bool_)
    for row, sets in enumerate(splits):
        for side, chosen in enumerate(sets):
            members[side, row, list(chosen)] = True
    return kendall_of_sets(matrices, members[0], members[1], variant).T


def _split_tau(
    matrices: ScoreMatrices,
    sizes: tuple[int, int],
    splits: int,
    seed: int,
    variant: Tau,
    progress: Progress | None,
) -> Floats:
    """Compute Kendall's τ `[splits, M]` between the rankings on the two sets, in chunks of splits.

    A generator permutes row after row, so the splits do not depend on the size of the chunks.
    """
    topics, draw = len(matrices.topics), stream(seed, "splits")
    step = max(1, _CHUNK_NUMBERS // (len(matrices.measures) * len(matrices.systems) + topics))
    parts = []
    for start in range(0, splits, step):
        sets = _random_splits(topics, sizes, min(step, splits - start), draw)
        parts.append(kendall_of_sets(matrices, *sets, variant))
        if progress is not None:
            progress(min(start + step, splits), splits)
    return np.concatenate(parts, axis=1).T


def _effects(every_tau: Floats, splits: int) -> tuple[float, Floats]:
    """Return V_E2 and effect sizes `[M, M]` of measures defined everywhere, over `splits`."""
    effects = np.full((every_tau.shape[1],) * 2, np.nan)
    usable: Codes = np.flatnonzero(~np.isnan(every_tau).any(axis=0))
    if len(usable) < 2:
        return float("nan"), effects
    matrix = every_tau[:splits, usable]
    effects[np.ix_(usable, usable)] = effect_sizes(matrix)
    return float(two_way(matrix).residual_variance), effects
