"""Cards of measures on the site as they are built: defaults, sources, links."""

import re
from html import unescape
from pathlib import Path

import pytest

import ordeval as oe
from ordeval.measures.registry import records

pytest.importorskip("latex2mathml", reason="the site is not built here")
from docsite.cards import card_page
from docsite.cards import records as variants_by_id

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["accuracy", "mae", "mse", "macro_f1"])
def test_measures_that_nobody_in_particular_proposed_say_so(name: str) -> None:
    assert "In general use, formula as in " in card_page(variants_by_id()[name], ROOT)


@pytest.mark.parametrize("id", sorted(records()))
def test_parameters_on_a_card_are_the_defaults(id: str) -> None:
    page = card_page(variants_by_id()[id], ROOT)
    shown = unescape(re.sub(r"</?(?:p|br|li|dd|dt|dl|ul|div|code)\b[^>]*>", "\n", page))
    for name, value in oe.measure(id).params.items():
        assert re.findall(rf"^{name} = (.+); takes ", shown, re.MULTILINE) == [repr(value)]


def test_texts_about_intervals_fit_the_task() -> None:
    shown = ("rnod", "ac2", "oc_general")
    cards = {id: card_page(variants_by_id()[id], ROOT) for id in shown}
    assert "which is over topics" in cards["rnod"]
    assert "Coverage over items" not in cards["rnod"]
    assert "which is over items" in cards["ac2"]
    assert "../rater-coverage.md" in cards["ac2"]
    assert "was not simulated" in cards["oc_general"]


def test_measures_that_texts_name_are_linked() -> None:
    card = card_page(variants_by_id()["nmd"], ROOT)
    assert '<a href="rnod.html"><code>rnod</code></a>' in card
