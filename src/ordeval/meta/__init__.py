"""Meta-evaluation: judge measures by data and by axioms, and advise which one to use.

From the scores of several systems on several topics: do measures rank the systems in the same
order, does each measure do so on other topics, how many pairs of systems does it separate, and
does it follow several reference measures at once? Without data: which axioms does it satisfy?

Scores are given as `ScoreMatrices`, as counts with systems and topics, or as a result of
`compare` with topics.

Examples
--------
>>> import ordeval as oe
>>> gold = [1, 2, 3, 1, 2, 3]
>>> systems = {"a": [1, 2, 3, 1, 2, 2], "b": [1, 2, 2, 1, 1, 3], "c": [3, 2, 1, 2, 1, 3]}
>>> counts = oe.Counts.from_labels(gold, systems, labels=[1, 2, 3], topic=list("tttuuu"))
>>> scores = oe.meta.ScoreMatrices.from_counts(counts, "kappa, cem, mae")
>>> oe.meta.similarity(scores).groups
(('lwk', 'cem', 'mae'),)
>>> oe.meta.meta_evaluate(scores, splits=9).advice.primary
'lwk'
"""

from .axiom_cases import Axiom, Effort, axioms_of
from .axiom_search import AxiomTable, axioms
from .meta_evaluation import (
    DiscriminativePower,
    MetaEvaluation,
    discriminative_power,
    meta_evaluate,
)
from .ranking_consistency import Consistency, consistency
from .rankings import (
    AMIGO_REFERENCE,
    DISTRIBUTION_REFERENCE,
    Coverage,
    Robustness,
    Similarity,
    coverage,
    kendall,
    robustness,
    similarity,
    similarity_of_scores,
)
from .score_matrices import ScoreMatrices, random_topics

__all__ = [
    "AMIGO_REFERENCE",
    "DISTRIBUTION_REFERENCE",
    "Axiom",
    "AxiomTable",
    "Consistency",
    "Coverage",
    "DiscriminativePower",
    "Effort",
    "MetaEvaluation",
    "Robustness",
    "ScoreMatrices",
    "Similarity",
    "axioms",
    "axioms_of",
    "consistency",
    "coverage",
    "discriminative_power",
    "kendall",
    "meta_evaluate",
    "random_topics",
    "robustness",
    "similarity",
    "similarity_of_scores",
]
