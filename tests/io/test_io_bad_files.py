"""Whatever is wrong with a file, the message names it and says what to do."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest
from io_files import counted

from ordeval import InputError

HEAD = b"gold,a\n"
LABELS: dict[str, Any] = {"labels": ["x", "y"]}
BAD: dict[str, tuple[str, bytes, dict[str, Any], str]] = {
    "empty": ("d.csv", b"", {}, "is empty"),
    "empty gz": ("d.csv.gz", gzip.compress(b""), {}, "is empty"),
    "only a header": ("d.csv", HEAD, {}, "there are no items"),
    "short row": ("d.csv", HEAD + b"x,y\nx\n", LABELS, r"line 3 has 1 column, 2 are expected"),
    "long row": ("d.csv", HEAD + b"x,y,z\n", LABELS, r"line 2 has 3 columns.*'x,y,z'"),
    "after quote": ("d.csv", HEAD + b'x,"y"z\n', LABELS, "text after a closing quote"),
    "latin-1": ("d.csv", HEAD + b"x,\xe9\n", LABELS, r"not UTF-8 text \(byte 9\).*latin-1"),
    "latin-1 later": (
        "d.csv",
        HEAD + b"x,y\n" * 300000 + b"x,\xe9\n",
        LABELS,
        "line 300002 is not",
    ),
    "unmarked utf-16": ("d.csv", "gold,a\n".encode("utf-16-le"), {}, "null characters"),
    "half utf-16": ("d.csv", "gold,a".encode("utf-16") + b"\n", {}, "not utf-16 text"),
    "unknown encoding": ("d.csv", HEAD, {"encoding": "klingon"}, "no encoding 'klingon'"),
    "null bytes": ("d.csv", b"gold\x00,a\n", {}, "null characters"),
    "spreadsheet": ("d.csv", b"PK\x03\x04....", {}, "is a zip archive"),
    "SPSS": ("d.sav", b"$FL2@(#) SPSS\x00", {}, "an SPSS file"),
    "old Excel": ("d.xlsx", b"\xd0\xcf\x11\xe0\x00", {}, "old Excel file .*password"),
    "page": ("d.csv", b" <!DOCTYPE html><html>", {}, "HTML"),
    "zstd": ("d.csv.zst", b"\x28\xb5\x2f\xfd....", {}, "compressed with zstd"),
    "not gz": ("d.csv.gz", HEAD, {}, "is not a gzip file"),
    "cut gz": ("d.csv.gz", gzip.compress(HEAD * 9)[:-9], {}, "damaged or truncated gzip"),
    "not parquet": ("d.parquet", b"hello", {}, "not a parquet file"),
    "broken parquet": ("d.parquet", b"PAR1....PAR1", {}, "damaged parquet"),
    "json broken": ("d.jsonl", b'{"gold": 1}\n{"gold"\n', {}, "line 2 is no JSON"),
    "json broken late": (
        "d.jsonl",
        b'{"gold":1,"a":1}\n' * 99999 + b"{\n",
        {},
        "line 100000 is no JSON",
    ),
    "no gold column": (
        "d.csv",
        b"Gould,a\n1,1\n",
        {},
        "the columns are 'Gould', 'a'.*mean 'Gould'",
    ),
    "two gold columns": ("d.csv", b"Gold,GOLD,a\n1,1,1\n", {}, "no column 'gold'"),
    "no header": ("d.csv", b"1,1\n1,1\n", {}, "more than once.*has no header, pass header=False"),
    "no such position": ("d.csv", b"1,1\n", {"header": False}, "the columns are '1', '2'"),
    "no such topic": ("d.csv", HEAD, {"topic": "t"}, "no column 't'"),
    "nothing to score": ("d.csv", b"gold,id\n1,1\n", {}, "no column is left"),
    "delimiter": ("d.csv", HEAD, {"delimiter": "ab"}, "'ab' is not a delimiter"),
    "wrong delimiter": ("d.csv", HEAD, {"delimiter": ";"}, "the columns are 'gold,a'"),
    "merged cells": (
        "d.csv",
        b"doc,gold,a\nx,1,1\n,2,2\ny,1,2\n",
        {"cluster": "doc"},
        "first row of each group .*fill it down",
    ),
    "number of items": (
        "d.csv",
        b"gold,a,n\n1,1,20\n2,2,4\n",
        {},
        "pred=.*frequency='n'",
    ),
    "number of items, text": (
        "d.csv",
        b"gold,a,Anzahl\nx,x,20\ny,y,4\n",
        LABELS,
        "frequency='Anzahl'",
    ),
    "None": (
        "d.csv",
        HEAD + b"None,None\nMild,None\nSevere,\n",
        {},
        r"gold: 1 \(1 × 'None'\).*a: 3 \(2 × 'None'\)",
    ),
    "None, skipped": (
        "d.csv",
        HEAD + b"None,None\nMild,Mild\nSevere,Mild\n",
        {"missing": "skip"},
        r"labels=\['Mild', 'Severe'\]",
    ),
    "none in other case": (
        "d.csv",
        HEAD + b"None,mild\nmild,None\n",
        {"labels": ["none", "mild"]},
        "'None' and 'none' differ in case",
    ),
    "policy": ("d.csv", HEAD, {"missing": "drop"}, "missing is 'drop', but"),
    "order": ("d.csv", HEAD + b"x,y\n", {}, "order of the labels of gold is not known"),
    "unknown label": ("d.csv", HEAD + b"x,y\nx,z\nx,z\n", LABELS, r"'z' \(2\); .*at row 2, 3"),
    "not whole": ("d.csv", HEAD + b"1.5,2\n", {}, "numbers that are not whole"),
    "too wide": ("d.csv", HEAD + b"1,20000\n", {}, "hardly classes"),
    "missing gold": ("d.csv", HEAD + b",y\nx,y\n", LABELS, r"missing values \(gold: 1 at row 1\)"),
    "worst gold": ("d.csv", HEAD + b",y\n", {**LABELS, "missing": "worst"}, "predictions only"),
    "all skipped": ("d.csv", HEAD + b",y\nx,\n", {**LABELS, "missing": "skip"}, "No item is left"),
    "text weight": ("d.csv", b"gold,a,w\n1,1,heavy\n", {"weight": "w"}, "1 missing, negative or"),
    "negative weight": (
        "d.csv",
        b"gold,a,w\n1,1,-1\n",
        {"weight": "w"},
        "1 missing, negative or",
    ),
    "infinite weight": ("d.csv", b"gold,a,w\n1,1,inf\n", {"weight": "w"}, "negative or infinite"),
    "no weight": ("d.csv", b"gold,a,w\n1,1,0\n", {"weight": "w"}, "0 for every item"),
    "no line": ("d.csv", b"y" * 2_100_000, {}, "line is longer than 2 MB|as a row of columns"),
    "one class": ("d.csv", HEAD + b"x,x\n", {"labels": ["x"]}, "at least two"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_explained(tmp_path: Path, case: str) -> None:
    name, content, spec, message = BAD[case]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        counted(path, **spec)
    about_the_file = case not in ("policy", "delimiter", "unknown encoding", "one class")
    assert (str(path) in str(caught.value)) == about_the_file
    assert "\n" not in str(caught.value)


PATHS = {
    "absent": ("dta.csv", "There is no file .*dta.csv. Did you mean '.*data.csv'"),
    "nothing matches": ("*.tsv", "No file matches"),
    "no directory": ("nowhere/data.csv", "cannot be read"),
    "long name": ("x" * 5000, "There is no file"),
    "address": ("http://localhost/data.csv", "is an address"),
}


@pytest.mark.parametrize("case", PATHS)
def test_bad_paths_are_explained(tmp_path: Path, case: str) -> None:
    (tmp_path / "data.csv").write_text("gold,a\n1,2\n")
    name, message = PATHS[case]
    with pytest.raises(InputError, match=message):
        counted(tmp_path / name if "//" not in name else name)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no such device")
def test_a_device_is_refused_before_it_is_drained() -> None:
    with pytest.raises(InputError, match="not a regular file"):
        counted("/dev/zero")


def test_lists_in_parquet_are_no_labels(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT 1 AS gold, [1, 2] AS a").write_parquet(str(path))
    with pytest.raises(InputError, match=re.escape("column 'a' holds INTEGER[] values")):
        counted(path)
