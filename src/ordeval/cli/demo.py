"""`ordeval demo`: the main job on built-in data."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..atomic import write_text
from ..errors import InputError
from .options import Output, Report
from .output import remark, write_page, write_result
from .progress import Progress

if TYPE_CHECKING:
    from ..results import Result

REPORT = "ordeval-demo.html"
_FOLDER = "ordeval-demo"
_MARK = b'<meta name="generator" content="ordeval'  # in the head of every report


@dataclass(frozen=True)
class Keep:
    """What the demonstration leaves behind."""

    data: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Write the data as files into a directory, to try the other commands on.",
            show_default=False,
        ),
    ] = None
    no_report: Annotated[
        bool,
        typer.Option("--no-report", help=f"Write no report; without this it goes into {REPORT}."),
    ] = False


def demo(keep: Keep, output: Report) -> None:
    """Show the main job on built-in data: six simulated raters and a baseline that never varies.

    Prints the leaderboard with intervals and significance, writes a report, and says what to
    type next. It asks for nothing and needs no files.

    \b
    Examples:
      ordeval demo
      ordeval demo --data ordeval-demo
      ordeval demo --no-report --format markdown
    """
    from ..demo_data import LABELS, demo_data
    from ..evaluation import compare
    from ..report.result_tables import requested_tables

    if keep.data is not None:
        _write_data(Path(keep.data), output)
    data = demo_data()
    with Progress(quiet=output.quiet) as progress:
        result = compare(
            data.gold, data.systems, labels=LABELS, topics=data.topics, progress=progress
        )
    write_result(result, requested_tables(result, ["main"]), output)
    if not keep.no_report:
        _write_report(result, output)
    if output.format == "text" and output.out is None and not output.quiet:
        sys.stdout.write(_next(keep.data or _FOLDER, written=keep.data is not None))


def _write_report(result: "Result", output: Report) -> None:
    """The report; a file that was not asked for by name replaces nothing but an older report."""
    if output.html is not None:
        write_page(result, output)
    elif _is_ours(Path(REPORT)):
        try:
            write_page(result, replace(output, html=REPORT))
        except InputError as problem:
            remark(f"No report: {problem} Name another place with --html FILE.", output)
    else:
        remark(
            f"No report: {REPORT} exists and is not a report of ordeval. Name another file with "
            "--html FILE.",
            output,
        )


def _is_ours(path: Path) -> bool:
    """Whether a file may be written: it does not exist, or is a report of ours."""
    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _MARK in file.read(4096)


def _write_data(folder: Path, output: Output) -> None:
    """The data as files; a file with other content is never replaced."""
    from ..demo_data import demo_files

    files = {folder / name: text for name, text in demo_files().items()}
    for path, text in files.items():
        if path.exists() and not (path.is_file() and _content(path) == text):
            raise InputError(f"{path} exists with other content; name another directory.")
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"{path.parent} cannot be made: {problem.strerror}.") from None
        write_text(path, text)
    remark(f"Wrote {len(files)} files into {folder}.\n", output)


def _content(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _next(folder: str, *, written: bool) -> str:
    """Commands to go on with; they can be copied as they stand."""
    import shlex

    from ..demo_data import LABELS

    scale = f"--topic topic --labels {','.join(LABELS)}"
    place = Path(folder)
    gold, runs = shlex.quote(str(place / "gold.csv")), f"{shlex.quote(str(place / 'runs'))}/*.csv"
    table = shlex.quote(str(place / "all.csv"))
    first = [] if written else [f"  ordeval demo --data {shlex.quote(folder)}"]
    lines = [
        "",
        "hasty is right most often (Acc), but when it errs it errs far: measures that know the "
        "order rank it lower.",
        "",
        "What to type next:",
        *first,
        f"  ordeval compare {gold} {runs} {scale} --html report.html",
        f"  ordeval score {table} {scale} --pred careful,hasty",
        f"  ordeval meta {table} {scale}",
        "  ordeval measures cem",
        "  ordeval compare --help",
    ]
    return "\n".join(lines) + "\n"
