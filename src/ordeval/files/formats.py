"""What a file is (delimited text, JSON, parquet, xlsx), and the SQL that reads it as a table."""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..archive import STORED
from ..errors import InputError, abbreviate, check_choice, quoted
from ..notes import Notes, note
from .engine import Engine, literal, temporary_files, wrong_encoding
from .exports import export_as_rows, is_export
from .inputs import Input, endings, find_inputs, find_runs, printable, refuse_twice
from .sheets import is_workbook, read_sheet
from .table import Table, json_extracts
from .text import (
    COMMA_NUMBER,
    LONGEST_OBJECT,
    check_json,
    delimiter_named,
    dialect_of,
    opened,
    repeated,
)

_HEAD = 1 << 20  # bytes read to find out what a file is
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16: it begins with the same two bytes
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_OTHERS = {
    _PARQUET: "a gzipped parquet file",
    b"PK\x03\x04": "a zip archive",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ\x00": "compressed with xz",
    b"\x28\xb5\x2f\xfd": "compressed with zstd",
    b"\xd0\xcf\x11\xe0": "an old Excel file (.xls), or protected by a password",
}
_MARKUP = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype|html|\?xml|[a-z][\w.-]*>\s*<)", re.IGNORECASE)
_JSON = {".jsonl", ".ndjson", ".json"}
_OBJECTS = re.compile(r"\[\s*\{")
_NUMBERS = ("weight", "frequency", "rate", "size")  # parameters
_FIRST_OBJECTS = 1000  # whose keys give the order of columns


@dataclass(frozen=True)
class Reading:
    """How files are read; None stands for what is detected.

    `exports` tells whether exports of other tools are read, as tables of ratings.
    """

    header: bool = True
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str = "."
    sheet: str | None = None
    exports: bool = False

    def __post_init__(self) -> None:
        check_choice("decimal", self.decimal, (".", ","))

    @classmethod
    def of(cls, options: Mapping[str, Any], *, exports: bool = False) -> "Reading":
        """Return how files are read by some of the options."""
        names = ("header", "delimiter", "encoding", "decimal", "sheet")
        return cls(**{name: options[name] for name in names if name in options}, exports=exports)

    @contextmanager
    def hints(self, tables: Sequence[Table]) -> Iterator[None]:
        """Add to errors that another way of reading may help."""
        try:
            yield
        except InputError as problem:
            sheets = [table.sheets for table in tables if len(table.sheets) > 1]
            number = problem.parameter in _NUMBERS or COMMA_NUMBER.search(problem.message)
            if number and self.decimal == "." and any(table.commas for table in tables):
                problem.change_hint("If these are decimal commas, pass {decimal}.", decimal=",")
            elif sheets and self.sheet is None:
                first, *others = sheets[0]
                hint = f"Sheet {first!r} was read; others are {quoted(others, 10)}: pass {{sheet}}."
                problem.change_hint(f"{problem.raw_hint} {hint}".strip(), sheet=others[0])
            raise


@dataclass(frozen=True)
class Tables:
    """The table of the data, those of the run files by system, and what was done to the files."""

    data: Table
    runs: dict[str, Table]
    notes: Notes = ()

    @property
    def all(self) -> list[Table]:
        """The data first, then the runs."""
        return [self.data, *self.runs.values()]

    @property
    def columns(self) -> list[str]:
        """The columns of all tables."""
        return [column for table in self.all for column in table.columns]

    def each(self, change: Callable[[Table], Table]) -> "Tables":
        """Return the tables, each of them changed."""
        runs = {name: change(table) for name, table in self.runs.items()}
        return Tables(change(self.data), runs, self.notes)

    def without_unnamed(self, *, used: bool) -> "Tables":
        """Return the tables without columns that have no name, but for the first if it is used."""
        names = [t.name for t in self.all if t.unnamed or ("" in t.columns and not used)]
        if not names:
            return self
        kept = self if used else self.each(lambda table: table.without(""))
        left = note("columns", f"Left out of {quoted(names)}: columns without a name.")
        return replace(kept, notes=(*self.notes, left))


