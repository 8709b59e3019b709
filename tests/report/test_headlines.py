"""What tables say of themselves: who was scored on what, which pair, how to repeat it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ordeval as oe
from ordeval.evaluation import Settings, compare_source
from ordeval.io import open_files
from ordeval.report.result_page import command_line, python_call
from ordeval.report.story import data_checks
from ordeval.report.writers import to_text

RNG = np.random.default_rng(3)
GOLD = RNG.integers(1, 6, 120)
FRAME = pd.DataFrame(
    {
        "Konsens": GOLD,
        "Rater 1": np.clip(GOLD + RNG.integers(0, 2, 120), 1, 5),
        "Rater 2": np.clip(GOLD + RNG.integers(-1, 2, 120), 1, 5),
        "AI Modell": np.clip(GOLD + RNG.integers(-2, 3, 120), 1, 5),
        "patient": np.arange(120) // 3,
        "w": RNG.random(120) + 0.1,
    }
)
QUICK: dict[str, Any] = {"labels": range(1, 6), "measures": "qwk", "bootstrap": 100}
RATERS = ["Rater 1", "Rater 2", "AI Modell"]


def compared(**options: Any) -> oe.Result:
    given: dict[str, Any] = {"gold": "Konsens", "pred": RATERS, "trials": 200, **QUICK, **options}
    return oe.compare_frame(FRAME, **given)


def test_one_system_is_named_with_gold_and_clusters(tmp_path: Path) -> None:
    given: dict[str, Any] = {"gold": "Konsens", "pred": ["Rater 2"], **QUICK}
    found = oe.evaluate_frame(FRAME, cluster="patient", weight="w", **given)
    start = "Rater 2 against Konsens: 120 weighted items (worth "
    assert found.to_text().startswith(start)
    for text in (found.to_text(), found.to_markdown().replace("\\", ""), found.to_html()):
        assert "in 40 clusters" in text.replace("\n", " ")
    found.to_json(tmp_path / "r.json")
    assert oe.load(tmp_path / "r.json").clusters == 40


def test_one_system_in_memory_is_named() -> None:
    found = oe.evaluate(GOLD, {"bert": FRAME["Rater 1"]}, **QUICK)
    assert found.to_text().startswith("bert: 120 items, scale")


def test_several_systems_are_counted_where_gold_has_a_name() -> None:
    assert compared().to_text().startswith("3 systems against Konsens: 120 items, scale")


@pytest.mark.parametrize("width", [60, 80, 200])
def test_pairs_keep_both_names_and_the_direction(width: int) -> None:
    found = compared(against="Rater 1", margin=0.15, differences=True)
    text = to_text(found.table("pairs"), width)
    turned = "Rater 1 − AI Modell" in " ".join(text.split())
    assert turned or "against" in text
    assert "Rater 1 is better" in " ".join(text.split())
    assert "better" in [pair.verdict for pair in found.pairs()]


def test_one_pair_that_is_turned_names_both() -> None:
    found = compared(pred=["Rater 1", "AI Modell"], margin=0.15, differences=True)
    text = " ".join(to_text(found.table("pairs"), 60).split())
    assert "Rater 1 − AI Modell" in text
    assert ",better" in found.table("pairs").to_csv()


def test_tables_show_themselves() -> None:
    found = compared().table("pairs")
    assert "Pairs of systems" in str(found) == repr(found)
    assert found._repr_html_().startswith("<table>")
    assert list(found.to_frame("pandas").columns[:2]) == ["system", "against"]


def test_the_reading_of_labels_is_repeated(tmp_path: Path) -> None:
    rough = FRAME.astype({"Rater 1": float})
    rough.loc[:3, "Rater 1"] = 99
    rough["Rater 2"] += 0.2
    options: dict[str, Any] = {"missing": "skip", "na": [99], "bins": [1.5, 2.5, 3.5, 4.5]}
    rough.to_csv(tmp_path / "r.csv", index=False)
    by_door = [
        oe.compare(rough["Konsens"], rough[RATERS], **QUICK, **options),
        oe.compare_frame(rough, gold="Konsens", pred=RATERS, **QUICK, **options),
    ]
    reading = {"labels": QUICK["labels"], **options}
    with open_files(tmp_path / "r.csv", gold="Konsens", pred=RATERS, **reading) as items:
        by_door.append(compare_source(items, measures="qwk", settings=Settings(bootstrap=0)))
    for found in by_door:
        assert "|missing:skip|na:99|" in found.signature()
        call, command = python_call(found), command_line(found)
        assert "missing='skip'" in call
        assert "na=[99]" in call
        assert "bins=[1.5, 2.5, 3.5, 4.5]" in call
        for option in ("--missing=skip", "--na=99", "--bins=1.5,2.5,3.5,4.5"):
            assert option in command
    assert "--gold=Konsens" in command_line(by_door[1])
    assert "missing" not in compared().signature()
    assert json.loads(by_door[2].to_json())["about"]["na"] == [99]


def test_notes_explain_only_marks_that_are_there() -> None:
    told = compared()
    assert "beats: ranks of the systems" in told.to_text()
    assert "Superscript: ranks of the systems" in told.to_latex()
    assert "beats" not in told.to_latex()
    same = oe.compare(GOLD, {"a": GOLD, "b": GOLD}, trials=50, **QUICK)
    assert "uperscript" not in same.to_latex()
    assert "No system is significantly worse than another one at p" in same.to_latex()
    assert "beats: no system is significantly worse" in same.to_text()


def test_information_is_no_warning() -> None:
    rough = np.clip(GOLD + 0.2, 1, 5)
    options: dict[str, Any] = {"labels": range(1, 6), "bins": "round", "bootstrap": 0}
    result = oe.evaluate(GOLD, {"a": rough}, measures="mae", **options)
    levels = {check.text: check.level for check in data_checks(result)}
    raw = next(text for text in levels if text.startswith("Computed from the numbers"))
    assert levels[raw] == "note"
