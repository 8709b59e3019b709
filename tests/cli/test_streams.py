"""Closed and full standard streams, signals, and numbers that nobody means."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import ordeval as oe
from ordeval.cli import main

pytestmark = pytest.mark.skipif(os.name == "nt", reason="streams are another matter on Windows")
ROOT = Path(__file__).resolve().parents[2]
DATA = "gold,pred\n1,1\n2,2\n3,2\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    return tmp_path


def _shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = command.replace("ordeval", f"{sys.executable} -m ordeval", 1)
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        text=True,
        check=False,
    )


def _environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(folder / "tmp")}


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("score a.csv --measures mae 2>&-", 0, "MAE"),
        ("score a.csv --measures mae <&-", 0, "MAE"),
        ("score a.csv --measures mae >&-", 2, "Standard output is closed"),
        ("score a.csv --measures mae <&- >&- 2>&-", 2, ""),
        ("score nothing.csv 2>&-", 2, ""),
        ("score nothing.csv 2>/dev/full", 2, ""),
        ("score --nothing 2>&-", 2, ""),
        ("score a.csv --measures mae --html page.html 2>&-", 0, "MAE"),
        ("--version >/dev/full", 1, "cannot be written: No space left on device."),
        ("measures >/dev/full", 1, "cannot be written: No space left on device."),
        ("score a.csv --encoding rot13", 2, "There is no encoding 'rot13'"),
        ("score a.csv --encoding hex", 2, "There is no encoding 'hex'"),
    ],
)
def test_closed_and_full_streams(folder: Path, command: str, code: int, said: str) -> None:
    done = _shell(f"ordeval {command}", folder)
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr
    assert "fault in ordeval" not in done.stderr


def test_a_signal_while_code_is_made_from_a_text_keeps_its_exit_code(folder: Path) -> None:
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"  # as while dataclasses load
    code = f"import sys\nfrom ordeval.cli import run\nrun._execute = lambda args: exec({kill!r})"
    (folder / "killed.py").write_text(f"{code}\nsys.exit(run.run([]))", encoding="utf-8")
    environment = _environment(folder)
    args = [sys.executable, "-m", "killed"]
    done = subprocess.run(args, cwd=folder, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (143, b"", b"")


def test_an_output_file_is_not_mistaken_for_a_closed_stream(folder: Path) -> None:
    done = _shell("ordeval score a.csv --measures mae --out out.txt <&- >&- 2>&-", folder)
    assert done.returncode == 0
    assert (folder / "out.txt").read_text("utf-8").count("pred against gold: 3 items") == 1


@pytest.mark.parametrize("limit", [0, 1])
def test_a_full_temporary_directory(folder: Path, limit: int) -> None:
    (folder / "long.csv").write_text(DATA + "1,2\n" * 10_000, encoding="utf-8")
    command = f"trap '' XFSZ; ulimit -f {limit}; cat long.csv | ordeval score - --out out.txt"
    done = _shell(command, folder)
    assert done.returncode == 2
    assert "cannot be" in done.stderr
    assert "TMPDIR" in done.stderr
    assert not (folder / "out.txt").exists()


@pytest.mark.parametrize("moment", ["mkdir", "rmtree"])
def test_a_signal_leaves_no_temporary_files(folder: Path, moment: str) -> None:
    """The signal comes while the directory is made, or while it is removed."""
    code = f"""
import os, pathlib, shutil, signal, sys
import ordeval.cli
from ordeval.files import engine
where = pathlib.Path if {moment!r} == "mkdir" else shutil
done, sent = getattr(where, {moment!r}), []
def disturbed(path, *args, **options):
    ours = "ordeval-" in str(path) and not sent
    if ours:
        sent.append(path)
    if ours and {moment!r} == "rmtree":
        os.kill(os.getpid(), signal.SIGTERM)
    done(path, *args, **options)
    if ours:
        os.kill(os.getpid(), signal.SIGTERM)
setattr(where, {moment!r}, disturbed)
sys.exit(ordeval.cli.main(["score", "a.csv", "--measures", "mae"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=_environment(folder),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 143, done.stderr
    assert not list((folder / "tmp").iterdir())


def test_a_signal_while_a_class_is_made(folder: Path) -> None:
    """Python 3.11 turns what `__set_name__` raises into a RuntimeError."""
    code = """
import os, signal, sys
import ordeval.cli
from ordeval.cli import run
class Signal:
    def __set_name__(self, owner, name):
        os.kill(os.getpid(), signal.SIGTERM)
run._execute = lambda args: type("Disturbed", (), {"field": Signal()})
sys.exit(ordeval.cli.main(["score", "a.csv"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (143, b"")


def test_a_signal_whose_exception_python_ignores_is_sent_again(folder: Path) -> None:
    code = """
import os, signal, sys, time
import ordeval.cli
from ordeval.cli import run
class Signal:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGTERM)
def execute(args):
    Signal()
    time.sleep(20)
run._execute = execute
sys.exit(ordeval.cli.main(["score", "a.csv"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (143, b"")


@pytest.mark.parametrize("data", [b"", DATA.encode()], ids=["alone", "with data"])
def test_a_signal_while_a_pipe_is_read(folder: Path, data: bytes) -> None:
    os.mkfifo(folder / "pipe")
    command = [sys.executable, "-m", "ordeval", "score", "pipe"]
    with subprocess.Popen(command, cwd=folder, env=_environment(folder)) as process:
        with (folder / "pipe").open("wb", buffering=0) as pipe:
            while not list((folder / "tmp").glob("ordeval-*/*")):
                time.sleep(0.02)
            time.sleep(0.2)  # it waits for data now
            if data:
                process.send_signal(signal.SIGSTOP)  # so that it gets data and signal at once
                pipe.write(data)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=60)
        process.kill()
    assert process.returncode == 143
    assert not list((folder / "tmp").iterdir())


HUGE = 10**5000


@pytest.mark.parametrize(
    "options",
    [
        {"labels": [1, HUGE]},
        {"labels": [[HUGE]]},
        {"labels": [1, 2], "values": [1, HUGE]},
        {"na": HUGE},
        {"undefined": 10**400},
        {"weight": [1, 10**400]},
        {"frequency": [1, 10**400]},
        {"bins": [HUGE], "labels": [1, 2]},
    ],
    ids=",".join,
)
def test_numbers_that_no_float_can_hold(options: dict[str, object]) -> None:
    with pytest.raises(oe.InputError):
        oe.score([1, 2], [1, 2], "mae", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("label", [HUGE, -(10**400)], ids=["huge", "negative"])
@pytest.mark.parametrize("beside", [1, 1.5, "a", None])
def test_labels_that_no_float_can_hold(label: int, beside: object) -> None:
    with pytest.raises(oe.InputError, match="y_true holds"):
        oe.score([label, beside], [1, 2], "mae", missing="skip")


@pytest.mark.parametrize("options", [(), ("--labels", "1..3"), ("--topic", "pred")])
def test_a_label_or_topic_of_thousands_of_digits(
    tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"gold,a,pred\n1,1,1\n2,2,{'9' * 5000}\n{'9' * 5000},2,1\n", encoding="utf-8")
    assert main(["score", str(path), "--pred", "a", *options]) == 2
    said = capsys.readouterr().err
    assert len(said) < 2000
    assert "fault" not in said


def test_topics_of_thousands_of_digits() -> None:
    topics = ["9" * 5000, "8" * 5000, "1"]
    result = oe.evaluate([1, 2, 2], [1, 2, 1], labels=[1, 2], topic=topics, draws=0)
    assert set(result.scores.topics) == set(topics)
