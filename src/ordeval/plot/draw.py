"""Draw the figures of `ordeval.report.figures` with matplotlib.

The colours are those of Okabe and Ito, some of them darkened for white paper, so that they can be
distinguished with any colour vision; markers and line styles repeat what colours say. All settings
are made on the figure itself: no global state changes.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InputError
from ..formatting import decimals, one_line, shorten
from ..options import Number
from ..report.figures import Dots, Grid, Lines, Mark, Scatter, Tile

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1f2328"
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#b3609b", "#c08000", "#3a93cf",
)  # fmt: skip
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)))
FAINT = 0.16  # opacity of grid lines
SMALL, TEXT, TITLE = 7.5, 8.5, 10.0
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # no mathematics in names
Width = float | Literal["column", "page"] | None
_NARROW = 3.6  # inches, below which names are short and legends stand below
WIDTHS = {"column": 3.3, "page": 6.9}  # inches
_WIDTH = Number('a number of inches from 1 to 100, "column" or "page"', lambda x: 1 <= x <= 100)
_HUES = {
    **dict.fromkeys(("right", "agree", "win"), BLUE),
    **dict.fromkeys(("wrong", "oppose", "loss"), ORANGE),
}
_GREYS = {"self": (0.82, 0.83, 0.85, 1.0)}
_GREY = (0.94, 0.945, 0.95, 1.0)
_MOST_NUMBERS = 20  # wider grids show colours only
_MOST_NAMED = 26  # of more rows, only some are named
_STEPS = [digit * 10**power for power in range(16) for digit in (1, 2, 5)]


def draw(figure: Dots | Grid | Lines | Scatter, ax: "Axes | None", width: Width) -> "Axes":
    """Draw a figure on axes, or on those of a new figure of a width."""
    draws: dict[type, Any] = {Dots: _dots, Grid: _grid, Lines: _lines, Scatter: _scatter}
    sizes: dict[type, Any] = {Dots: _dots_size, Grid: _grid_size}
    across, height = sizes.get(type(figure), lambda _: (6.5, 3.6))(figure)
    if width is not None:
        inches = _inches(width, ax)
        if not isinstance(figure, Dots):  # whose rows keep their height
            height = max(height * min(1.0, inches / across) ** 0.7, 2.6)
        across = inches
    drawn: Axes = draws[type(figure)](figure, canvas(ax, across, height))
    if width is not None:
        _fit(drawn)
    return drawn


def _fit(ax: "Axes") -> None:
    """Fit title, label and numbers in tiles to the width of the axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # after which the size of the axes is known
    points = 72 * ax.get_window_extent().width / figure.dpi
    for text in ax.texts:
        if text.get_horizontalalignment() == "center":  # in a tile
            longest = max(map(len, text.get_text().split("\n")))
            tile = points / (ax.get_xlim()[1] - ax.get_xlim()[0])
            text.set_fontsize(min(text.get_fontsize(), tile / (0.7 * longest)))
    _entitle(ax, ax.get_title(loc="left"), ax.get_xlabel(), points)


def _dots_size(figure: Dots) -> tuple[float, float]:
    return 6.5, 1.0 + 0.24 * len(figure.marks)


def _dots(figure: Dots, ax: "Axes") -> "Axes":
    if all(map(isfinite, figure.band)):
        ax.axvspan(*figure.band, color=BLUE, alpha=0.12, lw=0)
    for place in filter(isfinite, (figure.line, *figure.lines)):
        ax.axvline(place, color=INK, linewidth=0.8, linestyle=":")
    for y, mark in enumerate(figure.marks):
        _mark(ax, mark, y)
    ax.set_xlim(*figure.span)
    dress(ax, title=figure.title, x=figure.label)
    name_rows(ax, [mark.name for mark in figure.marks])
    return ax


