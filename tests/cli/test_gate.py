"""Gates: exit code 1 with one sentence, after everything is written; and results compared."""

import shlex
from math import hypot
from pathlib import Path
from typing import Any

import pytest

import ordeval as oe
from cli_files import Done, Ordeval, write_files
from ordeval.cli import main

GOLD = [1 + i % 5 for i in range(120)]
GOOD = [g if i % 9 else max(g - 1, 1) for i, g in enumerate(GOLD)]
BAD = [g if i % 2 else 1 + (g + i) % 5 for i, g in enumerate(GOLD)]
LABELS = ("--labels", "1..5", "--primary", "qwk")
_FEW_TOPICS = {
    name: "".join(f"{i % 5 + 1},{(i + shift * (i % 2)) % 5 + 1},{i % 3}\n" for i in range(30))
    for name, shift in (("was", 0), ("now", 1))
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = list(zip(GOLD, GOOD, BAD, strict=True))
    table = "gold,good,bad,topic\n" + "".join(
        f"{g},{a},{b},{i % 12}\n" for i, (g, a, b) in enumerate(rows)
    )
    write_files(tmp_path, {"data.csv": table})
    return tmp_path


def score(ordeval: Ordeval, pred: str, *args: str) -> Done:
    return ordeval("score", "data.csv", "--pred", pred, *LABELS, *args)


@pytest.mark.parametrize(
    ("condition", "code", "says"),
    [
        ("qwk=0.5", 0, ""),
        ("qwk=0.5, mae=0.4", 0, ""),
        ("qwk=0.99", 1, "below 0.99"),
        ("kappa(weights='quadratic')=0.99, mae=0.01", 1, "upper end of its 95 % interval is"),
        ("qwk", 2, "Examples are"),
        ("qwk=nan", 2, "Examples are"),
        ("=0.7", 2, "Examples are"),
        ("nope=0.7", 2, "nope"),
        ("rps=0.7", 2, "not among the measures"),
    ],
)
def test_scores_must_be_good_enough(
    condition: str, code: int, says: str, ordeval: Ordeval, files: Path
) -> None:
    done = score(ordeval, "good", "--fail-under", condition)
    assert done.code == code
    assert says in done.err
    assert bool(done.out) == (code != 2)


def test_the_worse_end_of_the_interval_decides(ordeval: Ordeval, files: Path) -> None:
    row = oe.evaluate(GOLD, GOOD, "qwk", labels=range(1, 6))["qwk"]
    between = f"qwk={(row.low + row.value) / 2}"
    assert score(ordeval, "good", "--fail-under", between).code == 1
    assert score(ordeval, "good", "--fail-under", between, "--gate", "point").code == 0
    assert score(ordeval, "good", "--fail-under", f"qwk={row.low!r}").code == 0
    done = score(ordeval, "good", "--fail-under", "qwk=0.1", "--draws", "0")
    assert (done.code, "--gate point" in done.err) == (2, True)


def test_every_system_must_pass_and_all_output_is_written(ordeval: Ordeval, files: Path) -> None:
    out = ("--out", "r.json", "--html", "r.html", "-q")
    done = score(ordeval, "good,bad", "--fail-under", "qwk=0.7", *out)
    assert done.code == 1
    assert done.err.startswith("Gate failed: quadratic kappa of bad is")
    assert len(done.err.splitlines()) == 1
    assert oe.load(files / "r.json").systems == ("good", "bad")
    assert "</html>" in (files / "r.html").read_text()


def test_undefined_scores_fail(ordeval: Ordeval, tmp_path: Path) -> None:
    write_files(tmp_path, {"data.csv": "gold,a\n1,1\n1,1\n"})
    done = ordeval("score", "data.csv", "--labels", "1,2", "--fail-under", "qwk=-1")
    assert (done.code, "is undefined" in done.err) == (1, True)


@pytest.mark.parametrize("topics", [False, True])
def test_worse_than_a_stored_result(topics: bool, ordeval: Ordeval, files: Path) -> None:
    by = ("--topic", "topic") if topics else ()
    for system in ("good", "bad"):
        assert score(ordeval, system, *by, "--out", f"{system}.json").code == 0
    done = score(ordeval, "bad", *by, "--fail-if-worse", "good.json")
    assert done.code == 1
    assert ("over 12 topics, paired" if topics else "over 120 items, unpaired") in done.err
    assert score(ordeval, "good", *by, "--fail-if-worse", "bad.json").code == 0
    assert score(ordeval, "good", *by, "--fail-if-worse", "good.json").code == 0


def test_systems_are_matched_by_name(ordeval: Ordeval, files: Path) -> None:
    score(ordeval, "good,bad", "--out", "both.json")
    assert score(ordeval, "bad,good", "--fail-if-worse", "both.json").code == 0
    score(ordeval, "good", "--out", "good.json")
    done = score(ordeval, "good,bad", "--fail-if-worse", "good.json")
    assert (done.code, "no system 'bad'" in done.err) == (2, True)


def test_a_point_decides_where_it_is_asked(ordeval: Ordeval, files: Path) -> None:
    nearly = [g if i != 1 else 5 for i, g in enumerate(GOOD)]
    rows = zip(GOLD, GOOD, nearly, strict=True)
    write_files(
        files, {"data.csv": "gold,good,next\n" + "".join(f"{g},{a},{b}\n" for g, a, b in rows)}
    )
    score(ordeval, "good", "--out", "good.json", "--draws", "0")
    worse = score(
        ordeval, "next", "--fail-if-worse", "good.json", "--gate", "point", "--draws", "0"
    )
    assert (worse.code, "worse than" in worse.err) == (1, True)
    assert score(ordeval, "next", "--fail-if-worse", "good.json").code == 2  # without intervals


def test_worse_than_a_system_of_the_comparison(ordeval: Ordeval, files: Path) -> None:
    both = ("compare", "data.csv", "--pred", "good,bad", *LABELS, "--fail-if-worse")
    done = ordeval(*both, "good")
    assert (done.code, "over 120 items, paired" in done.err) == (1, True)
    assert ordeval(*both, "bad").code == 0
    assert ordeval(*both, "absent.json").code == 2


def test_systems_that_are_only_scored_are_not_tested(ordeval: Ordeval, files: Path) -> None:
    done = score(ordeval, "good,bad", "--fail-if-worse", "good")
    assert (done.code, "Use `ordeval compare`" in done.err) == (2, True)
    assert score(ordeval, "good,bad", "--fail-if-worse", "good", "--gate", "point").code == 1


def test_gates_of_raters_and_distributions(ordeval: Ordeval, files: Path) -> None:
    ratings = ("agreement", "data.csv", "--raters", "gold,good", "--labels", "1..5")
    assert ordeval(*ratings, "--fail-under", "ac2=0.2").code == 0
    assert ordeval(*ratings, "--fail-under", "ac2=0.99").code == 1
    assert ordeval(*ratings, "--pair-measures", "mae", "--fail-under", "mae=3").code == 2
    for name, labels in (("good", GOOD), ("bad", [min(g + 1, 5) for g in GOLD])):
        rows = (f"{i % 12},{g},{x}\n" for i, (g, x) in enumerate(zip(GOLD, labels, strict=True)))
        write_files(files, {f"{name}.csv": "topic,gold,pred\n" + "".join(rows)})
    how = ("--from-labels", "--topic", "topic", "--labels", "1..5")
    assert ordeval("quantify", "good.csv", *how, "--out", "good.json").code == 0
    assert ordeval("quantify", "bad.csv", *how, "--fail-under", "nmd=0.9").code == 0
    done = ordeval("quantify", "bad.csv", *how, "--fail-if-worse", "good.json")
    assert (done.code, "over 12 topics, paired" in done.err) == (1, True)


def test_two_results_are_compared(ordeval: Ordeval, files: Path) -> None:
    for system in ("good", "bad"):
        score(ordeval, system, "--out", f"{system}.json")
    done = ordeval("compare", "bad.json", "good.json", "--primary", "mae", "--out", "both.json")
    assert done.code == 0
    both = oe.load(files / "both.json")
    assert both.systems == ("good", "bad")
    assert both.primary.key == "mae"
    assert not both.tests.paired
    repeated = eval(both.call.python(), {"oe": oe})
    assert repeated["mae"].rows == both["mae"].rows
    words = shlex.split(both.call.command().replace("\\\n", ""))
    assert main([*words[1:], "--out", "same.json"]) == 0
    assert oe.load(files / "same.json") == both
    done = ordeval(
        "compare", "bad.json", "good.json", "--fail-if-worse", "good", "--html", "p.html"
    )
    assert (done.code, "unpaired" in done.err) == (1, True)
    assert "Zou" in (files / "p.html").read_text()


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("good.json", "data.csv"), "and data.csv is not"),
        (("other.json", "good.json"), "and other.json is not"),
        (("good.json", "absent.json"), "absent.json cannot be read"),
        (("good.json",), "two stored results"),
        (("good.json", "two.json"), "2 systems"),
        (("good.json", "part.json"), "numbers of items differ (120 against 10)"),
        (("good.json", "shifted.json"), "gold labels differ (24, 24, 24, 24, 24 against "),
        (("good.json", "longer.json"), "classes differ (1, 2, 3, 4, 5 against 1, 2, 3, 4, 5, 6)"),
        (("good.json", "mae.json"), "no measure in common ('qwk' against 'mae')"),
        (("good.json", "judged.json"), "beside a judge differ (none against 60, 120)"),
        (("good.json", "good.json", "--margin", "0.1"), "--margin"),
        (("good.json", "raters.json"), "one holds no scores of systems"),
        (("raters.json", "good.json"), "one holds no scores of systems"),
    ],
)
def test_results_that_cannot_be_compared(
    args: tuple[str, ...], says: str, ordeval: Ordeval, files: Path
) -> None:
    quick = ("--draws", "50", "--measures", "qwk", "--out")
    score(ordeval, "good", *quick, "good.json")
    score(ordeval, "good,bad", *quick, "two.json")
    score(ordeval, "good", "--where", "topic=1", *quick, "part.json")
    score(ordeval, "bad", "--gold", "good", *quick, "shifted.json")
    judge = [
        f"{g if i < 60 else ''},{a},{g}" for i, (g, a) in enumerate(zip(GOLD, GOOD, strict=True))
    ]
    write_files(files, {"other.json": "{}", "few.csv": "\n".join(["gold,good,llm", *judge])})
    ordeval("score", "few.csv", "--pred", "good", "--judge", "llm", *LABELS, *quick, "judged.json")
    of_good = "data.csv", "--pred", "good", "--labels"
    ordeval("score", *of_good, "1..6", *quick, "longer.json")
    ordeval("score", *of_good, "1..5", *quick[:2], "--measures", "mae", "--out", "mae.json")
    raters = "data.csv", "--raters", "gold,good", "--labels", "1..5"
    ordeval("agreement", *raters, *quick[:2], "--out", "raters.json")
    done = ordeval("compare", *args)
    assert (done.code, says in done.err) == (2, True), done.err


