"""Count files in one call, for tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ordeval as oe
from ordeval import Counts


@dataclass(frozen=True)
class Counted:
    counts: Counts
    notices: tuple[str, ...]
    systems: tuple[str, ...]


def counted(data: str | Path, runs: Sequence[str | Path] = (), **options: Any) -> Counted:
    items = oe.read(data, *runs, **options)
    counts = items.counts()
    return Counted(counts, tuple(map(str, items.notices)), counts.systems)
