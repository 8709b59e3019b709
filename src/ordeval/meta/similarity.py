"""Do two measures rank the systems alike?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.display import Displayable

from .matrices import ScoreMatrices
from .ranks import Floats, Variant, check_variant, kendall, letters


@dataclass(frozen=True, repr=False)
class Similarity(Displayable):
    """Kendall's τ between the rankings of the systems under every two measures.

    Attributes
    ----------
    measures : names.
    tau : `[M, M]`, symmetric; NaN where a measure has no mean score for some system.
    groups : sets of measures of which every two have τ of at least `threshold`, largest first.
    variant : "a" or "b", which Kendall's τ.
    """

    measures: tuple[str, ...]
    tau: Floats
    groups: tuple[tuple[str, ...], ...]
    threshold: float
    variant: Variant

    def group_of(self, measure: str) -> str:
        """The letter of a measure's group: A is the largest."""
        names = letters(self.groups)
        return next(n for n, group in zip(names, self.groups, strict=True) if measure in group)

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import similarity_table

        return [similarity_table(self)]

    def _figures(self) -> Any:
        from ordeval.report.meta_tables import similarity_table

        return similarity_table(self, named=str)


def similarity(data: Any, *, variant: Variant = "a", threshold: float = 0.8) -> Similarity:
    """System ranking similarity (Sakai 2021, §5.1): rank by mean score, compare the rankings.

    `data` is as in `consistency`.

    τ-a is the default. Where no systems are tied, as in Sakai's 2016 data, τ-a and τ-b are the
    same. His 2017 data hold five constant systems, which κ ties; all κ figures printed for them
    are multiples of 1/190, 20 systems having 190 pairs, and none of 1/√(180·190), which τ-b would
    divide by.
    """
    check_variant(variant)
    matrices = ScoreMatrices.read(data)
    everything = np.ones((1, len(matrices.topics)))
    means = matrices.oriented_means(everything)[:, 0]
    tau = kendall(means[:, None], means[None, :], variant)
    groups = _groups(tau, matrices.measures, threshold)
    return Similarity(matrices.measures, tau, groups, threshold, variant)


def _groups(
    tau: Floats, measures: tuple[str, ...], threshold: float
) -> tuple[tuple[str, ...], ...]:
    """Groups by complete linkage; an undefined τ keeps measures apart."""
    if len(measures) == 1:
        return (measures,)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    apart = np.where(np.isnan(tau), 2.0, 1.0 - tau)
    np.fill_diagonal(apart, 0.0)
    tree = linkage(squareform(apart, checks=False), "complete")
    labels = fcluster(tree, 1.0 - threshold + 1e-9, "distance")
    found = [
        tuple(m for m, label in zip(measures, labels, strict=True) if label == group)
        for group in np.unique(labels)
    ]
    return tuple(sorted(found, key=lambda group: (-len(group), measures.index(group[0]))))
