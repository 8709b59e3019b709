"""Files as tables: find the files, detect their format, and make the SQL that reads them."""

import codecs
import csv
import glob
import gzip
import io
import json
import shutil
import stat
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ..errors import InputError, did_you_mean, quoted
from .engine import Engine, identifier, literal, wrong_encoding

_SUFFIXES = {".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".gz"}
_HEAD = 1 << 20  # bytes read to find out what a file is
_LONGEST_LINE = 2_000_000
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: it begins with the same two bytes
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_OTHER_CONTAINERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF document",
}
_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_DELIMITERS = (",", ";", "\t", "|")
_NAMED_DELIMITERS = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
    "pipe": "|",
}


def _printable(path: str | Path) -> str:
    """Return a path for messages, with bytes that are not UTF-8 escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _expand(given: str | Path) -> list[Path]:
    """Return the files that a path or a pattern (`*`, `?`, `[…]`, `**`) stands for."""
    text, path = _printable(given), Path(given)
    if not text or "\0" in text:
        raise InputError(f"{text!r} is not the name of a file.")
    try:
        kind = path.stat().st_mode
    except OSError:  # absent, or too long a name, or a pattern
        found = sorted(Path(name) for name in glob.glob(str(given), recursive=True))
        files = [name for name in found if name.is_file()]
        if not files:
            raise InputError(_not_found(text, path)) from None
        return files
    if stat.S_ISDIR(kind):
        raise InputError(f"{text} is a directory; name a file, or a pattern: {path / '*.csv'}.")
    if not stat.S_ISREG(kind):
        raise InputError(f"{text} is not a regular file; write its content to a file first.")
    return [path]


def _not_found(text: str, path: Path) -> str:
    if glob.has_magic(text):
        return f"No file matches {text}."
    try:
        beside = [_printable(path.parent / other.name) for other in path.parent.iterdir()]
    except OSError:
        return f"There is no file {text}: the directory {path.parent} cannot be read."
    return f"There is no file {text[:200]}.{did_you_mean(text, beside)}"


def _system_names(files: Sequence[Path]) -> list[str]:
    """Name a system after each file; with its directory where two files have the same name."""
    places = [path.absolute() for path in files]
    repeated = [_printable(path) for path in files if places.count(path.absolute()) > 1]
    if repeated:
        raise InputError(f"The run file {repeated[0]!r} is given more than once.", parameter="runs")
    names = [_stem(path) for path in files]
    names = [
        f"{_printable(path.parent.name)}/{name}" if names.count(name) > 1 else name
        for path, name in zip(places, names, strict=True)
    ]
    if same := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(
            f"Several run files would be called {quoted(same)}; rename them, because a system is "
            "named after its file.",
            parameter="runs",
        )
    return names


def _stem(path: Path) -> str:
    """Return the name of a file without the endings of data formats."""
    name = _printable(path.name)
    while Path(name).suffix.lower() in _SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


@dataclass(frozen=True)
class TextOptions:
    """How text files are read; None stands for what is detected."""

    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None


@dataclass(frozen=True)
class FileTable:
    """A table in one or more files: the SQL of its source and of every column.

    The columns of text files have other names in SQL, because names in SQL that differ only in
    case are the same.
    """

    name: str
    source: str
    expressions: Mapping[str, str]

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.expressions)

    def select(self, columns: Mapping[str, str]) -> str:
        """Return SQL for some columns under other names, ``{new name: column}``."""
        chosen = ", ".join(f"{self.expressions[old]} AS {new}" for new, old in columns.items())
        return f"SELECT {chosen} FROM {self.source}"


def open_tables(
    engine: Engine, data: str | Path, runs: Sequence[str | Path], options: TextOptions
) -> tuple[FileTable, dict[str, FileTable]]:
    """Inspect the files of `data` and `runs`, and start the engine.

    Returns the table of `data`, and the table of every run file by the name of its system.
    """
    files = [path for run in runs for path in _expand(run)]
    systems = _system_names(files)
    tables = [_sniffed(engine, _expand(data), _printable(data), options)]
    tables += [_sniffed(engine, [path], _printable(path), options) for path in files]
    engine.start()
    first, *others = [_with_parquet_columns(engine, table) for table in tables]
    return first, dict(zip(systems, others, strict=True))


def _with_parquet_columns(engine: Engine, table: FileTable) -> FileTable:
    """Add the columns of a parquet file, which only DuckDB can read."""
    if not table.source.startswith("read_parquet"):
        return table
    columns = engine.relation(f"FROM {table.source}").columns
    return replace(table, expressions={name: identifier(name) for name in columns})


def _sniffed(engine: Engine, files: Sequence[Path], name: str, options: TextOptions) -> FileTable:
    """Return the table in files of one kind; of parquet still without its columns."""
    names = [name] if len(files) == 1 else list(map(_printable, files))
    contents = [_look(*given, options.encoding) for given in zip(files, names, strict=True)]
    kinds = {content.kind for content in contents}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {quoted(sorted(kinds))}.")
    if len({content.gzipped for content in contents}) > 1:
        raise InputError(f"{name} matches both gzipped and plain files; use only one kind.")
    paths = ", ".join(literal(engine.allow(_as_utf8(c, engine), c.name)) for c in contents)
    if kinds == {"parquet"}:
        return FileTable(name, f"read_parquet([{paths}])", {})
    packed = "gzip" if contents[0].gzipped else "uncompressed"
    given = f"[{paths}], compression = {literal(packed)}"
    if kinds == {"json"}:
        return _json_table(name, contents, given)
    return _text_table(name, contents, given, options)


@dataclass(frozen=True)
class _Content:
    """The beginning of a file: its kind, how it is compressed, and its first text.

    `kind` is "parquet", "json" or "text"; `encoding` is None for plain UTF-8, else the name of
    the codec; `whole` tells whether `head` is the whole file.
    """

    path: Path
    name: str
    kind: str
    gzipped: bool = False
    encoding: str | None = None
    head: str = ""
    whole: bool = True


def _look(path: Path, name: str, encoding: str | None) -> _Content:
    """Detect the kind of a file from its first bytes and its suffix."""
    start = _read_head(path, name, gzipped=False)
    gzipped = start.startswith(_GZIP)
    if not gzipped and path.suffix.lower() == ".gz" and start:
        raise InputError(f"{name} is called .gz but is not a gzip file.")
    if gzipped:
        start = _read_head(path, name, gzipped=True)
    if not start:
        raise InputError(f"{name} is empty.")
    if start.startswith(_PARQUET) and not gzipped:
        return _Content(path, name, "parquet")
    _refuse_containers(start, path, name)
    codec = encoding or next((c for mark, c in _BOMS.items() if start.startswith(mark)), None)
    whole = len(start) < _HEAD
    head = _decode(start, codec or "utf-8", name, whole)
    return _Content(path, name, _text_kind(path, head), gzipped, codec, head, whole)


def _read_head(path: Path, name: str, *, gzipped: bool) -> bytes:
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            return file.read(_HEAD)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a damaged or truncated gzip file.") from None
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from None


def _refuse_containers(start: bytes, path: Path, name: str) -> None:
    if start.startswith(_PARQUET):
        raise InputError(f"{name} is a gzipped parquet file; unpack it first.")
    if ".parquet" in path.name.lower():
        raise InputError(f"{name} is called parquet but is not a parquet file.")
    for mark, what in _OTHER_CONTAINERS.items():
        if start.startswith(mark):
            raise InputError(
                f"{name} is {what}; csv, tsv, jsonl and parquet files can be read, plain or .gz."
            )


def _decode(start: bytes, codec: str, name: str, whole: bool) -> str:
    try:
        text = codecs.getincrementaldecoder(codec)().decode(start, final=whole)
    except LookupError:
        raise InputError(
            f"There is no encoding {codec!r}; try utf-8, utf-16, latin-1.", parameter="encoding"
        ) from None
    except UnicodeError as problem:
        raise _undecodable(name, codec, problem) from None
    if "\0" in text:
        raise InputError(
            f"{name} holds null characters: it is binary, or UTF-16 without a byte order mark."
        )
    if not text.strip():
        raise InputError(f"{name} is empty: it holds only blank lines.")
    return text


def _undecodable(name: str, codec: str, problem: UnicodeError) -> InputError:
    at = f" (byte {problem.start})" if isinstance(problem, UnicodeDecodeError) else ""
    return wrong_encoding(f"{name} is not {'UTF-8' if codec == 'utf-8' else codec} text{at}.")


def _text_kind(path: Path, head: str) -> str:
    endings = {suffix.lower() for suffix in path.suffixes[-2:]}
    if endings & {".jsonl", ".ndjson", ".json"}:
        return "json"
    known = endings & _SUFFIXES - {".gz"}
    return "json" if not known and head.lstrip("\ufeff \r\n\t").startswith("{") else "text"


def _as_utf8(content: _Content, engine: Engine) -> Path:
    """Return the path of the file in UTF-8: its own, or that of a copy."""
    codec = content.encoding or "utf-8"
    readable = ("utf-8",) if content.kind == "json" else ("utf-8", "utf-8-sig")
    if codec in readable:
        return content.path
    copy = engine.new_path(".txt.gz" if content.gzipped else ".txt")
    opened = gzip.open if content.gzipped else open
    try:
        with (
            opened(content.path, "rt", encoding=codec, newline="") as source,
            opened(copy, "wt", encoding="utf-8", newline="") as target,
        ):
            shutil.copyfileobj(source, target, 1 << 20)
    except UnicodeError as problem:
        raise _undecodable(content.name, codec, problem) from None
    except (EOFError, zlib.error, OSError) as problem:
        raise InputError(f"{content.name} cannot be read: {problem}.") from None
    return copy


def _json_table(name: str, contents: Sequence[_Content], files: str) -> FileTable:
    """Return a table of JSON objects, one per line; columns are the keys of the first lines."""
    keys = dict.fromkeys(key for content in contents for key in _json_keys(content, name))
    source = f"read_json_objects({files}, format = 'newline_delimited')"
    pointers = {key: literal("/" + key.replace("~", "~0").replace("/", "~1")) for key in keys}
    extracts = {key: f"json_extract_string(json, {to})" for key, to in pointers.items()}
    return FileTable(name, source, extracts)


def _json_keys(content: _Content, name: str) -> Iterator[str]:
    lines = content.head.lstrip("\ufeff").splitlines()
    if not content.whole and len(lines) > 1:
        lines.pop()  # it may have been cut
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from _json_record(line, number, name)


def _json_record(line: str, number: int, name: str) -> dict[str, object]:
    record = None
    with suppress(ValueError, RecursionError):
        record = json.loads(line)
    if not isinstance(record, dict):
        raise InputError(
            f"{name}: line {number} is not a JSON object ({line[:60]!r}); "
            "one object per line is expected."
        )
    return record


def _text_table(
    name: str, contents: Sequence[_Content], files: str, options: TextOptions
) -> FileTable:
    """Return a table of delimited text; the dialect of the first file is used for all."""
    dialect = _Dialect.of(contents[0], name, options)
    for other in contents[1:]:
        found = _Dialect.of(other, other.name, options).columns
        if found != dialect.columns:
            raise InputError(
                f"{name} matches files with different columns: {quoted(dialect.columns, 10)}, but "
                f"{quoted(found, 10)} in {other.name}."
            )
    expressions = {column: f"c{i}" for i, column in enumerate(dialect.columns)}
    return FileTable(name, f"read_csv({files}, {dialect.sql(expressions.values())})", expressions)


@dataclass(frozen=True)
class _Dialect:
    """The dialect of a delimited text file."""

    delimiter: str
    quote: str
    header: bool
    columns: tuple[str, ...]
    blank_lines: int

    @classmethod
    def of(cls, content: _Content, name: str, options: TextOptions) -> "_Dialect":
        """Find the delimiter (given, by the suffix of the file, or guessed), quote and columns."""
        tabbed = any(s.lower() in (".tsv", ".tab") for s in content.path.suffixes[-2:])
        text = content.head.removeprefix("\ufeff")
        delimiter = _delimiter(options.delimiter) if options.delimiter else "\t" if tabbed else None
        delimiter = delimiter or _likeliest(text, name)
        bare = _records(text, delimiter, "", name, 1)[0]
        quote = "" if tabbed and not _all_quoted(bare) else '"'
        record = _records(text, delimiter, quote, name, 1)[0]
        if not options.header:
            record = [str(i) for i in range(1, len(record) + 1)]
        _check_columns(record, name)
        before = text[: len(text) - len(text.lstrip("\r\n"))]
        return cls(delimiter, quote, options.header, tuple(record), len(before.splitlines()))

    def sql(self, names: Iterable[str]) -> str:
        """Return the arguments of `read_csv`, which then detects nothing itself."""
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        return (
            f"auto_detect = false, columns = {{{columns}}}, header = {self.header}, "
            f"skip = {self.blank_lines}, delim = {literal(self.delimiter)}, "
            f"quote = {literal(self.quote)}, escape = {literal(self.quote)}, comment = '', "
            f"strict_mode = true, max_line_size = {_LONGEST_LINE}"
        )


def _delimiter(given: str) -> str:
    delimiter = _NAMED_DELIMITERS.get(given.lower(), given)
    if len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii():
        raise InputError(
            f"{given!r} is not a delimiter; give one character, or tab, comma, semicolon, space, "
            "pipe.",
            parameter="delimiter",
        )
    return delimiter


def _likeliest(text: str, name: str) -> str:
    """Return the delimiter that splits the first rows alike, into most columns; else a comma."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        widths = [len(record) for record in _records(text, delimiter, '"', name)]
        return len(set(widths)) == 1 and widths[0] > 1, widths[0]

    return max(_DELIMITERS, key=fitness)


def _records(text: str, delimiter: str, quote: str, name: str, count: int = 5) -> list[list[str]]:
    """Return the fields of the first rows that are not blank; there must be one."""
    lines = io.StringIO(text, newline="")
    if quote:
        reader = csv.reader(lines, delimiter=delimiter, quotechar=quote)
    else:
        reader = csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    records: list[list[str]] = []
    with suppress(csv.Error):  # DuckDB reports what is wrong further down
        records.extend(islice((record for record in reader if record), count))
    if not records:
        raise InputError(f"{name}: the first line cannot be read as a row of columns.")
    return records


def _all_quoted(fields: Sequence[str]) -> bool:
    """Whether a row that was read without quoting looks like one with quotes."""
    return all(len(field) > 1 and field[0] == field[-1] == '"' for field in fields)


def _check_columns(columns: Sequence[str], name: str) -> None:
    repeated = [c for c in dict.fromkeys(columns) if columns.count(c) > 1]
    if repeated:
        raise InputError(
            f"{name}: the first line names {quoted(repeated)} more than once; column names must "
            "differ.",
            parameter="header",
            hint="If the file has no header, pass {header}.",
            suggest={"header": False},
        )
