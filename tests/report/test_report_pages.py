"""The text of the pages: complete, small, escaped, the same every time."""

import io
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_data import HOSTILE, QUICK, compared, hostile, meta, quantified

import ordeval as oe
from ordeval.report.html import sorting
from ordeval.table import Cell

SECTIONS = ["answer", "leaderboard", "systems", "measures", "significance", "topics", "data",
            "method", "repeat"]  # fmt: skip


def _sections(text: str) -> list[str]:
    return re.findall(r'<section id="([a-z]+)"', text)


@pytest.fixture(scope="module")
def page() -> str:
    return compared().to_html()


def test_sections_come_in_the_order_of_the_questions(page: str) -> None:
    assert _sections(page) == SECTIONS
    assert re.findall(r'<li><a href="#([a-z]+)">', page) == SECTIONS


def test_a_quantification_has_distributions_and_topics() -> None:
    text = quantified().to_html()
    assert _sections(text) == [*SECTIONS[:2], "distributions", *SECTIONS[2:]]
    assert "Mean distributions against gold" in text
    assert "25 topics" in text


def test_one_system_has_neither_leaderboard_nor_tests() -> None:
    result = oe.evaluate([1, 2, 3, 3], [1, 2, 2, 3], labels=[1, 2, 3], bootstrap=50)
    text = result.to_html()
    assert _sections(text) == ["answer", "systems", "data", "method", "repeat"]
    assert "It is right on 75.0 % of the items" in text


def test_the_report_is_the_same_every_time(page: str) -> None:
    assert compared().to_html() == page


def test_pages_can_be_made_in_threads(page: str) -> None:
    results = [compared(), quantified(), compared()]
    with ThreadPoolExecutor(3) as pool:
        first, other, second = pool.map(oe.Result.to_html, results)
    assert (first, second) == (page, page)
    assert other == quantified().to_html()


def test_the_file_holds_what_to_html_gives(tmp_path: Path, page: str) -> None:
    result = compared()
    assert result.to_html(tmp_path / "a.html") == page
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page


def test_nothing_points_outside_the_page(page: str) -> None:
    links = re.findall(r'(?:href|src|action)="([^"]*)"', page)
    assert {link[:1] for link in links} == {"#", "d"}
    assert all(link.startswith(("#", "data:")) for link in links)
    assert "url(http" not in page
    assert "@import" not in page


def test_the_policy_names_the_one_script(page: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src &#39;none&#39;; script-src &#39;sha256-")


def test_ids_are_unique_and_links_have_targets(page: str) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)


def test_names_and_labels_are_escaped_everywhere() -> None:
    text = hostile().to_html(command=f"ordeval compare '{HOSTILE}'")
    assert HOSTILE not in text
    assert "<script>alert(1)" not in text
    assert "<b>low</b>" not in text
    assert "<i>topic" not in text
    assert text.count("<script") == 2  # the page's own and its data


def test_names_that_disturb_the_text_around_them_are_made_plain() -> None:
    names = ["\u202egnp.exe", "two\r\nlines", "", "  "]
    gold = [1, 2, 3] * 5
    guesses = dict(zip(names, (gold, [1, 2, 2] * 5, [1, 1, 2] * 5, [2, 1, 2] * 5), strict=True))
    result = oe.compare(gold, guesses, labels=[1, 2, 3], **QUICK)
    text = result.to_html()
    assert "\u202e" not in text
    assert "\r" not in text
    for shown in ("\ufffdgnp.exe", "two\ufffd\ufffdlines", "(blank)", "(blank) (2)"):
        assert f'data-system="{shown}" data-row=' in text


def test_ten_systems_stay_under_two_megabytes() -> None:
    result = compared([f"s{i}" for i in range(10)], topics=100, items=12, measures="all")
    assert len(result.to_html().encode()) < 2_000_000


def test_forty_systems_stay_under_six_megabytes() -> None:
    result = compared([f"s{i}" for i in range(40)], topics=100, items=12, bootstrap=20, trials=20)
    assert len(result.to_html().encode()) < 6_000_000


def test_many_classes_are_pictures_and_still_small() -> None:
    names = [f"s{i}" for i in range(12)]
    result = compared(names, topics=1, items=600, k=30, measures="mae, cem", aggregate="pool")
    text = result.to_html()
    assert text.count("data:image/png") == 10
    assert "Confusion matrices are shown for the first 10 systems." in text
    assert len(text.encode()) < 2_000_000


def test_a_result_read_back_gives_the_same_report(tmp_path: Path, page: str) -> None:
    compared().to_json(tmp_path / "result.json")
    assert oe.load(tmp_path / "result.json").to_html() == page


def test_scores_that_do_not_exist_are_shown_as_such() -> None:
    gold, same = [1, 2, 3] * 4, [2] * 12
    topics = [f"t{i // 3}" for i in range(12)]
    result = oe.compare(gold, {"a": same, "b": same}, labels=[1, 2, 3], topics=topics,
                        measures="pearson, mae", **QUICK)  # fmt: skip
    text = result.to_html()
    assert "No system has a score under" in text
    assert ">–<" in text
    main = text[text.index("<main>") : text.index("</main>")]
    assert "nan" not in re.sub(r"nan:\d+", "", main).lower()


