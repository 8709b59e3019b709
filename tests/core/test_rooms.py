"""Who may import whom, and what `import ordeval` loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import ordeval

SOURCE = Path(ordeval.__file__).parent
CHAIN = (
    *("errors", "types", "atomic", "display", "columns", "scale", "labels", "counts"),
    *("distributions",),
    *("registry", "measures", "spec", "scoring", "stats", "meta"),
)


def below(room: str) -> set[str]:
    """The rooms before this one on the chain."""
    return set(CHAIN[: CHAIN.index(room)])


# What each room may import besides itself; None: everything.
MAY_IMPORT: dict[str, set[str] | None] = {
    **{room: below(room) for room in CHAIN},
    "distributions": below("counts"),
    "registry": {"errors", "types"},
    "atomic": {"errors"},  # writing files safely
    "io": {*below("registry"), "atomic"},
    "learners": below("counts"),
    "results": {*below("meta"), "atomic"},
    "serialise": {*below("meta"), "results"},
    "evaluation": {*below("meta"), "results", "io"},
    "plot": {*CHAIN, "results", "evaluation", "report"},
    "report": {*CHAIN, "results", "evaluation", "plot", "atomic"},
    "demo_data": below("registry"),
    "reproduce": None,
    "cli": None,
    "__main__": {"cli"},
    "__init__": set(CHAIN) - {"stats", "meta"},
}
# And what it may import late, inside a function: a result can show and keep itself.
MAY_IMPORT_LATE = {
    "display": {"report", "atomic"},
    "counts": {"io", "report"},
    "scoring": {"report"},
    "results": {"report", "serialise"},
    "serialise": {"meta"},
    "meta": {"report"},
}


class Import(NamedTuple):
    file: str
    room: str
    wanted: str
    late: bool


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def targets(node: ast.AST, package: list[str]) -> Iterator[str]:
    """Dotted names that an import statement may load; relative ones made absolute."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        start = package[: len(package) - node.level + 1] if node.level else []
        module = [*start, *(node.module.split(".") if node.module else [])]
        yield from (".".join([*module, alias.name]) for alias in node.names)


def imports_of(path: Path) -> Iterator[Import]:
    package = ["ordeval", *path.relative_to(SOURCE).parts[:-1]]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    inside = {id(node) for function in functions for node in ast.walk(function)}
    for node in ast.walk(tree):
        for target in targets(node, package):
            parts = target.split(".")
            if parts[0] == "ordeval" and len(parts) > 1 and parts[1] != "__version__":
                yield Import(path.name, room_of(path), parts[1], id(node) in inside)


def rooms() -> list[str]:
    return sorted({room_of(path) for path in SOURCE.rglob("*.py")})


def allowed(found: Import) -> bool:
    free = MAY_IMPORT[found.room]
    if free is None or found.wanted in free or found.wanted == found.room:
        return True
    return found.late and found.wanted in MAY_IMPORT_LATE.get(found.room, ())


@pytest.mark.parametrize("room", rooms())
def test_arrows_between_rooms(room: str) -> None:
    assert room in MAY_IMPORT, f"say in this test what {room} may import"
    files = [path for path in SOURCE.rglob("*.py") if room_of(path) == room]
    wrong = [found for path in files for found in imports_of(path) if not allowed(found)]
    assert wrong == []


def test_no_rule_is_left_over() -> None:
    assert set(MAY_IMPORT) == set(rooms())


def test_forbidden_imports_are_seen() -> None:
    relative = ast.parse("def f():\n    from ..meta.ranks import tau").body[0].body[0]  # type: ignore[attr-defined]
    assert list(targets(relative, ["ordeval", "stats"])) == ["ordeval.meta.ranks.tau"]
    assert not allowed(Import("paired.py", "stats", "meta", late=True))
    assert not allowed(Import("counts.py", "counts", "io", late=False))
    assert allowed(Import("counts.py", "counts", "io", late=True))
    assert not allowed(Import("scale.py", "scale", "counts", late=False))


HEAVY = (
    *("pandas", "polars", "pyarrow", "matplotlib", "scipy", "sklearn", "torch", "duckdb"),
    *("narwhals", "typer", "rich", "jinja2", "dask", "pyspark"),
)


def loaded_by(code: str) -> set[str]:
    """Top-level modules that a fresh interpreter has after running the code."""
    program = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    path = str(SOURCE.parent)
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path, "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import ordeval") & set(HEAVY) == set()


def test_scoring_arrays_loads_nothing_heavy() -> None:
    code = (
        "import numpy, ordeval\n"
        "gold, pred = numpy.array([1, 2, 3, 3]), numpy.array([1, 2, 2, 3])\n"
        "[m(gold, pred, undefined=0) for m in ordeval.measures(batched=True)]"
    )
    assert loaded_by(code) & set(HEAVY) == set()
