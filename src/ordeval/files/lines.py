"""What the lines of a text file are like, which decides how DuckDB can read it.

DuckDB reads a file in several places at once. It then has to guess whether a line end is within
quotes, and it loses a last line that is longer than its buffers. From one end to the other it reads
both, but loses what follows a quote that is not closed; and it checks no checksum of gzip files.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from ..errors import InputError
from .engine import wrong_quotes

LONGEST_LINE = 2_000_000  # bytes of delimited text
LONGEST_OBJECT = 1 << 24  # bytes of JSON
_BLOCK = 1 << 20
_LF, _CR, _QUOTE = b'\n\r"'
_CLOSING = re.compile(rb'(?:[^"]++|"")*+"')  # the rest of a quoted field


@contextmanager
def opened(path: Path, name: str, *, gzipped: bool) -> Iterator[BinaryIO]:
    """Open a file to read its bytes; explain what is wrong with it meanwhile."""
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            yield cast("BinaryIO", file)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a damaged or truncated gzip file.") from None
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from None


@dataclass
class Lines:
    """How lines end, whether a quoted field spans several, and whether a quote is open.

    `inside` tells whether a quote is open, since the line `opened` (from 1).
    """

    ends: set[str] = field(default_factory=set)
    spans: bool = False
    inside: bool = False
    opened: int = 0

    def add(self, block: bytes, first: int, delimiter: str) -> None:
        """Follow a block of whole lines, of which the number of the first one is given."""
        self._add_ends(block)
        if b'"' in block:
            if not self._by_pairs(block, first, delimiter):
                self._one_by_one(block, first, delimiter)
        elif self.inside:
            self.spans = True

    def _add_ends(self, block: bytes) -> None:
        if b"\r" not in block:  # counting would take longer than all the rest
            self.ends |= {"\n"} if b"\n" in block else set()
            return
        pairs = block.count(b"\r\n")
        numbers = {
            "\r\n": pairs,
            "\n": block.count(b"\n") - pairs,
            "\r": block.count(b"\r") - pairs,
        }
        self.ends |= {end for end, number in numbers.items() if number}

    def _by_pairs(self, block: bytes, first: int, delimiter: str) -> bool:
        """Follow the quotes if every second one opens a field; return whether it does.

        Quotes in quoted fields are doubled: one closes the field and the next opens it again.
        """
        data = np.frombuffer(block, dtype=np.uint8)
        quotes = np.flatnonzero(data == _QUOTE)
        opening = quotes[int(self.inside) :: 2]
        before = np.where(opening > 0, data[opening - 1], _LF)
        if not np.isin(before, [_LF, _CR, _QUOTE, ord(delimiter)]).all():
            return False
        ends = np.flatnonzero((data == _LF) | (data == _CR))
        self.spans |= bool(((np.searchsorted(quotes, ends) + self.inside) % 2).any())
        self.inside = bool((quotes.size + self.inside) % 2)
        if self.inside and opening.size:
            self.opened = first + block.count(b"\n", 0, int(opening[-1]))
        return True

    def _one_by_one(self, block: bytes, first: int, delimiter: str) -> None:
        """Follow the quotes if some stand within fields that are not quoted."""
        opening = re.compile(rb'(?:\A|(?<=[\r\n%s])) *"' % re.escape(delimiter.encode()))
        at = 0
        while step := (_CLOSING.match(block, at) if self.inside else opening.search(block, at)):
            if self.inside:
                self.spans |= bool(re.search(rb"[\r\n]", block[at : step.end()]))
            self.inside, at = not self.inside, step.end()
            if self.inside:
                self.opened = first + block.count(b"\n", 0, at)
        self.spans |= self.inside and bool(re.search(rb"[\r\n]", block[at:]))


def survey(path: Path, name: str, delimiter: str, *, gzipped: bool) -> Lines:
    """Read a file of delimited text once, and describe its lines; every quote must be closed."""
    lines, number = Lines(), 1
    with opened(path, name, gzipped=gzipped) as file:
        for block in _whole_lines(file, name, LONGEST_LINE):
            lines.add(block, number, delimiter)
            number += block.count(b"\n")
    if lines.inside:
        raise wrong_quotes(f"{name}: line {lines.opened} has a quote that is not closed.")
    return lines


def check_json(path: Path, name: str, *, gzipped: bool, lines: bool) -> None:
    """Raise an error for a damaged gzip file, and if it holds lines for one that is too long."""
    if gzipped or lines:
        with opened(path, name, gzipped=gzipped) as file:
            for _ in _whole_lines(file, name, LONGEST_OBJECT) if lines else _blocks(file):
                pass


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _whole_lines(file: BinaryIO, name: str, longest: int) -> Iterator[bytes]:
    """Yield a file in blocks that end with a line; the last one may not."""
    rest = b""
    for block in _blocks(file):
        rest = rest + block if rest else block
        end = max(rest.rfind(b"\n"), rest.rfind(b"\r", 0, -1)) + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
        if len(rest) > longest:
            raise InputError(
                f"{name}: a line is longer than {longest // 10**6} MB; it is probably no table."
            )
    if rest:
        yield rest
