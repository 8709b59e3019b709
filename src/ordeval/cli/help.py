"""Help pages: plain text in groups, the same on every terminal and in docs/cli.md."""

from typing import Any

from typer.core import TyperCommand, TyperGroup

WIDTH = 100


class CommandHelp(TyperCommand):
    """A command whose options are listed in groups."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The arguments, then the options."""
        found = [str(p.metavar) for p in self.get_params(ctx) if p.param_type_name == "argument"]
        return [*found, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """One section per group; the options that typer adds come last."""
        _write_groups(self.get_params(ctx), formatter)


class GroupHelp(TyperGroup):
    """The page of `ordeval --help`: commands in their order, then options."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Commands as they were registered."""
        return list(self.commands)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Commands with the first sentence of their help, then options."""
        rows = [(name, _first_line(command.help)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
        _write_groups(self.get_params(ctx), formatter)


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _write_groups(parameters: list[Any], formatter: Any) -> None:
    groups: dict[str, list[tuple[str, str]]] = {}
    for parameter in parameters:
        argument = parameter.param_type_name == "argument"
        default = "Arguments" if argument else "Other options"
        panel = getattr(parameter, "rich_help_panel", None) or default
        groups.setdefault(panel, []).append((_names(parameter), _explained(parameter)))
    other = groups.pop("Other options", [])
    for title, rows in [*groups.items(), *([("Other options", other)] if other else [])]:
        with formatter.section(title):
            formatter.write_dl(rows)


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar)
    names = ", ".join([*sorted(parameter.opts, key=len), *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar}"


def _explained(parameter: Any) -> str:
    text = parameter.help or ""
    flag = getattr(parameter, "is_flag", False)
    if flag or parameter.default is None or not getattr(parameter, "show_default", False):
        return text
    return f"{text} [default: {parameter.default}]"
