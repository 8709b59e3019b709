"""`ordeval demo`: the main job on built-in data."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path

from ..atomic import write_text
from ..demo_data import LABELS, demo_data, demo_files
from ..errors import InputError
from ..evaluation import compare
from ..report.layout import command_lines, text_width, wrapped
from ..results import Finding
from .messages import explain
from .option_types import Type
from .options import REPORT, Given, Option, Output, command, switch
from .output import Progress, remark, write_page, write_result

REPORT_FILE = Path("ordeval-demo.html")
_FOLDER = "ordeval-demo"
_MARK = b'<meta name="generator" content="ordeval'  # in the head of every report
_MORAL = (
    "hasty is right most often, but its errors are large: measures that know the order of the "
    "classes rank it third or lower."
)


@command(
    Option(
        "data",
        Type("DIR"),
        "Write the data as files into a directory, to try the other commands on.",
    ),
    switch("no_report", f"Write no report; by default it is written to {REPORT_FILE}."),
    REPORT,
)
def demo(given: Given) -> None:
    """Show the main job on built-in data.

    Compares six simulated raters and a constant baseline, writes a report, and suggests what to
    type next. It needs no files and no input.

    \b
    Examples:
      ordeval demo
      ordeval demo --data ordeval-demo
      ordeval demo --no-report --format markdown
    """
    output = given.output
    output.protect([])
    if given.data is not None:
        _write_data(Path(given.data), output)
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
    if not given.no_report and output.html is None and output.format != "html":
        _write_default_report(result, output)
    if output.format == "text" and output.out is None and not output.quiet:
        sys.stdout.write(f"\n{_next(given.data)}")


def _write_default_report(result: Finding, output: Output) -> None:
    """Write the report under its default name; only an older report is replaced."""
    if REPORT_FILE.exists() and not (REPORT_FILE.is_file() and _MARK in _head(REPORT_FILE)):
        problem = f"{REPORT_FILE} exists and is not a report of ordeval."
    else:
        try:
            return write_page(result, replace(output, html=REPORT_FILE))
        except InputError as error:
            problem = explain(error)
    return remark(f"No report: {problem} Name another file with --html FILE.", output)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4096)


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
    remark(f"Wrote {len(files)} files into {folder}.", output)


def _next(written: str | None) -> str:
    """Return what the data show, and commands to continue with, which can be copied."""
    place, width = Path(written or _FOLDER), text_width()
    gold, runs = (shlex.quote(str(place / name)) for name in ("gold.csv", "runs"))
    compared = f"ordeval compare {gold} {runs}/*.csv --topic topic --labels {','.join(LABELS)}"
    commands = [f"ordeval demo --data {_FOLDER}", compared, "ordeval advise"]
    lines = [*wrapped(_MORAL, width), "", "What to type next:"]
    for line in commands[bool(written) :]:
        lines += command_lines(line, width, "  ")
    return "\n".join(lines) + "\n"
