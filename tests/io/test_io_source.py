"""Frames and files as sources of counts: what is read when, and what errors carry."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from io_files import counted

from ordeval import InputError
from ordeval.data.frames import read_frame
from ordeval.io import open_files

duckdb = pytest.importorskip("duckdb")
TABLE = "gold,a,b,c\n1,2,1,1\n2,2,1,2\n3,3,2,2\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "data.csv"
    found.write_text(TABLE)
    return found


def test_frames_and_files_are_sources_of_counts(path: Path) -> None:
    relation = duckdb.read_csv(str(path))
    frame = read_frame(relation)
    assert frame.about == {"gold": "gold"}
    with open_files(path, [], pred="a") as items:
        source = items
        assert source.about == {"data": str(path), "runs": [], "gold": "gold"}
        np.testing.assert_array_equal(source.counts().table, frame.counts().table[:1])


def test_a_relation_is_counted_as_its_file_is(path: Path) -> None:
    nw = pytest.importorskip("narwhals")
    found = counted(path)
    for frame in (duckdb.read_csv(str(path)), nw.from_native(duckdb.read_csv(str(path)))):
        np.testing.assert_array_equal(read_frame(frame).counts().table, found.counts.table)
        np.testing.assert_array_equal(read_frame(frame).joint().table, found.joint.table)


def test_maps_are_not_labels() -> None:
    for kind in ("MAP {'a': 1}", "{'a': 1}", "[1]", "'x'::BLOB"):
        with pytest.raises(InputError, match=r"column 'a' holds .* plain labels are expected"):
            read_frame(duckdb.sql(f"SELECT 1 AS gold, {kind} AS a")).counts()


def test_dates_are_not_weights() -> None:
    for kind in ("DATE '2024-01-01'", "INTERVAL 1 DAY", "'1'", "[1]"):
        with pytest.raises(InputError, match="values") as e:
            read_frame(duckdb.sql(f"SELECT 1 AS gold, 1 AS a, {kind} AS w"), weight="w").counts()
        assert e.value.parameter in ("weight", None)


def _option(name: str, value: object) -> str:
    return f"--{name}" if value is ... else f"--{name} {value}"


ERRORS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "missing": (TABLE.replace("1,2,1,1", "1,,1,1"), {}, "missing", "--missing skip"),
    "gold": ("x,y\n1,1\n", {}, "gold", "with --gold."),
    "topic": (TABLE, {"topic": "t"}, "topic", ""),
    "id": (TABLE, {"id": "key"}, "id", ""),
    "pred": (TABLE, {"pred": ["a", "z"]}, "pred", ""),
    "labels": (TABLE, {"labels": [1, 2]}, "labels", "can occur with --labels"),
    "guessed": (TABLE + "1,x,1,1\n", {"labels": [1, 2, 3]}, "labels", "pass --na x"),
    "weight": (TABLE.replace("3,3", "3,-3"), {"weight": "a"}, "weight", ""),
    "order": ("gold,a\nlow,high\n", {}, "labels", "--labels"),
    "encoding": ("gold,a\n\xe9,1\n", {}, "encoding", "--encoding latin-1"),
    "header": ("1,1\n2,2\n", {}, "header", "--header False"),
    "delimiter": (TABLE, {"delimiter": "ab"}, "delimiter", ""),
    "memory": (TABLE, {"memory_limit": "much"}, "memory_limit", "--memory_limit 2GB"),
    "treatment": (TABLE, {"missing": "drop"}, "missing", ""),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors_carry_parameter_and_hint(tmp_path: Path, case: str) -> None:
    text, options, parameter, hint = ERRORS[case]
    path = tmp_path / "data.csv"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(InputError) as caught:
        counted(path, **options)
    assert caught.value.parameter == parameter
    assert hint in caught.value.hint_as(_option)
    assert "{" not in str(caught.value)


def test_counting_a_file_loads_only_duckdb_and_prints_nothing(path: Path) -> None:
    code = (
        "import sys; from ordeval.io import open_files\n"
        f"with open_files({str(path)!r}) as items: items.joint()\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"narwhals", "pandas", "polars", "pyarrow"} & set(done.stdout.split())
    assert done.stderr == ""


def test_missing_words_are_found_in_many_systems(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    systems = "abcdef"
    rows = ["1" * 6, "2" * 6]
    text = "gold," + ",".join(systems) + "\n"
    text += "".join(f"{row[0]},{','.join(row)}\n" for row in rows)
    for word in ("NA", " nan ", "\u3000", "N/A", "<NA>", "\xa0None"):
        text += f"1,1,1,1,1,1,{word}\n"
    path.write_text(text, encoding="utf-8")
    found = counted(path, missing="skip", labels=[1, 2])
    assert found.counts.skipped == 6
    assert found.counts.table.sum(axis=(-1, -2)).tolist() == [2] * 6
    words = "1 × '<NA>', 1 × 'N/A', 1 × 'NA', 1 × 'None', 1 × 'nan'"
    assert tuple(map(str, found.notices)) == (f"Missing values: f: 6 ({words}).",)
