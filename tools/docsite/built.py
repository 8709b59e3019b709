"""Checks of the built site: what is missing, what leads nowhere, what would be loaded from afar."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urlsplit

# Attributes by which an element loads something; links that are only followed are not among them.
_LOADS = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
_LOADING_LINKS = {"stylesheet", "icon", "preload", "preconnect", "prefetch", "modulepreload"}
_REMOTE = re.compile(r"(?:https?:)?//", re.IGNORECASE)
_STYLE_LOADS = re.compile(
    r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE
)


@dataclass
class Built:
    """What the checks need to know about a page."""

    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    unnamed: list[str] = field(default_factory=list)  # pictures without a text
    text: str = ""


class _Reader(HTMLParser):
    """Reads a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Built()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note ids, links, pictures and what is loaded."""
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.page.ids.append(given["id"])
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        self.page.loads += [given[name] for name in _LOADS.get(tag, ()) if name in given]
        if tag == "link" and _LOADING_LINKS & set(given.get("rel", "").split()):
            self.page.loads.append(given.get("href", ""))
        self.page.loads += _STYLE_LOADS.findall(given.get("style", ""))
        if tag == "img" and not given.get("alt"):
            self.page.unnamed.append(given.get("src", "")[:80])
        if tag == "svg" and given.get("role") == "img" and not given.get("aria-label"):
            self.page.unnamed.append("svg")

    def handle_data(self, data: str) -> None:
        """Note the text."""
        self.words.append(data)
        self.page.loads += _STYLE_LOADS.findall(data) if self.cdata_elem == "style" else []


def read_page(html: str) -> Built:
    """Return what the checks need to know about a page."""
    reader = _Reader()
    reader.feed(html)
    reader.page.text = "".join(reader.words)
    return reader.page


def read_site(folder: Path) -> dict[str, Built]:
    """Return all pages of a built site, by path."""
    return {
        path.relative_to(folder).as_posix(): read_page(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.html"))
    }


def broken_links(pages: Mapping[str, Built], files: Iterable[str]) -> Iterator[str]:
    """Say which links of the site lead to no file or no anchor."""
    known = set(files)
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = normpath(join(dirname(path), unquote(parts.path))) if parts.path else path
            target = normpath(join(target, "index.html")) if link.endswith("/") else target
            if target not in known and f"{target}/index.html" not in known:
                yield f"{path}: {link} leads to no page"
            elif parts.fragment and target in pages and not _has(pages[target], parts.fragment):
                yield f"{path}: {link} leads to no anchor"


def missing_files(pages: Mapping[str, Built], files: Iterable[str]) -> Iterator[str]:
    """Say which pictures, scripts and styles of pages are not part of the site."""
    known = set(files)
    for path, page in pages.items():
        for address in page.loads:
            parts = urlsplit(address.split(" ")[0])
            local = not (parts.scheme or parts.netloc) and parts.path
            if local and normpath(join(dirname(path), unquote(parts.path))) not in known:
                yield f"{path}: there is no {address}"


def _has(page: Built, fragment: str) -> bool:
    return unquote(fragment) in page.ids


def unnamed_pictures(pages: Mapping[str, Built]) -> Iterator[str]:
    """Say which pictures have no text for those who do not see them."""
    for path, page in pages.items():
        yield from (f"{path}: a picture has no text: {name}" for name in page.unnamed)


def remote_loads(pages: Mapping[str, Built], styles: Mapping[str, str]) -> Iterator[str]:
    """Say what pages and style sheets would load from other places."""
    for path, page in pages.items():
        yield from (f"{path}: loads {address}" for address in page.loads if _REMOTE.match(address))
    for path, text in styles.items():
        yield from (f"{path}: loads {address}" for address in _STYLE_LOADS.findall(text))


def repeated_ids(pages: Mapping[str, Built]) -> Iterator[str]:
    """Say which anchors occur twice on a page."""
    for path, page in pages.items():
        twice = [id for id, times in Counter(page.ids).items() if times > 1]
        yield from (f"{path}: the id {id} occurs more than once" for id in twice)


def missing_anchors(
    pages: Mapping[str, Built], wanted: Mapping[str, str], what: str
) -> Iterator[str]:
    """Say which names have no entry; `wanted` gives the page of every anchor."""
    for anchor, path in wanted.items():
        if path not in pages or anchor not in pages[path].ids:
            yield f"the {what} {anchor} is not on {path}"


def missing_texts(pages: Mapping[str, Built], wanted: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Say which texts are not on the page that must have them."""
    for path, texts in wanted.items():
        if path not in pages:
            yield f"there is no page {path}"
        else:
            found = pages[path].text
            yield from (f"{path} does not have {text}" for text in texts if text not in found)


def faults(
    folder: Path,
    names: Mapping[str, str],
    commands: Mapping[str, str],
    measures: Mapping[str, Iterable[str]],
) -> list[str]:
    """Return everything that is wrong with a built site.

    Parameters
    ----------
    folder : Path
        The site.
    names, commands : mapping of str to str
        The anchors of all public names and commands, with their pages.
    measures : mapping of str to iterable of str
        The pages of the measures, with the names that they must have.

    Returns
    -------
    list of str
        One sentence for each fault.
    """
    pages = read_site(folder)
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    styles = {name: (folder / name).read_text("utf-8") for name in files if name.endswith(".css")}
    own = {path: page for path, page in pages.items() if path != "404.html"}  # absolute links
    return [
        *broken_links(own, files),
        *missing_files(own, files),
        *unnamed_pictures(pages),
        *remote_loads(pages, styles),
        *repeated_ids(pages),
        *missing_anchors(pages, names, "name"),
        *missing_anchors(pages, commands, "command"),
        *missing_texts(pages, measures),
    ]
