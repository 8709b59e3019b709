"""A column's name is a name, whatever a library could read into it: never a pattern or path."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from hostile_names import NAMES, arguments, check, items, named, namings
from ordeval import InputError
from ordeval.data.column import sorted_names

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")


def _relation(columns: dict[str, list[Any]]) -> Any:
    """Return a relation, whose names may differ in case only."""
    short = {f"c{i}": column for i, column in enumerate(columns.values())}
    names = [name.replace('"', '""') for name in columns]
    chosen = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(names))
    return duckdb.from_arrow(pa.table(short)).project(chosen)


def _dask(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("dask.dataframe").from_pandas(pd.DataFrame(columns), npartitions=2)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "arrow": pa.table,
    "duckdb": _relation,
    "dask": _dask,
}


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.slow
def test_names_in_frames(library: str) -> None:
    data = items()
    step = {"polars": 1, "lazy polars": 1, "duckdb": 1, "dask": 18}.get(library, 5)
    unknown = {"", "nul\0in"} if library == "duckdb" else set()  # DuckDB has no such names
    for names in list(namings(tuple(name for name in NAMES if name not in unknown)))[::step]:
        frame = FRAMES[library](named(data, names))
        check(oe.read(frame, **arguments(names)), data, names)


def _write_csv(path: Path, columns: dict[str, list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def _write_jsonl(path: Path, columns: dict[str, list[Any]]) -> None:
    rows = zip(*columns.values(), strict=True)
    lines = (json.dumps(dict(zip(columns, row, strict=True))) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write_parquet(path: Path, columns: dict[str, list[Any]]) -> None:
    pytest.importorskip("pyarrow.parquet").write_table(pa.table(columns), path)


def _write_xlsx(path: Path, columns: dict[str, list[Any]]) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(list(columns))
    for row in zip(*columns.values(), strict=True):
        book.active.append(list(row))
    book.save(path)


WRITERS = {
    "csv": _write_csv,
    "jsonl": _write_jsonl,
    "parquet": _write_parquet,
    "xlsx": _write_xlsx,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_names_in_files(ending: str, tmp_path: Path) -> None:
    data, path = items(), tmp_path / f"data.{ending}"
    for names in _file_namings(ending):
        WRITERS[ending](path, named(data, names))
        source = oe.read(path, **arguments(names))
        check(source, data, names)


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.slow
def test_names_of_ids_and_runs(ending: str, tmp_path: Path) -> None:
    """Gold in one file; the systems in another, a row per item and system."""
    data, gold, runs = items(), tmp_path / f"gold.{ending}", tmp_path / f"runs.{ending}"
    ids = [f"i{i}" for i in range(len(data["gold"]))]
    for names in _file_namings(ending):
        id, run, pred = names["first"], names["second"], names["weight"]
        of_gold = {role: data[role] for role in ("gold", "topic", "cluster", "frequency")}
        WRITERS[ending](gold, {id: ids, **{names[role]: x for role, x in of_gold.items()}})
        long = {id: [*ids, *ids], pred: [*data["first"], *data["second"]]}
        systems = [names["topic"]] * len(ids) + [names["cluster"]] * len(ids)
        if not all(map(str.strip, systems)) or any("\0" in name for name in systems):
            continue
        WRITERS[ending](runs, {**long, run: systems})
        chosen = {role: names[role] for role in of_gold}
        source = oe.read(gold, runs, id=id, system=run, pred=pred, **chosen)
        unweighted = {**data, "weight": [1] * len(ids)}
        first, second = sorted_names((names["topic"], names["cluster"]))
        if first != names["topic"]:
            unweighted |= {"first": data["second"], "second": data["first"]}
        check(source, unweighted, {"first": first, "second": second})


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.slow
def test_names_of_conditions(ending: str, tmp_path: Path) -> None:
    data, path = items(), tmp_path / f"data.{ending}"
    keep = [i for i, name in enumerate(data["cluster"]) if name == "q"]
    kept = {role: [column[i] for i in keep] for role, column in data.items()}
    for names in _file_namings(ending):
        WRITERS[ending](path, named(data, names))
        source = oe.read(path, where={names["cluster"]: "q"}, **arguments(names))
        assert source.counts().table.sum() == 2 * sum(
            f * w for f, w in zip(kept["frequency"], kept["weight"], strict=True)
        )


def _file_namings(ending: str) -> list[dict[str, str]]:
    """Return names by role; text files have neither null characters nor spaces around names."""
    unknown = {"nul\0in", " a", "a "} if ending in ("csv", "xlsx") else set()
    return list(namings(tuple(name for name in NAMES if name not in unknown)))[::5]


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


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 1, 2], [2, 1, 2]], columns=["gold", "a", "a"]),
        pa.Table.from_arrays([[1, 2], [1, 1], [2, 2]], names=["gold", "a", "a"]),
        duckdb.sql("SELECT 1 AS gold, 1 AS a, 2 AS a"),
    ],
    ids=["pandas", "arrow", "duckdb"],
)
@pytest.mark.parametrize("pred", ["a", None])
def test_a_name_of_two_columns_is_refused(frame: Any, pred: str | None) -> None:
    with pytest.raises(InputError, match="several columns called 'a'"):
        oe.read(frame, pred=pred)


def test_two_columns_of_one_name_without_a_role_do_not_matter() -> None:
    frame = pd.DataFrame([[1, 1, 7, 8], [2, 1, 7, 8]], columns=["gold", "a", "x", "x"])
    assert oe.read(frame, pred="a").counts().table.tolist() == [[[1, 0], [1, 0]]]


def test_columns_with_several_levels_are_refused() -> None:
    columns = pd.MultiIndex.from_tuples([("x", "gold"), ("x", "a")])
    frame = pd.DataFrame([[1, 1], [2, 1]], columns=columns)
    with pytest.raises(InputError, match="each needs a name of its own"):
        oe.read(frame)


def test_a_folder_is_not_a_column(tmp_path: Path) -> None:
    """DuckDB takes folders such as year=2016 for columns unless it is told not to."""
    (tmp_path / "year=2016").mkdir()
    path = tmp_path / "year=2016" / "data.parquet"
    _write_parquet(path, {"gold": [1, 2], "a": [1, 2]})
    source = oe.read(path)
    assert source.counts().systems == ("a",)
