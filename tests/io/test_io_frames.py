"""Frames of every kind give the same counts, and lazy ones are counted where the data is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordeval import Counts, InputError, JointCounts
from ordeval.data.frames import read_frame

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
dd = pytest.importorskip("dask.dataframe")


def _data(n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    columns: dict[str, Any] = {name: rng.integers(-2, 3, n) for name in ("gold", "a", "b", "c")}
    topics = rng.choice(["x", "y", 'z "quoted"'], n)
    return {"id": np.arange(n), "topic": topics, **columns, "weight": rng.integers(1, 9, n) / 4}


KINDS = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": lambda data: duckdb.from_arrow(pa.table(data)),
    "dask": lambda data: dd.from_pandas(pd.DataFrame(data), npartitions=3),
}
OPTIONS = [
    {},
    {"topic": "topic"},
    {"weight": "weight", "pred": "b"},
    {"topic": "topic", "weight": "weight", "missing": "skip"},
]
kinds = pytest.mark.parametrize("kind", KINDS)
options = pytest.mark.parametrize("chosen", OPTIONS, ids=str)


def _expected(data: dict[str, Any], chosen: dict[str, Any]) -> tuple[Counts, JointCounts]:
    systems = [chosen["pred"]] if "pred" in chosen else ["a", "b", "c"]
    order = np.argsort(data["topic"], kind="stable")  # topics come sorted from a frame
    columns = {name: column[order] for name, column in data.items()}
    arguments = {
        "weight": columns["weight"] if "weight" in chosen else None,
        "topic": columns["topic"] if "topic" in chosen else None,
    }
    predictions = {system: columns[system] for system in systems}
    return (
        Counts.from_labels(columns["gold"], predictions, **arguments),
        JointCounts.from_labels(columns["gold"], predictions, **arguments),
    )


@kinds
@options
def test_every_kind_of_frame_counts_as_plain_labels_do(kind: str, chosen: dict[str, Any]) -> None:
    data = _data()
    found = read_frame(KINDS[kind](data), **chosen).counts()
    expected, _ = _expected(data, chosen)
    np.testing.assert_allclose(found.table, expected.table, rtol=1e-12)
    assert (found.scale, found.axes, found.weighted) == (
        expected.scale,
        expected.axes,
        expected.weighted,
    )


@kinds
@options
def test_pairs_are_counted_as_plain_labels_are(kind: str, chosen: dict[str, Any]) -> None:
    data = _data()
    found = read_frame(KINDS[kind](data), **chosen).joint()
    _, expected = _expected(data, chosen)
    np.testing.assert_allclose(found.table, expected.table, rtol=1e-12)
    assert (found.pairs, found.topics) == (expected.pairs, expected.topics)


def test_the_core_hands_frames_over() -> None:
    found = read_frame(pd.DataFrame(_data()), topic="topic", pred=["a", "c"]).counts()
    assert found.systems == ("a", "c")
    assert found.topics == ("x", "y", 'z "quoted"')


HOLES = {
    "gold": [1, 2, None, 3, 2],
    "a": [1, None, 2, 3, 1],
    "b": [1, 2, 2, None, 3],
}


@kinds
def test_skip_leaves_an_item_out_of_every_system(kind: str) -> None:
    found = read_frame(KINDS[kind](HOLES), missing="skip", labels=[1, 2, 3]).counts()
    assert found.skipped == 3
    assert found.table.sum(axis=(-1, -2)).tolist() == [2, 2]
    assert read_frame(KINDS[kind](HOLES), missing="skip", labels=[1, 2, 3]).joint().table.sum() == 2


@kinds
def test_worst_takes_the_class_farthest_from_gold(kind: str) -> None:
    complete = {**HOLES, "gold": [1, 2, 2, 3, 2]}
    found = read_frame(KINDS[kind](complete), missing="worst", labels=[1, 2, 3]).counts()
    a, b = found.table
    assert a[1].tolist() == [2, 1, 0]  # gold 2 is as far from 1 as from 3: the lowest is taken
    assert b[2].tolist() == [1, 0, 0]
    joint = read_frame(KINDS[kind](complete), missing="worst", labels=[1, 2, 3]).joint()
    np.testing.assert_array_equal(joint.pair("a", "b").sum(axis=-1), a)
    np.testing.assert_array_equal(joint.pair("a", "b").sum(axis=-2), b)


@kinds
def test_missing_values_are_named_and_counted(kind: str) -> None:
    with pytest.raises(InputError, match=r"missing values \(gold: 1.*, a: 1.*, b: 1"):
        read_frame(KINDS[kind](HOLES)).counts()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_positions_tell_where_values_are_missing(kind: str) -> None:
    data = {"gold": [1, 2, 2], "a": [1, None, None], "topic": ["x", "y", "x"]}
    with pytest.raises(InputError, match=r"\(a: 2 at position 1, 2\)"):
        read_frame(KINDS[kind](data)).counts()


@pytest.mark.parametrize("kind", ["polars lazy", "duckdb", "dask"])
def test_missing_values_without_an_order_are_counted_without_places(kind: str) -> None:
    data = {"gold": [1, 2, 2], "a": [1, None, 2], "b": [1, 2, 2]}
    with pytest.raises(InputError, match=r"missing values \(a: 1\)"):
        read_frame(KINDS[kind](data)).counts()
    with pytest.raises(InputError, match=r"missing values \(topic column a: 1\)"):
        read_frame(KINDS[kind](data), topic="a", pred="b").counts()


@kinds
def test_columns_of_different_types_are_one_scale(kind: str) -> None:
    data = {"gold": [1, 2, 3], "a": [1.0, 2.0, 2.0], "b": [3, 2, 1], "c": [1.0, 3.0, None]}
    frame = KINDS[kind](data)
    found = read_frame(frame, missing="worst").counts()
    expected = read_frame(KINDS["pandas"](data), missing="worst").counts()
    np.testing.assert_array_equal(found.table, expected.table)
    assert found.table[0].tolist() == [[1, 0, 0], [0, 1, 0], [0, 1, 0]]
    joint = read_frame(frame, missing="worst").joint()
    np.testing.assert_array_equal(joint.pair("a", "b").sum(axis=-2), found.table[1])
    np.testing.assert_array_equal(joint.pair("b", "c").sum(axis=-1), found.table[1])


@kinds
def test_nan_is_missing_and_not_a_class(kind: str) -> None:
    data = {"gold": [1.0, 2.0, 2.0], "a": [1.0, float("nan"), 2.0], "b": [1.0, 2.0, 1.0]}
    with pytest.raises(InputError, match=r"missing values \(a: 1"):
        read_frame(KINDS[kind](data)).counts()
    assert read_frame(KINDS[kind](data), missing="skip").counts().skipped == 1


@kinds
def test_unknown_labels_are_named_and_counted(kind: str) -> None:
    data = {"gold": ["lo", "hi", "hi"], "a": ["lo", "HI", "HI"], "b": ["hi", "hi", "?"]}
    with pytest.raises(InputError, match=r"a has 2 labels? outside .*'HI' \(2\b"):
        read_frame(KINDS[kind](data), labels=["lo", "hi"]).counts()


@kinds
def test_strings_without_an_order_are_refused(kind: str) -> None:
    data = {"gold": ["low", "high"], "a": ["low", "medium"]}
    with pytest.raises(InputError, match="order of the labels of gold is not known"):
        read_frame(KINDS[kind](data)).counts()


@kinds
def test_texts_of_digits_are_not_numbers_in_a_frame(kind: str) -> None:
    data = {"gold": ["1", "10"], "a": ["1", "9"]}
    with pytest.raises(InputError, match="written as text"):
        read_frame(KINDS[kind](data)).counts()


ORDERED = {
    "pandas": lambda c: pd.DataFrame(
        {n: pd.Categorical(v, ["low", "medium", "high"], ordered=True) for n, v in c.items()}
    ),
    "polars": lambda c: pl.DataFrame(c, schema=dict.fromkeys(c, _ENUM)),
    "polars lazy": lambda c: pl.LazyFrame(c, schema=dict.fromkeys(c, _ENUM)),
    "pyarrow": lambda c: pa.Table.from_pandas(ORDERED["pandas"](c)),
    "duckdb": lambda c: duckdb.from_arrow(pa.table(c)).project(
        ", ".join(f"CAST({name} AS ENUM('low', 'medium', 'high')) AS {name}" for name in c)
    ),
    "dask": lambda c: dd.from_pandas(ORDERED["pandas"](c), npartitions=2),
}
_ENUM = pl.Enum(["low", "medium", "high"])


@pytest.mark.parametrize("kind", ORDERED)
def test_an_ordered_type_is_the_scale(kind: str) -> None:
    columns = {
        "gold": ["low", "high", "low", "high"],
        "a": ["low", "low", "low", "high"],
        "b": ["high", "high", "low", "high"],
    }
    found = read_frame(ORDERED[kind](columns)).counts()
    assert found.scale.labels == ("low", "medium", "high")
    assert not found.scale.inferred
    assert found.table[0].tolist() == [[2, 0, 0], [0, 0, 0], [1, 0, 1]]
    joint = read_frame(ORDERED[kind](columns)).joint()
    np.testing.assert_array_equal(joint.table[0].sum(axis=-1), found.table[0])


def test_different_orders_are_refused() -> None:
    low, high = (pd.CategoricalDtype(c, ordered=True) for c in (["a", "b"], ["b", "a"]))
    frame = pd.DataFrame({"gold": pd.Series(["a", "b"], dtype=low)})
    frame["x"] = pd.Series(["a", "b"], dtype=high)
    with pytest.raises(InputError, match="different categories"):
        read_frame(frame).counts()


def test_columns_of_different_types_are_counted_too() -> None:
    frame = pl.LazyFrame({"gold": [1, 2], "a": [1.0, 2.0], "b": [2, 1]})
    assert read_frame(frame).counts().table.tolist() == [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]


def test_internal_names_do_not_collide_with_columns() -> None:
    data = {"gold": [1, 2], "items": [1, 2], "system": [2, 2], "p0": [1, 1], "complete": [1, 2]}
    found = read_frame(pl.LazyFrame(data), missing="skip").counts()
    assert found.systems == ("items", "system", "p0", "complete")
    assert np.trace(found.table, axis1=-2, axis2=-1).tolist() == [2, 1, 1, 2]


@pytest.mark.parametrize("name", ['"', "'; DROP TABLE x; --", "<script>", "a b", "[x]"])
def test_hostile_column_names_are_plain_names(name: str) -> None:
    for kind in ("pandas", "duckdb", "polars lazy"):
        found = read_frame(KINDS[kind]({"gold": [1, 2], name: [1, 2]})).counts()
        assert found.systems == (name,)


def test_only_the_counts_of_a_lazy_polars_frame_come_back(monkeypatch: Any) -> None:
    heights = []
    collect = pl.LazyFrame.collect

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        frame = collect(self, *args, **kwargs)
        heights.append(frame.height)
        return frame

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    n = 5000
    data = {name: np.arange(n) % k for name, k in (("gold", 3), ("a", 3), ("b", 2))}
    read_frame(pl.LazyFrame(data), labels=[0, 1, 2]).counts()
    assert len(heights) == 1
    assert heights[0] <= 2 * 3 * 3


def test_a_lazy_frame_is_scanned_once(monkeypatch: Any) -> None:
    scans = []

    def batch(frame: Any) -> Any:
        scans.append(frame.height)
        return frame

    data = {name: [0, 1, 2] for name in ("gold", "a", "b", "c")}
    lazy = pl.LazyFrame(data).map_batches(batch, schema=dict.fromkeys(data, pl.Int64))
    read_frame(lazy).counts()
    assert scans == [3]


BAD = {
    "no such column": ({"gold": [1], "a": [1]}, {"gold": "golf"}, "no column 'golf'.*mean 'gold'"),
    "no such topic": ({"gold": [1], "a": [1]}, {"topic": "t"}, "no column 't'"),
    "nothing to score": ({"gold": [1], "id": [1]}, {}, "no column is left for predictions"),
    "twice": ({"gold": [1], "a": [1]}, {"pred": ["a", "a"]}, "more than once"),
    "no rows": ({"gold": [], "a": []}, {"labels": [1, 2]}, "no items"),
    "lists": ({"gold": [[1]], "a": [1]}, {}, "plain labels are expected"),
    "weights of text": ({"gold": [1], "a": [1], "w": ["x"]}, {"weight": "w"}, "not numbers"),
    "negative weight": ({"gold": [1], "a": [1], "w": [-1.0]}, {"weight": "w"}, "1 missing, neg"),
    "missing weight": ({"gold": [1], "a": [1], "w": [None]}, {"weight": "w"}, "not numbers|1 mis"),
    "no weight at all": ({"gold": [1], "a": [1], "w": [0]}, {"weight": "w"}, "0 for every item"),
    "policy": ({"gold": [1], "a": [1]}, {"missing": "drop"}, "missing is 'drop', but"),
    "all missing": (
        {"gold": [1, 1], "a": [1.0, None]},
        {"missing": "error"},
        r"missing values \(a: 1\)",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_frames_are_explained(case: str) -> None:
    data, chosen, message = BAD[case]
    with pytest.raises(InputError, match=message):
        read_frame(pl.LazyFrame(data), **chosen).counts()


def test_what_is_no_frame_is_refused() -> None:
    for path in ("m1.parquet", Path("m1.parquet")):
        with pytest.raises(InputError, match=r"'m1.parquet' is a text or a path.*scan_parquet"):
            read_frame(path, gold="gold")
    with pytest.raises(InputError, match="not a known kind of data frame"):
        read_frame([1, 2, 3]).counts()


def test_an_infinite_weight_is_refused_everywhere() -> None:
    data = {"gold": [1, 2], "a": [1, 2], "w": [1.0, float("inf")]}
    for kind in KINDS:
        with pytest.raises(InputError, match="1 missing, negative or infinite"):
            read_frame(KINDS[kind](data), weight="w").counts()


def test_a_column_taken_for_a_system_leads_to_the_way_to_name_the_systems() -> None:
    frame = pd.DataFrame({"gold": [1, 2], "a": [1, 2], "task": ["x", "y"]})
    with pytest.raises(InputError, match=r"systems with pred=\['a'\].*topic='task'") as e:
        read_frame(frame, labels=[1, 2]).counts()
    assert "task has 2 labels outside the scale" in str(e.value)
    with pytest.raises(InputError, match="outside the scale") as e:
        read_frame(frame, pred=["a", "task"], labels=[1, 2]).counts()
    assert "pred=" not in str(e.value)


def test_numbers_as_names_of_columns_become_text() -> None:
    import pandas as pd

    frame = pd.DataFrame({"gold": [1, 2, 3], 1: [1, 2, 3], 2: [1, 1, 1]})
    assert read_frame(frame, labels=[1, 2, 3]).counts().systems == ("1", "2")
    assert read_frame(frame, gold="gold", pred=2, labels=[1, 2, 3]).counts().systems == ("2",)
    with pytest.raises(InputError, match="a name of its own"):
        read_frame(frame.set_axis(["gold", 1, "1"], axis=1), labels=[1, 2, 3])
