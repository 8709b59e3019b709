"""Plans: how many items, topics, raters or labels a study needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import nan
from typing import Any

from ..call import Call
from ..data.scale import Scale
from ..measures.spec import Measure
from ..notes import Note
from ..stats.plans import Goal, Size
from .report import Finding


@dataclass(frozen=True, eq=False, repr=False)
class StudyPlan(Finding):
    """How many units a study needs to reach a goal.

    Parameters
    ----------
    measure : Measure
        The measure.
    scale : Scale
        The classes.
    goal : Goal
        What is to be reached: a width, a difference or a margin, with its power and level.
    unit : str
        What is counted: "items", "topics", "clusters", "gold labels" or "raters".
    n : int
        The number of units.
    low, high : int
        The range of `n` by the error of simulation; `n` itself where a formula gave it.
    have : int
        The number of units of the pilot; 0 without.
    figure : float
        The score, or the difference of two systems, that is assumed.
    simulated : bool
        Whether intervals or tests were simulated, or a formula used.
    sizes : tuple of Size
        Some numbers of units with the width or power that they have, and the standard error of
        simulation.
    systems : tuple of str
        The systems of the pilot; empty without.
    notes : tuple of Note
        What the reader should know.
    about : mapping
        The pilot or the assumptions.

    Examples
    --------
    >>> import ordeval as oe
    >>> plan = oe.plan(None, "accuracy", labels=[0, 1], accuracy=0.8, width=0.1)
    >>> 240 < plan.n < 270, plan.unit
    (True, 'items')
    """

    measure: Measure
    scale: Scale
    goal: Goal
    unit: str = "items"
    n: int = 0
    low: int = 0
    high: int = 0
    have: int = 0
    figure: float = nan
    simulated: bool = False
    sizes: tuple[Size, ...] = ()
    systems: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def call(self) -> Call:
        """The call that repeats the plan."""
        return Call("plan", self.about)
