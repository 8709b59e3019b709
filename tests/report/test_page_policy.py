"""Pages of hostile names in a real browser: nothing is injected, nothing is loaded."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rater_data import agreement, judgement
from report_data import QUICK, labels_of

import ordeval as oe
from ordeval.meta import ScoreMatrices, meta_evaluate
from ordeval.notes import warning

NAMES = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "\"><svg onload=window.hacked=1><a href='javascript:window.hacked=1'>x</a>",
    "' onmouseover='window.hacked=1' x='",
    "</title></style><style>*{display:none}</style><base href=http://localhost:9/>",
    "<iframe src=http://localhost:9/></iframe><meta http-equiv=refresh content=0;url=http://x/>",
    "<!-- ]]> {{ 7*7 }} {% raw %} &lt;b&gt; ${1} `x` \u2028 \x00 \x1b[31m \ud800",
    "javascript:window.hacked=1",
)
LABELS = ("<b>1", "</td></table><script>window.hacked=1</script>", "&amp;", "{{ 2 }}", "--v:url(x)")


def compared() -> oe.Result:
    gold, guesses, topics = labels_of(NAMES, 6, 20)
    return oe.compare(
        [LABELS[g - 1] for g in gold],
        {name: [LABELS[p - 1] for p in guess] for name, guess in guesses.items()},
        labels=LABELS,
        topic=[NAMES[int(topic[-1])] for topic in topics],
        undefined=0.0,
        differences=True,
        **QUICK,
    )


def quantified() -> oe.Result:
    rng = np.random.default_rng(1)
    gold = rng.dirichlet(np.ones(5), size=8)
    systems = {name: rng.dirichlet(np.ones(5), size=8) for name in NAMES[:3]}
    return oe.quantify(gold, systems, labels=LABELS, topic=NAMES, **QUICK)


def measured() -> Any:
    gold, guesses, topics = labels_of(NAMES, 8, 10)
    named = [NAMES[int(topic[-1])] for topic in topics]
    counts = oe.Counts.from_labels(gold, guesses, labels=range(1, 6), topic=named)
    scores = ScoreMatrices.from_counts(counts, "kappa, mae, accuracy", undefined=0.0)
    return meta_evaluate(scores, splits=20, trials=50, rng=0)


NOTES = tuple(warning("data", name) for name in NAMES[:2])


def agreed() -> Any:
    return agreement(NAMES, labels=LABELS, notes=NOTES)


def judged() -> Any:
    return judgement(NAMES[:3], NAMES[3:], labels=LABELS, slices=NAMES, notes=NOTES)


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of every kind with hostile names in every place."""
    folder = tmp_path_factory.mktemp("hostile")
    made = {"compared": compared(), "quantified": quantified(), "measured": measured()}
    made |= {"agreed": agreed(), "judged": judged()}
    named = pytest.importorskip("pandas").Series(LABELS, name=NAMES[0])
    one = {"one system": oe.evaluate(LABELS, named, labels=LABELS)}
    for name, found in {**made, **one}.items():
        found.to_html(folder / f"{name}.html", command=f"ordeval {NAMES[0]} {NAMES[2]}")
    compared().to_json(folder / "archive.json")
    oe.load(folder / "archive.json").to_html(folder / "loaded.html")
    shown = "".join(part._repr_html_() for part in (compared(), quantified(), measured()))
    (folder / "notebook.html").write_text(
        f'<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">{shown}'
    )
    pages = {path.stem: path for path in sorted(folder.rglob("*.html"))}
    assert len(pages) >= 8
    return pages


TAGS = {"table", "thead", "tbody", "tr", "th", "td", "caption", "b", "p", "small", "sup"}
PAGES = ("compared", "quantified", "measured", "one system", "loaded", "notebook", "agreed",
         "judged")  # fmt: skip
