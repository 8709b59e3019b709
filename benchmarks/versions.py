"""Compare two source trees: CPU time of calls, wall time of starting; the best of several runs.

    python benchmarks/versions.py OLD/src NEW/src [TEXT]

Every call is timed in processes of its own, old and new in turn; TEXT chooses calls by name.
"""

import inspect
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

_ROUNDS = 3
_COMMANDS = ("--version", "--help", "measures", "measures cem", "measures --format csv")
_COMMANDS += ("demo --no-report", "score small.csv --measures qwk")
_STARTS = {
    **{f"import {package}": ["-c", f"import {package}"] for package in ("numpy", "ordeval")},
    **{f"ordeval {text}": ["-m", "ordeval", *text.split()] for text in _COMMANDS},
}
_CALLS = {
    "score, lists of 1,000": "oe.score(*lists, 'qwk')",
    "score, 1,000": "oe.score(g[:1000], p[:1000], 'qwk')",
    "score, 1,000, labels": "oe.score(g[:1000], p[:1000], 'qwk', labels=[0, 1, 2, 3, 4])",
    "score, 10^6": "oe.score(g, p, 'qwk')",
    "score, 10^6 texts": "oe.score(words[g], words[p], 'qwk', labels=list(words))",
    "score, 10^6, weights": "oe.score(g, p, 'qwk', **{weight: w})",
    "score, 10^6, three weights": "oe.score(g, p, 'qwk', **{weight: w3})",
    "score, 10^6, bins": "oe.score(g, x, 'qwk', bins='round', labels=range(5))",
    "score, 10^6, bins, mae": "oe.score(g, x, 'mae', bins='round', labels=range(5))",
    "score, 10^6, topics": "oe.score(g, p, 'qwk', **{topic: t})",
    "score, 10^6, gaps": "oe.score(gaps, p, 'qwk', missing='skip')",
    "score, 10^7": "oe.score(g, p, 'qwk')",
    "evaluate, 10^5": "oe.evaluate(g, p, measures='qwk, mae')",
    "evaluate, 10^5, all": "oe.evaluate(g, p, measures='all' if three else None)",
    "compare, 10^5": "oe.compare(g, {'a': p, 'b': q}, measures='qwk, mae')",
    "compare, 10^5, topics": "oe.compare(g, {'a': p, 'b': q}, measures='qwk, mae', **{topic: t})",
    "compare, 10^5, weights": "oe.compare(g, {'a': p, 'b': q}, measures='qwk, mae', **{weight: w})",
    "compare, 20 systems": "oe.compare(g[:5000], many, measures='qwk, mae')",
    "compare, 12 systems x 300": "oe.compare(g[:300], few, measures=core, **{draws: 0})",
    "compare, 37 systems x 32,009": "oe.compare(g[:32009], runs, measures=core, **{draws: 0})",
}
_PREPARE = """
import numpy as np, ordeval as oe
rng, names = np.random.default_rng(0), inspect.signature(oe.evaluate).parameters
three = "weight" in names or "data" in names
weight = "weight" if "weight" in names else "sample_weight"
topic = "topic" if "topic" in names else "topics"
n = 10 ** next((e for e in (7, 6) if f"10^{e}" in name), 5)
g = rng.integers(0, 5, n)
p, q = (np.clip(g + rng.integers(-1, 2, n), 0, 4) for _ in range(2))
lists = g[:1000].tolist(), p[:1000].tolist()
many = {f"s{i}": np.clip(g[:5000] + rng.integers(-1, 2, 5000), 0, 4) for i in range(20)}
few = {f"s{i}": np.clip(g[:300] + rng.integers(-1, 2, 300), 0, 4) for i in range(12)}
runs = {f"s{i}": np.clip(g[:32009] + rng.integers(-1, 2, 32009), 0, 4) for i in range(37)}
core = "kappa, qwk, alpha, cem, kendall_b, mae, macro_mae, accuracy, macro_f1"
draws = "draws" if "draws" in names else "bootstrap"
w, t, words = rng.random(n), rng.integers(0, 100, n), np.array(["bad", "poor", "ok", "good", "top"])
w3, x, gaps = np.array([0.5, 1, 2.5])[g % 3], np.clip(g + rng.normal(0, .4, n), 0, 4), g * 1.0
gaps[::7] = np.nan
"""


def _time_call(name: str) -> float:
    """Return the best CPU time of a call, of those made within a second and a half."""
    space: dict[str, Any] = {"inspect": inspect, "name": name}
    exec(_PREPARE, space)
    call, best, until = eval(f"lambda: {_CALLS[name]}", space), [], time.perf_counter() + 1.5
    while len(best) < 2 or time.perf_counter() < until:
        start = time.process_time()
        call()
        best.append(time.process_time() - start)
    return min(best)


def _run(tree: str, name: str, folder: str) -> float:
    env = {**os.environ, "PYTHONPATH": str(Path(tree).resolve()), "PYTHONDONTWRITEBYTECODE": ""}
    env["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for each other count as CPU time
    command = [sys.executable, *_STARTS.get(name, [__file__, name])]
    start = time.perf_counter()
    done = subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    return time.perf_counter() - start if name in _STARTS else float(done.stdout)


def main(old: str, new: str, text: str = "") -> None:
    """Print the best times of both trees, and how many times the old one's the new one takes."""
    with tempfile.TemporaryDirectory() as folder:
        rows = (f"{i % 5},{(i * 7 + i // 3) % 5}\n" for i in range(200))
        Path(folder, "small.csv").write_text("gold,pred\n" + "".join(rows))
        for name in [name for name in (*_STARTS, *_CALLS) if text in name]:
            rounds = range(_ROUNDS * (7 if name in _STARTS else 1))
            times = [[_run(tree, name, folder) * 1e3 for tree in (old, new)] for _ in rounds]
            a, b = map(min, zip(*times, strict=True))
            print(f"{name:40} {a:10.3f} ms {b:10.3f} ms {b / a:6.2f}", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print(_time_call(sys.argv[1]))
    else:
        main(*sys.argv[1:])
