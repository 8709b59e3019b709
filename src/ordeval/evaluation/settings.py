"""Settings of intervals and tests, and the default measures."""

import os
from dataclasses import dataclass, fields
from typing import Any

from ..errors import InputError
from ..stats.intervals import Kind
from ..stats.resample import Plan, as_seed
from ..types import RNG, Method, Over, Progress

CORE_MEASURES = (
    "kappa(weights='linear')",
    "kappa(weights='quadratic')",
    "alpha(level='ordinal')",
    "cem",
    "kendall_b",
    "mae",
    "macro_mae",
    "accuracy",
    "macro_f1",
)

_MANY_NUMBERS = 2 * 10**8  # seconds of work on one core
_MOST_THREADS = 8


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made; see `ordeval.options`."""

    ci: float = 0.95
    bootstrap: int = 2000
    method: Method = "auto"
    over: Over | None = None
    trials: int | None = None
    rng: RNG = 0
    progress: Progress | None = None
    differences: bool = False
    against: str | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", as_seed(self.rng))
        if self.margin is not None and self.ci <= 0.5:
            raise InputError(
                f"A margin needs intervals at the level 2·ci − 1; ci is {self.ci}.",
                parameter="ci",
                hint="Pass for example {ci}.",
                suggest={"ci": 0.95},
            )

    @property
    def alpha(self) -> float:
        """The level below which a difference is called significant."""
        return round(1 - self.ci, 12)

    @property
    def about(self) -> dict[str, Any]:
        """The settings that differ from the defaults, for the call that repeats a result."""
        usual = Settings()
        names = (f.name for f in fields(self) if f.name not in ("progress", "differences"))
        return {n: getattr(self, n) for n in names if getattr(self, n) != getattr(usual, n)}

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return as_seed(self.rng)

    def plan(self, replicates: int, *, quiet: bool = False, numbers: float = 0) -> Plan:
        """Return a plan of so many replicates or trials; a quiet one reports no progress.

        `numbers` are those in all tables, which decide on the threads.
        """
        progress = None if quiet else self.progress
        threads = _cores() if numbers > _MANY_NUMBERS else 1
        return Plan(replicates, self.seed, threads=threads, progress=progress)

    def unit(self, topics: int, *, clusters: bool = False) -> Over:
        """Return what is resampled and exchanged, given how many topics there are."""
        if self.over in ("topics", "both") and topics < 2:
            what = "topics and items" if self.over == "both" else "topics"
            raise InputError(
                f"Resampling of {what} needs two or more topics and there are {topics}.",
                parameter="over",
                hint="Give the topics with {topic}, or leave {over} out.",
                suggest={"topic": ..., "over": ...},
            )
        if self.over == "clusters" and not clusters:
            raise InputError(
                "Resampling over clusters needs clusters, and none are given.",
                parameter="over",
                hint="Name them with {cluster}.",
                suggest={"cluster": ...},
            )
        if self.over is not None:
            return self.over
        return "clusters" if clusters else "topics" if topics > 1 else "items"

    def interval_method(self, over: Over) -> Kind:
        """Return the kind of interval over these units."""
        if self.method == "percentile" or over == "both":
            return "percentile"
        return "dirichlet" if over == "items" else "t"


def _cores() -> int:
    """Return the number of cores that this process may use, up to eight."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    return min(os.cpu_count() or 1, _MOST_THREADS)
