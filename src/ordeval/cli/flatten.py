"""Commands take groups of options as dataclasses; typer wants one flat list of parameters."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from typing import Any, get_type_hints


class Interrupted(Exception):
    """Somebody pressed Ctrl-C; libraries in between have each their own way with that."""


def flatten(function: Callable[..., None]) -> Callable[..., None]:
    """A function of every field of the option groups that `function` takes, for typer."""
    groups = option_groups(function)
    parameters = [p for group in groups.values() for p in _parameters(group)]

    @wraps(function)
    def flat(**given: Any) -> None:
        filled = {
            name: group(**{f.name: given[f.name] for f in fields(group)})
            for name, group in groups.items()
        }
        try:
            function(**filled)
        except KeyboardInterrupt:
            raise Interrupted from None

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {p.name: p.annotation for p in parameters}
    return flat


def option_groups(function: Callable[..., None]) -> dict[str, Any]:
    """The option groups of a command, by the name of its parameter."""
    hints = get_type_hints(function)
    hints.pop("return", None)
    strange = [name for name, hint in hints.items() if not is_dataclass(hint)]
    if strange:
        raise TypeError(f"{function.__name__} takes {strange}, which are not option groups.")
    return hints


def _parameters(group: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(group)
    ]
