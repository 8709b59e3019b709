"""Run a command: exit codes, messages instead of tracebacks, output that cannot fail."""

import codecs
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from functools import partial
from io import TextIOWrapper
from types import FrameType
from typing import Any

from .._version import __version__
from ..errors import OrdevalError, nearest

DEBUG = "ORDEVAL_DEBUG"
_COMPLETION = "_ORDEVAL_COMPLETE"  # set by the shell that asks for completions
_CANNOT_BE_WRITTEN = (ENOSPC, EDQUOT, EFBIG, EIO)
_PLAIN = str.maketrans("↑↓─–−…∞κατρβ·×≤≥±²ᵘᴹᴾᴺ₀₁₂₍₎′✓✗†", "^v---.8katrb.x<>~2uMPN012()'+-*")


_received: list[int] = []  # signals; libraries may turn the exception of one into another


class _Signalled(KeyboardInterrupt):
    """A signal came.

    Where code is executed from a text, as by dataclasses, Python remembers a KeyboardInterrupt
    proper, and `python -m ordeval` would end by SIGINT, whatever its exit code.
    """


def _interrupt(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    raise _Signalled


def _send_again(usual: Callable[[Any], Any], lost: Any) -> None:
    """Send a signal again that met code whose exceptions Python ignores, as of weak references."""
    if isinstance(lost.exc_value, _Signalled):
        threading.Timer(0.01, signal.raise_signal, _received[-1:]).start()
    else:
        usual(lost)


@contextmanager
def _ending_tidily() -> Iterator[None]:
    """Let signals that end a process raise an exception, so that temporary files are removed."""
    _received.clear()
    before, hook = {}, sys.unraisablehook
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        usual = (signal.SIG_DFL, signal.default_int_handler)
        if number is not None and signal.getsignal(number) in usual:
            with suppress(ValueError):  # not in the main thread
                before[number] = signal.signal(number, _interrupt)
    if before:  # in the main thread
        sys.unraisablehook = partial(_send_again, hook)
    try:
        yield
    finally:  # when all is written, and Python ends, nothing is left to remove
        for number, handler in before.items():
            signal.signal(number, handler)
        if before:
            sys.unraisablehook = hook


def _open_closed_streams() -> None:
    """Open the null device in place of standard streams that are closed.

    Otherwise a file that is opened later gets the number of a closed stream, and what libraries
    print there. Standard output stays None in Python, so that an answer is not lost in silence.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def run(args: Sequence[str]) -> int:
    """Run the command line with these arguments; return the exit code."""
    try:
        with _ending_tidily():
            return _run(args)
    except KeyboardInterrupt:
        return _interrupted(_received[0] if _received else signal.SIGINT)


def _run(args: Sequence[str]) -> int:
    _open_closed_streams()
    codecs.register_error("ordeval-plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="ordeval-plain")
    try:
        code = _execute(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        return 141
    except Exception as problem:
        if _received:
            raise _Signalled from None
        if os.environ.get(DEBUG):
            raise
        return _report(problem, args)
    return code


def _interrupted(number: int) -> int:
    if number == signal.SIGINT:
        with suppress(OSError):  # `say` loads what may have been interrupted
            print("Interrupted.", file=sys.stderr, flush=True)
    return 128 + number


def _execute(args: Sequence[str]) -> int:
    if args[:1] == ["--version"]:
        print(f"ordeval {__version__}")
        return 0
    if args[:1] == ["measures"] and not "".join(args).count("-"):
        # The most common question is answered without parsing options, which takes time to load.
        from .measures import measure_or_family, measures
        from .options import Given

        measures(Given(chosen=[measure_or_family(word) for word in args[1:]]))
        return 0
    import click

    from .app import application
    from .output import COMMAND

    COMMAND.set(shlex.join(["ordeval", *args]))
    command = application()
    if _COMPLETION in os.environ:
        command(prog_name="ordeval")
    try:
        with command.make_context("ordeval", list(args) or ["--help"]) as context:
            command.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    return 0


def _report(problem: Exception, args: Sequence[str]) -> int:
    """Explain a problem on stderr; return 2 for bad input and 1 for unexpected errors."""
    from .messages import explain, say  # they load NumPy, and signals are to be ready before

    if isinstance(problem, OrdevalError):
        say(f"Error: {explain(problem)}")
        return 2
    if hasattr(problem, "format_message"):  # usage errors of click, which may not be loaded
        context = getattr(problem, "ctx", None)
        command = context.command_path if context else shlex.join(["ordeval", *args[:1]])
        say(f"Error: {_usage_problem(problem)}\nTry `{command} --help`.")
        return 2
    if isinstance(problem, OSError) and problem.filename is not None:
        say(f"Error: {problem.filename}: {problem.strerror}.")
    elif isinstance(problem, OSError) and problem.errno in _CANNOT_BE_WRITTEN:
        _discard_output()
        say(f"Error: the output cannot be written: {problem.strerror}.")
    else:
        say(
            f"Error: {type(problem).__name__}: {problem}\n"
            f"This is a fault in ordeval, not in your input. Set {DEBUG}=1 and run the command "
            "again for the traceback, and please report it."
        )
    return 1


def _usage_problem(problem: Any) -> str:
    """Return what click says, but for unknown options, which its versions word differently."""
    if not hasattr(problem, "possibilities"):
        return str(problem.format_message())
    from ..call import flag  # errors are rare, and starting is not
    from ..options import SYNONYMS

    name, known = problem.option_name, problem.possibilities or ()
    other = flag(SYNONYMS.get(name.lstrip("-").replace("-", "_"), ""))
    if problem.ctx and any(other in option.opts for option in problem.ctx.command.params):
        return f"There is no option {name}; it is called {other} here."
    if near := nearest(name.lstrip("-"), (option.lstrip("-") for option in known)):
        return f"There is no option {name}. Did you mean {flag(near)}?"
    return f"There is no option {name}{_elsewhere(name, problem.ctx)}."


def _elsewhere(name: str, context: Any) -> str:
    """Name the commands that have an option which this one has not."""
    group = context.parent if context else None
    if group is None:
        return ""
    names = group.command.list_commands(group)
    loaded = {each: group.command.get_command(group, each) for each in names}
    having = [each for each, one in loaded.items() if any(name in o.opts for o in one.params)]
    return (
        f" here; {', '.join(having)} {'has' if len(having) == 1 else 'have'} it" if having else ""
    )


def _plain(problem: UnicodeError) -> tuple[str, int]:
    """Replace characters that the terminal lacks by plain ones: an error handler of codecs."""
    if not isinstance(problem, UnicodeEncodeError):
        raise problem
    text = problem.object[problem.start : problem.end].translate(_PLAIN)
    return "".join(c if c.isascii() else "?" for c in text), problem.end


def _discard_output() -> None:
    """Discard the rest of the output, because nothing reads it any more."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
