"""Pages of the site that are made from the code."""

import re
from pathlib import Path

import pytest

import ordeval as oe
from docsite.changelog import changelog_page
from docsite.reference import anchors, described, entries, reference_pages, signature, text
from docsite.search import BOOSTS, WORDS, boost
from ordeval.report.measure_view import symbols_of

pytestmark = pytest.mark.slow


def test_every_public_name_has_an_entry() -> None:
    pages = reference_pages()
    for name in oe.__all__:
        value = getattr(oe, name)
        assert any(entry.value is value for entry in entries().values()), name
    for anchor, path in anchors().items():
        assert f"#{anchor} }}" in pages[path.replace(".html", ".md")] or anchor.endswith(
            "__version__"
        )


def test_docstrings_become_markdown() -> None:
    assert text(["Use ``a = 1``, see `Result.pairs` and `compare`; not `nothing`."]) == (
        "Use `a = 1`, see [`Result.pairs`](class-result.md#ordeval.Result.pairs) and "
        "[`compare`](compare.md#ordeval.compare); not `nothing`."
    )
    assert text(['"{system}_{label}", `y_true`']) == '"{system}\\_{label}", `y_true`'
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


def test_links_of_the_changelog_lead_into_the_site(tmp_path: Path) -> None:
    lines = "[docs/a.md](docs/a.md) docs/a.md [first](docs/a.md) [b](src/b.py) [c](https://c.org)"
    (tmp_path / "CHANGELOG.md").write_text(lines, encoding="utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# A page\n\nText.\n", encoding="utf-8")
    shown = "[A page](a.md) [A page](a.md) [first](a.md) `b` [c](https://c.org)"
    assert changelog_page(tmp_path) == shown


def test_the_search_knows_words_of_pages_that_exist() -> None:
    docs = Path(__file__).resolve().parents[2] / "docs"
    generated = {"which-measure.md", "changelog.md"}
    assert [p for p in {*BOOSTS, *WORDS} - generated if not (docs / p).exists()] == []
    assert boost("statistics/weights.md") > boost("reference/compare.md") > boost("changelog.md")


@pytest.mark.parametrize("searched", ["missing values", "latex"])
def test_questions_are_found_before_pages_that_mention_their_words(searched: str) -> None:
    assert [path for path, known in WORDS.items() if searched in known] == ["faq.md"]
    docs = Path(__file__).resolve().parents[2] / "docs"
    headings = re.findall(
        r"^### (.*)$", (docs / "faq.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert any(searched in heading.lower() for heading in headings)


def test_formulas_become_mathml() -> None:
    pytest.importorskip("latex2mathml", reason="the site is not built here")
    from markdown import markdown

    from docsite.formulas import Formulas, mathml

    assert "<mfrac>" in mathml(r"\frac{a}{b}")
    with pytest.raises(ValueError, match="not known in LaTeX"):
        mathml(r"\nonsense{a}")
    with pytest.raises(ValueError, match="not a formula"):
        markdown("the classes `$g$` and `$p$`", extensions=[Formulas()])


def test_cards_have_all_parts_and_define_every_symbol() -> None:
    pytest.importorskip("latex2mathml", reason="the site is not built here")
    from docsite.cards import card_page
    from ordeval.measures.spec import usual_variants

    icc = usual_variants(oe.measure("icc").record)
    page = card_page(icc, Path(__file__).resolve().parents[2])
    for part in ("<math", "## Example", "## When to use it", "```bibtex", "Undefined"):
        assert part in page
    assert all(f"The score of `{m}` is" in page for m in icc)
    kappa = usual_variants(oe.measure("kappa").record)
    worked = card_page(kappa, Path(__file__).resolve().parents[2])
    assert all(part in worked for part in ("## Worked example", *(f"### `{m}`" for m in kappa)))
    defined = " ".join(symbols_of(*icc))
    assert all(symbol in defined for symbol in ("MSI", "MSE", "MSW", "MSR", "R: ", "n: "))
    assert "C⁺: gold classes that occur" in " ".join(symbols_of(oe.measure("macro_mae")))


@pytest.mark.parametrize("name", oe.plot.__all__)
def test_the_gallery_shows_every_figure(name: str) -> None:
    gallery = Path(__file__).parents[2] / "docs" / "gallery.md"
    assert f"oe.plot.{name}(" in gallery.read_text(encoding="utf-8")
