"""Pages as text: what they hold, how large they are, and how to repeat them."""

import re
import subprocess
import sys
from base64 import b64encode
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from rater_data import agreement, judgement
from report_data import HOSTILE, compared, hostile, meta, quantified, with_texts

import ordeval as oe
from ordeval.report.page import sorting
from ordeval.report.present import view_of
from ordeval.report.view import Cell

PAGES: dict[str, Any] = {
    "compared": compared(),
    "quantified": quantified(),
    "agreement": agreement(),
    "judgement": judgement(),
    "meta": meta(mean_splits=60),
    "hostile": hostile(),
    "texts": with_texts(),
}


@pytest.mark.parametrize("name", PAGES)
def test_every_section_is_there_once_and_the_contents_lead_to_it(name: str) -> None:
    page = PAGES[name].to_html()
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = re.findall(r'<a href="#([^"]+)"', page)
    assert set(links) <= set(ids)
    view = view_of(PAGES[name])
    keys = [section.key for section in map(view.made, view.page) if section]
    assert re.findall(r'<section id="([^"]+)"', page) == [
        "answer", *keys, "data", "method", "repeat",
    ]  # fmt: skip
    assert "<img" not in page
    assert HOSTILE not in page
    assert not re.search(r"(src|href)=\"http", page)


def test_the_policy_names_what_the_page_holds() -> None:
    page = PAGES["hostile"].to_html()
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', page)
    for directive, tag in (("script-src", "script"), ("style-src-elem", "style")):
        [text] = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{directive} &#39;sha256-{digest}&#39;;" in policy
    for words in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "img-src data:"):
        assert words.replace("'", "&#39;") in policy
    assert "script-src 'unsafe" not in policy
    assert "http" not in policy


def test_many_systems_make_a_page_of_limited_size() -> None:
    names = [f"system-{i:03d}" for i in range(80)]
    page = compared(names, topics=6, items=15, measures="qwk, mae, cem").to_html()
    assert len(page) < 2_000_000
    assert page.count("<details") == 50
    assert "The 50 best of 80 systems are shown." in page


@pytest.mark.parametrize("labels", [["low", "mid", "high"], range(120)])
def test_two_raters_have_a_table_of_classes_and_a_row_per_measure(labels: Any) -> None:
    result = agreement(("ann", "ben"), 80, labels)
    section = view_of(result).made("matrix")
    assert section is not None
    [grid] = section.figures
    counts = [float(tile.text) for _, tiles in grid.rows for tile in tiles]
    assert sum(counts) == sum(row.items for row in result.together)
    assert grid.columns == tuple(name for name, _ in grid.rows)
    assert tuple(section.rows) == result.pairs
    page = result.to_html()
    assert "ann and ben, class by class" in page
    assert "of each pair" not in page


def test_long_scales_are_in_groups_of_classes() -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 300, 900)
    guess = np.clip(gold + rng.integers(-5, 6, 900), 0, 299)
    result = oe.evaluate(gold, guess, measures="mae", labels=range(300), draws=0)
    page = result.to_html()
    assert len(page) < 600_000
    assert "250 classes with fewer gold items are left out" in page
    assert len(result.to_frame("classes", "polars")) == 300
    assert "in groups of" in result.to_text("confusion")


def test_cells_are_sorted_by_their_numbers() -> None:
    assert sorting(Cell("0.50", 0.5)) == ""
    assert sorting(Cell("0.5000 [0.4, 0.6]", 0.5)) == "0.5"
    assert sorting(Cell("<0.0001", 1e-5)) == "1e-05"
    assert sorting(Cell("–")) == ""


@pytest.mark.parametrize("name", ["compared", "quantified", "agreement", "judgement"])
def test_the_call_repeats_the_result(name: str) -> None:
    command, python = view_of(PAGES[name]).call()
    assert command == ""  # the data are in memory
    compile(python, name, "exec")
    assert python in PAGES[name].to_html().replace("&#39;", "'").replace("&#34;", '"')
    assert "ordeval mine" in PAGES[name].to_html(command="ordeval mine")


def test_answers_of_results() -> None:
    told = compared().summary()
    assert told.startswith("alpha ranks first of four systems under linear kappa")
    assert "significantly better than all three others" in told
    tied = oe.compare([1, 2, 3] * 9, {"a": [1, 2, 2] * 9, "b": [1, 2, 2] * 9}, labels=[1, 2, 3])
    assert tied.summary().startswith("a and b share the first rank of two systems")
    alone = oe.evaluate([1, 2, 3], [1, 2, 3], measures="mae", labels=[1, 2, 3], draws=0)
    assert "lower is better" in alone.summary()
    constant = {"a": [1, 1, 1, 1], "b": [2, 2, 2, 2]}
    none = oe.compare([1, 1, 2, 2], constant, measures="kendall_b", labels=[1, 2])
    assert none.summary().startswith("No system has a score")


def test_pages_need_no_matplotlib() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import ordeval as oe\n"
        "r = oe.compare([1, 2, 3] * 9, {'a': [1, 2, 2] * 9, 'b': [1, 3, 2] * 9})\n"
        "assert '<svg' in r.to_html()\n"
        "try:\n"
        "    oe.plot.intervals(r)\n"
        "except oe.InputError as error:\n"
        "    assert 'ordeval[plot]' in str(error)\n"
        "else:\n"
        "    raise SystemExit(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
