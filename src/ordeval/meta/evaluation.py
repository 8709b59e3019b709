"""The whole meta-evaluation of measures in one call."""

from dataclasses import dataclass

import numpy as np

from ordeval.errors import InputError
from ordeval.stats.resample import Progress, as_seed

from .advice import Advice, advise
from .consistency import Consistency, consistency
from .coverage import Coverage, coverage
from .discrimination import DiscriminativePower, discriminative_power
from .matrices import ScoreMatrices
from .ranks import Variant
from .robustness import Robustness, robustness
from .similarity import Similarity, similarity
from .summary import SummaryRow, summary


@dataclass(frozen=True)
class MetaEvaluation:
    """Everything found out about measures from one set of systems and topics.

    `small_consistency` is None where there are too few topics for two sets of that size,
    `coverage` where no reference measures were given, `advice` where the scores came ready made.
    """

    matrices: ScoreMatrices
    similarity: Similarity
    consistency: Consistency
    small_consistency: Consistency | None
    discrimination: DiscriminativePower
    robustness: Robustness
    coverage: Coverage | None
    summary: tuple[SummaryRow, ...]
    advice: Advice | None

    @property
    def signature(self) -> str:
        """One line that lets another person repeat the figures."""
        from ordeval import __version__

        c, treated = self.consistency, self.matrices.undefined
        parts = [
            f"measures:{len(self.matrices.measures)}",
            f"systems:{len(self.matrices.systems)}",
            f"topics:{len(self.matrices.topics)}",
            f"nan:{int(self.matrices.missing.sum())}",
            *([] if treated is None else [f"undefined:{treated}"]),
            f"tau:{c.variant}",
            f"splits:{c.splits}",
            f"trials:{c.trials}",
            f"alpha:{c.alpha:g}",
            f"seed:{c.seed}",
            f"ordeval:{__version__}",
        ]
        return "|".join(parts)


def meta_evaluate(
    matrices: ScoreMatrices,
    reference: ScoreMatrices | None = None,
    *,
    size: int = 10,
    splits: int = 1000,
    trials: int = 5000,
    alpha: float = 0.05,
    variant: Variant = "a",
    rng: int | np.random.Generator | None = None,
    threads: int = 1,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Similarity, consistency, discriminative power, robustness, coverage, summary and advice.

    Parameters
    ----------
    matrices : scores to judge the measures by.
    reference : scores of the same systems under reference measures, for the coverage.
    size : topics in each set of the small splits, beside halves of all topics.
    splits, trials, alpha, variant, rng, threads, progress : as in `consistency`.
    """
    if size < 1:
        raise InputError(f"size is {size}, but at least one topic in each set is expected.")
    seed = as_seed(rng)

    def split(topics: int | None) -> Consistency:
        return consistency(
            matrices,
            size=topics,
            splits=splits,
            trials=trials,
            alpha=alpha,
            variant=variant,
            rng=seed,
            threads=threads,
            progress=progress,
        )

    rankings, halves = similarity(matrices, variant=variant), split(None)
    small = split(size) if 2 * size <= len(matrices.topics) else None
    power = discriminative_power(
        matrices, trials=trials, alpha=alpha, rng=seed, threads=threads, progress=progress
    )
    facts = matrices.facts
    consistencies = [halves] if small is None else [halves, small]
    return MetaEvaluation(
        matrices,
        rankings,
        halves,
        small,
        power,
        robustness(matrices),
        None if reference is None else coverage(matrices, reference),
        summary(rankings, consistencies, power, task=None if facts is None else facts.task),
        None if facts is None else advise(facts, matrices),
    )
