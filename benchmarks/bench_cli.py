"""Measure how long the package and the command line take to start, beside ``import numpy``.

    python benchmarks/bench_cli.py [--rounds 15]

The exit code is 1 if a program exceeds its limit. Bytecode is written before anything is timed, as
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

_START = "import sys; from ordeval.cli import main; sys.exit(main())"
COMMANDS = (
    ("--version",),
    ("measures",),
    ("measures", "cem"),
    ("measures", "--format", "csv"),
    ("--help",),
    ("demo", "--no-report"),
)
BASE = "import numpy"
PROGRAMS = {
    BASE: [BASE],
    "import ordeval": ["import ordeval"],
    **{f"ordeval {' '.join(command)}": [_START, *command] for command in COMMANDS},
}
LIMITS = {"import ordeval": 1.5, "ordeval --version": 2.5, "ordeval measures": 2.5}


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


def medians(rounds: int) -> dict[str, float]:
    """Return the median seconds of each program.

    The programs alternate, so that other load on the machine affects all of them alike.
    """
    with bytecode_cache() as environment:
        times = [
            [seconds(environment, *program) for program in PROGRAMS.values()]
            for _ in range(1 + rounds)
        ]
    return dict(zip(PROGRAMS, map(median, zip(*times[1:], strict=True)), strict=True))


def main() -> int:
    """Print the ratios; return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15, help="runs of each program (15)")
    found = medians(parser.parse_args().rounds)
    ratios = {name: taken / found[BASE] for name, taken in found.items()}
    for name, taken in found.items():
        limit = f"  limit {LIMITS[name]}" if name in LIMITS else ""
        print(f"{name:<32} {taken:7.3f} s {ratios[name]:6.2f} x{limit}")
    return int(any(ratios[name] > limit for name, limit in LIMITS.items()))


if __name__ == "__main__":
    sys.exit(main())
