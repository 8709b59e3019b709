"""Read, write and compare the frozen figures."""

import gzip
import json
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from math import inf, isclose, nan
from pathlib import Path
from typing import Any

from adapter import Figures

HERE = Path(__file__).parent
FROZEN = HERE / "figures.json.gz"
# Intervals and tests come from seeded draws; everything else is counted or scored.
DRAWN = ("low", "high", "se", "p", "worth", "lambda", "detectable", "effect")
SCORED, COMPUTED = 1e-12, 1e-9


@cache
def read() -> dict[str, Figures]:
    """Return the frozen figures of every case."""
    held = json.loads(gzip.decompress(FROZEN.read_bytes()))
    return {
        case: {
            (table, row, column): value
            for table, rows in tables.items()
            for row, columns in rows.items()
            for column, value in columns.items()
        }
        for case, tables in held.items()
    }


def write(frozen: dict[str, Figures]) -> None:
    """Write the figures of all cases, the same bytes for the same figures."""
    held: dict[str, Any] = {}
    for case, figures in sorted(frozen.items()):
        for (table, row, column), value in sorted(figures.items()):
            rows = held.setdefault(case, {}).setdefault(table, {})
            rows.setdefault(row, {})[column] = value
    text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
    FROZEN.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


@cache
def _listed() -> dict[str, Any]:
    return tomllib.loads((HERE / "permitted.toml").read_text("utf-8"))


def gone() -> list[str]:
    """Return the cases that can no longer be called."""
    return list(_listed()["gone"])


@cache
def permitted() -> list[tuple[str, float]]:
    """Return the patterns of figures that may change, and by how much."""
    listed = _listed()["change"]
    return [
        (pattern, inf if change["tolerance"] == "any" else float(change["tolerance"]))
        for change in listed
        for pattern in change["figures"]
    ]


def differences(case: str, door: str, expected: Figures, actual: Figures) -> Iterator[str]:
    """Say which figures of a call differ from the frozen ones, appeared or are gone."""
    allowed = permitted()
    for key in sorted(expected.keys() | actual.keys()):
        was, now = expected.get(key, nan), actual.get(key, nan)
        tolerance = COMPUTED if set(key[2].split()) & set(DRAWN) else SCORED
        if was == now or isclose(was, now, rel_tol=tolerance, abs_tol=tolerance):
            continue
        figure = "/".join((f"{case}@{door}", *key))
        tolerances = [limit for pattern, limit in allowed if fnmatchcase(figure, pattern)]
        if not any(
            limit == inf or isclose(was, now, rel_tol=limit, abs_tol=limit) for limit in tolerances
        ):
            yield f"{figure}: {was!r} -> {now!r}"
