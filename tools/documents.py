"""Generate documents from the code: `python tools/documents.py [--check] [FOLDER]`.

docs/cli.md holds the help pages, docs/measures.md the records of the measures.
"""

import sys
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, get_args

from ordeval.atomic import write_text
from ordeval.cli.app import ALL, COMMANDS, application
from ordeval.measures.registry import Task
from ordeval.measures.spec import Measure
from ordeval.measures.spec import measures as all_measures
from ordeval.meta import axioms_of
from ordeval.report.measure_view import axiom_marks, card, common_symbols

_CLI = """# Command line

Generated from the help pages by `python tools/documents.py`.

Exit codes: 0 fine; 1 a [gate](gate.md) failed, the output could not be written, or an unexpected
error; 2 bad input or usage; 129, 130 and 143 ended by a signal (hang-up, interrupt, terminate); 141
the output pipe was closed. `ORDEVAL_DEBUG=1` shows the traceback of an unexpected error.

`eval "$(_ORDEVAL_COMPLETE=bash_source ordeval)"` in `~/.bashrc` completes commands, options and
values; zsh has `zsh_source`, fish `fish_source`.

Text fits the width of the terminal, or `COLUMNS` if that is set; pipes and files get 80 columns.
Wide tables are turned or split into blocks that repeat the first columns, and long names are
shortened, but no figure is left out; `COLUMNS=1000` gives one line per row.

In text files, a cell that begins with a double quote must end with one, or the file is refused. It
may hold delimiters and line ends, and a double quote within it is doubled. Quotes elsewhere in a
cell are text.
"""
_MEASURES = """# Measures

Generated from the records by `python tools/documents.py`. Ranges are for class values 1..K unless
they say otherwise. Symbols of the formulas, apart from those that a measure defines itself:
"""
_WIDTH = 80  # columns of the help pages, as in most terminals
_AXIOMS = """## Axioms

✓ holds in every case that a search tries: all small ones, then random larger ones; ✗ has a
counter-example, which `ordeval axioms MEASURE` shows.
"""


def page() -> str:
    """Return every help page, in Markdown."""
    return "\n".join([_CLI, *map(_help, (None, *COMMANDS))])


def _help(name: str | None) -> str:
    """Return the help page of a command, or of the whole application."""
    command: Any = application()
    context = command.make_context("ordeval", [], resilient_parsing=True, terminal_width=_WIDTH)
    if name is not None:
        command = command.get_command(context, name)
        context = command.make_context(name, [], resilient_parsing=True, parent=context)
        context.meta[ALL] = True
    lines = command.get_help(context).splitlines()
    return "\n".join([f"## {context.command_path}\n\n```text", *map(str.rstrip, lines), "```\n"])


def measures_page() -> str:
    """Return the card of every measure, in Markdown."""
    tasks = [f"- measures for {task}: {common_symbols(task)}" for task in get_args(Task)]
    parts = [_MEASURES, *tasks, ""]
    for family, group in groupby(_one_of_each(), lambda m: m.record.family):
        parts += [f"## {family.capitalize()}\n", *map(_section, group)]
    return "\n".join([*parts, _axioms()])


def _axioms() -> str:
    """Return the statements of all axioms."""
    parts = [_AXIOMS]
    for task in ("classification", "quantification"):
        rows = [f"- **{a.title}**: {a.statement} ({a.source})" for a in axioms_of(task)]
        parts += [f"### Of measures for {task}\n", *rows, ""]
    return "\n".join(parts)


def _one_of_each() -> list[Measure]:
    """Return every measure once, in its first usual variant."""
    return list({m.id: m for m in reversed(all_measures(None))}.values())[::-1]


def _section(m: Measure) -> str:
    text = m.record.card
    title = f"### {m.id} {m.arrow}\n\n{text.title} ({text.symbol}). {text.description}\n"
    facts = dict(card(m))
    facts["Axioms"] = [f"{mark} {axiom.title}" for mark, axiom in axiom_marks(m)]
    facts["Formula"] = [f"$`{m.formula}`$"]
    rows = [f"- **{heading}**: {'; '.join(lines)}" for heading, lines in facts.items() if lines]
    return "\n".join([title, *rows, ""])


PAGES = {"cli.md": page, "measures.md": measures_page}


def stale(folder: Path) -> list[str]:
    """Return the documents that are missing or differ from what the code generates."""
    files = {folder / name: make() for name, make in PAGES.items()}
    return [
        str(path)
        for path, text in files.items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def main(words: Sequence[str]) -> int:
    """Write the documents, or with --check list those that are stale."""
    folder = Path(next((word for word in words if not word.startswith("-")), "docs"))
    if "--check" in words:
        old = stale(folder)
        print("\n".join(f"{path} is stale: run python tools/documents.py" for path in old))
        return 1 if old else 0
    for name, make in PAGES.items():
        write_text(folder / name, make())
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
