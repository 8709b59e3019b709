"""The HTML page of a view.

A page is one file that needs no network (its policy forbids it) and can be read without JavaScript,
on paper, on small screens and in dark mode. Texts from data are escaped by the template engine.
"""

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from math import isnan
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from .._version import __version__
from ..formatting import one_line
from .svg import svg
from .texts import END, STRONG
from .view import Cell, Section, View, kept

_PLAIN = re.compile(r"-?\d+(\.\d+)?")


def page(view: View, title: str | None = None, command: str | None = None) -> str:
    """Return the page; `command` is the command line that made it."""
    style, script = _asset("style.css"), _asset("script.js")
    typed, python = view.call()
    sections = kept(*map(view.made, view.page))
    text = str(
        _templates()
        .get_template("page.html.j2")
        .render(
            view=view,
            title=title or view.title,
            sections=sections,
            links=_links(sections),
            answer=view.answer(),
            checks=view.checks(),
            method=view.method(),
            command=command or typed,
            python=python,
            items=view.opened(),
            policy=_policy(style, script),
            style=Markup(style),
            script=Markup(script),
            version=__version__,
        )
    )
    return text.lstrip()


def _links(sections: Iterable[Section]) -> dict[str, str]:
    """Return the parts about a system, by its name."""
    parts = (part for section in sections for part in section.parts)
    return {one_line(part.filtered(None)): part.key for part in parts if part.filtered}


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
    templates = Environment(
        loader=PackageLoader("ordeval.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {
        "emphasised": emphasised,
        "sorting": sorting,
        "drawn": svg,
        "kind": lambda figure: type(figure).__name__,
        "line": lambda text: one_line(str(text)),
        "named": lambda text: text if str(text).strip() else "(blank)",
        "variants": _variants,
    }
    templates.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return templates


def sorting(cell: Cell) -> str:
    """Return the number by which a cell is sorted; empty if that is what its text says."""
    if isnan(cell.value):
        return ""
    number = f"{cell.value:.7g}"
    plain = cell.text.replace("−", "-").replace(",", "")
    is_number = _PLAIN.fullmatch(plain) is not None
    return "" if is_number and float(plain) == float(number) else number


def _variants(section: Section) -> dict[str, Any]:
    """Return the rows of every variant of a table: texts, numbers to sort by, and marks."""

    def row(each: Any, cells: list[Cell]) -> list[Any]:
        texts = [[cell.text, sorting(cell), int(cell.bold)] for cell in cells]
        name = one_line(section.filtered(each)) if section.filtered else ""
        return [name, texts, int(bool(section.marked and section.marked(each)))]

    return {
        name: [row(*pair) for pair in zip(rows, section.cells(rows), strict=True)]
        for name, rows in section.variants.items()
    }


def emphasised(sentence: str) -> Markup:
    """Return a sentence as HTML, with names in emphasis."""
    text = str(escape(sentence))
    return Markup(text.replace(STRONG, "<strong>").replace(END, "</strong>"))
