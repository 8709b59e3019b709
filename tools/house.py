"""Measure the structure of the package: `python tools/house.py [SOURCE]`.

Prints lines and modules of every top-level part, the largest import cycle and the number of
ordeval imports inside functions. SOURCE is a folder that holds the package `ordeval`; by default
the one of this repository. The package is parsed, not imported.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = "ordeval"
SOURCE = Path(__file__).resolve().parents[1] / "src"

# Modules whose late imports lead up on purpose: to presentation, and from tables to labels.
HOOKS = {"ordeval.display", "ordeval.data.counts"}

Graph = Mapping[str, set[str]]


class Import(NamedTuple):
    """One module that a module imports."""

    module: str
    target: str
    line: int
    late: bool
    """Whether the import stands inside a function."""

    def __str__(self) -> str:
        late = ", inside a function" if self.late else ""
        return f"{self.module} imports {self.target} (line {self.line}{late})"


def modules(source: Path) -> dict[str, str]:
    """Return the text of every module of the package, by its dotted name."""
    found = {}
    for path in sorted((source / PACKAGE).rglob("*.py")):
        parts = path.relative_to(source).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found[name] = path.read_text(encoding="utf-8")
    return found


def packages(names: Iterable[str]) -> set[str]:
    """Return the names that are packages: those that other modules are in."""
    return {name.rpartition(".")[0] for name in names} - {""} | {PACKAGE}


def part_of(module: str) -> str:
    """Return the top-level part that a module belongs to; the root package is ``__init__``."""
    return [*module.split("."), "__init__"][1]


def imports(texts: Mapping[str, str]) -> list[Import]:
    """Find all imports between the modules of the package.

    Imports under ``if TYPE_CHECKING`` do not count. ``from .stats import bootstrap`` is an import
    of the package `stats`, or of its module `bootstrap` if there is one.

    Parameters
    ----------
    texts : mapping of str to str
        The text of every module, by its dotted name.

    Returns
    -------
    list of Import
        In the order of the modules and their lines.
    """
    holders = packages(texts)
    return [
        Import(name, target, line, late)
        for name, text in texts.items()
        for node, line, late in _statements(ast.parse(text))
        for target in _targets(node, name if name in holders else name.rpartition(".")[0], texts)
        if target != name
    ]


def _statements(tree: ast.AST, late: bool = False) -> Iterator[tuple[ast.AST, int, bool]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, node.lineno, late
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _statements(ast.Module(node.orelse, []), late)
        else:
            function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _statements(node, late or function)


def _targets(node: ast.AST, package: str, known: Iterable[str]) -> list[str]:
    """Return the modules that an import statement names, without repetition."""
    if isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        start = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*start, *([node.module] if node.module else [])])
        named = [
            name if (name := f"{base}.{alias.name}") in known else base for alias in node.names
        ]
    else:
        named = []
    return [name for name in dict.fromkeys(named) if name in known]


def without_hooks(found: Iterable[Import]) -> list[Import]:
    """Leave out the late imports of the hooks."""
    return [each for each in found if not (each.late and each.module in HOOKS)]


def graph(found: Iterable[Import]) -> dict[str, set[str]]:
    """Return which modules every module needs.

    Importing a module runs the packages around it first, so that these are needed too, except for
    those that the importing module is itself in.
    """
    edges: dict[str, set[str]] = {}
    for each in found:
        parts = each.target.split(".")
        around = {".".join(parts[:end]) for end in range(1, len(parts) + 1)}
        inside = {name for name in around if f"{each.module}.".startswith(f"{name}.")}
        edges.setdefault(each.module, set()).update(around - inside | {each.target})
    return edges


def cycles(edges: Graph) -> list[list[str]]:
    """Return the groups of modules that need each other, largest first.

    Parameters
    ----------
    edges : mapping of str to set of str
        Which modules every module needs.

    Returns
    -------
    list of list of str
        Strongly connected components of two or more modules.
    """
    reached = {name: _reached(edges, name) for name in edges}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in reached
        if name in reached[name]
    }
    return sorted(map(list, groups), key=lambda group: (-len(group), group))


def _reached(edges: Graph, start: str) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        new = edges.get(waiting.pop(), set()) - seen
        seen |= new
        waiting += new
    return seen


def summary(source: Path) -> str:
    """Describe the structure of the package in a folder."""
    texts = modules(source)
    found = imports(texts)
    count = Counter(map(part_of, texts))
    lines = Counter[str]()
    for name, text in texts.items():
        lines[part_of(name)] += len(text.splitlines())
    rows = [f"{part:<16}{count[part]:>8}{lines[part]:>8}" for part in sorted(count)]
    groups = cycles(graph(without_hooks(found)))
    late = Counter(each.module for each in found if each.late)
    return "\n".join(
        [
            f"{'part':<16}{'modules':>8}{'lines':>8}",
            *rows,
            f"{'all':<16}{len(texts):>8}{lines.total():>8}",
            "",
            f"largest import cycle, hooks left out: {len(groups[0]) if groups else 0} modules",
            *(f"  {len(group)}: {' '.join(group)}" for group in groups),
            f"imports inside functions: {late.total()}",
            *(f"  {number}: {name}" for name, number in late.most_common()),
        ]
    )


if __name__ == "__main__":
    print(summary(Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCE))
