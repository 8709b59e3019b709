"""What a meta-evaluation says, as sentences: answer and method."""

from ..measures.spec import short_measure
from ..meta import MetaEvaluation
from ..meta.ranking_consistency import LEAST_TOPICS, Consistency
from .meta_tables import data_sentences, published, recommendation
from .story import strong


def meta_answer(found: MetaEvaluation) -> list[str]:
    """Return which measure to use, and what the data show about it."""
    advised = []
    if found.advice is not None:
        use = recommendation(found.advice, lambda name: strong(short_measure(name)))
        literature = published(found.advice, lambda name: strong(short_measure(name)))
        advised = [f"{use}.", found.advice.reason, *literature, *found.advice.evidence]
    return [*advised, *data_sentences(found)]


def _procedure(found: Consistency) -> str:
    """Return how measures are compared."""
    if found.procedure == "split":
        return (
            "Measures are compared by a randomised paired Tukey HSD test over the first "
            f"{found.splits:,} of them ({found.trials:,} trials, seed {found.seed}, p < "
            f"{found.alpha:g}), as in the literature. That test takes the splits as independent "
            "although all are of the same topics, and so finds differences that are due to chance."
        )
    if found.interval is None:
        return (
            f"Measures are not compared by a test, for which at least {LEAST_TOPICS} topics are "
            "needed."
        )
    return (
        f"The topics are resampled {found.resamples:,} times, with splits inside each resample, "
        f"for intervals of mean τ and for step-down max-T tests of all differences between "
        f"measures (seed {found.seed}, p < {found.alpha:g}). Before that, the differences between "
        "the systems are shrunk by what the noise of the topics adds to them."
    )


def meta_method(found: MetaEvaluation) -> list[str]:
    """Return how the figures were computed, with the settings."""
    c, m = found.consistency, found.matrices
    lines = [
        f"{len(m.measures)} measures were judged by the scores of {len(m.systems)} systems on "
        f"{len(m.topics)} topics.",
        f"Similarity: systems are ranked by mean score, and Kendall's τ-{found.similarity.variant} "
        "compares the rankings under each pair of measures. All pairs of measures in a group have "
        f"τ ≥ {found.similarity.threshold:g}.",
        f"Consistency: the topics are split at random, with the same splits for all measures, and "
        f"τ compares the rankings on the two sets. Mean τ is over {'all ' * c.every_split}"
        f"{c.mean_splits:,} splits. "
        f"{_procedure(c)}",
        "Discriminative power: randomised paired Tukey HSD over topics for all pairs of systems "
        f"({found.discrimination.trials:,} trials).",
        "Robustness: mean Spearman correlation between the rankings of the systems on two topics.",
    ]
    if found.coverage is not None:
        names = ", ".join(map(short_measure, found.coverage.reference))
        lines.append(
            "Coverage: Spearman correlation of differences in score with the unanimous "
            f"improvement ratio under {names}."
        )
    return lines
