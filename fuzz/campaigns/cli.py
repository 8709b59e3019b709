"""The command line in this process."""

import contextlib
import io
from collections.abc import Sequence

from ordeval.cli.run import run

from ..driver import Broken


def command(args: Sequence[str], allowed: Sequence[int] = (0, 2)) -> tuple[int, str]:
    """Run a command; return its exit code and its output. Anything but an answer is a break."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(args)
    said = err.getvalue()
    if code not in allowed or "Traceback" in said:
        raise Broken(f"exit code {code}: {said[:300]}")
    if code == 2 and not said.startswith("Error: "):
        raise Broken(f"exit code 2 without a message: {said[:300]!r}")
    if len(said) > 2500 or said.count("\n") > 24:
        raise Broken(f"a message of {len(said):,} characters")
    return code, out.getvalue()
