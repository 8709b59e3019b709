"""Does a gain under a measure mean a gain under several reference measures at once?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.display import Displayable
from ordeval.errors import InputError

from .matrices import ScoreMatrices
from .ranks import ROUNDING, Floats, standard_ranks

# One measure each for matching the class, keeping the order and coping with imbalance.
AMIGO_REFERENCE = ("accuracy", "kendall_a", "mutual_information")
# The same for distributions, where the literature has no such set: mass in the right class, mass
# moved over the order, information lost.
DISTRIBUTION_REFERENCE = ("nvd", "nmd", "jsd")


@dataclass(frozen=True, repr=False)
class Coverage(Displayable):
    """How well differences under each measure follow unanimous improvements.

    Attributes
    ----------
    measures : names.
    reference : the measures that must agree.
    uir : `[S, S]`, unanimous improvement ratio of the row's system over the column's.
    coverage : `[M]`, Spearman correlation of differences of means with `uir` over all pairs.
    """

    measures: tuple[str, ...]
    reference: tuple[str, ...]
    systems: tuple[str, ...]
    uir: Floats
    coverage: Floats

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import coverage_table

        return [coverage_table(self)]


def unanimous_improvement_ratio(reference: ScoreMatrices) -> Floats:
    """UIR `[S, S]` (Amigó et al. 2020, §5.1).

    The share of topics where a system scores at least as well as another one under every
    reference measure, minus the share where the reverse holds. A topic on which a reference
    score is undefined counts for neither.
    """
    scores = reference.oriented
    slack = ROUNDING * np.nanmax(np.abs(scores), axis=(1, 2), initial=0.0)
    total = np.zeros((len(reference.systems),) * 2)
    for topic in range(len(reference.topics)):
        at = scores[:, :, topic]
        better = (at[:, :, None] >= at[:, None, :] - slack[:, None, None]).all(axis=0)
        total += better.astype(np.float64) - better.T
    return total / len(reference.topics)


def coverage(data: Any, reference: Any) -> Coverage:
    """Coverage (Amigó et al. 2020, §5.1): Spearman of Δ mean and UIR over all pairs of systems.

    Both orders of every pair are taken, so that the result does not hang on the order in which
    the systems happen to stand.
    """
    matrices, reference = ScoreMatrices.read(data), ScoreMatrices.read(reference)
    if reference.systems != matrices.systems or reference.topics != matrices.topics:
        raise InputError(
            "The reference scores are for other systems or topics; score the same data, in the "
            "same order, under the reference measures."
        )
    uir = unanimous_improvement_ratio(reference)
    pairs = ~np.eye(len(matrices.systems), dtype=np.bool_)
    means = matrices.oriented_means(np.ones((1, len(matrices.topics))))[:, 0]
    gaps = (means[:, :, None] - means[:, None, :])[:, pairs]
    defined = ~np.isnan(gaps).any(axis=1)
    found = np.full(len(gaps), np.nan)
    if defined.any():
        found[defined] = standard_ranks(gaps[defined]) @ standard_ranks(uir[pairs])
    return Coverage(matrices.measures, reference.measures, matrices.systems, uir, found)
