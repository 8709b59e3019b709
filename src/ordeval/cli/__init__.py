"""The command line: a module per command, listed in `ordeval.cli.app`."""

import sys
from collections.abc import Sequence
from contextlib import suppress

from .._version import __version__


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code: 0 fine, 1 unexpected, 2 bad input or usage."""
    args = list(sys.argv[1:] if argv is None else argv)
    if args[:1] == ["--version"]:  # before anything that takes time is loaded
        with suppress(OSError):  # a full disk: `run` says so
            print(f"ordeval {__version__}", flush=True)
            return 0
    try:
        from .run import run

        return run(args)
    except KeyboardInterrupt:
        return 130
