"""The same data give the same bits: by every door, in every order of rows, systems and topics.

Only what names the source itself may differ: `about`, and notes on columns.
"""

import json
import random
import re
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import ordeval as oe
from hostile_names import NAMES
from ordeval.data.column import sorted_names

MEASURES = "qwk, mae, rmse, macro_f1, kendall_b"
FEW: dict[str, Any] = {"draws": 40, "trials": 40}
ROLES = ("topic", "weight", "frequency", "cluster")
# Text files have neither null characters nor spaces around names; nor has DuckDB an empty name.
FILE_NAMES = [n for n in NAMES if n.strip() == n and n and "\0" not in n and len(n) < 100]
TOPICS: tuple[Callable[[int], Any], ...] = (
    lambda i: f"t{i}",
    lambda i: i - 2,
    lambda i: i + 0.5,
    float,
    lambda i: ("10", "9", "-3", "x", "1.5", "X")[i % 6],
)
Columns = Mapping[str, list[Any]]
Door = Callable[[], oe.Result]


def seeds(examples: int) -> Any:
    """Draw seeds of cases; a smaller seed is no simpler case, so that nothing is shrunk."""
    few = settings(max_examples=examples, phases=(Phase.explicit, Phase.generate))
    return lambda test: few(given(st.integers(0, 2**32))(test))


@dataclass(frozen=True)
class Case:
    """Columns by role (y_true, s0, s1, …), how they are read, and the names of the columns."""

    columns: Columns
    reading: Mapping[str, Any]
    names: Mapping[str, str]

    @property
    def rows(self) -> int:
        return len(self.columns["y_true"])

    @property
    def roles(self) -> dict[str, str]:
        """The columns that are neither gold nor systems."""
        return {role: self.names[role] for role in ROLES if role in self.columns}

    @property
    def systems(self) -> dict[str, str]:
        """The names of the systems."""
        return {s: self.names[s] for s in self.columns if s not in ("y_true", *ROLES)}

    @property
    def named(self) -> dict[str, list[Any]]:
        """All columns by name, beside one that has no role."""
        named = {self.names[role]: column for role, column in self.columns.items()}
        return {"id": list(range(self.rows)), **named}

    def renamed(self, names: Iterable[str]) -> "Case":
        """Return the case with other names of systems."""
        return replace(self, names={**self.names, **dict(zip(self.systems, names, strict=True))})

    def with_systems(self, systems: Iterable[str]) -> "Case":
        """Return the case with its systems in another order."""
        others = {role: x for role, x in self.columns.items() if role not in self.systems}
        return replace(self, columns={**others, **{s: self.columns[s] for s in systems}})

    def in_order(self, rows: list[int]) -> "Case":
        columns = {role: [column[i] for i in rows] for role, column in self.columns.items()}
        return replace(self, columns=columns)


def random_case(seed: int) -> Case:
    """Return random labels with anything that items may have, faults included."""
    rng = random.Random(seed)
    n, k, kind = rng.choice((6, 15, 40)), rng.choice((2, 3, 5)), rng.choice(("int", "text", "real"))
    systems = ("s0", "s1", "s2")[: rng.choice((2, 3))]
    names = zip(("y_true", *systems, *ROLES), rng.sample(FILE_NAMES, 8), strict=False)
    draw, reading = _labels(rng, kind, k)
    columns: dict[str, list[Any]] = {"y_true": [draw() for _ in range(n)]}
    for system in systems:
        columns[system] = [draw() if rng.random() < 0.6 else g for g in columns["y_true"]]
    if kind != "real" and rng.random() < 0.4:
        reading["missing"] = rng.choice(("skip", "worst"))
        for system in systems:
            columns[system] = [None if rng.random() < 0.1 else x for x in columns[system]]
        if reading["missing"] == "skip":
            reading["na"] = code = 99 if kind == "int" else "n.a."
            columns[systems[0]][rng.randrange(1, n)] = code
        for column in columns.values():
            column[0] = column[0] if column[0] in reading["labels"] else reading["labels"][0]
    columns |= _others(rng, n)
    _add_fault(rng, kind, columns, systems)
    return Case(columns, reading, dict(names))


