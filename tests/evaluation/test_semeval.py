"""Tests on the runs of SemEval-2016 Task 4 C: 12 systems, 100 topics."""

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe

SAKAI = (
    "kappa(weights=linear), alpha(level=ordinal), alpha(level=interval), cem, macro_mae, mae, "
    "accuracy, macro_f1, hmpr"
)
PAIRS = np.triu_indices(12, 1)


@pytest.fixture(scope="module")
def task(shared: Path) -> dict[str, Any]:
    """Gold, systems and topics, as `compare` takes them."""
    path = shared / "data/semeval2016-task4/subtask-C.tsv.gz"
    if not path.is_file():
        pytest.skip(f"no data at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        head, *rows = csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    systems = {name: np.array(columns[name], dtype=int) for name in head[3:]}
    gold = np.array(columns["gold"], dtype=int)
    return {"y_true": gold, "y_pred": systems, "topic": columns["topic"], "labels": range(-2, 3)}


@pytest.fixture(scope="module")
def result(task: dict[str, Any]) -> oe.Result:
    return oe.compare(**task, measures=SAKAI, trials=100_000, draws=0, rng=0)


def test_all_pairs_have_p_values_that_seeds_hardly_move(
    task: dict[str, Any], result: oe.Result
) -> None:
    other = oe.compare(**task, measures=SAKAI, trials=100_000, draws=0, rng=1)
    p = result.tests.p[:, *PAIRS]
    assert p.shape == (9, 66)
    assert np.all((p > 0) & (p <= 1))
    assert np.abs(p - other.tests.p[:, *PAIRS]).max() < 0.01


def test_a_constant_system_is_left_out_where_it_has_no_score(task: dict[str, Any]) -> None:
    found = oe.compare(**task, measures="kendall_b", trials=500, draws=0, undefined="skip")
    assert np.isnan(found.pair("twise", "baseline-majority-0").p)
    assert found.pair("twise", "pkudblab").p < 0.01
    assert any("leaves out 1 system" in notice for notice in map(str, found.notes))


def test_official_scores_pool_the_topics(task: dict[str, Any], shared: Path) -> None:
    pooled = oe.compare(**task, measures="macro_mae", aggregate="pool", draws=0, trials=100)
    assert pooled.scores.of("macro_mae", "twise") == pytest.approx(0.719, abs=5e-4)
    assert pooled.scores.of("macro_mae", "PotTS") == pytest.approx(1.237, abs=5e-4)
