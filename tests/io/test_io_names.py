"""A column's name is a name, whatever a library could read into it: never a pattern or path."""

from pathlib import Path
from typing import Any

import pytest

import ordeval as oe

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")


def _write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)


def test_spaces_around_names_in_text_files(tmp_path: Path) -> None:
    """They are kept where they tell columns apart; otherwise every role may have them or not."""
    path = tmp_path / "data.csv"
    path.write_text("gold,a , a\n1,2,1\n2,2,1\n")
    source = oe.read(path, pred="a ")
    assert source.counts().table.tolist() == [[[0, 1], [0, 1]]]
    path.write_text("gold, x , y , z \n1,2,p,q\n2,2,p,r\n")
    roles = {"pred": " x ", "topic": " y ", "cluster": "z "}
    source = oe.read(path, where={" y": "p"}, **roles)
    assert source.counts().systems == ("x",)
    assert source.counts().topics == ("p",)


def test_names_that_differ_in_case_are_two_columns() -> None:
    relation = duckdb.sql("SELECT 1 AS gold, 1 AS a, 2 AS A UNION ALL SELECT 2, 1, 2")
    counts = oe.read(relation, pred=["a", "A"]).counts()
    assert counts.table.tolist() == [[[1, 0], [1, 0]], [[0, 1], [0, 1]]]


def test_two_columns_of_one_name_without_a_role_do_not_matter() -> None:
    frame = pd.DataFrame([[1, 1, 7, 8], [2, 1, 7, 8]], columns=["gold", "a", "x", "x"])
    assert oe.read(frame, pred="a").counts().table.tolist() == [[[1, 0], [1, 0]]]


def test_a_folder_is_not_a_column(tmp_path: Path) -> None:
    """DuckDB takes folders such as year=2016 for columns unless it is told not to."""
    (tmp_path / "year=2016").mkdir()
    path = tmp_path / "year=2016" / "data.parquet"
    _write_parquet(path, {"gold": [1, 2], "a": [1, 2]})
    source = oe.read(path)
    assert source.counts().systems == ("a",)


@pytest.mark.parametrize("gold", ["anna,ben", ["anna", "ben"]])
def test_several_people_are_not_one_column_of_gold(gold: Any, tmp_path: Path) -> None:
    frame = pd.DataFrame({"anna": [1, 2], "ben": [1, 2], "model": [1, 2]})
    frame.to_csv(path := tmp_path / "people.csv", index=False)
    for data in (frame, path):
        with pytest.raises(oe.InputError, match="the median of several people; `judge` takes"):
            oe.evaluate(gold, "model", data=data)


@pytest.mark.parametrize("role", ["topic", "cluster", "weight"])
def test_a_role_has_one_column(role: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"gold": [1, 2], "a": [1, 2], "b": [1, 2]})
    frame.to_csv(path := tmp_path / "data.csv", index=False)
    for data in (frame, path):
        with pytest.raises(oe.InputError, match="the name of one column is expected"):
            oe.evaluate(data=data, **{role: ["a", "b"]})