def _labels(rng: random.Random, kind: str, k: int) -> tuple[Callable[[], Any], dict[str, Any]]:
    """Return what draws a label, and how labels are read."""
    if kind == "real":
        numbers = (lambda: _fifteen_digits(rng.random() * (k - 1)), lambda: -0.0, lambda: 1.0)
        rule = rng.choice(("round", "floor"))
        return lambda: rng.choice(numbers)(), {"labels": list(range(k)), "bins": rule}
    labels: list[Any] = ["low", "mid", "high", "more", "most"][:k]
    if kind == "int":
        labels = list(range(1, k + 1))
    return lambda: rng.choice(labels), {"labels": labels}


def _others(rng: random.Random, n: int) -> dict[str, list[Any]]:
    """Return topics, clusters, weights and frequencies, or some of them."""
    topic, others = rng.choice(TOPICS), {}
    if rng.random() < 0.6:
        others["topic"] = [topic(rng.randrange(6)) for _ in range(n)]
    if rng.random() < 0.6:
        draws = (lambda: rng.random() * 3, lambda: 0.1, lambda: rng.lognormvariate(0, 5))
        others["weight"] = [_fifteen_digits(rng.choice(draws)()) for _ in range(n)]
    if rng.random() < 0.3:
        others["frequency"] = [1, *(rng.randint(0, 4) for _ in range(n - 1))]
    if rng.random() < 0.3:
        others["cluster"] = [f"c{rng.randrange(5)}" for _ in range(n)]
    return others


def _add_fault(rng: random.Random, kind: str, columns: Any, systems: tuple[str, ...]) -> None:
    """Spoil one of six cases."""
    fault = rng.choice(("gap in gold", "stray label", "negative", *("none",) * 15))
    if fault == "gap in gold":
        columns["y_true"][1] = None
    elif fault == "stray label":
        columns[systems[-1]][1] = {"int": 77, "text": "stray", "real": 1e6}[kind]
    elif fault == "negative" and "weight" in columns:
        columns["weight"][1] = -1.0


def _fifteen_digits(number: float) -> float:
    """Return a number that a spreadsheet can hold."""
    return float(f"{number:.15g}")


def outcome(door: Door) -> str:
    """Return the JSON without what names the source, or which parameter was refused."""
    try:
        result = json.loads(door().to_json())
    except oe.InputError as error:
        return f"refused: {error.parameter}"
    del result["about"], result["notes"]
    return json.dumps(result, indent=1, ensure_ascii=False)


def in_memory(case: Case, convert: Callable[[list[Any]], Any] = list) -> oe.Result:
    return oe.compare(
        convert(case.columns["y_true"]),
        {name: convert(case.columns[s]) for s, name in case.systems.items()},
        MEASURES,
        **{role: convert(case.columns[role]) for role in case.roles},
        **case.reading,
        **FEW,
    )


def _array(values: list[Any]) -> Any:
    return np.array(values, dtype=object if None in values else None)


def _tensor(values: list[Any]) -> Any:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if None in values or any(isinstance(x, str) for x in values):
        return values
    return torch.tensor(values, dtype=torch.float64 if isinstance(values[0], float) else None)


def _series(values: list[Any]) -> Any:
    whole = all(isinstance(x, int) for x in values if x is not None)
    return pd.Series(values, dtype="Int64" if whole and None in values else None)


def _categories(values: list[Any]) -> Any:
    distinct = sorted({x for x in values if x is not None}, key=str)
    return pd.Categorical(values, distinct) if isinstance(values[0], str) else _series(values)


def _pandas(columns: Columns) -> Any:
    return pd.DataFrame({name: _series(values) for name, values in columns.items()})


def _relation(columns: Columns) -> Any:
    """Return a relation, whose names may differ in case only."""
    short = pa.table({f"c{i}": column for i, column in enumerate(columns.values())})
    names = (name.replace('"', '""') for name in columns)
    chosen = ", ".join(f'c{i} AS "{name}"' for i, name in enumerate(names))
    return duckdb.connect().from_arrow(short).project(chosen)


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": _pandas,
    "pandas on Arrow": lambda columns: _pandas(columns).convert_dtypes(dtype_backend="pyarrow"),
    "Polars": pl.DataFrame,
    "lazy Polars": pl.LazyFrame,
    "Arrow": lambda columns: pa.table(dict(columns)),
    "DuckDB": _relation,
    "Dask": lambda columns: dd.from_pandas(_pandas(columns), npartitions=2),
}


