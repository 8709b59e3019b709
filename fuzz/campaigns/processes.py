"""Signals, full disks and closed streams: no partial file, nothing left, known exit codes."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from ..driver import Broken, Case

_ROWS = 200_000
_SIGNALS = {"SIGTERM": (143, -15), "SIGINT": (130, -2), "SIGHUP": (129, -1)}
_OF_PYTHON = re.compile("Could not import runpy|Fatal Python error: init_|Exception ignored")
_FORMATS = ("json", "csv", "text", "latex")


def draw(rng: random.Random) -> Case:
    """Return a way to disturb a command."""
    kind = rng.choice(("signal", "signal", "signal", "pipe", "full", "limit", "closed"))
    return {
        "kind": kind,
        "signal": rng.choice(sorted(_SIGNALS)),
        "after": round(rng.uniform(0.0, 2.5), 3),  # seconds
        "format": rng.choice(_FORMATS),
        "html": rng.random() < 0.3,
        "stdin": rng.random() < 0.3,
        "limit": rng.choice((0, 1, 8, 64)),  # KiB
        "closed": sorted(rng.sample(range(3), rng.randrange(1, 4))),
        "bad": rng.random() < 0.3,
    }


def check(case: Case) -> str:
    """Disturb a command and look at what is left."""
    if os.name == "nt":
        return "not on Windows"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        rows = "".join(f"i{i},{i % 3 + 1},{i * 7 % 5 % 3 + 1}\n" for i in range(_ROWS))
        (folder / "data.csv").write_text("id,gold,pred\n" + rows, encoding="utf-8")
        code, said = _WAYS[case["kind"]](case, folder)
        _check_remains(folder)
    if "fault in ordeval" in said:
        raise Broken(f"exit code {code}: {said[-300:]}")
    return f"exit code {code}"


def _command(case: Case, folder: Path, *, out: bool = True) -> list[str]:
    data = "nothing.csv" if case["bad"] else "-" if case["stdin"] else "data.csv"
    given = ["score", data, "--pred=pred", "--measures=mae,qwk", f"--format={case['format']}"]
    given += [f"--out={folder / 'answer'}"] if out else []
    return [
        sys.executable,
        "-m",
        "ordeval",
        *given,
        *(["--html=page.html"] if case["html"] else []),
    ]


def _environment(folder: Path) -> dict[str, str]:
    here = Path(__file__).parents[2] / "src"
    path = os.pathsep.join(filter(None, (str(here), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": path}


def _started(case: Case, folder: Path, args: list[str], **streams: Any) -> subprocess.Popen[bytes]:
    with (folder / "data.csv" if case["stdin"] else Path(os.devnull)).open("rb") as source:
        given = {"stdin": source, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        return subprocess.Popen(args, cwd=folder, env=_environment(folder), **given)


def _ended(process: subprocess.Popen[bytes], *codes: int) -> tuple[int, str]:
    """Wait for a process; its exit code must be one of some, and it must not show a traceback."""
    try:
        _, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Broken("still running after two minutes") from None
    said = (err or b"").decode(errors="replace")
    if process.returncode not in codes:
        raise Broken(f"exit code {process.returncode}, not {codes}: {said[-300:]}")
    return process.returncode, said


def _signalled(case: Case, folder: Path) -> tuple[int, str]:
    process = _started(case, folder, _command(case, folder))
    time.sleep(case["after"])
    process.send_signal(getattr(signal, case["signal"]))
    bad = (2,) if case["bad"] else ()
    interrupted = case["signal"] == "SIGINT"
    code, said = _ended(process, 0, *bad, *_SIGNALS[case["signal"]], *((1,) if interrupted else ()))
    # While Python itself starts or ends, an interrupt shows where; in between it must not.
    pythons = interrupted and (code == -2 or _OF_PYTHON.search(said))
    if ("Traceback" in said or code == 1) and not pythons:
        raise Broken(f"exit code {code}: {said[-300:]}")
    return code, said


def _piped(case: Case, folder: Path) -> tuple[int, str]:
    process = _started(
        {**case, "bad": False}, folder, _command({**case, "bad": False}, folder, out=False)
    )
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    return _ended(process, 0, 141)


def _full(case: Case, folder: Path) -> tuple[int, str]:
    if not Path("/dev/full").exists():
        return 0, ""
    with Path("/dev/full").open("wb") as full:
        args = _command(case, folder, out=False)
        return _ended(_started(case, folder, args, stdout=full), 1, 2)


def _limited(case: Case, folder: Path) -> tuple[int, str]:
    """Run with a limit on the size of files, as a full disk would set one."""
    import resource

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (case["limit"] << 10,) * 2)

    args = _command(case, folder)
    return _ended(_started(case, folder, args, preexec_fn=limit), 0, 1, 2)


def _closed(case: Case, folder: Path) -> tuple[int, str]:
    def close() -> None:
        for number in case["closed"]:
            os.close(number)

    args = _command(case, folder, out=False)
    process = _started(case, folder, args, preexec_fn=close)
    wrong = case["bad"] or 1 in case["closed"] or (case["stdin"] and 0 in case["closed"])
    return _ended(process, 2 if wrong else 0)


_WAYS = {
    "signal": _signalled,
    "pipe": _piped,
    "full": _full,
    "limit": _limited,
    "closed": _closed,
}


def _check_remains(folder: Path) -> None:
    """Look for partial output and temporary files."""
    names = {path.name for path in folder.iterdir()}
    if left := names - {"tmp", "data.csv", "answer", "page.html"}:
        raise Broken(f"left in the directory: {sorted(left)}")
    if left := {path.name for path in (folder / "tmp").iterdir()}:
        left = {name for name in left if name.startswith("ordeval")}
        if left:
            raise Broken(f"left in the temporary directory: {sorted(left)}")
    if "answer" in names and not (text := (folder / "answer").read_text(encoding="utf-8")).endswith(
        "\n"
    ):
        raise Broken(f"a partial answer of {len(text)} characters")
    if "page.html" in names and not (folder / "page.html").read_text("utf-8").rstrip().endswith(
        "</html>"
    ):
        raise Broken("a partial page")
    if "answer" in names and (folder / "answer").read_bytes()[:1] == b"{":
        json.loads((folder / "answer").read_bytes())
