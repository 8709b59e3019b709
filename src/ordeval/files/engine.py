"""An embedded DuckDB that can read the files it was given and nothing else."""

import re
import secrets
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotDone
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ..errors import InputError, plural
from ..types import Progress

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_MEMORY_LIMIT = "768MiB"  # with Python and the libraries, the process stays below 1 GB
_POLL_SECONDS = 0.1
_PATTERN_CHARACTERS = set("*?[")

T = TypeVar("T")


def literal(text: str) -> str:
    """Return text as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


@contextmanager
def temporary_files(what: str, done: str = "copied to the temporary directory") -> Iterator[None]:
    """Explain why something cannot be done in the temporary directory, e.g. that a disk is full."""
    try:
        yield
    except OSError as problem:
        raise InputError(
            f"{what} cannot be {done}: {problem.strerror or problem}.",
            hint="Set the environment variable TMPDIR to a directory with more space.",
        ) from None


class Engine:
    """A DuckDB connection with a private directory, used as a context manager.

    Files are allowed first (`allow` returns the path to use in SQL). `start` then connects and
    locks the connection: no other file, no network, no extension, no change of settings.

    Parameters
    ----------
    memory_limit : str, optional
        What DuckDB may use before it spills to disk, e.g. "2GB"; 768 MiB by default.
    progress : callable, optional
        Called as ``progress(done, total)`` while a query runs, in percent.
    """

    def __init__(self, memory_limit: str | None = None, progress: Progress | None = None) -> None:
        self._memory_limit = memory_limit or _MEMORY_LIMIT
        self._progress = progress
        self._allowed: dict[str, str] = {}  # path in SQL -> name in messages
        self._connection: DuckDBPyConnection | None = None
        self._files = 0  # private files made

    def __enter__(self) -> Self:
        # The end of the process removes what a signal leaves: one may come before the `with` block
        # is entered, or while it is left.
        with temporary_files("The temporary directory", "made"):
            place = Path(tempfile.gettempdir()).absolute()
            self._directory = place / f"ordeval-{secrets.token_hex(8)}"
            remove = weakref.finalize(self, shutil.rmtree, self._directory, ignore_errors=True)
            self._leftover = remove
            self._directory.mkdir(mode=0o700)
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
        self._leftover.detach()

    def new_path(self, suffix: str) -> Path:
        """Return the path of a new private file, which is removed on exit."""
        self._files += 1
        return self._directory / f"{self._files}{suffix}"

    def allow(self, path: Path, name: str) -> str:
        """Allow a file, called `name` in messages; return the path under which DuckDB reads it."""
        usable = str(path.absolute())
        if _PATTERN_CHARACTERS & set(usable) or not _is_utf8(usable):
            usable = str(self._linked(path.absolute()))
        self._allowed[usable] = name
        return usable

    def _linked(self, path: Path) -> Path:
        """Return a link to a file whose name DuckDB would read as a pattern or cannot encode."""
        link = self.new_path(".data")
        try:
            link.symlink_to(path)
        except OSError:  # links are not permitted
            shutil.copyfile(path, link)
        return link

    def start(self) -> None:
        """Connect, and lock the connection."""
        # A signal that meets the loading of DuckDB in the main thread would abort the process.
        self._in_background(self._connect)

    def _connect(self) -> None:
        import duckdb

        connection = duckdb.connect(config={"python_enable_replacements": "false"})
        self._connection = connection
        try:
            connection.execute(f"SET memory_limit = {literal(self._memory_limit)}")
        except (duckdb.Error, RuntimeError):
            raise InputError(
                f"{self._memory_limit!r} is not a size of memory.",
                parameter="memory_limit",
                hint="Write e.g. {memory_limit}.",
                suggest={"memory_limit": "2GB"},
            ) from None
        for setting in (
            f"temp_directory = {literal(str(self._directory / 'spill'))}",
            "autoinstall_known_extensions = false",
            "autoload_known_extensions = false",
            "allow_persistent_secrets = false",
            "enable_progress_bar = false",
            f"allowed_paths = [{', '.join(map(literal, self._allowed))}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"SET {setting}")

    @property
    def _open_connection(self) -> "DuckDBPyConnection":
        if self._connection is None:
            raise RuntimeError("The engine has not been started.")
        return self._connection

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a statement, and return its rows."""
        return self.run(lambda: self._open_connection.execute(sql).fetchall())

    def relation(self, sql: str) -> "DuckDBPyRelation":
        """Return the relation of a query, which is not run yet."""
        return self.run(lambda: self._open_connection.sql(sql))

    def run(self, job: Callable[[], T]) -> T:
        """Run a job that uses the connection; errors of DuckDB become an `InputError`."""
        import duckdb

        try:
            return self._in_background(job)
        except duckdb.Error as problem:
            explained = self._explained(problem)
            explained.named = True
            raise explained from None

    def _in_background(self, job: Callable[[], T]) -> T:
        """Run in a second thread, so that this one can report progress and handle Ctrl-C."""
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(job)
            try:
                while True:
                    with suppress(NotDone):
                        return running.result(timeout=_POLL_SECONDS)
                    if self._progress is not None and self._connection is not None:
                        self._progress(_percent(self._connection.query_progress()), 100)
            except KeyboardInterrupt:
                while not running.done():  # a job that has not begun yet ignores an interrupt
                    if self._connection is not None:
                        self._connection.interrupt()
                    wait([running], timeout=_POLL_SECONDS)
                raise

    def _explained(self, problem: Exception) -> InputError:
        import duckdb

        text = str(problem)
        if isinstance(problem, duckdb.ConnectionException):
            return InputError("The files have been closed; count them while they are open.")
        if isinstance(problem, duckdb.OutOfMemoryException):
            return InputError(
                f"The memory limit of {self._memory_limit} is not enough.",
                parameter="memory_limit",
                hint=f"Raise it, e.g. {{memory_limit}}, or free space in {tempfile.gettempdir()}.",
                suggest={"memory_limit": "4GB"},
            )
        name = next((n for path, n in self._allowed.items() if path in text), "The input")
        reason = f"{name}: {_reason(text)}"
        if "after a closing quote" in reason:
            return wrong_quotes(reason)
        return wrong_encoding(reason) if "UTF-8" in reason else InputError(reason)


