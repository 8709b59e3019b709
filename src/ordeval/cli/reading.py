"""From options to what the library takes: files, settings, measures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..registry import parse
from . import values
from .options import (
    METHODS,
    OVER,
    TABLES,
    Bootstrap,
    Classes,
    Columns,
    Files,
    Output,
    Reading,
    Resampled,
    Testing,
    Wanted,
)
from .progress import Progress

if TYPE_CHECKING:
    from ..counts import JointCounts
    from ..evaluation import Settings
    from ..io.files import FileCounts, FileSpec


def file_spec(files: Files, columns: Columns, reading: Reading, classes: Classes) -> "FileSpec":
    """Which files hold what."""
    from ..io.files import FileSpec

    return FileSpec(
        files.data,
        tuple(files.runs or ()),
        gold=columns.gold,
        pred=None if columns.pred is None else values.names(columns.pred, "--pred"),
        topic=columns.topic,
        id=columns.id,
        weight=columns.weight,
        header=reading.header,
        delimiter=values.delimiter(reading.delimiter),
        labels=values.labels(classes.labels),
        values=values.numbers(classes.values, "--values"),
        missing=columns.missing,
        encoding=reading.encoding,
        memory_limit=reading.memory_limit,
    )


def count(spec: "FileSpec", progress: Progress, *, joint: bool = False) -> "FileCounts":
    """Count the labels of the files."""
    from ..io.files import count_files

    progress.stage("Reading")
    found = count_files(spec, joint=joint, progress=progress)
    progress.stage("Resampling")
    return found


def joint_counts(spec: "FileSpec", found: "FileCounts", progress: Progress) -> "JointCounts":
    """The joint counts of pairs; read now where they were not counted with the rest."""
    if found.joint is not None:
        return found.joint
    again = count(spec, progress, joint=True)
    if again.joint is None:
        raise RuntimeError("The files were counted without the pairs that were asked for.")
    return again.joint


def settings(
    bootstrap: Bootstrap,
    progress: Progress,
    resampled: Resampled | None = None,
    testing: Testing | None = None,
    tables: Sequence[str] = (),
) -> "Settings":
    """How intervals and tests are made."""
    from ..evaluation import Settings

    over = resampled.over if resampled else None
    found: dict[str, Any] = {
        "ci": values.level(bootstrap.ci, "--ci", "0.95"),
        "bootstrap": values.whole(bootstrap.bootstrap, "--bootstrap"),
        "method": values.one_of(bootstrap.method, METHODS, "--method"),
        "over": None if over is None else values.one_of(over, OVER, "--over"),
        "rng": values.whole(bootstrap.seed, "--seed"),
        "threads": values.whole(bootstrap.threads, "--threads", 1),
        "progress": progress,
        "differences": "pairs" in tables,
        "classical": "classical" in tables,
    }
    if testing is not None:
        found["alpha"] = values.level(testing.alpha, "--alpha", "0.05")
        trials = testing.trials
        found["trials"] = None if trials is None else values.whole(trials, "--trials", 1)
    return Settings(**found)


def tables(testing: Testing, output: Output) -> tuple[str, ...]:
    """The tables that are to be printed."""
    return values.tables(testing.tables, TABLES, pairs=testing.pairs, style=output.format)


def wanted(choice: Wanted) -> dict[str, Any]:
    """The ranking measure and what stands for undefined scores."""
    primary = None if choice.primary is None else parse(choice.primary)
    return {"primary": primary, "undefined": values.undefined(choice.undefined)}


def about(files: Files) -> dict[str, Any]:
    """Where the data came from, for the archive and the report."""
    return {"data": files.data, "runs": list(files.runs or ())}
