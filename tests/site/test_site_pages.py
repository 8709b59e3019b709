"""Pages of the site that are made from the code."""

from pathlib import Path

import pytest

import ordeval as oe
from docsite.changelog import changelog_page
from docsite.code import with_results
from docsite.reference import anchors, described, entries, reference_pages, signature, text

FIGURE = """```python
import ordeval as oe
ax = oe.plot.confusion([1, 2, 2], [1, 2, 1], labels=[1, 2])
```

<!-- figure: Two classes -->
"""


def test_every_public_name_has_an_entry() -> None:
    pages = reference_pages()
    for name in oe.__all__:
        value = getattr(oe, name)
        assert any(entry.value is value for entry in entries().values()), name
    for anchor, path in anchors().items():
        assert f"#{anchor} }}" in pages[path.replace(".html", ".md")] or anchor.endswith(
            "__version__"
        )


def test_paths_differ_without_upper_case() -> None:
    paths = list(reference_pages())
    assert len({path.lower() for path in paths}) == len(paths)


def test_docstrings_become_markdown() -> None:
    assert text(["Use ``a = 1``, see `Result.pairs` and `compare`; not `nothing`."]) == (
        "Use `a = 1`, see [`Result.pairs`](class-result.md#ordeval.Result.pairs) and "
        "[`compare`](compare.md#ordeval.compare); not `nothing`."
    )
    assert text(["the `measures` given"], own=["measures"]) == "the `measures` given"


def test_signatures_have_no_types() -> None:
    def f(a: int, *, b: str = "x", c: object = len) -> None: ...

    assert signature("f", f) == "f(a, *, b='x', c=…)"
    long = signature("compare", oe.compare)
    assert "\n" in long
    assert "*, " in long
    assert max(map(len, long.splitlines())) <= 80


def test_an_entry_has_all_sections() -> None:
    entry = described("score", oe.score, 2, "ordeval.score")
    for part in ("## score { #ordeval.score }", "**Parameters**", "**Returns**", "```pycon"):
        assert part in entry


def test_code_is_run_and_its_figure_shown() -> None:
    page = with_results(FIGURE, "page")
    assert 'aria-label="Two classes"' in page
    assert "<!--" not in page


def test_what_code_prints_is_shown() -> None:
    page = "```python\na = 1\n```\n\nThen\n\n```python\nprint(a + 1)\n```\n\n<!-- output -->\n"
    assert "```text\n2\n```" in with_results(page, "page")


@pytest.mark.parametrize(
    ("page", "error"),
    [
        (FIGURE.replace(": Two classes", ""), ValueError),
        (FIGURE.replace("ax =", "other ="), KeyError),
        (FIGURE.replace("confusion", "nothing"), AttributeError),
    ],
)
def test_code_that_fails_is_an_error(page: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        with_results(page, "page")


def test_pages_that_ask_for_nothing_are_not_run() -> None:
    page = "```python\nraise SystemExit\n```\n"
    assert with_results(page, "page") == page


def test_links_of_the_changelog_lead_into_the_site(tmp_path: Path) -> None:
    lines = "[docs/a.md](docs/a.md) [b](src/b.py) [c](https://example.org)"
    (tmp_path / "CHANGELOG.md").write_text(lines, encoding="utf-8")
    assert changelog_page(tmp_path) == "[a.md](a.md) `b` [c](https://example.org)"


def test_formulas_become_mathml() -> None:
    pytest.importorskip("latex2mathml", reason="the site is not built here")
    from docsite.formulas import mathml

    assert "<mfrac>" in mathml(r"\frac{a}{b}")
    with pytest.raises(ValueError, match="not known in LaTeX"):
        mathml(r"\nonsense{a}")


@pytest.mark.parametrize("m", oe.measures(None), ids=str)
def test_cards_define_every_symbol(m: oe.Measure) -> None:
    pytest.importorskip("latex2mathml", reason="the site is not built here")
    from docsite.cards import card_page

    page = card_page([m], Path(__file__).resolve().parents[2])
    for part in ("<math", "## Worked example", "## When to use it", "```bibtex", "Undefined"):
        assert part in page
