"""Record the two walks through the package: `python tools/walks.py [--check]`.

One walk leads from labels to a result (`oe.compare`), the other from a file to a page
(`ordeval compare data.csv --html`). ARCHITECTURE.md lists their public functions between markers;
`--check` fails if the lists are out of date. With the name of a walk (`labels`, `file`) its counts
are printed instead; with `--cold` they include what runs while modules are imported.
"""

import contextlib
import csv
import importlib
import io
import multiprocessing
import pkgutil
import re
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

DOCUMENT = Path(__file__).resolve().parents[1] / "ARCHITECTURE.md"


@dataclass
class Walk:
    """The functions of the package that are called, in the order of their first calls.

    Parameters
    ----------
    package : Path
        The folder of the package.
    """

    package: Path
    functions: dict[CodeType, str] = field(default_factory=dict)
    """The module of every function."""
    deepest: int = 0
    _depth: int = 0

    def record(self, frame: FrameType, event: str, _: Any) -> None:
        """Take note of a call; this is the function for `sys.setprofile`."""
        if event not in ("call", "return") or not self._counts(frame.f_code):
            return
        self._depth += 1 if event == "call" else -1
        self.deepest = max(self.deepest, self._depth)
        self.functions.setdefault(frame.f_code, frame.f_globals["__name__"])

    def _counts(self, code: CodeType) -> bool:
        """Whether this is a function of the package: no template, lambda or comprehension."""
        file = code.co_filename
        inside = file.startswith(str(self.package)) and file.endswith(".py")
        return inside and not code.co_name.startswith("<")

    def public(self) -> dict[str, list[str]]:
        """Return the names of public functions and methods by module."""
        names: dict[str, dict[str, None]] = {}
        for code, module in self.functions.items():
            if not re.search(r"(^|\.)[_<]", code.co_qualname):
                names.setdefault(module, {})[code.co_qualname] = None
        return {module: list(found) for module, found in names.items()}

    def counts(self) -> str:
        """Return how many functions were called, private ones included."""
        modules = len(set(self.functions.values()))
        return f"{len(self.functions)} functions in {modules} modules, {self.deepest} deep"


def walk(action: Callable[[], object]) -> Walk:
    """Run an action and record the functions of the package that it calls."""
    recorded = Walk(Path(importlib.import_module("ordeval").__file__ or "").parent)
    sys.setprofile(recorded.record)
    try:
        action()
    finally:
        sys.setprofile(None)
    return recorded


def load_all() -> None:
    """Import all modules of the package, so that imports are no part of a walk."""
    path = importlib.import_module("ordeval").__path__
    for found in pkgutil.walk_packages(path, "ordeval."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def labels_to_result() -> Walk:
    """Walk from labels in memory to a result."""
    import ordeval as oe
    from ordeval.demo_data import LABELS, demo_data

    data = demo_data()
    return walk(lambda: oe.compare(data.gold, data.systems, labels=LABELS, topics=data.topics))


def file_to_page() -> Walk:
    """Walk from a file to its page."""
    from ordeval.cli import main
    from ordeval.demo_data import LABELS

    with tempfile.TemporaryDirectory() as folder, _silence():
        data = Path(folder, "data.csv")
        _write_data(data)
        args = ["compare", str(data), "--labels", ",".join(LABELS), "--topic", "topic", "--quiet"]
        return walk(lambda: main([*args, "--html", str(Path(folder, "page.html"))]))


def _write_data(path: Path) -> None:
    from ordeval.demo_data import demo_data

    data = demo_data()
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["topic", "gold", *data.systems])
        table.writerows(zip(data.topics, data.gold, *data.systems.values(), strict=True))


@contextlib.contextmanager
def _silence() -> Any:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        yield


WALKS = {"labels": labels_to_result, "file": file_to_page}


def listing(name: str) -> str:
    """Walk, and return the block of the document, a line per module.

    Counts are not in it: they include functions that depend on the clock, as progress does.
    """
    load_all()
    found = WALKS[name]()
    rows = [
        f"- `{module.removeprefix('ordeval.')}`: {', '.join(names)}"
        for module, names in found.public().items()
    ]
    return "\n".join([f"<!-- walk: {name} -->", "", *rows, "", "<!-- end -->"])


def listings() -> dict[str, str]:
    """Return the blocks of all walks, each walked in a process of its own.

    What the first walk leaves in caches would be missing in the second one otherwise.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn, max_tasks_per_child=1) as pool:
        return dict(zip(WALKS, pool.map(listing, WALKS), strict=True))


def refreshed(text: str, blocks: dict[str, str]) -> str:
    """Return a document with these blocks in the place of its old ones."""
    for name, block in blocks.items():
        start, marker, rest = text.partition(f"<!-- walk: {name} -->")
        _, end, after = rest.partition("<!-- end -->")
        if not (marker and end):
            raise SystemExit(f"There are no lines <!-- walk: {name} --> and <!-- end -->.")
        text = start + block + after
    return text


def main(args: list[str]) -> int:
    """Print counts, or write or check the document; return the exit code."""
    for name in WALKS.keys() & args:
        if "--cold" not in args:
            load_all()
        print(f"{name}: {WALKS[name]().counts()}")
    return 0 if WALKS.keys() & args else _update(check="--check" in args)


def _update(check: bool) -> int:
    old = DOCUMENT.read_text(encoding="utf-8")
    new = refreshed(old, listings())
    if new != old and check:
        print(f"{DOCUMENT.name} is out of date; run `python tools/walks.py`")
        return 1
    if new != old:
        DOCUMENT.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