def _mark(ax: "Axes", mark: Mark, y: int) -> None:
    spread = isfinite(mark.tick)
    colour = {"hollow": INK, "model": VERMILION, "mean": VERMILION}.get(mark.kind, BLUE)
    line: dict[str, Any] = {"solid_capstyle": "butt"}
    if isfinite(mark.low) and isfinite(mark.high):
        width = 1.1 if mark.kind == "hollow" else 1.6
        thin: dict[str, Any] = {"color": colour, "linewidth": width}
        thin = {"color": INK, "alpha": 0.45, "linewidth": 0.9} if spread else thin
        ax.plot([mark.low, mark.high], [y, y], **thin, **line)
    if all(map(isfinite, mark.inner)):
        ax.plot(mark.inner, [y, y], color=BLUE, alpha=0.6, linewidth=5, **line)
    if spread:
        ax.plot([mark.tick, mark.tick], [y - 0.3, y + 0.3], color=INK, linewidth=1.4)
    if mark.dots:
        style: dict[str, Any] = {"marker": "o", "markersize": 3.5, "alpha": 0.75, "linestyle": ""}
        ax.plot(mark.dots, [y] * len(mark.dots), color=INK, **style)
    if isfinite(mark.value):
        style = {"markeredgecolor": colour, "markeredgewidth": 1.1, "linestyle": ""}
        face = "white" if mark.kind == "hollow" else colour
        marker, size = "s" if mark.kind == "model" else "o", 3.5 if spread else 5
        ax.plot([mark.value], [y], marker=marker, markersize=size, markerfacecolor=face, **style)


def _grid_size(figure: Grid) -> tuple[float, float]:
    rows, columns = len(figure.rows), len(figure.columns)
    longest = min(max(len(plain(name)) for name, _ in figure.rows), 28)
    side = min(0.62 * columns, 6.0) if columns > 3 else 0.8 * columns
    return side + 1.0 + 0.07 * longest, min(0.62 * rows, 6.0) + 1.2


def _grid(figure: Grid, ax: "Axes") -> "Axes":
    """Draw tiles; with many of them there are no numbers, and not every one is named."""
    rows, columns = len(figure.rows), len(figure.columns)
    names = [name for name, _ in figure.rows]
    colours = np.array([[_colour(tile, columns) for tile in tiles] for _, tiles in figure.rows])
    edge = 1.5 if max(rows, columns) <= _MOST_NUMBERS else 0.0
    ax.pcolormesh(colours, edgecolors="white", linewidth=edge)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    dress(ax, title=figure.title)
    for spine in ax.spines.values():
        spine.set_visible(False)
    _name_tiles(ax, names, figure.columns)
    if columns <= _MOST_NUMBERS:
        _write_tiles(ax, figure, colours)
    if "→" in figure.corner:
        down, across = figure.corner.removesuffix(" →").split(" ↓ ")
        ax.set_ylabel(plain(down), fontsize=TEXT, color=INK, **PLAIN)
        ax.set_xlabel(plain(across), fontsize=TEXT, color=INK, **PLAIN)
    return ax


def _write_tiles(ax: "Axes", figure: Grid, colours: Any) -> None:
    few = len(figure.columns) <= 9
    size = TEXT if few else SMALL - 1.5
    style: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size, **PLAIN}
    for i, (_, tiles) in enumerate(figure.rows):
        for j, tile in enumerate(tiles):
            text = f"{tile.text}\n{tile.under}".strip() if few else tile.text
            if text and (few or text != "0"):
                ax.text(j + 0.5, i + 0.5, text, color=ink_on(colours[i, j]), **style)


def _colour(tile: Tile, columns: int) -> tuple[float, float, float, float]:
    if tile.kind not in _HUES:
        return _GREYS.get(tile.kind, _GREY)
    strength = 0.55 if tile.kind in ("win", "loss") else tile.shade
    return shade(_HUES[tile.kind], strength**0.5 if columns > _MOST_NUMBERS else strength)


def _name_tiles(ax: "Axes", rows: Any, columns: Any) -> None:
    """Label rows and columns; long names of columns are turned, and of many only some are shown."""
    x, across = _some(columns, 28 if len(columns) <= 9 else 16)
    y, down = _some(rows, 18 if _is_narrow(ax) else 28)
    turned = max(map(len, across)) > (4 if len(across) > 6 else 9)
    turn: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style: dict[str, Any] = {"fontsize": TEXT if len(across) <= 15 else SMALL - 1, **PLAIN}
    ax.set_xticks(x, across, **style, **(turn if turned else {}))
    ax.set_yticks(y, down, **style)
    ax.tick_params(length=0, colors=INK)