def open_tables(
    engine: Engine, data: str | Path, runs: Sequence[str | Path], reading: Reading
) -> Tables:
    """Inspect the files of `data` and `runs`, and start the engine."""
    refuse_twice([data, *runs])
    parts = find_inputs(engine, data)
    systems, notes = find_runs(engine, parts, runs)
    name = parts[0].name if len(parts) == 1 else printable(data)
    tables = [_table(engine, parts, name, reading)]
    tables += [_table(engine, [file], file.name, reading) for file in systems.values()]
    if reading.sheet is not None and not any(table.sheets for table in tables):
        raise InputError(
            f"{abbreviate(reading.sheet)} names a sheet, but no file is a spreadsheet (.xlsx).",
            parameter="sheet",
        )
    engine.start()
    first, *others = [_with_every_column(engine, table) for table in tables]
    opened = Tables(first, dict(zip(systems, others, strict=True)), notes)
    return opened.each(Table.with_decimal_commas) if reading.decimal == "," else opened


@dataclass(frozen=True)
class _File:
    """A file that DuckDB can read: its kind, its columns, and for text the options to read it.

    `kind` is "parquet", "JSON lines", "a JSON array" or "text".
    """

    path: Path
    name: str
    kind: str
    gzipped: bool = False
    columns: tuple[str, ...] = ()
    options: str = ""
    spans: bool = False
    commas: bool = False
    sheets: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def _table(engine: Engine, inputs: Sequence[Input], name: str, reading: Reading) -> Table:
    """Return the table in files of one kind; of parquet and JSON without columns."""
    files = [_readable(engine, file, reading) for file in inputs]
    first = files[0]
    kinds = {f"{file.kind}{' (gzipped)' * file.gzipped}" for file in files}
    if len(kinds) > 1:
        raise InputError(f"{name} matches files of different kinds: {quoted(sorted(kinds))}.")
    if other := next((file for file in files if file.columns != first.columns), None):
        raise InputError(
            f"{name} matches files with different columns: {quoted(first.columns, 10)}, but "
            f"{quoted(other.columns, 10)} in {other.name}."
        )
    paths = f"[{', '.join(literal(engine.allow(file.path, file.name)) for file in files)}]"
    packed = f"{paths}, compression = {literal('gzip' if first.gzipped else 'uncompressed')}"
    if first.kind == "parquet":
        # Names of folders such as year=2016 are no columns.
        return Table(name, f"read_parquet({paths}, hive_partitioning = false)", {})
    if first.kind != "text":
        form = "array" if first.kind == "a JSON array" else "newline_delimited"
        size = f"maximum_object_size = {LONGEST_OBJECT}"
        return Table(name, f"read_json_objects({packed}, format = '{form}', {size})", {})
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(first.columns)))
    parallel = not any(file.spans for file in files)
    named: dict[str, str] = {}
    for i, column in enumerate(first.columns):  # of several without a name the first is kept
        named.setdefault(column, f"c{i}")
    return Table(
        name,
        f"read_csv({packed}, columns = {{{types}}}, {first.options}, parallel = {parallel})",
        named,
        numbered=not reading.header,
        unnamed=len(named) < len(first.columns),
        commas=first.commas,
        sheets=first.sheets,
        items=first.items,
    )


