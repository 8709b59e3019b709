"""Delimited text: its delimiter, its columns, and whether DuckDB may read it in several places.

In several places at once, DuckDB has to guess whether a line end is within quotes. From one end to
the other it reads these, but loses what follows a quote that is not closed. It checks no checksum
of gzip files, and takes one kind of line ends. So every file of text is read once before.
"""

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from ..errors import InputError, quoted
from .engine import literal, wrong_quotes

LONGEST_OBJECT = 1 << 24  # bytes of JSON
_LONGEST_LINE = 2_000_000  # bytes of delimited text
_BLOCK = 1 << 20
_LF, _CR, _QUOTE = b'\n\r"'
_CLOSING = re.compile(rb'(?:[^"]++|"")*+"')  # the rest of a quoted field
_DELIMITERS = (",", ";", "\t", "|")
_NAMED_DELIMITERS = {"tab": "\t", "comma": ",", "semicolon": ";", "space": " ", "pipe": "|"}
_SEPARATOR_LINE = re.compile(r'"?sep=([^"\r\n])"?(\r\n|\r|\n)', re.IGNORECASE)  # as Excel has it
COMMA_NUMBER = re.compile(r"""(?:^|["';|\t])[+-]?\d*,\d+(?:["';|\t\r]|$)""", re.MULTILINE)
_QUOTED_COMMA = re.compile(r"""(?:^|,)"[+-]?\d*,\d+"(?:[,\r]|$)""", re.MULTILINE)


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


@dataclass(frozen=True)
class Dialect:
    """How a text is read: its columns, SQL of the options, and whether its line ends are alike.

    `spans` tells that a quoted field spans several lines, `commas` that some cell looks like a
    number with a decimal comma.
    """

    columns: tuple[str, ...]
    options: str
    one_end: bool
    spans: bool
    commas: bool


def dialect_of(
    path: Path, name: str, head: str, *, delimiter: str, header: bool, gzipped: bool
) -> Dialect:
    """Find out how a text is read; `delimiter` is empty to take the likeliest."""
    text = head.removeprefix("\ufeff").lstrip("\r\n")
    blank = head[: len(head) - len(text)].replace("\r\n", "\n")
    skipped = len(blank.removeprefix("\ufeff"))
    if named := _SEPARATOR_LINE.match(text):
        skipped, text = skipped + 1, text[named.end() :]
    delimiter = delimiter or (named[1] if named else _likeliest(text, name))
    columns = _columns(_records(text, delimiter, name, 1)[0], name, header=header)
    options = (
        f"auto_detect = false, header = {header}, skip = {skipped}, delim = {literal(delimiter)}, "
        "quote = '\"', escape = '\"', comment = '', strict_mode = true, "
        f"max_line_size = {_LONGEST_LINE}"
    )
    lines = survey(path, name, delimiter, gzipped=gzipped)
    commas = (_QUOTED_COMMA if delimiter == "," else COMMA_NUMBER).search(text)
    return Dialect(columns, options, len(lines.ends) < 2, lines.spans, commas is not None)


def delimiter_named(name: str) -> str:
    """Return the delimiter that a user names, by itself or by a word."""
    delimiter = _NAMED_DELIMITERS.get(name.lower(), name.replace("\\t", "\t"))
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(
            f"{name!r} is not a delimiter; give one character, or tab, comma, semicolon, space, "
            "pipe.",
            parameter="delimiter",
        )
    return delimiter


def _likeliest(text: str, name: str) -> str:
    """Return the delimiter that splits the first rows alike, into most columns; else a comma."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        widths = [len(record) for record in _records(text, delimiter, name)]
        return len(set(widths)) == 1 and widths[0] > 1, widths[0]

    return max(_DELIMITERS, key=fitness)


def _records(text: str, delimiter: str, name: str, count: int = 5) -> list[list[str]]:
    """Return the fields of the first rows that are not blank; there must be one."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    records: list[list[str]] = []
    with suppress(csv.Error):  # DuckDB reports what is wrong further down
        records.extend(islice((record for record in reader if record), count))
    if not records:
        raise InputError(f"{name}: the first line cannot be read as a row of columns.")
    return records


def _columns(record: Sequence[str], name: str, *, header: bool) -> tuple[str, ...]:
    """Return the names of columns, without surrounding spaces unless these tell them apart."""
    if not header:
        return tuple(str(i) for i in range(1, len(record) + 1))
    stripped = [column.strip() for column in record]
    columns = list(record) if repeated(stripped) else stripped
    if same := repeated(columns):
        raise InputError(
            f"{name}: the first line names {quoted(same)} more than once; column names must "
            "differ.",
            parameter="header",
            hint="If the file has no header, pass {header}.",
            suggest={"header": False},
        )
    return tuple(columns)


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, but for empty ones."""
    return [name for name, times in Counter(names).items() if name and times > 1]


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
        if b'"' not in block:
            self.spans |= self.inside
        elif not self._by_pairs(block, first, delimiter):
            self._one_by_one(block, first, delimiter)

    def _add_ends(self, block: bytes) -> None:
        if b"\r" not in block:  # counting would take longer than all the rest
            self.ends |= {"\n"} if b"\n" in block else set()
            return
        pairs = block.count(b"\r\n")
        lone = {end: block.count(end.encode()) - pairs for end in ("\n", "\r")}
        self.ends |= {end for end, number in {"\r\n": pairs, **lone}.items() if number}

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
        for block in _whole_lines(file, name, _LONGEST_LINE):
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
