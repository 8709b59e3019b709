"""From options to what the library takes: files, settings, measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..spec import parse_measure
from . import values
from .options import (
    METHODS,
    OVER,
    TABLES,
    Bootstrap,
    Files,
    Output,
    Report,
    Resampled,
    Source,
    Testing,
    Wanted,
)
from .progress import Progress

if TYPE_CHECKING:
    from ..counts import Counts, JointCounts
    from ..evaluation import Settings


@dataclass(frozen=True)
class FileSpec:
    """The arguments of `open_files`."""

    topic: str | None
    arguments: dict[str, Any]


@dataclass(frozen=True)
class FileCounts:
    """Counts of files, with those of the pairs of systems if asked for."""

    counts: "Counts"
    joint: "JointCounts | None"
    notices: tuple[str, ...]


def file_spec(source: Source) -> FileSpec:
    """Which files hold what."""
    arguments = {
        "data": source.data,
        "runs": tuple(source.runs or ()),
        "gold": source.gold,
        "pred": None if source.pred is None else values.names(source.pred, "--pred"),
        "topic": source.topic,
        "id": source.id,
        "weight": source.weight,
        "header": source.header,
        "delimiter": values.delimiter(source.delimiter),
        "labels": values.labels(source.labels),
        "values": values.numbers(source.values, "--values"),
        "missing": source.missing,
        "encoding": source.encoding,
        "memory_limit": source.memory_limit,
    }
    return FileSpec(source.topic, arguments)


def count(spec: FileSpec, progress: Progress, *, joint: bool = False) -> FileCounts:
    """Count the labels of the files."""
    from ..io.files import open_files

    progress.stage("Reading")
    with open_files(**spec.arguments, progress=progress) as items:
        pairs = items.joint() if joint else None  # first: the counts come with it
        found = FileCounts(items.counts(), pairs, items.notices)
    progress.stage("Resampling")
    return found


def joint_counts(spec: FileSpec, found: FileCounts, progress: Progress) -> "JointCounts":
    """The joint counts of pairs; read now where they were not counted with the rest."""
    if found.joint is not None:
        return found.joint
    again = count(spec, progress, joint=True)
    if again.joint is None:
        raise RuntimeError("The files were counted without the pairs that were asked for.")
    return again.joint


@dataclass(frozen=True)
class FileSource:
    """Counted files as a source of counts; pairs are read only if they are needed."""

    spec: FileSpec
    found: FileCounts
    progress: Progress
    about: dict[str, Any]

    @property
    def notices(self) -> tuple[str, ...]:
        """What was done about missing labels."""
        return self.found.notices

    def counts(self) -> "Counts":
        """Return one table per system (and topic)."""
        return self.found.counts

    def joint(self) -> "JointCounts":
        """Return one joint table per pair of systems."""
        return joint_counts(self.spec, self.found, self.progress)


def keep_files(files: Files, output: Report) -> None:
    """Refuse to write an answer over the data, before any work is done."""
    for option, path in (("--out", output.out), ("--html", output.html)):
        values.keep([files.data, *(files.runs or ())], option, path)


def settings(statistics: Bootstrap, progress: Progress, tables: Sequence[str] = ()) -> "Settings":
    """How intervals and tests are made; `tables` are those to be printed."""
    from ..evaluation import Settings

    found: dict[str, Any] = {
        "ci": values.level(statistics.ci, "--ci", "0.95"),
        "bootstrap": values.whole(statistics.bootstrap, "--bootstrap"),
        "method": values.one_of(statistics.method, METHODS, "--method"),
        "rng": values.whole(statistics.seed, "--seed"),
        "threads": values.whole(statistics.threads, "--threads", 1),
        "progress": progress,
        "differences": "pairs" in tables,
        "classical": "classical" in tables,
    }
    if isinstance(statistics, Resampled) and statistics.over is not None:
        found["over"] = values.one_of(statistics.over, OVER, "--over")
    if isinstance(statistics, Testing):
        found["alpha"] = values.level(statistics.alpha, "--alpha", "0.05")
    if isinstance(statistics, Testing) and statistics.trials is not None:
        found["trials"] = values.whole(statistics.trials, "--trials", 1)
    return Settings(**found)


def tables(testing: Testing, output: Output) -> tuple[str, ...]:
    """The tables that are to be printed."""
    return values.tables(testing.tables, TABLES, pairs=testing.pairs, style=output.format)


def wanted(choice: Wanted) -> dict[str, Any]:
    """The ranking measure and what stands for undefined scores."""
    primary = None if choice.primary is None else parse_measure(choice.primary)
    return {"primary": primary, "undefined": values.undefined(choice.undefined)}


def about(files: Files) -> dict[str, Any]:
    """Where the data came from, for the archive and the report."""
    return {"data": files.data, "runs": list(files.runs or ())}
