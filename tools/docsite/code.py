"""Code of pages that is run when they are built: figures and outputs below its blocks.

A comment after a block of Python asks for it: ``<!-- figure: what it shows -->`` draws the axes
that the block calls ``ax``, ``<!-- output -->`` shows what the block prints. All blocks of such a
page run, one after the other, with the same names.
"""

import re
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from matplotlib.collections import QuadMesh

from ordeval.report.html import svg

BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```\n(?:\n*<!-- (?P<wanted>figure|output)(?:: (?P<alt>.*?))? -->)?",
    re.DOTALL | re.MULTILINE,
)


def with_results(markdown: str, page: str) -> str:
    """Return a page with the figures and outputs that it asks for."""
    if not any(block["wanted"] for block in BLOCK.finditer(markdown)):
        return markdown
    names: dict[str, Any] = {"__name__": page}
    counter = iter(range(1000))
    return BLOCK.sub(lambda m: _with_result(m, names, f"{page}-{next(counter)}"), markdown)


def _with_result(block: re.Match[str], names: dict[str, Any], name: str) -> str:
    shown = f"```python\n{block['code']}```\n"
    if block["wanted"] == "figure":
        if not block["alt"]:
            raise ValueError(f"{name}: a figure needs a text that says what it shows")
        return f"{shown}\n{figure(block['code'], names, block['alt'], name)}\n"
    printed = StringIO()
    with redirect_stdout(printed):
        _run(block["code"], names, name)
    if block["wanted"] == "output":
        shown += f"\n```text\n{printed.getvalue().rstrip()}\n```\n"
    return shown


def _run(code: str, names: dict[str, Any], name: str) -> None:
    exec(compile(code, name, "exec"), names)


def figure(code: str, names: dict[str, Any], alt: str, name: str) -> str:
    """Run code and return the figure that it draws; heat maps keep a white ground."""

    def draw() -> Any:
        names.pop("ax", None)
        _run(code, names, name)
        return names["ax"]

    drawn = svg(draw, alt=alt, name=re.sub(r"\W+", "-", name))
    on_paper = any(isinstance(part, QuadMesh) for part in names["ax"].collections)
    kind = "drawn on-paper" if on_paper else "drawn"
    return f'<figure class="{kind}">{drawn}</figure>'