@pytest.mark.parametrize("k", [2, 5, 101])
@pytest.mark.parametrize("weight", [None, [1 + i % 3 for i in range(120)]])
def test_the_unpaired_interval_is_that_of_independent_scores(k: int, weight: Any) -> None:
    how = {"labels": range(1, k + 1), "measures": "qwk, mae", "weight": weight, "draws": 200}
    gold, good, bad = ([1 + (x - 1) * (k - 1) // 4 for x in labels] for labels in (GOLD, GOOD, BAD))
    old, new = (oe.evaluate(gold, labels, **how) for labels in (good, bad))
    both = oe.compare(old, new)
    assert both.scores.systems == ("old", "new")
    for measure in both.measures:
        a, b, pair = old[measure], new[measure], both.pair("new", "old", measure)
        low, high = (
            hypot(b.value - b.low, a.high - a.value),
            hypot(b.high - b.value, a.value - a.low),
        )
        assert pair.value == pytest.approx(b.value - a.value)
        assert (pair.low, pair.high) == pytest.approx((pair.value - low, pair.value + high))
        assert (pair.p < 0.05) == (not pair.low <= 0 <= pair.high)
        assert pair.se == pytest.approx(hypot(a.se, b.se))


def test_a_hostile_name_is_text(ordeval: Ordeval, tmp_path: Path) -> None:
    rows = "".join(f"{g},{b},{a}\n" for g, a, b in zip(GOLD, GOOD, BAD, strict=True))
    write_files(tmp_path, {"data.csv": f"gold,\x1b[1m{{x}};b,a\n{rows}"})
    done = ordeval("score", "data.csv", *LABELS, "--fail-under", "qwk=0.7")
    assert done.code == 1
    assert "\x1b" not in done.err


def test_hostile_names_and_many_failures_stay_one_line(ordeval: Ordeval, tmp_path: Path) -> None:
    systems = ["::error::\nforged", *(f"s{i}" for i in range(14))]
    result = oe.evaluate(GOLD, dict.fromkeys(systems, BAD), "mae", labels=range(1, 6), draws=50)
    assert len(result.failures("mae=0.01")) == 15
    header = ",".join(["gold", '"::error::\nforged"', *systems[1:]])
    rows = "".join(f"{g}{f',{b}' * 15}\n" for g, b in zip(GOLD, BAD, strict=True))
    write_files(tmp_path, {"many.csv": f"{header}\n{rows}"})
    done = ordeval(
        "score", "many.csv", *LABELS[:2], "--measures", "mae", "--fail-under", "mae=0.01"
    )
    said = [line for line in done.err.splitlines() if line]
    assert done.code == 1
    assert len(said) == 1
    assert said[0].endswith("; and 5 more.")


def test_a_baseline_that_is_no_file_and_no_system_is_named(ordeval: Ordeval, files: Path) -> None:
    done = ordeval("compare", "data.csv", "--pred", "good,bad", *LABELS, "--fail-if-worse", "nope")
    assert done.code == 2
    assert "'nope' is neither a stored result nor one of the systems" in done.err


def test_results_beside_a_judge_are_compared(ordeval: Ordeval, tmp_path: Path) -> None:
    rows = [
        f"{g if i < 60 else ''},{a},{b},{g}"
        for i, (g, a, b) in enumerate(zip(GOLD, GOOD, BAD, strict=True))
    ]
    write_files(tmp_path, {"few.csv": "\n".join(["gold,good,bad,llm", *rows]) + "\n"})
    for name in ("good", "bad"):
        score = "score", "few.csv", "--pred", name, "--judge", "llm", *LABELS, "--out"
        ordeval(*score, f"{name}.json")
    done = ordeval("compare", "good.json", "bad.json", "--fail-if-worse", "good", "--notes")
    assert (done.code, "unpaired" in done.err, "worth" in done.out) == (1, True, True)


def test_a_share_is_neither_better_nor_worse(ordeval: Ordeval, files: Path) -> None:
    how = "--gold", "good,bad", "--measures", "shares", *LABELS[:2]
    done = ordeval("compare", "data.csv", *how, "--fail-if-worse", "good")
    assert (done.code, "is worse" in done.err) == (2, True)
    assert "better" not in ordeval("compare", "data.csv", *how).out


def test_a_gate_that_cannot_fail_says_so(ordeval: Ordeval, files: Path) -> None:
    write_files(files, {"few.csv": "gold,old,new\n1,1,2\n2,2,1\n3,3,2\n2,2,3\n"})
    says = "Gate passed. No difference can be significant"
    given = (*LABELS, "--fail-if-worse", "old", "-q")
    done = ordeval("compare", "few.csv", *given)
    assert (done.code, done.err.partition(":")[0]) == (0, says)
    # By the scores alone the gate can fail, whatever the tests can.
    assert "Gate failed" in ordeval("compare", "few.csv", *given, "--gate", "point").err
    ordeval("score", "data.csv", "--pred", "good", *LABELS, "--out", "good.json")
    assert not score(ordeval, "good", "--fail-if-worse", "good.json").err
    topics = {f"{name}.csv": "gold,p,topic\n" + rows for name, rows in _FEW_TOPICS.items()}
    write_files(files, topics)
    ordeval("score", "was.csv", *LABELS, "--topic", "topic", "--out", "was.json")
    done = ordeval("score", "now.csv", *LABELS, "--topic", "topic", "--fail-if-worse", "was.json")
    assert (done.code, done.err.partition(":")[0]) == (0, says)
