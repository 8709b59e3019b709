"""Names are data, and DuckDB reaches only the files it was given."""

import os
import signal
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest
from io_files import counted

from ordeval import InputError
from ordeval.files.engine import Engine

duckdb = pytest.importorskip("duckdb")
VARIABLE = pytest.importorskip("pandas").DataFrame({"x": [1]})
NAMES = [
    "a'; DROP TABLE x; --.csv",
    'double"quote.csv',
    "all*.csv",
    "what?.csv",
    "a[1].csv",
    "{a,b}.csv",
    "$1 %s \\n.csv",
    "-- x.csv",
    "é ü 漢.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_is_a_file_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("gold,a\n1,2\n2,2\n")
    for decoy in ("allx.csv", "whatx.csv", "a1.csv"):
        (tmp_path / decoy).write_text("gold,a\n9,9\n")
    found = counted(tmp_path / name)
    assert found.counts.table.tolist() == [[[0, 1], [0, 1]]]


@pytest.mark.parametrize("name", NAMES)
def test_any_file_name_is_a_system(tmp_path: Path, name: str) -> None:
    (tmp_path / "gold.csv").write_text("id,gold\n1,1\n2,2\n")
    (tmp_path / name).write_text("id,a\n2,2\n1,1\n")
    found = counted(tmp_path / "gold.csv", (tmp_path / name,))
    assert found.systems == (name.removesuffix(".csv"),)


@pytest.mark.skipif(os.name == "nt", reason="file names are text on Windows")
def test_a_file_name_need_not_be_utf8(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("id,gold\n1,1\n2,2\n")
    run = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv"))
    run.write_text("id,a\n2,2\n1,1\n")
    found = counted(tmp_path / "gold.csv", (run,))
    assert found.systems == ("caf\\udce9",)
    run.write_text("id,a\n2\n")
    with pytest.raises(InputError) as caught:
        counted(run)
    assert "udce9" in str(caught.value).encode().decode()


@pytest.fixture
def engine(tmp_path: Path) -> Any:
    path = tmp_path / "data.csv"
    path.write_text("gold,a\n1,2\n")
    (tmp_path / "secret.csv").write_text("password\n1234\n")
    with Engine() as engine:
        engine.allow(path, "data.csv")
        engine.start()
        yield engine


def test_the_file_that_was_named_can_be_read(engine: Engine, tmp_path: Path) -> None:
    assert engine.query(f"FROM read_csv('{tmp_path}/data.csv')") == [(1, 2)]


FORBIDDEN = {
    "another file": "FROM read_csv('{}/secret.csv')",
    "a pattern": "FROM read_csv('{}/*.csv')",
    "a listing": "FROM glob('{}/*')",
    "a text": "FROM read_text('/etc/passwd')",
    "writing": "COPY (SELECT 1) TO '{}/out.csv'",
    "overwriting": "COPY (SELECT 1) TO '{}/out.parquet'",
    "attaching": "ATTACH '{}/x.db'",
    "installing": "INSTALL httpfs",
    "loading": "LOAD httpfs",
    "network": "FROM read_csv('https://localhost/x.csv')",
    "access": "SET enable_external_access = true",
    "settings": "SET memory_limit = '64GB'",
    "variables": "FROM VARIABLE",
}


@pytest.mark.parametrize("case", FORBIDDEN)
def test_nothing_else_can_be_reached(engine: Engine, tmp_path: Path, case: str) -> None:
    with pytest.raises(InputError):
        engine.query(FORBIDDEN[case].format(tmp_path))
    assert not (tmp_path / "out.csv").exists()


def test_nothing_of_the_home_folder_is_used(tmp_path: Path, monkeypatch: Any) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".duckdbrc").write_text("SET threads = 1; no SQL")
    monkeypatch.setenv("HOME", str(home))
    (tmp_path / "data.csv").write_text("gold,a\n1,2\n2,2\n")
    assert counted(tmp_path / "data.csv").systems == ("a",)
    assert [path.name for path in home.iterdir()] == [".duckdbrc"]


def test_temporary_files_are_removed(tmp_path: Path, monkeypatch: Any) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    good, bad = tmp_path / "a[1].csv", tmp_path / "utf16.csv"
    good.write_text("gold,a\n1,2\n")
    bad.write_text("gold,a\n1\n", encoding="utf-16")
    counted(good)
    with pytest.raises(InputError):
        counted(bad)
    assert list(scratch.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
def test_ctrl_c_stops_the_count_and_cleans_up(tmp_path: Path, monkeypatch: Any) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with Engine() as engine:
        engine.start()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            engine.query("SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(100000) b(i)")
        timer.join()
    assert list(scratch.iterdir()) == []
