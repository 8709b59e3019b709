"""Files as sources of counts, by the name under which `ordeval.io` will offer them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..counts import Counts, JointCounts
from ..io.files import FileCounts, FileSpec, count_files


@dataclass
class FileSource:
    """Labels in files, counted when they are needed."""

    spec: FileSpec
    progress: Any

    def counts(self) -> Counts:
        """Return one table per system (and topic)."""
        return self._found.counts

    def joint(self) -> JointCounts:
        """Return one joint table per pair of systems."""
        joint = count_files(self.spec, joint=True, progress=self.progress).joint
        if joint is None:
            raise RuntimeError("The files were counted without the pairs that were asked for.")
        return joint

    @cached_property
    def _found(self) -> FileCounts:
        return count_files(self.spec, progress=self.progress)

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader should know about how the data were read."""
        return self._found.notices

    @property
    def about(self) -> Mapping[str, Any]:
        """Where the data came from."""
        return {"data": str(self.spec.data), "runs": list(map(str, self.spec.runs))}


@contextmanager
def open_files(data: str, runs: Any, *, progress: Any, **how: Any) -> Iterator[FileSource]:
    """Open files of labels."""
    yield FileSource(FileSpec(data, tuple(runs), **how), progress)
