"""Measure how long the command line takes to start, relative to ``import numpy``.

    python benchmarks/bench_cli.py [--rounds 15]

The exit code is 1 if a command exceeds its limit.
"""

import argparse
import subprocess
import sys
import time
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


def seconds(*args: str) -> float:
    """Return the wall time of a Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", *args], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def ratios(rounds: int) -> dict[tuple[str, ...], tuple[float, float]]:
    """Return the median seconds of each command, and their ratio to `import numpy`.

    The commands alternate, so that other load on the machine affects all of them alike.
    """
    commands = [*LIMITED, *OTHERS]
    bare: list[float] = []
    ours: dict[tuple[str, ...], list[float]] = {command: [] for command in commands}
    for _ in range(rounds):
        bare.append(seconds("import numpy"))
        for command in commands:
            ours[command].append(seconds(_START, *command))
    base = median(bare)
    print(f"{'import numpy':<32} {base:7.3f} s")
    return {command: (median(t), median(t) / base) for command, t in ours.items()}


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
