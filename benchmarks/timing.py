"""Times of calls that are made in turn."""

import contextlib
import io
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, NamedTuple, Protocol

from .peers import numbers

MOST_REPEATS = 101
FEWEST_REPEATS = 3
LONG = 3.0  # seconds of a call that is not made again
SHORT = 0.02  # seconds of a call whose time depends on what processor caches hold
NOT_TIMED = (0.0, 0.0)


class Run(Protocol):
    """A call that can be made again and again, in this process or in another one."""

    def run(self) -> tuple[float, float]:
        """Make the call; return the seconds of processor time and of wall time."""

    def values(self) -> list[float]:
        """Return the numbers that the last call gave."""


class Local:
    """A call in this process."""

    def __init__(self, call: Callable[[], Any], read: Callable[[Any], Any]) -> None:
        self._call, self._read, self._found = call, read, None

    def run(self) -> tuple[float, float]:
        """Make the call; what it prints is dropped."""
        with contextlib.redirect_stdout(io.StringIO()):
            wall, cpu = time.perf_counter(), time.process_time()
            self._found = self._call()
            return time.process_time() - cpu, time.perf_counter() - wall

    def values(self) -> list[float]:
        """Return the numbers that the last call gave."""
        return numbers(self._read(self._found))


class Timing(NamedTuple):
    """Medians of repeated calls."""

    cpu: float
    wall: float
    repeats: int


class _Times:
    """The times of one call so far."""

    def __init__(self, run: Run, first: tuple[float, float]) -> None:
        self._run, self.found, self.spent = run, list[tuple[float, float]](), 0.0
        if first[1] > LONG:
            self.found.append(first)
            self.spent = first[1]

    def again(self) -> None:
        if self.found and self.found[-1][1] < SHORT:
            self._run.run()  # caches hold what the call of another package left there
        self.found.append(self._run.run())
        self.spent += self.found[-1][1]

    def enough(self, budget: float) -> bool:
        """Return whether more repetitions would take longer than the budget allows."""
        few = len(self.found) < FEWEST_REPEATS and self.spent < min(LONG, 20 * budget)
        return not few and (self.spent >= budget or len(self.found) >= MOST_REPEATS)

    def timing(self) -> Timing:
        cpu, wall = (median(times) for times in zip(*self.found, strict=True))
        return Timing(cpu, wall, len(self.found))


def in_turn(
    runs: Sequence[Run], first: Sequence[tuple[float, float]], budget: float
) -> list[Timing]:
    """Return the times of calls that alternate, so that other load affects all of them alike.

    Parameters
    ----------
    runs : sequence of Run
        The calls.
    first : sequence of tuple of float
        The times of a first call of each, which counts only where it took long.
    budget : float
        The seconds of wall time after which a call is not repeated, if it was made three times.

    Returns
    -------
    list of Timing
        Medians, in the order of the calls.
    """
    times = [_Times(*pair) for pair in zip(runs, first, strict=True)]
    while waiting := [each for each in times if not each.enough(budget)]:
        for each in waiting:
            each.again()
    return [each.timing() for each in times]
