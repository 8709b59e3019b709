"""The commands by name, each loaded when it is needed, and the layout of their help."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache, wraps
from importlib import import_module
from typing import Annotated, Any, get_type_hints, is_typeddict

import typer
from typer.core import TyperCommand, TyperGroup

from ..errors import did_you_mean
from ..report.layout import command_lines, text_width, wrapped
from .options import declared_fields

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
_LONGEST_VALUE = 60  # characters of a value in a message
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
    app.command(name, cls=_Command)(flatten(function))
    command: Any = typer.main.get_command(app)
    command.adding = _adding(function)
    return command


def _groups(function: Callable[..., None]) -> dict[str, Any]:
    """Return the groups of options that a command takes, by parameter."""
    return {k: v for k, v in get_type_hints(function).items() if k != "return"}


def _adding(function: Callable[..., None]) -> frozenset[str]:
    """Return the options of a command whose values add up if they are repeated."""
    every = (item for group in _groups(function).values() for item in _fields(group).items())
    return frozenset(name for name, field in every if field.metadata.get("adds"))


def _fields(group: Any) -> dict[str, Any]:
    """Return the fields of a group: a dataclass, or options that the library declares."""
    if is_typeddict(group):
        return declared_fields(group)
    return {field.name: field for field in fields(group)}


def flatten(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function of all fields of the option groups that `function` takes, for typer."""
    groups = _groups(function)
    every = [item for group in groups.values() for item in _fields(group).items()]
    parameters = [_parameter(name, field) for name, field in every]

    @wraps(function)
    def flat(**given: Any) -> None:
        function(**{name: _filled(group, given) for name, group in groups.items()})

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    return flat


def _filled(group: Any, given: dict[str, Any]) -> Any:
    """Return a group with the given values; lists become tuples."""
    values = {name: given[name] for name in _fields(group) if given[name] is not None}
    return group(**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})


def _parameter(name: str, field: Any) -> inspect.Parameter:
    """Return a field as a parameter; typer takes no default for a list."""
    required, several = field.default is MISSING, field.default == ()
    annotation, kind, names, facts = field.metadata["typer"]
    declared: Any = (annotation, getattr(typer, kind)(*names, **facts))
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if required else None if several else field.default,
        annotation=Annotated[declared],
    )


class _Command(TyperCommand):
    """A command whose help lists its options in groups, with the same layout on all terminals.

    Options that are repeated add up if they are lists (`adding`), and are refused if not: of other
    commands people know both that the first one counts and that the last one does.
    """

    adding: frozenset[str] = frozenset()

    def make_parser(self, ctx: Any) -> Any:
        """Return a parser that sees every value of an option."""
        parser: Any = super().make_parser(ctx)
        stored = {o.dest: o for o in parser._long_opt.values() if o.action == "store"}
        for option in stored.values():
            option.action = "append"
        parse = parser.parse_args

        def parse_args(args: list[str]) -> Any:
            given, rest, order = parse(args)
            for name in stored.keys() & given.keys():
                given[name] = self._joined(ctx, name, given[name])
            return given, rest, order

        parser.parse_args = parse_args
        return parser

    def _joined(self, ctx: Any, name: str, values: list[str]) -> str:
        """Return the values of an option as one."""
        if len(values) > 1 and name not in self.adding and not ctx.resilient_parsing:
            option = next(p.opts[0] for p in self.get_params(ctx) if p.name == name)
            times = "twice" if len(values) == 2 else f"{len(values)} times"
            shown = ", ".join(f"{value[:_LONGEST_VALUE]!r}" for value in values[:3])
            ctx.fail(f"{option} is given {times} ({shown}), and takes one value.")
        return values[0] if len(values) == 1 else ",".join(map(str, values))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments, then the options."""
        found = [str(p.metavar) for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return [*found, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section per group; the options that typer adds come last."""
        _write_groups(self.get_params(ctx), formatter)

    def get_help(self, ctx: Any) -> str:
        """Return the help; examples that are wider than it are continued in the next line."""
        return _folded(super().get_help(ctx), ctx)


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

    def get_help(self, ctx: Any) -> str:
        """Return the help in lines that fit."""
        return _folded(super().get_help(ctx), ctx)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first line of their help, then the options."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        _write_groups(self.get_params(ctx), formatter)


def _folded(text: str, ctx: Any) -> str:
    """Return lines that fit the width of the help, which leaves examples as they are."""
    width = ctx.terminal_width or min(WIDTH, text_width())
    lines: list[str] = []
    for line in text.splitlines():
        fits, example = len(line) <= width, line.strip().startswith("ordeval ")
        indent = line[: len(line) - len(line.lstrip())]
        fold = command_lines if example else _indented
        lines += [line] if fits else fold(line.strip(), width, indent)
    return "\n".join(lines)


def _indented(text: str, width: int, indent: str) -> list[str]:
    return wrapped(indent + text, width, f"{indent}  ")


def _write_groups(parameters: list[Any], formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in parameters:
        argument = parameter.param_type_name == "argument"
        default = "Arguments" if argument else "Other options"
        panel = getattr(parameter, "rich_help_panel", None) or default
        groups.setdefault(panel, []).append((_names(parameter), _explained(parameter)))
    for title, rows in sorted(groups.items(), key=lambda group: group[0] == "Other options"):
        with formatter.section(title):
            formatter.write_dl(rows)


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar}"


def _explained(parameter: Any) -> str:
    """Return the help of a parameter with its default."""
    text, default = parameter.help or "", parameter.default
    if parameter.required or default in (None, ()) or isinstance(default, bool):
        return text
    return f"{text} [default: {','.join(default) if isinstance(default, tuple) else default}]"
