"""Which files a path, a pattern, a folder or standard input stands for."""

import glob
import re
import select
import stat
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import cast

from ..errors import InputError, did_you_mean, plural, quoted
from ..notes import Notes, note
from .engine import Engine, temporary_files

SUFFIXES = {
    *(".csv", ".tsv", ".tab", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".xlsx"),
    ".gz",
}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")


@dataclass(frozen=True)
class Input:
    """A file to read: its path (perhaps of a copy), its name in messages, and as a system."""

    path: Path
    name: str
    system: str


def printable(path: str | Path) -> str:
    """Return a path for messages, with bytes that are not UTF-8 escaped."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def find_inputs(engine: Engine, source: str | Path) -> list[Input]:
    """Return the files that a path, a pattern (`*`, `?`, `[…]`, `**`) or a folder stands for.

    What can be read only once (standard input, pipes) is copied into the engine's directory.
    """
    text, path = printable(source), Path(source)
    if str(source) in _STANDARD_INPUT:
        return [_copied(engine, _standard_input(), "standard input", "stdin")]
    if not text or "\0" in text:
        raise InputError(f"{text!r} is not the name of a file.")
    try:
        kind = path.stat().st_mode
    except OSError:  # absent, or too long a name, or a pattern
        return [_plain(file) for file in _matching(source)]
    if stat.S_ISDIR(kind):
        return [_plain(file) for file in _in_folder(path)]
    if stat.S_ISFIFO(kind):
        with path.open("rb") as pipe:
            return [_copied(engine, pipe, text, _stem(path))]
    if not stat.S_ISREG(kind):
        raise InputError(f"{text} is not a regular file; write its content to a file first.")
    return [_plain(path)]


def _plain(path: Path) -> Input:
    return Input(path, printable(path), _stem(path))


def _standard_input() -> BufferedReader:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("Standard input is closed; name a file instead of `-`.")
    return cast("BufferedReader", sys.stdin.buffer)


def _copied(engine: Engine, source: BufferedReader, name: str, system: str) -> Input:
    """Copy what can be read only once; its format is found from its content."""
    copy = engine.new_path("")
    with temporary_files(name), copy.open("wb") as target:
        # `read` waits until all bytes are there, and meanwhile does not see a signal that came
        # together with some of them.
        _await(source)
        while chunk := source.read1(1 << 20):
            target.write(chunk)
            _await(source)
    return Input(copy, name, system)


def _await(source: BufferedReader) -> None:
    """Wait for data in short steps, to see a signal that another thread received meanwhile."""
    with suppress(OSError, ValueError, TypeError):  # what is no file of the system does not wait
        while not select.select([source], [], [], 0.2)[0]:
            pass


def _matching(pattern: str | Path) -> list[Path]:
    matches = sorted(map(Path, glob.glob(str(pattern), recursive=True)))
    files = [path for path in matches if path.is_file()]
    if not files and _ADDRESS.match(str(pattern)):
        raise InputError(
            f"{printable(pattern)[:200]} is an address, and only files of this computer are read.",
            hint="Download it first, and name the file.",
        )
    if not files:
        raise InputError(_not_found(printable(pattern), Path(pattern)))
    return files


def _not_found(text: str, path: Path) -> str:
    if glob.has_magic(text):
        return f"No file matches {text}."
    try:
        beside = [printable(other.name) for other in path.parent.iterdir()]
    except OSError:
        return f"There is no file {text}: the directory {path.parent} cannot be read."
    return f"There is no file {text[:200]}.{did_you_mean(printable(path.name), beside)}"


def _in_folder(folder: Path) -> list[Path]:
    """Return the data files of a folder, not of the folders in it, by name."""
    try:
        every = sorted(folder.iterdir())
    except OSError as problem:
        raise InputError(
            f"The folder {printable(folder)} cannot be read: {problem.strerror}."
        ) from None
    files = [path for path in every if is_data_file(path)]
    if not files:
        names = [printable(path.name) for path in every]
        raise InputError(
            f"The folder {printable(folder)} holds no data file (csv, tsv, txt, jsonl, parquet, "
            f"xlsx, also .gz): it {f'holds {quoted(names, 10)}' if names else 'is empty'}."
        )
    return files


def is_data_file(path: Path) -> bool:
    """Whether a file of a folder is taken for data: by its ending, unless it is hidden."""
    name = path.name.lower()
    known = name.removesuffix(".gz").endswith(tuple(SUFFIXES - {".gz"}))
    return known and not name.startswith((".", "~$")) and path.is_file()


def endings(path: Path) -> set[str]:
    """Return the endings of data formats that a file name has, but for .gz."""
    return {suffix.lower() for suffix in path.suffixes[-2:]} & SUFFIXES - {".gz"}


def _stem(path: Path) -> str:
    """Return the name of a file without the endings of data formats."""
    name = printable(path.name)
    while Path(name).suffix.lower() in SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def find_runs(
    engine: Engine, data: Sequence[Input], runs: Sequence[str | Path]
) -> tuple[dict[str, Input], Notes]:
    """Return the run files by the names of their systems, and notices.

    The gold file is left out, because it is easily caught by a pattern for the runs.
    """
    every = [file for run in runs for file in find_inputs(engine, run)]
    gold = {_identity(file.path) for file in data}
    kept = [file for file in every if _identity(file.path) not in gold]
    left_out = [file.name for file in every if file not in kept]
    if every and not kept:
        raise InputError(
            f"No run is left, because {quoted(left_out)} is the file of gold labels itself. Name "
            "the files of predictions, or DATA alone if it holds them, too.",
            parameter="runs",
        )
    notice = note("runs", f"Left out of the runs, because it holds gold: {quoted(left_out)}.")
    names = _system_names(kept)
    return dict(zip(names, kept, strict=True)), (notice,) if left_out else ()


def refuse_twice(sources: Sequence[str | Path]) -> None:
    """Raise an error if standard input is to be read more than once."""
    times = sum(str(path) in _STANDARD_INPUT for path in sources)
    if times > 1:
        raise InputError(
            f"Standard input is named {plural(times, 'time')}, but can be read only once."
        )


def _identity(path: Path) -> tuple[int, int]:
    """Return what two paths of one file share, whatever their spelling, links included."""
    about = path.stat()
    return about.st_dev, about.st_ino


def _system_names(files: Sequence[Input]) -> list[str]:
    """Name a system after each file; with its directory where two files have the same name."""
    places, names = [file.path.absolute() for file in files], [file.system for file in files]
    for file, place in zip(files, places, strict=True):
        if places.count(place) > 1:
            raise InputError(
                f"The run file {file.name!r} is given more than once.", parameter="runs"
            )
    names = [
        f"{printable(place.parent.name)}/{name}" if names.count(name) > 1 else name
        for place, name in zip(places, names, strict=True)
    ]
    if same := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise InputError(
            f"Several run files would be called {quoted(same)}; rename them, because a system is "
            "named after its file.",
            parameter="runs",
        )
    return names
