"""What intervals and tests share: how a result's scores are computed again on other tables."""

from collections.abc import Sequence
from typing import Literal, TypedDict

import numpy as np

from ..errors import quoted
from ..results import Floats
from ..scoring import Scores, Undefined, score_tables
from ..spec import Measure
from ..stats.resample import Aggregate, Statistic


class Scoring(TypedDict):
    """How tables of topics become one score."""

    aggregate: Aggregate
    undefined: Literal["propagate", "skip"]


def scoring(scores: Scores) -> Scoring:
    """The way in which these scores were aggregated."""
    return {
        "aggregate": "mean" if scores.aggregate == "mean" and scores.topics else "pooled",
        "undefined": "skip" if scores.replaced == "skip" else "propagate",
    }


def statistic(scores: Scores, chosen: Sequence[Measure]) -> Statistic:
    """Some of the measures of tables `[..., K, K]` at once: `[M, ...]`."""

    def score(tables: Floats) -> Floats:
        return filled(score_tables(chosen, tables, scores.scale), scores.replaced)

    return score


def filled(scores: Floats, undefined: Undefined) -> Floats:
    """Scores with the number that stands for undefined ones, if there is one."""
    if undefined is None or isinstance(undefined, str):
        return scores
    return np.where(np.isnan(scores), float(undefined), scores)


def by_topic(scores: Scores) -> Floats | None:
    """Scores `[measure, system, topic]` of a mean over topics, filled; else None."""
    if scores.per_topic is None or scoring(scores)["aggregate"] == "pooled":
        return None
    return filled(scores.per_topic, scores.replaced)


def batched_rows(scores: Scores) -> list[int]:
    """The measures that can score thousands of tables."""
    return [i for i, m in enumerate(scores.measures) if m.record.batched]


def slow_notice(scores: Scores, what: str) -> tuple[str, ...]:
    """A notice on the measures that cannot be had by resampling tables."""
    slow = [str(m) for m in scores.measures if not m.record.batched]
    if not slow:
        return ()
    return (f"No {what} for {quoted(slow)}, which takes too long on thousands of tables.",)
