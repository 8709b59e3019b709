"""Readers fed with anything give a result or a clean error."""

import gzip
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from io_files import counted

from ordeval import InputError, read_shares

FUZZ = settings(max_examples=60, deadline=None, derandomize=True)
ENDINGS = st.sampled_from([".csv", ".tsv", ".txt", ".jsonl", ".parquet", ".csv.gz", ""])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "cp1252"])
FIELDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs"]) | st.sampled_from('",;\t\r\n\\#{}'),
    max_size=6,
)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.sampled_from([[1, 2, 3], ["a", "b"]]),
        "missing": st.sampled_from(["error", "skip", "worst"]),
        "header": st.booleans(),
        "delimiter": st.sampled_from([",", ";", "tab"]),
        "encoding": st.sampled_from(["latin-1", "utf-16", "utf-8"]),
        "topic": st.just("t"),
        "weight": st.just("w"),
    },
)


def _read(content: bytes, ending: str, spec: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"data{ending}"
        path.write_bytes(content)
        with suppress(InputError):
            assert counted(path, **spec).counts.table.sum() > 0
        with suppress(InputError):
            assert read_shares(path, path).systems == ("data",)


@FUZZ
@given(st.binary(max_size=200), ENDINGS, OPTIONS)
def test_random_bytes(content: bytes, ending: str, spec: dict[str, Any]) -> None:
    _read(content, ending, spec)


@FUZZ
@given(st.binary(max_size=100), st.sampled_from([b"gold,a\n1,2\n", b'{"gold": 1, "a": 2}\n']))
def test_random_bytes_after_a_good_beginning(content: bytes, start: bytes) -> None:
    _read(start + content, ".jsonl" if start[:1] == b"{" else ".csv", {})


@FUZZ
@given(st.lists(st.lists(FIELDS, max_size=4), max_size=6), ENDINGS, ENCODINGS, OPTIONS)
def test_ragged_rows(
    rows: list[list[str]], ending: str, encoding: str, spec: dict[str, Any]
) -> None:
    text = "gold,a,t,w\n1,2,x,1\n" + "\n".join(",".join(row) for row in rows)
    data = text.encode(encoding, errors="replace")
    _read(gzip.compress(data) if ending.endswith(".gz") else data, ending, spec)


@settings(FUZZ, max_examples=20)
@given(st.lists(st.sampled_from(["1", "2", " 2", "3.0", "", "NA", "x"]), min_size=2, max_size=12))
def test_odd_labels(labels: list[str]) -> None:
    rows = zip(labels[::2], labels[1::2], strict=False)
    text = "gold,a\n" + "".join(f"{gold},{pred}\n" for gold, pred in rows)
    for missing in ("error", "skip", "worst"):
        _read(text.encode(), ".csv", {"missing": missing, "labels": [1, 2, 3]})


@FUZZ
@given(st.binary(min_size=1, max_size=40), st.integers(0, 10_000))
def test_damaged_parquet(damage: bytes, position: int) -> None:
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "good.parquet")
        duckdb.sql("SELECT i % 3 AS gold, i % 2 AS a FROM range(50) t(i)").write_parquet(path)
        content = bytearray(Path(path).read_bytes())
    at = position % len(content)
    content[at : at + len(damage)] = damage
    _read(bytes(content), ".parquet", {})
