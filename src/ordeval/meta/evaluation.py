"""The whole meta-evaluation of measures in one call."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ordeval._version import __version__
from ordeval.display import Displayable, Serialisable
from ordeval.errors import InputError
from ordeval.stats.resample import as_seed
from ordeval.types import Progress

from .advice import Advice, advise
from .consistency import MEAN_SPLITS, Consistency, consistency
from .coverage import Coverage, coverage
from .discrimination import DiscriminativePower, discriminative_power
from .matrices import ScoreMatrices
from .ranks import Variant
from .robustness import Robustness, robustness
from .similarity import Similarity, similarity
from .summary import Summary, summary

META_FORMAT = "ordeval-meta-1"


@dataclass(frozen=True, eq=False, repr=False)
class MetaEvaluation(Displayable, Serialisable):
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
    summary: Summary
    advice: Advice | None

    @property
    def signature(self) -> str:
        """One line that lets another person repeat the figures."""
        c, treated = self.consistency, self.matrices.undefined
        runs = [c] if self.small_consistency is None else [c, self.small_consistency]
        reference = () if self.coverage is None else self.coverage.reference
        parts = [
            f"measures:{len(self.matrices.measures)}",
            f"systems:{len(self.matrices.systems)}",
            f"topics:{len(self.matrices.topics)}",
            f"nan:{int(self.matrices.missing.sum())}",
            *([] if treated is None else [f"undefined:{treated}"]),
            f"tau:{c.variant}",
            "sets:" + ",".join(f"{one}v{other}" for one, other in (r.sizes for r in runs)),
            f"splits:{c.splits},{c.mean_splits}",
            f"trials:{c.trials}",
            f"alpha:{c.alpha:g}",
            f"seed:{c.seed}",
            *([f"reference:{'+'.join(reference)}"] if reference else []),
            f"ordeval:{__version__}",
        ]
        return "|".join(parts)

    def to_text(self) -> str:
        """The advice, the tables and the signature as text."""
        from ordeval.report.meta_tables import meta_text

        return meta_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as plain data."""
        from .archive import plain

        return {"format": META_FORMAT, "signature": self.signature, **plain(self)}

    def to_html(self, path: str | Path | None = None) -> str:
        """The report as one self-contained page; written to a file too if `path` is given."""
        from ordeval.report.html import write_meta_report
        from ordeval.report.meta_html import meta_html

        if path is not None:
            write_meta_report(self, path)
        return meta_html(self)

    def _tables(self) -> list[Any]:
        from ordeval.report.meta_tables import meta_tables

        return meta_tables(self)

    def _overview(self) -> list[Any]:
        from ordeval.report.meta_tables import overview_table

        return [overview_table(self)]

    def _figures(self) -> Any:
        from ordeval.report.meta_tables import figures_table

        return figures_table(self)


def meta_evaluate(
    data: Any,
    reference: Any = None,
    *,
    size: int = 10,
    splits: int = 1000,
    mean_splits: int = MEAN_SPLITS,
    trials: int = 5000,
    alpha: float = 0.05,
    variant: Variant = "a",
    rng: int | np.random.Generator | None = 0,
    threads: int = 1,
    progress: Progress | None = None,
) -> MetaEvaluation:
    """Similarity, consistency, discriminative power, robustness, coverage, summary and advice.

    `reference` holds scores of the same systems under reference measures, for the coverage;
    `size` is the number of topics in each set of the small splits, beside halves of all topics.
    The rest is as in `consistency`.
    """
    matrices = ScoreMatrices.read(data)
    if size < 1:
        raise InputError(f"size is {size}, but at least one topic in each set is expected.")
    test: dict[str, Any] = {"trials": trials, "alpha": alpha, "rng": as_seed(rng)}
    test |= {"threads": threads, "progress": progress}
    split = partial(
        consistency, matrices, splits=splits, mean_splits=mean_splits, variant=variant, **test
    )
    rankings, halves = similarity(matrices, variant=variant), split(size=None)
    small = split(size=size) if 2 * size <= len(matrices.topics) else None
    power = discriminative_power(matrices, **test)
    facts, task = matrices.facts, None if matrices.facts is None else matrices.facts.task
    return MetaEvaluation(
        matrices,
        rankings,
        halves,
        small,
        power,
        robustness(matrices),
        None if reference is None else coverage(matrices, reference),
        summary(rankings, [halves, small] if small else [halves], power, task=task),
        None if facts is None else advise(facts, matrices),
    )
