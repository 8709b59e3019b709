"""Official figures of a shared task, through the command."""

import csv
import json
from pathlib import Path

import pytest
from cli_files import Ordeval


def test_classification_runs(shared: Path, ordeval: Ordeval) -> None:
    folder = shared / "data" / "semeval2016-task4"
    args = ("score", str(folder / "subtask-C.tsv.gz"), "--topic", "topic", "--labels", "-2..2")
    more = ("--aggregate", "pool", "--measures", "macro_mae, mae", "--bootstrap", "0")
    data = json.loads(ordeval(*args, *more, "--format", "json").out)
    official = _rows(folder / "official-scored-C.tsv")
    assert len(data["systems"]) == len(official) == 12
    for row in official:
        for column, spec in (("MAE_M", "macro_mae"), ("MAE_mu", "mae")):
            ours = data["measures"][spec]["scores"][row["run"]]
            assert ours == pytest.approx(float(row[column]), abs=_half_digit(row[column]))


def test_quantification_runs(shared: Path, ordeval: Ordeval) -> None:
    folder = shared / "data" / "semeval2016-task4"
    args = ("quantify", str(folder / "subtask-E.tsv"), "--keep-sums", "--measures", "emd")
    data = json.loads(ordeval(*args, "--bootstrap", "0", "--trials", "1", "--format", "json").out)
    scores = data["measures"]["emd"]
    for row in _rows(folder / "official-scored-E.tsv"):
        topic = row.pop("topic")
        for run, printed in row.items():
            by_topic = scores["per_topic"][run]
            ours = scores["scores"][run] if topic == "OVERALL" else by_topic[topic]
            assert ours == pytest.approx(float(printed), abs=_half_digit(printed))


def _rows(path: Path) -> list[dict[str, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _half_digit(printed: str) -> float:
    return 0.5001 * 10 ** -len(printed.partition(".")[2])
