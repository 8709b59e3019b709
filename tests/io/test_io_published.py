"""Published figures come out of the published files."""

from pathlib import Path

import numpy as np
import pytest
from io_files import counted

from ordeval import Shares, measure, read_shares


def _printed(path: Path) -> tuple[list[str], dict[str, list[str]]]:
    head, *rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return head, {row[0]: row for row in rows}


def test_semeval_2016_c_official_scores(shared: Path) -> None:
    folder = shared / "data/semeval2016-task4"
    found = counted(folder / "subtask-C.tsv.gz", topic="topic", labels=range(-2, 3))
    pooled = found.counts.pooled("topic")
    scores = {name: measure(name).of(pooled) for name in ("macro_mae", "mae")}
    head, official = _printed(folder / "official-scored-C.tsv")
    assert set(official) == set(found.systems)
    for place, run in enumerate(found.systems):
        for name, column in (("macro_mae", "MAE_M"), ("mae", "MAE_mu")):
            assert f"{scores[name][place]:.3f}" == official[run][head.index(column)], (run, name)


def test_semeval_2016_e_official_scores(shared: Path) -> None:
    folder = shared / "data/semeval2016-task4"
    shares = read_shares(folder / "subtask-E.tsv", system="run", prefix="p_", renormalise=False)
    estimates = dict(zip(shares.systems, shares.rows[1:], strict=True))
    head, official = _printed(folder / "official-scored-E.tsv")
    emd = measure("emd").record.function
    checked = 0
    for position, run in enumerate(head[1:], 1):
        by_topic = emd(estimates[run], shares.rows[0], values=np.arange(1.0, 6.0))
        ours = dict(zip(shares.topics, by_topic, strict=True)) | {"OVERALL": by_topic.mean()}
        for topic, row in official.items():
            assert f"{ours[topic]:.3f}" == row[position], (run, topic)
            checked += 1
    assert checked == 12 * 101


def test_gold_of_e_is_gold_of_c_by_topic(shared: Path) -> None:
    folder = shared / "data/semeval2016-task4"
    e = read_shares(folder / "subtask-E.tsv", system="run", prefix="p_")
    c = Shares.of_counts(counted(folder / "subtask-C.tsv.gz", topic="topic").counts)
    rows = [e.topics.index(topic) for topic in c.topics]
    np.testing.assert_allclose(c.rows[0], e.rows[0][rows], atol=1e-12)


@pytest.mark.parametrize("pair", [("rater1", "rater2"), ("resolved", "gpt35")], ids="-".join)
def test_essay_scores_reported_kappas(shared: Path, pair: tuple[str, str]) -> None:
    folder = shared / "data/asap-aes-llm"
    gold, pred = pair
    counts = counted(
        folder / "scores.tsv.gz", gold=gold, pred=(pred,), topic="essay_set", missing="skip"
    ).counts
    head, reported = _printed(folder / "reported-qwk.tsv")
    kappa = measure("kappa(weights='quadratic')")
    assert set(counts.topics) == set(reported)
    for table, essay_set in zip(counts.table[0], counts.topics, strict=True):
        value = reported[essay_set][head.index(f"{gold}_vs_{pred}")]
        assert f"{float(kappa.of(table)):.2f}" == value
