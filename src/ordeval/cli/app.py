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
    "demo": "Show the main job on built-in data.",
    "score": "Score predictions under the usual measures, with intervals.",
    "compare": "Compare systems on the same items, with intervals and tests.",
    "agreement": "Measure how well two or more raters agree.",
    "judge": "Judge models by people: is a model as good as one more person?",
    "cutpoints": "Choose thresholds on a score that are best for a measure.",
    "plan": "Plan how many items, topics or raters a study needs.",
    "quantify": "Compare estimated distributions with gold ones.",
    "advise": "Choose a measure by answering a few questions.",
    "meta": "Test the measures themselves on your systems and topics.",
    "axioms": "Show which axioms measures satisfy, with counter-examples.",
    "measures": "List the measures, or explain the ones you name.",
}
_MODULES = {  # of commands that share one
    **dict.fromkeys(("score", "compare", "quantify", "agreement", "judge"), "results"),
    **dict.fromkeys(("cutpoints", "plan"), "results"),
    "axioms": "meta",
}
WIDTH = 100
ABOUT = """Evaluate ordinal predictions, with intervals, tests and a report.

\b
What to type:
  ordeval score data.csv                    score a system against gold labels
  ordeval compare gold.csv a.csv b.csv      find out which system is better
  ordeval agreement ratings.csv             see how well raters agree
  ordeval judge ratings.csv --models gpt    compare an LLM with people
  ordeval quantify gold.csv run.csv         score estimated distributions
  ordeval plan pilot.csv --measure qwk --width 0.1
                                            find out how many items you need

Not sure? `ordeval demo` shows an example, and `ordeval advise` chooses a measure.
`ordeval COMMAND --help` shows the common options of a command, with examples.
"""


Row = tuple[str, str]  # the names of an option, and its help
_HELP = ("-h, --help", "Show this message and exit.")
_HELP_COMMON = ("-h, --help", "Show the common options and exit.")
_HELP_ALL = ("--help-all", "Show all options and exit.")
ALL = "ordeval.help_all"  # in the context of a help page that shows all options
_EXAMPLES, _MOST_EXAMPLES = "\b\nExamples:\n", 3
_BRIEF_PANELS = {"Scale": "Data", "Intervals and tests": "Measures and tests"}
_BRIEF_PANELS |= dict.fromkeys(("Measures", "Goal", "Assumptions"), "Measures and tests")
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
            params=[*map(_parameter, declared), _help_all()],
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

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, with examples; the brief help has the first of them."""
        text = self.help or ""
        if ALL not in ctx.meta:
            head, mark, examples = text.partition(_EXAMPLES)
            paragraphs = head.split("\n\n")[:2]
            text = "\n\n".join([*paragraphs, mark + _first_examples(examples)])
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section per group; those without a group come last."""
        if ALL not in ctx.meta:
            return self._format_common(ctx, formatter)
        groups: dict[str, list[Row]] = {}
        other: list[Row] = []
        for option in self._declared:
            panel = "Arguments" if option.argument else option.panel
            rows = groups.setdefault(panel, []) if panel else other
            rows.append((option.shown_names, option.help + option.shown_default))
        return _write_groups(
            {**groups, "Other options": [*other, _HELP_COMMON, _HELP_ALL]}, formatter
        )

    def _format_common(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that most calls need, each with its first sentence."""
        groups: dict[str, list[Row]] = {}
        for option in self._declared:
            if option.common and not option.argument:
                rows = groups.setdefault(_BRIEF_PANELS.get(option.panel, option.panel), [])
                rows.append(option.brief)
        _write_groups({panel or "Options": rows for panel, rows in groups.items()}, formatter)
        hidden = len(self._declared) - sum(map(len, groups.values()))
        more = f"shows all {len(self._declared)} options" if hidden > 2 else "says more about them"
        formatter.write_paragraph()
        formatter.write_text(f"`{ctx.command_path} --help-all` {more}.")


def _first_examples(examples: str) -> str:
    """Return the first examples, each with its continued lines."""
    lines, kept = examples.splitlines(), list[str]()
    for line in lines:
        if len(kept) >= _MOST_EXAMPLES and not kept[-1].endswith("\\"):
            break
        kept += [line] if line.strip() else []
    return "\n".join(kept)


def _help_all() -> click.Option:
    """Return the option that shows the whole help."""

    def show(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            ctx.meta[ALL] = True
            click.echo(ctx.get_help())
            ctx.exit()

    how: dict[str, Any] = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.Option(["--help-all"], callback=show, **how)


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
