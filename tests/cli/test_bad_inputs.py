"""Bad input through the real command: exit code 2, the whole message under snapshot, no files.

Set ORDEVAL_UPDATE_SNAPSHOTS=1 to write the messages anew, then read the difference.
"""

import gzip
import os
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from cli_files import (
    GOLD,
    GOLD_SHARES,
    LONG_RATINGS,
    RATINGS,
    RUN_A,
    RUN_SHARES,
    TABLE,
    Files,
    Ordeval,
    write_files,
)

SNAPSHOT = Path(__file__).with_name("bad_inputs.txt")
TOPICS = "id,topic,label\n1,x,1\n1,y,2\n"
LONG = "id,run,label\n1,a,1\n2,b,1\n1,b,2\n"
WITH_NUMBERS = "anna,ben,essay\n" + "".join(f"{i % 3},{i % 2},{40 * i}\n" for i in range(30))
JUDGED = "gold,a,judge,rate\n1,1,1,0.1\n,2,2,0.2\n2,2,2,0.1\n,1,2,0.3\n"
OTHER_NAMES = "item,rater,grade\n1,anna,3\n1,ben,2\n"
WORDS = "gold,a\nlow,low\nhigh,medium\nmedium,high\n"


@dataclass(frozen=True)
class Bad:
    """A command that must be refused."""

    name: str
    args: tuple[str, ...]
    files: Files = field(default_factory=dict)


def bad(name: str, *args: str, **files: str | bytes) -> Bad:
    """A case; the files are named with __ for a dot."""
    return Bad(name, args, {key.replace("__", "."): text for key, text in files.items()})


def score(name: str, *args: str, table: str | bytes = TABLE) -> Bad:
    """A case of `ordeval score` on one table."""
    return Bad(name, ("score", "t.csv", *args), {"t.csv": table})


def joined(name: str, *args: str, gold: str = GOLD, run: str = RUN_A) -> Bad:
    """A case of `ordeval compare` with a run file."""
    return Bad(name, ("compare", "gold.csv", "run.csv", *args), {"gold.csv": gold, "run.csv": run})


def shares(name: str, *args: str, gold: str = GOLD_SHARES, run: str = RUN_SHARES) -> Bad:
    """A case of `ordeval quantify` with a run file."""
    return Bad(name, ("quantify", "gold.csv", "run.csv", *args), {"gold.csv": gold, "run.csv": run})


def agreement(name: str, *args: str, table: str | bytes = RATINGS, file: str = "r.csv") -> Bad:
    """A case of `ordeval agreement`."""
    return Bad(name, ("agreement", file, *args), {file: table})


def judge(name: str, *args: str, table: str | bytes = RATINGS) -> Bad:
    """A case of `ordeval judge`."""
    return Bad(name, ("judge", "r.csv", *args), {"r.csv": table})


RATED_WORDS = "item,anna,ben\n1,low,high\n2,medium,medium\n3,high,low\n"
QUESTIONS = """[{"id": 1, "annotations": [{"completed_by": 1, "result": [
 {"from_name": "quality", "value": {"rating": 4}},
 {"from_name": "tone", "value": {"choices": ["good"]}}]}]}]
"""

