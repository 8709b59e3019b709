"""Runs calls of a package in its own environment: ``python -m benchmarks.worker``.

Every line of the input is a request in JSON, answered by a line of output. `prepare` loads the data
of a task, `run` makes one call, and `read` gives the numbers that the last call returned.
"""

import contextlib
import json
import sys
import warnings
from collections.abc import Mapping
from importlib import import_module, metadata
from typing import Any

import numpy as np

from .peers import PACKAGES, PEERS
from .timing import Local


def answer(request: Mapping[str, Any], runs: dict[str, Local]) -> dict[str, Any]:
    """Do what a request asks for."""
    package = request["package"]
    if request["do"] == "version":
        import_module(PACKAGES[package].module)
        return {"version": metadata.version(PACKAGES[package].distribution)}
    if request["do"] == "prepare":
        [call] = [p for p in PEERS if (p.task, p.package) == (request["task"], package)]
        with np.load(request["path"]) as data:
            runs[package] = Local(call.prepare(dict(data)), call.read)
        return {}
    if request["do"] == "run":
        cpu, wall = runs[package].run()
        return {"cpu": cpu, "wall": wall}
    return {"values": runs[package].values()}


def main() -> None:
    """Answer requests until the input ends."""
    warnings.simplefilter("ignore")
    runs: dict[str, Local] = {}
    for line in sys.stdin:
        with contextlib.redirect_stdout(sys.stderr):  # packages may print
            try:
                found = answer(json.loads(line), runs)
            except Exception as error:  # noqa: BLE001  # whatever a package raises is reported
                found = {"problem": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
