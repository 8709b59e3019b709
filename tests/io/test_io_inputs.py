"""Files as people have them: folders, pipes, gold among the runs, spreadsheets, odd text."""

import gzip
import io
import os
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from io_files import counted

import ordeval as oe
from ordeval import InputError, read_shares

GOLD = "id,topic,gold\n1,x,1\n2,x,2\n3,y,3\n4,y,1\n"
RUN = "id,label\n1,1\n2,2\n3,3\n4,2\n"
WIDE = "id,topic,gold,run\n1,x,1,1\n2,x,2,2\n3,y,3,3\n4,y,1,2\n"
TABLE = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.csv").write_text(GOLD)
    Path("run.csv").write_text(RUN)
    return tmp_path


@pytest.mark.parametrize("spelling", ["gold.csv", "./gold.csv", "*.csv", "link.csv", "."])
def test_the_gold_file_is_left_out_of_the_runs(folder: Path, spelling: str) -> None:
    if spelling == "link.csv":
        Path("link.csv").symlink_to("gold.csv")
    runs = ("run.csv", spelling) if "csv" in spelling and "*" not in spelling else (spelling,)
    found = counted("gold.csv", runs)
    assert found.systems == ("run",)
    assert found.counts.table[0].tolist() == TABLE
    assert "because it holds gold" in str(found.notices[0])


def test_a_folder_stands_for_its_data_files(folder: Path) -> None:
    (folder / "runs" / "deeper.csv").mkdir(parents=True)
    for name in ("b.csv", "a.csv", ".hidden.csv", "notes.md", "c.tar.gz"):
        (folder / "runs" / name).write_text(RUN)
    (folder / "runs" / "d.csv.gz").write_bytes(gzip.compress(RUN.encode()))
    assert counted("gold.csv", ("runs",)).systems == ("a", "b", "d")


def test_a_folder_of_parts_is_one_table(folder: Path) -> None:
    (folder / "parts").mkdir()
    for i in range(3):
        (folder / "parts" / f"{i}.csv").write_text("gold,a\n1,2\n")
    assert counted("parts", labels=[1, 2]).counts.table.sum() == 3


def _standard_input(monkeypatch: Any, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data), closed=False))


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
@pytest.mark.parametrize(
    "data",
    [
        WIDE.encode(),
        gzip.compress(WIDE.encode()),
        WIDE.replace(",", "\t").replace("x", '"x"').encode(),
        WIDE.encode("utf-16"),
        b"".join(b'{"gold": %d, "run": %d}\n' % pair for pair in [(1, 1), (2, 2), (3, 3), (1, 2)]),
    ],
    ids=["csv", "gz", "tsv with quotes", "utf-16", "jsonl"],
)
def test_standard_input_is_sniffed(monkeypatch: Any, name: str, data: bytes) -> None:
    _standard_input(monkeypatch, data)
    found = counted(name, gold="gold", pred="run")
    assert found.counts.table[0].tolist() == TABLE


def test_a_run_may_be_standard_input(folder: Path, monkeypatch: Any) -> None:
    _standard_input(monkeypatch, RUN.encode())
    assert counted("gold.csv", ("-",)).systems == ("stdin",)
    with pytest.raises(InputError, match="read only once"):
        counted("-", ("-",))


def test_closed_standard_input_is_an_error(monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="Standard input is closed"):
        counted("-")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_pipes_are_read_once_and_their_copies_removed(folder: Path, monkeypatch: Any) -> None:
    scratch = folder / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    os.mkfifo("a.csv")
    os.mkfifo("b.csv")
    writers = [
        threading.Thread(target=Path(name).write_text, args=(RUN,)) for name in ("a.csv", "b.csv")
    ]
    for writer in writers:
        writer.start()
    found = counted("gold.csv", ("a.csv", "b.csv"))
    for writer in writers:
        writer.join()
    assert found.systems == ("a", "b")
    assert found.counts.table[1].tolist() == TABLE
    assert list(scratch.iterdir()) == []


def _text(folder: Path, text: str, name: str = "t.csv", **options: Any) -> Any:
    (folder / name).write_text(text, newline="")
    return counted(folder / name, **options).counts


@pytest.mark.parametrize("start", ["sep=;\n", "\ufeffsep=;\r\n", '"sep=;"\n', "\nSEP=;\n"])
def test_a_first_line_may_name_the_separator(tmp_path: Path, start: str) -> None:
    end = "\r\n" if "\r" in start else "\n"
    text = start + end.join(["gold;a,b", "1;2", "2;2", ""])
    found = _text(tmp_path, text)
    assert (found.systems, found.table.tolist()) == (("a,b",), [[[0, 1], [0, 1]]])


@pytest.mark.parametrize("text", ["gold;a;w\n1,0;2,0;0,5\n2;2;1,125\n",
                                  'gold,a,w\n"1,0","2,0","0,5"\n2,2,"1,125"\n'])  # fmt: skip
def test_decimal_commas_if_asked_for(tmp_path: Path, text: str) -> None:
    found = _text(tmp_path, text, weight="w", decimal=",")
    assert found.table.tolist() == [[[0, 0.5], [0, 1.125]]]
    for options in ({}, {"weight": "w", "labels": [1, 2], "pred": "a"}):
        with pytest.raises(InputError) as caught:
            _text(
                tmp_path,
                text.replace("1,0", "1").replace("2,0", "2") if options else text,
                **options,
            )
        assert caught.value.suggest["decimal"] == ","
        assert "decimal=','" in str(caught.value)


