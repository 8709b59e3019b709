"""Tables in files of every kind: columns, dialects, labels, missing values."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from io_files import counted

from ordeval import Counts, InputError

duckdb = pytest.importorskip("duckdb")
N = 200
RNG = np.random.default_rng(3)
COLUMNS: dict[str, list[Any]] = {
    "id": list(range(N)),
    "topic": RNG.choice(["x", 'say "y"', "#z", "a'b"], N).tolist(),
    **{name: RNG.integers(-2, 3, N).tolist() for name in ("gold", "a", "b", "c")},
    "weight": (RNG.integers(1, 9, N) / 4).tolist(),
}


def _rows() -> list[tuple[Any, ...]]:
    return list(zip(*COLUMNS.values(), strict=True))


def _csv(path: Path, delimiter: str = ",", end: str = "\n", quote: bool = True) -> None:
    def field(value: Any) -> str:
        text = str(value)
        return '"' + text.replace('"', '""') + '"' if quote and '"' in text else text

    lines = [delimiter.join(map(field, row)) for row in [tuple(COLUMNS), *_rows()]]
    path.write_text(end.join(lines) + end, encoding="utf-8", newline="")


def _jsonl(path: Path) -> None:
    rows = [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in _rows()]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def _parquet(path: Path) -> None:
    _csv(path.with_suffix(".csv"))
    duckdb.read_csv(str(path.with_suffix(".csv"))).write_parquet(str(path))


def _gz(path: Path) -> None:
    plain = path.with_suffix("")
    _csv(plain)
    path.write_bytes(gzip.compress(plain.read_bytes()))


WRITERS = {
    "plain.csv": _csv,
    "crlf.csv": lambda path: _csv(path, end="\r\n"),
    "cr.csv": lambda path: _csv(path, end="\r"),
    "semicolons.csv": lambda path: _csv(path, ";"),
    "bars.txt": lambda path: _csv(path, "|"),
    "unquoted.tsv": lambda path: _csv(path, "\t", quote=False),
    "no-ending": _csv,
    "packed.csv.gz": _gz,
    "lines.jsonl": _jsonl,
    "lines.ndjson": _jsonl,
    "table.parquet": _parquet,
}


def _expected(**chosen: Any) -> Counts:
    order = np.argsort(COLUMNS["topic"], kind="stable")
    columns = {name: np.asarray(column)[order] for name, column in COLUMNS.items()}
    preds = {name: columns[name] for name in ("a", "b", "c")}
    arguments = {
        "weight": columns["weight"] if "weight" in chosen else None,
        "topic": columns["topic"] if "topic" in chosen else None,
    }
    return Counts.from_labels(columns["gold"], preds, **arguments)


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("chosen", [{}, {"topic": "topic", "weight": "weight"}], ids=str)
def test_every_format_gives_the_same_counts(
    tmp_path: Path, name: str, chosen: dict[str, Any]
) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    found = counted(path, **chosen)
    counts = _expected(**chosen)
    np.testing.assert_allclose(found.counts.table, counts.table, rtol=1e-12)
    assert found.counts.axes == counts.axes
    assert found.counts.scale == counts.scale
    assert found.counts.weighted == counts.weighted


ENCODINGS = {
    "utf-8": b"",
    "utf-8-sig": b"",
    "utf-16": b"",
    "utf-16-be": b"\xfe\xff",
    "utf-32": b"",
}
TEXT = "gold,système\nbas,haut\nhaut,haut\n"


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_encodings_with_a_mark_are_recognised(tmp_path: Path, encoding: str, packed: bool) -> None:
    data = ENCODINGS[encoding] + TEXT.encode(encoding)
    path = tmp_path / ("data.csv.gz" if packed else "data.csv")
    path.write_bytes(gzip.compress(data) if packed else data)
    found = counted(path, labels=["bas", "haut"])
    assert found.systems == ("système",)
    assert found.counts.table.tolist() == [[[0, 1], [0, 1]]]


def test_json_lines_may_begin_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"gold": 1, "a": 2}\n{"a": 1, "gold": 1.0}\n')
    assert counted(path).counts.table.tolist() == [[[1, 1], [0, 0]]]


def _count(tmp_path: Path, text: str, name: str = "data.csv", **spec: Any) -> Any:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return counted(path, **spec)


def test_columns_without_a_header_are_called_by_their_position(tmp_path: Path) -> None:
    found = _count(tmp_path, "7,1,2\n8,2,2\n", header=False, id="1", gold="2")
    assert found.systems == ("3",)
    assert found.counts.table.tolist() == [[[0, 1], [0, 1]]]


def test_blank_lines_are_nothing(tmp_path: Path) -> None:
    assert _count(tmp_path, "\n\ngold,a\n\n1,2\n2,2\n\n").counts.table.sum() == 2


def test_a_field_may_hold_a_line_end(tmp_path: Path) -> None:
    found = _count(tmp_path, 'gold,a,topic\n1,2,"two\nlines"\n2,2,"a ""quote"""\n', topic="topic")
    assert found.counts.topics == ('a "quote"', "two\nlines")


@pytest.mark.parametrize("name", ["r.tsv", "r.tab", "r.csv", "r"])
def test_quotes_are_quotes_whatever_the_delimiter(tmp_path: Path, name: str) -> None:
    text = 't\tgold\ta\n"x"\t1\t1\nx\t2\t"2"\n"tab\t, ""line""\n"\t2\t2\n5" disk\t2\t2\n'
    found = _count(tmp_path, text, name, topic="t")
    assert found.counts.topics == ('5" disk', 'tab\t, "line"\n', "x")


