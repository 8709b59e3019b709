"""Measure how long the command line takes to start, relative to ``import numpy``.

    python benchmarks/bench_cli.py [--rounds 15]

The exit code is 1 if a command exceeds its limit. Bytecode is written before anything is timed, as
an installation does, also where PYTHONDONTWRITEBYTECODE is set.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

LIMIT = 2.5
_START = "import sys; from ordeval.cli import main; sys.exit(main())"
LIMITED = (("--version",), ("measures",))
OTHERS = (
    ("measures", "cem"),
    ("measures", "--format", "csv"),
    ("--help",),
    ("demo", "--no-report"),
)


@contextmanager
def bytecode_cache() -> Iterator[dict[str, str]]:
    """Give the environment of processes that read bytecode from, and write it to, a folder."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        yield environment


def seconds(environment: dict[str, str], *args: str) -> float:
    """Return the wall time of a Python process."""
    start = time.perf_counter()
    command = [sys.executable, "-c", *args]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    return time.perf_counter() - start


def ratios(rounds: int) -> dict[tuple[str, ...], tuple[float, float]]:
    """Return the median seconds of each command, and their ratio to `import numpy`.

    The commands alternate, so that other load on the machine affects all of them alike.
    """
    programs = {(): ["import numpy"], **{c: [_START, *c] for c in (*LIMITED, *OTHERS)}}
    with bytecode_cache() as environment:
        times = [
            [seconds(environment, *program) for program in programs.values()]
            for _ in range(1 + rounds)
        ]
    taken = dict(zip(programs, map(median, zip(*times[1:], strict=True)), strict=True))
    base = taken.pop(())
    print(f"{'import numpy':<32} {base:7.3f} s")
    return {command: (time_taken, time_taken / base) for command, time_taken in taken.items()}


def main() -> int:
    """Print the ratios; return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="runs of each command (15)")
    found = ratios(parser.parse_args().rounds)
    for command, (time_taken, ratio) in found.items():
        limit = f"  limit {LIMIT}" if command in LIMITED else ""
        print(f"{'ordeval ' + ' '.join(command):<32} {time_taken:7.3f} s {ratio:6.2f} x{limit}")
    return int(any(found[command][1] > LIMIT for command in LIMITED))


if __name__ == "__main__":
    sys.exit(main())
