"""The commands by name, each loaded when it is needed, and the layout of their help."""

import inspect
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any

import click

from ..call import flag
from ..errors import did_you_mean
from .messages import FLAGS
from .options import DECLARED, Command, Given, Option

COMMANDS = {  # with the first line of their help, so that listing them loads none of them
    "demo": "Show the main job on built-in data: six simulated raters and a constant baseline.",
    "score": "Score predictions under every measure, with intervals.",
    "compare": "Compare systems on the same items: leaderboard, intervals, significance, report.",
    "agreement": "Measure how well several raters agree, with intervals.",
    "judge": "Judge models by several people: is a model as good as one more person?",
    "cutpoints": "Choose thresholds on a score that are best for a measure.",
    "plan": "Plan how many items, topics, raters or gold labels a study needs.",
    "quantify": "Compare estimated distributions with gold ones, topic by topic.",
    "advise": "Choose a measure by answering a few questions; your data answer some of them.",
    "meta": "Judge the measures themselves by your systems and topics, and advise which to use.",
    "axioms": "Show which axioms measures satisfy, and counter-examples where they do not.",
    "measures": "List measures or a family, or show some: formula, range, properties, citation.",
}
_MODULES = {  # of commands that share one
    **dict.fromkeys(("score", "compare", "quantify", "agreement", "judge"), "results"),
    **dict.fromkeys(("cutpoints", "plan"), "results"),
    "axioms": "meta",
}
WIDTH = 100
ABOUT = """Evaluate ordinal predictions: every measure, with intervals, tests and a report.

\b
Start here:
  ordeval demo                          the main job on built-in data
  ordeval score data.csv                every measure on gold and predictions
  ordeval compare gold.csv a.csv b.csv  a leaderboard of two runs
  ordeval agreement ratings.csv         how well several raters agree
  ordeval judge ratings.csv --models m  is a model as good as one more person
  ordeval advise                        which measure to use
  ordeval measures qwk                  what a measure is and does

`ordeval COMMAND --help` shows the options of a command, with examples.
"""


Row = tuple[str, str]  # the names of an option, and its help
_HELP = ("-h, --help", "Show this message and exit.")
_VERSION = ("--version", "Show the version and exit.")  # `main` does, before anything is loaded


def application() -> click.Group:
    """Return the application; its commands are loaded on demand."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": WIDTH}
    version = click.Option(["--version"], is_flag=True, expose_value=False)
    return _Commands("ordeval", help=ABOUT, params=[version], context_settings=settings)


@cache
def _load(name: str) -> "_Command":
    """Return a command, which is a function in a module."""
    function = getattr(import_module(f".{_MODULES.get(name, name)}", __package__), name)
    return _Command(name, function, DECLARED[name])


class _Command(click.Command):
    """A command whose help lists its options in groups."""

    def __init__(self, name: str, function: Command, declared: Sequence[Option]) -> None:
        super().__init__(
            name,
            help=inspect.getdoc(function),
            params=[_parameter(option) for option in declared],
            callback=self._run,
        )
        self._function, self._declared = function, declared

    def _run(self, **given: Any) -> None:
        FLAGS.clear()
        FLAGS.update(flag(option.name) for option in self._declared if not option.argument)
        values = {option.name: option.read(given[option.name]) for option in self._declared}
        self._function(Given(**values))

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the arguments, then the options."""
        return [*(str(o.type.metavar) for o in self._declared if o.argument), "[OPTIONS]"]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section per group; those without a group come last."""
        groups: dict[str, list[Row]] = {}
        other: list[Row] = []
        for option in self._declared:
            panel = "Arguments" if option.argument else option.panel
            rows = groups.setdefault(panel, []) if panel else other
            rows.append((option.shown_names, option.help + option.shown_default))
        _write_groups({**groups, "Other options": [*other, _HELP]}, formatter)


class _Text(click.Path):
    """A text that shells complete as the name of a file, which is not looked up here."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the text as it is."""
        return value


def _parameter(option: Option) -> click.Parameter:
    """Return an option to click: a flag, or texts, which are converted when all are known."""
    says_no = " /" if option.default is True else ""  # what follows a slash means False
    names = [option.name, f"{says_no}{flag(option.name)}", option.short]
    if option.type.metavar is None:
        return click.Option(list(filter(None, names)), is_flag=True, default=option.default)
    how: dict[str, Any] = {"metavar": option.type.metavar, "type": _Text()}
    if option.type.choices:
        how["shell_complete"] = option.type.complete
    if not option.argument:
        return click.Option(list(filter(None, names)), multiple=True, **how)
    several = -1 if option.default == () else 1
    return click.Argument([option.name], nargs=several, required=option.required, **how)


class _Commands(click.Group):
    """The group of all commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name in COMMANDS:
            return _load(cmd_name)
        if not ctx.resilient_parsing:
            ctx.fail(f"There is no command {cmd_name!r}.{did_you_mean(cmd_name, COMMANDS)}")
        return None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with the first line of their help, then the options."""
        rows = list(COMMANDS.items())
        _write_groups({"Commands": rows, "Other options": [_VERSION, _HELP]}, formatter)


def _write_groups(groups: dict[str, list[Row]], formatter: click.HelpFormatter) -> None:
    for title, rows in groups.items():
        with formatter.section(title):
            formatter.write_dl(rows)
