"""Measure agreement of several raters beside the packages krippendorff and irrCAC.

    python benchmarks/bench_raters.py [--items 10000 1000000] [--raters 5] [--repeat 3]
        [--irrcac PYTHON]

Every line is one program on the same ratings, of five classes without and with gaps: seconds of
processor time, and the largest difference of its values from ours. irrCAC needs an old SciPy; name
the interpreter of an environment in which it is installed, which is run as a process of its own on
the same data (the time is that of its calls, without imports). It gets at most 10,000 items, since
its time grows with them.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import ordeval as oe
from ordeval.evaluation.agreement import agreement_of
from ordeval.ratings import GAP, Ratings
from ordeval.scale import Scale

CLASSES = 5
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")
PACKAGE = {
    "gwet": "ac2",
    "bp": "brennan_prediger",
    "fleiss": "fleiss",
    "conger": "conger",
    "krippendorff": "weighted_alpha",
}
MOST_OF_IRRCAC = 10_000
IRRCAC = """
import json, sys, time
import numpy as np, pandas as pd
from irrCAC.raw import CAC
data = pd.DataFrame(np.load(sys.argv[1]))
found, start = {}, time.process_time()
for weights in ("identity", "linear", "quadratic", "ordinal"):
    cac = CAC(data, weights=weights, categories=[1, 2, 3, 4, 5], digits=12)
    for name in ("gwet", "bp", "fleiss", "conger", "krippendorff"):
        est = getattr(cac, name)()["est"]
        found[f"{name} {weights}"] = [est["coefficient_value"], est["se"]]
print(json.dumps({"seconds": time.process_time() - start, "values": found}))
"""


def ratings_of(items: int, raters: int, gaps: float) -> np.ndarray[Any, Any]:
    """Draw ratings 1..5, NaN where there is a gap; every item has a rating."""
    rng = np.random.default_rng(0)
    latent = rng.integers(1, CLASSES + 1, size=(items, 1))
    found = np.clip(latent + rng.integers(-1, 2, size=(items, raters)), 1, CLASSES).astype(float)
    missing = rng.random(found.shape) < gaps
    missing[:, 0] = False
    found[missing] = np.nan
    return found


def seconds(call: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """Return the least processor time of a call, and what it returned."""
    times, found = [], None
    for _ in range(repeat):
        start = time.process_time()
        found = call()
        times.append(time.process_time() - start)
    return min(times), found


def line(what: str, spent: float, note: str = "") -> None:
    print(f"  {what:<44} {spent:9.3f} s  {note}", flush=True)


def ours(data: np.ndarray[Any, Any], repeat: int) -> oe.Agreement:
    """Time our coefficients and intervals, after reading."""
    codes = np.where(np.isnan(data), GAP, data - 1).astype(np.intp)
    names = tuple(f"r{j}" for j in range(data.shape[1]))
    read = Ratings(codes, names, Scale.of(range(1, CLASSES + 1)))
    specs = [f"{own}(weights='{w}')" for w in WEIGHTS for own in PACKAGE.values()]
    specs += [f"krippendorff({level})" for level in ("nominal", "ordinal", "interval")]
    spent, _ = seconds(lambda: agreement_of(read, bootstrap=0), repeat)
    line("ordeval: all coefficients, pairs, raters", spent)
    spent, _ = seconds(lambda: agreement_of(read), repeat)
    line("ordeval: the same with intervals", spent)
    spent, found = seconds(
        lambda: agreement_of(read, measures=specs, pair_measures="accuracy", bootstrap=1), repeat
    )
    line("ordeval: what irrCAC computes, with s.e.", spent)
    return found


def package(data: np.ndarray[Any, Any], found: oe.Agreement, repeat: int) -> None:
    """Time the package krippendorff."""
    try:
        import krippendorff
    except ImportError:
        print("  krippendorff is not installed")
        return
    for level in ("nominal", "ordinal", "interval"):
        spent, value = seconds(
            lambda level=level: krippendorff.alpha(
                data.T, level_of_measurement=level, value_domain=[1, 2, 3, 4, 5]
            ),
            repeat,
        )
        apart = abs(value - found[f"krippendorff({level})"].value)
        line(f"krippendorff: alpha, {level}", spent, f"differs by {apart:.1e}")


def irrcac(data: np.ndarray[Any, Any], found: oe.Agreement, python: str) -> None:
    """Time irrCAC in the environment of another interpreter."""
    if len(data) > MOST_OF_IRRCAC:
        print(f"  irrCAC: not run with more than {MOST_OF_IRRCAC:,} items")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ratings.npy"
        np.save(path, data)
        done = subprocess.run(
            [python, "-c", IRRCAC, str(path)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        print(f"  irrCAC failed: {done.stderr.strip().splitlines()[-1:]}")
        return
    told = json.loads(done.stdout.splitlines()[-1])
    values, errors = [], []
    for name, (value, se) in told["values"].items():
        coefficient, weights = name.split()
        own = found[f"{PACKAGE[coefficient]}(weights='{weights}')"]
        values.append(abs(own.value - value))
        errors.append(abs(own.se / se - 1))
    note = f"values differ by {max(values):.1e}, s.e. by {100 * max(errors):.2f} %"
    line("irrCAC: 5 coefficients x 4 weights, with s.e.", told["seconds"], note)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--raters", type=int, default=5)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--irrcac", help="a Python in which irrCAC is installed")
    args = parser.parse_args()
    for items in args.items:
        for gaps in (0.0, 0.2):
            print(f"{items:,} items x {args.raters} raters, {100 * gaps:.0f} % missing")
            data = ratings_of(items, args.raters, gaps)
            found = ours(data, args.repeat)
            package(data, found, args.repeat)
            if args.irrcac:
                irrcac(data, found, args.irrcac)
            else:
                print("  irrCAC: not run; name its interpreter with --irrcac")


if __name__ == "__main__":
    sys.exit(main())
