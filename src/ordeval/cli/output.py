"""Output on the terminal or in files, and progress bars."""

import json
import sys
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Self, TextIO

from ..atomic import write_text
from ..call import flag
from ..display import show
from ..errors import InputError
from ..report.formats import Detail, leading_notes, written
from ..report.layout import text_width, wrapped
from ..report.present import view_of
from ..report.view import View
from .messages import FLAGS, printable, say
from .options import Output

if TYPE_CHECKING:
    from ..results import Finding

COMMAND: ContextVar[str | None] = ContextVar("command", default=None)  # as it was typed
_WIDEST_LINE = 100  # of paragraphs on a terminal
_PATIENCE = 1.0  # seconds before any progress is shown


def remark(text: str, output: Output) -> None:
    """Print a note that is not part of the answer on stderr."""
    if not output.quiet:
        say(text)


def write(content: str | bytes, output: Output) -> None:
    """Write the answer to the output file, or to the terminal."""
    if output.out is not None:
        write_text(output.out, content)
        remark(f"Wrote {output.out}.", output)
        return
    stream = standard_output()
    if output.format != "text" and hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8")  # redirected output can be read anywhere
    stream.write(str(content))


def standard_output() -> TextIO:
    """Return standard output, which must be open."""
    if sys.stdout is None:
        raise InputError("Standard output is closed; write to a file with --out.")
    return sys.stdout


def write_view(view: View, output: Output, keys: Sequence[str] = ("main",)) -> None:
    """Write sections of a view; text fits the terminal."""
    keys, width = filled(view, keys, output), text_width(terminal=output.out is None)
    if output.format in ("xlsx", "parquet"):
        from ..report import files

        make = files.workbook if output.format == "xlsx" else files.parquet
        return write(make(view, keys), output)
    view.further = view.further if flag("tables") in FLAGS else ()
    detail: Detail = "full" if output.notes else "figures" if output.quiet else "brief"
    return write(written(output.format, view, keys, width, detail, command=True), output)


def filled(view: View, keys: Sequence[str], output: Output) -> list[str]:
    """Return the sections that are not empty; say why others are."""
    empty = [key for key in keys if key != "main" and view.made(key) is None]
    reasons = [view.nothing(key) for key in empty]
    if len(empty) == len(keys):
        raise InputError(" ".join(reasons), parameter="tables")
    for reason in reasons:
        remark(f"Note: {reason}", output)
    return [key for key in keys if key not in empty]


def write_json(data: Any, output: Output) -> None:
    """Write plain data as JSON."""
    write(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n", output)


def write_result(
    found: "Finding", output: Output, keys: Sequence[str] = ("main",), **empty: str
) -> None:
    """Write an answer: all of it as JSON, or sections of it; and its report if one is wanted.

    `empty` says in terms of the command line why a section is empty.
    """
    view = view_of(found)
    view.empty = empty
    if output.format in ("csv", "parquet"):  # the formats without notes
        for notice in view.notes if output.notes else leading_notes(view.notes):
            remark(f"Note: {notice}", output)
    if output.format == "html":
        write_page(found, replace(output, html=output.out))
    elif output.format == "json":
        write(found.to_json(), output)
    elif output.format == "sentence":
        write_summary(found, output)
    else:
        write_view(view, output, keys)
    write_page(found, output)


def write_summary(found: "Finding", output: Output) -> None:
    """Write what an answer says; on a terminal its lines are wrapped."""
    text = printable(show(found, "sentence"))
    if output.out is None and sys.stdout is not None and sys.stdout.isatty():
        width = min(text_width(), _WIDEST_LINE)
        text = "\n".join(part for line in text.split("\n") for part in wrapped(line, width))
    write(text, output)


def write_page(found: "Finding", output: Output) -> None:
    """Write the HTML report, if one is wanted."""
    path = getattr(output, "html", None)
    if path is None:
        return
    found.to_html(path, command=COMMAND.get(), title=output.title)
    remark(f"Wrote {path}: open it in a browser.", output)


class Progress:
    """A bar on stderr, if that is a terminal, for work that takes over a second.

    `stage("Reading")` returns a function that is called as ``progress(done, total)``.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._start = monotonic() if not quiet and sys.stderr.isatty() else inf
        self._bar: Any = None

    def stage(self, description: str) -> Callable[[float, float], None]:
        """Return a function that shows the progress of a stage."""
        return partial(self._update, description)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._start = inf
        if self._bar is not None:
            self._bar.stop()

    def _update(self, description: str, done: float, total: float) -> None:
        if monotonic() - self._start < _PATIENCE:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar

            self._bar = Bar(console=Console(stderr=True), transient=True)
            self._bar.add_task(description)
            self._bar.start()
        self._bar.update(0, description=description, completed=done, total=total)
