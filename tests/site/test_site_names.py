"""Names of classes, systems and measures are texts on the pages of the site, and never markup."""

from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert(1)</script>"
markdown = pytest.importorskip("markdown", reason="the site is not built here")
pytest.importorskip("latex2mathml", reason="the site is not built here")

PAGE = f"""
```python
import ordeval as oe

order = ["low", {HOSTILE!r}, "</code></pre><img src=x>"]
gold = [*order] * 4
systems = {{"{HOSTILE}": gold, "``` <img src=y>": gold[1:] + gold[:1]}}
result = oe.compare(gold, systems, labels=order, measures="qwk", draws=0)
oe.plot.confusion(result, "{HOSTILE}")
print(order, "```", sep="\\n")
result
```
<!-- figure: the class {HOSTILE} -->

```console
$ echo '{HOSTILE}'
```
"""


def _html(text: str) -> str:
    extensions = ["md_in_html", "attr_list", "pymdownx.highlight", "pymdownx.superfences"]
    return str(markdown.markdown(text, extensions=extensions))


def _is_text(html: str) -> bool:
    return "<script" not in html and "<img" not in html


def test_names_in_outputs_of_pages_are_texts() -> None:
    from docsite.blocks import outputs

    printed = [_html(output) for output in outputs(PAGE, "page", fresh=True)]
    assert all("&lt;script&gt;" in html for html in printed)
    assert all(map(_is_text, printed))


def test_names_in_worked_examples_are_texts() -> None:
    from docsite.markup import facts, grid
    from docsite.worked import Grid

    table = Grid(HOSTILE, [HOSTILE], [(HOSTILE, [1.0])], corner=HOSTILE)
    found = grid(table) + facts([(HOSTILE, [HOSTILE, f"`{HOSTILE}`"])])
    assert found.count("&lt;script&gt;") == 7
    assert _is_text(found)


def test_names_of_measures_are_texts() -> None:
    from docsite.cards import _listed

    card = SimpleNamespace(description=HOSTILE, title=HOSTILE)
    record = SimpleNamespace(aliases=[HOSTILE], card=card)
    m: Any = SimpleNamespace(record=record, id="m", arrow="↑")
    [found] = _listed([[m]])
    assert found.count("&lt;script&gt;") == 3
    assert _is_text(found)
