"""Nothing heavy is loaded before it is needed."""

import subprocess
import sys


def test_importing_the_readers_loads_no_engine() -> None:
    code = "import sys, ordeval.io; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    heavy = {"duckdb", "narwhals", "pandas", "polars", "pyarrow", "pyspark", "dask", "scipy"}
    assert not heavy & loaded
