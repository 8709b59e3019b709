"""Run a command: exit codes, messages instead of tracebacks, streams that never break."""

import codecs
import os
import shlex
import sys
from collections.abc import Sequence
from errno import EIO, ENOSPC
from typing import TextIO

from ..errors import InputError
from .wording import as_options, harmless

DEBUG = "ORDEVAL_DEBUG"
_PLAIN = str.maketrans("↑↓─–−…∞κατρβ·×≤≥±²ᵘᴹᴾᴺ₀₁₂₍₎′✓✗", "^v---.8katrb.x<>~2uMPN012()'+-")


def run(args: Sequence[str]) -> int:
    """Run the command line with these arguments; gives the exit code."""
    _forgive(sys.stdout)
    _forgive(sys.stderr)
    try:
        code = _execute(args)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say("Interrupted.")
        return 130
    except BrokenPipeError:
        _discard_output()
        return 141
    except Exception as problem:  # noqa: BLE001
        return _explain(problem, args)
    return code


def _execute(args: Sequence[str]) -> int:
    if args[:1] == ["measures"] and len(args) <= 2 and not "".join(args).count("-"):
        from .measures import Which, measures  # what people look up most, without any delay
        from .options import Output

        measures(Which(*args[1:]), Output())
        return 0
    from .app import build, needed
    from .output import COMMAND

    COMMAND.set(shlex.join(["ordeval", *args]))
    app = build(needed(args))
    code = app(args=list(args) or ["--help"], prog_name="ordeval", standalone_mode=False)
    return code if isinstance(code, int) else 0


def _explain(problem: Exception, args: Sequence[str]) -> int:
    """Say what is wrong in words; the exit code tells bad input (2) from the unexpected (1)."""
    if os.environ.get(DEBUG):
        raise problem
    if isinstance(problem, InputError):
        _say(f"Error: {as_options(str(problem))}")
        return 2
    if hasattr(problem, "format_message"):  # usage errors, whichever library typer brings them from
        _say(f"Error: {problem.format_message()}")
        _say(f"Try `{_command_of(args)} --help`.")
        return 2
    if type(problem).__name__ in ("Interrupted", "Abort"):  # Abort is typer's word for it
        _say("Interrupted.")
        return 130
    if isinstance(problem, OSError) and problem.filename is not None:
        _say(f"Error: {problem.filename}: {problem.strerror}.")
        return 1
    if isinstance(problem, OSError) and problem.errno in (ENOSPC, EIO):
        _discard_output()
        _say(f"Error: the output cannot be written: {problem.strerror}.")
        return 1
    _say(
        f"Error: {type(problem).__name__}: {problem}\n"
        f"This is not your mistake but a fault in ordeval. Set {DEBUG}=1 and run it again for "
        "the traceback, and please report it."
    )
    return 1


def _command_of(args: Sequence[str]) -> str:
    from .app import COMMANDS

    return " ".join(["ordeval", *(name for name in args[:1] if name in COMMANDS)])


def _say(message: str) -> None:
    print(harmless(message), file=sys.stderr)


def _forgive(stream: TextIO) -> None:
    """Characters that the terminal does not know become plain ones instead of an error."""
    codecs.register_error("ordeval-plain", _plain)
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="ordeval-plain")


def _plain(problem: UnicodeError) -> tuple[str, int]:
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text = problem.object[problem.start : problem.end].translate(_PLAIN)
    return "".join(c if c.isascii() else "?" for c in text), problem.end


def _discard_output() -> None:
    """Nobody reads the output any more: what is left of it goes nowhere, quietly."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
