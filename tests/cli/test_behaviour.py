"""Exit codes, files, streams, hostile names, help."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ordeval as oe
from cli_files import TABLE, Ordeval
from ordeval.cli import run as running
from ordeval.cli.messages import spell

ROOT = Path(__file__).parents[2]


COMMAND = [sys.executable, "-m", "ordeval"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "src")}


def shell(
    *args: str, cwd: Path, data: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    env = {**ENVIRONMENT, **environment}
    return subprocess.run(
        [*COMMAND, *args], cwd=cwd, env=env, input=data, capture_output=True, check=False
    )


def test_version(tmp_path: Path) -> None:
    done = shell("--version", cwd=tmp_path)
    assert done.stdout.decode().split() == ["ordeval", oe.__version__]


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("--version", "click rich scipy duckdb narwhals"),
        ("measures", "scipy duckdb narwhals matplotlib click array_api_compat.numpy ordeval.meta"),
    ],
)
def test_quick_commands_load_nothing_heavy(command: str, heavy: str, tmp_path: Path) -> None:
    code = (
        f"import sys; from ordeval.cli import main; main([{command!r}]);"
        f"print(sorted({{*{heavy.split()}}} & set(sys.modules)))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**ENVIRONMENT, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        check=True,
        encoding="utf-8",
    ).stdout
    assert out.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (("scroe", "t.csv"), "scroe"),
        (("score", "t.csv", "--lables", "1..5"), "--lables"),
        (("score",), "DATA"),
        (("score", "t.csv", "--labels"), "--labels"),
    ],
)
def test_wrong_usage(args: tuple[str, ...], word: str, ordeval: Ordeval) -> None:
    done = ordeval(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert word in done.err
    assert "--help`" in done.err


def test_no_command_shows_the_help(ordeval: Ordeval) -> None:
    done = ordeval()
    assert done.code == 0
    assert "ordeval demo" in done.out


def test_an_unexpected_error_is_one_line(ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(args: object) -> int:
        raise KeyError("gone wrong")

    monkeypatch.setattr(running, "_execute", broken)
    done = ordeval("score", "t.csv")
    assert done.code == 1
    assert done.err.startswith("Error: KeyError: 'gone wrong'\n")
    assert "ORDEVAL_DEBUG=1" in done.err
    monkeypatch.setenv("ORDEVAL_DEBUG", "1")
    with pytest.raises(KeyError):
        ordeval("score", "t.csv")


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    args = ("score", "t.csv", "--labels", "1..5", "--out", "out.txt", "--draws")
    start = time.monotonic()
    assert shell(*args, "0", cwd=tmp_path).returncode == 0
    startup = time.monotonic() - start  # until the resampling begins, on this machine
    (tmp_path / "out.txt").unlink()
    process = subprocess.Popen(
        [*COMMAND, *args, "1000000"], cwd=tmp_path, env=ENVIRONMENT, stderr=subprocess.PIPE
    )
    time.sleep(1 + 1.5 * startup)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_pipe_at_both_ends(tmp_path: Path) -> None:
    args = ("score", "-", "--draws", "0", "--out", "-", "--labels", "1..5", "--format", "csv")
    done = shell(*args, cwd=tmp_path, data=TABLE.encode(), TMPDIR=str(tmp_path))
    assert done.returncode == 0
    assert done.stdout.startswith(b"measure,")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter on Windows")
def test_a_copy_of_standard_input_is_removed_after_sigterm(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "score", "-"],
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(600):  # until the copy has begun
        if list(tmp_path.iterdir()):
            break
        time.sleep(0.1)
    process.terminate()
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (143, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    pipes = {"stdout": writer, "stderr": subprocess.PIPE}
    process = subprocess.run([*COMMAND, "measures"], env=ENVIRONMENT, check=False, **pipes)
    os.close(writer)
    assert (process.returncode, process.stderr) == (141, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_that_knows_few_characters(encoding: str, tmp_path: Path) -> None:
    for args in (("measures",), ("measures", "cem")):
        done = shell(*args, cwd=tmp_path, PYTHONIOENCODING=encoding)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.decode(encoding)


def test_json_is_utf_8_whatever_the_terminal(tmp_path: Path) -> None:
    done = shell("measures", "qwk", "--format", "json", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode("utf-8"))["symbol"] == "κ"


def test_out_keeps_the_old_file_when_writing_fails(
    ordeval: Ordeval, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "out.txt").write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "out.txt")

    monkeypatch.setattr(os, "replace", full)
    done = ordeval("score", "table.csv", "--measures", "mae", "--out", "out.txt")
    assert done.code == 2
    assert "No space left" in done.err
    assert (files / "out.txt").read_text() == "old"
    assert not [path for path in files.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("score", ("table.csv",)),
        ("compare", ("table.csv",)),
        ("agreement", ("ratings.csv",)),
        ("judge", ("long-ratings.csv",)),
        ("quantify", ("shares.csv", "run.csv")),
        ("meta", ("gold.csv", "a.csv", "b.csv", "--topic", "topic", "--splits", "5")),
        ("demo", ()),
    ],
)
def test_html(command: str, more: tuple[str, ...], ordeval: Ordeval, files: Path) -> None:
    assert ordeval(command, *more, "--html", "page.html", "--quiet").code == 0
    text = (files / "page.html").read_text("utf-8")
    assert text.lstrip().lower().startswith("<!doctype html>")
    assert f"ordeval {command}" in text


HOSTILE = "a'; DROP TABLE x; --"


@pytest.mark.parametrize("style", ["text", "json", "csv", "markdown", "latex"])
def test_names_are_plain_data(style: str, ordeval: Ordeval, tmp_path: Path) -> None:
    low, high = "<script>alert(1)</script>", "\x1b[31mred\x1b[0m"
    (tmp_path / f"{HOSTILE}.csv").write_text(f'""""\n{low}\n{high}\n{low}\n')
    rows = [f'{i},"{label}"' for i, label in enumerate([low, high, low])]
    (tmp_path / "gold.csv").write_text("\n".join(['id,""""', *rows]) + "\n")
    (tmp_path / f"{HOSTILE}.csv").write_text("\n".join(["id,label", *rows]) + "\n")
    done = ordeval(
        *("score", "gold.csv", f"{HOSTILE}.csv", "--gold", '"', "--labels", f"{low},{high}"),
        *("--measures", "mae, accuracy", "--draws", "9", "--format", style),
        *("--html", "page.html", "--quiet"),
    )
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "<script>alert" not in (tmp_path / "page.html").read_text("utf-8")
    if style == "json":
        assert json.loads(done.out)["scores"]["scale"]["labels"] == [low, high]
        assert json.loads(done.out)["scores"]["systems"] == [HOSTILE]


