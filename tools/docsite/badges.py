"""Make the badges of the README anew: `python tools/docsite/badges.py`.

They are pictures in the repository, so that no service has to be asked. What they say is read from
pyproject.toml and CITATION.cff, and the tests compare them with what this makes.
"""

import re
import sys
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BADGES = ROOT / "docs" / "assets" / "badges"
_LETTER, _SPACE = 6.4, 12  # pixels of a letter of the font below, and around a text
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" '
    'aria-label="{name}: {text}"><title>{name}: {text}</title>'
    '<clipPath id="c"><rect width="{width}" height="20" rx="3"/></clipPath><g clip-path="url(#c)">'
    '<rect width="{left}" height="20" fill="#444"/>'
    '<rect x="{left}" width="{right}" height="20" fill="#00579c"/></g>'
    '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
    'text-anchor="middle"><text x="{first}" y="14" textLength="{long}">{name}</text>'
    '<text x="{second}" y="14" textLength="{longer}">{text}</text></g></svg>\n'
)


def badges() -> dict[str, str]:
    """Return the content of every badge by the name of its file."""
    return {f"{name}.svg": _svg(name, text) for name, text in _facts().items()}


def _facts() -> dict[str, str]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    project = settings["project"]
    pythons = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    covered = settings["tool"]["coverage"]["report"]["fail_under"]
    [version] = re.findall(r"(?m)^version: (\S+)", (ROOT / "CITATION.cff").read_text("utf-8"))
    return {
        "version": version,
        "python": f"{pythons[0]} – {pythons[-1]}",
        "licence": project["license"],
        "types": "mypy strict" if settings["tool"]["mypy"]["strict"] else "mypy",
        "coverage": f"at least {covered} %",
    }


def _svg(name: str, text: str) -> str:
    long, longer = round(len(name) * _LETTER), round(len(text) * _LETTER)
    left, right = long + _SPACE, longer + _SPACE
    return _SVG.format(
        name=escape(name),
        text=escape(text),
        width=left + right,
        left=left,
        right=right,
        long=long,
        longer=longer,
        first=left / 2,
        second=left + right / 2,
    )


def main() -> int:
    """Write all badges; return the exit code."""
    BADGES.mkdir(parents=True, exist_ok=True)
    for name, content in badges().items():
        (BADGES / name).write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
