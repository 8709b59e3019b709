"""What all HTML pages share: templates, style, policy and figures.

A page is one file that needs no network (its policy forbids it) and can be read without
JavaScript, on paper, on small screens and in dark mode. Texts from data are escaped by the
template engine.

Figures are SVG that follows the colours of the page. They are drawn by a renderer of their own,
because the settings of matplotlib that `savefig` would need are those of the whole process: texts
stay texts in the font of the page, and are never read as mathematics. The SVG is then rewritten:
ink becomes the text colour (so that figures follow dark mode), metadata and style elements are
removed, and ids are numbered under a prefix, so that the same figure gives the same bytes and no
two figures share an id.
"""

import base64
import hashlib
import io
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from math import cos, radians, sin
from threading import Lock
from typing import Any
from xml.etree import ElementTree

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backend_bases import FigureCanvasBase
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.colors import rgb2hex

from .._version import __version__
from ..formatting import decimals
from ..plot.style import INK, drawable, for_browser, off_screen
from ..table import Cell
from .story import END, STRONG

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
WIDTH = 5.4  # inches; wider figures would be too small to read on a phone
_DPI = 72  # SVG counts in points
_POINTS = 4 / 3  # CSS pixels in a point
_DROPPED = {f"{_SVG}metadata", f"{_SVG}style"}
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_PLAIN = re.compile(r"-?\d+(\.\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_ANCHORS = {"left": (0.0, "start"), "center": (0.5, "middle"), "right": (1.0, "end")}
_DRAWING = Lock()  # matplotlib is not safe to be used from several threads: one figure at a time


def render(template: str, sections: Iterable[tuple[str, str]], **page: Any) -> str:
    """Return a page from a template; `sections` are (anchor, name) of the contents."""
    style, script = _asset("style.css"), _asset("script.js")
    page |= {"policy": _policy(style, script), "style": Markup(style), "script": Markup(script)}
    found = _templates().get_template(template)
    return str(found.render(sections=list(sections), version=__version__, **page))


def _policy(style: str, script: str) -> str:
    """Return a policy that allows the style and the script of the page, and no others.

    Style attributes, which hold numbers, cannot be told by their hash. Browsers that do not know
    of style-src-elem and style-src-attr fall back to style-src.
    """
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src 'unsafe-inline'; "
        f"style-src-elem {_digest(style)}; style-src-attr 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"


def _asset(name: str) -> str:
    return files("ordeval.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("ordeval.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters |= {"emphasised": emphasised, "decimals": decimals, "sorting": sorting}
    compact = {"ensure_ascii": False, "separators": (",", ":")}
    found.policies["json.dumps_kwargs"] = compact
    return found


def sorting(cell: Cell) -> str:
    """Return the number by which a cell is sorted; empty if that is what its text says."""
    value = cell.value
    if not isinstance(value, int | float) or value != value:
        return ""
    number = f"{value:.7g}"
    plain = cell.text.replace("−", "-").replace(",", "")
    is_number = _PLAIN.fullmatch(plain) is not None
    return "" if is_number and float(plain) == float(number) else number


def emphasised(sentence: str) -> Markup:
    """Return a sentence of `story` as HTML, with names in emphasis."""
    text = str(escape(sentence))
    return Markup(text.replace(STRONG, "<strong>").replace(END, "</strong>"))


def png(draw: Callable[[], Axes], *, alt: str) -> Markup:
    """Return a figure as a picture inside the page."""
    out = io.BytesIO()
    with _DRAWING, off_screen():
        figure: Any = draw().figure
        figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    data = base64.b64encode(out.getvalue()).decode("ascii")
    return Markup('<img class="card" src="data:image/png;base64,{}" alt="{}">').format(data, alt)


def svg(draw: Callable[[], Axes], *, alt: str, name: str) -> Markup:
    """Return a figure as an SVG element; `name` is the prefix of its ids."""
    root = ElementTree.fromstring(_saved(draw))
    _drop(root)
    _renumber(root, name)
    for element in root.iter():
        _restyle(element)
    width = float(root.attrib["viewBox"].split()[2]) * _POINTS
    root.attrib = {
        "viewBox": root.attrib["viewBox"],
        "role": "img",
        "aria-label": alt,
        "class": "plot",
        "style": f"--w:{width:.0f}px",
    }
    text = ElementTree.tostring(root, encoding="unicode")
    return Markup(text.replace("ns0:", "").replace(":ns0=", "="))


class _Renderer(RendererSVG):
    """Writes texts as texts and reads no mathematics, whatever the settings of matplotlib are."""

    def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> Any:
        """Return the size of a text; characters that the font lacks are as wide as an M."""
        measure: Any = super().get_text_width_height_descent
        return measure(drawable(s, "M"), prop, False)

    def draw_text(
        self,
        gc: Any,
        x: float,
        y: float,
        s: str,
        prop: Any,
        angle: float,
        ismath: Any = False,
        mtext: Any = None,
    ) -> None:
        """Write a text, which keeps its place if the font of the browser is wider or narrower."""
        share, anchor = _ANCHORS[mtext.get_horizontalalignment() if mtext else "left"]
        width = self.get_text_width_height_descent(s, prop, False)[0]
        x += share * width * cos(radians(angle))
        y -= share * width * sin(radians(angle))
        style = {
            "fill": rgb2hex(gc.get_rgb()),
            "fill-opacity": f"{gc.get_alpha():g}",
            "font-size": f"{prop.get_size_in_points():g}",
            "text-anchor": anchor,
        }
        place = {"x": f"{x:.2f}", "y": f"{y:.2f}"}
        if angle:
            place["transform"] = f"rotate({-angle:g} {x:.2f} {y:.2f})"
        usual = {"fill-opacity: 1", "text-anchor: start"}
        given = [part for key, value in style.items() if (part := f"{key}: {value}") not in usual]
        writer: Any = self.writer
        writer.element("text", s, attrib={**place, "style": "; ".join(given)})

    def draw_tex(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, *, mtext: Any = None
    ) -> None:
        """Write a text that the settings of matplotlib would give to LaTeX."""
        self.draw_text(gc, x, y, s, prop, angle, mtext=mtext)


class _Canvas(FigureCanvasBase):
    """Lets the layout measure texts with the renderer that will write them."""

    def __init__(self, figure: Any, out: io.StringIO) -> None:
        super().__init__(figure)
        figure.set_dpi(_DPI)
        width, height = figure.get_size_inches() * _DPI
        renderer: Any = _Renderer  # without types
        self._renderer = renderer(width, height, out, image_dpi=_DPI)

    def get_renderer(self) -> Any:
        """Return the renderer."""
        return self._renderer


def _saved(draw: Callable[[], Axes]) -> str:
    """Return a figure as SVG, with texts as texts and without a background."""
    out = io.StringIO()
    with _DRAWING, for_browser(WIDTH), off_screen():
        figure: Any = draw().figure
        for part in (figure, *figure.axes):
            part.patch.set_visible(False)
        for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
            _write_plainly(axis.get_major_formatter())
        renderer = _Canvas(figure, out).get_renderer()
        figure.draw(renderer)
        renderer.finalize()
    return out.getvalue()


def _write_plainly(formatter: Any) -> None:
    """Let the numbers of an axis be plain text, whatever the settings of matplotlib are."""
    for name in ("set_usetex", "set_useMathText"):
        if hasattr(formatter, name):
            getattr(formatter, name)(False)


def _drop(parent: ElementTree.Element) -> None:
    for child in list(parent):
        if child.tag in _DROPPED:
            parent.remove(child)
        else:
            _drop(child)


def _renumber(root: ElementTree.Element, name: str) -> None:
    """Keep only the ids that are referred to, numbered under `name`."""
    used = {e.attrib[_LINK][1:] for e in root.iter() if _LINK in e.attrib}
    used |= {m for e in root.iter() for v in e.attrib.values() for m in _REFERENCE.findall(v)}
    new: dict[str, str] = {}
    for element in root.iter():
        old = element.attrib.pop("id", None)
        if old in used:
            element.attrib["id"] = new.setdefault(str(old), f"{name}-{len(new)}")
    for element in root.iter():
        if _LINK in element.attrib:
            element.attrib["href"] = "#" + new[element.attrib.pop(_LINK)[1:]]
        for key, value in element.attrib.items():
            element.attrib[key] = _REFERENCE.sub(lambda m: f"url(#{new[m[1]]})", value)


def _restyle(element: ElementTree.Element) -> None:
    """Turn style declarations into attributes, and shorten numbers."""
    declared = element.attrib.pop("style", "")
    for part in filter(None, map(str.strip, declared.split(";"))):
        key, _, value = part.partition(":")
        _declare(element, key.strip(), value.strip())
    for key in ("d", "x", "y", "transform", "width", "height", "points"):
        if key in element.attrib:
            short = _NUMBER.sub(
                lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), element.attrib[key]
            )
            element.attrib[key] = " ".join(short.split())
    if element.text is not None and not element.text.strip():
        element.text = None
    element.tail = None


def _declare(element: ElementTree.Element, key: str, value: str) -> None:
    if key in ("fill", "stroke") and value.lower() == INK:
        element.attrib[key] = "currentColor"
    else:
        element.attrib[key] = value