@pytest.mark.parametrize(
    ("gold", "text"),
    [
        ("go\nld", '"go\nld",a\r\n1,2\r\n2,2\r\n'),
        ("go\r\nld", '"go\r\nld",a\n1,2\n2,2\n'),
        ("gold", "gold,a\r\n1,2\n2,2\n"),
        ("gold", "gold,a\n1,2\r2,2\r"),
    ],
)
def test_line_ends_of_several_kinds(tmp_path: Path, gold: str, text: str) -> None:
    assert _text(tmp_path, text, gold=gold).table.tolist() == [[[0, 1], [0, 1]]]


def test_spaces_around_names_of_columns(tmp_path: Path) -> None:
    assert _text(tmp_path, "gold , a\n1,2\n2,2\n").systems == ("a",)
    assert _text(tmp_path, "gold,a,a \n1,2,1\n2,2,1\n").systems == ("a", "a ")


def test_numbered_columns_of_gold_say_nothing_about_runs(folder: Path) -> None:
    Path("g.tsv").write_text(GOLD.partition("\n")[2].replace(",", "\t"))
    Path("r.tsv").write_text(RUN.partition("\n")[2].replace(",", "\t"))
    found = counted("g.tsv", ("r.tsv",), header=False, topic="2")
    assert found.counts.pooled().table[0].tolist() == TABLE
    Path("g.tsv").write_text("1\t1\n2\t2\n3\t3\n4\t1\n")
    assert counted("g.tsv", ("r.tsv",), header=False).counts.table[0].tolist() == TABLE


@pytest.fixture
def book(tmp_path: Path) -> Any:
    openpyxl = pytest.importorskip("openpyxl")

    def write(rows: list[list[Any]], **sheets: list[list[Any]]) -> Path:
        found = openpyxl.Workbook()
        for row in rows:
            found.active.append(row)
        for name, others in sheets.items():
            sheet = found.create_sheet(name)
            for row in others:
                sheet.append(row)
        found.save(tmp_path / "book.xlsx")
        return tmp_path / "book.xlsx"

    return write


ROWS = [[], [None, "id", "gold", "run"], *([None, i, float(g), p] for i, g, p in
        [(1, 1, 1), (2, 2, 2), (3, 3, 3), (4, 1, 2)]), []]  # fmt: skip


def test_a_spreadsheet_is_a_table(book: Any) -> None:
    found = counted(book(ROWS))
    assert (found.systems, found.counts.table[0].tolist()) == (("run",), TABLE)


def test_blank_cells_are_missing(book: Any) -> None:
    path = book([*ROWS, [None, 5, 1, None], [None, 6, "#N/A", 2]])
    assert counted(path, missing="skip").counts.skipped == 2
    with pytest.raises(InputError, match="run: 1 at id '5'"):
        counted(path)


def test_a_sheet_is_chosen_by_name(book: Any) -> None:
    path = book([["x"]], **{"it's; --": ROWS})
    assert counted(path, sheet="it's; --").counts.table[0].tolist() == TABLE
    with pytest.raises(InputError, match="there are 'Sheet', \"it's; --\""):
        counted(path, sheet="none")


def test_spaces_in_cells_of_a_sheet_are_kept(book: Any) -> None:
    path = book([[" topic", "gold", "a"], ["x", 1, 1], [" x ", 2, 2]])
    assert counted(path, topic="topic").counts.topics == (" x ", "x")


def test_without_openpyxl_the_extra_is_named(book: Any, monkeypatch: Any) -> None:
    path = book(ROWS)
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match="pip install openpyxl"):
        counted(path)


def test_where_keeps_rows_of_gold_and_of_runs(folder: Path) -> None:
    found = counted("gold.csv", ("run.csv",), where={"topic": "x"}, labels=[1, 2, 3])
    assert found.counts.table[0].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert tuple(map(str, found.notices)) == (
        "Only rows with topic = 'x': 2 of 4 rows of gold.csv.",
    )
    items = oe.read("gold.csv", "run.csv", where=[("topic", "x")])
    assert items.about["where"] == {"topic": ["x"]}


@pytest.mark.parametrize(
    ("where", "items"),
    [({"gold": 1.0}, 2), ({"gold": "1.0", "topic": "y"}, 1), ({"topic": ["x", "y"]}, 4)],
)
def test_where_in_one_table(folder: Path, where: Any, items: int) -> None:
    Path("wide.csv").write_text(WIDE)
    assert counted("wide.csv", where=where, labels=[1, 2, 3]).counts.items == items


def test_a_run_is_filtered_by_its_own_column(folder: Path) -> None:
    Path("g.csv").write_text("id,topic,gold\n1,x,1\n1,y,2\n")
    Path("r.csv").write_text("id,topic,label\n1,x,1\n1,y,1\n")
    found = counted("g.csv", ("r.csv",), where={"topic": "y"}, labels=[1, 2])
    assert found.counts.table[0].tolist() == [[0, 0], [1, 0]]


def test_where_chooses_distributions(folder: Path) -> None:
    Path("s.csv").write_text("system,topic,1,2\ngold,x,0.5,0.5\na,x,1,0\ngold,y,0,1\na,y,0,1\n")
    found = read_shares("s.csv", where={"topic": "y"})
    assert found.topics == ("y",)
    Path("g.csv").write_text("topic,lang,1,2\nx,en,0.5,0.5\ny,de,0,1\n")
    Path("r.csv").write_text("topic,1,2\nx,1,0\ny,0,1\n")
    found = read_shares("g.csv", "r.csv", where={"lang": "de"}, labels=[1, 2])
    assert (found.topics, found.rows[1].tolist()) == (("y",), [[0, 1]])
