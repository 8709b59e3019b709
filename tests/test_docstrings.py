"""Every public name is documented, and the public interface in the form of numpydoc."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import ordeval
from ordeval.report.view import View

SOURCE = Path(ordeval.__file__).parent
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_measure(node: Definition) -> bool:
    """Whether the record of a measure stands in for a docstring; it is tested by itself."""
    calls = [d.func for d in node.decorator_list if isinstance(d, ast.Call)]
    return any(isinstance(call, ast.Name) and call.id == "register_measure" for call in calls)


def is_overload(node: Definition) -> bool:
    """Whether a definition only gives the types of another, which has the docstring."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)


def public(body: list[ast.stmt]) -> Iterator[Definition]:
    """Public definitions of a module or class, and those inside public classes."""
    for node in body:
        if isinstance(node, DEFINITIONS) and not (node.name.startswith("_") or is_overload(node)):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


OF_VIEWS = {name for name, method in vars(View).items() if getattr(method, "__doc__", "")}


def undocumented(text: str) -> list[str]:
    """What a module leaves without a docstring; methods of views have that of `View`."""
    tree = ast.parse(text)
    bare = [n.name for n in public(tree.body) if not ast.get_docstring(n) and not is_measure(n)]
    bare = [name for name in bare if name not in OF_VIEWS]
    return bare if ast.get_docstring(tree) else ["the module itself", *bare]


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix()
)
@pytest.mark.slow
def test_modules_are_documented(path: Path) -> None:
    assert undocumented(path.read_text(encoding="utf-8")) == []


PUBLIC_MODULES = (
    *("ordeval", "ordeval.meta", "ordeval.plot"),
    "ordeval.stats",
)
# numpydoc's checks that are not ours: line breaks around the text, an extended summary, related
# names (See Also), the name of what is returned.
IGNORED = {"GL01", "ES01", "SA01", "SA04", "RT02"}
IGNORED_IN_MEMBERS = {*IGNORED, "EX01"}  # the example of the class is enough


def public_names() -> dict[str, Any]:
    """Exported functions and classes by name, each once."""
    found: dict[int, tuple[str, Any]] = {}
    for module in map(importlib.import_module, PUBLIC_MODULES):
        for name in module.__all__:
            exported = getattr(module, name)
            if inspect.isclass(exported) or inspect.isroutine(exported):
                found.setdefault(id(exported), (f"{module.__name__}.{name}", exported))
    return dict(found.values())


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties of a class, named after where they are defined."""
    for name, member in inspect.getmembers(owner):
        if isinstance(member, cached_property):
            member = property(member.func)
        function = member.fget if isinstance(member, property) else member
        module = str(getattr(function, "__module__", ""))
        if not name.startswith("_") and inspect.isroutine(function) and "ordeval" in module:
            yield f"{module}.{function.__qualname__}", member


PUBLIC = public_names()
MEMBERS = dict(pair for each in PUBLIC.values() if inspect.isclass(each) for pair in members(each))


def faults(documented: Any, ignored: set[str]) -> list[str]:
    """What numpydoc finds wrong with a docstring: codes and explanations."""
    found = validate(get_doc_object(documented))["errors"]
    return [f"{code}: {text}" for code, text in found if code not in ignored]


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_names_are_documented_in_the_form_of_numpydoc(name: str) -> None:
    wrong = faults(PUBLIC[name], IGNORED)
    assert not wrong, "\n".join([name, *wrong])


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_public_methods_are_documented_in_the_form_of_numpydoc(name: str) -> None:
    wrong = faults(MEMBERS[name], IGNORED_IN_MEMBERS)
    assert not wrong, "\n".join([name, *wrong])
