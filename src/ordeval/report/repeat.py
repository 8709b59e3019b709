"""How to repeat a result: the call in Python and the command."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from ..formatting import protected
from ..options import Call


def python(function: str, data: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Return the call that repeats a result, with variables for the data."""
    lines = [*data, *(f"{key}={value!r}" for key, value in settings.items())]
    body = "".join(f"    {line},\n" for line in lines)
    return f'import ordeval as oe\n\noe.{function}(\n{body}).to_html("report.html")'


def command(name: str, data: Sequence[str], settings: Mapping[str, Any]) -> str:
    """Return the command that repeats a result, with placeholders for the files."""
    parts = [f"ordeval {name}", *data]
    for key, value in {**settings, "html": "report.html"}.items():
        text = ",".join(map(protected, value)) if isinstance(value, list) else str(value)
        option = "seed" if key == "rng" else key.replace("_", "-")
        parts.append(f"--{option}={shlex.quote(text)}")
    return " \\\n  ".join(parts)


def named(role: str, value: object) -> str:
    """Return an option with a name or names from data."""
    text = value if isinstance(value, str) else ",".join(map(protected, value))  # type: ignore[call-overload]
    return f"--{role}={shlex.quote(text)}"


def page_calls(call: Call) -> tuple[str, str]:
    """Return the command and the Python that make a page again."""
    command = f"{call.command()} \\\n  --html=report.html"
    return command, f'import ordeval as oe\n\n{call.python()}.to_html("report.html")'
