"""`ordeval advise`: the path in a pipe and on a terminal, and advice from data."""

import io
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any, cast

import pytest
from cli_files import GOLD_SHARES, LONG_RATINGS, RATINGS, RUN_SHARES, TABLE, Ordeval, write_files
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

import ordeval as oe
from ordeval.advice import LEAVES, QUESTIONS, every_path, recommend
from ordeval.cli import main
from ordeval.cli.advise import Answered

WORDS = "gold,a,b\n" + "".join(
    f"{('low', 'medium', 'high')[i % 3]},{('low', 'medium', 'high')[i // 2 % 3]},medium\n"
    for i in range(60)
)
RATED_WORDS = "item,anna,ben,model\n" + "".join(
    f"{i},{('low', 'medium', 'high')[i % 3]},{('low', 'medium', 'high')[i // 2 % 3]},medium\n"
    for i in range(60)
)
GOLD = [1] * 260 + [2] * 34 + [3] * 6
IMBALANCED = "gold,a,b\n" + "".join(
    f"{g},{min(3, g + (i % 7 == 0))},{1 if i % 2 else g}\n" for i, g in enumerate(GOLD)
)
JUDGED = "gold,a,the judge\n" + "".join(
    f"{i % 3 + 1 if i % 5 == 0 else ''},{(i + (i % 7 == 0)) % 3 + 1},{i % 3 + 1}\n"
    for i in range(90)
)
HOSTILE = "a b'c\"$(rm).csv"


def advice(done: object) -> dict[str, object]:
    """The answer of a command in JSON."""
    assert getattr(done, "code", None) == 0, done
    return dict(json.loads(getattr(done, "out", "")))


def test_a_pipe_without_answers_gets_the_whole_path(ordeval: Ordeval) -> None:
    out = ordeval("advise").out
    assert all(question.text in out for question in QUESTIONS)
    assert all(leaf.primary.split(", ")[0] in out for leaf in LEAVES)


def test_the_whole_path_as_data(ordeval: Ordeval) -> None:
    found = json.loads(ordeval("advise", "--path", "--format", "json").out)
    assert [question["id"] for question in found["questions"]] == [q.id for q in QUESTIONS]
    assert len(found["measures"]) == len(LEAVES)


@pytest.mark.parametrize("width", [60, 80, 200])
def test_text_fits(width: int, ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for args in (["--path"], ["--order", "order"], ["--task", "raters"]):
        out = ordeval("advise", *args).out
        assert [line for line in out.splitlines() if cell_len(line) > max(width, 80)] == []


def test_options_answer_and_the_rest_is_assumed(ordeval: Ordeval) -> None:
    found = advice(ordeval("advise", "--order", "distances", "--chance", "no", "--format", "json"))
    assert found["primary"] == oe.advise(order="distances", chance="no").primary


COMMANDS = {
    recommend(path).command: path
    for path in every_path(QUESTIONS)
    if path.get("each_class") != "no"  # what is printed then is less of the same
}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda text: " ".join(COMMANDS[text].values()))
def test_the_commands_run(command: str, ordeval: Ordeval, tmp_path: Path) -> None:
    words = "--labels low" in command
    files = {
        "data.csv": WORDS if words else TABLE,
        "ratings.csv": RATED_WORDS if words else RATINGS,
        "gold.csv": GOLD_SHARES,
        "run.csv": RUN_SHARES,
    }
    write_files(tmp_path, files)
    name, *args = shlex.split(command)
    assert name == "ordeval"
    done = ordeval(*args, "--bootstrap", "0", *(["--trials", "9"] if args[0] == "compare" else []))
    assert done.code == 0, done.err


