"""Long files, long lines and quotes that go on in the next line are read as Python reads them."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from io_files import counted

from ordeval import InputError
from ordeval.io import lines, open_files
from ordeval.io.lines import quoting, survey


def _with_lines_in_cells(rows: int) -> str:
    """Return text with line ends, commas and quotes in quoted cells."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["text", "gold", "pred"])
    cells = ["a,b\n1,2,3\n" * 40, 'he said "no"\n' * 30, "1,2,3\n" * 50]
    writer.writerows([cells[i % 3], i % 3, i // 2 % 3] for i in range(rows))
    return out.getvalue()


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_line_ends_in_cells_of_a_long_file(tmp_path: Path, ending: str) -> None:
    text = _with_lines_in_cells(30_000)
    assert len(text) > 10e6  # DuckDB divides files of this size
    path = tmp_path / f"data{ending}"
    path.write_bytes(gzip.compress(text.encode(), 1) if ending.endswith("gz") else text.encode())
    table = counted(path, pred="pred").counts.table[0]
    rows = [(i % 3, i // 2 % 3) for i in range(30_000)]
    assert table.tolist() == [[rows.count((g, p)) for p in range(3)] for g in range(3)]


@pytest.mark.parametrize("compress", [bytes, lambda data: gzip.compress(data, 1)])
def test_a_very_long_last_line_is_not_lost(
    tmp_path: Path, compress: Callable[[bytes], bytes]
) -> None:
    content = b"text,gold,pred\n" + b"a,1,2\na,2,2\n" * 5 + b"x" * 34_000_000 + b",1,1\n"
    path = tmp_path / "data.csv"
    path.write_bytes(compress(content))
    with pytest.raises(InputError, match="line 12 is longer than 2 MB"):
        counted(path, pred="pred")


def test_line_ends_that_change_after_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"gold,pred\n" + b"1,2\n" * 300_000 + b"2,2\r\n" * 10)
    assert counted(path).counts.table[0].tolist() == [[0.0, 300_000.0], [0.0, 10.0]]


@pytest.mark.parametrize("end", [b"", b"\n", b"\n1,2\n"])
@pytest.mark.parametrize("start", [b"", b'"1","2\n"\n', b'1,2\n"1",2\n'])
def test_a_quote_that_is_not_closed(tmp_path: Path, start: bytes, end: bytes) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(b"gold,pred\n" + start + b'1,"2' + end)
    line = 2 + start.count(b"\n")
    with pytest.raises(InputError, match=f"line {line} has a quote that is not closed"):
        counted(path, labels=[1, 2])


def test_keys_that_come_late_are_columns(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    early = json.dumps({"gold": 1, "a": 2}) + "\n"
    late = json.dumps({"gold": 2, "a": 2, "b": 1}) + "\n"
    path.write_text(early * 60_000 + late * 10, encoding="utf-8")
    with open_files(path, missing="skip") as items:
        counts = items.counts()
    assert counts.systems == ("a", "b")
    assert counts.table.sum(axis=(-2, -1)).tolist() == [10, 10]


@pytest.mark.parametrize("repeat", [1, 60_000])
def test_a_key_twice_in_an_object_is_refused(tmp_path: Path, repeat: int) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"gold": 1, "a": 2}\n' * repeat + '{"gold": 1, "a": 2, "\\u0061": 1}\n')
    with pytest.raises(InputError, match="names 'a' more than once"):
        counted(path)


def test_a_late_line_that_is_no_object_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"gold": 1, "a": 2}\n' * 60_000 + "[1, 2]\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a line is not a JSON object \('\[1, 2\]'\)"):
        counted(path, missing="skip")


def test_a_line_separator_in_a_string_of_json(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"gold": 1, "a": 2, "t": "x\u2028y\x85"}\n' * 3, encoding="utf-8")
    assert counted(path, pred="a").counts.table.sum() == 3


def _states(text: str) -> tuple[bool, bool]:
    """Whether a quote is open at the end, and whether one spans lines: letter by letter."""
    inside, spans, at_start, at = False, False, True, 0
    while at < len(text):
        letter = text[at]
        if inside and letter == '"' and text[at + 1 : at + 2] == '"':
            at += 1
        elif inside and letter == '"':
            inside = at_start = False
        elif inside:
            spans = spans or letter in "\r\n"
        elif letter == '"' and at_start:
            inside = True
        elif letter in ",\r\n":
            at_start = True
        elif letter != " ":
            at_start = False
        at += 1
    return inside, spans


@given(st.text('aa""",,\n\r ', max_size=30), st.sampled_from([3, 7, 1 << 20]))
def test_quotes_are_followed(
    tmp_path_factory: pytest.TempPathFactory, text: str, block: int
) -> None:
    path = tmp_path_factory.mktemp("quotes") / "data.csv"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "_BLOCK", block)
        found = quoting(path, ",", gzipped=False)
        surveyed = survey(path)
    assert found.inside == _states(text)[0]
    assert found.inside or found.spans == _states(text)[1]
    assert surveyed.quotes == ('"' in text)
    pairs = text.count("\r\n")
    ends = (pairs, text.count("\n") - pairs, text.removesuffix("\r").count("\r") - pairs)
    assert surveyed.mixed_ends == (sum(n > 0 for n in ends) > 1)
