"""Reading of JSON files that may be damaged, edited or hostile.

Everything that can be refused without reading the numbers is refused before they are read: what is
not a regular file, what is larger than the limit, compressed or no UTF-8, and what is nested too
deeply. Keys that occur twice, NaN, infinity and endless integers are no JSON that ordeval writes.
Floats that are too large are left to the reader, because a check of each takes as long as reading.
"""

import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError, abbreviate, plural
from .formatting import one_line

MAX_BYTES = 2**30
STORED = '"format": "ordeval-'  # at the beginning of what `to_json` writes
_MOST_LEVELS = 32  # of brackets inside brackets; ordeval writes 9
_MOST_DIGITS = 400  # of an integer: no float has more
# A string that is not closed goes to the end, so that no byte is looked at twice.
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z|\\\Z)', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_COMPRESSED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz"}
_COMPRESSED |= {b"\x28\xb5\x2f\xfd": "zstd"}


def read_json(path: str | Path, max_bytes: int = MAX_BYTES) -> Any:
    """Return the content of a JSON file of at most so many bytes; 1e999 is infinity."""
    content = _content(path, max_bytes)
    for start, name in _COMPRESSED.items():
        if content.startswith(start):
            raise unreadable(path, f"it is compressed ({name})", "Unpack it.")
    return parse_json(content, lambda reason: unreadable(path, reason))


def parse_json(
    content: bytes,
    refused: Callable[[str], InputError],
    *,
    levels: int = _MOST_LEVELS,
    constants: Callable[[str], Any] | None = None,
) -> Any:
    """Return the content of a JSON document with at most so many levels of brackets.

    `refused` returns the error for a reason; `constants` what stands for NaN and infinity, which
    are refused without it.
    """
    if _levels(content) > levels:
        raise refused(f"it has brackets inside brackets on over {levels} levels")
    decoder = json.JSONDecoder(
        object_pairs_hook=_object, parse_int=_integer, parse_constant=constants or _constant
    )
    try:
        return decoder.decode(content.decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise refused(f"byte {problem.start + 1:,} is not UTF-8 text") from None
    except (ValueError, RecursionError) as problem:
        raise refused(f"it is not JSON: {problem}") from None
    except MemoryError:
        raise refused("its content does not fit into memory") from None


def unreadable(path: object, reason: str, hint: str = "") -> InputError:
    """Return the error that a file cannot be read as a result."""
    name = one_line(str(path))
    return InputError(f"{name} cannot be read as a result: {reason}.", parameter="path", hint=hint)


def _content(path: str | Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file; pipes, devices and folders are refused unread."""
    # A pipe without a writer would block as early as it is opened.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(Path(path), flags), "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise unreadable(path, "it is not a regular file")
            content = b"" if state.st_size > max_bytes else file.read(max_bytes + 1)
    except OSError as problem:
        raise unreadable(path, problem.strerror or str(problem)) from None
    except (TypeError, ValueError) as problem:
        raise unreadable(abbreviate(path), str(problem)) from None
    except MemoryError:
        raise unreadable(path, "it does not fit into memory") from None
    if max(len(content), state.st_size) > max_bytes:
        size = plural(max(len(content), state.st_size), "byte")
        raise InputError(
            f"{one_line(str(path))} has {size}, more than the limit of {max_bytes:,}.",
            parameter="max_bytes",
            hint="If you trust the file, pass {max_bytes}.",
            suggest={"max_bytes": 2 * state.st_size},
        )
    return content


def _levels(content: bytes) -> int:
    """Return how many brackets are open at once, at most."""
    brackets = _STRINGS.sub(b"", content).translate(None, _NO_BRACKETS)
    kinds = np.frombuffer(brackets, dtype=np.uint8)
    opening = (kinds == ord("[")) | (kinds == ord("{"))
    levels = np.cumsum(np.where(opening, 1, -1), dtype=np.int32)
    return int(levels.max(initial=0))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {abbreviate(twice)} occurs twice")
    return unique


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"an integer has {len(digits):,} digits")
    return int(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")
