"""The benchmarks run, say what they leave out, and made the page that is checked in."""

import json
import subprocess
import sys
import tomllib
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest
from benchmarks import coverage, error_rates, judge_verdicts
from benchmarks.__main__ import report
from benchmarks.environments import Remote, Unavailable, Worker
from benchmarks.figures import FIGURES
from benchmarks.page import page
from benchmarks.peers import PACKAGES, PEERS
from benchmarks.simulation import replace, table
from benchmarks.tasks import TASKS, labels
from benchmarks.timing import Local, in_turn

ROOT = Path(__file__).resolve().parents[1]
RESULTS = json.loads((ROOT / "docs" / "benchmarks.json").read_text("utf-8"))


@pytest.mark.slow
def test_a_quick_run_compares_with_whatever_is_installed(tmp_path: Path) -> None:
    out = tmp_path / "found.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = json.loads(out.read_text("utf-8"))
    assert [case["task"] for case in found["cases"]] == [task.name for task in TASKS]
    assert all(case["cpu"] > 0 for case in found["cases"])
    assert {*found["versions"], *found["missing"]} >= set(PACKAGES)
    assert "needs an environment of its own" in found["missing"]["irrCAC"]
    assert "# Benchmarks" in page(found)


def test_the_page_is_made_from_the_results_that_are_checked_in() -> None:
    text = (ROOT / "docs" / "benchmarks.md").read_text("utf-8")
    assert text == page(RESULTS), "run `python -m benchmarks --page`"
    for figure in FIGURES:
        assert (ROOT / "docs" / "benchmarks" / f"{figure.axis}.svg").stat().st_size < 100_000


def test_the_results_hold_every_task_and_every_package() -> None:
    held = [(case["task"], case["size"]) for case in RESULTS["cases"]]
    assert held == [(task.name, size) for task in TASKS for size in task.sizes]
    compared = {row["package"] for case in RESULTS["cases"] for row in case["peers"]}
    assert compared | set(RESULTS["missing"]) == set(PACKAGES)


def test_values_of_the_results_differ_only_for_known_reasons(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert report(RESULTS) == 0
    row = {"package": "p", "cpu": 1.0, "difference": 0.1, "differs": ""}
    case = {"task": "qwk", "size": {"items": 1}, "cpu": 1.0, "peers": [row]}
    assert report({**RESULTS, "cases": [case]}) == 1
    assert "differs without a known reason" in capsys.readouterr().out


def test_one_quadratic_kappa_is_not_slower_than_that_of_scikit_learn() -> None:
    cases = [c for c in RESULTS["cases"] if c["task"].startswith("qwk")]
    rows = [(c, row) for c in cases for row in c["peers"] if row["package"] == "scikit-learn"]
    assert {c["task"] for c, _ in rows} == {"qwk", "qwk, lists", "qwk, texts", "qwk, classes"}
    assert all(row["cpu"] > c["cpu"] for c, row in rows)


def test_every_package_is_pinned_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    pinned = {each.partition("==")[0] for each in project["optional-dependencies"]["bench"]}
    here = {p.distribution for p in PACKAGES.values() if not p.requires}
    assert here <= pinned
    apart = [p for p in PACKAGES.values() if p.requires]
    assert all("==" in each for p in apart for each in p.requires)
    assert all(p.reason and p.distribution not in pinned for p in apart)


@pytest.mark.slow
def test_a_call_in_another_process_gives_the_same_values() -> None:
    pytest.importorskip("sklearn")
    [peer] = [p for p in PEERS if (p.task, p.package) == ("qwk", "scikit-learn")]
    data = labels({"items": 50})
    here = Local(peer.prepare(data), peer.read)
    with Worker(Path(sys.executable)) as worker:
        there = Remote(worker, peer, data)
        assert min(there.run()) > 0
        here.run()
        assert there.values() == here.values()
        with pytest.raises(Unavailable, match="ModuleNotFoundError"):
            worker.ask(do="version", package="irrCAC")


def test_calls_alternate_and_long_ones_are_made_once() -> None:
    order: list[str] = []

    class Fake:
        def __init__(self, name: str, seconds: float) -> None:
            self.name, self.seconds = name, seconds

        def run(self) -> tuple[float, float]:
            order.append(self.name)
            return self.seconds, self.seconds

        def values(self) -> list[float]:
            return []

    runs = [Fake("short", 0.1), Fake("long", 5.0)]
    short, long = in_turn(runs, [(0.0, 0.0), (5.0, 5.0)], budget=0.25)
    assert (short.repeats, long.repeats) == (3, 1)
    assert order == ["short"] * 3
    order.clear()
    in_turn([Fake("a", 0.1), Fake("b", 0.1)], [(0.0, 0.0)] * 2, budget=0.25)
    assert order == ["a", "b"] * 3


def test_tables_of_simulations_take_their_places(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# P\n\n<!-- table: a -->\n\n| x |\n| --- |\n| 1 |\n\ntext\n", "utf-8")
    replace(page, "a", table(["y"], [[2]]))
    replace(page, "a", table(["y"], [[3]]))
    assert page.read_text("utf-8") == (
        "# P\n\n<!-- table: a -->\n\n| y |\n| --- |\n| 3 |\n\ntext\n"
    )
    with pytest.raises(LookupError, match="no place for the table 'b'"):
        replace(page, "b", "")


def test_summaries_are_those_of_the_tables_on_the_page() -> None:
    """Tables of extremes are made from published tables, without simulating."""
    for module, file, only, number in (
        (coverage, "coverage.md", "lowest", 5),
        (error_rates, "error-rates.md", "range", 3),
    ):
        text = (ROOT / "docs" / file).read_text("utf-8")
        made = list(module.tables(Namespace(only=only, runs=0)))
        assert len(made) == number
        for name, summary in made:
            assert f"<!-- table: {name} -->\n\n{summary}\n" in text, f"--only {only} --write"


def test_verdicts_are_found_by_the_names_of_measures() -> None:
    random = np.random.default_rng(0)
    rows = judge_verdicts.judged(judge_verdicts.CASES[0], random, 30, draws=1, rng=0)
    assert {measure for _, measure in rows} == set(judge_verdicts.MEASURES)
