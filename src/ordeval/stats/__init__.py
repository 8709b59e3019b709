"""Intervals and tests on arrays: tables of counts, joint counts and score matrices.

A *statistic* scores a batch of tables under several measures at once: it maps tables of shape
(..., K, K) to scores of shape (M, ...).

The tables of two systems do not show on which items both of them are wrong. Nothing here
therefore returns replicates of a single system that could be subtracted from those of another: a
difference needs the joint counts (gold, a, b), or topics that the systems share.
"""

from .anova import Anova, TukeyTest, effect_sizes, letter_groups, randomised_tukey, two_way
from .intervals import Interval, mean_interval
from .max_t import PairsTest, detectable_difference, max_t
from .resample import Plan
from .table_intervals import table_interval

__all__ = [
    "Anova",
    "Interval",
    "PairsTest",
    "Plan",
    "TukeyTest",
    "detectable_difference",
    "effect_sizes",
    "letter_groups",
    "max_t",
    "mean_interval",
    "randomised_tukey",
    "table_interval",
    "two_way",
]
