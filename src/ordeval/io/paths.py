"""Which files are meant, what they are called, and what they are made of."""

import codecs
import glob
import gzip
import stat
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, did_you_mean, quoted

_SUFFIXES = {".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".gz"}
_HEAD = 1 << 20  # bytes looked at to find out what a file is
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


def expand(given: str | Path) -> list[Path]:
    """The files a path or a pattern (`*`, `?`, `[…]`, `**`) stands for, as it was typed."""
    text = printable(given)
    if not text or "\0" in text:
        raise InputError(f"{text!r} is not the name of a file.")
    path = Path(given)
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
        raise InputError(f"{text} is not a plain file; write what it gives to a file first.")
    return [path]


def printable(path: str | Path) -> str:
    """A name for messages, with bytes that are no UTF-8 written out."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _not_found(text: str, path: Path) -> str:
    if glob.has_magic(text):
        return f"No file matches {text}."
    try:
        beside = [printable(path.parent / other.name) for other in path.parent.iterdir()]
    except OSError:
        return f"There is no file {text}: the directory {path.parent} cannot be read."
    return f"There is no file {text[:200]}.{did_you_mean(text, beside)}"


def stem(path: Path) -> str:
    """The name of a file without the endings of data formats."""
    name = printable(path.name)
    while Path(name).suffix.lower() in _SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def system_names(files: Sequence[Path]) -> tuple[str, ...]:
    """A system per file, named after it; with its directory where two have the same name."""
    places = [path.absolute() for path in files]
    repeated = [printable(path) for path in files if places.count(path.absolute()) > 1]
    if repeated:
        raise InputError(f"The run file {repeated[0]!r} is given more than once.")
    names = [stem(path) for path in files]
    if len(set(names)) < len(names):
        names = [
            f"{printable(path.parent.name)}/{name}" if names.count(name) > 1 else name
            for path, name in zip(places, names, strict=True)
        ]
    if len(set(names)) < len(names):
        same = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise InputError(
            f"Several run files would be called {quoted(same)}; rename them, because a system is "
            "named after its file."
        )
    return tuple(names)


@dataclass(frozen=True)
class Content:
    """The beginning of a file: its kind, how it is packed, and its first text.

    `kind` is "parquet", "json" or "text"; `encoding` is None for plain UTF-8, else the name of
    the codec; `whole` says that `head` is all there is.
    """

    path: Path
    kind: str
    gzipped: bool = False
    encoding: str | None = None
    head: str = ""
    whole: bool = True


def look(path: Path, name: str, encoding: str | None = None) -> Content:
    """Find out what a file is from its first bytes and the ending of its name."""
    start = _read(path, name, gzipped=False)
    gzipped = start.startswith(_GZIP)
    if not gzipped and path.suffix.lower() == ".gz" and start:
        raise InputError(f"{name} is called .gz but is not a gzip file.")
    if gzipped:
        start = _read(path, name, gzipped=True)
    if not start:
        raise InputError(f"{name} is empty.")
    if start.startswith(_PARQUET):
        if gzipped:
            raise InputError(f"{name} is a gzipped parquet file; unpack it first.")
        return Content(path, "parquet")
    _refuse_containers(start, path, name)
    codec = encoding or _bom(start)
    whole = len(start) < _HEAD
    head = _decode(start, codec or "utf-8", name, whole)
    return Content(path, _text_kind(path, head), gzipped, codec, head, whole)


def _read(path: Path, name: str, *, gzipped: bool) -> bytes:
    try:
        with gzip.open(path) if gzipped else path.open("rb") as file:
            return file.read(_HEAD)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{name} is a damaged or truncated gzip file.") from None
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from None


def _bom(start: bytes) -> str | None:
    return next((codec for mark, codec in _BOMS.items() if start.startswith(mark)), None)


def _refuse_containers(start: bytes, path: Path, name: str) -> None:
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
        raise InputError(f"There is no encoding {codec!r}; try utf-8, utf-16, latin-1.") from None
    except UnicodeError as problem:
        raise InputError(undecodable(name, codec, problem)) from None
    if "\0" in text:
        raise InputError(f"{name} holds null characters: it is binary, or UTF-16 without a mark.")
    if not text.strip():
        raise InputError(f"{name} is empty: it holds only blank lines.")
    return text


def undecodable(name: str, codec: str, problem: UnicodeError | None = None) -> str:
    """The message for text in another encoding than expected."""
    at = f" (byte {problem.start})" if isinstance(problem, UnicodeDecodeError) else ""
    what = "UTF-8" if codec == "utf-8" else codec
    return f'{name} is not {what} text{at}. Convert it, or name its encoding, e.g. "latin-1".'


def _text_kind(path: Path, head: str) -> str:
    endings = {suffix.lower() for suffix in path.suffixes[-2:]}
    if endings & {".jsonl", ".ndjson", ".json"}:
        return "json"
    known = endings & _SUFFIXES - {".gz"}
    return "json" if not known and head.lstrip("\ufeff \r\n\t").startswith("{") else "text"
