"""Evaluate and compare in the engine that holds the rows, beside its own GROUP BY.

    python benchmarks/bench_engines.py [--rows 1e7] [--engines spark,dask,polars,duckdb,ibis]

Three systems are counted from a folder of parquet files, which is made in a temporary directory and
removed. Each engine groups the rows by all four columns itself, and is then given to `evaluate` and
`compare`, in turn. The best times count; the ratio is what has to be near 1. Spark runs with two
executors in processes of their own (`--master`), and needs Java.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ordeval as oe

COLUMNS = ["gold", "a", "b", "c"]
_FILES, _K = 16, 5
Engine = tuple[Any, Callable[[Any], Any]]  # a frame, and its own GROUP BY


def make(folder: Path, rows: int) -> None:
    """Write gold labels of five classes, and three systems that are often right."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for part in range(_FILES):
        rng, n = np.random.default_rng(part), rows // _FILES
        gold = rng.integers(0, _K, n, dtype=np.int8)
        guesses = (rng.integers(0, _K, n, dtype=np.int8) for _ in COLUMNS[1:])
        systems = [np.where(rng.random(n, np.float32) < 0.5, gold, guess) for guess in guesses]
        table = pa.table(dict(zip(COLUMNS, [gold, *systems], strict=True)))
        pq.write_table(table, folder / f"{part}.parquet")


def spark(folder: Path, master: str) -> Engine:
    """Return a frame of a Spark session."""
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    local = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    quiet = {"spark.ui.enabled": "false", "spark.log.level": "OFF"}
    quiet["spark.ui.showConsoleProgress"] = "false"
    session = SparkSession.builder.master(master).config(map={**local, **quiet}).getOrCreate()
    frame = session.read.parquet(str(folder))
    return frame, lambda f: f.groupBy(*COLUMNS).count().collect()


def dask(folder: Path, _: str) -> Engine:
    """Return a frame of Dask."""
    import dask.dataframe as dd

    return dd.read_parquet(str(folder)), lambda f: f.groupby(COLUMNS).size().compute()


def polars(folder: Path, _: str) -> Engine:
    """Return a lazy frame of Polars."""
    import polars as pl

    frame = pl.scan_parquet(f"{folder}/*.parquet")
    return frame, lambda f: f.group_by(COLUMNS).len().collect(engine="streaming")


def duckdb(folder: Path, _: str) -> Engine:
    """Return a relation of DuckDB."""
    import duckdb as engine

    keys = ", ".join(COLUMNS)
    frame = engine.sql(f"FROM '{folder}/*.parquet'")
    return frame, lambda f: f.aggregate(f"{keys}, count(*)", keys).fetchall()


def ibis(folder: Path, _: str) -> Engine:
    """Return a table of Ibis, on DuckDB."""
    import ibis as engine

    frame = engine.duckdb.connect().read_parquet(f"{folder}/*.parquet")
    return frame, lambda f: f.group_by(COLUMNS).aggregate(n=f.count()).to_pyarrow()


def main() -> None:
    """Measure."""
    engines = {job.__name__: job for job in (spark, dask, polars, duckdb, ibis)}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--engines", default=",".join(engines))
    parser.add_argument("--master", default="local-cluster[2,1,1024]")
    options = parser.parse_args()
    how = {"labels": range(_K), "measures": "qwk, cem, mae"}
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), int(options.rows))
        for engine in options.engines.split(","):
            frame, own = engines[engine](Path(name), options.master)
            jobs = {
                "own": lambda frame=frame, own=own: own(frame),
                "evaluate": lambda frame=frame: oe.evaluate(data=frame, **how),
                "compare": lambda frame=frame: oe.compare(data=frame, **how),
            }
            best = dict.fromkeys(jobs, np.inf)
            for turn in range(1 + options.repeat):  # the first turn warms up
                for job, call in jobs.items():
                    start = time.perf_counter()
                    call()
                    if turn:
                        best[job] = min(best[job], time.perf_counter() - start)
            ratios = (f"{job} {best[job] / best['own']:.2f}" for job in list(jobs)[1:])
            print(f"{engine:7} own {best['own']:6.2f} s   {'   '.join(ratios)}", flush=True)


if __name__ == "__main__":
    main()