def test_a_pattern_reads_several_files_as_one(tmp_path: Path) -> None:
    for i in range(3):
        (tmp_path / f"part{i}.csv").write_text(f"gold,a\n1,2\n2,{1 + i % 2}\n")
    found = counted(str(tmp_path / "part*.csv"))
    assert found.counts.table.tolist() == [[[0, 3], [2, 1]]]


READINGS = {
    "integers": ("1,2\n 2,+1\n", [1, 2, 3], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
    "floats for integers": ("1.0,2\n2,1.\n", [1, 2, 3], [[0, 1, 0], [1, 0, 0], [0, 0, 0]]),
    "texts of integers": ("1.0,2\n2,1\n", ["1", "2"], [[0, 1], [1, 0]]),
    "inferred": ("-1.0,1\n0,1\n", None, [[0, 0, 1], [0, 0, 1], [0, 0, 0]]),
    "halves": ("0.5,1\n1.0,.5\n", [0.5, 1.0], [[0, 1], [1, 0]]),
    "spaces": (" low , high\nlow,low\n", ["low", "high"], [[1, 1], [0, 0]]),
    "declared word": ("None,some\nsome,None\n", ["None", "some"], [[0, 1], [1, 0]]),
    "digits beside words": ("1,2+\n2+,1\n", ["1", "2+"], [[0, 1], [1, 0]]),
}


@pytest.mark.parametrize("case", READINGS)
def test_text_is_matched_to_labels(tmp_path: Path, case: str) -> None:
    body, labels, table = READINGS[case]
    assert _count(tmp_path, "gold,a\n" + body, labels=labels).counts.table.tolist() == [table]


@pytest.mark.parametrize(
    "word", ["", "NA", "nan", "NaN", "null", "None", "N/A", " ", "\tNA", "\xa0\u3000"]
)
def test_the_usual_words_are_missing_and_no_class(tmp_path: Path, word: str) -> None:
    text = f'gold,a,b\n1,"{word}",1\n2,1,2\n'
    shown = f" ({word.strip()})" if word.strip() else ""
    with pytest.raises(InputError, match=re.escape(f"missing values (a: 1{shown} at data row 1)")):
        _count(tmp_path, text)
    found = _count(tmp_path, text, missing="skip")
    assert found.counts.skipped == 1
    assert found.counts.table.sum(axis=(-1, -2)).tolist() == [1, 1]
    assert tuple(map(str, found.notices)) == (f"Missing values: a: 1{shown}.",)


def test_a_missing_topic_is_not_a_topic(tmp_path: Path) -> None:
    text = "gold,a,topic\n1,2,NA\n2,2,\n"
    with pytest.raises(InputError, match="topic column topic: 1"):
        _count(tmp_path, text, topic="topic")
    assert _count(tmp_path, text, topic="topic", missing="skip").counts.topics == ("NA",)


def test_columns_of_different_types_in_parquet(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    rows = "(1, 2.0::DOUBLE, '3'), (2, NULL, ' 1'), (3, 'nan'::DOUBLE, '2')"
    duckdb.sql(f"SELECT * FROM (VALUES {rows}) t(gold, f, t)").write_parquet(str(path))
    found = counted(path, missing="skip")
    assert found.counts.skipped == 2
    assert found.counts.table[:, 0].tolist() == [[0, 1, 0], [0, 0, 1]]


def test_progress_is_reported_in_percent(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("ordeval.files.engine._POLL_SECONDS", 0.0)
    path = tmp_path / "t.parquet"
    duckdb.sql("SELECT i % 5 AS gold, i % 3 AS a FROM range(300000) t(i)").write_parquet(str(path))
    seen: list[tuple[int, int]] = []
    counted(path, progress=lambda done, total: seen.append((done, total)))
    assert seen
    assert all(0 <= done <= total == 100 for done, total in seen)


def test_ids_tell_where_values_are_missing(tmp_path: Path) -> None:
    text = "id,gold,a\n" + "".join(f"i{n},1,\n" for n in range(1, 8)) + "x,,1\n"
    message = r"\(gold: 1 at id 'x', a: 7 at id 'i1', 'i2', 'i3', 'i4', 'i5', …\)"
    with pytest.raises(InputError, match=message):
        _count(tmp_path, text)


def test_truth_values_are_read_however_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    rows = "SELECT i > 1 AS gold, i > 2 AS a, (i > 1)::INT AS b FROM range(1, 4) t(i)"
    duckdb.sql(rows).write_parquet(str(path))
    for labels in ([False, True], ["false", "true"]):
        found = counted(path, pred=("a",), labels=labels).counts
        assert found.table.tolist() == [[[1, 0], [1, 1]]]
    both = counted(path, labels=[False, True]).counts
    assert both.table.tolist() == [[[1, 0], [1, 1]], [[1, 0], [0, 2]]]
    assert _count(tmp_path, "gold,a\ntrue,false\n", labels=[False, True]).counts.table[0, 1, 0] == 1


def test_a_first_column_without_a_name_is_no_system_unless_named(tmp_path: Path) -> None:
    text = ",gold,a,b,\n7,1,2,2,\n7,1,1,2,x\n"
    found = _count(tmp_path, text)
    assert found.systems == ("a", "b")
    assert len(tuple(map(str, found.notices))) == 1
    assert _count(tmp_path, text, pred=["", "a"], labels=range(1, 8)).systems == ("", "a")


def test_an_index_without_a_name_is_an_id(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(",pred\n1,2\n0,1\n")
    (tmp_path / "gold.csv").write_text(",gold\n0,1\n1,2\n")
    found = counted(tmp_path / "gold.csv", [tmp_path / "run.csv"])
    assert found.counts.table.tolist() == [[[1, 0], [0, 1]]]
