"""Tukey's classical HSD over topics, with which the experiments compare the randomised test."""

import numpy as np
from scipy.stats import studentized_range

import ordeval as oe

from .internals import Floats


def classical_tukey(scores: Floats) -> Floats:
    """Return the p-values `[S, S]` of all pairs of systems from their scores `[topics, S]`.

    They come from the studentised range and the residual variance of a two-way analysis of
    variance, and are NaN where it is 0. Those below 1e-12, which are mostly rounding, become 1e-12.
    """
    topics, systems = scores.shape
    anova = oe.stats.two_way(scores)
    error = np.sqrt(anova.residual_variance / topics)
    if not error > 0:
        return np.full((systems, systems), np.nan)
    first, second = np.triu_indices(systems, 1)
    gaps = np.abs(np.subtract(*scores.mean(axis=0)[[first, second]]))
    p = np.ones((systems, systems))
    tail = studentized_range.sf(gaps / error, systems, anova.residual_df)
    p[first, second] = p[second, first] = np.clip(tail, 1e-12, 1.0)
    return p
