"""Resampling, intervals and tests on arrays: tables of counts, joint counts and score matrices.

A *statistic* scores a batch of tables under several measures at once: it maps [..., K, K] to
[M, ...].
"""

from ordeval.stats.anova import Anova, best_group, effect_sizes, letter_groups, two_way
from ordeval.stats.intervals import (
    Interval,
    acceleration,
    bca,
    item_jackknife,
    mean_jackknife,
    percentile,
    topic_jackknife,
)
from ordeval.stats.paired import (
    PairedTest,
    difference_of,
    holm,
    marginal_tables,
    paired_bootstrap,
    randomisation_test,
)
from ordeval.stats.resample import (
    Plan,
    as_counts,
    as_seed,
    bootstrap,
    bootstrap_means,
    mean_over_topics,
    multinomial_chunks,
    score_topics,
    stream,
)
from ordeval.stats.tukey import TukeyTest, classical_tukey, mean_differences, randomised_tukey

__all__ = [
    "Anova",
    "Interval",
    "PairedTest",
    "Plan",
    "TukeyTest",
    "acceleration",
    "as_counts",
    "as_seed",
    "bca",
    "best_group",
    "bootstrap",
    "bootstrap_means",
    "classical_tukey",
    "difference_of",
    "effect_sizes",
    "holm",
    "item_jackknife",
    "letter_groups",
    "marginal_tables",
    "mean_differences",
    "mean_jackknife",
    "mean_over_topics",
    "multinomial_chunks",
    "paired_bootstrap",
    "percentile",
    "randomisation_test",
    "randomised_tukey",
    "score_topics",
    "stream",
    "topic_jackknife",
    "two_way",
]
