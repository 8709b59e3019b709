"""Does a measure rank the systems alike from one topic to the next?"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval.display import Displayable

from .matrices import Integers, ScoreMatrices
from .ranks import Floats, standard_ranks


@dataclass(frozen=True, repr=False)
class Robustness(Displayable):
    """Mean Spearman correlation between the rankings of the systems on two topics.

    Attributes
    ----------
    measures : names.
    robustness : `[M]`, NaN where no two topics give rankings, or where a score is undefined and
        nothing was said about that; see `ScoreMatrices`.
    topics : `[M]`, topics that rank the systems: those where all are defined and not all tied.
    """

    measures: tuple[str, ...]
    robustness: Floats
    topics: Integers

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import stability_table

        return [stability_table(self)]


def robustness(data: Any) -> Robustness:
    """Robustness (Amigó et al. 2020, §5.4): mean Spearman over all pairs of topics.

    `data` is as in `consistency`.
    """
    matrices = ScoreMatrices.read(data)
    by_topic = np.swapaxes(matrices.oriented, 1, 2)
    found = np.full(len(matrices.measures), np.nan)
    used = np.zeros(len(matrices.measures), dtype=np.int64)
    for place, scores in enumerate(by_topic):
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
