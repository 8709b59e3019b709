"""Writing files so that nothing is ever half-written."""

import os
import tempfile
from pathlib import Path

from .errors import InputError


def write_text(path: str | Path, text: str) -> None:
    """Write a whole file or nothing: to a temporary file beside it, then renamed."""
    target = Path(path)
    if target.is_dir():
        raise InputError(f"{target} is a directory; give the name of a file to write.")
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:32]}.")
    except OSError as problem:
        raise InputError(f"{target} cannot be written: {problem.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _mode(target: Path) -> int:
    """The mode that a plainly created file would have, or that the old file had."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
