"""The items behind the numbers: which are chosen, by which door, and what a page says of them."""

import re
from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_data import QUICK, held, labels_of, with_texts

import ordeval as oe
from ordeval.cli import main
from ordeval.data.examples import PER_CELL, Examples, cells_of, choose
from ordeval.errors import InputError

NAMES = ("a", "b")
GOLD, GUESSES, _ = labels_of(NAMES, 6, 40, k=3)
IDS = [f"i{n}" for n in range(len(GOLD))]
TEXTS = [f"text, with a comma {n}" for n in range(len(GOLD))]


def figures(result: oe.Result) -> tuple[Any, ...]:
    found = result.examples
    assert found is not None
    assert found.closer is not None
    return found.systems, found.ids, found.texts, found.labels.tolist(), found.closer.tolist()


@given(st.integers(1, 3), st.integers(2, 4), st.integers(1, 300), st.integers(0, 9))
def test_of_every_cell_the_first_in_the_order_of_hashes_are_chosen(
    systems: int, k: int, items: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, (1 + systems, items))
    ids = [f"item {i}" for i in range(items)]
    chosen, most = choose(labels, k, ids, cells_of(systems, k, paired=True))
    order = sorted(range(items), key=lambda i: md5(ids[i].encode()).hexdigest())
    place = {item: i for i, item in enumerate(order)}
    assert most == PER_CELL
    assert [place[i] for i in chosen] == sorted(place[i] for i in chosen)
    # Cells of one system, gold classes, and where two systems differ, which unite cells of pairs.
    masks = [(labels[0] == g) & (labels[1] == p) for g in range(k) for p in range(k)]
    masks += [labels[0] == g for g in range(k)]
    masks += [labels[0] == labels[-1], abs(labels[0] - labels[1]) < abs(labels[0] - labels[-1])]
    for mask in masks:
        wanted = [i for i in order if mask[i]][:PER_CELL]
        assert [i for i in chosen if mask[i]][:PER_CELL] == wanted


