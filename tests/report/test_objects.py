"""Every object that a user gets prints, exports and, where it is kept, loads again."""

import io
import json
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from report_data import HOSTILE, labels_of, meta
from rich.console import Console

import ordeval as oe
from ordeval.meta import MetaEvaluation, ScoreMatrices, meta_evaluate

FOUND: MetaEvaluation = meta(mean_splits=60)
LABELS = [HOSTILE, "=1+1", "$x_1$ & |", "\x1b[31mred"]
GOLD, PREDICTED = [0, 1, 2, 3, 3, 2], [0, 1, 2, 3, 1, 1]


def counts(systems: int) -> oe.Counts:
    gold, guesses, topics = labels_of([f"system {i}" for i in range(systems)], 5, 10)
    return oe.Counts.from_labels(gold, guesses, labels=range(1, 6), topic=topics)


AXIOMS = oe.meta.axioms("cem, mae", ["ordinal_invariance", "symmetry"], rng=0)


def hostile_objects() -> dict[str, Any]:
    gold, predicted = ([LABELS[i] for i in codes] for codes in (GOLD, PREDICTED))
    scores = ScoreMatrices.from_scores(
        np.random.default_rng(0).random((2, 3, 8)),
        measures=LABELS[:2],
        systems=LABELS[1:],
        topics=[f"{LABELS[0]}{i}" for i in range(8)],
        better=["higher", "lower"],
    )
    few: dict[str, Any] = {"size": 3, "splits": 10, "mean_splits": 10, "trials": 10, "rng": 0}
    found = meta_evaluate(scores, scores, **few)
    return {
        "per class": oe.per_class(gold, predicted, labels=LABELS),
        "counts": oe.Counts.from_labels(gold, {HOSTILE: predicted}, labels=LABELS),
        "meta-evaluation": found,
        **{f.name: getattr(found, f.name) for f in fields(found) if f.name != "advice"},
    }


HOSTILE_OBJECTS = hostile_objects()


@pytest.mark.parametrize("name", HOSTILE_OBJECTS)
def test_names_from_data_are_text_everywhere(name: str) -> None:
    item = HOSTILE_OBJECTS[name]
    assert "<img" not in item._repr_html_()
    assert "<img" not in item.to_markdown().replace(r"\<", "")
    assert "$x_1$" not in item.to_latex()
    assert not any(cell == "=1+1" for row in item.to_csv().splitlines() for cell in row.split(","))
    Console(width=300, file=(drawn := io.StringIO())).print(item)
    assert "\x1b" not in str(item) + item.to_csv() + drawn.getvalue()


def test_figures_per_class_are_columns_by_their_names() -> None:
    figures = oe.per_class(GOLD, PREDICTED, labels=range(5))
    frame = figures.to_frame("pandas")
    assert list(frame.columns) == ["class", *figures.figures]
    assert frame["class"].tolist() == ["0", "1", "2", "3", "4"]
    for name, column in figures.figures.items():
        np.testing.assert_array_equal(frame[name], column)
    assert np.isnan(frame["recall"][4])
    assert "–" in str(figures).splitlines()[-1]


def test_counts_print_gold_in_rows_and_predicted_in_columns() -> None:
    shown = oe.Counts.from_table([[5, 2], [0, 3]], labels=["low", "high"]).to_markdown()
    assert shown.splitlines()[2:] == [
        r"| gold \\ predicted | low | high | all |",
        "| --- | ---: | ---: | ---: |",
        "| low | 5 | 2 | 7 |",
        "| high | 0 | 3 | 3 |",
        "| all | 5 | 5 | 10 |",
    ]


def test_counts_of_many_systems_are_a_row_each() -> None:
    found = counts(25)
    lines = str(found).splitlines()
    first = next(line for line in lines if line.startswith("system 0"))
    right = int(found.of("system 0").pooled().table.trace())
    assert first.split()[:4] == ["system", "0", "50", str(right)]
    assert "And 5 more." in lines
    assert len(lines) < 30


def test_counts_of_many_classes_and_none_at_all_are_short() -> None:
    assert len(str(oe.Counts.from_labels(range(200), range(200)))) < 400
    assert str(oe.Counts.from_table(np.ones((3, 0, 2, 2)))).splitlines()[-1].startswith("───")


def test_frames_of_counts_hold_every_cell() -> None:
    frame = counts(2).to_frame("pandas")
    assert list(frame.columns) == ["system", "topic", "gold", "predicted", "count"]
    np.testing.assert_array_equal(frame["count"], counts(2).table.ravel())
    unnamed = oe.Counts.from_table(np.ones((2, 3, 2, 2))).to_frame("polars")
    assert unnamed.columns == ["axis_1", "axis_2", "gold", "predicted", "count"]
    assert unnamed["axis_2"].to_list()[:5] == [1, 1, 1, 1, 2]


def test_weights_beside_whole_numbers_are_one_column_of_floats() -> None:
    found = oe.Counts.from_table([[1.0, 2.5], [0.0, 3.0]])
    assert found.to_frame("polars")["count"].to_list() == [1.0, 2.5, 0.0, 3.0]
    assert "Sums of weights." in str(found)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FOUND,
        lambda: meta(size=20, mean_splits=40),
        lambda: HOSTILE_OBJECTS["meta-evaluation"],
        lambda: AXIOMS,
    ],
    ids=["whole", "no small splits", "ready scores", "axioms"],
)
def test_the_archive_gives_the_same_object_back(make: Callable[[], Any], tmp_path: Path) -> None:
    item, path = make(), tmp_path / "found.json"
    item.to_json(path)
    text = path.read_text("utf-8")
    again = oe.load(path)
    assert type(again) is type(item)
    assert again == item
    assert again != "a text"
    assert again.to_json() == text
    for form in ("to_text", "to_csv", *(["to_html"] if item is FOUND else [])):
        assert getattr(again, form)() == getattr(item, form)()


def test_what_is_undefined_or_infinite_survives_the_archive(tmp_path: Path) -> None:
    scores = FOUND.matrices.scores.copy()
    scores[0, 0, 0], scores[1, 1, 1] = np.nan, np.inf
    found = replace(FOUND, matrices=replace(FOUND.matrices, scores=scores))
    found.to_json(tmp_path / "meta.json")
    np.testing.assert_array_equal(oe.load(tmp_path / "meta.json").matrices.scores, scores)


@pytest.mark.parametrize("key", ["matrices", "consistency", "coverage", "summary"])
def test_a_meta_evaluation_edited_by_hand_is_refused(key: str, tmp_path: Path) -> None:
    data = json.loads(FOUND.to_json())
    data[key] = "?"
    path = tmp_path / "meta.json"
    path.write_text(json.dumps(data))
    with pytest.raises(oe.InputError, match="incomplete or edited"):
        oe.load(path)