@pytest.mark.slow
def test_completion_of_commands_and_values(tmp_path: Path) -> None:
    def complete(line: str) -> list[str]:
        words = line.split(" ")
        asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
        done = shell(cwd=tmp_path, _ORDEVAL_COMPLETE="bash_complete", **asked)
        return [found.removeprefix("plain,") for found in done.stdout.decode().split()]

    assert set(complete("ordeval me")) == {"meta", "measures"}
    assert "kappa" in complete("ordeval measures kap")
    assert "agreement" in complete("ordeval measures agr")
    assert complete("ordeval score t.csv --format j") == ["json"]
    assert complete("ordeval score t") == ["file,t"]


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("missing", "skip", "--missing skip"),
        ("labels", ["low", "high"], "--labels low,high"),
        ("labels", ["very low", "high"], "--labels 'very low,high'"),
        ("topic", ..., "--topic"),
        ("rng", 1, "--seed 1"),
        ("memory_limit", "2GB", "--memory-limit 2GB"),
        ("y_true", "x", "--gold x"),
        ("ratings", ["a", "b"], "--raters a,b"),
    ],
)
def test_settings_are_spelled_as_options(
    name: str, value: object, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordeval.cli.messages.FLAGS", {shown.split(maxsplit=1)[0]})
    assert spell(name, value) == shown


def test_the_ending_of_the_output_file_names_the_format(ordeval: Ordeval, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(TABLE)
    for ending, start in ((".json", "{"), (".csv", "measure,"), (".md", "|"), (".txt", "")):
        path = tmp_path / f"answer{ending}"
        quick = ("--labels", "1..5", "--measures", "mae", "--draws", "0")
        assert ordeval("score", str(tmp_path / "t.csv"), *quick, "--out", str(path)).code == 0
        text = path.read_text(encoding="utf-8")
        assert start in text
        assert (ending == ".json") == text.startswith("{")


def test_lists_that_are_repeated_add_up(ordeval: Ordeval, files: Path) -> None:
    fixed = ("score", "table.csv", "--draws", "0", "--format", "csv")
    once = ordeval(*fixed, "--pred", "a,b", "--measures", "qwk, mae", "--na", "9,99")
    repeated = ("--pred", "a", "--pred", "b", "--measures", "qwk", "--measures", "mae")
    assert ordeval(*fixed, *repeated, "--na", "9", "--na=99") == once
    assert once.out.count("\n") == 5


@pytest.mark.parametrize("option", ["--gold", "--labels", "--seed", "--ci", "--out"])
def test_other_options_are_given_once(ordeval: Ordeval, files: Path, option: str) -> None:
    done = ordeval("score", "table.csv", option, "1", option, "2")
    assert done.code == 2
    assert f"{option}: 2 values are given" in done.err


def test_long_work_shows_a_bar_on_a_terminal(
    ordeval: Ordeval, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ordeval.cli.output._PATIENCE", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    args = ("score", "table.csv", "--labels", "1..5", "--measures", "mae", "--draws", "50")
    assert "Resampling" in ordeval(*args).err
    assert ordeval(*args, "--quiet").err == ""
