"""What the documents say is true."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

import ordeval as oe
from docsite.blocks import blocks_of, outputs
from documents import stale

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if blocks_of(path.read_text(encoding="utf-8"))
]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text(name), re.DOTALL)


def test_documents_made_from_the_code_are_fresh() -> None:
    assert stale(ROOT / "docs") == [], "run `python tools/documents.py`"


def test_the_readme_example_runs() -> None:
    blocks = python_blocks("README.md")
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_examples_in_the_documents_run(path: Path) -> None:
    outputs(path.read_text(encoding="utf-8"), str(path.relative_to(ROOT)), fresh=True)


FENCES = re.compile(r"^ *```[^\n]*\bpython\b[^\n]*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
# Modules whose package has another name; replication is beside the documents, and needs one.
PACKAGES = {"sklearn": "scikit-learn", "replication": "scikit-learn"}
PACKAGES["matplotlib"] = '"ordeval[plot]"'
NEEDED = {".to_frame(": "pandas", ".to_excel(": "openpyxl"}


def packages_to_install(page: str) -> set[str]:
    """The packages that the code of a page uses and that ordeval does not bring along."""
    project = tomllib.loads(text("pyproject.toml"))["project"]
    own = {re.split(r"[^\w-]", requirement)[0] for requirement in project["dependencies"]}
    code = "\n".join(FENCES.findall(page))
    modules = set(re.findall(r"^ *(?:import|from) (\w+)", code, re.MULTILINE))
    used = {PACKAGES.get(name, name) for name in modules - sys.stdlib_module_names}
    used |= {package for call, package in NEEDED.items() if call in code}
    return used - own - {"ordeval"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_pages_say_how_to_install_what_their_code_needs(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    named = set(" ".join(re.findall(r"`pip\s+install\s+([^`]+)`", page)).split())
    assert packages_to_install(page) <= named


def test_the_readme_has_the_two_commands() -> None:
    assert "\npip install . && ordeval demo\n" in text("README.md")
    assert '\npip install ".[test]" && pytest\n' in text("README.md")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", text(name)):
        assert (ROOT / target).exists(), f"{name} links to {target}"


def test_every_measure_of_the_readme_command_lines_exists() -> None:
    for spec in re.findall(r'oe\.(?:measure|scorer)\("([^"]+)"\)', text("README.md")):
        oe.measure(spec)


def test_the_changelog_has_one_section_per_release() -> None:
    sections = re.findall(r"^## (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    assert all(re.fullmatch(r"\d+\.\d+\.\d+ \(.+\)", name) for name in sections)
    kinds = re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_one_version_everywhere() -> None:
    assert f"## {oe.__version__}" in text("CHANGELOG.md")
    assert f"version: {oe.__version__}" in text("CITATION.cff")


def test_every_room_is_named_in_the_architecture() -> None:
    rooms = {path.parent.name for path in Path(oe.__file__).parent.glob("*/__init__.py")}
    named = set(re.findall(r"`(\w+)/?`", text("ARCHITECTURE.md")))
    assert rooms - named == set()
