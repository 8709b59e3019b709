"""Measure counting from files relative to a bare DuckDB GROUP BY, and its memory.

    python benchmarks/bench_files.py                 10^8 rows of parquet, 10^7 rows of csv
    python benchmarks/bench_files.py --rows 1e9      a billion rows

The files are made in a temporary directory and removed. Every figure is the best of `--repeat`
runs. Each run is a separate process, which gives its peak memory. The bare query and ours
alternate, so that other load affects both alike.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

MOST_RATIO, MOST_GIB = 1.5, 1.5
SYSTEMS = ("a", "b", "c")


def make(path: Path, rows: int) -> None:
    """Write a table of gold labels of five classes, and three systems that are often right."""
    import duckdb

    guesses = ", ".join(
        f"(CASE WHEN hash(i, {n}) % 2 = 0 THEN hash(i) ELSE hash(i, {n}, 7) END % 5)::TINYINT "
        f"AS {system}"
        for n, system in enumerate(SYSTEMS)
    )
    source = f"SELECT (hash(i) % 5)::TINYINT AS gold, {guesses} FROM range({rows}) t(i)"
    connection = duckdb.connect(config={"memory_limit": "4GB"})
    connection.execute("SET preserve_insertion_order = false")
    connection.execute(f"COPY ({source}) TO '{path}'")


def bare(path: Path, systems: tuple[str, ...]) -> float:
    """Count with a plain GROUP BY for each system."""
    import duckdb

    connection = duckdb.connect()
    return sum(
        sum(n for *_, n in connection.execute(query).fetchall())
        for query in (f"SELECT gold, {s}, count(*) FROM '{path}' GROUP BY ALL" for s in systems)
    )


def ours(path: Path, systems: tuple[str, ...]) -> float:
    import ordeval as oe

    return float(oe.read(path, pred=systems).counts().table.sum())


def run_job(job: str, path: Path) -> dict[str, float]:
    """Run a job in this process; return its seconds, peak memory in GiB, and items counted."""
    one = SYSTEMS[:1]
    jobs: dict[str, Any] = {
        "bare, one system": lambda: bare(path, one),
        "ours, one system": lambda: ours(path, one),
        "bare, three systems": lambda: bare(path, SYSTEMS),
        "ours, three systems": lambda: ours(path, SYSTEMS),
    }
    import duckdb  # noqa: F401  (the time of the imports does not count)

    import ordeval.files  # noqa: F401

    start = time.perf_counter()
    items = jobs[job]()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "gib": peak, "items": items}


def measure(jobs: list[str], path: Path, repeat: int) -> dict[str, dict[str, float]]:
    """Return the best seconds and the highest peak of each job, in alternating processes."""
    best: dict[str, dict[str, float]] = {}
    for _ in range(repeat):
        for job in jobs:
            command = [sys.executable, __file__, "--job", job, "--path", str(path)]
            found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            seen = best.setdefault(job, found)
            seen["seconds"] = min(seen["seconds"], found["seconds"])
            seen["gib"] = max(seen["gib"], found["gib"])
    return best


def report(title: str, results: dict[str, dict[str, float]]) -> bool:
    """Print the results; return whether the limits hold."""
    print(f"\n{title}")
    fine = True
    for job, found in results.items():
        against = results.get(job.replace("ours", "bare"))
        note = ""
        if job.startswith("ours"):
            fine &= found["gib"] <= MOST_GIB
            if against is not None:
                ratio = found["seconds"] / against["seconds"]
                fine &= ratio <= MOST_RATIO and found["items"] == against["items"]
                note = f"  {ratio:.2f} x bare"
        print(f"  {job:36s} {found['seconds']:8.3f} s  {found['gib']:5.2f} GiB{note}")
    return fine


def main() -> int:
    """Measure and print; return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e8, help="rows of parquet (1e8)")
    parser.add_argument("--csv-rows", type=float, default=1e7, help="rows of csv (1e7)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each job (3)")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.job:
        print(json.dumps(run_job(given.job, given.path)))
        return 0
    fine = True
    names = ["bare, one system", "ours, one system", "bare, three systems", "ours, three systems"]
    with tempfile.TemporaryDirectory() as folder:
        for ending, rows in ((".parquet", int(given.rows)), (".csv", int(given.csv_rows))):
            path = Path(folder) / f"table{ending}"
            make(path, rows)
            title = f"{rows:.0e} rows, {path.stat().st_size / 2**20:,.0f} MiB of {ending[1:]}"
            fine &= report(title, measure(names, path, given.repeat))
            path.unlink()
    print(f"\nlimits: {MOST_RATIO} x bare, {MOST_GIB} GiB: {'met' if fine else 'EXCEEDED'}")
    return 0 if fine else 1


if __name__ == "__main__":
    raise SystemExit(main())
