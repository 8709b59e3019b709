"""What a replication study is made of: figures of ours beside printed ones, each with a verdict."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from typing import Any

Value = float | int | str
Progress = Callable[[str, int, int], None]
_ROUNDING = 1e-9  # a figure may lie on the edge of what rounds to the printed one


class Verdict(StrEnum):
    """How a figure of ours stands to the printed one.

    SAME, DIFFERS: both were computed from the same input, so that ours must round to the printed
    figure. DERIVED: nothing is printed, and ours is what the paper's formulas give when worked out
    another way (else DIFFERS). WITHIN, OUTSIDE: chance enters (random splits, seeds), so that ours
    must lie within a stated tolerance. MISPRINT: ours rounds to the figure that the paper's own
    input gives, and the printed one is known not to. REFUTED: the paper claims something of all
    cases, and a counter-example, which can be checked by hand, shows otherwise. NEEDS: not
    computed, for want of data. NONE: there is nothing to judge by, because nothing is printed or
    because the input is another one.
    """

    SAME = "same after rounding"
    DERIVED = "as derived"
    WITHIN = "within tolerance (statistical)"
    MISPRINT = "known misprint"
    REFUTED = "refuted by a counter-example"
    DIFFERS = "differs"
    OUTSIDE = "outside tolerance (statistical)"
    NEEDS = "needs data"
    NONE = "no verdict"

    @property
    def fails(self) -> bool:
        """Whether the printed figure was not found again."""
        return self in (Verdict.DIFFERS, Verdict.OUTSIDE)


@dataclass(frozen=True)
class Misprint:
    """Printed figures known to be wrong, and what the paper's own input gives instead.

    `consistent` has the right figures, as text: `{row: {column: figure}}`. Nothing else is excused.
    """

    exhibit: str
    consistent: Mapping[str, Mapping[str, str]]
    reason: str

    def explains(self, exhibit: str, row: str, column: str, ours: float) -> bool:
        """Whether ours is the right figure of a cell that is known to be misprinted."""
        right = self.consistent.get(row, {}).get(column) if exhibit == self.exhibit else None
        return right is not None and rounds_to(ours, right)


@dataclass(frozen=True)
class Comparison:
    """One figure: ours, the printed one (None where none is printed), and the verdict.

    `same_input` is False where ours comes from other data than the printed figure, so that the
    two are shown side by side but not subtracted.
    """

    row: str
    column: str
    ours: Value | None
    printed: str | None
    verdict: Verdict
    reason: str = ""
    same_input: bool = True

    @property
    def difference(self) -> float | None:
        """Ours minus printed, where both are numbers and from the same kind of input."""
        if isinstance(self.ours, str) or self.ours is None or self.printed is None:
            return None
        if not self.same_input:
            return None
        try:
            return self.ours - (int if decimals_of(self.printed) == 0 else float)(self.printed)
        except ValueError:
            return None

    @property
    def decimals(self) -> int:
        """Decimals of the printed figure."""
        return decimals_of(self.printed) if self.printed is not None else 4


@dataclass(frozen=True)
class Drawing:
    """A figure: `draw` gives its matplotlib axes; `words` say what is to be seen."""

    name: str
    words: str
    draw: Callable[[], Any]


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, regenerated.

    Attributes
    ----------
    key : short name, e.g. "table-2".
    title : what it shows.
    comparisons : the figures.
    left_open, chosen, outcome : what the paper does not say, what we did, what came out.
    drawings : figures, drawn only when pages are written.
    """

    key: str
    title: str
    comparisons: tuple[Comparison, ...]
    left_open: str = ""
    chosen: str = ""
    outcome: str = ""
    drawings: tuple[Drawing, ...] = ()

    @property
    def tally(self) -> Counter[Verdict]:
        """How many figures have each verdict."""
        return Counter(c.verdict for c in self.comparisons)

    @property
    def fails(self) -> bool:
        """Whether a printed figure was not found again."""
        return any(c.verdict.fails for c in self.comparisons)


@dataclass(frozen=True)
class Study:
    """All exhibits of one paper."""

    key: str
    citation: str
    summary: str
    exhibits: tuple[Exhibit, ...]

    @property
    def tally(self) -> Counter[Verdict]:
        """How many figures have each verdict."""
        return sum((e.tally for e in self.exhibits), Counter())

    @property
    def fails(self) -> bool:
        """Whether a printed figure was not found again."""
        return any(e.fails for e in self.exhibits)


def _no_progress(what: str, done: int, total: int) -> None:
    """Say nothing."""


