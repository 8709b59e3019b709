"""The commands by name, each loaded when it is needed, and the layout of their help."""

import inspect
from collections.abc import Callable, Sequence
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

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
    "quantify": "Compare estimated distributions with gold ones, topic by topic.",
    "advise": "Choose a measure by answering a few questions; your data answer some of them.",
    "meta": "Judge the measures themselves by your systems and topics, and advise which to use.",
    "axioms": "Show which axioms measures satisfy, and counter-examples where they do not.",
    "measures": "List measures or a family, or show some: formula, range, properties, citation.",
}
_OF_RESULTS = ("score", "compare", "quantify", "agreement", "judge")  # in one module
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


def application() -> typer.Typer:
    """Return the application; its commands are loaded on demand."""
    app = typer.Typer(
        help=ABOUT,
        cls=_Commands,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_version)
    return app


def _version(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Declare the option, which `main` answers before anything is loaded."""


@cache
def _load(name: str) -> Any:
    """Return a command, which is a function in a module, mostly of the same name."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    module = "results" if name in _OF_RESULTS else name
    function = getattr(import_module(f".{module}", __package__), name)
    app.command(name, cls=_Command)(_flat(function, DECLARED[name]))
    return typer.main.get_command(app)


def _flat(function: Command, declared: Sequence[Option]) -> Callable[..., None]:
    """Return a function of all options of a command, as typer takes them."""

    @wraps(function)
    def flat(**texts: Any) -> None:
        FLAGS.clear()
        FLAGS.update(flag(option.name) for option in declared if not option.argument)
        function(Given(**{option.name: option.read(texts[option.name]) for option in declared}))

    parameters = [_parameter(option) for option in declared]
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    return flat


def _parameter(option: Option) -> inspect.Parameter:
    """Return an option as a parameter: a flag, a text or a list of texts."""
    kind, is_flag = option.type, option.type.metavar is None
    one = option.argument and option.default != ()
    annotation = bool if is_flag else str if one else list[str]
    facts: dict[str, Any] = {"help": option.help, "metavar": kind.metavar}
    facts |= {"autocompletion": kind.complete} if kind.choices else {}
    if option.argument:
        declared = typer.Argument(**facts)
    else:
        facts["help"] += option.shown_default
        declared = typer.Option(..., *option.flags, **facts, rich_help_panel=option.panel or None)
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default if is_flag else inspect.Parameter.empty if option.required else None,
        annotation=Annotated[annotation, declared],
    )


class _Command(TyperCommand):
    """A command whose help lists its options in groups, with the same layout on all terminals."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments, then the options."""
        every = self.get_params(ctx)
        names = [str(p.metavar) for p in every if p.param_type_name == "argument"]
        return [*names, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section per group; the options that typer adds come last."""
        _write_groups(self.get_params(ctx), formatter)


class _Commands(TyperGroup):
    """The group of all commands."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Load a command."""
        if cmd_name in COMMANDS:
            return _load(cmd_name)
        if not ctx.resilient_parsing:
            ctx.fail(f"There is no command {cmd_name!r}.{did_you_mean(cmd_name, COMMANDS)}")
        return None

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first line of their help, then the options."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        _write_groups(self.get_params(ctx), formatter)


def _write_groups(parameters: list[Any], formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in parameters:
        argument = parameter.param_type_name == "argument"
        default = "Arguments" if argument else "Other options"
        panel = getattr(parameter, "rich_help_panel", None) or default
        groups.setdefault(panel, []).append((_names(parameter), parameter.help or ""))
    for title, rows in sorted(groups.items(), key=lambda group: group[0] == "Other options"):
        with formatter.section(title):
            formatter.write_dl(rows)


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar}"