def framed(case: Case, frame: Any) -> oe.Result:
    gold = case.names["y_true"]
    options = {**case.roles, **case.reading, **FEW}
    return oe.compare(gold, list(case.systems.values()), MEASURES, data=frame, **options)


def read(case: Case, path: Path, *runs: Path, **more: Any) -> oe.Result:
    options = {**case.roles, **case.reading, **more}
    data = oe.read(path, *runs, gold=case.names["y_true"], **options)
    return oe.compare(data, measures=MEASURES, **FEW)


def files(case: Case, folder: Path) -> dict[str, Door]:
    """Write files of every kind, and return what reads each."""
    columns = case.named
    frame = _pandas(columns)
    frame.to_csv(folder / "data.csv", index=False)
    frame.to_excel(folder / "data.xlsx", index=False, engine="openpyxl")
    pq.write_table(pa.table(columns), folder / "data.parquet")
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    (folder / "data.json").write_text(json.dumps(rows), "utf-8")
    gold = {"id of": list(range(case.rows)), **case.with_systems([]).named}
    _pandas(gold).to_csv(folder / "gold.csv", index=False)
    for system in case.systems:
        run = {"id of": gold["id of"], "pred": case.columns[system]}
        _pandas(run).iloc[::-1].to_csv(folder / f"{system}.csv", index=False)
    systems = list(case.systems.values())
    doors: dict[str, Door] = {
        kind: lambda kind=kind: read(case, folder / f"data.{kind}", pred=systems)
        for kind in ("csv", "xlsx", "parquet", "jsonl", "json")
    }
    runs = [folder / f"{system}.csv" for system in case.systems]
    doors["runs"] = lambda: read(case, folder / "gold.csv", *runs, id="id of")
    return doors


def long(case: Case, folder: Path, rng: random.Random) -> oe.Result:
    """Write a row per item and system, shuffled, and read it."""
    places = [(i, system) for i in range(case.rows) for system in case.systems]
    rng.shuffle(places)
    shared = case.with_systems([]).named
    table = {name: [column[i] for i, _ in places] for name, column in shared.items()}
    table |= {"id of": [i for i, _ in places], "system of": [case.systems[s] for _, s in places]}
    table["pred of"] = [case.columns[system][i] for i, system in places]
    _pandas(table).to_csv(folder / "long.csv", index=False)
    return read(case, folder / "long.csv", id="id of", system="system of", pred="pred of")


def every_door(case: Case, folder: Path) -> dict[str, str]:
    """Return the outcome at every door that keeps the names and the order of systems."""
    kinds = {"arrays": _array, "tensors": _tensor, "series": _series, "categories": _categories}
    doors: dict[str, Door] = {n: lambda c=c: in_memory(case, c) for n, c in kinds.items()}
    doors |= {n: lambda f=f: framed(case, f(case.named)) for n, f in FRAMES.items()}
    doors |= files(case, folder)
    return {name: outcome(door) for name, door in doors.items()}


@seeds(8)
def test_every_door_gives_the_same_bits(seed: int) -> None:
    case = random_case(seed)
    expected = outcome(lambda: in_memory(case))
    with TemporaryDirectory() as name:
        found = every_door(case, Path(name))
        by_system = outcome(lambda: long(case, Path(name), random.Random(seed)))
    assert found.pop("runs") == outcome(lambda: in_memory(case.renamed(case.systems)))
    assert {door: text for door, text in found.items() if text != expected} == {}
    order = sorted_names(case.systems.values())
    by_name = case.with_systems(sorted(case.systems, key=lambda s: order.index(case.names[s])))
    assert by_system == outcome(lambda: in_memory(by_name))


