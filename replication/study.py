"""Studies of papers: computed figures, joined with the printed ones and judged.

A module of a paper maps every exhibit to a generator of `Ours`, which says what was computed for a
row and a column. What the paper prints there, the known misprints and the tolerances are data (see
`printed`). `judge` is the only place where the two meet.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .printed import Printed, read_paper

Value = float | int | str
StageProgress = Callable[[str, int, int], None]
_ROUNDING = 1e-9  # a computed figure may lie on the edge of the interval that is rounded


class Verdict(StrEnum):
    """The outcome of comparing a computed figure with the printed one.

    - SAME, DIFFERS: both are computed from the same input; ours rounds to the printed figure, or
      does not.
    - DERIVED: nothing is printed, and ours equals what the paper's formulas give when evaluated
      in another way (DIFFERS otherwise).
    - WITHIN, OUTSIDE: the figure is random (splits, seeds); ours lies within the stated tolerance,
      or does not.
    - MISPRINT: ours rounds to the figure that the paper's own input gives, and the printed figure
      is known to be wrong.
    - REFUTED: the paper makes a general claim, and a counter-example that can be checked by hand
      contradicts it.
    - SUSPECTED: ours differs from the printed figure and would agree if the paper had a simple
      error, but the paper has no input that shows the error.
    - DEPENDS: the paper claims only that something can hold, depending on a choice; with the
      choice made here it does not.
    - NEEDS: not computed, because data or a library are missing.
    - NONE: not judged, because nothing is printed or ours comes from other data.
    """

    SAME = "same after rounding"
    DERIVED = "as derived"
    WITHIN = "within tolerance (statistical)"
    MISPRINT = "known misprint"
    REFUTED = "refuted by a counter-example"
    SUSPECTED = "suspected misprint"
    DEPENDS = "depends on the choice made"
    DIFFERS = "differs"
    OUTSIDE = "outside tolerance (statistical)"
    NEEDS = "needs data"
    NONE = "no verdict"

    @property
    def fails(self) -> bool:
        """Whether the printed figure was not reproduced."""
        return self in (Verdict.DIFFERS, Verdict.OUTSIDE)


class Ours(NamedTuple):
    """A figure that was computed, before it is compared with the printed one.

    Parameters
    ----------
    row, column : str
        Where the figure stands in the exhibit.
    value : float, int, str or None
        The figure or statement; None if it could not be computed.
    note : str
        A remark that is shown with the verdict, or why there is no value.
    tolerance : float or None
        How far a random figure may be from the printed one.
    expected : float or None
        What the paper's formulas give, where no figure is printed.
    unjudged : str
        Why the figure is not judged, such as the name of data that were used in place of the
        paper's own. The row may repeat it in parentheses.
    printed : str or None
        The printed figure, where it is not printed under `row` and `column`.
    agrees : bool or None
        Whether ours agrees with the paper, where comparing both figures does not decide that.
    explained : bool
        Whether this run shows why the paper is wrong where that is on record.
    """

    row: str
    column: str
    value: Value | None
    note: str = ""
    tolerance: float | None = None
    expected: float | None = None
    unjudged: str = ""
    printed: str | None = None
    agrees: bool | None = None
    explained: bool = False


class Fact(NamedTuple):
    """A word or number of this run that fills `{name}` in the notes of an exhibit."""

    name: str
    value: object


@dataclass(frozen=True)
class Drawing:
    """The data of a figure; `drawings.draw` draws it.

    Parameters
    ----------
    name : str
        The name of its file.
    kind : str
        "curves" or "points" of `{name: (x, y)}`, "bars" of `{group: {name: height}}`, "intervals"
        of `{name: (mean, sd, printed mean, printed sd)}`, "uoc" of `{name: table}`, or "paths" or
        "outputs" of panels (see `drawings`).
    series : mapping
        What is drawn.
    caption : str
        What can be seen.
    title, x, y : str
        The title and the labels of the axes.
    level, top : float or None
        The height of a dotted line and the upper end of the vertical axis.
    marks : bool
        Whether curves have markers.
    """

    name: str
    kind: Literal["curves", "points", "bars", "intervals", "uoc", "paths", "outputs"]
    series: Mapping[str, Any]
    caption: str
    title: str = ""
    x: str = ""
    y: str = ""
    level: float | None = None
    top: float | None = None
    marks: bool = True


def _no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


@dataclass(frozen=True)
class Setting:
    """How a study is run.

    Parameters
    ----------
    data : Path or None
        The folder with the data sets.
    quick : bool
        Repeat random experiments fewer times; the notes of the exhibits say so.
    training : bool
        Train classifiers.
    seed : int
        The seed of all random numbers.
    jobs : int
        Processes for training; they do not change the results.
    progress : callable
        Called as ``progress(stage, done, total)``.
    """

    data: Path | None = None
    quick: bool = False
    training: bool = True
    seed: int = 0
    jobs: int = 2
    progress: StageProgress = field(default=_no_progress)


Item = Ours | Drawing | Fact
Maker = Callable[[Setting, Printed], Iterator[Item]]


@dataclass(frozen=True)
class Comparison:
    """A computed figure beside the printed one, with the verdict.

    Parameters
    ----------
    row, column : str
        Where the figure stands in the exhibit.
    ours : float, int, str or None
        The computed figure or statement.
    printed : str or None
        The printed one, as printed.
    verdict : Verdict
        The outcome of the comparison.
    reason : str
        Why, or a remark.
    same_input : bool
        False if ours was computed from other data than the printed figure, so that their
        difference means nothing.
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
        """Ours minus printed, if both are numbers and come from the same kind of input."""
        if self.ours is None or isinstance(self.ours, str) or not self.same_input:
            return None
        try:
            number = float(self.printed or "")
        except ValueError:
            return None
        return self.ours - (number if self.decimals else int(number))

    @property
    def decimals(self) -> int:
        """Decimals of the printed figure."""
        return 4 if self.printed is None else _decimals(self.printed)


