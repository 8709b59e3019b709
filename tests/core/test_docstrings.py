"""Every public name is documented: modules, classes, functions, methods and measures."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ordeval
from ordeval.registry import records

SOURCE = Path(ordeval.__file__).parent
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_measure(node: Definition) -> bool:
    """Whether the record of a measure stands in for a docstring; it is tested by itself."""
    calls = [d.func for d in node.decorator_list if isinstance(d, ast.Call)]
    return any(isinstance(call, ast.Name) and call.id == "register_measure" for call in calls)


def public(body: list[ast.stmt]) -> Iterator[Definition]:
    """Public definitions of a module or class, and those inside public classes."""
    for node in body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


def undocumented(text: str) -> list[str]:
    """What a module leaves without a docstring."""
    tree = ast.parse(text)
    bare = [n.name for n in public(tree.body) if not ast.get_docstring(n) and not is_measure(n)]
    return bare if ast.get_docstring(tree) else ["the module itself", *bare]


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix()
)
def test_modules_are_documented(path: Path) -> None:
    assert undocumented(path.read_text(encoding="utf-8")) == []


def test_what_is_undocumented_is_seen() -> None:
    module = '"""A."""\ndef f(): ...\ndef _g(): ...\nclass C:\n    "C"\n    def m(self): ...\n'
    assert undocumented(module) == ["f", "m"]
    assert undocumented('@register_measure("a")\ndef f(): ...\n') == ["the module itself"]


@pytest.mark.parametrize("name", sorted(set(ordeval.__all__) - {"__version__"}))
def test_the_surface_is_documented(name: str) -> None:
    assert (getattr(ordeval, name).__doc__ or "").strip()


@pytest.mark.parametrize("id", sorted(records()))
def test_measures_are_documented_by_their_records(id: str) -> None:
    record = records()[id]
    assert record.title in (record.function.__doc__ or "")
    assert record.description in (record.function.__doc__ or "")
