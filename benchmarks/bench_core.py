"""Measure the speed of the core relative to other libraries.

    python benchmarks/bench_core.py [--items 1e7] [--tables 10000] [--runs 3]

Times are the best of several runs in one process. Every line has a target for the ratio, which
depends much less on the machine than the seconds do. The exit code is 1 if a target is missed.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import krippendorff
import numpy as np
import scipy.stats
import sklearn.metrics as sk

import ordeval as oe
from bench_cli import bytecode_cache

K = 5
CHUNK = 1 << 17
LIMIT = 10.0  # µs per table
LIMITS = {"auoc": 40.0}  # of measures with another limit


class Row(NamedTuple):
    """A comparison: our seconds, their seconds, and the target for the ratio."""

    what: str
    ours: float
    theirs: float
    faster: bool  # whether the ratio is theirs to ours (a speed-up) or ours to theirs
    target: float

    @property
    def ratio(self) -> float:
        """Return the ratio of the two times."""
        return self.theirs / self.ours if self.faster else self.ours / self.theirs

    @property
    def good(self) -> bool:
        """Return whether the ratio meets its target."""
        return self.ratio >= self.target if self.faster else self.ratio <= self.target


def best_of(runs: int, job: Callable[[], Any]) -> float:
    """Return the seconds of the fastest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def alternating(runs: int, *jobs: Callable[[], Any]) -> list[float]:
    """Return the best times of jobs that alternate, so that other load affects all alike."""
    times = [[best_of(1, job) for job in jobs] for _ in range(runs)]
    return [min(of_job) for of_job in zip(*times, strict=True)]


def items(n: int) -> tuple[Any, Any]:
    """Draw gold labels, and predictions that are wrong by at most one class."""
    rng = np.random.default_rng(0)
    gold = rng.integers(1, K + 1, size=n)
    return gold, np.clip(gold + rng.integers(-1, 2, size=n), 1, K)


def bare_count(gold: Any, pred: Any) -> Any:
    """Count with a chunked bincount over the combined code, without any check."""
    table = np.zeros((K + 1) ** 2, dtype=np.int64)
    for start in range(0, len(gold), CHUNK):
        chunk = slice(start, start + CHUNK)
        table += np.bincount(gold[chunk] * (K + 1) + pred[chunk], minlength=len(table))
    return table


def all_measures(gold: Any, pred: Any) -> list[float]:
    """Score labels under every batched measure, from one table."""
    table = oe.Counts.from_labels(gold, pred).table
    return [float(measure.of(table)) for measure in oe.measures(batched=True)]


def counting(n: int, runs: int) -> Iterable[Row]:
    """Compare counting and scoring with a bare bincount and with scikit-learn."""
    gold, pred = items(n)
    ours, bare = alternating(
        3 * runs, lambda: oe.Counts.from_labels(gold, pred), lambda: bare_count(gold, pred)
    )
    yield Row(f"count {n:.0e} labels / bare bincount", ours, bare, False, 1.5)
    together = best_of(runs, lambda: all_measures(gold, pred))
    how_many = len(oe.measures(batched=True))
    kappa = best_of(runs, lambda: sk.cohen_kappa_score(gold, pred, weights="quadratic"))
    yield Row(f"all {how_many} measures / one scikit-learn kappa", together, kappa, True, 25)
    table = best_of(runs, lambda: sk.confusion_matrix(gold, pred))
    yield Row(f"all {how_many} measures / its confusion_matrix", together, table, True, 1)


def correlations(n: int, runs: int) -> Iterable[Row]:
    """Compare Kendall's tau and alpha with SciPy and krippendorff."""
    gold, pred = items(n)
    both = np.stack([gold, pred])
    tau = best_of(runs, lambda: oe.score(gold, pred, "kendall_b"))
    scipys = best_of(runs, lambda: scipy.stats.kendalltau(gold, pred))
    yield Row(f"kendall_b of {n:.0e} labels / SciPy", tau, scipys, True, 1)
    ours = best_of(runs, lambda: oe.score(gold, pred, "alpha"))
    theirs = best_of(runs, lambda: krippendorff.alpha(both, level_of_measurement="ordinal"))
    yield Row(f"alpha of {n:.0e} labels / krippendorff", ours, theirs, True, 1)


def imports(runs: int) -> Iterable[Row]:
    """Compare the times of the imports, each in a fresh interpreter."""

    def load(module: str, environment: dict[str, str]) -> float:
        program = f"import time; t = time.perf_counter(); import {module}; "
        program += "print(time.perf_counter() - t)"
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        return float(done.stdout)

    with bytecode_cache() as environment:
        load("ordeval", environment)  # writes the bytecode
        pairs = [
            (load("ordeval", environment), load("numpy", environment)) for _ in range(3 * runs)
        ]
    ours, numpys = (min(times) for times in zip(*pairs, strict=True))
    yield Row("import ordeval / import numpy", ours, numpys, False, 1.5)


def per_table(tables: int, runs: int) -> list[tuple[str, float, float]]:
    """Return (measure, µs per table, limit), slowest first."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(K * K), size=tables)
    batch = rng.multinomial(200, shares).reshape(-1, K, K).astype(float)
    found = []
    for measure in oe.measures(batched=True):
        seconds = best_of(runs, lambda m=measure: m.of(batch))
        found.append((str(measure), seconds / tables * 1e6, LIMITS.get(measure.id, LIMIT)))
    return sorted(found, key=lambda row: -row[1])


def show_rows(rows: Iterable[Row]) -> bool:
    """Print the comparisons; return whether all targets are met."""
    print(f"{'':<52}{'ours':>10}{'theirs':>10}{'ratio':>9}  target")
    good = True
    for row in rows:
        sign = "≥" if row.faster else "≤"
        verdict = "" if row.good else "  MISSED"
        target = f"{sign} {row.target:g}"
        print(
            f"{row.what:<52}{row.ours * 1e3:>8.1f}ms{row.theirs * 1e3:>8.1f}ms"
            f"{row.ratio:>9.2f}  {target}{verdict}"
        )
        good &= row.good
    return good


def show_tables(rows: list[tuple[str, float, float]], tables: int) -> bool:
    """Print the times per table; return whether all limits are met."""
    print(f"\n{tables} tables of K = {K}: µs per table")
    for name, micros, limit in rows:
        print(f"  {name:<34}{micros:>7.2f}  ≤ {limit:g}{'' if micros <= limit else '  MISSED'}")
    return all(micros <= limit for _, micros, limit in rows)


def show_programme(runs: int) -> None:
    """Print the time of oc_general, which solves a mixed-integer programme for each table."""
    rng = np.random.default_rng(2)
    for k in (3, 5):
        table = rng.integers(0, 20, size=(k, k))
        seconds = best_of(runs, lambda n=table: oe.measure("oc_general").of(n))
        print(f"\noc_general, one table of K = {k}: {seconds * 1e3:.0f} ms")


def main() -> int:
    """Measure and print; return 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=float, default=1e7, help="number of labels (1e7)")
    parser.add_argument("--tables", type=int, default=10_000, help="number of tables (10000)")
    parser.add_argument("--runs", type=int, default=3, help="runs, of which the best counts (3)")
    options = parser.parse_args()
    n, runs = int(options.items), options.runs
    oe.measures()  # load the measures before anything is timed
    good = show_rows([*counting(n, runs), *correlations(max(2, n // 10), runs), *imports(runs)])
    good &= show_tables(per_table(options.tables, runs), options.tables)
    show_programme(runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
