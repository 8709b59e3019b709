#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Jobs of development, one session each: `nox -l` lists them, `nox -s tests-3.13` runs one.

`.ci/run` runs the tests, lint, types and documents in one go, without nox.
"""

import shutil
import sys
from pathlib import Path

import nox

sys.path.insert(0, str(Path(__file__).parent / "tools"))

from checks import CHECKS

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)
GROUPS = nox.project.dependency_groups


def run_check(session: nox.Session, name: str) -> None:
    """Run the commands of a check."""
    for command in CHECKS[name]:
        session.run(*command)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests, doctests included, with the newest dependencies."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[:1], venv_backend="uv", default=False)
def lowest(session: nox.Session) -> None:
    """Run the tests with the lowest versions of the direct dependencies."""
    session.install("--resolution=lowest-direct", ".[test,spark]")
    # Old libraries warn about newer ones that they in turn depend on.
    ignored = ("-W", "ignore::DeprecationWarning", "-W", "ignore::FutureWarning")
    session.run("pytest", *ignored, *session.posargs)


@nox.session
def coverage(session: nox.Session) -> None:
    """Run the tests and fail below the coverage that pyproject.toml asks for."""
    session.install(".[test,spark,torch]")
    session.run("pytest", "--cov", "--cov-report=term", "--cov-report=xml", *session.posargs)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Run the campaigns of fuzz/ for a minute; `-- --seconds 600 --seed 7` runs others."""
    session.install(".[test]")
    session.run("python", "-m", "fuzz", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and formatting."""
    session.install(*GROUPS(PROJECT, "lint"))
    run_check(session, "lint")


@nox.session
def review(session: nox.Session) -> None:
    """Check the repository against the guide of Scientific Python."""
    session.install(*GROUPS(PROJECT, "review"))
    run_check(session, "review")


@nox.session
def types(session: nox.Session) -> None:
    """Check types, strictly."""
    session.install(".[test]", "nox")
    run_check(session, "types")


@nox.session
def docs(session: nox.Session) -> None:
    """Check that the generated documents are up to date; `-- write` writes them."""
    session.install(".[sklearn]")
    if "write" in session.posargs:
        session.run("python", "tools/documents.py")
    run_check(session, "docs")


@nox.session
def site(session: nox.Session) -> None:
    """Build the documentation site into build/site and check it; `-- serve` shows it."""
    session.install(".[test]", *GROUPS(PROJECT, "docs"))  # pages use what the tests use
    if "serve" in session.posargs:
        session.run("python", "-m", "mkdocs", "serve")
    run_check(session, "site")


@nox.session(default=False)
def audit(session: nox.Session) -> None:
    """Check the dependencies for known vulnerabilities; `-- --required` fails without a network."""
    session.install(".[sklearn,xlsx]", *GROUPS(PROJECT, "audit"))
    session.run("python", "tools/audit.py", *session.posargs)


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build sdist and wheel, run the demo of the wheel and the tests of the sdist."""
    session.install(*GROUPS(PROJECT, "build"))
    folder = Path(session.create_tmp())
    for old in folder.glob("*.*"):
        old.unlink() if old.is_file() else shutil.rmtree(old)
    session.run("python", "-m", "build", "--outdir", str(folder))
    [sdist], [wheel] = folder.glob("*.tar.gz"), folder.glob("*.whl")
    session.run("twine", "check", "--strict", str(sdist), str(wheel))
    session.install(str(wheel))
    session.chdir(folder)
    session.run("ordeval", "demo")
    session.run("python", "-m", "tarfile", "-e", str(sdist), str(folder))
    session.chdir(folder / sdist.name.removesuffix(".tar.gz"))
    session.install(".[test]")
    session.run("pytest", *session.posargs)


if __name__ == "__main__":
    nox.main()