@dataclass(frozen=True)
class Exhibit:
    """A table or figure of a paper, reproduced.

    Parameters
    ----------
    key : str
        A short name, e.g. "table-2".
    title : str
        What it shows.
    comparisons : tuple of Comparison
        The figures.
    left_open, chosen, outcome : str
        What the paper does not specify, what was chosen here, and the result.
    drawings : tuple of Drawing
        The data of its figures.
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
        """The number of figures with each verdict."""
        return Counter(c.verdict for c in self.comparisons)

    @property
    def fails(self) -> bool:
        """Whether a printed figure was not reproduced."""
        return any(verdict.fails for verdict in self.tally)


@dataclass(frozen=True)
class Study:
    """All exhibits of a paper.

    Parameters
    ----------
    key : str
        The name of the paper on the command line.
    citation, summary : str
        The reference, and what the paper does.
    exhibits : tuple of Exhibit
        The tables and figures.
    """

    key: str
    citation: str
    summary: str
    exhibits: tuple[Exhibit, ...]

    def __getitem__(self, key: str) -> Exhibit:
        return next(exhibit for exhibit in self.exhibits if exhibit.key == key)

    @property
    def tally(self) -> Counter[Verdict]:
        """The number of figures with each verdict."""
        return sum((exhibit.tally for exhibit in self.exhibits), Counter())

    @property
    def fails(self) -> bool:
        """Whether a printed figure was not reproduced."""
        return any(exhibit.fails for exhibit in self.exhibits)


def run_study(key: str, makers: Mapping[str, Maker], setting: Setting) -> Study:
    """Compute and judge all exhibits of a paper."""
    paper = read_paper(key)
    exhibits = (run_exhibit(makers[name], p, setting) for name, p in paper.exhibits.items())
    return Study(key, paper.citation, paper.summary, tuple(exhibits))


def run_exhibit(make: Maker, printed: Printed, setting: Setting) -> Exhibit:
    """Compute an exhibit, judge its figures and fill in its notes."""
    items = list(make(setting, printed))
    comparisons = tuple(judge(item, printed) for item in items if isinstance(item, Ours))
    facts = {"quick": " (quick)" if setting.quick else ""}
    facts |= {item.name: str(item.value) for item in items if isinstance(item, Fact)}
    facts |= _counts(comparisons)
    return Exhibit(
        printed.key,
        printed.note("title"),
        comparisons,
        printed.note("left_open"),
        _filled(printed.note("chosen"), facts),
        _filled(printed.note("outcome"), facts),
        tuple(item for item in items if isinstance(item, Drawing)),
    )


def _counts(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Verdicts counted for the notes: {judged}, {good}, {same} …, if any figure was judged."""
    tally = Counter(c.verdict for c in comparisons)
    judged = sum(n for v, n in tally.items() if v not in (Verdict.NEEDS, Verdict.NONE))
    if not judged:
        return {}
    good = judged - sum(n for v, n in tally.items() if v.fails)
    named = {v.name.lower(): tally[v] for v in Verdict}
    return {k: str(n) for k, n in (named | {"judged": judged, "good": good}).items()}


