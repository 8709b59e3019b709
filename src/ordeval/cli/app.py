"""The commands by name. Only those that are needed are loaded."""

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from .flatten import flatten
from .help import WIDTH, CommandHelp, GroupHelp

# The module and, in it, the function of each command. A command is imported when it is named, or
# when all are listed.
COMMANDS = {
    "demo": "demo",
    "score": "score",
    "compare": "compare",
    "quantify": "quantify",
    "meta": "meta",
    "axioms": "axioms",
    "measures": "measures",
    "reproduce": "reproduce",
}
_COMPLETION = "_ORDEVAL_COMPLETE"  # set by the shell that asks for completions

ABOUT = """Evaluate ordinal predictions: every measure, with intervals, tests and a report.

\b
Start here:
  ordeval demo                          the main job on built-in data
  ordeval score data.csv                every measure, one table with gold and predictions
  ordeval compare gold.csv a.csv b.csv  a leaderboard of two runs
  ordeval measures qwk                  what a measure is and does

`ordeval COMMAND --help` shows the options of a command, with examples.
"""


def build(names: Iterable[str]) -> typer.Typer:
    """An application with some of the commands."""
    app = typer.Typer(
        help=ABOUT,
        cls=GroupHelp,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_version)
    for name in names:
        module = import_module(f".{COMMANDS[name]}", __package__)
        app.command(name, cls=CommandHelp)(flatten(getattr(module, name)))
    return app


def _version(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Only declares the option, which `main` answers before commands are loaded."""


def needed(args: Sequence[str]) -> list[str]:
    """The commands to load: the one that is named, or all to list, complete or suggest from."""
    named = args[0] if args else ""
    return [named] if named in COMMANDS and _COMPLETION not in os.environ else list(COMMANDS)
