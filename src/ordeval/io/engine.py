"""An embedded DuckDB that can reach the files it was given and nothing else."""

import gzip
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotDone
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..errors import InputError
from .paths import Content, printable, undecodable

Progress = Callable[[int, int], None]  # (done, total)
MEMORY_LIMIT = "1GiB"
_POLL_SECONDS = 0.1
_PATTERN_CHARACTERS = set("*?[")


def literal(text: str) -> str:
    """Text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """A name as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


class Engine:
    """A connection with a private directory, used as a context manager.

    Files are added first (`add` gives the path to use in SQL); `start` then connects and shuts
    the door: no other file, no network, no extension, no change of settings.
    """

    def __init__(self, memory_limit: str | None = None, progress: Progress | None = None) -> None:
        self._memory_limit = memory_limit or MEMORY_LIMIT
        self._progress = progress
        self._allowed: dict[str, str] = {}  # path in SQL -> name in messages
        self._connection: Any = None

    def __enter__(self) -> Self:
        self._directory = Path(tempfile.mkdtemp(prefix="ordeval-"))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            self._connection.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def add(self, content: Content, name: str) -> str:
        """The path under which DuckDB reads this file as UTF-8."""
        path = str(content.path.absolute())
        json_with_bom = content.kind == "json" and content.encoding == "utf-8-sig"
        if json_with_bom or content.encoding not in (None, "utf-8-sig", "utf-8"):
            path = self._as_utf8(content, name)
        elif _PATTERN_CHARACTERS & set(path) or printable(path) != path:
            path = self._linked(content)
        self._allowed[path] = name
        return path

    def _place(self, content: Content) -> Path:
        return self._directory / f"{len(self._allowed)}.data"

    def _linked(self, content: Content) -> str:
        """A link with a harmless name: the file's own is a pattern to DuckDB, or no UTF-8."""
        place = self._place(content)
        try:
            place.symlink_to(content.path.absolute())
        except OSError:  # no right to make links
            shutil.copyfile(content.path, place)
        return str(place)

    def _as_utf8(self, content: Content, name: str) -> str:
        place = self._place(content).with_suffix(".txt.gz" if content.gzipped else ".txt")
        opened = gzip.open if content.gzipped else open
        codec = content.encoding or "utf-8"
        try:
            with (
                opened(content.path, "rt", encoding=codec, newline="") as source,
                opened(place, "wt", encoding="utf-8", newline="") as target,
            ):
                shutil.copyfileobj(source, target, 1 << 20)
        except UnicodeError as problem:
            raise InputError(undecodable(name, codec, problem)) from None
        except (EOFError, zlib.error, OSError) as problem:
            raise InputError(f"{name} cannot be read: {problem}.") from None
        return str(place)

    def start(self) -> None:
        """Connect and lock."""
        import duckdb

        allowed = ", ".join(map(literal, self._allowed))
        spill = self._directory / "spill"
        self._connection = duckdb.connect(config={"python_enable_replacements": "false"})
        try:
            self._connection.execute(f"SET memory_limit = {literal(self._memory_limit)}")
        except duckdb.Error:
            raise InputError(
                f'{self._memory_limit!r} is not a size of memory; write e.g. "2GB".'
            ) from None
        for setting in (
            f"temp_directory = {literal(str(spill))}",
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            "enable_progress_bar = false",
            f"allowed_paths = [{allowed}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._connection.execute(f"SET {setting}")

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run one statement; whatever DuckDB objects to becomes an `InputError`."""
        import duckdb

        try:
            return self._run(sql)
        except duckdb.Error as problem:
            raise InputError(self._explain(problem)) from None

    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run in a second thread, so that this one can report progress and hear Ctrl-C."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(lambda: self._connection.execute(sql).fetchall())
            try:
                while True:
                    with suppress(NotDone):
                        return list(running.result(timeout=_POLL_SECONDS))
                    if self._progress is not None:
                        self._progress(_percent(self._connection.query_progress()), 100)
            except KeyboardInterrupt:
                self._connection.interrupt()
                raise

    def _explain(self, problem: Exception) -> str:
        import duckdb

        text = str(problem)
        if isinstance(problem, duckdb.OutOfMemoryException):
            return (
                f"The memory limit of {self._memory_limit} is not enough for this; raise it, "
                f"or free space in {tempfile.gettempdir()}."
            )
        name = next((n for path, n in self._allowed.items() if path in text), "The input")
        return f"{name}: {_reason(text)}"


def _percent(reported: float) -> int:
    """A whole number from 0 to 100; DuckDB says -1 while it does not know."""
    return int(max(0.0, min(100.0, reported)))


def _reason(text: str) -> str:
    """DuckDB's complaint in our words, with the line where it tells."""
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f"line {line[1]}" if line else "some line"
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        original = re.search(r"Original Line: (.*)", text)
        shown = f": {original[1][:80]!r}" if original else ""
        return f"{where} has {columns[2]} column(s), {columns[1]} are expected{shown}."
    for sign, reason in _REASONS.items():
        if sign.lower() in text.lower():
            return reason.format(where=where)
    first = text.strip().splitlines()[0].partition("Error: ")
    return (first[2] or first[0])[:300]


_NOT_UTF8 = 'is not UTF-8 text. Convert it, or name its encoding, e.g. "latin-1".'
_REASONS = {
    "unterminated quote": "{where} has a quote that is not closed, or text after a closing quote.",
    "not utf-8 encoded": f"{{where}} {_NOT_UTF8}",
    "invalid unicode": f"{{where}} {_NOT_UTF8}",
    "invalid utf-8": f"it {_NOT_UTF8}",
    "maximum line size": "{where} is longer than 2 MB; is this a table?",
    "state machine reached an invalid state": (
        "it is not a regular csv file: line ends are mixed, or quotes stand where they should not."
    ),
    "footer": "it is a damaged parquet file.",
    "magic bytes": "it is a damaged parquet file.",
    "malformed json": "it holds a line that is not JSON; one JSON object per line is expected.",
    "unexpected end of gzip": "it is a damaged or truncated gzip file.",
    "gzip": "it is a damaged or truncated gzip file.",
}
