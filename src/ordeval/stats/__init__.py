"""Intervals and tests on arrays: tables of counts, joint counts and score matrices.

A *statistic* scores a batch of tables under several measures at once: it maps [..., K, K] to
[M, ...].

Two systems' own tables forget which items both of them missed, so nothing here hands out
replicates of a single system that could be subtracted from another's: a difference needs the
joint counts (gold, a, b), or topics that the systems share.
"""

from ordeval.stats.anova import Anova, best_group, effect_sizes, letter_groups, two_way
from ordeval.stats.intervals import Interval, bootstrap_interval, mean_interval
from ordeval.stats.paired import (
    PairedTest,
    difference_interval,
    holm,
    paired_bootstrap,
    randomisation_test,
)
from ordeval.stats.resample import Plan
from ordeval.stats.tukey import TukeyTest, classical_tukey, randomised_tukey

__all__ = [
    "Anova",
    "Interval",
    "PairedTest",
    "Plan",
    "TukeyTest",
    "best_group",
    "bootstrap_interval",
    "classical_tukey",
    "difference_interval",
    "effect_sizes",
    "holm",
    "letter_groups",
    "mean_interval",
    "paired_bootstrap",
    "randomisation_test",
    "randomised_tukey",
    "two_way",
]
