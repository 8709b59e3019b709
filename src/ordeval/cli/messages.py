"""Errors of the library in terms of the command line, and text that is safe to print."""

import shlex
import sys
from contextlib import suppress

from ..call import flag
from ..errors import OrdevalError
from ..formatting import protected
from ..report.layout import text_width, wrapped

FLAGS: set[str] = set()  # the options of the command that runs


def spell(name: str, value: object) -> str:
    """Return a setting as an option, if the command has it: ``--missing skip``."""
    option = flag(name)
    if option not in FLAGS:
        return f"{name}={'…' if value is ... else repr(value)}"
    if value is ... or isinstance(value, bool):  # a flag is suggested only to be given
        return option
    if isinstance(value, dict):
        conditions = (shlex.quote(f"{column}={word}") for column, word in value.items())
        return " ".join(f"{option} {condition}" for condition in conditions)
    words = map(protected, value) if isinstance(value, list | tuple) else [str(value)]
    text = shlex.quote(",".join(words))
    return f"{option} {text}" if text[-1].isalnum() or text[-1] in "'…" else f"{option} '{text}'"


def explain(error: OrdevalError) -> str:
    """Return the message and the hint of an error, after the option that it is about."""
    text, option = error.text_as(spell), flag(error.parameter or "")
    return f"{option}: {text}" if option in FLAGS and option not in text else text


def say(text: str) -> None:
    """Print a message on stderr, if it can be written; lines fit the terminal, if it is one."""
    lines = printable(text).split("\n")
    if sys.stderr.isatty():
        lines = [part for line in lines for part in wrapped(line, text_width())]
    with suppress(OSError):  # a full disk, or a pipe that nothing reads
        print("\n".join(lines), file=sys.stderr, flush=True)


def printable(text: str) -> str:
    """Replace control characters and marks that change the direction of writing."""
    return "".join(c if c.isprintable() or c in "\n\xa0" else "\ufffd" for c in text)
