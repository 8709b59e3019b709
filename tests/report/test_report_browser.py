"""The pages in a real browser: what people see, click and print."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from report_data import HOSTILE

RATERS = ("agreement", "hostile agreement", "sixty raters", "judgement", "hostile judgement")
RATERS = (*RATERS, "judged texts")
PAGES = ("compared", "hostile", "texts", "quantified", "forty", "meta", *RATERS)


def _open(
    browser: Any, path: Path, *, width: int = 1200, dark: bool = False, media: str = ""
) -> None:
    theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [theme]})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())


def _names(browser: Any, table: str = "#board") -> list[str]:
    """The systems of a table from the top, as shown."""
    script = f"return [...document.querySelectorAll('{table} tbody th')].map(e => e.innerText)"
    return list(browser.execute_script(script))


def _find(browser: Any, css: str) -> Any:
    return browser.find_element("css selector", css)


@pytest.fixture
def board(browser: Any, pages: Path) -> Any:
    """The comparison, freshly opened."""
    _open(browser, pages / "compared.html")
    return browser


USE = """
document.querySelectorAll('details').forEach(d => { d.open = true; });
document.querySelectorAll('th button').forEach(b => b.click());
document.querySelectorAll('td, th, a').forEach(e =>
  e.dispatchEvent(new MouseEvent('mouseover', { bubbles: true })));
const measure = document.getElementById('measure'), filter = document.getElementById('filter');
if (measure) { measure.value = '2'; measure.dispatchEvent(new Event('change')); }
if (filter) { filter.value = '<img src=x onerror=window.hacked=1>';
  filter.dispatchEvent(new Event('input')); }