@seeds(10)
def test_the_order_of_rows_changes_no_bit(seed: int) -> None:
    case = random_case(seed)
    rows = list(range(case.rows))
    random.Random(seed).shuffle(rows)
    shuffled = case.in_order(rows)
    assert outcome(lambda: in_memory(shuffled)) == outcome(lambda: in_memory(case))
    lazy = [outcome(lambda c=c: framed(c, pl.LazyFrame(c.named))) for c in (case, shuffled)]
    assert lazy[0] == lazy[1]


def _by_names(result: oe.Result) -> dict[Any, Any]:
    """Return all figures of systems and pairs by name."""
    figures: dict[Any, Any] = {"effective": result.scores.effective}
    figures["anova"] = repr(result.tests and result.tests.anova)
    for measure in result.measures:
        for row in result.standings(measure):
            figures[str(measure), row.system] = repr(row)
            for other in set(result.systems) - {row.system}:
                pair = result.pair(row.system, other, measure)
                figures[str(measure), row.system, other] = repr(pair)
    return figures


@seeds(10)
def test_the_order_of_systems_changes_no_figure(seed: int) -> None:
    case, rng = random_case(seed), random.Random(seed)
    columns = dict(case.columns)
    if seed % 2:  # systems with the same table that differ on items
        columns = {name: column * 2 for name, column in columns.items()}
        gold, half = columns["y_true"], case.rows
        columns["s1"] = columns["s0"][:half] + gold[half:]
        columns["s0"] = gold[:half] + columns["s0"][half:]
    case, systems = replace(case, columns=columns), list(case.systems)
    rng.shuffle(systems)
    try:
        expected = _by_names(in_memory(case))
    except oe.InputError:
        return
    assert _by_names(in_memory(case.with_systems(systems))) == expected


def plain_case(reading: Mapping[str, Any], **columns: list[Any]) -> Case:
    return Case(columns, reading, {name: name for name in columns})


def test_codes_in_binned_numbers_are_gaps_at_every_door(tmp_path: Path) -> None:
    reading = {"labels": [1, 2, 3], "bins": "floor", "missing": "skip", "na": 99}
    columns = {"y_true": [1, 2, 3, 1], "a": [1.2, 99.0, 2.0, None], "b": [1.0, 2.0, 3.0, 1.0]}
    case = plain_case(reading, **columns)
    assert in_memory(case).scores.items == 2
    found = every_door(case, tmp_path)
    assert set(found.values()) == {outcome(lambda: in_memory(case))}


@pytest.mark.parametrize("role", ["topic", "cluster"])
def test_an_empty_text_is_no_group_at_any_door(role: str, tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"y_true": [1, 2, 3, 1, 2, 2], "a": [1, 2, 2, 1, 2, 1]}
    columns |= {"b": [1, 3, 3, 1, 1, 2], role: ["t", "", "u", "t", "u", ""]}
    case = plain_case({"labels": [1, 2, 3]}, **columns)
    assert set(every_door(case, tmp_path).values()) == {"refused: missing"}
    case = replace(case, reading={**case.reading, "missing": "skip"})
    found = every_door(case, tmp_path)
    assert set(found.values()) == {outcome(lambda: in_memory(case))}


ORDER = ["low", "medium", "high"]
ORDERED: dict[str, Callable[[Columns], Any]] = {
    "pandas": lambda columns: pd.DataFrame(columns, dtype=pd.CategoricalDtype(ORDER, ordered=True)),
    "Polars": lambda columns: pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.Enum(ORDER))),
    "lazy Polars": lambda columns: ORDERED["Polars"](columns).lazy(),
    "Arrow": lambda columns: pa.Table.from_pandas(ORDERED["pandas"](columns)),
    "DuckDB": lambda columns: duckdb.from_arrow(pa.table(dict(columns))).project(
        ", ".join(f"CAST({name} AS ENUM('low', 'medium', 'high')) AS {name}" for name in columns)
    ),
    "Dask": lambda columns: dd.from_pandas(ORDERED["pandas"](columns), npartitions=2),
}


@pytest.mark.parametrize("kind", ORDERED)
def test_an_ordered_type_is_the_scale(kind: str) -> None:
    columns = {"gold": ["low", "high", "low", "high"], "a": ["low", "low", "low", "high"]}
    counts = oe.read(ORDERED[kind](columns)).counts()
    assert (counts.scale.labels, counts.scale.inferred) == (tuple(ORDER), False)
    assert counts.table[0].tolist() == [[2, 0, 0], [0, 0, 0], [1, 0, 1]]


