"""The examples in docstrings run, against the installed package."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import ordeval

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def module_names() -> list[str]:
    found = pkgutil.walk_packages(ordeval.__path__, "ordeval.")
    return ["ordeval", *(each.name for each in found if not each.name.endswith("__main__"))]


def examples() -> list[doctest.DocTest]:
    """Docstrings that hold an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = map(importlib.import_module, module_names())
    return [test for module in modules for test in finder.find(module) if test.examples]


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_examples_in_docstrings_run(
    test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    said: list[str] = []
    doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append)
    assert not said, "".join(said)