ALPHA = "weighted_alpha(weights='linear')"
DATA = {
    "imbalanced": (IMBALANCED, ["--chance", "no"], "macro_mae", "compare"),
    "table": (TABLE, [], "kappa(weights='linear')", "compare"),
    "one system": (TABLE, ["--pred", "a"], "kappa(weights='linear')", "score"),
    "two classes": ("gold,a\n0,1\n1,1\n0,0\n1,1\n", [], "cohen_kappa", "score"),
    "missing": ("gold,a\n1,1\n2,\n3,3\n1,2\n", [], "kappa(weights='linear')", "score"),
    "values": (TABLE, ["--values", "1,2,4,8,16"], "kappa(weights='linear')", "compare"),
    "words": (WORDS, ["--labels", "low,medium,high"], "alpha(level='ordinal')", "compare"),
    "raters": (RATINGS, [], ALPHA, "agreement"),
    "named raters": (RATINGS, ["--raters", "anna,ben"], ALPHA, "agreement"),
    "judge": (RATINGS, ["--models", "model"], "kappa(weights='linear')", "judge"),
    "labels of a judge": (
        JUDGED, ["--judge", "the judge", "--labels", "1..3"], "kappa(weights='linear')", "score",
    ),
    "long judge": (LONG_RATINGS, [], "kappa(weights='linear')", "judge"),
    "where": (
        "gold,a,part\n1,1,x y\n2,2,x y\n3,1,z\n3,3,x y\n",
        ["--where", "part=x y", "--pred", "a"],
        "kappa(weights='linear')",
        "score",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DATA)
def test_data_lead_to_a_command_that_runs(name: str, ordeval: Ordeval, tmp_path: Path) -> None:
    text, options, primary, command = DATA[name]
    write_files(tmp_path, {HOSTILE: text})
    found = advice(ordeval("advise", HOSTILE, *options, "--format", "json"))
    assert found["primary"] == primary
    _, *args = shlex.split(str(found["command"]))
    assert args[:2] == [command, HOSTILE]
    done = ordeval(*args, "--bootstrap", "0")
    assert done.code == 0, done.err


ROWS = "name,topic,group,w,n,part,text,gold,a,b\n" + "".join(
    f"i{i},t{i % 4},g{i // 3},{1 + i % 3 / 2},{1 + i % 2},{'xy'[i % 5 == 0]},hello {i},"
    f"{1 + i % 3},{1 + (i + (i % 7 == 0)) % 3},{99 if i == 7 else 1 + (i + i % 2) % 3}\n"
    for i in range(72)
)
OF_LABELS = [
    *(["--topic", "topic"], ["--cluster", "group"], ["--where", "part=x"]),
    *(["--weight", "w"], ["--frequency", "n"], ["--labels", "1..4"], ["--labels", "1,2,3"]),
    *(["--values", "1,2,5"], ["--missing", "worst"], ["--id", "name"], ["--text", "text"]),
]
COLUMNS = ["--pred", "a,b", "--na", "99"]


def figures_of_call(code: str) -> dict[str, Any]:
    """The figures of the first call that is printed."""
    results = []

    def kept(name: str) -> Callable[..., object]:
        function = getattr(oe, name)
        if name == "per_class":
            return cast("Callable[..., object]", function)
        return lambda *args, **more: results.append(function(*args, **more, bootstrap=0))

    functions = SimpleNamespace(**{name: kept(name) for name in oe.__all__ if name in code})
    exec(compile(code, "code", "exec"), {"oe": functions})
    return dict(results[0].to_dict())


def printed(*args: str) -> dict[str, Any]:
    """The JSON that a command prints."""
    out = io.StringIO()
    with redirect_stdout(out):
        assert main([*args, "--format", "json", "--quiet"]) == 0
    return dict(json.loads(out.getvalue()))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(OF_LABELS), max_size=4, unique_by=lambda option: option[0]))
def test_code_and_command_give_the_same_scores(options: list[list[str]]) -> None:
    names = [name for name, _ in options]
    given = [word for option in options for word in option] + COLUMNS
    if {"--weight", "--frequency"} <= set(names):
        return  # which is refused
    if "--values" in names:
        given = [*given, "--labels", "1..3"] if "--labels" not in names else given
        given = ["1,2,3" if word == "1..4" else word for word in given]
    check_code_and_command(ROWS, given)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (TABLE, []),
        (TABLE.replace(",", "\t"), ["--delimiter", "tab"]),
        (TABLE.replace(",", ";"), []),
        (TABLE.partition("\n")[2], ["--no-header", "--gold", "1", "--pred", "2,3"]),
        (WORDS, ["--labels", "low,medium,high"]),
        (IMBALANCED, ["--chance", "no", "--each-class", "yes"]),
        (JUDGED, ["--judge", "the judge", "--labels", "1..3"]),
        (RATINGS, []),
        (RATINGS, ["--raters", "anna,ben"]),
        (RATINGS, ["--models", "model"]),
        (RATINGS, ["--people", "anna,ben", "--models", "model"]),
        (LONG_RATINGS, []),
    ],
)
def test_code_and_command_of_other_data_give_the_same_scores(text: str, options: list[str]) -> None:
    check_code_and_command(text, options)


