"""`ordeval advise`: in a pipe, on a terminal, and from data."""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from cli_files import GOLD_SHARES, LONG_RATINGS, RATINGS, RUN_SHARES, TABLE, Ordeval, write_files
from ordeval.advice import path, recommend

THREE = ("low", "medium", "high")
WORDS = "gold,a,b\n" + "".join(f"{THREE[i % 3]},{THREE[i // 2 % 3]},medium\n" for i in range(60))
RATED_WORDS = "item,anna,ben,model\n" + "".join(
    f"{i},{THREE[i % 3]},{THREE[i // 2 % 3]},medium\n" for i in range(60)
)
JUDGED = "gold,a,the judge\n" + "".join(
    f"{i % 3 + 1 if i % 5 == 0 else ''},{(i + (i % 7 == 0)) % 3 + 1},{i % 3 + 1}\n"
    for i in range(90)
)
HOSTILE = "a b'c\"$(rm).csv"
QUICK = ("--draws", "0")


def test_a_pipe_without_answers_gets_advice_that_says_what_it_assumes(
    ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = ordeval("advise").out
    assert out.startswith("Use lwk")
    assumed = re.search(r"Assumed, unless you say otherwise: ([^.]*)\.", " ".join(out.split()))
    assert assumed
    assert assumed[1].count("=") == len(recommend({}).choices)
    assert [line for line in out.splitlines() if cell_len(line) > 80] == []
    assert len(out.splitlines()) < 60


FORECASTS = ",".join(["gold", *(f"{s}_{x}" for s in "pq" for x in ("low", "medium", "high"))])
FORECASTS += "".join(f"\n{x},.2,.3,.5,.6,.3,.1" for x in ("low", "medium", "high", "high")) + "\n"


@pytest.mark.parametrize(
    "command", sorted({recommend(answers).command for answers in path().every()})
)
def test_the_example_commands_run(command: str, ordeval: Ordeval, tmp_path: Path) -> None:
    files = {"data.csv": FORECASTS if "--proba" in command else WORDS, "ratings.csv": RATED_WORDS}
    write_files(tmp_path, {**files, "gold.csv": GOLD_SHARES, "run.csv": RUN_SHARES})
    name, job, *args = shlex.split(command)
    assert name == "ordeval"
    more = {"compare": ["--trials", "9"], "judge": ["--models", "model"]}
    done = ordeval(job, *args, *QUICK, *more.get(job, []))
    assert done.code == 0, done.err


KAPPA = "lwk"
ALPHA = "krippendorff_ordinal"
DATA = {
    "table": (TABLE, [], KAPPA, "compare"),
    "one system": (TABLE, ["--pred", "a"], KAPPA, "score"),
    "missing": ("gold,a\n1,1\n2,\n3,3\n1,2\n", [], KAPPA, "score"),
    "values": (TABLE, ["--values", "1,2,4,8,16"], KAPPA, "compare"),
    "words": (WORDS, ["--labels", "low,medium,high"], KAPPA, "compare"),
    "only order": (
        WORDS, ["--labels", "low,medium,high", "--order", "order"], "alpha_ord",
        "compare",
    ),
    "raters": (RATINGS, [], ALPHA, "agreement"),
    "named raters": (RATINGS, ["--raters", "anna,ben"], ALPHA, "agreement"),
    "judge": (RATINGS, ["--models", "model"], KAPPA, "judge"),
    "labels of a judge": (
        JUDGED, ["--judge", "the judge", "--labels", "1..3"], KAPPA, "score",
    ),
    "long judge": (LONG_RATINGS, [], KAPPA, "judge"),
    "where": (
        "gold,a,part\n1,1,x y\n2,2,x y\n3,1,z\n3,3,x y\n",
        ["--where", "part=x y", "--pred", "a"], KAPPA, "score",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DATA)
def test_data_lead_to_a_command_that_runs(name: str, ordeval: Ordeval, tmp_path: Path) -> None:
    text, options, primary, job = DATA[name]
    write_files(tmp_path, {HOSTILE: text})
    advice = json.loads(ordeval("advise", HOSTILE, *options, "--format", "json").out)
    _, *args = shlex.split(advice["command"])
    assert (advice["primary"], args[0]) == (primary, job)
    done = ordeval(*args, *QUICK)
    assert done.code == 0, done.err


def test_data_come_through_a_pipe() -> None:
    command = [sys.executable, "-m", "ordeval", "advise", "-", "--format", "json"]
    done = subprocess.run(command, input=TABLE, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["primary"] == KAPPA


def test_distributions_are_read(ordeval: Ordeval, files: Path) -> None:
    args = ("shares.csv", "run.csv", "--task", "distributions", "--format", "json")
    advice = json.loads(ordeval("advise", *args).out)
    assert advice["primary"] == "nmd"
    _, *again = shlex.split(advice["command"])
    assert ordeval(*again, *QUICK).code == 0


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Pretends that a person types into a terminal."""

    def type_in(keys: str) -> None:
        stream = io.StringIO(keys)
        monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", stream)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)

    return type_in


def test_questions_are_asked(ordeval: Ordeval, typing: Callable[[str], None]) -> None:
    typing("1\n?\n7\n1\norder\n2\n\n")
    done = ordeval("advise", "--format", "json")
    assert json.loads(done.out)["primary"] == "cem"
    assert "Type a number from 1 to 2." in done.err
    assert path().questions[1].answers[0].source in " ".join(done.err.split())


def test_data_spare_questions(ordeval: Ordeval, files: Path, typing: Callable[[str], None]) -> None:
    typing("2\n2\n1\n")
    done = ordeval("advise", "table.csv", "--format", "json")
    assert json.loads(done.out)["primary"] == "cem"
    assert "there are 2 systems" in done.err


@pytest.mark.parametrize("keys", ["q\n", "1\nquit\n", ""])
def test_a_person_may_quit(keys: str, ordeval: Ordeval, typing: Callable[[str], None]) -> None:
    typing(keys)
    done = ordeval("advise")
    assert (done.code, done.out) == (0, "")
