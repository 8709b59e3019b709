"""How long the command line takes to start, against a bare `import numpy`.

Run as `python benchmarks/bench_cli.py [ROUNDS]`; exits with 1 where a limit is broken.
"""

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
    """Wall time of a Python process."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", *args], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def ratios(rounds: int) -> dict[tuple[str, ...], tuple[float, float]]:
    """Median seconds and ratio of each command; rounds alternate, so that load hits all alike."""
    commands = [*LIMITED, *OTHERS]
    bare, ours = [], {command: [] for command in commands}  # type: ignore[var-annotated]
    for _ in range(rounds):
        bare.append(seconds("import numpy"))
        for command in commands:
            ours[command].append(seconds(_START, *command))
    base = median(bare)
    print(f"{'import numpy':<32} {base:7.3f} s")
    return {command: (median(t), median(t) / base) for command, t in ours.items()}


def main() -> int:
    """Print the ratios; 1 where a limit is broken."""
    found = ratios(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
    for command, (time_taken, ratio) in found.items():
        limit = f"  limit {LIMIT}" if command in LIMITED else ""
        print(f"{'ordeval ' + ' '.join(command):<32} {time_taken:7.3f} s {ratio:6.2f} x{limit}")
    return int(any(found[command][1] > LIMIT for command in LIMITED))


if __name__ == "__main__":
    sys.exit(main())
