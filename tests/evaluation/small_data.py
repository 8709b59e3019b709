"""Labels of three systems on a few topics, shared by the tests of results."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

LABELS = ["bad", "poor", "fair", "good", "best"]
Labels = NDArray[Any]


def labels(
    items: int = 240, topics: int = 8, seed: int = 0, names: str = "abc"
) -> tuple[Labels, dict[str, Labels], Labels]:
    """Gold, systems (the first the best) and topics, as integers 0..4."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(5, size=items, p=[0.4, 0.25, 0.15, 0.12, 0.08])
    right = np.linspace(0.85, 0.35, len(names))
    systems = {
        name: np.where(rng.random(items) < share, gold, rng.integers(5, size=items))
        for name, share in zip(names, right, strict=True)
    }
    return gold, systems, np.arange(items) % topics


def constant_on_a_topic() -> tuple[Labels, dict[str, Labels], Labels]:
    """As `labels`, but all is of one class on topic 0, where kappa and tau-b are undefined."""
    gold, systems, topics = labels()
    gold = np.where(topics == 0, 2, gold)
    return gold, {n: np.where(topics == 0, 2, p) for n, p in systems.items()}, topics
