"""The checks of the built site see what is missing, broken or remote."""

from pathlib import Path

import pytest

from docsite.built import faults, read_page

pytestmark = pytest.mark.slow

PAGE = """<html><head><link rel="stylesheet" href="style.css"></head><body>
<h1 id="top">Names</h1><p id="ordeval.score">score, mae, mean_absolute_error</p>
<p id="ordeval-demo">demo</p><a href="#top">top</a><a href="other.html#here">other</a>
<a href="https://example.org/">elsewhere</a><img src="a.png" alt="a figure">
<svg role="img" aria-label="a figure"></svg></body></html>"""
NAMES = {"ordeval.score": "index.html"}
COMMANDS = {"ordeval-demo": "index.html"}
MEASURES = {"index.html": ["mae", "mean_absolute_error"]}


def faults_of(folder: Path, page: str = PAGE, style: str = "a { color: red }") -> list[str]:
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "other.html").write_text('<h2 id="here">Here</h2>', encoding="utf-8")
    (folder / "style.css").write_text(style, encoding="utf-8")
    (folder / "a.png").touch()
    return faults(folder, NAMES, COMMANDS, MEASURES)


def test_a_good_site_has_no_faults(tmp_path: Path) -> None:
    assert faults_of(tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("other.html#here", "gone.html", "gone.html leads to no page"),
        ("other.html#here", "other.html#there", "other.html#there leads to no anchor"),
        ('"#top"', '"#bottom"', "#bottom leads to no anchor"),
        (' alt="a figure"', "", "a picture has no text"),
        (' alt="a figure"', ' alt=""', "a picture has no text"),
        (' aria-label="a figure"', "", "a picture has no text"),
        ('src="a.png"', 'src="https://example.org/a.png"', "loads https://example.org/a.png"),
        ('src="a.png"', 'src="b.png"', "there is no b.png"),
        ('href="style.css"', 'href="//cdn.example.org/a.css"', "loads //cdn.example.org/a.css"),
        ("<h1", '<script src="http://example.org/a.js"></script><h1', "loads http://example.org"),
        (
            "<h1",
            '<link rel="preconnect" href="https://fonts.example.org"><h1',
            "loads https://fonts",
        ),
        ("<h1", "<style>@import 'https://example.org/a.css'</style><h1", "loads https://example"),
        ('id="ordeval-demo"', 'id="top"', "the id top occurs more than once"),
        ('id="ordeval.score"', "", "the name ordeval.score is not on index.html"),
        ('id="ordeval-demo"', "", "the command ordeval-demo is not on index.html"),
        ("mean_absolute_error", "", "index.html does not have mean_absolute_error"),
    ],
)
def test_faults_are_found(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in PAGE
    found = faults_of(tmp_path, PAGE.replace(old, new))
    assert any(fault in line for line in found), found


def test_style_sheets_load_nothing_remote(tmp_path: Path) -> None:
    style = "@font-face { src: url('https://fonts.example.org/a.woff2') }"
    assert faults_of(tmp_path, style=style) == [
        "style.css: loads https://fonts.example.org/a.woff2"
    ]


def test_a_page_that_is_missing_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    found = faults(
        tmp_path, {"ordeval.compare": "compare.html"}, {}, {"measures/mae.html": ["mae"]}
    )
    assert "the name ordeval.compare is not on compare.html" in found
    assert "there is no page measures/mae.html" in found


def test_links_that_are_followed_are_not_loaded() -> None:
    page = read_page(
        '<link rel="canonical" href="https://example.org/"><a href="https://a.org">a</a>'
    )
    assert page.loads == []
