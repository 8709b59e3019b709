"""Packages in this environment, and in environments of their own."""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from contextlib import ExitStack
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Self

import numpy as np

from .peers import PACKAGES, Data, Package, Peer
from .timing import Local, Run

ROOT = Path(__file__).resolve().parents[1]


class Unavailable(Exception):
    """A package that cannot be installed or imported, and why."""


class Remote:
    """A call in the environment of another interpreter."""

    def __init__(self, worker: "Worker", peer: Peer, data: Data) -> None:
        self._ask, self._package = worker.ask, peer.package
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data.npz"
            np.savez(path, **data)
            self._ask(do="prepare", package=peer.package, task=peer.task, path=str(path))

    def run(self) -> tuple[float, float]:
        """Make the call there."""
        found = self._ask(do="run", package=self._package)
        return found["cpu"], found["wall"]

    def values(self) -> list[float]:
        """Return the numbers that the last call gave."""
        return list(self._ask(do="read", package=self._package)["values"])


class Worker:
    """A process of another interpreter that makes calls."""

    def __init__(self, python: Path) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        command = [str(python), "-m", "benchmarks.worker"]
        self._process = subprocess.Popen(command, cwd=ROOT, text=True, **pipes)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request and return the answer."""
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        found = json.loads(line) if line else {"problem": "its process ended"}
        if "problem" in found:
            raise Unavailable(found["problem"])
        return dict(found)


class Environments:
    """Where each package is run, with its version, or why it is not.

    Parameters
    ----------
    folder : Path, optional
        Where environments of packages that need one are, and are made if they are not there.
        Without a folder such packages are left out.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder, self._open = folder, ExitStack()
        self._workers: dict[str, Worker] = {}
        self.versions: dict[str, str] = {}
        self.missing: dict[str, str] = {}

    def __enter__(self) -> Self:
        for name, package in PACKAGES.items():
            try:
                self.versions[name] = self._start(name, package)
            except Unavailable as problem:
                self.missing[name] = str(problem)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def apart(self) -> Mapping[str, str]:
        """Return the packages in environments of their own, and why they are."""
        return {name: PACKAGES[name].reason for name in self._workers}

    def prepared(self, peer: Peer, data: Mapping[str, Any]) -> Run:
        """Return the call of a package on data."""
        if peer.package in self._workers:
            return Remote(self._workers[peer.package], peer, data)
        return Local(peer.prepare(data), peer.read)

    def _start(self, name: str, package: Package) -> str:
        """Return the version of a package, after starting its process if it needs one."""
        if not package.requires:
            return _version_here(package)
        if self._folder is None:
            raise Unavailable("it needs an environment of its own, which was not asked for")
        python = _python_with(package, self._folder / name)
        worker = self._open.enter_context(Worker(python))
        version = worker.ask(do="version", package=name)["version"]
        self._workers[name] = worker
        return str(version)


def _version_here(package: Package) -> str:
    """Return the version of a package in this environment."""
    try:
        import_module(package.module)
    except ModuleNotFoundError as error:
        problem = 'not installed; `pip install -e ".[bench]"` installs it'
        raise Unavailable(problem if error.name == package.module else str(error)) from error
    except Exception as error:
        raise Unavailable(f"cannot be imported: {type(error).__name__}: {error}") from error
    return metadata.version(package.distribution)


def _python_with(package: Package, folder: Path) -> Path:
    """Return the interpreter of an environment with a package, which is made once."""
    python, done = folder / "bin" / "python", folder / "installed.txt"
    if sys.platform == "win32":
        python = folder / "Scripts" / "python.exe"
    wanted = "\n".join(package.requires)
    if done.exists() and done.read_text("utf-8") == wanted:
        return python
    print(f"making an environment for {wanted!r} in {folder}", file=sys.stderr, flush=True)
    venv.create(folder, clear=True, with_pip=True)
    command = [str(python), "-m", "pip", "install", "--quiet", *package.requires]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        lines = [line for line in made.stderr.splitlines() if line.startswith("ERROR")]
        raise Unavailable(f"cannot be installed: {' '.join(lines)[:300]}")
    done.write_text(wanted, "utf-8")
    return python
