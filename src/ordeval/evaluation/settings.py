"""How intervals and tests are made, and which measures by default."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from ..errors import InputError
from ..spec import Measure
from ..stats.intervals import Method
from ..stats.resample import Over, Plan, as_seed

CORE = (
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
MeasuresGiven = str | Measure | Iterable[str | Measure] | None
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made.

    `ci` is the level of the intervals and `bootstrap` the number of replicates (0 for none);
    `over` says what is resampled: "items", "topics" or "both" (by default topics where there are
    several, else items). `trials` is the number of random trials of the tests. `differences` asks
    for intervals of the differences of all pairs of systems, `classical` for the p-values of the
    classical Tukey HSD beside those of the randomised one.
    """

    ci: float = 0.95
    bootstrap: int = 2000
    method: str = "bca"
    over: str | None = None
    trials: int | None = None
    alpha: float = 0.05
    rng: int | np.random.Generator | None = 0
    threads: int = 1
    progress: Progress | None = None
    differences: bool = False
    classical: bool = False

    def __post_init__(self) -> None:
        if self.method not in ("bca", "percentile"):
            raise InputError(f'method={self.method!r} is not known; it is "bca" or "percentile".')
        if self.over not in (None, "items", "topics", "both"):
            raise InputError(f'over={self.over!r} is not known; it is "items", "topics" or "both".')
        for name, level, usual in (("ci", self.ci, 0.95), ("alpha", self.alpha, 0.05)):
            if not isinstance(level, Real) or not 0 < level < 1:
                raise InputError(f"{name}={level!r} is not a level; give a share such as {usual}.")
        for name, number, least in (
            ("bootstrap", self.bootstrap, 0),
            ("trials", 1 if self.trials is None else self.trials, 1),
            ("threads", self.threads, 1),
        ):
            if not isinstance(number, Integral) or isinstance(number, bool) or number < least:
                raise InputError(
                    f"{name}={number!r} is unusable; give a whole number from {least}."
                )
        object.__setattr__(self, "rng", as_seed(self.rng))

    @property
    def seed(self) -> int:
        """The seed that every draw is made from."""
        return as_seed(self.rng)

    @property
    def rule(self) -> Method:
        """The kind of interval, by its checked name."""
        return "bca" if self.method == "bca" else "percentile"

    def plan(self, replicates: int, *, quiet: bool = False) -> Plan:
        """A plan of so many replicates or trials; a quiet one does not show its progress."""
        progress = None if quiet else self.progress
        return Plan(replicates, self.seed, threads=self.threads, progress=progress)

    def unit(self, topics: int) -> Over:
        """What is resampled when there are so many topics (0 for none)."""
        if self.over in ("topics", "both") and topics < 2:
            raise InputError(
                f"over={self.over!r} needs two or more topics and there are {topics}; "
                'resample items instead: over="items".'
            )
        if self.over == "both":
            return "both"
        return "topics" if topics > 1 and self.over != "items" else "items"


DEFAULTS = Settings()
