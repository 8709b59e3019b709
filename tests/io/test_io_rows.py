"""Frequencies, weights, clusters and distinct rows: every door gives what labels in memory give."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ordeval import InputError
from ordeval.data.data import Data
from ordeval.data.frames import read_frame
from ordeval.data.rows import Rows
from ordeval.io import open_files

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")

MANY = 10**9
NAMES = ["a", "b", 'z "q"', "'; DROP TABLE x; --", "items", "each", "p0", "complete", "no_cluster"]


def _csv(data: dict[str, list[Any]], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(data)
        writer.writerows(zip(*data.values(), strict=True))


def _jsonl(data: dict[str, list[Any]], path: Path) -> None:
    rows = [dict(zip(data, row, strict=True)) for row in zip(*data.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.from_arrow(pa.table(data)),
    "dask": lambda data: dd.from_pandas(pd.DataFrame(data), npartitions=2),
}
FILES = {
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": lambda data, path: pq.write_table(pa.table(data), path),
}


def _labels(data: dict[str, list[Any]], systems: list[str], **options: Any) -> Data:
    """The same data as labels in memory."""
    chosen = {
        parameter: data[options[name]]
        for parameter, name in (
            ("weight", "weight"),
            ("frequency", "frequency"),
            ("topics", "topic"),
            ("cluster", "cluster"),
        )
        if options.get(name)
    }
    predictions = {system: data[system] for system in systems}
    return Data.read(
        data["gold"],
        predictions,
        **chosen,
        missing=options.get("missing", "error"),
        labels=options.get("labels"),
    )


def _same_rows(found: Rows | None, expected: Rows | None) -> None:
    assert found is not None
    assert expected is not None
    for name in ("labels", "count", "weight", "topic", "cluster"):
        got, wanted = getattr(found, name), getattr(expected, name)
        assert (got is None) == (wanted is None), name
        if wanted is not None:
            np.testing.assert_array_equal(got, wanted, err_msg=name)
            assert got.dtype == wanted.dtype, name


def _check(source: Data, expected: Data, *, rows_first: bool) -> None:
    """Compare counts, joint counts and rows, which must also agree with each other."""
    rows = source.rows(MANY) if rows_first else None
    counts, wanted = source.counts(), expected.counts()
    np.testing.assert_allclose(counts.table, wanted.table, rtol=1e-12)
    assert (counts.squares is None) == (wanted.squares is None)
    if wanted.squares is not None:
        np.testing.assert_allclose(counts.squares, wanted.squares, rtol=1e-12)
    for name in ("scale", "axes", "weighted", "skipped", "items"):
        assert getattr(counts, name) == getattr(wanted, name), name
    joint, wanted_joint = source.joint(), expected.joint()
    assert joint.pairs == wanted_joint.pairs
    np.testing.assert_allclose(joint.table, wanted_joint.table, rtol=1e-12)
    pairs = [(b, a) for a, b in joint.pairs[-2:]]
    some, wanted_some = source.joint(pairs), expected.joint(pairs)
    assert some.pairs == wanted_some.pairs
    np.testing.assert_allclose(some.table, wanted_some.table, rtol=1e-12)
    _same_rows(rows if rows_first else source.rows(MANY), expected.rows(MANY))
    assert source.has_topics == expected.has_topics
    assert source.has_clusters == expected.has_clusters


@st.composite
def _cases(draw: Any) -> tuple[dict[str, list[Any]], list[str], dict[str, Any]]:
    n = draw(st.integers(1, 12))
    systems = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    missing = draw(st.sampled_from(["error", "skip", "worst"]))
    label = st.integers(1, 3)
    gappy = st.one_of(label, label, label, st.none())

    def column(values: Any) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    data = {"gold": column(gappy if missing == "skip" else label)}
    data |= {system: column(label if missing == "error" else gappy) for system in systems}
    options: dict[str, Any] = {"missing": missing}
    if draw(st.booleans()):
        options["labels"] = [1, 2, 3]
    values = {
        "weight": st.sampled_from([0.0, 0.25, 1.0, 2.5]),
        "frequency": st.sampled_from([0, 1, 2, 7]),
        "topic": st.sampled_from(["x", "y", "10", "9", *([None] if missing == "skip" else [])]),
        "cluster": st.sampled_from(["u", "v", "10", "9", *([None] if missing == "skip" else [])]),
    }
    for role, found in values.items():
        if draw(st.booleans()):
            data[f"{role} of"] = column(found)
            options[role] = f"{role} of"
    return data, systems, options


def _readable(data: dict[str, list[Any]], systems: list[str], options: Any) -> Data | None:
    try:
        source = _labels(data, systems, **options)
        source.counts()
    except (InputError, ValueError, IndexError):  # nothing is left, or a scale of one class
        return None
    return source


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=_cases(), first=st.booleans(), kind=st.sampled_from(list(FRAMES)))
def test_frames_give_what_labels_in_memory_give(case: Any, first: bool, kind: str) -> None:
    data, systems, options = case
    expected = _readable(data, systems, options)
    if expected is None:
        return
    source = read_frame(FRAMES[kind](data), pred=systems, **options)
    _check(source, expected, rows_first=first)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=_cases(), first=st.booleans(), kind=st.sampled_from(list(FILES)))
@pytest.mark.slow
def test_files_give_what_labels_in_memory_give(case: Any, first: bool, kind: str) -> None:
    data, systems, options = case
    expected = _readable(data, systems, options)
    if expected is None:
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"data.{kind}"
        FILES[kind](data, path)
        with open_files(path, pred=systems, **options) as source:
            _check(source, expected, rows_first=first)


DATA: dict[str, list[Any]] = {
    "gold": [1, 2, 3, 1, 1, 2],
    "a": [1, 2, 2, 1, 1, 2],
    "b": [1, 3, 3, 1, 1, 3],
    "n": [1, 2, 1, 3, 0, 2],
    "w": [1, 1, 2, 1, 1, 1],
}
SYSTEMS = ["a", "b"]


@pytest.mark.parametrize("kind", FRAMES)
def test_rows_are_refused_beyond_a_number_of_labels(kind: str) -> None:
    source = read_frame(FRAMES[kind](DATA), pred=SYSTEMS)
    assert source.rows(8) is None  # three distinct rows of three labels
    rows = source.rows(9)
    assert rows is not None
    assert rows.count.tolist() == [3, 2, 1]
    assert source.counts().items == 6


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frequency_repeats_a_row(kind: str) -> None:
    repeated = {name: np.repeat(DATA[name], DATA["n"]).tolist() for name in DATA}
    found = read_frame(FRAMES[kind](DATA), pred=SYSTEMS, frequency="n")
    expected = read_frame(FRAMES[kind](repeated), pred=SYSTEMS)
    assert found.counts().items == expected.counts().items == 9
    np.testing.assert_array_equal(found.counts().table, expected.counts().table)
    _same_rows(found.rows(MANY), expected.rows(MANY))


def test_whole_weights_are_no_repetitions() -> None:
    found = read_frame(pd.DataFrame(DATA), pred=SYSTEMS, weight="w").counts()
    assert found.weighted
    assert found.items == 6
    assert found.squares is not None
    assert (found.table[0].sum(), found.squares[0].sum()) == (7, 9)


def test_columns_with_a_role_are_no_systems() -> None:
    frame = pd.DataFrame({**DATA, "frequency": 1, "cluster": 1, "weight": 1, "topic": 1, "id": 1})
    found = read_frame(frame, frequency="n", cluster="w").counts()
    assert found.systems == ("a", "b")


BAD_FREQUENCIES: dict[str, list[Any]] = {
    "parts": [1.0, 0.5, 1.5],
    "negative": [1, -1, 1],
    "missing": [1, None, 1],
    "infinite": [1.0, float("inf"), 1.0],
    "nothing": [0, 0, 0],
}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("case", BAD_FREQUENCIES)
def test_unusable_frequencies_are_refused(kind: str, case: str) -> None:
    data = {"gold": [1, 2, 3], "a": [1, 2, 2], "n": BAD_FREQUENCIES[case]}
    with pytest.raises(InputError, match="frequency") as caught:
        read_frame(FRAMES[kind](data), frequency="n")
    assert caught.value.parameter == "frequency"


def test_labels_that_appear_late_are_found(tmp_path: Path) -> None:
    n = 5000
    data: dict[str, list[Any]] = {"gold": [1] * n + [2, 3], "a": [1] * n + [3, 2]}
    _csv(data, tmp_path / "data.csv")
    with open_files(tmp_path / "data.csv") as source:
        _check(source, _labels(data, ["a"]), rows_first=True)


@pytest.mark.parametrize("frames", ["pandas", "polars lazy", "duckdb"])
def test_a_long_frame_is_merged(frames: str) -> None:
    rng = np.random.default_rng(3)
    data = {name: rng.integers(0, 3, 140_000) for name in ("gold", "a", "b", "t", "c", "n")}
    data["n"] += 1
    options = {"topic": "t", "cluster": "c", "frequency": "n"}
    source = read_frame(FRAMES[frames](data), pred=["a", "b"], **options)
    lists = {name: column.tolist() for name, column in data.items()}
    _check(source, _labels(lists, ["a", "b"], **options), rows_first=True)


def test_runs_are_joined_to_frequencies_and_clusters(tmp_path: Path) -> None:
    cluster = ["x", "y", "x", "z", "y", "x"]
    whole = {"id": list("abcdef"), **DATA, "cluster of": cluster}
    _csv({name: whole[name] for name in ("id", "gold", "n", "w", "cluster of")}, tmp_path / "g.csv")
    for system in SYSTEMS:
        run = {"id": whole["id"][::-1], "label": whole[system][::-1]}
        _csv(run, tmp_path / f"{system}.csv")
    options = {"frequency": "n", "weight": "w", "cluster": "cluster of"}
    runs = [tmp_path / f"{system}.csv" for system in SYSTEMS]
    with open_files(tmp_path / "g.csv", runs, **options) as source:
        _check(source, _labels(whole, SYSTEMS, **options), rows_first=True)
