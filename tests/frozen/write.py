"""Freeze the figures: `python tests/frozen/write.py`, after a change that was decided on.

With a pattern such as "compare/bins*", cases that match it alone are frozen anew. Nothing is
written unless all doors of a case agree.
"""

import sys
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

from adapter import figures
from calls import cases
from comparing import FROZEN, differences, read, write


def freeze(pattern: str = "*") -> int:
    """Write the figures of the cases that match a pattern; return the number of disagreements."""
    every, wrong, calls = cases(), 0, 0
    frozen = read() if FROZEN.exists() and pattern != "*" else {}
    frozen = {name: held for name, held in frozen.items() if name in every}
    for name, case in every.items():
        if not fnmatchcase(name, pattern):
            continue
        for door in case.doors:
            with TemporaryDirectory() as folder:
                found = figures(case, door, Path(folder))
            calls += 1
            if door == case.doors[0]:
                frozen[name] = found
            for line in differences(name, door, frozen[name], found):
                print(line)
                wrong += 1
    if not wrong:
        write(frozen)
        print(f"{calls} calls, {sum(map(len, frozen.values()))} figures of {len(frozen)} cases")
    return wrong


if __name__ == "__main__":
    sys.exit(min(1, freeze(*sys.argv[1:])))