CASES = [
    # advice
    bad("unknown answer", "advise", "--order", "ordnal"),
    bad("advice on no such file", "advise", "nowhere.csv"),
    bad("columns without data", "advise", "--gold", "truth"),
    bad("raters without data", "advise", "--raters", "a,b"),
    bad(
        "gold and raters", "advise", "r.csv", "--raters", "anna,ben", "--topic", "t", r__csv=RATINGS
    ),
    bad("one rater to advise on", "advise", "r.csv", "--raters", "anna", r__csv=RATINGS),
    bad("neither gold nor raters", "advise", "t.csv", t__csv="truth,a\n1,x\n2,y\n"),
    bad("shares without the task", "advise", "t.csv", "--prefix", "p_", t__csv=GOLD_SHARES),
    bad("words without an order", "advise", "t.csv", t__csv=WORDS),
    # values of options
    score("unknown format", "--format", "xml"),
    score("replicates are no number", "--bootstrap", "many"),
    score("negative replicates", "--bootstrap", "-1"),
    score("negative seed", "--seed", "-1"),
    score("no threads", "--threads", "0"),
    score("unknown treatment of missing", "--missing", "ignore"),
    # files
    bad("no such file", "score", "nowhere.csv"),
    bad("file name with a slip", "score", "tabel.csv", table__csv=TABLE),
    bad("directory", "score", "."),
    bad("pattern without a match", "score", "part-*.csv"),
    score("empty file", table=""),
    score("only a header", table="gold,a\n"),
    score("null bytes", table=b"gold,a\n1,\x00\n"),
    score("zip archive", table=b"PK\x03\x04" + bytes(40)),
    score("Latin-1 text", table="gold,a\ngut,schön\n".encode("latin-1")),
    score("unknown encoding", "--encoding", "klingon"),
    score("unusable memory limit", "--memory-limit", "lots"),
    score("row with too many fields", table="gold,a\n1,2\n1,2,3\n"),
    score("repeated column", table="gold,a,a\n1,2,3\n"),
    score("long delimiter", "--delimiter", ";;"),
    bad("called gzip but is not", "score", "t.csv.gz", t__csv__gz=TABLE),
    bad("truncated gzip", "score", "t.csv.gz", t__csv__gz=gzip.compress(b"a" * 999)[:20]),
    bad("called parquet but is not", "score", "t.parquet", t__parquet=TABLE),
    bad("damaged parquet", "score", "t.parquet", t__parquet=b"PAR1" + bytes(30) + b"PAR1"),
    bad("broken JSON line", "score", "t.jsonl", t__jsonl='{"gold": 1, "a": 2}\n{"gold": 1\n'),
    bad("JSON array", "score", "t.jsonl", t__jsonl='[{"gold": 1, "a": 2},\n{"gold": 1, "a": 1]\n'),
    bad("JSON without keys", "score", "t.jsonl", t__jsonl="{}\n{}\n"),
    bad("deep JSON", "score", "t.jsonl", t__jsonl='{"gold": ' + "[" * 9999 + "]" * 9999 + "}\n"),
    bad("repeated key", "score", "t.jsonl", t__jsonl='{"gold": 1}\n{"gold": 1, "gold": 2}\n'),
    bad("half a character", "score", "t.jsonl", t__jsonl='{"gold": "\\ud800", "a": 1}\n'),
    bad("called xlsx but is not", "score", "t.xlsx", t__xlsx=TABLE),
    score("web page", table="<!DOCTYPE html>\n<html></html>\n"),
    score("image", table=b"\x89PNG\r\n\x1a\n\x00\x00"),
    score("bytes", table=b"gold,a\n1,\xff\x00\n"),
    score("spaces between columns", table='"gold" "a"\n1 1\n2 2\n'),
    # columns
    score("long table", table="id,sys,gold,y\n1,x,1,1\n2,x,2,2\n1,y,1,2\n2,y,2,2\n"),
    score("no gold column", "--gold", "truth"),
    score("no such prediction column", "--pred", "a,c"),
    score("empty list of predictions", "--pred", ","),
    score("no such topic column", "--topic", "subject"),
    score("no such weight column", "--weight", "w"),
    score("only gold", table="gold\n1\n2\n"),
    score("terminal codes in a column", "--pred", "\x1b[31mred", table="gold,a\n1,2\n"),
    # labels
    score("order not declared", table=WORDS),
    score("label outside the scale", "--labels", "low,high", table=WORDS),
    score("text taken for a system", "--labels", "1..2", table="gold,a,task\n1,2,x\n2,1,y\n"),
    score("integer outside the scale", "--labels", "1..4"),
    score("labels that are not whole", table="gold,a\n1.5,2\n2,3\n"),
    score("ids taken for labels", table="gold,a\n1,100000\n2,200000\n"),
    score("small ids taken for a system", table="essay_id,gold,a\n1,1,1\n2,2,2\n3,2,1\n"),
    score("frequency taken for a system", table="gold,a,n\n1,1,1\n2,2,2\n2,1,1\n"),
    score("one class", "--labels", "only"),
    score("class named twice", "--labels", "low,high,low"),
    score("scale upside down", "--labels", "5..1"),
    score("empty labels", "--labels", ""),
    score("values without numbers", "--labels", "1..5", "--values", "a,b"),
    score("too few values", "--labels", "1..5", "--values", "1,2"),
    score("values that fall", "--labels", "1..5", "--values", "5,4,3,2,1"),
    score("missing prediction", table="gold,a\n1,1\n2,\n3,NA\n"),
    score("missing gold", "--missing", "worst", table="gold,a\n1,1\n,2\n"),
    score("negative weight", "--weight", "w", table="gold,a,w\n1,1,1\n2,1,-1\n"),
    score("weight in words", "--weight", "w", table="gold,a,w\n1,1,one\n2,1,two\n"),
    score("no such frequency column", "--frequency", "n"),
    score("frequency in parts", "--frequency", "n", table="gold,a,n\n1,1,1.5\n2,1,2\n"),
    score("negative frequency", "--frequency", "n", table="gold,a,n\n1,1,-1\n2,1,2\n"),
    score("frequency of nothing", "--frequency", "n", table="gold,a,n\n1,1,0\n2,1,0\n"),
    score("no such cluster column", "--cluster", "patient"),
    score("missing cluster", "--cluster", "c", table="gold,a,c\n1,1,x\n2,1,\n"),
    # runs
    joined("ids missing from a run", run="id,label\n0,1\n1,2\n"),
    joined("ids that gold lacks", run=RUN_A + "x1,1\nx2,2\n"),
    joined("repeated id in a run", run=RUN_A + "3,1\n"),
    joined("repeated id in gold", gold=GOLD + "3,t0,1\n"),
    bad(
        *("three faulty runs", "compare", "g.csv", "a.csv", "b.csv", "c.csv", "d.csv"),
        g__csv=GOLD,
        a__csv=RUN_A + "3,1\nx1,1\n",
        b__csv=RUN_A.replace("\n7,", "\n,"),
        c__csv="id,label\n0,1\n1,2\n",
        d__csv=RUN_A,
    ),
    joined("no id in a run", run="key,label\n0,1\n"),
    joined("two candidates in a run", run="id,x,y\n0,1,1\n"),
    joined("two columns for runs", "--pred", "label,other"),
    bad("run given twice", "compare", "g.csv", "r.csv", "r.csv", g__csv=GOLD, r__csv=RUN_A),
    joined("ids that are unique within topics", gold="id,topic,gold\n1,x,1\n1,y,2\n", run=TOPICS),
    joined("no such composite id", "--id", "topic,id"),
    joined("unknown value", "--where", "topic=t9"),
    joined("values that never meet", "--where", "topic=t1", "--where", "gold=1", "--where", "id=2"),
    joined("no condition", "--where", "topic"),
    bad("gold as its own run", "compare", "g.csv", "./g.csv", g__csv=GOLD),
    bad("folder without data", "compare", "g.csv", "runs", g__csv=GOLD, **{"runs/a__md": "x"}),
    bad("standard input twice", "compare", "-", "-"),
    bad("no system column", "compare", "t.csv", "--run", "system", t__csv=TABLE),
    bad("long table without gold", "compare", "t.csv", "--run", "run", t__csv=LONG),
    bad("long table with a gap", "compare", "t.csv", "--run", "run", "--gold", "b", t__csv=LONG),
    joined("sheet of a text file", "--sheet", "Ratings"),
    # measures and statistics
    score("unknown measure", "--measures", "kapa"),
    score("unknown parameter", "--measures", "kappa(wieghts=linear)"),
    score("unusable parameter", "--measures", "kappa(weights=cubic)"),
    score("no list of measures", "--measures", "cem; mae"),
    score("empty list of measures", "--measures", " "),
    score("measure of distributions", "--measures", "nmd"),
    score("unknown primary", "--primary", "best"),
    score("primary of distributions", "--primary", "rnod"),
    score("unusable replacement", "--undefined", "zero"),
    score("level above one", "--ci", "95"),
    score("topics resampled without topics", "--over", "topics"),
    joined("significance of nothing", "--alpha", "0"),
    bad("card of an unknown measure", "measures", "cme"),
    # distributions
    shares("measure of labels", "--measures", "cem"),
    shares("shares that do not sum to one", run=RUN_SHARES.replace("0.4", "0.6")),
    shares("negative share", run=RUN_SHARES.replace("0.3,0.3,0.4", "0.8,-0.2,0.4")),
    shares("share in words", run=RUN_SHARES.replace("0.4", "some")),
    shares("no column for a class", "--labels", "1..4"),
    shares("topic missing from a run", run=RUN_SHARES.replace("z,0.9,0.1,0\n", "")),
    shares("class with a prefix", gold=GOLD_SHARES.replace("1,2,3", "p_1,p_2,p_3")),
    shares("topic that gold lacks", run=RUN_SHARES + "w,1,0,0\n"),
    shares("repeated topic", run=RUN_SHARES + "x,1,0,0\n"),
    shares("order of shares not declared", gold="topic,low,high\nx,0.5,0.5\n"),
    shares("option for labels", "--pred", "a"),
    bad("clusters of shares", "quantify", "t.csv", "--from-labels", "--cluster", "b", t__csv=TABLE),
    bad("no column of systems", "quantify", "t.csv", t__csv=GOLD_SHARES),
    shares("option for distributions", "--from-labels", "--prefix", "p_"),
    # judging measures
    bad("measures judged without topics", "meta", "t.csv", t__csv=TABLE),
    bad(
        *("measures judged by one system", "meta", "g.csv", "r.csv", "--topic", "topic"),
        g__csv=GOLD,
        r__csv=RUN_A,
    ),
    # ratings
    bad("no file of ratings", "agreement", "nowhere.csv"),
    bad("rates beside a judge", "score", "t.csv", "--judge", "judge", t__csv=JUDGED),
    agreement("empty file of ratings", table=""),
    agreement("ratings with only a header", table="item,anna,ben\n"),
    agreement("no such rater", "--raters", "anna,bem"),
    agreement("rater given twice", "--raters", "anna,ben,anna"),
    agreement("one rater", "--raters", "anna"),
    agreement("one column of ratings", table="item,anna\n1,2\n2,3\n"),
    agreement("raters who rated nothing", table="item,anna,ben\n1,2,\n2,3,\n"),
    agreement("no rating", table="item,anna,ben\n1,,\n2,NA,\n"),
    agreement("text ratings without an order", table=RATED_WORDS),
    agreement("rating outside the scale", "--labels", "1..4"),
    agreement("code among ratings", table="item,anna,ben\n1,1,99\n2,3,3\n3,2,99\n4,5,4\n5,4,4\n"),
    agreement("ratings between classes", table="item,anna,ben\n1,1,2.5\n2,3,3\n3,2,1.5\n"),
    agreement("other column of ratings", "--rater", "rater", table=OTHER_NAMES),
    agreement("grades of Inspect", table="item,anna,ben\n1,C,I\n2,P,C\n3,I,I\n"),
    agreement("declared scale without a code", "--labels", "1..3", table="a,b\n1,99\n2,3\n3,1\n"),
    agreement("wide column among the raters", table=WITH_NUMBERS),
    agreement("text among the raters", table="item,anna,ben,comment\n1,2,3,fine\n2,3,3,odd\n"),
    agreement("id among the raters", table="essay_id,anna,ben\n701,2,3\n9802,3,3\n"),
    agreement("number of items among the raters", table="anna,ben,n\n1,2,90\n2,2,3\n"),
    agreement("no header", table="3,1\n2,2\n1,3\n"),
    agreement("visits", table="Patient,a,b\n" + "".join(f"{i // 2},1,2\n" for i in range(60))),
    agreement("item on two rows", table=RATINGS + "3,1,1,1,1\n"),
    agreement("item rated twice", table=LONG_RATINGS + "3,anna,person,1\n"),
    agreement("no such column of ratings", "--rating", "score", table=LONG_RATINGS),
    agreement("no such column of raters", "--rater", "judge", table=LONG_RATINGS),
    agreement("no column of items", "--rater", "who", table="who,rating\na,1\nb,2\n"),
    agreement("rating without a rater", "--rating", "anna"),
    agreement("no lists in JSON", "--rating", "r", table='item,r\n1,"[3, None]"\n'),
    agreement("several questions", table=QUESTIONS, file="export.json"),
    agreement("JSON of another form", table='{\n"a": 1\n}\n', file="export.json"),
    agreement("JSON that is cut", table=QUESTIONS[:60], file="export.json"),
    agreement("deep JSON document", table="[" * 9999, file="export.json"),
    agreement("coefficients of labels", "--measures", "mae"),
    agreement("unknown unit of intervals", "--over", "topics"),
    agreement("clusters of raters not given", "--over", "clusters"),
    agreement("nothing in a table", "--tables", "kappas"),
    agreement("two tables of raters in csv", "--tables", "main,pairs", "--format", "csv"),
    agreement("output onto the ratings", "--out", "r.csv"),
    judge("nobody says who is a model"),
    judge("no such model", "--models", "modle"),
    judge("person and model", "--people", "anna,ben", "--models", "ben"),
    judge("one person", "--people", "anna", "--models", "model"),
    judge("no such person", "--people", "anna,bem", "--models", "model"),
    judge("text beside people", "--models", "model", table="anna,ben,model,x\n1,2,2,a\n3,3,1,b\n"),
    judge("measure of several raters ranks", "--models", "model", "--primary", "ac2"),
    judge("only models", "--models", "anna,ben,carla,model"),
    judge("unknown kinds", table=LONG_RATINGS.replace("person", "pupil")),
    judge("kinds in wide form", "--kind", "anna", "--models", "model"),
    judge("unknown gold", "--models", "model", "--gold", "vote"),
    judge("negative margin", "--models", "model", "--margin", "-1"),
    judge("no such slices", "--models", "model", "--slices", "topic"),
    judge("measure of several raters", "--models", "model", "--measures", "ac2"),
    bad("measures judged by clusters", "meta", "t.csv", "--cluster", "b", t__csv=TABLE),
    bad("no distributions to judge by", "meta", "t.csv", "--prefix", "p_", t__csv=TABLE),
    bad("no splits", "meta", "t.csv", "--splits", "0", t__csv=TABLE),
    bad("axioms of two kinds", "axioms", "cem", "rnod"),
    bad("axioms of the other task", "axioms", "cem", "--task", "quantification"),
    bad("axioms of no task", "axioms", "--task", "regression"),
    bad("axioms of no measure", "axioms", "seb"),
    # output
    joined("unknown table", "--tables", "main,plots"),
    joined("two tables in one csv file", "--tables", "main,p", "--format", "csv"),
    joined("tests of one system", "--tables", "p"),
    score("output into a missing directory", "--out", "no/where.txt"),
    score("output onto a directory", "--out", "."),
    score("output that is not text", "--out", "x.xlsx"),
    score("output onto the data", "--out", "./t.csv"),
    score("two outputs in one file", "--out", "x", "--html", "./x"),
    bad("report onto a run", "compare", "g.csv", "*.csv", "--html", "g.csv", g__csv=GOLD),
    bad("demonstration over other data", "demo", "--data", "here", **{"here/gold__csv": "mine\n"}),
]