"""
INSIDE = """
const all = [...document.querySelectorAll('*')];
const attributes = all.flatMap(e => [...e.attributes].map(a => [e.tagName, a.name, a.value]));
return {
  hacked: window.hacked === undefined ? 'no' : 'yes',
  odd: all.filter(e => /^(IFRAME|BASE|OBJECT|EMBED|AUDIO|VIDEO|IMG)$/i.test(e.tagName)).length,
  styles: document.querySelectorAll('style').length,
  metas: document.querySelectorAll('meta').length,
  events: attributes.filter(([, name]) => name.startsWith('on')).map(String),
  links: attributes.filter(([, name, to]) => /^(href|src|action|xlink:href|data|srcset|formaction)$/
    .test(name) && !/^(#|data:)/.test(to)).map(String),
  urls: attributes.filter(([, name, to]) => name === 'style' && /url|import/.test(to)).map(String),
  hidden: getComputedStyle(document.body).display,
};
"""
CLEAN = {"hacked": "no", "odd": 0, "styles": 1, "metas": 5, "events": [], "links": [], "urls": []}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_a_page_loads_nothing_and_holds_nothing_injected(
    browser: Any, pages: Path, name: str
) -> None:
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    _open(browser, pages / f"{name}.html")
    browser.execute_script(USE)
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [e["params"] for e in events if e["method"] == "Network.requestWillBeSent"]
    sent = [one["request"]["url"] for one in asked]
    own = (pages / f"{name}.html").as_uri()
    assert [url for url in sent if not url.startswith("data:")] == [own]
    assert browser.execute_script(INSIDE) == {**CLEAN, "hidden": "block"}


def test_the_policy_stops_what_would_be_injected_or_fetched(browser: Any, pages: Path) -> None:
    _open(browser, pages / "hostile.html")
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
    tried = browser.execute_async_script(
        "const done = arguments[0]; fetch('https://example.org').then(() => done('sent'),"
        " problem => done(problem.name));"
    )
    assert tried == "TypeError"


@pytest.mark.parametrize("name", ["hostile", "hostile agreement", "hostile judgement"])
def test_hostile_names_are_shown_as_text(browser: Any, pages: Path, name: str) -> None:
    _open(browser, pages / f"{name}.html")
    assert HOSTILE in _names(browser, "table")
    script = "return document.querySelectorAll('main img, main b b, main strong img').length"
    assert browser.execute_script(script) == 0
    script = "return [...document.querySelectorAll('svg.plot')].map(e => e.textContent).join()"
    assert HOSTILE[:10] in browser.execute_script(script)


def test_the_matrix_of_raters_has_a_number_in_every_cell(browser: Any, pages: Path) -> None:
    _open(browser, pages / "agreement.html")
    matrix = "document.querySelector('#matrix .heat')"
    script = f"return [...{matrix}.querySelectorAll('td:not(.self)')]"
    cells = browser.execute_script(f"{script}.map(e => e.innerText)")
    assert len(cells) == 5 * 4 + 5
    assert all(0 <= float(text) <= 1 for text in cells)


LIMITED = (
    "This page holds at most 20 items of each number; for all of them, select the same rows of the "
    "data."
)


def test_a_number_of_items_opens_them_and_escape_closes_them(browser: Any, pages: Path) -> None:
    _open(browser, pages / "texts.html")
    number = _find(browser, "#systems .heat td.right .open")
    number.send_keys("\n")
    shown, total = _find(browser, "#opened-number").text.split(" of ", 1)
    assert shown == "20"
    assert total == f"{number.text} shown. {LIMITED}"
    rows = browser.find_elements("css selector", "#opened-table tbody tr")
    assert len(rows) == 20
    assert all(row.text.startswith("doc <") for row in rows)
    assert browser.title != "hacked"
    assert browser.find_elements("css selector", "#opened img, #opened script") == []
    rest = _find(browser, "#opened-table td button")
    rest.click()
    assert len(_find(browser, "#opened-table td:focus").text) > 450
    _find(browser, "#opened-close").send_keys("\ue00c")
    assert not _find(browser, "#opened").is_displayed()


def test_what_is_listed_are_the_items_of_the_cell(browser: Any, pages: Path) -> None:
    _open(browser, pages / "texts.html")
    script = """
    const found = [];
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    for (const b of document.querySelectorAll('.heat .open')) {
      b.click();
      const rows = [...document.querySelectorAll('#opened-table tbody tr')];
      const cells = rows.map(r => [...r.children].slice(1, 3).map(c => c.innerText).join());
      const row = b.closest('tr').firstChild.innerText;
      const column = b.closest('table').tHead.rows[0].children[b.parentNode.cellIndex].innerText;
      const right = cells.every(c => c === [row, column].join());
      found.push([right, rows.length, Math.min(20, Number(b.innerText))]);
      document.getElementById('opened').close();
    }
    return found;
    """
    found = browser.execute_script(script)
    assert len(found) > 30
    assert all(right and shown == expected for right, shown, expected in found)


def test_what_is_listed_of_raters_are_the_items_of_the_number(browser: Any, pages: Path) -> None:
    _open(browser, pages / "judged texts.html")
    script = """
    document.querySelectorAll('details').forEach(d => { d.open = true; });
    return [...document.querySelectorAll('#matrix .open, #raters .open, #slices .open')].map(b => {
      b.click();
      const rows = document.querySelectorAll('#opened-table tbody tr').length;
      const told = document.getElementById('opened-number').innerText;
      document.getElementById('opened').close();
      return [rows, Number(b.innerText), told];
    });
    """
    found = browser.execute_script(script)
    assert len(found) > 30
    for rows, number, told in found:
        assert rows == min(20, number)
        more = f" {LIMITED}" if rows < number else ""
        assert told == f"{rows} of {number} shown.{more}"
    _find(browser, "#items .open").click()
    assert _find(browser, "#opened-title").text.startswith("Items: doc <")
    assert browser.find_elements("css selector", "#opened img, #opened script") == []


@pytest.mark.parametrize(
    ("name", "number"), [("texts", "#systems .heat .open"), ("judged texts", "#items .open")]
)
def test_open_items_break_no_rule_of_accessibility(
    browser: Any, pages: Path, axe: str, name: str, number: str
) -> None:
    _open(browser, pages / f"{name}.html", width=390, dark=True)
    _find(browser, number).click()
    browser.execute_script(axe)
    browser.set_script_timeout(120)
    script = "axe.run(document.getElementById('opened')).then(arguments[0])"
    found = browser.execute_async_script(script)
    assert [v["id"] for v in found["violations"]] == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_click_or_a_key_sorts_by_a_column_and_back(board: Any) -> None:
    names = _names(board)
    heading = _find(board, "#board thead th:nth-child(2)")
    for order, reverse in (("ascending", False), ("descending", True)):
        heading.find_element("tag name", "button").click()
        assert heading.get_attribute("aria-sort") == order
        assert _names(board) == sorted(names, reverse=reverse)
    button = _find(board, "#board thead th:nth-child(3) button")
    board.execute_script("arguments[0].focus()", button)
    for key, expected in (("\ue007", names), (" ", names[::-1])):  # enter and space
        board.switch_to.active_element.send_keys(key)
        assert _names(board) == expected
    assert "Sorted by" in _find(board, "#said").get_attribute("textContent")


def test_numbers_sort_as_numbers(browser: Any, pages: Path) -> None:
    _open(browser, pages / "forty.html")
    script = (
        "return [...document.querySelectorAll('#board tbody td:first-child')].map(e => e.innerText)"
    )
    _find(browser, "#board thead th:nth-child(1) button").click()
    assert browser.execute_script(script) == [str(i + 1) for i in range(40)]


def test_another_measure_ranks_the_leaderboard(board: Any) -> None:
    control = _find(board, "#measure")
    [mae] = [o for o in control.find_elements("tag name", "option") if o.text.startswith("MAE")]
    mae.click()
    assert _find(board, "#board caption").text == f"Ranked by {mae.text}"
    scores = board.execute_script(
        "return [...document.querySelectorAll('#board tbody td:nth-child(3)')]"
        ".map(e => parseFloat(e.innerText))"
    )
    assert scores == sorted(scores)


def test_the_filter_shows_some_systems_everywhere(board: Any) -> None:
    _find(board, "#filter").send_keys("ALP")
    shown = "return [...document.querySelectorAll('[data-system]')].filter(e => e.offsetParent)"
    names = board.execute_script(f"{shown}.map(e => e.dataset.system)")
    assert set(names) == {"alpha"}
    assert _find(board, "#said").get_attribute("textContent") == "1 system shown."


def test_a_link_opens_the_section_of_a_system(board: Any) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    section = _find(board, "#system-3")
    assert section.get_attribute("open") is None
    _find(board, "#board tbody tr:nth-child(3) a").click()
    # The browser tells the page of the new address a moment later.
    WebDriverWait(board, 10).until(lambda _: section.get_attribute("open") == "true")


def test_all_can_be_read_without_javascript(browser: Any, pages: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        _open(browser, pages / "compared.html")
        assert not _find(browser, "#controls").is_displayed()
        assert "ranks first" in _find(browser, "#answer").text
        assert len(browser.find_elements("css selector", "#board tbody tr")) == 4
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("name", PAGES)
def test_a_small_screen_does_not_scroll_sideways(browser: Any, pages: Path, name: str) -> None:
    _open(browser, pages / f"{name}.html", width=375)
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 375


_TOO_WIDE = """
document.querySelectorAll('details').forEach(d => { d.open = true; });
return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > 689)
  .filter(e => !e.closest('.unseen')).map(e => e.tagName + '.' + e.className);
"""


@pytest.mark.parametrize("name", PAGES)
def test_paper_holds_everything(browser: Any, pages: Path, name: str) -> None:
    # A4 less margins of 14 mm is 688 CSS pixels wide.
    _open(browser, pages / f"{name}.html", width=688, media="print")
    assert browser.execute_script(_TOO_WIDE) == []


def test_printing_shows_every_system_and_no_controls(board: Any, tmp_path: Path) -> None:
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
    pdf = board.execute_cdp_cmd("Page.printToPDF", paper)
    assert base64.b64decode(pdf["data"]).startswith(b"%PDF")
    assert len(board.find_elements("css selector", "details[open]")) == 1  # as it was before
    _open(board, Path(board.current_url.removeprefix("file://")), media="print")
    assert not _find(board, "#controls").is_displayed()
    assert not _find(board, "nav").is_displayed()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_no_rule_of_accessibility_is_broken(
    browser: Any, pages: Path, axe: str, name: str, dark: bool
) -> None:
    _open(browser, pages / f"{name}.html", dark=dark)
    script = "for (const d of [...document.querySelectorAll('details')].slice(0, 4)) d.open = true;"
    browser.execute_script(script)
    browser.execute_script(axe)
    browser.set_script_timeout(120)
    found = browser.execute_async_script("axe.run(document).then(arguments[0])")
    assert len(found["passes"]) > 20
    broken = [f"{v['id']}, {v['impact']}: {v['nodes'][0]['html']}" for v in found["violations"]]
    assert broken == []


@pytest.mark.parametrize("name", ["compared", "agreement", "judgement"])
def test_figures_turn_with_the_dark(browser: Any, pages: Path, name: str) -> None:
    colour = "return getComputedStyle(document.querySelector('svg.plot text')).fill"
    _open(browser, pages / f"{name}.html")
    light = browser.execute_script(colour)
    _open(browser, pages / f"{name}.html", dark=True)
    assert (light, browser.execute_script(colour)) == ("rgb(31, 35, 40)", "rgb(232, 234, 237)")
