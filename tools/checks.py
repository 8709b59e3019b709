"""Run checks of the repository: `python tools/checks.py [NAME...]`, by default all of them.

The commands are those that nox and `.ci/run` run too, in environments of their own.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECKS: dict[str, list[list[str]]] = {
    "lint": [["ruff", "check", "."], ["ruff", "format", "--check", "."]],
    "review": [["repo-review", "."]],
    "types": [["mypy"]],
    "rooms": [["lint-imports", "--no-cache"]],
    "docs": [["python", "tools/documents.py", "--check"]],
    "site": [
        ["python", "-m", "mkdocs", "build", "--strict", "--quiet"],
        [
            "python",
            "-m",
            "pytest",
            "-q",
            "-m",
            "slow or not slow",
            "tests/site",
        ],  # those that need the site's packages
    ],
    "package": [
        ["python", "-m", "build", "--no-isolation", "--outdir", "build/dist"],
        ["twine", "check", "--strict", "build/dist/*"],
    ],
}


def run(name: str) -> bool:
    """Run all commands of a check; return whether they all passed."""
    print(f"== {name}", flush=True)
    codes = [subprocess.run(command, cwd=ROOT, check=False).returncode for command in CHECKS[name]]
    return not any(codes)


def main(names: list[str]) -> int:
    """Run the named checks; return the exit code."""
    failed = [name for name in names or CHECKS if not run(name)]
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
