"""The items behind the numbers of raters: by which door, which are chosen, and what pages show."""

import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rater_data import GAP, rated
from report_data import HOSTILE, held

import ordeval as oe
from ordeval.cli import main
from ordeval.data.examples import PER_CELL
from ordeval.errors import InputError

RATERS = ("ann", "ben", "cai", "gpt")
CODES = rated(len(RATERS), 120, 5)
IDS = [f"i{n}" for n in range(len(CODES))]
TEXTS = [f'text, "with" a comma {n}' for n in range(len(CODES))]
TEXTS[7] = "</script><script>document.title = 'hacked'</script>"
QUICK: dict[str, Any] = {"labels": range(1, 6), "draws": 0}
COLUMNS = {
    name: [None if c == GAP else int(c) + 1 for c in CODES[:, j]] for j, name in enumerate(RATERS)
}


def _write(path: Path, rows: list[list[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def _wide(folder: Path) -> Path:
    rows = [[IDS[i], TEXTS[i], *(COLUMNS[r][i] for r in RATERS)] for i in range(len(IDS))]
    return _write(folder / "wide.csv", [["id", "words", *RATERS], *rows])


def _long_rows() -> list[list[Any]]:
    return [
        [IDS[i], TEXTS[i], r, "model" if r == "gpt" else "person", COLUMNS[r][i]]
        for i in reversed(range(len(IDS)))
        for r in RATERS
        if COLUMNS[r][i] is not None
    ]


def _long(folder: Path) -> Path:
    heading = ["item", "words", "rater", "kind", "rating"]
    return _write(folder / "long.csv", [heading, *_long_rows()])


def _nested(folder: Path) -> Path:
    path = folder / "nested.jsonl"
    rows = [
        {"id": IDS[i], "words": TEXTS[i], "ratings": {r: COLUMNS[r][i] for r in RATERS}}
        for i in range(len(IDS))
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def _command(folder: Path, data: Path, *options: str) -> dict[str, Any]:
    page = folder / "page.html"
    shared = ["--text", "words", "--labels", "1,2,3,4,5", "--draws", "0", "--quiet"]
    assert main([options[0], str(data), *options[1:], *shared, "--html", str(page)]) == 0
    return held(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("make", [_wide, _long, _nested])
@pytest.mark.slow
def test_every_form_of_file_shows_the_items_of_memory(
    make: Callable[[Path], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_memory = oe.agreement(COLUMNS, item=IDS, text=TEXTS, **QUICK).to_html()
    assert _command(tmp_path, make(tmp_path), "agreement") == held(in_memory)
    assert "words" not in capsys.readouterr().out  # is not a rater


@pytest.mark.slow
def test_frames_show_the_items_of_memory() -> None:
    polars = pytest.importorskip("polars")
    wide = polars.DataFrame({"id": IDS, "words": TEXTS, **COLUMNS})
    in_memory = oe.agreement(COLUMNS, item=IDS, text=TEXTS, **QUICK)
    found = oe.agreement(data=wide, item="id", text="words", **QUICK)
    assert held(found.to_html()) == held(in_memory.to_html())
    names = ["item", "words", "rater", "kind", "rating"]
    long = polars.DataFrame(_long_rows(), schema=names, orient="row")
    roles = {"item": "item", "rater": "rater", "rating": "rating", "text": "words"}
    judged = oe.judge(data=long, kind="kind", **roles, **QUICK)
    people, models = {name: COLUMNS[name] for name in RATERS[:3]}, {"gpt": COLUMNS["gpt"]}
    in_memory = oe.judge(people, models, item=IDS, text=TEXTS, **QUICK)
    assert held(judged.to_html()) == held(in_memory.to_html())


def _opens(page: str, section: str) -> list[list[str]]:
    """The conditions of the numbers of a section."""
    part = page.split(f'<section id="{section}"')[1].split("</section>", maxsplit=1)[0]
    return [found.split() for found in re.findall(r'data-items="([^"]*)"', part)]


def _fits(data: dict[str, Any], item: int, condition: str) -> bool:
    """Whether a condition of the page holds for an item, as its script decides it."""
    kind, *rest = condition.split(",")
    numbers = [int(float(number)) for number in rest]
    pred = [codes[item] for codes in data["pred"]]
    return {
        "n": lambda *_: True,
        "g": lambda low, high: low <= data["gold"][item] <= high,
        "p": lambda s, low, high: low <= pred[s] <= high,
        "r": lambda s: pred[s] >= 0,
        "o": lambda s: any(c >= 0 for t, c in enumerate(pred[: data["people"]]) if t != s),
        "q": lambda part: item in data["parts"][part],
        "i": lambda one: item == one,
    }[kind](*numbers)


def _check_numbers(page: str, sections: list[str]) -> None:
    """Every number of items opens as many as it says, up to the limit."""
    data = held(page)
    for section in sections:
        numbers = _opens(page, section)
        assert numbers, section
        for conditions in numbers:
            shown = [
                i for i in range(len(data["ids"])) if all(_fits(data, i, c) for c in conditions)
            ]
            number = int(conditions[0].removeprefix("n,"))
            assert min(number, data["most"]) <= len(shown) <= number, conditions


@pytest.mark.slow
def test_numbers_open_as_many_items_as_they_say() -> None:
    page = oe.agreement(COLUMNS, item=IDS, text=TEXTS, **QUICK).to_html()
    _check_numbers(page, ["matrix", "raters", "disputed"])
    people, models = {name: COLUMNS[name] for name in RATERS[:3]}, {"gpt": COLUMNS["gpt"]}
    parts = ["even" if i % 2 else "odd" for i in range(len(IDS))]
    page = oe.judge(people, models, item=IDS, text=TEXTS, by=parts, **QUICK).to_html()
    _check_numbers(page, ["matrix", "replacements", "slices", "items", "raters"])
    assert "median of people" in held(page)["reference"]


@pytest.mark.slow
def test_pairs_on_a_long_scale_are_in_groups_of_classes() -> None:
    codes = rated(2, 200, 60, gaps=0.0)
    ratings = {"ann": codes[:, 0].tolist(), "ben": codes[:, 1].tolist()}
    page = oe.agreement(ratings, text=range(200), labels=range(60), draws=0).to_html()
    _check_numbers(page, ["matrix", "raters"])
    assert any("p,0,5,9" in conditions for conditions in _opens(page, "matrix"))


def test_frequencies_count_items_and_weights_do_not() -> None:
    ratings = {"ann": [1, 2, 2], "ben": [1, 2, 3]}
    given: dict[str, Any] = {"text": ["x", "y", "z"], "labels": [1, 2, 3], "draws": 0}
    times = oe.agreement(ratings, frequency=[4, 1, 2], **given).examples
    weights = oe.agreement(ratings, weight=[4, 1, 2], **given).examples
    assert times is not None
    assert weights is not None
    assert np.diag(times.tables["ann", "ben"]).tolist() == [4, 1, 0]
    assert np.diag(weights.tables["ann", "ben"]).tolist() == [1, 1, 0]


@pytest.mark.slow
def test_disputed_items_show_their_texts_as_text() -> None:
    ratings = [[1, 5], [2, 2], [3, 4]]
    page = oe.agreement(ratings, text=[HOSTILE, "b", "c"], labels=range(1, 6)).to_html()
    assert HOSTILE not in page
    assert '<th scope="col">text</th>' in page
    assert held(page)["texts"][held(page)["ids"].index("1")] == HOSTILE


def test_different_texts_of_an_item_are_joined(tmp_path: Path) -> None:
    rows = [["item", "rater", "rating", "words"], ["x", "a", 1, "second"], ["x", "b", 2, "first"]]
    path = _write(tmp_path / "data.csv", [*rows, ["y", "a", 1, ""], ["y", "b", 1, "third"]])
    found = _command(tmp_path, path, "agreement")
    texts = dict(zip(found["ids"], found["texts"], strict=True))
    assert texts == {"x": "first\n\nsecond", "y": "third"}


@pytest.mark.slow
def test_many_raters_have_the_pairs_that_agree_least() -> None:
    codes = rated(30, 100, 5) + 1
    ratings = np.where(codes > 0, codes, np.nan)
    found = oe.agreement(ratings, text=range(100), **QUICK)
    assert found.examples is not None
    assert len(found.examples.tables) == 10
    data = held(found.to_html())
    assert data["every"] is False
    assert 1 <= data["most"] <= PER_CELL


def test_pages_without_texts_open_nothing_and_json_holds_no_texts(tmp_path: Path) -> None:
    assert "data-items=" not in oe.agreement(COLUMNS, **QUICK).to_html()
    with_texts = oe.agreement(COLUMNS, text=TEXTS, **QUICK)
    without = oe.agreement(COLUMNS, **QUICK)
    assert replace(with_texts, about=without.about).to_json() == without.to_json()
    (tmp_path / "found.json").write_text(with_texts.to_json(), encoding="utf-8")
    read = oe.load(tmp_path / "found.json")
    assert isinstance(read, oe.Agreement)
    assert read.examples is None


def test_a_column_that_is_absent_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["agreement"], ["judge", "--models", "gpt"]):
        assert main([command[0], str(_wide(tmp_path)), *command[1:], "--text", "word"]) == 2
        told = capsys.readouterr().err
        assert "there is no column 'word'" in told
        assert "--text" in told
    with pytest.raises(InputError) as caught:
        oe.agreement([[1, 2], [2, 2]], text=["only"], labels=[1, 2])
    assert caught.value.parameter == "text"


@pytest.mark.parametrize("judged", [False, True])
@pytest.mark.slow
def test_texts_of_several_lines_are_whole_in_tables(judged: bool) -> None:
    texts = [f"first {n}\nsecond\r\n\tthird\u2028last\x07" for n in range(len(CODES))]
    people = {name: COLUMNS[name] for name in RATERS[:3]}
    given: dict[str, Any] = {"item": IDS, "text": texts, **QUICK}
    found = oe.judge(people, {"gpt": COLUMNS["gpt"]}, **given) if judged else None
    page = (found or oe.agreement(people, **given)).to_html()
    assert re.search(r"<td[^>]*>first \d+ second third last\ufffd</td>", page)
    assert page.count("\ufffd") == len(re.findall("third last\ufffd<", page))
    assert set(held(page)["texts"]) <= set(texts)
