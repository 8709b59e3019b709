"""Columns as arrays, series, data frames and files, for `adapter.py`; no name of the package."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Columns = Mapping[str, Sequence[Any]]


def column(values: Sequence[Any], door: str, labels: Any = None, *, turned: bool = False) -> Any:
    """Return a column in memory; pandas series may have their rows the other way round."""
    if door == "numpy":
        return np.array(values, dtype=object if None in values else None)
    if door not in ("pandas", "categorical"):
        return list(values)
    import pandas as pd

    series = _series(values)
    if door == "categorical":
        return series.astype(pd.CategoricalDtype(labels, ordered=True))
    series.index = [f"row {i}" for i in range(len(values))]
    return series[::-1] if turned else series


def _series(values: Sequence[Any]) -> Any:
    import pandas as pd

    whole = None in values and all(isinstance(x, int) for x in values if x is not None)
    return pd.Series(list(values), dtype="Int64" if whole else None)


def pandas_frame(columns: Columns) -> Any:
    """Return a data frame of pandas."""
    import pandas as pd

    return pd.DataFrame({name: _series(values) for name, values in columns.items()})


def frame(columns: Columns, door: str) -> Any:
    """Return a data frame of any library."""
    import dask.dataframe
    import duckdb
    import polars as pl
    import pyarrow as pa

    table = pa.table({name: list(values) for name, values in columns.items()})
    make = {
        "pandas frame": lambda: pandas_frame(columns),
        "polars": lambda: pl.from_arrow(table),
        "lazy": lambda: pl.from_arrow(table).lazy(),
        "arrow": lambda: table,
        "duckdb": lambda: duckdb.connect().from_arrow(table),
        "dask": lambda: dask.dataframe.from_pandas(pandas_frame(columns), npartitions=2),
        "spark": lambda: _session().createDataFrame(pandas_frame(columns)),
    }
    return make[door]()


def _session() -> Any:
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    return SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()


def file(columns: Columns, path: Path) -> Path:
    """Write a file, whose kind is that of its name."""
    table = pandas_frame(columns)
    if path.suffix in (".csv", ".tsv"):
        table.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    elif path.suffix == ".xlsx":
        table.to_excel(path, index=False, engine="openpyxl")
    elif path.suffix == ".parquet":
        frame(columns, "polars").write_parquet(path)
    else:
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def long(ids: Sequence[Any], wide: Columns, names: tuple[str, str, str], also: Columns) -> Columns:
    """Return a row per id and column, the last ones first; `names` are those of the columns."""
    places = [(i, name) for i in range(len(ids)) for name in wide][::-1]
    id_name, name_name, value_name = names
    return {
        id_name: [ids[i] for i, _ in places],
        name_name: [name for _, name in places],
        value_name: [wide[name][i] for i, name in places],
        **{name: [values[i] for i, _ in places] for name, values in also.items()},
    }
