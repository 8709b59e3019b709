"""Measure how CPU time and memory grow with systems, topics, classes and items.

    python benchmarks/growth.py [--budget 120] [--axes systems,topics,classes,items] [--quick]
        [--write]

One axis grows at a time; the others stay at a base that the page states. Every point runs in a
process of its own, so that the peak of memory is its own. A point that takes longer than the
budget, in seconds of CPU time with the preparation, ends its row: larger ones are left out, and
the page says so, as it says which ones are refused. Exponents are fitted to the upper half of the
points. With --write, writes docs/cost.md; at most about (rows × budget) seconds, an hour with the
defaults.
"""

import argparse
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BASE = {"systems": 4, "topics": 20, "classes": 5, "items": 20_000}
AXES: dict[str, tuple[int, ...]] = {
    "systems": (2, 5, 10, 20, 50, 100, 200, 500, 1_000),
    "topics": (1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000),
    "classes": (2, 3, 5, 11, 21, 51, 101, 301, 1_001),
    "items": (10**2, 10**3, 10**4, 10**5, 10**6, 10**7, 10**8),
}
QUICK = {"systems": (2, 4, 8)}
TASKS = ("score", "compare, items", "compare, topics", "meta", "report")
BLOCK = 10**6  # different items; more repeat them
MEANT = {
    "score": "`evaluate`: the scores of all measures, with intervals",
    "compare, items": "`compare` without topics: intervals and tests over items",
    "compare, topics": "`compare` with topics: intervals and tests over topics",
    "meta": "`meta_evaluate` of such a comparison",
    "report": "the page of a comparison with topics, without the comparison itself",
}


class Point(NamedTuple):
    """What one run took, or why it did not end."""

    value: int
    seconds: float = float("nan")
    gigabytes: float = float("nan")
    problem: str = ""


# One point, in a process of its own.


def data(size: Mapping[str, int]) -> tuple[Any, dict[str, Any], Any]:
    """Return gold labels, predictions and topics."""
    draw, items, k = np.random.default_rng(0), min(size["items"], BLOCK), size["classes"]
    kind, times = np.min_scalar_type(-k), -(-size["items"] // items)
    gold = draw.integers(k, size=items).astype(kind)

    def long(column: Any) -> Any:
        return np.tile(column, times)[: size["items"]]

    systems = {}
    for i in range(size["systems"]):
        right = draw.random(items) < 0.3 + 0.5 * i / size["systems"]
        near = np.clip(gold + draw.integers(-2, 3, size=items), 0, k - 1)
        systems[f"system {i:04d}"] = long(np.where(right, gold, near).astype(kind))
    return long(gold), systems, np.arange(size["items"], dtype=np.int32) % size["topics"]


def task_of(name: str, size: Mapping[str, int]) -> Callable[[], object]:
    """Prepare a task, and return what is to be measured."""
    import ordeval as oe
    from ordeval.meta import meta_evaluate

    gold, systems, topics = data(size)
    labels = list(range(size["classes"]))
    if name == "score":
        return lambda: oe.evaluate(gold, systems, "all", labels=labels)
    if name == "compare, items":
        return lambda: oe.compare(gold, systems, labels=labels)
    if name == "compare, topics":
        return lambda: oe.compare(gold, systems, labels=labels, topic=topics)
    if name == "meta":
        scores = oe.compare(gold, systems, labels=labels, topic=topics, draws=0, trials=1)
        return lambda: meta_evaluate(scores)
    found = oe.compare(gold, systems, labels=labels, topic=topics, draws=200, trials=100)
    return found.to_html


def measure(name: str, size: Mapping[str, int], budget: float) -> dict[str, Any]:
    """Run a task here, and return the CPU seconds of the task and the peak of the process."""
    from ordeval import InputError

    # CPU time rather than a clock, so that a busy machine ends the rows at the same points.
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(budget), resource.RLIM_INFINITY))

    try:
        run = task_of(name, size)
        start = time.process_time()
        run()
    except InputError as raised:
        kind = "refused" if "would take" in raised.message else "not possible"
        return {"problem": f"{kind}: {raised.message}"}
    except MemoryError:
        return {"problem": "out of memory"}
    unit = 1e9 if sys.platform == "darwin" else 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    return {"seconds": time.process_time() - start, "gigabytes": peak}