@dataclass(frozen=True)
class Setting:
    """How a study is run.

    Attributes
    ----------
    data : folder with the data sets, or None.
    quick : fewer repeats of what is random; the results say so.
    training : whether classifiers are trained.
    seed : all randomness comes from it.
    jobs : processes for training.
    progress : told what is being done, and how much of it is done.
    """

    data: Path | None = None
    quick: bool = False
    training: bool = True
    seed: int = 0
    jobs: int = 2
    progress: Progress = _no_progress


def plain(number: Any) -> float:
    """A number of Python's own; counts stay whole."""
    return int(number) if isinstance(number, Integral) else float(number)


def decimals_of(printed: str) -> int:
    """Decimals of a number as it was printed."""
    return len(printed.partition(".")[2])


def rounds_to(ours: float, printed: str) -> bool:
    """Whether a number, rounded to the printed decimals, is the printed one."""
    half = 0.5 * 10.0 ** -decimals_of(printed)
    return abs(ours - float(printed)) <= half + _ROUNDING


def exact(
    exhibit: str,
    row: str,
    column: str,
    ours: float,
    printed: str,
    misprints: Iterable[Misprint] = (),
    reason: str = "the cause is not known",
) -> Comparison:
    """Compare a figure that must be the printed one after rounding.

    Where a misprint is known, ours must be the consistent figure; otherwise it simply differs.
    """
    ours = plain(ours)
    if rounds_to(ours, printed):
        return Comparison(row, column, ours, printed, Verdict.SAME)
    known = next((m for m in misprints if m.explains(exhibit, row, column, ours)), None)
    if known:
        return Comparison(row, column, ours, printed, Verdict.MISPRINT, known.reason)
    return Comparison(row, column, ours, printed, Verdict.DIFFERS, reason)


def statistical(
    row: str, column: str, ours: float, printed: str, tolerance: float, reason: str = ""
) -> Comparison:
    """Compare a figure that depends on chance: it must lie within the tolerance."""
    ours = float(ours)
    fits = abs(ours - float(printed)) <= tolerance + _ROUNDING
    said = f"tolerance ±{tolerance:.2g}" + (f"; {reason}" if reason and not fits else "")
    return Comparison(row, column, ours, printed, Verdict.WITHIN if fits else Verdict.OUTSIDE, said)


def derived(
    row: str, column: str, ours: float, expected: float, tolerance: float = _ROUNDING
) -> Comparison:
    """Compare a figure that is not printed with what the paper's formulas give, worked out."""
    ours = float(ours)
    said = f"worked out: {expected:.6g}"
    verdict = Verdict.DERIVED if abs(ours - expected) <= tolerance else Verdict.DIFFERS
    return Comparison(row, column, ours, None, verdict, said)


def words(
    row: str, column: str, ours: str, printed: str, *, reason: str = "", chance: bool = False
) -> Comparison:
    """Compare statements: they must be the same."""
    same = ours == printed
    if chance:
        verdict = Verdict.WITHIN if same else Verdict.OUTSIDE
    else:
        verdict = Verdict.SAME if same else Verdict.DIFFERS
    return Comparison(row, column, ours, printed, verdict, "" if same else reason)


def unjudged(
    row: str,
    column: str,
    ours: Value,
    printed: str | None = None,
    reason: str = "",
    *,
    same_input: bool = True,
) -> Comparison:
    """A figure with nothing to judge it by."""
    kept = ours if isinstance(ours, str) else plain(ours)
    return Comparison(row, column, kept, printed, Verdict.NONE, reason, same_input)


def needs(row: str, column: str, printed: str | None, what: str) -> Comparison:
    """A printed figure that cannot be computed without data."""
    return Comparison(row, column, None, printed, Verdict.NEEDS, what)


def misprints_of(printed: Mapping[str, Any]) -> tuple[Misprint, ...]:
    """The known misprints of a paper, from its printed figures."""
    return tuple(Misprint(**entry) for entry in printed.get("misprints", ()))


def order_of(values: Mapping[str, float], *, decimals: int | None = None) -> str:
    """Names from the lowest value to the highest, ties joined by =, e.g. "a < b = c"."""
    shown = {k: v if decimals is None else round(v, decimals) for k, v in values.items()}
    ranked = sorted(shown, key=lambda name: shown[name])
    text = ranked[0]
    for before, name in pairwise(ranked):
        text += (" = " if shown[before] == shown[name] else " < ") + name
    return text


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (n - 1)."""
    n = len(values)
    mean = math.fsum(values) / n
    if n < 2:
        return mean, math.nan
    return mean, math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
