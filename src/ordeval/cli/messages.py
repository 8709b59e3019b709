"""Errors of the library in terms of the command line, and text that is safe to print."""

import shlex
import sys
from contextlib import suppress

from ..errors import OrdevalError
from ..formatting import protected
from ..options import every_name
from ..report.layout import text_width, wrapped

_OTHERS: tuple[str, ...] = (
    *("gold", "pred", "raters", "people", "models", "measures", "reference", "splits", "alpha"),
    *("mean_splits", "task", "purpose", "order", "far", "chance", "balance", "constant"),
    "each_class",
)
OPTIONS = {  # by the name of the parameter in Python
    **{name: f"--{name.replace('_', '-')}" for name in (*every_name(), *_OTHERS)},
    "ratings": "--raters",
    "p_true": "--gold",
    "y_true": "--gold",
    "y_pred": "--pred",
    "rng": "--seed",
    "header": "--no-header",
    "renormalise": "--no-renormalise",
    "differences": "--pairs",
}


def spell(name: str, value: object) -> str:
    """Return a setting as an option: ``missing='skip'`` becomes ``--missing skip``.

    >>> spell("labels", ["low", "high"])
    '--labels low,high'
    """
    if name not in OPTIONS:
        return f"{name}={value!r}"
    if value is ... or isinstance(value, bool):  # a flag is suggested only to be given
        return OPTIONS[name]
    if isinstance(value, dict):
        conditions = (shlex.quote(f"{column}={word}") for column, word in value.items())
        return " ".join(f"{OPTIONS[name]} {condition}" for condition in conditions)
    given = value if isinstance(value, list | tuple) else None
    words = [str(value)] if given is None else [protected(word) for word in given]
    return f"{OPTIONS[name]} {shlex.quote(','.join(words))}"


def explain(error: OrdevalError) -> str:
    """Return the message and the hint of an error, after the option that it is about."""
    text, option = error.text_as(spell), OPTIONS.get(error.parameter or "", "")
    return text if option in text else f"{option}: {text}"


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