def wrong_encoding(message: str) -> InputError:
    """Return an error about text in another encoding than expected."""
    return InputError(
        message,
        parameter="encoding",
        hint="Convert it, or name its encoding, e.g. {encoding}.",
        suggest={"encoding": "latin-1"},
    )


def wrong_quotes(message: str) -> InputError:
    """Return an error about a cell that begins with a quote and does not end with one."""
    return InputError(
        message,
        hint="Where a quote at the beginning of a cell is part of the text, put the cell in quotes "
        "and double those within it.",
    )


def _is_utf8(path: str) -> bool:
    """Whether a path can be written in UTF-8 (file names may be any bytes)."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _percent(reported: float) -> int:
    """Return a whole number from 0 to 100; DuckDB reports -1 while it does not know."""
    return int(max(0.0, min(100.0, reported)))


def _reason(text: str) -> str:
    """Return the reason for an error of DuckDB, with the line if it is known."""
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f"line {line[1]}" if line else "some line"
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if columns:
        original = re.search(r"Original Line: (.*)", text)
        shown = f": {original[1][:80]!r}" if original else ""
        number = plural(int(columns[2]), "column")
        return f"{where} has {number}, {columns[1]} are expected{shown}."
    if broken := re.search(r"Malformed JSON .* in (line|record/value) (\d+): ([^.\n]*)", text):
        what = "line" if broken[1] == "line" else "value"
        return f"{what} {int(broken[2]) - 1} is no JSON ({broken[3]}); objects are expected."
    for sign, reason in _REASONS.items():
        if sign in text.lower():
            return reason.format(where=where)
    first = text.strip().splitlines()[0].partition("Error: ")
    return (first[2] or first[0])[:300]


_REASONS = {
    "unterminated quote": "{where} has a quote that is not closed, or text after a closing quote.",
    "not utf-8 encoded": "{where} is not UTF-8 text.",
    "invalid unicode": "{where} is not UTF-8 text.",
    "invalid utf-8": "it is not UTF-8 text.",
    "maximum line size": "{where} is longer than 2 MB; the file is probably not a table.",
    "state machine reached an invalid state": (
        "it is not a regular csv file: line ends are mixed, or quotes are misplaced."
    ),
    "footer": "it is a damaged parquet file.",
    "magic bytes": "it is a damaged parquet file.",
    "gzip": "it is a damaged or truncated gzip file.",
}
