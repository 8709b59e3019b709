# ruff: noqa: E501  # calls, one a line
"""Compare the speed of two source trees: CPU time of calls, wall time of starting.

    python benchmarks/versions.py OLD/src NEW/src [--only TEXT] [--rounds 3]

Every call is timed in processes of its own, old and new in turn; the best of all runs counts.
"""

import argparse
import inspect
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STARTS = {
    "import numpy": ["-c", "import numpy"],
    "import ordeval": ["-c", "import ordeval"],
    "ordeval --version": ["-m", "ordeval", "--version"],
    "ordeval score small.csv": ["-m", "ordeval", "score", "small.csv", "--measures", "qwk"],
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
    "score, 10^7": "oe.score(g7, p7, 'qwk')",
    "evaluate, 10^5": "oe.evaluate(g[:100000], p[:100000], measures='qwk, mae')",
    "evaluate, 10^5, all": "oe.evaluate(g[:100000], p[:100000], measures='all' if three else None)",
    "compare, 10^5": "oe.compare(g[:100000], {'a': p[:100000], 'b': q[:100000]}, measures='qwk, mae')",
    "compare, 10^5, topics": "oe.compare(g[:100000], {'a': p[:100000], 'b': q[:100000]}, "
    "measures='qwk, mae', **{topic: t[:100000]})",
    "compare, 10^5, weights": "oe.compare(g[:100000], {'a': p[:100000], 'b': q[:100000]}, "
    "measures='qwk, mae', **{weight: w[:100000]})",
    "compare, 20 systems": "oe.compare(g[:5000], many, measures='qwk, mae')",
}
_PREPARE = """
import numpy as np, ordeval as oe
rng, names = np.random.default_rng(0), inspect.signature(oe.evaluate).parameters
three = "weight" in names or "data" in names
weight = "weight" if "weight" in names else "sample_weight"
topic = "topic" if "topic" in names else "topics"
n = 10**7 if "7" in code else 10**6 if "10^6" in name else 10**5
g = rng.integers(0, 5, n)
p, q = (np.clip(g + rng.integers(-1, 2, n), 0, 4) for _ in range(2))
g7, p7, lists = g, p, (g[:1000].tolist(), p[:1000].tolist())
many = {f"s{i}": np.clip(g[:5000] + rng.integers(-1, 2, 5000), 0, 4) for i in range(20)}
w, t, words = rng.random(n), rng.integers(0, 100, n), np.array(["very bad", "bad", "ok", "good", "top"])
w3, x, gaps = np.array([0.5, 1.0, 2.5])[g % 3], np.clip(g + rng.normal(0, .4, n), 0, 4), g.astype(float)
gaps[::7] = np.nan
"""


def _time_call(name: str) -> float:
    code = _CALLS[name]
    space: dict[str, Any] = {"inspect": inspect, "code": code, "name": name}
    exec(_PREPARE, space)
    call: Callable[[], object] = eval(f"lambda: {code}", space)
    best, until = float("inf"), time.perf_counter() + 1.5
    call()
    while best == float("inf") or time.perf_counter() < until:
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def _run(tree: str, name: str, folder: str) -> float:
    env = {**os.environ, "PYTHONPATH": tree, "PYTHONDONTWRITEBYTECODE": ""}
    if name in _STARTS:
        start = time.perf_counter()
        command = [sys.executable, *_STARTS[name]]
        subprocess.run(command, env=env, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start
    command = [sys.executable, str(Path(__file__).resolve()), tree, tree, "--call", name]
    found = subprocess.run(command, env=env, cwd=folder, check=True, capture_output=True)
    return float(found.stdout)


def main() -> None:
    """Print the best times of both trees, and how many times the old one's the new one takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--call")
    given = parser.parse_args()
    if given.call:
        print(_time_call(given.call))
        return
    trees = [str(Path(tree).resolve()) for tree in given.trees]
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(f"{i % 5},{(i * 7 + i // 3) % 5}\n" for i in range(200))
        Path(folder, "small.csv").write_text("gold,pred\n" + rows)
        for name in [name for name in (*_STARTS, *_CALLS) if given.only in name]:
            rounds = given.rounds * (7 if name in _STARTS else 1)
            times = [[_run(tree, name, folder) for tree in trees] for _ in range(rounds)]
            old, new = map(min, zip(*times, strict=True))
            print(
                f"{name:28} {old * 1e3:10.3f} ms {new * 1e3:10.3f} ms {new / old:6.2f}", flush=True
            )


if __name__ == "__main__":
    main()
