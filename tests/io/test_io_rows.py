"""Frequencies, weights, clusters and distinct rows: every door gives what labels in memory give."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ordeval import InputError
from ordeval.counts import CountSource, LabelSource
from ordeval.io import FrameItems, open_files
from ordeval.labels import sorted_names
from ordeval.rows import Rows

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")

MANY = 10**9
PHASES = (Phase.generate,)  # TEMP
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


def _labels(data: dict[str, list[Any]], systems: list[str], **options: Any) -> LabelSource:
    """The same data as labels in memory, sorted by topic, so that topics appear in order."""
    topics = data[options["topic"]] if options.get("topic") else [0] * len(data["gold"])
    names = sorted_names(set(map(str, topics)))
    order = sorted(range(len(topics)), key=lambda i: names.index(str(topics[i])))
    columns = {name: [column[i] for i in order] for name, column in data.items()}
    chosen = {
        parameter: columns[options[name]]
        for parameter, name in (
            ("sample_weight", "weight"),
            ("frequency", "frequency"),
            ("topics", "topic"),
            ("cluster", "cluster"),
        )
        if options.get(name)
    }
    predictions = {system: columns[system] for system in systems}
    return LabelSource.read(
        columns["gold"],
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


def _check(source: CountSource, expected: LabelSource, *, rows_first: bool) -> None:
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
        "topic": st.sampled_from(["x", "y", "10", "9"]),
        "cluster": st.sampled_from(["u", "v", "10", "9", *([None] if missing == "skip" else [])]),
    }
    for role, found in values.items():
        if draw(st.booleans()):
            data[f"{role} of"] = column(found)
            options[role] = f"{role} of"
    return data, systems, options


def _readable(data: dict[str, list[Any]], systems: list[str], options: Any) -> LabelSource | None:
    try:
        source = _labels(data, systems, **options)
        source.counts()
    except (InputError, ValueError, IndexError):  # nothing is left, or a scale of one class
        return None
    return source


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(case=_cases(), first=st.booleans(), kind=st.sampled_from(list(FRAMES)))
def test_frames_give_what_labels_in_memory_give(case: Any, first: bool, kind: str) -> None:
    data, systems, options = case
    expected = _readable(data, systems, options)
    if expected is None:
        return
    source = FrameItems.read(FRAMES[kind](data), pred=systems, **options)
    _check(source, expected, rows_first=first)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(case=_cases(), first=st.booleans(), kind=st.sampled_from(list(FILES)))
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
