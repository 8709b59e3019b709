"""Sizes, colours and labels of figures that matplotlib draws.

The colours are those of Okabe and Ito, some of them darkened for white paper, so that they can be
distinguished with any colour vision; markers and line styles repeat what colours say. All settings
are made on the figure itself: no global state changes.
"""

from collections.abc import Sequence
from functools import lru_cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..formatting import one_line, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#1f2328"
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#b3609b",
    "#c08000",
    "#3a93cf",
)
MARKERS = ("o", "s", "^", "D", "v", "P")
LINES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (3, 1)))
FAINT = 0.16  # opacity of grid lines
SMALL, TEXT, TITLE = 7.5, 8.5, 10.0
PLAIN: dict[str, Any] = {"parse_math": False, "usetex": False}  # no mathematics in names

_DOCUMENTED = {
    "measure": """measure : str or Measure, optional
        The measure; the primary one by default.""",
    "best": """most : int, optional
        The number of systems, from the best one; all by default.""",
    "found": """found : Agreement or Judgement
        The outcome of `ordeval.agreement` or `ordeval.judge`.""",
    "data": """data : array_like of shape (n_items,), Result, Counts, JointCounts or table
        Gold labels. Or, without `y_pred`, a result of `evaluate` or `compare`, counts, or a table
        of gold by predicted class.""",
    "ax": """ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.""",
}


def document(function: Any) -> None:
    """Fill in what the documentation of several figures says of their parameters."""
    for name, text in _DOCUMENTED.items():
        function.__doc__ = (function.__doc__ or "").replace(f"{{{name}}}", text)


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


def _folded(title: str, ax: "Axes") -> str:
    """Return a title broken into lines that fit the width of the figure."""
    figure = ax.get_figure(root=True)
    letters = 10.0 * figure.get_figwidth() * ax.get_position().width if figure else 80.0
    return "\n".join(wrap(title, max(int(letters), 12)))


def name_rows(ax: "Axes", names: Sequence[object]) -> None:
    """Label the vertical axis with names from the top down."""
    ax.grid(axis="x", color=INK, alpha=FAINT, linewidth=0.6)
    ax.set_yticks(range(len(names)), short_names(names), fontsize=TEXT, **PLAIN)
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