def _some(names: Sequence[str], limit: int) -> tuple[list[float], list[str]]:
    """Return the places of names that are shown, and these in short."""
    every = next(step for step in _STEPS if len(names) <= step * _MOST_NAMED)
    return [i + 0.5 for i in range(0, len(names), every)], short_names(names, limit)[::every]


def _scatter(figure: Scatter, ax: "Axes") -> "Axes":
    across, up = figure.spans
    for level in figure.levels:
        if isfinite(level.low):
            ax.axhspan(level.low, level.high, color=BLUE, alpha=0.12, lw=0)
        if isfinite(level.value):
            ax.axhline(level.value, color=INK, linewidth=0.8, linestyle=":")
            name = f"{level.name} {decimals(level.value, 2, minus='−')}"
            place: dict[str, Any] = {"xytext": (4, 0), "textcoords": "offset points"}
            place |= {"xycoords": ax.get_yaxis_transform(), "va": "center"}
            ax.annotate(name, (1.0, level.value), fontsize=SMALL, color=INK, **place)
    x, y, _ = zip(*figure.points, strict=True)
    areas = [(13 * size) ** 2 for size in figure.sizes]
    ax.scatter(x, y, areas, color=BLUE, alpha=0.6, linewidth=0)
    ax.set(xlim=across, ylim=up)
    ax.grid(color=INK, alpha=FAINT, linewidth=0.6)
    return dress(ax, title=figure.title, x=figure.x, y=figure.y)


def _lines(figure: Lines, ax: "Axes") -> "Axes":
    handles: list[Any] = []
    named = [series for series in figure.series if not series.faint]
    if figure.bars:
        x = range(len(figure.bars))
        handles.append(ax.bar(x, figure.bars, width=0.8, color=INK, alpha=FAINT, linewidth=0))
    for series in (s for s in figure.series if s.faint):
        ax.plot(series.x, series.y, color=INK, alpha=0.25, linewidth=0.7)
    for i, series in enumerate(named):
        style: Any = {"color": COLOURS[i], "linestyle": LINES[i], "linewidth": 1.6}
        places = np.asarray(series.x, dtype=float)
        if figure.names:
            places = places + (i - (len(named) - 1) / 2) * 0.6 / max(len(named), 2)
        if figure.names or series.is_point:
            style = {"color": COLOURS[i], "linestyle": "", "marker": MARKERS[i], "markersize": 6}
        handles += ax.plot(places, series.y, **style)
        if figure.filled:
            ax.fill_between(places, series.y, color=COLOURS[i], alpha=0.15, linewidth=0)
    ax.grid(axis="y" if figure.names else "both", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_ylim(*figure.ylim)
    if figure.names:
        ax.set_xticks(
            range(len(figure.names)), short_names(figure.names, 14), fontsize=TEXT, **PLAIN
        )
    else:
        ax.set_xlim(*figure.xlim)
    height, name = figure.level
    if isfinite(height):
        ax.axhline(height, color=INK, linewidth=0.8, linestyle=":")
        above: dict[str, Any] = {"xytext": (2, 3), "textcoords": "offset points"}
        ax.annotate(name, (figure.xlim[0], height), fontsize=SMALL, color=INK, **above)
    names = [*(["gold"] if figure.bars else []), *(series.name for series in named)]
    dress(ax, title=figure.title, x=figure.x, y=figure.y)
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.24), "ncols": 2}
    place = below if _is_narrow(ax) else {"loc": "best"}
    legend(ax, handles, names, title=figure.legend or None, **place)
    return ax


# Sizes, colours and labels.


def _inches(width: float | str, ax: object) -> float:
    """Return the width of a new figure."""
    if ax is not None:
        raise InputError("width is for a new figure; leave out width or ax.", parameter="width")
    if isinstance(width, str) and width in WIDTHS:
        return WIDTHS[width]
    _WIDTH("width", width)
    return float(width)