def snapshots() -> dict[str, str]:
    """The recorded messages by the name of the case."""
    text = SNAPSHOT.read_text(encoding="utf-8") if SNAPSHOT.exists() else ""
    parts = [part.partition("\n") for part in text.split("## ")[1:]]
    return {name: message.rstrip("\n") for name, _, message in parts}


def record(name: str, message: str) -> None:
    """Write a message into the snapshot."""
    known = {**snapshots(), name: message}
    ordered = [case.name for case in CASES if case.name in known]
    text = "\n".join(f"## {case}\n{known[case]}\n" for case in ordered)
    SNAPSHOT.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_message_says_what_is_wrong(case: Bad, ordeval: Ordeval, tmp_path: Path) -> None:
    write_files(tmp_path, case.files)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = ordeval(*case.args)
    command = " ".join(ascii(a)[1:-1] for a in ("ordeval", *case.args))
    message = f"$ {command}\n{done.err}".rstrip("\n")
    if os.environ.get("ORDEVAL_UPDATE_SNAPSHOTS"):
        record(case.name, message)
    assert (done.code, done.out) == (2, "")
    assert message == snapshots().get(case.name)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_the_snapshot_holds_no_other_cases() -> None:
    assert list(snapshots()) == [case.name for case in CASES]


def test_no_message_shows_a_traceback_or_a_terminal_code() -> None:
    text = SNAPSHOT.read_text(encoding="utf-8")
    assert "Traceback" not in text
    assert "\x1b" not in text
