"""Files as tables: detect their format, and make the SQL that reads them."""

import codecs
import csv
import gzip
import io
import json
import re
import shutil
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError, abbreviate, quoted
from .documents import (
    EXAMPLE,
    Form,
    document_as_csv,
    is_document,
    is_log_archive,
    refuse_promptfoo_table,
)
from .engine import Engine, literal, wrong_encoding, wrong_quotes
from .inputs import SUFFIXES, Input, find_inputs, find_runs, printable, refuse_twice
from .lines import LONGEST_LINE, UNKNOWN_LINES, Lines, has_mixed_ends, line_ends, quoting, survey
from .spreadsheets import is_spreadsheet, refuse_other_spreadsheets, sheet_as_csv

_HEAD = 1 << 20  # bytes read to find out what a file is
_READABLE = ("utf-8", "utf-8-sig")  # the encodings that DuckDB reads
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: it begins with the same two bytes
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_OTHER_CONTAINERS = {
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"SQLite format 3": "an SQLite database",
    b"%PDF": "a PDF document",
    b"\x89PNG": "an image (.png)",
    b"\xff\xd8\xff": "an image (.jpg)",
    b"$FL2": "an SPSS file (.sav)",
    b"$FL3": "an SPSS file (.zsav)",
    b"<stata_dta>": "a Stata file (.dta)",
    b"X\n\x00\x00": "an R file (.rds)",
    b"RDX": "an R file (.RData)",
    b"ARROW1": "an Arrow file (.feather)",
    b"\x89HDF": "an HDF5 file",
}
_OTHER_SUFFIXES = {
    ".sav": "an SPSS file (.sav)",
    ".dta": "a Stata file (.dta)",
    ".rds": "an R file (.rds)",
    ".rdata": "an R file (.RData)",
    ".sas7bdat": "a SAS file (.sas7bdat)",
}
_LONE_SURROGATE = re.compile(r"(?<!\\)(?:\\\\)*\\ud[89a-f]")  # in what repr returns
_INDEX = "numbers the rows"
_MARKUP = {
    "an HTML page": re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype html|html)\b", re.IGNORECASE),
    "an XML file": re.compile(rb"(\xef\xbb\xbf)?\s*<(\?xml\b|[A-Za-z][\w.-]*>\s*<)"),
}
_COPIES = ("spreadsheet", "document")
_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=([^"\r\n])"?(\r\n|\r|\n)', re.IGNORECASE)  # as Excel has it
# Beside semicolons, any comma in a number is a decimal comma; else not 1,234, which is refused.
_COMMA_BESIDE_SEMICOLONS = r"\s*[+-]?\d*,\d+\s*"
_DECIMAL_COMMA = r"\s*[+-]?(0?|[1-9]\d*),(\d{1,2}|\d{4,})\s*|\s*[+-]?0?,\d+\s*"
_NAMED_DELIMITERS = {
    "tab": "\t",
    "\\t": "\t",
    "comma": ",",
    "semicolon": ";",
    "space": " ",
    "pipe": "|",
}


@dataclass(frozen=True)
class TextOptions:
    """How text files are read; None stands for what is detected."""

    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    documents: bool = False  # whether a JSON document is read, too, as a table of ratings


@dataclass(frozen=True)
class FileTable:
    """A table in one or more files: the SQL of its source and of every column.

    The columns of text files have other names in SQL, because names in SQL that differ only in
    case are the same. `numbered` tells that the columns are called by their positions,
    `decimal_comma` is a pattern for numbers that are written with one, which the columns selected
    under the names in `numbers` may hold; `condition` is SQL that the rows fulfil, `of_systems`
    what the rows of systems fulfil in a table that holds gold, too; `square` tells that the rows
    have the same names as the columns. `unnamed` is the SQL of the columns of text without a name,
    `files` the number of files, `form` what an export of another tool holds.
    """

    name: str
    source: str
    expressions: Mapping[str, str]
    numbered: bool = False
    decimal_comma: str = ""
    spreadsheet: bool = False
    condition: str = ""
    of_systems: str = ""
    numbers: tuple[str, ...] = ("weight", "frequency")
    square: bool = False
    unnamed: tuple[str, ...] = ()
    files: int = 1
    form: Form | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns, in order."""
        return tuple(self.expressions)

    def select(self, columns: Mapping[str, str]) -> str:
        """Return SQL for some columns under other names, ``{new name: column}``."""
        chosen = (
            f"{self._number(old) if new in self.numbers else self.expressions[old]} AS {new}"
            for new, old in columns.items()
        )
        only = f" WHERE {self.condition}" if self.condition else ""
        return f"SELECT {', '.join(chosen)} FROM {self.source}{only}"

    def _number(self, column: str) -> str:
        """Return SQL for a column of numbers, with points for decimal commas."""
        text = self.expressions[column]
        if not self.decimal_comma:
            return text
        with_comma = f"regexp_full_match({text}, {literal(self.decimal_comma)})"
        return f"CASE WHEN {with_comma} THEN replace({text}, ',', '.') ELSE {text} END"


class Tables(NamedTuple):
    """The table of the data, those of the run files by system, and what was done to the files."""

    data: FileTable
    runs: dict[str, FileTable]
    notices: tuple[str, ...]


def open_tables(
    engine: Engine, data: str | Path, runs: Sequence[str | Path], options: TextOptions
) -> Tables:
    """Inspect the files of `data` and `runs`, and start the engine."""
    refuse_twice([data, *runs])
    parts = find_inputs(engine, data)
    systems, notices = find_runs(engine, parts, runs)
    name = parts[0].name if len(parts) == 1 else printable(data)
    tables = [_sniffed(engine, parts, name, options)]
    tables += [_sniffed(engine, [file], file.name, options) for file in systems.values()]
    if options.sheet is not None and not any(table.spreadsheet for table in tables):
        raise InputError(
            f"{quoted([options.sheet])} is the name of a sheet, but no file is a spreadsheet "
            "(.xlsx).",
            parameter="sheet",
        )
    engine.start()
    first, *others = [_with_every_column(engine, table) for table in tables]
    return Tables(first, dict(zip(systems, others, strict=True)), notices)


def table_of_copy(engine: Engine, path: Path, name: str) -> FileTable:
    """Return the table in a csv file that was written into the engine's directory."""
    return _sniffed(engine, [Input(path, name, "")], name, TextOptions(delimiter=","))


def column_named(name: str, columns: Iterable[str]) -> str:
    """Return the column of a name: as it is, else without surrounding spaces, if there is one."""
    known = set(columns)
    return name.strip() if name not in known and name.strip() in known else name


def without_index(
    engine: Engine, tables: Sequence[FileTable], *, used: bool
) -> tuple[list[FileTable], tuple[str, ...]]:
    """Leave out columns without a name that number the rows (as pandas writes them) or are empty.

    `used` tells that the column without a name has a role. Any other one is an error.
    """
    found, left_out = list[FileTable](), dict[str, list[str]]()
    for table in tables:
        kinds = {sql: _unnamed_kind(engine, table, sql) for sql in table.unnamed}
        kept = [sql for sql, kind in kinds.items() if not kind or (used and kind == _INDEX)]
        if len(kept) > used:
            raise _no_name(table, kept)
        for kind in {kind for sql, kind in kinds.items() if sql not in kept}:
            left_out.setdefault(kind, []).append(table.name)
        found.append(_with_unnamed(table, kept) if kinds else table)
    notices = (
        f"Left out of {quoted(names)}: a column without a name that {kind}."
        for kind, names in sorted(left_out.items())
    )
    return found, tuple(notices)


def _with_unnamed(table: FileTable, kept: Sequence[str]) -> FileTable:
    """Return a table with one column without a name, or none, in its place."""
    named = [(name, sql) for name, sql in table.expressions.items() if name]
    ordered = sorted([*named, *(("", sql) for sql in kept)], key=lambda pair: int(pair[1][1:]))
    return replace(table, expressions=dict(ordered))


def _unnamed_kind(engine: Engine, table: FileTable, column: str) -> str:
    """Return what a column without a name does if it is no data: number the rows, hold nothing."""
    is_whole = f"regexp_full_match(trim({column}), '\\d{{1,15}}')"
    number = f"CASE WHEN {is_whole} THEN {column}::BIGINT END"
    ((rows, filled, numbers, distinct, low, high),) = engine.query(
        f"SELECT count(*), count(nullif(trim({column}), '')), count(n), count(DISTINCT n), min(n), "
        f"max(n) FROM (SELECT {column}, {number} AS n FROM {table.source})"
    )
    if not filled:
        return "holds nothing"
    whole = numbers == rows and low in (0, 1) and distinct == high - low + 1
    # Each of several files may begin anew.
    return _INDEX if column == "c0" and whole and rows <= table.files * distinct else ""


def _no_name(table: FileTable, unnamed: Sequence[str]) -> InputError:
    if len(unnamed) > 1:
        return InputError(
            f"{table.name}: {len(unnamed)} columns have no name.",
            hint="Give each a name of its own.",
        )
    place = int(unnamed[0][1:]) + 1
    named = [name for name in table.columns if name]
    return InputError(
        f"{table.name}: column {place} has no name; the others are {quoted(named, 20)}.",
        parameter="pred",
        hint="Give it a name in the first line, or delete it; to use it as it is, name it by empty "
        "quotes, e.g. {pred}.",
        suggest={"pred": [""]},
    )


def _with_every_column(engine: Engine, table: FileTable) -> FileTable:
    """Add the columns that only DuckDB finds: of parquet files, and keys further down in JSON."""
    if table.source.startswith("read_json_objects"):
        return replace(table, expressions=_json_extracts([*table.columns, *_keys(engine, table)]))
    return table if table.expressions else _with_parquet_columns(engine, table)


def _with_parquet_columns(engine: Engine, table: FileTable) -> FileTable:
    """Add the columns of a parquet file by their own names.

    DuckDB renames columns without a name and those that differ from others in case only.
    """
    schema = f"parquet_schema({table.source})"
    rows = engine.query(f"SELECT file_name, name, coalesce(num_children, 0) FROM {schema}")
    names = _outermost([row[1:] for row in rows if row[0] == rows[0][0]])
    if repeated := [name for name, times in Counter(names).items() if times > 1]:
        raise InputError(f"{table.name} has several columns called {quoted(repeated)}.")
    expressions = {name: f"c{i}" for i, name in enumerate(names)}
    # Names of folders such as year=2016 are no columns.
    read = f"read_parquet({table.source}, hive_partitioning = false)"
    source = f"{read} AS parquet({', '.join(expressions.values())})"
    return replace(table, source=source, expressions=expressions)


def _outermost(rows: Sequence[tuple[str, int]]) -> list[str]:
    """Return the columns of a parquet schema, which lists the parts of each after it."""
    found, left = [], 0
    for name, parts in rows[1:]:
        if not left:
            found.append(name)
        left = max(left - 1, 0) + parts
    return found


def _keys(engine: Engine, table: FileTable) -> list[str]:
    """Return the keys of all JSON objects; every line must be one, and no key be repeated."""
    rows = (
        "SELECT json, CASE json_type(json) WHEN 'OBJECT' THEN json_keys(json) END AS keys "
        f"FROM {table.source}"
    )
    fault = "keys IS NULL OR len(keys) > len(list_distinct(keys))"
    found = engine.query(
        f"SELECT key, bool_or(fault) FROM (SELECT unnest(coalesce(keys, [''])) AS key, "
        f"{fault} AS fault FROM ({rows})) GROUP BY key"
    )
    if any(fault for _, fault in found):
        ((line, keys),) = engine.query(
            f"SELECT left(json::VARCHAR, 200), keys FROM ({rows}) WHERE {fault} LIMIT 1"
        )
        raise (
            _not_an_object(table.name, "a line", line)
            if keys is None
            else _repeated_key(table.name, "a line", keys)
        )
    if not any(key for key, _ in found) and not table.columns:
        raise InputError(f"{table.name} has no columns: every line is an object without keys.")
    return sorted(key for key, _ in found)


def _repeated_key(name: str, where: str, keys: Sequence[str]) -> InputError:
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    return InputError(
        f"{name}: {where} names {quoted(repeated)} more than once; every key of an object must be "
        "different."
    )


def _sniffed(engine: Engine, files: Sequence[Input], name: str, options: TextOptions) -> FileTable:
    """Return the table in files of one kind; of parquet only the files, without columns."""
    contents = [_look(engine, file, options) for file in files]
    kinds = {content.kind for content in contents}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {quoted(sorted(kinds))}.")
    if len({content.gzipped for content in contents}) > 1:
        raise InputError(f"{name} matches both gzipped and plain files; use only one kind.")
    readable = [_readable(content, engine) for content in contents]
    allowed = (engine.allow(path, c.name) for path, c in zip(readable, contents, strict=True))
    paths = ", ".join(map(literal, allowed))
    if kinds == {"parquet"}:
        return FileTable(name, f"[{paths}]", {})
    packed = "gzip" if contents[0].gzipped else "uncompressed"
    given = f"[{paths}], compression = {literal(packed)}"
    if kinds == {"json"}:
        return _json_table(name, contents, given)
    return _text_table(name, contents, readable, given, options)


@dataclass(frozen=True)
class _Content:
    """The beginning of a file: its kind, how it is compressed, and its first text.

    `kind` is "parquet", "json", "text", "spreadsheet" or "document" (copies as text with commas);
    `encoding` is None for plain UTF-8, else the name of the codec; `whole` tells whether `head` is
    the whole file; `lines` describes the lines of a text file, `form` is that of a document.
    """

    path: Path
    name: str
    kind: str
    gzipped: bool = False
    encoding: str | None = None
    head: str = ""
    whole: bool = True
    lines: Lines = UNKNOWN_LINES
    form: Form | None = None


def _look(engine: Engine, file: Input, options: TextOptions) -> _Content:
    """Detect the kind of a file from its first bytes and its suffix."""
    path, name = file.path, file.name
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
    if not gzipped and is_spreadsheet(path, start):
        copy = engine.new_path(".csv")
        sheet_as_csv(path, name, options.sheet, copy)
        return replace(
            _as_text(copy, name, _read_head(copy, name, gzipped=False), None, False),
            kind="spreadsheet",
        )
    if options.documents and not gzipped and is_log_archive(path, start):
        return _copied_document(engine, path, name, gzipped=False)
    _refuse_containers(start, path, name, options)
    content = _as_text(path, name, start, options.encoding, gzipped)
    json_name = content.kind == "json"
    known = not json_name and _has_known_ending(path)
    if options.documents and not known and is_document(content.head, named=json_name):
        return _copied_document(engine, path, name, gzipped=gzipped)
    if options.documents:
        refuse_promptfoo_table(content.head, name)
    return content


def _copied_document(engine: Engine, path: Path, name: str, *, gzipped: bool) -> _Content:
    """Return the ratings of a JSON document, from a copy as text with commas."""
    copy = engine.new_path(".csv")
    form = document_as_csv(path, name, copy, gzipped=gzipped)
    content = _as_text(copy, name, _read_head(copy, name, gzipped=False), None, False)
    return replace(content, kind="document", form=form)


def _has_known_ending(path: Path) -> bool:
    return bool({suffix.lower() for suffix in path.suffixes[-2:]} & SUFFIXES - {".gz"})


def _as_text(path: Path, name: str, start: bytes, encoding: str | None, gzipped: bool) -> _Content:
    marked = next((c for mark, c in _BOMS.items() if start.startswith(mark)), None)
    if encoding and marked:
        _refuse_other_encoding(encoding, marked.removesuffix("-sig"), name)
    codec = encoding or marked
    whole = len(start) < _HEAD
    head = _decode(start, codec or "utf-8", name, whole)
    content = _Content(path, name, _text_kind(path, head), gzipped, codec, head, whole)
    if content.kind == "json":
        return content
    if gzipped or codec not in (None, *_READABLE):  # the rest would have to be decoded first
        mixed = has_mixed_ends(line_ends(head.encode()))
        return replace(content, lines=Lines(mixed_ends=mixed))
    return replace(content, lines=survey(path))


def _refuse_other_encoding(encoding: str, marked: str, name: str) -> None:
    """Raise an error if the given encoding is not the one that a byte order mark stands for."""
    with suppress(LookupError):  # an unknown encoding is refused later
        if not codecs.lookup(encoding).name.startswith(marked):
            raise InputError(
                f"{name} begins with a byte order mark of {marked.upper()}, so that it is not "
                f"{encoding} text.",
                parameter="encoding",
                hint="Leave out {encoding}: the mark is recognised.",
                suggest={"encoding": encoding},
            )


def _read_head(path: Path, name: str, *, gzipped: bool) -> bytes:
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            return file.read(_HEAD)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a damaged or truncated gzip file.") from None
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from None


def _refuse_containers(start: bytes, path: Path, name: str, options: TextOptions) -> None:
    if start.startswith(_PARQUET):
        raise InputError(f"{name} is a gzipped parquet file; unpack it first.")
    if ".parquet" in path.name.lower():
        raise InputError(f"{name} is called parquet but is not a parquet file.")
    refuse_other_spreadsheets(start, path, name)
    found = [what for mark, what in _OTHER_CONTAINERS.items() if start.startswith(mark)]
    if not found and b"\0" in start:  # old versions of these files have other beginnings
        found = [what for end, what in _OTHER_SUFFIXES.items() if path.suffix.lower() == end]
    found += [what for what, begin in _MARKUP.items() if begin.match(start)][:1]
    if path.suffix.lower() in (".yaml", ".yml"):
        found = ["a YAML file"]
    if not found and path.suffix.lower() in (".xlsx", ".xlsm"):
        raise InputError(f"{name} is called {path.suffix.lower()} but is not a spreadsheet.")
    if found:
        export = " Export the data as csv." if "file (" in found[0] else ""
        raise InputError(
            f"{name} is {found[0]}; csv, tsv, jsonl (plain or .gz), parquet and xlsx files can be "
            f"read.{export}",
            hint=f"Ratings may be JSON lines, e.g. {EXAMPLE}." if options.documents else "",
        )


def _decode(start: bytes, codec: str, name: str, whole: bool) -> str:
    try:
        "a".encode(codec)  # raises LookupError for codecs that are not of text: rot13, hex, zip
        text = codecs.getincrementaldecoder(codec)().decode(start, final=whole)
    except (LookupError, ValueError) as problem:
        if isinstance(problem, UnicodeError):
            if codec == "utf-8" and b"\0" in start:
                raise _binary(name) from None
            raise _undecodable(name, codec, problem) from None
        raise InputError(
            f"There is no encoding {abbreviate(codec)}; try utf-8, utf-16, latin-1.",
            parameter="encoding",
        ) from None
    if "\0" in text:
        raise _binary(name)
    if not text.strip():
        raise InputError(f"{name} is empty: it holds only blank lines.")
    return text


def _binary(name: str) -> InputError:
    return InputError(
        f"{name} holds null characters: it is binary, or UTF-16 without a byte order mark."
    )


def _undecodable(name: str, codec: str, problem: UnicodeError) -> InputError:
    at = f" (byte {problem.start})" if isinstance(problem, UnicodeDecodeError) else ""
    return wrong_encoding(f"{name} is not {'UTF-8' if codec == 'utf-8' else codec} text{at}.")


def _text_kind(path: Path, head: str) -> str:
    endings = {suffix.lower() for suffix in path.suffixes[-2:]}
    if endings & {".jsonl", ".ndjson", ".json"}:
        return "json"
    return (
        "json"
        if not _has_known_ending(path) and head.lstrip("\ufeff \r\n\t").startswith("{")
        else "text"
    )


def _readable(content: _Content, engine: Engine) -> Path:
    """Return the path of the file in UTF-8 with one kind of line end: its own, or a copy's."""
    codec, kind = content.encoding or "utf-8", content.kind
    readable = ("utf-8",) if kind == "json" else _READABLE
    mixed = kind == "text" and content.lines.mixed_ends
    if kind in _COPIES or (codec in readable and not mixed):
        return content.path
    copy = engine.new_path(".txt.gz" if content.gzipped else ".txt")
    opened = gzip.open if content.gzipped else open
    try:
        with (
            opened(content.path, "rt", encoding=codec, newline=None if mixed else "") as source,
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
    return FileTable(name, source, _json_extracts(keys))


def _json_extracts(keys: Iterable[str]) -> dict[str, str]:
    """Return the SQL of the value of each key."""
    pointers = {key: literal("/" + key.replace("~", "~0").replace("/", "~1")) for key in keys}
    return {key: f"json_extract_string(json, {to})" for key, to in pointers.items()}


def _json_keys(content: _Content, name: str) -> Iterator[str]:
    lines = content.head.lstrip("\ufeff").split("\n")
    if not content.whole and len(lines) > 1:
        lines.pop()  # it may have been cut
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield from _json_record(line, number, name)


def _json_record(line: str, number: int, name: str) -> dict[str, object]:
    where, record, outermost = f"line {number}", None, list[tuple[str, object]]()

    def keep(pairs: list[tuple[str, object]]) -> dict[str, object]:
        outermost[:] = pairs  # the last ones are those of the whole line
        return dict(pairs)

    try:
        record = json.loads(line, object_pairs_hook=keep)
    except RecursionError:
        raise InputError(f"{name}: {where} has too many brackets within brackets.") from None
    except ValueError:
        pass
    if number == 1 and line.lstrip().startswith("["):
        raise InputError(
            f"{name} is a JSON array; one object per line is expected.",
            hint="Write it as JSON lines, e.g. with jq -c '.[]', or in pandas with "
            "to_json(orient='records', lines=True).",
        )
    if not isinstance(record, dict):
        raise _not_an_object(name, where, line)
    if len(record) < len(outermost):
        raise _repeated_key(name, where, [key for key, _ in outermost])
    if "\\ud" in line.lower() and _LONE_SURROGATE.search(repr(record)):
        raise InputError(f"{name}: {where} holds half of a surrogate pair, which is no character.")
    return record


def _not_an_object(name: str, where: str, line: str) -> InputError:
    return InputError(
        f"{name}: {where} is not a JSON object ({line[:60]!r}); one object per line is expected."
    )


def _text_table(
    name: str,
    contents: Sequence[_Content],
    readable: Sequence[Path],
    files: str,
    options: TextOptions,
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
    names = [f"c{i}" for i in range(len(dialect.columns))]
    expressions = dict(zip(dialect.columns, names, strict=True))
    pairs = zip(contents, readable, strict=True)
    plain = [_has_plain_lines(content, path, dialect) for content, path in pairs]
    return FileTable(
        name,
        f"read_csv({files}, {dialect.sql(names, parallel=all(plain))})",
        expressions,
        numbered=not options.header,
        decimal_comma=dialect.decimal_comma,
        spreadsheet=contents[0].kind == "spreadsheet",
        square=dialect.square,
        unnamed=tuple(f"c{i}" for i, column in enumerate(dialect.columns) if not column),
        files=len(contents),
        form=contents[0].form,
    )


def _has_plain_lines(content: _Content, path: Path, dialect: "_Dialect") -> bool:
    """Whether every line is a row, and not too long a one; no quote may be left open."""
    same = path == content.path
    if content.lines.quotes or not same:
        found = quoting(path, dialect.delimiter, gzipped=content.gzipped)
        if found.inside:
            raise wrong_quotes(
                f"{content.name}: line {found.opened} has a quote that is not closed."
            )
        return same and not found.spans and not content.lines.long
    return not content.lines.long


@dataclass(frozen=True)
class _Dialect:
    """The dialect of a delimited text file."""

    delimiter: str
    header: bool
    columns: tuple[str, ...]
    skipped_lines: int
    square: bool = False

    @classmethod
    def of(cls, content: _Content, name: str, options: TextOptions) -> "_Dialect":
        """Find the delimiter (given, named in the file, by its suffix, or guessed) and columns."""
        text = content.head.removeprefix("\ufeff")
        before = text[: len(text) - len(text.lstrip("\r\n"))]
        lines, text = len(before.splitlines()), text[len(before) :]
        if named := _SEPARATOR_LINE.match(text):
            lines, text = lines + 1, text[named.end() :]
        delimiter = "," if content.kind in _COPIES else options.delimiter
        delimiter = _delimiter(delimiter) if delimiter else named[1] if named else None
        suffixes = {suffix.lower() for suffix in content.path.suffixes[-2:]}
        if not delimiter and suffixes & {".tsv", ".tab"}:
            delimiter = "\t"
        if options.header:
            _refuse_title(text, [delimiter] if delimiter else _DELIMITERS, name)
        delimiter = delimiter or _likeliest(text, name)
        record = _records(text, delimiter, name, 1)[0]
        if options.header and len(record) == 1 and not (options.delimiter or named):
            _refuse_spaces(text, record[0], name)
        columns = _column_names(record) if options.header else _numbers_of(record)
        _check_columns(columns, name)
        rows = _records(text, delimiter, name, len(columns))[1:]
        several = options.header and len(columns) > 2
        square = several and [row[0].strip() for row in rows] == columns[1:]
        return cls(delimiter, options.header, tuple(columns), lines, square)

    @property
    def decimal_comma(self) -> str:
        """A pattern for numbers with a decimal comma, if there can be any."""
        special = {",": "", ";": _COMMA_BESIDE_SEMICOLONS}
        return special.get(self.delimiter, _DECIMAL_COMMA)

    def sql(self, names: Iterable[str], *, parallel: bool) -> str:
        """Return the arguments of `read_csv`, which then detects nothing itself."""
        columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
        return (
            f"auto_detect = false, columns = {{{columns}}}, header = {self.header}, "
            f"skip = {self.skipped_lines}, delim = {literal(self.delimiter)}, "
            "quote = '\"', escape = '\"', comment = '', "
            f"strict_mode = true, max_line_size = {LONGEST_LINE}, parallel = {parallel}"
        )


def _refuse_title(text: str, delimiters: Iterable[str], name: str) -> None:
    """Raise an error for a first line with one field above lines with several."""
    for delimiter in delimiters:
        first, *rest = _records(text, delimiter, name)
        title = [field for field in first if field.strip()]
        widths = {len(record) for record in rest}
        # A column of ids may have no name; other delimiters make a header, not a title.
        alone = len(first) > 2 or (len(first) == 1 and not set(first[0]) & set(_DELIMITERS))
        if len(title) == 1 and alone and len(rest) > 1 and len(widths) == 1 and min(widths) > 1:
            raise InputError(
                f"{name}: the first line holds one field, {abbreviate(title[0])}, and the next "
                f"line {min(widths)}: {quoted(rest[0], 5)}.",
                hint="If it is a title above the names of the columns, delete that line.",
            )


def _refuse_spaces(text: str, line: str, name: str) -> None:
    """Raise an error for one column that spaces divide alike in all rows, as R writes them."""
    first, *rest = ([field for field in row if field] for row in _records(text, " ", name))
    widths = {len(record) for record in rest}
    if len(first) < 2 or widths not in ({len(first)}, {len(first) + 1}):
        return
    raise InputError(
        f"{name}: the first line holds one column, {abbreviate(line)}; it looks separated by "
        "spaces.",
        parameter="delimiter",
        hint="Pass {delimiter}."
        if widths == {len(first)}
        else "Write it as csv without names of rows, in R: write.csv(…, row.names = FALSE).",
        suggest={"delimiter": "space"},
    )


def _column_names(record: Sequence[str]) -> list[str]:
    """Return the names of columns without surrounding spaces, unless these tell them apart."""
    stripped = [name.strip() for name in record]
    names = [name for name in stripped if name]
    return stripped if len(set(names)) == len(names) else list(record)


def _numbers_of(record: Sequence[str]) -> list[str]:
    return [str(i) for i in range(1, len(record) + 1)]


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


def _check_columns(columns: Sequence[str], name: str) -> None:
    repeated = [c for c in dict.fromkeys(columns) if c and columns.count(c) > 1]
    if repeated:
        raise InputError(
            f"{name}: the first line names {quoted(repeated)} more than once; column names must "
            "differ.",
            parameter="header",
            hint="If the file has no header, pass {header}.",
            suggest={"header": False},
        )
