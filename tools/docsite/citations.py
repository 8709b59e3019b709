"""The works that records cite, as BibTeX."""

import re
from textwrap import fill

from ordeval import Measure
from ordeval.report.references import works

_REFERENCE = re.compile(r"(?P<author>.+?) \((?P<year>\d{4})\)\. (?P<title>.+?[.?]) (?P<rest>.+)\.")
_JOURNAL = re.compile(
    r"(?P<journal>.+), (?P<volume>\d+)(\((?P<number>[\d-]+)\))?, (?P<pages>[\d–]+)"
)
_PROCEEDINGS = re.compile(r"(?P<booktitle>Proceedings of .+?)(, (?P<pages>[\d–]+))?")
_ARXIV = re.compile(r"arXiv:(?P<eprint>[\d.]+)")
_REPORT = re.compile(r"Technical report, (?P<institution>.+)")
_BOOK = re.compile(r"(?P<publisher>Springer|Wiley|Advanced Analytics|Butterworths)")
_EDITION = re.compile(r"(?P<title>.+) \((?P<edition>\d+\w+) ed\.\)")
_KINDS = {
    "article": _JOURNAL,
    "inproceedings": _PROCEEDINGS,
    "misc": _ARXIV,
    "techreport": _REPORT,
    "book": _BOOK,
}
_LATIN = str.maketrans("áéíóúñ", "aeioun")


def cited(m: Measure) -> list[str]:
    """Return the keys of the works that a record cites; an error if it cites none."""
    citation = m.record.card.citation
    keys = [key for key in works() if key in citation]
    if not keys:
        raise LookupError(f"{m.id} cites {citation!r}, which is not in the bibliography")
    return sorted(keys, key=citation.index)


def bibtex(key: str) -> str:
    """Return a work of the bibliography as an entry of BibTeX."""
    found = _REFERENCE.fullmatch(works()[key])
    if found is None:
        raise ValueError(f"not in the form author (year). title. rest.: {works()[key]}")
    kind, where = _published(found["rest"])
    title, edition = _without_edition(found["title"].removesuffix("."))
    fields = {
        "author": _authors(found["author"]),
        "title": f"{{{title}}}",
        **edition,
        **where,
        "year": found["year"],
    }
    lines = [_field(f"  {name} = {{{value}}},") for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{_label(key)},", *lines, "}"]).replace("&", r"\&")


def _without_edition(title: str) -> tuple[str, dict[str, str]]:
    """Return a title, and the edition that it ends with."""
    found = _EDITION.fullmatch(title)
    return (found["title"], {"edition": found["edition"]}) if found else (title, {})


def _field(line: str) -> str:
    """Return a field in lines that are not too long."""
    return fill(line, 78, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _published(rest: str) -> tuple[str, dict[str, str]]:
    """Return the kind of a work and where it appeared; an error if it is of no known kind."""
    for kind, form in _KINDS.items():
        found = form.fullmatch(rest)
        if found is not None:
            given = {name: text for name, text in found.groupdict().items() if text}
            archive = {"archivePrefix": "arXiv"} if kind == "misc" else {}
            return kind, {name: text.replace("–", "--") for name, text in given.items()} | archive
    raise ValueError(f"neither journal, proceedings, arXiv, technical report nor publisher: {rest}")


def _authors(text: str) -> str:
    """Return `Last, F., & Last, F.` in the form of BibTeX."""
    names = re.split(r"(?<=\.),? (?:& )?(?=\w)(?![A-Z]\.)", text)
    return " and ".join(name.strip(" ,&") for name in names)


def _label(key: str) -> str:
    """Return the key without spaces and accents: silva2018."""
    first = re.split(r",| &| et al\.| \d", key)[0].replace(" ", "")
    return first.translate(_LATIN).lower() + key.rsplit(" ", 1)[1]