def in_process(name: str, size: Mapping[str, int], budget: float) -> dict[str, Any]:
    """Run a task in a process of its own."""
    command = [sys.executable, __file__, "--point", json.dumps([name, size, budget])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == -signal.SIGXCPU:
        return {"problem": f"more than {budget:g} s"}
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"ended with {done.returncode}"]
        return {"problem": f"failed: {last[0]}"}
    return dict(json.loads(done.stdout))


# All points.


def row_of(axis: str, values: Iterable[int], name: str, budget: float) -> list[Point]:
    """Measure a task along an axis, until a point does not end."""
    points: list[Point] = []
    for value in values:
        before = points[-1].problem if points else ""
        if before and "not possible" not in before:
            points.append(Point(value, problem="refused" if "refused" in before else "left out"))
            continue
        points.append(Point(value, **in_process(name, {**BASE, axis: value}, budget)))
        print(axis, value, name, *points[-1][1:], flush=True)
    return points


def exponent(points: Sequence[Point], of: str) -> float:
    """Return the slope of a figure in logarithms over the upper half of the points."""
    known = [p for p in points if not p.problem]
    upper = known[len(known) // 2 :] if len(known) > 4 else known[-3:]
    if len(upper) < 2:
        return float("nan")
    x, y = np.log([p.value for p in upper]), np.log([max(getattr(p, of), 1e-3) for p in upper])
    return float(np.polyfit(x, y, 1)[0])


def cell(point: Point) -> str:
    """Return a point as text."""
    if point.problem:
        return point.problem.split(":")[0]
    return f"{point.seconds:.3g} · {point.gigabytes:.2g}"


def table(axis: str, rows: Mapping[str, Sequence[Point]]) -> list[str]:
    """Return the table of an axis."""
    lines = [f"| {axis} | " + " | ".join(rows) + " |", "|---:|" + "---:|" * len(rows)]
    for points in zip(*rows.values(), strict=True):
        lines.append(f"| {points[0].value:,} | " + " | ".join(map(cell, points)) + " |")
    slopes = [
        f"{exponent(points, 'seconds'):.2f} · {exponent(points, 'gigabytes'):.2f}"
        for points in rows.values()
    ]
    return [*lines, "| exponent | " + " | ".join(slopes).replace("nan", "–") + " |"]


def page(found: Mapping[str, Mapping[str, Sequence[Point]]], budget: float) -> str:
    """Return the document."""
    base = ", ".join(f"{number:,} {axis}" for axis, number in BASE.items())
    lines = [
        "# Time and memory by size",
        "",
        "How time and memory grow with systems, topics, classes and items. A cell has the CPU "
        "seconds of all threads · the peak of memory in GB, with Python, the libraries and the "
        f"data. One axis grows at a time; the others stay at {base}. The last row is the "
        "exponent, fitted to the upper half of the points: 1 means proportional to the axis, 2 to "
        f"its square. Every point runs in its own process and may take {budget:g} seconds of CPU "
        "time, preparation included; larger ones are left out. `refused` means that ordeval "
        "stopped before the work with a message that says what to change.",
        "",
        *(f"- {name}: {meant}" for name, meant in MEANT.items()),
        "",
        f"Systems are right on 30 to 80 % of the items and otherwise near; beyond {BLOCK:,} items, "
        "the labels repeat. Measured with Python "
        f"{platform.python_version()} and NumPy {np.__version__} on {os.cpu_count()} cores "
        f"({platform.machine()}).",
        "",
        f"Made by `python benchmarks/growth.py --budget {budget:g} --write`.",
    ]
    for axis, rows in found.items():
        lines += ["", f"## {axis.capitalize()}", "", *table(axis, rows)]
        refused = {p.problem for points in rows.values() for p in points if ": " in p.problem}
        lines += ["", *(f"- {problem}" for problem in sorted(refused))] if refused else []
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, print, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--budget", type=float, default=120.0, help="seconds of a point (120)")
    parser.add_argument("--axes", default=",".join(AXES), help="axes to measure (all)")
    parser.add_argument("--quick", action="store_true", help="three small points")
    parser.add_argument("--write", action="store_true", help="write docs/cost.md")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.point:
        print(json.dumps(measure(*json.loads(options.point))))
        return
    axes = QUICK if options.quick else {name: AXES[name] for name in options.axes.split(",")}
    tasks = TASKS[:1] if options.quick else TASKS
    found = {
        axis: {name: row_of(axis, values, name, options.budget) for name in tasks}
        for axis, values in axes.items()
    }
    text = page(found, options.budget)
    print(text)
    if options.write:
        place = Path(__file__).parents[1] / "docs" / "cost.md"
        place.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
