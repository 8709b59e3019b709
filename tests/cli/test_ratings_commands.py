"""`ordeval agreement` and `ordeval judge` on real files: every form, and what the library says."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from cli_files import RATINGS, Done, Ordeval, write_files
from ordeval.cli import main

FEW = ("--draws", "50", "--quiet")
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
        draws=50,
    )  # fmt: skip
    wanted = json.loads(expected.to_json())
    assert {**found, "about": 0, "notes": 0} == {**wanted, "about": 0, "notes": 0}


def test_judgement_is_that_of_the_library(ordeval: Ordeval, files: Path) -> None:
    args = ("judge", "ratings.csv", "--models", "model", "--labels", "1..5", *FEW)
    found = json.loads(fine(ordeval(*args, "--format", "json")))
    table = columns(RATINGS)
    expected = oe.judge(
        {name: table[name] for name in PEOPLE}, {"model": table["model"]}, labels=range(1, 6),
        item=table["item"], draws=50,
    )  # fmt: skip
    wanted = json.loads(expected.to_json())
    for part in (found, wanted):
        part.pop("about"), part.pop("notes")
        part["people_agreement"].pop("about", None)
        part["people_agreement"].pop("notes", None)
    assert found == wanted


def test_models_among_raters_are_mentioned(ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval("agreement", "long-ratings.csv", "--notes", *FEW))
    assert "Raters that are models: 'gpt'; name the others" in " ".join(out.split())
    out = fine(ordeval("agreement", "long-ratings.csv", "--where", "kind=person", *FEW))
    assert "gpt" not in out


def test_raters_of_objects_that_none_named_are_mentioned(ordeval: Ordeval, tmp_path: Path) -> None:
    rows = [{"id": i, "scores": {"anna": i % 3, "gpt": i % 2}} for i in range(12)]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    guess = "Taken as raters, because none were named: 'anna', 'gpt'."
    assert guess in fine(ordeval("agreement", str(path), "--notes", *FEW))
    assert guess not in fine(
        ordeval("agreement", str(path), "--raters", "anna,gpt", "--notes", *FEW)
    )


def test_options_of_other_commands_are_known(ordeval: Ordeval) -> None:
    done = ordeval("agreement", "ratings.csv", "--models", "lang")
    assert done.code == 2
    assert "There is no option --models here; judge, advise have it." in done.err


def test_slices_are_judged_by_themselves(ordeval: Ordeval, tmp_path: Path) -> None:
    lines = RATINGS.splitlines()
    rows = [lines[0] + ",topic"] + [f"{x},{'p' if i % 2 else 'q'}" for i, x in enumerate(lines[1:])]
    write_files(tmp_path, {"r.csv": "\n".join(rows) + "\n"})
    args = ("judge", "r.csv", "--models", "model", "--by", "topic", "--tables", "slices")
    out = fine(ordeval(*args, "--format", "csv", *FEW))
    assert {row["slice"] for row in csv.DictReader(io.StringIO(out))} == {"p", "q"}


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


def test_an_empty_table_does_not_discard_the_others(ordeval: Ordeval, files: Path) -> None:
    done = ordeval("agreement", "ratings.csv", "--tables", "shares,kappas", "--draws", "20")
    assert done.code == 0
    assert "Share of each class" in done.out
    assert "nothing in the table 'kappas': it has tests of two raters" in done.err
    args = ("judge", "ratings.csv", "--models", "model", "--draws", "20", "--tables")
    done = ordeval(*args, "slices")
    assert done.code == 2
    assert "'slices': name the columns of slices with --by" in done.err
    assert "Alternative annotator test" in ordeval(*args, "all").out


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
