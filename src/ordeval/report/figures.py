"""Figures inside a page: small SVG that follows the page's colours, or a picture.

matplotlib's SVG is rewritten: texts stay texts in the page's own font, ink becomes the text
colour (so that figures turn with dark mode), metadata and style elements go, and ids are numbered
under a prefix, so that the same figure gives the same bytes and never clashes with another.
"""

import base64
import io
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup
from matplotlib import rc_context
from matplotlib.axes import Axes

from ..plot.style import INK, at_most, every_character

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_WIDTH = 5.4  # inches: wider figures would be too small to read on a phone
_POINTS = 4 / 3  # CSS pixels in a point
_DROPPED = {f"{_SVG}metadata", f"{_SVG}style"}
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def svg(draw: Callable[[], Axes], *, alt: str, name: str) -> Markup:
    """The figure that `draw` makes, as an SVG element; `name` begins its ids."""
    out = io.StringIO()
    with _drawing(), at_most(_WIDTH):
        figure: Any = draw().figure
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    root = ElementTree.fromstring(out.getvalue())
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


def png(draw: Callable[[], Axes], *, alt: str) -> Markup:
    """The figure that `draw` makes, as a picture inside the page."""
    out = io.BytesIO()
    with _drawing():
        figure: Any = draw().figure
        figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    data = base64.b64encode(out.getvalue()).decode("ascii")
    return Markup('<img class="card" src="data:image/png;base64,{}" alt="{}">').format(data, alt)


@contextmanager
def _drawing() -> Iterator[None]:
    """Settings of the moment; the browser has glyphs that matplotlib's font lacks."""
    options: dict[Any, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": "ordeval",
        "text.usetex": False,
    }
    with rc_context(options), every_character(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"Glyph \d+", category=UserWarning)
        yield


def _drop(parent: ElementTree.Element) -> None:
    for child in list(parent):
        if child.tag in _DROPPED:
            parent.remove(child)
        else:
            _drop(child)


def _renumber(root: ElementTree.Element, name: str) -> None:
    """Keep only ids that something refers to, numbered under `name`."""
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
    """Style declarations as attributes, ink as the page's text colour, short numbers."""
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
    if key == "font":
        size = re.search(r"([\d.]+)px", value)
        element.attrib["font-size"] = size[1] if size else "8"
    elif key in ("fill", "stroke") and value.lower() == INK:
        element.attrib[key] = "currentColor"
    else:
        element.attrib[key] = value
