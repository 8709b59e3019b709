"""What the sdist and the wheel hold, and that the supported versions are named alike everywhere."""

import re
import shutil
import subprocess
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest

from docsite.badges import BADGES, badges

ROOT = Path(__file__).resolve().parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def tracked(folder: str = ".") -> set[str]:
    """Files of the repository, or a skip where this is not one."""
    if not (ROOT / ".git").exists() or shutil.which("git") is None:
        pytest.skip("no git repository, or no git: nothing tells which files belong to it")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    environments = {path.parent.name for path in ROOT.glob("*/pyvenv.cfg")}
    names = (name for name in listed.split("\0") if name.partition("/")[0] not in environments)
    return {name for name in names if name and (ROOT / name).is_file()}


def test_the_sdist_holds_every_file_of_the_repository(tmp_path: Path) -> None:
    files = tracked()
    builder = pytest.importorskip("hatchling.builders.sdist").SdistBuilder(str(ROOT))
    [path] = builder.build(directory=str(tmp_path))
    with tarfile.open(path) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert files - held == set(), "add their folder to [tool.hatch.build.targets.sdist]"
    assert held - files == {"PKG-INFO"}


def test_the_wheel_holds_the_package_and_nothing_else(tmp_path: Path) -> None:
    files = {name.removeprefix("src/") for name in tracked("src")}
    builder = pytest.importorskip("hatchling.builders.wheel").WheelBuilder(str(ROOT))
    [path] = builder.build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(path) as archive:
        held = set(archive.namelist())
    assert {name for name in held if ".dist-info/" not in name} == files
    assert "ordeval/py.typed" in held


def supported() -> list[str]:
    """Versions of Python that the classifiers name, oldest first."""
    found = [re.fullmatch(r".*Python :: (3\.\d+)", text) for text in PROJECT["classifiers"]]
    return [match[1] for match in found if match]


def test_the_workflow_tests_every_version_that_the_classifiers_name() -> None:
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf-8")
    [matrix] = re.findall(r"^ +python: \[(.+)\]$", workflow, re.MULTILINE)
    assert re.findall(r'"(.+?)"', matrix) == supported()
    assert f'{{ python: "{supported()[0]}", dependencies: lowest, session: lowest }}' in workflow


def test_every_requirement_has_a_lowest_version() -> None:
    extras = PROJECT["optional-dependencies"]
    pinned = "bench"  # what is compared with must not change
    others = [each for name, extra in extras.items() if name != pinned for each in extra]
    every = [*PROJECT["dependencies"], *others]
    assert [each for each in extras[pinned] if "==" not in each] == []
    own = re.compile(r"ordeval\[[a-z,]+\]")
    assert [each for each in every if ">=" not in each and not own.fullmatch(each)] == []


def test_the_badges_are_fresh() -> None:
    held = {path.name: path.read_text("utf-8") for path in BADGES.iterdir()}
    assert held == badges(), "run `python tools/docsite/badges.py`"


def test_pictures_are_small_and_described() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    badges = re.findall(r"!\[[^\]]+\]\((docs/[^)]+)\)", readme)
    pictures = re.findall(r'<img src="(docs/assets/pictures/[^"]+)"[^>]* alt="[^"]+"', readme)
    assert len(badges) + len(pictures) == readme.count("![") + readme.count("<img")
    assert pictures
    for target in badges + pictures:
        assert (ROOT / target).stat().st_size < 150_000, target
