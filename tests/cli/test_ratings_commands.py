"""`ordeval agreement` and `ordeval judge` on real files: every form, and what the library says."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from cli_files import RATINGS, Done, Ordeval, write_files
from ordeval.cli import main

FEW = ("--bootstrap", "50", "--quiet")
PEOPLE = ("anna", "ben", "carla")


def fine(done: Done) -> str:
    """The output of a command that worked."""
    assert (done.code, done.err) == (0, "")
    return done.out


def columns(text: str) -> dict[str, list[Any]]:
    """Return the columns of a csv file of whole numbers with gaps."""
    rows = list(csv.DictReader(io.StringIO(text)))
    return {name: [int(row[name]) if row[name] else None for row in rows] for name in rows[0]}


def test_agreement_is_that_of_the_library(ordeval: Ordeval, files: Path) -> None:
    args = ("agreement", "ratings.csv", "--raters", ",".join(PEOPLE), "--labels", "1..5", *FEW)
    found = json.loads(fine(ordeval(*args, "--format", "json")))
    table = columns(RATINGS)
    expected = oe.agreement(
        {name: table[name] for name in PEOPLE}, labels=range(1, 6), item=table["item"],
        bootstrap=50,
    )  # fmt: skip
    wanted = json.loads(expected.to_json())
    assert {**found, "about": 0, "notes": 0} == {**wanted, "about": 0, "notes": 0}


def test_judgement_is_that_of_the_library(ordeval: Ordeval, files: Path) -> None:
    args = ("judge", "ratings.csv", "--models", "model", "--labels", "1..5", *FEW)
    found = json.loads(fine(ordeval(*args, "--format", "json")))
    table = columns(RATINGS)
    expected = oe.judge(
        {name: table[name] for name in PEOPLE}, {"model": table["model"]}, labels=range(1, 6),
        item=table["item"], bootstrap=50,
    )  # fmt: skip
    wanted = json.loads(expected.to_json())
    for part in (found, wanted):
        part.pop("about"), part.pop("notes")
        part["people_agreement"].pop("about", None)
        part["people_agreement"].pop("notes", None)
    assert found == wanted


def test_wide_and_long_files_say_the_same(ordeval: Ordeval, tmp_path: Path) -> None:
    table = columns(RATINGS)
    rows = [
        f"{item},{name},{table[name][i]}\n"
        for name in (*PEOPLE, "model")
        for i, item in enumerate(table["item"])
        if table[name][i] is not None
    ]
    write_files(tmp_path, {"w.csv": RATINGS, "l.csv": "item,rater,rating\n" + "".join(rows[::-1])})
    for command in (("agreement",), ("judge", "--models", "model")):
        name, *more = command
        outs = [
            fine(ordeval(name, file, *more, "--labels", "1..5", "--format", "csv", *FEW))
            for file in ("w.csv", "l.csv")
        ]
        assert outs[0] == outs[1]


def test_kinds_choose_people_and_models(ordeval: Ordeval, files: Path) -> None:
    by_kind = fine(ordeval("judge", "long-ratings.csv", "--format", "csv", *FEW))
    args = ("--people", "anna,ben", "--models", "gpt", "--format", "csv", *FEW)
    assert fine(ordeval("judge", "long-ratings.csv", *args)) == by_kind


def test_models_among_raters_are_mentioned(ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval("agreement", "long-ratings.csv", *FEW))
    assert "Raters that are models: 'gpt'; name the others" in " ".join(out.split())
    out = fine(ordeval("agreement", "long-ratings.csv", "--where", "kind=person", *FEW))
    assert "gpt" not in out


def test_slices_are_judged_by_themselves(ordeval: Ordeval, tmp_path: Path) -> None:
    lines = RATINGS.splitlines()
    rows = [lines[0] + ",topic"] + [f"{x},{'p' if i % 2 else 'q'}" for i, x in enumerate(lines[1:])]
    write_files(tmp_path, {"r.csv": "\n".join(rows) + "\n"})
    args = ("judge", "r.csv", "--models", "model", "--slices", "topic", "--tables", "slices")
    out = fine(ordeval(*args, "--format", "csv", *FEW))
    assert {row["slice"] for row in csv.DictReader(io.StringIO(out))} == {"p", "q"}


@pytest.mark.parametrize("gold", ["majority", "median", "mean", "soft", "each"])
def test_the_gold_is_always_said(gold: str, ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval("judge", "ratings.csv", "--models", "model", "--gold", gold, *FEW))
    assert f"gold: {gold}" in " ".join(out.split())


@pytest.mark.parametrize("command", ["agreement", "judge"])
def test_one_item_is_no_fault(command: str, ordeval: Ordeval, tmp_path: Path) -> None:
    write_files(tmp_path, {"r.csv": "item,anna,ben,m\n1,2,3,3\n"})
    more = ("--models", "m") if command == "judge" else ()
    assert ordeval(command, "r.csv", *more, *FEW).code == 0


@pytest.mark.parametrize("command", ["agreement", "judge"])
def test_one_class_is_no_fault(command: str, ordeval: Ordeval, tmp_path: Path) -> None:
    write_files(tmp_path, {"r.csv": "item,anna,ben,m\n" + "".join(f"{i},2,2,2\n" for i in "abc")})
    more = ("--models", "m") if command == "judge" else ()
    assert ordeval(command, "r.csv", *more, *FEW).code == 0


def test_nothing_is_half_written(ordeval: Ordeval, tmp_path: Path) -> None:
    write_files(tmp_path, {"r.csv": RATINGS.replace("item,", "item,comment,", 1)})
    done = ordeval("agreement", "r.csv", "--out", "a.txt", "--html", "a.html")
    assert (done.code, done.out) == (2, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are another matter on Windows")
@pytest.mark.parametrize("command", ["agreement - --raters anna,ben", "judge - --models model"])
def test_a_pipe_at_both_ends(command: str, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(RATINGS)
    done = subprocess.run(
        ["sh", "-c", f"cat r.csv | {sys.executable} -m ordeval {command} --bootstrap 50 | head -2"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(oe.__file__).parents[1]), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0
    assert done.stderr == ""
    assert "60 items" in done.stdout


@pytest.mark.parametrize("style", ["text", "json", "csv", "markdown", "latex", "sentence"])
@pytest.mark.parametrize("command", ["agreement", "judge"])
def test_names_are_plain_data(command: str, style: str, ordeval: Ordeval, tmp_path: Path) -> None:
    names = ["<script>alert(1)</script>", "\x1b[31mred\x1b[0m", "'; DROP TABLE x; --"]
    lines = [",".join(f'"{name}"' for name in names)]
    lines += [f"{1 + i % 3},{1 + (i + 1) % 3},{1 + i % 2}" for i in range(12)]
    write_files(tmp_path, {"r.csv": "\n".join(lines) + "\n"})
    more = ("--models", names[2]) if command == "judge" else ()
    done = ordeval(command, "r.csv", *more, "--format", style, "--html", "page.html", *FEW)
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "<script>alert" not in (tmp_path / "page.html").read_text("utf-8")


def test_ratings_of_the_published_data_are_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    data = Path(__file__).resolve().parents[3] / "shared" / "data" / "raters"
    if not data.is_dir():
        pytest.skip("the shared data are not there")
    assert main(["judge", str(data / "cebab_stars.tsv.gz"), "--format", "csv", *FEW]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["name"] for row in rows if row["kind"] == "model"} >= {"gpt-4o", "llama-31"}


def test_people_are_named_and_a_guess_of_them_is_told(ordeval: Ordeval, files: Path) -> None:
    args = ("judge", "ratings.csv", "--models", "model", "--labels", "1..5", *FEW)
    guessed = " ".join(fine(ordeval(*args)).split())
    assert "3 people (anna, ben, carla), " in guessed
    told = "Taken as people, because none were named: 'anna', 'ben', 'carla'."
    assert told in guessed
    named = " ".join(fine(ordeval(*args, "--people", ",".join(PEOPLE))).split())
    assert "3 people (anna, ben, carla), " in named
    assert "Taken as people" not in named


def test_an_empty_table_does_not_discard_the_others(ordeval: Ordeval, files: Path) -> None:
    done = ordeval("agreement", "ratings.csv", "--tables", "shares,kappas", "--bootstrap", "20")
    assert done.code == 0
    assert "Share of each class" in done.out
    assert "nothing in the table 'kappas': it has tests of two raters" in done.err
    args = ("judge", "ratings.csv", "--models", "model", "--bootstrap", "20", "--tables")
    done = ordeval(*args, "slices")
    assert done.code == 2
    assert "'slices': name the columns of slices with --slices" in done.err
    assert "Alternative annotator test" in ordeval(*args, "all").out


def test_slices_say_why_differences_are_not_those_of_the_scores(
    ordeval: Ordeval, tmp_path: Path
) -> None:
    rows = [f"{i},{i % 3 + 1},{i % 2 + 1},{'' if i % 4 else 2},{'xy'[i % 2]}" for i in range(40)]
    write_files(tmp_path, {"r.csv": "item,anna,ben,gpt,part\n" + "\n".join(rows) + "\n"})
    args = ("judge", "r.csv", "--people", "anna,ben", "--models", "gpt", "--slices", "part")
    out = " ".join(fine(ordeval(*args, "--tables", "slices", *FEW)).split())
    assert "With gaps: 'gpt'. Their differences are from people on the items" in out


def test_systems_side_by_side_show_what_a_judge_was_worth(ordeval: Ordeval, tmp_path: Path) -> None:
    rows = [f"{i % 3 + 1 if i < 30 else ''},{i % 2 + 1},{i % 3 + 1},{i % 3 + 1}" for i in range(90)]
    write_files(tmp_path, {"t.csv": "gold,a,b,judge\n" + "\n".join(rows) + "\n"})
    args = ("score", "t.csv", "--pred", "a,b", "--judge", "judge", "--measures", "mae,accuracy")
    out = fine(ordeval(*args, *FEW))
    assert "worth" in out.split()
    assert "worth: the number of gold labels" in " ".join(out.split())


def test_names_of_other_variants_say_which(ordeval: Ordeval) -> None:
    out = fine(ordeval("measures", "raters", "--format", "csv"))
    assert "pabak = brennan_prediger(weights='identity')" in out


@pytest.mark.parametrize(
    ("people", "models", "option"),
    [("anna,ben", "gpt", "--models"), ("ana,ben", "model", "--people")],
)
def test_a_missing_rater_names_its_option(
    ordeval: Ordeval, files: Path, people: str, models: str, option: str
) -> None:
    done = ordeval("judge", "ratings.csv", "--people", people, "--models", models)
    assert done.code == 2
    assert f"{option}: ratings.csv: there is no column" in done.err


def test_ratings_between_classes(ordeval: Ordeval, files: Path) -> None:
    Path("half.csv").write_text("anna,ben,gpt\n1,1.5,2\n2,2,2\n3,2.4,3\n")
    said = fine(ordeval("agreement", "half.csv", "--bins", "round", *FEW))
    assert "halves upwards (ben 2)" in " ".join(said.split())
    told = fine(ordeval("judge", "half.csv", "--models", "gpt", "--bins", "floor", *FEW))
    assert "rounded down to a class (ben 2)" in " ".join(told.split())
    refused = ordeval("agreement", "half.csv")
    assert (refused.code, "--bins round" in refused.err) == (2, True)


@pytest.mark.parametrize("command", [("agreement",), ("judge", "--models", "Jones")])
def test_a_column_of_names_is_not_taken_for_a_rater(
    command: tuple[str, ...], ordeval: Ordeval, tmp_path: Path
) -> None:
    rows = [f"{i + 1},{i % 3 + 1},{i % 4 // 2 + 1},{i % 2 + 1}" for i in range(12)]
    path = tmp_path / "clinic.csv"
    path.write_text("\n".join(["Patient,Smith,Lee,Jones", *rows]))
    done = ordeval(command[0], str(path), *command[1:], *FEW)
    assert done.code == 2
    assert "'Patient' has 12 different values" in done.err
    assert "--item Patient" in done.err
    fine(ordeval(command[0], str(path), *command[1:], "--item", "Patient", *FEW))


def test_items_with_gaps_are_left_out_on_request(ordeval: Ordeval, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("anna,ben\n" + "1,1\n2,3\n3,3\n,2\n1,2\n")
    told = fine(ordeval("agreement", str(path), "--measures", "icc", *FEW))
    assert "--missing skip leaves out 1 item with gaps, and 4 remain." in " ".join(told.split())
    args = ("agreement", str(path), "--measures", "icc", "--missing", "skip", "--format", "json")
    found = json.loads(fine(ordeval(*args, *FEW)))
    assert (found["items"], found["about"]["missing"]) == (4, "skip")
