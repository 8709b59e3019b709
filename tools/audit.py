"""Check the installed packages: do they fit together, and which have known vulnerabilities.

`python tools/audit.py` needs pip and pip-audit in the environment that is checked. pip-audit asks
PyPI, and then the OSV database. Without a connection, or where a mirror of PyPI knows nothing about
vulnerabilities, this says what was not audited and succeeds; with `--required` it fails.
"""

import json
import subprocess
import sys
from typing import Any

_SERVICES = ("pypi", "osv")
_SECONDS = 600


def audited(service: str) -> tuple[list[dict[str, Any]], str]:
    """Return the packages as a database knows them, or why it could not be asked."""
    command = [sys.executable, "-m", "pip_audit", "--format=json", "--progress-spinner=off"]
    try:
        done = subprocess.run(
            [*command, f"--vulnerability-service={service}", "--skip-editable"],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        found: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        return [], f"no answer in {_SECONDS} s"
    except (ValueError, KeyError):
        return [], (done.stderr.strip().splitlines() or ["no output"])[-1][:300]
    return found, ""


def report(service: str) -> tuple[int, int]:
    """Print what a database says; return how many packages it knows and how many are vulnerable."""
    found, problem = audited(service)
    known = [one for one in found if "skip_reason" not in one]
    vulnerable = [one for one in known if one["vulns"]]
    for one in vulnerable:
        for flaw in one["vulns"]:
            fixed = ", ".join(flaw["fix_versions"]) or "no version"
            print(f"{one['name']} {one['version']}: {flaw['id']}, fixed in {fixed}")
    print(f"{service}: {len(known)} packages audited, {len(vulnerable)} vulnerable", end="")
    skipped = [one["name"] for one in found if "skip_reason" in one and one["name"] != "ordeval"]
    print(f"; not audited: {', '.join(skipped)}" if skipped else "", end="")
    print(f"; not reached: {problem}" if problem else "")
    return len(known), len(vulnerable)


def main(args: list[str]) -> int:
    """Check the environment; return the exit code."""
    broken = subprocess.run([sys.executable, "-m", "pip", "check"], check=False).returncode
    for service in _SERVICES:
        known, vulnerable = report(service)
        if known:
            return 1 if broken or vulnerable else 0
    print("No package was audited: no database of vulnerabilities could be asked.")
    return 1 if broken or "--required" in args else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
