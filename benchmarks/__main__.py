"""Measure the speed of ordeval beside what a person would use instead.

    python -m benchmarks             all tasks, a few minutes; prints a table of ratios
    python -m benchmarks --quick     the smallest size of every task, below half a minute
    python -m benchmarks --write     also writes docs/benchmarks.json, the page and its figures
    python -m benchmarks --page      writes the page and its figures from that JSON alone

`pip install -e ".[bench]"` installs the other packages; those that are missing are listed. Packages
that cannot be installed beside the others get environments of their own in a cache folder. Calls
alternate, and times are medians of processor time. The exit code is 1 if values differ without a
known reason.
"""

import argparse
import gc
import json
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .environments import ROOT, Environments, Unavailable
from .machine import about
from .page import write_page
from .peers import PEERS, Peer
from .rows import EQUAL, row_text, unexplained
from .tasks import TASKS, Size, Task
from .timing import NOT_TIMED, Local, in_turn

RESULTS = ROOT / "docs" / "benchmarks.json"
CACHE = Path.home() / ".cache" / "ordeval-benchmarks"
BUDGET, QUICK_BUDGET = 0.3, 0.01  # seconds of each call at each size


def significant(number: float, digits: int = 4) -> float:
    """Return a number with few digits, so that files are short."""
    return float(f"{number:.{digits}g}")


def too_large(peer: Peer, size: Size) -> bool:
    """Return whether a call would take minutes at this size."""
    return any(size.get(axis, 0) > most for axis, most in peer.most.items())


def largest_difference(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the largest difference of numbers."""
    pairs = zip(ours, theirs, strict=True)
    return max((abs(a - b) for a, b in pairs if a == a or b == b), default=0.0)


def measured(task: Task, size: Size, places: Environments, budget: float) -> dict[str, Any]:
    """Return the times of a task at one size, ours and those of other packages."""
    data = task.data(size)
    runs, found = [Local(task.prepare(data), task.read)], []
    first = [runs[0].run()]
    for peer in (p for p in PEERS if p.task == task.name and p.package in places.versions):
        if too_large(peer, size):
            continue
        try:
            run = places.prepared(peer, data)
            first.append(run.run())
        except Exception as error:  # noqa: BLE001  # whatever a package raises is reported
            found.append({"package": peer.package, "problem": _short(error)})
            continue
        runs.append(run)
        found.append({"package": peer.package, "code": peer.code, "differs": peer.differs})
    gc.collect()
    if size == task.sizes[0]:
        first = [NOT_TIMED] * len(runs)  # it loads modules
    times = in_turn(runs, first, budget)
    rows = [row for row in found if "problem" not in row]
    for row, run, timing in zip(rows, runs[1:], times[1:], strict=True):
        row.update({name: significant(value) for name, value in timing._asdict().items()})
        row["difference"] = significant(largest_difference(runs[0].values(), run.values()), 2)
        if row["difference"] <= EQUAL:
            row["differs"] = ""
    own = {name: significant(value) for name, value in times[0]._asdict().items()}
    return {"task": task.name, "size": dict(size), **own, "peers": found}


def _short(error: Exception) -> str:
    kind = "" if isinstance(error, Unavailable) else f"{type(error).__name__}: "
    return f"{kind}{error}"[:200]


def all_rows(tasks: Sequence[Task], places: Environments, quick: bool) -> Iterator[dict[str, Any]]:
    """Measure all tasks, and print every row."""
    for task in tasks:
        for size in task.sizes[:1] if quick else task.sizes:
            case = measured(task, size, places, QUICK_BUDGET if quick else BUDGET)
            for row in case["peers"]:
                print(row_text(case, row), flush=True)
            yield case


def results(tasks: Sequence[Task], folder: Path | None, quick: bool) -> dict[str, Any]:
    """Measure, and return everything that the page needs."""
    start = time.perf_counter()
    with warnings.catch_warnings(), Environments(folder) as places:
        warnings.simplefilter("ignore")  # of other packages
        cases = list(all_rows(tasks, places, quick))
        return {
            **about(places.versions),
            "seconds": round(time.perf_counter() - start),
            "missing": places.missing,
            "apart": dict(places.apart()),
            "cases": cases,
        }


def chosen(only: str) -> list[Task]:
    """Return the tasks whose name or group contains a text."""
    found = [t for t in TASKS if only.lower() in f"{t.name} {t.title} {t.group}".lower()]
    if not found:
        sys.exit(f"No task contains {only!r}; there are {', '.join(t.name for t in TASKS)}.")
    return found


def report(found: Mapping[str, Any]) -> int:
    """Print what is missing and what differs; return the exit code."""
    for name, reason in found["missing"].items():
        print(f"{name} is left out: {reason}")
    rows = [(case, row) for case in found["cases"] for row in case["peers"]]
    bad = [(case, row) for case, row in rows if "problem" in row or unexplained(case, row)]
    for case, row in bad:
        print(f"differs without a known reason, or failed: {row_text(case, row)}")
    print(f"{len(rows) - len(bad)} comparisons in {found['seconds']} s")
    return int(bool(bad))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; return 1 if values differ without a known reason."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="the smallest size of every task")
    parser.add_argument("--only", default="", metavar="TEXT", help="tasks whose name contains it")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.*")
    parser.add_argument("--page", action="store_true", help="write the page from its JSON alone")
    parser.add_argument(
        "--environments", type=Path, default=CACHE, metavar="FOLDER", help=f"({CACHE})"
    )
    parser.add_argument("--no-environments", action="store_true", help="leave such packages out")
    options = parser.parse_args(arguments)
    if options.page:
        write_page(json.loads(RESULTS.read_text("utf-8")), RESULTS.parent)
        return 0
    folder = None if options.no_environments or options.quick else options.environments
    found = results(chosen(options.only), folder, options.quick)
    for path in filter(None, (options.out, RESULTS if options.write else None)):
        path.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    if options.write:
        write_page(found, RESULTS.parent)
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
