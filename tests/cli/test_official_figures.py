"""Official figures of a shared task, through the command."""

import csv
import json
from pathlib import Path

import pytest

from cli_files import Ordeval, scores_in


def test_classification_runs(shared: Path, ordeval: Ordeval) -> None:
    folder = shared / "data" / "semeval2016-task4"
    args = ("score", str(folder / "subtask-C.tsv.gz"), "--topic", "topic", "--labels", "-2..2")
    more = ("--aggregate", "pool", "--measures", "macro_mae, mae", "--draws", "0")
    data = json.loads(ordeval(*args, *more, "--format", "json").out)
    official = _rows(folder / "official-scored-C.tsv")
    assert len(data["scores"]["systems"]) == len(official) == 12
    for row in official:
        for column, spec in (("MAE_M", "macro_mae"), ("MAE_mu", "mae")):
            ours = scores_in(data)[spec][row["run"]]
            assert ours == pytest.approx(float(row[column]), abs=_half_digit(row[column]))


def test_quantification_runs(shared: Path, ordeval: Ordeval) -> None:
    folder = shared / "data" / "semeval2016-task4"
    args = ("quantify", str(folder / "subtask-E.tsv"), "--no-renormalise", "--measures", "emd")
    args += ("--system", "run", "--prefix", "p_")
    data = json.loads(ordeval(*args, "--draws", "0", "--trials", "1", "--format", "json").out)
    scores, [by_topic] = data["scores"], data["scores"]["per_topic"]
    for row in _rows(folder / "official-scored-E.tsv"):
        topic = row.pop("topic")
        for run, printed in row.items():
            ours = scores_in(data)["emd"][run]
            if topic != "OVERALL":
                ours = by_topic[scores["systems"].index(run)][scores["topics"].index(topic)]
            assert ours == pytest.approx(float(printed), abs=_half_digit(printed))


def test_two_class_quantification_runs(shared: Path, ordeval: Ordeval) -> None:
    """KLD, AE and RAE of all runs of subtask D, in the file and printed in the order of KLD."""
    folder = shared / "data" / "semeval2016-task4"
    args = ("quantify", str(folder / "subtask-D.tsv"), "--labels", "positive,negative")
    args += ("--system", "run", "--prefix", "p_")
    more = ("--size", "n_tweets", "--measures", "kld_smoothed, ae, rae_smoothed")
    quick = ("--draws", "0", "--trials", "1", "--format", "json")
    data = json.loads(ordeval(*args, *more, *quick).out)
    found = scores_in(data).values()
    ours = {name: [scores[name] for scores in found] for name in data["scores"]["systems"]}
    # Both baselines are printed under one name; the constant one is the worse by KLD.
    named = dict(sorted(ours.items(), key=lambda item: item[1][0]))
    lines = (folder / "official-results-D.txt").read_text("utf-8").splitlines()
    printed = [line.split() for line in lines]
    assert len(printed) == len(named) == 16
    baselines = iter(name for name in named if name.startswith("baseline"))
    for run, *figures in printed:
        scores = named[next(baselines) if run == "_baseline" else run]
        for figure, score in zip(figures, scores, strict=True):
            assert score == pytest.approx(float(figure), abs=_half_digit(figure)), run


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _half_digit(printed: str) -> float:
    return 0.5001 * 10 ** -len(printed.partition(".")[2])
