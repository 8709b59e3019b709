"""What the lines of a text file are like, which decides how DuckDB can read it.

DuckDB reads a file in several places at once. It then has to guess whether a line end is within
quotes, and it loses a last line that is longer than its buffers. From one end to the other it reads
both, but it loses what follows a quote that is not closed. Both are therefore looked for here.
"""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGEST_LINE = 2_000_000  # bytes
_BLOCK = 1 << 20
_BOM = b"\xef\xbb\xbf"
_LF, _CR, _QUOTE = b'\n\r"'
_CLOSING = re.compile(rb'(?:[^"]++|"")*+"')  # the rest of a quoted field


@dataclass(frozen=True)
class Lines:
    """Whether a file has quotes, lines over `LONGEST_LINE`, and line ends of different kinds."""

    quotes: bool = True
    long: bool = True
    mixed_ends: bool = False


UNKNOWN_LINES = Lines()


def survey(path: Path) -> Lines:
    """Read a plain file once and describe its lines."""
    quotes, longest, length, ends, last = False, 0, 0, np.zeros(3, dtype=int), b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            first, final = block.find(b"\n"), block.rfind(b"\n")
            length += first if first >= 0 else len(block)
            longest = max(longest, length)
            length = len(block) - final - 1 if first >= 0 else length
            quotes = quotes or b'"' in block
            if ends[0] or ends[2] or last or b"\r" in block:
                ends += line_ends(last + block)
            else:  # counting would take longer than all the rest
                ends[1] += first >= 0
            last = b"\r" if block.endswith(b"\r") else b""
    return Lines(quotes, longest > LONGEST_LINE, has_mixed_ends(ends))


def line_ends(text: bytes) -> NDArray[Any]:
    """Return how many lines end in CR LF, LF and CR; a CR at the very end may belong to an LF."""
    found = np.frombuffer(text, dtype=np.uint8)
    returns, feeds = found == _CR, found == _LF
    pairs = int(np.count_nonzero(returns[:-1] & feeds[1:]))
    return np.array([pairs, int(feeds.sum()) - pairs, int(returns[:-1].sum()) - pairs])


def has_mixed_ends(ends: NDArray[Any]) -> bool:
    """Whether lines end in different ways, which DuckDB's reader does not take."""
    return int(np.count_nonzero(ends)) > 1


@dataclass
class Quoting:
    """What was found about quotes so far.

    `inside` tells whether a quote is open, at the line `opened` (from 1); `spans` whether a quoted
    field goes on in a next line.
    """

    inside: bool = False
    spans: bool = False
    opened: int = 0


def quoting(path: Path, delimiter: str, *, gzipped: bool) -> Quoting:
    """Read a delimited file once and follow its quotes."""
    found, lines = Quoting(), 1
    opening = re.compile(rb'(?:\A|(?<=[\r\n%s])) *"' % re.escape(delimiter.encode()))
    with gzip.open(path) if gzipped else path.open("rb") as file:
        for block in _whole_lines(file):
            if b'"' in block and not _by_pairs(block, found, lines, delimiter):
                _one_by_one(block, found, lines, opening)
            elif found.inside:
                found.spans = True
            lines += block.count(b"\n")
    return found


def _whole_lines(file: Any) -> Iterator[bytes]:
    """Return a file in blocks that end with a line; the last one may not."""
    rest = b""
    while block := file.read(_BLOCK):
        rest = rest + block if rest else block.removeprefix(_BOM)
        end = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, -1)) + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    if rest:
        yield rest


def _by_pairs(block: bytes, found: Quoting, lines: int, delimiter: str) -> bool:
    """Follow the quotes of a block if every second one opens a field; return whether it does.

    Quotes within quoted fields are doubled: one closes the field and the next one opens it again.
    """
    data = np.frombuffer(block, dtype=np.uint8)
    quotes = np.flatnonzero(data == _QUOTE)
    opening = quotes[int(found.inside) :: 2]
    before = np.where(opening > 0, data[opening - 1], _LF)
    if not np.isin(before, [_LF, _CR, _QUOTE, ord(delimiter)]).all():
        return False
    ends = np.flatnonzero((data == _LF) | (data == _CR))
    within = (np.searchsorted(quotes, ends) + found.inside) % 2
    found.spans = found.spans or bool(within.any())
    found.inside = bool((quotes.size + found.inside) % 2)
    if found.inside and opening.size:
        found.opened = lines + block.count(b"\n", 0, int(opening[-1]))
    return True


def _one_by_one(block: bytes, found: Quoting, lines: int, opening: re.Pattern[bytes]) -> None:
    """Follow the quotes of a block in which some stand within fields that are not quoted."""
    at = 0
    while True:
        step = _CLOSING.match(block, at) if found.inside else opening.search(block, at)
        if found.inside:
            text = block[at : step.end() if step else None]
            found.spans = found.spans or b"\n" in text or b"\r" in text
        if not step:
            return
        found.inside, at = not found.inside, step.end()
        if found.inside:
            found.opened = lines + block.count(b"\n", 0, at)
