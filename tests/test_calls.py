"""The call that a result prints makes the same result again, in Python and as a command."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import ordeval as oe
from ordeval.cli import main

RNG = np.random.default_rng(5)
GOLD = RNG.integers(1, 4, 40).tolist()
NEAR = {name: np.clip(GOLD + RNG.integers(-1, 2, 40), 1, 3).tolist() for name in ("ann", "bob")}
UNITS = {"query": [f"t{i % 4}" for i in range(40)], "w": RNG.integers(1, 5, 40).tolist()}
QUICK: dict[str, Any] = {"draws": 60, "rng": 3}
COLUMNS = {"truth": GOLD, **NEAR, **UNITS, "id": list(range(40))}


def in_memory(_: Path) -> Any:
    topic = {"topic": UNITS["query"], "weight": UNITS["w"]}
    return oe.compare(GOLD, NEAR, "qwk, mae", labels=[1, 2, 3], **topic, **QUICK)


def of_frame(_: Path) -> Any:
    roles = {"topic": "query", "weight": "w"}
    columns = ["ann", "bob"]
    return oe.compare("truth", columns, "qwk, mae", data=pl.DataFrame(COLUMNS), **roles, **QUICK)


def of_file(folder: Path) -> Any:
    path = folder / "data.csv"
    pl.DataFrame(COLUMNS).write_csv(path)
    return oe.evaluate("truth", "ann", "cem", data=path, topic="query", **QUICK)


def of_runs(folder: Path) -> Any:
    gold, runs = folder / "gold.csv", []
    pl.DataFrame({"id": COLUMNS["id"], "truth": GOLD, "query": UNITS["query"]}).write_csv(gold)
    for name, labels in NEAR.items():
        runs.append(folder / f"{name}.csv")
        pl.DataFrame({"id": COLUMNS["id"], "pred": labels}).write_csv(runs[-1])
    data = oe.read(gold, *runs, gold="truth", topic="query", where={"query": ["t0", "t1", "t2"]})
    return oe.compare(data, measures="qwk", margin=0.1, **QUICK)


def ratings_of_file(folder: Path) -> Any:
    path = folder / "ratings.csv"
    pl.DataFrame({"item": COLUMNS["id"], "truth": GOLD, **NEAR}).write_csv(path)
    return oe.agreement(data=path, item="item", measures="ac2, icc", **QUICK)


def some_ratings(folder: Path) -> Any:
    path = folder / "ratings.csv"
    pl.DataFrame({"item": COLUMNS["id"], "truth": GOLD, **NEAR, **UNITS}).write_csv(path)
    names = ["truth", "ann", "bob"]
    data = oe.read(path, gold=None, pred=names, item="item", where={"query": ["t0", "t1"]})
    return oe.judge(["truth", "ann"], ["bob"], "qwk", data=data, **QUICK)


def _probabilities() -> dict[str, Any]:
    near, far = (np.eye(3)[np.array(labels) - 1] * 0.7 + 0.1 for labels in NEAR.values())
    names = [f"{s} {k}" for s in ("a=x", "b") for k in (1, 2, 3)]
    return dict(zip(names, np.hstack([near, far]).T.tolist(), strict=True))


def probabilities_of_file(folder: Path) -> Any:
    path = folder / "data.csv"
    pl.DataFrame({**COLUMNS, **_probabilities()}).write_csv(path)
    proba = {"u,1": "a=x {label}", "v": ["b 1", "b 2", "b 3"]}
    return oe.compare("truth", data=path, proba=proba, measures="rps, mae", **QUICK)


def probabilities_of_runs(folder: Path) -> Any:
    gold, runs = folder / "gold.csv", []
    pl.DataFrame({"truth": GOLD, "nr": COLUMNS["id"]}).write_csv(gold)
    for system in ("a=x", "b"):
        own = {k[-1]: x for k, x in _probabilities().items() if k.startswith(system)}
        runs.append(folder / f"{system}.csv")
        pl.DataFrame({"nr": COLUMNS["id"], **own}).write_csv(runs[-1])
    data = oe.read(gold, *runs, gold="truth", id="nr", proba="{label}", labels=[1, 2, 3])
    return oe.compare(data, measures="rps", **QUICK)


def plan_of_file(folder: Path) -> Any:
    path = folder / "data.csv"
    pl.DataFrame(COLUMNS).write_csv(path)
    data = oe.read(path, gold="truth", pred=["ann", "bob"], topic="query", weight="w")
    return oe.plan(data, "mae", difference=0.2, power=0.9)


FILES = (
    of_file,
    of_runs,
    ratings_of_file,
    some_ratings,
    plan_of_file,
    probabilities_of_file,
    probabilities_of_runs,
)
CASES: dict[str, Callable[[Path], Any]] = {f.__name__: f for f in (in_memory, of_frame, *FILES)}


@pytest.mark.parametrize("case", CASES)
def test_the_printed_python_makes_the_same_result(case: str, tmp_path: Path) -> None:
    result = CASES[case](tmp_path)
    code = re.sub(r"^oe\.", "again = oe.", result.call.python(), flags=re.MULTILINE)
    names: dict[str, Any] = {
        "oe": oe,
        "data": pl.DataFrame(COLUMNS),
        "y_true": GOLD,
        "y_pred": NEAR,
    }
    names |= {"topic": UNITS["query"], "weight": UNITS["w"]}
    exec(code, names)
    assert names["again"].to_csv() == result.to_csv()


@pytest.mark.parametrize("case", [case for case in CASES if case not in ("in_memory", "of_frame")])
def test_the_printed_command_makes_the_same_result(case: str, tmp_path: Path) -> None:
    result = CASES[case](tmp_path)
    out = tmp_path / "again.json"
    words = shlex.split(result.call.command().replace("\\\n", " "))
    assert main([*words[1:], "--format", "json", "--out", str(out), "--quiet"]) == 0
    assert oe.load(out).to_csv() == result.to_csv()


def test_numbers_of_numpy_are_options_like_others() -> None:
    """Calls printed np.float64(0.1), na=['9'] for 9, and cutpoints(ci=np.float64(0.9)) crashed."""
    own = {"ci": 0.9, "draws": 60, "margin": 0.1, "trials": 99, "rng": 3}
    given = {name: np.asarray(value)[()] for name, value in own.items()}
    how = {"labels": [1, 2, 3], "missing": "skip", "measures": "mae"}
    first = oe.compare(GOLD, NEAR, **how, **own, na=[9])
    second = oe.compare(GOLD, NEAR, **how, **given, na=np.array([9]))
    assert second == first
    assert second.call.python() == first.call.python()
    cuts = [oe.cutpoints(GOLD, NEAR["ann"], "qwk", ci=ci) for ci in (0.9, given["ci"])]
    assert cuts[0] == cuts[1]


def test_a_page_has_a_command_only_if_it_can_be_typed(tmp_path: Path) -> None:
    for case, has in (("in_memory", False), ("of_frame", False), (FILES[0].__name__, True)):
        page = CASES[case](tmp_path).to_html()
        assert ("--html=report.html" in page) == has
        assert "In Python" in page