INSIDE = """
const all = [...document.querySelectorAll('*')];
const attributes = all.flatMap(e => [...e.attributes].map(a => [e.tagName, a.name, a.value]));
return {
  hacked: window.hacked === undefined ? 'no' : 'yes',
  odd: all.filter(e => /^(IFRAME|BASE|OBJECT|EMBED|AUDIO|VIDEO|IMAGE)$/i.test(e.tagName)).length,
  scripts: document.scripts.length, styles: document.querySelectorAll('style').length,
  metas: document.querySelectorAll('meta').length,
  events: attributes.filter(([, name]) => name.startsWith('on')).map(String),
  links: attributes.filter(([, name, to]) => /^(href|src|action|xlink:href|data|srcset|formaction)$/
    .test(name) && !/^(#|data:)/.test(to)).map(String),
  urls: attributes.filter(([, name, to]) => name === 'style' && /url|import/.test(to)).map(String),
  hidden: getComputedStyle(document.body).display,
};
"""


def opened(browser: Any, path: Path) -> list[str]:
    """Open a page and use all of it; return what it asked the network for, and its messages."""
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(path.as_uri())
    browser.execute_script(
        "document.querySelectorAll('details').forEach(d => { d.open = true; });"
        "document.querySelectorAll('th button').forEach(b => b.click());"
        "document.querySelectorAll('td, th, a').forEach(e => "
        "  e.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })));"
        "const measure = document.getElementById('measure');"
        "if (measure) { measure.value = '2'; measure.dispatchEvent(new Event('change')); }"
        "const filter = document.getElementById('filter');"
        "if (filter) { filter.value = '<img src=x onerror=window.hacked=1>';"
        "  filter.dispatchEvent(new Event('input')); }"
    )
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    urls = [one["request"]["url"] for one in asked]
    return [url for url in urls if url != path.as_uri() and not url.startswith("data:")]


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_hostile_names_inject_nothing_and_load_nothing(
    browser: Any, hostile_pages: dict[str, Path], name: str
) -> None:
    assert opened(browser, hostile_pages[name]) == []
    found = browser.execute_script(INSIDE)
    plain = name == "notebook"
    assert browser.get_log("browser") == []
    assert found == {
        "hacked": "no",
        "odd": 0,
        "scripts": 0 if plain else 2 if name in ("compared", "quantified", "loaded") else 1,
        "styles": 0 if plain else 1,
        "metas": 1 if plain else 5,
        "events": [],
        "links": [],
        "urls": [],
        "hidden": "block",
    }


@pytest.mark.parametrize("name", ["compared", "measured", "agreed", "judged"])
def test_the_policy_stops_what_would_be_injected(
    browser: Any, hostile_pages: dict[str, Path], name: str
) -> None:
    opened(browser, hostile_pages[name])
    width = browser.execute_script(
        "const put = (tag, text) => { const e = document.createElement(tag); e.textContent = text;"
        "  document.body.append(e); };"
        "put('script', 'window.hacked = 1'); put('style', 'body { width: 7px !important }');"
        "const image = document.createElement('img'); image.src = 'http://localhost:9/x.png';"
        "document.body.append(image);"
        "return getComputedStyle(document.body).width"
    )
    assert width != "7px"
    assert browser.execute_script("return window.hacked === undefined")
    told = str(browser.get_log("browser"))
    assert all(word in told for word in ("script-src", "style-src-elem", "img-src"))


def test_the_policy_names_what_the_page_holds(hostile_pages: dict[str, Path]) -> None:
    import base64
    import hashlib

    page = hostile_pages["compared"].read_text("utf-8")
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    for directive, tag in (("script-src", "script"), ("style-src-elem", "style")):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} &#39;sha256-{digest}&#39;;" in policy
    for words in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:"):
        assert words.replace("'", "&#39;") in policy
    assert "script-src 'unsafe" not in policy
    assert "http" not in policy


def test_tables_in_a_notebook_have_no_script_and_no_style_of_the_page() -> None:
    for found in (compared(), quantified(), measured()):
        html = found._repr_html_()
        tags = set(re.findall(r"<([a-z]+)", html))
        assert tags <= TAGS
        assert set(re.findall(r' ([a-z-]+)="', html)) <= {"style", "class", "scope"}