def _readable(engine: Engine, file: Input, reading: Reading) -> _File:
    """Find out what a file is by its first bytes and its ending; copy what DuckDB cannot read."""
    path, name = file.path, file.name
    start = _head(path, name, gzipped=False)
    gzipped = start.startswith(_GZIP)
    if gzipped:
        start = _head(path, name, gzipped=True)
    elif start and path.suffix.lower() == ".gz":
        raise InputError(f"{name} is called .gz but is not a gzip file.")
    if not start:
        raise InputError(f"{name} is empty.")
    if start.startswith(_PARQUET) and not gzipped:
        return _File(path, name, "parquet")
    if not gzipped and is_workbook(path, start):
        sheets, rows = read_sheet(path, name, reading.sheet)
        return replace(_file_of_rows(engine, name, rows, reading), sheets=sheets)
    _refuse_others(start, path, name)
    codec = next((c for mark, c in _MARKS.items() if start.startswith(mark)), reading.encoding)
    head = _decoded(start, codec or "utf-8", name)
    kind = _kind(path, head)
    if STORED in head[:64]:
        raise InputError(
            f"{name} is a stored result of ordeval; data are expected.",
            hint="Give the data; a stored result is read by oe.load, and as a pilot by `plan`.",
        )
    if reading.exports and kind != "text" and is_export(head):
        items, ratings = export_as_rows(path, name, gzipped=gzipped)
        return replace(_file_of_rows(engine, name, ratings, reading), items=items)
    if codec not in (None, "utf-8", *["utf-8-sig"] * (kind != "JSON lines")):
        path, gzipped = _copied(engine, path, name, codec or "utf-8", gzipped=gzipped), False
    if kind == "text":
        return _text_file(engine, path, name, head, reading, gzipped=gzipped)
    check_json(path, name, gzipped=gzipped, lines=kind == "JSON lines")
    return _File(path, name, kind, gzipped)


def _head(path: Path, name: str, *, gzipped: bool) -> bytes:
    with opened(path, name, gzipped=gzipped) as file:
        return file.read(_HEAD)


def _text_file(
    engine: Engine, path: Path, name: str, head: str, reading: Reading, *, gzipped: bool = False
) -> _File:
    """Return a file of delimited text, with one kind of line ends."""
    delimiter = "\t" if endings(path) & {".tsv", ".tab"} else ""
    if reading.delimiter:
        delimiter = delimiter_named(reading.delimiter)
    dialect = dialect_of(
        path, name, head, delimiter=delimiter, header=reading.header, gzipped=gzipped
    )
    if not dialect.one_end:
        path = _copied(engine, path, name, "utf-8-sig", gzipped=gzipped, ends=None)
        gzipped = False
    return _File(
        *(path, name, "text", gzipped, dialect.columns, dialect.options),
        spans=dialect.spans,
        commas=dialect.commas,
    )


