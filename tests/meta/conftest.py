"""Real runs of SemEval-2016 Task 4, read here by hand."""

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordeval import Counts, Shares
from ordeval.meta import ScoreMatrices

Rows = list[list[str]]


def _rows(path: Path) -> Rows:
    if not path.is_file():
        pytest.skip(f"no data at {path}")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return list(csv.reader(text.split("\n")[:-1], delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.fixture(scope="session")
def runs_c(shared: Path) -> Counts:
    """Subtask C: 12 runs on 100 topics, five classes."""
    header, *rows = _rows(shared / "data/semeval2016-task4/subtask-C.tsv.gz")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    labels = {name: [int(x) for x in columns[name]] for name in header[2:]}
    gold = labels.pop("gold")
    return Counts.from_labels(gold, labels, labels=[-2, -1, 0, 1, 2], topic=columns["topic"])


@pytest.fixture(scope="session")
def runs_e(shared: Path) -> dict[str, Any]:
    """Subtask E: gold distributions, 12 runs, topics."""
    _, *rows = _rows(shared / "data/semeval2016-task4/subtask-E.tsv")
    runs: dict[str, dict[str, list[float]]] = {}
    for run, topic, *shares in rows:
        runs.setdefault(run, {})[topic] = [float(x) for x in shares]
    topics = sorted(runs["gold"])
    tables = {run: np.array([by[t] for t in topics]) for run, by in runs.items()}
    return {"gold": tables.pop("gold"), "estimates": tables, "topics": topics}


@pytest.fixture(scope="session")
def sem16c(runs_c: Counts, golden: dict[str, Any]) -> ScoreMatrices:
    """Sakai's nine measures, in the order of his Table 2."""
    return ScoreMatrices.from_counts(runs_c, golden["sakai_2021"]["table2"]["order"])


@pytest.fixture(scope="session")
def sem16e(runs_e: dict[str, Any], golden: dict[str, Any]) -> ScoreMatrices:
    """Sakai's six measures, in the order of his Table 8."""
    measures = golden["sakai_2021"]["table8"]["order"]
    shares = Shares.read(runs_e["gold"], runs_e["estimates"], topic=runs_e["topics"])
    return ScoreMatrices.from_shares(shares, measures)


@pytest.fixture
def toy() -> ScoreMatrices:
    """Two measures of opposite direction that agree, and one that ranks the other way."""
    rng = np.random.default_rng(7)
    up = np.array([0.2, 0.4, 0.6, 0.8])[:, None] + 0.1 * rng.random((4, 12))
    return ScoreMatrices.from_scores(
        np.stack([up, 1 - up, -up]),
        measures=["gain", "loss", "opposite"],
        systems=["a", "b", "c", "d"],
        topics=[f"t{i}" for i in range(12)],
        better=["higher", "lower", "higher"],
    )
