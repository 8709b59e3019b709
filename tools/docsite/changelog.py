"""CHANGELOG.md as a page of the site."""

import re
from pathlib import Path

_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)([^)]+)\)")


def changelog_page(root: Path) -> str:
    """Return the page; links to files that are not part of the site become their texts."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return _LINK.sub(_within_site, text)


def _within_site(link: re.Match[str]) -> str:
    text, target = link.groups()
    if target.startswith("docs/"):
        return f"[{text.removeprefix('docs/')}]({target.removeprefix('docs/')})"
    return f"`{text}`"