def _file_of_rows(
    engine: Engine, name: str, rows: Iterable[Sequence[str]], reading: Reading
) -> _File:
    """Write rows as text with commas."""
    copy = engine.new_path(".csv")
    with (
        temporary_files(name),
        copy.open("w", encoding="utf-8", errors="replace", newline="") as to,
    ):
        csv.writer(to, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    head = _decoded(_head(copy, name, gzipped=False), "utf-8", name)
    return _text_file(engine, copy, name, head, replace(reading, delimiter=","))


def _copied(
    engine: Engine, path: Path, name: str, codec: str, *, gzipped: bool, ends: str | None = ""
) -> Path:
    """Copy text as UTF-8; `ends` is "" to keep line ends, None to have one kind of them."""
    copy = engine.new_path(".txt")
    try:
        with (
            opened(path, name, gzipped=gzipped) as file,
            copy.open("w", 1 << 20, "utf-8", newline="") as target,
        ):
            text = io.TextIOWrapper(file, encoding=codec, newline=ends)
            while block := text.read(1 << 20):
                with temporary_files(name):
                    target.write(block)
                    target.flush()
    except UnicodeError as problem:
        raise _undecodable(name, codec, problem) from None
    return copy


def _refuse_others(start: bytes, path: Path, name: str) -> None:
    """Raise an error for files that are no table, or not in a known format."""
    kind = next((what for mark, what in _OTHERS.items() if start.startswith(mark)), "")
    kind = "an HTML or XML file" if _MARKUP.match(start) else kind
    ending = next((e for e in (".parquet", ".xlsx", ".xlsm") if e in path.name.lower()), "")
    if ending and not kind:
        raise InputError(f"{name} is called {ending} but is no such file.")
    if kind:
        log = path.suffix.lower() == ".eval"
        raise InputError(
            f"{name} is {kind}; csv, tsv, json, jsonl (plain or .gz), parquet and xlsx are read.",
            hint="Convert it with: inspect log convert --to json --output-dir DIRECTORY FILE."
            if log
            else "Save or export the table as csv.",
        )


def _decoded(start: bytes, codec: str, name: str) -> str:
    """Return the beginning of a text."""
    try:
        "a".encode(codec)  # raises LookupError for codecs that are not of text: rot13, hex, zip
        text = codecs.getincrementaldecoder(codec)().decode(start, final=len(start) < _HEAD)
    except UnicodeError as problem:
        if codec != "utf-8" or b"\0" not in start:
            raise _undecodable(name, codec, problem) from None
        text = "\0"
    except (LookupError, ValueError):
        raise InputError(
            f"There is no encoding {abbreviate(codec)}; try utf-8, utf-16, latin-1.",
            parameter="encoding",
        ) from None
    if "\0" in text:
        raise InputError(
            f"{name} holds null characters: it is binary, or UTF-16 without a byte order mark.",
            hint="Save or export the table as csv.",
        )
    if not text.strip("\ufeff \r\n\t"):
        raise InputError(f"{name} is empty: it holds only blank lines.")
    return text


def _undecodable(name: str, codec: str, problem: UnicodeError) -> InputError:
    at = f" (byte {problem.start})" if isinstance(problem, UnicodeDecodeError) else ""
    return wrong_encoding(f"{name} is not {'UTF-8' if codec == 'utf-8' else codec} text{at}.")


def _kind(path: Path, head: str) -> str:
    """Return the kind of a text by its ending, or without a known one by its beginning."""
    text, known = head.lstrip("\ufeff \r\n\t"), endings(path)
    if not known & _JSON and (known or not (text.startswith("{") or _OBJECTS.match(text))):
        return "text"
    return "a JSON array" if text.startswith("[") else "JSON lines"


def _with_every_column(engine: Engine, table: Table) -> Table:
    """Add the columns that DuckDB finds: those of parquet files, and the keys of JSON objects."""
    if table.source.startswith("read_json"):
        return replace(table, expressions=json_extracts(_keys(engine, table)))
    if not table.source.startswith("read_parquet"):
        return table
    # DuckDB renames columns without a name and those that differ from others in case only.
    files = table.source[len("read_parquet(") : table.source.rindex("], ") + 1]
    rows = engine.query(
        f"SELECT file_name, name, coalesce(num_children, 0) FROM parquet_schema({files})"
    )
    names, left = list[str](), 0
    for file, name, parts in rows[1:]:  # the parts of a column follow it
        if file == rows[0][0]:
            names += [] if left else [name]
            left = max(left - 1, 0) + parts
    if same := repeated(names):
        raise InputError(f"{table.name} has several columns called {quoted(same)}.")
    expressions = {name: f"c{i}" for i, name in enumerate(names)}
    source = f"{table.source} AS parquet({', '.join(expressions.values())})"
    return replace(table, source=source, expressions=expressions)


def _keys(engine: Engine, table: Table) -> list[str]:
    """Return the keys of all JSON objects, in order; none may be repeated in an object."""
    keys = "CASE json_type(json) WHEN 'OBJECT' THEN json_keys(json) END"
    rows = f"SELECT json, {keys} AS keys FROM {table.source}"
    fault = "keys IS NULL OR len(keys) > len(list_distinct(keys))"
    known = engine.query(
        f"SELECT key, bool_or(fault) FROM (SELECT unnest(coalesce(keys, [''])) AS key, "
        f"{fault} AS fault FROM ({rows})) GROUP BY key ORDER BY key"
    )
    if any(fault for _, fault in known):
        ((text, names),) = engine.query(
            f"SELECT left(json::VARCHAR, 60), keys FROM ({rows}) WHERE {fault} LIMIT 1"
        )
        problem = f"JSON objects are expected, but there is {text!r}."
        if names is not None:
            problem = f"an object names {quoted(repeated(names))} more than once."
        raise InputError(f"{table.name}: {problem}")
    if not known:
        raise InputError(f"{table.name} has no columns: there is no JSON object with a key.")
    first = engine.query(f"SELECT {keys} FROM {table.source} LIMIT {_FIRST_OBJECTS}")
    ordered = [key for (names,) in first for key in names]
    return list(dict.fromkeys([*ordered, *(key for key, _ in known)]))
