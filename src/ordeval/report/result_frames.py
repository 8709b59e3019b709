"""Figures of results as columns for data frames: one row per system, pair, topic or class."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..measures.classes import class_figures
from ..measures.spec import Measure
from ..results import Pair, Result
from ..table import columns_of
from .result_tables import long_table, no_topics, shown_pairs

Columns = dict[str, Any]

_OF_PAIRS = ("difference", "low", "high", "se", "p", "effect", "classical_p", "detectable")


def result_columns(result: Result, what: str = "scores", measure: Measure | None = None) -> Columns:
    """Return the columns of the data frame with this name; of one measure, or of all."""
    if what not in FRAMES:
        raise InputError(
            f"There is no data frame {what!r}; there are {', '.join(FRAMES)}.", parameter="what"
        )
    return FRAMES[what](result, result.measures if measure is None else (measure,))


def _scores(result: Result, measures: Sequence[Measure]) -> Columns:
    return columns_of(long_table(result, measures))


def _pairs(result: Result, measures: Sequence[Measure]) -> Columns:
    """Return one row per measure and pair of systems that was compared."""
    rows = [pair for m in measures for pair in shown_pairs(result, m)]

    def column(name: str) -> list[Any]:
        return [getattr(pair, name) for pair in rows]

    def text(value: Callable[[Pair], object]) -> list[str]:
        return [str(value(pair)) for pair in rows]

    return {
        "measure": text(lambda pair: pair.measure.name),
        "system": column("first"),
        "against": column("second"),
        **{name: column(name) for name in _OF_PAIRS},
        "verdict": column("verdict"),
        "doubt": column("doubt"),
        "specification": text(lambda pair: pair.measure),
    }


def _topics(result: Result, measures: Sequence[Measure]) -> Columns:
    """Return one row per measure, system and topic."""
    scores = result.scores
    if scores.per_topic is None:
        raise no_topics()
    rows = [scores.row(m) for m in measures]
    systems, topics = len(scores.systems), len(scores.topics)

    def repeated(names: Sequence[str], inner: int, outer: int) -> list[str]:
        return [name for _ in range(outer) for name in names for _ in range(inner)]

    found: Columns = {
        "measure": repeated([m.name for m in measures], systems * topics, 1),
        "system": repeated(scores.systems, topics, len(rows)),
        "topic": repeated(scores.topics, 1, len(rows) * systems),
        "score": scores.per_topic[rows].ravel(),
    }
    if scores.topic_items is not None:
        found["items"] = np.tile(scores.topic_items, len(rows) * systems)
    found["specification"] = repeated(list(map(str, measures)), systems * topics, 1)
    return found


def _classes(result: Result, measures: Sequence[Measure]) -> Columns:
    """Return one row per system and class, the columns named as in `PerClass.figures`."""
    if result.tables is None:
        raise InputError("Quantification has no figures per class.", parameter="what")
    scale, systems = result.scores.scale, result.scores.systems
    figures = class_figures(result.tables, scale)
    return {
        "system": [system for system in systems for _ in scale.labels],
        "class": [str(label) for _ in systems for label in scale.labels],
        **{name: values.ravel() for name, values in figures.items()},
    }


FRAMES: dict[str, Callable[[Result, Sequence[Measure]], Columns]] = {
    "scores": _scores,
    "pairs": _pairs,
    "topics": _topics,
    "classes": _classes,
}
"""The data frames of a result by name."""
