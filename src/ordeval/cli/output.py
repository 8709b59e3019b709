"""Results on the terminal or in files."""

import json
import sys
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..atomic import write_text
from ..report.table import Table
from ..report.writers import FORMATS
from .options import Output, Report
from .wording import as_options, harmless

if TYPE_CHECKING:
    from ..results import Result


COMMAND: ContextVar[str | None] = ContextVar("command", default=None)  # as it was typed


def remark(text: str, output: Output) -> None:
    """Tell the person at the terminal something that is no part of the answer."""
    if not output.quiet:
        print(harmless(text), file=sys.stderr)


def write(text: str, output: Output) -> None:
    """The answer, to the file that was named or to the terminal."""
    if output.out is not None:
        write_text(output.out, text)
        remark(f"Wrote {output.out}.", output)
        return
    if output.format != "text" and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")  # files made by redirection can be read anywhere
    sys.stdout.write(text)


def write_tables(tables: Iterable[Table], output: Output) -> None:
    """Tables one after the other in the form asked for."""
    worded = (replace(t, notes=tuple(map(as_options, t.notes))) for t in tables)
    write("\n".join(FORMATS[output.format](table) for table in worded), output)


def write_json(data: Any, output: Output) -> None:
    """Plain data as JSON."""
    write(json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False) + "\n", output)


def write_result(result: "Result", tables: Iterable[Table], output: Output) -> None:
    """A result: all of it as JSON, its tables in the other forms."""
    if output.format == "json":
        write(result.to_json(), output)
        return
    if output.format == "csv":  # the only form whose tables have no notes
        for notice in result.notices:
            remark(f"Note: {as_options(notice)}", output)
    write_tables(tables, output)


def write_page(result: "Result", output: Report) -> None:
    """The HTML report, if one is asked for."""
    if output.html is not None:
        result.to_html(output.html, command=COMMAND.get())
        remark(f"Wrote {output.html}: open it in a browser.", output)
