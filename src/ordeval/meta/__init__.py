"""Which measure should one trust? Meta-evaluation, axioms, advice.

From the scores of several systems on several topics (`ScoreMatrices`, or counts with topics, also
those of `Counts.from_frame`, or a result of `compare`): do measures rank the systems alike, does
each rank them alike on other topics, how many pairs of systems does it tell apart, does it follow
several others at once? And from no data at all: which axioms does a measure satisfy (`axioms`,
also called `search_axioms`)?

    counts = oe.Counts.from_labels(gold, {"a": a, "b": b}, labels=[1, 2, 3], topics=topics)
    scores = oe.meta.ScoreMatrices.from_counts(counts, "kappa, cem, mae")
    oe.meta.consistency(scores).mean
    oe.meta.meta_evaluate(scores).advice
    oe.meta.axioms("cem, mae").of("mae", "imbalance").counter_example.lines()
"""

from .advice import Advice, advise
from .axiom_kinds import Axiom, Effort
from .axioms import (
    AxiomResult,
    AxiomTable,
    CounterExample,
    Judged,
    axioms,
    axioms_of,
    search_axioms,
)
from .consistency import Consistency, consistency
from .coverage import (
    AMIGO_REFERENCE,
    DISTRIBUTION_REFERENCE,
    Coverage,
    coverage,
    unanimous_improvement_ratio,
)
from .discrimination import DiscriminativePower, discriminative_power
from .evaluation import MetaEvaluation, meta_evaluate
from .matrices import DataFacts, ScoreMatrices, random_topics
from .published import SAKAI_TABLE_4, SAKAI_TABLE_7, SakaiRow
from .ranks import kendall
from .robustness import Robustness, robustness
from .similarity import Similarity, similarity
from .summary import Summary, SummaryRow, grade_consistency, grade_discrimination, summary
from .synthetic import Design, SyntheticCoverage, synthetic_counts, synthetic_coverage

__all__ = [
    "AMIGO_REFERENCE",
    "DISTRIBUTION_REFERENCE",
    "SAKAI_TABLE_4",
    "SAKAI_TABLE_7",
    "Advice",
    "Axiom",
    "AxiomResult",
    "AxiomTable",
    "Consistency",
    "CounterExample",
    "Coverage",
    "DataFacts",
    "Design",
    "DiscriminativePower",
    "Effort",
    "Judged",
    "MetaEvaluation",
    "Robustness",
    "SakaiRow",
    "ScoreMatrices",
    "Similarity",
    "Summary",
    "SummaryRow",
    "SyntheticCoverage",
    "advise",
    "axioms",
    "axioms_of",
    "consistency",
    "coverage",
    "discriminative_power",
    "grade_consistency",
    "grade_discrimination",
    "kendall",
    "meta_evaluate",
    "random_topics",
    "robustness",
    "search_axioms",
    "similarity",
    "summary",
    "synthetic_counts",
    "synthetic_coverage",
    "unanimous_improvement_ratio",
]
