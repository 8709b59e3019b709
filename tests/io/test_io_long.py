"""Long tables of labels, and items named by several columns."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from io_files import counted

from ordeval import InputError

RNG = np.random.default_rng(5)
SYSTEMS = ["b", "a'; DROP TABLE gold; --", 'say "é" 🎉', "two\nlines", "1", "*"]
ITEMS = [
    (f"t{i % 3}", str(i // 3), *map(int, RNG.integers(1, 4, 1 + len(SYSTEMS)))) for i in range(30)
]


def _write(path: Path, header: list[str], rows: Any) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([header, *rows])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: Any) -> Path:
    """The same items in every form; an id is unique within its topic only."""
    monkeypatch.chdir(tmp_path)
    _write(Path("wide.csv"), ["topic", "id", "gold", *SYSTEMS], ITEMS)
    _write(Path("gold.csv"), ["topic", "id", "gold"], [row[:3] for row in ITEMS])
    pairs = [(row, s, row[3 + i]) for row in ITEMS for i, s in enumerate(SYSTEMS)]
    _write(Path("runs.csv"), ["id", "topic", "system", "label"],
           [(row[1], row[0], s, p) for row, s, p in reversed(pairs)])  # fmt: skip
    _write(Path("column.csv"), ["topic", "id", "gold", "system", "label"],
           [(*row[:3], s, p) for row, s, p in pairs])  # fmt: skip
    rows = [(row[0], row[1], "gold", row[2]) for row in ITEMS]
    _write(Path("rows.csv"), ["topic", "id", "system", "label"],
           [*((row[0], row[1], s, p) for row, s, p in pairs), *rows])  # fmt: skip
    return tmp_path


KEYS: dict[str, Any] = {"id": ["topic", "id"], "topic": "topic"}
FORMS: dict[str, tuple[Any, ...]] = {
    "wide": ("wide.csv", (), {}),
    "gold and long runs": ("gold.csv", ("runs.csv",), {"system": "system"}),
    "gold as a column": ("column.csv", (), {"system": "system"}),
    "gold as a system": ("rows.csv", (), {"system": "system"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_counts(folder: Path, form: str) -> None:
    expected = counted("wide.csv", **KEYS)
    data, runs, options = FORMS[form]
    found = counted(data, runs, **KEYS, **options)
    assert set(found.systems) == set(SYSTEMS)
    order = [found.systems.index(system) for system in expected.systems]
    np.testing.assert_array_equal(found.counts.table[order], expected.counts.table)
    assert found.counts.topics == expected.counts.topics


LONG = "id,run,label\n1,gold,1\n2,gold,2\n1,a,1\n2,a,2\n1,b,2\n"


def _long(tmp_path: Path, text: str, **options: Any) -> Any:
    path = tmp_path / "long.csv"
    path.write_text(text)
    return counted(path, system="run", **options)


def test_absent_rows_of_a_system_are_missing_predictions(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"long.csv \(b\): 1 item without a prediction: '2'"):
        _long(tmp_path, LONG)
    assert _long(tmp_path, LONG, missing="skip").counts.skipped == 1
    assert _long(tmp_path, LONG, missing="worst").counts.table[1].tolist() == [[0, 1], [1, 0]]


def test_where_in_a_long_table(tmp_path: Path) -> None:
    text = "id,t,run,label\n1,x,gold,1\n2,y,gold,2\n1,x,a,1\n2,y,a,1\n"
    found = _long(tmp_path, text, where={"t": "y"}, labels=[1, 2], pred="label")
    assert found.counts.table[0].tolist() == [[0, 0], [1, 0]]


def test_composite_ids_are_named_in_messages(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.csv").write_text('"t,1",id,gold\nx,1,1\nx,2,2\ny,1,2\n')
    Path("r.csv").write_text('id,"t,1",label\n1,x,1\n2,x,\n')
    with pytest.raises(InputError, match=r"1 item without a prediction: \('y', '1'\)"):
        counted("g.csv", ("r.csv",), id=["t,1", "id"])
    Path("r.csv").write_text('id,"t,1",label\n1,x,1\n2,x,\n1,y,2\n')
    with pytest.raises(InputError, match=r"1 at id \('x', '2'\)"):
        counted("g.csv", ("r.csv",), id=["t,1", "id"])
    with pytest.raises(InputError, match="there is no column 'other'"):
        counted("g.csv", ("r.csv",), id=["id", "other"])


@pytest.mark.parametrize("where", [{"system": "a"}, {"phase": "primary"}])
def test_where_chooses_systems_of_a_long_table(tmp_path: Path, where: dict[str, str]) -> None:
    rows = [(i, "gold", i % 3, "") for i in range(6)]
    rows += [(i, "a", i % 3, "primary") for i in range(6)]
    rows += [(i, "b", 0, "late") for i in range(6)]
    path = tmp_path / "long.csv"
    _write(path, ["id", "system", "label", "phase"], rows)
    found = counted(path, system="system", pred="label", where=where)
    assert found.systems == ("a",)
    assert found.counts.table.sum() == 6


def test_where_chooses_systems_of_a_long_file_of_runs(folder: Path) -> None:
    every = counted("gold.csv", ("runs.csv",), system="system", **KEYS)
    one = counted("gold.csv", ("runs.csv",), system="system", where={"system": "b"}, **KEYS)
    assert one.systems == ("b",)
    np.testing.assert_array_equal(one.counts.table[0], every.counts.table[every.systems.index("b")])