def _filled(template: str, facts: Mapping[str, str]) -> str:
    """Return a note with its facts, or nothing if this run lacks one of them."""
    try:
        return template.format_map(facts)
    except KeyError:
        return ""


def judge(ours: Ours, printed: Printed) -> Comparison:
    """Compare a computed figure with what is printed and known about it."""
    row = ours.row.replace(f" ({ours.unjudged})", "")
    figure = printed.figure(row, ours.column) if ours.printed is None else ours.printed
    unjudged = _why_not_judged(ours, figure, printed)
    if unjudged is not None:
        verdict = Verdict.NEEDS if ours.value is None else Verdict.NONE
        reason = "; ".join(filter(None, (ours.note, unjudged)))
    else:
        verdict, reason = _verdict(ours, figure, printed)
    value = ours.value if isinstance(ours.value, str | None) else plain(ours.value)
    return Comparison(ours.row, ours.column, value, figure, verdict, reason, not ours.unjudged)


def _why_not_judged(ours: Ours, figure: str | None, printed: Printed) -> str | None:
    """Return the reason why a figure is not judged, or None if it is."""
    if ours.unjudged:
        return ours.unjudged
    if ours.value is None or (figure is None and ours.expected is None):
        return ""
    return printed.not_judged(ours.column)


def _verdict(ours: Ours, figure: str | None, printed: Printed) -> tuple[Verdict, str]:
    if _agrees(ours, figure):
        good = Verdict.SAME if figure is not None else Verdict.DERIVED
        return (good if ours.tolerance is None else Verdict.WITHIN), _reason(ours)
    error = printed.errors.get((ours.row, ours.column))
    if error and (ours.explained if error.right is None else rounds_to(ours.value, error.right)):
        return Verdict[error.verdict], f"{error.reason} {ours.note}".strip()
    bad = Verdict.DIFFERS if ours.tolerance is None else Verdict.OUTSIDE
    return bad, _reason(ours) or "the cause is not known"


def _agrees(ours: Ours, figure: str | None) -> bool:
    if ours.agrees is not None:
        return ours.agrees
    if ours.tolerance is None and ours.expected is None:
        return rounds_to(ours.value, str(figure))
    if isinstance(ours.value, str):
        return ours.value == figure
    target = float(str(figure)) if ours.expected is None else ours.expected
    return abs(float(ours.value or 0.0) - target) <= (ours.tolerance or 0.0) + _ROUNDING


def _reason(ours: Ours) -> str:
    if isinstance(ours.value, str):
        return ours.note
    if ours.tolerance is not None:
        return "; ".join(filter(None, (f"tolerance ±{ours.tolerance:.2g}", ours.note)))
    return ours.note if ours.expected is None else f"derived: {ours.expected:.6g}"


def rounds_to(ours: Value | None, printed: str) -> bool:
    """Return whether a number rounds to the printed one; statements must be equal.

    Examples
    --------
    >>> rounds_to(0.857, "0.86"), rounds_to(0.857, "0.85"), rounds_to("yes", "yes")
    (True, False, True)
    """
    if ours is None or isinstance(ours, str):
        return ours == printed
    half = 0.5 * 10.0 ** -_decimals(printed)
    return abs(ours - float(printed)) <= half + _ROUNDING


def _decimals(printed: str) -> int:
    return len(printed.partition(".")[2])


def plain(number: Any) -> float | int:
    """Return a number as a built-in type; counts stay integers."""
    return int(number) if isinstance(number, Integral) else float(number)


def order_of(values: Mapping[str, float], *, decimals: int | None = None) -> str:
    """Return the names from the lowest value to the highest, with = between equal ones.

    Examples
    --------
    >>> order_of({"b": 0.361, "a": 0.2, "c": 0.364}, decimals=2)
    'a < b = c'
    """
    shown = {k: v if decimals is None else round(v, decimals) for k, v in values.items()}
    ranked = sorted(shown, key=lambda name: shown[name])
    text = ranked[0]
    for before, name in pairwise(ranked):
        text += (" = " if shown[before] == shown[name] else " < ") + name
    return text
