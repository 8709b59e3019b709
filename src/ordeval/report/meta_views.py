"""What the page on measures shows, worked out from a meta-evaluation."""

import numpy as np
from markupsafe import Markup

from ..meta import MetaEvaluation
from .checks import Check
from .names import short_measure
from .wording import counted, listed, sentence, strong


def meta_answer(found: MetaEvaluation) -> list[Markup]:
    """Which measure to use, and what these data say about it."""
    return [*_advised(found), *shown_by_data(found)]


def shown_by_data(found: MetaEvaluation) -> list[Markup]:
    """What these data themselves say about the measures."""
    return [*_steadiest(found), *_sharpest(found), _grouped(found)]


def _advised(found: MetaEvaluation) -> list[Markup]:
    if found.advice is None:
        return []
    advice = found.advice
    return [
        sentence(
            "Use ",
            strong(short_measure(advice.primary)),
            ", with ",
            strong(short_measure(advice.secondary)),
            " beside it. ",
        ),
        sentence(advice.reason),
    ]


def _steadiest(found: MetaEvaluation) -> list[Markup]:
    best = found.consistency.order[0]
    mean = found.consistency.mean[best]
    if np.isnan(mean):
        return []
    name = strong(short_measure(found.consistency.measures[best]))
    return [
        sentence(
            "On these data ",
            name,
            f" ranks the systems most alike on two halves of the topics (mean τ {mean:.3f}).",
        )
    ]


def _sharpest(found: MetaEvaluation) -> list[Markup]:
    power = found.discrimination
    best = power.order[0]
    if np.isnan(power.share[best]):
        return []
    name = strong(short_measure(power.measures[best]))
    told = f"{power.significant[best]} of {len(power.pairs)} pairs of systems"
    return [sentence(name, f" tells most systems apart: {told} at p < {power.alpha:g}.")]


def _grouped(found: MetaEvaluation) -> Markup:
    groups = found.similarity.groups
    if len(groups) == 1:
        return Markup(f"All {len(groups[0])} measures rank the systems much alike.")
    largest = [short_measure(name) for name in groups[0]]
    return sentence(
        f"By their rankings the measures fall into {counted(len(groups), 'group')}, "
        "the largest being ",
        listed(largest, 8),
        ".",
    )


def groups_list(found: MetaEvaluation) -> list[tuple[str, str]]:
    """(letter, measures) of the groups of similar rankings."""
    return [
        (found.similarity.group_of(group[0]), ", ".join(short_measure(name) for name in group))
        for group in found.similarity.groups
    ]


def meta_checks(found: MetaEvaluation) -> list[Check]:
    """The warnings of the advice, and what is as it should be."""
    warnings = () if found.advice is None else found.advice.warnings
    checks = [Check("warning", text) for text in warnings]
    if not found.matrices.missing.any():
        checks.append(Check("ok", "Every score is defined."))
    elif found.advice is None:
        gone = int(found.matrices.missing.sum())
        checks.append(Check("warning", f"{gone:,} of the scores are undefined."))
    return checks


def meta_method(found: MetaEvaluation) -> list[str]:
    """How the figures were made, with the settings."""
    c, m = found.consistency, found.matrices
    lines = [
        f"{len(m.measures)} measures were judged by the scores of {len(m.systems)} systems on "
        f"{len(m.topics)} topics.",
        f"Similarity: systems are ranked by mean score; Kendall's τ-{found.similarity.variant} "
        "compares the rankings under every two measures. Measures of a group all have τ of at "
        f"least {found.similarity.threshold:g} with each other.",
        f"Consistency: random splits of the topics, shared by all measures, and τ between the "
        f"rankings on the two sets. Mean τ is over {c.mean_splits:,} splits; measures are compared "
        f"by a randomised paired Tukey HSD test over the first {c.splits:,} of them "
        f"({c.trials:,} trials, seed {c.seed}, p < {c.alpha:g}).",
        "Discriminative power: randomised paired Tukey HSD over topics for all pairs of systems "
        f"({found.discrimination.trials:,} trials).",
        "Robustness: mean Spearman correlation between the rankings of the systems on two topics.",
    ]
    if found.coverage is not None:
        names = ", ".join(short_measure(name) for name in found.coverage.reference)
        lines.append(
            "Coverage: Spearman correlation of differences in score with the unanimous "
            f"improvement ratio under {names}."
        )
    return lines
