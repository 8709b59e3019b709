"""Write files completely or not at all."""

import os
from typing import TYPE_CHECKING

from .errors import InputError
from .types import FilePath

if TYPE_CHECKING:
    from pathlib import Path


def write_text(path: FilePath, content: str | bytes) -> None:
    """Write a file completely or not at all.

    The content goes to a temporary file in the same directory, which is then renamed. A target that
    is not a regular file, such as a pipe, is written directly. Surrogates from undecodable file
    names are written as their \\u escapes, which JSON reads back.
    """
    from pathlib import Path  # on first use: it takes a tenth of the time of `import ordeval`

    target = Path(path)
    if target.is_dir():
        raise InputError(
            f"{target} is a directory; the name of a file is expected.", parameter="path"
        )
    data = content
    if isinstance(data, str):
        data = data.encode("utf-8", errors="backslashreplace")
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)
        else:
            _replace(target, data)
    except OSError as problem:
        raise InputError(
            f"{target} cannot be written: {problem.strerror}.", parameter="path"
        ) from None


def _replace(target: "Path", data: bytes) -> None:
    temporary = target.with_name(f".{target.name[:32]}.{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb") as out:
            out.write(data)
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
