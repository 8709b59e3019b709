"""Figures of matplotlib as SVG elements of the site, whose ink follows the colours of the page."""

import io
import re
from html import escape
from typing import Any

import matplotlib

from ordeval.plot.draw import INK


def svg(figure: Any, *, alt: str, name: str, width: float | None = None) -> str:
    """Return a figure as an SVG element, at most `width` inches wide; `name` begins its ids."""
    if width is not None and figure.get_figwidth() > width:
        figure.set_figwidth(width)
    out = io.StringIO()
    plain = {"Creator": None, "Date": None, "Format": None, "Type": None}
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(out, format="svg", transparent=True, metadata=plain)
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<(metadata|style)\b.*?</\1>|<style[^>]*/>", "", text, flags=re.DOTALL)
    text = re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", text).replace(INK, "currentColor")
    [box] = re.findall(r'viewBox="([^"]+)"', text)
    size = float(box.split()[2]) * 4 / 3
    start = f'<svg viewBox="{box}" role="img" aria-label="{escape(alt)}" class="plot"'
    start += f' style="--w:{size:.0f}px" xmlns="http://www.w3.org/2000/svg"'
    start += ' xmlns:xlink="http://www.w3.org/1999/xlink">'
    return re.sub(r"<svg[^>]*>", lambda _: start, text, count=1).strip()
