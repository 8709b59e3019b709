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


def outcome(test: doctest.DocTest) -> str:
    """What goes wrong when an example is run; empty if nothing does."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    runner.run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("test", examples(), ids=lambda test: test.name)
def test_examples_in_docstrings_run(
    test: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    wrong = outcome(test)
    assert not wrong, wrong


def test_a_wrong_example_is_seen() -> None:
    parser = doctest.DocTestParser()
    assert outcome(parser.get_doctest(">>> 1 + 1\n2\n", {}, "right", None, None)) == ""
    assert "Got:" in outcome(parser.get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, None))