def test_what_a_page_holds_is_limited() -> None:
    labels = np.stack([np.arange(90_000) % 12, *(np.arange(90_000) // 12**i % 12 for i in (1, 2))])
    ids = range(90_000)
    chosen, most = choose(labels, 12, ids, cells_of(2, 12, paired=True))
    assert most == 1
    assert 1_000 < len(chosen) <= 3_000
    long = Examples.of(["a"], ["x"] * 1_000, ["y" * 50_000] * 1_000, np.zeros((2, 1_000), int), 20)
    assert sum(map(len, long.texts)) <= 5_000_000
    assert long.texts[0].endswith("y […]")


def _table(folder: Path) -> Path:
    path = folder / "data.csv"
    rows = zip(IDS, TEXTS, GOLD, *GUESSES.values(), strict=True)
    lines = [f'{id},"{text}",{gold},{a},{b}' for id, text, gold, a, b in rows]
    path.write_text("id,text,gold,a,b\n" + "\n".join(reversed(lines)) + "\n", encoding="utf-8")
    return path


def _runs(folder: Path) -> list[Path]:
    """The same items in a file of gold and a file per system."""
    table = _table(folder).read_text(encoding="utf-8").splitlines()[1:]
    for name, guesses in GUESSES.items():
        lines = [f"{id},{p}" for id, p in zip(IDS, guesses, strict=True)]
        (folder / f"{name}.csv").write_text("id,pred\n" + "\n".join(lines), encoding="utf-8")
    gold = folder / "gold.csv"
    cut = [line.rsplit(",", 2)[0] for line in table]
    gold.write_text("id,text,gold\n" + "\n".join(cut), encoding="utf-8")
    return [gold, folder / "a.csv", folder / "b.csv"]


def _frame(library: str) -> list[Any]:
    columns = {"id": IDS, "text": TEXTS, "gold": GOLD, **GUESSES}
    return [pytest.importorskip(library).DataFrame(columns)]


DOORS: dict[str, Callable[[Path], list[Any]]] = {
    "file": lambda folder: [_table(folder)],
    "runs": _runs,
    "pandas": lambda _: _frame("pandas"),
    "polars": lambda _: _frame("polars"),
    "duckdb": lambda folder: [pytest.importorskip("duckdb").read_csv(str(_table(folder)))],
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_shows_the_same_items(door: str, tmp_path: Path) -> None:
    in_memory = oe.compare(GOLD, GUESSES, labels=range(1, 4), id=IDS, text=TEXTS)
    data = oe.read(*DOORS[door](tmp_path), id="id", text="text", labels=range(1, 4))
    assert figures(oe.compare(data)) == figures(in_memory)


def test_the_index_of_pandas_names_items_that_have_no_other_id() -> None:
    pd = pytest.importorskip("pandas")
    data = pd.DataFrame({"gold": [1, 2, 2], "a": [1, 2, None], "text": ["t", "u", "v"]})
    settings: dict[str, Any] = {"labels": [1, 2], "missing": "skip", "draws": 0}
    for index, ids in (
        (["x", "y", "z"], {"x", "y"}),
        ([7, 8, 9], {"7", "8"}),
        (range(3), {"1", "2"}),
    ):
        frame = data.set_axis(pd.Index(index), axis=0)
        by_frame = oe.evaluate("gold", "a", data=frame, text="text", **settings)
        by_series = oe.evaluate(
            frame["gold"], frame["a"].iloc[::-1], text=frame["text"].iloc[::-1], **settings
        )
        for found in (by_frame.examples, by_series.examples):
            assert found is not None
            assert set(found.ids) == ids
            assert dict(zip(found.ids, found.texts, strict=True))[min(ids)] == "t"


def test_items_that_are_not_scored_are_not_shown() -> None:
    text = ["gap", "no weight", "third", "fourth"]
    found = oe.evaluate(
        [1, 1, 2, 2],
        {"a": [None, 1, 2, 1]},
        labels=[1, 2],
        missing="skip",
        weight=[1, 0, 1, 2],
        text=text,
        draws=0,
    ).examples
    assert found is not None
    assert sorted(zip(found.ids, found.texts, strict=True)) == [("3", "third"), ("4", "fourth")]


def test_a_missing_prediction_is_shown_as_the_class_that_stands_for_it(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("gold,a,words\n1,,first\n2,2,second\n", encoding="utf-8")
    data = oe.read(path, text="words", missing="worst", labels=[1, 2, 3])
    found = oe.evaluate(data).examples
    assert found is not None
    shown = dict(zip(found.ids, found.labels.T.tolist(), strict=True))
    assert shown == {"1": [0, 2], "2": [1, 1]}


def test_the_command_writes_a_page_with_the_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    options = ["--text", "text", "--html", str(page), "--draws", "0", "--quiet"]
    assert main(["score", str(_table(tmp_path)), *options]) == 0
    assert "text" not in capsys.readouterr().out  # is not a system
    found = held(page.read_text(encoding="utf-8"))
    assert found["systems"] == ["a", "b"]
    assert set(found["texts"]) <= set(TEXTS)
    assert len(set(found["ids"])) == len(found["ids"])


def test_pages_without_texts_open_nothing_and_texts_cannot_leave_their_data() -> None:
    page = oe.compare(GOLD, GUESSES, labels=range(1, 4), **QUICK).to_html()
    assert "data-items=" not in page
    assert "<dialog" not in page
    page = with_texts().to_html()
    assert "<script>document.title" not in page
    assert any("</script><script>document.title" in text for text in held(page)["texts"])


LONG = 40


def _long(items: int = 400) -> tuple[list[int], dict[str, list[int]]]:
    gold = [i % LONG for i in range(items)]
    return gold, {"a": [(g + i % 3) % LONG for i, g in enumerate(gold)], "b": [0] * items}


def test_of_long_scales_classes_groups_and_distances_open_items() -> None:
    gold, guesses = _long()
    texts = [str(i) for i in range(400)]
    page = oe.compare(gold, guesses, labels=range(LONG), text=texts, **QUICK).to_html()
    found = held(page)
    assert 'data-items="n,10 g,0,0 s,' in page  # support of a class
    assert re.search(r'data-items="n,\d+ p,0,39,39"', page)  # how often it is predicted
    assert re.search(r'data-items="n,\d+ g,0,4 p,\d,5,9"', page)  # groups of classes
    assert re.search(r'data-items="n,\d+ d,0,1,1"', page)  # one class too high
    a = found["systems"].index("a")
    items = list(zip(found["gold"], found["pred"][a], strict=True))
    assert set(found["gold"]) == {p for _, p in items} == set(range(LONG))
    for step in (0, 1, 2):
        assert sum(p - g == step for g, p in items) >= found["most"]


@pytest.mark.slow
def test_of_very_long_scales_gold_classes_open_items() -> None:
    gold = [i % 400 for i in range(800)]
    texts = [str(i) for i in range(800)]
    page = oe.evaluate(gold, [0] * 800, labels=range(400), text=texts, draws=0).to_html()
    assert 'data-items="n,2 g,0,0 s,0"' in page
    assert " p,0," not in page


def test_texts_that_cannot_be_shown_are_refused(tmp_path: Path) -> None:
    path = _table(tmp_path)
    relation = pytest.importorskip("duckdb").read_csv(str(path))
    lazy = pytest.importorskip("polars").scan_csv(path)
    for source, roles, message in (
        (path, {"text": "words"}, "there is no column 'words'"),
        (path, {"text": "text", "judge": "b"}, "text cannot be combined with a judge"),
        (lazy, {"id": "id", "text": "text"}, "lazy frame"),
        (relation, {"text": "text"}, "DuckDB relation"),
    ):
        with pytest.raises(InputError, match=message):
            oe.read(source, **roles)
    with pytest.raises(InputError, match="text cannot be used with Counts"):
        oe.evaluate(oe.Counts.from_table([[1, 2], [3, 4]]), text=["a"])
    with pytest.raises(InputError, match="text"):
        oe.evaluate([1, 2], [1, 2], labels=[1, 2], text=["only one"])
