"""CHANGELOG.md as a page of the site."""

import re
from pathlib import Path

_LINK = re.compile(r"\[([^\]]+)\]\((?!\w+:)([^)]+)\)|(?<![\w/`])(docs/[\w/-]+\.md)")


def changelog_page(root: Path) -> str:
    """Return the page, on which pages have their titles instead of the names of their files.

    Links to files that are not part of the site become their texts.
    """
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    return _LINK.sub(lambda link: _within_site(link, root), text)


def _within_site(link: re.Match[str], root: Path) -> str:
    text, target = link[1] or link[3], link[2] or link[3]
    if not target.startswith("docs/"):
        return f"`{text}`"
    if text.startswith("docs/"):
        first_line, _, _ = (root / target).read_text(encoding="utf-8").partition("\n")
        text = first_line.removeprefix("# ")
    return f"[{text}]({target.removeprefix('docs/')})"
