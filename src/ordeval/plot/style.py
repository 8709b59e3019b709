"""How figures look: sizes, colours, and texts that come from data.

Colours are those of Okabe and Ito, darkened where white paper needs it, so that readers with any
colour vision can tell them apart; a marker or a line style always says the same thing again.
Figures are made without pyplot: nothing global is changed.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from math import inf
from textwrap import wrap
from typing import Any

from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..errors import InputError
from ..report.formats import one_line

INK = "#1f2328"
BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b3609b",
    "#c08000",
    "#3a93cf",
)
COLOURS = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY)
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)))
FAINT = 0.16  # opacity of grid lines and other furniture
SMALL, TEXT, TITLE = 7.5, 8.5, 10.0
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # a $ in a name is a $

_keep_every_character: ContextVar[bool] = ContextVar("keep_every_character", default=False)
_widest: ContextVar[float] = ContextVar("widest", default=inf)


@contextmanager
def every_character() -> Iterator[None]:
    """Keep characters that the font lacks: for figures whose texts another program will draw."""
    token = _keep_every_character.set(True)
    try:
        yield
    finally:
        _keep_every_character.reset(token)


@contextmanager
def at_most(width: float) -> Iterator[None]:
    """Make new figures no wider than so many inches: for pages that small screens show."""
    token = _widest.set(width)
    try:
        yield
    finally:
        _widest.reset(token)


def plain(text: object) -> str:
    """A text from data as one line, □ standing for characters that the font cannot draw."""
    line = one_line(str(text))
    if _keep_every_character.get() or line.isascii():
        return line
    drawable = _characters(tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"]))
    return "".join(c if ord(c) in drawable else "□" for c in line)


@lru_cache(maxsize=8)
def _characters(families: tuple[str, ...], _sans: tuple[str, ...]) -> frozenset[int]:
    """The characters that the fonts in use can draw."""
    wanted = [font_manager.FontProperties(family=[family]) for family in families]
    paths = [font_manager.findfont(font) for font in wanted]
    return frozenset(c for path in paths for c in font_manager.get_font(path).get_charmap())


def shorten(text: str, limit: int = 28) -> str:
    """A long text with its middle left out: names often differ at the end."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 3
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :]}"


def short_names(names: Sequence[object], limit: int = 28) -> list[str]:
    """Names to be drawn; those that shortening makes alike get their number."""
    found = [shorten(plain(name), limit) for name in names]
    return [f"{s} ({i + 1})" if found.count(s) > 1 else s for i, s in enumerate(found)]


def canvas(ax: Axes | None, width: float, height: float) -> Axes:
    """The axes given, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    size = min(width, _widest.get()), height
    return Figure(figsize=size, dpi=150, layout="compressed").add_subplot()


def dress(ax: Axes, *, title: str, x: str = "", y: str = "") -> Axes:
    """Title, axis labels and furniture."""
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
    """A title on as many lines as the width of the figure asks for."""
    figure = ax.get_figure(root=True)
    letters = 10.0 * figure.get_figwidth() * ax.get_position().width if figure else 80.0
    return "\n".join(wrap(title, max(int(letters), 12)))


def name_rows(ax: Axes, names: Sequence[object], *, limit: int = 28) -> Axes:
    """Name the places 0, 1, … of the vertical axis from the top down; lines guide the eye."""
    ax.grid(axis="x", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_yticks(range(len(names)), short_names(names, limit), fontsize=TEXT, **PLAIN)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax


def legend(ax: Axes, handles: Sequence[Any], names: Sequence[object], **options: Any) -> None:
    """A legend with names as they are, also where they begin with an underscore."""
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
    """A grid of coloured squares; `colours` is `[row, column, RGBA]`, row 0 on top."""
    rows, columns = colours.shape[:2]
    edge = 1.5 if max(rows, columns) <= 20 else 0.0
    ax.pcolormesh(colours, edgecolors="white", linewidth=edge)
    ax.set(xlim=(0, columns), ylim=(rows, 0), aspect="equal")
    for spine in ax.spines.values():
        spine.set_visible(False)


def name_tiles(ax: Axes, rows: Sequence[object], columns: Sequence[object], limit: int) -> None:
    """Name the rows and columns of a grid of tiles; long column names stand upright."""
    across = short_names(columns, limit)
    turned = max(map(len, across)) > (4 if len(across) > 6 else 9)
    turn: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    style: dict[str, Any] = {"fontsize": TEXT if len(across) <= 15 else SMALL - 1, **PLAIN}
    ax.set_xticks(
        [i + 0.5 for i in range(len(across))], across, **style, **(turn if turned else {})
    )
    ax.set_yticks([i + 0.5 for i in range(len(rows))], short_names(rows, limit), **style)
    ax.tick_params(length=0, colors=INK)


def shade(colour: str, strength: float) -> tuple[float, float, float, float]:
    """A colour mixed with white: strength 0 is white, 1 the colour itself."""
    from matplotlib.colors import to_rgb

    r, g, b = (1 - strength * (1 - c) for c in to_rgb(colour))
    return r, g, b, 1.0


def ink_on(rgba: Any) -> str:
    """Dark or white ink, whichever stands out more."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3]]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if light > 0.215 else "white"


def need(value: Any, message: str) -> Any:
    """The value, or an error that says what is missing."""
    if value is None:
        raise InputError(message)
    return value
