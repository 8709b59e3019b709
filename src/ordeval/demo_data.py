"""The data of the demonstration: raters who judge the same items, generated from a fixed seed.

Every item has a latent quality; gold and every rater observe it with an error of their own and
name the class that it falls into.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LABELS = ("poor", "fair", "good", "great", "superb")
TOPICS = 30
ITEMS_PER_TOPIC = 25
_SEED = 20
_CUTS = np.asarray([-1.5, -0.6, 0.5, 1.5])  # between the classes, on the scale of quality


@dataclass(frozen=True)
class DemoData:
    """Labels of N items: `gold` and each of `systems` `[N]`, with the items' ids and topics."""

    ids: tuple[str, ...]
    topics: tuple[str, ...]
    gold: NDArray[Any]
    systems: Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class _Rater:
    """How a rater observes quality: stretched, shifted, with noise, and sometimes not at all."""

    noise: float
    stretch: float = 1.0
    shift: float = 0.0
    lapses: float = 0.0


_RATERS = {
    "careful": _Rater(noise=0.45),
    "steady": _Rater(noise=0.5),
    "shy": _Rater(noise=0.35, stretch=0.55),
    "lenient": _Rater(noise=0.45, shift=0.7),
    "hasty": _Rater(noise=0.2, lapses=0.25),
    "vague": _Rater(noise=1.1),
}
BASELINE = "always-good"


def demo_data() -> DemoData:
    """Return the data set: 750 items of 30 topics, six raters and a constant baseline."""
    rng = np.random.default_rng(_SEED)
    size = TOPICS * ITEMS_PER_TOPIC
    names = [f"topic-{i + 1:02d}" for i in range(TOPICS)]
    effect = np.repeat(rng.normal(0.0, 0.4, TOPICS), ITEMS_PER_TOPIC)
    quality = effect + rng.normal(0.0, 1.0, size)
    systems = {name: _judge(rater, quality, rng) for name, rater in _RATERS.items()}
    return DemoData(
        tuple(f"item-{i + 1:03d}" for i in range(size)),
        tuple(np.repeat(names, ITEMS_PER_TOPIC).tolist()),
        _classes(quality + rng.normal(0.0, 0.15, size)),
        {**systems, BASELINE: np.full(size, "good", dtype=object)},
    )


def _judge(rater: _Rater, quality: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    noise, chance, guess = rng.normal(size=(3, len(quality)))
    observed = rater.stretch * quality + rater.shift + rater.noise * noise
    lapsed = np.argsort(np.argsort(chance)) < rater.lapses * len(quality)
    return _classes(np.where(lapsed, 1.5 * guess, observed))


def _classes(quality: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(LABELS, dtype=object)[np.searchsorted(_CUTS, quality)]


def demo_files() -> dict[str, str]:
    """Return the data set as csv files: gold with topics, a file per run, and one table of all."""
    data = demo_data()
    gold = zip(data.ids, data.topics, data.gold, strict=True)
    files = {"gold.csv": _csv(("id", "topic", "gold"), gold)}
    for name, labels in data.systems.items():
        files[f"runs/{name}.csv"] = _csv(("id", "label"), zip(data.ids, labels, strict=True))
    columns = (data.ids, data.topics, data.gold, *data.systems.values())
    heading = ("id", "topic", "gold", *data.systems)
    return {**files, "all.csv": _csv(heading, zip(*columns, strict=True))}


def _csv(heading: tuple[str, ...], rows: Any) -> str:
    return "\n".join([",".join(heading), *(",".join(row) for row in rows)]) + "\n"
