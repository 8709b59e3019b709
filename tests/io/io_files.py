"""Count files in one call, for tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordeval import Counts, JointCounts
from ordeval.io import open_files


@dataclass(frozen=True)
class Counted:
    counts: Counts
    joint: JointCounts
    notices: tuple[str, ...]
    systems: tuple[str, ...]


def counted(data: str | Path, runs: Sequence[str | Path] = (), **options: Any) -> Counted:
    with open_files(data, runs, **options) as items:
        counts = items.counts()
        return Counted(counts, items.joint(), tuple(map(str, items.notices)), counts.systems)
