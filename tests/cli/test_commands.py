"""Every command and every format, on real files."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import ordeval as oe
from cli_files import RUN_SHARES, Done, Ordeval, scores_in, write_files
from ordeval.cli import app
from ordeval.evaluation import CORE_MEASURES

FORMATS = ("text", "json", "csv", "markdown", "latex")
COMMANDS = {
    "score": ("score", "table.csv", "--labels", "1..5", "--draws", "50"),
    "compare": ("compare", "gold.csv", "a.csv", "b.csv", "--topic", "topic", "--draws", "50"),
    "agreement": ("agreement", "ratings.csv", "--labels", "1..5", "--draws", "50"),
    "judge": ("judge", "ratings.csv", "--models", "model", "--labels", "1..5", "--draws", "50"),
    "quantify": ("quantify", "shares.csv", "run.csv", "--draws", "50"),
    "advise": ("advise", "table.csv", "--labels", "1..5"),
    "meta": ("meta", "gold.csv", "a.csv", "b.csv", "--topic", "topic", "--splits", "5"),
    "axioms": ("axioms", "cem"),
    "measures": ("measures",),
    "card": ("measures", "qwk"),
    "demo": ("demo", "--no-report"),
}


def fine(done: Done) -> str:
    """The output of a command that worked."""
    assert (done.code, done.err) == (0, "")
    return done.out


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_every_format(
    name: str, style: str, ordeval: Ordeval, files: Path
) -> None:
    out = fine(ordeval(*COMMANDS[name], "--format", style, "--quiet"))
    looks_right = {
        "text": lambda: "  " in out and "| ---" not in out,
        "json": lambda: json.loads(out),
        "csv": lambda: len({len(row) for row in csv.reader(io.StringIO(out))}) == 1,
        "markdown": lambda: "| ---" in out,
        "latex": lambda: r"\toprule" in out,
    }
    assert looks_right[style]()


@pytest.mark.parametrize("name", ["score", "compare", "agreement", "judge", "quantify", "demo"])
def test_json_is_an_archive_that_can_be_loaded(name: str, ordeval: Ordeval, files: Path) -> None:
    ordeval(*COMMANDS[name], "--format", "json", "--out", "result.json", "--quiet")
    loaded = oe.load(files / "result.json")
    assert json.loads((files / "result.json").read_text("utf-8")) == json.loads(loaded.to_json())


def test_meta_says_that_the_sizes_of_topics_are_not_known(ordeval: Ordeval, files: Path) -> None:
    done = ordeval("meta", "shares.csv", "run.csv", "--distributions", "--measures", "kld_smoothed")
    assert done.code == 2
    assert "Give gold as counts, or name other measures with --measures" in done.err


def test_scores_equal_those_of_the_library(ordeval: Ordeval, files: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((files / "table.csv").read_text())))
    gold, a = ([int(row[name]) for row in rows] for name in ("gold", "a"))
    data = json.loads(
        fine(ordeval("score", "table.csv", "--measures", "cem, qwk", "--format", "json", "-q"))
    )
    for spec in ("cem", "qwk"):
        assert scores_in(data)[spec]["a"] == oe.score(gold, a, spec, labels=range(1, 6))


def test_score_shows_the_core_measures_for_every_system(ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval(*COMMANDS["score"]))
    lines = out.splitlines()
    assert lines[0].startswith("a ranks first of two systems")
    assert "60 items, scale 1 < 2 < 3 < 4 < 5 (K = 5)" in lines
    assert ["measure", "a", "b"] in [line.split() for line in lines]
    shown = {line.partition("  ")[0][:-2] for line in lines}  # without arrows
    assert {oe.measure(spec).label for spec in CORE_MEASURES} <= shown


@pytest.mark.parametrize("style", ["markdown", "latex"])
def test_documents_have_all_notes_or_none(style: str, ordeval: Ordeval, files: Path) -> None:
    full, quiet = (
        ordeval("agreement", "ratings.csv", "--format", style, *more).out for more in ((), ("-q",))
    )
    assert [text.count("Signature: ") for text in (full, quiet)] == [1, 0]


def test_notes_are_few_all_or_none(ordeval: Ordeval, files: Path) -> None:
    brief, full, quiet = (
        ordeval("demo", "--no-report", *more).out for more in ((), ("--notes",), ("-q",))
    )
    assert [text.count("Note: ") for text in (brief, full, quiet)] == [2, 6, 0]
    assert [text.count("Signature: ") for text in (brief, full, quiet)] == [0, 1, 0]
    assert brief.count("More: --notes (4 more); --html FILE\n") == 1
    assert "Method: " in full
    assert quiet.startswith("750 items")


def test_help_fits_a_screen_and_names_the_rest(
    ordeval: Ordeval, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in app.COMMANDS:
        brief, full = (fine(ordeval(name, option)) for option in ("--help", "--help-all"))
        assert len(brief.splitlines()) <= 44
        assert max(map(len, brief.splitlines())) <= 80
        assert f"`ordeval {name} --help-all`" in brief
        assert ("--memory-limit" in full) == (name not in ("demo", "axioms", "measures"))
        assert "--memory-limit" not in brief


@pytest.mark.parametrize(
    ("table", "heading"),
    [
        ("pairs", "Pairs of systems"),
        ("anova", "analysis of variance"),
    ],
)
def test_tables_on_request(table: str, heading: str, ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval(*COMMANDS["compare"], "--labels", "1..5", "--tables", f"main,{table}"))
    assert heading in out


def test_pairs_alone_in_csv(ordeval: Ordeval, files: Path) -> None:
    args = (*COMMANDS["compare"], "--labels", "1..5", "--tables", "pairs", "--format", "csv", "-q")
    out = fine(ordeval(*args))
    assert out.startswith(
        "measure,system,against,difference,low,high,se,doubt,specification,effect,p"
    )


def test_distributions_counted_from_labels(ordeval: Ordeval, files: Path) -> None:
    args = ("quantify", "gold.csv", "a.csv", "--from-labels", "--topic", "topic")
    data = json.loads(fine(ordeval(*args, "--labels", "1..5", "--format", "json")))
    assert data["scores"]["topics"] == ["t0", "t1", "t2"]
    assert scores_in(data)["nmd"]["a"] >= 0


def test_a_card_tells_axioms_and_what_to_know_about_intervals(ordeval: Ordeval) -> None:
    out = fine(ordeval("measures", "macro_mae"))
    holds, fails = re.search("✓ (.*?) ✗ (.*?) `ordeval axioms", " ".join(out.split())).groups()
    assert "Ordinal monotonicity" in holds
    assert "Symmetry" in fails
    assert "Doubtful over items if a gold class has fewer than 10 items." in " ".join(out.split())
    data = json.loads(fine(ordeval("measures", "macro_mae", "--format", "json")))
    assert data["axioms"]["imbalance"] is True
    assert data["axioms"]["symmetry"] is False
    assert '`ordeval axioms "oc(beta=0.5)"` searches them' in fine(
        ordeval("measures", "oc(beta=0.5)")
    )


def test_a_family_is_listed_by_its_name(ordeval: Ordeval) -> None:
    families = {m.record.family for m in oe.measures(None)}
    for family in families:
        data = json.loads(fine(ordeval("measures", family, "--format", "json")))
        assert {entry["family"] for entry in data} == {family}
        assert f"{family}," in fine(ordeval("measures", "--help-all")).replace(".", ",")
    out = fine(ordeval("measures", "agreement"))
    assert "cohen_kappa" in out
    assert "macro_mae" not in out


def test_axioms_show_counter_examples(ordeval: Ordeval) -> None:
    out = fine(ordeval("axioms", "cem"))
    assert "cem fails Symmetry:" in out
    assert "both should score the" in out


def test_meta_gives_advice(ordeval: Ordeval, files: Path) -> None:
    out = fine(ordeval(*COMMANDS["meta"], "--labels", "1..5", "--tables", "all"))
    assert out.startswith("Use ")
    for heading in ("Similarity", "Consistency", "Discriminative power", "Robustness and coverage"):
        assert heading in out


def test_meta_covers_distributions(ordeval: Ordeval, files: Path) -> None:
    args = ("meta", "shares.csv", "run.csv", "other.csv", "--distributions")
    more = ("--topic", "topic", "--splits", "5", "--trials", "9", "--size", "1")
    write_files(files, {"other.csv": RUN_SHARES.replace("0.3,0.3,0.4", "0.4,0.3,0.3")})
    usual = fine(ordeval(*args, *more, "--notes"))
    assert "Use RNOD" in usual
    assert "reference:nvd+nmd+jsd" in usual
    assert "class sizes:" not in usual
    assert "reference:emd" in fine(ordeval(*args, *more, "--notes", "--reference", "emd"))


def test_same_seed_same_answer(ordeval: Ordeval, files: Path) -> None:
    args = (*COMMANDS["compare"], "--labels", "1..5", "--trials", "99", "--format", "json")
    answers = [fine(ordeval(*args, *more)) for more in ((), ("--seed", "0"), ("--seed", "1"))]
    assert answers[0] == answers[1] != answers[2]


def test_notices_go_to_the_terminal_where_the_form_has_no_place(
    ordeval: Ordeval, files: Path
) -> None:
    args = ("score", "table.csv", "--measures", "mae", "--draws", "0", "--format", "csv")
    assert "inferred" in ordeval(*args).err
    assert fine(ordeval(*args, "--quiet")).startswith("measure,system,score")
