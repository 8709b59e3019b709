"""Advice on measures: that of the decision path, with figures of the systems on these topics."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordeval.advice import Facts, Recommendation, recommend
from ordeval.errors import InputError, first_few, plural
from ordeval.measures.spec import short_measure
from ordeval.results import Result

from .discrimination import DiscriminativePower, discriminative_power
from .ranking_consistency import Consistency
from .ranking_consistency import consistency as compute_consistency
from .score_matrices import ScoreMatrices


def advise(
    data: Facts | ScoreMatrices | Result,
    *,
    consistency: Sequence[Consistency] | None = None,
    discrimination: DiscriminativePower | None = None,
) -> Recommendation:
    """Recommend measures by the decision path, with evidence from the scores.

    The recommendation is that of `ordeval.advise`. The evidence says how the recommended measure
    does on these systems and topics, and which measures do better.

    Parameters
    ----------
    data : Facts, ScoreMatrices or Result
        Facts about the data; scores of systems on topics, for evidence as well; or a result of
        `compare` or `quantify`.
    consistency : sequence of Consistency, optional
        Consistency of the measures; by default computed over halves of the topics.
    discrimination : DiscriminativePower, optional
        Discriminative power of the measures; computed by default.

    Returns
    -------
    Recommendation
        The recommended measures, with reasons, evidence and remarks.

    Examples
    --------
    >>> import ordeval as oe
    >>> facts = oe.meta.Facts("labels", 3, ("a", "b", "c"), topics=40)
    >>> oe.meta.advise(facts).primary
    "kappa(weights='linear')"
    """
    facts = _facts(data)
    advice = recommend({"purpose": "compare"}, facts)
    if not isinstance(data, ScoreMatrices):
        return advice
    power = discrimination or discriminative_power(data)
    evidence = _evidence(advice.primary, data, consistency or [compute_consistency(data)], power)
    return replace(
        advice, evidence=tuple(evidence), remarks=(*advice.remarks, *_undefined_scores(data))
    )


def _facts(data: Facts | ScoreMatrices | Result) -> Facts:
    if isinstance(data, Result):
        return Facts.of_result(data)
    facts = data.facts if isinstance(data, ScoreMatrices) else data
    if facts is None:
        raise InputError(
            "The scores were not made from data, so nothing is known about the data.",
            parameter="data",
            hint="Give the facts, or scores made from counts or distributions.",
        )
    return facts


def _evidence(
    name: str,
    scores: ScoreMatrices,
    consistencies: Sequence[Consistency],
    power: DiscriminativePower,
) -> Iterator[str]:
    """Yield the figures of a measure."""
    if name not in scores.measures:
        yield f"{short_measure(name)} is not among the measures judged here."
        return
    place, pairs = scores.measures.index(name), plural(len(power.pairs), "pair")
    yield (
        f"Discriminative power: {power.significant[place]} of {pairs} of systems differ "
        f"significantly; the most under any measure here are {max(power.significant)}."
    )
    for consistency in consistencies:
        if not np.isnan(consistency.mean[place]):
            yield _consistency(consistency, place)


def _consistency(found: Consistency, place: int) -> str:
    """Return the mean τ of a measure, and the measures that are significantly more consistent."""
    start = (
        f"Consistency: mean τ {found.mean[place]:.3f} with {found.sizes[0]} against "
        f"{found.sizes[1]} topics"
    )
    if not found.tested:
        return f"{start}; measures were not compared by a test."
    won = [
        f"{short_measure(found.measures[i])} ({found.mean[i]:.3f})"
        for i in found.order
        if found.p[i, place] < found.alpha and found.mean[i] > found.mean[place]
    ]
    more = first_few(won, 3) if won else "no measure judged here"
    return f"{start}; significantly more consistent: {more}."


def _undefined_scores(scores: ScoreMatrices) -> Iterator[str]:
    missing = zip(scores.measures, scores.missing.sum(axis=1), strict=True)
    counts = [f"{name} ({count:,})" for name, count in missing if count]
    treatments: dict[Any, str] = {
        None: "means over them are undefined (leave them out with undefined=skip)",
        "skip": "means are over the other topics",
    }
    treatment = treatments.get(scores.undefined, f"each counts as {scores.undefined}")
    if counts:
        yield (
            f"Undefined scores, of {scores.scores[0].size:,} each: {', '.join(counts)}; "
            f"{treatment}."
        )
