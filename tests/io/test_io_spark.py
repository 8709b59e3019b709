"""The same call on a PySpark frame, in a real local session."""

import shutil
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from hostile_names import arguments, check, items, named, namings
from ordeval import InputError
from ordeval.data.frames import read_frame

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed (extra: spark)")
pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.filterwarnings("ignore")  # pyspark's own, on sockets and deprecations


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not on the path")
    from pyspark.sql import SparkSession

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
            "spark.sql.shuffle.partitions": "1",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
        }
        session = SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
        yield session
        session.stop()


def _data(n: int = 120) -> Any:
    rng = np.random.default_rng(11)
    columns = {name: rng.integers(1, 4, n) for name in ("gold", "a", "b", "c")}
    return pd.DataFrame({**columns, "topic": rng.choice(["x", "y"], n), "w": rng.random(n)})


def _spark_frame(spark: Any, data: Any) -> Any:
    rows = [tuple(row) for row in data.astype(object).values.tolist()]
    return spark.createDataFrame(rows, "gold int, a int, b int, c int, topic string, w double")


@pytest.mark.slow
def test_spark_counts_as_pandas_does(spark: Any) -> None:
    data = _data()
    chosen: dict[str, Any] = {"topic": "topic", "weight": "w"}
    found = read_frame(_spark_frame(spark, data), **chosen).counts()
    expected = read_frame(data, **chosen).counts()
    np.testing.assert_allclose(found.table, expected.table, rtol=1e-12)
    assert (found.scale, found.axes) == (expected.scale, expected.axes)


def test_spark_counts_pairs_as_pandas_does(spark: Any) -> None:
    data = _data()
    chosen: dict[str, Any] = {"pred": ["a", "b"], "topic": "topic"}
    found = read_frame(_spark_frame(spark, data), **chosen).joint()
    expected = read_frame(data, **chosen).joint()
    np.testing.assert_array_equal(found.table, expected.table)


def test_spark_skips_and_reports_what_is_missing(spark: Any) -> None:
    frame = spark.createDataFrame([(1, 1, 2), (2, None, 2), (2, 2, 1)], "gold int, a int, b int")
    assert read_frame(frame, missing="skip").counts().skipped == 1
    with pytest.raises(InputError, match=r"missing values \(a: 1\)"):
        read_frame(frame).counts()


def test_spark_finds_the_rows_that_pandas_finds(spark: Any) -> None:
    data = _data()
    data["c"] = data["c"] % 3  # a frequency, sometimes 0
    chosen: dict[str, Any] = {"pred": ["a", "b"], "weight": "w", "frequency": "c"}
    chosen |= {"cluster": "topic", "missing": "skip"}
    source = read_frame(_spark_frame(spark, data), **chosen)
    other = read_frame(data, **chosen)
    assert source.rows(30) is None
    found, expected = source.rows(10**6), other.rows(10**6)
    assert found is not None
    assert expected is not None
    for name in ("labels", "count", "weight", "cluster"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_allclose(source.counts().squares, other.counts().squares, rtol=1e-12)
    np.testing.assert_allclose(source.joint().table, other.joint().table, rtol=1e-12)


def test_the_rows_stay_in_spark(spark: Any) -> None:
    """Several systems are one job over one scan, of which only grouped rows are collected."""
    from pyspark.sql import DataFrame

    frame = spark.range(3000).selectExpr("id % 3 AS gold", "id % 2 AS a", "id % 3 AS b")
    kept = type(frame).collect
    sizes = []

    def watched(self: DataFrame) -> Any:
        rows = kept(self)
        sizes.append(len(rows))
        return rows

    type(frame).collect = watched
    try:
        found = read_frame(frame).counts()
    finally:
        type(frame).collect = kept
    assert found.table.sum() == 6000
    assert len(sizes) == 1
    assert sizes[0] <= 18


@pytest.mark.slow
def test_names_are_no_paths(spark: Any) -> None:
    """Spark reads a dot as a path to a field, and backticks as quotes."""
    data = items(20)
    for names in list(namings())[::7]:
        columns = named(data, names)
        frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), list(columns))
        check(read_frame(frame, **arguments(names)), data, names)


def test_spark_gives_the_bits_of_labels_in_memory(spark: Any) -> None:
    data = _data()
    options: dict[str, Any] = {"measures": "qwk, mae", "bootstrap": 40, "trials": 40}
    roles = {"topic": "topic", "weight": "w"}
    found = oe.compare_frame(_spark_frame(spark, data), pred=["c", "a", "b"], **roles, **options)
    expected = oe.compare(
        data["gold"],
        {name: data[name] for name in "cab"},
        topic=data["topic"],
        weight=data["w"],
        **options,
    )
    both = [{k: v for k, v in r.to_dict().items() if k != "about"} for r in (found, expected)]
    assert both[0] == both[1]
