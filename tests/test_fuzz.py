"""What once broke stays fixed, and the campaigns find, shrink, save and replay what breaks."""

import json
import random
from pathlib import Path

import pytest

pytest.importorskip("fuzz", reason="the campaigns are not in this copy")

from fuzz import __main__ as command
from fuzz import driver
from fuzz.campaigns import ALL
from fuzz.driver import Broken, Campaign, Case, problem_of, run, saved_cases


@pytest.mark.parametrize("path", saved_cases(sorted(ALL)), ids=lambda path: path.stem)
@pytest.mark.slow
def test_what_once_broke(path: Path) -> None:
    assert problem_of(path, ALL) == ""


@pytest.mark.parametrize("name", sorted(ALL))
def test_cases_depend_on_the_seed_alone(name: str) -> None:
    first, again, other = (ALL[name].draw(random.Random(seed)) for seed in ("1", "1", "2"))
    assert first == again != other
    assert json.loads(json.dumps(first)) == first


@pytest.mark.parametrize("name", sorted(ALL.keys() - {"processes"}))
def test_a_short_run_of_a_campaign(name: str) -> None:
    report = run(name, ALL[name], 0, seed=0, keep=False)
    assert report.tried.total() > 3
    assert not report.breaks, str(report)


def _draw(rng: random.Random) -> Case:
    return {"kind": "text", "text": "".join(rng.choice("abc") for _ in range(30)), "seen": []}


def _check(case: Case) -> str:
    if "c" in case["text"]:
        raise Broken("a c")
    return "fine"


def test_a_break_is_made_small_saved_and_replayed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(driver, "CORPUS", tmp_path)
    monkeypatch.setattr(command.campaigns, "ALL", {"toy": Campaign(_draw, _check, 1, ("text",))})
    assert command.main(["--seconds", "0", "--keep"]) == 1
    assert "BROKE: a c" in capsys.readouterr().out
    (saved,) = tmp_path.iterdir()
    assert json.loads(saved.read_text())["case"]["text"] == "c"
    assert command.main(["--seconds", "0"]) == 1
    assert "1 cases that once broke, 1 broken" in capsys.readouterr().out