def test_topics_that_are_numbers_have_one_name_and_place() -> None:
    gold, pred = [1, 2, 1, 2], {"a": [1, 2, 2, 2], "b": [2, 2, 1, 1]}
    spelled = ([10, 9, -1, 1], [10.0, 9.0, -1.0, 1.0], ["10", "9", "-1", "1.0"])
    results = [oe.compare(gold, pred, measures="mae", topic=topics, **FEW) for topics in spelled]
    assert {result.scores.topics for result in results} == {("-1", "1", "9", "10")}
    assert len({result.to_json() for result in results}) == 1
    zero = oe.compare(gold, pred, measures="mae", topic=["0", "-0", "-0.0", "1"], **FEW)
    assert zero.scores.topics == ("0", "1")


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
def test_times_have_one_name_at_every_door(zone: str | None, gaps: bool, tmp_path: Path) -> None:
    """In UTC and to the nanosecond, whatever the zone of the data and of the machine."""
    names = ("2024-01-01 00:00:00.000000001", "2024-01-01 00:00:00.000000002")
    times = pd.Series(pd.to_datetime([*names, *names, *names]))
    times = times if zone is None else times.dt.tz_localize("UTC").dt.tz_convert(zone).copy()
    times.iloc[5] = pd.NaT if gaps else times.iloc[5]
    frame = pd.DataFrame({"gold": [1, 2, 1, 2, 1, 2], "a": [1, 2, 2, 2, 1, 1], "t": times})
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, path := tmp_path / "data.parquet")
    polars = pl.from_arrow(table)
    sources = (frame, polars, polars.lazy(), table, duckdb.from_arrow(table), path)
    for source in sources:
        counts = oe.read(source, pred="a", topic="t", missing="skip").counts()
        assert (counts.topics, counts.items) == (names, 6 - gaps)
    found = oe.evaluate(frame["gold"], frame["a"], topic=times, missing="skip", draws=0)
    assert found.scores.topics == names


def test_only_counts_leave_a_lazy_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    scans, heights, collect = [], [], pl.LazyFrame.collect

    def scanned(frame: Any) -> Any:
        scans.append(frame.height)
        return frame

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        frame = collect(self, *args, **kwargs)
        heights.append(frame.height)
        return frame

    monkeypatch.setattr(pl.LazyFrame, "collect", watched)
    data = {name: np.arange(5000) % k for name, k in (("gold", 3), ("a", 3), ("b", 2))}
    lazy = pl.LazyFrame(data).map_batches(scanned, schema=dict.fromkeys(data, pl.Int64))
    assert oe.read(lazy, labels=[0, 1, 2]).counts().table.sum() == 10_000
    assert scans == [5000]
    assert len(heights) == 1
    assert heights[0] <= 2 * 3 * 3


def test_only_counts_leave_a_dask_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    computed, compute = [], dd.DataFrame.compute

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = compute(self, *args, **kwargs)
        computed.append((self.optimize().expr.tree_repr(), len(found)))
        return found

    monkeypatch.setattr(dd.DataFrame, "compute", watched)
    kinds = {"gold": 3, "a": 3, "b": 2, "of": 5}
    data = pd.DataFrame({name: np.arange(5000) % k for name, k in kinds.items()})
    frame = dd.from_pandas(data, npartitions=4)
    assert oe.compare(data=frame, topic="of", **FEW).tables.sum() == 10_000
    [(plan, rows)] = computed  # one job for all systems and topics
    assert rows <= 90
    # Partitions are counted before any shuffle; the tree begins with what is done last.
    assert plan.rfind("Shuffle") < plan.index("GroupByChunk")


