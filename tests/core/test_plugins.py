"""Measures of other packages: registration, clashes of names, entry points."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from ordeval.measures.registry import records, register_measure, unregister_measure

SOURCE = Path(oe.__file__).parents[1]
FACTS: dict[str, Any] = {
    "title": "Recall of the lowest class",
    "family": "nominal",
    "better": "higher",
    "bounds": (0.0, 1.0),
    "scale": "nominal",
    "formula": "n_{11} / G_1",
    "description": "Share of the items of the lowest class that are predicted exactly.",
    "citation": "A test",
}


def lowest(n: Any) -> Any:
    return n[..., 0, 0] / n[..., 0, :].sum(-1)


@pytest.fixture
def late() -> Iterator[str]:
    """A measure that is registered after the others were listed."""
    oe.measures(None)
    register_measure("late_measure", aliases=("latecomer",), **FACTS)(lowest)
    yield "late_measure"
    unregister_measure("late_measure")


def test_a_measure_registered_late_is_seen(late: str) -> None:
    assert late in records()
    assert late in {m.id for m in oe.measures()}
    assert oe.measure("latecomer") == oe.measure(late)
    assert oe.score([1, 1, 2], [1, 2, 2], late, labels=[1, 2]) == 0.5
    families = [m.record.family for m in oe.measures(None)]
    assert families == sorted(families, key=families.index)  # listed with its family


def test_nothing_is_assumed_about_the_axioms_of_a_new_measure(late: str) -> None:
    assert oe.measure(late).axioms is None
    assert oe.measure(late).satisfies("imbalance") is None


@pytest.mark.parametrize(
    ("id", "aliases", "taken"),
    [
        ("mae", (), "mae"),  # id and id
        ("qwk", (), "kappa"),  # id and alias
        ("new_measure", ("mae",), "mae"),  # alias and id
        ("new_measure", ("fine", "qwk"), "kappa"),  # alias and alias
    ],
)
def test_a_clash_of_names_names_both(id: str, aliases: tuple[str, ...], taken: str) -> None:
    before = records()
    with pytest.raises(oe.InputError) as caught:
        register_measure(id, aliases=aliases, **FACTS)(lowest)
    name = next(n for n in (id, *aliases) if n in ("mae", "qwk"))
    assert f"The name {name!r} of the measure {id!r} (test_plugins.lowest)" in str(caught.value)
    assert f"belongs to the measure {taken!r} (ordeval.measures." in str(caught.value)
    assert records() == before
    with pytest.raises(oe.InputError):
        oe.measure("fine")


def test_the_same_definition_can_be_executed_again(late: str) -> None:
    register_measure(late, aliases=("newcomer",), **FACTS)(lowest)
    assert oe.measure("newcomer").id == late
    with pytest.raises(oe.InputError):
        oe.measure("latecomer")


@pytest.mark.parametrize("name", ["Upper", "two words", "lambda", "1st", ""])
def test_names_must_parse(name: str) -> None:
    with pytest.raises(oe.InputError, match="a name is a lower-case identifier"):
        register_measure(name, **FACTS)(lowest)


MODULE = '''
"""A measure of another package."""
import ordeval as oe
from ordeval.measures.registry import register_measure

oe.measure("mae")  # a plug-in may use the package
'''
MEASURE = f"""
@register_measure(
    "their_measure",
    aliases=("theirs",),
    {", ".join(f"{name}={value!r}" for name, value in FACTS.items())},
)
def their_measure(n):
    return n[..., 0, 0] / n[..., 0, :].sum(-1)
"""
FUNCTION = "def register():\n" + "\n".join(f"    {line}" for line in MEASURE.splitlines())


def written(folder: Path, name: str, code: str, target: str = "") -> Path:
    """A package with one module, by hand as pip installs it: the module and its metadata."""
    module = name.replace("-", "_")
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    metadata = folder / f"{module}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[ordeval.measures]\ntheirs = {module}{target}\n")
    return folder


def run(*command: str, site: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCE), str(site)])}
    return subprocess.run(
        [sys.executable, *command], env=env, capture_output=True, text=True, check=False
    )


SEEN = """
import json, ordeval as oe
m = oe.measure("their_measure")
score = m([1, 1, 2], [1, 2, 2], labels=[1, 2])
listed = "their_measure" in map(str, oe.measures())
print(json.dumps([str(m), listed, str(oe.measure("theirs")), score]))
"""


def assert_seen(site: Path) -> None:
    shown = run("-W", "error", "-c", SEEN, site=site)
    assert json.loads(shown.stdout) == ["their_measure", True, "their_measure", 0.5], shown.stderr
    card = run("-m", "ordeval", "measures", "their_measure", site=site)
    assert "Recall of the lowest class" in card.stdout, card.stderr


@pytest.mark.parametrize(
    ("code", "target"),
    [
        (MODULE + MEASURE, ""),  # a module to import
        (MODULE + FUNCTION, ":register"),  # a function to call
        (MODULE + MEASURE, ":their_measure"),  # the measure itself
    ],
    ids=["module", "function", "measure"],
)
def test_kinds_of_entry_points(tmp_path: Path, code: str, target: str) -> None:
    assert_seen(written(tmp_path, "their-package", code, target))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        (MODULE + MEASURE.replace('"their_measure"', '"mae"'), "InputError: The name 'mae'"),
    ],
    ids=["fails", "clashes"],
)
def test_a_broken_package_is_named_in_a_warning_and_left_out(
    tmp_path: Path, code: str, reason: str
) -> None:
    site = written(tmp_path, "broken-package", code)
    written(tmp_path, "their-package", MODULE + MEASURE)
    quiet = "import ordeval as oe; print(oe.score([1, 2], [1, 2], 'mae', labels=[1, 2]))"
    untouched = run("-W", "error", "-c", quiet, site=site)
    assert (untouched.stdout, untouched.stderr) == ("0.0\n", "")
    told = run("-c", SEEN, site=site)
    assert json.loads(told.stdout)[0] == "their_measure"
    assert "The measures of the package 'broken-package' are not available" in told.stderr
    assert reason in told.stderr