def check_code_and_command(text: str, options: list[str]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_files(Path(folder), {"it's.csv": text})
        found = printed("advise", "it's.csv", *options)
        _, *args = shlex.split(found["command"])
        args = args[: args.index("--tables")] if "--tables" in args else args
        by_command, by_call = printed(*args, "--bootstrap", "0"), figures_of_call(found["code"])
        for figures in (by_command, by_call):
            for told in ("about", "notices", "signature"):
                figures.pop(told, None)
        assert json.loads(json.dumps(by_call)) == by_command


def test_code_for_several_files_has_variables(ordeval: Ordeval, files: Path) -> None:
    args = ("gold.csv", "a.csv", "b.csv", "--topic", "topic", "--format", "json")
    code = str(advice(ordeval("advise", *args))["code"])
    assert code.startswith("# The variables hold what the command reads with its other options.\n")
    assert "    gold, systems,\n    topics=topics,\n" in code


def test_code_for_some_raters_of_long_form_has_variables(ordeval: Ordeval, files: Path) -> None:
    args = ("long-ratings.csv", "--raters", "anna,ben", "--format", "json")
    assert "oe.agreement(\n    ratings,\n" in str(advice(ordeval("advise", *args))["code"])


def test_texts_are_kept_for_the_report(ordeval: Ordeval, tmp_path: Path) -> None:
    rated = RATINGS.replace("model\n", "model,words\n", 1).replace("\n", ",hello\n")
    rated = rated.replace("words,hello", "words")
    write_files(tmp_path, {"d.csv": ROWS, "r.csv": rated})
    labels = ("d.csv", "--pred", "a,b", "--na", "99", "--text", "text", "--topic", "topic")
    for args in (labels, ("r.csv", "--text", "words")):
        found = advice(ordeval("advise", *args, "--format", "json"))
        assert f" --text {args[args.index('--text') + 1]} " in str(found["command"])
        assert " --html report.html " in str(found["command"])
        assert "    text='" in str(found["code"])
        (tmp_path / "report.html").unlink(missing_ok=True)
        assert ordeval(*shlex.split(str(found["command"]))[1:], "--bootstrap", "0").code == 0
        assert "hello" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_help_does_not_say_answers_twice() -> None:
    for field in fields(Answered):
        assert not re.search(r"(yes|no): (yes|no)\b", str(field)), field.name


@pytest.mark.parametrize("width", [40, 80])
def test_the_command_can_be_copied_from_text(
    width: int, ordeval: Ordeval, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {HOSTILE: WORDS})
    monkeypatch.setenv("COLUMNS", str(width))
    args = ("advise", HOSTILE, "--labels", "low,medium,high")
    out = ordeval(*args).out
    typed = out.partition("On the command line:\n")[2].partition("\n\n")[0]
    command = str(advice(ordeval(*args, "--format", "json"))["command"])
    assert shlex.split(typed.replace("\\\n", "")) == shlex.split(command)
    assert all(line.endswith(" \\") for line in typed.splitlines()[:-1])


def test_data_come_through_a_pipe() -> None:
    command = [sys.executable, "-m", "ordeval", "advise", "-", "--format", "json"]
    done = subprocess.run(command, input=TABLE, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["primary"] == "kappa(weights='linear')"


def test_a_judge_is_named_where_gold_is_missing_for_most_items(
    ordeval: Ordeval, tmp_path: Path
) -> None:
    write_files(tmp_path, {"d.csv": JUDGED})
    without = " ".join(ordeval("advise", "d.csv", "--pred", "a").out.split())
    assert "If gold is missing for most items, but a judge such as a language model" in without
    with_it = " ".join(ordeval("advise", "d.csv", "--judge", "the judge").out.split())
    assert "Gold is known for 18 of 90 items. The labels of 'the judge' for the others" in with_it
    assert "--judge 'the judge'" in with_it


def test_distributions_are_read(ordeval: Ordeval, files: Path) -> None:
    args = ("shares.csv", "run.csv", "--task", "distributions", "--format", "json")
    found = advice(ordeval("advise", *args))
    assert found["primary"] == "nmd"
    _, *again = shlex.split(str(found["command"]))
    assert ordeval(*again, "--bootstrap", "0").code == 0


def test_what_the_data_answer_is_said(ordeval: Ordeval, files: Path) -> None:
    out = ordeval("advise", "table.csv", "--format", "markdown").out
    assert "by the data: there are 2 systems" in out
    assert "assumed" in out
    assert "On the command line:\n\n```bash\nordeval compare table.csv" in out


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
    assert advice(done)["primary"] == "cem"
    assert "Type a number from 1 to 2." in done.err
    assert QUESTIONS[1].answers[0].source in " ".join(done.err.split())


def test_data_spare_questions(ordeval: Ordeval, files: Path, typing: Callable[[str], None]) -> None:
    typing("1\n2\n1\n")
    done = ordeval("advise", "table.csv", "--format", "json")
    assert advice(done)["primary"] == "cem"
    assert "there are 2 systems" in done.err


@pytest.mark.parametrize("keys", ["q\n", "1\nquit\n", ""])
def test_a_person_may_quit(keys: str, ordeval: Ordeval, typing: Callable[[str], None]) -> None:
    typing(keys)
    done = ordeval("advise")
    assert (done.code, done.out) == (0, "")
