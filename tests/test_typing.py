"""A user's type checker sees the real types of the public names."""

import ast
import importlib
import re
import sysconfig
from pathlib import Path

import pytest
from mypy import api

import ordeval

HERE = Path(ordeval.__file__).parent

RIGHT = """
import ordeval as oe

gold, systems = [1, 2, 3, 3], {"a": [1, 2, 3, 2], "b": [2, 2, 2, 2]}
result = oe.compare(gold, systems, labels=[1, 2, 3], ci=0.9, draws=200, rng=None)
reveal_type(result)
reveal_type(oe.evaluate(gold, systems["a"], labels=[1, 2, 3]))
reveal_type(oe.score(gold, systems["a"], "mae", labels=[1, 2, 3]))
reveal_type(oe.measure("cem"))
reveal_type(oe.measures())
reveal_type(result.best)
reveal_type(result.to_html())
reveal_type(oe.__version__)
counts = oe.Counts.from_labels(gold, systems, labels=[1, 2, 3])
reveal_type(counts + counts)
reveal_type(oe.evaluate(counts))
reveal_type(oe.evaluate([[8, 2], [1, 9]], labels=["no", "yes"]))
reveal_type(oe.compare(oe.JointCounts.from_labels(gold, systems)))
reveal_type(oe.score(counts, "mae"))
reveal_type(oe.score([[8, 2], [1, 9]], measures="mae"))
reveal_type(oe.scorer(["qwk", "mae"], labels=[1, 2, 3]))
oe.meta.axioms, oe.stats.max_t, oe.plot.intervals
"""
TYPES = {
    "result": "ordeval.results.result.Result",
    'oe.evaluate(gold, systems["a"], labels=[1, 2, 3])': "ordeval.results.result.Result",
    'oe.score(gold, systems["a"], "mae", labels=[1, 2, 3])': "float",
    'oe.measure("cem")': "ordeval.measures.spec.Measure",
    "oe.measures()": "list[ordeval.measures.spec.Measure]",
    "result.best": "str",
    "result.to_html()": "str",
    "counts + counts": "ordeval.data.counts.Counts",
    "oe.evaluate(counts)": "ordeval.results.result.Result",
    'oe.evaluate([[8, 2], [1, 9]], labels=["no", "yes"])': "ordeval.results.result.Result",
    "oe.compare(oe.JointCounts.from_labels(gold, systems))": "ordeval.results.result.Result",
    'oe.score(counts, "mae")': "float",
    'oe.score([[8, 2], [1, 9]], measures="mae")': "float",
    'oe.scorer(["qwk", "mae"], labels=[1, 2, 3])': "dict[str, ordeval.measures.score.Scorer]",
    "oe.__version__": "str",
}
WRONG = """
import ordeval as oe

oe.compare([1], {"a": [1]}).foo
oe.compare([1], {"a": [1]}, bogus=True)
oe.compare([1], {"a": [1]}, ci="x")
oe.compare([1], 5)
oe.compare([1], {"a": [1]}, method="no such method")
oe.compare([1], {"a": [1]}, missing="no such way")
oe.compare([1], {"a": [1]}, labels=5)
oe.evaluate([1], [1], topic=5)
oe.score([1], [1], 5)
oe.no_such_name
oe.stats.no_such_name
"""
AT_ONCE = """
import ordeval as oe

oe.compare([1], 5, ci="x", bogus=True).foo
"""


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, str]]]:
    """What `mypy --strict` says about the scripts: lines and messages by file."""
    folder = tmp_path_factory.mktemp("scripts")
    for name, text in {"right": RIGHT, "wrong": WRONG, "at_once": AT_ONCE}.items():
        Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
    said = strict_mypy(folder)
    found = re.findall(r"(\w+)\.py:(\d+): (.*)", said)
    return {
        name: [(int(line), message) for file, line, message in found if file == name]
        for name in ("right", "wrong", "at_once")
    }


# Libraries that no type of the interface names are not read, which saves most of the time.
SETTINGS = """
[mypy]
strict = True
follow_imports = silent

[mypy-dask.*,duckdb.*,jinja2.*,matplotlib.*,pandas.*,polars.*,pyarrow.*,pyspark.*,scipy.*,sklearn.*]
follow_imports = skip

[mypy-torch.*,array_api_compat.*,rich.*,click.*,narwhals.*,sqlframe.*,ibis.*]
follow_imports = skip
"""


def strict_mypy(folder: Path) -> str:
    """Check the scripts of a folder as a user would, without the settings of this project."""
    settings = Path(folder, "settings.ini")
    settings.write_text(SETTINGS, encoding="utf-8")
    options = [f"--cache-dir={folder}/cache", f"--config-file={settings}"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        if str(HERE.parent) not in (sysconfig.get_path("purelib"), sysconfig.get_path("platlib")):
            patch.setenv("MYPYPATH", str(HERE.parent))  # a checkout that is not installed
        said, problem, _ = api.run([*options, str(folder)])
    assert not problem, problem
    return said


@pytest.mark.slow
def test_right_calls_have_real_types(checked: dict[str, list[tuple[int, str]]]) -> None:
    lines = RIGHT.splitlines()
    # Whether mypy names the module of built-in types depends on its version.
    notes = {
        lines[line - 1].removeprefix("reveal_type(").removesuffix(")"): said.replace(
            "builtins.", ""
        )
        for line, said in checked["right"]
    }
    wanted = {code: f'note: Revealed type is "{name}"' for code, name in TYPES.items()}
    assert notes == wanted


@pytest.mark.parametrize("line", [n for n, code in enumerate(WRONG.splitlines(), 1) if n > 3])
@pytest.mark.slow
def test_wrong_calls_fail(checked: dict[str, list[tuple[int, str]]], line: int) -> None:
    errors = [message for at, message in checked["wrong"] if at == line and "error:" in message]
    assert errors, f"mypy --strict accepts {WRONG.splitlines()[line - 1]}"


# The stub, which holds the types, against the module that runs.


def stub_names() -> dict[str, tuple[str, str]]:
    """Names that the stub gives: where each comes from, as (module, name there)."""
    tree = ast.parse((HERE / "__init__.pyi").read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def stub_all() -> list[str]:
    tree = ast.parse((HERE / "__init__.pyi").read_text(encoding="utf-8"))
    [names] = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    found: list[str] = ast.literal_eval(names)
    return found


def test_the_stub_has_the_names_of_the_module() -> None:
    assert sorted(stub_names()) == sorted(dir(ordeval))
    assert stub_all() == sorted(dir(ordeval))


@pytest.mark.parametrize("name", sorted(stub_names()))
def test_a_name_of_the_stub_is_the_same_at_run_time(name: str) -> None:
    module, there = stub_names()[name]
    wanted = (
        getattr(importlib.import_module(f"ordeval.{module}"), there)
        if module
        else importlib.import_module(f"ordeval.{there}")
    )
    assert getattr(ordeval, name) is wanted
