"""The synthetic systems of Amigó et al. (2020, section 5.3): known kinds and ratios of error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

import ordeval as oe
from ordeval.meta import AMIGO_REFERENCE, ScoreMatrices, coverage

from .internals import Axis, Floats, Ints, stream

KINDS = ("rand", "prox", "maj", "tdisp", "odisp")
MAJORITY = 4
TABLE_3_MEASURES = (
    *AMIGO_REFERENCE,
    "macro_f1",
    "macro_recall",
    "cohen_kappa",
    "accuracy_within_1",
    "mae",
    "macro_mae",
    "mse",
    "macro_mse",
    "pearson",
    "spearman",
    "cem",
    "cem_flat",
)


@dataclass(frozen=True)
class Design:
    """Sizes of the synthetic data; the defaults are those of the paper.

    Gold labels of each test case (a topic) are drawn from Normal(4, σ), with σ increasing evenly
    from 1 to 3 over the test cases, rounded and clipped to 1..classes. `beyond` is the class of an
    item that an ordinal displacement would move past the end, which the paper does not specify:
    that of the last item, or its own.
    """

    cases: int = 100
    items: int = 200
    classes: int = 11
    ratios: tuple[float, ...] = tuple(i / 10 for i in range(1, 11))
    beyond: Literal["last", "own"] = "last"


def synthetic_counts(design: Design, seed: int) -> oe.Counts:
    """Count the answers of systems named "kind ratio".

    Each errs on an item with the probability given by its ratio, in one of five ways: it predicts
    the majority class (maj), a random class (rand), the next higher class (tdisp), the class of
    the item that is a tenth of all items farther in gold order (odisp), or the class of the item
    half-way to a random place in gold order (prox).
    """
    names = tuple(f"{kind} {ratio:g}" for kind in KINDS for ratio in design.ratios)
    table = np.zeros((len(names), design.cases, design.classes, design.classes))
    for case, sigma in enumerate(np.linspace(1.0, 3.0, design.cases)):
        draw = stream(seed, "synthetic", case)
        gold = np.rint(draw.normal(MAJORITY, sigma, size=design.items)).astype(np.int64)
        gold = np.sort(np.clip(gold, 1, design.classes))
        for row, labels in enumerate(_system_labels(gold, design, draw)):
            np.add.at(table[row, case], (gold - 1, labels - 1), 1.0)
    topics = tuple(f"case-{i + 1}" for i in range(design.cases))
    axes = (Axis("system", names), Axis("topic", topics))
    return oe.Counts(table, oe.Scale.of(range(1, design.classes + 1)), axes)


def _system_labels(gold: Ints, design: Design, rng: np.random.Generator) -> list[Ints]:
    """Return the labels `[items]` of each system, for gold labels in ascending order."""
    labels: list[Ints] = []
    for kind in KINDS:
        for ratio in design.ratios:
            wrong = rng.random(len(gold)) < ratio
            labels.append(np.where(wrong, _ERRORS[kind](gold, design, rng), gold))
    return labels


def _random(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return rng.integers(1, design.classes + 1, size=len(gold))


def _majority(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return np.full_like(gold, MAJORITY)


def _next_class(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    return np.asarray(np.minimum(gold + 1, design.classes))


def _farther_item(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    place = np.arange(len(gold)) + len(gold) // 10
    farther: Ints = gold[np.minimum(place, len(gold) - 1)]
    return farther if design.beyond == "last" else np.where(place < len(gold), farther, gold)


def _half_way_item(gold: Ints, design: Design, rng: np.random.Generator) -> Ints:
    place = (np.arange(len(gold)) + rng.integers(0, len(gold), size=len(gold))) // 2
    half_way: Ints = gold[place]
    return half_way


_ERRORS: dict[str, Callable[[Ints, Design, np.random.Generator], Ints]] = {
    "rand": _random,
    "prox": _half_way_item,
    "maj": _majority,
    "tdisp": _next_class,
    "odisp": _farther_item,
}


def synthetic_coverage(design: Design, seed: int, undefined: float = 0.0) -> Floats:
    """Return the coverage `[measures, 6]` on all systems, and on all but those of each kind.

    The paper does not say how undefined correlations count; 0 stands for no correlation.
    """
    counts = synthetic_counts(design, seed)
    scores = ScoreMatrices.from_counts(counts, TABLE_3_MEASURES, undefined=undefined)
    columns = []
    for kind in (None, *KINDS):
        kept = [s for s in scores.systems if kind is None or not s.startswith(f"{kind} ")]
        part = scores.select(systems=kept)
        reference = part.select(measures=part.measures[: len(AMIGO_REFERENCE)])
        columns.append(coverage(part, reference).coverage)
    return np.stack(columns, axis=1)
