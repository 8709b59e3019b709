"""The list of exhibits in docs/replication.md is complete, and names what exists."""

import re
from pathlib import Path

import pytest

from replication import PAPERS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "replication.md").read_text(encoding="utf-8")
ROMAN = {"I": 1, "II": 2}
# The numbers that each document has.
NUMBERED = {
    "amigo-2020": {"table": 3, "figure": 3, "equation": 1, "definition": 1, "proposition": 2},
    "sakai-2021": {"table": 9, "figure": 3, "equation": 19},
    "silva-2018": {"table": 2, "figure": 5, "equation": 28},
    "cardoso-2011": {"table": 6, "figure": 7, "definition": 4},
    "qwk-post": {},
}


def lines(paper: str) -> list[list[str]]:
    """The cells of each line of the table of a paper."""
    [table] = re.findall(rf"### Exhibits of {paper}\n\n((?:\|.*\n)+)", TEXT)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]


def numbers(kind: str, text: str) -> set[int]:
    """The numbers after "Table", "Equations" and so on; ranges are written out.

    >>> sorted(numbers("equation", "Equations 1–3; equation 5"))
    [1, 2, 3, 5]
    """
    found: set[int] = set()
    number = r"(?:\d+|I+)"
    pattern = re.compile(rf"\b{kind}s? ({number}(?:(?:–| and ){number})?)\b", re.IGNORECASE)
    for part in pattern.findall(text):
        ends = [ROMAN.get(end) or int(end) for end in re.split("–| and ", part)]
        found |= set(range(ends[0], ends[-1] + 1))
    return found


def named(paper: str) -> set[str]:
    return {name for row in lines(paper) for name in re.findall("`([^`]+)`", row[1])}


@pytest.mark.parametrize("paper", PAPERS)
def test_every_exhibit_has_a_line_and_every_line_an_exhibit(paper: str) -> None:
    entries = {name for name in named(paper) if not name.startswith("tests/")}
    assert entries == set(PAPERS[paper])


@pytest.mark.parametrize("paper", PAPERS)
def test_tests_that_are_named_exist(paper: str) -> None:
    files = {name for name in named(paper) if name.startswith("tests/")}
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize(
    ("paper", "kind", "last"),
    [(paper, kind, last) for paper, kinds in NUMBERED.items() for kind, last in kinds.items()],
)
def test_every_number_of_the_document_is_listed(paper: str, kind: str, last: int) -> None:
    listed = set().union(*(numbers(kind, row[0]) for row in lines(paper)))
    assert listed >= set(range(1, last + 1))


@pytest.mark.parametrize("paper", PAPERS)
def test_every_line_says_what_came_out_or_why_not(paper: str) -> None:
    assert all(len(row) == 3 and row[0] and row[1] and row[2] for row in lines(paper))
