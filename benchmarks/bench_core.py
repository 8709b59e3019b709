"""Speed of the core, as ratios to what is at hand elsewhere, measured side by side in one process.

    python benchmarks/bench_core.py [--quick]

Times are the best of several runs. Every line says what is wanted, so a slower machine changes
the seconds and not the verdicts.
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

K = 5
CHUNK = 1 << 17
SLOWEST = {"auoc": 40.0}  # µs per table, where it is not the usual limit
USUAL = 10.0


class Row(NamedTuple):
    """One comparison: what, our and their seconds, and the ratio that is wanted."""

    what: str
    ours: float
    theirs: float
    faster: bool  # whether the ratio is how many times faster we are, or how much longer we take
    wanted: float

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours if self.faster else self.ours / self.theirs

    @property
    def good(self) -> bool:
        return self.ratio >= self.wanted if self.faster else self.ratio <= self.wanted


def best_of(runs: int, job: Callable[[], Any]) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def alternating(runs: int, *jobs: Callable[[], Any]) -> list[float]:
    """Best times of jobs that take turns, so that a busy moment hits all of them alike."""
    times = [[best_of(1, job) for job in jobs] for _ in range(runs)]
    return [min(of_job) for of_job in zip(*times, strict=True)]


def items(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    gold = rng.integers(1, K + 1, size=n)
    return gold, np.clip(gold + rng.integers(-1, 2, size=n), 1, K)


def bare_count(gold: Any, pred: Any) -> Any:
    """A chunked bincount over the combined code, without any check."""
    table = np.zeros((K + 1) ** 2, dtype=np.int64)
    for start in range(0, len(gold), CHUNK):
        chunk = slice(start, start + CHUNK)
        table += np.bincount(gold[chunk] * (K + 1) + pred[chunk], minlength=len(table))
    return table


def all_measures(gold: Any, pred: Any) -> list[float]:
    """Every batched measure, from one table."""
    table = oe.Counts.from_labels(gold, pred).table
    return [float(measure.of(table)) for measure in oe.measures(batched=True)]


def counting(n: int, runs: int) -> Iterable[Row]:
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
    gold, pred = items(n)
    both = np.stack([gold, pred])
    tau = best_of(runs, lambda: oe.score(gold, pred, "kendall_b"))
    scipys = best_of(runs, lambda: scipy.stats.kendalltau(gold, pred))
    yield Row(f"kendall_b of {n:.0e} labels / SciPy", tau, scipys, True, 1)
    ours = best_of(runs, lambda: oe.score(gold, pred, "alpha"))
    theirs = best_of(runs, lambda: krippendorff.alpha(both, level_of_measurement="ordinal"))
    yield Row(f"alpha of {n:.0e} labels / krippendorff", ours, theirs, True, 1)


def imports(runs: int) -> Iterable[Row]:
    """Seconds of the import alone, each time in a fresh interpreter."""

    def load(module: str) -> float:
        program = f"import time; t = time.perf_counter(); import {module}; "
        program += "print(time.perf_counter() - t)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        return float(done.stdout)

    pairs = [(load("ordeval"), load("numpy")) for _ in range(3 * runs)]
    ours, numpys = (min(times) for times in zip(*pairs, strict=True))
    yield Row("import ordeval / import numpy", ours, numpys, False, 1.5)


def per_table(tables: int, runs: int) -> list[tuple[str, float, float]]:
    """(measure, µs per table, limit), slowest first."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(K * K), size=tables)
    batch = rng.multinomial(200, shares).reshape(-1, K, K).astype(float)
    found = []
    for measure in oe.measures(batched=True):
        seconds = best_of(runs, lambda m=measure: m.of(batch))
        found.append((str(measure), seconds / tables * 1e6, SLOWEST.get(measure.id, USUAL)))
    return sorted(found, key=lambda row: -row[1])


def show_rows(rows: Iterable[Row]) -> bool:
    print(f"{'':<52}{'ours':>10}{'theirs':>10}{'ratio':>9}  wanted")
    good = True
    for row in rows:
        sign = "≥" if row.faster else "≤"
        verdict = "" if row.good else "  MISSED"
        wanted = f"{sign} {row.wanted:g}"
        print(
            f"{row.what:<52}{row.ours * 1e3:>8.1f}ms{row.theirs * 1e3:>8.1f}ms"
            f"{row.ratio:>9.2f}  {wanted}{verdict}"
        )
        good &= row.good
    return good


def show_tables(rows: list[tuple[str, float, float]], tables: int) -> bool:
    print(f"\n{tables} tables of K = {K}: µs per table")
    for name, micros, limit in rows:
        print(f"  {name:<34}{micros:>7.2f}  ≤ {limit:g}{'' if micros <= limit else '  MISSED'}")
    return all(micros <= limit for _, micros, limit in rows)


def show_programme(runs: int) -> None:
    """oc_general stands apart: it solves a mixed-integer programme for each table."""
    rng = np.random.default_rng(2)
    for k in (3, 5):
        table = rng.integers(0, 20, size=(k, k))
        seconds = best_of(runs, lambda n=table: oe.measure("oc_general").of(n))
        print(f"\noc_general, one table of K = {k}: {seconds * 1e3:.0f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one run of each instead of three")
    n, tables, runs = 10**7, 10_000, 1 if parser.parse_args().quick else 3
    oe.measures()  # loading the measures is not what is timed
    rows = [*counting(n, runs), *correlations(n // 10, runs), *imports(runs)]
    good = show_rows(rows)
    good &= show_tables(per_table(tables, runs), tables)
    show_programme(runs)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