def canvas(ax: "Axes | None", width: float, height: float) -> "Axes":
    """Return the axes given, or those of a new figure of pyplot, of this size in inches."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise InputError(
            "Figures need matplotlib, which is not installed.",
            hint='Install it with `pip install "ordeval[plot]"`.',
        ) from None
    return pyplot.figure(figsize=(width, height), dpi=150, layout="compressed").add_subplot()


def plain(text: object) -> str:
    """Return a text from data as one line, with □ for characters that the font lacks."""
    line = one_line(str(text))
    if line.isascii():
        return line
    from matplotlib import rcParams

    known = _characters(tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"]))
    return "".join(c if ord(c) in known else "□" for c in line)


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...], _sans: tuple[str, ...]) -> frozenset[int]:
    """Return the characters that the fonts have."""
    from matplotlib import font_manager

    wanted = [font_manager.FontProperties(family=[family]) for family in families]
    paths = [font_manager.findfont(font) for font in wanted]
    return frozenset(c for path in paths for c in font_manager.get_font(path).get_charmap())


def short_names(names: Sequence[object], limit: int = 28) -> list[str]:
    """Return shortened names; those that become equal get a number."""
    short = [shorten(plain(name), limit) for name in names]
    return [f"{s} ({i + 1})" if short.count(s) > 1 else s for i, s in enumerate(short)]


def dress(ax: "Axes", *, title: str, x: str = "", y: str = "") -> "Axes":
    """Set the title, the axis labels and the look of ticks and spines."""
    figure = ax.get_figure(root=True)
    width = figure.get_figwidth() * ax.get_position().width if figure else 8.0
    _entitle(ax, plain(title), plain(x), 72 * width)
    ax.set_ylabel(plain(y), fontsize=TEXT, color=INK, **PLAIN)
    ax.tick_params(labelsize=TEXT, colors=INK, length=3)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
        ax.spines[side].set_alpha(2 * FAINT)
    return ax


def _entitle(ax: "Axes", title: str, x: str, points: float) -> None:
    """Write the title and the label below in lines that fit a width."""
    style: dict[str, Any] = {"color": INK, **PLAIN}
    ax.set_title(_folded(title, points / (0.72 * TITLE)), fontsize=TITLE, loc="left", **style)
    ax.set_xlabel(_folded(x, points / (0.6 * TEXT)), fontsize=TEXT, **style)


def _folded(text: str, letters: float) -> str:
    """Return a text broken into lines."""
    return "\n".join(wrap(text, max(int(letters), 12)))


def _is_narrow(ax: "Axes") -> bool:
    figure = ax.get_figure(root=True)
    return figure is not None and figure.get_figwidth() < _NARROW


def name_rows(ax: "Axes", names: Sequence[object]) -> None:
    """Label the vertical axis with names from the top down."""
    ax.grid(axis="x", color=INK, alpha=FAINT, linewidth=0.6)
    short = short_names(names, 18 if _is_narrow(ax) else 28)
    ax.set_yticks(range(len(names)), short, fontsize=TEXT, **PLAIN)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def legend(ax: "Axes", handles: Sequence[Any], names: Sequence[object], **options: Any) -> None:
    """Add a legend; names may begin with an underscore, which matplotlib would skip."""
    settings = {
        "fontsize": SMALL,
        "title_fontsize": SMALL,
        "alignment": "left",
        "frameon": False,
        "labelcolor": INK,
        **options,
    }
    box = ax.legend(handles, [str(i) for i in range(len(handles))], **settings)
    box.get_title().set_color(INK)
    for text, name in zip(box.get_texts(), short_names(names, 48), strict=True):
        text.set(text=name, **PLAIN)


def shade(colour: str, strength: float) -> tuple[float, float, float, float]:
    """Return a colour mixed with white: strength 0 is white, 1 the colour itself."""
    from matplotlib.colors import to_rgb

    r, g, b = (1 - strength * (1 - c) for c in to_rgb(colour))
    return r, g, b, 1.0


def ink_on(rgba: Any) -> str:
    """Return dark or white, whichever has more contrast with a background."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3]]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if light > 0.215 else "white"
