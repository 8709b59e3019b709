"""Figures as data: what is drawn, without how.

Pages draw them as HTML and SVG (`ordeval.report.svg`), notebooks with matplotlib (`ordeval.plot`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor, isfinite, log10, nan
from typing import TypeVar

from ..formatting import decimals

WIDEST = 12  # columns of a grid that fit on paper; wider ones show marks instead of numbers
MOST_SERIES = 6  # lines that colours and dashes tell apart

_Row = TypeVar("_Row")


@dataclass(frozen=True)
class Tile:
    """A cell of a heat map: a text, a second line, and the strength of its colour from 0 to 1.

    `kind` gives the colour: blue for "right", "agree" and "win", orange for "wrong", "oppose" and
    "loss", else grey. `opens` are the items that a page shows for it.
    """

    text: str
    under: str = ""
    shade: float = 0.0
    kind: str = ""
    hint: str = ""
    opens: str = ""


@dataclass(frozen=True)
class Grid:
    """A heat map: `rows` are (name, tiles). Compact ones have many columns, which are numbered."""

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Tile, ...]], ...]
    compact: bool = False
    upright: bool = False  # names of columns are written upright
    caption: str = ""


@dataclass(frozen=True)
class Mark:
    """A row of a dot plot: a dot at `value`, a thin line `low` to `high`, a thick one `inner`.

    `kind` is "filled", "hollow" or "model" (a square); `tick` is a short upright line, and `dots`
    are small dots.
    """

    name: str
    value: float = nan
    low: float = nan
    high: float = nan
    kind: str = "filled"
    inner: tuple[float, float] = (nan, nan)
    tick: float = nan
    dots: tuple[float, ...] = ()


@dataclass(frozen=True)
class Dots:
    """A dot plot with a row per name; `band` is shaded, `line` and `lines` are upright lines."""

    title: str
    label: str
    marks: tuple[Mark, ...]
    caption: str = ""
    band: tuple[float, float] = (nan, nan)
    line: float = nan
    lines: tuple[float, ...] = ()  # more upright lines
    least: tuple[float, ...] = ()  # numbers that the axis includes in any case

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        known = [mark for mark in self.marks if isfinite(mark.value)]
        some = [f"{mark.name} {decimals(mark.value, 3)}" for mark in (known[:3] + known[-1:])]
        names = f": {', '.join(dict.fromkeys(some))}" if some else ""
        return f"{self.title}, {len(self.marks)} rows{names}; a table has the numbers."

    @property
    def span(self) -> tuple[float, float]:
        """The ends of the axis."""
        numbers = [
            x for m in self.marks for x in (m.value, m.low, m.high, m.tick, *m.inner, *m.dots)
        ]
        return padded([*numbers, *self.band, self.line, *self.lines, *self.least])


@dataclass(frozen=True)
class Series:
    """A line, or points, by name; faint lines have no name in the legend, one place is a point."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    faint: bool = False

    @property
    def is_point(self) -> bool:
        """Whether there is one place."""
        return len(self.x) == 1


@dataclass(frozen=True)
class Lines:
    """Curves, or points over the classes that `names` has, beside bars of gold."""

    title: str
    x: str
    y: str
    series: tuple[Series, ...]
    caption: str = ""
    names: tuple[str, ...] = ()
    bars: tuple[float, ...] = ()
    level: tuple[float, str] = (nan, "")  # a dotted line at this height, with its name
    xlim: tuple[float, float] = (0.0, 1.0)
    ylim: tuple[float, float] = (0.0, 1.0)
    legend: str = ""
    filled: bool = False

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        names = [series.name for series in self.series if not series.faint]
        return f"{self.title}, {self.y} by {self.x}: {', '.join(names)}; a table has the numbers."


@dataclass(frozen=True)
class Level:
    """A line across a plot at a height, with its name and the band of its interval."""

    name: str
    value: float
    low: float = nan
    high: float = nan


@dataclass(frozen=True)
class Scatter:
    """Dots at (x, y), as large as the number of items there, and lines across."""

    title: str
    x: str
    y: str
    points: tuple[tuple[float, float, float], ...]
    levels: tuple[Level, ...]
    caption: str = ""

    @property
    def alt(self) -> str:
        """What the figure shows, for those who cannot see it."""
        levels = [f"{level.name} {decimals(level.value, 3)}" for level in self.levels]
        return f"{self.title}, {self.y} by {self.x}: {', '.join(levels)}."

    @property
    def spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The ends of both axes."""
        heights = [end for level in self.levels for end in (level.value, level.low, level.high)]
        low, high = padded([x for x, _, _ in self.points])
        room = 0.05 * (high - low)  # for large dots
        return (low - room, high + room), padded([*(y for _, y, _ in self.points), *heights])

    @property
    def sizes(self) -> list[float]:
        """The radii of the dots, from 0 to 1: their areas are as the numbers of items."""
        most = max((n for _, _, n in self.points), default=1.0)
        least = 0.25 if most > 1 else 0.3
        return [max((n / most) ** 0.5, least) if most > 1 else least for _, _, n in self.points]


@dataclass(frozen=True)
class Bars:
    """A chart of horizontal bars: `rows` are (name, tile), as long as the tile is strong."""

    title: str
    rows: tuple[tuple[str, Tile], ...]


def padded(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the span of the finite numbers with a margin, never empty."""
    finite = [float(x) for x in numbers if isfinite(x)] or [0.0, 1.0]
    low, high = min(finite), max(finite)
    margin = 0.04 * (high - low) if high - low > 1e-9 else 0.5
    return low - margin, high + margin


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two ends.

    >>> ticks(0.13, 0.88)
    [0.2, 0.4, 0.6, 0.8]
    """
    raw = (high - low) / most
    power = 10.0 ** floor(log10(raw))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= raw)
    first = -floor(-low / step)
    return [round(i * step, 12) for i in range(first, floor(high / step) + 1)]


def ends(rows: Sequence[_Row], most: int | None) -> list[_Row]:
    """Return the rows at either end where there are more than `most`, else all."""
    if most is None or len(rows) <= most:
        return list(rows)
    first = (most + 1) // 2
    return [*rows[:first], *rows[len(rows) - (most - first) :]]


def lower_half(grid: Grid) -> Grid:
    """Return a symmetric grid without what is above its diagonal, if it is compact."""
    if not grid.compact:
        return grid
    return replace(grid, rows=tuple((n, row[: 1 + i]) for i, (n, row) in enumerate(grid.rows)))
