"""Sizes, colours and labels of figures.

The colours are those of Okabe and Ito, some of them darkened for white paper, so that they can be
distinguished with any colour vision; markers and line styles repeat what colours say. All settings
are made on the figure itself: no global state changes. Figures are made by pyplot, so that
notebooks show them; those of pages are not, because they would stay open.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from math import inf, isnan
from textwrap import wrap
from typing import Any, TypeVar

from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from ..formatting import one_line, shorten

INK = "#1f2328"
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b3609b",
    "#c08000",
    "#3a93cf",
)
COLOURS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)))
FAINT = 0.16  # opacity of grid lines
SMALL, TEXT, TITLE = 7.5, 8.5, 10.0
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # no mathematics in names

_Row = TypeVar("_Row")
_browser_width: ContextVar[float] = ContextVar("browser_width", default=inf)
_off_screen: ContextVar[bool] = ContextVar("off_screen", default=False)


@contextmanager
def off_screen() -> Iterator[None]:
    """Draw figures that nobody shows: they are unknown to pyplot, which would keep them open."""
    token = _off_screen.set(True)
    try:
        yield
    finally:
        _off_screen.reset(token)


@contextmanager
def for_browser(width: float) -> Iterator[None]:
    """Draw figures for a page: at most `width` inches wide, their texts drawn by the browser.

    The browser has characters that the fonts of matplotlib lack, so these are kept.
    """
    token = _browser_width.set(width)
    try:
        yield
    finally:
        _browser_width.reset(token)


def plain(text: object) -> str:
    """Return a text from data as one line, with □ for characters that the font lacks."""
    line = one_line(str(text))
    if _browser_width.get() < inf or line.isascii():
        return line
    return drawable(line, "□")


def drawable(text: str, instead: str) -> str:
    """Return a text with another character for those that the font lacks."""
    if text.isascii():
        return text
    known = _characters(tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"]))
    return "".join(c if ord(c) in known else instead for c in text)


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...], _sans: tuple[str, ...]) -> frozenset[int]:
    """Return the characters that the fonts have."""
    wanted = [font_manager.FontProperties(family=[family]) for family in families]
    paths = [font_manager.findfont(font) for font in wanted]
    return frozenset(c for path in paths for c in font_manager.get_font(path).get_charmap())


def short_names(names: Sequence[object], limit: int = 28) -> list[str]:
    """Return shortened names; those that become equal get a number."""
    found = [shorten(plain(name), limit) for name in names]
    return [f"{s} ({i + 1})" if found.count(s) > 1 else s for i, s in enumerate(found)]


def canvas(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    given: dict[str, Any] = {
        "figsize": (min(width, _browser_width.get()), height),
        "dpi": 150,
        "layout": "compressed",
    }
    if _off_screen.get():
        return Figure(**given).add_subplot()
    from matplotlib import pyplot  # chooses how to show figures, which pages do not need

    return pyplot.figure(**given).add_subplot()


def dress(ax: Axes, *, title: str, x: str = "", y: str = "") -> Axes:
    """Set the title, the axis labels and the look of ticks and spines."""
    style: dict[str, Any] = {"color": INK, **PLAIN}
    ax.set_title(_folded(plain(title), ax), fontsize=TITLE, loc="left", **style)
    ax.set_xlabel(plain(x), fontsize=TEXT, **style)
    ax.set_ylabel(plain(y), fontsize=TEXT, **style)
    ax.tick_params(labelsize=TEXT, colors=INK, length=3)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(INK)
        ax.spines[side].set_alpha(2 * FAINT)
    return ax


def _folded(title: str, ax: Axes) -> str:
    """Return a title broken into lines that fit the width of the figure."""
    figure = ax.get_figure(root=True)
    letters = 10.0 * figure.get_figwidth() * ax.get_position().width if figure else 80.0
    return "\n".join(wrap(title, max(int(letters), 12)))


def name_rows(ax: Axes, names: Sequence[object], *, limit: int = 28) -> Axes:
    """Label the vertical axis with names from the top down."""
    ax.grid(axis="x", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_yticks(range(len(names)), short_names(names, limit), fontsize=TEXT, **PLAIN)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def ends(rows: Sequence[_Row], most: int | None) -> list[_Row]:
    """Return the rows at either end where there are more than `most`, else all."""
    if most is None or len(rows) <= most:
        return list(rows)
    first = (most + 1) // 2
    return [*rows[:first], *rows[len(rows) - (most - first) :]]


def whisker(
    ax: Axes,
    y: float,
    figures: tuple[float, float, float],
    *,
    filled: bool,
    colour: str = BLUE,
    marker: str = "o",
) -> None:
    """Draw a score and the ends of its interval, (score, low, high), in row `y`."""
    score, low, high = figures
    shown, width = (colour, 1.6) if filled else (INK, 1.1)
    if not (isnan(low) or isnan(high)):
        ax.plot([low, high], [y, y], color=shown, linewidth=width, solid_capstyle="butt")
    style: dict[str, Any] = {"markeredgecolor": shown, "markeredgewidth": 1.1}
    face = colour if filled else "white"
    ax.plot([score], [y], marker=marker, markersize=5, markerfacecolor=face, linestyle="", **style)


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[object], **options: Any) -> None:
    """Add a legend; names may begin with an underscore, which matplotlib would skip."""
    if not handles:
        return
    given = {
        "fontsize": SMALL,
        "title_fontsize": SMALL,
        "alignment": "left",
        "frameon": False,
        "labelcolor": INK,
        **options,
    }
    box = ax.legend(handles, [str(i) for i in range(len(handles))], **given)
    box.get_title().set_color(INK)
    for text, name in zip(box.get_texts(), short_names(names, 48), strict=True):
        text.set(text=name, **PLAIN)


def tiles(ax: Axes, colours: Any) -> None:
    """Draw a grid of coloured squares; `colours` is `[row, column, RGBA]`, row 0 on top."""
    rows, columns = colours.shape[:2]
    edge = 1.5 if max(rows, columns) <= 20 else 0.0
    ax.pcolormesh(colours, edgecolors="white", linewidth=edge)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    for spine in ax.spines.values():
        spine.set_visible(False)


def name_tiles(
    ax: Axes, rows: Sequence[object], columns: Sequence[object], limit: int, every: int = 1
) -> None:
    """Label the rows and columns of a grid of tiles; long column names are rotated.

    Only the first of `every` so many names is shown.
    """
    across, down = short_names(columns, limit)[::every], short_names(rows, limit)[::every]
    turned = max(map(len, across)) > (4 if len(across) > 6 else 9)
    turn: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style: dict[str, Any] = {"fontsize": TEXT if len(across) <= 15 else SMALL - 1, **PLAIN}
    x, y = ([every * i + 0.5 for i in range(len(names))] for names in (across, down))
    ax.set_xticks(x, across, **style, **(turn if turned else {}))
    ax.set_yticks(y, down, **style)
    ax.tick_params(length=0, colors=INK)


def shade(colour: str, strength: float) -> tuple[float, float, float, float]:
    """Return a colour mixed with white: strength 0 is white, 1 the colour itself."""
    r, g, b = (1 - strength * (1 - c) for c in to_rgb(colour))
    return r, g, b, 1.0


def ink_on(rgba: Any) -> str:
    """Return dark or white, whichever has more contrast with a background."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3]]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if light > 0.215 else "white"
