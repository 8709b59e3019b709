"""What all HTML pages share: templates, style, policy and figures.

A page is one file that needs no network (its policy forbids it) and can be read without
JavaScript, on paper, on small screens and in dark mode. Texts from data are escaped by the
template engine.

Figures are SVG that follows the colours of the page. The SVG of matplotlib is rewritten: texts
stay texts in the font of the page, ink becomes the text colour (so that figures follow dark mode),
metadata and style elements are removed, and ids are numbered under a prefix, so that the same
figure gives the same bytes and no two figures share an id.
"""

import base64
import hashlib
import io
import re
import warnings
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from threading import Lock
from typing import Any
from xml.etree import ElementTree

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from matplotlib import rc_context
from matplotlib.axes import Axes

from .._version import __version__
from ..formatting import decimals
from ..plot.style import INK, for_browser, off_screen
from .story import END, STRONG

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_WIDTH = 5.4  # inches; wider figures would be too small to read on a phone
_POINTS = 4 / 3  # CSS pixels in a point
_DROPPED = {f"{_SVG}metadata", f"{_SVG}style"}
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_SAVING = Lock()  # settings of SVG and filters of warnings are global: one figure at a time


def render(template: str, sections: Iterable[tuple[str, str]], **page: Any) -> str:
    """Return a page from a template; `sections` are (anchor, name) of the contents."""
    script = _asset("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page |= {"policy": policy, "style": Markup(_asset("style.css")), "script": Markup(script)}
    found = _templates().get_template(template)
    return str(found.render(sections=list(sections), version=__version__, **page))


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
    found.filters |= {"emphasised": emphasised, "decimals": decimals}
    return found


def emphasised(sentence: str) -> Markup:
    """Return a sentence of `story` as HTML, with names in emphasis."""
    text = str(escape(sentence))
    return Markup(text.replace(STRONG, "<strong>").replace(END, "</strong>"))


def png(draw: Callable[[], Axes], *, alt: str) -> Markup:
    """Return a figure as a picture inside the page."""
    out = io.BytesIO()
    with off_screen():
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


def _saved(draw: Callable[[], Axes]) -> str:
    """Return the SVG of matplotlib, with texts as texts."""
    out = io.StringIO()
    options: dict[Any, Any] = {"svg.fonttype": "none", "text.usetex": False}
    with _SAVING, rc_context(options), for_browser(_WIDTH), warnings.catch_warnings():
        # The browser has characters that the font of matplotlib lacks.
        warnings.filterwarnings("ignore", message=r"Glyph \d+", category=UserWarning)
        figure: Any = draw().figure
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()


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
    if key == "font":
        size = re.search(r"([\d.]+)px", value)
        element.attrib["font-size"] = size[1] if size else "8"
    elif key in ("fill", "stroke") and value.lower() == INK:
        element.attrib[key] = "currentColor"
    else:
        element.attrib[key] = value
