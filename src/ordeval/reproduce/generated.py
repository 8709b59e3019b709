"""Generated runs, for analyses whose real runs are not to be had."""

import numpy as np
from numpy.typing import NDArray

from ..counts import Axis, Counts
from ..scale import Scale
from .datasets import CLASSES, Runs

Floats = NDArray[np.float64]


def generated_counts(
    topics: int, systems: int, *, constant: int = 5, items: int = 100, rng: int = 0
) -> Counts:
    """Counts (system, topic) on five classes, of the size and kind of SemEval's subtask C.

    A topic has a mean and a spread of opinion; gold labels are normal draws, rounded. A system
    sees gold through noise and a leaning of its own, from skilled to poor; `constant` of the
    systems always answer one class, lowest class first.
    """
    draw = np.random.default_rng([rng, topics, systems])
    k = len(CLASSES)
    middle = draw.normal(0.3, 0.6, size=(topics, 1))
    opinion = middle + draw.normal(0, 0.75, size=(topics, items))
    gold = _classes(opinion, k)
    noise = np.linspace(0.45, 1.6, systems - constant)
    leaning = draw.normal(0, 0.25, size=systems - constant)
    answers = [
        _classes(opinion + lean + draw.normal(0, size, opinion.shape), k)
        for size, lean in zip(noise, leaning, strict=True)
    ]
    answers += [np.full_like(gold, c) for c in range(constant)]
    names = [f"run-{i + 1:02d}" for i in range(systems - constant)]
    names += [f"constant-{c}" for c in CLASSES[:constant]]
    table = np.zeros((systems, topics, k, k))
    at = np.broadcast_to(np.arange(topics)[:, None], gold.shape)
    for row, answer in zip(table, answers, strict=True):
        np.add.at(row, (at, gold, answer), 1.0)
    axes = Axis("system", tuple(names)), Axis("topic", _names("topic", topics))
    return Counts(table, Scale.of(list(CLASSES)), axes)


def generated_runs(topics: int, systems: int, *, raters: int = 100, rng: int = 0) -> Runs:
    """Estimated distributions: what share of a topic each generated system puts in each class."""
    counts = generated_counts(topics, systems, constant=1, items=raters, rng=rng)
    gold = counts.table[0].sum(axis=-1) / raters
    shares = counts.table.sum(axis=-2) / raters
    return Runs(gold, dict(zip(counts.systems, shares, strict=True)), counts.topics)


def _classes(opinion: Floats, k: int) -> NDArray[np.int64]:
    """Opinions around 0 as classes 0..k-1."""
    return np.clip(np.rint(opinion + (k - 1) / 2), 0, k - 1).astype(np.int64)


def _names(kind: str, number: int) -> tuple[str, ...]:
    return tuple(f"{kind}-{i + 1:03d}" for i in range(number))
