"""The help pages as docs/cli.md: `python -m ordeval.cli.docs [FILE]` writes it."""

import sys
from collections.abc import Sequence

from ..files import write_text
from .app import COMMANDS, build
from .help import WIDTH

_PAGE = "docs/cli.md"
_TOP = """# Command line

Made from the help pages by `python -m ordeval.cli.docs`.

Exit codes: 0 fine, 1 unexpected, 2 bad input or usage, 130 interrupted, 141 nobody reads on.
`ORDEVAL_DEBUG=1` shows the traceback of an unexpected error.
"""


def page() -> str:
    """Every help page, in Markdown."""
    parts = [_TOP, _section([])]
    parts += [_section([name]) for name in COMMANDS]
    return "\n".join(parts)


def _section(words: Sequence[str]) -> str:
    from typer.testing import CliRunner

    shown = CliRunner().invoke(
        build(COMMANDS), [*words, "--help"], prog_name="ordeval", terminal_width=WIDTH
    )
    text = "\n".join(line.rstrip() for line in shown.stdout.splitlines())
    return f"## {' '.join(['ordeval', *words])}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    write_text(sys.argv[1] if len(sys.argv) > 1 else _PAGE, page())
