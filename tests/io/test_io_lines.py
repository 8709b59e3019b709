"""Long files, long lines and quotes that go on in the next line are read as Python reads them."""

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from io_files import counted

from ordeval import InputError, evaluate
from ordeval.files import text as text_module
from ordeval.files.text import survey


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


@pytest.mark.parametrize("repeat", [1, 60_000])
def test_a_key_twice_in_an_object_is_refused(tmp_path: Path, repeat: int) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"gold": 1, "a": 2}\n' * repeat + '{"gold": 1, "a": 2, "\\u0061": 1}\n')
    with pytest.raises(InputError, match="names 'a' more than once"):
        counted(path)


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
    inside, spans = _states(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "_BLOCK", block)
        if inside:
            with pytest.raises(InputError, match="not closed"):
                survey(path, "data", ",", gzipped=False)
            return
        found = survey(path, "data", ",", gzipped=False)
    pairs = text.count("\r\n")
    ends = (pairs, text.count("\n") - pairs, text.count("\r") - pairs)
    assert found.spans == spans
    assert len(found.ends) == sum(n > 0 for n in ends)


def _large(kind: str) -> bytes:
    if kind == ".csv.gz":
        return b"gold,a,t\n" + b"".join(b"1,2,%d\n" % (i * 7919) for i in range(300_000))
    return b"".join(b'{"gold": 1, "a": 2, "t": %d}\n' % (i * 7919) for i in range(100_000))


@pytest.mark.parametrize(
    ("kind", "damage"), [(".csv.gz", "cut"), (".csv.gz", "changed"), (".jsonl.gz", "checksum")]
)
def test_damaged_archives_beyond_the_first_megabyte(tmp_path: Path, kind: str, damage: str) -> None:
    packed = bytearray(gzip.compress(_large(kind), 1))
    if damage == "cut":
        packed = packed[: len(packed) * 9 // 10]
    else:
        packed[-5 if damage == "checksum" else len(packed) * 9 // 10] ^= 0x55
    path = tmp_path / f"data{kind}"
    path.write_bytes(packed)
    with pytest.raises(InputError, match="damaged or truncated gzip"):
        counted(path, pred="a", labels=[1, 2])


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".csv", ".csv.gz", ".jsonl", ".jsonl.gz"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_a_line_of_any_length_is_read_or_refused_at_once(
    tmp_path: Path, kind: str, end: str
) -> None:
    first, last = ("gold,a,t", "1,2," + "x" * 40_000_000)
    if "jsonl" in kind:
        first, last = '{"gold": 1, "a": 2}', '{"gold": 1, "a": 2, "t": "' + "x" * 40_000_000 + '"}'
    content = f"{first}\n{last}{end}".encode()
    path = tmp_path / f"data{kind}"
    path.write_bytes(gzip.compress(content, 1) if kind.endswith("gz") else content)
    with pytest.raises(InputError, match="a line is longer than"):
        counted(path, pred="a", labels=[1, 2])


ARRAY = [
    {"gold": 1, "a": 2, "s": {"human": 2, "x": {"y/z": 1}}},
    {"gold": 2, "a": 2, "s": {"human": 1}},
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "d", "d.json.gz"])
def test_arrays_of_objects_are_read_like_lines(tmp_path: Path, name: str, indent: Any) -> None:
    content = json.dumps(ARRAY, indent=indent).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    assert counted(path, pred="a").counts.table.tolist() == [[[0, 1], [0, 1]]]
    for encoding in ("utf-8-sig", "utf-16"):
        path.write_bytes(content.decode().encode(encoding))
        if not name.endswith("gz"):
            assert counted(path, pred="a").counts.table.sum() == 2


@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "d.parquet"])
def test_fields_of_nested_columns_have_names(tmp_path: Path, name: str) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(ARRAY))
    if name == "d.jsonl":
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in ARRAY))
    if name == "d.parquet":
        duckdb = pytest.importorskip("duckdb")
        duckdb.sql(f"SELECT * FROM read_json('{path}')").write_parquet(str(tmp_path / name))
        path = tmp_path / name
    found = counted(path, gold="s.human", pred=["a"], where={"gold": [1, 2]}, labels=[1, 2])
    assert found.counts.table.tolist() == [[[0, 1], [0, 1]]]
    assert counted(path, pred=["s.x.y/z"], labels=[1, 2], missing="skip").counts.items == 1
    with pytest.raises(InputError, match=r"no column 's\.humane'"):
        counted(path, gold="s.humane", pred="a")


@pytest.mark.parametrize(
    ("gold", "pred", "words"),
    [
        ("scores.humna", "scores.gpt", "'scores.gpt'. Did you mean 'scores.human'?"),
        ("scores.human", "scores.gtp", "Did you mean 'scores.gpt'?"),
        ("scores", "scores.gpt", "Name a field of an object, as in 'scores.field'"),
    ],
)
def test_a_wrong_path_gets_the_fields(tmp_path: Path, gold: str, pred: str, words: str) -> None:
    rows = [{"scores": {"human": 1 + i % 3, "gpt": 1 + i % 2}} for i in range(9)]
    for name, text in (("a.json", json.dumps(rows)), ("a.jsonl", "\n".join(map(json.dumps, rows)))):
        (tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=re.escape(words)):
            evaluate(gold, pred, data=tmp_path / name)
    (tmp_path / "b.json").write_text(json.dumps({"model": "m", "results": rows}))
    with pytest.raises(InputError, match="'results' is a list of objects"):
        evaluate(gold, pred, data=tmp_path / "b.json")
