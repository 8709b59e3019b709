"""Files as tables: their columns, and the SQL that reads them."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..errors import InputError, quoted
from .engine import Engine, identifier, literal
from .paths import Content, look, printable

_DELIMITERS = (",", ";", "\t", "|")
_NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_LONGEST_LINE = 2_000_000


@dataclass(frozen=True)
class Reading:
    """How text files are to be read; None leaves it to the file."""

    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class Table:
    """A table in one or more files.

    `expressions` has the SQL of every column, `types` the type DuckDB gives it; `source` is the
    SQL that reads the files; `name` stands in messages.
    """

    name: str
    source: str
    expressions: Mapping[str, str]
    types: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.expressions)

    def select(self, columns: Mapping[str, str]) -> str:
        """SQL for some columns under other names: `{new name: column}`."""
        chosen = ", ".join(f"{self.expressions[c]} AS {new}" for new, c in columns.items())
        return f"SELECT {chosen} FROM {self.source}"


@dataclass(frozen=True)
class Prepared:
    """Files that were looked at and made known to an engine, before it is started."""

    name: str
    contents: tuple[Content, ...]
    paths: tuple[str, ...]
    reading: Reading


def prepare(engine: Engine, files: Sequence[Path], name: str, reading: Reading) -> Prepared:
    """Look at files that make up one table, and add them to the engine."""
    contents = [look(path, _label(path, files, name), reading.encoding) for path in files]
    kinds = {content.kind for content in contents}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {quoted(sorted(kinds))}.")
    paths = [engine.add(c, _label(c.path, files, name)) for c in contents]
    return Prepared(name, tuple(contents), tuple(paths), reading)


def _label(path: Path, files: Sequence[Path], name: str) -> str:
    return name if len(files) == 1 else printable(path)


def open_table(engine: Engine, prepared: Prepared) -> Table:
    """The table in prepared files; the engine must have been started."""
    openers = {"text": _text_table, "json": _json_table, "parquet": _parquet_table}
    return openers[prepared.contents[0].kind](engine, prepared)


def _paths(prepared: Prepared) -> str:
    return "[" + ", ".join(map(literal, prepared.paths)) + "]"


def _parquet_table(engine: Engine, prepared: Prepared) -> Table:
    source = f"read_parquet({_paths(prepared)})"
    described = engine.query(f"DESCRIBE SELECT * FROM {source}")
    types = {row[0]: row[1] for row in described}
    return Table(prepared.name, source, {name: identifier(name) for name in types}, types)


def _json_table(engine: Engine, prepared: Prepared) -> Table:
    """One object per line; columns are the keys found in the first lines."""
    keys: dict[str, None] = {}
    for content in prepared.contents:
        for record in _json_records(content, prepared.name):
            keys.update(dict.fromkeys(record))
    source = (
        f"read_json_objects({_paths(prepared)}, format = 'newline_delimited', "
        f"compression = {literal(_compression(prepared))})"
    )
    expressions = {key: f"json_extract_string(json, {literal(_pointer(key))})" for key in keys}
    return Table(prepared.name, source, expressions, dict.fromkeys(keys, "VARCHAR"))


def _pointer(key: str) -> str:
    """A JSON pointer to a key of the outer object."""
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _json_records(content: Content, name: str) -> list[dict[str, object]]:
    lines = content.head.lstrip("\ufeff").splitlines()
    if not content.whole and len(lines) > 1:
        lines.pop()  # it may have been cut
    records = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            records.append(_json_record(line, number, name))
    return records


def _json_record(line: str, number: int, name: str) -> dict[str, object]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise InputError(
            f"{name}: line {number} is not a JSON object ({line[:60]!r}); "
            "one object per line is expected."
        )
    return record


def _compression(prepared: Prepared) -> str:
    packed = {content.gzipped for content in prepared.contents}
    if len(packed) > 1:
        raise InputError(f"{prepared.name} matches both gzipped and plain files; use one kind.")
    return "gzip" if packed.pop() else "uncompressed"


def _text_table(engine: Engine, prepared: Prepared) -> Table:
    dialect = Dialect.of(prepared.contents[0], prepared.name, prepared.reading)
    names = dialect.columns
    for other in prepared.contents[1:]:
        found = Dialect.of(other, printable(other.path), prepared.reading).columns
        if found != names:
            raise InputError(
                f"{prepared.name} matches files with different columns: {quoted(names, 10)}, but "
                f"{quoted(found, 10)} in {printable(other.path)}."
            )
    inner = [f"c{i}" for i in range(len(names))]
    source = f"read_csv({_paths(prepared)}, {dialect.options(inner, _compression(prepared))})"
    return Table(
        prepared.name,
        source,
        dict(zip(names, inner, strict=True)),
        dict.fromkeys(names, "VARCHAR"),
    )


@dataclass(frozen=True)
class Dialect:
    """How a delimited text file is written."""

    delimiter: str
    quote: str
    header: bool
    columns: tuple[str, ...]
    blank_lines: int = 0

    @classmethod
    def of(cls, content: Content, name: str, reading: Reading) -> "Dialect":
        """The delimiter as given, or by the ending of the name, or the likeliest; the columns."""
        tabbed = any(s.lower() in (".tsv", ".tab") for s in content.path.suffixes[-2:])
        given = _delimiter(reading.delimiter) if reading.delimiter else "\t" if tabbed else None
        text = content.head.removeprefix("\ufeff")
        delimiter = given or _likeliest(text, name)
        bare = _records(text, delimiter, "", name, 1)[0]
        quote = "" if tabbed and not _all_quoted(bare) else '"'
        record = _records(text, delimiter, quote, name, 1)[0]
        if not reading.header:
            record = [str(i) for i in range(1, len(record) + 1)]
        _check_columns(record, name)
        return cls(delimiter, quote, reading.header, tuple(record), _leading_blank_lines(text))

    def options(self, names: Sequence[str], compression: str) -> str:
        """The arguments of `read_csv`; nothing is left to its guesses."""
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        return (
            f"auto_detect = false, columns = {{{columns}}}, header = {self.header}, "
            f"skip = {self.blank_lines}, "
            f"delim = {literal(self.delimiter)}, quote = {literal(self.quote)}, "
            f"escape = {literal(self.quote)}, comment = '', strict_mode = true, "
            f"compression = {literal(compression)}, max_line_size = {_LONGEST_LINE}"
        )


def _all_quoted(fields: Sequence[str]) -> bool:
    """Whether a row without quoting looks as if it had been written with it."""
    return all(len(field) > 1 and field[0] == field[-1] == '"' for field in fields)


def _leading_blank_lines(text: str) -> int:
    """How many line ends stand before the first line that holds anything."""
    before = text[: len(text) - len(text.lstrip("\r\n"))]
    return len(before.splitlines())


def _delimiter(given: str) -> str:
    delimiter = _NAMED_DELIMITERS.get(given.lower(), given)
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(
            f"{given!r} is not a delimiter; give one character, or tab, comma, semicolon, pipe."
        )
    return delimiter


def _likeliest(text: str, name: str) -> str:
    """The delimiter that splits the first rows alike, into most columns; else a comma."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        widths = [len(record) for record in _records(text, delimiter, '"', name)]
        return len(set(widths)) == 1 and widths[0] > 1, widths[0]

    return max(_DELIMITERS, key=fitness)


def _records(text: str, delimiter: str, quote: str, name: str, count: int = 5) -> list[list[str]]:
    """The first rows that are not blank, as fields; at least one."""
    lines = io.StringIO(text, newline="")
    if quote:
        reader = csv.reader(lines, delimiter=delimiter, quotechar=quote)
    else:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    records: list[list[str]] = []
    with suppress(csv.Error):  # what is wrong further down is left to DuckDB
        records.extend(islice((record for record in reader if record), count))
    if not records:
        raise InputError(f"{name}: the first line cannot be read as a row of columns.")
    return records


def _check_columns(columns: Sequence[str], name: str) -> None:
    repeated = [c for c in dict.fromkeys(columns) if columns.count(c) > 1]
    if repeated:
        raise InputError(
            f"{name}: the first line names {quoted(repeated)} more than once; column names must "
            "differ. Is it a file without a header?"
        )
