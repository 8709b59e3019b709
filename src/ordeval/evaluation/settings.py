"""Settings of intervals and tests, and the default measures."""

import os
from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import get_args

from ..errors import InputError, check_choice
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
_MOST_DRAWS = 10**6  # replicates or trials; more change no decision


@dataclass(frozen=True)
class Settings:
    """How intervals and tests are made.

    Parameters
    ----------
    ci : float
        The confidence level of the intervals.
    bootstrap : int
        The number of bootstrap replicates; 0 for no intervals.
    method : {"auto", "percentile"}
        The kind of interval; "auto" is "dirichlet" over items, "t" over topics and clusters, and
        "percentile" over both topics and items.
    over : {"items", "topics", "clusters", "both"}, optional
        The units that are resampled and exchanged; by default clusters where they are given, else
        topics where there are several, else items.
    trials : int, optional
        The number of random trials of the tests.
    alpha : float
        The level below which a difference is called significant.
    rng : int, Generator or None
        The seed, a generator to draw one from, or None for fresh entropy. It is kept as a seed.
    threads : int, optional
        The number of threads, which never changes a result. By default one, and all cores for
        tests of very many tables.
    progress : callable, optional
        Called as ``progress(done, total)``.
    differences : bool
        Whether to compute intervals of the differences of all pairs of systems.
    against : str, optional
        A system with which all others are compared, instead of all pairs.
    margin : float, optional
        Differences within this margin, in units of the measure, count as equivalence.
    """

    ci: float = 0.95
    bootstrap: int = 2000
    method: Method = "auto"
    over: Over | None = None
    trials: int | None = None
    alpha: float = 0.05
    rng: RNG = 0
    threads: int | None = None
    progress: Progress | None = None
    differences: bool = False
    against: str | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        check_choice("method", self.method, get_args(Method))
        if self.over is not None:
            check_choice("over", self.over, get_args(Over))
        _check_level("ci", self.ci, 0.95)
        _check_level("alpha", self.alpha, 0.05)
        _check_whole("bootstrap", self.bootstrap, 0)
        _check_whole("trials", 1 if self.trials is None else self.trials, 1)
        _check_whole("threads", 1 if self.threads is None else self.threads, 1)
        object.__setattr__(self, "rng", as_seed(self.rng))
        if self.margin is not None:
            _check_margin(self.margin)
            if self.alpha >= 0.5:
                raise InputError(
                    f"A margin needs intervals at the level 1 − 2·alpha; alpha is {self.alpha}.",
                    parameter="alpha",
                    hint="Pass for example {alpha}.",
                    suggest={"alpha": 0.05},
                )

    @property
    def seed(self) -> int:
        """The seed of every draw."""
        return as_seed(self.rng)

    def plan(self, replicates: int, *, quiet: bool = False, numbers: float = 0) -> Plan:
        """Return a plan of so many replicates or trials; a quiet one reports no progress.

        `numbers` are those in all tables, which decide on the threads.
        """
        progress = None if quiet else self.progress
        threads = self.threads or (_cores() if numbers > _MANY_NUMBERS else 1)
        return Plan(replicates, self.seed, threads=threads, progress=progress)

    def unit(self, topics: int, *, clusters: bool = False) -> Over:
        """Return what is resampled and exchanged, given how many topics there are."""
        if self.over in ("topics", "both") and topics < 2:
            what = "topics and items" if self.over == "both" else "topics"
            raise InputError(
                f"Resampling of {what} needs two or more topics and there are {topic}.",
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


def _check_margin(margin: object) -> None:
    if isinstance(margin, bool) or not isinstance(margin, Real) or not 0 < float(margin) < inf:
        raise InputError(
            f"margin={margin!r} is not usable; a positive number in units of the measure is "
            "expected.",
            parameter="margin",
        )


def _check_level(name: str, value: object, usual: float) -> None:
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise InputError(
            f"{name}={value!r} is not a level; a number between 0 and 1 such as {usual} is "
            "expected.",
            parameter=name,
        )


def _cores() -> int:
    """Return the number of cores that this process may use, up to eight."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), _MOST_THREADS)
    return min(os.cpu_count() or 1, _MOST_THREADS)


def _check_whole(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(
            f"{name}={value!r} is not usable; a whole number of at least {least} is expected.",
            parameter=name,
        )
    if int(value) > _MOST_DRAWS:
        raise InputError(
            f"{name}={value:,} would take hours; at most {_MOST_DRAWS:,} are made.",
            parameter=name,
            hint=f"Pass for example {{{name}}}.",
            suggest={name: 10_000 if name != "threads" else 8},
        )
