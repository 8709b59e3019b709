"""`ordeval demo`: the main job on built-in data."""

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from ..atomic import write_text
from ..demo_data import LABELS, demo_data, demo_files
from ..errors import InputError
from ..evaluation import compare
from ..report.layout import command_lines, text_width, wrapped
from ..report.result_words import answer
from ..report.texts import plain
from ..results import Finding
from .messages import explain
from .option_types import FLAG, Type
from .options import Output, Report, option
from .output import Progress, remark, write_page, write_result

REPORT = Path("ordeval-demo.html")
_FOLDER = "ordeval-demo"
_MARK = b'<meta name="generator" content="ordeval'  # in the head of every report
_MORAL = (
    "hasty is right most often (Acc), but when it errs it errs far: measures that know the order "
    "rank it lower."
)


@dataclass(frozen=True)
class Keep:
    """What the demonstration writes."""

    data: str | None = option(
        None,
        Type("DIR"),
        "Write the data as files into a directory, to try the other commands on.",
    )
    no_report: bool = option(
        False, FLAG, f"Write no report; by default it is written to {REPORT}.", "--no-report"
    )


def demo(keep: Keep, output: Report) -> None:
    """Show the main job on built-in data: six simulated raters and a constant baseline.

    Prints the leaderboard with intervals and significance, writes a report, and suggests what to
    type next. It needs no files and no input.

    \b
    Examples:
      ordeval demo
      ordeval demo --data ordeval-demo
      ordeval demo --no-report --format markdown
    """
    output.protect([])
    if keep.data is not None:
        _write_data(Path(keep.data), output)
    data = demo_data()
    with Progress(quiet=output.quiet) as progress:
        result = compare(
            data.gold,
            data.systems,
            labels=LABELS,
            topic=data.topics,
            progress=progress.stage("Resampling"),
        )
    write_result(result, output)
    if not keep.no_report and output.html is None:
        _write_default_report(result, output)
    if output.format == "text" and output.out is None and not output.quiet:
        told = " ".join(map(plain, answer(result)))
        sys.stdout.write(_next(keep.data, told))


def _write_default_report(result: Finding, output: Report) -> None:
    """Write the report under its default name; only an older report is replaced."""
    problem = f"{REPORT} exists and is not a report of ordeval."
    if _is_replaceable(REPORT):
        try:
            return write_page(result, replace(output, html=REPORT))
        except InputError as error:
            problem = explain(error)
    return remark(f"No report: {problem} Name another file with --html FILE.", output)


def _is_replaceable(path: Path) -> bool:
    """Whether a file does not exist, or is a report of ours."""
    if not path.exists():
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _MARK in file.read(4096)


def _write_data(folder: Path, output: Output) -> None:
    """Write the data as files; a file with other content is never replaced."""
    files = {folder / name: text for name, text in demo_files().items()}
    for path, text in files.items():
        if path.exists() and not (path.is_file() and path.read_bytes() == text.encode()):
            raise InputError(f"{path} exists with other content; name another directory.")
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"{path.parent} cannot be made: {problem.strerror}.") from None
        write_text(path, text)
    remark(f"Wrote {len(files)} files into {folder}.\n", output)


def _next(written: str | None, answer: str) -> str:
    """Return what the data show, and commands to continue with, which can be copied."""
    place, width = Path(written or _FOLDER), text_width()
    gold, runs, table = (shlex.quote(str(place / name)) for name in ("gold.csv", "runs", "all.csv"))
    scale = f"--topic topic --labels {','.join(LABELS)}"
    compared = f"ordeval compare {gold} {runs}/*.csv {scale} --html report.html"
    commands = {
        "Write these data as files": "" if written else f"ordeval demo --data {_FOLDER}",
        "The same leaderboard from files": compared,
        "Every measure, with intervals": f"ordeval score {table} {scale} --pred careful,hasty",
        "Which measure to use": f"ordeval advise {table} {scale}",
        "How measures behave on these data": f"ordeval meta {table} {scale}",
        "What a measure is and does": "ordeval measures cem",
    }
    lines = ["", *wrapped(answer, width), "", *wrapped(_MORAL, width), "", "What to type next:"]
    for purpose, command in commands.items():
        lines += [f"  # {purpose}", *command_lines(command, width, "  ")] if command else []
    return "\n".join(lines) + "\n"
