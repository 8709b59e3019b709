"""Requests that are too large are refused before the work, with their size and what to do.

Whoever makes large arrays estimates first how many bytes they take, and calls `check_memory`.
Memory is that of the machine, or the limit of the process.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from .errors import InputError, plural

UNLIMITED = "ORDEVAL_UNLIMITED"  # an environment variable; with a value, nothing is refused
_USABLE = 0.8  # of the memory; the rest is for the data and for copies that are not estimated
_CGROUP = Path("/sys/fs/cgroup/memory.max")
_SMALL = 1 << 24  # bytes that every machine has
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def check_memory(
    task: str,
    needed: float,
    size: str,
    *,
    parameter: str,
    hint: str,
    suggest: Mapping[str, object] | None = None,
) -> None:
    """Raise an error if a task would not fit into memory, unless everything is to be begun.

    `needed` are the bytes of all large arrays held together; `size` names the factors, such as
    "1,000 systems × 10,000 topics × 25 cells".
    """
    there = memory()
    if needed > _USABLE * there and not os.environ.get(UNLIMITED):
        raise InputError(
            f"{task} would take {in_bytes(needed)} of memory ({size}); this process may use "
            f"{in_bytes(there)}.",
            parameter=parameter,
            hint=f"{hint} To begin nevertheless, set the environment variable {UNLIMITED}.",
            suggest=suggest,
        )


def check_tables(tables: int, topics: int, k: int, *, axes: int = 2, of: str = "system") -> None:
    """Raise an error if tables of counts (with 3 `axes`, joint ones) would not fit into memory."""
    cells = max(topics, 1) * k**axes
    needed = 8.0 * cells * (2 * tables + 1)  # once more for what is computed from them
    if needed <= _SMALL:
        return
    factors = [plural(tables, of), *([plural(topics, "topic")] if topics > 1 else ())]
    check_memory(
        "Tables of counts",
        needed,
        " × ".join([*factors, f"{k**axes:,} cells"]),
        parameter="topic" if topics > 1 else "labels",
        hint="Evaluate fewer systems or topics at a time, or merge classes.",
    )


def memory() -> int:
    """Return the bytes of memory that this process may use, as far as the system tells."""
    known = [_of_machine()]
    with suppress(ImportError):  # not a POSIX system
        import resource

        # What `ulimit -v` and `ulimit -d` set; without a limit, -1 or a very large number.
        known += [resource.getrlimit(k)[0] for k in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return min(n for n in known if n > 0)


@cache
def _of_machine() -> int:
    """Return the bytes of memory of the machine or container; asked once, since files are read."""
    known = [1 << 62]
    with suppress(AttributeError, ValueError, OSError):  # not a POSIX system
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):  # no container, or one without a limit
        known.append(int(_CGROUP.read_text()))
    return min(n for n in known if n > 0)


def in_bytes(number: float) -> str:
    """Return a number of bytes with a unit.

    >>> in_bytes(800), in_bytes(2_500_000)
    ('800 bytes', '2.5 MB')
    """
    power = 0
    while number >= 999.5 and power < len(_UNITS) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.{1 if power and number < 10 else 0}f} {_UNITS[power]}"
