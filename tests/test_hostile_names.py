"""Names of columns, systems, topics and labels on the command line and in every output."""

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

import ordeval as oe
from hostile_names import NAMES
from ordeval.formatting import one_line, protected


def _write(path: Path, columns: dict[str, list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


def test_run_files_may_have_any_name(tmp_path: Path) -> None:
    _write(tmp_path / "gold.csv", {"id": [1, 2, 3], "gold": [1, 2, 2]})
    names = [n for n in NAMES if n.strip() and len(n) < 200 and not set(n) & {"/", "\0", "\\"}]
    names = list({name.strip().casefold(): name.strip() for name in names}.values())
    runs = [tmp_path / f"{name}.csv" for name in names if name != "gold"]
    for i, run in enumerate(runs):
        _write(run, {"id": [3, 1, 2], "label": [1 + i % 2, 1, 2]})
    source = oe.read(tmp_path / "gold.csv", *runs)
    counts = source.counts()
    assert counts.systems == tuple(run.name.removesuffix(".csv") for run in runs)
    correct = counts.table.trace(axis1=-2, axis2=-1).tolist()
    assert correct == [2 + i % 2 for i in range(len(runs))]


TOPICS = [name for name in NAMES if name]  # an empty text is no topic


@pytest.fixture(scope="module")
def result() -> oe.Result:
    """A comparison in which systems, topics and labels have such names."""
    rng = np.random.default_rng(0)
    labels = [name for name in NAMES if name != "x" * 10_000][:30]
    gold = rng.choice(labels, 400).tolist()
    systems = {name: rng.choice(labels, 400).tolist() for name in NAMES}
    topics = [TOPICS[i % len(TOPICS)] for i in range(400)]
    settings: dict[str, Any] = {"draws": 20, "trials": 19, "measures": "mae, accuracy"}
    return oe.compare(gold, systems, labels=labels, topic=topics, **settings)


def test_the_archive_keeps_every_name(result: oe.Result, tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    result.to_json(path)
    found = oe.load(path)
    assert found == result
    assert set(found.systems) == set(NAMES)
    assert set(found.scores.topics) == set(TOPICS)
    assert found.scores.scale.labels == result.scores.scale.labels


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_keep_every_name(result: oe.Result, backend: str) -> None:
    pytest.importorskip(backend)
    for what in ("scores", "topics", "pairs", "classes"):
        column = result.to_frame(what, backend=backend)["system"]
        values = column.to_pylist() if backend == "pyarrow" else column.to_list()
        assert set(values) <= set(NAMES)
        assert what == "pairs" or set(values) == set(NAMES)


def test_csv_has_a_row_per_system_and_measure(result: oe.Result) -> None:
    header, *rows = csv.reader(io.StringIO(result.to_csv()))
    assert {len(row) for row in rows} == {len(header)}
    found = {row[header.index("system")].removeprefix("'") for row in rows}
    assert found == {one_line(name).removeprefix("'") for name in NAMES}


def test_tables_keep_their_shape(result: oe.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in result.to_markdown().splitlines() if line.startswith("|")]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 2  # of two tables
    assert len(lines) >= len(NAMES)
    latex = result.to_latex()
    body = latex[latex.index(r"\midrule") : latex.index(r"\bottomrule")]
    rows = body.strip().splitlines()[1:]
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1
    assert r"\textbf{a}_b" not in latex
    monkeypatch.setenv("COLUMNS", "80")
    assert all(cell_len(line) <= 80 for line in result.to_text().splitlines())


def test_the_page_runs_no_name() -> None:
    script = "<script>alert(1)</script>"
    systems = {script: [script, "b"] * 9, "line\nbreak": ["b"] * 18}
    found = oe.compare([script, "b", "b"] * 6, systems, labels=[script, "b"], topic=[script] * 18)
    page = found.to_html()
    assert script not in page
    assert "&lt;script&gt;alert(1)" in page


def test_words_of_a_list_are_read_as_they_are_spelled() -> None:
    from ordeval.cli.option_types import names

    assert names(",".join(map(protected, NAMES))) == NAMES