def test_shares_are_ordered_by_the_names_of_topics_and_systems(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    topics, order = ["10", "9", "b", "1.5", "a"], [3, 0, 4, 1, 2]
    shares = {name: rng.dirichlet([1, 1, 1], len(topics)) for name in ("gold", "z", "10", "9")}
    rows = [[run, t, *shares[run][i].tolist()] for run in shares for i, t in enumerate(topics)]
    text = "run,topic,1,2,3\n" + "".join(",".join(map(str, row)) + "\n" for row in rows[::-1])
    (tmp_path / "long.csv").write_text(text)
    read = oe.read_shares(tmp_path / "long.csv", system="run")
    assert read.systems == ("9", "10", "z")
    gold = shares.pop("gold")
    one = oe.quantify(gold, shares, topic=topics, **FEW)
    moved = {name: share[order] for name, share in shares.items()}
    two = oe.quantify(gold[order], moved, topic=[topics[i] for i in order], **FEW)
    assert one.to_json() == two.to_json()
    assert _by_names(oe.quantify(read, **FEW)) == _by_names(one)


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis
@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_ibis_gives_the_same_bits(engine: str, tmp_path: Path) -> None:
    ibis = pytest.importorskip("ibis", reason="ibis-framework is not installed")
    for seed in range(8):
        case = random_case(seed)
        case = replace(case, names={role: f"c{i}" for i, role in enumerate(case.names)})
        pq.write_table(pa.table(case.named), tmp_path / f"{seed}.parquet")
        frame = getattr(ibis, engine).connect().read_parquet(tmp_path / f"{seed}.parquet")
        expected = outcome(lambda case=case: in_memory(case))
        assert outcome(lambda c=case, f=frame: framed(c, f)) == expected, seed


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed (extra: spark)")
    if shutil.which("java") is None:
        pytest.skip("PySpark needs Java, which is not on the path")
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "OFF",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session = sql.SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
        yield session
        session.stop()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_spark_gives_probabilities_the_same_bits(spark: Any) -> None:
    proba = np.random.default_rng(0).dirichlet([1, 1, 1], 40)
    systems = {"a": proba, "b.c": (proba + 1) / 4}
    columns = {f"{s}_{k}": p[:, k] for s, p in systems.items() for k in range(3)}
    frame = pd.DataFrame({"gold": proba.argmax(axis=1)[::-1].copy(), **columns})
    how: dict[str, Any] = {"labels": [0, 1, 2], "measures": "rps, somers_d", **FEW}
    memory = oe.compare(frame["gold"].to_numpy(), proba=systems, **how)
    found = oe.compare("gold", data=spark.createDataFrame(frame), proba="{system}_{label}", **how)
    assert found.to_csv() == memory.to_csv()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark's own, on sockets and deprecations
def test_spark_gives_the_same_bits_and_keeps_its_rows(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in range(12):
        case = random_case(seed)
        columns = case.named
        kinds = {int: "bigint", float: "double", str: "string"}
        schema = ", ".join(
            f"`{name.replace('`', '``')}` {kinds[type(next(x for x in column if x is not None))]}"
            for name, column in columns.items()
        )
        frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), schema)
        expected = outcome(lambda case=case: in_memory(case))
        assert outcome(lambda c=case, f=frame: framed(c, f)) == expected, seed
    labels = (f"id % {k} AS {name}" for name, k in {"gold": 3, "a": 2, "b": 3, "of": 5}.items())
    frame = spark.range(0, 3000, 1, numPartitions=4).selectExpr(*labels)
    plans, collect = dict[str, int](), type(frame).collect

    def watched(self: Any) -> Any:
        rows = collect(self)
        plans[self._jdf.queryExecution().executedPlan().toString()] = len(rows)
        return rows

    monkeypatch.setattr(type(frame), "collect", watched)
    assert oe.compare(data=frame, topic="of", **FEW).tables.sum() == 6000
    [(plan, rows)] = plans.items()  # one job for all systems and topics
    assert rows <= 90
    # Rows are counted where they are, before anything is sent, and by the engine itself.
    assert 0 < plan.index("count(1)") < plan.index("Exchange") < plan.index("partial_count(1)")
    assert not re.search("Python|Pandas|Arrow", plan)  # as in MapInPandas
    plans.clear()  # ratings without names of items are counted, too
    assert oe.agreement(["a", "b"], data=frame, labels=range(3)).items == 3000
    assert oe.evaluate("gold", None, "mean", data=frame, labels=range(3)).scores.items == 3000
    assert 0 < max(plans.values()) <= 9
