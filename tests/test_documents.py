"""What the documents say is true."""

import re
from pathlib import Path

import pytest

import ordeval as oe
from ordeval.cli.docs import stale

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_documents_made_from_the_code_are_fresh() -> None:
    assert stale(ROOT / "docs") == [], "run `python -m ordeval.cli.docs`"


def test_the_readme_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", text("README.md"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "system" in capsys.readouterr().out


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


def test_one_version_everywhere() -> None:
    assert f"## {oe.__version__}" in text("CHANGELOG.md")
    assert f"version: {oe.__version__}" in text("CITATION.cff")
