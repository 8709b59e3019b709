"""From a template to a page that is complete in itself."""

import base64
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from .._version import __version__


def render(template: str, sections: Iterable[tuple[str, str]], **page: Any) -> str:
    """A page from a template, with its style, script and policy."""
    script = _asset("script.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return str(
        _templates()
        .get_template(template)
        .render(
            sections=list(sections),
            policy=policy,
            style=Markup(_asset("style.css")),
            script=Markup(script),
            version=__version__,
            **page,
        )
    )


def _asset(name: str) -> str:
    return files("ordeval.report").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("ordeval.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
