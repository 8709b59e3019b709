"""The page "Which measure?": every path gives the card of `advise`, with and without a script."""

import re
import shutil
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from docsite.blocks import outputs
from docsite.which_measure import walk, which_measure_page
from ordeval.advice import path

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "docs" / "assets"


@cache
def page() -> str:
    return which_measure_page()


def reached(answers: dict[str, str]) -> str:
    """The card at the end of a path through the tree, as the script puts it together."""
    data: Any = walk()
    node = data["tree"]
    while isinstance(node, dict):
        node = node["then"][answers[node["ask"]]]
    return "".join(data["pieces"][piece] for piece in node)


@pytest.mark.parametrize(
    "answers", list(path().every()), ids=lambda answers: " ".join(answers.values())
)
def test_every_path_gives_the_card_of_advise(answers: dict[str, str]) -> None:
    advice, card = oe.advise(**answers), unescape(reached(answers))
    assert re.findall(r"<h2>Use <a.*?</a> \(<code>(.*?)</code>\)", card) == [advice.primary]
    assert advice.reason in card
    linked = re.findall(r"<li><a[^>]*><code>(.*?)</code>", card)
    assert linked == [reason.measure for reason in (*advice.beside, *advice.avoid)]
    typed = re.findall(r"<pre[^>]*>(.*?)</pre>", card.replace("<wbr>", ""), re.DOTALL)
    assert [typed[0].replace(" \\\n ", ""), typed[1]] == [advice.command, advice.code]
    assert all(remark in card for remark in advice.remarks)


def test_there_are_eight_questions_with_a_hint_each() -> None:
    assert page().count("<fieldset") == len(path().questions) == 8
    for question in path().questions:
        assert question.text in page()
        assert question.hint in page()


def test_the_page_has_the_whole_path_without_a_script() -> None:
    listed = unescape(page().partition("## The whole path")[2])
    assert all(a.reason in listed for question in path().questions for a in question.answers)
    assert all(leaf.reason in listed for leaf in path().leaves)
    assert listed.count('class="entry"') == len(path().leaves)


def test_every_source_is_in_the_references() -> None:
    references = unescape(page().partition("<summary>References")[2])
    sources = {a.source for question in path().questions for a in question.answers}
    sources |= {leaf.source for leaf in path().leaves}
    for work in {part.strip() for source in sources for part in source.split(";")}:
        first, year = re.match(r"(.+?)(?:,| &| et al\.)? .*?(\d{4})", work).groups()
        assert re.search(rf"^<li>{first}\b.*\({year}\)", references, re.MULTILINE), work


def test_the_example_runs() -> None:
    [output] = outputs(page(), "which-measure.md", fresh=True)
    assert "'cem'" in unescape(output)


# In a browser, without the theme: the form, its script and the style of the site.


@pytest.fixture(scope="module")
def opened(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function that opens the page from a file, with answers in its address."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ASSETS, folder / "assets")
    markdown = pytest.importorskip("markdown", reason="the site is not built here")
    body = markdown.markdown(page(), extensions=["attr_list", "md_in_html", "toc"])
    head = '<meta charset="utf-8"><title>Which measure?</title>'
    head += '<meta name="viewport" content="width=device-width">'
    head += '<link rel="stylesheet" href="assets/site.css">'
    file = folder / "which-measure.html"
    text = f'<!DOCTYPE html><html lang="en"><head>{head}</head><body class="md-typeset"'
    text += f' data-md-color-scheme="default"><main>{body}</main></body></html>'
    file.write_text(text, encoding="utf-8")

    def open_page(answers: str = "") -> Any:
        browser.get("about:blank")
        browser.get(f"{file.as_uri()}{answers}")
        return browser

    return open_page


def asked(browser: Any) -> list[str]:
    """The questions that are shown."""
    fields = browser.find_elements("css selector", "#which fieldset")
    return [field.get_attribute("id")[4:] for field in fields if field.is_displayed()]


def heading(browser: Any) -> str:
    return str(browser.find_element("css selector", "#advised h2").text)


LONGEST = max(path().every(), key=len)
CLICKED = [
    LONGEST,
    {"task": "raters", "order": "order", "chance": "yes"},
    {"task": "distributions", "purpose": "report", "order": "none"},
]


@pytest.mark.parametrize("answers", CLICKED, ids=lambda answers: answers["task"])
def test_clicks_lead_to_the_advice_and_its_address_leads_back(
    opened: Any, answers: dict[str, str]
) -> None:
    browser = opened()
    for i, (question, answer) in enumerate(answers.items()):
        assert asked(browser) == list(answers)[: i + 1]
        browser.find_element("css selector", f"[name={question}][value={answer}]").click()
    advice = oe.advise(**answers)
    assert heading(browser).endswith(f" ({advice.primary})")
    said = browser.find_element("css selector", "#said[role=status]").get_attribute("textContent")
    assert said == heading(browser)
    fragment = browser.current_url.partition("#")[2]
    assert fragment == "&".join(f"{question}={answer}" for question, answer in answers.items())
    again = opened(f"#{fragment}")
    assert heading(again).endswith(f" ({advice.primary})")
    again.find_element("css selector", "#which [type=reset]").click()
    assert asked(again) == ["task"]


def test_the_keyboard_answers(opened: Any) -> None:
    browser = opened()
    browser.execute_script("document.querySelector('#which input').focus()")
    browser.switch_to.active_element.send_keys(" ")
    assert asked(browser) == ["task", "purpose"]
    for _ in "down", "down":  # from labels to probabilities, and to raters
        browser.switch_to.active_element.send_keys("\ue015")
    assert asked(browser) == ["task", "order"]


@pytest.mark.parametrize("answers", ["#task=nothing", "#task=labels&far=<b>", "#references"])
def test_an_odd_address_asks_the_first_open_question(opened: Any, answers: str) -> None:
    browser = opened(answers)
    assert asked(browser) in (["task"], ["task", "purpose"])
    assert not browser.find_element("css selector", "#advised").is_displayed()


def test_without_a_script_the_path_is_a_list(opened: Any, browser: Any) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened()
        assert asked(browser) == []
        [note] = browser.find_elements("css selector", "noscript p")
        assert "The whole path" in note.text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


@pytest.mark.parametrize("width", [1200, 390])
def test_the_card_fits_the_screen_and_breaks_no_rule(opened: Any, axe: str, width: int) -> None:
    browser = opened("#" + "&".join(f"{question}={answer}" for question, answer in LONGEST.items()))
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    browser.execute_script(axe)
    found = browser.execute_async_script("axe.run(document).then(arguments[0])")
    assert [f"{v['id']}: {v['nodes'][0]['html']}" for v in found["violations"]] == []