def test_a_comparison_without_intervals_or_tests_has_a_page() -> None:
    result = compared(bootstrap=0)
    assert "No intervals were computed." in result.to_html()
    cluster = np.zeros(6)
    alone = oe.compare([1, 2, 3, 1, 2, 3], {"a": [1, 2, 3, 1, 2, 2], "b": [1, 1, 1, 2, 2, 2]},
                       labels=[1, 2, 3], cluster=cluster, **QUICK)  # fmt: skip
    assert "no test was made" in alone.to_html()


def test_the_command_and_the_call_repeat_the_result(page: str) -> None:
    assert "ordeval compare DATA \\" in page
    assert "--undefined=0" in page
    assert "--trials=200" in page
    assert "oe.compare(" in page
    given = compared().to_html(command="ordeval compare mine.csv --topic t")
    assert "ordeval compare mine.csv --topic t" in given
    assert "ordeval compare DATA" not in given


def test_the_call_in_python_runs_and_gives_the_same_report(tmp_path: Path) -> None:
    from report_data import labels_of

    result = compared()
    text = result.to_html()
    call = re.search(r'aria-label="Python"><code>(.*?)</code>', text, re.DOTALL)
    assert call is not None
    gold, guesses, topics = labels_of(("alpha", "beta", "gamma", "delta"), 20, 30)
    code = unescape(call[1]).replace('.to_html("report.html")', "")
    code = code.replace("oe.compare(", "found = oe.compare(")
    names = {"y_true": gold, "y_pred": guesses, "topics": topics}
    exec(code, names)
    assert names["found"] == result


def _printed(shown: Any) -> str:
    from rich.console import Console

    console = Console(file=io.StringIO(), width=400)
    console.print(shown)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_results_print_as_their_table_everywhere() -> None:
    result = hostile()
    assert repr(result) == str(result)
    text = _printed(result)
    for part in (HOSTILE, "κ linear ↑", "Signature: kappa"):
        assert part in text
        assert part in str(result)


def test_names_are_no_markup_on_the_terminal() -> None:
    result = oe.compare([1, 2, 3], {"[red]a[/red]": [1, 2, 3], "b": [1, 2, 2]}, labels=[1, 2, 3],
                        **QUICK)  # fmt: skip
    assert "[red]a[/red]" in _printed(result)


def test_a_meta_evaluation_shows_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")  # signatures in one line
    found = meta()
    for text in (str(found), repr(found), _printed(found), found._repr_html_()):
        assert "Measures at a glance" in text
        assert found.signature in unescape(text)
    assert found.to_html(tmp_path / "m.html") == (tmp_path / "m.html").read_text(encoding="utf-8")


def test_the_answer_about_measures_is_in_paragraphs_and_says_what_was_not_tested() -> None:
    gold = [0, 0, 1, 0, 2, 1, 0, 0, 2]
    systems = {"low": [0] * 9, "high": [2] * 9}
    counts = oe.Counts.from_labels(gold, systems, labels=[0, 1, 2], topics=list("tttuuuvvv"))
    scores = oe.meta.ScoreMatrices.from_counts(counts, "mae, cem")
    text = oe.meta.meta_evaluate(scores, splits=5, trials=20).to_html()
    answer = text.split('<div class="answer">')[1].split("</div>")[0]
    assert answer.count("<p>") > 3
    assert answer.count("as well") == 1
    assert "– not tested" in text


def test_the_page_on_measures_has_advice_curves_and_signature(tmp_path: Path) -> None:
    found = meta()
    found.to_html(tmp_path / "meta.html", command="ordeval meta x.csv")
    text = (tmp_path / "meta.html").read_text(encoding="utf-8")
    wanted = ["answer", "summary", "similarity", "consistency", "power", "stability", "data"]
    assert _sections(text) == [*wanted, "method", "repeat"]
    assert text.count("<svg") == 3
    assert found.signature in text
    assert "ordeval meta x.csv" in text
    assert len(text) < 1_000_000


@pytest.mark.parametrize("measures", [None, "all"])
def test_the_page_of_ten_systems_is_small(measures: str | None) -> None:
    names = [f"a system with a longer name {i}" for i in range(10)]
    page = compared(names, topics=8, items=40, measures=measures).to_html()
    assert len(page.encode()) < 300_000


def test_numbers_that_tables_are_sorted_by_are_said_only_where_the_text_does_not() -> None:
    cells = [Cell("0.8480", 0.848), Cell("0.8480", 0.84796), Cell("−1,200", -1200), Cell("–", nan)]
    assert list(map(sorting, cells)) == ["", "0.84796", "", ""]
    assert sorting(Cell("12 (3 %)", 12)) == "12"
    assert sorting(Cell("1e5", 3.0)) == "3"
