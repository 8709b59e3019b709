"""What the documents say is true."""

import re
from pathlib import Path

import pytest

import ordeval as oe
from ordeval.cli.docs import stale
from walks import listings, refreshed

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def python_blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text(name), re.DOTALL)


def test_documents_made_from_the_code_are_fresh() -> None:
    assert stale(ROOT / "docs") == [], "run `python -m ordeval.cli.docs`"


def test_the_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = python_blocks("README.md")
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "system" in capsys.readouterr().out


@pytest.mark.parametrize("path", sorted((ROOT / "docs").glob("*.md")), ids=lambda path: path.name)
def test_examples_in_the_documents_run(path: Path) -> None:
    names: dict[str, object] = {}  # a block may use what those above it define
    for block in python_blocks(f"docs/{path.name}"):
        exec(compile(block, path.name, "exec"), names)


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


def test_the_walks_of_the_architecture_are_true() -> None:
    assert refreshed(text("ARCHITECTURE.md"), listings()) == text("ARCHITECTURE.md"), (
        "run `python tools/walks.py`"
    )
