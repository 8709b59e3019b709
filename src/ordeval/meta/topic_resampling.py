"""How far mean τ between the rankings on two sets of topics depends on the topics at hand.

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

import numpy as np

from ordeval.stats.resample import Block, Plan, score_draws, stream
from ordeval.types import Bools, Floats, Ints

from .rankings import Variant, kendall_of_sets
from .score_matrices import ScoreMatrices

# Splits of a resample. Their own noise is estimated from the spread within resamples and removed.
SPLITS_INSIDE = 10
# Of the variance over resamples, at least this share counts as variance over topics.
_LEAST_SHARE = 0.1
# Degrees of freedom of a standard error. It rests on many pairs of systems, so that it varies less
# than that of a single mean; with 1 per topic tests reject less often than they may (simulated).
_DEGREES_PER_TOPIC = 2
# Replicates of a block: those whose arrays stay in the processor's cache at a dozen systems.
_BLOCK_FACTOR = 48


@dataclass(frozen=True)
class TopicErrors:
    """Standard errors over topics of mean τ, and tests of all differences between measures.

    Parameters
    ----------
    error : ndarray of shape (n_measures,)
        The standard error of mean τ.
    difference_error : ndarray of shape (n_measures, n_measures)
        The standard error of each difference of mean τ.
    critical : float
        How many standard errors simultaneous intervals of all differences extend to either side.
    p : ndarray of shape (n_measures, n_measures)
        The p-values of a step-down max-T test over all pairs of measures.
    """

    error: Floats
    difference_error: Floats
    critical: float
    p: Floats


def topic_errors(
    matrices: ScoreMatrices,
    sizes: tuple[int, int],
    mean: Floats,
    plan: Plan,
    *,
    variant: Variant,
    alpha: float,
) -> TopicErrors | None:
    """Resample the topics of measures whose mean τ `[M]` is given.

    None if fewer than half of the resamples rank the systems under all measures.
    """
    tau = resampled_tau(shrunk(matrices), sizes, plan, variant)
    tau = tau[np.isfinite(tau).all(axis=2).sum(axis=1) >= 2]
    if 2 * len(tau) < plan.replicates:
        return None
    first, second = np.triu_indices(len(mean), 1)
    means, noise = _replicates(tau, tau)
    apart, apart_noise = _replicates(tau, tau[..., first] - tau[..., second])
    spread = apart.std(axis=0, ddof=1)
    error = _between(spread**2, apart_noise, len(matrices.topics))
    degrees = _DEGREES_PER_TOPIC * (len(matrices.topics) - 1)
    observed = normal_equivalent(_ratio(np.abs(mean[first] - mean[second]), error), degrees)
    drawn = _ratio(np.abs(apart - apart.mean(axis=0)), spread)
    pairs = np.zeros((2, len(mean), len(mean)))
    for matrix, values in zip(pairs, (error, step_down(observed, drawn)), strict=True):
        matrix[first, second] = matrix[second, first] = values
    pairs[1][np.diag_indices(len(mean))] = 1.0
    largest = drawn.max(axis=1, initial=0.0)
    return TopicErrors(
        _between(means.var(axis=0, ddof=1), noise, len(matrices.topics)),
        pairs[0],
        t_equivalent(float(np.quantile(largest, 1 - alpha)), degrees),
        pairs[1],
    )


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


def _ratio(difference: Floats, error: Floats) -> Floats:
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


def step_down(observed: Floats, drawn: Floats) -> Floats:
    """Return step-down max-T p-values `[P]` of statistics `[P]` with draws `[B, P]` of the null.

    Each is compared with the largest draw among itself and all smaller ones (Westfall and Young
    1993).
    """
    order = np.argsort(-observed, kind="stable")
    largest = np.maximum.accumulate(drawn[:, order[::-1]], axis=1)[:, ::-1]
    reached = (largest >= observed[order] * (1 - 1e-12)).sum(axis=0)
    p = np.empty(len(observed))
    p[order] = np.maximum.accumulate((1 + reached) / (1 + len(drawn)))
    return p


def resampled_tau(
    matrices: ScoreMatrices, sizes: tuple[int, int], plan: Plan, variant: Variant
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
    number = defined.sum(axis=axis, keepdims=True)
    total = np.where(defined, scores, 0.0).sum(axis=axis, keepdims=True)
    means: Floats = np.full(total.shape, np.nan)
    np.divide(total, number, out=means, where=number > 0)
    return means
