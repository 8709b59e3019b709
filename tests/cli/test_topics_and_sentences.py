"""Tables of topics, and answers as sentences, on the command line."""

import csv
from pathlib import Path
from typing import Any

import pytest

ROWS = "id,topic,gold,bert,svm\n" + "".join(
    f"{i},{'abc'[i % 3]},{i % 4},{i % 4 if i % 5 else 0},{(i * 7) % 4}\n" for i in range(60)
)
OPTIONS = ["--id", "id", "--topic", "topic", "--labels", "0..3", "-q"]


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "data.csv"
    path.write_text(ROWS)
    return str(path)


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_table_of_topics_for_each_named_measure(ordeval: Any, data: str, command: str) -> None:
    done = ordeval(command, data, *OPTIONS, "--measures", "qwk,mae", "--tables", "topics")
    assert done.code == 0
    assert "quadratic kappa ↑ by topic" in done.out
    assert "MAE ↓ by topic" in done.out
    only = ordeval(command, data, *OPTIONS, "--primary", "mae", "--tables", "topics")
    assert only.out.count(" by topic") == 1


def test_topics_as_csv(ordeval: Any, data: str) -> None:
    options = [*OPTIONS, "--measures", "qwk,mae", "--tables", "topics", "--format", "csv"]
    rows = list(csv.DictReader(ordeval("compare", data, *options).out.splitlines()))
    assert list(rows[0]) == ["measure", "system", "topic", "score", "items", "specification"]
    assert [row["measure"] for row in rows] == ["qwk"] * 6 + ["mae"] * 6
    both = ordeval("score", data, *OPTIONS, "--tables", "main,topics", "--format", "csv")
    assert both.code == 2


def test_topics_without_topics_are_refused(ordeval: Any, data: str) -> None:
    done = ordeval("score", data, "--pred", "bert", "--labels", "0..3", "--tables", "topics")
    assert done.code == 2
    assert "--topic" in done.err


@pytest.mark.parametrize("command", ["score", "compare", "meta"])
def test_sentences(ordeval: Any, data: str, command: str) -> None:
    done = ordeval(command, data, *OPTIONS, "--format", "sentence")
    assert done.code == 0
    assert "\n\nReferences\n" in done.out
    assert "ordeval" in done.out
    assert ordeval("measures", "--format", "sentence").code == 2


@pytest.mark.parametrize("command", ["score", "compare"])
@pytest.mark.parametrize("style", ["text", "markdown", "latex"])
def test_figures_per_class_and_confusion_tables(
    ordeval: Any, data: str, command: str, style: str
) -> None:
    options = [*OPTIONS, "--measures", "qwk", "--draws", "0", "--format", style]
    done = ordeval(command, data, *options, "--tables", "classes,confusion")
    assert done.code == 0
    for system in ("bert", "svm"):
        assert f"Confusion table: {system}" in done.out
    assert "Numbers per class" in done.out


def test_classes_and_confusion_as_csv(ordeval: Any, data: str) -> None:
    def rows(table: str) -> list[dict[str, str]]:
        options = [*OPTIONS, "--draws", "0", "--tables", table, "--format", "csv"]
        return list(csv.DictReader(ordeval("score", data, *options).out.splitlines()))

    assert [(r["system"], r["class"]) for r in rows("classes")[:2]] == [
        ("bert", "0"),
        ("bert", "1"),
    ]
    assert "ciq_recall" in rows("classes")[0]
    cells = rows("confusion")
    assert list(cells[0]) == ["system", "gold", "predicted", "count"]
    assert len(cells) == 2 * 4 * 4
    assert sum(int(row["count"]) for row in cells if row["system"] == "svm") == 60
